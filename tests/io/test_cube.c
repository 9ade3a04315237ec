/* Cube files: what is read, what is written, and each way to be wrong, with its line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "io/grid/cube.h"
#include "scratch.h"

#define HEADER " title\n comment\n    1   -1.0 0.5 2e0\n"
#define ORBITAL " title\n comment\n   -1   -1.0 0.5 2e0\n"
#define AXES "    2    0.25 0.0 0.0\n    1    0.0 0.5 0.0\n    3    0.0 0.0 0.75\n"
#define ATOM "    8    6.5   1.0 2.0 3.0\n"
#define VALUES " 1.0 -2.5E-01 3\n 4\t5e3 6\n"

static const char good[] = HEADER AXES ATOM VALUES;

static void assert_good(const tsl_cube *cube)
{
    static const double values[] = {1, -0.25, 3, 4, 5000, 6};
    static const double step[] = {0.25, 0.5, 0.75};
    static const double origin[] = {-1, 0.5, 2};
    static const double at[] = {1, 2, 3};
    assert_int_equal(cube->n[0], 2);
    assert_int_equal(cube->n[1], 1);
    assert_int_equal(cube->n[2], 3);
    assert_memory_equal(cube->step, step, sizeof step);
    assert_memory_equal(cube->origin, origin, sizeof origin);
    assert_int_equal(cube->atoms, 1);
    assert_int_equal(cube->atom[0].number, 8);
    assert_true(cube->atom[0].charge == 6.5);
    assert_memory_equal(cube->atom[0].at, at, sizeof at);
    assert_memory_equal(cube->values, values, sizeof values);
}

static void a_cube_is_read(void **state)
{
    (void)state;
    tsl_context context = {0};
    tsl_cube cube;
    assert_int_equal(tsl_cube_parse(&cube, &context, "a.cube", good, sizeof good - 1), TSL_OK);
    assert_good(&cube);
    tsl_cube_release(&cube);
    tsl_cube_release(&cube);
}

static void what_is_written_is_read(void **state)
{
    (void)state;
    tsl_context context = {0};
    tsl_cube cube, back;
    const char *path = scratch_path("out.cube");
    assert_int_equal(tsl_cube_parse(&cube, &context, "a.cube", good, sizeof good - 1), TSL_OK);
    const tsl_cube_field field = {"potential", 1, 8, cube.values};
    assert_int_equal(tsl_cube_write(&context, path, &cube, &field), TSL_OK);
    assert_int_equal(tsl_cube_read(&back, &context, path), TSL_OK);
    assert_good(&back);
    tsl_cube_release(&back);
    tsl_input *input;
    assert_int_equal(tsl_input_open(&input, &context, path), TSL_OK);
    assert_int_equal(tsl_cube_open(&back, input), TSL_OK);
    assert_memory_equal(back.n, cube.n, sizeof cube.n);
    assert_memory_equal(back.step, cube.step, sizeof cube.step);
    assert_true(back.atom == NULL && back.values == NULL);
    assert_int_equal(tsl_cube_load(&back, input), TSL_OK);
    assert_good(&back);
    tsl_cube_release(&back);
    tsl_input_close(input);
    tsl_cube_release(&cube);
    assert_int_equal(tsl_cube_read(&back, &context, scratch_path("none.cube")), TSL_E_IO);
    assert_error_names(&context, "none.cube");
    scratch_empty();
}

/* Fortran's letter, and its exponents of three digits, which have none. */
static void fortran_s_numbers_are_read(void **state)
{
    (void)state;
    static const char text[] = HEADER AXES ATOM " 1.0D-05 -0.12345-100 1.5+101\n 2d3 .5E2 1.e-5\n";
    static const double values[] = {1e-5, -0.12345e-100, 1.5e101, 2000, 50, 1e-5};
    static const char *const wrong[] = {"1.0-2.0", "1.0-22",  "1.0E-5-100", "-100",
                                        "1.0D",    "D05",     "1.0-1000",   "1-0-100",
                                        "+-100",   "1.5+400", "12345+05"};
    tsl_context context = {0};
    tsl_cube cube;
    assert_int_equal(tsl_cube_parse(&cube, &context, "a.cube", text, sizeof text - 1), TSL_OK);
    assert_memory_equal(cube.values, values, sizeof values);
    tsl_cube_release(&cube);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char bad[sizeof good + 64];
        const int length = snprintf(bad, sizeof bad, HEADER AXES ATOM " 1 2 3 4 5 %s\n", wrong[i]);
        const tsl_status status = tsl_cube_parse(&cube, &context, "a.cube", bad, (size_t)length);
        if (strcmp(wrong[i], "-100") == 0) { /* a number like any other */
            assert_int_equal(status, TSL_OK);
            assert_true(cube.values[5] == -100);
            tsl_cube_release(&cube);
        } else {
            assert_int_equal(status, TSL_E_FORMAT);
            assert_error_names(&context, strcmp(wrong[i], "1.5+400") == 0 ? "is beyond what"
                                                                          : "is no finite number");
        }
    }
}

/* One field behind a line with its id, as of an orbital. */
static void a_field_with_an_id_is_read(void **state)
{
    (void)state;
    static const char text[] = ORBITAL AXES ATOM "    1   36\n" VALUES;
    tsl_context context = {0};
    tsl_cube cube;
    assert_int_equal(tsl_cube_parse(&cube, &context, "a.cube", text, sizeof text - 1), TSL_OK);
    assert_good(&cube);
    assert_true(cube.has_id && cube.id == 36);
    assert_string_equal(cube.title[0], "title");
    tsl_cube_release(&cube);
}

/* Lengths in angstrom, which negative numbers of samples mean. */
static void angstrom_become_bohr(void **state)
{
    (void)state;
    static const char text[] =
        " t\n c\n 1 0.529177210903 0 1.058354421806\n -2 0.529177210903 0 0\n -1 0 1.058354421806 "
        "0\n"
        " -3 0 0 2.116708843612\n 8 6.5 0.529177210903 0 -0.529177210903\n" VALUES;
    static const double origin[] = {1, 0, 2}, step[] = {1, 2, 4}, at[] = {1, 0, -1};
    tsl_context context = {0};
    tsl_cube cube;
    assert_int_equal(tsl_cube_parse(&cube, &context, "a.cube", text, sizeof text - 1), TSL_OK);
    assert_true(cube.angstrom);
    assert_true(cube.n[0] == 2 && cube.n[1] == 1 && cube.n[2] == 3);
    for (int axis = 0; axis < 3; axis++) {
        assert_true(fabs(cube.origin[axis] - origin[axis]) < 1e-14);
        assert_true(fabs(cube.step[axis] - step[axis]) < 1e-14);
        assert_true(fabs(cube.atom[0].at[axis] - at[axis]) < 1e-14);
    }
    assert_true(cube.atom[0].charge == 6.5);
    tsl_cube_release(&cube);
}

/* Half a unit of each value's last digit, summed. */
static void open_digits_are_added_up(void **state)
{
    (void)state;
    static const char text[] =
        HEADER AXES ATOM " 1.00000E+00 -2.50000E-01 3.0\n 4 5.00D+03 0.00000E+00\n";
    const double wanted = 5e-6 + 5e-7 + 0.05 + 0.5 + 5;
    tsl_context context = {0};
    tsl_cube cube;
    assert_int_equal(tsl_cube_parse(&cube, &context, "a.cube", text, sizeof text - 1), TSL_OK);
    assert_true(fabs(cube.open_digits - wanted) < 1e-12);
    tsl_cube_release(&cube);
}

/* The first lines, however long they are. */
static void long_comments_are_passed_over(void **state)
{
    (void)state;
    enum { LONG = 300000 };
    tsl_context context = {0};
    tsl_cube cube;
    char *text = malloc(LONG + sizeof good);
    assert_non_null(text);
    memset(text, 'x', LONG);
    memcpy(text + LONG, good, sizeof good);
    scratch_write_text(scratch_path("long.cube"), text);
    free(text);
    assert_int_equal(tsl_cube_read(&cube, &context, scratch_path("long.cube")), TSL_OK);
    assert_good(&cube);
    tsl_cube_release(&cube);
    scratch_empty();
}

/* Six digits after the point, as programs expect, unless they would be another number. */
static void headers_keep_their_numbers(void **state)
{
    (void)state;
    tsl_context context = {0};
    tsl_cube back;
    const double values[2] = {1, 2};
    tsl_cube_atom atom = {1, 1.0 / 3, {1e30, -1e-300, 0.5}};
    const tsl_cube cube = {.n = {2, 1, 1},
                           .origin = {-0.123456789, 0, 12.5},
                           .step = {1e-7, 0.123456789, 1.0 / 7},
                           .atoms = 1,
                           .atom = &atom};
    const tsl_cube_field field = {"potential", 1, 8, values};
    const char *path = scratch_path("out.cube");
    assert_int_equal(tsl_cube_write(&context, path, &cube, &field), TSL_OK);
    assert_int_equal(tsl_cube_read(&back, &context, path), TSL_OK);
    assert_memory_equal(back.origin, cube.origin, sizeof cube.origin);
    assert_memory_equal(back.step, cube.step, sizeof cube.step);
    assert_true(back.atom[0].charge == atom.charge);
    assert_memory_equal(back.atom[0].at, atom.at, sizeof atom.at);
    tsl_cube_release(&back);
    char *text = scratch_read(path, NULL);
    assert_contains(text, "\n    1 -0.123456789    0.000000   12.500000\n");
    free(text);
    scratch_empty();
}

static void faults_are_named_with_their_line(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        tsl_status status;
        const char *words;
    } rows[] = {
        {"", TSL_E_FORMAT, "a.cube: the file is empty"},
        {"one\ntwo\nthree\n", TSL_E_FORMAT, "a.cube:3: not a cube file"},
        {"a\nb\n 1 0.0 0.0\n", TSL_E_FORMAT, "a.cube:3: not a cube file"},
        {"a\nb\n -3 0 0 0\n", TSL_E_FORMAT, "a.cube:3: more atoms"},
        {"a\nb\n 3 0 0 0 2\n", TSL_E_UNSUPPORTED, "a.cube:3: holds 2 fields"},
        {ORBITAL AXES ATOM "2 5 6\n" VALUES, TSL_E_UNSUPPORTED, "a.cube:8: holds 2 fields"},
        {ORBITAL AXES ATOM VALUES, TSL_E_FORMAT, "a.cube:8: a negative number of atoms"},
        {ORBITAL AXES ATOM "1\n" VALUES, TSL_E_FORMAT, "a.cube:8: a negative number of atoms"},
        {"a\nb\n 300 0 0 0\n", TSL_E_FORMAT, "a.cube:3: more atoms"},
        {HEADER "2 0.25\n", TSL_E_FORMAT, "a.cube:4: not an axis"},
        {"a\n 1 0 0 0\n" AXES ATOM VALUES, TSL_E_FORMAT,
         "a.cube:2: reads as the number of atoms and the origin"},
        {" 1 0 0 0 1\n" AXES ATOM VALUES, TSL_E_FORMAT,
         "a.cube:1: reads as the number of atoms and the origin"},
        {HEADER "2 0.25 0 0\n1 0 0.5 0\n" ATOM VALUES, TSL_E_FORMAT, "a.cube:6: not an axis"},
        {HEADER "0 0.25 0 0\n", TSL_E_FORMAT, "a.cube:4: the number of samples"},
        {HEADER "-2147483648 0.25 0 0\n", TSL_E_FORMAT, "a.cube:4: the number of samples"},
        {HEADER "-2 0.25 0 0\n1 0 0.5 0\n", TSL_E_FORMAT, "a.cube:5: negative numbers"},
        {HEADER "2 0.25 0 0\n-1 0 0.5 0\n", TSL_E_FORMAT, "a.cube:5: negative numbers"},
        {HEADER "2 -0.25 0 0\n", TSL_E_FORMAT, "a.cube:4: the step"},
        {HEADER "2 0.25 0 0\n1 0.1 0.5 0\n", TSL_E_UNSUPPORTED, "a.cube:5: the cell is triclinic"},
        {HEADER "2 0 0 0.25\n", TSL_E_UNSUPPORTED, "a.cube:4: the cell is triclinic"},
        {HEADER AXES " 8 6.5 1 2\n" VALUES, TSL_E_FORMAT, "a.cube:7: not an atom"},
        {HEADER AXES ATOM " 1 2 3\n 4 nan 6\n", TSL_E_FORMAT, "a.cube:9: 'nan' is no finite"},
        {HEADER AXES ATOM " 1 2 3\n 4 1e999 6\n", TSL_E_FORMAT,
         "a.cube:9: '1e999' is beyond what double precision holds"},
        {HEADER AXES ATOM " 1 2 3\n 4 **** 6\n", TSL_E_FORMAT, "Fortran writes stars"},
        {HEADER AXES ATOM " 1 2 3\n 4 5\n", TSL_E_FORMAT, "a.cube:9: the file ends after 5 of 6"},
        {HEADER AXES ATOM VALUES "\n 7\n", TSL_E_FORMAT, "a.cube:11: the file has more values"},
        {HEADER "1000000 1 0 0\n1000000 0 1 0\n1000000 0 0 1\n" ATOM VALUES, TSL_E_FORMAT,
         "a.cube:7: the file has too few values"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tsl_context context = {0};
        tsl_cube cube;
        const int64_t live = tsl_test_live_allocations();
        assert_int_equal(
            tsl_cube_parse(&cube, &context, "a.cube", rows[i].text, strlen(rows[i].text)),
            rows[i].status);
        assert_error_names(&context, rows[i].words);
        assert_int_equal(tsl_test_live_allocations(), live);
    }
}

static tsl_status parse_good(tsl_context *context, void *user)
{
    (void)user;
    tsl_cube cube;
    const tsl_status status = tsl_cube_parse(&cube, context, "a.cube", good, sizeof good - 1);
    if (status == TSL_OK) {
        tsl_cube_release(&cube);
    }
    return status;
}

static void every_failing_allocation_is_survived(void **state)
{
    (void)state;
    assert_survives_no_memory(parse_good, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_cube_is_read),
                                       cmocka_unit_test(what_is_written_is_read),
                                       cmocka_unit_test(fortran_s_numbers_are_read),
                                       cmocka_unit_test(a_field_with_an_id_is_read),
                                       cmocka_unit_test(angstrom_become_bohr),
                                       cmocka_unit_test(open_digits_are_added_up),
                                       cmocka_unit_test(long_comments_are_passed_over),
                                       cmocka_unit_test(headers_keep_their_numbers),
                                       cmocka_unit_test(faults_are_named_with_their_line),
                                       cmocka_unit_test(every_failing_allocation_is_survived)};
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
