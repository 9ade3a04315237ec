/* Is this process one of an MPI launch? */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comm/plugin.h"
#include "core/module.h"
#include "device/interface.h"

const char *tsl_comm_launch_variable(void)
{
    /* Open MPI, PMIx (Slurm, PRRTE), PMI (MPICH, Intel MPI, Slurm), MVAPICH2. */
    static const char *const variables[] = {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK",
                                            "PMI_SIZE", "MV2_COMM_WORLD_SIZE"};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *value = getenv(variables[i]);
        if (value != NULL && value[0] != '\0') {
            return variables[i];
        }
    }
    return NULL;
}

const char *tsl_comm_mpi_library(void)
{
    char reason[512];
    tsl_comm_mpi_library_function function = NULL;
    *(void **)&function =
        tsl_module_open(TSL_COMM_MPI_FILE, TSL_COMM_MPI_LIBRARY_ENTRY, true, reason, sizeof reason);
    return function != NULL ? function() : NULL;
}

/* A launcher that is not of this MPI starts processes that know nothing of each other, each of
 * which would do all the work. So does srun whose --mpi is none, or not for this MPI. (Of Slurm's
 * other variables some are set in any allocation.) */
const char *tsl_comm_launched_size(void)
{
    static const char *const variables[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE",
                                            "MV2_COMM_WORLD_SIZE", TSL_COMM_STEP_SIZE};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *value = getenv(variables[i]);
        if (value != NULL && value[0] != '\0') { /* others may be left of a launcher around this */
            return strtol(value, NULL, 10) > 1 ? variables[i] : NULL;
        }
    }
    return NULL;
}

tsl_status tsl_comm_check_alone(void)
{
    const char *variable = tsl_comm_launched_size();
    if (variable == NULL) {
        return TSL_OK;
    }
    const char *library = tsl_comm_mpi_library();
    return tsl_fail(NULL, TSL_E_COMM, "%s is %s, but to %s this process is alone: %s", variable,
                    getenv(variable), library != NULL ? library : "MPI",
                    strcmp(variable, TSL_COMM_STEP_SIZE) == 0
                        ? "start it with srun --mpi=pmix (srun --mpi=list tells which there are) "
                          "or mpirun; where processes are to be on their own, unset that variable"
                        : "start it with the mpirun of that MPI, or build with the one whose "
                          "mpirun this is");
}

static tsl_status check_size(tsl_comm **made)
{
    const tsl_status status = tsl_comm_size(*made) > 1 ? TSL_OK : tsl_comm_check_alone();
    if (status != TSL_OK) {
        tsl_comm_destroy(*made);
        *made = NULL;
    }
    return status;
}

tsl_status tsl_comm_create(tsl_comm **out)
{
    const char *variable = tsl_comm_launch_variable();
    if (variable == NULL) {
        const tsl_status alone = tsl_comm_check_alone();
        return alone == TSL_OK ? tsl_comm_create_self(out) : alone;
    }
    static const tsl_host host = {
        .allocate = tsl_allocate, .allocate_zeroed = tsl_allocate_zeroed, .release = tsl_release};
    char reason[512];
    tsl_comm_mpi_function create = NULL;
    *(void **)&create =
        tsl_module_open(TSL_COMM_MPI_FILE, TSL_COMM_MPI_ENTRY, true, reason, sizeof reason);
    const tsl_status status =
        create != NULL ? create(out, TSL_INTERFACE, &host, reason, sizeof reason) : TSL_E_COMM;
    return status == TSL_OK ? check_size(out)
                            : tsl_fail(NULL, status,
                                       "%s is set, so this is a rank of an MPI launch, but MPI "
                                       "cannot be used: %s",
                                       variable, reason);
}
