/* EP and CG by several ranks: EP's answers are those of one rank to the last bit, and so are CG's
 * on the CPU; a rank that fails ends all. Checks in a rank are returned, since cmocka's leave only
 * the main thread. */
/* ctest: cost 60, full with sanitizer address */
#include "support/shortage.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "comm/comm.h"
#include "device/plugin.h"
#include "solvers/npb/cg.h"
#include "solvers/npb/ep.h"
#include "tesela/npb.h"

enum { MOST_RANKS = 90 };

typedef struct trial {
    bool is_cg;
    char size_class;
    const char *const *devices; /* ranks go round them */
    int device_count;
    int fail_from; /* this allocation after the ranks have met, and all after it, fail; 0: none */
    tsl_npb_ep ep[MOST_RANKS];
    tsl_npb_cg cg[MOST_RANKS];
    tsl_status status[MOST_RANKS];
    char error[MOST_RANKS][256];
} trial;

static tsl_status run_rank(tsl_comm *comm, void *user)
{
    trial *t = user;
    const int rank = tsl_comm_rank(comm);
    tsl_context *context = NULL;
    tsl_status status = test_rank_context(&context, comm, t->devices[rank % t->device_count]);
    if (status != TSL_OK) {
        return status;
    }
    if (t->fail_from > 0) { /* whichever rank it hits */
        tsl_comm_barrier(comm);
        if (rank == 0) {
            tsl_test_fail_allocation(t->fail_from);
        }
    }
    status = t->is_cg ? tsl_npb_cg_run(&t->cg[rank], context, t->size_class)
                      : tsl_npb_ep_run(&t->ep[rank], context, t->size_class);
    t->status[rank] = status;
    snprintf(t->error[rank], sizeof t->error[0], "%s", tsl_last_error(context));
    tsl_context_destroy(context);
    return status;
}

static tsl_status run(trial *t, int ranks)
{
    alarm(240);
    return tsl_comm_run(ranks, run_rank, t);
}

static const char *const mixed[] = {"cpu", "sim", "cpu", "sim:reversed"};
static const char *const cpus[] = {"cpu"};
static const char *const sims[] = {"sim", "sim:strided"};

/* ---- EP ----------------------------------------------------------------------------------- */

static void check_ep(const tsl_npb_ep *ep, const tsl_npb_ep *alone)
{
    assert_int_equal(ep->verified, 1);
    assert_true(ep->sx == alone->sx && ep->sy == alone->sy);
    assert_true(ep->sx_abs == alone->sx_abs && ep->sy_abs == alone->sy_abs);
    assert_int_equal(ep->gaussians, 13176389);
    assert_memory_equal(ep->counts, alone->counts, sizeof ep->counts);
}

static void ep_is_the_same_for_any_ranks(void **state)
{
    (void)state;
    static const int counts[] = {2, 3, 4, 7};
    tsl_npb_ep alone;
    tsl_context *context = test_context("cpu", 1);
    assert_int_equal(tsl_npb_ep_run(&alone, context, 'S'), TSL_OK);
    tsl_context_destroy(context);
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
        trial t = {.size_class = 'S', .devices = mixed, .device_count = k == 1 ? 2 : 1};
        assert_int_equal(run(&t, counts[k]), TSL_OK);
        for (int q = 0; q < counts[k]; q++) {
            check_ep(&t.ep[q], &alone);
            assert_true(t.ep[q].seconds == t.ep[0].seconds); /* the slowest one's */
        }
    }
}

/* ---- CG ----------------------------------------------------------------------------------- */

static void rows_are_dealt_out_once(void **state)
{
    (void)state;
    for (const char *name = "SWABCDE"; *name != '\0'; name++) {
        const int64_t all = tsl_cg_find_class(*name)->rows;
        for (int size = 1; size <= TSL_CG_RANKS; size++) {
            int64_t next = 0;
            for (int q = 0; q < size; q++) {
                const tsl_cg_rows rows = tsl_cg_rows_of(all, q, size);
                assert_int_equal(rows.all, all);
                assert_int_equal(rows.first, next);
                assert_true(rows.count > 0);
                /* as even as pieces are */
                assert_true(size > 16 || fabs((double)rows.count * size / (double)all - 1) < 0.13);
                next += rows.count;
            }
            assert_int_equal(next, all);
        }
    }
}

static void check_cg(char size_class, const int *counts, size_t trials)
{
    tsl_npb_cg alone;
    tsl_context *context = test_context("cpu", 1);
    assert_int_equal(tsl_npb_cg_run(&alone, context, size_class), TSL_OK);
    tsl_context_destroy(context);
    for (size_t k = 0; k < trials; k++) {
        trial t = {.is_cg = true, .size_class = size_class, .devices = cpus, .device_count = 1};
        assert_int_equal(run(&t, counts[k]), TSL_OK);
        for (int q = 0; q < counts[k]; q++) {
            assert_int_equal(t.cg[q].verified, 1);
            assert_int_equal(t.cg[q].nonzeros, alone.nonzeros);
            assert_true(t.cg[q].zeta == alone.zeta && t.cg[q].rnorm == alone.rnorm);
            assert_true(t.cg[q].seconds == t.cg[0].seconds);
        }
    }
}

/* By rows and, from class W on, by blocks of columns, however few rows a rank has. */
static void cg_is_the_same_for_any_ranks(void **state)
{
    (void)state;
    static const int counts[] = {2, 3, 4, 7};
    check_cg('S', counts, sizeof counts / sizeof *counts);
#ifndef __SANITIZE_THREAD__
    check_cg('W', (const int[]){MOST_RANKS}, 1);
#endif
}

static void cg_runs_on_device_memory(void **state)
{
    (void)state;
#ifdef __SANITIZE_THREAD__
    skip(); /* minutes; comm/device looks for races there */
#endif
    trial t = {.is_cg = true, .size_class = 'S', .devices = sims, .device_count = 2};
    assert_int_equal(run(&t, 2), TSL_OK);
    assert_int_equal(t.cg[0].verified, 1);
    assert_int_equal(t.cg[0].nonzeros, 78148);
    assert_true(t.cg[0].error < 1e-12 && t.cg[0].rnorm < 1e-13);
    assert_true(t.cg[1].zeta == t.cg[0].zeta && t.cg[1].rnorm == t.cg[0].rnorm);
}

/* Where ranks have a GPU each, they read each other's vectors. */
static void cg_runs_on_several_gpus(void **state)
{
    (void)state;
    static const char *const gpus[] = {"cuda:0", "cuda:1", "cuda:2", "cuda:3"};
    int count = 0;
    char reason[256];
    if (tsl_plugin_cuda(&count, reason, sizeof reason) == NULL || count < 2) {
        skip();
    }
    for (int ranks = 2; ranks <= count && ranks <= 4; ranks++) {
        trial t = {.is_cg = true, .size_class = 'W', .devices = gpus, .device_count = ranks};
        assert_int_equal(run(&t, ranks), TSL_OK);
        assert_int_equal(t.cg[0].verified, 1);
        assert_true(t.cg[0].error < 1e-12 && t.cg[0].rnorm < 1e-13);
        assert_true(t.cg[1].zeta == t.cg[0].zeta && t.cg[1].rnorm == t.cg[0].rnorm);
    }
}

/* Collect vectors as three ranks on one device do. */
static void vectors_of_peers_are_collected(void **state)
{
    (void)state;
    enum { ROWS = 3000, RANKS = 3 };
    static const int64_t first[] = {0, 1000, 2000, ROWS}; /* of one length: they change places */
    const int devices = test_device_count();
    uint64_t seed = 41;
    double partial[3 * TSL_CG_PARTIALS];
    double vector[ROWS], whole[ROWS], sums[2] = {0};
    for (int i = 0; i < ROWS; i++) {
        vector[i] = test_uniform(&seed);
    }
    for (int i = 0; i < 2 * TSL_CG_PARTIALS; i++) {
        partial[i] = 1 + test_uniform(&seed);
        sums[i / TSL_CG_PARTIALS] += partial[i];
    }
    for (int d = 1; d < devices; d++) {
        tsl_context *context = test_context(test_devices[d], 1);
        const tsl_cg_ops *cg = context->ops->cg;
        double *rows = test_upload(context, vector, sizeof vector);
        tsl_cg_peers peers = {.ranks = RANKS, .whole = test_upload(context, vector, sizeof vector)};
        const tsl_cg_vectors v = {.partial = test_upload(context, partial, sizeof partial)};
        memcpy(peers.first, first, sizeof first);
        for (int q = 0; q < RANKS; q++) { /* not where they are in the whole */
            peers.r[q] = rows + first[(q + 1) % RANKS];
        }
        assert_int_equal(cg->collect(context, &peers, peers.r), TSL_OK);
        test_download(context, whole, peers.whole, sizeof whole);
        for (int q = 0; q < RANKS; q++) {
            for (int64_t i = first[q]; i < first[q + 1]; i++) {
                assert_true(whole[i] == vector[first[(q + 1) % RANKS] + i - first[q]]);
            }
        }
        assert_int_equal(cg->turn_whole(context, &v, &peers, 0), TSL_OK);
        test_download(context, whole, peers.whole, sizeof whole);
        for (int q = 0; q < RANKS; q++) {
            for (int64_t i = first[q]; i < first[q + 1]; i++) {
                const double r = vector[first[(q + 1) % RANKS] + i - first[q]];
                assert_true(fabs(whole[i] - (r + sums[1] / sums[0] * r)) < 1e-13);
            }
        }
        test_release(context, rows);
        test_release(context, peers.whole);
        test_release(context, v.partial);
        tsl_context_destroy(context);
    }
}

/* ---- what goes wrong ---------------------------------------------------------------------- */

static void kinds_of_devices_do_not_mix_in_cg(void **state)
{
    (void)state;
    trial t = {.is_cg = true, .size_class = 'S', .devices = mixed, .device_count = 2};
    assert_int_equal(run(&t, 3), TSL_E_UNSUPPORTED);
    assert_non_null(strstr(tsl_last_error(NULL), "rank 1: CG's ranks are on 'cpu' and on 'sim'"));
    assert_int_equal(t.status[1], TSL_E_UNSUPPORTED);
    assert_int_equal(t.status[0], TSL_E_COMM);
    assert_non_null(strstr(t.error[0], "rank 1: CG's ranks"));
}

static void a_class_that_is_none_ends_all(void **state)
{
    (void)state;
    for (int is_cg = 0; is_cg < 2; is_cg++) {
        trial t = {.is_cg = is_cg != 0, .size_class = 'Q', .devices = cpus, .device_count = 1};
        assert_int_equal(run(&t, 3), TSL_E_ARG);
        assert_non_null(strstr(tsl_last_error(NULL), "class 'Q'"));
    }
}

/* EP on a slow device: a batch is a millisecond. Rank 1 fails after a while; `longest` is the most
 * batches that rank 0 was busy with before it could hear of it. */
static atomic_long longest;
static double begun;

static tsl_status slow_tally(tsl_context *context, int64_t first, int64_t count, int64_t *totals)
{
    (void)first;
    (void)totals;
    usleep((useconds_t)(1000 * count));
    if (tsl_comm_rank(context->comm) == 1) {
        return tsl_seconds() - begun < 0.8 ? TSL_OK : tsl_fail(context, TSL_E_DEVICE, "burnt");
    }
    if (count > atomic_load(&longest)) {
        atomic_store(&longest, count);
    }
    return TSL_OK;
}

static tsl_status run_slow_rank(tsl_comm *comm, void *user)
{
    tsl_device_ops ops;
    tsl_context *context = NULL;
    tsl_npb_ep ep;
    (void)user;
    tsl_status status = test_rank_context(&context, comm, "cpu");
    if (status != TSL_OK) {
        return status;
    }
    const tsl_device_ops *own = context->ops;
    tsl_ep_ops slow = *own->ep;
    slow.tally = slow_tally;
    ops = *own;
    ops.ep = &slow;
    context->ops = &ops;
    status = tsl_npb_ep_run(&ep, context, 'D');
    context->ops = own;
    tsl_context_destroy(context);
    return status;
}

static void ep_hears_of_failures_within_a_chunk(void **state)
{
    (void)state;
    alarm(60);
    begun = tsl_seconds();
    assert_int_equal(tsl_comm_run(2, run_slow_rank, NULL), TSL_E_DEVICE);
    assert_non_null(strstr(tsl_last_error(NULL), "rank 1: burnt"));
    assert_in_range(atomic_load(&longest), 64, 200);
}

/* Rank 1 fails while rank 0 makes a matrix by itself, for a second at least. */
static tsl_status make_a_matrix(tsl_context *context, void *user)
{
    tsl_status *heard = user;
    if (context->comm->rank == 1) {
        usleep(100000);
        return tsl_comm_refuse(context, tsl_fail(context, TSL_E_NOMEM, "out of memory"));
    }
    const tsl_cg_class *what = tsl_cg_find_class('C');
    tsl_csr matrix = {0};
    *heard = tsl_cg_matrix(&matrix, context, what, 0, what->rows);
    tsl_csr_free(&matrix);
    return strstr(tsl_last_error(context), "rank 1: out of memory") != NULL ? *heard
                                                                            : TSL_E_INTERNAL;
}

static tsl_status run_maker(tsl_comm *comm, void *user)
{
    return test_call_rank(comm, "cpu", make_a_matrix, user);
}

static void cg_hears_of_failures_while_it_makes_its_matrix(void **state)
{
    (void)state;
    tsl_status heard = TSL_OK;
    alarm(60);
    assert_int_equal(tsl_comm_run(2, run_maker, &heard), TSL_E_NOMEM);
    assert_int_equal(heard, TSL_E_COMM);
}

/* Memory runs out on one rank, at a moment all the way through: all end, and nothing is lost. */
static void memory_that_runs_out_ends_all(void **state)
{
    (void)state;
    for (int is_cg = 0; is_cg < 2; is_cg++) {
        tsl_status status = TSL_E_NOMEM;
        int failures = 0;
        for (int k = 1; status != TSL_OK; k += k < 24 ? 1 : 97) {
            const int64_t live = tsl_test_live_allocations();
            trial t = {.is_cg = is_cg != 0,
                       .size_class = 'S',
                       .devices = cpus,
                       .device_count = 1,
                       .fail_from = k};
            status = run(&t, 3);
            tsl_test_fail_allocation(0);
            assert_int_equal(tsl_test_live_allocations(), live);
            assert_true(status == TSL_OK || status == TSL_E_NOMEM);
            failures += status != TSL_OK;
        }
        assert_true(failures > (is_cg ? 20 : 2));
    }
}

static tsl_status run_cg(tsl_context *context, test_shortage *t)
{
    tsl_npb_cg cg;
    (void)t;
    return tsl_npb_cg_run(&cg, context, 'S');
}

static tsl_status run_ep(tsl_context *context, test_shortage *t)
{
    tsl_npb_ep ep;
    (void)t;
    return tsl_npb_ep_run(&ep, context, 'S');
}

/* The others have what they need. */
static void what_one_rank_lacks_ends_all(void **state)
{
    (void)state;
    static const struct {
        const char *device;
        tsl_status (*call)(tsl_context *context, test_shortage *t);
        test_resource what;
        int64_t least;
    } cases[] = {{"cpu", run_cg, TEST_HOST_MEMORY, 20},  {"cpu", run_cg, TEST_DEVICE_MEMORY, 8},
                 {"cpu", run_cg, TEST_DOWNLOADS, 1},     {"cpu", run_ep, TEST_HOST_MEMORY, 4},
                 {"cpu", run_ep, TEST_DEVICE_MEMORY, 1}, {"cpu", run_ep, TEST_DOWNLOADS, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        test_shortage t = {.device = cases[i].device,
                           .ranks = 3,
                           .lacking = (int)i % 3,
                           .what = cases[i].what,
                           .call = cases[i].call};
        assert_in_range(test_shortage_try_all(&t), cases[i].least, 1000);
    }
    /* what is enough takes minutes on sim */
    test_shortage t = {.device = "sim", .ranks = 2, .what = TEST_DEVICE_MEMORY, .call = run_cg};
    for (t.k = 1; t.k <= 10; t.k++) {
        assert_int_equal(test_shortage_try(&t), TSL_E_NOMEM);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ep_is_the_same_for_any_ranks),
        cmocka_unit_test(rows_are_dealt_out_once),
        cmocka_unit_test(cg_is_the_same_for_any_ranks),
        cmocka_unit_test(cg_runs_on_device_memory),
        cmocka_unit_test(cg_runs_on_several_gpus),
        cmocka_unit_test(vectors_of_peers_are_collected),
        cmocka_unit_test(kinds_of_devices_do_not_mix_in_cg),
        cmocka_unit_test(a_class_that_is_none_ends_all),
        cmocka_unit_test(memory_that_runs_out_ends_all),
        cmocka_unit_test(what_one_rank_lacks_ends_all),
        cmocka_unit_test(ep_hears_of_failures_within_a_chunk),
        cmocka_unit_test(cg_hears_of_failures_while_it_makes_its_matrix)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
