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

enum { FIRST_CAPACITY = 1 << 16 };

/* A buffer that doubles, up to one byte more than its limit: the byte that tells it was passed. It
 * is filled a piece at a time. */
typedef struct growing {
    tsl_text text;
    size_t capacity;
    size_t limit;
    bool cuts;        /* what is beyond the limit is left out, and no error */
    int64_t expected; /* bytes of the text, if the file says so rightly; 0: it says nothing */
    bool (*begins_well)(const char *data, size_t size); /* NULL: whatever it begins with */
    bool looked, stopped;                               /* at the beginning, and by what it was */
} growing;

static bool is_full(const growing *buffer)
{
    return buffer->stopped || (buffer->cuts && buffer->text.size > buffer->limit);
}

/* Once there is a beginning: is it worth to read on? */
static void look(growing *buffer)
{
    if (buffer->begins_well != NULL && !buffer->looked && buffer->text.size >= TSL_TEXT_BEGINNING) {
        buffer->looked = true;
        buffer->stopped = !buffer->begins_well(buffer->text.data, buffer->text.size);
    }
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
        return tsl_fail(context, TSL_E_IO, "%s: cannot open: %s", path, strerror(errno));
    }
    tsl_status status = TSL_OK;
    buffer->expected = file_bytes(file);
    while (!is_full(buffer) && (status = grow(buffer, context, path)) == TSL_OK) {
        errno = 0;
        const size_t got = fread(buffer->text.data + buffer->text.size, 1, room_of(buffer), file);
        buffer->text.size += got;
        buffer->looked =
            buffer->looked || is_gzipped((unsigned char *)buffer->text.data, buffer->text.size);
        look(buffer);
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
        look(buffer);
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

/* `settings`: limit, cuts and begins_well */
static tsl_status read_text(tsl_text *out, tsl_context *context, const char *path,
                            const growing *settings)
{
    growing plain = *settings;
    growing inflated = *settings;
    tsl_status status = read_plain(&plain, context, path);
    const unsigned char *data = (const unsigned char *)plain.text.data;
    const size_t size = plain.text.size;
    if (status == TSL_OK && is_gzipped(data, size)) {
        inflated.expected =
            size > 4 && !settings->cuts ? inflated_bytes(data + size - 4, (int64_t)size) : 0;
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
    return read_text(out, context, path, &(growing){.limit = limit});
}

tsl_status tsl_text_read_if(tsl_text *out, tsl_context *context, const char *path, size_t limit,
                            bool (*begins_well)(const char *data, size_t size))
{
    return read_text(out, context, path, &(growing){.limit = limit, .begins_well = begins_well});
}

tsl_status tsl_text_read_beginning(tsl_text *out, tsl_context *context, const char *path,
                                   size_t bytes)
{
    const tsl_status status =
        read_text(out, context, path, &(growing){.limit = bytes, .cuts = true});
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
    return (tsl_lines){.next = data, .end = data + size};
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

/* Significant digits that decide how a number rounds; of more it only counts whether one is not 0,
 * which a 1 in their place says. */
enum { DECISIVE_DIGITS = 780, MOST_EXPONENT = 100000, FARTHEST = 6000 /* power of ten */ };

/* Digits with or without a sign; what no double can have is held at MOST_EXPONENT. */
static bool parse_exponent(const char *p, const char *end, int *out)
{
    const bool negative = p < end && *p == '-';
    p += p < end && (*p == '-' || *p == '+');
    if (p == end) {
        return false;
    }
    int exponent = 0;
    for (; p < end; p++) {
        if (!is_digit(*p)) {
            return false;
        }
        exponent = exponent < MOST_EXPONENT ? 10 * exponent + (*p - '0') : exponent;
    }
    exponent = exponent < MOST_EXPONENT ? exponent : MOST_EXPONENT;
    *out = negative ? -exponent : exponent;
    return true;
}

/* The same, correctly rounded, by the C library: some microseconds. The text is a decimal number
 * without blanks, of any length. */
static double read_slowly(const char *text, size_t length)
{
    char copy[DECISIVE_DIGITS + 32];
    const char *end = text + length;
    int digits = 0;
    bool point = false;
    bool rest = false;
    int64_t power = 0;
    for (text += *text == '-' || *text == '+'; text < end && *text != 'e' && *text != 'E'; text++) {
        if (*text == '.') {
            point = true;
            continue;
        }
        const bool taken = digits < DECISIVE_DIGITS && (digits > 0 || *text != '0');
        if (taken) {
            copy[digits++] = *text;
        }
        rest = rest || (digits == DECISIVE_DIGITS && !taken && *text != '0');
        power += (digits == DECISIVE_DIGITS && !taken) - point;
    }
    if (digits == 0) {
        return 0;
    }
    int exponent = 0;
    if (text < end) {
        parse_exponent(text + 1, end, &exponent);
    }
    if (rest) {
        copy[digits++] = '1';
        power--;
    }
    snprintf(copy + digits, sizeof copy - (size_t)digits, "e%lld", (long long)(power + exponent));
    const tsl_plain_numbers numbers = tsl_plain_numbers_enter();
    const double value = strtod(copy, NULL);
    tsl_plain_numbers_leave(numbers);
    return value;
}

/* tsl_parse_decimal(); *beyond: it is a number, but one too large for a double. */
static bool parse_decimal(const char *text, size_t length, double *out, bool *beyond)
{
    *beyond = false;
    tsl_trim(&text, &length);
    const char *p = text;
    const char *end = text + length;
    const bool negative = p < end && *p == '-';
    p += p < end && (*p == '-' || *p == '+');
    const char *first = p;
    uint64_t mantissa = 0;
    int exponent = 0;
    int64_t power = 0; /* of 10, to be applied to the mantissa */
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
    if (p - first == point) { /* no digit */
        return false;
    }
    if (p < end && ((*p != 'e' && *p != 'E') || !parse_exponent(p + 1, end, &exponent))) {
        return false;
    }
    power += exponent;
    if (!cut && mantissa <= UINT64_C(1) << 53 && power == 0) { /* exact */
        *out = negative ? -(double)mantissa : (double)mantissa;
        return true;
    }
    long double error;
    power = power < -FARTHEST ? -FARTHEST : power > FARTHEST ? FARTHEST : power;
    const long double value = scale(mantissa, (int)power, cut, &error);
    double rounded = (double)value;
    if ((double)(value - error) < rounded || (double)(value + error) > rounded ||
        (rounded < DBL_MIN && mantissa > 0)) {
        rounded = fabs(read_slowly(text, length));
    }
    if (!isfinite(rounded)) {
        *beyond = true;
        return false;
    }
    *out = negative ? -rounded : rounded;
    return true;
}

bool tsl_parse_decimal(const char *text, size_t length, double *out)
{
    bool beyond;
    return parse_decimal(text, length, out, &beyond);
}

/* tsl_parse_number(); *beyond: it is a number, but one too large for a double. */
static bool parse_number(const char *field, size_t length, double *out, bool *beyond)
{
    enum { LONGEST = 1000, DIGITS = 3 /* of an exponent without its letter */ };
    char copy[LONGEST + 2];
    if (parse_decimal(field, length, out, beyond)) {
        return true;
    }
    if (length > LONGEST || *beyond) {
        return false;
    }
    memcpy(copy, field, length);
    copy[length] = 0;
    char *letter = strpbrk(copy, "dD");
    if (letter != NULL) {
        *letter = 'e';
        return parse_decimal(copy, length, out, beyond);
    }
    char *sign = length > DIGITS + 1 ? copy + length - DIGITS - 1 : copy;
    if (sign == copy || (*sign != '-' && *sign != '+') || strspn(sign + 1, "0123456789") < DIGITS ||
        strpbrk(copy, "eE") != NULL) {
        return false;
    }
    memmove(sign + 1, sign, DIGITS + 1);
    *sign = 'e';
    return parse_decimal(copy, length + 1, out, beyond);
}

bool tsl_parse_number(const char *field, size_t length, double *out)
{
    bool beyond;
    return parse_number(field, length, out, &beyond);
}

bool tsl_is_beyond_double(const char *field, size_t length)
{
    double value;
    bool beyond;
    return !parse_number(field, length, &value, &beyond) && beyond;
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
