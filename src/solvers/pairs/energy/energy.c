/* Energies: plans, units, and lists of neighbours that are kept. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "comm/comm.h"
#include "core/core.h"
#include "device/device.h"
#include "solvers/pairs/energy/energy_point.h"
#include "solvers/pairs/pairs.h"
#include "solvers/pairs/search.h"
#include "tesela/simplex.h"

struct tsl_energy_plan {
    tsl_context *context;
    tsl_energy_options options;
    double box[6];
    tsl_energy_task task;
    double charge; /* the largest, squared */
    bool listed;   /* is there a list of neighbours? */
    int64_t entries;
    int32_t degree; /* pairs of it that a point is in at most */
    tsl_search search;
    void *excluded, *excluded_first, *charges, *spots, *forces, *sums, *before;
};

/* Whole numbers that are added stay below this in all. */
static const double whole_limit = 0x1p62;

/* ---- what is asked for ---------------------------------------------------------------------- */

static tsl_status check_numbers(tsl_context *context, const tsl_energy_options *o)
{
    const bool jones = o->potential == TSL_POTENTIAL_LENNARD_JONES;
    if ((int)o->potential < 0 || o->potential > TSL_POTENTIAL_GRAVITY || (int)o->shift < 0 ||
        o->shift > TSL_SHIFT_FORCE) {
        return tsl_fail(context, TSL_E_ARG, "potential %d, shift %d: no such", (int)o->potential,
                        (int)o->shift);
    }
    if (jones && !(o->epsilon > 0 && isfinite(o->epsilon) && o->sigma > 0 && isfinite(o->sigma))) {
        return tsl_fail(context, TSL_E_ARG, "epsilon %g, sigma %g: give more than 0", o->epsilon,
                        o->sigma);
    }
    if (!jones && !(o->coupling > 0 && isfinite(o->coupling))) {
        return tsl_fail(context, TSL_E_ARG, "a coupling of %g: give more than 0", o->coupling);
    }
    if (!(o->cutoff >= 0 && isfinite(o->cutoff) && o->skin >= 0 && isfinite(o->skin))) {
        return tsl_fail(context, TSL_E_ARG, "cut-off %g, skin %g: give 0 or more", o->cutoff,
                        o->skin);
    }
    if (!(o->largest > 0 && isfinite(o->largest))) {
        return tsl_fail(context, TSL_E_ARG, "a largest force of %g: give more than 0", o->largest);
    }
    return TSL_OK;
}

static tsl_status check(tsl_context *context, const tsl_energy_options *o, int64_t count,
                        int precision)
{
    const tsl_status status =
        tsl_pairs_check_size(context, o->size, sizeof *o, "TSL_ENERGY_OPTIONS_INIT");
    if (status != TSL_OK) {
        return status;
    }
    if (count < 0 || count > INT32_MAX || (precision != 4 && precision != 8)) {
        return tsl_fail(context, TSL_E_ARG,
                        "%lld points of numbers of %d bytes: give at most 2147483647 of 4 or 8",
                        (long long)count, precision);
    }
    if (o->cutoff == 0 && (o->box != NULL || o->shift != TSL_SHIFT_NONE || o->skin > 0)) {
        return tsl_fail(context, TSL_E_ARG,
                        "a periodic cell, a shift and a skin need a cut-off: give one");
    }
    for (int64_t i = 0; i < count && o->charges != NULL; i++) {
        if (!isfinite(o->charges[i]) ||
            (o->potential == TSL_POTENTIAL_GRAVITY && o->charges[i] < 0)) {
            return tsl_fail(context, TSL_E_ARG, "charge or mass %lld is %g", (long long)(i + 1),
                            o->charges[i]);
        }
    }
    for (int64_t k = 0; k < 2 * o->exclusion_count; k++) {
        const int32_t i = o->exclusions[k];
        if (i < 0 || i >= count || (k % 2 == 1 && i == o->exclusions[k - 1])) {
            return tsl_fail(context, TSL_E_ARG,
                            "exclusion %lld is (%d, %d): give two of %lld points, counted from 0",
                            (long long)(k / 2 + 1), o->exclusions[k / 2 * 2],
                            o->exclusions[k / 2 * 2 + 1], (long long)count);
        }
    }
    return check_numbers(context, o);
}

/* ---- what stays on the device --------------------------------------------------------------- */

static tsl_status place(tsl_energy_plan *plan, void **out, const void *data, int64_t bytes,
                        const char *what)
{
    const tsl_status status = tsl_device_allocate(out, plan->context, bytes > 0 ? bytes : 1, what);
    return status == TSL_OK && data != NULL && bytes > 0
               ? plan->context->ops->upload(plan->context, *out, data, bytes)
               : status;
}

/* Excluded pairs by the lesser of the two. */
static tsl_status place_exclusions(tsl_energy_plan *plan, int64_t n)
{
    const tsl_energy_options *const o = &plan->options;
    tsl_status status = TSL_OK;
    int64_t *first = tsl_allocate_zeroed((size_t)n + 2, sizeof *first);
    int32_t *partner = tsl_allocate((size_t)o->exclusion_count * sizeof *partner);
    if (first == NULL || partner == NULL) {
        status = tsl_fail_memory(plan->context, 8 * n + 4 * o->exclusion_count, "exclusions");
        goto done;
    }
    for (int64_t k = 0; k < o->exclusion_count; k++) {
        const int32_t *const pair = o->exclusions + 2 * k;
        first[(pair[0] < pair[1] ? pair[0] : pair[1]) + 2]++;
    }
    for (int64_t i = 2; i < n + 2; i++) {
        first[i] += first[i - 1];
    }
    for (int64_t k = 0; k < o->exclusion_count; k++) {
        const int32_t *const pair = o->exclusions + 2 * k;
        const bool up = pair[0] < pair[1];
        partner[first[pair[!up] + 1]++] = pair[up];
    }
    TSL_TRY(place(plan, &plan->excluded_first, first, 8 * (n + 1), "exclusions"));
    TSL_TRY(place(plan, &plan->excluded, partner, 4 * o->exclusion_count, "exclusions"));
    plan->task.excluded_first = plan->excluded_first;
    plan->task.excluded = plan->excluded;
done:
    tsl_release(first);
    tsl_release(partner);
    return status;
}

static tsl_status place_all(tsl_energy_plan *plan)
{
    const tsl_energy_options *const o = &plan->options;
    tsl_energy_task *const task = &plan->task;
    const int64_t n = task->n;
    tsl_status status = TSL_OK;
    plan->charge = o->charges == NULL ? 1 : 0;
    for (int64_t i = 0; i < n && o->charges != NULL; i++) {
        plan->charge = fmax(plan->charge, o->charges[i] * o->charges[i]);
    }
    if (o->charges != NULL) {
        TSL_TRY(place(plan, &plan->charges, o->charges, 8 * n, "charges"));
    }
    if (o->exclusion_count > 0) {
        TSL_TRY(place_exclusions(plan, n));
    }
    TSL_TRY(place(plan, &plan->spots, NULL, 4 * task->padded * task->precision, "points"));
    TSL_TRY(place(plan, &plan->forces, NULL, 24 * n, "forces"));
    /* the sums, what is beyond limits, and how far a point has moved */
    TSL_TRY(place(plan, &plan->sums, NULL, 8 * (TSL_SUM_COPIES * TSL_SUM_PLACES + 2), "sums"));
    if (o->cutoff > 0) {
        TSL_TRY(place(plan, &plan->before, NULL, 3 * n * task->precision, "points"));
    }
    task->charges = plan->charges;
    task->spots = plan->spots;
    task->forces = plan->forces;
    task->sums = plan->sums;
    task->beyond = (double *)plan->sums + TSL_SUM_COPIES * TSL_SUM_PLACES;
done:
    return status;
}

/* ---- units ---------------------------------------------------------------------------------- */

/* The least power of two of which `most` numbers up to `largest` add up to less than 2^62. */
static double unit_for(double most, double largest)
{
    int exponent;
    frexp(most * largest / whole_limit, &exponent);
    return ldexp(1, exponent < -1000 ? -1000 : exponent);
}

/* V and -V' of charges 1 at the cut-off, in 4 epsilon or the coupling. */
static void set_shift(tsl_energy_task *task)
{
    double a = 0, b = 0;
    const bool jones = task->potential == TSL_POTENTIAL_LENNARD_JONES;
    const double square = task->cutoff * task->cutoff;
    const double f = jones
                         ? 6 * tsl_pair_force_double(TSL_POTENTIAL_LENNARD_JONES, square, 1, &a, &b)
                         : tsl_pair_force_double(TSL_POTENTIAL_COULOMB, square, 1, &a, &b);
    task->at_cutoff[0] = jones ? b - a : a;
    task->at_cutoff[1] = f * task->cutoff;
}

/* Whole numbers for as many terms as a force and a sum have at most. */
static void set_units(tsl_energy_plan *plan, tsl_energy *out)
{
    const tsl_energy_options *const o = &plan->options;
    tsl_energy_task *const task = &plan->task;
    const bool jones = o->potential == TSL_POTENTIAL_LENNARD_JONES;
    const double rows = (double)(task->padded / task->side);
    const double terms =
        plan->listed ? plan->degree + 1.0 : rows + (double)task->padded / TSL_ENERGY_SHORTEST + 2;
    const double all = plan->listed ? (double)task->n
                                    : rows * (rows + 1) / 2 * task->side *
                                          (TSL_ENERGY_WIDEST / TSL_ENERGY_SHORTEST);
    const double energy = jones ? 4 * o->epsilon : o->coupling;
    const double largest = (jones ? o->epsilon : o->coupling * plan->charge) * o->largest;
    const double sign = o->potential == TSL_POTENTIAL_GRAVITY ? -1 : 1;
    out->force_unit = unit_for(terms, largest / task->length);
    out->energy_unit = unit_for(all, largest);
    task->force_unit = out->force_unit;
    task->force_scale = sign * energy / task->length / out->force_unit;
    task->energy_scale = sign * energy / out->energy_unit;
    task->virial_scale = task->energy_scale;
    task->force_limit = whole_limit / terms;
    task->sum_limit = whole_limit / all;
}

/* --------------------------------------------------------------------------------------------- */

static void set_task(tsl_energy_plan *plan, int64_t count, int precision)
{
    const tsl_energy_options *const o = &plan->options;
    tsl_energy_task *const task = &plan->task;
    const bool cpu = plan->context->ops == &tsl_device_cpu;
    task->precision = precision;
    task->potential = (int)o->potential;
    task->shift = (int)o->shift;
    task->n = count;
    task->side = cpu || count < 32768 ? TSL_ENERGY_TALLEST
                 : count < 131072     ? TSL_ENERGY_WIDEST / 2
                                      : TSL_ENERGY_WIDEST;
    task->padded = (count + task->side - 1) / task->side * task->side;
    task->length = o->potential == TSL_POTENTIAL_LENNARD_JONES ? o->sigma : 1;
    task->cutoff = o->cutoff / task->length;
    for (int k = 0; k < 6; k++) {
        task->box[k] = o->box != NULL ? o->box[k] / task->length : k < 3;
    }
    if (o->cutoff > 0) {
        set_shift(task);
    }
}

static tsl_status open_search(tsl_energy_plan *plan)
{
    const tsl_energy_options *const o = &plan->options;
    const tsl_points points = {
        .count = plan->task.n, .dimensions = 3, .precision = plan->task.precision};
    tsl_neighbor_options find = TSL_NEIGHBOR_OPTIONS_INIT;
    find.cutoff = o->cutoff + o->skin;
    find.box = o->box;
    find.half = 1;
    find.indices_only = 1;
    return tsl_search_check(&plan->search, plan->context, &find, &points);
}

/* A plan of this rank; *out is to be destroyed after a failure too. */
static tsl_status make_plan(tsl_energy_plan **out, tsl_context *context,
                            const tsl_energy_options *o, int64_t count, int precision)
{
    tsl_energy_plan *plan;
    tsl_status status = TSL_OK;
    TSL_TRY(check(context, o, count, precision));
    plan = tsl_allocate_zeroed(1, sizeof *plan);
    if (plan == NULL) {
        return tsl_fail_memory(context, (int64_t)sizeof *plan, "a plan of energies");
    }
    *out = plan;
    plan->context = context;
    plan->search.context = context;
    plan->options = *o;
    if (o->box != NULL) {
        memcpy(plan->box, o->box, sizeof plan->box);
        plan->options.box = plan->box;
    }
    set_task(plan, count, precision);
    if (o->cutoff > 0) {
        TSL_TRY(open_search(plan));
    }
    TSL_TRY(place_all(plan));
    plan->options.charges = NULL; /* the caller's from here on */
    plan->options.exclusions = NULL;
done:
    return status;
}

tsl_status tsl_energy_plan_create(tsl_energy_plan **out, tsl_context *context,
                                  const tsl_energy_options *options, int64_t count, int precision)
{
    const tsl_energy_options defaults = TSL_ENERGY_OPTIONS_INIT;
    const tsl_energy_options *const o = options != NULL ? options : &defaults;
    tsl_energy_plan *plan = NULL;
    tsl_status status = TSL_OK;
    *out = NULL;
    TSL_TRY(tsl_pairs_compare_ranks(context));
    TSL_TRY(tsl_comm_agree(context, make_plan(&plan, context, o, count, precision)));
    *out = plan;
    return TSL_OK;
done:
    tsl_energy_plan_destroy(plan);
    return status;
}

void tsl_energy_plan_destroy(tsl_energy_plan *plan)
{
    if (plan == NULL) {
        return;
    }
    void *const all[] = {plan->excluded, plan->excluded_first, plan->charges, plan->spots,
                         plan->forces,   plan->sums,           plan->before};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        tsl_device_release(plan->context, all[k]);
    }
    tsl_search_close(&plan->search);
    tsl_release(plan);
}

/* ---- lists of neighbours -------------------------------------------------------------------- */

static tsl_status list_neighbors(tsl_energy_plan *plan)
{
    tsl_context *const context = plan->context;
    tsl_search *const s = &plan->search;
    tsl_energy_task *const task = &plan->task;
    int32_t *degrees;
    tsl_status status = TSL_OK;
    plan->listed = false;
    TSL_TRY(tsl_search_sort(s, task->points));
    TSL_TRY(tsl_search_count(s));
    TSL_TRY(context->ops->download(context, &plan->entries, s->task.first + task->n, 8));
    TSL_TRY(tsl_search_reserve(s, TSL_ROOM_INDICES, 4 * plan->entries, "neighbours"));
    s->task.indices = s->room[TSL_ROOM_INDICES];
    TSL_TRY(context->ops->pairs->fill_neighbors(context, &s->task));
    task->first = s->task.first;
    task->indices = s->task.indices;
    task->space = s->task.space == TSL_SPACE_WRAPPED ? TSL_SPACE_PERIODIC : s->task.space;
    TSL_TRY(tsl_search_reserve(s, TSL_ROOM_MORE, 4 * (task->n + 1), "counts of pairs"));
    degrees = s->room[TSL_ROOM_MORE];
    TSL_TRY(context->ops->pairs->energy->degree(context, task, degrees, degrees + task->n));
    TSL_TRY(context->ops->download(context, &plan->degree, degrees + task->n, 4));
    plan->listed = true;
    task->kept = plan->before;
done:
    return status;
}

/* The list there is, or a new one where a point has moved too far. */
static tsl_status renew_list(tsl_energy_plan *plan, tsl_energy *out)
{
    tsl_context *const context = plan->context;
    double *const most = plan->task.beyond + 1;
    const double half = plan->options.skin / 2;
    double moved = INFINITY;
    tsl_status status = TSL_OK;
    plan->task.kept = NULL;
    if (plan->listed && half > 0) {
        TSL_TRY(context->ops->pairs->energy->moved(context, &plan->task, plan->before, most));
        TSL_TRY(context->ops->download(context, &moved, most, 8));
    }
    if (!(moved <= half * half)) {
        out->rebuilt = 1;
        TSL_TRY(list_neighbors(plan));
    }
done:
    return status;
}

/* Without a list nobody has looked at the points yet. */
static tsl_status look_over(tsl_energy_plan *plan)
{
    const tsl_neighbor_task glance = {.precision = plan->task.precision,
                                      .dimensions = 3,
                                      .n = plan->task.n,
                                      .points = plan->task.points};
    tsl_survey survey;
    tsl_status status = plan->context->ops->pairs->survey(&survey, plan->context, &glance,
                                                          TSL_ENERGY_FAR / 100 * plan->task.length);
    if (status == TSL_OK && survey.beyond != INT64_MAX) {
        status = tsl_fail(plan->context, TSL_E_ARG,
                          "row %lld, column %d of the points is not finite, or beyond %g",
                          (long long)(survey.beyond / 3 + 1), (int)(survey.beyond % 3 + 1),
                          TSL_ENERGY_FAR / 100 * plan->task.length);
    }
    return status;
}

/* ---- ranks ---------------------------------------------------------------------------------- */

/* This rank's part of `count` squares or points. */
static void take_part(tsl_energy_plan *plan, int64_t count)
{
    const tsl_comm *const comm = plan->context->comm;
    plan->task.begin = tsl_comm_slice(count, comm->rank, comm->size);
    plan->task.end = tsl_comm_slice(count, comm->rank + 1, comm->size);
}

/* Forces and sums of all ranks become everybody's: whole numbers, whose order of addition does not
 * matter. */
static tsl_status join(tsl_energy_plan *plan)
{
    tsl_context *const context = plan->context;
    tsl_comm *const comm = context->comm;
    tsl_status status = TSL_OK;
    TSL_TRY(tsl_comm_all_reduce(comm, context, plan->forces, 3 * plan->task.n, TSL_COMM_INT64,
                                TSL_COMM_SUM));
    TSL_TRY(tsl_comm_all_reduce(comm, context, plan->sums, TSL_SUM_COPIES * TSL_SUM_PLACES,
                                TSL_COMM_INT64, TSL_COMM_SUM));
    TSL_TRY(
        tsl_comm_all_reduce(comm, context, plan->task.beyond, 1, TSL_COMM_DOUBLE, TSL_COMM_MAX));
done:
    return status;
}

/* ---- sums ----------------------------------------------------------------------------------- */

static tsl_status read_sums(tsl_energy_plan *plan, tsl_energy *out)
{
    enum { COUNT = TSL_SUM_COPIES * TSL_SUM_PLACES };
    int64_t sums[COUNT + 1], energy = 0, virial = 0;
    double beyond;
    const tsl_status status =
        plan->context->ops->download(plan->context, sums, plan->sums, sizeof sums);
    if (status != TSL_OK) {
        return status;
    }
    memcpy(&beyond, &sums[COUNT], sizeof beyond);
    if (beyond > 0) {
        return tsl_fail(plan->context, TSL_E_ARG,
                        "points are so close that a force or an energy is larger than %g, and sums "
                        "of such could overflow: move them apart, or allow larger ones (--largest, "
                        "or `largest` of the options)",
                        plan->options.largest);
    }
    for (int c = 0; c < TSL_SUM_COPIES; c++) {
        energy += sums[c * TSL_SUM_PLACES];
        virial += sums[c * TSL_SUM_PLACES + 1];
    }
    out->energy = (double)energy * out->energy_unit;
    out->virial = (double)virial * out->energy_unit;
    return TSL_OK;
}

static tsl_status add_part(tsl_energy_plan *plan, tsl_energy *out)
{
    tsl_context *const context = plan->context;
    const tsl_energy_ops *const ops = context->ops->pairs->energy;
    tsl_energy_task *const task = &plan->task;
    const int64_t n = task->n;
    tsl_status status = TSL_OK;
    if (plan->options.cutoff > 0) {
        TSL_TRY(renew_list(plan, out));
    } else {
        TSL_TRY(look_over(plan));
    }
    set_units(plan, out);
    TSL_TRY(ops->spread(context, task));
    TSL_TRY(context->ops->fill(context, plan->forces, 0, 24 * n));
    TSL_TRY(context->ops->fill(context, plan->sums, 0, 8 * (TSL_SUM_COPIES * TSL_SUM_PLACES + 2)));
    if (plan->listed) {
        out->pairs = plan->entries;
        take_part(plan, n);
    } else {
        out->pairs = n * (n - 1) / 2 - plan->options.exclusion_count;
        take_part(plan, tsl_triangle_count(task->padded / task->side));
    }
    if (task->begin < task->end) {
        TSL_TRY(plan->listed ? ops->listed_pairs(context, task) : ops->all_pairs(context, task));
    }
done:
    return status;
}

/* Forces in the caller's precision unless `forces` is NULL, and the sums. */
static tsl_status hand_over(tsl_energy_plan *plan, tsl_energy *out, void *forces)
{
    tsl_status status = TSL_OK;
    if (forces != NULL) {
        plan->task.out = forces;
        TSL_TRY(plan->context->ops->pairs->energy->deliver(plan->context, &plan->task));
    }
    TSL_TRY(read_sums(plan, out));
done:
    return status;
}

static tsl_status check_buffers(const tsl_energy_plan *plan, const tsl_buffer *forces,
                                const tsl_buffer *points)
{
    const int64_t bytes = 3 * plan->task.n * plan->task.precision;
    return tsl_buffer_bytes(points) < bytes || (forces != NULL && tsl_buffer_bytes(forces) < bytes)
               ? tsl_fail(plan->context, TSL_E_ARG,
                          "points and forces take %lld bytes each: a buffer is smaller",
                          (long long)bytes)
               : TSL_OK;
}

tsl_status tsl_energy_execute(tsl_energy *out, tsl_energy_plan *plan, tsl_buffer *forces,
                              const tsl_buffer *points)
{
    tsl_context *const context = plan->context;
    const double begun = tsl_seconds();
    tsl_energy made = {.energy = 0};
    tsl_status status = TSL_OK;
    if (plan->task.n == 0) {
        *out = made;
        return TSL_OK;
    }
    plan->task.points = tsl_buffer_data(points);
    status = check_buffers(plan, forces, points);
    TSL_TRY(tsl_comm_agree(context, status == TSL_OK ? add_part(plan, &made) : status));
    if (context->comm->size > 1) {
        TSL_TRY(join(plan));
    }
    TSL_TRY(tsl_comm_agree(
        context, hand_over(plan, &made, forces != NULL ? tsl_buffer_data(forces) : NULL)));
    tsl_profile_add(context, "energy", begun, 0, 0);
    *out = made;
done:
    return status;
}
