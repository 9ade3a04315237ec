/* `tesela lab check`: grade answers. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/lab/course_command.h"
#include "io/file/text.h"

static bool has(const char *line, size_t length, const char *what)
{
    return memmem(line, length, what, strlen(what)) != NULL;
}

/* Print a line of a compiler that names a place. Returns whether the lines that belong to it are
 * shown too. Of our own files there are errors alone, without code that the learner has not seen;
 * the names of our temporary files are the answer's. */
static bool print_place(const course_work *work, const tsl_lab_verdict *v, const char *line,
                        size_t length)
{
    const char *link = memmem(line, length, "/answer.cu", 10);
    const char *error = memmem(line, length, "error: ", 7);
    if (link != NULL && strncmp(line, v->folder, strlen(v->folder)) == 0) {
        const char *rest = link + strlen("/answer.cu");
        fprintf(stderr, "%s%.*s\n", v->file, (int)(line + length - rest), rest);
        return true;
    }
    if (error != NULL && (has(line, length, "check.cu:") || has(line, length, "card.cu"))) {
        error += strlen("error: ");
        fprintf(stderr, course_say(work, TSL_LAB_SAY_CALLER), (int)(line + length - error), error);
        fprintf(stderr, "\n");
        return false;
    }
    if (error != NULL || strncmp(line, v->file, strlen(v->file)) == 0) {
        fprintf(stderr, "%.*s\n", (int)length, line);
        return true;
    }
    return false;
}

/* Print a compiler's own lines. */
static void print_messages(const course_work *work, const tsl_lab_verdict *v)
{
    tsl_text text;
    bool shown = true;
    if (v->messages[0] == '\0' ||
        tsl_text_read(&text, work->context, v->messages, 1 << 16) != TSL_OK) {
        return;
    }
    tsl_lines lines = tsl_lines_of(text.data, text.size);
    const char *line;
    size_t length;
    while (tsl_lines_next(&lines, &line, &length)) {
        if (length > 0 && (line[0] == '/' || strncmp(line, "In file", 7) == 0)) {
            shown = print_place(work, v, line, length);
        } else if (shown && !has(line, length, "check.cu")) {
            fprintf(stderr, "%.*s\n", (int)length, line);
        }
    }
    tsl_text_release(&text);
}

/* Print the line of the answer that a finding is about. */
static void print_line(const course_work *work, const char *file, int number)
{
    tsl_text text;
    if (number <= 0 || tsl_text_read(&text, work->context, file, 1 << 20) != TSL_OK) {
        return;
    }
    tsl_lines lines = tsl_lines_of(text.data, text.size);
    const char *line;
    size_t length;
    while (tsl_lines_next(&lines, &line, &length)) {
        if (lines.number == number) {
            tsl_trim(&line, &length);
            printf("      | %.*s\n", (int)length, line);
        }
    }
    tsl_text_release(&text);
}

/* Print that results on the card are the same, and how fast the answer was there. */
static void print_card(const course_work *work, const tsl_lab_verdict *verdict)
{
    const tsl_lab_speed *s = &verdict->speed;
    printf("  ");
    printf(course_say(work, TSL_LAB_SAY_CARD_SAME), work->card.name);
    printf("\n");
    if (s->told && s->steady) {
        printf("  ");
        printf(course_say(work, strcmp(s->against, "read") == 0 ? TSL_LAB_SAY_SPEED_READ
                                                                : TSL_LAB_SAY_SPEED_COPY),
               100 * s->share, s->rate / 1e9, 100 * s->least, 100 * s->most, TSL_LAB_TIMED_RUNS);
        printf("\n");
    } else if (s->told) {
        printf("  %s\n", course_say(work, TSL_LAB_SAY_SPEED_UNSTEADY));
    }
}

void course_print_verdict(const course_work *work, const tsl_lab_exercise *e,
                          const tsl_lab_verdict *verdict)
{
    char done[96] = "";
    print_messages(work, verdict);
    if (e->kind != TSL_LAB_TO_PREDICT && verdict->passed) {
        snprintf(done, sizeof done, course_say(work, TSL_LAB_SAY_SIZES_AND_ORDERS), e->size_count,
                 verdict->session.runs);
    }
    printf("%s %s %s: %s%s%s%s  (%.1f s)\n", verdict->passed ? "✔" : "✘", e->id,
           e->words[work->language].title,
           course_say(work, verdict->passed ? TSL_LAB_SAY_PASSED : TSL_LAB_SAY_NOT_YET),
           done[0] != '\0' ? " (" : "", done, done[0] != '\0' ? ")" : "", verdict->seconds);
    for (int i = 0; i < verdict->finding_count; i++) {
        const tsl_lab_finding *f = &verdict->findings[i];
        printf("  ✘ ");
        if (f->line > 0) {
            printf(course_say(work, TSL_LAB_SAY_LINE), f->line, f->text);
        } else {
            printf("%s", f->text);
        }
        printf("\n");
        print_line(work, verdict->file, f->line);
    }
    if (verdict->on_card && verdict->passed) {
        print_card(work, verdict);
    }
    fflush(stdout);
}

tsl_status course_check_answer(course_work *work, int at, const char *path, bool *passed)
{
    const tsl_lab_exercise *e = &work->course.exercises[at];
    tsl_lab_grade_options options;
    tsl_lab_verdict verdict;
    course_grade_options(&options, work);
    tsl_status status = tsl_lab_grade(&verdict, work->context, e, path, &options);
    *passed = status == TSL_OK && verdict.passed;
    if (status == TSL_OK) {
        course_print_verdict(work, e, &verdict);
        if (!verdict.passed && work->state.hints[at] < e->words[work->language].hint_count) {
            printf("  ");
            printf(course_say(work, TSL_LAB_SAY_HELD_BACK), e->id);
            printf("\n");
        }
        const bool changed = verdict.passed && !work->state.passed[at];
        work->state.passed[at] = work->state.passed[at] || verdict.passed;
        if (verdict.passed && !work->options.all) {
            printf("\n");
            course_print_text(stdout, e->words[work->language].after);
        }
        status = changed ? course_save(work) : TSL_OK;
    }
    tsl_lab_verdict_release(&verdict);
    return status;
}

tsl_status course_grade_text(tsl_lab_verdict *out, course_work *work, const tsl_lab_exercise *e,
                             const tsl_lab_buffer *text)
{
    char folder[PATH_MAX - 64];
    char name[160];
    char path[PATH_MAX + 160];
    tsl_lab_grade_options options;
    course_grade_options(&options, work);
    options.output = "/dev/null";
    *out = (tsl_lab_verdict){.passed = false};
    tsl_status status = tsl_lab_make_temporary(folder, work->context, getenv("TMPDIR"));
    if (status != TSL_OK) {
        return status;
    }
    tsl_lab_answer_name(name, sizeof name, e);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    status = tsl_lab_write_text(work->context, path, text->data, text->length);
    if (status == TSL_OK) {
        status = tsl_lab_grade(out, work->context, e, path, &options);
    }
    unlink(path);
    rmdir(folder);
    return status;
}

/* ---- the command ----------------------------------------------------------------------------- */

typedef struct check_result {
    const tsl_lab_exercise *exercise;
    bool passed;
    double seconds;
    bool on_card;
    tsl_lab_speed speed;
    tsl_lab_finding findings[TSL_LAB_MOST_FINDINGS];
    int finding_count;
} check_result;

typedef struct check_report {
    const course_work *work;
    check_result *results;
    int count;
    int passed;
} check_report;

static void write_body(tsl_json *json, const void *user)
{
    const check_report *report = user;
    tsl_json_open_object(json, "parameters");
    tsl_json_bool(json, "solutions", report->work->options.solutions);
    tsl_json_string(json, "language", tsl_lab_language_names[report->work->language]);
    tsl_json_close_object(json);
    tsl_json_open_object(json, "results");
    tsl_json_integer(json, "passed", report->passed);
    tsl_json_open_array(json, "exercises");
    for (int i = 0; i < report->count; i++) {
        const check_result *r = &report->results[i];
        tsl_json_open_object(json, NULL);
        tsl_json_string(json, "id", r->exercise->id);
        tsl_json_string(json, "name", r->exercise->name);
        tsl_json_bool(json, "passed", r->passed);
        tsl_json_number(json, "seconds", r->seconds);
        tsl_json_bool(json, "on_card", r->on_card);
        tsl_json_known_number(json, "speed_share", r->speed.share,
                              r->speed.told && r->speed.steady);
        tsl_json_known_number(json, "card_rate", r->speed.rate, r->speed.told && r->speed.steady);
        tsl_json_open_array(json, "findings");
        for (int k = 0; k < r->finding_count; k++) {
            tsl_json_open_object(json, NULL);
            tsl_json_string(json, "reason", r->findings[k].reason);
            tsl_json_known_integer(json, "line", r->findings[k].line, r->findings[k].line > 0);
            tsl_json_string(json, "text", r->findings[k].text);
            tsl_json_close_object(json);
        }
        tsl_json_close_array(json);
        tsl_json_close_object(json);
    }
    tsl_json_close_array(json);
    tsl_json_close_object(json);
}

/* The argument that names exercise `at`; NULL: none does. */
static const char *name_of(const course_work *work, int at)
{
    for (int i = 0; i < work->options.name_count; i++) {
        if (tsl_lab_course_find(&work->course, work->options.names[i]) == at) {
            return work->options.names[i];
        }
    }
    return NULL;
}

/* The answer to grade: the file that an argument names, else the one in the folder. */
static void find_answer(char path[PATH_MAX], const course_work *work, int at)
{
    const char *name = name_of(work, at);
    if (name != NULL && access(name, R_OK) == 0) {
        snprintf(path, PATH_MAX, "%s", name);
    } else {
        tsl_lab_answer_path(path, &work->state, &work->course.exercises[at]);
    }
}

static tsl_status check_one(course_work *work, int at, check_report *report)
{
    char path[PATH_MAX];
    const tsl_lab_exercise *e = &work->course.exercises[at];
    tsl_lab_buffer text = {.data = NULL};
    tsl_lab_verdict verdict = {.passed = false};
    tsl_lab_grade_options options;
    check_result *r;
    tsl_status status;
    if (work->options.solutions) {
        TSL_TRY(tsl_lab_solution(&text, work->context, e));
        TSL_TRY(course_grade_text(&verdict, work, e, &text));
    } else {
        course_grade_options(&options, work);
        options.output = work->options.common.json != NULL ? "/dev/stderr" : NULL;
        find_answer(path, work, at);
        TSL_TRY(tsl_lab_grade(&verdict, work->context, e, path, &options));
        work->state.passed[at] = work->state.passed[at] || verdict.passed;
        TSL_TRY(course_save(work));
    }
    r = &report->results[report->count++];
    r->exercise = e;
    r->passed = verdict.passed;
    r->seconds = verdict.seconds;
    r->on_card = verdict.on_card;
    r->speed = verdict.speed;
    r->finding_count = verdict.finding_count;
    memcpy(r->findings, verdict.findings, sizeof r->findings);
    report->passed += verdict.passed;
    if (!cli_is_quiet() && cli_report_file(work->options.common.json) != NULL &&
        strcmp(work->options.common.json, "-") == 0) {
        goto done; /* standard output is the report's */
    }
    course_print_verdict(work, e, &verdict);
done:
    tsl_lab_verdict_release(&verdict);
    tsl_lab_buffer_release(&text);
    return status;
}

static tsl_status check_many(course_work *work, check_report *report)
{
    tsl_status status = TSL_OK;
    report->results = tsl_allocate_zeroed((size_t)work->course.count, sizeof *report->results);
    if (report->results == NULL) {
        return tsl_fail_memory(work->context, work->course.count * (int64_t)sizeof(check_result),
                               "results");
    }
    for (int at = 0; at < work->course.count && status == TSL_OK; at++) {
        status =
            work->options.all || name_of(work, at) != NULL ? check_one(work, at, report) : TSL_OK;
    }
    if (status == TSL_OK && report->count > 1 && !cli_is_quiet() &&
        (work->options.common.json == NULL || strcmp(work->options.common.json, "-") != 0)) {
        printf(course_say(work, TSL_LAB_SAY_DONE_OF), report->passed, report->count);
        printf("\n");
    }
    if (status == TSL_OK && work->options.common.json != NULL) {
        const cli_report envelope = {
            .command = "lab check",
            .device = work->card.nvcc[0] != '\0' ? work->options.common.device : NULL,
            .verified = report->passed == report->count,
            .total = tsl_seconds() - work->begun,
            .compute = tsl_seconds() - work->begun};
        status = cli_report_write(work->context, work->options.common.json, &envelope, write_body,
                                  report);
    }
    return status;
}

/* Check one answer, and say what to do next. */
static tsl_status check_current(course_work *work, int at, bool *passed)
{
    char path[PATH_MAX];
    find_answer(path, work, at);
    work->state.current = at;
    tsl_status status = course_save(work);
    if (status == TSL_OK) {
        status = course_check_answer(work, at, path, passed);
    }
    const int next = tsl_lab_state_next(&work->state, &work->course, at + 1);
    if (status == TSL_OK && *passed && next >= 0) {
        const tsl_lab_exercise *n = &work->course.exercises[next];
        printf("\n");
        printf(course_say(work, TSL_LAB_SAY_NEXT), n->id, n->words[work->language].title);
        printf("\n");
    } else if (status == TSL_OK && *passed) {
        printf("\n%s\n", course_say(work, TSL_LAB_SAY_ALL_DONE));
    }
    return status;
}

static bool are_known(const course_work *work)
{
    for (int i = 0; i < work->options.name_count; i++) {
        if (tsl_lab_course_find(&work->course, work->options.names[i]) < 0) {
            cli_error("%s: there is no such exercise: tesela lab list shows all",
                      work->options.names[i]);
            return false;
        }
    }
    return true;
}

/* Does --device name a card, or leave it out? *number is the card's; -1: it names none. False, with
 * a message, for other devices. */
static bool is_device_known(const course_work *work, int *number)
{
    const char *device = work->options.common.device;
    if (!lab_card_number(device, number)) {
        return false;
    }
    if (*number < 0 && strcmp(device, "auto") != 0 && strcmp(device, "sim") != 0) {
        cli_error("--device %s: give cuda:N, or leave it out to grade without a card", device);
        return false;
    }
    return true;
}

static tsl_status find_card(course_work *work, int number)
{
    tsl_lab_grade_options options;
    tsl_lab_build folder = {.folder = ""};
    course_grade_options(&options, work);
    tsl_status status = tsl_lab_make_temporary(folder.folder, work->context, getenv("TMPDIR"));
    if (status == TSL_OK) {
        status = tsl_lab_card_find(&work->card, work->context, &folder, number, options.stop,
                                   "leave --device out to grade without a card");
        tsl_lab_build_release(&folder, false);
    }
    if (status == TSL_OK) {
        cli_note("on the card answers are not kept from files, processes and the network");
    }
    return status;
}

int lab_check_command(const cli_command *self, int argc, char **argv)
{
    course_work work;
    int exit_status;
    bool passed = false;
    int card;
    if (!course_open(&work, self, argc, argv, true, &exit_status)) {
        return exit_status;
    }
    cli_defer_signals(true);
    const course_options *o = &work.options;
    if (!are_known(&work) || !is_device_known(&work, &card)) {
        return course_close(&work, TSL_OK, CLI_USAGE);
    }
    tsl_status status = card >= 0 ? find_card(&work, card) : TSL_OK;
    if (status != TSL_OK) {
        return course_close(&work, status, CLI_DONE);
    }
    if (o->all || o->name_count > 1 || o->common.json != NULL || o->solutions) {
        check_report report = {.work = &work};
        if (!o->all && o->name_count == 0) {
            cli_error("lab check: name the exercises, or give --all");
            return course_close(&work, TSL_OK, CLI_USAGE);
        }
        status = check_many(&work, &report);
        passed = report.passed == report.count;
        tsl_release(report.results);
    } else {
        status = check_current(&work, course_chosen(&work), &passed);
    }
    return course_close(&work, status, passed ? CLI_DONE : CLI_CHECK_FAILED);
}
