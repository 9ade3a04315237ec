/* Commands that run on several ranks. */
#include "cli/ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comm/comm.h"
#include "comm/plugin.h"

bool cli_is_launched(void)
{
    return tsl_comm_launch_variable() != NULL;
}

/* As a rank of an MPI launch. Only the rank that failed prints why. */
static int run_launched(tsl_rank_function function, void *user)
{
    tsl_comm *comm;
    tsl_status status = tsl_comm_create(&comm);
    if (status != TSL_OK) {
        cli_error("%s", tsl_last_error(NULL));
        return cli_exit_status(NULL, status, false);
    }
    status = function(comm, user);
    if (status != TSL_OK) {
        tsl_comm_fail(comm, status, tsl_status_name(status));
    }
    tsl_comm_end(comm);
    int rank = 0;
    const char *reason = tsl_comm_failure(comm, &rank, &status);
    if (reason != NULL && rank == tsl_comm_rank(comm)) {
        cli_error("rank %d: %s", rank, reason);
    }
    tsl_comm_destroy(comm);
    return cli_exit_status(NULL, status, false);
}

int cli_run_ranks(int ranks, tsl_rank_function function, void *user)
{
    if (cli_is_launched()) {
        return run_launched(function, user);
    }
    const tsl_status status = tsl_comm_run(ranks, function, user);
    if (status != TSL_OK) {
        cli_error("%s", tsl_last_error(NULL));
    }
    return cli_exit_status(NULL, status, false);
}

/* "cuda:0-3": the k-th of them into `name`, or -1 and their number into *count. */
static void expand(char *name, size_t bytes, const char *text, size_t length, int k, int *count)
{
    int first = 0, last = 0, used = 0;
    char item[64];
    snprintf(item, sizeof item, "%.*s", (int)length, text);
    if (sscanf(item, "cuda:%d-%d%n", &first, &last, &used) == 2 && item[used] == '\0' &&
        last >= first) {
        *count = last - first + 1;
        snprintf(name, bytes, "cuda:%d", first + k);
    } else {
        *count = 1;
        snprintf(name, bytes, "%s", item);
    }
}

int cli_devices(const char *list, int rank, char *name, size_t bytes)
{
    int total = 0;
    for (int pass = 0; pass < 2; pass++) { /* count, then find */
        int at = 0;
        for (const char *text = list; *text != '\0';) {
            const size_t length = strcspn(text, ",");
            int count = 0;
            const int wanted = pass == 0 ? 0 : rank % total - at;
            expand(name, bytes, text, length, wanted, &count);
            if (pass == 1 && wanted >= 0 && wanted < count) {
                return total;
            }
            at += count;
            text += length + (text[length] == ',');
        }
        total = at > 0 ? at : 1;
    }
    return total;
}
