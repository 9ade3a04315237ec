/* Cells that a restraint leaves: the translations that bring some atom of the receptor's and some
 * of the ligand's to within a distance of each other.
 *
 * With the receptor's atom at a and the ligand's, turned, at b, both from their molecules' middles,
 * these are the translations in a ball around a - b. A mask of a bit a translation has the balls of
 * all pairs. It proposes only: the radius is some hundredths of an angstrom more than asked for,
 * and what is found in it is checked in double precision (restrain.c), so that no answer hangs on
 * how a device rounds. */
#ifndef TSL_DOCK_RESTRAIN_POINT_H
#define TSL_DOCK_RESTRAIN_POINT_H

#include "blocks/convolve/convolve.h"
#include "solvers/dock/dock_point.h"

typedef struct tsl_restraint_task {
    int grid;                    /* N */
    float spacing;               /* angstrom */
    float radius;                /* of the balls, angstrom */
    int slices;                  /* planes of cells that a ball meets at most */
    int count[2];                /* atoms of receptor and ligand */
    const float *positions[2];   /* [count][3], from the molecule's middle */
    const tsl_dock_turns *turns; /* [members] */
    uint32_t *mask;              /* [members][N][N][row words]; bit i is the shift i + 1 - N / 2 */
    tsl_grid_layout layout;
    void *grids;
} tsl_restraint_task;

TSL_FN int tsl_restraint_row_words(int grid)
{
    return (grid + 31) / 32;
}

/* Words of a member's mask. */
TSL_FN int64_t tsl_restraint_words(const tsl_restraint_task *task)
{
    return (int64_t)task->grid * task->grid * tsl_restraint_row_words(task->grid);
}

/* The numbers *from to *to of the bits whose shifts lie within `length` of coordinate p along an
 * axis; is there any? */
TSL_FN int tsl_restraint_range(const tsl_restraint_task *task, float p, float length, int *from,
                               int *to)
{
    const int first = 1 - task->grid / 2;
    const int low = (int)ceilf((p - length) / task->spacing) - first;
    const int high = (int)floorf((p + length) / task->spacing) - first;
    *from = low > 0 ? low : 0;
    *to = high < task->grid - 1 ? high : task->grid - 1;
    return *from <= *to;
}

/* Set the bits of a row from number `from` to number `to`, both included. */
TSL_FN void tsl_restraint_set(uint32_t *row, int from, int to)
{
    for (int word = from / 32; word <= to / 32; word++) {
        const int low = from > 32 * word ? from - 32 * word : 0;
        const int high = to < 32 * word + 31 ? to - 32 * word : 31;
        const uint32_t bits = UINT32_MAX >> (31 - high + low) << low;
#ifdef __CUDA_ARCH__
        if ((row[word] & bits) != bits) {
            atomicOr(&row[word], bits);
        }
#else
        row[word] |= bits;
#endif
    }
}

/* Mark one plane of the ball of a pair of atoms; that of atoms i and j is number i * count[1] + j.
 */
TSL_FN void tsl_restraint_mark(const tsl_restraint_task *task, int member, int ball, int slice)
{
    const float *a = task->positions[0] + 3 * (ball / task->count[1]);
    const float h = task->spacing;
    const float square = task->radius * task->radius;
    float p[3];
    int from, to, last, low, high;
    tsl_dock_rotate(&task->turns[member], task->positions[1] + 3 * (ball % task->count[1]), p);
    for (int axis = 0; axis < 3; axis++) {
        p[axis] = a[axis] - p[axis];
    }
    if (!tsl_restraint_range(task, p[0], task->radius, &from, &to) || from + slice > to) {
        return;
    }
    const int x = from + slice;
    const float along_x = (float)(x + 1 - task->grid / 2) * h - p[0];
    const float left = square - along_x * along_x;
    if (left < 0 || !tsl_restraint_range(task, p[1], sqrtf(left), &from, &last)) {
        return;
    }
    uint32_t *rows = task->mask + member * tsl_restraint_words(task);
    for (int y = from; y <= last; y++) {
        const float along_y = (float)(y + 1 - task->grid / 2) * h - p[1];
        const float rest = left - along_y * along_y;
        if (rest >= 0 && tsl_restraint_range(task, p[2], sqrtf(rest), &low, &high)) {
            tsl_restraint_set(rows + ((int64_t)x * task->grid + y) *
                                         tsl_restraint_row_words(task->grid),
                              low, high);
        }
    }
}

/* Set a cell of a member's grid to 0 unless it is marked. */
TSL_FN void tsl_restraint_clear(const tsl_restraint_task *task, int member, int cell)
{
    const int n = task->grid;
    const int line = cell / n;
    const int places[3] = {line / n, line % n, cell % n};
    int bit[3];
    for (int axis = 0; axis < 3; axis++) {
        bit[axis] = tsl_dock_signed_shift(places[axis], n) - 1 + n / 2;
    }
    const uint32_t *row = task->mask + member * tsl_restraint_words(task) +
                          ((int64_t)bit[0] * n + bit[1]) * tsl_restraint_row_words(n);
    if ((row[bit[2] / 32] >> (bit[2] % 32) & 1) == 0) {
        const int64_t at =
            tsl_grid_row(&task->layout, member, line) + (int64_t)places[2] * task->layout.lanes;
        if (task->layout.precision == TSL_SINGLE) {
            ((float *)task->grids)[at] = 0;
        } else {
            ((double *)task->grids)[at] = 0;
        }
    }
}

#endif
