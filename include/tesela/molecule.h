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

/** What to do with ligands, ions and solvent: HETATM records that are not modified residues of the
 *  chain, and residues whose name is an ion's or a solvent's, whatever the record. */
typedef enum tsl_hetero {
    TSL_HETERO_DROP = 0, /**< leave out waters, ions, solvent and ligands */
    TSL_HETERO_KEEP = 1  /**< keep all but waters, as uncharged atoms */
} tsl_hetero;

/** Values of tsl_molecule_options.model besides a model's number. */
enum {
    TSL_MODEL_FIRST = 0, /**< the first of the file */
    TSL_MODEL_ALL = -1   /**< all of them as one molecule, as a biological assembly is meant */
};

/** How to read a molecule. Initialise with TSL_MOLECULE_OPTIONS_INIT. */
typedef struct tsl_molecule_options {
    size_t size;        /**< sizeof(tsl_molecule_options) */
    const char *chains; /**< chain identifiers to keep, separated by commas ("A,B"); NULL keeps all.
                             Upper and lower case differ; "_" is the blank identifier of a PDB
                             file. For mmCIF these are the author's (auth_asym_id) */
    tsl_hetero hetero;  /**< fate of waters and ligands */
    int model;          /**< TSL_MODEL_FIRST, TSL_MODEL_ALL, or a model's number in the file, >= 1;
                             models without a number count from 1 */
} tsl_molecule_options;

#define TSL_MOLECULE_OPTIONS_INIT                                                                  \
    {                                                                                              \
        sizeof(tsl_molecule_options), NULL, TSL_HETERO_DROP, TSL_MODEL_FIRST                       \
    }

/** What reading a file has left out and assumed, of the chains that were asked for. */
typedef struct tsl_molecule_account {
    int64_t models;          /**< further models left out (all chains) */
    int64_t model_atoms;     /**< their atoms, of all kinds */
    int64_t blocks;          /**< further data blocks of an mmCIF file that hold atoms */
    int64_t alternates;      /**< atoms of alternate locations */
    int64_t hydrogens;       /**< and deuteriums, but those of waters */
    int64_t waters;          /**< molecules */
    int64_t ions;            /**< of one atom */
    int64_t solvents;        /**< other molecules of solvents and buffers */
    int64_t solvent_atoms;   /**< their atoms but hydrogens */
    int64_t ligands;         /**< residues */
    int64_t ligand_atoms;    /**< their atoms but hydrogens */
    int64_t virtual_sites;   /**< lone pairs, charges, dummies; but those of waters */
    int64_t elements;        /**< atoms of standard residues whose element was told by their name,
                                  since the file's own element contradicts it */
    int64_t occupancies;     /**< atoms kept whose occupancy is no number: taken for 1 */
    int64_t residue_numbers; /**< atoms whose residue number is asterisks: taken for 0 */
    int64_t odd_records;     /**< atoms whose record begins with blanks, or in lower case */
    int64_t overlaps;        /**< atoms kept in a cell of 0.5 angstrom that holds one already */
    int64_t foreign_names; /**< atoms kept of standard amino acids that have none of their name, as
                                beads of coarse models */
} tsl_molecule_account;

/** Read a molecule from PDB, mmCIF or FTDock's `.parsed`, gzipped or not (by content, not by name).
 *
 *  Kept: the model asked for; of alternate locations the one of highest occupancy (the first among
 *  equals) for each atom, and where a site holds several residues (microheterogeneity) the one of
 *  highest mean occupancy; residues with insertion codes. Left out: hydrogens and deuteriums,
 * virtual sites, of no mass (lone pairs, charges of water models, dummies), waters and, unless
 * `hetero` says otherwise, ligands, ions and solvent; tsl_molecule_account_of() counts them. In a
 * PDB file MODEL, ENDMDL and END part models. Of all models together a chain that an earlier one
 * has too is renamed: A of the second to "A-2"; `chains` may name either.
 *
 *  Modified residues (MSE, SEP, TPO, PTR, CSO, …) and those of force fields (HSD, CYX, LYSH, NALA,
 * …) are taken for their parent, told by name alone; without the charge of its side chain where the
 *  name says so (LYN, ASH, GLH, ARN, ALY, …). A residue called by an ion's, a water's or a
 * solvent's name is one unless it has the atoms of an amino acid or a nucleotide; so is one of one
 * atom called by its element. In standard residues an atom's name decides on its element. Unknown
 * residues and nucleic acids stay as uncharged atoms, all names in one warning to the context's
 * message function; another warns of HETATM residues with a backbone that no parent is known of.
 * TER ends nothing. All ATOM records of a `.parsed` file are kept as they stand, beyond END too, as
 * FTDock does.
 *
 *  @param[out] out      the molecule, owned by the caller: tsl_molecule_destroy()
 *  @param[in]  path     file to read
 *  @param[in]  options  NULL takes the defaults
 *  @return TSL_OK; TSL_E_IO if the file cannot be read; TSL_E_FORMAT, with file and line, for a
 *          truncated record or a coordinate that is no number or beyond ±9999.999, for an occupancy
 *          that is none where alternates must be chosen among, for a file without atoms or longer
 *          than 1 GiB, for chains or a model that are not there; TSL_E_UNSUPPORTED for
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

/** What reading has left out and assumed; zeros for a molecule that was not read. `out` is filled
 *  whole. */
TSL_API void tsl_molecule_account_of(const tsl_molecule *molecule, tsl_molecule_account *out);

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
