/* The figure of occupancy. */
#ifndef TSL_LAB_OCCUPANCY_H
#define TSL_LAB_OCCUPANCY_H

#include "core/core.h"
#include "tesela/occupancy.h"

/* Draw resident warps over threads of a block, registers of a thread and shared memory of a block,
 * each with the others as they are, the kernel's own point marked. tsl_figure_write() has kinds of
 * files and errors; TSL_E_ARG as of tsl_occupancy(). */
tsl_status tsl_occupancy_figure(tsl_context *context, const char *path,
                                const tsl_multiprocessor *multiprocessor,
                                const tsl_occupancy_kernel *kernel);

#endif
