/* Forms of the CPU that only multigrid has: slices that repeat, T and T^T. Against sums in single
 * precision, entry after entry: the same bits. */
#include "solvers/linsolve/systems.h"

#include <stdlib.h>
#include <string.h>

#include "blocks/csr/form.h"
#include "core/context.h"
#include "core/core.h"
#include "solvers/linsolve/matrix/matrix.h"

static const double scale = 0.25;

/* What is done to a Laplacian of `side`^2 rows in each of so many planes. */
typedef struct shape {
    const char *name;
    int64_t side, planes;
    int64_t every; /* row is another; 0: none is */
    bool repeats;
} shape;

static const shape shapes[] = {{"lines of whole slices", 16, 24, 0, true},
                               {"lines that end within slices", 45, 30, 0, true},
                               {"a plane", 120, 1, 0, true},
                               {"some rows are others", 24, 24, 1000, true},
                               {"all rows are others", 24, 24, 1, false},
                               {"few slices", 5, 5, 0, false}};

static test_system make_shape(const shape *what)
{
    test_system s = test_laplacian(what->side, what->planes);
    for (int64_t i = 0; i < s.n && what->every > 0; i += what->every) {
        for (int64_t k = s.row_start[i]; k < s.row_start[i + 1]; k++) {
            s.value[k] += (double)(i % 977) / 1024;
        }
    }
    return s;
}

static float *random_vector(int64_t n)
{
    uint64_t seed = 3;
    float *x = malloc((size_t)n * sizeof *x);
    for (int64_t i = 0; i < n; i++) {
        x[i] = (float)test_uniform(&seed) - 0.5F;
    }
    return x;
}

static void check(const float *y, const float *expected, int64_t from, int64_t to, const char *name)
{
    for (int64_t i = 0; i < to; i++) {
        const float wanted = i < from ? -1 : expected[i];
        if (memcmp(&y[i], &wanted, sizeof wanted) != 0) {
            fail_msg("%s: row %lld is %.9g, not %.9g", name, (long long)i, (double)y[i],
                     (double)wanted);
        }
    }
}

static void check_rows(const tsl_form *form, const test_system *s, const char *name)
{
    float *x = random_vector(s->n);
    float *y = malloc((size_t)s->n * sizeof *y);
    float *expected = malloc((size_t)s->n * sizeof *expected);
    for (int64_t i = 0; i < s->n; i++) {
        expected[i] = 0;
        for (int64_t k = s->row_start[i]; k < s->row_start[i + 1]; k++) {
            expected[i] += (float)(scale * s->value[k]) * x[s->column[k]];
        }
    }
    for (int64_t from = 0; from < s->n; from += s->n / 3 / 8 * 8 + 8) {
        for (int64_t i = 0; i < s->n; i++) {
            y[i] = -1;
        }
        tsl_form_multiply(form, y, x, from, s->n - from / 16);
        check(y, expected, from, s->n - from / 16, name);
    }
    free(x);
    free(y);
    free(expected);
}

static void slices_that_repeat_are_kept_once(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        test_system s = make_shape(&shapes[i]);
        for (int threads = 1; threads <= 5; threads += 2) {
            tsl_context *context = test_context("cpu", threads);
            tsl_sparse_matrix *matrix = test_matrix(context, &s);
            tsl_form form;
            assert_int_equal(tsl_form_narrow(&form, context, &matrix->form, scale), TSL_OK);
            assert_int_equal(form.kind != NULL, shapes[i].repeats);
            assert_true(!shapes[i].repeats ||
                        8 * form.product_bytes < tsl_slices_bytes(&matrix->form));
            check_rows(&form, &s, shapes[i].name);
            tsl_form_free(&form);
            tsl_sparse_matrix_destroy(matrix);
            tsl_context_destroy(context);
        }
        test_system_free(&s);
    }
}

static void no_memory_is_told(void **state)
{
    (void)state;
    test_system s = make_shape(&shapes[0]);
    tsl_context *context = test_context("cpu", 2);
    tsl_sparse_matrix *matrix = test_matrix(context, &s);
    const int64_t live = tsl_test_live_allocations();
    tsl_status status = TSL_E_NOMEM;
    int k = 1;
    for (; status == TSL_E_NOMEM && k < 20; k++) {
        tsl_form form;
        tsl_test_fail_allocation(k);
        status = tsl_form_narrow(&form, context, &matrix->form, scale);
        tsl_test_fail_allocation(0);
        if (status == TSL_OK) {
            tsl_form_free(&form);
        }
        assert_int_equal(tsl_test_live_allocations(), live);
    }
    assert_int_equal(status, TSL_OK);
    assert_true(k > 5);
    tsl_sparse_matrix_destroy(matrix);
    tsl_context_destroy(context);
    test_system_free(&s);
}

enum { ROWS = 1003, AGGREGATES = 40 };

/* T and T^T of aggregates here and there, with and without weights. */
static void ways_between_levels_are_sums(void **state)
{
    (void)state;
    int32_t aggregate[ROWS];
    int64_t start[AGGREGATES + 1] = {0};
    int32_t member[ROWS];
    float fine[ROWS] = {0};
    float coarse[AGGREGATES] = {0};
    uint64_t seed = 9;
    for (int64_t i = 0; i < ROWS; i++) {
        aggregate[i] = (int32_t)(test_random(&seed) % (AGGREGATES + 1)) - 1;
    }
    for (int32_t a = 0; a < AGGREGATES; a++) {
        start[a + 1] = start[a];
        for (int32_t i = 0; i < ROWS; i++) {
            if (aggregate[i] == a) {
                member[start[a + 1]++] = i;
            }
        }
    }
    const tsl_csr members = {AGGREGATES, ROWS, start, member, NULL};
    float *x = random_vector(ROWS);
    float *weight = random_vector(2 * ROWS);
    for (int weighted = 0; weighted < 2; weighted++) {
        const float *own = weighted ? weight + ROWS : NULL;
        const tsl_form up = tsl_form_of_aggregates(aggregate, own, 4);
        const tsl_form down = tsl_form_of_members(&members, own, 4);
        tsl_form_multiply(&up, fine, x, 0, ROWS);
        for (int64_t i = 0; i < ROWS; i++) {
            const float from = aggregate[i] < 0 ? 0 : x[aggregate[i]];
            assert_true(fine[i] == (weighted ? own[i] * from : from));
        }
        tsl_form_multiply(&down, coarse, x, 8, AGGREGATES);
        for (int32_t a = 8; a < AGGREGATES; a++) {
            float sum = 0;
            for (int64_t i = 0; i < ROWS; i++) {
                const float term = weighted ? own[i] * x[i] : x[i];
                sum += aggregate[i] == a ? term : 0;
            }
            assert_true(coarse[a] == sum);
        }
        assert_true(coarse[7] == 0);
    }
    free(x);
    free(weight);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(slices_that_repeat_are_kept_once),
                                       cmocka_unit_test(no_memory_is_told),
                                       cmocka_unit_test(ways_between_levels_are_sums)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
