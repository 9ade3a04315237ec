/* The command line of `tesela lab occupancy`. */
#include <errno.h>
#include <string.h>

#include "cli/lab/occupancy_command.h"

enum {
    KEY_CC = 0x300,
    KEY_THREADS,
    KEY_REGISTERS,
    KEY_SHARED,
    KEY_DYNAMIC,
    KEY_ARGUMENTS,
    KEY_BARRIERS,
    KEY_CARVEOUT,
    KEY_KERNEL,
    KEY_CURVES,
    KEY_ALL,
    KEY_EXPLAIN
};

enum { MOST_THREADS = 1024, MOST_REGISTERS = 255, MOST_BARRIERS = 16 };
enum { MOST_SHARED = 1 << 30, MOST_ARGUMENTS = 256 };

static const struct argp_option options_table[] = {
    {NULL, 0, NULL, 0, "Which multiprocessor:", 1},
    {"cc", KEY_CC, "X.Y", 0, "its compute capability: 1.0 to 12.1", 1},
    {"device", 'd', "DEVICE", 0, "a card here, cuda:0, and the limits that it tells", 1},
    {"all", KEY_ALL, NULL, 0, "a table of all compute capabilities", 1},
    {NULL, 0, NULL, 0, "What the kernel takes:", 2},
    {"threads", KEY_THREADS, "COUNT", 0, "threads of a block, 1 to 1024", 2},
    {"registers", KEY_REGISTERS, "COUNT", 0, "registers of a thread, 0 to 255", 2},
    {"shared", KEY_SHARED, "BYTES", 0, "static shared memory of a block, e.g. 8K (0)", 2},
    {"dynamic", KEY_DYNAMIC, "BYTES", 0, "dynamic shared memory of a block (0)", 2},
    {"barriers", KEY_BARRIERS, "COUNT", 0, "barriers of a block, 0 to 16 (1)", 2},
    {"arguments", KEY_ARGUMENTS, "BYTES", 0,
     "of the kernel's arguments, which 1.x keeps in shared memory (0)", 2},
    {"kernel", KEY_KERNEL, "FILE.cu:NAME", 0,
     "have nvcc tell registers, static shared memory and barriers; what follows -- is passed to it",
     2},
    {"carveout", KEY_CARVEOUT, "SHARE", 0,
     "shared memory that is preferred beside the L1 cache: 0 to 100 percent, l1, equal or shared "
     "(what is needed)",
     2},
    {NULL, 0, NULL, 0, "What it reports:", 91},
    {"curves", KEY_CURVES, "FILE", 0,
     "draw warps over threads, registers and shared memory: .svg, .png or .pdf", 91},
    {"explain", KEY_EXPLAIN, NULL, 0, "print each step, and where the limits are from", 91},
    {"json", 'j', "FILE", 0, "write a report as JSON; - is standard output", 91},
    {"quiet", 'q', NULL, 0, "print errors only", 91},
    {"help", 'h', NULL, OPTION_HIDDEN, NULL, -1},
    {0}};

static const char command_doc[] =
    "Compute how many blocks of a CUDA kernel a multiprocessor runs at a time, which of warps, "
    "registers, shared memory, barriers and blocks allows no more, and the nearest change that "
    "gains one. No GPU is needed."
    "\v"
    "Examples:\n"
    "  tesela lab occupancy --cc 9.0 --threads 256 --registers 40 --shared 8K\n"
    "  tesela lab occupancy --cc 9.0 --threads 256 --kernel sum.cu:sum -- -O3 -Iinclude\n"
    "  tesela lab occupancy --cc 8.6 --threads 128 --registers 64 --explain --curves curves.svg\n"
    "  tesela lab occupancy --all --threads 256 --registers 32\n"
    "  tesela lab occupancy --device cuda:0 --threads 256 --registers 40";

/* ---- values ------------------------------------------------------------------------------- */

static error_t set_capability(occupancy_options *options, const char *text)
{
    char all[256] = "";
    size_t length = 0;
    for (int i = 0; i < tsl_multiprocessor_count(); i++) {
        const tsl_multiprocessor *m = tsl_multiprocessor_at(i);
        char name[16];
        snprintf(name, sizeof name, "%d.%d", m->major, m->minor);
        if (strcmp(name, text) == 0) {
            options->row = m;
            return 0;
        }
        if (length < sizeof all) {
            length += (size_t)snprintf(all + length, sizeof all - length, "%s%s", i > 0 ? ", " : "",
                                       name);
        }
    }
    cli_error("--cc '%s': give one of %s", text, all);
    return EINVAL;
}

/* A number of bytes, 0 among them. */
static error_t set_bytes(const char *option, const char *text, int most, int64_t *out)
{
    if (strcmp(text, "0") == 0) {
        *out = 0;
        return 0;
    }
    const error_t error = cli_set_bytes(option, text, "8K", out);
    if (error == 0 && *out > most) {
        cli_error("%s '%s': give at most %d bytes", option, text, most);
        return EINVAL;
    }
    return error;
}

static error_t set_carveout(occupancy_options *options, const char *text)
{
    static const char *const names[] = {"l1", "equal", "shared", NULL};
    static const int shares[] = {TSL_CARVEOUT_MAX_L1, TSL_CARVEOUT_EQUAL, TSL_CARVEOUT_MAX_SHARED};
    int place;
    if (cli_find(text, names, &place)) {
        options->use.carveout = shares[place];
        return 0;
    }
    if (!cli_parse_integer(text, &options->use.carveout) || options->use.carveout < 0 ||
        options->use.carveout > 100) {
        cli_error("--carveout '%s': give 0 to 100 percent, l1, equal or shared", text);
        return EINVAL;
    }
    return 0;
}

/* What follows "--" is the compiler's. */
static error_t add_argument(occupancy_options *options, char *text)
{
    if (options->kernel == NULL) {
        cli_error("'%s': lab occupancy takes no arguments without --kernel FILE.cu:NAME", text);
        return EINVAL;
    }
    if (options->compiler_argument_count == OCCUPANCY_COMPILER_ARGUMENTS) {
        cli_error("give at most %d arguments for the compiler", OCCUPANCY_COMPILER_ARGUMENTS);
        return EINVAL;
    }
    options->compiler_arguments[options->compiler_argument_count++] = text;
    return 0;
}

static error_t parse_kernel(int key, char *text, occupancy_options *options)
{
    tsl_occupancy_kernel *use = &options->use;
    switch (key) {
    case KEY_THREADS:
        options->has_threads = true;
        return cli_set_integer("--threads", text, 1, MOST_THREADS, &use->threads);
    case KEY_REGISTERS:
        options->has_registers = true;
        return cli_set_integer("--registers", text, 0, MOST_REGISTERS, &use->registers);
    case KEY_SHARED:
        options->has_shared = true;
        return set_bytes("--shared", text, MOST_SHARED, &use->static_shared);
    case KEY_DYNAMIC:
        return set_bytes("--dynamic", text, MOST_SHARED, &use->dynamic_shared);
    case KEY_ARGUMENTS:
        return set_bytes("--arguments", text, MOST_ARGUMENTS, &use->arguments);
    case KEY_BARRIERS:
        options->has_barriers = true;
        return cli_set_integer("--barriers", text, 0, MOST_BARRIERS, &use->barriers);
    case KEY_CARVEOUT:
        return set_carveout(options, text);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static error_t parse_option(int key, char *text, struct argp_state *state)
{
    occupancy_options *options = state->input;
    switch (key) {
    case KEY_CC:
        return set_capability(options, text);
    case 'd':
        options->device = text;
        return 0;
    case KEY_ALL:
        options->all = true;
        return 0;
    case KEY_KERNEL:
        options->kernel = text;
        return 0;
    case KEY_CURVES:
        options->curves = text;
        return 0;
    case KEY_EXPLAIN:
        options->explain = true;
        return 0;
    case 'j':
        options->json = text;
        return 0;
    case 'q':
        cli_be_quiet();
        return 0;
    case 'h':
        argp_state_help(state, stdout, ARGP_HELP_STD_HELP);
        return 0;
    case ARGP_KEY_ARG:
        return add_argument(options, text);
    default:
        return parse_kernel(key, text, options);
    }
}

/* ---- what goes together ------------------------------------------------------------------- */

static bool check_kernel(const occupancy_options *options)
{
    const char *given = options->has_registers  ? "--registers"
                        : options->has_shared   ? "--shared"
                        : options->has_barriers ? "--barriers"
                                                : NULL;
    const char *colon = options->kernel != NULL ? strchr(options->kernel, ':') : NULL;
    if (options->kernel == NULL) {
        return true;
    }
    if (given != NULL) {
        cli_error("%s and --kernel: the compiler tells that: give one of the two", given);
    } else if (options->all) {
        cli_error("--all and --kernel: registers differ by compute capability: give --cc");
    } else if (colon == NULL || colon == options->kernel || colon[1] == '\0') {
        cli_error("--kernel %s: give a file and a kernel of it: FILE.cu:NAME", options->kernel);
    } else {
        return true;
    }
    return false;
}

static bool check(const occupancy_options *options)
{
    const bool chosen = options->row != NULL || options->device != NULL;
    const cli_file files[] = {{"--curves", options->curves}};
    if (options->row != NULL && options->device != NULL) {
        cli_error("--cc and --device: give one of the two");
    } else if (!chosen && !options->all) {
        cli_error("lab occupancy: say of which multiprocessor: --cc 9.0, --device cuda:0 or --all");
    } else if (!chosen && (options->curves != NULL || options->explain)) {
        cli_error("%s needs --cc or --device", options->explain ? "--explain" : "--curves");
    } else if (!check_kernel(options)) {
        return false;
    } else if (!options->has_threads) {
        cli_error("lab occupancy: --threads is missing: threads of a block");
    } else if (!options->has_registers && options->kernel == NULL) {
        cli_error("lab occupancy: --registers is missing: registers of a thread, as `nvcc -Xptxas "
                  "-v` tells, or --kernel FILE.cu:NAME");
    } else {
        return cli_can_write_report(options->json) &&
               cli_can_write_figure("--curves", options->curves) &&
               cli_are_apart(files, sizeof files / sizeof *files, options->json);
    }
    return false;
}

bool occupancy_options_parse(occupancy_options *out, int argc, char **argv, int *exit_status)
{
    static const struct argp argp = {
        .options = options_table, .parser = parse_option, .doc = command_doc};
    *out = (occupancy_options){.use = TSL_OCCUPANCY_KERNEL_INIT};
    if (!cli_parse(&argp, out, NULL, argc, argv, exit_status)) {
        return false;
    }
    *exit_status = CLI_USAGE;
    return check(out);
}
