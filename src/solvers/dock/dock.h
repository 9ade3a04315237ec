/* Docking's kernels, as a device provides them. */
#ifndef TSL_DOCK_DOCK_H
#define TSL_DOCK_DOCK_H

#include "blocks/convolve/convolve.h"
#include "solvers/dock/dock_point.h"
#include "solvers/dock/score/pairs_point.h"
#include "solvers/dock/score/restrain_point.h"
#include "solvers/dock/score/score.h"
#include "tesela/dock.h"

enum { TSL_GRID_SMALLEST = 8, TSL_GRID_LARGEST = 1024 };

/* Goes up by one with every change of the arithmetic that can change an answer. It is part of a
 * search's name, so that no run goes on from a checkpoint of another arithmetic. */
enum { TSL_DOCK_ARITHMETIC = 3 };

/* The grid of a run. */
typedef struct tsl_dock_geometry {
    int grid;      /* N */
    int box;       /* cells of the ligand's box along an axis, even, <= N, in the grid's middle */
    int slip;      /* of the charges' weights: N or 0, see tsl_dock_corner_of() */
    int reach;     /* cells to either side of its own in which an atom fills some */
    float span;    /* edge of the grid, angstrom */
    float spacing; /* edge of a cell: span / N, rounded */
} tsl_dock_geometry;

/* The three corners of a charge at `position` after a rotation. */
TSL_FN void tsl_dock_charge_corners(const tsl_dock_geometry *g, const tsl_dock_turns *turns,
                                    const float position[3], tsl_dock_corner corners[3])
{
    float moved[3];
    tsl_dock_rotate(turns, position, moved);
    for (int axis = 0; axis < 3; axis++) {
        corners[axis] = tsl_dock_corner_of(moved[axis], g->spacing, g->span, g->grid, g->slip);
    }
}

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

/* What the score of complementarity needs of a device: score/. */
typedef struct tsl_score_ops {
    /* Boxes, places and clashes of rotated atoms.
     *   turns [count] */
    tsl_status (*place)(tsl_context *context, const tsl_dock_geometry *geometry,
                        const tsl_score_ligand *ligand, const tsl_dock_turns *turns, int count,
                        const tsl_score_batch *batch);

    /* One of the fields over 2^TSL_SCORE_SHIFT as reals, laid as load_shape() does. */
    tsl_status (*load)(tsl_context *context, const tsl_dock_geometry *geometry,
                       const tsl_grid_layout *layout, const tsl_terms *fields, int term,
                       void *grid);

    /* Scores and energies, in batch->scores and batch->energies [count][k], of the translations
     * candidates[count][k] (tsl_top_key), found[count] of each, for `count` members of the batch
     * from member `first` on. */
    tsl_status (*sum)(tsl_context *context, const tsl_dock_geometry *geometry,
                      const tsl_terms *fields, const tsl_score_ligand *ligand,
                      const tsl_score_batch *batch, int first, int count, const int64_t *candidates,
                      int k, const int *found);

    /* Cells of `count` correlations, stored, that are too far from a restraint become 0. */
    tsl_status (*restrain)(tsl_context *context, const tsl_restraint_task *task, int count);

    /* Energies of `count` poses by potentials of pairs: task->energies. */
    tsl_status (*pairs)(tsl_context *context, const tsl_pair_task *task, int count);
} tsl_score_ops;

/* All arrays are device memory; everything is asynchronous on the context's stream. */
typedef struct tsl_dock_ops {
    /* Rotations that a batch should hold when the caller has no wish. */
    int (*batch)(const tsl_context *context, const tsl_dock_geometry *geometry);

    /* boxes = 1 in the cells that rotated atoms fill, 0 elsewhere.
     *   turns [count];  boxes [count][box][box][box] */
    tsl_status (*place)(tsl_context *context, const tsl_dock_geometry *geometry,
                        const tsl_dock_atoms *atoms, const tsl_dock_turns *turns, int count,
                        uint8_t *boxes);

    /* Where rotated charges sit between cells.
     *   corners [count][charged][3] */
    tsl_status (*place_charges)(tsl_context *context, const tsl_dock_geometry *geometry,
                                const tsl_dock_atoms *atoms, const tsl_dock_turns *turns, int count,
                                tsl_dock_corner *corners);

    /* Surface and core of an occupied grid: a filled cell stays 1 if any of `offsets` [count][3]
     * leads to an empty cell of the grid, else it becomes `core`. Adds the numbers of surface and
     * core cells to cells[2]. */
    tsl_status (*surface)(tsl_context *context, const tsl_dock_geometry *geometry,
                          const uint8_t *occupied, const int *offsets, int count, int core,
                          int16_t *shape, int64_t *cells);

    /* Potential of the charges in every cell outside the core, 0 inside, in `count` of
     * the grid's rows from number `first` on: row x N + y has the N cells of all z. `largest` grows
     * to the largest size of it, e/angstrom, so that the caller can see that it fits. */
    tsl_status (*potential)(tsl_context *context, const tsl_dock_geometry *geometry,
                            const tsl_dock_atoms *atoms, const int16_t *shape, int core,
                            int64_t first, int64_t count, int32_t *potential, double *largest);

    /* The shape as reals on the first result grid of the correlation, other lanes zero, moved so
     * that a box, which the correlation takes for the first corner of the grid, scores as in the
     * grid's middle. */
    tsl_status (*load_shape)(tsl_context *context, const tsl_dock_geometry *geometry,
                             const tsl_grid_layout *layout, const int16_t *shape, void *grid);

    /* Go through candidates[i][0 … found[i]) (tsl_top_key, best first) and list those whose energy
     * is below 0 (all, if there is no potential) until `keep` are found in all; kept[i] of them are
     * there already.
     *   corners [count][charged][3], candidates [count][k], winners and energies [count][keep] */
    tsl_status (*settle)(tsl_context *context, const tsl_dock_geometry *geometry,
                         const tsl_dock_receptor *receptor, const tsl_dock_atoms *atoms,
                         const tsl_dock_corner *corners, int count, const int64_t *candidates,
                         int k, const int *found, int keep, int *kept, int64_t *winners,
                         int64_t *energies);

    /* Score and energy of one translation of each box, summed directly.
     *   shifts [count][3]: places 0 … N - 1 in the correlation;  scores and energies [count] */
    tsl_status (*measure)(tsl_context *context, const tsl_dock_geometry *geometry,
                          const tsl_dock_receptor *receptor, const tsl_dock_atoms *atoms,
                          const tsl_dock_corner *corners, int count, const uint8_t *boxes,
                          const int32_t *shifts, int64_t *scores, int64_t *energies);

    const tsl_score_ops *score;
} tsl_dock_ops;

extern const tsl_dock_ops tsl_dock_cpu;

extern const tsl_score_ops tsl_score_cpu;

/* The CPU's potential(): potential_cpu.c. */
tsl_status tsl_dock_cpu_potential(tsl_context *context, const tsl_dock_geometry *geometry,
                                  const tsl_dock_atoms *atoms, const int16_t *shape, int core,
                                  int64_t first, int64_t count, int32_t *potential,
                                  double *largest);

/* A rotation as the kernels take it. */
tsl_dock_turns tsl_dock_turns_of(const tsl_rotation *rotation);

/* A rotation as a matrix, for whoever moves whole molecules. */
void tsl_dock_matrix(const tsl_rotation *rotation, double matrix[3][3]);

#endif
