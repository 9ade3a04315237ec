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

static char occupancy_name[] = "tesela lab occupancy";

static char run_name[] = "tesela lab run";

static const action actions[] = {
    {"run", run_name, cli_lab_run, "run a CUDA file without a GPU: counts per line, and checks"},
    {"occupancy", occupancy_name, cli_lab_occupancy,
     "how many blocks of a kernel a multiprocessor runs at a time, and what limits them"},
};
enum { ACTIONS = sizeof actions / sizeof *actions };

static void print_help(FILE *stream)
{
    fputs("Usage: tesela lab ACTION [OPTION...]\n"
          "CUDA C on any machine: no GPU is needed.\n\n",
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
