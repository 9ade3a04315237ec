/* Calls: what they refuse, and the kernels that they become. */
#include "core/context.h"
#include "device/device.h"
#include "solvers/xc/plan.h"

/* Is an input that the functional needs there, and of the plan's type? */
static tsl_status check_input(const tsl_xc_plan *plan, const tsl_xc_arrays *arrays,
                              const tsl_xc_row *row)
{
    const bool is_float = tsl_xc_plan_is_float(plan);
    const void *doubles = tsl_xc_address(arrays, row);
    const void *floats = tsl_xc_float_address(arrays, row);
    if ((is_float ? doubles : floats) != NULL) {
        return tsl_fail(plan->context, TSL_E_ARG,
                        "%s%s is given, and the plan was made with%s float_input: give %s%s",
                        row->name, is_float ? "" : "_float", is_float ? "" : "out", row->name,
                        is_float ? "_float" : "");
    }
    if ((is_float ? floats : doubles) == NULL) {
        return tsl_fail(plan->context, TSL_E_ARG, "the functional needs %s%s, which is NULL",
                        row->name, is_float ? "_float" : "");
    }
    return TSL_OK;
}

/* Has the energy, if it is wanted, what it is summed from? */
static tsl_status check_energy(const tsl_xc_plan *plan, const tsl_xc_arrays *arrays)
{
    if (arrays->energy != NULL && arrays->group_energy == NULL) {
        return tsl_fail(plan->context, TSL_E_ARG, "energy needs group_energy, which is NULL");
    }
    if (arrays->group_energy != NULL && (arrays->weight == NULL || arrays->exc == NULL)) {
        return tsl_fail(plan->context, TSL_E_ARG, "group_energy needs %s, which is NULL",
                        arrays->weight == NULL ? "weight" : "exc");
    }
    if (arrays->first_group < 0) {
        return tsl_fail(plan->context, TSL_E_ARG, "first_group is %lld: give 0 or more",
                        (long long)arrays->first_group);
    }
    return TSL_OK;
}

/* Is an array memory of the device's? `known` is an address that was found to be. */
static tsl_status check_memory(const tsl_xc_plan *plan, const char *name, const char *suffix,
                               const void *address, const void *known)
{
    tsl_context *context = plan->context;
    if (address == NULL || address == known || context->ops->xc->is_reachable(context, address)) {
        return TSL_OK;
    }
    return tsl_fail(context, TSL_E_ARG,
                    "%s%s is not in memory of %s: copy it there (tsl_buffer_write)", name, suffix,
                    context->name);
}

/* Are all arrays that are used memory of the device's? */
static tsl_status check_memories(const tsl_xc_plan *plan, const tsl_xc_arrays *a)
{
    const tsl_xc_arrays *k = &plan->checked;
    const tsl_xc_family family = plan->description.family;
    tsl_status status = TSL_OK;
    for (int i = 0; i < TSL_XC_ROWS; i++) {
        const tsl_xc_row *row = &tsl_xc_rows[i];
        if (row->order >= 0 || tsl_xc_depends(family, row)) {
            TSL_TRY(
                check_memory(plan, row->name, "", tsl_xc_address(a, row), tsl_xc_address(k, row)));
            TSL_TRY(check_memory(plan, row->name, "_float", tsl_xc_float_address(a, row),
                                 tsl_xc_float_address(k, row)));
        }
    }
    if (a->group_energy != NULL) {
        TSL_TRY(check_memory(plan, "weight", "", a->weight, k->weight));
        TSL_TRY(check_memory(plan, "group_energy", "", a->group_energy, k->group_energy));
        TSL_TRY(check_memory(plan, "energy", "", a->energy, k->energy));
    }
done:
    return status;
}

/* Is each array there that is needed, and memory of the device's? Finds the order. */
static tsl_status check_arrays(tsl_xc_plan *plan, const tsl_xc_arrays *arrays, int *order)
{
    tsl_context *context = plan->context;
    tsl_status status = TSL_OK;
    *order = -1;
    for (int i = 0; i < TSL_XC_ROWS; i++) {
        const tsl_xc_row *row = &tsl_xc_rows[i];
        const double *address = tsl_xc_address(arrays, row);
        if (row->order < 0 && tsl_xc_depends(plan->description.family, row)) {
            TSL_TRY(check_input(plan, arrays, row));
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
    TSL_TRY(check_energy(plan, arrays));
    if (*order < 0) {
        return tsl_fail(context, TSL_E_ARG, "no output is wanted: all are NULL");
    }
    TSL_TRY(check_memories(plan, arrays));
    plan->checked = *arrays;
done:
    return status;
}

/* Enter the components of one array. */
static void enter(tsl_xc_call *call, const tsl_xc_plan *plan, const tsl_xc_arrays *arrays,
                  const tsl_xc_row *row, int64_t pitch, int *place)
{
    const int components = row->components[call->polarised];
    const bool by_point = plan->options.layout == TSL_XC_BY_POINT;
    double *address = tsl_xc_address(arrays, row);
    const float *floats = tsl_xc_float_address(arrays, row);
    for (int c = 0; c < components; c++, (*place)++) {
        const int step = by_point ? components : 1;
        const int64_t shift = by_point ? c : c * pitch;
        double *const at = address == NULL ? NULL : address + shift;
        if (row->order < 0) {
            call->in[*place] = at;
            call->in_float[*place] = floats == NULL ? NULL : floats + shift;
            call->step_in[*place] = step;
        } else {
            call->out[*place] = at;
            call->step_out[*place] = step;
        }
    }
}

/* Set outputs to zero that are by variables on which this family, that of the first part, does not
 * depend; parts of a higher family add to them. */
static tsl_status clear_others(const tsl_xc_plan *plan, const tsl_xc_arrays *arrays, int64_t points,
                               int64_t pitch, tsl_xc_family family)
{
    const tsl_device_ops *ops = plan->context->ops;
    tsl_status status = TSL_OK;
    for (int i = 0; i < TSL_XC_ROWS && status == TSL_OK; i++) {
        double *address = tsl_xc_address(arrays, &tsl_xc_rows[i]);
        if (tsl_xc_rows[i].order < 1 || address == NULL ||
            tsl_xc_depends(family, &tsl_xc_rows[i])) {
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
    const tsl_xc_part *p = &plan->part[index];
    const tsl_xc_family family = tsl_xc_units[p->unit]->family;
    tsl_xc_call call = {.unit = p->unit,
                        .polarised = plan->options.polarised,
                        .order = order,
                        .accumulate = index > 0,
                        .points = points,
                        .constants = p->constants};
    for (int i = 0; i < TSL_XC_ROWS; i++) {
        if (tsl_xc_rows[i].order <= order && tsl_xc_depends(family, &tsl_xc_rows[i])) {
            enter(&call, plan, arrays, &tsl_xc_rows[i], pitch,
                  tsl_xc_rows[i].order < 0 ? &call.inputs : &call.outputs);
        }
    }
    if (index == plan->parts - 1 && arrays->group_energy != NULL) {
        call.weight = arrays->weight;
        call.group_energy = arrays->group_energy + arrays->first_group;
    }
    return call;
}

/* Restrict a call to points `first` to first + points - 1; `first` is a multiple of TSL_XC_GROUP.
 */
static void choose_points(tsl_xc_call *call, int64_t first, int64_t points)
{
    call->points = points;
    for (int k = 0; k < call->inputs; k++) {
        const int64_t shift = first * call->step_in[k];
        call->in[k] = call->in[k] != NULL ? call->in[k] + shift : NULL;
        call->in_float[k] = call->in_float[k] != NULL ? call->in_float[k] + shift : NULL;
    }
    for (int k = 0; k < call->outputs; k++) {
        call->out[k] = call->out[k] != NULL ? call->out[k] + first * call->step_out[k] : NULL;
    }
    if (call->group_energy != NULL) {
        call->weight += first;
        call->group_energy += first / TSL_XC_GROUP;
    }
}

/* Let a call read the plan's widened inputs in place of its own. */
static void read_widened(tsl_xc_call *call, const tsl_xc_plan *plan)
{
    for (int k = 0; k < call->inputs; k++) {
        call->in[k] = plan->widened + k * (int64_t)TSL_XC_WIDENED;
        call->step_in[k] = 1;
        call->in_float[k] = NULL;
    }
}

/* Evaluate all parts. Where inputs are widened first, that goes by as many points as there is room
 * for. */
static tsl_status evaluate_parts(const tsl_xc_plan *plan, int64_t points, int64_t pitch, int order,
                                 const tsl_xc_arrays *arrays)
{
    const tsl_xc_ops *ops = plan->context->ops->xc;
    const int64_t most = plan->widened != NULL ? TSL_XC_WIDENED : points;
    tsl_status status = TSL_OK;
    for (int64_t first = 0; first < points; first += most) {
        const int64_t count = points - first < most ? points - first : most;
        if (plan->widened != NULL) {
            tsl_xc_call call = make_call(plan, plan->widest, order, points, pitch, arrays);
            choose_points(&call, first, count);
            TSL_TRY(ops->widen(plan->context, &call, plan->widened, TSL_XC_WIDENED));
        }
        for (int p = 0; p < plan->parts; p++) {
            tsl_xc_call call = make_call(plan, p, order, points, pitch, arrays);
            choose_points(&call, first, count);
            if (plan->widened != NULL) {
                read_widened(&call, plan);
            }
            TSL_TRY(ops->evaluate(plan->context, &call));
        }
    }
done:
    return status;
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

/* Enter an evaluation in the profile. */
static void add_profile(const tsl_xc_plan *plan, double begun, int64_t points, int order)
{
    const int inputs = tsl_xc_inputs(plan->description.family, plan->options.polarised);
    const int bytes = tsl_xc_plan_is_float(plan) ? 4 : 8;
    tsl_profile_add(plan->context, "functional", begun,
                    points * (bytes * inputs + 8 * tsl_xc_outputs(inputs, order)), 0);
}

tsl_status tsl_xc_evaluate(tsl_xc_plan *plan, int64_t points, const tsl_xc_arrays *arrays)
{
    const double begun = tsl_seconds();
    int64_t pitch = 0;
    int order = -1;
    tsl_status status = TSL_OK;
    TSL_TRY(check_call(plan, points, arrays, &pitch, &order));
    if (points > 0) {
        TSL_TRY(
            clear_others(plan, arrays, points, pitch, tsl_xc_units[plan->part[0].unit]->family));
        TSL_TRY(evaluate_parts(plan, points, pitch, order, arrays));
    }
    if (arrays->energy != NULL) {
        TSL_TRY(plan->context->ops->xc->add_groups(plan->context,
                                                   arrays->first_group + tsl_xc_groups(points),
                                                   arrays->group_energy, arrays->energy));
    }
    if (points > 0) {
        add_profile(plan, begun, points, order);
    }
done:
    return status;
}

tsl_status tsl_xc_move(tsl_xc_plan *plan, int64_t points, const tsl_xc_arrays *arrays)
{
    const double begun = tsl_seconds();
    int64_t pitch = 0;
    int order = -1;
    tsl_status status = TSL_OK;
    if (tsl_xc_plan_is_float(plan)) {
        return tsl_fail(plan->context, TSL_E_UNSUPPORTED, "inputs of float are not moved alone");
    }
    TSL_TRY(check_call(plan, points, arrays, &pitch, &order));
    if (points > 0) {
        TSL_TRY(
            clear_others(plan, arrays, points, pitch, tsl_xc_units[plan->part[0].unit]->family));
        const tsl_xc_call call = make_call(plan, 0, order, points, pitch, arrays);
        TSL_TRY(plan->context->ops->xc->move(plan->context, &call));
        add_profile(plan, begun, points, order);
    }
done:
    return status;
}

tsl_status tsl_xc_study(tsl_xc_plan *plan, int64_t points, const tsl_xc_arrays *arrays, int cap,
                        int threads)
{
    tsl_context *context = plan->context;
    int64_t pitch = 0;
    int order = -1;
    tsl_status status = TSL_OK;
    if (context->ops->xc->study == NULL) {
        return tsl_fail(context, TSL_E_UNSUPPORTED,
                        "%s has no registers to cap: take a GPU (--device cuda:0), or sim for a "
                        "rehearsal",
                        context->name);
    }
    TSL_TRY(check_call(plan, points, arrays, &pitch, &order));
    if (points > 0) {
        const tsl_xc_call call = make_call(plan, 0, order, points, pitch, arrays);
        TSL_TRY(context->ops->xc->study(context, &call, cap, threads));
    }
done:
    return status;
}
