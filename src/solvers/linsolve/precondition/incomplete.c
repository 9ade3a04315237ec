/* Incomplete factors on the matrix's own pattern: ILU(0). Of a symmetric matrix U is D L^T, so that
 * IC(0) is the same factors with pivots that must be positive. Rows that don't need each other, a
 * level, are done side by side. Every rank does all rows: what they need of each other is a chain.
 */
#include <math.h>
#include <string.h>

#include "core/context.h"
#include "device/device.h"
#include "solvers/linsolve/precondition/incomplete.h"

enum { SHORT = 4096 }; /* rows of a level that are done sooner than threads have met */

static void destroy(void *self)
{
    tsl_incomplete *f = self;
    tsl_incomplete_leave_gpu(f);
    void *const all[] = {f->diagonal, f->inverse, f->down.start, f->down.row,
                         f->up.start, f->up.row,  f->space};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        tsl_release(all[i]);
    }
    tsl_csr_free(&f->lu);
    tsl_release(f);
}

/* ---- order
 * ------------------------------------------------------------------------------------------ */

/* level[i] is one more than that of any row it needs. */
static int64_t find_levels(int32_t *level, const tsl_incomplete *f, bool down)
{
    const int64_t n = f->lu.rows;
    int32_t levels = 0;
    for (int64_t step = 0; step < n; step++) {
        const int64_t i = down ? step : n - 1 - step;
        const tsl_piece needed = tsl_needed_entries(f, i, down);
        int32_t own = 0;
        for (int64_t k = needed.from; k < needed.to; k++) {
            const int32_t other = level[f->lu.column[k]] + 1;
            own = other > own ? other : own;
        }
        level[i] = own;
        levels = own + 1 > levels ? own + 1 : levels;
    }
    return levels;
}

static tsl_status make_schedule(tsl_schedule *s, const tsl_incomplete *f, int32_t *level, bool down)
{
    const int64_t n = f->lu.rows;
    s->levels = find_levels(level, f, down);
    s->start = tsl_allocate_zeroed((size_t)s->levels + 2, sizeof *s->start);
    s->row = tsl_allocate((size_t)n * sizeof *s->row);
    if (s->start == NULL || s->row == NULL) {
        return tsl_fail_memory(f->context, 12 * n, "the order of incomplete factors");
    }
    for (int64_t i = 0; i < n; i++) {
        s->start[level[i] + 2]++;
    }
    for (int64_t l = 0; l <= s->levels; l++) {
        s->start[l + 1] += s->start[l];
    }
    for (int64_t i = 0; i < n; i++) { /* start[l + 1] runs from the level's begin to its end */
        s->row[s->start[level[i] + 1]++] = (int32_t)i;
    }
    return TSL_OK;
}

/* ---- factors
 * ------------------------------------------------------------------------------------------ */

static tsl_status find_diagonals(tsl_incomplete *f, int base)
{
    for (int64_t i = 0; i < f->lu.rows; i++) {
        const double *at = tsl_csr_at(&f->lu, i, i);
        if (at == NULL || *at == 0) {
            return tsl_fail(f->context, TSL_E_ARG,
                            "row %lld has a zero on the diagonal, which ilu0 divides by: use none, "
                            "or direct as the method",
                            (long long)(i + base));
        }
        f->diagonal[i] = at - f->lu.value;
    }
    return TSL_OK;
}

/* Subtract from row i, behind column c of it, `factor` times row c of U; fill-in is dropped. */
static void eliminate(tsl_csr *lu, int64_t to, int64_t to_end, int64_t from, int64_t from_end,
                      double factor)
{
    while (to < to_end && from < from_end) {
        if (lu->column[to] == lu->column[from]) {
            lu->value[to++] -= factor * lu->value[from++];
        } else if (lu->column[to] < lu->column[from]) {
            to++;
        } else {
            from++;
        }
    }
}

static void factor_row(tsl_incomplete *f, int64_t i)
{
    tsl_csr *lu = &f->lu;
    for (int64_t k = lu->row_start[i]; k < f->diagonal[i]; k++) {
        const int64_t c = lu->column[k];
        lu->value[k] *= f->inverse[c];
        eliminate(lu, k + 1, lu->row_start[i + 1], f->diagonal[c] + 1, lu->row_start[c + 1],
                  lu->value[k]);
    }
    f->inverse[i] = 1 / lu->value[f->diagonal[i]];
}

/* Threads for a schedule: one where levels are short, for each ends with all waiting. */
static int threads_for(const tsl_incomplete *f, const tsl_schedule *s)
{
    return f->lu.rows / s->levels >= SHORT ? f->context->threads : 1;
}

static tsl_status factor(tsl_incomplete *f, bool definite, int base)
{
    const tsl_schedule *s = &f->down;
#pragma omp parallel num_threads(threads_for(f, s))
    for (int64_t l = 0; l < s->levels; l++) {
#pragma omp for schedule(static)
        for (int64_t k = s->start[l]; k < s->start[l + 1]; k++) {
            factor_row(f, s->row[k]);
        }
    }
    for (int64_t i = 0; i < f->lu.rows; i++) {
        const double pivot = f->lu.value[f->diagonal[i]];
        if (!isfinite(f->inverse[i]) || !isfinite(pivot) || (definite && !(pivot > 0))) {
            return tsl_fail(f->context, TSL_E_ARG,
                            "%s breaks down in row %lld with a pivot of %g: use %s",
                            definite ? "ic0" : "ilu0", (long long)(i + base), pivot,
                            definite ? "jacobi, chebyshev or multigrid" : "jacobi or block-jacobi");
        }
    }
    return TSL_OK;
}

/* ---- use
 * ------------------------------------------------------------------------------------------------
 */

static double dot_row(const tsl_csr *lu, tsl_piece entries, const double *z)
{
    double sum = 0;
    for (int64_t k = entries.from; k < entries.to; k++) {
        sum += lu->value[k] * z[lu->column[k]];
    }
    return sum;
}

static tsl_status apply(void *self, double *z, const double *r, double norm)
{
    (void)norm;
    const tsl_incomplete *f = self;
    const double *whole = r;
    if (f->layout->ranks > 1) {
        memcpy(f->space + f->layout->from, r + f->layout->from,
               (size_t)(f->layout->to - f->layout->from) * sizeof *r);
        const tsl_status status = tsl_layout_gather(f->layout, f->context, f->space, 8);
        if (status != TSL_OK) {
            return status;
        }
        whole = f->space;
    }
    const tsl_schedule *const down = &f->down;
    const tsl_schedule *const up = &f->up;
#pragma omp parallel num_threads(threads_for(f, down))
    {
        for (int64_t l = 0; l < down->levels; l++) {
#pragma omp for schedule(static)
            for (int64_t k = down->start[l]; k < down->start[l + 1]; k++) {
                const int64_t i = down->row[k];
                z[i] = whole[i] - dot_row(&f->lu, tsl_needed_entries(f, i, true), z);
            }
        }
        for (int64_t l = 0; l < up->levels; l++) {
#pragma omp for schedule(static)
            for (int64_t k = up->start[l]; k < up->start[l + 1]; k++) {
                const int64_t i = up->row[k];
                z[i] = (z[i] - dot_row(&f->lu, tsl_needed_entries(f, i, false), z)) * f->inverse[i];
            }
        }
    }
    return TSL_OK;
}

/* ---- making
 * ------------------------------------------------------------------------------------------------
 */

static tsl_status copy_matrix(tsl_incomplete *f, const tsl_csr *m)
{
    const int64_t nonzeros = tsl_csr_nonzeros(m);
    const tsl_status status = tsl_csr_allocate(&f->lu, f->context, m->rows, m->rows, nonzeros);
    if (status != TSL_OK) {
        return status;
    }
    memcpy(f->lu.row_start, m->row_start, (size_t)(m->rows + 1) * sizeof *m->row_start);
    memcpy(f->lu.column, m->column, (size_t)nonzeros * sizeof *m->column);
    memcpy(f->lu.value, m->value, (size_t)nonzeros * sizeof *m->value);
    f->diagonal = tsl_allocate((size_t)m->rows * sizeof *f->diagonal);
    f->inverse = tsl_allocate((size_t)m->rows * sizeof *f->inverse);
    f->space = tsl_allocate((size_t)m->rows * sizeof *f->space);
    return f->diagonal != NULL && f->inverse != NULL && f->space != NULL
               ? TSL_OK
               : tsl_fail_memory(f->context, 24 * m->rows, "incomplete factors");
}

static tsl_status make_schedules(tsl_incomplete *f)
{
    int32_t *level = tsl_allocate((size_t)f->lu.rows * sizeof *level);
    if (level == NULL) {
        return tsl_fail_memory(f->context, 4 * f->lu.rows, "the order of incomplete factors");
    }
    tsl_status status = make_schedule(&f->down, f, level, true);
    if (status == TSL_OK) {
        status = make_schedule(&f->up, f, level, false);
    }
    tsl_release(level);
    return status;
}

tsl_status tsl_make_incomplete(tsl_linsolve_plan *plan)
{
    const tsl_sparse_matrix *matrix = plan->matrix;
    tsl_incomplete *f = tsl_allocate_zeroed(1, sizeof *f);
    if (f == NULL) {
        return tsl_fail_memory(plan->context, (int64_t)sizeof *f, "incomplete factors");
    }
    plan->m = (tsl_preconditioner){.apply = apply, .destroy = destroy, .self = f};
    f->context = plan->context;
    f->layout = plan->layout;
    tsl_status status = TSL_OK;
    TSL_TRY(copy_matrix(f, &matrix->csr));
    TSL_TRY(find_diagonals(f, matrix->index_base));
    TSL_TRY(make_schedules(f));
    TSL_TRY(factor(f, plan->options.preconditioner == TSL_LINSOLVE_IC0, matrix->index_base));
done:
    if (status == TSL_OK && plan->context->ops->fused != NULL) {
        status = tsl_incomplete_to_gpu(f);
        plan->m.apply = tsl_incomplete_apply_on_gpu;
    }
    return status;
}
