/* Whether ranks' devices are as near to each other as those of one machine. */
#include <string.h>

#include "comm/comm.h"
#include "device/device.h"

typedef struct place {
    char host[TSL_COMM_HOST];
} place;

/* Are all ranks on one host? */
static tsl_status compare_hosts(bool *one, tsl_context *context)
{
    tsl_comm *comm = context->comm;
    place *all = tsl_allocate_zeroed((size_t)comm->size + 1, sizeof *all);
    tsl_status status = tsl_comm_agree(
        context, all != NULL ? TSL_OK
                             : tsl_fail_memory(context, (comm->size + 1) * (int64_t)sizeof *all,
                                               "where ranks are"));
    if (status == TSL_OK) {
        tsl_comm_host(all[comm->size].host);
        status = tsl_comm_gather_records(comm, all, &all[comm->size], sizeof *all);
    }
    *one = status == TSL_OK;
    for (int q = 1; q < comm->size && *one; q++) {
        *one = memcmp(&all[q], &all[0], sizeof *all) == 0;
    }
    tsl_release(all);
    return status;
}

tsl_status tsl_comm_is_far(bool *far, tsl_context *context)
{
    tsl_comm *comm = context->comm;
    bool one_host = false, reaches = false;
    *far = false;
    if (comm->ops->reaches == NULL) {
        return TSL_OK;
    }
    tsl_status status = comm->ops->reaches(&reaches, comm, context);
    if (status != TSL_OK) {
        return tsl_fail(context, status, "%s", comm->root->error);
    }
    status = compare_hosts(&one_host, context);
    *far = status == TSL_OK && !(one_host && reaches);
    return status;
}
