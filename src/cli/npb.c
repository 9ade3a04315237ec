/* `tesela npb BENCHMARK`. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/npb_command.h"
#include "cli/ranks.h"

typedef struct npb_options {
    cli_common common;
    const npb_benchmark *benchmark;
    char size_class;
} npb_options;

static const struct argp_option options_table[] = {
    {"class", 'c', "CLASS", 0, "size of the problem: S (the default), W, A, B, C, D, …", 0}, {0}};

static bool take_class(npb_options *options, const char *text)
{
    const char upper = (char)(text[0] >= 'a' && text[0] <= 'z' ? text[0] - 'a' + 'A' : text[0]);
    if (upper == '\0' || text[1] != '\0' || strchr(options->benchmark->classes, upper) == NULL) {
        cli_error("--class '%s': %s has the classes %s", text, options->benchmark->name,
                  options->benchmark->classes);
        return false;
    }
    options->size_class = upper;
    return true;
}

static error_t parse_option(int key, char *text, struct argp_state *state)
{
    npb_options *options = state->input;
    switch (key) {
    case 'c':
        return take_class(options, text) ? 0 : EINVAL;
    case ARGP_KEY_ARG:
        cli_error("'%s': %s takes no arguments: did you mean --class %s?", text,
                  options->benchmark->command, text);
        return EINVAL;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* As NPB's programs end, so that what reads their output reads ours. */
static void print_closing_block(FILE *stream, const npb_options *options,
                                const npb_outcome *outcome)
{
    fprintf(stream, "\n\n %s Benchmark Completed.\n", options->benchmark->name);
    fprintf(stream, " Class           = %24c\n", options->size_class);
    fprintf(stream, " Size            = %24.0f\n", outcome->size);
    fprintf(stream, " Iterations      = %24d\n", outcome->iterations);
    fprintf(stream, " Time in seconds = %24.*f\n", outcome->seconds < 1 ? 6 : 2, outcome->seconds);
    fprintf(stream, " Mop/s total     = %24.2f\n", outcome->mops);
    fprintf(stream, " Operation type  = %24s\n", outcome->operation);
    fprintf(stream, " Verification    = %24s\n", outcome->verified ? "SUCCESSFUL" : "UNSUCCESSFUL");
    fprintf(stream, " Version         = %24s\n", tsl_version());
}

/* What the report is written of. */
typedef struct report_work {
    const npb_options *options;
    const npb_result *result;
    const npb_outcome *outcome;
    int threads;
} report_work;

static void write_body(tsl_json *json, const void *work)
{
    const report_work *w = work;
    const char class_name[2] = {w->options->size_class, '\0'};
    tsl_json_open_object(json, "parameters");
    tsl_json_string(json, "class", class_name);
    tsl_json_integer(json, "threads", w->threads);
    tsl_json_close_object(json);
    tsl_json_open_object(json, "results");
    tsl_json_string(json, "class", class_name);
    tsl_json_number(json, "mops", w->outcome->mops);
    tsl_json_number(json, "seconds", w->outcome->seconds);
    w->options->benchmark->write(json, w->result);
    tsl_json_close_object(json);
}

/* The ranks of this process at work on one benchmark. */
typedef struct npb_job {
    const npb_options *options;
    double begun;
    int exit_status;
} npb_job;

/* What rank 0 does with the outcome. */
static tsl_status tell(const cli_crew *crew, const npb_job *job, const npb_result *result,
                       const npb_outcome *outcome)
{
    const npb_options *options = job->options;
    if (!cli_is_quiet()) {
        FILE *stream = cli_summary_stream(&options->common);
        options->benchmark->print(stream, result);
        print_closing_block(stream, options, outcome);
        fflush(stream);
    }
    if (options->common.profile) {
        cli_profile_print(crew->context);
    }
    if (options->common.json == NULL) {
        return TSL_OK;
    }
    const double total = tsl_seconds() - job->begun;
    const cli_report report = {.command = options->benchmark->command,
                               .device = crew->devices,
                               .ranks = crew->ranks,
                               .verified = outcome->verified,
                               .total = total,
                               .setup = total - outcome->seconds,
                               .compute = outcome->seconds};
    const report_work body = {options, result, outcome, tsl_context_threads(crew->context)};
    return cli_report_write(crew->context, options->common.json, &report, write_body, &body);
}

/* Run the benchmark and tell its outcome; returns the exit status. */
static int run_on(const cli_crew *crew, const npb_job *job)
{
    const npb_options *options = job->options;
    tsl_context *context = crew->context;
    npb_result result;
    npb_outcome outcome;
    if (options->common.profile) {
        tsl_profile_enable(context);
    }
    tsl_status status = cli_agree(
        context, options->benchmark->run(&result, &outcome, context, options->size_class));
    if (status == TSL_OK) {
        status = cli_agree(context, crew->rank == 0 ? tell(crew, job, &result, &outcome) : TSL_OK);
    }
    if (status != TSL_OK) {
        if (status != TSL_E_COMM) { /* which is told where it comes from */
            cli_error("%s", tsl_last_error(context));
        }
        return cli_exit_status(context, status, false);
    }
    if (!outcome.verified) {
        cli_error("%s class %c: verification failed", options->benchmark->name,
                  options->size_class);
        return CLI_CHECK_FAILED;
    }
    return CLI_DONE;
}

static tsl_status run_rank(tsl_comm *comm, void *user)
{
    npb_job *job = user;
    cli_crew crew;
    int exit_status = CLI_INTERNAL;
    cli_be_silent(tsl_comm_rank(comm) > 0);
    const tsl_status status = cli_crew_meet(&crew, comm, &job->options->common);
    if (status == TSL_OK) {
        exit_status = run_on(&crew, job);
    }
    if (crew.rank == 0 || cli_is_launched()) {
        job->exit_status = exit_status;
    }
    cli_crew_part(&crew);
    cli_be_silent(false);
    return status == TSL_OK && tsl_comm_failure(comm, NULL, NULL) != NULL ? TSL_E_COMM : status;
}

/* Ranks that are threads: one a device of a list; auto is one device. */
static int count_ranks(const cli_common *common)
{
    return strcmp(common->device, "auto") == 0 ? 1 : cli_device_count(common->device);
}

static int run_benchmark(const npb_benchmark *benchmark, int argc, char **argv)
{
    const struct argp argp = {
        .options = options_table, .parser = parse_option, .doc = benchmark->doc};
    npb_options options = {.benchmark = benchmark, .size_class = 'S'};
    npb_job job = {.options = &options, .begun = tsl_seconds()};
    int exit_status;
    cli_be_silent(!cli_is_leader()); /* they all see the same command line */
    const bool parsed = cli_parse(&argp, &options, &options.common, argc, argv, &exit_status);
    cli_be_silent(false);
    if (!parsed) {
        return exit_status;
    }
    exit_status = cli_run_ranks(count_ranks(&options.common), run_rank, &job);
    return exit_status != CLI_DONE ? exit_status : job.exit_status;
}

/* ---- which benchmark ---------------------------------------------------------------------- */

typedef struct entry {
    const char *name;
    char *full_name;
    const npb_benchmark *benchmark;
} entry;

static char ep_name[] = "tesela npb ep";
static char cg_name[] = "tesela npb cg";

static const entry entries[] = {{"ep", ep_name, &npb_ep}, {"cg", cg_name, &npb_cg}};
enum { ENTRIES = sizeof entries / sizeof *entries };

static void print_help(FILE *stream)
{
    fputs("Usage: tesela npb BENCHMARK [OPTION...]\n"
          "NAS Parallel Benchmarks, verified against the published values.\n\n"
          "  ep       pairs of Gaussian deviates: arithmetic alone\n"
          "  cg       conjugate gradients with a random sparse matrix: memory alone\n"
          "\n"
          "tesela npb BENCHMARK --help explains one.\n"
          "\n"
          "Examples:\n"
          "  tesela npb ep --class A\n",
          stream);
}

int cli_npb(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stderr);
        return CLI_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        print_help(stdout);
        return CLI_DONE;
    }
    const char *names[ENTRIES + 1] = {NULL};
    for (int i = 0; i < ENTRIES; i++) {
        if (strcmp(argv[1], entries[i].name) == 0) {
            argv[1] = entries[i].full_name;
            return run_benchmark(entries[i].benchmark, argc - 1, argv + 1);
        }
        names[i] = entries[i].name;
    }
    const char *near = cli_nearest(argv[1], names);
    cli_error("unknown %s '%s'%s%s%s (see tesela npb --help)",
              argv[1][0] == '-' ? "option" : "benchmark", argv[1],
              near != NULL ? ": did you mean " : "", near != NULL ? near : "",
              near != NULL ? "?" : "");
    return CLI_USAGE;
}
