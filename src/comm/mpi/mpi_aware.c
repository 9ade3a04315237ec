/* Device memory by an MPI library that takes pointers to it. MPI knows nothing of streams: what was
 * queued is waited for before MPI may read or write. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "comm/mpi/mpi.h"
#include "device/device.h"

/* Open MPI and MPICH have a function; its header is not everywhere, and what the library can is
 * decided where it runs. Cray's MPICH and MVAPICH2 go by variables of their own. */
bool tsl_mpi_is_aware(void)
{
    int (*query)(void) = NULL;
    *(void **)&query = dlsym(RTLD_DEFAULT, "MPIX_Query_cuda_support");
    if (query != NULL && query() != 0) {
        return true;
    }
    static const char *const variables[][2] = {{"MPICH", "MPICH_GPU_SUPPORT_ENABLED"},
                                               {"MVAPICH", "MV2_USE_CUDA"}};
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    MPI_Get_library_version(text, &length);
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *value = getenv(variables[i][1]);
        if (strstr(text, variables[i][0]) != NULL && value != NULL && strcmp(value, "1") == 0) {
            return true;
        }
    }
    return false;
}

static tsl_status aware_open(tsl_mpi_comm *c, tsl_context *context)
{
    (void)c;
    (void)context;
    return TSL_OK;
}

static void aware_close(tsl_mpi_comm *c)
{
    (void)c;
}

/* Wait for what is queued. */
static tsl_status settle(tsl_mpi_comm *c)
{
    tsl_context *context = c->device.context;
    const tsl_status status = context->ops->synchronize(context);
    return status == TSL_OK ? TSL_OK : tsl_mpi_device_failed(c, context, status);
}

static tsl_status aware_move(tsl_mpi_comm *c, const tsl_comm_pair *pairs, int count)
{
    const tsl_status settled = settle(c);
    for (int i = 0; i < count; i++) {
        if (pairs[i].peer != c->comm.rank && pairs[i].receive_bytes > 0) {
            tsl_mpi_receive(c, pairs[i].receive, pairs[i].receive_bytes, pairs[i].peer);
        }
    }
    for (int i = 0; i < count; i++) {
        if (pairs[i].peer != c->comm.rank && pairs[i].send_bytes > 0) {
            tsl_mpi_send(c, pairs[i].send, pairs[i].send_bytes, pairs[i].peer);
        }
    }
    const tsl_status status = tsl_mpi_complete(c);
    return settled != TSL_OK ? settled : status;
}

static tsl_status aware_broadcast(tsl_mpi_comm *c, void *data, int64_t bytes, int root)
{
    const tsl_status settled = settle(c);
    const tsl_status status = tsl_mpi_pass_on(c, data, bytes, root);
    return settled != TSL_OK ? settled : status;
}

const tsl_mpi_way tsl_mpi_by_aware = {.open = aware_open,
                                      .close = aware_close,
                                      .prepare = tsl_mpi_prepare_on_device,
                                      .move = aware_move,
                                      .broadcast = aware_broadcast,
                                      .reduce = tsl_mpi_reduce_on_device};
