/* Numbers of tsl_linsolve_options that planning and the command line share. */
#ifndef TSL_LINSOLVE_RANGES_H
#define TSL_LINSOLVE_RANGES_H

/* Ranges, least and most. */
#define TSL_LINSOLVE_TOLERANCE_RANGE 0, 0.999999
#define TSL_LINSOLVE_ABSOLUTE_RANGE 0, 1e300
#define TSL_LINSOLVE_RESTART_RANGE 1, 1000
#define TSL_LINSOLVE_BLOCK_RANGE 1, 64
#define TSL_LINSOLVE_DEGREE_RANGE 1, 64
#define TSL_LINSOLVE_STRENGTH_RANGE 0, 1
#define TSL_LINSOLVE_COARSE_ROWS_RANGE 1, 4000
/* The least is not in it. */
#define TSL_LINSOLVE_EIGENVALUE_RATIO_RANGE 1, 1e6

/* Chebyshev's ratio of eigenvalues where the options have 0: as a preconditioner, and as a smoother
 * of this degree at least, and of less. */
#define TSL_CHEBYSHEV_RATIO 30
#define TSL_SMOOTHER_DEGREE 3
#define TSL_SMOOTHER_RATIO 4
#define TSL_SMOOTHER_LOW_RATIO 3

#endif
