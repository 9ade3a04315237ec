#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/file/input.h"
#include "io/file/output.h"
#include "io/file/text.h"
#include "solvers/dock/pose_files.h"

enum { DEGREE = 1000000 }; /* in the unit of tsl_rotation */

/* ---- writing ------------------------------------------------------------------------------ */

/* Millionths of a degree to radians in (-pi, pi]. */
static double radians(int32_t angle)
{
    const int32_t half = 180 * DEGREE;
    const int32_t turned = angle > half ? angle - 2 * half : angle;
    return (double)turned / half * M_PI;
}

/* t in [0, N) with -t = shift modulo N. */
static int translation(int32_t shift, int grid)
{
    return (int)(shift > 0 ? grid - shift : -shift);
}

/* Rz(phi) Ry(theta) Rz(twist) as Rz(psi) Rx(theta) Rz(phi'): Ry(theta) = Rz(90) Rx(theta) Rz(-90).
 */
static void write_row(FILE *stream, const tsl_pose *pose, int grid)
{
    const int32_t turn = 360 * DEGREE;
    const int32_t psi = (pose->rotation.phi + 90 * DEGREE) % turn;
    const int32_t phi = (pose->rotation.twist + 270 * DEGREE) % turn;
    const bool whole = psi % DEGREE == 0 && pose->rotation.theta % DEGREE == 0 && phi % DEGREE == 0;
    const int decimals = whole ? 6 : 9; /* whole degrees are told from six */
    fprintf(stream, "%.*f\t%.*f\t%.*f\t%d\t%d\t%d\t%.3f\n", decimals, radians(psi), decimals,
            radians(pose->rotation.theta), decimals, radians(phi),
            translation(pose->shift[0], grid), translation(pose->shift[1], grid),
            translation(pose->shift[2], grid), (double)pose->score);
}

static void write_molecule(FILE *stream, const char *name, const double centre[3])
{
    char plain[256];
    tsl_plain_name(plain, sizeof plain, name, false);
    fprintf(stream, "%s\t%.6f\t%.6f\t%.6f\n", plain, centre[0], centre[1], centre[2]);
}

tsl_status tsl_zdock_write(tsl_context *context, const char *path, const tsl_pose_list *list,
                           const tsl_dock_summary *summary)
{
    tsl_output *output = NULL;
    const tsl_status status = tsl_output_open(&output, context, path);
    if (status != TSL_OK) {
        return status;
    }
    FILE *stream = tsl_output_stream(output);
    const tsl_plain_numbers numbers = tsl_plain_numbers_enter();
    fprintf(stream, "%d\t%.9g\n0.000000\t0.000000\t0.000000\n", summary->grid, summary->spacing);
    write_molecule(stream, list->head.receptor, summary->receptor_centre);
    write_molecule(stream, list->head.ligand, summary->ligand_centre);
    for (int64_t i = 0; i < list->count; i++) {
        write_row(stream, &list->poses[i], summary->grid);
    }
    tsl_plain_numbers_leave(numbers);
    return tsl_output_commit(output);
}

/* ---- reading ------------------------------------------------------------------------------ */

enum { ROW_FIELDS = 7, MOST_FIELDS = 16 };

typedef struct field {
    const char *text;
    size_t length;
} field;

/* The words of a line between blanks; their number, at most MOST_FIELDS. */
static int split(const char *line, size_t length, field fields[MOST_FIELDS])
{
    const char *end = line + length;
    int count = 0;
    while (count < MOST_FIELDS) {
        while (line < end && (*line == ' ' || *line == '\t')) {
            line++;
        }
        if (line == end) {
            break;
        }
        fields[count].text = line;
        while (line < end && *line != ' ' && *line != '\t') {
            line++;
        }
        fields[count].length = (size_t)(line - fields[count].text);
        count++;
    }
    return count;
}

static bool read_numbers(const field *fields, int count, double *out)
{
    for (int i = 0; i < count; i++) {
        if (!tsl_parse_decimal(fields[i].text, fields[i].length, &out[i])) {
            return false;
        }
    }
    return true;
}

/* Cells and spacing, and of ZDOCK 3 whether the molecules were switched (0 or 1). */
static bool read_first_line(const char *line, size_t length, double out[3], int *count)
{
    field fields[MOST_FIELDS];
    *count = split(line, length, fields);
    out[2] = 0;
    return (*count == 2 || *count == 3) && read_numbers(fields, *count, out) && out[0] >= 2 &&
           out[0] <= 100000 && out[0] == floor(out[0]) && out[1] > 0 && out[1] <= 20 &&
           (out[2] == 0 || out[2] == 1);
}

tsl_status tsl_zdock_recognise(tsl_input *input, bool *is_zdock)
{
    const char *data = NULL;
    const char *line;
    size_t bytes = 0;
    size_t length;
    int count;
    double numbers[3];
    const tsl_status status = tsl_input_peek(input, 4096, &data, &bytes);
    tsl_lines lines = tsl_lines_of(data, bytes);
    *is_zdock = status == TSL_OK && tsl_lines_next(&lines, &line, &length) &&
                read_first_line(line, length, numbers, &count);
    return status;
}

/* Rz(a) Rx(b) Rz(c) */
static void turn_of(const double angles[3], double out[3][3])
{
    const double ca = cos(angles[0]), sa = sin(angles[0]);
    const double cb = cos(angles[1]), sb = sin(angles[1]);
    const double cc = cos(angles[2]), sc = sin(angles[2]);
    const double turn[3][3] = {{ca * cc - sa * cb * sc, -ca * sc - sa * cb * cc, sa * sb},
                               {sa * cc + ca * cb * sc, -sa * sc + ca * cb * cc, -ca * sb},
                               {sb * sc, sb * cc, cb}};
    memcpy(out, turn, sizeof turn);
}

static void transpose(double m[3][3])
{
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < i; j++) {
            const double swap = m[i][j];
            m[i][j] = m[j][i];
            m[j][i] = swap;
        }
    }
}

static void multiply(double a[3][3], double b[3][3], double out[3][3])
{
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            out[i][j] = a[i][0] * b[0][j] + a[i][1] * b[1][j] + a[i][2] * b[2][j];
        }
    }
}

static void apply(double m[3][3], const double v[3], double out[3])
{
    for (int i = 0; i < 3; i++) {
        out[i] = m[i][0] * v[0] + m[i][1] * v[1] + m[i][2] * v[2];
    }
}

/* Radians to millionths of a degree in [0, 360); a whole degree if it is one to six decimals. */
static int32_t to_units(double angle)
{
    const double degrees = angle * 180 / M_PI;
    const double nearest = rint(degrees);
    const double units = fabs(degrees - nearest) < 4e-5 ? nearest * DEGREE : rint(degrees * DEGREE);
    const int64_t turn = 360 * (int64_t)DEGREE;
    return (int32_t)((llrint(units) % turn + turn) % turn);
}

/* Rz(phi) Ry(theta) Rz(twist) with theta in range. */
static tsl_rotation rotation_of(double twist, double theta, double phi)
{
    const int32_t half = 180 * DEGREE;
    tsl_rotation rotation = {to_units(twist), to_units(theta), to_units(phi)};
    if (rotation.theta > half) {
        rotation.theta = 2 * half - rotation.theta;
        rotation.twist = (rotation.twist + half) % (2 * half);
        rotation.phi = (rotation.phi + half) % (2 * half);
    }
    return rotation;
}

static tsl_rotation rotation_of_matrix(double m[3][3])
{
    const double sine = hypot(m[0][2], m[1][2]);
    return sine < 1e-9 /* only the sum or the difference of the other two is known */
               ? rotation_of(m[2][2] > 0 ? atan2(m[1][0], m[0][0]) : atan2(m[1][0], m[1][1]),
                             m[2][2] > 0 ? 0 : M_PI, 0)
               : rotation_of(atan2(m[2][1], -m[2][0]), atan2(sine, m[2][2]),
                             atan2(m[1][2], m[0][2]));
}

typedef struct zdock_head {
    double grid, spacing;
    bool switched;
    double turned[2][3]; /* receptor and ligand, beforehand; radians */
    double centres[2][3];
    bool is_turned;
} zdock_head;

typedef struct reading {
    tsl_context *context;
    const char *path;
    tsl_lines lines;
    int head_lines; /* 0: not known yet */
    int line;       /* of the head, from 0 */
    zdock_head head;
    tsl_zdock_list *list;
    int64_t capacity;
} reading;

static tsl_status fail_line(const reading *state, const char *what)
{
    return tsl_fail(state->context, TSL_E_FORMAT, "%s:%lld: %s", state->path,
                    (long long)state->lines.number, what);
}

static tsl_status read_head_line(reading *state, const char *line, size_t length)
{
    zdock_head *head = &state->head;
    field fields[MOST_FIELDS];
    double numbers[3];
    int count = 0;
    const int at = state->line++;
    if (at == 0) {
        if (!read_first_line(line, length, numbers, &count)) {
            return fail_line(state,
                             "not a list of ZDOCK's: the first line gives the number of cells "
                             "and the spacing");
        }
        head->grid = numbers[0];
        head->spacing = numbers[1];
        head->switched = numbers[2] > 0;
        state->head_lines = count + 2;
        return TSL_OK;
    }
    count = split(line, length, fields);
    if (at < state->head_lines - 2) { /* an only line is the ligand's */
        double *turned = head->turned[state->head_lines == 5 ? at - 1 : 1];
        if (count != 3 || !read_numbers(fields, 3, turned)) {
            return fail_line(state, "the head of ZDOCK's list has three angles in radians here");
        }
        head->is_turned |= turned[0] != 0 || turned[1] != 0 || turned[2] != 0;
        return TSL_OK;
    }
    if (count < 4 ||
        !read_numbers(fields + count - 3, 3, head->centres[at - (state->head_lines - 2)])) {
        return fail_line(state,
                         "the head of ZDOCK's list has a file and its centre here: a name and "
                         "three numbers");
    }
    return TSL_OK;
}

/* x' = M x + v of a row. Not switched: turned_r^T (A turned_l (x - l) - t + r), with l and r the
 * centres; switched, the ligand is the one that stayed: turned_l^T A^T (turned_r x - r + t) + l. */
static void place_row(const zdock_head *head, const double angles[3], const double shift[3],
                      double motion[3][4], tsl_rotation *rotation)
{
    double a[3][3], before[3][3], after[3][3], half[3][3], m[3][3], moved[3], v[3], w[3];
    turn_of(angles, a);
    turn_of(head->turned[head->switched ? 0 : 1], before);
    turn_of(head->turned[head->switched ? 1 : 0], after);
    transpose(after);
    for (int i = 0; i < 3; i++) {
        w[i] = head->switched ? shift[i] - head->centres[0][i] : head->centres[0][i] - shift[i];
    }
    if (head->switched) {
        transpose(a);
        multiply(after, a, half);
        multiply(half, before, m);
        apply(half, w, v);
    } else {
        multiply(a, before, half);
        multiply(after, half, m);
        apply(after, w, v);
    }
    apply(m, head->centres[1], moved);
    for (int i = 0; i < 3; i++) {
        memcpy(motion[i], m[i], sizeof m[i]);
        motion[i][3] = head->switched ? v[i] + head->centres[1][i] : v[i] - moved[i];
    }
    *rotation = head->is_turned || head->switched
                    ? rotation_of_matrix(m)
                    : rotation_of(angles[2] + M_PI / 2, angles[1], angles[0] - M_PI / 2);
}

static tsl_status make_room(reading *state)
{
    tsl_zdock_list *list = state->list;
    if (list->count < state->capacity) {
        return TSL_OK;
    }
    const size_t old = (size_t)state->capacity, wanted = old > 0 ? 2 * old : 1024;
    void *motions =
        tsl_reallocate(list->motions, old * sizeof *list->motions, wanted * sizeof *list->motions);
    list->motions = motions != NULL ? motions : list->motions;
    void *rotations = motions == NULL
                          ? NULL
                          : tsl_reallocate(list->rotations, old * sizeof *list->rotations,
                                           wanted * sizeof *list->rotations);
    list->rotations = rotations != NULL ? rotations : list->rotations;
    if (rotations == NULL) {
        return tsl_fail_memory(state->context, (int64_t)(wanted * sizeof *list->motions),
                               "the poses of a list");
    }
    state->capacity = (int64_t)wanted;
    return TSL_OK;
}

static tsl_status read_row(reading *state, const char *line, size_t length)
{
    field fields[MOST_FIELDS];
    double numbers[ROW_FIELDS], shift[3];
    const double grid = state->head.grid;
    const int columns = split(line, length, fields);
    if (columns < ROW_FIELDS || !read_numbers(fields, ROW_FIELDS, numbers)) {
        return fail_line(state,
                         "a row of ZDOCK's list has three angles in radians, three cells and "
                         "a score");
    }
    for (int i = 0; i < 3; i++) {
        const double t = numbers[3 + i];
        if (t != floor(t) || fabs(t) > grid) {
            return fail_line(state, "a translation is a whole number of cells within the grid");
        }
        if (fabs(numbers[i]) > 100) {
            return fail_line(state, "an angle is beyond 100 radians");
        }
        shift[i] = (t >= grid / 2 ? t - grid : t) * state->head.spacing;
    }
    const tsl_status status = make_room(state);
    if (status == TSL_OK) {
        tsl_zdock_list *list = state->list;
        place_row(&state->head, numbers, shift, list->motions[list->count],
                  &list->rotations[list->count]);
        list->count++;
        if (columns > ROW_FIELDS) {
            list->first_wide = list->wide == 0 ? state->lines.number : list->first_wide;
            list->wide++;
        }
    }
    return status;
}

tsl_status tsl_zdock_take(tsl_input *input, tsl_zdock_list *out)
{
    tsl_text text;
    const char *line;
    size_t length;
    tsl_context *context = tsl_input_context(input);
    const char *path = tsl_input_name(input);
    *out = (tsl_zdock_list){0};
    tsl_status status = tsl_text_take_if(&text, input, TSL_TEXT_LIMIT, tsl_text_is);
    if (status != TSL_OK) {
        return status;
    }
    reading state = {.context = context, .path = path, .list = out};
    state.lines = tsl_lines_of(text.data, text.size);
    while (status == TSL_OK && tsl_lines_next(&state.lines, &line, &length)) {
        tsl_trim(&line, &length);
        if (length > 0) {
            status = state.line == 0 || state.line < state.head_lines
                         ? read_head_line(&state, line, length)
                         : read_row(&state, line, length);
        }
    }
    tsl_text_release(&text);
    if (status == TSL_OK && out->count == 0) {
        status =
            tsl_fail(context, TSL_E_FORMAT, "%s: holds no poses: is the file cut short?", path);
    }
    out->grid = (int)state.head.grid;
    out->spacing = state.head.spacing;
    if (status != TSL_OK) {
        tsl_zdock_free(out);
    }
    return status;
}

void tsl_zdock_free(tsl_zdock_list *list)
{
    tsl_release(list->motions);
    tsl_release(list->rotations);
    *list = (tsl_zdock_list){0};
}
