/* Top cells against a sort of everything. */
#include "support/devices.h"

#include <math.h>
#include <stdlib.h>

#include "blocks/reduce/reduce.h"
#include "core/core.h"

static int largest_first(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a;
    const int64_t y = *(const int64_t *)b;
    return (x < y) - (x > y);
}

static void keys_sort_like_score_then_cell(void **state)
{
    (void)state;
    assert_true(tsl_top_key(5, 100) > tsl_top_key(4, 0));
    assert_true(tsl_top_key(5, 100) > tsl_top_key(5, 101));
    const int64_t last = (INT64_C(1) << 30) - 1;
    assert_int_equal(tsl_top_cell(tsl_top_key(INT32_MAX, last)), last);
    assert_int_equal(tsl_top_score(tsl_top_key(INT32_MAX, last)), INT32_MAX);
    assert_int_equal(tsl_top_cell(tsl_top_key(1, 0)), 0);
}

/* Grids of small integers with noise, so that ties abound. */
static void *noisy_grids(const tsl_grid_layout *layout, int count, int *scores, double noise)
{
    char *grids = tsl_allocate((size_t)(count * layout->member_bytes));
    uint64_t seed = 11;
    const int lines = layout->n[0] * layout->n[1];
    for (int i = 0; i < count * lines; i++) {
        for (int z = 0; z < layout->row; z++) {
            const int score = (int)(test_random(&seed) % 60) - 40;
            double value = score + noise * test_uniform(&seed);
            if (z >= layout->n[2]) {
                value = 1e6; /* padding must not count */
            } else {
                scores[i * layout->n[2] + z] = score;
            }
            char *line = grids + i / lines * layout->member_bytes +
                         (int64_t)(i % lines) * layout->row * (int)layout->precision;
            if (layout->precision == TSL_SINGLE) {
                ((float *)(void *)line)[z] = (float)value;
            } else {
                ((double *)(void *)line)[z] = value;
            }
        }
    }
    return grids;
}

enum { CELLS = 6 * 5 * 9 };

/* Keys number from … of a grid's order, against a sort of all its positive cells. */
static void check_member(const int *scores, const int64_t *keys, int found, int k, int from,
                         int64_t after)
{
    int64_t sorted[CELLS];
    int positive = 0;
    for (int c = 0; c < CELLS; c++) {
        if (scores[c] > 0) {
            sorted[positive++] = tsl_top_key(scores[c], c);
        }
    }
    qsort(sorted, (size_t)positive, sizeof *sorted, largest_first);
    const int left = positive - from;
    assert_int_equal(found, left < 0 ? 0 : left < k ? left : k);
    for (int i = 0; i < found; i++) {
        assert_int_equal(keys[i], sorted[from + i]);
    }
    if (found > 0) {
        assert_int_equal(after, keys[found - 1]);
    }
}

static void check_top(tsl_context *context, tsl_precision precision, int count, int k, double noise)
{
    const tsl_convolve_description what = {
        .n = {6, 5, 9}, .precision = precision, .form = TSL_CONVOLVE_PLAIN};
    const tsl_grid_layout layout = context->ops->convolve->layout(&what);
    int *scores = malloc((size_t)(count * CELLS) * sizeof *scores);
    void *grids = noisy_grids(&layout, count, scores, noise);
    int64_t *after = malloc((size_t)count * sizeof *after);
    int64_t *keys = malloc((size_t)(count * k) * sizeof *keys);
    int *found = malloc((size_t)count * sizeof *found);
    float error = 0;
    for (int member = 0; member < count; member++) {
        after[member] = INT64_MAX;
    }
    const int64_t sizes[4] = {count * (int64_t)sizeof *after, count * k * (int64_t)sizeof *keys,
                              count * (int64_t)sizeof *found, sizeof error};
    void *const device_grids = test_upload(context, grids, count * layout.member_bytes);
    int64_t *const device_after = test_upload(context, after, sizes[0]);
    int64_t *const device_keys = test_upload(context, keys, sizes[1]);
    int *const device_found = test_upload(context, found, sizes[2]);
    float *const device_error = test_upload(context, &error, sizes[3]);
    tsl_reduce *plan = NULL;
    assert_int_equal(context->ops->reduce->create(&plan, context, &layout, count, k, 2 * k),
                     TSL_OK);
    for (int from = 0; from < CELLS; from += k) { /* walk the whole order in steps of k */
        assert_int_equal(context->ops->reduce->top(plan, device_grids, count, k, device_after,
                                                   device_keys, device_found, device_error),
                         TSL_OK);
        test_download(context, after, device_after, sizes[0]);
        test_download(context, keys, device_keys, sizes[1]);
        test_download(context, found, device_found, sizes[2]);
        test_download(context, &error, device_error, sizes[3]);
        assert_true((double)error <= noise + 1e-5 && (double)error >= 0.9 * noise);
        for (int member = 0; member < count; member++) {
            check_member(scores + member * CELLS, keys + member * k, found[member], k, from,
                         after[member]);
        }
    }
    context->ops->reduce->destroy(plan);
    test_release(context, device_grids);
    test_release(context, device_after);
    test_release(context, device_keys);
    test_release(context, device_found);
    test_release(context, device_error);
    free(found);
    free(keys);
    free(after);
    free(scores);
    tsl_release(grids);
}

static void tops_match_a_sort(void **state)
{
    (void)state;
    static const int threads[] = {1, 2, 5};
    const int devices = test_device_count();
    for (int d = 0; d < devices; d++) {
        for (size_t t = 0; t < sizeof threads / sizeof *threads; t++) {
            tsl_context *context = test_context(test_devices[d], threads[t]);
            check_top(context, TSL_SINGLE, 3, 4, 0.2);
            check_top(context, TSL_DOUBLE, 1, 7, 0.2);
            check_top(context, TSL_SINGLE, 1, 1, 0.0);
            check_top(context, TSL_DOUBLE, 4, 64, 0.4);
            tsl_context_destroy(context);
        }
    }
}

static void failing_allocations_are_survived(void **state)
{
    (void)state;
    tsl_context *context = test_context("cpu", 2);
    const tsl_convolve_description what = {
        .n = {2, 2, 2}, .precision = TSL_SINGLE, .form = TSL_CONVOLVE_PLAIN};
    const tsl_grid_layout layout = context->ops->convolve->layout(&what);
    float *grid = tsl_allocate((size_t)layout.member_bytes);
    for (int64_t i = 0; i < layout.member_bytes / 4; i++) {
        grid[i] = 1;
    }
    int64_t after = INT64_MAX, keys[8];
    int found = 0;
    float error = 0;
    tsl_reduce *plan = NULL;
    const int64_t live = tsl_test_live_allocations();
    for (int k = 1; k <= 3; k++) {
        tsl_test_fail_allocation(k);
        assert_int_equal(tsl_reduce_cpu.create(&plan, context, &layout, 1, 8, 8), TSL_E_NOMEM);
        tsl_test_fail_allocation(0);
        assert_int_equal(tsl_test_live_allocations(), live);
    }
    assert_int_equal(tsl_reduce_cpu.create(&plan, context, &layout, 1, 8, 8), TSL_OK);
    assert_int_equal(tsl_reduce_cpu.top(plan, grid, 1, 8, &after, keys, &found, &error), TSL_OK);
    assert_int_equal(found, 8);
    assert_int_equal(after, tsl_top_key(1, 7));
    tsl_reduce_cpu.destroy(plan);
    tsl_release(grid);
    tsl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(keys_sort_like_score_then_cell),
                                       cmocka_unit_test(tops_match_a_sort),
                                       cmocka_unit_test(failing_allocations_are_survived)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
