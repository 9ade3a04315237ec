/* What a kernel of a CUDA file takes, as NVIDIA's compiler tells; no GPU is needed. */
#ifndef TSL_LAB_PTXAS_H
#define TSL_LAB_PTXAS_H

#include "core/core.h"

typedef struct tsl_ptxas_use {
    int registers;         /* of a thread */
    int barriers;          /* of a block; -1: the compiler, an older one, does not tell */
    int64_t static_shared; /* bytes of a block */
    int64_t system_shared; /* bytes of a block that compilers for 1.x tell besides: 16 and the
                              kernel's arguments */
    int64_t spilled;       /* bytes that a thread stores for want of registers */
} tsl_ptxas_use;

/* Find a kernel in what `nvcc -Xptxas -v` has printed. `name` is its name, with or without its
 * namespaces, or its mangled name, which tells apart what a template makes. `file` is for errors:
 * TSL_E_ARG if there is none of that name, or several. */
tsl_status tsl_ptxas_find(tsl_ptxas_use *out, tsl_context *context, const char *printed,
                          const char *file, const char *name);

/* Compile a file for a compute capability and find one of its kernels. The compiler is $CUDACXX, or
 * nvcc of PATH, or that of /usr/local/cuda. `extra`, ended by NULL, are further arguments of it.
 * TSL_E_UNSUPPORTED if there is none; TSL_E_FORMAT if it refuses the file, with its first line of
 * error; TSL_E_IO; TSL_E_NOMEM; errors of tsl_ptxas_find(). */
tsl_status tsl_ptxas_measure(tsl_ptxas_use *out, tsl_context *context, const char *file,
                             const char *name, int major, int minor, char *const extra[]);

#endif
