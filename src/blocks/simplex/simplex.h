/* Maps of blocks to a triangle, counted cell by cell on a device. */
#ifndef TSL_BLOCKS_SIMPLEX_H
#define TSL_BLOCKS_SIMPLEX_H

#include "core/context.h"
#include "tesela/simplex.h"

/* What blocks did, in device memory. */
typedef struct tsl_cover_tally {
    int64_t blocks, idle_blocks, idle_threads; /* idle: without a cell */
} tsl_cover_tally;

/* One launch of a map over the cells (i, j), j <= i < n. */
typedef struct tsl_cover_task {
    tsl_map map;
    int64_t n;              /* cells a side */
    int side;               /* cells along a tile */
    int rows;               /* threads along it the other way: a thread does side / rows cells */
    int launch;             /* of tsl_map_launches() */
    int32_t *cells;         /* [n][n]: grows by 1 where a cell is done; device memory */
    int64_t guard;          /* cells behind these that nobody may touch */
    tsl_cover_tally *tally; /* grows */
} tsl_cover_task;

/* The write test: element (i, j) of a matrix becomes tsl_written(), for j <= i < n and no other. */
typedef struct tsl_write_task {
    tsl_map map;
    int packed; /* not 0: no map: each thread an aligned piece of the lower triangle by rows */
    int64_t n;
    int side, rows, launch; /* as of tsl_cover_task */
    float *cells;           /* [n][n], or packed [n (n + 1) / 2]; aligned to 64 bytes */
} tsl_write_task;

typedef struct tsl_simplex_ops {
    /* Asynchronous on the context's stream. TSL_E_UNSUPPORTED, with the reason, for more blocks
     * than a grid of the device can have. */
    tsl_status (*cover)(tsl_context *context, const tsl_cover_task *task);
    /* One launch of the write test; on the CPU all of it, by rows. Asynchronous, with the errors of
     * cover(). */
    tsl_status (*write)(tsl_context *context, const tsl_write_task *task);
} tsl_simplex_ops;

extern const tsl_simplex_ops tsl_simplex_cpu;

/* What a map of n cells and tiles of `side` comes to. */
typedef struct tsl_cover {
    int launches;
    tsl_cover_tally found;    /* counted */
    tsl_cover_tally expected; /* by closed forms */
    int64_t missed, repeated; /* cells of the triangle done not at all, or more than once */
    int64_t outside;          /* cells above the diagonal, or behind the last, that were done */
} tsl_cover;

/* Do the blocks of all launches of a map on the context's device, and count. `rows` divides `side`,
 * and side * rows is at most 1024. TSL_E_ARG; TSL_E_UNSUPPORTED; TSL_E_NOMEM; TSL_E_DEVICE. */
tsl_status tsl_cover_count(tsl_cover *out, tsl_context *context, tsl_map map, int64_t n, int side,
                           int rows);

/* Launched and idle by closed forms: blocks, and of these and of threads those without a cell. */
tsl_cover_tally tsl_cover_expected(tsl_map map, int64_t n, int side, int rows);

/* The name of a map, "fold"; NULL for any other number; and of a root. */
const char *tsl_map_name(tsl_map map);
const char *tsl_root_name(tsl_root root);

/* The first row of a lower triangle, below `rows`, of which a root gets one of its two ends wrong;
 * -1: none. */
int64_t tsl_root_first_wrong(tsl_root root, int64_t rows);

#endif
