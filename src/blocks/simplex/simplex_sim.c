/* Maps of blocks, on sim. */
#include <stdalign.h>

#include "blocks/simplex/cover_point.h"
#include "blocks/simplex/simplex.h"
#include "device/sim.h"

#include "blocks/simplex/simplex_block.inc"

const tsl_simplex_ops tsl_simplex_sim = {.cover = gpu_cover,
                                         .judge = gpu_judge,
                                         .triples = gpu_triples,
                                         .write = gpu_write,
                                         .held = gpu_held};
