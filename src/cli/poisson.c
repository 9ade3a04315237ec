/* `tesela poisson`: a file, the suite of known answers, or a benchmark. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/poisson_command.h"
#include "core/context.h"
#include "io/npy.h"

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

static tsl_status check_header(poisson_work *work, const tsl_npy *header)
{
    const char *name = work->options->input;
    if (header->axes != 3 || header->count == 0) {
        return tsl_fail(work->context, TSL_E_FORMAT,
                        "%s: has %d axes and %lld elements: a field has three axes, x, y and z",
                        name, header->axes, (long long)header->count);
    }
    if (header->fortran_order) {
        return tsl_fail(work->context, TSL_E_FORMAT,
                        "%s: is in Fortran order: save numpy.ascontiguousarray() of it", name);
    }
    if (strcmp(header->type, "<f8") != 0 && strcmp(header->type, "<f4") != 0) {
        return tsl_fail(work->context, TSL_E_FORMAT,
                        "%s: holds elements of type %s: give <f8 or <f4 (float64, float32)", name,
                        header->type);
    }
    return TSL_OK;
}

static double element(const void *data, const tsl_npy *header, int64_t i)
{
    return header->item == 4 ? (double)((const float *)data)[i] : ((const double *)data)[i];
}

static tsl_status check_finite(poisson_work *work, const void *data, const tsl_npy *header)
{
    for (int64_t i = 0; i < header->count; i++) {
        if (!isfinite(element(data, header, i))) {
            const int64_t plane = header->shape[1] * header->shape[2];
            return tsl_fail(work->context, TSL_E_FORMAT,
                            "%s: element [%lld, %lld, %lld] is no finite number",
                            work->options->input, (long long)(i / plane),
                            (long long)(i / header->shape[2] % header->shape[1]),
                            (long long)(i % header->shape[2]));
        }
    }
    return TSL_OK;
}

/* The file's numbers in the plan's precision; `data` is released and replaced if they differ. */
static tsl_status convert(poisson_work *work, void **data, tsl_npy *header)
{
    const int precision = work->poisson.precision;
    if (header->item == precision) {
        return TSL_OK;
    }
    void *converted = tsl_allocate((size_t)(header->count * precision));
    if (converted == NULL) {
        return tsl_fail_memory(work->context, header->count * precision, "the source");
    }
    for (int64_t i = 0; i < header->count; i++) {
        if (precision == 4) {
            ((float *)converted)[i] = (float)element(*data, header, i);
        } else {
            ((double *)converted)[i] = element(*data, header, i);
        }
    }
    tsl_release(*data);
    *data = converted;
    header->item = precision;
    strcpy(header->type, precision == 4 ? "<f4" : "<f8");
    return TSL_OK;
}

static tsl_status solve(poisson_work *work, void *data)
{
    const int64_t bytes = field_bytes(&work->poisson);
    fields f = {NULL};
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

tsl_status poisson_solve_file(poisson_work *work)
{
    tsl_npy header;
    void *data = NULL;
    tsl_status status = tsl_npy_read(&header, &data, work->context, work->options->input);
    if (status != TSL_OK) {
        return status;
    }
    status = check_header(work, &header);
    if (status == TSL_OK) {
        status = check_finite(work, data, &header);
    }
    if (status == TSL_OK) {
        for (int axis = 0; axis < 3; axis++) {
            work->poisson.n[axis] = header.shape[axis];
        }
        work->poisson.precision =
            work->poisson.precision > 0 ? work->poisson.precision : (int)header.item;
        status = convert(work, &data, &header);
    }
    if (status == TSL_OK) {
        status = solve(work, data);
        if (status == TSL_E_ARG && !work->poisson.background) {
            tsl_error_prefix(work->context, work->options->input);
        }
    }
    if (status == TSL_OK) {
        status = tsl_npy_write(work->context, work->options->output, &header, data);
    }
    tsl_release(data);
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
    fields f = {NULL};
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
    const bool json_on_output = common->json != NULL && strcmp(common->json, "-") == 0;
    if (!cli_is_quiet()) {
        poisson_print(json_on_output ? stderr : stdout, work);
        fflush(stdout);
    }
    return common->json != NULL ? poisson_write_report(work, cli_report_path(common->json))
                                : TSL_OK;
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
