/* Files of points. */
#include "io/points/points.h"

#include <ctype.h>
#include <string.h>

#include "io/file/format.h"
#include "io/file/text.h"
#include "io/grid/npy.h"
#include "io/molecule/molecule.h"

static bool ends_in(const char *path, const char *suffix)
{
    const size_t length = strlen(path);
    const size_t end = strlen(suffix);
    return length > end && strcmp(path + length - end, suffix) == 0;
}

/* ---- NumPy's files -------------------------------------------------------------------------- */

/* Read the shape of an array: coordinate k of point i is its element i * *point + k * *step. */
static tsl_status shape_of(tsl_points *out, tsl_context *context, const char *path,
                           const tsl_npy *header, int64_t *point, int64_t *step)
{
    if (header->axes < 1 || header->axes > 2) {
        return tsl_fail(context, TSL_E_FORMAT,
                        "%s: has %d axes: points are an array of two, points by coordinates", path,
                        header->axes);
    }
    out->count = header->shape[0];
    const int64_t d = header->axes == 2 ? header->shape[1] : 1;
    if (d < 1 || d > INT32_MAX) {
        return tsl_fail(context, TSL_E_FORMAT, "%s: has points of %lld coordinates: give 1 or more",
                        path, (long long)d);
    }
    out->dimensions = (int)d;
    *point = header->fortran_order ? 1 : d;
    *step = header->fortran_order ? out->count : 1;
    return TSL_OK;
}

static tsl_status read_npy(tsl_point_set *out, tsl_input *input)
{
    tsl_npy header;
    void *data = NULL;
    int64_t point = 1, step = 1;
    tsl_context *context = tsl_input_context(input);
    const char *path = tsl_input_name(input);
    tsl_status status = TSL_OK;
    TSL_TRY(tsl_npy_open(&header, input));
    TSL_TRY(tsl_npy_load(&data, input, &header));
    TSL_TRY(shape_of(&out->points, context, path, &header, &point, &step));
done:
    if (status == TSL_OK && (!tsl_npy_has_numbers(&header) || strchr(header.type, 'c') != NULL)) {
        status = tsl_fail(context, TSL_E_FORMAT,
                          "%s: has elements of type %s: coordinates are real numbers", path,
                          header.type);
    }
    if (status != TSL_OK) {
        tsl_release(data);
        return status;
    }
    const bool real = strchr(header.type, 'f') != NULL;
    out->points.precision = real && header.item == 4 ? 4 : 8;
    if (real && step == 1 && tsl_npy_is_native(&header) && header.item == out->points.precision) {
        out->values = data;
        return TSL_OK;
    }
    const int d = out->points.dimensions;
    out->values = tsl_allocate((size_t)(header.count * out->points.precision));
    if (out->values == NULL) {
        tsl_release(data);
        return tsl_fail_memory(context, header.count * out->points.precision, path);
    }
    for (int64_t e = 0; e < header.count; e++) {
        double none;
        const double x = tsl_npy_number(&header, data, e / d * point + e % d * step, &none);
        if (out->points.precision == 4) {
            ((float *)out->values)[e] = (float)x;
        } else {
            ((double *)out->values)[e] = x;
        }
    }
    tsl_release(data);
    return TSL_OK;
}

/* ---- tables of text ------------------------------------------------------------------------- */

typedef struct table {
    tsl_context *context;
    const char *path;
    double *values;
    int64_t count, room; /* numbers */
    int64_t fields;      /* fields of each line; 0: no line was read yet */
    int64_t first;       /* the first line with so many fields */
    bool is_named;       /* a line of names was passed over */
    bool has_labels;     /* the first field of each line is the name of a row */
    bool has_commas;     /* decimal commas were read */
} table;

static tsl_status add_value(table *t, double value)
{
    if (t->count == t->room) {
        const int64_t room = t->room == 0 ? 1024 : 2 * t->room;
        double *values = tsl_reallocate(t->values, (size_t)t->room * sizeof *values,
                                        (size_t)room * sizeof *values);
        if (values == NULL) {
            return tsl_fail_memory(t->context, room * 8, t->path);
        }
        t->values = values;
        t->room = room;
    }
    t->values[t->count++] = value;
    return TSL_OK;
}

/* A field without the quotes around it. */
static void unquote(const char **field, size_t *length)
{
    const char quote = *length >= 2 ? **field : '\0';
    if ((quote == '"' || quote == '\'') && (*field)[*length - 1] == quote) {
        ++*field;
        *length -= 2;
        tsl_trim(field, length);
    }
}

/* The next field of a line from *at on, without quotes; false after the last. `separator` is ',',
 * ';', or ' ' for blanks and tabs. */
static bool next_field(const char **at, const char *end, char separator, const char **field,
                       size_t *length)
{
    const char *from = *at;
    if (from == NULL || (separator == ' ' && from == end)) {
        return false;
    }
    const char *to = from;
    if (from < end && *from == '"') { /* a separator between quotes is none */
        const char *closing = memchr(from + 1, '"', (size_t)(end - from - 1));
        to = closing != NULL ? closing : from;
    }
    while (to < end && (separator == ' ' ? *to != ' ' && *to != '\t' : *to != separator)) {
        to++;
    }
    *field = from;
    *length = (size_t)(to - from);
    *at = to < end ? to + 1 : NULL;
    while (separator == ' ' && *at != NULL && *at < end && (**at == ' ' || **at == '\t')) {
        (*at)++;
    }
    tsl_trim(field, length);
    unquote(field, length);
    return true;
}

static char separator_of(const char *line, size_t length)
{
    return memchr(line, ';', length) != NULL ? ';' : memchr(line, ',', length) != NULL ? ',' : ' ';
}

/* Read a number, which may have a decimal comma where semicolons are between fields. */
static bool read_number(table *t, const char *field, size_t length, char separator, double *out)
{
    enum { MOST = 64 };
    char pointed[MOST];
    if (tsl_parse_decimal(field, length, out) || tsl_parse_number(field, length, out)) {
        return true;
    }
    char *comma = length < MOST ? memchr(memcpy(pointed, field, length), ',', length) : NULL;
    if (separator != ';' || comma == NULL) {
        return false;
    }
    *comma = '.';
    if (!tsl_parse_decimal(pointed, length, out)) {
        return false;
    }
    t->has_commas = true;
    return true;
}

/* Say what is wrong with the first field of a line that is no number. */
static tsl_status refuse_field(const table *t, int64_t number, int64_t fault, const char *field,
                               size_t length)
{
    char quoted[TSL_QUOTE_TEXT];
    if (length == 0) {
        return tsl_fail(t->context, TSL_E_FORMAT,
                        "%s:%lld: field %lld is empty: leave such points out, and separators at "
                        "the end of a line",
                        t->path, (long long)number, (long long)fault);
    }
    return tsl_fail(t->context, TSL_E_FORMAT,
                    "%s:%lld: field %lld, '%s', %s: correct it, or leave such points or columns "
                    "out",
                    t->path, (long long)number, (long long)fault, tsl_quote(quoted, field, length),
                    tsl_number_fault(field, length));
}

/* Pass over a line of names. pandas gives the column of the rows' names an empty name. */
static void pass_names(table *t, const char *line, size_t length, int64_t number)
{
    const char *at = line, *field;
    size_t bytes = 1;
    const char separator = separator_of(line, length);
    next_field(&at, line + length, separator, &field, &bytes);
    t->is_named = true;
    t->has_labels = bytes == 0 && separator != ' ';
    tsl_message(t->context, TSL_MESSAGE_NOTE, "%s:%lld: passed over as names of columns%s", t->path,
                (long long)number,
                t->has_labels ? "; the first column has no name, and is left out as names of rows"
                              : "");
}

/* Do the table's numbers count up from 0? pandas gives such names to columns that have none. */
static bool counts_up(const table *t)
{
    int64_t k = 0;
    while (k < t->count && t->values[k] == (double)k) {
        k++;
    }
    return k == t->count;
}

/* Begin the table with a line of `fields` fields, of which `wrong` is no number, or 0. True: it
 * names columns. */
static bool begin(table *t, int64_t number, int64_t fields, int64_t wrong, bool is_empty)
{
    if (t->is_named || t->fields > 0) {
        return false;
    }
    if (t->count == 0 || (wrong == 1 && is_empty && counts_up(t))) {
        t->count = 0;
        return true;
    }
    if (wrong == 0 && fields >= 3 && counts_up(t)) {
        tsl_message(t->context, TSL_MESSAGE_WARNING,
                    "%s:%lld: counts from 0 up, as names of columns may, and is read as a point: "
                    "leave it out if it names columns",
                    t->path, (long long)number);
    }
    return false;
}

/* Add the numbers of a line, or pass over it if it is the first and names columns. */
static tsl_status read_line(table *t, const char *line, size_t length, int64_t number)
{
    const char *const end = line + length;
    const char separator = separator_of(line, length);
    const char *field, *at = line, *wrong = NULL;
    size_t bytes, wrong_bytes = 0;
    int64_t fields = 0, numbers = 0, fault = 0;
    tsl_status status = TSL_OK;
    while (next_field(&at, end, separator, &field, &bytes)) {
        double value;
        fields++;
        if (fields == 1 && t->has_labels) {
            continue;
        }
        if (read_number(t, field, bytes, separator, &value)) {
            numbers++;
            TSL_TRY(add_value(t, value));
        } else if (fault == 0) {
            fault = fields;
            wrong = field;
            wrong_bytes = bytes;
        }
    }
    if (begin(t, number, fields, fault, wrong_bytes == 0)) {
        pass_names(t, line, length, number);
    } else if (numbers == 0 && t->fields == 0) {
        status = tsl_fail(t->context, TSL_E_FORMAT,
                          "%s:%lld: holds no numbers: put commas, semicolons or blanks between "
                          "numbers, and one line of names at most before them",
                          t->path, (long long)number);
    } else if (fault > 0) {
        status = refuse_field(t, number, fault, wrong, wrong_bytes);
    } else if (t->fields > 0 && fields != t->fields) {
        status = tsl_fail(t->context, TSL_E_FORMAT,
                          "%s:%lld: has %lld field%s where line %lld has %lld: give each point as "
                          "many",
                          t->path, (long long)number, (long long)fields, fields == 1 ? "" : "s",
                          (long long)t->first, (long long)t->fields);
    } else {
        t->first = t->fields == 0 ? number : t->first;
        t->fields = fields;
    }
done:
    return status;
}

/* Read the lines, without what follows a #, as NumPy leaves it out. */
static tsl_status read_lines(table *t, const tsl_text *text)
{
    tsl_lines lines = tsl_lines_of(text->data, text->size);
    const char *line;
    size_t length;
    while (tsl_lines_next(&lines, &line, &length)) {
        const char *comment = memchr(line, '#', length);
        length = comment != NULL ? (size_t)(comment - line) : length;
        tsl_trim(&line, &length);
        if (length == 0) {
            continue;
        }
        const tsl_status status = read_line(t, line, length, lines.number);
        if (status != TSL_OK) {
            return status;
        }
    }
    if (t->fields == 0) {
        return tsl_fail(t->context, TSL_E_FORMAT, "%s: holds no points", t->path);
    }
    if (t->has_commas) {
        tsl_message(t->context, TSL_MESSAGE_NOTE,
                    "%s: commas in its numbers were read as decimal commas", t->path);
    }
    t->fields -= t->has_labels;
    return TSL_OK;
}

static tsl_status read_table(tsl_point_set *out, tsl_input *input)
{
    tsl_text text;
    tsl_context *context = tsl_input_context(input);
    const char *path = tsl_input_name(input);
    table t = {.context = context, .path = path};
    tsl_status status = tsl_text_take_if(&text, input, TSL_TEXT_LIMIT, tsl_text_is);
    if (status != TSL_OK) {
        return status;
    }
    status = read_lines(&t, &text);
    tsl_text_release(&text);
    if (status != TSL_OK || t.fields > INT32_MAX) {
        tsl_release(t.values);
        return status != TSL_OK ? status
                                : tsl_fail(context, TSL_E_FORMAT, "%s: too many fields", path);
    }
    out->values = t.values;
    out->points =
        (tsl_points){.count = t.count / t.fields, .dimensions = (int)t.fields, .precision = 8};
    return TSL_OK;
}

/* ---- molecules ------------------------------------------------------------------------------ */

/* Say what a molecule's file holds that the points do not. */
static void note_left_out(tsl_context *context, const char *name, const tsl_molecule_account *a)
{
    const int64_t virtual_sites = a->virtual_sites;
    if (a->models + a->blocks + a->waters + a->hydrogens + a->alternates + virtual_sites > 0) {
        tsl_message(context, TSL_MESSAGE_NOTE,
                    "%s: its atoms are points, but for %lld waters, %lld hydrogens, %lld atoms of "
                    "alternate locations, %lld virtual sites, %lld further models and %lld further "
                    "data blocks",
                    name, (long long)a->waters, (long long)a->hydrogens, (long long)a->alternates,
                    (long long)virtual_sites, (long long)a->models, (long long)a->blocks);
    }
}

static tsl_status read_atoms(tsl_point_set *out, tsl_input *input)
{
    tsl_molecule *molecule = NULL;
    tsl_molecule_options options = TSL_MOLECULE_OPTIONS_INIT;
    tsl_context *context = tsl_input_context(input);
    options.hetero = TSL_HETERO_KEEP;
    tsl_status status = tsl_molecule_take(&molecule, input, &options);
    if (status != TSL_OK) {
        return status;
    }
    note_left_out(context, tsl_input_name(input), &molecule->account);
    out->points =
        (tsl_points){.count = tsl_molecule_count(molecule), .dimensions = 3, .precision = 8};
    const size_t bytes = (size_t)out->points.count * 3 * sizeof(double);
    out->values = tsl_allocate(bytes);
    if (out->values == NULL) {
        status = tsl_fail_memory(context, (int64_t)bytes, tsl_input_name(input));
    } else {
        memcpy(out->values, tsl_molecule_positions(molecule), bytes);
    }
    tsl_molecule_destroy(molecule);
    return status;
}

/* ---- telling them apart --------------------------------------------------------------------- */

/* Does the first line that is not empty begin with a number, or the second, after names of columns?
 * That of a table does, those of a molecule never. */
static bool begins_as_table(const char *data, size_t bytes)
{
    tsl_lines lines = tsl_lines_of(data, bytes);
    const char *line;
    size_t length;
    table none = {.path = ""};
    for (int looked = 0; looked < 2 && tsl_lines_next(&lines, &line, &length);) {
        tsl_trim(&line, &length);
        if (length == 0 || *line == '#') {
            continue;
        }
        double value;
        const char *at = line, *field;
        size_t bytes_of_field;
        const char separator = separator_of(line, length);
        next_field(&at, line + length, separator, &field, &bytes_of_field);
        if (read_number(&none, field, bytes_of_field, separator, &value)) {
            return true;
        }
        looked++;
    }
    return false;
}

/* Do the first lines look like an XYZ file: a number of atoms, a comment, a symbol? */
static bool begins_as_xyz(const char *data, size_t bytes)
{
    tsl_lines lines = tsl_lines_of(data, bytes);
    const char *line[3];
    size_t length[3];
    int32_t atoms;
    for (int i = 0; i < 3; i++) {
        if (!tsl_lines_next(&lines, &line[i], &length[i])) {
            return false;
        }
        tsl_trim(&line[i], &length[i]);
    }
    return tsl_parse_integer(line[0], length[0], &atoms) && length[2] > 0 &&
           isalpha((unsigned char)*line[2]);
}

/* Is a file a table, by its name, or by its content? The first line of a table may name its
 * columns. */
static tsl_status is_table(bool *out, const char *path, tsl_input *input)
{
    static const char *const endings[] = {".csv",    ".tsv",    ".txt",    ".dat",
                                          ".csv.gz", ".tsv.gz", ".txt.gz", ".dat.gz"};
    const char *data;
    size_t bytes;
    const tsl_status status = tsl_input_peek(input, 1 << 12, &data, &bytes);
    if (status == TSL_OK && (begins_as_xyz(data, bytes) || ends_in(path, ".xyz"))) {
        return tsl_fail(
            tsl_input_context(input), TSL_E_FORMAT,
            "%s: an XYZ file: keep its coordinates alone, as `tail -n +3 FILE.xyz | awk "
            "'{print $2, $3, $4}' > FILE.txt` does",
            tsl_input_name(input));
    }
    *out = status == TSL_OK && begins_as_table(data, bytes);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        *out |= ends_in(path, endings[i]);
    }
    return status;
}

static tsl_status read_input(tsl_point_set *out, const char *path, tsl_input *input)
{
    const char *data;
    size_t bytes;
    char chosen[TSL_ZIP_NAME];
    bool in_lines = false;
    tsl_status status = tsl_input_peek(input, 8, &data, &bytes);
    if (status == TSL_OK && bytes >= 4 && memcmp(data, "PK\3\4", 4) == 0) {
        const tsl_format_choice only = {.wanted = NULL};
        int arrays;
        status = tsl_format_unpack(chosen, &arrays, input, &only);
        return status == TSL_OK ? read_npy(out, input) : status;
    }
    if (status == TSL_OK && (tsl_npy_is(data, bytes) || ends_in(path, ".npy"))) {
        return read_npy(out, input);
    }
    if (status == TSL_OK) {
        status = tsl_format_refuse_others(input);
    }
    if (status == TSL_OK) {
        status = is_table(&in_lines, path, input);
    }
    return status != TSL_OK ? status : in_lines ? read_table(out, input) : read_atoms(out, input);
}

tsl_status tsl_point_set_read(tsl_point_set *out, tsl_context *context, const char *path)
{
    tsl_point_set set = {.values = NULL};
    tsl_input *input = NULL;
    tsl_status status = tsl_input_open(&input, context, path);
    if (status == TSL_OK) {
        status = read_input(&set, path, input);
        tsl_input_close(input);
    }
    if (status == TSL_OK) {
        set.points.values = set.values;
        set.points.name = path;
        *out = set;
    }
    return status;
}

void tsl_point_set_release(tsl_point_set *set)
{
    tsl_release(set->values);
    *set = (tsl_point_set){.values = NULL};
}

tsl_status tsl_point_set_widen(tsl_point_set *set, tsl_context *context)
{
    const int64_t count = set->points.count * set->points.dimensions;
    if (set->points.precision == 8) {
        return TSL_OK;
    }
    double *values = tsl_allocate((size_t)count * sizeof *values);
    if (values == NULL) {
        return tsl_fail_memory(context, count * 8, "points in double precision");
    }
    for (int64_t e = 0; e < count; e++) {
        values[e] = ((const float *)set->values)[e];
    }
    tsl_release(set->values);
    set->values = values;
    set->points.values = values;
    set->points.precision = 8;
    return TSL_OK;
}
