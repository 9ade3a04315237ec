/* What one rank of several has no memory for, or is refused, in a sparse system: all hear of it,
 * and nobody waits. */
/* ctest: cost 60 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "comm/comm.h"
#include "io/matrix/matrix.h"
#include "solvers/linsolve/systems.h"
#include "support/shortage.h"
#include "tesela/buffer.h"

enum { SIDE = 6, ROWS = SIDE * SIDE * SIDE, SECONDS = 60 };

/* ---- a system -------------------------------------------------------------------------------- */

typedef struct system_of_rank {
    tsl_sparse_matrix *matrix;
    tsl_linsolve_plan *plan;
    tsl_buffer *x, *b;
} system_of_rank;

static tsl_status make_vectors(system_of_rank *of, tsl_context *context)
{
    double ones[ROWS];
    for (int i = 0; i < ROWS; i++) {
        ones[i] = 1;
    }
    tsl_status status = tsl_buffer_create(&of->x, context, sizeof ones);
    if (status == TSL_OK) {
        status = tsl_buffer_create(&of->b, context, sizeof ones);
    }
    if (status == TSL_OK) {
        status = tsl_buffer_fill(of->x, 0);
    }
    if (status == TSL_OK) {
        status = tsl_buffer_write(of->b, 0, ones, sizeof ones);
    }
    return tsl_comm_agree(context, status);
}

static tsl_status make_matrix(system_of_rank *of, tsl_context *context, const test_system *s,
                              const tsl_sparse_matrix_options *options)
{
    return tsl_sparse_matrix_create(&of->matrix, context, s->n, s->n, s->row_start, s->column, 4,
                                    s->value, options);
}

static tsl_status solve(const system_of_rank *of)
{
    return tsl_linsolve_execute(of->plan, tsl_buffer_data(of->x), tsl_buffer_data(of->b), NULL);
}

static void release(system_of_rank *of)
{
    tsl_linsolve_plan_destroy(of->plan);
    tsl_sparse_matrix_destroy(of->matrix);
    tsl_buffer_destroy(of->x);
    tsl_buffer_destroy(of->b);
}

/* ---- what runs out --------------------------------------------------------------------------- */

typedef struct trial {
    test_system s;
    tsl_linsolve_options options;
    bool solves;
} trial;

/* Matrix, plan, a product and a solution. */
static tsl_status use_up(tsl_context *context, test_shortage *t)
{
    const trial *of_test = t->user;
    system_of_rank of = {NULL, NULL, NULL, NULL};
    tsl_status status = make_vectors(&of, context);
    if (status == TSL_OK) {
        status = make_matrix(&of, context, &of_test->s, NULL);
    }
    if (status == TSL_OK) {
        status =
            tsl_sparse_matrix_multiply(of.matrix, tsl_buffer_data(of.x), tsl_buffer_data(of.b));
    }
    if (status == TSL_OK) {
        status = tsl_linsolve_plan_create(&of.plan, of.matrix, &of_test->options);
    }
    if (status == TSL_OK && t->begins_late) {
        test_shortage_begins(t, context);
    }
    if (status == TSL_OK && of_test->solves) {
        status = solve(&of);
    }
    release(&of);
    return status;
}

static void what_one_rank_lacks_ends_all(void **state)
{
    (void)state;
    static const struct {
        const char *device;
        tsl_linsolve_method method;
        tsl_linsolve_preconditioner preconditioner;
        test_resource what;
        int ranks, lacking;
        int64_t least; /* asked for */
    } cases[] = {
        {"cpu", TSL_LINSOLVE_CG, TSL_LINSOLVE_MULTIGRID, TEST_HOST_MEMORY, 3, 1, 60},
        {"cpu", TSL_LINSOLVE_GMRES, TSL_LINSOLVE_ILU0, TEST_HOST_MEMORY, 2, 0, 30},
        {"sim", TSL_LINSOLVE_CG, TSL_LINSOLVE_JACOBI, TEST_HOST_MEMORY, 2, 1, 50},
        {"sim", TSL_LINSOLVE_CG, TSL_LINSOLVE_MULTIGRID, TEST_DEVICE_MEMORY, 2, 0, 20},
        {"sim", TSL_LINSOLVE_GMRES, TSL_LINSOLVE_BLOCK_JACOBI, TEST_DEVICE_MEMORY, 2, 1, 10},
        {"sim", TSL_LINSOLVE_CG, TSL_LINSOLVE_JACOBI, TEST_DOWNLOADS, 3, 2, 3},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const bool on_cpu = strcmp(cases[i].device, "cpu") == 0;
        trial of_test = {.s = test_laplacian(SIDE, SIDE),
                         .options = test_options(cases[i].method, cases[i].preconditioner),
                         .solves = on_cpu || cases[i].what != TEST_HOST_MEMORY};
        test_shortage t = {.device = cases[i].device,
                           .ranks = cases[i].ranks,
                           .lacking = cases[i].lacking,
                           .what = cases[i].what,
                           .call = use_up,
                           .user = &of_test,
                           .agreed = on_cpu};
        of_test.options.coarse_rows = 20;
        of_test.options.tolerance = 0.1;
        assert_in_range(test_shortage_try_all(&t), cases[i].least, 1000);
        test_system_free(&of_test.s);
    }
}

/* A rank whose last piece of work, or one shortly before, cannot be queued fails inside of what all
 * do together: the others have numbers all the same, and must not take them for a solution. */
static void what_fails_at_the_end_ends_all(void **state)
{
    (void)state;
    enum { LAST = 12 };
    trial of_test = {.s = test_laplacian(SIDE, SIDE),
                     .options = test_options(TSL_LINSOLVE_CG, TSL_LINSOLVE_JACOBI),
                     .solves = true};
    test_shortage t = {
        .device = "sim", .ranks = 2, .call = use_up, .user = &of_test, .begins_late = true};
    int failures = 0;
    of_test.options.tolerance = 0.1;
    assert_int_equal(test_shortage_try(&t), TSL_OK);
    const int64_t asked = t.asked;
    for (t.k = asked; t.k > asked - LAST; t.k--) {
        failures += test_shortage_try(&t) != TSL_OK; /* sim does without some */
    }
    assert_in_range(failures, LAST / 3, LAST);
    test_system_free(&of_test.s);
}

/* ---- what is refused ------------------------------------------------------------------------- */

/* Each is wrong on rank 1 alone. */
static tsl_status wrong_matrix(system_of_rank *of, tsl_context *context, const test_system *s)
{
    tsl_sparse_matrix_options options = TSL_SPARSE_MATRIX_OPTIONS_INIT;
    system_of_rank other = {NULL, NULL, NULL, NULL};
    (void)of;
    options.index_base = context->comm->rank == 1 ? 5 : 0;
    const tsl_status status = make_matrix(&other, context, s, &options);
    release(&other);
    return status;
}

static tsl_status no_arrays(system_of_rank *of, tsl_context *context, const test_system *s)
{
    tsl_sparse_matrix *matrix = NULL;
    (void)of;
    const tsl_status status =
        tsl_sparse_matrix_create(&matrix, context, s->n, s->n, s->row_start, s->column, 4,
                                 context->comm->rank == 1 ? NULL : s->value, NULL);
    tsl_sparse_matrix_destroy(matrix);
    return status;
}

/* Another matrix, with a number changed on rank 1. */
static tsl_status make_with(double number, int at, tsl_context *context, const test_system *s)
{
    test_system own = *s;
    system_of_rank other = {NULL, NULL, NULL, NULL};
    double value[8 * ROWS];
    memcpy(value, s->value, (size_t)s->row_start[s->n] * sizeof *value);
    value[at] = context->comm->rank == 1 ? number : value[at];
    own.value = value;
    const tsl_status status = make_matrix(&other, context, &own, NULL);
    release(&other);
    return status;
}

static tsl_status wrong_entry(system_of_rank *of, tsl_context *context, const test_system *s)
{
    (void)of;
    return make_with(INFINITY, 0, context, s);
}

static tsl_status wrong_plan(system_of_rank *of, tsl_context *context, const test_system *s)
{
    tsl_linsolve_options options = TSL_LINSOLVE_OPTIONS_INIT;
    tsl_linsolve_plan *plan = NULL;
    (void)s;
    options.restart = context->comm->rank == 1 ? 0 : 30;
    const tsl_status status = tsl_linsolve_plan_create(&plan, of->matrix, &options);
    tsl_linsolve_plan_destroy(plan);
    return status;
}

static tsl_status no_product(system_of_rank *of, tsl_context *context, const test_system *s)
{
    (void)s;
    return tsl_sparse_matrix_multiply(of->matrix,
                                      context->comm->rank == 1 ? NULL : tsl_buffer_data(of->x),
                                      tsl_buffer_data(of->b));
}

static tsl_status no_vector(system_of_rank *of, tsl_context *context, const test_system *s)
{
    (void)s;
    return tsl_linsolve_execute(of->plan, tsl_buffer_data(of->x),
                                context->comm->rank == 1 ? NULL : tsl_buffer_data(of->b), NULL);
}

static tsl_status wrong_vector(system_of_rank *of, tsl_context *context, const test_system *s)
{
    const double number = 1;
    const double none = NAN;
    (void)s;
    tsl_status status =
        context->comm->rank == 1 ? tsl_buffer_write(of->b, 0, &none, sizeof none) : TSL_OK;
    status = status == TSL_OK ? solve(of) : status;
    tsl_buffer_write(of->b, 0, &number, sizeof number);
    return status;
}

/* What all hear of at once, each in its own words. */
static tsl_status other_matrix(system_of_rank *of, tsl_context *context, const test_system *s)
{
    (void)of;
    return make_with(nextafter(s->value[100], 9), 100, context, s);
}

static tsl_status other_vector(system_of_rank *of, tsl_context *context, const test_system *s)
{
    const double ones[2] = {1, 1};
    (void)s;
    tsl_status status = context->comm->rank == 1 ? tsl_buffer_fill(of->b, 0) : TSL_OK;
    status = status == TSL_OK ? solve(of) : status;
    tsl_buffer_fill(of->b, 0);
    tsl_buffer_write(of->b, 0, ones, sizeof ones);
    return status;
}

static const struct {
    tsl_status (*try)(system_of_rank *of, tsl_context *context, const test_system *s);
    const char *words;
    bool is_of_all;
} refusals[] = {{wrong_matrix, "an index base of 5: give 0 or 1", false},
                {no_arrays, "a matrix without arrays", false},
                {wrong_entry, "column 0 is infinite", false},
                {wrong_plan, "restart is 0: give 1 to 1000", false},
                {no_product, "a product without vectors", false},
                {no_vector, "nothing to solve: x or b is NULL", false},
                {wrong_vector, "b has not a number in row 0", false},
                {other_matrix, "the ranks of a sparse system have different matrices", true},
                {other_vector, "b is 0 on some ranks and not on others", true}};

static tsl_status try_refusals(tsl_context *context, const test_system *s)
{
    system_of_rank of = {NULL, NULL, NULL, NULL};
    tsl_status status = make_vectors(&of, context);
    if (status == TSL_OK) {
        status = make_matrix(&of, context, s, NULL);
    }
    if (status == TSL_OK) {
        status = tsl_linsolve_plan_create(&of.plan, of.matrix, NULL);
    }
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals && status == TSL_OK; i++) {
        const tsl_status found = refusals[i].try(&of, context, s);
        const char *said = tsl_last_error(context);
        const bool prefixed = strncmp(said, "rank 1: ", 8) == 0;
        if (found != TSL_E_ARG || strstr(said, refusals[i].words) == NULL ||
            prefixed != (!refusals[i].is_of_all && context->comm->rank != 1)) {
            char line[TSL_ERROR_TEXT + 64];
            snprintf(line, sizeof line, "wanted '%s', got %d %s", refusals[i].words, (int)found,
                     said);
            status = tsl_comm_fail(context->comm, TSL_E_INTERNAL, line);
        }
    }
    status = status == TSL_OK ? solve(&of) : status; /* the communicator is of use */
    release(&of);
    return status;
}

typedef struct refusal_trial {
    const char *device;
    test_system s;
} refusal_trial;

static tsl_status refuse_rank(tsl_comm *comm, void *user)
{
    const refusal_trial *t = user;
    tsl_context *context = NULL;
    tsl_status status = test_rank_context(&context, comm, t->device);
    if (status == TSL_OK) {
        status = try_refusals(context, &t->s);
    }
    tsl_context_destroy(context);
    return status;
}

static void what_one_rank_is_refused_all_are(void **state)
{
    (void)state;
    static const char *const devices[] = {"cpu", "sim"};
    for (int i = 0; i < 2; i++) {
        refusal_trial t = {.device = devices[i], .s = test_laplacian(SIDE, SIDE)};
        alarm(SECONDS);
        if (tsl_comm_run(3, refuse_rank, &t) != TSL_OK) {
            fail_msg("%s: %s", t.device, tsl_last_error(NULL));
        }
        alarm(0);
        test_system_free(&t.s);
    }
}

static tsl_status try_kinds(tsl_comm *comm, void *user)
{
    system_of_rank of = {NULL, NULL, NULL, NULL};
    tsl_context *context = NULL;
    tsl_status status = test_rank_context(&context, comm, comm->rank == 1 ? "sim" : "cpu");
    if (status == TSL_OK &&
        (make_matrix(&of, context, user, NULL) != TSL_E_UNSUPPORTED ||
         strstr(tsl_last_error(context), "are on 'cpu' and on 'sim': give devices of one kind") ==
             NULL)) {
        status = tsl_comm_fail(comm, TSL_E_INTERNAL, tsl_last_error(context));
    }
    release(&of);
    tsl_context_destroy(context);
    return status;
}

static void devices_of_two_kinds_are_refused(void **state)
{
    (void)state;
    test_system s = test_laplacian(SIDE, SIDE);
    alarm(SECONDS);
    if (tsl_comm_run(3, try_kinds, &s) != TSL_OK) {
        fail_msg("%s", tsl_last_error(NULL));
    }
    alarm(0);
    test_system_free(&s);
}

/* What a process that mpirun has started does: one lacks host memory, all return the same. */
static int launched(void)
{
    trial of_test = {.s = test_laplacian(SIDE, SIDE),
                     .options = test_options(TSL_LINSOLVE_CG, TSL_LINSOLVE_MULTIGRID),
                     .solves = true};
    test_shortage t = {
        .device = "cpu", .lacking = 1, .what = TEST_HOST_MEMORY, .call = use_up, .user = &of_test};
    of_test.options.coarse_rows = 20;
    tsl_comm *comm = NULL;
    tsl_status status = tsl_comm_create(&comm);
    const int rank = status == TSL_OK ? tsl_comm_rank(comm) : 0;
    /* at first there is enough, so that communication has what it takes */
    for (t.k = 0; status == (t.k < 2 ? TSL_OK : TSL_E_NOMEM); t.k++) {
        char line[TSL_ERROR_TEXT], own[TSL_ERROR_TEXT + 16];
        status = test_shortage_run_rank(comm, &t);
        int32_t alike[2] = {status, -status};
        snprintf(line, sizeof line, "%s", t.error[rank]);
        snprintf(own, sizeof own, "rank 1: %s", line);
        if (tsl_comm_all_reduce(comm, NULL, alike, 2, TSL_COMM_INT32, TSL_COMM_MIN) != TSL_OK ||
            tsl_comm_broadcast(comm, NULL, own, sizeof own, 1) != TSL_OK || alike[0] != -alike[1] ||
            (status != TSL_OK && rank != 1 && strcmp(line, own) != 0)) {
            print_error("allocation %d, rank %d: %d '%s', not '%s'\n", (int)t.k, rank, status, line,
                        own);
            status = TSL_E_INTERNAL;
        }
    }
    if (status == TSL_OK && t.k < 60) {
        print_error("only %d allocations\n", (int)t.k);
        status = TSL_E_INTERNAL;
    }
    tsl_comm_destroy(comm);
    test_system_free(&of_test.s);
    return status == TSL_OK ? 0 : 1;
}

/* Rank 1 fails; rank 0, which reads a file, hears of it. */
static tsl_status read_alone(tsl_context *context, void *user)
{
    static const char text[] = "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 2\n";
    const tsl_source source = tsl_source_of("a.mtx", text, sizeof text - 1);
    tsl_status *heard = user;
    tsl_matrix_file file;
    if (context->comm->rank == 1) {
        return tsl_comm_fail(context->comm, TSL_E_IO, "torn");
    }
    while (tsl_comm_failure(context->comm, NULL, NULL) == NULL) {
        usleep(1000);
    }
    *heard = tsl_matrix_parse(&file, context, &source);
    return strstr(tsl_last_error(context), "rank 1: torn") != NULL ? *heard : TSL_E_INTERNAL;
}

static tsl_status run_reader(tsl_comm *comm, void *user)
{
    return test_call_rank(comm, "cpu", read_alone, user);
}

static void who_reads_hears_of_failures(void **state)
{
    (void)state;
    tsl_status heard = TSL_OK;
    alarm(SECONDS);
    assert_int_equal(tsl_comm_run(2, run_reader, &heard), TSL_E_IO);
    assert_int_equal(heard, TSL_E_COMM);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "launched") == 0) {
        return launched();
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_one_rank_lacks_ends_all),
                                       cmocka_unit_test(what_fails_at_the_end_ends_all),
                                       cmocka_unit_test(what_one_rank_is_refused_all_are),
                                       cmocka_unit_test(who_reads_hears_of_failures),
                                       cmocka_unit_test(devices_of_two_kinds_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
