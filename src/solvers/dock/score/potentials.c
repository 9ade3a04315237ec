/* The library's own pair potentials, as `bench/dock/rank.py pairs` prints them (pairs.all.txt). */
#include "solvers/dock/plan.h"

/* One potential of each bin for all types: atoms that overlap repel, those that touch attract. */
enum { BINS = 3 };

static const double edges[BINS] = {3.5, 5.5, 8};
static const double even[BINS] = {4.630, -1.522, 0.110};

void tsl_pair_potentials_own(tsl_pair_potentials *out, double *values)
{
    for (int i = 0; i < BINS * TSL_PAIR_TABLE; i++) {
        values[i] = even[i / TSL_PAIR_TABLE];
    }
    out->bins = BINS;
    out->edges = edges;
    out->values = values;
}
