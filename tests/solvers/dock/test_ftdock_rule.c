/* The grids of docking on every device, cell by cell, against FTDock 2.0's rule written down
 * plainly (ftdock_rule.c). Half of the molecules are made so that their atoms lie on the rims of
 * cells, as well as single precision allows: there each rounding of the rule decides. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "solvers/dock/blob.h"
#include "solvers/dock/ftdock_rule.h"
#include "solvers/dock/plan.h"
#include "support/devices.h"
#include "tesela/tesela.h"

enum { RIM_ATOMS = 102, SHIFTS = 4 };

typedef enum pair_kind { BLOBS, RIMS, PROTEINS } pair_kind;

typedef struct setting {
    pair_kind kind;
    int grid;
    double spacing, surface;
    int core;
    int twist, theta, phi; /* degrees */
    bool charged;
} setting;

/* A surface of a whole number of cells is decided by the last digit, as 1.3 angstrom of 0.65. */
static const setting settings[] = {
    {BLOBS, 50, 0, 1.3, -15, 10, 70, 200, true},
    {BLOBS, 64, 0, 1.3, -15, 0, 0, 0, true},
    {BLOBS, 48, 1.2, 1.5, -1, 40, 100, 123, false},
    {BLOBS, 66, 0.8, 2.4, -10, 340, 20, 20, false},
    {BLOBS, TSL_GRID_FTDOCK, 0, 1.4, -15, 24, 144, 36, true},
    {BLOBS, TSL_GRID_SMOOTH, 0.9, 1.8, -7, 90, 90, 90, false},
    {BLOBS, 80, 0.65, 1.3, -15, 12, 24, 48, false},
    {RIMS, 50, 0, 1.3, -15, 0, 0, 0, false},
    {RIMS, 64, 0, 1.3, -15, 90, 0, 0, false},
    {RIMS, 80, 0, 1.6, -10, 0, 0, 0, false},
    {RIMS, 90, 0, 1.3, -15, 0, 180, 0, false},
    {RIMS, 46, 0, 1.9, -1000, 0, 0, 0, false},
    {RIMS, 60, 0.9, 1.8, -2, 0, 0, 0, false},
    {RIMS, 70, 0.75, 1.5, -15, 0, 0, 0, false},
    {RIMS, 100, 0.55, 1.1, -15, 30, 60, 90, false},
    {RIMS, 74, 0.7, 1.4, -3, 0, 0, 270, false},
    {RIMS, 56, 1, 3, -15, 0, 0, 0, false},
    {PROTEINS, 70, 0, 1.6, -15, 320, 20, 300, false},
    {PROTEINS, 84, 0, 1.3, -10, 210, 150, 240, false},
    {PROTEINS, 66, 1.6, 3.2, -15, 120, 60, 150, false},
};

/* ---- molecules ---------------------------------------------------------------------------- */

static float single(double x)
{
    return (float)x;
}

/* Atoms 1.8 angstrom from the centres of cells, each with its mirror image, so that their mean is
 * 0 and moves none of them; the first two lie `radius` from it. They are few, so
 * that one seldom covers another's rim. */
static tsl_molecule *make_rims(tsl_context *context, uint64_t seed, const rule_grid *g,
                               double radius)
{
    static double positions[3 * RIM_ATOMS];
    memset(positions, 0, sizeof positions);
    positions[0] = radius;
    positions[3] = -radius;
    for (int i = 2; i < RIM_ATOMS;) {
        double *p = positions + 3 * (int64_t)i;
        double u[3], length = 0, square = 0;
        for (int axis = 0; axis < 3; axis++) {
            u[axis] = test_uniform(&seed);
            length += u[axis] * u[axis];
        }
        for (int axis = 0; axis < 3; axis++) {
            const int cell =
                (int)(g->n / 2 + radius * test_uniform(&seed) / (double)g->span * g->n);
            p[axis] = (double)single((double)rule_centre(g, cell) + 1.8 * u[axis] / sqrt(length));
            p[3 + axis] = -p[axis];
            square += p[axis] * p[axis];
        }
        i += square < radius * radius ? 2 : 0;
    }
    tsl_molecule *molecule = NULL;
    assert_int_equal(tsl_molecule_create(&molecule, context, RIM_ATOMS, positions, NULL), TSL_OK);
    return molecule;
}

static void make_pair(tsl_context *context, const setting *s, tsl_molecule **receptor,
                      tsl_molecule **ligand)
{
    static const char *const files[] = {TSL_SOURCE_DIR "/data/trypsin.pdb",
                                        TSL_SOURCE_DIR "/data/bpti.pdb"};
    if (s->kind == PROTEINS) {
        assert_int_equal(tsl_molecule_read(receptor, context, files[0], NULL), TSL_OK);
        assert_int_equal(tsl_molecule_read(ligand, context, files[1], NULL), TSL_OK);
    } else if (s->kind == BLOBS) {
        *receptor = test_blob(context, (uint64_t)s->twist + 3, BLOB_ATOMS, 14);
        *ligand = test_blob(context, (uint64_t)s->theta + 5, 60, 7);
    } else {
        const float needed = 1 + 2 * (14.0F + 9.0F);
        const float given = single(s->spacing) * (float)s->grid;
        const rule_grid g = {s->grid, s->spacing > 0 ? given : needed};
        *receptor = make_rims(context, (uint64_t)s->grid, &g, 14);
        *ligand = make_rims(context, (uint64_t)s->grid + 1, &g, 9);
    }
}

/* ---- comparing ---------------------------------------------------------------------------- */

/* What the rule says of one setting. */
typedef struct expected {
    rule_grid grid;
    rule_molecule receptor, ligand, turned;
    uint8_t *receptor_cells, *ligand_cells;
    int *shape;
    float *potential;
    size_t cells;
} expected;

static expected expect(const setting *s, const tsl_molecule *receptor, const tsl_molecule *ligand,
                       int grid)
{
    expected e = {.receptor = rule_read(receptor), .ligand = rule_read(ligand)};
    e.grid.n = grid;
    e.grid.span =
        s->spacing > 0 ? single(s->spacing) * (float)grid : rule_span(&e.receptor, &e.ligand);
    e.cells = (size_t)grid * (size_t)grid * (size_t)grid;
    e.receptor_cells = calloc(e.cells, 1);
    e.ligand_cells = calloc(e.cells, 1);
    e.shape = calloc(e.cells, sizeof *e.shape);
    e.potential = calloc(e.cells, sizeof *e.potential);
    rule_fill(e.receptor_cells, &e.grid, &e.receptor);
    rule_surface(e.shape, &e.grid, e.receptor_cells, single(s->surface), s->core);
    e.turned = rule_turn(&e.ligand, s->twist, s->theta, s->phi);
    rule_fill(e.ligand_cells, &e.grid, &e.turned);
    if (s->charged) {
        rule_potential(e.potential, &e.grid, &e.receptor, e.shape, s->core);
    }
    return e;
}

static void forget(expected *e)
{
    rule_free(&e->receptor);
    rule_free(&e->ligand);
    rule_free(&e->turned);
    free(e->receptor_cells);
    free(e->ligand_cells);
    free(e->shape);
    free(e->potential);
}

static void compare_receptor(const tsl_dock_plan *plan, const expected *e)
{
    int16_t *shape = calloc(e->cells, sizeof *shape);
    test_download(plan->context, shape, plan->receptor.shape, (int64_t)(e->cells * sizeof *shape));
    for (size_t i = 0; i < e->cells; i++) {
        assert_int_equal(shape[i], e->shape[i]);
    }
    free(shape);
}

/* The turned ligand, placed on the whole grid. */
static void compare_ligand(const tsl_dock_plan *plan, const expected *e,
                           const tsl_rotation *rotation)
{
    tsl_context *context = plan->context;
    const tsl_dock_turns turns = tsl_dock_turns_of(rotation);
    tsl_dock_geometry whole = plan->geometry;
    whole.box = whole.grid;
    uint8_t *cells = calloc(e->cells, 1);
    void *on_device = test_upload(context, cells, (int64_t)e->cells);
    void *turns_there = test_upload(context, &turns, sizeof turns);
    assert_int_equal(
        context->ops->dock->place(context, &whole, &plan->ligand, turns_there, 1, on_device),
        TSL_OK);
    test_download(context, cells, on_device, (int64_t)e->cells);
    assert_memory_equal(cells, e->ligand_cells, e->cells);
    test_release(context, on_device);
    test_release(context, turns_there);
    free(cells);
}

/* Scores are equal; energies, whose potential is rounded otherwise, nearly. */
static void compare_scores(tsl_dock_plan *plan, const setting *s, const expected *e,
                           const tsl_rotation *rotation)
{
    tsl_pose poses[SHIFTS];
    double energies[SHIFTS], largest = 0;
    for (int i = 0; i < SHIFTS; i++) {
        const int shift[3] = {5 * i - 7, 9 - 4 * i, 3 * i + e->grid.n / 5};
        poses[i] = (tsl_pose){.shift = {shift[0], shift[1], shift[2]}, .rotation = *rotation};
        energies[i] = rule_energy(&e->grid, e->potential, &e->turned, shift);
        largest = fmax(largest, fabs(energies[i]));
    }
    assert_int_equal(tsl_dock_rescore(plan, poses, SHIFTS), TSL_OK);
    for (int i = 0; i < SHIFTS; i++) {
        const int shift[3] = {poses[i].shift[0], poses[i].shift[1], poses[i].shift[2]};
        assert_int_equal(poses[i].score, rule_score(&e->grid, e->shape, e->ligand_cells, shift));
        assert_true(!s->charged || fabs(poses[i].energy - energies[i]) < 1e-4 * largest);
    }
}

/* `e` is what the rule says, of which the first device asks. */
static void check_setting(const setting *s, const char *device, expected *e)
{
    tsl_context *context = test_context(device, 2);
    tsl_molecule *receptor = NULL, *ligand = NULL;
    tsl_dock_options options = TSL_DOCK_OPTIONS_FTDOCK;
    tsl_dock_plan *plan = NULL;
    tsl_dock_summary summary;
    const tsl_rotation rotation = {s->twist * 1000000, s->theta * 1000000, s->phi * 1000000};
    make_pair(context, s, &receptor, &ligand);
    options.grid = s->grid;
    options.spacing = s->spacing;
    options.surface = s->surface;
    options.core = s->core;
    options.batch = SHIFTS;
    options.electrostatics = s->charged ? TSL_ELECTROSTATICS_FTDOCK : TSL_ELECTROSTATICS_OFF;
    if (tsl_dock_plan_create(&plan, context, receptor, ligand, &options) != TSL_OK) {
        fail_msg("%s", tsl_last_error(context));
    }
    tsl_dock_plan_summary(plan, &summary);
    if (e->cells == 0) {
        *e = expect(s, receptor, ligand, summary.grid);
    }
    assert_int_equal(summary.grid, e->grid.n);
    assert_true(summary.span == (double)e->grid.span);
    assert_true(summary.spacing == (double)(e->grid.span / (float)e->grid.n));
    compare_receptor(plan, e);
    compare_ligand(plan, e, &rotation);
    compare_scores(plan, s, e, &rotation);
    tsl_dock_plan_destroy(plan);
    tsl_molecule_destroy(receptor);
    tsl_molecule_destroy(ligand);
    tsl_context_destroy(context);
}

static void every_cell_is_the_rule_s(void **state)
{
    (void)state;
    const int devices = test_device_count();
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        expected e = {.cells = 0};
        for (int d = 0; d < devices; d++) {
            if (!test_is_another_order(test_devices[d]) || i % 6 == 1) {
                check_setting(&settings[i], test_devices[d], &e);
            }
        }
        forget(&e);
    }
}

/* ---- arithmetic --------------------------------------------------------------------------- */

/* The square that stands for the radius is the least whose root is not below it. */
static void the_square_stands_for_the_radius(void **state)
{
    (void)state;
    const float below = nextafterf(TSL_ATOM_SQUARE, 0);
    assert_true(single(sqrt((double)TSL_ATOM_SQUARE)) >= TSL_ATOM_RADIUS);
    assert_true(single(sqrt((double)below)) < TSL_ATOM_RADIUS);
}

/* The centre of a cell, fused as GPUs compute it, and as the rule has it. */
static void centres_have_one_rounding(void **state)
{
    (void)state;
    uint64_t seed = 11;
    for (int k = 0; k < 2000; k++) {
        const int n = 8 + 2 * (int)(test_random(&seed) % 509);
        const rule_grid g = {n, single(1 + 400 * fabs(test_uniform(&seed)))};
        const float spacing = g.span / (float)n;
        const int i = (int)(test_random(&seed) % (uint64_t)n);
        const float centre = tsl_dock_cell_centre(i, spacing, g.span);
        assert_true(centre == rule_centre(&g, i));
        assert_true(centre == fmaf((float)i + 0.5F, spacing, -0.5F * g.span));
    }
}

/* An edge between two cells belongs to the upper one, but below zero to the lower one. */
static void edges_belong_to_one_cell(void **state)
{
    (void)state;
    assert_int_equal(tsl_dock_cell(0.0F, 0.5F, 10), 5);
    assert_int_equal(tsl_dock_cell(-0.0F, 0.5F, 10), 5);
    assert_int_equal(tsl_dock_cell(1.0F, 0.5F, 10), 7);
    assert_int_equal(tsl_dock_cell(-0.1F, 0.5F, 10), 4);
    assert_int_equal(tsl_dock_cell(-1.0F, 0.5F, 10), 2);
    assert_int_equal(tsl_dock_cell(-1.1F, 0.5F, 10), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_cell_is_the_rule_s),
        cmocka_unit_test(the_square_stands_for_the_radius),
        cmocka_unit_test(centres_have_one_rounding),
        cmocka_unit_test(edges_belong_to_one_cell),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
