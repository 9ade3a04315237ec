/* The command line of `tesela poisson`. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/poisson/command.h"
#include "io/grid/hdf5.h"
#include "solvers/poisson/ranks/ranges.h"

/* ---- values -------------------------------------------------------------------------------- */

/* Split one field, which stands for three, or three fields with commas between. False for another
 * number. */
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

static error_t set_lengths(const cli_option *row, const char *text, void *parsed)
{
    poisson_options *options = parsed;
    char fields[3][32];
    bool good = split(text, fields) && strchr(text, ',') != NULL;
    for (int axis = 0; axis < 3 && good; axis++) {
        good = cli_parse_real(fields[axis], &options->poisson.lengths[axis]) &&
               options->poisson.lengths[axis] > 0;
    }
    return good ? 0 : cli_refuse_value(row, text, "give three numbers above 0, e.g. 10,10,12.5");
}

const char *const poisson_boundary_names[] = {
    [TSL_BOUNDARY_PERIODIC] = "periodic", [TSL_BOUNDARY_FREE] = "free", NULL};

static error_t set_boundary(const cli_option *row, const char *text, void *parsed)
{
    poisson_options *options = parsed;
    char fields[3][32];
    bool good = split(text, fields);
    for (int axis = 0; axis < 3 && good; axis++) {
        const bool is_free = strcmp(fields[axis], poisson_boundary_names[TSL_BOUNDARY_FREE]) == 0;
        good = is_free || strcmp(fields[axis], poisson_boundary_names[TSL_BOUNDARY_PERIODIC]) == 0;
        options->poisson.boundary[axis] = is_free ? TSL_BOUNDARY_FREE : TSL_BOUNDARY_PERIODIC;
    }
    return good ? 0 : cli_refuse_value(row, text, "give periodic or free, once or for x,y,z");
}

static error_t set_n(const cli_option *row, const char *text, void *parsed)
{
    poisson_options *options = parsed;
    char fields[3][32];
    bool good = split(text, fields);
    for (int axis = 0; axis < 3 && good; axis++) {
        int n = 0;
        good = cli_parse_integer(fields[axis], &n) && n >= row->range.low && n <= row->range.high;
        options->poisson.n[axis] = n;
    }
    char range[64];
    cli_range_text(range, row);
    return good ? 0
                : cli_refuse_value(row, text, "give one or three whole numbers from %s, e.g. 256",
                                   range);
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

/* Read "neutral", or a number of electrons. */
static error_t set_electrons(const cli_option *row, const char *text, void *parsed)
{
    double electrons = 0;
    if (strcmp(text, row->words[0]) != 0 && (!cli_parse_real(text, &electrons) || electrons <= 0)) {
        return cli_refuse_value(row, text, "give a number above 0, or %s", row->words[0]);
    }
    return cli_set(row, text, parsed);
}

/* ---- rows ---------------------------------------------------------------------------------- */

static const cli_task tasks[] = {[POISSON_FILE] = {.name = "a file"},
                                 [POISSON_VERIFY] = {.word = "verify"},
                                 [POISSON_BENCH] = {.word = "bench"},
                                 [POISSON_STUDY] = {.word = "study"},
                                 {0}};

#define OF_A_FILE (1U << POISSON_FILE)
#define OF_BENCH (1U << POISSON_BENCH)
#define OF_STUDY (1U << POISSON_STUDY)
#define OF_A_PROBLEM (OF_A_FILE | OF_BENCH | OF_STUDY)
#define OF_A_SUITE (OF_BENCH | OF_STUDY | 1U << POISSON_VERIFY)

static const char *const precision_names[] = {"single", "double", NULL};
static const int precisions[] = {4, 8};
static const char *const sign_names[] = {"electrons", "charge", NULL};
static const int signs[] = {POISSON_SIGN_ELECTRONS, POISSON_SIGN_CHARGE};
static const char *const sampling_names[] = {"corners", "centres", NULL};
static const char *const nuclei_names[] = {"none", "add", NULL};
static const char *const nuclei_notes[] = {NULL,
                                           "the atoms of the cube's header, as point charges"};
static const char *const electrons_words[] = {"neutral", NULL};
static const char *const quantity_notes[] = {NULL, "its three components",
                                             "for which no file is written"};
static const char *const equation_notes[] = {"laplacian phi = -4 pi rho", "laplacian phi = f"};

static const cli_option rows[] = {
    {.heading = "Files:"},
    {NULL, 'o', "OUTPUT", CLI_FILE, CLI_FIELD(poisson_options, output), .written = CLI_RESULT,
     .tasks = OF_A_FILE, .help = "file for the result: .npy, .h5 or, from a cube, .cube"},
    {"output", .value = "NAME", .kind = CLI_CHOICE, CLI_FIELD(poisson_options, quantity),
     .words = poisson_quantity_names, .notes = quantity_notes, .tasks = OF_A_FILE, .help = "@"},
    {"dataset", .value = "NAME", .kind = CLI_TEXT, CLI_FIELD(poisson_options, dataset),
     .tasks = OF_A_FILE, .help = "the array of an HDF5 or .npz file, e.g. density",
     .otherwise = "its only one of three axes"},
    {"figure", .value = "FILE", .kind = CLI_FILE, CLI_FIELD(poisson_options, figure),
     .written = CLI_FIGURE, .tasks = OF_A_FILE | OF_STUDY, .echo = CLI_TOLD,
     .help = "draw slices of source and potential, or a study's curves"},
    {.heading = "What to solve:"},
    {"lengths", .value = "LX,LY,LZ", .kind = CLI_LIST, CLI_FIELD(poisson_options, poisson.lengths),
     .set = set_lengths, .tasks = OF_A_PROBLEM, .help = "lengths of the box's edges, x first",
     .otherwise = "those in a cube file or in an HDF5 file of tesela; bench: 1,1,1"},
    {"boundary", .value = "B[,B,B]", .kind = CLI_LIST, CLI_FIELD(poisson_options, poisson.boundary),
     .words = poisson_boundary_names, .set = set_boundary, .tasks = OF_A_PROBLEM,
     .help = "periodic or free, for all axes or for x, y and z", .otherwise = "periodic"},
    {"equation", .value = "NAME", .kind = CLI_CHOICE, CLI_FIELD(poisson_options, poisson.equation),
     .words = poisson_equation_names, .notes = equation_notes, .tasks = OF_A_PROBLEM,
     .echo = CLI_TOLD, .help = "@"},
    {"screening", .value = "KAPPA", .kind = CLI_REAL, CLI_FIELD(poisson_options, poisson.screening),
     .range = {0, INFINITY}, .tasks = OF_A_PROBLEM, .echo = CLI_TOLD,
     .help = "replace laplacian by laplacian - kappa^2, kappa in 1 / length"},
    {"background", .kind = CLI_FLAG, CLI_FIELD(poisson_options, poisson.background),
     .tasks = OF_A_FILE,
     .help = "neutralise a periodic box that has a net charge, which is an error otherwise"},
    {.heading = "Densities, cubes above all:"},
    {"sign", .value = "NAME", .kind = CLI_CHOICE, CLI_FIELD(poisson_options, sign),
     .words = sign_names, .values = signs, .tasks = OF_A_FILE,
     .help = "what positive numbers of a density mean", .otherwise = "electrons in a cube"},
    {"sampling", .value = "NAME", .kind = CLI_CHOICE, CLI_FIELD(poisson_options, centres),
     .words = sampling_names, .tasks = OF_A_FILE, .echo = CLI_TOLD,
     .help = "position of samples in their cells: @; the origin is that of the first cell"},
    {"nuclei", .value = "NAME", .kind = CLI_CHOICE, CLI_FIELD(poisson_options, nuclei),
     .words = nuclei_names, .notes = nuclei_notes, .tasks = OF_A_FILE, .echo = CLI_TOLD,
     .help = "@"},
    {"valence", .value = "O=6,H=1", .kind = CLI_LIST, CLI_FIELD(poisson_options, valence),
     .set = poisson_set_valence, .tasks = OF_A_FILE,
     .help = "charges of the nuclei, for a density without core electrons",
     .otherwise = "the header's"},
    {"electrons", .value = "COUNT", .kind = CLI_TEXT, CLI_FIELD(poisson_options, electrons),
     .words = electrons_words, .set = set_electrons, .tasks = OF_A_FILE, .echo = CLI_TOLD,
     .help = "scale the density to this number of electrons; neutral: as many as the nuclei's "
             "charge"},
    {.heading = "How:"},
    {"symbol", .value = "NAME", .kind = CLI_CHOICE, CLI_FIELD(poisson_options, poisson.symbol),
     .words = poisson_symbol_names, .tasks = OF_A_PROBLEM, .echo = CLI_TOLD,
     .help = "symbol of the Laplacian, for periodic boxes"},
    {"kernel", .value = "NAME", .kind = CLI_CHOICE, CLI_FIELD(poisson_options, poisson.kernel),
     .words = poisson_kernel_names, .tasks = OF_A_PROBLEM, .echo = CLI_TOLD,
     .help = "Green's function, for free boxes"},
    {"precision", .value = "NAME", .kind = CLI_CHOICE,
     CLI_FIELD(poisson_options, poisson.precision), .words = precision_names, .values = precisions,
     .tasks = OF_A_PROBLEM, .echo = CLI_TOLD, .help = "@",
     .otherwise = "the file's; bench: double"},
    {"memory", .value = "BYTES", .kind = CLI_BYTES, CLI_FIELD(poisson_options, poisson.memory),
     .of_a_rank = true, .echo = CLI_TOLD_SAID, .help = "largest memory of each rank, e.g. 4G"},
    {"plan", .value = "KEY=VALUE,...", .kind = CLI_LIST, CLI_FIELD(poisson_options, poisson.ranks),
     .set = poisson_set_plan,
     .help = "how ranks divide the work: ranks=PxQ (1xQ and Px1 are slabs, others pencils); "
             "segments=COUNT; overlap=on or off; measure=on (measure what is left open and take "
             "the fastest, instead of using rules); on GPUs form=lines (transforms fused with the "
             "spectrum) or form=plain (the library's transforms), by default the faster; for "
             "comparison, form=strided (the library transforms lines in place; on CPUs too), "
             "exchange=staged (through the host) and, under mpirun on CPUs, exchange=datatypes "
             "(without packing) (direct)"},
    {.heading = "tesela poisson verify, bench and study:"},
    {"n", .value = "N[,NY,NZ]", .kind = CLI_LIST, CLI_FIELD(poisson_options, poisson.n),
     .range = {1, TSL_POISSON_LONGEST_AXIS}, .set = set_n, .tasks = OF_A_SUITE,
     .help = "cells along each axis, @; verify: those of an additional grid for periodic waves",
     .otherwise = CLI_QUOTE(POISSON_USUAL_N)},
    {"repeat", .value = "COUNT", .kind = CLI_INTEGER, CLI_FIELD(poisson_options, repeat),
     .range = {1, 1000000}, .tasks = OF_BENCH | OF_STUDY, .echo = CLI_TOLD,
     .help = "bench and study: number of timed solves"},
    {"csv", .value = "FILE", .kind = CLI_FILE, CLI_FIELD(poisson_options, common.csv),
     .written = CLI_TABLE, .tasks = OF_STUDY, .echo = CLI_TOLD, .help = "write a study's table"},
    {0}};

static const char arguments_doc[] = "INPUT -o OUTPUT\n"
                                    "verify [--n N]\n"
                                    "bench [--n N]\n"
                                    "study segments|scaling [--n N]";

static const char command_doc[] =
    "Solve Poisson's equation on a regular grid.\n"
    "\n"
    "INPUT is the charge density or right-hand side, with three axes x, y, z: a NumPy file (.npy, "
    "or an array of a .npz) or a dataset of an HDF5 file, with numbers of any type, or a cube file "
    "(in bohr and electrons / bohr^3). It may be gzipped; - is standard input. The result has the "
    "same shape. A field has an additional axis of three components, the first axis, or in a cube "
    "the last. Along a free axis the box is isolated and may have any net charge; "
    "include/tesela/poisson.h defines the potentials of slabs and wires. The potential of nuclei "
    "is added as 1/r in free boxes, and by an Ewald sum in others, where nuclei must be at least "
    "20 cells from the ends of free axes. In the cell that holds a nucleus, 1/r is replaced by its "
    "mean over the cell.\n"
    "\n"
    "verify solves problems with known solutions and compares. bench measures the time of a solve; "
    "with --profile it measures each stage, and exchanges are then not overlapped. study segments "
    "measures an exchange in 1, 2, 4, … pieces, overlapped and not overlapped. study scaling "
    "measures 1, 2, 4, … of the available ranks, on one grid (strong scaling) and on a grid that "
    "grows with them (weak scaling).\v"
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

/* ---- the whole line ------------------------------------------------------------------------ */

static error_t set_argument(void *parsed, const char *text)
{
    poisson_options *options = parsed;
    static const char *const studies[] = {
        [POISSON_SEGMENTS] = "segments", [POISSON_SCALING] = "scaling", NULL};
    if (options->task == POISSON_STUDY && options->study == NULL) {
        int chosen = 0;
        options->study = text;
        if (!cli_find(text, studies, &chosen)) {
            const char *near = cli_nearest(text, studies);
            cli_error("study '%s': give %s or %s%s%s%s", text, studies[0], studies[1],
                      near != NULL ? "; did you mean " : "", near != NULL ? near : "",
                      near != NULL ? "?" : "");
            return EINVAL;
        }
        options->varied = (poisson_varied)chosen;
        return 0;
    }
    if (options->input != NULL || options->task != POISSON_FILE) {
        cli_error("'%s' is one argument too many: give one file, verify, bench or study", text);
        return EINVAL;
    }
    options->input = text;
    return 0;
}

/* Check the names of input and output. What depends on the file's content is checked later. */
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
        return cli_check_files(&options->common, &options->input, 1);
    }
    return false;
}

/* Check options of densities and nuclei. */
static bool check_density(const poisson_options *options)
{
    const bool plain = options->poisson.equation == TSL_POISSON_PLAIN;
    if (plain && (options->sign == POISSON_SIGN_ELECTRONS || options->nuclei)) {
        cli_error("%s goes with the electrostatic equation: leave one out",
                  options->nuclei ? "--nuclei add" : "--sign electrons");
    } else if (options->nuclei && options->poisson.screening > 0) {
        cli_error("--nuclei add: nuclei are not screened: leave --screening out");
    } else if (cli_given(&options->common, &options->valence) && !options->nuclei) {
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

/* Refuse --background where a net charge needs none. */
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

/* Refuse options that a study varies. */
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
        return cli_check_files(&options->common, NULL, 0);
    }
    return false;
}

/* Check that the grid is fine enough for the suite: its shortest wave has 11 periods along an
 * axis. */
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

static bool check(void *parsed)
{
    const poisson_options *const options = parsed;
    if (options->input == NULL && options->task == POISSON_FILE) {
        cli_error(
            "nothing to solve: give a file, verify, bench or study (see tesela poisson --help)");
    } else if (options->task == POISSON_FILE) {
        return check_files(options) && check_density(options) && check_background(options);
    } else {
        return options->task == POISSON_VERIFY  ? check_suite(options)
               : options->task == POISSON_STUDY ? check_study(options)
                                                : true;
    }
    return false;
}

static void init(const cli_command *self, void *options)
{
    (void)self;
    poisson_options *out = options;
    *out = (poisson_options){.poisson = TSL_POISSON_OPTIONS_INIT, .repeat = 20};
    out->poisson.precision = 0;
}

const cli_command cli_poisson = {.run = poisson_command,
                                 .doc = command_doc,
                                 .arguments = arguments_doc,
                                 .rows = rows,
                                 .size = sizeof(poisson_options),
                                 .init = init,
                                 .check = check,
                                 .argument = set_argument,
                                 .tasks = tasks,
                                 CLI_TASK(poisson_options, task),
                                 .places = CLI_ONE_RANK};
