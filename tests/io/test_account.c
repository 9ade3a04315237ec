/* What readers of molecules leave out, assume and say: the files of other programs. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "io/reading.h"

enum { TEXT = 1 << 14 };

/* A record of an atom at (x, 0, 0); `name` and `residue` fill four columns each. */
static void add(char *text, const char *record, const char *name, const char *residue, char chain,
                int number, double x, const char *element)
{
    const size_t used = strlen(text);
    snprintf(text + used, TEXT - used,
             "%-6s%5d %-4s %-4s%c%4d    %8.3f%8.3f%8.3f%6.2f%6.2f          %2s\n", record, 1, name,
             residue, chain, number, x, 0.0, 0.0, 1.0, 0.0, element);
}

static void add_glycine(char *text, char chain, int number)
{
    add(text, "ATOM", " N  ", "GLY", chain, number, 1, " N");
    add(text, "ATOM", " CA ", "GLY", chain, number, 2, " C");
    add(text, "ATOM", " O  ", "GLY", chain, number, 3, " O");
}

static tsl_molecule *parse_model(reading *r, const char *text, const char *chains, int model)
{
    tsl_molecule_options options = TSL_MOLECULE_OPTIONS_INIT;
    tsl_molecule *m = NULL;
    options.chains = chains;
    options.model = model;
    const tsl_status status =
        tsl_molecule_parse(&m, &r->context, "test", text, strlen(text), &options);
    assert_true((status == TSL_OK) == (m != NULL));
    return m;
}

/* ---- models ------------------------------------------------------------------------------- */

static const char model_1[] =
    "ATOM      1  N   ALA A   1       1.000   0.000   0.000  1.00  0.00           N  \n"
    "ATOM      2  N   ALA B   1       2.000   0.000   0.000  1.00  0.00           N  \n";
static const char model_2[] =
    "ATOM      1  N   ALA A   1       3.000   0.000   0.000  1.00  0.00           N  \n"
    "HETATM    2 ZN    ZN A   2       4.000   0.000   0.000  1.00  0.00          ZN  \n"
    "ATOM      3  N   ALA C   1       5.000   0.000   0.000  1.00  0.00           N  \n";
static const char mmcif_models[] =
    "data_x loop_ _atom_site.group_PDB _atom_site.auth_asym_id _atom_site.auth_seq_id "
    "_atom_site.label_comp_id _atom_site.label_atom_id _atom_site.type_symbol _atom_site.Cartn_x "
    "_atom_site.Cartn_y _atom_site.Cartn_z _atom_site.pdbx_PDB_model_num\n"
    "ATOM A 1 ALA N N 1 0 0 1\nATOM B 1 ALA N N 2 0 0 1\nATOM A 1 ALA N N 3 0 0 2\n"
    "HETATM A 2 ZN ZN ZN 4 0 0 2\nATOM C 1 ALA N N 5 0 0 2\n";

static void reads_the_models_asked_for(void **state)
{
    reading *r = *state;
    char texts[5][TEXT];
    snprintf(texts[0], TEXT, "MODEL        1\n%sENDMDL\nMODEL        2\n%sENDMDL\nEND\n", model_1,
             model_2);
    snprintf(texts[1], TEXT, "%sEND\n%sEND\n", model_1, model_2); /* as PyMOL and VMD do */
    snprintf(texts[2], TEXT, "%sENDMDL\n%sENDMDL\n", model_1, model_2);
    snprintf(texts[3], TEXT, "MODEL 1\n%sMODEL 2\n%s", model_1, model_2);
    snprintf(texts[4], TEXT, "%s", mmcif_models);
    for (int i = 0; i < 5; i++) {
        tsl_molecule *m = parse_model(r, texts[i], NULL, TSL_MODEL_FIRST);
        assert_string_equal(reading_names(m), "A/1/N B/1/N");
        assert_int_equal(m->account.models, 1);
        assert_int_equal(m->account.model_atoms, 3);
        assert_int_equal(m->account.ions, 0);
        tsl_molecule_destroy(m);
        m = parse_model(r, texts[i], NULL, 2);
        assert_string_equal(reading_names(m), "A/1/N C/1/N");
        assert_int_equal((int)m->positions[0], 3);
        assert_int_equal(m->account.models, 1);
        assert_int_equal(m->account.model_atoms, 2);
        assert_int_equal(m->account.ions, 1);
        tsl_molecule_destroy(m);
        m = parse_model(r, texts[i], NULL, TSL_MODEL_ALL);
        assert_string_equal(reading_names(m), "A/1/N B/1/N A-2/1/N C/1/N");
        assert_int_equal(m->account.models, 0);
        tsl_molecule_destroy(m);
        m = parse_model(r, texts[i], "A", TSL_MODEL_ALL);
        assert_string_equal(reading_names(m), "A/1/N A-2/1/N");
        tsl_molecule_destroy(m);
        m = parse_model(r, texts[i], "B,A-2", TSL_MODEL_ALL);
        assert_string_equal(reading_names(m), "B/1/N A-2/1/N");
        tsl_molecule_destroy(m);
        assert_null(parse_model(r, texts[i], NULL, 3));
        assert_string_equal(r->context.error,
                            "test: no model 3: the file has 2 models, from 1 to 2");
        assert_null(parse_model(r, texts[i], NULL, -2));
    }
    /* What is wrong in a model that is not wanted is of no consequence. */
    snprintf(texts[0], TEXT, "MODEL 1\n%sENDMDL\nMODEL 2\nATOM  damaged\n", model_1);
    tsl_molecule *m = parse_model(r, texts[0], NULL, TSL_MODEL_FIRST);
    assert_int_equal(m->account.model_atoms, 1);
    tsl_molecule_destroy(m);
}

static void counts_further_data_blocks(void **state)
{
    reading *r = *state;
    char text[TEXT];
    snprintf(text, TEXT, "%sdata_y _cell.a 1\n%s%s'", mmcif_models, mmcif_models, mmcif_models);
    tsl_molecule *m = reading_parse(r, text);
    assert_int_equal(m->count, 2);
    assert_int_equal(m->account.blocks, 2);
    tsl_molecule_destroy(m);
}

/* ---- what is left out --------------------------------------------------------------------- */

static void counts_what_is_left_out(void **state)
{
    reading *r = *state;
    char text[TEXT] = "";
    add_glycine(text, 'A', 1);
    add(text, "ATOM", " HA2", "GLY", 'A', 1, 4, " H");
    add(text, "ATOM", " LP1", "GLY", 'A', 1, 4, "  ");
    add(text, "ATOM", "MCH3", "GLY", 'A', 1, 4, "  ");
    add(text, "HETATM", "FE  ", "HEM", 'A', 2, 5, "FE");
    add(text, "HETATM", " NA ", "HEM", 'A', 2, 6, " N");
    add(text, "HETATM", " O  ", "HOH", 'A', 3, 7, " O");
    add(text, "HETATM", " O  ", "HOH", 'A', 4, 8, " O");
    add(text, "HETATM", " H1 ", "HOH", 'A', 4, 8, " H");
    add(text, "HETATM", "ZN  ", " ZN", 'A', 5, 9, "ZN");
    add(text, "HETATM", " S  ", "SO4", 'A', 6, 10, " S");
    add(text, "HETATM", " O1 ", "SO4", 'A', 6, 11, " O");
    tsl_molecule *m = reading_parse(r, text);
    const tsl_molecule_account expected = {.hydrogens = 1,
                                           .waters = 2,
                                           .ions = 1,
                                           .solvents = 1,
                                           .solvent_atoms = 2,
                                           .ligands = 1,
                                           .ligand_atoms = 2,
                                           .virtual_sites = 2};
    tsl_molecule_account account;
    char names[TSL_TALLY_TEXT];
    tsl_molecule_account_of(m, &account);
    assert_memory_equal(&account, &expected, sizeof account);
    assert_int_equal(m->count, 3);
    assert_string_equal(tsl_tally_print(names, &m->left_out), "1 HEM, 1 ZN, 1 SO4");
    tsl_molecule_destroy(m);
    m = reading_parse_with(r, text, NULL, TSL_HETERO_KEEP);
    assert_int_equal(m->count, 8);
    assert_int_equal(m->account.ligand_atoms + m->account.ions + m->account.solvent_atoms, 0);
    assert_string_equal(r->warning, "test: 3 of 4 residues are no known amino acids and stay "
                                    "uncharged: 1 HEM, 1 ZN, 1 SO4");
    tsl_molecule_destroy(m);
}

static void counts_alternates(void **state)
{
    reading *r = *state;
    char text[TEXT] = "";
    add_glycine(text, 'A', 1);
    tsl_molecule *m = reading_parse(r, text);
    assert_int_equal(m->account.alternates, 0);
    tsl_molecule_destroy(m);
    const char *two =
        "ATOM      1  CA AGLY A   1       1.000   0.000   0.000  0.40  0.00           C  \n"
        "ATOM      1  CA BGLY A   1       2.000   0.000   0.000  0.60  0.00           C  \n";
    m = reading_parse(r, two);
    assert_int_equal(m->account.alternates, 1);
    tsl_molecule_destroy(m);
}

/* Ions, waters and solvents of simulations, which come as ATOM records. */
static void knows_ions_and_solvents_in_any_record(void **state)
{
    reading *r = *state;
    static const struct {
        const char *name, *residue, *element;
        tsl_residue_kind kind;
    } cases[] = {
        {" SOD", "SOD", "  ", TSL_RESIDUE_ION},     {" CLA", "CLA", "  ", TSL_RESIDUE_ION},
        {"POT ", "POT", "  ", TSL_RESIDUE_ION},     {"CAL ", "CAL", "CA", TSL_RESIDUE_ION},
        {"CIP ", "CIP", "  ", TSL_RESIDUE_ION},     {" CIM", "CIM", "  ", TSL_RESIDUE_ION},
        {" Na+", "Na+", "  ", TSL_RESIDUE_ION},     {" Cl-", "Cl-", "  ", TSL_RESIDUE_ION},
        {"NA  ", " NA", "  ", TSL_RESIDUE_ION},     {"CA  ", " CA", "CA", TSL_RESIDUE_ION},
        {"ZN  ", "ZN2", "  ", TSL_RESIDUE_ION},     {"CO  ", "3CO", "  ", TSL_RESIDUE_ION},
        {"MG  ", "MG2", "MG", TSL_RESIDUE_ION},     {" K+ ", " K+", "  ", TSL_RESIDUE_ION},
        {" OW ", "SOLV", " O", TSL_RESIDUE_WATER},  {" OW ", "SPCE", " O", TSL_RESIDUE_WATER},
        {" OW ", "WT1", "  ", TSL_RESIDUE_WATER},   {" O  ", "OPC", " O", TSL_RESIDUE_WATER},
        {" O  ", "OPC3", " O", TSL_RESIDUE_WATER},  {" OH2", "TIP3", " O", TSL_RESIDUE_WATER},
        {" OH2", "TP3M", " O", TSL_RESIDUE_WATER},  {" OW ", "XYZ", " O", TSL_RESIDUE_WATER},
        {" O  ", "hoh", " O", TSL_RESIDUE_WATER},   {" W  ", "W", "  ", TSL_RESIDUE_WATER},
        {" S  ", "SO4", " S", TSL_RESIDUE_SOLVENT}, {" C1 ", "GOL", " C", TSL_RESIDUE_SOLVENT},
        {" C  ", "URE", " C", TSL_RESIDUE_SOLVENT}, {" C1 ", "XYZ", " C", TSL_RESIDUE_UNKNOWN},
        {" FE ", "XYZ", "FE", TSL_RESIDUE_UNKNOWN}, {" CAD", "CAD2", "  ", TSL_RESIDUE_ION}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[TEXT] = "";
        add_glycine(text, 'A', 1);
        add(text, "ATOM", cases[i].name, cases[i].residue, 'A', 2, 9, cases[i].element);
        tsl_molecule *m = reading_parse(r, text);
        const tsl_residue_kind kind = cases[i].kind;
        const tsl_molecule_account *a = &m->account;
        if (m->count != (kind == TSL_RESIDUE_UNKNOWN ? 4 : 3) ||
            a->ions != (kind == TSL_RESIDUE_ION) || a->waters != (kind == TSL_RESIDUE_WATER) ||
            a->solvents != (kind == TSL_RESIDUE_SOLVENT)) {
            fail_msg("%s of %s", cases[i].name, cases[i].residue);
        }
        tsl_molecule_destroy(m);
    }
}

static void tells_waters_by_their_atoms(void **state)
{
    reading *r = *state;
    char text[TEXT] = "";
    add_glycine(text, 'A', 1);
    add(text, "ATOM", " O1 ", "QQQ", 'A', 2, 9, " O");
    add(text, "ATOM", " HX ", "QQQ", 'A', 2, 9, " H");
    add(text, "ATOM", " HY ", "QQQ", 'A', 2, 9, " H");
    add(text, "ATOM", " MW ", "QQQ", 'A', 2, 9, "  ");
    add(text, "ATOM", " OW ", "SOL", 'A', 3, 9, " O"); /* all of one number */
    add(text, "ATOM", " OW ", "SOL", 'A', 3, 9, " O");
    tsl_molecule *m = reading_parse(r, text);
    assert_int_equal(m->count, 3);
    assert_int_equal(m->account.waters, 3);
    assert_int_equal(m->account.virtual_sites, 0);
    tsl_molecule_destroy(m);
}

/* A name alone makes no ion of what has the atoms of an amino acid or a nucleotide. */
static void keeps_residues_with_a_backbone(void **state)
{
    reading *r = *state;
    char text[TEXT] = "";
    add(text, "ATOM", " N  ", "SOL", 'A', 1, 1, " N");
    add(text, "ATOM", " CA ", "SOL", 'A', 1, 2, " C");
    add(text, "ATOM", " C  ", "SOL", 'A', 1, 3, " C");
    add(text, "ATOM", " P  ", "CAL", 'A', 2, 4, " P");
    add(text, "ATOM", " C1'", "CAL", 'A', 2, 5, " C");
    tsl_molecule *m = reading_parse(r, text);
    assert_int_equal(m->count, 5);
    assert_string_equal(r->warning, "test: 2 of 2 residues are no known amino acids and stay "
                                    "uncharged: 1 SOL, 1 CAL");
    tsl_molecule_destroy(m);
}

/* Names that several kinds of residues share: the atoms decide. */
static void tells_shared_names_by_their_atoms(void **state)
{
    reading *r = *state;
    static const struct {
        const char *record, *residue;
        const char *atoms[4];
        int kept, ligand_atoms, ions, waters;
        const char *warned; /* of residues without charges; NULL: nothing */
    } cases[] = {{"ATOM", "DGN", {" N  ", " CA ", " CB ", " OE1"}, 4, 0, 0, 0, NULL},
                 {"ATOM", "DGN", {" O4'", " C1'", " N9 ", " C8 "}, 4, 0, 0, 0, "1 DGN"},
                 {"ATOM", "DGN", {" P  ", " C1*", " N9 ", " C8 "}, 4, 0, 0, 0, "1 DGN"},
                 {"ATOM", "DCY", {" P  ", " C1'", " N1 ", " C2 "}, 4, 0, 0, 0, "1 DCY"},
                 {"ATOM", "DA", {" N  ", " CA ", " C  ", " O  "}, 4, 0, 0, 0, "1 DA"},
                 {"HETATM", "DAN", {" C1 ", " C2 ", " O4 ", " N5 "}, 0, 4, 0, 0, NULL},
                 {"HETATM", "ADE", {" N9 ", " C8 ", " N7 ", " C5 "}, 0, 4, 0, 0, NULL},
                 {"HETATM", "SPH", {" C1 ", " C2 ", " O1 ", " N2 "}, 0, 4, 0, 0, NULL},
                 {"HETATM", "OPC", {" P  ", " O11", " C1 ", " C2 "}, 0, 4, 0, 0, NULL},
                 {"HETATM", "CAL", {" C1 ", " C2 ", " O1 ", " O2 "}, 0, 4, 0, 0, NULL},
                 {"ATOM", "SPH", {" C1 ", " C2 ", " O1 ", " N2 "}, 4, 0, 0, 0, "1 SPH"},
                 {"ATOM", "OPC", {" O  ", " H1 ", " H2 ", " EPW"}, 0, 0, 0, 1, NULL},
                 {"ATOM", "CAL", {"CAL ", "CAL ", "CAL ", "CAL "}, 0, 0, 4, 0, NULL},
                 {"ATOM", "GLN", {" N  ", " CA ", " CEN", " C  "}, 3, 0, 0, 0, NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[TEXT] = "", wanted[128] = "";
        add_glycine(text, 'A', 1);
        for (int k = 0; k < 4; k++) {
            add(text, cases[i].record, cases[i].atoms[k], cases[i].residue, 'A', 2, 10 + k, "  ");
        }
        tsl_molecule *m = reading_parse(r, text);
        const tsl_molecule_account *a = &m->account;
        if (m->count != 3 + cases[i].kept || a->ligand_atoms != cases[i].ligand_atoms ||
            a->ions != cases[i].ions || a->waters != cases[i].waters) {
            fail_msg("row %zu, %s: %d atoms", i, cases[i].residue, (int)m->count);
        }
        if (cases[i].warned != NULL) {
            snprintf(wanted, sizeof wanted,
                     "test: 1 of 2 residues is no known amino acid and stays uncharged: %s",
                     cases[i].warned);
            assert_string_equal(r->warning, wanted);
        }
        tsl_molecule_destroy(m);
    }
}

/* Charges go by names, whose letters a record in lower case has small. */
static void names_of_records_in_lower_case_are_read(void **state)
{
    reading *r = *state;
    tsl_molecule *m = reading_parse(
        r, "atom      1  n   ala a   1       1.000   0.000   0.000  1.00  0.00           n  \n"
           "atom      2  nz  lys a   2       2.000   0.000   0.000  1.00  0.00           n  \n"
           "atom      3  n   ala a   3       3.000   0.000   0.000  1.00  0.00           n  \n");
    assert_string_equal(m->atoms[1].name, "NZ");
    assert_string_equal(m->atoms[1].residue, "LYS");
    assert_true(m->charges[0] == 1 && m->charges[1] == 1 && m->charges[2] == 0.55);
    assert_int_equal(m->account.odd_records, 3);
    assert_int_equal(m->account.foreign_names, 0);
    tsl_molecule_destroy(m);
}

static void lists_every_unknown_name(void **state)
{
    reading *r = *state;
    char text[TEXT] = "";
    for (int i = 0; i < 6; i++) {
        static const char *const names[] = {"XAA", "XBB", "XAA", "XCC", "XBB", "XAA"};
        add(text, "ATOM", " C1 ", names[i], 'A', i, i, " C");
    }
    tsl_molecule *m = reading_parse(r, text);
    assert_string_equal(r->warning, "test: 6 of 6 residues are no known amino acids and stay "
                                    "uncharged: 3 XAA, 2 XBB, 1 XCC");
    tsl_molecule_destroy(m);
    text[0] = '\0';
    for (int i = 0; i < 150; i++) {
        char name[8];
        snprintf(name, sizeof name, "Q%02d", i % 100);
        add(text, "ATOM", " C1 ", name, (char)('A' + i / 100), i, i, " C");
    }
    m = reading_parse(r, text);
    assert_non_null(strstr(r->warning, " more names"));
    assert_int_equal(m->uncharged.count, 100);
    tsl_molecule_destroy(m);
}

/* ---- charges ------------------------------------------------------------------------------ */

static void charges_by_the_names_of_force_fields(void **state)
{
    reading *r = *state;
    static const struct {
        const char *residue, *parent, *atom;
        double charge;
    } cases[] = {{"LYS", "LYS", " NZ ", 1},     {"LYN", "LYS", " NZ ", 0},
                 {"LSN", "LYS", " NZ ", 0},     {"LYSN", "LYS", " NZ ", 0},
                 {"LYSH", "LYS", " NZ ", 1},    {"LYS+", "LYS", " NZ ", 1},
                 {"ASP", "ASP", " OD1", -0.5},  {"ASH", "ASP", " OD1", 0},
                 {"ASPP", "ASP", " OD2", 0},    {"ASPH", "ASP", " OD2", 0},
                 {"ASP-", "ASP", " OD2", -0.5}, {"GLH", "GLU", " OE1", 0},
                 {"GLUP", "GLU", " OE2", 0},    {"GLUH", "GLU", " OE2", 0},
                 {"ARN", "ARG", " NH1", 0},     {"ARG+", "ARG", " NH1", 0.5},
                 {"ALY", "LYS", " NZ ", 0},     {"MLY", "LYS", " NZ ", 1},
                 {"CYS2", "CYS", " N  ", 0.55}, {"CYSH", "CYS", " N  ", 0.55},
                 {"HISE", "HIS", " N  ", 0.55}, {"HISD", "HIS", " O  ", -0.55},
                 {"HSE", "HIS", " O  ", -0.55}, {"NLYS", "LYS", " NZ ", 1},
                 {"CASP", "ASP", " OD1", -0.5}, {"CLYN", "LYS", " NZ ", 0},
                 {"NPRO", "PRO", " N  ", -0.1}, {"lys", "LYS", " NZ ", 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[TEXT] = "", name[8];
        add_glycine(text, 'A', 1);
        add(text, "ATOM", cases[i].atom, cases[i].residue, 'A', 2, 5, "  ");
        add_glycine(text, 'A', 3);
        tsl_molecule *m = reading_parse(r, text);
        assert_int_equal(m->count, 7);
        if (fabs(m->charges[3] - cases[i].charge) > 1e-9) {
            fail_msg("%s of %s: %g", cases[i].atom, cases[i].residue, m->charges[3]);
        }
        assert_int_equal(m->taken_for.count, strcmp(cases[i].residue, cases[i].parent) != 0);
        if (m->taken_for.count > 0) {
            snprintf(name, sizeof name, "%s", m->taken_for.at[0].parent);
            assert_string_equal(name, cases[i].parent);
        }
        assert_int_equal(r->warnings, 0);
        tsl_molecule_destroy(m);
    }
}

/* ---- elements ----------------------------------------------------------------------------- */

static void names_decide_on_elements_of_known_residues(void **state)
{
    reading *r = *state;
    static const struct {
        const char *record, *name, *residue, *column, *element; /* NULL: a hydrogen */
        int by_name;
    } cases[] = {{"ATOM", "HG11", "VAL", "HG", NULL, 0},   {"ATOM", "HE21", "GLN", "HE", NULL, 0},
                 {"ATOM", " CA ", "ALA", "CA", "C", 1},    {"ATOM", "CD1 ", "LEU", "CD", "C", 1},
                 {"ATOM", "NE2 ", "HSD", "NE", "N", 1},    {"ATOM", " CA ", "ALA", " C", "C", 0},
                 {"HETATM", "SE  ", "MSE", "SE", "SE", 0}, {"HETATM", "HG  ", "CMH", "HG", "HG", 0},
                 {"ATOM", " DG ", "SER", " H", NULL, 0},   {"ATOM", "HO5'", "DA5", "HO", NULL, 0},
                 {"ATOM", "HG  ", "SER", "HG", NULL, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[TEXT] = "";
        add(text, cases[i].record, cases[i].name, cases[i].residue, 'A', 1, 5, cases[i].column);
        add_glycine(text, 'A', 3);
        tsl_molecule *m = reading_parse(r, text);
        if (m->count != (cases[i].element != NULL ? 4 : 3) ||
            (cases[i].element != NULL && strcmp(m->atoms[0].element, cases[i].element) != 0)) {
            fail_msg("%s of %s: %s", cases[i].name, cases[i].residue, m->atoms[0].element);
        }
        assert_int_equal(m->account.elements, cases[i].by_name);
        tsl_molecule_destroy(m);
    }
}

/* ---- odd records -------------------------------------------------------------------------- */

static void reads_records_that_are_indented(void **state)
{
    reading *r = *state;
    static const char *const lines[] = {
        " ATOM      1  N   ALA A   1       3.000   0.000   0.000  1.00  0.00           N  \n",
        "   ATOM      1  N   ALA A   1       3.000   0.000   0.000\n",
        " ATOM     1  N   ALA A   1       3.000   0.000   0.000  1.00  0.00           N  \n",
        "atom      1  N   ALA A   1       3.000   0.000   0.000  1.00  0.00           N  \n",
        "ATOM1000000  N   ALA A   1       3.000   0.000   0.000  1.00  0.00           N  \n",
        "  HETATM    1  N   MSE A   1       3.000   0.000   0.000  1.00  0.00           N  \n"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char text[TEXT];
        snprintf(text, TEXT, "%s%s  ATOM of no coordinates\nAtom by atom.\n", model_1, lines[i]);
        tsl_molecule *m = reading_parse(r, text);
        assert_int_equal(m->count, 3);
        assert_int_equal((int)m->positions[6], 3);
        assert_string_equal(m->atoms[2].chain, "A");
        assert_int_equal(m->account.odd_records, 1);
        tsl_molecule_destroy(m);
    }
}

static void takes_a_bad_occupancy_where_nothing_depends_on_it(void **state)
{
    reading *r = *state;
    char text[TEXT];
    const char *one =
        "ATOM      1  CA  GLY A   1       1.000   0.000   0.000******  0.00           C  \n";
    const char *two =
        "ATOM      1  CA AGLY A   2       1.000   0.000   0.000  0.50  0.00           C  \n"
        "ATOM      1  CA BGLY A   2       2.000   0.000   0.000  1.x0  0.00           C  \n";
    tsl_molecule *m = reading_parse(r, one);
    assert_int_equal(m->account.occupancies, 1);
    assert_true(m->atoms[0].occupancy > 0.99F && m->atoms[0].occupancy < 1.01F);
    tsl_molecule_destroy(m);
    reading_fails(r, two, NULL, TSL_E_FORMAT,
                  "test:2: the occupancy of atom CA of GLY A 2, \"1.x0\", is not a number");
    snprintf(text, TEXT, "%s%.*s", one, 81, two); /* alternates, but elsewhere */
    m = reading_parse(r, text);
    assert_int_equal(m->count, 2);
    tsl_molecule_destroy(m);
}

static void names_the_option_that_keeps_ligands(void **state)
{
    reading *r = *state;
    char text[TEXT] = "";
    add(text, "HETATM", " C1 ", "LIG", 'L', 1, 1, " C");
    reading_fails(r, text, NULL, TSL_E_FORMAT, "--hetero keep");
    reading_fails(r, text, "L", TSL_E_FORMAT, "--hetero keep");
    reading_fails(r, text, "_", TSL_E_FORMAT, "no chain _ (blank): the file has chain L");
}

/* ---- atoms at one place ------------------------------------------------------------------- */

static void counts_atoms_at_one_place(void **state)
{
    reading *r = *state;
    char text[TEXT] = "";
    for (int model = 1; model <= 3; model++) {
        const size_t used = strlen(text);
        snprintf(text + used, TEXT - used, "MODEL %d\n%sENDMDL\n", model, model_1);
    }
    tsl_molecule *m = parse_model(r, text, NULL, TSL_MODEL_FIRST);
    assert_int_equal(m->account.overlaps, 0);
    tsl_molecule_destroy(m);
    m = parse_model(r, text, NULL, TSL_MODEL_ALL);
    assert_int_equal(m->count, 6);
    assert_int_equal(m->account.overlaps, 4);
    tsl_molecule_destroy(m);
    text[0] = '\0';
    add(text, "ATOM", " N  ", "GLY", 'A', 1, -0.1, " N"); /* cells do not meet at 0 */
    add(text, "ATOM", " CA ", "GLY", 'A', 1, 0.1, " C");
    add(text, "ATOM", " C  ", "GLY", 'A', 1, 0.4, " C");
    add(text, "HETATM", " O  ", "HOH", 'A', 2, 0.4, " O"); /* left out */
    m = reading_parse(r, text);
    assert_int_equal(m->account.overlaps, 1);
    tsl_molecule_destroy(m);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, reading_setup, reading_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(reads_the_models_asked_for),
        TEST(counts_further_data_blocks),
        TEST(counts_what_is_left_out),
        TEST(counts_alternates),
        TEST(knows_ions_and_solvents_in_any_record),
        TEST(tells_waters_by_their_atoms),
        TEST(keeps_residues_with_a_backbone),
        TEST(tells_shared_names_by_their_atoms),
        TEST(names_of_records_in_lower_case_are_read),
        TEST(lists_every_unknown_name),
        TEST(charges_by_the_names_of_force_fields),
        TEST(names_decide_on_elements_of_known_residues),
        TEST(reads_records_that_are_indented),
        TEST(takes_a_bad_occupancy_where_nothing_depends_on_it),
        TEST(names_the_option_that_keeps_ligands),
        TEST(counts_atoms_at_one_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
