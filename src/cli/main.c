/* The command `tesela`: finds the command asked for. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/ranks.h"

typedef struct command {
    const char *name;
    char *full_name; /* as --help shows it */
    const char *summary;
    int (*run)(int argc, char **argv);
} command;

static char info_name[] = "tesela info";
static char dock_name[] = "tesela dock";
static char comm_name[] = "tesela comm";
static char fft_name[] = "tesela fft";
static char npb_name[] = "tesela npb";
static char poisson_name[] = "tesela poisson";
static char solve_name[] = "tesela solve";
static char transpose_name[] = "tesela transpose";
static char xc_name[] = "tesela xc";

static const command commands[] = {
    {"info", info_name, "what this build can do, and on which devices", cli_info},
    {"dock", dock_name, "dock two proteins as rigid bodies (FTDock 2.0's method)", cli_dock},
    {"comm", comm_name, "measure how fast ranks reach each other", cli_comm},
    {"fft", fft_name, "measure Fourier transforms: which are fast, how much memory", cli_fft},
    {"npb", npb_name, "NAS Parallel Benchmarks: ep, cg", cli_npb},
    {"poisson", poisson_name, "solve Poisson's equation, periodic or in free space", cli_poisson},
    {"solve", solve_name, "solve a sparse system of linear equations", cli_solve},
    {"transpose", transpose_name, "transpose arrays of three axes, and measure it", cli_transpose},
    {"xc", xc_name, "exchange-correlation functionals: list, eval, check, bench", cli_xc},
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static void print_help(FILE *stream)
{
    fputs("Usage: tesela COMMAND [OPTION...]\n\nCommands:\n", stream);
    for (int i = 0; i < COMMANDS; i++) {
        fprintf(stream, "  %-9s %s\n", commands[i].name, commands[i].summary);
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

static const command *find(const char *name)
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

/* A file must not be opened as one of the standard streams. What takes the place of one that was
 * closed cannot be written to, so that its user hears of that. */
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
    cli_be_silent(!cli_is_leader()); /* they all see the same command line */
    const command *found = find(asks_help ? argv[2] : name);
    cli_be_silent(false);
    if (found == NULL) {
        return cli_refused(CLI_USAGE);
    }
    if (asks_help) { /* tesela help dock */
        char *arguments[] = {found->full_name, help, NULL};
        return cli_close_output(found->run(2, arguments));
    }
    argv[1] = found->full_name;
    return cli_close_output(found->run(argc - 1, argv + 1));
}
