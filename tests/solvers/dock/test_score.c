/* The score of complementarity: against its formula, against all other translations, and the same
 * bits on every device, in any batch and by whole transforms. */
/* ctest: cost 60, full with sanitizers */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/molecule/molecule.h"
#include "solvers/dock/blob.h"
#include "solvers/dock/pair.h"
#include "solvers/dock/plan.h"
#include "support/devices.h"

enum { MOST = 12 };

/* Names of atoms of several types, with charges and without. */
static const char *const names[][3] = {{"ALA", "CB", "C"},  {"LYS", "NZ", "N"}, {"ASP", "OD1", "O"},
                                       {"LEU", "CD1", "C"}, {"GLY", "CA", "C"}, {"CYS", "SG", "S"},
                                       {"ARG", "NH1", "N"}, {"TRP", "N", "N"},  {"SER", "O", "O"},
                                       {"HOH", "XX", "C"}};
static const int kinds[] = {5, 6, 8, 16, 4, 17, 9, 0, 3, -1};
static const double charges[] = {0, 1, -0.5, 0, 0, 0, 0.5, 0.3, -0.3, 0};
static const double radii[] = {1.88, 1.65, 1.5, 1.88, 1.88, 1.9, 1.65, 1.65, 1.5, 1.88};

/* Give bare atoms names. */
static void name_atoms(tsl_molecule *molecule)
{
    molecule->atoms = tsl_allocate_zeroed((size_t)molecule->count, sizeof *molecule->atoms);
    for (int64_t i = 0; i < molecule->count; i++) {
        const char *const *name = names[i % 10];
        strcpy(molecule->atoms[i].parent, name[0]);
        strcpy(molecule->atoms[i].name, name[1]);
        strcpy(molecule->atoms[i].element, name[2]);
    }
}

static pair named_pair(const char *device, int threads)
{
    pair p = test_pair(device, threads);
    name_atoms(p.receptor);
    name_atoms(p.ligand);
    return p;
}

static tsl_dock_options score_options(void)
{
    tsl_dock_options options = TSL_DOCK_OPTIONS_INIT;
    options.spacing = 1.5;
    options.keep = PAIR_KEEP;
    return options;
}

static void devices_batches_and_ways_do_not_matter(void **state)
{
    (void)state;
    tsl_pose first[PAIR_ROTATIONS * PAIR_KEEP], other[PAIR_ROTATIONS * PAIR_KEEP];
    tsl_dock_options options = score_options();
    pair p = named_pair("cpu", 2);
    test_search(&p, &options, first);
    test_free_pair(&p);
    assert_true(first[0].score > TSL_SCORE_LEAST && first[1].score > 0);
    const int devices = test_device_count();
    for (int d = 0; d < devices; d++) {
        const int ways = test_is_another_order(test_devices[d]) ? 1 : 3;
        for (int way = 0; way < ways; way++) {
            options.batch = way == 0 ? 1 : 5;
            options.correlation = way < 2 ? TSL_CORRELATION_LINES : TSL_CORRELATION_PLAIN;
            p = named_pair(test_devices[d], 1 + way);
            tsl_dock_plan *plan = NULL;
            tsl_dock_summary s;
            assert_int_equal(tsl_dock_plan_create(&plan, p.context, p.receptor, p.ligand, &options),
                             TSL_OK);
            test_search_into(plan, other);
            assert_memory_equal(first, other, sizeof first);
            tsl_dock_plan_summary(plan, &s); /* a wrong transform would go on in double precision */
            assert_false(s.double_precision);
            assert_true(s.transform_error <= s.transform_bound / 8);
            assert_int_equal(tsl_dock_rescore(plan, other, PAIR_ROTATIONS * PAIR_KEEP), TSL_OK);
            for (int i = 0; i < PAIR_ROTATIONS * PAIR_KEEP; i++) { /* empty ones score, too */
                assert_true(first[i].score == 0 || first[i].score == other[i].score);
                assert_true(first[i].score == 0 || first[i].energy == other[i].energy);
            }
            tsl_dock_plan_destroy(plan);
            test_free_pair(&p);
        }
    }
}

/* A filter: the ligand's middle has to be more than 8 angstrom from a place. */
typedef struct middle {
    double own[3], place[3];
} middle;

static void middle_of(const middle *m, const double motion[3][4], double out[3])
{
    for (int i = 0; i < 3; i++) {
        out[i] = motion[i][0] * m->own[0] + motion[i][1] * m->own[1] + motion[i][2] * m->own[2] +
                 motion[i][3];
    }
}

static int is_away(void *user, const double motion[3][4])
{
    const middle *m = user;
    double at[3], square = 0;
    middle_of(m, motion, at);
    for (int axis = 0; axis < 3; axis++) {
        square += (at[axis] - m->place[axis]) * (at[axis] - m->place[axis]);
    }
    return square > 64;
}

/* The winners of a rotation against all translations, summed one by one. Returns the first's score,
 * and in `m` where it puts the ligand; `is_filtered`: that may not be where `m` says. */
static int best_of_all(middle *m, bool is_filtered)
{
    pair p = named_pair("cpu", 2);
    tsl_dock_options options = score_options();
    options.keep = MOST;
    tsl_dock_centre(p.ligand, m->own);
    if (is_filtered) {
        options.complementarity.filter = is_away;
        options.complementarity.filter_user = m;
    }
    const tsl_rotation rotation = {40000000, 100000000, 123456789};
    tsl_dock_plan *plan = NULL;
    tsl_dock_summary s;
    assert_int_equal(tsl_dock_plan_create(&plan, p.context, p.receptor, p.ligand, &options),
                     TSL_OK);
    tsl_dock_plan_summary(plan, &s);
    const int cells = s.grid * s.grid * s.grid;
    tsl_pose best[MOST], *all = calloc((size_t)cells, sizeof *all);
    assert_int_equal(tsl_dock_search(plan, best, &rotation, 1, NULL, NULL), TSL_OK);
    for (int i = 0; i < cells; i++) {
        const int place[3] = {i / (s.grid * s.grid), i / s.grid % s.grid, i % s.grid};
        all[i].rotation = rotation;
        for (int axis = 0; axis < 3; axis++) {
            all[i].shift[axis] = tsl_dock_signed_shift(place[axis], s.grid);
        }
    }
    assert_int_equal(tsl_dock_rescore(plan, all, cells), TSL_OK);
    for (int i = 0; i < cells && is_filtered; i++) {
        double motion[3][4];
        tsl_pose_motion(plan, &all[i], motion);
        all[i].score = is_away(m, (const double(*)[4])motion) != 0 ? all[i].score : -1;
    }
    const int first = best[0].score;
    double motion[3][4];
    tsl_pose_motion(plan, &best[0], motion);
    middle_of(m, (const double(*)[4])motion, m->place);
    for (int j = 0; j < MOST; j++) {
        int winner = 0;
        for (int i = 1; i < cells; i++) {
            winner = all[i].score > all[winner].score ? i : winner;
        }
        if (all[winner].score < TSL_SCORE_LEAST) {
            assert_true(j > 0);
            assert_int_equal(best[j].score, 0);
        } else {
            assert_memory_equal(best[j].shift, all[winner].shift, sizeof best[j].shift);
            assert_int_equal(best[j].score, all[winner].score);
            assert_true(best[j].energy == all[winner].energy);
        }
        all[winner].score = -1;
    }
    tsl_dock_plan_summary(plan, &s);
    assert_true(s.transform_error <= s.transform_bound && s.transform_bound < TSL_SCORE_LEAST);
    free(all);
    tsl_dock_plan_destroy(plan);
    test_free_pair(&p);
    return first;
}

static void winners_beat_every_other_translation(void **state)
{
    (void)state;
    middle m;
    const int first = best_of_all(&m, false), filtered = best_of_all(&m, true);
    assert_true(filtered >= TSL_SCORE_LEAST && filtered < first);
}

/* ---- restraints ---------------------------------------------------------------------------- */

/* A restraint in its plainest form: a filter. */
typedef struct nearness {
    const tsl_molecule *molecules[2];
    const uint8_t *marks[2];
    double within;
} nearness;

static int is_near(void *user, const double motion[3][4])
{
    const nearness *near = user;
    const tsl_molecule *receptor = near->molecules[0], *ligand = near->molecules[1];
    for (int64_t j = 0; j < ligand->count; j++) {
        const middle own = {.own = {ligand->positions[3 * j], ligand->positions[3 * j + 1],
                                    ligand->positions[3 * j + 2]}};
        double at[3];
        middle_of(&own, motion, at);
        for (int64_t i = 0; i < receptor->count && near->marks[1][j] != 0; i++) {
            const double *to = receptor->positions + 3 * i;
            const double apart = hypot(hypot(at[0] - to[0], at[1] - to[1]), at[2] - to[2]);
            if (near->marks[0][i] != 0 && apart <= near->within) {
                return 1;
            }
        }
    }
    return 0;
}

static void restraints_keep_what_a_filter_does(void **state)
{
    (void)state;
    static const double within[] = {9, 60, 60};
    tsl_pose first[PAIR_ROTATIONS * PAIR_KEEP], other[PAIR_ROTATIONS * PAIR_KEEP];
    const int devices = test_device_count();
    for (int which = 0; which < 3; which++) {
        uint8_t marks[2][BLOB_ATOMS] = {{0}};
        marks[0][3] = marks[0][17] = marks[1][2] = marks[1][5] = marks[1][11] = 1;
        if (which == 2) { /* so many that no cells are masked */
            memset(marks, 1, sizeof marks);
        }
        tsl_dock_options options = score_options();
        pair p = named_pair("cpu", 2);
        nearness near = {{p.receptor, p.ligand}, {marks[0], marks[1]}, within[which]};
        options.complementarity.filter = is_near;
        options.complementarity.filter_user = &near;
        test_search(&p, &options, first);
        options.complementarity.filter = NULL;
        test_search(&p, &options, other);
        /* the narrow one leaves some and refuses some; the wide ones refuse none */
        assert_int_equal(memcmp(first, other, sizeof first) != 0, which == 0);
        int found = 0;
        for (int i = 0; i < PAIR_ROTATIONS * PAIR_KEEP; i++) {
            found += first[i].score > 0;
        }
        assert_true(found > PAIR_ROTATIONS / 2);
        test_free_pair(&p);
        options.complementarity.restrained[0] = marks[0];
        options.complementarity.restrained[1] = marks[1];
        options.complementarity.within = within[which];
        for (int d = 0; d < (which == 0 ? devices : 1); d++) {
            const int ways = test_is_another_order(test_devices[d]) ? 1 : 3;
            for (int way = 0; way < ways; way++) {
                options.batch = way == 0 ? 1 : 5;
                options.correlation = way < 2 ? TSL_CORRELATION_LINES : TSL_CORRELATION_PLAIN;
                p = named_pair(test_devices[d], 1 + way);
                test_search(&p, &options, other);
                assert_memory_equal(first, other, sizeof first);
                test_free_pair(&p);
            }
        }
    }
}

/* ---- the formula in floating point --------------------------------------------------------- */

/* A molecule by itself: from its own middle, turned. */
typedef struct body {
    int count;
    double at[BLOB_ATOMS][3];
    bool buried[BLOB_ATOMS], blocked[BLOB_ATOMS];
} body;

static double square_of(const double a[3], const double b[3])
{
    double square = 0;
    for (int axis = 0; axis < 3; axis++) {
        square += (a[axis] - b[axis]) * (a[axis] - b[axis]);
    }
    return square;
}

/* Buried atoms are the library's: what is at the surface to a spot or two hangs on its spots. */
static body body_of(const pair *p, const tsl_molecule *molecule, const tsl_rotation *rotation,
                    const uint8_t *blocked)
{
    body b = {.count = (int)molecule->count};
    double centre[3], matrix[3][3];
    tsl_score_atom *atoms = NULL;
    assert_int_equal(tsl_score_atoms(&atoms, p->context, molecule, NULL), TSL_OK);
    tsl_dock_centre(molecule, centre);
    tsl_dock_matrix(rotation, matrix);
    for (int i = 0; i < b.count; i++) {
        b.buried[i] = atoms[i].buried;
        b.blocked[i] = blocked != NULL && blocked[i] != 0;
        for (int axis = 0; axis < 3; axis++) {
            for (int k = 0; k < 3; k++) {
                b.at[i][axis] += matrix[axis][k] * (molecule->positions[3 * i + k] - centre[k]);
            }
        }
    }
    tsl_release(atoms);
    return b;
}

/* 3, 1 or 0 of the cell whose centre is given. */
static int clash_at(const body *b, const double centre[3])
{
    int value = 0;
    for (int i = 0; i < b->count; i++) {
        const double reach = radii[i % 10] * sqrt(b->buried[i] ? 1.5 : 0.8);
        if (square_of(b->at[i], centre) < reach * reach) {
            value = b->buried[i] ? 3 : value > 1 ? value : 1;
        }
    }
    return value;
}

static double table_product(const tsl_contact_factors *factors, int i, int j)
{
    double sum = 0;
    for (int k = 0; k < TSL_CONTACT_RANK && i >= 0 && j >= 0; k++) {
        sum += factors->receptor[k][i] * factors->ligand[k][j];
    }
    return sum;
}

static double screened(double r)
{
    r = fmax(r, 2);
    return 1 / (r * (r <= 6 ? 4 : r < 8 ? 38 * r - 224 : 80));
}

/* 32 S of a translation; *electrostatic receives E. */
static double formula(const body *receptor, const body *ligand, const tsl_dock_summary *s,
                      const int shift[3], const tsl_complementarity *weights,
                      const tsl_contact_factors *factors, double *electrostatic)
{
    const double h = s->spacing;
    double pairs = 0, contacts = 0, clash = 0;
    *electrostatic = 0;
    for (int j = 0; j < ligand->count; j++) {
        double at[3];
        for (int axis = 0; axis < 3; axis++) {
            at[axis] = (floor(ligand->at[j][axis] / h) + 0.5 + shift[axis]) * h;
        }
        const bool open = clash_at(receptor, at) == 0;
        double pairs_of_atom = 0;
        for (int i = 0; i < receptor->count; i++) {
            const double r = sqrt(square_of(receptor->at[i], at));
            const bool stands = !receptor->blocked[i] && !ligand->blocked[j];
            pairs_of_atom += open && r <= radii[i % 10] + 3.6 ? (receptor->blocked[i] ? -1 : 1) : 0;
            contacts += stands && r <= 6 ? table_product(factors, kinds[i % 10], kinds[j % 10]) : 0;
            *electrostatic += stands && open && r <= 15
                                  ? 332 * charges[i % 10] * charges[j % 10] * screened(r)
                                  : 0;
        }
        pairs_of_atom = fmin(pairs_of_atom, INT16_MAX / 256.0); /* more than proteins have */
        pairs += ligand->blocked[j] ? -pairs_of_atom : pairs_of_atom;
    }
    for (int x = -12; x < 12; x++) {
        for (int y = -12; y < 12; y++) {
            for (int z = -12; z < 12; z++) {
                const double own[3] = {(x + 0.5) * h, (y + 0.5) * h, (z + 0.5) * h};
                const double there[3] = {own[0] + shift[0] * h, own[1] + shift[1] * h,
                                         own[2] + shift[2] * h};
                const int value = clash_at(ligand, own);
                clash += value > 0 ? 9.0 * value * clash_at(receptor, there) : 0;
            }
        }
    }
    return 32 * (pairs - weights->clash * clash * pow(h / 1.2, 3) -
                 weights->electrostatics * *electrostatic - weights->contacts * contacts);
}

/* `role`: whose atoms are blocked, some of them; -1: nobody's. */
static void compare_with_the_formula(int role)
{
    uint8_t blocked[BLOB_ATOMS];
    pair p = named_pair("cpu", 2);
    tsl_dock_options options = score_options();
    double table[18][18];
    uint64_t seed = 4;
    for (int i = 0; i < 18; i++) {
        for (int j = 0; j <= i; j++) {
            table[i][j] = table[j][i] = 0.7 * test_uniform(&seed);
        }
    }
    options.complementarity.table = &table[0][0];
    for (int i = 0; i < BLOB_ATOMS; i++) {
        blocked[i] = i % 3 == 1;
    }
    for (int i = 0; i < 2; i++) {
        options.complementarity.blocked[i] = role == i ? blocked : NULL;
    }
    const tsl_contact_factors factors = tsl_contact_factorise(&table[0][0]);
    const tsl_rotation still = {0, 0, 0}, rotation = {33000000, 71000000, 205000000};
    tsl_dock_plan *plan = NULL;
    tsl_dock_summary s;
    assert_int_equal(tsl_dock_plan_create(&plan, p.context, p.receptor, p.ligand, &options),
                     TSL_OK);
    tsl_dock_plan_summary(plan, &s);
    const body receptor = body_of(&p, p.receptor, &still, role == 0 ? blocked : NULL);
    const body ligand = body_of(&p, p.ligand, &rotation, role == 1 ? blocked : NULL);
    double largest = 0;
    for (int i = 0; i < 60; i++) {
        tsl_pose pose = {.rotation = rotation};
        for (int axis = 0; axis < 3; axis++) {
            pose.shift[axis] = (int)(12 * test_uniform(&seed));
        }
        double energy;
        const double score = formula(&receptor, &ligand, &s, pose.shift, &options.complementarity,
                                     &factors, &energy);
        assert_int_equal(tsl_dock_rescore(plan, &pose, 1), TSL_OK);
        largest = fmax(largest, fabs(score));
        /* Fields and values are rounded: of each atom E by 2^-9 times 10 and a hundredth, for the
         * table's steps, D by some 2^-9 times 64 / 10. */
        if (fabs(pose.score - score) > 0.002 * fabs(score) + 90) {
            fail_msg("pose %d: %d, not %.1f", i, pose.score, score);
        }
        assert_true(fabs(pose.energy - energy / 332) < 0.02 * fabs(energy / 332) + 3e-4);
    }
    assert_true(largest > 10000);
    tsl_dock_plan_destroy(plan);
    test_free_pair(&p);
}

static void scores_match_the_formula(void **state)
{
    (void)state;
    compare_with_the_formula(-1);
}

static void blocked_atoms_push_away(void **state)
{
    (void)state;
    compare_with_the_formula(0);
    compare_with_the_formula(1);
}

static void five_products_make_a_table(void **state)
{
    (void)state;
    double table[18][18] = {{0}}, vectors[5][18];
    uint64_t seed = 9;
    for (int k = 0; k < 5; k++) {
        for (int i = 0; i < 18; i++) {
            vectors[k][i] = test_uniform(&seed);
        }
        for (int i = 0; i < 18 * 18; i++) {
            table[i / 18][i % 18] +=
                (k % 2 == 0 ? 1 : -1) * vectors[k][i / 18] * vectors[k][i % 18];
        }
    }
    const tsl_contact_factors factors = tsl_contact_factorise(&table[0][0]);
    for (int i = 0; i < 18 * 18; i++) {
        assert_true(fabs(table_product(&factors, i / 18, i % 18) - table[i / 18][i % 18]) < 1e-12);
    }
}

static void wrong_options_are_refused(void **state)
{
    (void)state;
    pair p = named_pair("cpu", 1);
    double table[18][18] = {{0}};
    tsl_dock_plan *plan = NULL;
    tsl_dock_options options = score_options();
    options.complementarity.clash = -1;
    assert_int_equal(tsl_dock_plan_create(&plan, p.context, p.receptor, p.ligand, &options),
                     TSL_E_ARG);
    options = score_options();
    options.complementarity.table = &table[0][0];
    table[2][3] = 1;
    assert_int_equal(tsl_dock_plan_create(&plan, p.context, p.receptor, p.ligand, &options),
                     TSL_E_ARG);
    assert_non_null(strstr(tsl_last_error(p.context), "types 2 and 3"));
    options = score_options();
    options.complementarity.clash = 3; /* 3 (1.5 / 1.2)^3 is more than 16 bits hold */
    assert_int_equal(tsl_dock_plan_create(&plan, p.context, p.receptor, p.ligand, &options),
                     TSL_E_ARG);
    assert_non_null(strstr(tsl_last_error(p.context), "16 bits"));
    options.complementarity.clash = 2;
    assert_int_equal(tsl_dock_plan_create(&plan, p.context, p.receptor, p.ligand, &options),
                     TSL_OK);
    tsl_dock_plan_destroy(plan);
    options.score = (tsl_dock_score)2;
    assert_int_equal(tsl_dock_plan_create(&plan, p.context, p.receptor, p.ligand, &options),
                     TSL_E_ARG);
    test_free_pair(&p);
}

static void wrong_restraints_are_refused(void **state)
{
    (void)state;
    pair p = named_pair("cpu", 1);
    tsl_dock_plan *plan = NULL;
    tsl_dock_options options = score_options();
    const uint8_t marks[BLOB_ATOMS] = {0};
    options.complementarity.restrained[0] = marks;
    options.complementarity.within = 8;
    assert_int_equal(tsl_dock_plan_create(&plan, p.context, p.receptor, p.ligand, &options),
                     TSL_E_ARG);
    assert_non_null(strstr(tsl_last_error(p.context), "of one molecule"));
    options.complementarity.restrained[1] = marks;
    assert_int_equal(tsl_dock_plan_create(&plan, p.context, p.receptor, p.ligand, &options),
                     TSL_E_ARG);
    assert_non_null(strstr(tsl_last_error(p.context), "no atom of the receptor"));
    options.complementarity.within = 0;
    assert_int_equal(tsl_dock_plan_create(&plan, p.context, p.receptor, p.ligand, &options),
                     TSL_E_ARG);
    assert_non_null(strstr(tsl_last_error(p.context), "0 angstrom"));
    test_free_pair(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(devices_batches_and_ways_do_not_matter),
                                       cmocka_unit_test(winners_beat_every_other_translation),
                                       cmocka_unit_test(restraints_keep_what_a_filter_does),
                                       cmocka_unit_test(scores_match_the_formula),
                                       cmocka_unit_test(blocked_atoms_push_away),
                                       cmocka_unit_test(five_products_make_a_table),
                                       cmocka_unit_test(wrong_options_are_refused),
                                       cmocka_unit_test(wrong_restraints_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
