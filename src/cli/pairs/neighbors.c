/* `tesela pairs neighbors`. */
#include <math.h>
#include <stdio.h>

#include "cli/pairs/command.h"
#include "comm/comm.h"
#include "core/context.h"
#include "io/grid/npz.h"

typedef struct neighbor_options {
    cli_common common;
    tsl_neighbor_options find;
    double box[6];
    const char *input, *output, *radii; /* NULL: none */
} neighbor_options;

typedef struct neighbor_work {
    pairs_task task;
    const neighbor_options *options;
    tsl_neighbor_options find; /* with radii */
    tsl_point_set points, radii;
    tsl_neighbors found;
} neighbor_work;

static error_t set_box(const cli_option *row, const char *text, void *parsed)
{
    neighbor_options *options = parsed;
    return pairs_set_box(row, text, options->box, &options->find.box);
}

static const cli_option rows[] = {
    {.heading = "Who is a neighbour:"},
    {"cutoff", .value = "R", .kind = CLI_REAL, CLI_FIELD(neighbor_options, find.cutoff),
     .range = {0, INFINITY, .above = true}, .help = "points closer than this are neighbours"},
    {"radii", .value = "FILE", .kind = CLI_FILE, CLI_FIELD(neighbor_options, radii),
     .help = "file of radii, one for each point: points closer than the sum of their radii are "
             "neighbours"},
    {"box", .value = "LENGTHS", .kind = CLI_LIST, CLI_FIELD(neighbor_options, box), .set = set_box,
     .help = "periodic cell: LX,LY,LZ, or LX,LY,LZ,XY,XZ,YZ with edges (LX, 0, 0), (XY, LY, 0) and "
             "(XZ, YZ, LZ); without it, space is open"},
    {"half", .kind = CLI_FLAG, CLI_FIELD(neighbor_options, find.half),
     .help = "store each pair once, in the row of the smaller index"},
    {.heading = "How:"},
    {"sorted", .kind = CLI_FLAG, CLI_FIELD(neighbor_options, find.sorted),
     .help = "sort the indices in each row (otherwise they have the order of cells)"},
    {"direct", .kind = CLI_FLAG, CLI_FIELD(neighbor_options, find.direct),
     .help = "look at all pairs, without cells: the same result"},
    {"cell-order", .kind = CLI_FLAG, CLI_FIELD(neighbor_options, find.in_cells),
     .help = "number points in the order of cells, and also write `order`, the point at each "
             "place; this is the fastest"},
    {"indices-only", .kind = CLI_FLAG, CLI_FIELD(neighbor_options, find.indices_only),
     .help = "do not compute distances"},
    {"output", 'o', "N.npz", CLI_FILE, CLI_FIELD(neighbor_options, output), .written = CLI_RESULT,
     .help = "file for indptr, indices and distances"},
    {0}};

static const char command_doc[] =
    "Find the neighbours of each point: the points closer than a cut-off, in open space or in a "
    "periodic cell. The result is a sparse matrix by rows (CSR): point i has the neighbours "
    "indices[indptr[i]:indptr[i+1]], and the same places of `distances` hold their distances.\v"
    "A file is .npy, a table of text, or the atoms of a PDB or mmCIF file, as for tesela pairs "
    "distance, of one to three coordinates.\n"
    "\n"
    "Examples:\n"
    "  tesela pairs neighbors points.npy --cutoff 2.5 -o neighbors.npz\n"
    "  tesela pairs neighbors fluid.npy --cutoff 2.8 --box 105.8,105.8,105.8 --half -o half.npz\n"
    "  tesela pairs neighbors 1ppe.pdb --cutoff 5 --sorted --device cuda:0 -o atoms.npz";

static error_t set_argument(void *parsed, const char *text)
{
    return pairs_take_file(&((neighbor_options *)parsed)->input, text);
}

static bool check(void *parsed)
{
    const neighbor_options *const options = parsed;
    if (options->input == NULL) {
        cli_error("a file of points is missing: tesela pairs neighbors points.npy --cutoff R -o "
                  "N.npz");
    } else if (options->find.cutoff == 0 && options->radii == NULL) {
        cli_error("--cutoff R is missing: say how close neighbours are, or give --radii FILE");
    } else if (options->find.cutoff > 0 && options->radii != NULL) {
        cli_error("--cutoff does not go with --radii: leave one of them out");
    } else if (options->output == NULL) {
        cli_error("-o N.npz is missing: say where the neighbours go");
    } else if (!pairs_is_npz(options->output)) {
        cli_error("-o %s: give a name that ends in .npz", options->output);
    } else {
        return cli_check_files(&options->common, &options->input, 1);
    }
    return false;
}

/* ---- the run -------------------------------------------------------------------------------- */

/* Radii in the precision of the points. */
static tsl_status take_radii(neighbor_work *work)
{
    tsl_context *context = work->task.context;
    const char *path = work->options->radii;
    tsl_status status = TSL_OK;
    if (work->radii.points.dimensions != 1 ||
        work->radii.points.count != work->points.points.count) {
        return tsl_fail(context, TSL_E_ARG,
                        "%s: has %lld x %d numbers: give %lld radii, one a point", path,
                        (long long)work->radii.points.count, work->radii.points.dimensions,
                        (long long)work->points.points.count);
    }
    if (work->radii.points.precision < work->points.points.precision) {
        status = tsl_point_set_widen(&work->radii, context);
    } else if (work->radii.points.precision > work->points.points.precision) {
        tsl_message(context, TSL_MESSAGE_NOTE, "%s: taken in double precision, as %s is",
                    work->options->input, path);
        status = tsl_point_set_widen(&work->points, context);
    }
    work->find.radii = work->radii.values;
    return status;
}

static tsl_status read_all(neighbor_work *work)
{
    tsl_status status = TSL_OK;
    TSL_TRY(pairs_read(&work->points, work->task.group, work->options->input));
    if (work->options->radii != NULL) {
        TSL_TRY(pairs_read(&work->radii, work->task.group, work->options->radii));
        TSL_TRY(tsl_comm_agree(work->task.context, take_radii(work)));
    }
done:
    return status;
}

static tsl_status write_result(const neighbor_work *work)
{
    const tsl_neighbors *found = &work->found;
    const int precision = work->points.points.precision;
    const int64_t count = found->indptr[found->count];
    tsl_npz_member members[4] = {{"indptr", "<i8", 8, found->count + 1, found->indptr},
                                 {"indices", "<i4", 4, count, found->indices}};
    int given = 2;
    if (!work->options->find.indices_only) {
        members[given++] = (tsl_npz_member){"distances", precision == 4 ? "<f4" : "<f8", precision,
                                            count, found->distances};
    }
    if (work->options->find.in_cells) {
        members[given++] = (tsl_npz_member){"order", "<i4", 4, found->count, found->order};
    }
    return tsl_npz_write(work->task.context, work->options->output, members, given);
}

static tsl_status run(neighbor_work *work)
{
    tsl_status status = TSL_OK;
    double ready;
    TSL_TRY(read_all(work));
    ready = tsl_seconds();
    work->task.setup = ready - work->task.begun;
    TSL_TRY(
        tsl_neighbors_find(&work->found, work->task.context, &work->find, &work->points.points));
    work->task.compute = tsl_seconds() - ready;
    status = work->task.group->rank == 0 ? write_result(work) : TSL_OK;
done:
    return status;
}

/* ---- report --------------------------------------------------------------------------------- */

static void write_body(tsl_json *json, const void *user)
{
    const neighbor_work *work = user;
    const neighbor_options *options = work->options;
    tsl_json_open_object(json, "parameters");
    tsl_json_string(json, "input", options->input);
    tsl_json_string(json, "output", options->output);
    tsl_json_known_number(json, "cutoff", options->find.cutoff, options->radii == NULL);
    tsl_json_string(json, "radii", options->radii);
    tsl_json_open_array(json, "box");
    for (int k = 0; k < 6 && options->find.box != NULL; k++) {
        tsl_json_number(json, NULL, options->box[k]);
    }
    tsl_json_close_array(json);
    tsl_json_bool(json, "half", options->find.half != 0);
    tsl_json_bool(json, "sorted", options->find.sorted != 0);
    tsl_json_bool(json, "direct", options->find.direct != 0);
    tsl_json_bool(json, "cell_order", options->find.in_cells != 0);
    tsl_json_bool(json, "indices_only", options->find.indices_only != 0);
    tsl_json_integer(json, "threads", tsl_context_threads(work->task.context));
    tsl_json_close_object(json);
    tsl_json_open_object(json, "results");
    tsl_json_integer(json, "points", work->found.count);
    tsl_json_string(json, "precision", pairs_precision_name(work->points.points.precision));
    tsl_json_integer(json, "neighbors", work->found.indptr[work->found.count]);
    tsl_json_open_array(json, "cells");
    for (int k = 0; k < 3; k++) {
        tsl_json_integer(json, NULL, work->found.cells[k]);
    }
    tsl_json_close_array(json);
    tsl_json_number(json, "sort_seconds", work->found.seconds[0]);
    tsl_json_number(json, "count_seconds", work->found.seconds[1]);
    tsl_json_number(json, "fill_seconds", work->found.seconds[2]);
    tsl_json_close_object(json);
}

static void print(FILE *stream, const void *user)
{
    const neighbor_work *work = user;
    const tsl_neighbors *found = &work->found;
    fprintf(stream, "%lld points, %s precision, on %s, in %d x %d x %d cells\n",
            (long long)found->count, pairs_precision_name(work->points.points.precision),
            work->task.group->devices, found->cells[0], found->cells[1], found->cells[2]);
    fprintf(stream, "%s: %lld neighbours%s, %.1f a point, in %.3f s\n", work->options->output,
            (long long)found->indptr[found->count],
            work->options->find.half ? ", each pair once" : "",
            found->count > 0 ? (double)found->indptr[found->count] / (double)found->count : 0,
            work->task.compute);
}

static void init(const cli_command *self, void *options)
{
    (void)self;
    *(neighbor_options *)options = (neighbor_options){.find = TSL_NEIGHBOR_OPTIONS_INIT};
}

static tsl_status run_rank(const cli_rank_group *group, const void *options)
{
    neighbor_work work = {.options = options,
                          .find = ((const neighbor_options *)options)->find,
                          .task = pairs_begin(group, options)};
    tsl_status status = run(&work);
    if (status == TSL_OK && group->rank == 0) {
        status = pairs_tell(&work.task, print, write_body, &work);
    }
    tsl_neighbors_release(&work.found);
    tsl_point_set_release(&work.points);
    tsl_point_set_release(&work.radii);
    return status;
}

static int run_command(const cli_command *self, int argc, char **argv)
{
    neighbor_options options;
    return pairs_run_ranks(self, &options, argc, argv, run_rank);
}

const cli_command pairs_neighbors = {.name = "neighbors",
                                     .summary = "points closer than a cut-off, open or periodic",
                                     .run = run_command,
                                     .doc = command_doc,
                                     .arguments = "POINTS --cutoff R -o N.npz",
                                     .rows = rows,
                                     .size = sizeof(neighbor_options),
                                     .init = init,
                                     .check = check,
                                     .argument = set_argument,
                                     .places = CLI_ONE_RANK};
