/* Table, CSV file, figure and report of a study. */
#include <inttypes.h>
#include <string.h>

#include "cli/poisson/command.h"
#include "core/context.h"
#include "io/file/output.h"
#include "io/report/plot.h"

static int ranks_of(const poisson_run *run)
{
    return run->plan.ranks[0] * run->plan.ranks[1];
}

static double gflops(const poisson_run *run)
{
    return 1e-9 * poisson_flops(run->options.n) / run->timing.median;
}

static double rate(const poisson_work *work, const poisson_run *run)
{
    return 1e-9 * poisson_traffic(run->options.n, work->poisson.precision) / run->timing.median;
}

/* ---- the table ---------------------------------------------------------------------------- */

static void print_segments(FILE *stream, const poisson_work *work)
{
    fprintf(stream,
            "segments  overlap  median, ms  fastest, ms  deviation    gain  GFLOP/s    GB/s\n");
    for (int i = 0; i < work->run_count; i++) {
        const poisson_run *run = &work->runs[i];
        fprintf(stream, "%8d  %-7s %11.4f %12.4f %8.1f %% %5.1f %% %8.1f %7.2f\n",
                run->plan.segments, run->plan.overlap ? "on" : "off", 1e3 * run->timing.median,
                1e3 * run->timing.fastest, 100 * run->timing.deviation / run->timing.mean,
                100 * (1 - 1 / run->relative), gflops(run), rate(work, run));
    }
}

static void print_scaling(FILE *stream, const poisson_work *work)
{
    fprintf(stream, "scaling  ranks                grid  median, ms  fastest, ms  deviation  "
                    "speed-up  efficiency  GFLOP/s    GB/s\n");
    for (int i = 0; i < work->run_count; i++) {
        const poisson_run *run = &work->runs[i];
        char grid[32];
        snprintf(grid, sizeof grid, "%" PRId64 "x%" PRId64 "x%" PRId64, run->options.n[0],
                 run->options.n[1], run->options.n[2]);
        fprintf(stream, "%-7s %6d %19s %11.4f %12.4f %8.1f %% %9.2f %9.1f %% %8.1f %7.2f\n",
                run->name, ranks_of(run), grid, 1e3 * run->timing.median, 1e3 * run->timing.fastest,
                100 * run->timing.deviation / run->timing.mean, run->relative * ranks_of(run),
                100 * run->relative, gflops(run), rate(work, run));
    }
}

void poisson_study_print(FILE *stream, const poisson_work *work)
{
    const int64_t *n = work->poisson.n;
    const poisson_run *last = &work->runs[work->run_count - 1];
    fprintf(stream,
            "%" PRId64 " x %" PRId64 " x %" PRId64 ", %s, %d x %d ranks on %s, %d solves each%s\n",
            n[0], n[1], n[2], work->poisson.precision == 4 ? "single" : "double",
            last->plan.ranks[0], last->plan.ranks[1], work->options->common.device,
            work->options->repeat,
            last->plan.path == TSL_POISSON_STAGED      ? ", by way of the host"
            : last->plan.path == TSL_POISSON_DATATYPES ? ", by derived datatypes"
                                                       : "");
    if (work->options->varied == POISSON_SEGMENTS) {
        print_segments(stream, work);
    } else {
        print_scaling(stream, work);
    }
}

/* ---- comma-separated values --------------------------------------------------------------- */

static void write_csv_rows(FILE *stream, const void *made)
{
    const poisson_work *work = made;
    fprintf(stream,
            "study,nx,ny,nz,ranks_p,ranks_q,segments,overlap,exchange,seconds_median,"
            "seconds_fastest,seconds_mean,seconds_deviation,gflops,gb_per_second,relative\n");
    for (int i = 0; i < work->run_count; i++) {
        const poisson_run *run = &work->runs[i];
        const poisson_timing *t = &run->timing;
        fprintf(stream, "%s,%" PRId64 ",%" PRId64 ",%" PRId64 ",%d,%d,%d,%d,%s", run->name,
                run->options.n[0], run->options.n[1], run->options.n[2], run->plan.ranks[0],
                run->plan.ranks[1], run->plan.segments, run->plan.overlap,
                poisson_path_names[run->plan.path]);
        fprintf(stream, ",%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g\n", t->median, t->fastest, t->mean,
                t->deviation, gflops(run), rate(work, run), run->relative);
    }
}

static tsl_status write_csv(const poisson_work *work)
{
    return cli_csv_write(work->context, work->options->common.csv, write_csv_rows, work);
}

/* ---- the figure --------------------------------------------------------------------------- */

/* Is a row on a curve? The row of one segment is on both curves if there is one with overlap. */
static bool is_on(const poisson_run *run, bool segments, int curve)
{
    return segments ? run->plan.overlap == curve || run->plan.segments == 1
                    : (strcmp(run->name, "weak") == 0) == (curve == 1);
}

static bool is_overlapped(const poisson_work *work)
{
    bool overlapped = false;
    for (int i = 0; i < work->run_count; i++) {
        overlapped = overlapped || work->runs[i].plan.overlap;
    }
    return overlapped;
}

/* Name a curve; that of scaling with the times of its ends. */
static void name_curve(char out[64], const poisson_work *work, bool segments, int curve)
{
    static const char *const names[2][2] = {{"strong", "weak"}, {"not overlapped", "overlapped"}};
    double first = 0, last = 0;
    for (int i = 0; i < work->run_count && !segments; i++) {
        if (is_on(&work->runs[i], segments, curve)) {
            first = first > 0 ? first : work->runs[i].timing.median;
            last = work->runs[i].timing.median;
        }
    }
    if (segments) {
        snprintf(out, 64, "%s", names[1][curve]);
    } else {
        snprintf(out, 64, "%s, %.3g to %.3g ms", names[0][curve], 1e3 * first, 1e3 * last);
    }
}

static tsl_status write_figure(const poisson_work *work)
{
    const bool segments = work->options->varied == POISSON_SEGMENTS;
    const int64_t *n = work->poisson.n;
    char title[160], level[64], names[2][64];
    snprintf(level, sizeof level, segments ? "one segment, %.3g ms" : "ideal",
             1e3 * work->runs[0].timing.median);
    snprintf(title, sizeof title,
             "%s, %" PRId64 " x %" PRId64 " x %" PRId64 " cells, %d ranks on %s",
             segments ? "Exchange in segments" : "Scaling", n[0], n[1], n[2],
             ranks_of(&work->runs[work->run_count - 1]), work->options->common.device);
    tsl_plot_curve curves[2];
    tsl_plot plot = {
        .title = title,
        .x = {segments ? "segments" : "ranks", TSL_PLOT_DOUBLINGS},
        .y = {segments ? "time, % of one segment's" : "efficiency, %", TSL_PLOT_LINEAR},
        .curve = curves,
        .marks = true,
        .level_name = level,
        .level = 100};
    double *values = tsl_allocate(4 * (size_t)work->run_count * sizeof *values);
    if (values == NULL) {
        return tsl_fail_memory(work->context, 4 * work->run_count * (int64_t)sizeof *values,
                               "a figure");
    }
    for (int curve = 0; curve < (segments && !is_overlapped(work) ? 1 : 2); curve++) {
        double *x = values + 2 * curve * work->run_count;
        double *y = x + work->run_count;
        int count = 0;
        for (int i = 0; i < work->run_count; i++) {
            const poisson_run *run = &work->runs[i];
            if (is_on(run, segments, curve)) {
                x[count] = segments ? run->plan.segments : ranks_of(run);
                y[count++] = segments ? 100 / run->relative : 100 * run->relative;
            }
        }
        if (count > 0) {
            name_curve(names[curve], work, segments, curve);
            curves[plot.curves++] = (tsl_plot_curve){names[curve], count, x, y};
        }
    }
    const tsl_status status = tsl_plot_write(work->context, work->options->figure, &plot);
    tsl_release(values);
    return status;
}

tsl_status poisson_study_write(const poisson_work *work)
{
    tsl_status status = work->options->common.csv != NULL ? write_csv(work) : TSL_OK;
    if (status == TSL_OK && work->options->figure != NULL) {
        status = write_figure(work);
    }
    return status;
}

/* ---- JSON --------------------------------------------------------------------------------- */

static void write_run(tsl_json *json, const poisson_work *work, const poisson_run *run)
{
    tsl_json_open_object(json, NULL);
    tsl_json_string(json, "study", run->name);
    tsl_json_open_array(json, "n");
    for (int axis = 0; axis < 3; axis++) {
        tsl_json_integer(json, NULL, run->options.n[axis]);
    }
    tsl_json_close_array(json);
    tsl_json_open_array(json, "ranks");
    tsl_json_integer(json, NULL, run->plan.ranks[0]);
    tsl_json_integer(json, NULL, run->plan.ranks[1]);
    tsl_json_close_array(json);
    tsl_json_integer(json, "segments", run->plan.segments);
    tsl_json_bool(json, "overlap", run->plan.overlap != 0);
    tsl_json_bool(json, "lines", run->plan.lines != 0);
    tsl_json_bool(json, "strided", run->plan.strided != 0);
    tsl_json_string(json, "exchange", poisson_path_names[run->plan.path]);
    tsl_json_number(json, "seconds_median", run->timing.median);
    tsl_json_number(json, "seconds_fastest", run->timing.fastest);
    tsl_json_number(json, "seconds_mean", run->timing.mean);
    tsl_json_number(json, "seconds_deviation", run->timing.deviation);
    tsl_json_number(json, "gflops", gflops(run));
    tsl_json_number(json, "gb_per_second", rate(work, run));
    tsl_json_number(json, "relative", run->relative);
    tsl_json_close_object(json);
}

void poisson_study_write_runs(tsl_json *json, const poisson_work *work)
{
    tsl_json_open_array(json, "runs");
    for (int i = 0; i < work->run_count; i++) {
        write_run(json, work, &work->runs[i]);
    }
    tsl_json_close_array(json);
}
