/* Ranks that are threads of one process, on host memory. Each copies what it receives straight from
 * its sender's memory. */
#include "comm/threads/threads.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- what moves --------------------------------------------------------------------------- */

int tsl_threads_pieces(const tsl_comm *comm, int to)
{
    const tsl_threads_slot *slot = &tsl_threads_group_of(comm)->slots[to];
    switch (slot->kind) {
    case TSL_THREADS_BROADCAST:
        return to != slot->root;
    case TSL_THREADS_GATHER:
        return slot->root == TSL_COMM_ALL || slot->root == to ? comm->size : 0;
    case TSL_THREADS_ALL_TO_ALL:
        return comm->size;
    case TSL_THREADS_EXCHANGE:
        return slot->pair_count;
    default:
        return 0;
    }
}

tsl_threads_piece tsl_threads_piece_at(const tsl_comm *comm, int to, int k)
{
    const tsl_threads_slot *slot = &tsl_threads_group_of(comm)->slots[to];
    if (slot->kind == TSL_THREADS_EXCHANGE) {
        const tsl_comm_pair *pair = &slot->pairs[k];
        return (tsl_threads_piece){pair->peer, pair->receive, pair->receive_bytes};
    }
    if (slot->kind == TSL_THREADS_BROADCAST) {
        return (tsl_threads_piece){slot->root, slot->data, slot->count};
    }
    const int from = (to + k) % comm->size; /* not all from the same rank at the same time */
    return (tsl_threads_piece){from, (char *)slot->receive.data + slot->receive.offsets[from],
                               slot->receive.bytes[from]};
}

/* The piece that meets pair `k` of rank `to`: as its peer's j-th pair with that rank, if it is that
 * rank's j-th with the peer. NULL: there is none. */
static const tsl_comm_pair *match(const tsl_comm *comm, int to, int k)
{
    const tsl_threads_slot *slots = tsl_threads_group_of(comm)->slots;
    const tsl_threads_slot *slot = &slots[to];
    const tsl_threads_slot *theirs = &slots[slot->pairs[k].peer];
    int before = 0;
    for (int i = 0; i < k; i++) {
        before += slot->pairs[i].peer == slot->pairs[k].peer;
    }
    for (int i = 0; i < theirs->pair_count; i++) {
        if (theirs->pairs[i].peer == to && before-- == 0) {
            return &theirs->pairs[i];
        }
    }
    return NULL;
}

/* The bytes that the sender of a piece has for it, at *source; -1: nothing meets it. */
static int64_t sent_for(const void **source, const tsl_comm *comm, int to, int k)
{
    const tsl_threads_slot *slots = tsl_threads_group_of(comm)->slots;
    const tsl_threads_slot *theirs = &slots[tsl_threads_piece_at(comm, to, k).from];
    if (theirs->kind == TSL_THREADS_EXCHANGE) {
        const tsl_comm_pair *pair = match(comm, to, k);
        *source = pair != NULL ? pair->send : NULL;
        return pair != NULL ? pair->send_bytes : -1;
    }
    if (theirs->kind == TSL_THREADS_ALL_TO_ALL) {
        *source = (const char *)theirs->send.data + theirs->send.offsets[to];
        return theirs->send.bytes[to];
    }
    *source = theirs->data;
    return theirs->kind == TSL_THREADS_BROADCAST ? theirs->count : theirs->bytes;
}

tsl_status tsl_threads_source(const void **out, tsl_comm *comm, int to, int k)
{
    const tsl_threads_piece piece = tsl_threads_piece_at(comm, to, k);
    const int64_t sent = sent_for(out, comm, to, k);
    if (sent == piece.bytes) {
        return TSL_OK;
    }
    char reason[TSL_RANK_REASON];
    snprintf(reason, sizeof reason,
             sent < 0 ? "rank %d has no pair that meets pair %lld of rank %d"
                      : "rank %d sends %lld bytes where rank %d expects %lld",
             piece.from, (long long)(sent < 0 ? k : sent), to, (long long)piece.bytes);
    comm->ops->publish(comm, TSL_E_COMM, reason);
    return TSL_E_COMM;
}

bool tsl_threads_sends(const tsl_comm *comm, int from, int to)
{
    for (int k = 0; k < tsl_threads_pieces(comm, to); k++) {
        const tsl_threads_piece piece = tsl_threads_piece_at(comm, to, k);
        if (piece.from == from && piece.bytes > 0) {
            return true;
        }
    }
    return false;
}

static tsl_status copy_host(tsl_comm *comm)
{
    const int rank = comm->rank;
    tsl_status status = TSL_OK;
    for (int k = 0; k < tsl_threads_pieces(comm, rank) && status == TSL_OK; k++) {
        const tsl_threads_piece piece = tsl_threads_piece_at(comm, rank, k);
        const void *source;
        status = tsl_threads_source(&source, comm, rank, k);
        if (status == TSL_OK && piece.bytes > 0 && piece.target != source) {
            memcpy(piece.target, source, (size_t)piece.bytes);
        }
    }
    return status;
}

/* Show `mine`, do what its kind asks for, and wait until all ranks are done. */
static tsl_status move(tsl_comm *comm, const tsl_threads_slot *mine)
{
    tsl_status status =
        mine->context != NULL ? tsl_threads_show_device(comm, mine->context) : TSL_OK;
    if (status == TSL_OK) {
        status = tsl_threads_enter(comm, mine);
    }
    if (status != TSL_OK) {
        return status;
    }
    return mine->context != NULL ? tsl_threads_move_device(comm)
                                 : tsl_threads_leave(comm, copy_host(comm));
}

static tsl_status threads_barrier(tsl_comm *comm)
{
    return move(comm, &(tsl_threads_slot){.kind = TSL_THREADS_BARRIER});
}

static tsl_status threads_broadcast(tsl_comm *comm, tsl_context *context, void *data, int64_t bytes,
                                    int root)
{
    return move(comm, &(tsl_threads_slot){.kind = TSL_THREADS_BROADCAST,
                                          .root = root,
                                          .count = bytes,
                                          .context = context,
                                          .data = data});
}

static tsl_status threads_all_to_all(tsl_comm *comm, tsl_context *context,
                                     const tsl_comm_parts *send, const tsl_comm_parts *receive)
{
    return move(comm, &(tsl_threads_slot){.kind = TSL_THREADS_ALL_TO_ALL,
                                          .context = context,
                                          .send = *send,
                                          .receive = *receive});
}

static tsl_status threads_gather(tsl_comm *comm, tsl_context *context, const void *send,
                                 int64_t bytes, const tsl_comm_parts *receive, int root)
{
    tsl_threads_slot mine = {.kind = TSL_THREADS_GATHER,
                             .root = root,
                             .context = context,
                             .data = (void *)(uintptr_t)send,
                             .bytes = bytes};
    if (receive != NULL) {
        mine.receive = *receive;
    }
    return move(comm, &mine);
}

static tsl_status threads_exchange(tsl_comm *comm, tsl_context *context, int count,
                                   const tsl_comm_pair *pairs)
{
    return move(comm, &(tsl_threads_slot){.kind = TSL_THREADS_EXCHANGE,
                                          .context = context,
                                          .pairs = pairs,
                                          .pair_count = count});
}

/* ---- reduction ---------------------------------------------------------------------------- */

/* values[q][first … last - 1] of all ranks become their combination, a block at a time. */
static void reduce_slice(const tsl_threads_slot *slots, int size, int64_t first, int64_t last)
{
    const int64_t width = tsl_comm_width(slots[0].type);
    for (int64_t at = first; at < last; at += TSL_COMM_BLOCK) {
        const int64_t count = last - at < TSL_COMM_BLOCK ? last - at : TSL_COMM_BLOCK;
        char *const values = (char *)slots[0].data + at * width;
        for (int q = 1; q < size; q++) {
            tsl_comm_combine(values, (const char *)slots[q].data + at * width, count, slots[0].type,
                             slots[0].operation);
        }
        for (int q = 1; q < size; q++) {
            memcpy((char *)slots[q].data + at * width, values, (size_t)(count * width));
        }
    }
}

/* Each rank combines a slice of the values, which no other rank looks at, in everyone's memory. */
static tsl_status threads_all_reduce(tsl_comm *comm, tsl_context *context, void *values,
                                     int64_t count, tsl_comm_type type,
                                     tsl_comm_operation operation)
{
    const tsl_threads_slot mine = {.kind = TSL_THREADS_ALL_REDUCE,
                                   .type = type,
                                   .operation = operation,
                                   .count = count,
                                   .context = context,
                                   .data = values};
    tsl_status status = context != NULL ? tsl_threads_show_device(comm, context) : TSL_OK;
    if (status == TSL_OK && context != NULL) {
        status = tsl_threads_mark_ready(comm);
    }
    if (status == TSL_OK) {
        status = tsl_threads_enter(comm, &mine);
    }
    if (status != TSL_OK || context != NULL) {
        return status != TSL_OK ? status : tsl_threads_reduce_device(comm);
    }
    const int64_t first = tsl_comm_slice(count, comm->rank, comm->size);
    const int64_t last = tsl_comm_slice(count, comm->rank + 1, comm->size);
    reduce_slice(tsl_threads_group_of(comm)->slots, comm->size, first, last);
    return tsl_threads_leave(comm, TSL_OK);
}

/* ---- life --------------------------------------------------------------------------------- */

/* Tell kernels: of a group, or with NULL of all. Under the job's mutex. */
static void set_flags(const tsl_threads_job *job, const tsl_threads_group *group)
{
    for (const tsl_threads_watch *w = job->watches; w != NULL; w = w->next) {
        if (group == NULL || w->group == group) {
            __atomic_store_n(w->flag, 1, __ATOMIC_RELAXED);
        }
    }
}

void tsl_threads_begin_watch(tsl_threads_watch *watch, tsl_threads_job *job,
                             const tsl_threads_group *group, int32_t *flag)
{
    pthread_mutex_lock(&job->mutex);
    *watch = (tsl_threads_watch){.next = job->watches, .group = group, .flag = flag};
    job->watches = watch;
    if (atomic_load(&job->failed) != 0) {
        set_flags(job, NULL);
    }
    pthread_mutex_unlock(&job->mutex);
}

void tsl_threads_end_watch(tsl_threads_watch *watch, tsl_threads_job *job)
{
    pthread_mutex_lock(&job->mutex);
    for (tsl_threads_watch **at = &job->watches; *at != NULL; at = &(*at)->next) {
        if (*at == watch) {
            *at = watch->next;
            break;
        }
    }
    pthread_mutex_unlock(&job->mutex);
}

static void threads_publish(tsl_comm *comm, tsl_status status, const char *reason)
{
    tsl_threads_job *job = tsl_threads_group_of(comm)->job;
    pthread_mutex_lock(&job->mutex);
    if (atomic_load(&job->failed) == 0) {
        job->failed_rank = comm->root->rank;
        job->failed_status = status;
        snprintf(job->reason, sizeof job->reason, "%s", reason);
        atomic_store(&job->failed, 1);
        set_flags(job, NULL);
        pthread_cond_broadcast(&job->changed);
    }
    pthread_mutex_unlock(&job->mutex);
}

static const char *threads_failure(tsl_comm *comm, int *rank, tsl_status *status)
{
    const tsl_threads_job *job = tsl_threads_group_of(comm)->job;
    if (atomic_load(&job->failed) == 0) {
        return NULL;
    }
    *rank = job->failed_rank;
    *status = job->failed_status;
    return job->reason;
}

/* Nothing is under way outside of operations, and there is one failure for all. */
static void threads_end(tsl_comm *comm)
{
    (void)comm;
}

static tsl_threads_group *make_group(tsl_threads_job *job, int size)
{
    tsl_threads_group *group =
        tsl_allocate_zeroed(1, sizeof *group + (size_t)size * sizeof(tsl_threads_slot));
    tsl_threads_device *devices = tsl_allocate_zeroed((size_t)size, sizeof *devices);
    if (group == NULL || devices == NULL) {
        tsl_release(group);
        tsl_release(devices);
        return NULL;
    }
    group->devices = devices;
    group->job = job;
    group->size = size;
    atomic_init(&group->present, size);
    atomic_init(&group->arrived, 0);
    tsl_threads_hold(job);
    return group;
}

void tsl_threads_hold(tsl_threads_job *job)
{
    atomic_fetch_add(&job->holders, 1);
}

void tsl_threads_let_go(tsl_threads_job *job)
{
    if (atomic_fetch_sub(&job->holders, 1) == 1) {
        pthread_cond_destroy(&job->changed);
        pthread_mutex_destroy(&job->mutex);
        tsl_release(job);
    }
}

static void release_group(tsl_threads_group *group)
{
    tsl_threads_job *job = group->job;
    for (int q = 0; q < group->size; q++) {
        tsl_threads_release_device(&group->devices[q]);
    }
    tsl_release(group->devices);
    tsl_release(group);
    tsl_threads_let_go(job);
}

static void threads_destroy(tsl_comm *comm)
{
    tsl_threads_group *group = tsl_threads_group_of(comm);
    tsl_threads_job *job = group->job;
    tsl_threads_comm *own = (tsl_threads_comm *)(void *)comm;
    tsl_threads_settle_device(&group->devices[comm->rank]);
    own->next->previous = own->previous;
    own->previous->next = own->next;
    tsl_release(own);
    pthread_mutex_lock(&job->mutex); /* others may wait for this rank */
    const bool last = atomic_fetch_sub(&group->present, 1) == 1;
    set_flags(job, group);
    pthread_cond_broadcast(&job->changed);
    pthread_mutex_unlock(&job->mutex);
    if (last) {
        release_group(group);
    }
}

static const tsl_comm_ops threads_ops, self_ops;

static tsl_threads_comm *make_comm(tsl_comm *parent, int rank, int size)
{
    tsl_threads_comm *made = tsl_allocate_zeroed(1, sizeof *made);
    if (made != NULL) {
        made->comm.ops = parent != NULL ? parent->ops : size == 1 ? &self_ops : &threads_ops;
        made->comm.rank = rank;
        made->comm.size = size;
        made->comm.root = parent != NULL ? parent->root : &made->comm;
        made->next = made->previous = made;
    }
    return made;
}

static void join_ring(tsl_threads_comm *made, tsl_comm *parent)
{
    tsl_threads_comm *before = (tsl_threads_comm *)(void *)parent;
    made->previous = before;
    made->next = before->next;
    before->next->previous = made;
    before->next = made;
}

/* Publish that this rank is out of memory. */
static tsl_status no_memory(tsl_comm *comm, const char *what)
{
    char reason[128];
    snprintf(reason, sizeof reason, "out of memory: cannot make %s", what);
    comm->ops->publish(comm, TSL_E_NOMEM, reason);
    return tsl_comm_report(comm, TSL_E_NOMEM, "%s", reason);
}

/* Everything that can fail is done before the ranks meet. The first of the new ranks brings the
 * group. */
static tsl_status threads_divide(tsl_comm **out, tsl_comm *comm, int colour, const int *ranks,
                                 int size, int rank)
{
    (void)colour;
    tsl_threads_job *job = tsl_threads_group_of(comm)->job;
    tsl_threads_comm *made = size > 0 ? make_comm(comm, rank, size) : NULL;
    tsl_threads_group *group = size > 0 && rank == 0 ? make_group(job, size) : NULL;
    tsl_status status = TSL_OK;
    if (size > 0 && (made == NULL || (rank == 0 && group == NULL))) {
        status = no_memory(comm, "a sub-communicator");
    }
    if (status == TSL_OK) {
        const tsl_threads_slot mine = {.kind = TSL_THREADS_DIVIDE, .data = group};
        status = tsl_threads_enter(comm, &mine);
    }
    if (status != TSL_OK) {
        tsl_release(made);
        if (group != NULL) {
            release_group(group);
        }
        return status;
    }
    if (size > 0) {
        made->group = tsl_threads_group_of(comm)->slots[ranks[0]].data;
        join_ring(made, comm);
        *out = &made->comm;
    }
    return tsl_threads_leave(comm, TSL_OK);
}

static tsl_threads_job *make_job(int size)
{
    tsl_threads_job *job = tsl_allocate_zeroed(1, sizeof *job);
    if (job != NULL) {
        pthread_mutex_init(&job->mutex, NULL);
        pthread_cond_init(&job->changed, NULL);
        /* Looking again and again helps only while nobody waits for this thread's processor. */
        job->looks = size <= sysconf(_SC_NPROCESSORS_ONLN) ? 300 : 0;
    }
    return job;
}

tsl_status tsl_threads_create(tsl_comm **comms, int size)
{
    tsl_threads_job *job = make_job(size);
    tsl_threads_group *group = job != NULL ? make_group(job, size) : NULL;
    if (group == NULL) {
        tsl_release(job);
        return tsl_fail(NULL, TSL_E_NOMEM, "out of memory: cannot make a communicator");
    }
    for (int i = 0; i < size; i++) {
        tsl_threads_comm *made = make_comm(NULL, i, size);
        if (made == NULL) {
            while (i-- > 0) {
                tsl_release(comms[i]);
            }
            release_group(group);
            return tsl_fail(NULL, TSL_E_NOMEM, "out of memory: cannot make a communicator");
        }
        made->group = group;
        comms[i] = &made->comm;
    }
    return TSL_OK;
}

tsl_status tsl_comm_create_self(tsl_comm **out)
{
    return tsl_threads_create(out, 1);
}

/* ---- counters ----------------------------------------------------------------------------- */

typedef struct shared_counters {
    atomic_int users;
    pthread_mutex_t mutex;
    int64_t values[TSL_COUNTERS];
} shared_counters;

typedef struct threads_counters {
    tsl_counters counters;
    shared_counters *shared;
} threads_counters;

static shared_counters *make_shared(int users)
{
    shared_counters *shared = tsl_allocate_zeroed(1, sizeof *shared);
    if (shared != NULL) {
        atomic_init(&shared->users, users);
        pthread_mutex_init(&shared->mutex, NULL);
    }
    return shared;
}

static void release_shared(shared_counters *shared)
{
    pthread_mutex_destroy(&shared->mutex);
    tsl_release(shared);
}

static tsl_status threads_counters_create(tsl_counters **out, tsl_comm *comm)
{
    threads_counters *made = tsl_allocate(sizeof *made);
    shared_counters *shared = comm->rank == 0 ? make_shared(comm->size) : NULL;
    tsl_status status = TSL_OK;
    if (made == NULL || (comm->rank == 0 && shared == NULL)) {
        status = no_memory(comm, "counters");
    }
    if (status == TSL_OK) {
        const tsl_threads_slot mine = {.kind = TSL_THREADS_COUNTERS, .data = shared};
        status = tsl_threads_enter(comm, &mine);
    }
    if (status != TSL_OK) {
        tsl_release(made);
        if (shared != NULL) {
            release_shared(shared);
        }
        return status;
    }
    made->counters.comm = comm;
    made->shared = tsl_threads_group_of(comm)->slots[0].data;
    *out = &made->counters;
    return tsl_threads_leave(comm, TSL_OK);
}

static void threads_counters_destroy(tsl_counters *counters)
{
    shared_counters *shared = ((threads_counters *)(void *)counters)->shared;
    if (atomic_fetch_sub(&shared->users, 1) == 1) {
        release_shared(shared);
    }
    tsl_release(counters);
}

static tsl_status threads_counters_add(tsl_counters *counters, const int64_t *add, int64_t *before)
{
    shared_counters *shared = ((threads_counters *)(void *)counters)->shared;
    if (atomic_load(&tsl_threads_group_of(counters->comm)->job->failed) != 0) {
        return tsl_comm_report_failure(counters->comm);
    }
    pthread_mutex_lock(&shared->mutex);
    for (int i = 0; i < TSL_COUNTERS; i++) {
        before[i] = shared->values[i];
        shared->values[i] += add[i];
    }
    pthread_mutex_unlock(&shared->mutex);
    return TSL_OK;
}

#define OPERATIONS                                                                                 \
    .one_process = true, .destroy = threads_destroy, .divide = threads_divide,                     \
    .barrier = threads_barrier, .broadcast = threads_broadcast, .all_reduce = threads_all_reduce,  \
    .all_to_all = threads_all_to_all, .gather = threads_gather, .exchange = threads_exchange,      \
    .counters_create = threads_counters_create, .counters_destroy = threads_counters_destroy,      \
    .counters_add = threads_counters_add, .publish = threads_publish, .failure = threads_failure,  \
    .end = threads_end, .forget = tsl_threads_forget

/* A rank alone is a thread that waits for nobody. */
static const tsl_comm_ops threads_ops = {.name = "threads", OPERATIONS};
static const tsl_comm_ops self_ops = {.name = "self", OPERATIONS};
