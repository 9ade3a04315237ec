/* Atoms that share a place: of models that are alternatives, or of records that were written
 * twice. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/molecule/builder.h"

/* Bonded atoms other than hydrogens are at least 1.1 angstrom apart. Two in one cell are at most as
 * far apart as its diagonal, 0.87 angstrom. */
static const double cell_edge = 0.5;

typedef struct cell {
    int64_t at[3];
} cell;

static int compare_cells(const void *a, const void *b)
{
    const cell *x = a;
    const cell *y = b;
    for (int axis = 0; axis < 3; axis++) {
        if (x->at[axis] != y->at[axis]) {
            return x->at[axis] < y->at[axis] ? -1 : 1;
        }
    }
    return 0;
}

tsl_status tsl_builder_count_overlaps(tsl_builder *builder)
{
    cell *cells = tsl_allocate((size_t)builder->count * sizeof *cells);
    if (cells == NULL) {
        return tsl_fail_memory(builder->context, builder->count * (int64_t)sizeof *cells,
                               "the places of atoms");
    }
    for (int64_t i = 0; i < builder->count; i++) {
        for (int axis = 0; axis < 3; axis++) {
            cells[i].at[axis] = (int64_t)floor(builder->records[i].position[axis] / cell_edge);
        }
    }
    qsort(cells, (size_t)builder->count, sizeof *cells, compare_cells);
    for (int64_t i = 1; i < builder->count; i++) {
        builder->account.overlaps += compare_cells(&cells[i], &cells[i - 1]) == 0;
    }
    tsl_release(cells);
    return TSL_OK;
}
