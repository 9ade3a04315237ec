/* `tesela pairs TASK`. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/pairs/command.h"
#include "comm/comm.h"
#include "core/context.h"
#include "io/file/text.h"

static const cli_command *const tasks[] = {
    &pairs_distance, &pairs_neighbors, &pairs_histogram, &pairs_energy, &pairs_nearest,
    &pairs_triplets, &pairs_contacts,  &pairs_maps,      &pairs_ladder, NULL};

const cli_command cli_pairs = {
    .children = tasks,
    .noun = "TASK",
    .doc = "Pairwise work on points, each pair once."
           "\v"
           "Examples:\n"
           "  tesela pairs distance points.npy -o distances.npy\n"
           "  tesela pairs distance a.csv b.csv --metric cityblock -o rectangle.npy\n"
           "  tesela pairs neighbors points.npy --cutoff 2.5 -o neighbors.npz"};

static bool ends_in(const char *path, const char *ending)
{
    const size_t length = strlen(path), own = strlen(ending);
    return length > own && strcmp(path + length - own, ending) == 0;
}

bool pairs_is_npy(const char *path)
{
    return ends_in(path, ".npy");
}

bool pairs_is_npz(const char *path)
{
    return ends_in(path, ".npz");
}

const char *pairs_precision_name(int precision)
{
    return precision == 4 ? "single" : "double";
}

error_t pairs_take_file(const char **input, const char *text)
{
    if (*input != NULL) {
        cli_error("'%s' is one argument too many: give one file", text);
        return EINVAL;
    }
    *input = text;
    return 0;
}

error_t pairs_set_box(const cli_option *row, const char *text, double box[6], const double **given)
{
    const char *at = text;
    int count = 0;
    bool valid = true;
    while (valid && at != NULL && count < 6) {
        const char *end = strchr(at, ',');
        valid = tsl_parse_decimal(at, end != NULL ? (size_t)(end - at) : strlen(at), &box[count]) &&
                (count > 2 || box[count] > 0);
        count++;
        at = end != NULL ? end + 1 : NULL;
    }
    if (!valid || at != NULL || (count != 3 && count != 6)) {
        return cli_refuse_value(row, text,
                                "give three lengths above 0, and three tilts if the cell has them: "
                                "10,10,12 or 10,10,12,1,0,-2");
    }
    *given = box;
    return 0;
}

/* ---- ranks ---------------------------------------------------------------------------------- */

typedef struct pairs_job {
    const cli_common *common;
    pairs_rank *run;
    int exit_status;
} pairs_job;

/* Do the task on this rank. Returns the exit status. */
static int run_on(const cli_rank_group *group, const pairs_job *job)
{
    tsl_context *const context = group->context;
    if (job->common->profile) {
        tsl_profile_enable(context);
    }
    const tsl_status status = cli_agree(context, job->run(group, job->common));
    if (status != TSL_OK && status != TSL_E_COMM) { /* that one is told by the rank that failed */
        cli_error("%s", tsl_last_error(context));
    }
    return cli_exit_status(context, status, false);
}

static tsl_status run_rank(tsl_comm *comm, void *user)
{
    pairs_job *const job = user;
    cli_rank_group group;
    int exit_status = CLI_INTERNAL;
    cli_be_silent(tsl_comm_rank(comm) > 0);
    const tsl_status status = cli_rank_group_open(&group, comm, job->common);
    if (status == TSL_OK) {
        exit_status = run_on(&group, job);
    }
    if (group.rank == 0 || cli_is_launched()) {
        job->exit_status = exit_status;
    }
    cli_rank_group_close(&group);
    cli_be_silent(false);
    return status == TSL_OK && tsl_comm_failure(comm, NULL, NULL) != NULL ? TSL_E_COMM : status;
}

int pairs_run_ranks(const cli_command *self, void *options, int argc, char **argv, pairs_rank *run)
{
    int exit_status;
    if (!cli_parse_options(self, options, argc, argv, &exit_status)) {
        return exit_status;
    }
    pairs_job job = {.common = options, .run = run};
    const char *const devices = job.common->device;
    exit_status = cli_run_ranks(cli_rank_count(devices), job.common, run_rank, &job);
    return exit_status != CLI_DONE ? exit_status : job.exit_status;
}

tsl_status pairs_read(tsl_point_set *out, const cli_rank_group *group, const char *path)
{
    tsl_context *const context = group->context;
    tsl_points *const points = &out->points;
    int64_t shape[3], bytes;
    tsl_status status = TSL_OK;
    TSL_TRY(tsl_comm_agree(context,
                           group->rank == 0 ? tsl_point_set_read(out, context, path) : TSL_OK));
    if (group->ranks == 1) {
        return TSL_OK;
    }
    shape[0] = points->count;
    shape[1] = points->dimensions;
    shape[2] = points->precision;
    TSL_TRY(tsl_comm_broadcast(group->comm, NULL, shape, sizeof shape, 0));
    bytes = shape[0] * shape[1] * shape[2];
    if (group->rank > 0) {
        out->values = tsl_allocate((size_t)bytes);
        *points = (tsl_points){out->values, shape[0], (int)shape[1], (int)shape[2], path};
        status = out->values != NULL ? TSL_OK : tsl_fail_memory(context, bytes, "points");
    }
    TSL_TRY(tsl_comm_agree(context, status));
    TSL_TRY(tsl_comm_broadcast(group->comm, NULL, out->values, bytes, 0));
done:
    return status;
}

/* ---- what a task tells ---------------------------------------------------------------------- */

pairs_task pairs_begin(const cli_rank_group *group, const void *options)
{
    return (pairs_task){.common = options,
                        .group = group,
                        .context = group != NULL ? group->context : NULL,
                        .begun = tsl_seconds(),
                        .verified = -1};
}

tsl_status pairs_tell(const pairs_task *task, void (*print)(FILE *stream, const void *work),
                      cli_report_body *body, const void *work)
{
    const cli_rank_group *const group = task->group;
    char command[64];
    snprintf(command, sizeof command, "pairs %s", task->common->of->name);
    if (!cli_is_quiet()) {
        FILE *stream = cli_summary_stream(task->common);
        print(stream, work);
        cli_flush(stream);
    }
    const cli_report report = {.command = command,
                               .device = group != NULL ? group->devices
                                                       : tsl_context_device(task->context),
                               .ranks = group != NULL ? group->ranks : 1,
                               .verified = task->verified,
                               .total = tsl_seconds() - task->begun,
                               .setup = task->setup,
                               .compute = task->compute};
    return cli_conclude(task->context, task->common, &report, body, work);
}
