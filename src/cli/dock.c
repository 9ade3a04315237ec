/* `tesela dock`. */
#include <stdio.h>
#include <string.h>

#include "cli/dock_command.h"

/* Write the report --json asks for, and the summary. With the report on standard output the summary
 * has no place there. */
static tsl_status tell(dock_work *work, const dock_pair *pair)
{
    const cli_common *common = &work->options->common;
    if (!cli_is_quiet() && pair->was_complete) {
        cli_note("%s: holds this run already, complete: nothing to do", pair->folder);
    } else if (!cli_is_quiet()) {
        dock_report_print(cli_summary_stream(common), work, pair);
        fflush(stdout);
    }
    if (common->json == NULL) {
        return TSL_OK;
    }
    return pair->was_complete ? dock_files_copy_report(work, pair, cli_report_file(common->json))
                              : dock_report_write(work, pair, common->json);
}

int dock_end(const dock_work *work, tsl_status status, bool bounded)
{
    if (status == TSL_E_CANCELLED) {
        cli_note("%s", tsl_last_error(work->context));
    } else if (status != TSL_OK && status != TSL_E_COMM) {
        cli_error("%s", tsl_last_error(work->context));
    }
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
    int exit_status = dock_end(work, status, options->dock.memory > 0);
    if (status == TSL_OK && !pair.was_complete && dock_pair_verified(&pair) == 0) {
        cli_error("the transform is off by %g, more than 1/4: scores may be wrong",
                  pair.summary.transform_error);
        exit_status = CLI_CHECK_FAILED;
    }
    dock_pair_free(&pair);
    tsl_dock_plan_destroy(work->plan); /* before the molecules it borrows */
    dock_input_free(&receptor);
    dock_input_free(&ligand);
    return exit_status;
}

/* ---- ranks -------------------------------------------------------------------------------- */

/* Let all know what each computes with. */
static tsl_status meet(dock_work *work, cli_seat seat)
{
    const size_t ranks = (size_t)work->ranks;
    snprintf(seat.device, sizeof seat.device, "%s", tsl_context_device(work->context));
    seat.threads = tsl_context_threads(work->context);
    work->seats = tsl_allocate(ranks * sizeof seat);
    work->devices = tsl_allocate(ranks * sizeof seat.device);
    if (work->seats == NULL || work->devices == NULL) {
        tsl_fail_memory(work->context, (int64_t)(ranks * sizeof seat), "the ranks' devices");
        return tsl_comm_fail(work->comm, TSL_E_NOMEM, tsl_last_error(work->context));
    }
    const tsl_status status = cli_gather(work->comm, work->seats, &seat, sizeof seat);
    for (int q = 0, used = 0; q < work->ranks && status == TSL_OK; q++) {
        used += sprintf(work->devices + used, "%s%s", q > 0 ? "," : "", work->seats[q].device);
    }
    return status;
}

/* "3 ranks: cuda:0, cuda:1, cpu (14 threads)" */
static void note_ranks(const dock_work *work)
{
    enum { SHOWN = 16 };
    char text[SHOWN * 96 + 32];
    int used = 0;
    for (int q = 0; q < work->ranks && q < SHOWN; q++) {
        const cli_seat *seat = &work->seats[q];
        used += sprintf(text + used, "%s%s", q > 0 ? ", " : "", seat->device);
        if (strcmp(seat->device, "cpu") == 0) {
            used += sprintf(text + used, " (%d thread%s)", seat->threads,
                            seat->threads == 1 ? "" : "s");
        }
    }
    if (work->ranks > SHOWN) {
        sprintf(text + used, " and %d more", work->ranks - SHOWN);
    }
    cli_note("%d ranks: %s", work->ranks, text);
}

static tsl_status work_as_rank(dock_work *work, int *exit_status)
{
    const dock_options *options = work->options;
    if (options->common.profile) {
        tsl_profile_enable(work->context);
    }
    if (work->ranks > 1) {
        note_ranks(work);
    }
    const tsl_status status =
        cli_agree(work->context, dock_rotations_make(&work->rotations, work->context, options));
    *exit_status = status != TSL_OK        ? dock_end(work, status, false)
                   : options->ladder       ? dock_ladder_run(work)
                   : options->list != NULL ? dock_list_run(work)
                                           : run_one(work);
    if (options->common.profile && work->rank == 0) {
        cli_profile_print(work->context);
    }
    dock_rotations_free(&work->rotations);
    return tsl_comm_failure(work->comm, NULL, NULL) == NULL ? TSL_OK : TSL_E_COMM;
}

/* What the ranks of this process come to. */
typedef struct outcome {
    const dock_options *options;
    int exit_status;
} outcome;

static tsl_status run_rank(tsl_comm *comm, void *user)
{
    outcome *out = user;
    dock_work work = {.options = out->options,
                      .comm = comm,
                      .rank = tsl_comm_rank(comm),
                      .ranks = tsl_comm_size(comm),
                      .begun = tsl_seconds()};
    cli_seat seat;
    int exit_status = CLI_INTERNAL;
    cli_be_silent(work.rank > 0);
    tsl_status status = cli_take_seat(&seat, comm, &work.options->common);
    if (status == TSL_OK) {
        status = cli_open_rank(&work.context, seat.device, seat.threads, comm);
        if (status != TSL_OK) {
            tsl_comm_fail(comm, status, tsl_last_error(NULL));
        }
    }
    if (status == TSL_OK) {
        status = meet(&work, seat);
    }
    if (status == TSL_OK) {
        status = work_as_rank(&work, &exit_status);
    }
    if (work.rank == 0 || cli_is_launched()) {
        out->exit_status = exit_status;
    }
    tsl_release(work.seats);
    tsl_release(work.devices);
    tsl_context_destroy(work.context);
    cli_be_silent(false);
    return status;
}

int cli_dock(int argc, char **argv)
{
    dock_options options;
    int exit_status;
    cli_be_silent(!cli_is_leader()); /* they all see the same command line */
    const bool parsed = dock_options_parse(&options, argc, argv, &exit_status);
    cli_be_silent(false);
    if (!parsed) {
        return exit_status;
    }
    outcome out = {.options = &options};
    exit_status = cli_run_ranks(cli_device_count(options.common.device), run_rank, &out);
    return exit_status != CLI_DONE ? exit_status : out.exit_status;
}
