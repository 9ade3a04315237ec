/* Commands that run on several ranks. */
#ifndef TSL_CLI_RANKS_H
#define TSL_CLI_RANKS_H

#include "cli/shared/cli.h"
#include "tesela/comm.h"

/* ---- starting ranks ----------------------------------------------------------------------- */

/* Is this process one of an MPI launch? */
bool cli_is_launched(void);

/* Is this process the one of its MPI launch, or its only one, that speaks for all before they have
 * met? */
bool cli_is_leader(void);
/* Returns the status of a command line that was refused. A launcher ends all processes when the
 * first has ended: those that were silent wait, so that the leader's line comes out. If none has
 * ended them by then the leader had nothing to refuse, and they say their own. */
int cli_refused(int exit_status);

/* Is this process the only one, as a command on one device must be? If not, the leader of the
 * launch says so: cli_refused(). */
bool cli_is_alone(const char *command);

/* Number of ranks that a list of devices asks for: "cuda:0-3" or "cuda:0,cpu", one each; auto: one
 * for each GPU, at least one. */
int cli_device_count(const char *list);
/* Likewise, but auto: one. */
int cli_rank_count(const char *list);
/* The device of the rank of that number into `name`; ranks go round the list. */
void cli_device_name(char *name, size_t bytes, const char *list, int rank);

/* Run `function` on the ranks of the MPI launch, or else on `ranks` threads. A failure is printed
 * once, by the rank that failed, and all ranks return its exit status. Ranks of a launch whose
 * command lines differ by more than cli_list_rank_options() are refused. */
int cli_run_ranks(int ranks, const cli_common *common, tsl_rank_function function, void *user);

/* ---- what a rank has ---------------------------------------------------------------------- */

/* What a rank computes with. */
typedef struct cli_placement {
    char device[64];
    char model[128]; /* "NVIDIA H200"; "": the device does not say */
    char host[64];
    int threads; /* CPU threads */
} cli_placement;

/* Find where this rank computes. A host's ranks go round the list of devices, and those on its CPU
 * share the processors they may run on, less one for each rank on a GPU, or the ranks on GPUs do if
 * there are no others, unless --threads or OMP_NUM_THREADS says how many a rank takes. A rank alone
 * takes what is asked for.
 *
 * Collective. Errors are published. */
tsl_status cli_place_rank(cli_placement *out, tsl_comm *comm, const cli_common *common);

/* The placement's device, its model and threads are the context's. */
void cli_placement_take_device(cli_placement *placement, const tsl_context *context);

/* What the ranks of a command work with, each its own. */
typedef struct cli_rank_group {
    tsl_comm *comm;
    tsl_context *context;
    int rank, ranks;           /* rank 0 prints, and writes the results */
    cli_placement *placements; /* [ranks] */
    char *devices;             /* "cuda:0,cuda:1,cpu": those of all ranks */
} cli_rank_group;

/* Find a placement, open its device, and let all know what each computes with; rank 0 says it where
 * there are several. cli_rank_group_close() is to be called whatever becomes of it.
 *
 * Collective. Errors are published. */
tsl_status cli_rank_group_open(cli_rank_group *out, tsl_comm *comm, const cli_common *common);
void cli_rank_group_close(cli_rank_group *group);

/* ---- what ranks agree on ------------------------------------------------------------------ */

/* Are all ranks well? `status` is this rank's, with the context's error. If any has failed, all
 * return the status of the first of them, with its line in their contexts; being cancelled counts
 * only where nothing else is wrong. A signal to one is a signal to all. The communicator stays of
 * use.
 *
 * Collective; a rank whose `status` is TSL_E_COMM knows of a failure that was published, and does
 * not wait. */
tsl_status cli_agree(tsl_context *context, tsl_status status);

/* The same after what each rank has done by itself, perhaps for long. In a launch, whose processes
 * may see different files and have memory of their own, one that has failed publishes it, rank 0 at
 * once, others a second later: who looks by tsl_comm_check() hears of it. */
tsl_status cli_agree_apart(tsl_context *context, tsl_status status);

/* Has this rank the digest of rank 0? Collective. */
tsl_status cli_compare(tsl_comm *comm, const char digest[65], bool *same);

/* Records of all ranks, `bytes` each, into all[size]. TSL_OK or TSL_E_COMM. Collective. */
tsl_status cli_gather(tsl_comm *comm, void *all, const void *mine, int64_t bytes);

#endif
