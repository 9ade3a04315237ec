/* Point charges beside a density, such as the nuclei of a cube of electrons: their potential and
 * field at the samples of a box, and their energy among themselves. Gaussian units, as for the
 * electrostatic equation.
 *
 * A point charge stands anywhere, also between samples. In a free box its potential is 1 / r. Where
 * an axis is periodic it is in two parts: erfc(alpha r) / r around each charge and its images along
 * periodic axes, and the potential of Gaussians of the same charges, which the grid resolves and
 * the Poisson solver finds: tsl_points_add(TSL_POINTS_GAUSSIANS) gives their density. In a box
 * without a free axis the mean of the two is 0, as of Ewald's sum; in slabs and wires it is the
 * potential that tesela/poisson.h defines. Gaussians must end within the box along free axes:
 * tsl_points_margin().
 *
 * At the sample whose cell of edges `step` holds the charge, 1 / r is the mean over that cell: it
 * is finite, and a density of one number a cell interacts with the charge as if spread over the
 * cell. The field there is likewise the mean of the field. */
#ifndef TSL_POISSON_POINTS_H
#define TSL_POISSON_POINTS_H

#include "core/core.h"

typedef struct tsl_point_charge {
    double charge;
    double at[3]; /* from sample (0, 0, 0); along periodic axes within some thousand edges */
} tsl_point_charge;

typedef struct tsl_points {
    int64_t n[3];   /* samples, 1 <= n <= 16384 */
    double step[3]; /* between samples, > 0 */
    bool periodic[3];
    int64_t count;
    const tsl_point_charge *charge;
} tsl_points;

typedef enum tsl_points_quantity {
    TSL_POINTS_POTENTIAL, /* with a periodic axis the part of short range */
    TSL_POINTS_FIELD_X,   /* minus its gradient */
    TSL_POINTS_FIELD_Y,
    TSL_POINTS_FIELD_Z,
    TSL_POINTS_GAUSSIANS /* with a periodic axis: the density whose potential is the rest */
} tsl_points_quantity;

/* How far inside of a free axis' face a charge must be for its Gaussian to have less than 1e-12 of
 * it beyond: erfc(5) / 2, 19.1 of the widest steps; 0 in a free box, which has none. */
double tsl_points_margin(const tsl_points *points);

/* Add a quantity to `values`, numbers of `precision` bytes (4 or 8) of shape [n0][n1][n2], in host
 * memory. Errors, those of the Gaussians' discretisation included, are below 1e-14 of the largest
 * value of a charge's potential at a distance of one step. */
void tsl_points_add(void *values, int precision, const tsl_points *points,
                    tsl_points_quantity quantity, int threads);

/* The sum over pairs of q q' / r; with a periodic axis Ewald's energy of a cell, each charge's with
 * its own images and, without a free axis, a uniform background that neutralises them included.
 * Relative error 1e-13. Infinite if two charges stand at one place.
 *
 * Source of the sums of slabs and wires: the Gaussians' potential 4 pi exp(-k^2 / 4 alpha^2) / k^2
 * as an integral of exp(-k^2 t) over t > 1 / 4 alpha^2, transformed back along free axes under it;
 * Parry, Surf. Sci. 49 (1975) 433, for slabs has the same in closed form. */
double tsl_points_energy(const tsl_points *points);

#endif
