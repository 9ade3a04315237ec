#include "io/grid/cube.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/file/output.h"
#include "io/file/text.h"

enum { LONGEST_AXIS = 1 << 20, LEAST_ATOM = 10, LEAST_VALUE = 2 }; /* bytes of text */
#define HEADER_BYTES ((size_t)1 << 16)

/* The text as it is walked through. */
typedef struct walk {
    tsl_context *context;
    const char *name;
    tsl_lines lines;
    const char *line; /* what is left of the current line */
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

/* The next line's first fields: an integer and `count` numbers. */
static bool read_row(walk *w, int32_t *first, double *numbers, int count)
{
    const char *field;
    size_t length;
    bool good =
        next_line(w) && next_field(w, &field, &length) && tsl_parse_integer(field, length, first);
    for (int i = 0; i < count && good; i++) {
        good = next_field(w, &field, &length) && tsl_parse_number(field, length, &numbers[i]);
    }
    return good;
}

static tsl_status read_axis(walk *w, tsl_cube *cube, int axis)
{
    int32_t n = 0;
    double edge[3] = {0};
    if (!read_row(w, &n, edge, 3)) {
        return fail_line(w, TSL_E_FORMAT,
                         "not an axis: the number of samples and the step between them, x y z");
    }
    if (n < 0) {
        return fail_line(w, TSL_E_UNSUPPORTED,
                         "a negative number of samples means lengths in angstrom: convert the file "
                         "to bohr");
    }
    if (n < 1 || n > LONGEST_AXIS) {
        return fail_line(w, TSL_E_FORMAT, "the number of samples must be from 1 to 1048576");
    }
    cube->n[axis] = n;
    cube->step[axis] = edge[axis];
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

/* Three lines of axes after the one with the number of atoms and the origin. */
static tsl_status read_header(walk *w, tsl_cube *cube, size_t size)
{
    int32_t atoms = 0;
    bool there = true;
    if (size == 0) {
        return tsl_fail(w->context, TSL_E_FORMAT, "%s: the file is empty", w->name);
    }
    for (int comment = 0; comment < 2; comment++) {
        there = there && next_line(w);
    }
    if (!there || !read_row(w, &atoms, cube->origin, 3)) {
        return fail_line(w, TSL_E_FORMAT,
                         "not a cube file: after two lines of comment come the number of atoms and "
                         "the origin, x y z");
    }
    const char *field;
    size_t length;
    int32_t fields = 1;
    const bool more = next_field(w, &field, &length);
    if (atoms < 0 || (more && tsl_parse_integer(field, length, &fields) && fields != 1)) {
        return fail_line(w, TSL_E_UNSUPPORTED,
                         "holds several fields, as of orbitals: write one field a file");
    }
    if ((size_t)atoms > size / LEAST_ATOM) {
        return fail_line(w, TSL_E_FORMAT, "more atoms than the file has room for");
    }
    cube->atoms = atoms;
    tsl_status status = TSL_OK;
    for (int axis = 0; axis < 3 && status == TSL_OK; axis++) {
        status = read_axis(w, cube, axis);
    }
    return status;
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
        memcpy(atom->at, numbers + 1, sizeof atom->at);
    }
    return TSL_OK;
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
                return tsl_fail(w->context, TSL_E_FORMAT,
                                "%s:%" PRId64 ": '%s' is no finite number", w->name,
                                w->lines.number, tsl_quote(quoted, field, length));
            }
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
    tsl_status status = read_header(&w, out, size);
    if (status == TSL_OK) {
        status = read_atoms(&w, out);
    }
    if (status == TSL_OK) {
        status = read_values(&w, out, size);
    }
    if (status != TSL_OK) {
        tsl_cube_release(out);
    }
    return status;
}

tsl_status tsl_cube_read(tsl_cube *out, tsl_context *context, const char *path)
{
    tsl_text text;
    tsl_status status = tsl_text_read(&text, context, path, TSL_TEXT_LIMIT);
    if (status == TSL_OK) {
        status = tsl_cube_parse(out, context, path, text.data, text.size);
        tsl_text_release(&text);
    }
    return status;
}

tsl_status tsl_cube_read_header(tsl_cube *out, tsl_context *context, const char *path)
{
    tsl_text text;
    *out = (tsl_cube){.atoms = 0};
    tsl_status status = tsl_text_read_beginning(&text, context, path, HEADER_BYTES);
    if (status == TSL_OK) {
        walk w = {.context = context, .name = path, .lines = tsl_lines_of(text.data, text.size)};
        status = read_header(&w, out, text.size < HEADER_BYTES ? text.size : SIZE_MAX);
        out->atoms = 0;
        tsl_text_release(&text);
    }
    return status;
}

void tsl_cube_release(tsl_cube *cube)
{
    tsl_release(cube->atom);
    tsl_release(cube->values);
    *cube = (tsl_cube){.atoms = 0};
}

/* 6 digits after the point, or where that is another number as many as it takes. */
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
