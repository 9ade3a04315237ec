/* Docking's kernels, as a device provides them. */
#ifndef TSL_DOCK_DOCK_H
#define TSL_DOCK_DOCK_H

#include "blocks/convolve/convolve.h"
#include "dock/dock_point.h"
#include "tesela/dock.h"

enum { TSL_GRID_SMALLEST = 8, TSL_GRID_LARGEST = 1024 };

/* The grid of a run. */
typedef struct tsl_dock_geometry {
    int grid;       /* N */
    int box;        /* cells of the ligand's box along an axis, even, <= N, in the grid's middle */
    int slip;       /* of the charges' weights: N or 0, see tsl_dock_corner_of() */
    int reach;      /* cells to either side of its own that an atom may fill */
    int64_t radius; /* square of an atom's radius, in cells, 2 * TSL_CELL_BITS digits */
    double spacing; /* angstrom */
} tsl_dock_geometry;

/* A molecule on the device. */
typedef struct tsl_dock_atoms {
    int64_t count;
    float *positions;        /* [count][3], angstrom from the middle of the grid */
    int64_t charged;         /* atoms with a charge, apart from the others: */
    float *charge_positions; /* [charged][3] */
    int32_t *charges;        /* [charged], TSL_CHARGE_UNIT */
} tsl_dock_atoms;

/* The receptor's grids on the device. */
typedef struct tsl_dock_receptor {
    int16_t *shape;     /* [N][N][N]: 0, 1 on the surface, core value inside */
    int32_t *potential; /* [N][N][N], TSL_POTENTIAL_BITS digits; NULL without electrostatics */
} tsl_dock_receptor;

typedef struct tsl_dock_ops {
    /* boxes[i] = 1 in the cells that rotated atoms fill, 0 elsewhere.
     *   turns [count], host;  boxes [count][box][box][box], device */
    tsl_status (*place)(tsl_context *context, const tsl_dock_geometry *geometry,
                        const tsl_dock_atoms *atoms, const tsl_dock_turns *turns, int count,
                        uint8_t *boxes);

    /* Surface and core of an occupied grid: a filled cell stays 1 if any of `offsets` [count][3]
     * leads to an empty cell of the grid, else it becomes `core`. Counts are host memory. */
    tsl_status (*surface)(tsl_context *context, const tsl_dock_geometry *geometry,
                          const uint8_t *occupied, const int *offsets, int count, int core,
                          int16_t *shape, int64_t *surface_cells, int64_t *core_cells);

    /* Potential of the charges in every cell outside the core, 0 inside. `largest` (host) gets the
     * largest size of it, e/angstrom, so that the caller can see that it fits. */
    tsl_status (*potential)(tsl_context *context, const tsl_dock_geometry *geometry,
                            const tsl_dock_atoms *atoms, const int16_t *shape, int core,
                            int32_t *potential, double *largest);

    /* The shape as reals on a result grid of the correlation, moved so that a box, which the
     * correlation takes for the first corner of the grid, scores as in the grid's middle. */
    tsl_status (*load_shape)(tsl_context *context, const tsl_dock_geometry *geometry,
                             const tsl_grid_layout *layout, const int16_t *shape, void *grid);

    /* Go through candidates[i][0 … found[i]) (tsl_top_key, best first) and list those whose energy
     * is below 0 (all, if there is no potential) until `keep` are found in all; kept[i] of them are
     * there already. All arrays but atoms and receptor are host memory. matrices [count][9],
     * candidates [count][k], winners and energies [count][keep] */
    tsl_status (*settle)(tsl_context *context, const tsl_dock_geometry *geometry,
                         const tsl_dock_receptor *receptor, const tsl_dock_atoms *atoms,
                         const tsl_dock_turns *turns, int count, const int64_t *candidates, int k,
                         const int *found, int keep, int *kept, int64_t *winners,
                         int64_t *energies);

    /* Score and energy of one translation of each box, summed directly. shifts [count][3] are
     * places 0 … N - 1 in the correlation. Host memory but for atoms, receptor and boxes. */
    tsl_status (*measure)(tsl_context *context, const tsl_dock_geometry *geometry,
                          const tsl_dock_receptor *receptor, const tsl_dock_atoms *atoms,
                          const tsl_dock_turns *turns, int count, const uint8_t *boxes,
                          const int32_t *shifts, int64_t *scores, int64_t *energies);
} tsl_dock_ops;

extern const tsl_dock_ops tsl_dock_cpu;

/* An energy of the kernels in e^2/angstrom. */
double tsl_dock_energy(const tsl_dock_geometry *geometry, int64_t energy);

/* A rotation as the kernels take it. */
tsl_dock_turns tsl_dock_turns_of(const tsl_rotation *rotation);

/* A rotation as a matrix, for whoever moves whole molecules. */
void tsl_dock_matrix(const tsl_rotation *rotation, double matrix[3][3]);

#endif
