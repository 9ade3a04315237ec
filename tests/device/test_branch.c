/* A context's second stream: it sees the device's memory, and events order the two. */
#include "comm/gpu/peer.h"
#include "support/devices.h"

enum { BYTES = 4096 };

/* What main wrote is copied by the branch, and main reads it. */
static void try_order(tsl_context *context, bool waits)
{
    const tsl_device_ops *ops = context->ops;
    const tsl_peer_ops *peer = ops->peer;
    tsl_context *branch = NULL;
    tsl_event *events[2] = {NULL, NULL};
    unsigned char found[BYTES];
    void *memory[2];
    assert_int_equal(tsl_context_branch(&branch, context), TSL_OK);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(tsl_device_allocate(&memory[i], context, BYTES, "a test"), TSL_OK);
        assert_int_equal(peer->create(&events[i], context), TSL_OK);
    }
    const tsl_peer_copy copy = {
        .to = context, .source = memory[0], .target = memory[1], .bytes = BYTES};
    assert_int_equal(ops->fill(context, memory[1], 1, BYTES), TSL_OK);
    assert_int_equal(ops->fill(context, memory[0], 7, BYTES), TSL_OK);
    assert_int_equal(peer->record(context, events[0]), TSL_OK);
    assert_int_equal(peer->wait(branch, events[0]), TSL_OK);
    assert_int_equal(peer->copy(branch, &copy, 1), TSL_OK);
    assert_int_equal(peer->record(branch, events[1]), TSL_OK);
    if (waits) {
        assert_int_equal(peer->wait(context, events[1]), TSL_OK);
    }
    test_download(context, found, memory[1], BYTES);
    for (int i = 0; i < BYTES; i++) {
        assert_int_equal(found[i], waits ? 7 : 1);
    }
    tsl_context_end_branch(branch);
    test_download(context, found, memory[1], BYTES); /* it had waited for the branch's work */
    assert_int_equal(found[BYTES - 1], 7);
    for (int i = 0; i < 2; i++) {
        peer->destroy(events[i]);
        tsl_device_release(context, memory[i]);
    }
}

static void events_order_two_streams(void **state)
{
    (void)state;
    const int devices = test_device_count();
    for (int d = 0; d < devices; d++) {
        tsl_context *context = test_context(test_devices[d], 1);
        if (context->ops->branch != NULL) {
            try_order(context, true);
        }
        tsl_context_destroy(context);
    }
}

/* What a forgotten wait leaves on a GPU is anyone's guess; on sim it is always what was there. */
static void a_forgotten_wait_shows_on_sim(void **state)
{
    (void)state;
    tsl_context *context = test_context("sim", 1);
    try_order(context, false);
    tsl_context_destroy(context);
}

static tsl_status open_branch(tsl_context *context, void *user)
{
    (void)user;
    tsl_context *branch = NULL;
    const tsl_status status = tsl_context_branch(&branch, context);
    tsl_context_end_branch(branch);
    return status;
}

static void a_branch_survives_no_memory(void **state)
{
    (void)state;
    tsl_context *context = test_context("sim", 1);
    test_survives_no_memory(context, open_branch, NULL);
    tsl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(events_order_two_streams),
                                       cmocka_unit_test(a_forgotten_wait_shows_on_sim),
                                       cmocka_unit_test(a_branch_survives_no_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
