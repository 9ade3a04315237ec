/* Arrays of single or double precision in HDF5 files, in builds that have the HDF5 library. That
 * library is not made for several threads: one rank at a time reads and writes. */
#ifndef TSL_IO_HDF5_H
#define TSL_IO_HDF5_H

#include "core/core.h"

enum { TSL_HDF5_AXES = 4 };

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

/* The library's version; NULL if the build has none: all that follows is TSL_E_UNSUPPORTED then. */
const char *tsl_hdf5_library(void);

/* Look at a dataset: "density", "/run 1/density". TSL_E_IO if the file cannot be read, TSL_E_FORMAT
 * if it is not HDF5, has no such dataset or one of other elements or of more axes. */
tsl_status tsl_hdf5_look(tsl_hdf5_array *out, tsl_context *context, const char *path,
                         const char *dataset);

/* Read the dataset that was looked at; numbers come in the machine's byte order. */
tsl_status tsl_hdf5_read(void *data, tsl_context *context, const char *path, const char *dataset,
                         const tsl_hdf5_array *array);

/* Write a file with one dataset and its attributes, whole or not at all. The same call makes the
 * same bytes. TSL_E_IO also if `path` is no place for a file. */
tsl_status tsl_hdf5_write(tsl_context *context, const char *path, const char *dataset,
                          const tsl_hdf5_array *array, const void *data,
                          const tsl_hdf5_attribute *attributes, int count);

#endif
