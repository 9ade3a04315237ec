#include "io/report/json.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* What one call of `write` writes; free() it. */
static char *written(void (*write)(tsl_json *json))
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *stream = open_memstream(&text, &bytes);
    assert_non_null(stream);
    tsl_json json;
    tsl_json_begin(&json, stream);
    write(&json);
    tsl_json_end(&json);
    assert_int_equal(fclose(stream), 0);
    return text;
}

static void assert_writes(void (*write)(tsl_json *json), const char *expected)
{
    char *text = written(write);
    assert_string_equal(text, expected);
    free(text);
}

static void write_nested(tsl_json *json)
{
    tsl_json_open_object(json, NULL);
    tsl_json_string(json, "command", "dock");
    tsl_json_bool(json, "verified", true);
    tsl_json_bool(json, "quiet", false);
    tsl_json_null(json, "seed");
    tsl_json_open_object(json, "seconds");
    tsl_json_number(json, "total", 1.5);
    tsl_json_close_object(json);
    tsl_json_open_array(json, "profile");
    tsl_json_open_object(json, NULL);
    tsl_json_integer(json, "calls", -3);
    tsl_json_open_array(json, "none");
    tsl_json_close_array(json);
    tsl_json_close_object(json);
    tsl_json_open_object(json, NULL);
    tsl_json_close_object(json);
    tsl_json_integer(json, NULL, INT64_MIN);
    tsl_json_close_array(json);
    tsl_json_string(json, "after", NULL);
    tsl_json_close_object(json);
}

static void test_nesting(void **state)
{
    (void)state;
    assert_writes(write_nested, "{\n"
                                "  \"command\": \"dock\",\n"
                                "  \"verified\": true,\n"
                                "  \"quiet\": false,\n"
                                "  \"seed\": null,\n"
                                "  \"seconds\": {\n"
                                "    \"total\": 1.5\n"
                                "  },\n"
                                "  \"profile\": [\n"
                                "    {\n"
                                "      \"calls\": -3,\n"
                                "      \"none\": []\n"
                                "    },\n"
                                "    {},\n"
                                "    -9223372036854775808\n"
                                "  ],\n"
                                "  \"after\": null\n"
                                "}\n");
}

static void write_strings(tsl_json *json)
{
    tsl_json_open_array(json, NULL);
    tsl_json_string(json, NULL, "");
    tsl_json_string(json, NULL, "a \"b\" \\ /c");
    tsl_json_string(json, NULL, "\b\t\n\v\f\r\x01\x1f\x7f");
    tsl_json_string(json, NULL, "\xc3\x85 \xe2\x82\xac \xf0\x9f\x98\x80");   /* UTF-8 stays */
    tsl_json_string(json, NULL, "\xff|\xc0\xaf|\xc3|\xed\xa0\x80|\xe0\x80"); /* what is not, not */
    tsl_json_close_array(json);
}

static void test_strings(void **state)
{
    (void)state;
#define BAD "\xef\xbf\xbd"
    assert_writes(write_strings, "[\n"
                                 "  \"\",\n"
                                 "  \"a \\\"b\\\" \\\\ /c\",\n"
                                 "  \"\\b\\t\\n\\u000b\\f\\r\\u0001\\u001f\\u007f\",\n"
                                 "  \"\xc3\x85 \xe2\x82\xac \xf0\x9f\x98\x80\",\n"
                                 "  \"" BAD "|" BAD BAD "|" BAD "|" BAD BAD BAD "|" BAD BAD "\"\n"
                                 "]\n");
#undef BAD
}

static void write_numbers(tsl_json *json)
{
    static const double values[] = {0,     -0.0,   1,  -1,        0.1, 1.0 / 3,
                                    1e300, 5e-324, 90, 123456789, 1e21};
    tsl_json_open_array(json, NULL);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        tsl_json_number(json, NULL, values[i]);
    }
    tsl_json_number(json, NULL, NAN);
    tsl_json_number(json, NULL, -INFINITY);
    tsl_json_close_array(json);
}

static void test_numbers(void **state)
{
    (void)state;
    assert_writes(write_numbers, "[\n  0,\n  -0,\n  1,\n  -1,\n  0.1,\n  0.3333333333333333,\n"
                                 "  1e+300,\n  5e-324,\n  90,\n  123456789,\n  1e+21,\n  null,\n"
                                 "  null\n]\n");
}

static uint64_t random_bits;

static void write_random(tsl_json *json)
{
    double value;
    memcpy(&value, &random_bits, sizeof value);
    tsl_json_number(json, NULL, value);
}

/* Any double reads back as itself, and no shorter decimal does. */
static void test_numbers_read_back(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (int i = 0; i < 2000; i++) {
        seed = seed * 6364136223846793005U + 1442695040888963407U;
        random_bits = seed ^ seed >> 29;
        double value;
        memcpy(&value, &random_bits, sizeof value);
        if (!isfinite(value)) {
            continue;
        }
        char *text = written(write_random);
        const double back = strtod(text, NULL);
        assert_memory_equal(&back, &value, sizeof value);
        int digits = 0; /* from the first that is not 0 to the last */
        int zeros = 0;
        for (const char *p = text; *p != 0 && *p != 'e'; p++) {
            zeros = *p == '0' ? zeros + (digits > 0) : zeros;
            if (*p >= '1' && *p <= '9') {
                digits += zeros + 1;
                zeros = 0;
            }
        }
        if (digits > 1) {
            char shorter[40];
            snprintf(shorter, sizeof shorter, "%.*e", digits - 2, value);
            assert_true(strtod(shorter, NULL) != value);
        }
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nesting),
        cmocka_unit_test(test_strings),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_numbers_read_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
