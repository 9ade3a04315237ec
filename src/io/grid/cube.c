#include "io/grid/cube.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/file/output.h"
#include "io/file/text.h"

enum { LONGEST_AXIS = 1 << 20, LEAST_ATOM = 10, LEAST_VALUE = 2 }; /* bytes of text */
enum { HEADER_LINES = 6 };
#define HEADER_BYTES ((size_t)1 << 16)     /* bytes of the beginning that are looked at first */
#define HEADER_LIMIT ((size_t)1 << 24)     /* bytes of a header at most */
static const double bohr = 0.529177210903; /* angstrom; CODATA 2018 */

/* The text, and how far it has been read. */
typedef struct walk {
    tsl_context *context;
    const char *name;
    tsl_lines lines;
    const char *line; /* the rest of the current line */
    size_t length;
} walk;

static tsl_status fail_line(const walk *w, tsl_status status, const char *what)
{
    return tsl_fail(w->context, status, "%s:%" PRId64 ": %s", w->name, w->lines.number, what);
}

static bool next_line(walk *w)
{
    return tsl_lines_next(&w->lines, &w->line, &w->length);
}

/* The next field of the line; false at its end. */
static bool next_field(walk *w, const char **field, size_t *length)
{
    while (w->length > 0 && (*w->line == ' ' || *w->line == '\t')) {
        w->line++;
        w->length--;
    }
    *field = w->line;
    while (w->length > 0 && *w->line != ' ' && *w->line != '\t') {
        w->line++;
        w->length--;
    }
    *length = (size_t)(w->line - *field);
    return *length > 0;
}

/* Read an integer and `count` numbers, the next fields of the current line. */
static bool read_fields(walk *w, int32_t *first, double *numbers, int count)
{
    const char *field;
    size_t length;
    bool good = next_field(w, &field, &length) && tsl_parse_integer(field, length, first);
    for (int i = 0; i < count && good; i++) {
        good = next_field(w, &field, &length) && tsl_parse_number(field, length, &numbers[i]);
    }
    return good;
}

/* Read an integer and `count` numbers from the next line. */
static bool read_row(walk *w, int32_t *first, double *numbers, int count)
{
    return next_line(w) && read_fields(w, first, numbers, count);
}

static bool is_at_line_end(walk *w)
{
    const char *field;
    size_t length;
    return !next_field(w, &field, &length);
}

static tsl_status fail_fields(const walk *w, int32_t fields)
{
    return tsl_fail(w->context, TSL_E_UNSUPPORTED,
                    "%s:%" PRId64 ": holds %" PRId32 " fields, as of orbitals: write one a file",
                    w->name, w->lines.number, fields);
}

/* A negative number of samples says that lengths are in angstrom: it must say so on all axes. */
static tsl_status read_axis(walk *w, tsl_cube *cube, int axis)
{
    int32_t n = 0;
    double edge[3] = {0};
    if (!read_row(w, &n, edge, 3) || !is_at_line_end(w)) {
        return fail_line(w, TSL_E_FORMAT,
                         "not an axis: the number of samples and the step between them, x y z, and "
                         "no more; three such lines come before the atoms");
    }
    cube->angstrom = axis == 0 ? n < 0 : cube->angstrom;
    if (n != 0 && (n < 0) != cube->angstrom) {
        return fail_line(w, TSL_E_FORMAT,
                         "negative numbers of samples mean lengths in angstrom: they must be so on "
                         "all three axes, or on none");
    }
    n = n > -LONGEST_AXIS - 1 ? abs(n) : 0;
    if (n < 1 || n > LONGEST_AXIS) {
        return fail_line(w, TSL_E_FORMAT, "the number of samples must be from 1 to 1048576");
    }
    cube->n[axis] = n;
    cube->step[axis] = cube->angstrom ? edge[axis] / bohr : edge[axis];
    for (int other = 0; other < 3; other++) {
        if (other != axis && fabs(edge[other]) > 1e-9 * fabs(edge[axis])) {
            return fail_line(w, TSL_E_UNSUPPORTED,
                             "the cell is triclinic or turned: its edges must lie along x, y and z "
                             "in this order");
        }
    }
    return edge[axis] > 0 ? TSL_OK
                          : fail_line(w, TSL_E_FORMAT, "the step along the axis must be positive");
}

/* Does a line of comment read as the row with the number of atoms and the origin, or as an axis? */
static bool is_row(const walk *w)
{
    walk copy = *w;
    int32_t first = 0, fields = 0;
    double numbers[3];
    const char *field;
    size_t length;
    return read_fields(&copy, &first, numbers, 3) &&
           (!next_field(&copy, &field, &length) || /* the number of fields may follow */
            (tsl_parse_integer(field, length, &fields) && is_at_line_end(&copy)));
}

/* The error of reading the header; where it comes of a line of comment that is missing, the error
 * says so. */
static tsl_status fail_header(const walk *w, tsl_status status, int row)
{
    return row == 0 ? status
                    : tsl_fail(w->context, TSL_E_FORMAT,
                               "%s:%d: reads as the number of atoms and the origin, which stand in "
                               "line 3, after two lines of comment: put %s before it",
                               w->name, row, row == 2 ? "a line" : "two lines");
}

static void copy_title(char out[TSL_CUBE_TITLE], const char *line, size_t length)
{
    size_t i = 0;
    tsl_trim(&line, &length);
    for (; i < length && i + 1 < TSL_CUBE_TITLE; i++) {
        out[i] = line[i] >= ' ' && line[i] <= '~' ? line[i] : '?';
    }
    out[i] = 0;
}

/* The error of a file that is no cube, as its first bytes or its third line tell. */
static tsl_status fail_other(const walk *w)
{
    return fail_line(
        w, TSL_E_FORMAT,
        "not a cube file (nor .npy or HDF5, which begin otherwise): after two lines of "
        "comment come the number of atoms and the origin, x y z");
}

/* Read the row with the number of atoms and the origin, and three rows of axes. `size`: bytes of
 * the file; SIZE_MAX: not known. */
static tsl_status read_header(walk *w, tsl_cube *cube, size_t size)
{
    int32_t atoms = 0;
    bool there = true;
    int row = 0; /* the line of comment that reads as a row */
    if (size == 0) {
        return tsl_fail(w->context, TSL_E_FORMAT, "%s: the file is empty", w->name);
    }
    for (int comment = 0; comment < 2; comment++) {
        there = there && next_line(w);
        if (there) {
            copy_title(cube->title[comment], w->line, w->length);
            row = row == 0 && is_row(w) ? comment + 1 : row;
        }
    }
    if (!there || !read_row(w, &atoms, cube->origin, 3)) {
        return fail_header(w, fail_other(w), row);
    }
    const char *field;
    size_t length;
    int32_t fields = 1;
    if (next_field(w, &field, &length) && tsl_parse_integer(field, length, &fields) && fields > 1) {
        return fail_fields(w, fields);
    }
    cube->has_id = atoms < 0;
    cube->atoms = atoms < 0 ? -(int64_t)atoms : atoms;
    if ((size_t)cube->atoms > size / LEAST_ATOM) {
        return fail_line(w, TSL_E_FORMAT, "more atoms than the file has room for");
    }
    tsl_status status = TSL_OK;
    for (int axis = 0; axis < 3 && status == TSL_OK; axis++) {
        status = read_axis(w, cube, axis);
    }
    if (status != TSL_OK) {
        return fail_header(w, status, row);
    }
    for (int axis = 0; axis < 3 && cube->angstrom; axis++) {
        cube->origin[axis] /= bohr;
    }
    return TSL_OK;
}

static tsl_status read_atoms(walk *w, tsl_cube *cube)
{
    cube->atom = tsl_allocate_zeroed((size_t)cube->atoms + 1, sizeof *cube->atom);
    if (cube->atom == NULL) {
        return tsl_fail_memory(w->context, cube->atoms * (int64_t)sizeof *cube->atom, "atoms");
    }
    for (int64_t i = 0; i < cube->atoms; i++) {
        double numbers[4];
        tsl_cube_atom *atom = &cube->atom[i];
        if (!read_row(w, &atom->number, numbers, 4)) {
            return fail_line(w, TSL_E_FORMAT,
                             "not an atom: its number, charge and position, x y z");
        }
        atom->charge = numbers[0];
        for (int axis = 0; axis < 3; axis++) {
            atom->at[axis] = cube->angstrom ? numbers[1 + axis] / bohr : numbers[1 + axis];
        }
    }
    return TSL_OK;
}

/* Read the line that follows a negative number of atoms: the number of fields, and the id of
 * each. */
static tsl_status read_id(walk *w, tsl_cube *cube)
{
    const char *field;
    size_t length;
    int32_t fields = 0;
    if (!cube->has_id) {
        return TSL_OK;
    }
    bool good = next_line(w) && next_field(w, &field, &length) &&
                tsl_parse_integer(field, length, &fields) && fields > 0;
    if (good && fields > 1) {
        return fail_fields(w, fields);
    }
    good = good && next_field(w, &field, &length) && tsl_parse_integer(field, length, &cube->id) &&
           !next_field(w, &field, &length);
    return good ? TSL_OK
                : fail_line(w, TSL_E_FORMAT,
                            "a negative number of atoms, as in line 3, means that here stand the "
                            "number of fields, 1, and the id of the field, e.g. 1 5");
}

/* Half a unit of the last digit of a number's text. A zero with an exponent stands for a number of
 * any smaller size, and does not count. */
static double half_unit(const char *field, size_t length)
{
    static const double units[] = {0.5,   5e-2,  5e-3,  5e-4,  5e-5,  5e-6,  5e-7,  5e-8,  5e-9,
                                   5e-10, 5e-11, 5e-12, 5e-13, 5e-14, 5e-15, 5e-16, 5e-17, 5e-18};
    const char *end = field + length;
    const char *p = field + (*field == '-' || *field == '+');
    size_t decimals = 0;
    bool point = false;
    for (; p < end && ((*p >= '0' && *p <= '9') || *p == '.'); p++) {
        decimals += point;
        point = point || *p == '.';
    }
    const double unit = units[decimals < 17 ? decimals : 17];
    int32_t power = 0;
    p += p < end && *p != '+' && *p != '-'; /* the exponent's letter */
    if (p < end && tsl_parse_integer(p, (size_t)(end - p), &power)) {
        static const double tens[] = {1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1e0,
                                      1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9};
        return power >= -9 && power <= 9 ? unit * tens[power + 9] : unit * pow(10, power);
    }
    return unit;
}

static bool has_exponent(const char *field, size_t length)
{
    bool found = false;
    for (size_t i = 0; i < length && !found; i++) {
        found = strchr("eEdD", field[i]) != NULL;
    }
    return found;
}

static tsl_status read_values(walk *w, tsl_cube *cube, size_t size)
{
    const int64_t plane = cube->n[1] * cube->n[2];
    if (plane > (int64_t)size || cube->n[0] * plane > (int64_t)(size / LEAST_VALUE) + 1) {
        return fail_line(w, TSL_E_FORMAT, "the file has too few values for its axes");
    }
    const int64_t count = cube->n[0] * plane;
    cube->values = tsl_allocate((size_t)count * sizeof *cube->values);
    if (cube->values == NULL) {
        return tsl_fail_memory(w->context, count * 8, "the field");
    }
    int64_t found = 0;
    while (next_line(w)) {
        const char *field;
        size_t length;
        while (next_field(w, &field, &length)) {
            char quoted[TSL_QUOTE_TEXT];
            if (found == count) {
                return fail_line(w, TSL_E_FORMAT, "the file has more values than its axes say");
            }
            if (!tsl_parse_number(field, length, &cube->values[found])) {
                return tsl_fail(w->context, TSL_E_FORMAT, "%s:%" PRId64 ": '%s' %s", w->name,
                                w->lines.number, tsl_quote(quoted, field, length),
                                tsl_number_fault(field, length));
            }
            const bool counts = cube->values[found] != 0 || !has_exponent(field, length);
            const double open = counts ? half_unit(field, length) : 0;
            cube->open_digits += open;
            cube->open_squares += open * open;
            found++;
        }
    }
    return found == count
               ? TSL_OK
               : tsl_fail(w->context, TSL_E_FORMAT,
                          "%s:%" PRId64 ": the file ends after %" PRId64 " of %" PRId64 " values",
                          w->name, w->lines.number, found, count);
}

tsl_status tsl_cube_parse(tsl_cube *out, tsl_context *context, const char *name, const char *data,
                          size_t size)
{
    walk w = {.context = context, .name = name, .lines = tsl_lines_of(data, size)};
    *out = (tsl_cube){.atoms = 0};
    tsl_status status = TSL_OK;
    TSL_TRY(read_header(&w, out, size));
    TSL_TRY(read_atoms(&w, out));
    TSL_TRY(read_id(&w, out));
    TSL_TRY(read_values(&w, out, size));
done:
    if (status != TSL_OK) {
        tsl_cube_release(out);
    }
    return status;
}

/* Does the beginning of a file hold all lines of the header? */
static bool holds_header(const char *data, size_t bytes)
{
    tsl_lines lines = tsl_lines_of(data, bytes);
    const char *line;
    size_t length;
    while (lines.number < HEADER_LINES && tsl_lines_next(&lines, &line, &length)) {
    }
    return lines.number == HEADER_LINES && lines.next < lines.end;
}

tsl_status tsl_cube_open(tsl_cube *out, tsl_input *input)
{
    const char *data;
    size_t bytes = 0, wanted = HEADER_BYTES;
    *out = (tsl_cube){.atoms = 0};
    tsl_status status = tsl_input_peek(input, wanted, &data, &bytes);
    while (status == TSL_OK && bytes == wanted && !holds_header(data, bytes)) {
        if (wanted >= HEADER_LIMIT) {
            return tsl_fail(tsl_input_context(input), TSL_E_FORMAT,
                            "%s: not a cube file: its first %d lines are longer than 16 MiB",
                            tsl_input_name(input), HEADER_LINES);
        }
        wanted *= 4;
        status = tsl_input_peek(input, wanted, &data, &bytes);
    }
    if (status == TSL_OK) {
        walk w = {.context = tsl_input_context(input),
                  .name = tsl_input_name(input),
                  .lines = tsl_lines_of(data, bytes)};
        status = read_header(&w, out, bytes < wanted ? bytes : SIZE_MAX);
        out->atoms = 0;
    }
    return status;
}

tsl_status tsl_cube_load(tsl_cube *out, tsl_input *input)
{
    enum { WIDEST = 64 }; /* bytes of a value's text and the blanks before it, on average */
    tsl_text text;
    tsl_cube head;
    tsl_status status = tsl_cube_open(&head, input);
    const double values = (double)head.n[0] * (double)head.n[1] * (double)head.n[2] * WIDEST;
    const size_t limit =
        values > (double)TSL_TEXT_LIMIT && values < 1e18 ? (size_t)values : TSL_TEXT_LIMIT;
    if (status == TSL_OK) {
        status = tsl_text_take(&text, input, limit);
    }
    if (status == TSL_OK) {
        status = tsl_cube_parse(out, tsl_input_context(input), tsl_input_name(input), text.data,
                                text.size);
        tsl_text_release(&text);
    }
    return status;
}

tsl_status tsl_cube_read(tsl_cube *out, tsl_context *context, const char *path)
{
    tsl_input *input;
    tsl_status status = tsl_input_open(&input, context, path);
    if (status == TSL_OK) {
        status = tsl_cube_load(out, input);
        tsl_input_close(input);
    }
    return status;
}

void tsl_cube_release(tsl_cube *cube)
{
    tsl_release(cube->atom);
    tsl_release(cube->values);
    *cube = (tsl_cube){.atoms = 0};
}

/* Write 6 digits after the point or, where that would be another number, as many as it takes. */
static void write_number(FILE *stream, double value)
{
    char text[32];
    const int fits = snprintf(text, sizeof text, "%.6f", value);
    bool same = fits < (int)sizeof text && strtod(text, NULL) == value;
    for (int digits = 7; digits <= 17 && !same; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        same = strtod(text, NULL) == value;
    }
    fprintf(stream, " %11s", text);
}

static void write_header(FILE *stream, const tsl_cube *cube, const tsl_cube_field *field)
{
    fprintf(stream, " %s\n x slowest, z fastest; lengths in bohr\n", field->title);
    fprintf(stream, "%5" PRId64, cube->atoms);
    for (int axis = 0; axis < 3; axis++) {
        write_number(stream, cube->origin[axis]);
    }
    if (field->components > 1) {
        fprintf(stream, " %4d", field->components);
    }
    putc('\n', stream);
    for (int axis = 0; axis < 3; axis++) {
        fprintf(stream, "%5" PRId64, cube->n[axis]);
        for (int other = 0; other < 3; other++) {
            write_number(stream, axis == other ? cube->step[axis] : 0);
        }
        putc('\n', stream);
    }
    for (int64_t i = 0; i < cube->atoms; i++) {
        const tsl_cube_atom *atom = &cube->atom[i];
        fprintf(stream, "%5d", (int)atom->number);
        write_number(stream, atom->charge);
        for (int axis = 0; axis < 3; axis++) {
            write_number(stream, atom->at[axis]);
        }
        putc('\n', stream);
    }
}

static void write_values(FILE *stream, const tsl_cube *cube, const tsl_cube_field *field)
{
    const int64_t cells = cube->n[0] * cube->n[1] * cube->n[2];
    const int64_t row = cube->n[2] * field->components;
    for (int64_t i = 0; i < cells * field->components; i++) {
        const int64_t at = i % field->components * cells + i / field->components;
        const bool ends = i % row % 6 == 5 || i % row == row - 1;
        fprintf(stream, " %12.5E%s",
                field->precision == 4 ? (double)((const float *)field->values)[at]
                                      : ((const double *)field->values)[at],
                ends ? "\n" : "");
    }
}

tsl_status tsl_cube_write(tsl_context *context, const char *path, const tsl_cube *cube,
                          const tsl_cube_field *field)
{
    tsl_output *output;
    const tsl_status status = tsl_output_open(&output, context, path);
    if (status != TSL_OK) {
        return status;
    }
    const tsl_plain_numbers numbers = tsl_plain_numbers_enter();
    write_header(tsl_output_stream(output), cube, field);
    write_values(tsl_output_stream(output), cube, field);
    tsl_plain_numbers_leave(numbers);
    return tsl_output_commit(output);
}
