/* Banner and size line of Matrix Market files. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "io/matrix/mtx.h"

/* Comments may be long: until the size line is found, twice as much of the beginning is read
 * again. */
enum { FIRST_HEADER = 1 << 16, LONGEST_HEADER = 1 << 30 };

/* The beginning of the file, and how far it has been read. */
typedef struct walk {
    tsl_context *context;
    const char *name;
    const char *data, *end; /* all bytes that were read */
    const char *next;
    const char *at, *line_end; /* the rest of the current line */
    int64_t line;              /* its number */
    bool cut;                  /* the file goes on behind `end` */
} walk;

static tsl_status fail_line(const walk *w, tsl_status status, const char *what)
{
    return tsl_fail(w->context, status, "%s:%" PRId64 ": %s", w->name, w->line, what);
}

static bool next_line(walk *w)
{
    if (w->next == w->end) {
        return false;
    }
    const char *newline = memchr(w->next, '\n', (size_t)(w->end - w->next));
    w->at = w->next;
    w->line_end = newline != NULL ? newline : w->end;
    w->next = newline != NULL ? newline + 1 : w->end;
    w->line++;
    return true;
}

/* A word and what it stands for. */
typedef struct word {
    const char *text;
    int value;
} word;

/* Take the next word of the banner; false if it is not among `words`, a list ended by NULL. */
static bool take_word(walk *w, const word *words, int *value, char quoted[TSL_QUOTE_TEXT])
{
    const size_t length = tsl_mtx_next_field(&w->at, w->line_end);
    tsl_quote(quoted, w->at, length);
    for (; words->text != NULL; words++) {
        if (strlen(words->text) == length && strncasecmp(words->text, w->at, length) == 0) {
            *value = words->value;
            w->at += length;
            return true;
        }
    }
    return false;
}

static tsl_status read_banner(walk *w, tsl_mtx_header *out)
{
    static const char banner[] = "%%MatrixMarket";
    static const word objects[] = {{"matrix", false}, {"vector", true}, {NULL, 0}};
    static const word formats[] = {{"coordinate", false}, {"array", true}, {NULL, 0}};
    static const word fields[] = {{"real", TSL_MTX_REAL},
                                  {"double", TSL_MTX_REAL},
                                  {"integer", TSL_MTX_INTEGER},
                                  {"unsigned-integer", TSL_MTX_INTEGER},
                                  {"complex", TSL_MTX_COMPLEX},
                                  {"pattern", TSL_MTX_PATTERN},
                                  {NULL, 0}};
    static const word symmetries[] = {{"general", TSL_MTX_GENERAL},
                                      {"symmetric", TSL_MTX_SYMMETRIC},
                                      {"skew-symmetric", TSL_MTX_SKEW},
                                      {"hermitian", TSL_MTX_HERMITIAN},
                                      {NULL, 0}};
    static const struct {
        const char *what, *wanted;
        const word *words;
    } parts[4] = {{"object", "matrix or vector", objects},
                  {"format", "coordinate or array", formats},
                  {"field", "real, integer, complex or pattern", fields},
                  {"symmetry", "general, symmetric, skew-symmetric or hermitian", symmetries}};
    int values[4];
    if (!next_line(w)) {
        return tsl_fail(w->context, TSL_E_FORMAT, "%s: the file is empty", w->name);
    }
    if (w->end - w->at >= 3 && memcmp(w->at, "\xef\xbb\xbf", 3) == 0) {
        w->at += 3; /* UTF-8's byte-order mark */
    }
    if (w->end - w->at >= 2 &&
        (memcmp(w->at, "\xff\xfe", 2) == 0 || memcmp(w->at, "\xfe\xff", 2) == 0)) {
        return fail_line(w, TSL_E_UNSUPPORTED, "text in UTF-16: save it as UTF-8 or ASCII");
    }
    if (tsl_mtx_next_field(&w->at, w->line_end) != sizeof banner - 1 ||
        strncasecmp(w->at, banner, sizeof banner - 1) != 0) {
        return fail_line(w, TSL_E_FORMAT,
                         "neither a Matrix Market file, whose first line begins with "
                         "%%MatrixMarket, nor a SciPy .npz or a NumPy .npy file");
    }
    w->at += sizeof banner - 1;
    for (int i = 0; i < 4; i++) {
        char quoted[TSL_QUOTE_TEXT];
        if (!take_word(w, parts[i].words, &values[i], quoted)) {
            return tsl_fail(w->context, TSL_E_FORMAT, "%s:1: the %s '%s' is not %s", w->name,
                            parts[i].what, quoted, parts[i].wanted);
        }
    }
    out->vector = values[0] != 0;
    out->array = values[1] != 0;
    out->field = (tsl_mtx_field)values[2];
    out->symmetry = (tsl_mtx_symmetry)values[3];
    return TSL_OK;
}

static tsl_status check_banner(const walk *w, const tsl_mtx_header *header)
{
    if (header->array && header->field == TSL_MTX_PATTERN) {
        return fail_line(w, TSL_E_FORMAT, "an array cannot be a pattern: it has values only");
    }
    if (header->symmetry == TSL_MTX_HERMITIAN && header->field != TSL_MTX_COMPLEX) {
        return fail_line(w, TSL_E_FORMAT, "only a complex matrix is hermitian: say symmetric");
    }
    if (header->symmetry == TSL_MTX_SKEW && header->field == TSL_MTX_PATTERN) {
        return fail_line(w, TSL_E_FORMAT, "a pattern cannot be skew-symmetric: it has no signs");
    }
    return TSL_OK;
}

/* Count the entries that follow the size line of an array; false if there are 2^63 or more. */
static bool count_array(tsl_mtx_header *header)
{
    const int64_t n = header->rows;
    if (header->symmetry == TSL_MTX_GENERAL) {
        return !__builtin_mul_overflow(n, header->columns, &header->entries);
    }
    header->entries = header->symmetry == TSL_MTX_SKEW ? n * (n - 1) / 2 : n * (n + 1) / 2;
    return true;
}

static tsl_status read_size(walk *w, tsl_mtx_header *out)
{
    int64_t numbers[3] = {0, 1, 0};
    const int first[] = {0, out->vector ? 2 : 1, 2}; /* a vector's line has no columns */
    const int count = 1 + !out->vector + !out->array;
    bool good = true;
    for (int i = 0; i < count && good; i++) {
        good = tsl_mtx_take_number(&w->at, w->line_end, &numbers[first[i]]);
    }
    if (!good || tsl_mtx_next_field(&w->at, w->line_end) > 0) {
        static const char *const wanted[2][2] = {
            {"not a size line: the numbers of rows, columns and entries",
             "not a size line: the numbers of rows and columns"},
            {"not a size line: the numbers of rows and entries",
             "not a size line: the number of rows"}};
        return fail_line(w, TSL_E_FORMAT, wanted[out->vector][out->array]);
    }
    out->rows = numbers[0];
    out->columns = numbers[1];
    out->entries = numbers[2];
    out->size_line = w->line;
    out->begin = w->next - w->data;
    if (out->rows > INT32_MAX || out->columns > INT32_MAX) {
        return fail_line(w, TSL_E_UNSUPPORTED, "more than 2147483647 rows or columns");
    }
    if (out->entries >= TSL_MTX_MOST) {
        return fail_line(w, TSL_E_FORMAT, "says 10^17 entries or more, which no file has room for");
    }
    if (out->symmetry != TSL_MTX_GENERAL && out->rows != out->columns) {
        return tsl_fail(w->context, TSL_E_FORMAT,
                        "%s:%" PRId64 ": a matrix of %" PRId64 " x %" PRId64
                        " has no symmetry: say general in line 1",
                        w->name, w->line, out->rows, out->columns);
    }
    return !out->array || count_array(out)
               ? TSL_OK
               : fail_line(w, TSL_E_FORMAT, "more entries than any file holds");
}

/* The line of NVIDIA's AmgX, "%%AMGX 1 1 sorted base0" or by its former name "%%NVAMG": more than a
 * comment, for some of its words say that numbers of another meaning follow. */
static tsl_status read_amgx(walk *w, tsl_mtx_header *out)
{
    enum { PLAIN, FROM_ZERO, OTHER };
    static const word words[] = {{"%%AMGX", PLAIN}, {"%%NVAMG", PLAIN},   {"1", PLAIN},
                                 {"sorted", PLAIN}, {"base0", FROM_ZERO}, {NULL, 0}};
    const char *name = strncasecmp(w->at, words[0].text, strlen(words[0].text)) == 0
                           ? words[0].text
                           : words[1].text;
    int value = PLAIN;
    char quoted[TSL_QUOTE_TEXT];
    while (tsl_mtx_next_field(&w->at, w->line_end) > 0) {
        if (!take_word(w, words, &value, quoted)) {
            return tsl_fail(w->context, TSL_E_UNSUPPORTED,
                            "%s:%" PRId64 ": the %s line says '%s': only matrices alone are read, "
                            "without blocks, a diagonal or vectors of their own: write those to "
                            "files of their own",
                            w->name, w->line, name, quoted);
        }
        out->base = value == FROM_ZERO ? 0 : out->base;
    }
    return TSL_OK;
}

/* Go on to the size line; *found is false where the text ends before it. */
static tsl_status skip_comments(walk *w, tsl_mtx_header *out, bool *found)
{
    tsl_status status = TSL_OK;
    *found = false;
    while (status == TSL_OK && !*found && next_line(w)) {
        const size_t length = tsl_mtx_next_field(&w->at, w->line_end);
        *found = length > 0 && *w->at != '%';
        if ((length == 6 && strncasecmp(w->at, "%%AMGX", length) == 0) ||
            (length == 7 && strncasecmp(w->at, "%%NVAMG", length) == 0)) {
            status = read_amgx(w, out);
        }
    }
    *found = *found && (w->next < w->end || !w->cut); /* a line that is cut may not be whole */
    return status;
}

static tsl_status tell_no_size(const walk *w)
{
    const size_t bytes = (size_t)(w->end - w->data);
    const bool old = memchr(w->data, '\n', bytes) == NULL && memchr(w->data, '\r', bytes) != NULL;
    return old ? tsl_fail(w->context, TSL_E_UNSUPPORTED,
                          "%s: its lines end in CR alone: let them end in LF", w->name)
               : tsl_fail(w->context, TSL_E_FORMAT, "%s: ends without a size line", w->name);
}

/* Read the lines up to the size line; *whole is false where more of the file has to be read for
 * it. */
static tsl_status read_lines(walk *w, tsl_mtx_header *out, const tsl_source *source, bool *whole)
{
    bool found = false;
    tsl_status status = TSL_OK;
    TSL_TRY(read_banner(w, out));
    TSL_TRY(check_banner(w, out));
    TSL_TRY(skip_comments(w, out, &found));
done:
    *whole = status != TSL_OK || found || !w->cut;
    if (status == TSL_OK && !found) {
        return *whole ? tell_no_size(w) : TSL_OK;
    }
    if (status == TSL_OK) {
        status = read_size(w, out);
    }
    if (status == TSL_OK && out->entries / 2 > source->size - out->begin) {
        status =
            tsl_fail(w->context, TSL_E_FORMAT,
                     "%s:%" PRId64 ": says %" PRId64 " entries, more than the file has room for",
                     w->name, w->line, out->entries);
    }
    return status;
}

/* Read the header from the first `bytes` bytes. */
static tsl_status read_beginning(tsl_mtx_header *out, tsl_context *context,
                                 const tsl_source *source, int64_t bytes, bool *whole)
{
    char *buffer = tsl_allocate((size_t)bytes);
    if (buffer == NULL) {
        return tsl_fail_memory(context, bytes, "a header");
    }
    *out = (tsl_mtx_header){.base = 1};
    *whole = true;
    const char *data = tsl_source_bytes(source, 0, &bytes, buffer);
    tsl_status status;
    if (data == NULL) {
        status = tsl_fail(context, TSL_E_IO, "%s: cannot read: %s", source->name, strerror(errno));
    } else {
        walk w = {.context = context,
                  .name = source->name,
                  .data = data,
                  .next = data,
                  .end = data + bytes,
                  .cut = bytes < source->size};
        status = read_lines(&w, out, source, whole);
    }
    tsl_release(buffer);
    return status;
}

tsl_status tsl_mtx_read_header(tsl_mtx_header *out, tsl_context *context, const tsl_source *source)
{
    bool whole = false;
    tsl_status status = TSL_OK;
    for (int64_t bytes = FIRST_HEADER; status == TSL_OK && !whole; bytes *= 2) {
        if (bytes > LONGEST_HEADER) {
            return tsl_fail(context, TSL_E_FORMAT, "%s: has no size line in its first GiB",
                            source->name);
        }
        status = read_beginning(out, context, source, bytes, &whole);
    }
    return status;
}
