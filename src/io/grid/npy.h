/* NumPy's files of arrays, .npy, versions 1.0 to 3.0. Elements are kept as bytes, in the byte order
 * of the file. */
#ifndef TSL_IO_NPY_H
#define TSL_IO_NPY_H

#include <stdio.h>

#include "io/file/input.h"

enum { TSL_NPY_AXES = 32, TSL_NPY_TYPE = 32, TSL_NPY_LONGEST_HEADER = 65536 };

/* The contents of a header. */
typedef struct tsl_npy {
    char type[TSL_NPY_TYPE];     /* "<f8", ">c16", "|V4": byte order, kind and size */
    int64_t item;                /* bytes of an element, >= 1 */
    bool fortran_order;          /* the first axis varies fastest; otherwise the last one */
    int axes;                    /* 0 to TSL_NPY_AXES */
    int64_t shape[TSL_NPY_AXES]; /* lengths, each >= 0 */
    int64_t count;               /* elements; count * item does not pass 2^63 */
    int64_t offset;              /* bytes before the data */
} tsl_npy;

/* Reads a header from the first `size` bytes of a file that errors call `name`. TSL_E_FORMAT if it
 * is no header or damaged; TSL_E_UNSUPPORTED for elements that cannot be moved as bytes (objects,
 * structures) and for other versions. */
tsl_status tsl_npy_parse(tsl_npy *out, tsl_context *context, const char *name, const char *data,
                         size_t size);

/* Do the first bytes of a file say that it is .npy? */
bool tsl_npy_is(const char *data, size_t bytes);

/* Read a whole file, gzipped or not. `data` gets count * item bytes: tsl_release(). TSL_E_IO if it
 * cannot be read, TSL_E_FORMAT also if there is less or more data than the header says,
 * TSL_E_NOMEM.
 */
tsl_status tsl_npy_read(tsl_npy *out, void **data, tsl_context *context, const char *path);

/* Reads a file in two steps, so that it can be judged before memory is taken: tsl_npy_open() reads
 * the header, which stays to be read, and tsl_npy_load() the data. Errors are those of
 * tsl_npy_read(). */
tsl_status tsl_npy_open(tsl_npy *header, tsl_input *input);
tsl_status tsl_npy_load(void **data, tsl_input *input, const tsl_npy *header);

/* Writes a file, whole or not at all. Of `header` the members type, item, order and shape count. */
tsl_status tsl_npy_write(tsl_context *context, const char *path, const tsl_npy *header,
                         const void *data);

/* Writes the header to a stream, to which the caller then writes the data. */
void tsl_npy_write_header(FILE *stream, const tsl_npy *header);

/* Elements as numbers. tsl_npy_has_integers(): are they integers that an int64_t holds?
 * tsl_npy_has_numbers(): are they integers, truth values, floating-point numbers of 2, 4, 8 or, of
 * this machine's long double, 16 bytes, or complex numbers of 8, 16 or 32 bytes, in either byte
 * order? The other functions give element `i` of `data`, rounded to double; `data` need not be
 * aligned. */
bool tsl_npy_has_integers(const tsl_npy *header);
int64_t tsl_npy_integer(const tsl_npy *header, const void *data, int64_t i);
bool tsl_npy_has_numbers(const tsl_npy *header);
double tsl_npy_number(const tsl_npy *header, const void *data, int64_t i, double *imaginary);
/* Are the elements in this machine's byte order? */
bool tsl_npy_is_native(const tsl_npy *header);
#endif
