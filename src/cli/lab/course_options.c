/* The course's commands and their options: one table of options, from which each command takes
 * some. */
#include <errno.h>
#include <string.h>

#include "cli/lab/course_command.h"

/* A bit for each command. */
enum {
    WATCH = 1,
    LIST = 2,
    NEXT = 4,
    SHOW = 8,
    CHECK = 16,
    HINT = 32,
    SOLUTION = 64,
    RESET = 128,
    SITE = 256,
    LINT = 512,
    ANSWERS = WATCH | LIST | NEXT | SHOW | CHECK | HINT | SOLUTION | RESET,
    BUILDS = WATCH | CHECK | SITE | LINT,
    MOST_SEED = 1000000000
};

static error_t set_part(const cli_option *row, const char *text, void *parsed)
{
    course_options *o = parsed;
    int end = 0;
    if (sscanf(text, "%d/%d%n", &o->part, &o->parts, &end) < 2 || text[end] != '\0' ||
        o->part < 1 || o->part > o->parts) {
        return cli_refuse_value(row, text, "give K/N with K from 1 to N, as 1/8");
    }
    return 0;
}

static const cli_option rows[] = {
    {.heading = "The course:"},
    {"dir", .value = "FOLDER", .kind = CLI_FOLDER, CLI_FIELD(course_options, folder),
     .tasks = ANSWERS, .help = "folder of the answers",
     .otherwise = "what TESELA_LAB_DIR names, else ~/tesela-lab"},
    {"lang", .value = "LANGUAGE", .kind = CLI_CHOICE, CLI_FIELD(course_options, language),
     .words = tsl_lab_language_names, .tasks = ANSWERS | LINT, .help = "language of the texts: @",
     .otherwise = "the one kept in the folder, else LANG's"},
    {"course", .value = "FOLDER", .kind = CLI_FOLDER, CLI_FIELD(course_options, course),
     .help = "another course", .otherwise = "tesela's own"},
    {"compiler", .value = "NAME", .kind = CLI_TEXT, CLI_FIELD(course_options, compiler),
     .tasks = BUILDS, .help = "clang++ or g++, or a path", .otherwise = "as found"},
    {"seed", .value = "NUMBER", .kind = CLI_INTEGER, CLI_FIELD(course_options, seed),
     .range = {1, MOST_SEED}, .tasks = WATCH | CHECK | LINT, .help = "seed of the random input",
     .otherwise = "another each time"},
    {"part", .value = "K/N", .kind = CLI_LIST, CLI_FIELD(course_options, part), .set = set_part,
     .tasks = LINT, .help = "divide the exercises into N parts, and take only part K, 1 to N",
     .otherwise = "all"},
    {"all", .kind = CLI_FLAG, CLI_FIELD(course_options, all), .tasks = CHECK | RESET,
     .help = "all exercises"},
    {"solutions", .kind = CLI_FLAG, CLI_FIELD(course_options, solutions), .tasks = CHECK,
     .help = "grade the course's solutions, not the answers"},
    {"now", .kind = CLI_FLAG, CLI_FIELD(course_options, now), .tasks = SOLUTION,
     .help = "show the solution although the exercise is not passed"},
    {"output", 'o', "FOLDER", CLI_FOLDER, CLI_FIELD(course_options, output), .tasks = SITE,
     .help = "folder for the pages", .otherwise = ""},
    {0}};

/* The commands in the order of the bits. */
static const cli_task tasks[] = {{"watch", NULL},    {"list", NULL},  {"next", NULL},
                                 {"show", NULL},     {"check", NULL}, {"hint", NULL},
                                 {"solution", NULL}, {"reset", NULL}, {"site", NULL},
                                 {"lint", NULL},     {NULL, NULL}};

static error_t add_name(void *parsed, const char *text)
{
    course_options *o = parsed;
    if (o->name_count == COURSE_MOST_NAMES) {
        cli_error("%s: more than %d exercises are named: give --all", text, COURSE_MOST_NAMES);
        return EINVAL;
    }
    o->names[o->name_count++] = text;
    return 0;
}

static error_t add_one_name(void *parsed, const char *text)
{
    const course_options *o = parsed;
    if (o->name_count > 0) {
        cli_error("'%s' is one argument too many: name one exercise", text);
        return EINVAL;
    }
    return add_name(parsed, text);
}

static void init(const cli_command *self, void *options)
{
    (void)self;
    *(course_options *)options = (course_options){.language = -1};
}

/* A command of the course; `lacking` are the common options that it lacks beside a profile.
 * COURSE_COMMAND() lacks a device too. */
#define COURSE_COMMAND_OF(word, bit, what, lacking)                                                \
    .name = (word), .summary = (what), .rows = rows, .tasks = tasks, .only = (bit),                \
    .size = sizeof(course_options), .init = init, .places = CLI_ONE_DEVICE,                        \
    .lacks = CLI_NO_PROFILE | (lacking)
#define COURSE_COMMAND(word, bit, what, lacking)                                                   \
    COURSE_COMMAND_OF(word, bit, what, CLI_NO_DEVICE | (lacking))

const cli_command lab_watch = {
    COURSE_COMMAND("watch", WATCH,
                   "the course: show an exercise, and grade it each time its file is saved",
                   CLI_NO_JSON),
    .run = lab_watch_command, .arguments = "[ID]", .argument = add_one_name,
    .doc =
        "Show the current exercise. Each time its file, or that of another exercise, is saved, "
        "grade it. The course remembers the current exercise for the next time.\v"
        "On a terminal: h shows a hint, s the solution, n the next exercise, l the list, q ends."};

const cli_command lab_list = {
    COURSE_COMMAND("list", LIST, "the course's exercises, and which are done",
                   CLI_NO_JSON | CLI_NO_THREADS),
    .run = lab_list_command,
    .doc = "List the exercises, and show which are done.\v"
           "The first command of the course makes a folder with a file for each exercise."};

const cli_command lab_next = {
    COURSE_COMMAND("next", NEXT, "go to the next exercise that is not done",
                   CLI_NO_JSON | CLI_NO_THREADS),
    .run = lab_next_command, .doc = "Go to the next exercise that is not done, and show it."};

const cli_command lab_show = {
    COURSE_COMMAND("show", SHOW, "show an exercise", CLI_NO_JSON | CLI_NO_THREADS),
    .run = lab_show_command, .arguments = "[ID]", .argument = add_one_name,
    .doc = "Show the text of the current exercise, or of the exercise with the given id, which "
           "becomes the current one."};

const cli_command lab_check = {
    COURSE_COMMAND_OF("check", CHECK, "grade answers", 0),
    .run = lab_check_command,
    .arguments = "[ID|FILE...]",
    .argument = add_name,
    .device = "cuda:N grades on that card too, and tells how fast it is (none)",
    .doc =
        "Grade the answer to an exercise: the current one, those named by id or file, or all.\v"
        "An answer is built and run without a GPU for several sizes with hidden input, once with "
        "warps in lockstep and in four orders of threads; another program judges its output.\n"
        "\n"
        "With --device cuda:0, an answer that passes is also built with nvcc, run on that card for "
        "the same sizes and input, and judged again. The launches of some exercises are timed "
        "there. Their speed is given as a share of the rate at which the card copies or reads in "
        "the same process; it is not part of the grade.\n"
        "\n"
        "Exit status: 0 passed, 1 not passed, 2 no such exercise or file."};

const cli_command lab_hint = {
    COURSE_COMMAND("hint", HINT, "show one hint more", CLI_NO_JSON | CLI_NO_THREADS),
    .run = lab_hint_command, .arguments = "[ID]", .argument = add_one_name,
    .doc = "Show the next hint of an exercise, below the hints shown before."};

const cli_command lab_solution = {
    COURSE_COMMAND("solution", SOLUTION, "show a solution", CLI_NO_JSON | CLI_NO_THREADS),
    .run = lab_solution_command, .arguments = "[ID]", .argument = add_one_name,
    .doc = "Show a solution and its explanation, once the exercise is passed or all hints were "
           "shown."};

const cli_command lab_reset = {
    COURSE_COMMAND("reset", RESET, "begin an exercise anew", CLI_NO_JSON | CLI_NO_THREADS),
    .run = lab_reset_command, .arguments = "[ID...]", .argument = add_name,
    .doc = "Begin an exercise again: restore its original file. The answer is kept in a file "
           "beside it."};

const cli_command lab_site = {
    COURSE_COMMAND("site", SITE, "write the course as pages for a browser", CLI_NO_JSON),
    .run = lab_site_command,
    .doc =
        "Write the course as static pages in both languages. A browser reads them from files; no "
        "network is needed. Each solution is run without a GPU, and its page shows the counts."};

const cli_command lab_lint = {
    COURSE_COMMAND("lint", LINT, "check the course itself", CLI_NO_JSON), .run = lab_lint_command,
    .arguments = "[ID...]", .argument = add_name,
    .doc = "For authors of exercises. Check for each exercise that the solution passes, that the "
           "initial file does not, that each wrong answer is rejected for its named reason, and "
           "that predictions agree with the program.\v"
           "Exit status: 0 all checks pass, 1 a check fails, 2 a file is malformed."};
