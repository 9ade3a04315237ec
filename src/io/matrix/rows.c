/* Bringing rows of a matrix into order. */
#include "io/matrix/matrix.h"

/* The entries of one row. */
typedef struct row {
    int32_t *column;
    double *value;
} row;

enum { FEW = 24 }; /* so many entries are sorted by insertion */

static bool comes_before(const row *r, int64_t a, int64_t b)
{
    return r->column[a] != r->column[b] ? r->column[a] < r->column[b] : r->value[a] < r->value[b];
}

static void exchange(const row *r, int64_t a, int64_t b)
{
    const int32_t column = r->column[a];
    const double value = r->value[a];
    r->column[a] = r->column[b];
    r->value[a] = r->value[b];
    r->column[b] = column;
    r->value[b] = value;
}

static void sift(const row *r, int64_t from, int64_t count)
{
    for (int64_t child = 2 * from + 1; child < count; child = 2 * from + 1) {
        child += child + 1 < count && comes_before(r, child, child + 1);
        if (!comes_before(r, from, child)) {
            return;
        }
        exchange(r, from, child);
        from = child;
    }
}

/* Sort in place, in a time that is never quadratic in the length of the row. */
static void sort_row(const row *r, int64_t count)
{
    if (count <= FEW) {
        for (int64_t i = 1; i < count; i++) {
            for (int64_t k = i; k > 0 && comes_before(r, k, k - 1); k--) {
                exchange(r, k, k - 1);
            }
        }
        return;
    }
    for (int64_t i = count / 2; i-- > 0;) {
        sift(r, i, count);
    }
    for (int64_t last = count - 1; last > 0; last--) {
        exchange(r, 0, last);
        sift(r, 0, last);
    }
}

static bool is_sorted(const row *r, int64_t count)
{
    for (int64_t i = 1; i < count; i++) {
        if (!comes_before(r, i - 1, i)) {
            return false;
        }
    }
    return true;
}

/* Sort a row, sum entries at one place, and drop zeros; entries left over at the end get the column
 * -1. Returns how many were added to another. */
static int64_t tidy_row(const row *r, int64_t count, bool drop)
{
    int64_t kept = 0;
    int64_t duplicates = 0;
    if (!is_sorted(r, count)) {
        sort_row(r, count);
    }
    for (int64_t i = 0; i < count; i++) {
        if (kept > 0 && r->column[kept - 1] == r->column[i]) {
            r->value[kept - 1] += r->value[i];
            duplicates++;
        } else if (!drop || r->value[i] < 0 || r->value[i] > 0) {
            r->column[kept] = r->column[i];
            r->value[kept++] = r->value[i];
        }
    }
    for (int64_t i = kept; i < count; i++) {
        r->column[i] = -1;
    }
    return duplicates;
}

/* Move the rows together, over the entries that are left over. */
static void close_gaps(tsl_csr *matrix)
{
    int64_t to = 0;
    int64_t from = 0;
    for (int64_t i = 0; i < matrix->rows; i++) {
        const int64_t end = matrix->row_start[i + 1];
        for (; from < end && matrix->column[from] >= 0; from++, to++) {
            matrix->column[to] = matrix->column[from];
            matrix->value[to] = matrix->value[from];
        }
        from = end;
        matrix->row_start[i + 1] = to;
    }
}

int64_t tsl_rows_tidy(tsl_csr *matrix, int threads, bool drop)
{
    int64_t duplicates = 0;
    int64_t gaps = 0;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 4096) reduction(+ : duplicates, gaps)
    for (int64_t i = 0; i < matrix->rows; i++) {
        const int64_t from = matrix->row_start[i];
        const int64_t count = matrix->row_start[i + 1] - from;
        const row r = {matrix->column + from, matrix->value + from};
        duplicates += tidy_row(&r, count, drop);
        gaps += count > 0 && r.column[count - 1] < 0;
    }
    if (gaps > 0) {
        close_gaps(matrix);
    }
    return duplicates;
}
