/* A solve over ranks whose memory is their device's: the stages of segments.h as kernels and
 * library transforms, queued on the context's stream, while exchanges go on a second one. Events
 * order the two, a pair for each lane, so the host waits for nothing.
 *
 * Where one rank solves alone, its device does as of a communicator of one.
 *
 * Work space of a segment of c columns: [m1][x][c], so that all its lines along the second axis are
 * one transform. Lines along the first are transformed where an exchange left them. */
#ifndef TSL_POISSON_STAGED_H
#define TSL_POISSON_STAGED_H

#include "comm/gpu/peer.h"
#include "core/context.h"
#include "device/device.h"
#include "solvers/poisson/ranks/segments.h"

enum {
    TSL_STAGED_LANES = 2,
    TSL_STAGED_SIZES = 2 /* of segments: whole, and the last */
};

/* A transform, there and back; NULL: there is nothing to transform. */
typedef struct tsl_staged_pair {
    tsl_fft *forward, *backward;
} tsl_staged_pair;

struct tsl_poisson_solver {
    tsl_poisson_rank rank;
    tsl_context *context, *beside;        /* beside: for exchanges */
    tsl_context *lanes[TSL_STAGED_LANES]; /* with planes alone: their batches, in turn */
    const tsl_poisson_kernels *kernels;
    const void *spectrum;
    int axis;                   /* of the solve under way: tsl_poisson_ops */
    int batch;                  /* planes that go through a lane at a time; with planes alone */
    char *rows;                 /* [x][y][row] complex, with planes alone of each lane's batch */
    char *second;               /* [m1][x][columns] complex; NULL where planes are transformed */
    int *of_y, *of_ky;          /* tables of the columns, NULL but along y, and of what is spread */
    int chunk;                  /* columns of one, of all but the last; with planes alone */
    tsl_poisson_strip *strips;  /* [chunks][m1], of what is spread; with planes alone */
    int *ky;                    /* of this rank's lines; with planes alone */
    tsl_poisson_planes *planes; /* NULL: the library's transforms */
    tsl_poisson_solver *alone;  /* the device's own, where no other rank has a part */
    double *partial;            /* of sums */
    bool direct;                /* right-hand sides are what the rows' transforms read */
    tsl_staged_pair of_rows, of_second[TSL_STAGED_SIZES], of_first[TSL_STAGED_SIZES];
    tsl_event *computed[TSL_STAGED_LANES], *exchanged[TSL_STAGED_LANES], *joined;
};

/* tsl_poisson_refuse() */
tsl_status tsl_staged_refuse(const tsl_poisson_solver *solver, const tsl_context *where,
                             tsl_status status);

/* ---- planes, by transforms of the device's own (staged_planes.c) ---------------------------- */

/* Planes of a batch; columns of a chunk, of all but the last. */
int tsl_staged_batch(const tsl_poisson_grid *grid, const tsl_poisson_share *share);
int tsl_staged_chunk(const tsl_context *context, const tsl_poisson_grid *grid,
                     const tsl_poisson_share *share);
tsl_status tsl_staged_plan_planes(tsl_poisson_solver *solver);

tsl_status tsl_staged_solve_planes(tsl_poisson_solver *solver, void *out, const void *source);

/* ---- plans (staged_plan.c); as of tsl_poisson_ops ------------------------------------------ */

void tsl_staged_layout(const tsl_context *context, tsl_poisson_grid *grid,
                       const tsl_poisson_share *share);
int tsl_staged_ranks(const tsl_context *context, const tsl_poisson_grid *grid, int size);
int tsl_staged_segments(const tsl_poisson_grid *grid, const tsl_poisson_share *share);
int64_t tsl_staged_bytes(tsl_context *context, const tsl_poisson_grid *grid,
                         const tsl_poisson_share *share);
tsl_status tsl_staged_create(tsl_poisson_solver **out, tsl_context *context,
                             const tsl_poisson_grid *grid, const tsl_poisson_share *share,
                             const void *spectrum);
void tsl_staged_destroy(tsl_poisson_solver *solver);

#endif
