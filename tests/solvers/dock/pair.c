#include "solvers/dock/pair.h"

#include "solvers/dock/blob.h"
#include "support/devices.h"

enum { SMALL = 40 };

pair test_pair(const char *device, int threads)
{
    pair p = {.context = test_context(device, threads)};
    p.receptor = test_blob(p.context, 1, BLOB_ATOMS, 14);
    p.ligand = test_blob(p.context, 2, SMALL, 7);
    return p;
}

void test_free_pair(pair *p)
{
    tsl_molecule_destroy(p->receptor);
    tsl_molecule_destroy(p->ligand);
    tsl_context_destroy(p->context);
}

void test_spiral(tsl_rotation *rotations)
{
    assert_int_equal(tsl_rotations_spiral(rotations, PAIR_ROTATIONS), TSL_OK);
}

tsl_dock_options test_small_options(void)
{
    tsl_dock_options options = TSL_DOCK_OPTIONS_FTDOCK;
    options.grid = 50; /* 2 * 5 * 5 */
    options.keep = PAIR_KEEP;
    return options;
}

void test_search_into(tsl_dock_plan *plan, tsl_pose *poses)
{
    tsl_rotation rotations[PAIR_ROTATIONS];
    test_spiral(rotations);
    assert_int_equal(tsl_dock_search(plan, poses, rotations, PAIR_ROTATIONS, NULL, NULL), TSL_OK);
}

void test_search(const pair *p, const tsl_dock_options *options, tsl_pose *poses)
{
    tsl_dock_plan *plan = NULL;
    if (tsl_dock_plan_create(&plan, p->context, p->receptor, p->ligand, options) != TSL_OK) {
        fail_msg("%s", tsl_last_error(p->context));
    }
    test_search_into(plan, poses);
    tsl_dock_plan_destroy(plan);
}
