/* Transforms on NVIDIA GPUs: cuFFT. */
#include "device/cuda.h"

#include <cufftXt.h>

extern "C" {
#include "blocks/fft/fft.h"
}

struct tsl_fft {
    tsl_context *context;
    tsl_fft_kind kind;
    cufftHandle plan;
    void *workspace;
    int64_t workspace_bytes;
};

static const char *reason(cufftResult result)
{
    switch (result) {
    case CUFFT_INVALID_SIZE:
        return "a size it does not support";
    case CUFFT_SETUP_FAILED:
        return "the library could not be set up";
    case CUFFT_EXEC_FAILED:
        return "the transform could not be run";
    default:
        return "an internal error";
    }
}

static tsl_status check(tsl_context *context, cufftResult result, const char *what)
{
    if (result == CUFFT_SUCCESS) {
        return TSL_OK;
    }
    if (result == CUFFT_ALLOC_FAILED) {
        return tsl_device_fail_memory(context, 0, what);
    }
    return tsl_fail(context, TSL_E_DEVICE, "%s: %s by cuFFT failed: %s (%d)", context->name, what,
                    reason(result), (int)result);
}

static cufftType type_of(const tsl_fft_description *what)
{
    const bool single = what->precision == TSL_SINGLE;
    switch (what->kind) {
    case TSL_FFT_REAL_FORWARD:
        return single ? CUFFT_R2C : CUFFT_D2Z;
    case TSL_FFT_REAL_BACKWARD:
        return single ? CUFFT_C2R : CUFFT_Z2D;
    default:
        return single ? CUFFT_C2C : CUFFT_Z2Z;
    }
}

/* All of a plan but its workspace. */
static tsl_status make_plan(tsl_context *context, cufftHandle *plan, size_t *bytes,
                            const tsl_fft_description *what)
{
    static const char planning[] = "planning a transform";
    int n[3], in[3], to[3];
    for (int axis = 0; axis < 3; axis++) {
        n[axis] = what->n[axis];
        in[axis] = what->in.embed[axis];
        to[axis] = what->out.embed[axis];
    }
    const cudaStream_t stream = tsl_cuda_stream(context);
    tsl_status status = check(context, cufftCreate(plan), planning);
    if (status != TSL_OK) {
        return status;
    }
    status = check(context, cufftSetAutoAllocation(*plan, 0), planning);
    if (status == TSL_OK) {
        status = check(context,
                       cufftMakePlanMany(*plan, what->rank, n, in, what->in.stride,
                                         what->in.distance, to, what->out.stride,
                                         what->out.distance, type_of(what), what->count, bytes),
                       planning);
    }
    if (status == TSL_OK) {
        status = check(context, cufftSetStream(*plan, stream), planning);
    }
    if (status != TSL_OK) {
        cufftDestroy(*plan);
    }
    return status;
}

static void cuda_destroy(tsl_fft *fft)
{
    if (fft != NULL) {
        cudaStreamSynchronize(tsl_cuda_stream(fft->context)); /* queued work may still need it */
        cufftDestroy(fft->plan);
        tsl_device_release(fft->context, fft->workspace);
        tsl_release(fft);
    }
}

static tsl_status cuda_create(tsl_fft **out, tsl_context *context, const tsl_fft_description *what)
{
    tsl_fft *fft = (tsl_fft *)tsl_allocate_zeroed(1, sizeof *fft);
    if (fft == NULL) {
        return tsl_fail_memory(context, sizeof *fft, "a Fourier transform");
    }
    fft->context = context;
    fft->kind = what->kind;
    size_t bytes = 0;
    tsl_status status = make_plan(context, &fft->plan, &bytes, what);
    if (status != TSL_OK) {
        tsl_release(fft);
        return status;
    }
    fft->workspace_bytes = (int64_t)bytes;
    if (bytes > 0) {
        status = tsl_device_allocate(&fft->workspace, context, fft->workspace_bytes,
                                     "the workspace of a transform");
    }
    if (status == TSL_OK && bytes > 0) {
        status =
            check(context, cufftSetWorkArea(fft->plan, fft->workspace), "planning a transform");
    }
    if (status != TSL_OK) {
        cuda_destroy(fft);
        return status;
    }
    *out = fft;
    return TSL_OK;
}

static int64_t cuda_needs(tsl_context *context, const tsl_fft_description *what)
{
    cufftHandle plan;
    size_t bytes = 0;
    if (make_plan(context, &plan, &bytes, what) != TSL_OK) {
        return 0; /* create() tells why */
    }
    cufftDestroy(plan);
    return (int64_t)bytes;
}

static tsl_status cuda_execute(const tsl_fft *fft, void *in, void *out)
{
    tsl_cuda_stream(fft->context);
    const int direction = fft->kind == TSL_FFT_FORWARD || fft->kind == TSL_FFT_REAL_FORWARD
                              ? CUFFT_FORWARD
                              : CUFFT_INVERSE;
    return check(fft->context, cufftXtExec(fft->plan, in, out, direction), "a transform");
}

/* cufftMakePlanMany()'s workSize: with automatic allocation off, all that the plan may use. */
static int64_t cuda_workspace(const tsl_fft *fft)
{
    return fft->workspace_bytes;
}

extern const tsl_fft_ops tsl_fft_cuda = {.create = cuda_create,
                                         .destroy = cuda_destroy,
                                         .needs = cuda_needs,
                                         .execute = cuda_execute,
                                         .workspace = cuda_workspace};
