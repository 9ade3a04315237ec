/* mmCIF files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "io/reading.h"

#define HEAD                                                                                       \
    "data_TEST\n#\nloop_\n_atom_site.group_PDB\n_atom_site.id\n_atom_site.type_symbol\n"           \
    "_atom_site.label_atom_id\n_atom_site.label_alt_id\n_atom_site.label_comp_id\n"                \
    "_atom_site.label_asym_id\n_atom_site.label_seq_id\n_atom_site.pdbx_PDB_ins_code\n"            \
    "_atom_site.Cartn_x\n_atom_site.Cartn_y\n_atom_site.Cartn_z\n_atom_site.occupancy\n"           \
    "_atom_site.B_iso_or_equiv\n_atom_site.auth_seq_id\n_atom_site.auth_comp_id\n"                 \
    "_atom_site.auth_asym_id\n_atom_site.auth_atom_id\n_atom_site.pdbx_PDB_model_num\n"

#define ROW_1 "ATOM 1 N N . ALA A 1 ? 11.104 6.134 -6.504 1.00 12.50 16 ALA E N 1\n"
#define ROW_2 "ATOM 2 C CA . ALA A 1 ? 11.639 6.071 -5.147 0.50 13.00 16 ALA E CA 1\n"
#define ROW_3 "ATOM 3 N N . GLY A 2 B 12.000 7.000 -4.000 1.00 14.00 16 GLY E N 1\n"

/* The molecule of the mmCIF text as a PDB file. */
static const char pdb[] =
    "ATOM      1  N   ALA E  16      11.104   6.134  -6.504  1.00 12.50           N  \n"
    "ATOM      2  CA  ALA E  16      11.639   6.071  -5.147  0.50 13.00           C  \n"
    "ATOM      3  N   GLY E  16B     12.000   7.000  -4.000  1.00 14.00           N  \n";

static void assert_same_as_pdb(reading *r, const char *text)
{
    tsl_molecule *expected = reading_parse(r, pdb);
    tsl_molecule *m = reading_parse(r, text);
    reading_assert_equal(m, expected);
    tsl_molecule_destroy(m);
    tsl_molecule_destroy(expected);
    assert_int_equal(r->warnings, 0);
}

static void reads_what_the_data_bank_writes(void **state)
{
    assert_same_as_pdb(*state, HEAD ROW_1 ROW_2 ROW_3 "#\n");
}

static void reads_columns_in_any_order(void **state)
{
    /* No author's items, tags in any case, items of other categories around and between. */
    assert_same_as_pdb(*state,
                       "# comment\n\n\tDATA_x\n_entry.id x\nLOOP_ _cell.a _cell.b 1 2 3 4\n"
                       "loop_\n_ATOM_SITE.cartn_Z _atom_site.Cartn_y _atom_site.CARTN_X\n"
                       "_atom_site.label_seq_id _atom_site.pdbx_PDB_ins_code\n"
                       "_atom_site.label_asym_id _atom_site.label_comp_id\n"
                       "_atom_site.label_atom_id _atom_site.B_iso_or_equiv _atom_site.occupancy\n"
                       "_atom_site.details _atom_site.id # the last\n"
                       "-6.504 6.134 11.104 16 . E ALA N 12.50 1.00 'a b' 1\n"
                       "-5.147 6.071\n11.639 16 ? E ALA CA 13.00 0.50 \"it's\" 2 -4.000 7.0\n"
                       ";12\n"
                       ";\n"
                       "16 B E GLY N 14 ? # nothing said\n"
                       ";a text\n"
                       " ; loop_ data_ in it\n"
                       ";\n"
                       "3\n"
                       "_after.the loop\n");
}

static void reads_lines_with_any_end(void **state)
{
    reading *r = *state;
    const char *ends[] = {"\r\n", "\r"};
    for (int i = 0; i < 2; i++) {
        char text[4096] = "";
        char *p = text;
        for (const char *from = HEAD
             "ATOM 1 N N . ALA A 1 ?\n;11.104\n;\n6.134 -6.504 1 12.5 16 ALA "
             "E N 1\n" ROW_2 ROW_3;
             *from != '\0'; from++) {
            if (*from == '\n') {
                p += strlen(strcpy(p, ends[i]));
            } else {
                *p++ = *from;
            }
        }
        assert_same_as_pdb(r, text);
    }
}

static void reads_quoted_names(void **state)
{
    reading *r = *state;
    tsl_molecule *m =
        reading_parse(r, HEAD "ATOM 1 O \"O5'\" . DA A 1 ? 1 2 3 1 0 1 DA A \"O5'\" 1\n"
                              "ATOM 2 C 'C5'' . DA A 1 ? 1 2 3 1 0 1 DA A 'C5'' 1\n"
                              "ATOM 3 C C4' . DA A 1 ? 1 2 3 1 0 1 DA A C4' 1\n"
                              "ATOM 4 C CC . DA A 1 ?\n;1\n;\n;2\n;\t'3' 1 0 1 DA A\n;\n; 1\n");
    assert_int_equal(m->count, 4);
    assert_string_equal(reading_names(m), "A/1/O5' A/1/C5' A/1/C4' A/1/CC");
    tsl_molecule_destroy(m);
}

static void prefers_the_authors_names(void **state)
{
    reading *r = *state;
    tsl_molecule *m =
        reading_parse(r, HEAD "ATOM 1 N N1 . ALA A 1 ? 1 2 3 1 0 95 GLY HHH N 1\n"
                              "ATOM 2 C CA . ALA A 2 ? 1 2 3 1 0 ? ? . ? 1\n"
                              "ATOM 3 C \"?\" . ALA A 2 ? 1 2 3 1 0 2 ALA \".\" ? 1\n");
    assert_string_equal(reading_names(m), "HHH/95/N A/2/CA ./2/?");
    assert_string_equal(m->atoms[0].residue, "GLY");
    assert_string_equal(m->atoms[1].residue, "ALA");
    tsl_molecule_destroy(m);
    m = reading_parse_with(r, HEAD ROW_1 "ATOM 2 C CA . ALA B 1 ? 1 2 3 1 0 1 ALA F CA 1\n", "E",
                           TSL_HETERO_DROP);
    assert_string_equal(reading_names(m), "E/16/N");
    tsl_molecule_destroy(m);
    reading_fails(r, HEAD ROW_1, "A", TSL_E_FORMAT, "no chain A: the file has chain E");
}

static void reads_the_first_model_only(void **state)
{
    reading *r = *state;
    tsl_molecule *m = reading_parse(r, HEAD "ATOM 1 N N . ALA A 1 ? 1 2 3 1 0 1 ALA A N 3\n"
                                            "ATOM 2 N N . ALA A 1 ? 1 2 3 1 0 1 ALA A N 1\n"
                                            "ATOM 3 C C . ALA A 1 ? 1 2 3 1 0 1 ALA A C 3\n");
    assert_string_equal(reading_names(m), "A/1/N A/1/C");
    tsl_molecule_destroy(m);
}

static void reads_the_first_block_with_atoms(void **state)
{
    reading *r = *state;
    tsl_molecule *m = reading_parse(r, "data_ONE\n_cell.a 1\nsave_x _cell.b 2 save_\n" HEAD ROW_1
                                       "data_TWO\n" HEAD ROW_2 ROW_3);
    assert_string_equal(reading_names(m), "E/16/N");
    tsl_molecule_destroy(m);
}

static void reads_an_only_atom_outside_a_loop(void **state)
{
    reading *r = *state;
    tsl_molecule *m = reading_parse(
        r, "data_ION\n_atom_site.Cartn_x 1.5\n_atom_site.Cartn_y 2(1)\n_atom_site.Cartn_z "
           "-3.25(12)\n_atom_site.label_atom_id CA\n_atom_site.label_comp_id GLY\n"
           "_atom_site.label_seq_id 7\n_atom_site.type_symbol C\n");
    const double expected[] = {1.5, 2.0, -3.25};
    assert_int_equal(m->count, 1);
    assert_memory_equal(m->positions, expected, sizeof expected);
    assert_string_equal(m->atoms[0].chain, "");
    tsl_molecule_destroy(m);
}

static void applies_the_rules_of_pdb(void **state)
{
    reading *r = *state;
    const char *text = HEAD "ATOM   1 N  N  . GLY A 1 ? 1 0 0 1.0 0 1 GLY A N 1\n"
                            "ATOM   2 H  H  . GLY A 1 ? 2 0 0 1.0 0 1 GLY A H 1\n"
                            "ATOM   3 D  D  . GLY A 1 ? 3 0 0 1.0 0 1 GLY A D 1\n"
                            "ATOM   4 C  CA A GLY A 1 ? 4 0 0 0.4 0 1 GLY A CA 1\n"
                            "ATOM   5 C  CA B GLY A 1 ? 5 0 0 0.6 0 1 GLY A CA 1\n"
                            "HETATM 6 SE SE . MSE A 2 ? 6 0 0 1.0 0 2 MSE A SE 1\n"
                            "HETATM 7 ?  HG . HG  B . ? 7 0 0 1.0 0 . HG  B HG 1\n"
                            "HETATM 8 ?  H1 . LIG B . ? 8 0 0 1.0 0 9 LIG B H1 1\n"
                            "HETATM 9 ?  CL1 . LIG B . ? 9 0 0 1.0 0 9 LIG B CL1 1\n"
                            "HETATM 10 O O  . HOH C . ? 10 0 0 1.0 0 1 HOH C O 1\n"
                            "ATOM   11 P P  A DA D 1 ? 11 0 0 0.4 0 1 DA D P 1\n"
                            "ATOM   12 P P  B DG D 1 ? 12 0 0 0.6 0 1 DG D P 1\n";
    tsl_molecule *m = reading_parse(r, text);
    assert_string_equal(reading_names(m), "A/1/N A/1/CA A/2/SE D/1/P");
    assert_int_equal((int)m->positions[3], 5);
    assert_string_equal(m->atoms[2].parent, "MET");
    assert_true(m->atoms[2].hetero);
    assert_string_equal(m->atoms[3].residue, "DG");
    assert_string_equal(r->warning, "test: 1 of 3 residues is no known amino acid and stays "
                                    "uncharged: 1 DG");
    tsl_molecule_destroy(m);
    m = reading_parse_with(r, text, NULL, TSL_HETERO_KEEP);
    assert_string_equal(reading_names(m), "A/1/N A/1/CA A/2/SE B/0/HG B/9/CL1 D/1/P");
    assert_string_equal(m->atoms[3].element, "HG");
    assert_string_equal(m->atoms[4].element, "CL");
    tsl_molecule_destroy(m);
}

static void names_the_line_at_fault(void **state)
{
    reading *r = *state;
    const struct {
        const char *text, *part;
    } cases[] = {
        {HEAD ROW_1 "ATOM 2 C CA . ALA A 1 ? x1 2 3 1 0 1 ALA A CA 1\n",
         "test:24: coordinate x of atom CA of ALA A 1, \"x1\", is not a number"},
        {HEAD "ATOM 2 C CA . ALA A 1 C 1 ? 3 1 0 1 ALA A CA 1\n",
         "test:23: atom CA of ALA A 1C has no coordinate y"},
        {HEAD "ATOM 2 C CA . ALA A 1 ? 1 2 . 1 0 1 ALA A CA 1\n", "has no coordinate z"},
        {HEAD "ATOM 2 C CA . ALA A 1 ? 1 2 nan 1 0 1 ALA A CA 1\n", "\"nan\", is not a number"},
        {HEAD "ATOM 2 C CA . ALA A 1 ? 1 2 1e5 1 0 1 ALA A CA 1\n", "is beyond 9999.999"},
        {HEAD "ATOM 2 C CA . ALA A 1 ? 1 2 3() 1 0 1 ALA A CA 1\n", "\"3()\", is not a number"},
        {HEAD "ATOM 2 C CA A ALA A 1 ? 1 2 3 one 0 1 ALA A CA 1\n", "the occupancy of atom CA"},
        {HEAD "ATOM 2 C CA . ALA A 1 ? 1 2 3 1 0 1B ALA A CA 1\n",
         "the residue number of atom CA of ALA, \"1B\""},
        {HEAD "ATOM 2 C ? . ALA A 1 ? 1 2 3 1 0 1 ALA A . 1\n", "test:23: an atom has no name"},
        {HEAD "ATOM 2 C LONGNAME . ALA A 1 ? 1 2 3 1 0 1 ALA A ? 1\n",
         "the atom name \"LONGNAME\" is longer than 7 characters"},
        {HEAD "ATOM 2 C CA . ALA A 1 ? 1 2 3 1 0 1 ALA CHAINABC CA 1\n",
         "the chain identifier \"CHAINABC\" is longer"},
        {HEAD "ATOM 2 C CA AB ALA A 1 ? 1 2 3 1 0 1 ALA A CA 1\n",
         "the alternate location \"AB\" is longer than 1 character"},
        {HEAD "ATOM 2 C CA . ALA A 1 XY 1 2 3 1 0 1 ALA A CA 1\n", "the insertion code \"XY\""},
        {HEAD ROW_1 "ATOM 2 C\n", "test:25: the loop of line 3 ends within a row"},
        {HEAD ROW_1 "ATOM 2 'C\n", "test:24: a quoted value does not end on its line"},
        {HEAD ROW_1 "ATOM 2\n;C\n", "test:25: a text field begins with ';' here and does not end"},
        {"data_x\nloop_\n_atom_site.id\n_atom_site.Cartn_x\n1 2\n",
         "test:2: _atom_site has no column Cartn_y"},
        {"data_x loop_ _atom_site.id _atom_site.id 1 1\n", "is given twice"},
        {HEAD ROW_1 "loop_\n_atom_site.id 1\n", "test:25: this item of _atom_site is given twice"},
        {"data_x\n_atom_site.id 1\n", "_atom_site has no column Cartn_x"},
        {"data_x\nloop_\n_a.b _a.c\n1 2 3\n", "test:5: the loop of line 2 ends within a row"},
        {"data_x\nloop_\nloop_\n", "test:2: a loop_ has no columns"},
        {"data_x\n_a.b _a.c 1\n", "test:2: an item has no value"},
        {"data_x\n_a.b", "test:2: an item has no value"},
        {"data_x\n_a.b 1 2\n", "test:2: a value belongs to no item and no loop"},
        {"hello\n_atom_site.id 1\n", "test:1: not an mmCIF file: data_ must come first"},
        {"data_x\n_cell.a 1\n", "test: no atoms: neither ATOM"},
        {"data_x\nloop_\n_refln.index_h\n1 2 3\n", "test: no atoms"},
        {"data_", "test: no atoms"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        reading_fails(r, cases[i].text, NULL, TSL_E_FORMAT, cases[i].part);
    }
}

static void limits_the_columns(void **state)
{
    reading *r = *state;
    char *text = malloc(40000);
    assert_non_null(text);
    for (int count = 1024; count <= 1025; count++) {
        char *p = text + sprintf(text, "data_x loop_\n");
        for (int i = 0; i < count; i++) {
            p += sprintf(p, "_many.columns_%d\n", i);
        }
        reading_fails(r, text, NULL, TSL_E_FORMAT,
                      count == 1024 ? "no atoms" : "test:1026: a loop has more than 1024 columns");
    }
    free(text);
}

/* A file cut anywhere is an error or gives a true beginning of its atoms. */
static void never_misreads_a_cut_file(void **state)
{
    reading *r = *state;
    /* The number comes before the last column: a row that is cut is never whole. */
    const char whole[] = HEAD ROW_1 ROW_2 ROW_3;
    tsl_molecule *expected = reading_parse(r, whole);
    const tsl_molecule_options options = TSL_MOLECULE_OPTIONS_INIT;
    int read = 0;
    for (size_t size = 0; size < sizeof whole; size++) {
        tsl_molecule *m = NULL;
        if (tsl_molecule_parse(&m, &r->context, "test", whole, size, &options) != TSL_OK) {
            assert_null(m);
            continue;
        }
        assert_memory_equal(m->positions, expected->positions,
                            3 * (size_t)m->count * sizeof(double));
        tsl_molecule_destroy(m);
        read++;
    }
    assert_true(read >= 3);
    tsl_molecule_destroy(expected);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, reading_setup, reading_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(reads_what_the_data_bank_writes),
        TEST(reads_columns_in_any_order),
        TEST(reads_lines_with_any_end),
        TEST(reads_quoted_names),
        TEST(prefers_the_authors_names),
        TEST(reads_the_first_model_only),
        TEST(reads_the_first_block_with_atoms),
        TEST(reads_an_only_atom_outside_a_loop),
        TEST(applies_the_rules_of_pdb),
        TEST(names_the_line_at_fault),
        TEST(limits_the_columns),
        TEST(never_misreads_a_cut_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
