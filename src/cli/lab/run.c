/* `tesela lab run`: a CUDA file without a GPU. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/lab/run_command.h"
#include "io/file/input.h"

static bool is_stopped(void)
{
    return cli_signal() != 0;
}

/* Print a compiler's own lines as it wrote them, before the command's line. */
static void print_messages(const lab_run_work *work)
{
    char path[PATH_MAX];
    tsl_input *messages = NULL;
    const char *text = NULL;
    size_t bytes = 0;
    snprintf(path, sizeof path, "%s/messages.txt", work->build.folder);
    if (work->build.folder[0] != '\0' && tsl_input_open(&messages, work->context, path) == TSL_OK) {
        if (tsl_input_peek(messages, 1 << 16, &text, &bytes) == TSL_OK) {
            fwrite(text, 1, bytes, stderr);
        }
        tsl_input_close(messages);
    }
}

/* Print that a compiler refuses the file. */
static void print_refusal(lab_run_work *work, tsl_status status)
{
    if (status == TSL_E_FORMAT) {
        char line[1024];
        snprintf(line, sizeof line, "%s", tsl_last_error(work->context));
        print_messages(work);
        tsl_fail(work->context, status, "%s", line);
    }
}

static tsl_status run(lab_run_work *work)
{
    lab_run_options *const o = work->options;
    const tsl_lab_build_options build = {.compiler = o->compiler, .options = o->compiler_options};
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const int processes = o->common.threads > 0 ? o->common.threads : (int)(cores > 8 ? 8 : cores);
    const bool to_output = cli_summary_stream(&o->common) == stdout;
    const tsl_lab_session_options session = {
        .capability = o->capability,
        .arguments = o->arguments,
        .orders = {o->orders[0], o->orders[1], o->orders[2], o->orders[3]},
        .order_count = o->counts_only ? 0 : o->order_count,
        .seed = o->seed,
        .counts = !o->checks_only,
        .processes = processes,
        .seconds = o->seconds,
        .memory = o->memory,
        .unguarded = o->unguarded,
        .output = o->card >= 0 ? work->output
                  : to_output  ? NULL
                               : "/dev/stderr",
        .stop = is_stopped};
    tsl_status status = tsl_lab_build_program(&work->build, work->context, o->file, &build);
    if (status != TSL_OK && is_stopped()) { /* the compiler was stopped with the command */
        return tsl_fail(work->context, TSL_E_CANCELLED, "stopped");
    }
    print_refusal(work, status);
    cli_flush(stdout);
    if (status == TSL_OK && o->card >= 0) {
        status = lab_run_card_find(work, is_stopped);
    }
    if (status == TSL_OK) {
        status = tsl_lab_session_run(&work->session, work->context, &work->build, &session);
    }
    if (status == TSL_OK && work->session.unguarded) {
        cli_warning("this kernel has no seccomp filters: the program is not kept from files and "
                    "processes");
    }
    if (status == TSL_OK && work->build.ambiguous) {
        cli_warning("structs of the same size are aligned unlike: copies of them are counted in "
                    "pieces of the smaller alignment");
    }
    if (status == TSL_OK && o->card >= 0) {
        status = lab_run_card_run(work, &session);
        print_refusal(work, status);
    }
    return status;
}

static tsl_status tell(const lab_run_work *work)
{
    const cli_common *common = &work->options->common;
    if (!cli_is_quiet()) {
        lab_run_print(cli_summary_stream(common), work);
        cli_flush(stdout);
    }
    return common->json != NULL ? lab_run_write_report(work, common->json) : TSL_OK;
}

int lab_run_command(const cli_command *self, int argc, char **argv)
{
    lab_run_options options;
    lab_run_work work = {.options = &options, .begun = tsl_seconds()};
    int exit_status;
    if (!cli_parse_options(self, &options, argc, argv, &exit_status)) {
        return exit_status;
    }
    cli_common common = options.common;
    common.device = "cpu";
    if (cli_open_context(&work.context, &common) != TSL_OK) {
        return CLI_DEVICE;
    }
    cli_defer_signals(true);
    tsl_status status = run(&work);
    if (status == TSL_OK) {
        status = tell(&work);
    }
    exit_status = cli_exit_status(work.context, status, false);
    if (status == TSL_OK && (work.session.report_count > 0 || work.session.exit_status[0] != 0 ||
                             !lab_run_card_agrees(&work))) {
        exit_status = CLI_CHECK_FAILED;
    } else if (status != TSL_OK && status != TSL_E_CANCELLED) {
        cli_error("%s", tsl_last_error(work.context));
    }
    if (options.keep && work.build.folder[0] != '\0') {
        cli_note("kept: %s", work.build.folder);
    }
    tsl_lab_session_release(&work.session);
    tsl_lab_card_release(&work.card);
    tsl_lab_build_release(&work.build, options.keep);
    tsl_context_destroy(work.context);
    cli_defer_signals(false);
    cli_heed_signal();
    return exit_status;
}
