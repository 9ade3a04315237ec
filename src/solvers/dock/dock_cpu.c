/* Docking's kernels on the CPU. */
#include "solvers/dock/dock.h"

#include <math.h>
#include <string.h>

#include "blocks/reduce/reduce_point.h"
#include "core/context.h"

/* A few rotations for each thread, so that threads seldom wait for one another, but no more than a
 * processor's caches and a laptop's memory bear. */
static int cpu_batch(const tsl_context *context, const tsl_dock_geometry *g)
{
    const double grid_bytes = 4.0 * g->grid * g->grid * (g->grid + 16);
    int batch = 4 * context->threads;
    while (batch > context->threads && batch * grid_bytes > 256e6) {
        batch -= context->threads;
    }
    return batch;
}

/* ---- place -------------------------------------------------------------------------------- */

/* Squares of the distances of coordinate p from the centres of cells from … to, along one axis. */
static void square_distances(const tsl_dock_geometry *g, float p, int from, int to, float *squares)
{
    for (int i = from; i <= to; i++) {
        squares[i - from] = tsl_dock_square(p, tsl_dock_cell_centre(i, g->spacing, g->span));
    }
}

/* Fill the cells of one atom. */
static void fill_atom(const tsl_dock_geometry *g, const float p[3], uint8_t *box)
{
    const int first = (g->grid - g->box) / 2;
    const int last = first + g->box - 1;
    float squares[3][TSL_GRID_LARGEST];
    int from[3], to[3];
    for (int axis = 0; axis < 3; axis++) {
        const int cell = tsl_dock_cell(p[axis], g->spacing, g->grid);
        from[axis] = cell - g->reach > first ? cell - g->reach : first;
        to[axis] = cell + g->reach < last ? cell + g->reach : last;
        square_distances(g, p[axis], from[axis], to[axis], squares[axis]);
    }
    const float *along_row = squares[2];
    const int end = to[2] - from[2];
    for (int x = from[0]; x <= to[0]; x++) {
        for (int y = from[1]; y <= to[1]; y++) {
            const float across = tsl_dock_sum(squares[0][x - from[0]], squares[1][y - from[1]]);
            int low = 0;
            int high = across < TSL_ATOM_SQUARE ? end : -1;
            while (low <= high && tsl_dock_sum(across, along_row[low]) >= TSL_ATOM_SQUARE) {
                low++;
            }
            while (high >= low && tsl_dock_sum(across, along_row[high]) >= TSL_ATOM_SQUARE) {
                high--;
            }
            if (low <= high) {
                uint8_t *row = box + ((int64_t)(x - first) * g->box + (y - first)) * g->box - first;
                memset(row + from[2] + low, 1, (size_t)(high - low + 1));
            }
        }
    }
}

static tsl_status cpu_place(tsl_context *context, const tsl_dock_geometry *g,
                            const tsl_dock_atoms *atoms, const tsl_dock_turns *turns, int count,
                            uint8_t *boxes)
{
    const int64_t box_bytes = (int64_t)g->box * g->box * g->box;
#pragma omp parallel for num_threads(context->threads) schedule(dynamic)
    for (int member = 0; member < count; member++) {
        uint8_t *box = boxes + member * box_bytes;
        memset(box, 0, (size_t)box_bytes);
        for (int64_t i = 0; i < atoms->count; i++) {
            float moved[3];
            tsl_dock_rotate(&turns[member], atoms->positions + 3 * i, moved);
            fill_atom(g, moved, box);
        }
    }
    return TSL_OK;
}

/* ---- receptor ----------------------------------------------------------------------------- */

static bool at_surface(const uint8_t *occupied, int grid, int x, int y, int z, const int *offsets,
                       int count)
{
    for (int i = 0; i < count; i++) {
        const int u = x + offsets[3 * i];
        const int v = y + offsets[3 * i + 1];
        const int w = z + offsets[3 * i + 2];
        const bool inside = u >= 0 && u < grid && v >= 0 && v < grid && w >= 0 && w < grid;
        if (inside && occupied[((int64_t)u * grid + v) * grid + w] == 0) {
            return true;
        }
    }
    return false;
}

static tsl_status cpu_surface(tsl_context *context, const tsl_dock_geometry *g,
                              const uint8_t *occupied, const int *offsets, int count, int core,
                              int16_t *shape, int64_t *cells)
{
    const int n = g->grid;
    int64_t on_surface = 0;
    int64_t in_core = 0;
#pragma omp parallel for num_threads(context->threads) reduction(+ : on_surface, in_core)
    for (int x = 0; x < n; x++) {
        for (int y = 0; y < n; y++) {
            for (int z = 0; z < n; z++) {
                const int64_t cell = ((int64_t)x * n + y) * n + z;
                shape[cell] = 0;
                if (occupied[cell] != 0) {
                    const bool surface = at_surface(occupied, n, x, y, z, offsets, count);
                    shape[cell] = surface ? 1 : (int16_t)core;
                    on_surface += surface;
                    in_core += !surface;
                }
            }
        }
    }
    cells[0] += on_surface;
    cells[1] += in_core;
    return TSL_OK;
}

static tsl_status cpu_load_shape(tsl_context *context, const tsl_dock_geometry *g,
                                 const tsl_grid_layout *layout, const int16_t *shape, void *grid)
{
    const int n = g->grid;
    const int first = (n - g->box) / 2;
#pragma omp parallel for num_threads(context->threads)
    for (int x = 0; x < n; x++) {
        for (int y = 0; y < n; y++) {
            const int16_t *from =
                shape +
                ((int64_t)tsl_dock_wrap(x + first, n) * n + tsl_dock_wrap(y + first, n)) * n;
            const int64_t to = ((int64_t)x * n + y) * layout->row;
            for (int z = 0; z < n; z++) {
                const int16_t value = from[tsl_dock_wrap(z + first, n)];
                if (layout->precision == TSL_SINGLE) {
                    ((float *)grid)[to + z] = value;
                } else {
                    ((double *)grid)[to + z] = value;
                }
            }
        }
    }
    return TSL_OK;
}

/* ---- energies and scores ------------------------------------------------------------------- */

static tsl_status cpu_place_charges(tsl_context *context, const tsl_dock_geometry *g,
                                    const tsl_dock_atoms *atoms, const tsl_dock_turns *turns,
                                    int count, tsl_dock_corner *corners)
{
#pragma omp parallel for num_threads(context->threads) schedule(static)
    for (int member = 0; member < count; member++) {
        tsl_dock_corner *own = corners + member * 3 * atoms->charged;
        for (int64_t i = 0; i < atoms->charged; i++) {
            tsl_dock_charge_corners(g, &turns[member], atoms->charge_positions + 3 * i,
                                    own + 3 * i);
        }
    }
    return TSL_OK;
}

static int64_t energy_at(const tsl_dock_geometry *g, const int32_t *potential,
                         const tsl_dock_atoms *atoms, const tsl_dock_corner *corners,
                         const int shift[3])
{
    const int bits = tsl_dock_weight_bits(g->slip);
    int64_t energy = 0;
    for (int64_t i = 0; i < atoms->charged; i++) {
        energy += (int64_t)atoms->charges[i] *
                  tsl_dock_potential_at(potential, g->grid, corners + 3 * i, shift, bits);
    }
    return energy;
}

/* One rotation's candidates, best first, until `keep` are kept; returns how many are. */
static int settle_member(const tsl_dock_geometry *g, const tsl_dock_receptor *receptor,
                         const tsl_dock_atoms *atoms, const tsl_dock_corner *corners,
                         const int64_t *candidates, int found, int keep, int kept, int64_t *winners,
                         int64_t *energies)
{
    const int n = g->grid;
    for (int i = 0; i < found && kept < keep; i++) {
        const int64_t cell = tsl_top_cell(candidates[i]);
        const int shift[3] = {(int)(cell / ((int64_t)n * n)), (int)(cell / n % n), (int)(cell % n)};
        int64_t energy = 0;
        if (receptor->potential != NULL) {
            energy = energy_at(g, receptor->potential, atoms, corners, shift);
            if (energy >= 0) {
                continue;
            }
        }
        winners[kept] = candidates[i];
        energies[kept] = energy;
        kept++;
    }
    return kept;
}

static tsl_status cpu_settle(tsl_context *context, const tsl_dock_geometry *g,
                             const tsl_dock_receptor *receptor, const tsl_dock_atoms *atoms,
                             const tsl_dock_corner *corners, int count, const int64_t *candidates,
                             int k, const int *found, int keep, int *kept, int64_t *winners,
                             int64_t *energies)
{
#pragma omp parallel for num_threads(context->threads) schedule(dynamic)
    for (int member = 0; member < count; member++) {
        kept[member] =
            settle_member(g, receptor, atoms, corners + member * 3 * atoms->charged,
                          candidates + (int64_t)member * k, found[member], keep, kept[member],
                          winners + (int64_t)member * keep, energies + (int64_t)member * keep);
    }
    return TSL_OK;
}

static int64_t score_at(const tsl_dock_geometry *g, const int16_t *shape, const uint8_t *box,
                        const int32_t shift[3])
{
    const int n = g->grid;
    const int first = (n - g->box) / 2;
    int64_t score = 0;
    for (int x = 0; x < g->box; x++) {
        const int u = tsl_dock_wrap(first + x + shift[0], n);
        for (int y = 0; y < g->box; y++) {
            const int v = tsl_dock_wrap(first + y + shift[1], n);
            const int16_t *row = shape + ((int64_t)u * n + v) * n;
            const uint8_t *cells = box + ((int64_t)x * g->box + y) * g->box;
            for (int z = 0; z < g->box; z++) {
                score += cells[z] * row[tsl_dock_wrap(first + z + shift[2], n)];
            }
        }
    }
    return score;
}

static tsl_status cpu_measure(tsl_context *context, const tsl_dock_geometry *g,
                              const tsl_dock_receptor *receptor, const tsl_dock_atoms *atoms,
                              const tsl_dock_corner *corners, int count, const uint8_t *boxes,
                              const int32_t *shifts, int64_t *scores, int64_t *energies)
{
    const int64_t box_bytes = (int64_t)g->box * g->box * g->box;
#pragma omp parallel for num_threads(context->threads) schedule(static)
    for (int i = 0; i < count; i++) {
        const int32_t *shift = shifts + 3 * (int64_t)i;
        scores[i] = score_at(g, receptor->shape, boxes + i * box_bytes, shift);
        energies[i] =
            receptor->potential == NULL
                ? 0
                : energy_at(g, receptor->potential, atoms, corners + i * 3 * atoms->charged, shift);
    }
    return TSL_OK;
}

const tsl_dock_ops tsl_dock_cpu = {.batch = cpu_batch,
                                   .place = cpu_place,
                                   .place_charges = cpu_place_charges,
                                   .surface = cpu_surface,
                                   .potential = tsl_dock_cpu_potential,
                                   .load_shape = cpu_load_shape,
                                   .settle = cpu_settle,
                                   .measure = cpu_measure,
                                   .score = &tsl_score_cpu};
