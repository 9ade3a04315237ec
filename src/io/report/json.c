#include "io/report/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/file/output.h"

void tsl_json_begin(tsl_json *json, FILE *stream)
{
    *json = (tsl_json){.stream = stream, .first = {true}};
}

void tsl_json_end(tsl_json *json)
{
    fputc('\n', json->stream);
}

static void new_line(tsl_json *json)
{
    fprintf(json->stream, "\n%*s", 2 * json->depth, "");
}

/* Length of the UTF-8 sequence at `text`; 0 if it is none. */
static size_t utf8_length(const unsigned char *text)
{
    const unsigned char c = text[0];
    const size_t length = c >= 0xc2 && c <= 0xdf   ? 2
                          : c >= 0xe0 && c <= 0xef ? 3
                          : c >= 0xf0 && c <= 0xf4 ? 4
                                                   : 0;
    for (size_t i = 1; i < length; i++) {
        if ((text[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    const bool overlong = (c == 0xe0 && text[1] < 0xa0) || (c == 0xf0 && text[1] < 0x90);
    const bool surrogate = c == 0xed && text[1] >= 0xa0;
    const bool beyond = c == 0xf4 && text[1] >= 0x90;
    return overlong || surrogate || beyond ? 0 : length;
}

/* Write a quoted string. File names may hold any bytes, and JSON is UTF-8, so bytes that are not
 * become U+FFFD. */
static void quote(FILE *stream, const char *value)
{
    static const char letters[] = "btnvfr"; /* for 8 to 13; JSON has no \v */
    const unsigned char *p = (const unsigned char *)value;
    fputc('"', stream);
    while (*p != 0) {
        const size_t length = *p < 0x80 ? 1 : utf8_length(p);
        if (*p == '"' || *p == '\\') {
            fprintf(stream, "\\%c", *p);
        } else if (*p >= 8 && *p <= 13 && *p != '\v') {
            fprintf(stream, "\\%c", letters[*p - 8]);
        } else if (*p < ' ' || *p == 127) {
            fprintf(stream, "\\u%04x", *p);
        } else if (length == 0) {
            fputs("\xef\xbf\xbd", stream);
        } else {
            fwrite(p, 1, length, stream);
        }
        p += length > 0 ? length : 1;
    }
    fputc('"', stream);
}

/* Write what comes before any value: comma, line and name. */
static void lead(tsl_json *json, const char *name)
{
    if (json->depth > 0) {
        if (!json->first[json->depth]) {
            fputc(',', json->stream);
        }
        json->first[json->depth] = false;
        new_line(json);
    }
    if (name != NULL) {
        quote(json->stream, name);
        fputs(": ", json->stream);
    }
}

static void open_level(tsl_json *json, const char *name, char bracket)
{
    lead(json, name);
    fputc(bracket, json->stream);
    json->depth++;
    json->first[json->depth] = true;
}

static void close_level(tsl_json *json, char bracket)
{
    const bool empty = json->first[json->depth];
    json->depth--;
    if (!empty) {
        new_line(json);
    }
    fputc(bracket, json->stream);
}

void tsl_json_open_object(tsl_json *json, const char *name)
{
    open_level(json, name, '{');
}

void tsl_json_close_object(tsl_json *json)
{
    close_level(json, '}');
}

void tsl_json_open_array(tsl_json *json, const char *name)
{
    open_level(json, name, '[');
}

void tsl_json_close_array(tsl_json *json)
{
    close_level(json, ']');
}

void tsl_json_string(tsl_json *json, const char *name, const char *value)
{
    lead(json, name);
    if (value == NULL) {
        fputs("null", json->stream);
    } else {
        quote(json->stream, value);
    }
}

void tsl_json_integer(tsl_json *json, const char *name, int64_t value)
{
    lead(json, name);
    fprintf(json->stream, "%" PRId64, value);
}

void tsl_json_number(tsl_json *json, const char *name, double value)
{
    if (!isfinite(value)) {
        tsl_json_null(json, name);
        return;
    }
    char text[32];
    const tsl_plain_numbers numbers = tsl_plain_numbers_enter();
    /* Fifteen digits are never too many, and keep 90 from becoming 9e+01. */
    const bool usual = fabs(value) >= 1e-4 && fabs(value) < 1e15;
    for (int digits = usual ? 15 : 1; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        const double back = strtod(text, NULL);
        if (memcmp(&back, &value, sizeof back) == 0) {
            break;
        }
    }
    tsl_plain_numbers_leave(numbers);
    lead(json, name);
    fputs(text, json->stream);
}

void tsl_json_bool(tsl_json *json, const char *name, bool value)
{
    lead(json, name);
    fputs(value ? "true" : "false", json->stream);
}

void tsl_json_null(tsl_json *json, const char *name)
{
    lead(json, name);
    fputs("null", json->stream);
}

void tsl_json_known_integer(tsl_json *json, const char *name, int64_t value, bool known)
{
    if (known) {
        tsl_json_integer(json, name, value);
    } else {
        tsl_json_null(json, name);
    }
}

void tsl_json_known_number(tsl_json *json, const char *name, double value, bool known)
{
    if (known) {
        tsl_json_number(json, name, value);
    } else {
        tsl_json_null(json, name);
    }
}
