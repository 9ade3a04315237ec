/* What the files of `tesela poisson` share. */
#ifndef TSL_CLI_POISSON_COMMAND_H
#define TSL_CLI_POISSON_COMMAND_H

#include "cli/cli.h"
#include "tesela/buffer.h"
#include "tesela/poisson.h"

typedef enum poisson_task { POISSON_FILE, POISSON_VERIFY, POISSON_BENCH } poisson_task;

typedef struct poisson_options {
    cli_common common;
    poisson_task task;
    const char *input, *output;
    tsl_poisson_options poisson; /* n, precision: 0 means the file's; lengths: 0 means not given */
    int repeat;
} poisson_options;

/* A check of the suite. */
typedef struct poisson_case {
    const char *name;
    double value, bound;
} poisson_case;

enum { POISSON_CASES = 32 };

typedef struct poisson_work {
    const poisson_options *options;
    tsl_context *context;
    tsl_poisson_options poisson; /* settled */
    tsl_poisson_summary summary;
    double begun, setup, compute; /* seconds; setup: the plan */
    double energy;                /* of a file */
    double fastest, median;       /* of a benchmark's solves */
    int cases;
    poisson_case of_case[POISSON_CASES];
} poisson_work;

/* Parse the command line; false: *exit_status is set and a message is out. */
bool poisson_options_parse(poisson_options *out, int argc, char **argv, int *exit_status);

/* The tasks. */
tsl_status poisson_solve_file(poisson_work *work);
tsl_status poisson_verify(poisson_work *work);
tsl_status poisson_bench(poisson_work *work);

/* 1: every case is within its bound; 0: one is not; -1: there are none. */
int poisson_verified(const poisson_work *work);

void poisson_print(FILE *stream, const poisson_work *work);
tsl_status poisson_write_report(const poisson_work *work, const char *path);

#endif
