/* Measured transforms are verified, and rules are found again in curves made by them. */
#include "support/devices.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "blocks/fft/study.h"
#include "blocks/transpose/transpose.h"

#define KIB 1024.0
#define MIB (1024.0 * 1024.0)

/* ---- curves ------------------------------------------------------------------------------- */

enum { ROWS = 24 };

/* Seconds a byte at so much data. */
typedef double time_law(double data);

/* A series from `first` bytes, each `factor` times the one before. */
static int make_rows(tsl_fft_measurement rows[ROWS], time_law *law, double first, double factor,
                     double last)
{
    int count = 0;
    for (double data = first; data <= last && count < ROWS; data *= factor) {
        rows[count] = (tsl_fft_measurement){
            .what = {TSL_FFT_FORWARD, TSL_DOUBLE, 1, 64, 1, count + 1}, .data = (int64_t)data};
        rows[count].seconds = law(data) * data;
        count++;
    }
    return count;
}

/* The time of a transform as the rule of the study has it: a power law, a smaller power, then a
 * constant. */
static double three_parts(double data, double knee, double plateau)
{
    if (data >= plateau) {
        return 1e-11;
    }
    const double slack = 1e-11 * pow(plateau / data, 0.3);
    return data >= knee ? slack : 1e-11 * pow(plateau / knee, 0.3) * pow(knee / data, 0.9);
}

static double as_source(double data)
{
    return three_parts(data, 256 * KIB, 32 * MIB);
}

static double elsewhere(double data)
{
    return three_parts(data, 8 * KIB, 2 * MIB);
}

static double uneven(double data) /* 4 % either way */
{
    return as_source(data) * (1 + 0.04 * sin(37 * log(data)));
}

static double latency(double data) /* 10 us and 100 GB/s: half of that at 1 MB */
{
    return 1e-5 / data + 1e-11;
}

static double cache(double data) /* fast, then slower, as on a CPU */
{
    return data < 1 * MIB ? 1e-11 : 4e-11;
}

static double endless(double data)
{
    return 1e-9 * pow(data, -0.5);
}

static void knee_and_plateau_are_found(void **state)
{
    (void)state;
    tsl_fft_measurement rows[ROWS];
    tsl_fft_curve curve;
    tsl_fft_fit_curve(&curve, rows, make_rows(rows, as_source, 1 * KIB, 2, 1024 * MIB));
    assert_true(fabs(log2(curve.knee / (256 * KIB))) < 0.15);
    assert_int_equal(curve.plateau, 32 * MIB);
    assert_int_equal(curve.before_plateau, 16 * MIB);
    tsl_fft_fit_curve(&curve, rows, make_rows(rows, uneven, 1 * KIB, 2, 1024 * MIB));
    assert_true(fabs(log2(curve.knee / (256 * KIB))) < 1);
    assert_true(curve.plateau >= 16 * MIB && curve.plateau <= 64 * MIB);
    tsl_fft_fit_curve(&curve, rows, make_rows(rows, elsewhere, 256, 4, 256 * MIB));
    assert_true(fabs(log2(curve.knee / (8 * KIB))) < 1);
    assert_true(curve.plateau > 1 * MIB && curve.plateau <= 4 * MIB);
    tsl_fft_fit_curve(&curve, rows, make_rows(rows, latency, 1 * KIB, 4, 4096 * MIB));
    assert_true(curve.knee > 2.5e5 && curve.knee < 4e6);
    assert_true(curve.plateau > 5e6 && curve.plateau < 5e7);
    assert_int_equal(curve.enough, curve.plateau);
}

static void what_is_not_there_is_not_found(void **state)
{
    (void)state;
    tsl_fft_measurement rows[ROWS];
    tsl_fft_curve curve;
    tsl_fft_fit_curve(&curve, rows, make_rows(rows, endless, 1 * KIB, 4, 64 * MIB));
    assert_true(curve.knee == 0);
    assert_int_equal(curve.plateau, 0);
    tsl_fft_fit_curve(&curve, rows, make_rows(rows, cache, 1 * KIB, 4, 256 * MIB));
    assert_true(curve.knee == 0);
    assert_int_equal(curve.plateau, 1 * MIB);
    assert_int_equal(curve.enough, 1 * KIB);
    assert_int_equal(curve.best, 0);
    tsl_fft_fit_curve(&curve, rows, make_rows(rows, cache, 1 * KIB, 4, 16 * KIB));
    assert_int_equal(curve.plateau,
                     0); /* the cache's level is the only one, so it begins nowhere */
    tsl_fft_fit_curve(&curve, rows, make_rows(rows, latency, 1 * KIB, 4, 1 * KIB));
    assert_int_equal(curve.enough, 1 * KIB);
}

static void workspace_is_fitted(void **state)
{
    (void)state;
    tsl_fft_measurement rows[ROWS];
    tsl_fft_workspace fit;
    const int count = make_rows(rows, as_source, 1 * KIB, 2, 64 * MIB);
    for (int i = 0; i < count; i++) {
        rows[i].workspace = rows[i].data;
    }
    tsl_fft_fit_workspace(&fit, rows, count);
    assert_true(fabs(fit.slope - 1) < 1e-12 && fabs(fit.constant) < 1e-6 && fit.residual < 1e-6);
    assert_int_equal(fit.rows, count);
    assert_int_equal(fit.off, 0);
    for (int i = 0; i < count; i++) {
        rows[i].workspace = i == 3 ? -1 : rows[i].data / 2 + 11534336;
    }
    tsl_fft_fit_workspace(&fit, rows, count);
    assert_int_equal(fit.rows, count - 1);
    assert_int_equal(fit.off, count - 1);
    assert_true(fabs(fit.slope - 0.5) < 1e-9 && fabs(fit.constant - 11534336) < 1e-3);
    rows[5].workspace += 1 << 20;
    tsl_fft_fit_workspace(&fit, rows, count);
    assert_true(fit.residual > 1e5 && fit.residual < 1 << 20);
    tsl_fft_fit_workspace(&fit, rows + 4, 1);
    assert_true(fit.slope == 0 && fit.constant == (double)rows[4].workspace);
    tsl_fft_fit_workspace(&fit, rows + 3, 1);
    assert_int_equal(fit.rows, 0);
}

static void a_study_sums_up(void **state)
{
    (void)state;
    tsl_context *context = test_context("cpu", 1);
    tsl_fft_measurement rows[3 * ROWS];
    const int first = make_rows(rows, as_source, 1 * KIB, 2, 1024 * MIB);
    const int second = first + make_rows(rows + first, elsewhere, 1 * KIB, 2, 1024 * MIB);
    const int count = second + make_rows(rows + second, endless, 1 * KIB, 4, 16 * MIB);
    for (int i = first; i < count; i++) {
        rows[i].what.stride = i < second ? 1 : 64;
        rows[i].what.n = 128;
        rows[i].transposed = i < second ? 0 : rows[i].seconds * (i % 2 == 0 ? 2 : 0.5);
        rows[i].one_way = 0.4 * rows[i].seconds;
        rows[i].workspace = rows[i].data;
    }
    tsl_fft_study study;
    assert_int_equal(tsl_fft_study_make(&study, context, rows, count), TSL_OK);
    assert_int_equal(study.series_count, 3);
    assert_int_equal(study.series[1].first, first);
    assert_int_equal(study.series[2].count, count - second);
    assert_true(study.series[0].knee_holds && study.series[0].plateau_holds);
    assert_true(!study.series[1].knee_holds && !study.series[1].plateau_holds);
    assert_true(!study.series[2].knee_holds && !study.series[2].plateau_holds);
    assert_int_equal(study.knee.found, 2);
    assert_int_equal(study.knee.hold, 1);
    assert_int_equal(study.plateau.found, 2);
    assert_true(study.plateau.least == 2 * MIB && study.plateau.most == 32 * MIB);
    assert_int_equal(study.workspace.off, first);
    const int cases = count - second;
    const int faster = study.detour.faster;
    assert_int_equal(study.detour.cases, cases);
    assert_true(faster == cases / 2 || faster == (cases + 1) / 2);
    assert_int_equal(study.detour.faster_one_way, cases);
    assert_true(fabs(study.detour.never - pow(2, (double)faster / cases)) < 1e-9);
    assert_true(fabs(study.detour.always - pow(2, (double)(cases - faster) / cases)) < 1e-9);
    tsl_fft_study_release(&study);
    tsl_context_destroy(context);
}

/* ---- measurements ------------------------------------------------------------------------- */

/* Even, odd and prime lengths, every kind; some lines, one array and more of them. */
static const tsl_fft_case cases[] = {
    {TSL_FFT_FORWARD, TSL_DOUBLE, 1, 30, 1, 7},
    {TSL_FFT_FORWARD, TSL_SINGLE, 1, 67, 1, 3},
    {TSL_FFT_FORWARD, TSL_DOUBLE, 1, 600, 1, 1},
    {TSL_FFT_REAL_FORWARD, TSL_DOUBLE, 1, 2, 1, 5},
    {TSL_FFT_REAL_FORWARD, TSL_DOUBLE, 1, 15, 1, 4},
    {TSL_FFT_REAL_BACKWARD, TSL_SINGLE, 1, 15, 1, 4},
    {TSL_FFT_REAL_BACKWARD, TSL_DOUBLE, 1, 16, 1, 2},
    {TSL_FFT_FORWARD, TSL_SINGLE, 2, 10, 1, 3},
    {TSL_FFT_REAL_FORWARD, TSL_SINGLE, 2, 9, 1, 3},
    {TSL_FFT_REAL_BACKWARD, TSL_DOUBLE, 2, 9, 1, 2},
    {TSL_FFT_REAL_BACKWARD, TSL_DOUBLE, 2, 8, 1, 2},
    {TSL_FFT_FORWARD, TSL_DOUBLE, 3, 6, 1, 2},
    {TSL_FFT_REAL_FORWARD, TSL_DOUBLE, 3, 6, 1, 2},
    {TSL_FFT_REAL_BACKWARD, TSL_SINGLE, 3, 6, 1, 2},
    {TSL_FFT_REAL_BACKWARD, TSL_DOUBLE, 3, 5, 1, 2},
    {TSL_FFT_FORWARD, TSL_DOUBLE, 1, 12, 7, 1},
    {TSL_FFT_FORWARD, TSL_SINGLE, 1, 12, 7, 5},
    {TSL_FFT_FORWARD, TSL_DOUBLE, 1, 12, 7, 7},
    {TSL_FFT_FORWARD, TSL_SINGLE, 1, 12, 7, 21},
    {TSL_FFT_REAL_FORWARD, TSL_SINGLE, 1, 15, 4, 8},
    {TSL_FFT_REAL_FORWARD, TSL_DOUBLE, 1, 10, 33, 3},
    {TSL_FFT_REAL_BACKWARD, TSL_DOUBLE, 1, 10, 5, 10},
    {TSL_FFT_REAL_BACKWARD, TSL_SINGLE, 1, 9, 20, 6},
};
enum { CASES = sizeof cases / sizeof *cases };

static void transforms_are_right(void **state)
{
    (void)state;
    const int devices = test_device_count();
    char name[80];
    for (int d = 0; d < devices; d++) {
        tsl_context *context = test_context(test_devices[d], 1);
        for (int i = 0; i < CASES; i++) {
            tsl_fft_measurement m;
            assert_true(tsl_fft_case_fits(&cases[i], 1 << 20));
            assert_int_equal(tsl_fft_measure(&m, context, &cases[i]), TSL_OK);
            if (!(m.error <= m.bound)) {
                fail_msg("%s: error %.2e > %.2e", tsl_fft_case_name(name, &cases[i]), m.error,
                         m.bound);
            }
            assert_true(m.seconds > 0 && m.workspace >= -1);
            assert_int_equal(m.transposed > 0, cases[i].stride > 1);
            assert_int_equal(m.one_way > 0, cases[i].stride > 1);
        }
        assert_int_equal(context->memory.live, 0);
        tsl_context_destroy(context);
    }
}

static void counts_are_the_convention_s(void **state)
{
    (void)state;
    tsl_context *context = test_context("cpu", 1);
    tsl_fft_measurement m;
    const tsl_fft_case real = {TSL_FFT_REAL_FORWARD, TSL_SINGLE, 2, 8, 1, 3};
    assert_int_equal(tsl_fft_measure(&m, context, &real), TSL_OK);
    assert_int_equal(m.data, 3 * 64 * 4);
    assert_int_equal(m.moved, 3 * (64 * 4 + 8 * 5 * 8));
    assert_true(m.flops == 3 * 2.5 * 64 * 6);
    const tsl_fft_case complex = {TSL_FFT_FORWARD, TSL_DOUBLE, 3, 4, 1, 2};
    assert_int_equal(tsl_fft_measure(&m, context, &complex), TSL_OK);
    assert_int_equal(m.data, 2 * 64 * 16);
    assert_int_equal(m.moved, 2 * m.data);
    assert_true(m.flops == 2 * 5.0 * 64 * 6);
    tsl_context_destroy(context);
}

static void cases_that_make_no_sense_are_told(void **state)
{
    (void)state;
    const int64_t most = INT64_C(1) << 40;
    static const tsl_fft_case wrong[] = {
        {TSL_FFT_FORWARD, TSL_DOUBLE, 0, 8, 1, 1},
        {TSL_FFT_FORWARD, TSL_DOUBLE, 4, 8, 1, 1},
        {TSL_FFT_FORWARD, TSL_DOUBLE, 1, 1, 1, 1},
        {TSL_FFT_FORWARD, TSL_DOUBLE, 1, 8, 1, 0},
        {TSL_FFT_FORWARD, TSL_DOUBLE, 2, 8, 4, 4},             /* strides have one dimension */
        {TSL_FFT_FORWARD, TSL_DOUBLE, 1, 8, 4, 6},             /* one and a half arrays */
        {TSL_FFT_FORWARD, TSL_DOUBLE, 3, 1 << 24, 1, 1},       /* cells past 2^63 */
        {TSL_FFT_FORWARD, TSL_DOUBLE, 1, 1 << 16, 1 << 30, 1}, /* an array past 2^31 elements */
        {TSL_FFT_FORWARD, TSL_SINGLE, 1, 1 << 16, 1, 1 << 15}, /* likewise */
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_false(tsl_fft_case_fits(&wrong[i], most));
    }
    const tsl_fft_case right = {TSL_FFT_REAL_FORWARD, TSL_DOUBLE, 1, 14, 1, 8};
    assert_true(tsl_fft_case_fits(&right, 8 * 8 * 16)); /* the spectrum is the larger */
    assert_false(tsl_fft_case_fits(&right, 8 * 8 * 16 - 1));
}

/* ---- what is wrong is found --------------------------------------------------------------- */

/* An output to be spoiled, of two transforms of 5^2 or more. */
typedef void spoil(double *output, int64_t elements);

static void nudge_one(double *output, int64_t elements)
{
    output[elements / 3] += 1e-5;
}

static void leave_one(double *output, int64_t elements)
{
    output[elements - 1] = NAN;
}

static void swap_transforms(double *output, int64_t elements)
{
    for (int64_t i = 0; i < elements / 2; i++) {
        const double swapped = output[i];
        output[i] = output[elements / 2 + i];
        output[elements / 2 + i] = swapped;
    }
}

static void turn_over(double *output, int64_t elements)
{
    for (int64_t i = 0; i < elements; i++) {
        output[i] = -output[i];
    }
}

static void leave_all(double *output, int64_t elements)
{
    memset(output, 0, (size_t)elements * sizeof *output);
}

static void errors_are_found(void **state)
{
    (void)state;
    static const tsl_fft_kind kinds[] = {TSL_FFT_FORWARD, TSL_FFT_REAL_FORWARD,
                                         TSL_FFT_REAL_BACKWARD};
    static spoil *const spoils[] = {nudge_one, leave_one, swap_transforms, turn_over, leave_all};
    tsl_context *context = test_context("cpu", 1);
    for (int k = 0; k < 3; k++) {
        const tsl_fft_case what = {kinds[k], TSL_DOUBLE, 2, 6, 1, 2};
        const tsl_fft_side in = tsl_fft_side_of(&what, false), out = tsl_fft_side_of(&what, true);
        const tsl_fft_description description = {.kind = what.kind,
                                                 .precision = TSL_DOUBLE,
                                                 .rank = 2,
                                                 .n = {6, 6},
                                                 .count = 2,
                                                 .in = {{6, (int)in.row}, 1, (int)in.distance},
                                                 .out = {{6, (int)out.row}, 1, (int)out.distance}};
        void *input = tsl_allocate((size_t)in.bytes);
        double *output = tsl_allocate((size_t)out.bytes), *copy = tsl_allocate((size_t)out.bytes);
        tsl_fft *fft = NULL;
        double error;
        assert_int_equal(tsl_fft_cpu.create(&fft, context, &description), TSL_OK);
        tsl_fft_write_input(input, &what);
        assert_int_equal(tsl_fft_cpu.execute(fft, input, output), TSL_OK);
        assert_int_equal(tsl_fft_find_error(&error, context, output, &what), TSL_OK);
        assert_true(error <= tsl_fft_error_bound(&what));
        for (size_t i = 0; i < sizeof spoils / sizeof *spoils; i++) {
            memcpy(copy, output, (size_t)out.bytes);
            spoils[i](copy, out.bytes / 8);
            assert_int_equal(tsl_fft_find_error(&error, context, copy, &what), TSL_OK);
            assert_false(error <= tsl_fft_error_bound(&what));
        }
        tsl_fft_cpu.destroy(fft);
        tsl_release(copy);
        tsl_release(output);
        tsl_release(input);
    }
    tsl_context_destroy(context);
}

/* A table whose transforms do nothing, and one whose transpositions don't. */
static tsl_status do_nothing(const tsl_fft *fft, void *in, void *out)
{
    (void)fft;
    (void)in;
    (void)out;
    return TSL_OK;
}

static tsl_status move_nothing(tsl_context *context, void *out, const void *in,
                               const tsl_transpose_form *form, tsl_transpose_tiling tiling)
{
    (void)context;
    (void)out;
    (void)in;
    (void)form;
    (void)tiling;
    return TSL_OK;
}

static void measurements_find_them_too(void **state)
{
    (void)state;
    tsl_context *context = test_context("cpu", 1);
    const tsl_device_ops *right = context->ops;
    const tsl_fft_case strided = {TSL_FFT_FORWARD, TSL_DOUBLE, 1, 8, 4, 4};
    tsl_fft_measurement m;
    tsl_device_ops ops = *right;
    tsl_fft_ops fft = *right->fft;
    tsl_transpose_ops transpose = *right->transpose;
    fft.execute = do_nothing;
    transpose.move = move_nothing;
    ops.fft = &fft;
    context->ops = &ops;
    assert_int_equal(tsl_fft_measure(&m, context, &strided), TSL_OK);
    assert_false(m.error <= m.bound);
    ops.fft = right->fft;
    ops.transpose = &transpose;
    assert_int_equal(tsl_fft_measure(&m, context, &strided), TSL_OK);
    assert_false(m.error <= m.bound);
    context->ops = right;
    tsl_context_destroy(context);
}

/* ---- memory ------------------------------------------------------------------------------- */

static tsl_status measure_and_fit(tsl_context *context, void *user)
{
    tsl_fft_measurement m;
    tsl_fft_study study;
    tsl_status status = tsl_fft_measure(&m, context, user);
    if (status == TSL_OK) {
        status = tsl_fft_study_make(&study, context, &m, 1);
    }
    if (status == TSL_OK) {
        tsl_fft_study_release(&study);
    }
    return status;
}

static void memory_may_run_out(void **state)
{
    (void)state;
    tsl_fft_case strided = {TSL_FFT_REAL_FORWARD, TSL_DOUBLE, 1, 8, 4, 4};
    tsl_context *context = test_context("cpu", 1); /* sim takes memory for each run it is told of */
    assert_int_equal(test_survives_no_memory(context, measure_and_fit, &strided), 4);
    tsl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knee_and_plateau_are_found),
        cmocka_unit_test(what_is_not_there_is_not_found),
        cmocka_unit_test(workspace_is_fitted),
        cmocka_unit_test(a_study_sums_up),
        cmocka_unit_test(transforms_are_right),
        cmocka_unit_test(counts_are_the_convention_s),
        cmocka_unit_test(cases_that_make_no_sense_are_told),
        cmocka_unit_test(errors_are_found),
        cmocka_unit_test(measurements_find_them_too),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
