/* Occupancy: the course's table and cases, NVIDIA's published ones, 1.x and 2.x against a scheduler
 * that places blocks one after the other, changes against trying all, and what is refused. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/core.h"
#include "tesela/occupancy.h"

/* ---- cases -------------------------------------------------------------------------------- */

/* The course's table of limits: one column a capability. */
static void test_table_of_the_course(void **unused)
{
    (void)unused;
    static const struct {
        int major, minor, warps, threads, blocks, shared, registers, register_unit;
        bool by_block;
        int shared_unit;
    } course[] = {{1, 0, 24, 768, 8, 16384, 8192, 256, true, 512},
                  {1, 1, 24, 768, 8, 16384, 8192, 256, true, 512},
                  {1, 2, 32, 1024, 8, 16384, 16384, 512, true, 512},
                  {1, 3, 32, 1024, 8, 16384, 16384, 512, true, 512},
                  {2, 0, 48, 1536, 8, 49152, 32768, 64, false, 128}};
    for (size_t i = 0; i < sizeof course / sizeof *course; i++) {
        const tsl_multiprocessor *m = tsl_multiprocessor_find(course[i].major, course[i].minor);
        assert_non_null(m);
        assert_int_equal(m->warps, course[i].warps);
        assert_int_equal(m->warps * TSL_WARP, course[i].threads);
        assert_int_equal(m->blocks, course[i].blocks);
        assert_int_equal(m->shared, course[i].shared);
        assert_int_equal(m->registers, course[i].registers);
        assert_int_equal(m->register_unit, course[i].register_unit);
        assert_int_equal(m->partitions == 0, course[i].by_block);
        assert_int_equal(m->shared_unit, course[i].shared_unit);
    }
}

/* Cases with published or hand-made answers. */
typedef struct known_case {
    int major, minor, threads, registers;
    int64_t static_shared, dynamic_shared;
    int blocks, warps;
    tsl_occupancy_limit limit;
} known_case;

static const known_case known[] = {
    /* the course's worked case: 768 threads, 24 warps, 6 blocks, 100 % */
    {1, 0, 128, 8, 1024, 0, 6, 24, TSL_LIMIT_WARPS},
    /* of the curves under it, recomputed: 8 blocks of a warp are 8 warps, not 16 */
    {1, 0, 32, 8, 1024, 0, 8, 8, TSL_LIMIT_BLOCKS},
    /* its exercise 3: of 512 threads one block, 16 of 24 warps */
    {1, 0, 512, 8, 1024, 0, 1, 16, TSL_LIMIT_WARPS},
    /* its ways to fill a multiprocessor of 1.0: 6 blocks of 128 threads, 4 of 192, 3 of 256 */
    {1, 0, 192, 8, 1024, 0, 4, 24, TSL_LIMIT_WARPS},
    {1, 0, 256, 8, 1024, 0, 3, 24, TSL_LIMIT_WARPS},
    /* CUDA C Best Practices Guide 3.2: 83 % and 66 % */
    {1, 0, 128, 12, 0, 0, 5, 20, TSL_LIMIT_REGISTERS},
    {1, 0, 256, 12, 0, 0, 2, 16, TSL_LIMIT_REGISTERS},
    /* CUDA C++ Best Practices Guide 13.0: 75 % with 12 blocks, 63 % with four */
    {7, 0, 128, 37, 0, 0, 12, 48, TSL_LIMIT_REGISTERS},
    {7, 0, 320, 37, 0, 0, 4, 40, TSL_LIMIT_REGISTERS},
    /* 16 bytes are reserved on 1.x: 2 KiB make five units of 512 bytes */
    {1, 3, 64, 8, 2048, 0, 6, 12, TSL_LIMIT_SHARED},
    {1, 3, 64, 8, 2032, 0, 8, 16, TSL_LIMIT_SHARED},
    {1, 3, 512, 33, 0, 0, 0, 0, TSL_LIMIT_BLOCK_REGISTERS},
    {1, 3, 513, 8, 0, 0, 0, 0, TSL_LIMIT_BLOCK_THREADS},
    {1, 3, 64, 125, 0, 0, 0, 0, TSL_LIMIT_THREAD_REGISTERS},
    /* 22 registers a thread make 768 a warp in units of 128, so 42 warps; units of 64 would make 46
     * and a fourth block */
    {2, 0, 32 * 11, 22, 0, 0, 3, 33, TSL_LIMIT_REGISTERS},
    {2, 0, 32 * 11, 20, 0, 0, 4, 44, TSL_LIMIT_WARPS},
    /* 6.0 has two partitions, but a launch counts by four warps */
    {6, 0, 32 * 9, 168, 0, 0, 1, 9, TSL_LIMIT_REGISTERS},
    {6, 0, 32 * 9, 169, 0, 0, 0, 0, TSL_LIMIT_BLOCK_REGISTERS},
    /* static shared memory of more than 48 KiB cannot be had, dynamic can */
    {9, 0, 256, 40, 8192, 0, 6, 48, TSL_LIMIT_REGISTERS},
    {9, 0, 256, 32, 49153, 0, 0, 0, TSL_LIMIT_STATIC_SHARED},
    {9, 0, 256, 32, 0, 227 * 1024, 1, 8, TSL_LIMIT_SHARED},
    {9, 0, 256, 32, 0, 227 * 1024 + 1, 0, 0, TSL_LIMIT_BLOCK_SHARED},
    {9, 0, 1024, 65, 0, 0, 0, 0, TSL_LIMIT_BLOCK_REGISTERS},
};

static void test_known_cases(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const known_case *c = &known[i];
        const tsl_multiprocessor *m = tsl_multiprocessor_find(c->major, c->minor);
        tsl_occupancy_kernel k = TSL_OCCUPANCY_KERNEL_INIT;
        tsl_occupancy_result r;
        k.threads = c->threads;
        k.registers = c->registers;
        k.static_shared = c->static_shared;
        k.dynamic_shared = c->dynamic_shared;
        assert_int_equal(tsl_occupancy(&r, m, &k), TSL_OK);
        if (r.blocks != c->blocks || r.warps != c->warps || r.limit != c->limit) {
            print_error("case %zu: %d blocks, %d warps by %s\n", i, r.blocks, r.warps,
                        tsl_occupancy_limit_name(r.limit));
            fail();
        }
        assert_true(r.occupancy == (double)c->warps / m->warps);
        assert_int_equal(r.needs_opt_in, c->static_shared + c->dynamic_shared > 49152);
        assert_int_equal(r.refused != 0, c->blocks == 0);
    }
}

static void test_arguments_count_on_1x_only(void **unused)
{
    (void)unused;
    tsl_occupancy_kernel k = TSL_OCCUPANCY_KERNEL_INIT;
    tsl_occupancy_result without, with;
    k.threads = 64;
    k.registers = 8;
    k.static_shared = 2032;
    for (int i = 0; i < tsl_multiprocessor_count(); i++) {
        const tsl_multiprocessor *m = tsl_multiprocessor_at(i);
        k.arguments = 0;
        assert_int_equal(tsl_occupancy(&without, m, &k), TSL_OK);
        k.arguments = 16;
        assert_int_equal(tsl_occupancy(&with, m, &k), TSL_OK);
        assert_int_equal(with.block_shared - without.block_shared, m->major == 1 ? 512 : 0);
    }
}

static void test_carveouts(void **unused)
{
    (void)unused;
    static const struct {
        int major, minor, carveout, counts;
        int64_t dynamic, kib;
    } cases[] = {{9, 0, TSL_CARVEOUT_DEFAULT, 0, 0, 228},
                 {9, 0, 0, 1, 0, 8},
                 {9, 0, 50, 1, 0, 132},
                 {9, 0, 0, 1, 30000, 32},
                 {7, 5, 0, 1, 0, 32},
                 {7, 0, 100, 1, 0, 96},
                 {3, 5, 0, 1, 0, 16},
                 {3, 5, 50, 1, 0, 32},
                 {3, 5, 30, 0, 0, 48},
                 {3, 5, 0, 1, 17000, 48},
                 {2, 0, 0, 1, 0, 16},
                 {2, 0, 50, 1, 0, 48},
                 {5, 2, 0, 0, 0, 96},
                 {1, 0, 50, 0, 0, 16}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const tsl_multiprocessor *m = tsl_multiprocessor_find(cases[i].major, cases[i].minor);
        tsl_occupancy_kernel k = TSL_OCCUPANCY_KERNEL_INIT;
        tsl_occupancy_result r;
        k.threads = 64;
        k.dynamic_shared = cases[i].dynamic;
        k.carveout = cases[i].carveout;
        assert_int_equal(tsl_occupancy(&r, m, &k), TSL_OK);
        assert_int_equal(r.shared, cases[i].kib * 1024);
        assert_int_equal(tsl_carveout_counts(m, k.carveout), cases[i].counts);
    }
}

/* ---- random kernels ----------------------------------------------------------------------- */

static uint64_t state;

static int chance(int low, int high)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return low + (int)((state >> 16) % (uint64_t)(high - low + 1));
}

static tsl_occupancy_kernel draw(int most_threads, int most_registers, int most_shared)
{
    tsl_occupancy_kernel k = TSL_OCCUPANCY_KERNEL_INIT;
    k.threads = chance(1, most_threads);
    k.registers = chance(0, most_registers);
    k.static_shared = chance(0, 1) ? chance(0, most_shared) : 0;
    k.dynamic_shared = chance(0, 1) ? chance(0, most_shared) : 0;
    k.arguments = chance(0, 1) ? 4 * chance(0, 16) : 0;
    k.barriers = chance(0, 16);
    k.carveout = chance(0, 1) ? chance(0, 100) : TSL_CARVEOUT_DEFAULT;
    return k;
}

/* What a scheduler of 1.x or 2.x has left. */
typedef struct scheduler {
    int warps, blocks, shared, parts;
    int registers[2];
} scheduler;

/* Registers of a warp of 2.x: units of 64, or of 128 for eight numbers that the spreadsheet lists.
 */
static int of_warp(int registers)
{
    static const int listed[] = {21, 22, 29, 30, 37, 38, 45, 46};
    int unit = 64;
    for (size_t i = 0; i < sizeof listed / sizeof *listed; i++) {
        unit = listed[i] == registers ? 128 : unit;
    }
    int given = 0;
    while (given < 32 * registers) {
        given += unit;
    }
    return given;
}

/* Take away what a block needs; false: it does not fit. */
static bool place(scheduler *s, const tsl_occupancy_kernel *k, bool first_generation, int unit)
{
    int warps = 0, shared = 0;
    const int asked = (int)(k->static_shared + k->dynamic_shared) +
                      (first_generation ? 16 + (int)k->arguments : 0);
    while (32 * warps < k->threads) {
        warps++;
    }
    while (shared < asked) {
        shared += first_generation ? 512 : 128;
    }
    if (s->blocks < 1 || s->warps < warps || s->shared < shared) {
        return false;
    }
    if (first_generation) {
        int given = 0;
        while (given < (warps + warps % 2) * 32 * k->registers) {
            given += unit;
        }
        s->registers[0] -= given;
    } else {
        for (int i = 0; i < warps; i++) { /* to the part with more left */
            s->registers[s->registers[1] > s->registers[0]] -= of_warp(k->registers);
        }
    }
    s->blocks--;
    s->warps -= warps;
    s->shared -= shared;
    return s->registers[0] >= 0 && s->registers[1] >= 0;
}

static int schedule(int major, int minor, const tsl_occupancy_kernel *k)
{
    const bool small = major == 1 && minor < 2;
    const int whole_registers = major == 2 ? 32768 : small ? 8192 : 16384;
    scheduler s = {.warps = major == 2 ? 48
                            : small    ? 24
                                       : 32,
                   .blocks = 8,
                   .shared = major == 2 ? 49152 : 16384};
    s.registers[0] = major == 2 ? whole_registers / 2 : whole_registers;
    s.registers[1] = major == 2 ? whole_registers / 2 : 0;
    int blocks = 0;
    const int warps = (k->threads + 31) / 32;
    if (k->threads > (major == 2 ? 1024 : 512) || k->registers > (major == 2 ? 63 : 124) ||
        /* a launch counts an even number of warps */
        (major == 2 && of_warp(k->registers) * (warps + warps % 2) > whole_registers)) {
        return 0;
    }
    while (place(&s, k, major == 1, small ? 256 : 512)) {
        blocks++;
    }
    return blocks;
}

static void test_1x_and_2x_against_a_scheduler(void **unused)
{
    (void)unused;
    static const int capabilities[][2] = {{1, 0}, {1, 1}, {1, 2}, {1, 3}, {2, 0}, {2, 1}};
    for (int i = 0; i < 6; i++) {
        const int major = capabilities[i][0], minor = capabilities[i][1];
        const tsl_multiprocessor *m = tsl_multiprocessor_find(major, minor);
        int launched = 0;
        state = UINT64_C(88172645463325252);
        for (int c = 0; c < 100000; c++) {
            tsl_occupancy_kernel k = draw(major == 2 ? 1100 : 540, chance(0, 1) ? 32 : 130, 6000);
            tsl_occupancy_result r;
            k.carveout = TSL_CARVEOUT_DEFAULT;
            k.barriers = 1;
            assert_int_equal(tsl_occupancy(&r, m, &k), TSL_OK);
            if (r.blocks != schedule(major, minor, &k)) {
                print_error("%d.%d: %d threads, %d registers, %d bytes: %d blocks, not %d\n", major,
                            minor, k.threads, k.registers,
                            (int)(k.static_shared + k.dynamic_shared), r.blocks,
                            schedule(major, minor, &k));
                fail();
            }
            launched += r.blocks > 0;
        }
        assert_in_range(launched, 25000, 100000);
    }
}

/* ---- changes ------------------------------------------------------------------------------ */

static int blocks_of(const tsl_multiprocessor *m, const tsl_occupancy_kernel *k)
{
    tsl_occupancy_result r;
    assert_int_equal(tsl_occupancy(&r, m, k), TSL_OK);
    return r.blocks;
}

/* Whatever was taken away, with one of it more the block is lost. */
static void check_nearest(const tsl_multiprocessor *m, const tsl_occupancy_kernel *before,
                          const tsl_occupancy_gain *gain, int blocks)
{
    tsl_occupancy_kernel k = gain->kernel;
    assert_true(blocks_of(m, &k) > blocks);
    assert_int_equal(gain->result.blocks, blocks_of(m, &k));
    assert_int_equal(k.threads, before->threads);
    if (k.registers != before->registers) {
        k.registers++;
        assert_true(blocks_of(m, &k) <= blocks);
        k.registers--;
    }
    if (k.dynamic_shared != before->dynamic_shared) {
        k.dynamic_shared++;
        assert_true(blocks_of(m, &k) <= blocks);
        k.dynamic_shared--;
    }
    if (k.static_shared != before->static_shared) {
        k.static_shared++;
        assert_true(blocks_of(m, &k) <= blocks);
        k.static_shared--;
    }
    if (k.barriers != before->barriers) {
        k.barriers++;
        assert_true(blocks_of(m, &k) <= blocks);
    }
}

static void check_threads(const tsl_multiprocessor *m, const tsl_occupancy_kernel *kernel,
                          const tsl_occupancy_gain *gain, int warps)
{
    tsl_occupancy_kernel k = *kernel;
    int nearest = 0;
    for (int far = 0; far <= 1200 && nearest == 0; far++) {
        for (int side = -1; side <= 1; side += 2) {
            k.threads = kernel->threads + side * far;
            if (nearest == 0 && k.threads > 0 && k.threads % 32 == 0 &&
                blocks_of(m, &k) * (k.threads / 32) > warps) {
                nearest = k.threads;
            }
        }
    }
    assert_int_equal(gain->found_threads, nearest > 0);
    assert_int_equal(gain->threads, nearest);
}

static void test_nearest_changes(void **unused)
{
    (void)unused;
    int found = 0, without = 0, several = 0;
    state = 42;
    for (int c = 0; c < 4000; c++) {
        const tsl_multiprocessor *m =
            tsl_multiprocessor_at(chance(0, tsl_multiprocessor_count() - 1));
        const tsl_occupancy_kernel k = draw(1060, 140, chance(0, 1) ? 2000 : 60000);
        tsl_occupancy_gain gain;
        tsl_occupancy_result r;
        assert_int_equal(tsl_occupancy(&r, m, &k), TSL_OK);
        assert_int_equal(tsl_occupancy_find_gain(&gain, m, &k), TSL_OK);
        if (gain.found) {
            check_nearest(m, &k, &gain, r.blocks);
            several += (gain.kernel.registers != k.registers) +
                           (gain.kernel.static_shared + gain.kernel.dynamic_shared !=
                            k.static_shared + k.dynamic_shared) >
                       1;
        } else { /* not even a kernel that takes nothing gains a block */
            tsl_occupancy_kernel nothing = k;
            nothing.registers = 0;
            nothing.static_shared = nothing.dynamic_shared = 0;
            nothing.barriers = 0;
            assert_int_equal(blocks_of(m, &nothing) > r.blocks, 0);
            without++;
        }
        check_threads(m, &k, &gain, r.warps);
        found += gain.found;
    }
    assert_true(found > 1000 && without > 300 && several > 30);
}

/* ---- what is refused ---------------------------------------------------------------------- */

static void refused(const tsl_multiprocessor *m, const tsl_occupancy_kernel *k, const char *word)
{
    tsl_occupancy_result r = {.blocks = 77};
    tsl_occupancy_gain gain = {.found = 77};
    assert_int_equal(tsl_occupancy(&r, m, k), TSL_E_ARG);
    assert_non_null(strstr(tsl_last_error(NULL), word));
    assert_int_equal(r.blocks, 77);
    assert_int_equal(tsl_occupancy_find_gain(&gain, m, k), TSL_E_ARG);
    assert_int_equal(gain.found, 77);
}

static void test_refusals(void **unused)
{
    (void)unused;
    const tsl_multiprocessor *m = tsl_multiprocessor_find(9, 0);
    tsl_occupancy_kernel good = TSL_OCCUPANCY_KERNEL_INIT;
    good.threads = 32;
    tsl_occupancy_kernel k = good;
    k.threads = 0;
    refused(m, &k, "0 threads");
    k = good, k.registers = -1;
    refused(m, &k, "-1 registers");
    k = good, k.static_shared = -1;
    refused(m, &k, "bytes of shared memory");
    k = good, k.dynamic_shared = INT64_MAX;
    refused(m, &k, "bytes of shared memory");
    k = good, k.arguments = -4;
    refused(m, &k, "bytes of shared memory");
    k = good, k.barriers = 17;
    refused(m, &k, "17 barriers");
    k = good, k.carveout = 101;
    refused(m, &k, "101 percent");
    k = good, k.size = 0;
    refused(m, &k, "size");
    tsl_multiprocessor copy = *m;
    copy.size = 0;
    refused(&copy, &good, "size");
}

static void test_look_up(void **unused)
{
    (void)unused;
    assert_null(tsl_multiprocessor_find(4, 0));
    assert_null(tsl_multiprocessor_find(9, 1));
    assert_null(tsl_multiprocessor_at(-1));
    assert_null(tsl_multiprocessor_at(tsl_multiprocessor_count()));
    assert_null(tsl_occupancy_limit_name((tsl_occupancy_limit)TSL_OCCUPANCY_LIMITS));
    int before = 0;
    for (int i = 0; i < tsl_multiprocessor_count(); i++) {
        const tsl_multiprocessor *m = tsl_multiprocessor_at(i);
        assert_true(100 * m->major + m->minor > before);
        before = 100 * m->major + m->minor;
        assert_ptr_equal(tsl_multiprocessor_find(m->major, m->minor), m);
        assert_true(strlen(m->sources) > 10);
        assert_true(m->carveouts == 0 || m->carveout[m->carveouts - 1] * 1024 == m->shared);
    }
    for (int i = 0; i < TSL_OCCUPANCY_LIMITS; i++) {
        assert_non_null(tsl_occupancy_limit_name((tsl_occupancy_limit)i));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_table_of_the_course),
                                       cmocka_unit_test(test_known_cases),
                                       cmocka_unit_test(test_arguments_count_on_1x_only),
                                       cmocka_unit_test(test_carveouts),
                                       cmocka_unit_test(test_1x_and_2x_against_a_scheduler),
                                       cmocka_unit_test(test_nearest_changes),
                                       cmocka_unit_test(test_refusals),
                                       cmocka_unit_test(test_look_up)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
