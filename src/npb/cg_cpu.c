/* CG's vectors on the CPU. Sums are made in pieces of fixed length, so that the number of threads
 * does not matter. */
#include <math.h>

#include "core/context.h"
#include "npb/cg.h"

/* A piece of the vectors: its elements, and where its sums go. */
typedef struct piece {
    int64_t from, to;
} piece;

static piece piece_of(int64_t n, int number)
{
    /* whole rows of 8, so that pieces begin on cache lines */
    const int64_t rows = (n + 7) / 8;
    const piece p = {rows * number / TSL_CG_PARTIALS * 8,
                     rows * (number + 1) / TSL_CG_PARTIALS * 8};
    return (piece){p.from, p.to < n ? p.to : n};
}

/* Sum of a piece of a.b. */
static double dot(piece p, const double *a, const double *b)
{
    double sums[8] = {0};
    int64_t i = p.from;
    for (; i + 8 <= p.to; i += 8) {
        for (int s = 0; s < 8; s++) {
            sums[s] += a[i + s] * b[i + s];
        }
    }
    for (int s = 0; i + s < p.to; s++) {
        sums[s] += a[i + s] * b[i + s];
    }
    return ((sums[0] + sums[4]) + (sums[1] + sums[5])) +
           ((sums[2] + sums[6]) + (sums[3] + sums[7]));
}

static double add_up(const double *partial)
{
    double sum = 0;
    for (int i = 0; i < TSL_CG_PARTIALS; i++) {
        sum += partial[i];
    }
    return sum;
}

static tsl_status cpu_ones(tsl_context *context, const tsl_cg_vectors *v)
{
#pragma omp parallel for num_threads(context->threads) schedule(static)
    for (int64_t i = 0; i < v->n; i++) {
        v->x[i] = 1;
    }
    return TSL_OK;
}

/* Where the partial sums of an iteration are: rho before, p.q, rho after. */
static double *rho_of(const tsl_cg_vectors *v, int inner)
{
    return v->partial + inner % 2 * TSL_CG_PARTIALS;
}

static double *product_of(const tsl_cg_vectors *v)
{
    return v->partial + 2 * TSL_CG_PARTIALS;
}

static tsl_status cpu_begin(tsl_context *context, const tsl_cg_vectors *v)
{
    double *rho = rho_of(v, 0);
#pragma omp parallel for num_threads(context->threads) schedule(static)
    for (int number = 0; number < TSL_CG_PARTIALS; number++) {
        const piece own = piece_of(v->n, number);
        for (int64_t i = own.from; i < own.to; i++) {
            v->z[i] = 0;
            v->r[i] = v->x[i];
            v->p[i] = v->x[i];
        }
        rho[number] = dot(own, v->x, v->x);
    }
    return TSL_OK;
}

static tsl_status cpu_step(tsl_context *context, const tsl_cg_vectors *v, int inner)
{
    double *const before = rho_of(v, inner);
    double *const after = rho_of(v, inner + 1);
    double *const product = product_of(v);
#pragma omp parallel num_threads(context->threads)
    {
#pragma omp for schedule(static)
        for (int number = 0; number < TSL_CG_PARTIALS; number++) {
            product[number] = dot(piece_of(v->n, number), v->p, v->q);
        }
        const double rho = add_up(before);
        const double alpha = rho / add_up(product);
#pragma omp for schedule(static)
        for (int number = 0; number < TSL_CG_PARTIALS; number++) {
            const piece own = piece_of(v->n, number);
            for (int64_t i = own.from; i < own.to; i++) {
                v->z[i] += alpha * v->p[i];
                v->r[i] -= alpha * v->q[i];
            }
            after[number] = dot(own, v->r, v->r);
        }
        const double beta = add_up(after) / rho;
#pragma omp for schedule(static)
        for (int64_t i = 0; i < v->n; i++) {
            v->p[i] = v->r[i] + beta * v->p[i];
        }
    }
    return TSL_OK;
}

static tsl_status cpu_finish(tsl_context *context, const tsl_cg_vectors *v)
{
    double *const off = v->partial;
    double *const xz = v->partial + TSL_CG_PARTIALS;
    double *const zz = v->partial + 2 * TSL_CG_PARTIALS;
#pragma omp parallel num_threads(context->threads)
    {
#pragma omp for schedule(static)
        for (int number = 0; number < TSL_CG_PARTIALS; number++) {
            const piece own = piece_of(v->n, number);
            for (int64_t i = own.from; i < own.to; i++) {
                v->r[i] = v->x[i] - v->r[i];
            }
            off[number] = dot(own, v->r, v->r);
            xz[number] = dot(own, v->x, v->z);
            zz[number] = dot(own, v->z, v->z);
        }
        const double scale = 1 / sqrt(add_up(zz));
#pragma omp for schedule(static)
        for (int64_t i = 0; i < v->n; i++) {
            v->x[i] = scale * v->z[i];
        }
    }
    v->norms[0] = sqrt(add_up(off));
    v->norms[1] = add_up(xz);
    return TSL_OK;
}

const tsl_cg_ops tsl_cg_cpu = {
    .ones = cpu_ones, .begin = cpu_begin, .step = cpu_step, .finish = cpu_finish};
