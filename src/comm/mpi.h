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
    TSL_MPI_END
} tsl_mpi_kind;

/* What a rank is about to do; all but the payload must be the same on all ranks. */
typedef struct tsl_mpi_record {
    int64_t number; /* of the meeting */
    int64_t count;
    int32_t kind, root, type, operation;
    int32_t device; /* is it device memory? */
    int32_t unused;
    char payload[TSL_MPI_PAYLOAD];
} tsl_mpi_record;

/* From a rank that will not come to meeting `number` or any later one of a communicator. */
typedef struct tsl_mpi_off {
    int64_t number;
    int32_t rank, status; /* of the failure */
    char reason[TSL_MPI_REASON];
} tsl_mpi_off;

typedef struct tsl_mpi_comm tsl_mpi_comm;

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

void tsl_mpi_publish(tsl_comm *comm, tsl_status status, const char *reason);
const char *tsl_mpi_failure(tsl_comm *comm, int *rank, tsl_status *status);

/* Wait until all ranks have come to the end of the job, whether it failed or not: no message is
 * left over then, and the same failure stands everywhere. */
void tsl_mpi_end(tsl_comm *comm);

/* Rank 0 begins, or ends, to serve. */
tsl_status tsl_mpi_serve(tsl_mpi_job *job);
void tsl_mpi_serve_no_more(tsl_mpi_job *job);

void tsl_mpi_destroy(tsl_comm *comm);

tsl_status tsl_mpi_counters_create(tsl_counters **out, tsl_comm *comm);
void tsl_mpi_counters_destroy(tsl_counters *counters);
tsl_status tsl_mpi_counters_add(tsl_counters *counters, const int64_t *add, int64_t *before);

#endif
