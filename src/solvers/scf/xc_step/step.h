/* What a device does for exchange and correlation on a grid. */
#ifndef TSL_XC_STEP_PRIVATE_H
#define TSL_XC_STEP_PRIVATE_H

#include "solvers/scf/xc_step/xc_step.h"

/* Points of a group; numbers from one row of a group's values to the next, more so that rows do not
 * share sets of a CPU's cache; angular momentum at most. */
enum {
    TSL_XC_STEP_POINTS = TSL_XC_GROUP,
    TSL_XC_STEP_PITCH = 136,
    TSL_XC_STEP_MAX_L = 4,
    TSL_XC_STEP_MOST_CARTESIAN = 15, /* of l = 4 */
    TSL_XC_STEP_MOST_DERIVED = 10    /* of l = 3 */
};

/* A shell as kernels see it. */
typedef struct tsl_xc_shell {
    double center[3];
    int l, functions;
    int first, primitives; /* of the arrays of exponents and coefficients */
    int table;             /* where its polynomials begin */
    int function;
} tsl_xc_shell;

/* A group of TSL_XC_STEP_POINTS points, points `number * TSL_XC_STEP_POINTS` on. */
typedef struct tsl_xc_group {
    int32_t entry, entries; /* its shells, of the list of entries */
    int64_t row;            /* its first row among those of all groups */
    int64_t square;         /* its first element among the squares of all groups' functions */
    int32_t functions;      /* rows that count */
    int32_t rows;           /* `functions` rounded up to eight: rows past `functions` are zeros */
} tsl_xc_group;

/* A shell that a group has. */
typedef struct tsl_xc_entry {
    int32_t group, shell;
    int32_t row; /* of its first function, among the group's */
} tsl_xc_entry;

/* Arrays are device memory. Groups of the batch are `first` to `last` - 1; arrays of a batch begin
 * with its first group. */
typedef struct tsl_xc_step_task {
    int spins, family; /* tsl_xc_family */
    int components;    /* of a function on a point: 1, its value, or 4, with its gradient */
    int functions, shells;
    int most_rows; /* of a group */
    /* basis */
    const tsl_xc_shell *shell;
    const double *exponent, *coefficient;
    /* For each l the polynomials [functions][cartesian of l], then their derivatives by x, y and z
     * [3][functions][cartesian of l - 1]. */
    const double *table;
    /* points */
    int64_t points;         /* of all groups */
    const double *position; /* [3][points] */
    const double *weight;   /* [points] */
    /* groups */
    const tsl_xc_group *group;
    const tsl_xc_entry *entry;
    const int32_t *function; /* by row of all groups: its function; -1: none */
    const int16_t *place;    /* [groups][functions]: a function's row in a group, -1: none; GPUs */
    int32_t first, last;
    int32_t entries_first, entries_last;
    int64_t row_first, rows; /* of the batch */
    int64_t square_first;
    bool kept; /* are the values of the run before still there? */
    /* of a batch */
    int64_t batch_points; /* pitch of its arrays by point */
    int64_t batch_values; /* numbers from one component of the values to the next */
    double *values;       /* [components][rows][TSL_XC_STEP_PITCH] */
    double *weighted;     /* values times potentials, of the shape of `values`; GPUs */
    double *squares;      /* by group, [rows][rows]: its part of the matrix */
    double *rho;          /* [spins][points], as all arrays of points here are */
    double *gradient;     /* [spins][3] */
    double *sigma, *tau;  /* [1 or 3], [spins] */
    const double *vrho, *vsigma, *vtau;
    double *factor; /* [1, 4 or 5]: what the values are multiplied by; GPUs */
    /* of the run */
    const double *density; /* [spins][functions][functions] */
    double *half;          /* of the shape of `density`: V is this and its transpose */
    double *potential;
    double *parts; /* [groups][2]: electrons of each spin */
    double *sums;  /* [3]: energy, which the functional's plan adds up; electrons */
    /* of threads, CPU */
    char *scratch;
    int64_t scratch_bytes; /* each */
} tsl_xc_step_task;

typedef struct tsl_xc_step_ops {
    /* Bytes that each CPU thread needs of its own, for groups of at most so many rows. */
    int64_t (*scratch)(const tsl_xc_step_task *task);
    bool has_batch_squares_only; /* `weighted`, `factor` and `place` are not needed */

    /* All are asynchronous on the context's stream. */

    /* Values of the batch's functions, unless kept, then rho and what the family needs. */
    tsl_status (*density)(tsl_context *context, const tsl_xc_step_task *task);
    /* From the functional's derivatives: the groups' parts of the matrix, added to `half`; and of
     * the numbers of electrons. */
    tsl_status (*potential)(tsl_context *context, const tsl_xc_step_task *task);
    /* After all batches: the matrix from its halves, the electrons from their parts. */
    tsl_status (*finish)(tsl_context *context, const tsl_xc_step_task *task);
} tsl_xc_step_ops;

extern const tsl_xc_step_ops tsl_xc_step_cpu;

/* ---- host (groups.c) ------------------------------------------------------------------------ */

/* Order the points that have a weight so that each TSL_XC_STEP_POINTS of them in a row are near
 * each other. `order` has room for all points of the grid; *count: how many it gets. */
tsl_status tsl_xc_step_sort(int32_t *order, int64_t *count, tsl_context *context,
                            const tsl_scf_grid *grid);

/* From where on a shell's functions and their gradients stay below a cut-off, bohr. */
double tsl_xc_step_extent(const tsl_scf_basis *basis, int shell, double cutoff);

#endif
