/* What solvers do with vectors, as lists of steps that go through memory together: a piece of rows
 * is taken through all steps before the next, so that what a step leaves is in cache for those that
 * follow. Sums are made by pieces and added up in their order: the same bits for any number of
 * threads and ranks. */
#ifndef TSL_SPARSE_STEPS_H
#define TSL_SPARSE_STEPS_H

#include "sparse/form.h"
#include "sparse/layout.h"
#include "tesela/sparse.h"

typedef enum tsl_step_kind {
    TSL_STEP_PRODUCT, /* y = A x; a list has one at most, as its first step. x must not be written
                         by the list's other steps */
    TSL_STEP_COMBINE, /* y = a x + b z; z is not read where b = 0 */
    TSL_STEP_SCALE,   /* y[i] = a x[i] w[i] + b z[i]; likewise */
    TSL_STEP_DOT,     /* next sum = x.z, both of double precision */
    TSL_STEP_LOAD,    /* y = a x, x of double precision */
    TSL_STEP_STORE    /* y = a x, y of double precision */
} tsl_step_kind;

/* Vectors are of the list's precision unless said otherwise; NULL is a vector that exists only from
 * one step of a list to the next. */
typedef struct tsl_step {
    tsl_step_kind kind;
    double a, b;
    void *y;
    const void *x, *z, *w;
    const tsl_form *form; /* of a product; or instead an operator, which needs y and one rank: */
    const tsl_halo *halo;
    tsl_linsolve_operator apply;
    void *user;
} tsl_step;

static inline tsl_step tsl_product(void *y, const tsl_form *form, const tsl_halo *halo,
                                   const void *x)
{
    return (tsl_step){.kind = TSL_STEP_PRODUCT, .y = y, .x = x, .form = form, .halo = halo};
}

static inline tsl_step tsl_combine(void *y, double a, const void *x, double b, const void *z)
{
    return (tsl_step){.kind = TSL_STEP_COMBINE, .a = a, .b = b, .y = y, .x = x, .z = z};
}

static inline tsl_step tsl_scale(void *y, double a, const void *x, const void *w, double b,
                                 const void *z)
{
    return (tsl_step){.kind = TSL_STEP_SCALE, .a = a, .b = b, .y = y, .x = x, .z = z, .w = w};
}

static inline tsl_step tsl_dot(const void *x, const void *z)
{
    return (tsl_step){.kind = TSL_STEP_DOT, .x = x, .z = z};
}

static inline tsl_step tsl_load(void *y, double a, const double *x)
{
    return (tsl_step){.kind = TSL_STEP_LOAD, .a = a, .y = y, .x = x};
}

static inline tsl_step tsl_store(double *y, double a, const void *x)
{
    return (tsl_step){.kind = TSL_STEP_STORE, .a = a, .y = y, .x = x};
}

enum { TSL_MOST_DOTS = 16 }; /* of one list */

/* A list, and where its sums go. */
typedef struct tsl_steps {
    const tsl_layout *layout;
    int bytes; /* of a number: 8 or 4 */
    int count;
    const tsl_step *steps;
    double *sums; /* [TSL_SPARSE_SUMS][width]: scalar product d of a piece in column `column` + d;
                     NULL where there are none */
    int width, column;
    bool pending; /* the list has no scalar products; other ranks' parts of the sums that are in
                     `sums` already are gathered while it runs */
} tsl_steps;

/* Run a list on this rank's rows. */
tsl_status tsl_steps_run(tsl_context *context, const tsl_steps *list);

#endif
