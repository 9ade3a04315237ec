/* `tesela pairs TASK`. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/pairs/command.h"
#include "io/file/text.h"

static const cli_command *const tasks[] = {
    &pairs_distance, &pairs_neighbors, &pairs_histogram, &pairs_energy, &pairs_nearest,
    &pairs_triplets, &pairs_contacts,  &pairs_maps,      &pairs_ladder, NULL};

const cli_command cli_pairs = {
    .children = tasks,
    .noun = "TASK",
    .doc = "Pairwise work on points, each pair once."
           "\v"
           "Examples:\n"
           "  tesela pairs distance points.npy -o distances.npy\n"
           "  tesela pairs distance a.csv b.csv --metric cityblock -o rectangle.npy\n"
           "  tesela pairs neighbors points.npy --cutoff 2.5 -o neighbors.npz"};

bool pairs_is_npy(const char *path)
{
    const size_t length = strlen(path);
    return length > 4 && strcmp(path + length - 4, ".npy") == 0;
}

const char *pairs_precision_name(int precision)
{
    return precision == 4 ? "single" : "double";
}

error_t pairs_set_box(const cli_option *row, const char *text, double box[6], const double **given)
{
    const char *at = text;
    int count = 0;
    bool valid = true;
    while (valid && at != NULL && count < 6) {
        const char *end = strchr(at, ',');
        valid = tsl_parse_decimal(at, end != NULL ? (size_t)(end - at) : strlen(at), &box[count]) &&
                (count > 2 || box[count] > 0);
        count++;
        at = end != NULL ? end + 1 : NULL;
    }
    if (!valid || at != NULL || (count != 3 && count != 6)) {
        return cli_refuse_value(row, text,
                                "give three lengths above 0, and three tilts if the cell has them: "
                                "10,10,12 or 10,10,12,1,0,-2");
    }
    *given = box;
    return 0;
}
