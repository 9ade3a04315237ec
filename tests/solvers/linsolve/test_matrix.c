/* Matrices: how they are made of what callers have, what is said of them, and their products. */
#include "solvers/linsolve/systems.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/core.h"

/* ---- entries ------------------------------------------------------------------------------------
 */

/* Matrices given with mistakes and what is said of them; entries by coordinates. */
typedef struct mistake {
    const char *said;
    int64_t rows, columns, count;
    int64_t row[4], column[4];
    double value[4];
    tsl_sparse_matrix_options options;
} mistake;

#define OPTIONS(storage, duplicates, base)                                                         \
    {                                                                                              \
        sizeof(tsl_sparse_matrix_options), storage, duplicates, base, TSL_SPARSE_JUDGE             \
    }

static const mistake mistakes[] = {
    {"a matrix of 0 rows: give 1 to 2147483647", 0, 3, 0, {0}, {0}, {0}, OPTIONS(0, 0, 0)},
    {"a matrix of 2147483648 columns: give 1 to 2147483647",
     3,
     2147483648,
     0,
     {0},
     {0},
     {0},
     OPTIONS(0, 0, 0)},
    {"-1 entries: give 0 or more", 3, 3, -1, {0}, {0}, {0}, OPTIONS(0, 0, 0)},
    {"entry 2 is in row 3: rows are 0 to 2", 3, 3, 2, {0, 3}, {0, 0}, {1, 1}, OPTIONS(0, 0, 0)},
    {"entry 1 is in row 0: rows are 1 to 3", 3, 3, 1, {0}, {1}, {1}, OPTIONS(0, 0, 1)},
    {"row 1 has an entry in column -1: columns are 0 to 2",
     3,
     3,
     1,
     {1},
     {-1},
     {1},
     OPTIONS(0, 0, 0)},
    {"row 2 has an entry in column 4: columns are 1 to 3",
     3,
     3,
     1,
     {2},
     {4},
     {1},
     OPTIONS(0, 0, 1)},
    {"the entry in row 2, column 1 is not a number: entries must be finite",
     3,
     3,
     1,
     {2},
     {1},
     {NAN},
     OPTIONS(0, 0, 0)},
    {"the entry in row 3, column 2 is infinite: entries must be finite",
     3,
     3,
     1,
     {3},
     {2},
     {-INFINITY},
     OPTIONS(0, 0, 1)},
    {"row 1 has two entries in column 2: remove one or ask for their sum",
     3,
     3,
     3,
     {1, 0, 1},
     {2, 0, 2},
     {1, 1, 1},
     OPTIONS(0, 0, 0)},
    {"a symmetric matrix of 3 rows and 2 columns: it must be square",
     3,
     2,
     0,
     {0},
     {0},
     {0},
     OPTIONS(TSL_SPARSE_SYMMETRIC, 0, 0)},
    {"the entry in row 0, column 1 is in the other triangle than those before it: give one "
     "triangle of a symmetric matrix",
     3,
     3,
     2,
     {1, 0},
     {0, 1},
     {1, 1},
     OPTIONS(TSL_SPARSE_SYMMETRIC, 0, 0)},
    {"row 2 of a skew-symmetric matrix has an entry on the diagonal: leave it out",
     3,
     3,
     1,
     {2},
     {2},
     {1},
     OPTIONS(TSL_SPARSE_SKEW, 0, 0)},
    {"an index base of 2: give 0 or 1", 3, 3, 0, {0}, {0}, {0}, OPTIONS(0, 0, 2)},
    {"matrix options: no storage 3 or duplicates 0", 3, 3, 0, {0}, {0}, {0}, OPTIONS(3, 0, 0)},
    {"matrix options: size is 7, not 24: initialise them with TSL_SPARSE_MATRIX_OPTIONS_INIT",
     3,
     3,
     0,
     {0},
     {0},
     {0},
     {7, 0, 0, 0, 0}},
};

static void mistakes_are_told(void **state)
{
    (void)state;
    tsl_context *context = test_context("cpu", 2);
    const int64_t live = tsl_test_live_allocations();
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        const mistake *m = &mistakes[i];
        tsl_sparse_matrix *matrix = NULL;
        assert_int_equal(tsl_sparse_matrix_from_coordinates(&matrix, context, m->rows, m->columns,
                                                            m->count, m->row, m->column, m->value,
                                                            &m->options),
                         TSL_E_ARG);
        assert_null(matrix);
        assert_string_equal(tsl_last_error(context), m->said);
        assert_int_equal(tsl_test_live_allocations(), live);
    }
    tsl_context_destroy(context);
}

static void offsets_are_checked(void **state)
{
    (void)state;
    tsl_context *context = test_context("cpu", 1);
    tsl_sparse_matrix *matrix = NULL;
    const int64_t wrong[2][3] = {{1, 1, 2}, {0, 2, 1}};
    const char *const said[2] = {
        "row_start begins with 1: give 0",
        "row 1 ends at entry 1, before it begins at 2: offsets must not descend"};
    const int32_t column[2] = {0, 1};
    const double value[2] = {1, 1};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(
            tsl_sparse_matrix_create(&matrix, context, 2, 2, wrong[i], column, 4, value, NULL),
            TSL_E_ARG);
        assert_string_equal(tsl_last_error(context), said[i]);
    }
    const int64_t right[3] = {0, 1, 2};
    assert_int_equal(
        tsl_sparse_matrix_create(&matrix, context, 2, 2, right, column, 2, value, NULL), TSL_E_ARG);
    assert_string_equal(tsl_last_error(context), "columns of 2 bytes: give 4 or 8");
    assert_int_equal(tsl_sparse_matrix_create(&matrix, context, 2, 2, right, NULL, 4, value, NULL),
                     TSL_E_ARG);
    assert_int_equal(tsl_sparse_matrix_create(&matrix, context, 2, 2, NULL, column, 4, value, NULL),
                     TSL_E_ARG);
    assert_int_equal(
        tsl_sparse_matrix_from_coordinates(&matrix, context, 2, 2, 1, NULL, NULL, NULL, NULL),
        TSL_E_ARG);
    assert_null(matrix);
    tsl_context_destroy(context);
}

/* A dense 6 x 5 matrix from coordinates in disorder, with places given twice; by storage. */
static void entries_are_put_in_order(void **state)
{
    (void)state;
    tsl_context *context = test_context("cpu", 3);
    for (int storage = TSL_SPARSE_GENERAL; storage <= TSL_SPARSE_SKEW; storage++) {
        double dense[25] = {0};
        int64_t row[200];
        int64_t column[200];
        double value[200];
        uint64_t seed = 3;
        int count = 0;
        while (count < 150) {
            const int64_t i = (int64_t)(test_random(&seed) % 5);
            const int64_t j = (int64_t)(test_random(&seed) % 5);
            if ((storage != TSL_SPARSE_GENERAL && j > i) ||
                (storage == TSL_SPARSE_SKEW && i == j)) {
                continue;
            }
            row[count] = i + 1;
            column[count] = j + 1;
            value[count] = (double)(int64_t)(100 * test_uniform(&seed)); /* sums are exact */
            dense[5 * i + j] += value[count];
            if (storage != TSL_SPARSE_GENERAL && i != j) {
                dense[5 * j + i] += storage == TSL_SPARSE_SKEW ? -value[count] : value[count];
            }
            count++;
        }
        const tsl_sparse_matrix_options options =
            OPTIONS((tsl_sparse_storage)storage, TSL_SPARSE_SUM, 1);
        tsl_sparse_matrix *matrix = NULL;
        assert_int_equal(tsl_sparse_matrix_from_coordinates(&matrix, context, 5, 5, count, row,
                                                            column, value, &options),
                         TSL_OK);
        tsl_sparse_description d;
        tsl_sparse_matrix_describe(matrix, &d);
        assert_int_equal(d.nonzeros, storage == TSL_SPARSE_SKEW ? 20 : 25);
        assert_int_equal(d.symmetric, storage == TSL_SPARSE_SYMMETRIC);
        for (int j = 0; j < 5; j++) {
            double x[5] = {0};
            double y[5];
            x[j] = 1;
            assert_int_equal(tsl_sparse_matrix_multiply(matrix, y, x), TSL_OK);
            for (int i = 0; i < 5; i++) {
                assert_true(y[i] == dense[5 * i + j]);
            }
        }
        tsl_sparse_matrix_destroy(matrix);
    }
    tsl_context_destroy(context);
}

/* ---- descriptions
 * ---------------------------------------------------------------------------------- */

static void matrices_are_described(void **state)
{
    (void)state;
    tsl_context *context = test_context("cpu", 2);
    tsl_sparse_description d;
    test_system s = test_laplacian(9, 1);
    tsl_sparse_matrix *matrix = test_matrix(context, &s);
    tsl_sparse_matrix_describe(matrix, &d);
    assert_int_equal(d.rows, 81);
    assert_int_equal(d.columns, 81);
    assert_int_equal(d.nonzeros, 5 * 81 - 4 * 9);
    assert_int_equal(d.shortest_row, 3);
    assert_int_equal(d.longest_row, 5);
    assert_true(fabs(d.mean_row - 369.0 / 81) < 1e-14);
    /* 49 rows of 5, 28 of 4, 4 of 3 */
    assert_true(fabs(d.row_deviation * d.row_deviation -
                     ((49 * 25 + 28 * 16 + 4 * 9) / 81.0 - d.mean_row * d.mean_row)) < 1e-12);
    assert_int_equal(d.bandwidth, 9);
    assert_int_equal(d.symmetric, 1);
    assert_int_equal(d.symmetric_pattern, 1);
    assert_int_equal(d.unsymmetric_row, -1);
    assert_true(d.asymmetry == 0 && d.largest == 4);
    assert_int_equal(d.dominant_rows, 81);
    assert_int_equal(d.empty_rows + d.zero_diagonals + d.negative_diagonals, 0);
    assert_int_equal(d.first_empty_row, -1);
    assert_int_equal(d.first_zero_diagonal, -1);
    assert_int_equal(d.first_negative_diagonal, -1);
    assert_string_equal(d.format, "sliced-ell");
    tsl_sparse_matrix_destroy(matrix);

    s.value[s.row_start[40] + 1] = -1 - 3e-10; /* beyond rounding: a(40, 39) */
    matrix = test_matrix(context, &s);
    tsl_sparse_matrix_describe(matrix, &d);
    assert_int_equal(d.symmetric, 0);
    assert_int_equal(d.symmetric_pattern, 1);
    assert_int_equal(d.unsymmetric_row, 39); /* first by rows: a(39, 40) */
    assert_int_equal(d.unsymmetric_column, 40);
    assert_true(d.asymmetry > 7.4e-11 && d.asymmetry < 7.6e-11);
    tsl_sparse_matrix_destroy(matrix);
    s.value[s.row_start[40] + 1] = -1 - 3e-12; /* within it, since the diagonal is 4 */
    matrix = test_matrix(context, &s);
    tsl_sparse_matrix_describe(matrix, &d);
    assert_int_equal(d.symmetric, 1);
    assert_true(d.asymmetry > 7e-13 && d.asymmetry < 8e-13);
    tsl_sparse_matrix_destroy(matrix);
    test_system_free(&s);
    tsl_context_destroy(context);
}

/* Entries that are rounding beside the diagonal, and differ in all their digits; and what a caller
 * says. */
static void rounding_is_symmetric(void **state)
{
    (void)state;
    tsl_context *context = test_context("cpu", 2);
    static const int64_t start[] = {0, 2, 3, 5};
    static const int32_t column[] = {0, 2, 1, 0, 2};
    static const struct {
        double first, entry, mirror;
        tsl_sparse_symmetry symmetry;
        int symmetric;
    } cases[] = {{2, 1e-17, -1e-17, TSL_SPARSE_JUDGE, 1},
                 {2, 1e-11, -1e-11, TSL_SPARSE_JUDGE, 0},
                 {2, 1e-11, -1e-11, TSL_SPARSE_TAKE_SYMMETRIC, 1},
                 {2, 1, 1, TSL_SPARSE_TAKE_GENERAL, 0},
                 {0, 1e-17, -1e-17, TSL_SPARSE_JUDGE, 0}, /* nothing to be small beside */
                 {2e300, 1e290, -1e290, TSL_SPARSE_JUDGE, 0},
                 {2e300, 1e130, -1e130, TSL_SPARSE_JUDGE, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const double value[] = {cases[i].first, cases[i].entry, 1, cases[i].mirror, 2};
        tsl_sparse_matrix_options options = TSL_SPARSE_MATRIX_OPTIONS_INIT;
        tsl_sparse_matrix *matrix = NULL;
        tsl_sparse_description d;
        options.symmetry = cases[i].symmetry;
        assert_int_equal(
            tsl_sparse_matrix_create(&matrix, context, 3, 3, start, column, 4, value, &options),
            TSL_OK);
        tsl_sparse_matrix_describe(matrix, &d);
        assert_int_equal(d.symmetric, cases[i].symmetric);
        assert_true((d.asymmetry > 0) == (cases[i].entry != cases[i].mirror));
        tsl_sparse_matrix_destroy(matrix);
    }
    tsl_context_destroy(context);
}

static void a_matrix_is_negated(void **state)
{
    (void)state;
    for (int device = 0; device < test_device_count(); device++) {
        tsl_context *context = test_context(test_devices[device], 2);
        test_system s = test_laplacian(9, 1);
        tsl_sparse_matrix *matrix = test_matrix(context, &s);
        tsl_sparse_description d;
        static double x[81], y[81], b[81];
        for (int i = 0; i < 81; i++) {
            x[i] = i % 7;
        }
        test_multiply(&s, b, x);
        assert_int_equal(tsl_sparse_matrix_negate(matrix), TSL_OK);
        tsl_sparse_matrix_describe(matrix, &d);
        assert_int_equal(d.negative_diagonals, 81);
        assert_string_equal(d.format, "sliced-ell");
        double *device_x = test_upload(context, x, sizeof x);
        double *device_y = test_upload(context, y, sizeof y);
        assert_int_equal(tsl_sparse_matrix_multiply(matrix, device_y, device_x), TSL_OK);
        test_download(context, y, device_y, sizeof y);
        for (int i = 0; i < 81; i++) {
            assert_true(y[i] == -b[i]);
        }
        test_release(context, device_x);
        test_release(context, device_y);
        tsl_sparse_matrix_destroy(matrix);
        test_system_free(&s);
        tsl_context_destroy(context);
    }
}

/* An entry that proves a symmetric matrix indefinite; where there is none, or only by rounding, or
 * the diagonal isn't above 0, none is told. */
static void indefinite_minors_are_found(void **state)
{
    (void)state;
    tsl_context *context = test_context("cpu", 2);
    const tsl_sparse_matrix_options options = OPTIONS(0, 0, 1);
    static const struct {
        double first, second, entry, mirror; /* a(3, 3), a(5, 5), a(3, 5), a(5, 3); else 1 */
        int64_t row, column;
    } cases[] = {{1, 1, 2, 2, 3, 5},
                 {1, 1, -1.0000001, -1.0000001, 3, 5},
                 {4, 9, 6, 6, -1, -1}, /* semidefinite */
                 {2, 3, 2.449489743, 2.449489743, -1, -1},
                 {0.1, 0.3, 0.17320508075688776, 0.17320508075688776, -1, -1},
                 {0.1, 0.3, 0.17320508079, 0.17320508079, 3, 5},
                 {9, 1, 3.5, 3.5, 5, 3}, /* the row of the smaller diagonal entry */
                 {9, 1, 2.5, 2.5, -1, -1},
                 {1e300, 1e300, 2e300, 2e300, 3, 5}, /* products that overflow and underflow */
                 {1e300, 1e300, 9e299, 9e299, -1, -1},
                 {1e-300, 1e-300, 2e-300, 2e-300, 3, 5},
                 {1e-300, 1e-300, 9e-301, 9e-301, -1, -1},
                 {1e300, 1e-300, 2, 2, 5, 3},
                 {1e300, 1e-300, 0.5, 0.5, -1, -1},
                 {1, 1, 2, 2.1, -1, -1}, /* not symmetric */
                 {1, 1, 2, 0, -1, -1},
                 {1, -1, 2, 2, -1, -1},
                 {-1, -1, 2, 2, -1, -1},
                 {0, 1, 2, 2, -1, -1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int64_t row[] = {1, 2, 3, 4, 5, 3, 5, 6, 7, 7};
        const int64_t column[] = {1, 2, 3, 4, 5, 5, 3, 6, 7, 1};
        const double value[] = {
            1, 1, cases[i].first, 1, cases[i].second, cases[i].entry, cases[i].mirror, 1, 1, 0};
        tsl_sparse_matrix *matrix = NULL;
        tsl_sparse_description d;
        assert_int_equal(tsl_sparse_matrix_from_coordinates(&matrix, context, 7, 7, 10, row, column,
                                                            value, &options),
                         TSL_OK);
        tsl_sparse_matrix_describe(matrix, &d);
        assert_int_equal(d.indefinite_row, cases[i].row);
        assert_int_equal(d.indefinite_column, cases[i].column);
        tsl_sparse_matrix_destroy(matrix);
    }
    tsl_context_destroy(context);
}

static void odd_rows_are_described(void **state)
{
    (void)state;
    tsl_context *context = test_context("cpu", 2);
    tsl_sparse_description d;
    tsl_sparse_matrix *matrix = NULL;
    const int64_t row[] = {1, 2, 2, 4};
    const int64_t column[] = {3, 2, 1, 4};
    const double value[] = {5, -7, 0, 0};
    const tsl_sparse_matrix_options options = OPTIONS(0, 0, 1);
    assert_int_equal(
        tsl_sparse_matrix_from_coordinates(&matrix, context, 4, 5, 4, row, column, value, &options),
        TSL_OK);
    tsl_sparse_matrix_describe(matrix, &d);
    assert_int_equal(d.empty_rows, 1);
    assert_int_equal(d.first_empty_row, 3);
    assert_int_equal(d.zero_diagonals, 3);
    assert_int_equal(d.first_zero_diagonal, 1);
    assert_int_equal(d.negative_diagonals, 1);
    assert_int_equal(d.first_negative_diagonal, 2);
    assert_int_equal(d.symmetric, 0);
    assert_int_equal(d.unsymmetric_row, -1); /* not square */
    assert_int_equal(d.bandwidth, 2);
    tsl_sparse_matrix_destroy(matrix);
    tsl_context_destroy(context);
}

/* ---- memory ------------------------------------------------------------------------------- */

static tsl_status make_matrix(tsl_context *context, void *user)
{
    const test_system *s = user;
    tsl_sparse_matrix *matrix = NULL;
    const tsl_status status = tsl_sparse_matrix_create(&matrix, context, s->n, s->n, s->row_start,
                                                       s->column, 4, s->value, NULL);
    tsl_sparse_matrix_destroy(matrix);
    return status;
}

static void failing_allocations_are_survived(void **state)
{
    (void)state;
    tsl_context *context = test_context("cpu", 2);
    test_system s = test_laplacian(5, 1);
    test_survives_no_memory(context, make_matrix, &s);
    test_system_free(&s);
    tsl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(mistakes_are_told),
                                       cmocka_unit_test(offsets_are_checked),
                                       cmocka_unit_test(entries_are_put_in_order),
                                       cmocka_unit_test(matrices_are_described),
                                       cmocka_unit_test(rounding_is_symmetric),
                                       cmocka_unit_test(a_matrix_is_negated),
                                       cmocka_unit_test(indefinite_minors_are_found),
                                       cmocka_unit_test(odd_rows_are_described),
                                       cmocka_unit_test(failing_allocations_are_survived)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
