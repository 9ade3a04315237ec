/* What one rank of several is refused in Poisson's equation, or has no memory for: all hear of it,
 * and nobody waits. */
/* ctest: cost 60 */
#include <stdio.h>
#include <string.h>

#include "comm/comm.h"
#include "solvers/poisson/box.h"
#include "solvers/poisson/poisson.h"
#include "support/shortage.h"

/* A rank's context on the CPU. */
static tsl_status open_rank(tsl_context **out, tsl_comm *comm)
{
    return test_rank_context(out, comm, "cpu");
}

/* ---- options ------------------------------------------------------------------------------ */

typedef struct refusal {
    const char *words;
    tsl_status status;
    void (*change)(tsl_poisson_options *options, int rank);
} refusal;

static void change_pencils(tsl_poisson_options *o, int rank)
{
    (void)rank;
    o->ranks[0] = o->ranks[1] = 2;
}

static void change_segments(tsl_poisson_options *o, int rank)
{
    (void)rank;
    o->segments = -1;
}

static void change_one(tsl_poisson_options *o, int rank)
{
    o->screening = rank == 1 ? 2 : 1;
}

static void change_form(tsl_poisson_options *o, int rank)
{
    o->plain = rank == 1 ? 2 : 0;
}

static void change_path(tsl_poisson_options *o, int rank)
{
    (void)rank;
    o->path = TSL_POISSON_STAGED;
}

static void change_unknown_path(tsl_poisson_options *o, int rank)
{
    (void)rank;
    o->path = (tsl_poisson_path)7;
}

static void change_box(tsl_poisson_options *o, int rank)
{
    o->source_box = (tsl_box){{0, 0, 0}, {8, 8, rank == 0 ? 8 : 1}};
}

static void change_gap(tsl_poisson_options *o, int rank)
{
    o->potential_box = (tsl_box){{0, 0, rank}, {8, 8, rank + 1}};
}

static void change_outside(tsl_poisson_options *o, int rank)
{
    o->potential_box = (tsl_box){{0, 0, rank}, {8, 8, 9}};
}

static void change_memory(tsl_poisson_options *o, int rank)
{
    o->memory = rank == 2 ? 100 : 0;
}

static void change_all_memory(tsl_poisson_options *o, int rank)
{
    (void)rank;
    for (int axis = 0; axis < 3; axis++) {
        o->n[axis] = 16384;
    }
}

static const refusal refusals[] = {
    {"pencils of 2 x 2 ranks are of more than there are, 3", TSL_E_ARG, change_pencils},
    {"segments must be from", TSL_E_ARG, change_segments},
    {"ranks 0 and 1 have different options", TSL_E_ARG, change_one},
    {"ranks 0 and 1 have different options", TSL_E_ARG, change_form},
    {"the CPU's memory is the host's", TSL_E_ARG, change_path},
    {"the path of exchanges is unknown", TSL_E_ARG, change_unknown_path},
    {"the sources' boxes of ranks 0 and 1 overlap", TSL_E_ARG, change_box},
    {"the potentials' boxes have 192 cells of 8 x 8 x 8", TSL_E_ARG, change_gap},
    {"the potential's box has cells 0 to 9 of axis 2", TSL_E_ARG, change_outside},
    {"a Poisson plan of 8 x 8 x 8 needs ", TSL_E_NOMEM, change_memory},
    {" for the ranks of a host", TSL_E_NOMEM, change_all_memory},
};

/* One rank's fault is everyone's answer; the communicator stays of use, and nothing is taken. */
static tsl_status try_refusals(tsl_comm *comm, void *user)
{
    tsl_context *context = NULL;
    (void)user;
    tsl_status status = open_rank(&context, comm);
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals && status == TSL_OK; i++) {
        tsl_poisson_options o = small_box_options("ppp");
        tsl_poisson_plan *plan = NULL;
        refusals[i].change(&o, comm->rank);
        tsl_test_fail_device_allocation(context, 0);
        const tsl_status found = tsl_poisson_plan_create(&plan, context, &o);
        const int64_t asked = tsl_test_fail_device_allocation(context, 0);
        if (found != refusals[i].status ||
            strstr(tsl_last_error(context), refusals[i].words) == NULL || asked != 0) {
            char line[TSL_ERROR_TEXT + 64];
            snprintf(line, sizeof line, "wanted '%s', got %d %s", refusals[i].words, (int)found,
                     tsl_last_error(context));
            status = tsl_comm_fail(comm, TSL_E_INTERNAL, line);
        }
    }
    tsl_context_destroy(context);
    return status;
}

static void what_one_rank_is_refused_all_are(void **state)
{
    (void)state;
    if (tsl_comm_run(3, try_refusals, NULL) != TSL_OK) {
        fail_msg("%s", tsl_last_error(NULL));
    }
}

/* ---- memory --------------------------------------------------------------------------------- */

typedef struct memory_trial {
    const char *device, *boundary;
    tsl_poisson_path path;
} memory_trial;

/* Rank 1's k-th allocation on its device fails: all get its line, and the next plan is made. */
static tsl_status try_memory(tsl_comm *comm, void *user)
{
    const memory_trial *t = user;
    tsl_poisson_options o = small_box_options(t->boundary);
    tsl_context *context = NULL;
    tsl_status status = test_rank_context(&context, comm, t->device);
    tsl_status made = TSL_E_NOMEM;
    char line[64];
    o.path = t->path;
    snprintf(line, sizeof line, "%s%s: out of memory",
             comm->rank == 1 ? "" : "rank 1: ", t->device);
    for (int64_t k = 1; status == TSL_OK && made != TSL_OK; k++) {
        tsl_poisson_plan *plan = NULL;
        const int64_t before = context->memory.bytes;
        tsl_test_fail_device_allocation(context, comm->rank == 1 ? k : 0);
        made = tsl_poisson_plan_create(&plan, context, &o);
        tsl_test_fail_device_allocation(context, 0);
        tsl_poisson_plan_destroy(plan);
        const char *said = tsl_last_error(context);
        const bool told = strncmp(said, line, strlen(line)) == 0;
        if ((made != TSL_OK && (made != TSL_E_NOMEM || !told)) || (made == TSL_OK && k < 3) ||
            context->memory.bytes != before) {
            status = tsl_comm_fail(comm, TSL_E_INTERNAL, said);
        }
    }
    tsl_context_destroy(context);
    return status;
}

static void a_rank_without_memory_tells_all(void **state)
{
    (void)state;
    static const memory_trial trials[] = {{"cpu", "ppp", TSL_POISSON_DIRECT},
                                          {"cpu", "fpf", TSL_POISSON_DIRECT},
                                          {"sim", "ppp", TSL_POISSON_DIRECT},
                                          {"sim", "fff", TSL_POISSON_DIRECT},
                                          {"sim", "fff", TSL_POISSON_STAGED}};
    for (size_t i = 0; i < sizeof trials / sizeof *trials; i++) {
        memory_trial t = trials[i];
        if (tsl_comm_run(3, try_memory, &t) != TSL_OK) {
            fail_msg("%s %s: %s", t.device, t.boundary, tsl_last_error(NULL));
        }
    }
}

/* Make a plan, which may run out of host memory, and, where downloads are to fail, a solution. */
static tsl_status use_up(tsl_context *context, test_shortage *t)
{
    const tsl_poisson_options o = small_box_options(t->user);
    tsl_poisson_plan *plan = NULL;
    tsl_status status = tsl_poisson_plan_create(&plan, context, &o);
    if (status == TSL_OK && t->what == TEST_DOWNLOADS) {
        void *cells = NULL;
        status = tsl_device_allocate(&cells, context, 512 * 8, "cells");
        if (status == TSL_OK) {
            status = context->ops->fill(context, cells, 0, 512 * 8);
        }
        if (status == TSL_OK) {
            status = tsl_poisson_execute(plan, cells, cells);
        }
        tsl_device_release(context, cells);
    }
    tsl_poisson_plan_destroy(plan);
    return status;
}

static void whatever_one_rank_lacks_all_return(void **state)
{
    (void)state;
    static const struct {
        const char *device, *boundary;
        test_resource what;
        int64_t least;
    } cases[] = {{"cpu", "ppp", TEST_HOST_MEMORY, 20},
                 {"cpu", "fpf", TEST_HOST_MEMORY, 20},
                 {"sim", "fff", TEST_HOST_MEMORY, 20},
                 {"sim", "ppp", TEST_DOWNLOADS, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        test_shortage t = {.device = cases[i].device,
                           .ranks = 3,
                           .lacking = (int)i % 3,
                           .what = cases[i].what,
                           .call = use_up,
                           .user = (void *)(uintptr_t)cases[i].boundary};
        assert_in_range(test_shortage_try_all(&t), cases[i].least, 1000);
    }
}

/* All ranks' devices are one, of which 8 GiB are free. */
static tsl_status one_device(tsl_device *device, tsl_device_properties *out)
{
    (void)device;
    *out = (tsl_device_properties){.memory_free = INT64_C(8) << 30, .identity = "one"};
    return TSL_OK;
}

/* A share would fit each of four ranks, but not all. */
static tsl_status try_one_device(tsl_comm *comm, void *user)
{
    static const int n[3] = {1024, 1024, 1024}; /* 8 GiB, and buffers */
    static const double lengths[3] = {1, 1, 1};
    tsl_poisson_options o = box_options(n, lengths, "ppp");
    tsl_poisson_plan *plan = NULL;
    tsl_context *context = NULL;
    (void)user;
    tsl_status status = test_rank_context(&context, comm, "sim");
    if (status != TSL_OK) {
        return status;
    }
    const tsl_device_ops *own = context->ops;
    tsl_device_ops ops = *own;
    ops.properties = one_device;
    context->ops = &ops;
    tsl_test_fail_device_allocation(context, 0);
    const bool refused = tsl_poisson_plan_create(&plan, context, &o) == TSL_E_NOMEM;
    const int64_t asked = tsl_test_fail_device_allocation(context, 0);
    context->ops = own;
    if (!refused || asked != 0 ||
        strstr(tsl_last_error(context), " for the ranks of a GPU, 8.0 GiB are free") == NULL) {
        status = tsl_comm_fail(comm, TSL_E_INTERNAL, tsl_last_error(context));
    }
    tsl_poisson_plan_destroy(plan);
    tsl_context_destroy(context);
    return status;
}

static void ranks_of_one_device_add_up_their_memory(void **state)
{
    (void)state;
    if (tsl_comm_run(4, try_one_device, NULL) != TSL_OK) {
        fail_msg("%s", tsl_last_error(NULL));
    }
}

/* ---- devices -------------------------------------------------------------------------------- */

/* Ranks on devices of two kinds have different work spaces. */
static tsl_status try_kinds(tsl_comm *comm, void *user)
{
    const tsl_poisson_options o = small_box_options("ppp");
    tsl_context *context = NULL;
    tsl_poisson_plan *plan = NULL;
    (void)user;
    tsl_status status = test_rank_context(&context, comm, comm->rank == 1 ? "sim" : "cpu");
    if (status == TSL_OK &&
        (tsl_poisson_plan_create(&plan, context, &o) != TSL_E_UNSUPPORTED ||
         strstr(tsl_last_error(context), "ranks 0 and 1 are on cpu and sim") == NULL)) {
        status = tsl_comm_fail(comm, TSL_E_INTERNAL, tsl_last_error(context));
    }
    tsl_poisson_plan_destroy(plan);
    tsl_context_destroy(context);
    return status;
}

static void devices_of_two_kinds_are_refused(void **state)
{
    (void)state;
    if (tsl_comm_run(3, try_kinds, NULL) != TSL_OK) {
        fail_msg("%s", tsl_last_error(NULL));
    }
}

/* ---- sources -------------------------------------------------------------------------------- */

/* A net charge is everyone's error, and leaves the plan of use; a bad address is a failure. */
static tsl_status try_charge(tsl_comm *comm, void *user)
{
    tsl_context *context = NULL;
    tsl_poisson_plan *plan = NULL;
    const tsl_poisson_options o = small_box_options("ppp");
    (void)user;
    double *cells = tsl_allocate_zeroed(512, sizeof *cells);
    tsl_status status = open_rank(&context, comm);
    if (status == TSL_OK) {
        status = tsl_poisson_plan_create(&plan, context, &o);
    }
    cells[3] = comm->rank == 1 ? 64 : 0;
    bool good = status == TSL_OK && tsl_poisson_execute(plan, cells, cells) == TSL_E_ARG &&
                strstr(tsl_last_error(context), "a net charge of 1,") != NULL;
    cells[3] = comm->rank == 1 ? 1 : comm->rank == 2 ? -1 : 0;
    good = good && tsl_poisson_execute(plan, cells, cells) == TSL_OK;
    const tsl_status last =
        good ? tsl_poisson_execute(plan, cells, comm->rank == 2 ? NULL : cells) : TSL_OK;
    good = good && last == (comm->rank == 2 ? TSL_E_ARG : TSL_E_COMM) &&
           strstr(tsl_last_error(context), "the source's address is NULL") != NULL;
    tsl_poisson_plan_destroy(plan);
    tsl_context_destroy(context);
    tsl_release(cells);
    return good ? TSL_OK : TSL_E_INTERNAL;
}

static void faults_in_a_source_are_told_to_all(void **state)
{
    (void)state;
    assert_int_equal(tsl_comm_run(3, try_charge, NULL), TSL_E_ARG);
    assert_non_null(strstr(tsl_last_error(NULL), "rank 2: the source's address is NULL"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_one_rank_is_refused_all_are),
                                       cmocka_unit_test(a_rank_without_memory_tells_all),
                                       cmocka_unit_test(whatever_one_rank_lacks_all_return),
                                       cmocka_unit_test(ranks_of_one_device_add_up_their_memory),
                                       cmocka_unit_test(devices_of_two_kinds_are_refused),
                                       cmocka_unit_test(faults_in_a_source_are_told_to_all)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
