/* CG's vectors on the CPU. Sums are made in pieces of fixed length, so that the number of threads
 * does not matter. */
#include <math.h>

#include "blocks/sparse/pieces.h"
#include "core/context.h"
#include "npb/cg.h"

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

/* Where the partial sums of rho are, before and after a step in turn. */
static double *rho_of(const tsl_cg_vectors *v, int inner)
{
    return v->partial + inner % 2 * TSL_CG_PARTIALS;
}

static tsl_status cpu_begin(tsl_context *context, const tsl_cg_vectors *v)
{
    double *rho = rho_of(v, 0);
#pragma omp parallel for num_threads(context->threads) schedule(static)
    for (int number = 0; number < TSL_CG_PARTIALS; number++) {
        const tsl_piece own = tsl_piece_of(v->n, number);
        for (int64_t i = own.from; i < own.to; i++) {
            v->z[i] = 0;
            v->r[i] = v->x[i];
            v->p[i] = v->x[i];
        }
        rho[number] = tsl_piece_dot(own, v->x, v->x);
    }
    return TSL_OK;
}

static tsl_status cpu_step(tsl_context *context, const tsl_cg_vectors *v, int inner)
{
    double *const before = rho_of(v, inner);
    double *const after = rho_of(v, inner + 1);
#pragma omp parallel num_threads(context->threads)
    {
        const double rho = add_up(before);
        const double alpha = rho / add_up(tsl_cg_product(v));
#pragma omp for schedule(static)
        for (int number = 0; number < TSL_CG_PARTIALS; number++) {
            const tsl_piece own = tsl_piece_of(v->n, number);
            for (int64_t i = own.from; i < own.to; i++) {
                v->z[i] += alpha * v->p[i];
                v->r[i] -= alpha * v->q[i];
            }
            after[number] = tsl_piece_dot(own, v->r, v->r);
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
            const tsl_piece own = tsl_piece_of(v->n, number);
            for (int64_t i = own.from; i < own.to; i++) {
                v->r[i] = v->x[i] - v->r[i];
            }
            off[number] = tsl_piece_dot(own, v->r, v->r);
            xz[number] = tsl_piece_dot(own, v->x, v->z);
            zz[number] = tsl_piece_dot(own, v->z, v->z);
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
