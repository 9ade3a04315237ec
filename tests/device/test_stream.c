/* A context on the caller's own CUDA stream: a solve begins after the caller's work there, and what
 * the caller queues behind it begins after the solve. */
#include "support/devices.h"

#include <dlfcn.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "device/plugin.h"
#include "tesela/buffer.h"
#include "tesela/poisson.h"

/* The functions of cuda.h that are needed; its CUstream is the runtime's cudaStream_t. */
typedef unsigned long long address;
typedef struct driver {
    int (*retain)(void **context, int device);
    int (*make_current)(void *context);
    int (*create)(void **stream, unsigned flags);
    int (*destroy)(void *stream);
    int (*query)(void *stream);
    int (*synchronize)(void *stream);
    int (*call)(void *stream, void (*function)(void *), void *user);
    int (*copy)(address target, address source, size_t bytes, void *stream);
} driver;

enum { NON_BLOCKING = 1, NOT_READY = 600, N = 64, CELLS = N * N * N };

static bool load(driver *out)
{
    static const char *const names[] = {
        "cuDevicePrimaryCtxRetain", "cuCtxSetCurrent",     "cuStreamCreate",
        "cuStreamDestroy_v2",       "cuStreamQuery",       "cuStreamSynchronize",
        "cuLaunchHostFunc",         "cuMemcpyDtoDAsync_v2"};
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    void *found[8] = {NULL};
    for (int i = 0; i < 8 && library != NULL; i++) {
        found[i] = dlsym(library, names[i]);
        if (found[i] == NULL) {
            return false;
        }
    }
    memcpy(out, found, sizeof *out);
    return library != NULL;
}

static tsl_status open_on(tsl_context **out, const char *device, void *stream)
{
    tsl_context_options options = TSL_CONTEXT_OPTIONS_INIT;
    options.device = device;
    options.threads = 1;
    options.stream = stream;
    return tsl_context_create(out, &options);
}

static void devices_without_streams_refuse_one(void **state)
{
    (void)state;
    static const char *const devices[] = {"cpu", "sim"};
    int something = 0;
    for (int i = 0; i < 2; i++) {
        tsl_context *context = NULL;
        assert_int_equal(open_on(&context, devices[i], &something), TSL_E_ARG);
        assert_non_null(strstr(tsl_last_error(NULL), "has no CUDA streams"));
        assert_non_null(strstr(tsl_last_error(NULL), devices[i]));
    }
}

/* Holds a stream up until the gate opens, 5 s at most. */
static void wait_for_gate(void *gate)
{
    for (int i = 0; i < 5000 && !atomic_load((atomic_int *)gate); i++) {
        usleep(1000);
    }
}

static tsl_poisson_plan *make_plan(tsl_context *context)
{
    tsl_poisson_options options = TSL_POISSON_OPTIONS_INIT;
    tsl_poisson_plan *plan = NULL;
    for (int axis = 0; axis < 3; axis++) {
        options.n[axis] = N;
        options.lengths[axis] = 1;
    }
    options.background = 1;
    assert_int_equal(tsl_poisson_plan_create(&plan, context, &options), TSL_OK);
    return plan;
}

static double values[CELLS], wanted[CELLS], found[CELLS];

/* The answer on a stream of the context's own. */
static void solve_alone(void)
{
    tsl_context *context = test_context("cuda:0", 1);
    tsl_poisson_plan *plan = make_plan(context);
    void *cells = test_upload(context, values, sizeof values);
    assert_int_equal(tsl_poisson_execute(plan, cells, cells), TSL_OK);
    test_download(context, wanted, cells, sizeof wanted);
    test_release(context, cells);
    tsl_poisson_plan_destroy(plan);
    tsl_context_destroy(context);
}

static void solve_behind(const driver *cuda, void *stream)
{
    enum { GIVEN, SOURCE, POTENTIAL, TAKEN, BUFFERS };
    tsl_context *context = NULL;
    void *of[BUFFERS];
    atomic_int gate = 0;
    assert_int_equal(open_on(&context, "cuda:0", stream), TSL_OK);
    tsl_poisson_plan *plan = make_plan(context);
    for (int i = 0; i < BUFFERS; i++) { /* of zeros but for what is given */
        of[i] = test_upload(context, i == GIVEN ? values : found, sizeof values);
    }
    /* Once before, so that no kernel is loaded behind the gate. */
    assert_int_equal(tsl_poisson_execute(plan, of[POTENTIAL], of[SOURCE]), TSL_OK);
    assert_int_equal(tsl_context_synchronize(context), TSL_OK);

    assert_int_equal(cuda->call(stream, wait_for_gate, &gate), 0);
    assert_int_equal(cuda->copy((address)of[SOURCE], (address)of[GIVEN], sizeof values, stream), 0);
    assert_int_equal(tsl_poisson_execute(plan, of[POTENTIAL], of[SOURCE]), TSL_OK);
    assert_int_equal(cuda->copy((address)of[TAKEN], (address)of[POTENTIAL], sizeof values, stream),
                     0);
    assert_int_equal(cuda->query(stream), NOT_READY); /* nobody waited for the gate */
    atomic_store(&gate, 1);
    assert_int_equal(cuda->synchronize(stream), 0);
    test_download(context, found, of[TAKEN], sizeof found);
    assert_memory_equal(found, wanted, sizeof found);
    for (int i = 0; i < BUFFERS; i++) {
        test_release(context, of[i]);
    }
    tsl_poisson_plan_destroy(plan);
    tsl_context_destroy(context);
    assert_int_equal(cuda->query(stream), 0); /* it is the caller's still */
}

static void a_solve_is_ordered_with_the_callers_work(void **state)
{
    (void)state;
    driver cuda = {NULL};
    char reason[512];
    int gpus = 0;
    if (tsl_plugin_cuda(&gpus, reason, sizeof reason) == NULL) {
        print_message("not run on cuda:0: %s\n", reason);
        skip();
    }
    assert_true(load(&cuda));
    uint64_t seed = 3;
    for (int i = 0; i < CELLS; i++) {
        values[i] = test_uniform(&seed);
    }
    solve_alone();
    void *primary = NULL;
    void *stream = NULL;
    assert_int_equal(cuda.retain(&primary, 0), 0);
    assert_int_equal(cuda.make_current(primary), 0);
    assert_int_equal(cuda.create(&stream, NON_BLOCKING), 0);
    solve_behind(&cuda, stream);
    assert_int_equal(cuda.destroy(stream), 0);

    tsl_context *context = NULL; /* cudaStreamLegacy */
    assert_int_equal(open_on(&context, "cuda:0", (void *)(uintptr_t)1), TSL_E_ARG);
    assert_non_null(strstr(tsl_last_error(NULL), "default streams"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(devices_without_streams_refuse_one),
                                       cmocka_unit_test(a_solve_is_ordered_with_the_callers_work)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
