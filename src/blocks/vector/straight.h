/* Lists whose kernels need no steps to go through (lists.h). */
#ifndef TSL_SPARSE_STRAIGHT_H
#define TSL_SPARSE_STRAIGHT_H

#include "blocks/vector/steps.h"

/* Is the list, of a GPU, one of those? Then *out is what it says. */
bool tsl_read_straight(tsl_straight *out, const tsl_steps *list);

#endif
