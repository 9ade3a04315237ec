/* The columns of correlations on the CPU, strided and transposed: what the planner goes by.
 *
 *   columns [N…]
 *
 * Prints, for cubic grids of N cells an edge (64 to 512 if none is given), both precisions and both
 * slower axes, nanoseconds a complex number of a transform forward and back, on one thread.
 */
#include <stdio.h>
#include <stdlib.h>

#include "blocks/convolve/convolve.h"
#include "device/device.h"

static tsl_status measure(tsl_context *context, tsl_precision precision, int n)
{
    tsl_columns axes[2];
    tsl_status status = TSL_OK;
    for (int axis = 0; axis < 2 && status == TSL_OK; axis++) {
        const tsl_columns_description what = tsl_convolve_columns(
            &(tsl_convolve_description){.n = {n, n, n}, .precision = precision}, axis);
        status = tsl_columns_create(&axes[axis], context, &what);
        const double numbers = 1e-9 * (double)tsl_columns_scratch(&axes[axis]) *
                               (what.aside ? 1 : 0.5); /* both directions */
        if (status == TSL_OK) {
            printf("%s %7.2f %7.2f %6.2f", axis == 0 ? "" : " |",
                   axes[axis].strided_seconds / numbers, axes[axis].transposed_seconds / numbers,
                   axes[axis].transposed_seconds / axes[axis].strided_seconds);
        }
        tsl_columns_destroy(&axes[axis]);
    }
    return status;
}

static tsl_status measure_cube(tsl_context *context, int n)
{
    static const tsl_precision precisions[] = {TSL_SINGLE, TSL_DOUBLE};
    tsl_status status = TSL_OK;
    for (int i = 0; i < 2 && status == TSL_OK; i++) {
        printf("%4d %s ", n, i == 0 ? "single" : "double");
        status = measure(context, precisions[i], n);
        putchar('\n');
        fflush(stdout);
    }
    return status;
}

int main(int argc, char **argv)
{
    static const int usual[] = {64, 84, 96, 108, 128, 144, 180, 192, 256, 320, 384, 512};
    const int count = argc > 1 ? argc - 1 : (int)(sizeof usual / sizeof *usual);
    const tsl_context_options options = {.size = sizeof options, .device = "cpu", .threads = 1};
    tsl_context *context = NULL;
    tsl_status status = tsl_context_create(&context, &options);
    printf("%11s %24s   %24s\n%4s %6s %7s %7s %6s   %7s %7s %6s\n", "", "first axis, ns a number",
           "second axis, ns a number", "N", "", "strided", "transp.", "ratio", "strided", "transp.",
           "ratio");
    for (int i = 0; i < count && status == TSL_OK; i++) {
        const int n = argc > 1 ? atoi(argv[i + 1]) : usual[i];
        if (n < 2 || n > 1024) {
            fprintf(stderr, "columns: %s: give cells of an edge, 2 to 1024\n", argv[i + 1]);
            tsl_context_destroy(context);
            return 2;
        }
        status = measure_cube(context, n);
    }
    if (status != TSL_OK) {
        fprintf(stderr, "columns: %s\n", tsl_last_error(context));
    }
    tsl_context_destroy(context);
    return status == TSL_OK ? 0 : 1;
}
