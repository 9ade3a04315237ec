#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "scratch.h"
#include "solvers/dock/pose_files.h"

static tsl_context context;

static const tsl_pose_list_head head = {
    .receptor = "receptor.pdb", .ligand = "ligand.pdb", .grid = 96, .spacing = 1.0868};
static const tsl_pose pose = {60, {7, -10, 25}, {260000000, 120000000, 500000}, -0.0123};

/* A quarter turn about z, and a shift. */
static const double motion[3][4] = {{0, -1, 0, 10}, {1, 0, 0, 20}, {0, 0, 1, -30}};

static tsl_atom atom(const char *name, const char *element, const char *residue, const char *chain,
                     int32_t number)
{
    tsl_atom a = {.insertion = ' ', .number = number, .occupancy = 1, .temperature = 25.5F};
    snprintf(a.name, sizeof a.name, "%s", name);
    snprintf(a.element, sizeof a.element, "%s", element);
    snprintf(a.residue, sizeof a.residue, "%s", residue);
    snprintf(a.chain, sizeof a.chain, "%s", chain);
    return a;
}

static tsl_molecule molecule(int64_t count, tsl_atom *atoms, double *positions)
{
    return (tsl_molecule){.count = count, .atoms = atoms, .positions = positions};
}

static tsl_status write_complex(const tsl_molecule *receptor, const tsl_molecule *ligand)
{
    return tsl_complex_write(&context, scratch_path("complex.pdb"), &head, receptor, ligand, motion,
                             1, &pose);
}

/* The file of a pair; free() it. Every line of it is 80 columns at most. */
static char *complex_of(const tsl_molecule *receptor, const tsl_molecule *ligand)
{
    if (write_complex(receptor, ligand) != TSL_OK) {
        fail_msg("%s", context.error);
    }
    char *text = scratch_read(scratch_path("complex.pdb"), NULL);
    for (const char *p = text; *p != 0; p = strchr(p, '\n') + 1) {
        assert_true(strchr(p, '\n') - p <= 80);
    }
    char end[83];
    snprintf(end, sizeof end, "\n%-80s\n", "END");
    assert_string_equal(text + strlen(text) - strlen(end), end);
    return text;
}

static void test_columns(void **state)
{
    (void)state;
    tsl_atom atoms[6] = {atom("N", "N", "ALA", "A", -3),    atom("CA", "C", "ALA", "A", -3),
                         atom("OP1", "O", "DA", "A", 9999), atom("HO5'", "H", "U", "A", -999),
                         atom("CA", "Ca", "CA", "", 2),     atom("SE", "SE", "MSE", "A", 12)};
    double positions[18] = {0, -0.0001, 0.0004999, -999.999, 9999.999, 1.0005, 1, 2, 3};
    atoms[1].insertion = 'B';
    atoms[4].hetero = true;
    atoms[5].occupancy = 0.5F;
    atoms[5].temperature = 2000;
    tsl_atom moved = atom("C1", "C", "LIG", "L", 1);
    double place[3] = {1, 2, 3};
    const tsl_molecule receptor = molecule(6, atoms, positions);
    const tsl_molecule ligand = molecule(1, &moved, place);
    char *text = complex_of(&receptor, &ligand);
    assert_contains(
        text, "ATOM      1  N   ALA A  -3       0.000   0.000   0.000  1.00 25.50           N  \n"
              "ATOM      2  CA  ALA A  -3B   -999.9999999.999   1.000  1.00 25.50           C  \n"
              "ATOM      3  OP1  DA A9999       1.000   2.000   3.000  1.00 25.50           O  \n"
              "ATOM      4 HO5'   U A-999       0.000   0.000   0.000  1.00 25.50           H  \n"
              "HETATM    5 CA    CA     2       0.000   0.000   0.000  1.00 25.50          CA  \n"
              "ATOM      6 SE   MSE A  12       0.000   0.000   0.000  0.50999.99          SE  \n"
              "TER       7      MSE A  12                                                      \n"
              "ATOM      8  C1  LIG L   1       8.000  21.000 -27.000  1.00 25.50           C  \n"
              "TER       9      LIG L   1                                                      \n"
              "END   ");
    assert_null(strstr(text, "CHAIN"));
    assert_null(strstr(text, "MODULO"));
    free(text);
}

static void test_remarks(void **state)
{
    (void)state;
    double place[3] = {1, 2, 3};
    tsl_atom one = atom("C", "C", "ALA", "A", 1);
    tsl_atom other = atom("C", "C", "ALA", "B", 1);
    const tsl_molecule receptor = molecule(1, &one, place);
    const tsl_molecule ligand = molecule(1, &other, place);
    char *text = complex_of(&receptor, &ligand);
    assert_contains(text, "REMARK   6 RECEPTOR receptor.pdb\n"
                          "REMARK   6 LIGAND ligand.pdb\n"
                          "REMARK   6 RANK 1 SCORE 60 ENERGY -0.0123\n"
                          "REMARK   6 TWIST 260.000000 THETA 120.000000 PHI 0.500000 DEGREES\n"
                          "REMARK   6 SHIFT 7 -10 25 CELLS OF 1.086800 ANGSTROM, GRID 96\n");
    assert_contains(text, "X' =  0.000000000 X -1.000000000 Y +0.000000000 Z   +10.000000\n");
    free(text);
    tsl_pose_list_head wide = head;
    memset(wide.receptor, 'r', 255);
    assert_int_equal(tsl_complex_write(&context, scratch_path("wide.pdb"), &wide, &receptor,
                                       &ligand, motion, 1, &pose),
                     TSL_OK);
    text = scratch_read(scratch_path("wide.pdb"), NULL);
    for (const char *p = text; *p != 0; p = strchr(p, '\n') + 1) {
        assert_true(strchr(p, '\n') - p <= 80);
    }
    free(text);
}

static void test_chains(void **state)
{
    (void)state;
    tsl_atom atoms[4] = {atom("C", "C", "ALA", "A", 1), atom("C", "C", "ALA", "C", 1),
                         atom("C", "C", "ALA", "", 1), atom("C", "C", "ALA", "AAA", 1)};
    tsl_atom moved[5] = {atom("C", "C", "GLY", "A", 1), atom("C", "C", "GLY", "B", 1),
                         atom("C", "C", "GLY", "", 1), atom("C", "C", "GLY", "A", 2),
                         atom("C", "C", "GLY", "AAA", 2)};
    double positions[15] = {0};
    const tsl_molecule receptor = molecule(4, atoms, positions);
    const tsl_molecule ligand = molecule(5, moved, positions);
    char *text = complex_of(&receptor, &ligand);
    assert_contains(text, "REMARK   6 CHAIN AAA OF THE RECEPTOR IS CHAIN D HERE\n"
                          "REMARK   6 CHAIN A OF THE LIGAND IS CHAIN E HERE\n"
                          "REMARK   6 CHAIN (BLANK) OF THE LIGAND IS CHAIN F HERE\n"
                          "REMARK   6 CHAIN AAA OF THE LIGAND IS CHAIN G HERE\n");
    static const char *const parts[] = {
        "  1  C   ALA A   1", "  2  C   ALA C   1", "  3  C   ALA     1",
        "  4  C   ALA D   1", "  6  C   GLY E   1", "  7  C   GLY B   1",
        "  8  C   GLY F   1", "  9  C   GLY E   2", " 10  C   GLY G   2"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        assert_contains(text, parts[i]);
    }
    free(text);
}

/* 62 letters and digits are all there are. */
static void test_too_many_chains(void **state)
{
    (void)state;
    enum { CHAINS = 200 };
    static tsl_atom atoms[CHAINS];
    static double positions[3 * CHAINS];
    for (int i = 0; i < CHAINS; i++) {
        char name[16];
        snprintf(name, sizeof name, "c%d", i);
        atoms[i] = atom("C", "C", "ALA", name, 1);
    }
    tsl_molecule receptor = molecule(61, atoms, positions);
    tsl_molecule ligand = molecule(1, atoms, positions);
    char *text = complex_of(&receptor, &ligand);
    assert_contains(text, "CHAIN c0 OF THE RECEPTOR IS CHAIN A HERE");
    assert_contains(text, "CHAIN c60 OF THE RECEPTOR IS CHAIN 8 HERE");
    assert_contains(text, "CHAIN c0 OF THE LIGAND IS CHAIN 9 HERE");
    free(text);
    receptor.count = 62;
    assert_int_equal(write_complex(&receptor, &ligand), TSL_E_ARG);
    assert_error_names(&context, "none is left for chain 'c0' of the ligand");
    receptor.count = CHAINS;
    assert_int_equal(write_complex(&receptor, &ligand), TSL_E_ARG);
    assert_error_names(&context, "letters for 62 chains only");
}

static void test_long_numbers_and_names(void **state)
{
    (void)state;
    tsl_atom atoms[3] = {atom("C", "C", "ALA", "A", 10000),
                         atom("CABCDE", "C", "A1LU6", "A", -1000),
                         atom("C", "C", "ALA", "A", 123456)};
    double positions[9] = {0};
    tsl_atom moved = atom("C", "C", "ALA", "B", 1);
    const tsl_molecule receptor = molecule(3, atoms, positions);
    const tsl_molecule ligand = molecule(1, &moved, positions);
    char *text = complex_of(&receptor, &ligand);
    assert_contains(text, "RESIDUE NUMBERS OF THE RECEPTOR BEYOND FOUR COLUMNS ARE MODULO 10000");
    assert_null(strstr(text, "NUMBERS OF THE LIGAND"));
    assert_contains(text, "  1  C   ALA A   0 ");
    assert_contains(text, "  2 CABC UNL A9000 ");
    assert_contains(text, "  3  C   ALA A3456 ");
    free(text);
}

/* Positions without names, and more atoms than serial numbers. */
static void test_bare_positions(void **state)
{
    (void)state;
    enum { MANY = 100001 };
    double *positions = calloc(3 * MANY, sizeof *positions);
    assert_non_null(positions);
    const tsl_molecule receptor = molecule(MANY, NULL, positions);
    const tsl_molecule ligand = molecule(1, NULL, positions);
    char *text = complex_of(&receptor, &ligand);
    assert_contains(text, "REMARK   6 CHAIN A OF THE LIGAND IS CHAIN B HERE\n");
    assert_contains(text,
                    "\nATOM      1  X   UNK A   1       0.000   0.000   0.000  1.00  0.00      "
                    "     X  \n");
    assert_contains(text, "\nATOM  99999  X   UNK A9999 ");
    assert_contains(text, "\nATOM      1  X   UNK A   0 "); /* number 100000 */
    assert_contains(text, "\nATOM      2  X   UNK A   1 ");
    assert_contains(text, "\nTER       3      UNK A   1");
    assert_contains(text, "\nATOM      4  X   UNK B   1      10.000  20.000 -30.000");
    free(text);
    free(positions);
}

static void test_coordinates_that_do_not_fit(void **state)
{
    (void)state;
    static const double still[3][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}};
    static const double bad[] = {10000, 9999.9995, -999.9995, -1000, NAN, INFINITY};
    static const double good[] = {9999.9994, -999.9994};
    double origin[3] = {0};
    double place[6] = {0};
    const tsl_molecule one = molecule(1, NULL, origin);
    const tsl_molecule two = molecule(2, NULL, place);
    for (int axis = 0; axis < 3; axis++) {
        for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
            place[3 + axis] = bad[i];
            scratch_write_text(scratch_path("complex.pdb"), "old");
            assert_int_equal(write_complex(&two, &one), TSL_E_ARG);
            assert_error_names(&context, "atom 2 of the receptor is at ");
            char *text = scratch_read(scratch_path("complex.pdb"), NULL);
            assert_string_equal(text, "old");
            free(text);
            assert_int_equal(tsl_complex_write(&context, scratch_path("complex.pdb"), &head, &one,
                                               &two, still, 1, &pose),
                             TSL_E_ARG);
            assert_error_names(&context, "atom 2 of the ligand is at ");
        }
        for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
            place[3 + axis] = good[i];
            free(complex_of(&two, &one));
        }
        place[3 + axis] = 0;
    }
}

static tsl_status write_with(tsl_context *own, void *user)
{
    return tsl_complex_write(own, scratch_path("memory.pdb"), &head, user, user, motion, 1, &pose);
}

static void test_failures(void **state)
{
    (void)state;
    double origin[3] = {0};
    tsl_molecule one = molecule(1, NULL, origin);
    assert_survives_no_memory(write_with, &one);
    assert_int_equal(tsl_complex_write(&context, "/dev/full", &head, &one, &one, motion, 1, &pose),
                     TSL_E_IO);
    assert_error_names(&context, "/dev/full: cannot write: No space");
    assert_int_equal(
        tsl_complex_write(&context, scratch_path("no/x"), &head, &one, &one, motion, 1, &pose),
        TSL_E_IO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_columns),
        cmocka_unit_test(test_remarks),
        cmocka_unit_test(test_chains),
        cmocka_unit_test(test_too_many_chains),
        cmocka_unit_test(test_long_numbers_and_names),
        cmocka_unit_test(test_bare_positions),
        cmocka_unit_test(test_coordinates_that_do_not_fit),
        cmocka_unit_test(test_failures),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
