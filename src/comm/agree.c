/* How all ranks are. */
#include <string.h>

#include "comm/comm.h"

typedef struct condition {
    tsl_status status;
    char error[TSL_ERROR_TEXT];
} condition;

static tsl_status no_memory(tsl_comm *comm)
{
    static const char reason[] = "out of memory: cannot hear all ranks";
    tsl_comm_fail(comm, TSL_E_NOMEM, reason);
    return tsl_fail(comm->root->context, TSL_E_NOMEM, "%s", reason);
}

tsl_status tsl_comm_gather_records(tsl_comm *comm, void *all, const void *mine, int64_t bytes)
{
    if (comm->size == 1) {
        memcpy(all, mine, (size_t)bytes);
        return TSL_OK;
    }
    int64_t *sizes = tsl_allocate(2 * (size_t)comm->size * sizeof *sizes);
    if (sizes == NULL) {
        return no_memory(comm);
    }
    int64_t *offsets = sizes + comm->size;
    for (int q = 0; q < comm->size; q++) {
        sizes[q] = bytes;
        offsets[q] = q * bytes;
    }
    const tsl_comm_parts receive = {.data = all, .bytes = sizes, .offsets = offsets};
    const tsl_status status = tsl_comm_gather(comm, NULL, mine, bytes, &receive, TSL_COMM_ALL);
    tsl_release(sizes);
    return status;
}

tsl_status tsl_comm_agree(tsl_context *context, tsl_status status)
{
    tsl_comm *comm = context->comm;
    if (comm->size == 1 || status == TSL_E_COMM) {
        return status;
    }
    condition *all = tsl_allocate((size_t)comm->size * sizeof *all);
    if (all == NULL) {
        return no_memory(comm);
    }
    condition mine = {.status = status};
    memcpy(mine.error, context->error, sizeof mine.error);
    status = tsl_comm_gather_records(comm, all, &mine, sizeof mine);
    for (int q = 0; q < comm->size && status == TSL_OK; q++) {
        if (all[q].status != TSL_OK) {
            status = q == comm->rank
                         ? all[q].status
                         : tsl_fail(context, all[q].status, "rank %d: %s", q, all[q].error);
        }
    }
    tsl_release(all);
    return status;
}
