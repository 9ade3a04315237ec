/* `tesela xc TASK`: exchange-correlation functionals. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/shared/ranks.h"
#include "cli/xc/command.h"

enum { KEY_SPIN = 0x300, KEY_ORDER, KEY_POINTS };

static const struct argp_option options_table[] = {
    {NULL, 0, NULL, 0, "What is evaluated:", 1},
    {"functional", 'f', "NAME", 0,
     "a name or number of tesela xc list, or a sum: 0.25*hf + 0.75*gga_x_pbe + gga_c_pbe (pbe)", 1},
    {"spin", KEY_SPIN, NULL, 0, "of two spins; else of a closed shell", 1},
    {"order", KEY_ORDER, "ORDER", 0, "highest order of derivatives, 0 to 3 (1)", 1},
    {"input", 'i', "IN.npy", 0, "eval: points, a row each", 1},
    {"output", 'o', "OUT.npy", 0, "eval: where the values go, a row each", 1},
    {"points", KEY_POINTS, "COUNT", 0,
     "check: points of each case (10000); bench: at most, a power of ten (1000000)", 1},
    {0}};

typedef struct task_entry {
    const char *name;
    char *full_name;
    const char *doc;
} task_entry;

static char list_name[] = "tesela xc list";
static char eval_name[] = "tesela xc eval";
static char check_name[] = "tesela xc check";
static char bench_name[] = "tesela xc bench";

static const task_entry tasks[XC_TASKS] = {
    [XC_LIST] = {"list", list_name, "List the functionals there are, with Libxc's numbers."},
    [XC_EVAL] =
        {"eval", eval_name,
         "Evaluate a functional at points of a file.\n\n"
         "IN.npy holds float64, a row a point: rho sigma tau, or with --spin rho_a rho_b "
         "sigma_aa sigma_ab sigma_bb tau_a tau_b; columns at the end that the functional "
         "does not need may be absent, those that are there besides are not read. OUT.npy "
         "gets a row a point: exc (energy per electron), then the derivatives of the energy "
         "per volume in Libxc's order."
         "\v"
         "Example:\n  tesela xc eval -f pbe -i points.npy -o values.npy --order 2"},
    [XC_CHECK] =
        {"check", check_name,
         "Check a functional, or all: finite everywhere, the same with spins swapped, closed "
         "shell and equal spins alike, derivatives against differences, the device against "
         "the CPU."
         "\v"
         "Example:\n  tesela xc check --device cuda:0"},
    [XC_BENCH] =
        {"bench", bench_name,
         "Measure a functional for numbers of points from 1000 on, beside a copy of as many "
         "bytes."
         "\v"
         "Example:\n  tesela xc bench -f b3lyp --device cuda:0 --points 100000000"},
};

static error_t parse_option(int key, char *text, struct argp_state *state)
{
    xc_options *o = state->input;
    switch (key) {
    case 'f':
        o->functional = text;
        return 0;
    case KEY_SPIN:
        o->spin = true;
        return 0;
    case KEY_ORDER:
        return cli_set_integer("--order", text, 0, 3, &o->order);
    case 'i':
        o->input = text;
        return 0;
    case 'o':
        o->output = text;
        return 0;
    case KEY_POINTS:
        return cli_set_integer("--points", text, 1000, 1000000000, &o->points);
    case ARGP_KEY_ARG:
        cli_error("'%s': %s takes no arguments: did you mean --functional %s?", text,
                  tasks[o->task].full_name, text);
        return EINVAL;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* What the options say together. */
static bool check_options(const xc_options *o)
{
    const bool files = o->input != NULL || o->output != NULL;
    if (o->task != XC_EVAL && files) {
        cli_error("%s is of tesela xc eval alone", o->input != NULL ? "--input" : "--output");
        return false;
    }
    if (o->task == XC_EVAL && (o->input == NULL || o->output == NULL)) {
        cli_error("tesela xc eval: give --%s FILE.npy", o->input == NULL ? "input" : "output");
        return false;
    }
    const cli_file all[] = {{NULL, o->input}, {"-o", o->output}};
    return !files ||
           (cli_can_write("--output", o->output, false) && cli_are_apart(all, 2, o->common.json));
}

static int run(xc_options *options)
{
    tsl_context *context = NULL;
    if (options->task == XC_LIST) {
        return xc_list(options);
    }
    const tsl_status status = cli_open_context(&context, &options->common);
    if (status != TSL_OK) {
        return cli_exit_status(NULL, status, false);
    }
    if (options->common.profile) {
        tsl_profile_enable(context);
    }
    int (*const work)(const xc_options *, tsl_context *) = options->task == XC_EVAL    ? xc_eval
                                                           : options->task == XC_CHECK ? xc_check
                                                                                       : xc_bench;
    const int exit_status = work(options, context);
    if (options->common.profile) {
        cli_profile_print(context);
    }
    tsl_context_destroy(context);
    return exit_status;
}

static void print_help(FILE *stream)
{
    fputs("Usage: tesela xc TASK [OPTION...]\n"
          "Exchange-correlation functionals of density-functional theory.\n\n"
          "  list     the functionals there are\n"
          "  eval     evaluate one at points of a file\n"
          "  check    check properties of one or all, and the device against the CPU\n"
          "  bench    measure one\n"
          "\n"
          "tesela xc TASK --help explains one.\n",
          stream);
}

static int run_task(xc_task task, int argc, char **argv)
{
    const struct argp argp = {
        .options = options_table, .parser = parse_option, .doc = tasks[task].doc};
    const tsl_xc_options defaults = TSL_XC_OPTIONS_INIT;
    xc_options options = {.task = task, .order = 1, .plan = defaults};
    int exit_status;
    argv[0] = tasks[task].full_name;
    if (!cli_parse(&argp, &options, &options.common, argc, argv, &exit_status)) {
        return exit_status;
    }
    if (!check_options(&options)) {
        return CLI_USAGE;
    }
    options.plan.polarised = options.spin;
    options.plan.order = options.order;
    if (options.functional == NULL && task != XC_CHECK) {
        options.functional = "pbe";
    }
    return run(&options);
}

int cli_xc(int argc, char **argv)
{
    const char *names[XC_TASKS + 1] = {NULL};
    if (!cli_is_alone("xc")) {
        return cli_refused(CLI_USAGE);
    }
    if (argc < 2) {
        print_help(stderr);
        return CLI_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        print_help(stdout);
        return CLI_DONE;
    }
    for (int i = 0; i < XC_TASKS; i++) {
        if (strcmp(argv[1], tasks[i].name) == 0) {
            return run_task((xc_task)i, argc - 1, argv + 1);
        }
        names[i] = tasks[i].name;
    }
    const char *near = cli_nearest(argv[1], names);
    cli_error("unknown %s '%s'%s%s%s (see tesela xc --help)", argv[1][0] == '-' ? "option" : "task",
              argv[1], near != NULL ? ": did you mean " : "", near != NULL ? near : "",
              near != NULL ? "?" : "");
    return CLI_USAGE;
}
