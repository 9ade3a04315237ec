/* `tesela lab`: the actions that it has. */
#include "cli/lab/lab.h"

static const cli_command *const actions[] = {&lab_run, &lab_occupancy, NULL};

const cli_command cli_lab = {
    .children = actions, .noun = "ACTION", .doc = "CUDA C on any machine: no GPU is needed."};
