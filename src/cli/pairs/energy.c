/* `tesela pairs energy`. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/pairs/command.h"
#include "comm/comm.h"
#include "core/context.h"
#include "io/grid/npy.h"
#include "solvers/pairs/pairs.h"
#include "tesela/buffer.h"

static const char *const potentials[] = {"lennard-jones", "coulomb", "gravity", NULL};
static const char *const shifts[] = {"none", "energy", "force", NULL};

typedef struct energy_options {
    cli_common common;
    tsl_energy_options energy;
    double box[6];
    const char *input, *output, *charges, *exclude; /* NULL: none */
} energy_options;

typedef struct energy_work {
    pairs_task task;
    const energy_options *options;
    tsl_energy_options energy; /* with what files say */
    tsl_point_set points, charges, pairs;
    int32_t *exclusions;
    tsl_energy_plan *plan;
    tsl_buffer *device, *device_forces;
    void *forces;
    tsl_energy found;
} energy_work;

static error_t set_box(const cli_option *row, const char *text, void *parsed)
{
    energy_options *options = parsed;
    return pairs_set_box(row, text, options->box, &options->energy.box);
}

static const cli_option rows[] = {
    {.heading = "Energy of a pair:"},
    {"potential", .value = "NAME", .kind = CLI_CHOICE, CLI_FIELD(energy_options, energy.potential),
     .words = potentials, .help = "energy of two points, @"},
    {"epsilon", .value = "E", .kind = CLI_REAL, CLI_FIELD(energy_options, energy.epsilon),
     .range = {0, INFINITY, .above = true}, .help = "lennard-jones: depth of the potential"},
    {"sigma", .value = "S", .kind = CLI_REAL, CLI_FIELD(energy_options, energy.sigma),
     .range = {0, INFINITY, .above = true},
     .help = "lennard-jones: distance at which the potential is 0"},
    {"coupling", .value = "K", .kind = CLI_REAL, CLI_FIELD(energy_options, energy.coupling),
     .range = {0, INFINITY, .above = true},
     .help = "coulomb and gravity: the constant before q q / r"},
    {"charges", .value = "FILE", .kind = CLI_FILE, CLI_FIELD(energy_options, charges),
     .help = "coulomb and gravity: file of charges or masses, one for each point",
     .otherwise = "1 each"},
    {.heading = "Which pairs:"},
    {"cutoff", .value = "R", .kind = CLI_REAL, CLI_FIELD(energy_options, energy.cutoff),
     .range = {0, INFINITY, .above = true}, .help = "pairs closer than this",
     .otherwise = "all, in open space"},
    {"shift", .value = "KIND", .kind = CLI_CHOICE, CLI_FIELD(energy_options, energy.shift),
     .words = shifts, .help = "what is shifted to 0 at the cut-off, @; force: force and energy"},
    {"box", .value = "LENGTHS", .kind = CLI_LIST, CLI_FIELD(energy_options, box), .set = set_box,
     .help = "periodic cell, as in tesela pairs neighbors"},
    {"exclude", .value = "FILE", .kind = CLI_FILE, CLI_FIELD(energy_options, exclude),
     .help = "file of pairs to leave out: each line has the numbers of two points, from 0"},
    {.heading = "How:"},
    {"largest", .value = "F", .kind = CLI_REAL, CLI_FIELD(energy_options, energy.largest),
     .range = {0, INFINITY, .above = true},
     .help = "largest force that a few points exert on one, in epsilon / sigma or coupling times "
             "the square of the largest charge; it sets the unit to which sums are rounded"},
    {"output", 'o', "F.npy", CLI_FILE, CLI_FIELD(energy_options, output), .written = CLI_RESULT,
     .help = "file for the forces, an array [points][3]"},
    {0}};

static const char command_doc[] =
    "Compute energy, virial and forces over all pairs of points, each pair once. Sums are sums of "
    "64-bit integers: they have the same bits for any number of threads, and for any number of "
    "devices of one kind.\v"
    "A file is .npy, a table of text, or the atoms of a PDB or mmCIF file, as for tesela pairs "
    "distance, of three coordinates.\n"
    "\n"
    "Examples:\n"
    "  tesela pairs energy cluster.npy\n"
    "  tesela pairs energy fluid.npy --cutoff 2.5 --shift force --box 16.8,16.8,16.8 -o "
    "forces.npy\n"
    "  tesela pairs energy ions.csv --potential coulomb --charges q.csv --coupling 332.0637";

static error_t set_argument(void *parsed, const char *text)
{
    return pairs_take_file(&((energy_options *)parsed)->input, text);
}

static bool check(void *parsed)
{
    const energy_options *const options = parsed;
    const tsl_energy_options *const energy = &options->energy;
    if (options->input == NULL) {
        cli_error("a file of points is missing: tesela pairs energy points.npy");
    } else if (energy->cutoff == 0 && (energy->box != NULL || energy->shift != TSL_SHIFT_NONE)) {
        cli_error("--cutoff R is missing: --box and --shift need one");
    } else if (options->charges != NULL && energy->potential == TSL_POTENTIAL_LENNARD_JONES) {
        cli_error("--charges goes with --potential coulomb or gravity: leave one of them out");
    } else if (options->output != NULL && !pairs_is_npy(options->output)) {
        cli_error("-o %s: give a name that ends in .npy", options->output);
    } else {
        return cli_check_files(&options->common, &options->input, 1);
    }
    return false;
}

/* ---- the run -------------------------------------------------------------------------------- */

static tsl_status take_charges(energy_work *work)
{
    tsl_status status = TSL_OK;
    if (work->charges.points.dimensions != 1 ||
        work->charges.points.count != work->points.points.count) {
        return tsl_fail(work->task.context, TSL_E_ARG,
                        "%s: has %lld x %d numbers: give %lld charges, one a point",
                        work->options->charges, (long long)work->charges.points.count,
                        work->charges.points.dimensions, (long long)work->points.points.count);
    }
    TSL_TRY(tsl_point_set_widen(&work->charges, work->task.context));
    work->energy.charges = work->charges.values;
done:
    return status;
}

static tsl_status take_exclusions(energy_work *work)
{
    tsl_energy_options *const energy = &work->energy;
    const double *numbers;
    tsl_status status = TSL_OK;
    TSL_TRY(tsl_point_set_widen(&work->pairs, work->task.context));
    if (work->pairs.points.count > 0 && work->pairs.points.dimensions != 2) {
        return tsl_fail(work->task.context, TSL_E_ARG, "%s: has %d numbers a line: give two",
                        work->options->exclude, work->pairs.points.dimensions);
    }
    energy->exclusion_count = work->pairs.points.count;
    work->exclusions = tsl_allocate((size_t)(8 * energy->exclusion_count));
    if (work->exclusions == NULL) {
        return tsl_fail_memory(work->task.context, 8 * energy->exclusion_count, "exclusions");
    }
    numbers = work->pairs.values;
    for (int64_t e = 0; e < 2 * energy->exclusion_count; e++) {
        if (!(numbers[e] >= 0 && numbers[e] < 2147483647 && numbers[e] == floor(numbers[e]))) {
            return tsl_fail(work->task.context, TSL_E_ARG,
                            "%s: row %lld has %g: give numbers of points, counted from 0",
                            work->options->exclude, (long long)(e / 2 + 1), numbers[e]);
        }
        work->exclusions[e] = (int32_t)numbers[e];
    }
    energy->exclusions = work->exclusions;
done:
    return status;
}

static tsl_status take_all(energy_work *work)
{
    tsl_status status = TSL_OK;
    if (work->points.points.count > 0 && work->points.points.dimensions != 3) {
        return tsl_fail(work->task.context, TSL_E_ARG, "%s: points of %d coordinate%s: give three",
                        work->options->input, work->points.points.dimensions,
                        work->points.points.dimensions == 1 ? "" : "s");
    }
    TSL_TRY(tsl_pairs_check_points(work->task.context, &work->points.points, work->options->input));
    if (work->options->charges != NULL) {
        TSL_TRY(take_charges(work));
    }
    if (work->options->exclude != NULL) {
        TSL_TRY(take_exclusions(work));
    }
done:
    return status;
}

static tsl_status read_all(energy_work *work)
{
    const energy_options *const options = work->options;
    tsl_status status = TSL_OK;
    TSL_TRY(pairs_read(&work->points, work->task.group, options->input));
    if (options->charges != NULL) {
        TSL_TRY(pairs_read(&work->charges, work->task.group, options->charges));
    }
    if (options->exclude != NULL) {
        TSL_TRY(pairs_read(&work->pairs, work->task.group, options->exclude));
    }
    TSL_TRY(tsl_comm_agree(work->task.context, take_all(work)));
done:
    return status;
}

/* Take buffers, and send the points into one of them. */
static tsl_status send_points(energy_work *work, int64_t bytes)
{
    const int64_t room = bytes > 0 ? bytes : 1;
    tsl_status status = TSL_OK;
    TSL_TRY(tsl_buffer_create(&work->device, work->task.context, room));
    TSL_TRY(tsl_buffer_create(&work->device_forces, work->task.context, room));
    TSL_TRY(tsl_buffer_write(work->device, 0, work->points.points.values, bytes));
    work->forces = tsl_allocate((size_t)room);
    if (work->forces == NULL) {
        status = tsl_fail_memory(work->task.context, room, "forces");
    }
done:
    return status;
}

static tsl_status compute(energy_work *work)
{
    const tsl_points *const points = &work->points.points;
    const int64_t bytes = 3 * points->count * points->precision;
    tsl_status status = TSL_OK;
    TSL_TRY(tsl_energy_plan_create(&work->plan, work->task.context, &work->energy, points->count,
                                   points->precision));
    TSL_TRY(tsl_comm_agree(work->task.context, send_points(work, bytes)));
    TSL_TRY(tsl_energy_execute(&work->found, work->plan, work->device_forces, work->device));
    TSL_TRY(tsl_buffer_read(work->device_forces, 0, work->forces, bytes));
done:
    return status;
}

static tsl_status run(energy_work *work)
{
    const tsl_points *const points = &work->points.points;
    tsl_status status = TSL_OK;
    double ready;
    TSL_TRY(read_all(work));
    ready = tsl_seconds();
    work->task.setup = ready - work->task.begun;
    TSL_TRY(compute(work));
    work->task.compute = tsl_seconds() - ready;
    if (work->options->output != NULL && work->task.group->rank == 0) {
        tsl_npy header = {.item = points->precision,
                          .axes = 2,
                          .shape = {points->count, 3},
                          .count = 3 * points->count};
        strcpy(header.type, points->precision == 4 ? "<f4" : "<f8");
        TSL_TRY(tsl_npy_write(work->task.context, work->options->output, &header, work->forces));
    }
done:
    return status;
}

/* ---- report --------------------------------------------------------------------------------- */

static void write_body(tsl_json *json, const void *user)
{
    const energy_work *work = user;
    const energy_options *options = work->options;
    const tsl_energy_options *energy = &options->energy;
    const bool jones = energy->potential == TSL_POTENTIAL_LENNARD_JONES;
    tsl_json_open_object(json, "parameters");
    tsl_json_string(json, "input", options->input);
    tsl_json_string(json, "output", options->output);
    tsl_json_string(json, "potential", potentials[energy->potential]);
    tsl_json_known_number(json, "epsilon", energy->epsilon, jones);
    tsl_json_known_number(json, "sigma", energy->sigma, jones);
    tsl_json_known_number(json, "coupling", energy->coupling, !jones);
    tsl_json_string(json, "charges", options->charges);
    tsl_json_known_number(json, "cutoff", energy->cutoff, energy->cutoff > 0);
    tsl_json_string(json, "shift", shifts[energy->shift]);
    tsl_json_open_array(json, "box");
    for (int k = 0; k < 6 && energy->box != NULL; k++) {
        tsl_json_number(json, NULL, options->box[k]);
    }
    tsl_json_close_array(json);
    tsl_json_string(json, "exclude", options->exclude);
    tsl_json_number(json, "largest", energy->largest);
    tsl_json_integer(json, "threads", tsl_context_threads(work->task.context));
    tsl_json_close_object(json);
    tsl_json_open_object(json, "results");
    tsl_json_integer(json, "points", work->points.points.count);
    tsl_json_string(json, "precision", pairs_precision_name(work->points.points.precision));
    tsl_json_integer(json, "pairs", work->found.pairs);
    tsl_json_number(json, "energy", work->found.energy);
    tsl_json_number(json, "virial", work->found.virial);
    tsl_json_number(json, "energy_unit", work->found.energy_unit);
    tsl_json_number(json, "force_unit", work->found.force_unit);
    tsl_json_close_object(json);
}

static void print(FILE *stream, const void *user)
{
    const energy_work *work = user;
    fprintf(stream, "%lld points, %s precision, on %s: %lld pairs in %.3f s\n",
            (long long)work->points.points.count,
            pairs_precision_name(work->points.points.precision), work->task.group->devices,
            (long long)work->found.pairs, work->task.compute);
    fprintf(stream, "energy %.10g, virial %.10g, in units of %.2g; forces in units of %.2g\n",
            work->found.energy, work->found.virial, work->found.energy_unit,
            work->found.force_unit);
}

static void init(const cli_command *self, void *options)
{
    (void)self;
    *(energy_options *)options = (energy_options){.energy = TSL_ENERGY_OPTIONS_INIT};
}

static tsl_status run_rank(const cli_rank_group *group, const void *options)
{
    energy_work work = {.options = options,
                        .energy = ((const energy_options *)options)->energy,
                        .task = pairs_begin(group, options)};
    tsl_status status = run(&work);
    if (status == TSL_OK && group->rank == 0) {
        status = pairs_tell(&work.task, print, write_body, &work);
    }
    tsl_buffer_destroy(work.device);
    tsl_buffer_destroy(work.device_forces);
    tsl_energy_plan_destroy(work.plan);
    tsl_point_set_release(&work.points);
    tsl_point_set_release(&work.charges);
    tsl_point_set_release(&work.pairs);
    tsl_release(work.exclusions);
    tsl_release(work.forces);
    return status;
}

static int run_command(const cli_command *self, int argc, char **argv)
{
    energy_options options;
    return pairs_run_ranks(self, &options, argc, argv, run_rank);
}

const cli_command pairs_energy = {.name = "energy",
                                  .summary = "Lennard-Jones, Coulomb, gravity: energy and forces",
                                  .run = run_command,
                                  .doc = command_doc,
                                  .arguments = "POINTS",
                                  .rows = rows,
                                  .size = sizeof(energy_options),
                                  .init = init,
                                  .check = check,
                                  .argument = set_argument,
                                  .places = CLI_ONE_RANK};
