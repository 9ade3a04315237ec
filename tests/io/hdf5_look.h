/* What the tests of HDF5 files share. */
#ifndef TESTS_IO_HDF5_LOOK_H
#define TESTS_IO_HDF5_LOOK_H

#include "io/grid/hdf5.h"

/* Look at a dataset of a file, and read it. */
static inline tsl_status look(tsl_hdf5_array *out, tsl_context *context, const char *path,
                              const char *dataset, tsl_hdf5_remarks *remarks, void *data)
{
    tsl_input *input;
    tsl_hdf5 *file = NULL;
    tsl_hdf5_remarks told;
    tsl_status status = tsl_input_open(&input, context, path);
    if (status != TSL_OK) {
        return status;
    }
    status = tsl_hdf5_open(&file, input);
    if (status == TSL_OK) {
        status = tsl_hdf5_look(out, &told, file, dataset);
    }
    if (status == TSL_OK && remarks != NULL) {
        *remarks = told;
    }
    if (status == TSL_OK && data != NULL) {
        status = tsl_hdf5_read(data, file, dataset, out);
    }
    tsl_hdf5_close(file);
    tsl_input_close(input);
    return status;
}

#endif
