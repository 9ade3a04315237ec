/* The Coulomb matrix of a fitted density on a device, without stored integrals:
 *
 *     d_P = sum_mn (P|mn) D_mn,    (P|Q) c = d,    J_mn = sum_P (mn|P) c_P,
 *     E = 1/2 sum_P d_P c_P.
 *
 * Both the products of basis functions and the auxiliary functions are sums of Hermite Gaussians
 * (integrals.h). So d is the derivatives of a potential at the centers of auxiliary functions, made
 * by Hermite Gaussians at the centers of pairs, and J those of the other way round (C. A. White, M.
 * Head-Gordon, J. Chem. Phys. 104, 2620 (1996); Y. Shao, M. Head-Gordon, Chem. Phys. Lett. 323, 425
 * (2000)): one kernel does both, and the attraction by point charges too. Integrals are made in
 * registers and used there.
 *
 * Particles: a pair of primitives of two shells, or all primitives of auxiliary functions that
 * share a center and an exponent. Those of one order, the highest t + u + v that they have, are a
 * class, or several by t + u + v if the order is above 4 (step.h). Auxiliary functions of one l
 * that are solid harmonics are a class of their own, as they have t + u + v = l alone.
 *
 * All memory is taken by tsl_coulomb_step_place(); each sum has one order on all devices. */
#ifndef TSL_COULOMB_STEP_H
#define TSL_COULOMB_STEP_H

#include "solvers/scf/integrals/integrals.h"

typedef struct tsl_coulomb_step tsl_coulomb_step;

/* What a step is made of; host memory, read during the calls only. */
typedef struct tsl_coulomb_step_source {
    tsl_context *host; /* on the device `cpu`: for what the host works out */
    const tsl_scf_tables *tables;
    const tsl_scf_basis *basis, *auxiliary;
    const tsl_scf_partners *partners; /* of `auxiliary` */
    const double *metric; /* [auxiliary functions][the same]: the factor of (P|Q), or its inverse */
    bool inverse;
    double screen; /* pairs of primitives whose overlap is bounded by it are left out */
} tsl_coulomb_step_source;

/* Work out on the host what the step consists of, and how much device memory that will take:
 * tsl_coulomb_step_describe(). Tables and metric are not read yet, and nothing is taken of the
 * device.
 *
 * @return TSL_OK; TSL_E_UNSUPPORTED where the device has no kernels for it; TSL_E_NOMEM. */
tsl_status tsl_coulomb_step_create(tsl_coulomb_step **out, tsl_context *context,
                                   const tsl_coulomb_step_source *source);

/* Take the device memory and fill it, once, before anything is run; the source is the one of
 * before, now whole. @return TSL_OK; TSL_E_NOMEM with what was wanted; TSL_E_DEVICE. */
tsl_status tsl_coulomb_step_place(tsl_coulomb_step *step, const tsl_coulomb_step_source *source);

/* NULL is fine. */
void tsl_coulomb_step_destroy(tsl_coulomb_step *step);

/* Queue the Coulomb matrix of a density. Takes no memory and copies nothing to or from the host,
 * once the device's libraries have what they need for the first solution of (P|Q) c = d.
 *
 * @param[in]  density  [functions][functions], device memory, symmetric
 * @param[out] j        the same shape; symmetric in its bits
 * @return TSL_OK; TSL_E_DEVICE.
 *
 * Accuracy: 1e-12 of the largest element. */
tsl_status tsl_coulomb_step_run(tsl_coulomb_step *step, const double *density, double *j);

/* d and c of the last run, device memory: the energy is half their product. Borrowed. */
const double *tsl_coulomb_step_projection(const tsl_coulomb_step *step);
const double *tsl_coulomb_step_coefficients(const tsl_coulomb_step *step);

/* v := - sum_C charge_C <mu| 1 / |r - C| |nu> of charges on the host, position [charges][3]. `v` is
 * device memory [functions][functions]. Takes memory for the time of the call. Synchronous. */
tsl_status tsl_coulomb_step_attract(tsl_coulomb_step *step, int64_t charges, const double *charge,
                                    const double *position, double *v);

typedef struct tsl_coulomb_step_description {
    int64_t rows, pairs; /* pairs of shells; of primitives */
    int64_t sites;       /* centers and exponents of auxiliary functions */
    int64_t bytes;       /* of device memory */
    double interactions; /* pairs of particles of a run */
} tsl_coulomb_step_description;

void tsl_coulomb_step_describe(const tsl_coulomb_step *step, tsl_coulomb_step_description *out);

#endif
