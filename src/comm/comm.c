/* Checks arguments, asks the member, and puts errors where the caller looks for them. */
#include "comm/comm.h"

#include <stdio.h>
#include <stdlib.h>

#include "device/device.h"

int tsl_comm_rank(const tsl_comm *comm)
{
    return comm->rank;
}

int tsl_comm_size(const tsl_comm *comm)
{
    return comm->size;
}

const char *tsl_comm_path(const tsl_comm *comm)
{
    return comm->ops->name;
}

void tsl_comm_destroy(tsl_comm *comm)
{
    if (comm != NULL) {
        comm->ops->destroy(comm);
    }
}

void tsl_comm_end(tsl_comm *comm)
{
    comm->ops->end(comm);
}

tsl_status tsl_comm_fail(tsl_comm *comm, tsl_status status, const char *reason)
{
    comm->ops->publish(comm, status, reason);
    return status;
}

tsl_status tsl_comm_refuse(tsl_context *context, tsl_status status)
{
    if (context->comm->size > 1 && status != TSL_OK && status != TSL_E_COMM) {
        tsl_comm_fail(context->comm, status, context->error);
    }
    return status;
}

const char *tsl_comm_failure(tsl_comm *comm, int *rank, tsl_status *status)
{
    int unasked;
    tsl_status unasked_status;
    return comm->ops->failure(comm, rank != NULL ? rank : &unasked,
                              status != NULL ? status : &unasked_status);
}

const char *tsl_comm_memory_path(const tsl_comm *comm, const tsl_context *context)
{
    return comm->ops->path != NULL ? comm->ops->path(comm, context) : NULL;
}

/* ---- arguments and errors ----------------------------------------------------------------- */

static tsl_status finish(tsl_comm *comm, tsl_status status)
{
    return status == TSL_OK ? TSL_OK
                            : tsl_fail(comm->root->context, status, "%s", comm->root->error);
}

tsl_status tsl_comm_check(tsl_comm *comm)
{
    return comm == NULL || tsl_comm_failure(comm, NULL, NULL) == NULL
               ? TSL_OK
               : finish(comm, tsl_comm_report_failure(comm));
}

tsl_status tsl_comm_is_far(bool *far, tsl_context *context)
{
    tsl_comm *comm = context->comm;
    bool one_host = false, reaches = false;
    *far = false;
    if (comm->ops->reaches == NULL) {
        return TSL_OK;
    }
    tsl_status status = finish(comm, comm->ops->reaches(&reaches, comm, context));
    if (status == TSL_OK) {
        status = tsl_comm_compare_hosts(&one_host, comm);
    }
    *far = status == TSL_OK && !(one_host && reaches);
    return status;
}

/* A rank that asks for what cannot be takes no part; the others must not wait for it. */
static tsl_status refuse(tsl_comm *comm, const char *reason)
{
    tsl_comm_fail(comm, TSL_E_ARG, reason);
    return tsl_fail(comm->root->context, TSL_E_ARG, "%s", reason);
}

/* NULL for memory that the host can use. */
static tsl_context *device_of(tsl_context *context)
{
    return context == NULL || context->ops->peer == NULL ? NULL : context;
}

static const char negative[] = "communication: a number of bytes is negative";
static const char no_rank[] = "communication: there is no such rank";

static bool are_valid(const tsl_comm_parts *parts, int size)
{
    for (int q = 0; q < size; q++) {
        if (parts->bytes[q] < 0 || parts->offsets[q] < 0) {
            return false;
        }
    }
    return true;
}

/* ---- operations --------------------------------------------------------------------------- */

tsl_status tsl_comm_barrier(tsl_comm *comm)
{
    return finish(comm, comm->ops->barrier(comm));
}

tsl_status tsl_comm_broadcast(tsl_comm *comm, tsl_context *context, void *data, int64_t bytes,
                              int root)
{
    if (bytes < 0 || root < 0 || root >= comm->size) {
        return refuse(comm, bytes < 0 ? negative : no_rank);
    }
    return finish(comm, comm->ops->broadcast(comm, device_of(context), data, bytes, root));
}

tsl_status tsl_comm_all_reduce(tsl_comm *comm, tsl_context *context, void *values, int64_t count,
                               tsl_comm_type type, tsl_comm_operation operation)
{
    if (count < 0 || (int)type < 0 || type >= TSL_COMM_TYPES || (int)operation < 0 ||
        operation >= TSL_COMM_OPERATIONS) {
        return refuse(comm, count < 0 ? negative : "communication: no such type or operation");
    }
    return finish(comm,
                  comm->ops->all_reduce(comm, device_of(context), values, count, type, operation));
}

tsl_status tsl_comm_all_to_all(tsl_comm *comm, tsl_context *context, const tsl_comm_parts *send,
                               const tsl_comm_parts *receive)
{
    if (!are_valid(send, comm->size) || !are_valid(receive, comm->size)) {
        return refuse(comm, negative);
    }
    return finish(comm, comm->ops->all_to_all(comm, device_of(context), send, receive));
}

bool tsl_comm_has_strided(const tsl_comm *comm)
{
    return comm->ops->all_to_all_strided != NULL;
}

static bool are_strided(const tsl_comm_strided *parts, int size)
{
    bool good = parts->each >= 0;
    for (int i = 0; i < size * parts->each && good; i++) {
        const tsl_comm_block *b = &parts->blocks[i];
        const int64_t numbers[] = {b->counts[0], b->counts[1], b->bytes};
        for (int k = 0; k < 3; k++) {
            good = good && numbers[k] >= 0 && numbers[k] <= INT32_MAX;
        }
    }
    return good;
}

tsl_status tsl_comm_all_to_all_strided(tsl_comm *comm, const tsl_comm_strided *send,
                                       const tsl_comm_strided *receive)
{
    if (!are_strided(send, comm->size) || !are_strided(receive, comm->size)) {
        return refuse(comm, "communication: a number of pieces or bytes is out of range");
    }
    if (!tsl_comm_has_strided(comm)) {
        return refuse(comm, "communication: strided parts are sent by MPI only");
    }
    return finish(comm, comm->ops->all_to_all_strided(comm, send, receive));
}

bool tsl_comm_has_rows(const tsl_comm *comm, const tsl_context *context)
{
    return tsl_comm_has_strided(comm) && context == NULL;
}

tsl_status tsl_comm_all_to_all_rows(tsl_comm *comm, const void *send, void *receive, int64_t rows,
                                    int64_t bytes)
{
    tsl_comm_block *blocks = tsl_allocate((size_t)comm->size * sizeof *blocks);
    if (blocks == NULL) {
        tsl_comm_fail(comm, TSL_E_NOMEM, "out of memory: cannot describe strided parts");
        return tsl_comm_report_failure(comm);
    }
    for (int q = 0; q < comm->size; q++) {
        blocks[q] = (tsl_comm_block){q * bytes, {1, rows}, {0, comm->size * bytes}, bytes};
    }
    const tsl_comm_strided from = {(void *)(uintptr_t)send, 1, blocks}; /* only read */
    const tsl_comm_strided to = {receive, 1, blocks};
    const tsl_status status = tsl_comm_all_to_all_strided(comm, &from, &to);
    tsl_release(blocks);
    return status;
}

tsl_status tsl_comm_gather(tsl_comm *comm, tsl_context *context, const void *send, int64_t bytes,
                           const tsl_comm_parts *receive, int root)
{
    const bool receives = root == TSL_COMM_ALL || root == comm->rank;
    if (root < TSL_COMM_ALL || root >= comm->size) {
        return refuse(comm, no_rank);
    }
    if (bytes < 0 || (receives && !are_valid(receive, comm->size))) {
        return refuse(comm, negative);
    }
    return finish(comm, comm->ops->gather(comm, device_of(context), send, bytes,
                                          receives ? receive : NULL, root));
}

tsl_status tsl_comm_exchange(tsl_comm *comm, tsl_context *context, int count,
                             const tsl_comm_pair *pairs)
{
    for (int i = 0; i < count; i++) {
        if (pairs[i].peer < 0 || pairs[i].peer >= comm->size) {
            return refuse(comm, no_rank);
        }
        if (pairs[i].send_bytes < 0 || pairs[i].receive_bytes < 0) {
            return refuse(comm, negative);
        }
    }
    return finish(comm, comm->ops->exchange(comm, device_of(context), count, pairs));
}

/* ---- division ----------------------------------------------------------------------------- */

/* What a rank asks for, and who it is. */
typedef struct choice {
    int colour, key, rank;
} choice;

static int by_key(const void *left, const void *right)
{
    const choice *a = left;
    const choice *b = right;
    if (a->key != b->key) {
        return a->key < b->key ? -1 : 1;
    }
    return a->rank - b->rank;
}

/* The choices of all ranks, [size]. */
static tsl_status gather_choices(choice *choices, int64_t *bytes, tsl_comm *comm, choice mine)
{
    int64_t *offsets = bytes + comm->size;
    for (int q = 0; q < comm->size; q++) {
        bytes[q] = sizeof mine;
        offsets[q] = q * (int64_t)sizeof mine;
    }
    const tsl_comm_parts receive = {.data = choices, .bytes = bytes, .offsets = offsets};
    return comm->ops->gather(comm, NULL, &mine, sizeof mine, &receive, TSL_COMM_ALL);
}

/* Ranks of this rank's colour in their new order, into ranks[]; their number. */
static int choose(int *ranks, int *rank, choice *choices, const tsl_comm *comm, int colour)
{
    int count = 0;
    for (int q = 0; q < comm->size && colour >= 0; q++) {
        if (choices[q].colour == colour) {
            choices[count++] = choices[q];
        }
    }
    qsort(choices, (size_t)count, sizeof *choices, by_key);
    for (int i = 0; i < count; i++) {
        ranks[i] = choices[i].rank;
        if (ranks[i] == comm->rank) {
            *rank = i;
        }
    }
    return count;
}

tsl_status tsl_comm_split(tsl_comm **out, tsl_comm *comm, int colour, int key)
{
    const size_t size = (size_t)comm->size;
    choice *choices = tsl_allocate(size * sizeof *choices);
    int64_t *bytes = tsl_allocate(2 * size * sizeof *bytes);
    int *ranks = tsl_allocate(size * sizeof *ranks);
    tsl_comm *made = NULL;
    tsl_status status = TSL_OK;
    if (choices == NULL || bytes == NULL || ranks == NULL) {
        status = tsl_comm_fail(comm, TSL_E_NOMEM, "out of memory: cannot divide a communicator");
        tsl_comm_report(comm, status, "out of memory: cannot divide a communicator");
    }
    if (status == TSL_OK) {
        const choice mine = {.colour = colour, .key = key, .rank = comm->rank};
        status = gather_choices(choices, bytes, comm, mine);
    }
    if (status == TSL_OK) {
        int rank = 0;
        const int count = choose(ranks, &rank, choices, comm, colour);
        status = comm->ops->divide(&made, comm, colour, ranks, count, rank);
    }
    tsl_release(choices);
    tsl_release(bytes);
    tsl_release(ranks);
    if (status == TSL_OK) {
        *out = made;
    }
    return finish(comm, status);
}

/* ---- counters ----------------------------------------------------------------------------- */

tsl_status tsl_counters_create(tsl_counters **out, tsl_comm *comm)
{
    return finish(comm, comm->ops->counters_create(out, comm));
}

void tsl_counters_destroy(tsl_counters *counters)
{
    if (counters != NULL) {
        counters->comm->ops->counters_destroy(counters);
    }
}

tsl_status tsl_counters_add(tsl_counters *counters, const int64_t add[TSL_COUNTERS],
                            int64_t before[TSL_COUNTERS])
{
    tsl_comm *comm = counters->comm;
    return finish(comm, comm->ops->counters_add(counters, add, before));
}
