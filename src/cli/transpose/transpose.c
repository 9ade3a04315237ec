/* `tesela transpose`: a file, or measurements. */
#include <stdio.h>

#include "blocks/transpose/transpose.h"
#include "cli/shared/ranks.h"
#include "cli/transpose/command.h"
#include "core/context.h"
#include "device/device.h"

/* ---- measurements ------------------------------------------------------------------------- */

static tsl_status measure(transpose_work *work, tsl_transpose_bench *bench,
                          tsl_permutation permutation, tsl_transpose_tiling tiling)
{
    transpose_row *row = &work->rows[work->count];
    tsl_transpose_options options = work->options->transpose;
    options.permutation = permutation;
    options.tile = tiling.tile;
    options.per_thread = tiling.per_thread;
    const tsl_status status = tsl_transpose_bench_run(bench, &row->result, &options, INT64_MAX);
    if (status == TSL_OK) {
        row->permutation = permutation;
        row->tile = tiling.tile;
        row->per_thread = tiling.per_thread;
        work->count++;
    }
    return status;
}

static tsl_status measure_copy(transpose_work *work, tsl_transpose_bench *bench)
{
    tsl_transpose_options options = work->options->transpose;
    tsl_transpose_result result;
    options.permutation = TSL_PERMUTATION_XYZ;
    options.in_place = 0;
    const tsl_status status = tsl_transpose_bench_run(bench, &result, &options, 0);
    work->copy_seconds = status == TSL_OK ? result.seconds : 0;
    return status;
}

/* Is a permutation to be measured? xyz is the copy that the others are compared with. A study has
 * only permutations whose tiles exchange the fastest axis. */
static bool is_wanted(const transpose_options *options, tsl_permutation permutation)
{
    if (cli_given(&options->common, &options->transpose.permutation)) {
        return permutation == options->transpose.permutation;
    }
    return permutation != TSL_PERMUTATION_XYZ &&
           !(options->study && permutation == TSL_PERMUTATION_XZY);
}

/* Measure and verify all permutations, or the one that is asked for; with --study in every
 * tiling. */
static tsl_status measure_all(transpose_work *work)
{
    const transpose_options *options = work->options;
    const tsl_transpose_ops *ops = work->context->ops->transpose;
    const tsl_transpose_tiling usual = {0, 0};
    const tsl_transpose_tiling *tilings = options->study ? ops->tilings : &usual;
    const int tiling_count = options->study ? ops->tiling_count : 1;
    tsl_transpose_bench *bench = NULL;
    tsl_status status = tsl_transpose_bench_create(&bench, work->context, options->transpose.shape,
                                                   options->transpose.element);
    const double begun = tsl_seconds();
    work->setup = begun - work->begun;
    if (status == TSL_OK) {
        tsl_transpose_bytes(&work->bytes, options->transpose.shape, options->transpose.element);
        status = measure_copy(work, bench);
    }
    for (int t = 0; t < tiling_count && status == TSL_OK; t++) {
        for (int p = 0; p < TSL_PERMUTATIONS && status == TSL_OK; p++) {
            if (is_wanted(options, (tsl_permutation)p)) {
                status = measure(work, bench, (tsl_permutation)p, tilings[t]);
            }
        }
    }
    work->compute = tsl_seconds() - begun;
    tsl_transpose_bench_destroy(bench);
    return status;
}

int transpose_verified(const transpose_work *work)
{
    int verified = -1;
    for (int i = 0; i < work->count; i++) {
        const int64_t wrong = work->rows[i].result.wrong;
        verified = wrong > 0 ? 0 : wrong == 0 && verified != 0 ? 1 : verified;
    }
    return verified;
}

/* ---- the command -------------------------------------------------------------------------- */

static tsl_status tell(const transpose_work *work)
{
    const cli_common *common = &work->options->common;
    if (!cli_is_quiet()) {
        transpose_print(cli_summary_stream(common), work);
        cli_flush(stdout);
    }
    return common->json != NULL ? transpose_write_report(work, common->json) : TSL_OK;
}

int transpose_command(const cli_command *self, int argc, char **argv)
{
    transpose_options options;
    int exit_status;
    if (!cli_parse_options(self, &options, argc, argv, &exit_status)) {
        return exit_status;
    }
    transpose_work work = {.options = &options, .begun = tsl_seconds()};
    tsl_status status = cli_open_context(&work.context, &options.common);
    if (status != TSL_OK) {
        return cli_exit_status(NULL, status, false);
    }
    status = options.input != NULL ? transpose_file(&work) : measure_all(&work);
    if (status == TSL_OK) {
        status = tell(&work);
    }
    exit_status = cli_exit_status(work.context, status, options.transpose.auxiliary > 0);
    if (status != TSL_OK) {
        cli_error("%s", tsl_last_error(work.context));
    } else if (transpose_verified(&work) == 0) {
        cli_error("elements stand in the wrong places: see the column 'verified'");
        exit_status = CLI_CHECK_FAILED;
    }
    if (options.common.profile) {
        cli_profile_print(work.context);
    }
    tsl_context_destroy(work.context);
    return exit_status;
}
