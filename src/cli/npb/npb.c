/* `tesela npb BENCHMARK`. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/npb/command.h"

#define NPB_USUAL_CLASS "S"

/* Read a letter or, for the ladder, a list of letters. */
static error_t take_classes(const cli_option *row, const char *text, void *parsed)
{
    npb_options *options = parsed;
    size_t count = 0;
    for (const char *letter = text;; letter += 2) {
        const char upper = (char)(*letter >= 'a' && *letter <= 'z' ? *letter - 'a' + 'A' : *letter);
        const char after = upper != '\0' ? letter[1] : '\0';
        if (upper == '\0' || strchr(options->benchmark->classes, upper) == NULL ||
            (after != '\0' && after != ',') || count == NPB_CLASSES) {
            return cli_refuse_value(row, text, "%s has the classes %s", options->benchmark->name,
                                    options->benchmark->classes);
        }
        options->classes[count++] = upper;
        options->classes[count] = '\0';
        if (after == '\0') {
            return 0;
        }
    }
}

static error_t refuse_argument(void *parsed, const char *text)
{
    const npb_options *options = parsed;
    cli_error("'%s': %s takes no arguments: did you mean %s %s?", text, options->benchmark->command,
              cli_spelled(&options->common, options->classes), text);
    return EINVAL;
}

static const char *const clock_names[] = {[NPB_COMPUTE] = "compute", [NPB_THESIS] = "thesis", NULL};
static const char *const clock_notes[] = {[NPB_THESIS] = "device memory and transfers included"};

static const cli_option rows[] = {
    {"class", 'c', "CLASS", CLI_LIST, CLI_FIELD(npb_options, classes), .set = take_classes,
     .help = "size of the problem: S, W, A, B, C, D, …; for the ladder also a list",
     .otherwise = NPB_USUAL_CLASS},
    {.heading = "The ladder of versions:"},
    {"variant", .value = "LIST", .kind = CLI_TEXT, CLI_FIELD(npb_options, variants),
     .help = "versions to run: serial, openmp, V1, V2, … (or 1, 2, …), tesela, ranks"},
    {"repeat", .value = "COUNT", .kind = CLI_INTEGER, CLI_FIELD(npb_options, repeat),
     .range = {1, 10000}, .help = "runs of each version, for mean and spread"},
    {"timing", .value = "CLOCK", .kind = CLI_CHOICE, CLI_FIELD(npb_options, timing),
     .words = clock_names, .notes = clock_notes, .help = "time that the table compares"},
    {0}};

/* Check the options against each other. */
static bool check(void *parsed)
{
    npb_options *const options = parsed;
    bool asked[NPB_VERSIONS];
    const cli_common *common = &options->common;
    options->ladder = options->whole || cli_given(common, &options->variants) ||
                      cli_given(common, &options->repeat) || cli_given(common, &options->timing);
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

/* Print what NPB's programs print at their end, so that programs that read their output can read
 * this. */
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

/* What the report is about. */
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

/* Print and write the outcome, on rank 0. */
static tsl_status tell(const cli_rank_group *group, const npb_job *job, const npb_result *result,
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
        cli_profile_print(group->context);
    }
    if (options->common.json == NULL) {
        return TSL_OK;
    }
    const double total = tsl_seconds() - job->begun;
    const cli_report report = {.command = options->benchmark->command,
                               .device = group->devices,
                               .ranks = group->ranks,
                               .verified = outcome->verified,
                               .total = total,
                               .setup = total - outcome->seconds,
                               .compute = outcome->seconds};
    const report_work body = {options, result, outcome, tsl_context_threads(group->context)};
    return cli_report_write(group->context, options->common.json, &report, write_body, &body);
}

/* Run the benchmark, and print and write its outcome. Returns the exit status. */
static int run_on(const cli_rank_group *group, const npb_job *job)
{
    const npb_options *options = job->options;
    tsl_context *context = group->context;
    npb_result result;
    npb_outcome outcome;
    if (options->common.profile) {
        tsl_profile_enable(context);
    }
    tsl_status status = cli_agree(
        context, options->benchmark->run(&result, &outcome, context, options->classes[0]));
    if (status == TSL_OK) {
        status =
            cli_agree(context, group->rank == 0 ? tell(group, job, &result, &outcome) : TSL_OK);
    }
    if (status != TSL_OK) {
        if (status != TSL_E_COMM) { /* that one is told by the rank that failed */
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
    cli_rank_group group;
    int exit_status = CLI_INTERNAL;
    cli_be_silent(tsl_comm_rank(comm) > 0);
    const tsl_status status = cli_rank_group_open(&group, comm, &job->options->common);
    if (status == TSL_OK) {
        exit_status = job->options->ladder ? npb_ladder_run(&group, job) : run_on(&group, job);
    }
    if (group.rank == 0 || cli_is_launched()) {
        job->exit_status = exit_status;
    }
    cli_rank_group_close(&group);
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

/* The benchmark of a command, or its ladder. */
typedef struct npb_subject {
    const npb_benchmark *benchmark;
    bool ladder;
} npb_subject;

static void init(const cli_command *self, void *options)
{
    const npb_subject *subject = self->data;
    *(npb_options *)options = (npb_options){.benchmark = subject->benchmark,
                                            .classes = NPB_USUAL_CLASS,
                                            .repeat = 1,
                                            .whole = subject->ladder};
}

static int run_benchmark(const cli_command *self, int argc, char **argv)
{
    npb_options options;
    npb_job job = {.options = &options, .begun = tsl_seconds()};
    int exit_status;
    if (!cli_parse_options(self, &options, argc, argv, &exit_status)) {
        return exit_status;
    }
    exit_status =
        cli_run_ranks(cli_rank_count(options.common.device), &options.common, run_rank, &job);
    return exit_status != CLI_DONE ? exit_status : job.exit_status;
}

/* ---- which benchmark ---------------------------------------------------------------------- */

static const npb_subject ep_alone = {&npb_ep, false}, ep_ladder = {&npb_ep, true};
static const npb_subject cg_alone = {&npb_cg, false}, cg_ladder = {&npb_cg, true};

#define BENCHMARK                                                                                  \
    .run = run_benchmark, .rows = rows, .size = sizeof(npb_options), .init = init, .check = check, \
    .argument = refuse_argument, .places = CLI_ONE_RANK

static const cli_command ep_command = {
    .name = "ep", .summary = NPB_EP_SUMMARY, .doc = npb_ep_doc, .data = &ep_alone, BENCHMARK};
static const cli_command cg_command = {
    .name = "cg", .summary = NPB_CG_SUMMARY, .doc = npb_cg_doc, .data = &cg_alone, BENCHMARK};
static const cli_command ep_ladder_command = {
    .name = "ep", .summary = NPB_EP_SUMMARY, .doc = ladder_doc, .data = &ep_ladder, BENCHMARK};
static const cli_command cg_ladder_command = {
    .name = "cg", .summary = NPB_CG_SUMMARY, .doc = ladder_doc, .data = &cg_ladder, BENCHMARK};

static const cli_command *const in_the_ladder[] = {&ep_ladder_command, &cg_ladder_command, NULL};
static const cli_command ladder_command = {
    .name = "ladder",
    .summary = "how one of them came to GPUs, version by version, in a table",
    .children = in_the_ladder,
    .noun = "BENCHMARK",
    .doc = ladder_doc};

static const cli_command *const benchmarks[] = {&ep_command, &cg_command, &ladder_command, NULL};
const cli_command cli_npb = {.children = benchmarks,
                             .noun = "BENCHMARK",
                             .doc =
                                 "NAS Parallel Benchmarks, verified against the published values."
                                 "\v"
                                 "Examples:\n"
                                 "  tesela npb ep --class A\n"
                                 "  tesela npb ladder cg --class A --device cuda:0"};
