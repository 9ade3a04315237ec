/* Operations among MPI processes. Device memory goes through host memory. */
#include "comm/mpi.h"

#include <stdio.h>
#include <string.h>

#include "device/device.h"

/* ---- memory ------------------------------------------------------------------------------- */

static tsl_status no_memory(tsl_mpi_comm *c, int64_t bytes)
{
    char reason[128], size[16];
    snprintf(reason, sizeof reason, "out of memory: cannot take %s for communication",
             tsl_format_bytes(size, bytes));
    tsl_mpi_publish(&c->comm, TSL_E_NOMEM, reason);
    return tsl_comm_report(&c->comm, TSL_E_NOMEM, "%s", reason);
}

/* Room for the requests of `messages` messages of `bytes` bytes in all. */
static tsl_status make_room(tsl_mpi_comm *c, int64_t messages, int64_t bytes)
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
        return no_memory(c, room * (int64_t)(sizeof *c->requests + sizeof *c->statuses));
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
    return c->scratch != NULL ? TSL_OK : no_memory(c, bytes);
}

/* ---- messages ----------------------------------------------------------------------------- */

/* Queue a message, in pieces that MPI can count; one of no bytes is a message too, so that sizes
 * that differ are found out. */
static void send(tsl_mpi_comm *c, const void *data, int64_t bytes, int to)
{
    for (int64_t at = 0; at == 0 || at < bytes; at += TSL_MPI_PIECE) {
        const int64_t piece = bytes - at < TSL_MPI_PIECE ? bytes - at : TSL_MPI_PIECE;
        c->expected[c->count] = -1;
        MPI_Isend((const char *)data + at, (int)piece, MPI_BYTE, to, TSL_MPI_DATA, c->mpi,
                  &c->requests[c->count++]);
    }
}

static void receive(tsl_mpi_comm *c, void *data, int64_t bytes, int from)
{
    for (int64_t at = 0; at == 0 || at < bytes; at += TSL_MPI_PIECE) {
        const int64_t piece = bytes - at < TSL_MPI_PIECE ? bytes - at : TSL_MPI_PIECE;
        c->expected[c->count] = piece;
        MPI_Irecv((char *)data + at, (int)piece, MPI_BYTE, from, TSL_MPI_DATA, c->mpi,
                  &c->requests[c->count++]);
    }
}

/* Wait for what was queued. */
static tsl_status complete(tsl_mpi_comm *c)
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

/* ---- device memory ------------------------------------------------------------------------ */

static tsl_status from_device(tsl_mpi_comm *c, tsl_context *context, void *target,
                              const void *source, int64_t bytes)
{
    if (bytes == 0 || context->ops->download(context, target, source, bytes) == TSL_OK) {
        return TSL_OK;
    }
    tsl_mpi_publish(&c->comm, TSL_E_DEVICE, context->error);
    return tsl_comm_report(&c->comm, TSL_E_DEVICE, "%s", context->error);
}

static tsl_status to_device(tsl_mpi_comm *c, tsl_context *context, void *target, const void *source,
                            int64_t bytes)
{
    if (bytes == 0 || context->ops->upload(context, target, source, bytes) == TSL_OK) {
        return TSL_OK;
    }
    tsl_mpi_publish(&c->comm, TSL_E_DEVICE, context->error);
    return tsl_comm_report(&c->comm, TSL_E_DEVICE, "%s", context->error);
}

/* ---- operations --------------------------------------------------------------------------- */

static tsl_status mpi_barrier(tsl_comm *comm)
{
    tsl_mpi_record mine = {.kind = TSL_MPI_BARRIER};
    return tsl_mpi_meet(tsl_mpi_of(comm), &mine);
}

/* Little goes with the meeting. */
static tsl_status broadcast_host(tsl_mpi_comm *c, tsl_mpi_record *mine, void *data)
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
    for (int64_t at = 0; at < bytes && !little && status == TSL_OK; at += TSL_MPI_PIECE) {
        const int64_t piece = bytes - at < TSL_MPI_PIECE ? bytes - at : TSL_MPI_PIECE;
        MPI_Bcast((char *)data + at, (int)piece, MPI_BYTE, mine->root, c->mpi);
    }
    return status;
}

static tsl_status mpi_broadcast(tsl_comm *comm, tsl_context *context, void *data, int64_t bytes,
                                int root)
{
    tsl_mpi_comm *c = tsl_mpi_of(comm);
    tsl_mpi_record mine = {
        .kind = TSL_MPI_BROADCAST, .count = bytes, .root = root, .device = context != NULL};
    if (context == NULL) {
        return broadcast_host(c, &mine, data);
    }
    tsl_status status = make_scratch(c, bytes);
    if (status == TSL_OK && comm->rank == root) {
        status = from_device(c, context, c->scratch, data, bytes);
    }
    if (status == TSL_OK) {
        status = broadcast_host(c, &mine, c->scratch);
    }
    return status == TSL_OK && comm->rank != root ? to_device(c, context, data, c->scratch, bytes)
                                                  : status;
}

/* into[i] = into[i] and from[i], combined. */
static void combine(void *into, const void *from, int64_t count, tsl_comm_type type,
                    tsl_comm_operation operation)
{
    for (int64_t i = 0; i < count; i++) {
        switch (type) {
        case TSL_COMM_INT32:
            ((int32_t *)into)[i] =
                tsl_comm_combine_int32(((int32_t *)into)[i], ((const int32_t *)from)[i], operation);
            break;
        case TSL_COMM_INT64:
            ((int64_t *)into)[i] =
                tsl_comm_combine_int64(((int64_t *)into)[i], ((const int64_t *)from)[i], operation);
            break;
        case TSL_COMM_FLOAT:
            ((float *)into)[i] =
                tsl_comm_combine_float(((float *)into)[i], ((const float *)from)[i], operation);
            break;
        default:
            ((double *)into)[i] =
                tsl_comm_combine_double(((double *)into)[i], ((const double *)from)[i], operation);
        }
    }
}

/* First value of rank q's slice of `count`; of rank `size`: the end. */
static int64_t slice(int64_t count, int q, int size)
{
    const int64_t each = (count + size - 1) / size;
    return each * q < count ? each * q : count;
}

/* Each rank gets all ranks' values of its slice, combines them and sends the result to all. */
static tsl_status reduce_slices(tsl_mpi_comm *c, char *values, int64_t count, tsl_comm_type type,
                                tsl_comm_operation operation)
{
    const int size = c->comm.size, rank = c->comm.rank, width = tsl_comm_width(type);
    const int64_t first = slice(count, rank, size);
    const int64_t mine = slice(count, rank + 1, size) - first;
    for (int i = 1; i < size; i++) {
        const int to = (rank + i) % size, from = (rank + size - i) % size;
        const int64_t at = slice(count, to, size);
        receive(c, c->scratch + from * mine * width, mine * width, from);
        send(c, values + at * width, (slice(count, to + 1, size) - at) * width, to);
    }
    tsl_status status = complete(c);
    if (status != TSL_OK) {
        return status;
    }
    memcpy(c->scratch + rank * mine * width, values + first * width, (size_t)(mine * width));
    for (int q = 1; q < size; q++) {
        combine(c->scratch, c->scratch + q * mine * width, mine, type, operation);
    }
    memcpy(values + first * width, c->scratch, (size_t)(mine * width));
    for (int i = 1; i < size; i++) {
        const int to = (rank + i) % size, from = (rank + size - i) % size;
        const int64_t at = slice(count, from, size);
        receive(c, values + at * width, (slice(count, from + 1, size) - at) * width, from);
        send(c, values + first * width, mine * width, to);
    }
    return complete(c);
}

static tsl_status reduce_host(tsl_mpi_comm *c, tsl_mpi_record *mine, void *values)
{
    const tsl_comm_type type = (tsl_comm_type)mine->type;
    const tsl_comm_operation operation = (tsl_comm_operation)mine->operation;
    const int64_t bytes = mine->count * tsl_comm_width(type);
    const bool little = bytes <= TSL_MPI_PAYLOAD;
    if (little && bytes > 0) {
        memcpy(mine->payload, values, (size_t)bytes);
    }
    const tsl_status status = tsl_mpi_meet(c, mine);
    if (status != TSL_OK || !little) {
        return status != TSL_OK ? status : reduce_slices(c, values, mine->count, type, operation);
    }
    _Alignas(8) char result[TSL_MPI_PAYLOAD];
    memcpy(result, tsl_mpi_record_of(c, 0)->payload, sizeof result);
    for (int q = 1; q < c->comm.size; q++) {
        combine(result, tsl_mpi_record_of(c, q)->payload, mine->count, type, operation);
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
                           .operation = (int32_t)operation,
                           .device = context != NULL};
    const int64_t bytes = count * tsl_comm_width(type);
    /* the slices of all ranks, then a copy of what is on the device */
    const int64_t slices = bytes + 8 * comm->size;
    tsl_status status = make_room(c, 4 * (int64_t)comm->size, 4 * bytes);
    if (status == TSL_OK) {
        status = make_scratch(c, slices + (context != NULL ? bytes : 0));
    }
    if (context == NULL || status != TSL_OK) {
        return status == TSL_OK ? reduce_host(c, &mine, values) : status;
    }
    char *host = c->scratch + slices / 8 * 8;
    status = from_device(c, context, host, values, bytes);
    if (status == TSL_OK) {
        status = reduce_host(c, &mine, host);
    }
    return status == TSL_OK ? to_device(c, context, values, host, bytes) : status;
}

static int64_t total(const tsl_comm_parts *parts, int size)
{
    int64_t sum = 0;
    for (int q = 0; q < size; q++) {
        sum += parts->bytes[q];
    }
    return sum;
}

static char *part(const tsl_comm_parts *parts, int q)
{
    return (char *)parts->data + parts->offsets[q];
}

/* Copies of parts on the host lie one after another. */
static tsl_status parts_from_device(tsl_mpi_comm *c, tsl_context *context, char *host,
                                    const tsl_comm_parts *parts)
{
    tsl_status status = TSL_OK;
    for (int q = 0; q < c->comm.size && status == TSL_OK; q++) {
        status = from_device(c, context, host, part(parts, q), parts->bytes[q]);
        host += parts->bytes[q];
    }
    return status;
}

static tsl_status parts_to_device(tsl_mpi_comm *c, tsl_context *context, const char *host,
                                  const tsl_comm_parts *parts)
{
    tsl_status status = TSL_OK;
    for (int q = 0; q < c->comm.size && status == TSL_OK; q++) {
        status = to_device(c, context, part(parts, q), host, parts->bytes[q]);
        host += parts->bytes[q];
    }
    return status;
}

static tsl_status mpi_all_to_all(tsl_comm *comm, tsl_context *context,
                                 const tsl_comm_parts *send_of, const tsl_comm_parts *receive_of)
{
    tsl_mpi_comm *c = tsl_mpi_of(comm);
    tsl_mpi_record mine = {.kind = TSL_MPI_ALL_TO_ALL, .device = context != NULL};
    const int64_t sent = total(send_of, comm->size), received = total(receive_of, comm->size);
    tsl_status status = make_room(c, 2 * (int64_t)comm->size, sent + received);
    if (status == TSL_OK && context != NULL) {
        status = make_scratch(c, sent + received);
    }
    if (status == TSL_OK && context != NULL) {
        status = parts_from_device(c, context, c->scratch, send_of);
    }
    if (status == TSL_OK) {
        status = tsl_mpi_meet(c, &mine);
    }
    if (status != TSL_OK) {
        return status;
    }
    char *in = c->scratch + sent, *out = c->scratch;
    for (int q = 0; q < comm->size; q++) {
        receive(c, context != NULL ? in : part(receive_of, q), receive_of->bytes[q], q);
        in = context != NULL ? in + receive_of->bytes[q] : in;
    }
    for (int q = 0; q < comm->size; q++) {
        send(c, context != NULL ? out : part(send_of, q), send_of->bytes[q], q);
        out = context != NULL ? out + send_of->bytes[q] : out;
    }
    status = complete(c);
    return status == TSL_OK && context != NULL
               ? parts_to_device(c, context, c->scratch + sent, receive_of)
               : status;
}

static tsl_status mpi_all_to_all_rows(tsl_comm *comm, const void *from, void *to, int64_t rows,
                                      int64_t bytes)
{
    tsl_mpi_comm *c = tsl_mpi_of(comm);
    tsl_mpi_record mine = {.kind = TSL_MPI_ALL_TO_ALL, .count = rows * bytes};
    const tsl_status status = tsl_mpi_meet(c, &mine);
    if (status != TSL_OK) {
        return status;
    }
    MPI_Datatype strided, column; /* a column, and one whose next begins beside it */
    MPI_Type_create_hvector((int)rows, (int)bytes, (MPI_Aint)(comm->size * bytes), MPI_BYTE,
                            &strided);
    MPI_Type_create_resized(strided, 0, (MPI_Aint)bytes, &column);
    MPI_Type_commit(&column);
    const int error = MPI_Alltoall(from, 1, column, to, 1, column, c->mpi);
    MPI_Type_free(&column);
    MPI_Type_free(&strided);
    if (error == MPI_SUCCESS) {
        return TSL_OK;
    }
    tsl_mpi_publish(comm, TSL_E_COMM, "MPI_Alltoall() failed");
    return tsl_comm_report_failure(comm);
}

static tsl_status mpi_gather(tsl_comm *comm, tsl_context *context, const void *data, int64_t bytes,
                             const tsl_comm_parts *receive_of, int root)
{
    tsl_mpi_comm *c = tsl_mpi_of(comm);
    tsl_mpi_record mine = {.kind = TSL_MPI_GATHER, .root = root, .device = context != NULL};
    const int64_t received = receive_of != NULL ? total(receive_of, comm->size) : 0;
    tsl_status status =
        make_room(c, 2 * (int64_t)comm->size, received + bytes * (int64_t)comm->size);
    if (status == TSL_OK && context != NULL) {
        status = make_scratch(c, bytes + received);
    }
    if (status == TSL_OK && context != NULL) {
        status = from_device(c, context, c->scratch, data, bytes);
    }
    if (status == TSL_OK) {
        status = tsl_mpi_meet(c, &mine);
    }
    if (status != TSL_OK) {
        return status;
    }
    char *in = c->scratch + bytes;
    for (int q = 0; q < comm->size && receive_of != NULL; q++) {
        receive(c, context != NULL ? in : part(receive_of, q), receive_of->bytes[q], q);
        in = context != NULL ? in + receive_of->bytes[q] : in;
    }
    for (int q = 0; q < comm->size; q++) {
        if (root == q || root == TSL_COMM_ALL) {
            send(c, context != NULL ? c->scratch : data, bytes, q);
        }
    }
    status = complete(c);
    return status == TSL_OK && context != NULL && receive_of != NULL
               ? parts_to_device(c, context, c->scratch + bytes, receive_of)
               : status;
}

static tsl_status mpi_exchange(tsl_comm *comm, tsl_context *context, int count,
                               const tsl_comm_pair *pairs)
{
    tsl_mpi_comm *c = tsl_mpi_of(comm);
    tsl_mpi_record mine = {.kind = TSL_MPI_EXCHANGE, .device = context != NULL};
    int64_t bytes = 0;
    for (int i = 0; i < count; i++) {
        bytes += pairs[i].send_bytes + pairs[i].receive_bytes;
    }
    tsl_status status = make_room(c, 2 * (int64_t)count, bytes);
    if (status == TSL_OK && context != NULL) {
        status = make_scratch(c, bytes);
    }
    char *host = c->scratch;
    for (int i = 0; i < count && context != NULL && status == TSL_OK; i++) {
        status = from_device(c, context, host, pairs[i].send, pairs[i].send_bytes);
        host += pairs[i].send_bytes + pairs[i].receive_bytes;
    }
    if (status == TSL_OK) {
        status = tsl_mpi_meet(c, &mine);
    }
    if (status != TSL_OK) {
        return status;
    }
    host = c->scratch;
    for (int i = 0; i < count; i++) {
        const tsl_comm_pair *p = &pairs[i];
        receive(c, context != NULL ? host + p->send_bytes : p->receive, p->receive_bytes, p->peer);
        send(c, context != NULL ? host : p->send, p->send_bytes, p->peer);
        host = context != NULL ? host + p->send_bytes + p->receive_bytes : host;
    }
    status = complete(c);
    host = c->scratch;
    for (int i = 0; i < count && context != NULL && status == TSL_OK; i++) {
        status = to_device(c, context, pairs[i].receive, host + pairs[i].send_bytes,
                           pairs[i].receive_bytes);
        host += pairs[i].send_bytes + pairs[i].receive_bytes;
    }
    return status;
}

/* ---- division ----------------------------------------------------------------------------- */

static tsl_status mpi_divide(tsl_comm **out, tsl_comm *comm, int colour, const int *ranks, int size,
                             int rank)
{
    (void)ranks;
    tsl_mpi_comm *c = tsl_mpi_of(comm);
    tsl_mpi_record mine = {.kind = TSL_MPI_DIVIDE};
    tsl_mpi_comm *made = size > 0 ? tsl_mpi_make(c->job, c, rank, size) : NULL;
    tsl_status status = size > 0 && made == NULL ? no_memory(c, size * (int64_t)sizeof mine)
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
                                       .all_to_all_rows = mpi_all_to_all_rows,
                                       .gather = mpi_gather,
                                       .exchange = mpi_exchange,
                                       .counters_create = tsl_mpi_counters_create,
                                       .counters_destroy = tsl_mpi_counters_destroy,
                                       .counters_add = tsl_mpi_counters_add,
                                       .publish = tsl_mpi_publish,
                                       .failure = tsl_mpi_failure,
                                       .end = tsl_mpi_end};
