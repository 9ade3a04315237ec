/* Extrapolation of Fock matrices: P. Pulay, J. Comput. Chem. 3, 556 (1982); far from the solution,
 * the density of least energy to second order, X. Hu, W. Yang, J. Chem. Phys. 132, 054109 (2010).
 */
#include <math.h>
#include <string.h>

#include "solvers/scf/scf.h"

tsl_status tsl_scf_diis_create(tsl_scf_diis *out, tsl_context *context, int64_t fock, int64_t error)
{
    memset(out, 0, sizeof *out);
    out->fock = fock;
    out->error = error;
    out->focks = tsl_allocate(sizeof(double) * TSL_SCF_DIIS * (size_t)(2 * fock + error + 1));
    if (out->focks == NULL) {
        return tsl_fail_memory(context, 8 * TSL_SCF_DIIS * (2 * fock + error), "extrapolation");
    }
    out->densities = out->focks + TSL_SCF_DIIS * fock;
    out->errors = out->densities + TSL_SCF_DIIS * fock;
    return TSL_OK;
}

void tsl_scf_diis_release(tsl_scf_diis *diis)
{
    tsl_release(diis->focks);
    memset(diis, 0, sizeof *diis);
}

void tsl_scf_diis_forget(tsl_scf_diis *diis)
{
    diis->count = diis->next = 0;
}

/* Solve a [n][n] x = b in place by elimination with row pivots. False: it is singular. */
static bool solve(double a[TSL_SCF_DIIS + 1][TSL_SCF_DIIS + 1], double *b, int n)
{
    for (int k = 0; k < n; k++) {
        int pivot = k;
        for (int i = k + 1; i < n; i++) {
            pivot = fabs(a[i][k]) > fabs(a[pivot][k]) ? i : pivot;
        }
        if (!(fabs(a[pivot][k]) > 1e-13)) {
            return false;
        }
        for (int j = 0; j < n; j++) {
            const double swap = a[k][j];
            a[k][j] = a[pivot][j];
            a[pivot][j] = swap;
        }
        const double swap = b[k];
        b[k] = b[pivot];
        b[pivot] = swap;
        for (int i = k + 1; i < n; i++) {
            const double factor = a[i][k] / a[k][k];
            for (int j = k; j < n; j++) {
                a[i][j] -= factor * a[k][j];
            }
            b[i] -= factor * b[k];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++) {
            b[k] -= a[k][j] * b[j];
        }
        b[k] /= a[k][k];
    }
    return true;
}

/* Coefficients of the combination, of sum 1, whose error is least: of those that are kept, the last
 * `used`. */
static bool combine(const tsl_scf_diis *d, double *coefficient, int used)
{
    double a[TSL_SCF_DIIS + 1][TSL_SCF_DIIS + 1], b[TSL_SCF_DIIS + 1];
    int place[TSL_SCF_DIIS];
    double scale = 0;
    for (int i = 0; i < used; i++) {
        place[i] = (d->next - 1 - i + 2 * TSL_SCF_DIIS) % TSL_SCF_DIIS;
        scale = fmax(scale, d->product[place[i]][place[i]]);
    }
    if (!(scale > 0)) {
        return false;
    }
    for (int i = 0; i < used; i++) {
        for (int j = 0; j < used; j++) {
            a[i][j] = d->product[place[i]][place[j]] / scale;
        }
        a[i][used] = a[used][i] = 1;
        b[i] = 0;
    }
    a[used][used] = 0;
    b[used] = 1;
    if (!solve(a, b, used + 1)) {
        return false;
    }
    memset(coefficient, 0, sizeof *coefficient * TSL_SCF_DIIS);
    for (int i = 0; i < used; i++) {
        coefficient[place[i]] = b[i];
    }
    return true;
}

/* The value of g c + 1/2 c h c, and its least along the edge from weight j to weight i of a
 * simplex. */
typedef struct quadratic {
    double g[TSL_SCF_DIIS], h[TSL_SCF_DIIS][TSL_SCF_DIIS];
} quadratic;

static void move_weight(const quadratic *q, double *c, int count, int i, int j)
{
    double slope = q->g[i] - q->g[j];
    for (int k = 0; k < count; k++) {
        slope += (q->h[i][k] - q->h[j][k]) * c[k];
    }
    const double curvature = q->h[i][i] + q->h[j][j] - 2 * q->h[i][j];
    const double low = -c[i], high = c[j];
    double step = curvature > 0 ? -slope / curvature : 0;
    if (curvature <= 0) { /* the lower end */
        const double at_low = slope * low + 0.5 * curvature * low * low;
        step = at_low < slope * high + 0.5 * curvature * high * high ? low : high;
    }
    step = fmin(fmax(step, low), high);
    c[i] += step;
    c[j] -= step;
}

/* Weights, none negative and of sum 1, of the density of least energy to second order about the
 * last. */
static void descend(const tsl_scf_diis *d, double *c, int last)
{
    enum { SWEEPS = 100 };
    quadratic q;
    for (int i = 0; i < d->count; i++) {
        c[i] = i == last;
        q.g[i] = d->energy[i][last] - d->energy[last][last];
        for (int j = 0; j < d->count; j++) {
            q.h[i][j] = 0.5 * (d->energy[i][j] - d->energy[last][j] - d->energy[i][last] +
                               d->energy[j][i] - d->energy[last][i] - d->energy[j][last]) +
                        d->energy[last][last];
        }
    }
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        for (int i = 0; i < d->count; i++) {
            for (int j = 0; j < i; j++) {
                move_weight(&q, c, d->count, i, j);
            }
        }
    }
}

int tsl_scf_diis_take_slot(tsl_scf_diis *d)
{
    const int slot = d->next;
    d->next = (slot + 1) % TSL_SCF_DIIS;
    d->count += d->count < TSL_SCF_DIIS;
    return slot;
}

static void keep(tsl_scf_diis *d, const double *fock, const double *density, const double *error)
{
    const int slot = tsl_scf_diis_take_slot(d);
    memcpy(d->focks + slot * d->fock, fock, sizeof *fock * (size_t)d->fock);
    memcpy(d->densities + slot * d->fock, density, sizeof *density * (size_t)d->fock);
    memcpy(d->errors + slot * d->error, error, sizeof *error * (size_t)d->error);
    for (int i = 0; i < d->count; i++) {
        d->product[slot][i] = d->product[i][slot] =
            tsl_scf_trace(d->errors + slot * d->error, d->errors + i * d->error, d->error);
        d->energy[slot][i] = tsl_scf_trace(density, d->focks + i * d->fock, d->fock);
        d->energy[i][slot] = tsl_scf_trace(d->densities + i * d->fock, fock, d->fock);
    }
}

bool tsl_scf_diis_weigh(tsl_scf_diis *d, int last, double largest, double *weight)
{
    double least_error[TSL_SCF_DIIS] = {0}, least_energy[TSL_SCF_DIIS] = {0};
    const double far = fmin(fmax((largest - 0.01) / 0.09, 0), 1);
    int used = d->count;
    while (used > 1 && !combine(d, least_error, used)) {
        used--; /* errors that depend on each other: without the oldest */
    }
    if (used < 2) {
        return false;
    }
    if (far > 0) {
        descend(d, least_energy, last);
    }
    for (int i = 0; i < d->count; i++) {
        weight[i] = far * least_energy[i] + (1 - far) * least_error[i];
    }
    return true;
}

void tsl_scf_diis_extrapolate(tsl_scf_diis *d, double *fock, const double *density,
                              const double *error, double largest)
{
    double weight[TSL_SCF_DIIS];
    const int last = d->next;
    keep(d, fock, density, error);
    if (!tsl_scf_diis_weigh(d, last, largest, weight)) {
        return;
    }
    memset(fock, 0, sizeof *fock * (size_t)d->fock);
    for (int i = 0; i < d->count; i++) {
        for (int64_t k = 0; k < d->fock && weight[i] != 0; k++) {
            fock[k] += weight[i] * d->focks[i * d->fock + k];
        }
    }
}
