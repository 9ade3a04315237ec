/* What holds for convolve on every device. */
#include "blocks/convolve/convolve.h"

#include <math.h>

#include "blocks/reduce/reduce.h"
#include "device/device.h"

tsl_grid_layout tsl_grid_layout_aligned(const tsl_convolve_description *what, int alignment)
{
    tsl_grid_layout layout = {
        .n = {what->n[0], what->n[1], what->n[2]}, .lanes = 1, .precision = what->precision};
    const int step = alignment / (int)what->precision;
    const int needed = 2 * (what->n[2] / 2 + 1);
    layout.row = (needed + step - 1) / step * step;
    layout.member_bytes =
        (int64_t)layout.n[0] * layout.n[1] * layout.row * (int64_t)what->precision;
    return layout;
}

int64_t tsl_convolve_flops(const tsl_convolve_description *what)
{
    const double cells = (double)what->n[0] * what->n[1] * what->n[2];
    return (int64_t)(2 * 2.5 * cells * log2(cells));
}

tsl_status tsl_convolve_create_top(tsl_reduce **out, tsl_context *context,
                                   const tsl_grid_layout *layout,
                                   const tsl_convolve_description *what)
{
    *out = NULL;
    return what->top == 0 ? TSL_OK
                          : context->ops->reduce->create(out, context, layout, what->batch,
                                                         what->top, what->top_of_one);
}

double tsl_convolve_error(const tsl_convolve_description *what)
{
    const double roundoff = ldexp(1.0, what->precision == TSL_SINGLE ? -24 : -53);
    const double levels = log2((double)what->n[0] * what->n[1] * what->n[2]);
    return roundoff * (3 * 6 * levels + 2.24 + what->terms) * (1 + 1e-3);
}
