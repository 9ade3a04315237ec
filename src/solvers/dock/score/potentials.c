/* The library's own pair potentials. */
#include "solvers/dock/plan.h"

/* One potential for all types: how much soft spheres of the size of protein atoms repel each other
 * and attract each other, in units of a pair of the score's P. */
enum { BINS = 9 };

static const double edges[BINS] = {3, 3.5, 4, 4.5, 5, 5.5, 6, 8, 10};
static const double even[BINS] = {9.9, 4.6, -1.1, -2.5, -0.8, -1.6, 0, 0.1, 0};

void tsl_pair_potentials_own(tsl_pair_potentials *out, double *values)
{
    for (int i = 0; i < BINS * TSL_PAIR_TABLE; i++) {
        values[i] = even[i / TSL_PAIR_TABLE];
    }
    out->bins = BINS;
    out->edges = edges;
    out->values = values;
}
