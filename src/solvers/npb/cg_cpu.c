/* CG's vectors on the CPU. Sums are made in pieces of fixed length, so that the number of threads
 * does not matter. */
#include <math.h>

#include "blocks/vector/pieces.h"
#include "core/context.h"
#include "solvers/npb/cg.h"

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
#pragma omp parallel for num_threads(tsl_threads_for(context, v->n)) schedule(static)
    for (int64_t i = 0; i < v->n; i++) {
        v->x[i] = 1;
    }
    return TSL_OK;
}

/* Piece `number` of all ranks' rows as it lies in this rank's vectors; empty if it is another's. */
static tsl_piece own_piece(const tsl_cg_vectors *v, int number)
{
    const tsl_piece all = tsl_piece_of(v->rows.all, number);
    if (all.from < v->rows.first || all.to > v->rows.first + v->n) {
        return (tsl_piece){0, 0};
    }
    return (tsl_piece){all.from - v->rows.first, all.to - v->rows.first};
}

static tsl_status cpu_begin(tsl_context *context, const tsl_cg_vectors *v)
{
    double *rho = tsl_cg_rho(v, 0);
#pragma omp parallel for num_threads(tsl_threads_for(context, v->n)) schedule(static)
    for (int number = 0; number < TSL_CG_PARTIALS; number++) {
        const tsl_piece own = own_piece(v, number);
        for (int64_t i = own.from; i < own.to; i++) {
            v->z[i] = 0;
            v->r[i] = v->x[i];
            v->p[i] = v->x[i];
        }
        rho[number] = tsl_piece_dot(own, v->x, v->x);
    }
    return TSL_OK;
}

static tsl_status cpu_product(tsl_context *context, const tsl_cg_vectors *v)
{
    double *product = tsl_cg_product(v);
#pragma omp parallel for num_threads(tsl_threads_for(context, v->n)) schedule(static)
    for (int number = 0; number < TSL_CG_PARTIALS; number++) {
        product[number] = tsl_piece_dot(own_piece(v, number), v->p, v->q);
    }
    return TSL_OK;
}

static tsl_status cpu_advance(tsl_context *context, const tsl_cg_vectors *v, int inner)
{
    const double alpha = add_up(tsl_cg_rho(v, inner)) / add_up(tsl_cg_product(v));
    double *const after = tsl_cg_rho(v, inner + 1);
#pragma omp parallel for num_threads(tsl_threads_for(context, v->n)) schedule(static)
    for (int number = 0; number < TSL_CG_PARTIALS; number++) {
        const tsl_piece own = own_piece(v, number);
        for (int64_t i = own.from; i < own.to; i++) {
            v->z[i] += alpha * v->p[i];
            v->r[i] -= alpha * v->q[i];
        }
        after[number] = tsl_piece_dot(own, v->r, v->r);
    }
    return TSL_OK;
}

static tsl_status cpu_turn(tsl_context *context, const tsl_cg_vectors *v, int inner)
{
    const double beta = add_up(tsl_cg_rho(v, inner + 1)) / add_up(tsl_cg_rho(v, inner));
#pragma omp parallel for num_threads(tsl_threads_for(context, v->n)) schedule(static)
    for (int64_t i = 0; i < v->n; i++) {
        v->p[i] = v->r[i] + beta * v->p[i];
    }
    return TSL_OK;
}

static tsl_status cpu_sum_norms(tsl_context *context, const tsl_cg_vectors *v)
{
    double *const off = v->partial;
    double *const xz = v->partial + TSL_CG_PARTIALS;
    double *const zz = v->partial + 2 * TSL_CG_PARTIALS;
#pragma omp parallel for num_threads(tsl_threads_for(context, v->n)) schedule(static)
    for (int number = 0; number < TSL_CG_PARTIALS; number++) {
        const tsl_piece own = own_piece(v, number);
        for (int64_t i = own.from; i < own.to; i++) {
            v->r[i] = v->x[i] - v->r[i];
        }
        off[number] = tsl_piece_dot(own, v->r, v->r);
        xz[number] = tsl_piece_dot(own, v->x, v->z);
        zz[number] = tsl_piece_dot(own, v->z, v->z);
    }
    return TSL_OK;
}

static tsl_status cpu_normalise(tsl_context *context, const tsl_cg_vectors *v)
{
    const double scale = 1 / sqrt(add_up(v->partial + 2 * TSL_CG_PARTIALS));
#pragma omp parallel for num_threads(tsl_threads_for(context, v->n)) schedule(static)
    for (int64_t i = 0; i < v->n; i++) {
        v->x[i] = scale * v->z[i];
    }
    v->norms[0] = sqrt(add_up(v->partial));
    v->norms[1] = add_up(v->partial + TSL_CG_PARTIALS);
    return TSL_OK;
}

const tsl_cg_ops tsl_cg_cpu = {.ones = cpu_ones,
                               .begin = cpu_begin,
                               .product = cpu_product,
                               .advance = cpu_advance,
                               .turn = cpu_turn,
                               .sum_norms = cpu_sum_norms,
                               .normalise = cpu_normalise};
