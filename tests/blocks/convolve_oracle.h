/* What correlations are compared with: rows of sides and boxes, and direct sums. */
#ifndef TESTS_BLOCKS_CONVOLVE_ORACLE_H
#define TESTS_BLOCKS_CONVOLVE_ORACLE_H

#include <stdlib.h>

#include "blocks/convolve/convolve.h"
#include "core/core.h"
#include "support/devices.h"

typedef struct row {
    int n[3];
    int box[3];
    tsl_precision precision;
    int batch, count;
    int threads;
    double bound; /* on the largest difference, over the largest value */
} row;

static const row rows[] = {
    {{8, 8, 8}, {8, 8, 8}, TSL_DOUBLE, 1, 1, 1, 1e-15},
    {{8, 8, 8}, {3, 3, 3}, TSL_SINGLE, 1, 1, 2, 5e-7},
    {{12, 10, 14}, {5, 4, 6}, TSL_DOUBLE, 3, 3, 2, 1e-15},
    {{12, 10, 14}, {5, 4, 6}, TSL_SINGLE, 5, 4, 3, 5e-7},
    {{7, 9, 5}, {7, 1, 5}, TSL_DOUBLE, 2, 2, 1, 1e-15}, /* odd last side */
    {{7, 9, 5}, {2, 9, 1}, TSL_SINGLE, 2, 1, 2, 5e-7},
    {{1, 1, 16}, {1, 1, 4}, TSL_DOUBLE, 1, 1, 1, 1e-15},
    {{6, 4, 134}, {3, 2, 50}, TSL_SINGLE, 2, 2, 2, 5e-7},   /* 2 * 67; several blocks of columns */
    {{900, 2, 90}, {11, 2, 8}, TSL_DOUBLE, 1, 1, 2, 1e-15}, /* ditto, the last one narrower */
    {{18, 24, 15}, {5, 18, 11}, TSL_SINGLE, 3, 3, 2, 5e-7}, /* one pair and a half */
    {{512, 1, 3}, {100, 1, 2}, TSL_SINGLE, 2, 2, 1, 5e-7},  /* three passes a line */
    {{2, 3, 588}, {2, 2, 30}, TSL_SINGLE, 2, 2, 1, 5e-7},
    {{1, 600, 2}, {1, 70, 1}, TSL_SINGLE, 1, 1, 1, 5e-7},
    {{3, 1, 640}, {3, 1, 60}, TSL_SINGLE, 2, 2, 1, 5e-7}, /* too long */
};

static double at(const tsl_grid_layout *layout, const void *grids, int member, const int i[3])
{
    const int64_t offset =
        tsl_grid_row(layout, member, i[0] * layout->n[1] + i[1]) + i[2] * layout->lanes;
    return layout->precision == TSL_SINGLE ? (double)((const float *)grids)[offset]
                                           : ((const double *)grids)[offset];
}

/* The sum over the box's filled cells that one result is. */
static double direct(const row *r, const double *fixed, const uint8_t *box, const int s[3])
{
    double sum = 0;
    for (int x = 0; x < r->box[0]; x++) {
        for (int y = 0; y < r->box[1]; y++) {
            for (int z = 0; z < r->box[2]; z++) {
                const int from = ((x + s[0]) % r->n[0] * r->n[1] + (y + s[1]) % r->n[1]) * r->n[2] +
                                 (z + s[2]) % r->n[2];
                sum += fixed[from] * box[(x * r->box[1] + y) * r->box[2] + z];
            }
        }
    }
    return sum;
}

/* A cell of the first grid; nothing in the lane beside it. */
static void put(const tsl_grid_layout *layout, void *grid, int line, int z, double value)
{
    const int64_t offset = tsl_grid_row(layout, 0, line) + z * layout->lanes;
    for (int lane = 0; lane < layout->lanes; lane++) {
        if (layout->precision == TSL_SINGLE) {
            ((float *)grid)[offset + lane] = lane == 0 ? (float)value : 0;
        } else {
            ((double *)grid)[offset + lane] = lane == 0 ? value : 0;
        }
    }
}

/* A row's numbers, and what is to come of them. */
typedef struct oracle {
    double *fixed;  /* [cells] */
    uint8_t *boxes; /* [count][box] */
    double *wanted; /* [count][cells] */
} oracle;

static int cells_of(const row *r)
{
    return r->n[0] * r->n[1] * r->n[2];
}

static int box_cells_of(const row *r)
{
    return r->box[0] * r->box[1] * r->box[2];
}

/* Fixed grids of integers as docking has: 0, 1, and a few large negative ones. */
static oracle make_oracle(const row *r)
{
    const int cells = cells_of(r);
    const int box = box_cells_of(r);
    const size_t count = (size_t)r->count;
    const oracle o = {.fixed = malloc((size_t)cells * sizeof *o.fixed),
                      .boxes = malloc((size_t)box * count),
                      .wanted = malloc((size_t)cells * count * sizeof *o.wanted)};
    uint64_t seed = 7;
    for (int i = 0; i < cells; i++) {
        const uint64_t dice = test_random(&seed) % 8;
        o.fixed[i] = dice == 0 ? -15 : dice < 4;
    }
    for (int i = 0; i < box * r->count; i++) {
        o.boxes[i] = test_random(&seed) % 3 == 0;
    }
    for (int i = 0; i < cells * r->count; i++) {
        const int c = i % cells;
        const int s[3] = {c / (r->n[1] * r->n[2]), c / r->n[2] % r->n[1], c % r->n[2]};
        o.wanted[i] = direct(r, o.fixed, o.boxes + (ptrdiff_t)(i / cells) * box, s);
    }
    return o;
}

static void free_oracle(oracle *o)
{
    free(o->fixed);
    free(o->boxes);
    free(o->wanted);
}

#endif
