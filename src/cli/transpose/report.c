/* The table and the JSON report of `tesela transpose`. */

#include "cli/transpose/command.h"

static double rate(const tsl_transpose_result *result)
{
    return 1e-9 * (double)result->bytes / (result->seconds > 0 ? result->seconds : 1e-9);
}

/* Rate of the copy: bytes read and written, in 1e9 a second. */
static double copy_rate(const transpose_work *work)
{
    return rate(&(tsl_transpose_result){.bytes = 2 * work->bytes, .seconds = work->copy_seconds});
}

static const char *verdict(const tsl_transpose_result *result)
{
    return result->wrong < 0 ? "-" : result->wrong == 0 ? "yes" : "NO";
}

static void print_file(FILE *stream, const transpose_work *work)
{
    const tsl_transpose_options *t = &work->options->transpose;
    int64_t shape[3];
    tsl_permutation_shape(shape, t->shape, t->permutation);
    fprintf(stream, "%s: %lld x %lld x %lld elements of %d bytes, %s: ", work->options->output,
            (long long)shape[0], (long long)shape[1], (long long)shape[2], t->element,
            tsl_permutation_name(t->permutation));
    if (work->rows[0].result.bytes > 0) {
        fprintf(stream, "%.3f ms, %.1f GB/s\n", 1e3 * work->rows[0].result.seconds,
                rate(&work->rows[0].result));
    } else {
        fprintf(stream, "nothing moves\n");
    }
}

void transpose_print(FILE *stream, const transpose_work *work)
{
    const transpose_options *options = work->options;
    const tsl_transpose_options *t = &options->transpose;
    if (options->input != NULL) {
        print_file(stream, work);
        return;
    }
    char bytes[16];
    fprintf(stream, "%lld x %lld x %lld elements of %d bytes, %s, %s, on %s\n",
            (long long)t->shape[0], (long long)t->shape[1], (long long)t->shape[2], t->element,
            tsl_format_bytes(bytes, work->bytes), t->in_place ? "in place" : "out of place",
            tsl_context_device(work->context));
    fprintf(stream, "%s%-12s %10s %8s %7s  %-8s%s\n", options->study ? "tile a thread  " : "",
            "permutation", "ms", "GB/s", "copy", "verified", t->in_place ? "  auxiliary" : "");
    fprintf(stream, "%s%-12s %10.3f %8.1f %5.0f %%\n", options->study ? "               " : "",
            "copy", 1e3 * work->copy_seconds, copy_rate(work), 100.0);
    for (int i = 0; i < work->count; i++) {
        const transpose_row *row = &work->rows[i];
        if (options->study) {
            fprintf(stream, "%4d %8d  ", row->tile, row->per_thread);
        }
        fprintf(stream, "%-12s ", tsl_permutation_name(row->permutation));
        if (row->result.bytes > 0) {
            fprintf(stream, "%10.3f %8.1f %5.1f %%  ", 1e3 * row->result.seconds,
                    rate(&row->result), 100 * rate(&row->result) / copy_rate(work));
        } else {
            fprintf(stream, "%27s  ", "nothing moves");
        }
        fprintf(stream, "%-8s", verdict(&row->result));
        fprintf(stream, t->in_place ? "  %s\n" : "\n",
                tsl_format_bytes(bytes, row->result.auxiliary));
    }
}

/* ---- JSON --------------------------------------------------------------------------------- */

static void write_parameters(tsl_json *json, const transpose_options *options, int threads)
{
    const tsl_transpose_options *t = &options->transpose;
    tsl_json_open_object(json, "parameters");
    tsl_json_string(json, "input", options->input);
    tsl_json_string(json, "output", options->output);
    tsl_json_open_array(json, "shape");
    for (int i = 0; i < 3; i++) {
        tsl_json_integer(json, NULL, t->shape[i]);
    }
    tsl_json_close_array(json);
    tsl_json_string(
        json, "permutation",
        cli_given(&options->common, &t->permutation) ? tsl_permutation_name(t->permutation) : NULL);
    tsl_json_integer(json, "element", t->element);
    tsl_json_bool(json, "in_place", t->in_place != 0);
    tsl_json_known_integer(json, "auxiliary", t->auxiliary, t->auxiliary > 0);
    tsl_json_bool(json, "study", options->study);
    tsl_json_integer(json, "threads", threads);
    tsl_json_close_object(json);
}

static void write_row(tsl_json *json, const transpose_work *work, const transpose_row *row)
{
    const bool measured = work->copy_seconds > 0 && row->result.bytes > 0;
    tsl_json_open_object(json, NULL);
    tsl_json_string(json, "permutation", tsl_permutation_name(row->permutation));
    tsl_json_integer(json, "tile", row->tile);
    tsl_json_integer(json, "per_thread", row->per_thread);
    tsl_json_number(json, "seconds", row->result.seconds);
    tsl_json_number(json, "gb_per_second", rate(&row->result));
    tsl_json_known_number(json, "share_of_copy",
                          measured ? rate(&row->result) / copy_rate(work) : 0, measured);
    tsl_json_integer(json, "auxiliary", row->result.auxiliary);
    tsl_json_close_object(json);
}

/* Write the cases of the report: the number of elements in the wrong place, which must be 0. */
static void write_cases(tsl_json *json, const transpose_work *work)
{
    tsl_json_open_array(json, "cases");
    for (int i = 0; i < work->count; i++) {
        const transpose_row *row = &work->rows[i];
        if (row->result.wrong < 0) {
            continue;
        }
        char name[64];
        snprintf(name, sizeof name, work->options->study ? "%s, tile %d, %d a thread" : "%s",
                 tsl_permutation_name(row->permutation), row->tile, row->per_thread);
        cli_report_case(json, name, (double)row->result.wrong, 0, row->result.wrong == 0);
    }
    tsl_json_close_array(json);
}

static void write_results(tsl_json *json, const transpose_work *work)
{
    const bool measured = work->copy_seconds > 0;
    tsl_json_open_object(json, "results");
    tsl_json_integer(json, "bytes", work->bytes);
    tsl_json_known_number(json, "copy_seconds", work->copy_seconds, measured);
    tsl_json_known_number(json, "copy_gb_per_second", measured ? copy_rate(work) : 0, measured);
    tsl_json_open_array(json, "transpositions");
    for (int i = 0; i < work->count; i++) {
        write_row(json, work, &work->rows[i]);
    }
    tsl_json_close_array(json);
    write_cases(json, work);
    tsl_json_close_object(json);
}

static void write_body(tsl_json *json, const void *work)
{
    const transpose_work *w = work;
    write_parameters(json, w->options, tsl_context_threads(w->context));
    write_results(json, w);
}

tsl_status transpose_write_report(const transpose_work *work, const char *path)
{
    const cli_report report = {.command = "transpose",
                               .device = tsl_context_device(work->context),
                               .verified = transpose_verified(work),
                               .total = tsl_seconds() - work->begun,
                               .setup = work->setup,
                               .compute = work->compute};
    return cli_report_write(work->context, path, &report, write_body, work);
}
