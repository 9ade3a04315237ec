/* Neighbours on the CPU. */
#include <math.h>
#include <omp.h>
#include <string.h>

#include "core/clones.h"
#include "solvers/pairs/neighbors_point.h"
#include "solvers/pairs/pairs.h"

/* Points that are looked at together, points that are put beside each other, tables of counts. */
enum { CHUNK = 256, PACK = 2048, TABLES = 4 };

/* What a thread keeps of a row while it looks. */
typedef struct row_space {
    int32_t *indices;
    void *squares;
} row_space;

typedef void cell_function(const tsl_neighbor_task *task, int cell, bool fill, row_space space);

typedef void bin_function(const tsl_neighbor_task *task, int cell, int bins, double scale,
                          int64_t *const counts[TABLES]);

#define TSL_TEMPLATE "solvers/pairs/neighbors_cpu.inc"
#include "core/both_precisions.inc"

static tsl_status look(tsl_context *context, const tsl_neighbor_task *task, bool fill)
{
    static cell_function *const functions[2][3] = {
        {cell_open_single, cell_periodic_single, cell_tilted_single},
        {cell_open_double, cell_periodic_double, cell_tilted_double}};
    cell_function *const function = functions[task->precision == 8][task->periodic];
    const int cells = task->cells[0] * task->cells[1] * task->cells[2];
    const int64_t row =
        (fill ? task->longest : 0) / CHUNK * CHUNK + 2 * CHUNK; /* keeps numbers aligned */
    const int64_t bytes = row * (4 + task->precision);
    char *space = tsl_allocate((size_t)(context->threads * bytes));
    if (space == NULL) {
        return tsl_fail_memory(context, context->threads * bytes, "rows of neighbours");
    }
#pragma omp parallel num_threads(context->threads)
    {
        char *const own = space + omp_get_thread_num() * bytes;
        const row_space rows = {(int32_t *)(void *)(own + row * task->precision), own};
#pragma omp for schedule(dynamic, 8)
        for (int cell = 0; cell < cells; cell++) {
            function(task, cell, fill, rows);
        }
    }
    tsl_release(space);
    return TSL_OK;
}

tsl_status tsl_neighbors_count_cpu(tsl_context *context, const tsl_neighbor_task *task)
{
    return look(context, task, false);
}

tsl_status tsl_neighbors_fill_cpu(tsl_context *context, const tsl_neighbor_task *task)
{
    return look(context, task, true);
}

tsl_status tsl_histogram_cpu(tsl_context *context, const tsl_neighbor_task *task, int bins,
                             double scale, int64_t *counts)
{
    static bin_function *const functions[2][3] = {
        {bin_open_single, bin_periodic_single, bin_tilted_single},
        {bin_open_double, bin_periodic_double, bin_tilted_double}};
    bin_function *const function = functions[task->precision == 8][task->periodic];
    const int cells = task->cells[0] * task->cells[1] * task->cells[2];
    const int64_t each = bins + 1;
    int64_t *space = tsl_allocate_zeroed((size_t)(context->threads * TABLES * each), 8);
    if (space == NULL) {
        return tsl_fail_memory(context, context->threads * TABLES * each * 8, "counts of pairs");
    }
#pragma omp parallel num_threads(context->threads)
    {
        int64_t *own[TABLES];
        for (int t = 0; t < TABLES; t++) {
            own[t] = space + (omp_get_thread_num() * TABLES + t) * each;
        }
#pragma omp for schedule(dynamic, 1)
        for (int cell = 0; cell < cells; cell++) {
            function(task, cell, bins, scale, own);
        }
    }
    for (int64_t e = 0; e < context->threads * TABLES * each; e++) {
        if (e % each < bins) {
            counts[e % each] += space[e];
        }
    }
    tsl_release(space);
    return TSL_OK;
}
