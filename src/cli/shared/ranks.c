/* Starting the ranks of a command, and agreement among them. */
#include "cli/shared/ranks.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "comm/comm.h"
#include "comm/plugin.h"
#include "device/plugin.h"

bool cli_is_launched(void)
{
    return tsl_comm_launch_variable() != NULL;
}

/* Seconds in which a launcher ends the other processes after one has ended. */
enum { LAUNCHER_TAKES = 4 };

/* This process's number in its MPI launch, from the launcher's variables. */
static const char *launched_rank(void)
{
    static const char *const variables[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK",
                                            "MV2_COMM_WORLD_RANK"};
    for (size_t i = 0; i < sizeof variables / sizeof *variables && cli_is_launched(); i++) {
        const char *value = getenv(variables[i]);
        if (value != NULL && value[0] != '\0') {
            return value;
        }
    }
    const char *size = getenv(TSL_COMM_STEP_SIZE), *number = getenv("SLURM_PROCID");
    return size != NULL && strtol(size, NULL, 10) > 1 && number != NULL ? number : "0";
}

bool cli_is_leader(void)
{
    return strcmp(launched_rank(), "0") == 0;
}

int cli_refused(int exit_status)
{
    if (!cli_is_leader()) {
        nanosleep(&(struct timespec){.tv_sec = LAUNCHER_TAKES}, NULL);
        if (cli_unsaid_error()[0] != '\0') {
            cli_error("rank %s: %s", launched_rank(), cli_unsaid_error());
        }
    }
    return exit_status;
}

bool cli_is_alone(const char *command)
{
    const char *variable = tsl_comm_launched_size();
    if (variable == NULL) {
        return true;
    }
    cli_be_silent(!cli_is_leader());
    cli_error("%s runs on one device, and %s is %s: start it without a launcher", command, variable,
              getenv(variable));
    cli_be_silent(false);
    return false;
}

/* Check that all ranks have the same command line; rank 0 says so if not. */
static tsl_status compare_commands(tsl_comm *comm, const cli_common *common)
{
    bool same = true;
    tsl_status status = cli_compare(comm, common->command, &same);
    int32_t stray = same ? 0 : comm->rank;
    if (status == TSL_OK) {
        status = tsl_comm_all_reduce(comm, NULL, &stray, 1, TSL_COMM_INT32, TSL_COMM_MAX);
    }
    if (status != TSL_OK || stray == 0) {
        return status;
    }
    if (comm->rank == 0) {
        char own[128];
        cli_list_rank_options(own, sizeof own, common);
        cli_error(
            "rank %d's command line is not that of rank 0: give all ranks the same, but for %s",
            (int)stray, own);
    }
    return TSL_E_ARG;
}

static void tell_failure(int rank, const char *reason)
{
    rank == 0 ? cli_error("%s", reason) : cli_error("rank %d: %s", rank, reason);
}

/* A rank that has failed, while it waits for the others. */
typedef struct last_word {
    pthread_t watch;
    sem_t met; /* the others have come */
    int rank, exit_status;
    char reason[TSL_ERROR_TEXT];
} last_word;

/* End the process where another, which waits for a pipe, say, comes late or never: the launcher
 * then ends that one. */
static void *end_without_them(void *argument)
{
    enum { SECONDS = 4 };
    last_word *word = argument;
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += SECONDS;
    while (sem_timedwait(&word->met, &until) != 0) {
        if (errno != EINTR) {
            tell_failure(word->rank, word->reason);
            _exit(word->exit_status);
        }
    }
    return NULL;
}

/* Wait for the others at the end. Returns the status for all. Only the rank that failed prints. */
static tsl_status end_launched(tsl_comm *comm, tsl_status status)
{
    last_word word = {.rank = 0};
    /* Where several ranks fail at once, the lowest prints its error. They hear of each other during
     * this wait. */
    for (int i = 0; i < 30 && tsl_comm_failure(comm, NULL, NULL) != NULL; i++) {
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    const char *reason = tsl_comm_failure(comm, &word.rank, &status);
    bool watched = reason != NULL && word.rank == tsl_comm_rank(comm);
    if (watched) {
        word.exit_status = cli_exit_status(NULL, status, false);
        snprintf(word.reason, sizeof word.reason, "%s", reason);
        sem_init(&word.met, 0, 0);
        watched = pthread_create(&word.watch, NULL, end_without_them, &word) == 0;
    }
    tsl_comm_end(comm);
    if (watched) {
        sem_post(&word.met);
        pthread_join(word.watch, NULL);
        sem_destroy(&word.met);
    }
    reason = tsl_comm_failure(comm, &word.rank, &status);
    if (reason != NULL && word.rank == tsl_comm_rank(comm)) {
        tell_failure(word.rank, reason);
    }
    return status;
}

/* Run as a rank of an MPI launch. */
static int run_launched(const cli_common *common, tsl_rank_function function, void *user)
{
    tsl_comm *comm;
    /* Open MPI's launcher waits for ever for a process that ends in the middle of this. */
    cli_defer_signals(true);
    tsl_status status = tsl_comm_create(&comm);
    cli_defer_signals(false);
    cli_heed_signal();
    if (status != TSL_OK) { /* usually on all ranks */
        cli_be_silent(!cli_is_leader());
        cli_error("%s", tsl_last_error(NULL));
        cli_be_silent(false);
        return cli_refused(cli_exit_status(NULL, status, false));
    }
    status = compare_commands(comm, common);
    if (status == TSL_E_ARG) { /* all ranks have the error */
        tsl_comm_end(comm);
        tsl_comm_destroy(comm);
        return CLI_USAGE;
    }
    if (status == TSL_OK) {
        status = function(comm, user);
    }
    if (status != TSL_OK) {
        tsl_comm_fail(comm, status, tsl_status_name(status));
    }
    status = end_launched(comm, status);
    tsl_comm_destroy(comm);
    return cli_exit_status(NULL, status, false);
}

int cli_run_ranks(int ranks, const cli_common *common, tsl_rank_function function, void *user)
{
    if (cli_is_launched()) {
        return run_launched(common, function, user);
    }
    tsl_status status = tsl_comm_check_alone();
    if (status != TSL_OK) {
        if (cli_is_leader()) {
            cli_error("%s", tsl_last_error(NULL));
        }
        return cli_refused(cli_exit_status(NULL, status, false));
    }
    status = tsl_comm_run(ranks, function, user);
    if (status != TSL_OK) {
        cli_error("%s", tsl_last_error(NULL));
    }
    return cli_exit_status(NULL, status, false);
}

/* ---- lists of devices --------------------------------------------------------------------- */

enum { MOST_DEVICES = 9999 };

/* How many devices an item of a list stands for, such as four for "cuda:0-3". The name of the k-th,
 * or of the last if there are fewer, goes into `name`. An item that cannot be read stays as it is,
 * so that the context that is asked for it says what is wrong. */
static int expand(char *name, size_t bytes, const char *text, size_t length, int k)
{
    char item[64], reason[512];
    int first = 0, last = 0, used = 0;
    snprintf(item, sizeof item, "%.*s", (int)length, text);
    if (strcmp(item, "auto") == 0 && tsl_plugin_cuda(&last, reason, sizeof reason) != NULL &&
        last > 1) {
        snprintf(name, bytes, "cuda:%d", k);
        return last;
    }
    if (sscanf(item, "cuda:%d-%d%n", &first, &last, &used) == 2 && item[used] == '\0' &&
        first >= 0 && last >= first && last <= MOST_DEVICES) {
        snprintf(name, bytes, "cuda:%d", k < last - first ? first + k : last);
        return last - first + 1;
    }
    snprintf(name, bytes, "%s", item);
    return 1;
}

/* Walks over the list until the device of that number, whose name goes into `name`. Returns how
 * many devices there are up to the end of its item. */
static int walk(char *name, size_t bytes, const char *list, int wanted)
{
    int total = 0;
    for (const char *text = list;; text++) {
        const size_t length = strcspn(text, ",");
        total += expand(name, bytes, text, length, wanted - total);
        text += length;
        if (*text == '\0' || wanted < total) {
            return total;
        }
    }
}

int cli_device_count(const char *list)
{
    char name[64];
    return walk(name, sizeof name, list, INT32_MAX);
}

int cli_rank_count(const char *list)
{
    return strcmp(list, "auto") == 0 ? 1 : cli_device_count(list);
}

void cli_device_name(char *name, size_t bytes, const char *list, int rank)
{
    walk(name, bytes, list, rank % cli_device_count(list));
}

/* ---- agreement ---------------------------------------------------------------------------- */

static const char no_memory[] = "out of memory: cannot hear all ranks";

tsl_status cli_compare(tsl_comm *comm, const char digest[65], bool *same)
{
    char first[65];
    memcpy(first, digest, sizeof first);
    const tsl_status status = tsl_comm_broadcast(comm, NULL, first, sizeof first, 0);
    *same = status != TSL_OK || strcmp(first, digest) == 0;
    return status;
}

tsl_status cli_gather(tsl_comm *comm, void *all, const void *mine, int64_t bytes)
{
    return tsl_comm_gather_records(comm, all, mine, bytes) == TSL_OK ? TSL_OK : TSL_E_COMM;
}

/* The state of a rank. */
typedef struct condition {
    tsl_status status;
    int signal;
    char error[TSL_ERROR_TEXT];
} condition;

/* The rank whose status stands for all; -1: no rank has failed. */
static int find_failure(const condition *all, int size)
{
    int cancelled = -1;
    for (int q = 0; q < size; q++) {
        if (all[q].status != TSL_OK && all[q].status != TSL_E_CANCELLED) {
            return q;
        }
        if (all[q].status == TSL_E_CANCELLED && cancelled < 0) {
            cancelled = q;
        }
    }
    return cancelled;
}

static tsl_status adopt(tsl_context *context, const condition *all, int size)
{
    for (int q = 0; q < size; q++) {
        if (all[q].signal != 0) {
            cli_take_signal(all[q].signal);
        }
    }
    const int q = find_failure(all, size);
    if (q < 0) {
        return TSL_OK;
    }
    return q == 0 ? tsl_fail(context, all[q].status, "%s", all[q].error)
                  : tsl_fail(context, all[q].status, "rank %d: %s", q, all[q].error);
}

tsl_status cli_agree(tsl_context *context, tsl_status status)
{
    tsl_comm *comm = context->comm;
    if (comm->size == 1 || status == TSL_E_COMM) {
        return status;
    }
    condition mine = {.status = status, .signal = cli_signal()};
    memcpy(mine.error, context->error, sizeof mine.error);
    condition *all = tsl_allocate((size_t)comm->size * sizeof *all);
    if (all == NULL) {
        tsl_comm_fail(comm, TSL_E_NOMEM, no_memory);
        return TSL_E_COMM;
    }
    status = cli_gather(comm, all, &mine, sizeof mine);
    if (status == TSL_OK) {
        status = adopt(context, all, comm->size);
    }
    tsl_release(all);
    return status;
}

/* Let only the leader tell: what is wrong is usually wrong on all ranks. */
static void let_leader_tell(tsl_comm *comm)
{
    enum { MILLISECONDS = 1000 };
    for (int i = 0; i < MILLISECONDS && tsl_comm_failure(comm, NULL, NULL) == NULL; i++) {
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
}

tsl_status cli_agree_apart(tsl_context *context, tsl_status status)
{
    if (status != TSL_OK && cli_is_launched()) {
        if (context->comm->rank != 0) {
            let_leader_tell(context->comm);
        }
        tsl_comm_refuse(context, status);
    }
    return cli_agree(context, status);
}
