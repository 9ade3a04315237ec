#include "solvers/linsolve/precondition/smooth.h"

#include <math.h>
#include <string.h>

#include "blocks/random/random_point.h"
#include "core/context.h"
#include "solvers/linsolve/multigrid/gpu/coarsen_point.h"

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

static tsl_status take_step(const tsl_smoother *s, tsl_wavefront *wavefront, const advance *a,
                            void *t, const void *b)
{
    tsl_expression product = s->product;
    product.x = a->x;
    product.y = t;
    const tsl_expression steps[] = {
        product, tsl_combine(t, 1, b, -1, t),
        a->remembers ? tsl_scale(a->next, a->c2, t, s->inverse_diagonal, -a->c1, a->next)
                     : tsl_scale(a->next, a->c2, t, s->inverse_diagonal, 1 + a->c1, a->x),
        tsl_combine(a->next, 1 + a->c1, a->x, 1, a->next)};
    return tsl_wavefront_add(wavefront, steps, a->remembers ? 4 : 3);
}

tsl_wavefront tsl_smooth_wavefront(const tsl_smoother *s, tsl_context *context)
{
    return (tsl_wavefront){
        .context = context, .layout = s->layout, .bytes = s->bytes, .reach = s->reach};
}

tsl_expression tsl_smooth_first(const tsl_smoother *s, void *x, const void *b)
{
    return tsl_scale(x, 1 / damped(s).middle, b, s->inverse_diagonal, 0, NULL);
}

tsl_status tsl_smooth(const tsl_smoother *s, tsl_wavefront *wavefront, void **out, void *const x[2],
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
        status = take_step(s, wavefront, &a, t, b);
        now = 1 - now;
    }
    *out = x[now];
    return status;
}

/* ---- the largest eigenvalue
 * ----------------------------------------------------------------------- */

enum { HALVINGS = 60 };

static const double little = 1e-6;

/* Work space of Lanczos' method: a matrix is looked at in host memory, a function where it runs. */
typedef struct lanczos {
    const tsl_operand *a;
    tsl_context *context;
    tsl_layout layout;
    double *v; /* [5][rows] */
    double *sums;
} lanczos;

static int threads_for(const tsl_csr *m, const tsl_context *context)
{
    return tsl_threads_for(context, tsl_csr_nonzeros(m));
}

static tsl_status multiply(const lanczos *p, double *y, const double *x)
{
    const tsl_csr *m = p->a->matrix;
    if (m == NULL) {
        return p->a->apply(p->a->user, y, x);
    }
#pragma omp parallel for num_threads(threads_for(m, p->context)) schedule(static)
    for (int64_t i = 0; i < m->rows; i++) {
        double sum = 0;
        for (int64_t k = m->row_start[i]; k < m->row_start[i + 1]; k++) {
            sum += m->value[k] * x[m->column[k]];
        }
        y[i] = sum;
    }
    return TSL_OK;
}

static tsl_status run_list(const lanczos *p, const tsl_expression *steps, int count)
{
    const tsl_expressions list = {.layout = &p->layout,
                                  .bytes = 8,
                                  .count = count,
                                  .expressions = steps,
                                  .sums = p->sums,
                                  .width = 1};
    return p->a->matrix != NULL ? tsl_expressions_run_on_cpu(p->context, &list)
                                : tsl_expressions_run(p->context, &list);
}

static tsl_status add_up(const lanczos *p, double *out)
{
    if (p->a->matrix == NULL) {
        return tsl_sums_add_up(p->context, out, p->sums, &p->layout, 1);
    }
    tsl_sums_add_up_on_cpu(out, p->sums, 1);
    return TSL_OK;
}

/* How many eigenvalues of the symmetric tridiagonal matrix of so many rows exceed x (Sturm). */
static int count_above(const double *diagonal, const double *beside, int rows, double x)
{
    int count = 0;
    double pivot = 1;
    for (int i = 0; i < rows; i++) {
        const double square = i > 0 ? beside[i - 1] * beside[i - 1] : 0;
        pivot = diagonal[i] - x - (i > 0 ? square / pivot : 0);
        pivot = pivot == 0 ? -1e-300 : pivot;
        count += pivot > 0;
    }
    return count;
}

/* An upper estimate of the largest eigenvalue of what Lanczos' method has gone through: that of the
 * tridiagonal matrix, and how far an eigenvalue may be from it, which is beside[rows - 1] times
 * the last entry of its vector of norm 1. */
static double estimate(const double *diagonal, const double *beside, int rows)
{
    double low = 0;
    double high = 0;
    for (int i = 0; i < rows; i++) {
        const double others = (i > 0 ? beside[i - 1] : 0) + (i + 1 < rows ? beside[i] : 0);
        high = diagonal[i] + others > high ? diagonal[i] + others : high;
    }
    for (int k = 0; k < HALVINGS; k++) {
        const double middle = (low + high) / 2;
        *(count_above(diagonal, beside, rows, middle) > 0 ? &low : &high) = middle;
    }
    double before = 0;
    double entry = 1;
    double square = 1;
    for (int i = 0; i + 1 < rows; i++) {
        const double next =
            ((high - diagonal[i]) * entry - (i > 0 ? beside[i - 1] : 0) * before) / beside[i];
        before = entry;
        entry = next;
        square += entry * entry;
    }
    return high + beside[rows - 1] * fabs(entry) / sqrt(square);
}

static tsl_status run_dot(const lanczos *p, const tsl_expression *steps, int count, double *dot)
{
    const tsl_status status = run_list(p, steps, count);
    return status == TSL_OK ? add_up(p, dot) : status;
}

/* Vectors v and D v, so that norms are sums of what there is, not differences of other sums. */
typedef struct pair {
    double *v, *dv;
} pair;

static tsl_status normalise(const lanczos *p, const pair *x, double norm)
{
    const tsl_expression steps[] = {tsl_combine(x->v, 1 / norm, x->v, 0, NULL),
                                    tsl_combine(x->dv, 1 / norm, x->dv, 0, NULL)};
    return run_list(p, steps, 2);
}

/* One step, in the scalar product x.D y, in which D^-1 A is symmetric: `before` becomes D^-1 A now
 * - alpha now - beta before, not normalised. */
static tsl_status take_lanczos_step(const lanczos *p, const pair *now, const pair *before,
                                    double beta, double *alpha, double *square)
{
    double *const w = p->v + 4 * p->a->rows;
    const tsl_expression dot = tsl_dot(now->v, w);
    tsl_status status = multiply(p, w, now->v);
    status = status == TSL_OK ? run_dot(p, &dot, 1, alpha) : status;
    const tsl_expression steps[] = {
        tsl_scale(before->v, 1, w, p->a->inverse_diagonal, -beta, before->v),
        tsl_combine(before->v, 1, before->v, -*alpha, now->v),
        tsl_combine(before->dv, 1, w, -beta, before->dv),
        tsl_combine(before->dv, 1, before->dv, -*alpha, now->dv), tsl_dot(before->v, before->dv)};
    return status == TSL_OK ? run_dot(p, steps, 5, square) : status;
}

static tsl_status iterate(double *out, const lanczos *p)
{
    const int64_t n = p->a->rows;
    pair now = {p->v, p->v + 2 * n}; /* D v is random */
    pair before = {p->v + n, p->v + 3 * n};
    double diagonal[TSL_LANCZOS_PRODUCTS];
    double beside[TSL_LANCZOS_PRODUCTS];
    double square = 0;
    double beta = 0;
    int rows = 0;
    const tsl_expression first[] = {tsl_scale(now.v, 1, now.dv, p->a->inverse_diagonal, 0, NULL),
                                    tsl_dot(now.v, now.dv)};
    tsl_status status = run_dot(p, first, 2, &square);
    status = status == TSL_OK && square > 0 ? normalise(p, &now, sqrt(square)) : status;
    for (int k = 0; k < TSL_LANCZOS_PRODUCTS && status == TSL_OK; k++) {
        double alpha = 0;
        status = take_lanczos_step(p, &now, &before, beta, &alpha, &square);
        const double next = square > 0 ? sqrt(square) : 0;
        diagonal[rows] = alpha;
        beside[rows++] = next;
        if (status != TSL_OK || !(next > little * fabs(alpha))) {
            break; /* nothing new: the eigenvalues are known */
        }
        status = normalise(p, &before, next);
        const pair kept = now;
        now = before;
        before = kept;
        beta = next;
    }
    *out = rows > 0 ? estimate(diagonal, beside, rows) : 0;
    return status;
}

/* Random numbers to begin with: D v. */
static tsl_status begin_lanczos(lanczos *p)
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
        memcpy(p->v + 2 * rows, start, (size_t)rows * sizeof *start);
    } else {
        status = tsl_vector_put(p->context, p->v + 2 * rows, 1, start, rows, 8);
    }
    tsl_release(start);
    return status;
}

static tsl_status take_lanczos(lanczos *p)
{
    const int64_t rows = p->a->rows;
    tsl_status status = tsl_layout_make(&p->layout, p->context, rows, NULL, true);
    if (status == TSL_OK && p->a->matrix != NULL) {
        p->v = tsl_allocate((size_t)rows * 5 * sizeof *p->v);
        p->sums = tsl_allocate((size_t)TSL_SPARSE_SUMS * sizeof *p->sums);
        return p->v != NULL && p->sums != NULL
                   ? TSL_OK
                   : tsl_fail_memory(p->context, 40 * rows, "an eigenvalue's estimate");
    }
    void *v = NULL;
    if (status == TSL_OK) {
        status = tsl_vectors_take(&v, p->context, 5, rows, 8, "an eigenvalue's estimate");
    }
    p->v = v;
    return status == TSL_OK ? tsl_sums_take(&p->sums, p->context, 1) : status;
}

static void free_lanczos(lanczos *p)
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

bool tsl_row_sum_will_do(double bound, int64_t nonzeros, int64_t rows)
{
    return bound <= 2.0001 && nonzeros <= TSL_GRID_ROW * rows;
}

double tsl_largest_of_lanczos(const double *diagonal, const double *beside, int steps, double bound)
{
    int rows = 1;
    while (rows < steps && beside[rows - 1] > little * fabs(diagonal[rows - 1])) {
        rows++;
    }
    const double found = 1.05 * estimate(diagonal, beside, rows);
    return found > 0 && found < bound ? found : bound;
}

tsl_status tsl_largest_eigenvalue(double *out, tsl_context *context, const tsl_operand *a)
{
    const double bound = a->row_sum > 0      ? a->row_sum
                         : a->matrix != NULL ? largest_row_sum(a, threads_for(a->matrix, context))
                                             : INFINITY;
    if (a->matrix != NULL && tsl_row_sum_will_do(bound, tsl_csr_nonzeros(a->matrix), a->rows)) {
        /* as in the Laplacians of grids, where an estimate would hardly be less */
        *out = bound;
        return TSL_OK;
    }
    lanczos p = {.a = a, .context = context};
    tsl_status status = TSL_OK;
    TSL_TRY(take_lanczos(&p));
    TSL_TRY(begin_lanczos(&p));
    TSL_TRY(iterate(out, &p));
done:
    *out = *out > 0 && 1.05 * *out < bound ? 1.05 * *out : bound;
    free_lanczos(&p);
    return status;
}
