/* Poses: their order, and the motion one stands for. */
#include <stdlib.h>

#include "solvers/dock/plan.h"

static int descending(int64_t a, int64_t b)
{
    return (a < b) - (a > b);
}

static int compare(const void *left, const void *right)
{
    const tsl_pose *a = left;
    const tsl_pose *b = right;
    const int64_t fields[7][2] = {{a->score, b->score},
                                  {a->shift[0], b->shift[0]},
                                  {a->shift[1], b->shift[1]},
                                  {a->shift[2], b->shift[2]},
                                  {a->rotation.twist, b->rotation.twist},
                                  {a->rotation.theta, b->rotation.theta},
                                  {a->rotation.phi, b->rotation.phi}};
    for (int i = 0; i < 7; i++) {
        const int order = descending(fields[i][0], fields[i][1]);
        if (order != 0) {
            return order;
        }
    }
    return 0;
}

void tsl_poses_sort(tsl_pose *poses, int64_t count)
{
    qsort(poses, (size_t)count, sizeof *poses, compare);
}

void tsl_pose_motion(const tsl_dock_plan *plan, const tsl_pose *pose, double matrix[3][4])
{
    const tsl_dock_summary *s = &plan->summary;
    double rotation[3][3];
    tsl_dock_matrix(&pose->rotation, rotation);
    for (int i = 0; i < 3; i++) {
        matrix[i][3] = s->receptor_centre[i] + pose->shift[i] * s->spacing;
        for (int j = 0; j < 3; j++) {
            matrix[i][j] = rotation[i][j];
            matrix[i][3] -= rotation[i][j] * s->ligand_centre[j];
        }
    }
}
