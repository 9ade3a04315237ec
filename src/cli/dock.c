/* `tesela dock`. */
#include <string.h>

#include "cli/dock_command.h"

/* Write the report --json asks for, and the summary. With the report on standard output the summary
 * has no place there. */
static tsl_status tell(dock_work *work, const dock_pair *pair)
{
    const cli_common *common = &work->options->common;
    const bool json_on_output = common->json != NULL && strcmp(common->json, "-") == 0;
    if (!cli_is_quiet() && pair->was_complete) {
        cli_note("%s: holds this run already, complete: nothing to do", pair->folder);
    } else if (!cli_is_quiet()) {
        dock_report_print(json_on_output ? stderr : stdout, work, pair);
        fflush(stdout);
    }
    if (common->json == NULL) {
        return TSL_OK;
    }
    const char *path = cli_report_path(common->json);
    return pair->was_complete ? dock_files_copy_report(work, pair, path)
                              : dock_report_write(work, pair, path);
}

static int run_one(dock_work *work)
{
    const dock_options *options = work->options;
    dock_input receptor = {.path = options->receptor,
                           .chains = options->receptor_chains,
                           .option = "--receptor-chains"};
    dock_input ligand = {
        .path = options->ligand, .chains = options->ligand_chains, .option = "--ligand-chains"};
    dock_pair pair = {.folder = options->folder, .receptor = &receptor, .ligand = &ligand};
    tsl_status status = dock_pair_run(work, &pair);
    if (status == TSL_OK) {
        status = tell(work, &pair);
    }
    int exit_status = cli_exit_status(work->context, status, options->dock.memory > 0);
    if (status == TSL_E_CANCELLED) {
        cli_note("%s", tsl_last_error(work->context));
    } else if (status != TSL_OK) {
        cli_error("%s", tsl_last_error(work->context));
    } else if (!pair.was_complete && dock_pair_verified(&pair) == 0) {
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

int cli_dock(int argc, char **argv)
{
    dock_options options;
    int exit_status;
    if (!dock_options_parse(&options, argc, argv, &exit_status)) {
        return exit_status;
    }
    dock_work work = {.options = &options, .begun = tsl_seconds()};
    tsl_status status = cli_open_context(&work.context, &options.common);
    if (status != TSL_OK) {
        return cli_exit_status(NULL, status, false);
    }
    if (options.common.profile) {
        tsl_profile_enable(work.context);
    }
    status = dock_rotations_make(&work.rotations, work.context, &options);
    if (status != TSL_OK) {
        cli_error("%s", tsl_last_error(work.context));
        exit_status = cli_exit_status(work.context, status, false);
    } else {
        exit_status = options.list != NULL ? dock_list_run(&work) : run_one(&work);
    }
    if (options.common.profile) {
        cli_profile_print(work.context);
    }
    dock_rotations_free(&work.rotations);
    tsl_context_destroy(work.context);
    return exit_status;
}
