/* Figures: kinds of files, the same figure the same file, and failing memory. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "core/config.h"
#include "io/report/figure.h"
#include "io/report/matrix_plot.h"
#include "io/report/plot.h"
#include "scratch.h"

static const double xs[] = {0, 10, 20, 60}, ys[] = {1, 1e-3, 0, 1e-9}, big[] = {1, 1e3, 1e6, 3e10};
static const tsl_plot_curve curves[] = {{"falls", 4, xs, ys}, {"a dot", 1, &xs[2], &ys[1]}},
                            wide[] = {{"rises", 4, big, big}};
static const tsl_plot plots[] = {
    {.title = "linear & powers",
     .x = {"iteration", TSL_PLOT_LINEAR},
     .y = {"residual", TSL_PLOT_POWERS},
     .curves = 2,
     .curve = curves,
     .level_name = "level",
     .level = 1e-8},
    {.title = "prefixes",
     .x = {"bytes", TSL_PLOT_PREFIXES},
     .y = {"bytes a second", TSL_PLOT_PREFIXES},
     .curves = 1,
     .curve = wide},
    {.title = "nothing", .x = {"x", TSL_PLOT_LINEAR}, .y = {"y", TSL_PLOT_POWERS}}};

static void kinds_are_known_by_their_ends(void **state)
{
    (void)state;
    static const char *const good[] = {"a.svg", "b/c.png", "x.y.pdf"};
    static const char *const bad[] = {"", "svg", "a.jpg", "a.svg.gz", "a.SVG"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_true(tsl_figure_knows(good[i]));
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_false(tsl_figure_knows(bad[i]));
    }
}

static void steps_are_round(void **state)
{
    (void)state;
    static const double rows[][4] = {{0.5, 10, 1, 1}, {10, 10, 1, 1},    {11, 10, 1, 2},
                                     {30, 6, 1, 5},   {31, 6, 1, 10},    {48, 1, 1, 50},
                                     {0, 6, 1, 1},    {1001, 5, 1, 500}, {0.9, 5, 0, 0.2},
                                     {12, 6, 0, 2},   {12.5, 6, 0, 5},   {3e-7, 3, 0, 1e-7}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_true(fabs(tsl_nice_step(rows[i][0], (int)rows[i][1], rows[i][2]) / rows[i][3] - 1) <
                    1e-12);
    }
}

/* Each block of a large matrix has the least of its elements, and each element of a small one its
 * own cell. */
static void cells_have_the_least_of_their_elements(void **state)
{
    (void)state;
    enum { ROWS = 2 * TSL_MATRIX_PLOT_CELLS, COLUMNS = 3 };
    tsl_context context = {0};
    tsl_matrix_plot plot = {.title = "rows"};
    assert_int_equal(tsl_matrix_plot_begin(&plot, &context, ROWS, COLUMNS), TSL_OK);
    assert_int_equal(plot.cells[0], TSL_MATRIX_PLOT_CELLS);
    assert_int_equal(plot.cells[1], COLUMNS);
    for (int64_t i = 0; i < ROWS; i++) {
        tsl_matrix_plot_add(&plot, i, 1, (double)(ROWS - i));
        tsl_matrix_plot_add(&plot, i, 2, NAN);
    }
    for (int64_t r = 0; r < TSL_MATRIX_PLOT_CELLS; r++) {
        assert_true(isinf(plot.least[3 * r]) && isinf(plot.least[3 * r + 2]));
        assert_true(plot.least[3 * r + 1] == (double)(ROWS - 2 * r - 1));
    }
    tsl_matrix_plot_release(&plot);
}

#ifdef TSL_HAVE_CAIRO

static void plots_are_written(void **state)
{
    (void)state;
    static const char *const files[][2] = {
        {"a.svg", "<?xml"}, {"a.png", "\x89PNG"}, {"a.pdf", "%PDF"}, {"a.other", "<?xml"}};
    for (size_t i = 0; i < 12; i++) {
        tsl_context context = {0};
        size_t bytes, again_bytes;
        const char *path = scratch_path(files[i % 4][0]);
        assert_int_equal(tsl_plot_write(&context, path, &plots[i / 4]), TSL_OK);
        char *first = scratch_read(path, &bytes);
        assert_memory_equal(first, files[i % 4][1], 4);
        assert_int_equal(tsl_plot_write(&context, path, &plots[i / 4]), TSL_OK);
        char *again = scratch_read(path, &again_bytes);
        if (i % 4 != 2) { /* a PDF has its date */
            assert_int_equal(bytes, again_bytes);
            assert_memory_equal(first, again, bytes);
        }
        free(first);
        free(again);
    }
}

/* What the curves pass through is in the file. */
static void points_are_where_they_belong(void **state)
{
    (void)state;
    tsl_context context = {0};
    const char *path = scratch_path("a.svg");
    assert_int_equal(tsl_plot_write(&context, path, &plots[0]), TSL_OK);
    char *text = scratch_read(path, NULL);
    /* x from 0 to 60 on 72 … 600, y from 1e-9 to 1 on 400 … 64 */
    assert_contains(text, "M 72 64 L 160 176");
    free(text);
    static const double two[] = {1, 2, 4}, percent[] = {100, 50, 25};
    const tsl_plot_curve halves = {"halves", 3, two, percent};
    const tsl_plot doublings = {.title = "doublings",
                                .x = {"ranks", TSL_PLOT_DOUBLINGS},
                                .y = {"%", TSL_PLOT_LINEAR},
                                .curves = 1,
                                .curve = &halves,
                                .marks = true};
    assert_int_equal(tsl_plot_write(&context, path, &doublings), TSL_OK);
    text = scratch_read(path, NULL);
    assert_contains(text, "M 72 64 L 336 232 L 600 316");
    assert_contains(text, "M 339 232"); /* its dot */
    free(text);
}

/* The file of an oblong matrix that has 1 in its corner and, from 0 on, in a column. */
static char *draw_column(int64_t column, size_t *bytes)
{
    tsl_context context = {0};
    tsl_matrix_plot plot = {.title = "", .what = "", .of = {"", ""}, .colours = ""};
    const char *path = scratch_path("column.png");
    assert_int_equal(tsl_matrix_plot_begin(&plot, &context, 1000, 200), TSL_OK);
    tsl_matrix_plot_add(&plot, 0, 0, 1);
    if (column >= 0) {
        tsl_matrix_plot_add(&plot, 500, column, 1);
    }
    assert_int_equal(tsl_matrix_plot_write(&context, path, &plot), TSL_OK);
    tsl_matrix_plot_release(&plot);
    return scratch_read(path, bytes);
}

/* Nothing is lost of a matrix whose shorter side has more cells than pixels. */
static void every_element_is_in_the_picture(void **state)
{
    (void)state;
    size_t bytes, other_bytes;
    char *without = draw_column(-1, &bytes);
    for (int64_t column = 0; column < 200; column += 7) {
        char *with = draw_column(column, &other_bytes);
        assert_true(bytes != other_bytes || memcmp(without, with, bytes) != 0);
        free(with);
    }
    free(without);
}

static void unwritable_places_are_named(void **state)
{
    (void)state;
    tsl_context context = {0};
    assert_int_equal(tsl_plot_write(&context, "/none/a.svg", &plots[0]), TSL_E_IO);
    assert_error_names(&context, "/none/a.svg");
    tsl_matrix_plot empty = {.title = "", .what = "", .of = {"", ""}, .colours = ""};
    assert_int_equal(tsl_matrix_plot_begin(&empty, &context, 0, 0), TSL_OK);
    assert_int_equal(tsl_matrix_plot_write(&context, "/none/b.svg", &empty), TSL_E_IO);
    assert_error_names(&context, "/none/b.svg");
    tsl_matrix_plot_release(&empty);
}

#else

static void no_cairo_is_told(void **state)
{
    (void)state;
    tsl_context context = {0};
    assert_int_equal(tsl_plot_write(&context, "a.svg", &plots[0]), TSL_E_UNSUPPORTED);
    assert_error_names(&context, "a.svg: this build draws no figures");
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(kinds_are_known_by_their_ends),
                                       cmocka_unit_test(steps_are_round),
                                       cmocka_unit_test(cells_have_the_least_of_their_elements),
#ifdef TSL_HAVE_CAIRO
                                       cmocka_unit_test(plots_are_written),
                                       cmocka_unit_test(points_are_where_they_belong),
                                       cmocka_unit_test(every_element_is_in_the_picture),
                                       cmocka_unit_test(unwritable_places_are_named)
#else
                                       cmocka_unit_test(no_cairo_is_told)
#endif
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
