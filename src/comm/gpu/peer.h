/* What a device does for ranks: events, copies to other devices of its kind, and copies to and
 * from host memory that messages pass through. Nothing here waits on the host: a device's stream
 * waits for another's. */
#ifndef TSL_PEER_H
#define TSL_PEER_H

#include "comm/comm_point.h"
#include "core/context.h"

/* A point in a stream, which other streams can wait for. */
typedef struct tsl_event tsl_event;

enum {
    TSL_PEER_COPIES = 64,        /* of one call */
    TSL_PEER_RANKS = 64,         /* of one reduction */
    TSL_PEER_MEETERS = 9,        /* of one meeting: a GPU may open the memory of 8 others */
    TSL_PEER_LITTLE = 8192,      /* bytes of values that signal() combines, at most */
    TSL_PEER_MEETING = 32 << 20, /* a copy of meet() has fewer bytes */
    TSL_PEER_PARTS = 64          /* of what a rank writes to another in a meeting */
};

/* A rank's mailbox for signal(), zeroed once: the number of calls, and two sets of one message from
 * each rank, which calls use in turn. */
typedef struct tsl_peer_word {
    uint32_t part, call; /* written and read together */
} tsl_peer_word;

typedef struct tsl_peer_mailbox {
    uint32_t calls, unused;
    tsl_peer_word words[]; /* [2][ranks][room] */
} tsl_peer_mailbox;

/* values[count] of this rank become the combination of all ranks' in their order. */
typedef struct tsl_peer_signal {
    tsl_peer_mailbox *mailbox[TSL_PEER_RANKS];
    const int32_t *off; /* the host's: not 0: somebody will not come */
    void *values;
    int32_t rank, ranks, count;
    int32_t room; /* words of a message: of 4 bytes of values each */
    tsl_comm_type type;
    tsl_comm_operation operation;
} tsl_peer_signal;

/* From this device's memory to another's, or its own. */
typedef struct tsl_peer_copy {
    const tsl_context *to;
    const void *source;
    void *target;
    int64_t bytes; /* >= 0 */
    int32_t rank;  /* that `to` belongs to, for meet() */
} tsl_peer_copy;

/* Does a rank still wait for others? Some rank has given up; and this one has left after that. */
enum tsl_peer_end { TSL_PEER_WAITS, TSL_PEER_OVER, TSL_PEER_PARTED };

/* Flags that one rank sets in another's memory during meet(), zeroed once. Each holds the number of
 * the last meeting in which it was set. */
typedef struct tsl_peer_flags {
    uint64_t ready;                /* its kernel has begun; a rank's own: a tsl_peer_end */
    uint64_t done[TSL_PEER_PARTS]; /* it has written the part */
} tsl_peer_flags;

/* A rank's part in a meeting. */
typedef struct tsl_peer_meeting {
    tsl_peer_flags *flags[TSL_PEER_MEETERS]; /* each rank's: [ranks] */
    const int32_t *off;                      /* the host's: not 0: somebody may not come */
    uint64_t number;                         /* of the ranks' meetings, from 1 */
    uint64_t sends, receives;                /* bit q: to rank q, from rank q; q is another */
    int32_t rank, ranks;
} tsl_peer_meeting;

/* values[q] of all ranks' memory become their combination, from `first` to `last` - 1. */
typedef struct tsl_peer_reduction {
    void *values[TSL_PEER_RANKS];
    int64_t first, last;
    int32_t ranks;
    tsl_comm_type type;
    tsl_comm_operation operation;
} tsl_peer_reduction;

/* `context` belongs to the calling thread; of other contexts only what never changes is looked at.
 * What copies, combines, records or waits is queued on the context's stream. */
typedef struct tsl_peer_ops {
    /* From now on this context may use the memory of `other`; an error if the hardware cannot. */
    tsl_status (*open)(tsl_context *context, const tsl_context *other);

    tsl_status (*create)(tsl_event **out, tsl_context *context);
    void (*destroy)(tsl_event *event);
    /* The event is what is queued on the context's stream so far. */
    tsl_status (*record)(tsl_context *context, tsl_event *event);
    /* What is queued from now on waits for the event as it is now. */
    tsl_status (*wait)(tsl_context *context, const tsl_event *event);
    /* For the host, which does not wait: is the event, as last recorded, in the past? */
    tsl_status (*look)(tsl_context *context, tsl_event *event, bool *past);

    tsl_status (*copy)(tsl_context *context, const tsl_peer_copy *copies, int count);
    /* All the ranks' contexts: contexts[reduction->ranks]. */
    tsl_status (*reduce)(tsl_context *context, tsl_context *const *contexts,
                         const tsl_peer_reduction *reduction);

    /* May kernels wait for other devices' kernels? Not where something keeps two from running at
     * the same time, as CUDA_LAUNCH_BLOCKING does; ask tsl_peer_side_by_side(). On devices that
     * never do it is NULL, as signal() and meet() are, each of which a table may lack. */
    bool (*side_by_side)(void);

    /* An all-reduce in which the ranks' kernels wait for each other: each rank's on a device of its
     * own. When it is called off the values become not-a-numbers, all bits 1. */
    tsl_status (*signal)(tsl_context *context, const tsl_peer_signal *signal);

    /* Copies of ranks whose kernels wait for each other, in place of events: what a rank receives
     * is written when its own kernel has begun, and is there when that ends. All that send or
     * receive call it, each on a device of its own; who has failed without copies. When it is off,
     * messages may be missing. */
    tsl_status (*meet)(tsl_context *context, const tsl_peer_meeting *meeting,
                       const tsl_peer_copy *copies, int count);
    /* flags[ranks] of a rank. */
    tsl_status (*create_flags)(tsl_peer_flags **out, tsl_context *context, int ranks);
    /* Waits for the flags' device. Flags may be destroyed when all ranks have waited. */
    void (*await_flags)(const tsl_peer_flags *flags);
    void (*destroy_flags)(tsl_peer_flags *flags);

    /* Host memory, pinned, that kernels and the next two use while the host goes on; contents
     * undefined; NULL when exhausted. */
    void *(*create_host)(tsl_context *context, int64_t bytes);
    void (*destroy_host)(void *memory);
    /* Copies from that memory to the device's, and back. */
    tsl_status (*load)(tsl_context *context, void *target, const void *host, int64_t bytes);
    tsl_status (*store)(tsl_context *context, void *host, const void *source, int64_t bytes);
} tsl_peer_ops;

/* `peer` may be NULL. */
static inline bool tsl_peer_side_by_side(const tsl_peer_ops *peer)
{
    return peer != NULL && peer->side_by_side != NULL && peer->side_by_side();
}

#endif
