/* `tesela lab`: its actions. */
#include "cli/lab/lab.h"

static const cli_command *const actions[] = {
    &lab_watch, &lab_list, &lab_next, &lab_show, &lab_check,     &lab_hint, &lab_solution,
    &lab_reset, &lab_site, &lab_lint, &lab_run,  &lab_occupancy, NULL};

const cli_command cli_lab = {.children = actions,
                             .noun = "ACTION",
                             .doc = "CUDA C on any machine: no GPU is needed. A course in Spanish "
                                    "and English begins with `tesela lab watch`."};
