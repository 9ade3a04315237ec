/* Wavefronts of lists: the same bits as one list after the other. */
#include "solvers/linsolve/systems.h"

#include <stdlib.h>
#include <string.h>

#include "blocks/vector/wavefront.h"
#include "core/context.h"
#include "solvers/linsolve/matrix/matrix.h"

enum { VECTORS = 4 };

/* The pattern of entries: all of a Laplacian's, or some of them. */
typedef enum pattern { WHOLE, LOWER, UPPER, SCATTERED, PATTERNS } pattern;

static bool has(pattern which, int64_t row, int64_t column)
{
    switch (which) {
    case LOWER:
        return column <= row;
    case UPPER:
        return column >= row;
    case SCATTERED: /* (i, j) mostly without (j, i) */
        return column == row || (7 * row + 3 * column) % 5 < 2;
    default:
        return true;
    }
}

static void thin_out(test_system *s, pattern which)
{
    int64_t count = 0;
    for (int64_t i = 0, from = 0; i < s->n; i++) {
        const int64_t end = s->row_start[i + 1];
        for (int64_t k = from; k < end; k++) {
            if (has(which, i, s->column[k])) {
                s->column[count] = s->column[k];
                s->value[count++] = s->value[k] + (double)(k % 13) / 7;
            }
        }
        from = end;
        s->row_start[i + 1] = count;
    }
}

typedef struct fixture {
    tsl_context *context;
    int bytes;
    tsl_csr a;
    tsl_layout layout;
    tsl_form form;
    void *v[VECTORS];
} fixture;

static void begin(fixture *c, const test_system *s, int bytes, int threads)
{
    c->context = test_context("cpu", threads);
    c->bytes = bytes;
    c->a = (tsl_csr){s->n, s->n, s->row_start, s->column, s->value};
    assert_int_equal(tsl_layout_make(&c->layout, c->context, s->n, s->row_start, true), TSL_OK);
    assert_int_equal(tsl_form_make(&c->form, c->context, &c->a, &c->layout, bytes, 1), TSL_OK);
    uint64_t seed = 3;
    for (int i = 0; i < VECTORS; i++) {
        c->v[i] = calloc((size_t)s->n + TSL_SLICE_ROWS, (size_t)bytes);
        for (int64_t k = 0; k < s->n; k++) {
            const double value = test_uniform(&seed);
            if (bytes == 8) {
                ((double *)c->v[i])[k] = value;
            } else {
                ((float *)c->v[i])[k] = (float)value;
            }
        }
    }
}

static void end(fixture *c)
{
    for (int i = 0; i < VECTORS; i++) {
        free(c->v[i]);
    }
    tsl_form_free(&c->form);
    tsl_layout_free(&c->layout);
    tsl_context_destroy(c->context);
}

/* List `number`: y = b + A x - y / 2, of vectors that take turns, so that each list writes over
 * what the one before has read; b is the last vector. The first has no product: y = b / 3. */
static int make_list(tsl_expression expressions[3], const fixture *c, int number)
{
    void *x = c->v[number % 2];
    void *y = c->v[1 - number % 2];
    if (number == 0) {
        expressions[0] = tsl_combine(y, 1.0 / 3, c->v[VECTORS - 1], 0, NULL);
        return 1;
    }
    expressions[0] = tsl_product(NULL, &c->form, NULL, x);
    expressions[1] = tsl_combine(NULL, 0.125, NULL, 1, c->v[VECTORS - 1]);
    expressions[2] = tsl_combine(y, 1, NULL, -0.5, y);
    return 3;
}

/* `reach` 0: one by one. */
static void run(const fixture *c, int lists, int64_t reach)
{
    tsl_wavefront wavefront = {
        .context = c->context, .layout = &c->layout, .bytes = c->bytes, .reach = reach};
    for (int l = 0; l < lists; l++) {
        tsl_expression expressions[3];
        const int count = make_list(expressions, c, l);
        assert_int_equal(tsl_wavefront_add(&wavefront, expressions, count), TSL_OK);
    }
    assert_int_equal(tsl_wavefront_run(&wavefront), TSL_OK);
    assert_int_equal(wavefront.count, 0);
}

/* A wavefront on a box of side^2 * planes rows, and threads that run it. */
typedef struct row {
    int64_t side, planes;
    int lists, threads;
} row;

static void check_row(const row *r, pattern which, int bytes)
{
    test_system s = test_laplacian(r->side, r->planes);
    thin_out(&s, which);
    fixture one;
    fixture other;
    begin(&one, &s, bytes, 1);
    begin(&other, &s, bytes, r->threads);
    run(&one, r->lists, 0);
    run(&other, r->lists, r->side * r->side);
    for (int v = 0; v < VECTORS; v++) {
        assert_memory_equal(one.v[v], other.v[v], (size_t)s.n * (size_t)bytes);
    }
    end(&one);
    end(&other);
    test_system_free(&s);
}

static void wavefronts_are_lists_one_by_one(void **state)
{
    (void)state;
    static const row rows[] = {{19, 61, 2, 1}, {19, 61, 3, 2},  {20, 60, 4, 1},
                               {5, 700, 3, 3}, {5, 701, 11, 2}, {1, 9001, 4, 7},
                               {9, 9, 3, 2},   {4, 3001, 1, 2}, {8, 64, 4, 3}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (pattern which = WHOLE; which < PATTERNS; which++) {
            check_row(&rows[i], which, 4);
            check_row(&rows[i], which, 8);
        }
    }
}

/* A smoother's expressions, u in t: from x, b, D^-1 and what was before. */
static void make_smoothing(tsl_expression expressions[4], const fixture *c, void *t)
{
    expressions[0] = tsl_product(t, &c->form, NULL, c->v[0]);
    expressions[1] = tsl_combine(t, 0.7, c->v[1], -1.3, t);
    expressions[2] = tsl_scale(c->v[2], 0.9, t, c->v[3], -0.4, c->v[2]);
    expressions[3] = tsl_combine(c->v[2], 1.4, c->v[0], 1.1, c->v[2]);
}

/* One list, and a list for each expression with u in memory, must leave the same bits. */
static void check_smoothing(const test_system *s, int bytes, int count)
{
    fixture one;
    fixture other;
    tsl_expression expressions[4];
    begin(&one, s, bytes, 1);
    begin(&other, s, bytes, 2);
    void *t = calloc((size_t)s->n + TSL_SLICE_ROWS, (size_t)bytes);
    make_smoothing(expressions, &one, t);
    for (int i = 0; i < count; i++) {
        const tsl_expressions list = {
            .layout = &one.layout, .bytes = bytes, .count = 1, .expressions = &expressions[i]};
        assert_int_equal(tsl_expressions_run(one.context, &list), TSL_OK);
    }
    make_smoothing(expressions, &other, NULL);
    const tsl_expressions list = {
        .layout = &other.layout, .bytes = bytes, .count = count, .expressions = expressions};
    assert_int_equal(tsl_expressions_run(other.context, &list), TSL_OK);
    for (int v = 0; v < VECTORS; v++) {
        assert_memory_equal(one.v[v], other.v[v], (size_t)s->n * (size_t)bytes);
    }
    free(t);
    end(&one);
    end(&other);
}

static void smoothing_is_its_steps_one_by_one(void **state)
{
    (void)state;
    test_system s = test_laplacian(19, 31);
    for (int bytes = 4; bytes <= 8; bytes += 4) {
        check_smoothing(&s, bytes, 3);
        check_smoothing(&s, bytes, 4);
    }
    test_system_free(&s);
}

static void lists_that_are_too_long_are_refused(void **state)
{
    (void)state;
    test_system s = test_laplacian(3, 3);
    fixture c;
    begin(&c, &s, 8, 1);
    tsl_wavefront wavefront = {.context = c.context, .layout = &c.layout, .bytes = 8};
    tsl_expression expressions[TSL_WAVEFRONT_EXPRESSIONS + 1];
    for (int i = 0; i <= TSL_WAVEFRONT_EXPRESSIONS; i++) {
        expressions[i] = tsl_combine(c.v[0], 1, c.v[1], 0, NULL);
    }
    assert_int_equal(tsl_wavefront_add(&wavefront, expressions, TSL_WAVEFRONT_EXPRESSIONS), TSL_OK);
    assert_int_equal(tsl_wavefront_add(&wavefront, expressions, TSL_WAVEFRONT_EXPRESSIONS + 1),
                     TSL_E_INTERNAL);
    assert_int_equal(tsl_wavefront_add(&wavefront, expressions, 0), TSL_E_INTERNAL);
    assert_int_equal(wavefront.count, 1);
    end(&c);
    test_system_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(wavefronts_are_lists_one_by_one),
                                       cmocka_unit_test(smoothing_is_its_steps_one_by_one),
                                       cmocka_unit_test(lists_that_are_too_long_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
