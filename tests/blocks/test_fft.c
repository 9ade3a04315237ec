/* Transforms against the definition, and their properties. */
#include "support/devices.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "blocks/fft/fft.h"
#include "core/core.h"

typedef struct row {
    tsl_fft_kind kind;
    tsl_precision precision;
    int rank;
    int n[3];
    int count;
    int padding; /* elements between lines */
    bool in_place;
    double bound; /* relative, in the 2-norm */
} row;

/* Lengths with every radix the library meets, primes among them; ranks, batches, padding. */
static const row rows[] = {
    {TSL_FFT_FORWARD, TSL_DOUBLE, 1, {1}, 3, 0, true, 1e-15},
    {TSL_FFT_FORWARD, TSL_DOUBLE, 1, {30}, 4, 2, true, 1e-15},
    {TSL_FFT_FORWARD, TSL_SINGLE, 1, {30}, 4, 2, false, 5e-7},
    {TSL_FFT_BACKWARD, TSL_DOUBLE, 1, {67}, 2, 0, true, 2e-15},
    {TSL_FFT_BACKWARD, TSL_SINGLE, 1, {49}, 2, 1, true, 5e-7},
    {TSL_FFT_FORWARD, TSL_DOUBLE, 2, {6, 10}, 2, 0, true, 1e-15},
    {TSL_FFT_FORWARD, TSL_SINGLE, 3, {4, 6, 5}, 1, 0, false, 5e-7},
    {TSL_FFT_BACKWARD, TSL_DOUBLE, 3, {3, 7, 4}, 2, 0, true, 1e-15},
};

static int cells_of(const row *r)
{
    int cells = 1;
    for (int i = 0; i < r->rank; i++) {
        cells *= r->n[i];
    }
    return cells;
}

/* The definition, one output at a time. */
static double complex transform_at(const row *r, const double complex *in, int k)
{
    const int n[3] = {r->rank > 2 ? r->n[r->rank - 3] : 1, r->rank > 1 ? r->n[r->rank - 2] : 1,
                      r->n[r->rank - 1]};
    const int kk[3] = {k / (n[1] * n[2]), k / n[2] % n[1], k % n[2]};
    const double sign = r->kind == TSL_FFT_FORWARD ? -1 : 1;
    double complex sum = 0;
    for (int j = 0; j < n[0] * n[1] * n[2]; j++) {
        const int jj[3] = {j / (n[1] * n[2]), j / n[2] % n[1], j % n[2]};
        double turns = 0;
        for (int axis = 0; axis < 3; axis++) {
            turns += (double)(jj[axis] * kk[axis] % n[axis]) / n[axis];
        }
        sum += in[j] * cexp(sign * 2 * M_PI * I * turns);
    }
    return sum;
}

static double complex get(const row *r, const void *data, int i)
{
    if (r->precision == TSL_SINGLE) {
        return ((const float *)data)[2 * i] + I * ((const float *)data)[2 * i + 1];
    }
    return ((const double *)data)[2 * i] + I * ((const double *)data)[2 * i + 1];
}

static void put(const row *r, void *data, int i, double complex value)
{
    if (r->precision == TSL_SINGLE) {
        ((float *)data)[2 * i] = (float)creal(value);
        ((float *)data)[2 * i + 1] = (float)cimag(value);
    } else {
        ((double *)data)[2 * i] = creal(value);
        ((double *)data)[2 * i + 1] = cimag(value);
    }
}

static void check_row(tsl_context *context, const row *r)
{
    const int cells = cells_of(r);
    const int distance = cells + r->padding;
    const size_t bytes = (size_t)(distance * r->count) * 2 * r->precision;
    void *in = tsl_allocate(bytes);
    void *out = tsl_allocate(bytes);
    double complex *copy = malloc((size_t)(distance * r->count) * sizeof *copy);
    const tsl_fft_layout layout = {{r->n[0], r->n[1], r->n[2]}, 1, distance};
    const tsl_fft_description what = {.kind = r->kind,
                                      .precision = r->precision,
                                      .rank = r->rank,
                                      .n = {r->n[0], r->n[1], r->n[2]},
                                      .count = r->count,
                                      .in = layout,
                                      .out = layout,
                                      .in_place = r->in_place};
    tsl_fft *fft = NULL;
    assert_int_equal(context->ops->fft->create(&fft, context, &what), TSL_OK);
    uint64_t seed = 1;
    for (int i = 0; i < distance * r->count; i++) {
        put(r, in, i, test_uniform(&seed) + I * test_uniform(&seed));
        copy[i] = get(r, in, i);
    }
    void *const device_in = test_upload(context, in, (int64_t)bytes);
    void *const device_out = r->in_place ? device_in : test_upload(context, in, (int64_t)bytes);
    assert_int_equal(context->ops->fft->execute(fft, device_in, device_out), TSL_OK);
    test_download(context, out, device_out, (int64_t)bytes);
    test_release(context, device_in);
    if (!r->in_place) {
        test_release(context, device_out);
    }
    double error = 0, norm = 0;
    for (int t = 0; t < r->count; t++) {
        for (int k = 0; k < cells; k++) {
            const double complex wanted = transform_at(r, copy + t * distance, k);
            error += pow(cabs(get(r, out, t * distance + k) - wanted), 2);
            norm += pow(cabs(wanted), 2);
        }
    }
    const double relative = sqrt(error / norm);
    if (!(relative <= r->bound)) {
        fail_msg("n = %d %d %d: error %.2e > %.2e", r->n[0], r->n[1], r->n[2], relative, r->bound);
    }
    context->ops->fft->destroy(fft);
    tsl_release(out);
    tsl_release(in);
    free(copy);
}

static void transforms_match_the_definition(void **state)
{
    static const char *const efforts[] = {"measure", "estimate", "patient", ""};
    (void)state;
    const int devices = test_device_count();
    for (size_t e = 0; e < sizeof efforts / sizeof *efforts; e++) {
        tsl_context *context = test_context("cpu", 1);
        assert_int_equal(setenv(TSL_FFT_EFFORT_VARIABLE, efforts[e], 1), 0);
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            check_row(context, &rows[i]);
        }
        tsl_context_destroy(context);
    }
    for (int d = 0; d < devices; d++) {
        tsl_context *context = test_context(test_devices[d], 1);
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            check_row(context, &rows[i]);
        }
        tsl_context_destroy(context);
    }
}

/* Real forward and backward return n times the input; a shifted impulse has a flat spectrum. */
static void real_transforms_invert(void **state)
{
    (void)state;
    enum { N = 134, COUNT = 3, ROW = 144 };
    tsl_context *context = test_context("cpu", 1);
    const tsl_fft_layout reals = {{N}, 1, ROW};
    const tsl_fft_layout halves = {{N / 2 + 1}, 1, ROW / 2};
    tsl_fft_description what = {.kind = TSL_FFT_REAL_FORWARD,
                                .precision = TSL_DOUBLE,
                                .rank = 1,
                                .n = {N},
                                .count = COUNT,
                                .in = reals,
                                .out = halves,
                                .in_place = true};
    tsl_fft *forward = NULL, *backward = NULL;
    assert_int_equal(tsl_fft_cpu.create(&forward, context, &what), TSL_OK);
    what.kind = TSL_FFT_REAL_BACKWARD;
    what.in = halves;
    what.out = reals;
    assert_int_equal(tsl_fft_cpu.create(&backward, context, &what), TSL_OK);
    double *data = tsl_allocate(COUNT * ROW * sizeof *data);
    double copy[COUNT * ROW];
    uint64_t seed = 2;
    for (int i = 0; i < COUNT * ROW; i++) {
        copy[i] = data[i] = test_uniform(&seed);
    }
    memset(data + ROW, 0, N * sizeof *data);
    memset(copy + ROW, 0, N * sizeof *data);
    data[ROW + 5] = copy[ROW + 5] = 1;
    tsl_fft_cpu.execute(forward, data, data);
    for (int k = 0; k <= N / 2; k++) {
        const double size = hypot(data[ROW + 2 * k], data[ROW + 2 * k + 1]);
        assert_true(fabs(size - 1) < 1e-14);
    }
    tsl_fft_cpu.execute(backward, data, data);
    for (int t = 0; t < COUNT; t++) {
        for (int i = 0; i < N; i++) {
            assert_true(fabs(data[t * ROW + i] / N - copy[t * ROW + i]) < 1e-14);
        }
    }
    tsl_release(data);
    tsl_fft_cpu.destroy(forward);
    tsl_fft_cpu.destroy(backward);
    tsl_fft_cpu.destroy(NULL);
    tsl_context_destroy(context);
}

static void an_unknown_effort_is_refused(void **state)
{
    (void)state;
    const tsl_fft_description what = {.kind = TSL_FFT_FORWARD,
                                      .precision = TSL_DOUBLE,
                                      .rank = 1,
                                      .n = {8},
                                      .count = 1,
                                      .in = {{8}, 1, 8},
                                      .out = {{8}, 1, 8},
                                      .in_place = true};
    tsl_context *context = test_context("cpu", 1);
    tsl_fft *fft = NULL;
    assert_int_equal(setenv(TSL_FFT_EFFORT_VARIABLE, "hard", 1), 0);
    assert_int_equal(tsl_fft_cpu.create(&fft, context, &what), TSL_E_ARG);
    assert_string_equal(tsl_last_error(context),
                        "TESELA_FFTW=hard: give measure, estimate or patient");
    assert_int_equal(unsetenv(TSL_FFT_EFFORT_VARIABLE), 0);
    tsl_context_destroy(context);
}

static void the_library_is_named(void **state)
{
    (void)state;
    assert_non_null(strstr(tsl_fft_library(), "fftw-3"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(transforms_match_the_definition), cmocka_unit_test(real_transforms_invert),
        cmocka_unit_test(an_unknown_effort_is_refused), cmocka_unit_test(the_library_is_named)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
