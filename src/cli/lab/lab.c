/* `tesela lab`: finds the sub-command asked for. */
#include <stdio.h>
#include <string.h>

#include "cli/lab/lab.h"

static char run_name[] = "tesela lab run";

static const struct {
    const char *name;
    char *full_name; /* as --help shows it */
    int (*run)(int argc, char **argv);
    const char *summary;
} commands[] = {
    {"run", run_name, cli_lab_run, "run a CUDA file without a GPU: counts per line, and checks"},
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static void print_help(FILE *stream)
{
    fputs("Usage: tesela lab COMMAND [OPTION...]\n\nCommands:\n", stream);
    for (int i = 0; i < COMMANDS; i++) {
        fprintf(stream, "  %-10s %s\n", commands[i].name, commands[i].summary);
    }
    fputs("\ntesela lab COMMAND --help explains a command.\n", stream);
}

int cli_lab(int argc, char **argv)
{
    const char *names[COMMANDS + 1] = {NULL};
    if (argc < 2) {
        print_help(stderr);
        return CLI_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        print_help(stdout);
        return CLI_DONE;
    }
    for (int i = 0; i < COMMANDS; i++) {
        names[i] = commands[i].name;
        if (strcmp(argv[1], commands[i].name) == 0) {
            argv[1] = commands[i].full_name;
            return commands[i].run(argc - 1, argv + 1);
        }
    }
    const char *near = cli_nearest(argv[1], names);
    cli_error("unknown command 'lab %s'%s%s%s (see tesela lab --help)", argv[1],
              near != NULL ? ": did you mean " : "", near != NULL ? near : "",
              near != NULL ? "?" : "");
    return CLI_USAGE;
}
