/* Correlation on sim. */
#include "blocks/convolve/convolve.h"
#include "device/sim.h"

#include "blocks/convolve/convolve_block.inc"

const tsl_convolve_ops tsl_convolve_sim = {.layout = gpu_layout,
                                           .bytes = gpu_bytes,
                                           .create = gpu_create,
                                           .destroy = gpu_destroy,
                                           .set_fixed = gpu_set_fixed,
                                           .set_term = gpu_set_term,
                                           .execute = gpu_execute,
                                           .takes_points = gpu_takes_points,
                                           .execute_terms = gpu_execute_terms,
                                           .store = gpu_store,
                                           .top = gpu_top};
