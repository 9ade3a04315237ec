/* A solve of a cube that is made and checked on the device, so that its size is bound by the
 * device's memory alone.
 *
 *     poisson_waves DEVICE N
 *     poisson_waves cuda:0 2048
 *
 * A periodic cube of N^3 samples, edge N, whose source is a sum of plane waves
 *
 *     sum_w cos(2 pi (x f_w0 + y f_w1 + z f_w2) / N),  potential  sum_w 4 pi / k_w^2 cos(…)
 *
 * made plane after plane of x from the cosines and sines of y and z, solved in place twice, and the
 * second time compared with that potential: the 2-norm of the difference over that of the
 * potential, of the whole and of the worst plane. Status 1 beyond 1e-13.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/context.h"
#include "device/device.h"
#include "sparse/lists.h"
#include "tesela/poisson.h"

enum { WAVES = 4, PARTS = 2 * WAVES, NORMS = 2 };

typedef struct cube {
    tsl_context *context;
    int n;
    tsl_poisson_plan *plan;
    double *field;         /* [n][n][n] */
    double *parts;         /* [PARTS][n][n]: cosine and sine of each wave's y and z */
    double *partial, *sum; /* of the norms */
} cube;

/* Of both signs, up to the largest but one that a grid can hold. */
static int frequency(const cube *c, int wave, int axis)
{
    const int n = c->n;
    const int all[WAVES][3] = {
        {1, 2, -3}, {1 - n / 2, n / 2 - 2, n / 2 - 1}, {n / 4, 1 - n / 2, 1}, {0, n / 7, n / 3}};
    return all[wave][axis];
}

static double phase(const cube *c, int wave, int axis, int at)
{
    const int64_t turns = (int64_t)frequency(c, wave, axis) * at % c->n;
    return 2 * M_PI * (double)turns / c->n;
}

static double amplitude(const cube *c, int wave, bool solved)
{
    double k2 = 0;
    for (int axis = 0; axis < 3; axis++) {
        const double k = 2 * M_PI * frequency(c, wave, axis) / c->n;
        k2 += k * k;
    }
    return solved ? 4 * M_PI / k2 : 1;
}

static tsl_status make_parts(const cube *c)
{
    const int64_t plane = (int64_t)c->n * c->n;
    double *host = malloc((size_t)plane * sizeof *host);
    tsl_status status = host != NULL ? TSL_OK : TSL_E_NOMEM;
    for (int part = 0; part < PARTS && status == TSL_OK; part++) {
        for (int64_t i = 0; i < plane; i++) {
            const double turn =
                phase(c, part / 2, 1, (int)(i / c->n)) + phase(c, part / 2, 2, (int)(i % c->n));
            host[i] = part % 2 == 0 ? cos(turn) : sin(turn);
        }
        status = c->context->ops->upload(c->context, c->parts + part * plane, host,
                                         plane * (int64_t)sizeof *host);
    }
    free(host);
    return status;
}

/* The list that makes plane x of the waves in the slot after those of their parts. */
static tsl_list list_of(const cube *c, int x, bool solved)
{
    const int64_t plane = (int64_t)c->n * c->n;
    tsl_list list = {.rows = plane,
                     .bytes = 8,
                     .blocks = tsl_list_blocks(plane),
                     .product = -1,
                     .slots = PARTS + 1,
                     .inputs = PARTS,
                     .sums = c->partial,
                     .width = NORMS};
    for (int part = 0; part < PARTS; part++) {
        const double turn = phase(c, part / 2, 0, x);
        list.slot[part] = c->parts + part * plane;
        list.input[part] = (int16_t)part;
        list.step[list.steps++] = (tsl_list_step){
            .kind = TSL_STEP_COMBINE,
            .a_double = amplitude(c, part / 2, solved) * (part % 2 == 0 ? cos(turn) : -sin(turn)),
            .b_double = part > 0,
            .x = (int16_t)part,
            .z = PARTS,
            .y = PARTS};
    }
    return list;
}

static tsl_status make_source(const cube *c)
{
    tsl_status status = TSL_OK;
    for (int x = 0; x < c->n && status == TSL_OK; x++) {
        tsl_list list = list_of(c, x, false);
        list.slot[PARTS] = c->field + (int64_t)x * c->n * c->n;
        list.output[list.outputs++] = PARTS;
        status = c->context->ops->lists->run(c->context, &list);
    }
    return status;
}

/* Squares of a plane's difference and of the plane as it should be. */
static tsl_status compare_plane(double squares[NORMS], const cube *c, int x)
{
    enum { FOUND = PARTS + 1 };
    tsl_list list = list_of(c, x, true);
    list.slot[FOUND] = c->field + (int64_t)x * c->n * c->n;
    list.slots = FOUND + 1;
    list.input[list.inputs++] = FOUND;
    list.step[list.steps++] =
        (tsl_list_step){.kind = TSL_STEP_DOT, .a_double = 1, .x = PARTS, .z = PARTS};
    list.step[list.steps++] = (tsl_list_step){.kind = TSL_STEP_COMBINE,
                                              .a_double = 1,
                                              .b_double = -1,
                                              .x = FOUND,
                                              .z = PARTS,
                                              .y = FOUND};
    list.step[list.steps++] =
        (tsl_list_step){.kind = TSL_STEP_DOT, .a_double = 1, .x = FOUND, .z = FOUND};
    list.dots = NORMS;
    static const tsl_gate open = {{NULL, NULL}, {0, 0}};
    tsl_status status = c->context->ops->lists->run(c->context, &list);
    if (status == TSL_OK) {
        status = c->context->ops->lists->add_up(c->context, c->sum, c->partial, list.blocks, NORMS,
                                                &open);
    }
    return status == TSL_OK
               ? c->context->ops->download(c->context, squares, c->sum, NORMS * sizeof *squares)
               : status;
}

/* Errors of the whole and of the worst plane. */
static tsl_status compare(double *whole, double *worst, const cube *c)
{
    double all[NORMS] = {0, 0};
    tsl_status status = TSL_OK;
    *worst = 0;
    for (int x = 0; x < c->n && status == TSL_OK; x++) {
        double squares[NORMS];
        status = compare_plane(squares, c, x);
        if (status == TSL_OK) {
            const double error = sqrt(squares[1] / squares[0]);
            *worst = error > *worst || isnan(error) ? error : *worst;
            all[0] += squares[0];
            all[1] += squares[1];
        }
    }
    *whole = sqrt(all[1] / all[0]);
    return status;
}

static tsl_status open_cube(cube *c)
{
    tsl_poisson_options options = TSL_POISSON_OPTIONS_INIT;
    const int64_t n = c->n;
    for (int axis = 0; axis < 3; axis++) {
        options.n[axis] = n;
        options.lengths[axis] = (double)n;
    }
    options.background = 1;
    void *field = NULL, *parts = NULL, *partial = NULL, *sum = NULL;
    tsl_status status = tsl_poisson_plan_create(&c->plan, c->context, &options);
    if (status == TSL_OK) {
        status = tsl_device_allocate(&field, c->context, n * n * n * 8, "a field");
    }
    if (status == TSL_OK) {
        status = tsl_device_allocate(&parts, c->context, PARTS * n * n * 8, "parts of waves");
    }
    if (status == TSL_OK) {
        status = tsl_device_allocate(&partial, c->context, NORMS * TSL_LIST_BLOCKS * 8, "sums");
    }
    if (status == TSL_OK) {
        status = tsl_device_allocate(&sum, c->context, NORMS * 8, "sums");
    }
    c->field = field;
    c->parts = parts;
    c->partial = partial;
    c->sum = sum;
    return status;
}

/* Make, solve, twice; the second time is told. */
static tsl_status solve(const cube *c)
{
    tsl_poisson_summary summary;
    double seconds = 0;
    tsl_status status = make_parts(c);
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
               (double)summary.bytes / ((double)c->n * c->n * c->n * 8));
    }
    return status;
}

static void close_cube(const cube *c)
{
    tsl_poisson_plan_destroy(c->plan);
    tsl_device_release(c->context, c->field);
    tsl_device_release(c->context, c->parts);
    tsl_device_release(c->context, c->partial);
    tsl_device_release(c->context, c->sum);
}

int main(int argc, char **argv)
{
    cube c = {.n = argc == 3 ? atoi(argv[2]) : 0};
    tsl_context_options options = TSL_CONTEXT_OPTIONS_INIT;
    if (c.n < 16) {
        fprintf(stderr, "usage: poisson_waves DEVICE N (16 or more)\n");
        return 2;
    }
    options.device = argv[1];
    if (tsl_context_create(&c.context, &options) != TSL_OK) {
        fprintf(stderr, "poisson_waves: %s\n", tsl_last_error(NULL));
        return 3;
    }
    if (c.context->ops->lists == NULL) {
        fprintf(stderr, "poisson_waves: %s is no GPU: give cuda:0 or sim\n", argv[1]);
        tsl_context_destroy(c.context);
        return 2;
    }
    printf("%d^3, periodic, double precision, %s\n", c.n, tsl_context_device(c.context));
    double whole = 0, worst = 0;
    const double bound = 1e-13;
    tsl_status status = open_cube(&c);
    if (status == TSL_OK) {
        status = solve(&c);
    }
    if (status == TSL_OK) {
        status = compare(&whole, &worst, &c);
    }
    if (status == TSL_OK) {
        printf("  error %.2e of the 2-norm, of the worst plane %.2e, bound %.0e\n", whole, worst,
               bound);
    } else {
        fprintf(stderr, "poisson_waves: %s\n", tsl_last_error(c.context));
    }
    close_cube(&c);
    tsl_context_destroy(c.context);
    return status != TSL_OK ? 3 : worst <= bound ? 0 : 1;
}
