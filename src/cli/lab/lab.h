/* What the actions of `tesela lab` share. */
#ifndef TSL_CLI_LAB_H
#define TSL_CLI_LAB_H

#include "cli/shared/cli.h"

extern const cli_command lab_occupancy, lab_run;

#endif
