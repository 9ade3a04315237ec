/* Linear systems: a plan, a solution under way, and the tables of methods and preconditioners. */
#ifndef TSL_SPARSE_LINSOLVE_H
#define TSL_SPARSE_LINSOLVE_H

#include "blocks/vector/expressions.h"
#include "solvers/linsolve/matrix/matrix.h"

/* A preconditioner: z = M r. */
typedef struct tsl_preconditioner {
    const double *diagonal; /* M is this diagonal alone: no call is needed; else NULL */
    /* norm: about that of r; 0: it is not known. NULL: M = 1, or the diagonal */
    tsl_status (*apply)(void *self, double *z, const double *r, double norm);
    /* z left as *factor times a vector of single precision that is M's; NULL: it has no such */
    tsl_status (*apply_single)(void *self, const float **z, double *factor, const double *r,
                               double norm);
    /* Collective, once all ranks have made theirs: where these differ they are made anew. NULL:
     * they cannot differ */
    tsl_status (*agree)(struct tsl_linsolve_plan *plan);
    void (*destroy)(void *self); /* NULL: nothing to destroy */
    void *self;
} tsl_preconditioner;

struct tsl_linsolve_plan {
    tsl_context *context;
    tsl_linsolve_options options;
    int64_t rows;
    tsl_sparse_matrix *matrix;   /* NULL: an operator */
    tsl_linsolve_operator apply; /* NULL: a matrix */
    void *user;
    tsl_layout operator_layout;
    const tsl_layout *layout; /* of vectors: the matrix's, or that one */
    tsl_halo halo;
    bool badly_scaled;        /* CG with Jacobi of a diagonal over many decades: run->weight */
    double *inverse_diagonal; /* [rows], in host memory, while the plan is made */
    double *diagonal; /* its copy in device memory; NULL: the preconditioner does not use it */
    tsl_preconditioner m;
    int vector_count;
    double *memory;  /* [vector_count][rows, rounded up to whole cache lines], of the device */
    double *scalars; /* of tsl_run_cg_ahead(), in device memory; NULL: that is not how it runs */
    double *sums;    /* with a column for each scalar product of a reduction */
    void *method_memory;        /* what a method needs beside vectors */
    tsl_linsolve_report report; /* what is known once the plan is made */
};

/* A solution under way. */
typedef struct tsl_run {
    tsl_linsolve_plan *plan;
    double *x, *r; /* r = b - A x */
    const double *b;
    const float *single; /* of tsl_run_update() */
    double factor;
    double target;         /* norm that ends it */
    double scale;          /* 1 / ||b|| */
    double norm;           /* of r, as the method has it */
    double rounding;       /* what that of b - A x may be, eps |A| |x|; of an operator 0 */
    double *kept;          /* the best x whose residual was recomputed */
    double kept_norm;      /* norm of its residual, with its rounding; infinite: none is kept */
    double *candidate;     /* an x that the method itself says is less, by its norm */
    double candidate_norm; /* that norm, which rounding may have spoilt; infinite: there is none */
    double peak;           /* the largest norm since the recurrence was begun */
    double measure;        /* of the residual, by which it is judged whether the run diverges: with
                              the CG methods sqrt(r.M r), which the scaling of rows does not spoil;
                              0: the norm */
    double least;          /* least norm of the recurrence so far */
    double least_measure;  /* least measure of the recurrence; infinite: there is none */
    bool diverged;         /* it is so far above that that the matrix is as good as singular */
    double weight; /* of a badly scaled matrix: r.D^-1 r is to be this much below r.r too; 0: not
                      looked at */
    double scaled; /* of such a matrix the norm of D^-1/2 r, as a share of that of D^-1/2 b, times
                      ||b|| */
    double plain;  /* of such a matrix the norm of r */
    double bound;  /* what the products' own rounding may make of `plain` */
    int64_t iterations;
    bool wish;         /* `progress` said that it is to end; rank 0's */
    bool cancelled;    /* all ranks know that it is to end */
    tsl_status status; /* of telling the other ranks so */
    tsl_linsolve_stop stop;
    double curvature;
    bool overtaken; /* STAGNATED, since a sum that rounding had spoilt was not what it stood for */
    bool at_rounding; /* the residual is no more than the product's own rounding may be */
    int64_t products;
    double product_seconds;
} tsl_run;

/* Vector number `number` of the plan; 0 is the run's r. */
double *tsl_run_vector(const tsl_run *run, int number);

/* Keep x if its residual, just recomputed, is less than the kept one's: each with its rounding,
 * since of a huge x the norm alone says nothing. */
tsl_status tsl_run_keep(tsl_run *run);
/* Where run->norm is the method's own, of iterations that leave an x: make that the candidate, if
 * it is half of the least there is, and no rounding. */
tsl_status tsl_run_consider(tsl_run *run);
/* Between runs of the method: recompute the candidate's residual if it would be the best, and keep
 * it if it is. Overwrites vector 1. */
tsl_status tsl_run_judge(tsl_run *run);

/* Go back to the x that is kept or, once judged, was the candidate, if that is better than x, whose
 * residual was just recomputed: r and the norm are then its own. Overwrites vector 1. */
tsl_status tsl_run_go_back(tsl_run *run);

/* y = A x as an expression. */
tsl_expression tsl_plan_product(const tsl_linsolve_plan *plan, double *y, const double *x);
tsl_expression tsl_run_product(const tsl_run *run, double *y, const double *x);

/* Run a list; its scalar products, `dots` of them, are sums over all ranks. */
tsl_status tsl_run_expressions(tsl_run *run, const tsl_expression *expressions, int count,
                               double *dots);

/* Run a list in parts: it leaves its sums in the plan, from column `column` on. */
tsl_status tsl_run_part(tsl_run *run, const tsl_expression *expressions, int count, int width,
                        int column);
/* Sums that lists have left in the plan are added up over all ranks. */
tsl_status tsl_run_add_up(tsl_run *run, int width, double *dots);

/* y = A x, and meanwhile the sums of the list before, which has been run in parts. */
tsl_status tsl_run_product_and_sums(tsl_run *run, double *y, const double *x, int width,
                                    double *dots);

/* z = M r; of a plan without preconditioner a copy. `norm` as of tsl_preconditioner. */
tsl_status tsl_run_precondition(tsl_run *run, double *z, const double *r, double norm);

/* Where z = M r may lie: r itself where M = 1, else `space`. */
double *tsl_run_preconditioned(const tsl_run *run, double *r, double *space);

/* Run `expressions`, which end with a new r; then rr = r.r, z = M r, rz = r.z. z is as
 * tsl_run_preconditioned() has it, or run->factor times run->single where M makes that; it is left
 * alone if r has met the target. */
tsl_status tsl_run_update(tsl_run *run, const tsl_expression *expressions, int count, double *z,
                          double *rr, double *rz);

/* Note r.M r. */
void tsl_run_measure(tsl_run *run, double rz);

/* D^-1/2 r is to fall to so much of the tolerance: x's components then have their digits each. */
#define TSL_LOOSE 1e-4

/* r.r = rr, or more where r.D^-1 r = rz is to fall too: run->weight. */
double tsl_run_weighed(const tsl_run *run, double rr, double rz);

/* Note the end of an iteration with r.r = rr. False where the method has to end: run->stop. */
bool tsl_run_goes_on(tsl_run *run, double rr);

/* Does the caller want it to end? Where iterations are queued ahead this is asked once for several:
 * then run->stop. */
void tsl_run_hear(tsl_run *run);

/* r = b - A x, run->norm and run->rounding. */
tsl_status tsl_run_residual(tsl_run *run);

/* Note what a method begins with. False where there is nothing to do: run->stop. */
bool tsl_run_begins(tsl_run *run, double norm);

/* Stop since `scalar` is no number to divide by. */
void tsl_run_stop_at(tsl_run *run, double scalar);

/* Is a curvature p.A p (or r.M r) one of a positive definite matrix? If not the run is stopped;
 * `size` is p.p (or r.r). */
bool tsl_run_is_definite(tsl_run *run, double curvature, double size);

/* Is a curvature v.A v (or v.M v) one of a positive definite matrix? *definite says; if not the run
 * is stopped. */
tsl_status tsl_run_check_definite(tsl_run *run, double curvature, const double *v, bool *definite);

/* A method goes on from run->r, run->norm until it has to stop. */
typedef struct tsl_linsolve_method_entry {
    const char *name;
    bool symmetric;   /* asks for a symmetric positive definite matrix */
    bool may_recover; /* begun again from the same x it goes another way: after a breakdown or where
                         rounding has spoilt its sums it may still find the solution */
    bool leaves_x;    /* each iteration does, and may be a candidate; else only a cycle's end */
    bool adds_before; /* M is applied to sums, or M r updated, as if M were linear to all digits */
    int vectors;      /* beside r; GMRES's are that and its basis */
    tsl_status (*run)(tsl_run *run);
} tsl_linsolve_method_entry;

/* The entry of the plan's method. */
const tsl_linsolve_method_entry *tsl_linsolve_method_of(const tsl_linsolve_plan *plan);

tsl_status tsl_run_cg(tsl_run *run);
/* On a GPU; needs plan->scalars, so many numbers. */
enum { TSL_CG_AHEAD = 16 /* iterations queued at a time, where M is 1 or a diagonal */ };
tsl_status tsl_run_cg_ahead(tsl_run *run);
int64_t tsl_cg_ahead_scalars(void);
tsl_status tsl_run_cg_single(tsl_run *run);
tsl_status tsl_run_cg_pipelined(tsl_run *run);
tsl_status tsl_run_bicgstab(tsl_run *run);
tsl_status tsl_run_gmres(tsl_run *run);
tsl_status tsl_run_direct(tsl_run *run);
/* Bytes of method_memory. */
int64_t tsl_gmres_bytes(int restart);

enum {
    TSL_CG_VECTORS = 3,
    TSL_CG_SINGLE_VECTORS = 4,
    TSL_CG_PIPELINED_VECTORS = 8,
    TSL_BICGSTAB_VECTORS = 6,
    TSL_GMRES_VECTORS = 3, /* and the basis */
    TSL_DIRECT_VECTORS = 1
};

/* A preconditioner's maker fills plan->m and what plan->report says of it. */
typedef struct tsl_preconditioner_entry {
    const char *name;
    bool symmetric;                              /* asks for a symmetric positive definite matrix */
    bool operators;                              /* an operator with a known diagonal will do */
    tsl_status (*make)(tsl_linsolve_plan *plan); /* NULL: nothing to make */
} tsl_preconditioner_entry;

/* plan->inverse_diagonal, infinite where there is none; an operator has it already. */
tsl_status tsl_make_inverse_diagonal(tsl_linsolve_plan *plan);
/* TSL_E_ARG where an entry of it is not finite; `who` would multiply by that. */
tsl_status tsl_check_inverse_diagonal(const tsl_linsolve_plan *plan, const char *who);
/* plan->diagonal from that. */
tsl_status tsl_put_inverse_diagonal(tsl_linsolve_plan *plan);
tsl_status tsl_make_jacobi(tsl_linsolve_plan *plan);
tsl_status tsl_make_block_jacobi(tsl_linsolve_plan *plan);
tsl_status tsl_make_incomplete(tsl_linsolve_plan *plan);
tsl_status tsl_make_chebyshev(tsl_linsolve_plan *plan);
tsl_status tsl_make_multigrid(tsl_linsolve_plan *plan);
/* The direct method's factors, in place of a preconditioner. */
tsl_status tsl_make_direct(tsl_linsolve_plan *plan);
/* The step, from 0, at which elimination found no pivot; -1: none, or another method. */
int64_t tsl_direct_singular(const tsl_linsolve_plan *plan);

#endif
