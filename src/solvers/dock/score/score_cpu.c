/* The score of complementarity on the CPU: the ligand's boxes, and sums of chosen cells. */
#include <string.h>

#include "blocks/reduce/reduce_point.h"
#include "core/context.h"
#include "solvers/dock/dock.h"

/* The cells in which an atom clashes. */
static void fill_clash(const tsl_dock_geometry *g, const float p[3], float square, int reach,
                       int32_t value, int32_t *box)
{
    const int first = (g->grid - g->box) / 2;
    int from[3], to[3];
    for (int axis = 0; axis < 3; axis++) {
        const int cell = tsl_dock_cell(p[axis], g->spacing, g->grid) - first;
        from[axis] = cell - reach > 0 ? cell - reach : 0;
        to[axis] = cell + reach < g->box - 1 ? cell + reach : g->box - 1;
    }
    for (int x = from[0]; x <= to[0]; x++) {
        const float square_x =
            tsl_dock_square(p[0], tsl_dock_cell_centre(first + x, g->spacing, g->span));
        for (int y = from[1]; y <= to[1]; y++) {
            const float across = tsl_dock_sum(
                square_x,
                tsl_dock_square(p[1], tsl_dock_cell_centre(first + y, g->spacing, g->span)));
            int32_t *row = box + ((int64_t)x * g->box + y) * g->box;
            for (int z = from[2]; z <= to[2] && across < square; z++) {
                const float along =
                    tsl_dock_square(p[2], tsl_dock_cell_centre(first + z, g->spacing, g->span));
                if (tsl_dock_sum(across, along) < square && row[z] < value) {
                    row[z] = value;
                }
            }
        }
    }
}

/* One rotation's boxes and places. */
static void place_member(const tsl_dock_geometry *g, const tsl_score_ligand *ligand,
                         const tsl_dock_turns *turns, int32_t *boxes, int32_t *places)
{
    const int64_t cells = (int64_t)g->box * g->box * g->box;
    const int first = (g->grid - g->box) / 2;
    memset(boxes, 0, (size_t)cells * TSL_TERMS * sizeof *boxes);
    for (int64_t i = 0; i < ligand->count; i++) {
        const int16_t *value = ligand->values[i].of;
        float moved[3];
        int at[3];
        tsl_dock_rotate(turns, ligand->positions + 3 * i, moved);
        for (int axis = 0; axis < 3; axis++) {
            at[axis] = tsl_dock_cell(moved[axis], g->spacing, g->grid) - first;
        }
        places[i] = tsl_place_of(at[0], at[1], at[2]);
        int32_t *cell = boxes + ((int64_t)at[0] * g->box + at[1]) * g->box + at[2];
        for (int t = 0; t < TSL_TERM_CLASH; t++) {
            cell[t * cells] += value[t];
        }
        fill_clash(g, moved, ligand->squares[i], ligand->reach, value[TSL_TERM_CLASH],
                   boxes + TSL_TERM_CLASH * cells);
    }
}

/* The cells of a clash box that hold something; *square is the sum of their squares. */
static int list_clashes(const tsl_dock_geometry *g, const int32_t *box, int32_t *clashes,
                        int64_t *square)
{
    int count = 0;
    *square = 0;
    for (int64_t i = 0; i < (int64_t)g->box * g->box * g->box; i++) {
        if (box[i] != 0) {
            const int32_t place = tsl_place_of((int)(i / ((int64_t)g->box * g->box)),
                                               (int)(i / g->box % g->box), (int)(i % g->box));
            clashes[count++] = box[i] == 3 ? place | TSL_PLACE_TRIPLE : place;
            *square += box[i] * box[i];
        }
    }
    return count;
}

static tsl_status cpu_place_terms(tsl_context *context, const tsl_dock_geometry *g,
                                  const tsl_score_ligand *ligand, const tsl_dock_turns *turns,
                                  int count, const tsl_score_batch *batch)
{
    const int64_t cells = (int64_t)g->box * g->box * g->box;
#pragma omp parallel for num_threads(context->threads) schedule(dynamic)
    for (int member = 0; member < count; member++) {
        int32_t *boxes = batch->boxes + member * TSL_TERMS * cells;
        place_member(g, ligand, &turns[member], boxes, batch->places + member * ligand->count);
        batch->clash_counts[member] =
            list_clashes(g, boxes + TSL_TERM_CLASH * cells, batch->clashes + member * cells,
                         &batch->squares[member]);
    }
    return TSL_OK;
}

static tsl_status cpu_load_term(tsl_context *context, const tsl_dock_geometry *g,
                                const tsl_grid_layout *layout, const tsl_terms *fields, int term,
                                void *grid)
{
    const int n = g->grid;
    const int first = (n - g->box) / 2;
#pragma omp parallel for num_threads(context->threads)
    for (int x = 0; x < n; x++) {
        for (int y = 0; y < n; y++) {
            const tsl_terms *from =
                fields +
                ((int64_t)tsl_dock_wrap(x + first, n) * n + tsl_dock_wrap(y + first, n)) * n;
            const int64_t to = ((int64_t)x * n + y) * layout->row;
            for (int z = 0; z < n; z++) {
                const double value =
                    (double)from[tsl_dock_wrap(z + first, n)].of[term] / (1 << TSL_SCORE_SHIFT);
                if (layout->precision == TSL_SINGLE) {
                    ((float *)grid)[to + z] = (float)value;
                } else {
                    ((double *)grid)[to + z] = value;
                }
            }
        }
    }
    return TSL_OK;
}

/* The sum of one translation. */
static int64_t sum_cell(const tsl_dock_geometry *g, const tsl_terms *fields,
                        const tsl_score_ligand *ligand, const int32_t *places,
                        const int32_t *clashes, int clash_count, int64_t cell, int64_t *energy)
{
    const int n = g->grid;
    const int first = (n - g->box) / 2;
    const int shift[3] = {(int)(cell / ((int64_t)n * n)), (int)(cell / n % n), (int)(cell % n)};
    int64_t sum = 0;
    *energy = 0;
    for (int64_t i = 0; i < ligand->count; i++) {
        sum += tsl_terms_product(&fields[tsl_place_moved(places[i], first, n, shift)],
                                 &ligand->values[i], energy);
    }
    for (int i = 0; i < clash_count; i++) {
        const int field = fields[tsl_place_moved(clashes[i], first, n, shift)].of[TSL_TERM_CLASH];
        sum += (clashes[i] & TSL_PLACE_TRIPLE) != 0 ? 3 * field : field;
    }
    return sum;
}

static tsl_status cpu_sum_terms(tsl_context *context, const tsl_dock_geometry *g,
                                const tsl_terms *fields, const tsl_score_ligand *ligand,
                                const tsl_score_batch *batch, int first, int count,
                                const int64_t *candidates, int k, const int *found)
{
    const int64_t cells = (int64_t)g->box * g->box * g->box;
#pragma omp parallel for num_threads(context->threads) schedule(dynamic, 16)
    for (int64_t i = 0; i < (int64_t)count * k; i++) {
        const int64_t member = first + i / k;
        if (i % k < found[i / k]) {
            batch->scores[i] = tsl_score_of_sum(
                sum_cell(g, fields, ligand, batch->places + member * ligand->count,
                         batch->clashes + member * cells, batch->clash_counts[member],
                         tsl_top_cell(candidates[i]), &batch->energies[i]));
        }
    }
    return TSL_OK;
}

static tsl_status cpu_restrain(tsl_context *context, const tsl_restraint_task *task, int count)
{
    const int64_t words = tsl_restraint_words(task);
    const int cells = task->grid * task->grid * task->grid;
#pragma omp parallel for num_threads(context->threads) schedule(dynamic)
    for (int member = 0; member < count; member++) {
        memset(task->mask + member * words, 0, (size_t)words * sizeof *task->mask);
        for (int ball = 0; ball < task->count[0] * task->count[1]; ball++) {
            for (int slice = 0; slice < task->slices; slice++) {
                tsl_restraint_mark(task, member, ball, slice);
            }
        }
        for (int cell = 0; cell < cells; cell++) {
            tsl_restraint_clear(task, member, cell);
        }
    }
    return TSL_OK;
}

static tsl_status cpu_sum_pairs(tsl_context *context, const tsl_pair_task *task, int count)
{
#pragma omp parallel for num_threads(context->threads) schedule(dynamic, 4)
    for (int pose = 0; pose < count; pose++) {
        int64_t sum = 0;
        for (int j = 0; j < task->ligand_count; j++) {
            sum += tsl_pairs_of_atom(task, task->values, pose, j);
        }
        task->energies[pose] = sum;
    }
    return TSL_OK;
}

const tsl_score_ops tsl_score_cpu = {.place = cpu_place_terms,
                                     .load = cpu_load_term,
                                     .sum = cpu_sum_terms,
                                     .restrain = cpu_restrain,
                                     .pairs = cpu_sum_pairs};
