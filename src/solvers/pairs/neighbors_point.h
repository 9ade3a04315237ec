/* When two points are neighbours, and in which cells to look. */
#ifndef TSL_NEIGHBORS_POINT_H
#define TSL_NEIGHBORS_POINT_H

#include <math.h>
#include <stdint.h>

#include "core/point.h"

/* Pieces of the sorted points that hold all neighbours of a cell's points: nine columns of cells,
 * each of which the end of a periodic cell may cut in two. */
enum { TSL_NEIGHBOR_RUNS = 18 };

typedef struct tsl_neighbor_run {
    int32_t first, end;
} tsl_neighbor_run;

/* Cells beside cell c of `count` along an axis, itself included, ascending where none wraps; their
 * number. */
TSL_FN int tsl_neighbor_cells(int beside[3], int c, int count, int periodic)
{
    int found = 0;
    if (count == 1) {
        beside[0] = 0;
        return 1;
    }
    for (int step = -1; step <= 1; step++) {
        const int at = c + step;
        if (at >= 0 && at < count) {
            beside[found++] = at;
        } else if (periodic) {
            beside[found++] = at < 0 ? count - 1 : 0;
        }
    }
    return found;
}

/* The runs of a cell; their number. start [cells + 1]. */
TSL_FN int tsl_neighbor_runs(tsl_neighbor_run runs[TSL_NEIGHBOR_RUNS], const int32_t *start,
                             const int cells[3], int cell, int periodic)
{
    const int z = cell % cells[2];
    const int y = cell / cells[2] % cells[1];
    const int x = cell / cells[2] / cells[1];
    int across[3][3], count[3], found = 0;
    count[0] = tsl_neighbor_cells(across[0], x, cells[0], periodic);
    count[1] = tsl_neighbor_cells(across[1], y, cells[1], periodic);
    count[2] = tsl_neighbor_cells(across[2], z, cells[2], periodic);
    for (int i = 0; i < count[0]; i++) {
        for (int j = 0; j < count[1]; j++) {
            const int column = (across[0][i] * cells[1] + across[1][j]) * cells[2];
            for (int k = 0; k < count[2]; k++) {
                const int at = column + across[2][k];
                if (k > 0 && across[2][k] == across[2][k - 1] + 1) {
                    runs[found - 1].end = start[at + 1];
                } else {
                    runs[found].first = start[at];
                    runs[found++].end = start[at + 1];
                }
            }
        }
    }
    return found;
}

#define TSL_TEMPLATE "solvers/pairs/neighbors_point.inc"
#include "core/both_precisions.inc"

#endif
