/* Recorded work: nothing runs until it is replayed, and then all of it, each time. */
#include "support/devices.h"

#include "core/core.h"

typedef struct step {
    tsl_context *context;
    unsigned char *memory; /* [2] */
    int calls;
} step;

/* memory[0] <- 7, memory[1] <- 9 */
static tsl_status fill_both(void *arguments)
{
    step *s = arguments;
    s->calls++;
    const tsl_status status = s->context->ops->fill(s->context, s->memory, 7, 1);
    return status == TSL_OK ? s->context->ops->fill(s->context, s->memory + 1, 9, 1) : status;
}

static void replays_run_all_of_it(void **state)
{
    (void)state;
    const int devices = test_device_count();
    for (int d = 0; d < devices; d++) {
        tsl_context *context = test_context(test_devices[d], 1);
        unsigned char host[2] = {1, 2};
        const unsigned char zeros[2] = {0, 0};
        step s = {.context = context, .memory = test_upload(context, host, 2)};
        tsl_recording *recording = NULL;
        assert_int_equal(context->ops->record(&recording, context, fill_both, &s), TSL_OK);
        test_download(context, host, s.memory, 2);
        assert_int_equal(host[0], 1);
        assert_int_equal(host[1], 2);
        for (int again = 0; again < 3; again++) {
            assert_int_equal(context->ops->upload(context, s.memory, zeros, 2), TSL_OK);
            assert_int_equal(context->ops->replay(recording), TSL_OK);
            test_download(context, host, s.memory, 2);
            assert_int_equal(host[0], 7);
            assert_int_equal(host[1], 9);
        }
        assert_true(s.calls >= 1);
        context->ops->forget(recording);
        context->ops->forget(NULL);
        test_release(context, s.memory);
        tsl_context_destroy(context);
    }
}

static tsl_status refuse(void *arguments)
{
    const step *s = arguments;
    return tsl_fail(s->context, TSL_E_INTERNAL, "refused");
}

static void failures_come_back(void **state)
{
    (void)state;
    const int devices = test_device_count();
    for (int d = 0; d < devices; d++) {
        tsl_context *context = test_context(test_devices[d], 1);
        step s = {.context = context};
        tsl_recording *recording = NULL;
        const int64_t live = tsl_test_live_allocations();
        tsl_test_fail_allocation(1);
        assert_int_equal(context->ops->record(&recording, context, refuse, &s), TSL_E_NOMEM);
        tsl_test_fail_allocation(0);
        assert_null(recording);
        tsl_status status = context->ops->record(&recording, context, refuse, &s);
        if (status == TSL_OK) { /* the work is first called by replay() */
            status = context->ops->replay(recording);
        }
        assert_int_equal(status, TSL_E_INTERNAL);
        context->ops->forget(recording);
        assert_int_equal(tsl_test_live_allocations(), live);
        tsl_context_destroy(context);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(replays_run_all_of_it),
                                       cmocka_unit_test(failures_come_back)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
