/* `tesela pairs knn`. */
#include <stdio.h>

#include "cli/pairs/command.h"
#include "comm/comm.h"
#include "core/context.h"
#include "io/grid/npz.h"

typedef struct nearest_options {
    cli_common common;
    int k;
    const char *input, *output; /* NULL: none */
} nearest_options;

typedef struct nearest_work {
    pairs_task task;
    const nearest_options *options;
    tsl_point_set points;
    int32_t *indices;
    void *distances;
} nearest_work;

static const cli_option rows[] = {
    {"k", .value = "K", .kind = CLI_INTEGER, CLI_FIELD(nearest_options, k), .range = {1, 96},
     .help = "number of nearest points of each point"},
    {"output", 'o', "K.npz", CLI_FILE, CLI_FIELD(nearest_options, output), .written = CLI_RESULT,
     .help = "file for indices and distances, arrays [points][K]"},
    {0}};

static const char command_doc[] =
    "Find the K nearest other points of each point, exactly, in Euclidean distance. They are in "
    "ascending order; of equally distant points the smaller index comes first. Where there are "
    "fewer than K, indices are -1 and distances infinite.\v"
    "A file is .npy, a table of text, or the atoms of a PDB or mmCIF file, as for tesela pairs "
    "distance.\n"
    "\n"
    "Examples:\n"
    "  tesela pairs knn points.npy -o nearest.npz\n"
    "  tesela pairs knn embeddings.npy --k 10 --device cuda:0 -o nearest.npz";

static error_t set_argument(void *parsed, const char *text)
{
    return pairs_take_file(&((nearest_options *)parsed)->input, text);
}

static bool check(void *parsed)
{
    const nearest_options *const options = parsed;
    if (options->input == NULL) {
        cli_error("a file of points is missing: tesela pairs knn points.npy -o K.npz");
    } else if (options->output == NULL) {
        cli_error("-o K.npz is missing: say where the nearest points go");
    } else if (!pairs_is_npz(options->output)) {
        cli_error("-o %s: give a name that ends in .npz", options->output);
    } else {
        return cli_check_files(&options->common, &options->input, 1);
    }
    return false;
}

static tsl_status write_result(const nearest_work *work, int64_t count)
{
    const int precision = work->points.points.precision;
    const tsl_npz_member members[] = {
        {"indices", "<i4", 4, count, work->indices},
        {"distances", precision == 4 ? "<f4" : "<f8", precision, count, work->distances}};
    return tsl_npz_write(work->task.context, work->options->output, members, 2);
}

static tsl_status reserve(nearest_work *work)
{
    const int64_t count = work->points.points.count * work->options->k;
    const int precision = work->points.points.precision;
    work->indices = tsl_allocate((size_t)(4 * count));
    work->distances = tsl_allocate((size_t)(precision * count));
    return work->indices == NULL || work->distances == NULL
               ? tsl_fail_memory(work->task.context, (4 + precision) * count, "nearest points")
               : TSL_OK;
}

static tsl_status run(nearest_work *work)
{
    const tsl_points *const points = &work->points.points;
    tsl_status status = TSL_OK;
    double ready;
    TSL_TRY(pairs_read(&work->points, work->task.group, work->options->input));
    TSL_TRY(tsl_comm_agree(work->task.context, reserve(work)));
    ready = tsl_seconds();
    work->task.setup = ready - work->task.begun;
    TSL_TRY(tsl_nearest_find(work->indices, work->distances, work->task.context, work->options->k,
                             points));
    work->task.compute = tsl_seconds() - ready;
    status =
        work->task.group->rank == 0 ? write_result(work, points->count * work->options->k) : TSL_OK;
done:
    return status;
}

static void write_body(tsl_json *json, const void *user)
{
    const nearest_work *work = user;
    tsl_json_open_object(json, "parameters");
    tsl_json_string(json, "input", work->options->input);
    tsl_json_string(json, "output", work->options->output);
    tsl_json_integer(json, "k", work->options->k);
    tsl_json_integer(json, "threads", tsl_context_threads(work->task.context));
    tsl_json_close_object(json);
    tsl_json_open_object(json, "results");
    tsl_json_integer(json, "points", work->points.points.count);
    tsl_json_integer(json, "dimensions", work->points.points.dimensions);
    tsl_json_string(json, "precision", pairs_precision_name(work->points.points.precision));
    tsl_json_close_object(json);
}

static void print(FILE *stream, const void *user)
{
    const nearest_work *work = user;
    fprintf(stream,
            "%s: the %d nearest of %lld point%s of %d coordinate%s, %s precision, on %s, "
            "in %.3f s\n",
            work->options->output, work->options->k, (long long)work->points.points.count,
            work->points.points.count == 1 ? "" : "s", work->points.points.dimensions,
            work->points.points.dimensions == 1 ? "" : "s",
            pairs_precision_name(work->points.points.precision), work->task.group->devices,
            work->task.compute);
}

static void init(const cli_command *self, void *options)
{
    (void)self;
    *(nearest_options *)options = (nearest_options){.k = 16};
}

static tsl_status run_rank(const cli_rank_group *group, const void *options)
{
    nearest_work work = {.options = options, .task = pairs_begin(group, options)};
    tsl_status status = run(&work);
    if (status == TSL_OK && group->rank == 0) {
        status = pairs_tell(&work.task, print, write_body, &work);
    }
    tsl_point_set_release(&work.points);
    tsl_release(work.indices);
    tsl_release(work.distances);
    return status;
}

static int run_command(const cli_command *self, int argc, char **argv)
{
    nearest_options options;
    return pairs_run_ranks(self, &options, argc, argv, run_rank);
}

const cli_command pairs_nearest = {.name = "knn",
                                   .summary = "the nearest points of each point",
                                   .run = run_command,
                                   .doc = command_doc,
                                   .arguments = "POINTS -o K.npz",
                                   .rows = rows,
                                   .size = sizeof(nearest_options),
                                   .init = init,
                                   .check = check,
                                   .argument = set_argument,
                                   .places = CLI_ONE_RANK};
