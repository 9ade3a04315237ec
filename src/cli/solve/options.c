/* The command line of `tesela solve`. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "cli/solve/command.h"

enum {
    KEY_RHS = 0x500,
    KEY_GUESS,
    KEY_FIGURE,
    KEY_TOLERANCE,
    KEY_ABSOLUTE,
    KEY_DETERMINISTIC,
    KEY_RESTART,
    KEY_BLOCK,
    KEY_DEGREE,
    KEY_EIGENVALUE_RATIO,
    KEY_SMOOTHER,
    KEY_STRENGTH,
    KEY_COARSE_ROWS,
    KEY_NULL_SPACE,
    KEY_SYMMETRIC
};

static const struct argp_option options_table[] = {
    {NULL, 0, NULL, 0, "The system:", 1},
    {"rhs", KEY_RHS, "B", 0,
     "right-hand side, or several as columns, solved with one set-up: a file as MATRIX may be "
     "(ones)",
     1},
    {"guess", KEY_GUESS, "X0", 0, "where to begin, one vector or one for each of B (zeros)", 1},
    {"output", 'o', "X", 0,
     "where the solution goes, .mtx or .npy; without convergence the last iterate or a better one",
     1},
    {NULL, 0, NULL, 0, "How to solve it:", 2},
    {"method", 'm', "NAME", 0,
     "cg, cg-single (one reduction an iteration), cg-pipelined, bicgstab, gmres or direct (sparse "
     "LU "
     "by SuperLU). With neither this nor a preconditioner: cg if the matrix is symmetric and its "
     "diagonal positive, else bicgstab with ilu0, then gmres; where they fail direct, if its "
     "factors "
     "fit in half of the free memory",
     2},
    {"preconditioner", 'p', "NAME", 0,
     "none, jacobi, block-jacobi, ic0, ilu0, chebyshev or multigrid (of a method that was named: "
     "jacobi; none if the diagonal has zeros)",
     2},
    {"symmetric", KEY_SYMMETRIC, "WHAT", 0,
     "yes or no: take the matrix for that (auto: it is, if a(i,j) and a(j,i) differ by no more "
     "than "
     "1e-12 of the larger, or of the geometric mean of a(i,i) and a(j,j))",
     2},
    {"null-space", KEY_NULL_SPACE, "WHAT", 0,
     "constant: the matrix is singular, with constants as its null space, which are taken out of b "
     "and x; none: it is not looked for (auto: it is found where all rows sum to 0, and b is said "
     "to "
     "be wrong if it has such a part)",
     2},
    {"tolerance", KEY_TOLERANCE, "T", 0, "stop at |b - A x| <= T |b| (1e-8)", 2},
    {"absolute", KEY_ABSOLUTE, "T", 0, "or at |b - A x| <= T (0)", 2},
    {"max-iterations", 'n', "COUNT", 0, "give up after so many (10000)", 2},
    {"deterministic", KEY_DETERMINISTIC, NULL, 0,
     "multigrid: fail where a GPU lacks memory for making levels; without, the host then makes "
     "others. All else gives the same bits in any case",
     2},
    {NULL, 0, NULL, 0, "Of single methods and preconditioners:", 3},
    {"restart", KEY_RESTART, "COUNT", 0,
     "gmres: basis vectors, 1 to 1000 (200, less as they take more than 64 MiB, to 30)", 3},
    {"block", KEY_BLOCK, "ROWS", 0, "block-jacobi: rows of a block, 1 to 64 (8)", 3},
    {"degree", KEY_DEGREE, "COUNT", 0,
     "chebyshev, as preconditioner or smoother: of the polynomial, 1 to 64 (3)", 3},
    {"eigenvalue-ratio", KEY_EIGENVALUE_RATIO, "R", 0,
     "chebyshev: largest eigenvalue by the smallest it damps, above 1, up to 1e6 (30; as a "
     "smoother 4, "
     "or 3 where the degree is less than 3)",
     3},
    {"smoother", KEY_SMOOTHER, "NAME", 0, "multigrid: jacobi or chebyshev (chebyshev)", 3},
    {"strength", KEY_STRENGTH, "S", 0, "multigrid: threshold of strong entries, 0 to 1 (0.08)", 3},
    {"coarse-rows", KEY_COARSE_ROWS, "COUNT", 0,
     "multigrid: levels this small are solved directly, 1 to 4000 (500)", 3},
    {"figure", KEY_FIGURE, "FILE", 0, "draw the residual over the iterations: .svg, .png or .pdf",
     91},
    {0}};

static const char arguments_doc[] = "MATRIX";

static const char command_doc[] =
    "Solve the sparse system of linear equations A x = b by a Krylov method or by LU factors.\n"
    "\n"
    "MATRIX is a Matrix Market file (coordinate or array, any field and symmetry), a SciPy file of "
    "a "
    "matrix (.npz; csr, csc, coo, bsr or dia) or a NumPy array (.npy): what it is its first bytes "
    "say. It may be gzipped, or come from a pipe; - is standard input. What the matrix is, whether "
    "it is "
    "symmetric, what its diagonal says, is reported before it is solved. The residual reported at "
    "the end is recomputed from the solution. Runs on the CPU (--device cpu), on a "
    "GPU (--device cuda:0) or on several (--device cuda:0-3), and over MPI; each "
    "rank has some of the rows. Exit status 1: not converged."
    "\v"
    "Examples:\n"
    "  tesela solve bcsstk17.mtx\n"
    "  tesela solve A.mtx.gz --rhs b.mtx -o x.mtx --preconditioner ic0 --tolerance 1e-10\n"
    "  tesela solve A.npz --rhs b.npy --method gmres --preconditioner ilu0 --restart 50\n"
    "  tesela solve A.mtx --device cuda:0-1 --preconditioner multigrid\n"
    "  mpirun -n 4 tesela solve A.mtx --device cuda:0-3\n"
    "  tesela solve poisson.mtx --preconditioner multigrid --figure residual.svg --json run.json";

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

/* A number from `low` (itself only if `closed`) to below or at `high`. */
static error_t set_real(const char *option, const char *text, double low, bool closed, double high,
                        double *out)
{
    double value;
    if (cli_parse_real(text, &value) && (closed ? value >= low : value > low) && value <= high) {
        *out = value;
        return 0;
    }
    cli_error("%s '%s': give a number %s %g%s %g", option, text, closed ? "from" : "above", low,
              closed ? " to" : ", up to", high);
    return EINVAL;
}

static error_t set_method(solve_options *options, const char *text)
{
    const char *names[8];
    int chosen = 0;
    for (int i = 0; i < 8; i++) {
        names[i] = tsl_linsolve_method_name((tsl_linsolve_method)i);
    }
    const error_t error = cli_set_choice("--method", text, names, &chosen);
    options->linsolve.method = (tsl_linsolve_method)chosen;
    options->has_method = true;
    return error;
}

static error_t set_preconditioner(solve_options *options, const char *text)
{
    const char *names[12];
    int chosen = 0;
    for (int i = 0; i < 12; i++) {
        names[i] = tsl_linsolve_preconditioner_name((tsl_linsolve_preconditioner)i);
    }
    const error_t error = cli_set_choice("--preconditioner", text, names, &chosen);
    options->linsolve.preconditioner = (tsl_linsolve_preconditioner)chosen;
    options->has_preconditioner = true;
    return error;
}

static error_t set_smoother(solve_options *options, const char *text)
{
    int chosen = 0;
    const error_t error = cli_set_choice("--smoother", text, solve_smoother_names, &chosen);
    options->linsolve.smoother = (tsl_linsolve_smoother)chosen;
    return error;
}

static error_t set_null_space(solve_options *options, const char *text)
{
    int chosen = 0;
    const error_t error = cli_set_choice("--null-space", text, solve_null_space_names, &chosen);
    options->null_space = (solve_null_space)chosen;
    return error;
}

static error_t set_symmetry(solve_options *options, const char *text)
{
    int chosen = 0;
    const error_t error = cli_set_choice("--symmetric", text, solve_symmetry_names, &chosen);
    options->symmetry = (tsl_sparse_symmetry)chosen;
    return error;
}

static error_t set_argument(solve_options *options, const char *text)
{
    if (options->matrix != NULL) {
        cli_error("'%s' is one argument too many: give one matrix; the right-hand side goes with "
                  "--rhs",
                  text);
        return EINVAL;
    }
    options->matrix = text;
    return 0;
}

/* Numbers. */
static error_t set_number(solve_options *options, int key, const char *text)
{
    tsl_linsolve_options *linsolve = &options->linsolve;
    int rows = 0;
    error_t error;
    switch (key) {
    case KEY_TOLERANCE:
        return set_real("--tolerance", text, 0, true, 0.999999, &linsolve->tolerance);
    case KEY_ABSOLUTE:
        return set_real("--absolute", text, 0, true, 1e300, &linsolve->absolute);
    case KEY_RESTART:
        options->has_restart = true;
        return cli_set_integer("--restart", text, 1, 1000, &linsolve->restart);
    case KEY_BLOCK:
        return cli_set_integer("--block", text, 1, 64, &linsolve->block);
    case KEY_DEGREE:
        return cli_set_integer("--degree", text, 1, 64, &linsolve->degree);
    case KEY_EIGENVALUE_RATIO:
        return set_real("--eigenvalue-ratio", text, 1, false, 1e6, &linsolve->eigenvalue_ratio);
    case KEY_STRENGTH:
        return set_real("--strength", text, 0, true, 1, &linsolve->strength);
    case KEY_COARSE_ROWS:
        error = cli_set_integer("--coarse-rows", text, 1, 4000, &rows);
        linsolve->coarse_rows = rows;
        return error;
    case 'n':
        error = cli_set_integer("--max-iterations", text, 0, INT32_MAX, &rows);
        linsolve->max_iterations = rows;
        options->has_limit = true;
        return error;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* Options that not every method or preconditioner has. */
static const struct {
    int key;
    const char *name, *user;
} single[] = {{KEY_RESTART, "--restart", "gmres"},
              {KEY_BLOCK, "--block", "block-jacobi"},
              {KEY_DEGREE, "--degree", "chebyshev"},
              {KEY_EIGENVALUE_RATIO, "--eigenvalue-ratio", "chebyshev"},
              {KEY_SMOOTHER, "--smoother", "multigrid"},
              {KEY_STRENGTH, "--strength", "multigrid"},
              {KEY_COARSE_ROWS, "--coarse-rows", "multigrid"}};
enum { SINGLE = sizeof single / sizeof *single };

void solve_options_note_unused(const solve_options *options, const tsl_linsolve_options *settled)
{
    const bool multigrid = settled->preconditioner == TSL_LINSOLVE_MULTIGRID;
    const char *const users[] = {tsl_linsolve_method_name(settled->method),
                                 tsl_linsolve_preconditioner_name(settled->preconditioner),
                                 multigrid ? solve_smoother_names[settled->smoother] : ""};
    for (int i = 0; i < SINGLE; i++) {
        bool used = false;
        for (int k = 0; k < 3; k++) {
            used = used || strcmp(single[i].user, users[k]) == 0;
        }
        if (!used && (options->given & 1U << i) != 0) {
            cli_note("%s is not used: it is an option of %s, and this is %s with %s%s%s",
                     single[i].name, single[i].user, users[0], users[1],
                     multigrid ? " smoothed by " : "", users[2]);
        }
    }
}

static error_t parse_option(int key, char *text, struct argp_state *state)
{
    solve_options *options = state->input;
    for (int i = 0; i < SINGLE; i++) {
        options->given |= single[i].key == key ? 1U << i : 0;
    }
    switch (key) {
    case ARGP_KEY_ARG:
        return set_argument(options, text);
    case KEY_RHS:
        options->rhs = text;
        return 0;
    case KEY_GUESS:
        options->guess = text;
        return 0;
    case 'o':
        options->output = text;
        return 0;
    case KEY_FIGURE:
        options->figure = text;
        return 0;
    case 'm':
        return set_method(options, text);
    case 'p':
        return set_preconditioner(options, text);
    case KEY_SMOOTHER:
        return set_smoother(options, text);
    case KEY_NULL_SPACE:
        return set_null_space(options, text);
    case KEY_SYMMETRIC:
        return set_symmetry(options, text);
    case KEY_DETERMINISTIC:
        options->linsolve.deterministic = 1;
        return 0;
    default:
        return set_number(options, key, text);
    }
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

/* Standard input is one file. */
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

bool solve_options_parse(solve_options *out, int argc, char **argv, int *exit_status)
{
    static const struct argp argp = {.options = options_table,
                                     .parser = parse_option,
                                     .args_doc = arguments_doc,
                                     .doc = command_doc};
    *out = (solve_options){.linsolve = TSL_LINSOLVE_OPTIONS_INIT};
    if (!cli_parse(&argp, out, &out->common, argc, argv, exit_status)) {
        return false;
    }
    if (out->matrix == NULL) {
        cli_error("nothing to solve: give a matrix (see tesela solve --help)");
        return false;
    }
    if (!reads_input_once(out)) {
        return false;
    }
    const cli_file files[] = {{NULL, out->matrix},
                              {NULL, out->rhs},
                              {NULL, out->guess},
                              {"-o", out->output},
                              {"--figure", out->figure}};
    return (out->output == NULL ||
            (knows_output(out->output) && cli_can_write("-o", out->output, false))) &&
           cli_can_write_figure("--figure", out->figure) &&
           cli_are_apart(files, sizeof files / sizeof *files, out->common.json);
}
