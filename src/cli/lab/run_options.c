/* The command line of `tesela lab run`. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/lab/run_command.h"

static const char *const compiler_names[] = {"clang++", "g++", NULL};

static const char command_doc[] =
    "Run a CUDA file without a GPU. Its kernels run on the CPU, once with warps in lockstep, where "
    "the accesses of each line are counted as the profiler counts them (requests, sectors, "
    "wavefronts, bank conflicts), and then thread by thread in four orders with checks: races, "
    "reads "
    "of what nobody wrote, accesses out of bounds, barriers that not all reach. What the program "
    "prints is seen once.\v"
    "--device sim:CC chooses the capability to be simulated (sim:9.0); sim:1.0 to sim:1.3 count "
    "transactions of half-warps, too. --device cuda:N also builds the file with nvcc and runs it "
    "on that card: its output is compared with the simulated run's, and its counters, where Nsight "
    "Compute is found, stand beside the simulated ones. --threads says how many processes share "
    "the work.\n"
    "\nExit status: 0 nothing found; 1 reports, or the program itself ended with another status "
    "than "
    "0; 2 the file is refused.\n\nExample:\n  tesela lab run transpose.cu -- 1024\n";

static error_t set_order(const cli_option *row, const char *text, void *parsed)
{
    lab_run_options *options = parsed;
    char name[32];
    const size_t length = strcspn(text, ":");
    const bool random = strncmp(text, "random", 6) == 0 && length == 6;
    snprintf(name, sizeof name, "%.*s", (int)(length < 31 ? length : 31), text);
    if (text[length] == ':' && !random) {
        return cli_refuse_value(row, text, "only random has a seed: random:1");
    }
    const int most = 1000000000;
    if (text[length] == ':' && (!cli_parse_integer(text + length + 1, &options->seed) ||
                                options->seed < 1 || options->seed > most)) {
        return cli_refuse_value(row, text, "give a seed from 1 to %d", most);
    }
    options->order_count = 1;
    return cli_set(row, name, options);
}

/* Add an option for the compiler; there may be several. */
static error_t add_option(const cli_option *row, const char *text, void *parsed)
{
    lab_run_options *options = parsed;
    struct stat about;
    const char *spelled = row->letter == 'I' ? "-I" : "-D";
    if (options->compiler_option_count > 62) {
        return cli_refuse_value(row, text, "more than 32 of these");
    }
    if (*text == '\0') {
        return cli_refuse_value(row, text, "it is empty");
    }
    if (row->letter == 'I' && stat(text, &about) != 0) {
        return cli_refuse_value(row, text, "%s", strerror(errno));
    }
    if (row->letter == 'I' && !S_ISDIR(about.st_mode)) {
        return cli_refuse_value(row, text, "it is no folder");
    }
    options->compiler_options[options->compiler_option_count++] = spelled;
    options->compiler_options[options->compiler_option_count++] = text;
    return 0;
}

static error_t set_argument(void *parsed, const char *text)
{
    lab_run_options *options = parsed;
    if (options->file == NULL) {
        options->file = text;
    } else if (options->argument_count < 62) {
        options->arguments[options->argument_count++] = text;
    } else {
        cli_error("%s: more than 62 arguments for the program", text);
        return EINVAL;
    }
    return 0;
}

static const cli_option rows[] = {
    {.heading = "How it is run:"},
    {"order", .value = "ORDER", .kind = CLI_CHOICE, CLI_FIELD(lab_run_options, orders[0]),
     .words = tsl_lab_order_names, .set = set_order,
     .help = "check in one order of threads and blocks: @, random:SEED too",
     .otherwise = "all four"},
    {"counts", .kind = CLI_FLAG, CLI_FIELD(lab_run_options, counts_only),
     .help = "count only, in lockstep"},
    {"checks", .kind = CLI_FLAG, CLI_FIELD(lab_run_options, checks_only), .help = "check only"},
    {"include", 'I', "FOLDER", CLI_FOLDER, CLI_FIELD(lab_run_options, folder), .set = add_option,
     .help = "look for headers in FOLDER too; may be given several times", .otherwise = ""},
    {"define", 'D', "NAME[=VALUE]", CLI_TEXT, CLI_FIELD(lab_run_options, define), .set = add_option,
     .help = "define a macro; may be given several times", .otherwise = ""},
    {"compiler", .value = "NAME", .kind = CLI_TEXT, CLI_FIELD(lab_run_options, compiler),
     .words = compiler_names, .help = "clang++ or g++, or a path",
     .otherwise = "clang++, else g++, as found"},
    {"time", .value = "SECONDS", .kind = CLI_INTEGER, CLI_FIELD(lab_run_options, seconds),
     .range = {1, 86400}, .help = "time limit of each run of the program"},
    {"memory", .value = "BYTES", .kind = CLI_BYTES, CLI_FIELD(lab_run_options, memory),
     .help = "memory of the simulated device"},
    {"unguarded", .kind = CLI_FLAG, CLI_FIELD(lab_run_options, unguarded),
     .help = "let the program write files, start programs and use the network"},
    {"keep", .kind = CLI_FLAG, CLI_FIELD(lab_run_options, keep),
     .help = "keep the folder with the generated C++ and the program"},
    {0}};

/* Read the device: "sim", "sim:9.0", "cuda:0" or "auto". */
static bool set_device(lab_run_options *options)
{
    static const char *const known[] = {"1.0", "1.1", "1.2",  "1.3",  "2.0",  "2.1",  "3.0",
                                        "3.5", "3.7", "5.0",  "5.2",  "5.3",  "6.0",  "6.1",
                                        "6.2", "7.0", "7.2",  "7.5",  "8.0",  "8.6",  "8.7",
                                        "8.9", "9.0", "10.0", "10.3", "11.0", "12.0", "12.1"};
    const char *device = options->common.device;
    if (!lab_card_number(device, &options->card)) {
        return false;
    }
    if (options->card >= 0) {
        return true; /* the card's capability is found later */
    }
    if (strcmp(device, "auto") == 0 || strcmp(device, "sim") == 0) {
        strcpy(options->capability, "9.0");
        return true;
    }
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strncmp(device, "sim:", 4) == 0 && strcmp(device + 4, known[i]) == 0) {
            strcpy(options->capability, known[i]);
            return true;
        }
    }
    cli_error("--device %s: give sim, sim:CC with a capability from 1.0 to 12.1, as sim:9.0, or "
              "cuda:N",
              device);
    return false;
}

static void init(const cli_command *self, void *options)
{
    (void)self;
    *(lab_run_options *)options = (lab_run_options){.seed = 1,
                                                    .card = -1,
                                                    .seconds = 60,
                                                    .memory = (int64_t)2 << 30,
                                                    .order_count = TSL_LAB_ORDERS,
                                                    .orders = {0, 1, 2, 3}};
}

static bool check(void *options)
{
    lab_run_options *const out = options;
    if (out->file == NULL) {
        cli_error("give a CUDA file: tesela lab run FILE.cu");
    } else if (access(out->file, R_OK) != 0) {
        cli_error("%s: %s", out->file, strerror(errno));
    } else if (out->counts_only && out->checks_only) {
        cli_error("--counts and --checks: each says 'only': leave one of them out");
    } else {
        return set_device(out);
    }
    return false;
}

const cli_command lab_run = {
    .name = "run",
    .summary = "run a CUDA file without a GPU: counts per line, and checks",
    .run = lab_run_command,
    .doc = command_doc,
    .arguments = "FILE.cu [-- ARGUMENT...]",
    .rows = rows,
    .size = sizeof(lab_run_options),
    .init = init,
    .check = check,
    .argument = set_argument,
    .places = CLI_ONE_DEVICE,
    .device = "sim, or sim:CC with a compute capability from 1.0 to 12.1 (sim:9.0); cuda:N runs it "
              "there too"};
