/* `tesela poisson`: a file, the suite of known answers, or a benchmark. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/poisson_command.h"
#include "core/context.h"

/* ---- a plan and its fields ------------------------------------------------------------------ */

typedef struct fields {
    tsl_poisson_plan *plan;
    tsl_buffer *source, *potential;
} fields;

static int64_t field_bytes(const tsl_poisson_options *options)
{
    return options->n[0] * options->n[1] * options->n[2] * options->precision;
}

static void release(fields *f)
{
    tsl_poisson_plan_destroy(f->plan);
    tsl_buffer_destroy(f->source);
    tsl_buffer_destroy(f->potential);
}

/* Plan first: what does not fit is refused before anything is allocated. */
static tsl_status take(fields *f, poisson_work *work)
{
    const int64_t bytes = field_bytes(&work->poisson);
    tsl_status status = tsl_poisson_plan_create(&f->plan, work->context, &work->poisson);
    if (status == TSL_OK) {
        tsl_poisson_plan_summary(f->plan, &work->summary);
        status = tsl_buffer_create(&f->source, work->context, bytes);
    }
    if (status == TSL_OK) {
        status = tsl_buffer_create(&f->potential, work->context, bytes);
    }
    work->setup = tsl_seconds() - work->begun;
    return status;
}

/* ---- a file --------------------------------------------------------------------------------- */

static tsl_status solve(poisson_work *work, void *data)
{
    const int64_t bytes = field_bytes(&work->poisson);
    fields f = {.plan = NULL};
    tsl_status status = take(&f, work);
    if (status == TSL_OK) {
        status = tsl_buffer_write(f.source, 0, data, bytes);
    }
    const double begun = tsl_seconds();
    if (status == TSL_OK) {
        status =
            tsl_poisson_execute(f.plan, tsl_buffer_data(f.potential), tsl_buffer_data(f.source));
    }
    if (status == TSL_OK) {
        status = tsl_context_synchronize(work->context);
    }
    work->compute = tsl_seconds() - begun;
    if (status == TSL_OK) {
        status = tsl_poisson_energy(f.plan, &work->energy, tsl_buffer_data(f.potential),
                                    tsl_buffer_data(f.source));
    }
    if (status == TSL_OK) {
        status = tsl_buffer_read(f.potential, 0, data, bytes);
    }
    release(&f);
    return status;
}

/* The first line of a cube. */
static void make_title(char title[128], const poisson_work *work)
{
    const bool electrostatic = work->poisson.equation == TSL_POISSON_ELECTROSTATIC;
    snprintf(title, 128, "tesela poisson: %s%s",
             electrostatic ? "electrostatic potential, hartree / e, of the "
                           : "solution of laplacian phi = f, f the",
             !electrostatic    ? " field"
             : work->electrons ? "electrons (density read as electrons)"
                               : "charge density");
}

tsl_status poisson_solve_file(poisson_work *work)
{
    const poisson_options *options = work->options;
    poisson_field field;
    tsl_status status = poisson_field_read(&field, work->context, options->input);
    if (status != TSL_OK) {
        return status;
    }
    memcpy(work->poisson.n, field.n, sizeof field.n);
    if (field.is_cube) {
        memcpy(work->poisson.lengths, field.lengths, sizeof field.lengths);
    }
    if (work->poisson.precision == 0) {
        work->poisson.precision = field.precision;
    }
    work->electrons = work->poisson.equation == TSL_POISSON_ELECTROSTATIC &&
                      (options->sign == POISSON_SIGN_ELECTRONS ||
                       (options->sign == POISSON_SIGN_DEFAULT && field.is_cube));
    status = poisson_field_convert(&field, work->context, work->poisson.precision,
                                   work->electrons ? -1 : 1);
    if (status == TSL_OK) {
        status = solve(work, field.data);
        if (status == TSL_E_ARG) {
            tsl_error_prefix(work->context, options->input);
        }
    }
    if (status == TSL_OK) {
        char title[128];
        make_title(title, work);
        status = poisson_field_write(&field, work->context, options->output, title);
    }
    poisson_field_release(&field);
    return status;
}

/* ---- a benchmark ---------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

static tsl_status time_solves(poisson_work *work, const fields *f, int repeat)
{
    double *seconds = tsl_allocate((size_t)repeat * sizeof *seconds);
    if (seconds == NULL) {
        return tsl_fail_memory(work->context, repeat * (int64_t)sizeof *seconds, "the times");
    }
    tsl_status status = TSL_OK;
    for (int i = -1; i < repeat && status == TSL_OK; i++) { /* the first warms up */
        const double begun = tsl_seconds();
        status =
            tsl_poisson_execute(f->plan, tsl_buffer_data(f->potential), tsl_buffer_data(f->source));
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
    fields f = {.plan = NULL};
    tsl_poisson_options *o = &work->poisson;
    bool periodic = o->screening == 0;
    for (int axis = 0; axis < 3; axis++) {
        o->n[axis] = o->n[axis] > 0 ? o->n[axis] : 128;
        o->lengths[axis] = o->lengths[axis] > 0 ? o->lengths[axis] : 1;
        periodic = periodic && o->boundary[axis] == TSL_BOUNDARY_PERIODIC;
    }
    o->background = periodic; /* so that a solve waits for nothing */
    o->precision = o->precision > 0 ? o->precision : 8;
    tsl_status status = take(&f, work);
    if (status == TSL_OK) {
        status = tsl_buffer_fill(f.source, 0x3f); /* 4.8e-4 or 0.75: every cell alike is as good */
    }
    if (status == TSL_OK) {
        status = time_solves(work, &f, work->options->repeat > 0 ? work->options->repeat : 20);
    }
    release(&f);
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
    tsl_context_destroy(work.context);
    return exit_status;
}
