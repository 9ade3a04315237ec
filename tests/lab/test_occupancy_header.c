/* The rule against NVIDIA's own: cuda_occupancy.h of the CUDA toolkit, which needs no GPU, where
 * the toolkit is. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "tesela/occupancy.h"

#ifdef TSL_HAVE_CUDA_OCCUPANCY

#include <cuda_occupancy.h>

enum { CONFIGURATIONS = 100000 };

/* Marsaglia's xorshift64: the same configurations everywhere. */
static uint64_t state;

static int chance(int low, int high)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return low + (int)((state >> 16) % (uint64_t)(high - low + 1));
}

static cudaOccDeviceProp properties_of(const tsl_multiprocessor *m)
{
    return (cudaOccDeviceProp){.computeMajor = m->major,
                               .computeMinor = m->minor,
                               .maxThreadsPerBlock = m->block_threads,
                               .maxThreadsPerMultiprocessor = m->warps * TSL_WARP,
                               .regsPerBlock = m->block_registers,
                               .regsPerMultiprocessor = m->registers,
                               .warpSize = TSL_WARP,
                               .sharedMemPerBlock = (size_t)m->block_shared,
                               .sharedMemPerMultiprocessor = (size_t)m->shared,
                               .numSms = 1,
                               .sharedMemPerBlockOptin = (size_t)m->block_shared_opt_in,
                               .reservedSharedMemPerBlock = (size_t)m->reserved_shared};
}

/* Small numbers are as likely as large ones, and those beyond the limits come too. */
static tsl_occupancy_kernel draw(const tsl_multiprocessor *m)
{
    tsl_occupancy_kernel k = TSL_OCCUPANCY_KERNEL_INIT;
    static const int carveouts[] = {TSL_CARVEOUT_MAX_L1, TSL_CARVEOUT_EQUAL,
                                    TSL_CARVEOUT_MAX_SHARED};
    k.threads = chance(0, 3) > 0 ? 32 * chance(1, 33) : chance(1, 1100);
    k.registers = chance(0, chance(0, 1) ? 64 : 255);
    k.static_shared = chance(0, 1) ? chance(0, chance(0, 1) ? 4096 : (int)m->block_shared) : 0;
    k.dynamic_shared = chance(0, 1) ? chance(0, chance(0, 1) ? 8192 : (int)m->shared + 2048) : 0;
    k.barriers = chance(0, 1) ? chance(0, 16) : 1;
    k.no_opt_in = chance(0, 1);
    if (chance(0, 1)) {
        k.carveout = m->major < 7 ? carveouts[chance(0, 2)] : chance(0, 100);
    }
    return k;
}

static cudaOccResult ask(const tsl_multiprocessor *m, const tsl_occupancy_kernel *k)
{
    const cudaOccDeviceProp properties = properties_of(m);
    cudaOccFuncAttributes attributes = {.maxThreadsPerBlock = INT_MAX,
                                        .numRegs = k->registers,
                                        .sharedSizeBytes = (size_t)k->static_shared,
                                        .shmemLimitConfig = k->no_opt_in ? FUNC_SHMEM_LIMIT_DEFAULT
                                                                         : FUNC_SHMEM_LIMIT_OPTIN,
                                        .maxDynamicSharedSizeBytes = (size_t)k->dynamic_shared,
                                        .numBlockBarriers = k->barriers};
    cudaOccDeviceState preference = {.carveoutConfig = k->carveout};
    if (m->major < 7) {
        preference.carveoutConfig = SHAREDMEM_CARVEOUT_DEFAULT;
        preference.cacheConfig = k->carveout == TSL_CARVEOUT_MAX_L1  ? CACHE_PREFER_L1
                                 : k->carveout == TSL_CARVEOUT_EQUAL ? CACHE_PREFER_EQUAL
                                                                     : CACHE_PREFER_NONE;
    }
    cudaOccResult result = {0};
    assert_int_equal(cudaOccMaxActiveBlocksPerMultiprocessor(&result, &properties, &attributes,
                                                             &preference, k->threads,
                                                             (size_t)k->dynamic_shared),
                     CUDA_OCC_SUCCESS);
    return result;
}

/* Each limit by itself, and what is given to a block where one can be launched. */
static bool same(const tsl_occupancy_result *ours, const cudaOccResult *theirs)
{
    return ours->blocks == theirs->activeBlocksPerMultiprocessor &&
           ours->allowed[TSL_LIMIT_WARPS] == theirs->blockLimitWarps &&
           ours->allowed[TSL_LIMIT_REGISTERS] == theirs->blockLimitRegs &&
           ours->allowed[TSL_LIMIT_SHARED] == theirs->blockLimitSharedMem &&
           ours->allowed[TSL_LIMIT_BARRIERS] == theirs->blockLimitBarriers &&
           ours->allowed[TSL_LIMIT_BLOCKS] == theirs->blockLimitBlocks &&
           ours->block_registers == theirs->allocatedRegistersPerBlock &&
           ours->block_shared == (int64_t)theirs->allocatedSharedMemPerBlock;
}

static void test_equal_to_header(void **unused)
{
    (void)unused;
    int capabilities = 0;
    for (int i = 0; i < tsl_multiprocessor_count(); i++) {
        const tsl_multiprocessor *m = tsl_multiprocessor_at(i);
        if (m->major < 3) {
            continue;
        }
        int different = 0, launched = 0, by_registers = 0;
        state = UINT64_C(0x9e3779b97f4a7c15);
        for (int c = 0; c < CONFIGURATIONS; c++) {
            const tsl_occupancy_kernel k = draw(m);
            tsl_occupancy_result ours;
            assert_int_equal(tsl_occupancy(&ours, m, &k), TSL_OK);
            const cudaOccResult theirs = ask(m, &k);
            launched += ours.blocks > 0;
            /* the header's limit of 3.0 is 255 registers a thread */
            if (m->major == 3 && m->minor == 0 && k.registers > m->thread_registers) {
                assert_int_equal(ours.blocks, 0);
                by_registers++;
                continue;
            }
            if (!same(&ours, &theirs) && different++ == 0) {
                print_error(
                    "%d.%d: %d threads, %d registers, %d + %d bytes, %d barriers, carve-out "
                    "%d: %d blocks, not %d\n",
                    m->major, m->minor, k.threads, k.registers, (int)k.static_shared,
                    (int)k.dynamic_shared, k.barriers, k.carveout, ours.blocks,
                    theirs.activeBlocksPerMultiprocessor);
            }
        }
        assert_int_equal(different, 0);
        assert_in_range(launched, CONFIGURATIONS / 3,
                        CONFIGURATIONS); /* else little was compared */
        assert_true(by_registers == 0 || m->minor == 0);
        capabilities++;
    }
    assert_int_equal(capabilities, 23);
    print_message("%d capabilities, %d configurations each\n", capabilities, CONFIGURATIONS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_equal_to_header)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
    puts("skipped: cuda_occupancy.h was not found: it comes with CUDA's toolkit");
    return 77;
}

#endif
