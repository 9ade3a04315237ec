/* The command line of `tesela lab occupancy`. */
#include <errno.h>
#include <string.h>

#include "cli/lab/occupancy_command.h"

enum { MOST_THREADS = 1024, MOST_REGISTERS = 255, MOST_BARRIERS = 16 };
enum { MOST_SHARED = 1 << 30, MOST_ARGUMENTS = 256 };

/* The name of a row's capability. */
static const char *capability_name(int place)
{
    enum { MOST = 64 };
    static char names[MOST][16];
    if (place >= tsl_multiprocessor_count() || place >= MOST) {
        return NULL;
    }
    const tsl_multiprocessor *m = tsl_multiprocessor_at(place);
    snprintf(names[place], sizeof names[place], "%d.%d", m->major, m->minor);
    return names[place];
}

static const char *const carveout_words[] = {"l1", "equal", "shared", NULL};
static const int carveouts[] = {TSL_CARVEOUT_MAX_L1, TSL_CARVEOUT_EQUAL, TSL_CARVEOUT_MAX_SHARED};

static const cli_option rows[] = {
    {.heading = "Which multiprocessor:"},
    {"cc", .value = "X.Y", .kind = CLI_CHOICE, CLI_FIELD(occupancy_options, capability),
     .word = capability_name, .noun = "one of", .help = "compute capability of the multiprocessor"},
    {"device", 'd', "DEVICE", CLI_TEXT, CLI_FIELD(occupancy_options, common.device),
     .of_a_rank = true, .help = "a card of this machine, cuda:0, with the limits that it reports"},
    {"all", .kind = CLI_FLAG, CLI_FIELD(occupancy_options, all),
     .help = "print a table of all compute capabilities"},
    {.heading = "What the kernel takes:"},
    {"threads", .value = "COUNT", .kind = CLI_INTEGER, CLI_FIELD(occupancy_options, use.threads),
     .range = {1, MOST_THREADS}, .help = "threads of a block"},
    {"registers", .value = "COUNT", .kind = CLI_INTEGER,
     CLI_FIELD(occupancy_options, use.registers), .range = {0, MOST_REGISTERS},
     .help = "registers of a thread", .otherwise = ""},
    {"shared", .value = "BYTES", .kind = CLI_BYTES, CLI_FIELD(occupancy_options, use.static_shared),
     .range = {0, MOST_SHARED}, .help = "static shared memory of a block, e.g. 8K"},
    {"dynamic", .value = "BYTES", .kind = CLI_BYTES,
     CLI_FIELD(occupancy_options, use.dynamic_shared), .range = {0, MOST_SHARED},
     .help = "dynamic shared memory of a block"},
    {"barriers", .value = "COUNT", .kind = CLI_INTEGER, CLI_FIELD(occupancy_options, use.barriers),
     .range = {0, MOST_BARRIERS}, .help = "barriers of a block"},
    {"arguments", .value = "BYTES", .kind = CLI_BYTES, CLI_FIELD(occupancy_options, use.arguments),
     .range = {0, MOST_ARGUMENTS},
     .help = "size of the kernel's arguments, which are in shared memory on 1.x"},
    {"kernel", .value = "FILE.cu:NAME", .kind = CLI_FILE, CLI_FIELD(occupancy_options, kernel),
     .help = "take registers, static shared memory and barriers from nvcc; arguments after -- are "
             "passed to it"},
    {"carveout", .value = "SHARE", .kind = CLI_INTEGER, CLI_FIELD(occupancy_options, use.carveout),
     .range = {0, 100}, .words = carveout_words, .values = carveouts, .noun = "percent",
     .help = "preferred share of shared memory beside the L1 cache: @ percent, l1, equal or shared",
     .otherwise = "what is needed"},
    {.heading = cli_reporting},
    {"curves", .value = "FILE", .kind = CLI_FILE, CLI_FIELD(occupancy_options, curves),
     .written = CLI_FIGURE, .help = "draw warps over threads, registers and shared memory"},
    {"explain", .kind = CLI_FLAG, CLI_FIELD(occupancy_options, explain),
     .help = "print each step, and the source of the limits"},
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

/* Add an argument behind "--", which is the compiler's. */
static error_t add_argument(void *parsed, const char *text)
{
    occupancy_options *options = parsed;
    if (options->kernel == NULL) {
        cli_error("'%s': lab occupancy takes no arguments without --kernel FILE.cu:NAME", text);
        return EINVAL;
    }
    if (options->compiler_argument_count == OCCUPANCY_COMPILER_ARGUMENTS) {
        cli_error("give at most %d arguments for the compiler", OCCUPANCY_COMPILER_ARGUMENTS);
        return EINVAL;
    }
    options->compiler_arguments[options->compiler_argument_count++] = (char *)(uintptr_t)text;
    return 0;
}

/* ---- what goes together ------------------------------------------------------------------- */

static bool check_kernel(const occupancy_options *options)
{
    const cli_common *common = &options->common;
    const void *const told[] = {&options->use.registers, &options->use.static_shared,
                                &options->use.barriers};
    const char *given = NULL;
    for (size_t i = 0; i < sizeof told / sizeof *told && given == NULL; i++) {
        given = cli_given(common, told[i]) ? cli_spelled(common, told[i]) : NULL;
    }
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

static bool check(void *parsed)
{
    occupancy_options *const options = parsed;
    options->row = options->capability >= 0 ? tsl_multiprocessor_at(options->capability) : NULL;
    const bool chosen = options->row != NULL || options->common.device != NULL;
    if (options->row != NULL && options->common.device != NULL) {
        cli_error("--cc and --device: give one of the two");
    } else if (!chosen && !options->all) {
        cli_error("lab occupancy: say of which multiprocessor: --cc 9.0, --device cuda:0 or --all");
    } else if (!chosen && (options->curves != NULL || options->explain)) {
        cli_error("%s needs --cc or --device", options->explain ? "--explain" : "--curves");
    } else if (!check_kernel(options)) {
        return false;
    } else if (!cli_given(&options->common, &options->use.threads)) {
        cli_error("lab occupancy: --threads is missing: threads of a block");
    } else if (!cli_given(&options->common, &options->use.registers) && options->kernel == NULL) {
        cli_error("lab occupancy: --registers is missing: registers of a thread, as `nvcc -Xptxas "
                  "-v` tells, or --kernel FILE.cu:NAME");
    } else {
        return cli_check_files(&options->common, NULL, 0);
    }
    return false;
}

static void init(const cli_command *self, void *options)
{
    (void)self;
    *(occupancy_options *)options =
        (occupancy_options){.use = TSL_OCCUPANCY_KERNEL_INIT, .capability = -1};
}

const cli_command lab_occupancy = {
    .name = "occupancy",
    .summary = "how many blocks of a kernel a multiprocessor runs at a time, and what limits them",
    .run = occupancy_command,
    .doc = command_doc,
    .rows = rows,
    .size = sizeof(occupancy_options),
    .init = init,
    .check = check,
    .argument = add_argument,
    .places = CLI_ONE_DEVICE,
    .lacks = CLI_NO_DEVICE | CLI_NO_THREADS | CLI_NO_PROFILE};
