/* What sim is for: six faults that a GPU may hide for years change the answer here, or stop the
 * test. Beside each faulty kernel stands the correct one, which must pass in every order. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "device/sim.h"
#include "support/devices.h"

enum { THREADS = 64, VALUES = 4 * THREADS };

typedef struct sum_arguments {
    const int32_t *values; /* [VALUES] */
    int32_t *result;
    int64_t count;
} sum_arguments;

/* Sum of the values, correct. */
TSL_KERNEL(sum_values, sum_arguments)
{
    TSL_SHARED int32_t sums[THREADS];
    TSL_PHASE
    {
        sums[thread] = 0;
        for (int64_t i = thread; i < a.count; i += TSL_THREADS) {
            sums[thread] += a.values[i];
        }
    }
    for (int half = THREADS / 2; half > 0; half /= 2) {
        TSL_PHASE
        {
            if (thread < half) {
                sums[thread] += sums[thread + half];
            }
        }
    }
    TSL_PHASE
    {
        if (thread == 0) {
            a.result[TSL_BLOCK] = sums[0];
        }
    }
}

/* Adds up a block's numbers in shared memory whose size the launch gives. */
TSL_KERNEL(sum_in_dynamic_memory, sum_arguments)
{
    TSL_SHARED_DYNAMIC(int32_t, sums);
    TSL_PHASE
    {
        sums[thread] = sums[thread] == -1 ? 0 : 1; /* it comes filled with 0xFF */
        for (int64_t i = thread; i < a.count; i += TSL_THREADS) {
            sums[thread] += a.values[i];
        }
    }
    TSL_PHASE
    {
        if (thread == 0) {
            int32_t sum = 0;
            for (int i = 0; i < TSL_THREADS; i++) {
                sum += sums[i];
            }
            a.result[TSL_BLOCK] = sum;
        }
    }
}

/* The barrier between writing the partial sums and adding them up is missing. */
TSL_KERNEL(sum_without_barrier, sum_arguments)
{
    TSL_SHARED int32_t sums[THREADS];
    memset(sums, 0xFF, sizeof sums); /* what shared memory may hold */
    TSL_PHASE
    {
        sums[thread] = 0;
        for (int64_t i = thread; i < a.count; i += TSL_THREADS) {
            sums[thread] += a.values[i];
        }
        if (thread == 0) {
            int32_t sum = 0;
            for (int i = 0; i < THREADS; i++) {
                sum += sums[i];
            }
            a.result[TSL_BLOCK] = sum;
        }
    }
}

/* Threads add in place while others still read: the missing half of a reduction's discipline. */
TSL_KERNEL(sum_with_race, sum_arguments)
{
    TSL_SHARED int32_t sums[THREADS];
    TSL_PHASE
    {
        sums[thread] = 0;
        for (int64_t i = thread; i < a.count; i += TSL_THREADS) {
            sums[thread] += a.values[i];
        }
    }
    for (int half = THREADS / 2; half > 0; half /= 2) {
        TSL_PHASE
        {
            sums[thread] += sums[(thread + half) % THREADS];
        }
    }
    TSL_PHASE
    {
        if (thread == 0) {
            a.result[TSL_BLOCK] = sums[0];
        }
    }
}

/* One value too many. */
TSL_KERNEL(double_too_many, sum_arguments)
{
    TSL_PHASE
    {
        for (int64_t i = thread; i <= a.count; i += TSL_THREADS) {
            a.result[i] = 2 * (int32_t)i;
        }
    }
}

enum { GRID_BLOCKS = 3 };

/* What a block adds up of the values. */
static int32_t own_part(const sum_arguments *a, int block, int blocks)
{
    int32_t sum = 0;
    for (int i = block; i < VALUES; i += blocks) {
        sum += a->values[i];
    }
    return sum;
}

/* Each block adds up a part of the values and keeps it; then all blocks' parts, `count` times. */
TSL_GRID_KERNEL(sum_by_all_blocks, sum_arguments, THREADS)
{
    TSL_SHARED_DYNAMIC(int32_t, kept);
    TSL_GRID_PHASE
    {
        TSL_PHASE
        {
            if (thread == 0) {
                kept[0] = own_part(&a, TSL_BLOCK, TSL_BLOCKS);
            }
        }
    }
    for (int turn = 0; turn < a.count; turn++) {
        TSL_GRID_PHASE
        {
            TSL_PHASE
            {
                if (thread == 0) {
                    a.result[TSL_BLOCK] = kept[0];
                }
            }
        }
        TSL_GRID_PHASE
        {
            TSL_PHASE
            {
                if (thread == 0) {
                    kept[0] = a.result[0] + a.result[1] + a.result[2];
                }
            }
        }
    }
    TSL_GRID_PHASE
    {
        TSL_PHASE
        {
            if (thread == 0) {
                a.result[TSL_BLOCK] = kept[0];
            }
        }
    }
}

/* A sum over a grid that lacks the barrier between writing the parts and adding them up. */
TSL_GRID_KERNEL(sum_without_grid_barrier, sum_arguments, THREADS)
{
    TSL_SHARED_DYNAMIC(int32_t, kept);
    TSL_GRID_PHASE
    {
        TSL_PHASE
        {
            if (thread == 0) {
                kept[0] = own_part(&a, TSL_BLOCK, TSL_BLOCKS);
                a.result[TSL_BLOCK] = kept[0];
            }
        }
        TSL_PHASE
        {
            if (thread == 0) {
                kept[0] = a.result[0] + a.result[1] + a.result[2];
            }
        }
    }
    TSL_GRID_PHASE
    {
        TSL_PHASE
        {
            if (thread == 0) {
                a.result[TSL_BLOCK] = kept[0];
            }
        }
    }
}

static const char *const orders[] = {"sim", "sim:reversed", "sim:strided"};

typedef struct bench {
    tsl_context *context;
    sum_arguments a;
    int32_t expected;
} bench;

static bench make_bench(const char *order)
{
    bench b = {.context = test_context(order, 1)};
    int32_t values[VALUES];
    for (int i = 0; i < VALUES; i++) {
        values[i] = 3 * i + 1;
        b.expected += values[i];
    }
    b.a.values = test_upload(b.context, values, sizeof values);
    void *result = NULL;
    assert_int_equal(tsl_device_allocate(&result, b.context, sizeof values, "a result"), TSL_OK);
    b.a.result = result;
    b.a.count = VALUES;
    return b;
}

static void free_bench(bench *b)
{
    tsl_context_destroy(b->context);
}

static int32_t run(bench *b, tsl_sim_kernel kernel)
{
    assert_int_equal(TSL_LAUNCH(b->context, kernel, b->a, 1, 1, THREADS), TSL_OK);
    int32_t result = 0;
    test_download(b->context, &result, b->a.result, sizeof result);
    return result;
}

static void the_correct_kernel_passes_in_every_order(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        bench b = make_bench(orders[i]);
        assert_int_equal(run(&b, sum_values), b.expected);
        free_bench(&b);
    }
}

static void shared_memory_may_come_with_the_launch(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        bench b = make_bench(orders[i]);
        assert_int_equal(TSL_LAUNCH_SHARED(b.context, sum_in_dynamic_memory, b.a, 3, 1, THREADS,
                                           THREADS * (int64_t)sizeof(int32_t)),
                         TSL_OK);
        int32_t results[3] = {0, 0, 0};
        test_download(b.context, results, b.a.result, sizeof results);
        for (int block = 0; block < 3; block++) {
            assert_int_equal(results[block], b.expected);
        }
        free_bench(&b);
    }
}

static int wrong_orders(tsl_sim_kernel kernel)
{
    int wrong = 0;
    for (int i = 0; i < 3; i++) {
        bench b = make_bench(orders[i]);
        wrong += run(&b, kernel) != b.expected;
        free_bench(&b);
    }
    return wrong;
}

static void a_missing_barrier_shows(void **state)
{
    (void)state;
    assert_true(wrong_orders(sum_without_barrier) > 0);
}

static void a_race_shows(void **state)
{
    (void)state;
    assert_true(wrong_orders(sum_with_race) > 0);
}

/* Outcome of a child: its exit status, or 128 if a sanitizer or signal ended it. */
static int outcome_of(int (*child)(bench *), bench *b)
{
    const pid_t pid = fork();
    if (pid == 0) {
        signal(SIGSEGV, SIG_DFL); /* cmocka's handler would go on */
        if (freopen("/dev/null", "w", stderr) == NULL) {
            _exit(0);
        }
        _exit(child(b));
    }
    int status = 0;
    waitpid(pid, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) < 3 ? WEXITSTATUS(status) : 128;
}

/* Looks at device memory without a copy, when everything is done. */
static int read_without_copy(bench *b)
{
    if (TSL_LAUNCH(b->context, sum_values, b->a, 1, 1, THREADS) != TSL_OK ||
        tsl_context_synchronize(b->context) != TSL_OK) {
        return 2;
    }
    return *(volatile int32_t *)b->a.result == b->expected ? 0 : 1;
}

static void a_missing_copy_shows(void **state)
{
    (void)state;
    bench b = make_bench("sim");
    assert_int_equal(outcome_of(read_without_copy, &b), 128);
    free_bench(&b);
}

static void a_missing_wait_shows(void **state)
{
    (void)state;
    bench b = make_bench("sim");
    int32_t result = 0;
    assert_int_equal(TSL_LAUNCH(b.context, sum_values, b.a, 1, 1, THREADS), TSL_OK);
    tsl_sim_peek(b.context, &result, b.a.result, sizeof result);
    assert_int_equal(result, -1);
    assert_int_equal(tsl_context_synchronize(b.context), TSL_OK);
    tsl_sim_peek(b.context, &result, b.a.result, sizeof result);
    assert_int_equal(result, b.expected);
    free_bench(&b);
}

static int write_past_end(bench *b)
{
    return TSL_LAUNCH(b->context, double_too_many, b->a, 1, 1, THREADS) == TSL_OK &&
                   tsl_context_synchronize(b->context) == TSL_OK
               ? 0
               : 1;
}

static void a_write_past_the_end_shows(void **state)
{
    (void)state;
    bench b = make_bench("sim");
    assert_int_equal(outcome_of(write_past_end, &b), 1);
    b.a.count = VALUES - 1; /* which writes VALUES */
    assert_int_equal(outcome_of(write_past_end, &b), 0);
    free_bench(&b);
}

/* Far past the end, into nothing. */
static int write_far_past_end(bench *b)
{
    b->a.result += 1 << 12;
    return write_past_end(b);
}

/* The piece is released before anybody waits. */
static int write_past_end_of_released(bench *b)
{
    b->a.count = VALUES;
    if (TSL_LAUNCH(b->context, double_too_many, b->a, 1, 1, THREADS) != TSL_OK) {
        return 2;
    }
    tsl_device_release(b->context, b->a.result);
    return tsl_context_synchronize(b->context) == TSL_OK ? 0 : 1;
}

static void a_write_elsewhere_shows(void **state)
{
    (void)state;
    bench b = make_bench("sim");
    assert_int_equal(outcome_of(write_far_past_end, &b), 128);
    free_bench(&b);
    b = make_bench("sim");
    assert_int_equal(outcome_of(write_past_end_of_released, &b), 1);
    free_bench(&b);
}

static void fresh_memory_is_not_zero(void **state)
{
    (void)state;
    bench b = make_bench("sim");
    int32_t result = 0;
    test_download(b.context, &result, b.a.result, sizeof result);
    assert_int_equal(result, -1);
    free_bench(&b);
}

/* What each block of a grid kernel has in the end. */
static void run_grid(const char *order, tsl_sim_kernel kernel, int turns, int32_t got[GRID_BLOCKS],
                     int32_t *expected)
{
    bench b = make_bench(order);
    sum_arguments a = b.a;
    a.count = turns;
    a.result = test_upload(b.context, (int32_t[GRID_BLOCKS]){0}, GRID_BLOCKS * 4);
    assert_int_equal(TSL_LAUNCH_GRID(b.context, kernel, a, GRID_BLOCKS, THREADS, 4), TSL_OK);
    test_download(b.context, got, a.result, GRID_BLOCKS * 4);
    *expected = b.expected;
    test_release(b.context, a.result);
    free_bench(&b);
}

static void blocks_wait_for_each_other_in_every_order(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        int32_t got[GRID_BLOCKS];
        int32_t expected;
        run_grid(orders[i], sum_by_all_blocks, 3, got, &expected);
        for (int block = 0; block < GRID_BLOCKS; block++) {
            assert_int_equal(got[block], 9 * expected); /* each turn but the first triples it */
        }
    }
}

static void a_missing_barrier_of_all_blocks_shows(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        int32_t got[GRID_BLOCKS];
        int32_t expected;
        run_grid(orders[i], sum_without_grid_barrier, 1, got, &expected);
        assert_false(got[0] == expected && got[1] == expected && got[2] == expected);
    }
}

typedef struct add_arguments {
    double *values; /* [2][TSL_SUM_OF] */
    int all;        /* add all up into one sum */
} add_arguments;

TSL_KERNEL(add_up, add_arguments)
{
    TSL_SHARED double values[2][TSL_SUM_OF];
    TSL_SHARED double joined[2 * TSL_SUM_OF];
    TSL_PHASE
    {
        joined[thread] = a.values[thread];
        values[thread / TSL_SUM_OF][thread % TSL_SUM_OF] = a.values[thread];
    }
    if (a.all) {
        tsl_add_up_all(TSL_HERE joined, 2 * TSL_SUM_OF);
    } else {
        TSL_ADD_UP(values, 2)
    }
    TSL_PHASE
    {
        a.values[thread] =
            a.all ? joined[thread] : values[thread / TSL_SUM_OF][thread % TSL_SUM_OF];
    }
}

/* 2^0 … 2^31 again and again, scaled: sums that say what is in them. */
static void sums_have_all_their_terms(void **state)
{
    (void)state;
    for (int i = 0; i < 6; i++) {
        tsl_context *context = test_context(orders[i / 2], 1);
        double values[2 * TSL_SUM_OF];
        for (int k = 0; k < 2 * TSL_SUM_OF; k++) {
            values[k] = (double)(UINT64_C(1) << k % TSL_SUM_LANES) * (1 + k / TSL_SUM_LANES);
        }
        add_arguments a = {.values = test_upload(context, values, sizeof values), .all = i % 2};
        assert_int_equal(TSL_LAUNCH(context, add_up, a, 1, 1, 2 * TSL_SUM_OF), TSL_OK);
        test_download(context, values, a.values, sizeof values);
        const double lanes = 4294967295.0;
        if (a.all) {
            assert_true(values[0] == 136 * lanes); /* 1 + … + 16 */
        } else {
            assert_true(values[0] == 36 * lanes && values[TSL_SUM_OF] == 100 * lanes);
        }
        test_release(context, a.values);
        tsl_context_destroy(context);
    }
}

static void bad_launches_are_refused(void **state)
{
    (void)state;
    bench b = make_bench("sim");
    assert_int_equal(
        TSL_LAUNCH_GRID(b.context, sum_by_all_blocks, b.a, GRID_BLOCKS + 1, THREADS, 4),
        TSL_E_INTERNAL);
    assert_int_equal(TSL_LAUNCH(b.context, sum_values, b.a, 0, 1, THREADS), TSL_E_INTERNAL);
    assert_int_equal(TSL_LAUNCH(b.context, sum_values, b.a, 1, 1, TSL_BLOCK_THREADS + 1),
                     TSL_E_INTERNAL);
    tsl_test_fail_allocation(1);
    assert_int_equal(TSL_LAUNCH(b.context, sum_values, b.a, 1, 1, THREADS), TSL_E_NOMEM);
    tsl_test_fail_allocation(0);
    free_bench(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_correct_kernel_passes_in_every_order),
                                       cmocka_unit_test(shared_memory_may_come_with_the_launch),
                                       cmocka_unit_test(a_missing_barrier_shows),
                                       cmocka_unit_test(a_race_shows),
                                       cmocka_unit_test(a_missing_copy_shows),
                                       cmocka_unit_test(a_missing_wait_shows),
                                       cmocka_unit_test(a_write_past_the_end_shows),
                                       cmocka_unit_test(a_write_elsewhere_shows),
                                       cmocka_unit_test(fresh_memory_is_not_zero),
                                       cmocka_unit_test(blocks_wait_for_each_other_in_every_order),
                                       cmocka_unit_test(a_missing_barrier_of_all_blocks_shows),
                                       cmocka_unit_test(sums_have_all_their_terms),
                                       cmocka_unit_test(bad_launches_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
