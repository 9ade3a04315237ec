/* Coulomb integrals of two and three centers. */
#include <math.h>
#include <string.h>

#include "blocks/dense/dense.h"
#include "core/clones.h"
#include "core/context.h"
#include "solvers/scf/integrals/integrals.h"

/* Rows of g that are contracted at a time: whole pairs of primitives, this many rows or one. */
enum { ROWS = 96 };

typedef double lane_values[TSL_SCF_LANES];

/* Sums over a partner's terms: to[tuv of the pair][function] += coefficient r[tuv + term's]. */
TSL_CLONES
static void add_terms(lane_values *restrict to, const lane_values *restrict r,
                      const tsl_scf_tables *restrict tables,
                      const tsl_scf_partners *restrict partners, int l, int functions, int hermites,
                      const lane_values *restrict scale)
{
    for (int term = 0; term < partners->shape[l].terms; term++) {
        const int f = partners->shape[l].function[term], h = partners->shape[l].hermite[term];
        const double *s = scale[partners->shape[l].power[term]];
        const double c = partners->shape[l].coefficient[term];
        double factor[TSL_SCF_LANES];
        for (int w = 0; w < TSL_SCF_LANES; w++) {
            factor[w] = c * s[w];
        }
        for (int t = 0; t < hermites; t++) {
            const double *from = r[tables->sum[t][h]];
            double *at = to[t * functions + f];
            for (int w = 0; w < TSL_SCF_LANES; w++) {
                at[w] += factor[w] * from[w];
            }
        }
    }
}

/* g [hermites][auxiliary functions] of a pair of primitives. */
static void fill_g(double *g, lane_values *sums, const tsl_scf_tables *tables,
                   const tsl_scf_pair *pair, int k, const tsl_scf_partners *partners, double omega)
{
    lane_values r[TSL_SCF_HERMITES], scale[TSL_SCF_MAX_L / 2 + 1];
    const int n = partners->functions;
    memset(g, 0, sizeof *g * (size_t)pair->hermites * (size_t)n);
    for (int i = 0; i < partners->lanes; i++) {
        const tsl_scf_partner *q = &partners->partner[i];
        const int functions = partners->shape[q->l].function[partners->shape[q->l].terms - 1] + 1;
        for (int power = 0; power <= q->l / 2; power++) {
            for (int w = 0; w < TSL_SCF_LANES; w++) {
                scale[power][w] = power == 0 ? 1 : scale[power - 1][w] * 2 * q->lanes.exponent[w];
            }
        }
        tsl_scf_coulomb_lanes(r, tables, pair->order + q->l, pair->exponent[k],
                              pair->center + 3 * k, &q->lanes, omega);
        memset(sums, 0, sizeof *sums * (size_t)(pair->hermites * functions));
        add_terms(sums, (const lane_values *)r, tables, partners, q->l, functions, pair->hermites,
                  (const lane_values *)scale);
        for (int w = 0; w < TSL_SCF_LANES && q->function[w] >= 0; w++) {
            for (int t = 0; t < pair->hermites; t++) {
                double *to = g + (size_t)t * (size_t)n + q->function[w];
                for (int f = 0; f < functions; f++) {
                    to[f] += sums[t * functions + f][w];
                }
            }
        }
    }
}

/* out [functions of the pair][auxiliary functions] := the sum over primitives of h^T g. */
static void contract(double *out, double *g, const tsl_scf_tables *tables, const tsl_scf_pair *pair,
                     const tsl_scf_partners *partners, double omega)
{
    const int n = partners->functions;
    lane_values *sums = (lane_values *)(g + (size_t)(ROWS + TSL_SCF_PAIR_HERMITES) * (size_t)n);
    const int together = pair->hermites > ROWS ? 1 : ROWS / pair->hermites;
    for (int first = 0; first < pair->primitives; first += together) {
        const int count = pair->primitives - first < together ? pair->primitives - first : together;
        for (int k = 0; k < count; k++) {
            fill_g(g + (size_t)k * (size_t)pair->hermites * (size_t)n, sums, tables, pair,
                   first + k, partners, omega);
        }
        const tsl_product product = {.transpose_a = true,
                                     .m = pair->functions,
                                     .n = n,
                                     .k = (int64_t)count * pair->hermites,
                                     .alpha = 1,
                                     .a = pair->h + (size_t)first *
                                                        (size_t)(pair->hermites * pair->functions),
                                     .lda = pair->functions,
                                     .b = g,
                                     .ldb = n,
                                     .beta = first > 0,
                                     .c = out,
                                     .ldc = n};
        tsl_dense_multiply(&product);
    }
}

/* Numbers of `g`. */
static size_t work_numbers(size_t functions)
{
    const size_t rows = ROWS + TSL_SCF_PAIR_HERMITES;
    return rows * functions + TSL_SCF_PAIR_HERMITES * TSL_SCF_MAX_CARTESIAN * TSL_SCF_LANES;
}

int64_t tsl_scf_coulomb_work_bytes(const tsl_scf_basis *a, const tsl_scf_basis *b,
                                   int64_t auxiliary)
{
    return 8 * (int64_t)work_numbers((size_t)auxiliary) + tsl_scf_pair_bytes(a, b);
}

static tsl_status create_work(tsl_scf_coulomb3_work *out, tsl_context *context,
                              const tsl_scf_basis *a, const tsl_scf_basis *b,
                              const tsl_scf_partners *partners)
{
    const size_t numbers = work_numbers((size_t)partners->functions);
    out->g = NULL;
    tsl_status status = tsl_scf_pair_create(&out->pair, context, a, b);
    if (status == TSL_OK) {
        out->g = tsl_allocate(sizeof(double) * numbers);
        status = out->g != NULL
                     ? TSL_OK
                     : tsl_fail_memory(context, (int64_t)(8 * numbers), "Coulomb integrals");
    }
    if (status != TSL_OK) {
        tsl_scf_pair_release(&out->pair);
    }
    return status;
}

tsl_status tsl_scf_coulomb3_work_create(tsl_scf_coulomb3_work *out, tsl_context *context,
                                        const tsl_scf_basis *basis,
                                        const tsl_scf_partners *partners)
{
    return create_work(out, context, basis, basis, partners);
}

void tsl_scf_coulomb3_work_release(tsl_scf_coulomb3_work *work)
{
    tsl_scf_pair_release(&work->pair);
    tsl_release(work->g);
    work->g = NULL;
}

bool tsl_scf_coulomb3(double *out, tsl_scf_coulomb3_work *work, const tsl_scf_tables *tables,
                      const tsl_scf_basis *basis, int i, int j, const tsl_scf_partners *partners,
                      double screen, double omega)
{
    tsl_scf_pair_expand(&work->pair, basis, i, basis, j, screen);
    if (work->pair.primitives == 0) {
        return false;
    }
    contract(out, work->g, tables, &work->pair, partners, omega);
    return true;
}

tsl_status tsl_scf_coulomb2(double *metric, tsl_context *context, const tsl_scf_tables *tables,
                            const tsl_scf_basis *auxiliary, const tsl_scf_partners *partners,
                            double omega)
{
    const int64_t n = auxiliary->functions;
    tsl_status status = TSL_OK;
#pragma omp parallel num_threads(context->threads)
    {
        tsl_scf_coulomb3_work work;
        const tsl_status own = create_work(&work, NULL, auxiliary, NULL, partners);
        if (own != TSL_OK) {
#pragma omp atomic write
            status = own;
        }
#pragma omp for schedule(dynamic)
        for (int s = 0; s < auxiliary->shells; s++) {
            if (own == TSL_OK) {
                tsl_scf_pair_single(&work.pair, auxiliary, s);
                contract(metric + auxiliary->shell[s].function * n, work.g, tables, &work.pair,
                         partners, omega);
            }
        }
        if (own == TSL_OK) {
            tsl_scf_coulomb3_work_release(&work);
        }
    }
    if (status != TSL_OK) {
        return tsl_fail(context, status, "out of memory: cannot take what Coulomb integrals need");
    }
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < i; j++) {
            metric[j * n + i] = metric[i * n + j];
        }
    }
    return TSL_OK;
}
