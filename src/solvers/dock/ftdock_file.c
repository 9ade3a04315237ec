#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/file/output.h"
#include "io/file/text.h"
#include "solvers/dock/pose_files.h"

enum {
    DEGREE = 1000000,    /* in the unit of tsl_rotation */
    ROW_FIELDS = 11,     /* of a row of the list, "G_DATA" among them */
    LARGEST_ANGLE = 9999 /* degrees; beyond it is no angle */
};

/* The name of the score in a head. */
static const char complementarity[] = "complementarity";

/* ---- writing ------------------------------------------------------------------------------ */

static const char *origin(bool given)
{
    return given ? "(user defined)" : "(default)";
}

static void write_head(FILE *stream, const tsl_pose_list_head *head)
{
    static const char *const electrostatics[] = {"    off      ", "     on      ", " trilinear   "};
    char receptor[sizeof head->receptor];
    char ligand[sizeof head->ligand];
    char rotations[sizeof head->rotations_from];
    tsl_plain_name(receptor, sizeof receptor, head->receptor, true);
    tsl_plain_name(ligand, sizeof ligand, head->ligand, true);
    tsl_plain_name(rotations, sizeof rotations, head->rotations_from, true);
    fputs("FTDOCK data file\n\nGlobal Scan\n\nCommand line controllable values\n", stream);
    fprintf(stream, "Static molecule                    :: %s\n", receptor);
    fprintf(stream, "Mobile molecule                    :: %s\n\n", ligand);
    fprintf(stream, "Global grid size                   :: %6d      %s\n", head->grid,
            origin(head->grid_given));
    fprintf(stream, "Global search angle step           :: %6d      ", head->angle_step);
    if (head->angle_step == 0) {
        fprintf(stream, "(%s)\n", rotations);
    } else {
        fprintf(stream, "%s\n", origin(head->angle_step_given));
    }
    fprintf(stream, "Global surface thickness           :: %9.2f   %s\n", head->surface,
            origin(head->surface_given));
    fprintf(stream, "Global internal deterrent value    :: %9.2f   %s\n", (double)head->core,
            origin(head->core_given));
    fprintf(stream, "Electrostatics                     ::%s%s\n",
            electrostatics[head->electrostatics], origin(head->electrostatics_given));
    fprintf(stream, "Global keep per rotation           :: %6d      %s\n", head->keep,
            origin(head->keep_given));
    if (head->score == TSL_SCORE_COMPLEMENTARITY) {
        fprintf(stream, "Score                              :: %s\n", complementarity);
    }
    fputc('\n', stream);
    fputs("Calculated values\n", stream);
    fprintf(stream, "Global rotations                   :: %6" PRId64 "\n", head->rotations);
    fprintf(stream, "Global total span (angstroms)      :: %10.3f\n", head->span);
    fprintf(stream, "Global grid cell span (angstroms)  :: %10.3f\n\n", head->spacing);
    fputs("Data\nType       ID    prvID    SCscore        ESratio         Coordinates"
          "            Angles\n\n",
          stream);
}

static void write_angle(FILE *stream, int32_t angle)
{
    if (angle % DEGREE == 0) {
        fprintf(stream, "%4d", (int)(angle / DEGREE));
    } else {
        fprintf(stream, " %3d.%06d", (int)(angle / DEGREE), (int)(angle % DEGREE));
    }
}

static void write_row(FILE *stream, const tsl_pose *pose, int64_t rank, int64_t previous,
                      double lowest_energy)
{
    double ratio = lowest_energy < 0 ? 100 * pose->energy / lowest_energy : 0;
    if (fabs(ratio) < 0.0005) {
        ratio = 0; /* not "-0.000" */
    }
    fprintf(stream, "G_DATA %6" PRId64 "   %6" PRId64 "    %7d       %8.3f      %4d %4d %4d      ",
            rank, previous, (int)pose->score, ratio, (int)pose->shift[0], (int)pose->shift[1],
            (int)pose->shift[2]);
    write_angle(stream, pose->rotation.twist);
    write_angle(stream, pose->rotation.theta);
    write_angle(stream, pose->rotation.phi);
    fputc('\n', stream);
}

tsl_status tsl_ftdock_write(tsl_context *context, const char *path, const tsl_pose_list *list,
                            double lowest_energy)
{
    tsl_output *output = NULL;
    const tsl_status status = tsl_output_open(&output, context, path);
    if (status != TSL_OK) {
        return status;
    }
    FILE *stream = tsl_output_stream(output);
    const tsl_plain_numbers numbers = tsl_plain_numbers_enter();
    write_head(stream, &list->head);
    const bool charged = list->head.electrostatics != TSL_ELECTROSTATICS_OFF;
    for (int64_t i = 0; i < list->count; i++) {
        write_row(stream, &list->poses[i], i + 1, list->previous != NULL ? list->previous[i] : 0,
                  charged ? lowest_energy : 0);
    }
    tsl_plain_numbers_leave(numbers);
    return tsl_output_commit(output);
}

/* ---- reading ------------------------------------------------------------------------------ */

/* A part of a line. */
typedef struct part {
    const char *text;
    size_t length;
} part;

/* What is read so far. */
typedef struct reading {
    tsl_context *context;
    const char *path;
    int64_t line;
    tsl_pose_list *list;
    int64_t capacity; /* rows the arrays hold */
    bool head;        /* the list's head was seen: energies are ratios */
    bool table;       /* so was the head of its table: only rows follow */
    bool previous;    /* a row has a previous rank */
    int fields;       /* of every row, known from the first */
} reading;

static tsl_status fail_line(const reading *state, const char *what, part field)
{
    char quoted[TSL_QUOTE_TEXT];
    return tsl_fail(state->context, TSL_E_FORMAT, "%s:%" PRId64 ": %s: '%s'", state->path,
                    state->line, what, tsl_quote(quoted, field.text, field.length));
}

static bool starts_with(part line, const char *word)
{
    const size_t length = strlen(word);
    return line.length >= length && memcmp(line.text, word, length) == 0;
}

/* Split a line at its first "::" and cut off a remark in brackets at its end. */
static bool split_head_line(part line, part *key, part *value, part *remark)
{
    size_t colon = 0;
    while (colon + 1 < line.length && memcmp(line.text + colon, "::", 2) != 0) {
        colon++;
    }
    if (colon + 1 >= line.length) {
        return false;
    }
    *key = (part){line.text, colon};
    *value = (part){line.text + colon + 2, line.length - colon - 2};
    tsl_trim(&key->text, &key->length);
    tsl_trim(&value->text, &value->length);
    *remark = (part){"", 0};
    const char *bracket = memchr(value->text, '(', value->length);
    if (bracket != NULL && value->text[value->length - 1] == ')') {
        const size_t before = (size_t)(bracket - value->text);
        *remark = (part){bracket + 1, value->length - before - 2};
        value->length = before;
        tsl_trim(&value->text, &value->length);
    }
    return true;
}

static bool equals(part field, const char *word)
{
    return field.length == strlen(word) && memcmp(field.text, word, field.length) == 0;
}

static bool read_int(part value, int *out)
{
    int32_t number;
    if (!tsl_parse_integer(value.text, value.length, &number)) {
        return false;
    }
    *out = (int)number;
    return true;
}

static bool read_electrostatics(part value, tsl_electrostatics *out)
{
    static const char *const words[] = {"off", "on", "trilinear"};
    for (int i = 0; i < 3; i++) {
        if (equals(value, words[i])) {
            *out = (tsl_electrostatics)i;
            return true;
        }
    }
    return false;
}

static bool read_name(part value, char out[256])
{
    if (value.length > 255 || memchr(value.text, 0, value.length) != NULL) {
        return false;
    }
    memcpy(out, value.text, value.length);
    out[value.length] = 0;
    return true;
}

/* The deterrent is a real number in the original, and whole in every list that has integer scores.
 */
static bool read_core(part value, int *out)
{
    double number;
    if (!tsl_parse_decimal(value.text, value.length, &number) || fabs(number) > 1e6 ||
        number != floor(number)) {
        return false;
    }
    *out = (int)number;
    return true;
}

/* The lines "key :: value (remark)" about how the list was made. False if the value is malformed.
 */
static bool read_choice(tsl_pose_list_head *head, part key, part value, part remark)
{
    const bool given = remark.length > 0 && !equals(remark, "default");
    if (equals(key, "Global grid size")) {
        head->grid_given = given;
        return read_int(value, &head->grid);
    }
    if (equals(key, "Global search angle step")) {
        head->angle_step_given = given;
        return read_int(value, &head->angle_step) &&
               (head->angle_step != 0 || read_name(remark, head->rotations_from));
    }
    if (equals(key, "Global surface thickness")) {
        head->surface_given = given;
        return tsl_parse_decimal(value.text, value.length, &head->surface);
    }
    if (equals(key, "Global internal deterrent value")) {
        head->core_given = given;
        return read_core(value, &head->core);
    }
    if (equals(key, "Electrostatics")) {
        head->electrostatics_given = given;
        return read_electrostatics(value, &head->electrostatics);
    }
    if (equals(key, "Score")) {
        head->score = TSL_SCORE_COMPLEMENTARITY;
        return equals(value, complementarity);
    }
    if (equals(key, "Global keep per rotation")) {
        head->keep_given = given;
        return read_int(value, &head->keep);
    }
    return true;
}

static tsl_status read_head_line(reading *state, part line)
{
    tsl_pose_list_head *head = &state->list->head;
    part key;
    part value;
    part remark;
    if (!split_head_line(line, &key, &value, &remark)) {
        return TSL_OK; /* a title or other text */
    }
    bool valid;
    if (equals(key, "Static molecule") || equals(key, "Mobile molecule")) {
        /* A name may end in brackets. */
        value.length = (size_t)(line.text + line.length - value.text);
        tsl_trim(&value.text, &value.length);
        valid = read_name(value, equals(key, "Static molecule") ? head->receptor : head->ligand);
    } else if (equals(key, "Global rotations")) {
        int32_t rotations = 0;
        valid = tsl_parse_integer(value.text, value.length, &rotations);
        head->rotations = rotations;
    } else if (starts_with(key, "Global total span")) {
        valid = tsl_parse_decimal(value.text, value.length, &head->span);
    } else if (starts_with(key, "Global grid cell span")) {
        valid = tsl_parse_decimal(value.text, value.length, &head->spacing);
    } else {
        valid = read_choice(head, key, value, remark);
    }
    return valid ? TSL_OK : fail_line(state, "malformed value in the head of a list", line);
}

/* Decimal degrees to millionths, exactly. */
static bool read_angle(part field, int64_t *out)
{
    const char *p = field.text;
    const char *end = p + field.length;
    const bool negative = p < end && *p == '-';
    p += p < end && (*p == '-' || *p == '+');
    int64_t value = 0;
    int decimals = -1; /* -1: before the point */
    int digits = 0;
    for (; p < end; p++) {
        if (*p == '.' && decimals < 0) {
            decimals = 0;
            continue;
        }
        if (*p < '0' || *p > '9' || (decimals == 6 && *p != '0')) {
            return false;
        }
        digits++;
        if (decimals < 6) {
            value = 10 * value + (*p - '0');
            decimals += decimals >= 0;
        }
        if (value > (int64_t)LARGEST_ANGLE * DEGREE + DEGREE - 1) {
            return false;
        }
    }
    for (decimals = decimals < 0 ? 0 : decimals; decimals < 6; decimals++) {
        value *= 10;
    }
    *out = negative ? -value : value;
    return digits > 0 && value <= (int64_t)LARGEST_ANGLE * DEGREE;
}

static int32_t wrap(int64_t angle)
{
    const int64_t turn = 360 * (int64_t)DEGREE;
    return (int32_t)((angle % turn + turn) % turn);
}

/* A rotation with its angles brought into range: Ry(-theta) = Rz(180) Ry(theta) Rz(180). */
static tsl_rotation normalised(int64_t twist, int64_t theta, int64_t phi)
{
    const int64_t half = 180 * (int64_t)DEGREE;
    int64_t within = wrap(theta);
    if (within > half) {
        within = 2 * half - within;
        twist += half;
        phi += half;
    }
    return (tsl_rotation){wrap(twist), (int32_t)within, wrap(phi)};
}

/* The blank-separated fields of a row; their number, or ROW_FIELDS + 1 if there are too many. */
static int split_row(part line, part fields[ROW_FIELDS])
{
    const char *p = line.text;
    const char *end = p + line.length;
    int count = 0;
    for (;;) {
        while (p < end && (*p == ' ' || *p == '\t')) {
            p++;
        }
        if (p == end || count == ROW_FIELDS) {
            return p == end ? count : ROW_FIELDS + 1;
        }
        const char *from = p;
        while (p < end && *p != ' ' && *p != '\t') {
            p++;
        }
        fields[count++] = (part){from, (size_t)(p - from)};
    }
}

/* A row is "G_DATA id previous score ratio x y z twist theta phi"; the original's log leaves the
 * ratio out, its scratch file has the energy there. */
static tsl_status parse_row(reading *state, part line, tsl_pose *pose, int32_t *previous)
{
    part fields[ROW_FIELDS];
    int count = split_row(line, fields);
    if (state->fields == 0) {
        state->fields = state->head || count != ROW_FIELDS - 1 ? ROW_FIELDS : count;
    }
    if (count != state->fields) {
        return fail_line(state,
                         state->fields == ROW_FIELDS ? "a row of a list has G_DATA and 10 numbers"
                                                     : "a row of this log has G_DATA and 9 numbers",
                         line);
    }
    double ratio = 0;
    if (count == ROW_FIELDS) {
        if (!tsl_parse_decimal(fields[4].text, fields[4].length, &ratio)) {
            return fail_line(state, "the electrostatic ratio is no number", fields[4]);
        }
        memmove(fields + 4, fields + 5, 6 * sizeof *fields);
    }
    int32_t id;
    int32_t *const integers[] = {
        &id, previous, &pose->score, &pose->shift[0], &pose->shift[1], &pose->shift[2]};
    for (int i = 0; i < 6; i++) {
        if (!tsl_parse_integer(fields[i + 1].text, fields[i + 1].length, integers[i])) {
            return fail_line(state, "not an integer", fields[i + 1]);
        }
    }
    int64_t angles[3];
    for (int i = 0; i < 3; i++) {
        if (!read_angle(fields[i + 7], &angles[i])) {
            return fail_line(state, "not an angle in degrees with at most 6 decimals",
                             fields[i + 7]);
        }
    }
    pose->rotation = normalised(angles[0], angles[1], angles[2]);
    /* Rows without a head are a scratch file's (negative energies) or cut out of a list. */
    pose->energy = ratio == 0 ? 0 : state->head ? -ratio : -fabs(ratio); /* not -0 */
    return TSL_OK;
}

static tsl_status grow(reading *state)
{
    tsl_pose_list *list = state->list;
    const size_t old = (size_t)state->capacity;
    const size_t capacity = old > 0 ? 2 * old : 1024;
    tsl_pose *poses = tsl_reallocate(list->poses, old * sizeof *poses, capacity * sizeof *poses);
    if (poses == NULL) {
        return tsl_fail_memory(state->context, (int64_t)(capacity * sizeof *poses),
                               "the poses of a list");
    }
    list->poses = poses;
    int64_t *previous =
        tsl_reallocate(list->previous, old * sizeof *previous, capacity * sizeof *previous);
    if (previous == NULL) {
        return tsl_fail_memory(state->context, (int64_t)(capacity * sizeof *previous),
                               "the ranks of a list");
    }
    list->previous = previous;
    state->capacity = (int64_t)capacity;
    return TSL_OK;
}

static tsl_status read_row(reading *state, part line)
{
    tsl_pose pose = {0};
    int32_t previous = 0;
    tsl_status status = parse_row(state, line, &pose, &previous);
    if (status == TSL_OK && state->list->count == state->capacity) {
        status = grow(state);
    }
    if (status != TSL_OK) {
        return status;
    }
    state->list->poses[state->list->count] = pose;
    state->list->previous[state->list->count] = previous;
    state->list->count++;
    state->previous = state->previous || previous != 0;
    return TSL_OK;
}

static tsl_status read_line(reading *state, part line)
{
    tsl_trim(&line.text, &line.length);
    part row = line;
    while (row.length > 0 && *row.text == '.') { /* the original's log: a dot a rotation */
        row.text++;
        row.length--;
    }
    if (starts_with(row, "G_DATA")) {
        return read_row(state, row);
    }
    if (line.length == 0) {
        return TSL_OK;
    }
    if (state->table) {
        return fail_line(state, "a row of a list starts with G_DATA", line);
    }
    if (starts_with(line, "FTDOCK data file")) {
        state->head = true;
    }
    state->table = starts_with(line, "Type ");
    return read_head_line(state, line);
}

tsl_status tsl_ftdock_take(tsl_input *input, tsl_pose_list *out)
{
    *out = (tsl_pose_list){0};
    tsl_text text;
    tsl_context *context = tsl_input_context(input);
    const char *path = tsl_input_name(input);
    tsl_status status = tsl_text_take_if(&text, input, TSL_TEXT_LIMIT, tsl_text_is);
    if (status != TSL_OK) {
        return status;
    }
    reading state = {.context = context, .path = path, .list = out};
    tsl_lines lines = tsl_lines_of(text.data, text.size);
    part line;
    while (status == TSL_OK && tsl_lines_next(&lines, &line.text, &line.length)) {
        state.line = lines.number;
        status = read_line(&state, line);
    }
    tsl_text_release(&text);
    if (status == TSL_OK && state.line == 0) {
        status = tsl_fail(context, TSL_E_FORMAT, "%s: the file is empty", path);
    }
    if (status == TSL_OK && !state.head && out->count == 0) {
        status = tsl_fail(
            context, TSL_E_FORMAT,
            "%s: not a list of poses: it has neither FTDock's head nor G_DATA rows, nor the "
            "cells and spacing that ZDOCK's begins with",
            path);
    }
    if (status != TSL_OK) {
        tsl_pose_list_free(out);
        return status;
    }
    if (!state.previous) {
        tsl_release(out->previous);
        out->previous = NULL;
    }
    return TSL_OK;
}

tsl_status tsl_ftdock_read(tsl_context *context, const char *path, tsl_pose_list *out)
{
    tsl_input *input = NULL;
    *out = (tsl_pose_list){0};
    tsl_status status = tsl_input_open(&input, context, path);
    if (status == TSL_OK) {
        status = tsl_ftdock_take(input, out);
        tsl_input_close(input);
    }
    return status;
}

void tsl_pose_list_free(tsl_pose_list *list)
{
    tsl_release(list->poses);
    tsl_release(list->previous);
    tsl_release(list->sizes);
    *list = (tsl_pose_list){0};
}
