/* Files of sparse matrices and of vectors: Matrix Market's text, SciPy's .npz and NumPy's .npy.
 * Which of them a file is its first bytes say, whatever its name; it may be gzipped, or a pipe.
 *
 * Matrix Market (Boisvert, Pozo & Remington, NISTIR 5935, 1996), as it is read here:
 *
 *     file       = banner {comment} size {entry | comment}
 *     banner     = "%%MatrixMarket" object format field symmetry     any case of letters
 *     object     = "matrix" | "vector"
 *     format     = "coordinate" | "array"
 *     field      = "real" | "double" | "integer" | "unsigned-integer" | "complex" | "pattern"
 *     symmetry   = "general" | "symmetric" | "skew-symmetric" | "hermitian"
 *     comment    = a blank line, or one that begins with %
 *     size       = rows columns entries     coordinate
 *                | rows columns             array
 *     entry      = row column value         coordinate; rows and columns count from 1
 *                | value                    array; by columns, of a symmetric matrix the part on
 *                                           and below the diagonal, of a skew one that below it
 *     value      = number                   complex: two, real and imaginary part; pattern: none
 *
 * A vector has one number of rows, no columns, and entries without a column. Lines end in LF or CR
 * LF; an entry has a line of its own, of at most 64 KiB. Entries may come in any order. A pattern's
 * entries are 1. Several entries at one place are summed, the smallest first, and counted. An array
 * keeps its zeros out of the matrix. A symmetric or skew-symmetric file holds one triangle, either
 * one. Complex entries are read; since the solvers are real, one with an imaginary part is refused
 * by name, and a file without any is a real matrix (a hermitian one a symmetric one).
 *
 * A byte-order mark of UTF-8 before the banner is skipped. Of the comment that AmgX writes,
 * "%%AMGX 1 1 sorted base0", `base0` makes rows and columns count from 0; words that announce
 * blocks, a diagonal of its own or vectors behind the matrix are refused. Numbers may have any
 * number of digits; one nearer to 0 than any double is 0, and counted.
 *
 * .npz: what scipy.sparse.save_npz() writes of a csr, csc, coo, bsr or dia matrix or array,
 * compressed or not, with indices of 32 or 64 bits and numbers of any real type; complex ones as
 * above. Zeros that bsr and dia fill up with are left out, as those of arrays are.
 *
 * .npy: a dense matrix, or vectors, of two axes; or a vector, of one. */
#ifndef TSL_IO_MATRIX_H
#define TSL_IO_MATRIX_H

#include "core/csr.h"
#include "io/file/source.h"
#include "tesela/sparse.h"

/* A matrix as its file has it; of a symmetric matrix one triangle. */
typedef struct tsl_matrix_file {
    tsl_csr matrix; /* columns ascend in each row, each once; values are finite */
    tsl_sparse_storage storage;
    int base;             /* number of the first row and column */
    const char *format;   /* "Matrix Market coordinate", "Matrix Market array", "SciPy CSR" and
                             its kin, "NumPy array" */
    const char *field;    /* "real", "integer", "complex", "pattern" */
    const char *symmetry; /* "general", "symmetric", "skew-symmetric", "hermitian" */
    int64_t entries;      /* in the file */
    int64_t duplicates;   /* entries that were added to another at their place */
    int64_t underflows;   /* numbers nearer to 0 than any double, and so read as 0 */
    int64_t bytes;        /* of the file, inflated */
} tsl_matrix_file;

/* Reads a matrix, plain or gzipped; its format is told by its content. All threads of the context
 * parse. Beside the matrix (12 bytes an entry, 8 a row) this takes a few MiB a thread; a gzipped
 * file and a pipe are held whole. Errors name the file, and the line or element: TSL_E_IO if it
 * cannot be read; TSL_E_FORMAT if it is damaged, or holds a number that is not finite or an entry
 * outside the matrix; TSL_E_UNSUPPORTED for complex matrices, more than 2^31 - 1 rows or columns,
 * and other formats of SciPy; TSL_E_NOMEM, also where the matrix takes more than the free memory.
 * `path` "-" is standard input. Release with tsl_matrix_file_release(). */
tsl_status tsl_matrix_read(tsl_matrix_file *out, tsl_context *context, const char *path);
/* Read a matrix from a source, as tsl_matrix_read() does from a file. */
tsl_status tsl_matrix_parse(tsl_matrix_file *out, tsl_context *context, const tsl_source *source);
void tsl_matrix_file_release(tsl_matrix_file *file);

/* Vectors side by side. */
typedef struct tsl_dense {
    int64_t rows, columns;
    double *value;      /* [columns][rows]: one vector after the other */
    int64_t underflows; /* as of tsl_matrix_file */
} tsl_dense;

/* Reads vectors from a Matrix Market file, array or coordinate (a place without an entry is 0), a
 * .npz or a .npy file. Errors are those of tsl_matrix_read(). Release with tsl_dense_release(). */
tsl_status tsl_dense_read(tsl_dense *out, tsl_context *context, const char *path);
void tsl_dense_release(tsl_dense *vectors);
/* Reads one vector of `rows` numbers. Errors are those of tsl_matrix_read(), and TSL_E_FORMAT if
 * there are more vectors, or another number of rows. */
tsl_status tsl_vector_read(double *out, int64_t rows, tsl_context *context, const char *path);

/* Writes vectors, whole or not at all: as .npy (<f8) if the path ends so, else as a Matrix Market
 * array whose 17 digits give the same numbers back. */
tsl_status tsl_dense_write(tsl_context *context, const char *path, const tsl_dense *x);
tsl_status tsl_vector_write(tsl_context *context, const char *path, const double *x, int64_t rows);

/* ---- between the readers ------------------------------------------------------------------ */

/* Do the first TSL_TEXT_BEGINNING bytes of a file belong to a format that is read here? */
bool tsl_matrix_begins_well(const char *data, size_t size);
/* Do the first bytes say that it is a zip archive (tsl_npz_is()), or an array of NumPy's? */
bool tsl_npz_is(const tsl_source *source);
bool tsl_dense_is(const tsl_source *source);
/* Reads vectors, or a dense matrix, from a .npy file. *field is as in tsl_matrix_file. */
tsl_status tsl_dense_parse_npy(tsl_dense *out, const char **field, tsl_context *context,
                               const tsl_source *source);
tsl_status tsl_npz_parse(tsl_matrix_file *out, tsl_context *context, const tsl_source *source);
tsl_status tsl_mtx_parse(tsl_matrix_file *out, tsl_context *context, const tsl_source *source);

/* Brings each row's columns into order and sums entries at the same place, the smallest first;
 * `drop`: takes out zeros. Returns the number of entries that were added to another. All threads
 * work; the outcome does not depend on the order in which a row's entries are given. */
int64_t tsl_rows_tidy(tsl_csr *matrix, int threads, bool drop);

#endif
