/* Files of one dataset and its attributes. */
#include "io/grid/hdf5_calls.h"

#ifdef TSL_HAVE_HDF5

#include <string.h>

#include "io/file/output.h"

static bool write_attribute(hid_t dataset, const tsl_hdf5_attribute *attribute)
{
    const hsize_t count = (hsize_t)attribute->count;
    const bool is_text = attribute->text != NULL;
    const hid_t type = H5Tcopy(is_text ? H5T_C_S1 : H5T_NATIVE_DOUBLE);
    const hid_t space = is_text ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &count, NULL);
    if (is_text) {
        H5Tset_size(type, strlen(attribute->text) + 1);
        H5Tset_cset(type, H5T_CSET_UTF8);
    }
    const hid_t written =
        H5Acreate2(dataset, attribute->name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    const void *data = is_text ? (const void *)attribute->text : attribute->numbers;
    bool good = written >= 0 && H5Awrite(written, type, data) >= 0;
    good = (written < 0 || H5Aclose(written) >= 0) && good;
    H5Sclose(space);
    H5Tclose(type);
    return good;
}

static bool write_dataset(hid_t file, const char *name, const tsl_hdf5_array *array,
                          const void *data, const tsl_hdf5_attribute *attributes, int count)
{
    hsize_t shape[TSL_HDF5_AXES];
    for (int i = 0; i < array->axes; i++) {
        shape[i] = (hsize_t)array->shape[i];
    }
    const hid_t type = array->precision == 4 ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE;
    const hid_t space = H5Screate_simple(array->axes, shape, NULL);
    const hid_t how = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_obj_track_times(how, false); /* the same file whenever it is written */
    const hid_t dataset = H5Dcreate2(file, name, type, space, H5P_DEFAULT, how, H5P_DEFAULT);
    bool good = dataset >= 0 && H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0;
    for (int i = 0; i < count && good; i++) {
        good = write_attribute(dataset, &attributes[i]);
    }
    good = (dataset < 0 || H5Dclose(dataset) >= 0) && good;
    H5Pclose(how);
    H5Sclose(space);
    return good;
}

tsl_status tsl_hdf5_write(tsl_context *context, const char *path, const char *dataset,
                          const tsl_hdf5_array *array, const void *data,
                          const tsl_hdf5_attribute *attributes, int count)
{
    tsl_output *output;
    tsl_status status = tsl_output_open(&output, context, path);
    if (status != TSL_OK) {
        return status;
    }
    if (tsl_output_temporary(output) == NULL) {
        tsl_output_discard(output);
        return tsl_fail(context, TSL_E_IO, "%s: HDF5 is written to files only: name one", path);
    }
    tsl_hdf5_fault fault;
    const tsl_hdf5_silence before = tsl_hdf5_enter(&fault);
    const hid_t file =
        H5Fcreate(tsl_output_temporary(output), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    bool good = file >= 0 && write_dataset(file, dataset, array, data, attributes, count);
    good = (file < 0 || H5Fclose(file) >= 0) && good;
    if (!good) {
        if (fault.error != 0) {
            tsl_output_fail(context, path, fault.error);
        } else {
            tsl_hdf5_fail(context, &fault, path, "write");
        }
        status = TSL_E_IO;
    }
    tsl_hdf5_leave(before);
    if (!good) {
        tsl_output_discard(output);
        return status;
    }
    return tsl_output_commit(output);
}

#endif
