/* Numbers in columns against printf. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "io/molecule/columns.h"
#include "support/devices.h"

static void check(int width, int decimals, double value)
{
    char line[64], wanted[512];
    memset(line, '#', sizeof line);
    tsl_columns_number(line, 4, width, decimals, value);
    snprintf(wanted, sizeof wanted, "###%*.*f", width, decimals, value);
    if (strlen(wanted) <= 3 + (size_t)width && strncmp(line, wanted, strlen(wanted)) != 0) {
        fail_msg("%.17g: '%.*s', printf '%s'", value, width + 3, line, wanted);
    }
    assert_int_equal(line[3 + width], '#');
}

static void numbers_are_printfs(void **state)
{
    (void)state;
    static const double values[] = {
        0,       -0.0,    1,   -1,  0.5,    1.5,   2.5,  0.0005, 0.00049, 0.0625, -0.125, 0.9995,
        9.99951, 9999999, 1e8, 1e9, 123456, 1e300, -1e9, 99.995, 0.015,   1.005,  2.675,  1e-300};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        for (int decimals = 0; decimals <= 6; decimals++) {
            check(20, decimals, values[i]);
            check(8, decimals, values[i]);
        }
    }
    check(8, 3, (double)NAN);
    check(8, 3, -(double)INFINITY);
    uint64_t seed = 3;
    for (int i = 0; i < 200000; i++) {
        check(12, i % 7, test_uniform(&seed) * pow(10, i % 5));
        check(12, 3,
              (double)((int64_t)(test_random(&seed) % 20000000) - 10000000) / 2000); /* ties */
    }
}

static void text_is_cut_to_fit(void **state)
{
    (void)state;
    char line[] = "..........";
    tsl_columns_text(line, 3, 4, "ab");
    assert_string_equal(line, "..ab......");
    tsl_columns_text(line, 3, 4, "vwxyz");
    assert_string_equal(line, "..vwxy....");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(numbers_are_printfs),
                                       cmocka_unit_test(text_is_cut_to_fit)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
