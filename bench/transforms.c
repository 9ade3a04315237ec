/* The transforms a correlation is made of, on a device: batches of whole grids, in place.
 *
 *   transforms DEVICE N [BATCH]
 *
 * Prints the time of one grid: real forward plus real backward, and the two complex transforms that
 * a packed pair of grids would take.
 */
#include <stdio.h>
#include <stdlib.h>

#include "blocks/convolve/convolve.h"
#include "device/device.h"

enum { REPEATS = 20 };

typedef struct bench {
    tsl_context *context;
    int n, batch;
    void *memory;
} bench;

static tsl_fft *plan(const bench *b, tsl_fft_kind kind)
{
    const int half = b->n / 2 + 1;
    const int distance = b->n * b->n * half;
    const tsl_fft_layout numbers = {{b->n, b->n, b->n}, 1, b->n * b->n * b->n};
    const tsl_fft_layout halves = {{b->n, b->n, half}, 1, distance};
    const tsl_fft_layout reals = {{b->n, b->n, 2 * half}, 1, 2 * distance};
    tsl_fft_description what = {.kind = kind,
                                .precision = TSL_SINGLE,
                                .rank = 3,
                                .n = {b->n, b->n, b->n},
                                .count = b->batch,
                                .in = numbers,
                                .out = numbers,
                                .in_place = true};
    if (kind == TSL_FFT_REAL_FORWARD) {
        what.in = reals;
        what.out = halves;
    } else if (kind == TSL_FFT_REAL_BACKWARD) {
        what.in = halves;
        what.out = reals;
    }
    tsl_fft *fft = NULL;
    if (b->context->ops->fft->create(&fft, b->context, &what) != TSL_OK) {
        fprintf(stderr, "transforms: %s\n", tsl_last_error(b->context));
        exit(3);
    }
    return fft;
}

/* Microseconds of a pair of transforms of one grid. */
static double time_pair(const bench *b, tsl_fft_kind there, tsl_fft_kind back)
{
    const tsl_fft_ops *ops = b->context->ops->fft;
    tsl_fft *first = plan(b, there);
    tsl_fft *second = plan(b, back);
    double begun = 0;
    b->context->ops->fill(b->context, b->memory, 0, 4096);
    for (int i = -2; i < REPEATS; i++) {
        if (i == 0) {
            tsl_context_synchronize(b->context);
            begun = tsl_seconds();
        }
        ops->execute(first, b->memory, b->memory);
        ops->execute(second, b->memory, b->memory);
    }
    tsl_context_synchronize(b->context);
    const double seconds = tsl_seconds() - begun;
    ops->destroy(first);
    ops->destroy(second);
    return 1e6 * seconds / REPEATS / b->batch;
}

int main(int argc, char **argv)
{
    bench b = {.n = argc > 2 ? atoi(argv[2]) : 0, .batch = argc > 3 ? atoi(argv[3]) : 0};
    if (argc < 3 || b.n < 2 || b.n > 1024) {
        fprintf(stderr, "usage: transforms DEVICE N [BATCH]\n");
        return 2;
    }
    tsl_context_options options = TSL_CONTEXT_OPTIONS_INIT;
    options.device = argv[1];
    if (tsl_context_create(&b.context, &options) != TSL_OK) {
        fprintf(stderr, "transforms: %s\n", tsl_last_error(NULL));
        return 3;
    }
    const int64_t grid_bytes = (int64_t)b.n * b.n * b.n * 8;
    if (b.batch < 1) {
        const int64_t fits = (INT64_C(1) << 30) / grid_bytes;
        b.batch = fits < 1 ? 1 : fits > 64 ? 64 : (int)fits;
    }
    if (tsl_device_allocate(&b.memory, b.context, b.batch * (grid_bytes + 64 * b.n * b.n),
                            "transforms") != TSL_OK) {
        fprintf(stderr, "transforms: %s\n", tsl_last_error(b.context));
        return 3;
    }
    const double real = time_pair(&b, TSL_FFT_REAL_FORWARD, TSL_FFT_REAL_BACKWARD);
    const double packed = time_pair(&b, TSL_FFT_FORWARD, TSL_FFT_BACKWARD);
    printf("%s, N = %d, batches of %d: real pair %.1f us, complex pair %.1f us\n",
           tsl_context_device(b.context), b.n, b.batch, real, packed);
    tsl_device_release(b.context, b.memory);
    tsl_context_destroy(b.context);
    return 0;
}
