/* The devices there are, and the resource strings that name them. */
#include <stdio.h>
#include <string.h>

#include "device/plugin.h"
#include "device/sim.h"

static tsl_status find_cuda(tsl_context *context, const char *resource, int wanted,
                            const tsl_device_ops **out, int *index)
{
    char reason[512];
    int count = 0;
    const tsl_device_ops *ops = tsl_plugin_cuda(&count, reason, sizeof reason);
    if (ops == NULL) {
        return tsl_fail(context, TSL_E_DEVICE, "device %s: %s", resource, reason);
    }
    if (wanted >= count) {
        return tsl_fail(context, TSL_E_DEVICE, "device %s: there %s only %d, cuda:0%s", resource,
                        count == 1 ? "is" : "are", count, count == 1 ? "" : " and so on");
    }
    snprintf(context->name, sizeof context->name, "cuda:%d", wanted);
    *out = ops;
    *index = wanted;
    return TSL_OK;
}

static tsl_status take_cpu(tsl_context *context, const tsl_device_ops **out, int *index)
{
    snprintf(context->name, sizeof context->name, "cpu");
    *out = &tsl_device_cpu;
    *index = 0;
    return TSL_OK;
}

tsl_status tsl_device_find(tsl_context *context, const char *resource, const tsl_device_ops **out,
                           int *index)
{
    static const char *const sims[] = {"sim", "sim:reversed", "sim:strided"};
    for (int i = 0; i < 3; i++) {
        if (strcmp(resource, sims[i]) == 0) {
            snprintf(context->name, sizeof context->name, "%s", resource);
            *out = &tsl_device_sim;
            *index = i;
            return TSL_OK;
        }
    }
    if (strcmp(resource, "cpu") == 0) {
        return take_cpu(context, out, index);
    }
    if (strcmp(resource, "auto") == 0) {
        if (find_cuda(context, "cuda:0", 0, out, index) == TSL_OK) {
            tsl_message(context, TSL_MESSAGE_NOTE, "device: cuda:0");
            return TSL_OK;
        }
        context->error[0] = '\0'; /* without a GPU auto is the CPU */
        tsl_message(context, TSL_MESSAGE_NOTE, "device: cpu (%d thread%s)", context->threads,
                    context->threads == 1 ? "" : "s");
        return take_cpu(context, out, index);
    }
    int wanted = 0, last = 0;
    char rest = '\0';
    if (strcmp(resource, "cuda") == 0 ||
        (sscanf(resource, "cuda:%d%c", &wanted, &rest) == 1 && wanted >= 0)) {
        return find_cuda(context, resource, wanted, out, index);
    }
    if (sscanf(resource, "cuda:%d-%d%c", &wanted, &last, &rest) == 2 && last >= 0 &&
        last < wanted) {
        return tsl_fail(context, TSL_E_ARG, "device '%s': the range is backwards: use cuda:%d-%d",
                        resource, last, wanted);
    }
    if (strncmp(resource, "cuda:", 5) == 0 || strchr(resource, ',') != NULL) {
        return tsl_fail(
            context, TSL_E_ARG,
            "device '%s': a context has one device, as cuda:0; several ranks have one each, as of "
            "cuda:0-3",
            resource);
    }
    return tsl_fail(context, TSL_E_ARG, "unknown device '%s': use auto, cpu or cuda:0", resource);
}
