/* Energies on the CPU. */
#include <math.h>
#include <omp.h>
#include <stdalign.h>
#include <string.h>

#include "core/clones.h"
#include "core/core.h"
#include "solvers/pairs/energy/energy_point.h"
#include "tesela/simplex.h"

/* Points along a side of the squares that pairs are divided into. */
enum { SIDE = TSL_ENERGY_TALLEST };

/* Sums of a thread. */
typedef struct tally {
    int64_t energy, virial;
    double beyond;
} tally;

#define TSL_TEMPLATE "solvers/pairs/energy/energy_cpu.inc"
#include "core/both_precisions.inc"

static tsl_status cpu_spread(tsl_context *context, const tsl_energy_task *task)
{
    if (task->precision == 4) {
        spread_single(context, task);
    } else {
        spread_double(context, task);
    }
    return TSL_OK;
}

/* Into the first copy. */
static void add_tally(const tsl_energy_task *task, const tally *own)
{
#pragma omp critical
    {
        task->sums[0] += own->energy;
        task->sums[1] += own->virial;
        *task->beyond = own->beyond > *task->beyond ? own->beyond : *task->beyond;
    }
}

static tsl_status cpu_all_pairs(tsl_context *context, const tsl_energy_task *task)
{
    const bool jones = task->potential == TSL_POTENTIAL_LENNARD_JONES;
    const bool single = task->precision == 4;
#pragma omp parallel num_threads(context->threads)
    {
        tally own = {0, 0, 0};
#pragma omp for schedule(dynamic)
        for (int64_t s = task->begin; s < task->end; s++) {
            const int64_t row = tsl_lower_row(s);
            const int64_t column = s - tsl_triangle_count(row);
            if (single && jones) {
                square_jones_single(task, row, column, &own);
            } else if (single) {
                square_charges_single(task, row, column, &own);
            } else if (jones) {
                square_jones_double(task, row, column, &own);
            } else {
                square_charges_double(task, row, column, &own);
            }
        }
        add_tally(task, &own);
    }
    return TSL_OK;
}

/* Each thread adds to forces of its own, the first to the task's. */
static tsl_status cpu_listed_pairs(tsl_context *context, const tsl_energy_task *task)
{
    const int64_t each = 3 * task->n;
    const int others = context->threads - 1;
    int64_t *space = tsl_allocate_zeroed((size_t)(others * each + 1), sizeof *space);
    if (space == NULL) {
        return tsl_fail_memory(context, others * each * 8, "forces of threads");
    }
#pragma omp parallel num_threads(context->threads)
    {
        const int thread = omp_get_thread_num();
        int64_t *const forces = thread == 0 ? task->forces : space + (thread - 1) * each;
        tally own = {0, 0, 0};
#pragma omp for schedule(dynamic, 64)
        for (int64_t i = task->begin; i < task->end; i++) {
            if (task->precision == 4) {
                listed_row_single(task, i, forces, &own);
            } else {
                listed_row_double(task, i, forces, &own);
            }
        }
        add_tally(task, &own);
#pragma omp for
        for (int64_t e = 0; e < each; e++) {
            for (int t = 0; t < others; t++) {
                task->forces[e] += space[t * each + e];
            }
        }
    }
    tsl_release(space);
    return TSL_OK;
}

static tsl_status cpu_deliver(tsl_context *context, const tsl_energy_task *task)
{
    if (task->precision == 4) {
        deliver_single(context, task);
    } else {
        deliver_double(context, task);
    }
    return TSL_OK;
}

static tsl_status cpu_moved(tsl_context *context, const tsl_energy_task *task, const void *before,
                            double *most)
{
    *most = task->precision == 4 ? moved_single(context, task, before)
                                 : moved_double(context, task, before);
    return TSL_OK;
}

static tsl_status cpu_degree(tsl_context *context, const tsl_energy_task *task, int32_t *degrees,
                             int32_t *most)
{
    (void)context;
    memset(degrees, 0, (size_t)task->n * sizeof *degrees);
    for (int64_t i = 0; i < task->n; i++) {
        for (int64_t k = task->first[i]; k < task->first[i + 1]; k++) {
            degrees[task->indices[k]]++;
        }
        degrees[i] += (int32_t)(task->first[i + 1] - task->first[i]);
    }
    *most = 0;
    for (int64_t i = 0; i < task->n; i++) {
        *most = degrees[i] > *most ? degrees[i] : *most;
    }
    return TSL_OK;
}

const tsl_energy_ops tsl_energy_cpu = {.spread = cpu_spread,
                                       .all_pairs = cpu_all_pairs,
                                       .listed_pairs = cpu_listed_pairs,
                                       .deliver = cpu_deliver,
                                       .moved = cpu_moved,
                                       .degree = cpu_degree};
