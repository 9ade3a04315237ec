/* Incomplete factors, on the host and as a GPU applies them. */
#ifndef TSL_SPARSE_INCOMPLETE_H
#define TSL_SPARSE_INCOMPLETE_H

#include "solvers/linsolve/linsolve.h"

/* Rows in an order in which none needs a later one, level by level. */
typedef struct tsl_schedule {
    int64_t levels;
    int64_t *start; /* [levels + 1] */
    int32_t *row;   /* [rows] */
} tsl_schedule;

typedef struct tsl_incomplete {
    tsl_context *context;
    const tsl_layout *layout;
    tsl_csr lu;        /* L below the diagonal, whose own is 1; U from there */
    int64_t *diagonal; /* [rows]: its entry */
    double *inverse;   /* [rows]: 1 / U's diagonal */
    tsl_schedule down, up;
    double *space; /* [rows] */
    /* On a GPU: */
    tsl_sweep down_sweep, up_sweep;
    double *vector; /* [rows], which the sweeps turn from r into M r */
    tsl_recording *sweeps;
} tsl_incomplete;

/* The entries that row i needs other rows for: those before the diagonal, or behind it. */
static inline tsl_piece tsl_needed_entries(const tsl_incomplete *f, int64_t i, bool down)
{
    return down ? (tsl_piece){f->lu.row_start[i], f->diagonal[i]}
                : (tsl_piece){f->diagonal[i] + 1, f->lu.row_start[i + 1]};
}

/* Bring factors that are made to the device. On failure tsl_incomplete_leave_gpu() releases what is
 * there. */
tsl_status tsl_incomplete_to_gpu(tsl_incomplete *f);
void tsl_incomplete_leave_gpu(tsl_incomplete *f);
tsl_status tsl_incomplete_apply_on_gpu(void *self, double *z, const double *r, double norm);

#endif
