/* What a rank of an MPI launch does in tests/mpi/test_mpi.sh. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comm/cases.h"

/* "cases SEED" */
static tsl_status run_cases(tsl_comm *comm, char **argv)
{
    return comm_run_cases(comm, strtoull(argv[0], NULL, 10));
}

/* "fail RANK AT", and the exit status is 0 if all ranks ended as they should. */
static tsl_status run_failure(tsl_comm *comm, char **argv)
{
    return comm_fail_at(comm, NULL, atoi(argv[0]), atoi(argv[1]));
}

/* "kill RANK AT" */
static tsl_status run_killed(tsl_comm *comm, char **argv)
{
    if (comm->rank != atoi(argv[0])) {
        return comm_cycle(comm, 1000000);
    }
    comm_cycle(comm, atoi(argv[1]));
    raise(SIGKILL);
    return TSL_OK;
}

/* "early RANK": one rank ends while the others count on it. */
static tsl_status run_early(tsl_comm *comm, char **argv)
{
    if (comm->rank == atoi(argv[0])) {
        return TSL_OK;
    }
    const bool told = tsl_comm_barrier(comm) == TSL_E_COMM &&
                      strstr(tsl_last_error(NULL), "ranks are at odds: ") != NULL;
    return told ? TSL_OK : TSL_E_INTERNAL;
}

/* "count RANK": one rank fails while the others do nothing but count. */
static tsl_status run_counting(tsl_comm *comm, char **argv)
{
    const bool fails = comm->rank == atoi(argv[0]);
    const int64_t add[TSL_COUNTERS] = {1};
    int64_t before[TSL_COUNTERS];
    tsl_counters *counters = NULL;
    tsl_status status = tsl_counters_create(&counters, comm);
    if (status == TSL_OK && fails) {
        status = tsl_comm_fail(comm, TSL_E_IO, COMM_REASON);
    }
    while (status == TSL_OK) {
        status = tsl_counters_add(counters, add, before);
    }
    tsl_counters_destroy(counters);
    return status == (fails ? TSL_E_IO : TSL_E_COMM) ? TSL_OK : TSL_E_INTERNAL;
}

/* "hear RANK": one rank fails while the others are at work by themselves, and look around. */
static tsl_status run_hearing(tsl_comm *comm, char **argv)
{
    const double begun = tsl_seconds();
    if (comm->rank == atoi(argv[0])) {
        return tsl_comm_fail(comm, TSL_E_IO, COMM_REASON) == TSL_E_IO ? TSL_OK : TSL_E_INTERNAL;
    }
    tsl_status status = TSL_OK;
    while (status == TSL_OK && tsl_seconds() - begun < 30) {
        status = tsl_comm_check(comm);
    }
    return status == TSL_E_COMM && strstr(tsl_last_error(NULL), COMM_REASON) != NULL
               ? TSL_OK
               : TSL_E_INTERNAL;
}

/* "sizes": rank 0 expects less than rank 1 sends; that is found out, and nobody hangs. */
static tsl_status run_sizes(tsl_comm *comm, char **argv)
{
    (void)argv;
    static char data[2000000];
    const int64_t bytes = comm->rank == 0 ? 999999 : 1000000;
    const tsl_comm_pair pair = {.peer = comm->rank ^ 1,
                                .send = data,
                                .send_bytes = bytes,
                                .receive = data + 1000000,
                                .receive_bytes = bytes};
    tsl_status status = tsl_comm_exchange(comm, NULL, comm->rank < 2, &pair);
    status = status == TSL_OK ? tsl_comm_barrier(comm) : status;
    return status == TSL_E_COMM && strstr(tsl_last_error(NULL), "size") != NULL ? TSL_OK
                                                                                : TSL_E_INTERNAL;
}

int comm_launched(int argc, char **argv)
{
    static const struct {
        const char *name;
        int arguments;
        tsl_status (*run)(tsl_comm *comm, char **argv);
    } modes[] = {{"cases", 1, run_cases}, {"fail", 2, run_failure},   {"kill", 2, run_killed},
                 {"early", 1, run_early}, {"count", 1, run_counting}, {"hear", 1, run_hearing},
                 {"sizes", 0, run_sizes}};
    tsl_comm *comm = NULL;
    if (tsl_comm_create(&comm) != TSL_OK) {
        fprintf(stderr, "%s\n", tsl_last_error(NULL));
        return 3;
    }
    tsl_status status = TSL_E_ARG;
    if (strcmp(argv[0], "device") == 0) {
        status = comm_on_device(comm, argc - 1, argv + 1);
    }
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        if (strcmp(modes[i].name, argv[0]) == 0 && modes[i].arguments == argc - 1) {
            status = strcmp(tsl_comm_path(comm), "mpi") == 0 ? modes[i].run(comm, argv + 1)
                                                             : TSL_E_INTERNAL;
        }
    }
    if (status != TSL_OK) {
        fprintf(stderr, "rank %d: %s: %s\n", tsl_comm_rank(comm), argv[0], tsl_last_error(NULL));
        tsl_comm_fail(comm, status, tsl_last_error(NULL));
    }
    tsl_comm_destroy(comm);
    return status == TSL_OK ? 0 : 1;
}
