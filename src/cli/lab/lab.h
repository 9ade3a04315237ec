/* What the actions of `tesela lab` share. */
#ifndef TSL_CLI_LAB_H
#define TSL_CLI_LAB_H

#include "cli/shared/cli.h"

/* The actions. `argv[0]` is the full name, "tesela lab occupancy". Each returns the exit status. */
int cli_lab_occupancy(int argc, char **argv);
int cli_lab_run(int argc, char **argv);

#endif
