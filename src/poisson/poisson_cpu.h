/* What the files of the CPU's Poisson solver share. */
#ifndef TSL_POISSON_CPU_H
#define TSL_POISSON_CPU_H

#include "comm/comm.h"
#include "poisson/poisson.h"

/* A rank's side of one exchange, [ranks of the group] each: what it has before, and after. */
typedef struct tsl_poisson_parts {
    int64_t *bytes[2], *offsets[2];
} tsl_poisson_parts;

struct tsl_poisson_solver {
    tsl_context *context;
    tsl_poisson_grid grid;
    tsl_poisson_share share;
    const void *spectrum;
    int axis;                /* of the solve under way: tsl_poisson_ops */
    tsl_poisson_rows mine;   /* rows of this rank */
    tsl_poisson_range x;     /* planes of its group of q */
    tsl_poisson_lines lines; /* its lines along the first axis */
    tsl_comm *groups[2];     /* of q ranks: rows to columns; of p: columns to lines; NULL: one */
    tsl_poisson_parts parts; /* of the exchange under way */
    int64_t *numbers;        /* theirs */
    bool planes;             /* the second axis is transformed with the rows, a plane at a time */
    int64_t plane;           /* bytes from one x to the next among the rows */
    char *rows;              /* [x][y][row] complex */
    int64_t buffer;          /* bytes of one */
    char *buffers;           /* of each lane two, there and back; alone one or none */
    int64_t a_scratch;       /* bytes */
    char *scratch;           /* a thread's [max(m0, m1)][width] complex */
    tsl_fft *rows_forward, *rows_backward;     /* a plane's */
    tsl_fft *second_forward, *second_backward; /* a plane's of a block */
    tsl_fft *first_forward, *first_backward;   /* of lines */
};

static inline int64_t tsl_poisson_complex(const tsl_poisson_grid *grid)
{
    return 2 * (int64_t)grid->precision;
}

/* ---- stages of a segment (poisson_cpu_stages.c) ------------------------------------------- */

typedef enum tsl_poisson_stage {
    TSL_POISSON_GATHER,      /* rows to what others' columns need */
    TSL_POISSON_SECOND,      /* columns along the second axis, to what others' lines need */
    TSL_POISSON_FIRST,       /* lines along the first axis, times the spectrum, and back */
    TSL_POISSON_SECOND_BACK, /* likewise back */
    TSL_POISSON_SCATTER
} tsl_poisson_stage;

/* Items of a stage, which may be done in any order and by several threads. */
int64_t tsl_poisson_items(const tsl_poisson_solver *solver, tsl_poisson_stage stage, int segment);
void tsl_poisson_item(const tsl_poisson_solver *solver, tsl_poisson_stage stage, int segment,
                      int lane, int64_t item);

/* Bytes of a buffer that holds any segment at any stage. */
int64_t tsl_poisson_buffer_bytes(const tsl_poisson_grid *grid, const tsl_poisson_share *share);

/* One of a lane's two buffers: 0 is on this side of an exchange, 1 on the other. */
static inline char *tsl_poisson_buffer(const tsl_poisson_solver *solver, int lane, int side)
{
    return solver->buffers + (2 * lane + side) * solver->buffer;
}

/* ---- all segments (poisson_cpu_segments.c) ------------------------------------------------ */

tsl_status tsl_poisson_run_segments(tsl_poisson_solver *solver);

#endif
