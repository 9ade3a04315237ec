/* Docking when memory runs out, and over many batches, on each device. */
/* ctest: cost 60, full with sanitizers */
#include <string.h>

#include "comm/comm.h"
#include "solvers/dock/share.h"
#include "support/devices.h"
#include "tesela/tesela.h"

enum {
    ATOMS = 60,
    SMALL = 20,
    ROTATIONS = 3,
    KEEP = 2,
    GRID = 24,
    BATCHES = 1000,
    TINY = 16,
    SEARCHES = 5
};

/* Atoms in a ball around a point, some of them charged. */
static tsl_molecule *ball(tsl_context *context, uint64_t seed, int count, double radius)
{
    double positions[3 * ATOMS], charges[ATOMS];
    for (int i = 0; i < count;) {
        double *p = positions + 3 * i, square = 0;
        for (int axis = 0; axis < 3; axis++) {
            p[axis] = radius * test_uniform(&seed);
            square += p[axis] * p[axis];
        }
        charges[i] = i % 3 == 0 ? 0.5 * test_uniform(&seed) : 0;
        i += square < radius * radius;
    }
    tsl_molecule *molecule = NULL;
    assert_int_equal(tsl_molecule_create(&molecule, context, count, positions, charges), TSL_OK);
    return molecule;
}

typedef struct pairs {
    tsl_molecule *receptors[2], *ligands[2];
    tsl_rotation rotations[ROTATIONS];
    tsl_pose poses[4][ROTATIONS * KEEP]; /* of each step of use_a_plan() */
} pairs;

static void make_pairs(pairs *p, tsl_context *context)
{
    memset(p, 0, sizeof *p);
    for (uint64_t i = 0; i < 2; i++) {
        p->receptors[i] = ball(context, 1 + i, ATOMS, 9 + (double)i);
        p->ligands[i] = ball(context, 3 + i, SMALL, 5);
    }
    assert_int_equal(tsl_rotations_spiral(p->rotations, ROTATIONS), TSL_OK);
}

static void free_pairs(pairs *p)
{
    for (int i = 0; i < 2; i++) {
        tsl_molecule_destroy(p->receptors[i]);
        tsl_molecule_destroy(p->ligands[i]);
    }
}

static tsl_status search(tsl_dock_plan *plan, pairs *p, int step)
{
    return tsl_dock_search(plan, p->poses[step], p->rotations, ROTATIONS, NULL, NULL);
}

/* Everything a plan can be asked for that takes memory. */
static tsl_status use_a_plan(tsl_context *context, void *user)
{
    pairs *p = user;
    tsl_dock_options options = TSL_DOCK_OPTIONS_FTDOCK;
    options.grid = GRID;
    options.surface = 2.5;
    options.keep = KEEP;
    options.batch = 2;
    tsl_dock_plan *plan = NULL;
    tsl_status status =
        tsl_dock_plan_create(&plan, context, p->receptors[0], p->ligands[0], &options);
    if (status == TSL_OK) {
        status = search(plan, p, 0);
    }
    if (status == TSL_OK) {
        status = tsl_dock_plan_update(plan, p->receptors[0], p->ligands[1]);
    }
    if (status == TSL_OK) {
        status = search(plan, p, 1);
    }
    if (status == TSL_OK) {
        status = tsl_dock_plan_update(plan, p->receptors[1], p->ligands[1]);
    }
    if (status == TSL_OK) {
        status = search(plan, p, 2);
    }
    if (status == TSL_OK) {
        status = tsl_dock_use_double(plan);
    }
    if (status == TSL_OK) {
        status = search(plan, p, 3);
    }
    if (status == TSL_OK) {
        status = tsl_dock_rescore(plan, p->poses[3], ROTATIONS * KEEP);
    }
    tsl_dock_plan_destroy(plan);
    return status;
}

static void docking_survives_no_memory(void **state)
{
    (void)state;
    static pairs expected, found;
    const int devices = test_device_count();
    for (int d = 0; d < devices; d++) {
        if (test_is_another_order(test_devices[d])) {
            continue;
        }
        tsl_context *context = test_context(test_devices[d], 1);
        pairs *p = d == 0 ? &expected : &found;
        make_pairs(p, context);
        const int made = test_survives_no_memory(context, use_a_plan, p);
        print_message("%s: %d device allocations\n", test_devices[d], made);
        assert_true(made > 20);
        assert_memory_equal(p->poses, expected.poses, sizeof p->poses);
        assert_true(p->poses[0][0].score > 0);
        free_pairs(p);
        tsl_context_destroy(context);
    }
}

/* A plan whose update found no memory is void, and the next update makes it good again. */
static void plans_survive_failed_updates(void **state)
{
    (void)state;
    const int devices = test_device_count();
    for (int d = 0; d < devices; d++) {
        if (test_is_another_order(test_devices[d])) {
            continue;
        }
        tsl_context *context = test_context(test_devices[d], 1);
        tsl_dock_options options = TSL_DOCK_OPTIONS_FTDOCK;
        options.grid = GRID;
        options.surface = 2.5;
        options.keep = KEEP;
        pairs p;
        make_pairs(&p, context);
        tsl_dock_plan *plan = NULL;
        assert_int_equal(
            tsl_dock_plan_create(&plan, context, p.receptors[0], p.ligands[0], &options), TSL_OK);
        assert_int_equal(search(plan, &p, 0), TSL_OK);
        tsl_test_fail_device_allocation(context, 1);
        assert_int_equal(tsl_dock_plan_update(plan, p.receptors[1], p.ligands[1]), TSL_E_NOMEM);
        tsl_test_fail_device_allocation(context, 0);
        assert_int_equal(context->memory.live, 0);
        assert_int_equal(search(plan, &p, 1), TSL_E_ARG);
        assert_int_equal(tsl_dock_plan_update(plan, p.receptors[0], p.ligands[0]), TSL_OK);
        assert_int_equal(search(plan, &p, 1), TSL_OK);
        assert_memory_equal(p.poses[0], p.poses[1], sizeof p.poses[0]);
        tsl_dock_plan_destroy(plan);
        free_pairs(&p);
        tsl_context_destroy(context);
    }
}

/* What is held, and what the device says is free, after each batch. */
typedef struct watch {
    tsl_context *context;
    int batches;
    tsl_device_memory first, last;
    int64_t host_first, host_last;
    tsl_device_properties properties_first, properties_last;
} watch;

static int look(void *user, int64_t first, int64_t count, const tsl_pose *poses)
{
    (void)first;
    (void)poses;
    watch *w = user;
    assert_int_equal(count, 1);
    const bool begin = ++w->batches == 1;
    *(begin ? &w->first : &w->last) = w->context->memory;
    if (w->batches < BATCHES) { /* the next batch is queued each time, but after the last */
        *(begin ? &w->host_first : &w->host_last) = tsl_test_live_allocations();
    }
    if (begin || w->batches == BATCHES) {
        w->context->ops->properties(w->context->device,
                                    begin ? &w->properties_first : &w->properties_last);
    }
    return 0;
}

/* What the device has free is the same after many batches. Other programs on it take and give too,
 * so once in a few searches will do: batches that take memory do it in each. */
static void search_many(watch *w, tsl_dock_plan *plan, bool looks_at_device)
{
    static tsl_rotation rotations[BATCHES];
    static tsl_pose poses[BATCHES];
    const int64_t planned = w->context->memory.bytes;
    bool same = !looks_at_device;
    assert_true(planned > 0);
    assert_int_equal(tsl_rotations_spiral(rotations, BATCHES), TSL_OK);
    for (int searches = 0; searches == 0 || (!same && searches < SEARCHES); searches++) {
        *w = (watch){.context = w->context};
        assert_int_equal(tsl_dock_search(plan, poses, rotations, BATCHES, look, w), TSL_OK);
        assert_int_equal(w->batches, BATCHES);
        assert_int_equal(w->first.bytes, planned);
        assert_int_equal(w->last.bytes, planned);
        assert_int_equal(w->last.live, w->first.live);
        assert_int_equal(w->last.asked, w->first.asked); /* none in between either */
        assert_int_equal(w->host_last, w->host_first);
        same = same || w->properties_last.memory_free == w->properties_first.memory_free;
    }
    assert_true(same);
}

static void batches_take_no_memory(void **state)
{
    (void)state;
    const int devices = test_device_count();
    for (int d = 0; d < devices; d++) {
        if (test_is_another_order(test_devices[d])) {
            continue;
        }
        watch w = {.context = test_context(test_devices[d], 1)};
        tsl_dock_options options = TSL_DOCK_OPTIONS_FTDOCK;
        options.grid = TINY;
        options.surface = 2.5;
        options.keep = 1;
        options.batch = 1;
        tsl_molecule *receptor = ball(w.context, 5, 12, 4);
        tsl_molecule *ligand = ball(w.context, 6, 4, 2);
        tsl_dock_plan *plan = NULL;
        if (tsl_dock_plan_create(&plan, w.context, receptor, ligand, &options) != TSL_OK) {
            fail_msg("%s", tsl_last_error(w.context));
        }
        search_many(&w, plan, d > 0);
        tsl_dock_plan_destroy(plan);
        tsl_molecule_destroy(receptor);
        tsl_molecule_destroy(ligand);
        tsl_context_destroy(w.context);
    }
}

/* ---- what a plan says that it takes ---------------------------------------------------------- */

/* LITTLE: bytes of records, of roots of unity and of what is queued on sim */
enum { RANKS = 2, WIDE = 64, LITTLE = 64 * 1024 };

typedef struct taking {
    const char *devices[RANKS];
    int ranks;
    tsl_electrostatics electrostatics;
    int batch;
    int64_t said[RANKS], taken[RANKS];
} taking;

static _Thread_local const tsl_device_ops *own_ops; /* of this rank */
static _Thread_local tsl_context *own_context;
static _Thread_local int64_t device_peak;

static void *allocate(tsl_device *device, int64_t bytes, bool passing)
{
    const int64_t held = own_context->memory.bytes + bytes;
    device_peak = held > device_peak ? held : device_peak;
    return own_ops->allocate(device, bytes, passing);
}

static tsl_status plan_and_search(tsl_context *context, taking *t)
{
    static const tsl_rotation rotations[RANKS] = {{.theta = 30000000}, {.phi = 10000000}};
    tsl_pose poses[RANKS];
    tsl_dock_options options = TSL_DOCK_OPTIONS_FTDOCK;
    tsl_dock_summary summary;
    tsl_dock_plan *plan = NULL;
    options.grid = WIDE;
    options.surface = 2.5;
    options.keep = 1;
    options.batch = t->batch;
    options.electrostatics = t->electrostatics;
    tsl_molecule *receptor = ball(context, 1, ATOMS, 9);
    tsl_molecule *ligand = ball(context, 3, SMALL, 5);
    tsl_test_own_peak();
    tsl_status status = tsl_dock_plan_create(&plan, context, receptor, ligand, &options);
    if (status == TSL_OK) {
        static const double equal[RANKS] = {1, 1};
        tsl_dock_share_in_parts(plan, equal);
        status = tsl_dock_search(plan, poses, rotations, t->ranks, NULL, NULL);
    }
    if (status == TSL_OK) {
        tsl_dock_plan_summary(plan, &summary);
        t->said[context->comm->rank] = summary.bytes;
    }
    t->taken[context->comm->rank] = tsl_test_own_peak() + device_peak;
    tsl_dock_plan_destroy(plan);
    tsl_molecule_destroy(receptor);
    tsl_molecule_destroy(ligand);
    return status;
}

static tsl_status take_as_rank(tsl_comm *comm, void *user)
{
    taking *t = user;
    tsl_context *context = NULL;
    tsl_status status = test_rank_context(&context, comm, t->devices[comm->rank]);
    if (status != TSL_OK) {
        return status;
    }
    tsl_device_ops ops = *context->ops;
    own_ops = context->ops;
    own_context = context;
    device_peak = 0;
    if (ops.peer != NULL) { /* a CPU's memory is the host's */
        ops.allocate = allocate;
    }
    context->ops = &ops;
    status = plan_and_search(context, t);
    context->ops = own_ops;
    tsl_context_destroy(context);
    return status;
}

/* No less than it takes at any time, set-up included, and not much more. */
static void plans_take_what_they_say(void **state)
{
    (void)state;
    static const taking cases[] = {{.devices = {"cpu"}, .ranks = 1, .batch = 1},
                                   {.devices = {"cpu"}, .ranks = 1, .batch = 3},
                                   {.devices = {"sim"}, .ranks = 1, .batch = 1},
                                   {.devices = {"sim"}, .ranks = 1, .batch = 3},
                                   {.devices = {"cpu", "cpu"}, .ranks = 2, .batch = 2},
                                   {.devices = {"sim", "sim"}, .ranks = 2, .batch = 2},
                                   {.devices = {"sim", "cpu"}, .ranks = 2, .batch = 1},
                                   {.devices = {"cpu", "sim"}, .ranks = 2, .batch = 1}};
    for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
        taking t = cases[i / 2];
        t.electrostatics = i % 2 == 0 ? TSL_ELECTROSTATICS_FTDOCK : TSL_ELECTROSTATICS_OFF;
        assert_int_equal(tsl_comm_run(t.ranks, take_as_rank, &t), TSL_OK);
        for (int rank = 0; rank < t.ranks; rank++) {
            if (t.said[rank] + LITTLE < t.taken[rank] || 10 * t.said[rank] > 11 * t.taken[rank]) {
                fail_msg("case %zu, %s: takes %lld bytes, said %lld", i, t.devices[rank],
                         (long long)t.taken[rank], (long long)t.said[rank]);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(docking_survives_no_memory),
                                       cmocka_unit_test(plans_survive_failed_updates),
                                       cmocka_unit_test(batches_take_no_memory),
                                       cmocka_unit_test(plans_take_what_they_say)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
