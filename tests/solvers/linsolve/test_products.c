/* Products on every device, in each form of a matrix. */
#include "solvers/linsolve/systems.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/core.h"

/* A matrix for each way through the rows. */
typedef struct shape {
    const char *name;
    int64_t rows, columns;
    int shortest, longest;
    int band;                    /* columns lie within so many of the diagonal; 0: anywhere */
    int64_t full;                /* this row has entries in all columns; -1: none */
    const char *on_cpu, *on_gpu; /* forms */
    const char *only;            /* GPUs whose names begin so; NULL: all */
} shape;

static const shape shapes[] = {
    {"one entry", 1, 1, 1, 1, 0, -1, "sliced-ell", "sliced-ell", NULL},
    {"few rows", 7, 9, 1, 3, 0, -1, "sliced-ell", "sliced-ell", NULL},
    {"band", 1000, 1000, 5, 5, 4, -1, "sliced-ell", "sliced-ell", NULL},
    {"part of a slice", 4099, 4099, 4, 4, 6, -1, "sliced-ell", "sliced-ell", NULL},
    {"random, equal", 3000, 2000, 6, 6, 0, -1, "sliced-ell", "sliced-ell", NULL},
    {"random, unequal", 3001, 2000, 0, 40, 0, -1, "csr", "csr", NULL},
    {"random, far from equal", 600, 600, 1, 400, 0, -1, "csr", "csr", NULL},
    {"long", 40, 9000, 90, 130, 0, -1, "csr", "csr", NULL},
    {"one full row", 700, 9000, 1, 5, 0, 350, "csr", "csr-split", NULL},
    {"full first row", 513, 5000, 1, 3, 0, 0, "csr", "sliced-ell-split", NULL},
    {"thousands of pieces", 3, 2300000, 1, 2, 0, 1, "csr", "sliced-ell-split", NULL},
    {"band, one full row", 9000, 9000, 5, 5, 4, 4500, "csr", "sliced-ell-split", NULL},
    {"unequal, full last row", 1001, 5000, 0, 40, 0, 1000, "csr", "csr-split", NULL},
    {"many long rows", 150, 9000, 1, 6000, 0, -1, "csr", "csr-split", NULL},
    {"random columns", 2100, 30000, 60, 90, 0, -1, "csr", "column-blocks", NULL},
    {"long rows, random columns", 2100, 40000, 0, 260, 0, 77, "csr", "csr-blocks", "sim"},
    {"more of them", 3000, 90000, 1, 2000, 0, 77, "csr", "csr-blocks", "cuda"},
    {"empty", 600, 600, 0, 0, 0, -1, "sliced-ell", "sliced-ell", NULL}};

static bool is_for(const shape *what, const char *device)
{
    return what->only == NULL || strncmp(device, what->only, strlen(what->only)) == 0;
}

static bool is_for_any(const shape *what, int devices)
{
    bool any = false;
    for (int device = 0; device < devices; device++) {
        any = any || is_for(what, test_devices[device]);
    }
    return any;
}

static test_system make_shape(const shape *what)
{
    uint64_t seed = 11;
    const int64_t most = what->rows * what->longest + what->columns + 1;
    test_system s = {what->rows, malloc((size_t)(what->rows + 1) * 8), malloc((size_t)most * 4),
                     malloc((size_t)most * 8)};
    unsigned char *used = calloc((size_t)what->columns, 1);
    int64_t count = 0;
    for (int64_t i = 0; i < what->rows; i++) {
        s.row_start[i] = count;
        const int64_t length =
            what->shortest +
            (int64_t)(test_random(&seed) % (uint64_t)(what->longest - what->shortest + 1));
        for (int64_t j = 0; j < what->columns && i == what->full; j++) {
            s.column[count] = (int32_t)j;
            s.value[count++] = test_uniform(&seed);
        }
        while (i != what->full && count - s.row_start[i] < length) {
            int64_t j = (int64_t)(test_random(&seed) % (uint64_t)what->columns);
            if (what->band > 0) {
                j = i + (int64_t)(test_random(&seed) % (uint64_t)(2 * what->band)) - what->band;
                j = j < 0 ? j + 2 * what->band : j >= what->columns ? j - 2 * what->band : j;
            }
            if (!used[j]) {
                used[j] = 1;
                s.column[count] = (int32_t)j;
                s.value[count++] = test_uniform(&seed);
            }
        }
        for (int64_t k = s.row_start[i]; k < count; k++) {
            used[s.column[k]] = 0;
        }
    }
    s.row_start[what->rows] = count;
    free(used);
    return s;
}

/* y against a plain loop in long double. */
static void check_product(const test_system *s, const double *y, const double *x, const char *name,
                          const char *device)
{
    for (int64_t r = 0; r < s->n; r++) {
        long double sum = 0;
        long double size = 0;
        for (int64_t k = s->row_start[r]; k < s->row_start[r + 1]; k++) {
            const long double term = (long double)s->value[k] * (long double)x[s->column[k]];
            sum += term;
            size += fabsl(term);
        }
        const double terms = (double)(s->row_start[r + 1] - s->row_start[r] + 2);
        if (!(fabsl((long double)y[r] - sum) <= (long double)(terms * 0x1p-53) * size)) {
            fail_msg("%s on %s: row %lld is %.17g, not %.17Lg", name, device, (long long)r, y[r],
                     sum);
        }
    }
}

/* One product; `y` receives it. */
static void multiply(const shape *what, const test_system *s, tsl_context *context, const double *x,
                     double *y)
{
    const bool on_cpu = context->ops == &tsl_device_cpu;
    tsl_sparse_matrix *matrix = NULL;
    tsl_sparse_description d;
    assert_int_equal(tsl_sparse_matrix_create(&matrix, context, s->n, what->columns, s->row_start,
                                              s->column, 4, s->value, NULL),
                     TSL_OK);
    tsl_sparse_matrix_describe(matrix, &d);
    if (strcmp(d.format, on_cpu ? what->on_cpu : what->on_gpu) != 0) {
        fail_msg("%s on %s is in the form %s", what->name, context->name, d.format);
    }
    assert_true(d.bytes > 0 && d.nonzeros == s->row_start[s->n]);
    double *on_device = test_upload(context, x, what->columns * 8);
    double *result = test_upload(context, y, s->n * 8);
    assert_int_equal(tsl_sparse_matrix_multiply(matrix, result, on_device), TSL_OK);
    assert_int_equal(tsl_sparse_matrix_multiply(matrix, NULL, on_device), TSL_E_ARG);
    test_download(context, y, result, s->n * 8);
    test_release(context, on_device);
    test_release(context, result);
    tsl_sparse_matrix_destroy(matrix);
    assert_int_equal(context->memory.live, 0);
}

/* Threads of the CPU, and of GPUs of all kinds, change no bit. */
static void products_match_a_plain_loop(void **state)
{
    (void)state;
    const int devices = test_device_count();
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        if (!is_for_any(&shapes[i], devices)) {
            continue;
        }
        test_system s = make_shape(&shapes[i]);
        double *x = malloc((size_t)shapes[i].columns * 8);
        double *y = malloc((size_t)s.n * 8);
        double *first[3] = {NULL, NULL, NULL}; /* of the CPU, of GPUs, of some GPUs alone */
        uint64_t seed = 5;
        for (int64_t j = 0; j < shapes[i].columns; j++) {
            x[j] = test_uniform(&seed);
        }
        for (int run = 0; run < devices + 2; run++) {
            const int device = run < 2 ? 0 : run - 2;
            if (device > 0 && !is_for(&shapes[i], test_devices[device])) {
                continue;
            }
            tsl_context *context = test_context(test_devices[device], 1 + run % 3);
            /* how blocks of columns are shared out depends on the number of multiprocessors */
            const bool real = strcmp(test_devices[device], "cuda:0") == 0;
            const bool shared_out = real && strstr(shapes[i].on_gpu, "-blocks") != NULL;
            double **expected = &first[shared_out ? 2 : device > 0];
            memset(y, 0xFF, (size_t)s.n * 8);
            multiply(&shapes[i], &s, context, x, y);
            check_product(&s, y, x, shapes[i].name, context->name);
            if (*expected == NULL) {
                *expected = malloc((size_t)s.n * 8);
                memcpy(*expected, y, (size_t)s.n * 8);
            }
            assert_memory_equal(y, *expected, (size_t)s.n * 8);
            tsl_context_destroy(context);
        }
        free(x);
        free(y);
        free(first[0]);
        free(first[1]);
        free(first[2]);
        test_system_free(&s);
    }
}

/* ---- memory ------------------------------------------------------------------------------- */

typedef struct attempt {
    const test_system *s;
    int64_t columns;
} attempt;

static tsl_status try_to_make(tsl_context *context, void *user)
{
    const attempt *a = user;
    tsl_sparse_matrix *matrix = NULL;
    const tsl_status status = tsl_sparse_matrix_create(
        &matrix, context, a->s->n, a->columns, a->s->row_start, a->s->column, 4, a->s->value, NULL);
    tsl_sparse_matrix_destroy(matrix);
    return status;
}

static void failing_allocations_are_survived(void **state)
{
    (void)state;
    tsl_context *context = test_context("sim", 1);
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        if (!is_for(&shapes[i], "sim")) {
            continue;
        }
        test_system s = make_shape(&shapes[i]);
        attempt a = {&s, shapes[i].columns};
        if (s.row_start[s.n] < 350000) {
            assert_true(test_survives_no_memory(context, try_to_make, &a) > 0);
        }
        test_system_free(&s);
    }
    tsl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(products_match_a_plain_loop),
                                       cmocka_unit_test(failing_allocations_are_survived)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
