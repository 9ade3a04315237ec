/* What a file of an array is, told by its content. */
#ifndef TSL_IO_FORMAT_H
#define TSL_IO_FORMAT_H

#include "io/file/input.h"

typedef enum tsl_format {
    TSL_FORMAT_NPY,
    TSL_FORMAT_HDF5,
    TSL_FORMAT_TEXT /* anything else that may be text, a cube's for one */
} tsl_format;

/* Tell it by the first bytes, which stay to be read. TSL_E_FORMAT for an empty file, and for one of
 * another kind that is known by its first bytes, with a line that says what it is. */
tsl_status tsl_format_tell(tsl_format *out, tsl_input *input);

#endif
