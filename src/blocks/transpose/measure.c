#include "blocks/transpose/measure.h"

#include <stdio.h>
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
enum {
    PIECE_BYTES = 65520 /* of a result too large to be compared whole: of any element, and of
                           no power of two, so that pieces begin anywhere in rows and tiles */
};

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
    char what[112];
    snprintf(what, sizeof what, "arrays of %lld x %lld x %lld elements of %d bytes need",
             (long long)shape[0], (long long)shape[1], (long long)shape[2], element);
    const tsl_device_need need = {.what = what,
                                  .remedy = "take fewer",
                                  .device = bytes > INT64_MAX / 2 ? INT64_MAX : 2 * bytes,
                                  .host = bytes};
    tsl_status status = tsl_device_foresee(context, &need);
    if (status != TSL_OK) {
        return status;
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
    TSL_TRY(bench->host != NULL ? TSL_OK : tsl_fail_memory(context, bytes, "an array on the host"));
    TSL_TRY(tsl_buffer_create(&bench->source, context, bytes));
    TSL_TRY(tsl_buffer_create(&bench->target, context, bytes));
    TSL_TRY(fill(bench));
done:
    if (status != TSL_OK) {
        tsl_transpose_bench_destroy(bench);
        return status;
    }
    *out = bench;
    return TSL_OK;
}

enum { SIDE_BY_SIDE = 4096 /* elements compared by a thread at a time */ };

/* The result's axes: their lengths, and the steps along them in the source. */
typedef struct axes {
    int64_t n[3], stride[3];
} axes;

static axes axes_of(const tsl_transpose_bench *bench, tsl_permutation permutation)
{
    const char *name = tsl_permutation_name(permutation);
    axes a;
    for (int i = 0; i < 3; i++) {
        const int axis = name[i] - 'x';
        a.n[i] = bench->shape[axis];
        a.stride[i] = axis == 0   ? 1
                      : axis == 1 ? bench->shape[0]
                                  : bench->shape[0] * bench->shape[1];
    }
    return a;
}

/* How many of the result's elements `from` to `to` - 1, which `words` begins with, are not what the
 * definition puts there. */
static int64_t wrong_in_a_row(const uint32_t *words, int each, const axes *a, int64_t from,
                              int64_t to)
{
    int64_t at[3] = {from % a->n[0], from / a->n[0] % a->n[1], from / a->n[0] / a->n[1]};
    int64_t wrong = 0;
    for (int64_t i = from; i < to; i++, words += each) {
        const int64_t source = at[0] * a->stride[0] + at[1] * a->stride[1] + at[2] * a->stride[2];
        bool same = true;
        for (int w = 0; w < each; w++) {
            same = same && words[w] == word_of(source, w);
        }
        wrong += !same;
        for (int axis = 0; axis < 2 && ++at[axis] == a->n[axis]; axis++) {
            at[axis] = 0;
            at[2] += axis == 1;
        }
    }
    return wrong;
}

/* Look at `count` of the result's elements from number `first` on, fetched from the device, and add
 * how many are wrong. */
static tsl_status add_wrong(int64_t *out, const tsl_transpose_bench *bench, const axes *a,
                            int64_t first, int64_t count)
{
    const int64_t element = bench->element;
    const int each = bench->element / 4;
    const tsl_status status =
        tsl_buffer_read(bench->target, first * element, bench->host, count * element);
    int64_t wrong = 0;
#pragma omp parallel for num_threads(bench->context->threads) reduction(+ : wrong)
    for (int64_t from = 0; from < count; from += SIDE_BY_SIDE) {
        const int64_t to = count - from < SIDE_BY_SIDE ? count : from + SIDE_BY_SIDE;
        wrong += wrong_in_a_row(bench->host + from * each, each, a, first + from, first + to);
    }
    *out += wrong;
    return status;
}

/* Elements of the target that are not where they belong, among `most` bytes of it: all of it, or
 * pieces from its first to its last element. */
static tsl_status count_wrong(tsl_transpose_result *result, const tsl_transpose_bench *bench,
                              tsl_permutation permutation, int64_t most)
{
    const axes a = axes_of(bench, permutation);
    const int64_t all = bench->bytes / bench->element;
    const int64_t piece = PIECE_BYTES / bench->element;
    const bool whole = bench->bytes <= most || all <= piece;
    const int64_t pieces = whole ? 1 : most / PIECE_BYTES > 2 ? most / PIECE_BYTES : 2;
    const int64_t each = whole ? all : piece;
    tsl_status status = TSL_OK;
    result->wrong = 0;
    for (int64_t i = 0; i < pieces && status == TSL_OK; i++) {
        const bool last = i == pieces - 1;
        const int64_t first = last ? all - each : (all - each) / (pieces - 1) * i;
        status = add_wrong(&result->wrong, bench, &a, first, each);
        result->compared += each * bench->element;
    }
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
                                   const tsl_transpose_options *options, int64_t most)
{
    tsl_transpose_plan *plan = NULL;
    tsl_status status = tsl_transpose_plan_create(&plan, bench->context, options);
    if (status != TSL_OK) {
        return status;
    }
    const tsl_buffer *in = options->in_place ? bench->target : bench->source;
    *result = (tsl_transpose_result){.bytes = tsl_transpose_plan_moved(plan),
                                     .auxiliary = tsl_transpose_plan_bytes(plan),
                                     .wrong = -1};
    /* nothing of an earlier run may pass for this one's */
    status = options->in_place ? copy_source(bench) : tsl_buffer_fill(bench->target, 0xFF);
    if (status == TSL_OK) {
        status = tsl_transpose_execute(plan, bench->target, in);
    }
    if (status == TSL_OK && most > 0) {
        status = count_wrong(result, bench, options->permutation, most);
    }
    if (status == TSL_OK) {
        run timed = {plan, bench->target, in};
        status = tsl_device_time(&result->seconds, bench->context, execute, &timed, batch_seconds);
    }
    tsl_transpose_plan_destroy(plan);
    return status;
}
