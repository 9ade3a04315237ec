/* The example of molecular dynamics keeps its energy: 4000 particles, 10 000 steps. */
#define main example_main
int main(int argc, char **argv);
#include "../../../examples/molecular_dynamics.c" /* NOLINT(bugprone-suspicious-include) */
#undef main

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void energy_does_not_drift(void **state)
{
    (void)state;
    char *arguments[] = {"molecular_dynamics", "cpu", "10", "10000", NULL};
    assert_int_equal(example_main(4, arguments), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(energy_does_not_drift)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
