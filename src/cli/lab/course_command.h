/* What the files of the course's commands share. */
#ifndef TSL_CLI_LAB_COURSE_COMMAND_H
#define TSL_CLI_LAB_COURSE_COMMAND_H

#include "cli/lab/lab.h"
#include "lab/course/grade.h"
#include "lab/course/messages.h"
#include "lab/course/state.h"

enum { COURSE_MOST_NAMES = 64 };

typedef struct course_options {
    cli_common common;
    const char *names[COURSE_MOST_NAMES]; /* ids, or files */
    int name_count;
    const char *folder; /* of answers; NULL: TESELA_LAB_DIR, else ~/tesela-lab */
    const char *course; /* NULL: the course that comes with tesela */
    const char *output;
    const char *compiler;
    int language; /* -1: not given */
    int seed;     /* 0: another seed each time */
    int part, parts;
    bool all, solutions, now;
} course_options;

typedef struct course_work {
    course_options options;
    tsl_context *context;
    tsl_lab_course course;
    tsl_lab_state state;
    int language;
    tsl_lab_card card; /* answers are graded on it too; nvcc is "": there is none */
    double begun;
} course_work;

/* Run the commands; each returns the exit status. */
int lab_watch_command(const cli_command *self, int argc, char **argv);
int lab_list_command(const cli_command *self, int argc, char **argv);
int lab_next_command(const cli_command *self, int argc, char **argv);
int lab_show_command(const cli_command *self, int argc, char **argv);
int lab_check_command(const cli_command *self, int argc, char **argv);
int lab_hint_command(const cli_command *self, int argc, char **argv);
int lab_solution_command(const cli_command *self, int argc, char **argv);
int lab_reset_command(const cli_command *self, int argc, char **argv);
int lab_site_command(const cli_command *self, int argc, char **argv);
int lab_lint_command(const cli_command *self, int argc, char **argv);

/* (course_work.c) Parse the command line, open the context, read the course and, with `answers`,
 * the state of the folder, which is made where it is missing. *exit_status is set where it returns
 * false. course_close() is to be called after true. */
bool course_open(course_work *work, const cli_command *self, int argc, char **argv, bool answers,
                 int *exit_status);
/* Print the error of a status that is one. Returns `exit_status`, or the exit status of the
 * error. */
int course_close(course_work *work, tsl_status status, int exit_status);
/* The exercise named on the command line, else the current one, else the next. -1 where there is
 * none, and a message has been printed. */
int course_chosen(const course_work *work);
tsl_status course_save(course_work *work);
const char *course_say(const course_work *work, enum tsl_lab_said what);
void course_grade_options(tsl_lab_grade_options *out, const course_work *work);
/* Print a Markdown text on a terminal. */
void course_print_text(FILE *stream, const char *text);
void course_print_exercise(const course_work *work, int at);
void course_print_list(const course_work *work);
void course_print_hints(const course_work *work, int at);
tsl_status course_print_solution(const course_work *work, int at);

/* course_check.c */
void course_print_verdict(const course_work *work, const tsl_lab_exercise *e,
                          const tsl_lab_verdict *verdict);
/* Grade the answer of exercise `at`, print the verdict, and keep it in the state. */
tsl_status course_check_answer(course_work *work, int at, const char *path, bool *passed);
/* Grade a text as if it were an answer. */
tsl_status course_grade_text(tsl_lab_verdict *out, course_work *work, const tsl_lab_exercise *e,
                             const tsl_lab_buffer *text);

#endif
