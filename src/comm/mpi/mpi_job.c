/* The beginning and the end of an MPI launch. */
#include <stdio.h>
#include <string.h>

#include "comm/mpi/mpi.h"
#include "comm/plugin.h"
#include "device/interface.h"

/* ---- memory is the library's -------------------------------------------------------------- */

static const tsl_host *library;

void *tsl_allocate(size_t bytes)
{
    return library->allocate(bytes);
}

void *tsl_allocate_zeroed(size_t count, size_t bytes_each)
{
    return library->allocate_zeroed(count, bytes_each);
}

void tsl_release(void *memory)
{
    library->release(memory);
}

/* ---- communicators ------------------------------------------------------------------------ */

tsl_mpi_comm *tsl_mpi_make(tsl_mpi_job *job, tsl_mpi_comm *parent, int rank, int size)
{
    tsl_mpi_comm *made = tsl_allocate_zeroed(1, sizeof *made);
    if (made == NULL) {
        return NULL;
    }
    *made = (tsl_mpi_comm){.comm = {.ops = &tsl_comm_mpi_ops, .rank = rank, .size = size},
                           .job = job,
                           .mpi = MPI_COMM_NULL,
                           .off = INT64_MAX};
    made->comm.root = parent != NULL ? parent->comm.root : &made->comm;
    made->records = tsl_allocate_zeroed((size_t)size, sizeof *made->records);
    made->farewells = tsl_allocate((size_t)size * sizeof *made->farewells);
    made->pairs = tsl_allocate((size_t)size * sizeof *made->pairs);
    if (made->records == NULL || made->farewells == NULL || made->pairs == NULL) {
        tsl_mpi_release(made);
        return NULL;
    }
    for (int q = 0; q < size; q++) {
        made->farewells[q] = MPI_REQUEST_NULL;
    }
    return made;
}

void tsl_mpi_release(tsl_mpi_comm *c)
{
    if (c == NULL) {
        return;
    }
    tsl_mpi_close_device(c);
    if (c->mpi != MPI_COMM_NULL) {
        MPI_Comm_free(&c->mpi);
    }
    tsl_release(c->records);
    tsl_release(c->farewells);
    tsl_release(c->requests);
    tsl_release(c->statuses);
    tsl_release(c->expected);
    tsl_release(c->scratch);
    tsl_release(c->pairs);
    tsl_release(c->device.sizes);
    tsl_release(c->device.agreed);
    tsl_release(c);
}

static void stop_mpi(tsl_mpi_job *job)
{
    if (job->counter_comm != MPI_COMM_NULL) {
        MPI_Comm_free(&job->counter_comm);
    }
    if (job->started) {
        MPI_Finalize();
    }
    tsl_release(job->drain);
    tsl_release(job);
}

void tsl_mpi_destroy(tsl_comm *comm)
{
    tsl_mpi_comm *c = tsl_mpi_of(comm);
    if (comm->root != comm) {
        /* Farewells may still have to be said in it, and MPI_Comm_free() is collective: at the end,
         * in the order in which they were made. */
        return;
    }
    tsl_mpi_job *job = c->job;
    tsl_mpi_end(comm);
    if (comm->rank == 0) {
        tsl_mpi_serve_no_more(job);
    }
    for (tsl_mpi_comm *at = job->first; at != NULL;) {
        tsl_mpi_comm *next = at->next;
        tsl_mpi_release(at);
        at = next;
    }
    stop_mpi(job);
}

/* MPI as the program left it, or started here. */
static const char *start_mpi(tsl_mpi_job *job)
{
    int initialized = 0, finalized = 0;
    MPI_Finalized(&finalized);
    if (finalized) {
        return "MPI has been ended; it starts once in a process";
    }
    MPI_Initialized(&initialized);
    if (initialized) {
        MPI_Query_thread(&job->level);
    } else if (MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &job->level) != MPI_SUCCESS) {
        return "MPI_Init_thread() failed";
    }
    job->started = !initialized;
    MPI_Comm_dup(MPI_COMM_WORLD, &job->counter_comm);
    MPI_Comm_set_errhandler(job->counter_comm, MPI_ERRORS_RETURN);
    return NULL;
}

/* All processes get TSL_OK, or all fail: nobody must wait for one that could not. */
static tsl_status make_root(tsl_comm **out, tsl_mpi_job *job, char *reason, size_t bytes)
{
    int rank = 0, size = 0;
    MPI_Comm_rank(job->counter_comm, &rank);
    MPI_Comm_size(job->counter_comm, &size);
    tsl_mpi_comm *root = tsl_mpi_make(job, NULL, rank, size);
    job->drain_bytes = size * (int)sizeof(tsl_mpi_record) + (int)sizeof(tsl_mpi_off);
    job->drain = tsl_allocate((size_t)job->drain_bytes);
    int made = root != NULL && job->drain != NULL && (rank != 0 || tsl_mpi_serve(job) == TSL_OK);
    int all_made = 0;
    MPI_Allreduce(&made, &all_made, 1, MPI_INT, MPI_MIN, job->counter_comm);
    if (!all_made) {
        if (rank == 0 && made) {
            tsl_mpi_serve_no_more(job);
        }
        snprintf(reason, bytes, "%s",
                 made ? "another rank is out of memory"
                      : "out of memory: cannot make a communicator");
        tsl_mpi_release(root);
        return TSL_E_NOMEM;
    }
    MPI_Comm_dup(job->counter_comm, &root->mpi);
    MPI_Comm_set_errhandler(root->mpi, MPI_ERRORS_RETURN);
    job->first = root;
    job->last = root;
    *out = &root->comm;
    return TSL_OK;
}

#define DOOR __attribute__((visibility("default")))

DOOR const char *tsl_comm_mpi_library(void);

const char *tsl_comm_mpi_library(void)
{
    static char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    MPI_Get_library_version(text, &length);
    text[strcspn(text, ",\n")] = '\0'; /* the rest is how it was built */
    return text;
}

DOOR tsl_status tsl_comm_mpi_create(tsl_comm **out, const char *interface, const tsl_host *host,
                                    char *reason, size_t bytes);

tsl_status tsl_comm_mpi_create(tsl_comm **out, const char *interface, const tsl_host *host,
                               char *reason, size_t bytes)
{
    if (strcmp(interface, TSL_INTERFACE) != 0) {
        snprintf(reason, bytes,
                 TSL_COMM_MPI_FILE " belongs to tesela " TSL_INTERFACE
                                   ", this is %s: build or install both together",
                 interface);
        return TSL_E_COMM;
    }
    library = host;
    tsl_mpi_job *job = tsl_allocate_zeroed(1, sizeof *job);
    if (job == NULL) {
        snprintf(reason, bytes, "out of memory: cannot make a communicator");
        return TSL_E_NOMEM;
    }
    job->counter_comm = MPI_COMM_NULL;
    const char *refusal = start_mpi(job);
    if (refusal != NULL) {
        snprintf(reason, bytes, "%s", refusal);
        tsl_release(job);
        return TSL_E_COMM;
    }
    const tsl_status status = make_root(out, job, reason, bytes);
    if (status != TSL_OK) {
        stop_mpi(job);
    }
    return status;
}
