/* `tesela pairs ladder`. */
#include "cli/pairs/ladder.h"

#include <stdlib.h>
#include <string.h>

#include "blocks/simplex/cover_point.h"
#include "core/context.h"
#include "device/device.h"

enum {
    FIRST_SIZE = 128,
    LARGEST_SIZE = FIRST_SIZE << (LADDER_SIZES - 1),
    LEAST_REPEATS = 3,
    MOST_REPEATS = 1000,
    MOST_NESTED = 32768 /* cells a side of nested grids in all their ways */
};

/* Blocks of threads: cells along a tile, and rows of threads. */
static const int forms[LADDER_FORMS][2] = {{8, 8}, {16, 16}, {32, 32}, {32, 8}};

static const cli_option rows[] = {
    {"most", .value = "N", .kind = CLI_INTEGER, CLI_FIELD(ladder_options, most),
     .range = {FIRST_SIZE, LARGEST_SIZE}, .help = "cells along a side of the largest triangle",
     .otherwise = "131072 on an NVIDIA GPU, 32768 elsewhere"},
    {"repeats", .value = "R", .kind = CLI_INTEGER, CLI_FIELD(ladder_options, repeats),
     .range = {LEAST_REPEATS, MOST_REPEATS}, .help = "largest number of runs of each map"},
    {"seconds", .value = "S", .kind = CLI_REAL, CLI_FIELD(ladder_options, seconds),
     .range = {0, 3600},
     .help = "time after which the runs of a map end, but at least three are made"},
    {"leaf", .value = "C", .kind = CLI_INTEGER, CLI_FIELD(ladder_options, leaf),
     .range = {32, LARGEST_SIZE},
     .help = "cells along a side of a triangle that nested grids don't divide further"},
    {"output", 'o', "L.csv", CLI_FILE, CLI_FIELD(ladder_options, output), .written = CLI_RESULT,
     .help = "file for the table"},
    {"figure", .value = "FILE", .kind = CLI_FILE, CLI_FIELD(ladder_options, figure),
     .written = CLI_FIGURE, .help = "draw the rates for blocks of 16 x 16"},
    {0}};

static const char command_doc[] =
    "Measure how fast maps from blocks to a lower triangle write. Every map writes each element of "
    "the triangle once, into a square matrix, for sides of 128, 256, … and blocks of 8 x 8, 16 x "
    "16, 32 x 32 and 32 x 8 threads. The table also has `persistent`, with as many blocks as the "
    "device holds at a time, each of which writes many tiles; `packed`, whose threads each own "
    "aligned pieces of the packed triangle; and a fill of as many bytes in the same run. On an "
    "NVIDIA GPU it also has `nested`, grids whose blocks launch grids (dynamic parallelism), and "
    "variants of it with one change at a time, which show what makes it slow. On the CPU, threads "
    "write rows. Sizes for which the device lacks memory are left out and named.\v"
    "Examples:\n"
    "  tesela pairs ladder --device cuda:0 -o ladder.csv --figure ladder.svg\n"
    "  tesela pairs ladder --device cpu";

/* ---- one row -------------------------------------------------------------------------------- */

typedef struct ladder_job {
    tsl_context *context;
    tsl_write_task task;
    const tsl_nested_task *nested; /* NULL: `task` is done */
    int64_t bytes;                 /* 0: write the triangle; else fill so many bytes */
} ladder_job;

static tsl_status do_job(const ladder_job *job)
{
    tsl_context *const context = job->context;
    tsl_write_task task = job->task;
    if (job->bytes > 0) {
        return context->ops->fill(context, task.cells, 0, job->bytes);
    }
    if (job->nested != NULL) {
        return tsl_nested_run(context, job->nested);
    }
    const int launches = task.packed || task.blocks > 0
                             ? 1
                             : tsl_map_launches(task.map, (task.n - 1) / task.side + 1);
    tsl_status status = TSL_OK;
    for (task.launch = 0; task.launch < launches && status == TSL_OK; task.launch++) {
        status = context->ops->simplex->write(context, &task);
    }
    return status;
}

/* Do a job `runs` times; the seconds of one. */
static tsl_status time_runs(double *seconds, const ladder_job *job, int runs)
{
    const double begun = tsl_seconds();
    tsl_status status = TSL_OK;
    for (int k = 0; k < runs; k++) {
        TSL_TRY(do_job(job));
    }
    TSL_TRY(job->context->ops->synchronize(job->context));
    *seconds = (tsl_seconds() - begun) / runs;
    if (job->nested != NULL) {
        status = tsl_nested_check(job->context, job->nested, runs);
    }
done:
    return status;
}

static int ascending(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Measurements that are long enough for the clock each. */
static tsl_status time_job(ladder_times *out, const ladder_job *job, const ladder_options *options)
{
    static const double shortest = 2e-4;
    double times[MOST_REPEATS], taken;
    int runs = 1, count = 0;
    tsl_status status = TSL_OK;
    TSL_TRY(time_runs(&taken, job, 1)); /* finds memory and loads code */
    if (taken < 100 * shortest) {
        TSL_TRY(time_runs(&taken, job, 1));
        runs = taken * 1000 < shortest ? 1000 : taken < shortest ? (int)(shortest / taken) : 1;
    }
    for (const double begun = tsl_seconds();
         count < LEAST_REPEATS ||
         (count < options->repeats && tsl_seconds() - begun < options->seconds);
         count++) {
        TSL_TRY(time_runs(&times[count], job, runs));
    }
    qsort(times, (size_t)count, sizeof *times, ascending);
    *out = (ladder_times){.runs = count,
                          .median = times[count / 2],
                          .low = times[count / 20],
                          .high = times[count - 1 - count / 20]};
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

/* The task of nested grids that writes what another task does. */
static tsl_nested_task nest(const ladder_work *work, const tsl_write_task *task, int leaf,
                            tsl_nested_way way)
{
    return (tsl_nested_task){.way = (int)way,
                             .n = task->n,
                             .side = task->side,
                             .rows = task->rows,
                             .leaf = tsl_nested_leaf(leaf, task->side),
                             .cells = task->cells,
                             .grids = tsl_buffer_data(work->grids)};
}

static tsl_status measure(ladder_work *work, int64_t n, int form, int kind, double fill)
{
    tsl_context *const context = work->context;
    ladder_row *const row = &work->row[work->rows];
    ladder_job job = {.context = context};
    tsl_nested_task nested;
    tsl_status status = TSL_OK;
    job.task.map = kind < TSL_MAPS ? (tsl_map)kind : TSL_MAP_BOX;
    job.task.packed = kind == LADDER_PACKED;
    job.task.n = n;
    job.task.side = forms[form][0];
    job.task.rows = forms[form][1];
    job.task.cells = tsl_buffer_data(work->cells);
    if (kind == LADDER_PERSISTENT) {
        job.task.blocks = tsl_persistent_blocks(
            (n - 1) / job.task.side + 1,
            context->ops->simplex->held(context, job.task.side * job.task.rows));
    }
    if (kind == LADDER_NESTED) {
        nested = nest(work, &job.task, work->options->leaf, TSL_NESTED_FORGET);
        job.nested = &nested;
    }
    *row = (ladder_row){.n = n, .form = form, .kind = kind, .fill = fill};
    if (n <= LADDER_CHECKED) {
        TSL_TRY(context->ops->fill(context, job.task.cells, 0xFF, 4 * n * n));
    }
    TSL_TRY(time_job(&row->times, &job, work->options));
    if (n <= LADDER_CHECKED) {
        TSL_TRY(look_over(work, &job.task));
    }
    work->rows++;
    ladder_print_row(work, row);
done:
    return status;
}

/* Is there such a row on the device? Packed pieces have no form. */
static bool is_measured(const ladder_work *work, int form, int kind)
{
    return (kind != LADDER_PACKED || form == 0) &&
           (kind != LADDER_NESTED || work->context->ops->simplex->nested != NULL) &&
           (!ladder_is_cpu(work) || (form == 0 && (kind == TSL_MAP_BOX || kind == LADDER_PACKED)));
}

static tsl_status measure_size(ladder_work *work, int64_t n)
{
    ladder_times fill;
    const ladder_job job = {.context = work->context,
                            .task = {.cells = tsl_buffer_data(work->cells)},
                            .bytes = 4 * tsl_triangle_count(n)};
    tsl_status status = TSL_OK;
    TSL_TRY(time_job(&fill, &job, work->options));
    for (int form = 0; form < LADDER_FORMS; form++) {
        for (int kind = 0; kind < LADDER_KINDS; kind++) {
            if (is_measured(work, form, kind)) {
                TSL_TRY(measure(work, n, form, kind, fill.median));
            }
        }
    }
done:
    return status;
}

static tsl_status try_nested(ladder_work *work, int64_t n, int leaf, tsl_nested_way way)
{
    const tsl_write_task task = {
        .n = n, .side = 16, .rows = 16, .cells = tsl_buffer_data(work->cells)};
    const tsl_nested_task nested = nest(work, &task, leaf, way);
    const ladder_job job = {.context = work->context, .nested = &nested};
    ladder_trial *const trial = &work->trial[work->trials];
    tsl_status status = TSL_OK;
    *trial = (ladder_trial){.n = n, .leaf = leaf, .way = way};
    trial->grids = tsl_nested_size_of((n - 1) / task.side + 1, nested.leaf).grids;
    TSL_TRY(time_job(&trial->times, &job, work->options));
    work->trials++;
    ladder_print_trial(work, trial);
done:
    return status;
}

/* Nested grids by the size of a leaf, and then by what could make them slow. */
static tsl_status try_all_nested(ladder_work *work, int64_t most)
{
    const int64_t n = most < MOST_NESTED ? most : MOST_NESTED;
    tsl_status status = TSL_OK;
    for (int leaf = 0; leaf < LADDER_LEAVES; leaf++) {
        TSL_TRY(try_nested(work, n, 256 << leaf, TSL_NESTED_FORGET));
    }
    for (int way = 0; way < TSL_NESTED_WAYS; way++) {
        TSL_TRY(try_nested(work, n, work->options->leaf, (tsl_nested_way)way));
    }
done:
    return status;
}

static tsl_status run(ladder_work *work)
{
    tsl_context *const context = work->context;
    tsl_device_properties properties;
    int64_t n = FIRST_SIZE, most = FIRST_SIZE;
    tsl_status status = TSL_OK;
    TSL_TRY(tsl_device_read_properties(context, &properties));
    work->memory_free = properties.memory_free;
    work->most = work->options->most > 0                 ? work->options->most
                 : context->ops->simplex->nested != NULL ? LARGEST_SIZE
                                                         : LADDER_MOST;
    for (; n <= work->most; n *= 2) {
        if ((double)n * (double)n * 4 < 0.9 * (double)properties.memory_free) {
            most = n;
        } else {
            work->left_out++;
        }
    }
    TSL_TRY(tsl_buffer_create(&work->cells, context, 4 * most * most));
    TSL_TRY(tsl_buffer_create(&work->grids, context, 16));
    TSL_TRY(tsl_buffer_fill(work->grids, 0));
    if (context->ops->simplex->nested != NULL) { /* the smallest tiles make the most grids */
        const tsl_write_task task = {.n = most, .side = forms[0][0], .rows = forms[0][1]};
        const tsl_nested_task nested = nest(work, &task, work->options->leaf, TSL_NESTED_FORGET);
        TSL_TRY(tsl_nested_check_task(context, &nested));
    }
    ladder_print_head(work);
    for (n = FIRST_SIZE; n <= most; n *= 2) {
        TSL_TRY(measure_size(work, n));
    }
    if (context->ops->simplex->nested != NULL) {
        TSL_TRY(try_all_nested(work, most));
    }
done:
    return status;
}

static void init(const cli_command *self, void *options)
{
    (void)self;
    *(ladder_options *)options = (ladder_options){.repeats = 31, .seconds = 0.5, .leaf = 1024};
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
    work.stream = cli_is_quiet() ? NULL : cli_summary_stream(&options.common);
    tsl_status status = cli_open_context(&work.context, &options.common);
    const double ready = tsl_seconds();
    if (status == TSL_OK) {
        status = run(&work);
        tsl_profile_add(work.context, "write tests", ready, 0, 0);
    }
    work.compute = tsl_seconds() - ready;
    if (status == TSL_OK) {
        status = ladder_tell(&work);
    }
    exit_status = cli_end(work.context, status, false);
    if (status == TSL_OK && !work.right) {
        cli_error("a map does not write its triangle");
        exit_status = CLI_CHECK_FAILED;
    }
    tsl_buffer_destroy(work.cells);
    tsl_buffer_destroy(work.grids);
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
