/* What ranks say of their shares of a matrix: together what one says of all of it. */
#include "solvers/linsolve/systems.h"

#include <string.h>

#include "comm/comm.h"

typedef struct trial {
    test_system s;
    const char *format;
    int64_t bytes; /* of one rank; 0: it is one that is asked */
} trial;

static tsl_status compare(tsl_comm *comm, trial *t, tsl_sparse_matrix *matrix)
{
    tsl_sparse_description d;
    tsl_sparse_matrix_describe(matrix, &d);
    if (strcmp(d.format, t->format) != 0) {
        return tsl_comm_fail(comm, TSL_E_INTERNAL, d.format);
    }
    if (t->bytes == 0) {
        t->bytes = d.bytes;
        return TSL_OK;
    }
    const tsl_status status =
        tsl_comm_all_reduce(comm, NULL, &d.bytes, 1, TSL_COMM_INT64, TSL_COMM_SUM);
    return status != TSL_OK || d.bytes == t->bytes
               ? status
               : tsl_comm_fail(comm, TSL_E_INTERNAL, "other bytes of a product");
}

static tsl_status run_rank(tsl_comm *comm, void *user)
{
    trial *t = user;
    tsl_context *context = NULL;
    tsl_sparse_matrix *matrix = NULL;
    tsl_status status = test_rank_context(&context, comm, "cpu");
    if (status != TSL_OK) {
        return status;
    }
    status = tsl_sparse_matrix_create(&matrix, context, t->s.n, t->s.n, t->s.row_start, t->s.column,
                                      4, t->s.value, NULL);
    status = status == TSL_OK ? compare(comm, t, matrix) : status;
    tsl_sparse_matrix_destroy(matrix);
    tsl_context_destroy(context);
    return status;
}

static void shares_make_the_whole(void **state)
{
    (void)state;
    trial trials[] = {{test_laplacian(12, 12), "sliced-ell", 0},
                      {test_graph(4000, 40, 7, 5), "csr", 0}};
    for (size_t i = 0; i < sizeof trials / sizeof *trials; i++) {
        for (int ranks = 1; ranks <= 4; ranks++) {
            if (tsl_comm_run(ranks, run_rank, &trials[i]) != TSL_OK) {
                fail_msg("%s, %d ranks: %s", trials[i].format, ranks, tsl_last_error(NULL));
            }
        }
        assert_true(trials[i].bytes > 12 * trials[i].s.row_start[trials[i].s.n] / 2);
        test_system_free(&trials[i].s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(shares_make_the_whole)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
