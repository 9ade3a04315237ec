/* How all ranks are. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "comm/comm.h"

void tsl_comm_host(char host[TSL_COMM_HOST])
{
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "r");
    memset(host, 0, TSL_COMM_HOST);
    if (file == NULL || fgets(host, TSL_COMM_HOST, file) == NULL) {
        gethostname(host, TSL_COMM_HOST - 1);
    }
    if (file != NULL) {
        fclose(file);
    }
}

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

/* A number first, of which there is always room: a rank may be here because memory has run out. */
tsl_status tsl_comm_agree(tsl_context *context, tsl_status status)
{
    tsl_comm *comm = context->comm;
    if (comm->size == 1 || status == TSL_E_COMM) {
        return status;
    }
    int32_t first = status != TSL_OK ? comm->rank : comm->size; /* that is not well */
    tsl_status heard = tsl_comm_all_reduce(comm, NULL, &first, 1, TSL_COMM_INT32, TSL_COMM_MIN);
    if (heard != TSL_OK || first == comm->size) {
        return heard;
    }
    condition theirs = {.status = status};
    memcpy(theirs.error, context->error, sizeof theirs.error);
    heard = tsl_comm_broadcast(comm, NULL, &theirs, sizeof theirs, first);
    if (heard != TSL_OK || first == comm->rank) {
        return heard != TSL_OK ? heard : status;
    }
    return tsl_fail(context, theirs.status, "rank %d: %s", (int)first, theirs.error);
}

tsl_status tsl_comm_compare(bool *same, tsl_comm *comm, int64_t number)
{
    int64_t bounds[2] = {number, ~number}; /* the least, and ~ of the most */
    const tsl_status status =
        tsl_comm_all_reduce(comm, NULL, bounds, 2, TSL_COMM_INT64, TSL_COMM_MIN);
    *same = status == TSL_OK && bounds[0] == ~bounds[1];
    return status;
}

tsl_status tsl_comm_compare_hosts(bool *same, tsl_comm *comm)
{
    char mine[TSL_COMM_HOST];
    tsl_comm_host(mine);
    char(*all)[TSL_COMM_HOST] = tsl_allocate((size_t)comm->size * sizeof *all);
    *same = false;
    if (all == NULL) {
        return no_memory(comm);
    }
    const tsl_status status = tsl_comm_gather_records(comm, all, mine, sizeof mine);
    *same = status == TSL_OK;
    for (int q = 1; q < comm->size && *same; q++) {
        *same = memcmp(all[q], all[0], sizeof *all) == 0;
    }
    tsl_release(all);
    return status;
}
