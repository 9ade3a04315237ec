/* The door of the MPI plug-in. */
#ifndef TSL_COMM_PLUGIN_H
#define TSL_COMM_PLUGIN_H

#include "comm/comm.h"
#include "device/plugin.h"

/* Start MPI, or join what the program has started, and make a communicator of all its processes.
 * `interface` is the library's TSL_INTERFACE, `host` its memory. On failure `reason` has the line.
 */
typedef tsl_status (*tsl_comm_mpi_function)(tsl_comm **out, const char *interface,
                                            const tsl_host *host, char *reason, size_t bytes);

/* Name and version of the MPI library; MPI need not be running. */
typedef const char *(*tsl_comm_mpi_library_function)(void);

/* Environment variable by which the user says how device memory is to travel; see
 * include/tesela/comm.h. */
#define TSL_COMM_PATH_VARIABLE "TESELA_MPI_PATH"

/* What it may ask for (ways.c). */
typedef enum tsl_comm_way {
    TSL_COMM_AUTO,
    TSL_COMM_NCCL,
    TSL_COMM_AWARE,
    TSL_COMM_STAGED,
    TSL_COMM_WAYS
} tsl_comm_way;

/* Their names, for people. */
#define TSL_COMM_WAY_LIST "nccl, cuda-aware, staged or auto"

const char *tsl_comm_way_name(tsl_comm_way way);

/* TSL_COMM_WAYS: none of that name. */
tsl_comm_way tsl_comm_way_of(const char *name);

#define TSL_COMM_MPI_FILE "libtesela_mpi.so"
#define TSL_COMM_MPI_ENTRY "tsl_comm_mpi_create"
#define TSL_COMM_MPI_LIBRARY_ENTRY "tsl_comm_mpi_library"

/* The launcher's variable that says that this process is one of an MPI launch; NULL: it is not. */
const char *tsl_comm_launch_variable(void);

/* srun's variable: of how many processes, MPI's or not, this is one. */
#define TSL_COMM_STEP_SIZE "SLURM_STEP_NUM_TASKS"

/* The launcher's variable that says that this process is one of several; NULL: it is not. */
const char *tsl_comm_launched_size(void);

/* To be asked of a process that is alone: TSL_E_COMM, with the remedy, if its launcher has started
 * several. */
tsl_status tsl_comm_check_alone(void);

/* The MPI library that launches would be run with, e.g. "Open MPI v4.1.4"; NULL: there is no
 * plug-in, or it cannot be opened. Does not start MPI. */
const char *tsl_comm_mpi_library(void);

#endif
