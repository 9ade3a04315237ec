/* Peers on sim. A stream that waits for another's runs that one's work first; one that should and
 * does not sees memory as it was. */
#include <string.h>

#include "comm/gpu/peer.h"
#include "device/sim.h"

#include "comm/gpu/peer_block.inc"

struct tsl_event {
    tsl_sim_mark mark;
    bool looked_at; /* since it was recorded */
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
    event->looked_at = false;
    return TSL_OK;
}

static tsl_status sim_wait(tsl_context *context, const tsl_event *event)
{
    tsl_sim_wait(context, event->mark);
    return TSL_OK;
}

/* Work takes its time: it is done at the second look. */
static tsl_status sim_look(tsl_context *context, tsl_event *event, bool *past)
{
    (void)context;
    *past = event->looked_at;
    event->looked_at = true;
    if (*past) {
        tsl_sim_run(event->mark);
    }
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

/* Open another's memory for the kernel that is queued next. */
static tsl_status reach(tsl_context *context, const tsl_context *other)
{
    const tsl_sim_mark mark = tsl_sim_mark_now(other);
    return tsl_sim_defer(context, run_open, &mark, sizeof mark);
}

/* Close another's memory once the kernel queued before has run, or at once if there was none. */
static void let_go(tsl_context *context, const tsl_context *other)
{
    const tsl_sim_mark mark = tsl_sim_mark_now(other);
    tsl_sim_defer_or_run(context, run_close, &mark, sizeof mark);
}

static tsl_status sim_copy(tsl_context *context, const tsl_peer_copy *copies, int count)
{
    tsl_status status = TSL_OK;
    int reached = 0;
    for (; reached < count && status == TSL_OK; reached += status == TSL_OK) {
        status = reach(context, copies[reached].to);
    }
    if (status == TSL_OK) {
        status = peer_launch_copies(context, copies, count);
    }
    while (reached > 0) {
        let_go(context, copies[--reached].to);
    }
    return status;
}

static tsl_status sim_reduce(tsl_context *context, tsl_context *const *contexts,
                             const tsl_peer_reduction *reduction)
{
    tsl_status status = TSL_OK;
    int reached = 0;
    for (; reached < reduction->ranks && status == TSL_OK; reached += status == TSL_OK) {
        status = reach(context, contexts[reached]);
    }
    if (status == TSL_OK) {
        status = peer_launch_reduction(context, reduction);
    }
    while (reached > 0) {
        let_go(context, contexts[--reached]);
    }
    return status;
}

static void *sim_create_host(tsl_context *context, int64_t bytes)
{
    (void)context;
    void *memory = tsl_allocate((size_t)bytes);
    if (memory != NULL) {
        memset(memory, 0xFF, (size_t)bytes); /* as the device's */
    }
    return memory;
}

typedef struct host_copy {
    void *target;
    const void *source;
    int64_t bytes;
} host_copy;

static void run_host_copy(const void *arguments)
{
    const host_copy *a = arguments;
    memcpy(a->target, a->source, (size_t)a->bytes);
}

static tsl_status sim_host_copy(tsl_context *context, void *target, const void *source,
                                int64_t bytes)
{
    const host_copy arguments = {.target = target, .source = source, .bytes = bytes};
    return tsl_sim_defer(context, run_host_copy, &arguments, sizeof arguments);
}

const tsl_peer_ops tsl_peer_sim = {.open = sim_open,
                                   .create = sim_create,
                                   .destroy = sim_destroy,
                                   .record = sim_record,
                                   .wait = sim_wait,
                                   .look = sim_look,
                                   .copy = sim_copy,
                                   .reduce = sim_reduce,
                                   .create_host = sim_create_host,
                                   .destroy_host = tsl_release,
                                   .load = sim_host_copy,
                                   .store = sim_host_copy};
