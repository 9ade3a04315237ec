/* `tesela poisson`: a file, the suite of known answers, or a benchmark. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/poisson_command.h"
#include "core/context.h"

/* ---- a plan and its arrays ------------------------------------------------------------------ */

int64_t poisson_cells(const poisson_work *work)
{
    const int64_t *n = work->poisson.n;
    return n[0] * n[1] * n[2];
}

int64_t poisson_bytes(const poisson_work *work)
{
    return poisson_cells(work) * work->poisson.precision;
}

void poisson_arrays_release(poisson_arrays *arrays)
{
    tsl_poisson_plan_destroy(arrays->plan);
    tsl_buffer_destroy(arrays->source);
    tsl_buffer_destroy(arrays->result);
}

tsl_status poisson_arrays_take(poisson_arrays *arrays, poisson_work *work)
{
    const int64_t bytes = poisson_bytes(work);
    tsl_status status = tsl_poisson_plan_create(&arrays->plan, work->context, &work->poisson);
    if (status == TSL_OK) {
        tsl_poisson_plan_summary(arrays->plan, &work->summary);
        status = tsl_buffer_create(&arrays->source, work->context, bytes);
    }
    if (status == TSL_OK) {
        status = tsl_buffer_create(&arrays->result, work->context, bytes);
    }
    work->setup = tsl_seconds() - work->begun;
    return status;
}

/* ---- a benchmark ---------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

static tsl_status time_solves(poisson_work *work, const poisson_arrays *a, int repeat)
{
    double *seconds = tsl_allocate((size_t)repeat * sizeof *seconds);
    if (seconds == NULL) {
        return tsl_fail_memory(work->context, repeat * (int64_t)sizeof *seconds, "the times");
    }
    tsl_status status = TSL_OK;
    for (int i = -1; i < repeat && status == TSL_OK; i++) { /* the first warms up */
        const double begun = tsl_seconds();
        status =
            tsl_poisson_execute(a->plan, tsl_buffer_data(a->result), tsl_buffer_data(a->source));
        if (status == TSL_OK) {
            status = tsl_context_synchronize(work->context);
        }
        if (i >= 0) {
            seconds[i] = tsl_seconds() - begun;
            work->compute += seconds[i];
        }
    }
    if (status == TSL_OK) {
        qsort(seconds, (size_t)repeat, sizeof *seconds, compare);
        work->fastest = seconds[0];
        work->median = seconds[repeat / 2];
    }
    tsl_release(seconds);
    return status;
}

tsl_status poisson_bench(poisson_work *work)
{
    poisson_arrays a = {.plan = NULL};
    tsl_poisson_options *o = &work->poisson;
    bool periodic = o->screening == 0;
    for (int axis = 0; axis < 3; axis++) {
        o->n[axis] = o->n[axis] > 0 ? o->n[axis] : 128;
        o->lengths[axis] = o->lengths[axis] > 0 ? o->lengths[axis] : 1;
        periodic = periodic && o->boundary[axis] == TSL_BOUNDARY_PERIODIC;
    }
    o->background = periodic; /* so that a solve waits for nothing */
    o->precision = o->precision > 0 ? o->precision : 8;
    tsl_status status = poisson_arrays_take(&a, work);
    if (status == TSL_OK) {
        status = tsl_buffer_fill(a.source, 0x3f); /* 4.8e-4 or 0.75: every cell alike is as good */
    }
    if (status == TSL_OK) {
        status = time_solves(work, &a, work->options->repeat > 0 ? work->options->repeat : 20);
    }
    poisson_arrays_release(&a);
    return status;
}

/* ---- the command ---------------------------------------------------------------------------- */

static tsl_status tell(const poisson_work *work)
{
    const cli_common *common = &work->options->common;
    if (!cli_is_quiet()) {
        poisson_print(cli_summary_stream(common), work);
        fflush(stdout);
    }
    return common->json != NULL ? poisson_write_report(work, common->json) : TSL_OK;
}

int cli_poisson(int argc, char **argv)
{
    static tsl_status (*const tasks[])(poisson_work *) = {
        [POISSON_FILE] = poisson_solve_file,
        [POISSON_VERIFY] = poisson_verify,
        [POISSON_BENCH] = poisson_bench,
    };
    poisson_options options;
    int exit_status;
    if (!poisson_options_parse(&options, argc, argv, &exit_status)) {
        return exit_status;
    }
    poisson_work work = {.options = &options, .poisson = options.poisson, .begun = tsl_seconds()};
    tsl_status status = cli_open_context(&work.context, &options.common);
    if (status != TSL_OK) {
        return cli_exit_status(NULL, status, false);
    }
    if (options.common.profile) {
        tsl_profile_enable(work.context);
    }
    status = tasks[options.task](&work);
    if (status == TSL_OK) {
        status = tell(&work);
    }
    exit_status = cli_exit_status(work.context, status, options.poisson.memory > 0);
    if (status != TSL_OK) {
        cli_error("%s", tsl_last_error(work.context));
    } else if (poisson_verified(&work) == 0) {
        cli_error("an answer is further from the known one than its bound: see the table");
        exit_status = CLI_CHECK_FAILED;
    }
    if (options.common.profile) {
        cli_profile_print(work.context);
    }
    tsl_release((void *)(uintptr_t)work.points.charge);
    poisson_field_release(&work.field);
    tsl_context_destroy(work.context);
    return exit_status;
}
