/* The iteration on a device that is not the CPU. The host works out overlap, kinetic energy, the
 * metric of the fit and the atoms' densities; all else of a calculation, and all of an iteration,
 * stays on the device. Of an iteration's results only sums come to the host. */
#ifndef TSL_SCF_GPU_H
#define TSL_SCF_GPU_H

#include "solvers/scf/scf.h"

/* plan->host of a caller's context on another device: the same rank, threads and messages, on the
 * device `cpu`. What it says and how long it took comes to the caller's context by
 * tsl_scf_host_report(). */
tsl_status tsl_scf_host_create(tsl_context **out, tsl_context *context);
void tsl_scf_host_destroy(tsl_context *host);
/* Leave out the stages that the host has noted so far. Nothing where it is the caller's context. */
void tsl_scf_host_forget(const tsl_context *context, tsl_context *host);
/* `status` of what was done by the plan: errors of the host become the caller's, and its stages. */
tsl_status tsl_scf_host_report(tsl_context *context, tsl_context *host, tsl_status status);

/* Begin plan->gpu, on the host alone: the sizes of matrices and of the Coulomb matrix's step, and
 * the bytes of device memory that tsl_scf_gpu_create() takes for either. Needs bases and electrons.
 */
tsl_status tsl_scf_gpu_begin(tsl_scf_plan *plan, int64_t *matrices, int64_t *coulomb);

/* Make what was begun: matrices of one electron and the Coulomb matrix's step, and
 * plan->orthogonal. Needs tables and the plan's host matrices of overlap, kinetic energy and
 * dipole. */
tsl_status tsl_scf_gpu_create(tsl_scf_plan *plan);
/* NULL is fine. */
void tsl_scf_gpu_destroy(tsl_scf_gpu *gpu);

/* Send the plan's density to the device; bring density, orbitals' energies and the sum of both
 * spins' densities back. */
tsl_status tsl_scf_gpu_send(tsl_scf_plan *plan);
tsl_status tsl_scf_gpu_bring(tsl_scf_plan *plan);

/* out [n][n], on the host := S^(1/2) D S^(1/2) of the sum of both spins' densities. */
tsl_status tsl_scf_gpu_lowdin(const tsl_scf_plan *plan, double *out);

extern const tsl_scf_engine tsl_scf_gpu_engine;

#endif
