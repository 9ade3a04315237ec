/* `tesela pairs TASK`. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/pairs/command.h"
#include "io/file/text.h"

typedef struct entry {
    const char *name;
    char *full_name;
    int (*run)(int argc, char **argv);
    const char *summary;
} entry;

static char distance_name[] = "tesela pairs distance";
static char neighbors_name[] = "tesela pairs neighbors";
static char histogram_name[] = "tesela pairs histogram";
static char energy_name[] = "tesela pairs energy";
static char nearest_name[] = "tesela pairs knn";
static char triplets_name[] = "tesela pairs triplets";
static char contacts_name[] = "tesela pairs contacts";
static char maps_name[] = "tesela pairs maps";
static char ladder_name[] = "tesela pairs ladder";

static const entry entries[] = {
    {"distance", distance_name, pairs_distance, "distances of all pairs, in SciPy's metrics"},
    {"neighbors", neighbors_name, pairs_neighbors,
     "points closer than a cut-off, open or periodic"},
    {"histogram", histogram_name, pairs_histogram, "distances in bins, and the pair distribution"},
    {"energy", energy_name, pairs_energy, "Lennard-Jones, Coulomb, gravity: energy and forces"},
    {"knn", nearest_name, pairs_nearest, "the nearest points of each point"},
    {"triplets", triplets_name, pairs_triplets, "Axilrod-Teller energy of all triples"},
    {"contacts", contacts_name, pairs_contacts, "residues of two molecules that touch"},
    {"maps", maps_name, pairs_maps, "maps from a GPU's blocks to a triangle, counted"},
    {"ladder", ladder_name, pairs_ladder, "how fast those maps write, beside a fill"}};
enum { ENTRIES = sizeof entries / sizeof *entries };

static void print_help(FILE *stream)
{
    fputs("Usage: tesela pairs TASK [OPTION...]\n"
          "Pairwise work on points, each pair once.\n\n",
          stream);
    for (int i = 0; i < ENTRIES; i++) {
        fprintf(stream, "  %-10s %s\n", entries[i].name, entries[i].summary);
    }
    fputs("\n"
          "tesela pairs TASK --help explains one.\n"
          "\n"
          "Examples:\n"
          "  tesela pairs distance points.npy -o distances.npy\n"
          "  tesela pairs distance a.csv b.csv --metric cityblock -o rectangle.npy\n"
          "  tesela pairs neighbors points.npy --cutoff 2.5 -o neighbors.npz\n",
          stream);
}

int cli_pairs(int argc, char **argv)
{
    const char *names[ENTRIES + 1] = {NULL};
    if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        print_help(stdout);
        return CLI_DONE;
    }
    if (argc <= 1) {
        print_help(stderr);
        return CLI_USAGE;
    }
    for (int i = 0; i < ENTRIES; i++) {
        if (strcmp(argv[1], entries[i].name) == 0) {
            argv[1] = entries[i].full_name;
            return entries[i].run(argc - 1, argv + 1);
        }
        names[i] = entries[i].name;
    }
    const char *near = cli_nearest(argv[1], names);
    cli_error("unknown %s '%s'%s%s%s (see tesela pairs --help)",
              argv[1][0] == '-' ? "option" : "task", argv[1], near != NULL ? ": did you mean " : "",
              near != NULL ? near : "", near != NULL ? "?" : "");
    return CLI_USAGE;
}

bool pairs_is_npy(const char *path)
{
    const size_t length = strlen(path);
    return length > 4 && strcmp(path + length - 4, ".npy") == 0;
}

const char *pairs_precision_name(int precision)
{
    return precision == 4 ? "single" : "double";
}

error_t pairs_set_box(const char *text, double box[6], const double **given)
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
        cli_error("--box '%s': give three lengths above 0, and three tilts if the cell has them: "
                  "10,10,12 or 10,10,12,1,0,-2",
                  text);
        return EINVAL;
    }
    *given = box;
    return 0;
}
