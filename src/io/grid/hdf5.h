/* Arrays of numbers in HDF5 files, in builds that have the HDF5 library. That library is not made
 * for several threads: one rank at a time reads and writes. */
#ifndef TSL_IO_HDF5_H
#define TSL_IO_HDF5_H

#include "io/file/input.h"

enum { TSL_HDF5_AXES = 4, TSL_HDF5_NAME = 512 };

typedef struct tsl_hdf5_array {
    int precision; /* bytes of a number: 4 or 8 */
    int axes;      /* 0 to TSL_HDF5_AXES */
    int64_t shape[TSL_HDF5_AXES];
} tsl_hdf5_array;

/* What is written beside an array: a text, or `count` numbers if that is NULL. */
typedef struct tsl_hdf5_attribute {
    const char *name;
    const char *text;
    const double *numbers;
    int count;
} tsl_hdf5_attribute;

/* What is to be said of a dataset beside its shape. */
typedef struct tsl_hdf5_remarks {
    double lengths[3];  /* the attribute "lengths", as tsl_hdf5_write() writes it: three numbers
                           above 0; 0: there is none */
    bool wide_integers; /* of 8 bytes, which a double may not hold */
    bool wide_numbers;  /* numbers of more than 8 bytes */
    bool half;          /* of 2 bytes, and not integers */
    double unit;        /* of the last digit that scale-offset packing has kept; 0: all */
    int64_t chunks, unwritten; /* pieces of the dataset, and those that were never written */
    bool blocks;      /* the dataset is virtual, and takes as many numbered files as there are */
    int64_t unmapped; /* elements that a virtual dataset takes from nowhere */
    double fill;      /* the value of elements that were not written, or are taken from nowhere */
} tsl_hdf5_remarks;

/* The library's version; NULL if the build has none: the functions below then return
 * TSL_E_UNSUPPORTED. */
const char *tsl_hdf5_library(void);

/* Do the first bytes of a file say that it is HDF5? They may stand behind a block of the user's
 * own. */
bool tsl_hdf5_is(const char *data, size_t bytes);
enum { TSL_HDF5_BEGINNING = 32768 + 8 }; /* bytes that tsl_hdf5_is() needs */

/* A file that is open for reading. */
typedef struct tsl_hdf5 tsl_hdf5;

/* Opens what an input (borrowed) holds. A file is opened by its path; what is gzipped, or comes
 * through a pipe, is read into memory. TSL_E_IO if it cannot be read or is locked, TSL_E_FORMAT if
 * it is not HDF5 or damaged, TSL_E_NOMEM. */
tsl_status tsl_hdf5_open(tsl_hdf5 **out, tsl_input *input);
void tsl_hdf5_close(tsl_hdf5 *file); /* NULL is fine */

/* Chooses the file's only dataset or, of several, its only one of three axes and of numbers;
 * datasets behind links count too. `datasets`: how many there are. TSL_E_FORMAT, with the names, if
 * that does not single out one. */
tsl_status tsl_hdf5_choose(char name[TSL_HDF5_NAME], int *datasets, tsl_hdf5 *file);

/* Looks at a dataset, such as "density" or "/run 1/density". Its elements may be floating-point
 * numbers or integers, of any size and byte order, or truth values. TSL_E_FORMAT if there is no
 * such dataset, if it has other elements or more axes, or if none of its elements was ever written.
 * TSL_E_IO if parts of it are in other files, and one of them is missing or too short, whatever the
 * library would fill in. */
tsl_status tsl_hdf5_look(tsl_hdf5_array *out, tsl_hdf5_remarks *remarks, tsl_hdf5 *file,
                         const char *dataset);

/* Reads the dataset that was looked at, as floats or doubles of the machine. TSL_E_UNSUPPORTED if
 * it is packed by a filter that the library lacks. */
tsl_status tsl_hdf5_read(void *data, tsl_hdf5 *file, const char *dataset,
                         const tsl_hdf5_array *array);

/* Writes a file with one dataset and its attributes, whole or not at all. The same arguments make
 * the same bytes. TSL_E_IO also if no file can be made at `path`. */
tsl_status tsl_hdf5_write(tsl_context *context, const char *path, const char *dataset,
                          const tsl_hdf5_array *array, const void *data,
                          const tsl_hdf5_attribute *attributes, int count);

#endif
