/* `tesela pairs ladder`. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "blocks/simplex/cover_point.h"
#include "blocks/simplex/simplex.h"
#include "cli/pairs/command.h"
#include "core/context.h"
#include "device/device.h"
#include "io/report/plot.h"

enum {
    SIZES = 11, /* 128 to 131072 */
    FIRST_SIZE = 128,
    FORMS = 4,
    KINDS = TSL_MAPS + 1, /* the maps, and the packed form */
    MOST_REPEATS = 1000,
    CHECKED = 2048 /* cells a side up to which every one is looked at */
};

/* Blocks of threads: cells along a tile, and rows of threads. */
static const int forms[FORMS][2] = {{8, 8}, {16, 16}, {32, 32}, {32, 8}};

typedef struct ladder_options {
    cli_common common;
    int most, repeats;
    const char *output, *figure; /* NULL: none */
} ladder_options;

typedef struct ladder_row {
    int64_t n;
    int form, kind;
    double median, low, high, fill; /* seconds: the fifth percentile and the ninety-fifth */
} ladder_row;

typedef struct ladder_work {
    const ladder_options *options;
    tsl_context *context;
    double begun, compute;
    tsl_buffer *cells;
    int rows, left_out;
    bool right;
    ladder_row row[SIZES * FORMS * KINDS];
} ladder_work;

static const cli_option rows[] = {
    {"most", .value = "N", .kind = CLI_INTEGER, CLI_FIELD(ladder_options, most),
     .range = {FIRST_SIZE, FIRST_SIZE << (SIZES - 1)}, .help = "largest triangle, cells a side"},
    {"repeats", .value = "R", .kind = CLI_INTEGER, CLI_FIELD(ladder_options, repeats),
     .range = {3, MOST_REPEATS}, .help = "runs of each"},
    {"output", 'o', "L.csv", CLI_FILE, CLI_FIELD(ladder_options, output), .written = CLI_RESULT,
     .help = "where the table goes"},
    {"figure", .value = "FILE", .kind = CLI_FILE, CLI_FIELD(ladder_options, figure),
     .written = CLI_FIGURE, .help = "a figure of it, blocks of 16 x 16"},
    {0}};

static const char command_doc[] =
    "The write test of a triangle: every map from blocks to a lower triangle writes each of its "
    "elements once, into a square matrix, for sides of 128, 256, … and blocks of 8 x 8, 16 x 16, "
    "32 "
    "x 32 and 32 x 8 threads; beside them `packed`, whose threads own aligned pieces of the "
    "triangle "
    "alone, and a fill of as many bytes in the same run. On the CPU rows are written by threads. "
    "Sizes that the device has no memory for are left out, and told."
    "\v"
    "Examples:\n"
    "  tesela pairs ladder --device cuda:0 --most 131072 -o ladder.csv --figure ladder.svg\n"
    "  tesela pairs ladder --device cpu";

static const char *kind_name(int kind)
{
    return kind == TSL_MAPS ? "packed" : tsl_map_name((tsl_map)kind);
}

/* ---- one row -------------------------------------------------------------------------------- */

typedef struct ladder_job {
    tsl_context *context;
    tsl_write_task task;
    int64_t bytes; /* 0: write the triangle; else fill so many bytes */
} ladder_job;

static tsl_status do_job(const ladder_job *job)
{
    tsl_context *const context = job->context;
    tsl_write_task task = job->task;
    if (job->bytes > 0) {
        return context->ops->fill(context, task.cells, 0, job->bytes);
    }
    const int launches = task.packed ? 1 : tsl_map_launches(task.map, (task.n - 1) / task.side + 1);
    tsl_status status = TSL_OK;
    for (task.launch = 0; task.launch < launches && status == TSL_OK; task.launch++) {
        status = context->ops->simplex->write(context, &task);
    }
    return status;
}

static int ascending(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Measure seconds of a run, `repeats` times, each over so many runs that the clock can tell
 * them. */
static tsl_status time_job(double times[MOST_REPEATS], const ladder_job *job, int repeats)
{
    static const double shortest = 2e-4;
    tsl_status status = TSL_OK;
    int runs = 1;
    /* the first time finds memory, the second the number of runs */
    for (int r = -2; r < repeats; r++) {
        const double begun = tsl_seconds();
        for (int k = 0; k < runs; k++) {
            TSL_TRY(do_job(job));
        }
        TSL_TRY(job->context->ops->synchronize(job->context));
        const double taken = (tsl_seconds() - begun) / runs;
        if (r >= 0) {
            times[r] = taken;
        } else if (r == -1) {
            runs = taken * 1000 < shortest ? 1000 : taken < shortest ? (int)(shortest / taken) : 1;
        }
    }
    qsort(times, (size_t)repeats, sizeof *times, ascending);
done:
    return status;
}

/* Check that every element of the triangle is right, and that no other was touched. */
static tsl_status look_over(ladder_work *work, const tsl_write_task *task)
{
    const int64_t n = task->n;
    const int64_t bytes = 4 * (task->packed ? tsl_triangle_count(n) : n * n);
    float *host = tsl_allocate((size_t)bytes);
    if (host == NULL) {
        return tsl_fail_memory(work->context, bytes, "a matrix");
    }
    const tsl_status status = work->context->ops->download(work->context, host, task->cells, bytes);
    for (int64_t i = 0; i < n && status == TSL_OK; i++) {
        const float *const row = host + (task->packed ? tsl_triangle_count(i) : i * n);
        for (int64_t j = 0; j < (task->packed ? i + 1 : n); j++) {
            uint32_t bits;
            memcpy(&bits, &row[j], sizeof bits);
            work->right &= j <= i ? row[j] == tsl_written(i, j) : bits == UINT32_MAX;
        }
    }
    tsl_release(host);
    return status;
}

static tsl_status measure(ladder_work *work, int64_t n, int form, int kind, double fill)
{
    tsl_context *const context = work->context;
    const int repeats = work->options->repeats;
    double times[MOST_REPEATS];
    ladder_job job = {.context = context};
    tsl_status status = TSL_OK;
    job.task.map = kind == TSL_MAPS ? TSL_MAP_BOX : (tsl_map)kind;
    job.task.packed = kind == TSL_MAPS;
    job.task.n = n;
    job.task.side = forms[form][0];
    job.task.rows = forms[form][1];
    job.task.cells = tsl_buffer_data(work->cells);
    if (n <= CHECKED) {
        TSL_TRY(context->ops->fill(context, job.task.cells, 0xFF, 4 * n * n));
    }
    TSL_TRY(time_job(times, &job, repeats));
    if (n <= CHECKED) {
        TSL_TRY(look_over(work, &job.task));
    }
    work->row[work->rows++] = (ladder_row){.n = n,
                                           .form = form,
                                           .kind = kind,
                                           .median = times[repeats / 2],
                                           .low = times[repeats / 20],
                                           .high = times[repeats - 1 - repeats / 20],
                                           .fill = fill};
done:
    return status;
}

static tsl_status measure_size(ladder_work *work, int64_t n)
{
    const bool cpu = work->context->ops == &tsl_device_cpu;
    double times[MOST_REPEATS];
    const ladder_job job = {.context = work->context,
                            .task = {.cells = tsl_buffer_data(work->cells)},
                            .bytes = 4 * tsl_triangle_count(n)};
    tsl_status status = TSL_OK;
    TSL_TRY(time_job(times, &job, work->options->repeats));
    for (int form = 0; form < (cpu ? 1 : FORMS); form++) {
        for (int kind = cpu ? TSL_MAPS - 1 : 0; kind < KINDS; kind++) {
            /* the packed form has no blocks of different forms */
            if (kind < TSL_MAPS || form == 0) {
                TSL_TRY(measure(work, n, form, kind, times[work->options->repeats / 2]));
            }
        }
    }
done:
    return status;
}

static tsl_status run(ladder_work *work)
{
    tsl_device_properties properties;
    int64_t n = FIRST_SIZE, most = FIRST_SIZE;
    tsl_status status = TSL_OK;
    TSL_TRY(tsl_device_read_properties(work->context, &properties));
    for (; n <= work->options->most; n *= 2) {
        if ((double)n * (double)n * 4 < 0.9 * (double)properties.memory_free) {
            most = n;
        } else {
            work->left_out++;
        }
    }
    TSL_TRY(tsl_buffer_create(&work->cells, work->context, 4 * most * most));
    for (n = FIRST_SIZE; n <= most; n *= 2) {
        TSL_TRY(measure_size(work, n));
    }
done:
    return status;
}

/* ---- what the source found ------------------------------------------------------------------ */

static const ladder_row *find(const ladder_work *work, int64_t n, int form, int kind)
{
    for (int r = 0; r < work->rows; r++) {
        const ladder_row *const row = &work->row[r];
        if (row->n == n && row->form == form && row->kind == kind) {
            return row;
        }
    }
    return NULL;
}

typedef struct ladder_finding {
    const char *name;
    int holds, of; /* cells of the table where the finding holds, and all that it is about */
} ladder_finding;

enum { FINDINGS = 4 };

/* Count in how many cells of the table each finding of the source holds. */
static void judge(ladder_finding out[FINDINGS], const ladder_work *work)
{
    static const char *const names[FINDINGS] = {
        "the flat map is the fastest of the source's", "the flat map is faster than the box",
        "16 x 16 threads are the fastest", "the root's map is twice as fast as the box at 8 x 8"};
    for (int f = 0; f < FINDINGS; f++) {
        out[f] = (ladder_finding){.name = names[f]};
    }
    for (int r = 0; r < work->rows; r++) {
        const ladder_row *const row = &work->row[r];
        const ladder_row *const box = find(work, row->n, row->form, TSL_MAP_BOX);
        const ladder_row *const root = find(work, row->n, row->form, TSL_MAP_ROOT);
        const ladder_row *const eight = find(work, row->n, 0, row->kind);
        const ladder_row *const wide = find(work, row->n, 2, row->kind);
        if (row->kind == TSL_MAP_FLAT && box != NULL && root != NULL) {
            out[0].of++;
            out[0].holds += row->median <= box->median && row->median <= root->median;
            out[1].of++;
            out[1].holds += row->median < box->median;
        }
        if (row->form == 1 && row->kind < TSL_MAPS && eight != NULL && wide != NULL) {
            out[2].of++;
            out[2].holds += row->median <= eight->median && row->median <= wide->median;
        }
        if (row->form == 0 && row->kind == TSL_MAP_ROOT && box != NULL && row->n >= 4096) {
            out[3].of++;
            out[3].holds += box->median > 1.8 * row->median && box->median < 2.2 * row->median;
        }
    }
}

/* ---- report --------------------------------------------------------------------------------- */

static const char *form_name(const ladder_work *work, const ladder_row *row)
{
    static const char *const names[FORMS] = {"8x8", "16x16", "32x32", "32x8"};
    return row->kind == TSL_MAPS || work->context->ops == &tsl_device_cpu ? "" : names[row->form];
}

static const char *row_name(const ladder_work *work, const ladder_row *row)
{
    return row->kind < TSL_MAPS && work->context->ops == &tsl_device_cpu ? "rows"
                                                                         : kind_name(row->kind);
}

static double bandwidth(const ladder_row *row)
{
    return 4 * (double)tsl_triangle_count(row->n) / row->median * 1e-9;
}

static void write_rows(FILE *stream, const void *user)
{
    const ladder_work *work = user;
    fputs("cells,threads,map,median_ms,low_ms,high_ms,gb_per_s,of_a_fill\n", stream);
    for (int r = 0; r < work->rows; r++) {
        const ladder_row *const row = &work->row[r];
        fprintf(stream, "%lld,%s,%s,%.6g,%.6g,%.6g,%.6g,%.4f\n", (long long)row->n,
                form_name(work, row), row_name(work, row), 1e3 * row->median, 1e3 * row->low,
                1e3 * row->high, bandwidth(row), row->fill / row->median);
    }
}

static tsl_status draw(const ladder_work *work)
{
    static double x[KINDS][SIZES], y[KINDS][SIZES];
    tsl_plot_curve curves[KINDS];
    int count = 0;
    const int form = work->context->ops == &tsl_device_cpu ? 0 : 1;
    for (int kind = 0; kind < KINDS; kind++) {
        tsl_plot_curve curve = {.name = NULL, .x = x[count], .y = y[count]};
        for (int r = 0; r < work->rows; r++) {
            const ladder_row *const row = &work->row[r];
            if (row->kind == kind && row->form == (kind == TSL_MAPS ? 0 : form)) {
                curve.name = row_name(work, row);
                x[count][curve.count] = (double)row->n;
                y[count][curve.count++] = bandwidth(row);
            }
        }
        if (curve.count > 0) {
            curves[count++] = curve;
        }
    }
    const tsl_plot plot = {.title = "Writing a triangle",
                           .x = {"cells a side", TSL_PLOT_DOUBLINGS},
                           .y = {"GB/s of the triangle", TSL_PLOT_LINEAR},
                           .curves = count,
                           .curve = curves,
                           .marks = true};
    return tsl_plot_write(work->context, work->options->figure, &plot);
}

static void write_body(tsl_json *json, const void *user)
{
    const ladder_work *work = user;
    ladder_finding findings[FINDINGS];
    judge(findings, work);
    tsl_json_open_object(json, "parameters");
    tsl_json_integer(json, "most", work->options->most);
    tsl_json_integer(json, "repeats", work->options->repeats);
    tsl_json_string(json, "output", work->options->output);
    tsl_json_string(json, "figure", work->options->figure);
    tsl_json_integer(json, "threads", tsl_context_threads(work->context));
    tsl_json_close_object(json);
    tsl_json_open_object(json, "results");
    tsl_json_integer(json, "left_out", work->left_out);
    tsl_json_open_array(json, "rows");
    for (int r = 0; r < work->rows; r++) {
        const ladder_row *const row = &work->row[r];
        tsl_json_open_object(json, NULL);
        tsl_json_integer(json, "cells", row->n);
        tsl_json_string(json, "block", form_name(work, row));
        tsl_json_string(json, "map", row_name(work, row));
        tsl_json_number(json, "median_seconds", row->median);
        tsl_json_number(json, "low_seconds", row->low);
        tsl_json_number(json, "high_seconds", row->high);
        tsl_json_number(json, "fill_seconds", row->fill);
        tsl_json_close_object(json);
    }
    tsl_json_close_array(json);
    tsl_json_open_array(json, "findings");
    for (int f = 0; f < FINDINGS; f++) {
        tsl_json_open_object(json, NULL);
        tsl_json_string(json, "name", findings[f].name);
        tsl_json_integer(json, "holds", findings[f].holds);
        tsl_json_integer(json, "of", findings[f].of);
        tsl_json_close_object(json);
    }
    tsl_json_close_array(json);
    tsl_json_close_object(json);
}

static void print_table(const ladder_work *work, FILE *stream)
{
    ladder_finding findings[FINDINGS];
    judge(findings, work);
    fprintf(stream, "%8s %-6s %-10s %11s %11s %11s %8s %9s\n", "cells", "block", "map", "median ms",
            "low", "high", "GB/s", "of a fill");
    for (int r = 0; r < work->rows; r++) {
        const ladder_row *const row = &work->row[r];
        fprintf(stream, "%8lld %-6s %-10s %11.5f %11.5f %11.5f %8.1f %9.3f\n", (long long)row->n,
                form_name(work, row), row_name(work, row), 1e3 * row->median, 1e3 * row->low,
                1e3 * row->high, bandwidth(row), row->fill / row->median);
    }
    for (int f = 0; f < FINDINGS; f++) {
        if (findings[f].of > 0) {
            fprintf(stream, "%s: in %d of %d\n", findings[f].name, findings[f].holds,
                    findings[f].of);
        }
    }
    if (work->left_out > 0) {
        fprintf(stream, "%d sizes left out: no memory for them\n", work->left_out);
    }
    fprintf(stream, "elements up to %d cells a side: %s\n", CHECKED,
            work->right ? "all right" : "WRONG");
    cli_flush(stream);
}

static tsl_status tell(const ladder_work *work)
{
    const cli_common *common = &work->options->common;
    const cli_report report = {.command = "pairs ladder",
                               .device = tsl_context_device(work->context),
                               .verified = work->right,
                               .total = tsl_seconds() - work->begun,
                               .compute = work->compute};
    tsl_status status = TSL_OK;
    if (!cli_is_quiet()) {
        print_table(work, cli_summary_stream(common));
    }
    if (work->options->output != NULL) {
        TSL_TRY(cli_csv_write(work->context, work->options->output, write_rows, work));
    }
    if (work->options->figure != NULL) {
        TSL_TRY(draw(work));
    }
    status = cli_conclude(work->context, common, &report, write_body, work);
done:
    return status;
}

static void init(const cli_command *self, void *options)
{
    (void)self;
    *(ladder_options *)options = (ladder_options){.most = 32768, .repeats = 31};
}

static int run_command(const cli_command *self, int argc, char **argv)
{
    static ladder_work work; /* static, since it has many rows */
    ladder_options options;
    int exit_status;
    work = (ladder_work){.options = &options, .begun = tsl_seconds(), .right = true};
    if (!cli_parse_options(self, &options, argc, argv, &exit_status)) {
        return exit_status;
    }
    if (!cli_check_files(&options.common, NULL, 0)) {
        return CLI_USAGE;
    }
    tsl_status status = cli_open_context(&work.context, &options.common);
    const double ready = tsl_seconds();
    if (status == TSL_OK) {
        status = run(&work);
        tsl_profile_add(work.context, "write tests", ready, 0, 0);
    }
    work.compute = tsl_seconds() - ready;
    if (status == TSL_OK) {
        status = tell(&work);
    }
    exit_status = cli_end(work.context, status, false);
    if (status == TSL_OK && !work.right) {
        cli_error("a map does not write its triangle");
        exit_status = CLI_CHECK_FAILED;
    }
    tsl_buffer_destroy(work.cells);
    tsl_context_destroy(work.context);
    return exit_status;
}

const cli_command pairs_ladder = {.name = "ladder",
                                  .summary = "how fast those maps write, beside a fill",
                                  .run = run_command,
                                  .doc = command_doc,
                                  .rows = rows,
                                  .size = sizeof(ladder_options),
                                  .init = init,
                                  .places = CLI_ONE_DEVICE};
