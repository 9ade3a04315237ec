/* `tesela xc study`: PBE's kernel by registers, threads of a block and points of a batch, and which
 * conclusions of the study that did so first hold on this device: E. A. Perez Leale, "Ampliando las
 * capacidades de una aplicación de cómputo QM/MM utilizando GPU", Universidad de Buenos Aires,
 * 2019. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/xc/command.h"
#include "core/context.h"
#include "device/device.h"
#include "solvers/xc/xc.h"

enum { BATCHES = 6, BLOCKS = 4, CAPS = TSL_XC_CAP_COUNT, CONCLUSIONS = 4 };
enum { MOST_LAUNCHES = 100, ARRAYS = 5 };

/* 2000 points are about those of a group in the thesis. */
static const int64_t batches[BATCHES] = {200, 2000, 20000, 200000, 2000000, 10000000};
static const int blocks[BLOCKS] = {64, 128, 256, 512};
#define NUMBER(place, registers) registers,
static const int caps[CAPS] = {TSL_XC_CAPS(NUMBER)};
#undef NUMBER
enum { CAP_24, CAP_32, CAP_63, CAP_128, CAP_255 };

static const double shortest = 1e-3; /* seconds of launches in a row, at least */

/* Seconds of a launch: mean, and standard deviation of the repeats. */
typedef struct study_time {
    double mean, spread;
} study_time;

typedef struct study_batch {
    int64_t points;
    study_time time[BLOCKS][CAPS];
    bool holds[CONCLUSIONS];
} study_batch;

typedef struct study {
    const xc_options *options;
    tsl_context *context;
    tsl_xc_plan *plan;
    tsl_xc_taken taken[CAPS];
    int count;
    study_batch batch[BATCHES];
    int64_t differing; /* values that are not those of tsl_xc_evaluate() */
    double begun;
} study;

/* ---- measuring ------------------------------------------------------------------------------ */

/* Launches that are measured together. */
typedef struct launches {
    study *s;
    xc_memory *memory;
    int cap, threads, count;
} launches;

static tsl_status launch_all(void *arguments)
{
    const launches *l = arguments;
    tsl_status status = TSL_OK;
    for (int i = 0; i < l->count && status == TSL_OK; i++) {
        status =
            tsl_xc_study(l->s->plan, l->memory->points, &l->memory->arrays, l->cap, l->threads);
    }
    return status;
}

static tsl_status time_once(double *seconds, tsl_context *context, tsl_recording *recording)
{
    const double begun = tsl_seconds();
    tsl_status status = TSL_OK;
    TSL_TRY(context->ops->replay(recording));
    TSL_TRY(context->ops->synchronize(context));
done:
    *seconds = tsl_seconds() - begun;
    return status;
}

/* Record as many launches as take `shortest` seconds, and run the record as often as was asked
 * for. */
static tsl_status measure(study_time *out, launches *l)
{
    tsl_context *context = l->s->context;
    const int repeats = l->s->options->repeats;
    tsl_recording *recording = NULL;
    double begun, seconds = 0, sum = 0, squares = 0;
    tsl_status status = TSL_OK;
    l->count = 1;
    TSL_TRY(launch_all(l));
    TSL_TRY(context->ops->synchronize(context));
    begun = tsl_seconds();
    TSL_TRY(launch_all(l));
    TSL_TRY(context->ops->synchronize(context));
    l->count = (int)fmin(fmax(shortest / (tsl_seconds() - begun + 1e-9), 1), MOST_LAUNCHES);
    TSL_TRY(context->ops->record(&recording, context, launch_all, l));
    TSL_TRY(time_once(&seconds, context, recording)); /* the first replay is not counted */
    for (int r = 0; r < repeats; r++) {
        TSL_TRY(time_once(&seconds, context, recording));
        sum += seconds / l->count;
        squares += (seconds / l->count) * (seconds / l->count);
    }
    out->mean = sum / repeats;
    out->spread = sqrt(fmax(squares / repeats - out->mean * out->mean, 0));
done:
    context->ops->forget(recording);
    return status;
}

/* Download the outputs of a batch. */
static tsl_status read_outputs(double *to, const xc_memory *memory)
{
    return memory->context->ops->download(memory->context, to,
                                          memory->data + memory->inputs * memory->points,
                                          8 * memory->outputs * memory->points);
}

/* Count values that a cap's kernel has otherwise than evaluation. */
static tsl_status compare(study *s, const xc_memory *memory, double *wanted, double *got)
{
    const int64_t values = memory->outputs * memory->points;
    tsl_status status = TSL_OK;
    TSL_TRY(tsl_xc_evaluate(s->plan, memory->points, &memory->arrays));
    TSL_TRY(read_outputs(wanted, memory));
    for (int c = 0; c < CAPS; c++) {
        TSL_TRY(s->context->ops->fill(s->context, memory->data + memory->inputs * memory->points,
                                      0xff, 8 * values));
        TSL_TRY(tsl_xc_study(s->plan, memory->points, &memory->arrays, c, blocks[c % BLOCKS]));
        TSL_TRY(read_outputs(got, memory));
        for (int64_t i = 0; i < values; i++) {
            s->differing += memcmp(&got[i], &wanted[i], sizeof *got) != 0;
        }
    }
done:
    return status;
}

static tsl_status compare_batch(study *s, const xc_memory *memory)
{
    const size_t bytes = 8 * (size_t)(memory->outputs * memory->points);
    double *wanted = tsl_allocate(bytes);
    double *got = tsl_allocate(bytes);
    const tsl_status status = wanted != NULL && got != NULL
                                  ? compare(s, memory, wanted, got)
                                  : tsl_fail_memory(s->context, (int64_t)bytes, "values");
    tsl_release(wanted);
    tsl_release(got);
    return status;
}

/* ---- conclusions ---------------------------------------------------------------------------- */

static const char *const conclusions[CONCLUSIONS] = {
    "of 16 (here 24), 32 and 63 registers a thread, 63 are fastest",
    "blocks of 64 or 128 threads are fastest",
    "more threads a block do not make it faster",
    "more than 63 registers a thread, then taken for the most there are, bring nothing",
};

/* Is `a` faster than `b` by more than both spread? */
static bool is_faster(study_time a, study_time b)
{
    return a.mean + a.spread < b.mean - b.spread;
}

static bool more_registers_win(const study_batch *b)
{
    bool holds = true;
    for (int t = 0; t < BLOCKS; t++) {
        holds = holds && !is_faster(b->time[t][CAP_32], b->time[t][CAP_63]) &&
                !is_faster(b->time[t][CAP_24], b->time[t][CAP_63]);
    }
    return holds;
}

static void judge(study_batch *b)
{
    study_time of[BLOCKS];
    study_time least = b->time[0][CAP_63], more = b->time[0][CAP_128];
    for (int t = 0; t < BLOCKS; t++) {
        of[t] = b->time[t][CAP_63];
        least = of[t].mean < least.mean ? of[t] : least;
        for (int c = CAP_128; c <= CAP_255; c++) {
            more = b->time[t][c].mean < more.mean ? b->time[t][c] : more;
        }
    }
    const study_time small = of[0].mean < of[1].mean ? of[0] : of[1];
    b->holds[0] = more_registers_win(b);
    b->holds[1] = !is_faster(least, small);
    b->holds[2] = !is_faster(of[3], of[0]);
    b->holds[3] = !is_faster(more, least);
}

static tsl_status study_points(study *s, int64_t points)
{
    xc_memory memory = {.points = 0};
    study_batch *batch = &s->batch[s->count];
    tsl_status status = TSL_OK;
    TSL_TRY(xc_memory_create(&memory, s->context, points, TSL_XC_GGA, 0, 1));
    TSL_TRY(xc_memory_fill(&memory, TSL_XC_GGA, 0));
    if (s->count == 0) {
        TSL_TRY(compare_batch(s, &memory));
    }
    batch->points = points;
    for (int t = 0; t < BLOCKS; t++) {
        for (int c = 0; c < CAPS; c++) {
            launches l = {.s = s, .memory = &memory, .cap = c, .threads = blocks[t]};
            TSL_TRY(measure(&batch->time[t][c], &l));
        }
    }
    judge(batch);
    s->count++;
done:
    xc_memory_destroy(&memory);
    return status;
}

/* ---- what is told --------------------------------------------------------------------------- */

static void print_batch(FILE *stream, const study_batch *b)
{
    fprintf(stream, "\n%lld points\n%12s", (long long)b->points, "registers");
    for (int c = 0; c < CAPS; c++) {
        fprintf(stream, "%20d", caps[c]);
    }
    fprintf(stream, "\n");
    for (int t = 0; t < BLOCKS; t++) {
        fprintf(stream, "%4d threads", blocks[t]);
        for (int c = 0; c < CAPS; c++) {
            fprintf(stream, "%12.2f +- %4.2f", 1e6 * b->time[t][c].mean,
                    1e6 * b->time[t][c].spread);
        }
        fprintf(stream, "\n");
    }
}

static void print_conclusions(FILE *stream, const study *s)
{
    fprintf(stream, "\n");
    for (int k = 0; k < CONCLUSIONS; k++) {
        fprintf(stream, "%s:", conclusions[k]);
        for (int i = 0; i < s->count; i++) {
            fprintf(stream, "%s %s at %lld", i > 0 ? "," : "",
                    s->batch[i].holds[k] ? "holds" : "does not hold",
                    (long long)s->batch[i].points);
        }
        fprintf(stream, "\n");
    }
}

static void print_study(FILE *stream, const study *s)
{
    fprintf(
        stream,
        "PBE, closed shell, energy and first derivatives, on %s: microseconds of a launch, mean "
        "and standard deviation of %d\n",
        tsl_context_device(s->context), s->options->repeats);
    for (int c = 0; c < CAPS && s->taken[c].registers > 0; c++) {
        fprintf(stream, "at most %3d registers: takes %3d, and %d bytes of memory a thread\n",
                caps[c], s->taken[c].registers, s->taken[c].local_bytes);
    }
    for (int i = 0; i < s->count; i++) {
        print_batch(stream, &s->batch[i]);
    }
    print_conclusions(stream, s);
}

static void write_batch(tsl_json *json, const study *s, const study_batch *b)
{
    for (int t = 0; t < BLOCKS; t++) {
        for (int c = 0; c < CAPS; c++) {
            const bool known = s->taken[c].registers > 0;
            tsl_json_open_object(json, NULL);
            tsl_json_integer(json, "points", b->points);
            tsl_json_integer(json, "threads", blocks[t]);
            tsl_json_integer(json, "most_registers", caps[c]);
            tsl_json_known_integer(json, "registers", s->taken[c].registers, known);
            tsl_json_known_integer(json, "local_bytes", s->taken[c].local_bytes, known);
            tsl_json_number(json, "seconds", b->time[t][c].mean);
            tsl_json_number(json, "deviation", b->time[t][c].spread);
            tsl_json_close_object(json);
        }
    }
}

static void write_body(tsl_json *json, const void *work)
{
    const study *s = work;
    tsl_json_open_object(json, "parameters");
    tsl_json_string(json, "functional", "pbe");
    tsl_json_integer(json, "repeats", s->options->repeats);
    tsl_json_close_object(json);
    tsl_json_open_object(json, "results");
    tsl_json_integer(json, "differing_values", s->differing);
    tsl_json_open_array(json, "measurements");
    for (int i = 0; i < s->count; i++) {
        write_batch(json, s, &s->batch[i]);
    }
    tsl_json_close_array(json);
    tsl_json_open_array(json, "conclusions");
    for (int i = 0; i < s->count; i++) {
        for (int k = 0; k < CONCLUSIONS; k++) {
            tsl_json_open_object(json, NULL);
            tsl_json_string(json, "conclusion", conclusions[k]);
            tsl_json_integer(json, "points", s->batch[i].points);
            tsl_json_bool(json, "holds", s->batch[i].holds[k]);
            tsl_json_close_object(json);
        }
    }
    tsl_json_close_array(json);
    tsl_json_close_object(json);
}

static tsl_status tell(const study *s)
{
    if (!cli_is_quiet()) {
        print_study(cli_summary_stream(&s->options->common), s);
    }
    const double total = tsl_seconds() - s->begun;
    const cli_report report = {.command = "xc study",
                               .device = tsl_context_device(s->context),
                               .verified = s->differing == 0,
                               .total = total,
                               .compute = total};
    return s->options->common.json == NULL
               ? TSL_OK
               : cli_report_write(s->context, s->options->common.json, &report, write_body, s);
}

int xc_study(const xc_options *options, tsl_context *context)
{
    study *s = tsl_allocate_zeroed(1, sizeof *s);
    const int64_t most = options->points > 0 ? options->points : XC_STUDY_POINTS;
    bool differs = false;
    tsl_status status = TSL_OK;
    if (s == NULL) {
        cli_error("%s", "no memory for a study");
        return cli_exit_status(NULL, TSL_E_NOMEM, false);
    }
    *s = (study){.options = options, .context = context, .begun = tsl_seconds()};
    TSL_TRY(tsl_xc_plan_create(&s->plan, context, "pbe", NULL));
    if (context->ops->xc->study == NULL) {
        status = tsl_xc_study(s->plan, 0, NULL, 0, 0); /* says so */
        goto done;
    }
    for (int c = 0; c < CAPS; c++) {
        TSL_TRY(context->ops->xc->study_taken(context, c, &s->taken[c]));
    }
    for (int i = 0; i < BATCHES && batches[i] <= most; i++) {
        TSL_TRY(study_points(s, batches[i]));
    }
    TSL_TRY(tell(s));
done:
    differs = s->differing > 0;
    if (status != TSL_OK) {
        cli_error("%s", tsl_last_error(context));
    } else if (differs) {
        cli_error("%lld values differ from those of evaluation", (long long)s->differing);
    }
    tsl_xc_plan_destroy(s->plan);
    tsl_release(s);
    return status == TSL_OK && differs ? CLI_CHECK_FAILED : cli_exit_status(context, status, false);
}
