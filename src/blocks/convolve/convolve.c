/* What holds for convolve on every device. */
#include "blocks/convolve/convolve.h"

#include <math.h>

tsl_grid_layout tsl_convolve_layout(const tsl_convolve_description *what)
{
    tsl_grid_layout layout = {.n = {what->n[0], what->n[1], what->n[2]},
                              .precision = what->precision};
    const int reals_of_line = 64 / (int)what->precision;
    const int needed = 2 * (what->n[2] / 2 + 1);
    layout.row = (needed + reals_of_line - 1) / reals_of_line * reals_of_line;
    layout.member_bytes =
        (int64_t)layout.n[0] * layout.n[1] * layout.row * (int64_t)what->precision;
    return layout;
}

int64_t tsl_convolve_bytes(const tsl_convolve_description *what, int threads)
{
    const tsl_grid_layout layout = tsl_convolve_layout(what);
    /* the spectrum, and a block of lines for each thread */
    return layout.member_bytes +
           (int64_t)threads * what->n[0] * layout.row * (int64_t)what->precision;
}

int64_t tsl_convolve_flops(const tsl_convolve_description *what)
{
    const double cells = (double)what->n[0] * what->n[1] * what->n[2];
    return (int64_t)(2 * 2.5 * cells * log2(cells));
}
