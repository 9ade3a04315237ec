/* The ladder on sim, whose kernels can use any memory of the host. */
#include <math.h>
#include <string.h>

#include "device/sim.h"
#include "solvers/npb/ladder/ladder.h"
#include "solvers/npb/ladder/ladder_host.h"

#define LADDER_READ_ONLY(at) (*(at))

static tsl_status ladder_take_host(void **out, tsl_context *context, int64_t bytes,
                                   ladder_host kind)
{
    (void)kind;
    *out = tsl_allocate((size_t)bytes);
    return *out != NULL ? TSL_OK : tsl_fail_memory(context, bytes, "what comes to the host");
}

static void ladder_give_host(tsl_context *context, void *memory, ladder_host kind)
{
    (void)context;
    (void)kind;
    tsl_release(memory);
}

#include "solvers/npb/ladder/ladder_block.inc"

const tsl_ladder_ops tsl_ladder_sim = LADDER_OPS;
