/* The ladder: each version against EP's exact sums, and against conjugate gradients in long double,
 * on every device that has it and in sim's orders of threads; V8 and V9 by several ranks. */
#include "support/devices.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "comm/comm.h"
#include "solvers/npb/ladder/ladder.h"

/* Batches 3 and 4 of EP, as parts of the ladder: 2^17 pairs, one block. */
enum { BATCH = 3, BATCHES = 2, PARTS_OF_BATCH = TSL_EP_BATCH / TSL_LADDER_PAIRS };
enum { FIRST_PART = BATCH * PARTS_OF_BATCH, PARTS = BATCHES * PARTS_OF_BATCH };

/* Sizes that divide by nothing. */
static const tsl_cg_class small_class = {
    .name = 'T', .rows = 337, .row_draws = 5, .iterations = 2, .shift = 10};

/* ---- EP ----------------------------------------------------------------------------------- */

static void find_exact(tsl_ladder_sums *out)
{
    tsl_context *context = test_context("cpu", 1);
    int64_t totals[TSL_EP_TOTALS] = {0};
    assert_int_equal(context->ops->ep->tally(context, BATCH, BATCHES, totals), TSL_OK);
    out->x = ldexp((double)totals[0], 32 - 43) + ldexp((double)totals[1], -43);
    out->y = ldexp((double)totals[2], 32 - 43) + ldexp((double)totals[3], -43);
    memcpy(out->counts, totals + 2 * TSL_EP_SUMS, sizeof out->counts);
    tsl_context_destroy(context);
}

static void check_sums(const tsl_ladder_sums *found, const tsl_ladder_sums *exact)
{
    assert_true(fabs(found->x - exact->x) < 1e-9 && fabs(found->y - exact->y) < 1e-9);
    assert_memory_equal(found->counts, exact->counts, sizeof exact->counts);
}

static void ep_versions_find_the_exact_sums(void **state)
{
    (void)state;
    tsl_ladder_sums exact, found;
    tsl_ladder_times times;
    find_exact(&exact);
    const int devices = test_device_count();
    for (int d = 0; d < devices; d++) {
        tsl_context *context = test_context(test_devices[d], 2);
        const tsl_ladder_ops *ladder = context->ops->ladder;
        for (int v = 0; v < TSL_LADDER_EP && ladder != NULL; v++) {
            times = (tsl_ladder_times){0};
            assert_int_equal(ladder->ep[v](&found, &times, context, FIRST_PART, PARTS), TSL_OK);
            check_sums(&found, &exact);
            assert_true(times.compute > 0 && times.thesis >= times.compute);
        }
        if (d == 0) {
            assert_null(ladder);
            assert_int_equal(tsl_ladder_ep_loop(&found, &times, context, FIRST_PART, PARTS),
                             TSL_OK);
            check_sums(&found, &exact);
        }
        tsl_context_destroy(context);
    }
}

/* ---- CG ----------------------------------------------------------------------------------- */

static void multiply(const tsl_csr *m, long double *y, const long double *x)
{
    for (int64_t row = 0; row < m->rows; row++) {
        y[row] = 0;
        for (int64_t k = m->row_start[row]; k < m->row_start[row + 1]; k++) {
            y[row] += m->value[k] * x[m->column[k]];
        }
    }
}

static long double dot(int64_t n, const long double *a, const long double *b)
{
    long double sum = 0;
    for (int64_t i = 0; i < n; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

static double find_zeta(const tsl_csr *m)
{
    enum { MOST = 400 };
    static long double x[MOST], z[MOST], p[MOST], q[MOST], r[MOST];
    const int64_t n = m->rows;
    double zeta = 0;
    for (int64_t i = 0; i < n; i++) {
        x[i] = 1;
    }
    for (int iteration = 0; iteration < small_class.iterations; iteration++) {
        memset(z, 0, sizeof z);
        memcpy(r, x, sizeof r);
        memcpy(p, x, sizeof p);
        long double rho = dot(n, r, r);
        for (int inner = 0; inner < TSL_CG_INNER; inner++) {
            multiply(m, q, p);
            const long double alpha = rho / dot(n, p, q), before = rho;
            for (int64_t i = 0; i < n; i++) {
                z[i] += alpha * p[i];
                r[i] -= alpha * q[i];
            }
            rho = dot(n, r, r);
            for (int64_t i = 0; i < n; i++) {
                p[i] = r[i] + rho / before * p[i];
            }
        }
        zeta = (double)((long double)small_class.shift + 1 / dot(n, x, z));
        const long double norm = sqrtl(dot(n, z, z));
        for (int64_t i = 0; i < n; i++) {
            x[i] = z[i] / norm;
        }
    }
    return zeta;
}

static void cg_versions_find_zeta(void **state)
{
    (void)state;
    tsl_context *cpu = test_context("cpu", 2);
    tsl_csr matrix;
    tsl_ladder_times times;
    double zeta = 0;
    assert_int_equal(tsl_cg_matrix(&matrix, cpu, &small_class, 0, small_class.rows), TSL_OK);
    const double exact = find_zeta(&matrix);
    assert_int_equal(tsl_ladder_cg_loop(&zeta, &times, cpu, &small_class, &matrix), TSL_OK);
    assert_true(fabs(zeta - exact) < 1e-11);
    tsl_context_destroy(cpu);
    const int devices = test_device_count();
    for (int d = 1; d < devices; d++) {
        tsl_context *context = test_context(test_devices[d], 1);
        const tsl_ladder_ops *ladder = context->ops->ladder;
        for (int v = 0; v < TSL_LADDER_CG && ladder != NULL; v++) {
            zeta = 0;
            times = (tsl_ladder_times){0};
            assert_int_equal(tsl_ladder_cg_run(&zeta, &times, context, v, &small_class, &matrix),
                             TSL_OK);
            assert_true(fabs(zeta - exact) < 1e-11);
            assert_true(times.compute > 0 && times.thesis > times.compute);
        }
        tsl_context_destroy(context);
    }
    tsl_csr_free(&matrix);
}

/* ---- ranks -------------------------------------------------------------------------------- */

typedef struct trial {
    const tsl_csr *matrix;
    double zeta[4];
    tsl_status status[4];
} trial;

static tsl_status run_v9(tsl_comm *comm, void *user)
{
    trial *t = user;
    const int rank = tsl_comm_rank(comm);
    tsl_ladder_times times;
    tsl_context *context = NULL;
    tsl_status status = test_rank_context(&context, comm, rank % 2 == 0 ? "sim" : "sim:reversed");
    if (status != TSL_OK) {
        return status;
    }
    status = tsl_ladder_cg_run(&t->zeta[rank], &times, context, TSL_LADDER_CG - 1, &small_class,
                               t->matrix);
    t->status[rank] = status;
    tsl_context_destroy(context);
    return status;
}

static void v9_shares_the_product(void **state)
{
    (void)state;
    alarm(120);
    tsl_context *cpu = test_context("cpu", 1);
    tsl_csr matrix;
    assert_int_equal(tsl_cg_matrix(&matrix, cpu, &small_class, 0, small_class.rows), TSL_OK);
    tsl_context_destroy(cpu);
    const double exact = find_zeta(&matrix);
    for (int ranks = 2; ranks <= 4; ranks++) {
        trial t = {.matrix = &matrix};
        assert_int_equal(tsl_comm_run(ranks, run_v9, &t), TSL_OK);
        assert_true(fabs(t.zeta[0] - exact) < 1e-11);
    }
    for (int k = 1; k < 200; k += 11) { /* memory that runs out on any rank ends all */
        const int64_t live = tsl_test_live_allocations();
        trial t = {.matrix = &matrix};
        tsl_test_fail_allocation(k);
        const tsl_status status = tsl_comm_run(3, run_v9, &t);
        tsl_test_fail_allocation(0);
        assert_true(status == TSL_OK || status == TSL_E_NOMEM || status == TSL_E_COMM);
        assert_int_equal(tsl_test_live_allocations(), live);
    }
    tsl_csr_free(&matrix);
}

static tsl_status run_v8(tsl_comm *comm, void *user)
{
    tsl_ladder_outcome *outcomes = user;
    tsl_ladder_case what;
    tsl_context *context = NULL;
    tsl_status status = test_rank_context(&context, comm, "sim");
    if (status != TSL_OK) {
        return status;
    }
    status = tsl_ladder_case_begin(&what, context, false, 'S');
    if (status == TSL_OK) {
        status = tsl_ladder_run(&outcomes[tsl_comm_rank(comm)], context, &what, 9);
    }
    tsl_context_destroy(context);
    return status;
}

static void v8_shares_the_blocks(void **state)
{
    (void)state;
    alarm(120);
    const tsl_ladder_version *versions;
    assert_true(tsl_ladder_versions(&versions, false) > 9);
    assert_string_equal(versions[9].name, "V8");
    tsl_ladder_outcome outcomes[3];
    assert_int_equal(tsl_comm_run(3, run_v8, outcomes), TSL_OK);
    for (int q = 0; q < 3; q++) {
        assert_true(outcomes[q].verified && outcomes[q].error < 1e-11);
        assert_true(outcomes[q].times.thesis == outcomes[0].times.thesis);
    }
}

/* ---- errors ------------------------------------------------------------------------------- */

typedef struct call {
    int ep, cg; /* versions; -1: not this */
    const tsl_csr *matrix;
} call;

static tsl_status run_call(tsl_context *context, void *user)
{
    const call *c = user;
    tsl_ladder_sums sums;
    tsl_ladder_times times;
    double zeta;
    return c->cg < 0 ? context->ops->ladder->ep[c->ep](&sums, &times, context, FIRST_PART, PARTS)
                     : tsl_ladder_cg_run(&zeta, &times, context, c->cg, &small_class, c->matrix);
}

static void no_memory_is_survived(void **state)
{
    (void)state;
    tsl_context *cpu = test_context("cpu", 1);
    tsl_csr matrix;
    assert_int_equal(tsl_cg_matrix(&matrix, cpu, &small_class, 0, small_class.rows), TSL_OK);
    tsl_context_destroy(cpu);
    tsl_context *context = test_context("sim", 1);
    for (int v = 0; v < TSL_LADDER_EP; v++) {
        call c = {v, -1, &matrix};
        assert_in_range(test_survives_no_memory(context, run_call, &c), 2, 3);
    }
    for (int v = 0; v < TSL_LADDER_CG; v++) {
        call c = {-1, v, &matrix};
        for (int k = 1; k <= 18; k++) { /* nine pieces, each taken twice */
            const int64_t live = tsl_test_live_allocations();
            tsl_test_fail_device_allocation(context, k);
            assert_int_equal(run_call(context, &c), TSL_E_NOMEM);
            tsl_test_fail_device_allocation(context, 0);
            assert_int_equal(tsl_context_synchronize(context), TSL_OK);
            assert_int_equal(tsl_test_live_allocations(), live);
            assert_int_equal(context->memory.live, 0);
        }
        for (int k = 1; k < 40; k += 3) { /* queued work is memory of the host */
            const int64_t live = tsl_test_live_allocations();
            tsl_test_fail_allocation(k);
            assert_int_equal(run_call(context, &c), TSL_E_NOMEM);
            tsl_test_fail_allocation(0);
            assert_int_equal(tsl_context_synchronize(context), TSL_OK);
            assert_int_equal(tsl_test_live_allocations(), live);
        }
    }
    tsl_context_destroy(context);
    tsl_csr_free(&matrix);
}

static void what_cannot_be_is_told(void **state)
{
    (void)state;
    tsl_context *context = test_context("cpu", 1);
    tsl_ladder_case what;
    tsl_ladder_outcome outcome;
    assert_int_equal(tsl_ladder_case_begin(&what, context, false, 'F'), TSL_E_ARG);
    assert_non_null(strstr(tsl_last_error(context), "class 'F': the ladder of EP has"));
    assert_int_equal(tsl_ladder_case_begin(&what, context, true, 'F'), TSL_E_ARG);
    assert_int_equal(tsl_ladder_case_begin(&what, context, false, 'S'), TSL_OK);
    assert_int_equal(tsl_ladder_run(&outcome, context, &what, 2), TSL_E_UNSUPPORTED);
    assert_non_null(strstr(tsl_last_error(context), "cpu: version V1 of EP does not run there"));
    tsl_ladder_case_end(&what);
    tsl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(ep_versions_find_the_exact_sums),
                                       cmocka_unit_test(cg_versions_find_zeta),
                                       cmocka_unit_test(v8_shares_the_blocks),
                                       cmocka_unit_test(v9_shares_the_product),
                                       cmocka_unit_test(no_memory_is_survived),
                                       cmocka_unit_test(what_cannot_be_is_told)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
