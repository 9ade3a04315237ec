/* Transposition on sim. */
#include <string.h>

#include "blocks/transpose/transpose.h"
#include "device/sim.h"

typedef struct copy_arguments {
    void *out;
    const void *in;
    size_t bytes;
} copy_arguments;

static void run_copy(const void *arguments)
{
    const copy_arguments *a = arguments;
    memcpy(a->out, a->in, a->bytes);
}

static tsl_status copy_memory(tsl_context *context, void *out, const void *in, int64_t bytes)
{
    const copy_arguments a = {out, in, (size_t)bytes};
    return tsl_sim_defer(context, run_copy, &a, sizeof a);
}

#include "blocks/transpose/transpose_block.inc"

const tsl_transpose_ops tsl_transpose_sim = {.tilings = gpu_tilings,
                                             .tiling_count = TILINGS,
                                             .move = gpu_move,
                                             .swap = gpu_swap,
                                             .rotate = gpu_rotate,
                                             .follow = gpu_follow};
