#include <math.h>
#include <string.h>

#include "core/context.h"
#include "solvers/scf/integrals/integrals.h"

/* What a thread does with a pair of shells, i >= j, that has been expanded. */
typedef void visit_pair(void *work, tsl_scf_pair *pair, const tsl_scf_basis *basis, int i, int j);

/* Visit all pairs of shells, each once, by any thread. */
static tsl_status visit(tsl_context *context, const tsl_scf_basis *basis, double screen,
                        visit_pair *call, void *work)
{
    const int64_t pairs = (int64_t)basis->shells * (basis->shells + 1) / 2;
    tsl_status status = TSL_OK;
#pragma omp parallel num_threads(context->threads)
    {
        tsl_scf_pair pair;
        const tsl_status own = tsl_scf_pair_create(&pair, NULL, basis, basis);
        if (own != TSL_OK) {
#pragma omp atomic write
            status = own;
        }
#pragma omp for schedule(dynamic)
        for (int64_t k = 0; k < pairs; k++) {
            int i = (int)((sqrt(8.0 * (double)k + 1) - 1) / 2);
            i += (int64_t)(i + 1) * (i + 2) / 2 <= k;
            i -= (int64_t)i * (i + 1) / 2 > k;
            const int j = (int)(k - (int64_t)i * (i + 1) / 2);
            if (own == TSL_OK) {
                tsl_scf_pair_expand(&pair, basis, i, basis, j, screen);
                call(work, &pair, basis, i, j);
            }
        }
        tsl_scf_pair_release(&pair);
    }
    return status == TSL_OK ? TSL_OK
                            : tsl_fail(context, status,
                                       "out of memory: cannot take what products of basis "
                                       "functions need");
}

/* Both triangles of a matrix of functions get the values of a pair of shells; of one shell with
 * itself the lower triangle's. */
static void place(double *matrix, const double *values, const tsl_scf_basis *basis, int i, int j)
{
    const tsl_scf_shell *a = &basis->shell[i], *b = &basis->shell[j];
    for (int f = 0; f < a->functions; f++) {
        for (int g = 0; g < b->functions; g++) {
            const size_t row = (size_t)(a->function + f), column = (size_t)(b->function + g);
            if (row >= column) {
                const size_t n = (size_t)basis->functions;
                matrix[row * n + column] = matrix[column * n + row] = values[f * b->functions + g];
            }
        }
    }
}

static void fill_pair(void *work, tsl_scf_pair *pair, const tsl_scf_basis *basis, int i, int j)
{
    const tsl_scf_one_electron *out = work;
    double *values = pair->work;
    for (int which = 0; which < 4; which++) {
        double *matrix = which == 0 ? out->overlap : out->dipole[which - 1];
        if (matrix == NULL) {
            continue;
        }
        memset(values, 0, sizeof *values * (size_t)pair->functions);
        for (int k = 0; k < pair->primitives; k++) {
            const double *h = pair->h + (size_t)k * (size_t)(pair->hermites * pair->functions);
            const double volume = pow(M_PI / pair->exponent[k], 1.5);
            const double x = which == 0 ? 1 : pair->center[3 * k + which - 1];
            for (int f = 0; f < pair->functions; f++) {
                values[f] += volume * x * h[f];
                if (which > 0 && pair->order > 0) {
                    values[f] += volume * h[which * pair->functions + f];
                }
            }
        }
        place(matrix, values, basis, i, j);
    }
    if (out->kinetic != NULL) {
        tsl_scf_pair_kinetic(pair, basis, i, basis, j);
        place(out->kinetic, pair->kinetic, basis, i, j);
    }
}

tsl_status tsl_scf_one_electron_fill(const tsl_scf_one_electron *out, tsl_context *context,
                                     const tsl_scf_basis *basis, double screen)
{
    tsl_scf_one_electron copy = *out;
    return visit(context, basis, screen, fill_pair, &copy);
}

/* ---- attraction by point charges ------------------------------------------------------------ */

typedef struct attraction {
    double *v;
    const tsl_scf_tables *tables;
    tsl_scf_lanes *lanes;
    int64_t groups;
} attraction;

static void attract_pair(void *work, tsl_scf_pair *pair, const tsl_scf_basis *basis, int i, int j)
{
    const attraction *a = work;
    double r[TSL_SCF_PAIR_HERMITES][TSL_SCF_LANES], sum[TSL_SCF_PAIR_HERMITES][TSL_SCF_LANES];
    double *values = pair->work;
    memset(values, 0, sizeof *values * (size_t)pair->functions);
    for (int k = 0; k < pair->primitives; k++) {
        const double *h = pair->h + (size_t)k * (size_t)(pair->hermites * pair->functions);
        memset(sum, 0, sizeof sum[0] * (size_t)pair->hermites);
        for (int64_t group = 0; group < a->groups; group++) {
            tsl_scf_coulomb_lanes(r, a->tables, pair->order, pair->exponent[k],
                                  pair->center + 3 * k, &a->lanes[group], 0);
            for (int t = 0; t < pair->hermites; t++) {
                for (int w = 0; w < TSL_SCF_LANES; w++) {
                    sum[t][w] += r[t][w];
                }
            }
        }
        for (int t = 0; t < pair->hermites; t++) {
            double total = 0;
            for (int w = 0; w < TSL_SCF_LANES; w++) {
                total += sum[t][w];
            }
            for (int f = 0; f < pair->functions; f++) {
                values[f] -= total * h[t * pair->functions + f];
            }
        }
    }
    place(a->v, values, basis, i, j);
}

tsl_status tsl_scf_attraction(double *v, tsl_context *context, const tsl_scf_tables *tables,
                              const tsl_scf_basis *basis, int64_t charges, const double *charge,
                              const double *position, double screen)
{
    attraction a = {.v = v, .tables = tables};
    a.lanes = tsl_allocate_zeroed((size_t)(charges / TSL_SCF_LANES + 1), sizeof *a.lanes);
    if (a.lanes == NULL) {
        return tsl_fail_memory(context, charges * 40, "point charges");
    }
    int64_t used = 0;
    for (int64_t c = 0; c < charges; c++) {
        if (charge[c] == 0) {
            continue;
        }
        tsl_scf_lanes *lanes = &a.lanes[used / TSL_SCF_LANES];
        const int w = (int)(used++ % TSL_SCF_LANES);
        lanes->weight[w] = charge[c];
        for (int k = 0; k < 3; k++) {
            lanes->center[k][w] = position[3 * c + k];
        }
    }
    a.groups = (used + TSL_SCF_LANES - 1) / TSL_SCF_LANES;
    const tsl_status status = visit(context, basis, screen, attract_pair, &a);
    tsl_release(a.lanes);
    return status;
}
