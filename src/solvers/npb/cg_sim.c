/* CG's vectors on sim. */
#include <math.h>

#include "blocks/csr/tiles_point.h"
#include "device/sim.h"
#include "solvers/npb/cg.h"

#include "solvers/npb/cg_block.inc"
#include "solvers/npb/cg_iterate_block.inc"
#include "solvers/npb/cg_ranks_block.inc"

const tsl_cg_ops tsl_cg_sim = {.ones = gpu_ones,
                               .begin = gpu_begin,
                               .product = gpu_product,
                               .advance = gpu_advance,
                               .turn = gpu_turn,
                               .collect = gpu_collect_ranks,
                               .turn_whole = gpu_turn_whole,
                               .sum_norms = gpu_sum_norms,
                               .normalise = gpu_normalise,
                               .iterate = gpu_iterate,
                               .suits = gpu_suits};
