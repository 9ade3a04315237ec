/* `tesela poisson bench`: how long a solve takes. */
#include <math.h>
#include <stdlib.h>

#include "cli/poisson/command.h"
#include "core/context.h"

double poisson_flops(const int64_t n[3])
{
    const double cells = (double)n[0] * (double)n[1] * (double)n[2];
    return 2 * 5 * cells * log2(cells);
}

double poisson_traffic(const int64_t n[3], int precision)
{
    return 2 * (double)n[0] * (double)n[1] * (double)n[2] * precision;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Timing of solves; sorts `seconds`. */
static poisson_timing timing_of(double *seconds, int count)
{
    poisson_timing t = {.mean = 0};
    qsort(seconds, (size_t)count, sizeof *seconds, compare);
    for (int i = 0; i < count; i++) {
        t.mean += seconds[i] / count;
    }
    for (int i = 0; i < count; i++) {
        t.deviation += (seconds[i] - t.mean) * (seconds[i] - t.mean);
    }
    t.deviation = count > 1 ? sqrt(t.deviation / (count - 1)) : 0;
    t.fastest = seconds[0];
    t.median = 0.5 * (seconds[(count - 1) / 2] + seconds[count / 2]);
    return t;
}

tsl_status poisson_time(poisson_timing *out, poisson_work *work, poisson_arrays *a, int warm_ups)
{
    const int repeat = work->options->repeat;
    double *seconds = tsl_allocate((size_t)repeat * sizeof *seconds);
    if (seconds == NULL) {
        return tsl_fail_memory(work->context, repeat * (int64_t)sizeof *seconds, "the times");
    }
    tsl_status status = TSL_OK;
    for (int i = -warm_ups; i < repeat && status == TSL_OK; i++) {
        status = poisson_arrays_solve(a, POISSON_NO_AXIS);
        if (status == TSL_OK) {
            status = tsl_context_synchronize(work->context);
        }
        if (i >= 0) {
            seconds[i] = tsl_seconds() - a->told;
            work->compute += seconds[i];
        }
    }
    if (status == TSL_OK) {
        *out = timing_of(seconds, repeat);
    }
    tsl_release(seconds);
    return status;
}

tsl_status poisson_time_plan(poisson_timing *out, tsl_poisson_summary *plan, poisson_work *work,
                             const tsl_poisson_options *options)
{
    poisson_arrays a = {.plan = NULL};
    tsl_status status = poisson_arrays_create(&a, work->context, options, true);
    if (status == TSL_OK) { /* the source is all zeros, which takes as long as any other */
        tsl_poisson_plan_summary(a.plan, plan);
        status = poisson_time(out, work, &a, 1);
    }
    poisson_arrays_release(&a);
    return status;
}

void poisson_bench_settle(poisson_work *work)
{
    tsl_poisson_options *o = &work->poisson;
    bool periodic = o->screening == 0;
    for (int axis = 0; axis < 3; axis++) {
        o->n[axis] = o->n[axis] > 0 ? o->n[axis] : POISSON_USUAL_N;
        o->lengths[axis] = o->lengths[axis] > 0 ? o->lengths[axis] : 1;
        periodic = periodic && o->boundary[axis] == TSL_BOUNDARY_PERIODIC;
    }
    o->background = periodic; /* without this a solve waits to check the net charge */
    o->precision = o->precision > 0 ? o->precision : 8;
}

tsl_status poisson_bench(poisson_work *work)
{
    poisson_arrays a = {.plan = NULL};
    poisson_bench_settle(work);
    tsl_status status = poisson_arrays_take(&a, work, true);
    if (status == TSL_OK) {
        work->poisson = a.options; /* stages are measured with the same form */
        status = poisson_time(&work->timing, work, &a, 1);
    }
    poisson_arrays_release(&a);
    return status == TSL_OK && work->options->common.profile ? poisson_stages_measure(work)
                                                             : status;
}
