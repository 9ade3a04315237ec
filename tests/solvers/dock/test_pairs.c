/* Energies by potentials of pairs of atoms: against a plain sum over all of them in double
 * precision, the same bits on every device and in any order of atoms, and the order they give. */
/* ctest: cost 3 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/molecule/molecule.h"
#include "solvers/dock/blob.h"
#include "solvers/dock/pair.h"
#include "solvers/dock/plan.h"
#include "support/devices.h"

enum { TYPES = TSL_CONTACT_TYPE_COUNT, BINS = 5, POSES = 40, MANY = 4100, LIGAND = 300 };

/* An atom of some of the types, and of none; blob atoms take turns. */
static const struct {
    const char *residue, *name;
    int type;
} kinds[] = {{"ALA", "CB", 5}, {"LYS", "NZ", 6},  {"ASP", "OD1", 8}, {"LEU", "CD1", 16},
             {"GLY", "CA", 4}, {"CYS", "SG", 17}, {"ARG", "NH1", 9}, {"TRP", "N", 0},
             {"SER", "O", 3},  {"HOH", "XX", -1}, {"VAL", "C", 2}};
enum { KINDS = sizeof kinds / sizeof *kinds };

static const double edges[BINS] = {2.5, 3.3, 5, 7.5, 11.9};

static void name_atoms(tsl_molecule *molecule)
{
    molecule->atoms = tsl_allocate_zeroed((size_t)molecule->count, sizeof *molecule->atoms);
    for (int64_t i = 0; i < molecule->count; i++) {
        strcpy(molecule->atoms[i].parent, kinds[i % KINDS].residue);
        strcpy(molecule->atoms[i].name, kinds[i % KINDS].name);
        strcpy(molecule->atoms[i].element, "C");
    }
}

/* A ligand of more atoms than a block has threads. */
static tsl_molecule *large_ligand(tsl_context *context)
{
    double positions[3 * LIGAND];
    uint64_t seed = 12;
    tsl_molecule *ligand = NULL;
    for (int i = 0; i < 3 * LIGAND; i++) {
        positions[i] = 6 * test_uniform(&seed) - 3;
    }
    assert_int_equal(tsl_molecule_create(&ligand, context, LIGAND, positions, NULL), TSL_OK);
    return ligand;
}

static pair named_pair(const char *device, int threads)
{
    pair p = test_pair(device, threads);
    tsl_molecule_destroy(p.ligand);
    p.ligand = large_ligand(p.context);
    name_atoms(p.receptor);
    name_atoms(p.ligand);
    return p;
}

static tsl_dock_options score_options(void)
{
    tsl_dock_options options = TSL_DOCK_OPTIONS_INIT;
    options.spacing = 1.5;
    options.score = TSL_SCORE_COMPLEMENTARITY;
    return options;
}

static tsl_dock_plan *plan_of(const pair *p, const tsl_dock_options *options)
{
    tsl_dock_plan *plan = NULL;
    if (tsl_dock_plan_create(&plan, p->context, p->receptor, p->ligand, options) != TSL_OK) {
        fail_msg("%s", tsl_last_error(p->context));
    }
    return plan;
}

/* Symmetric, in steps of 2^-8, so that no rounding is left to compare. */
static void fill_values(double values[BINS][TYPES][TYPES], uint64_t seed)
{
    for (int i = 0; i < BINS * TYPES * TYPES; i++) {
        const int row = i / TYPES % TYPES, column = i % TYPES;
        double *table = &values[i / (TYPES * TYPES)][0][0];
        if (column <= row) {
            const double value = ldexp(rint(300 * test_uniform(&seed)), -8);
            table[row * TYPES + column] = table[column * TYPES + row] = value;
        }
    }
}

static tsl_pair_potentials potentials_of(double values[BINS][TYPES][TYPES])
{
    tsl_pair_potentials p = TSL_PAIR_POTENTIALS_INIT;
    p.bins = BINS;
    p.edges = edges;
    p.values = &values[0][0][0];
    return p;
}

/* Poses that touch, and one far off. */
static void make_poses(tsl_pose *poses, int count)
{
    uint64_t seed = 6;
    memset(poses, 0, (size_t)count * sizeof *poses);
    for (int i = 0; i < count; i++) {
        poses[i].rotation = (tsl_rotation){(int32_t)(test_random(&seed) % 360000000),
                                           (int32_t)(test_random(&seed) % 180000001),
                                           (int32_t)(test_random(&seed) % 360000000)};
        for (int axis = 0; axis < 3; axis++) {
            poses[i].shift[axis] = i == 3 ? 16 : (int)(9 * test_uniform(&seed));
        }
        poses[i].score = 4096 + (int)(test_random(&seed) % 100);
        poses[i].energy = -i;
    }
}

/* ---- the sum over all pairs ---------------------------------------------------------------- */

/* What a sum may be: pairs within 2e-3 angstrom of a bin's end may be on either side of it. */
typedef struct range {
    double low, high;
    int near, inside;
} range;

static double value_at(double values[BINS][TYPES][TYPES], double distance, int a, int b)
{
    for (int bin = 0; bin < BINS; bin++) {
        if (distance <= edges[bin]) {
            return values[bin][a][b];
        }
    }
    return 0;
}

static range plain_sum(const tsl_dock_plan *plan, const tsl_molecule *receptor,
                       const tsl_molecule *ligand, const tsl_pose *pose,
                       double values[BINS][TYPES][TYPES], const uint8_t *const blocked[2])
{
    range sum = {0};
    double motion[3][4];
    tsl_pose_motion(plan, pose, motion);
    for (int64_t j = 0; j < ligand->count; j++) {
        const double *from = ligand->positions + 3 * j;
        for (int64_t i = 0; i < receptor->count; i++) {
            const int a = kinds[i % KINDS].type, b = kinds[j % KINDS].type;
            double square = 0;
            for (int axis = 0; axis < 3; axis++) {
                const double *m = motion[axis];
                const double at = m[0] * from[0] + m[1] * from[1] + m[2] * from[2] + m[3] -
                                  receptor->positions[3 * i + axis];
                square += at * at;
            }
            const bool is_blocked =
                (blocked[0] != NULL && blocked[0][i]) || (blocked[1] != NULL && blocked[1][j]);
            if (a >= 0 && b >= 0 && !is_blocked) {
                const double nearer = value_at(values, sqrt(square) - 2e-3, a, b);
                const double farther = value_at(values, sqrt(square) + 2e-3, a, b);
                sum.low += 256 * fmin(nearer, farther);
                sum.high += 256 * fmax(nearer, farther);
                sum.near += nearer != farther;
                sum.inside += sqrt(square) <= edges[BINS - 1];
            }
        }
    }
    return sum;
}

/* Are energies what they may be? */
static void check_energies(const tsl_dock_plan *plan, const pair *p, const tsl_pose *poses,
                           const int64_t *energies, double values[BINS][TYPES][TYPES],
                           const uint8_t *const blocked[2])
{
    int near = 0, inside = 0;
    for (int i = 0; i < POSES; i++) {
        const range sum = plain_sum(plan, p->receptor, p->ligand, &poses[i], values, blocked);
        near += sum.near;
        inside += sum.inside;
        if ((double)energies[i] < sum.low - 1e-6 || (double)energies[i] > sum.high + 1e-6) {
            fail_msg("pose %d: %lld, not %.1f to %.1f", i, (long long)energies[i], sum.low,
                     sum.high);
        }
    }
    assert_true(inside > 20000 && near < inside / 100);
}

static void energies_are_those_of_all_pairs(void **state)
{
    (void)state;
    static double values[BINS][TYPES][TYPES];
    fill_values(values, 3);
    const tsl_pair_potentials potentials = potentials_of(values);
    const tsl_dock_options options = score_options();
    tsl_pose poses[POSES];
    int64_t first[POSES], energies[POSES];
    make_poses(poses, POSES);
    const int devices = test_device_count();
    for (int d = 0; d < devices; d++) {
        pair p = named_pair(test_devices[d], 2);
        tsl_dock_plan *plan = plan_of(&p, &options);
        memset(energies, 0x55, sizeof energies);
        assert_int_equal(tsl_dock_pair_energies(plan, poses, POSES, &potentials, energies), TSL_OK);
        if (d == 0) {
            check_energies(plan, &p, poses, energies, values, (const uint8_t *const[]){NULL, NULL});
            assert_true(energies[3] == 0); /* the one far off */
            memcpy(first, energies, sizeof first);
        }
        assert_memory_equal(first, energies, sizeof first);
        tsl_dock_plan_destroy(plan);
        test_free_pair(&p);
    }
}

/* More poses than a device sums together are as many of one each. */
static void batches_do_not_matter(void **state)
{
    (void)state;
    static double values[BINS][TYPES][TYPES];
    fill_values(values, 3);
    const tsl_pair_potentials potentials = potentials_of(values);
    const tsl_dock_options options = score_options();
    tsl_pose *poses = calloc(MANY, sizeof *poses);
    int64_t *energies = calloc(MANY, sizeof *energies), alone;
    make_poses(poses, MANY);
    pair p = named_pair("cpu", 2);
    tsl_dock_plan *plan = plan_of(&p, &options);
    assert_int_equal(tsl_dock_pair_energies(plan, poses, MANY, &potentials, energies), TSL_OK);
    const int some[] = {0, 17, MANY - 5, MANY - 1};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(tsl_dock_pair_energies(plan, &poses[some[i]], 1, &potentials, &alone),
                         TSL_OK);
        assert_true(alone == energies[some[i]]);
    }
    assert_int_equal(tsl_dock_pair_energies(plan, poses, 0, &potentials, energies), TSL_OK);
    tsl_dock_plan_destroy(plan);
    test_free_pair(&p);
    free(poses);
    free(energies);
}

/* ---- orders and places of atoms ------------------------------------------------------------ */

/* Put positions on a grid of 1/8 angstrom, where sums of them are exact, in another order and
 * elsewhere. */
static void rearrange(tsl_molecule *molecule, bool backwards, const double by[3])
{
    const int64_t n = molecule->count;
    for (int64_t i = 0; i < 3 * n; i++) {
        molecule->positions[i] = rint(8 * molecule->positions[i]) / 8 + by[i % 3];
    }
    for (int64_t i = 0; i < n / 2 && backwards; i++) {
        const tsl_atom atom = molecule->atoms[i];
        molecule->atoms[i] = molecule->atoms[n - 1 - i];
        molecule->atoms[n - 1 - i] = atom;
        for (int axis = 0; axis < 3; axis++) {
            const double at = molecule->positions[3 * i + axis];
            molecule->positions[3 * i + axis] = molecule->positions[3 * (n - 1 - i) + axis];
            molecule->positions[3 * (n - 1 - i) + axis] = at;
        }
    }
}

static void order_and_place_of_atoms_do_not_matter(void **state)
{
    (void)state;
    static double values[BINS][TYPES][TYPES];
    static const double by[3][3] = {{0, 0, 0}, {64, -32, 128}, {-16, 8, 0}};
    fill_values(values, 8);
    const tsl_pair_potentials potentials = potentials_of(values);
    tsl_pose poses[POSES];
    int64_t first[POSES], energies[POSES];
    make_poses(poses, POSES);
    for (int i = 0; i < 4; i++) {
        tsl_dock_options options = score_options();
        pair p = named_pair("cpu", 1);
        /* 128 atoms and 256: means of 1/8 angstrom are exact */
        p.receptor->count = 128;
        p.ligand->count = 256;
        rearrange(p.receptor, i % 2 == 1, by[i / 2]);
        rearrange(p.ligand, i / 2 == 1, by[i / 2 == 1 ? 2 : 0]);
        tsl_dock_plan *plan = plan_of(&p, &options);
        assert_int_equal(tsl_dock_pair_energies(plan, poses, POSES, &potentials, energies), TSL_OK);
        memcpy(i == 0 ? first : energies, energies, sizeof first);
        assert_memory_equal(first, energies, sizeof first);
        tsl_dock_plan_destroy(plan);
        test_free_pair(&p);
    }
}

/* ---- what has no pairs, and the order of a list -------------------------------------------- */

static void blocked_atoms_have_no_pairs(void **state)
{
    (void)state;
    static double values[BINS][TYPES][TYPES];
    fill_values(values, 2);
    const tsl_pair_potentials potentials = potentials_of(values);
    tsl_dock_options options = score_options();
    pair p = named_pair("cpu", 1);
    uint8_t blocked[LIGAND];
    int64_t energies[POSES];
    tsl_pose poses[POSES];
    make_poses(poses, POSES);
    for (int i = 0; i < LIGAND; i++) {
        blocked[i] = i % 4 == 1;
    }
    for (int role = 0; role < 2; role++) {
        options.complementarity.blocked[role] = blocked;
        options.complementarity.blocked[1 - role] = NULL;
        tsl_dock_plan *plan = plan_of(&p, &options);
        assert_int_equal(tsl_dock_pair_energies(plan, poses, POSES, &potentials, energies), TSL_OK);
        check_energies(plan, &p, poses, energies, values, options.complementarity.blocked);
        tsl_dock_plan_destroy(plan);
    }
    test_free_pair(&p);
}

static void energies_come_off_the_score(void **state)
{
    (void)state;
    tsl_dock_options options = score_options();
    pair p = named_pair("cpu", 1);
    tsl_dock_plan *plan = plan_of(&p, &options);
    tsl_pose before[POSES], poses[POSES];
    int64_t energies[POSES], from[POSES];
    bool seen[POSES] = {false};
    make_poses(before, POSES);
    memcpy(poses, before, sizeof poses);
    assert_int_equal(tsl_dock_pair_energies(plan, poses, POSES, NULL, energies), TSL_OK);
    assert_int_equal(tsl_dock_rerank(plan, poses, POSES, NULL, from), TSL_OK);
    int moved = 0;
    for (int i = 0; i < POSES; i++) {
        const tsl_pose *was = &before[from[i]];
        const double score = was->score - (double)energies[from[i]] / 8;
        assert_true(fabs(poses[i].score - score) <= 0.5);
        assert_memory_equal(&poses[i].rotation, &was->rotation, sizeof was->rotation);
        assert_memory_equal(poses[i].shift, was->shift, sizeof was->shift);
        assert_true(poses[i].energy == was->energy && !seen[from[i]]);
        assert_true(i == 0 || poses[i].score <= poses[i - 1].score);
        seen[from[i]] = true;
        moved += from[i] != i;
    }
    assert_true(moved > POSES / 2);
    tsl_dock_plan_destroy(plan);
    test_free_pair(&p);
}

static tsl_status sum_two(tsl_context *context, void *user)
{
    (void)context;
    int64_t energies[2];
    tsl_pose poses[2];
    make_poses(poses, 2);
    return tsl_dock_pair_energies(user, poses, 2, NULL, energies);
}

static void a_lack_of_memory_is_told(void **state)
{
    (void)state;
    static const char *const devices[] = {"cpu", "sim"};
    const tsl_dock_options options = score_options();
    for (int d = 0; d < 2; d++) {
        pair p = named_pair(devices[d], 1);
        tsl_dock_plan *plan = plan_of(&p, &options);
        assert_int_equal(test_survives_no_memory(p.context, sum_two, plan), 7);
        tsl_dock_plan_destroy(plan);
        test_free_pair(&p);
    }
}

static void wrong_arguments_are_refused(void **state)
{
    (void)state;
    static double values[BINS][TYPES][TYPES];
    pair p = named_pair("cpu", 1);
    tsl_dock_options options = score_options();
    tsl_dock_plan *plan = plan_of(&p, &options);
    tsl_pose pose = {.score = 4096};
    int64_t energy, from;
    const double descending[BINS] = {3, 4, 4, 5, 6}, near[BINS] = {1, 3, 4, 5, 6};
    const double far[BINS] = {3, 4, 5, 6, 12.1};
    const double *const wrong[] = {descending, near, far};
    for (int i = 0; i < 3; i++) {
        tsl_pair_potentials potentials = potentials_of(values);
        potentials.edges = wrong[i];
        assert_int_equal(tsl_dock_pair_energies(plan, &pose, 1, &potentials, &energy), TSL_E_ARG);
        assert_non_null(strstr(tsl_last_error(p.context), "ascending edges"));
    }
    tsl_pair_potentials potentials = potentials_of(values);
    potentials.bins = TSL_PAIR_BINS + 1;
    assert_int_equal(tsl_dock_pair_energies(plan, &pose, 1, &potentials, &energy), TSL_E_ARG);
    potentials.bins = BINS;
    values[4][2][7] = 1;
    assert_int_equal(tsl_dock_pair_energies(plan, &pose, 1, &potentials, &energy), TSL_E_ARG);
    assert_non_null(strstr(tsl_last_error(p.context), "bin 4"));
    values[4][7][2] = 1;
    assert_int_equal(tsl_dock_pair_energies(plan, &pose, 1, &potentials, &energy), TSL_OK);
    values[4][7][2] = values[4][2][7] = 101;
    assert_int_equal(tsl_dock_pair_energies(plan, &pose, 1, &potentials, &energy), TSL_E_ARG);
    pose.shift[1] = 10000;
    assert_int_equal(tsl_dock_pair_energies(plan, &pose, 1, NULL, &energy), TSL_E_ARG);
    tsl_dock_plan_destroy(plan);
    options = test_small_options();
    options.electrostatics = TSL_ELECTROSTATICS_OFF;
    plan = plan_of(&p, &options);
    pose.shift[1] = 0;
    assert_int_equal(tsl_dock_rerank(plan, &pose, 1, NULL, &from), TSL_E_ARG);
    tsl_dock_plan_destroy(plan);
    test_free_pair(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(energies_are_those_of_all_pairs),
                                       cmocka_unit_test(batches_do_not_matter),
                                       cmocka_unit_test(order_and_place_of_atoms_do_not_matter),
                                       cmocka_unit_test(blocked_atoms_have_no_pairs),
                                       cmocka_unit_test(energies_come_off_the_score),
                                       cmocka_unit_test(a_lack_of_memory_is_told),
                                       cmocka_unit_test(wrong_arguments_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
