/* The sub-commands of `tesela lab`. */
#ifndef TSL_CLI_LAB_H
#define TSL_CLI_LAB_H

#include "cli/cli.h"

/* Each gets "tesela lab NAME" as argv[0] and returns the exit status. */
int cli_lab_run(int argc, char **argv);

#endif
