/* Files of basis sets: Gaussian 94's form and NWChem's. */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "io/file/text.h"
#include "solvers/scf/basis/set.h"

enum { FIELDS = 40, MOST_PRIMITIVES = 10000 };

typedef struct reader {
    tsl_scf_set *set;
    tsl_context *context;
    const char *source;
    tsl_lines lines;
    int64_t number; /* of the line read last */
    int count;      /* its fields */
    const char *field[FIELDS];
    size_t length[FIELDS];
    bool again; /* that line is to be read once more */
} reader;

static tsl_status fail(const reader *r, const char *fault, const char *remedy)
{
    char quoted[TSL_QUOTE_TEXT] = "";
    if (r->count > 0) {
        tsl_quote(quoted, r->field[0], r->length[0]);
    }
    return tsl_fail(r->context, TSL_E_FORMAT, "%s:%lld: '%s': %s: %s", r->source,
                    (long long)r->number, quoted, fault, remedy);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* The next line that has fields, without its comment; false after the last. */
static bool next_line(reader *r)
{
    const char *line;
    size_t length;
    if (r->again) {
        r->again = false;
        return true;
    }
    while (tsl_lines_next(&r->lines, &line, &length)) {
        r->number = r->lines.number;
        r->count = 0;
        for (size_t i = 0; i < length && line[i] != '!' && line[i] != '#';) {
            if (is_blank(line[i])) {
                i++;
                continue;
            }
            const size_t from = i;
            while (i < length && !is_blank(line[i]) && line[i] != '!' && line[i] != '#') {
                i++;
            }
            if (r->count < FIELDS) {
                r->field[r->count] = line + from;
                r->length[r->count++] = i - from;
            }
        }
        if (r->count > 0) {
            return true;
        }
    }
    return false;
}

static bool field_is(const reader *r, int i, const char *word)
{
    return i < r->count && r->length[i] == strlen(word) &&
           strncasecmp(r->field[i], word, r->length[i]) == 0;
}

/* The element that a field names, "H" or "-H", 0: none. */
static int element_of(const reader *r, int i)
{
    if (i >= r->count) {
        return 0;
    }
    const size_t skip = r->field[i][0] == '-' && r->length[i] > 1;
    return tsl_element_find(r->field[i] + skip, r->length[i] - skip);
}

/* l of "S" to "I", -1 of "SP" or "L", -2: neither. */
static int type_of(const reader *r, int i)
{
    static const char letters[] = "spdfghi";
    if (i >= r->count) {
        return -2;
    }
    if (field_is(r, i, "SP") || field_is(r, i, "L")) {
        return -1;
    }
    const char *at =
        r->length[i] == 1 ? strchr(letters, tolower((unsigned char)r->field[i][0])) : NULL;
    return at != NULL && *at != 0 ? (int)(at - letters) : -2;
}

/* ---- what is kept --------------------------------------------------------------------------- */

static tsl_status add_primitive(reader *r, double exponent, double coefficient)
{
    tsl_scf_set *s = r->set;
    if (s->primitives == s->primitive_room) {
        const int room = s->primitive_room == 0 ? 256 : 2 * s->primitive_room;
        const size_t old = sizeof(double) * (size_t)s->primitive_room;
        double *e = tsl_reallocate(s->exponent, old, sizeof *e * (size_t)room);
        s->exponent = e != NULL ? e : s->exponent;
        double *c =
            e == NULL ? NULL : tsl_reallocate(s->coefficient, old, sizeof *c * (size_t)room);
        s->coefficient = c != NULL ? c : s->coefficient;
        if (c == NULL) {
            return tsl_fail_memory(r->context, 16LL * room, r->source);
        }
        s->primitive_room = room;
    }
    s->exponent[s->primitives] = exponent;
    s->coefficient[s->primitives++] = coefficient;
    return TSL_OK;
}

static tsl_status add_shell(reader *r, int element, int l)
{
    tsl_scf_set *s = r->set;
    if (s->shells == s->shell_room) {
        const int room = s->shell_room == 0 ? 64 : 2 * s->shell_room;
        tsl_scf_set_shell *shell = tsl_reallocate(s->shell, sizeof *shell * (size_t)s->shell_room,
                                                  sizeof *shell * (size_t)room);
        if (shell == NULL) {
            return tsl_fail_memory(r->context, (int64_t)sizeof *shell * room, r->source);
        }
        s->shell = shell;
        s->shell_room = room;
    }
    s->shell[s->shells++] = (tsl_scf_set_shell){element, l, s->primitives, 0};
    return TSL_OK;
}

/* A table of exponents and contractions: rows of `columns` numbers, exponent first. */
typedef struct table {
    int rows, columns, room;
    double *number;
} table;

static tsl_status add_row(reader *r, table *t, double scale)
{
    if (t->rows == 0) {
        t->columns = r->count;
    }
    if (r->count < 2 || r->count != t->columns || r->count >= FIELDS) {
        return fail(r,
                    "a primitive has an exponent and as many coefficients as the shell's first one",
                    "correct the line");
    }
    if (t->rows == MOST_PRIMITIVES) {
        return fail(r, "a shell of more than 10000 primitives", "give a basis set's file");
    }
    if ((t->rows + 1) * t->columns > t->room) {
        const int room = t->room == 0 ? 256 : 2 * t->room;
        double *number = tsl_reallocate(t->number, sizeof *number * (size_t)t->room,
                                        sizeof *number * (size_t)room);
        if (number == NULL) {
            return tsl_fail_memory(r->context, 8LL * room, r->source);
        }
        t->number = number;
        t->room = room;
    }
    double *row = t->number + t->rows * t->columns;
    for (int i = 0; i < t->columns; i++) {
        if (!tsl_parse_number(r->field[i], r->length[i], &row[i])) {
            return fail(r, "no line of a primitive",
                        "give an exponent and coefficients, as numbers");
        }
    }
    row[0] *= scale * scale;
    if (!(row[0] > 1e-10 && row[0] < 1e12)) {
        return fail(r, "an exponent is out of range", "give it between 1e-10 and 1e12 bohr^-2");
    }
    t->rows++;
    return TSL_OK;
}

/* Make shells of a table: one for each column of coefficients, whose zeros are left out. */
static tsl_status add_table(reader *r, const table *t, int element, int type)
{
    if (type == -1 && t->columns != 3) {
        return fail(r, "an SP shell without two columns of coefficients",
                    "give one for s and one for p");
    }
    for (int c = 1; c < t->columns; c++) {
        tsl_status status = add_shell(r, element, type == -1 ? c - 1 : type);
        for (int k = 0; k < t->rows && status == TSL_OK; k++) {
            const double *row = t->number + k * t->columns;
            if (row[c] != 0) {
                status = add_primitive(r, row[0], row[c]);
            }
        }
        if (status != TSL_OK) {
            return status;
        }
        tsl_scf_set_shell *shell = &r->set->shell[r->set->shells - 1];
        shell->primitives = r->set->primitives - shell->first;
        if (shell->primitives == 0) {
            return fail(r, "a contraction of zeros alone", "correct the coefficients");
        }
    }
    return TSL_OK;
}

/* ---- Gaussian 94 ---------------------------------------------------------------------------- */

/* The header of an element: "H 0" or "-H 0". */
static int gaussian_element(const reader *r)
{
    return r->count == 2 && field_is(r, 1, "0") ? element_of(r, 0) : 0;
}

static tsl_status read_gaussian_shell(reader *r, int element)
{
    const int type = type_of(r, 0);
    int32_t rows;
    double scale = 1;
    table t = {0};
    tsl_status status = TSL_OK;
    if (type == -2 || r->count < 2 || !tsl_parse_integer(r->field[1], r->length[1], &rows) ||
        rows < 1 || (r->count > 2 && !tsl_parse_number(r->field[2], r->length[2], &scale))) {
        return fail(r, "no line of a shell",
                    "a shell begins as \"S 3 1.00\", S being S, P, D, F, G, H, I or SP");
    }
    for (int k = 0; k < rows && status == TSL_OK; k++) {
        status = next_line(r) ? add_row(r, &t, scale)
                              : fail(r, "the file ends within a shell", "complete it");
    }
    if (status == TSL_OK) {
        status = add_table(r, &t, element, type);
    }
    tsl_release(t.number);
    return status;
}

/* Pass over a core potential, to the next element's header. */
static void pass_potential(reader *r)
{
    while (next_line(r)) {
        if (gaussian_element(r) != 0) {
            r->again = true;
            return;
        }
    }
}

static tsl_status read_gaussian(reader *r)
{
    while (next_line(r)) {
        if (field_is(r, 0, "****")) {
            continue;
        }
        const int element = gaussian_element(r);
        if (element == 0) {
            return fail(r, "no header of an element", "an element begins as \"C 0\"");
        }
        while (next_line(r) && !field_is(r, 0, "****")) {
            const size_t n = r->length[0];
            if (n > 4 && strncasecmp(r->field[0] + n - 4, "-ECP", 4) == 0) {
                r->set->core_potential[element] = true;
                pass_potential(r);
                break;
            }
            const tsl_status status = read_gaussian_shell(r, element);
            if (status != TSL_OK) {
                return status;
            }
        }
    }
    return TSL_OK;
}

/* ---- NWChem --------------------------------------------------------------------------------- */

static bool begins_shell(const reader *r)
{
    return r->count == 2 && element_of(r, 0) != 0 && type_of(r, 1) != -2;
}

static tsl_status read_nwchem_shell(reader *r)
{
    const int element = element_of(r, 0), type = type_of(r, 1);
    table t = {0};
    tsl_status status = TSL_OK;
    while (status == TSL_OK && next_line(r)) {
        if (begins_shell(r) || field_is(r, 0, "END")) {
            r->again = true;
            break;
        }
        status = add_row(r, &t, 1);
    }
    if (status == TSL_OK && t.rows == 0) {
        status =
            fail(r, "a shell without primitives", "give lines of an exponent and coefficients");
    }
    if (status == TSL_OK) {
        status = add_table(r, &t, element, type);
    }
    tsl_release(t.number);
    return status;
}

static tsl_status read_nwchem(reader *r)
{
    bool within = false, potential = false;
    while (next_line(r)) {
        tsl_status status = TSL_OK;
        if (field_is(r, 0, "BASIS")) {
            within = true;
        } else if (field_is(r, 0, "END")) {
            within = potential = false;
        } else if (field_is(r, 0, "ECP")) {
            potential = true;
        } else if (potential) {
            r->set->core_potential[element_of(r, 0)] = true;
        } else if (within && begins_shell(r)) {
            status = read_nwchem_shell(r);
        } else {
            status =
                fail(r, "no header of a shell", "a shell begins as \"C S\", between BASIS and END");
        }
        if (status != TSL_OK) {
            return status;
        }
    }
    return within ? fail(r, "the file ends without END", "complete it") : TSL_OK;
}

tsl_status tsl_scf_set_parse(tsl_scf_set *out, tsl_context *context, const char *source,
                             const char *text, size_t size)
{
    memset(out, 0, sizeof *out);
    reader r = {
        .set = out, .context = context, .source = source, .lines = tsl_lines_of(text, size)};
    tsl_status status = TSL_OK;
    out->name = tsl_duplicate_string(source);
    if (out->name == NULL) {
        return tsl_fail_memory(context, (int64_t)strlen(source), source);
    }
    if (next_line(&r)) {
        r.again = true;
        status = field_is(&r, 0, "BASIS") || field_is(&r, 0, "ECP") ? read_nwchem(&r)
                                                                    : read_gaussian(&r);
    }
    if (status == TSL_OK && out->shells == 0) {
        status = tsl_fail(context, TSL_E_FORMAT,
                          "%s: has no shells: give a basis set of Gaussian 94's or "
                          "NWChem's form",
                          source);
    }
    if (status != TSL_OK) {
        tsl_scf_set_release(out);
    }
    return status;
}

tsl_status tsl_scf_set_load(tsl_scf_set *out, tsl_context *context, const char *name)
{
    for (const tsl_scf_shipped_set *s = tsl_scf_shipped_sets; s->name != NULL; s++) {
        if (strcasecmp(s->name, name) == 0) {
            return tsl_scf_set_parse(out, context, s->name, s->text, s->size);
        }
    }
    tsl_text text;
    tsl_status status = tsl_text_read(&text, context, name, 64 << 20);
    if (status == TSL_E_IO && strchr(name, '/') == NULL && strchr(name, '.') == NULL) {
        char names[512] = "";
        for (const tsl_scf_shipped_set *s = tsl_scf_shipped_sets; s->name != NULL; s++) {
            strncat(names, s == tsl_scf_shipped_sets ? "" : ", ", sizeof names - strlen(names) - 1);
            strncat(names, s->name, sizeof names - strlen(names) - 1);
        }
        return tsl_fail(context, TSL_E_ARG, "no basis set '%.40s': give a file, or one of %s", name,
                        names);
    }
    if (status != TSL_OK) {
        return status;
    }
    status = tsl_scf_set_parse(out, context, name, text.data, text.size);
    tsl_text_release(&text);
    return status;
}

void tsl_scf_set_release(tsl_scf_set *set)
{
    tsl_release(set->name);
    tsl_release(set->shell);
    tsl_release(set->exponent);
    tsl_release(set->coefficient);
    memset(set, 0, sizeof *set);
}
