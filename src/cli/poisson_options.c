/* The command line of `tesela poisson`. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/poisson_command.h"

enum {
    KEY_LENGTHS = 0x400,
    KEY_BOUNDARY,
    KEY_EQUATION,
    KEY_SIGN,
    KEY_SYMBOL,
    KEY_KERNEL,
    KEY_SCREENING,
    KEY_BACKGROUND,
    KEY_PRECISION,
    KEY_MEMORY,
    KEY_N,
    KEY_REPEAT
};

static const struct argp_option options_table[] = {
    {NULL, 0, NULL, 0, "What to solve:", 1},
    {"output", 'o', "OUTPUT", 0, "where the potential goes, .npy or .cube", 1},
    {"lengths", KEY_LENGTHS, "LX,LY,LZ", 0,
     "edges of the box, x first (a cube has them; bench: 1,1,1)", 1},
    {"boundary", KEY_BOUNDARY, "B[,B,B]", 0,
     "periodic or free, for all axes or for x, y and z (periodic)", 1},
    {"equation", KEY_EQUATION, "NAME", 0,
     "electrostatic: laplacian phi = -4 pi rho; plain: laplacian phi = f (electrostatic)", 1},
    {"sign", KEY_SIGN, "NAME", 0,
     "what positive numbers of a density are: electrons or charge (electrons in a cube)", 1},
    {"screening", KEY_SCREENING, "KAPPA", 0, "laplacian - kappa^2 in place of laplacian (0)", 1},
    {"background", KEY_BACKGROUND, NULL, 0,
     "neutralise a periodic box that has a net charge, which is an error otherwise", 1},
    {NULL, 0, NULL, 0, "How:", 2},
    {"symbol", KEY_SYMBOL, "NAME", 0, "periodic boxes: spectral or second-order (spectral)", 2},
    {"kernel", KEY_KERNEL, "NAME", 0, "free boxes: truncated, integrated or point (truncated)", 2},
    {"precision", KEY_PRECISION, "NAME", 0, "single or double (the file's; bench: double)", 2},
    {"memory", KEY_MEMORY, "BYTES", 0, "take no more than this, e.g. 4G", 2},
    {NULL, 0, NULL, 0, "tesela poisson bench:", 3},
    {"n", KEY_N, "N[,NY,NZ]", 0, "cells along each axis (128)", 3},
    {"repeat", KEY_REPEAT, "COUNT", 0, "solves that are timed (20)", 3},
    {0}};

static const char arguments_doc[] = "INPUT -o OUTPUT\n"
                                    "verify\n"
                                    "bench [--n N]";

static const char command_doc[] =
    "Solve Poisson's equation on a regular grid.\n"
    "\n"
    "INPUT is the charge density or right-hand side: a NumPy file (.npy) of three axes x, y, z in "
    "C "
    "order, single or double precision, or a cube file (.cube, lengths in bohr). The potential has "
    "the same shape. With a free axis the box stands alone along it, whatever its net charge; "
    "include/tesela/poisson.h defines the potentials of slabs and wires. verify solves problems "
    "whose answers are known and compares; bench measures."
    "\v"
    "Examples:\n"
    "  tesela poisson water.cube --boundary free -o potential.cube\n"
    "  tesela poisson density.npy --lengths 10,10,10 --boundary free -o potential.npy\n"
    "  tesela poisson f.npy --lengths 1,1,2 --equation plain -o phi.npy\n"
    "  tesela poisson slab.npy --lengths 5,5,30 --boundary periodic,periodic,free -o phi.npy\n"
    "  tesela poisson verify --json verify.json\n"
    "  tesela poisson bench --n 512 --boundary periodic --precision double --repeat 20";

/* One or three fields between commas; one stands for all three. False if there are others. */
static bool split(const char *text, char fields[3][32])
{
    int count = 0;
    while (count < 3) {
        const size_t length = strcspn(text, ",");
        if (length == 0 || length >= sizeof fields[0]) {
            return false;
        }
        memcpy(fields[count], text, length);
        fields[count++][length] = '\0';
        text += length;
        if (*text == '\0') {
            break;
        }
        text++;
    }
    if (count == 1) {
        strcpy(fields[1], fields[0]);
        strcpy(fields[2], fields[0]);
    }
    return count != 2 && *text == '\0';
}

static error_t set_lengths(poisson_options *options, const char *text)
{
    char fields[3][32];
    bool good = split(text, fields) && strchr(text, ',') != NULL;
    for (int axis = 0; axis < 3 && good; axis++) {
        good = cli_parse_real(fields[axis], &options->poisson.lengths[axis]) &&
               options->poisson.lengths[axis] > 0;
    }
    if (!good) {
        cli_error("--lengths '%s': give three numbers above 0, e.g. 10,10,12.5", text);
    }
    return good ? 0 : EINVAL;
}

static error_t set_boundary(poisson_options *options, const char *text)
{
    char fields[3][32];
    bool good = split(text, fields);
    for (int axis = 0; axis < 3 && good; axis++) {
        const bool is_free = strcmp(fields[axis], "free") == 0;
        good = is_free || strcmp(fields[axis], "periodic") == 0;
        options->poisson.boundary[axis] = is_free ? TSL_BOUNDARY_FREE : TSL_BOUNDARY_PERIODIC;
    }
    if (!good) {
        cli_error("--boundary '%s': give periodic or free, once or for x,y,z", text);
    }
    return good ? 0 : EINVAL;
}

static error_t set_n(poisson_options *options, const char *text)
{
    char fields[3][32];
    bool good = split(text, fields);
    for (int axis = 0; axis < 3 && good; axis++) {
        int n = 0;
        good = cli_parse_integer(fields[axis], &n) && n >= 1 && n <= 16384;
        options->poisson.n[axis] = n;
    }
    if (!good) {
        cli_error("--n '%s': give one or three whole numbers from 1 to 16384, e.g. 256", text);
    }
    return good ? 0 : EINVAL;
}

const char *const poisson_equation_names[] = {
    [TSL_POISSON_ELECTROSTATIC] = "electrostatic", [TSL_POISSON_PLAIN] = "plain", NULL};
const char *const poisson_symbol_names[] = {
    [TSL_POISSON_SPECTRAL] = "spectral", [TSL_POISSON_SECOND_ORDER] = "second-order", NULL};
const char *const poisson_kernel_names[] = {[TSL_POISSON_TRUNCATED] = "truncated",
                                            [TSL_POISSON_INTEGRATED] = "integrated",
                                            [TSL_POISSON_POINT] = "point",
                                            NULL};

static error_t set_name(poisson_options *options, int key, const char *text)
{
    static const char *const precisions[] = {"single", "double", NULL};
    static const char *const signs[] = {"electrons", "charge", NULL};
    tsl_poisson_options *poisson = &options->poisson;
    int chosen = 0;
    error_t error;
    switch (key) {
    case KEY_EQUATION:
        error = cli_set_choice("--equation", text, poisson_equation_names, &chosen);
        poisson->equation = (tsl_poisson_equation)chosen;
        return error;
    case KEY_SYMBOL:
        error = cli_set_choice("--symbol", text, poisson_symbol_names, &chosen);
        poisson->symbol = (tsl_poisson_symbol)chosen;
        return error;
    case KEY_KERNEL:
        error = cli_set_choice("--kernel", text, poisson_kernel_names, &chosen);
        poisson->kernel = (tsl_poisson_kernel)chosen;
        return error;
    case KEY_SIGN:
        error = cli_set_choice("--sign", text, signs, &chosen);
        options->sign = chosen == 0 ? POISSON_SIGN_ELECTRONS : POISSON_SIGN_CHARGE;
        return error;
    default:
        error = cli_set_choice("--precision", text, precisions, &chosen);
        poisson->precision = chosen == 0 ? 4 : 8;
        return error;
    }
}

static error_t set_argument(poisson_options *options, const char *text)
{
    if (options->input != NULL) {
        cli_error("'%s' is one argument too many: give one file, verify or bench", text);
        return EINVAL;
    }
    options->input = text;
    options->task = strcmp(text, "verify") == 0  ? POISSON_VERIFY
                    : strcmp(text, "bench") == 0 ? POISSON_BENCH
                                                 : POISSON_FILE;
    return 0;
}

static error_t parse_option(int key, char *text, struct argp_state *state)
{
    poisson_options *options = state->input;
    switch (key) {
    case ARGP_KEY_ARG:
        return set_argument(options, text);
    case 'o':
        options->output = text;
        return 0;
    case KEY_LENGTHS:
        return set_lengths(options, text);
    case KEY_BOUNDARY:
        return set_boundary(options, text);
    case KEY_N:
        return set_n(options, text);
    case KEY_EQUATION:
    case KEY_SIGN:
    case KEY_SYMBOL:
    case KEY_KERNEL:
    case KEY_PRECISION:
        return set_name(options, key, text);
    case KEY_BACKGROUND:
        options->poisson.background = 1;
        return 0;
    case KEY_SCREENING:
        if (!cli_parse_real(text, &options->poisson.screening) || options->poisson.screening < 0) {
            cli_error("--screening '%s': give a number from 0 up", text);
            return EINVAL;
        }
        return 0;
    case KEY_MEMORY:
        return cli_set_bytes("--memory", text, "4G", &options->poisson.memory);
    case KEY_REPEAT:
        return cli_set_integer("--repeat", text, 1, 1000000, &options->repeat);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static bool check(const poisson_options *options)
{
    const bool file = options->task == POISSON_FILE;
    if (options->input == NULL) {
        cli_error("nothing to solve: give a file, verify or bench (see tesela poisson --help)");
    } else if (file != (options->output != NULL)) {
        cli_error("%s", file ? "-o OUTPUT is missing: say where the potential goes"
                             : "-o goes with a file only: leave it out");
    } else if (file && poisson_is_cube(options->input) && options->poisson.lengths[0] > 0) {
        cli_error("--lengths: %s says them itself: leave them out", options->input);
    } else if (file && poisson_is_cube(options->output) && !poisson_is_cube(options->input)) {
        cli_error("-o %s: a cube has atoms, which %s has not: write .npy", options->output,
                  options->input);
    } else if (options->sign == POISSON_SIGN_ELECTRONS &&
               options->poisson.equation == TSL_POISSON_PLAIN) {
        cli_error("--sign electrons goes with the electrostatic equation: leave one out");
    } else if (file && !poisson_is_cube(options->input) && options->poisson.lengths[0] == 0) {
        cli_error("--lengths is missing: give the edges of the box, e.g. --lengths 10,10,12.5");
    } else if (options->task != POISSON_BENCH &&
               (options->poisson.n[0] > 0 || options->repeat > 0)) {
        cli_error("--n and --repeat go with bench only: leave them out");
    } else {
        return !file || cli_can_write("-o", options->output, false);
    }
    return false;
}

bool poisson_options_parse(poisson_options *out, int argc, char **argv, int *exit_status)
{
    static const struct argp argp = {.options = options_table,
                                     .parser = parse_option,
                                     .args_doc = arguments_doc,
                                     .doc = command_doc};
    *out = (poisson_options){.poisson = TSL_POISSON_OPTIONS_INIT};
    out->poisson.precision = 0;
    return cli_parse(&argp, out, &out->common, argc, argv, exit_status) && check(out);
}
