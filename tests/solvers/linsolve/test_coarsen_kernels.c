/* Kernels that make multigrid's levels, one by one. */
#include "solvers/linsolve/systems.h"

#include <math.h>
#include <stdlib.h>

#include "blocks/csr/format_gpu.h"
#include "core/context.h"
#include "device/device.h"
#include "solvers/linsolve/multigrid/gpu/coarsen_gpu.h"
#include "solvers/linsolve/multigrid/multigrid.h"

static void *fetch(tsl_context *context, const void *device, int64_t bytes)
{
    void *out = malloc((size_t)bytes);
    test_download(context, out, device, bytes);
    return out;
}

/* Sums over so many counts that they make more tiles than the block that adds up tiles has
 * threads. */
static void counts_are_summed(void **state)
{
    (void)state;
    enum { COUNT = 600000 };
    tsl_context *context = test_context("sim", 1);
    int32_t *count = malloc(COUNT * sizeof *count);
    uint64_t seed = 3;
    for (int64_t i = 0; i < COUNT; i++) {
        count[i] = (int32_t)(test_random(&seed) % 1000);
    }
    tsl_status status = TSL_OK;
    tsl_space space;
    assert_int_equal(tsl_space_begin(&space, context, 20 * COUNT, true), TSL_OK);
    int32_t *const on_device = test_upload(context, count, COUNT * sizeof *count);
    const tsl_running a = {.out = tsl_space_take(&status, &space, 8 * (COUNT + 1)),
                           .count = on_device,
                           .n = COUNT,
                           .tile = tsl_space_take(&status, &space, COUNT)};
    assert_int_equal(context->ops->coarsen->run(context, &a), TSL_OK);
    int64_t *out = fetch(context, a.out, 8 * (COUNT + 1));
    int64_t sum = 0;
    for (int64_t i = 0; i <= COUNT; i++) {
        assert_int_equal(out[i], sum);
        sum += i < COUNT ? count[i] : 0;
    }
    free(out);
    free(count);
    test_release(context, on_device);
    tsl_space_free(&space);
    tsl_context_destroy(context);
}

/* A matrix on sim whose diagonal has been measured. */
typedef struct measured {
    tsl_context *context;
    tsl_layout layout;
    tsl_form form;
    tsl_space space;
    tsl_csr a;
    tsl_grouping g;
    double facts[TSL_FACTS];
} measured;

static void measure(measured *m, const test_system *s)
{
    tsl_status status = TSL_OK;
    m->context = test_context("sim", 1);
    m->a = (tsl_csr){s->n, s->n, s->row_start, s->column, s->value};
    assert_int_equal(tsl_layout_make(&m->layout, m->context, s->n, s->row_start, true), TSL_OK);
    assert_int_equal(tsl_form_make(&m->form, m->context, &m->a, &m->layout, 8, 1), TSL_OK);
    assert_int_equal(tsl_space_begin(&m->space, m->context, 40 * s->n, true), TSL_OK);
    m->g = (tsl_grouping){.a = tsl_rows_of(&m->form.gpu->matrix),
                          .facts = tsl_space_take(&status, &m->space, sizeof m->facts),
                          .inverse = tsl_space_take(&status, &m->space, 8 * s->n)};
    assert_int_equal(m->context->ops->fill(m->context, m->g.facts, 0, sizeof m->facts), TSL_OK);
    assert_int_equal(m->context->ops->coarsen->measure(m->context, &m->g), TSL_OK);
    test_download(m->context, m->facts, m->g.facts, sizeof m->facts);
}

static void free_measured(measured *m)
{
    tsl_space_free(&m->space);
    tsl_form_free(&m->form);
    tsl_layout_free(&m->layout);
    tsl_context_destroy(m->context);
}

/* A diagonal of 0, a negative one and one that is not finite are found, and their row is told. */
static void diagonals_are_looked_at(void **state)
{
    (void)state;
    const double wrong[] = {0, -1, NAN, INFINITY};
    for (int i = 0; i < 4; i++) {
        test_system s = test_laplacian(20, 1);
        measured m;
        for (int64_t k = s.row_start[77]; k < s.row_start[78]; k++) {
            s.value[k] = s.column[k] == 77 ? wrong[i] : s.value[k];
        }
        measure(&m, &s);
        /* 1 / infinity is 0, no number above it */
        assert_true(m.facts[TSL_FACT_WRONG] == (double)(s.n - 77));
        assert_true(m.facts[TSL_FACT_INVERSE] == 0.25 && m.facts[TSL_FACT_DIAGONAL] == 4);
        assert_true(m.facts[TSL_FACT_ROW_SUM] == 2);
        free_measured(&m);
        test_system_free(&s);
    }
}

/* The device's estimate of the largest eigenvalue is close to the host's, which begins with another
 * vector. */
static void eigenvalues_are_as_the_hosts(void **state)
{
    (void)state;
    for (int i = 0; i < 6; i++) {
        test_system s =
            i < 3 ? test_spectrum(200, pow(10, 2 * i), 41) : test_laplacian(30 + i, i - 2);
        measured m;
        measure(&m, &s);
        tsl_status status = TSL_OK;
        double *const results =
            tsl_space_take(&status, &m.space, (int64_t)16 * TSL_LANCZOS_PRODUCTS);
        const tsl_lanczos a = {
            .a = m.g.a,
            .inverse = m.g.inverse,
            .now = tsl_space_take(&status, &m.space, 8 * s.n),
            .before = tsl_space_take(&status, &m.space, 8 * s.n),
            .scaled = tsl_space_take(&status, &m.space, 8 * s.n),
            .sums = tsl_space_take(&status, &m.space,
                                   (int64_t)8 * (TSL_LANCZOS_PRODUCTS + 2) * TSL_LANCZOS_PARTS),
            .diagonal = results,
            .beside = results + TSL_LANCZOS_PRODUCTS};
        assert_int_equal(m.context->ops->coarsen->find_eigenvalue(m.context, &a, 3), TSL_OK);
        double found[2 * TSL_LANCZOS_PRODUCTS];
        test_download(m.context, found, results, sizeof found);
        double *inverse = fetch(m.context, m.g.inverse, 8 * s.n);
        const tsl_operand operand = {.rows = s.n, .matrix = &m.a, .inverse_diagonal = inverse};
        double expected = 0;
        assert_int_equal(tsl_largest_eigenvalue(&expected, m.context, &operand), TSL_OK);
        const double estimate = tsl_largest_of_lanczos(
            found, found + TSL_LANCZOS_PRODUCTS, TSL_LANCZOS_PRODUCTS, m.facts[TSL_FACT_ROW_SUM]);
        assert_true(fabs(estimate - expected) <= 0.05 * expected);
        free(inverse);
        free_measured(&m);
        test_system_free(&s);
    }
}

/* The inverse of a small matrix, or of its independent rows, is the host's. */
static void inverses_are_as_the_hosts(void **state)
{
    (void)state;
    test_system systems[] = {test_spectrum(90, 1e3, 8), test_laplacian(11, 1), test_laplacian(1, 1),
                             test_ring(40)};
    for (int i = 0; i < 4; i++) {
        const test_system *s = &systems[i];
        const int64_t n = s->n;
        measured m;
        measure(&m, s);
        tsl_status status = TSL_OK;
        tsl_space space;
        assert_int_equal(tsl_space_begin(&space, m.context, 40 * n * n + 100 * n, true), TSL_OK);
        const tsl_inversion a = {.a = m.g.a,
                                 .n = (int)n,
                                 .dense = tsl_space_take(&status, &space, 8 * n * n),
                                 .diagonal = tsl_space_take(&status, &space, 8 * n),
                                 .line = tsl_space_take(&status, &space, 16 * n),
                                 .taken = tsl_space_take(&status, &space, 4 * n),
                                 .scale = 0.25,
                                 .bytes = 8,
                                 .row_start = tsl_space_take(&status, &space, 8 * (n + 1)),
                                 .column = tsl_space_take(&status, &space, 4 * n * n),
                                 .entry = tsl_space_take(&status, &space, 8 * n * n)};
        assert_int_equal(m.context->ops->fill(m.context, a.dense, 0, 8 * n * n), TSL_OK);
        assert_int_equal(m.context->ops->coarsen->invert(m.context, &a, 3), TSL_OK);
        double *found = fetch(m.context, a.entry, 8 * n * n);
        int32_t *column = fetch(m.context, a.column, 4 * n * n);
        int64_t *start = fetch(m.context, a.row_start, 8 * (n + 1));
        double *factor = NULL;
        tsl_csr expected;
        assert_int_equal(tsl_dense_factor(&factor, m.context, &m.a), TSL_OK);
        assert_int_equal(tsl_dense_inverse(&expected, m.context, factor, n), TSL_OK);
        double largest = 0;
        for (int64_t k = 0; k < n * n; k++) {
            largest = fmax(largest, fabs(expected.value[k]));
        }
        for (int64_t k = 0; k < n * n; k++) {
            assert_true(fabs(found[k] - 0.25 * expected.value[k]) <= 1e-11 * largest);
            assert_true(found[k] == found[k % n * n + k / n]);
            assert_int_equal(column[k], k % n);
        }
        for (int64_t row = 0; row <= n; row++) {
            assert_int_equal(start[row], row * n);
        }
        free(found);
        free(column);
        free(start);
        tsl_release(factor);
        tsl_csr_free(&expected);
        tsl_space_free(&space);
        free_measured(&m);
        test_system_free(&systems[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(counts_are_summed),
                                       cmocka_unit_test(diagonals_are_looked_at),
                                       cmocka_unit_test(eigenvalues_are_as_the_hosts),
                                       cmocka_unit_test(inverses_are_as_the_hosts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
