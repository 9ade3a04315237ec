/* TSL_CLONES before a function compiles it for several instruction sets; the loader picks the best
 * that the processor has. Results don't depend on the choice: contraction is off.
 *
 * TSL_FUSED_CLONES is for functions that call fma(): an instruction in sets that have it, else the
 * C library's function, with the same result at some ten times the price. */
#ifndef TSL_CLONES_H
#define TSL_CLONES_H

/* No clones with sanitizers, which are not running yet when the loader picks one. */
#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(__clang__) &&   \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define TSL_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#if __GNUC__ >= 12
#define TSL_FUSED_CLONES                                                                           \
    __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define TSL_FUSED_CLONES __attribute__((target_clones("fma", "default")))
#endif
#else
#define TSL_CLONES
#define TSL_FUSED_CLONES
#endif

/* Bytes of a vector, in code that is written with vectors. Nearly all of those instruction sets
 * have registers of this width. Compilers keep wider vectors in memory, at half the speed and
 * less. */
#ifdef __x86_64__
#define TSL_VECTOR_BYTES 32
#else
#define TSL_VECTOR_BYTES 16
#endif

#endif
