/* How near poses are to a known complex: against plain loops, and a superposition by another way.
 */
/* ctest: cost 5 */
#include <math.h>
#include <string.h>

#include "io/molecule/molecule.h"
#include "solvers/dock/plan.h"
#include "solvers/dock/quality.h"
#include "support/devices.h"

/* Trypsin and BPTI; the complex is the pose that puts lysine 15 into the pocket. */
typedef struct complex {
    tsl_context *context;
    tsl_molecule *docked[2], *bound[2];
    double motion[3][4];
} complex;

static tsl_molecule *read(tsl_context *context, const char *name)
{
    tsl_molecule *molecule = NULL;
    assert_int_equal(tsl_molecule_read(&molecule, context, name, NULL), TSL_OK);
    return molecule;
}

static void apply(const double m[3][4], const double from[3], double to[3])
{
    for (int i = 0; i < 3; i++) {
        to[i] = m[i][0] * from[0] + m[i][1] * from[1] + m[i][2] * from[2] + m[i][3];
    }
}

static void move_all(tsl_molecule *molecule, const double m[3][4])
{
    for (int64_t i = 0; i < molecule->count; i++) {
        double at[3];
        apply(m, molecule->positions + 3 * i, at);
        memcpy(molecule->positions + 3 * i, at, sizeof at);
    }
}

static complex make_complex(void)
{
    static const char *const names[] = {TSL_SOURCE_DIR "/data/trypsin.pdb",
                                        TSL_SOURCE_DIR "/data/bpti.pdb"};
    static const tsl_rotation rotation = {320000000, 20000000, 300000000};
    static const int shift[3] = {24, 4, -5};
    complex c = {.context = test_context("cpu", 1)};
    double centres[2][3], turn[3][3];
    float radii[2];
    for (int i = 0; i < 2; i++) {
        c.docked[i] = read(c.context, names[i]);
        c.bound[i] = read(c.context, names[i]);
        radii[i] = tsl_dock_centre(c.docked[i], centres[i]);
    }
    tsl_dock_matrix(&rotation, turn);
    for (int i = 0; i < 3; i++) {
        c.motion[i][3] = centres[0][i] + shift[i] * (double)tsl_dock_span(radii[0], radii[1]) / 96;
        for (int j = 0; j < 3; j++) {
            c.motion[i][j] = turn[i][j];
            c.motion[i][3] -= turn[i][j] * centres[1][j];
        }
    }
    move_all(c.bound[1], (const double(*)[4])c.motion);
    return c;
}

static void free_complex(complex *c)
{
    for (int i = 0; i < 2; i++) {
        tsl_molecule_destroy(c->docked[i]);
        tsl_molecule_destroy(c->bound[i]);
    }
    tsl_context_destroy(c->context);
}

static tsl_quality judge(const complex *c, const double motion[3][4])
{
    const tsl_molecule *const docked[2] = {c->docked[0], c->docked[1]};
    const tsl_molecule *const bound[2] = {c->bound[0], c->bound[1]};
    tsl_native *native = NULL;
    assert_int_equal(tsl_native_create(&native, c->context, docked, bound), TSL_OK);
    const tsl_quality q = tsl_native_judge(native, motion);
    tsl_native_destroy(native);
    return q;
}

/* ---- the same by plain loops ---------------------------------------------------------------- */

static double distance_of(const double *a, const double *b)
{
    const double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return sqrt(x * x + y * y + z * z);
}

enum { RESIDUES = 300 };

/* Least distances between residues of the receptor and the ligand, [RESIDUES][RESIDUES]. */
static void find_least(const tsl_molecule *receptor, const double *ligand_positions,
                       const tsl_molecule *ligand, double *least)
{
    for (int i = 0; i < RESIDUES * RESIDUES; i++) {
        least[i] = 1e9;
    }
    for (int64_t i = 0; i < receptor->count; i++) {
        for (int64_t j = 0; j < ligand->count; j++) {
            double *at = &least[receptor->atoms[i].residue_index * RESIDUES +
                                ligand->atoms[j].residue_index];
            *at = fmin(*at, distance_of(receptor->positions + 3 * i, ligand_positions + 3 * j));
        }
    }
}

static bool is_backbone(const tsl_atom *atom)
{
    return strcmp(atom->name, "N") == 0 || strcmp(atom->name, "CA") == 0 ||
           strcmp(atom->name, "C") == 0 || strcmp(atom->name, "O") == 0;
}

/* Root mean square distance after superposition (Kabsch): |p|^2 + |q|^2 - 2 (s1 + s2 +- s3) with
 * the singular values of the covariance, whose squares are eigenvalues found in closed form. */
static double superposed(double (*p)[3], double (*q)[3], int count)
{
    double mean[2][3] = {{0}}, h[3][3] = {{0}}, a[3][3] = {{0}}, square = 0;
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < 3; k++) {
            mean[0][k] += p[i][k] / count;
            mean[1][k] += q[i][k] / count;
        }
    }
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < 3; k++) {
            const double x = p[i][k] - mean[0][k], y = q[i][k] - mean[1][k];
            square += x * x + y * y;
            for (int l = 0; l < 3; l++) {
                h[k][l] += x * (q[i][l] - mean[1][l]);
            }
        }
    }
    for (int i = 0; i < 9; i++) {
        for (int k = 0; k < 3; k++) {
            a[i / 3][i % 3] += h[k][i / 3] * h[k][i % 3];
        }
    }
    const double m = (a[0][0] + a[1][1] + a[2][2]) / 3;
    double deviation = 0;
    for (int i = 0; i < 9; i++) {
        a[i / 3][i % 3] -= i % 4 == 0 ? m : 0;
        deviation += a[i / 3][i % 3] * a[i / 3][i % 3] / 6;
    }
    const double r = sqrt(deviation);
    const double determinant = a[0][0] * (a[1][1] * a[2][2] - a[1][2] * a[2][1]) -
                               a[0][1] * (a[1][0] * a[2][2] - a[1][2] * a[2][0]) +
                               a[0][2] * (a[1][0] * a[2][1] - a[1][1] * a[2][0]);
    const double angle = acos(fmax(-1, fmin(1, determinant / (2 * r * r * r)))) / 3;
    double sum = 0;
    const double turn = h[0][0] * (h[1][1] * h[2][2] - h[1][2] * h[2][1]) -
                        h[0][1] * (h[1][0] * h[2][2] - h[1][2] * h[2][0]) +
                        h[0][2] * (h[1][0] * h[2][1] - h[1][1] * h[2][0]);
    for (int k = 0; k < 3; k++) { /* the least is the one at 2 pi / 3 */
        const double value = sqrt(fmax(0, m + 2 * r * cos(angle + 2 * M_PI * k / 3)));
        sum += k == 1 && turn < 0 ? -value : value;
    }
    return sqrt(fmax(0, square - 2 * sum) / count);
}

/* The definitions, for docked molecules that are the bound ones moved. */
static tsl_quality judge_plainly(const complex *c, const double motion[3][4])
{
    static double native[RESIDUES * RESIDUES], now[RESIDUES * RESIDUES], placed[3 * 2000];
    static double p[4 * RESIDUES][3], q[4 * RESIDUES][3];
    const tsl_molecule *receptor = c->docked[0], *ligand = c->docked[1];
    bool near[2][RESIDUES] = {{false}};
    int contacts = 0, kept = 0, count = 0, of_ligand = 0;
    double square = 0;
    for (int64_t i = 0; i < ligand->count; i++) {
        apply(motion, ligand->positions + 3 * i, placed + 3 * i);
    }
    find_least(receptor, c->bound[1]->positions, ligand, native);
    find_least(receptor, placed, ligand, now);
    for (int i = 0; i < RESIDUES * RESIDUES; i++) {
        contacts += native[i] < 5;
        kept += native[i] < 5 && now[i] < 5;
        near[0][i / RESIDUES] |= native[i] < 10;
        near[1][i % RESIDUES] |= native[i] < 10;
    }
    for (int role = 0; role < 2; role++) {
        const double *places = role == 0 ? receptor->positions : placed;
        for (int64_t i = 0; i < c->docked[role]->count; i++) {
            const tsl_atom *atom = &c->docked[role]->atoms[i];
            if (is_backbone(atom) && near[role][atom->residue_index]) {
                memcpy(p[count], places + 3 * i, sizeof p[0]);
                memcpy(q[count++], c->bound[role]->positions + 3 * i, sizeof p[0]);
            }
            if (role == 1 && is_backbone(atom)) {
                const double d = distance_of(places + 3 * i, c->bound[1]->positions + 3 * i);
                square += d * d;
                of_ligand++;
            }
        }
    }
    tsl_quality out = {.fnat = (double)kept / contacts,
                       .interface_rmsd = superposed(p, q, count),
                       .ligand_rmsd = sqrt(square / of_ligand)};
    out.dockq = (out.fnat + 1 / (1 + pow(out.interface_rmsd / 1.5, 2)) +
                 1 / (1 + pow(out.ligand_rmsd / 8.5, 2))) /
                3;
    return out;
}

static void assert_near(const tsl_quality *a, const tsl_quality *b)
{
    assert_true(fabs(a->fnat - b->fnat) < 1e-12);
    assert_true(fabs(a->interface_rmsd - b->interface_rmsd) < 1e-5);
    assert_true(fabs(a->ligand_rmsd - b->ligand_rmsd) < 1e-6);
    assert_true(fabs(a->dockq - b->dockq) < 1e-5);
}

static void poses_are_judged_by_the_definitions(void **state)
{
    (void)state;
    complex c = make_complex();
    const tsl_quality native = judge(&c, (const double(*)[4])c.motion);
    assert_true(native.fnat == 1 && native.ligand_rmsd < 1e-6 && native.interface_rmsd < 1e-5);
    assert_true(fabs(native.dockq - 1) < 1e-9);
    assert_int_equal(tsl_quality_class(&native), 3);
    double largest = 0, least = 1;
    for (int i = 0; i < 6; i++) {
        const tsl_rotation rotation = {7000000 * i, 5000000 * i, 3000000};
        double turn[3][3], motion[3][4] = {{0}};
        tsl_dock_matrix(&rotation, turn);
        for (int row = 0; row < 3; row++) { /* turned about the origin, where the pose is not */
            for (int column = 0; column < 4; column++) {
                for (int k = 0; k < 3; k++) {
                    motion[row][column] += turn[row][k] * c.motion[k][column];
                }
            }
            motion[row][3] += i == 1 && row == 0 ? 2.5 : 0;
        }
        const tsl_quality found = judge(&c, (const double(*)[4])motion);
        const tsl_quality expected = judge_plainly(&c, (const double(*)[4])motion);
        assert_near(&found, &expected);
        largest = fmax(largest, found.ligand_rmsd);
        least = fmin(least, found.fnat);
    }
    assert_true(largest > 10 && least < 0.2);
    free_complex(&c);
}

/* The larger molecule is superposed, whichever is the receptor. */
static void roles_may_be_swapped(void **state)
{
    (void)state;
    complex c = make_complex();
    double motion[3][4], back[3][4] = {{0}};
    memcpy(motion, c.motion, sizeof motion);
    motion[0][3] += 3;
    motion[1][3] -= 4;
    const tsl_quality found = judge(&c, (const double(*)[4])motion);
    assert_true(fabs(found.ligand_rmsd - 5) < 1e-6);
    complex swapped = {.context = c.context,
                       .docked = {c.docked[1], c.docked[0]},
                       .bound = {c.bound[1], c.bound[0]}};
    for (int i = 0; i < 3; i++) { /* the inverse motion */
        for (int j = 0; j < 3; j++) {
            back[i][j] = motion[j][i];
            back[i][3] -= motion[j][i] * motion[j][3];
        }
    }
    const tsl_quality other = judge(&swapped, (const double(*)[4])back);
    assert_near(&other, &found);
    free_complex(&c);
}

/* A molecule that lacks residues is compared in the others; contacts of those are lost. */
static void missing_residues_are_left_out(void **state)
{
    (void)state;
    static double native[RESIDUES * RESIDUES];
    complex c = make_complex();
    tsl_molecule *ligand = c.docked[1];
    find_least(c.docked[0], c.bound[1]->positions, c.bound[1], native);
    int contacts = 0, kept = 0;
    for (int i = 0; i < RESIDUES * RESIDUES; i++) {
        const int number = i % RESIDUES + 1; /* BPTI's residues are 1 to 58 */
        contacts += native[i] < 5;
        kept += native[i] < 5 && (number < 12 || number > 15);
    }
    int64_t left = 0;
    for (int64_t i = 0; i < ligand->count; i++) {
        if (ligand->atoms[i].number < 12 || ligand->atoms[i].number > 15) {
            ligand->atoms[left] = ligand->atoms[i];
            memmove(ligand->positions + 3 * left++, ligand->positions + 3 * i,
                    3 * sizeof *ligand->positions);
        }
    }
    ligand->count = left;
    const tsl_quality found = judge(&c, (const double(*)[4])c.motion);
    assert_true(kept > 0 && kept < contacts);
    assert_true(fabs(found.fnat - (double)kept / contacts) < 1e-12);
    assert_true(found.ligand_rmsd < 1e-6 && found.interface_rmsd < 1e-5);
    free_complex(&c);
}

static void classes_are_capri_s(void **state)
{
    (void)state;
    static const struct {
        tsl_quality q;
        int class;
    } rows[] = {
        {{.fnat = 0.09, .ligand_rmsd = 0, .interface_rmsd = 0}, 0},
        {{.fnat = 0.1, .ligand_rmsd = 10, .interface_rmsd = 9}, 1},
        {{.fnat = 0.1, .ligand_rmsd = 11, .interface_rmsd = 4}, 1},
        {{.fnat = 0.9, .ligand_rmsd = 10.1, .interface_rmsd = 4.1}, 0},
        {{.fnat = 0.29, .ligand_rmsd = 1, .interface_rmsd = 1}, 1},
        {{.fnat = 0.3, .ligand_rmsd = 5, .interface_rmsd = 3}, 2},
        {{.fnat = 0.3, .ligand_rmsd = 9, .interface_rmsd = 2}, 2},
        {{.fnat = 0.5, .ligand_rmsd = 1, .interface_rmsd = 3}, 3},
        {{.fnat = 0.5, .ligand_rmsd = 9, .interface_rmsd = 1}, 3},
        {{.fnat = 0.5, .ligand_rmsd = 1.1, .interface_rmsd = 1.1}, 2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(tsl_quality_class(&rows[i].q), rows[i].class);
    }
}

static void complexes_that_are_refused(void **state)
{
    (void)state;
    complex c = make_complex();
    const tsl_molecule *const docked[2] = {c.docked[0], c.docked[1]};
    const tsl_molecule *const bound[2] = {c.bound[0], c.bound[1]};
    tsl_native *native = NULL;
    for (int64_t i = 0; i < c.docked[1]->count; i++) {
        if (is_backbone(&c.docked[1]->atoms[i])) {
            strcpy(c.docked[1]->atoms[i].name, "X");
        }
    }
    assert_int_equal(tsl_native_create(&native, c.context, docked, bound), TSL_E_ARG);
    assert_non_null(strstr(tsl_last_error(c.context), "the ligand has no backbone atom"));
    for (int64_t i = 0; i < c.docked[0]->count; i++) {
        strcpy(c.docked[0]->atoms[i].parent, "UNK");
    }
    assert_int_equal(tsl_native_create(&native, c.context, docked, bound), TSL_E_ARG);
    assert_non_null(strstr(tsl_last_error(c.context), "which chains are which"));
    for (int64_t i = 0; i < c.bound[1]->count; i++) {
        c.bound[1]->positions[3 * i] += 500;
    }
    const tsl_molecule *const same[2] = {c.bound[0], c.bound[1]};
    assert_int_equal(tsl_native_create(&native, c.context, same, bound), TSL_E_ARG);
    assert_non_null(strstr(tsl_last_error(c.context), "no residues within 5 angstrom"));
    free_complex(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(poses_are_judged_by_the_definitions),
        cmocka_unit_test(roles_may_be_swapped), cmocka_unit_test(missing_residues_are_left_out),
        cmocka_unit_test(classes_are_capri_s), cmocka_unit_test(complexes_that_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
