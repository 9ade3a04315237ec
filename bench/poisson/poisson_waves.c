/* A solve of a cube that is made on the device, so that its size is bound by the device's memory
 * alone, and whose every cell is checked.
 *
 *     poisson_waves DEVICE N
 *     poisson_waves cuda:0 2048
 *
 * A periodic cube of N^3 samples, edge N, whose source is a sum of plane waves
 *
 *     sum_w cos(2 pi (c_w (x + 3 y) + f_w z) / N),  potential  sum_w 4 pi / k_w^2 cos(…)
 *
 * Its rows depend on x + 3 y modulo N alone: N of them are made on the host and spread over the
 * cube by the device. It is solved in place, twice, and each plane is compared with the potential's
 * rows: the largest difference, by the potential's largest value. Status 1 beyond 1e-13.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/context.h"
#include "device/device.h"
#include "solvers/poisson/poisson.h"

enum { WAVES = 4, SLOPE = 3, LEAST = 16 };

typedef struct cube {
    tsl_context *context;
    int64_t n;
    tsl_poisson_plan *plan;
    void *field; /* [n][n][n] */
    void *rows;  /* [(1 + SLOPE) n][n]: n rows, again and again */
} cube;

/* c_w and f_w: small, and of both signs up to the largest but one that a grid can hold. */
static void frequencies(int64_t out[2], const cube *c, int wave)
{
    const int64_t half = c->n / 2;
    const int64_t all[WAVES][2] = {
        {1, 2}, {half - 1, 1 - half}, {-half / 3, half - 1}, {0, half / 5}};
    out[0] = all[wave][0];
    out[1] = all[wave][1];
}

/* 4 pi / k^2; along each axis k is the smallest of its aliases. */
static double response(const cube *c, int wave)
{
    int64_t f[2];
    frequencies(f, c, wave);
    const int64_t along[3] = {f[0], SLOPE * f[0], f[1]};
    double k2 = 0;
    for (int axis = 0; axis < 3; axis++) {
        const double k = 2 * M_PI * remainder((double)along[axis], (double)c->n) / (double)c->n;
        k2 += k * k;
    }
    return 4 * M_PI / k2;
}

/* The rows of x + 3 y = 0 … n - 1. */
static double *make_rows(const cube *c, bool solved)
{
    double *rows = calloc((size_t)(c->n * c->n), sizeof *rows);
    double *cosine = malloc((size_t)c->n * sizeof *cosine);
    for (int64_t k = 0; k < c->n && rows != NULL && cosine != NULL; k++) {
        cosine[k] = cos(2 * M_PI * (double)k / (double)c->n);
    }
    for (int wave = 0; wave < WAVES && rows != NULL && cosine != NULL; wave++) {
        const double factor = solved ? response(c, wave) : 1;
        int64_t f[2];
        frequencies(f, c, wave);
        for (int64_t i = 0; i < c->n * c->n; i++) {
            const int64_t turns = (f[0] * (i / c->n) + f[1] * (i % c->n)) % c->n;
            rows[i] += factor * cosine[turns < 0 ? turns + c->n : turns];
        }
    }
    free(cosine);
    return rows;
}

static tsl_status upload_rows(const cube *c)
{
    const int64_t bytes = c->n * c->n * (int64_t)sizeof(double);
    double *rows = make_rows(c, false);
    tsl_status status = rows != NULL ? TSL_OK : tsl_fail_memory(c->context, bytes, "rows of waves");
    for (int again = 0; again < 1 + SLOPE && status == TSL_OK; again++) {
        status = c->context->ops->upload(c->context, (char *)c->rows + again * bytes, rows, bytes);
    }
    free(rows);
    return status;
}

static tsl_status make_source(const cube *c)
{
    const int n = (int)c->n;
    const tsl_poisson_move what = {
        .to = {.at = c->field, .x = n, .y = 1, .strip = n, .ny = n, .nz = n},
        .from = {.at = c->rows, .x = 1, .y = SLOPE, .strip = n, .ny = n, .nz = n},
        .n = {n, n, n},
        .precision = TSL_DOUBLE};
    return c->context->ops->poisson->kernels->move(c->context, &what);
}

/* The largest difference of a plane. */
static double plane_error(const cube *c, const double *plane, const double *rows, int64_t x)
{
    double largest = 0;
    for (int64_t y = 0; y < c->n; y++) {
        const double *wanted = rows + (x + SLOPE * y) % c->n * c->n;
        for (int64_t z = 0; z < c->n; z++) {
            const double error = fabs(plane[y * c->n + z] - wanted[z]);
            largest = error <= largest ? largest : error; /* not-a-numbers stay */
        }
    }
    return largest;
}

static tsl_status compare(double *out, const cube *c)
{
    const int64_t cells = c->n * c->n;
    double *rows = make_rows(c, true);
    double *plane = malloc((size_t)cells * sizeof *plane);
    double largest = 0;
    tsl_status status = rows != NULL && plane != NULL
                            ? TSL_OK
                            : tsl_fail_memory(c->context, 2 * cells * 8, "rows of waves");
    *out = 0;
    for (int64_t i = 0; i < cells && status == TSL_OK; i++) {
        largest = fmax(largest, fabs(rows[i]));
    }
    for (int64_t x = 0; x < c->n && status == TSL_OK; x++) {
        status = c->context->ops->download(c->context, plane, (char *)c->field + x * cells * 8,
                                           cells * 8);
        if (status == TSL_OK) {
            const double error = plane_error(c, plane, rows, x) / largest;
            *out = error <= *out || isnan(*out) ? *out : error;
        }
    }
    free(rows);
    free(plane);
    return status;
}

static tsl_status open_cube(cube *c)
{
    tsl_poisson_options options = TSL_POISSON_OPTIONS_INIT;
    for (int axis = 0; axis < 3; axis++) {
        options.n[axis] = c->n;
        options.lengths[axis] = (double)c->n;
    }
    options.background = 1;
    tsl_status status = tsl_poisson_plan_create(&c->plan, c->context, &options);
    if (status == TSL_OK) {
        status = tsl_device_allocate(&c->field, c->context, c->n * c->n * c->n * 8, "a field");
    }
    if (status == TSL_OK) {
        status = tsl_device_allocate(&c->rows, c->context, (1 + SLOPE) * c->n * c->n * 8,
                                     "rows of waves");
    }
    return status == TSL_OK ? upload_rows(c) : status;
}

/* Make and solve twice; the second time is told. */
static tsl_status solve(const cube *c)
{
    tsl_poisson_summary summary;
    double seconds = 0;
    tsl_status status = TSL_OK;
    tsl_poisson_plan_summary(c->plan, &summary);
    for (int i = 0; i < 2 && status == TSL_OK; i++) {
        status = make_source(c);
        if (status == TSL_OK) {
            status = c->context->ops->synchronize(c->context);
        }
        const double begun = tsl_seconds();
        if (status == TSL_OK) {
            status = tsl_poisson_execute(c->plan, c->field, c->field);
        }
        if (status == TSL_OK) {
            status = c->context->ops->synchronize(c->context);
        }
        seconds = tsl_seconds() - begun;
    }
    if (status == TSL_OK) {
        printf("  solve, %s, in place: %.2f ms, %.3f fields more\n",
               summary.lines ? "by lines" : "plain", 1e3 * seconds,
               (double)summary.bytes / (double)(c->n * c->n * c->n * 8));
    }
    return status;
}

static int run(cube *c)
{
    const double bound = 1e-13;
    double error = 0;
    printf("%lld^3, periodic, double precision, %s\n", (long long)c->n,
           tsl_context_device(c->context));
    tsl_status status = open_cube(c);
    if (status == TSL_OK) {
        status = solve(c);
    }
    if (status == TSL_OK) {
        status = compare(&error, c);
    }
    if (status == TSL_OK) {
        printf("  largest error of a cell %.2e, bound %.0e\n", error, bound);
    } else {
        fprintf(stderr, "poisson_waves: %s\n", tsl_last_error(c->context));
    }
    tsl_poisson_plan_destroy(c->plan);
    tsl_device_release(c->context, c->field);
    tsl_device_release(c->context, c->rows);
    return status != TSL_OK ? 3 : error <= bound ? 0 : 1;
}

int main(int argc, char **argv)
{
    cube c = {.n = argc == 3 ? atoi(argv[2]) : 0};
    tsl_context_options options = TSL_CONTEXT_OPTIONS_INIT;
    if (c.n < LEAST || c.n % 2 != 0) {
        fprintf(stderr, "usage: poisson_waves DEVICE N (even, %d or more)\n", (int)LEAST);
        return 2;
    }
    options.device = argv[1];
    if (tsl_context_create(&c.context, &options) != TSL_OK) {
        fprintf(stderr, "poisson_waves: %s\n", tsl_last_error(NULL));
        return 3;
    }
    int status = 2;
    if (c.context->ops->poisson->kernels == NULL) {
        fprintf(stderr, "poisson_waves: %s is no GPU: give cuda:0 or sim\n", argv[1]);
    } else {
        status = run(&c);
    }
    tsl_context_destroy(c.context);
    return status;
}
