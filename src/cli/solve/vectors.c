/* The vectors of `tesela solve`: right-hand sides and solutions, side by side in host memory, and
 * constants in the null space, which are taken out of them. */
#include <math.h>
#include <string.h>

#include "cli/solve/command.h"
#include "core/context.h"
#include "solvers/linsolve/matrix/matrix.h"

/* ---- files ---------------------------------------------------------------------------------- */

static void note_underflows(const char *path, int64_t underflows)
{
    if (underflows > 0) {
        cli_note("%s: %lld number%s nearer to 0 than any double (4.9e-324): read as 0", path,
                 (long long)underflows, underflows == 1 ? " is" : "s are");
    }
}

/* Read vectors from a file; without one, make a vector with `value` in each row. */
static tsl_status make_dense(tsl_dense *out, solve_work *work, const char *path, double value)
{
    const int64_t rows = work->about.rows;
    const double begun = tsl_seconds();
    if (path == NULL) {
        *out = (tsl_dense){
            .rows = rows, .columns = 1, .value = tsl_allocate((size_t)rows * sizeof *out->value)};
        for (int64_t i = 0; out->value != NULL && i < rows; i++) {
            out->value[i] = value;
        }
        return out->value != NULL ? TSL_OK : tsl_fail_memory(work->context, 8 * rows, "a vector");
    }
    const tsl_status status = tsl_dense_read(out, work->context, path);
    work->parse += tsl_seconds() - begun;
    if (status != TSL_OK) {
        return status;
    }
    note_underflows(path, out->underflows);
    return out->rows == rows ? TSL_OK
                             : tsl_fail(work->context, TSL_E_FORMAT,
                                        "%s: has %lld rows where the matrix has %lld", path,
                                        (long long)out->rows, (long long)rows);
}

/* Make as many initial guesses as right-hand sides: a single guess is used for all. */
static tsl_status spread_guess(solve_work *work)
{
    tsl_dense *x = &work->x;
    const int64_t columns = work->b.columns;
    const size_t bytes = (size_t)x->rows * sizeof *x->value;
    if (x->columns == columns) {
        return TSL_OK;
    }
    if (x->columns != 1) {
        return tsl_fail(work->context, TSL_E_FORMAT,
                        "%s: has %lld columns where there are %lld right-hand sides: give one, or "
                        "as many",
                        work->options->guess, (long long)x->columns, (long long)columns);
    }
    double *all = tsl_allocate((size_t)columns * bytes);
    if (all == NULL) {
        return tsl_fail_memory(work->context, columns * (int64_t)bytes, "vectors");
    }
    for (int64_t j = 0; j < columns; j++) {
        memcpy(all + j * x->rows, x->value, bytes);
    }
    tsl_release(x->value);
    x->value = all;
    x->columns = columns;
    return TSL_OK;
}

tsl_status solve_make_vectors(solve_work *work)
{
    note_underflows(work->options->matrix, work->file.underflows);
    tsl_status status = make_dense(&work->b, work, work->options->rhs, 1);
    if (status == TSL_OK && work->b.columns < 1) {
        status = tsl_fail(work->context, TSL_E_FORMAT, "%s: has no columns: give a vector",
                          work->options->rhs);
    }
    if (status == TSL_OK) {
        status = make_dense(&work->x, work, work->options->guess, 0);
    }
    if (status == TSL_OK) {
        status = spread_guess(work);
    }
    if (status == TSL_OK) {
        work->columns = tsl_allocate_zeroed((size_t)work->b.columns, sizeof *work->columns);
        status = work->columns != NULL ? TSL_OK
                                       : tsl_fail_memory(work->context, work->b.columns * 400,
                                                         "the reports of several solutions");
    }
    const int64_t count = work->b.rows * work->b.columns;
    for (int64_t i = 0; status == TSL_OK && work->negated && i < count; i++) {
        work->b.value[i] = -work->b.value[i];
    }
    return status;
}

/* ---- constants ------------------------------------------------------------------------------ */

static bool is_zero(double sum, double size)
{
    static const double rounding = 1e-12;
    return fabs(sum) <= rounding * size;
}

static int32_t root_of(int32_t *parent, int32_t row)
{
    while (parent[row] != row) {
        parent[row] = parent[parent[row]];
        row = parent[row];
    }
    return row;
}

/* Find the parts of connected rows, each named by one of its rows; -1 for rows of parts in which a
 * row or column does not sum to 0. */
static void find_parts(int32_t *part, double *column_sum, double *column_size, const tsl_csr *m,
                       int64_t *first)
{
    for (int64_t i = 0; i < m->rows; i++) {
        part[i] = (int32_t)i;
        column_sum[i] = column_size[i] = 0;
    }
    for (int64_t i = 0; i < m->rows; i++) {
        for (int64_t k = m->row_start[i]; k < m->row_start[i + 1]; k++) {
            const int32_t one = root_of(part, (int32_t)i);
            const int32_t other = root_of(part, m->column[k]);
            column_sum[m->column[k]] += m->value[k];
            column_size[m->column[k]] += fabs(m->value[k]);
            part[one > other ? one : other] = one < other ? one : other;
        }
    }
    *first = -1;
    for (int64_t i = 0; i < m->rows; i++) {
        double sum = 0;
        double size = 0;
        for (int64_t k = m->row_start[i]; k < m->row_start[i + 1]; k++) {
            sum += m->value[k];
            size += fabs(m->value[k]);
        }
        if (!is_zero(sum, size) || !is_zero(column_sum[i], column_size[i])) {
            *first = *first < 0 ? i : *first;
            column_size[root_of(part, (int32_t)i)] = -1;
        }
    }
    for (int64_t i = 0; i < m->rows; i++) {
        part[i] = root_of(part, (int32_t)i);
    }
    for (int64_t i = 0; i < m->rows; i++) {
        part[i] = column_size[part[i]] < 0 ? -1 : part[i];
    }
}

/* Does any row not sum to 0? In most matrices the first does not. */
static bool has_other_sum(const tsl_csr *m)
{
    for (int64_t i = 0; i < m->rows; i++) {
        double sum = 0;
        double size = 0;
        for (int64_t k = m->row_start[i]; k < m->row_start[i + 1]; k++) {
            sum += m->value[k];
            size += fabs(m->value[k]);
        }
        if (!is_zero(sum, size)) {
            return true;
        }
    }
    return false;
}

tsl_status solve_find_null_space(solve_work *work)
{
    const tsl_csr *m = &work->matrix->csr;
    const size_t n = (size_t)m->rows;
    const solve_null_space asked = work->options->null_space;
    if (asked == SOLVE_NULL_SPACE_NONE || (asked == SOLVE_NULL_SPACE_AUTO && has_other_sum(m))) {
        return TSL_OK;
    }
    int64_t first = -1;
    double *sums = tsl_allocate(2 * n * sizeof *sums);
    work->part = tsl_allocate(n * sizeof *work->part);
    if (sums == NULL || work->part == NULL) {
        tsl_release(sums);
        return tsl_fail_memory(work->context, 20 * m->rows, "the null space");
    }
    find_parts(work->part, sums, sums + n, m, &first);
    tsl_release(sums);
    for (int64_t i = 0; i < m->rows; i++) {
        work->parts += work->part[i] == i;
    }
    if (work->parts > 0) {
        return TSL_OK;
    }
    tsl_release(work->part);
    work->part = NULL;
    return asked == SOLVE_NULL_SPACE_AUTO
               ? TSL_OK
               : tsl_fail(
                     work->context, TSL_E_ARG,
                     "%s: --null-space constant: row or column %lld does not sum to 0, so that "
                     "constants are not in the null space",
                     work->options->matrix, (long long)(first + work->base));
}

/* Take the mean of each part out of v. Returns the norm of what was taken. space[2 * rows] */
static double project(const solve_work *work, double *v, double *space)
{
    const int64_t rows = work->about.rows;
    double taken = 0;
    int32_t *const count = (int32_t *)(space + rows);
    for (int64_t i = 0; i < rows; i++) {
        space[i] = 0;
        count[i] = 0;
    }
    for (int64_t i = 0; i < rows; i++) {
        if (work->part[i] >= 0) {
            space[work->part[i]] += v[i];
            count[work->part[i]]++;
        }
    }
    for (int64_t i = 0; i < rows; i++) {
        if (work->part[i] >= 0) {
            const double mean = space[work->part[i]] / count[work->part[i]];
            v[i] -= mean;
            taken = hypot(taken, mean);
        }
    }
    return taken;
}

static double norm_of(const double *v, int64_t rows)
{
    double norm = 0;
    for (int64_t i = 0; i < rows; i++) {
        norm = hypot(norm, v[i]);
    }
    return norm;
}

tsl_status solve_project(solve_work *work, tsl_dense *vectors, bool of_b)
{
    const int64_t rows = work->about.rows;
    if (work->part == NULL) {
        return TSL_OK;
    }
    double *space = tsl_allocate((size_t)rows * 2 * sizeof *space);
    if (space == NULL) {
        return tsl_fail_memory(work->context, 16 * rows, "the null space");
    }
    for (int64_t j = 0; j < vectors->columns; j++) {
        double *v = vectors->value + j * rows;
        const double before = norm_of(v, rows);
        const double taken = project(work, v, space);
        if (of_b) {
            work->columns[j].norm = before;
            work->columns[j].outside = before > 0 ? fmin(taken / before, 1) : 0;
            work->columns[j].inside = before > 0 ? fmin(norm_of(v, rows) / before, 1) : 1;
            if (work->columns[j].inside < 1e-14) { /* only rounding is left */
                memset(v, 0, (size_t)rows * sizeof *v);
            }
        }
    }
    tsl_release(space);
    return TSL_OK;
}
