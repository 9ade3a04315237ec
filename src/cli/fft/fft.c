/* `tesela fft study`. */
#include <string.h>

#include "cli/fft/command.h"
#include "cli/shared/ranks.h"

static tsl_status take(fft_work *work)
{
    int left_out;
    const int count = fft_cases(NULL, &left_out, work->options);
    if (left_out > 0) {
        cli_note(
            "%d combination%s left out, of arrays that pass --most or 2^31 elements, or batches "
            "that are not whole groups of --stride lines",
            left_out, left_out == 1 ? " is" : "s are");
    }
    work->cases = tsl_allocate((size_t)count * sizeof *work->cases);
    work->rows = tsl_allocate((size_t)count * sizeof *work->rows);
    if (work->cases == NULL || work->rows == NULL) {
        return tsl_fail_memory(work->context, count * (int64_t)sizeof *work->rows, "measurements");
    }
    work->count = fft_cases(work->cases, &left_out, work->options);
    return TSL_OK;
}

static void release(fft_work *work)
{
    tsl_fft_study_release(&work->study);
    tsl_release(work->rows);
    tsl_release(work->cases);
    tsl_context_destroy(work->context);
}

static tsl_status measure(fft_work *work)
{
    cli_progress progress;
    tsl_status status = take(work);
    /* All are checked before the first is measured: a refusal later would lose the measurements. */
    for (int i = 0; i < work->count && status == TSL_OK; i++) {
        status = tsl_fft_check_memory(work->context, &work->cases[i]);
    }
    const double begun = tsl_seconds();
    work->setup = begun - work->begun;
    cli_progress_begin(&progress, "batches", work->count, 0);
    for (int i = 0; i < work->count && status == TSL_OK; i++) {
        status = tsl_fft_measure(&work->rows[i], work->context, &work->cases[i]);
        cli_progress_add(&progress, 1);
    }
    cli_progress_end(&progress);
    work->compute = tsl_seconds() - begun;
    return status == TSL_OK
               ? tsl_fft_study_make(&work->study, work->context, work->rows, work->count)
               : status;
}

static tsl_status tell(const fft_work *work)
{
    const fft_options *options = work->options;
    tsl_status status = TSL_OK;
    if (!cli_is_quiet()) {
        fft_print(cli_summary_stream(&options->common), work);
        cli_flush(stdout);
    }
    if (options->common.csv != NULL) {
        status = fft_write_csv(work);
    }
    if (status == TSL_OK && options->figure != NULL) {
        char title[128];
        snprintf(title, sizeof title, "Fourier transforms on %s",
                 tsl_context_device(work->context));
        status = fft_figure(work->context, options->figure, title, &work->study);
    }
    if (status == TSL_OK && options->common.json != NULL) {
        status = fft_write_report(work);
    }
    return status;
}

int fft_wrong(const fft_work *work)
{
    int wrong = 0;
    for (int i = 0; i < work->count; i++) {
        wrong += !(work->rows[i].error <= work->rows[i].bound);
    }
    return wrong;
}

/* Say which transforms were wrong: the first of them. */
static void say_wrong(const fft_work *work)
{
    char name[80];
    int i = 0;
    while (work->rows[i].error <= work->rows[i].bound) {
        i++;
    }
    cli_error("%d of %d batches are wrong, the first of them %s: its error is %.1e, not %.1e",
              fft_wrong(work), work->count, tsl_fft_case_name(name, &work->rows[i].what),
              work->rows[i].error, work->rows[i].bound);
}

int fft_command(const cli_command *self, int argc, char **argv)
{
    fft_options options;
    int exit_status;
    if (!cli_parse_options(self, &options, argc, argv, &exit_status)) {
        return exit_status;
    }
    fft_work work = {.options = &options, .begun = tsl_seconds()};
    tsl_status status = cli_open_context(&work.context, &options.common);
    if (status != TSL_OK) {
        return cli_exit_status(NULL, status, false);
    }
    status = measure(&work);
    if (status == TSL_OK) {
        status = tell(&work);
    }
    exit_status = cli_exit_status(work.context, status, false);
    if (status != TSL_OK) {
        cli_error("%s", tsl_last_error(work.context));
    } else if (fft_wrong(&work) > 0) {
        say_wrong(&work);
        exit_status = CLI_CHECK_FAILED;
    }
    if (options.common.profile) {
        cli_profile_print(work.context);
    }
    release(&work);
    return exit_status;
}
