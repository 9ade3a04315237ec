/* Numbers of tsl_scf_options that planning and the command line share. */
#ifndef TSL_SCF_RANGES_H
#define TSL_SCF_RANGES_H

/* Ranges, least and most. */
#define TSL_SCF_ITERATIONS_RANGE 1, 10000
#define TSL_SCF_DAMPING_RANGE 0, 0.95
#define TSL_SCF_LEVEL_SHIFT_RANGE 0, 100

/* The set of auxiliary functions where the options name none. */
#define TSL_SCF_USUAL_AUXILIARY "def2-universal-jfit"

#endif
