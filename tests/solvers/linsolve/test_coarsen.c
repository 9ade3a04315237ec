/* Multigrid's levels as GPUs make them: aggregates by their definition, and P^T A P of the same
 * aggregates against the host's. */
#include "solvers/linsolve/systems.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "blocks/csr/format_gpu.h"
#include "core/context.h"
#include "core/profile.h"
#include "device/device.h"
#include "solvers/linsolve/matrix/matrix.h"
#include "solvers/linsolve/multigrid/gpu/coarsen_gpu.h"
#include "solvers/linsolve/multigrid/multigrid.h"

/* A matrix, and what a device made of it, in malloc's memory. */
typedef struct trial {
    const test_system *s;
    const double *near_null; /* NULL: ones */
    double strength;
    double *inverse;
    tsl_csr a;
    bool fits;
    int64_t count, members, nonzeros;
    int32_t *aggregate;
    double *norm;
    tsl_csr t, coarse; /* T^T and P^T A P */
} trial;

static const double omega = 0.61;

static void *fetch(tsl_context *context, const void *device, int64_t bytes)
{
    void *out = malloc((size_t)bytes + 1);
    test_download(context, out, device, bytes);
    return out;
}

static void free_trial(trial *t)
{
    void *const all[] = {t->inverse,          t->aggregate,     t->norm,
                         t->t.row_start,      t->t.column,      t->t.value,
                         t->coarse.row_start, t->coarse.column, t->coarse.value};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        free(all[i]);
    }
}

static double *make_ones(int64_t count)
{
    double *ones = malloc((size_t)count * sizeof *ones);
    for (int64_t i = 0; i < count; i++) {
        ones[i] = 1;
    }
    return ones;
}

static void take_results(trial *t, tsl_context *context, const tsl_coarse *c)
{
    t->count = c->count;
    t->members = c->members;
    t->nonzeros = c->nonzeros;
    t->aggregate = fetch(context, c->aggregate, 4 * t->s->n);
    t->norm = c->norm != NULL ? fetch(context, c->norm, 8 * c->count) : NULL;
    t->t =
        (tsl_csr){.rows = c->count,
                  .columns = t->s->n,
                  .row_start = fetch(context, c->member_start, 8 * (c->count + 1)),
                  .column = fetch(context, c->member, 4 * c->members),
                  .value = c->member_value != NULL ? fetch(context, c->member_value, 8 * c->members)
                                                   : make_ones(c->members)};
    if (t->fits) {
        t->coarse = (tsl_csr){.rows = c->count,
                              .columns = c->count,
                              .row_start = fetch(context, c->row_start, 8 * (c->count + 1)),
                              .column = fetch(context, c->column, 4 * c->nonzeros),
                              .value = fetch(context, c->value, 8 * c->nonzeros)};
    }
}

static void coarsen_on(trial *t, const char *device)
{
    tsl_context *context = test_context(device, 1);
    tsl_layout layout;
    tsl_form form;
    tsl_space kept;
    tsl_spaces spaces = {.kept = &kept};
    tsl_coarse coarse;
    tsl_status status = TSL_OK;
    t->a = (tsl_csr){t->s->n, t->s->n, t->s->row_start, t->s->column, t->s->value};
    const int64_t nonzeros = tsl_csr_nonzeros(&t->a);
    assert_int_equal(tsl_layout_make(&layout, context, t->s->n, t->s->row_start, true), TSL_OK);
    assert_int_equal(tsl_form_make(&form, context, &t->a, &layout, 8, 1), TSL_OK);
    assert_null(form.gpu->tiles);
    assert_int_equal(tsl_space_begin(&spaces.passing, context, 4 * t->s->n, true), TSL_OK);
    assert_int_equal(tsl_space_begin(&spaces.results, context, t->s->n, true), TSL_OK);
    assert_int_equal(tsl_space_begin(&kept, context, t->s->n, false), TSL_OK);
    tsl_fine fine = {
        .a = tsl_rows_of(&form.gpu->matrix),
        .places = nonzeros,
        .facts = tsl_space_take(&status, &spaces.passing, 8 * TSL_FACTS),
        .inverse = tsl_space_take(&status, &spaces.passing, 8 * t->s->n),
        .strength = t->strength,
        .omega = omega,
        .reach = nonzeros <= TSL_SHORT_ROW * t->s->n ? 3 : 2,
        .near_null = t->near_null != NULL ? test_upload(context, t->near_null, 8 * t->s->n) : NULL};
    if (fine.a.row_start == NULL) {
        const int64_t slices = (t->s->n + TSL_SLICE_LANES - 1) / TSL_SLICE_LANES;
        test_download(context, &fine.places, fine.a.value_start + slices, 8);
        fine.places *= TSL_SLICE_LANES;
    }
    const tsl_grouping g = {.a = fine.a, .facts = fine.facts, .inverse = fine.inverse};
    assert_int_equal(context->ops->fill(context, fine.facts, 0, 8 * TSL_FACTS), TSL_OK);
    assert_int_equal(context->ops->coarsen->measure(context, &g), TSL_OK);
    t->inverse = fetch(context, fine.inverse, 8 * t->s->n);
    double facts[TSL_FACTS];
    test_download(context, facts, fine.facts, sizeof facts);
    fine.longest = (int64_t)facts[TSL_FACT_LONGEST];
    fine.lattice = tsl_lattice_find(&t->a, t->strength, fine.reach);
    assert_int_equal(tsl_group_on_gpu(&coarse, &spaces, &fine), TSL_OK);
    assert_true(coarse.count > 0);
    assert_int_equal(tsl_project_on_gpu(&coarse, &t->fits, &spaces, &fine), TSL_OK);
    take_results(t, context, &coarse);
    tsl_space_free(&spaces.passing);
    tsl_space_free(&spaces.results);
    tsl_space_free(&kept);
    tsl_form_free(&form);
    tsl_layout_free(&layout);
    test_release(context, (void *)(uintptr_t)fine.near_null);
    assert_int_equal(context->memory.live, 0);
    tsl_context_destroy(context);
}

/* ---- against the definitions ------------------------------------------------------------------
 */

static bool is_strong(const trial *t, int64_t i, int64_t k)
{
    const int64_t j = t->a.column[k];
    return j != i && t->a.value[k] * t->a.value[k] * (t->inverse[i] * t->inverse[j]) >
                         t->strength * t->strength;
}

/* Members ascend, are those of their aggregate, and each has a strong neighbour there unless it is
 * alone; rows with strong entries, and no others, are in one. */
static void check_aggregates(const trial *t)
{
    int64_t members = 0;
    for (int64_t i = 0; i < t->s->n; i++) {
        int64_t strong = 0;
        int64_t joined = 0;
        for (int64_t k = t->a.row_start[i]; k < t->a.row_start[i + 1]; k++) {
            strong += is_strong(t, i, k);
            joined += is_strong(t, i, k) && t->aggregate[t->a.column[k]] == t->aggregate[i];
        }
        const int32_t a = t->aggregate[i];
        assert_in_range(a + 1, 0, t->count);
        assert_int_equal(a >= 0, strong > 0);
        assert_true(a < 0 || joined > 0 || t->t.row_start[a + 1] - t->t.row_start[a] == 1);
        members += a >= 0;
    }
    assert_int_equal(members, t->members);
    assert_int_equal(t->t.row_start[t->count], members);
    for (int64_t a = 0; a < t->count; a++) {
        assert_true(t->t.row_start[a + 1] > t->t.row_start[a]);
        for (int64_t k = t->t.row_start[a]; k < t->t.row_start[a + 1]; k++) {
            assert_int_equal(t->aggregate[t->t.column[k]], a);
            assert_true(k == t->t.row_start[a] || t->t.column[k] > t->t.column[k - 1]);
        }
    }
}

/* Rows as far as `reach` strong entries from row i, into `queue`; `seen` [rows] holds no `stamp`.
 */
static int64_t find_ball(int64_t *queue, const trial *t, int64_t i, int reach, int32_t *seen,
                         int32_t stamp)
{
    int64_t end = 1;
    int64_t begin = 0;
    queue[0] = i;
    seen[i] = stamp;
    for (int step = 0; step < reach; step++) {
        for (const int64_t last = end; begin < last; begin++) {
            const int64_t row = queue[begin];
            for (int64_t k = t->a.row_start[row]; k < t->a.row_start[row + 1]; k++) {
                if (is_strong(t, row, k) && seen[t->a.column[k]] != stamp) {
                    seen[t->a.column[k]] = stamp;
                    queue[end++] = t->a.column[k];
                }
            }
        }
    }
    return end;
}

/* Rows of aggregate a within reach of row i. */
static int64_t count_own(const trial *t, int64_t a, int64_t i, int reach, int64_t *queue,
                         int32_t *seen, int32_t stamp, int64_t *all)
{
    int64_t own = 0;
    *all = find_ball(queue, t, i, reach, seen, stamp);
    for (int64_t q = 0; q < *all; q++) {
        own += t->aggregate[queue[q]] == a;
    }
    return own;
}

/* An aggregate has a root, all of whose neighbours are in it and whose reach holds all of it. */
static void check_roots(const trial *t)
{
    const int reach = tsl_csr_nonzeros(&t->a) <= TSL_SHORT_ROW * t->s->n ? 3 : 2;
    int64_t *queue = malloc((size_t)t->s->n * sizeof *queue);
    int32_t *seen = calloc((size_t)t->s->n, sizeof *seen);
    int32_t stamp = 0;
    for (int64_t a = 0; a < t->count; a++) {
        const int64_t size = t->t.row_start[a + 1] - t->t.row_start[a];
        bool found = false;
        for (int64_t k = t->t.row_start[a]; k < t->t.row_start[a + 1] && !found; k++) {
            const int64_t i = t->t.column[k];
            int64_t all = 0;
            found = count_own(t, a, i, 1, queue, seen, ++stamp, &all) == all;
            found = found && count_own(t, a, i, reach, queue, seen, ++stamp, &all) == size;
        }
        assert_true(found);
    }
    free(queue);
    free(seen);
}

/* P^T A P by the host, of the same aggregates. */
static void check_coarse(const trial *t)
{
    tsl_context *context = test_context("cpu", 2);
    double *inverse = malloc((size_t)t->a.rows * sizeof *inverse);
    const int64_t bandwidth = tsl_matrix_look_at(inverse, &t->a, 2).bandwidth;
    free(inverse);
    const tsl_graph g = {&t->a, t->inverse, t->strength, bandwidth};
    const tsl_prolongation from = {&g, t->aggregate, t->count, t->near_null, t->norm, omega};
    const tsl_coarsening c = {&from, &t->t};
    tsl_csr expected;
    assert_int_equal(tsl_galerkin(&expected, context, &c), TSL_OK);
    assert_int_equal(tsl_csr_nonzeros(&expected), t->nonzeros);
    for (int64_t a = 0; a < t->count; a++) {
        double diagonal = 0;
        assert_int_equal(t->coarse.row_start[a + 1], expected.row_start[a + 1]);
        for (int64_t k = expected.row_start[a]; k < expected.row_start[a + 1]; k++) {
            assert_int_equal(t->coarse.column[k], expected.column[k]);
            diagonal = fmax(diagonal, fabs(expected.value[k]));
        }
        for (int64_t k = expected.row_start[a]; k < expected.row_start[a + 1]; k++) {
            assert_true(fabs(t->coarse.value[k] - expected.value[k]) <= 2e-14 * diagonal);
        }
    }
    tsl_csr_free(&expected);
    tsl_context_destroy(context);
}

static void check_norms(const trial *t)
{
    for (int64_t a = 0; a < t->count && t->near_null != NULL; a++) {
        long double sum = 0;
        for (int64_t k = t->t.row_start[a]; k < t->t.row_start[a + 1]; k++) {
            const long double entry = t->near_null[t->t.column[k]];
            sum += entry * entry;
            assert_true(t->t.value[k] == t->near_null[t->t.column[k]] / t->norm[a]);
        }
        assert_true(fabsl(t->norm[a] - sqrtl(sum)) <= 1e-14L * t->norm[a]);
    }
}

static int64_t longest_row(const tsl_csr *m)
{
    int64_t longest = 0;
    for (int64_t i = 0; i < m->rows; i++) {
        const int64_t length = m->row_start[i + 1] - m->row_start[i];
        longest = length > longest ? length : longest;
    }
    return longest;
}

/* The first device's, and the same bits from all others. Returns how long the longest row is. */
static int64_t check_everywhere(const test_system *s, double strength, const double *near_null)
{
    trial first = {.s = NULL};
    for (int d = 0; d < test_device_count(); d++) {
        if (strcmp(test_devices[d], "cpu") == 0) {
            continue;
        }
        trial t = {.s = s, .strength = strength, .near_null = near_null};
        coarsen_on(&t, test_devices[d]);
        assert_true(t.fits);
        if (first.s == NULL) {
            first = t;
            check_aggregates(&t);
            check_roots(&t);
            check_norms(&t);
            check_coarse(&t);
            continue;
        }
        assert_int_equal(t.count, first.count);
        assert_int_equal(t.nonzeros, first.nonzeros);
        assert_memory_equal(t.aggregate, first.aggregate, (size_t)s->n * 4);
        assert_memory_equal(t.t.column, first.t.column, (size_t)t.members * 4);
        assert_memory_equal(t.coarse.row_start, first.coarse.row_start, (size_t)(t.count + 1) * 8);
        assert_memory_equal(t.coarse.column, first.coarse.column, (size_t)t.nonzeros * 4);
        assert_memory_equal(t.coarse.value, first.coarse.value, (size_t)t.nonzeros * 8);
        free_trial(&t);
    }
    const int64_t longest = longest_row(&first.coarse);
    free_trial(&first);
    return longest;
}

static void levels_are_as_the_hosts(void **state)
{
    (void)state;
    const struct {
        int64_t side, planes;
        double strength; /* 0.2: entries of -1 are weak beside 6, not beside 4 */
        bool near_null, weak;
        double scale; /* of half of the rows and columns */
    } rows[] = {{13, 13, 0.08, false, false, 1},
                {9, 9, 0.08, true, true, 1},
                {37, 1, 0.3, true, true, 1},
                {1, 3000, 0.08, false, true, 1},
                {12, 12, 0.08, false, false, 1e-7}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        test_system s = test_laplacian(rows[i].side, rows[i].planes);
        double *near_null = rows[i].near_null ? malloc((size_t)s.n * sizeof *near_null) : NULL;
        uint64_t seed = 11;
        for (int64_t j = 0; j < s.n; j++) {
            for (int64_t k = s.row_start[j]; k < s.row_start[j + 1]; k++) {
                const bool outside = s.column[k] != j;
                const bool alone = outside && (j % 50 == 3 || s.column[k] % 50 == 3);
                s.value[k] *= rows[i].weak && (j + s.column[k]) % 7 == 1 ? 0.01 : 1;
                s.value[k] *= rows[i].weak && alone ? 1e-6 : 1;
                s.value[k] *= j < s.n / 2 ? 1 : rows[i].scale;
                s.value[k] *= s.column[k] < s.n / 2 ? 1 : rows[i].scale;
            }
            if (near_null != NULL) {
                near_null[j] = 0.5 + test_uniform(&seed) * 0.4;
            }
        }
        check_everywhere(&s, rows[i].strength, near_null);
        free(near_null);
        test_system_free(&s);
    }
}

/* Rows of P^T A P that are longer than a small table, and more of them than was thought. */
static void long_rows_are_made(void **state)
{
    (void)state;
    test_system s = test_graph(3000, 3, -1, 7);
    assert_true(check_everywhere(&s, 0, NULL) > TSL_TABLE_SMALL);
    test_system_free(&s);
}

/* A chain, whose row `hub` has entries in every 45th column too. */
static test_system make_wheel(int64_t n, int64_t hub)
{
    test_system s = {n, malloc((size_t)(n + 1) * 8), malloc((size_t)n * 20),
                     malloc((size_t)n * 40)};
    int64_t k = 0;
    for (int64_t i = 0; i < n; i++) {
        s.row_start[i] = k;
        for (int64_t j = 0; j < n; j++) {
            const bool spoke = (i == hub && j % 45 == 0) || (j == hub && i % 45 == 0);
            if (llabs(i - j) < 2 || spoke) {
                s.column[k] = (int32_t)j;
                s.value[k++] = i != j ? -1 : i == hub ? 60 : 3.5;
            }
        }
    }
    s.row_start[n] = k;
    return s;
}

/* A row of P that is longer than those that are made side by side. */
static void long_rows_of_p_are_made(void **state)
{
    (void)state;
    test_system s = make_wheel(2000, 1003);
    check_everywhere(&s, 0.01, NULL);
    test_system_free(&s);
}

/* Entries as far as `far` from the diagonal: slices of more than 32 entries a row. */
static test_system make_band(int64_t n, int64_t far)
{
    const int64_t most = n * (2 * far + 1);
    test_system s = {n, malloc((size_t)(n + 1) * 8), malloc((size_t)most * 4),
                     malloc((size_t)most * 8)};
    int64_t k = 0;
    for (int64_t i = 0; i < n; i++) {
        s.row_start[i] = k;
        for (int64_t j = i > far ? i - far : 0; j <= i + far && j < n; j++) {
            s.column[k] = (int32_t)j;
            s.value[k++] = i != j ? -1.0 / (double)llabs(i - j) : 8;
        }
    }
    s.row_start[n] = k;
    return s;
}

static void long_rows_in_slices_are_made(void **state)
{
    (void)state;
    test_system s = make_band(1500, 20);
    check_everywhere(&s, 0.03, NULL); /* entries up to four from the diagonal are strong */
    test_system_free(&s);
}

/* Are the levels made by the host? */
static bool is_left_to_host(const test_system *s, double strength)
{
    tsl_context *context = test_context("sim", 1);
    tsl_linsolve_options options = test_options(TSL_LINSOLVE_CG, TSL_LINSOLVE_MULTIGRID);
    tsl_sparse_matrix *matrix = test_matrix(context, s);
    tsl_linsolve_plan *plan = NULL;
    options.strength = strength;
    assert_int_equal(tsl_linsolve_plan_create(&plan, matrix, &options), TSL_OK);
    const tsl_profile_stage *stages;
    const int count = tsl_profile_stages(context, &stages);
    bool left = false;
    for (int i = 0; i < count; i++) {
        left = left || strncmp(stages[i].stage, "levels made by the host", 23) == 0;
    }
    tsl_linsolve_plan_destroy(plan);
    tsl_sparse_matrix_destroy(matrix);
    assert_int_equal(context->memory.live, 0);
    tsl_context_destroy(context);
    return left;
}

/* Aggregates of more rows than are taken, long rows, and neither. */
static void what_does_not_fit_is_left_to_the_host(void **state)
{
    (void)state;
    test_system systems[] = {test_graph(1500, 150, -1, 5), test_graph(1500, 3, 700, 5),
                             test_laplacian(10, 10)};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(is_left_to_host(&systems[i], 0), i < 2);
        test_system_free(&systems[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(levels_are_as_the_hosts), cmocka_unit_test(long_rows_are_made),
        cmocka_unit_test(long_rows_of_p_are_made), cmocka_unit_test(long_rows_in_slices_are_made),
        cmocka_unit_test(what_does_not_fit_is_left_to_the_host)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
