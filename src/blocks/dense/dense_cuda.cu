/* Dense matrices on NVIDIA GPUs: cuBLAS and cuSOLVER, which are opened at run time, so that all
 * else works without them. */
#include "device/cuda.h"

#include <cublas_v2.h>
#include <cusolverDn.h>
#include <string.h>

extern "C" {
#include "blocks/dense/dense.h"
#include "core/library.h"
}

/* The libraries' functions by the names that they export. */
#define CUBLAS_CALLS(X)                                                                            \
    X(cublasCreate_v2)                                                                             \
    X(cublasDestroy_v2)                                                                            \
    X(cublasSetStream_v2)                                                                          \
    X(cublasDgemm_v2)

#define CUSOLVER_CALLS(X)                                                                          \
    X(cusolverDnCreate)                                                                            \
    X(cusolverDnDestroy)                                                                           \
    X(cusolverDnSetStream)                                                                         \
    X(cusolverDnDsyevd_bufferSize)                                                                 \
    X(cusolverDnDsyevd)                                                                            \
    X(cusolverDnDpotrf_bufferSize)                                                                 \
    X(cusolverDnDpotrf)                                                                            \
    X(cusolverDnDpotrs)

typedef struct dense_calls {
    bool there;
    char text[256]; /* what is lacking */
#define DECLARE(name) decltype(&::name) name;
    CUBLAS_CALLS(DECLARE)
    CUSOLVER_CALLS(DECLARE)
#undef DECLARE
} dense_calls;

#define TEXT_OF(value) #value
#define NAME_OF(library, major) "lib" library ".so." TEXT_OF(major)
#define ROW(name) {#name, offsetof(dense_calls, name)},
#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

static dense_calls open_libraries(void)
{
    static const tsl_library_call of_cublas[] = {CUBLAS_CALLS(ROW)};
    static const tsl_library_call of_cusolver[] = {CUSOLVER_CALLS(ROW)};
    static const char *const cublas[] = {NAME_OF("cublas", CUBLAS_VER_MAJOR), NULL};
    static const char *const cusolver[] = {NAME_OF("cusolver", CUSOLVER_VER_MAJOR), NULL};
    dense_calls calls;
    memset(&calls, 0, sizeof calls);
    calls.there = tsl_library_open(cublas, &calls, of_cublas, COUNT_OF(of_cublas), calls.text,
                                   sizeof calls.text) != NULL &&
                  tsl_library_open(cusolver, &calls, of_cusolver, COUNT_OF(of_cusolver), calls.text,
                                   sizeof calls.text) != NULL;
    return calls;
}

/* Opened once; kept open. */
static const dense_calls *library_calls(void)
{
    static const dense_calls calls = open_libraries();
    return &calls;
}

/* ---- what a context has of the libraries ---------------------------------------------------- */

typedef struct libraries {
    const dense_calls *call;
    cublasHandle_t cublas;
    cusolverDnHandle_t cusolver;
    int *info;  /* on the device */
    void *work; /* of cuSOLVER, as large as it has been asked for */
    int64_t work_numbers;
} libraries;

static void end_libraries(void *held)
{
    libraries *const l = (libraries *)held;
    if (l->cublas != NULL) {
        l->call->cublasDestroy_v2(l->cublas);
    }
    if (l->cusolver != NULL) {
        l->call->cusolverDnDestroy(l->cusolver);
    }
    tsl_release(l);
}

static tsl_status check_cublas(tsl_context *context, cublasStatus_t result, const char *what)
{
    if (result == CUBLAS_STATUS_SUCCESS) {
        return TSL_OK;
    }
    return result == CUBLAS_STATUS_ALLOC_FAILED
               ? tsl_device_fail_memory(context, 0, what)
               : tsl_fail(context, TSL_E_DEVICE, "%s: %s by cuBLAS failed: %d", context->name, what,
                          (int)result);
}

static tsl_status check_cusolver(tsl_context *context, cusolverStatus_t result, const char *what)
{
    if (result == CUSOLVER_STATUS_SUCCESS) {
        return TSL_OK;
    }
    return result == CUSOLVER_STATUS_ALLOC_FAILED
               ? tsl_device_fail_memory(context, 0, what)
               : tsl_fail(context, TSL_E_DEVICE, "%s: %s by cuSOLVER failed: %d", context->name,
                          what, (int)result);
}

static tsl_status start(tsl_context *context, libraries *l, cudaStream_t stream)
{
    static const char starting[] = "starting dense matrices";
    tsl_status status = TSL_OK;
    TSL_TRY(check_cublas(context, l->call->cublasCreate_v2(&l->cublas), starting));
    TSL_TRY(check_cublas(context, l->call->cublasSetStream_v2(l->cublas, stream), starting));
    TSL_TRY(check_cusolver(context, l->call->cusolverDnCreate(&l->cusolver), starting));
    TSL_TRY(check_cusolver(context, l->call->cusolverDnSetStream(l->cusolver, stream), starting));
    TSL_TRY(tsl_device_allocate((void **)&l->info, context, sizeof *l->info, "dense matrices"));
done:
    return status;
}

/* The context's libraries, started with their first use; its device is made current. */
static tsl_status find_libraries(libraries **out, tsl_context *context)
{
    const cudaStream_t stream = tsl_cuda_stream(context);
    void **const held = tsl_cuda_held(context, end_libraries);
    *out = (libraries *)*held;
    if (*out != NULL) {
        return TSL_OK;
    }
    const dense_calls *const call = library_calls();
    if (!call->there) {
        return tsl_fail(context, TSL_E_UNSUPPORTED,
                        "%s: dense matrices need cuBLAS and cuSOLVER of CUDA %d: %s: install them "
                        "or take --device cpu",
                        context->name, CUDART_VERSION / 1000, call->text);
    }
    libraries *const l = (libraries *)tsl_allocate_zeroed(1, sizeof *l);
    if (l == NULL) {
        return tsl_fail_memory(context, sizeof *l, "dense matrices");
    }
    l->call = call;
    const tsl_status status = start(context, l, stream);
    if (status != TSL_OK) {
        end_libraries(l);
        return status;
    }
    *held = l;
    *out = l;
    return TSL_OK;
}

/* At least so many numbers of work. */
static tsl_status grow(tsl_context *context, libraries *l, int64_t numbers)
{
    if (numbers <= l->work_numbers) {
        return TSL_OK;
    }
    tsl_device_release(context, l->work);
    l->work = NULL;
    l->work_numbers = 0;
    const tsl_status status = tsl_device_allocate(&l->work, context, 8 * numbers, "dense matrices");
    l->work_numbers = status == TSL_OK ? numbers : 0;
    return status;
}

/* ---- the table ------------------------------------------------------------------------------ */

/* Row-major C = A B is column-major C^T = B^T A^T. */
static tsl_status cuda_multiply(tsl_context *context, const tsl_product *p)
{
    libraries *l = NULL;
    const tsl_status status = p->m > 0 && p->n > 0 ? find_libraries(&l, context) : TSL_OK;
    if (l == NULL) {
        return status;
    }
    const cublasOperation_t left = p->transpose_b ? CUBLAS_OP_T : CUBLAS_OP_N;
    const cublasOperation_t right = p->transpose_a ? CUBLAS_OP_T : CUBLAS_OP_N;
    return check_cublas(context,
                        l->call->cublasDgemm_v2(l->cublas, left, right, (int)p->n, (int)p->m,
                                                (int)p->k, &p->alpha, p->b, (int)p->ldb, p->a,
                                                (int)p->lda, &p->beta, p->c, (int)p->ldc),
                        "a product of matrices");
}

/* What cuSOLVER says of the last call; waits. */
static tsl_status read_info(tsl_context *context, const libraries *l, int *info)
{
    return context->ops->download(context, info, l->info, sizeof *info);
}

static tsl_status cuda_eigen(tsl_context *context, int64_t n, double *a, double *values)
{
    static const char what[] = "eigenvectors";
    libraries *l = NULL;
    int numbers = 0;
    int info = 0;
    tsl_status status = n > 0 ? find_libraries(&l, context) : TSL_OK;
    if (l == NULL) {
        return status;
    }
    TSL_TRY(check_cusolver(context,
                           l->call->cusolverDnDsyevd_bufferSize(
                               l->cusolver, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_UPPER,
                               (int)n, a, (int)n, values, &numbers),
                           what));
    TSL_TRY(grow(context, l, numbers));
    TSL_TRY(check_cusolver(context,
                           l->call->cusolverDnDsyevd(l->cusolver, CUSOLVER_EIG_MODE_VECTOR,
                                                     CUBLAS_FILL_MODE_UPPER, (int)n, a, (int)n,
                                                     values, (double *)l->work, numbers, l->info),
                           what));
    TSL_TRY(read_info(context, l, &info));
    if (info != 0) {
        status = tsl_fail(context, TSL_E_NOCONV,
                          "eigenvalues of a matrix of %d rows did not converge", (int)n);
    }
done:
    return status;
}

static tsl_status cuda_cholesky(tsl_context *context, int64_t n, double *a, bool *positive)
{
    static const char what[] = "a Cholesky factor";
    libraries *l = NULL;
    int numbers = 0;
    int info = 0;
    *positive = true;
    tsl_status status = n > 0 ? find_libraries(&l, context) : TSL_OK;
    if (l == NULL) {
        return status;
    }
    TSL_TRY(check_cusolver(context,
                           l->call->cusolverDnDpotrf_bufferSize(l->cusolver, CUBLAS_FILL_MODE_UPPER,
                                                                (int)n, a, (int)n, &numbers),
                           what));
    TSL_TRY(grow(context, l, numbers));
    TSL_TRY(check_cusolver(context,
                           l->call->cusolverDnDpotrf(l->cusolver, CUBLAS_FILL_MODE_UPPER, (int)n, a,
                                                     (int)n, (double *)l->work, numbers, l->info),
                           what));
    TSL_TRY(read_info(context, l, &info));
    *positive = info == 0;
done:
    return status;
}

static tsl_status cuda_solve(tsl_context *context, int64_t n, const double *factor, double *x)
{
    libraries *l = NULL;
    const tsl_status status = n > 0 ? find_libraries(&l, context) : TSL_OK;
    if (l == NULL) {
        return status;
    }
    return check_cusolver(context,
                          l->call->cusolverDnDpotrs(l->cusolver, CUBLAS_FILL_MODE_UPPER, (int)n, 1,
                                                    factor, (int)n, x, (int)n, l->info),
                          "a solution by a Cholesky factor");
}

extern const tsl_dense_ops tsl_dense_cuda = {
    .multiply = cuda_multiply, .eigen = cuda_eigen, .cholesky = cuda_cholesky, .solve = cuda_solve};
