/* Where ranks on GPUs exchange: a second stream of the device and a communicator of its own, so
 * that what is exchanged travels beside the context's kernels. Events order the two streams; the
 * host waits for nothing unless the communicator has it wait. */
#ifndef TSL_EXCHANGE_STREAM_H
#define TSL_EXCHANGE_STREAM_H

#include "comm/comm.h"

struct tsl_event;

enum { TSL_EXCHANGE_SUMS = 4 /* columns of sums that ranks add up without the host */ };

typedef struct tsl_exchange_stream {
    tsl_context *context, *beside;
    tsl_comm *comm; /* the same ranks */
    struct tsl_event *ready, *done;
    tsl_reducer *sums; /* of TSL_EXCHANGE_SUMS columns; NULL: it would not go without the host */
} tsl_exchange_stream;

/* Make the second stream and its communicator for the ranks of the context's communicator, all of
 * which are on GPUs. Collective. */
tsl_status tsl_exchange_stream_create(tsl_exchange_stream **out, tsl_context *context);
void tsl_exchange_stream_destroy(tsl_exchange_stream *exchange); /* NULL is fine. Not collective. */

/* Work queued on the second stream from here on begins after what the context has queued so far. */
tsl_status tsl_exchange_stream_enter(const tsl_exchange_stream *exchange);
/* Work that the context queues from here on begins after what the second stream has queued.
 * `status` is the outcome of that; if it is a failure, it is returned with its error line. */
tsl_status tsl_exchange_stream_leave(const tsl_exchange_stream *exchange, tsl_status status);

#endif
