/* Coulomb integrals of four centers, for small bases. */
#include <math.h>
#include <string.h>

#include "core/context.h"
#include "solvers/scf/integrals/integrals.h"

enum { PRODUCTS = TSL_SCF_MAX_CARTESIAN * TSL_SCF_MAX_CARTESIAN };

typedef struct shell_pair {
    int i, j;
    tsl_scf_pair pair;
} shell_pair;

typedef double lane_values[TSL_SCF_LANES];

static int64_t packed(int64_t a, int64_t b)
{
    return a >= b ? a * (a + 1) / 2 + b : b * (b + 1) / 2 + a;
}

/* sums [hermites of a][functions of b] += primitive k of a with all primitives of b. */
static void add_primitive(double *sums, const tsl_scf_tables *tables, const tsl_scf_pair *a, int k,
                          const tsl_scf_pair *b)
{
    lane_values r[TSL_SCF_HERMITES];
    for (int first = 0; first < b->primitives; first += TSL_SCF_LANES) {
        tsl_scf_lanes lanes = {{0}, {{0}}, {0}};
        const int count =
            b->primitives - first < TSL_SCF_LANES ? b->primitives - first : TSL_SCF_LANES;
        for (int w = 0; w < TSL_SCF_LANES; w++) {
            const int from = first + (w < count ? w : 0);
            lanes.exponent[w] = b->exponent[from];
            lanes.weight[w] = w < count;
            for (int axis = 0; axis < 3; axis++) {
                lanes.center[axis][w] = b->center[3 * from + axis];
            }
        }
        tsl_scf_coulomb_lanes(r, tables, a->order + b->order, a->exponent[k], a->center + 3 * k,
                              &lanes, 0);
        for (int t = 0; t < a->hermites; t++) {
            double *to = sums + t * b->functions;
            for (int u = 0; u < b->hermites; u++) {
                const unsigned char *e = tables->hermite[u].t;
                const double sign = (e[0] + e[1] + e[2]) % 2 == 0 ? 1 : -1;
                const double *from = r[tables->sum[t][u]];
                for (int w = 0; w < count; w++) {
                    const double *h =
                        b->h + (size_t)((first + w) * b->hermites + u) * (size_t)b->functions;
                    for (int f = 0; f < b->functions; f++) {
                        to[f] += sign * from[w] * h[f];
                    }
                }
            }
        }
    }
}

static void place(double *out, int64_t pairs, const tsl_scf_basis *basis, const shell_pair *a,
                  const shell_pair *b, const double *values)
{
    const tsl_scf_shell *s[4] = {&basis->shell[a->i], &basis->shell[a->j], &basis->shell[b->i],
                                 &basis->shell[b->j]};
    for (int f = 0; f < a->pair.functions; f++) {
        const int64_t row =
            packed(s[0]->function + f / s[1]->functions, s[1]->function + f % s[1]->functions);
        for (int g = 0; g < b->pair.functions; g++) {
            const int64_t column =
                packed(s[2]->function + g / s[3]->functions, s[3]->function + g % s[3]->functions);
            out[row * pairs + column] = out[column * pairs + row] =
                values[f * b->pair.functions + g];
        }
    }
}

static void quartet(double *out, int64_t pairs, const tsl_scf_tables *tables,
                    const tsl_scf_basis *basis, const shell_pair *a, const shell_pair *b,
                    double *sums, double *values)
{
    const int n = b->pair.functions;
    memset(values, 0, sizeof *values * (size_t)(a->pair.functions * n));
    for (int k = 0; k < a->pair.primitives; k++) {
        memset(sums, 0, sizeof *sums * (size_t)(a->pair.hermites * n));
        add_primitive(sums, tables, &a->pair, k, &b->pair);
        for (int t = 0; t < a->pair.hermites; t++) {
            const double *h =
                a->pair.h + (size_t)(k * a->pair.hermites + t) * (size_t)a->pair.functions;
            for (int f = 0; f < a->pair.functions; f++) {
                for (int g = 0; g < n; g++) {
                    values[f * n + g] += h[f] * sums[t * n + g];
                }
            }
        }
    }
    place(out, pairs, basis, a, b, values);
}

static tsl_status expand_all(shell_pair *list, tsl_context *context, const tsl_scf_basis *basis,
                             double screen)
{
    int k = 0;
    for (int i = 0; i < basis->shells; i++) {
        for (int j = 0; j <= i; j++, k++) {
            const tsl_status status = tsl_scf_pair_create(&list[k].pair, context, basis, basis);
            if (status != TSL_OK) {
                return status;
            }
            list[k].i = i;
            list[k].j = j;
            tsl_scf_pair_expand(&list[k].pair, basis, i, basis, j, screen);
        }
    }
    return TSL_OK;
}

int64_t tsl_scf_coulomb4_bytes(const tsl_context *context, const tsl_scf_basis *basis)
{
    const int64_t n = basis->functions, pairs = n * (n + 1) / 2;
    const int64_t count = (int64_t)basis->shells * (basis->shells + 1) / 2;
    const int64_t room = (int64_t)(TSL_SCF_PAIR_HERMITES + PRODUCTS) * PRODUCTS;
    return 8 * (pairs * pairs + room * context->threads) +
           (count + 1) * (int64_t)sizeof(shell_pair) + count * tsl_scf_pair_bytes(basis, basis);
}

tsl_status tsl_scf_coulomb4(double *out, tsl_context *context, const tsl_scf_tables *tables,
                            const tsl_scf_basis *basis, double screen)
{
    const int64_t n = basis->functions, pairs = n * (n + 1) / 2;
    const int count = basis->shells * (basis->shells + 1) / 2;
    const size_t room = (size_t)(TSL_SCF_PAIR_HERMITES + PRODUCTS) * PRODUCTS;
    double *work = tsl_allocate(sizeof *work * room * (size_t)context->threads);
    shell_pair *list = tsl_allocate_zeroed((size_t)count + 1, sizeof *list);
    tsl_status status = list != NULL && work != NULL ? expand_all(list, context, basis, screen)
                                                     : tsl_fail_memory(context, (int64_t)(8 * room),
                                                                       "integrals of four centers");
    if (status == TSL_OK) {
        memset(out, 0, sizeof *out * (size_t)(pairs * pairs));
#pragma omp parallel num_threads(context->threads)
        {
            double *own = NULL;
#pragma omp for schedule(dynamic)
            for (int thread = 0; thread < context->threads; thread++) {
                own = work + room * (size_t)thread;
                for (int a = thread; a < count; a += context->threads) {
                    for (int b = 0; b <= a; b++) {
                        quartet(out, pairs, tables, basis, &list[a], &list[b], own,
                                own + TSL_SCF_PAIR_HERMITES * PRODUCTS);
                    }
                }
            }
        }
    }
    for (int k = 0; list != NULL && k < count; k++) {
        tsl_scf_pair_release(&list[k].pair);
    }
    tsl_release(list);
    tsl_release(work);
    return status;
}
