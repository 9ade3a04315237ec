/* From options to a checked problem. */
#include "poisson/poisson.h"

#include <math.h>

#include "core/context.h"
#include "device/device.h"

enum { LONGEST_AXIS = 16384, LONGEST_PADDED = 1 << 22, MOST_COUNT = 65536 };

/* The smallest even length of factors 2, 3, 5 and 7 that is not below `least`. */
static int smooth_even(double least)
{
    int length = 2 * (int)ceil(least / 2);
    for (;; length += 2) {
        int rest = length;
        for (int factor = 2; factor <= 7; factor++) {
            while (rest % factor == 0) {
                rest /= factor;
            }
        }
        if (rest == 1) {
            return length;
        }
    }
}

static tsl_status check_shape(tsl_context *context, const tsl_poisson_options *o)
{
    for (int axis = 0; axis < 3; axis++) {
        if (o->n[axis] < 1 || o->n[axis] > LONGEST_AXIS) {
            return tsl_fail(context, TSL_E_ARG,
                            "axis %d of the grid has %lld samples: give 1 to %d", axis,
                            (long long)o->n[axis], LONGEST_AXIS);
        }
        if (!(o->lengths[axis] > 0 && isfinite(o->lengths[axis]))) {
            return tsl_fail(context, TSL_E_ARG,
                            "axis %d of the box has length %g: give more than 0", axis,
                            o->lengths[axis]);
        }
        if (o->boundary[axis] != TSL_BOUNDARY_PERIODIC && o->boundary[axis] != TSL_BOUNDARY_FREE) {
            return tsl_fail(context, TSL_E_ARG,
                            "the boundary of axis %d is %d: give TSL_BOUNDARY_PERIODIC or _FREE",
                            axis, (int)o->boundary[axis]);
        }
    }
    return TSL_OK;
}

static tsl_status check_method(tsl_context *context, const tsl_poisson_options *o, int free_axes)
{
    const char *wrong = NULL;
    if (o->equation != TSL_POISSON_ELECTROSTATIC && o->equation != TSL_POISSON_PLAIN) {
        wrong = "the equation is unknown: give TSL_POISSON_ELECTROSTATIC or _PLAIN";
    } else if (o->symbol != TSL_POISSON_SPECTRAL && o->symbol != TSL_POISSON_SECOND_ORDER) {
        wrong = "the symbol is unknown: give TSL_POISSON_SPECTRAL or _SECOND_ORDER";
    } else if (o->kernel != TSL_POISSON_TRUNCATED && o->kernel != TSL_POISSON_INTEGRATED &&
               o->kernel != TSL_POISSON_POINT) {
        wrong = "the kernel is unknown: give TSL_POISSON_TRUNCATED, _INTEGRATED or _POINT";
    } else if (o->symbol != TSL_POISSON_SPECTRAL && free_axes > 0) {
        wrong = "the second-order symbol needs three periodic axes: take the spectral one";
    } else if (o->kernel != TSL_POISSON_TRUNCATED && free_axes < 3) {
        wrong = "integrated and point kernels need three free axes: take the truncated one";
    } else if (!(o->screening >= 0 && isfinite(o->screening))) {
        wrong = "the screening must be a number from 0 up";
    } else if (o->kernel != TSL_POISSON_TRUNCATED && o->screening > 0) {
        wrong = "integrated and point kernels have no screening: take the truncated one";
    } else if (o->precision != TSL_SINGLE && o->precision != TSL_DOUBLE) {
        wrong = "the precision is the bytes of a number: give 4 or 8";
    } else if (o->count < 1 || o->count > MOST_COUNT) {
        wrong = "the count of right-hand sides must be from 1 to 65536";
    } else if (o->memory < 0) {
        wrong = "the bound on memory is negative: give bytes, or 0 for none";
    } else if ((o->background != 0 && o->background != 1) ||
               (o->background == 1 && (free_axes > 0 || o->screening > 0))) {
        wrong = "the background is 0 or 1, and 1 only for periodic boxes without screening, where "
                "a net charge needs it";
    }
    return wrong == NULL ? TSL_OK : tsl_fail(context, TSL_E_ARG, "Poisson options: %s", wrong);
}

/* Lengths of the transforms, and of those that sample the truncated kernel. */
static tsl_status settle_lengths(tsl_poisson_problem *p, tsl_context *context,
                                 const tsl_poisson_options *o)
{
    double square = 0;
    for (int axis = 0; axis < 3; axis++) {
        square += p->axis[axis].free ? o->lengths[axis] * o->lengths[axis] : 0;
    }
    const bool truncated = p->kernel == TSL_POISSON_TRUNCATED && square > 0;
    p->radius = truncated ? sqrt(square) : 0;
    for (int axis = 0; axis < 3; axis++) {
        tsl_poisson_axis *at = &p->axis[axis];
        const int n = p->grid.n[axis];
        p->grid.m[axis] = at->free ? smooth_even(2.0 * n - 1) : n;
        if (!truncated || !at->free) {
            continue;
        }
        const double least = n * (1 + p->radius / at->length) * (1 - 1e-14);
        if (!(least < LONGEST_PADDED / 2.0)) {
            return tsl_fail(context, TSL_E_ARG,
                            "axis %d, of length %g, is too thin beside the box's diagonal of %g: "
                            "give it fewer samples or more length",
                            axis, at->length, p->radius);
        }
        at->padded = smooth_even(fmax(least, p->grid.m[axis]));
    }
    return TSL_OK;
}

tsl_status tsl_poisson_settle(tsl_poisson_problem *out, tsl_context *context,
                              const tsl_poisson_options *options)
{
    if (context->ops->poisson == NULL) {
        return tsl_fail(context, TSL_E_UNSUPPORTED,
                        "%s: Poisson's equation is not solved on this device yet: take the CPU "
                        "(--device cpu)",
                        context->name);
    }
    if (options->size != sizeof *options) {
        return tsl_fail(context, TSL_E_ARG,
                        "Poisson options: size is %zu, not %zu: initialise them with "
                        "TSL_POISSON_OPTIONS_INIT",
                        options->size, sizeof *options);
    }
    tsl_poisson_problem p = {.kernel = options->kernel,
                             .symbol = options->symbol,
                             .screening = options->screening,
                             .count = options->count};
    tsl_status status = check_shape(context, options);
    int free_axes = 0;
    double cells = 1;
    for (int axis = 0; axis < 3 && status == TSL_OK; axis++) {
        p.grid.n[axis] = (int)options->n[axis];
        p.axis[axis] = (tsl_poisson_axis){.free = options->boundary[axis] == TSL_BOUNDARY_FREE,
                                          .length = options->lengths[axis]};
        free_axes += p.axis[axis].free;
    }
    if (status == TSL_OK) {
        status = check_method(context, options, free_axes);
    }
    if (status == TSL_OK) {
        status = settle_lengths(&p, context, options);
    }
    if (status != TSL_OK) {
        return status;
    }
    for (int axis = 0; axis < 3; axis++) {
        cells *= p.grid.m[axis];
    }
    p.factor = options->equation == TSL_POISSON_ELECTROSTATIC ? 1 : -1 / (4 * M_PI);
    p.checks_charge = free_axes == 0 && options->screening == 0 && !options->background;
    p.grid.half = p.grid.m[2] / 2 + 1;
    p.grid.precision = (tsl_precision)options->precision;
    p.grid.tabulated = free_axes > 0;
    p.grid.screening2 = options->screening * options->screening;
    p.grid.scale = (free_axes > 0 ? 1 : 4 * M_PI) * p.factor / cells;
    context->ops->poisson->layout(&p.grid);
    *out = p;
    return TSL_OK;
}
