/* The figure of occupancy: that its points are where the rule has them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/config.h"
#include "lab/occupancy.h"
#include "scratch.h"

static tsl_occupancy_kernel kernel_of(int threads, int registers, int64_t shared)
{
    tsl_occupancy_kernel kernel = TSL_OCCUPANCY_KERNEL_INIT;
    kernel.threads = threads;
    kernel.registers = registers;
    kernel.static_shared = shared;
    return kernel;
}

#ifdef TSL_HAVE_CAIRO

/* Panels are 310 wide, at 70, 424 and 778; warps go from 0 at 316 to all at 104. */
static void points_are_where_they_belong(void **state)
{
    (void)state;
    tsl_context context = {0};
    const tsl_occupancy_kernel kernel = kernel_of(256, 40, 8192);
    const char *path = scratch_path("a.svg");
    assert_int_equal(tsl_occupancy_figure(&context, path, tsl_multiprocessor_find(9, 0), &kernel),
                     TSL_OK);
    char *text = scratch_read(path, NULL);
    /* the kernel's own, 48 warps: circles of radius 5 */
    assert_contains(text, "M 152.5 157 C");
    assert_contains(text, "M 477.62");
    assert_contains(text, "M 793.9");
    /* blocks of a warp: 25 by shared memory; up to four warps: 48 by registers */
    assert_contains(text, "M 70 233.1875 L 79.6875 233.1875");
    assert_contains(text, "M 79.6875 157 L 108.75 157");
    /* up to 32 registers: all 64 warps */
    assert_contains(text, "M 424 104 L 462.90");
    free(text);
}

static void the_same_kernel_is_the_same_file(void **state)
{
    (void)state;
    for (int i = 0; i < tsl_multiprocessor_count(); i++) {
        tsl_context context = {0};
        const tsl_multiprocessor *m = tsl_multiprocessor_at(i);
        const tsl_occupancy_kernel kernel = kernel_of(192, 22, 3000);
        const tsl_occupancy_kernel too_large = kernel_of(1000, 250, 70000);
        size_t bytes[3];
        char *text[3];
        for (int k = 0; k < 3; k++) {
            const char *path = scratch_path("a.svg");
            assert_int_equal(tsl_occupancy_figure(&context, path, m, k < 2 ? &kernel : &too_large),
                             TSL_OK);
            text[k] = scratch_read(path, &bytes[k]);
            assert_in_range(bytes[k], 20000, 200000);
        }
        assert_string_equal(text[0], text[1]);
        assert_string_not_equal(text[0], text[2]);
        for (int k = 0; k < 3; k++) {
            free(text[k]);
        }
    }
}

static void what_cannot_be_drawn_is_told(void **state)
{
    (void)state;
    tsl_context context = {0};
    const tsl_occupancy_kernel wrong = kernel_of(0, 22, 0);
    const tsl_occupancy_kernel kernel = kernel_of(32, 22, 0);
    assert_int_equal(tsl_occupancy_figure(&context, "a.svg", tsl_multiprocessor_find(9, 0), &wrong),
                     TSL_E_ARG);
    assert_error_names(&context, "0 threads");
    assert_int_equal(
        tsl_occupancy_figure(&context, "/none/a.svg", tsl_multiprocessor_find(9, 0), &kernel),
        TSL_E_IO);
    assert_error_names(&context, "/none/a.svg");
}

static tsl_status draw(tsl_context *context, void *unused)
{
    (void)unused;
    const tsl_occupancy_kernel kernel = kernel_of(256, 40, 8192);
    return tsl_occupancy_figure(context, scratch_path("b.svg"), tsl_multiprocessor_find(9, 0),
                                &kernel);
}

static void memory_may_fail(void **state)
{
    (void)state;
    assert_survives_no_memory(draw, NULL);
}

#else

static void no_cairo_is_told(void **state)
{
    (void)state;
    tsl_context context = {0};
    const tsl_occupancy_kernel kernel = kernel_of(256, 40, 8192);
    assert_int_equal(
        tsl_occupancy_figure(&context, "a.svg", tsl_multiprocessor_find(9, 0), &kernel),
        TSL_E_UNSUPPORTED);
    assert_error_names(&context, "draws no figures");
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
#ifdef TSL_HAVE_CAIRO
        cmocka_unit_test(points_are_where_they_belong),
        cmocka_unit_test(the_same_kernel_is_the_same_file),
        cmocka_unit_test(what_cannot_be_drawn_is_told), cmocka_unit_test(memory_may_fail)
#else
        cmocka_unit_test(no_cairo_is_told)
#endif
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
