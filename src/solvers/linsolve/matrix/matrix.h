/* A public matrix: its rows, what is known of them, and how products go through them. */
#ifndef TSL_SPARSE_MATRIX_H
#define TSL_SPARSE_MATRIX_H

#include "blocks/csr/form.h"
#include "blocks/csr/sparse.h"
#include "blocks/vector/layout.h"
#include "tesela/sparse.h"

struct tsl_sparse_matrix {
    tsl_context *context;
    int index_base;
    tsl_sparse_symmetry symmetry;
    tsl_csr csr; /* all rows, columns ascending and distinct */
    tsl_sparse_description description;
    tsl_layout layout;             /* of the rows */
    tsl_exchange_stream *exchange; /* on GPUs, where there are other ranks; else NULL */
    tsl_form form;                 /* of this rank's rows */
};

/* The caller's entries: by rows where `row` is NULL, else in coordinates. Numbered from `base`. */
typedef struct tsl_entries {
    int64_t rows, columns, count;
    const int64_t *row_start; /* [rows + 1] or NULL */
    const int64_t *row;       /* [count] or NULL */
    const void *column;       /* [count] */
    int column_bytes;
    const double *value; /* [count] */
    tsl_sparse_storage storage;
    tsl_sparse_duplicates duplicates;
    int base;
} tsl_entries;

/* Rows with ascending, distinct columns; whatever is wrong with the entries is told. */
tsl_status tsl_entries_to_rows(tsl_csr *out, tsl_context *context, const tsl_entries *entries);

/* All of it but format and bytes. */
void tsl_describe_rows(tsl_sparse_description *out, tsl_context *context, const tsl_csr *m,
                       int base);

/* `status` if that is how this rank is; else TSL_E_UNSUPPORTED, with a line, on devices that have
 * no solver, and for ranks on devices of several kinds. Collective: all ranks return how the first
 * of them is that is not well. */
tsl_status tsl_sparse_check_device(tsl_context *context, tsl_status status);

/* Seconds of one product of this rank's rows alone with the whole x, and the bytes that it reads
 * and writes at least: its rows, x's and y's as many numbers as those. y is overwritten; tens of
 * milliseconds and five products at most, without a word to other ranks. */
tsl_status tsl_sparse_matrix_time(double *seconds, int64_t *bytes, tsl_sparse_matrix *matrix,
                                  double *y, const double *x);

#endif
