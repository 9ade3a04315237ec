/* `tesela poisson INPUT`: from a file to its potential, field or energy. */
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/poisson/command.h"
#include "core/context.h"

enum { COMPONENTS = 3 }; /* of a field */

/* ---- before anything is taken --------------------------------------------------------------- */

static bool is_periodic(const poisson_work *work)
{
    const tsl_boundary *boundary = work->poisson.boundary;
    return boundary[0] == TSL_BOUNDARY_PERIODIC && boundary[1] == TSL_BOUNDARY_PERIODIC &&
           boundary[2] == TSL_BOUNDARY_PERIODIC;
}

static void settle(poisson_work *work)
{
    const poisson_options *options = work->options;
    const poisson_field *field = &work->field;
    memcpy(work->poisson.n, field->n, sizeof field->n);
    if (field->format == POISSON_CUBE) {
        memcpy(work->poisson.lengths, field->lengths, sizeof field->lengths);
    }
    if (work->poisson.precision == 0) {
        work->poisson.precision = field->precision;
    }
    work->electrons = work->poisson.equation == TSL_POISSON_ELECTROSTATIC &&
                      (options->sign == POISSON_SIGN_ELECTRONS ||
                       (options->sign == POISSON_SIGN_DEFAULT && field->format == POISSON_CUBE));
    /* Electrons alone are charged, and numbers of single precision by what rounding leaves; what
     * all hold together is seen to here. */
    work->poisson.background =
        options->poisson.background || ((options->nuclei || field->precision == 4) &&
                                        is_periodic(work) && options->poisson.screening == 0);
}

/* Source, potential and field here, and what the device takes. */
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

/* ---- charges -------------------------------------------------------------------------------- */

/* Sums of the numbers and of their sizes, times a cell's volume, and the largest of them. */
static void integrate(const poisson_work *work, double *sum, double *absolute, double *largest)
{
    const int64_t plane = work->field.n[1] * work->field.n[2];
    double volume = 1;
    *sum = *absolute = *largest = 0;
    for (int64_t x = 0; x < work->field.n[0]; x++) {
        double of_plane = 0, absolute_of_plane = 0;
        for (int64_t i = x * plane; i < (x + 1) * plane; i++) {
            const double value = poisson_field_value(&work->field, i);
            of_plane += value;
            absolute_of_plane += fabs(value);
            *largest = fmax(*largest, fabs(value));
        }
        *sum += of_plane;
        *absolute += absolute_of_plane;
    }
    for (int axis = 0; axis < 3; axis++) {
        volume *= work->poisson.lengths[axis] / (double)work->field.n[axis];
    }
    *sum *= volume;
    *absolute *= volume;
}

/* What makes the density hold as many electrons as asked for. */
static tsl_status choose_scale(poisson_work *work, double held)
{
    const char *wanted = work->options->electrons;
    double electrons = poisson_nuclei_charge(work);
    work->scale = 1;
    if (wanted == NULL) {
        return TSL_OK;
    }
    if (strcmp(wanted, "neutral") != 0) {
        cli_parse_real(wanted, &electrons);
    }
    if (!(held > 0 && electrons > 0)) {
        return tsl_fail(work->context, TSL_E_ARG,
                        "%s: its density holds %.6g electrons, which no factor makes %.6g",
                        work->field.path, held, electrons);
    }
    work->scale = electrons / held;
    return TSL_OK;
}

/* A periodic box holds no net charge. */
static tsl_status check_charge(const poisson_work *work, double absolute)
{
    const double nuclei = poisson_nuclei_charge(work);
    const double net = work->charge + nuclei;
    const bool wide = work->poisson.precision == 8 && work->field.precision == 8;
    const double tolerance = wide ? 1e-9 : 1e-5;
    if (!is_periodic(work) || work->poisson.screening > 0 || work->options->poisson.background ||
        fabs(net) <= tolerance * (absolute + fabs(nuclei))) {
        return TSL_OK;
    }
    return tsl_fail(work->context, TSL_E_ARG,
                    "%s: %s %.6g, which a periodic box cannot hold: %s--background, or make an "
                    "axis free (--boundary)",
                    work->field.path,
                    work->poisson.equation == TSL_POISSON_PLAIN ? "has an integral of"
                                                                : "has a net charge of",
                    net,
                    work->points.count > 0 ? "scale the density (--electrons neutral), neutralise "
                                             "it with "
                                           : "neutralise it with ");
}

/* Numbers so small that they, or their potentials, would be taken for 0. */
static tsl_status check_least(const poisson_work *work, double largest)
{
    const bool single = work->poisson.precision == 4;
    const double *edges = work->poisson.lengths;
    const double longest = fmax(edges[0], fmax(edges[1], edges[2]));
    const double least = single ? FLT_MIN : DBL_MIN;
    if (largest == 0 || (largest >= least && largest * longest * longest >= least)) {
        return TSL_OK;
    }
    return tsl_fail(work->context, TSL_E_FORMAT,
                    "%s: its numbers, %.2g at most, or their potential are below what %s precision "
                    "holds: take another unit%s",
                    work->field.path, largest, single ? "single" : "double",
                    single ? ", or --precision double" : "");
}

/* From the numbers read to the source. */
static tsl_status make_source(poisson_work *work)
{
    double held, absolute, largest;
    integrate(work, &held, &absolute, &largest);
    if (!isfinite(absolute)) {
        return tsl_fail(work->context, TSL_E_FORMAT,
                        "%s: the integral of its numbers is beyond any number: take another unit",
                        work->field.path);
    }
    tsl_status status = choose_scale(work, held);
    if (status != TSL_OK) {
        return status;
    }
    const double factor = (work->electrons ? -1 : 1) * work->scale;
    work->charge = held != 0 ? factor * held : 0; /* no -0 */
    status = check_charge(work, work->scale * absolute);
    if (status == TSL_OK) {
        status = check_least(work, work->scale * largest);
    }
    return status != TSL_OK ? status
                            : poisson_field_convert(&work->field, work->context,
                                                    work->poisson.precision, factor);
}

/* Electrons and nuclei together hold a whole number of charges, or something is amiss. */
static void note_charge(const poisson_work *work)
{
    const double net = work->charge + poisson_nuclei_charge(work);
    if (work->points.count > 0 && fabs(net - round(net)) > 0.005) {
        cli_note("%s: a net charge of %.4f is no whole number: are core electrons left out "
                 "(--valence), or is the grid coarse (--electrons)?",
                 work->field.path, net);
    }
}

/* ---- solving -------------------------------------------------------------------------------- */

/* What is computed, in host memory. */
typedef struct results {
    char *potential;
    char *field; /* [3], or NULL */
} results;

static tsl_status take(char **out, tsl_context *context, int64_t bytes)
{
    *out = tsl_allocate((size_t)bytes);
    return *out != NULL ? TSL_OK : tsl_fail_memory(context, bytes, "a field");
}

/* The source with the nuclei as Gaussians, whose potential is theirs but for what is near them. */
static tsl_status add_gaussians(const poisson_work *work, poisson_arrays *a, char *scratch)
{
    const int64_t bytes = poisson_bytes(work);
    memcpy(scratch, work->field.data, (size_t)bytes);
    tsl_points_add(scratch, work->poisson.precision, &work->points, TSL_POINTS_GAUSSIANS,
                   tsl_context_threads(work->context));
    return tsl_buffer_write(a->source, 0, scratch, bytes);
}

/* Bring what stands in the result, with the nuclei's part of it. */
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

/* The source's energy with the nuclei: what it has in the potential of both beyond its own. */
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
    if (status == TSL_OK && !isfinite(work->energy + work->energy_mixed)) {
        status = tsl_fail(
            work->context, TSL_E_FORMAT, "%s: its energy is beyond any number: take another unit%s",
            work->field.path, work->poisson.precision == 4 ? ", or --precision double" : "");
    }
    return status;
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
        status = make_source(work);
    }
    if (status == TSL_OK) {
        note_charge(work);
        status = solve(work, &r);
    }
    if (status == TSL_OK) {
        status = write_results(work, &r);
    }
    tsl_release(r.potential);
    tsl_release(r.field);
    return status;
}
