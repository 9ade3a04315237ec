/* `tesela poisson`: a file, the suite of known answers, a benchmark, or a study of it. */
#include <stdio.h>
#include <string.h>

#include "cli/poisson/command.h"
#include "cli/shared/ranks.h"
#include "comm/comm.h"
#include "core/context.h"

/* ---- a plan and its arrays ------------------------------------------------------------------ */

static int64_t cells_of(const poisson_work *work)
{
    const int64_t *n = work->poisson.n;
    return n[0] * n[1] * n[2];
}

int64_t poisson_bytes(const poisson_work *work)
{
    return cells_of(work) * work->poisson.precision;
}

/* Say which parts of --plan this plan does not have. */
static void note_plan(const poisson_work *work)
{
    const tsl_poisson_options *asked = &work->options->poisson;
    const tsl_poisson_summary *s = &work->summary;
    if (s->ranks[0] * s->ranks[1] == 1) {
        if (work->context->comm->size > 1 && (asked->segments > 0 || asked->overlap > 0)) {
            cli_note("--plan: one of the %d ranks solves, without exchanges: segments and overlap "
                     "are passed over",
                     work->context->comm->size);
        }
    } else if (asked->segments > s->segments) {
        cli_note("--plan: this box has pieces for %d of %d segments", s->segments, asked->segments);
    } else if (asked->overlap > 0 && !s->overlap) {
        cli_note("--plan: exchanges go in one segment, which leaves nothing to overlap with: "
                 "segments=2 may ask for more");
    }
}

tsl_status poisson_arrays_take(poisson_arrays *arrays, poisson_work *work, bool shared)
{
    const tsl_status status = poisson_arrays_create(arrays, work->context, &work->poisson, shared);
    if (status == TSL_OK) {
        tsl_poisson_plan_summary(arrays->plan, &work->summary);
        note_plan(work);
    }
    work->setup = tsl_seconds() - work->begun;
    return status;
}

/* ---- the command ---------------------------------------------------------------------------- */

static tsl_status tell(const poisson_work *work)
{
    const cli_common *common = &work->options->common;
    if (!cli_is_quiet()) {
        poisson_print(cli_summary_stream(common), work);
        cli_flush(stdout);
    }
    const tsl_status status =
        work->options->task == POISSON_STUDY ? poisson_study_write(work) : TSL_OK;
    return status == TSL_OK && common->json != NULL ? poisson_write_report(work, common->json)
                                                    : status;
}

/* Do the command on rank 0, or on the only rank. */
static int lead(const cli_rank_group *group, const poisson_options *options)
{
    static tsl_status (*const tasks[])(poisson_work *) = {
        [POISSON_FILE] = poisson_solve_file,
        [POISSON_VERIFY] = poisson_verify,
        [POISSON_BENCH] = poisson_bench,
        [POISSON_STUDY] = poisson_study,
    };
    poisson_work work = {.options = options,
                         .context = group->context,
                         .devices = group->devices,
                         .poisson = options->poisson,
                         .begun = tsl_seconds()};
    const tsl_poisson_options *plan = &options->poisson;
    if (group->ranks == 1 && (plan->segments > 0 || plan->overlap > 0 || plan->measure)) {
        cli_note(
            "--plan: one rank exchanges nothing: segments, overlap and measure are passed over");
    }
    tsl_status status = tasks[options->task](&work);
    if (status == TSL_OK) {
        status = tell(&work);
    }
    /* another rank may have a bound */
    const bool bounded = options->poisson.memory > 0 || group->ranks > 1;
    int exit_status = cli_exit_status(work.context, status, bounded);
    if (status != TSL_OK && status != TSL_E_COMM) {
        cli_error("%s", tsl_last_error(work.context));
    } else if (status == TSL_OK && poisson_verified(&work) == 0) {
        cli_error("an answer is further from the known one than its bound: see the table");
        exit_status = CLI_CHECK_FAILED;
    }
    if (options->common.profile) {
        cli_profile_print(work.context);
    }
    tsl_release((void *)(uintptr_t)work.points.charge);
    tsl_release(work.runs);
    poisson_field_release(&work.field);
    return exit_status;
}

/* The exit status of the ranks of this process. */
typedef struct outcome {
    const poisson_options *options;
    int exit_status;
} outcome;

static tsl_status run_rank(tsl_comm *comm, void *user)
{
    outcome *out = user;
    const bool leads = tsl_comm_rank(comm) == 0;
    const cli_common *common = &out->options->common;
    cli_rank_group group;
    int exit_status = CLI_INTERNAL;
    cli_be_silent(!leads);
    tsl_status status = cli_rank_group_open(&group, comm, common);
    if (status == TSL_OK && common->profile) {
        tsl_profile_enable(group.context);
    }
    if (status == TSL_OK && leads) {
        exit_status = lead(&group, out->options);
        status = poisson_end(group.context, exit_status);
    } else if (status == TSL_OK) {
        status = poisson_follow(group.context, out->options->poisson.memory, &exit_status);
    }
    if (leads || cli_is_launched()) {
        out->exit_status = exit_status;
    }
    cli_rank_group_close(&group);
    cli_be_silent(false);
    return status;
}

int poisson_command(const cli_command *self, int argc, char **argv)
{
    poisson_options options;
    int exit_status;
    if (!cli_parse_options(self, &options, argc, argv, &exit_status)) {
        return exit_status;
    }
    outcome out = {.options = &options};
    exit_status =
        cli_run_ranks(cli_rank_count(options.common.device), &options.common, run_rank, &out);
    return exit_status != CLI_DONE ? exit_status : out.exit_status;
}
