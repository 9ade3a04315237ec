#include <math.h>
#include <string.h>

#include "solvers/scf/scf.h"

tsl_status tsl_scf_diis_create(tsl_scf_diis *out, tsl_context *context, int64_t fock, int64_t error)
{
    memset(out, 0, sizeof *out);
    out->fock = fock;
    out->error = error;
    out->focks = tsl_allocate(sizeof(double) * TSL_SCF_DIIS * (size_t)(fock + error + 1));
    if (out->focks == NULL) {
        return tsl_fail_memory(context, 8 * TSL_SCF_DIIS * (fock + error), "extrapolation");
    }
    out->errors = out->focks + TSL_SCF_DIIS * fock;
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

void tsl_scf_diis_extrapolate(tsl_scf_diis *d, double *fock, const double *error)
{
    double coefficient[TSL_SCF_DIIS];
    const int slot = d->next;
    memcpy(d->focks + slot * d->fock, fock, sizeof *fock * (size_t)d->fock);
    memcpy(d->errors + slot * d->error, error, sizeof *error * (size_t)d->error);
    d->next = (slot + 1) % TSL_SCF_DIIS;
    d->count += d->count < TSL_SCF_DIIS;
    for (int i = 0; i < d->count; i++) {
        d->product[slot][i] = d->product[i][slot] =
            tsl_scf_trace(d->errors + slot * d->error, d->errors + i * d->error, d->error);
    }
    int used = d->count;
    while (used > 1 && !combine(d, coefficient, used)) {
        used--; /* errors that depend on each other: without the oldest */
    }
    if (used < 2) {
        return;
    }
    memset(fock, 0, sizeof *fock * (size_t)d->fock);
    for (int i = 0; i < d->count; i++) {
        for (int64_t k = 0; k < d->fock && coefficient[i] != 0; k++) {
            fock[k] += coefficient[i] * d->focks[i * d->fock + k];
        }
    }
}
