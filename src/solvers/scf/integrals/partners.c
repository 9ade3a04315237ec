/* Auxiliary functions, made ready as partners of Coulomb integrals. */
#include <math.h>
#include <string.h>

#include "solvers/scf/integrals/integrals.h"

/* n[i][t]: x^i exp(-q x^2) is the sum over t of n[i][t] (2q)^-((i+t)/2) (d/dX)^t exp(-q (x - X)^2).
 */
static void powers(double n[TSL_SCF_MAX_L + 1][TSL_SCF_MAX_L + 2])
{
    memset(n, 0, sizeof(double) * (TSL_SCF_MAX_L + 1) * (TSL_SCF_MAX_L + 2));
    n[0][0] = 1;
    for (int i = 0; i < TSL_SCF_MAX_L; i++) {
        for (int t = 0; t <= i + 1; t++) {
            n[i + 1][t] = (t > 0 ? n[i][t - 1] : 0) + (t < i ? (t + 1) * n[i][t + 1] : 0);
        }
    }
}

/* Function f's coefficient at (d/dQ)^(t,u,v); the sign makes these derivatives by P. */
static double coefficient_of(double n[TSL_SCF_MAX_L + 1][TSL_SCF_MAX_L + 2], const double *row,
                             int l, int t, int u, int v)
{
    double sum = 0;
    int c = 0;
    for (int x = l; x >= 0; x--) {
        for (int y = l - x; y >= 0; y--, c++) {
            sum += row[c] * n[x][t] * n[y][u] * n[l - x - y][v];
        }
    }
    return (t + u + v) % 2 == 0 ? sum : -sum;
}

static void fill_shape(tsl_scf_partners *p, int l, bool cartesian)
{
    double n[TSL_SCF_MAX_L + 1][TSL_SCF_MAX_L + 2];
    double table[TSL_SCF_MAX_CARTESIAN * TSL_SCF_MAX_CARTESIAN];
    const int monomials = (l + 1) * (l + 2) / 2;
    powers(n);
    tsl_scf_polynomials(table, l, cartesian);
    int terms = 0;
    for (int f = 0; f < tsl_scf_shell_size(l, cartesian); f++) {
        int hermite = 0;
        for (int order = 0; order <= l; order++) {
            for (int t = order; t >= 0; t--) {
                for (int u = order - t; u >= 0; u--, hermite++) {
                    const double c =
                        coefficient_of(n, table + f * monomials, l, t, u, order - t - u);
                    if (fabs(c) > 1e-12) { /* of harmonics only those with order = l are not zero */
                        p->shape[l].function[terms] = (short)f;
                        p->shape[l].hermite[terms] = (short)hermite;
                        p->shape[l].power[terms] = (signed char)((l - order) / 2);
                        p->shape[l].coefficient[terms++] = c;
                    }
                }
            }
        }
    }
    p->shape[l].terms = terms;
}

/* The primitives of one l, a lane each. Without memory for them only count. */
static void fill_lanes(tsl_scf_partners *p, const tsl_scf_basis *basis, int l)
{
    int used = TSL_SCF_LANES;
    for (int s = 0; s < basis->shells; s++) {
        const tsl_scf_shell *shell = &basis->shell[s];
        for (int k = 0; k < shell->primitives && shell->l == l; k++) {
            if (used == TSL_SCF_LANES) {
                used = 0;
                p->lanes++;
            }
            if (p->partner != NULL) {
                tsl_scf_partner *to = &p->partner[p->lanes - 1];
                const double q = basis->exponent[shell->first + k];
                to->l = l;
                to->function[used] = shell->function;
                to->lanes.exponent[used] = q;
                to->lanes.weight[used] = basis->coefficient[shell->first + k] * pow(2 * q, -l);
                for (int axis = 0; axis < 3; axis++) {
                    to->lanes.center[axis][used] = shell->center[axis];
                }
            }
            used++;
        }
    }
}

static void clear_lanes(tsl_scf_partners *p)
{
    for (int i = 0; i < p->lanes; i++) {
        for (int w = 0; w < TSL_SCF_LANES; w++) {
            p->partner[i].function[w] = -1;
            p->partner[i].lanes.exponent[w] = 1;
        }
    }
}

tsl_status tsl_scf_partners_create(tsl_scf_partners **out, tsl_context *context,
                                   const tsl_scf_basis *auxiliary)
{
    tsl_scf_partners *p = tsl_allocate_zeroed(1, sizeof *p);
    *out = p;
    if (p == NULL) {
        return tsl_fail_memory(context, sizeof *p, "auxiliary functions");
    }
    p->functions = auxiliary->functions;
    p->max_l = auxiliary->max_l;
    for (int l = 0; l <= auxiliary->max_l; l++) {
        fill_shape(p, l, auxiliary->cartesian);
        fill_lanes(p, auxiliary, l);
    }
    p->partner = tsl_allocate_zeroed((size_t)p->lanes + 1, sizeof *p->partner);
    if (p->partner == NULL) {
        return tsl_fail_memory(context, (int64_t)sizeof *p->partner * p->lanes,
                               "auxiliary functions");
    }
    clear_lanes(p);
    p->lanes = 0;
    for (int l = 0; l <= auxiliary->max_l; l++) {
        fill_lanes(p, auxiliary, l);
    }
    return TSL_OK;
}

int64_t tsl_scf_partners_bytes(const tsl_scf_basis *auxiliary)
{
    /* a group of lanes that is not full, of each l */
    const int64_t lanes = auxiliary->primitives / TSL_SCF_LANES + TSL_SCF_MAX_L + 2;
    return (int64_t)sizeof(tsl_scf_partners) + lanes * (int64_t)sizeof(tsl_scf_partner);
}

void tsl_scf_partners_destroy(tsl_scf_partners *partners)
{
    if (partners != NULL) {
        tsl_release(partners->partner);
        tsl_release(partners);
    }
}
