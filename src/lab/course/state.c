/* How far a learner is. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/file/output.h"
#include "io/file/text.h"
#include "lab/course/state.h"

static void state_path(char out[PATH_MAX], const tsl_lab_state *state)
{
    snprintf(out, PATH_MAX, "%s/.tesela-lab", state->folder);
}

static void take_line(tsl_lab_state *s, const tsl_lab_course *course, const char *line)
{
    char word[16];
    char value[16];
    int count = 0;
    if (sscanf(line, "%15s %15s %d", word, value, &count) < 2) {
        return;
    }
    for (int i = 0; i < TSL_LAB_LANGUAGES; i++) {
        if (strcmp(word, "language") == 0 && strcmp(value, tsl_lab_language_names[i]) == 0) {
            s->language = i;
        }
    }
    const int at = tsl_lab_course_find(course, value);
    if (at < 0) {
        return;
    }
    if (strcmp(word, "passed") == 0) {
        s->passed[at] = true;
    } else if (strcmp(word, "current") == 0) {
        s->current = at;
    } else if (strcmp(word, "hints") == 0) {
        s->hints[at] = count;
    }
}

tsl_status tsl_lab_state_read(tsl_lab_state *out, tsl_context *context,
                              const tsl_lab_course *course, const char *folder)
{
    char path[PATH_MAX];
    tsl_text text;
    *out = (tsl_lab_state){.language = -1, .current = -1};
    if (strlen(folder) >= sizeof out->folder) {
        return tsl_fail(context, TSL_E_ARG, "%.40s…: the folder's name is too long", folder);
    }
    strcpy(out->folder, folder);
    state_path(path, out);
    if (access(path, F_OK) != 0) {
        return TSL_OK;
    }
    const tsl_status status = tsl_text_read(&text, context, path, 1 << 20);
    if (status != TSL_OK) {
        return status;
    }
    tsl_lines lines = tsl_lines_of(text.data, text.size);
    const char *line;
    size_t length;
    while (tsl_lines_next(&lines, &line, &length)) {
        char copy[80];
        snprintf(copy, sizeof copy, "%.*s", (int)length, line);
        take_line(out, course, copy);
    }
    tsl_text_release(&text);
    return TSL_OK;
}

tsl_status tsl_lab_state_write(const tsl_lab_state *state, tsl_context *context,
                               const tsl_lab_course *course)
{
    char path[PATH_MAX];
    tsl_lab_buffer text = {.data = NULL};
    state_path(path, state);
    if (state->language >= 0) {
        tsl_lab_buffer_print(&text, "language %s\n", tsl_lab_language_names[state->language]);
    }
    if (state->current >= 0) {
        tsl_lab_buffer_print(&text, "current %s\n", course->exercises[state->current].id);
    }
    for (int i = 0; i < course->count; i++) {
        if (state->passed[i]) {
            tsl_lab_buffer_print(&text, "passed %s\n", course->exercises[i].id);
        }
        if (state->hints[i] > 0) {
            tsl_lab_buffer_print(&text, "hints %s %d\n", course->exercises[i].id, state->hints[i]);
        }
    }
    tsl_lab_buffer_add(&text, "", 0);
    const tsl_status status = text.failed
                                  ? tsl_fail_memory(context, 4096, "the state")
                                  : tsl_lab_write_text(context, path, text.data, text.length);
    tsl_lab_buffer_release(&text);
    return status;
}

int tsl_lab_state_next(const tsl_lab_state *state, const tsl_lab_course *course, int from)
{
    for (int k = 0; k < course->count; k++) {
        const int i = (from + k) % course->count;
        if (!state->passed[i]) {
            return i;
        }
    }
    return -1;
}

int tsl_lab_state_passed(const tsl_lab_state *state, const tsl_lab_course *course, int module)
{
    int passed = 0;
    for (int i = 0; i < course->count; i++) {
        passed += state->passed[i] && (module < 0 || course->exercises[i].module == module);
    }
    return passed;
}

void tsl_lab_answer_path(char out[PATH_MAX], const tsl_lab_state *state, const tsl_lab_exercise *e)
{
    char name[160];
    tsl_lab_answer_name(name, sizeof name, e);
    snprintf(out, PATH_MAX, "%s/%s", state->folder, name);
}

tsl_status tsl_lab_set_up(int *made, tsl_context *context, const tsl_lab_state *state,
                          const tsl_lab_course *course, int language)
{
    tsl_status status = tsl_make_folder(context, state->folder);
    *made = 0;
    for (int i = 0; i < course->count && status == TSL_OK; i++) {
        char path[PATH_MAX];
        tsl_lab_buffer text;
        tsl_lab_answer_path(path, state, &course->exercises[i]);
        if (access(path, F_OK) == 0) {
            continue;
        }
        status = tsl_lab_skeleton(&text, context, &course->exercises[i], language);
        if (status == TSL_OK) {
            status = tsl_lab_write_text(context, path, text.data, text.length);
        }
        tsl_lab_buffer_release(&text);
        (*made)++;
    }
    return status;
}
