#include "blocks/fft/columns.h"

#include <math.h>
#include <string.h>

#include "blocks/transpose/transpose.h"

/* A way that gains less is not worth a change: times waver more. */
static const double least_gain = 0.03;
enum { REPEATS = 5, PLACES = 8 };

static int64_t number_bytes(const tsl_columns *columns)
{
    return 2 * (int64_t)columns->what.precision;
}

static bool is_transposed(const tsl_columns *columns)
{
    return columns->what.way == TSL_COLUMNS_TRANSPOSED;
}

/* Strided, and where they lie. */
static bool stays(const tsl_columns *columns)
{
    return !columns->what.aside && !is_transposed(columns);
}

int64_t tsl_columns_scratch(const tsl_columns *columns)
{
    return (int64_t)columns->what.n * columns->what.count;
}

/* ---- taking and putting ------------------------------------------------------------------- */

void *tsl_columns_take(const tsl_columns *columns, void *matrix, int filled, void *scratch)
{
    const tsl_columns_description *w = &columns->what;
    const int64_t number = number_bytes(columns);
    const int64_t row = w->count * number;
    const int64_t pitch = w->pitch * number;
    char *from = matrix;
    char *to = scratch;
    if (is_transposed(columns)) {
        tsl_transpose_piece(to, w->n, from, w->pitch, filled, w->count, (int)number);
        for (int i = 0; i < w->count && filled < w->n; i++) {
            memset(to + ((int64_t)i * w->n + filled) * number, 0,
                   (size_t)((w->n - filled) * number));
        }
    } else if (w->aside) {
        for (int x = 0; x < filled; x++) {
            memcpy(to + x * row, from + x * pitch, (size_t)row);
        }
        memset(to + filled * row, 0, (size_t)((w->n - filled) * row));
    } else {
        for (int x = filled; x < w->n; x++) {
            memset(from + x * pitch, 0, (size_t)row);
        }
    }
    return stays(columns) ? matrix : scratch;
}

void tsl_columns_transform(const tsl_columns *columns, tsl_fft_kind kind, void *taken)
{
    tsl_fft_cpu.execute(kind == TSL_FFT_FORWARD ? columns->forward : columns->backward, taken,
                        taken);
}

void tsl_columns_put(const tsl_columns *columns, void *matrix, const void *taken)
{
    const tsl_columns_description *w = &columns->what;
    const int64_t number = number_bytes(columns);
    const int64_t row = w->count * number;
    const char *from = taken;
    char *to = matrix;
    if (is_transposed(columns)) {
        tsl_transpose_piece(to, w->pitch, from, w->n, w->count, w->n, (int)number);
    } else if (w->aside) {
        for (int x = 0; x < w->n; x++) {
            memcpy(to + x * w->pitch * number, from + x * row, (size_t)row);
        }
    }
}

/* ---- plans -------------------------------------------------------------------------------- */

static tsl_status plan(tsl_columns *columns, tsl_context *context, tsl_fft_kind kind)
{
    const tsl_columns_description *w = &columns->what;
    const tsl_fft_layout layout = {{w->n}, columns->stride, columns->distance};
    const tsl_fft_description fft = {.kind = kind,
                                     .precision = w->precision,
                                     .rank = 1,
                                     .n = {w->n},
                                     .count = w->count,
                                     .in = layout,
                                     .out = layout,
                                     .in_place = true,
                                     .patience = w->patience};
    return tsl_fft_cpu.create(kind == TSL_FFT_FORWARD ? &columns->forward : &columns->backward,
                              context, &fft);
}

/* Settle on a way, forward; the backward plan comes when it is known which is kept. */
static tsl_status settle(tsl_columns *columns, tsl_context *context,
                         const tsl_columns_description *what, tsl_columns_way way)
{
    const bool transposed = way == TSL_COLUMNS_TRANSPOSED;
    *columns = (tsl_columns){.what = *what};
    columns->what.way = way;
    columns->stride = transposed ? 1 : what->aside ? what->count : what->pitch;
    columns->distance = transposed ? what->n : 1;
    return plan(columns, context, TSL_FFT_FORWARD);
}

/* What a plan is for, on zeros: forward stands for backward, which costs the same. */
static void use(const tsl_columns *columns, void *matrix, void *scratch)
{
    void *taken = tsl_columns_take(columns, matrix, columns->what.n, scratch);
    tsl_columns_transform(columns, TSL_FFT_FORWARD, taken);
    if (columns->what.aside) {
        tsl_columns_transform(columns, TSL_FFT_FORWARD, taken);
    }
    tsl_columns_put(columns, matrix, taken);
}

/* The shorter of `least` (0: none yet) and the seconds of one use, a few in a row: of matrices side
 * by side, as far as the pitch has them, so that they don't come from the nearest cache. */
static double time_use(const tsl_columns *columns, char *array, void *scratch, double least)
{
    const int places = columns->what.pitch / columns->what.count;
    const int64_t step = columns->what.count * number_bytes(columns) / 64 * 64;
    const double begun = tsl_seconds();
    for (int i = 0; i < PLACES; i++) {
        use(columns, array + i % places * step, scratch);
    }
    const double seconds = (tsl_seconds() - begun) / PLACES;
    return least > 0 ? fmin(least, seconds) : seconds;
}

static tsl_status measure(tsl_columns *strided, tsl_columns *transposed, tsl_context *context)
{
    const int64_t array_bytes =
        strided->what.n * (int64_t)strided->what.pitch * number_bytes(strided);
    const int64_t scratch_bytes = tsl_columns_scratch(strided) * number_bytes(strided);
    char *array = tsl_allocate_zeroed(1, (size_t)array_bytes);
    char *scratch = tsl_allocate((size_t)scratch_bytes);
    tsl_status status = TSL_OK;
    if (array == NULL || scratch == NULL) {
        status = tsl_fail_memory(context, array_bytes + scratch_bytes, "measuring transforms");
    }
    double seconds[2] = {0, 0};
    for (int i = -1; i < REPEATS && status == TSL_OK; i++) { /* one to warm up */
        seconds[0] = time_use(strided, array, scratch, i > 0 ? seconds[0] : 0);
        seconds[1] = time_use(transposed, array, scratch, i > 0 ? seconds[1] : 0);
    }
    strided->strided_seconds = transposed->strided_seconds = seconds[0];
    strided->transposed_seconds = transposed->transposed_seconds = seconds[1];
    tsl_release(scratch);
    tsl_release(array);
    return status;
}

tsl_status tsl_columns_create(tsl_columns *out, tsl_context *context,
                              const tsl_columns_description *what)
{
    tsl_columns other = {.forward = NULL};
    tsl_status status = settle(out, context, what,
                               what->way == TSL_COLUMNS_FASTER ? TSL_COLUMNS_STRIDED : what->way);
    if (status == TSL_OK && what->way == TSL_COLUMNS_FASTER) {
        status = settle(&other, context, what, TSL_COLUMNS_TRANSPOSED);
        if (status == TSL_OK) {
            status = measure(out, &other, context);
        }
        if (status == TSL_OK && out->transposed_seconds < (1 - least_gain) * out->strided_seconds) {
            const tsl_columns faster = other;
            other = *out;
            *out = faster;
        }
        tsl_columns_destroy(&other);
    }
    return status == TSL_OK ? plan(out, context, TSL_FFT_BACKWARD) : status;
}

void tsl_columns_destroy(tsl_columns *columns)
{
    tsl_fft_cpu.destroy(columns->forward);
    tsl_fft_cpu.destroy(columns->backward);
    *columns = (tsl_columns){.forward = NULL};
}
