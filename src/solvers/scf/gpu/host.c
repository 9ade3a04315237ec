/* A context of the CPU beside the caller's. */
#include <string.h>

#include "device/device.h"
#include "solvers/scf/gpu/gpu.h"

tsl_status tsl_scf_host_create(tsl_context **out, tsl_context *context)
{
    tsl_context *host = tsl_allocate_zeroed(1, sizeof *host);
    if (host == NULL) {
        return tsl_fail_memory(context, sizeof *host, "a context of the host");
    }
    host->ops = &tsl_device_cpu; /* which has no state: tsl_device_ops.open */
    host->comm = context->comm;
    host->threads = context->threads;
    host->alone = context->alone;
    host->message = context->message;
    host->user = context->user;
    host->profile.exact = context->profile.exact;
    strcpy(host->name, "cpu");
    *out = host;
    return TSL_OK;
}

void tsl_scf_host_destroy(tsl_context *host)
{
    if (host != NULL) {
        tsl_device_release_all(host);
        tsl_release(host);
    }
}

void tsl_scf_host_forget(const tsl_context *context, tsl_context *host)
{
    if (context != host) {
        host->profile.count = 0;
    }
}

tsl_status tsl_scf_host_report(tsl_context *context, tsl_context *host, tsl_status status)
{
    if (context != host) {
        for (int i = 0; i < host->profile.count; i++) {
            const tsl_profile_stage *s = &host->profile.stages[i];
            tsl_profile_add(context, s->stage, tsl_seconds() - s->seconds, s->bytes, s->flops);
        }
        host->profile.count = 0;
    }
    return tsl_context_report(context, host, status);
}
