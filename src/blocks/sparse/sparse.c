#include "blocks/sparse/sparse.h"

void tsl_csr_free(tsl_csr *matrix)
{
    tsl_release(matrix->row_start);
    tsl_release(matrix->column);
    tsl_release(matrix->value);
    *matrix = (tsl_csr){0};
}
