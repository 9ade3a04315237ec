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

/* The runs of a cell; their number. start [cells + 1]. Along z, where cells lie one behind the
 * other, they may be thinner: `reach` of them are a cut-off. */
TSL_FN int tsl_neighbor_runs(tsl_neighbor_run runs[TSL_NEIGHBOR_RUNS], const int32_t *start,
                             const int cells[3], int reach, int cell, int periodic)
{
    const int z = cell % cells[2];
    const int y = cell / cells[2] % cells[1];
    const int x = cell / cells[2] / cells[1];
    const int low = cells[2] == 1 ? 0 : z - reach;
    const int high = cells[2] == 1 ? 0 : z + reach;
    int across[2][3], count[2], found = 0;
    count[0] = tsl_neighbor_cells(across[0], x, cells[0], periodic);
    count[1] = tsl_neighbor_cells(across[1], y, cells[1], periodic);
    for (int i = 0; i < count[0]; i++) {
        for (int j = 0; j < count[1]; j++) {
            const int32_t *const column =
                start + (across[0][i] * cells[1] + across[1][j]) * cells[2];
            runs[found].first = column[low < 0 ? 0 : low];
            runs[found++].end = column[(high < cells[2] ? high : cells[2] - 1) + 1];
            if (periodic && low < 0) {
                runs[found].first = column[cells[2] + low];
                runs[found++].end = column[cells[2]];
            } else if (periodic && high >= cells[2]) {
                runs[found].first = column[0];
                runs[found++].end = column[high - cells[2] + 1];
            }
        }
    }
    return found;
}

#define TSL_TEMPLATE "solvers/pairs/neighbors_point.inc"
#include "core/both_precisions.inc"

#endif
