#include "sparse/smooth.h"

#include <math.h>
#include <string.h>

#include "blocks/random/random_point.h"
#include "core/context.h"

/* Where the damped eigenvalues lie. */
typedef struct interval {
    double middle, half;
} interval;

static interval damped(const tsl_smoother *s)
{
    const double least = s->largest / s->ratio;
    return (interval){(s->largest + least) / 2, (s->largest - least) / 2};
}

/* One step from x to the next, with what was before x: next = before + (1 + c1) (x - before) + c2
 * D^-1 (b - A x), which is -c1 before + (1 + c1) x + …. What was before the first is itself, or 0.
 */
typedef struct advance {
    void *next; /* holds what was before; */
    void *x;
    double c1, c2;
    bool remembers; /* if that is neither 0 nor x */
} advance;

static tsl_status take_step(const tsl_smoother *s, tsl_context *context, const advance *a, void *t,
                            const void *b)
{
    tsl_step product = s->product;
    product.x = a->x;
    product.y = t;
    const tsl_step steps[] = {
        product, tsl_combine(t, 1, b, -1, t),
        a->remembers ? tsl_scale(a->next, a->c2, t, s->inverse_diagonal, -a->c1, a->next)
                     : tsl_scale(a->next, a->c2, t, s->inverse_diagonal, 1 + a->c1, a->x),
        tsl_combine(a->next, 1 + a->c1, a->x, 1, a->next)};
    return tsl_steps_run(context, &(tsl_steps){.layout = s->layout,
                                               .bytes = s->bytes,
                                               .count = a->remembers ? 4 : 3,
                                               .steps = steps});
}

tsl_step tsl_smooth_first(const tsl_smoother *s, void *x, const void *b)
{
    return tsl_scale(x, 1 / damped(s).middle, b, s->inverse_diagonal, 0, NULL);
}

tsl_status tsl_smooth(const tsl_smoother *s, tsl_context *context, void **out, void *const x[2],
                      void *t, const void *b, bool begun)
{
    const interval d = damped(s);
    const double sigma = d.middle / d.half;
    double rho = 1 / sigma;
    int now = 0;
    tsl_status status = TSL_OK;
    for (int k = 0; k < s->degree && status == TSL_OK; k++) {
        const double before = rho;
        rho = k > 0 ? 1 / (2 * sigma - rho) : rho;
        if (k == 0 && begun) {
            continue;
        }
        const advance a = {.next = x[1 - now],
                           .x = x[now],
                           .c1 = k > 0 ? rho * before : 0,
                           .c2 = k > 0 ? 2 * rho / d.half : 1 / d.middle,
                           .remembers = k > (begun ? 1 : 0)};
        status = take_step(s, context, &a, t, b);
        now = 1 - now;
    }
    *out = x[now];
    return status;
}

/* ---- the largest eigenvalue
 * ----------------------------------------------------------------------- */

enum { POWERS = 16 };

/* Work space of the power method: a matrix is looked at in host memory, a function where it runs.
 */
typedef struct powers {
    const tsl_operand *a;
    tsl_context *context;
    tsl_layout layout;
    double *v; /* [3][rows] */
    double *sums;
} powers;

static tsl_status multiply(const powers *p, double *y, const double *x)
{
    const tsl_csr *m = p->a->matrix;
    if (m == NULL) {
        return p->a->apply(p->a->user, y, x);
    }
#pragma omp parallel for num_threads(p->context->threads) schedule(static)
    for (int64_t i = 0; i < m->rows; i++) {
        double sum = 0;
        for (int64_t k = m->row_start[i]; k < m->row_start[i + 1]; k++) {
            sum += m->value[k] * x[m->column[k]];
        }
        y[i] = sum;
    }
    return TSL_OK;
}

static tsl_status run_list(const powers *p, const tsl_step *steps, int count)
{
    const tsl_steps list = {.layout = &p->layout,
                            .bytes = 8,
                            .count = count,
                            .steps = steps,
                            .sums = p->sums,
                            .width = 2};
    return p->a->matrix != NULL ? tsl_steps_run_on_cpu(p->context, &list)
                                : tsl_steps_run(p->context, &list);
}

static tsl_status add_up(const powers *p, double out[2])
{
    if (p->a->matrix == NULL) {
        return tsl_sums_add_up(p->context, out, p->sums, p->a->rows, 2);
    }
    tsl_sums_add_up_on_cpu(out, p->sums, 2);
    return TSL_OK;
}

static tsl_status iterate_powers(double *out, const powers *p)
{
    double *const w = p->v + p->a->rows;
    double *const u = w + p->a->rows;
    const tsl_step steps[] = {tsl_dot(p->v, w), tsl_scale(u, 1, w, p->a->inverse_diagonal, 0, NULL),
                              tsl_dot(u, w)};
    tsl_status status = TSL_OK;
    *out = 0;
    for (int k = 0; k < POWERS && status == TSL_OK; k++) {
        double sums[2] = {0};
        status = multiply(p, w, p->v);
        status = status == TSL_OK ? run_list(p, steps, 3) : status;
        status = status == TSL_OK ? add_up(p, sums) : status;
        /* v.D v = 1 but for the first */
        *out = k > 0 ? sums[0] : 0;
        const double size = sqrt(sums[1]);
        if (status != TSL_OK || !(size > 0)) {
            return status;
        }
        const tsl_step next = tsl_combine(p->v, 1 / size, u, 0, NULL);
        status = run_list(p, &next, 1);
    }
    return status;
}

/* Random numbers to begin with. */
static tsl_status begin_powers(powers *p)
{
    const int64_t rows = p->a->rows;
    double *start = tsl_allocate((size_t)rows * sizeof *start);
    if (start == NULL) {
        return tsl_fail_memory(p->context, 8 * rows, "an eigenvalue's estimate");
    }
    uint64_t state = tsl_random_state(314159265);
    for (int64_t i = 0; i < rows; i++) {
        state = tsl_random_next(state);
        start[i] = 1 - 2 * tsl_random_uniform(state);
    }
    tsl_status status = TSL_OK;
    if (p->a->matrix != NULL) {
        memcpy(p->v, start, (size_t)rows * sizeof *start);
    } else {
        status = tsl_vector_put(p->context, p->v, 1, start, rows, 8);
    }
    tsl_release(start);
    return status;
}

static tsl_status take_powers(powers *p)
{
    const int64_t rows = p->a->rows;
    tsl_status status = tsl_layout_make(&p->layout, p->context, rows, NULL, true);
    if (status == TSL_OK && p->a->matrix != NULL) {
        p->v = tsl_allocate((size_t)rows * 3 * sizeof *p->v);
        p->sums = tsl_allocate((size_t)TSL_SPARSE_SUMS * 2 * sizeof *p->sums);
        return p->v != NULL && p->sums != NULL
                   ? TSL_OK
                   : tsl_fail_memory(p->context, 24 * rows, "an eigenvalue's estimate");
    }
    void *v = NULL;
    if (status == TSL_OK) {
        status = tsl_vectors_take(&v, p->context, 3, rows, 8, "an eigenvalue's estimate");
    }
    p->v = v;
    return status == TSL_OK ? tsl_sums_take(&p->sums, p->context, 2) : status;
}

static void free_powers(powers *p)
{
    if (p->a->matrix != NULL) {
        tsl_release(p->v);
        tsl_release(p->sums);
    } else {
        tsl_vectors_release(p->context, p->v);
        tsl_vectors_release(p->context, p->sums);
    }
    tsl_layout_free(&p->layout);
}

/* The largest row sum of |D^-1 A|. */
static double largest_row_sum(const tsl_operand *a, int threads)
{
    const tsl_csr *m = a->matrix;
    double largest = 0;
#pragma omp parallel for num_threads(threads) schedule(static) reduction(max : largest)
    for (int64_t i = 0; i < m->rows; i++) {
        double sum = 0;
        for (int64_t k = m->row_start[i]; k < m->row_start[i + 1]; k++) {
            sum += fabs(m->value[k]);
        }
        sum *= a->inverse_diagonal[i];
        largest = sum > largest ? sum : largest;
    }
    return largest;
}

tsl_status tsl_largest_eigenvalue(double *out, tsl_context *context, const tsl_operand *a)
{
    const double bound = a->matrix != NULL ? largest_row_sum(a, context->threads) : INFINITY;
    if (bound <= 2.0001) { /* diagonally dominant: the estimate would hardly be less */
        *out = bound;
        return TSL_OK;
    }
    powers p = {.a = a, .context = context};
    tsl_status status = take_powers(&p);
    status = status == TSL_OK ? begin_powers(&p) : status;
    status = status == TSL_OK ? iterate_powers(out, &p) : status;
    *out = 1.1 * *out < bound ? 1.1 * *out : bound;
    free_powers(&p);
    return status;
}
