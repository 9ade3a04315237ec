/** @file comm.h
 *  Communicators: the ranks that work together, and how a failure of one reaches the others.
 *
 *  Ranks are the processes of an MPI launch or the threads of one process. A process may also be
 *  the only rank. Each rank has its own tsl_comm. A context made with it (tsl_context_options.comm)
 *  belongs to that rank. Solvers called with such a context work together: all ranks call the same
 *  functions in the same order.
 *
 *  **Errors reach all ranks.** A rank that fails publishes its reason with tsl_comm_fail(). From
 *  then on every communication of the other ranks returns TSL_E_COMM with the line "rank 2: the
 *  reason". This holds for calls that are already waiting, for later calls and for
 *  sub-communicators. Nobody hangs. If several ranks fail, the first failure counts.
 */
#ifndef TESELA_COMM_H
#define TESELA_COMM_H

#include "tesela/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** One rank's end of a communicator. One thread uses it at a time. */
typedef struct tsl_comm tsl_comm;

/** Make the communicator of this process: all processes of the MPI launch that started it, or,
 *  without a launch, this process alone.
 *
 *  A launch is recognised by the environment variables that launchers set: OMPI_COMM_WORLD_SIZE,
 *  PMI_SIZE, PMIX_RANK, MV2_COMM_WORLD_SIZE. A Slurm allocation alone is not a launch. MPI is
 *  opened at run time (libtesela_mpi.so). If that fails, the call fails: the process does not go on
 *  alone. The call also fails where the launcher (one of the above, or srun by
 *  SLURM_STEP_NUM_TASKS) says that it started several processes but MPI finds only one. Then the
 *  launcher belongs to another MPI, or srun runs with --mpi=none. If the program has called
 *  MPI_Init_thread() itself, MPI stays open. Otherwise this function starts MPI and
 *  tsl_comm_destroy() ends it.
 *
 *  GPU memory is exchanged between processes by the first of these ways that all ranks support:
 *  NCCL, where each rank has a GPU of its own; MPI, if it says that it accepts device memory; MPI
 *  through pinned host memory. With NCCL, operations in which no rank sends or receives more than
 *  32 KiB still go through pinned host memory, because that is faster. The context's `message`
 *  function is told the choice and its reason. The environment variable TESELA_MPI_PATH chooses a
 *  way: nccl, cuda-aware, staged or auto. It must be the same on all ranks. A way that was named
 *  but is not available is an error. Results have the same bits by every way.
 *
 *  @param[out] out  the new communicator, owned by the caller: tsl_comm_destroy()
 *  @return TSL_OK; TSL_E_COMM if there is a launch and MPI cannot be used; TSL_E_NOMEM. The reason
 *          is in tsl_last_error(NULL).
 *
 *  Collective over the launch. */
TSL_API tsl_status tsl_comm_create(tsl_comm **out);

/** Release a communicator. NULL is allowed. Contexts, plans and sub-communicators made with it must
 *  be destroyed before. Collective over an MPI launch: it waits for the other ranks, unless a rank
 *  has failed.
 */
TSL_API void tsl_comm_destroy(tsl_comm *comm);

/** This rank's number, 0 <= rank < tsl_comm_size(). */
TSL_API int tsl_comm_rank(const tsl_comm *comm);

/** Number of ranks, >= 1. */
TSL_API int tsl_comm_size(const tsl_comm *comm);

/** How ranks reach each other: "self", "threads" or "mpi". The string is static. */
TSL_API const char *tsl_comm_path(const tsl_comm *comm);

/** Divide a communicator. Ranks that give the same colour form a new communicator. In it they are
 *  ordered by key, and for equal keys by their old rank.
 *
 *  @param[out] out     the new communicator, owned by the caller; NULL for a negative colour
 *  @param[in]  colour  >= 0; negative: this rank joins no new communicator
 *  @param[in]  key     any
 *  @return TSL_OK; TSL_E_COMM; TSL_E_NOMEM on the rank that lacks memory, TSL_E_COMM on the others.
 *
 *  Collective: all ranks of `comm` call it. */
TSL_API tsl_status tsl_comm_split(tsl_comm **out, tsl_comm *comm, int colour, int key);

/** Tell all ranks that this rank cannot go on. Ranks outside of a sub-communicator are told too.
 *  The call does nothing if a rank has failed before.
 *
 *  @param[in] status  what is wrong, < 0
 *  @param[in] reason  one line, cut after 900 characters
 *  @return `status`
 *
 *  Not collective; does not wait. Memory used by this rank's communication must stay valid until
 *  that communication has returned. */
TSL_API tsl_status tsl_comm_fail(tsl_comm *comm, tsl_status status, const char *reason);

/** End the common work of the ranks. Waits for all of them, also after a failure. If several ranks
 *  of an MPI launch failed at the same time, from here on all ranks report the failure of the
 *  lowest one. Afterwards only tsl_comm_failure() and tsl_comm_destroy() may be called.
 *  tsl_comm_destroy() calls this function if the caller has not.
 *
 *  Collective over an MPI launch. Ranks that are threads need not wait. */
TSL_API void tsl_comm_end(tsl_comm *comm);

/** The failure that counts, as far as this rank knows. Does not wait for the other ranks.
 *
 *  @param[out] rank    the rank that failed, as numbered in the communicator that all others were
 *                      split from; may be NULL
 *  @param[out] status  the status it failed with; may be NULL
 *  @return the reason, owned by the communicator; NULL if no rank has failed: the output arguments
 *          are then untouched */
TSL_API const char *tsl_comm_failure(tsl_comm *comm, int *rank, tsl_status *status);

/** The work of one rank. If it returns a status other than TSL_OK, this is published as the rank's
 *  failure, with the name of the status as the reason. If the rank has called tsl_comm_fail(), the
 *  reason given there is kept. `comm` belongs to the caller. */
typedef tsl_status (*tsl_rank_function)(tsl_comm *comm, void *user);

/** Run `function` on `ranks` ranks that are threads of this process. The calling thread is rank 0.
 *  Returns when all ranks have ended. On GPUs the kernels of different ranks wait for each other.
 *  Until the call returns, no other thread may therefore release GPU memory or destroy a context on
 *  a GPU.
 *
 *  @param[in] ranks  1 <= ranks <= 1024
 *  @param[in] user   passed to each rank
 *  @return TSL_OK if all ranks returned TSL_OK; otherwise the status of the rank that failed first,
 *          with "rank 2: the reason" in tsl_last_error(NULL); TSL_E_ARG; TSL_E_NOMEM. */
TSL_API tsl_status tsl_comm_run(int ranks, tsl_rank_function function, void *user);

#ifdef __cplusplus
}
#endif

#endif
