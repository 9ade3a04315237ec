/* What one rank of several has no memory for, or is refused, in a sparse system: all hear of it,
 * and nobody waits. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "comm/comm.h"
#include "sparse/systems.h"
#include "tesela/buffer.h"

enum { SIDE = 6, ROWS = SIDE * SIDE * SIDE, MOST_RANKS = 3, SECONDS = 60 };

/* What runs out; work that is queued on sim takes host memory. */
typedef enum resource { HOST_MEMORY, DEVICE_MEMORY, DOWNLOADS, QUEUED_WORK, RESOURCES } resource;

typedef struct trial {
    const char *device;
    test_system s;
    tsl_linsolve_options options;
    int failing; /* rank */
    resource what;
    int64_t k;     /* this one, and all after it, fail */
    int64_t asked; /* of the failing rank, in all */
    tsl_status status[MOST_RANKS];
    char error[MOST_RANKS][TSL_ERROR_TEXT];
} trial;

/* Of the failing rank. */
static int64_t downloads, downloads_fail_from;
static const tsl_device_ops *own_ops;

static tsl_status download(tsl_context *context, void *target, const void *source, int64_t bytes)
{
    if (++downloads >= downloads_fail_from) {
        return tsl_fail(context, TSL_E_DEVICE, "the device is gone");
    }
    return own_ops->download(context, target, source, bytes);
}

/* ---- a system, with what there is ------------------------------------------------------------ */

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
    return status == TSL_OK ? tsl_buffer_write(of->b, 0, ones, sizeof ones) : status;
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

static void limit(tsl_context *context, const trial *t)
{
    static tsl_device_ops ops; /* only the failing rank's */
    tsl_test_fail_own_allocation(t->what == HOST_MEMORY ? t->k : 0);
    tsl_test_fail_device_allocation(context, t->what == DEVICE_MEMORY ? t->k : 0);
    if (t->what == DOWNLOADS) {
        own_ops = context->ops;
        ops = *own_ops;
        ops.download = download;
        downloads = 0;
        downloads_fail_from = t->k;
        context->ops = &ops;
    }
}

/* Returns how often it was asked for. */
static int64_t unlimit(tsl_context *context, const trial *t)
{
    const int64_t host = tsl_test_fail_own_allocation(0);
    const int64_t device = tsl_test_fail_device_allocation(context, 0);
    if (t->what == DOWNLOADS) {
        context->ops = own_ops;
    }
    return t->what == DOWNLOADS ? downloads : t->what == DEVICE_MEMORY ? device : host;
}

/* Matrix, plan, a product and a solution with what the failing rank has. */
static tsl_status use_up(tsl_context *context, trial *t)
{
    const int rank = context->comm->rank;
    system_of_rank of = {NULL, NULL, NULL, NULL};
    tsl_status status = make_vectors(&of, context);
    if (rank == t->failing) {
        limit(context, t);
    }
    if (status == TSL_OK) {
        status = make_matrix(&of, context, &t->s, NULL);
    }
    if (status == TSL_OK) {
        status =
            tsl_sparse_matrix_multiply(of.matrix, tsl_buffer_data(of.x), tsl_buffer_data(of.b));
    }
    if (status == TSL_OK) {
        status = tsl_linsolve_plan_create(&of.plan, of.matrix, &t->options);
    }
    if (rank == t->failing && t->what == QUEUED_WORK) { /* of the solution */
        tsl_test_fail_own_allocation(t->k);
    }
    if (status == TSL_OK && (t->what != HOST_MEMORY || strcmp(t->device, "cpu") == 0)) {
        status = solve(&of);
    }
    if (rank == t->failing) {
        t->asked = unlimit(context, t);
    }
    t->status[rank] = status;
    snprintf(t->error[rank], sizeof t->error[rank], "%s", tsl_last_error(context));
    release(&of);
    if (context->memory.live != 0) {
        status = tsl_comm_fail(context->comm, TSL_E_INTERNAL, "device memory was lost");
    }
    return status;
}

static tsl_status run_rank(tsl_comm *comm, void *user)
{
    tsl_context *context = NULL;
    tsl_status status = test_rank_context(&context, comm, ((trial *)user)->device);
    if (status == TSL_OK) {
        status = use_up(context, user);
    }
    tsl_context_destroy(context);
    return status;
}

/* All have the failing rank's line, and its status or, of a failure that was published, as those
 * of the communicator's own operations are, TSL_E_COMM. */
static void assert_told(const trial *t, int ranks, tsl_status outcome)
{
    static const tsl_status expected[RESOURCES] = {TSL_E_NOMEM, TSL_E_NOMEM, TSL_E_DEVICE,
                                                   TSL_E_NOMEM};
    const bool published = t->status[(t->failing + 1) % ranks] == TSL_E_COMM;
    char line[TSL_ERROR_TEXT + 16];
    snprintf(line, sizeof line, "rank %d: %s", t->failing, t->error[t->failing]);
    assert_int_equal(outcome, expected[t->what]);
    for (int rank = 0; rank < ranks; rank++) {
        if (rank != t->failing) {
            assert_int_equal(t->status[rank], published ? TSL_E_COMM : outcome);
            assert_string_equal(t->error[rank], line);
        } else if (t->status[rank] != outcome) {
            assert_true(published && t->status[rank] == TSL_E_COMM);
        }
    }
    assert_true(!published || strcmp(t->device, "cpu") != 0);
}

/* Nobody waits, whatever comes of it; and nothing is lost. */
static tsl_status attempt(trial *t, int ranks)
{
    const int64_t live = tsl_test_live_allocations();
    alarm(SECONDS);
    const tsl_status status = tsl_comm_run(ranks, run_rank, t);
    alarm(0);
    assert_int_equal(tsl_test_live_allocations(), live);
    if (status != TSL_OK) {
        assert_true(t->asked >= t->k);
        assert_told(t, ranks, status);
    }
    return status;
}

/* The k-th fails, for all k until none does; returns how many there are. */
static int64_t use_up_all(trial *t, int ranks)
{
    t->k = 0;
    while (attempt(t, ranks) != TSL_OK || t->k == 0) {
        t->k++;
    }
    assert_int_equal(t->asked, t->k - 1);
    return t->asked;
}

static void what_one_rank_lacks_ends_all(void **state)
{
    (void)state;
    static const struct {
        const char *device;
        tsl_linsolve_method method;
        tsl_linsolve_preconditioner preconditioner;
        resource what;
        int ranks, failing;
        int64_t least; /* asked for */
    } cases[] = {
        {"cpu", TSL_LINSOLVE_CG, TSL_LINSOLVE_MULTIGRID, HOST_MEMORY, 3, 1, 60},
        {"cpu", TSL_LINSOLVE_GMRES, TSL_LINSOLVE_ILU0, HOST_MEMORY, 2, 0, 30},
        {"sim", TSL_LINSOLVE_CG, TSL_LINSOLVE_JACOBI, HOST_MEMORY, 2, 1, 50},
        {"sim", TSL_LINSOLVE_CG, TSL_LINSOLVE_MULTIGRID, DEVICE_MEMORY, 3, 0, 20},
        {"sim", TSL_LINSOLVE_GMRES, TSL_LINSOLVE_BLOCK_JACOBI, DEVICE_MEMORY, 2, 1, 10},
        {"sim", TSL_LINSOLVE_CG, TSL_LINSOLVE_JACOBI, DOWNLOADS, 3, 2, 4},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        trial t = {.device = cases[i].device,
                   .s = test_laplacian(SIDE, SIDE),
                   .options = test_options(cases[i].method, cases[i].preconditioner),
                   .failing = cases[i].failing,
                   .what = cases[i].what};
        t.options.coarse_rows = 20;
        const int64_t asked = use_up_all(&t, cases[i].ranks);
        assert_in_range(asked, cases[i].least, 1000);
        test_system_free(&t.s);
    }
}

/* A rank whose last piece of work, or one shortly before, cannot be queued fails inside of what all
 * do together: the others have numbers all the same, and must not take them for a solution. */
static void what_fails_at_the_end_ends_all(void **state)
{
    (void)state;
    enum { LAST = 25 };
    trial t = {.device = "sim",
               .s = test_laplacian(SIDE, SIDE),
               .options = test_options(TSL_LINSOLVE_CG, TSL_LINSOLVE_JACOBI),
               .what = QUEUED_WORK};
    int failures = 0;
    assert_int_equal(attempt(&t, 2), TSL_OK);
    const int64_t asked = t.asked;
    for (t.k = asked; t.k > asked - LAST; t.k--) {
        failures += attempt(&t, 2) != TSL_OK; /* sim does without some */
    }
    assert_in_range(failures, LAST / 3, LAST);
    test_system_free(&t.s);
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

static tsl_status wrong_entry(system_of_rank *of, tsl_context *context, const test_system *s)
{
    test_system own = *s;
    system_of_rank other = {NULL, NULL, NULL, NULL};
    double value[8 * ROWS];
    (void)of;
    memcpy(value, s->value, (size_t)s->row_start[s->n] * sizeof *value);
    value[0] = context->comm->rank == 1 ? INFINITY : value[0];
    own.value = value;
    const tsl_status status = make_matrix(&other, context, &own, NULL);
    release(&other);
    return status;
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

static const struct {
    tsl_status (*try)(system_of_rank *of, tsl_context *context, const test_system *s);
    const char *words;
} refusals[] = {{wrong_matrix, "an index base of 5: give 0 or 1"},
                {no_arrays, "a matrix without arrays"},
                {wrong_entry, "column 0 is infinite"},
                {wrong_plan, "restart is 0: give 1 to 1000"},
                {no_product, "a product without vectors"},
                {no_vector, "nothing to solve: x or b is NULL"},
                {wrong_vector, "b has not a number in row 0"}};

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
            prefixed == (context->comm->rank == 1)) {
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

static tsl_status refuse_rank(tsl_comm *comm, void *user)
{
    const trial *t = user;
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
        trial t = {.device = devices[i], .s = test_laplacian(SIDE, SIDE)};
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_one_rank_lacks_ends_all),
                                       cmocka_unit_test(what_fails_at_the_end_ends_all),
                                       cmocka_unit_test(what_one_rank_is_refused_all_are),
                                       cmocka_unit_test(devices_of_two_kinds_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
