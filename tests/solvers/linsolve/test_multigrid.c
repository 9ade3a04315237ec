/* What multigrid's levels are made of, each against its definition, and the same bits for any
 * number of threads. */
#include "solvers/linsolve/systems.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solvers/linsolve/matrix/matrix.h"
#include "solvers/linsolve/multigrid/multigrid.h"

/* A level in the making. */
typedef struct level {
    tsl_csr a, p, t, members, coarse; /* p: from its rows */
    double *inverse;
    int32_t *aggregate;
    double *norm;
    int64_t count;
} level;

static const double omega = 0.61;

static void free_level(level *v)
{
    free(v->inverse);
    free(v->aggregate);
    free(v->norm);
    tsl_csr_free(&v->p);
    tsl_csr_free(&v->t);
    tsl_csr_free(&v->members);
    tsl_csr_free(&v->coarse);
}

static int compare_columns(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a;
    const int32_t y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* All rows of P, their columns in order. */
static tsl_csr make_p(const tsl_prolongation *from)
{
    const tsl_csr *a = from->g->matrix;
    tsl_csr p = {.rows = a->rows, .columns = from->count};
    tsl_row row = {0};
    p.row_start = tsl_allocate((size_t)(a->rows + 1) * sizeof *p.row_start);
    p.column = tsl_allocate((size_t)(tsl_csr_nonzeros(a) + a->rows) * sizeof *p.column);
    p.value = tsl_allocate((size_t)(tsl_csr_nonzeros(a) + a->rows) * sizeof *p.value);
    assert_true(tsl_row_begin(&row, from->count));
    p.row_start[0] = 0;
    for (int64_t i = 0; i < a->rows; i++) {
        tsl_prolongator_row(&row, from, i);
        qsort(row.column, (size_t)row.count, sizeof *row.column, compare_columns);
        p.row_start[i + 1] = p.row_start[i] + row.count;
        tsl_row_take(&row, (uint32_t *)p.column + p.row_start[i], p.value + p.row_start[i]);
    }
    tsl_row_free(&row);
    return p;
}

/* The rows of each aggregate are T^T without values. */
static void check_members(const level *v, tsl_context *context)
{
    tsl_csr made;
    assert_int_equal(tsl_members_make(&made, context, v->aggregate, v->a.rows, v->count), TSL_OK);
    assert_int_equal(made.rows, v->count);
    assert_int_equal(made.columns, v->a.rows);
    assert_memory_equal(made.row_start, v->members.row_start, (size_t)(v->count + 1) * 8);
    assert_memory_equal(made.column, v->members.column, (size_t)tsl_csr_nonzeros(&made) * 4);
    assert_null(made.value);
    tsl_csr_free(&made);
}

/* `near_null` may be NULL. */
static level make_level(const test_system *s, double strength, const double *near_null, int threads)
{
    tsl_context *context = test_context("cpu", threads);
    level v = {.a = {s->n, s->n, s->row_start, s->column, s->value},
               .inverse = malloc((size_t)s->n * sizeof(double)),
               .aggregate = malloc((size_t)s->n * sizeof(int32_t))};
    double *inverse = malloc((size_t)s->n * sizeof(double));
    int64_t bandwidth = 0;
    for (int64_t i = 0; i < s->n; i++) {
        for (int64_t k = s->row_start[i]; k < s->row_start[i + 1]; k++) {
            const int64_t far = s->column[k] - i;
            bandwidth = llabs(far) > bandwidth ? llabs(far) : bandwidth;
            if (far == 0) {
                v.inverse[i] = 1 / s->value[k];
            }
        }
    }
    const tsl_matrix_facts facts = tsl_matrix_look_at(inverse, &v.a, threads);
    assert_memory_equal(inverse, v.inverse, (size_t)s->n * sizeof(double));
    assert_int_equal(facts.bandwidth, bandwidth);
    assert_int_equal(facts.wrong, s->n);
    free(inverse);
    const tsl_graph g = {&v.a, v.inverse, strength, bandwidth};
    assert_int_equal(tsl_aggregate(v.aggregate, &v.count, context, &g), TSL_OK);
    if (near_null != NULL) {
        v.norm = malloc((size_t)v.count * sizeof(double));
        tsl_aggregate_norms(v.norm, near_null, v.aggregate, s->n, v.count);
    }
    const tsl_prolongation from = {&g, v.aggregate, v.count, near_null, v.norm, omega};
    v.p = make_p(&from);
    assert_int_equal(tsl_tentative(&v.t, context, &from), TSL_OK);
    assert_int_equal(tsl_csr_transpose(&v.members, context, &v.t), TSL_OK);
    check_members(&v, context);
    const tsl_coarsening c = {&from, &v.members};
    assert_int_equal(tsl_galerkin(&v.coarse, context, &c), TSL_OK);
    tsl_context_destroy(context);
    return v;
}

/* ---- against the definitions
 * ------------------------------------------------------------------------- */

static bool is_strong(const level *v, int64_t i, int64_t k, double strength)
{
    const int64_t j = v->a.column[k];
    return j != i &&
           v->a.value[k] * v->a.value[k] * v->inverse[i] * v->inverse[j] > strength * strength;
}

/* Every row with a strong entry is in an aggregate, in which it has a strong neighbour unless it is
 * alone there; numbers are those of first rows in their order, and none is left out. */
static void check_aggregates(const level *v, double strength)
{
    int64_t *size = calloc((size_t)v->count, sizeof *size);
    for (int64_t i = 0; i < v->a.rows; i++) {
        assert_in_range(v->aggregate[i] + 1, 0, v->count);
        size[v->aggregate[i] >= 0 ? v->aggregate[i] : 0] += v->aggregate[i] >= 0;
    }
    for (int64_t a = 0; a < v->count; a++) {
        assert_true(size[a] > 0);
    }
    for (int64_t i = 0; i < v->a.rows; i++) {
        int64_t strong = 0;
        int64_t joined = 0;
        for (int64_t k = v->a.row_start[i]; k < v->a.row_start[i + 1]; k++) {
            strong += is_strong(v, i, k, strength);
            joined +=
                is_strong(v, i, k, strength) && v->aggregate[v->a.column[k]] == v->aggregate[i];
        }
        assert_int_equal(v->aggregate[i] >= 0, strong > 0);
        assert_true(strong == 0 || joined > 0 || size[v->aggregate[i]] == 1);
    }
    free(size);
}

static void check_ascending(const tsl_csr *m)
{
    for (int64_t i = 0; i < m->rows; i++) {
        for (int64_t k = m->row_start[i]; k < m->row_start[i + 1]; k++) {
            assert_in_range(m->column[k], 0, m->columns - 1);
            assert_true(k == m->row_start[i] || m->column[k] > m->column[k - 1]);
        }
    }
}

/* P = (1 - omega D^-1 F) T, row by row. */
static void check_prolongator(const level *v, double strength, const double *near_null)
{
    long double *row = calloc((size_t)v->count, sizeof *row);
    check_ascending(&v->p);
    for (int64_t i = 0; i < v->a.rows; i++) {
        for (int64_t k = v->a.row_start[i]; k < v->a.row_start[i + 1]; k++) {
            const int64_t j = is_strong(v, i, k, strength) ? v->a.column[k] : i;
            const int32_t a = v->aggregate[j];
            if (a >= 0) { /* weak entries stand on the diagonal */
                const long double t =
                    near_null != NULL ? near_null[j] / (long double)v->norm[a] : 1;
                row[a] -= (long double)(omega * v->inverse[i]) * v->a.value[k] * t;
            }
        }
        if (v->aggregate[i] >= 0) {
            row[v->aggregate[i]] +=
                near_null != NULL ? near_null[i] / (long double)v->norm[v->aggregate[i]] : 1;
        }
        for (int64_t k = v->p.row_start[i]; k < v->p.row_start[i + 1]; k++) {
            assert_true(fabsl(row[v->p.column[k]] - v->p.value[k]) <= 1e-14L);
            row[v->p.column[k]] = 0;
        }
        for (int64_t k = v->a.row_start[i]; k < v->a.row_start[i + 1]; k++) {
            const int32_t a = v->aggregate[v->a.column[k]];
            assert_true(a < 0 || row[a] == 0); /* nothing is missing */
        }
    }
    free(row);
}

static double norm_of(const level *v, const double *near_null, int64_t i)
{
    return near_null != NULL ? near_null[i] / v->norm[v->aggregate[i]] : 1;
}

/* T has an entry for each row in an aggregate, and T^T the same where it belongs. */
static void check_tentative(const level *v, const double *near_null)
{
    int64_t *next = malloc((size_t)v->count * sizeof *next);
    check_ascending(&v->members);
    assert_int_equal(v->members.rows, v->count);
    assert_int_equal(v->members.columns, v->a.rows);
    assert_int_equal(tsl_csr_nonzeros(&v->members), tsl_csr_nonzeros(&v->t));
    memcpy(next, v->members.row_start, (size_t)v->count * sizeof *next);
    for (int64_t i = 0; i < v->a.rows; i++) {
        const int64_t k = v->t.row_start[i];
        assert_int_equal(v->t.row_start[i + 1] - k, v->aggregate[i] >= 0);
        if (v->aggregate[i] >= 0) {
            const int64_t to = next[v->aggregate[i]]++;
            assert_int_equal(v->t.column[k], v->aggregate[i]);
            assert_true(v->t.value[k] == norm_of(v, near_null, i));
            assert_int_equal(v->members.column[to], i);
            assert_true(v->members.value[to] == v->t.value[k]);
        }
    }
    free(next);
}

static void multiply(long double *y, const tsl_csr *m, const long double *x)
{
    for (int64_t i = 0; i < m->rows; i++) {
        y[i] = 0;
        for (int64_t k = m->row_start[i]; k < m->row_start[i + 1]; k++) {
            y[i] += (long double)m->value[k] * x[m->column[k]];
        }
    }
}

static void multiply_transposed(long double *y, const tsl_csr *m, const long double *x)
{
    for (int64_t j = 0; j < m->columns; j++) {
        y[j] = 0;
    }
    for (int64_t i = 0; i < m->rows; i++) {
        for (int64_t k = m->row_start[i]; k < m->row_start[i + 1]; k++) {
            y[m->column[k]] += (long double)m->value[k] * x[i];
        }
    }
}

/* P^T A P x one by one, of random x: an entry that is wrong or missing shows. */
static void check_coarse(const level *v)
{
    const size_t bytes = (size_t)v->a.rows * sizeof(long double);
    long double *x = malloc(bytes);
    long double *px = malloc(bytes);
    long double *apx = malloc(bytes);
    long double *expected = malloc(bytes);
    uint64_t seed = 5;
    check_ascending(&v->coarse);
    for (int64_t a = 0; a < v->count; a++) {
        x[a] = test_uniform(&seed);
    }
    multiply(px, &v->p, x);
    multiply(apx, &v->a, px);
    multiply_transposed(expected, &v->p, apx);
    multiply(px, &v->coarse, x);
    for (int64_t a = 0; a < v->count; a++) {
        assert_true(fabsl(px[a] - expected[a]) <= 1e-11L); /* of up to 60 */
    }
    free(x);
    free(px);
    free(apx);
    free(expected);
}

static void assert_same(const tsl_csr *m, const tsl_csr *expected)
{
    assert_int_equal(m->rows, expected->rows);
    assert_memory_equal(m->row_start, expected->row_start, (size_t)(m->rows + 1) * 8);
    const size_t nonzeros = (size_t)tsl_csr_nonzeros(m);
    assert_memory_equal(m->column, expected->column, nonzeros * sizeof *m->column);
    assert_memory_equal(m->value, expected->value, nonzeros * sizeof *m->value);
}

/* `most` threads make the same as one. */
static void check_threads(const test_system *s, const level *expected, double strength,
                          const double *near_null, int most)
{
    for (int threads = 2; threads <= most; threads += threads < 3 ? 1 : 4) {
        level v = make_level(s, strength, near_null, threads);
        assert_int_equal(v.count, expected->count);
        assert_memory_equal(v.aggregate, expected->aggregate, (size_t)s->n * sizeof *v.aggregate);
        assert_same(&v.p, &expected->p);
        assert_same(&v.members, &expected->members);
        assert_same(&v.coarse, &expected->coarse);
        free_level(&v);
    }
}

static void levels_are_as_defined(void **state)
{
    (void)state;
    const struct {
        int64_t side, planes;
        double strength; /* 0.2: entries of -1 are weak beside 6, not beside 4 */
        bool near_null;
    } rows[] = {{9, 9, 0.08, false},   {9, 9, 0.2, false},   {7, 300, 0.08, false},
                {130, 1, 0.08, true},  {130, 1, 0.3, false}, {2, 2500, 0.08, true},
                {1, 12000, 0.08, true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        test_system s = test_laplacian(rows[i].side, rows[i].planes);
        uint64_t seed = 11;
        double *near_null = rows[i].near_null ? malloc((size_t)s.n * sizeof *near_null) : NULL;
        for (int64_t j = 0; j < s.n; j++) {
            for (int64_t k = s.row_start[j]; k < s.row_start[j + 1]; k++) {
                /* some connections weak: symmetric, a function of both rows */
                s.value[k] *= (j + s.column[k]) % 7 == 1 ? 0.01 : 1;
            }
            if (near_null != NULL) {
                near_null[j] = 0.5 + test_uniform(&seed) * 0.4;
            }
        }
        level v = make_level(&s, rows[i].strength, near_null, 1);
        check_aggregates(&v, rows[i].strength);
        check_prolongator(&v, rows[i].strength, near_null);
        check_tentative(&v, near_null);
        check_coarse(&v);
        check_threads(&s, &v, rows[i].strength, near_null, 7);
        free_level(&v);
        free(near_null);
        test_system_free(&s);
    }
}

/* Entries far from the diagonal, and rows of all lengths. */
static void any_pattern_will_do(void **state)
{
    (void)state;
    test_system s = test_spectrum(150, 10, 3);
    level v = make_level(&s, 0.02, NULL, 1);
    check_aggregates(&v, 0.02);
    check_prolongator(&v, 0.02, NULL);
    check_tentative(&v, NULL);
    check_coarse(&v);
    check_threads(&s, &v, 0.02, NULL, 7);
    free_level(&v);
    test_system_free(&s);
}

/* Row i has an entry in column j, but row j none in column i. */
static void unsymmetric_patterns_will_do(void **state)
{
    (void)state;
    test_system s = test_laplacian(22, 22);
    int64_t kept = 0;
    for (int64_t i = 0, k = 0; i < s.n; i++) {
        for (; k < s.row_start[i + 1]; k++) {
            if (s.column[k] == i || (3 * i + s.column[k]) % 5 != 0) {
                s.column[kept] = s.column[k];
                s.value[kept++] = s.value[k];
            }
        }
        s.row_start[i + 1] = kept;
    }
    level v = make_level(&s, 0.08, NULL, 1);
    check_prolongator(&v, 0.08, NULL);
    check_coarse(&v);
    check_threads(&s, &v, 0.08, NULL, 7);
    free_level(&v);
    test_system_free(&s);
}

/* More entries than one piece of memory of a product holds. */
static void large_products_are_made(void **state)
{
    (void)state;
    test_system s = test_laplacian(60, 60);
    level v = make_level(&s, 0.08, NULL, 1);
    assert_in_range(v.count, s.n / 25, s.n / 10);
    check_coarse(&v);
    check_threads(&s, &v, 0.08, NULL, 2);
    free_level(&v);
    test_system_free(&s);
}

/* A x = b, and the same bits for any number of threads. */
static void dense_factors_solve(void **state)
{
    (void)state;
    const struct {
        int64_t side, planes;
    } rows[] = {{1, 1}, {3, 3}, {2, 8}, {1, 33}, {6, 5}, {8, 7}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        test_system s = test_laplacian(rows[i].side, rows[i].planes);
        const tsl_csr a = {s.n, s.n, s.row_start, s.column, s.value};
        const size_t bytes = (size_t)s.n * sizeof(double);
        double *b = malloc(bytes);
        double *x = malloc(bytes);
        double *l[2];
        uint64_t seed = 23;
        for (int64_t k = 0; k < s.n; k++) {
            b[k] = test_uniform(&seed);
        }
        for (int k = 0; k < 2; k++) {
            tsl_context *context = test_context("cpu", 1 + 2 * k);
            assert_int_equal(tsl_dense_factor(&l[k], context, &a), TSL_OK);
            tsl_context_destroy(context);
        }
        assert_memory_equal(l[0], l[1], (size_t)s.n * bytes);
        memcpy(x, b, bytes);
        tsl_dense_solve(l[0], s.n, x);
        assert_true(test_residual(&s, b, x) < 1e-13);
        tsl_release(l[0]);
        tsl_release(l[1]);
        free(b);
        free(x);
        test_system_free(&s);
    }
}

/* The largest eigenvalue of D^-1 A, by many steps of the power method. */
static double largest_eigenvalue(const test_system *s, const double *inverse)
{
    const tsl_csr a = {s->n, s->n, s->row_start, s->column, s->value};
    long double *x = malloc((size_t)s->n * sizeof *x);
    long double *y = malloc((size_t)s->n * sizeof *y);
    uint64_t seed = 9;
    for (int64_t i = 0; i < s->n; i++) {
        x[i] = test_uniform(&seed) - 0.5;
    }
    long double size = 0;
    for (int step = 0; step < 4000; step++) {
        multiply(y, &a, x);
        size = 0;
        for (int64_t i = 0; i < s->n; i++) {
            y[i] *= inverse[i];
            size = fabsl(y[i]) > size ? fabsl(y[i]) : size;
        }
        for (int64_t i = 0; i < s->n; i++) {
            x[i] = y[i] / size;
        }
    }
    free(x);
    free(y);
    return (double)size;
}

/* An estimate that is less lets a polynomial grow; one that is much more makes it useless. */
static void largest_eigenvalues_are_not_missed(void **state)
{
    (void)state;
    tsl_context *context = test_context("cpu", 2);
    for (int i = 0; i < 24; i++) {
        test_system s = test_spectrum(14 + 6 * (i % 8), pow(10, i / 2), 41 + (unsigned)i);
        const tsl_csr a = {s.n, s.n, s.row_start, s.column, s.value};
        double *inverse = malloc((size_t)s.n * sizeof *inverse);
        for (int64_t row = 0; row < s.n; row++) {
            inverse[row] = 1 / *tsl_csr_at(&a, row, row);
        }
        const tsl_operand operand = {.rows = s.n, .matrix = &a, .inverse_diagonal = inverse};
        double estimate = 0;
        assert_int_equal(tsl_largest_eigenvalue(&estimate, context, &operand), TSL_OK);
        const double largest = largest_eigenvalue(&s, inverse);
        assert_true(estimate >= largest);
        assert_true(estimate <= 1.3 * largest);
        free(inverse);
        test_system_free(&s);
    }
    tsl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(levels_are_as_defined),
                                       cmocka_unit_test(any_pattern_will_do),
                                       cmocka_unit_test(unsymmetric_patterns_will_do),
                                       cmocka_unit_test(large_products_are_made),
                                       cmocka_unit_test(dense_factors_solve),
                                       cmocka_unit_test(largest_eigenvalues_are_not_missed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
