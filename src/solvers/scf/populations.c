#include <math.h>
#include <string.h>

#include "device/device.h"
#include "solvers/scf/gpu/gpu.h"
#include "solvers/scf/scf.h"

tsl_status tsl_scf_find_spin(tsl_scf_plan *p, double *s_squared)
{
    const int64_t n = p->n, square = n * n;
    const double difference = 0.5 * (p->electrons[0] - p->electrons[1]);
    tsl_status status = TSL_OK;
    *s_squared = difference * (difference + 1);
    if (p->spins == 1) {
        return TSL_OK;
    }
    TSL_TRY(
        tsl_scf_multiply(p->context, p->work[0], p->density, false, p->overlap, false, n, n, n));
    TSL_TRY(tsl_scf_multiply(p->context, p->work[1], p->density + square, false, p->overlap, false,
                             n, n, n));
    TSL_TRY(
        tsl_scf_multiply(p->context, p->work[2], p->work[0], false, p->work[1], false, n, n, n));
    *s_squared += p->electrons[1];
    for (int64_t i = 0; i < n; i++) {
        *s_squared -= p->work[2][i * n + i];
    }
    *s_squared = fmax(*s_squared, 0); /* rounding apart */
done:
    return status;
}

void tsl_scf_find_dipole(const tsl_scf_plan *p, double dipole[3])
{
    double charge = 0;
    for (int a = 0; a < p->atoms.count; a++) {
        charge += p->atoms.charge[a];
    }
    for (int k = 0; k < 3; k++) {
        double nuclei = 0;
        for (int a = 0; a < p->atoms.count; a++) {
            nuclei += p->atoms.charge[a] * p->atoms.position[3 * a + k];
        }
        const double center = charge > 0 ? nuclei / charge : 0;
        const double electrons = tsl_scf_trace(p->total, p->dipole[k], p->n * p->n) -
                                 center * (p->electrons[0] + p->electrons[1]);
        dipole[k] = -TSL_SCF_DEBYE * electrons;
    }
}

/* ---- charges of atoms ----------------------------------------------------------------------- */

/* charges [atoms] := those of the nuclei less the diagonal of `populations` [n][n] on each. */
static void gather(const tsl_scf_plan *p, const double *populations, double *charges)
{
    memcpy(charges, p->atoms.charge, sizeof *charges * (size_t)p->atoms.count);
    for (int s = 0; s < p->basis.shells; s++) {
        const tsl_scf_shell *shell = &p->basis.shell[s];
        for (int f = shell->function; f < shell->function + shell->functions; f++) {
            charges[shell->atom] -= populations[f * p->n + f];
        }
    }
}

/* out := S^(1/2). */
static tsl_status root(const tsl_scf_plan *p, double *out, double *vectors, double *scaled)
{
    const int64_t n = p->n;
    double *values = out;
    memcpy(vectors, p->overlap, sizeof *vectors * (size_t)(n * n));
    const tsl_status status = p->context->ops->dense->eigen(p->context, n, vectors, values);
    for (int64_t k = 0; k < n && status == TSL_OK; k++) {
        for (int64_t i = 0; i < n; i++) {
            scaled[k * n + i] = sqrt(fmax(values[k], 0)) * vectors[k * n + i];
        }
    }
    return status != TSL_OK
               ? status
               : tsl_scf_multiply(p->context, out, vectors, true, scaled, false, n, n, n);
}

tsl_status tsl_scf_populations(const tsl_scf_plan *p, double *mulliken, double *lowdin)
{
    const int64_t n = p->n;
    tsl_status status = TSL_OK;
    if (!p->solved) {
        return tsl_fail(p->device, TSL_E_ARG,
                        "there is no density yet: call tsl_scf_solve() first");
    }
    double *work = tsl_allocate(sizeof *work * (size_t)(3 * n * n + 1));
    if (work == NULL) {
        return tsl_fail_memory(p->device, 24 * n * n, "populations");
    }
    double *a = work, *b = a + n * n, *c = b + n * n;
    if (mulliken != NULL) {
        TSL_TRY(tsl_scf_multiply(p->context, a, p->total, false, p->overlap, false, n, n, n));
        gather(p, a, mulliken);
    }
    if (lowdin != NULL) {
        if (p->gpu != NULL) {
            TSL_TRY(tsl_scf_gpu_lowdin(p, b));
        } else {
            TSL_TRY(root(p, a, b, c));
            TSL_TRY(tsl_scf_congruence(p->context, b, p->total, a, n, n, c));
        }
        gather(p, b, lowdin);
    }
done:
    tsl_release(work);
    return tsl_scf_host_report(p->device, p->context, status);
}
