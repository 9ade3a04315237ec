#include "core/context.h"

#include <omp.h>

#include "comm/comm.h"
#include "device/device.h"

/* The rank a context belongs to: the caller's, or one of its own. */
static tsl_status join(tsl_context *context, tsl_comm *comm)
{
    context->owns_comm = comm == NULL;
    if (comm != NULL) {
        context->comm = comm;
    } else if (tsl_comm_create_self(&context->comm) != TSL_OK) {
        return tsl_fail(context, TSL_E_NOMEM, "%s", tsl_last_error(NULL));
    }
    context->comm->root->context = context;
    return TSL_OK;
}

static void leave(tsl_context *context)
{
    context->comm->root->context = NULL;
    if (context->owns_comm) {
        tsl_comm_destroy(context->comm);
    }
}

tsl_status tsl_context_create(tsl_context **out, const tsl_context_options *options)
{
    const tsl_context_options defaults = TSL_CONTEXT_OPTIONS_INIT;
    if (options == NULL) {
        options = &defaults;
    }
    tsl_context *context = tsl_allocate_zeroed(1, sizeof *context);
    if (context == NULL) {
        return tsl_fail(NULL, TSL_E_NOMEM, "out of memory: cannot make a context");
    }
    context->message = options->message;
    context->user = options->user;
    context->stream = options->stream;
    const int usual = omp_get_max_threads(); /* OMP_NUM_THREADS, which has no bound */
    context->threads = options->threads > 0  ? options->threads
                       : usual < TSL_THREADS ? usual
                                             : TSL_THREADS;
    context->alone = TSL_ELEMENTS_ALONE;
    int index = 0;
    tsl_status status = TSL_OK;
    if (options->size != sizeof *options) {
        status = tsl_fail(context, TSL_E_ARG,
                          "context options: size is %zu, not %zu: initialise them with "
                          "TSL_CONTEXT_OPTIONS_INIT",
                          options->size, sizeof *options);
    } else if (options->threads < 0 || options->threads > TSL_THREADS) {
        status = tsl_fail(context, TSL_E_ARG, "threads is %d: give 0 (all cores) to %d",
                          options->threads, (int)TSL_THREADS);
    } else {
        status = tsl_device_find(context, options->device != NULL ? options->device : "auto",
                                 &context->ops, &index);
    }
    if (status == TSL_OK && context->stream != NULL && !context->ops->takes_stream) {
        status =
            tsl_fail(context, TSL_E_ARG,
                     "device %s has no CUDA streams: leave the context options' stream NULL, or "
                     "take a GPU (cuda:0)",
                     context->name);
    }
    if (status == TSL_OK) {
        status = join(context, options->comm);
    }
    if (status == TSL_OK) {
        status = context->ops->open(&context->device, context, index);
        if (status != TSL_OK) {
            leave(context);
        }
    }
    if (status != TSL_OK) {
        tsl_fail(NULL, status, "%s", context->error);
        tsl_release(context);
        return status;
    }
    *out = context;
    return TSL_OK;
}

void tsl_context_destroy(tsl_context *context)
{
    if (context != NULL) {
        context->ops->synchronize(context);
        tsl_comm_forget(context);
        tsl_device_release_all(context);
        context->ops->close(context->device);
        leave(context);
        tsl_release(context);
    }
}

const char *tsl_context_device(const tsl_context *context)
{
    return context->name;
}

int tsl_context_threads(const tsl_context *context)
{
    return context->threads;
}

tsl_status tsl_context_synchronize(tsl_context *context)
{
    return context->ops->synchronize(context);
}
