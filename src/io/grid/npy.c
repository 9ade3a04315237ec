#include "io/grid/npy.h"

#include <stdio.h>
#include <string.h>

#include "io/file/output.h"
#include "io/file/text.h"

static const char magic[] = "\x93NUMPY";
enum { MAGIC_BYTES = 6, PREFIX_BYTES = 12, ALIGNMENT = 64 };

/* The header's text, a Python dictionary, and how far it has been read. */
typedef struct walk {
    tsl_context *context;
    const char *name;
    const char *at, *end;
} walk;

static tsl_status damaged(const walk *w, const char *what)
{
    return tsl_fail(w->context, TSL_E_FORMAT, "%s: the header %s", w->name, what);
}

static void skip_blanks(walk *w)
{
    while (w->at < w->end &&
           (*w->at == ' ' || *w->at == '\t' || *w->at == '\n' || *w->at == '\r')) {
        w->at++;
    }
}

/* Take `symbol` if it comes next. */
static bool take(walk *w, char symbol)
{
    skip_blanks(w);
    const bool found = w->at < w->end && *w->at == symbol;
    w->at += found;
    return found;
}

/* Take a word if it comes next. */
static bool take_word(walk *w, const char *word)
{
    const size_t length = strlen(word);
    skip_blanks(w);
    const bool found = (size_t)(w->end - w->at) >= length && memcmp(w->at, word, length) == 0;
    w->at += found ? length : 0;
    return found;
}

/* Take a string in quotes, without escapes. */
static bool take_string(walk *w, const char **text, size_t *length)
{
    skip_blanks(w);
    if (w->at == w->end || (*w->at != '\'' && *w->at != '"')) {
        return false;
    }
    const char quote = *w->at;
    const char *last = memchr(w->at + 1, quote, (size_t)(w->end - w->at - 1));
    if (last == NULL) {
        return false;
    }
    *text = w->at + 1;
    *length = (size_t)(last - w->at - 1);
    w->at = last + 1;
    return true;
}

/* Take digits, up to 2^63 - 1. */
static bool take_number(walk *w, int64_t *out)
{
    skip_blanks(w);
    const char *first = w->at;
    *out = 0;
    for (; w->at < w->end && *w->at >= '0' && *w->at <= '9'; w->at++) {
        if (__builtin_mul_overflow(*out, 10, out) ||
            __builtin_add_overflow(*out, *w->at - '0', out)) {
            return false;
        }
    }
    return w->at > first;
}

/* Kinds of elements: letter, bytes of one unit of the number after it, and the numbers allowed. */
static const struct {
    char kind;
    int unit;
    int sizes[5]; /* ended by 0; empty: any */
} kinds[] = {
    {'b', 1, {1}},         {'i', 1, {1, 2, 4, 8}}, {'u', 1, {1, 2, 4, 8}}, {'f', 1, {2, 4, 8, 16}},
    {'c', 1, {8, 16, 32}}, {'m', 1, {8}},          {'M', 1, {8}},          {'V', 1, {0}},
    {'S', 1, {0}},         {'U', 4, {0}}};

/* Bytes of an element of the type `text`; 0 if there is no such type. */
static int64_t item_of(const char *text)
{
    walk w = {.at = text + 2, .end = text + strlen(text)};
    int64_t number;
    if (strlen(text) < 3 || strchr("<>|=", text[0]) == NULL || !take_number(&w, &number)) {
        return 0;
    }
    const bool has_unit = text[1] == 'm' || text[1] == 'M'; /* "<M8[ns]" */
    if (w.at != w.end && !(has_unit && *w.at == '[' && w.end[-1] == ']')) {
        return 0;
    }
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (kinds[i].kind != text[1]) {
            continue;
        }
        bool allowed = kinds[i].sizes[0] == 0;
        for (int k = 0; k < 5 && kinds[i].sizes[k] != 0; k++) {
            allowed = allowed || kinds[i].sizes[k] == number;
        }
        return allowed && number > 0 && number < INT32_MAX ? number * kinds[i].unit : 0;
    }
    return 0;
}

static tsl_status take_type(walk *w, tsl_npy *out)
{
    const char *text;
    size_t length;
    char quoted[TSL_QUOTE_TEXT];
    skip_blanks(w);
    if (w->at < w->end && *w->at == '[') {
        return tsl_fail(w->context, TSL_E_UNSUPPORTED,
                        "%s: has structured elements: save one field at a time", w->name);
    }
    if (!take_string(w, &text, &length)) {
        return damaged(w, "has no type of elements after 'descr'");
    }
    /* a type without a sign of its byte order is in the machine's, as NumPy reads it */
    const bool bare = length > 0 && strchr("<>|=", text[0]) == NULL;
    if (length + bare < sizeof out->type) {
        out->type[0] = '=';
        memcpy(out->type + bare, text, length);
        out->type[length + bare] = '\0';
        out->item = memchr(text, '\0', length) == NULL ? item_of(out->type) : 0;
    }
    if ((length == 2 && text[1] == 'O') || (length == 1 && text[0] == 'O')) {
        return tsl_fail(w->context, TSL_E_UNSUPPORTED, "%s: holds Python objects: save numbers",
                        w->name);
    }
    if (length + bare >= sizeof out->type || out->item == 0) {
        return tsl_fail(w->context, TSL_E_FORMAT, "%s: '%s' is no type of elements", w->name,
                        tsl_quote(quoted, text, length));
    }
    return TSL_OK;
}

static tsl_status take_order(walk *w, tsl_npy *out)
{
    out->fortran_order = take_word(w, "True");
    return out->fortran_order || take_word(w, "False")
               ? TSL_OK
               : damaged(w, "has neither True nor False after 'fortran_order'");
}

static tsl_status take_shape(walk *w, tsl_npy *out)
{
    bool comma = false;
    if (!take(w, '(')) {
        return damaged(w, "has no list of lengths after 'shape'");
    }
    out->axes = 0;
    while (!take(w, ')')) {
        if (out->axes > 0 && !comma) {
            return damaged(w, "has a 'shape' that does not end");
        }
        if (out->axes == TSL_NPY_AXES) {
            return damaged(w, "has a 'shape' of more than 32 lengths");
        }
        if (!take_number(w, &out->shape[out->axes++])) {
            return damaged(w, "has a length in 'shape' that is no whole number below 2^63");
        }
        take(w, 'L'); /* Python 2 writes an L behind a number */
        comma = take(w, ',');
    }
    return out->axes == 1 && !comma ? damaged(w, "has a number, not a list, after 'shape'")
                                    : TSL_OK;
}

/* The dictionary: three entries, each once, in any order. */
static tsl_status take_entries(walk *w, tsl_npy *out)
{
    static const struct {
        const char *key;
        tsl_status (*take_value)(walk *w, tsl_npy *out);
    } entries[3] = {{"descr", take_type}, {"fortran_order", take_order}, {"shape", take_shape}};
    int met = 0; /* bits of the entries that were met */
    bool more = true;
    if (!take(w, '{')) {
        return damaged(w, "is no Python dictionary");
    }
    while (!take(w, '}')) {
        const char *key;
        size_t length;
        int i = 0;
        if (!more || !take_string(w, &key, &length) || !take(w, ':')) {
            return damaged(w, "is no Python dictionary");
        }
        while (i < 3 &&
               (strlen(entries[i].key) != length || memcmp(entries[i].key, key, length) != 0)) {
            i++;
        }
        if (i == 3 || (met & 1 << i) != 0) {
            char quoted[TSL_QUOTE_TEXT];
            return tsl_fail(w->context, TSL_E_FORMAT, "%s: the header has %s entry '%s'", w->name,
                            i == 3 ? "an unknown" : "a second", tsl_quote(quoted, key, length));
        }
        const tsl_status status = entries[i].take_value(w, out);
        if (status != TSL_OK) {
            return status;
        }
        met |= 1 << i;
        more = take(w, ',');
    }
    for (int i = 0; i < 3; i++) {
        if ((met & 1 << i) == 0) {
            return tsl_fail(w->context, TSL_E_FORMAT, "%s: the header lacks '%s'", w->name,
                            entries[i].key);
        }
    }
    skip_blanks(w);
    return w->at == w->end ? TSL_OK : damaged(w, "goes on after its dictionary");
}

static tsl_status count_elements(const walk *w, tsl_npy *out)
{
    int64_t bytes = out->item;
    bool empty = false;
    out->count = 1;
    for (int i = 0; i < out->axes; i++) {
        empty = empty || out->shape[i] == 0;
    }
    for (int i = 0; i < out->axes && !empty; i++) {
        if (__builtin_mul_overflow(bytes, out->shape[i], &bytes)) {
            return damaged(w, "has a 'shape' of more than 2^63 bytes");
        }
        out->count *= out->shape[i];
    }
    out->count = empty ? 0 : out->count;
    return TSL_OK;
}

/* Bytes of a little-endian number. */
static int64_t little_endian(const char *data, int bytes)
{
    int64_t value = 0;
    for (int i = bytes - 1; i >= 0; i--) {
        value = value * 256 + (unsigned char)data[i];
    }
    return value;
}

bool tsl_npy_is(const char *data, size_t bytes)
{
    return bytes >= MAGIC_BYTES && memcmp(data, magic, MAGIC_BYTES) == 0;
}

tsl_status tsl_npy_parse(tsl_npy *out, tsl_context *context, const char *name, const char *data,
                         size_t size)
{
    walk w = {.context = context, .name = name};
    if (size == 0) {
        return tsl_fail(context, TSL_E_FORMAT, "%s: the file is empty", name);
    }
    if (!tsl_npy_is(data, size)) {
        return tsl_fail(context, TSL_E_FORMAT, "%s: is no .npy file, as numpy.save() writes it",
                        name);
    }
    if (size < MAGIC_BYTES + 4) {
        return damaged(&w, "is cut short");
    }
    const int major = (unsigned char)data[MAGIC_BYTES];
    const int minor = (unsigned char)data[MAGIC_BYTES + 1];
    if (major < 1 || major > 3 || minor != 0) {
        return tsl_fail(context, TSL_E_UNSUPPORTED,
                        "%s: is of version %d.%d of .npy: save it in version 1.0, 2.0 or 3.0", name,
                        major, minor);
    }
    const int length_bytes = major == 1 ? 2 : 4;
    const int64_t start = MAGIC_BYTES + 2 + length_bytes;
    if ((int64_t)size < start) {
        return damaged(&w, "is cut short");
    }
    const int64_t length = little_endian(data + MAGIC_BYTES + 2, length_bytes);
    if (length > TSL_NPY_LONGEST_HEADER) {
        return damaged(&w, "is longer than 65536 bytes");
    }
    if ((int64_t)size < start + length) {
        return damaged(&w, "is cut short");
    }
    w.at = data + start;
    w.end = w.at + length;
    tsl_npy found = {.offset = start + length};
    tsl_status status = take_entries(&w, &found);
    if (status == TSL_OK) {
        status = count_elements(&w, &found);
    }
    if (status == TSL_OK) {
        *out = found;
    }
    return status;
}

/* ---- files -------------------------------------------------------------------------------- */

/* Before memory is taken, check that a regular file holds what its header says. */
static tsl_status check_size(const tsl_npy *header, const tsl_input *input)
{
    const int64_t left = tsl_input_left(input);
    const int64_t bytes = header->count * header->item;
    return left < 0 || left - header->offset == bytes
               ? TSL_OK
               : tsl_fail(tsl_input_context(input), TSL_E_FORMAT,
                          "%s: holds %lld bytes of data where its header says %lld",
                          tsl_input_name(input), (long long)(left - header->offset),
                          (long long)bytes);
}

tsl_status tsl_npy_open(tsl_npy *header, tsl_input *input)
{
    const char *text;
    size_t bytes;
    tsl_npy found;
    /* no more than the header is read: the data may come through a pipe */
    tsl_status status = tsl_input_peek(input, PREFIX_BYTES, &text, &bytes);
    if (status == TSL_OK && bytes == PREFIX_BYTES) {
        const bool long_form = text[MAGIC_BYTES] != 1;
        const int64_t start = long_form ? PREFIX_BYTES : PREFIX_BYTES - 2;
        const int64_t length = little_endian(text + MAGIC_BYTES + 2, long_form ? 4 : 2);
        const int64_t most = length < TSL_NPY_LONGEST_HEADER ? length : TSL_NPY_LONGEST_HEADER;
        status = tsl_input_peek(input, (size_t)(start + most), &text, &bytes);
    }
    if (status == TSL_OK) {
        status =
            tsl_npy_parse(&found, tsl_input_context(input), tsl_input_name(input), text, bytes);
    }
    if (status == TSL_OK) {
        status = check_size(&found, input);
    }
    if (status == TSL_OK) {
        *header = found;
    }
    return status;
}

tsl_status tsl_npy_load(void **data, tsl_input *input, const tsl_npy *header)
{
    tsl_context *context = tsl_input_context(input);
    char skipped[256], more;
    size_t got = 1, beyond = 0;
    tsl_status status = TSL_OK;
    for (int64_t left = header->offset; left > 0 && got > 0 && status == TSL_OK;
         left -= (int64_t)got) {
        const size_t part = left < (int64_t)sizeof skipped ? (size_t)left : sizeof skipped;
        status = tsl_input_read(input, skipped, part, &got);
    }
    const int64_t bytes = header->count * header->item;
    char *array = status == TSL_OK ? tsl_allocate((size_t)bytes) : NULL;
    if (array == NULL) {
        return status != TSL_OK ? status : tsl_fail_memory(context, bytes, "an array");
    }
    status = tsl_input_read(input, array, (size_t)bytes, &got);
    if (status == TSL_OK && (int64_t)got == bytes) {
        status = tsl_input_read(input, &more, 1, &beyond);
    }
    if (status == TSL_OK && ((int64_t)got < bytes || beyond > 0)) {
        status =
            tsl_fail(context, TSL_E_FORMAT, "%s: holds %s data than the %lld bytes its header says",
                     tsl_input_name(input), beyond > 0 ? "more" : "less", (long long)bytes);
    }
    if (status == TSL_OK) {
        *data = array;
    } else {
        tsl_release(array);
    }
    return status;
}

tsl_status tsl_npy_read(tsl_npy *out, void **data, tsl_context *context, const char *path)
{
    tsl_input *input;
    tsl_npy header;
    tsl_status status = tsl_input_open(&input, context, path);
    if (status != TSL_OK) {
        return status;
    }
    status = tsl_npy_open(&header, input);
    if (status == TSL_OK) {
        status = tsl_npy_load(data, input, &header);
    }
    if (status == TSL_OK) {
        *out = header;
    }
    tsl_input_close(input);
    return status;
}

/* The header is padded so that the data begin at a multiple of 64 bytes. */
void tsl_npy_write_header(FILE *stream, const tsl_npy *header)
{
    char text[TSL_NPY_AXES * 21 + 128];
    int length = snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': %s, 'shape': (",
                          header->type, header->fortran_order ? "True" : "False");
    for (int i = 0; i < header->axes; i++) {
        length += snprintf(text + length, sizeof text - (size_t)length, "%lld%s",
                           (long long)header->shape[i],
                           i + 1 < header->axes ? ", "
                           : header->axes == 1  ? ","
                                                : "");
    }
    length += snprintf(text + length, sizeof text - (size_t)length, "), }");
    const int start = MAGIC_BYTES + 4;
    const int whole = (start + length + 1 + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    const int padded = whole - start;
    fwrite(magic, 1, MAGIC_BYTES, stream);
    const char numbers[4] = {1, 0, (char)(padded % 256), (char)(padded / 256)};
    fwrite(numbers, 1, sizeof numbers, stream);
    fprintf(stream, "%-*s\n", padded - 1, text);
}

tsl_status tsl_npy_write(tsl_context *context, const char *path, const tsl_npy *header,
                         const void *data)
{
    tsl_output *output;
    const tsl_status status = tsl_output_open(&output, context, path);
    if (status != TSL_OK) {
        return status;
    }
    size_t count = 1;
    for (int i = 0; i < header->axes; i++) {
        count *= (size_t)header->shape[i];
    }
    tsl_npy_write_header(tsl_output_stream(output), header);
    fwrite(data, (size_t)header->item, count, tsl_output_stream(output));
    return tsl_output_commit(output);
}
