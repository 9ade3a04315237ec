/* `tesela transpose`: a file, or measurements. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "blocks/transpose/transpose.h"
#include "cli/shared/ranks.h"
#include "cli/transpose/command.h"
#include "core/context.h"
#include "device/device.h"
#include "io/grid/npy.h"

/* ---- a file ------------------------------------------------------------------------------- */

/* Lengths of a file's axes, fastest first, ones after the last; false if there are more than three.
 */
static bool shape_of(int64_t shape[3], const tsl_npy *header)
{
    for (int i = 0; i < 3; i++) {
        shape[i] = 1;
    }
    for (int i = 0; i < header->axes && header->axes <= 3; i++) {
        shape[header->fortran_order ? i : header->axes - 1 - i] = header->shape[i];
    }
    return header->axes <= 3;
}

/* The shape to transpose, and how many axes the result has. */
static tsl_status settle_shape(transpose_options *options, tsl_context *context,
                               const tsl_npy *header, int *axes)
{
    int64_t *given = options->transpose.shape;
    int64_t shape[3], turned[3];
    const bool few = shape_of(shape, header);
    if (given[0] > 0) {
        int64_t count = 0;
        if (!tsl_transpose_bytes(&count, given, 1) || count != header->count) {
            return tsl_fail(context, TSL_E_ARG,
                            "--shape %lld,%lld,%lld: %s holds %lld elements, not that many",
                            (long long)given[0], (long long)given[1], (long long)given[2],
                            options->input, (long long)header->count);
        }
        *axes = 3;
        return TSL_OK;
    }
    if (!few || header->axes < 2) {
        return tsl_fail(context, TSL_E_ARG,
                        "%s: has %d ax%cs: say with --shape NX,NY,NZ what three its elements have",
                        options->input, header->axes, header->axes == 1 ? 'i' : 'e');
    }
    memcpy(given, shape, sizeof shape);
    *axes = header->axes;
    tsl_permutation_shape(turned, shape, options->transpose.permutation);
    const char last = tsl_permutation_name(options->transpose.permutation)[2];
    if (*axes == 2 && last != 'z') {
        return tsl_fail(context, TSL_E_ARG,
                        "%s: has 2 axes, x and y: give --permute yxz, or --shape NX,NY,NZ",
                        options->input);
    }
    return TSL_OK;
}

static tsl_status check_header(transpose_options *options, tsl_context *context,
                               const tsl_npy *header)
{
    const int asked = options->transpose.element;
    if (header->item != 4 && header->item != 8 && header->item != 16) {
        return tsl_fail(context, TSL_E_ARG,
                        "%s: has elements of %lld bytes (%s): only 4, 8 and 16 can be transposed",
                        options->input, (long long)header->item, header->type);
    }
    if (asked != 0 && asked != header->item) {
        return tsl_fail(context, TSL_E_ARG, "--element %d: %s has elements of %lld bytes", asked,
                        options->input, (long long)header->item);
    }
    if (header->count == 0) {
        return tsl_fail(context, TSL_E_ARG, "%s: has no elements", options->input);
    }
    options->transpose.element = (int)header->item;
    return TSL_OK;
}

/* Transpose `data`, of `bytes` bytes, on the device. */
static tsl_status transpose_data(transpose_work *work, void *data, int64_t bytes)
{
    const tsl_transpose_options *options = &work->options->transpose;
    transpose_row *row = &work->rows[0];
    tsl_transpose_plan *plan = NULL;
    tsl_buffer *in = NULL;
    tsl_buffer *out = NULL;
    tsl_status status = tsl_buffer_create(&in, work->context, bytes);
    if (status == TSL_OK && !options->in_place) {
        status = tsl_buffer_create(&out, work->context, bytes);
    }
    tsl_buffer *const target = options->in_place ? in : out;
    if (status == TSL_OK) {
        status = tsl_transpose_plan_create(&plan, work->context, options);
    }
    if (status == TSL_OK) {
        status = tsl_buffer_write(in, 0, data, bytes);
    }
    if (status == TSL_OK) {
        status = tsl_context_synchronize(work->context);
    }
    const double begun = tsl_seconds();
    work->setup = begun - work->begun;
    if (status == TSL_OK) {
        status = tsl_transpose_execute(plan, target, in);
    }
    if (status == TSL_OK) {
        status = tsl_context_synchronize(work->context);
    }
    work->compute = tsl_seconds() - begun;
    if (status == TSL_OK) {
        *row = (transpose_row){.permutation = options->permutation,
                               .result = {.seconds = work->compute,
                                          .bytes = tsl_transpose_plan_moved(plan),
                                          .auxiliary = tsl_transpose_plan_bytes(plan),
                                          .wrong = -1}};
        work->count = 1;
        work->bytes = bytes;
        status = tsl_buffer_read(target, 0, data, bytes);
    }
    tsl_transpose_plan_destroy(plan);
    tsl_buffer_destroy(in);
    tsl_buffer_destroy(out);
    return status;
}

/* The array here and on the device, where it is turned in place or not. */
static tsl_status check_memory(const transpose_options *options, tsl_context *context,
                               const tsl_npy *header)
{
    const tsl_transpose_options *t = &options->transpose;
    const int64_t bytes = header->count * header->item;
    /* no transposition takes more than the array's own size */
    const int64_t most = tsl_transpose_auxiliary(t, bytes);
    const int64_t auxiliary = most < bytes ? most : bytes;
    char what[PATH_MAX + 80];
    snprintf(what, sizeof what, "%s: %lld elements of %lld bytes need", options->input,
             (long long)header->count, (long long)header->item);
    const tsl_device_need need = {.what = what,
                                  .remedy = t->in_place ? "take fewer"
                                                        : "take fewer, or turn them --in-place",
                                  .device = t->in_place             ? bytes + auxiliary
                                            : bytes > INT64_MAX / 2 ? INT64_MAX
                                                                    : 2 * bytes,
                                  .host = bytes};
    return tsl_device_foresee(context, &need);
}

/* Transpose the file. */
static tsl_status transpose_one(transpose_work *work)
{
    transpose_options *options = work->options;
    tsl_npy header;
    FILE *file = NULL;
    void *data = NULL;
    int axes = 0;
    tsl_status status = tsl_npy_open(&file, &header, work->context, options->input);
    if (status != TSL_OK) {
        return status;
    }
    TSL_TRY(check_header(options, work->context, &header));
    TSL_TRY(settle_shape(options, work->context, &header, &axes));
    TSL_TRY(check_memory(options, work->context, &header));
done:
    if (status != TSL_OK) {
        fclose(file);
        return status;
    }
    status = tsl_npy_load(&data, file, &header, work->context, options->input);
    if (status == TSL_OK) {
        status = transpose_data(work, data, header.count * header.item);
    }
    if (status == TSL_OK) {
        int64_t shape[3];
        tsl_permutation_shape(shape, options->transpose.shape, options->transpose.permutation);
        header.axes = axes;
        for (int i = 0; i < axes; i++) {
            header.shape[i] = shape[header.fortran_order ? i : axes - 1 - i];
        }
        status = tsl_npy_write(work->context, options->output, &header, data);
    }
    tsl_release(data);
    return status;
}

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

/* Is a permutation to be measured? xyz is the copy that the others are compared with; of a study
 * only those whose tiles exchange the fastest axis. */
static bool is_wanted(const transpose_options *options, tsl_permutation permutation)
{
    if (options->has_permutation) {
        return permutation == options->transpose.permutation;
    }
    return permutation != TSL_PERMUTATION_XYZ &&
           !(options->study && permutation == TSL_PERMUTATION_XZY);
}

/* Measure and verify all permutations, or the one asked for; with --study, every tiling. */
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

int cli_transpose(int argc, char **argv)
{
    transpose_options options;
    int exit_status;
    if (!cli_is_alone("transpose")) {
        return cli_refused(CLI_USAGE);
    }
    if (!transpose_options_parse(&options, argc, argv, &exit_status)) {
        return exit_status;
    }
    transpose_work work = {.options = &options, .begun = tsl_seconds()};
    tsl_status status = cli_open_context(&work.context, &options.common);
    if (status != TSL_OK) {
        return cli_exit_status(NULL, status, false);
    }
    if (options.common.profile) {
        tsl_profile_enable(work.context);
    }
    status = options.input != NULL ? transpose_one(&work) : measure_all(&work);
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
