/* `tesela lab`: finds the action asked for. */
#include "cli/lab/lab.h"

#include <string.h>

#include "cli/shared/ranks.h"

typedef struct action {
    const char *name;
    char *full_name; /* as --help shows it */
    int (*run)(int argc, char **argv);
    const char *summary;
} action;

#define ACTION(name, summary)                                                                      \
    {                                                                                              \
#name, (char[]){"tesela lab " #name }, cli_lab_##name, summary                             \
    }
static const action actions[] = {
    ACTION(watch, "the course: show an exercise, and grade it each time its file is saved"),
    ACTION(list, "the course's exercises, and which are done"),
    ACTION(next, "go to the next exercise that is not done"),
    ACTION(show, "show an exercise"),
    ACTION(check, "grade answers"),
    ACTION(hint, "show one hint more"),
    ACTION(solution, "show a solution"),
    ACTION(reset, "begin an exercise anew"),
    ACTION(site, "write the course as pages for a browser"),
    ACTION(lint, "check the course itself"),
    ACTION(run, "run a CUDA file without a GPU: counts per line, and checks"),
    ACTION(occupancy,
           "how many blocks of a kernel a multiprocessor runs at a time, and what limits them"),
};
enum { ACTIONS = sizeof actions / sizeof *actions };

static void print_help(FILE *stream)
{
    fputs("Usage: tesela lab ACTION [OPTION...]\n"
          "CUDA C on any machine: no GPU is needed. A course in Spanish and English begins with\n"
          "`tesela lab watch`.\n\n",
          stream);
    for (int i = 0; i < ACTIONS; i++) {
        fprintf(stream, "  %-10s %s\n", actions[i].name, actions[i].summary);
    }
    fputs("\ntesela lab ACTION --help explains one.\n", stream);
}

int cli_lab(int argc, char **argv)
{
    const char *names[ACTIONS + 1] = {NULL};
    if (!cli_is_alone("lab")) {
        return cli_refused(CLI_USAGE);
    }
    if (argc < 2) {
        print_help(stderr);
        return CLI_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        print_help(stdout);
        return CLI_DONE;
    }
    for (int i = 0; i < ACTIONS; i++) {
        names[i] = actions[i].name;
        if (strcmp(argv[1], actions[i].name) == 0) {
            argv[1] = actions[i].full_name;
            return actions[i].run(argc - 1, argv + 1);
        }
    }
    const char *near = cli_nearest(argv[1], names);
    cli_error("unknown %s '%s'%s%s%s (see tesela lab --help)",
              argv[1][0] == '-' ? "option" : "action", argv[1],
              near != NULL ? ": did you mean " : "", near != NULL ? near : "",
              near != NULL ? "?" : "");
    return CLI_USAGE;
}
