/* Points sorted into groups, and how far functions reach. */
#include <math.h>

#include "core/context.h"
#include "solvers/scf/xc_step/step.h"

/* ---- points -------------------------------------------------------------------------------- */

enum { BRANCHES_FROM = 16384 /* points: fewer are not worth a task of their own */ };

/* Does point a come before point b along an axis? Ties are broken by the points' numbers, so that
 * there is one order. */
static inline bool is_before(const double *x, int32_t a, int32_t b)
{
    return x[a] < x[b] || (x[a] == x[b] && a < b);
}

/* Move the `k` first points along an axis to the front: Hoare's selection, the pivot the middle one
 * of three. */
static void select_first(int32_t *order, int64_t count, int64_t k, const double *x)
{
    int64_t low = 0, high = count - 1;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        const int32_t a = order[low], b = order[middle], c = order[high];
        const int32_t pivot = is_before(x, a, b)   ? (is_before(x, b, c)   ? b
                                                      : is_before(x, a, c) ? c
                                                                           : a)
                              : is_before(x, a, c) ? a
                              : is_before(x, b, c) ? c
                                                   : b;
        int64_t i = low, j = high;
        while (i <= j) {
            while (is_before(x, order[i], pivot)) {
                i++;
            }
            while (is_before(x, pivot, order[j])) {
                j--;
            }
            if (i <= j) {
                const int32_t held = order[i];
                order[i++] = order[j];
                order[j--] = held;
            }
        }
        if (k <= j) {
            high = j;
        } else if (k >= i) {
            low = i;
        } else {
            return;
        }
    }
}

/* Halve until groups are left; the first half has whole groups. */
static void divide(int32_t *order, int64_t count, const tsl_scf_grid *grid)
{
    if (count <= TSL_XC_STEP_POINTS) {
        return;
    }
    int longest = 0;
    double length = -1;
    for (int axis = 0; axis < 3; axis++) {
        const double *x = grid->position[axis];
        double low = x[order[0]], high = low;
        for (int64_t i = 1; i < count; i++) {
            const double at = x[order[i]];
            low = at < low ? at : low;
            high = at > high ? at : high;
        }
        if (high - low > length) {
            length = high - low;
            longest = axis;
        }
    }
    const int64_t groups = (count + TSL_XC_STEP_POINTS - 1) / TSL_XC_STEP_POINTS;
    const int64_t half = (groups + 1) / 2 * TSL_XC_STEP_POINTS;
    select_first(order, count, half, grid->position[longest]);
#pragma omp task if (count > BRANCHES_FROM)
    divide(order, half, grid);
    divide(order + half, count - half, grid);
#pragma omp taskwait
}

tsl_status tsl_xc_step_sort(int32_t *order, int64_t *count, tsl_context *context,
                            const tsl_scf_grid *grid)
{
    int64_t kept = 0;
    if (grid->points > INT32_MAX - TSL_XC_STEP_POINTS) {
        return tsl_fail(context, TSL_E_ARG, "a grid of %lld points: at most %d are possible",
                        (long long)grid->points, INT32_MAX - TSL_XC_STEP_POINTS);
    }
    for (int64_t i = 0; i < grid->points; i++) {
        order[kept] = (int32_t)i;
        kept += fabs(grid->weight[i]) >= TSL_XC_STEP_LEAST_WEIGHT;
    }
#pragma omp parallel num_threads(context->threads)
#pragma omp single
    divide(order, kept, grid);
    *count = kept;
    return TSL_OK;
}

/* ---- functions ----------------------------------------------------------------------------- */

/* A bound on a shell's functions and their gradients at a distance, whatever the direction. */
static double bound(const tsl_scf_basis *basis, const tsl_scf_shell *s, double r)
{
    double value = 0, slope = 0;
    for (int k = s->first; k < s->first + s->primitives; k++) {
        const double e = fabs(basis->coefficient[k]) * exp(-basis->exponent[k] * r * r);
        value += e;
        slope += 2 * basis->exponent[k] * e;
    }
    /* A harmonic is below sqrt((2 l + 1) / 4 pi); Cartesian functions are below their sum. */
    const double height = sqrt((2 * s->l + 1) / (4 * M_PI)) * (basis->cartesian ? 1 + s->l : 1);
    const double power = pow(r, s->l);
    const double gradient = s->l > 0 ? s->l * power / r * value : 0;
    return height * fmax(power * value, gradient + power * r * slope);
}

double tsl_xc_step_extent(const tsl_scf_basis *basis, int shell, double cutoff)
{
    const tsl_scf_shell *s = &basis->shell[shell];
    const double step = 1.02;
    double r = 100;
    while (r > 0.01 && bound(basis, s, r) < cutoff) {
        r /= step;
    }
    return r * step;
}
