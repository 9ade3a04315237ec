/* Point charges of the electrostatic term. */
#ifndef TSL_IO_CHARGES_H
#define TSL_IO_CHARGES_H

#include <stdbool.h>

/* Charge (e) of an atom of a standard residue, after Gabb, Jackson & Sternberg, J. Mol. Biol. 272
 * (1997) 106, table 1, as FTDock 2.0 assigns it. `parent` is the standard residue, `name` the
 * atom's name without blanks; `neutral` tells that the side chain has lost its charge, `first` and
 * `last` the first and last residue of the molecule. */
double tsl_ftdock_charge(const char *parent, const char *name, bool neutral, bool first, bool last);

#endif
