#include "blocks/transpose/measure.h"

#include <string.h>

#include "blocks/transpose/transpose.h"
#include "core/context.h"
#include "device/device.h"

struct tsl_transpose_bench {
    tsl_context *context;
    int64_t shape[3];
    int element;
    int64_t bytes;
    uint32_t *host;
    tsl_buffer *source, *target;
};

static const double batch_seconds = 0.02;

/* Word `word` of element `index`: two elements are alike by a chance of one in 2^32 only. */
static uint32_t word_of(int64_t index, int word)
{
    const uint64_t mixed = ((uint64_t)index * 4 + (uint64_t)word) * UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)(mixed >> 32) ^ (uint32_t)mixed;
}

static tsl_status fill(tsl_transpose_bench *bench)
{
    const int words = bench->element / 4;
    const int64_t count = bench->bytes / bench->element;
#pragma omp parallel for num_threads(bench->context->threads) schedule(static)
    for (int64_t i = 0; i < count; i++) {
        for (int w = 0; w < words; w++) {
            bench->host[i * words + w] = word_of(i, w);
        }
    }
    return tsl_buffer_write(bench->source, 0, bench->host, bench->bytes);
}

void tsl_transpose_bench_destroy(tsl_transpose_bench *bench)
{
    if (bench != NULL) {
        tsl_buffer_destroy(bench->source);
        tsl_buffer_destroy(bench->target);
        tsl_release(bench->host);
        tsl_release(bench);
    }
}

tsl_status tsl_transpose_bench_create(tsl_transpose_bench **out, tsl_context *context,
                                      const int64_t shape[3], int element)
{
    int64_t bytes;
    if (!tsl_transpose_bytes(&bytes, shape, element)) {
        return tsl_fail(context, TSL_E_ARG, "an array of %lld x %lld x %lld elements is too large",
                        (long long)shape[0], (long long)shape[1], (long long)shape[2]);
    }
    tsl_transpose_bench *bench = tsl_allocate_zeroed(1, sizeof *bench);
    if (bench == NULL) {
        return tsl_fail_memory(context, sizeof *bench, "a measurement");
    }
    bench->context = context;
    memcpy(bench->shape, shape, sizeof bench->shape);
    bench->element = element;
    bench->bytes = bytes;
    bench->host = tsl_allocate((size_t)bytes);
    tsl_status status =
        bench->host != NULL ? TSL_OK : tsl_fail_memory(context, bytes, "an array on the host");
    if (status == TSL_OK) {
        status = tsl_buffer_create(&bench->source, context, bytes);
    }
    if (status == TSL_OK) {
        status = tsl_buffer_create(&bench->target, context, bytes);
    }
    if (status == TSL_OK) {
        status = fill(bench);
    }
    if (status != TSL_OK) {
        tsl_transpose_bench_destroy(bench);
        return status;
    }
    *out = bench;
    return TSL_OK;
}

/* Elements of the target that are not what the definition puts there. */
static tsl_status count_wrong(const tsl_transpose_bench *bench, tsl_permutation permutation,
                              int64_t *out)
{
    const char *name = tsl_permutation_name(permutation);
    const int64_t *n = bench->shape;
    const int words = bench->element / 4;
    int64_t strides[3] = {0}; /* in the result, of x, y and z */
    int64_t stride = 1;
    for (int i = 0; i < 3; i++) {
        strides[name[i] - 'x'] = stride;
        stride *= n[name[i] - 'x'];
    }
    const tsl_status status = tsl_buffer_read(bench->target, 0, bench->host, bench->bytes);
    int64_t wrong = 0;
#pragma omp parallel for collapse(2) num_threads(bench->context->threads) reduction(+ : wrong)
    for (int64_t z = 0; z < n[2]; z++) {
        for (int64_t y = 0; y < n[1]; y++) {
            for (int64_t x = 0; x < n[0]; x++) {
                const int64_t to = x * strides[0] + y * strides[1] + z * strides[2];
                bool same = true;
                for (int w = 0; w < words; w++) {
                    same = same &&
                           bench->host[to * words + w] == word_of(x + n[0] * (y + n[1] * z), w);
                }
                wrong += !same;
            }
        }
    }
    *out = wrong;
    return status;
}

/* What is timed. */
typedef struct run {
    tsl_transpose_plan *plan;
    tsl_buffer *out;
    const tsl_buffer *in;
} run;

static tsl_status execute(void *arguments)
{
    const run *r = arguments;
    return tsl_transpose_execute(r->plan, r->out, r->in);
}

/* The source, once more, in the target. */
static tsl_status copy_source(const tsl_transpose_bench *bench)
{
    const tsl_transpose_form form = {.kind = TSL_TRANSPOSE_COPY,
                                     .element = bench->element,
                                     .n = {bench->bytes / bench->element, 1, 1},
                                     .in = {1},
                                     .out = {1}};
    return bench->context->ops->transpose->move(bench->context, tsl_buffer_data(bench->target),
                                                tsl_buffer_data(bench->source), &form,
                                                (tsl_transpose_tiling){0, 0});
}

tsl_status tsl_transpose_bench_run(tsl_transpose_bench *bench, tsl_transpose_result *result,
                                   const tsl_transpose_options *options, bool check)
{
    tsl_transpose_plan *plan = NULL;
    tsl_status status = tsl_transpose_plan_create(&plan, bench->context, options);
    if (status != TSL_OK) {
        return status;
    }
    const tsl_buffer *in = options->in_place ? bench->target : bench->source;
    *result = (tsl_transpose_result){
        .bytes = 2 * bench->bytes, .auxiliary = tsl_transpose_plan_bytes(plan), .wrong = -1};
    /* nothing of an earlier run may pass for this one's */
    status = options->in_place ? copy_source(bench) : tsl_buffer_fill(bench->target, 0xFF);
    if (status == TSL_OK) {
        status = tsl_transpose_execute(plan, bench->target, in);
    }
    if (status == TSL_OK && check) {
        status = count_wrong(bench, options->permutation, &result->wrong);
    }
    if (status == TSL_OK) {
        run timed = {plan, bench->target, in};
        status = tsl_device_time(&result->seconds, bench->context, execute, &timed, batch_seconds);
    }
    tsl_transpose_plan_destroy(plan);
    return status;
}
