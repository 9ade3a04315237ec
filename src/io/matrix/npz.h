/* What the files that read SciPy's .npz share. */
#ifndef TSL_IO_NPZ_H
#define TSL_IO_NPZ_H

#include "io/file/zip.h"
#include "io/grid/npy.h"
#include "io/matrix/matrix.h"

/* A member of an archive: an array. */
typedef struct tsl_npz_array {
    tsl_npy header;
    tsl_text text; /* the member's bytes */
    const char *data;
} tsl_npz_array;

typedef struct tsl_npz {
    tsl_context *context;
    const char *name;
    tsl_zip zip;
    int threads;
} tsl_npz;

/* Where an archive has no format.npy, as SciPy's have, but one array, `out` becomes that array's
 * file, to be released; else `out` is empty. */
tsl_status tsl_npz_only_array(tsl_text *out, tsl_context *context, const tsl_source *source);

/* Reads a member of numbers. Release its text whatever the outcome. */
tsl_status tsl_npz_numbers(tsl_npz_array *out, const tsl_npz *r, const char *member);
/* Reads a member of integers along one axis. Release its text whatever the outcome. There must be
 * `wanted` of them, or with `or_more` at least so many: SciPy may leave unused room behind the
 * entries. */
tsl_status tsl_npz_integers(tsl_npz_array *out, const tsl_npz *r, const char *member,
                            int64_t wanted, bool or_more);
/* Reads indptr: where each of `lines` rows or columns begins, ascending from 0; [lines + 1]. */
tsl_status tsl_npz_starts(int64_t **out, const tsl_npz *r, int64_t lines);
/* Reads a member with numbers of rows or columns, 0 to limit - 1; errors call them `lines`. */
tsl_status tsl_npz_places(int32_t **out, const tsl_npz *r, const char *member, int64_t count,
                          int64_t limit, const char *lines);
/* Reads the first `least` numbers of data.npy, or with -1 all of them. It must have `axes` axes. */
tsl_status tsl_npz_values(double **out, tsl_npy *header, const char **field, const tsl_npz *r,
                          int axes, int64_t least);

/* Read matrices that are not held by rows. The shape is known. */
tsl_status tsl_npz_read_csc(const tsl_npz *r, tsl_matrix_file *out);
tsl_status tsl_npz_read_coo(const tsl_npz *r, tsl_matrix_file *out);
tsl_status tsl_npz_read_bsr(const tsl_npz *r, tsl_matrix_file *out);
tsl_status tsl_npz_read_dia(const tsl_npz *r, tsl_matrix_file *out);

/* The kind of a header's numbers: "real", "integer" or "complex". */
const char *tsl_npy_field(const tsl_npy *header);
/* Converts numbers to double precision; errors call the array `what`. TSL_E_FORMAT for one that is
 * not finite, TSL_E_UNSUPPORTED for one with an imaginary part. */
tsl_status tsl_npy_convert(double *out, tsl_context *context, const char *what,
                           const tsl_npy *header, const void *data, int64_t count, int threads);

#endif
