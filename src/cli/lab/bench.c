/* `tesela lab bench`: what a card can do. */
#include <stdlib.h>

#include "cli/lab/lab.h"
#include "lab/course/grade.h"
#include "lab/rates/rates.h"

typedef struct bench_options {
    cli_common common;
    const char *output;
} bench_options;

static const cli_option rows[] = {
    {.heading = cli_reporting},
    {"output", 'o', "FILE", CLI_FILE, CLI_FIELD(bench_options, output), .written = CLI_RESULT,
     .help = "write the rates to FILE, for tesela lab advise --rates", .otherwise = ""},
    {0}};

static const char *const meanings[TSL_LAB_RATES] = {
    "GB/s read and written by a copy in the card's memory",
    "GB/s read",
    "GB/s of a[i] = b[i] + s c[i]",
    "billion operations a second, single precision",
    "billion operations a second, double precision",
    "GB/s from the host's pageable memory",
    "GB/s to the host's pageable memory",
    "GB/s from the host's pinned memory",
    "GB/s to the host's pinned memory",
    "microseconds of a launch among many",
    "threads at a time",
    "microseconds that a block keeps its place before and after its reads",
    "microseconds of a read that the next waits for, the card full of threads"};

/* What a rate is multiplied with, for the unit of its meaning. */
static double scale_of(int rate)
{
    return rate == TSL_LAB_RESIDENT ? 1 : rate >= TSL_LAB_LAUNCH ? 1e6 : 1e-9;
}

void lab_rates_print(FILE *stream, const tsl_lab_rates *rates)
{
    fprintf(stream, "%s\n", rates->card);
    for (int i = 0; i < TSL_LAB_RATES; i++) {
        fprintf(stream, i >= TSL_LAB_START ? "%-18s %10.3f  %s\n" : "%-18s %10.1f  %s\n",
                tsl_lab_rate_names[i], rates->value[i] * scale_of(i), meanings[i]);
    }
}

static bool is_stopped(void)
{
    return cli_signal() != 0;
}

tsl_status lab_measure_rates(tsl_lab_rates *out, tsl_context *context, int number)
{
    tsl_lab_build folder = {.folder = ""};
    tsl_lab_card card;
    tsl_status status;
    TSL_TRY(tsl_lab_make_temporary(folder.folder, context, getenv("TMPDIR")));
    TSL_TRY(tsl_lab_card_find(&card, context, &folder, number, is_stopped,
                              "name a card that nvidia-smi lists, on a machine with one"));
    TSL_TRY(tsl_lab_rates_measure(out, context, &card, folder.folder));
done:
    tsl_lab_build_release(&folder, false);
    return status;
}

static void write_body(tsl_json *json, const void *user)
{
    const tsl_lab_rates *rates = user;
    tsl_json_open_object(json, "parameters");
    tsl_json_close_object(json);
    tsl_json_open_object(json, "results");
    tsl_json_string(json, "card", rates->card);
    for (int i = 0; i < TSL_LAB_RATES; i++) {
        tsl_json_number(json, tsl_lab_rate_names[i], rates->value[i]);
    }
    tsl_json_close_object(json);
}

static int bench_command(const cli_command *self, int argc, char **argv)
{
    bench_options o;
    tsl_context *context = NULL;
    tsl_lab_rates rates;
    const cli_common common = {.device = "cpu", .threads = 1};
    const double begun = tsl_seconds();
    int number;
    int exit_status = CLI_USAGE;
    if (!cli_parse_options(self, &o, argc, argv, &exit_status) ||
        !cli_check_files(&o.common, NULL, 0)) {
        return exit_status;
    }
    if (!lab_card_number(o.common.device, &number)) {
        return CLI_USAGE;
    }
    if (number < 0) {
        cli_error("lab bench: say which card: --device cuda:0");
        return CLI_USAGE;
    }
    cli_defer_signals(true);
    tsl_status status = cli_open_context(&context, &common);
    if (status == TSL_OK) {
        status = lab_measure_rates(&rates, context, number);
    }
    if (status == TSL_OK && !cli_is_quiet()) {
        lab_rates_print(cli_summary_stream(&o.common), &rates);
        cli_flush(stdout);
    }
    if (status == TSL_OK && o.output != NULL) {
        status = tsl_lab_rates_write(&rates, context, o.output);
    }
    if (status == TSL_OK && o.common.json != NULL) {
        const cli_report envelope = {.command = "lab bench",
                                     .device = o.common.device,
                                     .verified = -1,
                                     .total = tsl_seconds() - begun,
                                     .compute = tsl_seconds() - begun};
        status = cli_report_write(context, o.common.json, &envelope, write_body, &rates);
    }
    exit_status = cli_end(context, status, false);
    tsl_context_destroy(context);
    cli_defer_signals(false);
    cli_heed_signal();
    return exit_status;
}

static void init(const cli_command *self, void *options)
{
    (void)self;
    *(bench_options *)options = (bench_options){.output = NULL};
}

const cli_command lab_bench = {
    .name = "bench",
    .summary = "what a card can do: bytes and operations a second, copies, launches, latency",
    .run = bench_command,
    .doc = "Measure the rates of a GPU card: bytes copied and read a second, operations a second "
           "in single and double precision, copies to and from the host, launches, latency. nvcc "
           "builds the measurement.\v"
           "Example:\n"
           "  tesela lab bench --device cuda:0 -o rates.txt",
    .rows = rows,
    .size = sizeof(bench_options),
    .init = init,
    .places = CLI_ONE_DEVICE,
    .device = "cuda:N, the card",
    .lacks = CLI_NO_THREADS | CLI_NO_PROFILE};
