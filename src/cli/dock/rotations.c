/* The rotations of a search: by angle step, by spiral, or from a file. */
#include <math.h>
#include <string.h>

#include "cli/dock/command.h"
#include "comm/comm.h"
#include "io/file/text.h"

enum { FULL_TURN = 360000000, HALF_TURN = 180000000 };

/* An angle in units of 1e-6 degree, in [0, 360) degrees. */
static int32_t to_turn(double degrees)
{
    const int64_t units = llround(degrees * 1e6) % FULL_TURN;
    return (int32_t)(units < 0 ? units + FULL_TURN : units);
}

/* A rotation Rz(phi) Ry(theta) Rz(twist). With theta beyond a half turn it is the rotation with 360
 * - theta, and a half turn more about z on either side. */
static tsl_rotation from_angles(const double angles[3])
{
    tsl_rotation rotation = {to_turn(angles[0]), to_turn(angles[1]), to_turn(angles[2])};
    if (rotation.theta > HALF_TURN) {
        rotation.theta = FULL_TURN - rotation.theta;
        rotation.twist = (rotation.twist + HALF_TURN) % FULL_TURN;
        rotation.phi = (rotation.phi + HALF_TURN) % FULL_TURN;
    }
    return rotation;
}

enum { MOST_NUMBERS = 5 }; /* one more than a line may hold */

/* Split a line into numbers. Returns how many, or -1 if a word is none: *wrong quotes it. */
static int split_numbers(const char *line, size_t length, double numbers[MOST_NUMBERS],
                         char wrong[TSL_QUOTE_TEXT])
{
    int count = 0;
    const char *comment = memchr(line, '#', length);
    const char *end = comment != NULL ? comment : line + length;
    while (count < MOST_NUMBERS) {
        while (line < end && strchr(" \t,", *line) != NULL && *line != '\0') {
            line++;
        }
        const char *word = line;
        while (line < end && (strchr(" \t,", *line) == NULL || *line == '\0')) {
            line++;
        }
        if (line == word) {
            break;
        }
        if (!tsl_parse_decimal(word, (size_t)(line - word), &numbers[count++])) {
            tsl_quote(wrong, word, (size_t)(line - word));
            return -1;
        }
    }
    return count;
}

/* Read one line; *found is false if there is no rotation on it. */
static tsl_status read_rotation(tsl_rotation *out, bool *found, tsl_context *context,
                                const char *path, int64_t line_number, const char *line,
                                size_t length)
{
    double numbers[MOST_NUMBERS];
    char wrong[TSL_QUOTE_TEXT];
    const int count = split_numbers(line, length, numbers, wrong);
    const long long at = line_number;
    *found = count != 0;
    if (count < 0) {
        return tsl_fail(context, TSL_E_FORMAT, "%s:%lld: '%s' is no number", path, at, wrong);
    }
    if (count == 3) {
        for (int i = 0; i < 3; i++) {
            if (fabs(numbers[i]) > 360) {
                return tsl_fail(context, TSL_E_FORMAT,
                                "%s:%lld: angle %g is outside -360 to 360 degrees", path, at,
                                numbers[i]);
            }
        }
        *out = from_angles(numbers);
        return TSL_OK;
    }
    if (count == 0) {
        return TSL_OK;
    }
    if (count != 4) {
        return tsl_fail(context, TSL_E_FORMAT,
                        "%s:%lld: too %s numbers: give three angles in degrees (twist theta phi) "
                        "or the four parts of a unit quaternion (w x y z)",
                        path, at, count > 4 ? "many" : "few");
    }
    const double size = sqrt(numbers[0] * numbers[0] + numbers[1] * numbers[1] +
                             numbers[2] * numbers[2] + numbers[3] * numbers[3]);
    if (!(fabs(size - 1) < 1e-3)) {
        return tsl_fail(context, TSL_E_FORMAT,
                        "%s:%lld: the quaternion's length is %.6g, not 1: divide it by that", path,
                        at, size);
    }
    return tsl_rotation_of_quaternion(out, numbers);
}

static tsl_status append(dock_rotations *rotations, tsl_context *context, int64_t *room,
                         const tsl_rotation *rotation)
{
    if (rotations->count == *room) {
        const int64_t more = *room > 0 ? 2 * *room : 1024;
        const int64_t bytes = more * (int64_t)sizeof *rotation;
        tsl_rotation *moved = tsl_reallocate(
            rotations->at, (size_t)rotations->count * sizeof *rotation, (size_t)bytes);
        if (moved == NULL) {
            return tsl_fail_memory(context, bytes, "the rotations");
        }
        rotations->at = moved;
        *room = more;
    }
    rotations->at[rotations->count++] = *rotation;
    return TSL_OK;
}

static tsl_status read_file(dock_rotations *out, tsl_context *context, const char *path)
{
    tsl_text text;
    tsl_status status = dock_refuse_shared_pipe(context, path);
    if (status == TSL_OK) {
        status = tsl_text_read_if(&text, context, path, TSL_TEXT_LIMIT, tsl_text_is);
    }
    if (status != TSL_OK) {
        return status;
    }
    tsl_lines lines = tsl_lines_of(text.data, text.size);
    const char *line;
    size_t length;
    int64_t room = 0;
    while (status == TSL_OK && tsl_lines_next(&lines, &line, &length)) {
        tsl_rotation rotation = {0};
        bool found = false;
        status = read_rotation(&rotation, &found, context, path, lines.number, line, length);
        if (status == TSL_OK && found) {
            status = append(out, context, &room, &rotation);
        }
    }
    tsl_text_release(&text);
    if (status == TSL_OK && out->count == 0) {
        status = tsl_fail(context, TSL_E_FORMAT,
                          "%s: holds no rotation: give a line of three angles in degrees, or of a "
                          "unit quaternion, for each",
                          path);
    }
    return status;
}

static tsl_status make_counted(dock_rotations *out, tsl_context *context,
                               const dock_options *options)
{
    const int64_t count =
        options->spiral > 0 ? options->spiral : tsl_rotations_step(NULL, options->angle_step);
    if (count < 1) {
        return tsl_fail(context, TSL_E_ARG, "--angle-step %d: gives no rotations",
                        options->angle_step);
    }
    out->at = tsl_allocate((size_t)count * sizeof *out->at);
    if (out->at == NULL) {
        return tsl_fail_memory(context, count * (int64_t)sizeof *out->at, "the rotations");
    }
    out->count = count;
    if (options->spiral > 0) {
        return tsl_rotations_spiral(out->at, count);
    }
    tsl_rotations_step(out->at, options->angle_step);
    return TSL_OK;
}

tsl_status dock_rotations_make(dock_rotations *out, tsl_context *context,
                               const dock_options *options)
{
    *out = (dock_rotations){0};
    if (options->rescore != NULL) {
        return TSL_OK; /* rotations come with the poses */
    }
    const bool from_file = options->rotations_from != NULL && options->spiral == 0;
    const tsl_status status = from_file ? read_file(out, context, options->rotations_from)
                                        : make_counted(out, context, options);
    if (status != TSL_OK) {
        dock_rotations_free(out);
    }
    return status;
}

void dock_rotations_free(dock_rotations *rotations)
{
    tsl_release(rotations->at);
    *rotations = (dock_rotations){0};
}
