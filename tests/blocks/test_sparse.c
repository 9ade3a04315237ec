/* Sparse products against a plain loop, on every device. */
#include "support/devices.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "blocks/csr/tiles.h"
#include "device/sim.h"

/* A matrix whose row i has lengths[i % count] entries in random columns. */
typedef struct shape {
    int64_t rows, columns;
    int lengths[4];
    int count;
} shape;

static const shape shapes[] = {
    /* entries enough in each block of columns: tiles on a GPU */
    {1, 2, {2}, 1},
    {1, 3000, {2000}, 1},     /* one long row */
    {777, 777, {0, 1, 9}, 3}, /* empty rows */
    {500, 2000, {33, 8, 64, 200}, 4},
    {3000, 40000, {60, 40}, 2},     /* blocks of columns */
    {64, 70000, {3000, 0}, 2},      /* long rows beside empty ones */
    {20000, 300, {3, 5, 0, 20}, 4}, /* several windows of rows */
    {28000, 28000, {4, 0, 7}, 3},   /* so few entries that sums are looked up */
    /* the others */
    {1000, 1000, {1, 2, 0, 1}, 4},
    {300, 90000, {5, 2}, 2},
    {40, 2000000, {100, 37, 150}, 3}, /* rows of many threads */
    {5, 100000, {0}, 1},              /* no entries at all */
};

static int ascending(const void *a, const void *b)
{
    return *(const int32_t *)a - *(const int32_t *)b;
}

/* `length` different columns in ascending order. */
static void draw_columns(int32_t *out, int length, int64_t columns, uint64_t *seed)
{
    char *taken = calloc((size_t)columns, 1);
    for (int k = 0; k < length;) {
        const int64_t column = (int64_t)(test_random(seed) % (uint64_t)columns);
        if (!taken[column]) {
            taken[column] = 1;
            out[k++] = (int32_t)column;
        }
    }
    qsort(out, (size_t)length, sizeof *out, ascending);
    free(taken);
}

static tsl_csr make_matrix(const shape *what)
{
    tsl_csr m = {.rows = what->rows, .columns = what->columns};
    m.row_start = tsl_allocate((size_t)(m.rows + 1) * sizeof *m.row_start);
    m.row_start[0] = 0;
    for (int64_t i = 0; i < m.rows; i++) {
        m.row_start[i + 1] = m.row_start[i] + what->lengths[i % what->count];
    }
    const size_t nonzeros = (size_t)tsl_csr_nonzeros(&m);
    m.column = tsl_allocate(nonzeros * sizeof *m.column);
    m.value = tsl_allocate(nonzeros * sizeof *m.value);
    uint64_t seed = 3;
    for (int64_t i = 0; i < m.rows; i++) {
        const int64_t from = m.row_start[i];
        draw_columns(m.column + from, (int)(m.row_start[i + 1] - from), m.columns, &seed);
    }
    for (size_t k = 0; k < nonzeros; k++) {
        m.value[k] = test_uniform(&seed);
    }
    return m;
}

/* Partial sums of x.y against the product as it came out. */
static void check_sums(tsl_context *context, const tsl_csr *m, const double *x, const double *y,
                       const double *device_sums)
{
    double sums[TSL_SPARSE_SUMS];
    long double sum = 0;
    long double expected = 0;
    long double sizes = 0;
    test_download(context, sums, device_sums, sizeof sums);
    for (int i = 0; i < TSL_SPARSE_SUMS; i++) {
        sum += (long double)sums[i];
    }
    for (int64_t i = 0; i < m->rows; i++) {
        expected += (long double)x[i] * (long double)y[i];
        sizes += fabsl((long double)x[i] * (long double)y[i]);
    }
    assert_true(fabsl(sum - expected) <= 0x1p-45L * sizes);
}

/* Each row within a bound that no order of summation exceeds. */
static void check_rows(const tsl_csr *m, const double *x, const double *y)
{
    for (int64_t i = 0; i < m->rows; i++) {
        long double sum = 0;
        long double sizes = 0;
        for (int64_t k = m->row_start[i]; k < m->row_start[i + 1]; k++) {
            const long double term = (long double)m->value[k] * (long double)x[m->column[k]];
            sum += term;
            sizes += fabsl(term);
        }
        const double terms = (double)(m->row_start[i + 1] - m->row_start[i] + 2);
        assert_true(fabsl((long double)y[i] - sum) <= (long double)(terms * 0x1p-53) * sizes);
    }
}

static void check_product(tsl_context *context, const shape *what, double *first)
{
    tsl_csr m = make_matrix(what);
    double *x = malloc((size_t)m.columns * sizeof *x);
    double *y = malloc((size_t)m.rows * sizeof *y);
    uint64_t seed = 17;
    for (int64_t i = 0; i < m.columns; i++) {
        x[i] = test_uniform(&seed);
    }
    for (int64_t i = 0; i < m.rows; i++) {
        y[i] = NAN; /* must be written over */
    }
    double *device_x = test_upload(context, x, m.columns * 8);
    double *device_y = test_upload(context, y, m.rows * 8);
    tsl_sparse *plan = NULL;
    const tsl_csr borrowed = m; /* what a device without copies needs stays */
    assert_int_equal(tsl_sparse_create(&plan, context, &borrowed), TSL_OK);
    double nothing[TSL_SPARSE_SUMS];
    for (int i = 0; i < TSL_SPARSE_SUMS; i++) {
        nothing[i] = NAN;
    }
    double *device_sums = test_upload(context, nothing, sizeof nothing);
    for (int again = 0; again < 2; again++) {
        double *sums = again == 1 && m.rows == m.columns ? device_sums : NULL;
        assert_int_equal(context->ops->sparse->multiply(plan, device_y, device_x, sums), TSL_OK);
        test_download(context, y, device_y, m.rows * 8);
        check_rows(&m, x, y);
        if (sums != NULL) {
            check_sums(context, &m, x, y, sums);
        }
    }
    test_release(context, device_sums);
    if (first != NULL) {
        if (isnan(first[0])) {
            memcpy(first, y, (size_t)m.rows * 8);
        }
        assert_memory_equal(y, first, (size_t)m.rows * 8);
    }
    context->ops->sparse->destroy(plan);
    test_release(context, device_x);
    test_release(context, device_y);
    free(x);
    free(y);
    tsl_csr_free(&m);
}

static void products_match_a_plain_loop(void **state)
{
    (void)state;
    const int devices = test_device_count();
    for (int d = 0; d < devices; d++) {
        tsl_context *context = test_context(test_devices[d], 3);
        for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
            check_product(context, &shapes[i], NULL);
        }
        tsl_context_destroy(context);
    }
}

/* Bytes that a sim's blocks of threads share. */
static int64_t shared_bytes;

static tsl_status little_shared(tsl_device *device, tsl_device_properties *out)
{
    const tsl_status status = tsl_device_sim.properties(device, out);
    out->shared = shared_bytes;
    return status;
}

/* Blocks of columns are narrow, or there are none. */
static void little_shared_memory_will_do(void **state)
{
    (void)state;
    static const int64_t bytes[] = {0, 4096, 9216, 9471, 9472, 12000};
    tsl_device_ops ops = tsl_device_sim;
    ops.properties = little_shared;
    for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++) {
        tsl_context *context = test_context("sim", 2);
        context->ops = &ops;
        shared_bytes = bytes[i];
        tsl_device_properties properties;
        assert_int_equal(ops.properties(context->device, &properties), TSL_OK);
        assert_int_equal(tsl_tiles_even_columns(1000, &properties) > 0, bytes[i] >= 9472);
        check_product(context, &shapes[3], NULL);
        check_product(context, &shapes[10], NULL);
        context->ops = &tsl_device_sim;
        tsl_context_destroy(context);
    }
}

/* By tiles brought in parts of so many bytes. */
static tsl_status create_in_parts(tsl_sparse **out, tsl_context *context, const tsl_csr *m,
                                  int64_t bytes)
{
    tsl_device_properties properties;
    tsl_tiles tiles;
    assert_int_equal(context->ops->properties(context->device, &properties), TSL_OK);
    tsl_status status =
        tsl_tiles_make(&tiles, context, m, tsl_tiles_columns(m, properties.shared), false);
    if (status == TSL_OK) {
        tiles.part_bytes = bytes;
        status = tsl_tiles_create(out, context, &tiles, &properties);
        tsl_tiles_free(&tiles);
    }
    return status;
}

/* y <- A x so. */
static void multiply_in_parts(tsl_context *context, double *y, const tsl_csr *m, const double *x,
                              int64_t bytes)
{
    tsl_sparse *plan = NULL;
    assert_int_equal(create_in_parts(&plan, context, m, bytes), TSL_OK);
    double *device_x = test_upload(context, x, m->columns * 8);
    double *device_y = test_upload(context, y, m->rows * 8);
    assert_int_equal(context->ops->sparse->multiply(plan, device_y, device_x, NULL), TSL_OK);
    test_download(context, y, device_y, m->rows * 8);
    test_release(context, device_x);
    test_release(context, device_y);
    context->ops->sparse->destroy(plan);
}

/* All at once, some windows of rows at a time, or as many as there are threads. */
static void parts_make_the_whole(void **state)
{
    (void)state;
    static const int64_t bytes[] = {1 << 30, 400000, 1};
    static double x[28000], y[3][28000];
    uint64_t seed = 5;
    for (int i = 0; i < 28000; i++) {
        x[i] = test_uniform(&seed);
    }
    const int devices = test_device_count();
    for (int d = 0; d < devices; d++) {
        tsl_context *context = test_context(test_devices[d], 2);
        for (int k = 6; k <= 7 && context->ops->sparse->create_tiles != NULL; k++) {
            tsl_csr m = make_matrix(&shapes[k]);
            for (int i = 0; i < 3; i++) {
                y[i][0] = NAN;
                multiply_in_parts(context, y[i], &m, x, bytes[i]);
            }
            check_rows(&m, x, y[0]);
            assert_memory_equal(y[1], y[0], (size_t)m.rows * 8);
            assert_memory_equal(y[2], y[0], (size_t)m.rows * 8);
            tsl_csr_free(&m);
        }
        tsl_context_destroy(context);
    }
}

static void threads_and_orders_do_not_matter(void **state)
{
    (void)state;
    static double first[3000]; /* the rows of shape 4 */
    first[0] = NAN;
    for (int threads = 1; threads <= 7; threads += 2) {
        tsl_context *context = test_context("cpu", threads);
        check_product(context, &shapes[4], first);
        tsl_context_destroy(context);
    }
    first[0] = NAN;
    for (int d = 1; d <= 3; d++) { /* the orders of sim */
        tsl_context *context = test_context(test_devices[d], 1);
        check_product(context, &shapes[4], first);
        tsl_context_destroy(context);
    }
}

static tsl_status create_by_threads(tsl_sparse **out, tsl_context *context, const tsl_csr *m)
{
    return create_in_parts(out, context, m, 1);
}

static void fail_in_turn(const char *device, const shape *what,
                         tsl_status (*create)(tsl_sparse **, tsl_context *, const tsl_csr *))
{
    tsl_context *context = test_context(device, 2);
    tsl_csr m = make_matrix(what);
    const int64_t live = tsl_test_live_allocations();
    int failures = 0;
    for (tsl_status status = TSL_E_NOMEM; status != TSL_OK; failures++) {
        tsl_sparse *plan = NULL;
        tsl_test_fail_allocation(failures + 1);
        status = create(&plan, context, &m);
        tsl_test_fail_allocation(0);
        assert_true(status == TSL_OK || status == TSL_E_NOMEM);
        context->ops->sparse->destroy(status == TSL_OK ? plan : NULL);
        assert_int_equal(tsl_test_live_allocations(), live);
    }
    assert_true(failures > 2);
    tsl_csr_free(&m);
    tsl_context_destroy(context);
}

static void failing_allocations_are_survived(void **state)
{
    (void)state;
    fail_in_turn("cpu", &shapes[3], tsl_sparse_create);
    fail_in_turn("cpu", &shapes[4], tsl_sparse_create);
    fail_in_turn("sim", &shapes[3], tsl_sparse_create);
    fail_in_turn("sim", &shapes[7], create_by_threads);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(products_match_a_plain_loop),
                                       cmocka_unit_test(little_shared_memory_will_do),
                                       cmocka_unit_test(parts_make_the_whole),
                                       cmocka_unit_test(threads_and_orders_do_not_matter),
                                       cmocka_unit_test(failing_allocations_are_survived)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
