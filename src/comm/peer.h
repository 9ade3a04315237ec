/* Devices of one kind that use each other's memory, each from a thread of its own. Nothing here
 * waits on the host: a device's stream waits for another's. */
#ifndef TSL_PEER_H
#define TSL_PEER_H

#include "comm/comm_point.h"
#include "core/context.h"

/* A point in a stream, which other streams can wait for. */
typedef struct tsl_event tsl_event;

enum {
    TSL_PEER_COPIES = 64, /* of one call */
    TSL_PEER_RANKS = 64   /* of one reduction */
};

/* From the memory of another device, or the same, to this one's. */
typedef struct tsl_peer_copy {
    const tsl_context *from;
    const void *source;
    void *target;
    int64_t bytes; /* >= 0 */
} tsl_peer_copy;

/* values[q] of all ranks' memory become their combination, from `first` to `last` - 1. */
typedef struct tsl_peer_reduction {
    void *values[TSL_PEER_RANKS];
    int64_t first, last;
    int32_t ranks;
    tsl_comm_type type;
    tsl_comm_operation operation;
} tsl_peer_reduction;

/* `context` belongs to the calling thread; of other contexts only what never changes is looked at.
 * All but open() and the events' life is queued on the context's stream. */
typedef struct tsl_peer_ops {
    /* From now on this context may use the memory of `other`; an error if the hardware cannot. */
    tsl_status (*open)(tsl_context *context, const tsl_context *other);

    tsl_status (*create)(tsl_event **out, tsl_context *context);
    void (*destroy)(tsl_event *event);
    /* The event is what is queued on the context's stream so far. */
    tsl_status (*record)(tsl_context *context, tsl_event *event);
    /* What is queued from now on waits for the event as it is now. */
    tsl_status (*wait)(tsl_context *context, const tsl_event *event);

    tsl_status (*copy)(tsl_context *context, const tsl_peer_copy *copies, int count);
    /* All the ranks' contexts: contexts[reduction->ranks]. */
    tsl_status (*reduce)(tsl_context *context, tsl_context *const *contexts,
                         const tsl_peer_reduction *reduction);
} tsl_peer_ops;

#endif
