/* Whole searches against FTDock 2.0's lists. */
/* ctest: cost 60, full with sanitizers */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "io/molecule/molecule.h"
#include "solvers/dock/pose_files.h"
#include "tesela/tesela.h"

enum { GRID = 96, STEP = 20, KEEP = 3 };

typedef struct search {
    tsl_context *context;
    tsl_molecule *receptor, *ligand;
    tsl_dock_plan *plan;
    tsl_rotation *rotations;
    int step; /* degrees, of the rotations */
    int64_t count;
    tsl_pose *poses;
} search;

static bool exists(const char *path)
{
    return access(path, R_OK) == 0;
}

static void prepare(search *s, const char *receptor, const char *ligand,
                    const tsl_dock_options *options)
{
    assert_int_equal(tsl_context_create(&s->context, NULL), TSL_OK);
    if (tsl_molecule_read(&s->receptor, s->context, receptor, NULL) != TSL_OK ||
        tsl_molecule_read(&s->ligand, s->context, ligand, NULL) != TSL_OK) {
        fail_msg("%s", tsl_last_error(s->context));
    }
    if (tsl_dock_plan_create(&s->plan, s->context, s->receptor, s->ligand, options) != TSL_OK) {
        fail_msg("%s", tsl_last_error(s->context));
    }
}

static void run(search *s)
{
    s->count = tsl_rotations_step(NULL, s->step);
    s->rotations = calloc((size_t)s->count, sizeof *s->rotations);
    s->poses = calloc((size_t)s->count * KEEP, sizeof *s->poses);
    tsl_rotations_step(s->rotations, s->step);
    assert_int_equal(tsl_dock_search(s->plan, s->poses, s->rotations, s->count, NULL, NULL),
                     TSL_OK);
    tsl_poses_sort(s->poses, s->count * KEEP);
}

static void finish(search *s)
{
    free(s->poses);
    free(s->rotations);
    tsl_dock_plan_destroy(s->plan);
    tsl_molecule_destroy(s->receptor);
    tsl_molecule_destroy(s->ligand);
    tsl_context_destroy(s->context);
}

/* Every row of `list` is ours, in the same place of the order. */
static void compare_exact(const search *s, const tsl_pose_list *list)
{
    double lowest = 0;
    for (int64_t i = 0; i < s->count * KEEP; i++) {
        lowest = fmin(lowest, s->poses[i].energy);
    }
    assert_int_equal(list->count, s->count * KEEP);
    for (int64_t i = 0; i < list->count; i++) {
        const tsl_pose *ours = &s->poses[i];
        const tsl_pose *wanted = &list->poses[i];
        assert_int_equal(ours->score, wanted->score);
        assert_memory_equal(ours->shift, wanted->shift, sizeof ours->shift);
        assert_memory_equal(&ours->rotation, &wanted->rotation, sizeof ours->rotation);
        const double ratio = lowest < 0 ? 100 * ours->energy / lowest : 0;
        assert_true(fabs(ratio + wanted->energy) < 0.005);
    }
}

static int by_pose(const void *left, const void *right)
{
    const tsl_pose *a = left;
    const tsl_pose *b = right;
    const int order = memcmp(&a->rotation, &b->rotation, sizeof a->rotation);
    return order != 0 ? order : memcmp(a->shift, b->shift, sizeof a->shift);
}

/* Share of the original's own rows that are ours, with the same score or one more: it truncates. */
static double share_of_original(const search *s, const tsl_pose_list *list)
{
    qsort(s->poses, (size_t)(s->count * KEEP), sizeof *s->poses, by_pose);
    int64_t same = 0;
    for (int64_t i = 0; i < list->count; i++) {
        const tsl_pose *ours = bsearch(&list->poses[i], s->poses, (size_t)(s->count * KEEP),
                                       sizeof *s->poses, by_pose);
        if (ours != NULL) {
            const int more = ours->score - list->poses[i].score;
            assert_in_range(more, 0, 1);
            same++;
        }
    }
    return (double)same / (double)list->count;
}

static void compare_lists(search *s, const char *exact, const char *original, double share)
{
    tsl_pose_list list;
    run(s);
    assert_int_equal(tsl_ftdock_read(s->context, exact, &list), TSL_OK);
    if (original == NULL) { /* such a list has poses of one score in an order of its own */
        tsl_poses_sort(list.poses, list.count);
    }
    compare_exact(s, &list);
    tsl_pose_list_free(&list);
    print_message("%s: all rows\n", exact);
    if (original == NULL) {
        return;
    }
    assert_int_equal(tsl_ftdock_read(s->context, original, &list), TSL_OK);
    const double found = share_of_original(s, &list);
    tsl_pose_list_free(&list);
    print_message("%s: %.2f %% of its rows\n", original, 100 * found);
    assert_true(found >= share);
}

static void trypsin_and_its_inhibitor(void **state)
{
    (void)state;
    search s = {.step = STEP};
    tsl_dock_options options = TSL_DOCK_OPTIONS_FTDOCK;
    options.grid = GRID;
    prepare(&s, TSL_SOURCE_DIR "/data/trypsin.pdb", TSL_SOURCE_DIR "/data/bpti.pdb", &options);
    compare_lists(&s, TSL_SOURCE_DIR "/tests/golden/trypsin-bpti.grid96-step20.exact.dat",
                  TSL_SOURCE_DIR "/tests/golden/trypsin-bpti.grid96-step20.ftdock.dat", 0.94);
    tsl_dock_summary summary;
    tsl_dock_plan_summary(s.plan, &summary);
    print_message("transform error %.4f\n", summary.transform_error);
    assert_true(summary.transform_error > 0 && summary.transform_error < 0.02);
    finish(&s);
}

/* Distance of two named atoms, the second one moved by a pose. */
static double distance(const search *s, const tsl_pose *pose, int64_t fixed, int64_t moving)
{
    double motion[3][4];
    tsl_pose_motion(s->plan, pose, motion);
    const double *p = tsl_molecule_positions(s->receptor) + 3 * fixed;
    const double *q = tsl_molecule_positions(s->ligand) + 3 * moving;
    double square = 0;
    for (int i = 0; i < 3; i++) {
        const double moved =
            motion[i][0] * q[0] + motion[i][1] * q[1] + motion[i][2] * q[2] + motion[i][3];
        square += (moved - p[i]) * (moved - p[i]);
    }
    return sqrt(square);
}

static int64_t find_atom(const tsl_molecule *molecule, int number, const char *name)
{
    for (int64_t i = 0; i < molecule->count; i++) {
        if (molecule->atoms[i].number == number && strcmp(molecule->atoms[i].name, name) == 0) {
            return i;
        }
    }
    fail_msg("no atom %s %d", name, number);
    return -1;
}

/* The inhibitor's lysine in the enzyme's pocket. */
static void the_native_contact_scores(void **state)
{
    (void)state;
    search s = {.step = STEP};
    tsl_dock_options options = TSL_DOCK_OPTIONS_FTDOCK;
    options.grid = GRID;
    prepare(&s, TSL_SOURCE_DIR "/data/trypsin.pdb", TSL_SOURCE_DIR "/data/bpti.pdb", &options);
    tsl_pose pose = {.shift = {24, 4, -5}, .rotation = {320000000, 20000000, 300000000}};
    assert_int_equal(tsl_dock_rescore(s.plan, &pose, 1), TSL_OK);
    assert_int_equal(pose.score, 38);
    const double nz_to_cg =
        distance(&s, &pose, find_atom(s.receptor, 189, "CG"), find_atom(s.ligand, 15, "NZ"));
    print_message("Lys 15 NZ to Asp 189 CG: %.2f angstrom\n", nz_to_cg);
    assert_true(fabs(nz_to_cg - 3.0) < 0.05);
    finish(&s);
}

#define SHARED TSL_SOURCE_DIR "/../shared/data/ftdock/"

static void published_lists(void **state)
{
    (void)state;
    if (!exists(SHARED "2pka.parsed")) {
        print_message("skipped: the published lists are not at hand\n");
        skip();
    }
    /* More of the original's rows cannot be ours: the exact lists have no more of them. */
    static const struct {
        int grid, step;
        double surface;
        int core;
        tsl_electrostatics electrostatics;
        const char *exact, *original; /* NULL: there is none */
        double share;
    } rows[] = {{GRID, STEP, 1.3, -15, TSL_ELECTROSTATICS_FTDOCK,
                 SHARED "2pka-5pti.grid96-step20.exact.dat", SHARED "2pka-5pti.grid96-step20.dat",
                 0.93},
                {GRID, STEP, 1.3, -15, TSL_ELECTROSTATICS_OFF,
                 SHARED "2pka-5pti.grid96-step20-noelec.exact.dat",
                 SHARED "2pka-5pti.grid96-step20-noelec.dat", 0.93},
                {90, 30, 1.3, -15, TSL_ELECTROSTATICS_OFF,
                 SHARED "2pka-5pti.grid90-step30-noelec.exact.dat", NULL, 0},
                {120, 30, 1.6, -10, TSL_ELECTROSTATICS_OFF,
                 SHARED "2pka-5pti.grid120-step30-surface1.6-core10-noelec.exact.dat", NULL, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        search s = {.step = rows[i].step};
        tsl_dock_options options = TSL_DOCK_OPTIONS_FTDOCK;
        options.grid = rows[i].grid;
        options.surface = rows[i].surface;
        options.core = rows[i].core;
        options.electrostatics = rows[i].electrostatics;
        prepare(&s, SHARED "2pka.parsed", SHARED "5pti.parsed", &options);
        compare_lists(&s, rows[i].exact, rows[i].original, rows[i].share);
        finish(&s);
    }
}

/* The original's own first ten rotations at its default settings: N = 134 = 2 * 67. */
static void published_first_rotations(void **state)
{
    (void)state;
    FILE *file = fopen(SHARED "2pka-5pti.default-first10.out", "r");
    if (file == NULL) {
        print_message("skipped: the published rotations are not at hand\n");
        skip();
    }
    search s = {0};
    tsl_dock_options options = TSL_DOCK_OPTIONS_FTDOCK;
    options.grid = TSL_GRID_FTDOCK;
    prepare(&s, SHARED "2pka.parsed", SHARED "5pti.parsed", &options);
    tsl_dock_summary summary;
    tsl_dock_plan_summary(s.plan, &summary);
    assert_int_equal(summary.grid, 134);
    assert_true(fabs(summary.spacing - 0.69728) < 1e-5 && fabs(summary.span - 93.436) < 1e-3);
    char line[256];
    int rows = 0, more = 0;
    while (fgets(line, sizeof line, file) != NULL) {
        const char *row = strstr(line, "G_DATA");
        int score, x, y, z, a, b, c;
        if (row == NULL || sscanf(row, "G_DATA %*d %*d %d %d %d %d %d %d %d", &score, &x, &y, &z,
                                  &a, &b, &c) != 7) {
            continue;
        }
        tsl_pose pose = {.shift = {x, y, z}, .rotation = {a * 1000000, b * 1000000, c * 1000000}};
        assert_int_equal(tsl_dock_rescore(s.plan, &pose, 1), TSL_OK);
        assert_in_range(pose.score - score, 0, 1);
        assert_true(pose.energy < 0);
        more += pose.score - score;
        rows++;
    }
    fclose(file);
    print_message("%d rows, %d of them one more\n", rows, more);
    assert_int_equal(rows, 30);
    finish(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trypsin_and_its_inhibitor), cmocka_unit_test(the_native_contact_scores),
        cmocka_unit_test(published_lists), cmocka_unit_test(published_first_rotations)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
