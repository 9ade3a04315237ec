/* Nobody hangs: the tests of ranks 500 times over, with more threads at work than processors. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "comm/cases.h"

enum { REPETITIONS = 500, LOAD = 3, PATIENCE = 600 /* seconds for one repetition */ };

static atomic_int stop;

static void *burn(void *unused)
{
    (void)unused;
    while (atomic_load(&stop) == 0) {
    }
    return NULL;
}

static tsl_status run_cases(tsl_comm *comm, void *user)
{
    return comm_run_cases(comm, *(const uint64_t *)user);
}

static tsl_status fail_at(tsl_comm *comm, void *user)
{
    return comm_fail_at(comm, NULL, ((const int *)user)[0], ((const int *)user)[1]);
}

static void nobody_hangs_under_load(void **state)
{
    (void)state;
    static const int rank_counts[] = {1, 2, 3, 4, 7};
    pthread_t load[LOAD];
    for (int i = 0; i < LOAD; i++) {
        assert_int_equal(pthread_create(&load[i], NULL, burn, NULL), 0);
    }
    for (int i = 0; i < REPETITIONS; i++) {
        const int ranks = rank_counts[i % 5];
        uint64_t seed = (uint64_t)i;
        alarm(PATIENCE);
        assert_int_equal(tsl_comm_run(ranks, run_cases, &seed), TSL_OK);
        for (int at = 0; at < COMM_CYCLE; at++) {
            int failure[2] = {(at + i) % ranks, at};
            assert_int_equal(tsl_comm_run(ranks, fail_at, failure), TSL_E_IO);
        }
    }
    alarm(0);
    atomic_store(&stop, 1);
    for (int i = 0; i < LOAD; i++) {
        pthread_join(load[i], NULL);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nobody_hangs_under_load)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
