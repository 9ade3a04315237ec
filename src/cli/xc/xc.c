/* `tesela xc TASK`: exchange-correlation functionals. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/shared/ranks.h"
#include "cli/xc/command.h"
#include "solvers/xc/xc.h"

static const cli_task tasks[] = {
    [XC_LIST] = {.name = "list"},   [XC_EVAL] = {.name = "eval"},   [XC_CHECK] = {.name = "check"},
    [XC_BENCH] = {.name = "bench"}, [XC_STUDY] = {.name = "study"}, {0}};

#define OF_EVAL (1U << XC_EVAL)
#define OF_CHECK (1U << XC_CHECK)
#define OF_BENCH (1U << XC_BENCH)
#define OF_STUDY (1U << XC_STUDY)

#define USUAL_FUNCTIONAL "pbe"

static const cli_option rows[] = {
    {.heading = "What is evaluated:"},
    {"functional", 'f', "NAME", CLI_TEXT, CLI_FIELD(xc_options, functional),
     .tasks = OF_EVAL | OF_CHECK | OF_BENCH,
     .help = "functional, a name or number of tesela xc list, or a sum: 0.25*hf + 0.75*gga_x_pbe + "
             "gga_c_pbe",
     .otherwise = USUAL_FUNCTIONAL "; check: all"},
    {"spin", .kind = CLI_FLAG, CLI_FIELD(xc_options, spin), .tasks = OF_EVAL | OF_BENCH,
     .help = "use two spin densities; otherwise a closed shell"},
    {"order", .value = "ORDER", .kind = CLI_INTEGER, CLI_FIELD(xc_options, plan.order),
     .range = {0, TSL_XC_ORDERS - 1}, .tasks = OF_EVAL | OF_BENCH,
     .help = "highest order of derivatives"},
    {"allow-libxc", .kind = CLI_FLAG, CLI_FIELD(xc_options, allow_libxc), .tasks = OF_EVAL,
     .help = "evaluate functionals that are not in tesela xc list with the installed Libxc, on the "
             "CPU, up to second derivatives"},
    {"input", 'i', "IN.npy", CLI_FILE, CLI_FIELD(xc_options, input), .tasks = OF_EVAL,
     .help = "file of points, one row for each"},
    {"output", 'o', "OUT.npy", CLI_FILE, CLI_FIELD(xc_options, output), .written = CLI_RESULT,
     .tasks = OF_EVAL, .help = "file for the values, one row for each point"},
    {"points", .value = "COUNT", .kind = CLI_INTEGER, CLI_FIELD(xc_options, points),
     .range = {1000, 1000000000}, .tasks = OF_CHECK | OF_BENCH | OF_STUDY,
     .help = "number of points; check: of each case; bench: the largest, a power of ten; study: of "
             "the largest batch",
     .otherwise = "check: " CLI_QUOTE(XC_CHECK_POINTS) "; bench: " CLI_QUOTE(
         XC_BENCH_POINTS) "; study: " CLI_QUOTE(XC_STUDY_POINTS)},
    {"repeats", .value = "COUNT", .kind = CLI_INTEGER, CLI_FIELD(xc_options, repeats),
     .range = {2, 10000}, .tasks = OF_STUDY, .help = "number of measurements of each kernel"},
    {0}};

static error_t refuse_argument(void *options, const char *text)
{
    const xc_options *o = options;
    cli_error("'%s': tesela xc %s takes no arguments: did you mean --functional %s?", text,
              tasks[o->task].name, text);
    return EINVAL;
}

/* Check the options against each other. */
static bool check(void *options)
{
    const xc_options *const o = options;
    if (o->task == XC_EVAL && (o->input == NULL || o->output == NULL)) {
        cli_error("tesela xc eval: give --%s FILE.npy", o->input == NULL ? "input" : "output");
        return false;
    }
    if (o->output != NULL && strcmp(o->output, "-") == 0) {
        cli_error("-o -: give the name of a file, or /dev/stdout");
        return false;
    }
    return cli_check_files(&o->common, NULL, 0);
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
    static int (*const works[XC_TASKS])(const xc_options *, tsl_context *) = {
        [XC_EVAL] = xc_eval, [XC_CHECK] = xc_check, [XC_BENCH] = xc_bench, [XC_STUDY] = xc_study};
    const int exit_status = works[options->task](options, context);
    if (options->common.profile) {
        cli_profile_print(context);
    }
    tsl_context_destroy(context);
    return exit_status;
}

static void init(const cli_command *self, void *options)
{
    const xc_task *task = self->data;
    *(xc_options *)options =
        (xc_options){.task = *task, .repeats = XC_STUDY_REPEATS, .plan = TSL_XC_OPTIONS_INIT};
}

static int run_task(const cli_command *self, int argc, char **argv)
{
    xc_options options;
    int exit_status;
    if (!cli_parse_options(self, &options, argc, argv, &exit_status)) {
        return exit_status;
    }
    options.plan.polarised = options.spin;
    options.order = options.plan.order;
    if (options.functional == NULL && options.task != XC_CHECK) {
        options.functional = USUAL_FUNCTIONAL;
    }
    return run(&options);
}

static const xc_task list_task = XC_LIST, eval_task = XC_EVAL, check_task = XC_CHECK,
                     bench_task = XC_BENCH, study_task = XC_STUDY;

#define TASK(place)                                                                                \
    .run = run_task, .rows = rows, .size = sizeof(xc_options), .init = init, .check = check,       \
    .argument = refuse_argument, .tasks = tasks, .only = 1U << (place), .places = CLI_ONE_DEVICE

static const cli_command list_command = {
    .name = "list",
    .summary = "the functionals there are",
    .doc = "List the functionals there are, with Libxc's numbers.",
    .data = &list_task,
    TASK(XC_LIST)};
static const cli_command eval_command = {
    .name = "eval",
    .summary = "evaluate one at points of a file",
    .doc = "Evaluate a functional at points of a file.\n"
           "\n"
           "IN.npy holds float64, one row for each point: rho sigma lapl tau, or with --spin rho_a "
           "rho_b sigma_aa sigma_ab sigma_bb lapl_a lapl_b tau_a tau_b, in atomic units. Columns "
           "that the functional does not need are not read, and at the end of a row they may be "
           "absent. lapl, the Laplacian of the density, is read only for functionals evaluated by "
           "Libxc. OUT.npy has one row for each point: exc (energy per electron, hartree), then "
           "the derivatives of the energy per volume in Libxc's order.\v"
           "Example:\n"
           "  tesela xc eval -f pbe -i points.npy -o values.npy --order 2",
    .data = &eval_task,
    TASK(XC_EVAL)};
static const cli_command check_command = {
    .name = "check",
    .summary = "check properties of one or all, and the device against the CPU",
    .doc = "Check one functional or all: values are finite everywhere, swapped spins give the same "
           "energy, a closed shell agrees with two equal spins, derivatives agree with finite "
           "differences, and the device agrees with the CPU.\v"
           "Example:\n"
           "  tesela xc check --device cuda:0",
    .data = &check_task,
    TASK(XC_CHECK)};
static const cli_command bench_command = {
    .name = "bench",
    .summary = "measure one",
    .doc = "Measure a functional for numbers of points from 1000 on, and a copy of as many bytes "
           "for comparison.\v"
           "Example:\n"
           "  tesela xc bench -f b3lyp --device cuda:0 --points 100000000",
    .data = &bench_task,
    TASK(XC_BENCH)};

static const cli_command study_command = {
    .name = "study",
    .summary = "measure PBE's kernel by registers, threads and points",
    .doc = "Measure PBE's kernel for a closed shell with first derivatives, with at most 24, 32, "
           "63, 128 and 255 registers a thread, in blocks of 64 to 512 threads, for batches from "
           "200 points on. Report which conclusions of E. A. Perez Leale's thesis (Buenos Aires, "
           "2019) hold on the device. On sim, only the procedure is tried.\v"
           "Example:\n"
           "  tesela xc study --device cuda:0 --json study.json",
    .data = &study_task,
    TASK(XC_STUDY)};

static const cli_command *const children[] = {&list_command,  &eval_command,  &check_command,
                                              &bench_command, &study_command, NULL};
const cli_command cli_xc = {.children = children,
                            .noun = "TASK",
                            .doc =
                                "Exchange-correlation functionals of density-functional theory."};
