/* Searches that several ranks share: the poses of one, and what becomes of all when one stops or
 * fails. Checks in a rank are returned, since cmocka's leave only the main thread. */
/* ctest: cost 60, full with sanitizer address */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "comm/comm.h"
#include "device/device.h"
#include "solvers/dock/blob.h"
#include "solvers/dock/plan.h"
#include "solvers/dock/share.h"
#include "support/shortage.h"
#include "tesela/tesela.h"

enum {
    GRID = 40,
    ROTATIONS = 61,
    KEEP = 3,
    POSES = ROTATIONS * KEEP,
    MOST_RANKS = 7,
    LIGAND_ATOMS = 40
};

typedef enum task { SEARCH, RESCORE, STOP, FAIL, NO_MEMORY, BREAK, EXHAUST } task;

typedef struct trial {
    task what;
    const char *const *devices; /* ranks go round them */
    int device_count;
    int batch;     /* of rank 0; others take one more each */
    int fail_from; /* EXHAUST: this allocation of the search, and all after it, fail */
    atomic_int seen[ROTATIONS];
    tsl_pose expected[POSES];
    uint64_t potential; /* expected, see potential_of() */
    tsl_status status[MOST_RANKS];
    char error[MOST_RANKS][256];
    atomic_int wrong, ended;
} trial;

typedef struct rank_data {
    trial *t;
    tsl_comm *comm;
    int rank;
    int batches;
} rank_data;

/* A digest of the receptor's potential, in order; 0: it cannot be had. */
static uint64_t potential_of(const tsl_dock_plan *plan)
{
    tsl_context *context = plan->context;
    const size_t cells = (size_t)GRID * GRID * GRID;
    int32_t *potential = tsl_allocate(cells * sizeof *potential);
    uint64_t digest = 0;
    if (potential != NULL &&
        context->ops->download(context, potential, plan->receptor.potential,
                               (int64_t)(cells * sizeof *potential)) == TSL_OK) {
        digest = UINT64_C(14695981039346656037); /* FNV-1a */
        for (size_t i = 0; i < cells; i++) {
            digest = (digest ^ (uint32_t)potential[i]) * UINT64_C(1099511628211);
        }
    }
    tsl_release(potential);
    return digest;
}

static void slow_down(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 3000000}, NULL);
}

static int on_batch(void *user, int64_t first, int64_t count, const tsl_pose *poses)
{
    rank_data *data = user;
    trial *t = data->t;
    for (int64_t i = first; i < first + count; i++) {
        atomic_fetch_add(&t->seen[i], 1);
    }
    if (memcmp(poses, t->expected + first * KEEP, (size_t)count * KEEP * sizeof *poses) != 0) {
        atomic_fetch_add(&t->wrong, 1);
    }
    if (t->what == EXHAUST) {
        return 0;
    }
    const bool ends = t->what == STOP || t->what == BREAK;
    do {
        slow_down(); /* so that all ranks get something, and rank 1 enough to end it */
    } while (ends && data->rank != 1 && !atomic_load(&t->ended));
    if (!ends || data->rank != 1 || ++data->batches != 2) {
        return 0;
    }
    atomic_store(&t->ended, 1);
    if (t->what == BREAK) {
        tsl_comm_fail(data->comm, TSL_E_DEVICE, "the device is gone");
    }
    return 1;
}

static tsl_status use_plan(rank_data *data, tsl_context *context, tsl_dock_plan *plan)
{
    trial *t = data->t;
    tsl_rotation rotations[ROTATIONS];
    tsl_pose poses[POSES];
    tsl_rotations_spiral(rotations, ROTATIONS);
    memset(poses, 0, sizeof poses);
    if (t->what == FAIL && data->rank == 1) {
        rotations[ROTATIONS - 1].theta = -1;
    }
    if (t->what == NO_MEMORY && data->rank == 1) {
        return tsl_comm_fail(context->comm, TSL_E_NOMEM, "out of memory: so the test says");
    }
    if (t->what == EXHAUST) { /* whichever rank it hits */
        tsl_comm_barrier(context->comm);
        if (data->rank == 0) {
            tsl_test_fail_allocation(t->fail_from);
        }
    }
    if (t->what == RESCORE) {
        memcpy(poses, t->expected, sizeof poses);
        for (int i = 0; i < POSES; i++) {
            poses[i].energy = 7;
        }
        for (int i = 0; i < POSES; i++) { /* an empty slot has a score too */
            poses[i].score = t->expected[i].score > 0 ? -1 : 0;
        }
    }
    const tsl_status status =
        t->what == RESCORE ? tsl_dock_rescore(plan, poses, POSES)
                           : tsl_dock_search(plan, poses, rotations, ROTATIONS, on_batch, data);
    for (int i = 0; i < POSES && status == TSL_OK; i++) {
        const bool compared = t->what == SEARCH || t->expected[i].score > 0;
        if (compared && memcmp(&poses[i], &t->expected[i], sizeof poses[i]) != 0) {
            atomic_fetch_add(&t->wrong, 1);
        }
    }
    for (int i = 0; i < ROTATIONS && status == TSL_E_CANCELLED; i++) { /* what was seen is there */
        if (atomic_load(&t->seen[i]) > 0 &&
            memcmp(&poses[(int64_t)i * KEEP], &t->expected[(int64_t)i * KEEP],
                   KEEP * sizeof *poses) != 0) {
            atomic_fetch_add(&t->wrong, 1);
        }
    }
    return status;
}

static tsl_status use_context(rank_data *data, tsl_context *context)
{
    tsl_dock_options options = TSL_DOCK_OPTIONS_FTDOCK;
    options.grid = GRID;
    options.surface = 2.5;
    options.keep = KEEP;
    options.batch = data->t->batch + data->rank;
    tsl_molecule *receptor = test_blob(context, 1, BLOB_ATOMS, 14);
    tsl_molecule *ligand = test_blob(context, 2, LIGAND_ATOMS, 7);
    tsl_dock_plan *plan = NULL;
    tsl_status status = tsl_dock_plan_create(&plan, context, receptor, ligand, &options);
    if (status == TSL_OK && potential_of(plan) != data->t->potential) {
        atomic_fetch_add(&data->t->wrong, 1);
    }
    if (status == TSL_OK) {
        status = use_plan(data, context, plan);
    }
    tsl_dock_plan_destroy(plan);
    tsl_molecule_destroy(receptor);
    tsl_molecule_destroy(ligand);
    return status;
}

static tsl_status run_rank(tsl_comm *comm, void *user)
{
    trial *t = user;
    rank_data data = {.t = t, .comm = comm, .rank = tsl_comm_rank(comm)};
    tsl_context_options options = TSL_CONTEXT_OPTIONS_INIT;
    tsl_context *context = NULL;
    options.device = t->devices[data.rank % t->device_count];
    options.threads = 1;
    options.comm = comm;
    tsl_status status = tsl_context_create(&context, &options);
    if (status != TSL_OK) {
        return tsl_comm_fail(comm, status, tsl_last_error(NULL));
    }
    status = use_context(&data, context);
    t->status[data.rank] = status;
    snprintf(t->error[data.rank], sizeof t->error[0], "%s", tsl_last_error(context));
    tsl_context_destroy(context);
    return status == TSL_E_CANCELLED ? TSL_OK : status; /* which leaves the communicator whole */
}

/* The poses as one rank alone finds them, without a communicator. */
static void find_expected(trial *t)
{
    tsl_context *context = test_context("cpu", 1);
    tsl_dock_options options = TSL_DOCK_OPTIONS_FTDOCK;
    tsl_rotation rotations[ROTATIONS];
    options.grid = GRID;
    options.surface = 2.5;
    options.keep = KEEP;
    tsl_molecule *receptor = test_blob(context, 1, BLOB_ATOMS, 14);
    tsl_molecule *ligand = test_blob(context, 2, LIGAND_ATOMS, 7);
    tsl_dock_plan *plan = NULL;
    assert_int_equal(tsl_dock_plan_create(&plan, context, receptor, ligand, &options), TSL_OK);
    assert_int_equal(tsl_rotations_spiral(rotations, ROTATIONS), TSL_OK);
    assert_int_equal(tsl_dock_search(plan, t->expected, rotations, ROTATIONS, NULL, NULL), TSL_OK);
    t->potential = potential_of(plan);
    assert_true(t->potential != 0);
    tsl_dock_plan_destroy(plan);
    tsl_molecule_destroy(receptor);
    tsl_molecule_destroy(ligand);
    tsl_context_destroy(context);
}

static const char *const mixed[] = {"cpu", "sim", "cpu", "sim:reversed"};

static trial begin(task what, int batch)
{
    alarm(120);
    static trial expected;
    if (expected.potential == 0) {
        find_expected(&expected);
    }
    trial t = expected;
    t.what = what;
    t.devices = mixed;
    t.device_count = 4;
    t.batch = batch;
    return t;
}

/* CPUs that sum the potential together, and those that have it from sim. */
static void test_as_one(void **state)
{
    (void)state;
    static const int counts[] = {1, 2, 3, 7};
    for (size_t k = 0; k < 2 * sizeof counts / sizeof *counts; k++) {
        trial t = begin(SEARCH, 1 + (int)k % 3);
        t.device_count = k % 2 == 0 ? 4 : 1; /* the first of them is a CPU */
        assert_int_equal(tsl_comm_run(counts[k / 2], run_rank, &t), TSL_OK);
        assert_int_equal(t.wrong, 0);
        for (int i = 0; i < ROTATIONS; i++) {
            assert_int_equal(t.seen[i], 1); /* each done once, by one of them */
        }
    }
}

static void test_rescore(void **state)
{
    (void)state;
    for (int ranks = 1; ranks <= 4; ranks++) {
        trial t = begin(RESCORE, 2);
        assert_int_equal(tsl_comm_run(ranks, run_rank, &t), TSL_OK);
        assert_int_equal(t.wrong, 0);
    }
}

static void test_every_device(void **state)
{
    (void)state;
    trial t = begin(SEARCH, 2);
    t.devices = test_devices;
    t.device_count = test_device_count();
    assert_int_equal(tsl_comm_run(t.device_count, run_rank, &t), TSL_OK);
    assert_int_equal(t.wrong, 0);
}

static void test_stopped(void **state)
{
    (void)state;
    trial t = begin(STOP, 1);
    assert_int_equal(tsl_comm_run(3, run_rank, &t), TSL_OK);
    assert_int_equal(t.wrong, 0);
    int seen = 0;
    for (int i = 0; i < ROTATIONS; i++) {
        seen += t.seen[i];
    }
    assert_in_range(seen, 2, ROTATIONS - 1);
    for (int rank = 0; rank < 3; rank++) {
        assert_int_equal(t.status[rank], TSL_E_CANCELLED);
        assert_string_equal(t.error[rank], "the search was stopped");
    }
}

/* Rank 1 fails, before its search or in it: its line goes to all. */
static void test_failures(void **state)
{
    (void)state;
    static const struct {
        task what;
        tsl_status status;
        const char *line; /* its beginning */
    } cases[] = {{FAIL, TSL_E_ARG, "rank 1: rotation 60 (twist "},
                 {NO_MEMORY, TSL_E_NOMEM, "rank 1: out of memory: so the test says"},
                 {BREAK, TSL_E_DEVICE, "rank 1: the device is gone"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        trial t = begin(cases[k].what, 1);
        assert_int_equal(tsl_comm_run(3, run_rank, &t), cases[k].status);
        assert_memory_equal(tsl_last_error(NULL), cases[k].line, strlen(cases[k].line));
        for (int rank = 0; rank < 3; rank++) {
            assert_int_equal(t.status[rank],
                             rank == 1 && cases[k].what != BREAK ? cases[k].status : TSL_E_COMM);
            if (rank != 1) {
                assert_string_equal(t.error[rank], tsl_last_error(NULL));
            }
        }
    }
}

/* Memory that runs out in a search, on any rank: all end, and nothing is lost. */
static void test_exhausted(void **state)
{
    (void)state;
    int failures = 0;
    for (int k = 1;; k += test_shortage_step()) {
        trial t = begin(EXHAUST, 4);
        const int64_t live = tsl_test_live_allocations();
        t.fail_from = k;
        const tsl_status status = tsl_comm_run(2, run_rank, &t);
        const int64_t made = tsl_test_fail_allocation(0);
        assert_int_equal(tsl_test_live_allocations(), live);
        assert_int_equal(t.wrong, 0);
        if (status == TSL_OK && made < k) {
            break;
        }
        assert_true(status == TSL_OK || status == TSL_E_NOMEM);
        failures += status == TSL_E_NOMEM;
    }
    assert_in_range(failures, 5, 1000);
}

/* The set-up and search of a rank that lacks something; the others lack nothing. */
static tsl_status search_short(tsl_context *context, test_shortage *t)
{
    (void)t;
    tsl_dock_options options = TSL_DOCK_OPTIONS_FTDOCK;
    tsl_rotation rotations[ROTATIONS];
    tsl_pose poses[POSES];
    tsl_dock_plan *plan = NULL;
    options.grid = GRID;
    options.surface = 2.5;
    options.keep = KEEP;
    options.batch = 4;
    tsl_rotations_spiral(rotations, ROTATIONS);
    tsl_molecule *receptor = test_blob(context, 1, BLOB_ATOMS, 14);
    tsl_molecule *ligand = test_blob(context, 2, LIGAND_ATOMS, 7);
    tsl_status status = tsl_dock_plan_create(&plan, context, receptor, ligand, &options);
    if (status == TSL_OK) {
        status = tsl_dock_search(plan, poses, rotations, ROTATIONS, NULL, NULL);
    }
    tsl_dock_plan_destroy(plan);
    tsl_molecule_destroy(receptor);
    tsl_molecule_destroy(ligand);
    return status;
}

static void test_one_lacks(void **state)
{
    (void)state;
    static const test_resource resources[] = {TEST_HOST_MEMORY, TEST_DEVICE_MEMORY, TEST_DOWNLOADS};
    for (size_t i = 0; i < sizeof resources / sizeof *resources; i++) {
        test_shortage t = {.device = "cpu",
                           .ranks = 2,
                           .lacking = (int)i % 2,
                           .what = resources[i],
                           .call = search_short};
        assert_true(test_shortage_try_all(&t) > 1);
    }
}

/* ---- a potential that takes long ----------------------------------------------------------- */

static atomic_int rows_done; /* by rank 0 */

/* Rank 0 has seconds to do, rank 1 a device that fails. */
static tsl_status slow_or_failing(tsl_context *context, const tsl_dock_geometry *g,
                                  const tsl_dock_atoms *atoms, const int16_t *shape, int core,
                                  int64_t first, int64_t count, int32_t *potential, double *largest)
{
    (void)g, (void)atoms, (void)shape, (void)core, (void)first, (void)potential, (void)largest;
    if (context->comm->rank == 1) {
        while (atomic_load(&rows_done) == 0) {
            slow_down();
        }
        return tsl_fail(context, TSL_E_DEVICE, "the device is gone");
    }
    for (int64_t i = 0; i < count; i++) {
        slow_down();
    }
    atomic_fetch_add(&rows_done, (int)count);
    return TSL_OK;
}

static tsl_status make_slow_plan(tsl_comm *comm, void *user)
{
    (void)user;
    tsl_context *context = NULL;
    tsl_status status = test_rank_context(&context, comm, "cpu");
    if (status != TSL_OK) {
        return status;
    }
    tsl_dock_ops dock = *context->ops->dock;
    tsl_device_ops ops = *context->ops;
    const tsl_device_ops *const own = context->ops;
    dock.potential = slow_or_failing;
    ops.dock = &dock;
    context->ops = &ops;
    tsl_dock_options options = TSL_DOCK_OPTIONS_FTDOCK;
    options.grid = GRID;
    options.surface = 2.5;
    tsl_molecule *receptor = test_blob(context, 1, BLOB_ATOMS, 14);
    tsl_molecule *ligand = test_blob(context, 2, LIGAND_ATOMS, 7);
    tsl_dock_plan *plan = NULL;
    status = tsl_dock_plan_create(&plan, context, receptor, ligand, &options);
    tsl_dock_plan_destroy(plan);
    tsl_molecule_destroy(receptor);
    tsl_molecule_destroy(ligand);
    context->ops = own;
    tsl_context_destroy(context);
    return status;
}

/* A rank does not go on with its part for long when another has failed. */
static void test_potential_ends(void **state)
{
    (void)state;
    alarm(120);
    atomic_store(&rows_done, 0);
    assert_int_equal(tsl_comm_run(2, make_slow_plan, NULL), TSL_E_DEVICE);
    assert_string_equal(tsl_last_error(NULL), "rank 1: the device is gone");
    assert_in_range(rows_done, 1, GRID * GRID / 4);
}

/* ---- what all know of each other ------------------------------------------------------------- */

/* Mark the transform of rank 1 as inexact after its first batch. */
static int spoil(void *user, int64_t first, int64_t count, const tsl_pose *poses)
{
    tsl_dock_plan *plan = user;
    (void)count;
    (void)poses;
    if (plan->context->comm->rank == 1 && first < ROTATIONS - 1 &&
        plan->correlation.precision == TSL_SINGLE) {
        plan->summary.transform_error = TSL_TRANSFORM_ERROR_LIMIT;
    }
    return 0;
}

static tsl_status spoil_one(tsl_comm *comm, void *user)
{
    static const double parts[] = {1, 1};
    tsl_context *context = NULL;
    tsl_dock_options options = TSL_DOCK_OPTIONS_FTDOCK;
    tsl_dock_plan *plan = NULL;
    tsl_rotation rotations[ROTATIONS];
    tsl_pose poses[POSES];
    (void)user;
    options.grid = GRID;
    options.surface = 2.5;
    options.batch = 1;
    tsl_rotations_spiral(rotations, ROTATIONS);
    tsl_status status = test_rank_context(&context, comm, "cpu");
    if (status != TSL_OK) {
        return status;
    }
    tsl_molecule *receptor = test_blob(context, 1, BLOB_ATOMS, 14);
    tsl_molecule *ligand = test_blob(context, 2, LIGAND_ATOMS, 7);
    TSL_TRY(tsl_dock_plan_create(&plan, context, receptor, ligand, &options));
    tsl_dock_share_in_parts(plan, parts);
    TSL_TRY(tsl_dock_search(plan, poses, rotations, ROTATIONS, spoil, plan));
    if (plan->summary.double_precision != 1 ||
        (plan->correlation.precision == TSL_DOUBLE) != (comm->rank == 1)) {
        status = tsl_comm_fail(comm, TSL_E_INTERNAL, "a rank does not know of the other");
    }
done:
    tsl_dock_plan_destroy(plan);
    tsl_molecule_destroy(receptor);
    tsl_molecule_destroy(ligand);
    tsl_context_destroy(context);
    return status;
}

/* The summary of each rank says that one of them has gone on in double precision. */
static void test_one_in_double(void **state)
{
    (void)state;
    alarm(60);
    if (tsl_comm_run(2, spoil_one, NULL) != TSL_OK) {
        fail_msg("%s", tsl_last_error(NULL));
    }
}

/* ---- processes ----------------------------------------------------------------------------- */

/* One of a host's processes measures transforms, and all do them in the same ways. */
static tsl_status measure_once(tsl_comm *comm)
{
    const int64_t before = tsl_test_fft_measured();
    tsl_context *context = NULL;
    tsl_dock_options options = TSL_DOCK_OPTIONS_FTDOCK;
    tsl_dock_plan *plan = NULL;
    tsl_dock_summary summary;
    options.grid = GRID;
    options.surface = 2.5;
    tsl_status status = test_rank_context(&context, comm, "cpu");
    if (status != TSL_OK) {
        return status;
    }
    tsl_molecule *receptor = test_blob(context, 1, BLOB_ATOMS, 14);
    tsl_molecule *ligand = test_blob(context, 2, LIGAND_ATOMS, 7);
    status = tsl_dock_plan_create(&plan, context, receptor, ligand, &options);
    bool same = false;
    if (status == TSL_OK) {
        tsl_dock_plan_summary(plan, &summary);
        status = tsl_comm_compare(&same, comm, summary.transposed);
    }
    const bool measured = tsl_test_fft_measured() > before;
    if (status == TSL_OK && (!same || measured != (comm->rank == 0))) {
        fprintf(stderr, "rank %d has %smeasured, %s\n", comm->rank, measured ? "" : "not ",
                same ? "all go the same ways" : "ways differ");
        status = tsl_comm_fail(comm, TSL_E_INTERNAL, "not measured once");
    }
    tsl_dock_plan_destroy(plan);
    tsl_molecule_destroy(receptor);
    tsl_molecule_destroy(ligand);
    tsl_context_destroy(context);
    return status;
}

/* Run as a rank of tests/mpi/test_dock_ranks.sh. */
static int launched(void)
{
    tsl_comm *comm = NULL;
    setenv(TSL_FFT_EFFORT_VARIABLE, "measure", 1);
    tsl_status status = tsl_comm_create(&comm);
    if (status == TSL_OK) {
        status = measure_once(comm);
    }
    tsl_comm_destroy(comm);
    return status == TSL_OK ? 0 : 1;
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "launched") == 0) {
        return launched();
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_as_one),        cmocka_unit_test(test_rescore),
        cmocka_unit_test(test_every_device),  cmocka_unit_test(test_stopped),
        cmocka_unit_test(test_failures),      cmocka_unit_test(test_exhausted),
        cmocka_unit_test(test_one_lacks),     cmocka_unit_test(test_potential_ends),
        cmocka_unit_test(test_one_in_double),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
