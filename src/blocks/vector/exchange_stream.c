#include "blocks/vector/exchange_stream.h"

#include "blocks/vector/fused_kernels.h"
#include "comm/gpu/peer.h"
#include "device/device.h"

static tsl_status make(tsl_lane *lane)
{
    tsl_context *context = lane->context;
    const tsl_peer_ops *peer = context->ops->peer;
    tsl_status status = TSL_OK;
    TSL_TRY(tsl_context_branch(&lane->beside, context));
    TSL_TRY(peer->create(&lane->ready, context));
    TSL_TRY(peer->create(&lane->done, context));
done:
    return status;
}

/* What takes part with the others: it publishes what fails. */
static tsl_status join(tsl_lane *lane)
{
    tsl_context *context = lane->context;
    tsl_status status = tsl_comm_split(&lane->comm, context->comm, 0, context->comm->rank);
    if (status == TSL_OK) { /* of nothing: what the first takes, seconds with NCCL, is set-up */
        status = tsl_comm_exchange(lane->comm, lane->beside, 0, NULL);
    }
    if (status == TSL_OK) {
        status =
            tsl_reducer_create(&lane->sums, context->comm, context,
                               TSL_LANE_SUMS * TSL_FUSED_PIECES, TSL_COMM_DOUBLE, TSL_COMM_SUM);
    }
    if (status == TSL_OK && !tsl_reducer_is_direct(lane->sums)) {
        tsl_reducer_destroy(lane->sums);
        lane->sums = NULL;
    }
    return status;
}

tsl_status tsl_lane_create(tsl_lane **out, tsl_context *context)
{
    tsl_lane *lane = tsl_allocate_zeroed(1, sizeof *lane);
    tsl_status status = TSL_OK;
    if (lane == NULL) {
        status = tsl_fail_memory(context, (int64_t)sizeof *lane, "a second stream");
    } else {
        lane->context = context;
        status = make(lane);
    }
    status = tsl_comm_agree(context, status);
    status = status == TSL_OK ? join(lane) : status;
    if (status != TSL_OK) {
        tsl_lane_destroy(lane);
        return status;
    }
    *out = lane;
    return TSL_OK;
}

void tsl_lane_destroy(tsl_lane *lane)
{
    if (lane == NULL) {
        return;
    }
    const tsl_peer_ops *peer = lane->context->ops->peer;
    tsl_reducer_destroy(lane->sums);
    tsl_context_end_branch(lane->beside); /* others have read what they get by then */
    tsl_comm_destroy(lane->comm);
    peer->destroy(lane->ready);
    peer->destroy(lane->done);
    tsl_release(lane);
}

tsl_status tsl_lane_enter(const tsl_lane *lane)
{
    return tsl_context_follow(lane->beside, lane->context, lane->ready);
}

tsl_status tsl_lane_leave(const tsl_lane *lane, tsl_status status)
{
    if (status == TSL_OK) {
        status = tsl_context_follow(lane->context, lane->beside, lane->done);
    }
    return tsl_context_report(lane->context, lane->beside, status);
}
