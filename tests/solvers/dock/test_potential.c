/* The CPU's potential against a plain loop, bit for bit: the compiler's vectors and its choice of
 * instruction set must not show. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "solvers/dock/dock.h"
#include "support/devices.h"
#include "tesela/tesela.h"

enum { CHARGES = 150, MOST = 66, CORE = -15 };

/* Charges all over the grid and beyond it: in the middle of cells, where the distance is 0, at 6
 * and 8 angstrom from others, where the dielectric constant changes its rule. */
static void make_charges(tsl_dock_atoms *atoms, int grid, double spacing)
{
    uint64_t seed = 7 + (uint64_t)grid;
    for (int i = 0; i < CHARGES; i++) {
        for (int axis = 0; axis < 3; axis++) {
            const double place = 0.6 * test_uniform(&seed) * grid * spacing;
            const double middle = (floor(place / spacing) + 0.5) * spacing;
            atoms->charge_positions[3 * i + axis] = (float)(i % 3 == 0 ? middle : place);
        }
        if (i % 5 == 4) {
            memcpy(atoms->charge_positions + 3 * i, atoms->charge_positions + 3 * (i - 1), 12);
            atoms->charge_positions[3 * i + 2] += i % 2 ? 6.0F : 8.0F;
        }
        atoms->charges[i] = (int32_t)(10000 * test_uniform(&seed));
    }
    atoms->charged = CHARGES;
}

/* The formula of tesela/dock.h, one term after the other. */
static double plain_potential(const tsl_dock_atoms *atoms, const tsl_dock_geometry *g,
                              const int cell[3])
{
    volatile double sum = 0; /* no vectors, no reordering */
    for (int64_t i = 0; i < atoms->charged; i++) {
        double d[3];
        for (int axis = 0; axis < 3; axis++) {
            d[axis] = (cell[axis] + 0.5 - g->grid / 2) * (double)g->spacing -
                      (double)atoms->charge_positions[3 * i + axis];
        }
        const double r = fmax(sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]), 2);
        const double epsilon = r <= 6 ? 4 : r >= 8 ? 80 : 38 * r - 224;
        sum = sum + atoms->charges[i] * 1e-4 / (epsilon * r);
    }
    return sum;
}

static void check_grid(tsl_context *context, int grid, double spacing)
{
    static float positions[CHARGES][3];
    static int32_t charges[CHARGES];
    tsl_dock_atoms atoms = {.charge_positions = positions[0], .charges = charges};
    const tsl_dock_geometry g = {.grid = grid, .spacing = (float)spacing};
    const int64_t cells = (int64_t)grid * grid * grid;
    int16_t *shape = calloc((size_t)cells, sizeof *shape);
    int32_t *potential = calloc((size_t)cells, sizeof *potential);
    double largest = 0, expected_largest = 0;
    assert_non_null(shape);
    assert_non_null(potential);
    make_charges(&atoms, grid, spacing);
    for (int64_t i = 0; i < cells; i += 3) {
        shape[i] = i % 2 ? CORE : 1;
    }
    assert_int_equal(tsl_dock_cpu_potential(context, &g, &atoms, shape, CORE, 0,
                                            (int64_t)grid * grid, potential, &largest),
                     TSL_OK);
    for (int64_t i = 0; i < cells; i++) {
        const int cell[3] = {(int)(i / grid / grid), (int)(i / grid % grid), (int)(i % grid)};
        const double phi = shape[i] == CORE ? 0 : plain_potential(&atoms, &g, cell);
        expected_largest = fmax(expected_largest, fabs(phi));
        if (potential[i] != (int32_t)rint(phi * 134217728)) {
            fail_msg("cell %d %d %d of %d: %d, not %.17g", cell[0], cell[1], cell[2], grid,
                     (int)potential[i], phi * 134217728);
        }
    }
    assert_memory_equal(&largest, &expected_largest, sizeof largest);
    free(shape);
    free(potential);
}

static void is_that_of_a_plain_loop(void **state)
{
    (void)state;
    tsl_context *context = NULL;
    tsl_context_options options = TSL_CONTEXT_OPTIONS_INIT;
    options.device = "cpu";
    assert_int_equal(tsl_context_create(&context, &options), TSL_OK);
    for (int grid = 8; grid <= 26; grid += 2) { /* every rest of a vector of 8 */
        check_grid(context, grid, 1.0);
    }
    check_grid(context, 50, 0.7);
    check_grid(context, MOST, 0.731);
    tsl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(is_that_of_a_plain_loop)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
