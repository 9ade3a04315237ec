#include "support/devices.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "device/plugin.h"

const char *const test_devices[] = {"cpu", "sim", "sim:reversed", "sim:strided", "cuda:0"};

int test_device_count(void)
{
    char reason[512];
    int gpus = 0;
    const int all = sizeof test_devices / sizeof *test_devices;
    if (tsl_plugin_cuda(&gpus, reason, sizeof reason) == NULL) {
        print_message("not run on cuda:0: %s\n", reason);
        return all - 1;
    }
    return all;
}

bool test_is_another_order(const char *device)
{
    return strncmp(device, "sim:", 4) == 0;
}

bool test_is_full(void)
{
    return getenv("TESELA_FULL") != NULL;
}

tsl_context *test_context(const char *device, int threads)
{
    tsl_context_options options = TSL_CONTEXT_OPTIONS_INIT;
    options.device = device;
    options.threads = threads;
    tsl_context *context = NULL;
    assert_int_equal(tsl_context_create(&context, &options), TSL_OK);
    context->alone = 0; /* problems are small here: all threads shall have a part of each */
    return context;
}

tsl_status test_rank_context(tsl_context **out, tsl_comm *comm, const char *device)
{
    tsl_context_options options = TSL_CONTEXT_OPTIONS_INIT;
    options.device = device;
    options.threads = 1;
    options.comm = comm;
    const tsl_status status = tsl_context_create(out, &options);
    return status == TSL_OK ? TSL_OK : tsl_comm_fail(comm, status, tsl_last_error(NULL));
}

tsl_status test_call_rank(tsl_comm *comm, const char *device,
                          tsl_status (*call)(tsl_context *context, void *user), void *user)
{
    tsl_context *context = NULL;
    tsl_status status = test_rank_context(&context, comm, device);
    if (status == TSL_OK) {
        status = call(context, user);
    }
    tsl_context_destroy(context);
    return status;
}

void *test_upload(tsl_context *context, const void *host, int64_t bytes)
{
    void *device = NULL;
    assert_int_equal(tsl_device_allocate(&device, context, bytes, "a test"), TSL_OK);
    assert_int_equal(context->ops->upload(context, device, host, bytes), TSL_OK);
    return device;
}

void test_download(tsl_context *context, void *host, const void *device, int64_t bytes)
{
    assert_int_equal(context->ops->download(context, host, device, bytes), TSL_OK);
}

void test_release(tsl_context *context, void *device)
{
    tsl_device_release(context, device);
}

/* What is live of a context and on the host. */
typedef struct live_memory {
    int64_t host, pieces, bytes;
} live_memory;

static void assert_live(const tsl_context *context, const live_memory *expected)
{
    assert_int_equal(context->memory.live, expected->pieces);
    assert_int_equal(context->memory.bytes, expected->bytes);
    assert_int_equal(tsl_test_live_allocations(), expected->host);
}

static void assert_usable(tsl_context *context)
{
    static const char text[] = "still there";
    char back[sizeof text] = "";
    assert_int_equal(tsl_context_synchronize(context), TSL_OK);
    void *device = test_upload(context, text, sizeof text);
    test_download(context, back, device, sizeof text);
    assert_string_equal(back, text);
    test_release(context, device);
}

static void assert_says(const tsl_context *context, const char *const words[])
{
    const char *said = tsl_last_error(context);
    assert_null(strchr(said, '\n'));
    for (; *words != NULL; words++) {
        if (strstr(said, *words) == NULL) {
            fail_msg("'%s' does not say '%s'", said, *words);
        }
    }
}

static int64_t fail_device_from(tsl_context *context, int64_t k)
{
    return tsl_test_fail_device_allocation(context, k);
}

static int64_t fail_host_from(tsl_context *context, int64_t k)
{
    (void)context;
    return tsl_test_fail_allocation(k);
}

int test_survives_no_memory(tsl_context *context, test_call call, void *user)
{
    static const char *const of_device[] = {": out of memory: cannot take ", " for ",
                                            " are free: ", NULL};
    static const char *const of_host[] = {"out of memory", NULL};
    int64_t (*const fail_from[])(tsl_context *, int64_t) = {fail_device_from, fail_host_from};
    int made = 0;
    for (int kind = 0; kind < 2; kind++) {
        tsl_status status = TSL_E_NOMEM;
        for (int k = 1; status != TSL_OK; k++) {
            const live_memory before = {tsl_test_live_allocations(), context->memory.live,
                                        context->memory.bytes};
            assert_in_range(k, 1, 1000);
            fail_from[kind](context, k);
            status = call(context, user);
            const int64_t asked = fail_from[kind](context, 0);
            if (status != TSL_OK) {
                assert_int_equal(status, TSL_E_NOMEM);
                assert_true(asked >= k);
                assert_says(context, kind == 0 ? of_device : of_host);
            } else {
                assert_true(asked == k - 1);
                made = kind == 0 ? k - 1 : made;
            }
            assert_live(context, &before);
            assert_usable(context);
        }
    }
    return made;
}

uint64_t test_random(uint64_t *seed)
{
    uint64_t z = (*seed += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

double test_uniform(uint64_t *seed)
{
    return ldexp((double)(test_random(seed) >> 11), -52) - 1;
}
