#include "support/devices.h"

#include <math.h>

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

tsl_context *test_context(const char *device, int threads)
{
    tsl_context_options options = TSL_CONTEXT_OPTIONS_INIT;
    options.device = device;
    options.threads = threads;
    tsl_context *context = NULL;
    assert_int_equal(tsl_context_create(&context, &options), TSL_OK);
    return context;
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
