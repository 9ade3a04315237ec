/* Ranks that are MPI processes: what the files of the plug-in share.
 *
 * Every operation begins with a meeting: all ranks tell all others what they are about to do. Only
 * small messages from memory of the communicator's own are under way in it, so it can be called
 * off; once it is held, all ranks are in the operation, and MPI's blocking calls cannot hang for
 * want of one. */
#ifndef TSL_COMM_MPI_H
#define TSL_COMM_MPI_H

#include <pthread.h>
#include <stdatomic.h>

#include <mpi.h>

#include "comm/comm.h"

enum {
    TSL_MPI_PAYLOAD = 80,                 /* bytes that a record carries along */
    TSL_MPI_LITTLE = 32 << 10,            /* bytes that NCCL takes longer for than the host */
    TSL_MPI_ROUNDS = 32,                  /* of a meeting, at most */
    TSL_MPI_REASON = TSL_ERROR_TEXT - 64, /* of a failure */
    TSL_MPI_PIECE = 1 << 30,              /* bytes of a message, at most */
    TSL_MPI_MEETING = 1,
    TSL_MPI_OFF,
    TSL_MPI_DATA,
    TSL_MPI_REQUEST,
    TSL_MPI_REPLY /* tags */
};

typedef enum tsl_mpi_kind {
    TSL_MPI_BARRIER,
    TSL_MPI_BROADCAST,
    TSL_MPI_ALL_REDUCE,
    TSL_MPI_ALL_TO_ALL,
    TSL_MPI_GATHER,
    TSL_MPI_EXCHANGE,
    TSL_MPI_DIVIDE,
    TSL_MPI_COUNTERS,
    TSL_MPI_OPEN,
    TSL_MPI_END
} tsl_mpi_kind;

/* What a rank is about to do; what stands before `fresh` must be the same on all ranks. */
typedef struct tsl_mpi_record {
    int64_t number; /* of the meeting */
    int64_t count;
    int32_t kind, root, type, operation;
    int32_t device; /* is it device memory? */
    int32_t fresh;  /* of a context that is new to the communicator? */
    int64_t most;   /* bytes of device memory that the rank sends, or receives if those are more */
    char payload[TSL_MPI_PAYLOAD];
} tsl_mpi_record;

/* Message of a rank that will not come to meeting `number` or any later one of a communicator. */
typedef struct tsl_mpi_off {
    int64_t number;
    int32_t rank, status; /* of the failure */
    char reason[TSL_MPI_REASON];
} tsl_mpi_off;

typedef struct tsl_mpi_comm tsl_mpi_comm;
typedef struct tsl_mpi_staging tsl_mpi_staging;

/* A way for device memory. Once one is open all ranks have it; a meeting has been held before the
 * last three, so they end on all ranks whatever fails on one. */
typedef struct tsl_mpi_way {
    /* Take what messages of `context` need. Collective: others may hear of a failure only when they
     * meet next. */
    tsl_status (*open)(tsl_mpi_comm *c, tsl_context *context);
    void (*close)(tsl_mpi_comm *c);
    /* Take what a reduction of so many bytes needs. */
    tsl_status (*prepare)(tsl_mpi_comm *c, int64_t bytes);
    /* Move the data of pairs with other ranks, once sizes have been agreed on. */
    tsl_status (*move)(tsl_mpi_comm *c, const tsl_comm_pair *pairs, int count);
    tsl_status (*broadcast)(tsl_mpi_comm *c, void *data, int64_t bytes, int root);
    tsl_status (*reduce)(tsl_mpi_comm *c, void *values, int64_t count, tsl_comm_type type,
                         tsl_comm_operation operation);
} tsl_mpi_way;

extern const tsl_mpi_way tsl_mpi_by_nccl, tsl_mpi_by_aware, tsl_mpi_by_staging;

/* What a communicator has for device memory. */
typedef struct tsl_mpi_device {
    tsl_context *context; /* NULL: none yet, or it has ended */
    const tsl_mpi_way *way;
    const tsl_mpi_way *little; /* of up to TSL_MPI_LITTLE bytes; NULL: the same */
    char text[192];            /* for reports */
    struct tsl_nccl *nccl;
    tsl_mpi_staging *staging;
    void *scratch; /* [scratch_bytes], the device's */
    int64_t scratch_bytes;
    int64_t (*sizes)[4];   /* [room] that this rank and its peer send and expect */
    tsl_comm_pair *agreed; /* [room] */
    int room;
} tsl_mpi_device;

/* Counters live on rank 0, where a thread of their own serves the others. */
typedef struct tsl_mpi_server {
    bool running;
    pthread_t thread;
    pthread_mutex_t mutex;
    atomic_int stop;
    int64_t count, room;
    int64_t (*values)[TSL_COUNTERS]; /* [room] */
} tsl_mpi_server;

/* What all communicators of this process share. */
typedef struct tsl_mpi_job {
    bool started; /* MPI, by us */
    int level;    /* of threads that MPI allows */
    MPI_Comm counter_comm;
    tsl_mpi_server server;
    bool ended;
    bool failed;
    int failed_rank;
    tsl_status failed_status;
    char reason[TSL_MPI_REASON];
    tsl_mpi_comm *first, *last; /* all communicators, in the order in which they were made */
    char *drain;                /* room for any message of a meeting */
    int drain_bytes;
    bool told; /* how device memory travels */
} tsl_mpi_job;

struct tsl_mpi_comm {
    tsl_comm comm; /* first: a pointer to it is one to this */
    tsl_mpi_job *job;
    tsl_mpi_comm *next;
    MPI_Comm mpi;
    int64_t met;                         /* meetings this rank has come to */
    int64_t off;                         /* the first that some rank does not come to */
    tsl_mpi_record *records;             /* [size]; number i is that of rank (rank + i) % size */
    MPI_Request meeting[TSL_MPI_ROUNDS]; /* what this rank has sent in it */
    int rounds;
    tsl_mpi_off farewell;   /* what it tells the others when it fails */
    MPI_Request *farewells; /* [size] */
    MPI_Request *requests;  /* [room] of the operation in progress */
    MPI_Status *statuses;   /* [room] */
    int64_t *expected;      /* [room] bytes of a receive, -1: a send */
    int count, room;
    char *scratch; /* [scratch_bytes] */
    int64_t scratch_bytes;
    tsl_comm_pair *pairs; /* [size] of the operation in progress */
    tsl_mpi_device device;
};

static inline tsl_mpi_comm *tsl_mpi_of(tsl_comm *comm)
{
    return (tsl_mpi_comm *)(void *)comm;
}

extern const tsl_comm_ops tsl_comm_mpi_ops;

/* A communicator around `mpi`, which becomes its own; a parent of NULL makes the root. NULL: out of
 * memory. */
tsl_mpi_comm *tsl_mpi_make(tsl_mpi_job *job, tsl_mpi_comm *parent, int rank, int size);
void tsl_mpi_release(tsl_mpi_comm *c);

/* Meet. `mine` becomes complete with the number. TSL_OK: all ranks are in the operation, and
 * tsl_mpi_record_of() has what they brought. */
tsl_status tsl_mpi_meet(tsl_mpi_comm *c, tsl_mpi_record *mine);
const tsl_mpi_record *tsl_mpi_record_of(const tsl_mpi_comm *c, int rank);

/* Has a rank failed? Does not wait. */
bool tsl_mpi_hear(tsl_mpi_comm *c);

void tsl_mpi_publish(tsl_comm *comm, tsl_status status, const char *reason);
const char *tsl_mpi_failure(tsl_comm *comm, int *rank, tsl_status *status);

/* Wait until all ranks have come to the end of the job, whether it failed or not: no message is
 * left over then, and the same failure stands everywhere. */
void tsl_mpi_end(tsl_comm *comm);

/* ---- host memory (mpi.c) ------------------------------------------------------------------- */

/* Publishes. */
tsl_status tsl_mpi_no_memory(tsl_mpi_comm *c, int64_t bytes);

/* Room for the requests of `messages` messages of `bytes` bytes in all. */
tsl_status tsl_mpi_make_room(tsl_mpi_comm *c, int64_t messages, int64_t bytes);
void tsl_mpi_send(tsl_mpi_comm *c, const void *data, int64_t bytes, int to);
void tsl_mpi_receive(tsl_mpi_comm *c, void *data, int64_t bytes, int from);
/* Wait for what was queued. */
tsl_status tsl_mpi_complete(tsl_mpi_comm *c);

/* From `root` to all, without a meeting. */
tsl_status tsl_mpi_pass_on(tsl_mpi_comm *c, void *data, int64_t bytes, int root);

tsl_status tsl_mpi_broadcast_host(tsl_mpi_comm *c, tsl_mpi_record *mine, void *data);
tsl_status tsl_mpi_reduce_host(tsl_mpi_comm *c, tsl_mpi_record *mine, void *values);
/* An all-reduce without a meeting, and what has to be taken before. */
tsl_status tsl_mpi_prepare_slices(tsl_mpi_comm *c, int64_t bytes);
tsl_status tsl_mpi_reduce_slices(tsl_mpi_comm *c, void *all, int64_t count, tsl_comm_type type,
                                 tsl_comm_operation operation);

/* ---- device memory (mpi_device.c, mpi_path.c) ----------------------------------------------- */

/* Publish what the context says. */
tsl_status tsl_mpi_device_failed(tsl_mpi_comm *c, tsl_context *context, tsl_status status);

/* Agree on the way, if that is still to be done: meets. */
tsl_status tsl_mpi_device_settle(tsl_mpi_comm *c, tsl_context *context);
tsl_status tsl_mpi_device_move(tsl_mpi_comm *c, tsl_context *context, tsl_mpi_record *mine,
                               const tsl_comm_pair *pairs, int count);
tsl_status tsl_mpi_device_broadcast(tsl_mpi_comm *c, tsl_context *context, tsl_mpi_record *mine,
                                    void *data);
tsl_status tsl_mpi_device_all_reduce(tsl_mpi_comm *c, tsl_context *context, tsl_mpi_record *mine,
                                     void *values);

/* An all-reduce by messages of slices that the device combines, for ways whose messages are the
 * device's. */
tsl_status tsl_mpi_prepare_on_device(tsl_mpi_comm *c, int64_t bytes);
tsl_status tsl_mpi_reduce_on_device(tsl_mpi_comm *c, void *values, int64_t count,
                                    tsl_comm_type type, tsl_comm_operation operation);

/* Agree on a way for the context's memory, and open it. Collective. */
tsl_status tsl_mpi_open_device(tsl_mpi_comm *c, tsl_context *context);
void tsl_mpi_close_device(tsl_mpi_comm *c);
const char *tsl_mpi_path(const tsl_comm *comm, const tsl_context *context);
tsl_status tsl_mpi_reaches(bool *reaches, tsl_comm *comm, tsl_context *context);
void tsl_mpi_forget(tsl_comm *comm, const tsl_context *context);

/* Does the MPI library say that it takes device memory? */
bool tsl_mpi_is_aware(void);

/* Rank 0 begins, or ends, to serve. */
tsl_status tsl_mpi_serve(tsl_mpi_job *job);
void tsl_mpi_serve_no_more(tsl_mpi_job *job);

void tsl_mpi_destroy(tsl_comm *comm);

tsl_status tsl_mpi_counters_create(tsl_counters **out, tsl_comm *comm);
void tsl_mpi_counters_destroy(tsl_counters *counters);
tsl_status tsl_mpi_counters_add(tsl_counters *counters, const int64_t *add, int64_t *before);

#endif
