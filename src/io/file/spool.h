/* Files that are read more than once. Standard input, a pipe or a device can be read only once, so
 * their bytes are kept in memory. */
#ifndef TSL_IO_SPOOL_H
#define TSL_IO_SPOOL_H

#include "io/file/text.h"

typedef struct tsl_spool {
    const char *path; /* borrowed */
    bool kept;        /* `bytes` are all of the file; false: it is opened each time */
    tsl_text bytes;   /* as they came, gzipped or not; owned */
} tsl_spool;

/* Is `path` standard input ("-"), a pipe, a socket or a device? */
bool tsl_spool_is_needed(const char *path);

/* Notes a file. What can be read only once is read, at most TSL_TEXT_LIMIT bytes; if it begins
 * neither as text nor as gzip data, only its beginning is read, for streams such as /dev/zero have
 * no end. TSL_E_IO, TSL_E_FORMAT if it is longer, TSL_E_NOMEM. Close with tsl_spool_close(). */
tsl_status tsl_spool_open(tsl_spool *out, tsl_context *context, const char *path);
void tsl_spool_close(tsl_spool *spool);

/* Opens the bytes from the first on, inflated, any number of times. Errors are those of
 * tsl_input_open(). */
tsl_status tsl_spool_input(tsl_input **out, tsl_context *context, const tsl_spool *spool);

/* SHA-256 of the bytes as they came, 64 hexadecimal digits. */
tsl_status tsl_spool_digest(const tsl_spool *spool, tsl_context *context, char digest[65]);

#endif
