#include "blocks/fft/measure.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>

#include "blocks/transpose/transpose.h"
#include "device/device.h"

static const double shortest = 4e-3; /* seconds of runs in a row */

/* ---- cases -------------------------------------------------------------------------------- */

const char *tsl_fft_kind_name(tsl_fft_kind kind)
{
    return kind == TSL_FFT_REAL_FORWARD ? "r2c" : kind == TSL_FFT_REAL_BACKWARD ? "c2r" : "c2c";
}

const char *tsl_fft_case_name(char *text, const tsl_fft_case *what)
{
    snprintf(text, 80, "%d-D %d %s %s batch %d stride %d", what->dimension, what->n,
             tsl_fft_kind_name(what->kind), what->precision == TSL_SINGLE ? "single" : "double",
             what->batch, what->stride);
    return text;
}

static int64_t power(int64_t base, int exponent)
{
    int64_t product = 1;
    for (int i = 0; i < exponent; i++) {
        product *= base;
    }
    return product;
}

tsl_fft_side tsl_fft_side_of(const tsl_fft_case *what, bool output)
{
    const bool is_complex = what->kind == TSL_FFT_FORWARD || what->kind == TSL_FFT_BACKWARD;
    const bool is_real = !is_complex && (what->kind == TSL_FFT_REAL_FORWARD) != output;
    tsl_fft_side side = {.is_real = is_real,
                         .element = (is_real ? 1 : 2) * (int)what->precision,
                         .row = is_complex || is_real ? what->n : what->n / 2 + 1,
                         .stride = what->stride};
    side.cells = power(what->n, what->dimension - 1) * side.row;
    if (what->stride == 1) {
        side.distance = side.cells;
        side.lines = what->batch;
        side.groups = 1;
        side.pitch = side.cells * what->batch;
    } else {
        side.distance = 1;
        side.lines = what->batch < what->stride ? what->batch : what->stride;
        side.groups = what->batch / side.lines;
        side.pitch = (side.cells * what->stride + 15) / 16 * 16;
    }
    side.bytes = side.groups * side.pitch * side.element;
    return side;
}

/* N S B: S is the size of an element in real space, a real one of r2c and c2r. */
static int64_t data_of(const tsl_fft_case *what)
{
    const bool is_complex = what->kind == TSL_FFT_FORWARD || what->kind == TSL_FFT_BACKWARD;
    return power(what->n, what->dimension) * (is_complex ? 2 : 1) * (int)what->precision *
           what->batch;
}

bool tsl_fft_case_fits(const tsl_fft_case *what, int64_t most)
{
    const bool makes_sense =
        what->dimension >= 1 && what->dimension <= 3 && what->n >= 2 && what->batch >= 1 &&
        what->stride >= 1 && (what->stride == 1 || what->dimension == 1) &&
        (what->stride == 1 || what->batch <= what->stride || what->batch % what->stride == 0);
    /* in floating point first, which does not overflow; plans count in int */
    const double cells = pow(what->n, what->dimension) * (1 + 2.0 / what->n);
    const double elements = cells * (what->stride > what->batch ? what->stride : what->batch);
    const double planned = cells * (what->stride > 1 ? what->stride : what->batch);
    if (!makes_sense || planned >= INT_MAX || elements * 4 > (double)most) {
        return false;
    }
    return tsl_fft_side_of(what, false).bytes <= most && tsl_fft_side_of(what, true).bytes <= most;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

tsl_status tsl_fft_check_memory(tsl_context *context, const tsl_fft_case *what)
{
    const tsl_fft_side in = tsl_fft_side_of(what, false);
    const tsl_fft_side out = tsl_fft_side_of(what, true);
    const int64_t lines = what->batch * (in.cells * in.element + out.cells * out.element);
    const int64_t arrays = in.bytes + out.bytes + (what->stride > 1 ? lines : 0);
    /* the CPU's planner has two arrays of its own, before the others are there */
    const int64_t planning = context->ops->peer == NULL ? 2 * larger(in.bytes, out.bytes) : 0;
    char name[80], text[112];
    snprintf(text, sizeof text, "transforms of %s need", tsl_fft_case_name(name, what));
    const tsl_device_need need = {.what = text,
                                  .remedy = "take fewer or smaller ones, or less for --most",
                                  .device = arrays,
                                  .host =
                                      larger(in.bytes, out.bytes) + larger(planning - arrays, 0)};
    return tsl_device_foresee(context, &need);
}

/* ---- one measurement ---------------------------------------------------------------------- */

typedef struct trial {
    tsl_context *context;
    const tsl_fft_case *what;
    tsl_fft_side in_side, out_side;
    tsl_fft *fft; /* of a group */
    char *in, *out;
    /* with a stride: of all lines, contiguous */
    tsl_fft *lines;
    char *lines_in, *lines_out;
    tsl_transpose_form to_lines, from_lines;
    void *host;
} trial;

static tsl_fft_layout layout_of(const tsl_fft_case *what, const tsl_fft_side *side)
{
    tsl_fft_layout layout = {.embed = {what->n, what->n, what->n},
                             .stride = (int)side->stride,
                             .distance = (int)side->distance};
    layout.embed[what->dimension - 1] = (int)side->row;
    return layout;
}

/* Plan `count` transforms. What a library learns while it plans stays with the library and is no
 * part of a plan's memory, so *workspace is that of a second plan. */
static tsl_status plan(tsl_fft **out, int64_t *workspace, const trial *t, const tsl_fft_side *in,
                       const tsl_fft_side *to, int64_t count)
{
    const tsl_fft_ops *ops = t->context->ops->fft;
    const int n = t->what->n;
    const tsl_fft_description description = {.kind = t->what->kind,
                                             .precision = t->what->precision,
                                             .rank = t->what->dimension,
                                             .n = {n, n, n},
                                             .count = (int)count,
                                             .in = layout_of(t->what, in),
                                             .out = layout_of(t->what, to)};
    const double begun = tsl_seconds();
    tsl_status status = ops->create(out, t->context, &description);
    if (status == TSL_OK && workspace != NULL) {
        ops->destroy(*out);
        *out = NULL;
        status = ops->create(out, t->context, &description);
        *workspace = status == TSL_OK ? ops->workspace(*out) : -1;
    }
    tsl_profile_add(t->context, "plan", begun, 0, 0);
    return status;
}

/* The way from a side with a stride to contiguous lines, or back. */
static tsl_transpose_form transposition(const tsl_fft_side *side, bool back)
{
    const int64_t n[3] = {side->lines, side->cells, side->groups};
    const int64_t strided[3] = {1, side->stride, side->pitch};
    const int64_t lines[3] = {side->cells, 1, side->cells * side->lines};
    tsl_transpose_form form;
    if (back) { /* axes in the order of the source's strides */
        const int64_t m[3] = {n[1], n[0], n[2]};
        const int64_t from[3] = {1, side->cells, lines[2]};
        const int64_t to[3] = {side->stride, 1, side->pitch};
        tsl_transpose_form_of(&form, m, from, to, side->element, 16);
    } else {
        tsl_transpose_form_of(&form, n, strided, lines, side->element, 16);
    }
    return form;
}

static tsl_status take(trial *t, tsl_fft_measurement *m)
{
    tsl_context *context = t->context;
    const tsl_fft_side *in = &t->in_side, *out = &t->out_side;
    const int64_t bytes = larger(in->bytes, out->bytes);
    tsl_status status = tsl_fft_check_memory(context, t->what);
    if (status != TSL_OK) {
        return status;
    }
    t->host = tsl_allocate((size_t)bytes);
    if (t->host == NULL) {
        return tsl_fail_memory(context, bytes, "an array of transforms on the host");
    }
    TSL_TRY(plan(&t->fft, &m->workspace, t, in, out, in->lines));
    TSL_TRY(tsl_device_allocate((void **)&t->in, context, in->bytes, "transforms"));
    TSL_TRY(tsl_device_allocate((void **)&t->out, context, out->bytes, "transforms"));
done:
    return status;
}

static tsl_status take_lines(trial *t)
{
    const tsl_fft_case contiguous = {.kind = t->what->kind,
                                     .precision = t->what->precision,
                                     .dimension = 1,
                                     .n = t->what->n,
                                     .stride = 1,
                                     .batch = t->what->batch};
    const tsl_fft_side in = tsl_fft_side_of(&contiguous, false);
    const tsl_fft_side out = tsl_fft_side_of(&contiguous, true);
    t->to_lines = transposition(&t->in_side, false);
    t->from_lines = transposition(&t->out_side, true);
    tsl_status status = TSL_OK;
    TSL_TRY(plan(&t->lines, NULL, t, &in, &out, contiguous.batch));
    TSL_TRY(tsl_device_allocate((void **)&t->lines_in, t->context, in.bytes, "lines"));
    TSL_TRY(tsl_device_allocate((void **)&t->lines_out, t->context, out.bytes, "lines"));
done:
    return status;
}

static void release(trial *t)
{
    const tsl_fft_ops *ops = t->context->ops->fft;
    ops->destroy(t->fft);
    ops->destroy(t->lines);
    tsl_device_release(t->context, t->in);
    tsl_device_release(t->context, t->out);
    tsl_device_release(t->context, t->lines_in);
    tsl_device_release(t->context, t->lines_out);
    tsl_release(t->host);
}

/* ---- what is timed ------------------------------------------------------------------------ */

static tsl_status run_as_they_lie(void *arguments)
{
    const trial *t = arguments;
    const tsl_fft_side *in = &t->in_side, *out = &t->out_side;
    tsl_status status = TSL_OK;
    for (int64_t group = 0; group < in->groups && status == TSL_OK; group++) {
        status = t->context->ops->fft->execute(t->fft, t->in + group * in->pitch * in->element,
                                               t->out + group * out->pitch * out->element);
    }
    return status;
}

static tsl_status run_one_way(void *arguments)
{
    const trial *t = arguments;
    const tsl_device_ops *ops = t->context->ops;
    const tsl_transpose_tiling usual = {0, 0};
    const tsl_status status =
        ops->transpose->move(t->context, t->lines_in, t->in, &t->to_lines, usual);
    return status == TSL_OK ? ops->fft->execute(t->lines, t->lines_in, t->lines_out) : status;
}

static tsl_status run_transposed(void *arguments)
{
    const trial *t = arguments;
    const tsl_transpose_tiling usual = {0, 0};
    const tsl_status status = run_one_way(arguments);
    return status == TSL_OK ? t->context->ops->transpose->move(t->context, t->out, t->lines_out,
                                                               &t->from_lines, usual)
                            : status;
}

/* Run once, verify, then time. */
static tsl_status verify(double *error, trial *t, tsl_work work)
{
    const tsl_device_ops *ops = t->context->ops;
    const double begun = tsl_seconds();
    tsl_fft_write_input(t->host, t->what);
    tsl_status status = ops->upload(t->context, t->in, t->host, t->in_side.bytes);
    if (status == TSL_OK) { /* nothing of an earlier run may pass for this one's */
        status = ops->fill(t->context, t->out, 0xFF, t->out_side.bytes);
    }
    if (status == TSL_OK) {
        status = work(t);
    }
    if (status == TSL_OK) {
        status = ops->download(t->context, t->host, t->out, t->out_side.bytes);
    }
    if (status == TSL_OK) {
        status = tsl_fft_find_error(error, t->context, t->host, t->what);
    }
    tsl_profile_add(t->context, "verify", begun, 0, 0);
    return status;
}

static tsl_status time_work(double *seconds, trial *t, tsl_work work)
{
    const double begun = tsl_seconds();
    tsl_status status = TSL_OK;
    if (t->what->kind == TSL_FFT_REAL_BACKWARD) {
        status = t->context->ops->fill(t->context, t->in, 0, t->in_side.bytes);
    }
    if (status == TSL_OK) {
        status = tsl_device_time(seconds, t->context, work, t, shortest);
    }
    tsl_profile_add(t->context, "time", begun, 0, 0);
    return status;
}

static tsl_status measure_lines(tsl_fft_measurement *out, trial *t)
{
    double error = 0;
    tsl_status status = TSL_OK;
    TSL_TRY(take_lines(t));
    TSL_TRY(verify(&error, t, run_transposed));
    out->error = error > out->error || isnan(error) ? error : out->error;
    TSL_TRY(time_work(&out->transposed, t, run_transposed));
done:
    return status == TSL_OK ? time_work(&out->one_way, t, run_one_way) : status;
}

tsl_status tsl_fft_measure(tsl_fft_measurement *out, tsl_context *context, const tsl_fft_case *what)
{
    trial t = {.context = context,
               .what = what,
               .in_side = tsl_fft_side_of(what, false),
               .out_side = tsl_fft_side_of(what, true)};
    const double cells = pow(what->n, what->dimension);
    *out = (tsl_fft_measurement){
        .what = *what,
        .data = data_of(what),
        .moved = what->batch *
                 (t.in_side.cells * t.in_side.element + t.out_side.cells * t.out_side.element),
        .flops = (what->kind == TSL_FFT_FORWARD ? 5 : 2.5) * cells * log2(cells) * what->batch,
        .bound = tsl_fft_error_bound(what)};
    tsl_status status = TSL_OK;
    TSL_TRY(take(&t, out));
    TSL_TRY(verify(&out->error, &t, run_as_they_lie));
    TSL_TRY(time_work(&out->seconds, &t, run_as_they_lie));
done:
    if (status == TSL_OK && what->stride > 1) {
        status = measure_lines(out, &t);
    }
    release(&t);
    return status;
}
