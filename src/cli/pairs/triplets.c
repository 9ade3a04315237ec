/* `tesela pairs triplets`. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/pairs/command.h"
#include "core/context.h"

typedef struct triplet_options {
    cli_common common;
    double nu;
    tsl_triplet_map map;
    const char *input; /* NULL: none */
} triplet_options;

typedef struct triplet_work {
    const triplet_options *options;
    const cli_rank_group *group;
    tsl_context *context;
    double begun, setup, compute, energy;
    tsl_point_set points;
} triplet_work;

static const char *const maps[] = {"tetrahedron", "cube", NULL};

static const cli_option rows[] = {
    {"nu", .value = "NU", .kind = CLI_REAL, CLI_FIELD(triplet_options, nu), .help = "strength"},
    {"map", .value = "NAME", .kind = CLI_CHOICE, CLI_FIELD(triplet_options, map), .words = maps,
     .help = "how a GPU's blocks are laid over triples, @: of a cube five sixths end at once; the "
             "same sum"},
    {0}};

static const char command_doc[] =
    "Axilrod-Teller energy of all triples of points: the sum of NU (1 + 3 cos a cos b cos c) / "
    "(r_ij r_jk r_ki)^3, a, b and c the angles of the triangle, in double precision."
    "\v"
    "A file is .npy, a table of text, or the atoms of a PDB or mmCIF file, as for tesela pairs "
    "distance, of three coordinates.\n"
    "\n"
    "Example:\n"
    "  tesela pairs triplets cluster.npy --nu 0.072";

static error_t set_argument(void *parsed, const char *text)
{
    triplet_options *options = parsed;
    if (options->input != NULL) {
        cli_error("'%s' is one argument too many: give one file", text);
        return EINVAL;
    }
    options->input = text;
    return 0;
}

static tsl_status run(triplet_work *work)
{
    tsl_status status = pairs_read(&work->points, work->group, work->options->input);
    const double ready = tsl_seconds();
    work->setup = ready - work->begun;
    if (status == TSL_OK) {
        status = tsl_triplets_energy(&work->energy, work->context, work->options->nu,
                                     work->options->map, &work->points.points);
    }
    work->compute = tsl_seconds() - ready;
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
    tsl_json_integer(json, "threads", tsl_context_threads(work->context));
    tsl_json_close_object(json);
    tsl_json_open_object(json, "results");
    tsl_json_integer(json, "points", n);
    tsl_json_integer(json, "triples", n < 3 ? 0 : n * (n - 1) / 2 * (n - 2) / 3);
    tsl_json_number(json, "energy", work->energy);
    tsl_json_close_object(json);
}

static tsl_status tell(const triplet_work *work)
{
    const cli_common *common = &work->options->common;
    if (!cli_is_quiet()) {
        FILE *stream = cli_summary_stream(common);
        fprintf(stream, "%lld points, on %s, in %.3f s: energy %.12g\n",
                (long long)work->points.points.count, work->group->devices, work->compute,
                work->energy);
        cli_flush(stream);
    }
    const cli_report report = {.command = "pairs triplets",
                               .device = work->group->devices,
                               .ranks = work->group->ranks,
                               .verified = -1,
                               .total = tsl_seconds() - work->begun,
                               .setup = work->setup,
                               .compute = work->compute};
    return cli_conclude(work->context, common, &report, write_body, work);
}

static void init(const cli_command *self, void *options)
{
    (void)self;
    *(triplet_options *)options = (triplet_options){.nu = 1};
}

static tsl_status run_rank(const cli_rank_group *group, const void *options)
{
    triplet_work work = {
        .options = options, .group = group, .context = group->context, .begun = tsl_seconds()};
    tsl_status status = run(&work);
    if (status == TSL_OK && group->rank == 0) {
        status = tell(&work);
    }
    tsl_point_set_release(&work.points);
    return status;
}

static bool check(const void *parsed)
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
    int exit_status;
    return pairs_parse(self, &options, argc, argv, &exit_status, check)
               ? pairs_run_ranks(&options.common, run_rank)
               : exit_status;
}

const cli_command pairs_triplets = {.name = "triplets",
                                    .summary = "Axilrod-Teller energy of all triples",
                                    .run = run_command,
                                    .doc = command_doc,
                                    .arguments = "POINTS",
                                    .rows = rows,
                                    .size = sizeof(triplet_options),
                                    .init = init,
                                    .argument = set_argument,
                                    .places = CLI_ONE_RANK};
