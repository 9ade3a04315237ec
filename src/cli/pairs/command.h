/* What the files of `tesela pairs` share. */
#ifndef TSL_CLI_PAIRS_COMMAND_H
#define TSL_CLI_PAIRS_COMMAND_H

#include "cli/shared/cli.h"
#include "io/points/points.h"
#include "tesela/pairs.h"

/* The tasks. `argv[0]` is the full name, "tesela pairs distance". Each returns the exit status. */
int pairs_distance(int argc, char **argv);
int pairs_maps(int argc, char **argv);
int pairs_neighbors(int argc, char **argv);
int pairs_histogram(int argc, char **argv);
int pairs_energy(int argc, char **argv);
int pairs_nearest(int argc, char **argv);
int pairs_triplets(int argc, char **argv);
int pairs_contacts(int argc, char **argv);
int pairs_ladder(int argc, char **argv);

/* Is the name that of a file of arrays, "….npy"? */
bool pairs_is_npy(const char *path);

/* The value of --box: three lengths, and three tilts or zeros. *given becomes `box`. EINVAL when a
 * message is out. */
error_t pairs_set_box(const char *text, double box[6], const double **given);

/* How a report and an error name precision: "single" or "double". */
const char *pairs_precision_name(int precision);

#endif
