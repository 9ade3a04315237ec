/** @file comm.h
 *  Communicators: the ranks that work together, and what becomes of the others when one fails.
 *
 *  Ranks are the processes of an MPI launch, or threads of one process, or there is only one. Each
 *  rank has a tsl_comm of its own, and a context made with it (tsl_context_options.comm) belongs to
 *  that rank. Solvers called with such a context work together: all ranks call the same functions
 *  in the same order.
 *
 *  **Errors travel.** A rank that fails publishes its reason with tsl_comm_fail(). From then on
 *  whatever the other ranks wait for in communication, and all their later communication, in
 *  sub-communicators too, returns TSL_E_COMM with the line "rank 2: the reason". Nobody hangs. The
 *  first failure stands.
 */
#ifndef TESELA_COMM_H
#define TESELA_COMM_H

#include "tesela/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** One rank's end of a communicator. One thread uses it at a time. */
typedef struct tsl_comm tsl_comm;

/** The communicator of this process: all processes of the MPI launch it was started by, else this
 *  process alone.
 *
 *  A launch is known by the variables that launchers set (OMPI_COMM_WORLD_SIZE, PMI_SIZE,
 *  PMIX_RANK, MV2_COMM_WORLD_SIZE); a Slurm allocation alone is none. MPI is then opened at run
 *  time (libtesela_mpi.so); there is no working on alone when that fails, nor where the launcher
 *  (the above, or SLURM_STEP_NUM_TASKS of srun) says that it started several and MPI knows of one:
 *  the launcher is of another MPI, or srun's --mpi is none. A program that has called
 *  MPI_Init_thread() itself keeps MPI; otherwise it is started here and ended by
 *  tsl_comm_destroy().
 *
 *  Memory of GPUs travels between processes by the first of these that all ranks can have: NCCL,
 *  where each rank has a GPU of its own; MPI, if it says that it takes device memory; pinned host
 *  memory and MPI. The last goes beside NCCL for operations in which no rank sends or receives more
 *  than 32 KiB: it is faster there. The choice is told with its reason through a context's
 *  `message`. The environment variable TESELA_MPI_PATH, the same on all ranks, asks for one:
 *  nccl, cuda-aware, staged or auto; what was asked for by name and cannot be had is an error.
 *  Results are the same, to the bit, whatever the way.
 *
 *  @param[out] out  the new communicator, owned by the caller: tsl_comm_destroy()
 *  @return TSL_OK; TSL_E_COMM if there is a launch and MPI cannot be used; TSL_E_NOMEM. The reason
 *          is in tsl_last_error(NULL).
 *
 *  Collective over the launch. */
TSL_API tsl_status tsl_comm_create(tsl_comm **out);

/** Release a communicator; NULL is fine. Contexts, plans and sub-communicators made with it must be
 *  destroyed before. Collective over an MPI launch unless a rank has failed: waits for the others.
 */
TSL_API void tsl_comm_destroy(tsl_comm *comm);

/** This rank's number, 0 <= rank < tsl_comm_size(). */
TSL_API int tsl_comm_rank(const tsl_comm *comm);

/** Number of ranks, >= 1. */
TSL_API int tsl_comm_size(const tsl_comm *comm);

/** How ranks reach each other: "self", "threads" or "mpi". The string is static. */
TSL_API const char *tsl_comm_path(const tsl_comm *comm);

/** Divide a communicator: ranks that give the same colour make up a new one, ranked by key, then by
 *  their old rank.
 *
 *  @param[out] out     the new communicator, owned by the caller; NULL for a negative colour
 *  @param[in]  colour  >= 0, or negative: no part in any
 *  @param[in]  key     any
 *  @return TSL_OK; TSL_E_COMM; TSL_E_NOMEM, which the other ranks get as TSL_E_COMM.
 *
 *  Collective: all ranks of `comm` call it. */
TSL_API tsl_status tsl_comm_split(tsl_comm **out, tsl_comm *comm, int colour, int key);

/** Tell all ranks, those outside of a sub-communicator included, that this one cannot go on. Does
 *  nothing if a rank has failed before.
 *
 *  @param[in] status  what is wrong, < 0
 *  @param[in] reason  one line, cut after 900 characters
 *  @return `status`
 *
 *  Not collective; does not wait. The memory that communication of this rank uses must stay until
 *  that communication has returned. */
TSL_API tsl_status tsl_comm_fail(tsl_comm *comm, tsl_status status, const char *reason);

/** Come to the end of what ranks do together: waits for all of them, also after a failure. If
 *  several ranks of an MPI launch failed at the same time, the lowest one's failure stands on all
 *  from here on. After it only tsl_comm_failure() and tsl_comm_destroy(), which calls it if
 *  nobody has.
 *
 *  Collective over an MPI launch; ranks that are threads need not wait. */
TSL_API void tsl_comm_end(tsl_comm *comm);

/** The failure that stands, as far as this rank can hear of it: does not wait for the others.
 *
 *  @param[out] rank    who failed, as numbered in the communicator that all others were split from;
 *                      may be NULL
 *  @param[out] status  the status it failed with; may be NULL
 *  @return its reason, owned by the communicator; NULL while no rank has failed, and the output
 *          arguments are untouched */
TSL_API const char *tsl_comm_failure(tsl_comm *comm, int *rank, tsl_status *status);

/** What a rank does. A status other than TSL_OK is published as this rank's failure, with the
 *  status's name as reason, unless it has called tsl_comm_fail(). `comm` belongs to the caller. */
typedef tsl_status (*tsl_rank_function)(tsl_comm *comm, void *user);

/** Run `function` on `ranks` ranks that are threads of this process; the calling thread is rank 0.
 *  Returns when all have ended. Where ranks have GPUs, their kernels wait for each other: until it
 *  returns no other thread may release GPU memory, or end a context on a GPU.
 *
 *  @param[in] ranks  1 <= ranks <= 1024
 *  @param[in] user   passed to each rank
 *  @return TSL_OK if all ranks returned that; else the status of the rank that failed first, with
 *          "rank 2: the reason" in tsl_last_error(NULL); TSL_E_ARG; TSL_E_NOMEM. */
TSL_API tsl_status tsl_comm_run(int ranks, tsl_rank_function function, void *user);

#ifdef __cplusplus
}
#endif

#endif
