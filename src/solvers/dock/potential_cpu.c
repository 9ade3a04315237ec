/* The potential of the receptor's charges on the CPU: where a large pair's set-up spends its time.
 */
#include <math.h>
#include <string.h>

#include "core/clones.h"
#include "core/context.h"
#include "solvers/dock/dock.h"

/* Add one charge's potential to a row of cells; `square` is its distance from the row, squared, in
 * angstrom^2. The compiler makes vectors of this loop because the file is built with flags of its
 * own (CMakeLists.txt): square roots set no errno, and comparisons may be made on lanes that are
 * not needed. Neither changes a bit of the sum, whose order is that of the charges. */
TSL_CLONES static void add_charge(double *restrict row, int n, double spacing, double z,
                                  double square, double charge)
{
    for (int i = 0; i < n; i++) {
        const double d = (i + 0.5 - n / 2) * spacing - z;
        row[i] += charge / tsl_dock_screening(sqrt(square + d * d));
    }
}

static void potential_row(const tsl_dock_geometry *g, const tsl_dock_atoms *atoms, int x, int y,
                          double *row)
{
    const int n = g->grid;
    const double cell_x = (x + 0.5 - n / 2) * (double)g->spacing;
    const double cell_y = (y + 0.5 - n / 2) * (double)g->spacing;
    memset(row, 0, (size_t)n * sizeof *row);
    for (int64_t i = 0; i < atoms->charged; i++) {
        const float *p = atoms->charge_positions + 3 * i;
        const double dx = cell_x - (double)p[0];
        const double dy = cell_y - (double)p[1];
        add_charge(row, n, (double)g->spacing, (double)p[2], dx * dx + dy * dy,
                   atoms->charges[i] * TSL_CHARGE_UNIT);
    }
}

tsl_status tsl_dock_cpu_potential(tsl_context *context, const tsl_dock_geometry *g,
                                  const tsl_dock_atoms *atoms, const int16_t *shape, int core,
                                  int64_t first, int64_t count, int32_t *potential, double *largest)
{
    const int n = g->grid;
    double size = 0;
#pragma omp parallel for num_threads(context->threads) reduction(max : size) schedule(dynamic)
    for (int64_t i = first; i < first + count; i++) {
        double row[TSL_GRID_LARGEST];
        potential_row(g, atoms, (int)(i / n), (int)(i % n), row);
        for (int z = 0; z < n; z++) {
            const double phi = shape[i * n + z] == core ? 0.0 : row[z];
            size = fabs(phi) > size ? fabs(phi) : size;
            potential[i * n + z] = tsl_dock_fixed_potential(phi);
        }
    }
    *largest = fmax(*largest, size);
    return TSL_OK;
}
