/* Pairwise work on the CPU. */
#include "core/clones.h"
#include "solvers/pairs/pairs.h"

/* Rows whose sums are made together, and rows that a thread takes at a time, while a block of
 * columns stays in its first cache. */
enum { GROUP = 2, BAND = 64, SHORT_BAND = 16, FEW_DIMENSIONS = 16 };

typedef void band_function(const tsl_distance_task *task, int64_t i0, int64_t i1);

#define TSL_TEMPLATE "solvers/pairs/distance_cpu.inc"
#include "core/both_precisions.inc"

static tsl_status cpu_distances(tsl_context *context, const tsl_distance_task *task)
{
    band_function *const band =
        task->precision == 4 ? choose_band_single(task) : choose_band_double(task);
    const int64_t height = task->dimensions <= FEW_DIMENSIONS ? SHORT_BAND : BAND;
    const int64_t rows = task->row_last + 1 - task->row_first;
    const int64_t bands = (rows + height - 1) / height;
#pragma omp parallel for num_threads(context->threads) schedule(dynamic)
    for (int64_t b = 0; b < bands; b++) {
        const int64_t i0 = task->row_first + b * height;
        band(task, i0, b + 1 < bands ? i0 + height : task->row_last + 1);
    }
    return TSL_OK;
}

const tsl_pairs_ops tsl_pairs_cpu = {.distances = cpu_distances};
