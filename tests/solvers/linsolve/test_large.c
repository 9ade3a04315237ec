/* Matrices of more than 2^31 entries, by rows, in little memory: the entries of some rows are
 * mapped one after the other, as often as there are such rows. Offsets that are cut to 32 bits
 * would end among other entries, since the period is no power of two. */
#include "solvers/linsolve/systems.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "blocks/csr/form.h"
#include "comm/comm.h"
#include "solvers/linsolve/matrix/matrix.h"

enum {
    PERIOD = 1024, /* rows, after which they come again */
    EACH = 4097,   /* entries of a row */
    APART = 129,   /* columns between two of them, or up to twice that */
    ENTRIES = PERIOD * EACH,
    ROWS = 525 * PERIOD,
    COLUMNS = EACH * APART,
    LAST = 3000 /* rows that are looked at */
};

/* [repeats] copies of a file's `bytes`, one after the other. */
static void *map_again(FILE *file, size_t bytes, size_t repeats)
{
    char *all =
        mmap(NULL, bytes * repeats, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert_true(all != MAP_FAILED);
    for (size_t i = 0; i < repeats; i++) {
        assert_true(mmap(all + i * bytes, bytes, PROT_READ, MAP_SHARED | MAP_FIXED, fileno(file),
                         0) != MAP_FAILED);
    }
    return all;
}

/* Memory of `count` elements of `size` bytes, that come again every ENTRIES. */
static void *repeat(const void *once, size_t size)
{
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_int_equal(fwrite(once, size, ENTRIES, file), ENTRIES);
    assert_int_equal(fflush(file), 0);
    void *all = map_again(file, ENTRIES * size, ROWS / PERIOD);
    fclose(file);
    return all;
}

typedef struct large {
    tsl_csr matrix;
    int32_t *column; /* [ENTRIES]: once */
    double *value;
    double x[COLUMNS];
    double y[PERIOD]; /* A x, of the rows that come again */
} large;

static void make_large(large *l)
{
    uint64_t seed = 11;
    l->column = malloc(ENTRIES * sizeof *l->column);
    l->value = malloc(ENTRIES * sizeof *l->value);
    assert_non_null(l->column);
    assert_non_null(l->value);
    for (int64_t j = 0; j < COLUMNS; j++) {
        l->x[j] = test_uniform(&seed);
    }
    for (int64_t i = 0; i < PERIOD; i++) {
        long double sum = 0;
        for (int64_t j = 0; j < EACH; j++) {
            const int64_t k = i * EACH + j;
            l->column[k] = (int32_t)(j * APART + (int64_t)(test_random(&seed) % APART));
            l->value[k] = test_uniform(&seed);
            sum += (long double)l->value[k] * l->x[l->column[k]];
        }
        l->y[i] = (double)sum;
    }
    l->matrix = (tsl_csr){.rows = ROWS,
                          .columns = COLUMNS,
                          .row_start = malloc((ROWS + 1) * sizeof(int64_t)),
                          .column = repeat(l->column, sizeof *l->column),
                          .value = repeat(l->value, sizeof *l->value)};
    assert_non_null(l->matrix.row_start);
    for (int64_t i = 0; i <= ROWS; i++) {
        l->matrix.row_start[i] = i * EACH;
    }
    assert_true(tsl_csr_nonzeros(&l->matrix) > INT64_C(1) << 31);
}

static void free_large(large *l)
{
    munmap(l->matrix.column, (size_t)ROWS / PERIOD * ENTRIES * sizeof *l->column);
    munmap(l->matrix.value, (size_t)ROWS / PERIOD * ENTRIES * sizeof *l->value);
    free(l->matrix.row_start);
    free(l->column);
    free(l->value);
}

/* The last rows of this rank's share. */
static tsl_status multiply(tsl_comm *comm, const large *l, const tsl_form *form,
                           const tsl_layout *layout)
{
    double *y = malloc(ROWS * sizeof *y);
    const int64_t from = layout->to - LAST > layout->from ? layout->to - LAST : layout->from;
    bool same = y != NULL;
    if (same) {
        tsl_form_multiply(form, y, l->x, from, layout->to);
    }
    for (int64_t i = from; i < layout->to && same; i++) {
        same = fabs(y[i] - l->y[i % PERIOD]) <= 1e-11;
    }
    free(y);
    return same ? TSL_OK : tsl_comm_fail(comm, TSL_E_INTERNAL, "another product");
}

static tsl_status look(tsl_comm *comm, tsl_context *context, const large *l)
{
    tsl_layout layout;
    tsl_form form;
    tsl_status status = tsl_layout_make(&layout, context, ROWS, l->matrix.row_start, false);
    if (status != TSL_OK) {
        return status;
    }
    status = tsl_form_make(&form, context, &l->matrix, &layout, 8, 1);
    if (status == TSL_OK && strcmp(tsl_form_name(&form), "csr") != 0) {
        status = tsl_comm_fail(comm, TSL_E_INTERNAL, tsl_form_name(&form));
    }
    status = status == TSL_OK ? multiply(comm, l, &form, &layout) : status;
    int64_t sums[2] = {layout.to - layout.from, form.product_bytes};
    if (status == TSL_OK) {
        status = tsl_comm_all_reduce(comm, NULL, sums, 2, TSL_COMM_INT64, TSL_COMM_SUM);
    }
    const bool even = llabs(layout.to - layout.from - ROWS / tsl_comm_size(comm)) <= ROWS / 100;
    if (status == TSL_OK &&
        (sums[0] != ROWS || sums[1] != INT64_C(12) * ROWS * EACH + 8 * ROWS || !even)) {
        status = tsl_comm_fail(comm, TSL_E_INTERNAL, "other shares");
    }
    tsl_form_free(&form);
    tsl_layout_free(&layout);
    return status;
}

static tsl_status run_rank(tsl_comm *comm, void *user)
{
    tsl_context *context = NULL;
    tsl_status status = test_rank_context(&context, comm, "cpu");
    status = status == TSL_OK ? look(comm, context, user) : status;
    tsl_context_destroy(context);
    return status;
}

static void shares_and_products_are_right(void **state)
{
    for (int ranks = 1; ranks <= 3; ranks++) {
        if (tsl_comm_run(ranks, run_rank, *state) != TSL_OK) {
            fail_msg("%d ranks: %s", ranks, tsl_last_error(NULL));
        }
    }
}

static void entries_are_found(void **state)
{
    const large *l = *state;
    for (int64_t i = ROWS - 5; i < ROWS; i++) {
        const int64_t k = i % PERIOD * EACH + EACH / 2;
        const double *at = tsl_csr_at(&l->matrix, i, l->column[k]);
        assert_true(at == l->matrix.value + i * EACH + EACH / 2);
        assert_true(*at == l->value[k]);
    }
}

static int set_up(void **state)
{
    *state = calloc(1, sizeof(large));
    assert_non_null(*state);
    make_large(*state);
    return 0;
}

static int tear_down(void **state)
{
    free_large(*state);
    free(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(shares_and_products_are_right),
                                       cmocka_unit_test(entries_are_found)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
