/* The command `tesela`: finds and runs the command that is asked for. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/shared/ranks.h"

typedef struct entry {
    const char *name;
    char *full_name; /* "tesela pairs", as --help shows it */
    const char *summary;
    const cli_command *command;
} entry;

#define CLI_COMMAND(name, summary) static char name##_name[] = "tesela " #name;
#include "cli/commands.def"
#undef CLI_COMMAND

static const entry commands[] = {
#define CLI_COMMAND(name, summary) {#name, name##_name, summary, &cli_##name},
#include "cli/commands.def"
#undef CLI_COMMAND
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static void print_help(FILE *stream)
{
    fputs("Usage: tesela COMMAND [OPTION...]\n"
          "Scientific solvers for GPUs and CPUs.\n\n"
          "Commands:\n",
          stream);
    for (int i = 0; i < COMMANDS; i++) {
        fprintf(stream, "  %-10s  %s\n", commands[i].name, commands[i].summary);
    }
    fputs("\n"
          "tesela COMMAND --help explains a command; tesela --version prints the version.\n"
          "\n"
          "Example:\n"
          "  tesela dock receptor.pdb ligand.pdb -o results\n"
          "\n"
          "Exit status: 0 done; 1 a check or a pair of a list failed; 2 usage or input; 3 device,\n"
          "communication or memory; 4 internal error; 128 + signal when interrupted.\n",
          stream);
}

static const entry *find(const char *name)
{
    for (int i = 0; i < COMMANDS; i++) {
        if (strcmp(commands[i].name, name) == 0) {
            return &commands[i];
        }
    }
    const char *names[COMMANDS + 1] = {NULL};
    for (int i = 0; i < COMMANDS; i++) {
        names[i] = commands[i].name;
    }
    const char *near = cli_nearest(name, names);
    const bool option = name[0] == '-';
    cli_error("unknown %s '%s'%s%s%s (see tesela --help)", option ? "option" : "command", name,
              near != NULL ? ": did you mean " : "", near != NULL ? near : "",
              near != NULL ? "?" : "");
    return NULL;
}

/* Keep the numbers of standard streams taken, so that no file is opened as one of them. The file in
 * the place of a closed stream cannot be written to, so that writing to it fails. */
static void hold_streams(void)
{
    for (int fd = 0; fd <= 2; fd++) {
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF) {
            open("/dev/null", O_RDONLY); /* the lowest number that is free */
        }
    }
}

int main(int argc, char **argv)
{
    cli_spin_briefly(argc, argv);
    hold_streams();
    atexit(cli_check_output);
    if (argc < 2) {
        print_help(stderr);
        return CLI_USAGE;
    }
    cli_catch_signals();
    char *name = argv[1];
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) {
        printf("tesela %s\n", tsl_version());
        return cli_close_output(CLI_DONE);
    }
    char help[] = "--help";
    const bool asks_help =
        strcmp(name, help) == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0;
    if (asks_help && argc == 2) {
        print_help(stdout);
        return cli_close_output(CLI_DONE);
    }
    cli_be_silent(!cli_is_leader()); /* one speaks for all processes of a launch */
    const entry *found = find(asks_help ? argv[2] : name);
    cli_be_silent(false);
    if (found == NULL) {
        return cli_refused(CLI_USAGE);
    }
    if (asks_help) { /* as in `tesela help dock` */
        char *arguments[] = {found->full_name, help, NULL};
        return cli_close_output(cli_run(found->command, 2, arguments));
    }
    argv[1] = found->full_name;
    return cli_close_output(cli_run(found->command, argc - 1, argv + 1));
}
