#include "core/csr.h"

#include "core/context.h"

tsl_status tsl_csr_allocate(tsl_csr *out, tsl_context *context, int64_t rows, int64_t columns,
                            int64_t nonzeros)
{
    *out = (tsl_csr){.rows = rows, .columns = columns};
    out->row_start = tsl_allocate_zeroed((size_t)rows + 1, sizeof *out->row_start);
    out->column = tsl_allocate((size_t)nonzeros * sizeof *out->column);
    out->value = tsl_allocate((size_t)nonzeros * sizeof *out->value);
    if (out->row_start == NULL || out->column == NULL || out->value == NULL) {
        tsl_csr_free(out);
        return tsl_fail_memory(context, 12 * nonzeros + 8 * rows, "the rows of a matrix");
    }
    return TSL_OK;
}

void tsl_csr_free(tsl_csr *matrix)
{
    tsl_release(matrix->row_start);
    tsl_release(matrix->column);
    tsl_release(matrix->value);
    *matrix = (tsl_csr){0};
}

const double *tsl_csr_at(const tsl_csr *rows, int64_t row, int64_t column)
{
    int64_t low = rows->row_start[row];
    int64_t high = rows->row_start[row + 1];
    while (low < high) {
        const int64_t middle = (low + high) / 2;
        if (rows->column[middle] < column) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < rows->row_start[row + 1] && rows->column[low] == column ? &rows->value[low] : NULL;
}
