/* Meetings, and how they are called off.
 *
 * A meeting is an all-gather of small records (Bruck's: in round k a rank has 2^k records and sends
 * them to the rank 2^k below). A rank that fails, or hears of a failure, says farewell in each of
 * its communicators: which meeting is the first it will not come to. A meeting that lacks a rank
 * cannot be completed by any, so whoever hears of that may leave it, and nobody else may: a rank
 * that has heard of a failure elsewhere still waits for the meeting it is in. So either all ranks
 * are in an operation or none is. */
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "comm/mpi/mpi.h"

enum { PATIENCE = 200 /* looks before another process may have the processor */ };

const tsl_mpi_record *tsl_mpi_record_of(const tsl_mpi_comm *c, int rank)
{
    return &c->records[(rank - c->comm.rank + c->comm.size) % c->comm.size];
}

/* ---- failures ----------------------------------------------------------------------------- */

static void say_farewell(tsl_mpi_comm *c)
{
    const tsl_mpi_job *job = c->job;
    c->farewell.number = c->met + 1;
    c->farewell.rank = job->failed_rank;
    c->farewell.status = job->failed_status;
    memcpy(c->farewell.reason, job->reason, sizeof job->reason);
    for (int q = 0; q < c->comm.size; q++) {
        if (q != c->comm.rank) {
            MPI_Isend(&c->farewell, sizeof c->farewell, MPI_BYTE, q, TSL_MPI_OFF, c->mpi,
                      &c->farewells[q]);
        }
    }
}

static void fail(tsl_mpi_job *job, int rank, tsl_status status, const char *reason)
{
    if (job->failed) {
        return;
    }
    job->failed = true;
    job->failed_rank = rank;
    job->failed_status = status;
    snprintf(job->reason, sizeof job->reason, "%s", reason);
    for (tsl_mpi_comm *c = job->first; c != NULL; c = c->next) {
        say_farewell(c);
    }
}

void tsl_mpi_publish(tsl_comm *comm, tsl_status status, const char *reason)
{
    fail(tsl_mpi_of(comm)->job, comm->root->rank, status, reason);
}

/* Of several failures all ranks keep that of the lowest rank: each rank that failed by itself has
 * told all others. */
static void settle(tsl_mpi_job *job, const tsl_mpi_off *off)
{
    if (off->rank < job->failed_rank) {
        job->failed_rank = off->rank;
        job->failed_status = (tsl_status)off->status;
        memcpy(job->reason, off->reason, sizeof job->reason);
        job->reason[sizeof job->reason - 1] = '\0';
    }
}

/* Read the farewells that have arrived in a communicator. */
static void listen(tsl_mpi_comm *c)
{
    int found = 1;
    while (found) {
        MPI_Status status;
        tsl_mpi_off off;
        if (MPI_Iprobe(MPI_ANY_SOURCE, TSL_MPI_OFF, c->mpi, &found, &status) != MPI_SUCCESS ||
            !found ||
            MPI_Recv(&off, sizeof off, MPI_BYTE, status.MPI_SOURCE, TSL_MPI_OFF, c->mpi, &status) !=
                MPI_SUCCESS) {
            return;
        }
        c->off = off.number < c->off ? off.number : c->off;
        off.reason[sizeof off.reason - 1] = '\0';
        if (c->job->failed) {
            settle(c->job, &off);
        } else {
            fail(c->job, off.rank, (tsl_status)off.status, off.reason);
        }
    }
}

bool tsl_mpi_hear(tsl_mpi_comm *c)
{
    listen(c);
    if (c->comm.root != &c->comm) {
        listen(tsl_mpi_of(c->comm.root)); /* so that this rank tells its other ones */
    }
    return c->job->failed;
}

const char *tsl_mpi_failure(tsl_comm *comm, int *rank, tsl_status *status)
{
    tsl_mpi_comm *c = tsl_mpi_of(comm);
    const tsl_mpi_job *job = c->job;
    if (!job->ended) {
        tsl_mpi_hear(c);
    }
    if (!job->failed) {
        return NULL;
    }
    *rank = job->failed_rank;
    *status = job->failed_status;
    return job->reason;
}

/* ---- meetings ----------------------------------------------------------------------------- */

/* Wait for a message of a round; false: it will not come, the meeting is off. */
static bool receive(tsl_mpi_comm *c, tsl_mpi_record *into, int records, int from)
{
    MPI_Request request;
    int arrived = 0;
    MPI_Irecv(into, records * (int)sizeof *into, MPI_BYTE, from, TSL_MPI_MEETING, c->mpi, &request);
    for (int look = 0; !arrived; look++) {
        MPI_Test(&request, &arrived, MPI_STATUS_IGNORE);
        if (arrived) {
            break;
        }
        if (look % 16 == 15) {
            tsl_mpi_hear(c);
        }
        if (c->off <= c->met) {
            MPI_Cancel(&request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            return false;
        }
        if (look > PATIENCE) {
            sched_yield();
        }
    }
    return true;
}

static const char *const names[] = {[TSL_MPI_BARRIER] = "a barrier",
                                    [TSL_MPI_BROADCAST] = "a broadcast",
                                    [TSL_MPI_ALL_REDUCE] = "an all-reduce",
                                    [TSL_MPI_ALL_TO_ALL] = "an all-to-all",
                                    [TSL_MPI_GATHER] = "a gather",
                                    [TSL_MPI_EXCHANGE] = "an exchange",
                                    [TSL_MPI_DIVIDE] = "a split",
                                    [TSL_MPI_COUNTERS] = "making counters",
                                    [TSL_MPI_OPEN] = "beginning to use device memory",
                                    [TSL_MPI_END] = "the end"};

static void describe(char *text, size_t bytes, const tsl_mpi_record *r)
{
    snprintf(text, bytes, "%s (count %lld, root %d, type %d, operation %d, %s memory)",
             names[r->kind], (long long)r->count, r->root, r->type, r->operation,
             r->device ? "device" : "host");
}

/* All ranks see the same records, so they come to the same end. */
static tsl_status check_records(tsl_mpi_comm *c)
{
    const tsl_mpi_record *first = tsl_mpi_record_of(c, 0);
    for (int q = 1; q < c->comm.size; q++) {
        const tsl_mpi_record *other = tsl_mpi_record_of(c, q);
        if (memcmp(first, other, offsetof(tsl_mpi_record, fresh)) != 0) {
            char reason[TSL_MPI_REASON], one[160], two[160];
            describe(one, sizeof one, first);
            describe(two, sizeof two, other);
            snprintf(reason, sizeof reason, "ranks are at odds: %s on rank 0, %s on rank %d", one,
                     two, q);
            tsl_mpi_publish(&c->comm, TSL_E_COMM, reason);
            return tsl_comm_report_failure(&c->comm);
        }
    }
    return TSL_OK;
}

tsl_status tsl_mpi_meet(tsl_mpi_comm *c, tsl_mpi_record *mine)
{
    const int size = c->comm.size;
    if (tsl_mpi_hear(c)) {
        return tsl_comm_report_failure(&c->comm);
    }
    mine->number = ++c->met;
    c->records[0] = *mine;
    c->rounds = 0;
    for (int have = 1; have < size; have *= 2) {
        const int records = have < size - have ? have : size - have;
        MPI_Isend(c->records, records * (int)sizeof *mine, MPI_BYTE,
                  (c->comm.rank - have + size) % size, TSL_MPI_MEETING, c->mpi,
                  &c->meeting[c->rounds++]);
        if (!receive(c, c->records + have, records, (c->comm.rank + have) % size)) {
            return tsl_comm_report_failure(&c->comm);
        }
    }
    /* All have come, so all of this is received. */
    MPI_Waitall(c->rounds, c->meeting, MPI_STATUSES_IGNORE);
    c->rounds = 0;
    return check_records(c);
}

/* ---- the end ------------------------------------------------------------------------------ */

/* Receive what a meeting that was called off has left. */
static void drain(tsl_mpi_comm *c)
{
    int found = 1;
    while (found) {
        MPI_Status status;
        if (MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, c->mpi, &found, &status) != MPI_SUCCESS) {
            return;
        }
        if (found) {
            MPI_Recv(c->job->drain, c->job->drain_bytes, MPI_BYTE, status.MPI_SOURCE,
                     status.MPI_TAG, c->mpi, MPI_STATUS_IGNORE);
        }
        if (found && status.MPI_TAG == TSL_MPI_OFF) {
            settle(c->job, (const tsl_mpi_off *)(const void *)c->job->drain);
        }
    }
}

static bool has_sent_all(tsl_mpi_comm *c)
{
    int first = 0, second = 0;
    MPI_Testall(c->rounds, c->meeting, &first, MPI_STATUSES_IGNORE);
    MPI_Testall(c->comm.size, c->farewells, &second, MPI_STATUSES_IGNORE);
    return first && second;
}

/* Receive for the others until all ranks' messages are received: each joins the barrier when its
 * own are. */
static void clear_up(tsl_mpi_comm *root)
{
    MPI_Request barrier = MPI_REQUEST_NULL;
    bool waits = false;
    for (int done = 0; !done;) {
        bool sent = true;
        for (tsl_mpi_comm *c = root->job->first; c != NULL; c = c->next) {
            drain(c);
            sent = sent && has_sent_all(c);
        }
        if (sent && !waits) {
            /* of the counters' communicator, where nothing is left over */
            MPI_Ibarrier(root->job->counter_comm, &barrier);
            waits = true;
        }
        if (waits) {
            MPI_Test(&barrier, &done, MPI_STATUS_IGNORE);
        }
        sched_yield();
    }
}

void tsl_mpi_end(tsl_comm *comm)
{
    tsl_mpi_comm *root = tsl_mpi_of(comm->root);
    tsl_mpi_record end = {.kind = TSL_MPI_END};
    if (!root->job->ended && tsl_mpi_meet(root, &end) != TSL_OK) {
        clear_up(root);
    }
    root->job->ended = true;
}
