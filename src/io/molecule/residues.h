/* What the names of residues and atoms mean. */
#ifndef TSL_IO_RESIDUES_H
#define TSL_IO_RESIDUES_H

#include <stdbool.h>
#include <stddef.h>

typedef enum tsl_residue_kind {
    TSL_RESIDUE_UNKNOWN = 0,
    TSL_RESIDUE_AMINO_ACID,
    TSL_RESIDUE_NUCLEOTIDE,
    TSL_RESIDUE_WATER,
    TSL_RESIDUE_ION,    /* a single atom */
    TSL_RESIDUE_SOLVENT /* a molecule of the solvent or buffer, ions of several atoms among them */
} tsl_residue_kind;

typedef struct tsl_residue {
    tsl_residue_kind kind;
    char parent[8]; /* the standard residue that it is or is made from ("MET" for "MSE"), or its own
                       name */
    bool modified;  /* it has atoms that the parent has not, so its elements need not follow from
                       names */
    bool neutral;   /* its side chain has lost the charge that the parent's has */
} tsl_residue;

/* The meaning of a residue's name, of at most 7 characters; letters of either case are the same. */
tsl_residue tsl_residue_find(const char *name);
/* The meaning of a residue's name among residues of one kind: "DGN" is D-glutamine, and also a
 * nucleoside of AMBER's. */
tsl_residue tsl_residue_find_as(const char *name, tsl_residue_kind kind);

/* Has any amino acid of the table, without modification, an atom of this name that is no hydrogen?
 * Names of force fields and of both ends of a chain count too. */
bool tsl_amino_acid_has(const char *atom);

/* Is a residue of one atom an ion? Residue and atom are then called by the symbol of a metal, a
 * halogen or a noble gas, with digits or a charge around it ("ZN", "3CO", "Na+"). `element`
 * receives the symbol. */
bool tsl_residue_is_ion(const char *residue, const char *atom, char element[4]);

/* Is an atom of no known element a place without mass? Such are lone pairs, charges of models of
 * water, dummies that carry others' mass, pseudo-atoms of NMR, and those that stand for a side
 * chain, such as Rosetta's CEN. `polymer`: it is of a known residue. */
bool tsl_atom_is_virtual(const char *name, bool polymer);

/* Parses the element's symbol in a field, in upper case; false, and `out` untouched, if there is
 * none. What follows the letters (a charge) is ignored. */
bool tsl_element_parse(const char *field, size_t length, char out[4]);

/* The element that an atom's name implies, for files without an element column; "" if that cannot
 * be told. `columns` are the four columns of a PDB record, where the element ends in the second;
 * NULL where names have no columns. `polymer`: an ATOM record of a known residue, where only
 * selenium has a symbol of two letters. */
void tsl_element_guess(const char *name, const char *columns, const char *residue, bool polymer,
                       char out[4]);

/* Is the element hydrogen, "H" or "D"? */
bool tsl_element_is_hydrogen(const char *element);

#endif
