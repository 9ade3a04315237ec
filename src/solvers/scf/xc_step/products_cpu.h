/* The two products of small matrices that a group of points takes most of its time for. Each
 * element is a chain of fused multiply-adds in the order of the inner index: the same bits with
 * every instruction set. */
#ifndef TSL_XC_STEP_PRODUCTS_CPU_H
#define TSL_XC_STEP_PRODUCTS_CPU_H

#include "solvers/scf/xc_step/step.h"

/* Rows of a panel; the last ones of a matrix may be 8 or 4. */
enum { TSL_XC_STEP_PANEL = 12 };

/* Rows of the panel that begins at row `i` of `rows`, a multiple of 4. */
static inline int tsl_xc_step_panel(int i, int rows)
{
    return rows - i < TSL_XC_STEP_PANEL ? rows - i : TSL_XC_STEP_PANEL;
}

/* From one row to the next of a matrix that is read down its columns: rows, a multiple of 8, and
 * more where they would share sets of the cache. */
static inline int tsl_xc_step_pitch(int rows)
{
    return rows % 16 == 0 ? rows + 8 : rows;
}

/* c = a b. a [rows][inner] is in panels: element (i, k) of the panel that begins at row p is at
 * p * inner + k * height + i - p. b [inner][TSL_XC_STEP_PITCH] and c [rows][TSL_XC_STEP_PITCH], of
 * which TSL_XC_STEP_POINTS columns count. */
void tsl_xc_step_expand(double *c, const double *a, const double *b, int rows, int inner);

/* c = a b, or c + a b. a [rows][TSL_XC_STEP_PITCH], b
 * [TSL_XC_STEP_POINTS][tsl_xc_step_pitch(rows)], c [rows][rows]; rows is a multiple of 8. */
void tsl_xc_step_contract(double *c, const double *a, const double *b, int rows, bool add);

#endif
