/* What the files of `tesela solve` share. */
#ifndef TSL_CLI_SOLVE_COMMAND_H
#define TSL_CLI_SOLVE_COMMAND_H

#include "cli/shared/cli.h"
#include "cli/shared/ranks.h"
#include "io/matrix/matrix.h"
#include "tesela/buffer.h"
#include "tesela/sparse.h"

typedef struct solve_options {
    cli_common common;
    const char *matrix, *rhs, *guess; /* paths; NULL: ones, zeros */
    const char *output, *figure;      /* NULL: none */
    bool has_method, has_preconditioner;
    unsigned given; /* bits, of options that not every method or preconditioner has */
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
    SOLVE_INDEFINITE,   /* it is not: an entry is too large for the diagonal */
    SOLVE_CURVED,       /* it is not: a step met negative curvature */
    SOLVE_UNDECIDED     /* a CG method would tell */
} solve_definiteness;

typedef struct solve_work {
    const solve_options *options;
    const cli_crew *crew;
    tsl_context *context;          /* the crew's */
    tsl_linsolve_options linsolve; /* settled */
    tsl_matrix_file file;          /* its arrays are released once the matrix is made */
    int base;                      /* number of the first row, as in the file */
    tsl_sparse_matrix *matrix;
    tsl_sparse_description about;
    double *host; /* [rows] a vector, on its way */
    tsl_buffer *x, *b;
    double begun, parse, setup; /* seconds; parse: of all files */
    double parse_matrix;
    bool solved; /* what follows is filled */
    tsl_linsolve_report report;
    struct {
        double product, copy; /* 10^9 bytes a second; 0: not measured */
    } rates;                  /* rank 0's */
    solve_history history;
    cli_progress progress;
} solve_work;

extern const char *const solve_smoother_names[]; /* ended by NULL */

bool solve_options_parse(solve_options *out, int argc, char **argv, int *exit_status);

/* Tell of options that were given and that neither method nor preconditioner has. */
void solve_options_note_unused(const solve_options *options, const tsl_linsolve_options *settled);

solve_definiteness solve_definiteness_of(const solve_work *work);

/* Before and after the solution. */
void solve_print_matrix(FILE *stream, const solve_work *work);
void solve_print_outcome(FILE *stream, const solve_work *work);
tsl_status solve_write_report(const solve_work *work);
tsl_status solve_draw(const solve_work *work);

/* Iteration and residual of each entry of the history; the last iteration is the last entry. */
int solve_history_entries(const solve_history *history);
void solve_history_entry(const solve_history *history, int entry, int64_t *iteration,
                         double *residual);

#endif
