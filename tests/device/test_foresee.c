/* Memory that is not there is refused before any is taken: a device's, its host's, and what ranks
 * take of either together. */
#include <string.h>

#include "comm/comm.h"
#include "support/devices.h"

static void check_refusal(tsl_context *context, const tsl_device_need *need, const char *words)
{
    assert_int_equal(tsl_device_foresee(context, need), TSL_E_NOMEM);
    if (strstr(tsl_last_error(context), words) == NULL) {
        fail_msg("%s: not in: %s", words, tsl_last_error(context));
    }
}

static void hosts_have_memory_too(void **state)
{
    (void)state;
    const int64_t mebibyte = 1 << 20;
    const int64_t much = INT64_C(1) << 50;
    const tsl_device_need little = {.what = "a test needs", .device = mebibyte, .host = mebibyte};
    const tsl_device_need of_host = {
        .what = "a test needs", .remedy = "test less", .device = mebibyte, .host = much};
    const tsl_device_need of_device = {
        .what = "a test needs", .remedy = "test less", .device = much, .host = mebibyte};
    const int devices = test_device_count();
    for (int d = 0; d < devices; d++) {
        tsl_context *context = test_context(test_devices[d], 1);
        const bool own = context->ops->peer != NULL; /* memory */
        assert_int_equal(tsl_device_foresee(context, &little), TSL_OK);
        check_refusal(context, &of_host,
                      own ? "out of memory: a test needs 1.0 PiB of the host, whose memory has "
                          : "out of memory: a test needs 1.0 PiB, ");
        check_refusal(context, &of_host, " free: test less");
        check_refusal(context, &of_device, "out of memory: a test needs 1.0 PiB, ");
        tsl_context_destroy(context);
    }
}

/* What each of the ranks is to take of the host, and what is said to that. */
typedef struct case_of_ranks {
    const char *device;
    int64_t bytes;
    tsl_status expected;
} case_of_ranks;

static tsl_status ask(tsl_comm *comm, void *user)
{
    const case_of_ranks *what = user;
    tsl_context *context;
    tsl_status status = test_rank_context(&context, comm, what->device);
    if (status != TSL_OK) {
        return status;
    }
    const tsl_device_need need = {
        .what = "a test needs", .remedy = "test less", .host = what->bytes};
    const tsl_status found = tsl_comm_foresee(context, &need);
    const bool told = found == TSL_OK || strstr(tsl_last_error(context), "for its ranks") != NULL ||
                      strstr(tsl_last_error(context), "for the ranks of a host") != NULL;
    if (found != what->expected || !told) {
        tsl_comm_fail(comm, TSL_E_INTERNAL, tsl_last_error(context));
        status = TSL_E_COMM;
    }
    tsl_context_destroy(context);
    return status;
}

/* A rank's part would fit. */
static void ranks_share_their_hosts_memory(void **state)
{
    (void)state;
    for (int d = 0; d < 2; d++) { /* cpu, sim */
        case_of_ranks what = {.device = test_devices[d], .bytes = 1 << 20, .expected = TSL_OK};
        assert_int_equal(tsl_comm_run(3, ask, &what), TSL_OK);
        what.bytes = tsl_host_memory_free() / 2;
        what.expected = TSL_E_NOMEM;
        assert_int_equal(tsl_comm_run(3, ask, &what), TSL_OK);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(hosts_have_memory_too),
                                       cmocka_unit_test(ranks_share_their_hosts_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
