/* Molecules and point charges: made, and read from files. */
#include <ctype.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include "io/file/format.h"
#include "io/file/text.h"
#include "solvers/scf/scf.h"

enum { MOST_ATOMS = 10000 };

static const double farthest = 1e6, nearest = 1e-3; /* bohr */

/* ---- molecules ------------------------------------------------------------------------------ */

static tsl_status check(tsl_context *context, int64_t count, const int *elements,
                        const double *positions)
{
    for (int64_t a = 0; a < count; a++) {
        const int z = elements[a] < 0 ? -elements[a] : elements[a];
        if (z < 1 || z > TSL_ELEMENTS) {
            return tsl_fail(context, TSL_E_ARG, "atom %lld: no element has number %d: give 1 to %d",
                            (long long)a + 1, z, TSL_ELEMENTS);
        }
        for (int k = 0; k < 3; k++) {
            if (!(fabs(positions[3 * a + k]) < farthest)) {
                return tsl_fail(context, TSL_E_ARG,
                                "atom %lld: a coordinate of %g bohr: give less than %g",
                                (long long)a + 1, positions[3 * a + k], farthest);
            }
        }
        for (int64_t b = 0; b < a; b++) {
            const double d = hypot(hypot(positions[3 * a] - positions[3 * b],
                                         positions[3 * a + 1] - positions[3 * b + 1]),
                                   positions[3 * a + 2] - positions[3 * b + 2]);
            if (d < nearest) {
                return tsl_fail(
                    context, TSL_E_ARG,
                    "atoms %lld and %lld are %.2g bohr apart: give each a place of its own",
                    (long long)b + 1, (long long)a + 1, d);
            }
        }
    }
    return TSL_OK;
}

tsl_status tsl_scf_molecule_create(tsl_scf_molecule **out, tsl_context *context, int64_t count,
                                   const int *elements, const double *positions)
{
    *out = NULL;
    if (count < 1 || count > MOST_ATOMS) {
        return tsl_fail(context, TSL_E_ARG, "%lld atoms: give 1 to %d", (long long)count,
                        MOST_ATOMS);
    }
    const tsl_status status = check(context, count, elements, positions);
    if (status != TSL_OK) {
        return status;
    }
    tsl_scf_molecule *molecule = tsl_allocate_zeroed(1, sizeof *molecule);
    if (molecule != NULL) {
        molecule->count = count;
        molecule->element = tsl_allocate(sizeof *elements * (size_t)count);
        molecule->position = tsl_allocate(sizeof *positions * 3 * (size_t)count);
    }
    if (molecule == NULL || molecule->element == NULL || molecule->position == NULL) {
        tsl_scf_molecule_destroy(molecule);
        return tsl_fail_memory(context, 28 * count, "atoms");
    }
    memcpy(molecule->element, elements, sizeof *elements * (size_t)count);
    memcpy(molecule->position, positions, sizeof *positions * 3 * (size_t)count);
    *out = molecule;
    return TSL_OK;
}

void tsl_scf_molecule_destroy(tsl_scf_molecule *molecule)
{
    if (molecule != NULL) {
        tsl_release(molecule->element);
        tsl_release(molecule->position);
        tsl_release(molecule);
    }
}

int64_t tsl_scf_molecule_count(const tsl_scf_molecule *molecule)
{
    return molecule->count;
}

const int *tsl_scf_molecule_elements(const tsl_scf_molecule *molecule)
{
    return molecule->element;
}

const double *tsl_scf_molecule_positions(const tsl_scf_molecule *molecule)
{
    return molecule->position;
}

/* ---- XYZ files ------------------------------------------------------------------------------ */

/* The next field of a line, between blanks; false: there is none. */
static bool next_field(const char **at, const char *end, const char **field, size_t *length)
{
    while (*at < end && (**at == ' ' || **at == '\t')) {
        ++*at;
    }
    *field = *at;
    while (*at < end && **at != ' ' && **at != '\t') {
        ++*at;
    }
    *length = (size_t)(*at - *field);
    return *length > 0;
}

/* An element's number by its symbol or number, negative of a ghost; 0: none. D and T are hydrogen.
 */
static int element_of(const char *field, size_t length)
{
    static const char ghost[] = "ghost-";
    int32_t number;
    int sign = 1;
    if (length > 1 && field[0] == '@') {
        sign = -1;
        field++;
        length--;
    } else if (length > strlen(ghost) && strncasecmp(field, ghost, strlen(ghost)) == 0) {
        sign = -1;
        field += strlen(ghost);
        length -= strlen(ghost);
    }
    if (tsl_parse_integer(field, length, &number)) {
        return number >= 1 && number <= TSL_ELEMENTS ? sign * number : 0;
    }
    if (length == 1 && strchr("DdTt", *field) != NULL) {
        return sign;
    }
    return sign * tsl_element_find(field, length);
}

/* Three coordinates, from *at on. */
static tsl_status read_coordinates(double *out, tsl_context *context, const char *path,
                                   int64_t number, const char **at, const char *end, double unit)
{
    static const char axes[] = "xyz";
    for (int k = 0; k < 3; k++) {
        const char *field;
        size_t length;
        char quoted[TSL_QUOTE_TEXT];
        if (!next_field(at, end, &field, &length)) {
            return tsl_fail(context, TSL_E_FORMAT, "%s:%lld: %c is missing: give x, y and z", path,
                            (long long)number, axes[k]);
        }
        if (!tsl_parse_number(field, length, &out[k])) {
            return tsl_fail(context, TSL_E_FORMAT, "%s:%lld: %c, '%s', is no number: correct it",
                            path, (long long)number, axes[k], tsl_quote(quoted, field, length));
        }
        out[k] *= unit;
    }
    return TSL_OK;
}

/* The fields of an atom's line that its symbol and its first coordinate are, from 0. */
typedef struct atom_columns {
    int symbol, position;
} atom_columns;

/* Where the value of a key of extended XYZ begins in a comment; NULL: it is not there. */
static const char *value_of(const char *comment, size_t length, const char *key)
{
    const size_t bytes = strlen(key);
    for (size_t i = 0; i + bytes <= length; i++) {
        if ((i == 0 || comment[i - 1] == ' ' || comment[i - 1] == '\t') &&
            strncasecmp(comment + i, key, bytes) == 0) {
            return comment + i + bytes;
        }
    }
    return NULL;
}

/* A part of a list between colons, from *at on; false after the last. */
static bool next_part(const char **at, const char *end, const char **part, size_t *length)
{
    *part = *at;
    while (*at < end && strchr(": \t\"", **at) == NULL) {
        ++*at;
    }
    *length = (size_t)(*at - *part);
    *at += *at < end && **at == ':';
    return *length > 0;
}

/* Read the columns that the comment of an extended XYZ file names: Properties=species:S:1:pos:R:3
 * has a name, a type and a number of columns for each property. Others have a symbol first. */
static tsl_status read_columns(atom_columns *out, tsl_context *context, const char *path,
                               const char *comment, size_t length)
{
    const char *const end = comment + length;
    const char *at = value_of(comment, length, "Properties=");
    const char *name, *type, *number;
    size_t bytes, type_bytes, digits;
    int32_t columns, column = 0;
    *out = (atom_columns){.symbol = 0, .position = 1};
    if (at == NULL) {
        return TSL_OK;
    }
    *out = (atom_columns){.symbol = -1, .position = -1};
    at += at < end && *at == '"';
    while (next_part(&at, end, &name, &bytes) && next_part(&at, end, &type, &type_bytes) &&
           next_part(&at, end, &number, &digits) && tsl_parse_integer(number, digits, &columns) &&
           columns >= 1 && columns <= 1000 && column <= 1000) {
        if (bytes == 7 && strncasecmp(name, "species", 7) == 0) {
            out->symbol = column;
        } else if (bytes == 3 && columns == 3 && strncasecmp(name, "pos", 3) == 0) {
            out->position = column;
        }
        column += columns;
    }
    if (out->symbol < 0 || out->position < 0) {
        return tsl_fail(context, TSL_E_FORMAT,
                        "%s:2: Properties= names no species:S:1 and pos:R:3: name them, or give "
                        "another comment",
                        path);
    }
    return TSL_OK;
}

/* Say that the cell of an extended XYZ file is not used. */
static void note_cell(tsl_context *context, const char *path, const char *comment, size_t length)
{
    static const char open[] = "\"F F F\"";
    const char *periodic = value_of(comment, length, "pbc=");
    const bool is_open =
        periodic != NULL && comment + length - periodic >= 7 && strncasecmp(periodic, open, 7) == 0;
    if (value_of(comment, length, "Lattice=") != NULL && !is_open) {
        tsl_message(context, TSL_MESSAGE_WARNING,
                    "%s:2: the periodic cell is not used: the molecule is alone in space", path);
    }
}

/* Go over the fields before a column. */
static void skip_fields(const char **at, const char *end, int column)
{
    const char *field;
    size_t bytes;
    for (int k = 0; k < column && next_field(at, end, &field, &bytes); k++) {
    }
}

static tsl_status read_atom(int *element, double *position, tsl_context *context, const char *path,
                            int64_t number, const char *line, size_t length, double unit,
                            atom_columns columns)
{
    const char *at = line, *field;
    size_t bytes;
    char quoted[TSL_QUOTE_TEXT];
    skip_fields(&at, line + length, columns.symbol);
    *element = next_field(&at, line + length, &field, &bytes) ? element_of(field, bytes) : 0;
    if (*element == 0) {
        return tsl_fail(
            context, TSL_E_FORMAT,
            "%s:%lld: '%s' is no element: give a symbol or an atomic number, then x, y, z", path,
            (long long)number, tsl_quote(quoted, field, bytes));
    }
    at = line;
    skip_fields(&at, line + length, columns.position);
    return read_coordinates(position, context, path, number, &at, line + length, unit);
}

/* Read atoms from the lines of a text, into arrays that hold *count; *count atoms are to come. */
static tsl_status read_atoms(int *elements, double *positions, int64_t count, tsl_context *context,
                             const char *path, tsl_lines *lines, double unit)
{
    const char *line = "";
    size_t length = 0;
    atom_columns columns;
    tsl_lines_next(lines, &line, &length); /* the comment; an end is told by the first atom */
    const tsl_status named = read_columns(&columns, context, path, line, length);
    if (named != TSL_OK) {
        return named;
    }
    note_cell(context, path, line, length);
    for (int64_t a = 0; a < count; a++) {
        if (!tsl_lines_next(lines, &line, &length)) {
            return tsl_fail(context, TSL_E_FORMAT,
                            "%s: ends after %lld of %lld atoms: correct the number in line 1", path,
                            (long long)a, (long long)count);
        }
        const tsl_status status = read_atom(&elements[a], &positions[3 * a], context, path,
                                            lines->number, line, length, unit, columns);
        if (status != TSL_OK) {
            return status;
        }
    }
    while (tsl_lines_next(lines, &line, &length)) {
        tsl_trim(&line, &length);
        if (length > 0) {
            tsl_message(context, TSL_MESSAGE_WARNING,
                        "%s:%lld: what follows the first %lld atoms is not read", path,
                        (long long)lines->number, (long long)count);
            break;
        }
    }
    return TSL_OK;
}

tsl_status tsl_scf_molecule_parse(tsl_scf_molecule **out, tsl_context *context, const char *path,
                                  const char *text, size_t size, double unit)
{
    tsl_lines lines = tsl_lines_of(text, size);
    const char *line = "";
    size_t length = 0;
    int32_t count = 0;
    *out = NULL;
    tsl_lines_next(&lines, &line, &length);
    tsl_trim(&line, &length);
    if (!tsl_parse_integer(line, length, &count) || count < 1 || count > MOST_ATOMS) {
        char quoted[TSL_QUOTE_TEXT];
        return tsl_fail(context, TSL_E_FORMAT,
                        "%s:1: '%s': an XYZ file begins with the number of atoms, 1 to %d", path,
                        tsl_quote(quoted, line, length), MOST_ATOMS);
    }
    int *elements = tsl_allocate(sizeof *elements * (size_t)count);
    double *positions = tsl_allocate(sizeof *positions * 3 * (size_t)count);
    tsl_status status = elements != NULL && positions != NULL
                            ? read_atoms(elements, positions, count, context, path, &lines, unit)
                            : tsl_fail_memory(context, 28LL * count, path);
    if (status == TSL_OK) {
        status = tsl_scf_molecule_create(out, context, count, elements, positions);
        if (status == TSL_E_ARG) {
            tsl_error_prefix(context, path);
        }
    }
    tsl_release(elements);
    tsl_release(positions);
    return status;
}

tsl_status tsl_scf_molecule_read(tsl_scf_molecule **out, tsl_context *context, const char *path,
                                 double unit)
{
    tsl_text text = {0};
    tsl_input *input = NULL;
    tsl_status status = TSL_OK;
    *out = NULL;
    TSL_TRY(tsl_input_open(&input, context, path));
    TSL_TRY(tsl_format_refuse_others(input));
    TSL_TRY(tsl_text_take(&text, input, 64 << 20));
    TSL_TRY(tsl_scf_molecule_parse(out, context, path, text.data, text.size, unit));
done:
    tsl_text_release(&text);
    tsl_input_close(input);
    return status;
}

/* ---- point charges -------------------------------------------------------------------------- */

tsl_status tsl_scf_charges_create(tsl_scf_charges **out, tsl_context *context, int64_t count,
                                  const double *charges, const double *positions)
{
    *out = NULL;
    for (int64_t i = 0; i < count; i++) {
        const double *r = positions + 3 * i;
        if (!(fabs(charges[i]) < 1e6 && fabs(r[0]) < 1e9 && fabs(r[1]) < 1e9 && fabs(r[2]) < 1e9)) {
            return tsl_fail(
                context, TSL_E_ARG,
                "point charge %lld: %g at %g %g %g bohr: give numbers below 1e6 e and 1e9 bohr",
                (long long)i + 1, charges[i], r[0], r[1], r[2]);
        }
    }
    if (count < 0) {
        return tsl_fail(context, TSL_E_ARG, "%lld point charges: give 0 or more", (long long)count);
    }
    tsl_scf_charges *c = tsl_allocate_zeroed(1, sizeof *c);
    if (c != NULL) {
        c->count = count;
        c->charge = tsl_allocate(sizeof *charges * (size_t)(count + 1));
        c->position = tsl_allocate(sizeof *positions * 3 * (size_t)(count + 1));
    }
    if (c == NULL || c->charge == NULL || c->position == NULL) {
        tsl_scf_charges_destroy(c);
        return tsl_fail_memory(context, 32 * count, "point charges");
    }
    memcpy(c->charge, charges, sizeof *charges * (size_t)count);
    memcpy(c->position, positions, sizeof *positions * 3 * (size_t)count);
    *out = c;
    return TSL_OK;
}

void tsl_scf_charges_destroy(tsl_scf_charges *charges)
{
    if (charges != NULL) {
        tsl_release(charges->charge);
        tsl_release(charges->position);
        tsl_release(charges);
    }
}

int64_t tsl_scf_charges_count(const tsl_scf_charges *charges)
{
    return charges->count;
}

double tsl_scf_charges_total(const tsl_scf_charges *charges)
{
    double sum = 0;
    for (int64_t i = 0; i < charges->count; i++) {
        sum += charges->charge[i];
    }
    return sum;
}

double tsl_scf_charges_nearest(const tsl_scf_charges *charges, const tsl_scf_molecule *molecule)
{
    double least = HUGE_VAL;
    for (int64_t i = 0; i < charges->count; i++) {
        for (int64_t a = 0; a < molecule->count; a++) {
            const double *r = charges->position + 3 * i, *s = molecule->position + 3 * a;
            least = fmin(least, hypot(hypot(r[0] - s[0], r[1] - s[1]), r[2] - s[2]));
        }
    }
    return least;
}

typedef struct table {
    tsl_context *context;
    const char *path;
    double *number; /* charge, x, y, z */
    int64_t count, room;
    int32_t announced; /* charges by the first line, which ORCA begins with; -1: no such line */
    int64_t announced_at;
} table;

/* Is it the first line, with one whole number? It is how many charges follow. */
static bool is_announcement(table *t, int64_t line_number, const char *line, size_t length)
{
    int32_t announced;
    tsl_trim(&line, &length);
    if (t->count > 0 || t->announced >= 0 || !tsl_parse_integer(line, length, &announced) ||
        announced < 0) {
        return false;
    }
    t->announced = announced;
    t->announced_at = line_number;
    return true;
}

static tsl_status read_charge(table *t, int64_t line_number, const char *line, size_t length,
                              double unit)
{
    const char *at = line, *field;
    size_t bytes;
    char quoted[TSL_QUOTE_TEXT];
    tsl_status status = TSL_OK;
    if (!next_field(&at, line + length, &field, &bytes) ||
        is_announcement(t, line_number, line, length)) {
        return TSL_OK;
    }
    if (t->count == t->room) {
        const int64_t room = t->room == 0 ? 256 : 2 * t->room;
        double *number = tsl_reallocate(t->number, 32 * (size_t)t->room, 32 * (size_t)room);
        if (number == NULL) {
            return tsl_fail_memory(t->context, 32 * room, t->path);
        }
        t->number = number;
        t->room = room;
    }
    double *to = t->number + 4 * t->count++;
    if (!tsl_parse_number(field, bytes, &to[0])) {
        return tsl_fail(
            t->context, TSL_E_FORMAT,
            "%s:%lld: '%s' is no charge: give a line each of charge, x, y, z, with blanks between",
            t->path, (long long)line_number, tsl_quote(quoted, field, bytes));
    }
    TSL_TRY(read_coordinates(to + 1, t->context, t->path, line_number, &at, line + length, unit));
    if (next_field(&at, line + length, &field, &bytes)) {
        status = tsl_fail(t->context, TSL_E_FORMAT,
                          "%s:%lld: '%s' follows charge, x, y, z: give these four alone", t->path,
                          (long long)line_number, tsl_quote(quoted, field, bytes));
    }
done:
    return status;
}

static tsl_status charges_of_table(tsl_scf_charges **out, const table *t)
{
    double *parts = tsl_allocate(sizeof *parts * 4 * (size_t)(t->count + 1));
    if (parts == NULL) {
        return tsl_fail_memory(t->context, 32 * t->count, t->path);
    }
    double *positions = parts + t->count;
    for (int64_t i = 0; i < t->count; i++) {
        parts[i] = t->number[4 * i];
        memcpy(positions + 3 * i, t->number + 4 * i + 1, 3 * sizeof *positions);
    }
    const tsl_status status = tsl_scf_charges_create(out, t->context, t->count, parts, positions);
    if (status == TSL_E_ARG) {
        tsl_error_prefix(t->context, t->path);
    }
    tsl_release(parts);
    return status;
}

tsl_status tsl_scf_charges_parse(tsl_scf_charges **out, tsl_context *context, const char *path,
                                 const char *text, size_t size, double unit)
{
    table t = {.context = context, .path = path, .announced = -1};
    tsl_lines lines = tsl_lines_of(text, size);
    tsl_status status = TSL_OK;
    const char *line;
    size_t length;
    *out = NULL;
    while (status == TSL_OK && tsl_lines_next(&lines, &line, &length)) {
        const char *comment = memchr(line, '#', length);
        status = read_charge(&t, lines.number, line,
                             comment != NULL ? (size_t)(comment - line) : length, unit);
    }
    if (status == TSL_OK && t.announced >= 0 && t.announced != t.count) {
        status = tsl_fail(context, TSL_E_FORMAT,
                          "%s:%lld: says that %d charges follow, and there are %lld: correct the "
                          "number, or leave it out",
                          path, (long long)t.announced_at, t.announced, (long long)t.count);
    }
    if (status == TSL_OK) {
        status = charges_of_table(out, &t);
    }
    tsl_release(t.number);
    return status;
}

tsl_status tsl_scf_charges_read(tsl_scf_charges **out, tsl_context *context, const char *path,
                                double unit)
{
    tsl_text text;
    *out = NULL;
    tsl_status status = tsl_text_read(&text, context, path, TSL_TEXT_LIMIT);
    if (status == TSL_OK) {
        status = tsl_scf_charges_parse(out, context, path, text.data, text.size, unit);
        tsl_text_release(&text);
    }
    return status;
}
