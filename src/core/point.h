/* Functions of the mathematics, one source for CPU and GPU: the common subset of C11 and C++17. */
#ifndef TSL_POINT_H
#define TSL_POINT_H

#ifdef __CUDACC__
#define TSL_FN static inline __host__ __device__
#else
#define TSL_FN static inline
#endif

#endif
