/* Files of points: NumPy's .npy, tables of text, and the atoms of molecules. */
#ifndef TSL_IO_POINTS_H
#define TSL_IO_POINTS_H

#include "core/core.h"
#include "tesela/pairs.h"

typedef struct tsl_point_set {
    tsl_points points;
    void *values; /* owned: those of `points`, which borrow the path as their name */
} tsl_point_set;

/* Read a file, gzipped or not, through a pipe or from standard input ("-"), told by its content.
 * NumPy's .npy, and .npz of one array: two axes, points by coordinates, or one axis, of points on a
 * line; floating-point numbers of 4 or 8 bytes stay as they are, integers become double. A table,
 * which begins with a number or is called `.csv`, `.tsv`, `.txt` or `.dat`: a point a line, its
 * coordinates apart by commas, semicolons or blanks; blank lines and lines that begin with # are
 * passed over, and so is a first line of names, with a note. Anything else: the atoms of a PDB,
 * mmCIF or .parsed file, as docking keeps them, with a note of what is left out. TSL_E_IO,
 * TSL_E_FORMAT with file and line, TSL_E_UNSUPPORTED, TSL_E_NOMEM. */
tsl_status tsl_point_set_read(tsl_point_set *out, tsl_context *context, const char *path);
void tsl_point_set_release(tsl_point_set *set);

/* Make single precision double; nothing happens to double. TSL_E_NOMEM. */
tsl_status tsl_point_set_widen(tsl_point_set *set, tsl_context *context);

#endif
