/* Multigrid's levels on several GPUs: each rank's makes all of them, and distributes them. Another
 * number of ranks must not show in a single bit. Checks in a rank are returned, since cmocka's
 * leave only the main thread. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "comm/comm.h"
#include "core/core.h"
#include "core/profile.h"
#include "device/device.h"
#include "solvers/linsolve/multigrid/gpu/coarsen.h"
#include "solvers/linsolve/systems.h"
#include "tesela/buffer.h"

enum {
    MOST_ITERATIONS = 100,
    MANY = 100000, /* rows, of which so many aggregates are made that they are distributed too */
    DISTRIBUTED = 20000,
    SECONDS = 60
};

/* ---- systems --------------------------------------------------------------------------------- */

/* A chain, each `apart`-th row of which is joined weakly to those up to `reach` away too; 0: none.
 * The diagonal is more than the sum of the others: a condition of some hundreds. */
static test_system make_chain(int64_t n, int64_t apart, int64_t reach)
{
    test_system s = {.n = n, .row_start = calloc((size_t)n + 1, sizeof *s.row_start)};
    const int64_t most = 3 * n + (apart > 0 ? 4 * reach * (n / apart + 1) : 0);
    s.column = calloc((size_t)most, sizeof *s.column);
    s.value = calloc((size_t)most, sizeof *s.value);
    int64_t k = 0;
    for (int64_t i = 0; i < n; i++) {
        const int64_t diagonal = k;
        double sum = 0;
        for (int64_t j = i > reach ? i - reach : 0; j < n && j <= i + reach; j++) {
            const bool near = llabs(i - j) <= 1;
            if (near || (apart > 0 && (i % apart == 0 || j % apart == 0))) {
                const double value = near ? -1 - 0.25 * (double)((i + j) % 7 == 0) : -0.01;
                s.column[k] = (int32_t)j;
                s.value[k++] = value;
                sum -= i == j ? 0 : value;
            }
        }
        for (int64_t at = diagonal; at < k; at++) {
            s.value[at] = s.column[at] == i ? 1.01 * sum : s.value[at];
        }
        s.row_start[i + 1] = k;
    }
    return s;
}

/* ---- a system on ranks ----------------------------------------------------------------------- */

/* What all ranks solve, and what rank 0 has of it. */
typedef struct trial {
    const test_system *s;
    tsl_linsolve_options options;
    double *b;
    int lacking; /* the rank whose GPU has no memory for levels; -1: none */
    tsl_status status;
    char error[TSL_ERROR_TEXT];
    double *x;
    double history[MOST_ITERATIONS];
    int64_t iterations;
    int64_t second; /* rows of level 1 */
    char left[64];  /* stage that says why the host made levels; "": it made none */
} trial;

static int note(void *user, int64_t iteration, double residual)
{
    trial *t = user; /* NULL: not rank 0 */
    if (t != NULL && iteration < MOST_ITERATIONS) {
        t->history[iteration] = residual;
    }
    return 0;
}

static void find_left(char *out, int64_t size, const tsl_context *context)
{
    const tsl_profile_stage *stages;
    const int count = tsl_profile_stages(context, &stages);
    for (int i = 0; i < count; i++) {
        if (strncmp(stages[i].stage, "levels made by the host", 23) == 0) {
            snprintf(out, (size_t)size, "%s", stages[i].stage);
        }
    }
}

static tsl_status execute(tsl_context *context, trial *t, tsl_linsolve_plan *plan, tsl_buffer *x,
                          tsl_buffer *b)
{
    const int64_t bytes = 8 * t->s->n;
    tsl_linsolve_report report;
    tsl_status status = tsl_buffer_fill(x, 0);
    status = status == TSL_OK ? tsl_buffer_write(b, 0, t->b, bytes) : status;
    if (status == TSL_OK) {
        status = tsl_linsolve_execute(plan, tsl_buffer_data(x), tsl_buffer_data(b), &report);
    }
    if (status == TSL_OK && tsl_comm_rank(context->comm) == 0) {
        t->iterations = report.iterations;
        t->second = report.level_rows[1];
        find_left(t->left, sizeof t->left, context);
        status = tsl_buffer_read(x, 0, t->x, bytes);
    }
    return status;
}

static tsl_status solve(tsl_context *context, trial *t)
{
    const test_system *s = t->s;
    tsl_linsolve_options options = t->options;
    tsl_sparse_matrix *matrix = NULL;
    tsl_linsolve_plan *plan = NULL;
    tsl_buffer *x = NULL;
    tsl_buffer *b = NULL;
    options.progress = note;
    options.user = tsl_comm_rank(context->comm) == 0 ? t : NULL;
    tsl_status status = tsl_buffer_create(&x, context, 8 * s->n);
    status = status == TSL_OK ? tsl_buffer_create(&b, context, 8 * s->n) : status;
    if (status == TSL_OK) {
        status = tsl_sparse_matrix_create(&matrix, context, s->n, s->n, s->row_start, s->column, 4,
                                          s->value, NULL);
    }
    status = status == TSL_OK ? tsl_linsolve_plan_create(&plan, matrix, &options) : status;
    status = status == TSL_OK ? execute(context, t, plan, x, b) : status;
    tsl_linsolve_plan_destroy(plan);
    tsl_sparse_matrix_destroy(matrix);
    tsl_buffer_destroy(x);
    tsl_buffer_destroy(b);
    return status;
}

static tsl_status no_memory(tsl_context *context, const tsl_grouping *arguments)
{
    (void)arguments;
    return tsl_fail(context, TSL_E_NOMEM, "no memory for levels");
}

static tsl_status run_rank(tsl_comm *comm, void *user)
{
    trial *t = user;
    tsl_context *context = NULL;
    tsl_status status = test_rank_context(&context, comm, "sim");
    if (status != TSL_OK) {
        return status;
    }
    const tsl_device_ops *own = context->ops;
    tsl_device_ops ops = *own;
    tsl_coarsen_ops coarsen = *own->coarsen;
    coarsen.measure = no_memory;
    ops.coarsen = &coarsen;
    context->ops = tsl_comm_rank(comm) == t->lacking ? &ops : own;
    status = solve(context, t);
    context->ops = own;
    if (tsl_comm_rank(comm) == 0) {
        t->status = status;
        snprintf(t->error, sizeof t->error, "%s", tsl_last_error(context));
    }
    if (context->memory.live != 0) {
        status = tsl_comm_fail(comm, TSL_E_INTERNAL, "device memory was lost");
    }
    tsl_context_destroy(context);
    return status;
}

static trial begin(const test_system *s, tsl_linsolve_method method)
{
    trial t = {.s = s,
               .options = test_options(method, TSL_LINSOLVE_MULTIGRID),
               .b = malloc((size_t)s->n * 8),
               .lacking = -1,
               .x = malloc((size_t)s->n * 8)};
    uint64_t seed = 31;
    for (int64_t i = 0; i < s->n; i++) {
        t.b[i] = test_uniform(&seed);
    }
    t.options.coarse_rows = 40;
    t.options.tolerance = 1e-6;
    return t;
}

static void end(trial *t)
{
    free(t->b);
    free(t->x);
}

static tsl_status run(trial *t, int ranks)
{
    alarm(SECONDS);
    const tsl_status status = tsl_comm_run(ranks, run_rank, t);
    alarm(0);
    return status;
}

/* Check that results have the same bits on one rank and on `least` to `most` ranks, of whose levels
 * the host makes none. Returns the rows of level 1. */
static int64_t check_ranks(const test_system *s, tsl_linsolve_method method,
                           const double *near_null, int least, int most)
{
    trial alone = begin(s, method);
    alone.options.near_null = near_null;
    assert_int_equal(run(&alone, 1), TSL_OK);
    assert_true(test_residual(s, alone.b, alone.x) <= 1.001 * alone.options.tolerance);
    assert_in_range(alone.iterations, 3, MOST_ITERATIONS - 1);
    assert_string_equal(alone.left, "");
    for (int ranks = least; ranks <= most; ranks++) {
        trial t = begin(s, method);
        t.options.near_null = near_null;
        if (run(&t, ranks) != TSL_OK) {
            fail_msg("%d ranks: %s", ranks, tsl_last_error(NULL));
        }
        assert_string_equal(t.left, "");
        assert_int_equal(t.iterations, alone.iterations);
        assert_memory_equal(t.history, alone.history, ((size_t)t.iterations + 1) * 8);
        assert_memory_equal(t.x, alone.x, (size_t)s->n * 8);
        end(&t);
    }
    const int64_t second = alone.second;
    end(&alone);
    return second;
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void small_levels_are_every_ranks(void **state)
{
    (void)state;
    test_system s = test_laplacian(40, 1);
    double *near_null = malloc((size_t)s.n * 8);
    for (int64_t i = 0; i < s.n; i++) {
        near_null[i] = 1 + 0.5 * (double)(i % 3);
    }
    check_ranks(&s, TSL_LINSOLVE_CG, NULL, 2, 4);
    check_ranks(&s, TSL_LINSOLVE_GMRES, NULL, 2, 3);
    check_ranks(&s, TSL_LINSOLVE_CG, near_null, 3, 3);
    free(near_null);
    test_system_free(&s);
}

/* Large levels whose rows are in slices are distributed. */
static void large_levels_are_distributed(void **state)
{
    (void)state;
    test_system s = make_chain(MANY, 0, 1);
    assert_true(check_ranks(&s, TSL_LINSOLVE_CG, NULL, 3, 3) > DISTRIBUTED);
    test_system_free(&s);
}

/* In chunks, rows of which are so long that what is summed first depends on where a chunk begins.
 */
static void large_levels_of_uneven_rows_too(void **state)
{
    (void)state;
    test_system s = make_chain(MANY, 1000, 60);
    assert_true(check_ranks(&s, TSL_LINSOLVE_CG, NULL, 2, 2) > DISTRIBUTED);
    assert_true(check_ranks(&s, TSL_LINSOLVE_GMRES, NULL, 3, 3) > DISTRIBUTED);
    test_system_free(&s);
}

/* If one GPU leaves its levels to the host, all do; or, if x must not depend on memory, none. */
static void all_ranks_go_one_way(void **state)
{
    (void)state;
    static const char *const left[] = {"levels made by the host: out of memory",
                                       "levels made by the host: another rank"};
    test_system s = test_laplacian(40, 1);
    trial alone = begin(&s, TSL_LINSOLVE_CG);
    alone.lacking = 0;
    assert_int_equal(run(&alone, 1), TSL_OK);
    assert_string_equal(alone.left, left[0]);
    for (int lacking = 0; lacking < 2; lacking++) {
        trial t = begin(&s, TSL_LINSOLVE_CG);
        t.lacking = lacking;
        assert_int_equal(run(&t, 3), TSL_OK);
        assert_string_equal(t.left, left[lacking]);
        assert_int_equal(t.iterations, alone.iterations);
        assert_memory_equal(t.x, alone.x, (size_t)s.n * 8);
        t.options.deterministic = 1;
        assert_int_equal(run(&t, 3), TSL_E_NOMEM);
        assert_int_equal(t.status, TSL_E_NOMEM);
        assert_string_equal(t.error,
                            lacking == 0 ? "no memory for levels" : "rank 1: no memory for levels");
        end(&t);
    }
    end(&alone);
    test_system_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(small_levels_are_every_ranks),
                                       cmocka_unit_test(large_levels_are_distributed),
                                       cmocka_unit_test(large_levels_of_uneven_rows_too),
                                       cmocka_unit_test(all_ranks_go_one_way)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
