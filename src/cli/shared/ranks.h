/* Commands that run on several ranks. */
#ifndef TSL_CLI_RANKS_H
#define TSL_CLI_RANKS_H

#include "cli/shared/cli.h"
#include "tesela/comm.h"

/* ---- starting ranks ----------------------------------------------------------------------- */

/* Is this process one of an MPI launch? */
bool cli_is_launched(void);

/* Does this process speak for its MPI launch before the ranks have met? The only process always
 * does. */
bool cli_is_leader(void);
/* Returns the status of a command line that was refused. A launcher ends all processes when the
 * first has ended, so silent processes wait until the leader's line is out. If they have not been
 * ended by then, the leader had nothing to refuse, and they print their own line. */
int cli_refused(int exit_status);

/* Is this process the only one, as a command on one device demands? If not, the leader of the
 * launch prints that, as by cli_refused(). */
bool cli_is_alone(const char *command);

/* Number of ranks for a list of devices, "cuda:0-3" or "cuda:0,cpu": one each; auto: one for each
 * GPU, but at least one. */
int cli_device_count(const char *list);
/* Number of ranks for a list of devices, one each; auto: one. */
int cli_rank_count(const char *list);
/* Writes the device of a rank into `name`; ranks go round the list. */
void cli_device_name(char *name, size_t bytes, const char *list, int rank);

/* Runs `function` on the ranks of the MPI launch, or else on `ranks` threads. A failure is printed
 * once, by the rank that failed, and all ranks return its exit status. A launch is refused if the
 * command lines of its ranks differ in more than cli_list_rank_options(). */
int cli_run_ranks(int ranks, const cli_common *common, tsl_rank_function function, void *user);

/* ---- what a rank has ---------------------------------------------------------------------- */

/* The device and threads that a rank computes with. */
typedef struct cli_placement {
    char device[64];
    char model[128]; /* "NVIDIA H200"; "": the device does not say */
    char host[64];
    int threads; /* CPU threads */
} cli_placement;

/* Finds where this rank computes. A host's ranks go round the list of devices. Ranks on the CPU
 * share the processors they may run on, less one for each rank on a GPU; where all are on GPUs,
 * they share the processors. --threads or OMP_NUM_THREADS say instead how many a rank takes. A
 * single rank takes what is asked for. Collective. Errors are published. */
tsl_status cli_place_rank(cli_placement *out, tsl_comm *comm, const cli_common *common);

/* Takes the placement's device, model and threads from the context. */
void cli_placement_take_device(cli_placement *placement, const tsl_context *context);

/* The communicator, context and placements that a rank of a command works with. */
typedef struct cli_rank_group {
    tsl_comm *comm;
    tsl_context *context;
    int rank, ranks;           /* rank 0 prints, and writes the results */
    cli_placement *placements; /* [ranks] */
    char *devices;             /* devices of all ranks: "cuda:0,cuda:1,cpu" */
} cli_rank_group;

/* Finds a placement, opens its device, and tells all ranks what each computes with; where there are
 * several, rank 0 prints that. Call cli_rank_group_close() whatever the outcome. Collective. Errors
 * are published. */
tsl_status cli_rank_group_open(cli_rank_group *out, tsl_comm *comm, const cli_common *common);
void cli_rank_group_close(cli_rank_group *group);

/* ---- what ranks agree on ------------------------------------------------------------------ */

/* Agrees on whether all ranks are well. `status` is this rank's, with the context's error. If any
 * rank has failed, all return the status of the first of them, with its line in their contexts;
 * being cancelled counts only where nothing else is wrong. A signal to one is a signal to all. The
 * communicator can still be used. Collective; a rank whose `status` is TSL_E_COMM knows of a
 * failure that was published, and does not wait. */
tsl_status cli_agree(tsl_context *context, tsl_status status);

/* Agrees as cli_agree() does, after work that each rank did by itself, perhaps for long. In a
 * launch, whose processes may see different files and have memory of their own, a rank that has
 * failed publishes it, rank 0 at once, others a second later: ranks that call tsl_comm_check() hear
 * of it. */
tsl_status cli_agree_apart(tsl_context *context, tsl_status status);

/* Does this rank have the same digest as rank 0? Collective. */
tsl_status cli_compare(tsl_comm *comm, const char digest[65], bool *same);

/* Gathers records of all ranks, `bytes` each, into all[size]. TSL_OK or TSL_E_COMM. Collective. */
tsl_status cli_gather(tsl_comm *comm, void *all, const void *mine, int64_t bytes);

#endif
