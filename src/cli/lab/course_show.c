/* `tesela lab list`, `next`, `show`, `hint`, `solution` and `reset`. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/lab/course_command.h"

int lab_list_command(const cli_command *self, int argc, char **argv)
{
    course_work work;
    int exit_status;
    if (!course_open(&work, self, argc, argv, true, &exit_status)) {
        return exit_status;
    }
    course_print_list(&work);
    return course_close(&work, TSL_OK, CLI_DONE);
}

int lab_next_command(const cli_command *self, int argc, char **argv)
{
    course_work work;
    int exit_status;
    tsl_status status = TSL_OK;
    if (!course_open(&work, self, argc, argv, true, &exit_status)) {
        return exit_status;
    }
    const int next = tsl_lab_state_next(&work.state, &work.course,
                                        work.state.current >= 0 ? work.state.current + 1 : 0);
    if (next < 0) {
        printf("%s\n", course_say(&work, TSL_LAB_SAY_ALL_DONE));
    } else {
        work.state.current = next;
        status = course_save(&work);
        course_print_exercise(&work, next);
    }
    return course_close(&work, status, CLI_DONE);
}

int lab_show_command(const cli_command *self, int argc, char **argv)
{
    course_work work;
    int exit_status;
    tsl_status status = TSL_OK;
    if (!course_open(&work, self, argc, argv, true, &exit_status)) {
        return exit_status;
    }
    const int at = course_chosen(&work);
    if (at >= 0) {
        work.state.current = at;
        status = course_save(&work);
        course_print_exercise(&work, at);
    }
    return course_close(&work, status, at >= 0 ? CLI_DONE : CLI_USAGE);
}

int lab_hint_command(const cli_command *self, int argc, char **argv)
{
    course_work work;
    int exit_status;
    tsl_status status = TSL_OK;
    if (!course_open(&work, self, argc, argv, true, &exit_status)) {
        return exit_status;
    }
    const int at = course_chosen(&work);
    if (at >= 0) {
        const tsl_lab_exercise *e = &work.course.exercises[at];
        const bool more = work.state.hints[at] < e->words[work.language].hint_count;
        work.state.hints[at] += more;
        status = course_save(&work);
        course_print_hints(&work, at);
        if (!more) {
            printf(course_say(&work, TSL_LAB_SAY_NO_MORE_HINTS), e->id);
            printf("\n");
        }
    }
    return course_close(&work, status, at >= 0 ? CLI_DONE : CLI_USAGE);
}

int lab_solution_command(const cli_command *self, int argc, char **argv)
{
    course_work work;
    int exit_status;
    tsl_status status = TSL_OK;
    if (!course_open(&work, self, argc, argv, true, &exit_status)) {
        return exit_status;
    }
    const int at = course_chosen(&work);
    exit_status = at >= 0 ? CLI_DONE : CLI_USAGE;
    if (at >= 0) {
        const tsl_lab_exercise *e = &work.course.exercises[at];
        if (work.state.passed[at] || work.options.now ||
            work.state.hints[at] >= e->words[work.language].hint_count) {
            status = course_print_solution(&work, at);
        } else {
            printf(course_say(&work, TSL_LAB_SAY_SOLUTION_LATER), e->id);
            printf("\n");
            exit_status = CLI_CHECK_FAILED;
        }
    }
    return course_close(&work, status, exit_status);
}

/* Reset an answer. The old file is kept beside it with ".old" at its name's end, and a number where
 * that name is taken. */
static tsl_status reset(course_work *work, int at)
{
    char path[PATH_MAX];
    char kept[PATH_MAX + 16];
    tsl_lab_buffer text;
    const tsl_lab_exercise *e = &work->course.exercises[at];
    tsl_lab_answer_path(path, &work->state, e);
    snprintf(kept, sizeof kept, "%s.old", path);
    for (int i = 2; access(kept, F_OK) == 0; i++) {
        snprintf(kept, sizeof kept, "%s.old%d", path, i);
    }
    tsl_status status = tsl_lab_skeleton(&text, work->context, e, work->language);
    if (status == TSL_OK && rename(path, kept) != 0) {
        status = tsl_fail(work->context, TSL_E_IO, "%s: cannot be renamed to %s", path, kept);
    }
    if (status == TSL_OK) {
        status = tsl_lab_write_text(work->context, path, text.data, text.length);
    }
    tsl_lab_buffer_release(&text);
    if (status == TSL_OK) {
        work->state.passed[at] = false;
        work->state.hints[at] = 0;
        cli_note(course_say(work, TSL_LAB_SAY_RESET), path, kept);
    }
    return status;
}

int lab_reset_command(const cli_command *self, int argc, char **argv)
{
    course_work work;
    int exit_status;
    tsl_status status = TSL_OK;
    if (!course_open(&work, self, argc, argv, true, &exit_status)) {
        return exit_status;
    }
    exit_status = CLI_DONE;
    if (work.options.name_count == 0 && !work.options.all) {
        cli_error("lab reset: name the exercises, or give --all");
        return course_close(&work, TSL_OK, CLI_USAGE);
    }
    for (int i = 0; i < work.options.name_count && exit_status == CLI_DONE; i++) {
        if (tsl_lab_course_find(&work.course, work.options.names[i]) < 0) {
            cli_error("%s: there is no such exercise: tesela lab list shows all",
                      work.options.names[i]);
            exit_status = CLI_USAGE;
        }
    }
    for (int at = 0; at < work.course.count && status == TSL_OK && exit_status == CLI_DONE; at++) {
        bool asked = work.options.all;
        for (int i = 0; i < work.options.name_count; i++) {
            asked = asked || tsl_lab_course_find(&work.course, work.options.names[i]) == at;
        }
        status = asked ? reset(&work, at) : TSL_OK;
    }
    if (status == TSL_OK) {
        status = course_save(&work);
    }
    return course_close(&work, status, exit_status);
}
