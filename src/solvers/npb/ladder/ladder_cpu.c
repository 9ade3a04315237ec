/* The baseline of the ladder: the benchmarks' loops on the CPU, as their OpenMP versions have
 * them. */
#include <math.h>
#include <string.h>

#include "core/context.h"
#include "solvers/npb/ladder/ladder.h"
#include "solvers/npb/ladder/ladder_point.h"

/* ---- EP ----------------------------------------------------------------------------------- */

/* Add part `part` of EP to sums and counts. */
static void add_part(double *x, double *y, int64_t counts[TSL_EP_ANNULI], int64_t part, double an)
{
    double numbers[2 * TSL_LADDER_PAIRS];
    tsl_ladder_fill(numbers, 2 * TSL_LADDER_PAIRS, tsl_ladder_seed(part, an));
    for (int i = 0; i < TSL_LADDER_PAIRS; i++) {
        const int l = tsl_ladder_pair(numbers + 2 * i, x, y);
        if (l >= 0) {
            counts[l]++;
        }
    }
}

tsl_status tsl_ladder_ep_loop(tsl_ladder_sums *out, tsl_ladder_times *times, tsl_context *context,
                              int64_t first, int64_t count)
{
    const double an = tsl_ladder_an(TSL_LADDER_PAIRS);
    const double begun = tsl_seconds();
    double x = 0;
    double y = 0;
    memset(out, 0, sizeof *out);
#pragma omp parallel num_threads(context->threads) reduction(+ : x, y)
    {
        int64_t counts[TSL_EP_ANNULI] = {0};
#pragma omp for schedule(static)
        for (int64_t part = first; part < first + count; part++) {
            add_part(&x, &y, counts, part, an);
        }
#pragma omp critical(tsl_ladder_counts)
        for (int l = 0; l < TSL_EP_ANNULI; l++) {
            out->counts[l] += counts[l];
        }
    }
    out->x = x;
    out->y = y;
    times->compute = tsl_seconds() - begun;
    times->thesis = times->compute; /* there is nothing to bring */
    return TSL_OK;
}

/* ---- CG ----------------------------------------------------------------------------------- */

typedef struct plain {
    const tsl_csr *matrix;
    int threads;
    int64_t n;
    double *x, *z, *p, *q, *r; /* [n] each, in one piece of memory */
} plain;

static double dot(const plain *c, const double *a, const double *b)
{
    double sum = 0;
#pragma omp parallel for num_threads(c->threads) schedule(static) reduction(+ : sum)
    for (int64_t i = 0; i < c->n; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

static void multiply(const plain *c, double *y, const double *x)
{
    const tsl_csr *m = c->matrix;
#pragma omp parallel for num_threads(c->threads) schedule(static)
    for (int64_t row = 0; row < c->n; row++) {
        double sum = 0;
        for (int64_t k = m->row_start[row]; k < m->row_start[row + 1]; k++) {
            sum += m->value[k] * x[m->column[k]];
        }
        y[row] = sum;
    }
}

/* a <- scale a + factor b */
static void combine(const plain *c, double *a, double scale, double factor, const double *b)
{
#pragma omp parallel for num_threads(c->threads) schedule(static)
    for (int64_t i = 0; i < c->n; i++) {
        a[i] = scale * a[i] + factor * b[i];
    }
}

/* An iteration of the power method; returns x.z. */
static double iterate(const plain *c)
{
    const size_t bytes = (size_t)c->n * sizeof(double);
    memset(c->z, 0, bytes);
    memcpy(c->r, c->x, bytes);
    memcpy(c->p, c->x, bytes);
    double rho = dot(c, c->r, c->r);
    for (int inner = 0; inner < TSL_CG_INNER; inner++) {
        multiply(c, c->q, c->p);
        const double alpha = rho / dot(c, c->p, c->q);
        combine(c, c->z, 1, alpha, c->p);
        combine(c, c->r, 1, -alpha, c->q);
        const double before = rho;
        rho = dot(c, c->r, c->r);
        combine(c, c->p, rho / before, 1, c->r);
    }
    const double product = dot(c, c->x, c->z);
    memset(c->x, 0, bytes);
    combine(c, c->x, 0, 1 / sqrt(dot(c, c->z, c->z)), c->z);
    return product;
}

static double power_method(const plain *c, int iterations)
{
    double product = 0;
    for (int64_t i = 0; i < c->n; i++) {
        c->x[i] = 1;
    }
    for (int i = 0; i < iterations; i++) {
        product = iterate(c);
    }
    return product;
}

tsl_status tsl_ladder_cg_loop(double *zeta, tsl_ladder_times *times, tsl_context *context,
                              const tsl_cg_class *what, const tsl_csr *matrix)
{
    const int64_t n = what->rows;
    double *vectors = tsl_allocate(5 * (size_t)n * sizeof *vectors);
    if (vectors == NULL) {
        return tsl_fail_memory(context, 40 * n, "vectors");
    }
    const plain c = {matrix,          context->threads, n, vectors, vectors + n, vectors + 2 * n,
                     vectors + 3 * n, vectors + 4 * n};
    power_method(&c, 1); /* untimed, as NPB has it */
    const double begun = tsl_seconds();
    *zeta = what->shift + 1 / power_method(&c, what->iterations);
    times->compute = tsl_seconds() - begun;
    times->thesis = times->compute; /* there is nothing to bring */
    tsl_release(vectors);
    return TSL_OK;
}
