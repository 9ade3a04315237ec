/* Limits of tsl_poisson_options that planning and the command line share. */
#ifndef TSL_POISSON_RANGES_H
#define TSL_POISSON_RANGES_H

/* Cells along an axis: 1 to this. */
enum { TSL_POISSON_LONGEST_AXIS = 16384 };

#endif
