/* What exchange and correlation on a grid are planned with, worked out on the host: shells as
 * kernels see them, points in groups, and each group's functions. */
#ifndef TSL_XC_STEP_DRAFT_H
#define TSL_XC_STEP_DRAFT_H

#include "solvers/scf/xc_step/step.h"

typedef struct tsl_xc_step_draft {
    int groups, tables, most_rows; /* tables: numbers; most_rows: of a group */
    int64_t points, kept;          /* of all groups; of the grid's those that have a weight */
    int64_t entries, rows;         /* of all groups */
    tsl_xc_shell *shell;
    double *table;
    int32_t *order; /* [points]: a point's number in the grid; -1: none */
    double *position, *weight;
    unsigned char *has; /* [groups][shells] */
    tsl_xc_group *group;
    tsl_xc_entry *entry;
    int32_t *function;
    int16_t *place; /* see tsl_xc_step_task; empty unless asked for */
} tsl_xc_step_draft;

/* To be released whether it succeeds or not. */
tsl_status tsl_xc_step_make_draft(tsl_xc_step_draft *out, tsl_context *context,
                                  const tsl_scf_basis *basis, const tsl_scf_grid *grid,
                                  double cutoff, bool with_places);
void tsl_xc_step_release_draft(tsl_xc_step_draft *draft);

/* Host memory for `count` elements, one at least; *out is a pointer. */
tsl_status tsl_xc_step_take(tsl_context *context, void *out, int64_t count, size_t each);

#endif
