/* What the actions of `tesela lab` share. */
#ifndef TSL_CLI_LAB_H
#define TSL_CLI_LAB_H

#include "cli/shared/cli.h"

extern const cli_command lab_occupancy, lab_run;
/* actions of the course: course_options.c */
extern const cli_command lab_watch, lab_list, lab_next, lab_show, lab_check, lab_hint, lab_solution,
    lab_reset, lab_site, lab_lint;

#endif
