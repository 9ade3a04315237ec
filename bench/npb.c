/* EP beside the plain loop that its definition is, and CG's product beside what memory streams, on
 * one core and on all.
 *
 *     npb [EP-CLASS [CG-CLASS [REPEATS [JSON [COMMIT]]]]]        default: A B 5
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "core/context.h"
#include "device/device.h"
#include "solvers/npb/cg.h"
#include "tesela/npb.h"

enum { PLAIN_PAIRS = 1 << 23 };

typedef struct bench {
    char ep_class, cg_class;
    int repeats;
    const char *path;   /* of the report; NULL: none */
    const char *commit; /* may be NULL */
    tsl_json *json;     /* NULL: none */
} bench;

/* ---- EP ----------------------------------------------------------------------------------- */

/* The generator of the benchmark's report: halves of 23 bits in double precision. */
static double plain_random(double *x)
{
    const double a1 = (int)(1220703125 * 0x1p-23);
    const double a2 = 1220703125 - a1 * 0x1p23;
    const double x1 = (int)(*x * 0x1p-23);
    const double x2 = *x - x1 * 0x1p23;
    const double middle = a1 * x2 + a2 * x1;
    const double z = middle - (int)(middle * 0x1p-23) * 0x1p23;
    const double sum = z * 0x1p23 + a2 * x2;
    *x = sum - (int)(sum * 0x1p-46) * 0x1p46;
    return *x * 0x1p-46;
}

/* Nanoseconds a pair of the plain loop, on one core. */
static double time_plain_loop(void)
{
    const double begun = tsl_seconds();
    double state = 271828183;
    double sums[2] = {0, 0};
    int64_t counts[TSL_NPB_EP_ANNULI] = {0};
    for (int i = 0; i < PLAIN_PAIRS; i++) {
        const double x = 2 * plain_random(&state) - 1;
        const double y = 2 * plain_random(&state) - 1;
        const double t = x * x + y * y;
        if (t <= 1) {
            const double factor = sqrt(-2 * log(t) / t);
            counts[(int)fmax(fabs(x * factor), fabs(y * factor))]++;
            sums[0] += x * factor;
            sums[1] += y * factor;
        }
    }
    const double seconds = tsl_seconds() - begun;
    /* a million Gaussians average to nothing; and the loop cannot be left out */
    return fabs(sums[0]) + fabs(sums[1]) < 1e5 && counts[0] > 0 ? 1e9 * seconds / PLAIN_PAIRS : NAN;
}

static tsl_status bench_ep(const bench *b, tsl_context *one, tsl_context *all)
{
    bench_times times[3] = {{.name = "plain"}, {.name = "one"}, {.name = "all"}};
    for (int i = -1; i < b->repeats; i++) {
        tsl_npb_ep ep[2];
        const double plain = time_plain_loop();
        tsl_status status = tsl_npb_ep_run(&ep[0], one, b->ep_class);
        if (status == TSL_OK) {
            status = tsl_npb_ep_run(&ep[1], all, b->ep_class);
        }
        if (status != TSL_OK) {
            return status;
        }
        if (i >= 0) {
            const double pairs = ldexp(1, ep[0].log2_pairs);
            times[0].ms[i] = plain;
            times[1].ms[i] = 1e9 * ep[0].seconds / pairs;
            times[2].ms[i] = 1e9 * ep[1].seconds / pairs;
        }
    }
    const double plain = bench_median(&times[0], b->repeats);
    const double single = bench_median(&times[1], b->repeats);
    const double several = bench_median(&times[2], b->repeats);
    printf("EP class %c, ns a pair: plain loop %.2f, one core %.2f (%.1fx), %d cores %.2f (%.2fx "
           "again)\n",
           b->ep_class, plain, single, plain / single, all->threads, several, single / several);
    if (b->json != NULL) {
        tsl_json_open_object(b->json, "ep");
        tsl_json_integer(b->json, "log2_plain_pairs", 23);
        tsl_json_number(b->json, "plain_ns", plain);
        tsl_json_number(b->json, "one_core_ns", single);
        tsl_json_number(b->json, "all_cores_ns", several);
        tsl_json_close_object(b->json);
    }
    return TSL_OK;
}

/* ---- CG ----------------------------------------------------------------------------------- */

/* Products and triads in turn, in GB/s: 12 bytes a nonzero. */
static tsl_status bench_product(const bench *b, tsl_context *context, const tsl_csr *matrix,
                                double *memory)
{
    bench_times times[2] = {{.name = "triad"}, {.name = "product"}};
    tsl_sparse *plan = NULL;
    tsl_status status = tsl_sparse_create(&plan, context, matrix);
    double *y = memory;
    double *x = memory + BENCH_TRIAD;
    for (int i = -1; status == TSL_OK && i < b->repeats; i++) {
        const double triad = bench_triad(context->threads, memory);
        const double begun = tsl_seconds();
        for (int k = 0; k < 4; k++) {
            context->ops->sparse->multiply(plan, y, x, NULL);
        }
        const double seconds = (tsl_seconds() - begun) / 4;
        if (i >= 0) {
            times[0].ms[i] = triad;
            times[1].ms[i] = 12e-9 * (double)tsl_csr_nonzeros(matrix) / seconds;
        }
    }
    context->ops->sparse->destroy(plan);
    if (status != TSL_OK) {
        return status;
    }
    const double triad = bench_median(&times[0], b->repeats);
    const double product = bench_median(&times[1], b->repeats);
    printf("CG class %c, %d thread%s: triad %.1f GB/s, product %.1f GB/s at 12 bytes a nonzero "
           "(%.2f of it)\n",
           b->cg_class, context->threads, context->threads == 1 ? "" : "s", triad, product,
           product / triad);
    if (b->json != NULL) {
        tsl_json_open_object(b->json, context->threads == 1 ? "cg_one_core" : "cg_all_cores");
        tsl_json_number(b->json, "triad_gbs", triad);
        tsl_json_number(b->json, "product_gbs", product);
        tsl_json_number(b->json, "share", product / triad);
        tsl_json_close_object(b->json);
    }
    return TSL_OK;
}

static tsl_status bench_cg(const bench *b, tsl_context *one, tsl_context *all)
{
    const tsl_cg_class *what = tsl_cg_find_class(b->cg_class);
    if (what == NULL) {
        return tsl_fail(all, TSL_E_ARG, "CG has no class '%c'", b->cg_class);
    }
    tsl_csr matrix;
    tsl_status status = tsl_cg_matrix(&matrix, all, what, 0, what->rows);
    if (status != TSL_OK) {
        return status;
    }
    double *memory = NULL;
    status = bench_triad_memory(&memory, all);
    if (status == TSL_OK) {
        status = bench_product(b, one, &matrix, memory);
        if (status == TSL_OK && all->threads > 1) {
            status = bench_product(b, all, &matrix, memory);
        }
    }
    tsl_release(memory);
    tsl_csr_free(&matrix);
    return status;
}

/* ---- all ---------------------------------------------------------------------------------- */

static tsl_status bench_both(bench *b, tsl_context *one, tsl_context *all)
{
    bench_report report;
    if (b->path != NULL) {
        const tsl_status status = bench_report_open(&report, all, b->path, "npb", b->commit);
        if (status != TSL_OK) {
            return status;
        }
        b->json = &report.json;
    }
    tsl_status status = bench_ep(b, one, all);
    if (status == TSL_OK) {
        status = bench_cg(b, one, all);
    }
    return status == TSL_OK && b->path != NULL ? bench_report_close(&report) : status;
}

int main(int argc, char **argv)
{
    bench b = {.ep_class = argc > 1 ? argv[1][0] : 'A',
               .cg_class = argc > 2 ? argv[2][0] : 'B',
               .repeats = argc > 3 ? atoi(argv[3]) : 5,
               .path = argc > 4 ? argv[4] : NULL,
               .commit = argc > 5 ? argv[5] : NULL};
    if (argc > 6 || b.repeats < 1 || b.repeats > BENCH_REPEATS) {
        fprintf(stderr, "usage: npb [EP-CLASS [CG-CLASS [REPEATS [JSON [COMMIT]]]]]\n");
        return 2;
    }
    tsl_context_options options = TSL_CONTEXT_OPTIONS_INIT;
    options.device = "cpu";
    tsl_context *all = NULL;
    tsl_context *one = NULL;
    tsl_status status = tsl_context_create(&all, &options);
    options.threads = 1;
    if (status == TSL_OK) {
        status = tsl_context_create(&one, &options);
    }
    if (status != TSL_OK) {
        fprintf(stderr, "npb: %s\n", tsl_last_error(NULL));
    } else {
        status = bench_both(&b, one, all);
        if (status != TSL_OK) {
            fprintf(stderr, "npb: %s%s\n", tsl_last_error(all), tsl_last_error(one));
        }
    }
    tsl_context_destroy(one);
    tsl_context_destroy(all);
    return status == TSL_OK ? 0 : 3;
}
