/* Plans and searches on small pairs: properties, options, errors, failing allocations. */
/* ctest: full with sanitizer address */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "solvers/dock/blob.h"
#include "solvers/dock/pair.h"
#include "solvers/dock/plan.h"
#include "support/devices.h"
#include "tesela/tesela.h"

enum { MOST = 64 };

static void threads_and_batches_do_not_matter(void **state)
{
    (void)state;
    tsl_pose first[PAIR_ROTATIONS * PAIR_KEEP], other[PAIR_ROTATIONS * PAIR_KEEP];
    pair p = test_pair("cpu", 1);
    tsl_dock_options options = test_small_options();
    options.batch = 1;
    test_search(&p, &options, first);
    test_free_pair(&p);
    assert_true(first[0].score > 0);
    static const int cases[][2] = {{1, 5}, {2, 1}, {2, 64}, {3, 2}, {5, 7}, {2, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        p = test_pair("cpu", cases[i][0]);
        options.batch = cases[i][1];
        test_search(&p, &options, other);
        assert_memory_equal(first, other, sizeof first);
        test_free_pair(&p);
    }
}

static int64_t index_of(const tsl_pose *pose, int n)
{
    int64_t index = 0;
    for (int axis = 0; axis < 3; axis++) {
        index = index * n + tsl_dock_place_of_shift(pose->shift[axis], n);
    }
    return index;
}

/* The winners of the second of three rotations against all translations, scored one by one: so many
 * that there is more than one look. */
static void winners_beat_every_other_translation(void **state)
{
    (void)state;
    pair p = test_pair("cpu", 2);
    tsl_dock_options options = test_small_options();
    options.grid = 24;
    options.surface = 2.5;
    options.batch = 64;
    options.keep = MOST;
    for (int kind = 0; kind < 3; kind++) {
        enum { CELLS = 24 * 24 * 24, MEMBER = 1 };
        options.electrostatics = (tsl_electrostatics)kind;
        tsl_dock_plan *plan = NULL;
        assert_int_equal(tsl_dock_plan_create(&plan, p.context, p.receptor, p.ligand, &options),
                         TSL_OK);
        const tsl_rotation rotations[3] = {
            {0, 90000000, 0}, {40000000, 100000000, 123456789}, {70000000, 20000000, 0}};
        static tsl_pose found[3 * MOST];
        const tsl_pose *best = found + MEMBER * MOST;
        assert_int_equal(tsl_dock_search(plan, found, rotations, 3, NULL, NULL), TSL_OK);
        tsl_pose *all = calloc(CELLS, sizeof *all);
        for (int i = 0; i < CELLS; i++) {
            all[i].rotation = rotations[MEMBER];
            const int place[3] = {i / (24 * 24), i / 24 % 24, i % 24};
            for (int axis = 0; axis < 3; axis++) {
                all[i].shift[axis] = tsl_dock_signed_shift(place[axis], 24);
            }
        }
        assert_int_equal(tsl_dock_rescore(plan, all, CELLS), TSL_OK);
        for (int j = 0; j < MOST; j++) {
            int winner = -1;
            for (int i = 0; i < CELLS; i++) {
                const bool fits = kind == TSL_ELECTROSTATICS_OFF || all[i].energy < 0;
                if (fits && all[i].score > 0 && (winner < 0 || all[i].score > all[winner].score)) {
                    winner = i;
                }
            }
            assert_true(winner >= 0);
            assert_int_equal(index_of(&best[j], 24), winner);
            assert_int_equal(best[j].score, all[winner].score);
            assert_true(best[j].energy == all[winner].energy);
            all[winner].score = 0;
        }
        free(all);
        tsl_dock_plan_destroy(plan);
    }
    test_free_pair(&p);
}

/* The energy against its formula in floating point: charges spread trilinearly over the potential.
 */
static void energies_match_the_formula(void **state)
{
    (void)state;
    pair p = test_pair("cpu", 1);
    tsl_dock_options options = test_small_options();
    tsl_dock_summary s;
    for (int mended = 0; mended < 2; mended++) {
        options.electrostatics = mended ? TSL_ELECTROSTATICS_TRILINEAR : TSL_ELECTROSTATICS_FTDOCK;
        tsl_dock_plan *plan = NULL;
        assert_int_equal(tsl_dock_plan_create(&plan, p.context, p.receptor, p.ligand, &options),
                         TSL_OK);
        tsl_dock_plan_summary(plan, &s);
        tsl_pose pose = {.shift = {9, -14, 25}, .rotation = {10000000, 70000000, 200000000}};
        assert_int_equal(tsl_dock_rescore(plan, &pose, 1), TSL_OK);
        double motion[3][4], energy = 0, size = 0;
        tsl_pose still = pose;
        memset(still.shift, 0, sizeof still.shift);
        tsl_pose_motion(plan, &still, motion);
        const double *q = tsl_molecule_charges(p.ligand);
        for (int64_t i = 0; i < tsl_molecule_count(p.ligand); i++) {
            const double *x = tsl_molecule_positions(p.ligand) + 3 * i;
            int low[3];
            double a[3];
            for (int axis = 0; axis < 3 && q[i] != 0; axis++) {
                const double *m = motion[axis];
                const double moved =
                    m[0] * x[0] + m[1] * x[1] + m[2] * x[2] + m[3] - s.receptor_centre[axis];
                const double cell = moved / s.spacing + s.grid / 2.0 - 0.5;
                low[axis] = (int)floor(cell);
                a[axis] = cell - low[axis] - 0.5 - (mended ? 0 : s.grid);
            }
            for (int c = 0; c < 8 && q[i] != 0; c++) {
                double weight = q[i];
                int64_t index = 0;
                for (int axis = 0; axis < 3; axis++) {
                    const int high = c >> axis & 1;
                    const int cell = low[axis] + high + pose.shift[axis] + 2 * s.grid;
                    weight *= high ? 0.5 + a[axis] : 0.5 - a[axis];
                    index = index * s.grid + cell % s.grid;
                }
                const double phi = ldexp(plan->receptor.potential[index], -TSL_POTENTIAL_BITS);
                energy += weight * phi;
                size += fabs(weight * phi);
            }
        }
        assert_true(size > (mended ? 1e-3 : 1e2));
        assert_true(fabs(pose.energy - energy) < 3e-6 * size);
        tsl_dock_plan_destroy(plan);
    }
    test_free_pair(&p);
}

static void potential_matches_coulomb(void **state)
{
    (void)state;
    assert_true(fabs(tsl_dock_screening(1.0) - 8) < 1e-15); /* clamped to 2 angstrom */
    assert_true(fabs(tsl_dock_screening(6.0) - 24) < 1e-12);
    assert_true(fabs(tsl_dock_screening(7.0) - 42.0 * 7) < 1e-12);
    assert_true(fabs(tsl_dock_screening(8.0) - 640) < 1e-12);
    assert_true(fabs(tsl_dock_screening(20.0) - 1600) < 1e-12);
}

static void check_precisions(const pair *p, const tsl_dock_options *options)
{
    tsl_pose single[PAIR_ROTATIONS * PAIR_KEEP], other[PAIR_ROTATIONS * PAIR_KEEP];
    tsl_dock_plan *plan = NULL;
    tsl_dock_summary s;
    assert_int_equal(tsl_dock_plan_create(&plan, p->context, p->receptor, p->ligand, options),
                     TSL_OK);
    test_search_into(plan, single);
    tsl_dock_plan_summary(plan, &s);
    assert_int_equal(s.double_precision, 0);
    assert_true(s.transform_error > 0 && s.transform_error < 0.01);
    assert_int_equal(tsl_dock_use_double(plan), TSL_OK);
    test_search_into(plan, other);
    tsl_dock_plan_summary(plan, &s);
    assert_int_equal(s.double_precision, 1);
    assert_true(s.transform_error < 1e-9);
    assert_memory_equal(single, other, sizeof single);
    tsl_dock_plan_destroy(plan);
}

/* Mark the transform as inexact while the next batch is under way. */
static int spoil(void *user, int64_t first, int64_t count, const tsl_pose *poses)
{
    tsl_dock_plan *plan = user;
    (void)count;
    (void)poses;
    if (first == 0) {
        plan->summary.transform_error = TSL_TRANSFORM_ERROR_LIMIT;
    }
    return 0;
}

static void check_going_on_in_double(const pair *p, const tsl_dock_options *options)
{
    tsl_pose single[PAIR_ROTATIONS * PAIR_KEEP], other[PAIR_ROTATIONS * PAIR_KEEP];
    tsl_rotation rotations[PAIR_ROTATIONS];
    tsl_dock_plan *plan = NULL;
    tsl_dock_summary s;
    test_spiral(rotations);
    test_search(p, options, single);
    assert_int_equal(tsl_dock_plan_create(&plan, p->context, p->receptor, p->ligand, options),
                     TSL_OK);
    assert_int_equal(tsl_dock_search(plan, other, rotations, PAIR_ROTATIONS, spoil, plan), TSL_OK);
    tsl_dock_plan_summary(plan, &s);
    assert_int_equal(s.double_precision, 1);
    assert_true(s.transform_error < 1e-9);
    assert_memory_equal(single, other, sizeof single);
    tsl_dock_plan_destroy(plan);
}

static void precision_does_not_matter(void **state)
{
    (void)state;
    tsl_dock_options options = test_small_options();
    options.batch = 5;
    const int devices = test_device_count();
    for (int d = 0; d < devices; d++) {
        if (!test_is_another_order(test_devices[d])) {
            pair p = test_pair(test_devices[d], 2);
            check_precisions(&p, &options);
            check_going_on_in_double(&p, &options);
            test_free_pair(&p);
        }
    }
}

/* A plan aimed at other pairs gives what new plans give. */
static void updated_plans_forget_nothing_they_should(void **state)
{
    (void)state;
    pair p = test_pair("cpu", 2);
    tsl_molecule *large = test_blob(p.context, 3, 60, 9);
    tsl_molecule *const pairs[][2] = {{p.receptor, p.ligand}, {p.receptor, large},
                                      {large, p.ligand},      {p.receptor, p.ligand},
                                      {p.receptor, p.ligand}, {p.receptor, large}};
    tsl_dock_options options = test_small_options();
    for (int fixed = 0; fixed < 2; fixed++) {
        options.spacing = fixed ? 1.2 : 0; /* with it, receptors' grids are reused */
        tsl_dock_plan *plan = NULL;
        assert_int_equal(tsl_dock_plan_create(&plan, p.context, p.receptor, p.ligand, &options),
                         TSL_OK);
        for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
            tsl_pose updated[PAIR_ROTATIONS * PAIR_KEEP], fresh[PAIR_ROTATIONS * PAIR_KEEP];
            assert_int_equal(tsl_dock_plan_update(plan, pairs[i][0], pairs[i][1]), TSL_OK);
            test_search_into(plan, updated);
            const pair q = {p.context, pairs[i][0], pairs[i][1]};
            test_search(&q, &options, fresh);
            assert_memory_equal(updated, fresh, sizeof fresh);
        }
        assert_int_equal(tsl_dock_plan_update(plan, p.receptor, NULL), TSL_E_ARG);
        tsl_dock_plan_destroy(plan);
    }
    tsl_molecule_destroy(large);
    test_free_pair(&p);
}

static int stop_after_two(void *user, int64_t first, int64_t count, const tsl_pose *poses)
{
    assert_true(poses[0].score >= 0 && first % 3 == 0 && count <= 3);
    return ++*(int *)user == 2;
}

static void stop(tsl_dock_plan *plan, const tsl_rotation *rotations, tsl_pose *poses)
{
    int calls = 0;
    assert_int_equal(
        tsl_dock_search(plan, poses, rotations, PAIR_ROTATIONS, stop_after_two, &calls),
        TSL_E_CANCELLED);
    assert_int_equal(calls, 2);
}

/* A stopped search leaves a batch under way; whatever comes next, it is in nobody's way. */
static void check_stopping(const pair *p, const tsl_dock_options *options)
{
    tsl_rotation rotations[PAIR_ROTATIONS];
    tsl_pose poses[PAIR_ROTATIONS * PAIR_KEEP], whole[PAIR_ROTATIONS * PAIR_KEEP],
        turned[PAIR_ROTATIONS * PAIR_KEEP], again[PAIR_ROTATIONS * PAIR_KEEP];
    const pair other = {p->context, p->ligand, p->receptor};
    tsl_dock_plan *plan = NULL;
    test_spiral(rotations);
    test_search(&other, options, turned);
    assert_int_equal(tsl_dock_plan_create(&plan, p->context, p->receptor, p->ligand, options),
                     TSL_OK);
    stop(plan, rotations, poses);
    test_search_into(plan, whole);
    assert_memory_equal(poses, whole, 6 * PAIR_KEEP * sizeof *poses);
    stop(plan, rotations, poses);
    assert_int_equal(tsl_dock_plan_update(plan, p->ligand, p->receptor), TSL_OK);
    test_search_into(plan, again);
    assert_memory_equal(again, turned, sizeof turned);
    stop(plan, rotations, poses);
    assert_int_equal(tsl_dock_use_double(plan), TSL_OK);
    test_search_into(plan, again);
    assert_memory_equal(again, turned, sizeof turned);
    stop(plan, rotations, poses);
    tsl_dock_plan_destroy(plan);
}

static void searches_can_be_stopped(void **state)
{
    (void)state;
    tsl_dock_options options = test_small_options();
    options.batch = 3;
    const int devices = test_device_count();
    for (int d = 0; d < devices; d++) {
        if (!test_is_another_order(test_devices[d])) {
            pair p = test_pair(test_devices[d], 2);
            check_stopping(&p, &options);
            test_free_pair(&p);
        }
    }
}

static void bad_rotations_and_poses_are_refused(void **state)
{
    (void)state;
    pair p = test_pair("cpu", 2);
    const tsl_dock_options options = test_small_options();
    tsl_dock_plan *plan = NULL;
    assert_int_equal(tsl_dock_plan_create(&plan, p.context, p.receptor, p.ligand, &options),
                     TSL_OK);
    tsl_rotation rotations[PAIR_ROTATIONS];
    tsl_pose poses[2 * PAIR_KEEP];
    test_spiral(rotations);
    assert_int_equal(tsl_dock_search(plan, poses, rotations, 0, NULL, NULL), TSL_OK);
    assert_int_equal(tsl_dock_search(plan, poses, rotations, -1, NULL, NULL), TSL_E_ARG);
    rotations[1].theta = 180000001;
    assert_int_equal(tsl_dock_search(plan, poses, rotations, 2, NULL, NULL), TSL_E_ARG);
    assert_non_null(strstr(tsl_last_error(p.context), "rotation 1 "));
    tsl_pose pose = {.shift = {25, 26, 0}};
    assert_int_equal(tsl_dock_rescore(plan, &pose, 1), TSL_E_ARG);
    assert_non_null(strstr(tsl_last_error(p.context), "26 cells"));
    tsl_dock_plan_destroy(plan);
    test_free_pair(&p);
}

static void bad_options_are_refused(void **state)
{
    (void)state;
    pair p = test_pair("cpu", 1);
    const tsl_dock_options good = test_small_options();
    enum { CASES = 17 };
    tsl_dock_options bad[CASES];
    for (int i = 0; i < CASES; i++) {
        bad[i] = good;
    }
    bad[0].size = 1;
    bad[1].grid = 51;
    bad[2].grid = -2;
    bad[3].grid = 1026;
    bad[4].spacing = -1;
    bad[5].spacing = NAN;
    bad[6].surface = 0;
    bad[7].core = 0;
    bad[8].keep = 0;
    bad[9].keep = 65;
    bad[10].batch = -1;
    bad[11].memory = -1;
    bad[12].electrostatics = (tsl_electrostatics)3;
    bad[13].spacing = 0.2; /* 50 cells of it are too few */
    bad[14].grid = 16;     /* cells wider than the surface */
    bad[15].surface = 0.3;
    bad[16].spacing = 0.03, bad[16].grid = TSL_GRID_SMOOTH; /* too many cells */
    for (int i = 0; i < CASES; i++) {
        tsl_dock_plan *plan = NULL;
        const tsl_status status =
            tsl_dock_plan_create(&plan, p.context, p.receptor, p.ligand, &bad[i]);
        if (status != TSL_E_ARG || plan != NULL || strchr(tsl_last_error(p.context), '\n')) {
            fail_msg("case %d: %s: %s", i, tsl_status_name(status), tsl_last_error(p.context));
        }
    }
    tsl_dock_plan *plan = NULL;
    assert_int_equal(tsl_dock_plan_create(&plan, p.context, NULL, p.ligand, &good), TSL_E_ARG);
    tsl_molecule *neutral = NULL;
    assert_int_equal(tsl_molecule_create(&neutral, p.context, 1, (double[]){1, 2, 3}, NULL),
                     TSL_OK);
    assert_int_equal(tsl_dock_plan_create(&plan, p.context, p.receptor, neutral, &good), TSL_E_ARG);
    assert_non_null(strstr(tsl_last_error(p.context), "ligand has no charges"));
    tsl_molecule_destroy(neutral);
    test_free_pair(&p);
}

static void memory_is_bounded_and_stated(void **state)
{
    (void)state;
    pair p = test_pair("cpu", 2);
    tsl_dock_options options = test_small_options();
    options.batch = 64;
    tsl_dock_plan *plan = NULL;
    tsl_dock_summary s;
    assert_int_equal(tsl_dock_plan_create(&plan, p.context, p.receptor, p.ligand, &options),
                     TSL_OK);
    tsl_dock_plan_summary(plan, &s);
    assert_int_equal(s.batch, 64);
    const int64_t whole = s.bytes;
    tsl_dock_plan_destroy(plan);
    options.memory = whole / 4;
    assert_int_equal(tsl_dock_plan_create(&plan, p.context, p.receptor, p.ligand, &options),
                     TSL_OK);
    tsl_dock_plan_summary(plan, &s);
    assert_true(s.batch < 64 && s.batch >= 1 && s.bytes <= options.memory);
    tsl_dock_plan_destroy(plan);
    options.memory = 1 << 20;
    assert_int_equal(tsl_dock_plan_create(&plan, p.context, p.receptor, p.ligand, &options),
                     TSL_E_NOMEM);
    assert_non_null(strstr(tsl_last_error(p.context), "memory bound is 1.0 MiB"));
    test_free_pair(&p);
}

static void every_failing_allocation_is_survived(void **state)
{
    (void)state;
    pair p = test_pair("cpu", 2);
    tsl_dock_options options = test_small_options();
    options.grid = 36;
    options.batch = 2;
    tsl_pose poses[2 * PAIR_KEEP];
    tsl_rotation rotations[PAIR_ROTATIONS];
    test_spiral(rotations);
    const int64_t live = tsl_test_live_allocations();
    tsl_status status = TSL_E_NOMEM;
    int k = 0;
    while (status == TSL_E_NOMEM && k < 1000) {
        tsl_dock_plan *plan = NULL;
        tsl_test_fail_allocation(++k);
        status = tsl_dock_plan_create(&plan, p.context, p.receptor, p.ligand, &options);
        if (status == TSL_OK) {
            status = tsl_dock_search(plan, poses, rotations, 2, NULL, NULL);
        }
        if (status == TSL_OK) {
            status = tsl_dock_rescore(plan, poses, 2);
        }
        if (status != TSL_OK) {
            assert_int_equal(status, TSL_E_NOMEM);
            assert_non_null(strstr(tsl_last_error(p.context), "out of memory"));
        }
        tsl_dock_plan_destroy(plan);
        assert_int_equal(tsl_test_live_allocations(), live);
    }
    tsl_test_fail_allocation(0);
    assert_int_equal(status, TSL_OK);
    print_message("%d allocations\n", k - 1);
    assert_true(k > 40);
    test_free_pair(&p);
}

static void automatic_grids_have_small_factors(void **state)
{
    (void)state;
    pair p = test_pair("cpu", 1);
    tsl_dock_options options = test_small_options();
    tsl_dock_summary s;
    static const int kinds[] = {TSL_GRID_FTDOCK, TSL_GRID_SMOOTH};
    int sizes[2];
    for (int i = 0; i < 2; i++) {
        tsl_dock_plan *plan = NULL;
        options.grid = kinds[i];
        assert_int_equal(tsl_dock_plan_create(&plan, p.context, p.receptor, p.ligand, &options),
                         TSL_OK);
        tsl_dock_plan_summary(plan, &s);
        sizes[i] = s.grid;
        assert_true(fabs(s.span - s.grid * s.spacing) < 1e-6 * s.span);
        tsl_dock_plan_destroy(plan);
    }
    const int wanted = (int)(s.span / 0.7);
    assert_int_equal(sizes[0], wanted + wanted % 2);
    assert_true(sizes[1] >= sizes[0] && sizes[1] % 2 == 0);
    int rest = sizes[1];
    for (int prime = 2; prime <= 7; prime++) {
        while (rest % prime == 0) {
            rest /= prime;
        }
    }
    assert_int_equal(rest, 1);
    test_free_pair(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(threads_and_batches_do_not_matter),
                                       cmocka_unit_test(winners_beat_every_other_translation),
                                       cmocka_unit_test(energies_match_the_formula),
                                       cmocka_unit_test(potential_matches_coulomb),
                                       cmocka_unit_test(precision_does_not_matter),
                                       cmocka_unit_test(updated_plans_forget_nothing_they_should),
                                       cmocka_unit_test(searches_can_be_stopped),
                                       cmocka_unit_test(bad_rotations_and_poses_are_refused),
                                       cmocka_unit_test(bad_options_are_refused),
                                       cmocka_unit_test(memory_is_bounded_and_stated),
                                       cmocka_unit_test(every_failing_allocation_is_survived),
                                       cmocka_unit_test(automatic_grids_have_small_factors)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
