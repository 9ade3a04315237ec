/* An exchange on its way: from memory to memory, or by way of the host's. */
#include "comm/gpu/peer.h"
#include "device/device.h"
#include "solvers/poisson/ranks/segments.h"

tsl_status tsl_poisson_refuse(const tsl_poisson_rank *rank, const tsl_context *where,
                              tsl_status status)
{
    if (status == TSL_OK || status == TSL_E_COMM) {
        return status;
    }
    if (where != rank->context) {
        tsl_fail(rank->context, status, "%s", where->error);
    }
    return tsl_comm_refuse(rank->context, status);
}

/* Bytes of all parts but that of rank `but`. */
static int64_t bytes_of(const tsl_comm_parts *parts, int size, int but)
{
    int64_t bytes = 0;
    for (int q = 0; q < size; q++) {
        bytes += q != but ? parts->bytes[q] : 0;
    }
    return bytes;
}

static int64_t bytes_of_strided(const tsl_comm_strided *parts, int size, int but)
{
    int64_t bytes = 0;
    for (int i = 0; i < size * parts->each; i++) {
        const tsl_comm_block *b = &parts->blocks[i];
        bytes += i / parts->each != but ? b->counts[0] * b->counts[1] * b->bytes : 0;
    }
    return bytes;
}

/* The parts, one after another in the host memory of a side. */
static tsl_comm_parts pack(const tsl_poisson_rank *rank, const tsl_comm_parts *parts, int size,
                           int side)
{
    int64_t *offsets = rank->parts.packed[side];
    for (int q = 0; q < size; q++) {
        offsets[q] = q > 0 ? offsets[q - 1] + parts->bytes[q - 1] : 0;
    }
    return (tsl_comm_parts){rank->host + side * rank->host_bytes, parts->bytes, offsets};
}

/* Parts between the device and the host; on their way when it returns. */
static tsl_status copy(tsl_context *where, const tsl_comm_parts *device, const tsl_comm_parts *host,
                       int size, bool to_host)
{
    const tsl_peer_ops *peer = where->ops->peer;
    tsl_status status = TSL_OK;
    for (int q = 0; q < size && status == TSL_OK; q++) {
        char *at = (char *)device->data + device->offsets[q];
        char *there = (char *)host->data + host->offsets[q];
        if (device->bytes[q] > 0) {
            status = to_host ? peer->store(where, there, at, device->bytes[q])
                             : peer->load(where, at, there, device->bytes[q]);
        }
    }
    return status;
}

/* The host waits for the copies to it, and so for those from it of the exchange before. */
static tsl_status transfer_staged(const tsl_poisson_rank *rank, tsl_context *where, tsl_comm *comm,
                                  const tsl_comm_parts *send, const tsl_comm_parts *receive)
{
    const tsl_comm_parts near = pack(rank, send, comm->size, 0);
    const tsl_comm_parts far = pack(rank, receive, comm->size, 1);
    tsl_status status = copy(where, send, &near, comm->size, true);
    if (status == TSL_OK) {
        status = where->ops->synchronize(where);
    }
    status = tsl_poisson_refuse(rank, where, status);
    tsl_poisson_end_stage(rank->times, where, TSL_TIMED_TO_HOST, bytes_of(send, comm->size, -1));
    if (status == TSL_OK) {
        status = tsl_comm_all_to_all(comm, NULL, &near, &far);
    }
    tsl_poisson_end_stage(rank->times, where, TSL_TIMED_EXCHANGE,
                          bytes_of(send, comm->size, comm->rank));
    if (status == TSL_OK) {
        status = tsl_poisson_refuse(rank, where, copy(where, receive, &far, comm->size, false));
    }
    tsl_poisson_end_stage(rank->times, where, TSL_TIMED_FROM_HOST,
                          bytes_of(receive, comm->size, -1));
    return status;
}

/* For the others, where the time of that is wanted. */
static tsl_status wait_for_ranks(const tsl_poisson_rank *rank, tsl_comm *comm, tsl_context *where)
{
    if (rank->times == NULL) {
        return TSL_OK;
    }
    const tsl_status status = tsl_comm_barrier(comm);
    tsl_poisson_end_stage(rank->times, where, TSL_TIMED_WAITING, 0);
    return status;
}

tsl_status tsl_poisson_transfer(const tsl_poisson_rank *rank, tsl_context *where, int group,
                                const tsl_comm_parts *send, const tsl_comm_parts *receive)
{
    tsl_comm *comm = rank->groups[group];
    tsl_context *timed = where != NULL ? where : rank->context;
    tsl_status status = wait_for_ranks(rank, comm, timed);
    if (status == TSL_OK && rank->host != NULL) {
        return transfer_staged(rank, where, comm, send, receive);
    }
    if (status == TSL_OK) {
        status = tsl_comm_all_to_all(comm, where, send, receive);
    }
    tsl_poisson_end_stage(rank->times, timed, TSL_TIMED_EXCHANGE,
                          bytes_of(send, comm->size, comm->rank));
    return status;
}

tsl_status tsl_poisson_transfer_strided(const tsl_poisson_rank *rank, int group,
                                        const tsl_comm_strided *send,
                                        const tsl_comm_strided *receive)
{
    tsl_comm *comm = rank->groups[group];
    tsl_status status = wait_for_ranks(rank, comm, rank->context);
    if (status == TSL_OK) {
        status = tsl_comm_all_to_all_strided(comm, send, receive);
    }
    tsl_poisson_end_stage(rank->times, rank->context, TSL_TIMED_EXCHANGE,
                          bytes_of_strided(send, comm->size, comm->rank));
    return status;
}
