#include "io/file/format.h"

#include <stdio.h>
#include <string.h>

#include "device/device.h"
#include "io/grid/hdf5.h"
#include "io/grid/npy.h"

/* The bytes by which files of other formats begin, and what to do with such a file. */
static const struct {
    int at, length;
    const char *bytes;
    const char *what;
} others[] = {
    {0, 3, "BZh", "is packed by bzip2: unpack it first"},
    {0, 6,
     "\xfd"
     "7zXZ\0",
     "is packed by xz: unpack it first"},
    {0, 4, "\x28\xb5\x2f\xfd", "is packed by zstd: unpack it first"},
    {0, 4, "\x04\x22\x4d\x18", "is packed by lz4: unpack it first"},
    {0, 2, "\x1f\x9d", "is packed by compress: unpack it first"},
    {0, 3, "CDF", "is a NetCDF file of version 3: make it HDF5 (nccopy -k nc4)"},
    {0, 10, "MATLAB 5.0", "is a MATLAB file before version 7.3: save it with -v7.3, as HDF5"},
    {0, 2, "\xff\xfe", "is text in UTF-16: save it as UTF-8"},
    {0, 2, "\xfe\xff", "is text in UTF-16: save it as UTF-8"},
    {208, 4, "MAP ", "is a map in the format of CCP4: make it a cube or .npy file"},
};

tsl_status tsl_format_refuse_others(tsl_input *input)
{
    const char *data;
    size_t bytes;
    const tsl_status status = tsl_input_peek(input, TSL_HDF5_BEGINNING, &data, &bytes);
    if (status != TSL_OK) {
        return status;
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        const size_t at = (size_t)others[i].at, length = (size_t)others[i].length;
        if (bytes >= at + length && memcmp(data + at, others[i].bytes, length) == 0) {
            return tsl_fail(tsl_input_context(input), TSL_E_FORMAT, "%s: %s", tsl_input_name(input),
                            others[i].what);
        }
    }
    return TSL_OK;
}

tsl_status tsl_format_tell(tsl_format *out, tsl_input *input)
{
    const char *name = tsl_input_name(input);
    const char *data;
    size_t bytes;
    const tsl_status status = tsl_input_peek(input, TSL_HDF5_BEGINNING, &data, &bytes);
    if (status != TSL_OK) {
        return status;
    }
    if (bytes == 0) {
        return tsl_fail(tsl_input_context(input), TSL_E_FORMAT, "%s: the file is empty", name);
    }
    *out = tsl_npy_is(data, bytes)                        ? TSL_FORMAT_NPY
           : tsl_hdf5_is(data, bytes)                     ? TSL_FORMAT_HDF5
           : bytes >= 4 && memcmp(data, "PK\3\4", 4) == 0 ? TSL_FORMAT_NPZ
                                                          : TSL_FORMAT_TEXT;
    const tsl_status other = *out == TSL_FORMAT_TEXT ? tsl_format_refuse_others(input) : TSL_OK;
    if (other != TSL_OK) {
        return other;
    }
    if (*out == TSL_FORMAT_TEXT && memchr(data, '\0', bytes) != NULL) {
        return tsl_fail(tsl_input_context(input), TSL_E_FORMAT,
                        "%s: is no .npy, HDF5 or cube file, nor any other text: it has bytes of 0",
                        name);
    }
    return TSL_OK;
}

/* The .npy files of an archive, as they are counted. */

enum { NAMES_TEXT = 256 };

/* The .npy files of an archive. */
typedef struct arrays {
    int count;
    bool has_wanted;
    char name[TSL_ZIP_NAME]; /* of the first array, without .npy */
    char names[NAMES_TEXT];  /* of all arrays: "a, b, ..." */
} arrays;

static const char ending[] = ".npy";

static bool is_array(const char *name)
{
    const size_t length = strlen(name);
    return length >= sizeof ending && strcmp(name + length - 4, ending) == 0;
}

static void list_arrays(arrays *out, const tsl_zip *zip, const char *wanted)
{
    char name[TSL_ZIP_NAME], plain[TSL_QUOTE_TEXT];
    int64_t at = 0;
    *out = (arrays){.count = 0};
    while (tsl_zip_next(zip, &at, name)) {
        if (!is_array(name)) {
            continue;
        }
        name[strlen(name) - 4] = '\0';
        out->has_wanted |= wanted != NULL && strcmp(name, wanted) == 0;
        const size_t used = strlen(out->names);
        if (used + sizeof plain + 8 < NAMES_TEXT) {
            snprintf(out->names + used, NAMES_TEXT - used, "%s%s", used > 0 ? ", " : "",
                     tsl_quote(plain, name, strlen(name)));
        } else if (strcmp(out->names + used - 3, "...") != 0) {
            strcpy(out->names + used, ", ...");
        }
        if (out->count++ == 0) {
            strcpy(out->name, name);
        }
    }
}

/* Look for the only array of so many axes. Its name goes to `chosen`, without .npy. *found is false
 * if there is none, or more than one. */
static tsl_status find_by_axes(bool *found, char chosen[TSL_ZIP_NAME], const tsl_input *input,
                               const tsl_zip *zip, int axes)
{
    tsl_context *context = tsl_input_context(input);
    char name[TSL_ZIP_NAME];
    int64_t at = 0;
    int count = 0;
    tsl_status status = TSL_OK;
    while (status == TSL_OK && tsl_zip_next(zip, &at, name)) {
        tsl_text array = {0};
        tsl_npy header;
        if (!is_array(name)) {
            continue;
        }
        status = tsl_zip_read(&array, context, zip, name);
        if (status == TSL_OK &&
            tsl_npy_parse(&header, context, name, array.data, array.size) ==
                TSL_OK && /* arrays of texts or objects may be there too */
            header.axes == axes) {
            count++;
            name[strlen(name) - 4] = '\0';
            strcpy(chosen, name);
        }
        tsl_text_release(&array);
    }
    *found = count == 1;
    return status;
}

/* Choose the name of the array to read. */
static tsl_status choose_array(char chosen[TSL_ZIP_NAME], int *count, const tsl_input *input,
                               const tsl_zip *zip, const tsl_format_choice *choice)
{
    tsl_context *context = tsl_input_context(input);
    const char *name = tsl_input_name(input);
    const char *wanted = choice->wanted;
    arrays found;
    bool only = false;
    list_arrays(&found, zip, wanted);
    *count = found.count;
    if (found.count == 0) {
        return tsl_fail(
            context, TSL_E_FORMAT,
            "%s: is a zip archive without .npy files: unpack it, and give what is in it", name);
    }
    if (wanted != NULL && !found.has_wanted) {
        return tsl_fail(context, TSL_E_FORMAT, "%s: has no array '%s': it has %s", name, wanted,
                        found.names);
    }
    snprintf(chosen, TSL_ZIP_NAME, "%s", wanted != NULL ? wanted : found.name);
    if (wanted != NULL || found.count == 1) {
        return TSL_OK;
    }
    if (choice->axes > 0) {
        const tsl_status status = find_by_axes(&only, chosen, input, zip, choice->axes);
        if (status != TSL_OK || only) {
            return status;
        }
    }
    char remedy[64] = "save the one as .npy";
    if (choice->option != NULL) {
        snprintf(remedy, sizeof remedy, "say with %s which", choice->option);
    }
    return tsl_fail(context, TSL_E_FORMAT, "%s: has %d arrays, %s: %s", name, found.count,
                    found.names, remedy);
}

tsl_status tsl_format_unpack(char chosen[TSL_ZIP_NAME], int *count, tsl_input *input,
                             const tsl_format_choice *choice)
{
    const int64_t least = 64 << 20, most = tsl_host_memory_free() / 2; /* bytes */
    tsl_context *context = tsl_input_context(input);
    tsl_text archive = {0}, array = {0};
    tsl_zip zip = {.source = NULL};
    char member[TSL_ZIP_NAME + 4];
    tsl_status status = tsl_text_take(&archive, input, (size_t)(most > least ? most : least));
    const tsl_source source = tsl_source_of(tsl_input_name(input), archive.data, archive.size);
    if (status == TSL_OK) {
        status = tsl_zip_open(&zip, context, &source);
    }
    if (status == TSL_OK) {
        status = choose_array(chosen, count, input, &zip, choice);
    }
    if (status == TSL_OK) {
        snprintf(member, sizeof member, "%s.npy", chosen);
        status = tsl_zip_read(&array, context, &zip, member);
    }
    tsl_zip_close(&zip);
    tsl_text_release(&archive);
    if (status == TSL_OK) {
        tsl_input_replace(input, array.data, array.size);
    }
    return status;
}
