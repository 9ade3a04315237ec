/** @file molecule.h
 *  A molecule as docking sees it: heavy atoms with positions, names and, optionally, charges.
 */
#ifndef TESELA_MOLECULE_H
#define TESELA_MOLECULE_H

#include <stddef.h>
#include <stdint.h>

#include "tesela/context.h"

#ifdef __cplusplus
extern "C" {
#endif

/** An immutable set of atoms. May be used from several threads at once. */
typedef struct tsl_molecule tsl_molecule;

/** What to do with HETATM records that are not modified residues of the chain. */
typedef enum tsl_hetero {
    TSL_HETERO_DROP = 0, /**< leave out waters, ions and ligands */
    TSL_HETERO_KEEP = 1  /**< keep all but waters, as uncharged atoms */
} tsl_hetero;

/** How to read a molecule. Initialise with TSL_MOLECULE_OPTIONS_INIT. */
typedef struct tsl_molecule_options {
    size_t size;        /**< sizeof(tsl_molecule_options) */
    const char *chains; /**< chain identifiers to keep, separated by commas ("A,B"); NULL keeps all.
                             Upper and lower case differ; "_" is the blank identifier of a PDB
                             file. For mmCIF these are the author's (auth_asym_id) */
    tsl_hetero hetero;  /**< fate of waters and ligands */
} tsl_molecule_options;

#define TSL_MOLECULE_OPTIONS_INIT                                                                  \
    {                                                                                              \
        sizeof(tsl_molecule_options), NULL, TSL_HETERO_DROP                                        \
    }

/** Read a molecule from PDB, mmCIF or FTDock's `.parsed`, gzipped or not (by content, not by name).
 *
 *  Kept: the first model; of alternate locations the one of highest occupancy (the first among
 *  equals) for each atom, and where a site holds several residues (microheterogeneity) the one of
 *  highest mean occupancy; residues with insertion codes. Left out: hydrogens and deuteriums,
 *  waters and, unless `hetero` says otherwise, ligands and ions. Modified residues (MSE, SEP,
 *  TPO, PTR, CSO, …) are kept as their parent, told by name alone. Unknown residues and nucleic
 *  acids stay as uncharged atoms, counted in one warning to the context's message function;
 *  another warns of HETATM residues with a backbone that no parent is known of. TER ends nothing;
 *  END does, with a warning if atoms follow. All ATOM records of a `.parsed` file are kept as
 *  they stand, as FTDock does.
 *
 *  @param[out] out      the molecule, owned by the caller: tsl_molecule_destroy()
 *  @param[in]  path     file to read
 *  @param[in]  options  NULL takes the defaults
 *  @return TSL_OK; TSL_E_IO if the file cannot be read; TSL_E_FORMAT, with file and line, for a
 *          truncated record or a coordinate that is no number or beyond ±9999.999, for a file
 *          without atoms or longer than 1 GiB, for chains that are not there; TSL_E_UNSUPPORTED for
 *          a gzipped file in a build without zlib; TSL_E_ARG; TSL_E_NOMEM.
 */
TSL_API tsl_status tsl_molecule_read(tsl_molecule **out, tsl_context *context, const char *path,
                                     const tsl_molecule_options *options);

/** Make a molecule of the caller's atoms.
 *
 *  @param[in] count      number of atoms, >= 1
 *  @param[in] positions  shape [count][3], angstrom, finite; copied
 *  @param[in] charges    shape [count], elementary charges, |q| <= 3; rounded to 1e-4 e; copied;
 *                        NULL means uncharged
 *  @return TSL_OK; TSL_E_ARG if an argument is out of range; TSL_E_NOMEM.
 */
TSL_API tsl_status tsl_molecule_create(tsl_molecule **out, tsl_context *context, int64_t count,
                                       const double *positions, const double *charges);

/** Release a molecule; NULL is fine. */
TSL_API void tsl_molecule_destroy(tsl_molecule *molecule);

/** Number of atoms, >= 1. */
TSL_API int64_t tsl_molecule_count(const tsl_molecule *molecule);

/** Positions, shape [count][3], angstrom, as read. Borrowed from the molecule. */
TSL_API const double *tsl_molecule_positions(const tsl_molecule *molecule);

/** Charges, shape [count], elementary charges: those given to tsl_molecule_create(), or FTDock's
 *  for a molecule read from a file (Gabb, Jackson & Sternberg, J. Mol. Biol. 272 (1997) 106,
 *  table 1, as FTDock 2.0 assigns them). Borrowed from the molecule. */
TSL_API const double *tsl_molecule_charges(const tsl_molecule *molecule);

#ifdef __cplusplus
}
#endif

#endif
