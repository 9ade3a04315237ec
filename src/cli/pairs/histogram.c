/* `tesela pairs histogram`. */
#include <stdio.h>

#include "cli/pairs/command.h"
#include "core/context.h"
#include "io/report/plot.h"
#include "solvers/pairs/ranges.h"

typedef struct histogram_options {
    cli_common common;
    tsl_histogram_options count;
    double box[6];
    const char *input, *output, *figure; /* NULL: none */
} histogram_options;

typedef struct histogram_work {
    pairs_task task;
    const histogram_options *options;
    tsl_point_set points;
    tsl_histogram found;
} histogram_work;

static error_t set_box(const cli_option *row, const char *text, void *parsed)
{
    histogram_options *options = parsed;
    return pairs_set_box(row, text, options->box, &options->count.box);
}

static const cli_option rows[] = {
    {.heading = "What to count:"},
    {"to", .value = "R", .kind = CLI_REAL, CLI_FIELD(histogram_options, count.to),
     .range = {0, INFINITY, .above = true},
     .help = "end of the last bin, @; the first bin begins at 0"},
    {"bins", .value = "B", .kind = CLI_INTEGER, CLI_FIELD(histogram_options, count.bins),
     .range = {1, TSL_HISTOGRAM_MOST_BINS}, .help = "number of bins"},
    {"box", .value = "LENGTHS", .kind = CLI_LIST, CLI_FIELD(histogram_options, box), .set = set_box,
     .help = "periodic cell: LX,LY,LZ, or LX,LY,LZ,XY,XZ,YZ with edges (LX, 0, 0), (XY, LY, 0) and "
             "(XZ, YZ, LZ); without it, space is open and there is no g(r)"},
    {"finite", .kind = CLI_FLAG, CLI_FIELD(histogram_options, count.finite),
     .help = "use the density of the other points (freud's mode finite_size; otherwise its mode "
             "exact)"},
    {.heading = "How:"},
    {"direct", .kind = CLI_FLAG, CLI_FIELD(histogram_options, count.direct),
     .help = "look at all pairs, without cells: the same result"},
    {"output", 'o', "H.csv", CLI_FILE, CLI_FIELD(histogram_options, output), .written = CLI_RESULT,
     .help = "file for the table: from, to, count and g of each bin"},
    {"figure", .value = "FILE", .kind = CLI_FILE, CLI_FIELD(histogram_options, figure),
     .written = CLI_FIGURE, .help = "draw the histogram"},
    {0}};

static const char command_doc[] =
    "Count the distances of all pairs in bins. Each pair counts twice, once from each of its "
    "points. In a periodic cell, also compute the pair distribution g(r): the counts divided by "
    "those of evenly spread points.\v"
    "A file is .npy, a table of text, or the atoms of a PDB or mmCIF file, as for tesela pairs "
    "distance, of one to three coordinates.\n"
    "\n"
    "Examples:\n"
    "  tesela pairs histogram fluid.npy --to 5 --bins 200 --box 20,20,20 -o g.csv --figure g.svg\n"
    "  tesela pairs histogram 1ppe.pdb --to 60 -o distances.csv";

static error_t set_argument(void *parsed, const char *text)
{
    return pairs_take_file(&((histogram_options *)parsed)->input, text);
}

static bool check(void *parsed)
{
    const histogram_options *const options = parsed;
    if (options->input == NULL) {
        cli_error("a file of points is missing: tesela pairs histogram points.npy --to R -o H.csv");
    } else if (options->count.to == 0) {
        cli_error("--to R is missing: say where the last bin ends");
    } else if (options->output == NULL) {
        cli_error("-o H.csv is missing: say where the table goes");
    } else if (pairs_is_npy(options->output)) {
        cli_error("-o %s: the table is text: give another ending, such as .csv", options->output);
    } else if (options->count.finite && options->count.box == NULL) {
        cli_error("--finite needs --box: open space has no density");
    } else {
        return cli_check_files(&options->common, &options->input, 1);
    }
    return false;
}

/* ---- results -------------------------------------------------------------------------------- */

static void write_rows(FILE *stream, const void *user)
{
    const tsl_histogram *found = &((const histogram_work *)user)->found;
    fprintf(stream, found->g != NULL ? "from,to,count,g\n" : "from,to,count\n");
    for (int b = 0; b < found->bins; b++) {
        fprintf(stream, "%.17g,%.17g,%lld", found->edges[b], found->edges[b + 1],
                (long long)found->counts[b]);
        fprintf(stream, found->g != NULL ? ",%.17g\n" : "\n", found->g != NULL ? found->g[b] : 0);
    }
}

/* Draw g(r), or counts in open space, at the middles of bins. */
static tsl_status draw(const histogram_work *work)
{
    const tsl_histogram *found = &work->found;
    double *x = tsl_allocate(2 * (size_t)found->bins * sizeof *x);
    if (x == NULL) {
        return tsl_fail_memory(work->task.context, 16 * (int64_t)found->bins, "a figure");
    }
    double *const y = x + found->bins;
    for (int b = 0; b < found->bins; b++) {
        x[b] = (found->edges[b] + found->edges[b + 1]) / 2;
        y[b] = found->g != NULL ? found->g[b] : (double)found->counts[b];
    }
    const tsl_plot_curve curve = {.name = "", .count = found->bins, .x = x, .y = y};
    const tsl_plot plot = {
        .title = work->options->input,
        .x = {"distance", TSL_PLOT_LINEAR},
        .y = {found->g != NULL ? "pair distribution g" : "pairs", TSL_PLOT_LINEAR},
        .curves = 1,
        .curve = &curve};
    const tsl_status status = tsl_plot_write(work->task.context, work->options->figure, &plot);
    tsl_release(x);
    return status;
}

static tsl_status write_results(const histogram_work *work)
{
    tsl_status status = TSL_OK;
    TSL_TRY(cli_csv_write(work->task.context, work->options->output, write_rows, work));
    if (work->options->figure != NULL) {
        TSL_TRY(draw(work));
    }
done:
    return status;
}

static tsl_status run(histogram_work *work)
{
    const histogram_options *options = work->options;
    tsl_status status = TSL_OK;
    double ready;
    TSL_TRY(pairs_read(&work->points, work->task.group, options->input));
    ready = tsl_seconds();
    work->task.setup = ready - work->task.begun;
    TSL_TRY(tsl_histogram_count(&work->found, work->task.context, &options->count,
                                &work->points.points));
    work->task.compute = tsl_seconds() - ready;
    status = work->task.group->rank == 0 ? write_results(work) : TSL_OK;
done:
    return status;
}

static int64_t pairs_of(const tsl_histogram *found)
{
    int64_t pairs = 0;
    for (int b = 0; b < found->bins; b++) {
        pairs += found->counts[b];
    }
    return pairs;
}

static void write_body(tsl_json *json, const void *user)
{
    const histogram_work *work = user;
    const histogram_options *options = work->options;
    tsl_json_open_object(json, "parameters");
    tsl_json_string(json, "input", options->input);
    tsl_json_string(json, "output", options->output);
    tsl_json_string(json, "figure", options->figure);
    tsl_json_integer(json, "bins", options->count.bins);
    tsl_json_number(json, "to", options->count.to);
    tsl_json_open_array(json, "box");
    for (int k = 0; k < 6 && options->count.box != NULL; k++) {
        tsl_json_number(json, NULL, options->box[k]);
    }
    tsl_json_close_array(json);
    tsl_json_bool(json, "finite", options->count.finite != 0);
    tsl_json_bool(json, "direct", options->count.direct != 0);
    tsl_json_integer(json, "threads", tsl_context_threads(work->task.context));
    tsl_json_close_object(json);
    tsl_json_open_object(json, "results");
    tsl_json_integer(json, "points", work->points.points.count);
    tsl_json_string(json, "precision", pairs_precision_name(work->points.points.precision));
    tsl_json_integer(json, "pairs", pairs_of(&work->found));
    tsl_json_known_number(json, "volume", work->found.volume, options->count.box != NULL);
    tsl_json_close_object(json);
}

static void print(FILE *stream, const void *user)
{
    const histogram_work *work = user;
    fprintf(stream, "%lld points, %s precision, on %s\n", (long long)work->points.points.count,
            pairs_precision_name(work->points.points.precision), work->task.group->devices);
    fprintf(stream, "%s: %lld pairs (i, j and j, i both) up to %g in %d bins, in %.3f s\n",
            work->options->output, (long long)pairs_of(&work->found), work->options->count.to,
            work->found.bins, work->task.compute);
}

static void init(const cli_command *self, void *options)
{
    (void)self;
    *(histogram_options *)options = (histogram_options){.count = TSL_HISTOGRAM_OPTIONS_INIT};
}

static tsl_status run_rank(const cli_rank_group *group, const void *options)
{
    histogram_work work = {.options = options, .task = pairs_begin(group, options)};
    tsl_status status = run(&work);
    if (status == TSL_OK && group->rank == 0) {
        status = pairs_tell(&work.task, print, write_body, &work);
    }
    tsl_histogram_release(&work.found);
    tsl_point_set_release(&work.points);
    return status;
}

static int run_command(const cli_command *self, int argc, char **argv)
{
    histogram_options options;
    return pairs_run_ranks(self, &options, argc, argv, run_rank);
}

const cli_command pairs_histogram = {.name = "histogram",
                                     .summary = "distances in bins, and the pair distribution",
                                     .run = run_command,
                                     .doc = command_doc,
                                     .arguments = "POINTS --to R -o H.csv",
                                     .rows = rows,
                                     .size = sizeof(histogram_options),
                                     .init = init,
                                     .check = check,
                                     .argument = set_argument,
                                     .places = CLI_ONE_RANK};
