/* `tesela poisson INPUT`: from a file to its potential, field or energy. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/poisson/command.h"
#include "core/context.h"

enum { COMPONENTS = 3 }; /* of a field */

/* ---- before anything is taken --------------------------------------------------------------- */

static void settle(poisson_work *work)
{
    const poisson_options *options = work->options;
    const poisson_field *field = &work->field;
    memcpy(work->poisson.n, field->n, sizeof field->n);
    if (work->poisson.lengths[0] == 0) {
        memcpy(work->poisson.lengths, field->lengths, sizeof field->lengths);
    }
    if (work->poisson.precision == 0) {
        work->poisson.precision = field->precision;
    }
    work->electrons = work->poisson.equation == TSL_POISSON_ELECTROSTATIC &&
                      (options->sign == POISSON_SIGN_ELECTRONS ||
                       (options->sign == POISSON_SIGN_DEFAULT && field->format == POISSON_CUBE));
    /* whether all charges together are neutral is checked when the source is made */
    work->poisson.background = poisson_is_periodic(work) && options->poisson.screening == 0;
    work->poisson.estimate = 1; /* planning by estimate: there are only one or four solves */
}

/* Check memory for source, potential and field on the host, and for the plan on the device. */
static tsl_status check_memory(const poisson_work *work)
{
    const int64_t bytes = poisson_bytes(work);
    const int results = work->options->quantity == POISSON_FIELD ? 1 + COMPONENTS : 1;
    const poisson_host host = {.name = work->field.path,
                               .remedy = work->poisson.precision == 8
                                             ? "take fewer cells, or --precision single"
                                             : "take fewer cells",
                               .loading = poisson_field_loading_bytes(&work->field),
                               .planning = bytes,
                               .solving = (1 + results) * bytes};
    return poisson_arrays_foresee(work->context, &work->poisson, false, &host);
}

/* ---- solving -------------------------------------------------------------------------------- */

/* The results, in host memory. */
typedef struct results {
    char *potential;
    char *field; /* [3], or NULL */
} results;

static tsl_status take(char **out, tsl_context *context, int64_t bytes)
{
    *out = tsl_allocate((size_t)bytes);
    return *out != NULL ? TSL_OK : tsl_fail_memory(context, bytes, "a field");
}

/* Add the nuclei to the source as Gaussians, whose potential is that of the nuclei but for what is
 * near them. */
static tsl_status add_gaussians(const poisson_work *work, poisson_arrays *a, char *scratch)
{
    const int64_t bytes = poisson_bytes(work);
    memcpy(scratch, work->field.data, (size_t)bytes);
    tsl_points_add(scratch, work->poisson.precision, &work->points, TSL_POINTS_GAUSSIANS,
                   tsl_context_threads(work->context));
    return tsl_buffer_write(a->source, 0, scratch, bytes);
}

/* Fetch the result from the device, and add the part of the nuclei. */
static tsl_status fetch(const poisson_work *work, poisson_arrays *a, char *values,
                        tsl_points_quantity quantity)
{
    const tsl_status status = tsl_buffer_read(a->result, 0, values, poisson_bytes(work));
    if (status == TSL_OK && work->points.count > 0) {
        tsl_points_add(values, work->poisson.precision, &work->points, quantity,
                       tsl_context_threads(work->context));
    }
    return status;
}

static tsl_status solve_potential(poisson_work *work, poisson_arrays *a, char *potential)
{
    tsl_status status = poisson_arrays_solve(a, POISSON_NO_AXIS);
    if (status == TSL_OK) {
        status = poisson_arrays_energy(a, &work->energy);
    }
    if (status == TSL_OK && tsl_points_margin(&work->points) > 0) {
        status = add_gaussians(work, a, potential);
        if (status == TSL_OK) {
            status = poisson_arrays_solve(a, POISSON_NO_AXIS);
        }
    }
    return status == TSL_OK ? fetch(work, a, potential, TSL_POINTS_POTENTIAL) : status;
}

static tsl_status solve_field(const poisson_work *work, poisson_arrays *a, char *field)
{
    tsl_status status = TSL_OK;
    for (int axis = 0; axis < COMPONENTS && status == TSL_OK; axis++) {
        status = poisson_arrays_solve(a, axis);
        if (status == TSL_OK) {
            status = fetch(work, a, field + axis * poisson_bytes(work),
                           (tsl_points_quantity)(TSL_POINTS_FIELD_X + axis));
        }
    }
    return status;
}

/* Energy of the source with the nuclei: its energy in the potential of both, less that in its
 * own. */
static double mixed_energy(const poisson_work *work, const char *potential)
{
    const poisson_field both = {.precision = work->poisson.precision,
                                .data = (void *)(uintptr_t)potential};
    double sum = 0, volume = 1;
    for (int64_t x = 0; x < work->poisson.n[0]; x++) {
        const int64_t plane = work->poisson.n[1] * work->poisson.n[2];
        double of_plane = 0;
        for (int64_t i = x * plane; i < (x + 1) * plane; i++) {
            of_plane += poisson_field_value(&work->field, i) * poisson_field_value(&both, i);
        }
        sum += of_plane;
    }
    for (int axis = 0; axis < 3; axis++) {
        volume *= work->points.step[axis];
    }
    return sum * volume - 2 * work->energy;
}

static bool is_finite(const poisson_work *work, const char *values, int64_t count)
{
    const poisson_field field = {.precision = work->poisson.precision,
                                 .data = (void *)(uintptr_t)values};
    bool finite = true;
    for (int64_t i = 0; i < count && finite; i++) {
        finite = isfinite(poisson_field_value(&field, i));
    }
    return finite;
}

/* Check that the energy is finite: it goes with the square of the numbers, and may be beyond any
 * double where they are not. */
static tsl_status check_finite(const poisson_work *work, const results *r)
{
    const char *more = work->poisson.precision == 4 ? ", or --precision double" : "";
    const int64_t count = poisson_field_count(&work->field);
    const bool energy = isfinite(work->energy + work->energy_mixed);
    const char *what = !is_finite(work, r->potential, count) ? "potential"
                       : r->field != NULL && !is_finite(work, r->field, COMPONENTS * count)
                           ? "field"
                       : !energy && work->options->quantity == POISSON_ENERGY ? "energy"
                                                                              : NULL;
    if (what != NULL) {
        return tsl_fail(work->context, TSL_E_FORMAT,
                        "%s: its %s is beyond any number: take another unit%s", work->field.path,
                        what, more);
    }
    if (!energy) {
        cli_note("%s: its energy is beyond any number, and left out", work->field.path);
    }
    return TSL_OK;
}

static tsl_status solve(poisson_work *work, results *r)
{
    poisson_arrays a = {.plan = NULL};
    tsl_status status = poisson_arrays_take(&a, work, false);
    if (status == TSL_OK) {
        status = take(&r->potential, work->context, poisson_bytes(work));
    }
    if (status == TSL_OK && work->options->quantity == POISSON_FIELD) {
        status = take(&r->field, work->context, COMPONENTS * poisson_bytes(work));
    }
    if (status == TSL_OK) {
        status = tsl_buffer_write(a.source, 0, work->field.data, poisson_bytes(work));
    }
    const double begun = tsl_seconds();
    if (status == TSL_OK) {
        status = solve_potential(work, &a, r->potential);
    }
    if (status == TSL_OK && r->field != NULL) {
        status = solve_field(work, &a, r->field);
    }
    if (status == TSL_OK && work->points.count > 0) {
        work->energy_mixed = mixed_energy(work, r->potential);
    }
    work->compute = tsl_seconds() - begun;
    poisson_arrays_release(&a);
    return status == TSL_OK ? check_finite(work, r) : status;
}

static tsl_status write_results(const poisson_work *work, const results *r)
{
    tsl_status status = TSL_OK;
    if (work->options->figure != NULL) {
        status = poisson_figure_write(work, r->potential);
    }
    if (status == TSL_OK && work->options->output != NULL) {
        status = poisson_result_write(work, r->field != NULL ? r->field : r->potential,
                                      r->field != NULL ? COMPONENTS : 1);
    }
    return status;
}

tsl_status poisson_solve_file(poisson_work *work)
{
    const poisson_options *options = work->options;
    results r = {NULL, NULL};
    tsl_status status =
        poisson_field_open(&work->field, work->context, options->input, options->dataset);
    if (status == TSL_OK) {
        status = poisson_check_input(work);
    }
    if (status == TSL_OK) {
        settle(work);
        status = check_memory(work);
    }
    if (status == TSL_OK) {
        status = poisson_field_load(&work->field, work->context);
    }
    if (status == TSL_OK && options->nuclei) {
        status = poisson_nuclei_take(work);
    }
    if (status == TSL_OK) {
        status = poisson_make_source(work);
    }
    if (status == TSL_OK) {
        status = solve(work, &r);
    }
    if (status == TSL_OK) {
        status = write_results(work, &r);
    }
    tsl_release(r.potential);
    tsl_release(r.field);
    return status;
}
