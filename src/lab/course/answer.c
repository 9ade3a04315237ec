/* Texts made of a solution: the solution alone, what a learner begins with, and wrong answers.
 *
 * Marks of a solution are lines of their own:
 *     //<        what follows is the learner's to write
 *     //: text   a line of the skeleton alone
 *     //>        ends that
 * A text of predictions has no marks: of `name = value` the skeleton has `name = ?`. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/file/output.h"
#include "lab/course/course.h"
#include "lab/course/messages.h"

enum mark { PLAIN, OPENS, CLOSES, OF_SKELETON };

static enum mark mark_of(const char *line, size_t length, size_t *indent)
{
    *indent = 0;
    while (*indent < length && line[*indent] == ' ') {
        (*indent)++;
    }
    const char *at = line + *indent;
    const size_t left = length - *indent;
    if (left == 3 && strncmp(at, "//<", 3) == 0) {
        return OPENS;
    }
    if (left == 3 && strncmp(at, "//>", 3) == 0) {
        return CLOSES;
    }
    return left >= 3 && strncmp(at, "//:", 3) == 0 ? OF_SKELETON : PLAIN;
}

static const char *line_end(const char *line)
{
    const char *end = strchr(line, '\n');
    return end != NULL ? end : line + strlen(line);
}

static tsl_status finish(const tsl_lab_buffer *buffer, tsl_context *context)
{
    return buffer->failed ? tsl_fail_memory(context, (int64_t)buffer->length, "a text") : TSL_OK;
}

tsl_status tsl_lab_solution(tsl_lab_buffer *out, tsl_context *context, const tsl_lab_exercise *e)
{
    *out = (tsl_lab_buffer){.data = NULL};
    for (const char *line = e->solution; *line != '\0';) {
        const char *end = line_end(line);
        size_t indent;
        if (mark_of(line, (size_t)(end - line), &indent) == PLAIN) {
            tsl_lab_buffer_print(out, "%.*s\n", (int)(end - line), line);
        }
        line = *end == '\n' ? end + 1 : end;
    }
    return finish(out, context);
}

static void print_prediction(tsl_lab_buffer *out, const char *line, int length)
{
    const char *equals = memchr(line, '=', (size_t)length);
    if (equals != NULL) {
        tsl_lab_buffer_print(out, "%.*s= ?\n", (int)(equals - line), line);
    } else {
        tsl_lab_buffer_print(out, "%.*s\n", length, line);
    }
}

tsl_status tsl_lab_skeleton(tsl_lab_buffer *out, tsl_context *context, const tsl_lab_exercise *e,
                            int language)
{
    bool inside = false;
    bool has_own = false; /* lines of the skeleton alone, in this region */
    *out = (tsl_lab_buffer){.data = NULL};
    tsl_lab_buffer_print(out, "%s %s %s\n", e->kind == TSL_LAB_TO_PREDICT ? "#" : "//", e->id,
                         e->words[language].title);
    for (const char *line = e->solution; *line != '\0';) {
        const char *end = line_end(line);
        const int length = (int)(end - line);
        size_t indent;
        const enum mark mark = mark_of(line, (size_t)length, &indent);
        if (mark == OPENS) {
            inside = true;
            has_own = false;
        } else if (mark == CLOSES) {
            if (!has_own) {
                tsl_lab_buffer_print(out, "%*s// %s\n", (int)indent, "",
                                     tsl_lab_message(TSL_LAB_SAY_WRITE_HERE, language));
            }
            inside = false;
        } else if (mark == OF_SKELETON) {
            const char *at = line + indent + 3;
            at += *at == ' ';
            has_own = true;
            tsl_lab_buffer_print(out, "%*s%.*s\n", at < end ? (int)indent : 0, "", (int)(end - at),
                                 at);
        } else if (!inside && e->kind == TSL_LAB_TO_PREDICT) {
            print_prediction(out, line, length);
        } else if (!inside) {
            tsl_lab_buffer_print(out, "%.*s\n", length, line);
        }
        line = *end == '\n' ? end + 1 : end;
    }
    return finish(out, context);
}

/* ---- wrong answers --------------------------------------------------------------------------- */

static void trim(const char **line, size_t *length)
{
    while (*length > 0 && isspace((unsigned char)**line)) {
        (*line)++;
        (*length)--;
    }
    while (*length > 0 && isspace((unsigned char)(*line)[*length - 1])) {
        (*length)--;
    }
}

/* The first line at or after `from` that is `wanted` but for blanks around it; NULL: none. */
static const char *find_line(const char *from, const char *wanted, size_t length)
{
    trim(&wanted, &length);
    for (const char *line = from; *line != '\0';) {
        const char *end = line_end(line);
        const char *at = line;
        size_t n = (size_t)(end - line);
        trim(&at, &n);
        if (n == length && strncmp(at, wanted, n) == 0) {
            return line;
        }
        line = *end == '\n' ? end + 1 : end;
    }
    return NULL;
}

/* Lines of a change in their order: "-" and " " are looked for after the ones before, "+" is put
 * where the text has come to. */
tsl_status tsl_lab_wrong_answer(tsl_lab_buffer *out, tsl_context *context,
                                const tsl_lab_exercise *e, int which)
{
    tsl_lab_buffer solution;
    *out = (tsl_lab_buffer){.data = NULL};
    tsl_status status = tsl_lab_solution(&solution, context, e);
    const char *at = solution.data;
    for (const char *line = e->wrong[which].change; *line != '\0' && status == TSL_OK;) {
        const char *end = line_end(line);
        const size_t length = (size_t)(end - line);
        if (*line == '+') {
            tsl_lab_buffer_print(out, "%.*s\n", (int)length - 1, line + 1);
        } else if (*line == '-' || *line == ' ') {
            const char *found = find_line(at, line + 1, length - 1);
            if (found == NULL) {
                status = tsl_fail(context, TSL_E_FORMAT,
                                  "%s: wrong answer %d: the solution has no line `%.*s` there",
                                  e->path, which + 1, (int)length - 1, line + 1);
                break;
            }
            const char *rest = line_end(found);
            rest += *rest == '\n';
            tsl_lab_buffer_add(out, at, (size_t)((*line == '-' ? found : rest) - at));
            at = rest;
        }
        line = *end == '\n' ? end + 1 : end;
    }
    if (status == TSL_OK) {
        tsl_lab_buffer_add(out, at, strlen(at));
        status = finish(out, context);
    }
    tsl_lab_buffer_release(&solution);
    return status;
}

/* ---- files and predictions ------------------------------------------------------------------- */

void tsl_lab_answer_name(char *out, size_t bytes, const tsl_lab_exercise *e)
{
    snprintf(out, bytes, "%s-%s.%s", e->id, e->name, e->kind == TSL_LAB_TO_PREDICT ? "txt" : "cu");
}

bool tsl_lab_prediction(char *out, size_t bytes, const char *text, const char *name)
{
    const size_t length = strlen(name);
    for (const char *line = text; *line != '\0';) {
        const char *end = line_end(line);
        const char *at = line;
        size_t n = (size_t)(end - line);
        trim(&at, &n);
        const char *equals = memchr(at, '=', n);
        if (equals != NULL && n > length && strncmp(at, name, length) == 0) {
            const char *key = at;
            size_t key_length = (size_t)(equals - at);
            trim(&key, &key_length);
            if (key_length == length) {
                const char *value = equals + 1;
                size_t value_length = n - (size_t)(equals + 1 - at);
                trim(&value, &value_length);
                snprintf(out, bytes, "%.*s", (int)value_length, value);
                return true;
            }
        }
        line = *end == '\n' ? end + 1 : end;
    }
    return false;
}

tsl_status tsl_lab_write_text(tsl_context *context, const char *path, const char *text,
                              size_t length)
{
    tsl_output *output;
    const tsl_status status = tsl_output_open(&output, context, path);
    if (status != TSL_OK) {
        return status;
    }
    fwrite(text, 1, length, tsl_output_stream(output));
    return tsl_output_commit(output);
}
