/* Molecules: made of the caller's atoms, read from files, and their charges. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/config.h"
#include "io/molecule/charges.h"
#include "io/reading.h"

static void copies_the_callers_atoms(void **state)
{
    reading *r = *state;
    double positions[] = {1, 2, 3, -4, -5, -6.5};
    double charges[] = {0.55, -1.00004};
    tsl_molecule *m = NULL;
    assert_int_equal(tsl_molecule_create(&m, &r->context, 2, positions, charges), TSL_OK);
    memset(positions, 0, sizeof positions);
    memset(charges, 0, sizeof charges);
    const double expected[] = {1, 2, 3, -4, -5, -6.5};
    const double rounded[] = {0.55, -1.0};
    assert_int_equal(tsl_molecule_count(m), 2);
    assert_memory_equal(tsl_molecule_positions(m), expected, sizeof expected);
    assert_memory_equal(tsl_molecule_charges(m), rounded, sizeof rounded);
    tsl_molecule_destroy(m);
    assert_int_equal(tsl_molecule_create(&m, &r->context, 1, expected, NULL), TSL_OK);
    assert_true(fabs(tsl_molecule_charges(m)[0]) <= 0);
    tsl_molecule_destroy(m);
    tsl_molecule_destroy(NULL);
}

static void rounds_charges_to_a_ten_thousandth(void **state)
{
    reading *r = *state;
    const double positions[12] = {0};
    const double charges[] = {0.123449, 0.12345001, -2.99996, 3.0};
    const double expected[] = {0.1234, 0.1235, -3.0, 3.0};
    tsl_molecule *m = NULL;
    assert_int_equal(tsl_molecule_create(&m, &r->context, 4, positions, charges), TSL_OK);
    assert_memory_equal(tsl_molecule_charges(m), expected, sizeof expected);
    tsl_molecule_destroy(m);
}

static void refuses_arguments_out_of_range(void **state)
{
    reading *r = *state;
    tsl_context *context = &r->context;
    const double good[] = {0, 0, 0};
    const double bad[] = {0, NAN, 0};
    const double infinite[] = {0, 0, INFINITY};
    const double charges[] = {3.001, NAN, -INFINITY};
    tsl_molecule *m = NULL;
    assert_int_equal(tsl_molecule_create(&m, context, 0, good, NULL), TSL_E_ARG);
    assert_int_equal(tsl_molecule_create(&m, context, -1, good, NULL), TSL_E_ARG);
    assert_int_equal(tsl_molecule_create(&m, context, INT64_MAX, good, NULL), TSL_E_ARG);
    assert_int_equal(tsl_molecule_create(&m, context, 1, NULL, NULL), TSL_E_ARG);
    assert_int_equal(tsl_molecule_create(NULL, context, 1, good, NULL), TSL_E_ARG);
    assert_int_equal(tsl_molecule_create(&m, NULL, 1, good, NULL), TSL_E_ARG);
    assert_int_equal(tsl_molecule_create(&m, context, 1, bad, NULL), TSL_E_ARG);
    assert_non_null(strstr(context->error, "coordinate y of atom 0"));
    assert_int_equal(tsl_molecule_create(&m, context, 1, infinite, NULL), TSL_E_ARG);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(tsl_molecule_create(&m, context, 1, good, &charges[i]), TSL_E_ARG);
        assert_non_null(strstr(context->error, "the charge of atom 0"));
    }
    tsl_molecule_options options = TSL_MOLECULE_OPTIONS_INIT;
    assert_int_equal(tsl_molecule_read(&m, context, NULL, NULL), TSL_E_ARG);
    assert_int_equal(tsl_molecule_read(NULL, context, "/dev/null", NULL), TSL_E_ARG);
    assert_int_equal(tsl_molecule_read(&m, NULL, "/dev/null", NULL), TSL_E_ARG);
    options.size--;
    assert_int_equal(tsl_molecule_read(&m, context, "/dev/null", &options), TSL_E_ARG);
    assert_non_null(strstr(context->error, "TSL_MOLECULE_OPTIONS_INIT"));
    options.size++;
    options.hetero = (tsl_hetero)2;
    assert_int_equal(tsl_molecule_read(&m, context, "/dev/null", &options), TSL_E_ARG);
    assert_int_equal(tsl_molecule_read(&m, context, "/dev/null", NULL), TSL_E_FORMAT);
    assert_string_equal(context->error, "/dev/null: the file is empty");
    assert_int_equal(tsl_molecule_read(&m, context, "/nonexistent", NULL), TSL_E_IO);
    assert_null(m);
}

/* ---- charges ------------------------------------------------------------------------------ */

static void charges_atoms_by_parent_and_name(void **state)
{
    (void)state;
    static const struct {
        const char *parent, *name;
        bool first, last;
        double charge;
    } cases[] = {
        {"ALA", "N", false, false, 0.55},   {"ALA", "N", true, false, 1.00},
        {"ALA", "N", false, true, 0.55},    {"PRO", "N", false, false, -0.10},
        {"PRO", "N", true, false, -0.10},   {"PRO", "O", false, false, -0.55},
        {"ALA", "O", false, false, -0.55},  {"ALA", "O", true, false, -0.55},
        {"ALA", "O", false, true, -1.00},   {"ALA", "OXT", false, true, 0},
        {"ALA", "C", false, false, 0},      {"ALA", "CA", false, false, 0},
        {"ARG", "NH1", false, false, 0.5},  {"ARG", "NH2", false, false, 0.5},
        {"ARG", "NE", false, false, 0},     {"ASP", "OD1", false, false, -0.5},
        {"ASP", "OD2", false, false, -0.5}, {"ASN", "OD1", false, false, 0},
        {"GLU", "OE1", false, false, -0.5}, {"GLU", "OE2", false, false, -0.5},
        {"GLN", "OE1", false, false, 0},    {"LYS", "NZ", false, false, 1.0},
        {"HIS", "ND1", false, false, 0},    {"TYR", "OH", false, false, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const double got =
            tsl_ftdock_charge(cases[i].parent, cases[i].name, false, cases[i].first, cases[i].last);
        assert_memory_equal(&got, &cases[i].charge, sizeof got);
    }
}

#define ATOM(record, name, residue, chain, number)                                                 \
    record "    1  " name residue " " chain "   " number "       1.000   2.000   3.000\n"

static void assert_charges(tsl_molecule *m, const double *expected, int64_t count)
{
    assert_int_equal(m->count, count);
    assert_memory_equal(tsl_molecule_charges(m), expected, (size_t)count * sizeof(double));
    tsl_molecule_destroy(m);
}

/* The first and last residue are the molecule's, not each chain's. */
static void charges_the_ends_of_the_molecule(void **state)
{
    reading *r = *state;
    const char *chains = ATOM("ATOM  ", "N   ", "ALA", "A", "1")
        ATOM("ATOM  ", "O   ", "ALA", "A", "1") ATOM("ATOM  ", "N   ", "GLY", "A", "2")
            ATOM("ATOM  ", "O   ", "GLY", "A", "2") "TER\n" ATOM("ATOM  ", "N   ", "PRO", "B", "1")
                ATOM("ATOM  ", "O   ", "PRO", "B", "1") ATOM("HETATM", "N   ", "MSE", "B", "2")
                    ATOM("HETATM", "O   ", "MSE", "B", "2") ATOM("HETATM", "O1  ", "LIG", "B", "3");
    const double whole[] = {1.0, -0.55, 0.55, -0.55, -0.10, -0.55, 0.55, -1.0, 0.0};
    assert_charges(reading_parse(r, chains), whole, 8);
    /* A ligand that is kept is no part of the chain: the ends stay where they were. */
    assert_charges(reading_parse_with(r, chains, NULL, TSL_HETERO_KEEP), whole, 9);
    const double first[] = {1.0, -0.55, 0.55, -1.0};
    assert_charges(reading_parse_with(r, chains, "A", TSL_HETERO_DROP), first, 4);
    const double second[] = {-0.10, -0.55, 0.55, -1.0};
    assert_charges(reading_parse_with(r, chains, "B", TSL_HETERO_DROP), second, 4);
}

static void charges_modified_residues_as_their_parent(void **state)
{
    reading *r = *state;
    const char *text = ATOM("ATOM  ", "N   ", "XYZ", "A", "0")
        ATOM("HETATM", "N   ", "HYP", "A", "1") ATOM("HETATM", "NZ  ", "M3L", "A", "2")
            ATOM("HETATM", "OE11", "CGU", "A", "3") ATOM("ATOM  ", "NZ  ", "UNK", "A", "4")
                ATOM("ATOM  ", "O   ", " DA", "A", "5") ATOM("ATOM  ", "OD2 ", "ASP", "A", "6");
    const double expected[] = {0, -0.10, 1.0, -0.5, 0, 0, -0.5};
    assert_charges(reading_parse(r, text), expected, 7);
    assert_non_null(strstr(r->warning, "3 of 7 residues"));
}

static void charges_trypsin_as_ftdock_does(void **state)
{
    reading *r = *state;
    tsl_molecule *m = NULL;
    assert_int_equal(tsl_molecule_read(&m, &r->context, TSL_SOURCE_DIR "/data/trypsin.pdb", NULL),
                     TSL_OK);
    const double *charges = tsl_molecule_charges(m);
    double sum = 0;
    int charged = 0;
    for (int64_t i = 0; i < m->count; i++) {
        sum += charges[i];
        charged += fabs(charges[i]) > 0;
    }
    /* As counted in the file: 222 N (12 of PRO), 222 O, 8 ARG NH, 8 LYS NZ, 14 ASP OD, 18 GLU OE:
     * (210·0.55 + 0.45 − 12·0.10) − (222·0.55 + 0.45) + 4 + 8 − 7 − 9 */
    assert_true(fabs(sum + 11.8) < 1e-9);
    assert_int_equal(charged, 222 + 222 + 8 + 8 + 14 + 18);
    assert_true(fabs(charges[0] - 1.0) <= 0);
    tsl_molecule_destroy(m);
}

/* ---- files -------------------------------------------------------------------------------- */

static const char pdb[] =
    "ATOM      1  N   SER A   5       1.000   0.000   0.000  1.00 10.00           N  \n"
    "ATOM      2  CA ASER A   5       2.000   0.000   0.000  0.40 10.00           C  \n"
    "ATOM      3  CA BSER A   5       3.000   0.000   0.000  0.60 10.00           C  \n"
    "ATOM      4  N   LYS B   6       4.000   0.000   0.000  1.00 10.00           N  \n"
    "ATOM      5  O1  UNK B   7       5.000   0.000   0.000  1.00 10.00           O  \n";

static const char mmcif[] =
    "\n# no line begins with an item\nDATA_x loop_ _atom_site.id _atom_site.auth_asym_id "
    "_atom_site.auth_seq_id _atom_site.label_comp_id _atom_site.label_atom_id "
    "_atom_site.type_symbol "
    "_atom_site.Cartn_x _atom_site.Cartn_y _atom_site.Cartn_z _atom_site.label_alt_id "
    "_atom_site.occupancy _atom_site.B_iso_or_equiv\n"
    "1 A 5 SER N N 1 0 0 . 1 10\n2 A 5 SER CA C 2 0 0 A 0.4 10\n3 A 5 SER CA C 3 0 0 B 0.6 10\n"
    "4 B 6 LYS N N 4 0 0 . 1 10\n5 B 7 UNK O1 O 5 0 0 . 1 10\n";

static void tells_formats_by_content(void **state)
{
    reading *r = *state;
    tsl_molecule *expected = reading_parse(r, pdb);
    assert_string_equal(reading_names(expected), "A/5/N A/5/CA B/6/N B/7/O1");
    const char *path = reading_write("mmcif.pdb", mmcif, strlen(mmcif));
    tsl_molecule *m = NULL;
    assert_int_equal(tsl_molecule_read(&m, &r->context, path, NULL), TSL_OK);
    reading_assert_equal(m, expected);
    tsl_molecule_destroy(m);
    path = reading_write("pdb.cif", pdb, strlen(pdb));
    assert_int_equal(tsl_molecule_read(&m, &r->context, path, NULL), TSL_OK);
    reading_assert_equal(m, expected);
    tsl_molecule_destroy(m);
    tsl_molecule_destroy(expected);
}

/* Each allocation that reading a file makes fails in turn. */
static void assert_survives(reading *r, const char *path, const tsl_molecule_options *options)
{
    tsl_molecule *m = NULL;
    tsl_test_fail_allocation(0);
    assert_int_equal(tsl_molecule_read(&m, &r->context, path, options), TSL_OK);
    const int64_t allocations = tsl_test_fail_allocation(0);
    tsl_molecule_destroy(m);
    assert_true(allocations >= 8);
    for (int64_t k = 1; k <= allocations; k++) {
        m = NULL;
        tsl_test_fail_allocation(k);
        const tsl_status status = tsl_molecule_read(&m, &r->context, path, options);
        tsl_test_fail_allocation(0);
        assert_int_equal(status, TSL_E_NOMEM);
        assert_null(m);
        assert_int_equal(tsl_test_live_allocations(), r->live);
        assert_non_null(strstr(r->context.error, "out of memory: cannot take "));
    }
}

static void survives_each_failed_allocation(void **state)
{
    reading *r = *state;
    tsl_molecule_options options = TSL_MOLECULE_OPTIONS_INIT;
    options.chains = "A,B";
    char text[16384];
    size_t used = 0;
    for (int i = 0; i < 30; i++) { /* more atoms than the first arrays hold */
        memcpy(text + used, pdb, sizeof pdb - 1);
        used += sizeof pdb - 1;
    }
    assert_survives(r, reading_write("memory.pdb", text, used), &options);
    assert_survives(r, reading_write("memory.cif", mmcif, strlen(mmcif)), &options);

    const double positions[] = {0, 0, 0};
    tsl_molecule *m = NULL;
    for (int64_t k = 1; k <= 3; k++) {
        tsl_test_fail_allocation(k);
        const tsl_status status = tsl_molecule_create(&m, &r->context, 1, positions, NULL);
        tsl_test_fail_allocation(0);
        assert_int_equal(status, TSL_E_NOMEM);
        assert_null(m);
        assert_int_equal(tsl_test_live_allocations(), r->live);
    }
}

#ifdef TSL_HAVE_ZLIB

#include <zlib.h>

static void reads_gzipped_files(void **state)
{
    reading *r = *state;
    const char *path = reading_write("packed", "", 0);
    gzFile file = gzopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(gzwrite(file, mmcif, sizeof mmcif - 1), sizeof mmcif - 1);
    assert_int_equal(gzclose(file), Z_OK);
    tsl_molecule *expected = reading_parse(r, pdb);
    tsl_molecule *m = NULL;
    assert_int_equal(tsl_molecule_read(&m, &r->context, path, NULL), TSL_OK);
    reading_assert_equal(m, expected);
    tsl_molecule_destroy(m);
    tsl_molecule_destroy(expected);
    tsl_molecule_options options = TSL_MOLECULE_OPTIONS_INIT;
    options.chains = "A,B";
    assert_survives(r, path, &options);
}

#endif

#define TEST(name) cmocka_unit_test_setup_teardown(name, reading_setup, reading_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(copies_the_callers_atoms),
        TEST(rounds_charges_to_a_ten_thousandth),
        TEST(refuses_arguments_out_of_range),
        TEST(charges_atoms_by_parent_and_name),
        TEST(charges_the_ends_of_the_molecule),
        TEST(charges_modified_residues_as_their_parent),
        TEST(charges_trypsin_as_ftdock_does),
        TEST(tells_formats_by_content),
        TEST(survives_each_failed_allocation),
#ifdef TSL_HAVE_ZLIB
        TEST(reads_gzipped_files),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, reading_remove_scratch);
}
