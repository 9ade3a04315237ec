#include <cuda_runtime_api.h>
#include <cusparse.h>
#include <stdlib.h>

#include "spmv.h"

enum { BATCHES = 5, ALGORITHMS = 3, COPY_BYTES = 1 << 29 };

static const struct {
    const char *name;
    cusparseSpMVAlg_t algorithm;
} algorithms[ALGORITHMS] = {{"default", CUSPARSE_SPMV_ALG_DEFAULT},
                            {"CSR_ALG1", CUSPARSE_SPMV_CSR_ALG1},
                            {"CSR_ALG2", CUSPARSE_SPMV_CSR_ALG2}};

/* A matrix as cuSPARSE has it. */
typedef struct reference {
    tsl_context *context;
    cusparseHandle_t handle;
    cusparseSpMatDescr_t matrix;
    cusparseDnVecDescr_t x, y;
    void *row_start, *column, *value, *buffer;
    cusparseSpMVAlg_t algorithm;
} reference;

static tsl_status check(tsl_context *context, cudaError_t error, const char *what)
{
    return error == cudaSuccess
               ? TSL_OK
               : tsl_fail(context, TSL_E_DEVICE, "CUDA: %s: %s", what, cudaGetErrorString(error));
}

static tsl_status check_sparse(tsl_context *context, cusparseStatus_t error, const char *what)
{
    return error == CUSPARSE_STATUS_SUCCESS ? TSL_OK
                                            : tsl_fail(context, TSL_E_DEVICE, "cuSPARSE: %s: %s",
                                                       what, cusparseGetErrorString(error));
}

static tsl_status send(reference *r, void **out, const void *host, int64_t bytes)
{
    const tsl_status status =
        check(r->context, cudaMalloc(out, bytes > 0 ? (size_t)bytes : 1), "memory");
    return status == TSL_OK
               ? check(r->context, cudaMemcpy(*out, host, (size_t)bytes, cudaMemcpyHostToDevice),
                       "a copy")
               : status;
}

/* Offsets of 32 bits, the faster ones, as far as they reach. */
static tsl_status bring(reference *r, const tsl_csr *m, double *y, const double *x)
{
    const int64_t nonzeros = tsl_csr_nonzeros(m);
    const bool narrow = nonzeros <= INT32_MAX;
    int32_t *starts = malloc((size_t)(m->rows + 1) * sizeof *starts);
    if (starts == NULL) {
        return tsl_fail_memory(r->context, 4 * m->rows, "the rows of a matrix");
    }
    for (int64_t i = 0; i <= m->rows && narrow; i++) {
        starts[i] = (int32_t)m->row_start[i];
    }
    tsl_status status = send(r, &r->row_start, narrow ? (void *)starts : (void *)m->row_start,
                             (m->rows + 1) * (narrow ? 4 : 8));
    free(starts);
    status = status == TSL_OK ? send(r, &r->column, m->column, 4 * nonzeros) : status;
    status = status == TSL_OK ? send(r, &r->value, m->value, 8 * nonzeros) : status;
    if (status != TSL_OK) {
        return status;
    }
    const cusparseStatus_t made[] = {
        cusparseCreate(&r->handle),
        cusparseCreateCsr(&r->matrix, m->rows, m->columns, nonzeros, r->row_start, r->column,
                          r->value, narrow ? CUSPARSE_INDEX_32I : CUSPARSE_INDEX_64I,
                          CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F),
        cusparseCreateDnVec(&r->x, m->columns, (void *)(uintptr_t)x, CUDA_R_64F),
        cusparseCreateDnVec(&r->y, m->rows, y, CUDA_R_64F)};
    for (size_t i = 0; i < sizeof made / sizeof *made && status == TSL_OK; i++) {
        status = check_sparse(r->context, made[i], "a matrix");
    }
    return status;
}

static tsl_status multiply(reference *r)
{
    const double one = 1;
    const double zero = 0;
    return check_sparse(r->context,
                        cusparseSpMV(r->handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, r->matrix,
                                     r->x, &zero, r->y, CUDA_R_64F, r->algorithm, r->buffer),
                        "a product");
}

static tsl_status prepare(reference *r)
{
    const double one = 1;
    const double zero = 0;
    size_t bytes = 0;
    cudaFree(r->buffer);
    r->buffer = NULL;
    tsl_status status = check_sparse(
        r->context,
        cusparseSpMV_bufferSize(r->handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, r->matrix, r->x,
                                &zero, r->y, CUDA_R_64F, r->algorithm, &bytes),
        "a buffer's size");
    if (status == TSL_OK) {
        status = check(r->context, cudaMalloc(&r->buffer, bytes > 0 ? bytes : 1), "a buffer");
    }
    return status == TSL_OK
               ? check_sparse(r->context,
                              cusparseSpMV_preprocess(r->handle, CUSPARSE_OPERATION_NON_TRANSPOSE,
                                                      &one, r->matrix, r->x, &zero, r->y,
                                                      CUDA_R_64F, r->algorithm, r->buffer),
                              "preprocessing")
               : status;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

static tsl_status time_products(reference *r, int runs, double *seconds)
{
    double batch[BATCHES];
    tsl_status status = multiply(r);
    for (int i = 0; i < BATCHES && status == TSL_OK; i++) {
        cudaDeviceSynchronize();
        const double begun = tsl_seconds();
        for (int k = 0; k < runs && status == TSL_OK; k++) {
            status = multiply(r);
        }
        cudaDeviceSynchronize();
        batch[i] = (tsl_seconds() - begun) / runs;
    }
    qsort(batch, BATCHES, sizeof *batch, compare);
    *seconds = batch[BATCHES / 2];
    return status;
}

static tsl_status time_copy(tsl_context *context, double *gbs)
{
    char *memory = NULL;
    tsl_status status =
        check(context, cudaMalloc((void **)&memory, 2 * (size_t)COPY_BYTES), "memory");
    double batch[BATCHES];
    for (int i = -1; i < BATCHES && status == TSL_OK; i++) {
        cudaDeviceSynchronize();
        const double begun = tsl_seconds();
        for (int k = 0; k < 20; k++) {
            cudaMemcpyAsync(memory + COPY_BYTES, memory, COPY_BYTES, cudaMemcpyDeviceToDevice, 0);
        }
        status = check(context, cudaDeviceSynchronize(), "a copy on the device");
        batch[i < 0 ? 0 : i] = (tsl_seconds() - begun) / 20;
    }
    cudaFree(memory);
    qsort(batch, BATCHES, sizeof *batch, compare);
    *gbs = 2e-9 * COPY_BYTES / batch[BATCHES / 2];
    return status;
}

static void release(reference *r)
{
    if (r->matrix != NULL) {
        cusparseDestroySpMat(r->matrix);
    }
    if (r->x != NULL) {
        cusparseDestroyDnVec(r->x);
    }
    if (r->y != NULL) {
        cusparseDestroyDnVec(r->y);
    }
    if (r->handle != NULL) {
        cusparseDestroy(r->handle);
    }
    cudaFree(r->row_start);
    cudaFree(r->column);
    cudaFree(r->value);
    cudaFree(r->buffer);
}

tsl_status spmv_cusparse(spmv_reference *out, tsl_context *context, const tsl_csr *matrix,
                         double *y, const double *x, int runs)
{
    reference r = {.context = context};
    *out = (spmv_reference){0};
    tsl_status status = bring(&r, matrix, y, x);
    for (int i = 0; i < ALGORITHMS && status == TSL_OK; i++) {
        double seconds = 0;
        r.algorithm = algorithms[i].algorithm;
        status = prepare(&r);
        status = status == TSL_OK ? time_products(&r, runs, &seconds) : status;
        if (status == TSL_OK && (out->name == NULL || seconds < out->seconds)) {
            out->seconds = seconds;
            out->name = algorithms[i].name;
        }
    }
    release(&r);
    return status == TSL_OK ? time_copy(context, &out->copy_gbs) : status;
}
