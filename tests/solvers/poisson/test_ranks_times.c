/* The stages of a solve over ranks: each is told, they add up to the solve, and what is exchanged
 * is what the ranks' shares say. */
/* ctest: cost 60 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "comm/comm.h"
#include "solvers/poisson/box.h"
#include "solvers/poisson/poisson.h"

enum { N0 = 12, N1 = 10, N2 = 14, HALF = N2 / 2 + 1, SOLVES = 3, MOST_RANKS = 3 };

typedef struct trial {
    const char *device;
    int ranks[2], segments;
    int form; /* 1: the library's transforms */
    tsl_poisson_path path;
    unsigned stages; /* those that are to be told: bits */
} trial;

enum {
    ALWAYS = 1 << TSL_TIMED_EXCHANGE | 1 << TSL_TIMED_WAITING | 1 << TSL_TIMED_OTHER,
    BY_HOST = 1 << TSL_TIMED_TO_HOST | 1 << TSL_TIMED_FROM_HOST,
    PACKED = 1 << TSL_TIMED_PACKING,
    PLANES = 1 << TSL_TIMED_PLANES,
    COLUMNS = 1 << TSL_TIMED_ROWS | 1 << TSL_TIMED_SECOND,
    FUSED = 1 << TSL_TIMED_FIRST_FUSED,
    APART = 1 << TSL_TIMED_FIRST | 1 << TSL_TIMED_SPECTRUM
};

static const trial trials[] = {
    {"cpu", {2, 1}, 1, 0, TSL_POISSON_DIRECT, ALWAYS | PLANES | PACKED | FUSED},
    {"cpu", {1, 3}, 2, 0, TSL_POISSON_DIRECT, ALWAYS | COLUMNS | PACKED | FUSED},
    {"sim", {2, 1}, 2, -1, TSL_POISSON_DIRECT, ALWAYS | PLANES | FUSED},
    {"sim", {3, 1}, 1, -1, TSL_POISSON_STAGED, ALWAYS | PLANES | FUSED | BY_HOST},
    {"sim", {2, 1}, 1, 1, TSL_POISSON_STAGED, ALWAYS | PLANES | PACKED | APART | BY_HOST},
    {"sim", {1, 2}, 1, 1, TSL_POISSON_DIRECT, ALWAYS | COLUMNS | PACKED | APART},
    {"sim", {1, 3}, 1, 1, TSL_POISSON_STAGED, ALWAYS | COLUMNS | PACKED | APART | BY_HOST},
};

/* Numbers that go there and back between other ranks, of all: those that stay are on the diagonal.
 * Planes exchange x against y, columns x against z. */
static int64_t exchanged(const trial *t)
{
    const bool planes = t->ranks[1] == 1;
    const int ranks = t->ranks[0] * t->ranks[1];
    const tsl_poisson_grid grid = {.n = {N0, N1, N2}, .m = {N0, N1, N2}, .half = HALF};
    int64_t stays = 0;
    for (int rank = 0; rank < ranks; rank++) {
        const tsl_poisson_share share = {
            .size = ranks, .rank = rank, .p = t->ranks[0], .q = t->ranks[1]};
        const int64_t rows = tsl_poisson_rows_of(&share, &grid, rank).x.count;
        stays += planes ? rows * tsl_poisson_lines_of(&share, &grid, rank).count * HALF
                        : rows * tsl_poisson_columns_of(&share, &grid, rank).count * N1;
    }
    return 2 * ((int64_t)N0 * N1 * HALF - stays);
}

static tsl_status wrong(tsl_comm *comm, const trial *t, const char *what, double value)
{
    char line[160];
    snprintf(line, sizeof line, "%s, ranks %d x %d, form %d, path %d: %s %g", t->device,
             t->ranks[0], t->ranks[1], t->form, (int)t->path, what, value);
    return tsl_comm_fail(comm, TSL_E_INTERNAL, line);
}

static const char add_up[] = "stages do not add up:";

/* This rank's times, then all ranks' bytes. */
static tsl_status check(tsl_comm *comm, const trial *t, const tsl_poisson_times *mine)
{
    double sum = 0;
    for (int stage = 0; stage < TSL_TIMED; stage++) {
        const bool wanted = (t->stages >> stage & 1) != 0;
        if (wanted != (mine->calls[stage] > 0)) {
            return wrong(comm, t, tsl_poisson_timed_name((tsl_poisson_timed)stage), wanted);
        }
        sum += mine->seconds[stage];
    }
    if (!(fabs(sum - mine->total) <= 0.02 * mine->total) || mine->total <= 0) {
        return wrong(comm, t, add_up, sum / mine->total);
    }
    int64_t bytes = mine->bytes[TSL_TIMED_EXCHANGE];
    const tsl_status status =
        tsl_comm_all_reduce(comm, NULL, &bytes, 1, TSL_COMM_INT64, TSL_COMM_SUM);
    const double wanted = 16.0 * SOLVES * (double)exchanged(t);
    return status != TSL_OK || (double)bytes == wanted
               ? status
               : wrong(comm, t, "bytes exchanged, of those wanted", (double)bytes / wanted);
}

static tsl_status solve(tsl_comm *comm, const trial *t, tsl_context *context,
                        tsl_poisson_plan *plan)
{
    tsl_poisson_times times = {.last = 0};
    void *cells = NULL;
    const int64_t bytes = 8 * N0 * N1 * N2;
    tsl_status status = tsl_device_allocate(&cells, context, bytes, "a test");
    if (status == TSL_OK) {
        status = context->ops->fill(context, cells, 0, bytes);
    }
    for (int i = -1; i <= SOLVES && status == TSL_OK; i++) { /* the first and last don't count */
        if (i == 0) {
            tsl_poisson_plan_time(plan, &times);
        }
        if (i == SOLVES) {
            tsl_poisson_plan_time(plan, NULL);
        }
        status = tsl_poisson_execute(plan, cells, cells);
    }
    tsl_device_release(context, cells);
    return status == TSL_OK ? check(comm, t, &times) : status;
}

static tsl_status try_one(tsl_comm *comm, void *user)
{
    static const int n[3] = {N0, N1, N2};
    static const double lengths[3] = {1, 2, 3};
    const trial *t = user;
    tsl_poisson_options options = box_options(n, lengths, "ppp");
    tsl_context *context = NULL;
    tsl_poisson_plan *plan = NULL;
    memcpy(options.ranks, t->ranks, sizeof options.ranks);
    options.segments = t->segments;
    options.overlap = -1;
    options.plain = t->form;
    options.path = t->path;
    options.background = 1;
    tsl_status status = test_rank_context(&context, comm, t->device);
    if (status == TSL_OK) {
        status = tsl_poisson_plan_create(&plan, context, &options);
    }
    if (status == TSL_OK) {
        status = solve(comm, t, context, plan);
    } else if (context != NULL) {
        tsl_comm_fail(comm, status, tsl_last_error(context));
    }
    tsl_poisson_plan_destroy(plan);
    tsl_context_destroy(context);
    return status;
}

/* Where other programs have the processor, a rank may be held up between two stages. */
enum { ATTEMPTS = 5 };

static void stages_are_told_and_add_up(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof trials / sizeof *trials; i++) {
        trial t = trials[i];
        tsl_status status = tsl_comm_run(t.ranks[0] * t.ranks[1], try_one, &t);
        for (int more = 1;
             more < ATTEMPTS && status != TSL_OK && strstr(tsl_last_error(NULL), add_up) != NULL;
             more++) {
            status = tsl_comm_run(t.ranks[0] * t.ranks[1], try_one, &t);
        }
        if (status != TSL_OK) {
            fail_msg("%s", tsl_last_error(NULL));
        }
    }
}

/* One rank on the CPU goes through the same stages, and exchanges nothing. */
static void one_rank_tells_of_its_stages(void **state)
{
    (void)state;
    static const int n[3] = {N0, N1, N2};
    static const double lengths[3] = {1, 2, 3};
    tsl_poisson_options options = box_options(n, lengths, "fff");
    tsl_context *context = test_context("cpu", 1);
    tsl_poisson_plan *plan = NULL;
    tsl_poisson_times times = {.last = 0};
    double *cells = tsl_allocate_zeroed(N0 * N1 * N2, sizeof *cells);
    assert_int_equal(tsl_poisson_plan_create(&plan, context, &options), TSL_OK);
    tsl_poisson_plan_time(plan, &times);
    assert_int_equal(tsl_poisson_execute(plan, cells, cells), TSL_OK);
    assert_int_equal(times.calls[TSL_TIMED_ROWS], 2);
    assert_true(times.calls[TSL_TIMED_SECOND] > 0);
    assert_int_equal(times.calls[TSL_TIMED_EXCHANGE], 0);
    tsl_poisson_plan_destroy(plan);
    tsl_context_destroy(context);
    tsl_release(cells);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(stages_are_told_and_add_up),
                                       cmocka_unit_test(one_rank_tells_of_its_stages)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
