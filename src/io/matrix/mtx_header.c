/* Banner and size line of Matrix Market files. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "io/matrix/mtx.h"

enum { LONGEST_HEADER = 1 << 20 };

/* The beginning of the file as it is walked through. */
typedef struct walk {
    tsl_context *context;
    const char *name;
    const char *data, *end; /* all that was read */
    const char *next;
    const char *at, *line_end; /* what is left of the current line */
    int64_t line;              /* its number */
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

/* Take the next word of the banner; false if it is none of `words`, ended by NULL. */
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
    if (tsl_mtx_next_field(&w->at, w->line_end) != sizeof banner - 1 ||
        strncasecmp(w->at, banner, sizeof banner - 1) != 0) {
        return fail_line(w, TSL_E_FORMAT,
                         "neither a Matrix Market file, whose first line begins with "
                         "%%MatrixMarket, nor a SciPy .npz file");
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

/* Entries that follow the size line of an array; false if that passes 2^63. */
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

static tsl_status read_lines(walk *w, tsl_mtx_header *out, const tsl_source *source)
{
    tsl_status status = read_banner(w, out);
    if (status == TSL_OK) {
        status = check_banner(w, out);
    }
    bool found = false;
    while (status == TSL_OK && !found && next_line(w)) {
        found = tsl_mtx_next_field(&w->at, w->line_end) > 0 && *w->at != '%';
    }
    if (status == TSL_OK && !found) {
        return tsl_fail(w->context, TSL_E_FORMAT, "%s: ends without a size line", w->name);
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

tsl_status tsl_mtx_read_header(tsl_mtx_header *out, tsl_context *context, const tsl_source *source)
{
    int64_t bytes = LONGEST_HEADER;
    char *buffer = tsl_allocate(LONGEST_HEADER);
    if (buffer == NULL) {
        return tsl_fail_memory(context, LONGEST_HEADER, "a header");
    }
    *out = (tsl_mtx_header){.vector = false};
    const char *data = tsl_source_bytes(source, 0, &bytes, buffer);
    tsl_status status;
    if (data == NULL) {
        status = tsl_fail(context, TSL_E_IO, "%s: cannot read: %s", source->name, strerror(errno));
    } else {
        walk w = {.context = context,
                  .name = source->name,
                  .data = data,
                  .next = data,
                  .end = data + bytes};
        status = read_lines(&w, out, source);
    }
    tsl_release(buffer);
    return status;
}
