/* What the actions of `tesela lab` share. */
#ifndef TSL_CLI_LAB_H
#define TSL_CLI_LAB_H

#include "cli/shared/cli.h"

/* The actions. `argv[0]` is the full name, "tesela lab occupancy". Each returns the exit status. */
int cli_lab_occupancy(int argc, char **argv);
int cli_lab_run(int argc, char **argv);
int cli_lab_check(int argc, char **argv);
int cli_lab_hint(int argc, char **argv);
int cli_lab_lint(int argc, char **argv);
int cli_lab_list(int argc, char **argv);
int cli_lab_next(int argc, char **argv);
int cli_lab_reset(int argc, char **argv);
int cli_lab_show(int argc, char **argv);
int cli_lab_site(int argc, char **argv);
int cli_lab_solution(int argc, char **argv);
int cli_lab_watch(int argc, char **argv);

#endif
