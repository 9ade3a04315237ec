/* What the files of `tesela solve` share. */
#ifndef TSL_CLI_SOLVE_COMMAND_H
#define TSL_CLI_SOLVE_COMMAND_H

#include "cli/shared/cli.h"
#include "cli/shared/ranks.h"
#include "core/context.h"
#include "io/matrix/matrix.h"
#include "tesela/buffer.h"
#include "tesela/sparse.h"

/* What is assumed of the matrix's null space. */
typedef enum solve_null_space {
    SOLVE_NULL_SPACE_AUTO,    /* where all rows sum to 0 it is found */
    SOLVE_NULL_SPACE_NONE,    /* it is not looked for */
    SOLVE_NULL_SPACE_CONSTANT /* constants, which are taken out of b and x */
} solve_null_space;

typedef struct solve_options {
    cli_common common;
    const char *matrix, *rhs, *guess; /* paths; NULL: ones, zeros */
    const char *output, *figure;      /* NULL: none */
    solve_null_space null_space;
    tsl_sparse_symmetry symmetry;
    tsl_linsolve_options linsolve; /* method and preconditioner count if given */
} solve_options;

/* Residuals by iteration. When there is no more room, every second one is let go. */
enum { SOLVE_HISTORY = 4096 };
typedef struct solve_history {
    int64_t stride; /* iterations from one that is kept to the next */
    int count;
    double residual[SOLVE_HISTORY]; /* of iteration i * stride */
    int64_t last;                   /* iteration */
    double last_residual;
} solve_history;

/* Is the matrix positive definite, as far as one can tell? */
typedef enum solve_definiteness {
    SOLVE_UNSYMMETRIC,  /* the question does not arise */
    SOLVE_DOMINANT,     /* positive definite or semidefinite, by its diagonal's dominance */
    SOLVE_NOT_POSITIVE, /* it is not: a diagonal entry is not above 0 */
    SOLVE_NEGATED,      /* no diagonal entry is above or at 0: -A x = -b is solved */
    SOLVE_INDEFINITE,   /* it is not: an entry is too large for the diagonal */
    SOLVE_CURVED,       /* it is not: a step met negative curvature */
    SOLVE_UNDECIDED     /* a CG method would tell */
} solve_definiteness;

/* A method, and what came of it. */
typedef struct solve_attempt {
    tsl_linsolve_method method;
    tsl_linsolve_preconditioner preconditioner;
    bool after_indefinite; /* only where the one before found the matrix indefinite */
    bool made;             /* what follows is filled */
    tsl_status status;
    tsl_linsolve_stop stop; /* of the first right-hand side that was not solved */
    double residual;        /* of that */
    int64_t iterations;     /* of all right-hand sides */
    double setup, seconds;
    char said[TSL_ERROR_TEXT]; /* why it failed */
} solve_attempt;

enum { SOLVE_ATTEMPTS = 4 };

/* A right-hand side, and what came of it. */
typedef struct solve_column {
    bool tried, solved;
    tsl_linsolve_report report; /* of the x that is kept */
    tsl_linsolve_method method; /* that led to it */
    tsl_linsolve_preconditioner preconditioner;
    double norm;            /* of b as it was given; 0: there is no null space */
    double outside, inside; /* parts of b's norm that the null space holds, and does not hold */
    char share[16];         /* the former */
} solve_column;

typedef struct solve_work {
    const solve_options *options;
    const cli_rank_group *group;
    tsl_context *context;          /* the group's */
    tsl_linsolve_options linsolve; /* settled */
    tsl_matrix_file file;          /* its arrays are released once the matrix is made */
    int base;                      /* number of the first row, as in the file */
    tsl_sparse_matrix *matrix;     /* -A where `negated` */
    tsl_sparse_description about;  /* of A */
    bool negated;
    int32_t *part; /* [rows] of parts on which A's null space is constant, the first row; -1: a row
                      of none; NULL: there are no such parts */
    int64_t parts;
    tsl_dense b, x, solution; /* x: the initial guesses */
    solve_column *columns;    /* [b.columns] */
    int64_t failed_column;    /* the first of the last attempt */
    tsl_buffer *device_x, *device_b;
    solve_attempt attempts[SOLVE_ATTEMPTS];
    int planned;                /* of them */
    double begun, parse, setup; /* seconds; parse: of all files */
    double parse_matrix;
    bool solved;                /* what follows is filled */
    tsl_linsolve_report report; /* of all right-hand sides */
    struct {
        double product, copy; /* 10^9 bytes a second; 0: not measured */
    } rates;                  /* rank 0's */
    solve_history history;    /* of the last right-hand side that was worked on */
    cli_progress progress;
} solve_work;

/* Ended by NULL. */
extern const char *const solve_smoother_names[];
extern const char *const solve_null_space_names[];
extern const char *const solve_symmetry_names[];

/* The basis vectors of GMRES unless --restart says how many. */
#define SOLVE_MOST_RESTART 200
#define SOLVE_LEAST_RESTART 30

int solve_command(const cli_command *self, int argc, char **argv);
bool solve_options_parse(solve_options *out, int argc, char **argv, int *exit_status);

/* Tell of options that were given and that neither method nor preconditioner has. */
void solve_options_note_unused(const solve_options *options, const tsl_linsolve_options *settled);

solve_definiteness solve_definiteness_of(const solve_work *work);

/* ---- vectors (vectors.c) -------------------------------------------------------------------- */

/* Right-hand sides and guesses, from files or not. */
tsl_status solve_make_vectors(solve_work *work);
/* Look for constants in the null space, of the whole matrix or of parts that do not hang together.
 */
tsl_status solve_find_null_space(solve_work *work);
/* Take them out of vectors; of right-hand sides it is noted how much that is. */
tsl_status solve_project(solve_work *work, tsl_dense *vectors, bool of_b);

/* ---- methods (choice.c) --------------------------------------------------------------------- */

/* Where CG may solve with -A, turn the matrix round. */
tsl_status solve_negate_if_negative(solve_work *work);
/* What was not named is chosen by what the matrix is. */
tsl_status solve_choose(solve_work *work);
/* Solve. TSL_OK, or with `solved` TSL_E_NOCONV. */
tsl_status solve_run(solve_work *work);
/* For tsl_linsolve_options. */
int solve_on_iteration(void *user, int64_t iteration, double residual);

/* ---- reports (report.c) --------------------------------------------------------------------- */

/* Before and after the solution. */
void solve_print_matrix(FILE *stream, const solve_work *work);
void solve_print_outcome(FILE *stream, const solve_work *work);
tsl_status solve_write_report(const solve_work *work);
tsl_status solve_draw(const solve_work *work);

void solve_history_begin(solve_history *history);
/* Iteration and residual of each entry of the history; the last iteration is the last entry. */
int solve_history_entries(const solve_history *history);
void solve_history_entry(const solve_history *history, int entry, int64_t *iteration,
                         double *residual);

#endif
