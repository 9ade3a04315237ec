/* The classes that take a while. */
#include "support/devices.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(ep_verifies),
                                       cmocka_unit_test(cg_verifies)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
