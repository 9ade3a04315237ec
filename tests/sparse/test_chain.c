/* Chains of lists: the same bits as one list after the other. */
#include "sparse/systems.h"

#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "sparse/chain.h"
#include "sparse/matrix.h"

enum { VECTORS = 4 };

typedef struct chained {
    tsl_context *context;
    tsl_csr a;
    tsl_layout layout;
    tsl_form form;
    float *v[VECTORS];
} chained;

static void begin(chained *c, const test_system *s, int threads)
{
    c->context = test_context("cpu", threads);
    c->a = (tsl_csr){s->n, s->n, s->row_start, s->column, s->value};
    assert_int_equal(tsl_layout_make(&c->layout, c->context, s->n, s->row_start, true), TSL_OK);
    assert_int_equal(tsl_form_make(&c->form, c->context, &c->a, &c->layout, 4, 1), TSL_OK);
    uint64_t seed = 3;
    for (int i = 0; i < VECTORS; i++) {
        c->v[i] = calloc((size_t)s->n + TSL_SLICE_ROWS, sizeof *c->v[i]);
        for (int64_t k = 0; k < s->n; k++) {
            c->v[i][k] = (float)(test_uniform(&seed));
        }
    }
}

static void end(chained *c)
{
    for (int i = 0; i < VECTORS; i++) {
        free(c->v[i]);
    }
    tsl_form_free(&c->form);
    tsl_layout_free(&c->layout);
    tsl_context_destroy(c->context);
}

/* List `number`: y = b + A x - y / 2, of vectors that take turns, so that each list writes over
 * what the one before has read; b is the last vector. */
static void make_list(tsl_step steps[3], const chained *c, int number)
{
    float *x = c->v[number % 2];
    float *y = c->v[1 - number % 2];
    steps[0] = tsl_product(NULL, &c->form, NULL, x);
    steps[1] = tsl_combine(NULL, 0.125, NULL, 1, c->v[VECTORS - 1]);
    steps[2] = tsl_combine(y, 1, NULL, -0.5, y);
}

/* `reach` 0: one by one. */
static void run(const chained *c, int lists, int64_t reach)
{
    tsl_chain chain = {.context = c->context, .layout = &c->layout, .bytes = 4, .reach = reach};
    for (int l = 0; l < lists; l++) {
        tsl_step steps[3];
        make_list(steps, c, l);
        assert_int_equal(tsl_chain_add(&chain, steps, 3), TSL_OK);
    }
    assert_int_equal(tsl_chain_run(&chain), TSL_OK);
    assert_int_equal(chain.count, 0);
}

static void chains_are_lists_one_by_one(void **state)
{
    (void)state;
    const struct {
        int64_t side, planes;
        int lists, threads;
    } rows[] = {{19, 61, 2, 1},  {19, 61, 3, 2},  {20, 60, 4, 1}, {5, 700, 3, 3},
                {5, 701, 11, 2}, {1, 9001, 4, 7}, {9, 9, 3, 2},   {4, 3001, 1, 2}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        test_system s = test_laplacian(rows[i].side, rows[i].planes);
        chained one;
        chained other;
        begin(&one, &s, 1);
        begin(&other, &s, rows[i].threads);
        run(&one, rows[i].lists, 0);
        run(&other, rows[i].lists, rows[i].side * rows[i].side);
        for (int v = 0; v < VECTORS; v++) {
            assert_memory_equal(one.v[v], other.v[v], (size_t)s.n * sizeof(float));
        }
        end(&one);
        end(&other);
        test_system_free(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(chains_are_lists_one_by_one)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
