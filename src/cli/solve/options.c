/* The command line of `tesela solve`. */
#include <errno.h>
#include <string.h>

#include "cli/solve/command.h"
#include "solvers/linsolve/ranges.h"

const char *const solve_null_space_names[] = {[SOLVE_NULL_SPACE_AUTO] = "auto",
                                              [SOLVE_NULL_SPACE_NONE] = "none",
                                              [SOLVE_NULL_SPACE_CONSTANT] = "constant",
                                              NULL};
const char *const solve_symmetry_names[] = {[TSL_SPARSE_JUDGE] = "auto",
                                            [TSL_SPARSE_TAKE_SYMMETRIC] = "yes",
                                            [TSL_SPARSE_TAKE_GENERAL] = "no",
                                            NULL};
const char *const solve_smoother_names[] = {
    [TSL_LINSOLVE_SMOOTH_JACOBI] = "jacobi", [TSL_LINSOLVE_SMOOTH_CHEBYSHEV] = "chebyshev", NULL};

static const char *method_name(int place)
{
    return tsl_linsolve_method_name((tsl_linsolve_method)place);
}

static const char *preconditioner_name(int place)
{
    return tsl_linsolve_preconditioner_name((tsl_linsolve_preconditioner)place);
}

static const char *const method_notes[] = {[TSL_LINSOLVE_CG_SINGLE_REDUCTION] =
                                               "one reduction an iteration",
                                           [TSL_LINSOLVE_DIRECT] = "sparse LU by SuperLU"};

static const cli_option rows[] = {
    {.heading = "The system:"},
    {"rhs", .value = "B", .kind = CLI_FILE, CLI_FIELD(solve_options, rhs), .echo = CLI_TOLD,
     .help = "file of the right-hand side, or of several as columns, which share one set-up; "
             "formats as for MATRIX",
     .otherwise = "ones"},
    {"guess", .value = "X0", .kind = CLI_FILE, CLI_FIELD(solve_options, guess), .echo = CLI_TOLD,
     .help = "file of the initial guess, one vector or one for each column of B",
     .otherwise = "zeros"},
    {"output", 'o', "X", CLI_FILE, CLI_FIELD(solve_options, output), .written = CLI_RESULT,
     .echo = CLI_TOLD,
     .help = "file for the solution, .mtx or .npy; without convergence, the last iterate or a "
             "better one"},
    {.heading = "How to solve it:"},
    {"method", 'm', "NAME", CLI_CHOICE, CLI_FIELD(solve_options, linsolve.method),
     .word = method_name, .notes = method_notes,
     .help = "@. If neither a method nor a preconditioner is given: cg if the matrix is symmetric "
             "with a positive diagonal, else bicgstab with ilu0, then gmres; if they fail, direct, "
             "if its factors fit in half of the free memory. If only a preconditioner is given: cg "
             "or gmres; gmres also if cg finds the matrix indefinite",
     .otherwise = ""},
    {"preconditioner", 'p', "NAME", CLI_CHOICE, CLI_FIELD(solve_options, linsolve.preconditioner),
     .word = preconditioner_name, .help = "@",
     .otherwise = "if a method is given: @, or none if the diagonal has zeros"},
    {"symmetric", .value = "WHAT", .kind = CLI_CHOICE, CLI_FIELD(solve_options, symmetry),
     .words = solve_symmetry_names, .echo = CLI_TOLD,
     .help =
         "whether the matrix is treated as symmetric: @; auto: it is if a(i,j) and a(j,i) differ "
         "by no more than 1e-12 of the larger, or of the geometric mean of a(i,i) and a(j,j)"},
    {"null-space", .value = "WHAT", .kind = CLI_CHOICE, CLI_FIELD(solve_options, null_space),
     .words = solve_null_space_names, .echo = CLI_TOLD,
     .help =
         "@; constant: the matrix is singular and its null space is the constant vectors, which "
         "are removed from b and x; none: the null space is ignored; auto: it is recognised where "
         "all rows sum to 0, and a b with a constant part is reported as wrong"},
    {"tolerance", .value = "T", .kind = CLI_REAL, CLI_FIELD(solve_options, linsolve.tolerance),
     .range = {TSL_LINSOLVE_TOLERANCE_RANGE}, .echo = CLI_TOLD,
     .help = "stop at |b - A x| <= T |b|"},
    {"absolute", .value = "T", .kind = CLI_REAL, CLI_FIELD(solve_options, linsolve.absolute),
     .range = {TSL_LINSOLVE_ABSOLUTE_RANGE}, .echo = CLI_TOLD, .help = "or at |b - A x| <= T"},
    {"max-iterations", 'n', "COUNT", CLI_INTEGER, CLI_FIELD(solve_options, linsolve.max_iterations),
     .range = {0, INT32_MAX}, .echo = CLI_TOLD, .help = "give up after so many"},
    {"deterministic", .kind = CLI_FLAG, CLI_FIELD(solve_options, linsolve.deterministic),
     .echo = CLI_TOLD,
     .help = "multigrid: fail if a GPU lacks memory for making levels; without this option the "
             "host then makes other levels. Everything else always gives the same bits"},
    {.heading = "Of single methods and preconditioners:"},
    {"restart", .value = "COUNT", .kind = CLI_INTEGER, CLI_FIELD(solve_options, linsolve.restart),
     .range = {TSL_LINSOLVE_RESTART_RANGE}, .user = "gmres", .echo = CLI_TOLD,
     .help = "basis vectors",
     .otherwise =
         CLI_QUOTE(SOLVE_MOST_RESTART) ", less as they take more than 64 MiB, to " CLI_QUOTE(
             SOLVE_LEAST_RESTART)},
    {"block", .value = "ROWS", .kind = CLI_INTEGER, CLI_FIELD(solve_options, linsolve.block),
     .range = {TSL_LINSOLVE_BLOCK_RANGE}, .user = "block-jacobi", .echo = CLI_TOLD,
     .help = "rows of a block"},
    {"degree", .value = "COUNT", .kind = CLI_INTEGER, CLI_FIELD(solve_options, linsolve.degree),
     .range = {TSL_LINSOLVE_DEGREE_RANGE}, .user = "chebyshev", .echo = CLI_TOLD,
     .help = "degree of the polynomial, as preconditioner or smoother"},
    {"eigenvalue-ratio", .value = "R", .kind = CLI_REAL,
     CLI_FIELD(solve_options, linsolve.eigenvalue_ratio),
     .range = {TSL_LINSOLVE_EIGENVALUE_RATIO_RANGE, .above = true}, .user = "chebyshev",
     .echo = CLI_TOLD, .help = "largest eigenvalue divided by the smallest one that is damped",
     .otherwise = CLI_QUOTE(TSL_CHEBYSHEV_RATIO) "; as a smoother " CLI_QUOTE(
         TSL_SMOOTHER_RATIO) ", or " CLI_QUOTE(TSL_SMOOTHER_LOW_RATIO) " where the degree is less "
                                                                       "than " CLI_QUOTE(
                                                                           TSL_SMOOTHER_DEGREE)},
    {"smoother", .value = "NAME", .kind = CLI_CHOICE, CLI_FIELD(solve_options, linsolve.smoother),
     .words = solve_smoother_names, .user = "multigrid", .echo = CLI_TOLD, .help = "@"},
    {"strength", .value = "S", .kind = CLI_REAL, CLI_FIELD(solve_options, linsolve.strength),
     .range = {TSL_LINSOLVE_STRENGTH_RANGE}, .user = "multigrid", .echo = CLI_TOLD,
     .help = "threshold of strong entries"},
    {"coarse-rows", .value = "COUNT", .kind = CLI_INTEGER,
     CLI_FIELD(solve_options, linsolve.coarse_rows), .range = {TSL_LINSOLVE_COARSE_ROWS_RANGE},
     .user = "multigrid", .echo = CLI_TOLD,
     .help = "levels with at most this many rows are solved directly"},
    {.heading = cli_reporting},
    {"figure", .value = "FILE", .kind = CLI_FILE, CLI_FIELD(solve_options, figure),
     .written = CLI_FIGURE, .echo = CLI_TOLD, .help = "draw the residual over the iterations"},
    {0}};

static const char command_doc[] =
    "Solve the sparse system of linear equations A x = b by a Krylov method or by LU factors.\n"
    "\n"
    "MATRIX is a Matrix Market file (coordinate or array, any field and symmetry), a SciPy file of "
    "a matrix (.npz; csr, csc, coo, bsr or dia) or a NumPy array (.npy); its first bytes decide. "
    "It may be gzipped, or come from a pipe; - is standard input. Properties of the matrix, such "
    "as its symmetry and its diagonal, are reported before the system is solved. The residual "
    "reported at the end is recomputed from the solution. Runs on the CPU (--device cpu), on a GPU "
    "(--device cuda:0) or on several (--device cuda:0-3), and over MPI; each rank has some of the "
    "rows. Exit status 1: not converged.\v"
    "Examples:\n"
    "  tesela solve bcsstk17.mtx\n"
    "  tesela solve A.mtx.gz --rhs b.mtx -o x.mtx --preconditioner ic0 --tolerance 1e-10\n"
    "  tesela solve A.npz --rhs b.npy --method gmres --preconditioner ilu0 --restart 50\n"
    "  tesela solve A.mtx --device cuda:0-1 --preconditioner multigrid\n"
    "  mpirun -n 4 tesela solve A.mtx --device cuda:0-3\n"
    "  tesela solve poisson.mtx --preconditioner multigrid --figure residual.svg --json run.json";

/* ---- what is not used ---------------------------------------------------------------------- */

void solve_options_note_unused(const solve_options *options, const tsl_linsolve_options *settled)
{
    const bool multigrid = settled->preconditioner == TSL_LINSOLVE_MULTIGRID;
    const char *const users[] = {tsl_linsolve_method_name(settled->method),
                                 tsl_linsolve_preconditioner_name(settled->preconditioner),
                                 multigrid ? solve_smoother_names[settled->smoother] : ""};
    for (const cli_option *row = rows; !cli_is_end(row); row++) {
        bool used = row->user == NULL;
        for (int k = 0; k < 3; k++) {
            used = used || strcmp(row->user, users[k]) == 0;
        }
        if (!used && cli_given(&options->common, (const char *)options + row->field.offset)) {
            char name[CLI_SPELLED];
            cli_note("%s is not used: it is an option of %s, and this is %s with %s%s%s",
                     cli_spell(name, row), row->user, users[0], users[1],
                     multigrid ? " smoothed by " : "", users[2]);
        }
    }
}

/* ---- the whole line ------------------------------------------------------------------------ */

static error_t set_argument(void *parsed, const char *text)
{
    solve_options *options = parsed;
    if (options->matrix != NULL) {
        cli_error("'%s' is one argument too many: give one matrix; the right-hand side goes with "
                  "--rhs",
                  text);
        return EINVAL;
    }
    options->matrix = text;
    return 0;
}

static bool knows_output(const char *path)
{
    static const char *const endings[] = {".mtx", ".npy"};
    const size_t length = strlen(path);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        if (length > 4 && strcmp(path + length - 4, endings[i]) == 0) {
            return true;
        }
    }
    cli_error("-o %s: give a name that ends in .mtx or .npy", path);
    return false;
}

/* Check that only one file is standard input. */
static bool reads_input_once(const solve_options *options)
{
    const char *const paths[] = {options->matrix, options->rhs, options->guess};
    int times = 0;
    for (int i = 0; i < 3; i++) {
        times += paths[i] != NULL && strcmp(paths[i], "-") == 0;
    }
    if (times > 1) {
        cli_error("- is given for two files: standard input can be read but once");
    }
    return times <= 1;
}

static void init(const cli_command *self, void *options)
{
    (void)self;
    *(solve_options *)options = (solve_options){.linsolve = TSL_LINSOLVE_OPTIONS_INIT};
}

static bool check(void *options)
{
    const solve_options *const out = options;
    if (out->matrix == NULL) {
        cli_error("nothing to solve: give a matrix (see tesela solve --help)");
        return false;
    }
    if (!reads_input_once(out)) {
        return false;
    }
    return (out->output == NULL || knows_output(out->output)) &&
           cli_check_files(&out->common, &out->matrix, 1);
}

const cli_command cli_solve = {.run = solve_command,
                               .doc = command_doc,
                               .arguments = "MATRIX",
                               .rows = rows,
                               .size = sizeof(solve_options),
                               .init = init,
                               .check = check,
                               .argument = set_argument,
                               .places = CLI_ONE_RANK};
