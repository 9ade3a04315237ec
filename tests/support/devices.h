/* What tests that run on devices share: a context a device, and repeatable random numbers. */
#ifndef TSL_TESTS_DEVICES_H
#define TSL_TESTS_DEVICES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "device/device.h"

/* Devices the op tables run on: cpu first, sim in each of its orders, and cuda:0 where there is a
 * GPU. */
extern const char *const test_devices[];
int test_device_count(void);

/* A context of `threads` CPU threads; fails the test if it cannot be had. */
tsl_context *test_context(const char *device, int threads);

/* Device memory with a copy of `bytes` bytes of the host's; test_release() frees it. */
void *test_upload(tsl_context *context, const void *host, int64_t bytes);
void test_download(tsl_context *context, void *host, const void *device, int64_t bytes);
void test_release(tsl_context *context, void *device);

/* splitmix64 */
uint64_t test_random(uint64_t *seed);
/* Uniform in [-1, 1). */
double test_uniform(uint64_t *seed);

#endif
