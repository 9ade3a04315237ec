/* `tesela transpose`: a file. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "blocks/transpose/transpose.h"
#include "cli/shared/ranks.h"
#include "cli/transpose/command.h"
#include "core/context.h"
#include "device/device.h"
#include "io/file/format.h"
#include "io/grid/npy.h"

enum { WIDEST = 16, LONGEST_ELEMENT = 1 << 20 }; /* bytes */

/* Bytes of the elements by which a device moves elements of `bytes` bytes. */
static int64_t width_of(int64_t bytes)
{
    return bytes <= 4 ? 4 : bytes <= 8 ? 8 : WIDEST;
}

/* The lengths of a file's axes, fastest first, and ones; false if there are more than three
 * axes. */
static bool shape_of(int64_t shape[3], const tsl_npy *header)
{
    for (int i = 0; i < 3; i++) {
        shape[i] = 1;
    }
    for (int i = 0; i < header->axes && header->axes <= 3; i++) {
        shape[header->fortran_order ? i : header->axes - 1 - i] = header->shape[i];
    }
    return header->axes <= 3;
}

/* Do two shapes, fastest axis first, cut the same line of elements, one finer than the other? Then
 * each step of the coarser one from element to element is also a step of the finer one. */
static bool refines(const int64_t *fine, int fine_axes, const int64_t *coarse, int coarse_axes)
{
    int64_t step = 1, target = 1;
    int used = 0;
    for (int i = 0; i < coarse_axes; i++) {
        target *= coarse[i];
        while (used < fine_axes && step < target) {
            step *= fine[used++];
        }
        if (step != target) {
            return false;
        }
    }
    return true;
}

/* Does a given shape contradict the axes of the file? Elements stand in the order of those axes, so
 * that a shape may only cut an axis in several, or join several. */
static bool contradicts(const int64_t given[3], const tsl_npy *header)
{
    int64_t own[TSL_NPY_AXES] = {1};
    const int axes = header->axes;
    for (int i = 0; i < axes; i++) {
        own[header->fortran_order ? i : axes - 1 - i] = header->shape[i];
    }
    return axes == 3  ? memcmp(own, given, 3 * sizeof *given) != 0
           : axes < 3 ? !refines(given, 3, own, axes)
                      : !refines(own, axes, given, 3);
}

/* Write a file's axes, fastest first: "5,4,3". */
static const char *axes_text(char text[256], const tsl_npy *header)
{
    int used = 0;
    for (int i = 0; i < header->axes && used < 200; i++) {
        const int axis = header->fortran_order ? i : header->axes - 1 - i;
        used += snprintf(text + used, 256 - (size_t)used, "%s%lld", i > 0 ? "," : "",
                         (long long)header->shape[axis]);
    }
    return text;
}

static tsl_status check_shape(const transpose_options *options, tsl_context *context,
                              const tsl_npy *header)
{
    const int64_t *given = options->transpose.shape;
    char text[256];
    int64_t count = 0;
    if (!tsl_transpose_bytes(&count, given, 1) || count != header->count) {
        return tsl_fail(context, TSL_E_ARG,
                        "--shape %lld,%lld,%lld: %s holds %lld elements, not that many",
                        (long long)given[0], (long long)given[1], (long long)given[2],
                        options->input, (long long)header->count);
    }
    return !contradicts(given, header)
               ? TSL_OK
               : tsl_fail(context, TSL_E_ARG,
                          "--shape %lld,%lld,%lld: contradicts the axes of %s, fastest first %s: "
                          "leave --shape out",
                          (long long)given[0], (long long)given[1], (long long)given[2],
                          options->input, axes_text(text, header));
}

/* Settle the shape that is transposed, and the number of axes of the result. */
static tsl_status settle_shape(transpose_options *options, tsl_context *context,
                               const tsl_npy *header, int *axes)
{
    int64_t *given = options->transpose.shape;
    int64_t shape[3], turned[3];
    const bool few = shape_of(shape, header);
    if (given[0] > 0) {
        *axes = 3;
        return check_shape(options, context, header);
    }
    if (!few || header->axes < 2) {
        return tsl_fail(context, TSL_E_ARG,
                        "%s: has %d ax%cs: say with --shape NX,NY,NZ what three its elements have",
                        options->input, header->axes, header->axes == 1 ? 'i' : 'e');
    }
    memcpy(given, shape, sizeof shape);
    *axes = header->axes;
    tsl_permutation_shape(turned, shape, options->transpose.permutation);
    const char last = tsl_permutation_name(options->transpose.permutation)[2];
    if (*axes == 2 && last != 'z') {
        return tsl_fail(context, TSL_E_ARG,
                        "%s: has 2 axes, x and y: give --permute yxz, or --shape NX,NY,NZ",
                        options->input);
    }
    return TSL_OK;
}

static tsl_status check_header(transpose_options *options, tsl_context *context,
                               const tsl_npy *header)
{
    const int asked = options->transpose.element;
    if (asked != 0 && asked != header->item) {
        return tsl_fail(context, TSL_E_ARG, "--element %d: %s has elements of %lld bytes", asked,
                        options->input, (long long)header->item);
    }
    if (header->count == 0) {
        return tsl_fail(context, TSL_E_ARG, "%s: has no elements", options->input);
    }
    if (header->item > LONGEST_ELEMENT) {
        return tsl_fail(context, TSL_E_ARG,
                        "%s: has elements of %lld bytes (%s): at most %d are transposed",
                        options->input, (long long)header->item, header->type, LONGEST_ELEMENT);
    }
    options->transpose.element = (int)width_of(header->item);
    return TSL_OK;
}

/* Transpose `data`, of `bytes` bytes, on the device. */
static tsl_status transpose_data(transpose_work *work, const tsl_transpose_options *options,
                                 void *data, int64_t bytes)
{
    tsl_transpose_result *result = &work->rows[0].result;
    tsl_transpose_plan *plan = NULL;
    tsl_buffer *in = NULL;
    tsl_buffer *out = NULL;
    tsl_status status = tsl_buffer_create(&in, work->context, bytes);
    if (status == TSL_OK && !options->in_place) {
        status = tsl_buffer_create(&out, work->context, bytes);
    }
    tsl_buffer *const target = options->in_place ? in : out;
    if (status == TSL_OK) {
        status = tsl_transpose_plan_create(&plan, work->context, options);
    }
    if (status == TSL_OK) {
        status = tsl_buffer_write(in, 0, data, bytes);
    }
    if (status == TSL_OK) {
        status = tsl_context_synchronize(work->context);
    }
    const double begun = tsl_seconds();
    work->setup = begun - work->begun - work->compute;
    if (status == TSL_OK) {
        status = tsl_transpose_execute(plan, target, in);
    }
    if (status == TSL_OK) {
        status = tsl_context_synchronize(work->context);
    }
    if (status == TSL_OK) {
        const double seconds = tsl_seconds() - begun;
        work->compute += seconds;
        result->seconds += seconds;
        result->bytes += tsl_transpose_plan_moved(plan);
        result->auxiliary = tsl_transpose_plan_bytes(plan);
        status = tsl_buffer_read(target, 0, data, bytes);
    }
    tsl_transpose_plan_destroy(plan);
    tsl_buffer_destroy(in);
    tsl_buffer_destroy(out);
    return status;
}

/* Transpose elements of other sizes than 4, 8 and 16 bytes, which the device moves. They go by
 * lanes: so many bytes of each element at a time, in elements that hold them. */
static tsl_status transpose_lanes(transpose_work *work, char *data, const tsl_npy *header)
{
    tsl_transpose_options lane = work->options->transpose;
    const int64_t item = header->item;
    char *elements = tsl_allocate((size_t)(header->count * width_of(item)));
    tsl_status status = TSL_OK;
    if (elements == NULL) {
        return tsl_fail_memory(work->context, header->count * width_of(item), "elements");
    }
    for (int64_t at = 0; at < item && status == TSL_OK; at += WIDEST) {
        const int64_t part = item - at < WIDEST ? item - at : WIDEST;
        const int64_t width = width_of(part);
        memset(elements, 0, (size_t)(header->count * width));
        for (int64_t i = 0; i < header->count; i++) {
            memcpy(elements + i * width, data + i * item + at, (size_t)part);
        }
        lane.element = (int)width;
        status = transpose_data(work, &lane, elements, header->count * width);
        for (int64_t i = 0; i < header->count && status == TSL_OK; i++) {
            memcpy(data + i * item + at, elements + i * width, (size_t)part);
        }
    }
    tsl_release(elements);
    return status;
}

static tsl_status transpose_array(transpose_work *work, void *data, const tsl_npy *header)
{
    const tsl_transpose_options *options = &work->options->transpose;
    const int64_t bytes = header->count * header->item;
    work->rows[0] = (transpose_row){.permutation = options->permutation, .result = {.wrong = -1}};
    work->count = 1;
    work->bytes = bytes;
    return options->element == header->item ? transpose_data(work, options, data, bytes)
                                            : transpose_lanes(work, data, header);
}

/* Check memory for the array on the host and on the device, where it may be transposed in place. */
static tsl_status check_memory(const transpose_options *options, tsl_context *context,
                               const tsl_npy *header)
{
    const tsl_transpose_options *t = &options->transpose;
    const int64_t held = header->count * header->item;
    const int64_t bytes = header->count * t->element; /* on the device, one lane at a time */
    /* no transposition takes more than the array's own size */
    const int64_t most = tsl_transpose_auxiliary(t, bytes);
    const int64_t auxiliary = most < bytes ? most : bytes;
    char what[PATH_MAX + 80];
    snprintf(what, sizeof what, "%s: %lld elements of %lld bytes need", options->input,
             (long long)header->count, (long long)header->item);
    const tsl_device_need need = {.what = what,
                                  .remedy = t->in_place ? "take fewer"
                                                        : "take fewer, or turn them --in-place",
                                  .device = t->in_place             ? bytes + auxiliary
                                            : bytes > INT64_MAX / 2 ? INT64_MAX
                                                                    : 2 * bytes,
                                  .host = t->element == header->item ? held : held + bytes};
    return tsl_device_foresee(context, &need);
}

/* Transpose the file. */
tsl_status transpose_file(transpose_work *work)
{
    transpose_options *options = work->options;
    tsl_input *input = NULL;
    tsl_format format = TSL_FORMAT_TEXT;
    tsl_npy header;
    void *data = NULL;
    int axes = 0;
    tsl_status status = tsl_input_open(&input, work->context, options->input);
    if (status != TSL_OK) {
        return status;
    }
    options->input = tsl_input_name(input);
    status = tsl_format_tell(&format, input);
    if (status == TSL_OK && format == TSL_FORMAT_NPZ) {
        const tsl_format_choice only = {.wanted = NULL};
        char chosen[TSL_ZIP_NAME];
        int arrays;
        status = tsl_format_unpack(chosen, &arrays, input, &only);
    }
    if (status == TSL_OK && format == TSL_FORMAT_HDF5) {
        status = tsl_fail(work->context, TSL_E_FORMAT,
                          "%s: is an HDF5 file: save the array as .npy", options->input);
    }
    if (status == TSL_OK) {
        status = tsl_npy_open(&header, input);
    }
    if (status == TSL_OK) {
        status = check_header(options, work->context, &header);
    }
    if (status == TSL_OK) {
        status = settle_shape(options, work->context, &header, &axes);
    }
    if (status == TSL_OK) {
        status = check_memory(options, work->context, &header);
    }
    if (status == TSL_OK) {
        status = tsl_npy_load(&data, input, &header);
    }
    if (status == TSL_OK) {
        status = transpose_array(work, data, &header);
        options->transpose.element = (int)header.item; /* for the report */
    }
    if (status == TSL_OK) {
        int64_t shape[3];
        tsl_permutation_shape(shape, options->transpose.shape, options->transpose.permutation);
        header.axes = axes;
        for (int i = 0; i < axes; i++) {
            header.shape[i] = shape[header.fortran_order ? i : axes - 1 - i];
        }
        status = tsl_npy_write(work->context, options->output, &header, data);
    }
    tsl_release(data);
    tsl_input_close(input);
    return status;
}
