#include <math.h>
#include <string.h>

#include "core/clones.h"
#include "solvers/scf/integrals/integrals.h"

/* ---- tables --------------------------------------------------------------------------------- */

static int hermite_index(int t, int u, int v)
{
    const int n = t + u + v;
    return n * (n + 1) * (n + 2) / 6 + (u + v) * (u + v + 1) / 2 + v;
}

static void fill_hermite(tsl_scf_tables *tables, int t, int u, int v)
{
    const int axis = t > 0 ? 0 : u > 0 ? 1 : 2;
    const int e[3] = {t, u, v};
    int lower[3] = {t, u, v}, lower2[3] = {t, u, v};
    lower[axis] -= 1;
    lower2[axis] -= 2;
    const int i = hermite_index(t, u, v);
    for (int k = 0; k < 3; k++) {
        tables->hermite[i].t[k] = (unsigned char)e[k];
    }
    if (i == 0) {
        return;
    }
    tables->hermite[i].axis = (signed char)axis;
    tables->hermite[i].lower = (short)hermite_index(lower[0], lower[1], lower[2]);
    tables->hermite[i].factor = e[axis] - 1;
    tables->hermite[i].lower2 =
        (short)(e[axis] > 1 ? hermite_index(lower2[0], lower2[1], lower2[2]) : 0);
}

static void fill_sums(tsl_scf_tables *tables)
{
    for (int i = 0; i < TSL_SCF_PAIR_HERMITES; i++) {
        for (int j = 0; j < TSL_SCF_PAIR_HERMITES; j++) {
            const unsigned char *a = tables->hermite[i].t, *b = tables->hermite[j].t;
            tables->sum[i][j] = (short)hermite_index(a[0] + b[0], a[1] + b[1], a[2] + b[2]);
        }
    }
}

tsl_status tsl_scf_tables_create(tsl_scf_tables **out, tsl_context *context)
{
    tsl_scf_tables *tables = tsl_allocate_zeroed(1, sizeof *tables);
    if (tables == NULL) {
        return tsl_fail_memory(context, sizeof *tables, "tables of integrals");
    }
    tsl_boys_fill(tables->boys);
    for (int n = 0; n <= TSL_SCF_MAX_ORDER; n++) {
        for (int t = n; t >= 0; t--) {
            for (int u = n - t; u >= 0; u--) {
                fill_hermite(tables, t, u, n - t - u);
            }
        }
    }
    fill_sums(tables);
    *out = tables;
    return TSL_OK;
}

/* ---- derivatives ---------------------------------------------------------------------------- */

/* Raise the order of all r by one: of R^(n+1) up to order `order` - 1 make R^(n) up to `order`,
 * from the end, so that what is read is still of n + 1. R^(n)_000 is `start`. */
TSL_CLONES
static void raise(double (*restrict r)[TSL_SCF_LANES], const tsl_scf_tables *restrict tables,
                  int order, const double (*restrict x)[TSL_SCF_LANES],
                  const double *restrict start)
{
    for (int i = tsl_hermites(order) - 1; i > 0; i--) {
        const double *d = x[tables->hermite[i].axis];
        const double *one = r[tables->hermite[i].lower], *two = r[tables->hermite[i].lower2];
        const double factor = tables->hermite[i].factor;
        double *to = r[i];
        for (int w = 0; w < TSL_SCF_LANES; w++) {
            to[w] = d[w] * one[w] + factor * two[w];
        }
    }
    memcpy(r[0], start, sizeof r[0]);
}

/* start[n][lane] := weight times prefactor (-2 rho)^n F_n(rho |P - Q|^2). */
static void boys_of_lane(double (*start)[TSL_SCF_LANES], const tsl_scf_tables *tables, int order,
                         double p, const double d[3], const tsl_scf_lanes *lanes, int w,
                         double omega)
{
    double f[TSL_SCF_MAX_ORDER + 1];
    const double q = lanes->exponent[w];
    double rho = q > 0 ? p * q / (p + q) : p;
    double scale = lanes->weight[w] * 2 * M_PI / p;
    if (q > 0) {
        scale *= M_PI * sqrt(M_PI) / (q * sqrt(p + q));
    }
    if (omega > 0) {
        const double theta = omega * omega / (omega * omega + rho);
        scale *= sqrt(theta);
        rho *= theta;
    }
    tsl_boys(f, order, rho * (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]), tables->boys);
    for (int n = 0; n <= order; n++) {
        start[n][w] = scale * f[n];
        scale *= -2 * rho;
    }
}

void tsl_scf_coulomb_lanes(double (*r)[TSL_SCF_LANES], const tsl_scf_tables *tables, int order,
                           double p, const double center[3], const tsl_scf_lanes *lanes,
                           double omega)
{
    double start[TSL_SCF_MAX_ORDER + 1][TSL_SCF_LANES], x[3][TSL_SCF_LANES];
    for (int w = 0; w < TSL_SCF_LANES; w++) {
        double d[3];
        for (int k = 0; k < 3; k++) {
            d[k] = center[k] - lanes->center[k][w];
            x[k][w] = d[k];
        }
        boys_of_lane(start, tables, order, p, d, lanes, w, omega);
    }
    memcpy(r[0], start[order], sizeof r[0]);
    for (int n = order - 1; n >= 0; n--) {
        raise(r, tables, order - n, (const double(*)[TSL_SCF_LANES])x, start[n]);
    }
}
