/* When two points are neighbours, and in which cells to look. */
#ifndef TSL_NEIGHBORS_POINT_H
#define TSL_NEIGHBORS_POINT_H

#include <math.h>
#include <stdint.h>

#include "core/point.h"

/* How points lie in space. Coordinates of wrapped ones are within a rectangular periodic cell that
 * is divided along each axis: which image of a point is near follows from its cell. */
typedef enum tsl_space {
    TSL_SPACE_OPEN = 0,
    TSL_SPACE_PERIODIC = 1,
    TSL_SPACE_TILTED = 2,
    TSL_SPACE_WRAPPED = 3
} tsl_space;

/* Pieces of the sorted points that hold all neighbours of a cell's points: nine columns of cells,
 * each of which the end of a periodic cell may cut in two. */
enum { TSL_NEIGHBOR_RUNS = 18 };

typedef struct tsl_neighbor_run {
    int64_t first, end;
    int image[3]; /* periodic cells between its points and those that are looked at from */
} tsl_neighbor_run;

TSL_FN int tsl_neighbor_cell_along(double share, int cells)
{
    const int at = (int)(share * cells);
    return at < 0 ? 0 : at >= cells ? cells - 1 : at;
}

/* The cell of a point. Of open space low and width say where it begins and how far it goes, of a
 * periodic cell its lengths and tilts. */
TSL_FN int tsl_neighbor_cell_of(const double at[3], const double low[3], const double width[3],
                                const double box[6], int periodic, const int cells[3])
{
    double share[3];
    if (periodic) {
        share[2] = at[2] / box[2];
        share[1] = (at[1] - share[2] * box[5]) / box[1];
        share[0] = (at[0] - share[1] * box[3] - share[2] * box[4]) / box[0];
    }
    for (int k = 0; k < 3; k++) {
        if (periodic) {
            share[k] -= floor(share[k]);
        } else {
            share[k] = width[k] > 0 ? (at[k] - low[k]) / width[k] : 0;
        }
    }
    return (tsl_neighbor_cell_along(share[0], cells[0]) * cells[1] +
            tsl_neighbor_cell_along(share[1], cells[1])) *
               cells[2] +
           tsl_neighbor_cell_along(share[2], cells[2]);
}

/* The cell `step` cells on, -1, 0 or 1, from cell c of `count` along an axis; -1: none. *image
 * becomes the periodic cell it is in. */
TSL_FN int tsl_neighbor_beside(int c, int step, int count, int periodic, int *image)
{
    const int at = c + step;
    *image = at < 0 ? -1 : at >= count;
    if (count == 1) {
        *image = 0;
        return step == 0 ? 0 : -1;
    }
    return *image == 0 ? at : !periodic ? -1 : at < 0 ? count - 1 : 0;
}

/* Run r of a cell, which may be empty. start [cells + 1]. Along z, where cells lie one behind the
 * other, they may be thinner: `reach` of them are a cut-off. */
TSL_FN tsl_neighbor_run tsl_neighbor_run_of(int r, const int64_t *start, const int cells[3],
                                            int reach, int cell, int periodic)
{
    tsl_neighbor_run run = {0, 0, {0, 0, 0}};
    const int z = cell % cells[2];
    const int low = cells[2] == 1 ? 0 : z - reach;
    const int high = cells[2] == 1 ? 0 : z + reach;
    const int x = tsl_neighbor_beside(cell / cells[2] / cells[1], r / 6 - 1, cells[0], periodic,
                                      &run.image[0]);
    const int y = tsl_neighbor_beside(cell / cells[2] % cells[1], r / 2 % 3 - 1, cells[1], periodic,
                                      &run.image[1]);
    if (x < 0 || y < 0) {
        return run;
    }
    const int64_t *const column = start + ((int64_t)x * cells[1] + y) * cells[2];
    if (r % 2 == 0) {
        run.first = column[low < 0 ? 0 : low];
        run.end = column[(high < cells[2] ? high : cells[2] - 1) + 1];
    } else if (periodic && low < 0) {
        run.first = column[cells[2] + low];
        run.end = column[cells[2]];
        run.image[2] = -1;
    } else if (periodic && high >= cells[2]) {
        run.first = column[0];
        run.end = column[high - cells[2] + 1];
        run.image[2] = 1;
    }
    return run;
}

/* The runs of a cell that have points; their number. */
TSL_FN int tsl_neighbor_runs(tsl_neighbor_run runs[TSL_NEIGHBOR_RUNS], const int64_t *start,
                             const int cells[3], int reach, int cell, int periodic)
{
    int found = 0;
    for (int r = 0; r < TSL_NEIGHBOR_RUNS; r++) {
        const tsl_neighbor_run run = tsl_neighbor_run_of(r, start, cells, reach, cell, periodic);
        if (run.end > run.first) {
            runs[found++] = run;
        }
    }
    return found;
}

#define TSL_TEMPLATE "solvers/pairs/neighbors_point.inc"
#include "core/both_precisions.inc"

#endif
