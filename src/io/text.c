#include "io/text.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "comm/comm.h"
#include "io/inflating.h"
#include "io/output.h"

enum { FIRST_CAPACITY = 1 << 16, LONGEST_NUMBER = 320 };

/* A buffer that doubles, up to one byte more than its limit: the byte that tells it was passed. It
 * is filled a piece at a time. */
typedef struct growing {
    tsl_text text;
    size_t capacity;
    size_t limit;
    bool cuts;        /* what is beyond the limit is left out, and no error */
    int64_t expected; /* bytes of the text, if the file says so rightly; 0: it says nothing */
} growing;

static bool is_full(const growing *buffer)
{
    return buffer->cuts && buffer->text.size > buffer->limit;
}

/* Of one piece: so often does a rank look whether the others go on. */
static size_t at_most_a_piece(size_t bytes)
{
    const size_t piece = 1 << 20;
    return bytes < piece ? bytes : piece;
}

static size_t room_of(const growing *buffer)
{
    return at_most_a_piece(buffer->capacity - buffer->text.size);
}

tsl_status tsl_fail_to_open(tsl_context *context, const char *path, int reason)
{
    struct stat about;
    if (reason == ENOENT && lstat(path, &about) == 0 && S_ISLNK(about.st_mode)) {
        return tsl_fail(context, TSL_E_IO,
                        "%s: cannot open: it is a link to a file that is not there", path);
    }
    return tsl_fail(context, TSL_E_IO, "%s: cannot open: %s", path, strerror(reason));
}

/* Make room for a piece. */
static tsl_status grow(growing *buffer, tsl_context *context, const char *path)
{
    const tsl_status heard = tsl_comm_check(context->comm);
    if (heard != TSL_OK) {
        return heard;
    }
    if (buffer->text.size > buffer->limit) {
        char limit[16];
        return tsl_fail(context, TSL_E_FORMAT, "%s: longer than %s, the most that is read", path,
                        tsl_format_bytes(limit, (int64_t)buffer->limit));
    }
    if (buffer->text.size < buffer->capacity) {
        return TSL_OK;
    }
    size_t capacity = buffer->capacity > 0                 ? 2 * buffer->capacity
                      : buffer->expected >= FIRST_CAPACITY ? (size_t)buffer->expected + 1
                                                           : FIRST_CAPACITY;
    if (capacity > buffer->limit + 1) {
        capacity = buffer->limit + 1;
    }
    char *data = tsl_reallocate(buffer->text.data, buffer->text.size, capacity);
    if (data == NULL) {
        char what[TSL_QUOTE_TEXT];
        return tsl_fail_memory(context, (int64_t)capacity, tsl_quote(what, path, strlen(path)));
    }
    buffer->text.data = data;
    buffer->capacity = capacity;
    return TSL_OK;
}

static int64_t file_bytes(FILE *file)
{
    struct stat about;
    return fstat(fileno(file), &about) == 0 && S_ISREG(about.st_mode) ? about.st_size : 0;
}

static bool is_gzipped(const unsigned char *data, size_t size)
{
    return size >= 2 && data[0] == 0x1f && data[1] == 0x8b;
}

/* What the last member says of itself, in its last four bytes; deflate makes no more of it. */
static int64_t inflated_bytes(const unsigned char end[4], int64_t packed)
{
    const int64_t most = 1032;
    const int64_t told = end[0] | end[1] << 8 | end[2] << 16 | (int64_t)end[3] << 24;
    return told / most < packed ? told : 0;
}

int64_t tsl_text_bytes(const char *path)
{
    unsigned char magic[2], end[4];
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return 0;
    }
    int64_t bytes = file_bytes(file);
    if (bytes > 4 && fread(magic, 1, 2, file) == 2 && is_gzipped(magic, 2) &&
        fseek(file, -4, SEEK_END) == 0 && fread(end, 1, 4, file) == 4) {
        bytes += inflated_bytes(end, bytes);
    }
    fclose(file);
    return bytes;
}

static tsl_status read_plain(growing *buffer, tsl_context *context, const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return tsl_fail_to_open(context, path, errno);
    }
    tsl_status status = TSL_OK;
    buffer->expected = file_bytes(file);
    while (!is_full(buffer) && (status = grow(buffer, context, path)) == TSL_OK) {
        errno = 0;
        const size_t got = fread(buffer->text.data + buffer->text.size, 1, room_of(buffer), file);
        buffer->text.size += got;
        if (got == 0) {
            if (ferror(file)) {
                status = tsl_fail(context, TSL_E_IO, "%s: cannot read: %s", path,
                                  errno != 0 ? strerror(errno) : "input error");
            }
            break;
        }
    }
    fclose(file);
    return status;
}

#ifdef TSL_HAVE_ZLIB

static tsl_status damaged(tsl_context *context, const char *path, const char *reason)
{
    return tsl_fail(context, TSL_E_FORMAT, "%s: damaged gzip data: %s", path, reason);
}

/* One member of a gzip file that ends at `end`: those that follow one another are one text. */
static tsl_status inflate_member(growing *buffer, z_stream *stream, const Bytef *end,
                                 tsl_context *context, const char *path)
{
    for (;;) {
        const tsl_status status = grow(buffer, context, path);
        if (status != TSL_OK) {
            return status;
        }
        const uInt room = (uInt)room_of(buffer);
        stream->next_out = (Bytef *)buffer->text.data + buffer->text.size;
        stream->avail_out = room;
        stream->avail_in = (uInt)at_most_a_piece((size_t)(end - stream->next_in));
        const int result = inflate(stream, Z_NO_FLUSH);
        buffer->text.size += room - stream->avail_out;
        if (result == Z_STREAM_END || is_full(buffer)) {
            return TSL_OK;
        }
        if (result == Z_MEM_ERROR) {
            return tsl_fail_memory(context, 1 << 16, "inflating a gzip file");
        }
        if (result == Z_BUF_ERROR && stream->avail_in == 0 && stream->avail_out > 0) {
            return buffer->cuts ? TSL_OK : damaged(context, path, "it ends too early");
        }
        if (result != Z_OK && result != Z_BUF_ERROR) {
            return damaged(context, path,
                           stream->msg != NULL ? stream->msg : "not a deflate stream");
        }
    }
}

static tsl_status inflate_all(growing *buffer, const tsl_text *packed, tsl_context *context,
                              const char *path)
{
    z_stream stream = tsl_inflating();
    if (inflateInit2(&stream, 16 + MAX_WBITS) != Z_OK) {
        return tsl_fail_memory(context, 1 << 16, "inflating a gzip file");
    }
    stream.next_in = (const Bytef *)packed->data;
    const Bytef *end = stream.next_in + packed->size;
    tsl_status status = inflate_member(buffer, &stream, end, context, path);
    /* Padding of any other kind after the last member is ignored, as gzip does. */
    while (status == TSL_OK && !is_full(buffer) && end - stream.next_in >= 2 &&
           stream.next_in[0] == 0x1f && stream.next_in[1] == 0x8b) {
        inflateReset(&stream);
        status = inflate_member(buffer, &stream, end, context, path);
    }
    inflateEnd(&stream);
    if (status == TSL_OK && !buffer->cuts && buffer->text.size > buffer->limit) {
        status = grow(buffer, context, path);
    }
    return status;
}

#else

static tsl_status inflate_all(growing *buffer, const tsl_text *packed, tsl_context *context,
                              const char *path)
{
    (void)buffer;
    (void)packed;
    return tsl_fail(context, TSL_E_UNSUPPORTED,
                    "%s: gzipped, and this build has no zlib: gunzip it first", path);
}

#endif

static tsl_status read_text(tsl_text *out, tsl_context *context, const char *path, size_t limit,
                            bool cuts)
{
    growing plain = {.limit = limit, .cuts = cuts};
    growing inflated = {.limit = limit, .cuts = cuts};
    tsl_status status = read_plain(&plain, context, path);
    const unsigned char *data = (const unsigned char *)plain.text.data;
    const size_t size = plain.text.size;
    if (status == TSL_OK && is_gzipped(data, size)) {
        inflated.expected = size > 4 && !cuts ? inflated_bytes(data + size - 4, (int64_t)size) : 0;
        status = inflate_all(&inflated, &plain.text, context, path);
        tsl_text_release(&plain.text);
        plain.text = inflated.text;
    }
    if (status == TSL_OK) {
        *out = plain.text;
    } else {
        tsl_text_release(&plain.text);
    }
    return status;
}

tsl_status tsl_text_read(tsl_text *out, tsl_context *context, const char *path, size_t limit)
{
    return read_text(out, context, path, limit, false);
}

tsl_status tsl_text_read_beginning(tsl_text *out, tsl_context *context, const char *path,
                                   size_t bytes)
{
    const tsl_status status = read_text(out, context, path, bytes, true);
    if (status == TSL_OK && out->size > bytes) {
        out->size = bytes;
    }
    return status;
}

void tsl_text_release(tsl_text *text)
{
    tsl_release(text->data);
    *text = (tsl_text){0};
}

tsl_lines tsl_lines_of(const char *data, size_t size)
{
    const size_t mark = size >= 3 && memcmp(data, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    return (tsl_lines){.next = data + mark, .end = data + size};
}

bool tsl_lines_next(tsl_lines *lines, const char **line, size_t *length)
{
    const char *p = lines->next;
    const char *end = lines->end;
    if (p == end) {
        return false;
    }
    while (p < end && *p != '\n' && *p != '\r') {
        p++;
    }
    *line = lines->next;
    *length = (size_t)(p - lines->next);
    if (p < end) {
        p += *p == '\r' && p + 1 < end && p[1] == '\n' ? 2 : 1;
    }
    lines->next = p;
    lines->number++;
    return true;
}

void tsl_trim(const char **text, size_t *length)
{
    while (*length > 0 && (**text == ' ' || **text == '\t')) {
        ++*text;
        --*length;
    }
    while (*length > 0 && ((*text)[*length - 1] == ' ' || (*text)[*length - 1] == '\t')) {
        --*length;
    }
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* mantissa * 10^power and, in *error, what it may be off by: products of a long double, whose
 * powers of ten are exact up to 10^27. `cut`: digits are missing at the mantissa's end. */
static long double scale(uint64_t mantissa, int power, bool cut, long double *error)
{
    static const long double tens[] = {1e0L,  1e1L,  1e2L,  1e3L,  1e4L,  1e5L,  1e6L,
                                       1e7L,  1e8L,  1e9L,  1e10L, 1e11L, 1e12L, 1e13L,
                                       1e14L, 1e15L, 1e16L, 1e17L, 1e18L, 1e19L, 1e20L,
                                       1e21L, 1e22L, 1e23L, 1e24L, 1e25L, 1e26L, 1e27L};
    long double value = (long double)mantissa;
    int roundings = power != 0;
    for (; power > 27; power -= 27, roundings++) {
        value *= tens[27];
    }
    for (; power < -27; power += 27, roundings++) {
        value /= tens[27];
    }
    value = power >= 0 ? value * tens[power] : value / tens[-power];
    *error = value * ((long double)roundings * LDBL_EPSILON + (cut ? 1e-18L : 0));
    return value;
}

/* The same, correctly rounded, by the C library: some microseconds. The text is a decimal number
 * without blanks. */
static double read_slowly(const char *text, size_t length)
{
    char copy[LONGEST_NUMBER + 1];
    memcpy(copy, text, length);
    copy[length] = '\0';
    const tsl_plain_numbers numbers = tsl_plain_numbers_enter();
    const double value = strtod(copy, NULL);
    tsl_plain_numbers_leave(numbers);
    return value;
}

static bool parse_exponent(const char *p, const char *end, int *out)
{
    int32_t exponent = 0;
    if (p == end || !tsl_parse_integer(p, (size_t)(end - p), &exponent) || *p == ' ' ||
        exponent > 400 || exponent < -400) {
        return false;
    }
    *out += (int)exponent;
    return true;
}

bool tsl_parse_decimal(const char *text, size_t length, double *out)
{
    tsl_trim(&text, &length);
    const char *p = text;
    const char *end = text + length;
    const bool negative = p < end && *p == '-';
    p += p < end && (*p == '-' || *p == '+');
    const char *first = p;
    uint64_t mantissa = 0;
    int power = 0; /* of 10, to be applied to the mantissa */
    bool cut = false;
    bool point = false;
    for (; p < end && (is_digit(*p) || (*p == '.' && !point)); p++) {
        if (*p == '.') {
            point = true;
        } else if (mantissa < UINT64_MAX / 10 - 9) {
            mantissa = 10 * mantissa + (uint64_t)(*p - '0');
            power -= point;
        } else { /* beyond the precision of a double */
            power += !point;
            cut = true;
        }
    }
    if (p - first == point || length > LONGEST_NUMBER) { /* no digit */
        return false;
    }
    if (p < end && ((*p != 'e' && *p != 'E') || !parse_exponent(p + 1, end, &power))) {
        return false;
    }
    if (!cut && mantissa <= UINT64_C(1) << 53 && power == 0) { /* exact */
        *out = negative ? -(double)mantissa : (double)mantissa;
        return true;
    }
    long double error;
    const long double value = scale(mantissa, power, cut, &error);
    double rounded = (double)value;
    if ((double)(value - error) < rounded || (double)(value + error) > rounded ||
        (rounded < DBL_MIN && mantissa > 0)) {
        rounded = fabs(read_slowly(text, length));
    }
    if (!isfinite(rounded)) {
        return false;
    }
    *out = negative ? -rounded : rounded;
    return true;
}

bool tsl_parse_number(const char *field, size_t length, double *out)
{
    enum { LONGEST = 40, DIGITS = 3 /* of an exponent without its letter */ };
    char copy[LONGEST + 2];
    if (tsl_parse_decimal(field, length, out)) {
        return true;
    }
    if (length > LONGEST) {
        return false;
    }
    memcpy(copy, field, length);
    copy[length] = 0;
    char *letter = strpbrk(copy, "dD");
    if (letter != NULL) {
        *letter = 'e';
        return tsl_parse_decimal(copy, length, out);
    }
    char *sign = length > DIGITS + 1 ? copy + length - DIGITS - 1 : copy;
    if (sign == copy || (*sign != '-' && *sign != '+') || strspn(sign + 1, "0123456789") < DIGITS ||
        strpbrk(copy, "eE") != NULL) {
        return false;
    }
    memmove(sign + 1, sign, DIGITS + 1);
    *sign = 'e';
    return tsl_parse_decimal(copy, length + 1, out);
}

bool tsl_parse_integer(const char *text, size_t length, int32_t *out)
{
    tsl_trim(&text, &length);
    const char *p = text;
    const char *end = text + length;
    const bool negative = p < end && *p == '-';
    p += p < end && (*p == '-' || *p == '+');
    if (p == end) {
        return false;
    }
    int64_t value = 0;
    for (; p < end; p++) {
        if (!is_digit(*p) || value > INT32_MAX) {
            return false;
        }
        value = 10 * value + (*p - '0');
    }
    value = negative ? -value : value;
    if (value > INT32_MAX || value < INT32_MIN) {
        return false;
    }
    *out = (int32_t)value;
    return true;
}

const char *tsl_quote(char out[TSL_QUOTE_TEXT], const char *text, size_t length)
{
    const bool cut = length >= TSL_QUOTE_TEXT;
    const size_t shown = cut ? TSL_QUOTE_TEXT - 4 : length;
    for (size_t i = 0; i < shown; i++) {
        out[i] = text[i] >= ' ' && text[i] <= '~' ? text[i] : '?';
    }
    memcpy(out + shown, cut ? "..." : "", cut ? 4 : 1);
    return out;
}
