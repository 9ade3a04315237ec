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
/* One more of sim's orders of threads, which are nothing to memory and to what the host does. */
bool test_is_another_order(const char *device);

/* Are all cases to be run, as by ./run-tests --full? */
bool test_is_full(void);

/* A context of `threads` CPU threads; fails the test if it cannot be had. */
tsl_context *test_context(const char *device, int threads);

/* A rank's context of one thread; a failure is published and returned, since checks in a rank leave
 * only the main thread. */
tsl_status test_rank_context(tsl_context **out, tsl_comm *comm, const char *device);

/* What a rank does with such a context, which ends with it. */
tsl_status test_call_rank(tsl_comm *comm, const char *device,
                          tsl_status (*call)(tsl_context *context, void *user), void *user);

/* Device memory with a copy of `bytes` bytes of the host's; test_release() frees it. */
void *test_upload(tsl_context *context, const void *host, int64_t bytes);
void test_download(tsl_context *context, void *host, const void *device, int64_t bytes);
void test_release(tsl_context *context, void *device);

/* Something that takes memory and gives all of it back, whether it fails or not. */
typedef tsl_status (*test_call)(tsl_context *context, void *user);

/* Run `call` with its k-th device allocation failing, for all k until it succeeds; then with its
 * k-th host allocation failing. Each time it must return TSL_E_NOMEM with one line that says what
 * was wanted (and, of a device, how much is free), lose nothing, and leave the context usable.
 * Returns the number of device allocations it made. */
int test_survives_no_memory(tsl_context *context, test_call call, void *user);

/* splitmix64 */
uint64_t test_random(uint64_t *seed);
/* Uniform in [-1, 1). */
double test_uniform(uint64_t *seed);

#endif
