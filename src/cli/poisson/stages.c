/* `tesela poisson bench --profile`: the time of each stage of a solve. The plan is made once more
 * without overlap, since overlapping stages do not add up. */
#include "cli/poisson/command.h"
#include "comm/comm.h"
#include "core/context.h"

/* Add up all ranks' times over so many solves. */
static void add_up(poisson_stages *out, const tsl_poisson_times *all, int ranks, int solves)
{
    for (int stage = 0; stage < TSL_TIMED; stage++) {
        for (int q = 0; q < ranks; q++) {
            const double seconds = all[q].seconds[stage] / solves;
            out->seconds[stage] += seconds / ranks;
            out->bytes[stage] += (double)all[q].bytes[stage] / solves / ranks;
            out->slowest[stage] = seconds > out->slowest[stage] ? seconds : out->slowest[stage];
        }
    }
    for (int q = 0; q < ranks; q++) {
        out->total += all[q].total / solves / ranks;
    }
}

static tsl_status measure(poisson_stages *out, poisson_work *work, poisson_arrays *a,
                          tsl_poisson_times *all)
{
    tsl_poisson_summary plan;
    poisson_timing timed;
    tsl_poisson_plan_summary(a->plan, &plan);
    tsl_status status = TSL_OK;
    TSL_TRY(poisson_time(&out->untimed, work, a, 1));
    TSL_TRY(poisson_arrays_time(a));
    TSL_TRY(poisson_time(&timed, work, a, 0));
    TSL_TRY(poisson_arrays_times(a, all));
done:
    if (status == TSL_OK) {
        add_up(out, all, plan.ranks[0] * plan.ranks[1], work->options->repeat);
        out->segments = plan.segments;
    }
    return status;
}

tsl_status poisson_stages_measure(poisson_work *work)
{
    const size_t size = (size_t)work->context->comm->size;
    tsl_poisson_options options = work->poisson;
    poisson_arrays a = {.plan = NULL};
    tsl_poisson_times *all = tsl_allocate(size * sizeof *all);
    if (all == NULL) {
        return tsl_fail_memory(work->context, (int64_t)(size * sizeof *all), "the stages' times");
    }
    options.overlap = -1;
    tsl_status status = poisson_arrays_create(&a, work->context, &options, true);
    if (status == TSL_OK) {
        status = measure(&work->stages, work, &a, all);
    }
    poisson_arrays_release(&a);
    tsl_release(all);
    return status;
}

static double sum_of(const poisson_stages *s)
{
    double sum = 0;
    for (int stage = 0; stage < TSL_TIMED; stage++) {
        sum += s->seconds[stage];
    }
    return sum;
}

/* Does the solve have stages? A device that solves alone does not tell of any. */
static bool has_stages(const poisson_stages *s)
{
    return s->segments > 0 && sum_of(s) > s->seconds[TSL_TIMED_OTHER];
}

void poisson_stages_print(FILE *stream, const poisson_work *work)
{
    const poisson_stages *s = &work->stages;
    if (!work->options->common.profile) {
        return;
    }
    if (!has_stages(s)) {
        cli_note("%s goes through a solve as one stage: stages are told of ranks that share one",
                 tsl_context_device(work->context));
        return;
    }
    fprintf(stream, "\n%-24s %10s %8s %8s %13s\n", "stage", "ms", "share", "GB/s", "slowest, ms");
    for (int stage = 0; stage < TSL_TIMED; stage++) {
        if (s->seconds[stage] > 0) {
            fprintf(stream, "%-24s %10.4f %6.1f %%",
                    tsl_poisson_timed_name((tsl_poisson_timed)stage), 1e3 * s->seconds[stage],
                    100 * s->seconds[stage] / s->total);
            if (s->bytes[stage] > 0) {
                fprintf(stream, " %8.2f", 1e-9 * s->bytes[stage] / s->seconds[stage]);
            } else {
                fprintf(stream, " %8s", "-");
            }
            fprintf(stream, " %13.4f\n", 1e3 * s->slowest[stage]);
        }
    }
    fprintf(stream, "%-24s %10.4f %6.1f %%\n", "in all", 1e3 * sum_of(s),
            100 * sum_of(s) / s->total);
    fprintf(stream, "%-24s %10.4f\n", "a solve by stages", 1e3 * s->total);
    fprintf(stream, "%-24s %10.4f\n", "without stops", 1e3 * s->untimed.mean);
    fprintf(stream, "%-24s %10.4f\n",
            work->summary.overlap ? "overlapped, as planned" : "as planned",
            1e3 * work->timing.mean);
}

void poisson_stages_write(tsl_json *json, const poisson_work *work)
{
    const poisson_stages *s = &work->stages;
    const bool known = s->segments > 0;
    tsl_json_known_number(json, "seconds_by_stages", s->total, known);
    tsl_json_known_number(json, "seconds_without_overlap", s->untimed.mean, known);
    tsl_json_open_array(json, "stages");
    for (int stage = 0; stage < TSL_TIMED && has_stages(s); stage++) {
        if (s->seconds[stage] > 0) {
            tsl_json_open_object(json, NULL);
            tsl_json_string(json, "stage", tsl_poisson_timed_name((tsl_poisson_timed)stage));
            tsl_json_number(json, "seconds", s->seconds[stage]);
            tsl_json_number(json, "seconds_slowest", s->slowest[stage]);
            tsl_json_number(json, "bytes", s->bytes[stage]);
            tsl_json_close_object(json);
        }
    }
    tsl_json_close_array(json);
}
