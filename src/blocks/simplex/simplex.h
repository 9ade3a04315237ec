/* Maps of blocks to a triangle, counted cell by cell on a device. */
#ifndef TSL_BLOCKS_SIMPLEX_H
#define TSL_BLOCKS_SIMPLEX_H

#include "core/context.h"
#include "tesela/tetrahedron.h"

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
    int64_t blocks;         /* not 0: no map, but so many persistent blocks, each with a tile */
} tsl_cover_task;

/* Is each cell done as often as it should be? */
typedef struct tsl_judge_task {
    int64_t rows, columns;
    int all;              /* not 0: every cell once; else those with column <= row, no other */
    int64_t guard;        /* cells behind these that nobody may touch */
    const int32_t *cells; /* [rows][columns], and guard more; device memory */
    int64_t *faults;      /* [3]: grow by cells missed, repeated, and done outside */
} tsl_judge_task;

/* One launch of a map over the triples l <= j <= i < n, a thread for each of its blocks. */
typedef struct tsl_triples_task {
    tsl_tetrahedron_map map;
    int64_t n;
    int launch;
    int64_t count;  /* blocks of the launch */
    int32_t *cells; /* [tsl_tetrahedron_count(n)], numbered as tsl_tetrahedron_cell() has them: grow
                       by 1 where one is done; device memory */
    int64_t *idle;  /* grows by blocks without a triple */
} tsl_triples_task;

/* The write test: element (i, j) of a matrix becomes tsl_written(), for j <= i < n and no other. */
typedef struct tsl_write_task {
    tsl_map map;
    int packed;     /* not 0: no map: each thread an aligned piece of the lower triangle by rows */
    int64_t blocks; /* as of tsl_cover_task */
    int64_t n;
    int side, rows, launch; /* as of tsl_cover_task; side is a power of two, n below 2^31 */
    float *cells;           /* [n][n], or packed [n (n + 1) / 2]; aligned to 64 bytes */
    /* Made by write() from these, so that threads need not divide: tiles along a side, rows of a
     * thread in a tile, and the logarithm of the side. */
    int64_t tiles;
    int turns, shift;
} tsl_write_task;

/* Ways to run the grids of tsl_nested. They differ from TSL_NESTED_FORGET in one thing each, so
 * that what makes them slow can be told. */
typedef enum tsl_nested_way {
    TSL_NESTED_FORGET = 0, /* launched by blocks, fire and forget: siblings run side by side */
    TSL_NESTED_STREAM = 1, /* launched by blocks into their own stream: siblings run in turn */
    TSL_NESTED_HOST = 2,   /* launched by the host; relocatable code, as blocks that launch need */
    TSL_NESTED_PLAIN = 3,  /* launched by the host; code as of all other kernels */
    TSL_NESTED_ROWS = 4,   /* neighbouring threads take neighbouring rows: stores are scattered */
    TSL_NESTED_WIDE = 5,   /* grids of twice the width and height: three quarters idle */
    TSL_NESTED_WAYS = 6
} tsl_nested_way;

/* The grids of a triangle of n cells, written or counted. */
typedef struct tsl_nested_task {
    int way;                /* tsl_nested_way */
    int64_t n;              /* cells a side */
    int side, rows;         /* as of tsl_cover_task; TSL_NESTED_ROWS asks for side = rows */
    int64_t leaf;           /* tiles, of tsl_nested_grid(); >= 1 */
    float *cells;           /* [n][n]: becomes tsl_written(); NULL: count */
    int32_t *counts;        /* [n][n]: grows by 1 where a cell is done; NULL: write */
    tsl_cover_tally *tally; /* of counts */
    int64_t *grids;         /* [2]: grows by grids that ran, and by launches that failed */
} tsl_nested_task;

/* Grids of a task at most, for more may not wait before a launch by a block fails; and tiles along
 * a side, which are blocks along a grid's second axis. */
enum { TSL_NESTED_PENDING = 2048, TSL_NESTED_TILES = 65535 };

typedef struct tsl_simplex_ops {
    /* Count the cells that the blocks of a launch do. Asynchronous on the context's stream, as all
     * of these are. TSL_E_UNSUPPORTED, with the reason, for more blocks than a grid of the device
     * can have. */
    tsl_status (*cover)(tsl_context *context, const tsl_cover_task *task);
    /* Add to the faults what counts of cells show. */
    tsl_status (*judge)(tsl_context *context, const tsl_judge_task *task);
    /* Count the triples that the blocks of a launch do. */
    tsl_status (*triples)(tsl_context *context, const tsl_triples_task *task);
    /* One launch of the write test; on the CPU all of it, by rows. Errors are those of cover(). */
    tsl_status (*write)(tsl_context *context, const tsl_write_task *task);
    /* Blocks of so many threads that the device holds at a time in the write test of persistent
     * blocks; on the CPU its threads. */
    int64_t (*held)(tsl_context *context, int threads);
    /* See tsl_nested_run(), which checks the task. NULL where blocks cannot launch grids. */
    tsl_status (*nested)(tsl_context *context, const tsl_nested_task *task);
} tsl_simplex_ops;

extern const tsl_simplex_ops tsl_simplex_cpu;

/* What a map of n cells and tiles of `side` comes to. */
typedef struct tsl_cover {
    int launches;             /* of kernels */
    tsl_cover_tally found;    /* counted */
    tsl_cover_tally expected; /* by closed forms */
    int64_t missed, repeated; /* cells of the triangle done not at all, or more than once */
    int64_t outside;          /* cells above the diagonal, or behind the last, that were done */
} tsl_cover;

/* Do the blocks of all launches of a map on the context's device, and count. `rows` divides `side`,
 * and side * rows is at most 1024. TSL_E_ARG; TSL_E_UNSUPPORTED; TSL_E_NOMEM; TSL_E_DEVICE. */
tsl_status tsl_cover_count(tsl_cover *out, tsl_context *context, tsl_map map, int64_t n, int side,
                           int rows);

/* The same of persistent blocks: of `blocks`, 1 to INT32_MAX, those that have a tile. */
tsl_status tsl_persistent_cover(tsl_cover *out, tsl_context *context, int64_t n, int side, int rows,
                                int64_t blocks);

/* Do the blocks of all launches of a map over triples l <= j <= i < n on the context's device, a
 * thread a block, and count. n is at most 4096. TSL_E_ARG; TSL_E_NOMEM; TSL_E_DEVICE. */
tsl_status tsl_triples_cover(tsl_cover *out, tsl_context *context, tsl_tetrahedron_map map,
                             int64_t n);

/* Do the blocks of nested grids of n cells a side on the context's device, and count; `launches`
 * are the grids. `side` and `rows` are as in tsl_cover_count(), with side = rows for
 * TSL_NESTED_ROWS; `leaf` >= 1 is in cells. TSL_E_ARG; TSL_E_UNSUPPORTED as of tsl_nested_run();
 * TSL_E_NOMEM; TSL_E_DEVICE, also if a block's launch failed. */
tsl_status tsl_nested_cover(tsl_cover *out, tsl_context *context, tsl_nested_way way, int64_t n,
                            int side, int rows, int leaf);

/* Grids of a nested triangle of that many tiles, and their blocks. */
typedef struct tsl_nested_size {
    int64_t grids, blocks;
} tsl_nested_size;
tsl_nested_size tsl_nested_size_of(int64_t tiles, int64_t leaf);

/* Tiles of a leaf of so many cells: at least one. */
int64_t tsl_nested_leaf(int cells, int side);

/* Can nested grids do a task with n >= 1? TSL_E_UNSUPPORTED where blocks cannot launch grids, for
 * more grids than may wait, and for more blocks than a grid can have. */
tsl_status tsl_nested_check_task(tsl_context *context, const tsl_nested_task *task);

/* All grids of a nested triangle. Asynchronous. The errors of tsl_nested_check_task(). */
tsl_status tsl_nested_run(tsl_context *context, const tsl_nested_task *task);

/* Have all grids of `times` tasks run, and no launch failed? Waits, and clears task->grids.
 * TSL_E_DEVICE if not. */
tsl_status tsl_nested_check(tsl_context *context, const tsl_nested_task *task, int64_t times);

/* The name of a way, "forget"; NULL for any other number. */
const char *tsl_nested_way_name(tsl_nested_way way);

/* Launched and idle by closed forms: blocks, and of these and of threads those without a cell. */
tsl_cover_tally tsl_cover_expected(tsl_map map, int64_t n, int side, int rows);

/* The same of persistent blocks. */
tsl_cover_tally tsl_persistent_expected(int64_t n, int side, int rows, int64_t blocks);

/* The name of a map, "fold"; NULL for any other number; and of a root. */
const char *tsl_map_name(tsl_map map);
const char *tsl_root_name(tsl_root root);

/* The first row of a lower triangle, below `rows`, of which a root gets one of its two ends wrong;
 * -1: none. */
int64_t tsl_root_first_wrong(tsl_root root, int64_t rows);

#endif
