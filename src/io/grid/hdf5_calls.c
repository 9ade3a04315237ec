#include "io/grid/hdf5_calls.h"

#ifdef TSL_HAVE_HDF5

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Messages of the library, innermost first, and what each means to the user who gave the file. */
static const struct {
    const char *words;
    int error; /* errno that goes with the messages; 0: any */
    tsl_status status;
    const char *meaning;
} known_faults[] = {
    {"lock file", EAGAIN, TSL_E_IO,
     "is locked by a program that has it open for writing: try again when that has closed it"},
    {"lock file", 0, TSL_E_IO,
     "lies where files cannot be locked: set HDF5_USE_FILE_LOCKING=FALSE in the environment"},
    {"already open for write", 0, TSL_E_IO,
     "is marked as open for writing: a program writes it, or ended without closing it (then "
     "h5clear "
     "-s mends it)"},
    {"truncated file", 0, TSL_E_FORMAT, "is cut short: fewer bytes are there than its header says"},
    {"bad superblock version number", 0, TSL_E_UNSUPPORTED,
     "was written by a later HDF5 library than this build has (see tesela info)"},
    {"version number for hyperslab selection", 0, TSL_E_UNSUPPORTED,
     "has a virtual dataset of a later HDF5 library than this build has (see tesela info): write "
     "it "
     "for versions up to 1.10 (in h5py libver=('earliest', 'v110'))"},
    {"bad version number", 0, TSL_E_UNSUPPORTED,
     "has a part of a form that this build's HDF5 library does not know (see tesela info): a later "
     "one wrote it, or it is damaged"},
    {"bad object header version number", 0, TSL_E_UNSUPPORTED,
     "has an object of a form that this build's HDF5 library does not know (see tesela info): a "
     "later one wrote it, or it is damaged"},
    {"different number of elements", 0, TSL_E_FORMAT,
     "has a virtual dataset that takes more elements from another dataset than that has"},
    {"required filter", 0, TSL_E_UNSUPPORTED,
     "is packed by a filter that this HDF5 library lacks: install the filter's plug-in "
     "(HDF5_PLUGIN_PATH says where they are), or save the file without it, or with gzip"},
};

enum { KNOWN_FAULTS = sizeof known_faults / sizeof *known_faults };

/* Note the reason of a call that failed; called for each error, from the innermost outwards. */
static herr_t take_reason(unsigned n, const H5E_error2_t *error, void *user)
{
    static const char before[] = "error message = '";
    tsl_hdf5_fault *fault = user;
    if (error->desc == NULL) {
        return 0;
    }
    const char *words = strstr(error->desc, before);
    if (words != NULL && fault->system[0] == '\0') {
        const char *number = strstr(error->desc, "errno = ");
        fault->error = number != NULL ? atoi(number + 8) : 0;
        words += sizeof before - 1;
        snprintf(fault->system, sizeof fault->system, "%.*s", (int)strcspn(words, "'\n"), words);
    }
    for (int i = 0; i < KNOWN_FAULTS && fault->known < 0; i++) {
        const bool same = known_faults[i].error == 0 || known_faults[i].error == fault->error;
        fault->known = same && strstr(error->desc, known_faults[i].words) != NULL ? i : -1;
    }
    const char *filter = strstr(error->desc, "required filter '");
    if (filter != NULL) {
        filter += strlen("required filter '");
        snprintf(fault->filter, sizeof fault->filter, "%.*s", (int)strcspn(filter, "';\n"), filter);
    }
    if (n == 0) {
        snprintf(fault->reason, sizeof fault->reason, "%.*s", (int)strcspn(error->desc, "\n"),
                 error->desc);
    }
    return 0;
}

static herr_t keep_first(hid_t stack, void *user)
{
    tsl_hdf5_fault *fault = user;
    if (fault->reason[0] == '\0') {
        H5Ewalk2(stack, H5E_WALK_UPWARD, take_reason, fault);
    }
    return 0;
}

tsl_hdf5_silence tsl_hdf5_enter(tsl_hdf5_fault *fault)
{
    tsl_hdf5_silence before = {NULL, NULL};
    tsl_hdf5_forget(fault);
    /* Files that are still open when the process ends could not be written. The library would try
     * that again then, and crash. */
    H5dont_atexit();
    H5Eget_auto2(H5E_DEFAULT, &before.function, &before.data);
    H5Eset_auto2(H5E_DEFAULT, keep_first, fault);
    return before;
}

void tsl_hdf5_leave(tsl_hdf5_silence before)
{
    H5Eset_auto2(H5E_DEFAULT, before.function, before.data);
}

void tsl_hdf5_forget(tsl_hdf5_fault *fault)
{
    *fault = (tsl_hdf5_fault){.known = -1};
}

tsl_status tsl_hdf5_fail(tsl_context *context, const tsl_hdf5_fault *fault, const char *path,
                         const char *what)
{
    if (fault->known >= 0) {
        return tsl_fail(context, known_faults[fault->known].status, "%s: %s%s%s", path,
                        known_faults[fault->known].meaning, fault->filter[0] != '\0' ? ": " : "",
                        fault->filter);
    }
    if (fault->system[0] != '\0') {
        return tsl_fail(context, TSL_E_IO, "%s: cannot %s: %s", path, what, fault->system);
    }
    return tsl_fail(context, TSL_E_FORMAT, "%s: cannot %s: the HDF5 library says: %s", path, what,
                    fault->reason[0] != '\0' ? fault->reason : "no reason");
}

#endif
