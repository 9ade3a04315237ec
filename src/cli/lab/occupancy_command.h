/* What the files of `tesela lab occupancy` share. */
#ifndef TSL_CLI_LAB_OCCUPANCY_COMMAND_H
#define TSL_CLI_LAB_OCCUPANCY_COMMAND_H

#include "cli/lab/lab.h"
#include "lab/ptxas.h"
#include "tesela/occupancy.h"

enum { OCCUPANCY_COMPILER_ARGUMENTS = 64 };

typedef struct occupancy_options {
    cli_common common;             /* device NULL: not given */
    int capability;                /* row of the table that --cc names; -1: not given */
    const tsl_multiprocessor *row; /* the row's multiprocessor; NULL: not given */
    const char *curves, *kernel;
    char *compiler_arguments[OCCUPANCY_COMPILER_ARGUMENTS + 1]; /* ended by NULL */
    int compiler_argument_count;
    tsl_occupancy_kernel use; /* what the kernel takes */
    bool all, explain;
} occupancy_options;

typedef struct occupancy_work {
    occupancy_options *options;
    tsl_context *context;
    double begun, compute;
    bool chosen;                       /* one capability was asked for */
    tsl_multiprocessor multiprocessor; /* from the table, or from a card */
    tsl_ptxas_use compiled;            /* the compiler's figures, with --kernel */
    tsl_occupancy_result result;
    tsl_occupancy_gain gain;
} occupancy_work;

int occupancy_command(const cli_command *self, int argc, char **argv);

/* Does a limit bind: does its resource allow no more blocks than there are, or is it exceeded? */
bool occupancy_binds(const tsl_occupancy_result *result, int limit);

void occupancy_print(FILE *stream, const occupancy_work *work);
tsl_status occupancy_write_report(const occupancy_work *work);

#endif
