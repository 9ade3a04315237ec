/* What a device does for pairwise work. */
#ifndef TSL_PAIRS_H
#define TSL_PAIRS_H

#include "core/context.h"
#include "tesela/pairs.h"

#include "solvers/pairs/pairs_point.h"

/* Points lie in blocks of TSL_POINT_BYTES a coordinate: [blocks][dimensions][points of a block], so
 * that neighbouring threads, or parts of a vector, take neighbouring points. Beyond the last point
 * there are zeros. */
enum { TSL_POINT_BYTES = 128 };

/* Points of a block, for a number of `precision` bytes. */
TSL_FN int tsl_point_block(int precision)
{
    return TSL_POINT_BYTES / precision;
}

/* A range of elements of a result. All arrays are device memory, of numbers of `precision` bytes.
 */
typedef struct tsl_distance_task {
    int precision;
    int sum; /* tsl_pair_sum */
    int root;
    int layout;
    int dimensions;
    double p;
    int64_t rows, columns;
    int64_t first, count;        /* elements, count >= 1 */
    int64_t row_first, row_last; /* rows they stand in */
    const void *row;             /* [rows][dimensions] */
    const void *column;          /* in blocks */
    const void
        *weights; /* [dimensions], or of TSL_PAIR_FORM double [dimensions][dimensions]; NULL */
    void *out;    /* [count], aligned to 64 bytes */
} tsl_distance_task;

typedef struct tsl_pairs_ops {
    /* Asynchronous on the context's stream. */
    tsl_status (*distances)(tsl_context *context, const tsl_distance_task *task);
} tsl_pairs_ops;

extern const tsl_pairs_ops tsl_pairs_cpu;

/* ---- host work on points (distance_points.c) ------------------------------------------------ */

/* Of both sets of points together: variances [d], or the inverse of the covariance [d][d]. b may be
 * NULL. */
tsl_status tsl_pairs_variances(double *out, tsl_context *context, const tsl_points *a,
                               const tsl_points *b);
tsl_status tsl_pairs_inverse_covariance(double *out, tsl_context *context, const tsl_points *a,
                                        const tsl_points *b);

/* Refuse what is not finite, or larger than squares allow. `set` names the points: "a". */
tsl_status tsl_pairs_check_points(tsl_context *context, const tsl_points *points, const char *set);

/* Copy points as rows, and into blocks. With `unit` each is first brought to length 1, and with
 * `centred` less the mean of its coordinates before that; points of length 0 become
 * not-a-numbers. */
void tsl_pairs_copy_rows(void *out, const tsl_points *points, bool unit, bool centred);
void tsl_pairs_copy_blocks(void *out, const void *rows, int64_t count, int dimensions,
                           int precision);
int64_t tsl_pairs_block_bytes(int64_t count, int dimensions, int precision);

#endif
