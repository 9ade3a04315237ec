#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "io/file/output.h"
#include "io/molecule/columns.h"
#include "solvers/dock/pose_files.h"

/* A PDB file has one column for a chain: blank, or one of these. */
static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

enum {
    LETTERS = sizeof letters - 1,
    REMARK_TEXT = 69,    /* characters a REMARK line holds */
    LONGEST_RESIDUE = 4, /* characters of a residue's name */
    LONGEST_NAME = 4     /* and of an atom's */
};

/* A chain of one of the molecules and the character it is written with. */
typedef struct chain {
    char name[8];
    int molecule; /* 0: receptor, 1: ligand */
    char letter;
} chain;

typedef struct writer {
    tsl_context *context;
    const char *path;
    const char *const *inputs; /* files of receptor and ligand, where it is only checked */
    FILE *stream;
    const tsl_molecule *molecules[2];
    chain chains[2 * LETTERS + 2]; /* no more can be told apart, even before renaming */
    int chain_count;
    int64_t serial;
} writer;

static const char *const molecule_names[2] = {"receptor", "ligand"};

/* REMARK 6: free text; long text goes on in further lines. */
__attribute__((format(printf, 2, 3))) static void remark(FILE *stream, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const size_t length = strlen(text);
    for (size_t i = 0; i < length; i += REMARK_TEXT) {
        fprintf(stream, "REMARK   6 %.*s\n", (int)REMARK_TEXT, text + i);
    }
}

/* ---- chains ------------------------------------------------------------------------------- */

/* An atom of a molecule made of bare positions: a residue UNK of its own in chain A. */
static tsl_atom bare_atom(int64_t index)
{
    tsl_atom atom = {.name = "X",
                     .residue = "UNK",
                     .chain = "A",
                     .insertion = ' ',
                     .element = "X",
                     .occupancy = 1};
    atom.number = (int32_t)(index % INT32_MAX) + 1;
    return atom;
}

static tsl_atom atom_of(const tsl_molecule *molecule, int64_t index)
{
    return molecule->atoms != NULL ? molecule->atoms[index] : bare_atom(index);
}

static chain *find_chain(writer *state, int molecule, const char *name)
{
    for (int i = 0; i < state->chain_count; i++) {
        chain *c = &state->chains[i];
        if (c->molecule == molecule && strcmp(c->name, name) == 0) {
            return c;
        }
    }
    return NULL;
}

static tsl_status collect_chains(writer *state, int molecule)
{
    const tsl_molecule *m = state->molecules[molecule];
    const chain *last = NULL;
    for (int64_t i = 0; i < m->count; i++) {
        const tsl_atom atom = atom_of(m, i);
        if (last != NULL && strcmp(last->name, atom.chain) == 0) {
            continue;
        }
        last = find_chain(state, molecule, atom.chain);
        if (last != NULL) {
            continue;
        }
        if (state->chain_count == (int)(sizeof state->chains / sizeof *state->chains)) {
            return tsl_fail(state->context, TSL_E_ARG,
                            "%s: a PDB file has letters for %d chains only, and receptor and "
                            "ligand have more: choose chains, or write no complexes (--poses 0)",
                            state->path, (int)LETTERS);
        }
        chain *added = &state->chains[state->chain_count++];
        memcpy(added->name, atom.chain, sizeof added->name);
        added->molecule = molecule;
        added->letter = 0;
        last = added;
    }
    return TSL_OK;
}

/* Whether a chain is written with `letter`, or will be if it keeps its name. */
static bool taken(const writer *state, char letter)
{
    for (int i = 0; i < state->chain_count; i++) {
        const chain *c = &state->chains[i];
        if (c->letter == letter || (c->name[0] == letter && c->name[1] == 0)) {
            return true;
        }
    }
    return false;
}

/* Chains of one letter keep it, the receptor's before the ligand's; the others get free ones. */
static tsl_status name_chains(writer *state)
{
    for (int i = 0; i < state->chain_count; i++) {
        chain *c = &state->chains[i];
        const bool clash = c->molecule == 1 && find_chain(state, 0, c->name) != NULL;
        if (!clash && strlen(c->name) <= 1) {
            c->letter = c->name[0] != 0 ? c->name[0] : ' ';
        }
    }
    for (int i = 0; i < state->chain_count; i++) {
        chain *c = &state->chains[i];
        if (c->letter != 0) {
            continue;
        }
        int free_letter = 0;
        while (free_letter < LETTERS && taken(state, letters[free_letter])) {
            free_letter++;
        }
        if (free_letter == LETTERS) {
            return tsl_fail(
                state->context, TSL_E_ARG,
                "%s: a PDB file has letters for %d chains only, and none is left for "
                "chain '%s' of the %s: choose chains, or write no complexes (--poses 0)",
                state->inputs != NULL ? state->inputs[c->molecule] : state->path, (int)LETTERS,
                c->name, molecule_names[c->molecule]);
        }
        c->letter = letters[free_letter];
        if (state->stream == NULL) { /* it is only checked */
            continue;
        }
        remark(state->stream, "CHAIN %s OF THE %s IS CHAIN %c HERE",
               c->name[0] != 0 ? c->name : "(BLANK)", c->molecule == 0 ? "RECEPTOR" : "LIGAND",
               c->letter);
    }
    return TSL_OK;
}

/* ---- records ------------------------------------------------------------------------------ */

static bool number_fits(int32_t number)
{
    return number >= -999 && number <= 9999;
}

/* What four columns hold. */
static int residue_number(int32_t number)
{
    return number_fits(number) ? (int)number : (int)((number % 10000 + 10000) % 10000);
}

/* Columns 13 to 16. The element's symbol ends in column 14, so a symbol of one letter starts there
 * unless the name needs all four columns. */
static void place_name(char *line, const tsl_atom *atom)
{
    const int wide = strlen(atom->name) >= LONGEST_NAME || strlen(atom->element) >= 2;
    tsl_columns_text(line, wide ? 13 : 14, wide ? LONGEST_NAME : 3, atom->name);
}

/* Columns 77 and 78, flush right. */
static void place_element(char *line, const tsl_atom *atom)
{
    const int length = (int)strnlen(atom->element, 2);
    for (int i = 0; i < length; i++) {
        line[78 - length + i] = (char)toupper((unsigned char)atom->element[i]);
    }
}

/* A value for six columns with two decimals; what does not fit is no measured value. */
static double six_columns(float value)
{
    return value > -99.995F && value < 999.995F ? (double)value : value >= 999.995F ? 999.99 : 0;
}

/* Eight columns with three decimals. */
static bool fits(double value)
{
    return value > -999.9995 && value < 9999.9995;
}

/* Columns 31 to 54. */
static tsl_status place_position(const writer *state, char *line, const double position[3],
                                 int molecule, int64_t index)
{
    for (int i = 0; i < 3; i++) {
        const double value = position[i];
        if (!fits(value)) {
            return tsl_fail(state->context, TSL_E_ARG,
                            "%s: atom %" PRId64 " of the %s is at %g angstrom, which the columns "
                            "of a PDB file cannot hold; move the molecules towards the origin",
                            state->path, index + 1, molecule_names[molecule], value);
        }
        tsl_columns_number(line, 31 + 8 * i, 8, 3, fabs(value) < 0.0005 ? 0 : value);
    }
    return TSL_OK;
}

static int next_serial(writer *state)
{
    return (int)(state->serial++ % 99999) + 1;
}

/* Names of four characters reach into column 21, as some programs write them. Those of five are for
 * mmCIF only. UNL: a ligand a PDB file has no name for. */
static const char *residue_name(const tsl_atom *atom)
{
    return strlen(atom->residue) > LONGEST_RESIDUE ? "UNL" : atom->residue;
}

/* The part that ATOM, HETATM and TER share: serial number, residue name, chain, residue number,
 * insertion code. */
static void place_residue(writer *state, char *line, const tsl_atom *atom, int molecule)
{
    const char *residue = residue_name(atom);
    const int length = (int)strlen(residue);
    tsl_columns_number(line, 7, 5, 0, next_serial(state));
    tsl_columns_text(line, length > 3 ? 18 : 21 - length, 4, residue);
    for (int i = 0; i < state->chain_count; i++) {
        const chain *c = &state->chains[i];
        if (c->molecule == molecule && strcmp(c->name, atom->chain) == 0) {
            line[21] = c->letter;
        }
    }
    tsl_columns_number(line, 23, 4, 0, residue_number(atom->number));
    line[26] = atom->insertion != 0 ? atom->insertion : ' ';
}

static void empty_line(char line[82])
{
    memset(line, ' ', 80);
    line[80] = '\n';
    line[81] = 0;
}

static tsl_status write_atom(writer *state, int molecule, int64_t index, const double position[3])
{
    const tsl_atom atom = atom_of(state->molecules[molecule], index);
    char line[82];
    empty_line(line);
    const tsl_status status = place_position(state, line, position, molecule, index);
    if (status != TSL_OK) {
        return status;
    }
    tsl_columns_text(line, 1, 6, atom.hetero ? "HETATM" : "ATOM");
    place_residue(state, line, &atom, molecule);
    place_name(line, &atom);
    tsl_columns_number(line, 55, 6, 2, six_columns(atom.occupancy));
    tsl_columns_number(line, 61, 6, 2, six_columns(atom.temperature));
    place_element(line, &atom);
    fputs(line, state->stream);
    return TSL_OK;
}

static tsl_status write_molecule(writer *state, int molecule, const double motion[3][4])
{
    const tsl_molecule *m = state->molecules[molecule];
    for (int64_t i = 0; i < m->count; i++) {
        const double *p = m->positions + 3 * i;
        double moved[3];
        for (int j = 0; j < 3; j++) {
            moved[j] = motion == NULL ? p[j]
                                      : motion[j][0] * p[0] + motion[j][1] * p[1] +
                                            motion[j][2] * p[2] + motion[j][3];
        }
        const tsl_status status = write_atom(state, molecule, i, moved);
        if (status != TSL_OK) {
            return status;
        }
    }
    const tsl_atom last = atom_of(m, m->count - 1);
    char line[82];
    empty_line(line);
    tsl_columns_text(line, 1, 3, "TER");
    place_residue(state, line, &last, molecule);
    fputs(line, state->stream);
    return TSL_OK;
}

/* ---- the file ----------------------------------------------------------------------------- */

static void write_remarks(const writer *state, const tsl_pose_list_head *head,
                          const double motion[3][4], int64_t rank, const tsl_pose *pose)
{
    FILE *stream = state->stream;
    char receptor[sizeof head->receptor];
    char ligand[sizeof head->ligand];
    tsl_plain_name(receptor, sizeof receptor, head->receptor, true);
    tsl_plain_name(ligand, sizeof ligand, head->ligand, true);
    remark(stream, "RECEPTOR %s", receptor);
    remark(stream, "LIGAND %s", ligand);
    remark(stream, "RANK %" PRId64 " SCORE %d ENERGY %.6g", rank, (int)pose->score, pose->energy);
    remark(stream, "TWIST %.6f THETA %.6f PHI %.6f DEGREES", pose->rotation.twist * 1e-6,
           pose->rotation.theta * 1e-6, pose->rotation.phi * 1e-6);
    remark(stream, "SHIFT %d %d %d CELLS OF %.6f ANGSTROM, GRID %d", (int)pose->shift[0],
           (int)pose->shift[1], (int)pose->shift[2], head->spacing, head->grid);
    remark(stream, "THE LIGAND WAS MOVED BY");
    for (int i = 0; i < 3; i++) {
        remark(stream, "%c' = %12.9f X %+12.9f Y %+12.9f Z %+12.6f", "XYZ"[i], motion[i][0],
               motion[i][1], motion[i][2], motion[i][3]);
    }
    for (int i = 0; i < 2; i++) {
        const tsl_molecule *m = state->molecules[i];
        bool wrapped = false;
        for (int64_t k = 0; k < m->count && !wrapped; k++) {
            wrapped = !number_fits(atom_of(m, k).number);
        }
        if (wrapped) {
            remark(stream, "RESIDUE NUMBERS OF THE %s BEYOND FOUR COLUMNS ARE MODULO 10000",
                   i == 0 ? "RECEPTOR" : "LIGAND");
        }
    }
}

static tsl_status write_all(writer *state, const tsl_pose_list_head *head,
                            const double motion[3][4], int64_t rank, const tsl_pose *pose)
{
    write_remarks(state, head, motion, rank, pose);
    tsl_status status = TSL_OK;
    TSL_TRY(collect_chains(state, 0));
    TSL_TRY(collect_chains(state, 1));
    TSL_TRY(name_chains(state));
    TSL_TRY(write_molecule(state, 0, NULL));
    TSL_TRY(write_molecule(state, 1, motion));
done:
    fprintf(state->stream, "%-80s\n", "END");
    return status;
}

tsl_status tsl_complex_write(tsl_context *context, const char *path, const tsl_pose_list_head *head,
                             const tsl_molecule *receptor, const tsl_molecule *ligand,
                             const double motion[3][4], int64_t rank, const tsl_pose *pose)
{
    tsl_output *output = NULL;
    tsl_status status = tsl_output_open(&output, context, path);
    if (status != TSL_OK) {
        return status;
    }
    writer state = {.context = context,
                    .path = path,
                    .stream = tsl_output_stream(output),
                    .molecules = {receptor, ligand}};
    const tsl_plain_numbers numbers = tsl_plain_numbers_enter();
    status = write_all(&state, head, motion, rank, pose);
    tsl_plain_numbers_leave(numbers);
    if (status != TSL_OK) {
        tsl_output_discard(output);
        return status;
    }
    return tsl_output_commit(output);
}

/* Say what of a molecule's names and numbers the columns of complexes cut. */
static void note_what_is_cut(tsl_context *context, const char *name, const tsl_molecule *molecule)
{
    long long numbers = 0, residues = 0, atoms = 0;
    char text[160] = "";
    for (int64_t i = 0; i < molecule->count && molecule->atoms != NULL; i++) {
        const tsl_atom *atom = &molecule->atoms[i];
        if (i == 0 || atom->residue_index != atom[-1].residue_index) {
            numbers += !number_fits(atom->number);
            residues += strlen(atom->residue) > LONGEST_RESIDUE;
        }
        atoms += strlen(atom->name) > LONGEST_NAME;
    }
    if (numbers > 0) {
        snprintf(text, sizeof text, "%lld residue number%s modulo 10000", numbers,
                 numbers == 1 ? "" : "s");
    }
    if (residues > 0) {
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%lld residue name%s as UNL",
                 text[0] != '\0' ? ", " : "", residues, residues == 1 ? "" : "s");
    }
    if (atoms > 0) {
        snprintf(text + strlen(text), sizeof text - strlen(text),
                 "%s%lld atom name%s cut to four characters", text[0] != '\0' ? ", " : "", atoms,
                 atoms == 1 ? "" : "s");
    }
    if (text[0] != '\0') {
        tsl_message(context, TSL_MESSAGE_NOTE,
                    "%s: complexes have %s: the columns of a PDB file hold no more", name, text);
    }
}

tsl_status tsl_complex_check(tsl_context *context, const char *const names[2],
                             const tsl_molecule *receptor, const tsl_molecule *ligand,
                             const double receptor_centre[3], double reach)
{
    writer state = {
        .context = context, .path = names[0], .inputs = names, .molecules = {receptor, ligand}};
    tsl_status status = TSL_OK;
    TSL_TRY(collect_chains(&state, 0));
    state.path = names[1];
    TSL_TRY(collect_chains(&state, 1));
    TSL_TRY(name_chains(&state));
    for (int64_t i = 0; i < 3 * receptor->count && status == TSL_OK; i++) {
        if (!fits(receptor->positions[i])) {
            status =
                tsl_fail(context, TSL_E_ARG,
                         "%s: atom %" PRId64 " is at %c = %g angstrom, which the columns of a "
                         "PDB file cannot hold: move the molecule towards the origin, or write "
                         "no complexes (--poses 0)",
                         names[0], i / 3 + 1, "xyz"[i % 3], receptor -> positions[i]);
        }
    }
    for (int i = 0; i < 3 && status == TSL_OK; i++) {
        if (!fits(receptor_centre[i] - reach) || !fits(receptor_centre[i] + reach)) {
            status =
                tsl_fail(context, TSL_E_ARG,
                         "%s: its middle is at %c = %.1f angstrom, and the ligand may be placed "
                         "%.1f angstrom from that, which the columns of a PDB file cannot hold: "
                         "move the receptor towards the origin, or write no complexes "
                         "(--poses 0)",
                         names[0], "xyz"[i], receptor_centre[i], reach);
        }
    }
    for (int i = 0; i < 2 && status == TSL_OK; i++) {
        note_what_is_cut(context, names[i], state.molecules[i]);
    }
done:
    return status;
}
