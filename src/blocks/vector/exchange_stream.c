#include "blocks/vector/exchange_stream.h"

#include "blocks/vector/fused_kernels.h"
#include "comm/gpu/peer.h"
#include "device/device.h"

static tsl_status make(tsl_exchange_stream *exchange)
{
    tsl_context *context = exchange->context;
    const tsl_peer_ops *peer = context->ops->peer;
    tsl_status status = TSL_OK;
    TSL_TRY(tsl_context_branch(&exchange->beside, context));
    TSL_TRY(peer->create(&exchange->ready, context));
    TSL_TRY(peer->create(&exchange->done, context));
done:
    return status;
}

/* What takes part with the others: it publishes what fails. */
static tsl_status join(tsl_exchange_stream *exchange)
{
    tsl_context *context = exchange->context;
    tsl_status status = tsl_comm_split(&exchange->comm, context->comm, 0, context->comm->rank);
    if (status == TSL_OK) { /* of nothing: what the first takes, seconds with NCCL, is set-up */
        status = tsl_comm_exchange(exchange->comm, exchange->beside, 0, NULL);
    }
    if (status == TSL_OK) {
        status =
            tsl_reducer_create(&exchange->sums, context->comm, context,
                               TSL_EXCHANGE_SUMS * TSL_FUSED_PIECES, TSL_COMM_DOUBLE, TSL_COMM_SUM);
    }
    if (status == TSL_OK && !tsl_reducer_is_direct(exchange->sums)) {
        tsl_reducer_destroy(exchange->sums);
        exchange->sums = NULL;
    }
    return status;
}

tsl_status tsl_exchange_stream_create(tsl_exchange_stream **out, tsl_context *context)
{
    tsl_exchange_stream *exchange = tsl_allocate_zeroed(1, sizeof *exchange);
    tsl_status status = TSL_OK;
    if (exchange == NULL) {
        status = tsl_fail_memory(context, (int64_t)sizeof *exchange, "a second stream");
    } else {
        exchange->context = context;
        status = make(exchange);
    }
    status = tsl_comm_agree(context, status);
    status = status == TSL_OK ? join(exchange) : status;
    if (status != TSL_OK) {
        tsl_exchange_stream_destroy(exchange);
        return status;
    }
    *out = exchange;
    return TSL_OK;
}

void tsl_exchange_stream_destroy(tsl_exchange_stream *exchange)
{
    if (exchange == NULL) {
        return;
    }
    const tsl_peer_ops *peer = exchange->context->ops->peer;
    tsl_reducer_destroy(exchange->sums);
    tsl_context_end_branch(exchange->beside); /* others have read what they get by then */
    tsl_comm_destroy(exchange->comm);
    peer->destroy(exchange->ready);
    peer->destroy(exchange->done);
    tsl_release(exchange);
}

tsl_status tsl_exchange_stream_enter(const tsl_exchange_stream *exchange)
{
    return tsl_context_follow(exchange->beside, exchange->context, exchange->ready);
}

tsl_status tsl_exchange_stream_leave(const tsl_exchange_stream *exchange, tsl_status status)
{
    if (status == TSL_OK) {
        status = tsl_context_follow(exchange->context, exchange->beside, exchange->done);
    }
    return tsl_context_report(exchange->context, exchange->beside, status);
}
