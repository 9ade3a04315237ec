#include "solvers/linsolve/systems.h"
#include "solvers/linsolve/direct/lu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void test_system_free(test_system *s)
{
    free(s->row_start);
    free(s->column);
    free(s->value);
    *s = (test_system){0};
}

static test_system make_empty(int64_t n, int64_t most)
{
    return (test_system){n, calloc((size_t)n + 1, sizeof(int64_t)),
                         malloc((size_t)most * sizeof(int32_t)),
                         malloc((size_t)most * sizeof(double))};
}

/* Entries come row by row, columns ascending; `row` is closed with each. */
static void append(test_system *s, int64_t row, int64_t column, double value)
{
    s->row_start[row + 1] =
        s->row_start[row + 1] > s->row_start[row] ? s->row_start[row + 1] : s->row_start[row];
    const int64_t k = s->row_start[row + 1]++;
    s->column[k] = (int32_t)column;
    s->value[k] = value;
}

/* Neighbours along the last axis get -1 - flow and -1 + flow. */
static test_system make_stencil(int64_t side, int64_t planes, double flow)
{
    const int64_t n = side * side * planes;
    test_system s = make_empty(n, 7 * n);
    const int64_t far[3] = {side * side, side, 1};
    for (int64_t i = 0; i < n; i++) {
        const int64_t at[3] = {i / far[0], i / side % side, i % side};
        const int64_t size[3] = {planes, side, side};
        for (int axis = 0; axis < 3; axis++) {
            if (at[axis] > 0) {
                append(&s, i, i - far[axis], axis == 2 ? -1 - flow : -1);
            }
        }
        append(&s, i, i, planes > 1 ? 6 : 4);
        for (int axis = 2; axis >= 0; axis--) {
            if (at[axis] < size[axis] - 1) {
                append(&s, i, i + far[axis], axis == 2 ? -1 + flow : -1);
            }
        }
    }
    return s;
}

test_system test_laplacian(int64_t side, int64_t planes)
{
    return make_stencil(side, planes, 0);
}

test_system test_flow(int64_t side, double flow)
{
    return make_stencil(side, 1, flow);
}

/* Rows and columns p, q of a turn by an angle. */
static void rotate(double *a, int64_t n, int64_t p, int64_t q, double angle)
{
    const double c = cos(angle);
    const double s = sin(angle);
    for (int64_t k = 0; k < n; k++) {
        const double x = a[p * n + k];
        const double y = a[q * n + k];
        a[p * n + k] = c * x - s * y;
        a[q * n + k] = s * x + c * y;
    }
    for (int64_t k = 0; k < n; k++) {
        const double x = a[k * n + p];
        const double y = a[k * n + q];
        a[k * n + p] = c * x - s * y;
        a[k * n + q] = s * x + c * y;
    }
}

test_system test_spectrum(int64_t n, double condition, uint64_t seed)
{
    double *a = calloc((size_t)(n * n), sizeof *a);
    for (int64_t i = 0; i < n; i++) {
        a[i * n + i] = pow(condition, -(double)i / (double)(n - 1));
    }
    for (int64_t k = 0; k < 2 * n; k++) {
        const int64_t p = (int64_t)(test_random(&seed) % (uint64_t)n);
        const int64_t q = (p + 1 + (int64_t)(test_random(&seed) % (uint64_t)(n - 1))) % n;
        rotate(a, n, p, q, 3 * test_uniform(&seed));
    }
    test_system s = make_empty(n, n * n);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < n; j++) {
            const double value =
                i < j ? a[i * n + j] : a[j * n + i]; /* symmetric to the last bit */
            if (value != 0) {
                append(&s, i, j, value);
            }
        }
    }
    free(a);
    return s;
}

/* How entries are drawn: see test_graph(), and test_heads(). */
typedef struct drawing {
    int64_t n, heads, hub;
    int least, most;
} drawing;

/* Columns behind its own in which row `row` has entries, ascending; returns their number. */
static int64_t draw_columns(int32_t *columns, const drawing *d, int64_t row, uint64_t *seed)
{
    const int64_t behind = d->n - 1 - row;
    const int64_t hub = d->hub;
    if (row == hub) {
        for (int64_t j = 0; j < behind; j++) {
            columns[j] = (int32_t)(row + 1 + j);
        }
        return behind;
    }
    const int64_t more = (int64_t)(test_random(seed) % (uint64_t)(d->most - d->least + 1));
    const int64_t drawn = row < d->heads ? d->least + more : 0;
    const int64_t count = drawn < behind ? drawn : behind;
    const int64_t width = count > 0 ? behind / count : 0;
    bool has_hub = row > hub;
    int64_t k = 0;
    for (int64_t j = 0; j < count; j++) {
        const int64_t column = row + 1 + j * width + (int64_t)(test_random(seed) % (uint64_t)width);
        if (!has_hub && column >= hub) {
            has_hub = true;
            columns[k++] = (int32_t)hub;
        }
        if (column != hub) {
            columns[k++] = (int32_t)column;
        }
    }
    if (!has_hub) {
        columns[k++] = (int32_t)hub;
    }
    return k;
}

static test_system draw(const drawing *d, uint64_t seed)
{
    const uint64_t begun = seed;
    const int64_t n = d->n;
    int64_t *end = calloc((size_t)n + 1, sizeof *end); /* of rows: first their lengths */
    double *size = calloc((size_t)n, sizeof *size);
    int32_t *columns = malloc((size_t)n * sizeof *columns);
    for (int64_t i = 0; i < n; i++) {
        const int64_t count = draw_columns(columns, d, i, &seed);
        end[i + 1] += count + 1;
        for (int64_t k = 0; k < count; k++) {
            end[columns[k] + 1]++;
        }
    }
    for (int64_t i = 0; i < n; i++) {
        end[i + 1] += end[i];
    }
    test_system s = make_empty(n, end[n]);
    memcpy(s.row_start, end, (size_t)(n + 1) * sizeof *end);
    seed = begun;
    for (int64_t i = 0; i < n; i++) { /* what rows before it have in common with it is there */
        const int64_t count = draw_columns(columns, d, i, &seed);
        const int64_t diagonal = end[i]++;
        s.column[diagonal] = (int32_t)i;
        for (int64_t k = 0; k < count; k++) {
            const int32_t j = columns[k];
            const double value = 0.5 + (double)((i + j) % 8) / 8;
            s.column[end[i]] = j;
            s.value[end[i]++] = -value;
            s.column[end[j]] = (int32_t)i;
            s.value[end[j]++] = -value;
            size[i] += value;
            size[j] += value;
        }
        s.value[diagonal] = 1 + 1.5 * size[i];
    }
    free(end);
    free(size);
    free(columns);
    return s;
}

test_system test_graph(int64_t n, int most, int64_t hub, uint64_t seed)
{
    return draw(&(drawing){n, n, hub, 0, most}, seed);
}

test_system test_heads(int64_t n, int64_t heads, int most, uint64_t seed)
{
    return draw(&(drawing){n, heads, -1, most - most / 8, most}, seed);
}

test_system test_ring(int64_t n)
{
    test_system s = make_empty(n, 3 * n);
    for (int64_t i = 0; i < n; i++) {
        const int64_t before = (i + n - 1) % n;
        const int64_t after = (i + 1) % n;
        const int64_t columns[3] = {i == 0       ? i
                                    : before < i ? before
                                                 : i,
                                    i == 0                    ? after
                                    : before < i && i < after ? i
                                                              : after,
                                    i == 0      ? before
                                    : after > i ? after
                                                : i};
        const int64_t last[3] = {0, n - 2, n - 1};
        for (int k = 0; k < 3; k++) {
            const int64_t column = i == n - 1 ? last[k] : columns[k];
            append(&s, i, column, column == i ? 2 : -1);
        }
    }
    return s;
}

tsl_sparse_matrix *test_matrix(tsl_context *context, const test_system *s)
{
    tsl_sparse_matrix *matrix = NULL;
    const tsl_status status = tsl_sparse_matrix_create(&matrix, context, s->n, s->n, s->row_start,
                                                       s->column, 4, s->value, NULL);
    return status == TSL_OK ? matrix : NULL;
}

void test_multiply(const test_system *s, double *b, const double *x)
{
    for (int64_t i = 0; i < s->n; i++) {
        long double sum = 0;
        for (int64_t k = s->row_start[i]; k < s->row_start[i + 1]; k++) {
            sum += (long double)s->value[k] * (long double)x[s->column[k]];
        }
        b[i] = (double)sum;
    }
}

double test_residual(const test_system *s, const double *b, const double *x)
{
    long double off = 0;
    long double size = 0;
    for (int64_t i = 0; i < s->n; i++) {
        long double sum = (long double)b[i];
        for (int64_t k = s->row_start[i]; k < s->row_start[i + 1]; k++) {
            sum -= (long double)s->value[k] * (long double)x[s->column[k]];
        }
        off += sum * sum;
        size += (long double)b[i] * (long double)b[i];
    }
    return (double)sqrtl(off / size);
}

void test_solve_dense(const test_system *s, double *x, const double *b)
{
    const int64_t n = s->n;
    const int64_t width = n + 1;
    long double *a = calloc((size_t)(n * width), sizeof *a);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t k = s->row_start[i]; k < s->row_start[i + 1]; k++) {
            a[i * width + s->column[k]] += (long double)s->value[k];
        }
        a[i * width + n] = (long double)b[i];
    }
    for (int64_t k = 0; k < n; k++) {
        int64_t pivot = k;
        for (int64_t i = k + 1; i < n; i++) {
            pivot = fabsl(a[i * width + k]) > fabsl(a[pivot * width + k]) ? i : pivot;
        }
        for (int64_t j = k; j < width; j++) {
            const long double kept = a[k * width + j];
            a[k * width + j] = a[pivot * width + j];
            a[pivot * width + j] = kept;
        }
        for (int64_t i = k + 1; i < n; i++) {
            const long double factor = a[i * width + k] / a[k * width + k];
            for (int64_t j = k; j < width && factor != 0; j++) {
                a[i * width + j] -= factor * a[k * width + j];
            }
        }
    }
    for (int64_t i = n - 1; i >= 0; i--) {
        long double sum = a[i * width + n];
        for (int64_t j = i + 1; j < n; j++) {
            sum -= a[i * width + j] * (long double)x[j];
        }
        x[i] = (double)(sum / a[i * width + i]);
    }
    free(a);
}

bool test_has_method(int method)
{
    return tsl_linsolve_method_name((tsl_linsolve_method)method) != NULL &&
           (method != TSL_LINSOLVE_DIRECT || tsl_lu_library() != NULL);
}

tsl_linsolve_options test_options(tsl_linsolve_method method,
                                  tsl_linsolve_preconditioner preconditioner)
{
    tsl_linsolve_options options = TSL_LINSOLVE_OPTIONS_INIT;
    options.method = method;
    options.preconditioner = preconditioner;
    return options;
}

tsl_status test_try_to_plan(tsl_context *context, void *attempt)
{
    const test_attempt *a = attempt;
    tsl_linsolve_plan *plan = NULL;
    tsl_sparse_matrix *matrix = NULL;
    tsl_status status = tsl_sparse_matrix_create(
        &matrix, context, a->s->n, a->s->n, a->s->row_start, a->s->column, 4, a->s->value, NULL);
    if (status == TSL_OK) {
        status = tsl_linsolve_plan_create(&plan, matrix, &a->options);
    }
    tsl_linsolve_plan_destroy(plan);
    tsl_sparse_matrix_destroy(matrix);
    return status;
}

int test_watch(void *watcher, int64_t iteration, double residual)
{
    test_watcher *w = watcher;
    assert_int_equal(iteration, w->calls++);
    w->last = residual;
    return iteration == w->ends_at;
}
