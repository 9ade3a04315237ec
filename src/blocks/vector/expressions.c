/* Lists of expressions and vectors on a context's device. */
#include "blocks/vector/expressions.h"

#include <math.h>
#include <string.h>

#include "blocks/vector/expressions_gpu.h"
#include "device/device.h"

enum { ROWS_TOUCHED = 4096 /* at a time */ };

static bool on_gpu(const tsl_context *context)
{
    return context->ops->fused != NULL;
}

/* An operator's product, then the expressions behind it. */
static tsl_status run_operator(tsl_context *context, const tsl_expressions *list)
{
    const tsl_expression *product = &list->expressions[0];
    const tsl_status status = product->apply(product->user, product->y, product->x);
    if (status != TSL_OK) {
        return tsl_fail(context, status, "the operator failed: %s", tsl_status_name(status));
    }
    tsl_expressions rest = *list;
    rest.expressions++;
    rest.count--;
    return rest.count > 0 ? tsl_expressions_run(context, &rest) : TSL_OK;
}

tsl_status tsl_expressions_run(tsl_context *context, const tsl_expressions *list)
{
    if (list->expressions[0].kind == TSL_EXPRESSION_PRODUCT && list->expressions[0].apply != NULL) {
        return run_operator(context, list);
    }
    return on_gpu(context) ? tsl_expressions_run_on_gpu(context, list)
                           : tsl_expressions_run_on_cpu(context, list);
}

/* ---- sums ----------------------------------------------------------------------------------- */

tsl_status tsl_sums_take(double **out, tsl_context *context, int width)
{
    void *sums = NULL;
    const int rows = on_gpu(context) ? TSL_GPU_SUMS : TSL_SPARSE_SUMS;
    const tsl_status status = tsl_vectors_take(&sums, context, 1, (int64_t)rows * width,
                                               sizeof(double), "the sums of a solver");
    *out = sums;
    return status;
}

tsl_status tsl_sums_gather(tsl_context *context, double *sums, const tsl_layout *layout, int width)
{
    return on_gpu(context) ? tsl_sums_gather_on_gpu(context, sums, layout, width)
                           : tsl_layout_gather_sums(layout, context, sums, width);
}

tsl_status tsl_sums_add_up(tsl_context *context, double *out, const double *sums,
                           const tsl_layout *layout, int width)
{
    if (on_gpu(context)) {
        return tsl_sums_add_up_on_gpu(context, out, sums, layout, width);
    }
    tsl_sums_add_up_on_cpu(out, sums, width);
    return TSL_OK;
}

/* ---- vectors -------------------------------------------------------------------------------- */

static tsl_status take_on_gpu(void **out, tsl_context *context, int64_t bytes, const char *what)
{
    const tsl_status status = tsl_device_allocate(out, context, bytes, what);
    return status == TSL_OK ? context->ops->fill(context, *out, 0, bytes) : status;
}

tsl_status tsl_vectors_take(void **out, tsl_context *context, int count, int64_t length, int bytes,
                            const char *what)
{
    const int64_t all = count * length * bytes;
    if (on_gpu(context)) {
        return take_on_gpu(out, context, all, what);
    }
    char *memory = tsl_allocate((size_t)all);
    *out = memory;
    if (memory == NULL) {
        return tsl_fail_memory(context, all, what);
    }
    /* rows of other ranks are 0 until they are received */
#pragma omp parallel for num_threads(tsl_threads_for(context, all / 8)) schedule(static)
    for (int64_t from = 0; from < length; from += ROWS_TOUCHED) {
        const int64_t rows = length - from < ROWS_TOUCHED ? length - from : ROWS_TOUCHED;
        for (int v = 0; v < count; v++) {
            memset(memory + (v * length + from) * bytes, 0, (size_t)(rows * bytes));
        }
    }
    return TSL_OK;
}

void tsl_vectors_release(tsl_context *context, void *vectors)
{
    if (vectors != NULL && on_gpu(context)) {
        tsl_device_release(context, vectors);
    } else {
        tsl_release(vectors);
    }
}

static void convert(tsl_context *context, void *y, double a, const double *x, int64_t rows,
                    int bytes)
{
#pragma omp parallel for num_threads(tsl_threads_for(context, rows)) schedule(static)
    for (int64_t i = 0; i < rows; i++) {
        if (bytes == 8) {
            ((double *)y)[i] = a * x[i];
        } else {
            ((float *)y)[i] = (float)(a * x[i]);
        }
    }
}

tsl_status tsl_vector_put(tsl_context *context, void *y, double a, const double *x, int64_t rows,
                          int bytes)
{
    if (!on_gpu(context)) {
        convert(context, y, a, x, rows, bytes);
        return TSL_OK;
    }
    void *host = tsl_allocate((size_t)(rows * bytes));
    if (host == NULL) {
        return tsl_fail_memory(context, rows * bytes, "a vector on its way to the device");
    }
    convert(context, host, a, x, rows, bytes);
    const tsl_status status = context->ops->upload(context, y, host, rows * bytes);
    tsl_release(host);
    return status;
}

tsl_status tsl_vector_look_at(tsl_vector_look *out, tsl_context *context, const double *v,
                              int64_t rows, double *sums)
{
    if (on_gpu(context)) {
        return tsl_vector_look_on_gpu(out, context, v, rows, sums);
    }
    int64_t first = rows;
    int64_t nonzeros = 0;
#pragma omp parallel for num_threads(tsl_threads_for(context, rows)) schedule(static)                            \
    reduction(min : first) reduction(+ : nonzeros)
    for (int64_t i = 0; i < rows; i++) {
        if (!isfinite(v[i])) {
            first = i < first ? i : first;
        }
        nonzeros += v[i] != 0;
    }
    *out = (tsl_vector_look){first < rows ? first : -1, nonzeros == 0};
    return TSL_OK;
}
