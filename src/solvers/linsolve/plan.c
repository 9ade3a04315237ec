/* Plans: options, tables, memory. */
#include <math.h>

#include "core/profile.h"
#include "device/device.h"
#include "solvers/linsolve/linsolve.h"
#include "solvers/linsolve/ranges.h"

static const tsl_linsolve_options defaults = TSL_LINSOLVE_OPTIONS_INIT;

static const tsl_linsolve_method_entry methods[] = {
    [TSL_LINSOLVE_CG] = {"cg", true, false, true, false, TSL_CG_VECTORS, tsl_run_cg},
    [TSL_LINSOLVE_CG_SINGLE_REDUCTION] = {"cg-single", true, true, true, false,
                                          TSL_CG_SINGLE_VECTORS, tsl_run_cg_single},
    [TSL_LINSOLVE_CG_PIPELINED] = {"cg-pipelined", true, true, true, true, TSL_CG_PIPELINED_VECTORS,
                                   tsl_run_cg_pipelined},
    [TSL_LINSOLVE_BICGSTAB] = {"bicgstab", false, true, true, false, TSL_BICGSTAB_VECTORS,
                               tsl_run_bicgstab},
    [TSL_LINSOLVE_GMRES] = {"gmres", false, false, false, true, TSL_GMRES_VECTORS, tsl_run_gmres},
    [TSL_LINSOLVE_DIRECT] = {"direct", false, false, true, false, TSL_DIRECT_VECTORS,
                             tsl_run_direct},
};

static const tsl_preconditioner_entry preconditioners[] = {
    [TSL_LINSOLVE_NONE] = {"none", false, true, NULL},
    [TSL_LINSOLVE_JACOBI] = {"jacobi", false, true, tsl_make_jacobi},
    [TSL_LINSOLVE_BLOCK_JACOBI] = {"block-jacobi", false, false, tsl_make_block_jacobi},
    [TSL_LINSOLVE_IC0] = {"ic0", true, false, tsl_make_incomplete},
    [TSL_LINSOLVE_ILU0] = {"ilu0", false, false, tsl_make_incomplete},
    [TSL_LINSOLVE_CHEBYSHEV] = {"chebyshev", true, true, tsl_make_chebyshev},
    [TSL_LINSOLVE_MULTIGRID] = {"multigrid", true, false, tsl_make_multigrid},
};

enum {
    METHODS = sizeof methods / sizeof *methods,
    PRECONDITIONERS = sizeof preconditioners / sizeof *preconditioners
};

const tsl_linsolve_method_entry *tsl_linsolve_method_of(const tsl_linsolve_plan *plan)
{
    return &methods[plan->options.method];
}

const char *tsl_linsolve_method_name(tsl_linsolve_method method)
{
    return (unsigned)method < METHODS ? methods[method].name : NULL;
}

const char *tsl_linsolve_preconditioner_name(tsl_linsolve_preconditioner preconditioner)
{
    return (unsigned)preconditioner < PRECONDITIONERS ? preconditioners[preconditioner].name : NULL;
}

/* ---- checks --------------------------------------------------------------------------------- */

static tsl_status check_options(tsl_context *context, const tsl_linsolve_options *o)
{
    if (o->size != sizeof *o) {
        return tsl_fail(context, TSL_E_ARG,
                        "solver options: size is %zu, not %zu: initialise them with "
                        "TSL_LINSOLVE_OPTIONS_INIT",
                        o->size, sizeof *o);
    }
    const struct {
        const char *name;
        double value, least, most;
    } ranges[] = {{"method", (int)o->method, 0, METHODS - 1},
                  {"preconditioner", (int)o->preconditioner, 0, PRECONDITIONERS - 1},
                  {"tolerance", o->tolerance, TSL_LINSOLVE_TOLERANCE_RANGE},
                  {"absolute", o->absolute, TSL_LINSOLVE_ABSOLUTE_RANGE},
                  {"max_iterations", (double)o->max_iterations, 0, 9e18},
                  {"restart", o->restart, TSL_LINSOLVE_RESTART_RANGE},
                  {"block", o->block, TSL_LINSOLVE_BLOCK_RANGE},
                  {"degree", o->degree, TSL_LINSOLVE_DEGREE_RANGE},
                  {"smoother", (int)o->smoother, 0, TSL_LINSOLVE_SMOOTH_CHEBYSHEV},
                  {"strength", o->strength, TSL_LINSOLVE_STRENGTH_RANGE},
                  {"coarse_rows", (double)o->coarse_rows, TSL_LINSOLVE_COARSE_ROWS_RANGE},
                  {"deterministic", o->deterministic, 0, 1}};
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        if (!(ranges[i].value >= ranges[i].least && ranges[i].value <= ranges[i].most)) {
            return tsl_fail(context, TSL_E_ARG, "%s is %g: give %g to %g", ranges[i].name,
                            ranges[i].value, ranges[i].least, ranges[i].most);
        }
    }
    const double ratio[] = {TSL_LINSOLVE_EIGENVALUE_RATIO_RANGE};
    if (o->eigenvalue_ratio != 0 &&
        !(o->eigenvalue_ratio > ratio[0] && o->eigenvalue_ratio <= ratio[1])) {
        return tsl_fail(context, TSL_E_ARG,
                        "eigenvalue_ratio is %g: give more than %g, up to %g, or 0",
                        o->eigenvalue_ratio, ratio[0], ratio[1]);
    }
    return TSL_OK;
}

/* Who asks for a symmetric positive definite matrix; NULL: nobody. */
static const char *asks_for_symmetry(const tsl_linsolve_options *o)
{
    return methods[o->method].symmetric                   ? methods[o->method].name
           : o->method == TSL_LINSOLVE_DIRECT             ? NULL
           : preconditioners[o->preconditioner].symmetric ? preconditioners[o->preconditioner].name
                                                          : NULL;
}

static tsl_status check_symmetry(const tsl_sparse_matrix *matrix, const char *who)
{
    const tsl_sparse_description *d = &matrix->description;
    if (!d->symmetric) {
        const int64_t i = d->unsymmetric_row - matrix->index_base;
        const int64_t j = d->unsymmetric_column - matrix->index_base;
        const double *here = tsl_csr_at(&matrix->csr, i, j);
        const double *mirror = tsl_csr_at(&matrix->csr, j, i);
        return tsl_fail(matrix->context, TSL_E_ARG,
                        "the matrix is not symmetric: a(%lld, %lld) is %.12g, a(%lld, %lld) is "
                        "%.12g; %s needs a symmetric one: use gmres or bicgstab with %s",
                        (long long)d->unsymmetric_row, (long long)d->unsymmetric_column,
                        here != NULL ? *here : 0, (long long)d->unsymmetric_column,
                        (long long)d->unsymmetric_row, mirror != NULL ? *mirror : 0, who,
                        d->zero_diagonals > 0 ? "none or block-jacobi" : "jacobi or ilu0");
    }
    if (d->zero_diagonals > 0 || d->negative_diagonals > 0) {
        const bool negative = d->negative_diagonals > 0;
        return tsl_fail(matrix->context, TSL_E_ARG,
                        "row %lld has a %s on the diagonal: the matrix is not positive definite, "
                        "as %s needs it: use gmres or bicgstab",
                        (long long)(negative ? d->first_negative_diagonal : d->first_zero_diagonal),
                        negative ? "negative number" : "zero", who);
    }
    if (d->indefinite_row >= 0) {
        const int64_t i = d->indefinite_row - matrix->index_base;
        const int64_t j = d->indefinite_column - matrix->index_base;
        const long long row = d->indefinite_row, column = d->indefinite_column;
        return tsl_fail(matrix->context, TSL_E_ARG,
                        "a(%lld, %lld) is %.12g, its square more than %.12g times %.12g, a(%lld, "
                        "%lld) and a(%lld, %lld): the matrix is indefinite, %s needs a positive "
                        "definite one: use gmres or bicgstab",
                        row, column, *tsl_csr_at(&matrix->csr, i, j),
                        *tsl_csr_at(&matrix->csr, i, i), *tsl_csr_at(&matrix->csr, j, j), row, row,
                        column, column, who);
    }
    return TSL_OK;
}

static tsl_status check_matrix(const tsl_sparse_matrix *matrix, const tsl_linsolve_options *o)
{
    const tsl_sparse_description *d = &matrix->description;
    if (d->rows != d->columns) {
        return tsl_fail(matrix->context, TSL_E_ARG,
                        "the matrix has %lld rows and %lld columns: only square systems are solved",
                        (long long)d->rows, (long long)d->columns);
    }
    const char *who = asks_for_symmetry(o);
    return who != NULL ? check_symmetry(matrix, who) : TSL_OK;
}

/* ---- making --------------------------------------------------------------------------------- */

void tsl_linsolve_plan_destroy(tsl_linsolve_plan *plan)
{
    if (plan == NULL) {
        return;
    }
    if (plan->m.destroy != NULL) {
        plan->m.destroy(plan->m.self);
    }
    tsl_layout_free(&plan->operator_layout);
    tsl_halo_free(&plan->halo);
    tsl_release(plan->inverse_diagonal);
    tsl_vectors_release(plan->context, plan->diagonal);
    tsl_vectors_release(plan->context, plan->memory);
    tsl_vectors_release(plan->context, plan->sums);
    tsl_vectors_release(plan->context, plan->scalars);
    tsl_release(plan->method_memory);
    tsl_release(plan);
}

static tsl_linsolve_plan *begin_plan(tsl_context *context, const tsl_linsolve_options *options,
                                     int64_t rows)
{
    tsl_linsolve_plan *plan = tsl_allocate_zeroed(1, sizeof *plan);
    if (plan != NULL) {
        plan->context = context;
        plan->options = *options;
        plan->rows = rows;
    }
    return plan;
}

static bool runs_ahead(const tsl_linsolve_plan *plan)
{
    return plan->context->ops->fused != NULL && plan->matrix != NULL &&
           plan->options.method == TSL_LINSOLVE_CG;
}

static tsl_status take_vectors(tsl_linsolve_plan *plan)
{
    const bool gmres = plan->options.method == TSL_LINSOLVE_GMRES;
    const tsl_linsolve_method_entry *method = &methods[plan->options.method];
    /* M r in single precision, which CG alone takes, is M's */
    const bool spared = plan->options.method == TSL_LINSOLVE_CG && plan->m.apply_single != NULL;
    plan->vector_count =
        1 + method->vectors + 1 + method->leaves_x + (gmres ? plan->options.restart : 0) - spared;
    void *memory = NULL;
    tsl_status status =
        tsl_vectors_take(&memory, plan->context, plan->vector_count, (plan->rows + 7) / 8 * 8,
                         sizeof *plan->memory, "the vectors of a solver");
    plan->memory = memory;
    if (status == TSL_OK) {
        const int basis = gmres ? plan->options.restart + 1 : 0;
        status = tsl_sums_take(&plan->sums, plan->context,
                               basis > TSL_MOST_DOTS ? basis : TSL_MOST_DOTS);
    }
    if (status == TSL_OK && runs_ahead(plan)) {
        void *scalars = NULL;
        status = tsl_vectors_take(&scalars, plan->context, 1, tsl_cg_ahead_scalars(),
                                  sizeof *plan->scalars, "the scalars of a solver");
        plan->scalars = scalars;
    }
    if (status == TSL_OK && gmres) {
        const int64_t more = tsl_gmres_bytes(plan->options.restart);
        plan->method_memory = tsl_allocate((size_t)more);
        return plan->method_memory != NULL
                   ? TSL_OK
                   : tsl_fail_memory(plan->context, more, "the triangle of GMRES");
    }
    return status;
}

/* Do rows differ so much that the norm of b - A x says nothing of most of them? */
static bool is_badly_scaled(const tsl_linsolve_plan *plan)
{
    static const double far_apart = 1e12;
    double least = INFINITY;
    double most = 0;
    if (plan->options.method != TSL_LINSOLVE_CG || plan->m.diagonal == NULL) {
        return false;
    }
    for (int64_t i = 0; i < plan->rows; i++) {
        least = fmin(least, plan->inverse_diagonal[i]);
        most = fmax(most, plan->inverse_diagonal[i]);
    }
    return least > 0 && most / far_apart > least;
}

/* What matrices and operators have in common. */
static tsl_status finish(tsl_linsolve_plan *plan, double begun)
{
    const tsl_preconditioner_entry *entry = &preconditioners[plan->options.preconditioner];
    const bool direct = plan->options.method == TSL_LINSOLVE_DIRECT;
    tsl_status status = direct                ? tsl_make_direct(plan)
                        : entry->make != NULL ? entry->make(plan)
                                              : TSL_OK;
    if (status == TSL_OK) {
        plan->badly_scaled = is_badly_scaled(plan);
        status = take_vectors(plan);
    }
    tsl_release(plan->inverse_diagonal);
    plan->inverse_diagonal = NULL;
    plan->report.setup_seconds = tsl_seconds() - begun;
    tsl_profile_add(plan->context, "set-up", begun, 0, 0);
    return status;
}

/* A rank's own part, without the others; what it made is released by whoever calls. */
static tsl_status make_plan(tsl_linsolve_plan **out, tsl_sparse_matrix *matrix,
                            const tsl_linsolve_options *o)
{
    tsl_context *context = matrix->context;
    const double begun = tsl_seconds();
    tsl_status status = check_options(context, o);
    if (status == TSL_OK) {
        status = check_matrix(matrix, o);
    }
    if (status != TSL_OK) {
        return status;
    }
    tsl_linsolve_plan *plan = begin_plan(context, o, matrix->csr.rows);
    if (plan == NULL) {
        return tsl_fail_memory(context, (int64_t)sizeof *plan, "a solver");
    }
    *out = plan;
    plan->matrix = matrix;
    plan->layout = &matrix->layout;
    status = tsl_halo_make(&plan->halo, context, &matrix->csr, &matrix->layout, &matrix->layout);
    return status == TSL_OK ? finish(plan, begun) : status;
}

tsl_status tsl_linsolve_plan_create(tsl_linsolve_plan **out, tsl_sparse_matrix *matrix,
                                    const tsl_linsolve_options *options)
{
    tsl_linsolve_plan *plan = NULL;
    tsl_status status = make_plan(&plan, matrix, options != NULL ? options : &defaults);
    status = tsl_comm_agree(matrix->context, status);
    if (status == TSL_OK && plan->m.agree != NULL) {
        status = plan->m.agree(plan);
    }
    if (status != TSL_OK) {
        tsl_linsolve_plan_destroy(plan);
        return status;
    }
    plan->options.near_null = NULL; /* the caller's, no longer needed */
    *out = plan;
    return TSL_OK;
}

static tsl_status check_operator(tsl_context *context, int64_t rows, tsl_linsolve_operator apply,
                                 const double *diagonal, const tsl_linsolve_options *o)
{
    const tsl_status status = check_options(context, o);
    if (status != TSL_OK) {
        return status;
    }
    if (rows < 1 || rows > INT32_MAX || apply == NULL) {
        return tsl_fail(context, TSL_E_ARG,
                        "an operator of %lld rows%s: give 1 to %d rows and a "
                        "function",
                        (long long)rows, apply == NULL ? " without a function" : "", INT32_MAX);
    }
    const tsl_preconditioner_entry *m = &preconditioners[o->preconditioner];
    if (!m->operators || (diagonal == NULL && o->preconditioner != TSL_LINSOLVE_NONE)) {
        return tsl_fail(context, TSL_E_ARG,
                        "%s needs a matrix%s: an operator takes none or, with its diagonal, jacobi "
                        "or chebyshev",
                        m->name, m->operators ? " or the operator's diagonal" : "");
    }
    for (int64_t i = 0; diagonal != NULL && i < rows; i++) {
        const bool definite = asks_for_symmetry(o) != NULL;
        if (!(definite ? diagonal[i] > 0 && diagonal[i] <= 1e300 : diagonal[i] * 0 == 0)) {
            return tsl_fail(context, TSL_E_ARG,
                            "row %lld of the operator has %g on the diagonal: "
                            "give %s",
                            (long long)i, diagonal[i],
                            definite ? "numbers above 0" : "finite numbers");
        }
    }
    if (tsl_comm_size(context->comm) > 1) {
        return tsl_fail(context, TSL_E_UNSUPPORTED,
                        "an operator on %d ranks: solve with it on a "
                        "context of its own, or give a matrix",
                        tsl_comm_size(context->comm));
    }
    return tsl_sparse_check_device(context, TSL_OK);
}

tsl_status tsl_linsolve_plan_create_operator(tsl_linsolve_plan **out, tsl_context *context,
                                             int64_t rows, tsl_linsolve_operator apply, void *user,
                                             const double *diagonal,
                                             const tsl_linsolve_options *options)
{
    const tsl_linsolve_options *o = options != NULL ? options : &defaults;
    const double begun = tsl_seconds();
    tsl_status status = check_operator(context, rows, apply, diagonal, o);
    if (status != TSL_OK) {
        return status;
    }
    tsl_linsolve_plan *plan = begin_plan(context, o, rows);
    if (plan == NULL) {
        return tsl_fail_memory(context, (int64_t)sizeof *plan, "a solver");
    }
    plan->apply = apply;
    plan->user = user;
    plan->layout = &plan->operator_layout;
    status = tsl_layout_make(&plan->operator_layout, context, rows, NULL, false);
    if (status == TSL_OK && diagonal != NULL) {
        plan->inverse_diagonal = tsl_allocate((size_t)rows * sizeof *diagonal);
        status = plan->inverse_diagonal != NULL ? TSL_OK
                                                : tsl_fail_memory(context, 8 * rows, "a diagonal");
        for (int64_t i = 0; status == TSL_OK && i < rows; i++) {
            plan->inverse_diagonal[i] = 1 / diagonal[i];
        }
    }
    if (status == TSL_OK) {
        status = finish(plan, begun);
    }
    if (status != TSL_OK) {
        tsl_linsolve_plan_destroy(plan);
        return status;
    }
    *out = plan;
    return TSL_OK;
}
