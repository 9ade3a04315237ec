/* What a docking plan holds. */
#ifndef TSL_DOCK_PLAN_H
#define TSL_DOCK_PLAN_H

#include "blocks/reduce/reduce.h"
#include "device/device.h"
#include "dock/dock.h"

struct tsl_dock_plan {
    tsl_context *context;
    tsl_dock_options options;
    tsl_dock_summary summary;
    tsl_dock_geometry geometry;
    const tsl_molecule *receptor_molecule; /* whose grids `receptor` holds; NULL: none yet */
    const tsl_molecule *ligand_molecule;
    tsl_dock_atoms ligand;
    tsl_dock_receptor receptor;
    tsl_convolve_description correlation;
    tsl_grid_layout layout;
    tsl_convolve *convolve; /* NULL: not made yet */
    uint8_t *boxes;         /* [batch][box]^3, device */
    void *grids;            /* [batch] result grids, device */
    /* host scratch of a batch */
    tsl_dock_turns *turns; /* [batch] */
    int64_t *winners;      /* [batch][keep] */
    int64_t *energies;     /* [batch][keep] */
    int *kept;             /* [batch] */
    int64_t *candidates;   /* [batch][TSL_CANDIDATES], and at least TSL_CANDIDATES_MORE */
    int64_t *after;        /* [batch] */
    int *found;            /* [batch] */
};

/* Candidates of a rotation looked at in one go. About half of them qualify, so there is hardly ever
 * a second look; it takes more. */
enum { TSL_CANDIDATES = 64, TSL_CANDIDATES_MORE = 1024 };

/* A transform's values are rounded to scores while none is farther than this from an integer. */
#define TSL_TRANSFORM_ERROR_LIMIT 0.25

/* Size, spacing and box of the grid for a pair. */
tsl_status tsl_dock_choose_grid(tsl_context *context, const tsl_dock_options *options,
                                const tsl_molecule *receptor, const tsl_molecule *ligand,
                                tsl_dock_geometry *geometry, tsl_dock_summary *summary);

/* Go over to double precision, within the memory bound; the batch may shrink. */
tsl_status tsl_dock_use_double(tsl_dock_plan *plan);

/* A molecule's atoms on the device, moved to the origin; frees what
 * `atoms` held before. */
tsl_status tsl_dock_upload_atoms(tsl_context *context, const tsl_molecule *molecule,
                                 tsl_dock_atoms *atoms);
void tsl_dock_free_atoms(tsl_context *context, tsl_dock_atoms *atoms);

/* Mean of a molecule's positions, in single precision as FTDock 2.0 takes it, and the distance of
 * the atom farthest from it. */
double tsl_dock_centre(const tsl_molecule *molecule, double centre[3]);

#endif
