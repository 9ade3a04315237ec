/* Fuzzes the readers of matrices, text and .npz: whatever the bytes, a matrix that holds together or
 * a one-line error, and nothing lost. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "io/matrix.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
    if (!condition) {
        abort();
    }
}

/* A text of a few bytes may say that it has 2^31 rows, which take 16 GiB: not here. */
static bool is_small(const char *text, size_t size)
{
    size_t digits = 0;
    for (size_t i = 0; i < size; i++) {
        digits = text[i] >= '0' && text[i] <= '9' ? digits + 1 : 0;
        if (digits > 7) {
            return false;
        }
    }
    return true;
}

static void check(const tsl_csr *matrix)
{
    require(matrix->rows >= 0 && matrix->columns >= 0 && matrix->row_start[0] == 0);
    for (int64_t i = 0; i < matrix->rows; i++) {
        require(matrix->row_start[i + 1] >= matrix->row_start[i]);
        for (int64_t k = matrix->row_start[i]; k < matrix->row_start[i + 1]; k++) {
            require(matrix->column[k] >= 0 && matrix->column[k] < matrix->columns);
            require(k == matrix->row_start[i] || matrix->column[k] > matrix->column[k - 1]);
            require(!isnan(matrix->value[k]));
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tsl_context context = {.threads = 1};
    tsl_matrix_file file;
    const tsl_source source = tsl_source_of("fuzz", (const char *)data, size);
    if (!tsl_npz_is(&source) && !is_small((const char *)data, size)) {
        return 0;
    }
    if (tsl_matrix_parse(&file, &context, &source) == TSL_OK) {
        check(&file.matrix);
        require(file.entries >= 0 && file.duplicates >= 0);
        tsl_matrix_file_release(&file);
    } else {
        require(context.error[0] != '\0' && strchr(context.error, '\n') == NULL);
    }
    require(tsl_test_live_allocations() == 0);
    return 0;
}
