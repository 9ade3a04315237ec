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

/* Reads the value of --box: three lengths, and three tilts or zeros. *given becomes `box`. EINVAL
 * when a message has been printed. */
error_t pairs_set_box(const cli_option *row, const char *text, double box[6], const double **given);

/* A function that each rank of a task calls, with the task's options. The context's error says what
 * failed. */
typedef tsl_status pairs_rank(const cli_rank_group *group, const void *options);

/* Does a task on the ranks that its devices or its launch make. Returns the exit status. */
int pairs_run_ranks(const cli_common *common, pairs_rank *run);

/* Reads a file on rank 0, and gives the points to all. Collective: all ranks have the points, or
 * all have the error. */
tsl_status pairs_read(tsl_point_set *out, const cli_rank_group *group, const char *path);

/* cli_parse_options() for a task of several ranks, and then `check`. In a launch only the leader
 * prints what is wrong. */
bool pairs_parse(const cli_command *self, void *options, int argc, char **argv, int *exit_status,
                 bool (*check)(const void *options));

/* The name of a precision in reports and errors: "single" or "double". */
const char *pairs_precision_name(int precision);

#endif
