#include "support/shortage.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { SECONDS = 60 };

/* ---- of the lacking rank --------------------------------------------------------------------- */

static int64_t downloads, downloads_fail_from;
static const tsl_device_ops *own_ops; /* NULL: they are in place */
static tsl_device_ops failing_ops;

static tsl_status download(tsl_context *context, void *target, const void *source, int64_t bytes)
{
    downloads++;
    if (downloads_fail_from > 0 && downloads >= downloads_fail_from) {
        return tsl_fail(context, TSL_E_DEVICE, "the device is gone");
    }
    return own_ops->download(context, target, source, bytes);
}

void test_shortage_begins(test_shortage *t, tsl_context *context)
{
    if (context->comm->rank != t->lacking) {
        return;
    }
    tsl_test_fail_own_allocation(t->what == TEST_HOST_MEMORY ? t->k : 0);
    tsl_test_fail_device_allocation(context, t->what == TEST_DEVICE_MEMORY ? t->k : 0);
    downloads = 0;
    downloads_fail_from = t->k;
    if (t->what == TEST_DOWNLOADS) {
        own_ops = context->ops;
        failing_ops = *own_ops;
        failing_ops.download = download;
        context->ops = &failing_ops;
    }
}

static void end(test_shortage *t, tsl_context *context)
{
    const int64_t host = tsl_test_fail_own_allocation(0);
    const int64_t device = tsl_test_fail_device_allocation(context, 0);
    const int64_t asked[TEST_RESOURCES] = {host, device, downloads};
    t->asked = asked[t->what];
    if (t->what == TEST_DOWNLOADS && own_ops != NULL) {
        context->ops = own_ops;
        own_ops = NULL;
    }
}

/* ---- of all ranks ---------------------------------------------------------------------------- */

tsl_status test_shortage_run_rank(tsl_comm *comm, void *shortage)
{
    test_shortage *t = shortage;
    tsl_context *context = NULL;
    tsl_status status = test_rank_context(&context, comm, t->device);
    if (status != TSL_OK) {
        return status;
    }
    if (!t->begins_late) {
        test_shortage_begins(t, context);
    }
    status = t->call(context, t);
    if (comm->rank == t->lacking) {
        end(t, context);
    }
    t->status[comm->rank] = status;
    snprintf(t->error[comm->rank], sizeof t->error[0], "%s", tsl_last_error(context));
    if (context->memory.live != 0) {
        status = tsl_comm_fail(comm, TSL_E_INTERNAL, "device memory was lost");
    }
    tsl_context_destroy(context);
    return status;
}

/* All have the lacking rank's line, and its status or, where it was published, TSL_E_COMM. */
static void assert_told(const test_shortage *t, tsl_status outcome)
{
    static const tsl_status expected[TEST_RESOURCES] = {TSL_E_NOMEM, TSL_E_NOMEM, TSL_E_DEVICE};
    const tsl_status theirs = t->status[(t->lacking + 1) % t->ranks];
    const tsl_status own = t->status[t->lacking];
    char line[TSL_ERROR_TEXT + 16];
    snprintf(line, sizeof line, "rank %d: ", t->lacking);
    const bool is_prefixed = strncmp(t->error[t->lacking], line, strlen(line)) == 0;
    snprintf(line + (is_prefixed ? 0 : strlen(line)), TSL_ERROR_TEXT, "%s", t->error[t->lacking]);
    assert_int_equal(outcome, expected[t->what]);
    assert_true(theirs == outcome || (theirs == TSL_E_COMM && !t->agreed));
    assert_true(own == outcome || own == theirs);
    for (int rank = 0; rank < t->ranks; rank++) {
        if (rank != t->lacking) {
            assert_int_equal(t->status[rank], theirs);
            assert_string_equal(t->error[rank], line);
        }
    }
}

tsl_status test_shortage_try(test_shortage *t)
{
    const int64_t live = tsl_test_live_allocations();
    alarm(SECONDS);
    const tsl_status status = tsl_comm_run(t->ranks, test_shortage_run_rank, t);
    alarm(0);
    assert_int_equal(tsl_test_live_allocations(), live);
    if (status != TSL_OK) {
        assert_true(t->k > 0 && t->asked >= t->k);
        assert_told(t, status);
    }
    return status;
}

int test_shortage_step(void)
{
#ifdef __SANITIZE_THREAD__
    return test_is_full() ? 1 : 3;
#else
    return 1;
#endif
}

int64_t test_shortage_try_all(test_shortage *t)
{
    for (t->k = 1; test_shortage_try(t) != TSL_OK; t->k += test_shortage_step()) {
        assert_in_range(t->k, 1, 1000);
    }
    assert_true(t->asked < t->k);
    return t->asked;
}
