/* Archives of arrays, .npz: a zip archive whose members are .npy files, as NumPy writes and reads.
 */
#ifndef TSL_IO_NPZ_H
#define TSL_IO_NPZ_H

#include <stdio.h>

#include "core/core.h"

/* A member: the elements of an array of one axis. Name, type and data are borrowed. */
typedef struct tsl_npz_member {
    const char *name; /* "indptr": the member is indptr.npy */
    const char *type; /* "<i8" */
    int64_t item;     /* bytes of an element */
    int64_t count;    /* elements */
    const void *data;
} tsl_npz_member;

/* Writes an archive, whole or not at all. Members are stored without compression, with ZIP64's
 * sizes. TSL_E_IO. */
tsl_status tsl_npz_write(tsl_context *context, const char *path, const tsl_npz_member *members,
                         int count);

#endif
