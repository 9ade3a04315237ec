/* How many ranks solve, and which pencils: by rule, or measured. */
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "comm/comm.h"
#include "solvers/poisson/box.h"
#include "solvers/poisson/poisson.h"
#include "solvers/poisson/staged.h"

/* ---- memory --------------------------------------------------------------------------------- */

/* What this rank needs at most, shared as p x 1; what a plan holds of it. */
static tsl_status find_peak(int64_t *peak, int64_t *held, tsl_context *context,
                            tsl_poisson_options options, int p)
{
    tsl_poisson_problem problem;
    options.ranks[0] = p;
    options.ranks[1] = 1;
    const tsl_status status = tsl_poisson_settle(&problem, context, &options);
    *peak = status == TSL_OK ? tsl_poisson_peak_bytes(context, &problem) : 0;
    *held = status == TSL_OK ? tsl_poisson_held_bytes(context, &problem) : 0;
    return status;
}

/* So small a box, all of it rank 0's, is solved faster by that one alone; but it has no room for
 * all of what building the spectrum of so thin a one takes, though for the plan. */
static tsl_status try_measured(tsl_comm *comm, void *user)
{
    static const double lengths[3] = {0.2, 2, 2};
    static const int n[3] = {8, 8, 8};
    const int64_t cells = 8 * 8 * 8 * 8;
    const int64_t begin = comm->rank == 0 ? 0 : 8;
    int64_t alone = 0, shared = 0, held = 0, held_shared = 0;
    tsl_poisson_options o = box_options(n, lengths, "fff");
    tsl_poisson_summary summary = {.ranks = {0, 0}};
    tsl_poisson_plan *plan = NULL;
    tsl_context *context = NULL;
    (void)user;
    o.measure = 1;
    o.source_box = o.potential_box = (tsl_box){{begin, begin, begin}, {8, 8, 8}};
    tsl_status status = test_rank_context(&context, comm, "cpu");
    if (status == TSL_OK) {
        status = find_peak(&alone, &held, context, o, 1);
    }
    if (status == TSL_OK) {
        status = find_peak(&shared, &held_shared, context, o, 2);
    }
    if (status == TSL_OK) {
        o.memory = comm->rank == 0 ? alone - 1 : 0;
        status = tsl_poisson_plan_create(&plan, context, &o);
    }
    if (status == TSL_OK) {
        tsl_poisson_plan_summary(plan, &summary);
    }
    if (status == TSL_OK && comm->rank == 0 &&
        (shared >= alone || held + cells >= alone || summary.ranks[0] * summary.ranks[1] != 2)) {
        status = tsl_comm_fail(comm, TSL_E_INTERNAL, "one rank solves, and takes too much for it");
    }
    tsl_poisson_plan_destroy(plan);
    tsl_context_destroy(context);
    return status;
}

static void a_measured_plan_keeps_to_its_memory(void **state)
{
    (void)state;
    if (tsl_comm_run(2, try_measured, NULL) != TSL_OK) {
        fail_msg("%s", tsl_last_error(NULL));
    }
}

/* ---- ranks that are far from each other ------------------------------------------------------ */

static atomic_int tried_alone;             /* plans of one rank */
static const tsl_poisson_ops *own_poisson; /* sim's */
static tsl_comm_ops ways[3];               /* of each rank's communicators */

static tsl_status count_alone(tsl_poisson_solver **out, tsl_context *context,
                              const tsl_poisson_grid *grid, const tsl_poisson_share *share,
                              const void *spectrum)
{
    atomic_fetch_add(&tried_alone, 1);
    return own_poisson->create(out, context, grid, share, spectrum);
}

static tsl_status reaches_none(bool *reaches, tsl_comm *comm, tsl_context *context)
{
    (void)context;
    *reaches = false;
    return tsl_comm_barrier(comm);
}

/* What is left to the rule, on devices of which one may be faster than several. */
typedef struct left {
    bool far;
    int measure;
    bool scarce;   /* there is memory for the plan, and no more */
    bool measured; /* as it should be */
    bool tuned;    /* before the boxes are asked for */
} left;

/* What is settled is not measured again, and its boxes are those of who solves. */
static tsl_status tune(tsl_poisson_options *o, tsl_context *context, const left *l)
{
    tsl_box box;
    tsl_poisson_summary summary;
    tsl_status status = tsl_poisson_tune(o, context);
    if (status == TSL_OK) {
        status = tsl_poisson_box(&box, context, o);
    }
    if (status == TSL_OK) {
        status = tsl_poisson_predict(&summary, context, o);
    }
    if (status != TSL_OK) {
        return status;
    }
    const bool settled = o->ranks[0] > 0 && o->ranks[1] > 0 && !o->measure;
    const bool has_cells = tsl_box_cells(&box) > 0;
    const bool solves = context->comm->rank < summary.ranks[0] * summary.ranks[1];
    return settled == l->measured && has_cells == solves
               ? TSL_OK
               : tsl_comm_fail(context->comm, TSL_E_INTERNAL, "what is tuned is otherwise");
}

static tsl_status plan_with(tsl_context *context, void *user)
{
    const left *l = user;
    tsl_comm *comm = context->comm;
    const tsl_comm_ops *own_comm = comm->ops;
    const tsl_device_ops *own = context->ops;
    tsl_device_ops ops = *own;
    tsl_poisson_ops poisson = *own_poisson;
    tsl_poisson_kernels kernels = *poisson.kernels;
    tsl_poisson_summary summary;
    tsl_poisson_options o = small_box_options("ppp");
    tsl_poisson_plan *plan = NULL;
    ways[comm->rank] = *own_comm;
    ways[comm->rank].reaches = l->far ? reaches_none : NULL;
    kernels.alone_bytes = 1;
    poisson.kernels = &kernels;
    poisson.create = count_alone;
    ops.poisson = &poisson;
    o.measure = l->measure;
    comm->ops = &ways[comm->rank];
    context->ops = &ops;
    tsl_status status = tsl_poisson_predict(&summary, context, &o);
    o.memory = l->scarce ? summary.peak_bytes : 0;
    if (status == TSL_OK && l->tuned) {
        status = tune(&o, context, l);
    }
    if (status == TSL_OK) {
        status = tsl_poisson_plan_create(&plan, context, &o);
    }
    tsl_poisson_plan_destroy(plan);
    comm->ops = own_comm;
    context->ops = own;
    return status;
}

static tsl_status try_left(tsl_comm *comm, void *user)
{
    return test_call_rank(comm, "sim", plan_with, user);
}

static void what_is_far_is_measured(void **state)
{
    (void)state;
    tsl_context *context = test_context("sim", 1);
    own_poisson = context->ops->poisson;
    tsl_context_destroy(context);
    const left cases[] = {{.far = false, .measured = false},
                          {.far = true, .measured = true},
                          {.far = false, .measure = 1, .measured = true},
                          {.far = true, .scarce = true, .measured = false}};
    for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
        left l = cases[i / 2];
        l.tuned = i % 2 == 1;
        atomic_store(&tried_alone, 0);
        if (tsl_comm_run(3, try_left, &l) != TSL_OK) {
            fail_msg("%s", tsl_last_error(NULL));
        }
        assert_int_equal(atomic_load(&tried_alone) > 0, l.measured);
    }
}

/* ---- the fastest way ------------------------------------------------------------------------- */

static _Thread_local tsl_poisson_share tried; /* by this rank */
static atomic_int moved;                      /* exchanges while one rank has all of the work */
static const tsl_comm_ops *own_comm_ops;

enum { RACE_CELLS = 8 * 8 * 64, RACES = 5 };

/* A box with columns for two segments on each of two ranks. */
static tsl_poisson_options race_options(void)
{
    static const double lengths[3] = {2, 2, 2};
    static const int n[3] = {8, 8, 64};
    tsl_poisson_options o = box_options(n, lengths, "ppp");
    o.segments = 2;
    o.measure = 1;
    return o;
}

/* A way that is made the fastest, and what it is looked for with. */
typedef struct race {
    const char *device;
    int64_t count;
    int lacking; /* bytes that rank 0 lacks for it, 0: none; -1: it has no bound */
    int ranks[2];
    bool overlap, lines;
    bool refused; /* its memory is gone when it is to be tried, on rank 0 */
    bool tuned;   /* else planned with the boxes of the rule */
    bool found;   /* as it should be */
} race;

static race current;

static void take_long(int times)
{
    nanosleep(&(struct timespec){.tv_nsec = 20000000L * times}, NULL);
}

/* Is the pair that is tried the one that is to win? */
static bool is_winner(void)
{
    return tried.p == current.ranks[0] && tried.q == current.ranks[1];
}

static tsl_status note_way(tsl_poisson_solver **out, tsl_context *context,
                           const tsl_poisson_grid *grid, const tsl_poisson_share *share,
                           const void *spectrum)
{
    tried = *share;
    if (current.refused && context->comm->rank == 0 && is_winner()) {
        return tsl_fail(context, TSL_E_NOMEM, "out of memory");
    }
    return own_poisson->create(out, context, grid, share, spectrum);
}

/* The slower, the less a way is like the one that is to win. */
static tsl_status solve_slowly(tsl_poisson_solver *solver, void *out, const void *source, int axis)
{
    take_long((is_winner() ? 0 : 2) + (tried.overlap != current.overlap));
    return own_poisson->solve(solver, out, source, axis);
}

/* What the library's transforms need on a GPU, and its own don't. */
static tsl_status multiply_slowly(tsl_context *context, const tsl_poisson_product *what)
{
    take_long(1);
    return own_poisson->kernels->multiply(context, what);
}

static tsl_status count_moves(tsl_comm *comm, tsl_context *context, const tsl_comm_parts *send,
                              const tsl_comm_parts *receive)
{
    atomic_fetch_add(&moved, tried.p * tried.q == 1);
    return own_comm_ops->all_to_all(comm, context, send, receive);
}

/* Rank 0 may take the way that is to win with its sources and potentials, but for what it lacks. */
static tsl_status bound_memory(tsl_poisson_options *o, tsl_context *context)
{
    tsl_poisson_summary plan;
    tsl_poisson_options way = *o;
    memcpy(way.ranks, current.ranks, sizeof way.ranks);
    const tsl_status status = tsl_poisson_predict(&plan, context, &way);
    if (context->comm->rank == 0 && current.lacking >= 0) {
        o->memory = plan.bytes + 2 * o->count * RACE_CELLS * 8 - current.lacking;
    }
    return status;
}

/* The way that is settled, or planned. */
static tsl_status find_way(tsl_poisson_summary *way, tsl_context *context, tsl_poisson_options *o)
{
    tsl_poisson_plan *plan = NULL;
    tsl_status status = bound_memory(o, context);
    if (status == TSL_OK && current.tuned) {
        status = tsl_poisson_tune(o, context);
        return status == TSL_OK ? tsl_poisson_predict(way, context, o) : status;
    }
    status = tsl_poisson_plan_create(&plan, context, o);
    if (status == TSL_OK) {
        tsl_poisson_plan_summary(plan, way);
    }
    tsl_poisson_plan_destroy(plan);
    return status;
}

static tsl_status run_race(tsl_context *context, void *user)
{
    tsl_comm *comm = context->comm;
    const tsl_device_ops *own = context->ops;
    tsl_device_ops ops = *own;
    tsl_poisson_ops poisson = *own_poisson;
    tsl_poisson_kernels kernels = {.multiply = NULL};
    tsl_poisson_summary way = {.ranks = {0, 0}};
    tsl_poisson_options o = race_options();
    (void)user;
    ways[comm->rank] = *own_comm_ops;
    ways[comm->rank].all_to_all = count_moves;
    poisson.create = note_way;
    poisson.solve = solve_slowly;
    if (poisson.kernels != NULL) {
        kernels = *poisson.kernels;
        kernels.multiply = multiply_slowly;
        poisson.kernels = &kernels;
    }
    ops.poisson = &poisson;
    comm->ops = &ways[comm->rank];
    context->ops = &ops;
    o.count = current.count;
    if (current.lines) { /* what alone is left open */
        memcpy(o.ranks, current.ranks, sizeof o.ranks);
        o.overlap = 1;
    }
    const tsl_status status = find_way(&way, context, &o);
    comm->ops = own_comm_ops;
    context->ops = own;
    const bool found = memcmp(way.ranks, current.ranks, sizeof way.ranks) == 0 &&
                       way.overlap == current.overlap && way.lines == current.lines;
    return status != TSL_OK || found == current.found
               ? status
               : tsl_comm_fail(comm, TSL_E_INTERNAL, "the fastest way is not what was settled");
}

static tsl_status try_race(tsl_comm *comm, void *user)
{
    own_comm_ops = comm->ops;
    return test_call_rank(comm, current.device, run_race, user);
}

/* Over two ranks; their boxes go with a way that is settled, and not with one that is planned. */
static void the_fastest_way_is_found(void **state)
{
    (void)state;
    const race races[] = {
        {"cpu", 1, -1, {1, 1}, .overlap = false, .tuned = true, .found = true},
        {"cpu", 1, -1, {1, 1}, .overlap = false, .tuned = false, .found = true},
        {"cpu", 1, -1, {2, 1}, .overlap = false, .tuned = true, .found = true},
        {"cpu", 1, -1, {1, 2}, .overlap = true, .tuned = true, .found = true},
        {"cpu", 3, 0, {1, 1}, .overlap = false, .tuned = true, .found = true},
        {"cpu", 3, 1, {1, 1}, .overlap = false, .tuned = true, .found = false},
        {"cpu", 1, -1, {1, 1}, .refused = true, .tuned = true, .found = false},
        {"sim", 1, -1, {2, 1}, .overlap = true, .lines = true, .tuned = true, .found = true}};
    for (size_t i = 0; i < sizeof races / sizeof *races; i++) {
        current = races[i];
        tsl_context *context = test_context(current.device, 1);
        own_poisson = context->ops->poisson;
        tsl_context_destroy(context);
        tsl_status status = TSL_E_INTERNAL; /* other programs may be in the way of one */
        for (int again = 0; again < RACES && status == TSL_E_INTERNAL; again++) {
            atomic_store(&moved, 0);
            status = tsl_comm_run(2, try_race, NULL);
            assert_int_equal(atomic_load(&moved) > 0, !current.tuned);
        }
        if (status != TSL_OK) {
            fail_msg("race %zu: %s", i, tsl_last_error(NULL));
        }
    }
}

/* ---- the rule ------------------------------------------------------------------------------- */

/* A rank whose rule is another's. */
static tsl_status plan_by_own_rule(tsl_context *context, void *user)
{
    const tsl_device_ops *own = context->ops;
    tsl_device_ops ops = *own;
    tsl_poisson_ops poisson = *own->poisson;
    tsl_poisson_kernels kernels = *poisson.kernels;
    const tsl_poisson_options o = small_box_options("ppp");
    tsl_poisson_plan *plan = NULL;
    atomic_int *refused = user;
    kernels.alone_bytes = context->comm->rank == 1 ? INT64_MAX : 0;
    poisson.kernels = &kernels;
    ops.poisson = &poisson;
    context->ops = &ops;
    const tsl_status status = tsl_poisson_plan_create(&plan, context, &o);
    if (status == TSL_E_UNSUPPORTED &&
        strstr(tsl_last_error(context), "would share the work as 2 x 1 and 1 x 1") != NULL) {
        atomic_fetch_add(refused, 1);
    }
    tsl_poisson_plan_destroy(plan);
    context->ops = own;
    return TSL_OK;
}

static tsl_status try_own_rule(tsl_comm *comm, void *user)
{
    return test_call_rank(comm, "sim", plan_by_own_rule, user);
}

static void ranks_of_other_rules_are_refused(void **state)
{
    (void)state;
    atomic_int refused = 0;
    assert_int_equal(tsl_comm_run(2, try_own_rule, &refused), TSL_OK);
    assert_int_equal(atomic_load(&refused), 2);
}

/* By the bytes of the waves: 16 x 16 x 9 numbers of a periodic box; of a free one, whose second
 * axis is padded, 16 x 32 x 17. */
static void the_rule_takes_one_where_several_are_slower(void **state)
{
    (void)state;
    tsl_context *context = test_context("sim", 1);
    const tsl_device_ops *own = context->ops;
    tsl_device_ops ops = *own;
    tsl_poisson_ops poisson = *own->poisson;
    tsl_poisson_kernels kernels = *poisson.kernels;
    const tsl_poisson_grid periodic = {
        .n = {16, 16, 16}, .m = {16, 16, 16}, .half = 9, .lines = true, .precision = TSL_DOUBLE};
    const tsl_poisson_grid padded = {.n = {16, 16, 16},
                                     .m = {32, 32, 32},
                                     .half = 17,
                                     .lines = true,
                                     .tabulated = true,
                                     .precision = TSL_DOUBLE};
    poisson.kernels = &kernels;
    ops.poisson = &poisson;
    context->ops = &ops;
    kernels.alone_bytes = 16 * 16 * 9 * 16;
    kernels.alone_padded_bytes = 16 * 32 * 17 * 16;
    assert_int_equal(tsl_staged_ranks(context, &periodic, 2), 2);
    assert_int_equal(tsl_staged_ranks(context, &padded, 2), 2);
    kernels.alone_bytes++;
    kernels.alone_padded_bytes++;
    assert_int_equal(tsl_staged_ranks(context, &periodic, 16), 1);
    assert_int_equal(tsl_staged_ranks(context, &padded, 7), 1);
    assert_int_equal(tsl_staged_ranks(context, &padded, 8), 8);
    kernels.alone_bytes = kernels.alone_padded_bytes; /* too little for any */
    assert_int_equal(tsl_staged_ranks(context, &padded, 8), 1);
    context->ops = own;
    tsl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_measured_plan_keeps_to_its_memory),
        cmocka_unit_test(what_is_far_is_measured), cmocka_unit_test(the_fastest_way_is_found),
        cmocka_unit_test(ranks_of_other_rules_are_refused),
        cmocka_unit_test(the_rule_takes_one_where_several_are_slower)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
