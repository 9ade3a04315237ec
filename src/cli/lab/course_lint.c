/* `tesela lab lint`: checks the course itself. */
#include <stdlib.h>
#include <string.h>

#include "cli/lab/course_command.h"

enum { LEAST_WRONG = 2 };

static void print_findings(const tsl_lab_verdict *v)
{
    for (int i = 0; i < v->finding_count; i++) {
        printf("    %s, line %d: %s\n", v->findings[i].reason, v->findings[i].line,
               v->findings[i].text);
    }
}

/* Grade one text. With `reason` NULL it must pass; with "" it must fail; else it must fail for that
 * reason. */
static tsl_status expect(course_work *work, const tsl_lab_exercise *e, const tsl_lab_buffer *text,
                         const char *what, const char *reason, int *faults)
{
    tsl_lab_verdict v;
    const tsl_status status = course_grade_text(&v, work, e, text);
    if (status == TSL_OK) {
        const bool fine = reason == NULL
                              ? v.passed
                              : !v.passed && (reason[0] == '\0' || tsl_lab_verdict_has(&v, reason));
        if (!fine) {
            (*faults)++;
            printf("%s: %s: %s%s\n", e->path, what,
                   reason == NULL ? "does not pass"
                   : v.passed     ? "passes"
                                  : "is not rejected for: ",
                   reason != NULL && !v.passed ? reason : "");
            print_findings(&v);
        } else {
            printf("%s %s: %s%s%s (%.1f s)\n", e->id, e->name, what,
                   reason == NULL ? " passes" : " is rejected: ",
                   reason == NULL ? "" : v.findings[0].reason, v.seconds);
        }
        fflush(stdout);
    }
    tsl_lab_verdict_release(&v);
    return status;
}

static tsl_status check_source(course_work *work, const tsl_lab_exercise *e, int *faults)
{
    tsl_lab_verdict v = {.passed = false};
    tsl_lab_grade_options options;
    course_grade_options(&options, work);
    const tsl_status status = tsl_lab_check_predictions(&v, work->context, e, &options);
    for (int i = 0; i < v.finding_count; i++) {
        printf("%s: %s\n", e->path, v.findings[i].text);
    }
    *faults += v.finding_count;
    tsl_lab_verdict_release(&v);
    return status;
}

static tsl_status lint(course_work *work, const tsl_lab_exercise *e, int *faults)
{
    tsl_lab_buffer text = {.data = NULL};
    tsl_status status;
    if (e->wrong_count < LEAST_WRONG) {
        printf("%s: %d wrong answers: give at least %d\n", e->path, e->wrong_count, LEAST_WRONG);
        (*faults)++;
    }
    TSL_TRY(tsl_lab_solution(&text, work->context, e));
    TSL_TRY(expect(work, e, &text, "solution", NULL, faults));
    tsl_lab_buffer_release(&text);
    TSL_TRY(check_source(work, e, faults));
    TSL_TRY(tsl_lab_skeleton(&text, work->context, e, work->language));
    TSL_TRY(expect(work, e, &text, "skeleton", "", faults));
    for (int i = 0; i < e->wrong_count; i++) {
        char what[32];
        snprintf(what, sizeof what, "wrong answer %d", i + 1);
        tsl_lab_buffer_release(&text);
        TSL_TRY(tsl_lab_wrong_answer(&text, work->context, e, i));
        TSL_TRY(expect(work, e, &text, what, e->wrong[i].reason, faults));
    }
done:
    tsl_lab_buffer_release(&text);
    return status;
}

/* Is an exercise in the part that is asked for? Exercises are dealt to N parts by their places, so
 * that parts are of one size. */
static bool is_asked(const course_work *work, int at)
{
    const course_options *o = &work->options;
    if (o->parts > 0 && at % o->parts != o->part - 1) {
        return false;
    }
    for (int i = 0; i < o->name_count; i++) {
        if (tsl_lab_course_find(&work->course, o->names[i]) == at) {
            return true;
        }
    }
    return o->name_count == 0;
}

int lab_lint_command(const cli_command *self, int argc, char **argv)
{
    course_work work;
    int exit_status;
    int faults = 0;
    int count = 0;
    tsl_status status = TSL_OK;
    if (!course_open(&work, self, argc, argv, false, &exit_status)) {
        return exit_status;
    }
    for (int i = 0; i < work.options.name_count; i++) {
        if (tsl_lab_course_find(&work.course, work.options.names[i]) < 0) {
            cli_error("%s: there is no such exercise", work.options.names[i]);
            return course_close(&work, TSL_OK, CLI_USAGE);
        }
    }
    cli_defer_signals(true);
    for (int at = 0; at < work.course.count && status == TSL_OK; at++) {
        if (is_asked(&work, at)) {
            status = lint(&work, &work.course.exercises[at], &faults);
            count++;
        }
    }
    if (status == TSL_OK) {
        printf("%d exercises, %d faults\n", count, faults);
    }
    return course_close(&work, status, faults == 0 ? CLI_DONE : CLI_CHECK_FAILED);
}
