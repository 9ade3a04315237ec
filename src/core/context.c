#include "core/context.h"

#include <omp.h>
#include <stdio.h>
#include <string.h>

#include "device/device.h"

static _Thread_local char create_error[TSL_ERROR_TEXT];

tsl_status tsl_context_create(tsl_context **out, const tsl_context_options *options)
{
    const tsl_context_options defaults = TSL_CONTEXT_OPTIONS_INIT;
    if (options == NULL) {
        options = &defaults;
    }
    tsl_context *context = tsl_allocate_zeroed(1, sizeof *context);
    if (context == NULL) {
        snprintf(create_error, sizeof create_error, "out of memory: cannot make a context");
        return TSL_E_NOMEM;
    }
    context->message = options->message;
    context->user = options->user;
    context->threads = options->threads > 0 ? options->threads : omp_get_max_threads();
    int index = 0;
    tsl_status status = TSL_OK;
    if (options->size != sizeof *options) {
        status = tsl_fail(context, TSL_E_ARG,
                          "context options: size is %zu, not %zu: initialise them with "
                          "TSL_CONTEXT_OPTIONS_INIT",
                          options->size, sizeof *options);
    } else if (options->threads < 0 || options->threads > 4096) {
        status = tsl_fail(context, TSL_E_ARG, "threads is %d: give 0 (all cores) to 4096",
                          options->threads);
    } else {
        status = tsl_device_find(context, options->device != NULL ? options->device : "auto",
                                 &context->ops, &index);
    }
    if (status == TSL_OK) {
        status = context->ops->open(&context->device, context, index);
    }
    if (status != TSL_OK) {
        memcpy(create_error, context->error, sizeof create_error);
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
        tsl_device_release_all(context);
        context->ops->close(context->device);
        tsl_release(context);
    }
}

const char *tsl_last_error(const tsl_context *context)
{
    return context != NULL ? context->error : create_error;
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
