/* Third derivatives: second ones differentiated by each input in turn. */
#include "solvers/xc/xc_third.h"

#include "solvers/xc/xc.h"

/* The kinds of variables (density, gradient, kinetic energy) that the inputs are, by the number of
 * inputs: where each kind begins, and the end. For two inputs a local functional's two densities
 * have the same pairs and triples as a density and a gradient. */
typedef struct kinds {
    int inputs, count;
    int begin[4];
} kinds;

static const kinds table[] = {{1, 1, {0, 1}},
                              {2, 2, {0, 1, 2}},
                              {3, 3, {0, 1, 2, 3}},
                              {5, 2, {0, 2, 5}},
                              {7, 3, {0, 2, 5, 7}}};

/* The place of the second derivative by inputs i <= j, of kinds a <= b. */
static int place_of(const kinds *k, int i, int j)
{
    int place = 0;
    for (int a = 0; a < k->count; a++) {
        for (int b = a; b < k->count; b++) {
            for (int x = k->begin[a]; x < k->begin[a + 1]; x++) {
                for (int y = a == b ? x : k->begin[b]; y < k->begin[b + 1]; y++, place++) {
                    if (x == i && y == j) {
                        return place;
                    }
                }
            }
        }
    }
    return -1;
}

int tsl_xc_list_triples(tsl_xc_triple triples[TSL_XC_TRIPLES], int inputs)
{
    int row = 0;
    int count = 0;
    while (table[row].inputs != inputs) {
        row++;
    }
    const kinds k = table[row];
    for (int a = 0; a < k.count; a++) {
        for (int b = a; b < k.count; b++) {
            for (int c = b; c < k.count; c++) {
                for (int x = k.begin[a]; x < k.begin[a + 1]; x++) {
                    for (int y = a == b ? x : k.begin[b]; y < k.begin[b + 1]; y++) {
                        for (int z = b == c ? y : k.begin[c]; z < k.begin[c + 1]; z++, count++) {
                            triples[count].pair = place_of(&k, x, y);
                            triples[count].input = z;
                        }
                    }
                }
            }
        }
    }
    return count;
}

void tsl_xc_run_third(tsl_xc_dual_body *body, int inputs, const double *c, const double *const *in,
                      double *const *out, const int64_t *step, int64_t points)
{
    tsl_xc_triple triples[TSL_XC_TRIPLES];
    const int count = tsl_xc_list_triples(triples, inputs);
    const int lower = tsl_xc_outputs(inputs, 2);
    for (int64_t i = 0; i < points; i++) {
        double x[TSL_XC_INPUTS][2];
        double y[1 + TSL_XC_FIRST + TSL_XC_SECOND][2];
        for (int by = 0; by < inputs; by++) {
            for (int k = 0; k < inputs; k++) {
                x[k][0] = in[k][i];
                x[k][1] = k == by ? 1 : 0;
            }
            body(c, x, y);
            for (int t = 0; t < count; t++) {
                if (triples[t].input == by) {
                    out[lower + t][i * step[lower + t]] = y[1 + inputs + triples[t].pair][1];
                }
            }
        }
        for (int k = 0; k < lower; k++) {
            out[k][i * step[k]] = y[k][0];
        }
    }
}
