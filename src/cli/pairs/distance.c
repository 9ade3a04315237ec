/* `tesela pairs distance`. */
#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "cli/pairs/command.h"
#include "comm/comm.h"
#include "core/context.h"
#include "io/file/output.h"
#include "io/grid/npy.h"
#include "io/report/matrix_plot.h"
#include "solvers/pairs/ranges.h"

typedef struct distance_options {
    cli_common common;
    tsl_distance_options distance;
    const char *input[2];        /* NULL: none */
    const char *output, *figure; /* NULL: none */
    int64_t chunk;               /* bytes; 0: the library's */
} distance_options;

typedef struct distance_work {
    pairs_task task;
    const distance_options *options;
    tsl_point_set sets[2];
    int64_t count;
} distance_work;

static const char *metric_name(int place)
{
    return place < TSL_METRICS ? tsl_metric_name((tsl_metric)place) : NULL;
}

/* Read a number, or "inf". */
static error_t set_p(const cli_option *row, const char *text, void *parsed)
{
    distance_options *options = parsed;
    if (strcmp(text, row->words[0]) == 0) {
        options->distance.p = INFINITY;
        return 0;
    }
    return cli_set(row, text, options);
}

static const char *const p_words[] = {"inf", NULL};
static const char *const layout_names[] = {[TSL_LAYOUT_CONDENSED] = "condensed",
                                           [TSL_LAYOUT_SQUARE] = "square",
                                           [TSL_LAYOUT_PACKED] = "packed",
                                           NULL};
static const char *const layout_notes[] = {[TSL_LAYOUT_CONDENSED] = "SciPy's pdist",
                                           [TSL_LAYOUT_PACKED] =
                                               "the lower triangle by rows, diagonal included"};

static const cli_option rows[] = {
    {.heading = "What to compute:"},
    {"metric", .value = "NAME", .kind = CLI_CHOICE, CLI_FIELD(distance_options, distance.metric),
     .word = metric_name, .echo = CLI_TOLD, .help = "@"},
    {"p", .value = "P", .kind = CLI_REAL, CLI_FIELD(distance_options, distance.p),
     .range = {0, INFINITY, .above = true}, .words = p_words, .set = set_p, .user = "minkowski",
     .help = "the power, @, or inf"},
    {"layout", .value = "NAME", .kind = CLI_CHOICE, CLI_FIELD(distance_options, distance.layout),
     .words = layout_names, .notes = layout_notes, .help = "layout of the pairs of one file"},
    {"output", 'o', "D.npy", CLI_FILE, CLI_FIELD(distance_options, output), .written = CLI_RESULT,
     .echo = CLI_TOLD, .help = "file for the distances"},
    {"figure", .value = "FILE", .kind = CLI_FILE, CLI_FIELD(distance_options, figure),
     .written = CLI_FIGURE, .echo = CLI_TOLD, .help = "draw all distances as a matrix"},
    {.heading = "How:"},
    {"differences", .kind = CLI_FLAG, CLI_FIELD(distance_options, distance.differences),
     .echo = CLI_TOLD,
     .help = "compute euclidean and squared distances from differences of coordinates, even where "
             "products of points are faster"},
    {"chunk", .value = "BYTES", .kind = CLI_BYTES, CLI_FIELD(distance_options, chunk),
     .echo = CLI_TOLD_SAID, .help = "part of the result to hold in memory at a time",
     .otherwise = CLI_QUOTE(TSL_DISTANCE_STREAM_MIB) "M"},
    {0}};

static const char command_doc[] =
    "Compute the distances of all pairs of points in A or, with B, from each point in A to each "
    "point in B, in the metrics and the order of SciPy's pdist and cdist.\v"
    "A file is .npy (an array of points by coordinates, in single or double precision, which the "
    "distances have too), a table of text (.csv, .tsv, .txt, .dat), or the atoms of a PDB or mmCIF "
    "file. The result is written while it is computed, so it may be larger than memory.\n"
    "\n"
    "Examples:\n"
    "  tesela pairs distance points.npy -o distances.npy\n"
    "  tesela pairs distance points.csv --metric cityblock --layout square -o matrix.npy\n"
    "  tesela pairs distance a.npy b.npy --metric cosine --device cuda:0 -o rectangle.npy\n"
    "  tesela pairs distance 1ppe.pdb --layout packed -o atoms.npy --figure atoms.png";

static error_t set_argument(void *parsed, const char *text)
{
    distance_options *options = parsed;
    if (options->input[1] != NULL) {
        cli_error("'%s' is one argument too many: give one file, or two", text);
        return EINVAL;
    }
    options->input[options->input[0] != NULL] = text;
    return 0;
}

static bool check(void *parsed)
{
    const distance_options *const options = parsed;
    if (options->input[0] == NULL) {
        cli_error("a file of points is missing: tesela pairs distance points.npy -o D.npy");
    } else if (options->output == NULL) {
        cli_error("-o D.npy is missing: say where the distances go");
    } else if (!pairs_is_npy(options->output)) {
        cli_error("-o %s: give a name that ends in .npy", options->output);
    } else if (cli_given(&options->common, &options->distance.p) &&
               options->distance.metric != TSL_METRIC_MINKOWSKI) {
        cli_error("--p needs --metric minkowski: no other metric has a power");
    } else if (cli_given(&options->common, &options->distance.layout) &&
               options->input[1] != NULL) {
        cli_error("--layout does not go with two files: their distances are a rectangle");
    } else {
        return cli_check_files(&options->common, options->input, 2);
    }
    return false;
}

/* ---- the run -------------------------------------------------------------------------------- */

static tsl_status read_points(distance_work *work)
{
    tsl_context *context = work->task.context;
    const char *const *input = work->options->input;
    tsl_status status = TSL_OK;
    for (int s = 0; s < 2 && input[s] != NULL && status == TSL_OK; s++) {
        status = pairs_read(&work->sets[s], work->task.group, input[s]);
    }
    const tsl_points *const a = &work->sets[0].points, *const b = &work->sets[1].points;
    if (status != TSL_OK || input[1] == NULL) {
        return status;
    }
    if (a->dimensions != b->dimensions) {
        return tsl_fail(context, TSL_E_ARG, "%s: has points of %d coordinates, %s of %d", input[0],
                        a->dimensions, input[1], b->dimensions);
    }
    if (a->precision != b->precision) {
        const int narrow = a->precision == 4 ? 0 : 1;
        tsl_message(context, TSL_MESSAGE_NOTE, "%s: taken in double precision, as %s is",
                    input[narrow], input[1 - narrow]);
        status = tsl_point_set_widen(&work->sets[narrow], context);
    }
    return status;
}

static tsl_npy header_of(const distance_work *work)
{
    const tsl_points *const a = &work->sets[0].points, *const b = &work->sets[1].points;
    const bool rectangle = work->options->input[1] != NULL;
    tsl_npy header = {.item = a->precision};
    snprintf(header.type, sizeof header.type, "<f%d", a->precision);
    if (rectangle || work->options->distance.layout == TSL_LAYOUT_SQUARE) {
        header.axes = 2;
        header.shape[0] = a->count;
        header.shape[1] = rectangle ? b->count : a->count;
    } else {
        header.axes = 1;
        header.shape[0] = work->count;
    }
    return header;
}

/* Check that the result fits where it goes. Only regular files are checked. */
static tsl_status check_room(const distance_work *work, int64_t bytes)
{
    char folder[PATH_MAX];
    struct stat about;
    struct statvfs disk;
    const char *path = work->options->output;
    snprintf(folder, sizeof folder, "%s", path);
    if ((stat(path, &about) == 0 && !S_ISREG(about.st_mode)) ||
        statvfs(dirname(folder), &disk) != 0) {
        return TSL_OK; /* opening it tells what is wrong */
    }
    const double there = (double)disk.f_bavail * (double)disk.f_frsize;
    if ((double)bytes > there) {
        char need[32], room[32];
        return tsl_fail(work->task.context, TSL_E_IO,
                        "%s: %lld distances take %s, and the disk has %s free", path,
                        (long long)work->count, tsl_format_bytes(need, bytes),
                        tsl_format_bytes(room, (int64_t)there));
    }
    return TSL_OK;
}

typedef struct writer {
    tsl_context *context;
    FILE *stream;
    size_t item;
    cli_progress *progress;
    const distance_work *work;
    const tsl_distance_plan *plan;
    tsl_matrix_plot *plot; /* NULL: no figure */
    int64_t row;           /* that the next element is in */
} writer;

/* Put elements `from` to `end` - 1 into the picture, of pairs of one file on both sides of the
 * diagonal. Rows come in order. */
static tsl_status draw_piece(writer *w, int64_t from, int64_t end, const void *values)
{
    const bool pairs = w->work->options->input[1] == NULL;
    const bool condensed = pairs && w->work->options->distance.layout == TSL_LAYOUT_CONDENSED;
    for (int64_t at = from; at < end; w->row += at < end) {
        int64_t first, count;
        const tsl_status status = tsl_distance_plan_row(w->plan, w->row, &first, &count);
        if (status != TSL_OK) {
            return status;
        }
        for (; at < end && at < first + count; at++) {
            const int64_t j = at - first + (condensed ? w->row + 1 : 0);
            const double value = w->item == 4 ? (double)((const float *)values)[at - from]
                                              : ((const double *)values)[at - from];
            tsl_matrix_plot_add(w->plot, w->row, j, value);
            if (pairs) {
                tsl_matrix_plot_add(w->plot, j, w->row, value);
            }
        }
    }
    return TSL_OK;
}

static tsl_status write_piece(void *user, int64_t first, int64_t count, const void *values)
{
    writer *w = user;
    cli_progress_add(w->progress, count);
    if (fwrite(values, w->item, (size_t)count, w->stream) != (size_t)count) {
        return tsl_fail(w->context, TSL_E_IO, "%s", strerror(errno));
    }
    return w->plot == NULL ? TSL_OK : draw_piece(w, first, first + count, values);
}

/* An empty picture of the result, on rank 0. */
static tsl_status begin_picture(const distance_work *work, tsl_matrix_plot *plot)
{
    const char *const *input = work->options->input;
    const tsl_points *const a = &work->sets[0].points, *const b = &work->sets[1].points;
    const int64_t columns = input[1] != NULL ? b->count : a->count;
    *plot = (tsl_matrix_plot){.title = "Distances",
                              .what = "points",
                              .of = {input[0], input[1] != NULL ? input[1] : input[0]}};
    plot->colours = tsl_metric_name(work->options->distance.metric);
    if (work->options->figure == NULL || work->task.group->rank > 0) {
        return TSL_OK;
    }
    const tsl_status status = tsl_matrix_plot_begin(plot, work->task.context, a->count, columns);
    for (int64_t i = 0; i < a->count && status == TSL_OK && input[1] == NULL; i++) {
        tsl_matrix_plot_add(plot, i, i, 0); /* the condensed triangle leaves them out */
    }
    return status;
}

/* Open the file that the result goes to, on rank 0. */
static tsl_status open_output(const distance_work *work, const tsl_npy *header, tsl_output **output)
{
    if (work->task.group->rank > 0) {
        return TSL_OK;
    }
    const tsl_status status = check_room(work, work->count * header->item);
    return status == TSL_OK ? tsl_output_open(output, work->task.context, work->options->output)
                            : status;
}

/* Write the result to its file. */
static tsl_status write_result(distance_work *work, tsl_distance_plan *plan)
{
    const distance_options *options = work->options;
    const bool first = work->task.group->rank == 0;
    const tsl_npy header = header_of(work);
    cli_progress progress;
    tsl_output *output = NULL;
    tsl_matrix_plot plot;
    tsl_status status = begin_picture(work, &plot);
    status = status == TSL_OK ? open_output(work, &header, &output) : status;
    status = tsl_comm_agree(work->task.context, status);
    if (status != TSL_OK) {
        tsl_output_discard(output);
        tsl_matrix_plot_release(&plot);
        return status;
    }
    writer w = {.context = work->task.context,
                .item = (size_t)header.item,
                .progress = &progress,
                .work = work,
                .plan = plan,
                .plot = plot.least != NULL ? &plot : NULL};
    if (first) {
        w.stream = tsl_output_stream(output);
        tsl_npy_write_header(w.stream, &header);
        cli_progress_begin(&progress, "distances", work->count, 0);
    }
    status = tsl_distance_stream(plan, options->chunk, write_piece, &w);
    if (first) {
        cli_progress_end(&progress);
    }
    if (status != TSL_OK) {
        if (status == TSL_E_IO && first) {
            tsl_error_prefix(work->task.context, options->output);
        }
        tsl_output_discard(output);
    } else if (first) {
        status = tsl_output_commit(output);
    }
    if (status == TSL_OK && w.plot != NULL) {
        status = tsl_matrix_plot_write(work->task.context, options->figure, &plot);
    }
    tsl_matrix_plot_release(&plot);
    return status;
}

static tsl_status run(distance_work *work)
{
    const distance_options *options = work->options;
    tsl_distance_plan *plan = NULL;
    tsl_status status = read_points(work);
    if (status == TSL_OK) {
        status = tsl_distance_plan_create(&plan, work->task.context, &options->distance,
                                          &work->sets[0].points,
                                          options->input[1] != NULL ? &work->sets[1].points : NULL);
    }
    status = tsl_comm_agree(work->task.context, status);
    const double ready = tsl_seconds();
    work->task.setup = ready - work->task.begun;
    if (status == TSL_OK) {
        work->count = tsl_distance_plan_count(plan);
        status = write_result(work, plan);
    }
    work->task.compute = tsl_seconds() - ready;
    tsl_distance_plan_destroy(plan);
    return status;
}

/* ---- report --------------------------------------------------------------------------------- */

static const char *layout_name(const distance_options *options)
{
    return options->input[1] != NULL ? "rectangle" : layout_names[options->distance.layout];
}

static void write_body(tsl_json *json, const void *user)
{
    const distance_work *work = user;
    const distance_options *options = work->options;
    const bool minkowski = options->distance.metric == TSL_METRIC_MINKOWSKI;
    tsl_json_open_object(json, "parameters");
    tsl_json_string(json, "input", options->input[0]);
    tsl_json_string(json, "second", options->input[1]);
    cli_echo_options(json, &pairs_distance, options);
    tsl_json_known_number(json, "p", options->distance.p, minkowski);
    tsl_json_string(json, "layout", layout_name(options));
    tsl_json_integer(json, "threads", tsl_context_threads(work->task.context));
    tsl_json_close_object(json);
    tsl_json_open_object(json, "results");
    tsl_json_integer(json, "points", work->sets[0].points.count);
    tsl_json_known_integer(json, "second_points", work->sets[1].points.count,
                           options->input[1] != NULL);
    tsl_json_integer(json, "dimensions", work->sets[0].points.dimensions);
    tsl_json_string(json, "precision", pairs_precision_name(work->sets[0].points.precision));
    tsl_json_integer(json, "distances", work->count);
    tsl_json_integer(json, "bytes", work->count * work->sets[0].points.precision);
    tsl_json_close_object(json);
}

static void print(FILE *stream, const void *user)
{
    const distance_work *work = user;
    const tsl_points *const a = &work->sets[0].points, *const b = &work->sets[1].points;
    fprintf(stream, "%lld ", (long long)a->count);
    if (work->options->input[1] != NULL) {
        fprintf(stream, "and %lld ", (long long)b->count);
    }
    const bool one = a->count == 1 && work->options->input[1] == NULL;
    fprintf(stream, "point%s of %d coordinate%s, %s precision, on %s\n", one ? "" : "s",
            a->dimensions, a->dimensions == 1 ? "" : "s", pairs_precision_name(a->precision),
            work->task.group->devices);
    fprintf(stream, "%s: %lld %s distances, %s, in %.3f s, written\n", work->options->output,
            (long long)work->count, tsl_metric_name(work->options->distance.metric),
            layout_name(work->options), work->task.compute);
}

static void init(const cli_command *self, void *options)
{
    (void)self;
    *(distance_options *)options = (distance_options){.distance = TSL_DISTANCE_OPTIONS_INIT};
}

static tsl_status run_rank(const cli_rank_group *group, const void *options)
{
    distance_work work = {.options = options, .task = pairs_begin(group, options)};
    tsl_status status = run(&work);
    if (status == TSL_OK && group->rank == 0) {
        status = pairs_tell(&work.task, print, write_body, &work);
    }
    tsl_point_set_release(&work.sets[0]);
    tsl_point_set_release(&work.sets[1]);
    return status;
}

static int run_command(const cli_command *self, int argc, char **argv)
{
    distance_options options;
    return pairs_run_ranks(self, &options, argc, argv, run_rank);
}

const cli_command pairs_distance = {.name = "distance",
                                    .summary = "distances of all pairs, in SciPy's metrics",
                                    .run = run_command,
                                    .doc = command_doc,
                                    .arguments = "A [B] -o D.npy",
                                    .rows = rows,
                                    .size = sizeof(distance_options),
                                    .init = init,
                                    .check = check,
                                    .argument = set_argument,
                                    .places = CLI_ONE_RANK};
