/* A GPU's two forms of a solve, by lines and plain, give the same answer, which is the CPU's too.
 */
#include "solvers/poisson/box.h"
#include "solvers/poisson/lines/lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct row {
    int n[3];
    int precision;
    const char *boundary;
    double screening;
    double bound; /* of the largest difference, relative to the largest value */
} row;

/* All radices, and lengths that have kernels of their own; tiles with columns and rows left over;
 * lines longer than a tile is wide; both precisions; every place of the padding; chunks on streams
 * of their own, the last a narrow one; rows of one wave, and of one number. */
static const row rows[] = {
    {{96, 10, 12}, 8, "ppp", 0, 1e-13},   {{100, 4, 20}, 8, "ppp", 0.5, 1e-13},
    {{105, 7, 30}, 8, "ppp", 0, 1e-13},   {{5, 256, 6}, 8, "ppp", 0, 1e-13},
    {{4, 6, 768}, 8, "ppp", 0, 1e-13},    {{1280, 2, 2}, 8, "ppp", 0, 1e-13},
    {{3, 2048, 4}, 8, "ppp", 2, 1e-13},   {{32, 24, 50}, 4, "ppp", 0, 2e-6},
    {{12, 1, 14}, 8, "ppp", 0, 1e-13},    {{10, 12, 14}, 8, "fff", 0, 1e-13},
    {{25, 18, 16}, 8, "fff", 0.3, 1e-13}, {{16, 20, 24}, 4, "fff", 0, 2e-6},
    {{9, 16, 128}, 8, "ffp", 0, 1e-13},   {{9, 16, 18}, 8, "pff", 0, 1e-13},
    {{14, 15, 24}, 8, "fpf", 0, 1e-13},   {{14, 15, 24}, 8, "fpp", 0, 1e-13},
    {{14, 15, 24}, 8, "pfp", 0, 1e-13},   {{14, 15, 24}, 4, "ppf", 0, 2e-6},
    {{128, 1, 2}, 8, "ppp", 0, 1e-13},    {{512, 1, 2}, 8, "ppp", 0, 1e-13},
    {{1024, 1, 2}, 8, "ppp", 0, 1e-13},   {{2048, 1, 2}, 8, "ppp", 0, 1e-13},
    {{1, 128, 20}, 8, "ppp", 0, 1e-13},   {{1, 512, 2}, 8, "ppp", 0, 1e-13},
    {{1, 1024, 2}, 8, "ppp", 0, 1e-13},   {{1, 9, 256}, 8, "ppp", 0, 1e-13},
    {{1, 1, 512}, 8, "ppp", 0, 1e-13},    {{1, 2, 1024}, 8, "ppp", 0, 1e-13},
    {{1, 1, 2048}, 8, "ppp", 0, 1e-13},   {{64, 2, 2}, 8, "fpp", 0, 1e-13},
    {{2, 64, 4}, 8, "pfp", 0, 1e-13},     {{2, 3, 128}, 8, "ppf", 0, 1e-13},
    {{128, 1, 2}, 4, "ppp", 0, 2e-6},     {{1, 256, 36}, 4, "ppp", 0, 2e-6},
    {{1, 18, 256}, 4, "ppp", 0, 2e-6},    {{64, 4, 2}, 4, "fpp", 0, 2e-6},
    {{127, 4, 2}, 8, "fpp", 0, 1e-13},    {{4, 127, 2}, 8, "pfp", 0, 1e-13},
    {{254, 2, 2}, 4, "fpp", 0, 2e-6},     {{16, 20, 140}, 8, "ffp", 0, 1e-13},
    {{16, 20, 210}, 8, "fff", 0, 1e-13},  {{16, 20, 140}, 4, "ffp", 0, 2e-6},
    {{16, 20, 210}, 4, "fff", 0, 2e-6},
};

static tsl_poisson_options options_of(const row *r)
{
    double lengths[3];
    for (int axis = 0; axis < 3; axis++) { /* cells of not quite the same edges, and no thin box */
        lengths[axis] = r->n[axis] < 16 ? 1 + 0.1 * axis : r->n[axis] / (15.0 + axis);
    }
    tsl_poisson_options options = box_options(r->n, lengths, r->boundary);
    options.precision = r->precision;
    options.plain = -1;
    options.screening = r->screening;
    options.background = strcmp(r->boundary, "ppp") == 0 && r->screening == 0;
    return options;
}

/* What the CPU makes of a row's source. */
typedef struct answer {
    const row *r;
    tsl_poisson_options options;
    double *source, *potential, *field;
} answer;

static answer answer_of(tsl_context *cpu, const row *r)
{
    answer a = {.r = r, .options = options_of(r)};
    const int64_t cells = box_cells(&a.options);
    uint64_t seed = 17;
    a.source = malloc((size_t)cells * sizeof *a.source);
    assert_non_null(a.source);
    for (int64_t i = 0; i < cells; i++) {
        a.source[i] = test_uniform(&seed);
    }
    tsl_poisson_options options = a.options;
    options.plain = 0;
    a.potential = box_solve(cpu, &options, a.source);
    a.field = box_field(cpu, &options, a.source);
    return a;
}

static void check(tsl_context *context, const answer *a, const char *with, const double *found,
                  const double *wanted, double bound)
{
    char what[64];
    snprintf(what, sizeof what, "%d x %d x %d %s, %s", a->r->n[0], a->r->n[1], a->r->n[2],
             a->r->boundary, with);
    box_check(context, what, box_linf(found, wanted, box_cells(&a->options)), bound);
}

static void compare(tsl_context *context, const answer *a)
{
    static const char *const axes[] = {"field along x", "field along y", "field along z"};
    const int64_t cells = box_cells(&a->options);
    tsl_poisson_options options = a->options;
    tsl_poisson_summary summary;
    assert_int_equal(tsl_poisson_predict(&summary, context, &options), TSL_OK);
    assert_int_equal(summary.lines, 1);
    double *lines = box_solve(context, &options, a->source);
    check(context, a, "CPU", lines, a->potential, a->r->bound);
    if (!test_is_another_order(context->name)) {
        double *fields = box_field(context, &options, a->source);
        for (int axis = 0; axis < 3; axis++) {
            if (a->r->n[axis] > 2) { /* else there is none */
                check(context, a, axes[axis], fields + axis * cells, a->field + axis * cells,
                      10 * a->r->bound);
            }
        }
        options.plain = 1;
        assert_int_equal(tsl_poisson_predict(&summary, context, &options), TSL_OK);
        assert_int_equal(summary.lines, 0);
        double *plain = box_solve(context, &options, a->source);
        check(context, a, "plain", lines, plain, a->r->bound);
        free(fields);
        free(plain);
    }
    free(lines);
}

static void both_forms_agree(void **state)
{
    (void)state;
    const int devices = test_device_count();
    tsl_context *cpu = test_context("cpu", 1);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        answer a = answer_of(cpu, &rows[i]);
        for (int d = 1; d < devices; d++) {
            tsl_context *context = test_context(test_devices[d], 1);
            compare(context, &a);
            tsl_context_destroy(context);
        }
        free(a.source);
        free(a.potential);
        free(a.field);
    }
    tsl_context_destroy(cpu);
}

/* Lengths that have no lines, which go the plain way where the form is open. */
static void other_lengths_are_plain(void **state)
{
    (void)state;
    static const int shapes[][3] = {{22, 8, 8}, {8, 26, 8}, {8, 8, 34}, {8, 8, 9}, {2100, 2, 2}};
    const double lengths[3] = {1, 1, 1};
    tsl_context *context = test_context(test_devices[1], 1);
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        tsl_poisson_options options = box_options(shapes[i], lengths, "ppp");
        tsl_poisson_summary summary;
        assert_int_equal(tsl_poisson_predict(&summary, context, &options), TSL_OK);
        assert_int_equal(summary.lines, 0);
        options.plain = -1;
        assert_int_equal(tsl_poisson_predict(&summary, context, &options), TSL_E_ARG);
        assert_non_null(strstr(tsl_last_error(context), i == 3 ? "which has 9" : "products of 2"));
        assert_non_null(strstr(tsl_last_error(context), "leave the form open"));
    }
    tsl_context_destroy(context);
    context = test_context("cpu", 1);
    for (int form = -1; form <= 1; form++) {
        tsl_poisson_options options = box_options((int[]){8, 8, 8}, lengths, "ppp");
        tsl_poisson_summary summary;
        options.plain = form;
        assert_int_equal(tsl_poisson_predict(&summary, context, &options),
                         form == 0 ? TSL_OK : TSL_E_ARG);
        assert_true(form == 0 || strstr(tsl_last_error(context), "are a GPU's") != NULL);
    }
    tsl_context_destroy(context);
}

/* What a plan holds is what was predicted: tables alone for a periodic box, which is solved in
 * place. */
static void memory_is_predicted(void **state)
{
    (void)state;
    const int devices = test_device_count();
    for (int d = 1; d < devices; d++) {
        if (test_is_another_order(test_devices[d])) {
            continue;
        }
        tsl_context *context = test_context(test_devices[d], 1);
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            const tsl_poisson_options options = options_of(&rows[i]);
            const int64_t before = context->memory.bytes;
            tsl_poisson_summary summary;
            tsl_poisson_plan *plan = NULL;
            assert_int_equal(tsl_poisson_predict(&summary, context, &options), TSL_OK);
            assert_int_equal(tsl_poisson_plan_create(&plan, context, &options), TSL_OK);
            assert_int_equal(context->memory.bytes - before, summary.bytes);
            tsl_poisson_plan_destroy(plan);
        }
        tsl_context_destroy(context);
    }
}

/* A block of threads does one tile, so that the rows of the largest grids take millions of them. */
static void every_column_has_a_tile(void **state)
{
    (void)state;
    for (int shift = 0; shift <= 3; shift++) {
        for (int64_t columns = 1; columns <= INT64_C(1) << 22; columns = 2 * columns + shift) {
            const int64_t tiles = poisson_lines_tiles((int)columns, shift);
            assert_true(tiles << shift >= columns && (tiles - 1) << shift < columns);
        }
    }
    assert_int_equal(poisson_lines_tiles(2048 * 2048, 1), 2048 * 1024);
}

/* Kernels of one length have the fewest passes, of radices as even as they can be. */
static void lengths_are_cut_evenly(void **state)
{
    (void)state;
#define TEST_LENGTH(n) n,
    static const int lengths[] = {LINES_LENGTHS(TEST_LENGTH)};
#undef TEST_LENGTH
    static const int largest[] = {LINES_LARGEST_DOUBLE, LINES_LARGEST_SINGLE};
    for (size_t i = 0; i < 2 * sizeof lengths / sizeof *lengths; i++) {
        const tsl_line wanted = tsl_line_of(lengths[i / 2], largest[i % 2]);
        const tsl_line line = poisson_lines_of_two(lengths[i / 2], largest[i % 2], NULL);
        int left = line.n;
        assert_int_equal(line.n, wanted.n);
        assert_int_equal(line.passes, wanted.passes);
        assert_true(line.radix[0] <= 2 * line.radix[line.passes - 1]);
        for (int p = 0; p < line.passes; p++) {
            assert_true(line.radix[p] <= (p > 0 ? line.radix[p - 1] : largest[i % 2]));
            left /= line.radix[p];
            assert_int_equal(line.part[p], left);
        }
        assert_int_equal(left, 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_forms_agree), cmocka_unit_test(every_column_has_a_tile),
        cmocka_unit_test(lengths_are_cut_evenly), cmocka_unit_test(other_lengths_are_plain),
        cmocka_unit_test(memory_is_predicted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
