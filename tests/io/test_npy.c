/* .npy files: headers good and bad, data kept to the byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/context.h"
#include "io/grid/npy.h"
#include "scratch.h"

/* A file's beginning: magic, version, length, dictionary. */
static size_t make(char *out, int major, const char *text)
{
    const size_t length = strlen(text);
    memcpy(out, "\x93NUMPY", 6);
    out[6] = (char)major;
    out[7] = 0;
    out[8] = (char)(length % 256);
    out[9] = (char)(length / 256);
    out[10] = out[11] = 0;
    const size_t start = major == 1 ? 10 : 12;
    memcpy(out + start, text, length);
    return start + length;
}

typedef struct good {
    int major;
    const char *text;
    const char *type;
    int64_t item;
    bool fortran_order;
    int axes;
    int64_t shape[3];
    int64_t count;
} good;

static const good goods[] = {
    {1,
     "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4, 5), }   \n",
     "<f8",
     8,
     false,
     3,
     {3, 4, 5},
     60},
    {2,
     "{'descr': '>c16', 'fortran_order': True, 'shape': (7, 2)}",
     ">c16",
     16,
     true,
     2,
     {7, 2},
     14},
    {1, "{\"shape\":(9,),\"fortran_order\":False,\"descr\":\"|V4\"}", "|V4", 4, false, 1, {9}, 9},
    {1,
     "{'descr': '<M8[ns]', 'fortran_order': False, 'shape': (2L, 3L)}",
     "<M8[ns]",
     8,
     false,
     2,
     {2, 3},
     6},
    {1, "{'descr': '<U4', 'fortran_order': False, 'shape': ()}", "<U4", 16, false, 0, {0}, 1},
    {3, "{'descr': 'i4', 'fortran_order': False,\r\n 'shape': (5,)}", "=i4", 4, false, 1, {5}, 5},
    {1,
     "{'descr': '=f2', 'fortran_order': False, 'shape': (4, 0, 9)}",
     "=f2",
     2,
     false,
     3,
     {4, 0, 9},
     0}};

static void headers_are_understood(void **state)
{
    (void)state;
    tsl_context context = {0};
    for (size_t i = 0; i < sizeof goods / sizeof *goods; i++) {
        char data[512];
        tsl_npy found;
        const size_t size = make(data, goods[i].major, goods[i].text);
        assert_int_equal(tsl_npy_parse(&found, &context, "good", data, size), TSL_OK);
        assert_string_equal(found.type, goods[i].type);
        assert_int_equal(found.item, goods[i].item);
        assert_int_equal(found.fortran_order, goods[i].fortran_order);
        assert_int_equal(found.axes, goods[i].axes);
        assert_int_equal(found.count, goods[i].count);
        assert_int_equal(found.offset, (int64_t)size);
        for (int axis = 0; axis < found.axes; axis++) {
            assert_int_equal(found.shape[axis], goods[i].shape[axis]);
        }
        for (size_t cut = 0; cut < size; cut++) { /* whatever is missing, it is an error */
            assert_int_not_equal(tsl_npy_parse(&found, &context, "cut", data, cut), TSL_OK);
        }
    }
}

typedef struct bad {
    const char *text;
    tsl_status status;
    const char *words;
} bad;

static const bad bads[] = {
    {"", TSL_E_FORMAT, "no Python dictionary"},
    {"[]", TSL_E_FORMAT, "no Python dictionary"},
    {"{'descr': '<f8', 'fortran_order': False}", TSL_E_FORMAT, "lacks 'shape'"},
    {"{'descr': '<f8', 'descr': '<f8'}", TSL_E_FORMAT, "a second entry 'descr'"},
    {"{'order': 1}", TSL_E_FORMAT, "an unknown entry 'order'"},
    {"{'descr' '<f8'}", TSL_E_FORMAT, "no Python dictionary"},
    {"{'descr': '<f8' 'shape': ()}", TSL_E_FORMAT, "no Python dictionary"},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': ()} 1", TSL_E_FORMAT, "goes on after"},
    {"{'descr': '<f8", TSL_E_FORMAT, "no type of elements"},
    {"{'descr': '<f7'}", TSL_E_FORMAT, "'<f7' is no type"},
    {"{'descr': 'f7'}", TSL_E_FORMAT, "'f7' is no type"},
    {"{'descr': 'O'}", TSL_E_UNSUPPORTED, "Python objects"},
    {"{'descr': '<f8[ns]'}", TSL_E_FORMAT, "is no type"},
    {"{'descr': '<V0'}", TSL_E_FORMAT, "is no type"},
    {"{'descr': '<V99999999999999999999'}", TSL_E_FORMAT, "is no type"},
    {"{'descr': '<M8[012345678901234567890123456789]'}", TSL_E_FORMAT, "is no type"},
    {"{'descr': '|O'}", TSL_E_UNSUPPORTED, "Python objects"},
    {"{'descr': [('a', '<f8')]}", TSL_E_UNSUPPORTED, "one field at a time"},
    {"{'fortran_order': 0}", TSL_E_FORMAT, "neither True nor False"},
    {"{'shape': 3}", TSL_E_FORMAT, "no list of lengths"},
    {"{'shape': (3)}", TSL_E_FORMAT, "a number, not a list"},
    {"{'shape': (3, 4", TSL_E_FORMAT, "does not end"},
    {"{'shape': (3 4)}", TSL_E_FORMAT, "does not end"},
    {"{'shape': (3, -4)}", TSL_E_FORMAT, "no whole number"},
    {"{'shape': (99999999999999999999,)}", TSL_E_FORMAT, "no whole number"},
    {"{'shape': (1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)}", TSL_E_FORMAT,
     "more than 32 lengths"},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (4294967296, 4294967296)}", TSL_E_FORMAT,
     "more than 2^63 bytes"}};

static void damage_is_named(void **state)
{
    (void)state;
    tsl_context context = {0};
    for (size_t i = 0; i < sizeof bads / sizeof *bads; i++) {
        char data[512];
        tsl_npy found = {.item = -1};
        const size_t size = make(data, 1, bads[i].text);
        assert_int_equal(tsl_npy_parse(&found, &context, "bad.npy", data, size), bads[i].status);
        assert_int_equal(found.item, -1);
        if (strstr(context.error, bads[i].words) == NULL ||
            strncmp(context.error, "bad.npy: ", 9) != 0) {
            fail_msg("%s: '%s' lacks '%s'", bads[i].text, context.error, bads[i].words);
        }
    }
    char data[64];
    tsl_npy found;
    assert_int_equal(tsl_npy_parse(&found, &context, "x", "PK\3\4 a zip file", 15), TSL_E_FORMAT);
    assert_non_null(strstr(context.error, "no .npy file"));
    assert_int_equal(tsl_npy_parse(&found, &context, "x", "", 0), TSL_E_FORMAT);
    assert_non_null(strstr(context.error, "x: the file is empty"));
    const size_t size = make(data, 4, "{}");
    assert_int_equal(tsl_npy_parse(&found, &context, "x", data, size), TSL_E_UNSUPPORTED);
    assert_non_null(strstr(context.error, "version 4.0"));
    make(data, 2, "{}");
    data[10] = 2; /* 131074 bytes */
    assert_int_equal(tsl_npy_parse(&found, &context, "x", data, 64), TSL_E_FORMAT);
    assert_non_null(strstr(context.error, "longer than 65536"));
}

/* Numbers of every kind, in both byte orders, each by its bytes. */
static void elements_are_numbers(void **state)
{
    (void)state;
    static const struct {
        const char *type;
        int64_t item;
        unsigned char bytes[16];
        double real, imaginary;
    } rows[] = {
        {"|i1", 1, {0xfe}, -2, 0},
        {"|u1", 1, {0xfe}, 254, 0},
        {"|b1", 1, {1}, 1, 0},
        {"<i2", 2, {0x00, 0xff}, -256, 0},
        {">i2", 2, {0xff, 0x00}, -256, 0},
        {">u2", 2, {0xff, 0x00}, 65280, 0},
        {"<i4", 4, {0xfd, 0xff, 0xff, 0xff}, -3, 0},
        {">i4", 4, {0xff, 0xff, 0xff, 0xfd}, -3, 0},
        {">u4", 4, {0xff, 0xff, 0xff, 0xfd}, 4294967293.0, 0},
        {">i8", 8, {0, 0, 0, 1, 0, 0, 0, 0}, 4294967296.0, 0},
        {"<u8", 8, {0, 0, 0, 0, 0, 0, 0, 0x80}, 9223372036854775808.0, 0},
        {"<f2", 2, {0x00, 0x3e}, 1.5, 0},
        {">f2", 2, {0xfb, 0xff}, -65504, 0},
        {"<f2", 2, {0x01, 0x00}, 0x1p-24, 0},
        {"<f2", 2, {0x00, 0x7c}, INFINITY, 0},
        {"<f4", 4, {0, 0, 0xc0, 0xbf}, -1.5, 0},
        {">f4", 4, {0xbf, 0xc0, 0, 0}, -1.5, 0},
        {"<f8", 8, {0, 0, 0, 0, 0, 0, 0xf8, 0xbf}, -1.5, 0},
        {">f8", 8, {0xbf, 0xf8, 0, 0, 0, 0, 0, 0}, -1.5, 0},
        {">c8", 8, {0xbf, 0xc0, 0, 0, 0x3f, 0x80, 0, 0}, -1.5, 1},
        {"<c16", 16, {0, 0, 0, 0, 0, 0, 0xf8, 0xbf, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f}, -1.5, 1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tsl_npy header = {.item = rows[i].item};
        double imaginary = -7;
        strcpy(header.type, rows[i].type);
        assert_true(tsl_npy_has_numbers(&header));
        const double real = tsl_npy_number(&header, rows[i].bytes, 0, &imaginary);
        assert_true(real == rows[i].real && imaginary == rows[i].imaginary);
        assert_int_equal(tsl_npy_has_integers(&header), strchr("iu", header.type[1]) != NULL);
    }
    const long double third = 1.0L / 3;
    tsl_npy wide = {.type = "=f16", .item = 16};
    double imaginary;
    if (tsl_npy_has_numbers(&wide)) {
        assert_true(tsl_npy_number(&wide, &third, 0, &imaginary) == 1.0 / 3);
    }
    static const char *const others[] = {"<M8[s]", "|V8", "|S8", "<U2", ">f16"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        tsl_npy header = {.item = i < 4 ? 8 : 16};
        strcpy(header.type, others[i]);
        assert_false(tsl_npy_has_numbers(&header));
    }
}

static tsl_context *open_context(void)
{
    tsl_context_options options = TSL_CONTEXT_OPTIONS_INIT;
    options.device = "cpu";
    tsl_context *context = NULL;
    assert_int_equal(tsl_context_create(&context, &options), TSL_OK);
    return context;
}

static void what_is_written_reads_back(void **state)
{
    (void)state;
    const char *path = scratch_path("a.npy");
    tsl_context *context = open_context();
    for (int axes = 0; axes <= 32; axes += axes == 3 ? 29 : 1) {
        tsl_npy header = {.type = ">f4", .item = 4, .fortran_order = axes == 2, .axes = axes};
        int count = 1;
        for (int i = 0; i < axes; i++) {
            header.shape[i] = axes < 4 ? i + 2 : 1;
            count *= (int)header.shape[i];
        }
        unsigned char data[256], *back = NULL;
        for (int i = 0; i < 4 * count; i++) {
            data[i] = (unsigned char)(3 * i);
        }
        tsl_npy found;
        void *read = NULL;
        assert_int_equal(tsl_npy_write(context, path, &header, data), TSL_OK);
        assert_int_equal(tsl_npy_read(&found, &read, context, path), TSL_OK);
        back = read;
        assert_string_equal(found.type, ">f4");
        assert_int_equal(found.fortran_order, header.fortran_order);
        assert_int_equal(found.axes, axes);
        assert_memory_equal(found.shape, header.shape, sizeof *header.shape * (size_t)axes);
        assert_int_equal(found.count, count);
        assert_int_equal(found.offset % 64, 0);
        assert_memory_equal(back, data, 4 * (size_t)count);
        tsl_release(read);
    }
    tsl_context_destroy(context);
}

static void files_that_lie_are_refused(void **state)
{
    (void)state;
    const char *path = scratch_path("b.npy");
    tsl_context *context = open_context();
    const tsl_npy header = {.type = "<i8", .item = 8, .axes = 1, .shape = {5}};
    const int64_t data[6] = {1, 2, 3, 4, 5, 6};
    tsl_npy found;
    void *read = NULL;
    assert_int_equal(tsl_npy_read(&found, &read, context, path), TSL_E_IO);
    assert_int_equal(tsl_npy_write(context, path, &header, data), TSL_OK);
    assert_int_equal(truncate(path, 128 + 41), 0);
    assert_int_equal(tsl_npy_read(&found, &read, context, path), TSL_E_FORMAT);
    assert_non_null(strstr(tsl_last_error(context), "holds 41 bytes"));
    assert_int_equal(truncate(path, 128 + 39), 0);
    assert_int_equal(tsl_npy_read(&found, &read, context, path), TSL_E_FORMAT);
    assert_non_null(strstr(tsl_last_error(context), "where its header says 40"));
    assert_int_equal(truncate(path, 30), 0);
    assert_int_equal(tsl_npy_read(&found, &read, context, path), TSL_E_FORMAT);
    assert_non_null(strstr(tsl_last_error(context), "cut short"));
    assert_null(read);
    const int64_t live = tsl_test_live_allocations();
    assert_int_equal(tsl_npy_write(context, path, &header, data), TSL_OK);
    tsl_status status = TSL_E_NOMEM;
    int failures = 0;
    for (int k = 1; status == TSL_E_NOMEM; k++, failures++) {
        tsl_test_fail_allocation(k);
        status = tsl_npy_read(&found, &read, context, path);
        tsl_test_fail_allocation(0);
        assert_int_equal(tsl_test_live_allocations(), live + (status == TSL_OK));
    }
    assert_int_equal(status, TSL_OK);
    assert_int_equal(failures, 4);
    tsl_release(read);
    tsl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(headers_are_understood), cmocka_unit_test(damage_is_named),
        cmocka_unit_test(elements_are_numbers), cmocka_unit_test(what_is_written_reads_back),
        cmocka_unit_test(files_that_lie_are_refused)};
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
