/* The format of a file that holds an array, told by the file's content. */
#ifndef TSL_IO_FORMAT_H
#define TSL_IO_FORMAT_H

#include "io/file/input.h"
#include "io/file/zip.h"

typedef enum tsl_format {
    TSL_FORMAT_NPY,
    TSL_FORMAT_HDF5,
    TSL_FORMAT_NPZ, /* an archive of .npy files */
    TSL_FORMAT_TEXT /* anything else that may be text, such as a cube */
} tsl_format;

/* Tells the format by the first bytes, which stay to be read. TSL_E_FORMAT for an empty file,
 * and for a file of another format that is known by its first bytes, with a line that says which
 * it is. */
tsl_status tsl_format_tell(tsl_format *out, tsl_input *input);
/* Refuses a file of a format that no reader here takes and that its first bytes tell, such as bzip2
 * or text in UTF-16: TSL_E_FORMAT, with a line that says which and what to do. */
tsl_status tsl_format_refuse_others(tsl_input *input);

/* The array of a .npz file that is asked for. */
typedef struct tsl_format_choice {
    const char *wanted; /* its name; NULL: the only one there is, or the only one with `axes` */
    const char *option; /* the option that `wanted` comes from; NULL where nothing can be chosen */
    int axes;           /* axes that an array is to have; 0: any number */
} tsl_format_choice;

/* Unpacks an array of a .npz file, and goes on with it as if the file were that .npy. `chosen` gets
 * the array's name, without .npy, and *count the number of arrays. TSL_E_FORMAT, with a line that
 * names the arrays, if it is not there or several are as good; errors of tsl_zip_read(). */
tsl_status tsl_format_unpack(char chosen[TSL_ZIP_NAME], int *count, tsl_input *input,
                             const tsl_format_choice *choice);

#endif
