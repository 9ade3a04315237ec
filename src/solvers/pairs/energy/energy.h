/* What a device does for energies of pairs. */
#ifndef TSL_PAIRS_ENERGY_H
#define TSL_PAIRS_ENERGY_H

#include "core/context.h"
#include "tesela/pairs.h"

/* Points along the sides of the parts that pairs are divided into: a multiple of the tallest, and
 * of the shortest that a thread or warp sums up at a time. */
enum { TSL_ENERGY_SHORTEST = 128, TSL_ENERGY_TALLEST = 256, TSL_ENERGY_WIDEST = 2048 };

/* Where points that fill up the last part stand, in units of length: their forces are 0. */
#define TSL_ENERGY_FAR 1e17

/* Sums have several copies, as many numbers apart as keep them on lines of memory of their own:
 * threads that add at a time then rarely wait for each other. */
enum { TSL_SUM_COPIES = 64, TSL_SUM_PLACES = 16 };

/* Lengths are in sigma, energies in 4 epsilon, or in the coupling. All arrays are device memory. */
typedef struct tsl_energy_task {
    int precision;
    int potential, shift;
    int space; /* tsl_space, but not wrapped */
    int64_t n;
    int64_t padded;        /* a multiple of `side`; points beyond n are far from all and from each
                              other */
    int side;              /* of the squares that pairs are divided into */
    double length;         /* of a unit: points are multiplied by 1 / length */
    double box[6];         /* in units */
    double cutoff;         /* in units; 0: none */
    double at_cutoff[2];   /* V and -V' there, of charges 1; 0 unless shifted */
    const void *points;    /* [n][3], as they came */
    const double *charges; /* [n]; NULL: 1 each */
    void *spots;           /* [padded][4]: x, y, z, charge */
    void *kept;            /* [n][3]: a copy of the points; NULL: not wanted */
    const int64_t *excluded_first; /* [n + 1]; NULL: none. Row i has the excluded j > i, */
    const int32_t *excluded;       /* ascending */
    const int64_t *first;          /* [n + 1]: neighbours j > i of point i; of listed pairs */
    const int32_t *indices;
    int64_t begin, end; /* the squares of all pairs, or the points of listed ones, that are done */
    double force_scale, energy_scale, virial_scale; /* units of length to whole numbers */
    double force_limit, sum_limit;                  /* of one number that is added */
    int64_t *forces;                                /* [3][n] */
    int64_t *sums;  /* [TSL_SUM_COPIES][TSL_SUM_PLACES]: energy and virial come first in each */
    double *beyond; /* the largest number above its limit, or 0 */
    double force_unit;
    void *out; /* [n][3]: forces in the points' precision; NULL: not wanted */
} tsl_energy_task;

/* Each is asynchronous on the context's stream. */
typedef struct tsl_energy_ops {
    /* spots from points and charges. */
    tsl_status (*spread)(tsl_context *context, const tsl_energy_task *task);
    /* Add all pairs i < j of the squares begin <= s < end, numbered by rows of the lower triangle,
     * to forces and sums. */
    tsl_status (*all_pairs)(tsl_context *context, const tsl_energy_task *task);
    /* Add the pairs of a list whose first point is begin <= i < end to forces and sums. */
    tsl_status (*listed_pairs)(tsl_context *context, const tsl_energy_task *task);
    /* out from forces. */
    tsl_status (*deliver)(tsl_context *context, const tsl_energy_task *task);
    /* *most becomes the largest square of how far a point is from where it was [n][3], in the
     * points' units; points and *most are device memory. */
    tsl_status (*moved)(tsl_context *context, const tsl_energy_task *task, const void *before,
                        double *most);
    /* *most becomes the largest number of pairs of the list that a point is in; degrees [n] is
     * room. */
    tsl_status (*degree)(tsl_context *context, const tsl_energy_task *task, int32_t *degrees,
                         int32_t *most);
} tsl_energy_ops;

extern const tsl_energy_ops tsl_energy_cpu, tsl_energy_sim, tsl_energy_cuda;

#endif
