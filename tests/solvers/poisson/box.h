/* What the tests of Poisson's equation share: solving on a device, and errors. */
#ifndef TESTS_POISSON_BOX_H
#define TESTS_POISSON_BOX_H

#include "support/devices.h"

#include "core/core.h"
#include "tesela/poisson.h"

/* A function of a position. */
typedef double (*box_function)(const double at[3], const void *user);

/* Options of a box: 'p' or 'f' an axis. */
tsl_poisson_options box_options(const int n[3], const double lengths[3], const char *boundary);
/* Options of a box of 8 x 8 x 8 cells, 2 long along each axis. */
tsl_poisson_options small_box_options(const char *boundary);

int64_t box_cells(const tsl_poisson_options *options);

/* Values of a function at the corners of cells (offset 0) or their centres (0.5); free(). */
double *box_sample(const tsl_poisson_options *options, double offset, box_function function,
                   const void *user);

/* The potential of `source`, [count] grids of doubles, whatever the precision; free(). Fails the
 * test if it cannot be had. */
double *box_solve(tsl_context *context, const tsl_poisson_options *options, const double *source);

/* The field of a source, [3][count] grids. */
double *box_field(tsl_context *context, const tsl_poisson_options *options, const double *source);

/* Largest |a - b| over the largest |b|; not-a-number counts as infinite. */
double box_linf(const double *a, const double *b, int64_t count);
/* The 2-norm of a - b over that of b; not-a-number counts as infinite. */
double box_l2(const double *a, const double *b, int64_t count);

/* Fail unless value <= bound; prints both. */
void box_check(const tsl_context *context, const char *what, double value, double bound);

/* A charge spread as a Gaussian. */
typedef struct box_gaussian {
    double charge, sigma, at[3];
} box_gaussian;

/* Its density, and its potential in free space. */
double box_density(const double at[3], const void *gaussian);
double box_potential(const double at[3], const void *gaussian);

#endif
