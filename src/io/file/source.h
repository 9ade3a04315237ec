/* The bytes of a file at any place, for readers whose threads each take a part of it. */
#ifndef TSL_IO_SOURCE_H
#define TSL_IO_SOURCE_H

#include "io/file/text.h"

typedef struct tsl_source {
    const char *name; /* what errors call it */
    int64_t size;     /* bytes */
    const char *data; /* all of them; NULL: they are in the file */
    int file;         /* descriptor; -1: none */
    int64_t stamp[2]; /* when the file was last written */
    tsl_text text;    /* what is owned */
} tsl_source;

/* Does a file that begins with these bytes, TSL_TEXT_BEGINNING or more, deserve to be read? */
typedef bool (*tsl_source_look)(const char *data, size_t size);

/* Open a regular file; one that is gzipped, or a pipe, is read whole, unless `begins_well`, where
 * that is not NULL, says no: then its beginning alone. "-" is standard input. `path` is borrowed.
 * TSL_E_IO, TSL_E_FORMAT for damaged gzip data and for what takes more than half of the free
 * memory, TSL_E_UNSUPPORTED for gzip where the build has no zlib, TSL_E_NOMEM. */
tsl_status tsl_source_open(tsl_source *out, tsl_context *context, const char *path,
                           tsl_source_look begins_well);
/* Bytes in memory, borrowed. */
tsl_source tsl_source_of(const char *name, const char *data, size_t size);
void tsl_source_close(tsl_source *source);

/* Bytes at…at + *bytes - 1, *bytes cut at the source's end: where they are in memory, or read into
 * `buffer`. NULL if they cannot be read, and errno says why. Any thread may call. */
const char *tsl_source_bytes(const tsl_source *source, int64_t at, int64_t *bytes, char *buffer);

/* TSL_E_IO if the file was written to since it was opened. */
tsl_status tsl_source_check(const tsl_source *source, tsl_context *context);

/* Number, from 1, of the line that the byte at `at` stands in; reads all that comes before. 0 if
 * that cannot be read. */
int64_t tsl_source_line(const tsl_source *source, int64_t at);

#endif
