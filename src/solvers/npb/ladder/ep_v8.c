/* EP V8: V7 on each of several GPUs. Each rank takes its share of the blocks, and the sums of all
 * are added in the ranks' order. The clocks are the slowest rank's. There is no kernel in it, so it
 * is compiled once, not for each device. */
#include "comm/comm.h"
#include "device/device.h"
#include "solvers/npb/ladder/ladder.h"

tsl_status tsl_ladder_ep_v8(tsl_ladder_sums *sums, tsl_ladder_times *times, tsl_context *context,
                            int64_t parts)
{
    tsl_comm *comm = context->comm;
    const int64_t blocks = parts / TSL_LADDER_BLOCK;
    const int64_t first = blocks * comm->rank / comm->size;
    const int64_t end = blocks * (comm->rank + 1) / comm->size;
    tsl_status status = tsl_comm_barrier(comm);
    if (status == TSL_OK) {
        status = tsl_comm_refuse(context, context->ops->ladder->ep[TSL_LADDER_EP - 1](
                                              sums, times, context, first * TSL_LADDER_BLOCK,
                                              (end - first) * TSL_LADDER_BLOCK));
    }
    double both[2] = {sums->x, sums->y};
    double clocks[2] = {times->compute, times->thesis};
    if (status == TSL_OK) {
        status = tsl_comm_all_reduce(comm, NULL, both, 2, TSL_COMM_DOUBLE, TSL_COMM_SUM);
    }
    if (status == TSL_OK) {
        status = tsl_comm_all_reduce(comm, NULL, sums->counts, TSL_EP_ANNULI, TSL_COMM_INT64,
                                     TSL_COMM_SUM);
    }
    if (status == TSL_OK) {
        status = tsl_comm_all_reduce(comm, NULL, clocks, 2, TSL_COMM_DOUBLE, TSL_COMM_MAX);
    }
    sums->x = both[0];
    sums->y = both[1];
    *times = (tsl_ladder_times){.compute = clocks[0], .thesis = clocks[1]};
    return status;
}
