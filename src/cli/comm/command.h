/* What the files of `tesela comm` share. */
#ifndef TSL_COMM_COMMAND_H
#define TSL_COMM_COMMAND_H

#include "blocks/exchange/measure.h"

/* Draw bandwidth over message size, a line for each operation, as .svg, .png or .pdf. */
tsl_status comm_figure(tsl_context *context, const char *path, const char *title,
                       const tsl_comm_measurement *measurements, int count);

#endif
