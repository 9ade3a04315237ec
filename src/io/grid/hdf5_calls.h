/* Calls of the HDF5 library, and the reasons of their failures. */
#ifndef TSL_IO_HDF5_CALLS_H
#define TSL_IO_HDF5_CALLS_H

#include "core/config.h"

#ifdef TSL_HAVE_HDF5

#include <hdf5.h>

#include "io/file/text.h"
#include "io/grid/hdf5.h"

/* Why the first call failed: the library's message and the system's, where there is one. */
typedef struct tsl_hdf5_fault {
    char reason[128];
    char system[64];
    int error;       /* errno; 0: the library does not say */
    int known;       /* its row in the table of messages; -1: none */
    char filter[64]; /* name of a filter that is required, and not there */
} tsl_hdf5_fault;

/* The library prints its errors unless told otherwise: between enter and leave they are kept. */
typedef struct tsl_hdf5_silence {
    H5E_auto2_t function;
    void *data;
} tsl_hdf5_silence;

tsl_hdf5_silence tsl_hdf5_enter(tsl_hdf5_fault *fault);
void tsl_hdf5_leave(tsl_hdf5_silence before);
/* Forget the failure of a call that was allowed to fail. */
void tsl_hdf5_forget(tsl_hdf5_fault *fault);

/* Returns TSL_E_IO or TSL_E_FORMAT. The line for the fault names the file and the reason, as "PATH:
 * cannot write: No space left on device". */
tsl_status tsl_hdf5_fail(tsl_context *context, const tsl_hdf5_fault *fault, const char *path,
                         const char *what);

/* ---- where a dataset's elements are (hdf5_storage.c) ---------------------------------------- */

/* A dataset that is open, and its file's path. */
typedef struct tsl_hdf5_place {
    tsl_context *context;
    tsl_hdf5_fault *fault;
    const char *path;
    const char *name; /* the dataset's */
    hid_t dataset;
} tsl_hdf5_place;

/* Checks that all files are there that the dataset takes elements from, and that any element was
 * written. */
tsl_status tsl_hdf5_check_storage(tsl_hdf5_remarks *remarks, const tsl_hdf5_place *at);

#endif

#endif
