#include "device/device.h"
#include "solvers/scf/scf.h"

tsl_status tsl_scf_multiply(tsl_context *context, double *c, const double *a, bool transpose_a,
                            const double *b, bool transpose_b, int64_t m, int64_t n, int64_t k)
{
    const tsl_product product = {.transpose_a = transpose_a,
                                 .transpose_b = transpose_b,
                                 .m = m,
                                 .n = n,
                                 .k = k,
                                 .alpha = 1,
                                 .a = a,
                                 .lda = transpose_a ? m : k,
                                 .b = b,
                                 .ldb = transpose_b ? k : n,
                                 .c = c,
                                 .ldc = n};
    return context->ops->dense->multiply(context, &product);
}

tsl_status tsl_scf_congruence(tsl_context *context, double *c, const double *a, const double *x,
                              int64_t n, int64_t k, double *work)
{
    const tsl_status status = tsl_scf_multiply(context, work, a, false, x, false, n, k, n);
    return status != TSL_OK ? status : tsl_scf_multiply(context, c, x, true, work, false, k, k, n);
}

double tsl_scf_trace(const double *a, const double *b, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}
