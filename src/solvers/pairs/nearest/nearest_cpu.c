/* Nearest points on the CPU: cells of points of few coordinates, looked at from near to far; or all
 * points. Candidates are put in order by exact squares. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/clones.h"
#include "core/core.h"
#include "solvers/pairs/neighbors_point.h"
#include "solvers/pairs/pairs.h"

/* Points whose candidates are looked for together, and of a run that are looked at together. */
enum { ROWS = 16, RUN = 64 };

typedef struct candidate {
    double square;
    int32_t index;
} candidate;

/* By square, then by index; none comes last. */
static int compare(const void *left, const void *right)
{
    const candidate *const a = left, *const b = right;
    if (a->square != b->square) {
        return a->square < b->square ? -1 : 1;
    }
    return ((uint32_t)a->index > (uint32_t)b->index) - ((uint32_t)a->index < (uint32_t)b->index);
}

#define TSL_TEMPLATE "solvers/pairs/nearest/nearest_cpu.inc"
#include "core/both_precisions.inc"

static tsl_status cpu_find(tsl_context *context, const tsl_nearest_task *task,
                           const tsl_neighbor_task *cells)
{
    const bool single = task->precision == 4;
    if (cells != NULL && single) {
        find_in_cells_single(context, task, cells);
    } else if (cells != NULL) {
        find_in_cells_double(context, task, cells);
    } else if (single) {
        find_among_all_single(context, task);
    } else {
        find_among_all_double(context, task);
    }
    return TSL_OK;
}

const tsl_nearest_ops tsl_nearest_cpu = {.find = cpu_find};
