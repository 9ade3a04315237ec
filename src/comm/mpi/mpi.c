/* Operations among MPI processes, on host memory; those on device memory begin here too. */
#include "comm/mpi/mpi.h"

#include <stdio.h>
#include <string.h>

#include "device/device.h"

/* ---- memory ------------------------------------------------------------------------------- */

tsl_status tsl_mpi_no_memory(tsl_mpi_comm *c, int64_t bytes)
{
    char reason[128], size[16];
    snprintf(reason, sizeof reason, "out of memory: cannot take %s for communication",
             tsl_format_bytes(size, bytes));
    tsl_mpi_publish(&c->comm, TSL_E_NOMEM, reason);
    return tsl_comm_report(&c->comm, TSL_E_NOMEM, "%s", reason);
}

/* Room for the requests of `messages` messages of `bytes` bytes in all. */
tsl_status tsl_mpi_make_room(tsl_mpi_comm *c, int64_t messages, int64_t bytes)
{
    const int64_t room = messages + bytes / TSL_MPI_PIECE;
    if (room <= c->room) {
        return TSL_OK;
    }
    tsl_release(c->requests);
    tsl_release(c->statuses);
    tsl_release(c->expected);
    c->room = 0;
    c->requests = tsl_allocate((size_t)room * sizeof *c->requests);
    c->statuses = tsl_allocate((size_t)room * sizeof *c->statuses);
    c->expected = tsl_allocate((size_t)room * sizeof *c->expected);
    if (c->requests == NULL || c->statuses == NULL || c->expected == NULL) {
        return tsl_mpi_no_memory(c, room * (int64_t)(sizeof *c->requests + sizeof *c->statuses));
    }
    c->room = (int)room;
    return TSL_OK;
}

static tsl_status make_scratch(tsl_mpi_comm *c, int64_t bytes)
{
    if (bytes <= c->scratch_bytes) {
        return TSL_OK;
    }
    tsl_release(c->scratch);
    c->scratch = tsl_allocate((size_t)bytes);
    c->scratch_bytes = c->scratch != NULL ? bytes : 0;
    return c->scratch != NULL ? TSL_OK : tsl_mpi_no_memory(c, bytes);
}

/* ---- messages ----------------------------------------------------------------------------- */

/* Queue a message, in pieces that MPI can count; one of no bytes is a message too, so that sizes
 * that differ are found out. */
void tsl_mpi_send(tsl_mpi_comm *c, const void *data, int64_t bytes, int to)
{
    for (int64_t at = 0; at == 0 || at < bytes; at += TSL_MPI_PIECE) {
        const int64_t piece = bytes - at < TSL_MPI_PIECE ? bytes - at : TSL_MPI_PIECE;
        c->expected[c->count] = -1;
        MPI_Isend((const char *)data + at, (int)piece, MPI_BYTE, to, TSL_MPI_DATA, c->mpi,
                  &c->requests[c->count++]);
    }
}

void tsl_mpi_receive(tsl_mpi_comm *c, void *data, int64_t bytes, int from)
{
    for (int64_t at = 0; at == 0 || at < bytes; at += TSL_MPI_PIECE) {
        const int64_t piece = bytes - at < TSL_MPI_PIECE ? bytes - at : TSL_MPI_PIECE;
        c->expected[c->count] = piece;
        MPI_Irecv((char *)data + at, (int)piece, MPI_BYTE, from, TSL_MPI_DATA, c->mpi,
                  &c->requests[c->count++]);
    }
}

/* Wait for what was queued. */
tsl_status tsl_mpi_complete(tsl_mpi_comm *c)
{
    int error = MPI_SUCCESS;
    for (int i = 0; i < c->count; i++) { /* an error in one must not leave another under way */
        const int outcome = MPI_Wait(&c->requests[i], &c->statuses[i]);
        int bytes = 0;
        if (outcome == MPI_SUCCESS && c->expected[i] >= 0) {
            MPI_Get_count(&c->statuses[i], MPI_BYTE, &bytes);
        }
        if (outcome != MPI_SUCCESS || (c->expected[i] >= 0 && bytes != c->expected[i])) {
            error = outcome != MPI_SUCCESS ? outcome : MPI_ERR_TRUNCATE;
        }
    }
    c->count = 0;
    if (error == MPI_SUCCESS) {
        return TSL_OK;
    }
    char text[MPI_MAX_ERROR_STRING] = "", reason[TSL_MPI_REASON];
    int length = 0;
    MPI_Error_string(error, text, &length);
    snprintf(reason, sizeof reason,
             "a message is not of the size that was expected, or was lost: %s", text);
    tsl_mpi_publish(&c->comm, TSL_E_COMM, reason);
    return tsl_comm_report_failure(&c->comm);
}

/* ---- operations --------------------------------------------------------------------------- */

static tsl_status mpi_barrier(tsl_comm *comm)
{
    tsl_mpi_record mine = {.kind = TSL_MPI_BARRIER};
    return tsl_mpi_meet(tsl_mpi_of(comm), &mine);
}

tsl_status tsl_mpi_pass_on(tsl_mpi_comm *c, void *data, int64_t bytes, int root)
{
    int error = MPI_SUCCESS;
    for (int64_t at = 0; at < bytes && error == MPI_SUCCESS; at += TSL_MPI_PIECE) {
        const int64_t piece = bytes - at < TSL_MPI_PIECE ? bytes - at : TSL_MPI_PIECE;
        error = MPI_Bcast((char *)data + at, (int)piece, MPI_BYTE, root, c->mpi);
    }
    if (error == MPI_SUCCESS) {
        return TSL_OK;
    }
    tsl_mpi_publish(&c->comm, TSL_E_COMM, "a broadcast was lost");
    return tsl_comm_report_failure(&c->comm);
}

/* Little goes with the meeting. */
tsl_status tsl_mpi_broadcast_host(tsl_mpi_comm *c, tsl_mpi_record *mine, void *data)
{
    const int64_t bytes = mine->count;
    const bool little = bytes <= TSL_MPI_PAYLOAD;
    if (little && c->comm.rank == mine->root && bytes > 0) {
        memcpy(mine->payload, data, (size_t)bytes);
    }
    const tsl_status status = tsl_mpi_meet(c, mine);
    if (status == TSL_OK && little && c->comm.rank != mine->root && bytes > 0) {
        memcpy(data, tsl_mpi_record_of(c, mine->root)->payload, (size_t)bytes);
    }
    if (status == TSL_OK && !little) {
        return tsl_mpi_pass_on(c, data, bytes, mine->root);
    }
    return status;
}

static tsl_status mpi_broadcast(tsl_comm *comm, tsl_context *context, void *data, int64_t bytes,
                                int root)
{
    tsl_mpi_comm *c = tsl_mpi_of(comm);
    tsl_mpi_record mine = {.kind = TSL_MPI_BROADCAST, .count = bytes, .root = root};
    return context != NULL ? tsl_mpi_device_broadcast(c, context, &mine, data)
                           : tsl_mpi_broadcast_host(c, &mine, data);
}

tsl_status tsl_mpi_prepare_slices(tsl_mpi_comm *c, int64_t bytes)
{
    const tsl_status status = tsl_mpi_make_room(c, 4 * (int64_t)c->comm.size, 4 * bytes);
    return status == TSL_OK ? make_scratch(c, bytes + 8 * c->comm.size) : status;
}

/* Each rank gets all ranks' values of its slice, combines them and sends the result to all. */
tsl_status tsl_mpi_reduce_slices(tsl_mpi_comm *c, void *all, int64_t count, tsl_comm_type type,
                                 tsl_comm_operation operation)
{
    char *values = all;
    const int size = c->comm.size, rank = c->comm.rank, width = tsl_comm_width(type);
    const int64_t first = tsl_comm_slice(count, rank, size);
    const int64_t mine = tsl_comm_slice(count, rank + 1, size) - first;
    for (int i = 1; i < size; i++) {
        const int to = (rank + i) % size, from = (rank + size - i) % size;
        const int64_t at = tsl_comm_slice(count, to, size);
        tsl_mpi_receive(c, c->scratch + from * mine * width, mine * width, from);
        tsl_mpi_send(c, values + at * width, (tsl_comm_slice(count, to + 1, size) - at) * width,
                     to);
    }
    tsl_status status = tsl_mpi_complete(c);
    if (status != TSL_OK) {
        return status;
    }
    memcpy(c->scratch + rank * mine * width, values + first * width, (size_t)(mine * width));
    for (int64_t at = 0; at < mine; at += TSL_COMM_BLOCK) {
        const int64_t some = mine - at < TSL_COMM_BLOCK ? mine - at : TSL_COMM_BLOCK;
        for (int q = 1; q < size; q++) {
            tsl_comm_combine(c->scratch + at * width, c->scratch + (q * mine + at) * width, some,
                             type, operation);
        }
    }
    memcpy(values + first * width, c->scratch, (size_t)(mine * width));
    for (int i = 1; i < size; i++) {
        const int to = (rank + i) % size, from = (rank + size - i) % size;
        const int64_t at = tsl_comm_slice(count, from, size);
        tsl_mpi_receive(c, values + at * width,
                        (tsl_comm_slice(count, from + 1, size) - at) * width, from);
        tsl_mpi_send(c, values + first * width, mine * width, to);
    }
    return tsl_mpi_complete(c);
}

tsl_status tsl_mpi_reduce_host(tsl_mpi_comm *c, tsl_mpi_record *mine, void *values)
{
    const tsl_comm_type type = (tsl_comm_type)mine->type;
    const tsl_comm_operation operation = (tsl_comm_operation)mine->operation;
    const int64_t bytes = mine->count * tsl_comm_width(type);
    const bool little = bytes <= TSL_MPI_PAYLOAD;
    if (little && bytes > 0) {
        memcpy(mine->payload, values, (size_t)bytes);
    }
    tsl_status status = little ? TSL_OK : tsl_mpi_prepare_slices(c, bytes);
    if (status == TSL_OK) {
        status = tsl_mpi_meet(c, mine);
    }
    if (status != TSL_OK || !little) {
        return status != TSL_OK ? status
                                : tsl_mpi_reduce_slices(c, values, mine->count, type, operation);
    }
    _Alignas(8) char result[TSL_MPI_PAYLOAD];
    memcpy(result, tsl_mpi_record_of(c, 0)->payload, sizeof result);
    for (int q = 1; q < c->comm.size; q++) {
        tsl_comm_combine(result, tsl_mpi_record_of(c, q)->payload, mine->count, type, operation);
    }
    if (bytes > 0) {
        memcpy(values, result, (size_t)bytes);
    }
    return TSL_OK;
}

static tsl_status mpi_all_reduce(tsl_comm *comm, tsl_context *context, void *values, int64_t count,
                                 tsl_comm_type type, tsl_comm_operation operation)
{
    tsl_mpi_comm *c = tsl_mpi_of(comm);
    tsl_mpi_record mine = {.kind = TSL_MPI_ALL_REDUCE,
                           .count = count,
                           .type = (int32_t)type,
                           .operation = (int32_t)operation};
    return context != NULL ? tsl_mpi_device_all_reduce(c, context, &mine, values)
                           : tsl_mpi_reduce_host(c, &mine, values);
}

static char *part(const tsl_comm_parts *parts, int q)
{
    return (char *)parts->data + parts->offsets[q];
}

/* Send and receive what has been agreed on. */
static tsl_status move(tsl_mpi_comm *c, const tsl_comm_pair *pairs, int count)
{
    for (int i = 0; i < count; i++) {
        tsl_mpi_receive(c, pairs[i].receive, pairs[i].receive_bytes, pairs[i].peer);
    }
    for (int i = 0; i < count; i++) {
        tsl_mpi_send(c, pairs[i].send, pairs[i].send_bytes, pairs[i].peer);
    }
    return tsl_mpi_complete(c);
}

/* What all operations but reductions and broadcasts are. */
static tsl_status exchange(tsl_mpi_comm *c, tsl_context *context, tsl_mpi_record *mine,
                           const tsl_comm_pair *pairs, int count)
{
    int64_t bytes = 0;
    for (int i = 0; i < count; i++) {
        bytes += pairs[i].send_bytes + pairs[i].receive_bytes;
    }
    tsl_status status = tsl_mpi_make_room(c, 2 * (int64_t)count, bytes);
    if (status != TSL_OK || context != NULL) {
        return status != TSL_OK ? status : tsl_mpi_device_move(c, context, mine, pairs, count);
    }
    status = tsl_mpi_meet(c, mine);
    return status == TSL_OK ? move(c, pairs, count) : status;
}

static tsl_status mpi_all_to_all(tsl_comm *comm, tsl_context *context,
                                 const tsl_comm_parts *send_of, const tsl_comm_parts *receive_of)
{
    tsl_mpi_comm *c = tsl_mpi_of(comm);
    tsl_mpi_record mine = {.kind = TSL_MPI_ALL_TO_ALL};
    for (int q = 0; q < comm->size; q++) {
        c->pairs[q] = (tsl_comm_pair){.peer = q,
                                      .send = part(send_of, q),
                                      .send_bytes = send_of->bytes[q],
                                      .receive = part(receive_of, q),
                                      .receive_bytes = receive_of->bytes[q]};
    }
    return exchange(c, context, &mine, c->pairs, comm->size);
}

/* Pieces of a block; an empty one has no bytes. */
static void describe_block(MPI_Datatype *out, const tsl_comm_block *b)
{
    MPI_Datatype inner;
    MPI_Type_create_hvector((int)b->counts[1], (int)b->bytes, (MPI_Aint)b->pitches[1], MPI_BYTE,
                            &inner);
    MPI_Type_create_hvector((int)b->counts[0], 1, (MPI_Aint)b->pitches[0], inner, out);
    MPI_Type_free(&inner);
}

/* A rank's part. */
static MPI_Datatype describe_part(const tsl_comm_block *blocks, int count)
{
    MPI_Datatype all = MPI_DATATYPE_NULL, both;
    MPI_Aint places[2] = {0, 0};
    const int ones[2] = {1, 1};
    for (int i = 0; i < count; i++) {
        MPI_Datatype types[2];
        describe_block(&types[0], &blocks[i]);
        types[1] = all;
        places[0] = (MPI_Aint)blocks[i].offset;
        MPI_Type_create_struct(i > 0 ? 2 : 1, ones, places, types, &both);
        MPI_Type_free(&types[0]);
        if (i > 0) {
            MPI_Type_free(&all);
        }
        all = both;
    }
    MPI_Type_commit(&all);
    return all;
}

/* What MPI_Alltoallw() wants to know, [2][size] each. */
typedef struct strided_call {
    MPI_Datatype *types;
    int *counts, *places;
} strided_call;

static tsl_status make_call(strided_call *out, tsl_mpi_comm *c)
{
    const size_t count = 2 * (size_t)c->comm.size;
    out->types = tsl_allocate(count * (sizeof *out->types + 2 * sizeof *out->counts));
    if (out->types == NULL) {
        return tsl_mpi_no_memory(c, (int64_t)(count * sizeof *out->types));
    }
    out->counts = (int *)(void *)(out->types + count);
    out->places = out->counts + count;
    return TSL_OK;
}

static tsl_status mpi_all_to_all_strided(tsl_comm *comm, const tsl_comm_strided *send,
                                         const tsl_comm_strided *receive)
{
    const tsl_comm_strided *const sides[] = {send, receive};
    const int size = comm->size;
    tsl_mpi_comm *c = tsl_mpi_of(comm);
    tsl_mpi_record mine = {.kind = TSL_MPI_ALL_TO_ALL};
    strided_call call = {.types = NULL};
    tsl_status status = make_call(&call, c);
    if (status == TSL_OK) {
        status = tsl_mpi_meet(c, &mine);
    }
    if (status != TSL_OK) {
        tsl_release(call.types);
        return status;
    }
    for (int i = 0; i < 2 * size; i++) {
        const tsl_comm_strided *side = sides[i / size];
        call.types[i] = describe_part(side->blocks + (i % size) * side->each, side->each);
        call.counts[i] = 1;
        call.places[i] = 0;
    }
    const int error =
        MPI_Alltoallw(send->data, call.counts, call.places, call.types, receive->data,
                      call.counts + size, call.places + size, call.types + size, c->mpi);
    for (int i = 0; i < 2 * size; i++) {
        MPI_Type_free(&call.types[i]);
    }
    tsl_release(call.types);
    if (error == MPI_SUCCESS) {
        return TSL_OK;
    }
    tsl_mpi_publish(comm, TSL_E_COMM, "MPI_Alltoallw() failed");
    return tsl_comm_report_failure(comm);
}

static tsl_status mpi_gather(tsl_comm *comm, tsl_context *context, const void *data, int64_t bytes,
                             const tsl_comm_parts *receive_of, int root)
{
    tsl_mpi_comm *c = tsl_mpi_of(comm);
    tsl_mpi_record mine = {.kind = TSL_MPI_GATHER, .root = root};
    int count = 0;
    for (int q = 0; q < comm->size; q++) {
        const bool sends = root == TSL_COMM_ALL || root == q;
        if (!sends && receive_of == NULL) {
            continue;
        }
        tsl_comm_pair *pair = &c->pairs[count++];
        *pair = (tsl_comm_pair){.peer = q, .send = data, .send_bytes = sends ? bytes : 0};
        if (receive_of != NULL) {
            pair->receive = part(receive_of, q);
            pair->receive_bytes = receive_of->bytes[q];
        }
    }
    return exchange(c, context, &mine, c->pairs, count);
}

static tsl_status mpi_exchange(tsl_comm *comm, tsl_context *context, int count,
                               const tsl_comm_pair *pairs)
{
    tsl_mpi_record mine = {.kind = TSL_MPI_EXCHANGE};
    return exchange(tsl_mpi_of(comm), context, &mine, pairs, count);
}

/* ---- division ----------------------------------------------------------------------------- */

static tsl_status mpi_divide(tsl_comm **out, tsl_comm *comm, int colour, const int *ranks, int size,
                             int rank)
{
    (void)ranks;
    tsl_mpi_comm *c = tsl_mpi_of(comm);
    tsl_mpi_record mine = {.kind = TSL_MPI_DIVIDE};
    tsl_mpi_comm *made = size > 0 ? tsl_mpi_make(c->job, c, rank, size) : NULL;
    tsl_status status = size > 0 && made == NULL ? tsl_mpi_no_memory(c, size * (int64_t)sizeof mine)
                                                 : tsl_mpi_meet(c, &mine);
    if (status != TSL_OK) {
        tsl_mpi_release(made);
        return status;
    }
    MPI_Comm divided = MPI_COMM_NULL;
    MPI_Comm_split(c->mpi, size > 0 ? colour : MPI_UNDEFINED, rank, &divided);
    if (size > 0) {
        made->mpi = divided;
        c->job->last->next = made;
        c->job->last = made;
        *out = &made->comm;
    }
    return TSL_OK;
}

const tsl_comm_ops tsl_comm_mpi_ops = {.name = "mpi",
                                       .destroy = tsl_mpi_destroy,
                                       .divide = mpi_divide,
                                       .barrier = mpi_barrier,
                                       .broadcast = mpi_broadcast,
                                       .all_reduce = mpi_all_reduce,
                                       .all_to_all = mpi_all_to_all,
                                       .all_to_all_strided = mpi_all_to_all_strided,
                                       .gather = mpi_gather,
                                       .exchange = mpi_exchange,
                                       .counters_create = tsl_mpi_counters_create,
                                       .counters_destroy = tsl_mpi_counters_destroy,
                                       .counters_add = tsl_mpi_counters_add,
                                       .publish = tsl_mpi_publish,
                                       .failure = tsl_mpi_failure,
                                       .end = tsl_mpi_end,
                                       .path = tsl_mpi_path,
                                       .reaches = tsl_mpi_reaches,
                                       .forget = tsl_mpi_forget};
