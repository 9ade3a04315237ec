/* Counters of MPI ranks: rank 0 has them, and a thread of its own answers while rank 0 computes. */
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "comm/mpi/mpi.h"

enum { NEW = -1, IDLE_LOOKS = 200 };

/* Number of the counters, or NEW, and what to add. */
typedef struct request {
    int64_t id;
    int64_t add[TSL_COUNTERS];
} request;

/* Number of the counters, -1 if there is no memory for new ones, and what they were. */
typedef struct reply {
    int64_t id;
    int64_t before[TSL_COUNTERS];
} reply;

typedef struct mpi_counters {
    tsl_counters counters;
    int64_t id;
} mpi_counters;

static bool make_room(tsl_mpi_server *server)
{
    if (server->count < server->room) {
        return true;
    }
    const int64_t room = 2 * server->room + 16;
    int64_t(*values)[TSL_COUNTERS] = tsl_allocate((size_t)room * sizeof *values);
    if (values == NULL) {
        return false;
    }
    for (int64_t i = 0; i < server->count; i++) {
        memcpy(values[i], server->values[i], sizeof *values);
    }
    tsl_release(server->values);
    server->values = values;
    server->room = room;
    return true;
}

static reply answer(tsl_mpi_server *server, const request *asked)
{
    reply given = {.id = asked->id};
    pthread_mutex_lock(&server->mutex);
    if (asked->id == NEW && make_room(server)) {
        given.id = server->count++;
        memset(server->values[given.id], 0, sizeof *server->values);
    } else if (asked->id != NEW) {
        int64_t *values = server->values[asked->id];
        for (int i = 0; i < TSL_COUNTERS; i++) {
            given.before[i] = values[i];
            values[i] += asked->add[i];
        }
    }
    pthread_mutex_unlock(&server->mutex);
    return given;
}

/* Not to take a processor from those who compute: the longer nobody asks, the longer it sleeps, up
 * to half a millisecond. */
static void rest(int looks)
{
    if (looks < IDLE_LOOKS) {
        sched_yield();
    } else {
        const long microseconds = looks < 10 * IDLE_LOOKS ? 50 : 500;
        nanosleep(&(struct timespec){.tv_nsec = 1000 * microseconds}, NULL);
    }
}

static void *serve(void *argument)
{
    tsl_mpi_job *job = argument;
    int looks = 0;
    while (atomic_load(&job->server.stop) == 0) {
        int found = 0;
        MPI_Status status;
        MPI_Iprobe(MPI_ANY_SOURCE, TSL_MPI_REQUEST, job->counter_comm, &found, &status);
        if (!found) {
            rest(looks++);
            continue;
        }
        request asked;
        MPI_Recv(&asked, sizeof asked, MPI_BYTE, status.MPI_SOURCE, TSL_MPI_REQUEST,
                 job->counter_comm, MPI_STATUS_IGNORE);
        const reply given = answer(&job->server, &asked);
        MPI_Send(&given, sizeof given, MPI_BYTE, status.MPI_SOURCE, TSL_MPI_REPLY,
                 job->counter_comm);
        looks = 0;
    }
    return NULL;
}

tsl_status tsl_mpi_serve(tsl_mpi_job *job)
{
    pthread_mutex_init(&job->server.mutex, NULL);
    atomic_init(&job->server.stop, 0);
    if (job->level < MPI_THREAD_MULTIPLE) {
        return TSL_OK; /* tsl_mpi_counters_create() says so */
    }
    if (pthread_create(&job->server.thread, NULL, serve, job) != 0) {
        return TSL_E_NOMEM;
    }
    job->server.running = true;
    return TSL_OK;
}

void tsl_mpi_serve_no_more(tsl_mpi_job *job)
{
    if (job->server.running) {
        atomic_store(&job->server.stop, 1);
        pthread_join(job->server.thread, NULL);
        job->server.running = false;
    }
    pthread_mutex_destroy(&job->server.mutex);
    tsl_release(job->server.values);
    job->server.values = NULL;
}

/* Ask rank 0, which always answers. */
static reply ask(tsl_comm *comm, const request *asked)
{
    tsl_mpi_job *job = tsl_mpi_of(comm)->job;
    if (comm->root->rank == 0) {
        return answer(&job->server, asked);
    }
    reply given;
    MPI_Send(asked, sizeof *asked, MPI_BYTE, 0, TSL_MPI_REQUEST, job->counter_comm);
    MPI_Recv(&given, sizeof given, MPI_BYTE, 0, TSL_MPI_REPLY, job->counter_comm,
             MPI_STATUS_IGNORE);
    return given;
}

tsl_status tsl_mpi_counters_create(tsl_counters **out, tsl_comm *comm)
{
    static const char unsupported[] =
        "counters need an MPI that lets several threads call it (MPI_THREAD_MULTIPLE)";
    static const char no_memory[] = "out of memory: cannot make counters";
    tsl_mpi_comm *c = tsl_mpi_of(comm);
    mpi_counters *made = tsl_allocate(sizeof *made);
    reply given = {.id = NEW};
    if (c->job->level < MPI_THREAD_MULTIPLE) {
        tsl_mpi_publish(comm, TSL_E_UNSUPPORTED, unsupported);
        tsl_release(made);
        return tsl_comm_report(comm, TSL_E_UNSUPPORTED, "%s", unsupported);
    }
    if (comm->rank == 0) {
        const request asked = {.id = NEW};
        given = ask(comm, &asked);
    }
    if (made == NULL || (comm->rank == 0 && given.id == NEW)) {
        tsl_mpi_publish(comm, TSL_E_NOMEM, no_memory);
        tsl_release(made);
        return tsl_comm_report(comm, TSL_E_NOMEM, "%s", no_memory);
    }
    tsl_mpi_record mine = {.kind = TSL_MPI_COUNTERS};
    memcpy(mine.payload, &given.id, sizeof given.id);
    const tsl_status status = tsl_mpi_meet(c, &mine);
    if (status != TSL_OK) {
        tsl_release(made);
        return status;
    }
    made->counters.comm = comm;
    memcpy(&made->id, tsl_mpi_record_of(c, 0)->payload, sizeof made->id);
    *out = &made->counters;
    return TSL_OK;
}

void tsl_mpi_counters_destroy(tsl_counters *counters)
{
    tsl_release(counters); /* rank 0 keeps the integers until the end */
}

tsl_status tsl_mpi_counters_add(tsl_counters *counters, const int64_t *add, int64_t *before)
{
    tsl_comm *comm = counters->comm;
    if (tsl_mpi_hear(tsl_mpi_of(comm))) { /* a rank may do nothing but this for hours */
        return tsl_comm_report_failure(comm);
    }
    request asked = {.id = ((mpi_counters *)(void *)counters)->id};
    memcpy(asked.add, add, sizeof asked.add);
    const reply given = ask(comm, &asked);
    memcpy(before, given.before, sizeof given.before);
    return TSL_OK;
}
