/* What the files of `tesela pairs` share. */
#ifndef TSL_CLI_PAIRS_COMMAND_H
#define TSL_CLI_PAIRS_COMMAND_H

#include "cli/shared/cli.h"
#include "cli/shared/ranks.h"
#include "io/points/points.h"
#include "tesela/pairs.h"

extern const cli_command pairs_distance, pairs_neighbors, pairs_histogram, pairs_energy,
    pairs_nearest, pairs_triplets, pairs_contacts, pairs_maps, pairs_ladder;

/* Does the name end in ".npy", as that of a file of an array? */
bool pairs_is_npy(const char *path);

/* Takes an argument of a task of one file: 0, or EINVAL when a message has been printed. */
error_t pairs_take_file(const char **input, const char *text);

/* Does the name end in ".npz", as that of an archive of arrays? */
bool pairs_is_npz(const char *path);

/* Reads the value of --box: three lengths, and three tilts or zeros. *given becomes `box`. EINVAL
 * when a message has been printed. */
error_t pairs_set_box(const cli_option *row, const char *text, double box[6], const double **given);

/* A function that each rank of a task calls, with the task's options. The context's error says what
 * failed. */
typedef tsl_status pairs_rank(const cli_rank_group *group, const void *options);

/* Parses a task's options and does it on the ranks that its devices or its launch make. Returns the
 * exit status. */
int pairs_run_ranks(const cli_command *self, void *options, int argc, char **argv, pairs_rank *run);

/* Reads a file on rank 0, and gives the points to all. Collective: all ranks have the points, or
 * all have the error. */
tsl_status pairs_read(tsl_point_set *out, const cli_rank_group *group, const char *path);

/* ---- what a task tells --------------------------------------------------------------------- */

/* What a task runs on, and when. */
typedef struct pairs_task {
    const cli_common *common;
    const cli_rank_group *group; /* NULL: the task runs on one device */
    tsl_context *context;
    double begun;          /* tsl_seconds() */
    double setup, compute; /* seconds */
    int verified;          /* 1, 0, or -1: there was nothing to check */
} pairs_task;

/* A task of this rank, or on one device, with `group` NULL and its context to be opened; it begins
 * now. */
pairs_task pairs_begin(const cli_rank_group *group, const void *options);

/* Prints what `print` says of `work`, unless --quiet is given, and does what --profile and --json
 * ask for; `body` writes the report's parameters and results. */
tsl_status pairs_tell(const pairs_task *task, void (*print)(FILE *stream, const void *work),
                      cli_report_body *body, const void *work);

/* The name of a precision in reports and errors: "single" or "double". */
const char *pairs_precision_name(int precision);

#endif
