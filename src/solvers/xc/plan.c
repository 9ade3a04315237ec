/* Plans: which units evaluate a sum, and their constants. */
#include "solvers/xc/plan.h"

#include <float.h>
#include <math.h>

#include "core/context.h"
#include "device/device.h"

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
    tsl_status status = TSL_OK;
    TSL_TRY(check_threshold(context, "density_threshold", o->density_threshold, 1e-30, 1));
    TSL_TRY(check_threshold(context, "sigma_threshold", o->sigma_threshold, 1e-60, 1));
    TSL_TRY(check_threshold(context, "zeta_threshold", o->zeta_threshold, 0, 1e-3));
    TSL_TRY(check_threshold(context, "tau_threshold", o->tau_threshold, 1e-60, 1));
done:
    return status;
}

/* Find which term of a sum each component of a unit is: false if some term or component is left
 * over. */
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
    tsl_xc_part *p = &plan->part[plan->parts++];
    p->unit = number;
    for (int i = 0; i < unit->parameters; i++) {
        p->values[i] = value_of(o, unit, sum, of, &unit->parameter[i]);
    }
    unit->prepare(p->values, p->constants);
    if (unit->family > plan->description.family) {
        plan->description.family = unit->family;
        plan->widest = plan->parts - 1;
    }
    return TSL_OK;
}

/* Choose one unit that evaluates all terms if there is one, else one unit for each term. */
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

/* Room for widened inputs, where the device needs it. */
static tsl_status take_room(tsl_xc_plan *plan)
{
    const int inputs = tsl_xc_inputs(plan->description.family, plan->options.polarised);
    void *room = NULL;
    if (!tsl_xc_plan_is_float(plan) || plan->context->ops->xc->widen == NULL) {
        return TSL_OK;
    }
    const tsl_status status = tsl_device_allocate(
        &room, plan->context, 8 * inputs * (int64_t)TSL_XC_WIDENED, "widened inputs");
    plan->widened = room;
    return status;
}

tsl_status tsl_xc_plan_create(tsl_xc_plan **out, tsl_context *context, const char *functional,
                              const tsl_xc_options *options)
{
    tsl_xc_sum sum;
    const tsl_status status = tsl_xc_parse(&sum, context, functional);
    return status == TSL_OK ? tsl_xc_plan_create_sum(out, context, &sum, options) : status;
}

tsl_status tsl_xc_plan_create_sum(tsl_xc_plan **out, tsl_context *context, const tsl_xc_sum *sum,
                                  const tsl_xc_options *options)
{
    const tsl_xc_options defaults = TSL_XC_OPTIONS_INIT;
    const tsl_xc_options *o = options != NULL ? options : &defaults;
    tsl_xc_plan *plan = NULL;
    if (context->ops->xc == NULL) {
        return tsl_fail(context, TSL_E_UNSUPPORTED, "there are no functionals on %s",
                        context->name);
    }
    tsl_status status = check_options(context, o);
    if (status != TSL_OK) {
        return status;
    }
    plan = tsl_allocate_zeroed(1, sizeof *plan);
    tsl_xc_part *parts = tsl_allocate_zeroed((size_t)sum->count, sizeof *parts);
    if (plan == NULL || parts == NULL) {
        status = tsl_fail_memory(
            context, (int64_t)(sizeof *plan + (size_t)sum->count * sizeof *parts), "a functional");
        goto done;
    }
    *plan = (tsl_xc_plan){.context = context, .options = *o, .part = parts};
    parts = NULL;
    plan->options.polarised = o->polarised != 0;
    status = choose_units(plan, sum);
    plan->description.size = sizeof plan->description;
    plan->description.kernels = plan->parts;
    plan->description.parts = sum->count;
    plan->description.exact_exchange = sum->exact_exchange;
    plan->description.cam_alpha = sum->alpha;
    plan->description.cam_beta = sum->beta;
    plan->description.cam_omega = sum->omega;
    plan->description.vv10_b = sum->vv10_b;
    plan->description.vv10_c = sum->vv10_c;
    if (status == TSL_OK) {
        status = take_room(plan);
    }
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
        if (plan->widened != NULL) {
            tsl_device_release(plan->context, plan->widened);
        }
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

bool tsl_xc_plan_is_float(const tsl_xc_plan *plan)
{
    return plan->options.float_input != 0;
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
