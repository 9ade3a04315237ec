/* Libraries opened at run time (core/library.h): the mathematical library, which is everywhere. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/library.h"

typedef struct math_calls {
    double (*sine)(double);
    double (*power)(double, double);
} math_calls;

static const tsl_library_call rows[] = {{"sin", offsetof(math_calls, sine)},
                                        {"pow", offsetof(math_calls, power)}};

static void the_first_that_there_is_gives_its_functions(void **state)
{
    (void)state;
    const char *const names[] = {"libtesela-no-such.so.1", "libm.so.6", "libc.so.6", NULL};
    math_calls calls = {NULL, NULL};
    char text[64];
    void *const library = tsl_library_open(names, &calls, rows, 2, text, sizeof text);
    assert_non_null(library);
    assert_string_equal(text, "libm.so.6");
    assert_true(calls.sine(0.0) == 0.0);
    assert_true(calls.power(2.0, 10.0) == 1024.0);
    tsl_library_close(library);
}

static void a_library_that_is_not_there_is_named(void **state)
{
    (void)state;
    const char *const names[] = {"libtesela-no-such.so.1", "libtesela-no-such.so", NULL};
    math_calls calls;
    char text[256];
    assert_null(tsl_library_open(names, &calls, rows, 2, text, sizeof text));
    assert_non_null(strstr(text, "libtesela-no-such.so.1"));
    assert_null(tsl_library_open(names, &calls, rows, 2, text, 8));
    assert_int_equal(strlen(text), 7);
}

static void a_function_that_is_not_there_is_named(void **state)
{
    (void)state;
    const char *const names[] = {"libm.so.6", NULL};
    const tsl_library_call absent[] = {rows[0], {"tesela_no_such", offsetof(math_calls, power)}};
    math_calls calls;
    char text[64];
    assert_null(tsl_library_open(names, &calls, absent, 2, text, sizeof text));
    assert_string_equal(text, "libm.so.6 has no tesela_no_such");
    assert_null(tsl_library_open(names, &calls, absent, 2, text, 14));
    assert_string_equal(text, "libm.so.6 has");
    tsl_library_close(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_that_there_is_gives_its_functions),
        cmocka_unit_test(a_library_that_is_not_there_is_named),
        cmocka_unit_test(a_function_that_is_not_there_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
