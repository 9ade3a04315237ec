/* A file that is opened once and read in order: a regular one, a pipe or standard input, plain or
 * gzipped. Readers look at its beginning first, to tell what it is and what memory it needs. */
#ifndef TSL_IO_INPUT_H
#define TSL_IO_INPUT_H

#include "core/core.h"

typedef struct tsl_input tsl_input;

/* Open `path` (borrowed); "-" is standard input. Gzipped data are told by content and inflated as
 * they are read. TSL_E_IO, TSL_E_UNSUPPORTED if it is gzipped and the build has no zlib,
 * TSL_E_NOMEM. Close with tsl_input_close(). */
tsl_status tsl_input_open(tsl_input **out, tsl_context *context, const char *path);
/* Opens what was read already: `bytes` bytes at `data`, borrowed, as they came from what errors
 * call `name`. Errors are those of tsl_input_open(). */
tsl_status tsl_input_open_bytes(tsl_input **out, tsl_context *context, const char *name,
                                const char *data, size_t bytes);
/* Open `path`, and take its bytes as they are, gzipped or not. */
tsl_status tsl_input_open_as_is(tsl_input **out, tsl_context *context, const char *path);
/* Goes on with `bytes` bytes at `data` in place of all that is still to be read: bytes that were
 * unpacked from it. `data` was allocated by tsl_allocate(), and is the input's from now on. */
void tsl_input_replace(tsl_input *input, char *data, size_t bytes);
void tsl_input_close(tsl_input *input); /* NULL is fine */

/* TSL_E_IO, with the line of a failure to open a file for reading; `reason` is its errno. A link
 * that leads nowhere is told from a name that is not there. */
tsl_status tsl_fail_to_open(tsl_context *context, const char *path, int reason);

/* What errors call the input: the path, or "standard input". */
const char *tsl_input_name(const tsl_input *input);
tsl_context *tsl_input_context(const tsl_input *input);

/* The first bytes of what is still to be read, as many as wanted or, at the end, as there are. They
 * are read again by tsl_input_read(). `data` is the input's, until the next call. TSL_E_IO,
 * TSL_E_FORMAT for damaged gzip data, TSL_E_NOMEM. */
tsl_status tsl_input_peek(tsl_input *input, size_t wanted, const char **data, size_t *bytes);

/* Read `bytes` bytes; fewer come only at the end. TSL_E_IO, TSL_E_FORMAT for damaged gzip data,
 * TSL_E_NOMEM. Once a MiB a rank looks whether the others go on. */
tsl_status tsl_input_read(tsl_input *input, void *data, size_t bytes, size_t *got);

/* Bytes that are still to be read of a regular file that is not gzipped; -1 where that is not known
 * for sure. */
int64_t tsl_input_left(const tsl_input *input);
/* Bytes that are still to be read, as far as the file tells: a gzipped file says what its last
 * member inflates to. 0 for what is no regular file. */
int64_t tsl_input_expected(const tsl_input *input);

/* Is the input a regular, plain file, of which nothing was read but by tsl_input_peek()? A library
 * may then open it by its path. */
bool tsl_input_is_plain_file(const tsl_input *input);

#endif
