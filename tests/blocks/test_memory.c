/* The blocks' plans when memory runs out, on each device. */
#include <stdio.h>
#include <string.h>

#include "blocks/reduce/reduce.h"
#include "support/devices.h"
#include "tesela/buffer.h"

enum { N = 12, BATCH = 3, CANDIDATES = 8 };

static const tsl_convolve_description correlation = {.n = {N, N, N},
                                                     .box = {6, 6, 6},
                                                     .precision = TSL_SINGLE,
                                                     .batch = BATCH,
                                                     .top = CANDIDATES,
                                                     .top_of_one = 2 * CANDIDATES,
                                                     .form = TSL_CONVOLVE_LINES};

static tsl_status make_buffer(tsl_context *context, void *user)
{
    (void)user;
    tsl_buffer *buffer = NULL;
    tsl_status status = tsl_buffer_create(&buffer, context, 1000);
    if (status == TSL_OK) {
        status = tsl_buffer_fill(buffer, 1);
    }
    tsl_buffer_destroy(buffer);
    return status;
}

static tsl_status make_transform(tsl_context *context, void *user)
{
    (void)user;
    const tsl_fft_layout lines = {.embed = {N, N, N}, .stride = 1, .distance = N * N * N};
    const tsl_fft_description what = {.kind = TSL_FFT_FORWARD,
                                      .precision = TSL_DOUBLE,
                                      .rank = 3,
                                      .n = {N, N, N},
                                      .count = BATCH,
                                      .in = lines,
                                      .out = lines,
                                      .in_place = true};
    tsl_fft *fft = NULL;
    const tsl_status status = context->ops->fft->create(&fft, context, &what);
    if (status == TSL_OK) {
        context->ops->fft->destroy(fft);
    }
    return status;
}

/* From plan to result, so that work is queued when memory runs out. */
static tsl_status correlate(tsl_context *context, void *user)
{
    tsl_convolve_description what = correlation;
    what.form = *(const tsl_convolve_form *)user;
    const tsl_convolve_ops *ops = context->ops->convolve;
    const tsl_grid_layout layout = ops->layout(&what);
    const int64_t bytes = tsl_grid_bytes(&layout, BATCH);
    const int64_t box = BATCH * 6 * 6 * 6;
    tsl_convolve *plan = NULL;
    void *grids = NULL, *boxes = NULL;
    tsl_status status = tsl_device_allocate(&grids, context, bytes, "the grids");
    if (status == TSL_OK) {
        status = context->ops->fill(context, grids, 0, bytes);
    }
    if (status == TSL_OK) {
        status = ops->create(&plan, context, &what);
    }
    if (status == TSL_OK) {
        status = ops->set_fixed(plan, grids);
    }
    if (status == TSL_OK) {
        status = tsl_device_allocate(&boxes, context, box, "the boxes");
    }
    if (status == TSL_OK) {
        status = context->ops->fill(context, boxes, 1, box);
    }
    if (status == TSL_OK) {
        status = ops->execute(plan, BATCH, boxes, grids);
    }
    if (status == TSL_OK) {
        status = ops->store(plan, BATCH, grids);
    }
    ops->destroy(plan);
    tsl_device_release(context, boxes);
    tsl_device_release(context, grids);
    return status;
}

static tsl_status make_reduction(tsl_context *context, void *user)
{
    (void)user;
    const tsl_grid_layout layout = context->ops->convolve->layout(&correlation);
    tsl_reduce *plan = NULL;
    const tsl_status status = context->ops->reduce->create(&plan, context, &layout, BATCH,
                                                           CANDIDATES, BATCH * CANDIDATES);
    if (status == TSL_OK) {
        context->ops->reduce->destroy(plan);
    }
    return status;
}

static void blocks_survive_no_memory(void **state)
{
    (void)state;
    tsl_convolve_form forms[] = {TSL_CONVOLVE_LINES, TSL_CONVOLVE_PLAIN};
    const int devices = test_device_count();
    for (int d = 0; d < devices; d++) {
        tsl_context *context = test_context(test_devices[d], 2);
        assert_int_equal(test_survives_no_memory(context, make_buffer, NULL), 1);
        test_survives_no_memory(context, make_transform, NULL);
        assert_true(test_survives_no_memory(context, correlate, &forms[0]) >= 2);
        assert_true(test_survives_no_memory(context, correlate, &forms[1]) >= 2);
        test_survives_no_memory(context, make_reduction, NULL);
        assert_int_equal(context->memory.live, 0);
        tsl_context_destroy(context);
    }
}

/* More than there is: no hook is needed for that. */
static void a_device_that_is_full_says_so(void **state)
{
    (void)state;
    const int devices = test_device_count();
    for (int d = 1; d < devices; d++) {
        tsl_context *context = test_context(test_devices[d], 1);
        tsl_device_properties properties;
        assert_int_equal(context->ops->properties(context->device, &properties), TSL_OK);
        assert_in_range(properties.memory_free, 1, properties.memory);
        void *memory = NULL;
        assert_int_equal(tsl_device_allocate(&memory, context, properties.memory + 1, "all of it"),
                         TSL_E_NOMEM);
        assert_null(memory);
        char prefix[128], needed[64], size[16];
        snprintf(prefix, sizeof prefix, "%s: out of memory: cannot take ", test_devices[d]);
        snprintf(needed, sizeof needed, "cannot take %s for all of it, ",
                 tsl_format_bytes(size, properties.memory + 1));
        const char *said = tsl_last_error(context);
        assert_true(strncmp(said, prefix, strlen(prefix)) == 0);
        assert_non_null(strstr(said, needed));
        assert_non_null(strstr(said, " are free: take a smaller problem"));
        assert_int_equal(context->memory.live, 0);
        tsl_context_destroy(context);
    }
}

/* Free memory goes down by what is taken, and up again. */
static void free_memory_is_told(void **state)
{
    (void)state;
    const int64_t bytes = INT64_C(64) << 20;
    const int devices = test_device_count();
    for (int d = 1; d < devices; d++) {
        tsl_context *context = test_context(test_devices[d], 1);
        tsl_device_properties before, taken, after;
        void *memory = NULL;
        assert_int_equal(context->ops->properties(context->device, &before), TSL_OK);
        assert_int_equal(tsl_device_allocate(&memory, context, bytes, "a test"), TSL_OK);
        assert_int_equal(context->ops->properties(context->device, &taken), TSL_OK);
        assert_int_equal(context->memory.bytes, bytes);
        tsl_device_release(context, memory);
        assert_int_equal(context->ops->properties(context->device, &after), TSL_OK);
        assert_true(taken.memory_free <= before.memory_free - bytes);
        assert_true(after.memory_free >= taken.memory_free + bytes);
        tsl_context_destroy(context);
    }
}

/* What a device keeps of passing memory is free, and goes to whoever lacks it. */
static void passing_memory_is_had_again(void **state)
{
    (void)state;
    const int devices = test_device_count();
    for (int d = 1; d < devices; d++) {
        tsl_context *context = test_context(test_devices[d], 1);
        tsl_device_properties before, after;
        void *memory = NULL;
        assert_int_equal(context->ops->properties(context->device, &before), TSL_OK);
        const bool on_sim = strncmp(test_devices[d], "sim", 3) == 0; /* which has to fill it */
        const int64_t bytes = on_sim ? 1 << 20 : before.memory / 20;
        const int64_t most = on_sim ? bytes : before.memory_free / 50 * 49;
        for (int again = 0; again < 2; again++) {
            assert_int_equal(tsl_device_allocate_passing(&memory, context, bytes, "a test"),
                             TSL_OK);
            assert_int_equal(context->memory.bytes, bytes);
            tsl_device_release(context, memory);
            assert_int_equal(context->memory.bytes, 0);
        }
        assert_int_equal(context->ops->synchronize(context), TSL_OK);
        assert_int_equal(context->ops->properties(context->device, &after), TSL_OK);
        assert_true(after.memory_free > most);
        assert_int_equal(tsl_device_allocate(&memory, context, most, "a test"), TSL_OK);
        tsl_device_release(context, memory);
        tsl_test_fail_device_allocation(context, 1);
        assert_int_equal(tsl_device_allocate_passing(&memory, context, bytes, "a test"),
                         TSL_E_NOMEM);
        assert_null(memory);
        tsl_context_destroy(context);
    }
}

/* What is never released goes with the context. */
static void contexts_take_their_memory_along(void **state)
{
    (void)state;
    const int64_t live = tsl_test_live_allocations();
    const int devices = test_device_count();
    for (int d = 0; d < devices; d++) {
        tsl_context *context = test_context(test_devices[d], 1);
        test_upload(context, "lost", 5);
        test_upload(context, "lost too", 9);
        assert_int_equal(context->memory.live, 2);
        tsl_context_destroy(context);
        assert_int_equal(tsl_test_live_allocations(), live);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_survive_no_memory), cmocka_unit_test(a_device_that_is_full_says_so),
        cmocka_unit_test(free_memory_is_told), cmocka_unit_test(passing_memory_is_had_again),
        cmocka_unit_test(contexts_take_their_memory_along)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
