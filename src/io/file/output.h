/* Output files that are whole or not there: written beside their place, then renamed. */
#ifndef TSL_IO_OUTPUT_H
#define TSL_IO_OUTPUT_H

#include <limits.h>
#include <locale.h>
#include <stdbool.h>
#include <stdio.h>

#include "core/core.h"

typedef struct tsl_output tsl_output;

/* Open a temporary file in the folder of `path`, with the permissions an ordinary new file gets. A
 * path that exists and is no regular file (a pipe, /dev/full) is written directly; so are
 * /dev/stdout, /dev/stderr and /dev/fd/N, which are this process's descriptors whatever those are.
 * A link is followed, also where the file it leads to is still to be made. */
tsl_status tsl_output_open(tsl_output **out, tsl_context *context, const char *path);

/* "PATH: cannot write: No space left on device; free some space …", with a remedy for errno's
 * `error`. TSL_E_IO. */
tsl_status tsl_output_fail(tsl_context *context, const char *path, int error);

/* The stream to write to; its errors are found by tsl_output_commit(). */
FILE *tsl_output_stream(tsl_output *output);

/* The temporary file's path, for a library that opens by name what it writes; then nothing may be
 * written to the stream. NULL if the path is written directly. */
const char *tsl_output_temporary(const tsl_output *output);

/* Flush, sync, close, rename onto the path, and free `output` whatever the outcome. TSL_E_IO if any
 * write failed (the line names the path and the reason); the old file, if there was one, stands
 * then. */
tsl_status tsl_output_commit(tsl_output *output);

/* Close, remove the temporary file and free `output`; NULL is fine. */
void tsl_output_discard(tsl_output *output);

/* Removes the temporary files of all outputs that are open; files that are in their place stay. For
 * a signal's handler, or other code, that ends the process right afterwards: open outputs can't be
 * committed any more. */
void tsl_output_remove_temporaries(void);

/* The descriptor of this process that `path` names: /dev/stdout, /dev/stderr or /dev/fd/N, open or
 * not; -1: none. */
int tsl_output_descriptor(const char *path);

/* Follows `path` while it is a link, to where its file is or would be; that need not be there.
 * False and errno if that cannot be told. */
bool tsl_output_follow(char out[PATH_MAX], const char *path);

/* Would a new file at `path`, where a link leads, lie in a folder of devices? Devices are not made
 * by writing. /dev/shm is a folder of files. */
bool tsl_output_among_devices(const char *path);

/* Copy the last part of the path `name`, cut to fit, with '_' for what a reader of text files would
 * stumble over: control characters and, unless `blanks` may stay, blanks. */
void tsl_plain_name(char *out, size_t bytes, const char *name, bool blanks);

/* Between enter and leave this thread reads and prints numbers with a decimal point, as files have
 * them, whatever the program's locale says. */
typedef struct tsl_plain_numbers {
    locale_t plain, before;
} tsl_plain_numbers;

tsl_plain_numbers tsl_plain_numbers_enter(void);
void tsl_plain_numbers_leave(tsl_plain_numbers numbers);

/* Make a folder and its parents; fine if it is there already. */
tsl_status tsl_make_folder(tsl_context *context, const char *path);

#endif
