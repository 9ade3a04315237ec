#include "support/devices.h"

#include <math.h>

const char *const test_devices[] = {"cpu"};
const int test_device_count = sizeof test_devices / sizeof *test_devices;

tsl_context *test_context(const char *device, int threads)
{
    tsl_context_options options = TSL_CONTEXT_OPTIONS_INIT;
    options.device = device;
    options.threads = threads;
    tsl_context *context = NULL;
    assert_int_equal(tsl_context_create(&context, &options), TSL_OK);
    return context;
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
