/* How ranks set a pair up where the transforms of one of them are out of the ordinary: slow to
 * plan, too large, or broken. */
/* ctest: cost 60 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "comm/comm.h"
#include "solvers/dock/blob.h"
#include "solvers/dock/share.h"
#include "support/devices.h"
#include "tesela/tesela.h"

enum { GRID = 40, ROTATIONS = 12, KEEP = 3, POSES = ROTATIONS * KEEP, LIGAND_ATOMS = 40 };

static const double planning = 0.2; /* seconds, at least */

static tsl_status create_slowly(tsl_convolve **out, tsl_context *context,
                                const tsl_convolve_description *what)
{
    nanosleep(&(struct timespec){.tv_nsec = (long)(planning * 1e9)}, NULL);
    return tsl_convolve_cpu.create(out, context, what);
}

static tsl_status fail_to_load(tsl_convolve *plan, void *grid)
{
    (void)plan, (void)grid;
    return TSL_E_DEVICE;
}

static int64_t too_much(const tsl_context *context, const tsl_convolve_description *what)
{
    (void)context, (void)what;
    return INT64_C(1) << 60;
}

/* Two ranks, of which rank 1 is a CPU with these transforms. */
typedef struct odd {
    const char *first; /* device of rank 0 */
    tsl_convolve_ops convolve;
    tsl_status planned[2], searched[2];
    double waited[2]; /* seconds from asking for the search to the first batch */
} odd;

/* Half of the rotations each. */
static tsl_status search_in_halves(tsl_context *context, odd *o)
{
    static const double halves[] = {1, 1};
    const int rank = context->comm->rank;
    tsl_dock_options options = TSL_DOCK_OPTIONS_FTDOCK;
    tsl_rotation rotations[ROTATIONS];
    tsl_pose poses[POSES];
    tsl_dock_plan *plan = NULL;
    options.grid = GRID;
    options.surface = 2.5;
    options.keep = KEEP;
    tsl_rotations_spiral(rotations, ROTATIONS);
    tsl_molecule *receptor = test_blob(context, 1, BLOB_ATOMS, 14);
    tsl_molecule *ligand = test_blob(context, 2, LIGAND_ATOMS, 7);
    tsl_status status = tsl_dock_plan_create(&plan, context, receptor, ligand, &options);
    o->planned[rank] = status;
    if (status == TSL_OK) {
        tsl_dock_share_in_parts(plan, halves);
        const double begun = tsl_seconds();
        status = tsl_dock_search(plan, poses, rotations, ROTATIONS, NULL, NULL);
        o->searched[rank] = status;
        o->waited[rank] = tsl_dock_share_begun(plan) - begun;
    }
    tsl_dock_plan_destroy(plan);
    tsl_molecule_destroy(receptor);
    tsl_molecule_destroy(ligand);
    return status;
}

static tsl_status run_odd(tsl_comm *comm, void *user)
{
    odd *o = user;
    tsl_context *context = NULL;
    tsl_status status = test_rank_context(&context, comm, comm->rank == 0 ? o->first : "cpu");
    if (status != TSL_OK) {
        return status;
    }
    const tsl_device_ops *const own = context->ops;
    tsl_device_ops ops = *own;
    ops.convolve = &o->convolve;
    context->ops = comm->rank == 1 ? &ops : own;
    status = search_in_halves(context, o);
    context->ops = own;
    tsl_context_destroy(context);
    return status;
}

/* How fast a rank is goes by its batches, not by what it does before them. */
static void test_late(void **state)
{
    (void)state;
    alarm(120);
    odd o = {.first = "sim", .convolve = tsl_convolve_cpu};
    o.convolve.create = create_slowly;
    assert_int_equal(tsl_comm_run(2, run_odd, &o), TSL_OK);
    assert_true(o.waited[0] >= 0 && o.waited[1] >= planning);
}

/* A CPU beside a GPU has the memory of its transforms before there is a search. */
static void test_late_lacks(void **state)
{
    (void)state;
    alarm(120);
    odd o = {.first = "sim", .convolve = tsl_convolve_cpu};
    o.convolve.bytes = too_much;
    assert_int_equal(tsl_comm_run(2, run_odd, &o), TSL_E_NOMEM);
    assert_int_equal(o.planned[0], TSL_E_NOMEM);
    assert_int_equal(o.planned[1], TSL_E_NOMEM);
}

/* The last step of a set-up, of one rank: the other does not go on without it. */
static void test_last_step(void **state)
{
    (void)state;
    alarm(120);
    odd o = {.first = "cpu", .convolve = tsl_convolve_cpu};
    o.convolve.set_fixed = fail_to_load;
    assert_int_equal(tsl_comm_run(2, run_odd, &o), TSL_E_DEVICE);
    assert_int_equal(o.planned[0], TSL_E_DEVICE);
    assert_int_equal(o.planned[1], TSL_E_DEVICE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_late),
                                       cmocka_unit_test(test_late_lacks),
                                       cmocka_unit_test(test_last_step)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
