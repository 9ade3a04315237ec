/* Files of points. */
#include "io/points/points.h"

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

/* The next field of a line from *at on; false after the last. `separator` is ',', ';', or ' ' for
 * blanks and tabs. */
static bool next_field(const char **at, const char *end, char separator, const char **field,
                       size_t *length)
{
    const char *from = *at;
    if (from == NULL || (separator == ' ' && from == end)) {
        return false;
    }
    const char *to = from;
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
    return true;
}

/* Add the numbers of a line; *names: the line holds no number. */
static tsl_status read_line(table *t, const char *line, size_t length, int64_t number, bool *names)
{
    const char *const end = line + length;
    const char separator = memchr(line, ',', length) != NULL   ? ','
                           : memchr(line, ';', length) != NULL ? ';'
                                                               : ' ';
    const char *field, *at = line;
    size_t bytes;
    int64_t fields = 0, numbers = 0, fault = 0;
    char quoted[TSL_QUOTE_TEXT] = "";
    while (next_field(&at, end, separator, &field, &bytes)) {
        double value;
        fields++;
        if (!tsl_parse_decimal(field, bytes, &value)) {
            if (fault == 0) {
                tsl_quote(quoted, field, bytes);
                fault = fields;
            }
            continue;
        }
        numbers++;
        const tsl_status status = add_value(t, value);
        if (status != TSL_OK) {
            return status;
        }
    }
    *names = numbers == 0;
    if (fault > 0 && !(numbers == 0 && t->fields == 0)) {
        return tsl_fail(t->context, TSL_E_FORMAT, "%s:%lld: field %lld, '%s', is no finite number",
                        t->path, (long long)number, (long long)fault, quoted);
    }
    if (fault == 0 && t->fields > 0 && fields != t->fields) {
        return tsl_fail(t->context, TSL_E_FORMAT,
                        "%s:%lld: has %lld field%s where line %lld has %lld: give each point as "
                        "many",
                        t->path, (long long)number, (long long)fields, fields == 1 ? "" : "s",
                        (long long)t->first, (long long)t->fields);
    }
    if (fault == 0) {
        t->first = t->fields == 0 ? number : t->first;
        t->fields = fields;
    }
    return TSL_OK;
}

static tsl_status read_lines(table *t, const tsl_text *text)
{
    tsl_lines lines = tsl_lines_of(text->data, text->size);
    const char *line;
    size_t length;
    bool named = false;
    while (tsl_lines_next(&lines, &line, &length)) {
        bool names = false;
        tsl_trim(&line, &length);
        if (length == 0 || *line == '#') {
            continue;
        }
        const tsl_status status = read_line(t, line, length, lines.number, &names);
        if (status != TSL_OK) {
            return status;
        }
        if (names && named) {
            return tsl_fail(t->context, TSL_E_FORMAT, "%s:%lld: holds no numbers", t->path,
                            (long long)lines.number);
        }
        if (names) {
            tsl_message(t->context, TSL_MESSAGE_NOTE, "%s:%lld: passed over as names of columns",
                        t->path, (long long)lines.number);
        }
        named |= names;
    }
    if (t->fields == 0) {
        return tsl_fail(t->context, TSL_E_FORMAT, "%s: holds no points", t->path);
    }
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

/* Does the first line that is not empty begin with a number? That of a table does, that of a
 * molecule never. */
static bool begins_as_table(const char *data, size_t bytes)
{
    tsl_lines lines = tsl_lines_of(data, bytes);
    const char *line;
    size_t length;
    while (tsl_lines_next(&lines, &line, &length)) {
        double value;
        tsl_trim(&line, &length);
        if (length == 0 || *line == '#') {
            continue;
        }
        size_t field = 0;
        while (field < length && strchr(" \t,;", line[field]) == NULL) {
            field++;
        }
        return tsl_parse_decimal(line, field, &value);
    }
    return false;
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
