/* What ranks are tested with, however they reach each other: each case is run by all ranks of a
 * communicator and compares with plain code. A check that fails is published as the rank's failure,
 * so that the others stop too. */
#ifndef TSL_TESTS_COMM_CASES_H
#define TSL_TESTS_COMM_CASES_H

#include "comm/comm.h"
#include "comm/gpu/nccl.h"

/* A rank checks this. */
#define CHECK(comm, condition)                                                                     \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            return comm_check_failed(comm, __FILE__, __LINE__, #condition);                        \
        }                                                                                          \
    } while (0)

tsl_status comm_check_failed(tsl_comm *comm, const char *file, int line, const char *condition);

enum { COMM_PIECES = 1024 };

/* What a case has taken; released after it, so that a check may fail anywhere. */
typedef struct comm_memory {
    int count;
    void *pieces[COMM_PIECES];
} comm_memory;

typedef struct comm_case {
    const char *name;
    tsl_status (*run)(tsl_comm *comm, comm_memory *memory, uint64_t seed);
} comm_case;

extern const comm_case comm_cases[];
extern const int comm_case_count;

/* Run all cases. */
tsl_status comm_run_cases(tsl_comm *comm, uint64_t seed);

/* Go through a cycle of all operations, in the whole communicator and in halves of it, up to
 * `count` of them. Returns the first status that is not TSL_OK. */
tsl_status comm_cycle(tsl_comm *comm, int count);

/* Rank `failing` publishes a failure in place of its operation number `at` of the cycle; all others
 * must get TSL_E_COMM with its line within a few operations more, and ever after. Returns TSL_OK if
 * they do. On memory of `context`; NULL: the host's. */
tsl_status comm_fail_at(tsl_comm *comm, tsl_context *context, int failing, int at);

/* What a rank on device memory does by the name of the test, the first of two to four arguments:
 * "large KIND PATH", "sizes KIND", "fail KIND RANK AT", "broken KIND AT", "nccl KIND BROKEN",
 * "memory KIND K", "shared KIND", "aware KIND". */
tsl_status comm_on_device(tsl_comm *comm, int argc, char **argv);

/* What NCCL promises, of sim: by host memory and the communicator `by`, of the same ranks. */
extern const tsl_nccl_ops comm_fake_nccl;
/* Rank 0's operation number `broken` of it fails; -1: none does. */
void comm_begin_fake_nccl(tsl_comm *by, int broken);
/* Operations of this rank since then. */
int comm_fake_nccl_messages(void);

/* What a process that mpirun has started does, by the name of the test; the exit status. */
int comm_launched(int argc, char **argv);

/* The reason rank `failing` gives. */
#define COMM_REASON "1ABC.pdb:17: no such atom"

/* Number of operations after which a cycle begins again. */
enum { COMM_CYCLE = 12 };

#endif
