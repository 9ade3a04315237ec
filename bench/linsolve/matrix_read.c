/* How fast a Matrix Market file is read, on one core and on all, beside the C library's fscanf():
 * a 5-point stencil's lower triangle with whole numbers, and with 17 digits.
 *
 *     matrix_read [EDGE [REPEATS [JSON [COMMIT]]]]         default: 1500 5
 *
 * The stencil has EDGE x EDGE rows. The files are made in the current folder and removed.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "core/context.h"
#include "io/matrix/matrix.h"

typedef struct bench {
    int64_t edge;
    int repeats;
    const char *path;   /* of the report; NULL: none */
    const char *commit; /* may be NULL */
    tsl_json *json;     /* NULL: none */
} bench;

static const char file[] = "matrix_read.mtx";

/* Write a file; returns its entries, 0 if that fails. */
static int64_t make_file(int64_t edge, bool digits)
{
    const int64_t rows = edge * edge;
    const int64_t entries = 3 * rows - 2 * edge;
    FILE *stream = fopen(file, "w");
    if (stream == NULL) {
        return 0;
    }
    fprintf(stream,
            "%%%%MatrixMarket matrix coordinate real symmetric\n%" PRId64 " %" PRId64 " %" PRId64
            "\n",
            rows, rows, entries);
    for (int64_t k = 1; k <= rows; k++) {
        const double share = digits ? (double)k / (double)rows / 3 : 0;
        fprintf(stream, "%" PRId64 " %" PRId64 " %.17g\n", k, k, 4 + share);
        if (k % edge != 0) {
            fprintf(stream, "%" PRId64 " %" PRId64 " %.17g\n", k + 1, k, share - 1);
        }
        if (k + edge <= rows) {
            fprintf(stream, "%" PRId64 " %" PRId64 " %.17g\n", k + edge, k, share - 1);
        }
    }
    return fclose(stream) == 0 ? entries : 0;
}

/* Milliseconds of fscanf(), into triples that are thrown away; negative if it stops early. */
static double time_plain_loop(int64_t entries)
{
    const double begun = tsl_seconds();
    FILE *stream = fopen(file, "r");
    int64_t found = 0;
    long long row, column;
    double value;
    if (stream == NULL || fscanf(stream, "%*[^\n]\n%*[^\n]\n") == EOF) {
        return -1;
    }
    while (fscanf(stream, "%lld %lld %lf", &row, &column, &value) == 3) {
        found++;
    }
    fclose(stream);
    return found == entries ? 1e3 * (tsl_seconds() - begun) : -1;
}

static tsl_status time_reader(tsl_context *context, int repeats, double *ms, int64_t *bytes)
{
    bench_times times = {.name = "read"};
    for (int i = -1; i < repeats; i++) { /* the first brings the file into memory */
        tsl_matrix_file matrix;
        const double begun = tsl_seconds();
        const tsl_status status = tsl_matrix_read(&matrix, context, file);
        if (status != TSL_OK) {
            return status;
        }
        times.ms[i < 0 ? 0 : i] = 1e3 * (tsl_seconds() - begun);
        *bytes = matrix.bytes;
        tsl_matrix_file_release(&matrix);
    }
    *ms = bench_median(&times, repeats);
    return TSL_OK;
}

static void tell(bench *b, const char *numbers, const char *reader, double ms, int64_t bytes,
                 int64_t entries)
{
    const double rate = 1e-6 * (double)bytes / ms;
    printf("%-12s %-12s %9.1f ms  %6.3f GB/s  %6.1f M entries/s\n", numbers, reader, ms, rate,
           1e-3 * (double)entries / ms);
    if (b->json != NULL) {
        tsl_json_open_object(b->json, NULL);
        tsl_json_string(b->json, "numbers", numbers);
        tsl_json_string(b->json, "reader", reader);
        tsl_json_integer(b->json, "bytes", bytes);
        tsl_json_integer(b->json, "entries", entries);
        tsl_json_number(b->json, "milliseconds", ms);
        tsl_json_number(b->json, "gb_per_second", rate);
        tsl_json_close_object(b->json);
    }
}

/* Both kinds of numbers, by each reader. */
static tsl_status measure(bench *b, tsl_context *context)
{
    static const char *const numbers[] = {"whole", "17 digits"};
    const int threads = context->threads;
    for (int digits = 0; digits < 2; digits++) {
        double ms;
        int64_t bytes = 0;
        const int64_t entries = make_file(b->edge, digits != 0);
        const double plain = time_plain_loop(entries);
        for (int all = 0; all < (threads > 1 ? 2 : 1); all++) {
            context->threads = all ? threads : 1;
            const tsl_status status = time_reader(context, b->repeats, &ms, &bytes);
            if (status != TSL_OK || plain < 0) {
                return status != TSL_OK ? status
                                        : tsl_fail(context, TSL_E_IO, "%s: cut short", file);
            }
            tell(b, numbers[digits], all ? "all cores" : "one core", ms, bytes, entries);
        }
        tell(b, numbers[digits], "fscanf", plain, bytes, entries);
    }
    return TSL_OK;
}

static tsl_status run(bench *b, tsl_context *context)
{
    bench_report report;
    if (b->path == NULL) {
        return measure(b, context);
    }
    tsl_status status = bench_report_open(&report, context, b->path, "matrix_read", b->commit);
    if (status != TSL_OK) {
        return status;
    }
    b->json = &report.json;
    tsl_json_open_array(b->json, "readings");
    status = measure(b, context);
    if (status != TSL_OK) {
        tsl_output_discard(report.output);
        return status;
    }
    tsl_json_close_array(b->json);
    return bench_report_close(&report);
}

int main(int argc, char **argv)
{
    bench b = {.edge = argc > 1 ? atoi(argv[1]) : 1500,
               .repeats = argc > 2 ? atoi(argv[2]) : 5,
               .path = argc > 3 ? argv[3] : NULL,
               .commit = argc > 4 ? argv[4] : NULL};
    if (argc > 5 || b.edge < 2 || b.edge > 40000 || b.repeats < 1 || b.repeats > BENCH_REPEATS) {
        fprintf(stderr, "usage: matrix_read [EDGE [REPEATS [JSON [COMMIT]]]]\n");
        return 2;
    }
    tsl_context_options options = TSL_CONTEXT_OPTIONS_INIT;
    options.device = "cpu";
    tsl_context *context = NULL;
    tsl_status status = tsl_context_create(&context, &options);
    if (status == TSL_OK) {
        status = run(&b, context);
    }
    if (status != TSL_OK) {
        fprintf(stderr, "matrix_read: %s\n", tsl_last_error(context));
    }
    remove(file);
    tsl_context_destroy(context);
    return status == TSL_OK ? 0 : 3;
}
