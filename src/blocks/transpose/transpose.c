/* Plans of transpositions, and their execution. */
#include "blocks/transpose/transpose.h"

#include "core/context.h"
#include "device/device.h"

struct tsl_transpose_plan {
    tsl_context *context;
    bool in_place;
    int64_t bytes; /* of the array */
    tsl_transpose_tiling tiling;
    tsl_transpose_step *steps;
    int64_t count;
    void *auxiliary;
    tsl_transpose_segment *segments; /* on the device */
    int64_t held;                    /* bytes of both */
};

enum { SMALLEST_AUXILIARY = 32 << 20, SHARE_OF_AUXILIARY = 100, ALIGNMENT = 16 };

tsl_status tsl_transpose_add(tsl_transpose_steps *steps, const tsl_transpose_step *step)
{
    if (steps->count == steps->capacity) {
        const int64_t capacity = steps->capacity > 0 ? 2 * steps->capacity : 4;
        const size_t each = sizeof *steps->steps;
        tsl_transpose_step *grown =
            tsl_reallocate(steps->steps, (size_t)steps->count * each, (size_t)capacity * each);
        if (grown == NULL) {
            return tsl_fail_memory(steps->context, capacity * (int64_t)each,
                                   "the steps of a transposition");
        }
        steps->steps = grown;
        steps->capacity = capacity;
    }
    steps->steps[steps->count++] = *step;
    return TSL_OK;
}

static tsl_status check_tiling(tsl_context *context, const tsl_transpose_options *options)
{
    const tsl_transpose_ops *ops = context->ops->transpose;
    if (options->tile == 0 && options->per_thread == 0) {
        return TSL_OK;
    }
    for (int i = 0; i < ops->tiling_count; i++) {
        if (ops->tilings[i].tile == options->tile &&
            ops->tilings[i].per_thread == options->per_thread) {
            return TSL_OK;
        }
    }
    return tsl_fail(context, TSL_E_UNSUPPORTED,
                    "%s has no kernels for tiles of side %d with %d elements a thread: give 0 for "
                    "both, or another pair",
                    context->name, options->tile, options->per_thread);
}

static tsl_status check_options(tsl_context *context, const tsl_transpose_options *options,
                                int64_t *bytes)
{
    if (options->size != sizeof *options) {
        return tsl_fail(context, TSL_E_ARG,
                        "transposition options: size is %zu, not %zu: initialise them with "
                        "TSL_TRANSPOSE_OPTIONS_INIT",
                        options->size, sizeof *options);
    }
    if (tsl_permutation_name(options->permutation) == NULL) {
        return tsl_fail(context, TSL_E_ARG, "%d is no permutation", (int)options->permutation);
    }
    if (options->element != 4 && options->element != 8 && options->element != 16) {
        return tsl_fail(context, TSL_E_ARG, "elements of %d bytes: give 4, 8 or 16",
                        options->element);
    }
    for (int i = 0; i < 3; i++) {
        if (options->shape[i] < 1) {
            return tsl_fail(context, TSL_E_ARG, "a length of %lld: give at least 1",
                            (long long)options->shape[i]);
        }
    }
    if (!tsl_transpose_bytes(bytes, options->shape, options->element)) {
        return tsl_fail(context, TSL_E_ARG, "an array of %lld x %lld x %lld elements is too large",
                        (long long)options->shape[0], (long long)options->shape[1],
                        (long long)options->shape[2]);
    }
    if (options->auxiliary < 0) {
        return tsl_fail(context, TSL_E_ARG, "auxiliary memory of %lld bytes: give 0 or more",
                        (long long)options->auxiliary);
    }
    return check_tiling(context, options);
}

int64_t tsl_transpose_auxiliary(const tsl_transpose_options *options, int64_t bytes)
{
    const int64_t share = bytes / SHARE_OF_AUXILIARY;
    const int64_t usual = share > SMALLEST_AUXILIARY ? share : SMALLEST_AUXILIARY;
    return options->auxiliary > 0 ? options->auxiliary : usual;
}

static tsl_status make_steps(tsl_transpose_steps *steps, const tsl_transpose_options *options,
                             int64_t bytes)
{
    if (options->in_place) {
        steps->auxiliary = tsl_transpose_auxiliary(options, bytes);
        return tsl_transpose_in_place(steps, options->shape, options->permutation,
                                      options->element);
    }
    tsl_transpose_step step = {
        .action = TSL_TRANSPOSE_MOVE, .out = {TSL_TRANSPOSE_OUT, 0}, .in = {TSL_TRANSPOSE_IN, 0}};
    tsl_transpose_reduce(&step.form, options->shape, options->permutation, options->element);
    return tsl_transpose_add(steps, &step);
}

/* Take the device memory the steps need, and send it the segments. */
static tsl_status take_memory(tsl_transpose_plan *plan, const tsl_transpose_steps *steps)
{
    tsl_context *context = plan->context;
    tsl_status status = TSL_OK;
    if (steps->used > 0) {
        status =
            tsl_device_allocate(&plan->auxiliary, context, steps->used, "a transposition in place");
    }
    const int64_t bytes = steps->segment_count * (int64_t)sizeof *steps->segments;
    if (status == TSL_OK && bytes > 0) {
        void *segments;
        status = tsl_device_allocate(&segments, context, bytes, "a transposition's cycles");
        if (status == TSL_OK) {
            plan->segments = segments;
            status = context->ops->upload(context, segments, steps->segments, bytes);
        }
    }
    plan->held = steps->used + bytes;
    return status;
}

tsl_status tsl_transpose_plan_create(tsl_transpose_plan **out, tsl_context *context,
                                     const tsl_transpose_options *options)
{
    int64_t bytes = 0;
    tsl_status status = check_options(context, options, &bytes);
    if (status != TSL_OK) {
        return status;
    }
    tsl_transpose_plan *plan = tsl_allocate_zeroed(1, sizeof *plan);
    if (plan == NULL) {
        return tsl_fail_memory(context, sizeof *plan, "a transposition's plan");
    }
    plan->context = context;
    plan->in_place = options->in_place != 0;
    plan->bytes = bytes;
    plan->tiling = (tsl_transpose_tiling){options->tile, options->per_thread};
    tsl_transpose_steps steps = {.context = context};
    status = make_steps(&steps, options, bytes);
    plan->steps = steps.steps;
    plan->count = steps.count;
    if (status == TSL_OK) {
        status = take_memory(plan, &steps);
    }
    tsl_release(steps.segments);
    if (status != TSL_OK) {
        tsl_transpose_plan_destroy(plan);
        return status;
    }
    *out = plan;
    return TSL_OK;
}

void tsl_transpose_plan_destroy(tsl_transpose_plan *plan)
{
    if (plan != NULL) {
        if (plan->held > 0) { /* work that is under way may need the memory */
            plan->context->ops->synchronize(plan->context);
        }
        tsl_device_release(plan->context, plan->auxiliary);
        tsl_device_release(plan->context, plan->segments);
        tsl_release(plan->steps);
        tsl_release(plan);
    }
}

int64_t tsl_transpose_plan_bytes(const tsl_transpose_plan *plan)
{
    return plan->held;
}

int64_t tsl_transpose_plan_moved(const tsl_transpose_plan *plan)
{
    return plan->count > 0 ? 2 * plan->bytes : 0;
}

static tsl_status take_step(const tsl_transpose_plan *plan, const tsl_transpose_step *step,
                            char *out, const char *in)
{
    const tsl_transpose_ops *ops = plan->context->ops->transpose;
    char *const memories[] = {
        [TSL_TRANSPOSE_OUT] = out, [TSL_TRANSPOSE_AUXILIARY] = plan->auxiliary};
    char *const data = memories[step->out.memory] + step->out.offset;
    const tsl_transpose_form *form = &step->form;
    tsl_transpose_cycles cycles = step->cycles;
    switch (step->action) {
    case TSL_TRANSPOSE_MOVE:
        in = (step->in.memory == TSL_TRANSPOSE_IN ? in : memories[step->in.memory]) +
             step->in.offset;
        return ops->move(plan->context, data, in, form, plan->tiling);
    case TSL_TRANSPOSE_SWAP:
        return ops->swap(plan->context, data, form);
    case TSL_TRANSPOSE_ROTATE:
        return ops->rotate(plan->context, data, form->n[0], form->element, form->kind != 0);
    case TSL_TRANSPOSE_FOLLOW:
        cycles.segments = plan->segments + step->segment;
        return ops->follow(plan->context, data, memories[step->in.memory] + step->in.offset,
                           &cycles);
    }
    return tsl_fail(plan->context, TSL_E_INTERNAL, "a step of kind %d", (int)step->action);
}

static tsl_status check_buffers(const tsl_transpose_plan *plan, const tsl_buffer *out,
                                const tsl_buffer *in)
{
    const uintptr_t to = (uintptr_t)tsl_buffer_data(out);
    const uintptr_t from = (uintptr_t)tsl_buffer_data(in);
    const uintptr_t bytes = (uintptr_t)plan->bytes;
    const int64_t least =
        tsl_buffer_bytes(out) < tsl_buffer_bytes(in) ? tsl_buffer_bytes(out) : tsl_buffer_bytes(in);
    if (least < plan->bytes) {
        return tsl_fail(plan->context, TSL_E_ARG,
                        "transposing %lld bytes, but a buffer holds only %lld",
                        (long long)plan->bytes, (long long)least);
    }
    if (to % ALIGNMENT != 0 || from % ALIGNMENT != 0) {
        return tsl_fail(plan->context, TSL_E_ARG,
                        "transposing needs addresses that are multiples of %d", ALIGNMENT);
    }
    if (plan->in_place && to != from) {
        return tsl_fail(plan->context, TSL_E_ARG,
                        "a transposition in place needs the same memory twice");
    }
    if (!plan->in_place && to < from + bytes && from < to + bytes) {
        return tsl_fail(plan->context, TSL_E_ARG,
                        "source and target of a transposition overlap: plan it in place");
    }
    return TSL_OK;
}

tsl_status tsl_transpose_execute(tsl_transpose_plan *plan, tsl_buffer *out, const tsl_buffer *in)
{
    const double begun = tsl_seconds();
    tsl_status status = check_buffers(plan, out, in);
    for (int64_t i = 0; i < plan->count && status == TSL_OK; i++) {
        status = take_step(plan, &plan->steps[i], tsl_buffer_data(out), tsl_buffer_data(in));
    }
    if (status == TSL_OK) {
        tsl_profile_add(plan->context, "transpose", begun, tsl_transpose_plan_moved(plan), 0);
    }
    return status;
}
