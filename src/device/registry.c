/* Which devices there are, and what a resource string means. */
#include <stdio.h>
#include <string.h>

#include "device/sim.h"

tsl_status tsl_device_find(tsl_context *context, const char *resource, const tsl_device_ops **out,
                           int *index)
{
    if (strcmp(resource, "auto") == 0) {
        tsl_message(context, TSL_MESSAGE_NOTE, "device: cpu (%d thread%s)", context->threads,
                    context->threads == 1 ? "" : "s");
        resource = "cpu";
    }
    if (strcmp(resource, "cpu") == 0) {
        snprintf(context->name, sizeof context->name, "cpu");
        *out = &tsl_device_cpu;
        *index = 0;
        return TSL_OK;
    }
    static const char *const sims[] = {"sim", "sim:reversed", "sim:strided"};
    for (int i = 0; i < 3; i++) {
        if (strcmp(resource, sims[i]) == 0) {
            snprintf(context->name, sizeof context->name, "%s", resource);
            *out = &tsl_device_sim;
            *index = i;
            return TSL_OK;
        }
    }
    if (strncmp(resource, "cuda", 4) == 0 && (resource[4] == '\0' || resource[4] == ':')) {
        return tsl_fail(context, TSL_E_DEVICE,
                        "device %s: this build has no CUDA support; use --device cpu", resource);
    }
    return tsl_fail(context, TSL_E_ARG, "unknown device '%s': use auto or cpu", resource);
}

tsl_status tsl_device_allocate(void **out, tsl_context *context, int64_t bytes, const char *what)
{
    *out = context->ops->allocate(context->device, bytes);
    return *out == NULL ? tsl_fail_memory(context, bytes, what) : TSL_OK;
}

void tsl_device_release(tsl_context *context, void *memory)
{
    if (memory != NULL) {
        context->ops->release(context->device, memory);
    }
}
