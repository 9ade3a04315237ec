/* Poisson's equation on SIDE^3 cells, 7 points, solved to 1e-8 by conjugate gradients on one device
 * after the other and on all of them together: seconds of a solution, and whether the number of
 * ranks shows in a bit of it.
 *
 *     solve_ranks SIDE REPEATS PRECONDITIONER DEVICE...     e.g. 200 3 none cuda:0 cuda:1
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "comm/comm.h"
#include "device/device.h"
#include "tesela/buffer.h"
#include "tesela/sparse.h"

enum { MOST_DEVICES = 16 };

/* What all ranks work on. */
typedef struct bench {
    int64_t side, rows;
    int repeats;
    tsl_linsolve_preconditioner preconditioner;
    char **devices;
    int64_t *start; /* the Laplacian's lower triangle */
    int32_t *column;
    double *value, *b;
    double *x[2]; /* of one rank, and of several: of rank 0 */
    bench_times solve;
    tsl_linsolve_report report;
    tsl_sparse_description about;
} bench;

static bool make_laplacian(bench *s)
{
    const int64_t n = s->side;
    const int64_t far[3] = {n * n, n, 1};
    int64_t k = 0;
    s->start = tsl_allocate((size_t)(s->rows + 1) * sizeof *s->start);
    s->column = tsl_allocate((size_t)s->rows * 4 * sizeof *s->column);
    s->value = tsl_allocate((size_t)s->rows * 4 * sizeof *s->value);
    s->b = tsl_allocate((size_t)s->rows * sizeof *s->b);
    s->x[0] = tsl_allocate((size_t)s->rows * sizeof *s->b);
    s->x[1] = tsl_allocate((size_t)s->rows * sizeof *s->b);
    if (s->start == NULL || s->column == NULL || s->value == NULL || s->b == NULL ||
        s->x[0] == NULL || s->x[1] == NULL) {
        return false;
    }
    uint64_t state = 1;
    for (int64_t i = 0; i < s->rows; i++) {
        const int64_t at[3] = {i / far[0], i / n % n, i % n};
        s->start[i] = k;
        for (int axis = 0; axis < 3; axis++) {
            if (at[axis] > 0) {
                s->column[k] = (int32_t)(i - far[axis]);
                s->value[k++] = -1;
            }
        }
        s->column[k] = (int32_t)i;
        s->value[k++] = 6;
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        s->b[i] = (double)(state >> 11) * 0x1p-53 - 0.5;
    }
    s->start[s->rows] = k;
    return true;
}

/* Solve again and again; the first does not count. */
static tsl_status repeat(bench *s, tsl_context *context, tsl_linsolve_plan *plan, tsl_buffer *x,
                         const tsl_buffer *b)
{
    const int rank = tsl_comm_rank(context->comm);
    const int64_t bytes = 8 * s->rows;
    tsl_linsolve_report report;
    tsl_status status = TSL_OK;
    for (int i = -1; i < s->repeats && status == TSL_OK; i++) {
        status = context->ops->fill(context, tsl_buffer_data(x), 0, bytes);
        status = status == TSL_OK ? tsl_context_synchronize(context) : status;
        status = status == TSL_OK ? tsl_comm_barrier(context->comm) : status;
        const double begun = tsl_seconds();
        if (status == TSL_OK) {
            status = tsl_linsolve_execute(plan, tsl_buffer_data(x), tsl_buffer_data(b), &report);
        }
        status = status == TSL_OK ? tsl_comm_barrier(context->comm) : status;
        if (rank == 0 && status == TSL_OK) {
            s->report = report;
            s->solve.ms[i < 0 ? 0 : i] = tsl_seconds() - begun;
        }
    }
    double *const out = s->x[tsl_comm_size(context->comm) > 1];
    return status == TSL_OK && rank == 0 ? tsl_buffer_read(x, 0, out, bytes) : status;
}

static tsl_status solve(bench *s, tsl_context *context)
{
    const int64_t bytes = 8 * s->rows;
    tsl_sparse_matrix_options storage = TSL_SPARSE_MATRIX_OPTIONS_INIT;
    tsl_linsolve_options options = TSL_LINSOLVE_OPTIONS_INIT;
    tsl_sparse_matrix *matrix = NULL;
    tsl_linsolve_plan *plan = NULL;
    tsl_buffer *x = NULL;
    tsl_buffer *b = NULL;
    storage.storage = TSL_SPARSE_SYMMETRIC;
    options.preconditioner = s->preconditioner;
    tsl_status status = tsl_sparse_matrix_create(&matrix, context, s->rows, s->rows, s->start,
                                                 s->column, 4, s->value, &storage);
    if (status == TSL_OK) {
        tsl_sparse_matrix_describe(matrix, &s->about);
        status = tsl_linsolve_plan_create(&plan, matrix, &options);
    }
    if (status == TSL_OK) {
        status = tsl_buffer_create(&x, context, bytes);
    }
    if (status == TSL_OK) {
        status = tsl_buffer_create(&b, context, bytes);
    }
    if (status == TSL_OK) {
        status = tsl_buffer_write(b, 0, s->b, bytes);
    }
    status = status == TSL_OK ? repeat(s, context, plan, x, b) : status;
    tsl_buffer_destroy(x);
    tsl_buffer_destroy(b);
    tsl_linsolve_plan_destroy(plan);
    tsl_sparse_matrix_destroy(matrix);
    return status;
}

static tsl_status run_rank(tsl_comm *comm, void *user)
{
    bench *s = user;
    tsl_context_options options = TSL_CONTEXT_OPTIONS_INIT;
    tsl_context *context = NULL;
    options.device = s->devices[tsl_comm_rank(comm)];
    options.comm = comm;
    tsl_status status = tsl_context_create(&context, &options);
    if (status != TSL_OK) {
        return tsl_comm_fail(comm, status, tsl_last_error(NULL));
    }
    status = solve(s, context);
    if (status != TSL_OK) {
        tsl_comm_fail(comm, status, tsl_last_error(context));
    }
    tsl_context_destroy(context);
    return status;
}

static tsl_status measure(bench *s, int count)
{
    double first = 0;
    for (int ranks = 1; ranks <= count; ranks *= 2) {
        const double begun = tsl_seconds();
        const tsl_status status = tsl_comm_run(ranks, run_rank, s);
        if (status != TSL_OK) {
            fprintf(stderr, "solve_ranks: %s\n", tsl_last_error(NULL));
            return status;
        }
        const double seconds = bench_median(&s->solve, s->repeats);
        first = ranks == 1 ? seconds : first;
        printf("%d of %s: %s, %lld iterations, solution %.4f s, %.1f us an iteration, %.2f times "
               "one, residual %.2e, all of it %.1f s%s\n",
               ranks, s->devices[0], s->about.format, (long long)s->report.iterations, seconds,
               1e6 * seconds / (double)s->report.iterations, first / seconds,
               s->report.true_residual, tsl_seconds() - begun,
               ranks == 1                                                        ? ""
               : memcmp(s->x[0], s->x[1], (size_t)s->rows * sizeof(double)) == 0 ? ", the same bits"
                                                                                 : ", OTHER BITS");
        fflush(stdout);
    }
    return TSL_OK;
}

int main(int argc, char **argv)
{
    bench *s = calloc(1, sizeof *s);
    const int count = argc - 4;
    if (s == NULL || count < 1 || count > MOST_DEVICES) {
        fprintf(stderr, "usage: solve_ranks SIDE REPEATS PRECONDITIONER DEVICE...\n");
        free(s);
        return 2;
    }
    s->side = atoi(argv[1]);
    s->rows = s->side * s->side * s->side;
    s->repeats = atoi(argv[2]);
    s->devices = argv + 4;
    const char *name = "";
    for (int i = 0; name != NULL && strcmp(name, argv[3]) != 0; i++) {
        s->preconditioner = (tsl_linsolve_preconditioner)i;
        name = tsl_linsolve_preconditioner_name(s->preconditioner);
    }
    tsl_status status = TSL_E_ARG;
    if (name != NULL && s->side > 1 && s->side <= 1000 && s->repeats > 0 &&
        s->repeats <= BENCH_REPEATS) {
        status = make_laplacian(s) ? measure(s, count) : TSL_E_NOMEM;
    }
    void *const all[] = {s->start, s->column, s->value, s->b, s->x[0], s->x[1]};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        tsl_release(all[i]);
    }
    free(s);
    return status == TSL_OK ? 0 : 3;
}
