/* `tesela npb ladder`: runs each version on the ranks and devices it is for. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/npb/command.h"
#include "comm/comm.h"
#include "solvers/npb/ladder/ladder.h"

/* Contexts of rank 0 alone. The group's context is for versions of all ranks. */
typedef struct bench {
    const cli_rank_group *group;
    const npb_options *options;
    bool is_cg;
    bool asked[NPB_VERSIONS];
    tsl_context *one;  /* one core */
    tsl_context *all;  /* all cores */
    tsl_context *solo; /* this rank's device */
    npb_table tables[NPB_CLASSES];
} bench;

/* ---- which versions ----------------------------------------------------------------------- */

/* "V3" and "3" are the same. */
static bool is_named(const char *name, const char *text, size_t length)
{
    const size_t skipped = name[0] == 'V' && length > 0 && text[0] != 'V' && text[0] != 'v';
    return strlen(name + skipped) == length && (strncmp(name + skipped, text, length) == 0 ||
                                                (name[0] == 'V' && length > 1 && text[0] == 'v' &&
                                                 strncmp(name + 1, text + 1, length - 1) == 0));
}

bool npb_ladder_choose(bool asked[NPB_VERSIONS], const npb_options *options)
{
    const tsl_ladder_version *versions;
    const int count = tsl_ladder_versions(&versions, options->benchmark == &npb_cg);
    for (int i = 0; i < NPB_VERSIONS; i++) {
        asked[i] = options->variants == NULL && i < count;
    }
    for (const char *text = options->variants; text != NULL;) {
        const size_t length = strcspn(text, ",");
        bool found = false;
        for (int i = 0; i < count; i++) {
            const bool named = is_named(versions[i].name, text, length);
            asked[i] |= named;
            found |= named;
        }
        if (!found) {
            cli_error("--variant '%.*s': %s has serial, openmp, V1 to V%d, tesela and ranks",
                      (int)length, text, options->benchmark->name, count - 4);
            return false;
        }
        text = text[length] == ',' ? text + length + 1 : NULL;
    }
    return true;
}

/* ---- running ------------------------------------------------------------------------------ */

static tsl_context *context_of(const bench *b, tsl_ladder_place place)
{
    switch (place) {
    case TSL_LADDER_ONE_CORE:
        return b->one;
    case TSL_LADDER_ALL_CORES:
        return b->all;
    case TSL_LADDER_GPU:
    case TSL_LADDER_DEVICE:
        return b->solo;
    case TSL_LADDER_GPUS:
    case TSL_LADDER_DEVICES:
        break;
    }
    return b->group->context;
}

static bool is_of_all_ranks(tsl_ladder_place place)
{
    return place == TSL_LADDER_GPUS || place == TSL_LADDER_DEVICES;
}

/* Does a version have a row? Of the whole ladder those that can run here have; a version that was
 * named always has. All ranks have the same kind of device, so all decide the same. */
static bool has_row(const bench *b, const tsl_ladder_version *version, int number)
{
    if (!b->asked[number] || b->options->variants != NULL ||
        version->place == TSL_LADDER_ONE_CORE || version->place == TSL_LADDER_ALL_CORES) {
        return b->asked[number];
    }
    return (version->place != TSL_LADDER_DEVICES || b->group->ranks > 1) &&
           tsl_ladder_runs_on(b->group->context, b->is_cg, number);
}

static void take_times(npb_row *row, const tsl_ladder_outcome *outcome, int run)
{
    const double seconds[2] = {outcome->times.compute, outcome->times.thesis};
    for (int clock = 0; clock < 2; clock++) {
        npb_clock *c = &row->clocks[clock];
        const double off = seconds[clock] - c->mean; /* Welford's recurrence */
        c->mean += off / (run + 1);
        c->spread += off * (seconds[clock] - c->mean);
        c->least = run == 0 ? seconds[clock] : fmin(c->least, seconds[clock]);
    }
    row->error = fmax(row->error, outcome->error);
    row->verified = (run == 0 || row->verified) && outcome->verified;
}

/* Run a version as often as asked for. The group's context has the line of a failure. */
static tsl_status run_version(const bench *b, npb_row *row, const tsl_ladder_case *what,
                              const tsl_ladder_version *version, int number)
{
    const cli_rank_group *group = b->group;
    tsl_context *context = context_of(b, version->place);
    const int count = is_of_all_ranks(version->place) || group->rank == 0 ? b->options->repeat : 0;
    tsl_status status = TSL_OK;
    for (int run = 0; run < count && status == TSL_OK; run++) {
        tsl_ladder_outcome outcome;
        status = tsl_ladder_run(&outcome, context, what, number);
        take_times(row, &outcome, run);
    }
    if (status != TSL_OK && context != group->context) {
        tsl_fail(group->context, status, "%s", tsl_last_error(context));
    }
    for (int clock = 0; clock < 2 && count > 0; clock++) {
        double *spread = &row->clocks[clock].spread;
        *spread = count > 1 ? sqrt(*spread / (count - 1)) : 0;
    }
    row->ran = true;
    return cli_agree(group->context, status);
}

static tsl_status run_class(bench *b, npb_table *table, char size_class)
{
    const cli_rank_group *group = b->group;
    const tsl_ladder_version *versions;
    const int count = tsl_ladder_versions(&versions, b->is_cg);
    tsl_ladder_case what;
    table->size_class = size_class;
    tsl_status status = cli_agree(
        group->context, tsl_ladder_case_begin(&what, group->context, b->is_cg, size_class));
    for (int i = 0; i < count && status == TSL_OK; i++) {
        table->rows[i].asked = b->asked[i];
        if (has_row(b, &versions[i], i)) {
            status = run_version(b, &table->rows[i], &what, &versions[i], i);
        }
    }
    tsl_ladder_case_end(&what);
    return status;
}

/* ---- contexts ----------------------------------------------------------------------------- */

static tsl_status open_one(tsl_context **out, const bench *b, const char *device, int threads)
{
    const tsl_status status = cli_open_rank(out, device, threads, NULL);
    return status == TSL_OK ? TSL_OK
                            : tsl_fail(b->group->context, status, "%s", tsl_last_error(NULL));
}

/* Are all ranks on devices of one kind? */
static tsl_status check_kinds(const cli_rank_group *group)
{
    const size_t length = strcspn(group->placements[0].device, ":");
    for (int q = 1; q < group->ranks; q++) {
        const char *device = group->placements[q].device;
        if (strcspn(device, ":") != length ||
            strncmp(device, group->placements[0].device, length) != 0) {
            return tsl_fail(group->context, TSL_E_ARG,
                            "--device: %s and %s: the ladder's are devices of one kind",
                            group->placements[0].device, device);
        }
    }
    return TSL_OK;
}

static tsl_status open_contexts(bench *b)
{
    const cli_rank_group *group = b->group;
    tsl_status status = check_kinds(group);
    if (group->rank > 0 || status != TSL_OK) {
        return cli_agree(group->context, status);
    }
    TSL_TRY(open_one(&b->one, b, "cpu", 1));
    TSL_TRY(open_one(&b->all, b, "cpu", b->options->common.threads));
    TSL_TRY(open_one(&b->solo, b, group->placements[0].device,
                     strcmp(group->placements[0].device, "cpu") == 0
                         ? tsl_context_threads(b->all)
                         : group->placements[0].threads));
done:
    return cli_agree(group->context, status);
}

/* ---- the outcome -------------------------------------------------------------------------- */

static bool are_verified(const bench *b)
{
    bool all = true;
    for (int c = 0; b->options->classes[c] != '\0'; c++) {
        for (int i = 0; i < NPB_VERSIONS; i++) {
            const npb_row *row = &b->tables[c].rows[i];
            all = all && (!row->ran || row->verified);
        }
    }
    return all;
}

static double seconds_of_all(const bench *b)
{
    double sum = 0;
    for (int c = 0; b->options->classes[c] != '\0'; c++) {
        for (int i = 0; i < NPB_VERSIONS; i++) {
            sum += b->options->repeat * b->tables[c].rows[i].clocks[b->options->timing].mean;
        }
    }
    return sum;
}

static void write_body(tsl_json *json, const void *work)
{
    const bench *b = work;
    npb_table_write(json, b->options, b->tables, tsl_context_threads(b->all));
}

static tsl_status tell(const bench *b, const npb_job *job)
{
    const cli_common *common = &b->options->common;
    if (!cli_is_quiet()) {
        npb_table_print(cli_summary_stream(common), b->options, b->group, b->tables,
                        tsl_context_threads(b->all));
    }
    if (common->json == NULL) {
        return TSL_OK;
    }
    const double total = tsl_seconds() - job->begun;
    const double compute = seconds_of_all(b);
    const cli_report report = {.command = "npb ladder",
                               .device = b->group->devices,
                               .ranks = b->group->ranks,
                               .verified = are_verified(b),
                               .total = total,
                               .setup = total - compute,
                               .compute = compute};
    return cli_report_write(b->group->context, common->json, &report, write_body, b);
}

int npb_ladder_run(const cli_rank_group *group, const npb_job *job)
{
    const npb_options *options = job->options;
    bench b = {.group = group, .options = options, .is_cg = options->benchmark == &npb_cg};
    npb_ladder_choose(b.asked, options);
    tsl_status status = open_contexts(&b);
    for (int c = 0; options->classes[c] != '\0' && status == TSL_OK; c++) {
        status = run_class(&b, &b.tables[c], options->classes[c]);
    }
    if (status == TSL_OK) {
        status = cli_agree(group->context, group->rank == 0 ? tell(&b, job) : TSL_OK);
    }
    tsl_context_destroy(b.one);
    tsl_context_destroy(b.all);
    tsl_context_destroy(b.solo);
    if (status != TSL_OK) {
        if (status != TSL_E_COMM) { /* that one is told by the rank that failed */
            cli_error("%s", tsl_last_error(group->context));
        }
        return cli_exit_status(group->context, status, false);
    }
    if (group->rank == 0 && !are_verified(&b)) {
        cli_error("%s: a version of the ladder failed verification", options->benchmark->name);
        return CLI_CHECK_FAILED;
    }
    return CLI_DONE;
}
