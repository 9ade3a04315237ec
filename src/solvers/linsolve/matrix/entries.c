/* From a caller's entries to rows with ascending columns. */
#include <math.h>
#include <string.h>

#include "core/context.h"
#include "solvers/linsolve/matrix/matrix.h"

/* One entry, numbered from 0. */
typedef struct entry {
    int64_t row, column;
    double value;
} entry;

/* Entry k; `at->row` is where the last one was. */
static void read_entry(const tsl_entries *e, int64_t k, entry *at)
{
    if (e->row != NULL) {
        at->row = e->row[k] - e->base;
    } else {
        while (e->row_start[at->row + 1] <= k) {
            at->row++;
        }
    }
    at->column =
        (e->column_bytes == 4 ? ((const int32_t *)e->column)[k] : ((const int64_t *)e->column)[k]) -
        e->base;
    at->value = e->value[k];
}

static tsl_status check_offsets(tsl_context *context, const tsl_entries *e)
{
    if (e->row_start[0] != 0) {
        return tsl_fail(context, TSL_E_ARG, "row_start begins with %lld: give 0",
                        (long long)e->row_start[0]);
    }
    for (int64_t i = 0; i < e->rows; i++) {
        if (e->row_start[i + 1] < e->row_start[i]) {
            return tsl_fail(context, TSL_E_ARG,
                            "row %lld ends at entry %lld, before it begins at %lld: offsets must "
                            "not descend",
                            (long long)(i + e->base), (long long)e->row_start[i + 1],
                            (long long)e->row_start[i]);
        }
    }
    return TSL_OK;
}

/* `lower`: which triangle entries off the diagonal have been in, -1 while there was none. */
static tsl_status check_entry(tsl_context *context, const tsl_entries *e, int64_t k,
                              const entry *at, int *lower)
{
    const long long row = at->row + e->base;
    const long long column = at->column + e->base;
    if (at->row < 0 || at->row >= e->rows) {
        return tsl_fail(context, TSL_E_ARG, "entry %lld is in row %lld: rows are %d to %lld",
                        (long long)k + 1, row, e->base, (long long)(e->rows - 1 + e->base));
    }
    if (at->column < 0 || at->column >= e->columns) {
        return tsl_fail(context, TSL_E_ARG,
                        "row %lld has an entry in column %lld: columns are %d "
                        "to %lld",
                        row, column, e->base, (long long)(e->columns - 1 + e->base));
    }
    if (!isfinite(at->value)) {
        return tsl_fail(context, TSL_E_ARG,
                        "the entry in row %lld, column %lld is %s: entries "
                        "must be finite",
                        row, column, isnan(at->value) ? "not a number" : "infinite");
    }
    if (e->storage == TSL_SPARSE_GENERAL) {
        return TSL_OK;
    }
    if (at->row == at->column) {
        return e->storage == TSL_SPARSE_SYMMETRIC
                   ? TSL_OK
                   : tsl_fail(context, TSL_E_ARG,
                              "row %lld of a skew-symmetric matrix has an entry "
                              "on the diagonal: leave it out",
                              row);
    }
    const int now = at->row > at->column;
    if (*lower >= 0 && *lower != now) {
        return tsl_fail(context, TSL_E_ARG,
                        "the entry in row %lld, column %lld is in the other "
                        "triangle than those before it: give one triangle of a symmetric matrix",
                        row, column);
    }
    *lower = now;
    return TSL_OK;
}

/* Check all entries and count those of row i in start[i + 1]. */
static tsl_status count_entries(tsl_context *context, const tsl_entries *e, int64_t *start)
{
    entry at = {0};
    int lower = -1;
    for (int64_t k = 0; k < e->count; k++) {
        read_entry(e, k, &at);
        const tsl_status status = check_entry(context, e, k, &at, &lower);
        if (status != TSL_OK) {
            return status;
        }
        start[at.row + 1]++;
        if (e->storage != TSL_SPARSE_GENERAL && at.row != at.column) {
            start[at.column + 1]++;
        }
    }
    for (int64_t i = 0; i < e->rows; i++) {
        start[i + 1] += start[i];
    }
    return TSL_OK;
}

/* Put each entry into its row, in the order given. On return start[i] is where row i ends. */
static void place_entries(const tsl_entries *e, int64_t *start, tsl_csr *out)
{
    const double sign = e->storage == TSL_SPARSE_SKEW ? -1 : 1;
    entry at = {0};
    for (int64_t k = 0; k < e->count; k++) {
        read_entry(e, k, &at);
        const int64_t to = start[at.row]++;
        out->column[to] = (int32_t)at.column;
        out->value[to] = at.value;
        if (e->storage != TSL_SPARSE_GENERAL && at.row != at.column) {
            const int64_t mirror = start[at.column]++;
            out->column[mirror] = (int32_t)at.row;
            out->value[mirror] = sign * at.value;
        }
    }
}

static bool is_sorted(const int32_t *column, int64_t count)
{
    for (int64_t k = 1; k < count; k++) {
        if (column[k] < column[k - 1]) {
            return false;
        }
    }
    return true;
}

/* Merge [from, middle) and [middle, to) of one pair of arrays into the other; the left one first
 * where columns are equal. */
static void merge(int32_t *column, double *value, const int32_t *old_column,
                  const double *old_value, int64_t from, int64_t middle, int64_t to)
{
    int64_t left = from;
    int64_t right = middle;
    for (int64_t k = from; k < to; k++) {
        const bool take_left =
            left < middle && (right >= to || old_column[left] <= old_column[right]);
        const int64_t taken = take_left ? left++ : right++;
        column[k] = old_column[taken];
        value[k] = old_value[taken];
    }
}

/* Stable; `column_space` and `value_space` are as long as the row. */
static void sort_row(int32_t *column, double *value, int64_t count, int32_t *column_space,
                     double *value_space)
{
    if (is_sorted(column, count)) {
        return;
    }
    int32_t *columns[2] = {column, column_space};
    double *values[2] = {value, value_space};
    int from = 0;
    for (int64_t width = 1; width < count; width *= 2) {
        for (int64_t k = 0; k < count; k += 2 * width) {
            const int64_t middle = k + width < count ? k + width : count;
            const int64_t to = k + 2 * width < count ? k + 2 * width : count;
            merge(columns[1 - from], values[1 - from], columns[from], values[from], k, middle, to);
        }
        from = 1 - from;
    }
    if (from == 1) {
        memcpy(column, column_space, (size_t)count * sizeof *column);
        memcpy(value, value_space, (size_t)count * sizeof *value);
    }
}

static tsl_status sort_rows(tsl_context *context, tsl_csr *m)
{
    int64_t longest = 1;
    for (int64_t i = 0; i < m->rows; i++) {
        const int64_t length = m->row_start[i + 1] - m->row_start[i];
        longest = length > longest ? length : longest;
    }
    const size_t space = (size_t)longest * (size_t)context->threads;
    int32_t *columns = tsl_allocate(space * sizeof *columns);
    double *values = tsl_allocate(space * sizeof *values);
    const bool enough = columns != NULL && values != NULL;
    if (enough) {
#pragma omp parallel for num_threads(tsl_threads_for(context, tsl_csr_nonzeros(m))) schedule(static)
        for (int thread = 0; thread < context->threads; thread++) {
            const int64_t to = m->rows * (thread + 1) / context->threads;
            for (int64_t i = m->rows * thread / context->threads; i < to; i++) {
                const int64_t from = m->row_start[i];
                sort_row(m->column + from, m->value + from, m->row_start[i + 1] - from,
                         columns + thread * longest, values + thread * longest);
            }
        }
    }
    tsl_release(columns);
    tsl_release(values);
    return enough ? TSL_OK : tsl_fail_memory(context, 12 * (int64_t)space, "sorting rows");
}

/* Add up entries at one place, or refuse them. */
static tsl_status join_duplicates(tsl_context *context, const tsl_entries *e, tsl_csr *m)
{
    int64_t to = 0;
    int64_t from = 0;
    for (int64_t i = 0; i < m->rows; i++) {
        const int64_t first = to;
        for (; from < m->row_start[i + 1]; from++) {
            if (to > first && m->column[to - 1] == m->column[from]) {
                if (e->duplicates == TSL_SPARSE_REFUSE) {
                    return tsl_fail(context, TSL_E_ARG,
                                    "row %lld has two entries in column %lld: remove one or ask "
                                    "for their sum",
                                    (long long)(i + e->base), (long long)m->column[from] + e->base);
                }
                m->value[to - 1] += m->value[from];
                continue;
            }
            m->column[to] = m->column[from];
            m->value[to] = m->value[from];
            to++;
        }
        m->row_start[i + 1] = to;
    }
    return TSL_OK;
}

tsl_status tsl_entries_to_rows(tsl_csr *out, tsl_context *context, const tsl_entries *e)
{
    tsl_status status = e->row == NULL ? check_offsets(context, e) : TSL_OK;
    if (status != TSL_OK) {
        return status;
    }
    int64_t *start = tsl_allocate_zeroed((size_t)e->rows + 2, sizeof *start);
    if (start == NULL) {
        return tsl_fail_memory(context, 8 * e->rows, "the rows of a matrix");
    }
    status = count_entries(context, e, start);
    if (status == TSL_OK) {
        status = tsl_csr_allocate(out, context, e->rows, e->columns, start[e->rows]);
    }
    if (status != TSL_OK) {
        tsl_release(start);
        return status;
    }
    memcpy(out->row_start, start, (size_t)(e->rows + 1) * sizeof *start);
    place_entries(e, start, out);
    tsl_release(start);
    status = sort_rows(context, out);
    if (status == TSL_OK) {
        status = join_duplicates(context, e, out);
    }
    if (status != TSL_OK) {
        tsl_csr_free(out);
    }
    return status;
}
