/* What one rank of several lacks, all ranks are told: energies and nearest points. */
#include "support/shortage.h"

#include <string.h>
#include <unistd.h>

#include "core/context.h"
#include "tesela/pairs.h"

enum { POINTS = 150, NEAREST = 5 }; /* two tiles of nearest points, so that a third rank has none */

typedef struct trial {
    const char *device;
    test_resource what;
    int64_t least; /* asked for */
} trial;

static void make_points(double values[3 * POINTS])
{
    uint64_t seed = 3;
    for (int e = 0; e < 3 * POINTS; e++) {
        const int64_t place[3] = {e / 3 / 36, e / 3 / 6 % 6, e / 3 % 6};
        values[e] = (double)place[e % 3] + 0.2 * test_uniform(&seed);
    }
}

/* A plan, with a list of neighbours where `user` gives a cut-off, and two energies with it. */
static tsl_status add_up(tsl_context *context, test_shortage *t)
{
    double values[3 * POINTS];
    tsl_energy_options options = TSL_ENERGY_OPTIONS_INIT;
    tsl_energy_plan *plan = NULL;
    tsl_buffer *points = NULL, *forces = NULL;
    tsl_energy found;
    make_points(values);
    options.cutoff = *(const double *)t->user;
    tsl_status status = tsl_buffer_create(&points, context, sizeof values);
    if (status == TSL_OK) {
        status = tsl_buffer_create(&forces, context, sizeof values);
    }
    if (status == TSL_OK) {
        status = tsl_buffer_write(points, 0, values, sizeof values);
    }
    test_shortage_begins(t, context);
    if (status == TSL_OK) {
        status = tsl_energy_plan_create(&plan, context, &options, POINTS, 8);
    }
    for (int k = 0; k < 2 && status == TSL_OK; k++) {
        status = tsl_energy_execute(&found, plan, forces, points);
    }
    tsl_energy_plan_destroy(plan);
    tsl_buffer_destroy(points);
    tsl_buffer_destroy(forces);
    return status;
}

/* Nearest points, by cells, and in more coordinates by products. */
static tsl_status find(tsl_context *context, test_shortage *t)
{
    double values[3 * POINTS];
    int32_t indices[POINTS * NEAREST];
    double distances[POINTS * NEAREST];
    const int d = *(const int *)t->user;
    const tsl_points points = {values, 3 * POINTS / d < POINTS ? 3 * POINTS / d : POINTS, d, 8,
                               NULL};
    make_points(values);
    return tsl_nearest_find(indices, distances, context, NEAREST, &points);
}

static void try_all(const trial *trials, int count,
                    tsl_status (*call)(tsl_context *, test_shortage *), void *user,
                    bool begins_late)
{
    for (int i = 0; i < count; i++) {
        test_shortage t = {.device = trials[i].device,
                           .ranks = 3,
                           .lacking = i % 3,
                           .what = trials[i].what,
                           .call = call,
                           .user = user,
                           .begins_late = begins_late};
        assert_in_range(test_shortage_try_all(&t), trials[i].least, 1000);
    }
}

static const trial trials[] = {{"cpu", TEST_HOST_MEMORY, 1},
                               {"cpu", TEST_DEVICE_MEMORY, 1},
                               {"sim", TEST_HOST_MEMORY, 1},
                               {"sim", TEST_DEVICE_MEMORY, 1},
                               {"sim", TEST_DOWNLOADS, 1}};
enum { TRIALS = sizeof trials / sizeof *trials };

static void energies(void **state)
{
    (void)state;
    double cutoffs[] = {0, 2.5};
    for (int c = 0; c < 2; c++) {
        try_all(trials, TRIALS, add_up, &cutoffs[c], true);
    }
}

static void nearest_points(void **state)
{
    (void)state;
    int dimensions[] = {3, 5};
    for (int d = 0; d < 2; d++) {
        try_all(trials, TRIALS, find, &dimensions[d], false);
    }
}

/* Rank 1's buffer is too small at first, then each rank's is as it should be. */
static tsl_status give_little(tsl_comm *comm, void *user)
{
    double values[3 * POINTS];
    tsl_context *context = NULL;
    tsl_energy_plan *plan = NULL;
    tsl_buffer *points = NULL, *little = NULL;
    tsl_energy found;
    (void)user;
    make_points(values);
    tsl_status status = test_rank_context(&context, comm, "cpu");
    if (status == TSL_OK) {
        status = tsl_energy_plan_create(&plan, context, NULL, POINTS, 8);
    }
    if (status == TSL_OK) {
        status = tsl_buffer_wrap(&points, context, values, sizeof values);
    }
    if (status == TSL_OK) {
        status = tsl_buffer_wrap(&little, context, values, sizeof values / 2);
    }
    if (status == TSL_OK &&
        (tsl_energy_execute(&found, plan, NULL, tsl_comm_rank(comm) == 1 ? little : points) !=
             TSL_E_ARG ||
         strstr(tsl_last_error(context), "a buffer is smaller") == NULL ||
         tsl_energy_execute(&found, plan, NULL, points) != TSL_OK)) {
        status = tsl_comm_fail(comm, TSL_E_INTERNAL, tsl_last_error(context));
    }
    tsl_buffer_destroy(points);
    tsl_buffer_destroy(little);
    tsl_energy_plan_destroy(plan);
    tsl_context_destroy(context);
    return status;
}

static void a_small_buffer_of_one_rank_is_told_to_all(void **state)
{
    (void)state;
    alarm(60);
    if (tsl_comm_run(3, give_little, NULL) != TSL_OK) {
        fail_msg("%s", tsl_last_error(NULL));
    }
    alarm(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(energies), cmocka_unit_test(nearest_points),
                                       cmocka_unit_test(a_small_buffer_of_one_rank_is_told_to_all)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
