/* What a device does for nearest points. */
#ifndef TSL_PAIRS_NEAREST_H
#define TSL_PAIRS_NEAREST_H

#include "core/context.h"
#include "tesela/pairs.h"

struct tsl_neighbor_task;

/* Candidates beyond those that are asked for, and nearest points at most. */
enum { TSL_NEAREST_SPARE = 16, TSL_NEAREST_MOST = 96 };

/* What GPUs round points and coordinates up to, where they have numbers in two parts. */
enum { TSL_NEAREST_TILE = 128, TSL_NEAREST_DEPTH = 16 };

/* All arrays are device memory, of numbers of `precision` bytes where nothing else is said. */
typedef struct tsl_nearest_task {
    int precision, dimensions;
    int k;
    int keep; /* candidates of a point: k and some more */
    int64_t n;
    int64_t begin, end;   /* whose nearest are wanted: places of the order, else points; begin is
                             n or a multiple of TSL_NEAREST_TILE, end too */
    int first_tile;       /* begin, counted in tiles */
    const int32_t *order; /* [n]: a place's point; NULL: every point is in its own place */
    const void *rows;     /* [n][dimensions] */
    void *blocks;        /* the same as tsl_pairs_copy_blocks() has it, on GPUs room for that or for
                            numbers in two parts, both made there; NULL where there are cells */
    float *centre;       /* [dimensions]: near the middle of the points */
    void *norms;         /* [n], n rounded up to TSL_NEAREST_TILE: squares of lengths */
    double *longest;     /* the largest of the norms */
    int32_t *candidates; /* [n][keep]; -1: none */
    void *worst;         /* [n]: the largest square of the candidates, as it was estimated */
    int32_t *doubtful;   /* [1 + n]: points whose candidates may lack one, their number first */
    int32_t *indices;    /* [n][k]; -1 beyond the last point */
    void *distances;     /* [n][k]; infinity beyond the last point */
} tsl_nearest_task;

typedef struct tsl_nearest_ops {
    /* Indices and distances of points at the places `begin` to `end` - 1, which are some; by way of
     * cells that points of one to three coordinates were sorted into, in open space, unless those
     * are NULL. May wait. */
    tsl_status (*find)(tsl_context *context, const tsl_nearest_task *task,
                       const struct tsl_neighbor_task *cells);
} tsl_nearest_ops;

extern const tsl_nearest_ops tsl_nearest_cpu, tsl_nearest_sim, tsl_nearest_cuda;

#endif
