/* Files whose bytes are read at any place, by readers whose threads each take a part. */
#ifndef TSL_IO_SOURCE_H
#define TSL_IO_SOURCE_H

#include "io/file/text.h"

typedef struct tsl_source {
    const char *name; /* what errors call it */
    int64_t size;     /* bytes */
    const char *data; /* all of the bytes; NULL: they are in the file */
    int file;         /* descriptor; -1: none */
    int64_t stamp[2]; /* when the file was last written */
    tsl_text text;    /* memory that the source owns */
} tsl_source;

/* Does a file that begins with these bytes deserve to be read? There are TSL_TEXT_BEGINNING of them
 * or more, unless the file is shorter. */
typedef bool (*tsl_source_look)(const char *data, size_t size);

/* Opens a regular file. A gzipped file or a pipe is read whole, unless `begins_well`, where that is
 * not NULL, says no: then only its beginning. "-" is standard input. `path` is borrowed. TSL_E_IO,
 * TSL_E_FORMAT for damaged gzip data and for what takes more than half of the free memory,
 * TSL_E_UNSUPPORTED for gzip where the build has no zlib, TSL_E_NOMEM. */
tsl_status tsl_source_open(tsl_source *out, tsl_context *context, const char *path,
                           tsl_source_look begins_well);
/* A source of bytes in memory, borrowed. */
tsl_source tsl_source_of(const char *name, const char *data, size_t size);
void tsl_source_close(tsl_source *source);

/* The bytes from `at` on, *bytes of them, cut at the source's end: where they are in memory, or
 * read into `buffer`. NULL if they cannot be read, and errno says why. Any thread may call. */
const char *tsl_source_bytes(const tsl_source *source, int64_t at, int64_t *bytes, char *buffer);

/* TSL_E_IO if the file was written to since it was opened. */
tsl_status tsl_source_check(const tsl_source *source, tsl_context *context);

/* Number, from 1, of the line that the byte at `at` stands in. Reads all bytes before it; 0 if they
 * cannot be read. */
int64_t tsl_source_line(const tsl_source *source, int64_t at);

#endif
