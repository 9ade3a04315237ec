/* What expressions.h declares, on a GPU: lists become kernels' arguments (fused_kernels.h). */
#ifndef TSL_EXPRESSIONS_GPU_H
#define TSL_EXPRESSIONS_GPU_H

#include "blocks/vector/expressions.h"
#include "blocks/vector/fused_kernels.h"

/* Rows of sums: the parts', the pieces', and one of what they add up to. */
enum { TSL_GPU_SUMS = TSL_FUSED_PIECES * (TSL_FUSED_EACH + 1) + 1 };

tsl_status tsl_expressions_run_on_gpu(tsl_context *context, const tsl_expressions *list);
tsl_status tsl_sums_gather_on_gpu(tsl_context *context, double *sums, const tsl_layout *layout,
                                  int width);
tsl_status tsl_sums_add_up_on_gpu(tsl_context *context, double *out, const double *sums,
                                  const tsl_layout *layout, int width);
tsl_status tsl_vector_look_on_gpu(tsl_vector_look *out, tsl_context *context, const double *v,
                                  int64_t rows, double *sums);

#endif
