/* The table of the ladder, for people, as CSV and as JSON. */
#include <math.h>
#include <stdio.h>

#include "cli/dock/ladder.h"
#include "io/file/output.h"

/* ---- means -------------------------------------------------------------------------------- */

static double mean_of(const double *values, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++) {
        sum += values[i];
    }
    return sum / count; /* not a number, if there are none */
}

/* Standard deviation of a run; 0 for one. */
static double spread_of(const double *values, int count)
{
    const double mean = mean_of(values, count);
    double squares = 0;
    for (int i = 0; i < count; i++) {
        squares += (values[i] - mean) * (values[i] - mean);
    }
    return count == 1 ? 0 : sqrt(squares / (count - 1));
}

/* The numbers of a row; not-a-numbers for a version that was not run. */
typedef struct row {
    double seconds, spread, over_one_core, over_all_cores;
    double search, search_over_one_core, search_over_all_cores;
} row;

static double seconds_of(const dock_rung *rung)
{
    return mean_of(rung->seconds, rung->runs);
}

static double search_of(const dock_rung *rung)
{
    return mean_of(rung->search, rung->runs);
}

static row row_of(const dock_ladder *ladder, const dock_rung *rung)
{
    const dock_rung *one = &ladder->rungs[0], *all = &ladder->rungs[1];
    const double seconds = seconds_of(rung), search = search_of(rung);
    return (row){.seconds = seconds,
                 .spread = rung->runs > 0 ? spread_of(rung->seconds, rung->runs) : NAN,
                 .over_one_core = seconds_of(one) / seconds,
                 .over_all_cores = seconds_of(all) / seconds,
                 .search = search,
                 .search_over_one_core = search_of(one) / search,
                 .search_over_all_cores = search_of(all) / search};
}

bool dock_ladder_verified(const dock_ladder *ladder)
{
    bool verified = true;
    for (int i = 0; i < DOCK_VERSIONS; i++) {
        verified = verified && (ladder->rungs[i].runs == 0 || ladder->rungs[i].same);
    }
    return verified;
}

/* ---- for people --------------------------------------------------------------------------- */

void dock_ladder_print_head(FILE *stream, const dock_ladder *ladder)
{
    const dock_work *work = ladder->work;
    const dock_options *options = work->options;
    fprintf(stream, "%s + %s: %lld rotations, a grid of %d cells, %d run%s each\n",
            options->receptor, options->ligand, (long long)work->rotations.count, ladder->grid,
            options->repeat, options->repeat == 1 ? "" : "s");
    fprintf(stream, "%35s   %-8s %19s  %10s %19s\n", "whole run", "", "times as fast as", "search",
            "times as fast as");
    fprintf(stream, "%-16s %-7s %10s   %-8s %9s %9s  %10s %9s %9s  %s\n", "version", "source",
            "seconds", "spread", "one core", "all cores", "seconds", "one core", "all cores", "on");
}

/* A speed-up, or "-" where the version it is compared with has not run. */
static const char *format_ratio(char text[16], double ratio)
{
    snprintf(text, 16, isfinite(ratio) ? "%.2f" : "-", ratio);
    return text;
}

void dock_ladder_print_row(FILE *stream, const dock_ladder *ladder, const dock_rung *rung)
{
    const dock_version *v = rung->version;
    fprintf(stream, "%-16s %-7s ", v->name, v->source != NULL ? v->source : "-");
    if (rung->runs == 0) {
        fprintf(stream, "%10s   %s\n", "-", rung->reason);
        return;
    }
    char one[16], all[16];
    const row r = row_of(ladder, rung);
    fprintf(stream, "%10.4f ± %-8.4f %9s %9s ", r.seconds, r.spread,
            format_ratio(one, r.over_one_core), format_ratio(all, r.over_all_cores));
    fprintf(stream, " %10.4f %9s %9s  %s%s\n", r.search, format_ratio(one, r.search_over_one_core),
            format_ratio(all, r.search_over_all_cores), dock_rung_devices(ladder, rung),
            rung->same ? "" : ": ITS LIST DIFFERS");
}

/* ---- files -------------------------------------------------------------------------------- */

static void write_csv_number(FILE *stream, double value)
{
    if (isfinite(value)) {
        fprintf(stream, "%.6g,", value);
    } else {
        fputc(',', stream);
    }
}

static void write_csv_rows(FILE *stream, const void *work)
{
    const dock_ladder *ladder = work;
    fprintf(stream, "version,source,runs,seconds,spread,search_seconds,over_one_core,"
                    "over_all_cores,search_over_one_core,search_over_all_cores,same_list,devices,"
                    "reason\n");
    for (int i = 0; i < DOCK_VERSIONS; i++) {
        const dock_rung *rung = &ladder->rungs[i];
        const dock_version *v = rung->version;
        if (!rung->asked) {
            continue;
        }
        const bool ran = rung->runs > 0;
        const row r = row_of(ladder, rung);
        const double numbers[] = {r.seconds,
                                  r.spread,
                                  r.search,
                                  r.over_one_core,
                                  r.over_all_cores,
                                  r.search_over_one_core,
                                  r.search_over_all_cores};
        fprintf(stream, "%s,\"%s\",%d,", v->name, v->source != NULL ? v->source : "", rung->runs);
        for (size_t j = 0; j < sizeof numbers / sizeof *numbers; j++) {
            write_csv_number(stream, numbers[j]);
        }
        fprintf(stream, "%s,\"%s\",\"%s\"\n",
                !ran         ? ""
                : rung->same ? "yes"
                             : "no",
                ran ? dock_rung_devices(ladder, rung) : "", rung->reason);
    }
}

static tsl_status write_csv(const dock_ladder *ladder, const char *path)
{
    return cli_csv_write(ladder->work->context, path, write_csv_rows, ladder);
}

static void write_version(tsl_json *json, const dock_ladder *ladder, const dock_rung *rung)
{
    const bool ran = rung->runs > 0;
    const row r = row_of(ladder, rung);
    tsl_json_open_object(json, NULL);
    tsl_json_string(json, "name", rung->version->name);
    tsl_json_string(json, "source", rung->version->source);
    tsl_json_string(json, "devices", ran ? dock_rung_devices(ladder, rung) : NULL);
    tsl_json_string(json, "reason", ran ? NULL : rung->reason);
    tsl_json_open_array(json, "runs");
    for (int i = 0; i < rung->runs; i++) {
        tsl_json_number(json, NULL, rung->seconds[i]);
    }
    tsl_json_close_array(json);
    tsl_json_number(json, "seconds", r.seconds);
    tsl_json_number(json, "spread", r.spread);
    tsl_json_number(json, "search", r.search);
    tsl_json_number(json, "over_one_core", r.over_one_core);
    tsl_json_number(json, "over_all_cores", r.over_all_cores);
    tsl_json_number(json, "search_over_one_core", r.search_over_one_core);
    tsl_json_number(json, "search_over_all_cores", r.search_over_all_cores);
    if (ran) {
        tsl_json_bool(json, "same", rung->same);
    } else {
        tsl_json_null(json, "same");
    }
    tsl_json_close_object(json);
}

static void write_body(tsl_json *json, const void *work)
{
    const dock_ladder *ladder = work;
    const dock_options *options = ladder->work->options;
    tsl_json_open_object(json, "parameters");
    tsl_json_string(json, "receptor", options->receptor);
    tsl_json_string(json, "ligand", options->ligand);
    tsl_json_string(json, "output", options->folder);
    tsl_json_string(json, "variants", options->variants);
    tsl_json_integer(json, "repeat", options->repeat);
    tsl_json_close_object(json);
    tsl_json_open_object(json, "results");
    tsl_json_integer(json, "grid", ladder->grid);
    tsl_json_integer(json, "rotations", ladder->work->rotations.count);
    tsl_json_string(json, "list_sha256", ladder->digest);
    tsl_json_open_array(json, "versions");
    for (int i = 0; i < DOCK_VERSIONS; i++) {
        if (ladder->rungs[i].asked) {
            write_version(json, ladder, &ladder->rungs[i]);
        }
    }
    tsl_json_close_array(json);
    tsl_json_close_object(json);
}

static tsl_status write_json(const dock_ladder *ladder, const char *path)
{
    const dock_work *work = ladder->work;
    const double total = tsl_seconds() - work->begun;
    const cli_report report = {.command = "dock ladder",
                               .device = work->devices,
                               .ranks = work->ranks,
                               .verified = dock_ladder_verified(ladder),
                               .total = total,
                               .setup = total - ladder->compute,
                               .compute = ladder->compute};
    return cli_report_write(work->context, path, &report, write_body, ladder);
}

tsl_status dock_ladder_write(const dock_ladder *ladder)
{
    const dock_options *options = ladder->work->options;
    const tsl_status status =
        options->common.csv != NULL ? write_csv(ladder, options->common.csv) : TSL_OK;
    return status == TSL_OK && options->common.json != NULL
               ? write_json(ladder, options->common.json)
               : status;
}
