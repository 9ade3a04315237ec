/* Molecules in memory, and their readers. */
#ifndef TSL_IO_MOLECULE_H
#define TSL_IO_MOLECULE_H

#include <stdbool.h>
#include <stdint.h>

#include "io/file/input.h"
#include "io/tally.h"
#include "tesela/molecule.h"

/* One atom as read. Names are the file's, without blanks; `parent` is the residue's standard parent
 * ("MET" for "MSE"), or its own name. */
typedef struct tsl_atom {
    char name[8];          /* "CA" */
    char residue[8];       /* "MSE" */
    char parent[8];        /* "MET" */
    char chain[8];         /* author's chain identifier; "" if blank */
    char insertion;        /* ' ' if none */
    bool hetero;           /* from a HETATM record */
    char element[4];       /* "C"; derived from the name where the file has none */
    int32_t number;        /* residue number */
    int32_t serial;        /* atom serial number as read, 0 if it is no number */
    int32_t residue_index; /* 0-based, in file order */
    float occupancy;
    float temperature;
} tsl_atom;

struct tsl_molecule {
    tsl_context *context;
    int64_t count;
    tsl_atom *atoms;            /* [count]; NULL for a molecule made by tsl_molecule_create() */
    double *positions;          /* [count][3], angstrom */
    double *charges;            /* [count], elementary charges, multiples of 1e-4 */
    int32_t residues;           /* number of residues */
    int32_t uncharged_residues; /* unknown residues and nucleotides, kept without charges */
    tsl_molecule_account account;
    tsl_tally left_out;  /* ligands, ions and solvent */
    tsl_tally taken_for; /* amino acids that have another name than their parent */
    tsl_tally uncharged;
    tsl_tally foreign; /* names of atoms that their amino acids do not have */
};

/* Reads what is left of an input, as tsl_molecule_read() reads a file. */
tsl_status tsl_molecule_take(tsl_molecule **out, tsl_input *input,
                             const tsl_molecule_options *options);

#endif
