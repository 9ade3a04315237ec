/* What the tests of files of matrices share. Include after <cmocka.h>. */
#ifndef TESTS_IO_DENSE_H
#define TESTS_IO_DENSE_H

#include <math.h>

#include "io/matrix/matrix.h"

/* Does the matrix have these entries, zeros of `dense` being places without one? */
static inline void assert_dense(const tsl_csr *matrix, int64_t rows, int64_t columns,
                                const double *dense)
{
    assert_int_equal(matrix->rows, rows);
    assert_int_equal(matrix->columns, columns);
    int64_t k = 0;
    for (int64_t i = 0; i < rows; i++) {
        assert_int_equal(matrix->row_start[i], k);
        for (int64_t j = 0; j < columns; j++) {
            if (fabs(dense[i * columns + j]) > 0) {
                assert_int_equal(matrix->column[k], j);
                assert_true(matrix->value[k] == dense[i * columns + j]);
                k++;
            }
        }
    }
    assert_int_equal(tsl_csr_nonzeros(matrix), k);
}

#endif
