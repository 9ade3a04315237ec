#include "io/grid/hdf5.h"

#include "core/config.h"

#ifdef TSL_HAVE_HDF5

#include <errno.h>
#include <hdf5.h>
#include <stdio.h>
#include <string.h>

#include "io/file/output.h"
#include "io/file/text.h"

/* ---- errors ------------------------------------------------------------------------------- */

/* The library prints its errors unless told not to: between enter and leave it is silent. */
typedef struct silence {
    H5E_auto2_t function;
    void *data;
} silence;

static silence enter_silence(void)
{
    silence before = {NULL, NULL};
    H5Eget_auto2(H5E_DEFAULT, &before.function, &before.data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return before;
}

static void leave_silence(silence before)
{
    H5Eset_auto2(H5E_DEFAULT, before.function, before.data);
}

/* Of the innermost error: the system's own words, where there are any. */
static herr_t take_reason(unsigned n, const H5E_error2_t *error, void *user)
{
    static const char before[] = "error message = '";
    char *reason = user;
    const char *words = error->desc != NULL ? strstr(error->desc, before) : NULL;
    if (words != NULL && reason[0] == '\0') {
        words += sizeof before - 1;
        tsl_quote(reason, words, strcspn(words, "'"));
    }
    (void)n;
    return 0;
}

/* "PATH: cannot write: No space left on device" */
static tsl_status fail_io(tsl_context *context, const char *path, const char *what)
{
    char reason[TSL_QUOTE_TEXT] = "";
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_reason, reason);
    return tsl_fail(context, TSL_E_IO, "%s: cannot %s: %s", path, what,
                    reason[0] != '\0' ? reason : "the HDF5 library failed");
}

/* ---- reading ------------------------------------------------------------------------------ */

/* An open dataset; negative: not open. */
typedef struct place {
    hid_t file, dataset;
} place;

static void close_place(const place *at)
{
    if (at->dataset >= 0) {
        H5Dclose(at->dataset);
    }
    if (at->file >= 0) {
        H5Fclose(at->file);
    }
}

/* A group may have that name. */
static tsl_status fail_no_dataset(tsl_context *context, const char *path, const char *dataset,
                                  hid_t file)
{
    enum { MOST = 8, LONGEST = 48 };
    char names[MOST * (LONGEST + 2) + 8] = "";
    H5G_info_t about = {.nlinks = 0};
    const hid_t group = H5Gopen2(file, dataset, H5P_DEFAULT);
    const hid_t where = group >= 0 ? group : file;
    H5Gget_info(where, &about);
    for (hsize_t i = 0; i < about.nlinks && i < MOST; i++) {
        char name[LONGEST] = "";
        H5Lget_name_by_idx(where, ".", H5_INDEX_NAME, H5_ITER_INC, i, name, sizeof name,
                           H5P_DEFAULT);
        tsl_plain_name(name, sizeof name, name, true);
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i > 0 ? ", " : "",
                 name);
    }
    if (group >= 0) {
        H5Gclose(group);
    }
    return tsl_fail(context, TSL_E_FORMAT, "%s: %s '%s'%s: %s%s", path,
                    group >= 0 ? "has no dataset but a group" : "has no dataset", dataset,
                    group >= 0 ? ", in which are" : "; at its root are",
                    about.nlinks > 0 ? names : "none", about.nlinks > MOST ? ", ..." : "");
}

static tsl_status open_place(place *at, tsl_context *context, const char *path, const char *dataset)
{
    *at = (place){-1, -1};
    FILE *file = fopen(path, "rb"); /* whose reasons are clearer */
    if (file == NULL) {
        return tsl_fail(context, TSL_E_IO, "%s: cannot open: %s", path, strerror(errno));
    }
    fclose(file);
    at->file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (at->file < 0) {
        return tsl_fail(context, TSL_E_FORMAT, "%s: is no HDF5 file, or is damaged", path);
    }
    at->dataset = H5Dopen2(at->file, dataset, H5P_DEFAULT);
    return at->dataset >= 0 ? TSL_OK : fail_no_dataset(context, path, dataset, at->file);
}

static tsl_status look_at(tsl_hdf5_array *out, tsl_context *context, const char *path,
                          const char *dataset, hid_t opened)
{
    hsize_t shape[H5S_MAX_RANK];
    const hid_t type = H5Dget_type(opened);
    const hid_t space = H5Dget_space(opened);
    const H5T_class_t class = H5Tget_class(type);
    const size_t bytes = H5Tget_size(type);
    const int axes = H5Sget_simple_extent_ndims(space);
    tsl_status status = TSL_OK;
    if (class != H5T_FLOAT || (bytes != 4 && bytes != 8)) {
        status =
            tsl_fail(context, TSL_E_FORMAT,
                     "%s: '%s' holds other elements than numbers of single or double precision",
                     path, dataset);
    } else if (axes < 0 || axes > TSL_HDF5_AXES) {
        status = tsl_fail(context, TSL_E_FORMAT, "%s: '%s' has %d axes: at most %d are read", path,
                          dataset, axes, TSL_HDF5_AXES);
    } else {
        H5Sget_simple_extent_dims(space, shape, NULL);
        *out = (tsl_hdf5_array){.precision = (int)bytes, .axes = axes};
        for (int i = 0; i < axes; i++) {
            out->shape[i] = (int64_t)shape[i];
        }
    }
    H5Sclose(space);
    H5Tclose(type);
    return status;
}

static hid_t native_type(int precision)
{
    return precision == 4 ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE;
}

tsl_status tsl_hdf5_look(tsl_hdf5_array *out, tsl_context *context, const char *path,
                         const char *dataset)
{
    const silence before = enter_silence();
    place at;
    tsl_status status = open_place(&at, context, path, dataset);
    if (status == TSL_OK) {
        status = look_at(out, context, path, dataset, at.dataset);
    }
    close_place(&at);
    leave_silence(before);
    return status;
}

tsl_status tsl_hdf5_read(void *data, tsl_context *context, const char *path, const char *dataset,
                         const tsl_hdf5_array *array)
{
    const silence before = enter_silence();
    place at;
    tsl_hdf5_array now;
    tsl_status status = open_place(&at, context, path, dataset);
    if (status == TSL_OK) {
        status = look_at(&now, context, path, dataset, at.dataset);
    }
    if (status == TSL_OK && (now.precision != array->precision || now.axes != array->axes ||
                             memcmp(now.shape, array->shape, sizeof now.shape) != 0)) {
        status = tsl_fail(context, TSL_E_IO, "%s: changed while it was read", path);
    } else if (status == TSL_OK && H5Dread(at.dataset, native_type(array->precision), H5S_ALL,
                                           H5S_ALL, H5P_DEFAULT, data) < 0) {
        status = fail_io(context, path, "read");
    }
    close_place(&at);
    leave_silence(before);
    return status;
}

/* ---- writing ------------------------------------------------------------------------------ */

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
    const hid_t type = native_type(array->precision);
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

const char *tsl_hdf5_library(void)
{
    return &H5_VERS_INFO[sizeof "HDF5 library version: " - 1];
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
    const silence before = enter_silence();
    const hid_t file =
        H5Fcreate(tsl_output_temporary(output), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    bool good = file >= 0 && write_dataset(file, dataset, array, data, attributes, count);
    good = (file < 0 || H5Fclose(file) >= 0) && good;
    if (!good) {
        status = fail_io(context, path, "write");
    }
    leave_silence(before);
    if (!good) {
        tsl_output_discard(output);
        return status;
    }
    return tsl_output_commit(output);
}

#else

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

tsl_status tsl_hdf5_look(tsl_hdf5_array *out, tsl_context *context, const char *path,
                         const char *dataset)
{
    (void)out;
    (void)dataset;
    return fail_without(context, path);
}

tsl_status tsl_hdf5_read(void *data, tsl_context *context, const char *path, const char *dataset,
                         const tsl_hdf5_array *array)
{
    (void)data;
    (void)dataset;
    (void)array;
    return fail_without(context, path);
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
