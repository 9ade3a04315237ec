/* Docks two molecules and prints the five best poses, and the motion that takes the ligand's atoms
 * to the best of them.
 *
 *     cc dock_two_molecules.c $(pkg-config --cflags --libs tesela) -o dock_two_molecules
 *     ./dock_two_molecules receptor.pdb ligand.pdb [ANGLE-STEP]
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <tesela/tesela.h>

enum { KEEP = 1, SHOWN = 5 }; /* KEEP: of each rotation */

/* Search all rotations at `step` degrees; the sorted poses are the caller's to free. */
static tsl_status search(tsl_dock_plan *plan, int step, tsl_pose **poses, int64_t *count)
{
    int64_t rotation_count = tsl_rotations_step(NULL, step);
    if (rotation_count < 0) {
        fprintf(stderr, "the angle step must be a divisor of 180 and at least 9 degrees\n");
        return TSL_E_ARG;
    }
    tsl_status status = TSL_E_NOMEM;
    tsl_rotation *rotations = calloc((size_t)rotation_count, sizeof *rotations);
    *count = rotation_count * KEEP;
    *poses = calloc((size_t)*count, sizeof **poses);
    if (rotations && *poses) {
        tsl_rotations_step(rotations, step);
        status = tsl_dock_search(plan, *poses, rotations, rotation_count, NULL, NULL);
    }
    free(rotations);
    if (status == TSL_OK)
        tsl_poses_sort(*poses, *count);
    return status;
}

static void print(const tsl_dock_plan *plan, const tsl_pose *poses, int64_t count)
{
    printf("score  shift (cells)  twist theta phi (degrees)\n");
    for (int64_t i = 0; i < count && i < SHOWN && poses[i].score != 0; i++)
        printf("%5" PRId32 "  %4" PRId32 " %4" PRId32 " %4" PRId32 "  %g %g %g\n", poses[i].score,
               poses[i].shift[0], poses[i].shift[1], poses[i].shift[2],
               poses[i].rotation.twist * 1e-6, poses[i].rotation.theta * 1e-6,
               poses[i].rotation.phi * 1e-6);

    double motion[3][4];
    tsl_pose_motion(plan, &poses[0], motion);
    printf("motion of the ligand to the first pose (rotation | translation in angstrom)\n");
    for (int row = 0; row < 3; row++)
        printf("%9.6f %9.6f %9.6f | %9.3f\n", motion[row][0], motion[row][1], motion[row][2],
               motion[row][3]);
}

int main(int argc, char **argv)
{
    if (argc < 3 || argc > 4) {
        fprintf(stderr, "usage: %s RECEPTOR.pdb LIGAND.pdb [ANGLE-STEP]\n", argv[0]);
        return 2;
    }
    tsl_context *context = NULL;
    tsl_molecule *receptor = NULL;
    tsl_molecule *ligand = NULL;
    tsl_dock_plan *plan = NULL;
    tsl_pose *poses = NULL;
    int64_t count = 0;
    tsl_dock_options options = TSL_DOCK_OPTIONS_INIT;
    options.keep = KEEP;

    tsl_status status = tsl_context_create(&context, NULL);
    if (status == TSL_OK)
        status = tsl_molecule_read(&receptor, context, argv[1], NULL);
    if (status == TSL_OK)
        status = tsl_molecule_read(&ligand, context, argv[2], NULL);
    if (status == TSL_OK)
        status = tsl_dock_plan_create(&plan, context, receptor, ligand, &options);
    if (status == TSL_OK)
        status = search(plan, argc == 4 ? atoi(argv[3]) : 30, &poses, &count);
    if (status == TSL_OK)
        print(plan, poses, count);
    else
        fprintf(stderr, "%s: %s\n", tsl_status_name(status), tsl_last_error(context));

    free(poses);
    tsl_dock_plan_destroy(plan);
    tsl_molecule_destroy(ligand);
    tsl_molecule_destroy(receptor);
    tsl_context_destroy(context);
    return status == TSL_OK ? 0 : 1;
}
