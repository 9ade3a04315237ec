/* Commands that run on several ranks. */
#ifndef TSL_CLI_RANKS_H
#define TSL_CLI_RANKS_H

#include "cli/cli.h"
#include "tesela/comm.h"

/* Is this process one of an MPI launch? */
bool cli_is_launched(void);

/* Run `function` on the ranks of the MPI launch, or else on `ranks` threads. A failure is printed
 * once, by the rank that failed, and all ranks return its exit status. */
int cli_run_ranks(int ranks, tsl_rank_function function, void *user);

/* A list of devices, "cuda:0-3" or "cuda:0,cpu": the number in it; `name` becomes that of a rank,
 * who go round the list. */
int cli_devices(const char *list, int rank, char *name, size_t bytes);

#endif
