/* Kernels of core/block.h whose blocks are one warp of 32 threads, and what such threads can do
 * together: look at each other's variables without shared memory and without a barrier.
 *
 *     TSL_KERNEL(turn, turn_arguments)
 *     {
 *         TSL_PRIVATE(float, mine);
 *         TSL_PRIVATE(float, next);
 *         TSL_WARP_PHASE { mine[TSL_OWN] = a.values[thread]; }
 *         TSL_WARP_PHASE { next[TSL_OWN] = TSL_FROM_LANE(mine, (thread + 1) % TSL_WARP); }
 *         TSL_WARP_PHASE { a.values[thread] = next[TSL_OWN]; }
 *     }
 *
 * A warp phase is a phase without a barrier at its end. As in any phase, no thread may read what
 * another writes in it: TSL_FROM_LANE and TSL_BALLOT read variables of TSL_PRIVATE that an earlier
 * phase wrote. All 32 threads come to each of them, inside of a phase or outside. What threads
 * leave for each other in memory needs a TSL_PHASE. Blocks of more threads may have warp phases
 * too, but not TSL_FROM_LANE and TSL_BALLOT.
 *
 * A warp multiplies small matrices, which GPUs have units for (tensor cores):
 *
 *     TSL_WARP_MULTIPLY(sums->of[1], sizeof *sums, left->of, sizeof *left,
 *                       right->of, sizeof *right);
 *
 * adds to a 16 x 8 matrix the product of a 16 x 16 and a 16 x 8 one. It stands outside of phases,
 * of blocks of any number of whole warps, each of which has matrices of its own, in variables of
 * TSL_PRIVATE: where the first thread's part is, and the bytes of such a variable. Thread
 * 4 r + c of a warp has of the sums float [4]: rows r and r + 8, of each columns 2 c and 2 c + 1;
 * of the left uint32_t [4]: rows r, r + 8, r, r + 8, of the first two columns 2 c and 2 c + 1, of
 * the others 2 c + 8 and 2 c + 9; of the right uint32_t [2]: column r, rows 2 c and 2 c + 1, then
 * 2 c + 8 and 2 c + 9. Two numbers share 32 bits, the first the lower ones; each is the upper half
 * of a float (bfloat16, 8 significant bits). Products are exact. Sums are in single precision;
 * how each addition of them rounds is up to the device. Source: PTX ISA, mma.m16n8k16.
 *
 * TSL_WARP_MULTIPLY_DOUBLE, of the same parameters, adds to a 16 x 8 matrix of doubles the product
 * of a 16 x 8 and an 8 x 8 one. Thread 4 r + c has of the sums double [4], as above; of the left
 * double [4]: rows r and r + 8 of column c, then of column c + 4; of the right double [2]: column
 * r, rows c and c + 4. On sim each of the eight products is added in the order of the left
 * columns, with one rounding. Source: PTX ISA, mma.m16n8k8 and, before compute capability 9.0,
 * mma.m8n8k4. */
#ifndef TSL_WARP_H
#define TSL_WARP_H

#include <math.h>
#include <string.h>

#include "core/block.h"

enum { TSL_WARP = 32 };

#ifdef __CUDACC__

#define TSL_WARP_PHASE                                                                             \
    for ([[maybe_unused]] int thread = (int)threadIdx.x, tsl_once = 1; tsl_once; tsl_once = 0)
/* The variable of another thread. */
#define TSL_FROM_LANE(name, lane) __shfl_sync(~0U, (name)[0], (lane))
/* Bit k: is the variable of thread k not 0? */
#define TSL_BALLOT(name) __ballot_sync(~0U, (name)[0])
#define TSL_COUNT_BITS(bits) __popc(bits)
/* The number of the lowest bit that is set; of 0 there is none. */
#define TSL_LOWEST_BIT(bits) (__ffs((int)(bits)) - 1)
#define TSL_WARP_MULTIPLY(sums, sums_size, left, left_size, right, right_size)                     \
    tsl_warp_multiply(sums, left, right)

static __device__ __forceinline__ void tsl_warp_multiply(float *sums, const uint32_t *left,
                                                         const uint32_t *right)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, "
                 "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
                 : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "r"(right[0]),
                   "r"(right[1]));
}

#define TSL_WARP_MULTIPLY_DOUBLE(sums, sums_size, left, left_size, right, right_size)              \
    tsl_warp_multiply_double(sums, left, right)

static __device__ __forceinline__ void tsl_warp_multiply_double(double *sums, const double *left,
                                                                const double *right)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, "
                 "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+d"(sums[0]), "+d"(sums[1]), "+d"(sums[2]), "+d"(sums[3])
                 : "d"(left[0]), "d"(left[1]), "d"(left[2]), "d"(left[3]), "d"(right[0]),
                   "d"(right[1]));
#else
#pragma unroll
    for (int part = 0; part < 4; part++) {
        double *const two = sums + part % 2 * 2;
        asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, "
                     "{%0, %1};"
                     : "+d"(two[0]), "+d"(two[1])
                     : "d"(left[part]), "d"(right[part / 2]));
    }
#endif
}

#else

#define TSL_WARP_PHASE TSL_PHASE
#define TSL_FROM_LANE(name, lane) ((name)[(lane)])
#define TSL_BALLOT(name) tsl_ballot(name)
#define TSL_COUNT_BITS(bits) __builtin_popcount(bits)
#define TSL_LOWEST_BIT(bits) __builtin_ctz(bits)

static inline uint32_t tsl_ballot(const int *hits)
{
    uint32_t bits = 0;
    for (int lane = 0; lane < TSL_WARP; lane++) {
        bits |= (uint32_t)(hits[lane] != 0) << lane;
    }
    return bits;
}

#define TSL_WARP_MULTIPLY(sums, sums_size, left, left_size, right, right_size)                     \
    tsl_warp_multiply(TSL_THREADS, sums, sums_size, left, left_size, right, right_size)

/* The float whose upper half is the lower (0) or upper (1) half of `pair`. */
static inline float tsl_upper_half(uint32_t pair, size_t which)
{
    const uint32_t bits = which ? pair & 0xffff0000U : pair << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Threads' parts are that many numbers from each other. */
static inline void tsl_multiply_of_warp(float *sums, size_t sums_step, const uint32_t *left,
                                        size_t left_step, const uint32_t *right, size_t right_step)
{
    float a[16][16], b[8][16];
    for (size_t lane = 0; lane < TSL_WARP; lane++) {
        const size_t r = lane / 4, c = lane % 4 * 2;
        for (size_t e = 0; e < 8; e++) {
            a[r + e / 2 % 2 * 8][c + e / 4 * 8 + e % 2] =
                tsl_upper_half(left[lane * left_step + e / 2], e % 2);
        }
        for (size_t e = 0; e < 4; e++) {
            b[r][c + e / 2 * 8 + e % 2] = tsl_upper_half(right[lane * right_step + e / 2], e % 2);
        }
    }
    for (size_t lane = 0; lane < TSL_WARP; lane++) {
        for (size_t e = 0; e < 4; e++) {
            const float *const row = a[lane / 4 + e / 2 * 8];
            const float *const column = b[lane % 4 * 2 + e % 2];
            float sum = 0;
            for (int k = 0; k < 16; k++) {
                sum += row[k] * column[k];
            }
            sums[lane * sums_step + e] += sum;
        }
    }
}

/* Threads' parts are that many bytes from each other. */
static inline void tsl_warp_multiply(int threads, float *sums, size_t sums_size,
                                     const uint32_t *left, size_t left_size, const uint32_t *right,
                                     size_t right_size)
{
    const size_t s = sums_size / sizeof *sums, l = left_size / sizeof *left;
    const size_t r = right_size / sizeof *right;
    for (int warp = 0; warp < threads; warp += TSL_WARP) {
        const size_t first = (size_t)warp;
        tsl_multiply_of_warp(sums + first * s, s, left + first * l, l, right + first * r, r);
    }
}

#define TSL_WARP_MULTIPLY_DOUBLE(sums, sums_size, left, left_size, right, right_size)              \
    tsl_warp_multiply_double(TSL_THREADS, sums, sums_size, left, left_size, right, right_size)

/* Threads' parts are that many numbers from each other. */
static inline void tsl_multiply_doubles_of_warp(double *sums, size_t sums_step, const double *left,
                                                size_t left_step, const double *right,
                                                size_t right_step)
{
    double a[16][8], b[8][8];
    for (size_t lane = 0; lane < TSL_WARP; lane++) {
        const size_t r = lane / 4, c = lane % 4;
        for (size_t e = 0; e < 4; e++) {
            a[r + e % 2 * 8][c + e / 2 * 4] = left[lane * left_step + e];
        }
        for (size_t e = 0; e < 2; e++) {
            b[r][c + e * 4] = right[lane * right_step + e];
        }
    }
    for (size_t lane = 0; lane < TSL_WARP; lane++) {
        for (size_t e = 0; e < 4; e++) {
            const double *const row = a[lane / 4 + e / 2 * 8];
            const double *const column = b[lane % 4 * 2 + e % 2];
            double sum = sums[lane * sums_step + e];
            for (int k = 0; k < 8; k++) {
                sum = fma(row[k], column[k], sum);
            }
            sums[lane * sums_step + e] = sum;
        }
    }
}

/* Threads' parts are that many bytes from each other. */
static inline void tsl_warp_multiply_double(int threads, double *sums, size_t sums_size,
                                            const double *left, size_t left_size,
                                            const double *right, size_t right_size)
{
    const size_t s = sums_size / sizeof *sums, l = left_size / sizeof *left;
    const size_t r = right_size / sizeof *right;
    for (int warp = 0; warp < threads; warp += TSL_WARP) {
        const size_t first = (size_t)warp;
        tsl_multiply_doubles_of_warp(sums + first * s, s, left + first * l, l, right + first * r,
                                     r);
    }
}

#endif

/* tsl_copy_pair() of 16 bytes that hold numbers of any type. tsl_copies_done() waits for it. */
TSL_THREAD_FN void tsl_copy_piece(void *to, const void *from)
{
#ifdef __CUDA_ARCH__
    tsl_copy_pair((double *)to, (const double *)from);
#else
    memcpy(to, from, 16);
#endif
}

/* The same where `there` says so; zeros, and nothing is read, elsewhere. */
TSL_THREAD_FN void tsl_copy_piece_or_zeros(void *to, const void *from, int there)
{
#ifdef __CUDA_ARCH__
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(
                     (unsigned)__cvta_generic_to_shared(to)),
                 "l"(__cvta_generic_to_global(from)), "r"(there ? 16 : 0)
                 : "memory");
#else
    if (there) {
        memcpy(to, from, 16);
    } else {
        memset(to, 0, 16);
    }
#endif
}

#endif
