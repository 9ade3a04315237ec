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
    bool one_host = false;
    *far = false;
    if (comm->ops->reaches == NULL) {
        return TSL_OK;
    }
    /* the first operation on a device settles the way */
    tsl_status status = tsl_comm_broadcast(comm, context, NULL, 0, 0);
    if (status == TSL_OK) {
        status = compare_hosts(&one_host, context);
    }
    *far = status == TSL_OK && !(one_host && comm->ops->reaches(comm, context));
    return status;
}
