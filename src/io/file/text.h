/* Whole text files in memory, their lines, and the numbers in them. */
#ifndef TSL_IO_TEXT_H
#define TSL_IO_TEXT_H

#include "core/core.h"
#include "io/file/input.h"

/* A limit that no text file for tesela comes near: a longer file is not the one the user meant. */
#define TSL_TEXT_LIMIT ((size_t)1 << 30)

typedef struct tsl_text {
    char *data;  /* not terminated */
    size_t size; /* bytes */
} tsl_text;

/* Read `path`, plain or gzipped (told by content). TSL_E_IO if it cannot be read, TSL_E_FORMAT if
 * it is longer than `limit` bytes, as it is or inflated, or its gzip data are damaged,
 * TSL_E_UNSUPPORTED if it is gzipped and the build has no zlib. Release with tsl_text_release(). */
tsl_status tsl_text_read(tsl_text *out, tsl_context *context, const char *path, size_t limit);
/* Reads `path` as tsl_text_read() does into a string that ends in a byte of 0; release it with
 * tsl_release(). */
tsl_status tsl_text_read_string(char **out, tsl_context *context, const char *path, size_t limit);
/* Reads `path` as tsl_text_read() does, if `begins_well`, which may be NULL, accepts its first
 * TSL_TEXT_BEGINNING bytes, inflated. Of a text that is that long and is not accepted only the
 * beginning is read, so that the reader can say what is wrong with it: /dev/zero and other streams
 * have no end. Random bytes have a byte of 0 among as many as these. */
enum { TSL_TEXT_BEGINNING = 4096 };
tsl_status tsl_text_read_if(tsl_text *out, tsl_context *context, const char *path, size_t limit,
                            bool (*begins_well)(const char *data, size_t size));
/* Reads what is left of an input: all of it, or as tsl_text_read_if() does. */
tsl_status tsl_text_take(tsl_text *out, tsl_input *input, size_t limit);
tsl_status tsl_text_take_if(tsl_text *out, tsl_input *input, size_t limit,
                            bool (*begins_well)(const char *data, size_t size));
/* Do these bytes begin a text, which has no byte of 0 (tsl_text_is()), or a text or gzip data
 * (tsl_text_or_gzip())? */
bool tsl_text_is(const char *data, size_t size);
bool tsl_text_or_gzip(const char *data, size_t size);
void tsl_text_release(tsl_text *text);

/* Walks over lines that end in LF, CR LF or CR; the last may lack its end. A byte-order mark of
 * UTF-8 before the first is left out. */
typedef struct tsl_lines {
    const char *next;
    const char *end;
    int64_t number; /* of the line returned last, from 1 */
} tsl_lines;

tsl_lines tsl_lines_of(const char *data, size_t size);
/* The next line without its end; false after the last. */
bool tsl_lines_next(tsl_lines *lines, const char **line, size_t *length);

/* Cuts blanks and tabs off both ends of a field. */
void tsl_trim(const char **text, size_t *length);

/* Parse a whole field, blanks around it allowed. False, and `out` untouched, unless all of it is
 * one decimal number that a double holds ("-1.5", "2e3"; no "inf", "nan" or hexadecimal).
 * Independent of the locale; correctly rounded, so that 1e-999 is 0; of any number of digits. */
bool tsl_parse_decimal(const char *text, size_t length, double *out);
/* Parses a field as tsl_parse_decimal() does, or as a number that Fortran may write: "1.0D-05", and
 * "0.12345-100", whose exponent has left no room for its letter. There may be no blanks around it;
 * such numbers have at most 40 characters. */
bool tsl_parse_number(const char *field, size_t length, double *out);
/* Is it a number, but beyond any that a double holds? */
bool tsl_is_beyond_double(const char *field, size_t length);
/* Why a field was refused by tsl_parse_decimal() or tsl_parse_number(): "is no finite number", "is
 * beyond what double precision holds", and so on. */
const char *tsl_number_fault(const char *field, size_t length);
/* A whole field as an integer in the range of int32_t. */
bool tsl_parse_integer(const char *text, size_t length, int32_t *out);

/* A field as an error line may quote it: what is not printable ASCII becomes '?', and a long one is
 * cut and ends in "...". Returns `out`. */
#define TSL_QUOTE_TEXT 32
const char *tsl_quote(char out[TSL_QUOTE_TEXT], const char *text, size_t length);

#endif
