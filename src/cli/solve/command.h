/* What the files of `tesela solve` share. */
#ifndef TSL_CLI_SOLVE_COMMAND_H
#define TSL_CLI_SOLVE_COMMAND_H

#include "cli/shared/cli.h"
#include "cli/shared/ranks.h"
#include "core/context.h"
#include "io/matrix/matrix.h"
#include "tesela/buffer.h"
#include "tesela/sparse.h"

/* Assumptions on the matrix's null space. */
typedef enum solve_null_space {
    SOLVE_NULL_SPACE_AUTO,    /* it is looked for where all rows sum to 0 */
    SOLVE_NULL_SPACE_NONE,    /* it is not looked for */
    SOLVE_NULL_SPACE_CONSTANT /* constants: they are taken out of b and x */
} solve_null_space;

typedef struct solve_options {
    cli_common common;
    const char *matrix, *rhs, *guess; /* paths; NULL: ones for rhs, zeros for guess */
    const char *output, *figure;      /* NULL: none */
    solve_null_space null_space;
    tsl_sparse_symmetry symmetry;
    tsl_linsolve_options linsolve; /* method and preconditioner only if they were given */
} solve_options;

/* Residuals by iteration. Where there is no more room, every second one is dropped. */
enum { SOLVE_HISTORY = 4096 };
typedef struct solve_history {
    int64_t stride; /* iterations between two that are kept */
    int count;
    double residual[SOLVE_HISTORY]; /* of iteration i * stride */
    int64_t last;                   /* the last iteration */
    double last_residual;
} solve_history;

/* Is the matrix positive definite, as far as is known? */
typedef enum solve_definiteness {
    SOLVE_UNSYMMETRIC,  /* the matrix is not symmetric */
    SOLVE_DOMINANT,     /* positive definite or semidefinite, by its diagonal's dominance */
    SOLVE_NOT_POSITIVE, /* it is not: an entry of the diagonal is 0 or below */
    SOLVE_NEGATED,      /* all entries of the diagonal are below 0: -A x = -b is solved */
    SOLVE_INDEFINITE,   /* it is not: an entry is too large for the diagonal */
    SOLVE_CURVED,       /* it is not: a step met negative curvature */
    SOLVE_UNDECIDED     /* only a CG method could tell */
} solve_definiteness;

/* A method, and what became of it. */
typedef struct solve_attempt {
    tsl_linsolve_method method;
    tsl_linsolve_preconditioner preconditioner;
    bool after_indefinite; /* it is made only if the attempt before found the matrix indefinite */
    bool made;             /* it was made, and the members below are filled */
    tsl_status status;
    tsl_linsolve_stop stop; /* of the first right-hand side that it did not solve */
    double residual;        /* of that right-hand side */
    int64_t iterations;     /* of all right-hand sides */
    double setup, seconds;
    char said[TSL_ERROR_TEXT]; /* the error's line */
} solve_attempt;

enum { SOLVE_ATTEMPTS = 4 };

/* A right-hand side and its solution. */
typedef struct solve_column {
    bool tried, solved;
    tsl_linsolve_report report; /* of the solution that is kept */
    tsl_linsolve_method method; /* the method that found it */
    tsl_linsolve_preconditioner preconditioner;
    double norm;            /* of b as it was given; 0: there is no null space */
    double outside, inside; /* parts of b in the null space, and at a right angle to it */
    char share[16];         /* the part in the null space, as text */
} solve_column;

typedef struct solve_work {
    const solve_options *options;
    const cli_rank_group *group;
    tsl_context *context;          /* the group's */
    tsl_linsolve_options linsolve; /* with all that was open settled */
    tsl_matrix_file file;          /* its arrays are released once the matrix is made */
    int base;                      /* number of the first row in the file */
    tsl_sparse_matrix *matrix;     /* -A where `negated` */
    tsl_sparse_description about;  /* of A */
    bool negated;
    int32_t *part; /* [rows]: a part, by its first row, on which A's null space is constant; -1:
                      none; NULL: there are no such parts */
    int64_t parts;
    tsl_dense b, x, solution; /* x: the initial guesses */
    solve_column *columns;    /* [b.columns] */
    int64_t failed_column;    /* the first one that the last attempt did not solve */
    tsl_buffer *device_x, *device_b;
    solve_attempt attempts[SOLVE_ATTEMPTS];
    int planned;                /* number of attempts */
    double begun, parse, setup; /* seconds; parse: of all files */
    double parse_matrix;
    bool solved;                /* the matrix was solved with, and the members below are filled */
    tsl_linsolve_report report; /* of all right-hand sides */
    struct {
        double product, copy; /* 10^9 bytes a second; 0: not measured */
    } rates;                  /* of rank 0 */
    solve_history history;    /* of the last right-hand side */
    cli_progress progress;
} solve_work;

/* The names of smoothers, ended by NULL. */
extern const char *const solve_smoother_names[];
extern const char *const solve_null_space_names[];
extern const char *const solve_symmetry_names[];

/* Basis vectors of GMRES at most, unless --restart gives their number. */
#define SOLVE_MOST_RESTART 200
#define SOLVE_LEAST_RESTART 30

int solve_command(const cli_command *self, int argc, char **argv);

/* Note options that were given, but that neither method nor preconditioner has. */
void solve_options_note_unused(const solve_options *options, const tsl_linsolve_options *settled);

solve_definiteness solve_definiteness_of(const solve_work *work);

/* ---- vectors (vectors.c) -------------------------------------------------------------------- */

/* Makes right-hand sides and initial guesses, from files or without. */
tsl_status solve_make_vectors(solve_work *work);
/* Looks for constants in the null space: of the whole matrix, or of parts that are not
 * connected. */
tsl_status solve_find_null_space(solve_work *work);
/* Takes the constants out of vectors; how much that is of right-hand sides is noted. */
tsl_status solve_project(solve_work *work, tsl_dense *vectors, bool of_b);

/* ---- methods (choice.c) --------------------------------------------------------------------- */

/* Negates the matrix where CG can then be used. */
tsl_status solve_negate_if_negative(solve_work *work);
/* Chooses methods that were not named by what the matrix is. */
tsl_status solve_choose(solve_work *work);
/* Solves. TSL_OK, or TSL_E_NOCONV with `solved` set. */
tsl_status solve_run(solve_work *work);
/* The function for tsl_linsolve_options that is told of iterations. */
int solve_on_iteration(void *user, int64_t iteration, double residual);

/* ---- reports (report.c) --------------------------------------------------------------------- */

/* Print what is known before and after the solution. */
void solve_print_matrix(FILE *stream, const solve_work *work);
void solve_print_outcome(FILE *stream, const solve_work *work);
tsl_status solve_write_report(const solve_work *work);
tsl_status solve_draw(const solve_work *work);

void solve_history_begin(solve_history *history);
/* Iteration and residual of each entry of the history. The last entry is the last iteration. */
int solve_history_entries(const solve_history *history);
void solve_history_entry(const solve_history *history, int entry, int64_t *iteration,
                         double *residual);

#endif
