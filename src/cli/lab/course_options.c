/* The command lines of the course's actions: one table of options, of which each takes some. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/lab/course_command.h"

enum {
    KEY_DIR = 0x400,
    KEY_LANG,
    KEY_COURSE,
    KEY_COMPILER,
    KEY_THREADS,
    KEY_SEED,
    KEY_PART,
    KEY_ALL,
    KEY_SOLUTIONS,
    KEY_NOW
};

enum { OPTIONS = 12 };

/* The letter by which an action names the option, and the option. */
static const struct {
    char letter;
    struct argp_option option;
} options[OPTIONS] = {
    {'d',
     {"dir", KEY_DIR, "FOLDER", 0, "where answers are (TESELA_LAB_DIR, else ~/tesela-lab)", 1}},
    {'l', {"lang", KEY_LANG, "LANGUAGE", 0, "es or en (kept in the folder; else LANG's)", 1}},
    {'c', {"course", KEY_COURSE, "FOLDER", 0, "another course than tesela's own", 1}},
    {'k', {"compiler", KEY_COMPILER, "NAME", 0, "clang++ or g++, or a path (as found)", 1}},
    {'t', {"threads", KEY_THREADS, "COUNT", 0, "processes that share the work (all cores)", 1}},
    {'s', {"seed", KEY_SEED, "NUMBER", 0, "of the input (another each time)", 1}},
    {'p', {"part", KEY_PART, "K/N", 0, "of N parts of the exercises only part K, 1 to N", 1}},
    {'a', {"all", KEY_ALL, NULL, 0, "all exercises", 1}},
    {'S',
     {"solutions", KEY_SOLUTIONS, NULL, 0, "grade the course's solutions, not the answers", 1}},
    {'n', {"now", KEY_NOW, NULL, 0, "show it although the exercise is not passed", 1}},
    {'o', {"output", 'o', "FOLDER", 0, "where the pages go", 1}},
    {'j', {"json", 'j', "FILE", 0, "write a report as JSON; - is standard output", 1}},
};

static error_t set_part(course_options *o, const char *text)
{
    int end = 0;
    if (sscanf(text, "%d/%d%n", &o->part, &o->parts, &end) < 2 || text[end] != '\0' ||
        o->part < 1 || o->part > o->parts) {
        cli_error("--part '%s': give K/N with K from 1 to N, as 1/8", text);
        return EINVAL;
    }
    return 0;
}

static error_t parse_option(int key, char *text, struct argp_state *state)
{
    course_options *o = state->input;
    switch (key) {
    case ARGP_KEY_ARG:
        if (o->name_count == COURSE_MOST_NAMES) {
            cli_error("%s: more than %d exercises are named: give --all", text, COURSE_MOST_NAMES);
            return EINVAL;
        }
        o->names[o->name_count++] = text;
        return 0;
    case KEY_DIR:
        o->folder = text;
        return 0;
    case KEY_LANG:
        return cli_set_choice("--lang", text, tsl_lab_language_names, &o->language);
    case KEY_COURSE:
        o->course = text;
        return 0;
    case KEY_COMPILER:
        o->compiler = text;
        return 0;
    case KEY_THREADS:
        return cli_set_integer("--threads", text, 1, 64, &o->threads);
    case KEY_SEED:
        return cli_set_integer("--seed", text, 1, 1000000000, &o->seed);
    case KEY_PART:
        return set_part(o, text);
    case KEY_ALL:
        o->all = true;
        return 0;
    case KEY_SOLUTIONS:
        o->solutions = true;
        return 0;
    case KEY_NOW:
        o->now = true;
        return 0;
    case 'o':
        o->output = text;
        return 0;
    case 'j':
        o->json = text;
        return 0;
    case 'q':
        cli_be_quiet();
        return 0;
    case 'h':
        argp_state_help(state, stdout, ARGP_HELP_STD_HELP);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

bool course_options_parse(course_options *out, const course_action *action, int argc, char **argv,
                          int *exit_status)
{
    struct argp_option table[OPTIONS + 3] = {{.name = NULL}};
    int count = 0;
    for (int i = 0; i < OPTIONS; i++) {
        if (strchr(action->takes, options[i].letter) != NULL) {
            table[count++] = options[i].option;
        }
    }
    table[count++] = (struct argp_option){"quiet", 'q', NULL, 0, "print errors only", 91};
    table[count++] = (struct argp_option){"help", 'h', NULL, OPTION_HIDDEN, NULL, -1};
    const struct argp argp = {.options = table,
                              .parser = parse_option,
                              .args_doc = action->arguments,
                              .doc = action->about};
    *out = (course_options){.language = -1};
    if (!cli_parse(&argp, out, NULL, argc, argv, exit_status)) {
        return false;
    }
    *exit_status = CLI_USAGE;
    if (out->name_count > 0 && action->arguments == NULL) {
        cli_error("%s: no argument is taken here", out->names[0]);
        return false;
    }
    return cli_can_write_report(out->json);
}
