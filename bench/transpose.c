/* Transpositions on a device, all permutations, out of place and in place, beside a copy of the
 * same array in the same run.
 *
 *     transpose DEVICE [--most BYTES] [--commit ID] [--json FILE]
 *
 * Arrays of more than --most bytes (10000000000) are left out, as are those the device has no room
 * for. Results are checked element by element up to 2^28 bytes, of larger ones so many in pieces
 * all over them.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "blocks/transpose/measure.h"
#include "blocks/transpose/transpose.h"
#include "core/context.h"
#include "device/device.h"

typedef struct settings {
    const char *device;
    double most;
    const char *commit, *json; /* NULL: none */
} settings;

static const int64_t shapes[][3] = {{256, 256, 256}, {512, 512, 512},  {1024, 1024, 1024},
                                    {257, 263, 269}, {1000, 500, 300}, {640, 480, 1000},
                                    {3, 4096, 8192}, {8192, 4096, 3},  {129, 512, 512}};
static const int elements[] = {8, 4, 16};
enum { SHAPES = sizeof shapes / sizeof *shapes, ELEMENTS = sizeof elements / sizeof *elements };

static const int64_t most_compared = INT64_C(1) << 28; /* bytes of a result */

/* What one array gave: [in place][permutation]; the copy is xyz out of place. */
typedef struct table {
    int64_t shape[3];
    int element;
    tsl_transpose_result results[2][TSL_PERMUTATIONS];
} table;

static double share(const table *t, int in_place, int permutation)
{
    return t->results[0][TSL_PERMUTATION_XYZ].seconds / t->results[in_place][permutation].seconds;
}

static double gigabytes(const tsl_transpose_result *r)
{
    return 1e-9 * (double)r->bytes / r->seconds;
}

static tsl_status measure(tsl_context *context, table *t)
{
    tsl_transpose_bench *bench = NULL;
    tsl_transpose_options options = TSL_TRANSPOSE_OPTIONS_INIT;
    memcpy(options.shape, t->shape, sizeof options.shape);
    options.element = t->element;
    tsl_status status = tsl_transpose_bench_create(&bench, context, t->shape, t->element);
    for (int i = 0; i < 2 * TSL_PERMUTATIONS && status == TSL_OK; i++) {
        options.in_place = i / TSL_PERMUTATIONS;
        options.permutation = (tsl_permutation)(i % TSL_PERMUTATIONS);
        if (i != TSL_PERMUTATIONS) { /* xyz in place is nothing */
            status = tsl_transpose_bench_run(
                bench, &t->results[options.in_place][options.permutation], &options, most_compared);
        }
    }
    tsl_transpose_bench_destroy(bench);
    return status;
}

/* Returns false if an element is wrong. */
static bool print(const table *t)
{
    bool right = true;
    double mean = 0;
    double worst = INFINITY;
    printf("%lld x %lld x %lld, %d bytes: copy %.0f GB/s\n", (long long)t->shape[0],
           (long long)t->shape[1], (long long)t->shape[2], t->element,
           gigabytes(&t->results[0][0]));
    for (int in_place = 0; in_place < 2; in_place++) {
        printf("  %-12s", in_place ? "in place" : "out of place");
        for (int p = 1; p < TSL_PERMUTATIONS; p++) {
            const tsl_transpose_result *r = &t->results[in_place][p];
            printf(" %s %5.1f %%%s", tsl_permutation_name((tsl_permutation)p),
                   100 * share(t, in_place, p), r->wrong != 0 ? " WRONG" : "");
            right = right && r->wrong == 0;
            if (!in_place) {
                mean += share(t, 0, p) / (TSL_PERMUTATIONS - 1);
                worst = fmin(worst, share(t, 0, p));
            }
        }
        if (!in_place) {
            printf("  mean %.1f %%, worst %.1f %%", 100 * mean, 100 * worst);
        }
        printf("\n");
    }
    fflush(stdout);
    return right;
}

static void write_table(tsl_json *json, const table *t)
{
    tsl_json_open_object(json, NULL);
    tsl_json_open_array(json, "shape");
    for (int i = 0; i < 3; i++) {
        tsl_json_integer(json, NULL, t->shape[i]);
    }
    tsl_json_close_array(json);
    tsl_json_integer(json, "element", t->element);
    tsl_json_number(json, "copy_gb_per_second", gigabytes(&t->results[0][0]));
    tsl_json_open_array(json, "transpositions");
    for (int i = 0; i < 2 * TSL_PERMUTATIONS; i++) {
        const int in_place = i / TSL_PERMUTATIONS;
        const int p = i % TSL_PERMUTATIONS;
        const tsl_transpose_result *r = &t->results[in_place][p];
        if (p == TSL_PERMUTATION_XYZ) {
            continue;
        }
        tsl_json_open_object(json, NULL);
        tsl_json_string(json, "permutation", tsl_permutation_name((tsl_permutation)p));
        tsl_json_bool(json, "in_place", in_place != 0);
        tsl_json_number(json, "ms", 1e3 * r->seconds);
        tsl_json_number(json, "gb_per_second", gigabytes(r));
        tsl_json_number(json, "share_of_copy", share(t, in_place, p));
        tsl_json_integer(json, "auxiliary", r->auxiliary);
        tsl_json_integer(json, "compared", r->compared);
        tsl_json_integer(json, "wrong", r->wrong);
        tsl_json_close_object(json);
    }
    tsl_json_close_array(json);
    tsl_json_close_object(json);
}

static tsl_status write_report(tsl_context *context, const settings *s, const table *tables,
                               int count)
{
    bench_report report;
    const tsl_status status = bench_report_open(&report, context, s->json, "transpose", s->commit);
    if (status != TSL_OK) {
        return status;
    }
    tsl_json_open_array(&report.json, "arrays");
    for (int i = 0; i < count; i++) {
        write_table(&report.json, &tables[i]);
    }
    tsl_json_close_array(&report.json);
    return bench_report_close(&report);
}

static bool parse(settings *s, int argc, char **argv)
{
    for (int i = 2; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--most") == 0) {
            s->most = atof(argv[i + 1]);
        } else if (strcmp(argv[i], "--commit") == 0) {
            s->commit = argv[i + 1];
        } else if (strcmp(argv[i], "--json") == 0) {
            s->json = argv[i + 1];
        } else {
            return false;
        }
    }
    s->device = argc > 1 ? argv[1] : NULL;
    return argc % 2 == 0 && s->most > 0;
}

/* All arrays that fit; *right becomes false if an element is wrong. */
static tsl_status measure_all(tsl_context *context, const settings *s, table *tables, int *count,
                              bool *right)
{
    tsl_device_properties device;
    tsl_status status = context->ops->properties(context->device, &device);
    for (int i = 0; i < SHAPES * ELEMENTS && status == TSL_OK; i++) {
        table *t = &tables[*count];
        int64_t bytes = 0;
        *t = (table){.element = elements[i % ELEMENTS]};
        memcpy(t->shape, shapes[i / ELEMENTS], sizeof t->shape);
        /* twice on the device, and some memory besides */
        if (!tsl_transpose_bytes(&bytes, t->shape, t->element) || (double)bytes > s->most ||
            (device.memory > 0 && 5 * bytes / 2 > device.memory)) {
            printf("%lld x %lld x %lld, %d bytes: left out\n", (long long)t->shape[0],
                   (long long)t->shape[1], (long long)t->shape[2], t->element);
            continue;
        }
        status = measure(context, t);
        if (status == TSL_OK) {
            *right = print(t) && *right;
            (*count)++;
        }
    }
    return status;
}

int main(int argc, char **argv)
{
    static table tables[SHAPES * ELEMENTS];
    settings s = {.most = 1e10};
    if (!parse(&s, argc, argv)) {
        fputs("usage: transpose DEVICE [--most BYTES] [--commit ID] [--json FILE]\n", stderr);
        return 2;
    }
    tsl_context *context = NULL;
    tsl_context_options options = TSL_CONTEXT_OPTIONS_INIT;
    options.device = s.device;
    int count = 0;
    bool right = true;
    tsl_status status = tsl_context_create(&context, &options);
    if (status == TSL_OK) {
        status = measure_all(context, &s, tables, &count, &right);
    }
    if (status == TSL_OK && s.json != NULL) {
        status = write_report(context, &s, tables, count);
    }
    if (status != TSL_OK) {
        fprintf(stderr, "transpose: %s\n", tsl_last_error(context));
    }
    tsl_context_destroy(context);
    return status != TSL_OK ? 3 : right ? 0 : 1;
}
