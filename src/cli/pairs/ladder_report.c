/* What `tesela pairs ladder` tells. "The source" is Escobar Gonzalez & Lastra Mena 2017, who
 * measured the maps of one grid and nested grids (tesela/simplex.h). */
#include "cli/pairs/ladder.h"

#include <math.h>
#include <stdio.h>

#include "core/context.h"
#include "device/device.h"
#include "io/report/plot.h"

static const char *kind_name(int kind)
{
    return kind == LADDER_PERSISTENT ? "persistent"
           : kind == LADDER_NESTED   ? "nested"
           : kind == LADDER_PACKED   ? "packed"
                                     : tsl_map_name((tsl_map)kind);
}

/* ---- rows as they come ---------------------------------------------------------------------- */

bool ladder_is_cpu(const ladder_work *work)
{
    return work->context->ops == &tsl_device_cpu;
}

static const char *form_name(const ladder_work *work, const ladder_row *row)
{
    static const char *const names[LADDER_FORMS] = {"8x8", "16x16", "32x32", "32x8"};
    return row->kind == LADDER_PACKED || ladder_is_cpu(work) ? "" : names[row->form];
}

static const char *row_name(const ladder_work *work, const ladder_row *row)
{
    return row->kind != LADDER_PACKED && ladder_is_cpu(work) ? "rows" : kind_name(row->kind);
}

static double bandwidth(int64_t n, const ladder_times *times)
{
    return 4 * (double)tsl_triangle_count(n) / times->median * 1e-9;
}

void ladder_print_head(const ladder_work *work)
{
    if (work->stream != NULL) {
        fprintf(work->stream, "%8s %-6s %-10s %11s %11s %11s %5s %8s %9s\n", "cells", "block",
                "map", "median ms", "low", "high", "runs", "GB/s", "of a fill");
    }
}

void ladder_print_row(const ladder_work *work, const ladder_row *row)
{
    const ladder_times *const times = &row->times;
    if (work->stream != NULL) {
        fprintf(work->stream, "%8lld %-6s %-10s %11.5f %11.5f %11.5f %5d %8.1f %9.3f\n",
                (long long)row->n, form_name(work, row), row_name(work, row), 1e3 * times->median,
                1e3 * times->low, 1e3 * times->high, times->runs, bandwidth(row->n, times),
                row->fill / times->median);
        cli_flush(work->stream);
    }
}

void ladder_print_trial(const ladder_work *work, const ladder_trial *trial)
{
    const ladder_times *const times = &trial->times;
    if (work->stream != NULL) {
        fprintf(work->stream,
                "nested, %lld cells, leaf %d, %s: %lld grids, %.5f ms (%.5f to %.5f), %.1f GB/s\n",
                (long long)trial->n, trial->leaf, tsl_nested_way_name(trial->way),
                (long long)trial->grids, 1e3 * times->median, 1e3 * times->low, 1e3 * times->high,
                bandwidth(trial->n, times));
        cli_flush(work->stream);
    }
}

/* ---- what follows from the table ------------------------------------------------------------ */

static const ladder_row *find(const ladder_work *work, int64_t n, int form, int kind)
{
    for (int r = 0; r < work->rows; r++) {
        const ladder_row *const row = &work->row[r];
        if (row->n == n && row->form == form && row->kind == kind) {
            return row;
        }
    }
    return NULL;
}

static double median(const ladder_work *work, int64_t n, int form, int kind)
{
    const ladder_row *const row = find(work, n, form, kind);
    return row != NULL ? row->times.median : INFINITY;
}

/* The fastest of the source's maps. */
static double best_of_source(const ladder_work *work, int64_t n, int form)
{
    static const int kinds[] = {TSL_MAP_BOX,   TSL_MAP_RECTANGLE, TSL_MAP_RECURSIVE, TSL_MAP_ROOT,
                                TSL_MAP_UPPER, TSL_MAP_FLAT,      TSL_MAP_BASIC,     LADDER_NESTED};
    double best = INFINITY;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        best = fmin(best, median(work, n, form, kinds[k]));
    }
    return best;
}

static double worst_of_source(const ladder_work *work, int64_t n, int form)
{
    double worst = 0;
    for (int kind = TSL_MAP_BOX; kind <= TSL_MAP_FLAT; kind++) {
        worst = fmax(worst, median(work, n, form, kind));
    }
    return fmax(worst, median(work, n, form, TSL_MAP_BASIC));
}

typedef struct ladder_finding {
    const char *name;
    int holds, of; /* cells of the table */
} ladder_finding;

enum { FINDINGS = 7 };

/* What the source found, and at last what is asked of the maps that it did not have. */
static void judge_row(ladder_finding out[FINDINGS], const ladder_work *work, const ladder_row *row)
{
    const int64_t n = row->n;
    const double own = row->times.median, best = best_of_source(work, n, row->form);
    const double box = median(work, n, row->form, TSL_MAP_BOX);
    if (row->kind == TSL_MAP_FLAT) {
        out[0].of++;
        out[0].holds += own <= best;
        out[1].of++;
        out[1].holds += own < box;
    }
    if (row->form == 1 && row->kind < LADDER_PACKED) {
        out[2].of++;
        out[2].holds +=
            own <= median(work, n, 0, row->kind) && own <= median(work, n, 2, row->kind);
    }
    if (row->form == 0 && row->kind == TSL_MAP_ROOT && n >= 4096) {
        out[3].of++;
        out[3].holds += box > 1.8 * own && box < 2.2 * own;
    }
    if (row->kind == LADDER_NESTED) {
        out[4].of++;
        out[4].holds += own > worst_of_source(work, n, row->form);
    }
    if (row->form == 2 && row->kind == TSL_MAP_BOX && n >= 8192) {
        out[5].of++;
        out[5].holds += worst_of_source(work, n, 2) < 1.1 * best;
    }
    if (row->kind == TSL_MAP_FOLD && best > 50e-6) {
        out[6].of++;
        out[6].holds += fmin(own, median(work, n, 0, LADDER_PACKED)) <= 1.05 * best;
    }
}

static void judge(ladder_finding out[FINDINGS], const ladder_work *work)
{
    static const char *const names[FINDINGS] = {
        "the flat map is the fastest of the source's",
        "the flat map is faster than the box",
        "16 x 16 threads are the fastest",
        "the root's map is twice as fast as the box at 8 x 8",
        "nested grids are the slowest of the source's",
        "the source's maps of one grid differ by less than a tenth at 32 x 32 from 8192 cells on",
        "above 0.05 ms the fold or packed pieces are within 5 % of the best of the source's"};
    for (int f = 0; f < FINDINGS; f++) {
        out[f] = (ladder_finding){.name = names[f]};
    }
    for (int r = 0; r < work->rows && !ladder_is_cpu(work); r++) {
        judge_row(out, work, &work->row[r]);
    }
}

/* The largest share of a fill at one size. */
typedef struct ladder_best {
    const ladder_row *row; /* NULL: none so large */
    double share;
} ladder_best;

static ladder_best find_best(const ladder_work *work, int64_t n)
{
    ladder_best best = {NULL, 0};
    for (int r = 0; r < work->rows; r++) {
        const ladder_row *const row = &work->row[r];
        if (row->n == n && row->fill / row->times.median > best.share) {
            best = (ladder_best){row, row->fill / row->times.median};
        }
    }
    return best;
}

/* A suspect for slowness: the time of one way over that of another; 0 where they were not tried. */
typedef struct ladder_suspect {
    const char *name;
    tsl_nested_way way, other;
} ladder_suspect;

static const ladder_suspect suspects[] = {
    {"siblings in one stream, beside fire and forget", TSL_NESTED_STREAM, TSL_NESTED_FORGET},
    {"relocatable code, beside plain code, launched by the host", TSL_NESTED_HOST,
     TSL_NESTED_PLAIN},
    {"threads along rows (equation 5.1), beside along columns", TSL_NESTED_ROWS, TSL_NESTED_FORGET},
    {"grids twice as wide and high, beside as large as needed", TSL_NESTED_WIDE, TSL_NESTED_FORGET},
    {"launches by blocks, beside the host's: what the source blames", TSL_NESTED_FORGET,
     TSL_NESTED_HOST}};
enum { SUSPECTS = sizeof suspects / sizeof *suspects };

static double compare_ways(const ladder_work *work, const ladder_suspect *suspect)
{
    double way = 0, other = INFINITY;
    for (int t = work->trials > LADDER_LEAVES ? LADDER_LEAVES : 0; t < work->trials; t++) {
        const ladder_trial *const trial = &work->trial[t];
        way = trial->way == suspect->way ? trial->times.median : way;
        other = trial->way == suspect->other ? trial->times.median : other;
    }
    return way / other;
}

/* ---- report --------------------------------------------------------------------------------- */

static void write_rows(FILE *stream, const void *user)
{
    const ladder_work *work = user;
    fputs("cells,threads,map,median_ms,low_ms,high_ms,runs,gb_per_s,of_a_fill\n", stream);
    for (int r = 0; r < work->rows; r++) {
        const ladder_row *const row = &work->row[r];
        const ladder_times *const times = &row->times;
        fprintf(stream, "%lld,%s,%s,%.6g,%.6g,%.6g,%d,%.6g,%.4f\n", (long long)row->n,
                form_name(work, row), row_name(work, row), 1e3 * times->median, 1e3 * times->low,
                1e3 * times->high, times->runs, bandwidth(row->n, times),
                row->fill / times->median);
    }
}

static tsl_status draw(const ladder_work *work)
{
    static double x[LADDER_KINDS][LADDER_SIZES], y[LADDER_KINDS][LADDER_SIZES];
    tsl_plot_curve curves[LADDER_KINDS];
    int count = 0;
    const int form = ladder_is_cpu(work) ? 0 : 1;
    for (int kind = 0; kind < LADDER_KINDS; kind++) {
        tsl_plot_curve curve = {.name = NULL, .x = x[count], .y = y[count]};
        for (int r = 0; r < work->rows; r++) {
            const ladder_row *const row = &work->row[r];
            if (row->kind == kind && row->form == (kind == LADDER_PACKED ? 0 : form)) {
                curve.name = row_name(work, row);
                x[count][curve.count] = (double)row->n;
                y[count][curve.count++] = bandwidth(row->n, &row->times);
            }
        }
        if (curve.count > 0) {
            curves[count++] = curve;
        }
    }
    const tsl_plot plot = {.title = "Writing a triangle",
                           .x = {"cells a side", TSL_PLOT_DOUBLINGS},
                           .y = {"GB/s of the triangle", TSL_PLOT_LINEAR},
                           .curves = count,
                           .curve = curves,
                           .marks = true};
    return tsl_plot_write(work->context, work->options->figure, &plot);
}

static void write_times(tsl_json *json, const ladder_times *times)
{
    tsl_json_integer(json, "runs", times->runs);
    tsl_json_number(json, "median_seconds", times->median);
    tsl_json_number(json, "low_seconds", times->low);
    tsl_json_number(json, "high_seconds", times->high);
}

static void write_nested(tsl_json *json, const ladder_work *work)
{
    tsl_json_open_array(json, "nested");
    for (int t = 0; t < work->trials; t++) {
        const ladder_trial *const trial = &work->trial[t];
        tsl_json_open_object(json, NULL);
        tsl_json_integer(json, "cells", trial->n);
        tsl_json_integer(json, "leaf", trial->leaf);
        tsl_json_string(json, "way", tsl_nested_way_name(trial->way));
        tsl_json_integer(json, "grids", trial->grids);
        write_times(json, &trial->times);
        tsl_json_close_object(json);
    }
    tsl_json_close_array(json);
}

static void write_body(tsl_json *json, const void *user)
{
    const ladder_work *work = user;
    ladder_finding findings[FINDINGS];
    judge(findings, work);
    tsl_json_open_object(json, "parameters");
    tsl_json_integer(json, "most", work->most);
    tsl_json_integer(json, "repeats", work->options->repeats);
    tsl_json_number(json, "seconds", work->options->seconds);
    tsl_json_integer(json, "leaf", work->options->leaf);
    tsl_json_string(json, "output", work->options->output);
    tsl_json_string(json, "figure", work->options->figure);
    tsl_json_integer(json, "threads", tsl_context_threads(work->context));
    tsl_json_close_object(json);
    tsl_json_open_object(json, "results");
    tsl_json_integer(json, "left_out", work->left_out);
    tsl_json_open_array(json, "rows");
    for (int r = 0; r < work->rows; r++) {
        const ladder_row *const row = &work->row[r];
        tsl_json_open_object(json, NULL);
        tsl_json_integer(json, "cells", row->n);
        tsl_json_string(json, "block", form_name(work, row));
        tsl_json_string(json, "map", row_name(work, row));
        write_times(json, &row->times);
        tsl_json_number(json, "fill_seconds", row->fill);
        tsl_json_close_object(json);
    }
    tsl_json_close_array(json);
    write_nested(json, work);
    tsl_json_open_array(json, "findings");
    for (int f = 0; f < FINDINGS; f++) {
        tsl_json_open_object(json, NULL);
        tsl_json_string(json, "name", findings[f].name);
        tsl_json_integer(json, "holds", findings[f].holds);
        tsl_json_integer(json, "of", findings[f].of);
        tsl_json_close_object(json);
    }
    tsl_json_close_array(json);
    tsl_json_close_object(json);
}

/* The largest sizes, which the device has no memory for. */
static void print_left_out(const ladder_work *work)
{
    char there[16];
    if (work->left_out == 0) {
        return;
    }
    fputs("left out, cells a side:", work->stream);
    for (int64_t n = 2 * work->row[work->rows - 1].n; n <= work->most; n *= 2) {
        fprintf(work->stream, " %lld", (long long)n);
    }
    fprintf(work->stream,
            "; a square matrix of these takes more than nine tenths of %s of memory\n",
            tsl_format_bytes(there, work->memory_free));
}

static void print_findings(const ladder_work *work)
{
    ladder_finding findings[FINDINGS];
    judge(findings, work);
    for (int64_t n = 32768; n <= work->most; n *= 2) {
        const ladder_best best = find_best(work, n);
        if (best.row != NULL) {
            fprintf(work->stream, "the best map at %lld cells, %s %s: %.3f of a fill\n",
                    (long long)n, row_name(work, best.row), form_name(work, best.row), best.share);
        }
    }
    for (int f = 0; f < FINDINGS; f++) {
        if (findings[f].of > 0) {
            fprintf(work->stream, "%s: in %d of %d\n", findings[f].name, findings[f].holds,
                    findings[f].of);
        }
    }
    for (int s = 0; s < SUSPECTS && work->trials > 0; s++) {
        fprintf(work->stream, "nested grids, %s: %.3f times the time\n", suspects[s].name,
                compare_ways(work, &suspects[s]));
    }
    print_left_out(work);
    fprintf(work->stream, "elements up to %d cells a side: %s\n", LADDER_CHECKED,
            work->right ? "all right" : "WRONG");
    cli_flush(work->stream);
}

tsl_status ladder_tell(const ladder_work *work)
{
    const cli_common *common = &work->options->common;
    const cli_report report = {.command = "pairs ladder",
                               .device = tsl_context_device(work->context),
                               .verified = work->right,
                               .total = tsl_seconds() - work->begun,
                               .compute = work->compute};
    tsl_status status = TSL_OK;
    if (work->stream != NULL) {
        print_findings(work);
    }
    if (work->options->output != NULL) {
        TSL_TRY(cli_csv_write(work->context, work->options->output, write_rows, work));
    }
    if (work->options->figure != NULL) {
        TSL_TRY(draw(work));
    }
    status = cli_conclude(work->context, common, &report, write_body, work);
done:
    return status;
}
