/* What the files of `tesela pairs` share. */
#ifndef TSL_CLI_PAIRS_COMMAND_H
#define TSL_CLI_PAIRS_COMMAND_H

#include "cli/shared/cli.h"
#include "cli/shared/ranks.h"
#include "io/points/points.h"
#include "tesela/pairs.h"

extern const cli_command pairs_distance, pairs_neighbors, pairs_histogram, pairs_energy,
    pairs_nearest, pairs_triplets, pairs_contacts, pairs_maps, pairs_ladder;

/* Is the name that of a file of arrays, "….npy"? */
bool pairs_is_npy(const char *path);

/* The value of --box: three lengths, and three tilts or zeros. *given becomes `box`. EINVAL when a
 * message is out. */
error_t pairs_set_box(const cli_option *row, const char *text, double box[6], const double **given);

/* What each rank of a task does, with the task's options; the context's error says what failed. */
typedef tsl_status pairs_rank(const cli_rank_group *group, const void *options);

/* Do a task on the ranks that its devices or its launch make; returns the exit status. */
int pairs_run_ranks(const cli_common *common, pairs_rank *run);

/* Read a file on rank 0, for all. Collective: all have the points, or all the error. */
tsl_status pairs_read(tsl_point_set *out, const cli_rank_group *group, const char *path);

/* cli_parse_options() for a task of several ranks, and then `check`: of a launch the leader alone
 * tells what is wrong. */
bool pairs_parse(const cli_command *self, void *options, int argc, char **argv, int *exit_status,
                 bool (*check)(const void *options));

/* How a report and an error name precision: "single" or "double". */
const char *pairs_precision_name(int precision);

#endif
