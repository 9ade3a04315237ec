/* Device memory by NCCL. The host waits for it with an ear for the other ranks: kernels of NCCL
 * would wait forever for a rank that failed. */
#include <sched.h>
#include <time.h>

#include "comm/gpu/nccl.h"
#include "comm/mpi/mpi.h"
#include "device/device.h"

enum { PATIENCE = 200 /* looks before another process may have the processor */ };

/* What rank 0 tells the others. */
typedef struct start {
    int32_t made;
    char id[TSL_NCCL_ID];
} start;

static const tsl_nccl_ops *nccl_of(const tsl_mpi_comm *c)
{
    return c->device.context->ops->nccl;
}

static void give_up(tsl_mpi_comm *c)
{
    if (c->device.nccl != NULL) {
        nccl_of(c)->abort(c->device.nccl);
        c->device.nccl = NULL;
    }
}

/* Wait for what was asked for with `status`. NCCL opens with threads of its own: on one processor,
 * which is what mpirun binds a process to, they need it. */
static tsl_status finish(tsl_mpi_comm *c, tsl_status status, bool opens)
{
    static const struct timespec pause = {.tv_nsec = 50000};
    bool done = false;
    for (int look = 0; status == TSL_OK && !done; look++) {
        status = nccl_of(c)->look(c->device.nccl, &done);
        if (look % 16 == 15 && tsl_mpi_hear(c)) {
            give_up(c);
            return tsl_comm_report_failure(&c->comm);
        }
        if (look > PATIENCE && opens && !done) {
            nanosleep(&pause, NULL);
        } else if (look > PATIENCE) {
            sched_yield();
        }
    }
    if (status != TSL_OK) {
        status = tsl_mpi_hear(c) ? tsl_comm_report_failure(&c->comm)
                                 : tsl_mpi_device_failed(c, c->device.context, status);
        give_up(c);
    }
    return status;
}

/* NCCL connects two ranks when one first sends the other something, which takes it up to a second:
 * a byte to and from each. */
static tsl_status connect(tsl_mpi_comm *c, tsl_context *context)
{
    enum { APART = 16 };
    const int size = c->comm.size;
    tsl_comm_pair *pairs = tsl_allocate((size_t)size * sizeof *pairs);
    if (pairs == NULL) {
        return tsl_mpi_no_memory(c, size * (int64_t)sizeof *pairs);
    }
    tsl_status status = tsl_mpi_prepare_on_device(c, (int64_t)APART * size);
    if (status == TSL_OK) {
        status = context->ops->fill(context, c->device.scratch, 0, (int64_t)APART * size);
        char *scratch = c->device.scratch;
        for (int q = 0; q < size; q++) {
            pairs[q] = (tsl_comm_pair){.peer = q,
                                       .send = scratch + (int64_t)APART * c->comm.rank,
                                       .send_bytes = 1,
                                       .receive = scratch + (int64_t)APART * q,
                                       .receive_bytes = 1};
        }
        status = status == TSL_OK ? nccl_of(c)->move(c->device.nccl, pairs, size) : status;
        status = finish(c, status, true);
    }
    tsl_release(pairs);
    return status;
}

static tsl_status nccl_open(tsl_mpi_comm *c, tsl_context *context)
{
    start s = {.made = 0};
    tsl_status status = TSL_OK;
    if (c->comm.rank == 0) {
        status = nccl_of(c)->make_id(context, s.id);
        s.made = status == TSL_OK;
    }
    const tsl_status passed = tsl_mpi_pass_on(c, &s, sizeof s, 0);
    if (passed != TSL_OK) {
        return passed;
    }
    if (status != TSL_OK || !s.made) { /* the others hear of it when they meet */
        return status == TSL_OK ? TSL_OK : tsl_mpi_device_failed(c, context, status);
    }
    status = nccl_of(c)->open(&c->device.nccl, context, s.id, c->comm.rank, c->comm.size);
    if (status != TSL_OK) {
        c->device.nccl = NULL;
    }
    status = finish(c, status, true);
    return status == TSL_OK ? connect(c, context) : status;
}

static void nccl_close(tsl_mpi_comm *c)
{
    if (c->job->failed) {
        give_up(c);
    } else if (c->device.nccl != NULL) {
        nccl_of(c)->close(c->device.nccl);
        c->device.nccl = NULL;
    }
}

static tsl_status nccl_move(tsl_mpi_comm *c, const tsl_comm_pair *pairs, int count)
{
    if (c->device.nccl == NULL) {
        return tsl_comm_report_failure(&c->comm); /* given up */
    }
    return finish(c, nccl_of(c)->move(c->device.nccl, pairs, count), false);
}

static tsl_status nccl_broadcast(tsl_mpi_comm *c, void *data, int64_t bytes, int root)
{
    return finish(c, nccl_of(c)->broadcast(c->device.nccl, data, bytes, root), false);
}

const tsl_mpi_way tsl_mpi_by_nccl = {.open = nccl_open,
                                     .close = nccl_close,
                                     .prepare = tsl_mpi_prepare_on_device,
                                     .move = nccl_move,
                                     .broadcast = nccl_broadcast,
                                     .reduce = tsl_mpi_reduce_on_device};
