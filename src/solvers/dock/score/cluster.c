/* Poses that lie together: greedy clusters by the ligand's root mean square distance. */
#include <math.h>
#include <string.h>

#include "io/molecule/molecule.h"
#include "solvers/dock/plan.h"

/* The second moments of the ligand's positions about their mean, angstrom^2. */
static void moments_of(const tsl_molecule *molecule, double moments[3][3])
{
    double mean[3] = {0};
    for (int64_t i = 0; i < 3 * molecule->count; i++) {
        mean[i % 3] += molecule->positions[i] / (double)molecule->count;
    }
    memset(moments, 0, 9 * sizeof(double));
    for (int64_t i = 0; i < molecule->count; i++) {
        const double *at = molecule->positions + 3 * i;
        for (int row = 0; row < 3; row++) {
            for (int column = 0; column < 3; column++) {
                moments[row][column] +=
                    (at[row] - mean[row]) * (at[column] - mean[column]) / (double)molecule->count;
            }
        }
    }
}

/* Where a pose puts the ligand's mean, and its rotation, by itself and times the moments. */
typedef struct placed {
    double mean[3], rotation[9], turned[9];
} placed;

static placed place(const tsl_dock_plan *plan, const double mean[3], double moments[3][3],
                    const tsl_pose *pose)
{
    placed p;
    double motion[3][4];
    tsl_pose_motion(plan, pose, motion);
    for (int i = 0; i < 3; i++) {
        p.mean[i] = motion[i][3];
        for (int j = 0; j < 3; j++) {
            p.mean[i] += motion[i][j] * mean[j];
            p.rotation[3 * i + j] = motion[i][j];
            p.turned[3 * i + j] = motion[i][0] * moments[0][j] + motion[i][1] * moments[1][j] +
                                  motion[i][2] * moments[2][j];
        }
    }
    return p;
}

/* Mean square distance of the ligand's atoms between two poses. */
static double distance_between(const placed *a, const placed *b, double trace)
{
    double square = 2 * trace;
    for (int i = 0; i < 3; i++) {
        square += (a->mean[i] - b->mean[i]) * (a->mean[i] - b->mean[i]);
    }
    for (int i = 0; i < 9; i++) {
        square -= 2 * a->turned[i] * b->rotation[i];
    }
    return square;
}

int64_t tsl_poses_cluster(const tsl_dock_plan *plan, tsl_pose *poses, int64_t count, double radius,
                          int64_t most, int64_t *from, int64_t *sizes)
{
    const tsl_molecule *ligand = plan->ligand_molecule;
    tsl_context *context = plan->context;
    double moments[3][3], mean[3] = {0};
    if (!(radius > 0) || count < 0 || most < 1) {
        return tsl_fail(context, TSL_E_ARG, "clusters of %g angstrom: give more than 0", radius);
    }
    placed *heads = tsl_allocate((size_t)(count < most ? count : most) * sizeof *heads);
    if (heads == NULL) {
        return tsl_fail_memory(context, count * (int64_t)sizeof *heads, "clusters of poses");
    }
    moments_of(ligand, moments);
    for (int64_t i = 0; i < 3 * ligand->count; i++) {
        mean[i % 3] += ligand->positions[i] / (double)ligand->count;
    }
    const double trace = moments[0][0] + moments[1][1] + moments[2][2];
    int64_t clusters = 0;
    for (int64_t i = 0; i < count; i++) {
        const placed own = place(plan, mean, moments, &poses[i]);
        int64_t at = 0;
        while (at < clusters && distance_between(&heads[at], &own, trace) > radius * radius) {
            at++;
        }
        if (at < clusters) {
            sizes[at]++;
        } else if (clusters < most) {
            heads[clusters] = own;
            poses[clusters] = poses[i];
            from[clusters] = i;
            sizes[clusters++] = 1;
        }
    }
    tsl_release(heads);
    return clusters;
}
