/* What the files of `tesela pairs` share. */
#ifndef TSL_CLI_PAIRS_COMMAND_H
#define TSL_CLI_PAIRS_COMMAND_H

#include "cli/shared/cli.h"
#include "io/points/points.h"
#include "tesela/pairs.h"

extern const cli_command pairs_distance, pairs_neighbors, pairs_histogram, pairs_energy,
    pairs_nearest, pairs_triplets, pairs_contacts, pairs_maps, pairs_ladder;

/* Is the name that of a file of arrays, "….npy"? */
bool pairs_is_npy(const char *path);

/* The value of --box: three lengths, and three tilts or zeros. *given becomes `box`. EINVAL when a
 * message is out. */
error_t pairs_set_box(const cli_option *row, const char *text, double box[6], const double **given);

/* How a report and an error name precision: "single" or "double". */
const char *pairs_precision_name(int precision);

#endif
