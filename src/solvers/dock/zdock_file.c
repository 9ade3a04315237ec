#include <math.h>
#include <stdio.h>

#include "io/file/output.h"
#include "solvers/dock/pose_files.h"

enum { DEGREE = 1000000 }; /* in the unit of tsl_rotation */

/* Millionths of a degree to radians in (-pi, pi]. */
static double radians(int32_t angle)
{
    const int32_t half = 180 * DEGREE;
    const int32_t turned = angle > half ? angle - 2 * half : angle;
    return (double)turned / half * M_PI;
}

/* t in [0, N) with -t = shift modulo N. */
static int translation(int32_t shift, int grid)
{
    return (int)(shift > 0 ? grid - shift : -shift);
}

/* Rz(phi) Ry(theta) Rz(twist) as Rz(psi) Rx(theta) Rz(phi'): Ry(theta) = Rz(90) Rx(theta) Rz(-90).
 */
static void write_row(FILE *stream, const tsl_pose *pose, int grid)
{
    const int32_t turn = 360 * DEGREE;
    const int32_t psi = (pose->rotation.phi + 90 * DEGREE) % turn;
    const int32_t phi = (pose->rotation.twist + 270 * DEGREE) % turn;
    fprintf(stream, "%.6f\t%.6f\t%.6f\t%d\t%d\t%d\t%.3f\n", radians(psi),
            radians(pose->rotation.theta), radians(phi), translation(pose->shift[0], grid),
            translation(pose->shift[1], grid), translation(pose->shift[2], grid),
            (double)pose->score);
}

static void write_molecule(FILE *stream, const char *name, const double centre[3])
{
    char plain[256];
    tsl_plain_name(plain, sizeof plain, name, false);
    fprintf(stream, "%s\t%.6f\t%.6f\t%.6f\n", plain, centre[0], centre[1], centre[2]);
}

tsl_status tsl_zdock_write(tsl_context *context, const char *path, const tsl_pose_list *list,
                           const tsl_dock_summary *summary)
{
    tsl_output *output = NULL;
    const tsl_status status = tsl_output_open(&output, context, path);
    if (status != TSL_OK) {
        return status;
    }
    FILE *stream = tsl_output_stream(output);
    const tsl_plain_numbers numbers = tsl_plain_numbers_enter();
    fprintf(stream, "%d\t%.9g\n0.000000\t0.000000\t0.000000\n", summary->grid, summary->spacing);
    write_molecule(stream, list->head.receptor, summary->receptor_centre);
    write_molecule(stream, list->head.ligand, summary->ligand_centre);
    for (int64_t i = 0; i < list->count; i++) {
        write_row(stream, &list->poses[i], summary->grid);
    }
    tsl_plain_numbers_leave(numbers);
    return tsl_output_commit(output);
}
