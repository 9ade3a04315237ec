/* Checks that memory which is going to be taken is free. */
#include "core/context.h"
#include "device/device.h"

int64_t tsl_device_needed(const tsl_context *context, const tsl_device_need *need)
{
    return tsl_add_bytes(need->device, context->ops->peer == NULL ? need->host : 0);
}

/* Check the host's memory, beside a device that has memory of its own. */
static tsl_status foresee_host(tsl_context *context, const tsl_device_need *need)
{
    char needed[16], there[16];
    const int64_t together = tsl_add_bytes(need->host, need->others_host);
    const int64_t unused = together > 0 ? tsl_host_memory_free() : 0;
    if (together <= unused) {
        return TSL_OK;
    }
    return tsl_fail(context, TSL_E_NOMEM,
                    "out of memory: %s %s of the host%s, whose memory has %s free: %s", need->what,
                    tsl_format_bytes(needed, together),
                    need->others_host > 0 ? " for its ranks" : "", tsl_format_bytes(there, unused),
                    need->remedy);
}

tsl_status tsl_device_foresee(tsl_context *context, const tsl_device_need *need)
{
    tsl_device_properties properties;
    char needed[16], there[16];
    const tsl_status status = tsl_device_read_properties(context, &properties);
    if (status != TSL_OK) {
        return status;
    }
    const int64_t own = tsl_device_needed(context, need);
    const int64_t together = tsl_add_bytes(own, need->others);
    const bool bounded = need->bound > 0 && own > need->bound;
    if (!bounded && together <= properties.memory_free) {
        return context->ops->peer == NULL ? TSL_OK : foresee_host(context, need);
    }
    const char *const whose = bounded || need->others == 0 ? ""
                              : context->ops->peer == NULL ? " for the ranks of a host"
                                                           : " for the ranks of a GPU";
    return tsl_fail(context, TSL_E_NOMEM, "%s%s %s%s, %s are %s: %s%s",
                    bounded ? "" : "out of memory: ", need->what,
                    tsl_format_bytes(needed, bounded ? own : together), whose,
                    tsl_format_bytes(there, bounded ? need->bound : properties.memory_free),
                    bounded ? "allowed" : "free", need->remedy, bounded ? ", or allow more" : "");
}
