/* Making the levels of smoothed aggregation. Every rank makes all of them. */
#include "solvers/linsolve/multigrid/multigrid.h"

#include <limits.h>
#include <math.h>

#include "core/context.h"
#include "core/profile.h"
#include "device/device.h"
#include "solvers/linsolve/ranges.h"

static void free_level(tsl_context *context, tsl_level *v)
{
    tsl_csr_free(&v->own);
    tsl_release(v->aggregate);
    tsl_release(v->weight);
    tsl_csr_free(&v->p);
    tsl_csr_free(&v->r);
    tsl_layout_free(&v->own_layout);
    tsl_form *const forms[] = {&v->form, &v->form_p, &v->form_r};
    tsl_halo *const halos[] = {&v->halo, &v->halo_p, &v->halo_r};
    for (int i = 0; i < 3; i++) {
        tsl_form_free(forms[i]);
        tsl_halo_free(halos[i]);
    }
    void *const vectors[] = {v->inverse_diagonal, v->b, v->x[0], v->x[1]};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors && !v->pooled; i++) {
        tsl_vectors_release(context, vectors[i]);
    }
}

static void free_levels(tsl_multigrid *mg)
{
    for (int l = 0; l < mg->levels; l++) {
        free_level(mg->context, &mg->level[l]);
        mg->level[l] = (tsl_level){.rows = 0};
    }
    mg->levels = 0;
    mg->solved = false;
    tsl_form_free(&mg->inverse);
    tsl_space_free(&mg->kept);
}

static void destroy(void *self)
{
    tsl_multigrid *mg = self;
    mg->context->ops->forget(mg->cycle);
    free_levels(mg);
    tsl_release(mg->factor);
    tsl_release(mg->dense);
    tsl_release(mg->near_null);
    tsl_vectors_release(mg->context, mg->sums);
    tsl_release(mg);
}

/* What is worked with while a level is made. */
typedef struct making {
    tsl_multigrid *mg;
    const tsl_linsolve_options *options;
    bool may_round;          /* the cycle, to single precision */
    double *inverse;         /* [rows of the finest]: 1 / diagonal */
    const double *near_null; /* of the level; NULL: ones */
    double *norms;           /* of the level, where that is its near-null vector; else NULL */
} making;

static void free_making(making *k)
{
    tsl_release(k->inverse);
    tsl_release(k->norms);
}

enum {
    MOST_NEAR_NULL = 400, /* powers of two that near_null's numbers may be away from 1 */
    MOST_APART = 480      /* powers of two that they may be below the largest: their squares are
                             to be summed */
};

/* near_null's numbers, their largest power of two to be 1 where they are so large or small that
 * squares would not be had: *scaled, to be released, or NULL. The preconditioner is the same. */
static tsl_status settle_near_null(double **scaled, tsl_linsolve_plan *plan)
{
    const double *near_null = plan->options.near_null;
    int least = INT_MAX;
    int most = INT_MIN;
    for (int64_t i = 0; i < plan->rows && near_null != NULL; i++) {
        if (!isfinite(near_null[i]) || near_null[i] == 0) {
            return tsl_fail(plan->context, TSL_E_ARG,
                            "near_null has %g in row %lld: give finite numbers other than 0",
                            near_null[i], (long long)i + plan->matrix->index_base);
        }
        const int power = ilogb(near_null[i]);
        least = power < least ? power : least;
        most = power > most ? power : most;
    }
    if (near_null == NULL || (least >= -MOST_NEAR_NULL && most <= MOST_NEAR_NULL)) {
        return TSL_OK;
    }
    if (most - least > MOST_APART) {
        return tsl_fail(plan->context, TSL_E_ARG,
                        "near_null has numbers from 2^%d to 2^%d: give such as are at most 2^%d "
                        "apart",
                        least, most, MOST_APART);
    }
    *scaled = tsl_allocate((size_t)plan->rows * sizeof **scaled);
    if (*scaled == NULL) {
        return tsl_fail_memory(plan->context, 8 * plan->rows, "a vector near to the null space");
    }
    for (int64_t i = 0; i < plan->rows; i++) {
        (*scaled)[i] = ldexp(near_null[i], -most);
    }
    plan->options.near_null = *scaled;
    return TSL_OK;
}

static tsl_status begin_making(making *k, int64_t rows)
{
    k->near_null = k->options->near_null;
    k->inverse = tsl_allocate((size_t)rows * sizeof *k->inverse);
    return k->inverse != NULL
               ? TSL_OK
               : tsl_fail_memory(k->mg->context, 8 * rows, "making multigrid's levels");
}

/* ---- a level as the cycle uses it --------------------------------------------------------------
 */

tsl_status tsl_fail_diagonal(tsl_context *context, int64_t row, double diagonal)
{
    return tsl_fail(context, TSL_E_ARG,
                    "multigrid: row %lld of a level has %g on the diagonal: the matrix is %s: use "
                    "gmres with ilu0",
                    (long long)row, diagonal,
                    diagonal > 0 ? "too near to singular" : "not positive definite");
}

tsl_matrix_facts tsl_matrix_look_at(double *inverse, const tsl_csr *m, int threads)
{
    int64_t bandwidth = 0;
    int64_t wrong = m->rows;
    double least = INFINITY;
    double most = 0;
    double row_sum = 0;
#pragma omp parallel for num_threads(threads) schedule(static)                                     \
    reduction(max                                                                                  \
              : bandwidth, most, row_sum) reduction(min                                            \
                                                    : wrong, least)
    for (int64_t i = 0; i < m->rows; i++) {
        double diagonal = 0;
        double sum = 0;
        for (int64_t k = m->row_start[i]; k < m->row_start[i + 1]; k++) {
            const int64_t far = m->column[k] > i ? m->column[k] - i : i - m->column[k];
            bandwidth = far > bandwidth ? far : bandwidth;
            diagonal = far == 0 ? m->value[k] : diagonal;
            sum += fabs(m->value[k]);
        }
        inverse[i] = 1 / diagonal;
        sum *= inverse[i];
        wrong = !(inverse[i] > 0 && isfinite(inverse[i])) && i < wrong ? i : wrong;
        least = inverse[i] < least ? inverse[i] : least;
        most = inverse[i] > most ? inverse[i] : most;
        row_sum = sum > row_sum ? sum : row_sum;
    }
    return (tsl_matrix_facts){bandwidth, wrong, least, most, row_sum};
}

static tsl_status take_vector(void **out, const tsl_multigrid *mg, const tsl_level *v)
{
    return tsl_vectors_take(out, mg->context, 1, v->rows + TSL_SLICE_ROWS, mg->bytes,
                            "the vectors of multigrid");
}

void tsl_level_begin_smoother(const tsl_multigrid *mg, tsl_level *v, const tsl_linsolve_options *o)
{
    const bool jacobi = o->smoother == TSL_LINSOLVE_SMOOTH_JACOBI;
    v->smoother = (tsl_smoother){
        .layout = v->layout,
        .bytes = mg->bytes,
        .product = tsl_product(NULL, &v->form, &v->halo, NULL),
        .inverse_diagonal = v->inverse_diagonal,
        .degree = jacobi ? 2 : o->degree,
        /* near two steps of Jacobi damped by 4 / (3 largest), of which one is that of P */
        .ratio = jacobi                            ? 2
                 : o->eigenvalue_ratio > 0         ? o->eigenvalue_ratio
                 : o->degree < TSL_SMOOTHER_DEGREE ? TSL_SMOOTHER_LOW_RATIO
                                                   : TSL_SMOOTHER_RATIO};
}

static tsl_status make_smoother(making *k, tsl_level *v, double row_sum)
{
    tsl_multigrid *mg = k->mg;
    tsl_status status = take_vector(&v->inverse_diagonal, mg, v);
    tsl_level_begin_smoother(mg, v, k->options);
    const tsl_operand a = {.rows = v->matrix->rows,
                           .matrix = v->matrix,
                           .row_sum = row_sum,
                           .inverse_diagonal = k->inverse};
    if (status == TSL_OK) {
        status = tsl_vector_put(mg->context, v->inverse_diagonal, 1 / mg->scale, k->inverse,
                                v->matrix->rows, mg->bytes);
    }
    return status == TSL_OK ? tsl_largest_eigenvalue(&v->smoother.largest, mg->context, &a)
                            : status;
}

/* What the next level is made with. */
static tsl_status make_level(making *k, tsl_level *v, const tsl_layout *layout)
{
    tsl_multigrid *mg = k->mg;
    const bool finest = v == &mg->level[0];
    v->rows = v->matrix->rows;
    v->nonzeros = tsl_csr_nonzeros(v->matrix);
    const tsl_matrix_facts facts = tsl_matrix_look_at(
        k->inverse, v->matrix, tsl_threads_for(mg->context, tsl_csr_nonzeros(v->matrix)));
    v->bandwidth = facts.bandwidth;
    tsl_status status = TSL_OK;
    if (facts.wrong < v->rows) {
        const double *d = tsl_csr_at(v->matrix, facts.wrong, facts.wrong);
        status = tsl_fail_diagonal(mg->context, facts.wrong, d != NULL ? *d : 0);
    }
    if (status == TSL_OK && finest) {
        /* can numbers as far apart as the diagonal's be had in single precision? */
        const bool single = k->may_round && facts.least > 1e-10 * facts.most;
        mg->bytes = single ? 4 : 8;
        mg->scale = single ? ldexp(1, ilogb(k->inverse[0])) : 1;
    }
    v->layout = layout;
    if (status == TSL_OK && layout == NULL) {
        status = tsl_level_lay_out(mg, v, v->matrix->row_start);
    }
    return status == TSL_OK ? make_smoother(k, v, facts.row_sum) : status;
}

/* What the cycle needs beside: last, in memory that making the levels has given back. `wide`: the
 * matrix's form in double precision; NULL: there is none. */
static tsl_status equip_level(const tsl_multigrid *mg, tsl_level *v, const tsl_form *wide)
{
    tsl_status status =
        wide != NULL && mg->bytes == 4
            ? tsl_form_narrow(&v->form, mg->context, wide, mg->scale)
            : tsl_form_make(&v->form, mg->context, v->matrix, v->layout, mg->bytes, mg->scale);
    if (status == TSL_OK) {
        status = tsl_halo_make(&v->halo, mg->context, v->matrix, v->layout, v->layout);
    }
    if (v->form.gpu == NULL) {
        v->smoother.reach = v->bandwidth;
    }
    void **const all[] = {&v->b, &v->x[0], &v->x[1]};
    for (size_t i = 0; i < sizeof all / sizeof *all && status == TSL_OK; i++) {
        status = take_vector(all[i], mg, v);
    }
    return status;
}

/* ---- from a level to the next
 * ---------------------------------------------------------------------- */

/* A matrix between levels in the form that the cycle uses. */
static tsl_status make_way(tsl_form *form, const tsl_multigrid *mg, const tsl_csr *m,
                           const tsl_layout *rows)
{
    const double begun = tsl_seconds();
    const tsl_status status = tsl_form_make(form, mg->context, m, rows, mg->bytes, 1);
    tsl_profile_add(mg->context, "forms", begun, form->product_bytes, 0);
    return status;
}

/* T and T^T as matrices for a GPU or, where there are other ranks, for what these send each other;
 * else only what the CPU's forms are made of. */
static tsl_status make_ways(const tsl_multigrid *mg, tsl_level *v, const tsl_prolongation *from)
{
    tsl_context *context = mg->context;
    const bool on_gpu = context->ops->fused != NULL;
    const double begun = tsl_seconds();
    tsl_status status = TSL_OK;
    if (on_gpu || v->layout->ranks > 1) {
        status = tsl_tentative(&v->p, context, from);
    }
    if (status == TSL_OK) {
        status = on_gpu ? tsl_csr_transpose(&v->r, context, &v->p)
                        : tsl_members_make(&v->r, context, from->aggregate, v->rows, from->count);
    }
    if (status == TSL_OK && !on_gpu) {
        status = tsl_tentative_weight(&v->weight, context, from, mg->bytes);
        v->form_p = tsl_form_of_aggregates(v->aggregate, v->weight, mg->bytes);
        v->form_r = tsl_form_of_members(&v->r, v->weight, mg->bytes);
    }
    tsl_profile_add(context, "prolongators", begun, 4 * v->rows, 0);
    return status == TSL_OK && on_gpu ? make_way(&v->form_p, mg, &v->p, v->layout) : status;
}

/* T, its transpose and the next level's matrix. */
static tsl_status make_products(const tsl_multigrid *mg, tsl_level *v, tsl_level *next,
                                const tsl_prolongation *from)
{
    tsl_status status = make_ways(mg, v, from);
    if (status == TSL_OK) {
        const double begun = tsl_seconds();
        next->matrix = &next->own;
        const tsl_coarsening c = {from, &v->r};
        status = tsl_galerkin(&next->own, mg->context, &c);
        tsl_profile_add(mg->context, "coarse matrices", begun, 0, 0);
    }
    return status;
}

/* The next level's matrix and the products that lead there and back. False in *made where rows
 * hardly join, so that there is nothing to gain. */
static tsl_status coarsen(making *k, tsl_level *v, tsl_level *next, int l, bool *made)
{
    tsl_context *context = k->mg->context;
    const int64_t rows = v->matrix->rows;
    const tsl_graph g = {v->matrix, k->inverse, ldexp(k->options->strength, -l), v->bandwidth};
    int64_t count = 0;
    const double begun = tsl_seconds();
    v->aggregate = tsl_allocate((size_t)rows * sizeof *v->aggregate);
    if (v->aggregate == NULL) {
        return tsl_fail_memory(context, 4 * rows, "making multigrid's levels");
    }
    tsl_status status = tsl_aggregate(v->aggregate, &count, context, &g);
    tsl_profile_add(context, "aggregates", begun, 12 * tsl_csr_nonzeros(v->matrix), 0);
    *made = status == TSL_OK && count > 0 && 10 * count < 9 * rows;
    if (!*made) {
        tsl_release(v->aggregate);
        v->aggregate = NULL;
        return status;
    }
    double *norms = NULL;
    if (k->near_null != NULL) {
        norms = tsl_allocate((size_t)count * sizeof *norms);
        if (norms == NULL) {
            return tsl_fail_memory(context, 8 * count, "making multigrid's levels");
        }
        tsl_aggregate_norms(norms, k->near_null, v->aggregate, rows, count);
    }
    const tsl_prolongation from = {&g,           v->aggregate, count,
                                   k->near_null, norms,        4 / (3 * v->smoother.largest)};
    status = make_products(k->mg, v, next, &from);
    tsl_release(k->norms);
    k->norms = norms;
    k->near_null = norms;
    return status;
}

/* What is left of the ways between two levels, once the next level's layout is known. */
static tsl_status connect(const tsl_multigrid *mg, tsl_level *v, const tsl_level *next)
{
    tsl_status status = tsl_halo_make(&v->halo_p, mg->context, &v->p, v->layout, next->layout);
    if (status == TSL_OK) {
        status = tsl_halo_make(&v->halo_r, mg->context, &v->r, next->layout, v->layout);
    }
    tsl_csr_free(&v->p);
    if (status == TSL_OK && mg->context->ops->fused != NULL) {
        status = make_way(&v->form_r, mg, &v->r, next->layout);
        tsl_csr_free(&v->r); /* the device has it */
        tsl_release(v->aggregate);
        v->aggregate = NULL;
    }
    return status;
}

static tsl_status make_levels(making *k, const tsl_linsolve_plan *plan)
{
    tsl_multigrid *mg = k->mg;
    mg->level[0].matrix = &plan->matrix->csr;
    mg->levels = 1;
    tsl_status status = make_level(k, &mg->level[0], plan->layout);
    bool made = true;
    while (status == TSL_OK && made && mg->levels < TSL_LINSOLVE_LEVELS &&
           mg->level[mg->levels - 1].matrix->rows > k->options->coarse_rows) {
        tsl_level *v = &mg->level[mg->levels - 1];
        tsl_level *next = &mg->level[mg->levels];
        status = coarsen(k, v, next, mg->levels - 1, &made);
        if (made) {
            mg->levels++;
        }
        if (status == TSL_OK && made) {
            status = make_level(k, next, NULL);
            status = status == TSL_OK ? connect(mg, v, next) : status;
        }
    }
    return status;
}

/* A GPU solves the coarsest level by a product with its inverse. */
static tsl_status invert_coarsest(tsl_multigrid *mg)
{
    const tsl_level *v = &mg->level[mg->levels - 1];
    tsl_csr inverse;
    tsl_status status = tsl_dense_inverse(&inverse, mg->context, mg->factor, v->matrix->rows);
    if (status == TSL_OK) {
        status =
            tsl_form_make(&mg->inverse, mg->context, &inverse, v->layout, mg->bytes, 1 / mg->scale);
        tsl_csr_free(&inverse);
    }
    return status;
}

static tsl_status make_coarsest(tsl_multigrid *mg)
{
    const tsl_level *v = &mg->level[mg->levels - 1];
    tsl_status status = mg->sums != NULL ? TSL_OK : tsl_sums_take(&mg->sums, mg->context, 1);
    if (status != TSL_OK || mg->solved || v->rows > TSL_DENSE_ROWS) {
        return status; /* it is done, or rows don't join any more: smoothing is all there is */
    }
    mg->dense = tsl_allocate((size_t)v->rows * sizeof *mg->dense);
    status = mg->dense != NULL ? tsl_dense_factor(&mg->factor, mg->context, v->matrix)
                               : tsl_fail_memory(mg->context, 8 * v->rows, "multigrid");
    mg->solved = true;
    if (status == TSL_OK && mg->context->ops->fused != NULL) {
        status = invert_coarsest(mg);
        tsl_release(mg->factor);
        tsl_release(mg->dense);
        mg->factor = NULL;
        mg->dense = NULL;
    }
    return status;
}

static void report_levels(tsl_linsolve_report *report, const tsl_multigrid *mg)
{
    const tsl_level *finest = &mg->level[0];
    report->levels = mg->levels;
    report->grid_complexity = 0;
    report->operator_complexity = 0;
    for (int l = 0; l < mg->levels; l++) {
        const tsl_level *v = &mg->level[l];
        report->level_rows[l] = v->rows;
        report->level_nonzeros[l] = v->nonzeros;
        report->grid_complexity += (double)v->rows / (double)finest->rows;
        report->operator_complexity += (double)v->nonzeros / (double)finest->nonzeros;
    }
}

/* Levels as the host makes them. */
static tsl_status make_on_host(tsl_multigrid *mg, const tsl_linsolve_plan *plan)
{
    making k = {.mg = mg,
                .options = &plan->options,
                .may_round = !tsl_linsolve_method_of(plan)->adds_before};
    tsl_status status = begin_making(&k, plan->rows);
    if (status == TSL_OK) {
        status = make_levels(&k, plan);
    }
    free_making(&k);
    const double begun = tsl_seconds();
    const tsl_form *wide = &plan->matrix->form;
    for (int l = 0; l < mg->levels && status == TSL_OK; l++) {
        status = equip_level(mg, &mg->level[l], l == 0 && wide->gpu == NULL ? wide : NULL);
    }
    tsl_profile_add(plan->context, "forms", begun, 0, 0);
    return status;
}

/* Levels, on the GPU if it makes such and they fit. */
static tsl_status make_all_levels(tsl_multigrid *mg, const tsl_linsolve_plan *plan)
{
    if (mg->context->ops->coarsen == NULL) {
        return make_on_host(mg, plan);
    }
    const char *left = NULL;
    tsl_status status = tsl_setup_on_gpu(&left, mg, plan);
    if (status == TSL_OK && left != NULL) {
        const double begun = tsl_seconds();
        free_levels(mg);
        mg->by_host = true;
        status = make_on_host(mg, plan);
        tsl_profile_add(mg->context, left, begun, 0, 0);
    }
    return status;
}

/* What follows the levels. */
static tsl_status finish(tsl_multigrid *mg, tsl_linsolve_plan *plan)
{
    const double begun = tsl_seconds();
    const tsl_status status = make_coarsest(mg);
    tsl_profile_add(plan->context, "coarsest level", begun, 0, 0);
    plan->m.apply_single = mg->bytes == 4 ? tsl_multigrid_apply_single : NULL;
    report_levels(&plan->report, mg);
    return status;
}

/* Levels that one rank has left to the host are made there by all, or they would differ. */
static tsl_status agree(tsl_linsolve_plan *plan)
{
    tsl_context *context = plan->context;
    tsl_multigrid *mg = plan->m.self;
    const double begun = tsl_seconds();
    bool same = true;
    tsl_status status = tsl_comm_compare(&same, context->comm, mg->by_host);
    if (status != TSL_OK || same) {
        return status;
    }
    if (!mg->by_host) {
        free_levels(mg);
        mg->by_host = true;
        status = make_on_host(mg, plan);
        status = status == TSL_OK ? finish(mg, plan) : status;
        tsl_profile_add(context, "levels made by the host: another rank", begun, 0, 0);
    }
    status = tsl_comm_agree(context, status);
    plan->report.setup_seconds += tsl_seconds() - begun;
    return status;
}

tsl_status tsl_make_multigrid(tsl_linsolve_plan *plan)
{
    tsl_multigrid *mg = tsl_allocate_zeroed(1, sizeof *mg);
    if (mg == NULL) {
        return tsl_fail_memory(plan->context, (int64_t)sizeof *mg, "multigrid");
    }
    mg->context = plan->context;
    plan->m = (tsl_preconditioner){.apply = tsl_multigrid_apply, .destroy = destroy, .self = mg};
    tsl_status status = settle_near_null(&mg->near_null, plan);
    if (status == TSL_OK) {
        status = make_all_levels(mg, plan);
    }
    if (plan->layout->ranks > 1 && mg->context->ops->coarsen != NULL) {
        plan->m.agree = agree;
    }
    if (status == TSL_OK) {
        status = finish(mg, plan);
    }
    if (status != TSL_OK) {
        return status;
    }
    return plan->layout->ranks == 1
               ? mg->context->ops->record(&mg->cycle, mg->context, tsl_multigrid_cycle, mg)
               : TSL_OK;
}
