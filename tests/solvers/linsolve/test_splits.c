/* Products with matrices of long rows, over ranks: where a row is cut, and how its pieces are
 * summed, depends on no rank. */
#include "solvers/linsolve/systems.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "comm/comm.h"
#include "tesela/buffer.h"

typedef struct trial {
    const char *device, *form;
    test_system s;
    double *x, *y; /* y: of the first run */
    bool expects;
} trial;

static tsl_status multiply(tsl_comm *comm, tsl_context *context, const trial *t, double *y)
{
    tsl_sparse_matrix *matrix = NULL;
    tsl_sparse_description d;
    tsl_buffer *from = NULL;
    tsl_buffer *to = NULL;
    const int64_t bytes = t->s.n * (int64_t)sizeof *y;
    tsl_status status = tsl_sparse_matrix_create(&matrix, context, t->s.n, t->s.n, t->s.row_start,
                                                 t->s.column, 4, t->s.value, NULL);
    if (status == TSL_OK) {
        tsl_sparse_matrix_describe(matrix, &d);
        status =
            strcmp(d.format, t->form) == 0 ? TSL_OK : tsl_comm_fail(comm, TSL_E_INTERNAL, d.format);
    }
    status = status == TSL_OK ? tsl_buffer_create(&from, context, bytes) : status;
    status = status == TSL_OK ? tsl_buffer_create(&to, context, bytes) : status;
    status = status == TSL_OK ? tsl_buffer_write(from, 0, t->x, bytes) : status;
    if (status == TSL_OK) {
        status = tsl_sparse_matrix_multiply(matrix, tsl_buffer_data(to), tsl_buffer_data(from));
    }
    status = status == TSL_OK ? tsl_buffer_read(to, 0, y, bytes) : status;
    tsl_buffer_destroy(from);
    tsl_buffer_destroy(to);
    tsl_sparse_matrix_destroy(matrix);
    return status;
}

static tsl_status run_rank(tsl_comm *comm, void *user)
{
    trial *t = user;
    tsl_context *context = NULL;
    tsl_status status = test_rank_context(&context, comm, t->device);
    if (status != TSL_OK) {
        return status;
    }
    const size_t bytes = (size_t)t->s.n * sizeof(double);
    double *y = malloc(bytes);
    status = multiply(comm, context, t, y);
    if (status == TSL_OK && !t->expects) {
        memcpy(t->y, y, bytes);
    } else if (status == TSL_OK && memcmp(t->y, y, bytes) != 0) {
        status = tsl_comm_fail(comm, TSL_E_INTERNAL, "another product");
    }
    free(y);
    tsl_context_destroy(context);
    return status;
}

/* The first against a plain loop. */
static void check_product(const trial *t)
{
    for (int64_t i = 0; i < t->s.n; i++) {
        long double sum = 0;
        long double size = 0;
        for (int64_t k = t->s.row_start[i]; k < t->s.row_start[i + 1]; k++) {
            const long double term = (long double)t->s.value[k] * (long double)t->x[t->s.column[k]];
            sum += term;
            size += fabsl(term);
        }
        const double terms = (double)(t->s.row_start[i + 1] - t->s.row_start[i] + 2);
        assert_true(fabsl((long double)t->y[i] - sum) <= (long double)(terms * 0x1p-53) * size);
    }
}

static void ranks_do_not_matter(void **state)
{
    (void)state;
    const struct {
        const char *form;
        int64_t n;
        int most;
        int64_t hub;
        int64_t heads; /* test_heads() of so many; 0: test_graph() */
    } cases[] = {{"csr", 900, 90, -1, 0},
                 {"csr-split", 3000, 10, 900, 0},
                 {"csr-split", 1500, 700, -1, 0}, /* nearly all of them long */
                 {"sliced-ell-split", 9000, 0, 1100, 0},
                 {"column-blocks", 28000, 4, -1, 0},
                 {"csr-blocks", 35000, 148, -1, 1030}};
    const int count = (int)(sizeof cases / sizeof *cases);
    const char *const last = test_devices[test_device_count() - 1];
    const bool has_gpu = strncmp(last, "cuda", 4) == 0;
    for (int i = 0; i < (has_gpu ? 2 : 1) * count; i++) {
        const int c = i % count;
        if (i >= count && cases[c].heads > 0) {
            continue; /* cards take that form where there is more to gain */
        }
        trial t = {.device = i < count ? "sim" : last,
                   .form = cases[c].form,
                   .s = cases[c].heads > 0
                            ? test_heads(cases[c].n, cases[c].heads, cases[c].most, 5)
                            : test_graph(cases[c].n, cases[c].most, cases[c].hub, 5)};
        uint64_t seed = 31;
        t.x = malloc((size_t)t.s.n * sizeof *t.x);
        t.y = malloc((size_t)t.s.n * sizeof *t.y);
        for (int64_t row = 0; row < t.s.n; row++) {
            t.x[row] = test_uniform(&seed);
        }
        for (int ranks = 1; ranks <= 5; ranks += ranks == 1 ? 1 : 3) {
            if (tsl_comm_run(ranks, run_rank, &t) != TSL_OK) {
                fail_msg("%s on %d ranks of %s: %s", t.form, ranks, t.device, tsl_last_error(NULL));
            }
            if (!t.expects) {
                check_product(&t);
            }
            t.expects = true;
        }
        test_system_free(&t.s);
        free(t.x);
        free(t.y);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(ranks_do_not_matter)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
