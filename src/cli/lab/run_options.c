/* The command line of `tesela lab run`. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/lab/run_command.h"

enum {
    KEY_ORDER = 0x300,
    KEY_COUNTS,
    KEY_CHECKS,
    KEY_COMPILER,
    KEY_TIME,
    KEY_MEMORY,
    KEY_UNGUARDED,
    KEY_KEEP
};

static const struct argp_option options_table[] = {
    {NULL, 0, NULL, 0, "How it is run:", 1},
    {"order", KEY_ORDER, "ORDER", 0,
     "check in one order of threads and blocks: forward, reversed, strided or random:SEED (all "
     "four)",
     1},
    {"counts", KEY_COUNTS, NULL, 0, "count only, in lockstep", 1},
    {"checks", KEY_CHECKS, NULL, 0, "check only", 1},
    {"compiler", KEY_COMPILER, "NAME", 0, "clang++ or g++, or a path (clang++, else g++, as found)",
     1},
    {"time", KEY_TIME, "SECONDS", 0, "limit of each run of the program (60)", 1},
    {"memory", KEY_MEMORY, "BYTES", 0, "memory of the simulated device (2G)", 1},
    {"unguarded", KEY_UNGUARDED, NULL, 0,
     "let the program write files, start programs and use the network", 1},
    {"keep", KEY_KEEP, NULL, 0, "keep the folder with the C++ and the program made of it", 1},
    {0}};

static const char arguments_doc[] = "FILE.cu [-- ARGUMENT...]";
static const char command_doc[] =
    "Run a CUDA file without a GPU. Its kernels run on the CPU, once with warps in lockstep, where "
    "the accesses of each line are counted as the profiler counts them (requests, sectors, "
    "wavefronts, bank conflicts), and then thread by thread in four orders with checks: races, "
    "reads "
    "of what nobody wrote, accesses out of bounds, barriers that not all reach. What the program "
    "prints is seen once.\v"
    "--device sim:CC chooses the capability to be simulated (sim:9.0); sim:1.0 to sim:1.3 count "
    "transactions of half-warps, too. --threads says how many processes share the work.\n"
    "\nExit status: 0 nothing found; 1 reports, or the program itself ended with another status "
    "than "
    "0; 2 the file is refused.\n\nExample:\n  tesela lab run transpose.cu -- 1024\n";

static error_t set_order(lab_run_options *options, const char *text)
{
    char name[32];
    const size_t length = strcspn(text, ":");
    const bool random = strncmp(text, "random", 6) == 0 && length == 6;
    snprintf(name, sizeof name, "%.*s", (int)(length < 31 ? length : 31), text);
    if (text[length] == ':' && !random) {
        cli_error("--order '%s': only random has a seed: random:1", text);
        return EINVAL;
    }
    if (text[length] == ':' &&
        cli_set_integer("--order random:", text + length + 1, 1, 1000000000, &options->seed) != 0) {
        return EINVAL;
    }
    options->order_count = 1;
    return cli_set_choice("--order", name, tsl_lab_order_names, &options->orders[0]);
}

static error_t parse_option(int key, char *text, struct argp_state *state)
{
    lab_run_options *options = state->input;
    switch (key) {
    case ARGP_KEY_ARG:
        if (options->file == NULL) {
            options->file = text;
        } else if (options->argument_count < 62) {
            options->arguments[options->argument_count++] = text;
        } else {
            cli_error("%s: more than 62 arguments for the program", text);
            return EINVAL;
        }
        return 0;
    case KEY_ORDER:
        return set_order(options, text);
    case KEY_COUNTS:
        options->counts_only = true;
        return 0;
    case KEY_CHECKS:
        options->checks_only = true;
        return 0;
    case KEY_COMPILER:
        options->compiler = text;
        return 0;
    case KEY_TIME:
        return cli_set_integer("--time", text, 1, 86400, &options->seconds);
    case KEY_MEMORY:
        return cli_set_bytes("--memory", text, "2G", &options->memory);
    case KEY_UNGUARDED:
        options->unguarded = true;
        return 0;
    case KEY_KEEP:
        options->keep = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* "sim", "sim:9.0" or "auto". */
static bool set_device(lab_run_options *options)
{
    static const char *const known[] = {"1.0", "1.1", "1.2",  "1.3",  "2.0",  "2.1",  "3.0",
                                        "3.5", "3.7", "5.0",  "5.2",  "5.3",  "6.0",  "6.1",
                                        "6.2", "7.0", "7.2",  "7.5",  "8.0",  "8.6",  "8.7",
                                        "8.9", "9.0", "10.0", "10.3", "11.0", "12.0", "12.1"};
    const char *device = options->common.device;
    if (strncmp(device, "cuda", 4) == 0) {
        cli_error(
            "--device %s: lab run is for the simulated device as yet: leave --device out, and "
            "build the file with nvcc for a card",
            device);
        return false;
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
    cli_error("--device %s: give sim, or sim:CC with a capability from 1.0 to 12.1, as sim:9.0",
              device);
    return false;
}

bool lab_run_options_parse(lab_run_options *out, int argc, char **argv, int *exit_status)
{
    static const struct argp argp = {.options = options_table,
                                     .parser = parse_option,
                                     .args_doc = arguments_doc,
                                     .doc = command_doc};
    *out = (lab_run_options){.seed = 1,
                             .seconds = 60,
                             .memory = (int64_t)2 << 30,
                             .order_count = TSL_LAB_ORDERS,
                             .orders = {0, 1, 2, 3}};
    if (!cli_parse(&argp, out, &out->common, argc, argv, exit_status)) {
        return false;
    }
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
