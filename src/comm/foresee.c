/* Memory that ranks are going to take, where some take it from one place. */
#include <string.h>

#include "comm/comm.h"
#include "device/device.h"

typedef struct share {
    char host[TSL_COMM_HOST];
    unsigned char memory[16]; /* its identity; zeros: the host's */
    int64_t bytes;            /* of that, */
    int64_t on_host;          /* and of the host's */
} share;

static bool is_same_host(const share *a, const share *b)
{
    return memcmp(a->host, b->host, sizeof a->host) == 0;
}

static bool is_same_memory(const share *a, const share *b)
{
    static const unsigned char host[sizeof a->memory] = {0};
    return memcmp(a->memory, b->memory, sizeof host) == 0 &&
           (memcmp(a->memory, host, sizeof host) != 0 || is_same_host(a, b));
}

/* What other ranks take of the memory of `rank`, and of its host's. */
static void add_others(tsl_device_need *need, const share *all, int size, int rank)
{
    for (int q = 0; q < size; q++) {
        if (q != rank && is_same_memory(&all[q], &all[rank])) {
            need->others = tsl_add_bytes(need->others, all[q].bytes);
        }
        if (q != rank && is_same_host(&all[q], &all[rank])) {
            need->others_host = tsl_add_bytes(need->others_host, all[q].on_host);
        }
    }
}

tsl_status tsl_comm_foresee(tsl_context *context, const tsl_device_need *need)
{
    tsl_comm *comm = context->comm;
    tsl_device_need known = *need;
    tsl_device_properties properties = {.memory_free = 0};
    share *all = tsl_allocate_zeroed((size_t)comm->size + 1, sizeof *all);
    share *mine = NULL;
    tsl_status status = all != NULL
                            ? tsl_device_read_properties(context, &properties)
                            : tsl_fail_memory(context, (comm->size + 1) * (int64_t)sizeof *all,
                                              "what ranks will take");
    TSL_TRY(tsl_comm_agree(context, status));
    mine = &all[comm->size];
    mine->bytes = tsl_device_needed(context, need);
    mine->on_host = context->ops->peer == NULL ? mine->bytes : need->host;
    memcpy(mine->memory, properties.identity, sizeof mine->memory);
    tsl_comm_host(mine->host);
    TSL_TRY(tsl_comm_gather_records(comm, all, mine, sizeof *mine));
    add_others(&known, all, comm->size, comm->rank);
    TSL_TRY(tsl_comm_agree(context, tsl_device_foresee(context, &known)));
done:
    tsl_release(all);
    return status;
}
