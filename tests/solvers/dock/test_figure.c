#include "core/config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "scratch.h"
#include "solvers/dock/pose_files.h"

enum { MOST = 1200, ATOMS = 300 };

static tsl_context context;
static tsl_pose poses[MOST];
static double centres[TSL_FIGURE_POSES][3];
static double positions[3 * ATOMS];

static tsl_pose_list make_list(int64_t count, int best, int worst)
{
    for (int64_t i = 0; i < count; i++) {
        poses[i] = (tsl_pose){
            .score =
                count > 1 ? (int32_t)(best - ((int64_t)best - worst) * i / (count - 1)) : best};
    }
    for (int i = 0; i < TSL_FIGURE_POSES; i++) {
        centres[i][0] = 40 - i * 7 % 80;
        centres[i][1] = 40 - i * 13 % 80;
        centres[i][2] = 20 - i * 3 % 40;
    }
    for (int i = 0; i < 3 * ATOMS; i++) {
        positions[i] = i * (i % 3 + 5) % 50 - 25;
    }
    tsl_pose_list list = {.count = count, .poses = poses};
    strcpy(list.head.receptor, "receptor.pdb");
    strcpy(list.head.ligand, "ligand.pdb");
    list.head.grid = 96;
    list.head.spacing = 1.0868;
    list.head.angle_step = 12;
    list.head.rotations = 9240;
    return list;
}

static tsl_status draw(tsl_context *own, const char *path, const tsl_pose_list *list)
{
    const tsl_molecule receptor = {.count = ATOMS, .positions = positions};
    return tsl_dock_figure_draw(own, path, list, &receptor, (const double(*)[3])centres);
}

#ifdef TSL_HAVE_CAIRO

/* The figure of a list; free() it. It is well-formed as far as a short look tells. */
static char *figure_of(const tsl_pose_list *list)
{
    if (draw(&context, scratch_path("figure.svg"), list) != TSL_OK) {
        fail_msg("%s", context.error);
    }
    char *text = scratch_read(scratch_path("figure.svg"), NULL);
    assert_contains(text, "<?xml version=\"1.0\"");
    assert_contains(text, "viewBox=\"0 0 1000 460\"");
    assert_string_equal(text + strlen(text) - strlen("</svg>\n"), "</svg>\n");
    assert_null(strstr(text, "nan"));
    assert_null(strstr(text, "inf"));
    return text;
}

static int occurrences(const char *text, const char *part)
{
    int count = 0;
    for (const char *p = strstr(text, part); p != NULL; p = strstr(p + 1, part)) {
        count++;
    }
    return count;
}

/* The outline that every dot has, and nothing else. */
static const char outline[] = "stroke-width:0.6;";

static void test_counts(void **state)
{
    (void)state;
    static const struct {
        int64_t count;
        int best, worst, dots;
    } rows[] = {{0, 0, 0, 0},         {1, 60, 60, 1},       {2, 60, 59, 2},
                {3, 5, -5, 3},        {7, 60, 60, 7},       {500, 80, 20, 500},
                {1200, 80, 20, 500},  {1200, 9999, 1, 500}, {2, INT32_MAX, INT32_MIN, 2},
                {1200, -1, -900, 500}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const tsl_pose_list list = make_list(rows[i].count, rows[i].best, rows[i].worst);
        char *text = figure_of(&list);
        assert_int_equal(occurrences(text, outline), rows[i].dots);
        free(text);
    }
}

static void test_same_every_time(void **state)
{
    (void)state;
    const tsl_pose_list list = make_list(MOST, 80, 20);
    char *first = figure_of(&list);
    char *second = figure_of(&list);
    assert_string_equal(first, second);
    poses[0].score++;
    char *third = figure_of(&list);
    assert_string_not_equal(first, third);
    free(first);
    free(second);
    free(third);
}

/* One atom, one place for all: no extent in any direction. */
static void test_a_single_point(void **state)
{
    (void)state;
    const tsl_pose_list list = make_list(5, 10, 8);
    memset(centres, 0, sizeof centres);
    double origin[3] = {0};
    const tsl_molecule receptor = {.count = 1, .positions = origin};
    assert_int_equal(tsl_dock_figure_draw(&context, scratch_path("point.svg"), &list, &receptor,
                                          (const double(*)[3])centres),
                     TSL_OK);
    char *text = scratch_read(scratch_path("point.svg"), NULL);
    assert_null(strstr(text, "nan"));
    assert_null(strstr(text, "inf"));
    assert_int_equal(occurrences(text, outline), 5);
    free(text);
}

/* Names of any bytes and length are drawn as far as there is room. */
static void test_names(void **state)
{
    (void)state;
    tsl_pose_list list = make_list(5, 10, 8);
    memset(list.head.receptor, 'W', 255);
    memset(list.head.ligand, 0xc3, 255);
    memset(list.head.rotations_from, '\n', 255);
    list.head.angle_step = 0;
    free(figure_of(&list));
    list.head.receptor[0] = 0;
    list.head.ligand[0] = 0;
    list.head.rotations_from[0] = 0;
    free(figure_of(&list));
}

static tsl_status draw_with(tsl_context *own, void *user)
{
    return draw(own, scratch_path("memory.svg"), user);
}

static void test_failures(void **state)
{
    (void)state;
    tsl_pose_list list = make_list(MOST, 80, 20);
    assert_survives_no_memory(draw_with, &list);
    assert_int_equal(draw(&context, "/dev/full", &list), TSL_E_IO);
    assert_error_names(&context, "/dev/full: cannot write: No space left on device");
    assert_int_equal(draw(&context, scratch_path("no/figure.svg"), &list), TSL_E_IO);
    assert_error_names(&context, "make the folder first");
}

#else

static void test_without_cairo(void **state)
{
    (void)state;
    const tsl_pose_list list = make_list(5, 10, 8);
    assert_int_equal(draw(&context, scratch_path("figure.svg"), &list), TSL_E_UNSUPPORTED);
    assert_error_names(&context, "figure.svg: this build draws no figures");
    assert_int_equal(access(scratch_path("figure.svg"), F_OK), -1);
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
#ifdef TSL_HAVE_CAIRO
        cmocka_unit_test(test_counts),         cmocka_unit_test(test_same_every_time),
        cmocka_unit_test(test_a_single_point), cmocka_unit_test(test_names),
        cmocka_unit_test(test_failures),
#else
        cmocka_unit_test(test_without_cairo),
#endif
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
