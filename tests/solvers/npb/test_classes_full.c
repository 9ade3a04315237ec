/* The classes that take a while. */
#include "support/devices.h"

#include "solvers/npb/ladder/ladder.h"
#include "tesela/npb.h"

static void ep_verifies(void **state)
{
    (void)state;
    static const char classes[] = {'A', 'B', 'C'};
    static const int64_t gaussians[] = {210832767, 843345606, 3373275903};
    tsl_context *context = test_context("auto", 0);
    for (int i = 0; i < 3; i++) {
        tsl_npb_ep ep;
        assert_int_equal(tsl_npb_ep_run(&ep, context, classes[i]), TSL_OK);
        assert_int_equal(ep.verified, 1);
        assert_true(ep.error_signed < 1e-10 && ep.error_absolute < 1e-13);
        assert_int_equal(ep.gaussians, gaussians[i]);
    }
    tsl_context_destroy(context);
}

static void cg_verifies(void **state)
{
    (void)state;
    static const char classes[] = {'B', 'C'};
    static const int64_t nonzeros[] = {13708072, 36121058};
    tsl_context *context = test_context("auto", 0);
    for (int i = 0; i < 2; i++) {
        tsl_npb_cg cg;
        assert_int_equal(tsl_npb_cg_run(&cg, context, classes[i]), TSL_OK);
        assert_int_equal(cg.verified, 1);
        assert_true(cg.error < 1e-12);
        assert_int_equal(cg.nonzeros, nonzeros[i]);
    }
    tsl_context_destroy(context);
}

/* Every version of both ladders on sim. */
static void ladders_verify(void **state)
{
    (void)state;
    static const char classes[] = {'S', 'W'};
    tsl_context *context = test_context("sim", 1);
    tsl_context *cpu = test_context("cpu", 1);
    for (int is_cg = 0; is_cg < 2; is_cg++) {
        const tsl_ladder_version *versions;
        const int count = tsl_ladder_versions(&versions, is_cg != 0);
        for (int c = 0; c < 2; c++) {
            tsl_ladder_case what;
            assert_int_equal(tsl_ladder_case_begin(&what, cpu, is_cg != 0, classes[c]), TSL_OK);
            for (int i = 0; i < count; i++) {
                tsl_ladder_outcome outcome;
                tsl_context *on = versions[i].place <= TSL_LADDER_ALL_CORES ? cpu : context;
                assert_int_equal(tsl_ladder_run(&outcome, on, &what, i), TSL_OK);
                assert_true(outcome.verified && outcome.error < 1e-11);
            }
            tsl_ladder_case_end(&what);
        }
    }
    tsl_context_destroy(cpu);
    tsl_context_destroy(context);
}

/* The class and the numbers of ranks that the quick tests leave out. */
static tsl_status run_w(tsl_comm *comm, void *user)
{
    tsl_npb_cg *all = user;
    tsl_context *context = NULL;
    tsl_status status = test_rank_context(&context, comm, "sim");
    if (status == TSL_OK) {
        status = tsl_npb_cg_run(&all[tsl_comm_rank(comm)], context, 'W');
    }
    tsl_context_destroy(context);
    return status;
}

static void cg_verifies_on_ranks(void **state)
{
    (void)state;
    for (int ranks = 1; ranks <= 7; ranks += ranks < 4 ? 1 : 3) {
        tsl_npb_cg cg[7];
        assert_int_equal(tsl_comm_run(ranks, run_w, cg), TSL_OK);
        assert_true(cg[0].verified && cg[0].error < 1e-12 && cg[0].nonzeros == 508402);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(ep_verifies), cmocka_unit_test(cg_verifies),
                                       cmocka_unit_test(ladders_verify),
                                       cmocka_unit_test(cg_verifies_on_ranks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
