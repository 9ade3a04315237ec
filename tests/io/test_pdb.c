/* PDB files and FTDock's .parsed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "io/reading.h"

/* clang-format off */
#define ALA_N  "ATOM      1  N   ALA A   1      11.104   6.134  -6.504  1.00 12.50           N  \n"
#define ALA_CA "ATOM      2  CA  ALA A   1      11.639   6.071  -5.147  0.50 13.00           C  \n"
#define GLY_N  "ATOM      3  N   GLY A   2      12.000   7.000  -4.000  1.00 14.00           N  \n"
#define GLY_CB "ATOM      4  CA  GLY B   3A   -123.456   0.001 999.999  1.00 15.00           C  \n"
/* clang-format on */

static void reads_all_fields(void **state)
{
    reading *r = *state;
    tsl_molecule *m = reading_parse(r, "HEADER    TEST\n" ALA_N ALA_CA GLY_N GLY_CB "END\n");
    assert_int_equal(tsl_molecule_count(m), 4);
    assert_int_equal(m->residues, 3);
    assert_int_equal(m->uncharged_residues, 0);
    assert_int_equal(r->warnings, 0);
    assert_string_equal(reading_names(m), "A/1/N A/1/CA A/2/N B/3A/CA");
    const double expected[] = {11.104, 6.134, -6.504, 11.639,   6.071, -5.147,
                               12.0,   7.0,   -4.0,   -123.456, 0.001, 999.999};
    assert_memory_equal(tsl_molecule_positions(m), expected, sizeof expected);
    const tsl_atom *atom = &m->atoms[1];
    assert_string_equal(atom->residue, "ALA");
    assert_string_equal(atom->parent, "ALA");
    assert_string_equal(atom->element, "C");
    assert_int_equal(atom->serial, 2);
    assert_int_equal(atom->insertion, ' ');
    assert_int_equal(m->atoms[3].insertion, 'A');
    assert_int_equal((int)(100 * (double)atom->occupancy), 50);
    assert_int_equal((int)(10 * (double)atom->temperature), 130);
    assert_int_equal(m->atoms[3].residue_index, 2);
    assert_false(atom->hetero);
    tsl_molecule_destroy(m);
}

static void reads_lines_with_any_end(void **state)
{
    reading *r = *state;
    tsl_molecule *expected = reading_parse(r, ALA_N ALA_CA GLY_N);
    char text[1024];
    const char *ends[] = {"\r\n", "\r", "   \n"};
    for (int i = 0; i < 3; i++) {
        text[0] = '\0';
        const char *lines[] = {ALA_N, ALA_CA, GLY_N};
        for (int k = 0; k < 3; k++) {
            strncat(text, lines[k], strlen(lines[k]) - 1);
            strcat(text, k < 2 ? ends[i] : "");
        }
        tsl_molecule *m = reading_parse(r, text);
        reading_assert_equal(m, expected);
        tsl_molecule_destroy(m);
    }
    snprintf(text, sizeof text, "\xef\xbb\xbf%s", ALA_N ALA_CA GLY_N); /* a byte order mark */
    tsl_molecule *m = reading_parse(r, text);
    reading_assert_equal(m, expected);
    tsl_molecule_destroy(m);
    tsl_molecule_destroy(expected);
}

static void reads_the_first_model_only(void **state)
{
    reading *r = *state;
    const char *texts[] = {
        "MODEL        1\n" ALA_N ALA_CA "ENDMDL\nMODEL        2\n" GLY_N "ENDMDL\n",
        "MODEL        1\n" ALA_N ALA_CA "MODEL        2\n" GLY_N, ALA_N ALA_CA "ENDMDL\n" GLY_N,
        "ENDMDL\nEND\n" ALA_N ALA_CA "ENDMDL\n" GLY_N};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        tsl_molecule *m = reading_parse(r, texts[i]);
        assert_string_equal(reading_names(m), "A/1/N A/1/CA");
        tsl_molecule_destroy(m);
    }
    assert_int_equal(r->warnings, 0);
}

static void reads_on_after_ter_and_stops_at_end(void **state)
{
    reading *r = *state;
    tsl_molecule *m =
        reading_parse(r, ALA_N "TER       2      ALA A   1\n" GLY_N "TER\nENDX\nEND\n");
    assert_string_equal(reading_names(m), "A/1/N A/2/N");
    assert_int_equal(r->warnings, 0);
    tsl_molecule_destroy(m);
    m = reading_parse(r, ALA_N "END\nREMARK\n" GLY_N GLY_CB);
    assert_string_equal(reading_names(m), "A/1/N");
    assert_int_equal(r->warnings, 0);
    assert_int_equal(m->account.models, 1);
    assert_int_equal(m->account.model_atoms, 2);
    tsl_molecule_destroy(m);
}

/* An atom's line with names and numbers at will. */
static char *line(char *at, const char *record, const char *name, char alternate,
                  const char *residue, char chain, int number, char insertion, double x,
                  double occupancy, const char *element)
{
    return at + sprintf(at, "%-6s%5d %4s%c%3s %c%4d%c   %8.3f%8.3f%8.3f%6.2f%6.2f          %2s\n",
                        record, 7, name, alternate, residue, chain, number, insertion, x, 0.0, 0.0,
                        occupancy, 0.0, element);
}

/* Overwrite columns, which count from 1. */
static void put(char *text, size_t column, const char *field)
{
    for (size_t i = 0; field[i] != '\0'; i++) {
        text[column - 1 + i] = field[i];
    }
}

/* Checks the first coordinate of each atom. */
static void assert_x(const tsl_molecule *m, const int *expected, int64_t count)
{
    assert_int_equal(m->count, count);
    for (int64_t i = 0; i < count; i++) {
        assert_int_equal((int)m->positions[3 * i], expected[i]);
    }
}

static void keeps_the_alternate_of_highest_occupancy(void **state)
{
    reading *r = *state;
    char text[2048];
    char *p = line(text, "ATOM", " N  ", ' ', "SER", 'A', 5, ' ', 1, 1.0, " N");
    p = line(p, "ATOM", " CA ", 'A', "SER", 'A', 5, ' ', 2, 0.4, " C");
    p = line(p, "ATOM", " CA ", 'B', "SER", 'A', 5, ' ', 3, 0.6, " C");
    p = line(p, "ATOM", " CB ", 'B', "SER", 'A', 5, ' ', 4, 0.5, " C");
    p = line(p, "ATOM", " CB ", 'A', "SER", 'A', 5, ' ', 5, 0.5, " C"); /* first among equals */
    p = line(p, "ATOM", " OG ", 'C', "SER", 'A', 5, ' ', 6, 0.1, " O"); /* the only one */
    p = line(p, "ATOM", " CA ", 'A', "SER", 'A', 5, 'P', 7, 0.1, " C"); /* another residue */
    p = line(p, "ATOM", " O  ", ' ', "SER", 'A', 5, 'P', 8, 0.1, " O"); /* blank and B */
    line(p, "ATOM", " O  ", 'B', "SER", 'A', 5, 'P', 9, 0.9, " O");
    tsl_molecule *m = reading_parse(r, text);
    const int expected[] = {1, 3, 4, 6, 7, 9};
    assert_x(m, expected, 6);
    assert_int_equal(m->residues, 2);
    tsl_molecule_destroy(m);
}

/* Some programs write all of conformer B after the chain. */
static void finds_alternates_apart(void **state)
{
    reading *r = *state;
    char text[2048];
    char *p = line(text, "ATOM", " CA ", 'A', "SER", 'A', 5, ' ', 1, 0.4, " C");
    p = line(p, "ATOM", " CA ", 'A', "SER", 'A', 6, ' ', 2, 0.6, " C");
    p = line(p, "ATOM", " CA ", 'B', "SER", 'A', 5, ' ', 3, 0.6, " C");
    line(p, "ATOM", " CA ", 'B', "SER", 'A', 6, ' ', 4, 0.4, " C");
    tsl_molecule *m = reading_parse(r, text);
    const int expected[] = {2, 3};
    assert_x(m, expected, 2);
    tsl_molecule_destroy(m);
}

static void keeps_the_residue_of_highest_occupancy(void **state)
{
    reading *r = *state;
    for (int interleaved = 0; interleaved < 2; interleaved++) {
        for (int better = 0; better < 2; better++) {
            char text[2048];
            char *p = line(text, "ATOM", " N  ", ' ', "GLY", 'A', 21, ' ', 1, 1.0, " N");
            const double a = better ? 0.7 : 0.5;
            p = line(p, "ATOM", " N  ", 'A', "PRO", 'A', 22, ' ', 2, 0.5, " N");
            if (interleaved) {
                p = line(p, "ATOM", " N  ", 'B', "SER", 'A', 22, ' ', 4, a, " N");
                p = line(p, "ATOM", " CD ", 'A', "PRO", 'A', 22, ' ', 3, 0.5, " C");
            } else {
                p = line(p, "ATOM", " CD ", 'A', "PRO", 'A', 22, ' ', 3, 0.5, " C");
                p = line(p, "ATOM", " N  ", 'B', "SER", 'A', 22, ' ', 4, a, " N");
            }
            p = line(p, "ATOM", " OG ", 'B', "SER", 'A', 22, ' ', 5, a, " O");
            line(p, "ATOM", " N  ", ' ', "GLY", 'A', 23, ' ', 6, 1.0, " N");
            tsl_molecule *m = reading_parse(r, text);
            const int expected[2][4] = {{1, 2, 3, 6}, {1, 4, 5, 6}};
            assert_x(m, expected[better], 4);
            assert_int_equal(m->residues, 3);
            tsl_molecule_destroy(m);
        }
    }
}

/* Two molecules whose chain identifiers were lost share numbers, and are no alternates. */
static void keeps_residues_that_share_a_number(void **state)
{
    reading *r = *state;
    char text[2048];
    char *p = line(text, "ATOM", " CA ", 'A', "SER", ' ', 1, ' ', 1, 0.4, " C");
    p = line(p, "ATOM", " CA ", 'B', "SER", ' ', 1, ' ', 2, 0.6, " C");
    p = line(p, "ATOM", " CA ", ' ', "GLY", ' ', 2, ' ', 3, 1.0, " C");
    p = line(p, "ATOM", " CA ", 'A', "VAL", ' ', 3, ' ', 4, 1.0, " C");
    p = line(p, "ATOM", " CA ", ' ', "LEU", ' ', 4, ' ', 10, 0.1, " C");
    p = line(p, "ATOM", " CA ", ' ', "SER", ' ', 1, ' ', 5, 1.0, " C");
    p = line(p, "ATOM", " CA ", ' ', "ALA", ' ', 2, ' ', 6, 0.2, " C");
    p = line(p, "ATOM", " CA ", 'A', "ILE", ' ', 3, ' ', 7, 0.3, " C");
    p = line(p, "ATOM", " CA ", 'A', "SER", ' ', 1, ' ', 8, 0.6, " C");
    p = line(p, "ATOM", " CA ", 'B', "SER", ' ', 1, ' ', 9, 0.4, " C");
    line(p, "ATOM", " CA ", 'A', "MET", ' ', 4, ' ', 11, 0.9, " C");
    tsl_molecule *m = reading_parse(r, text);
    const int expected[] = {2, 3, 4, 10, 5, 6, 7, 8, 11};
    assert_x(m, expected, 9);
    assert_int_equal(m->residues, 9);
    tsl_molecule_destroy(m);
}

static void keeps_repeated_atoms_without_location(void **state)
{
    reading *r = *state;
    char text[1024];
    char *p = line(text, "ATOM", " CA ", ' ', "SER", 'A', 1, ' ', 1, 1.0, " C");
    p = line(p, "ATOM", " CA ", ' ', "SER", 'A', 1, ' ', 2, 1.0, " C");
    line(p, "ATOM", " CB ", 'A', "SER", 'A', 1, ' ', 3, 1.0, " C");
    tsl_molecule *m = reading_parse(r, text);
    const int expected[] = {1, 2, 3};
    assert_x(m, expected, 3);
    tsl_molecule_destroy(m);
}

/* Names, the element column, and whether the atom is kept as which element. */
static const struct {
    const char *record, *name, *residue, *element;
    const char *kept; /* NULL: left out */
} elements[] = {
    {"ATOM", " H  ", "ALA", " H", NULL},   {"ATOM", " D  ", "ALA", " D", NULL},
    {"ATOM", " HA ", "ALA", "  ", NULL},   {"ATOM", "1HB ", "ALA", "  ", NULL},
    {"ATOM", "HG11", "VAL", "  ", NULL},   {"ATOM", "HG  ", "SER", "  ", NULL},
    {"ATOM", " HG ", "SER", "  ", NULL},   {"ATOM", "HE21", "GLN", "  ", NULL},
    {"ATOM", " DA ", "ALA", "  ", NULL},   {"ATOM", "DG11", "VAL", "  ", NULL},
    {"ATOM", "2HH1", "ARG", "  ", NULL},   {"ATOM", "H5''", " DA", "  ", NULL},
    {"ATOM", " CA ", "ALA", "  ", "C"},    {"ATOM", "CA  ", "ALA", "  ", "C"},
    {"ATOM", " OH ", "TYR", "  ", "O"},    {"ATOM", " NH1", "ARG", "  ", "N"},
    {"ATOM", " CD1", "ILE", "  ", "C"},    {"ATOM", " SD ", "MET", "1 ", "S"},
    {"ATOM", "SE  ", "MSE", "  ", "SE"},   {"ATOM", " P  ", "  A", "  ", "P"},
    {"ATOM", " ND2", "ASN", "23", "N"},    {"HETATM", "SE  ", "MSE", "SE", "SE"},
    {"HETATM", "HG  ", " HG", "  ", "HG"}, {"HETATM", "HG  ", "EMC", "  ", "HG"},
    {"HETATM", "HG  ", "EMC", "HG", "HG"}, {"HETATM", " HG ", "LIG", "  ", NULL},
    {"HETATM", "HG11", "LIG", "  ", NULL}, {"HETATM", "HO2 ", "LIG", "  ", NULL},
    {"HETATM", "HO  ", "HO3", "  ", "HO"}, {"HETATM", "DY  ", " DY", "  ", "DY"},
    {"HETATM", "CA  ", " CA", "  ", "CA"}, {"HETATM", " CA ", "LIG", "  ", "C"},
    {"HETATM", "ZN  ", " ZN", "ZN", "ZN"}, {"HETATM", "CL1 ", "LIG", "  ", "CL"},
    {"HETATM", "1CA ", "LIG", "  ", "C"},  {"HETATM", "CAA1", "LIG", "  ", "C"},
    {"HETATM", "FE  ", "HEM", "Fe", "FE"}, {"HETATM", " H1 ", "LIG", " C", "C"},
    {"HETATM", " X1 ", "LIG", "  ", ""},   {"HETATM", " C1 ", "LIG", "H ", NULL},
};

static void leaves_out_hydrogens(void **state)
{
    reading *r = *state;
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++) {
        char text[256];
        char *p = line(text, elements[i].record, elements[i].name, ' ', elements[i].residue, 'A', 1,
                       ' ', 1, 1.0, elements[i].element);
        line(p, "ATOM", " O  ", ' ', "GLY", 'A', 2, ' ', 2, 1.0, " O");
        tsl_molecule *m = reading_parse_with(r, text, NULL, TSL_HETERO_KEEP);
        const int64_t expected = elements[i].kept != NULL ? 2 : 1;
        if (m->count != expected ||
            (expected == 2 && strcmp(m->atoms[0].element, elements[i].kept) != 0)) {
            print_error("%s of %s: kept %d as '%s'\n", elements[i].name, elements[i].residue,
                        m->count == 2, m->atoms[0].element);
        }
        assert_int_equal(m->count, expected);
        if (expected == 2) {
            assert_string_equal(m->atoms[0].element, elements[i].kept);
        }
        tsl_molecule_destroy(m);
    }
}

static void keeps_modified_residues_as_their_parent(void **state)
{
    reading *r = *state;
    static const char *const pairs[][2] = {
        {"MSE", "MET"}, {"SEP", "SER"}, {"TPO", "THR"}, {"PTR", "TYR"}, {"CSO", "CYS"},
        {"CME", "CYS"}, {"MLY", "LYS"}, {"M3L", "LYS"}, {"HYP", "PRO"}, {"KCX", "LYS"},
        {"LLP", "LYS"}, {"PCA", "GLN"}, {"SEC", "CYS"}, {"HID", "HIS"}, {"HIE", "HIS"},
        {"HIP", "HIS"}, {"CYX", "CYS"}, {"ALA", "ALA"}, {"ASX", "ASN"}, {"CGU", "GLU"},
        {"PSU", "U"},   {"  G", "G"},   {" DT", "DT"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        char text[256];
        line(text, "HETATM", " C  ", ' ', pairs[i][0], 'A', 1, ' ', 1, 1.0, " C");
        tsl_molecule *m = reading_parse(r, text);
        assert_string_equal(m->atoms[0].parent, pairs[i][1]);
        assert_string_equal(m->atoms[0].residue, pairs[i][0] + strspn(pairs[i][0], " "));
        assert_true(m->atoms[0].hetero);
        tsl_molecule_destroy(m);
    }
}

static void drops_waters_and_ligands(void **state)
{
    reading *r = *state;
    char text[2048];
    char *p = line(text, "ATOM", " O  ", ' ', "GLY", 'A', 1, ' ', 1, 1.0, " O");
    p = line(p, "HETATM", "ZN  ", ' ', " ZN", 'A', 2, ' ', 2, 1.0, "ZN");
    p = line(p, "HETATM", " C1 ", ' ', "LIG", 'A', 3, ' ', 3, 1.0, " C");
    p = line(p, "HETATM", " O  ", ' ', "HOH", 'A', 4, ' ', 4, 1.0, " O");
    p = line(p, "ATOM", " OW ", ' ', "WAT", 'A', 5, ' ', 5, 1.0, " O");
    line(p, "HETATM", " OH2", ' ', "TIP", 'A', 6, ' ', 6, 1.0, " O");
    put(strstr(text, "TIP "), 1, "TIP3"); /* four letters, as some programs write */
    tsl_molecule *m = reading_parse(r, text);
    const int dropped[] = {1};
    assert_x(m, dropped, 1);
    assert_int_equal(r->warnings, 0);
    tsl_molecule_destroy(m);
    m = reading_parse_with(r, text, NULL, TSL_HETERO_KEEP);
    const int kept[] = {1, 2, 3};
    assert_x(m, kept, 3);
    assert_int_equal(m->uncharged_residues, 2);
    assert_int_equal(r->warnings, 1);
    tsl_molecule_destroy(m);
}

static void warns_once_of_uncharged_residues(void **state)
{
    reading *r = *state;
    char text[2048];
    char *p = line(text, "ATOM", " N  ", ' ', "UNK", 'A', 1, ' ', 1, 1.0, " N");
    p = line(p, "ATOM", " O  ", ' ', "UNK", 'A', 1, ' ', 2, 1.0, " O");
    p = line(p, "ATOM", " P  ", ' ', " DA", 'B', 1, 'C', 3, 1.0, " P");
    line(p, "ATOM", " C  ", ' ', "GLY", 'C', 1, ' ', 4, 1.0, " C");
    tsl_molecule *m = reading_parse(r, text);
    assert_int_equal(m->count, 4);
    assert_int_equal(m->uncharged_residues, 2);
    assert_int_equal(r->warnings, 1);
    assert_string_equal(r->warning, "test: 2 of 3 residues are no known amino acids and stay "
                                    "uncharged: 1 UNK, 1 DA");
    for (int i = 0; i < 4; i++) {
        assert_true(!(m->charges[i] < 0) && !(m->charges[i] > 0));
    }
    tsl_molecule_destroy(m);
}

static void warns_of_holes(void **state)
{
    reading *r = *state;
    char text[2048];
    char *p = line(text, "ATOM", " C  ", ' ', "GLY", 'A', 65, ' ', 1, 1.0, " C");
    p = line(p, "HETATM", " N  ", 'A', "XYZ", 'A', 66, ' ', 2, 0.5, " N");
    p = line(p, "HETATM", " N  ", 'B', "XYZ", 'A', 66, ' ', 2, 0.5, " N");
    p = line(p, "HETATM", " CA ", 'A', "XYZ", 'A', 66, ' ', 2, 0.5, " C");
    p = line(p, "HETATM", " CA ", 'B', "XYZ", 'A', 66, ' ', 2, 0.5, " C");
    p = line(p, "HETATM", "CA  ", ' ', " CA", 'A', 99, ' ', 3, 1.0, "CA");
    line(p, "HETATM", " CA ", ' ', "PLM", 'A', 98, ' ', 4, 1.0, " C"); /* a fatty acid */
    tsl_molecule *m = reading_parse(r, text);
    assert_int_equal(m->count, 1);
    assert_int_equal(r->warnings, 1);
    assert_string_equal(r->warning, "test: 1 HETATM residue of no known parent left out though a "
                                    "backbone is there; the first is XYZ A 66");
    tsl_molecule_destroy(m);
}

static void selects_chains(void **state)
{
    reading *r = *state;
    char text[2048];
    char *p = line(text, "ATOM", " C  ", ' ', "GLY", 'A', 1, ' ', 1, 1.0, " C");
    p = line(p, "ATOM", " C  ", ' ', "GLY", 'b', 1, ' ', 2, 1.0, " C");
    p = line(p, "ATOM", " C  ", ' ', "GLY", ' ', 1, ' ', 3, 1.0, " C");
    p = line(p, "HETATM", " O  ", ' ', "HOH", 'W', 1, ' ', 4, 1.0, " O");
    line(p, "ATOM", " CA ", ' ', "GLY", 'A', 1, ' ', 5, 1.0, " C");
    const struct {
        const char *chains;
        int expected[5];
        int64_t count;
    } cases[] = {{NULL, {1, 2, 3, 5}, 4},
                 {"A", {1, 5}, 2},
                 {"b, A", {1, 2, 5}, 3},
                 {"_", {3}, 1},
                 {" _ ,b,b", {2, 3}, 2}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tsl_molecule *m = reading_parse_with(r, text, cases[i].chains, TSL_HETERO_DROP);
        assert_x(m, cases[i].expected, cases[i].count);
        tsl_molecule_destroy(m);
    }
    reading_fails(r, text, "Z", TSL_E_FORMAT,
                  "test: no chain Z: the file has chains A, b, _ (blank), W");
    reading_fails(r, text, "A,B", TSL_E_FORMAT, "no chain B");
    reading_fails(r, text, "W", TSL_E_FORMAT, "chain W holds nothing but waters");
    reading_fails(r, text, "", TSL_E_ARG, "an identifier is empty");
    reading_fails(r, text, "A,,b", TSL_E_ARG, "an identifier is empty");
    reading_fails(r, text, "A,", TSL_E_ARG, "an identifier is empty");
    reading_fails(r, text, "ABCDEFGH", TSL_E_ARG, "longer than 7");
    reading_fails(r, ALA_N, "B", TSL_E_FORMAT, "test: no chain B: the file has chain A");
}

static void reads_numbers_beyond_four_digits(void **state)
{
    reading *r = *state;
    const struct {
        const char *text;
        int number;
    } cases[] = {{"9999", 9999},    {"A000", 10000},   {"A001", 10001}, {"ZZZZ", 1223055},
                 {"a000", 1223056}, {"zzzz", 2436111}, {"-999", -999},  {"271a", 10010},
                 {"271A", 10010},   {"****", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[] = ALA_N;
        put(text, 23, cases[i].text);
        tsl_molecule *m = reading_parse(r, text);
        assert_int_equal(m->atoms[0].number, cases[i].number);
        tsl_molecule_destroy(m);
    }
    const char *bad[] = {"    ", "*** ", "1A 2", "Aa00", "1.50", "1g00"};
    for (int i = 0; i < 6; i++) {
        char text[] = ALA_N;
        put(text, 23, bad[i]);
        reading_fails(r, text, NULL, TSL_E_FORMAT, "test:1: the residue number of atom N of ALA");
    }
    char text[] = ALA_N;
    put(text, 7, "*****"); /* a serial number is of no consequence */
    tsl_molecule *m = reading_parse(r, text);
    assert_int_equal(m->atoms[0].serial, 0);
    tsl_molecule_destroy(m);
    put(text, 6, "100000"); /* nor one that runs into the record's name */
    m = reading_parse(r, text);
    tsl_molecule_destroy(m);
}

static void fills_in_what_short_lines_lack(void **state)
{
    reading *r = *state;
    tsl_molecule *m = reading_parse(r, "ATOM      1  N   ALA A   1      11.104   6.134  -6.504\n"
                                       "HETATM    2  O   HOH A   2      11.104   6.134  -6.504\n");
    assert_int_equal(m->count, 1);
    assert_true(m->atoms[0].occupancy > 0.99F && m->atoms[0].occupancy < 1.01F);
    assert_string_equal(m->atoms[0].element, "N");
    tsl_molecule_destroy(m);
}

static void replaced_field_fails(reading *r, size_t column, const char *field, const char *part)
{
    char text[] = "REMARK\n" ALA_N;
    put(text + 7, column, field);
    reading_fails(r, text, NULL, TSL_E_FORMAT, part);
}

static void names_the_line_at_fault(void **state)
{
    reading *r = *state;
    replaced_field_fails(r, 31, "        ", "test:2: atom N of ALA A 1 has no coordinate x");
    replaced_field_fails(r, 39, "   6.1x4",
                         "test:2: coordinate y of atom N of ALA A 1, \"6.1x4\", is not a number");
    replaced_field_fails(r, 47, "     nan", "test:2: coordinate z of atom N of ALA A 1, \"nan\"");
    replaced_field_fails(r, 47, "     inf", "is not a number");
    replaced_field_fails(r, 47, "********", "is not a number");
    replaced_field_fails(r, 47, "  1 .234", "is not a number");
    replaced_field_fails(r, 47, "\t\x01 1.234", "is not a number");
    replaced_field_fails(r, 31, "10000.00", "10000.00, is beyond 9999.999 angstrom");
    replaced_field_fails(r, 31, "    -1e9", "-1e9, is beyond 9999.999 angstrom");
    replaced_field_fails(r, 13, "    ", "test:2: the atom has no name in columns 13 to 16");
    reading_fails(r, ALA_N "ATOM      2  CA  ALA A   1      11.639   6.071  -5.14\n", NULL,
                  TSL_E_FORMAT, "test:2: the ATOM record ends in column 53");
    reading_fails(r, ALA_N "HETATM\n", NULL, TSL_E_FORMAT, "test:2: the HETATM record ends in");
    reading_fails(r, "ATOM", NULL, TSL_E_FORMAT, "is the file cut short?");
}

static void names_files_without_a_molecule(void **state)
{
    reading *r = *state;
    reading_fails(r, "", NULL, TSL_E_FORMAT, "test: the file is empty");
    reading_fails(r, "\n\n", NULL, TSL_E_FORMAT, "test: no atoms: neither ATOM or HETATM");
    reading_fails(r, "<html>not found</html>\n", NULL, TSL_E_FORMAT, "no atoms");
    reading_fails(r, "HETATM    2  O   HOH A   2      11.104   6.134  -6.504\n", NULL, TSL_E_FORMAT,
                  "no atoms left of 1: 1 water, 0 hydrogens, 0 virtual sites and 0 atoms");
    const tsl_molecule_options options = TSL_MOLECULE_OPTIONS_INIT;
    tsl_molecule *m = NULL;
    assert_int_equal(tsl_molecule_parse(&m, &r->context, "test",
                                        "\x7f"
                                        "ELF\0\0\0\n",
                                        8, &options),
                     TSL_E_FORMAT);
    assert_non_null(strstr(r->context.error, "not a text file"));
}

/* A file cut anywhere is an error or gives a true beginning of its atoms. */
static void never_misreads_a_cut_file(void **state)
{
    reading *r = *state;
    const char whole[] = "HEADER\n" ALA_N ALA_CA GLY_N;
    tsl_molecule *expected = reading_parse(r, whole);
    const tsl_molecule_options options = TSL_MOLECULE_OPTIONS_INIT;
    for (size_t size = 0; size < sizeof whole; size++) {
        tsl_molecule *m = NULL;
        if (tsl_molecule_parse(&m, &r->context, "test", whole, size, &options) != TSL_OK) {
            assert_null(m);
            continue;
        }
        assert_memory_equal(m->positions, expected->positions,
                            3 * (size_t)m->count * sizeof(double));
        tsl_molecule_destroy(m);
    }
    tsl_molecule_destroy(expected);
}

static void takes_parsed_files_as_they_are(void **state)
{
    reading *r = *state;
    tsl_molecule *m = reading_parse(
        r,
        "ATOM      1  N   ILE A  16      32.676  86.728  92.140  1.00  7.06              I 10\n"
        "ATOM      2  H   ILE A  16      33.676  86.728  92.140  1.00  7.06              I 10\n"
        "ATOM      3  CA AILE A  16      33.205  87.196  93.441  0.40  7.06              I 10\n"
        "ATOM      4  CA BILE A  16      34.205  87.196  93.441  0.60  7.06              I 10\n"
        "HETATM    5  O   HOH A  17      35.205  87.196  93.441  0.60  7.06              X 00\n"
        "END\n"
        "ATOM      6  NZ  LYS B  95Y     43.317  58.859  88.383  1.00  0.00              K 12\n");
    const int expected[] = {32, 33, 33, 34, 43};
    assert_x(m, expected, 5);
    assert_int_equal(r->warnings, 0);
    tsl_molecule_destroy(m);
}

/* Columns that only look like FTDock's make no .parsed file. */
static void tells_parsed_files_by_their_codes(void **state)
{
    reading *r = *state;
    const char *endings[] = {"I 10", "I110", "1 10", "I  A", "I  "};
    for (int i = 0; i < 5; i++) {
        char text[256];
        snprintf(text, sizeof text,
                 "ATOM      1  N   ILE A  16      32.676  86.728  92.140  1.00  7.06              "
                 "%s\nATOM      2  H   ILE A  16      33.676  86.728  92.140\n",
                 endings[i]);
        tsl_molecule *m = reading_parse(r, text);
        assert_int_equal(m->count, i == 0 ? 2 : 1);
        tsl_molecule_destroy(m);
    }
}

/* Files that may be used where they are, but do not belong to the project. */
static void reads_known_files(void **state)
{
    reading *r = *state;
    static const struct {
        const char *path;
        int64_t atoms;
        int32_t residues;
    } files[] = {{"/data/trypsin.pdb", 1666, 222},
                 {"/data/bpti.pdb", 454, 58},
                 {"/../shared/data/ftdock/2pka.parsed", 1798, 232},
                 {"/../shared/data/ftdock/5pti.parsed", 453, 58},
                 {"/../shared/data/pdb/1AVX_l_u.pdb", 1258, 0},
                 {"/../shared/data/pdb/1AVX_r_b.pdb", 1630, 0},
                 {"/../shared/data/pdb/1AY7_l_u.pdb", 719, 0},
                 {"/../shared/data/pdb/1PPE_r_u.pdb", 1629, 0},
                 {"/../shared/data/pdb/2SIC_r_u.pdb", 1938, 0}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[1024];
        snprintf(path, sizeof path, TSL_SOURCE_DIR "%s", files[i].path);
        if (access(path, R_OK) != 0) {
            print_message("skipped: %s is not there\n", path);
            continue;
        }
        tsl_molecule *m = NULL;
        assert_int_equal(tsl_molecule_read(&m, &r->context, path, NULL), TSL_OK);
        assert_int_equal(tsl_molecule_count(m), files[i].atoms);
        assert_true(files[i].residues == 0 || m->residues == files[i].residues);
        assert_int_equal(m->uncharged_residues, 0);
        tsl_molecule_destroy(m);
    }
    assert_int_equal(r->warnings, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, reading_setup, reading_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(reads_all_fields),
        TEST(reads_lines_with_any_end),
        TEST(reads_the_first_model_only),
        TEST(reads_on_after_ter_and_stops_at_end),
        TEST(keeps_the_alternate_of_highest_occupancy),
        TEST(finds_alternates_apart),
        TEST(keeps_the_residue_of_highest_occupancy),
        TEST(keeps_residues_that_share_a_number),
        TEST(keeps_repeated_atoms_without_location),
        TEST(leaves_out_hydrogens),
        TEST(keeps_modified_residues_as_their_parent),
        TEST(drops_waters_and_ligands),
        TEST(warns_once_of_uncharged_residues),
        TEST(warns_of_holes),
        TEST(selects_chains),
        TEST(reads_numbers_beyond_four_digits),
        TEST(fills_in_what_short_lines_lack),
        TEST(names_the_line_at_fault),
        TEST(names_files_without_a_molecule),
        TEST(never_misreads_a_cut_file),
        TEST(takes_parsed_files_as_they_are),
        TEST(tells_parsed_files_by_their_codes),
        TEST(reads_known_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
