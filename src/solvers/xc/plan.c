/* Plans: which units evaluate a sum, their constants, and calls. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/context.h"
#include "device/device.h"
#include "solvers/xc/xc.h"

/* A unit with its constants. */
typedef struct part {
    int unit;
    double values[TSL_XC_CONSTANTS]; /* of the unit's parameters */
    double constants[TSL_XC_CONSTANTS];
} part;

struct tsl_xc_plan {
    tsl_context *context;
    tsl_xc_options options;
    tsl_xc_description description;
    int parts;
    part *part;
    tsl_xc_arrays checked; /* addresses that were found to be the device's */
};

/* ---- arrays -------------------------------------------------------------------------------- */

/* Does a family depend on a variable? No functional here needs the Laplacian. */
static bool depends(tsl_xc_family family, int variable)
{
    static const bool table[3][TSL_XC_VARIABLES] = {
        {true, false, false, false}, {true, true, false, false}, {true, true, false, true}};
    return table[family][variable];
}

static bool depends_on_all(tsl_xc_family family, const tsl_xc_row *row)
{
    return depends(family, row->first) && depends(family, row->second) &&
           depends(family, row->third);
}

/* ---- plans --------------------------------------------------------------------------------- */

static tsl_status check_threshold(tsl_context *context, const char *name, double value, double low,
                                  double high)
{
    if (value < 0 || (value >= low && value <= high)) {
        return TSL_OK;
    }
    return tsl_fail(context, TSL_E_ARG, "%s %g: give %g to %g, or -1 for each component's own",
                    name, value, low, high);
}

static tsl_status check_options(tsl_context *context, const tsl_xc_options *o)
{
    if (o->size != sizeof *o) {
        return tsl_fail(context, TSL_E_ARG,
                        "options of %zu bytes: initialise them with TSL_XC_OPTIONS_INIT", o->size);
    }
    if (o->order < 0 || o->order >= TSL_XC_ORDERS) {
        return tsl_fail(context, TSL_E_UNSUPPORTED,
                        "derivatives of order %d: functionals have orders 0 to %d", o->order,
                        TSL_XC_ORDERS - 1);
    }
    if (o->layout != TSL_XC_BY_COMPONENT && o->layout != TSL_XC_BY_POINT) {
        return tsl_fail(context, TSL_E_ARG, "layout %d: there are 0 and 1", (int)o->layout);
    }
    tsl_status status =
        check_threshold(context, "density_threshold", o->density_threshold, 1e-30, 1);
    if (status == TSL_OK) {
        status = check_threshold(context, "sigma_threshold", o->sigma_threshold, 1e-60, 1);
    }
    if (status == TSL_OK) {
        status = check_threshold(context, "zeta_threshold", o->zeta_threshold, 0, 1e-3);
    }
    if (status == TSL_OK) {
        status = check_threshold(context, "tau_threshold", o->tau_threshold, 1e-60, 1);
    }
    return status;
}

/* Which term of a sum each component of a unit is: false if some term or component is left over. */
static bool matches(const tsl_xc_unit *unit, const tsl_xc_sum *sum, int of[TSL_XC_PARTS])
{
    bool taken[sizeof sum->term / sizeof *sum->term] = {false};
    if (unit->components != sum->count) {
        return false;
    }
    for (int c = 0; c < unit->components; c++) {
        of[c] = -1;
        for (int t = 0; t < sum->count && of[c] < 0; t++) {
            if (!taken[t] && sum->term[t].set->formula == unit->formula[c]) {
                of[c] = t;
                taken[t] = true;
            }
        }
        if (of[c] < 0) {
            return false;
        }
    }
    return true;
}

/* The value of a unit's parameter for the terms that its components are. */
static double value_of(const tsl_xc_options *o, const tsl_xc_unit *unit, const tsl_xc_sum *sum,
                       const int of[], const tsl_xc_parameter *p)
{
    const tsl_xc_resolved *term = &sum->term[of[p->component]];
    const double density = o->density_threshold >= 0 ? o->density_threshold : term->set->density;
    double least = density;
    switch (p->kind) {
    case TSL_XC_VALUE:
        return term->values[p->index];
    case TSL_XC_COEFFICIENT:
        return term->coefficient;
    case TSL_XC_DENSITY:
        return density;
    case TSL_XC_SIGMA:
        return o->sigma_threshold >= 0 ? o->sigma_threshold * o->sigma_threshold
                                       : pow(density, 4.0 / 3) * pow(density, 4.0 / 3);
    case TSL_XC_FLOOR:
        for (int c = 0; c < unit->components && o->density_threshold < 0; c++) {
            least = fmin(least, sum->term[of[c]].set->density);
        }
        return least;
    case TSL_XC_ZETA:
        return o->zeta_threshold >= 0 ? o->zeta_threshold : DBL_EPSILON;
    default:
        return o->tau_threshold >= 0 ? o->tau_threshold : 1e-20;
    }
}

static tsl_status add_part(tsl_xc_plan *plan, int number, const tsl_xc_sum *sum, const int of[])
{
    const tsl_xc_unit *unit = tsl_xc_units[number];
    const tsl_xc_options *o = &plan->options;
    const int highest = plan->context->ops->xc->order(number, o->polarised != 0);
    if (o->order > highest) {
        return tsl_fail(plan->context, TSL_E_UNSUPPORTED,
                        "%s has derivatives up to order %d on %s, not %d", unit->name, highest,
                        plan->context->name, o->order);
    }
    part *p = &plan->part[plan->parts++];
    p->unit = number;
    for (int i = 0; i < unit->parameters; i++) {
        p->values[i] = value_of(o, unit, sum, of, &unit->parameter[i]);
    }
    unit->prepare(p->values, p->constants);
    if (unit->family > plan->description.family) {
        plan->description.family = unit->family;
    }
    return TSL_OK;
}

/* One unit for all terms, if there is such; else one for each. */
static tsl_status choose_units(tsl_xc_plan *plan, const tsl_xc_sum *sum)
{
    int of[TSL_XC_PARTS];
    for (int u = 0; u < tsl_xc_unit_count; u++) {
        if (matches(tsl_xc_units[u], sum, of)) {
            return add_part(plan, u, sum, of);
        }
    }
    tsl_status status = TSL_OK;
    for (int t = 0; t < sum->count && status == TSL_OK; t++) {
        of[0] = t;
        status = add_part(plan, sum->term[t].set->unit, sum, of);
    }
    return status;
}

tsl_status tsl_xc_plan_create(tsl_xc_plan **out, tsl_context *context, const char *functional,
                              const tsl_xc_options *options)
{
    const tsl_xc_options defaults = TSL_XC_OPTIONS_INIT;
    const tsl_xc_options *o = options != NULL ? options : &defaults;
    tsl_xc_plan *plan = NULL;
    tsl_xc_sum sum;
    if (context->ops->xc == NULL) {
        return tsl_fail(context, TSL_E_UNSUPPORTED, "there are no functionals on %s",
                        context->name);
    }
    tsl_status status = check_options(context, o);
    if (status == TSL_OK) {
        status = tsl_xc_parse(&sum, context, functional);
    }
    if (status != TSL_OK) {
        return status;
    }
    plan = tsl_allocate_zeroed(1, sizeof *plan);
    part *parts = tsl_allocate_zeroed((size_t)sum.count, sizeof *parts);
    if (plan == NULL || parts == NULL) {
        status = tsl_fail_memory(context, (int64_t)(sizeof *plan + sizeof *parts), "a functional");
        goto done;
    }
    *plan = (tsl_xc_plan){.context = context, .options = *o, .part = parts};
    parts = NULL;
    plan->options.polarised = o->polarised != 0;
    status = choose_units(plan, &sum);
    plan->description.size = sizeof plan->description;
    plan->description.kernels = plan->parts;
    plan->description.parts = sum.count;
    plan->description.exact_exchange = sum.exact_exchange;
    plan->description.cam_alpha = sum.alpha;
    plan->description.cam_beta = sum.beta;
    plan->description.cam_omega = sum.omega;
    plan->description.vv10_b = sum.vv10_b;
    plan->description.vv10_c = sum.vv10_c;
    if (status == TSL_OK) {
        *out = plan;
        plan = NULL;
    }
done:
    tsl_release(parts);
    tsl_xc_plan_destroy(plan);
    return status;
}

void tsl_xc_plan_destroy(tsl_xc_plan *plan)
{
    if (plan != NULL) {
        tsl_release(plan->part);
        tsl_release(plan);
    }
}

tsl_status tsl_xc_plan_describe(const tsl_xc_plan *plan, tsl_xc_description *out)
{
    if (out->size != sizeof *out) {
        return tsl_fail(plan->context, TSL_E_ARG, "a description of %zu bytes: set its size first",
                        out->size);
    }
    *out = plan->description;
    return TSL_OK;
}

int tsl_xc_plan_spin(const tsl_xc_plan *plan)
{
    return plan->options.polarised;
}

bool tsl_xc_plan_by_point(const tsl_xc_plan *plan)
{
    return plan->options.layout == TSL_XC_BY_POINT;
}

tsl_context *tsl_xc_plan_context(const tsl_xc_plan *plan)
{
    return plan->context;
}

const double *tsl_xc_plan_values(const tsl_xc_plan *plan, int index, int *unit)
{
    *unit = plan->part[index].unit;
    return plan->part[index].values;
}

/* ---- calls --------------------------------------------------------------------------------- */

/* Is each array there that is needed, and memory of the device's? Finds the order. */
static tsl_status check_arrays(tsl_xc_plan *plan, const tsl_xc_arrays *arrays, int *order)
{
    tsl_context *context = plan->context;
    *order = -1;
    for (int i = 0; i < TSL_XC_ROWS; i++) {
        const tsl_xc_row *row = &tsl_xc_rows[i];
        const double *address = tsl_xc_address(arrays, row);
        if (row->order < 0 && depends(plan->description.family, row->first) && address == NULL) {
            return tsl_fail(context, TSL_E_ARG, "the functional needs %s, which is NULL",
                            row->name);
        }
        if (address != NULL && row->order > plan->options.order) {
            return tsl_fail(context, TSL_E_ARG,
                            "%s is of order %d, and the plan was made for orders up to %d",
                            row->name, row->order, plan->options.order);
        }
        if (address != NULL && row->order > *order) {
            *order = row->order;
        }
    }
    if (*order < 0) {
        return tsl_fail(context, TSL_E_ARG, "no output is wanted: all are NULL");
    }
    for (int i = 0; i < TSL_XC_ROWS; i++) {
        const double *address = tsl_xc_address(arrays, &tsl_xc_rows[i]);
        const bool used =
            tsl_xc_rows[i].order >= 0 || depends(plan->description.family, tsl_xc_rows[i].first);
        if (address != NULL && used && address != tsl_xc_address(&plan->checked, &tsl_xc_rows[i]) &&
            !context->ops->xc->is_reachable(context, address)) {
            return tsl_fail(context, TSL_E_ARG,
                            "%s is not in memory of %s: copy it there (tsl_buffer_write)",
                            tsl_xc_rows[i].name, context->name);
        }
    }
    plan->checked = *arrays;
    return TSL_OK;
}

/* Enter the components of one array. */
static void enter(tsl_xc_call *call, const tsl_xc_plan *plan, const tsl_xc_arrays *arrays,
                  const tsl_xc_row *row, int64_t pitch, int *place)
{
    const int components = row->components[call->polarised];
    const bool by_point = plan->options.layout == TSL_XC_BY_POINT;
    double *address = tsl_xc_address(arrays, row);
    for (int c = 0; c < components; c++, (*place)++) {
        const int step = by_point ? components : 1;
        double *const at = address == NULL ? NULL : by_point ? address + c : address + c * pitch;
        if (row->order < 0) {
            call->in[*place] = at;
            call->step_in[*place] = step;
        } else {
            call->out[*place] = at;
            call->step_out[*place] = step;
        }
    }
}

/* Outputs by variables that the unit does not depend on. */
static tsl_status clear_others(const tsl_xc_plan *plan, const tsl_xc_arrays *arrays, int64_t points,
                               int64_t pitch, tsl_xc_family family)
{
    const tsl_device_ops *ops = plan->context->ops;
    tsl_status status = TSL_OK;
    for (int i = 0; i < TSL_XC_ROWS && status == TSL_OK; i++) {
        double *address = tsl_xc_address(arrays, &tsl_xc_rows[i]);
        if (tsl_xc_rows[i].order < 1 || address == NULL ||
            depends_on_all(family, &tsl_xc_rows[i])) {
            continue;
        }
        const int components = tsl_xc_rows[i].components[plan->options.polarised];
        const bool whole = plan->options.layout == TSL_XC_BY_POINT || pitch == points;
        for (int c = 0; c < (whole ? 1 : components) && status == TSL_OK; c++) {
            status = ops->fill(plan->context, address + c * pitch, 0,
                               8 * points * (whole ? components : 1));
        }
    }
    return status;
}

/* The call of a plan's part. */
static tsl_xc_call make_call(const tsl_xc_plan *plan, int index, int order, int64_t points,
                             int64_t pitch, const tsl_xc_arrays *arrays)
{
    const part *p = &plan->part[index];
    const tsl_xc_family family = tsl_xc_units[p->unit]->family;
    tsl_xc_call call = {.unit = p->unit,
                        .polarised = plan->options.polarised,
                        .order = order,
                        .accumulate = index > 0,
                        .points = points,
                        .constants = p->constants};
    for (int i = 0; i < TSL_XC_ROWS; i++) {
        if (tsl_xc_rows[i].order <= order && depends_on_all(family, &tsl_xc_rows[i])) {
            enter(&call, plan, arrays, &tsl_xc_rows[i], pitch,
                  tsl_xc_rows[i].order < 0 ? &call.inputs : &call.outputs);
        }
    }
    return call;
}

/* Is a call's description in order? Finds the pitch and the highest order asked for. */
static tsl_status check_call(tsl_xc_plan *plan, int64_t points, const tsl_xc_arrays *arrays,
                             int64_t *pitch, int *order)
{
    tsl_context *context = plan->context;
    if (arrays->size != sizeof *arrays) {
        return tsl_fail(context, TSL_E_ARG,
                        "arrays of %zu bytes: initialise them with TSL_XC_ARRAYS_INIT",
                        arrays->size);
    }
    *pitch = arrays->pitch != 0 ? arrays->pitch : points;
    if (points < 0 || *pitch < points) {
        return tsl_fail(context, TSL_E_ARG,
                        "%lld points with a pitch of %lld: give 0 or more, and a pitch of at least "
                        "that many",
                        (long long)points, (long long)*pitch);
    }
    return check_arrays(plan, arrays, order);
}

tsl_status tsl_xc_check_call(tsl_xc_plan *plan, int64_t points, const tsl_xc_arrays *arrays,
                             int64_t *pitch)
{
    int order;
    return check_call(plan, points, arrays, pitch, &order);
}

/* Evaluate, or only move what an evaluation moves. */
static tsl_status run(tsl_xc_plan *plan, int64_t points, const tsl_xc_arrays *arrays, bool move)
{
    tsl_context *context = plan->context;
    int64_t pitch = 0;
    int order;
    tsl_status status = check_call(plan, points, arrays, &pitch, &order);
    if (status != TSL_OK || points == 0) {
        return status;
    }
    const double begun = tsl_seconds();
    status = clear_others(plan, arrays, points, pitch, tsl_xc_units[plan->part[0].unit]->family);
    for (int p = 0; p < (move ? 1 : plan->parts) && status == TSL_OK; p++) {
        const tsl_xc_call call = make_call(plan, p, order, points, pitch, arrays);
        const tsl_xc_ops *ops = context->ops->xc;
        status = (move ? ops->move : ops->evaluate)(context, &call);
    }
    const int inputs = tsl_xc_inputs(plan->description.family, plan->options.polarised);
    tsl_profile_add(context, "functional", begun,
                    8 * points * (inputs + tsl_xc_outputs(inputs, order)), 0);
    return status;
}

tsl_status tsl_xc_evaluate(tsl_xc_plan *plan, int64_t points, const tsl_xc_arrays *arrays)
{
    return run(plan, points, arrays, false);
}

tsl_status tsl_xc_move(tsl_xc_plan *plan, int64_t points, const tsl_xc_arrays *arrays)
{
    return run(plan, points, arrays, true);
}
