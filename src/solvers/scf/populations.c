#include <math.h>
#include <string.h>

#include "device/device.h"
#include "solvers/scf/gpu/gpu.h"
#include "solvers/scf/scf.h"

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
