/* The command line of `tesela poisson`. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/poisson/command.h"
#include "io/grid/hdf5.h"

enum {
    KEY_OUTPUT = 0x400,
    KEY_DATASET,
    KEY_FIGURE,
    KEY_LENGTHS,
    KEY_SAMPLING,
    KEY_NUCLEI,
    KEY_VALENCE,
    KEY_ELECTRONS,
    KEY_BOUNDARY,
    KEY_EQUATION,
    KEY_SIGN,
    KEY_SYMBOL,
    KEY_KERNEL,
    KEY_SCREENING,
    KEY_BACKGROUND,
    KEY_PRECISION,
    KEY_MEMORY,
    KEY_PLAN,
    KEY_N,
    KEY_REPEAT,
    KEY_CSV
};

static const struct argp_option options_table[] = {
    {NULL, 0, NULL, 0, "Files:", 1},
    {NULL, 'o', "OUTPUT", 0, "where the result goes: .npy, .h5 or, from a cube, .cube", 1},
    {"output", KEY_OUTPUT, "NAME", 0,
     "potential; field, its three components; or energy, for which no file is written (potential)",
     1},
    {"dataset", KEY_DATASET, "NAME", 0,
     "the array of an HDF5 or .npz file, e.g. density (its only one of three axes)", 1},
    {"figure", KEY_FIGURE, "FILE", 0,
     "draw slices of source and potential, or a study's curves: .svg, .png or .pdf", 1},
    {NULL, 0, NULL, 0, "What to solve:", 2},
    {"lengths", KEY_LENGTHS, "LX,LY,LZ", 0,
     "edges of the box, x first (a cube has them, and an HDF5 file of tesela's; bench: 1,1,1)", 2},
    {"boundary", KEY_BOUNDARY, "B[,B,B]", 0,
     "periodic or free, for all axes or for x, y and z (periodic)", 2},
    {"equation", KEY_EQUATION, "NAME", 0,
     "electrostatic: laplacian phi = -4 pi rho; plain: laplacian phi = f (electrostatic)", 2},
    {"screening", KEY_SCREENING, "KAPPA", 0, "laplacian - kappa^2 in place of laplacian (0)", 2},
    {"background", KEY_BACKGROUND, NULL, 0,
     "neutralise a periodic box that has a net charge, which is an error otherwise", 2},
    {NULL, 0, NULL, 0, "Densities, cubes above all:", 3},
    {"sign", KEY_SIGN, "NAME", 0,
     "what positive numbers of a density are: electrons or charge (electrons in a cube)", 3},
    {"sampling", KEY_SAMPLING, "NAME", 0,
     "where samples stand in their cells: corners or centres; the origin is that of the first cell "
     "(corners)",
     3},
    {"nuclei", KEY_NUCLEI, "NAME", 0,
     "add: the atoms of the cube's header, as point charges; none (none)", 3},
    {"valence", KEY_VALENCE, "O=6,H=1", 0,
     "the nuclei's charges, where the density lacks core electrons (the header's)", 3},
    {"electrons", KEY_ELECTRONS, "COUNT", 0,
     "scale the density to this number of electrons; neutral: as many as the nuclei's charge", 3},
    {NULL, 0, NULL, 0, "How:", 4},
    {"symbol", KEY_SYMBOL, "NAME", 0, "periodic boxes: spectral or second-order (spectral)", 4},
    {"kernel", KEY_KERNEL, "NAME", 0, "free boxes: truncated, integrated or point (truncated)", 4},
    {"precision", KEY_PRECISION, "NAME", 0, "single or double (the file's; bench: double)", 4},
    {"memory", KEY_MEMORY, "BYTES", 0, "take no more than this, each rank, e.g. 4G", 4},
    {"plan", KEY_PLAN, "KEY=VALUE,...", 0,
     "how ranks share the work: ranks=PxQ (1xQ and Px1 are slabs, others pencils), segments=COUNT, "
     "overlap=on or off, measure=on (try what is left open, take the fastest, in place of rules); "
     "on GPUs "
     "form=lines, transforms fused with the spectrum, or plain, the library's (the faster), and "
     "form=strided, the library's of lines where they stand, to compare with, on CPUs too; "
     "exchange=staged, by way of the host, to compare with; under mpirun on CPUs "
     "exchange=datatypes, without packing, likewise (direct)",
     4},
    {NULL, 0, NULL, 0, "tesela poisson verify, bench and study:", 5},
    {"n", KEY_N, "N[,NY,NZ]", 0,
     "cells along each axis (128); verify: of one grid more for its periodic waves", 5},
    {"repeat", KEY_REPEAT, "COUNT", 0, "bench and study: solves that are timed (20)", 5},
    {"csv", KEY_CSV, "FILE", 0,
     "write a study's table as comma-separated values; - is standard output", 5},
    {0}};

static const char arguments_doc[] = "INPUT -o OUTPUT\n"
                                    "verify [--n N]\n"
                                    "bench [--n N]\n"
                                    "study segments|scaling [--n N]";

static const char command_doc[] =
    "Solve Poisson's equation on a regular grid.\n"
    "\n"
    "INPUT is the charge density or right-hand side, of three axes x, y, z: a NumPy file (.npy, or "
    "an array of a .npz) or a "
    "dataset of an HDF5 file, of any numbers, or a cube file (in bohr and electrons / bohr^3); "
    "gzipped or not, told by its content; - is standard input. The result has the same shape; a "
    "field has three "
    "components before it, or in a cube after it. With a free axis the box stands alone along it, "
    "whatever its net charge; include/tesela/poisson.h defines the potentials of slabs and wires. "
    "Nuclei are added to free boxes as 1/r, to others by Ewald's sum, 20 steps from the ends of "
    "free "
    "axes at least; in the cell that holds one, 1/r is the mean over the cell. verify solves "
    "problems whose answers are known and "
    "compares; bench measures, with --profile stage by stage, for which exchanges are not "
    "overlapped. study "
    "segments measures an exchange in 1, 2, 4, … pieces, overlapped and not; study scaling 1, 2, "
    "4, … of "
    "the ranks there are, on the grid (strong) and on one that grows with them (weak)."
    "\v"
    "Examples:\n"
    "  tesela poisson water.cube --boundary free --nuclei add -o potential.cube\n"
    "  tesela poisson valence.cube --boundary free --kernel point --nuclei add \\\n"
    "      --valence O=6,H=1 --electrons neutral -o potential.cube --figure potential.svg\n"
    "  tesela poisson density.h5 --dataset rho --lengths 10,10,10 --output field -o field.h5\n"
    "  tesela poisson f.npy --lengths 1,1,2 --equation plain -o phi.npy\n"
    "  tesela poisson slab.npy --lengths 5,5,30 --boundary periodic,periodic,free -o phi.npy\n"
    "  tesela poisson verify --n 512 --json verify.json\n"
    "  tesela poisson bench --n 512 --boundary periodic --precision double --repeat 20\n"
    "  tesela poisson bench --n 512 --device cuda:0-1 --plan exchange=staged --profile\n"
    "  tesela poisson study segments --n 512 --device cuda:0-1 --figure segments.svg\n"
    "  tesela poisson study scaling --n 256 --device cuda:0-3 --csv scaling.csv";

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
        if (*text == '\0' || count == 3) {
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

const char *const poisson_boundary_names[] = {
    [TSL_BOUNDARY_PERIODIC] = "periodic", [TSL_BOUNDARY_FREE] = "free", NULL};

static error_t set_boundary(poisson_options *options, const char *text)
{
    char fields[3][32];
    bool good = split(text, fields);
    for (int axis = 0; axis < 3 && good; axis++) {
        const bool is_free = strcmp(fields[axis], poisson_boundary_names[TSL_BOUNDARY_FREE]) == 0;
        good = is_free || strcmp(fields[axis], poisson_boundary_names[TSL_BOUNDARY_PERIODIC]) == 0;
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

const char *const poisson_quantity_names[] = {[POISSON_POTENTIAL] = "potential",
                                              [POISSON_FIELD] = "field",
                                              [POISSON_ENERGY] = "energy",
                                              NULL};

/* "neutral", or a number of electrons. */
static error_t set_electrons(poisson_options *options, const char *text)
{
    double electrons = 0;
    options->electrons = text;
    if (strcmp(text, "neutral") != 0 && (!cli_parse_real(text, &electrons) || electrons <= 0)) {
        cli_error("--electrons '%s': give a number above 0, or neutral", text);
        return EINVAL;
    }
    return 0;
}

static error_t set_name(poisson_options *options, int key, const char *text)
{
    static const char *const precisions[] = {"single", "double", NULL};
    static const char *const signs[] = {"electrons", "charge", NULL};
    static const char *const samplings[] = {"corners", "centres", NULL};
    static const char *const nuclei[] = {"none", "add", NULL};
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
    case KEY_OUTPUT:
        error = cli_set_choice("--output", text, poisson_quantity_names, &chosen);
        options->quantity = (poisson_quantity)chosen;
        return error;
    case KEY_SAMPLING:
        error = cli_set_choice("--sampling", text, samplings, &chosen);
        options->centres = chosen == 1;
        return error;
    case KEY_NUCLEI:
        error = cli_set_choice("--nuclei", text, nuclei, &chosen);
        options->nuclei = chosen == 1;
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
    static const char *const tasks[] = {
        [POISSON_VERIFY] = "verify", [POISSON_BENCH] = "bench", [POISSON_STUDY] = "study"};
    static const char *const studies[] = {
        [POISSON_SEGMENTS] = "segments", [POISSON_SCALING] = "scaling", NULL};
    if (options->task == POISSON_STUDY && options->study == NULL) {
        int chosen = 0;
        options->study = text;
        const error_t error = cli_set_choice("study", text, studies, &chosen);
        options->varied = (poisson_varied)chosen;
        return error;
    }
    if (options->input != NULL) {
        cli_error("'%s' is one argument too many: give one file, verify, bench or study", text);
        return EINVAL;
    }
    options->input = text;
    for (int task = POISSON_VERIFY; task <= POISSON_STUDY; task++) {
        if (strcmp(text, tasks[task]) == 0) {
            options->task = (poisson_task)task;
        }
    }
    return 0;
}

static uint32_t bit_of(int key)
{
    return UINT32_C(1) << (key - KEY_OUTPUT);
}

static error_t parse_option(int key, char *text, struct argp_state *state)
{
    poisson_options *options = state->input;
    if (key >= KEY_OUTPUT && key <= KEY_CSV) {
        options->given |= bit_of(key);
    }
    switch (key) {
    case ARGP_KEY_ARG:
        return set_argument(options, text);
    case 'o':
        options->output = text;
        return 0;
    case KEY_DATASET:
        options->dataset = text;
        return 0;
    case KEY_FIGURE:
        options->figure = text;
        return 0;
    case KEY_VALENCE:
        return poisson_set_valence(options, text);
    case KEY_ELECTRONS:
        return set_electrons(options, text);
    case KEY_LENGTHS:
        return set_lengths(options, text);
    case KEY_BOUNDARY:
        return set_boundary(options, text);
    case KEY_N:
        return set_n(options, text);
    case KEY_OUTPUT:
    case KEY_SAMPLING:
    case KEY_NUCLEI:
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
    case KEY_PLAN:
        return poisson_set_plan(&options->poisson, text);
    case KEY_CSV:
        options->common.csv = text;
        return 0;
    case KEY_REPEAT:
        return cli_set_integer("--repeat", text, 1, 1000000, &options->repeat);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* What is read, and where results go. What depends on the file's content comes later. */
static bool check_files(const poisson_options *options)
{
    const bool writes = options->output != NULL;
    const poisson_format output = writes ? poisson_format_of(options->output) : POISSON_NPY;
    struct stat about;
    if (output == POISSON_NO_FORMAT && !poisson_is_gzipped(options->output)) {
        cli_error("-o %s: give a name that ends in .npy, .h5, .hdf5 or, from a cube, .cube or .cub",
                  options->output);
    } else if (writes == (options->quantity == POISSON_ENERGY)) {
        cli_error("%s", writes ? "--output energy writes no file: leave -o out"
                               : "-o OUTPUT is missing: say where the result goes");
    } else if (writes && poisson_is_gzipped(options->output)) {
        cli_error("-o %s: files are written as they are: leave .gz out", options->output);
    } else if (output == POISSON_HDF5 && tsl_hdf5_library() == NULL) {
        cli_error("%s: this build has no HDF5: see tesela info", options->output);
    } else if (strcmp(options->input, "-") != 0 && lstat(options->input, &about) != 0 &&
               errno == ENOENT) {
        cli_error("%s: cannot open: No such file or directory: give a .npy, HDF5 or cube file, - "
                  "for standard input, or verify, bench or study",
                  options->input);
    } else {
        const cli_file files[] = {
            {NULL, options->input}, {"-o", options->output}, {"--figure", options->figure}};
        return (!writes || cli_can_write("-o", options->output, false)) &&
               cli_can_write_figure("--figure", options->figure) &&
               cli_are_apart(files, sizeof files / sizeof *files, options->common.json);
    }
    return false;
}

/* Densities and nuclei. */
static bool check_density(const poisson_options *options)
{
    const bool plain = options->poisson.equation == TSL_POISSON_PLAIN;
    if (plain && (options->sign == POISSON_SIGN_ELECTRONS || options->nuclei)) {
        cli_error("%s goes with the electrostatic equation: leave one out",
                  options->nuclei ? "--nuclei add" : "--sign electrons");
    } else if (options->nuclei && options->poisson.screening > 0) {
        cli_error("--nuclei add: nuclei are not screened: leave --screening out");
    } else if (options->has_valence && !options->nuclei) {
        cli_error("--valence goes with --nuclei add: say both or none");
    } else if (options->electrons != NULL && (plain || options->sign == POISSON_SIGN_CHARGE)) {
        cli_error("--electrons scales a density of electrons: say --sign electrons");
    } else if (options->electrons != NULL && strcmp(options->electrons, "neutral") == 0 &&
               !options->nuclei) {
        cli_error("--electrons neutral goes with --nuclei add: give their number instead");
    } else {
        return true;
    }
    return false;
}

/* What holds a net charge needs no background. */
static bool check_background(const poisson_options *options)
{
    const tsl_poisson_options *poisson = &options->poisson;
    bool periodic = true;
    for (int axis = 0; axis < 3; axis++) {
        periodic = periodic && poisson->boundary[axis] == TSL_BOUNDARY_PERIODIC;
    }
    if (poisson->background && poisson->screening > 0) {
        cli_error("--background: a screened box holds a net charge as it is: leave --background or "
                  "--screening out");
    } else if (poisson->background && !periodic) {
        cli_error("--background: a box with a free axis holds a net charge as it is: leave "
                  "--background out");
    } else {
        return true;
    }
    return false;
}

/* What a study varies is not asked for. */
static bool check_study(const poisson_options *options)
{
    const tsl_poisson_options *plan = &options->poisson;
    if (options->study == NULL) {
        cli_error("study: say of what, segments or scaling (see tesela poisson --help)");
    } else if (options->varied == POISSON_SEGMENTS && (plan->segments > 0 || plan->overlap != 0)) {
        cli_error("--plan: segments and overlap are what study segments varies: leave them out");
    } else if (options->varied == POISSON_SEGMENTS && plan->ranks[0] * plan->ranks[1] == 1) {
        cli_error("--plan: ranks=1x1 exchange nothing, in whatever segments: give more, or leave "
                  "ranks out");
    } else if (options->varied == POISSON_SCALING && (plan->ranks[0] > 0 || plan->measure)) {
        cli_error("--plan: ranks are what study scaling varies: leave ranks and measure out");
    } else {
        const cli_file files[] = {{"--figure", options->figure}, {"--csv", options->common.csv}};
        return cli_can_write_figure("--figure", options->figure) &&
               cli_can_write_csv(&options->common) &&
               cli_are_apart(files, sizeof files / sizeof *files, options->common.json);
    }
    return false;
}

/* Does a task take an option? */
static bool takes(poisson_task task, int key)
{
    switch (key) {
    case KEY_MEMORY:
    case KEY_PLAN:
        return true;
    case KEY_LENGTHS:
    case KEY_BOUNDARY:
    case KEY_EQUATION:
    case KEY_SCREENING:
    case KEY_SYMBOL:
    case KEY_KERNEL:
    case KEY_PRECISION:
        return task != POISSON_VERIFY;
    case KEY_FIGURE:
        return task == POISSON_FILE || task == POISSON_STUDY;
    case KEY_N:
        return task != POISSON_FILE;
    case KEY_REPEAT:
        return task == POISSON_BENCH || task == POISSON_STUDY;
    case KEY_CSV:
        return task == POISSON_STUDY;
    default:
        return task == POISSON_FILE;
    }
}

/* What takes an option: "verify, bench and study". */
static const char *takers_of(char text[64], int key)
{
    static const char *const names[] = {[POISSON_FILE] = "a file",
                                        [POISSON_VERIFY] = "verify",
                                        [POISSON_BENCH] = "bench",
                                        [POISSON_STUDY] = "study"};
    const char *found[POISSON_STUDY + 1];
    int count = 0, used = 0;
    for (int task = POISSON_FILE; task <= POISSON_STUDY; task++) {
        if (takes((poisson_task)task, key)) {
            found[count++] = names[task];
        }
    }
    for (int i = 0; i < count; i++) {
        used += sprintf(text + used, "%s%s",
                        i == 0          ? ""
                        : i < count - 1 ? ", "
                                        : " and ",
                        found[i]);
    }
    return text;
}

/* Nothing that is asked for is passed over. */
static bool check_given(const poisson_options *options)
{
    for (const struct argp_option *o = options_table; o->name != NULL || o->doc != NULL; o++) {
        char takers[64];
        const bool given =
            o->key >= KEY_OUTPUT && o->key <= KEY_CSV && (options->given & bit_of(o->key)) != 0;
        if (given && !takes(options->task, o->key)) {
            cli_error("--%s goes with %s only: leave it out", o->name, takers_of(takers, o->key));
            return false;
        }
    }
    return true;
}

/* The shortest of the suite's waves has 11 periods along an axis. */
static bool check_suite(const poisson_options *options)
{
    enum { LEAST = 24 };
    for (int axis = 0; axis < 3; axis++) {
        const int64_t n = options->poisson.n[axis];
        if (n > 0 && n < LEAST) {
            cli_error("--n: the waves that verify solves need %d cells along each axis: give more",
                      LEAST);
            return false;
        }
    }
    return true;
}

static bool check(const poisson_options *options)
{
    if (options->input == NULL) {
        cli_error(
            "nothing to solve: give a file, verify, bench or study (see tesela poisson --help)");
    } else if (!check_given(options)) {
        return false;
    } else if (options->task == POISSON_FILE) {
        return check_files(options) && check_density(options) && check_background(options);
    } else if (options->output != NULL) {
        cli_error("-o goes with a file only: leave it out");
    } else {
        return options->task == POISSON_VERIFY  ? check_suite(options)
               : options->task == POISSON_STUDY ? check_study(options)
                                                : true;
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
    const bool good = cli_parse(&argp, out, &out->common, argc, argv, exit_status) && check(out);
    out->repeat = out->repeat > 0 ? out->repeat : 20;
    return good;
}
