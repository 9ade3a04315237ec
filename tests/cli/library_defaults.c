/* Prints the defaults of the library's options, a line each: command, option, value.
 * tests/cli/test_options.py compares them with what the command says. */
#include <stdio.h>

#include "tesela/tesela.h"

static void print(const char *command, const char *option, double value)
{
    printf("%s\t%s\t%.17g\n", command, option, value);
}

static void print_name(const char *command, const char *option, const char *name)
{
    printf("%s\t%s\t%s\n", command, option, name);
}

static void print_dock(void)
{
    static const char *const electrostatics[] = {[TSL_ELECTROSTATICS_OFF] = "off",
                                                 [TSL_ELECTROSTATICS_FTDOCK] = "ftdock",
                                                 [TSL_ELECTROSTATICS_TRILINEAR] = "trilinear"};
    static const char *const correlations[] = {
        [TSL_CORRELATION_LINES] = "lines", [TSL_CORRELATION_PLAIN] = "plain"};
    const tsl_dock_options o = TSL_DOCK_OPTIONS_INIT;
    print("dock", "surface", o.surface);
    print("dock", "core", o.core);
    print("dock", "keep", o.keep);
    print_name("dock", "electrostatics", electrostatics[o.electrostatics]);
    print_name("dock", "correlation", correlations[o.correlation]);
}

static void print_poisson(void)
{
    static const char *const equations[] = {
        [TSL_POISSON_ELECTROSTATIC] = "electrostatic", [TSL_POISSON_PLAIN] = "plain"};
    static const char *const symbols[] = {
        [TSL_POISSON_SPECTRAL] = "spectral", [TSL_POISSON_SECOND_ORDER] = "second-order"};
    static const char *const kernels[] = {[TSL_POISSON_TRUNCATED] = "truncated",
                                          [TSL_POISSON_INTEGRATED] = "integrated",
                                          [TSL_POISSON_POINT] = "point"};
    const tsl_poisson_options o = TSL_POISSON_OPTIONS_INIT;
    print("poisson", "screening", o.screening);
    print_name("poisson", "equation", equations[o.equation]);
    print_name("poisson", "symbol", symbols[o.symbol]);
    print_name("poisson", "kernel", kernels[o.kernel]);
}

static void print_solve(void)
{
    static const char *const smoothers[] = {
        [TSL_LINSOLVE_SMOOTH_JACOBI] = "jacobi", [TSL_LINSOLVE_SMOOTH_CHEBYSHEV] = "chebyshev"};
    static const char *const symmetries[] = {[TSL_SPARSE_JUDGE] = "auto",
                                             [TSL_SPARSE_TAKE_SYMMETRIC] = "yes",
                                             [TSL_SPARSE_TAKE_GENERAL] = "no"};
    const tsl_sparse_matrix_options matrix = TSL_SPARSE_MATRIX_OPTIONS_INIT;
    const tsl_linsolve_options o = TSL_LINSOLVE_OPTIONS_INIT;
    print_name("solve", "symmetric", symmetries[matrix.symmetry]);
    print("solve", "tolerance", o.tolerance);
    print("solve", "absolute", o.absolute);
    print("solve", "max-iterations", (double)o.max_iterations);
    print("solve", "block", o.block);
    print("solve", "degree", o.degree);
    print("solve", "strength", o.strength);
    print("solve", "coarse-rows", (double)o.coarse_rows);
    print_name("solve", "smoother", smoothers[o.smoother]);
}

static void print_pairs(void)
{
    static const char *const layouts[] = {[TSL_LAYOUT_CONDENSED] = "condensed",
                                          [TSL_LAYOUT_SQUARE] = "square",
                                          [TSL_LAYOUT_PACKED] = "packed"};
    const tsl_distance_options distance = TSL_DISTANCE_OPTIONS_INIT;
    const tsl_histogram_options histogram = TSL_HISTOGRAM_OPTIONS_INIT;
    print_name("pairs distance", "metric", tsl_metric_name(distance.metric));
    print_name("pairs distance", "layout", layouts[distance.layout]);
    print("pairs distance", "p", distance.p);
    print("pairs histogram", "bins", histogram.bins);
}

static void print_scf(void)
{
    static const char *const fits[] = {[TSL_SCF_FIT_DENSITY] = "df", [TSL_SCF_FIT_NONE] = "none"};
    const tsl_scf_options o = TSL_SCF_OPTIONS_INIT;
    print_name("scf", "basis", o.basis);
    print_name("scf", "xc", o.functional);
    print_name("scf", "grid", o.grid);
    print_name("scf", "fit", fits[o.fit]);
    print("scf", "charge", o.charge);
    print("scf", "energy-tolerance", o.energy_tolerance);
    print("scf", "error-tolerance", o.error_tolerance);
    print("scf", "max-iterations", o.max_iterations);
    print("scf", "damping", o.damping);
    print("scf", "level-shift", o.level_shift);
    print("scf", "screen", o.screen);
}

int main(void)
{
    const tsl_occupancy_kernel kernel = TSL_OCCUPANCY_KERNEL_INIT;
    const tsl_xc_options xc = TSL_XC_OPTIONS_INIT;
    print_dock();
    print_poisson();
    print_solve();
    print_pairs();
    print_scf();
    print("lab occupancy", "barriers", kernel.barriers);
    print("lab occupancy", "shared", (double)kernel.static_shared);
    print("lab occupancy", "dynamic", (double)kernel.dynamic_shared);
    print("lab occupancy", "arguments", (double)kernel.arguments);
    print("xc eval", "order", xc.order);
    print("xc bench", "order", xc.order);
    return 0;
}
