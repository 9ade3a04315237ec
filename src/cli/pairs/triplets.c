/* `tesela pairs triplets`. */
#include <math.h>
#include <stdio.h>

#include "cli/pairs/command.h"
#include "core/context.h"

typedef struct triplet_options {
    cli_common common;
    double nu;
    tsl_triplet_map map;
    const char *input; /* NULL: none */
} triplet_options;

typedef struct triplet_work {
    pairs_task task;
    const triplet_options *options;
    double energy;
    tsl_point_set points;
} triplet_work;

static const char *const maps[] = {"tetrahedron", "cube", NULL};

static const cli_option rows[] = {
    {"nu", .value = "NU", .kind = CLI_REAL, CLI_FIELD(triplet_options, nu),
     .help = "strength of the interaction, energy times length^9"},
    {"map", .value = "NAME", .kind = CLI_CHOICE, CLI_FIELD(triplet_options, map), .words = maps,
     .help = "how a GPU's blocks are mapped to triples, @; five sixths of a cube's blocks end at "
             "once; the sum is the same"},
    {0}};

static const char command_doc[] =
    "Compute the Axilrod-Teller energy of all triples of points, in double precision: the sum of "
    "NU (1 + 3 cos a cos b cos c) / (r_ij r_jk r_ki)^3, where a, b and c are the angles of the "
    "triangle.\v"
    "A file is .npy, a table of text, or the atoms of a PDB or mmCIF file, as for tesela pairs "
    "distance, of three coordinates.\n"
    "\n"
    "Example:\n"
    "  tesela pairs triplets cluster.npy --nu 0.072";

static error_t set_argument(void *parsed, const char *text)
{
    return pairs_take_file(&((triplet_options *)parsed)->input, text);
}

static tsl_status run(triplet_work *work)
{
    tsl_status status = pairs_read(&work->points, work->task.group, work->options->input);
    const double ready = tsl_seconds();
    work->task.setup = ready - work->task.begun;
    if (status == TSL_OK) {
        status = tsl_triplets_energy(&work->energy, work->task.context, work->options->nu,
                                     work->options->map, &work->points.points);
    }
    if (status == TSL_OK && !isfinite(work->energy)) {
        status = tsl_fail(work->task.context, TSL_E_ARG,
                          "%s: points are so close that the energy is no finite number: move them "
                          "apart",
                          work->options->input);
    }
    work->task.compute = tsl_seconds() - ready;
    return status;
}

static void write_body(tsl_json *json, const void *user)
{
    const triplet_work *work = user;
    const int64_t n = work->points.points.count;
    tsl_json_open_object(json, "parameters");
    tsl_json_string(json, "input", work->options->input);
    tsl_json_number(json, "nu", work->options->nu);
    tsl_json_string(json, "map", work->options->map == TSL_TRIPLETS_CUBE ? "cube" : "tetrahedron");
    tsl_json_integer(json, "threads", tsl_context_threads(work->task.context));
    tsl_json_close_object(json);
    tsl_json_open_object(json, "results");
    tsl_json_integer(json, "points", n);
    tsl_json_integer(json, "triples", n < 3 ? 0 : n * (n - 1) / 2 * (n - 2) / 3);
    tsl_json_number(json, "energy", work->energy);
    tsl_json_close_object(json);
}

static void print(FILE *stream, const void *user)
{
    const triplet_work *work = user;
    fprintf(stream, "%lld points, on %s, in %.3f s: energy %.12g\n",
            (long long)work->points.points.count, work->task.group->devices, work->task.compute,
            work->energy);
}

static void init(const cli_command *self, void *options)
{
    (void)self;
    *(triplet_options *)options = (triplet_options){.nu = 1};
}

static tsl_status run_rank(const cli_rank_group *group, const void *options)
{
    triplet_work work = {.options = options, .task = pairs_begin(group, options)};
    tsl_status status = run(&work);
    if (status == TSL_OK && group->rank == 0) {
        status = pairs_tell(&work.task, print, write_body, &work);
    }
    tsl_point_set_release(&work.points);
    return status;
}

static bool check(void *parsed)
{
    const triplet_options *const options = parsed;
    if (options->input == NULL) {
        cli_error("a file of points is missing: tesela pairs triplets points.npy");
    }
    return options->input != NULL;
}

static int run_command(const cli_command *self, int argc, char **argv)
{
    triplet_options options;
    return pairs_run_ranks(self, &options, argc, argv, run_rank);
}

const cli_command pairs_triplets = {.name = "triplets",
                                    .summary = "Axilrod-Teller energy of all triples",
                                    .run = run_command,
                                    .doc = command_doc,
                                    .arguments = "POINTS",
                                    .rows = rows,
                                    .size = sizeof(triplet_options),
                                    .init = init,
                                    .check = check,
                                    .argument = set_argument,
                                    .places = CLI_ONE_RANK};
