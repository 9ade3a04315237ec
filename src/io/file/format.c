#include "io/file/format.h"

#include <string.h>

#include "io/grid/hdf5.h"
#include "io/grid/npy.h"

/* Bytes by which other files begin, and what to do with such a file. */
static const struct {
    int at, length;
    const char *bytes;
    const char *what;
} others[] = {
    {0, 4, "PK\3\4", "is a zip archive, as .npz files are: unpack it, and give one .npy of it"},
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
    *out = tsl_npy_is(data, bytes)    ? TSL_FORMAT_NPY
           : tsl_hdf5_is(data, bytes) ? TSL_FORMAT_HDF5
                                      : TSL_FORMAT_TEXT;
    for (size_t i = 0; i < sizeof others / sizeof *others && *out == TSL_FORMAT_TEXT; i++) {
        const size_t at = (size_t)others[i].at, length = (size_t)others[i].length;
        if (bytes >= at + length && memcmp(data + at, others[i].bytes, length) == 0) {
            return tsl_fail(tsl_input_context(input), TSL_E_FORMAT, "%s: %s", name, others[i].what);
        }
    }
    if (*out == TSL_FORMAT_TEXT && memchr(data, '\0', bytes) != NULL) {
        return tsl_fail(tsl_input_context(input), TSL_E_FORMAT,
                        "%s: is no .npy, HDF5 or cube file, nor any other text: it has bytes of 0",
                        name);
    }
    return TSL_OK;
}
