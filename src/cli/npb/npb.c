/* `tesela npb BENCHMARK`. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/npb/command.h"

enum { KEY_VARIANT = 0x300, KEY_REPEAT, KEY_TIMING };

static const struct argp_option options_table[] = {
    {"class", 'c', "CLASS", 0,
     "size of the problem: S (the default), W, A, B, C, D, …; of the ladder a list too", 0},
    {NULL, 0, NULL, 0, "The ladder of versions:", 1},
    {"variant", KEY_VARIANT, "LIST", 0,
     "only these: serial, openmp, V1, V2, … (or 1, 2, …), tesela, ranks", 1},
    {"repeat", KEY_REPEAT, "COUNT", 0, "runs of each, for mean and spread, 1 to 10000 (1)", 1},
    {"timing", KEY_TIMING, "CLOCK", 0,
     "compute (the default), or thesis: device memory and transfers included", 1},
    {0}};

/* A letter, or with the ladder a list of them. */
static bool take_classes(npb_options *options, const char *text)
{
    size_t count = 0;
    for (const char *letter = text;; letter += 2) {
        const char upper = (char)(*letter >= 'a' && *letter <= 'z' ? *letter - 'a' + 'A' : *letter);
        const char after = upper != '\0' ? letter[1] : '\0';
        if (upper == '\0' || strchr(options->benchmark->classes, upper) == NULL ||
            (after != '\0' && after != ',') || count == NPB_CLASSES) {
            cli_error("--class '%s': %s has the classes %s", text, options->benchmark->name,
                      options->benchmark->classes);
            return false;
        }
        options->classes[count++] = upper;
        options->classes[count] = '\0';
        if (after == '\0') {
            return true;
        }
    }
}

static error_t parse_option(int key, char *text, struct argp_state *state)
{
    static const char *const clocks[] = {"compute", "thesis", NULL};
    npb_options *options = state->input;
    options->ladder |= key == KEY_VARIANT || key == KEY_REPEAT || key == KEY_TIMING;
    switch (key) {
    case 'c':
        return take_classes(options, text) ? 0 : EINVAL;
    case KEY_VARIANT:
        options->variants = text;
        return 0;
    case KEY_REPEAT:
        return cli_set_integer("--repeat", text, 1, 10000, &options->repeat);
    case KEY_TIMING:
        return cli_set_choice("--timing", text, clocks, &options->timing);
    case ARGP_KEY_ARG:
        cli_error("'%s': %s takes no arguments: did you mean --class %s?", text,
                  options->benchmark->command, text);
        return EINVAL;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* What the options say together. */
static bool check(npb_options *options)
{
    bool asked[NPB_VERSIONS];
    if (options->ladder && options->common.profile) {
        cli_error("--profile does not go with the ladder: it is of tesela npb %s alone",
                  options->benchmark == &npb_cg ? "cg" : "ep");
        return false;
    }
    if (options->ladder) {
        if (options->variants == NULL && !options->whole) {
            options->variants = "tesela";
        }
        return npb_ladder_choose(asked, options);
    }
    if (options->classes[1] != '\0') {
        cli_error("--class: %s runs one class; a list is for tesela npb ladder",
                  options->benchmark->command);
        return false;
    }
    return true;
}

/* As NPB's programs end, so that what reads their output reads ours. */
static void print_closing_block(FILE *stream, const npb_options *options,
                                const npb_outcome *outcome)
{
    fprintf(stream, "\n\n %s Benchmark Completed.\n", options->benchmark->name);
    fprintf(stream, " Class           = %24c\n", options->classes[0]);
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
    const char class_name[2] = {w->options->classes[0], '\0'};
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

/* What rank 0 does with the outcome. */
static tsl_status tell(const cli_crew *crew, const npb_job *job, const npb_result *result,
                       const npb_outcome *outcome)
{
    const npb_options *options = job->options;
    if (!cli_is_quiet()) {
        FILE *stream = cli_summary_stream(&options->common);
        options->benchmark->print(stream, result);
        print_closing_block(stream, options, outcome);
        cli_flush(stream);
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
        context, options->benchmark->run(&result, &outcome, context, options->classes[0]));
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
                  options->classes[0]);
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
        exit_status = job->options->ladder ? npb_ladder_run(&crew, job) : run_on(&crew, job);
    }
    if (crew.rank == 0 || cli_is_launched()) {
        job->exit_status = exit_status;
    }
    cli_crew_part(&crew);
    cli_be_silent(false);
    return status == TSL_OK && tsl_comm_failure(comm, NULL, NULL) != NULL ? TSL_E_COMM : status;
}

static const char ladder_doc[] =
    "The versions by which EP and CG came to GPUs, one change at a time, in a table: each is run "
    "and "
    "verified, and compared with the benchmark's loop on one core and on all. V1 and so on need a "
    "GPU; the last row is the command as it is."
    "\v"
    "Examples:\n"
    "  tesela npb ladder ep --class A --device cuda:0 --repeat 100\n"
    "  tesela npb ladder cg --class S,W,A,B,C --timing thesis --device cuda:0-1\n"
    "  tesela npb cg --class B --variant V4 --device cuda:0";

static int run_benchmark(const npb_benchmark *benchmark, bool ladder, int argc, char **argv)
{
    const struct argp argp = {.options = options_table,
                              .parser = parse_option,
                              .doc = ladder ? ladder_doc : benchmark->doc};
    npb_options options = {
        .benchmark = benchmark, .classes = "S", .repeat = 1, .ladder = ladder, .whole = ladder};
    npb_job job = {.options = &options, .begun = tsl_seconds()};
    int exit_status;
    cli_be_silent(!cli_is_leader()); /* they all see the same command line */
    bool parsed = cli_parse(&argp, &options, &options.common, argc, argv, &exit_status);
    if (parsed && !check(&options)) {
        exit_status = CLI_USAGE;
        parsed = false;
    }
    cli_be_silent(false);
    if (!parsed) {
        return cli_refused(exit_status);
    }
    exit_status =
        cli_run_ranks(cli_rank_count(options.common.device), &options.common, run_rank, &job);
    return exit_status != CLI_DONE ? exit_status : job.exit_status;
}

/* ---- which benchmark ---------------------------------------------------------------------- */

typedef struct entry {
    const char *name;
    char *full_name;
    char *ladder_name;
    const npb_benchmark *benchmark;
} entry;

static char ep_name[] = "tesela npb ep";
static char cg_name[] = "tesela npb cg";
static char ep_ladder_name[] = "tesela npb ladder ep";
static char cg_ladder_name[] = "tesela npb ladder cg";

static const entry entries[] = {{"ep", ep_name, ep_ladder_name, &npb_ep},
                                {"cg", cg_name, cg_ladder_name, &npb_cg}};
enum { ENTRIES = sizeof entries / sizeof *entries };

static void print_help(FILE *stream)
{
    fputs("Usage: tesela npb BENCHMARK [OPTION...]\n"
          "  or:  tesela npb ladder BENCHMARK [OPTION...]\n"
          "NAS Parallel Benchmarks, verified against the published values.\n\n"
          "  ep       pairs of Gaussian deviates: arithmetic alone\n"
          "  cg       conjugate gradients with a random sparse matrix: memory alone\n"
          "  ladder   how one of them came to GPUs, version by version, in a table\n"
          "\n"
          "tesela npb BENCHMARK --help explains one.\n"
          "\n"
          "Examples:\n"
          "  tesela npb ep --class A\n"
          "  tesela npb ladder cg --class A --device cuda:0\n",
          stream);
}

/* Run the benchmark that argv[0] names. */
static int run_named(bool ladder, int argc, char **argv)
{
    const char *names[ENTRIES + 2] = {NULL};
    for (int i = 0; i < ENTRIES; i++) {
        if (strcmp(argv[0], entries[i].name) == 0) {
            argv[0] = ladder ? entries[i].ladder_name : entries[i].full_name;
            return run_benchmark(entries[i].benchmark, ladder, argc, argv);
        }
        names[i] = entries[i].name;
    }
    names[ENTRIES] = ladder ? NULL : "ladder";
    const char *near = cli_nearest(argv[0], names);
    cli_error("unknown %s '%s'%s%s%s (see tesela npb --help)",
              argv[0][0] == '-' ? "option" : "benchmark", argv[0],
              near != NULL ? ": did you mean " : "", near != NULL ? near : "",
              near != NULL ? "?" : "");
    return CLI_USAGE;
}

int cli_npb(int argc, char **argv)
{
    const bool ladder = argc > 1 && strcmp(argv[1], "ladder") == 0;
    const int named = ladder ? 2 : 1; /* place of the benchmark's name */
    if (argc > named && (strcmp(argv[named], "--help") == 0 || strcmp(argv[named], "-h") == 0)) {
        print_help(stdout);
        return CLI_DONE;
    }
    if (argc <= named) {
        print_help(stderr);
        return CLI_USAGE;
    }
    return run_named(ladder, argc - named, argv + named);
}
