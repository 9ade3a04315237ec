/* `tesela dock`. */
#include <stdio.h>
#include <string.h>

#include "cli/dock/command.h"

/* Write the report that --json asks for, and the summary. Where the report goes to standard output
 * there is no summary. */
static tsl_status tell(dock_work *work, const dock_pair *pair)
{
    const cli_common *common = &work->options->common;
    if (!cli_is_quiet() && pair->was_complete) {
        cli_note("%s: holds this run already, complete: nothing to do", pair->folder);
    } else if (!cli_is_quiet()) {
        dock_report_print(cli_summary_stream(common), work, pair);
        cli_flush(stdout);
    }
    if (common->json == NULL) {
        return TSL_OK;
    }
    return pair->was_complete ? dock_files_copy_report(work, pair, cli_report_file(common->json))
                              : dock_report_write(work, pair, common->json);
}

int dock_end(const dock_work *work, tsl_status status)
{
    if (status == TSL_E_CANCELLED) {
        cli_note("%s", tsl_last_error(work->context));
    } else if (status != TSL_OK && status != TSL_E_COMM) {
        cli_error("%s", tsl_last_error(work->context));
    }
    /* another rank may have a bound */
    const bool bounded = work->options->dock.memory > 0 || work->ranks > 1;
    return cli_exit_status(work->context, status, bounded);
}

static int run_one(dock_work *work)
{
    const dock_options *options = work->options;
    dock_input receptor, ligand;
    dock_pair pair = dock_pair_of(options, &receptor, &ligand);
    tsl_status status = dock_pair_run(work, &pair);
    if (status == TSL_OK) {
        status = cli_agree(work->context, work->rank == 0 ? tell(work, &pair) : TSL_OK);
    }
    int exit_status = dock_end(work, status);
    if (status == TSL_OK && !pair.was_complete && dock_pair_verified(&pair) == 0) {
        cli_error("the transform is off by %g, more than %g: scores may be wrong",
                  pair.summary.transform_error, pair.summary.transform_bound);
        exit_status = CLI_CHECK_FAILED;
    }
    dock_pair_free(&pair);
    tsl_dock_plan_destroy(work->plan); /* before the molecules it borrows */
    dock_input_free(&receptor);
    dock_input_free(&ligand);
    return exit_status;
}

/* ---- ranks -------------------------------------------------------------------------------- */

/* Say that FTDock's score, which is there for comparison, ranks poorly. */
static void say_score(const dock_options *options)
{
    if (options->task == DOCK_A_RUN && options->dock.score == TSL_SCORE_FTDOCK) {
        cli_note("--score ftdock ranks poorly: it seldom puts a good pose among the first hundred; "
                 "without it poses are ranked by complementarity");
    }
}

static tsl_status work_as_rank(dock_work *work, int *exit_status)
{
    const dock_options *options = work->options;
    if (options->common.profile) {
        tsl_profile_enable(work->context);
    }
    say_score(options);
    const tsl_status status =
        cli_agree(work->context, dock_rotations_make(&work->rotations, work->context, options));
    *exit_status = status != TSL_OK                ? dock_end(work, status)
                   : options->task == DOCK_LADDER  ? dock_ladder_run(work)
                   : options->task == DOCK_QUALITY ? dock_quality_run(work)
                   : options->list != NULL         ? dock_list_run(work)
                                                   : run_one(work);
    if (options->common.profile && work->rank == 0) {
        cli_profile_print(work->context);
    }
    dock_rotations_free(&work->rotations);
    return tsl_comm_failure(work->comm, NULL, NULL) == NULL ? TSL_OK : TSL_E_COMM;
}

/* The exit status of the ranks of this process. */
typedef struct outcome {
    const dock_options *options;
    int exit_status;
} outcome;

static tsl_status run_rank(tsl_comm *comm, void *user)
{
    outcome *out = user;
    dock_work work = {.options = out->options, .begun = tsl_seconds()};
    cli_rank_group group;
    int exit_status = CLI_INTERNAL;
    cli_be_silent(tsl_comm_rank(comm) > 0);
    tsl_status status = cli_rank_group_open(&group, comm, &work.options->common);
    if (status == TSL_OK) {
        work.comm = comm;
        work.context = group.context;
        work.rank = group.rank;
        work.ranks = group.ranks;
        work.placements = group.placements;
        work.devices = group.devices;
        status = work_as_rank(&work, &exit_status);
    }
    if (group.rank == 0 || cli_is_launched()) {
        out->exit_status = exit_status;
    }
    cli_rank_group_close(&group);
    cli_be_silent(false);
    return status;
}

int dock_command(const cli_command *self, int argc, char **argv)
{
    dock_options options;
    int exit_status;
    if (!cli_parse_options(self, &options, argc, argv, &exit_status)) {
        return exit_status;
    }
    outcome out = {.options = &options};
    exit_status =
        cli_run_ranks(cli_device_count(options.common.device), &options.common, run_rank, &out);
    return exit_status != CLI_DONE ? exit_status : out.exit_status;
}
