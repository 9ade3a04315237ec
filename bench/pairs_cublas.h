/* What bench/pairs compares distances with on a GPU: products by cuBLAS. */
#ifndef TSL_BENCH_PAIRS_CUBLAS_H
#define TSL_BENCH_PAIRS_CUBLAS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Seconds on the current device, medians of several runs, for n points of d numbers on the host,
 * of 4 or 8 bytes each. seconds[0]: the lower triangle of all products of two points
 * (cublasSsyrk, cublasDsyrk), which is less than distances need. seconds[1]: what PyTorch's
 * cdist() does by products (compute_mode use_mm_for_euclid_dist): one product of matrices with the
 * squares of lengths as two more columns, then one pass that bounds the n^2 results from below and
 * one that takes roots. Returns NULL, or what failed. */
const char *pairs_cublas(double seconds[2], const void *values, int64_t n, int d, int precision);

#ifdef __cplusplus
}
#endif

#endif
