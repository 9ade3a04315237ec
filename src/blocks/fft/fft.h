/* Batches of discrete Fourier transforms, unnormalised, in the advanced layout that FFTW and cuFFT
 * share. */
#ifndef TSL_FFT_H
#define TSL_FFT_H

#include "core/core.h"

/* Bytes of a real number. */
typedef enum tsl_precision { TSL_SINGLE = 4, TSL_DOUBLE = 8 } tsl_precision;

typedef enum tsl_fft_kind {
    TSL_FFT_FORWARD, /* complex to complex, exp(-i …) */
    TSL_FFT_BACKWARD,
    TSL_FFT_REAL_FORWARD, /* real to half-complex along the last axis */
    TSL_FFT_REAL_BACKWARD /* half-complex to real; destroys its input */
} tsl_fft_kind;

/* Element (x, y, …) of transform t is at t * distance + ((x * embed[1] + y) * embed[2] + …) *
 * stride; strides, distances and embeds count elements of that side's type, real or complex. */
typedef struct tsl_fft_layout {
    int embed[3];
    int stride;
    int distance;
} tsl_fft_layout;

/* Is a plan still wanted? Asked before each that the library measures for. */
typedef struct tsl_fft_patience {
    bool (*is_wanted)(void *user);
    void *user;
} tsl_fft_patience;

typedef struct tsl_fft_description {
    tsl_fft_kind kind;
    tsl_precision precision;
    int rank;  /* 1 … 3 */
    int n[3];  /* lengths of the real-space array, slowest first */
    int count; /* transforms a call, >= 1 */
    tsl_fft_layout in, out;
    bool in_place; /* execute() will get out == in */
    bool seldom;   /* it is done too few times for measuring to pay: the library guesses */
    bool estimate; /* the library guesses, unless TSL_FFT_EFFORT_VARIABLE says otherwise */
    const tsl_fft_patience *patience; /* of create() on the CPU; NULL: it is wanted */
} tsl_fft_description;

/* A prepared transform. */
typedef struct tsl_fft tsl_fft;

typedef struct tsl_fft_ops {
    /* Measures a few ways to do it, on memory of its own, unless it is done seldom.
     * TSL_E_CANCELLED: it is not wanted any more. */
    tsl_status (*create)(tsl_fft **out, tsl_context *context, const tsl_fft_description *what);
    void (*destroy)(tsl_fft *fft); /* NULL is fine */
    /* Device memory that create() would take, bytes; what a library refuses needs none. */
    int64_t (*needs)(tsl_context *context, const tsl_fft_description *what);
    /* `in` and `out` are device addresses aligned to 64 bytes. Asynchronous on the context's
     * stream; on cpu the transform is done by the calling thread, and several may execute one plan
     * at once. */
    tsl_status (*execute)(const tsl_fft *fft, void *in, void *out);
    /* Memory that the plan holds, bytes: on a GPU the workspace that the library asked for; on the
     * CPU what malloc gave the library while it planned, without the buffers that it takes and
     * returns while it executes. -1: not known, because malloc does not tell. */
    int64_t (*workspace)(const tsl_fft *fft);
} tsl_fft_ops;

/* How long the CPU's library looks for a fast plan: measure, estimate, which saves a short run its
 * start and makes the same plan each time, or patient. Without it, or with an empty one, plans
 * measure but for those whose description says that they estimate. */
#define TSL_FFT_EFFORT_VARIABLE "TESELA_FFTW"

extern const tsl_fft_ops tsl_fft_cpu;

/* What the CPU's library has learned by measuring in this process, in one precision: *bytes bytes
 * of text with its 0, the caller's. */
tsl_status tsl_fft_export(char **out, int64_t *bytes, tsl_context *context,
                          tsl_precision precision);
/* Know that too: alike plans are made without measuring. What another version of the library
 * learned is left out. */
void tsl_fft_import(const char *text, tsl_precision precision);
/* For tests: plans that this process has measured for. */
int64_t tsl_test_fft_measured(void);

/* Name and version of the CPU's library. */
const char *tsl_fft_library(void);

#endif
