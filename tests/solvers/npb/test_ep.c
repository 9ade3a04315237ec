/* EP: its generator, its logarithm, and its tallies on every device against a plain loop. */
#include "support/devices.h"

#include <math.h>
#include <string.h>

#include "core/core.h"
#include "solvers/npb/ep.h"
#include "tesela/npb.h"

/* The generator as the benchmark's report gives it: halves of 23 bits in double precision. */
static double textbook_random(double *x, double a)
{
    const double a1 = trunc(a * 0x1p-23);
    const double a2 = a - a1 * 0x1p23;
    const double x1 = trunc(*x * 0x1p-23);
    const double x2 = *x - x1 * 0x1p23;
    const double middle = a1 * x2 + a2 * x1;
    const double z = middle - trunc(middle * 0x1p-23) * 0x1p23;
    const double sum = z * 0x1p23 + a2 * x2;
    *x = sum - trunc(sum * 0x1p-46) * 0x1p46;
    return *x * 0x1p-46;
}

static void numbers_match_the_textbook(void **state)
{
    (void)state;
    double x = 314159265;
    uint64_t own = tsl_random_state(314159265);
    for (int i = 0; i < 100000; i++) {
        const double expected = textbook_random(&x, 1220703125);
        own = tsl_random_next(own);
        assert_true(tsl_random_uniform(own) == expected);
        assert_true(tsl_random_symmetric(own) == 2 * expected - 1);
    }
}

static void skipping_is_stepping(void **state)
{
    (void)state;
    uint64_t stepped = tsl_random_state(271828183);
    for (uint64_t steps = 0; steps < 5000; steps++) {
        const uint64_t power = tsl_random_power(TSL_RANDOM_MULTIPLIER, steps);
        assert_true(tsl_random_step(tsl_random_state(271828183), power) == stepped);
        stepped = tsl_random_next(stepped);
    }
    /* the order of 5 modulo 2^46 is 2^44 */
    const uint64_t one = tsl_random_state(1);
    const uint64_t whole = tsl_random_power(5, UINT64_C(1) << 44);
    const uint64_t half = tsl_random_power(5, UINT64_C(1) << 43);
    assert_true(tsl_random_integer(tsl_random_step(one, whole)) == 1);
    assert_true(tsl_random_integer(tsl_random_step(one, half)) != 1);
}

static double units_off(double value, long double exact)
{
    const double near = fabs((double)exact);
    return (double)(fabsl((long double)value - exact) / (long double)(nextafter(near, 1e9) - near));
}

static const tsl_ep_constants constants = TSL_EP_CONSTANTS;

static void check_factor(double t)
{
    const long double v = -4 * logl((long double)t);
    assert_true(units_off(tsl_ep_minus_four_log(t, &constants), v) < 2);
    assert_true(units_off(tsl_ep_factor(t, &constants), sqrtl(v / 2 / (long double)t)) < 3);
}

static void logarithm_and_factor_are_accurate(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (int i = 0; i < 300000; i++) {
        const double t = ldexp((double)(test_random(&seed) >> 12) + 1, -52); /* in (0, 1] */
        if (t < 1) {
            check_factor(t);
        }
        check_factor(ldexp(0.5 + t / 4, -(i % 90)));
        check_factor(1 - ldexp(0.5 + t / 4, -(i % 52)));
    }
    assert_true(tsl_ep_minus_four_log(1, &constants) == 0);
    assert_true(tsl_ep_factor(1, &constants) == 0);
}

/* Sums and counts of batches, plainly. */
typedef struct plain_totals {
    long double sums[TSL_EP_SUMS];
    int64_t annuli[TSL_EP_ANNULI];
} plain_totals;

static void add_plainly(plain_totals *out, int64_t first, int64_t count)
{
    const uint64_t start = tsl_ep_state((uint64_t)first * TSL_EP_BATCH); /* tested above */
    double state = (double)tsl_random_integer(start);
    for (int64_t i = 0; i < count * TSL_EP_BATCH; i++) {
        const double x = 2 * textbook_random(&state, 1220703125) - 1;
        const double y = 2 * textbook_random(&state, 1220703125) - 1;
        const double t = x * x + y * y;
        if (t <= 1) {
            const double factor = sqrt(-2 * log(t) / t);
            const double deviates[2] = {x * factor, y * factor};
            for (int k = 0; k < 2; k++) {
                out->sums[k] += deviates[k];
                out->sums[2 + k] += fabs(deviates[k]);
            }
            out->annuli[(int)fmax(fabs(deviates[0]), fabs(deviates[1]))]++;
        }
    }
}

static void tally_on(tsl_context *context, int64_t first, int64_t count,
                     int64_t totals[TSL_EP_TOTALS])
{
    const int64_t bytes = TSL_EP_TOTALS * (int64_t)sizeof *totals;
    int64_t *device = test_upload(context, totals, bytes);
    assert_int_equal(context->ops->ep->tally(context, first, count, device), TSL_OK);
    test_download(context, totals, device, bytes);
    test_release(context, device);
}

/* The lower places of all of class F's batches fit in 64 bits, if every batch adds as much. */
static void check_room(const int64_t totals[TSL_EP_TOTALS], int64_t batches)
{
    for (int i = 0; i < TSL_EP_SUMS; i++) {
        assert_in_range(totals[2 * i + 1], 0, (INT64_MAX >> 28) * batches);
    }
}

/* Totals in one form: high places carry what low ones have too much. */
static void settle(int64_t totals[TSL_EP_TOTALS])
{
    for (int i = 0; i < TSL_EP_SUMS; i++) {
        totals[2 * i] += totals[2 * i + 1] >> 32;
        totals[2 * i + 1] &= INT64_C(0xffffffff);
    }
}

static void tallies_match_a_plain_loop(void **state)
{
    (void)state;
    static const int64_t ranges[][2] = {{0, 1}, {7, 3}, {(INT64_C(1) << 28) - 2, 2}};
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        plain_totals expected = {{0}, {0}};
        add_plainly(&expected, ranges[i][0], ranges[i][1]);
        tsl_context *context = test_context("cpu", 2);
        int64_t totals[TSL_EP_TOTALS] = {0};
        tally_on(context, ranges[i][0], ranges[i][1], totals);
        for (int k = 0; k < TSL_EP_SUMS; k++) {
            const long double sum = ldexpl(totals[2 * k], 32 - 43) + ldexpl(totals[2 * k + 1], -43);
            assert_true(fabsl(sum - expected.sums[k]) < 1e-10L);
        }
        for (int l = 0; l < TSL_EP_ANNULI; l++) {
            assert_int_equal(totals[2 * TSL_EP_SUMS + l], expected.annuli[l]);
        }
        tsl_context_destroy(context);
    }
}

static void devices_threads_and_shares_do_not_matter(void **state)
{
    (void)state;
    static const int threads[] = {1, 2, 5};
    int64_t expected[TSL_EP_TOTALS] = {0};
    const int devices = test_device_count();
    for (int d = 0; d < devices; d++) {
        for (size_t t = 0; t < sizeof threads / sizeof *threads; t++) {
            tsl_context *context = test_context(test_devices[d], threads[t]);
            int64_t totals[TSL_EP_TOTALS] = {0};
            const int64_t cut = 1 + 3 * (int64_t)t; /* two shares of 11 batches */
            tally_on(context, 100, cut, totals);
            tally_on(context, 100 + cut, 11 - cut, totals);
            check_room(totals, 11);
            settle(totals);
            if (d == 0 && t == 0) {
                memcpy(expected, totals, sizeof totals);
            }
            assert_memory_equal(totals, expected, sizeof totals);
            tsl_context_destroy(context);
        }
    }
}

/* On a GPU each begins before the one before has ended, and the totals come after the last. */
static void tallies_in_a_row_add_up(void **state)
{
    (void)state;
    static const int64_t counts[] = {3, 1, 1, 5, 1};
    const int64_t bytes = TSL_EP_TOTALS * (int64_t)sizeof(int64_t);
    int64_t expected[TSL_EP_TOTALS] = {0};
    tsl_context *cpu = test_context("cpu", 2);
    tally_on(cpu, 7, 11, expected);
    settle(expected);
    tsl_context_destroy(cpu);
    for (int d = 0; d < test_device_count(); d++) {
        tsl_context *context = test_context(test_devices[d], 2);
        int64_t totals[TSL_EP_TOTALS] = {0};
        int64_t *device = test_upload(context, totals, bytes);
        const int repeats = strncmp(test_devices[d], "cuda", 4) == 0 ? 200 : 1;
        for (int k = 0; k < repeats; k++) {
            int64_t first = 7;
            assert_int_equal(context->ops->fill(context, device, 0, bytes), TSL_OK);
            for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
                assert_int_equal(context->ops->ep->tally(context, first, counts[i], device),
                                 TSL_OK);
                first += counts[i];
            }
            test_download(context, totals, device, bytes);
            settle(totals);
            assert_memory_equal(totals, expected, sizeof totals);
        }
        test_release(context, device);
        tsl_context_destroy(context);
    }
}

static void classes_verify(void **state)
{
    (void)state;
    tsl_npb_ep first = {0};
    const int devices = test_device_count();
    for (int d = 0; d < devices; d++) {
        if (d == 2 || d == 3) { /* other orders of sim are tested above */
            continue;
        }
        tsl_context *context = test_context(test_devices[d], 2);
        tsl_npb_ep ep;
        assert_int_equal(tsl_npb_ep_run(&ep, context, 'S'), TSL_OK);
        assert_int_equal(ep.verified, 1);
        assert_true(ep.error_signed < 1e-11 && ep.error_absolute < 1e-14);
        assert_int_equal(ep.gaussians, 13176389);
        assert_int_equal(ep.counts[0], 6140517);
        assert_int_equal(ep.counts[5], 17);
        assert_true(ep.mops > 0 && ep.seconds > 0);
        if (d == 0) {
            first = ep;
        }
        assert_true(ep.sx == first.sx && ep.sy == first.sy);
        assert_true(ep.sx_abs == first.sx_abs && ep.sy_abs == first.sy_abs);
        tsl_context_destroy(context);
    }
    tsl_context *context = test_context("cpu", 2);
    tsl_npb_ep ep;
    assert_int_equal(tsl_npb_ep_run(&ep, context, 'W'), TSL_OK);
    assert_int_equal(ep.verified, 1);
    assert_int_equal(ep.gaussians, 26354769);
    tsl_context_destroy(context);
}

static void errors_are_told(void **state)
{
    (void)state;
    tsl_npb_ep ep;
    tsl_context *context = test_context("cpu", 1);
    assert_int_equal(tsl_npb_ep_run(&ep, context, 'Q'), TSL_E_ARG);
    assert_non_null(strstr(tsl_last_error(context), "class 'Q'"));
    const int64_t live = tsl_test_live_allocations();
    int failures = 0;
    for (tsl_status status = TSL_E_NOMEM; status != TSL_OK; failures++) {
        tsl_test_fail_allocation(failures + 1);
        status = tsl_npb_ep_run(&ep, context, 'S');
        tsl_test_fail_allocation(0);
        assert_true(status == TSL_OK || status == TSL_E_NOMEM);
        assert_int_equal(tsl_test_live_allocations(), live);
    }
    assert_true(failures > 1);
    tsl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(numbers_match_the_textbook),
                                       cmocka_unit_test(skipping_is_stepping),
                                       cmocka_unit_test(logarithm_and_factor_are_accurate),
                                       cmocka_unit_test(tallies_match_a_plain_loop),
                                       cmocka_unit_test(devices_threads_and_shares_do_not_matter),
                                       cmocka_unit_test(tallies_in_a_row_add_up),
                                       cmocka_unit_test(classes_verify),
                                       cmocka_unit_test(errors_are_told)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
