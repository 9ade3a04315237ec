#include "io/file/text.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/file/output.h"

enum { FIRST_CAPACITY = 1 << 16, LONGEST_FORTRAN = 40 };

/* A buffer that doubles, up to one byte more than its limit: with that byte the text is too
 * long. */
typedef struct growing {
    tsl_text text;
    size_t capacity;
    size_t limit;
    int64_t expected; /* bytes of the text, if the file says so rightly; 0: it says nothing */
} growing;

/* Make room for more bytes. */
static tsl_status grow(growing *buffer, tsl_context *context, const char *name)
{
    if (buffer->text.size > buffer->limit) {
        char limit[16];
        return tsl_fail(context, TSL_E_FORMAT, "%s: longer than %s, the most that is read", name,
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
        return tsl_fail_memory(context, (int64_t)capacity, tsl_quote(what, name, strlen(name)));
    }
    buffer->text.data = data;
    buffer->capacity = capacity;
    return TSL_OK;
}

tsl_status tsl_text_take(tsl_text *out, tsl_input *input, size_t limit)
{
    growing buffer = {.limit = limit, .expected = tsl_input_expected(input)};
    tsl_status status;
    size_t got = 1;
    while ((status = grow(&buffer, tsl_input_context(input), tsl_input_name(input))) == TSL_OK &&
           got > 0) {
        char *end = buffer.text.data + buffer.text.size;
        status = tsl_input_read(input, end, buffer.capacity - buffer.text.size, &got);
        buffer.text.size += got;
        if (status != TSL_OK) {
            break;
        }
    }
    if (status == TSL_OK) {
        *out = buffer.text;
    } else {
        tsl_text_release(&buffer.text);
    }
    return status;
}

bool tsl_text_is(const char *data, size_t size)
{
    return memchr(data, '\0', size) == NULL;
}

bool tsl_text_or_gzip(const char *data, size_t size)
{
    return (size >= 2 && memcmp(data, "\x1f\x8b", 2) == 0) || tsl_text_is(data, size);
}

tsl_status tsl_text_take_if(tsl_text *out, tsl_input *input, size_t limit,
                            bool (*begins_well)(const char *data, size_t size))
{
    const char *data;
    size_t bytes;
    tsl_status status = tsl_input_peek(input, TSL_TEXT_BEGINNING, &data, &bytes);
    if (status != TSL_OK) {
        return status;
    }
    if (begins_well == NULL || bytes < TSL_TEXT_BEGINNING || begins_well(data, bytes)) {
        return tsl_text_take(out, input, limit);
    }
    out->data = tsl_allocate(TSL_TEXT_BEGINNING);
    if (out->data == NULL) {
        return tsl_fail_memory(tsl_input_context(input), TSL_TEXT_BEGINNING, "a file's beginning");
    }
    status = tsl_input_read(input, out->data, bytes, &out->size);
    if (status != TSL_OK) {
        tsl_text_release(out);
    }
    return status;
}

tsl_status tsl_text_read_if(tsl_text *out, tsl_context *context, const char *path, size_t limit,
                            bool (*begins_well)(const char *data, size_t size))
{
    tsl_input *input;
    tsl_status status = tsl_input_open(&input, context, path);
    if (status == TSL_OK) {
        status = tsl_text_take_if(out, input, limit, begins_well);
        tsl_input_close(input);
    }
    return status;
}

tsl_status tsl_text_read(tsl_text *out, tsl_context *context, const char *path, size_t limit)
{
    return tsl_text_read_if(out, context, path, limit, NULL);
}

tsl_status tsl_text_read_string(char **out, tsl_context *context, const char *path, size_t limit)
{
    tsl_text text;
    const tsl_status status = tsl_text_read(&text, context, path, limit);
    if (status != TSL_OK) {
        return status;
    }
    const size_t size = text.size;
    *out = tsl_allocate(size + 1);
    if (*out != NULL) {
        memcpy(*out, text.data, size);
        (*out)[size] = '\0';
    }
    tsl_text_release(&text);
    return *out != NULL ? TSL_OK : tsl_fail_memory(context, (int64_t)size + 1, path);
}

void tsl_text_release(tsl_text *text)
{
    tsl_release(text->data);
    *text = (tsl_text){0};
}

tsl_lines tsl_lines_of(const char *data, size_t size)
{
    static const char mark[] = "\xef\xbb\xbf"; /* byte-order mark of UTF-8 */
    if (size >= 3 && memcmp(data, mark, 3) == 0) {
        data += 3;
        size -= 3;
    }
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

/* mantissa * 10^power. *error is the most that it may be off by: powers of ten are exact up to
 * 10^27 in a long double. `cut`: digits are missing at the mantissa's end. */
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

/* The value of digits, a point among them or not, times 10^power, correctly rounded by the C
 * library: some microseconds. Beyond DIGITS digits it only matters whether any is not 0, since no
 * double, nor the middle of two, has as many. */
static double read_slowly(const char *digits, const char *end, int64_t power)
{
    enum { DIGITS = 800 };
    char copy[DIGITS + 32];
    int count = 0;
    bool point = false, more = false;
    for (; digits < end; digits++) {
        point = point || *digits == '.';
        if (*digits == '.' || (count == 0 && *digits == '0')) {
            power -= point && *digits == '0'; /* zeros before the first digit that counts */
        } else if (count < DIGITS) {
            copy[count++] = *digits;
            power -= point;
        } else {
            more = more || *digits != '0';
            power += !point;
        }
    }
    const int64_t farthest = INT32_MAX;
    power = power > farthest ? farthest : power < -farthest ? -farthest : power;
    snprintf(copy + count, sizeof copy - (size_t)count, "%se%lld",
             more        ? ".1"
             : count > 0 ? ""
                         : "0",
             (long long)power);
    const tsl_plain_numbers numbers = tsl_plain_numbers_enter();
    const double value = strtod(copy, NULL);
    tsl_plain_numbers_leave(numbers);
    return value;
}

/* Read an exponent, what comes after the e: a sign or none, and digits. An exponent beyond that of
 * any double is cut. */
static bool parse_exponent(const char *p, const char *end, int64_t *out)
{
    const int64_t enough = INT32_MAX;
    const bool negative = p < end && *p == '-';
    p += p < end && (*p == '-' || *p == '+');
    if (p == end) {
        return false;
    }
    *out = 0;
    for (; p < end && is_digit(*p); p++) {
        *out = *out < enough ? 10 * *out + (*p - '0') : *out;
    }
    *out = negative ? -*out : *out;
    return p == end;
}

/* What a field holds. */
typedef enum reading { READ_NUMBER, READ_BEYOND /* any double */, READ_OTHER } reading;

static reading read_decimal(const char *text, size_t length, double *out)
{
    tsl_trim(&text, &length);
    const char *p = text;
    const char *end = text + length;
    const bool negative = p < end && *p == '-';
    p += p < end && (*p == '-' || *p == '+');
    const char *first = p;
    uint64_t mantissa = 0;
    int64_t power = 0;    /* of 10, to be applied to the mantissa */
    int64_t exponent = 0; /* as it is written */
    bool cut = false;
    bool point = false;
    for (; p < end && (is_digit(*p) || (*p == '.' && !point)); p++) {
        if (*p == '.') {
            point = true;
        } else if (mantissa < UINT64_MAX / 10 - 9) {
            mantissa = 10 * mantissa + (uint64_t)(*p - '0');
            power -= point;
        } else { /* digits beyond the precision of a double */
            power += !point;
            cut = true;
        }
    }
    const char *last = p;
    if (p - first == point) { /* no digit */
        return READ_OTHER;
    }
    if (p < end && ((*p != 'e' && *p != 'E') || !parse_exponent(p + 1, end, &exponent))) {
        return READ_OTHER;
    }
    power += exponent;
    if (!cut && mantissa <= UINT64_C(1) << 53 && power == 0) { /* exact */
        *out = negative ? -(double)mantissa : (double)mantissa;
        return READ_NUMBER;
    }
    double rounded;
    if (power > 400 || power < -400) {
        rounded = mantissa > 0 ? read_slowly(first, last, exponent) : 0;
    } else {
        long double error;
        const long double value = scale(mantissa, (int)power, cut, &error);
        rounded = (double)value;
        if ((double)(value - error) < rounded || (double)(value + error) > rounded ||
            (rounded < DBL_MIN && mantissa > 0)) {
            rounded = read_slowly(first, last, exponent);
        }
    }
    if (!isfinite(rounded)) {
        return READ_BEYOND;
    }
    *out = negative ? -rounded : rounded;
    return READ_NUMBER;
}

bool tsl_parse_decimal(const char *text, size_t length, double *out)
{
    return read_decimal(text, length, out) == READ_NUMBER;
}

/* Write `field` as C writes numbers; false if Fortran has no such number either. */
static bool of_fortran(char *copy, size_t length)
{
    enum { DIGITS = 3 }; /* digits of an exponent that has no letter */
    char *letter = strpbrk(copy, "dDqQ");
    if (letter != NULL) {
        *letter = 'e';
        return true;
    }
    char *sign = length > DIGITS + 1 ? copy + length - DIGITS - 1 : copy;
    if (sign == copy || (*sign != '-' && *sign != '+') || strspn(sign + 1, "0123456789") < DIGITS ||
        strpbrk(copy, "eE") != NULL) {
        return false;
    }
    memmove(sign + 1, sign, DIGITS + 1);
    *sign = 'e';
    return true;
}

static reading read_number(const char *field, size_t length, double *out)
{
    char copy[LONGEST_FORTRAN + 2];
    const reading plain = read_decimal(field, length, out);
    if (plain != READ_OTHER || length > LONGEST_FORTRAN) {
        return plain;
    }
    memcpy(copy, field, length);
    memset(copy + length, 0, 2); /* room for a letter that is put in */
    return of_fortran(copy, length) ? read_decimal(copy, strlen(copy), out) : READ_OTHER;
}

bool tsl_parse_number(const char *field, size_t length, double *out)
{
    return read_number(field, length, out) == READ_NUMBER;
}

bool tsl_is_beyond_double(const char *field, size_t length)
{
    double value;
    return read_number(field, length, &value) == READ_BEYOND;
}

const char *tsl_number_fault(const char *field, size_t length)
{
    size_t stars = 0;
    while (stars < length && field[stars] == '*') {
        stars++;
    }
    return tsl_is_beyond_double(field, length) ? "is beyond what double precision holds, 1.8e308"
           : stars == length && length > 0
               ? "is no number: Fortran writes stars where a column is too narrow for one"
               : "is no finite number";
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
