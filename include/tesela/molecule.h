/** @file molecule.h
 *  A molecule for docking: heavy atoms with positions, names and, optionally, charges.
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

/** What to do with ligands, ions and solvent. These are HETATM records other than modified residues
 *  of the chain, and residues with the name of an ion or a solvent, whatever their record. */
typedef enum tsl_hetero {
    TSL_HETERO_DROP = 0, /**< leave out waters, ions, solvent and ligands */
    TSL_HETERO_KEEP = 1  /**< keep all but waters, as uncharged atoms */
} tsl_hetero;

/** Values of tsl_molecule_options.model besides a model's number. */
enum {
    TSL_MODEL_FIRST = 0, /**< the first model of the file */
    TSL_MODEL_ALL = -1   /**< all models as one molecule, for biological assemblies */
};

/** How to read a molecule from a file. Initialise with TSL_MOLECULE_OPTIONS_INIT. */
typedef struct tsl_molecule_options {
    size_t size;        /**< sizeof(tsl_molecule_options) */
    const char *chains; /**< chain identifiers to keep, separated by commas ("A,B"); NULL keeps all.
                             Upper and lower case differ. "_" is the blank identifier of a PDB file.
                             For mmCIF these are the author's identifiers (auth_asym_id) */
    tsl_hetero hetero;  /**< what to do with ligands, ions and solvent */
    int model;          /**< TSL_MODEL_FIRST, TSL_MODEL_ALL, or the number of a model in the file,
                             >= 1. Models without a number are counted from 1 */
} tsl_molecule_options;

#define TSL_MOLECULE_OPTIONS_INIT                                                                  \
    {                                                                                              \
        sizeof(tsl_molecule_options), NULL, TSL_HETERO_DROP, TSL_MODEL_FIRST                       \
    }

/** What reading a file left out and assumed, counted over the chains that were asked for. */
typedef struct tsl_molecule_account {
    int64_t models;          /**< models left out, counted over all chains */
    int64_t model_atoms;     /**< atoms of these models, of all kinds */
    int64_t blocks;          /**< data blocks of an mmCIF file after the first that hold atoms */
    int64_t alternates;      /**< atoms of alternate locations that were left out */
    int64_t hydrogens;       /**< hydrogen and deuterium atoms, except those of waters */
    int64_t waters;          /**< water molecules */
    int64_t ions;            /**< ions of one atom */
    int64_t solvents;        /**< other molecules of solvents and buffers */
    int64_t solvent_atoms;   /**< their atoms but hydrogens */
    int64_t ligands;         /**< ligand residues */
    int64_t ligand_atoms;    /**< their atoms but hydrogens */
    int64_t virtual_sites;   /**< lone pairs, charges and dummies, except those of waters */
    int64_t elements;        /**< atoms of standard residues whose element was taken from their
                                  name, because the file gives a contradicting element */
    int64_t occupancies;     /**< atoms kept although their occupancy is not a number; it is taken
                                  as 1 */
    int64_t residue_numbers; /**< atoms whose residue number is asterisks; it is taken as 0 */
    int64_t odd_records;     /**< atoms whose record name begins with blanks or is in lower case */
    int64_t overlaps;        /**< atoms kept although an atom was already in the same cell of 0.5
                                  angstrom */
    int64_t foreign_names;   /**< atoms kept in standard amino acids that have no atom of this name,
                                  such as beads of coarse-grained models */
} tsl_molecule_account;

/** Read a molecule from a PDB, mmCIF or FTDock `.parsed` file, gzipped or not. The content decides
 *  the format, not the file's name.
 *
 *  Kept: the model that was asked for; residues with insertion codes; for each atom with alternate
 *  locations the one of highest occupancy (of equal ones, the first); where a site holds several
 *  residues (microheterogeneity), the residue of highest mean occupancy. Left out: hydrogens and
 *  deuteriums; virtual sites, which have no mass (lone pairs, charges of water models, dummies);
 *  waters; and, unless `hetero` says otherwise, ligands, ions and solvent.
 *  tsl_molecule_account_of() counts what was left out. In a PDB file MODEL, ENDMDL and END separate
 *  models. If all models are read together, a chain whose identifier an earlier model has is
 *  renamed: chain A of the second model becomes "A-2". `chains` may name either.
 *
 *  Modified residues (such as MSE, SEP, TPO, PTR and CSO) and the residue names of force fields
 *  (such as HSD, CYX, LYSH and NALA) are treated as their parent residue; the name alone decides.
 *  Where the name says that the side chain is uncharged (such as LYN, ASH, GLH, ARN and ALY), its
 *  charge is omitted. A residue with the name of an ion, a water or a solvent is one, unless it has
 *  the atoms of an amino acid or a nucleotide. A residue of one atom named by its element is an ion
 *  too. In standard residues the name of an atom decides its element. Unknown residues and nucleic
 *  acids stay as uncharged atoms; one warning to the context's message function lists all their
 *  names. Another warning lists HETATM residues that have a backbone but no known parent. TER
 *  records are ignored. All ATOM records of a `.parsed` file are kept unchanged, also those after
 *  END, as in FTDock.
 *
 *  @param[out] out      the molecule, owned by the caller: tsl_molecule_destroy()
 *  @param[in]  path     file to read
 *  @param[in]  options  NULL takes the defaults
 *  @return TSL_OK; TSL_E_IO if the file cannot be read; TSL_E_FORMAT, with file and line, for a
 *          truncated record, a coordinate that is not a number or beyond ±9999.999, an occupancy
 *          that is not a number where alternate locations must be chosen between, a file without
 *          atoms or longer than 1 GiB, and chains or a model that the file does not have;
 *          TSL_E_UNSUPPORTED for a gzipped file in a build without zlib; TSL_E_ARG; TSL_E_NOMEM.
 */
TSL_API tsl_status tsl_molecule_read(tsl_molecule **out, tsl_context *context, const char *path,
                                     const tsl_molecule_options *options);

/** Make a molecule from the caller's atoms.
 *
 *  @param[out] out        the molecule, owned by the caller: tsl_molecule_destroy()
 *  @param[in]  count      number of atoms, >= 1
 *  @param[in]  positions  shape [count][3], angstrom, finite; copied
 *  @param[in]  charges    shape [count], elementary charges, |q| <= 3; copied and rounded to 1e-4
 *                         e; NULL: uncharged
 *  @return TSL_OK; TSL_E_ARG if an argument is out of range; TSL_E_NOMEM.
 */
TSL_API tsl_status tsl_molecule_create(tsl_molecule **out, tsl_context *context, int64_t count,
                                       const double *positions, const double *charges);

/** What reading the molecule left out and assumed. All counts are 0 for a molecule that was not
 *  read from a file. `out` is filled completely. */
TSL_API void tsl_molecule_account_of(const tsl_molecule *molecule, tsl_molecule_account *out);

/** Release a molecule. NULL is allowed. */
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
