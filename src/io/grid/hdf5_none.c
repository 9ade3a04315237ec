/* The functions of hdf5.h in a build without the HDF5 library. */
#include "core/config.h"
#include "io/grid/hdf5.h"

#ifndef TSL_HAVE_HDF5

static tsl_status fail_without(tsl_context *context, const char *path)
{
    return tsl_fail(context, TSL_E_UNSUPPORTED,
                    "%s: this build reads and writes no HDF5: build tesela with the HDF5 library",
                    path);
}

const char *tsl_hdf5_library(void)
{
    return NULL;
}

tsl_status tsl_hdf5_open(tsl_hdf5 **out, tsl_input *input)
{
    (void)out;
    return fail_without(tsl_input_context(input), tsl_input_name(input));
}

void tsl_hdf5_close(tsl_hdf5 *file)
{
    (void)file;
}

/* The functions below are never called, since no file is ever open. */
tsl_status tsl_hdf5_choose(char name[TSL_HDF5_NAME], int *datasets, tsl_hdf5 *file)
{
    (void)name;
    (void)datasets;
    (void)file;
    return TSL_E_INTERNAL;
}

tsl_status tsl_hdf5_look(tsl_hdf5_array *out, tsl_hdf5_remarks *remarks, tsl_hdf5 *file,
                         const char *dataset)
{
    (void)out;
    (void)remarks;
    (void)file;
    (void)dataset;
    return TSL_E_INTERNAL;
}

tsl_status tsl_hdf5_read(void *data, tsl_hdf5 *file, const char *dataset,
                         const tsl_hdf5_array *array)
{
    (void)data;
    (void)file;
    (void)dataset;
    (void)array;
    return TSL_E_INTERNAL;
}

tsl_status tsl_hdf5_write(tsl_context *context, const char *path, const char *dataset,
                          const tsl_hdf5_array *array, const void *data,
                          const tsl_hdf5_attribute *attributes, int count)
{
    (void)dataset;
    (void)array;
    (void)data;
    (void)attributes;
    (void)count;
    return fail_without(context, path);
}

#endif
