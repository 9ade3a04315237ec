/* Founders of aggregates on a lattice, where the rows of a matrix are a grid's cells.
 *
 * Founders that are picked by hashes lie less densely than they might, and their aggregates are
 * ragged. Where rows are coupled with those a few strides away, as in a stencil, cell (i0, i1, i2)
 * has a phase g0 i0 + g1 i1 + g2 i2 (mod M), and the cells of one phase are a lattice. M and g are
 * searched for so that no two of them are within reach of each other, and yet all cells are within
 * reach - 1 of one; of several M the largest. So one round founds nearly all aggregates, all of the
 * same shape. */
#ifndef TSL_SPARSE_LATTICE_H
#define TSL_SPARSE_LATTICE_H

#include "blocks/csr/sparse.h"
#include "core/point.h"

enum {
    TSL_LATTICE_AXES = 3,
    TSL_LATTICE_PHASES = 32 /* at most */
};

typedef struct tsl_lattice {
    int phases; /* M; 0: there is none */
    int axes;
    uint32_t stride[TSL_LATTICE_AXES]; /* rows from a cell to the next; each divides the next */
    uint32_t turn[TSL_LATTICE_AXES];   /* what the phase gains where row / stride gains 1 */
} tsl_lattice;

TSL_FN uint32_t tsl_lattice_phase(const tsl_lattice *l, int64_t row)
{
    uint64_t phase = 0;
    for (int k = 0; k < l->axes; k++) {
        phase += (uint64_t)((uint32_t)row / l->stride[k]) * l->turn[k];
    }
    return (uint32_t)(phase % (uint32_t)l->phases);
}

/* The lattice of the offsets that most of a few rows have to strong columns, for aggregates whose
 * roots are not within `reach` strong entries of each other. */
tsl_lattice tsl_lattice_find(const tsl_csr *m, double strength, int reach);

#endif
