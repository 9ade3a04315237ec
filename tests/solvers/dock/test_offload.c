/* Correlations on a device, everything else on the host: the poses of the host alone. */
#include <string.h>

#include "blocks/convolve/offload.h"
#include "solvers/dock/pair.h"
#include "support/devices.h"

enum { POSES = PAIR_ROTATIONS * PAIR_KEEP };

/* What a search of the host beside a device takes. */
typedef struct both {
    pair host;
    tsl_context *device;
    tsl_offload offload;
} both;

static both begin(const char *device)
{
    both b = {.host = test_pair("cpu", 1), .device = test_context(device, 1)};
    return b;
}

static void end(both *b)
{
    assert_int_equal(b->device->memory.live, 0);
    test_free_pair(&b->host);
    tsl_context_destroy(b->device);
}

static tsl_dock_options plain_options(int batch)
{
    tsl_dock_options options = test_small_options();
    options.correlation = TSL_CORRELATION_PLAIN;
    options.batch = batch;
    return options;
}

static void same_poses(void **state)
{
    (void)state;
    tsl_pose first[POSES], other[POSES];
    tsl_dock_options options = test_small_options();
    pair p = test_pair("cpu", 1);
    test_search(&p, &options, first);
    test_free_pair(&p);
    const int devices = test_device_count();
    for (int d = 1; d < devices; d++) {
        for (int batch = 1; batch <= 4 && !test_is_another_order(test_devices[d]); batch += 3) {
            both b = begin(test_devices[d]);
            tsl_convolve_offload(&b.offload, b.host.context, b.device);
            options = plain_options(batch);
            test_search(&b.host, &options, other);
            assert_memory_equal(first, other, sizeof first);
            assert_true(tsl_test_fail_device_allocation(b.device, 0) > 3); /* it was used */
            end(&b);
        }
    }
}

static tsl_status make_and_use(both *b)
{
    tsl_dock_options options = plain_options(2);
    options.grid = 36;
    tsl_dock_plan *plan = NULL;
    tsl_rotation rotations[PAIR_ROTATIONS];
    tsl_pose poses[POSES];
    test_spiral(rotations);
    tsl_status status =
        tsl_dock_plan_create(&plan, b->host.context, b->host.receptor, b->host.ligand, &options);
    if (status == TSL_OK) {
        status = tsl_dock_search(plan, poses, rotations, 3, NULL, NULL);
    }
    tsl_dock_plan_destroy(plan);
    return status;
}

/* What the device cannot have, the host's line says, and nothing is lost on either. */
static void device_out_of_memory(void **state)
{
    (void)state;
    both b = begin("sim");
    tsl_convolve_offload(&b.offload, b.host.context, b.device);
    tsl_status status = TSL_E_NOMEM;
    int failures = 0;
    for (int64_t k = 1; status != TSL_OK; k++) {
        const int64_t live = tsl_test_live_allocations();
        tsl_test_fail_device_allocation(b.device, k);
        status = make_and_use(&b);
        tsl_test_fail_device_allocation(b.device, 0);
        if (status != TSL_OK) {
            assert_int_equal(status, TSL_E_NOMEM);
            assert_memory_equal(tsl_last_error(b.host.context), "sim: out of memory: ", 20);
            failures++;
        }
        assert_int_equal(tsl_test_live_allocations(), live);
        assert_int_equal(b.device->memory.live, 0);
    }
    assert_in_range(failures, 3, 100);
    end(&b);
}

static tsl_status use_both(tsl_context *context, void *user)
{
    (void)context;
    return make_and_use(user);
}

static void host_out_of_memory(void **state)
{
    (void)state;
    both b = begin("sim");
    tsl_convolve_offload(&b.offload, b.host.context, b.device);
    assert_true(test_survives_no_memory(b.host.context, use_both, &b) > 3);
    end(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_poses),
                                       cmocka_unit_test(device_out_of_memory),
                                       cmocka_unit_test(host_out_of_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
