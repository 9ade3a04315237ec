/* Peers on sim. A stream that waits for another's runs that one's work first; one that should and
 * does not sees memory as it was. */
#include "comm/peer.h"
#include "device/sim.h"

#include "comm/peer_block.inc"

struct tsl_event {
    tsl_sim_mark mark;
};

static tsl_status sim_open(tsl_context *context, const tsl_context *other)
{
    (void)context;
    (void)other;
    return TSL_OK;
}

static tsl_status sim_create(tsl_event **out, tsl_context *context)
{
    tsl_event *event = tsl_allocate_zeroed(1, sizeof *event);
    if (event == NULL) {
        return tsl_fail_memory(context, sizeof *event, "an event");
    }
    *out = event;
    return TSL_OK;
}

static void sim_destroy(tsl_event *event)
{
    tsl_release(event);
}

static tsl_status sim_record(tsl_context *context, tsl_event *event)
{
    event->mark = tsl_sim_mark_now(context);
    return TSL_OK;
}

static tsl_status sim_wait(tsl_context *context, const tsl_event *event)
{
    tsl_sim_wait(context, event->mark);
    return TSL_OK;
}

static void run_open(const void *mark)
{
    tsl_sim_open_other(*(const tsl_sim_mark *)mark, true);
}

static void run_close(const void *mark)
{
    tsl_sim_open_other(*(const tsl_sim_mark *)mark, false);
}

/* Open, or close, the others' memory for the kernel queued after, or before. */
static tsl_status reach(tsl_context *context, const tsl_context *other, bool open)
{
    const tsl_sim_mark mark = tsl_sim_mark_now(other);
    return tsl_sim_defer(context, open ? run_open : run_close, &mark, sizeof mark);
}

static tsl_status sim_copy(tsl_context *context, const tsl_peer_copy *copies, int count)
{
    tsl_status status = TSL_OK;
    for (int i = 0; i < count && status == TSL_OK; i++) {
        status = reach(context, copies[i].from, true);
    }
    if (status == TSL_OK) {
        status = peer_launch_copies(context, copies, count);
    }
    for (int i = 0; i < count && status == TSL_OK; i++) {
        status = reach(context, copies[i].from, false);
    }
    return status;
}

static tsl_status sim_reduce(tsl_context *context, tsl_context *const *contexts,
                             const tsl_peer_reduction *reduction)
{
    tsl_status status = TSL_OK;
    for (int q = 0; q < reduction->ranks && status == TSL_OK; q++) {
        status = reach(context, contexts[q], true);
    }
    if (status == TSL_OK) {
        status = peer_launch_reduction(context, reduction);
    }
    for (int q = 0; q < reduction->ranks && status == TSL_OK; q++) {
        status = reach(context, contexts[q], false);
    }
    return status;
}

const tsl_peer_ops tsl_peer_sim = {.open = sim_open,
                                   .create = sim_create,
                                   .destroy = sim_destroy,
                                   .record = sim_record,
                                   .wait = sim_wait,
                                   .copy = sim_copy,
                                   .reduce = sim_reduce};
