/* Ranks of a host plan one after another: in which order, with what, and what becomes of all when
 * one of them lacks memory. Ranks are threads that are taken for processes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "blocks/fft/share_wisdom.h"
#include "support/shortage.h"

enum { RANKS = 4, NONE = -1, SETTLED = 30 };

/* What ranks do, and have done. */
typedef struct trial {
    const bool *plans; /* [RANKS] */
    int seen[RANKS];   /* what they were told to settle on; NONE: nothing */
    int turn[RANKS];   /* in which they came, from 1; 0: they planned nothing */
    atomic_int next;   /* turn */
} trial;

typedef struct rank_data {
    trial *t;
    tsl_context *context;
} rank_data;

static tsl_status plan(void *user, int *out, const int *settled)
{
    const rank_data *data = user;
    const int rank = data->context->comm->rank;
    data->t->turn[rank] = atomic_fetch_add(&data->t->next, 1) + 1;
    data->t->seen[rank] = settled != NULL ? *settled : NONE;
    *out = SETTLED + rank;
    tsl_fft *fft = NULL;
    const tsl_fft_layout line = {{48}, 1, 48};
    const tsl_fft_description what = {.kind = TSL_FFT_FORWARD,
                                      .precision = TSL_SINGLE,
                                      .rank = 1,
                                      .n = {48},
                                      .count = 1,
                                      .in = line,
                                      .out = line,
                                      .in_place = true};
    const tsl_status status = tsl_fft_cpu.create(&fft, data->context, &what);
    tsl_fft_cpu.destroy(fft);
    return status;
}

/* Share wisdom as a rank does that is a process of its own on this host. */
static tsl_status share_wisdom(tsl_context *context, void *user)
{
    trial *t = user;
    tsl_comm *comm = context->comm;
    const tsl_comm_ops *const own = comm->ops;
    tsl_comm_ops ops = *own;
    ops.one_process = false;
    rank_data data = {.t = t, .context = context};
    const tsl_fft_planning planning = {
        .precision = TSL_SINGLE, .plans = t->plans[comm->rank], .plan = plan, .user = &data};
    comm->ops = &ops;
    const tsl_status status = tsl_fft_share_wisdom(context, &planning);
    comm->ops = own;
    return status;
}

static tsl_status run_rank(tsl_comm *comm, void *user)
{
    return test_call_rank(comm, "cpu", share_wisdom, user);
}

static void the_first_that_plans_goes_before(void **state)
{
    (void)state;
    static const bool cases[][RANKS] = {{1, 1, 1, 1}, {0, 1, 0, 1}, {0, 0, 0, 1},
                                        {1, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 1, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        trial t = {.plans = cases[i]};
        int first = NONE;
        assert_int_equal(tsl_comm_run(RANKS, run_rank, &t), TSL_OK);
        for (int rank = RANKS - 1; rank >= 0; rank--) {
            first = cases[i][rank] ? rank : first;
        }
        for (int rank = 0; rank < RANKS; rank++) {
            assert_int_equal(t.turn[rank] > 0, cases[i][rank]);
            assert_int_equal(t.turn[rank] == 1, rank == first);
            if (cases[i][rank]) {
                assert_int_equal(t.seen[rank], rank == first ? NONE : SETTLED + first);
            }
        }
    }
}

static const bool all_plan[RANKS] = {1, 1, 1, 1};

static tsl_status share_wisdom_short(tsl_context *context, test_shortage *s)
{
    return share_wisdom(context, s->user);
}

static void what_one_lacks_ends_all(void **state)
{
    (void)state;
    for (int lacking = 0; lacking < RANKS; lacking++) {
        trial t = {.plans = all_plan};
        test_shortage s = {.device = "cpu",
                           .ranks = RANKS,
                           .lacking = lacking,
                           .what = TEST_HOST_MEMORY,
                           .call = share_wisdom_short,
                           .user = &t,
                           .agreed = true};
        assert_true(test_shortage_try_all(&s) >= 6);
    }
}

/* What was measured once is known, in text too. */
static void what_was_measured_can_be_told(void **state)
{
    (void)state;
    tsl_context *context = test_context("cpu", 1);
    static const tsl_precision precisions[] = {TSL_SINGLE, TSL_DOUBLE};
    for (int i = 0; i < 2; i++) {
        char *text = NULL;
        int64_t bytes = 0;
        assert_int_equal(tsl_fft_export(&text, &bytes, context, precisions[i]), TSL_OK);
        assert_int_equal(strlen(text) + 1, bytes);
        assert_non_null(strstr(text, "fftw"));
        tsl_fft_import(text, precisions[i]);
        tsl_fft_import("no such text", precisions[i]);
        tsl_release(text);
    }
    tsl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_first_that_plans_goes_before),
                                       cmocka_unit_test(what_one_lacks_ends_all),
                                       cmocka_unit_test(what_was_measured_can_be_told)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
