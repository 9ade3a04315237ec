/* Maps of blocks, on the CPU. */
#include "blocks/simplex/cover_point.h"
#include "blocks/simplex/simplex.h"

enum { MOST_THREADS = 1024 }; /* of a block */

/* The cells of a block's threads in a tile; which of these have any. */
static void do_tile(const tsl_cover_task *task, tsl_tile tile, bool *busy)
{
    for (int thread = 0; thread < task->side * task->rows; thread++) {
        for (int turn = 0; turn < task->side / task->rows; turn++) {
            int64_t cell;
            if (tsl_cover_cell(&cell, tile, task->n, task->side, task->rows, thread, turn)) {
#pragma omp atomic
                task->cells[cell]++;
                busy[thread] = true;
            }
        }
    }
}

/* One block's tiles; their number. */
static int64_t do_block(const tsl_cover_task *task, tsl_map_grid grid, int64_t b, bool *busy)
{
    const int64_t n = (task->n - 1) / task->side + 1;
    tsl_tile tiles[TSL_MAP_TILES];
    if (task->blocks > 0) {
        tsl_persistent own = tsl_persistent_begin(n, b, task->blocks);
        const int64_t count = own.left;
        for (; own.left > 0; tsl_persistent_next(&own)) {
            do_tile(task, own.tile, busy);
        }
        return count;
    }
    const int count = tsl_map_tiles(tiles, task->map, n, task->launch, b % grid.x, b / grid.x);
    for (int t = 0; t < count; t++) {
        do_tile(task, tiles[t], busy);
    }
    return count;
}

static tsl_status cpu_cover(tsl_context *context, const tsl_cover_task *task)
{
    const int threads = task->side * task->rows;
    const tsl_map_grid grid =
        tsl_map_grid_of(task->map, (task->n - 1) / task->side + 1, task->launch);
    const int64_t blocks = task->blocks > 0 ? task->blocks : grid.x * grid.y;
    int64_t idle_blocks = 0, idle_threads = 0;
#pragma omp parallel for num_threads(context->threads) reduction(+ : idle_blocks, idle_threads)
    for (int64_t b = 0; b < blocks; b++) {
        bool busy[MOST_THREADS] = {false};
        idle_blocks += do_block(task, grid, b, busy) == 0;
        for (int thread = 0; thread < threads; thread++) {
            idle_threads += !busy[thread];
        }
    }
    task->tally->blocks += blocks;
    task->tally->idle_blocks += idle_blocks;
    task->tally->idle_threads += idle_threads;
    return TSL_OK;
}

static tsl_status cpu_judge(tsl_context *context, const tsl_judge_task *task)
{
    const int64_t count = task->rows * task->columns;
    int64_t missed = 0, repeated = 0, outside = 0;
#pragma omp parallel for num_threads(context->threads) reduction(+ : missed, repeated, outside)
    for (int64_t k = 0; k < count + task->guard; k++) {
        const int32_t times = task->cells[k];
        const bool wanted = k < count && (task->all || k % task->columns <= k / task->columns);
        missed += wanted && times == 0;
        repeated += wanted && times > 1;
        outside += !wanted && times != 0;
    }
    task->faults[0] += missed;
    task->faults[1] += repeated;
    task->faults[2] += outside;
    return TSL_OK;
}

static tsl_status cpu_triples(tsl_context *context, const tsl_triples_task *task)
{
    const tsl_cell grid = tsl_tetrahedron_grid_of(task->map, task->n, task->launch);
    int64_t idle = 0;
#pragma omp parallel for num_threads(context->threads) reduction(+ : idle)
    for (int64_t k = 0; k < task->count; k++) {
        tsl_cell tile;
        if (tsl_tetrahedron_tile(&tile, task->map, task->n, task->launch, k % grid.i,
                                 k / grid.i % grid.j, k / grid.i / grid.j)) {
#pragma omp atomic
            task->cells[tsl_triple_number(&tile)]++;
        } else {
            idle++;
        }
    }
    *task->idle += idle;
    return TSL_OK;
}

static tsl_status cpu_write(tsl_context *context, const tsl_write_task *task)
{
#pragma omp parallel for num_threads(context->threads) schedule(dynamic, 64)
    for (int64_t i = 0; i < task->n; i++) {
        float *const row = task->cells + (task->packed ? tsl_triangle_count(i) : i * task->n);
        for (int64_t j = 0; j <= i; j++) {
            row[j] = tsl_written(i, j);
        }
    }
    return TSL_OK;
}

static int64_t cpu_held(tsl_context *context, int threads)
{
    (void)threads;
    return context->threads;
}

const tsl_simplex_ops tsl_simplex_cpu = {.cover = cpu_cover,
                                         .judge = cpu_judge,
                                         .triples = cpu_triples,
                                         .write = cpu_write,
                                         .held = cpu_held};
