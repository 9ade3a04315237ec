/* `tesela xc bench`: how fast a functional is, beside a kernel that moves the same arrays. */
#include <stdio.h>
#include <string.h>

#include "cli/xc/command.h"
#include "core/context.h"
#include "device/device.h"
#include "solvers/xc/xc.h"

/* Short calls are recorded together: what starts a recording is then no part of a call's time. */
enum { ROWS = 9, RECORDED = 20, SHORT = 100000 };

/* The second is a group of points of a molecule's grid. */
static const int64_t counts[ROWS] = {1000,     3000,      10000,      100000,   1000000,
                                     10000000, 100000000, 1000000000, INT64_MAX};

static const double shortest = 0.02; /* seconds of runs in a row */

typedef struct bench_row {
    int64_t points;
    double streamed, recorded, summed, moved; /* seconds of a call */
} bench_row;

typedef struct bench {
    const xc_options *options;
    tsl_context *context;
    tsl_xc_plan *plan;
    tsl_xc_description about;
    int instructions; /* floating-point operations of a point; 0: there are several kernels */
    int arrays;       /* doubles moved a point */
    int count;
    bench_row rows[ROWS];
    double begun;
} bench;

/* A call that is timed. */
typedef struct timed {
    bench *b;
    xc_memory *memory;
    int64_t points;
    double *groups;  /* device memory: their energies, and the sum */
    double *weights; /* zeros */
    tsl_recording *recording;
    int recorded; /* calls in it */
} timed;

static tsl_status evaluate(void *arguments)
{
    const timed *t = arguments;
    return tsl_xc_evaluate(t->b->plan, t->points, &t->memory->arrays);
}

/* Evaluate with the sum of the energy. */
static tsl_status evaluate_sum(void *arguments)
{
    const timed *t = arguments;
    tsl_xc_arrays arrays = t->memory->arrays;
    arrays.weight = t->weights;
    arrays.group_energy = t->groups;
    arrays.energy = t->groups + tsl_xc_groups(t->points);
    return tsl_xc_evaluate(t->b->plan, t->points, &arrays);
}

static tsl_status move(void *arguments)
{
    const timed *t = arguments;
    return tsl_xc_move(t->b->plan, t->points, &t->memory->arrays);
}

static tsl_status evaluate_often(void *arguments)
{
    const timed *t = arguments;
    tsl_status status = TSL_OK;
    for (int i = 0; i < t->recorded && status == TSL_OK; i++) {
        status = evaluate(arguments);
    }
    return status;
}

static tsl_status replay(void *arguments)
{
    const timed *t = arguments;
    return t->b->context->ops->replay(t->recording);
}

/* Seconds of a call, after one that is not timed. */
static tsl_status time_call(double *seconds, timed *t, tsl_work work)
{
    const tsl_status status = work(t);
    return status == TSL_OK ? tsl_device_time(seconds, t->b->context, work, t, shortest) : status;
}

static tsl_status measure(bench *b, int64_t points)
{
    xc_memory memory = {.points = 0};
    bench_row *row = &b->rows[b->count];
    timed t = {.b = b, .memory = &memory, .points = points};
    t.recorded = points <= SHORT ? RECORDED : 1;
    tsl_context *context = b->context;
    void *groups = NULL;
    void *weights = NULL;
    tsl_status status = TSL_OK;
    TSL_TRY(xc_memory_create(&memory, context, points, b->about.family, b->options->spin,
                             b->options->order));
    TSL_TRY(tsl_device_allocate(&groups, context, 8 * (tsl_xc_groups(points) + 1),
                                "energies of groups of points"));
    TSL_TRY(tsl_device_allocate(&weights, context, 8 * points, "weights of points"));
    t.groups = groups;
    t.weights = weights;
    TSL_TRY(xc_memory_fill(&memory, b->about.family, b->options->spin));
    TSL_TRY(context->ops->fill(context, weights, 0, 8 * points));
    TSL_TRY(time_call(&row->moved, &t, move));
    TSL_TRY(time_call(&row->streamed, &t, evaluate));
    TSL_TRY(time_call(&row->summed, &t, evaluate_sum));
    TSL_TRY(context->ops->record(&t.recording, context, evaluate_often, &t));
    TSL_TRY(time_call(&row->recorded, &t, replay));
    row->recorded /= t.recorded;
    row->points = points;
    b->count++;
done:
    context->ops->forget(t.recording);
    tsl_device_release(context, weights);
    tsl_device_release(context, groups);
    xc_memory_destroy(&memory);
    return status;
}

/* ---- what is told --------------------------------------------------------------------------- */

static double rate(const bench_row *row, double seconds)
{
    return (double)row->points / seconds;
}

static void print_table(FILE *stream, const bench *b)
{
    fprintf(stream, "%s, %s, order %d, on %s: %d kernel%s, %d B a point\n", b->options->functional,
            b->options->spin ? "two spins" : "closed shell", b->options->order,
            tsl_context_device(b->context), b->about.kernels, b->about.kernels == 1 ? "" : "s",
            8 * b->arrays);
    fprintf(stream, "%12s %12s %12s %12s %12s %10s %8s %9s\n", "points", "us", "us recorded",
            "us, energy", "points/s", "GB/s", "moving", "Ginstr/s");
    for (int i = 0; i < b->count; i++) {
        const bench_row *r = &b->rows[i];
        fprintf(stream, "%12lld %12.2f %12.2f %12.2f %12.3e %10.1f %6.1f %% %9.1f\n",
                (long long)r->points, 1e6 * r->streamed, 1e6 * r->recorded, 1e6 * r->summed,
                rate(r, r->streamed), 8e-9 * b->arrays * rate(r, r->streamed),
                100 * r->moved / r->streamed, 1e-9 * b->instructions * rate(r, r->streamed));
    }
}

static void write_body(tsl_json *json, const void *work)
{
    const bench *b = work;
    tsl_json_open_object(json, "parameters");
    tsl_json_string(json, "functional", b->options->functional);
    tsl_json_bool(json, "spin", b->options->spin);
    tsl_json_integer(json, "order", b->options->order);
    tsl_json_integer(json, "threads", tsl_context_threads(b->context));
    tsl_json_close_object(json);
    tsl_json_open_object(json, "results");
    tsl_json_integer(json, "kernels", b->about.kernels);
    tsl_json_integer(json, "bytes_per_point", 8 * b->arrays);
    tsl_json_known_integer(json, "instructions_per_point", b->instructions, b->instructions > 0);
    tsl_json_open_array(json, "measurements");
    for (int i = 0; i < b->count; i++) {
        const bench_row *r = &b->rows[i];
        tsl_json_open_object(json, NULL);
        tsl_json_integer(json, "points", r->points);
        tsl_json_number(json, "seconds", r->streamed);
        tsl_json_number(json, "recorded_seconds", r->recorded);
        tsl_json_number(json, "energy_seconds", r->summed);
        tsl_json_number(json, "move_seconds", r->moved);
        tsl_json_number(json, "points_per_second", rate(r, r->streamed));
        tsl_json_close_object(json);
    }
    tsl_json_close_array(json);
    tsl_json_close_object(json);
}

static tsl_status tell(const bench *b)
{
    if (!cli_is_quiet()) {
        print_table(cli_summary_stream(&b->options->common), b);
    }
    const double total = tsl_seconds() - b->begun;
    const cli_report report = {.command = "xc bench",
                               .device = tsl_context_device(b->context),
                               .verified = -1,
                               .total = total,
                               .compute = total};
    return b->options->common.json == NULL
               ? TSL_OK
               : cli_report_write(b->context, b->options->common.json, &report, write_body, b);
}

int xc_bench(const xc_options *options, tsl_context *context)
{
    bench b = {.options = options, .context = context, .begun = tsl_seconds()};
    const int64_t most = options->points > 0 ? options->points : XC_BENCH_POINTS;
    int unit, inputs;
    tsl_status status = TSL_OK;
    b.about.size = sizeof b.about;
    TSL_TRY(tsl_xc_plan_create(&b.plan, context, options->functional, &options->plan));
    TSL_TRY(tsl_xc_plan_describe(b.plan, &b.about));
    tsl_xc_plan_values(b.plan, 0, &unit);
    inputs = tsl_xc_inputs(b.about.family, options->spin);
    b.arrays = inputs + tsl_xc_outputs(inputs, options->order);
    b.instructions =
        b.about.kernels == 1 ? tsl_xc_units[unit]->instructions[options->spin][options->order] : 0;
    for (int i = 0; counts[i] <= most; i++) {
        TSL_TRY(measure(&b, counts[i]));
    }
    TSL_TRY(tell(&b));
done:
    if (status != TSL_OK) {
        cli_error("%s", tsl_last_error(context));
    }
    tsl_xc_plan_destroy(b.plan);
    return cli_exit_status(context, status, false);
}
