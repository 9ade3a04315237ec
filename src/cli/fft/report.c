/* The table, the CSV file and the JSON report of `tesela fft study`. */
#include <inttypes.h>
#include <math.h>

#include "cli/fft/command.h"
#include "io/file/output.h"

static double rate(const tsl_fft_measurement *m)
{
    return 1e-9 * (double)m->moved / m->seconds;
}

static double gflops(const tsl_fft_measurement *m)
{
    return 1e-9 * m->flops / m->seconds;
}

static const char *precision_name(const tsl_fft_case *what)
{
    return fft_precision_names[what->precision == TSL_SINGLE];
}

/* ---- table -------------------------------------------------------------------------------- */

/* Write "512 KiB", or "-" for none, with a star where the source's rule fails. */
static const char *place(char text[20], double bytes, bool holds)
{
    char plain[16];
    snprintf(text, 20, "%s%s", bytes > 0 ? tsl_format_bytes(plain, (int64_t)(bytes + 0.5)) : "-",
             holds ? " " : "*");
    return text;
}

static void print_series(FILE *stream, const tsl_fft_study *study, const tsl_fft_series *s)
{
    const tsl_fft_measurement *best = &study->rows[s->first + s->curve.best];
    const tsl_fft_case *what = &best->what;
    const tsl_fft_workspace *memory = &s->workspace;
    char data[16], enough[16], knee[20], plateau[20], slope[16] = "-";
    if (memory->rows > 1) {
        const double share = fabs(memory->slope) < 5e-4 ? 0 : memory->slope; /* no "-0.000" */
        snprintf(slope, sizeof slope, "%.3f%s", share, memory->off > 0 ? "*" : " ");
    }
    fprintf(stream, "%d-D %7d %s %s %8d %9d %9s %10.3f %7.2f %7.2f %10s %11s %11s %9s\n",
            what->dimension, what->n, tsl_fft_kind_name(what->kind), precision_name(what),
            what->stride, what->batch, tsl_format_bytes(data, best->data),
            1e6 * best->seconds / what->batch, rate(best), gflops(best),
            tsl_format_bytes(enough, s->curve.enough), place(knee, s->curve.knee, s->knee_holds),
            place(plateau, (double)s->curve.plateau, s->plateau_holds), slope);
}

/* "median 12.0 KiB, 2.0 KiB to 1.0 MiB in 18 of 20 series" and where the rule holds. */
static void print_places(FILE *stream, const char *name, const tsl_fft_places *places, int series,
                         const char *rule)
{
    char least[16], median[16], most[16];
    fprintf(stream, "  %-8s ", name);
    if (places->found > 0) {
        fprintf(stream, "median %s, %s to %s, in %d of %d series",
                tsl_format_bytes(median, (int64_t)places->median),
                tsl_format_bytes(least, (int64_t)places->least),
                tsl_format_bytes(most, (int64_t)places->most), places->found, series);
    } else {
        fprintf(stream, "none in %d series", series);
    }
    fprintf(stream, "; source: %s, which holds in %d\n", rule, places->hold);
}

static void print_rules(FILE *stream, const tsl_fft_study *study)
{
    const tsl_fft_workspace *w = &study->workspace;
    fputs("\nRules fitted here, and the source's (cuFFT on a Tesla M2090: Jodra, Gurrutxaga & "
          "Muguerza 2015;\n* where it fails):\n",
          stream);
    if (w->rows > 0) {
        fprintf(stream,
                "  memory   of a plan: %.3f of the data and %.1f KiB, root mean square off %.1f "
                "KiB; source: the data, which holds in %d of %d\n",
                w->slope, w->constant / 1024, w->residual / 1024, w->rows - w->off, w->rows);
    } else {
        fputs("  memory   of a plan: not known: malloc does not tell\n", stream);
    }
    print_places(stream, "knee", &study->knee, study->series_count, "256 KiB within a factor of 2");
    print_places(stream, "plateau", &study->plateau, study->series_count, "25 to 50 MiB");
}

/* Print the time of strided transforms over that of transposing there and back, a series on a
 * line. */
static void print_map(FILE *stream, const tsl_fft_study *study)
{
    const tsl_fft_detour *d = &study->detour;
    if (d->cases == 0) {
        return;
    }
    fprintf(
        stream,
        "\nStrides: transposing there and back is faster in %d of %d batches, there alone in "
        "%d.\nNever transposing takes %.2f times the faster way, always %.2f (geometric mean).\n"
        "Time as they lie over time transposed there and back, by batch; above 1 transpose:\n",
        d->faster, d->cases, d->faster_one_way, d->never, d->always);
    for (int i = 0; i < study->series_count; i++) {
        const tsl_fft_measurement *rows = study->rows + study->series[i].first;
        if (rows->transposed <= 0) {
            continue;
        }
        fprintf(stream, "  %d %s %s stride %d:", rows->what.n, tsl_fft_kind_name(rows->what.kind),
                precision_name(&rows->what), rows->what.stride);
        for (int k = 0; k < study->series[i].count; k++) {
            fprintf(stream, "%s %d %.2f", k > 0 ? "," : "", rows[k].what.batch,
                    rows[k].seconds / rows[k].transposed);
        }
        fputc('\n', stream);
    }
}

void fft_print(FILE *stream, const fft_work *work)
{
    const tsl_fft_study *study = &work->study;
    const int wrong = fft_wrong(work);
    fprintf(stream, "%d batches of transforms on %s, ", work->count,
            tsl_context_device(work->context));
    fprintf(stream, wrong == 0 ? "all verified\n\n" : "%d of them WRONG\n\n", wrong);
    fprintf(stream, "%-26s %8s %9s %9s %10s %7s %7s %10s %11s %11s %9s\n", "", "", "fastest",
            "data", "us each", "GB/s", "GFLOP/s", "enough", "knee ", "plateau ", "plan ");
    fprintf(stream, "%3s %7s %s %-9s %8s %9s %9s %10s %7s %7s %10s %11s %11s %9s\n", "", "size",
            "type", "", "stride", "batch", "", "", "", "", "data", "data ", "data ", "/ data ");
    for (int i = 0; i < study->series_count; i++) {
        print_series(stream, study, &study->series[i]);
    }
    print_rules(stream, study);
    print_map(stream, study);
}

/* ---- CSV ---------------------------------------------------------------------------------- */

static void write_csv_rows(FILE *stream, const void *made)
{
    const fft_work *work = made;
    fputs("device,dimension,size,type,precision,stride,batch,data_bytes,workspace_bytes,seconds,"
          "seconds_per_transform,gb_per_second,gflop_per_second,transposed_seconds,"
          "transposed_one_way_seconds,error,error_bound\n",
          stream);
    for (int i = 0; i < work->count; i++) {
        const tsl_fft_measurement *m = &work->rows[i];
        const tsl_fft_case *what = &m->what;
        fprintf(stream, "%s,%d,%d,%s,%s,%d,%d,%" PRId64 ",", tsl_context_device(work->context),
                what->dimension, what->n, tsl_fft_kind_name(what->kind), precision_name(what),
                what->stride, what->batch, m->data);
        if (m->workspace >= 0) {
            fprintf(stream, "%" PRId64, m->workspace);
        }
        fprintf(stream, ",%.6g,%.6g,%.6g,%.6g,", m->seconds, m->seconds / what->batch, rate(m),
                gflops(m));
        if (m->transposed > 0) {
            fprintf(stream, "%.6g,%.6g", m->transposed, m->one_way);
        } else {
            fputc(',', stream);
        }
        fprintf(stream, ",%.3g,%.3g\n", m->error, m->bound);
    }
}

tsl_status fft_write_csv(const fft_work *work)
{
    return cli_csv_write(work->context, work->options->common.csv, write_csv_rows, work);
}

/* ---- JSON --------------------------------------------------------------------------------- */

/* Write a number, or null unless it is more than 0. */
static void write_place(tsl_json *json, const char *name, double value)
{
    tsl_json_known_number(json, name, value, value > 0);
}

static void write_case(tsl_json *json, const tsl_fft_case *what)
{
    tsl_json_integer(json, "dimension", what->dimension);
    tsl_json_integer(json, "size", what->n);
    tsl_json_string(json, "type", tsl_fft_kind_name(what->kind));
    tsl_json_string(json, "precision", precision_name(what));
    tsl_json_integer(json, "stride", what->stride);
}

static void write_measurements(tsl_json *json, const fft_work *work)
{
    tsl_json_open_array(json, "measurements");
    for (int i = 0; i < work->count; i++) {
        const tsl_fft_measurement *m = &work->rows[i];
        tsl_json_open_object(json, NULL);
        write_case(json, &m->what);
        tsl_json_integer(json, "batch", m->what.batch);
        tsl_json_integer(json, "data_bytes", m->data);
        tsl_json_known_integer(json, "workspace_bytes", m->workspace, m->workspace >= 0);
        tsl_json_number(json, "seconds", m->seconds);
        tsl_json_number(json, "gb_per_second", rate(m));
        tsl_json_number(json, "gflop_per_second", gflops(m));
        write_place(json, "transposed_seconds", m->transposed);
        write_place(json, "transposed_one_way_seconds", m->one_way);
        tsl_json_close_object(json);
    }
    tsl_json_close_array(json);
}

static void write_workspace(tsl_json *json, const tsl_fft_workspace *w)
{
    tsl_json_open_object(json, "workspace");
    tsl_json_integer(json, "known", w->rows);
    tsl_json_number(json, "slope", w->slope);
    tsl_json_number(json, "constant_bytes", w->constant);
    tsl_json_number(json, "residual_bytes", w->residual);
    tsl_json_integer(json, "source_holds", w->rows - w->off);
    tsl_json_close_object(json);
}

static void write_series(tsl_json *json, const tsl_fft_study *study)
{
    tsl_json_open_array(json, "series");
    for (int i = 0; i < study->series_count; i++) {
        const tsl_fft_series *s = &study->series[i];
        tsl_json_open_object(json, NULL);
        write_case(json, &study->rows[s->first].what);
        tsl_json_integer(json, "batches", s->count);
        tsl_json_integer(json, "best_batch", study->rows[s->first + s->curve.best].what.batch);
        tsl_json_integer(json, "enough_bytes", s->curve.enough);
        write_place(json, "knee_bytes", s->curve.knee);
        tsl_json_bool(json, "knee_as_source", s->knee_holds);
        write_place(json, "plateau_bytes", (double)s->curve.plateau);
        tsl_json_bool(json, "plateau_as_source", s->plateau_holds);
        write_workspace(json, &s->workspace);
        tsl_json_close_object(json);
    }
    tsl_json_close_array(json);
}

static void write_places(tsl_json *json, const char *name, const tsl_fft_places *places)
{
    tsl_json_open_object(json, name);
    tsl_json_integer(json, "found", places->found);
    write_place(json, "least_bytes", places->least);
    write_place(json, "median_bytes", places->median);
    write_place(json, "most_bytes", places->most);
    tsl_json_integer(json, "source_holds", places->hold);
    tsl_json_close_object(json);
}

static void write_detour(tsl_json *json, const tsl_fft_detour *d)
{
    tsl_json_open_object(json, "transposing");
    tsl_json_integer(json, "batches", d->cases);
    tsl_json_integer(json, "faster", d->faster);
    tsl_json_integer(json, "faster_one_way", d->faster_one_way);
    tsl_json_number(json, "never_over_best", d->never);
    tsl_json_number(json, "always_over_best", d->always);
    tsl_json_close_object(json);
}

static void write_cases(tsl_json *json, const fft_work *work)
{
    tsl_json_open_array(json, "cases");
    for (int i = 0; i < work->count; i++) {
        const tsl_fft_measurement *m = &work->rows[i];
        char name[80];
        cli_report_case(json, tsl_fft_case_name(name, &m->what), m->error, m->bound,
                        m->error <= m->bound);
    }
    tsl_json_close_array(json);
}

/* Write a list that was given, as numbers or by names; null where it was not. */
static void write_list(tsl_json *json, const char *name, const fft_list *list,
                       const char *const names[])
{
    if (list->count == 0) {
        tsl_json_null(json, name);
        return;
    }
    tsl_json_open_array(json, name);
    for (int i = 0; i < list->count; i++) {
        if (names != NULL) {
            tsl_json_string(json, NULL, names[list->value[i]]);
        } else {
            tsl_json_integer(json, NULL, list->value[i]);
        }
    }
    tsl_json_close_array(json);
}

static void write_body(tsl_json *json, const void *work)
{
    const fft_work *w = work;
    const fft_options *options = w->options;
    tsl_json_open_object(json, "parameters");
    write_list(json, "dimension", &options->dimensions, NULL);
    write_list(json, "sizes", &options->sizes, NULL);
    write_list(json, "type", &options->kinds, fft_kind_names);
    write_list(json, "precision", &options->precisions, fft_precision_names);
    write_list(json, "batch", &options->batches, NULL);
    write_list(json, "stride", &options->strides, NULL);
    tsl_json_integer(json, "most", options->most);
    tsl_json_string(json, "csv", options->common.csv);
    tsl_json_string(json, "figure", options->figure);
    tsl_json_close_object(json);
    tsl_json_open_object(json, "results");
    write_measurements(json, w);
    write_series(json, &w->study);
    write_workspace(json, &w->study.workspace);
    write_places(json, "knee", &w->study.knee);
    write_places(json, "plateau", &w->study.plateau);
    write_detour(json, &w->study.detour);
    write_cases(json, w);
    tsl_json_close_object(json);
}

tsl_status fft_write_report(const fft_work *work)
{
    const cli_report report = {.command = "fft study",
                               .device = tsl_context_device(work->context),
                               .verified = fft_wrong(work) == 0,
                               .total = tsl_seconds() - work->begun,
                               .setup = work->setup,
                               .compute = work->compute};
    return cli_report_write(work->context, work->options->common.json, &report, write_body, work);
}
