/* Reads the file of an exercise. It is cut into its parts in place. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/file/text.h"
#include "lab/course/course.h"

enum { MOST_BYTES = 1 << 18 };

const char *const tsl_lab_language_names[TSL_LAB_LANGUAGES + 1] = {"es", "en", NULL};
const char *const tsl_lab_kind_names[] = {"write", "repair", "predict", NULL};

typedef struct reader {
    tsl_context *context;
    const char *path;
    char *next;
    int line;
    tsl_lab_exercise *exercise; /* NULL: a module's file */
    tsl_lab_words *words;       /* of both languages */
    int language;               /* of the section; -1: none yet */
} reader;

static tsl_status fail(const reader *r, const char *what)
{
    return tsl_fail(r->context, TSL_E_FORMAT, "%s:%d: %s", r->path, r->line, what);
}

/* The next line, ended by a 0; NULL after the last. */
static char *next_line(reader *r)
{
    if (*r->next == '\0') {
        return NULL;
    }
    char *line = r->next;
    char *end = strchr(line, '\n');
    r->next = end != NULL ? end + 1 : line + strlen(line);
    if (end != NULL) {
        *end = '\0';
    }
    r->line++;
    return line;
}

/* Lines stay lines of the part that they belong to. */
static void keep_line(const reader *r, char *line)
{
    char *end = line + strlen(line);
    if (end < r->next) {
        *end = '\n';
    }
}

static char *trimmed(char *text)
{
    text += strspn(text, " \t");
    size_t length = strlen(text);
    while (length > 0 && isspace((unsigned char)text[length - 1])) {
        text[--length] = '\0';
    }
    return text;
}

/* ---- fields --------------------------------------------------------------------------------- */

static tsl_status add(const reader *r, const char **list, int *count, int most, const char *value)
{
    if (*count == most) {
        return fail(r, "more of these than an exercise may have");
    }
    list[(*count)++] = value;
    return TSL_OK;
}

static tsl_status set_id(const reader *r, tsl_lab_exercise *e, const char *value)
{
    int end = 0;
    if (sscanf(value, "%d.%d%n", &e->module, &e->number, &end) < 2 || value[end] != '\0' ||
        strlen(value) >= sizeof e->id || e->module < 0 || e->number < 1) {
        return fail(r, "id: give a module and a number: 3.2");
    }
    strcpy(e->id, value);
    return TSL_OK;
}

static tsl_status set_sizes(const reader *r, tsl_lab_exercise *e, char *value)
{
    tsl_status status = TSL_OK;
    for (char *word = strtok(value, " "); word != NULL && status == TSL_OK;
         word = strtok(NULL, " ")) {
        status = add(r, e->sizes, &e->size_count, TSL_LAB_MOST_SIZES, word);
    }
    return status;
}

static tsl_status set_speed(const reader *r, tsl_lab_exercise *e, char *value)
{
    const char *bytes;
    int end = 0;
    e->speed.size = strtok(value, " ");
    e->speed.against = strtok(NULL, " ");
    bytes = strtok(NULL, " ");
    if (bytes == NULL || sscanf(bytes, "%d%n", &e->speed.bytes, &end) < 1 || bytes[end] != '\0' ||
        e->speed.bytes < 1 ||
        (strcmp(e->speed.against, "copy") != 0 && strcmp(e->speed.against, "read") != 0)) {
        return fail(r,
                    "speed: give a size, copy or read, and bytes of an element: 4096x8192 copy 8");
    }
    return TSL_OK;
}

static tsl_status set_kind(const reader *r, tsl_lab_exercise *e, const char *value)
{
    for (int i = 0; tsl_lab_kind_names[i] != NULL; i++) {
        if (strcmp(value, tsl_lab_kind_names[i]) == 0) {
            e->kind = (enum tsl_lab_kind)i;
            return TSL_OK;
        }
    }
    return fail(r, "kind: write, repair or predict");
}

static tsl_status set_field(const reader *r, char *line)
{
    tsl_lab_exercise *e = r->exercise;
    char *colon = strchr(line, ':');
    if (colon == NULL) {
        return fail(r, "a field is `name: value`");
    }
    *colon = '\0';
    const char *name = trimmed(line);
    char *value = trimmed(colon + 1);
    const struct {
        const char *name;
        const char **to;
    } plain[] = {{"name", &e->name},       {"covers", &e->covers},    {"device", &e->device},
                 {"kernels", &e->kernels}, {"require", &e->required}, {"forbid", &e->forbidden}};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
        if (strcmp(name, plain[i].name) == 0) {
            *plain[i].to = value;
            return TSL_OK;
        }
    }
    if (strcmp(name, "id") == 0) {
        return set_id(r, e, value);
    }
    if (strcmp(name, "kind") == 0) {
        return set_kind(r, e, value);
    }
    if (strcmp(name, "sizes") == 0) {
        return set_sizes(r, e, value);
    }
    if (strcmp(name, "speed") == 0) {
        return set_speed(r, e, value);
    }
    if (strcmp(name, "limit") == 0) {
        return add(r, e->limits, &e->limit_count, TSL_LAB_MOST_LIMITS, value);
    }
    if (strcmp(name, "answer") == 0) {
        return add(r, e->answers, &e->answer_count, TSL_LAB_MOST_ANSWERS, value);
    }
    if (strcmp(name, "output") == 0) {
        return add(r, e->outputs, &e->output_count, TSL_LAB_MOST_OUTPUTS, value);
    }
    if (strcmp(name, "figure") == 0) {
        return add(r, e->figures, &e->figure_count, TSL_LAB_MOST_FIGURES, value);
    }
    return fail(r, "no field has that name");
}

static tsl_status read_fields(reader *r)
{
    char *line;
    while ((line = next_line(r)) != NULL) {
        if (strcmp(trimmed(line), "```") == 0) {
            return TSL_OK;
        }
        const tsl_status status = set_field(r, line);
        if (status != TSL_OK) {
            return status;
        }
    }
    return fail(r, "the fields' block has no end");
}

/* ---- blocks of code -------------------------------------------------------------------------- */

/* Take lines up to the fence's end as one part. */
static tsl_status read_block(reader *r, const char **out)
{
    char *line;
    *out = r->next;
    while ((line = next_line(r)) != NULL) {
        if (strcmp(line, "```") == 0) {
            *line = '\0'; /* ends the part before it */
            return TSL_OK;
        }
        keep_line(r, line);
    }
    return fail(r, "a block of code has no end");
}

static tsl_status read_wrong(reader *r, char *reason)
{
    tsl_lab_exercise *e = r->exercise;
    if (e->wrong_count == TSL_LAB_MOST_WRONG) {
        return fail(r, "more wrong answers than an exercise may have");
    }
    tsl_lab_wrong *wrong = &e->wrong[e->wrong_count++];
    wrong->reason = trimmed(reason);
    return read_block(r, &wrong->change);
}

/* A fence that begins a part of the exercise; *known: it does. Others are code in a text. */
static tsl_status read_part(reader *r, char *line, bool *known)
{
    tsl_lab_exercise *e = r->exercise;
    const struct {
        const char *fence;
        const char **to;
    } parts[] = {{"```cuda solution", &e->solution},
                 {"```text solution", &e->solution},
                 {"```cuda act", &e->act},
                 {"```cpp judge", &e->judge},
                 {"```cuda program", &e->program}};
    *known = true;
    if (strcmp(line, "```exercise") == 0) {
        return read_fields(r);
    }
    if (strncmp(line, "```diff ", 8) == 0) {
        char *reason = line + 8;
        line[0] = '\0';
        return read_wrong(r, reason);
    }
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (strcmp(line, parts[i].fence) == 0) {
            line[0] = '\0';
            return read_block(r, parts[i].to);
        }
    }
    *known = false;
    return TSL_OK;
}

/* ---- texts ---------------------------------------------------------------------------------- */

/* A heading: "## es: Title", "### Pista", "### Hint", "### Explicación", "### Explanation". */
static tsl_status read_heading(reader *r, char *line, bool *known)
{
    *known = true;
    for (int i = 0; i < TSL_LAB_LANGUAGES; i++) {
        if (strncmp(line, "## ", 3) == 0 && strncmp(line + 3, tsl_lab_language_names[i], 2) == 0 &&
            line[5] == ':') {
            r->language = i;
            r->words[i].title = trimmed(line + 6);
            r->words[i].task = r->next;
            line[0] = '\0';
            return TSL_OK;
        }
    }
    tsl_lab_words *words = r->language >= 0 ? &r->words[r->language] : NULL;
    const bool hint = strcmp(line, "### Pista") == 0 || strcmp(line, "### Hint") == 0;
    const bool after = strcmp(line, "### Explicación") == 0 || strcmp(line, "### Explanation") == 0;
    if ((hint || after) && words == NULL) {
        return fail(r, "this heading stands before `## es:` or `## en:`");
    }
    if (hint) {
        line[0] = '\0';
        return add(r, words->hints, &words->hint_count, TSL_LAB_MOST_HINTS, r->next);
    }
    if (after) {
        line[0] = '\0';
        words->after = r->next;
        return TSL_OK;
    }
    *known = false;
    return TSL_OK;
}

static tsl_status read_lines(reader *r)
{
    char *line;
    bool in_code = false; /* of a text */
    while ((line = next_line(r)) != NULL) {
        bool known = false;
        tsl_status status = TSL_OK;
        const bool fence = strncmp(line, "```", 3) == 0;
        if (fence && !in_code && r->exercise != NULL) {
            status = read_part(r, line, &known);
        } else if (!in_code && line[0] == '#') {
            status = read_heading(r, line, &known);
        }
        if (status != TSL_OK) {
            return status;
        }
        if (!known) {
            in_code = fence ? !in_code : in_code;
            keep_line(r, line);
        }
    }
    return TSL_OK;
}

static tsl_status check_words(const reader *r, bool exercise)
{
    for (int i = 0; i < TSL_LAB_LANGUAGES; i++) {
        const tsl_lab_words *w = &r->words[i];
        if (w->title == NULL || (exercise && (w->hint_count == 0 || w->after == NULL))) {
            return tsl_fail(
                r->context, TSL_E_FORMAT,
                "%s: the text in '%s' lacks its title%s: write `## %s: …`%s", r->path,
                tsl_lab_language_names[i], exercise ? ", a hint or the explanation" : "",
                tsl_lab_language_names[i], exercise ? ", `### Hint` and `### Explanation`" : "");
        }
    }
    return r->words[0].hint_count == r->words[1].hint_count
               ? TSL_OK
               : tsl_fail(r->context, TSL_E_FORMAT, "%s: %d hints in Spanish, %d in English",
                          r->path, r->words[0].hint_count, r->words[1].hint_count);
}

static tsl_status check_exercise(const reader *r, const tsl_lab_exercise *e)
{
    const char *lacks = e->id[0] == '\0'      ? "id"
                        : e->name == NULL     ? "name"
                        : e->solution == NULL ? "solution"
                        : e->covers == NULL   ? "covers"
                        : e->kind != TSL_LAB_TO_PREDICT && (e->act == NULL || e->judge == NULL)
                            ? "act or judge"
                        : e->kind != TSL_LAB_TO_PREDICT && e->size_count == 0   ? "sizes"
                        : e->kind != TSL_LAB_TO_PREDICT && e->output_count == 0 ? "output"
                        : e->answer_count > 0 && e->program == NULL             ? "program"
                                                                                : NULL;
    if (lacks != NULL) {
        return tsl_fail(r->context, TSL_E_FORMAT, "%s: the exercise has no %s", r->path, lacks);
    }
    return check_words(r, true);
}

tsl_status tsl_lab_exercise_read(tsl_lab_exercise *out, tsl_context *context, const char *path)
{
    reader r = {
        .context = context, .path = path, .exercise = out, .words = out->words, .language = -1};
    out->device = "9.0";
    out->kernels = out->required = out->forbidden = "";
    tsl_status status = tsl_text_read_string(&out->text, context, path, MOST_BYTES);
    if (status == TSL_OK) {
        out->path = tsl_duplicate_string(path);
        status = out->path != NULL ? TSL_OK : tsl_fail_memory(context, PATH_MAX, "a name");
    }
    if (status == TSL_OK) {
        r.next = out->text;
        status = read_lines(&r);
    }
    return status == TSL_OK ? check_exercise(&r, out) : status;
}

tsl_status tsl_lab_module_read(tsl_lab_module *out, tsl_context *context, const char *path)
{
    reader r = {.context = context, .path = path, .words = out->words, .language = -1};
    tsl_status status = tsl_text_read_string(&out->text, context, path, MOST_BYTES);
    if (status == TSL_OK) {
        r.next = out->text;
        status = read_lines(&r);
    }
    return status == TSL_OK ? check_words(&r, false) : status;
}
