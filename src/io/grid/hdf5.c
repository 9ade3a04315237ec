#include "io/grid/hdf5.h"

#include <string.h>

#include "io/grid/hdf5_calls.h"

bool tsl_hdf5_is(const char *data, size_t bytes)
{
    static const char signature[8] = "\x89HDF\r\n\x1a\n";
    for (size_t at = 0; at + sizeof signature <= bytes; at = at == 0 ? 512 : 2 * at) {
        if (memcmp(data + at, signature, sizeof signature) == 0) {
            return true;
        }
    }
    return false;
}

#ifdef TSL_HAVE_HDF5

#include <math.h>
#include <stdio.h>

#include "io/file/output.h"

struct tsl_hdf5 {
    tsl_context *context;
    const char *path; /* what errors call it */
    hid_t file;
};

/* ---- opening ------------------------------------------------------------------------------ */

const char *tsl_hdf5_library(void)
{
    return &H5_VERS_INFO[sizeof "HDF5 library version: " - 1];
}

/* Open a file that is held in memory, of which the library makes a copy. */
static tsl_status open_image(hid_t *file, tsl_input *input)
{
    tsl_text image;
    const tsl_status status = tsl_text_take(&image, input, SIZE_MAX / 4);
    if (status != TSL_OK) {
        return status;
    }
    const hid_t how = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_core(how, 1 << 20, false);
    H5Pset_file_image(how, image.data, image.size);
    *file = H5Fopen("image", H5F_ACC_RDONLY, how);
    H5Pclose(how);
    tsl_text_release(&image);
    return TSL_OK;
}

tsl_status tsl_hdf5_open(tsl_hdf5 **out, tsl_input *input)
{
    tsl_context *context = tsl_input_context(input);
    const char *path = tsl_input_name(input);
    const char *data;
    size_t bytes;
    tsl_status status = tsl_input_peek(input, TSL_HDF5_BEGINNING, &data, &bytes);
    if (status == TSL_OK && !tsl_hdf5_is(data, bytes)) {
        status = tsl_fail(context, TSL_E_FORMAT, "%s: is no HDF5 file", path);
    }
    tsl_hdf5 *opened = status == TSL_OK ? tsl_allocate(sizeof *opened) : NULL;
    if (opened == NULL) {
        return status != TSL_OK ? status : tsl_fail_memory(context, sizeof *opened, "a file");
    }
    *opened = (tsl_hdf5){.context = context, .path = path, .file = -1};
    tsl_hdf5_fault fault;
    const tsl_hdf5_silence before = tsl_hdf5_enter(&fault);
    if (tsl_input_is_plain_file(input)) {
        opened->file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    } else {
        status = open_image(&opened->file, input);
    }
    tsl_hdf5_leave(before);
    if (status == TSL_OK && opened->file < 0) {
        status = tsl_hdf5_fail(context, &fault, path, "open");
    }
    if (status == TSL_OK) {
        *out = opened;
    } else {
        tsl_release(opened);
    }
    return status;
}

void tsl_hdf5_close(tsl_hdf5 *file)
{
    if (file != NULL) {
        tsl_hdf5_fault fault;
        const tsl_hdf5_silence before = tsl_hdf5_enter(&fault);
        H5Fclose(file->file);
        tsl_hdf5_leave(before);
        tsl_release(file);
    }
}

/* ---- datasets ------------------------------------------------------------------------------ */

/* Find a soft or external link on the way to `dataset` that leads nowhere: the length of its own
 * name, and where it leads. False if there is none. */
static bool find_broken_link(int *length, char target[TSL_HDF5_NAME], const tsl_hdf5 *file,
                             const char *dataset)
{
    for (size_t end = 1; end <= strlen(dataset); end++) {
        char name[TSL_HDF5_NAME], value[TSL_HDF5_NAME] = "";
        H5L_info_t about;
        if ((dataset[end] != '/' && dataset[end] != '\0') || end >= sizeof name) {
            continue;
        }
        memcpy(name, dataset, end);
        name[end] = '\0';
        if (H5Lget_info(file->file, name, &about, H5P_DEFAULT) < 0) {
            return false;
        }
        const bool external = about.type == H5L_TYPE_EXTERNAL;
        if ((!external && about.type != H5L_TYPE_SOFT) || about.u.val_size >= sizeof value ||
            H5Oexists_by_name(file->file, name, H5P_DEFAULT) > 0 ||
            H5Lget_val(file->file, name, value, sizeof value, H5P_DEFAULT) < 0) {
            continue;
        }
        const char *other_file = "", *path = value;
        unsigned flags;
        if (external &&
            H5Lunpack_elink_val(value, about.u.val_size, &flags, &other_file, &path) < 0) {
            continue;
        }
        *length = (int)end;
        snprintf(target, TSL_HDF5_NAME, "%.200s%s%.200s", path, external ? " of the file " : "",
                 other_file);
        return true;
    }
    return false;
}

enum { MOST_NAMES = 8, LONGEST_NAME = 48, NAMES_TEXT = MOST_NAMES * (LONGEST_NAME + 2) + 8 };

/* Write the names of a group's links, with commas between. */
static void list_links(char names[NAMES_TEXT], hid_t group)
{
    H5G_info_t about = {.nlinks = 0};
    H5Gget_info(group, &about);
    strcpy(names, about.nlinks > 0 ? "" : "none");
    for (hsize_t i = 0; i < about.nlinks && i < MOST_NAMES; i++) {
        char name[LONGEST_NAME] = "";
        H5Lget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, i, name, sizeof name,
                           H5P_DEFAULT);
        tsl_plain_name(name, sizeof name, name, true);
        snprintf(names + strlen(names), NAMES_TEXT - strlen(names), "%s%s", i > 0 ? ", " : "",
                 name);
    }
    if (about.nlinks > MOST_NAMES) {
        strcat(names, ", ...");
    }
}

/* The error where there is no dataset of that name: a group may have it, or a link that leads
 * nowhere. */
static tsl_status fail_no_dataset(const tsl_hdf5 *file, const char *dataset,
                                  const tsl_hdf5_fault *fault)
{
    char names[NAMES_TEXT], target[TSL_HDF5_NAME];
    int length = 0;
    if (find_broken_link(&length, target, file, dataset)) {
        return tsl_fail(file->context, TSL_E_IO,
                        "%s: '%.*s' is a link to %s, which is missing or cannot be opened",
                        file->path, length, dataset, target);
    }
    const hid_t group = H5Gopen2(file->file, dataset, H5P_DEFAULT);
    const bool there = group < 0 && H5Oexists_by_name(file->file, dataset, H5P_DEFAULT) > 0;
    if (there) {
        return tsl_hdf5_fail(file->context, fault, file->path, "open the dataset");
    }
    list_links(names, group >= 0 ? group : file->file);
    if (group >= 0) {
        H5Gclose(group);
    }
    return tsl_fail(file->context, TSL_E_FORMAT, "%s: %s '%s'%s: %s", file->path,
                    group >= 0 ? "has no dataset but a group" : "has no dataset", dataset,
                    group >= 0 ? ", in which are" : "; at its root are", names);
}

/* ---- elements ------------------------------------------------------------------------------ */

/* The words for other kinds of elements. */
static const char *name_elements(H5T_class_t class)
{
    switch (class) {
    case H5T_COMPOUND:
        return "compounds of several numbers, as complex ones are: write one part by itself";
    case H5T_STRING:
        return "texts, not numbers";
    case H5T_ARRAY:
    case H5T_VLEN:
        return "arrays as elements: make their axes the dataset's own";
    case H5T_REFERENCE:
        return "references to other datasets: name one of those";
    default:
        return "other elements than numbers";
    }
}

static bool is_number(H5T_class_t class)
{
    return class == H5T_FLOAT || class == H5T_INTEGER || class == H5T_ENUM;
}

static tsl_status look_at_type(tsl_hdf5_array *out, tsl_hdf5_remarks *remarks,
                               const tsl_hdf5_place *at)
{
    const hid_t type = H5Dget_type(at->dataset);
    const H5T_class_t class = H5Tget_class(type);
    const size_t bytes = H5Tget_size(type);
    H5Tclose(type);
    if (!is_number(class)) {
        return tsl_fail(at->context, TSL_E_FORMAT, "%s: '%s' holds %s", at->path, at->name,
                        name_elements(class));
    }
    out->precision = class == H5T_FLOAT && bytes <= 4 ? 4 : 8;
    remarks->wide_numbers = class == H5T_FLOAT && bytes > 8;
    remarks->half = class == H5T_FLOAT && bytes == 2;
    remarks->wide_integers = class != H5T_FLOAT && bytes >= 8;
    return TSL_OK;
}

static tsl_status look_at_shape(tsl_hdf5_array *out, const tsl_hdf5_place *at)
{
    hsize_t shape[H5S_MAX_RANK];
    const hid_t space = H5Dget_space(at->dataset);
    const int axes = H5Sget_simple_extent_ndims(space);
    const bool nothing = H5Sget_simple_extent_type(space) == H5S_NULL;
    if (axes >= 0) {
        H5Sget_simple_extent_dims(space, shape, NULL);
    }
    H5Sclose(space);
    if (axes < 0 || axes > TSL_HDF5_AXES || nothing) {
        return tsl_fail(at->context, TSL_E_FORMAT,
                        nothing ? "%s: '%s' is empty: it has no elements"
                                : "%s: '%s' has %d axes: a field has three, x, y and z",
                        at->path, at->name, axes);
    }
    out->axes = axes;
    for (int i = 0; i < axes; i++) {
        out->shape[i] = (int64_t)shape[i];
    }
    return TSL_OK;
}

/* Read the attribute with the lengths of the box, which tesela's own files have. */
static void read_lengths(tsl_hdf5_remarks *remarks, hid_t dataset)
{
    double lengths[3] = {0};
    if (H5Aexists(dataset, "lengths") <= 0) {
        return;
    }
    const hid_t attribute = H5Aopen(dataset, "lengths", H5P_DEFAULT);
    const hid_t type = H5Aget_type(attribute);
    const hid_t space = H5Aget_space(attribute);
    const H5T_class_t class = H5Tget_class(type);
    bool good = (class == H5T_FLOAT || class == H5T_INTEGER) &&
                H5Sget_simple_extent_npoints(space) == 3 &&
                H5Aread(attribute, H5T_NATIVE_DOUBLE, lengths) >= 0;
    for (int axis = 0; axis < 3; axis++) {
        good = good && isfinite(lengths[axis]) && lengths[axis] > 0;
    }
    if (good) {
        memcpy(remarks->lengths, lengths, sizeof lengths);
    }
    H5Sclose(space);
    H5Tclose(type);
    H5Aclose(attribute);
}

/* The unit of the last decimal that scale-offset packing has kept; 0: the dataset is not packed
 * so. */
static double packing_unit(hid_t dataset)
{
    unsigned flags = 0, values[32] = {0}, config = 0;
    size_t count = sizeof values / sizeof *values;
    const hid_t how = H5Dget_create_plist(dataset);
    const bool packed = H5Pget_layout(how) == H5D_CHUNKED &&
                        H5Pget_filter_by_id2(how, H5Z_FILTER_SCALEOFFSET, &flags, &count, values, 0,
                                             NULL, &config) >= 0;
    H5Pclose(how);
    return packed && count > 1 && values[0] == H5Z_SO_FLOAT_DSCALE
               ? pow(10, -(double)(int)values[1])
               : 0;
}

tsl_status tsl_hdf5_look(tsl_hdf5_array *out, tsl_hdf5_remarks *remarks, tsl_hdf5 *file,
                         const char *dataset)
{
    tsl_hdf5_fault fault;
    const tsl_hdf5_silence before = tsl_hdf5_enter(&fault);
    const tsl_hdf5_place at = {file->context, &fault, file->path, dataset,
                               H5Dopen2(file->file, dataset, H5P_DEFAULT)};
    tsl_hdf5_array found = {.axes = 0};
    tsl_hdf5_remarks told = {.unmapped = 0};
    tsl_status status =
        at.dataset >= 0 ? look_at_type(&found, &told, &at) : fail_no_dataset(file, dataset, &fault);
    if (status == TSL_OK) {
        status = look_at_shape(&found, &at);
    }
    if (status == TSL_OK) {
        status = tsl_hdf5_check_storage(&told, &at);
    }
    if (status == TSL_OK) {
        read_lengths(&told, at.dataset);
        told.unit = packing_unit(at.dataset);
        *out = found;
        *remarks = told;
    }
    if (at.dataset >= 0) {
        H5Dclose(at.dataset);
    }
    tsl_hdf5_leave(before);
    return status;
}

/* Read a dataset that has exactly the elements of `array`; false if it has others by now, or cannot
 * be read. A virtual dataset of numbered files has the shape that it was last written with until it
 * is asked for it. That shape is larger where some of the files are gone. */
static bool read_elements(void *data, hid_t dataset, const tsl_hdf5_array *array)
{
    const hid_t type = array->precision == 4 ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE;
    const hid_t space = H5Dget_space(dataset);
    hsize_t shape[H5S_MAX_RANK] = {0};
    bool same = H5Sget_simple_extent_ndims(space) == array->axes &&
                H5Sget_simple_extent_dims(space, shape, NULL) == array->axes;
    for (int i = 0; i < array->axes && same; i++) {
        same = shape[i] == (hsize_t)array->shape[i];
    }
    const bool good = same && H5Dread(dataset, type, space, space, H5P_DEFAULT, data) >= 0;
    H5Sclose(space);
    return good;
}

tsl_status tsl_hdf5_read(void *data, tsl_hdf5 *file, const char *dataset,
                         const tsl_hdf5_array *array)
{
    tsl_hdf5_fault fault;
    const tsl_hdf5_silence before = tsl_hdf5_enter(&fault);
    const hid_t opened = H5Dopen2(file->file, dataset, H5P_DEFAULT);
    const bool good = opened >= 0 && read_elements(data, opened, array);
    const tsl_hdf5_fault why = fault;
    if (opened >= 0) {
        H5Dclose(opened);
    }
    tsl_hdf5_leave(before);
    return good ? TSL_OK : tsl_hdf5_fail(file->context, &why, file->path, "read");
}

/* ---- the only dataset ----------------------------------------------------------------------- */

typedef struct search {
    int datasets, fields;
    char name[TSL_HDF5_NAME];   /* of the last dataset, or of the last of three axes */
    char broken[TSL_HDF5_NAME]; /* of the first link that leads to nothing */
    char names[NAMES_TEXT];     /* of datasets, or of those of three axes */
    haddr_t met[MOST_NAMES];    /* addresses of datasets that were met: another link to one is not
                                   counted */
} search;

/* Where an object is, for comparison. */
static haddr_t address_of(hid_t object)
{
#if H5_VERSION_GE(1, 12, 0)
    H5O_info2_t about;
    haddr_t address = HADDR_UNDEF;
    if (H5Oget_info3(object, &about, H5O_INFO_BASIC) >= 0) {
        memcpy(&address, &about.token, sizeof address);
        address ^= (haddr_t)about.fileno << 48;
    }
    return address;
#else
    H5O_info_t about;
    return H5Oget_info(object, &about) >= 0 ? about.addr ^ (haddr_t)about.fileno << 48
                                            : HADDR_UNDEF;
#endif
}

static void take_dataset(search *s, const char *name, hid_t dataset)
{
    const hid_t type = H5Dget_type(dataset);
    const hid_t space = H5Dget_space(dataset);
    const bool field = is_number(H5Tget_class(type)) && H5Sget_simple_extent_ndims(space) == 3;
    const haddr_t address = address_of(dataset);
    H5Tclose(type);
    H5Sclose(space);
    for (int i = 0; i < s->datasets && i < MOST_NAMES; i++) {
        if (s->met[i] == address) {
            return;
        }
    }
    if (field && s->fields == 0) {
        s->names[0] = '\0'; /* datasets of other axes do not matter from here on */
    }
    if (field || s->fields == 0) {
        const int listed = field ? s->fields : s->datasets;
        char plain[TSL_QUOTE_TEXT];
        snprintf(s->name, sizeof s->name, "%s", name);
        tsl_quote(plain, name, strlen(name));
        if (listed < MOST_NAMES) {
            snprintf(s->names + strlen(s->names), NAMES_TEXT - strlen(s->names), "%s%s",
                     listed > 0 ? ", " : "", plain);
        } else if (listed == MOST_NAMES) {
            strcat(s->names, ", ...");
        }
    }
    if (s->datasets < MOST_NAMES) {
        s->met[s->datasets] = address;
    }
    s->datasets++;
    s->fields += field;
}

static herr_t visit(hid_t group, const char *name, const H5L_info_t *about, void *user)
{
    (void)about;
    search *s = user;
    const hid_t object = strlen(name) < TSL_HDF5_NAME ? H5Oopen(group, name, H5P_DEFAULT) : -1;
    if (object >= 0 && H5Iget_type(object) == H5I_DATASET) {
        take_dataset(s, name, object);
    } else if (object < 0 && strlen(name) < TSL_HDF5_NAME && s->broken[0] == '\0') {
        snprintf(s->broken, sizeof s->broken, "%s", name);
    }
    if (object >= 0) {
        H5Oclose(object);
    }
    return 0;
}

tsl_status tsl_hdf5_choose(char name[TSL_HDF5_NAME], int *datasets, tsl_hdf5 *file)
{
    tsl_hdf5_fault fault;
    const tsl_hdf5_silence before = tsl_hdf5_enter(&fault);
    search s = {.datasets = 0};
    const bool visited = H5Lvisit(file->file, H5_INDEX_NAME, H5_ITER_INC, visit, &s) >= 0;
    tsl_hdf5_leave(before);
    *datasets = s.datasets;
    if (s.fields == 1 || s.datasets == 1) {
        strcpy(name, s.name);
        return TSL_OK;
    }
    if (s.datasets == 0 && s.broken[0] != '\0') { /* what it lacks is said when it is opened */
        strcpy(name, s.broken);
        return TSL_OK;
    }
    if (s.datasets == 0 && !visited) {
        return tsl_hdf5_fail(file->context, &fault, file->path, "list what it holds");
    }
    return s.datasets == 0
               ? tsl_fail(file->context, TSL_E_FORMAT, "%s: has no dataset", file->path)
               : tsl_fail(file->context, TSL_E_FORMAT,
                          "%s: has %d datasets%s: say with --dataset which, of %s", file->path,
                          s.fields > 0 ? s.fields : s.datasets,
                          s.fields > 0 ? " of three axes" : ", none of them of three axes",
                          s.names);
}

#endif
