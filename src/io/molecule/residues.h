/* What the names of residues and atoms say. */
#ifndef TSL_IO_RESIDUES_H
#define TSL_IO_RESIDUES_H

#include <stdbool.h>
#include <stddef.h>

typedef enum tsl_residue_kind {
    TSL_RESIDUE_UNKNOWN = 0,
    TSL_RESIDUE_AMINO_ACID,
    TSL_RESIDUE_NUCLEOTIDE,
    TSL_RESIDUE_WATER
} tsl_residue_kind;

/* Kind of the residue `name`. `parent` receives the standard residue it is or is made from
 * ("MET" for "MSE"), or `name` itself (at most 7 characters) where there is none. */
tsl_residue_kind tsl_residue_find(const char *name, char parent[8]);

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
