/* What the names of residues and atoms say. */
#ifndef TSL_IO_RESIDUES_H
#define TSL_IO_RESIDUES_H

#include <stdbool.h>
#include <stddef.h>

typedef enum tsl_residue_kind {
    TSL_RESIDUE_UNKNOWN = 0,
    TSL_RESIDUE_AMINO_ACID,
    TSL_RESIDUE_NUCLEOTIDE,
    TSL_RESIDUE_WATER,
    TSL_RESIDUE_ION,    /* of one atom */
    TSL_RESIDUE_SOLVENT /* a molecule of the solvent or buffer, ions of several atoms among them */
} tsl_residue_kind;

typedef struct tsl_residue {
    tsl_residue_kind kind;
    char parent[8]; /* the standard residue it is or is made from ("MET" for "MSE"), or its own name
                     */
    bool modified;  /* has atoms that the parent has not, so its elements need not follow from names
                     */
    bool neutral;   /* its side chain has lost the charge that the parent's has */
} tsl_residue;

/* What the name of a residue says; letters of either case are the same. At most 7 characters. */
tsl_residue tsl_residue_find(const char *name);
/* The same among names of one kind: "DGN" is D-glutamine, and a nucleoside of AMBER's. */
tsl_residue tsl_residue_find_as(const char *name, tsl_residue_kind kind);

/* Has an amino acid of the table, without modification, an atom of this name that is no hydrogen?
 * Names of force fields and of both ends of a chain included. */
bool tsl_amino_acid_has(const char *atom);

/* Whether a residue of one atom is an ion: both are called by the symbol of a metal, a halogen or a
 * noble gas, with digits or a charge around it ("ZN", "3CO", "Na+"), which `element` receives. */
bool tsl_residue_is_ion(const char *residue, const char *atom, char element[4]);

/* Whether an atom of no known element is a place without mass: a lone pair, a charge of a water
 * model, a dummy that carries others' mass, a pseudo-atom of NMR or, as Rosetta's CEN, of a side
 * chain. `polymer`: of a known residue. */
bool tsl_atom_is_virtual(const char *name, bool polymer);

/* The element symbol in a field, in upper case; false, and `out` untouched, if it holds none. What
 * follows the letters (a charge) is ignored. */
bool tsl_element_parse(const char *field, size_t length, char out[4]);

/* The element that an atom's name implies, for files without an element column; "" if none can be
 * told. `columns` are the four columns of a PDB record, where the element ends in the second, or
 * NULL where names have no place; `polymer` tells an ATOM record of a known residue, in which only
 * selenium has a symbol of two letters. */
void tsl_element_guess(const char *name, const char *columns, const char *residue, bool polymer,
                       char out[4]);

/* "H" or "D". */
bool tsl_element_is_hydrogen(const char *element);

#endif
