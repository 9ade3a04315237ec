/* Poisson's equation on SIDE^3 cells, 7 points, solved to 1e-8: plain conjugate gradients beside
 * those with multigrid, set-up and solution together; the product beside a triad; and scalar
 * products in a fixed order beside those in any order. All in the same run. Each is done once
 * before it counts, and repeats follow each other: a virtual machine's memory that has been idle
 * may have to be got back, so the first set-up is told too.
 *
 *     solve [SIDE [REPEATS [JSON [COMMIT [DEVICE]]]]]        default: 200 3, on cpu
 *
 * On other devices only the solutions are measured. JSON and COMMIT may be "".
 */
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "blocks/vector/expressions.h"
#include "core/context.h"
#include "core/profile.h"
#include "device/device.h"
#include "tesela/sparse.h"

enum { KINDS = 2 };

typedef struct bench {
    int64_t side, rows;
    int repeats;
    const char *path;   /* of the report; NULL: none */
    const char *commit; /* may be NULL */
    tsl_context *context;
    tsl_sparse_matrix *matrix;
    bool on_cpu;
    double *x, *b; /* on the device */
    double *triad; /* memory */
} bench;

/* What repeats gave; times in seconds. */
typedef struct outcome {
    bench_times triad, product, setup[KINDS], solve[KINDS], ordered, unordered;
    double first_setup[KINDS];
    tsl_linsolve_report last[KINDS];
} outcome;

static const tsl_linsolve_preconditioner kinds[KINDS] = {TSL_LINSOLVE_NONE, TSL_LINSOLVE_MULTIGRID};

/* Lower triangle of the Laplacian. */
static tsl_status make_matrix(bench *s)
{
    const int64_t n = s->side;
    const int64_t far[3] = {n * n, n, 1};
    int64_t *start = tsl_allocate((size_t)(s->rows + 1) * sizeof *start);
    int32_t *column = tsl_allocate((size_t)s->rows * 4 * sizeof *column);
    double *value = tsl_allocate((size_t)s->rows * 4 * sizeof *value);
    tsl_status status = start != NULL && column != NULL && value != NULL
                            ? TSL_OK
                            : tsl_fail_memory(s->context, 56 * s->rows, "the Laplacian");
    int64_t k = 0;
    for (int64_t i = 0; status == TSL_OK && i < s->rows; i++) {
        const int64_t at[3] = {i / far[0], i / n % n, i % n};
        start[i] = k;
        for (int axis = 0; axis < 3; axis++) {
            if (at[axis] > 0) {
                column[k] = (int32_t)(i - far[axis]);
                value[k++] = -1;
            }
        }
        column[k] = (int32_t)i;
        value[k++] = 6;
    }
    if (status == TSL_OK) {
        start[s->rows] = k;
        tsl_sparse_matrix_options options = TSL_SPARSE_MATRIX_OPTIONS_INIT;
        options.storage = TSL_SPARSE_SYMMETRIC;
        status = tsl_sparse_matrix_create(&s->matrix, s->context, s->rows, s->rows, start, column,
                                          4, value, &options);
    }
    tsl_release(start);
    tsl_release(column);
    tsl_release(value);
    return status;
}

static tsl_status begin(bench *s)
{
    tsl_status status = make_matrix(s);
    if (status != TSL_OK) {
        return status;
    }
    double *b = tsl_allocate((size_t)s->rows * sizeof *b);
    void *vectors[2] = {NULL, NULL};
    for (int i = 0; i < 2 && status == TSL_OK; i++) {
        status = tsl_device_allocate(&vectors[i], s->context, 8 * s->rows, "the vectors");
    }
    s->x = vectors[0];
    s->b = vectors[1];
    if (status == TSL_OK && b == NULL) {
        status = tsl_fail_memory(s->context, 8 * s->rows, "the vectors");
    }
    uint64_t state = 1;
    for (int64_t i = 0; i < s->rows && status == TSL_OK; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        b[i] = (double)(state >> 11) * 0x1p-53 - 0.5;
    }
    if (status == TSL_OK) {
        status = s->context->ops->upload(s->context, s->b, b, 8 * s->rows);
    }
    tsl_release(b);
    return status == TSL_OK && s->on_cpu ? bench_triad_memory(&s->triad, s->context) : status;
}

static tsl_status solve(const bench *s, int kind, outcome *o, int at)
{
    tsl_linsolve_options options = TSL_LINSOLVE_OPTIONS_INIT;
    options.preconditioner = kinds[kind];
    tsl_linsolve_plan *plan = NULL;
    tsl_status status = tsl_linsolve_plan_create(&plan, s->matrix, &options);
    if (status == TSL_OK) {
        status = s->context->ops->fill(s->context, s->x, 0, 8 * s->rows);
    }
    if (status == TSL_OK) {
        status = tsl_linsolve_execute(plan, s->x, s->b, &o->last[kind]);
    }
    tsl_linsolve_plan_destroy(plan);
    o->setup[kind].ms[at] = o->last[kind].setup_seconds;
    o->solve[kind].ms[at] = o->last[kind].seconds;
    if (kinds[kind] == TSL_LINSOLVE_NONE) {
        o->product.ms[at] = o->last[kind].product_gbs;
    }
    return status;
}

/* Seconds of b.b with OpenMP's reduction: any order. */
static double time_unordered(const bench *s)
{
    const double begun = tsl_seconds();
    double sum = 0;
#pragma omp parallel for simd num_threads(s->context->threads) schedule(static) reduction(+ : sum)
    for (int64_t i = 0; i < s->rows; i++) {
        sum += s->b[i] * s->b[i];
    }
    return sum > 0 ? tsl_seconds() - begun : -1;
}

/* Seconds of b.b with the library's sum, whose pieces are added up in one order. */
static tsl_status time_ordered(const bench *s, double *seconds)
{
    tsl_layout layout;
    double sums[TSL_SPARSE_SUMS];
    tsl_status status = tsl_layout_make(&layout, s->context, s->rows, NULL, true);
    if (status != TSL_OK) {
        return status;
    }
    const double begun = tsl_seconds();
    const tsl_expression dot = tsl_dot(s->b, s->b);
    status = tsl_expressions_run(s->context, &(tsl_expressions){.layout = &layout,
                                                                .bytes = 8,
                                                                .count = 1,
                                                                .expressions = &dot,
                                                                .sums = sums,
                                                                .width = 1});
    double sum = 0;
    for (int i = 0; i < TSL_SPARSE_SUMS; i++) {
        sum += sums[i];
    }
    *seconds = sum > 0 ? tsl_seconds() - begun : -1;
    tsl_layout_free(&layout);
    return status;
}

/* `at` 0 is written over by the first that counts. */
static tsl_status measure(const bench *s, outcome *o)
{
    tsl_status status = TSL_OK;
    for (int kind = 0; kind < KINDS; kind++) {
        for (int i = -1; i < s->repeats && status == TSL_OK; i++) {
            const int at = i < 0 ? 0 : i;
            if (s->on_cpu) {
                o->triad.ms[at] = bench_triad(s->context->threads, s->triad);
            }
            status = solve(s, kind, o, at);
            o->first_setup[kind] = i < 0 ? o->setup[kind].ms[at] : o->first_setup[kind];
        }
    }
    for (int i = -1; i < s->repeats && status == TSL_OK && s->on_cpu; i++) {
        o->unordered.ms[i < 0 ? 0 : i] = time_unordered(s);
        status = time_ordered(s, &o->ordered.ms[i < 0 ? 0 : i]);
    }
    return status;
}

static void tell(const bench *s, const outcome *o, bench_report *report)
{
    const int n = s->repeats;
    double total[KINDS];
    printf("7-point Laplacian of %lld^3 cells to 1e-8, %s, %d threads\n", (long long)s->side,
           s->context->name, s->context->threads);
    for (int kind = 0; kind < KINDS; kind++) {
        const tsl_linsolve_report *r = &o->last[kind];
        const double setup = bench_median(&o->setup[kind], n);
        const double seconds = bench_median(&o->solve[kind], n);
        const char *name = tsl_linsolve_preconditioner_name(kinds[kind]);
        total[kind] = setup + seconds;
        printf(
            "cg, %s: %lld iterations, set-up %.3f s (the first %.3f s), solution %.3f s, residual "
            "%.2e\n",
            name, (long long)r->iterations, setup, o->first_setup[kind], seconds, r->true_residual);
        if (report != NULL) {
            tsl_json_open_object(&report->json, name);
            tsl_json_integer(&report->json, "iterations", r->iterations);
            tsl_json_number(&report->json, "setup_seconds", setup);
            tsl_json_number(&report->json, "first_setup_seconds", o->first_setup[kind]);
            tsl_json_number(&report->json, "solve_seconds", seconds);
            tsl_json_number(&report->json, "true_residual", r->true_residual);
            tsl_json_close_object(&report->json);
        }
    }
    const struct {
        const char *name, *unit;
        double value;
    } figures[] = {{"multigrid_faster", "times, set-up included", total[0] / total[1]},
                   {"triad_gbs", "GB/s", bench_median(&o->triad, n)},
                   {"product_gbs", "GB/s of matrix, x and y", bench_median(&o->product, n)},
                   {"ordered_dot", "of an unordered one's time",
                    bench_median(&o->ordered, n) / bench_median(&o->unordered, n)}};
    const size_t count = s->on_cpu ? sizeof figures / sizeof *figures : 1;
    for (size_t i = 0; i < count; i++) {
        printf("%s: %.2f %s\n", figures[i].name, figures[i].value, figures[i].unit);
        if (report != NULL) {
            tsl_json_number(&report->json, figures[i].name, figures[i].value);
        }
    }
}

/* Where multigrid's time goes, of one more set-up and solution. */
static tsl_status tell_stages(const bench *s, outcome *o)
{
    const tsl_profile_stage *stages;
    s->context->profile.count = 0;
    const tsl_status status = solve(s, KINDS - 1, o, 0);
    const int count = tsl_profile_stages(s->context, &stages);
    for (int i = 0; i < count && status == TSL_OK; i++) {
        printf("%s: %.4f s in %lld\n", stages[i].stage, stages[i].seconds,
               (long long)stages[i].calls);
    }
    return status;
}

static tsl_status run(bench *s, outcome *o)
{
    bench_report report;
    tsl_status status = begin(s);
    if (status == TSL_OK) {
        status = measure(s, o);
    }
    if (status == TSL_OK && s->path != NULL) {
        status = bench_report_open(&report, s->context, s->path, "solve", s->commit);
    }
    if (status != TSL_OK) {
        return status;
    }
    if (s->path != NULL) {
        tsl_json_integer(&report.json, "side", s->side);
        tsl_json_integer(&report.json, "threads", s->context->threads);
    }
    tell(s, o, s->path != NULL ? &report : NULL);
    status = s->path != NULL ? bench_report_close(&report) : TSL_OK;
    return status == TSL_OK ? tell_stages(s, o) : status;
}

int main(int argc, char **argv)
{
    bench s = {.side = argc > 1 ? atoi(argv[1]) : 200,
               .repeats = argc > 2 ? atoi(argv[2]) : 3,
               .path = argc > 3 && argv[3][0] != '\0' ? argv[3] : NULL,
               .commit = argc > 4 && argv[4][0] != '\0' ? argv[4] : NULL};
    if (argc > 6 || s.side < 2 || s.side > 1000 || s.repeats < 1 || s.repeats > BENCH_REPEATS) {
        fprintf(stderr,
                "usage: solve [SIDE [REPEATS [JSON [COMMIT [DEVICE]]]]], SIDE from 2 to 1000\n");
        return 2;
    }
    s.rows = s.side * s.side * s.side;
    tsl_context_options options = TSL_CONTEXT_OPTIONS_INIT;
    options.device = argc > 5 ? argv[5] : "cpu";
    outcome *o = calloc(1, sizeof *o);
    tsl_status status = o != NULL ? tsl_context_create(&s.context, &options) : TSL_E_NOMEM;
    if (status == TSL_OK) {
        s.on_cpu = s.context->ops == &tsl_device_cpu;
        status = run(&s, o);
    }
    if (status != TSL_OK) {
        fprintf(stderr, "solve: %s\n", tsl_last_error(s.context));
    }
    tsl_release(s.triad);
    tsl_sparse_matrix_destroy(s.matrix);
    tsl_context_destroy(s.context);
    free(o);
    return status == TSL_OK ? 0 : 3;
}
