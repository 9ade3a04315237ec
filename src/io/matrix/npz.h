/* What the files that read SciPy's .npz share. */
#ifndef TSL_IO_NPZ_H
#define TSL_IO_NPZ_H

#include "io/file/zip.h"
#include "io/grid/npy.h"
#include "io/matrix/matrix.h"

/* A member: an array. */
typedef struct tsl_npz_array {
    tsl_npy header;
    tsl_text text; /* the member */
    const char *data;
} tsl_npz_array;

typedef struct tsl_npz {
    tsl_context *context;
    const char *name;
    tsl_zip zip;
    int threads;
} tsl_npz;

/* Where an archive has no format.npy, as SciPy's have, but one array, that array's file into `out`,
 * to be released; else `out` is empty. */
tsl_status tsl_npz_only_array(tsl_text *out, tsl_context *context, const tsl_source *source);

/* Read a member of numbers; release its text whatever the outcome. */
tsl_status tsl_npz_numbers(tsl_npz_array *out, const tsl_npz *r, const char *member);
/* Read a member of integers along one axis and release its text whatever the outcome. There must be
 * `wanted` of them, or at least so many with `or_more`: SciPy may leave unused room behind the
 * entries. */
tsl_status tsl_npz_integers(tsl_npz_array *out, const tsl_npz *r, const char *member,
                            int64_t wanted, bool or_more);
/* indptr: where each of `lines` rows or columns begins, ascending from 0; [lines + 1]. */
tsl_status tsl_npz_starts(int64_t **out, const tsl_npz *r, int64_t lines);
/* A member's numbers of rows or columns, 0 to limit - 1; `lines` is what errors call those. */
tsl_status tsl_npz_places(int32_t **out, const tsl_npz *r, const char *member, int64_t count,
                          int64_t limit, const char *lines);
/* The first `least` numbers of data.npy, which has `axes` axes, or with -1 all of them. */
tsl_status tsl_npz_values(double **out, tsl_npy *header, const char **field, const tsl_npz *r,
                          int axes, int64_t least);

/* Formats other than by rows. The shape is known. */
tsl_status tsl_npz_read_csc(const tsl_npz *r, tsl_matrix_file *out);
tsl_status tsl_npz_read_coo(const tsl_npz *r, tsl_matrix_file *out);
tsl_status tsl_npz_read_bsr(const tsl_npz *r, tsl_matrix_file *out);
tsl_status tsl_npz_read_dia(const tsl_npz *r, tsl_matrix_file *out);

/* "real", "integer" or "complex": what a header's numbers are. */
const char *tsl_npy_field(const tsl_npy *header);
/* Numbers as double precision; `what` is the array in errors. TSL_E_FORMAT for one that is not
 * finite, TSL_E_UNSUPPORTED for one with an imaginary part. */
tsl_status tsl_npy_convert(double *out, tsl_context *context, const char *what,
                           const tsl_npy *header, const void *data, int64_t count, int threads);

#endif
