/* The figure of slices: what it shows, and that it fails as it should. */
#include "core/config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/context.h"
#include "scratch.h"
#include "solvers/poisson/figure.h"

static tsl_context context;
static double source[8 * 6 * 10], potential[8 * 6 * 10];
static const tsl_slices_mark marks[] = {{"O", {0.4, 0.3, 0.5}}, {"Xx", {9, 9, 9}}};

static tsl_poisson_slices make_slices(int64_t n0, int64_t n1, int64_t n2)
{
    const int64_t cells = n0 * n1 * n2;
    for (int64_t i = 0; i < cells; i++) {
        source[i] = -exp(-0.1 * (double)((i - cells / 2) * (i - cells / 2)));
        potential[i] = cos(0.1 * (double)i);
    }
    return (tsl_poisson_slices){.name = "a/b\xff.cube",
                                .subtitle = "a line",
                                .labels = {"Density", "Potential"},
                                .n = {n0, n1, n2},
                                .lengths = {0.8, 0.6, 1},
                                .first = {-1, 0, 0.05},
                                .precision = 8,
                                .values = {source, potential}};
}

#ifdef TSL_HAVE_CAIRO

static char *figure_of(const tsl_poisson_slices *slices)
{
    if (tsl_poisson_figure(&context, scratch_path("figure.svg"), slices) != TSL_OK) {
        fail_msg("%s", context.error);
    }
    char *text = scratch_read(scratch_path("figure.svg"), NULL);
    assert_contains(text, "<?xml version=\"1.0\"");
    assert_contains(text, "viewBox=\"0 0 1000 720\"");
    assert_contains(text, "</svg>");
    assert_null(strstr(text, "\"nan")); /* pictures are words without blanks */
    assert_null(strstr(text, " nan"));
    return text;
}

static int count_of(const char *text, const char *what)
{
    int count = 0;
    for (const char *at = strstr(text, what); at != NULL; at = strstr(at + 1, what)) {
        count++;
    }
    return count;
}

static void six_slices_are_drawn(void **state)
{
    (void)state;
    const tsl_poisson_slices slices = make_slices(8, 6, 10);
    char *text = figure_of(&slices);
    assert_int_equal(count_of(text, "<image"), 6);
    free(text);
    scratch_empty();
}

/* Number of discs in a figure: a mark is one. */
static int discs_of(const tsl_poisson_slices *slices)
{
    char *text = figure_of(slices);
    const int count = count_of(text, "opacity:0.85") + count_of(text, "opacity=\"0.85");
    free(text);
    return count;
}

/* A mark is drawn in slices near it alone, and never outside of the box. */
static void marks_are_drawn_where_they_are(void **state)
{
    (void)state;
    tsl_poisson_slices slices = make_slices(8, 6, 10);
    slices.first[0] = 0;
    assert_int_equal(discs_of(&slices), 0);
    slices.marks = marks;
    slices.count = 1;
    assert_int_equal(discs_of(&slices), 6);
    const tsl_slices_mark apart[] = {{"H", {0.1, 0.3, 0.5}}, {"H", {0.7, 0.3, 0.5}}};
    slices.marks = apart;
    slices.count = 2;
    assert_int_equal(discs_of(&slices), 8); /* those normal to y and z have both */
    slices.marks = marks + 1;
    slices.count = 1;
    assert_int_equal(discs_of(&slices), 0);
    scratch_empty();
}

static void odd_shapes_and_values_are_drawn(void **state)
{
    (void)state;
    const int64_t shapes[][3] = {{1, 1, 1}, {1, 6, 10}, {8, 1, 2}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const tsl_poisson_slices slices = make_slices(shapes[i][0], shapes[i][1], shapes[i][2]);
        free(figure_of(&slices));
    }
    const double values[] = {0, 1e-300, 1e300, -3};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        const tsl_poisson_slices slices = make_slices(8, 6, 10);
        for (int j = 0; j < 8 * 6 * 10; j++) {
            source[j] = values[i];
        }
        free(figure_of(&slices));
    }
    tsl_poisson_slices thin = make_slices(8, 6, 10);
    thin.lengths[2] = 1e-6;
    free(figure_of(&thin));
    scratch_empty();
}

static void single_precision_is_drawn_alike(void **state)
{
    (void)state;
    static float narrow[2][8 * 6 * 10];
    tsl_poisson_slices slices = make_slices(8, 6, 10);
    for (int i = 0; i < 8 * 6 * 10; i++) { /* numbers that both have */
        source[i] = -round(64 * fabs(source[i])) / 64;
        potential[i] = round(64 * potential[i]) / 64;
        narrow[0][i] = (float)source[i];
        narrow[1][i] = (float)potential[i];
    }
    char *wide = figure_of(&slices);
    slices.precision = 4;
    slices.values[0] = narrow[0];
    slices.values[1] = narrow[1];
    char *found = figure_of(&slices);
    const char *a = wide;
    const char *b = found;
    for (int i = 0; i < 6; i++) { /* the pictures; they have numbers beside them */
        a = strstr(a, "base64,") + 7;
        b = strstr(b, "base64,") + 7;
        assert_int_equal(strcspn(a, "\""), strcspn(b, "\""));
        assert_memory_equal(a, b, strcspn(a, "\""));
    }
    free(wide);
    free(found);
    scratch_empty();
}

static tsl_status draw_with(tsl_context *own, void *slices)
{
    return tsl_poisson_figure(own, scratch_path("figure.svg"), slices);
}

static void failures_are_told(void **state)
{
    (void)state;
    tsl_poisson_slices slices = make_slices(8, 6, 10);
    tsl_test_fail_allocation(1);
    assert_int_equal(draw_with(&context, &slices), TSL_E_NOMEM);
    tsl_test_fail_allocation(0);
    assert_int_equal(tsl_poisson_figure(&context, "/dev/full", &slices), TSL_E_IO);
    assert_error_names(&context, "/dev/full: cannot write: No space left on device");
    assert_int_equal(tsl_test_live_allocations(), 0);
}

#else

static void there_is_none_without_cairo(void **state)
{
    (void)state;
    const tsl_poisson_slices slices = make_slices(8, 6, 10);
    assert_int_equal(tsl_poisson_figure(&context, scratch_path("figure.svg"), &slices),
                     TSL_E_UNSUPPORTED);
    assert_error_names(&context, "figure.svg: this build draws no figures");
    assert_int_equal(access(scratch_path("figure.svg"), F_OK), -1);
    assert_true(marks[0].at[0] > 0);
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
#ifdef TSL_HAVE_CAIRO
        cmocka_unit_test(six_slices_are_drawn),
        cmocka_unit_test(marks_are_drawn_where_they_are),
        cmocka_unit_test(odd_shapes_and_values_are_drawn),
        cmocka_unit_test(single_precision_is_drawn_alike),
        cmocka_unit_test(failures_are_told),
#else
        cmocka_unit_test(there_is_none_without_cairo),
#endif
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
