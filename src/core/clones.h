/* TSL_CLONES before a function compiles it for several instruction sets; the loader picks the best
 * that the processor has. Results don't depend on the choice: contraction is off. */
#ifndef TSL_CLONES_H
#define TSL_CLONES_H

/* Sanitizers are not up yet when the loader picks. */
#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(__clang__) &&   \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define TSL_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define TSL_CLONES
#endif

/* Of a vector in code that is written with them: what nearly all of those instruction sets have
 * registers for. Compilers keep wider ones in memory, at half the speed and less. */
#ifdef __x86_64__
#define TSL_VECTOR_BYTES 32
#else
#define TSL_VECTOR_BYTES 16
#endif

#endif
