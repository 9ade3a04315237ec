#include "sparse/smooth.h"

#include <math.h>

#include "blocks/random/random_point.h"
#include "core/context.h"

/* One step: p = c1 p + c2 D^-1 (b - A x), to = x + p. */
static tsl_status advance(const tsl_smoother *s, tsl_context *context, void *to, void *x, void *p,
                          void *t, const void *b, double c1, double c2)
{
    tsl_step product = s->product;
    product.x = x;
    product.y = t;
    const tsl_step steps[] = {product, tsl_combine(t, 1, b, -1, t),
                              tsl_scale(p, c2, t, s->inverse_diagonal, c1, p),
                              tsl_combine(to, 1, x, 1, p)};
    return tsl_steps_run(
        context, &(tsl_steps){.layout = s->layout, .bytes = s->bytes, .count = 4, .steps = steps});
}

tsl_status tsl_smooth(const tsl_smoother *s, tsl_context *context, void **out, void *const x[2],
                      void *p, void *t, const void *b, bool from_zero)
{
    const double least = s->largest / s->ratio;
    const double middle = (s->largest + least) / 2;
    const double half = (s->largest - least) / 2;
    const double sigma = middle / half;
    double rho = 1 / sigma;
    int now = 0;
    tsl_status status = TSL_OK;
    if (s->degree == 1) {
        p = t; /* exists only from step to step */
    }
    for (int k = 0; k < s->degree && status == TSL_OK; k++) {
        const double before = rho;
        rho = k > 0 ? 1 / (2 * sigma - rho) : rho;
        const double c1 = k > 0 ? rho * before : 0;
        const double c2 = k > 0 ? 2 * rho / half : 1 / middle;
        if (k == 0 && from_zero) {
            const tsl_step steps[] = {tsl_scale(x[0], c2, b, s->inverse_diagonal, 0, NULL),
                                      tsl_combine(p, 1, x[0], 0, NULL)};
            status = tsl_steps_run(context, &(tsl_steps){.layout = s->layout,
                                                         .bytes = s->bytes,
                                                         .count = s->degree > 1 ? 2 : 1,
                                                         .steps = steps});
        } else {
            status = advance(s, context, x[1 - now], x[now], p, t, b, c1, c2);
            now = 1 - now;
        }
    }
    *out = x[now];
    return status;
}

/* ---- the largest eigenvalue
 * ----------------------------------------------------------------------- */

enum { POWERS = 16 };

/* The operator of a matrix that is not in any form. */
typedef struct plain {
    const tsl_csr *matrix;
    int threads;
} plain;

static tsl_status multiply_plain(void *user, double *y, const double *x)
{
    const plain *p = user;
    const tsl_csr *m = p->matrix;
#pragma omp parallel for num_threads(p->threads) schedule(static)
    for (int64_t i = 0; i < m->rows; i++) {
        double sum = 0;
        for (int64_t k = m->row_start[i]; k < m->row_start[i + 1]; k++) {
            sum += m->value[k] * x[m->column[k]];
        }
        y[i] = sum;
    }
    return TSL_OK;
}

static double add_up(const double *sums, int width, int column)
{
    double sum = 0;
    for (int piece = 0; piece < TSL_SPARSE_SUMS; piece++) {
        sum += sums[piece * width + column];
    }
    return sum;
}

/* `v` [3][rows] and `sums` [2][TSL_SPARSE_SUMS] are space. */
static tsl_status iterate_powers(double *out, tsl_context *context, const tsl_operand *a,
                                 const tsl_layout *layout, double *v, double *sums)
{
    plain matrix = {a->matrix, context->threads};
    double *const w = v + a->rows;
    double *const u = w + a->rows;
    tsl_step product = tsl_product(w, NULL, NULL, v);
    product.apply = a->matrix != NULL ? multiply_plain : a->apply;
    product.user = a->matrix != NULL ? &matrix : a->user;
    const tsl_step steps[] = {product, tsl_dot(v, w),
                              tsl_scale(u, 1, w, a->inverse_diagonal, 0, NULL), tsl_dot(u, w)};
    tsl_status status = TSL_OK;
    *out = 0;
    for (int k = 0; k < POWERS && status == TSL_OK; k++) {
        status = tsl_steps_run(context, &(tsl_steps){.layout = layout,
                                                     .bytes = 8,
                                                     .count = 4,
                                                     .steps = steps,
                                                     .sums = sums,
                                                     .width = 2});
        /* v.D v = 1 but for the first */
        *out = k > 0 ? add_up(sums, 2, 0) : 0;
        const double size = sqrt(add_up(sums, 2, 1));
        if (status != TSL_OK || !(size > 0)) {
            return status;
        }
        const tsl_step next = tsl_combine(v, 1 / size, u, 0, NULL);
        status = tsl_steps_run(
            context, &(tsl_steps){.layout = layout, .bytes = 8, .count = 1, .steps = &next});
    }
    return status;
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
    double *v = tsl_allocate((size_t)a->rows * 3 * sizeof *v);
    double *sums = tsl_allocate((size_t)TSL_SPARSE_SUMS * 2 * sizeof *sums);
    tsl_layout layout = {0};
    tsl_status status = v != NULL && sums != NULL
                            ? tsl_layout_make(&layout, context, a->rows, NULL, true)
                            : tsl_fail_memory(context, 24 * a->rows, "an eigenvalue's estimate");
    if (status == TSL_OK) {
        uint64_t state = tsl_random_state(314159265);
        for (int64_t i = 0; i < a->rows; i++) {
            state = tsl_random_next(state);
            v[i] = 1 - 2 * tsl_random_uniform(state);
        }
        status = iterate_powers(out, context, a, &layout, v, sums);
    }
    *out = 1.1 * *out < bound ? 1.1 * *out : bound;
    tsl_layout_free(&layout);
    tsl_release(sums);
    tsl_release(v);
    return status;
}
