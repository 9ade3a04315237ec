/* Second streams. Without state, so that this file may be compiled into plug-ins too. */
#include <string.h>

#include "comm/comm.h"
#include "comm/gpu/peer.h"
#include "core/context.h"
#include "device/device.h"

tsl_status tsl_context_branch(tsl_context **out, tsl_context *context)
{
    tsl_context *branch = tsl_allocate_zeroed(1, sizeof *branch);
    if (branch == NULL) {
        return tsl_fail_memory(context, sizeof *branch, "a second stream");
    }
    branch->ops = context->ops;
    branch->comm = context->comm;
    branch->threads = context->threads;
    branch->alone = context->alone;
    memcpy(branch->name, context->name, sizeof branch->name);
    const tsl_status status = context->ops->branch(&branch->device, context);
    if (status != TSL_OK) {
        tsl_release(branch);
        return status;
    }
    *out = branch;
    return TSL_OK;
}

void tsl_context_end_branch(tsl_context *branch)
{
    if (branch != NULL) {
        branch->ops->synchronize(branch);
        tsl_comm_forget(branch);
        branch->ops->close(branch->device);
        tsl_release(branch);
    }
}

tsl_status tsl_context_follow(tsl_context *after, tsl_context *before, tsl_event *event)
{
    const tsl_peer_ops *peer = before->ops->peer;
    const tsl_status status = peer->record(before, event);
    return status == TSL_OK ? peer->wait(after, event) : status;
}

tsl_status tsl_context_report(tsl_context *context, tsl_context *branch, tsl_status status)
{
    if (status != TSL_OK && branch != context && branch->error[0] != '\0') {
        tsl_fail(context, status, "%s", branch->error);
        branch->error[0] = '\0';
    }
    return status;
}
