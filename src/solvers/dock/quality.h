/* How near a pose is to a known complex. */
#ifndef TSL_DOCK_QUALITY_H
#define TSL_DOCK_QUALITY_H

#include "io/molecule/molecule.h"

/* The quality of one pose, after CAPRI (Mendez et al., Proteins 52 (2003) 51) and DockQ (Basu &
 * Wallner, PLoS ONE 11 (2016) e0161879). */
typedef struct tsl_quality {
    double fnat;           /* share of the native pairs of residues within 5 angstrom that are so */
    double interface_rmsd; /* of the backbone of residues within 10 angstrom of the other molecule
                              in the native complex, superposed on it; angstrom */
    double ligand_rmsd;    /* of the smaller molecule's backbone when the larger one's is
                              superposed; angstrom */
    double dockq; /* (fnat + 1 / (1 + (i / 1.5)^2) + 1 / (1 + (l / 8.5)^2)) / 3 of these RMSDs */
} tsl_quality;

/* A known complex beside the two molecules that are docked: which residues correspond. */
typedef struct tsl_native tsl_native;

/* Compare two molecules with those of a known complex. Residues are matched by aligning sequences
 * (identity 5, other 0, a gap -4 and each further place -0.5); atoms by name. All molecules are
 * borrowed.
 *   docked, bound  receptor and ligand
 * TSL_E_ARG if the known complex has no contact, if fewer than 0.7 of a molecule's residues match,
 * or no atom of its backbone; TSL_E_NOMEM. */
tsl_status tsl_native_create(tsl_native **out, tsl_context *context,
                             const tsl_molecule *const docked[2],
                             const tsl_molecule *const bound[2]);
void tsl_native_destroy(tsl_native *native); /* NULL is fine */

/* Judge the ligand moved by `motion`: x' = motion[i][0..2] . x + motion[i][3]. */
tsl_quality tsl_native_judge(const tsl_native *native, const double motion[3][4]);

/* 0 incorrect, 1 acceptable, 2 medium, 3 high: by CAPRI's bounds on fnat and both RMSDs. */
int tsl_quality_class(const tsl_quality *quality);

#endif
