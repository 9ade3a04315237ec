/* `tesela npb BENCHMARK`. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/npb_command.h"

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

static tsl_status write_report(tsl_context *context, const npb_options *options,
                               const npb_result *result, const npb_outcome *outcome, double begun)
{
    const double total = tsl_seconds() - begun;
    const cli_report report = {.command = options->benchmark->command,
                               .device = tsl_context_device(context),
                               .verified = outcome->verified,
                               .total = total,
                               .setup = total - outcome->seconds,
                               .compute = outcome->seconds};
    const report_work body = {options, result, outcome, tsl_context_threads(context)};
    return cli_report_write(context, options->common.json, &report, write_body, &body);
}

/* Run the benchmark and tell its outcome; returns the exit status. */
static int run(tsl_context *context, const npb_options *options, double begun)
{
    npb_result result;
    npb_outcome outcome;
    const char *json = options->common.json;
    tsl_status status = options->benchmark->run(&result, &outcome, context, options->size_class);
    if (status == TSL_OK && !cli_is_quiet()) {
        FILE *stream = cli_summary_stream(&options->common);
        options->benchmark->print(stream, &result);
        print_closing_block(stream, options, &outcome);
        fflush(stream);
    }
    if (status == TSL_OK && json != NULL) {
        status = write_report(context, options, &result, &outcome, begun);
    }
    if (options->common.profile) {
        cli_profile_print(context);
    }
    if (status != TSL_OK) {
        cli_error("%s", tsl_last_error(context));
        return cli_exit_status(context, status, false);
    }
    if (!outcome.verified) {
        cli_error("%s class %c: verification failed", options->benchmark->name,
                  options->size_class);
        return CLI_CHECK_FAILED;
    }
    return CLI_DONE;
}

static int run_benchmark(const npb_benchmark *benchmark, int argc, char **argv)
{
    const struct argp argp = {
        .options = options_table, .parser = parse_option, .doc = benchmark->doc};
    const double begun = tsl_seconds();
    npb_options options = {.benchmark = benchmark, .size_class = 'S'};
    int exit_status;
    if (!cli_parse(&argp, &options, &options.common, argc, argv, &exit_status)) {
        return exit_status;
    }
    tsl_context *context;
    const tsl_status status = cli_open_context(&context, &options.common);
    if (status != TSL_OK) {
        return cli_exit_status(NULL, status, false);
    }
    if (options.common.profile) {
        tsl_profile_enable(context);
    }
    exit_status = run(context, &options, begun);
    tsl_context_destroy(context);
    return exit_status;
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
