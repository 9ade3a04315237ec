#include "io/molecule/charges.h"

#include <string.h>

double tsl_ftdock_charge(const char *parent, const char *name, bool neutral, bool first, bool last)
{
    static const struct {
        const char *parent;
        const char *prefix; /* of the atom's name */
        double charge;
    } side_chains[] = {
        {"ARG", "NH", 0.5}, {"ASP", "OD", -0.5}, {"GLU", "OE", -0.5}, {"LYS", "NZ", 1.0}};

    /* The ends are those of the molecule, not of each of its chains, as in FTDock 2.0. The ends of
     * inner chains carry the charges of a peptide bond, and OXT carries none. */
    if (strcmp(name, "N") == 0) {
        if (strcmp(parent, "PRO") == 0) {
            return -0.10;
        }
        return first ? 1.00 : 0.55;
    }
    if (strcmp(name, "O") == 0) {
        return last ? -1.00 : -0.55;
    }
    for (size_t i = 0; !neutral && i < sizeof side_chains / sizeof *side_chains; i++) {
        if (strcmp(parent, side_chains[i].parent) == 0 &&
            strncmp(name, side_chains[i].prefix, strlen(side_chains[i].prefix)) == 0) {
            return side_chains[i].charge;
        }
    }
    return 0.0;
}
