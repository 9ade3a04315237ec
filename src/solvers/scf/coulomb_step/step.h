/* What a device does for the Coulomb matrix of a fitted density. */
#ifndef TSL_COULOMB_STEP_PRIVATE_H
#define TSL_COULOMB_STEP_PRIVATE_H

#include "solvers/scf/coulomb_step/coulomb_step.h"

enum {
    TSL_COULOMB_ORDERS = 9, /* 0 to 8, of two g functions */
    /* Pairs of order 5 to 8 are in several classes: in one with their tuv up to TSL_COULOMB_LOW,
     * and in one for each order from 5 to theirs, with the tuv of that order alone. */
    TSL_COULOMB_LOW = 4,
    TSL_COULOMB_SINGLES = 1 + 2 + 3 + 4,    /* classes of one order */
    TSL_COULOMB_SOLIDS = TSL_SCF_MAX_L + 1, /* l = 0 to this less 1 */
    TSL_COULOMB_FIRST_SINGLE = TSL_COULOMB_ORDERS,
    TSL_COULOMB_FIRST_SOLID = TSL_COULOMB_FIRST_SINGLE + TSL_COULOMB_SINGLES,
    TSL_COULOMB_CLASSES = TSL_COULOMB_FIRST_SOLID + TSL_COULOMB_SOLIDS,
    TSL_COULOMB_THREADS = 128, /* particles of a block */
    TSL_COULOMB_TILE = 32,     /* those that act on them, at a time */
    /* The Boys function's table by highest order m: [rows][8 Taylor coefficients, exp(-x), 0]. */
    TSL_COULOMB_BOYS = 10
};

/* Values of the same tuv of some particles: t + u + v is from `lowest` to `order`. */
typedef struct tsl_coulomb_class {
    int64_t first, count; /* among all particles */
    int64_t value;        /* where its values begin: [tuv][count] */
    int order, lowest;
    bool solid; /* solid harmonics of l = order = lowest */
} tsl_coulomb_class;

/* The first tuv of a class, and how many they are. */
static inline int tsl_coulomb_first_hermite(const tsl_coulomb_class *c)
{
    return tsl_hermites(c->lowest - 1);
}

static inline int tsl_coulomb_hermites(const tsl_coulomb_class *c)
{
    return tsl_hermites(c->order) - tsl_coulomb_first_hermite(c);
}

/* Arrays are device memory. */
typedef struct tsl_coulomb_particles {
    int64_t total;
    const double *exponent; /* [total] */
    const double *center;   /* [3][total] */
    double *value;          /* by class: what acts, or what has been made */
    tsl_coulomb_class of[TSL_COULOMB_CLASSES];
    bool points; /* point charges, without an exponent */
} tsl_coulomb_particles;

/* Derivatives of the potential of particles of class `from` at those of class `to`: part k, of
 * `chunk` acting particles from number k * chunk on, goes to parts + k * hermites * count. */
typedef struct tsl_coulomb_potential {
    tsl_coulomb_particles own, other;
    int to, from;
    int64_t chunk;
    int chunks;
    double sign; /* 1: derivatives by the own particles' centers; -1: by the others' */
    const tsl_scf_tables *tables;
    const double *boys;
    double *parts;
} tsl_coulomb_potential;

/* A pair of shells, of which some primitives' products are kept. */
typedef struct tsl_coulomb_row {
    int32_t function[2], functions[2];
    int32_t order, count; /* pairs of primitives: all are of one class */
    int32_t first;        /* of them, within the class */
    int32_t twice;        /* 1: two different shells */
    int64_t h;            /* [count][hermites][functions of the products] */
} tsl_coulomb_row;

/* The pairs' side. */
typedef struct tsl_coulomb_pairs {
    int functions;
    int64_t rows;
    const tsl_coulomb_row *row;
    const int32_t *row_of; /* [pairs]: by particle */
    const double *h;
    tsl_coulomb_particles particles;
    const double *density;
    double *matrix;
} tsl_coulomb_pairs;

/* y [rows] := a sparse matrix times x. */
typedef struct tsl_coulomb_sparse {
    int64_t rows;
    const int32_t *start; /* [rows + 1] */
    const int32_t *column;
    const double *factor;
    const double *x;
    double *y;
} tsl_coulomb_sparse;

/* y [count] := sum over parts of parts[part][count]. */
typedef struct tsl_coulomb_sum {
    int64_t count;
    int parts;
    const double *from;
    double *y;
} tsl_coulomb_sum;

/* All are asynchronous on the context's stream. */
typedef struct tsl_coulomb_step_ops {
    /* The pairs' values of one order from the density. */
    tsl_status (*spread)(tsl_context *context, const tsl_coulomb_pairs *pairs, int order);
    tsl_status (*potential)(tsl_context *context, const tsl_coulomb_potential *task);
    tsl_status (*add)(tsl_context *context, const tsl_coulomb_sum *task);
    /* The matrix from the pairs' values; pairs of shells that are left out are not written. */
    tsl_status (*gather)(tsl_context *context, const tsl_coulomb_pairs *pairs);
    tsl_status (*multiply)(tsl_context *context, const tsl_coulomb_sparse *task);
} tsl_coulomb_step_ops;

/* ---- host (draft.c) ------------------------------------------------------------------------- */

/* Host arrays of what a step is made of. */
typedef struct tsl_coulomb_draft {
    tsl_coulomb_particles pairs, sites; /* host arrays; `value` is not used */
    double *pair_exponent, *pair_center, *site_exponent, *site_center;
    int64_t rows, numbers; /* numbers: of h */
    tsl_coulomb_row *row;
    int32_t *row_of;
    double *h;
    int64_t pair_values, site_values;
    /* Sites' values of functions' coefficients, and its transpose. */
    int64_t terms;
    int32_t *start, *column, *start_back, *column_back;
    double *factor, *factor_back;
} tsl_coulomb_draft;

/* To be released whether it succeeds or not. */
tsl_status tsl_coulomb_make_draft(tsl_coulomb_draft *out, const tsl_coulomb_step_source *source);
void tsl_coulomb_release_draft(tsl_coulomb_draft *draft);

/* table [MAX + 1][rows][TSL_COULOMB_BOYS] of tsl_scf_tables' numbers. */
void tsl_coulomb_boys(double *table, const tsl_scf_tables *tables);

#endif
