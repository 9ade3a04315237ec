/* Communication between ranks, and the table that its members fill: threads.c (ranks are threads of
 * this process; a rank alone is one of them) and mpi.c (processes; a plug-in).
 *
 * Operations are collective over the communicator and return when this rank's part is done and its
 * memory may be used again. They come in the same order on all ranks, with the same root, type,
 * operation and, where there is one count for all, the same count.
 *
 * Memory: with `context` NULL, or a context on the CPU, pointers are to host memory. Else they are
 * to that context's device memory: the work is queued on its stream after what is queued there
 * already, and the memory may be used by whatever is queued later. All ranks then give such a
 * context, of this communicator or of another with the same root: the root is told of its end.
 *
 * Failure: every operation returns TSL_E_COMM with "rank 2: its reason" as soon as any rank has
 * called tsl_comm_fail(). After a failure the contents of the output are undefined. The line goes
 * to the context that belongs to the communicator, else to tsl_last_error(NULL).
 *
 * Counts and offsets are 64 bits wide, in bytes where they are called bytes. */
#ifndef TSL_COMM_H
#define TSL_COMM_H

#include "comm/comm_point.h"
#include "core/context.h"
#include "tesela/comm.h"

/* A part for each rank, or of each rank: bytes[rank] bytes at data + offsets[rank]. */
typedef struct tsl_comm_parts {
    void *data;
    const int64_t *bytes;   /* [size] */
    const int64_t *offsets; /* [size] */
} tsl_comm_parts;

/* One message each way between this rank and `peer`; either may have 0 bytes. */
typedef struct tsl_comm_pair {
    int peer;
    const void *send;
    int64_t send_bytes;
    void *receive;
    int64_t receive_bytes;
} tsl_comm_pair;

/* Where rank q's slice of `count` values begins; that of rank `size` is the end. */
static inline int64_t tsl_comm_slice(int64_t count, int q, int size)
{
    const int64_t each = (count + size - 1) / size;
    return each * q < count ? each * q : count;
}

/* into[i] = into[i] and from[i] as tsl_comm_combine_double() and its like have them; the arrays
 * don't overlap. Values are combined TSL_COMM_BLOCK at a time, which stay in cache from rank to
 * rank. */
void tsl_comm_combine(void *into, const void *from, int64_t count, tsl_comm_type type,
                      tsl_comm_operation operation);
enum { TSL_COMM_BLOCK = 1024 };

/* Given as the root of a gather: every rank gets the whole. */
enum { TSL_COMM_ALL = -1 };

/* ---- operations (comm.c) ------------------------------------------------------------------ */

/* Return when all ranks have come here. */
tsl_status tsl_comm_barrier(tsl_comm *comm);

/* Copy `bytes` bytes of rank `root` to all ranks. */
tsl_status tsl_comm_broadcast(tsl_comm *comm, tsl_context *context, void *data, int64_t bytes,
                              int root);

/* values[i] becomes the sum, least or largest of all ranks' values[i], i < count. Combined in the
 * order of the ranks, ((v0 + v1) + v2) + …, so that all ranks have the same bits, every time. A
 * not-a-number in any makes the result one. */
tsl_status tsl_comm_all_reduce(tsl_comm *comm, tsl_context *context, void *values, int64_t count,
                               tsl_comm_type type, tsl_comm_operation operation);

/* Part q of this rank's `send` becomes part `rank` of q's `receive`; they must be of one size. The
 * parts of `receive` must not overlap each other or `send`. */
tsl_status tsl_comm_all_to_all(tsl_comm *comm, tsl_context *context, const tsl_comm_parts *send,
                               const tsl_comm_parts *receive);

/* All ranks' `send` become the parts of `receive` on the rank `root`, or on all: TSL_COMM_ALL.
 * receive->bytes[q] is rank q's `bytes`. `receive` is NULL on ranks that receive nothing. */
tsl_status tsl_comm_gather(tsl_comm *comm, tsl_context *context, const void *send, int64_t bytes,
                           const tsl_comm_parts *receive, int root);

/* Messages between neighbours: what a rank gives as its k-th pair with a peer meets the peer's k-th
 * pair with it, and sizes must agree. A rank without neighbours calls it with count 0. A rank may
 * be its own peer. */
tsl_status tsl_comm_exchange(tsl_comm *comm, tsl_context *context, int count,
                             const tsl_comm_pair *pairs);

/* counts[0] * counts[1] pieces of `bytes` bytes: number (i, j) is at
 * offset + i * pitches[0] + j * pitches[1]. */
typedef struct tsl_comm_block {
    int64_t offset, counts[2], pitches[2], bytes;
} tsl_comm_block;

/* A part for each rank, or of each rank: so many blocks each, one after another. */
typedef struct tsl_comm_strided {
    void *data;
    int each;
    const tsl_comm_block *blocks; /* [size][each] */
} tsl_comm_strided;

/* An all-to-all of parts that are left where they are; as tsl_comm_all_to_all(), but of host
 * memory, and counts and bytes of a block are less than 2^31. By MPI's derived datatypes; other
 * members have none. */
tsl_status tsl_comm_all_to_all_strided(tsl_comm *comm, const tsl_comm_strided *send,
                                       const tsl_comm_strided *receive);
bool tsl_comm_has_strided(const tsl_comm *comm);

/* An all-to-all of strided parts: `send` and `receive` have `rows` rows, each of size * bytes
 * bytes, of which column q, `bytes` wide, goes to and comes from rank q. It needs MPI's derived
 * datatypes; other members have none. */
tsl_status tsl_comm_all_to_all_rows(tsl_comm *comm, const void *send, void *receive, int64_t rows,
                                    int64_t bytes);
bool tsl_comm_has_rows(const tsl_comm *comm, const tsl_context *context);

/* How device memory travels between ranks, for reports: "NCCL 2.28.9", "pinned host memory and MPI
 * (not NCCL: ranks 0 and 1 share a GPU, …)". Known from the first operation on memory of
 * `context`; NULL before, on host memory and among threads. The communicator's. */
const char *tsl_comm_memory_path(const tsl_comm *comm, const tsl_context *context);

/* Are the ranks' devices, of one kind, far from each other: on several hosts, or without writing to
 * each other's memory, as MPI by itself and by way of the host don't? Collective. */
tsl_status tsl_comm_is_far(bool *far, tsl_context *context);

/* ---- agreement (agree.c) ------------------------------------------------------------------ */

/* What tells this rank's host from all others: its kernel's boot, the same in all its containers.
 */
enum { TSL_COMM_HOST = 64 };
void tsl_comm_host(char host[TSL_COMM_HOST]);

/* Records of all ranks, `bytes` each, into all[size], on the host. */
tsl_status tsl_comm_gather_records(tsl_comm *comm, void *all, const void *mine, int64_t bytes);

/* Are all ranks of the context's communicator well? `status` is this rank's, with the context's
 * error. If any is not, all return the status of the first of them, with its line, the others with
 * "rank 2: " before it. Nothing is published: the communicator stays of use. Takes no memory. A
 * rank whose `status` is TSL_E_COMM knows of a failure that was published, and does not wait. */
tsl_status tsl_comm_agree(tsl_context *context, tsl_status status);

/* tsl_device_foresee() for all ranks of the context's communicator, which may share memory:
 * `others` and `others_host` are filled in. The outcome is that of tsl_comm_agree(). Collective. */
struct tsl_device_need;
tsl_status tsl_comm_foresee(tsl_context *context, const struct tsl_device_need *need);

/* Are all ranks on one host? Collective. */
tsl_status tsl_comm_compare_hosts(bool *same, tsl_comm *comm);

/* Do all ranks give the same number? Collective. */
tsl_status tsl_comm_compare(bool *same, tsl_comm *comm, int64_t number);

/* ---- a reduction that is repeated ---------------------------------------------------------- */

/* The plan of an all-reduce of few values. Among GPUs of one process, a rank on each, it is one
 * kernel a rank that waits for the other ranks' messages, without the host: it may be captured in a
 * CUDA graph, and nothing may be queued before it on one rank that waits for another rank's host.
 * Elsewhere it is tsl_comm_all_reduce(). The same bits either way. */
typedef struct tsl_reducer tsl_reducer;

/* Make a plan for up to `count` values, as tsl_comm_all_reduce() takes them. Collective;
 * synchronous. */
tsl_status tsl_reducer_create(tsl_reducer **out, tsl_comm *comm, tsl_context *context,
                              int64_t count, tsl_comm_type type, tsl_comm_operation operation);
/* Waits for this rank's work; NULL is fine. Not collective. After a failure, which has been
 * published, waits for the other ranks to come here too, 5 seconds at most; then what others'
 * kernels used of this rank's memory may be released. */
void tsl_reducer_destroy(tsl_reducer *reducer);
/* All ranks call it, with the same count. If one fails instead, the values become not-a-numbers,
 * and later communication says why. */
tsl_status tsl_reducer_execute(tsl_reducer *reducer, void *values, int64_t count);
/* Does it go without the host? */
bool tsl_reducer_is_direct(const tsl_reducer *reducer);

/* ---- counters ----------------------------------------------------------------------------- */

/* A few shared integers, for handing out work while ranks compute. */
typedef struct tsl_counters tsl_counters;

enum { TSL_COUNTERS = 4 };

/* All 0. Collective. */
tsl_status tsl_counters_create(tsl_counters **out, tsl_comm *comm);
/* Release this rank's end; NULL is fine. Not collective. */
void tsl_counters_destroy(tsl_counters *counters);
/* Fetch and add, all at once: before[i] becomes counter i, and counter i grows by add[i], with no
 * other rank's call in between. Not collective. */
tsl_status tsl_counters_add(tsl_counters *counters, const int64_t add[TSL_COUNTERS],
                            int64_t before[TSL_COUNTERS]);

/* ---- the table ---------------------------------------------------------------------------- */

/* What a member does. Arguments have been checked, except for what only the ranks together can
 * know. A failing member calls tsl_comm_report(). `context` is NULL for host memory. */
typedef struct tsl_comm_ops {
    const char *name;
    bool one_process; /* ranks are threads: see comm/threads/threads.h */
    void (*destroy)(tsl_comm *comm);
    /* Members of the new communicator in rank order: ranks[size]; this rank is ranks[rank]. */
    tsl_status (*divide)(tsl_comm **out, tsl_comm *comm, int colour, const int *ranks, int size,
                         int rank);
    tsl_status (*barrier)(tsl_comm *comm);
    tsl_status (*broadcast)(tsl_comm *comm, tsl_context *context, void *data, int64_t bytes,
                            int root);
    tsl_status (*all_reduce)(tsl_comm *comm, tsl_context *context, void *values, int64_t count,
                             tsl_comm_type type, tsl_comm_operation operation);
    tsl_status (*all_to_all)(tsl_comm *comm, tsl_context *context, const tsl_comm_parts *send,
                             const tsl_comm_parts *receive);
    tsl_status (*all_to_all_strided)(tsl_comm *comm, const tsl_comm_strided *send,
                                     const tsl_comm_strided *receive); /* NULL: none */
    tsl_status (*gather)(tsl_comm *comm, tsl_context *context, const void *send, int64_t bytes,
                         const tsl_comm_parts *receive, int root);
    tsl_status (*exchange)(tsl_comm *comm, tsl_context *context, int count,
                           const tsl_comm_pair *pairs);
    tsl_status (*counters_create)(tsl_counters **out, tsl_comm *comm);
    void (*counters_destroy)(tsl_counters *counters);
    tsl_status (*counters_add)(tsl_counters *counters, const int64_t *add, int64_t *before);
    void (*publish)(tsl_comm *comm, tsl_status status, const char *reason);
    const char *(*failure)(tsl_comm *comm, int *rank, tsl_status *status);
    void (*end)(tsl_comm *comm); /* see tsl_comm_end() */
    /* How memory of the context travels, from the first operation on it; NULL: by the member's own
     * means, and so until then. */
    const char *(*path)(const tsl_comm *comm, const tsl_context *context);
    /* Do a host's devices write to each other's memory? Collective; settles how memory of the
     * context travels. NULL: they do. */
    tsl_status (*reaches)(bool *reaches, tsl_comm *comm, tsl_context *context);
    /* Release what is kept for a context in this communicator and all divided from it; NULL:
     * nothing. */
    void (*forget)(tsl_comm *comm, const tsl_context *context);
} tsl_comm_ops;

/* What all members' communicators begin with. */
struct tsl_comm {
    const tsl_comm_ops *ops;
    int rank, size;
    tsl_comm *root;             /* the one this was divided from, itself where it was not */
    tsl_context *context;       /* of the root: gets the errors; NULL: the calling thread does */
    char error[TSL_ERROR_TEXT]; /* of the root: what a member has reported last */
};

struct tsl_counters {
    tsl_comm *comm;
};

/* A context is about to end: release what communicators keep for it. */
static inline void tsl_comm_forget(tsl_context *context)
{
    tsl_comm *comm = context->comm;
    if (comm->ops->forget != NULL) {
        comm->ops->forget(comm->root, context);
    }
}

/* Set the line that belongs to a failure and return `status`. */
tsl_status tsl_comm_report(tsl_comm *comm, tsl_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Report the failure that stands; TSL_E_COMM. */
tsl_status tsl_comm_report_failure(tsl_comm *comm);

/* Has a rank failed, as far as this one can hear? TSL_E_COMM, reported. For where ranks are long
 * without a word to each other; NULL: there are no others. */
tsl_status tsl_comm_check(tsl_comm *comm);

/* For a rank that cannot take part in what all are about to do, or cannot go on: publishes the
 * context's error unless there is one rank or a failure stands already (TSL_E_COMM), and returns
 * `status`. */
tsl_status tsl_comm_refuse(tsl_context *context, tsl_status status);

/* A communicator of this process alone. */
tsl_status tsl_comm_create_self(tsl_comm **out);

#endif
