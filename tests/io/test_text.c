/* Whole text files, their lines and numbers. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/config.h"
#include "io/file/text.h"
#include "io/reading.h"

static void read_fails(reading *r, const char *path, size_t limit, tsl_status status,
                       const char *part)
{
    tsl_text text = {0};
    assert_int_equal(tsl_text_read(&text, &r->context, path, limit), status);
    assert_null(text.data);
    assert_non_null(strstr(r->context.error, part));
    assert_non_null(strstr(r->context.error, path));
    assert_null(strchr(r->context.error, '\n'));
}

static void reads_a_plain_file_whole(void **state)
{
    reading *r = *state;
    static char data[300000]; /* more than the first buffer holds */
    for (size_t i = 0; i < sizeof data; i++) {
        data[i] = (char)(i * 7 % 251);
    }
    const size_t sizes[] = {0, 1, 65535, 65536, 65537, 131072, sizeof data};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        tsl_text text = {0};
        const char *path = reading_write("plain", data, sizes[i]);
        const int64_t bytes = (int64_t)sizes[i];
        tsl_test_own_peak();
        assert_int_equal(tsl_text_read(&text, &r->context, path, TSL_TEXT_LIMIT), TSL_OK);
        assert_true(tsl_test_own_peak() <= (bytes > 65536 ? bytes : 65536) + 24576);
        assert_int_equal(text.size, sizes[i]);
        assert_memory_equal(text.data, data, sizes[i]);
        tsl_text_release(&text);
        assert_null(text.data);
    }
}

static void limits_the_size(void **state)
{
    reading *r = *state;
    const char *path = reading_write("limited", "0123456789", 10);
    tsl_text text = {0};
    assert_int_equal(tsl_text_read(&text, &r->context, path, 10), TSL_OK);
    assert_int_equal(text.size, 10);
    tsl_text_release(&text);
    read_fails(r, path, 9, TSL_E_FORMAT, "longer than 9 B");
}

static bool begins_with_a(const char *data, size_t size)
{
    return size >= TSL_TEXT_BEGINNING && data[0] == 'a';
}

/* A stream that has no end is refused by its beginning, and not read further. */
static void looks_at_the_beginning(void **state)
{
    reading *r = *state;
    char data[TSL_TEXT_BEGINNING + 1];
    tsl_text text = {0};
    assert_int_equal(tsl_text_read_if(&text, &r->context, "/dev/zero", SIZE_MAX / 4, begins_with_a),
                     TSL_OK);
    assert_int_equal(text.size, TSL_TEXT_BEGINNING);
    tsl_text_release(&text);
    /* bytes at random have one of 0 among the first */
    assert_int_equal(
        tsl_text_read_if(&text, &r->context, "/dev/urandom", SIZE_MAX / 4, tsl_text_is), TSL_OK);
    assert_int_equal(text.size, TSL_TEXT_BEGINNING);
    tsl_text_release(&text);
    memset(data, 'a', sizeof data);
    const size_t sizes[] = {0, TSL_TEXT_BEGINNING - 1, sizeof data};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const char *path = reading_write("begins", data, sizes[i]);
        assert_int_equal(tsl_text_read_if(&text, &r->context, path, sizeof data, begins_with_a),
                         TSL_OK);
        assert_int_equal(text.size, sizes[i]);
        tsl_text_release(&text);
    }
}

static void names_what_cannot_be_read(void **state)
{
    reading *r = *state;
    const char *link = reading_scratch("link");
    assert_int_equal(symlink("nowhere", link), 0);
    read_fails(r, link, 100, TSL_E_IO, ", which is not there");
    assert_int_equal(unlink(link), 0);
    read_fails(r, "/nonexistent/file.pdb", 100, TSL_E_IO, "No such file or directory");
    read_fails(r, "/", 100, TSL_E_IO, "Is a directory");
}

#ifdef TSL_HAVE_ZLIB

#include <zlib.h>

/* Append a gzip member; returns its size. */
static size_t pack(unsigned char *out, size_t room, const char *data, size_t size)
{
    z_stream stream = {0};
    assert_int_equal(deflateInit2(&stream, 9, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY),
                     Z_OK);
    stream.next_in = (z_const Bytef *)data;
    stream.avail_in = (uInt)size;
    stream.next_out = out;
    stream.avail_out = (uInt)room;
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    const size_t packed = room - stream.avail_out;
    deflateEnd(&stream);
    return packed;
}

static void inflates_gzip_by_content(void **state)
{
    reading *r = *state;
    static char data[200000];
    static unsigned char packed[250000];
    for (size_t i = 0; i < sizeof data; i++) {
        data[i] = (char)('a' + i * i % 26);
    }
    const size_t sizes[] = {0, 1, 65536, 131072, sizeof data};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        tsl_text text = {0};
        const size_t size = pack(packed, sizeof packed, data, sizes[i]);
        const char *path = reading_write("packed.txt", packed, size);
        tsl_input *input;
        assert_int_equal(tsl_input_open(&input, &r->context, path), TSL_OK);
        assert_int_equal(tsl_input_expected(input), sizes[i]);
        assert_int_equal(tsl_input_left(input), -1);
        tsl_input_close(input);
        assert_int_equal(tsl_text_read(&text, &r->context, path, TSL_TEXT_LIMIT), TSL_OK);
        assert_int_equal(text.size, sizes[i]);
        assert_memory_equal(text.data, data, sizes[i]);
        tsl_text_release(&text);
    }
}

static void joins_gzip_members(void **state)
{
    reading *r = *state;
    unsigned char packed[256];
    size_t size = pack(packed, sizeof packed, "first ", 6);
    size += pack(packed + size, sizeof packed - size, "second", 6);
    memset(packed + size, 0, 20); /* padding, as tapes have it */
    const char *path = reading_write("members.gz", packed, size + 20);
    tsl_text text = {0};
    assert_int_equal(tsl_text_read(&text, &r->context, path, TSL_TEXT_LIMIT), TSL_OK);
    assert_int_equal(text.size, 12);
    assert_memory_equal(text.data, "first second", 12);
    tsl_text_release(&text);
}

static void limits_the_inflated_size(void **state)
{
    reading *r = *state;
    static char data[100000];
    unsigned char packed[1024];
    const size_t size = pack(packed, sizeof packed, data, sizeof data);
    const char *path = reading_write("bomb.gz", packed, size);
    read_fails(r, path, 70000, TSL_E_FORMAT, "longer than 68.4 KiB");
    read_fails(r, path, sizeof data - 1, TSL_E_FORMAT, "longer than");
    tsl_text text = {0};
    assert_int_equal(tsl_text_read(&text, &r->context, path, sizeof data), TSL_OK);
    assert_int_equal(text.size, sizeof data);
    tsl_text_release(&text);
}

static void finds_damaged_gzip(void **state)
{
    reading *r = *state;
    unsigned char packed[256];
    const char *words = "some words that are long enough to be cut in the middle of them";
    const size_t size = pack(packed, sizeof packed, words, strlen(words));
    for (size_t cut = 2; cut < size; cut++) {
        read_fails(r, reading_write("cut.gz", packed, cut), TSL_TEXT_LIMIT, TSL_E_FORMAT,
                   "ends too early");
    }
    packed[size - 6] ^= 1; /* in the checksum */
    read_fails(r, reading_write("sum.gz", packed, size), TSL_TEXT_LIMIT, TSL_E_FORMAT,
               "damaged gzip data");
    read_fails(r, reading_write("junk.gz", "\x1f\x8b\x08\x00junkjunkjunkjunk", 20), TSL_TEXT_LIMIT,
               TSL_E_FORMAT, "damaged gzip data");
}

static void survives_each_failed_allocation(void **state)
{
    reading *r = *state;
    static char data[150000];
    static unsigned char packed[151000];
    const size_t size = pack(packed, sizeof packed, data, sizeof data);
    const char *path = reading_write("memory.gz", packed, size);
    tsl_text text = {0};
    tsl_test_fail_allocation(0);
    assert_int_equal(tsl_text_read(&text, &r->context, path, TSL_TEXT_LIMIT), TSL_OK);
    tsl_text_release(&text);
    const int64_t allocations = tsl_test_fail_allocation(0);
    assert_true(allocations >= 3);
    for (int64_t k = 1; k <= allocations; k++) {
        tsl_test_fail_allocation(k);
        const tsl_status status = tsl_text_read(&text, &r->context, path, TSL_TEXT_LIMIT);
        tsl_test_fail_allocation(0);
        assert_int_equal(status, TSL_E_NOMEM);
        assert_int_equal(tsl_test_live_allocations(), r->live);
        assert_non_null(strstr(r->context.error, "out of memory"));
    }
}

#else

static void tells_that_zlib_is_missing(void **state)
{
    read_fails(*state, reading_write("packed.gz", "\x1f\x8b\x08\x00", 4), TSL_TEXT_LIMIT,
               TSL_E_UNSUPPORTED, "no zlib: gunzip it first");
}

#endif

static void splits_lines(void **state)
{
    (void)state;
    const char data[] = "one\ntwo\r\n\r\nfour\rfive\n\nseven";
    const char *expected[] = {"one", "two", "", "four", "five", "", "seven"};
    tsl_lines lines = tsl_lines_of(data, sizeof data - 1);
    const char *line;
    size_t length;
    for (int64_t i = 0; i < 7; i++) {
        assert_true(tsl_lines_next(&lines, &line, &length));
        assert_int_equal(lines.number, i + 1);
        assert_int_equal(length, strlen(expected[i]));
        assert_memory_equal(line, expected[i], length);
    }
    assert_false(tsl_lines_next(&lines, &line, &length));
    lines = tsl_lines_of("\xef\xbb\xbfone\n", 7); /* a byte-order mark */
    assert_true(tsl_lines_next(&lines, &line, &length));
    assert_int_equal(length, 3);
    assert_memory_equal(line, "one", 3);
    lines = tsl_lines_of("", 0);
    assert_false(tsl_lines_next(&lines, &line, &length));
    lines = tsl_lines_of("\n", 1);
    assert_true(tsl_lines_next(&lines, &line, &length));
    assert_int_equal(length, 0);
    assert_false(tsl_lines_next(&lines, &line, &length));
}

static void parses_whole_decimals(void **state)
{
    (void)state;
    const char *good[] = {"0",
                          "-0.0",
                          "1",
                          "12.345",
                          " -7.25\t",
                          "+.5",
                          "5.",
                          "1e3",
                          "2.5E-3",
                          "9999.999",
                          "1e+22",
                          "1e-22",
                          "0.1",
                          "-999.999",
                          "00012.50",
                          "1e308",
                          "123456789012345",
                          "4.9e-324",
                          "1234567890123456789012.5",
                          "0.12345678901234567890123",
                          "9007199254740993", /* halves between two doubles */
                          "9007199254740993.0000000000000000000000000000001",
                          "1.00000000000000011102230246251565404e0",
                          "1.7976931348623158e308",  /* just not infinite */
                          "2.2250738585072011e-308", /* subnormal */
                          "2.4703282292062328e-324",
                          "1e-400",
                          "1e-999",
                          "1e-99999999999999999999",
                          "0e99999999999",
                          "-1e-999",
                          "0e999",
                          "1e-5000000000"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        double value = -1;
        assert_true(tsl_parse_decimal(good[i], strlen(good[i]), &value));
        const double expected = strtod(good[i], NULL);
        assert_memory_equal(&value, &expected, sizeof value);
    }
    const char *bad[] = {"",       " ",     "-",        ".",   "+.",          "1.2.3",
                         "1,5",    "0x10",  "inf",      "nan", "-Inf",        "1e",
                         "1e+",    "1e 3",  "12 3",     "- 1", "1e999",       "1.5f",
                         "1e9999", "1e--2", "********", "--1", "1e5000000000"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        double value = -1;
        assert_false(tsl_parse_decimal(bad[i], strlen(bad[i]), &value));
        assert_true(value < 0); /* untouched */
    }
}

/* Numbers of hundreds of digits: no digit that decides the rounding is passed over. */
static void reads_any_number_of_digits(void **state)
{
    (void)state;
    static const struct {
        const char *before, *digit, *after;
        int times;
        double value;
    } rows[] = {{"0.", "0", "25e401", 400, 2.5},
                {"1", "0", "e-399", 400, 10},
                {"0.", "3", "", 1000, 1.0 / 3},
                {"1.", "0", "1", 900, 1},
                {"9007199254740993.", "0", "1", 1000, 9007199254740994.0},
                {"9007199254740993.", "0", "", 1000, 9007199254740992.0},
                {"0.", "0", "1", 400, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[1200] = "";
        double value = -1;
        strcat(text, rows[i].before);
        for (int k = 0; k < rows[i].times; k++) {
            strcat(text, rows[i].digit);
        }
        strcat(text, rows[i].after);
        assert_true(tsl_parse_decimal(text, strlen(text), &value));
        assert_memory_equal(&value, &rows[i].value, sizeof value);
    }
}

static void says_why_a_field_is_no_number(void **state)
{
    (void)state;
    static const char *const rows[][2] = {{"1e999", "beyond what double precision holds"},
                                          {"-1.0D+999", "beyond what double precision holds"},
                                          {"0.123+999", "beyond what double precision holds"},
                                          {"*******", "Fortran writes stars"},
                                          {"nan", "no finite number"},
                                          {"", "no finite number"},
                                          {"1,5", "no finite number"},
                                          {"0x1p3", "no finite number"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_non_null(strstr(tsl_number_fault(rows[i][0], strlen(rows[i][0])), rows[i][1]));
    }
}

static void rounds_decimals_as_strtod_does(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (int i = 0; i < 200000; i++) {
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        char text[32];
        const long whole = (long)(seed >> 40) % 10000;
        const long part = (long)(seed >> 20) % 1000000;
        snprintf(text, sizeof text, i % 2 == 0 ? "%ld.%03ld" : "-%ld.%06ld", whole,
                 i % 2 == 0 ? part % 1000 : part);
        double value = 0;
        assert_true(tsl_parse_decimal(text, strlen(text), &value));
        const double expected = strtod(text, NULL);
        assert_memory_equal(&value, &expected, sizeof value);
    }
}

/* Random digits and powers of ten of all sizes are rounded as strtod() rounds them. */
static void rounds_long_decimals_as_strtod_does(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (int i = 0; i < 200000; i++) {
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        char text[64];
        const int power = (int)(seed >> 33) % 330 - (i % 2 == 0 ? 325 : 20);
        snprintf(text, sizeof text, "%llu.%05llue%d", (unsigned long long)(seed >> i % 60),
                 (unsigned long long)(seed >> 40) % 100000, power);
        double value = -1;
        const double expected = strtod(text, NULL);
        assert_int_equal(tsl_parse_decimal(text, strlen(text), &value), isfinite(expected));
        assert_true(!isfinite(expected) || memcmp(&value, &expected, sizeof value) == 0);
    }
}

/* Numbers of up to 3 000 digits, some of them halves between two doubles, where the last digit
 * decides. */
static void parses_decimals_of_any_length(void **state)
{
    (void)state;
    enum { MOST = 3000 };
    static char text[MOST + 64];
    static const char *const forms[] = {
        "1.%0*d1",      "0.%0*d7e900", "9007199254740993.%0*d1", "-9007199254740993.%0*d0",
        "7%0*d5e-1010", "%0*d12.5"};
    for (size_t form = 0; form < sizeof forms / sizeof *forms; form++) {
        for (int digits = 1; digits < MOST; digits += digits < 1000 ? 37 : 777) {
            const int length = snprintf(text, sizeof text, forms[form], digits, 0);
            double value = -1;
            const double expected = strtod(text, NULL);
            assert_int_equal(tsl_parse_decimal(text, (size_t)length, &value), isfinite(expected));
            assert_int_equal(tsl_is_beyond_double(text, (size_t)length), !isfinite(expected));
            assert_true(!isfinite(expected) || memcmp(&value, &expected, sizeof value) == 0);
        }
    }
    static const char *const beyond[] = {"1e999", "-2D400", "1e+5000000000", "1.8-999", "1.8e308"};
    for (size_t i = 0; i < sizeof beyond / sizeof *beyond; i++) {
        const bool fits = i == 3; /* Fortran's form: 1.8e-999 */
        assert_int_equal(tsl_is_beyond_double(beyond[i], strlen(beyond[i])), !fits);
    }
    static const char *const others[] = {"inf", "1e", "nan", "0x1p9999", "1e3", "", "e999"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        assert_false(tsl_is_beyond_double(others[i], strlen(others[i])));
    }
}

static void parses_whole_integers(void **state)
{
    (void)state;
    const struct {
        const char *text;
        int32_t value;
    } good[] = {{"0", 0},
                {" 42 ", 42},
                {"-7", -7},
                {"+3", 3},
                {"2147483647", INT32_MAX},
                {"-2147483648", INT32_MIN},
                {"0012", 12}};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        int32_t value = -99;
        assert_true(tsl_parse_integer(good[i].text, strlen(good[i].text), &value));
        assert_int_equal(value, good[i].value);
    }
    const char *bad[] = {"",     "-",   "1.0",        "12a",         "1 2",
                         "A000", "--1", "2147483648", "-2147483649", "99999999999999999999"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        int32_t value = -99;
        assert_false(tsl_parse_integer(bad[i], strlen(bad[i]), &value));
        assert_int_equal(value, -99);
    }
}

static void quotes_in_one_printable_line(void **state)
{
    (void)state;
    char out[TSL_QUOTE_TEXT];
    assert_string_equal(tsl_quote(out, "1.2\n\t\x7f\xff", 7), "1.2????");
    assert_string_equal(tsl_quote(out, "", 0), "");
    const char *longest = "abcdefghijklmnopqrstuvwxyz01234";
    assert_string_equal(tsl_quote(out, longest, 31), longest);
    assert_string_equal(tsl_quote(out, "abcdefghijklmnopqrstuvwxyz012345", 32),
                        "abcdefghijklmnopqrstuvwxyz01...");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, reading_setup, reading_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(reads_a_plain_file_whole),
        TEST(limits_the_size),
        TEST(looks_at_the_beginning),
        TEST(names_what_cannot_be_read),
#ifdef TSL_HAVE_ZLIB
        TEST(inflates_gzip_by_content),
        TEST(joins_gzip_members),
        TEST(limits_the_inflated_size),
        TEST(finds_damaged_gzip),
        TEST(survives_each_failed_allocation),
#else
        TEST(tells_that_zlib_is_missing),
#endif
        TEST(splits_lines),
        TEST(parses_whole_decimals),
        TEST(reads_any_number_of_digits),
        TEST(says_why_a_field_is_no_number),
        TEST(rounds_decimals_as_strtod_does),
        TEST(rounds_long_decimals_as_strtod_does),
        TEST(parses_decimals_of_any_length),
        TEST(parses_whole_integers),
        TEST(quotes_in_one_printable_line),
    };
    return cmocka_run_group_tests(tests, NULL, reading_remove_scratch);
}
