/* Ranks that are threads of one process: what its files share. */
#ifndef TSL_COMM_THREADS_H
#define TSL_COMM_THREADS_H

#include <pthread.h>
#include <stdatomic.h>

#include "comm/comm.h"
#include "comm/gpu/peer.h"

enum { TSL_RANK_REASON = TSL_ERROR_TEXT - 64 };

struct tsl_threads_group;

/* A flag that is set when a rank fails, or one of the group ends, for kernels that wait. */
typedef struct tsl_threads_watch {
    struct tsl_threads_watch *next;
    const struct tsl_threads_group *group; /* NULL: of none */
    int32_t *flag;
} tsl_threads_watch;

/* What all communicators of a tsl_comm_run() share: the failure, and where threads sleep. */
typedef struct tsl_threads_job {
    atomic_int holders; /* groups, and tsl_comm_run() */
    pthread_mutex_t mutex;
    pthread_cond_t changed; /* a gate has opened, a rank has failed or ended */
    atomic_int sleepers;
    int looks;                  /* at a gate before a thread lets others have the processor */
    tsl_threads_watch *watches; /* under the mutex */
    atomic_int failed;          /* the next three are set */
    int failed_rank;
    tsl_status failed_status;
    char reason[TSL_RANK_REASON];
} tsl_threads_job;

typedef enum tsl_threads_kind {
    TSL_THREADS_BARRIER,
    TSL_THREADS_BROADCAST,
    TSL_THREADS_ALL_REDUCE,
    TSL_THREADS_ALL_TO_ALL,
    TSL_THREADS_GATHER,
    TSL_THREADS_EXCHANGE,
    TSL_THREADS_DIVIDE,
    TSL_THREADS_COUNTERS
} tsl_threads_kind;

/* What a rank is about to do, for the others to see. */
typedef struct tsl_threads_slot {
    tsl_threads_kind kind; /* the first five must be the same on all ranks */
    int root;
    tsl_comm_type type;
    tsl_comm_operation operation;
    int64_t count;        /* values of a reduction, bytes of a broadcast */
    tsl_context *context; /* whose memory the pointers are to; NULL: the host's */
    void *data;           /* of a broadcast, a reduction; what a gather sends */
    int64_t bytes;        /* that a gather sends */
    tsl_comm_parts send;
    tsl_comm_parts receive;
    const tsl_comm_pair *pairs;
    int pair_count;
} tsl_threads_slot;

typedef struct tsl_threads_meeting tsl_threads_meeting;

/* A rank's device, from the first operation on its memory to the next one on another's, or to the
 * end of the communicator: ranks that are behind may wait for its events, though its context has
 * ended. */
typedef struct tsl_threads_device {
    struct tsl_threads_device *before; /* that the rank used before this one; NULL: none */
    const tsl_peer_ops *ops;           /* NULL: no operation yet */
    tsl_context *context;              /* NULL: it has ended */
    int generation;                    /* how many there have been */
    tsl_event *ready;                  /* what others will write, and reductions read, is theirs */
    tsl_event *done; /* what this rank reads and writes of others is read and written */
    int *opened;     /* [size] the generation of others' devices whose memory this may use */
    const tsl_event **waits;      /* [size] others' `done` that this has to wait for; NULL: not */
    tsl_threads_meeting *meeting; /* NULL: the device's kernels cannot wait for others' */
    int looked; /* the set of devices that can meet as far as this rank knows; -: cannot */
} tsl_threads_device;

/* What the ranks of one communicator share. */
typedef struct tsl_threads_group {
    tsl_threads_job *job;
    int size;
    atomic_int present;          /* ranks that have not ended */
    _Atomic(uint64_t) arrived;   /* at the gate; the upper half counts how often it has opened */
    tsl_threads_device *devices; /* [size], each written by its rank alone */
    tsl_threads_slot slots[];    /* [size] */
} tsl_threads_group;

typedef struct tsl_threads_comm {
    tsl_comm comm; /* first: a pointer to it is one to this */
    tsl_threads_group *group;
    uint64_t meetings;                        /* so far; the same on all ranks */
    struct tsl_threads_comm *next, *previous; /* a ring: this rank's, divided from one another */
} tsl_threads_comm;

static inline tsl_threads_group *tsl_threads_group_of(const tsl_comm *comm)
{
    return ((const tsl_threads_comm *)(const void *)comm)->group;
}

/* Wake all that sleep at a gate, so that they look again. */
void tsl_threads_wake(tsl_threads_job *job);

/* Begin an operation: show `mine` and wait for all ranks to do so. TSL_OK: all are in the same
 * operation, nobody leaves it before all have called tsl_threads_leave(), and each other's slots
 * and memory may be used. Otherwise the operation is off. */
tsl_status tsl_threads_enter(tsl_comm *comm, const tsl_threads_slot *mine);
/* In it: all ranks have come here. Nothing can stop that. */
void tsl_threads_line_up(tsl_comm *comm);
/* End it; nothing can stop that. Returns `status`; a failure has been published before. */
tsl_status tsl_threads_leave(tsl_comm *comm, tsl_status status);

/* What a rank expects of another. */
typedef struct tsl_threads_piece {
    int from;
    void *target;
    int64_t bytes;
} tsl_threads_piece;

/* Number `k` of what rank `to` expects in the operation in progress, 0 <= k < tsl_threads_pieces().
 */
int tsl_threads_pieces(const tsl_comm *comm, int to);
tsl_threads_piece tsl_threads_piece_at(const tsl_comm *comm, int to, int k);
/* Does rank `from` send anything to rank `to` in it? */
bool tsl_threads_sends(const tsl_comm *comm, int from, int to);
/* Where its sender has it. TSL_E_COMM, published, if that is not of the size expected. */
tsl_status tsl_threads_source(const void **out, tsl_comm *comm, int to, int k);

/* On device memory an operation is: tsl_threads_show_device(), tsl_threads_enter(), and one of the
 * other two, which leave. */
tsl_status tsl_threads_show_device(tsl_comm *comm, tsl_context *context);
/* A reduction never meets, so it calls this before tsl_threads_enter(): the others may use this
 * rank's memory after what is queued now. */
tsl_status tsl_threads_mark_ready(tsl_comm *comm);
tsl_status tsl_threads_move_device(tsl_comm *comm);
tsl_status tsl_threads_reduce_device(tsl_comm *comm);
/* The context has ended; what a rank has made for it, others may still use. */
void tsl_threads_forget(tsl_comm *comm, const tsl_context *context);
/* Wait until a rank's devices have finished with what was made for them. */
void tsl_threads_settle_device(const tsl_threads_device *device);
/* Release what was made for a rank's devices, once all ranks have waited. */
void tsl_threads_release_device(tsl_threads_device *device);

/* What a rank's device brings to meetings of kernels; NULL in `*out` where there are none. */
tsl_status tsl_threads_create_meeting(tsl_threads_meeting **out, tsl_comm *comm,
                                      tsl_context *context);
/* Wait for the device; when all ranks have settled theirs no kernel uses what they brought. */
void tsl_threads_settle_meeting(const tsl_threads_meeting *meeting);
void tsl_threads_destroy_meeting(tsl_threads_meeting *meeting);
/* Inside an operation: find out whether these devices can meet in the next. */
void tsl_threads_look_around(tsl_comm *comm);
/* Inside an operation that moves pieces: do the ranks' kernels meet in it? All ranks say the same.
 */
bool tsl_threads_meets(tsl_comm *comm);
/* Then all of them call this, whatever has failed: queue what this rank sends. */
tsl_status tsl_threads_meet(tsl_comm *comm, const tsl_peer_copy *copies, int count);

/* Begin, or end, to set a flag. */
void tsl_threads_begin_watch(tsl_threads_watch *watch, tsl_threads_job *job,
                             const tsl_threads_group *group, int32_t *flag);
void tsl_threads_end_watch(tsl_threads_watch *watch, tsl_threads_job *job);

/* Where ranks part whose devices use each other's memory. Zeroed, made by one of them, released by
 * the last. */
typedef struct tsl_threads_parting {
    int come, gone; /* under the job's mutex */
} tsl_threads_parting;

/* This rank's device is done with the others' memory. If the group is off, return when all ranks
 * have come here, in five seconds at most: a rank that waits for this one elsewhere would never. */
void tsl_threads_part(tsl_comm *comm, tsl_threads_parting *parting);

/* The job outlives its groups while somebody holds it. */
void tsl_threads_hold(tsl_threads_job *job);
void tsl_threads_let_go(tsl_threads_job *job);

/* Communicators of `size` ranks; comms[size]. */
tsl_status tsl_threads_create(tsl_comm **comms, int size);

#endif
