/* Makes C++ of CUDA C by changing a few tokens: kernel launches, where variables of the device
 * live, casts of kernels to void *. Lines keep their numbers. What it cannot run is refused. */
#ifndef TSL_LAB_REWRITE_H
#define TSL_LAB_REWRITE_H

#include <limits.h>

#include "lab/buffer.h"

enum { TSL_LAB_MOST_FILES = 64 };

/* A source and the files that it includes, which are rewritten too: those in quotes from beside the
 * file that includes them, and those in quotes or angle brackets from the folders of "-I". */
typedef struct tsl_lab_sources {
    char folder[PATH_MAX];      /* where the rewritten files go */
    const char *const *options; /* of the compiler: "-I", "folder" and others; NULL: none */
    char *from[TSL_LAB_MOST_FILES];
    int count;
    int sections; /* variables of the device that have a section of their own, numbered from 0 */
    int structs;  /* that can be copied piece by piece, numbered from 0 */
    tsl_lab_buffer types; /* rows of the table of structs' sizes */
} tsl_lab_sources;

/* Rewrite `path` into `folder`/source.cpp, files that it includes beside that. TSL_E_IO if one
 * cannot be read or written; TSL_E_UNSUPPORTED with file and line for what the simulator does not
 * run (inline PTX); TSL_E_FORMAT for a launch whose brackets do not match. `options`: pairs of the
 * compiler's options and their values, ended by NULL, among which "-I" names folders whose headers
 * are rewritten too; may be NULL. */
tsl_status tsl_lab_rewrite(tsl_lab_sources *out, tsl_context *context, const char *path,
                           const char *folder, const char *const *options);
void tsl_lab_sources_release(tsl_lab_sources *sources);

#endif
