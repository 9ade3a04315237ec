/* Clusters of poses against the rule done with every atom. */
/* ctest: cost 2 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/molecule/molecule.h"
#include "solvers/dock/pair.h"
#include "solvers/dock/plan.h"
#include "support/devices.h"

enum { POSES = PAIR_ROTATIONS * PAIR_KEEP };

/* Root mean square distance of the ligand's atoms between two poses, atom by atom. */
static double distance_of(const tsl_dock_plan *plan, const tsl_molecule *ligand, const tsl_pose *a,
                          const tsl_pose *b)
{
    double motions[2][3][4], square = 0;
    tsl_pose_motion(plan, a, motions[0]);
    tsl_pose_motion(plan, b, motions[1]);
    for (int64_t i = 0; i < ligand->count; i++) {
        const double *from = ligand->positions + 3 * i;
        for (int axis = 0; axis < 3; axis++) {
            double at[2];
            for (int k = 0; k < 2; k++) {
                const double *m = motions[k][axis];
                at[k] = m[0] * from[0] + m[1] * from[1] + m[2] * from[2] + m[3];
            }
            square += (at[0] - at[1]) * (at[0] - at[1]);
        }
    }
    return sqrt(square / (double)ligand->count);
}

/* The rule: the first pose left takes all that are left within the radius of it. */
static int cluster_plainly(const tsl_dock_plan *plan, const tsl_molecule *ligand,
                           const tsl_pose *poses, double radius, int heads[POSES],
                           int64_t sizes[POSES])
{
    bool taken[POSES] = {false};
    int clusters = 0;
    for (int i = 0; i < POSES; i++) {
        if (taken[i]) {
            continue;
        }
        heads[clusters] = i;
        sizes[clusters] = 0;
        for (int j = i; j < POSES; j++) {
            if (!taken[j] && distance_of(plan, ligand, &poses[i], &poses[j]) <= radius) {
                taken[j] = true;
                sizes[clusters]++;
            }
        }
        clusters++;
    }
    return clusters;
}

static void clusters_follow_the_rule(void **state)
{
    (void)state;
    static const double radii[] = {0.5, 4, 9, 300};
    pair p = test_pair("cpu", 1);
    tsl_dock_options options = test_small_options();
    tsl_dock_plan *plan = NULL;
    tsl_pose poses[POSES], found[POSES];
    int64_t from[POSES], sizes[POSES], expected_sizes[POSES];
    int heads[POSES], last = POSES + 1;
    assert_int_equal(tsl_dock_plan_create(&plan, p.context, p.receptor, p.ligand, &options),
                     TSL_OK);
    test_search_into(plan, poses);
    tsl_poses_sort(poses, POSES);
    for (size_t r = 0; r < sizeof radii / sizeof *radii; r++) {
        const int expected =
            cluster_plainly(plan, p.ligand, poses, radii[r], heads, expected_sizes);
        for (int most = expected + 1; most > 0; most = most / 2) {
            const int kept = most < expected ? most : expected;
            memcpy(found, poses, sizeof found);
            assert_int_equal(tsl_poses_cluster(plan, found, POSES, radii[r], most, from, sizes),
                             kept);
            for (int i = 0; i < kept; i++) {
                assert_int_equal(from[i], heads[i]);
                assert_int_equal(sizes[i], expected_sizes[i]);
                assert_memory_equal(&found[i], &poses[heads[i]], sizeof *poses);
            }
        }
        assert_true(expected < last); /* a wider radius joins more */
        last = expected;
    }
    assert_int_equal(last, 1);
    assert_int_equal(tsl_poses_cluster(plan, found, POSES, 0, 1, from, sizes), TSL_E_ARG);
    assert_int_equal(tsl_poses_cluster(plan, found, 0, 1, 1, from, sizes), 0);
    tsl_dock_plan_destroy(plan);
    test_free_pair(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(clusters_follow_the_rule)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
