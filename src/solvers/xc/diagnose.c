/* Which points gave no finite numbers, and what went in. */
#include <math.h>
#include <string.h>

#include "core/context.h"
#include "device/device.h"
#include "solvers/xc/xc.h"

/* What is being looked through. */
typedef struct search {
    const tsl_xc_plan *plan;
    tsl_context *context;
    const tsl_xc_arrays *arrays;
    int64_t points, pitch;
    int spin;
    double *copy; /* of one component, or of all components by point */
    bool *found;
} search;

/* Doubles of the floats that fill the first half of an array of `count`, from the last to the
 * first.
 */
static void widen(double *values, int64_t count)
{
    for (int64_t i = count - 1; i >= 0; i--) {
        float value;
        memcpy(&value, (const char *)values + i * (int64_t)sizeof value, sizeof value);
        values[i] = value;
    }
}

/* Component `c` of an array at point i is at copy[i * step]. */
static tsl_status fetch(const search *s, const tsl_xc_row *row, int c, const double **at, int *step)
{
    const double *doubles = tsl_xc_address(s->arrays, row);
    const float *floats = tsl_xc_float_address(s->arrays, row);
    const int components = row->components[s->spin];
    const bool by_point = tsl_xc_plan_by_point(s->plan);
    const int64_t shift = by_point ? 0 : c * s->pitch;
    *step = by_point ? components : 1;
    *at = s->copy + (by_point ? c : 0);
    const int64_t count = s->points * *step;
    if (floats == NULL) {
        return s->context->ops->download(s->context, s->copy, doubles + shift, 8 * count);
    }
    const tsl_status status =
        s->context->ops->download(s->context, s->copy, floats + shift, 4 * count);
    if (status == TSL_OK) {
        widen(s->copy, count);
    }
    return status;
}

/* Is an array given? */
static bool is_given(const tsl_xc_arrays *arrays, const tsl_xc_row *row)
{
    return tsl_xc_address(arrays, row) != NULL || tsl_xc_float_address(arrays, row) != NULL;
}

static tsl_status find_outputs(const search *s, const tsl_xc_row *row)
{
    tsl_status status = TSL_OK;
    for (int c = 0; c < row->components[s->spin] && status == TSL_OK; c++) {
        const double *at;
        int step;
        status = fetch(s, row, c, &at, &step);
        for (int64_t i = 0; i < s->points && status == TSL_OK; i++) {
            s->found[i] = s->found[i] || !isfinite(at[i * step]);
        }
    }
    return status;
}

/* Where component c of an input is among the nine. */
static int place_of(const tsl_xc_row *row, int c)
{
    static const int first[TSL_XC_VARIABLES] = {
        [TSL_XC_OF_RHO] = 0, [TSL_XC_OF_SIGMA] = 2, [TSL_XC_OF_LAPL] = 5, [TSL_XC_OF_TAU] = 7};
    return first[row->first] + c;
}

static tsl_status copy_inputs(const search *s, const tsl_xc_row *row, int64_t capacity,
                              tsl_xc_suspect *out)
{
    tsl_status status = TSL_OK;
    for (int c = 0; c < row->components[s->spin] && status == TSL_OK; c++) {
        const double *at;
        int step;
        status = fetch(s, row, c, &at, &step);
        for (int64_t k = 0; k < capacity && status == TSL_OK; k++) {
            out[k].input[place_of(row, c)] = at[out[k].point * step];
        }
    }
    return status;
}

tsl_status tsl_xc_diagnose(tsl_xc_plan *plan, int64_t points, const tsl_xc_arrays *arrays,
                           int64_t capacity, tsl_xc_suspect *out, int64_t *count)
{
    search s = {.plan = plan,
                .context = tsl_xc_plan_context(plan),
                .arrays = arrays,
                .points = points,
                .spin = tsl_xc_plan_spin(plan)};
    const int64_t most = tsl_xc_plan_by_point(plan) ? 12 : 1; /* components copied at a time */
    int64_t found = 0;
    tsl_status status = tsl_xc_check_call(plan, points, arrays, &s.pitch);
    if (status != TSL_OK) {
        return status;
    }
    s.copy = tsl_allocate(sizeof *s.copy * (size_t)(points * most + 1));
    s.found = tsl_allocate_zeroed((size_t)points + 1, sizeof *s.found);
    if (s.copy == NULL || s.found == NULL) {
        status = tsl_fail_memory(s.context, points * (8 * most + 1), "the points looked through");
        goto done;
    }
    for (int r = 0; r < TSL_XC_ROWS && status == TSL_OK; r++) {
        if (tsl_xc_rows[r].order >= 0 && is_given(arrays, &tsl_xc_rows[r])) {
            status = find_outputs(&s, &tsl_xc_rows[r]);
        }
    }
    for (int64_t i = 0; i < points && status == TSL_OK; i++) {
        if (s.found[i] && found++ < capacity) {
            out[found - 1] = (tsl_xc_suspect){.point = i};
        }
    }
    capacity = found < capacity ? found : capacity;
    for (int r = 0; r < TSL_XC_ROWS && status == TSL_OK; r++) {
        if (tsl_xc_rows[r].order < 0 && is_given(arrays, &tsl_xc_rows[r])) {
            status = copy_inputs(&s, &tsl_xc_rows[r], capacity, out);
        }
    }
    *count = status == TSL_OK ? found : 0;
done:
    tsl_release(s.copy);
    tsl_release(s.found);
    return status;
}
