/* Sums over pairs of atoms by tables of integers, the same on every device and in any order.
 *
 * Coordinates are whole numbers of 2^-10 angstrom from the receptor's middle, so that the square of
 * a distance is one too, and the bin it falls into is exact. The receptor's atoms lie in cells half
 * as wide as the farthest pair, one behind the other along z; only cells around an atom of the
 * ligand are looked at. */
#ifndef TSL_DOCK_PAIRS_POINT_H
#define TSL_DOCK_PAIRS_POINT_H

#include <stdint.h>

#include "solvers/dock/dock_point.h"
#include "tesela/dock.h"

enum {
    TSL_PAIR_BITS = 10,    /* of an angstrom */
    TSL_PAIR_REACH = 2,    /* cells to either side in which pairs are */
    TSL_PAIR_LONGEST = 12, /* angstrom: three cells of 6 still have squares of 31 bits */
    TSL_PAIR_TABLE = TSL_CONTACT_TYPE_COUNT * TSL_CONTACT_TYPE_COUNT
};

/* An atom of the receptor. */
typedef struct tsl_pair_atom {
    int32_t at[3];
    int32_t type;
} tsl_pair_atom;

/* What the sums of a batch of poses take; arrays are the device's. */
typedef struct tsl_pair_task {
    const tsl_pair_atom *receptor; /* by cells */
    const int32_t *starts;         /* [cells + 1] */
    int32_t low[3];                /* where the first cell begins */
    int32_t cells[3];
    int32_t edge; /* of a cell */
    int32_t ligand_count;
    const float *ligand;  /* [ligand_count][3], angstrom from its middle */
    const int32_t *types; /* [ligand_count] */
    int32_t bins;
    int32_t squares[TSL_PAIR_BINS]; /* of their outer ends, in units of 2^-20 */
    const int32_t *values;          /* [bins][18][18] in 2^-8 */
    const tsl_dock_turns *turns;    /* [poses] */
    const int32_t *offsets;         /* [poses][3]: of their translations */
    int64_t *energies;              /* [poses] */
} tsl_pair_task;

/* A coordinate in whole units; a tie goes to the even one. The product is exact. */
TSL_FN int32_t tsl_pair_fixed(float coordinate)
{
#ifdef __CUDA_ARCH__
    return __float2int_rn(coordinate * (1 << TSL_PAIR_BITS));
#else
    return (int32_t)lrintf((float)(coordinate * (1 << TSL_PAIR_BITS)));
#endif
}

/* Potential of two atoms whose distance has `square`. Most pairs are far ones: the last bin is
 * looked at first. */
TSL_FN int32_t tsl_pair_value(const tsl_pair_task *t, const int32_t *values, int32_t square,
                              int32_t types)
{
    int bin = t->bins - 1;
    if (square > t->squares[bin]) {
        return 0;
    }
    while (bin > 0 && square <= t->squares[bin - 1]) {
        bin--;
    }
    return values[bin * TSL_PAIR_TABLE + types];
}

/* The pairs of an atom with those of a column's cells first … end - 1. */
TSL_FN int64_t tsl_pairs_of_column(const tsl_pair_task *t, const int32_t *values,
                                   const int32_t at[3], int32_t type, int32_t first, int32_t end)
{
    int64_t sum = 0;
    for (int32_t i = first; i < end; i++) {
        const tsl_pair_atom *other = &t->receptor[i];
        const int32_t x = other->at[0] - at[0];
        const int32_t y = other->at[1] - at[1];
        const int32_t z = other->at[2] - at[2];
        sum += tsl_pair_value(t, values, x * x + y * y + z * z,
                              other->type * TSL_CONTACT_TYPE_COUNT + type);
    }
    return sum;
}

/* The pairs of the ligand's atom j in a pose. `values` are the task's, or a copy. */
TSL_FN int64_t tsl_pairs_of_atom(const tsl_pair_task *t, const int32_t *values, int pose, int j)
{
    float moved[3];
    int32_t at[3], from[3], to[3];
    int64_t sum = 0;
    tsl_dock_rotate(&t->turns[pose], t->ligand + 3 * (int64_t)j, moved);
    for (int axis = 0; axis < 3; axis++) {
        at[axis] = tsl_pair_fixed(moved[axis]) + t->offsets[3 * (int64_t)pose + axis];
        const int32_t from_low = at[axis] - t->low[axis]; /* the first cells are empty */
        const int32_t cell = from_low / t->edge;
        if (from_low < 0 || cell >= t->cells[axis]) {
            return 0;
        }
        from[axis] = cell > TSL_PAIR_REACH ? cell - TSL_PAIR_REACH : 0;
        to[axis] =
            cell + TSL_PAIR_REACH < t->cells[axis] ? cell + TSL_PAIR_REACH : t->cells[axis] - 1;
    }
    for (int32_t x = from[0]; x <= to[0]; x++) {
        for (int32_t y = from[1]; y <= to[1]; y++) {
            const int32_t *column = t->starts + ((int64_t)x * t->cells[1] + y) * t->cells[2];
            sum +=
                tsl_pairs_of_column(t, values, at, t->types[j], column[from[2]], column[to[2] + 1]);
        }
    }
    return sum;
}

#endif
