/* `tesela lab advise`: is a loop worth moving to a card? */
#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "cli/lab/lab.h"
#include "lab/rates/advice.h"

enum { COUNTED_SECONDS = 60, SECTOR = 32, LANES = 32 };

typedef struct advise_options {
    cli_common common;
    const char *file;
    const char *arguments[64]; /* of the program, ended by NULL */
    int argument_count;
    const char *rates;
    const char *compiler;
    int64_t bytes;
    double operations;
    bool fp64;
    double active;
    int launches;
    double threads;
    int chain;
    int64_t to_card, from_card;
    bool pinned;
    double host_seconds;
    double share;
    double scale;
} advise_options;

typedef struct advise_work {
    const advise_options *options;
    tsl_context *context;
    tsl_lab_rates rates;
    tsl_lab_loop loop;
    tsl_lab_advice advice;
    double waste; /* of the file's sectors those beyond the fewest possible, 0 to 1 */
    double begun;
} advise_work;

static const cli_option rows[] = {
    {.heading = "The card:"},
    {"rates", .value = "FILE", .kind = CLI_FILE, CLI_FIELD(advise_options, rates),
     .help = "file of the card's rates, written by lab bench -o",
     .otherwise = "measured on --device cuda:N"},
    {.heading = "What the loop's kernels do:"},
    {"bytes", .value = "BYTES", .kind = CLI_BYTES, CLI_FIELD(advise_options, bytes),
     .range = {0, 1e15}, .help = "bytes moved to and from the card's memory, e.g. 12G"},
    {"operations", .value = "NUMBER", .kind = CLI_REAL, CLI_FIELD(advise_options, operations),
     .range = {0, 1e24},
     .help = "floating-point operations, two for each fused multiply-add, e.g. 2e9"},
    {"double", .kind = CLI_FLAG, CLI_FIELD(advise_options, fp64),
     .help = "the operations are in double precision"},
    {"active", .value = "SHARE", .kind = CLI_REAL, CLI_FIELD(advise_options, active),
     .range = {1.0 / LANES, 1},
     .help = "average share of a warp's lanes that are active where branches diverge: @"},
    {"launches", .value = "COUNT", .kind = CLI_INTEGER, CLI_FIELD(advise_options, launches),
     .range = {1, 1000000000}, .help = "number of kernel launches"},
    {"kernel-threads", .value = "COUNT", .kind = CLI_REAL, CLI_FIELD(advise_options, threads),
     .range = {0, 1e15}, .help = "threads that all launches start, e.g. 33554432",
     .otherwise = "not known: latency is left out"},
    {"chain", .value = "COUNT", .kind = CLI_INTEGER, CLI_FIELD(advise_options, chain),
     .range = {0, 1000000000},
     .help = "dependent reads of a thread, where each waits for the one before: @"},
    {"scale", .value = "FACTOR", .kind = CLI_REAL, CLI_FIELD(advise_options, scale),
     .range = {0, 1e12, .above = true},
     .help =
         "real size divided by that of the file's run; multiplies bytes, operations and threads"},
    {"compiler", .value = "NAME", .kind = CLI_TEXT, CLI_FIELD(advise_options, compiler),
     .help = "compiler of the file: clang++ or g++, or a path", .otherwise = "as found"},
    {.heading = "What goes to the card and back:"},
    {"to-card", .value = "BYTES", .kind = CLI_BYTES, CLI_FIELD(advise_options, to_card),
     .range = {0, 1e15}, .help = "bytes copied to the card before the loop"},
    {"from-card", .value = "BYTES", .kind = CLI_BYTES, CLI_FIELD(advise_options, from_card),
     .range = {0, 1e15}, .help = "bytes copied back after the loop"},
    {"pinned", .kind = CLI_FLAG, CLI_FIELD(advise_options, pinned),
     .help = "the host's memory is pinned"},
    {.heading = "The program now:"},
    {"seconds", .value = "SECONDS", .kind = CLI_REAL, CLI_FIELD(advise_options, host_seconds),
     .range = {0, 1e12}, .help = "time of the loop on the host", .otherwise = "not known"},
    {"share", .value = "SHARE", .kind = CLI_REAL, CLI_FIELD(advise_options, share), .range = {0, 1},
     .help = "share of the loop in the program's time on the host: @"},
    {0}};

static error_t add_argument(void *parsed, const char *text)
{
    advise_options *o = parsed;
    if (o->file == NULL) {
        o->file = text;
    } else if (o->argument_count < 62) {
        o->arguments[o->argument_count++] = text;
    } else {
        cli_error("%s: more than 62 arguments for the program", text);
        return EINVAL;
    }
    return 0;
}

static void init(const cli_command *self, void *options)
{
    (void)self;
    *(advise_options *)options =
        (advise_options){.active = 1, .launches = 1, .chain = 1, .share = 1, .scale = 1};
}

/* ---- the loop ------------------------------------------------------------------------------- */

static bool is_stopped(void)
{
    return cli_signal() != 0;
}

/* Threads of all launches. */
static double threads_of(const tsl_lab_session *s)
{
    double threads = 0;
    for (int64_t i = 0; i < s->launch_count; i++) {
        const unsigned *grid = s->launches[i].grid, *block = s->launches[i].block;
        threads += (double)grid[0] * grid[1] * grid[2] * block[0] * block[1] * block[2];
    }
    return threads;
}

/* Take bytes, lanes, launches and threads from counts of the file's run; what was given stays. */
static void take_counts(advise_work *work, const tsl_lab_session *s)
{
    const advise_options *o = work->options;
    double sectors = 0, least = 0, lanes = 0, requests = 0;
    for (int64_t i = 0; i < s->count_count; i++) {
        const tsl_lab_count *c = &s->counts[i];
        if (c->space == 0) {
            sectors += (double)c->sectors;
            least += (double)c->least_sectors;
        }
        lanes += (double)c->lanes;
        requests += (double)c->requests;
    }
    if (!cli_given(&o->common, &o->bytes)) {
        work->loop.bytes = o->scale * SECTOR * sectors;
    }
    if (!cli_given(&o->common, &o->active) && requests > 0) {
        work->loop.active = lanes / (LANES * requests);
    }
    if (!cli_given(&o->common, &o->launches)) {
        work->loop.launches = (double)s->launch_count;
    }
    if (!cli_given(&o->common, &o->threads)) {
        work->loop.threads = o->scale * threads_of(s);
    }
    work->waste = sectors > 0 ? 1 - least / sectors : 0;
}

static tsl_status count_file(advise_work *work)
{
    const advise_options *o = work->options;
    const tsl_lab_build_options how = {.compiler = o->compiler};
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const tsl_lab_session_options session = {
        .capability = "9.0",
        .arguments = o->arguments,
        .seed = 1,
        .counts = true,
        .processes = o->common.threads > 0 ? o->common.threads : (int)(cores > 8 ? 8 : cores),
        .seconds = COUNTED_SECONDS,
        .memory = (int64_t)2 << 30,
        .output = "/dev/null",
        .stop = is_stopped};
    tsl_lab_build build = {.folder = ""};
    tsl_lab_session counted = {.runs = 0};
    tsl_status status;
    TSL_TRY(tsl_lab_build_program(&build, work->context, o->file, &how));
    TSL_TRY(tsl_lab_session_run(&counted, work->context, &build, &session));
    if (counted.report_count > 0 || counted.launch_count == 0) {
        status = tsl_fail(
            work->context, TSL_E_FORMAT, "%s: %s: tesela lab run %s tells more", o->file,
            counted.launch_count == 0 ? "it launches no kernel" : "it does not run", o->file);
        goto done;
    }
    take_counts(work, &counted);
done:
    tsl_lab_session_release(&counted);
    tsl_lab_build_release(&build, false);
    return status;
}

static tsl_status compute(advise_work *work, int number)
{
    const advise_options *o = work->options;
    tsl_status status;
    work->loop = (tsl_lab_loop){.bytes = o->scale * (double)o->bytes,
                                .operations = o->scale * o->operations,
                                .fp64 = o->fp64,
                                .active = o->active,
                                .launches = o->launches,
                                .threads = o->scale * o->threads,
                                .chain = o->chain,
                                .to_card = (double)o->to_card,
                                .from_card = (double)o->from_card,
                                .pinned = o->pinned,
                                .host_seconds = o->host_seconds,
                                .share = o->share};
    if (o->rates != NULL) {
        TSL_TRY(tsl_lab_rates_read(&work->rates, work->context, o->rates));
    } else {
        TSL_TRY(lab_measure_rates(&work->rates, work->context, number));
    }
    if (o->file != NULL) {
        TSL_TRY(count_file(work));
    }
    tsl_lab_advise(&work->advice, &work->loop, &work->rates);
done:
    return status;
}

/* ---- what is told --------------------------------------------------------------------------- */

static const char *advice_for(const advise_work *work)
{
    const tsl_lab_advice *a = &work->advice;
    switch (a->bound) {
    case TSL_LAB_BOUND_COPIES:
        return work->loop.pinned
                   ? "keep data on the card between loops, or copy while kernels run"
                   : "keep data on the card between loops, or copy from pinned memory "
                     "while kernels run";
    case TSL_LAB_BOUND_LAUNCHES:
        return "do more in each launch, or record the launches in a graph";
    case TSL_LAB_BOUND_LATENCY:
        return "give each thread several elements, and read all before the first is used";
    case TSL_LAB_BOUND_ARITHMETIC:
        return work->loop.active < 0.75 ? "let lanes of a warp take the same way"
               : work->loop.fp64        ? "single precision is faster where it is exact enough"
                                        : "the kernels are near what the card computes";
    default:
        return work->waste > 0.1 ? "let neighbouring lanes read neighbouring words: sectors are "
                                   "fetched in vain"
                                 : "move less: keep in registers and shared memory what is read "
                                   "again, and fuse loops";
    }
}

static void print(FILE *stream, const advise_work *work)
{
    const tsl_lab_advice *a = &work->advice;
    const tsl_lab_loop *l = &work->loop;
    const double *s = a->seconds;
    fprintf(stream, "%s\n", work->rates.card);
    fprintf(stream, "  memory      %12.4g ms  %.4g bytes\n", 1e3 * s[TSL_LAB_BOUND_MEMORY],
            l->bytes);
    fprintf(stream, "  arithmetic  %12.4g ms  %.4g operations, %.0f %% of the lanes\n",
            1e3 * s[TSL_LAB_BOUND_ARITHMETIC], l->operations, 100 * l->active);
    fprintf(stream, "  launches    %12.4g ms  %.0f\n", 1e3 * s[TSL_LAB_BOUND_LAUNCHES],
            l->launches);
    if (l->threads > 0) {
        fprintf(stream, "  latency     %12.4g ms  %.4g threads, %.0f reads one after the other\n",
                1e3 * s[TSL_LAB_BOUND_LATENCY], l->threads, l->chain);
    }
    fprintf(stream, "  copies      %12.4g ms  %.4g bytes there, %.4g back\n",
            1e3 * s[TSL_LAB_BOUND_COPIES], l->to_card, l->from_card);
    fprintf(stream, "kernels take %.4g ms, with copies %.4g ms: %s most\n", 1e3 * a->kernel,
            1e3 * a->loop, tsl_lab_bound_names[a->bound]);
    fprintf(stream, "to gain more: %s\n", advice_for(work));
    if (a->loop_gain > 0) {
        fprintf(stream,
                "the loop %.3g times as fast; the program, of which it is %.0f %%, %.3g times",
                a->loop_gain, 100 * l->share, a->program_gain);
        fprintf(stream, isfinite(a->most_gain) ? ", and never more than %.3g\n" : "\n",
                a->most_gain);
    }
}

static void write_body(tsl_json *json, const void *user)
{
    const advise_work *work = user;
    const tsl_lab_advice *a = &work->advice;
    const tsl_lab_loop *l = &work->loop;
    const bool known = a->loop_gain > 0;
    tsl_json_open_object(json, "parameters");
    tsl_json_number(json, "bytes", l->bytes);
    tsl_json_number(json, "operations", l->operations);
    tsl_json_bool(json, "double", l->fp64);
    tsl_json_number(json, "active", l->active);
    tsl_json_number(json, "launches", l->launches);
    tsl_json_known_number(json, "threads", l->threads, l->threads > 0);
    tsl_json_number(json, "chain", l->chain);
    tsl_json_number(json, "to_card", l->to_card);
    tsl_json_number(json, "from_card", l->from_card);
    tsl_json_bool(json, "pinned", l->pinned);
    tsl_json_close_object(json);
    tsl_json_open_object(json, "results");
    tsl_json_string(json, "card", work->rates.card);
    tsl_json_open_object(json, "seconds");
    for (int i = 0; i < TSL_LAB_BOUNDS; i++) {
        tsl_json_number(json, tsl_lab_bound_names[i], a->seconds[i]);
    }
    tsl_json_number(json, "kernel", a->kernel);
    tsl_json_number(json, "loop", a->loop);
    tsl_json_close_object(json);
    tsl_json_string(json, "bound", tsl_lab_bound_names[a->bound]);
    tsl_json_known_number(json, "loop_gain", a->loop_gain, known);
    tsl_json_known_number(json, "program_gain", a->program_gain, known);
    tsl_json_known_number(json, "most_gain", a->most_gain, known && isfinite(a->most_gain));
    tsl_json_close_object(json);
}

static tsl_status tell(const advise_work *work)
{
    const cli_common *common = &work->options->common;
    if (!cli_is_quiet()) {
        print(cli_summary_stream(common), work);
        cli_flush(stdout);
    }
    if (common->json == NULL) {
        return TSL_OK;
    }
    const cli_report envelope = {.command = "lab advise",
                                 .verified = -1,
                                 .total = tsl_seconds() - work->begun,
                                 .compute = tsl_seconds() - work->begun};
    return cli_report_write(work->context, common->json, &envelope, write_body, work);
}

/* ---- the command ---------------------------------------------------------------------------- */

static bool check(const advise_options *o, int *number)
{
    const char *const inputs[] = {o->rates, o->file};
    if (!cli_check_files(&o->common, inputs, 2) || !lab_card_number(o->common.device, number)) {
        return false;
    }
    if (o->rates == NULL && *number < 0) {
        cli_error("lab advise: of which card? --rates FILE, as lab bench -o wrote it, or --device "
                  "cuda:0");
    } else if (o->rates != NULL && cli_given(&o->common, &o->common.device)) {
        cli_error("--rates and --device: give one of the two");
    } else if (o->file != NULL && access(o->file, R_OK) != 0) {
        cli_error("%s: %s", o->file, strerror(errno));
    } else if (o->file == NULL && o->bytes == 0 && o->operations == 0) {
        cli_error("lab advise: give a CUDA file, or --bytes and --operations of the loop");
    } else {
        return true;
    }
    return false;
}

static int advise_command(const cli_command *self, int argc, char **argv)
{
    advise_options o;
    advise_work work = {.options = &o, .begun = tsl_seconds()};
    const cli_common common = {.device = "cpu", .threads = 1};
    int number;
    int exit_status;
    if (!cli_parse_options(self, &o, argc, argv, &exit_status)) {
        return exit_status;
    }
    if (!check(&o, &number)) {
        return CLI_USAGE;
    }
    cli_defer_signals(true);
    tsl_status status = cli_open_context(&work.context, &common);
    if (status == TSL_OK) {
        status = compute(&work, number);
    }
    if (status == TSL_OK) {
        status = tell(&work);
    }
    exit_status = cli_end(work.context, status, false);
    tsl_context_destroy(work.context);
    cli_defer_signals(false);
    cli_heed_signal();
    return exit_status;
}

const cli_command lab_advise = {
    .name = "advise",
    .summary = "is a loop worth moving to a card: time by the roofline, copies, what a program "
               "gains",
    .run = advise_command,
    .doc = "Estimate the time of a loop on a GPU card, and what takes most of it: memory, "
           "arithmetic, launches, latency or copies. Bytes, active lanes, launches and threads are "
           "given as options, or counted by running a CUDA file without a GPU. Operations and the "
           "number of dependent reads of a thread are given as options. With --seconds and "
           "--share, also estimate the speed-up of the program, by Amdahl's law.\v"
           "All sectors that a file's kernels move are counted, whether they are in caches or not. "
           "If a kernel reads data again that is still in a cache, give --bytes.\n"
           "\n"
           "Examples:\n"
           "  tesela lab bench --device cuda:0 -o rates.txt\n"
           "  tesela lab advise --rates rates.txt --bytes 12G --operations 2e9 --to-card 8G "
           "--from-card 4G --seconds 1.5 --share 0.9\n"
           "  tesela lab advise --rates rates.txt saxpy.cu --scale 1000 --operations 2e6",
    .arguments = "[FILE.cu [-- ARGUMENT...]]",
    .argument = add_argument,
    .rows = rows,
    .size = sizeof(advise_options),
    .init = init,
    .places = CLI_ONE_DEVICE,
    .device = "cuda:N, the card, whose rates are measured first",
    .lacks = CLI_NO_PROFILE};
