/* Where a dataset's elements are: in other files, or nowhere. The library fills in for what is
 * missing without a word. */
#include "io/grid/hdf5_calls.h"

#ifdef TSL_HAVE_HDF5

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { DEEPEST = 16 }; /* levels of virtual datasets within virtual datasets */

/* ---- other files' names -------------------------------------------------------------------- */

/* Characters of a path's folder, its slash included. */
static int folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? (int)(slash - path) + 1 : 0;
}

/* The prefix that a variable of the environment gives, with the file's folder for "${ORIGIN}"; ""
 * if there is none. */
static void environment_prefix(char out[PATH_MAX], const char *variable, const char *path)
{
    static const char origin[] = "${ORIGIN}";
    const char *prefix = getenv(variable);
    const bool relative = prefix != NULL && strncmp(prefix, origin, sizeof origin - 1) == 0;
    out[0] = '\0';
    if (prefix == NULL || prefix[0] == '\0') {
        return;
    }
    snprintf(out, PATH_MAX, "%.*s%s/", relative ? folder_length(path) : 0, path,
             prefix + (relative ? sizeof origin - 1 : 0));
}

/* The next place where the library looks for a virtual dataset's source, by its number `turn`;
 * false if there are no more. */
static bool next_place(char out[PATH_MAX], const char *path, const char *name, int turn)
{
    char prefix[PATH_MAX];
    const char *base = name + folder_length(name);
    switch (turn) {
    case 0: /* the name as it is, where it is absolute */
        snprintf(out, PATH_MAX, "%s", name[0] == '/' ? name : "");
        return true;
    case 1:
        environment_prefix(prefix, "HDF5_VDS_PREFIX", path);
        snprintf(out, PATH_MAX, "%.*s%s", prefix[0] != '\0' ? PATH_MAX : 0, prefix,
                 prefix[0] != '\0' ? base : "");
        return true;
    case 2:
        snprintf(out, PATH_MAX, "%.*s%s", folder_length(path), path, name[0] == '/' ? base : name);
        return true;
    case 3:
        snprintf(out, PATH_MAX, "%s", name[0] == '/' ? base : name);
        return true;
    default:
        return false;
    }
}

/* ---- virtual datasets ---------------------------------------------------------------------- */

static tsl_status check_deeper(tsl_hdf5_remarks *remarks, const tsl_hdf5_place *at, int depth);

/* Does a dataset have what is selected in `part`? A selection without bounds takes what there
 * is. */
static bool reaches(hid_t dataset, hid_t part)
{
    hsize_t shape[H5S_MAX_RANK], first[H5S_MAX_RANK], last[H5S_MAX_RANK];
    const hid_t space = H5Dget_space(dataset);
    const int axes = H5Sget_simple_extent_dims(space, shape, NULL);
    bool whole = true;
    H5Sclose(space);
    if (axes != H5Sget_simple_extent_ndims(part) || H5Sget_select_npoints(part) < 0 ||
        H5Sget_select_bounds(part, first, last) < 0) {
        return true;
    }
    for (int i = 0; i < axes; i++) {
        whole = whole && last[i] < shape[i];
    }
    return whole;
}

/* Check a source of a virtual dataset, in another file or the same. */
static tsl_status check_source(tsl_hdf5_remarks *remarks, const tsl_hdf5_place *at,
                               const char *place, hid_t file, const char *name, hid_t part,
                               int depth)
{
    tsl_hdf5_place source = *at;
    source.path = place;
    source.name = name;
    source.dataset = H5Dopen2(file, name, H5P_DEFAULT);
    if (source.dataset < 0) {
        return tsl_fail(at->context, TSL_E_IO,
                        "%s: '%s' is a virtual dataset, and '%s' of %s, from which it takes "
                        "elements, is missing",
                        at->path, at->name, name, place);
    }
    tsl_hdf5_remarks own = {.unmapped = 0};
    const tsl_status status =
        reaches(source.dataset, part)
            ? check_deeper(&own, &source, depth + 1)
            : tsl_fail(at->context, TSL_E_FORMAT,
                       "%s: '%s' is a virtual dataset, and '%s' of %s has not all the elements "
                       "that it takes from there",
                       at->path, at->name, name, place);
    remarks->unmapped += own.unmapped;
    remarks->unwritten += own.unwritten;
    remarks->chunks += own.chunks;
    H5Dclose(source.dataset);
    return status;
}

static tsl_status check_file(tsl_hdf5_remarks *remarks, const tsl_hdf5_place *at, const char *name,
                             const char *dataset, hid_t part, int depth)
{
    char place[PATH_MAX];
    hid_t file = -1;
    if (strcmp(name, ".") == 0) {
        file = H5Iget_file_id(at->dataset);
        snprintf(place, sizeof place, "%s", at->path);
    }
    tsl_hdf5_forget(at->fault);
    bool there = false;
    for (int turn = 0; file < 0 && next_place(place, at->path, name, turn); turn++) {
        struct stat about;
        if (place[0] != '\0' && stat(place, &about) == 0) {
            there = true;
            file = H5Fopen(place, H5F_ACC_RDONLY, H5P_DEFAULT);
        }
    }
    if (file < 0) {
        return there ? tsl_hdf5_fail(at->context, at->fault, name, "open")
                     : tsl_fail(at->context, TSL_E_IO,
                                "%s: '%s' is a virtual dataset, and the file %s, from which it "
                                "takes elements, is missing",
                                at->path, at->name, name);
    }
    const tsl_status status = check_source(remarks, at, place, file, dataset, part, depth);
    H5Fclose(file);
    return status;
}

/* Put number 0 into a name with block numbers, "part-%b.h5". Such a name stands for as many files
 * as there are, and the first must be there. */
static bool set_block(char *name)
{
    char *percent = strchr(name, '%');
    const size_t digits = percent != NULL ? strspn(percent + 1, "0123456789") : 0;
    if (percent == NULL || percent[1 + digits] != 'b') {
        return false;
    }
    *percent = '0';
    memmove(percent + 1, percent + digits + 2, strlen(percent + digits + 2) + 1);
    return true;
}

static tsl_status check_virtual(tsl_hdf5_remarks *remarks, const tsl_hdf5_place *at, hid_t how,
                                int depth)
{
    size_t count = 0;
    tsl_status status = TSL_OK;
    const hid_t space = H5Dget_space(at->dataset);
    hssize_t left = H5Sget_simple_extent_npoints(space);
    H5Sclose(space);
    H5Pget_virtual_count(how, &count);
    for (size_t i = 0; i < count && status == TSL_OK; i++) {
        char file[PATH_MAX] = "", dataset[PATH_MAX] = "";
        H5Pget_virtual_filename(how, i, file, sizeof file);
        H5Pget_virtual_dsetname(how, i, dataset, sizeof dataset);
        remarks->blocks = set_block(file) || remarks->blocks;
        remarks->blocks = set_block(dataset) || remarks->blocks;
        const hid_t part = H5Pget_virtual_vspace(how, i);
        const hssize_t points = H5Sget_select_npoints(part);
        H5Sclose(part);
        /* without bounds: as many as there are sources for */
        left = points < 0 ? 0 : left - points;
        const hid_t source = H5Pget_virtual_srcspace(how, i);
        status = check_file(remarks, at, file, dataset, source, depth);
        H5Sclose(source);
    }
    remarks->unmapped += left > 0 ? left : 0;
    return status;
}

/* ---- files of bare numbers ----------------------------------------------------------------- */

/* Check files of bare numbers: the library takes zeros for what is beyond such a file's end. */
static tsl_status check_external(const tsl_hdf5_place *at, hid_t how)
{
    const hid_t type = H5Dget_type(at->dataset);
    const hid_t space = H5Dget_space(at->dataset);
    int64_t left = (int64_t)H5Tget_size(type) * H5Sget_simple_extent_npoints(space);
    const int count = H5Pget_external_count(how);
    tsl_status status = TSL_OK;
    for (int i = 0; i < count && left > 0 && status == TSL_OK; i++) {
        char name[PATH_MAX / 2] = "", prefix[PATH_MAX], place[2 * PATH_MAX];
        struct stat about;
        off_t offset = 0;
        hsize_t size = 0;
        H5Pget_external(how, (unsigned)i, sizeof name, name, &offset, &size);
        environment_prefix(prefix, "HDF5_EXTFILE_PREFIX", at->path);
        snprintf(place, sizeof place, "%s%s", name[0] == '/' ? "" : prefix, name);
        const int64_t part = size == H5F_UNLIMITED || (int64_t)size > left ? left : (int64_t)size;
        if (stat(place, &about) != 0) {
            status = tsl_fail(at->context, TSL_E_IO,
                              "%s: '%s' has its numbers in the file %s, which cannot be opened: %s",
                              at->path, at->name, place, strerror(errno));
        } else if (about.st_size < (int64_t)offset + part) {
            status = tsl_fail(at->context, TSL_E_FORMAT,
                              "%s: '%s' has its numbers in the file %s, which has %lld bytes of "
                              "%lld",
                              at->path, at->name, place, (long long)about.st_size,
                              (long long)offset + (long long)part);
        }
        left -= part;
    }
    H5Sclose(space);
    H5Tclose(type);
    return status;
}

/* ---- what was never written ---------------------------------------------------------------- */

static void count_chunks(tsl_hdf5_remarks *remarks, const tsl_hdf5_place *at, hid_t how)
{
    hsize_t shape[H5S_MAX_RANK], chunk[H5S_MAX_RANK], written = 0;
    int64_t chunks = 1;
    const hid_t space = H5Dget_space(at->dataset);
    const int axes = H5Sget_simple_extent_dims(space, shape, NULL);
    H5Pget_chunk(how, H5S_MAX_RANK, chunk);
    for (int i = 0; i < axes; i++) {
        chunks *= (int64_t)((shape[i] + chunk[i] - 1) / chunk[i]);
    }
#if H5_VERSION_GE(1, 10, 5)
    if (H5Dget_num_chunks(at->dataset, space, &written) < 0) {
        written = (hsize_t)chunks;
    }
#else
    written = (hsize_t)chunks; /* the library does not say how many were written */
#endif
    H5Sclose(space);
    remarks->chunks += chunks;
    remarks->unwritten += chunks > (int64_t)written ? chunks - (int64_t)written : 0;
}

static tsl_status check_written(tsl_hdf5_remarks *remarks, const tsl_hdf5_place *at, hid_t how,
                                H5D_layout_t layout)
{
    H5D_space_status_t status = H5D_SPACE_STATUS_ALLOCATED;
    const hid_t space = H5Dget_space(at->dataset);
    const bool empty = H5Sget_simple_extent_npoints(space) == 0;
    H5Sclose(space);
    H5Dget_space_status(at->dataset, &status);
    if (status == H5D_SPACE_STATUS_NOT_ALLOCATED && !empty && layout != H5D_COMPACT) {
        return tsl_fail(at->context, TSL_E_FORMAT,
                        "%s: '%s' was made, but none of its elements was ever written", at->path,
                        at->name);
    }
    /* or the pieces are packed */
    if (status == H5D_SPACE_STATUS_PART_ALLOCATED && layout == H5D_CHUNKED) {
        count_chunks(remarks, at, how);
    }
    return TSL_OK;
}

static tsl_status check_deeper(tsl_hdf5_remarks *remarks, const tsl_hdf5_place *at, int depth)
{
    if (depth > DEEPEST) {
        return tsl_fail(at->context, TSL_E_FORMAT,
                        "%s: '%s' is a virtual dataset of virtual datasets without end", at->path,
                        at->name);
    }
    const hid_t how = H5Dget_create_plist(at->dataset);
    const H5D_layout_t layout = H5Pget_layout(how);
    H5D_fill_value_t kind = H5D_FILL_VALUE_DEFAULT;
    if (H5Pfill_value_defined(how, &kind) >= 0 && kind == H5D_FILL_VALUE_USER_DEFINED) {
        H5Pget_fill_value(how, H5T_NATIVE_DOUBLE, &remarks->fill);
    }
    const tsl_status status = layout == H5D_VIRTUAL ? check_virtual(remarks, at, how, depth)
                              : layout == H5D_CONTIGUOUS && H5Pget_external_count(how) > 0
                                  ? check_external(at, how)
                                  : check_written(remarks, at, how, layout);
    H5Pclose(how);
    return status;
}

tsl_status tsl_hdf5_check_storage(tsl_hdf5_remarks *remarks, const tsl_hdf5_place *at)
{
    return check_deeper(remarks, at, 0);
}

#endif
