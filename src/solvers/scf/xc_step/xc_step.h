/* Exchange and correlation of a density that Gaussian functions span, on a grid of points: the
 * energy, and the matrix that is its derivative by the density matrix.
 *
 *     rho(r)   = sum_mn D_mn chi_m(r) chi_n(r)
 *     E        = sum_p w_p rho exc(rho, |grad rho|^2, tau)
 *     V_mn     = sum_p w_p [ vrho chi_m chi_n + 2 vsigma grad rho . grad(chi_m chi_n)
 *                            + 1/2 vtau grad chi_m . grad chi_n ]
 *
 * and for two spins with sigma_ab's part in addition: first derivatives of the functional alone, so
 * that V is the derivative of E on the same points. D is symmetric.
 *
 * Points are sorted into groups of TSL_XC_STEP_POINTS near each other, by halving the longest side
 * of the box around them again and again. A group has a list of the shells that exceed a cut-off
 * somewhere on it; all its work is dense in their functions. Groups are worked on a batch at a
 * time: values and gradients of functions, density, functional, potential. Each sum has one order,
 * that of groups, whatever the number of threads and the size of batches.
 *
 * All memory is taken by tsl_xc_step_create(). */
#ifndef TSL_XC_STEP_H
#define TSL_XC_STEP_H

#include "solvers/scf/basis/basis.h"
#include "solvers/scf/grid/grid.h"
#include "tesela/xc.h"

typedef struct tsl_xc_step tsl_xc_step;

/* Initialise with TSL_XC_STEP_OPTIONS_INIT. */
typedef struct tsl_xc_step_options {
    const char *functional; /* as tsl_xc_plan_create() takes it */
    int spins;              /* 1: closed shell, D is the density of both spins; 2: D of each */
    double cutoff;          /* a function that is below this on all points of a group is left out */
    int64_t memory;         /* bytes that a batch may take on the device; 0: 2 GiB */
} tsl_xc_step_options;

#define TSL_XC_STEP_OPTIONS_INIT                                                                   \
    {                                                                                              \
        "pbe", 1, 1e-10, 0                                                                         \
    }

/* Points of less weight than this, bohr^3, are left out: mostly those that are all another atom's.
 */
#define TSL_XC_STEP_LEAST_WEIGHT 1e-17

/* What a run says besides the matrix. */
typedef struct tsl_xc_step_sums {
    double energy;       /* hartree */
    double electrons[2]; /* of the density, or of each spin's, on the grid */
} tsl_xc_step_sums;

/* Sort a grid's points into groups and take all memory. Grid and basis are read, not kept.
 *
 * @return TSL_OK; TSL_E_ARG for an unknown functional; TSL_E_UNSUPPORTED for a basis beyond
 *         TSL_XC_STEP_MAX_L; TSL_E_NOMEM with what was wanted; TSL_E_DEVICE. */
tsl_status tsl_xc_step_create(tsl_xc_step **out, tsl_context *context, const tsl_scf_basis *basis,
                              const tsl_scf_grid *grid, const tsl_xc_step_options *options);

/* Bytes that a step of at most so many points takes at most, on the host and on the device, and
 * while it is made. */
int64_t tsl_xc_step_bytes(tsl_context *context, const tsl_scf_basis *basis, int64_t points,
                          int spins, int64_t memory);

/* NULL is fine. */
void tsl_xc_step_destroy(tsl_xc_step *step);

/* E and V of a density. Takes no memory, copies no array to or from the host, and waits for the
 * sums. V lacks exact exchange.
 *
 * @param[in]  density    [spins][functions][functions], device memory, symmetric
 * @param[out] potential  the same shape, device memory; symmetric in its bits
 * @return TSL_OK; TSL_E_DEVICE.
 *
 * Accuracy: 1e-12 of exact sums over the same points, relative to the sums of magnitudes, besides
 * what `cutoff` leaves out: with 1e-10 the energy changes by less than 1e-11 hartree and an element
 * of V by less than 1e-9. */
tsl_status tsl_xc_step_run(tsl_xc_step *step, const double *density, double *potential,
                           tsl_xc_step_sums *sums);

/* The density on the points, in the order that the grid has them, for tests and for maps: host
 * arrays rho [spins][points]; gradient [spins][3][points] and tau [spins][points] where the
 * functional needs them. NULL: not wanted. Takes memory for the time of the call. */
tsl_status tsl_xc_step_density(tsl_xc_step *step, const double *density, double *rho,
                               double *gradient, double *tau);

/* What was planned. */
typedef struct tsl_xc_step_description {
    tsl_xc_description functional;
    int64_t points;          /* of the grid */
    int64_t points_left_out; /* of them, for their weight */
    int64_t groups, batches; /* batches: 1 keeps the functions' values from run to run on a GPU */
    double functions;        /* of a group, on average */
    int most_functions;
    int64_t bytes; /* of device memory */
    double flops;  /* additions and multiplications of a run's products of matrices */
} tsl_xc_step_description;

void tsl_xc_step_describe(const tsl_xc_step *step, tsl_xc_step_description *out);

#endif
