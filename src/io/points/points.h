/* Files of points: NumPy's .npy, tables of text, and the atoms of molecules. */
#ifndef TSL_IO_POINTS_H
#define TSL_IO_POINTS_H

#include "core/core.h"
#include "tesela/pairs.h"

typedef struct tsl_point_set {
    tsl_points points;
    void *values; /* owned: the numbers of `points` */
} tsl_point_set;

/* Reads a file, gzipped or not, from a pipe or from standard input ("-"); its content tells the
 * format. NumPy's .npy, and .npz with one array: two axes, points by coordinates, or one axis of
 * points on a line; floating-point numbers of 4 or 8 bytes stay as they are, integers become
 * double. A table begins with a number in its first or second line or is called `.csv`, `.tsv`,
 * `.txt` or `.dat`: each line has a point, with commas, semicolons or blanks between its
 * coordinates, which may be quoted, have Fortran's exponents and, between semicolons, decimal
 * commas; blank lines and what follows a # are passed over, and so is a first line of names, with a
 * note. Where the first of these names is empty, as pandas writes it, the first column is left out.
 * Of any other file, the atoms of a PDB, mmCIF or .parsed file, as docking keeps them, with a note
 * of what is left out. TSL_E_IO, TSL_E_FORMAT with file and line, TSL_E_UNSUPPORTED, TSL_E_NOMEM.
 */
tsl_status tsl_point_set_read(tsl_point_set *out, tsl_context *context, const char *path);
void tsl_point_set_release(tsl_point_set *set);

/* Turns single precision into double; leaves double as it is. TSL_E_NOMEM. */
tsl_status tsl_point_set_widen(tsl_point_set *set, tsl_context *context);

#endif
