/* Fuzzes the readers of matrices, text and .npz: whatever the bytes, a matrix that holds together
 * or a one-line error, and nothing lost. */
#include "fuzz/fuzz.h"
#include "io/matrix/matrix.h"

/* A text of a few bytes may say that it has 2^31 rows, which take 16 GiB: not here. Looks at the
 * lines from the first that is no comment to the first with a number. */
static bool is_small(const char *text, size_t size)
{
    int64_t number = 0;
    bool comment = false;
    for (size_t i = 0; i < size; i++) {
        comment = text[i] != '\n' && (comment || text[i] == '%');
        if (!comment && text[i] >= '0' && text[i] <= '9') {
            number = 10 * number + (text[i] - '0');
        } else if (number > 0) {
            break;
        }
        if (number > 1000000) {
            return false;
        }
    }
    return true;
}

static void check(const tsl_csr *matrix)
{
    fuzz_require(matrix->rows >= 0 && matrix->columns >= 0 && matrix->row_start[0] == 0);
    for (int64_t i = 0; i < matrix->rows; i++) {
        fuzz_require(matrix->row_start[i + 1] >= matrix->row_start[i]);
        for (int64_t k = matrix->row_start[i]; k < matrix->row_start[i + 1]; k++) {
            fuzz_require(matrix->column[k] >= 0 && matrix->column[k] < matrix->columns);
            fuzz_require(k == matrix->row_start[i] || matrix->column[k] > matrix->column[k - 1]);
            fuzz_require(!isnan(matrix->value[k]));
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
        fuzz_require(file.entries >= 0 && file.duplicates >= 0);
        tsl_matrix_file_release(&file);
    } else {
        fuzz_require_error(&context);
    }
    fuzz_require(tsl_test_live_allocations() == 0);
    return 0;
}
