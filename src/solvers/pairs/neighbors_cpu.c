/* Neighbours on the CPU. */
#include "solvers/pairs/neighbors_cpu.h"

#include <math.h>
#include <omp.h>
#include <string.h>

#include "solvers/pairs/neighbors_point.h"

#define TSL_TEMPLATE "solvers/pairs/neighbors_cpu.inc"
#include "core/both_precisions.inc"

static const tsl_cell_functions plain_functions = TSL_CELL_FUNCTIONS;

/* What is compiled for the processor's instruction set; all give the same bits. */
static const tsl_cell_functions *cell_functions(void)
{
#ifdef TSL_HAS_CELL_FUNCTIONS
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw")) {
        return &tsl_cell_functions_avx512;
    }
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2")) {
        return &tsl_cell_functions_avx2;
    }
#endif
    return &plain_functions;
}

/* Wrapped points are periodic ones here: squares are not what binds. */
static int kind_of(const tsl_neighbor_task *task)
{
    return task->space == TSL_SPACE_WRAPPED ? TSL_SPACE_PERIODIC : task->space;
}

/* ---- points into the order of their cells --------------------------------------------------- */

static double coordinate(const tsl_neighbor_task *task, int64_t i, int axis)
{
    if (axis >= task->dimensions) {
        return 0;
    }
    const int64_t e = i * task->dimensions + axis;
    return task->precision == 4 ? (double)((const float *)task->points)[e]
                                : ((const double *)task->points)[e];
}

tsl_status tsl_survey_cpu(tsl_survey *out, tsl_context *context, const tsl_neighbor_task *task,
                          double limit)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    int64_t beyond = INT64_MAX;
#pragma omp parallel for num_threads(context->threads) reduction(min                               \
                                                                 : low, beyond) reduction(max      \
                                                                                          : high)
    for (int64_t i = 0; i < task->n; i++) {
        for (int k = 0; k < 3; k++) {
            const double x = coordinate(task, i, k);
            low[k] = x < low[k] ? x : low[k];
            high[k] = x > high[k] ? x : high[k];
            if (!(fabs(x) <= limit) && i * task->dimensions + k < beyond) {
                beyond = i * task->dimensions + k;
            }
        }
    }
    memcpy(out->low, low, sizeof low);
    memcpy(out->high, high, sizeof high);
    out->beyond = beyond;
    return TSL_OK;
}

static void place_point(const tsl_neighbor_task *task, int64_t i, int64_t to)
{
    const int64_t n = task->n;
    for (int k = 0; k < 3; k++) {
        if (task->precision == 4) {
            ((float *)task->sorted)[k * n + to] = (float)coordinate(task, i, k);
        } else {
            ((double *)task->sorted)[k * n + to] = coordinate(task, i, k);
        }
    }
    if (task->radii) {
        memcpy((char *)task->sorted + (3 * n + to) * task->precision,
               (const char *)task->points_radii + i * task->precision, (size_t)task->precision);
    }
}

tsl_status tsl_sort_cpu(tsl_context *context, const tsl_neighbor_task *task)
{
    const int64_t cells = (int64_t)task->cells[0] * task->cells[1] * task->cells[2];
    int64_t *const start = task->start;
#pragma omp parallel for num_threads(context->threads)
    for (int64_t i = 0; i < task->n; i++) {
        const double at[3] = {coordinate(task, i, 0), coordinate(task, i, 1),
                              coordinate(task, i, 2)};
        task->own[i] = tsl_neighbor_cell_of(at, task->low, task->width, task->box,
                                            task->space != TSL_SPACE_OPEN, task->cells);
        task->loose[i] = (int32_t)i; /* what rows are called in the order of cells */
    }
    memset(start, 0, (size_t)(cells + 1) * sizeof *start);
    for (int64_t i = 0; i < task->n; i++) {
        start[task->own[i]]++;
    }
    int64_t before = 0;
    for (int64_t c = 0; c <= cells; c++) {
        const int64_t count = start[c];
        start[c] = before;
        before += count;
    }
    /* a cell's start moves on to the next one's, and the starts one cell on after that */
    for (int64_t i = 0; i < task->n; i++) {
        const int64_t to = start[task->own[i]]++;
        task->order[to] = (int32_t)i;
        task->cell[to] = task->own[i];
    }
    memmove(start + 1, start, (size_t)cells * sizeof *start);
    start[0] = 0;
#pragma omp parallel for num_threads(context->threads)
    for (int64_t p = 0; p < task->n; p++) {
        place_point(task, task->order[p], p);
    }
    return TSL_OK;
}

/* ---- neighbours ----------------------------------------------------------------------------- */

/* The longest row that is to be filled. */
static int64_t longest_row(const tsl_neighbor_task *task)
{
    int64_t longest = 0;
    for (int64_t i = 0; i < task->n; i++) {
        const int64_t length = task->first[i + 1] - task->first[i];
        longest = length > longest ? length : longest;
    }
    return longest;
}

/* Is a cell this rank's to do? */
static bool is_own(const tsl_neighbor_task *task, int cell)
{
    return task->start[cell] >= task->begin && task->start[cell] < task->end;
}

static tsl_status look(tsl_context *context, const tsl_neighbor_task *task, bool fill)
{
    const tsl_cell_functions *const functions = cell_functions();
    const int cells = task->cells[0] * task->cells[1] * task->cells[2];
    const int64_t row = (fill ? longest_row(task) : 0) / TSL_CHUNK * TSL_CHUNK +
                        2 * TSL_CHUNK; /* keeps numbers aligned */
    const int64_t bytes = row * (4 + task->precision);
    char *space = tsl_allocate((size_t)(context->threads * bytes));
    if (space == NULL) {
        return tsl_fail_memory(context, context->threads * bytes, "rows of neighbours");
    }
#pragma omp parallel num_threads(context->threads)
    {
        char *const own = space + omp_get_thread_num() * bytes;
        const tsl_row_space rows = {(int32_t *)(void *)(own + row * task->precision), own};
#pragma omp for schedule(dynamic, 8)
        for (int cell = 0; cell < cells; cell++) {
            if (is_own(task, cell)) {
                functions->look[task->precision == 8][kind_of(task)](task, cell, fill, rows);
            }
        }
    }
    tsl_release(space);
    return TSL_OK;
}

tsl_status tsl_neighbors_count_cpu(tsl_context *context, const tsl_neighbor_task *task)
{
    return look(context, task, false);
}

tsl_status tsl_place_rows_cpu(tsl_context *context, const tsl_neighbor_task *task)
{
    (void)context;
    task->first[0] = 0;
    for (int64_t i = 0; i < task->n; i++) {
        task->first[i + 1] = task->first[i] + task->counts[i];
    }
    return TSL_OK;
}

tsl_status tsl_neighbors_fill_cpu(tsl_context *context, const tsl_neighbor_task *task)
{
    return look(context, task, true);
}

tsl_status tsl_histogram_cpu(tsl_context *context, const tsl_neighbor_task *task, int bins,
                             double scale, int64_t *counts)
{
    const tsl_cell_functions *const functions = cell_functions();
    const int cells = task->cells[0] * task->cells[1] * task->cells[2];
    const int64_t each = bins + 1;
    int64_t *space = tsl_allocate_zeroed((size_t)(context->threads * TSL_TABLES * each), 8);
    if (space == NULL) {
        return tsl_fail_memory(context, context->threads * TSL_TABLES * each * 8,
                               "counts of pairs");
    }
#pragma omp parallel num_threads(context->threads)
    {
        int64_t *own[TSL_TABLES];
        for (int t = 0; t < TSL_TABLES; t++) {
            own[t] = space + (omp_get_thread_num() * TSL_TABLES + t) * each;
        }
#pragma omp for schedule(dynamic, 1)
        for (int cell = 0; cell < cells; cell++) {
            if (is_own(task, cell)) {
                functions->bin[task->precision == 8][kind_of(task)](task, cell, bins, scale, own);
            }
        }
    }
    for (int64_t e = 0; e < context->threads * TSL_TABLES * each; e++) {
        if (e % each < bins) {
            counts[e % each] += space[e];
        }
    }
    tsl_release(space);
    return TSL_OK;
}
