/* Runs ranks as threads. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "comm/threads/threads.h"

enum { MOST_RANKS = 1024 };

typedef struct rank_thread {
    pthread_t thread;
    tsl_comm *comm;
    tsl_rank_function function;
    void *user;
} rank_thread;

/* A rank gives its end back when it has ended, so that nobody waits for it. */
static void *run_rank(void *argument)
{
    rank_thread *rank = argument;
    const tsl_status status = rank->function(rank->comm, rank->user);
    if (status != TSL_OK) {
        tsl_comm_fail(rank->comm, status, tsl_status_name(status));
    }
    tsl_comm_destroy(rank->comm);
    return NULL;
}

/* The outcome of all ranks, which have ended. */
static tsl_status outcome(const tsl_threads_job *job, int count)
{
    if (atomic_load(&job->failed) == 0) {
        return TSL_OK;
    }
    return count == 1
               ? tsl_fail(NULL, job->failed_status, "%s", job->reason)
               : tsl_fail(NULL, job->failed_status, "rank %d: %s", job->failed_rank, job->reason);
}

static tsl_status run_all(rank_thread *ranks, int count)
{
    tsl_threads_job *job = tsl_threads_group_of(ranks[0].comm)->job;
    tsl_threads_hold(job);
    int started = 1;
    for (; started < count; started++) {
        const int error = pthread_create(&ranks[started].thread, NULL, run_rank, &ranks[started]);
        if (error != 0) {
            char reason[128];
            snprintf(reason, sizeof reason, "cannot start thread %d of %d: %s", started + 1, count,
                     strerror(error));
            tsl_comm_fail(ranks[0].comm, TSL_E_NOMEM, reason);
            break;
        }
    }
    if (started == count) {
        run_rank(&ranks[0]);
    } else {
        tsl_comm_destroy(ranks[0].comm);
    }
    for (int i = 1; i < started; i++) {
        pthread_join(ranks[i].thread, NULL);
    }
    for (int i = started; i < count; i++) {
        tsl_comm_destroy(ranks[i].comm);
    }
    const tsl_status status = outcome(job, count);
    tsl_threads_let_go(job);
    return status;
}

tsl_status tsl_comm_run(int count, tsl_rank_function function, void *user)
{
    if (count < 1 || count > MOST_RANKS) {
        return tsl_fail(NULL, TSL_E_ARG, "%d ranks: give 1 to %d", count, (int)MOST_RANKS);
    }
    rank_thread *ranks = tsl_allocate_zeroed((size_t)count, sizeof *ranks);
    tsl_comm **comms = tsl_allocate((size_t)count * sizeof *comms);
    tsl_status status = TSL_E_NOMEM;
    if (ranks == NULL || comms == NULL) {
        tsl_fail(NULL, status, "out of memory: cannot make %d ranks", count);
    } else {
        status = tsl_threads_create(comms, count);
    }
    if (status == TSL_OK) {
        for (int i = 0; i < count; i++) {
            ranks[i] = (rank_thread){.comm = comms[i], .function = function, .user = user};
        }
        status = run_all(ranks, count);
    }
    tsl_release(ranks);
    tsl_release(comms);
    return status;
}
