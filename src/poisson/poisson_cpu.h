/* What the files of the CPU's Poisson solver share. */
#ifndef TSL_POISSON_CPU_H
#define TSL_POISSON_CPU_H

#include "poisson/segments.h"

struct tsl_poisson_solver {
    tsl_poisson_rank rank;
    tsl_context *context;
    const void *spectrum;
    int axis;                                  /* of the solve under way: tsl_poisson_ops */
    int64_t plane;                             /* bytes from one x to the next among the rows */
    char *rows;                                /* [x][y][row] complex */
    int64_t a_scratch;                         /* bytes */
    char *scratch;                             /* a thread's [max(m0, m1)][width] complex */
    tsl_fft *rows_forward, *rows_backward;     /* a plane's */
    tsl_fft *second_forward, *second_backward; /* a plane's of a block */
    tsl_fft *first_forward, *first_backward;   /* of lines */
};

/* ---- stages of a segment (poisson_cpu_stages.c) ------------------------------------------- */

/* Items of a stage, which may be done in any order and by several threads. */
int64_t tsl_poisson_items(const tsl_poisson_solver *solver, tsl_poisson_stage stage, int segment);
void tsl_poisson_item(const tsl_poisson_solver *solver, tsl_poisson_stage stage, int segment,
                      int lane, int64_t item);

#endif
