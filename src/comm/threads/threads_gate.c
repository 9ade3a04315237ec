/* How threads wait for each other, and how a failure ends that.
 *
 * A gate opens when all ranks of a group have arrived. On entering an operation a rank that sees a
 * failure takes its arrival back, unless the gate has opened meanwhile: so either all ranks are in
 * an operation or none is. Once in, none looks for failures until all are through: the memory they
 * copy from is its owner's again only then. */
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "comm/threads/threads.h"
#include "device/device.h"

/* Seconds that a thread lets others have the processor again and again before it sleeps. */
static const double PATIENCE = 50e-6;

/* Seconds that a rank waits for others to clear up after a failure, which they may never do. */
enum { LONGEST_PARTING = 5 };

static uint64_t openings(uint64_t arrived)
{
    return arrived >> 32;
}

/* The sleeper counts itself before it looks again, the waker changes what it looks at before it
 * reads the count: one of them sees the other. */
void tsl_threads_wake(tsl_threads_job *job)
{
    if (atomic_load(&job->sleepers) > 0) {
        pthread_mutex_lock(&job->mutex);
        pthread_cond_broadcast(&job->changed);
        pthread_mutex_unlock(&job->mutex);
    }
}

static bool is_off(tsl_threads_group *group)
{
    return atomic_load(&group->job->failed) != 0 || atomic_load(&group->present) < group->size;
}

/* Wait for the opening after number `before`, or, if `may_end`, until the operation is off. */
static void wait_for(tsl_threads_group *group, uint64_t before, bool may_end)
{
    tsl_threads_job *job = group->job;
    double begun = 0;
    for (int look = 0; look <= job->looks || tsl_seconds() - begun < PATIENCE; look++) {
        if (openings(atomic_load(&group->arrived)) != before || (may_end && is_off(group))) {
            return;
        }
        if (look >= job->looks) {
            begun = begun > 0 ? begun : tsl_seconds();
            sched_yield(); /* who is waited for may want this processor, and others too */
        }
    }
    pthread_mutex_lock(&job->mutex);
    atomic_fetch_add(&job->sleepers, 1);
    while (openings(atomic_load(&group->arrived)) == before && !(may_end && is_off(group))) {
        pthread_cond_wait(&job->changed, &job->mutex);
    }
    atomic_fetch_sub(&job->sleepers, 1);
    pthread_mutex_unlock(&job->mutex);
}

/* Take an arrival back; false if the gate has opened. */
static bool withdraw(tsl_threads_group *group, uint64_t before)
{
    uint64_t now = atomic_load(&group->arrived);
    while (openings(now) == before) {
        if (atomic_compare_exchange_weak(&group->arrived, &now, now - 1)) {
            return true;
        }
    }
    return false;
}

/* Through the gate; false: it stayed shut, because the operation is off. */
static bool pass(tsl_threads_group *group, bool may_end)
{
    uint64_t now = atomic_load(&group->arrived);
    uint64_t next;
    do {
        const bool last = (now & UINT32_MAX) + 1 == (uint64_t)group->size;
        next = last ? (openings(now) + 1) << 32 : now + 1;
    } while (!atomic_compare_exchange_weak(&group->arrived, &now, next));
    if (openings(next) != openings(now)) {
        tsl_threads_wake(group->job);
        return true;
    }
    wait_for(group, openings(now), may_end);
    return openings(atomic_load(&group->arrived)) != openings(now) ||
           !withdraw(group, openings(now));
}

static const char *const names[] = {
    [TSL_THREADS_BARRIER] = "a barrier",        [TSL_THREADS_BROADCAST] = "a broadcast",
    [TSL_THREADS_ALL_REDUCE] = "an all-reduce", [TSL_THREADS_ALL_TO_ALL] = "an all-to-all",
    [TSL_THREADS_GATHER] = "a gather",          [TSL_THREADS_EXCHANGE] = "an exchange",
    [TSL_THREADS_DIVIDE] = "a split",           [TSL_THREADS_COUNTERS] = "making counters"};

/* What the memory is reached by: the same on all ranks, or they cannot reach each other's. */
static const void *peers_of(const tsl_threads_slot *slot)
{
    return slot->context != NULL ? slot->context->ops->peer : NULL;
}

static bool same(const tsl_threads_slot *a, const tsl_threads_slot *b)
{
    return a->kind == b->kind && a->root == b->root && a->type == b->type &&
           a->operation == b->operation && a->count == b->count && peers_of(a) == peers_of(b);
}

static void describe(char *text, size_t bytes, const tsl_threads_slot *slot)
{
    snprintf(text, bytes, "%s (count %lld, root %d, type %d, operation %d, %s memory)",
             names[slot->kind], (long long)slot->count, slot->root, (int)slot->type,
             (int)slot->operation, slot->context != NULL ? slot->context->ops->name : "host");
}

/* All ranks see the same slots, so they come to the same end. */
static tsl_status check_slots(tsl_comm *comm)
{
    const tsl_threads_slot *slots = tsl_threads_group_of(comm)->slots;
    for (int q = 1; q < comm->size; q++) {
        if (!same(&slots[0], &slots[q])) {
            char reason[TSL_RANK_REASON], first[160], other[160];
            describe(first, sizeof first, &slots[0]);
            describe(other, sizeof other, &slots[q]);
            snprintf(reason, sizeof reason, "ranks are at odds: %s on rank 0, %s on rank %d", first,
                     other, q);
            comm->ops->publish(comm, TSL_E_COMM, reason);
            return TSL_E_COMM;
        }
    }
    return TSL_OK;
}

tsl_status tsl_threads_enter(tsl_comm *comm, const tsl_threads_slot *mine)
{
    tsl_threads_group *group = tsl_threads_group_of(comm);
    group->slots[comm->rank] = *mine;
    if (is_off(group) || !pass(group, true)) {
        comm->ops->publish(comm, TSL_E_COMM, "another rank has ended; this one waits for it");
        return tsl_comm_report_failure(comm);
    }
    const tsl_status status = check_slots(comm);
    return status == TSL_OK ? TSL_OK : tsl_threads_leave(comm, status);
}

void tsl_threads_line_up(tsl_comm *comm)
{
    pass(tsl_threads_group_of(comm), false);
}

tsl_status tsl_threads_leave(tsl_comm *comm, tsl_status status)
{
    pass(tsl_threads_group_of(comm), false);
    return status == TSL_OK ? TSL_OK : tsl_comm_report_failure(comm);
}

void tsl_threads_part(tsl_comm *comm, tsl_threads_parting *parting)
{
    tsl_threads_group *group = tsl_threads_group_of(comm);
    tsl_threads_job *job = group->job;
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += LONGEST_PARTING;
    int error = 0;
    pthread_mutex_lock(&job->mutex);
    parting->come++;
    pthread_cond_broadcast(&job->changed);
    while (is_off(group) && parting->come < group->size && error == 0) {
        error = pthread_cond_timedwait(&job->changed, &job->mutex, &end);
    }
    const bool last = ++parting->gone == group->size;
    pthread_mutex_unlock(&job->mutex);
    if (last) {
        tsl_release(parting);
    }
}
