/* Lists whose kernels interpret no expressions (fused_kernels.h). */
#ifndef TSL_FUSED_PATTERN_H
#define TSL_FUSED_PATTERN_H

#include "blocks/vector/expressions.h"

/* Is the list, of a GPU, one of those? Then *out is what it says. */
bool tsl_match_pattern(tsl_fused_pattern *out, const tsl_expressions *list);

#endif
