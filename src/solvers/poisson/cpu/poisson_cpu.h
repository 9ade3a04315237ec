/* What the files of the CPU's Poisson solver share. */
#ifndef TSL_POISSON_CPU_H
#define TSL_POISSON_CPU_H

#include "solvers/poisson/ranks/segments.h"

enum { TSL_STANDING_SIZES = 2, TSL_STANDING_PARTS = 2 };

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
    tsl_fft *standing[TSL_STANDING_SIZES][TSL_STANDING_PARTS][2]; /* strided: of lines where they
                                                stand, of a whole segment and of the last, of a
                                                whole piece and of what is left, there and back */
};

/* Lines along the first axis of a segment, where they stand: `runs` of `run` numbers side by side,
 * each cut into `pieces` of a block's width; `pitch` numbers from one x to the next. */
typedef struct tsl_poisson_standing {
    bool in_rows; /* a run a line, among the rows; else one run of all lines, in a buffer */
    int run, runs, pieces;
    int64_t pitch;
} tsl_poisson_standing;

/* `plane`: bytes from one x to the next among the rows. */
tsl_poisson_standing tsl_poisson_standing_of(const tsl_poisson_rank *rank, int64_t plane,
                                             int columns);

/* ---- stages of a segment (poisson_cpu_stages.c) ------------------------------------------- */

/* Items of a stage, which may be done in any order and by several threads. */
int64_t tsl_poisson_items(const tsl_poisson_solver *solver, tsl_poisson_stage stage, int segment);
void tsl_poisson_item(const tsl_poisson_solver *solver, tsl_poisson_stage stage, int segment,
                      int lane, int64_t item);

#endif
