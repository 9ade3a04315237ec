/* Systems that several ranks solve: the same bits as one. Checks in a rank are returned, since
 * cmocka's leave only the main thread. */
/* ctest: cost 60 */
#include "solvers/linsolve/systems.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comm/comm.h"
#include "device/plugin.h"
#include "tesela/buffer.h"

enum { SIDE = 12, ROWS = SIDE * SIDE * SIDE, MOST_ITERATIONS = 400, MOST_RANKS = 7 };

/* What all ranks solve, and what one alone found. */
typedef struct trial {
    test_system s;
    double b[ROWS];
    tsl_linsolve_options options;
    double x[ROWS];
    double history[MOST_ITERATIONS];
    int64_t count; /* of the history */
    int64_t iterations;
    bool expects;       /* x and history are to be compared with, not filled */
    int fails;          /* rank that gives up before it solves; -1: none */
    const char *device; /* of all ranks, unless gpus > 0 */
    int gpus;           /* number of GPUs that ranks are spread over; 0: none */
    int failures;       /* told so far */
} trial;

/* A rank's own history. */
typedef struct record {
    double history[MOST_ITERATIONS];
    int64_t count;
} record;

static int note(void *user, int64_t iteration, double residual)
{
    record *r = user;
    if (iteration < MOST_ITERATIONS) {
        r->history[iteration] = residual;
        r->count = iteration + 1;
    }
    return 0;
}

static tsl_status complain(tsl_comm *comm, const char *what)
{
    return tsl_comm_fail(comm, TSL_E_INTERNAL, what);
}

static tsl_status compare(tsl_comm *comm, trial *t, const double *x, const record *r,
                          const tsl_linsolve_report *report)
{
    if (!t->expects && tsl_comm_rank(comm) > 0) {
        return TSL_OK;
    }
    if (!t->expects) {
        memcpy(t->x, x, sizeof t->x);
        memcpy(t->history, r->history, sizeof t->history);
        t->count = r->count;
        t->iterations = report->iterations;
        return TSL_OK;
    }
    if (report->iterations != t->iterations) {
        return complain(comm, "another number of iterations");
    }
    if (memcmp(x, t->x, sizeof t->x) != 0) {
        return complain(comm, "another x");
    }
    if (tsl_comm_rank(comm) == 0 &&
        (r->count != t->count ||
         memcmp(r->history, t->history, (size_t)r->count * sizeof *r->history) != 0)) {
        return complain(comm, "another history");
    }
    return TSL_OK;
}

/* A product first, which all have all of. */
static tsl_status check_product(tsl_comm *comm, const trial *t, tsl_sparse_matrix *matrix,
                                tsl_buffer *y, const tsl_buffer *b, double *x)
{
    double expected[ROWS];
    tsl_status status = tsl_sparse_matrix_multiply(matrix, tsl_buffer_data(y), tsl_buffer_data(b));
    if (status == TSL_OK) {
        status = tsl_buffer_read(y, 0, x, ROWS * sizeof *x);
    }
    test_multiply(&t->s, expected, t->b);
    for (int64_t i = 0; i < ROWS && status == TSL_OK; i++) {
        status = fabs(x[i] - expected[i]) <= 1e-12 ? TSL_OK : complain(comm, "another product");
    }
    return status;
}

static tsl_status solve_in(tsl_comm *comm, tsl_context *context, trial *t, double *x, record *r,
                           tsl_buffer *vector, tsl_buffer *rhs)
{
    tsl_sparse_matrix *matrix = NULL;
    tsl_linsolve_plan *plan = NULL;
    tsl_linsolve_report report;
    tsl_linsolve_options options = t->options;
    options.progress = note;
    options.user = r;
    tsl_status status = tsl_buffer_write(rhs, 0, t->b, sizeof t->b);
    if (status == TSL_OK) {
        status = tsl_sparse_matrix_create(&matrix, context, t->s.n, t->s.n, t->s.row_start,
                                          t->s.column, 4, t->s.value, NULL);
    }
    if (status == TSL_OK) {
        status = check_product(comm, t, matrix, vector, rhs, x);
    }
    if (status == TSL_OK) {
        memset(x, 0, ROWS * sizeof *x);
        status = tsl_buffer_write(vector, 0, x, ROWS * sizeof *x);
    }
    if (status == TSL_OK) {
        status = tsl_linsolve_plan_create(&plan, matrix, &options);
    }
    if (status == TSL_OK && t->fails == tsl_comm_rank(comm)) {
        status = tsl_comm_fail(comm, TSL_E_IO, "cannot read on");
    }
    if (status == TSL_OK) {
        status = tsl_linsolve_execute(plan, tsl_buffer_data(vector), tsl_buffer_data(rhs), &report);
    }
    if (status == TSL_OK) {
        status = tsl_buffer_read(vector, 0, x, ROWS * sizeof *x);
    }
    if (status == TSL_OK) {
        status = compare(comm, t, x, r, &report);
    }
    tsl_linsolve_plan_destroy(plan);
    tsl_sparse_matrix_destroy(matrix);
    return status;
}

static tsl_status solve_once(tsl_comm *comm, tsl_context *context, trial *t, double *x, record *r)
{
    tsl_buffer *vector = NULL;
    tsl_buffer *rhs = NULL;
    tsl_status status = tsl_buffer_create(&vector, context, ROWS * sizeof *x);
    if (status == TSL_OK) {
        status = tsl_buffer_create(&rhs, context, ROWS * sizeof *x);
    }
    if (status == TSL_OK) {
        status = solve_in(comm, context, t, x, r, vector, rhs);
    }
    tsl_buffer_destroy(vector);
    tsl_buffer_destroy(rhs);
    return status;
}

static tsl_status run_rank(tsl_comm *comm, void *user)
{
    trial *t = user;
    tsl_context_options options = TSL_CONTEXT_OPTIONS_INIT;
    char device[32];
    if (t->gpus > 0) {
        snprintf(device, sizeof device, "cuda:%d", tsl_comm_rank(comm) % t->gpus);
    }
    options.device = t->gpus > 0 ? device : t->device;
    options.threads = 1;
    options.comm = comm;
    tsl_context *context = NULL;
    tsl_status status = tsl_context_create(&context, &options);
    if (status != TSL_OK) {
        return status;
    }
    double *x = malloc(ROWS * sizeof *x);
    record *r = calloc(1, sizeof *r);
    status = solve_once(comm, context, t, x, r);
    if (status != TSL_OK && status != TSL_E_COMM) {
        tsl_comm_fail(comm, status, tsl_last_error(context));
    }
    free(x);
    free(r);
    tsl_context_destroy(context);
    return status;
}

static void begin(trial *t)
{
    memset(t, 0, sizeof *t);
    t->s = test_laplacian(SIDE, SIDE);
    t->options = (tsl_linsolve_options)TSL_LINSOLVE_OPTIONS_INIT;
    t->options.coarse_rows = 20;
    t->fails = -1;
    t->device = "cpu";
    uint64_t seed = 23;
    for (int64_t i = 0; i < ROWS; i++) {
        t->b[i] = test_uniform(&seed);
    }
}

/* Solve with one rank, then with each of these numbers of ranks, and compare. */
static void check_counts(trial *t, const int *counts)
{
    t->expects = false;
    for (int i = 0; counts[i] > 0; i++) {
        if (tsl_comm_run(counts[i], run_rank, t) != TSL_OK) {
            print_error("%s with %s on %d ranks of %s: %s\n",
                        tsl_linsolve_method_name(t->options.method),
                        tsl_linsolve_preconditioner_name(t->options.preconditioner), counts[i],
                        t->gpus > 0 ? "cuda" : t->device, tsl_last_error(NULL));
            t->failures++;
        }
        t->expects = true;
    }
}

static void ranks_do_not_matter(void **state)
{
    (void)state;
    static trial t;
    static const int counts[] = {1, 2, 3, 4, 7, 0};
    begin(&t);
    for (int method = 0; test_has_method(method); method++) {
        for (int m = 0; tsl_linsolve_preconditioner_name((tsl_linsolve_preconditioner)m) != NULL;
             m++) {
            t.options.method = (tsl_linsolve_method)method;
            t.options.preconditioner = (tsl_linsolve_preconditioner)m;
            check_counts(&t, counts);
        }
    }
    assert_int_equal(t.failures, 0);
    assert_true(test_residual(&t.s, t.b, t.x) <= 1.001e-8);
    test_system_free(&t.s);
}

/* Each method, and each preconditioner, but not all with each other. */
static void check_gpus(trial *t, const int *counts)
{
    t->options.tolerance = 1e-5;
    for (int method = 0; test_has_method(method); method++) {
        t->options.method = (tsl_linsolve_method)method;
        t->options.preconditioner = TSL_LINSOLVE_JACOBI;
        check_counts(t, counts);
    }
    t->options.method = TSL_LINSOLVE_CG;
    for (int m = 0; tsl_linsolve_preconditioner_name((tsl_linsolve_preconditioner)m) != NULL; m++) {
        t->options.preconditioner = (tsl_linsolve_preconditioner)m;
        if (m != TSL_LINSOLVE_JACOBI) {
            check_counts(t, counts);
        }
    }
    assert_true(test_residual(&t->s, t->b, t->x) <= 1.001e-5);
}

static void nor_do_they_on_gpus(void **state)
{
    (void)state;
    static trial t;
    static const int few[] = {1, 3, 0};
    static const int many[] = {1, 2, 3, 4, 0};
    char reason[256];
    begin(&t);
    t.device = "sim";
#ifndef __SANITIZE_THREAD__ /* minutes; comm/device looks for races there */
    check_gpus(&t, few);
#endif
    t.options.preconditioner = TSL_LINSOLVE_MULTIGRID;
    t.options.method = TSL_LINSOLVE_CG_PIPELINED;
    check_counts(&t, few);
    if (tsl_plugin_cuda(&t.gpus, reason, sizeof reason) != NULL && t.gpus > 0) {
        check_gpus(&t, many);
    }
    assert_int_equal(t.failures, 0);
    test_system_free(&t.s);
}

static void failures_travel(void **state)
{
    (void)state;
    static trial t;
    begin(&t);
    for (int rank = 0; rank < 3; rank++) {
        t.fails = rank;
        assert_int_equal(tsl_comm_run(3, run_rank, &t), TSL_E_IO);
        assert_non_null(strstr(tsl_last_error(NULL), "cannot read on"));
    }
    test_system_free(&t.s);
}

/* What a process that mpirun has started does: alone, then with the others. */
static int launched(void)
{
    static trial t;
    begin(&t);
    tsl_comm *comm = NULL;
    tsl_status status = tsl_comm_create(&comm);
    for (int i = 0; i < 13 && status == TSL_OK; i++) { /* each preconditioner; methods in turn */
        const bool levels = i == 12;                   /* levels that GPUs make */
        t.device = i < 8 ? "cpu" : "sim";
        t.options.tolerance = i < 8 ? 1e-8 : 1e-5;
        t.options.method = levels ? TSL_LINSOLVE_CG : (tsl_linsolve_method)(i % 5);
        t.options.preconditioner =
            levels ? TSL_LINSOLVE_MULTIGRID : (tsl_linsolve_preconditioner)(i % 7);
        t.expects = false;
        status = tsl_comm_run(1, run_rank, &t);
        t.expects = true;
        status = status == TSL_OK ? run_rank(comm, &t) : status;
    }
    if (status != TSL_OK) {
        print_error("%s\n", tsl_last_error(NULL));
    }
    tsl_comm_destroy(comm);
    test_system_free(&t.s);
    return status == TSL_OK ? 0 : 1;
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "launched") == 0) {
        return launched();
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(ranks_do_not_matter),
                                       cmocka_unit_test(nor_do_they_on_gpus),
                                       cmocka_unit_test(failures_travel)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
