/* Cells between the boxes that ranks have and the rows they transform: what a rank has of another's
 * rows is packed, exchanged and put in its place, in the memory of its device. */
#include <string.h>

#include "comm/comm.h"
#include "core/context.h"
#include "device/device.h"
#include "solvers/poisson/poisson.h"

/* A box, and a part of it for each rank, one after another. */
typedef struct side {
    tsl_box box;
    tsl_box *parts;           /* [size] */
    int64_t *bytes, *offsets; /* [size] */
} side;

/* From boxes to rows, or back from rows to boxes. */
typedef struct way {
    bool direct; /* this rank's box is its rows: nothing of it moves */
    side box, rows;
} way;

struct tsl_poisson_reshape {
    tsl_context *context;
    int size;
    int64_t precision;
    way in, out;
    tsl_box *parts;                          /* theirs */
    int64_t *numbers;                        /* theirs */
    char *packed_box, *packed_rows, *staged; /* NULL where all is direct */
};

static bool is_direct(const tsl_poisson_problem *problem, const tsl_box *box)
{
    const tsl_box rows = tsl_poisson_box_of(problem, problem->share.rank);
    return memcmp(&rows, box, sizeof rows) == 0 ||
           (tsl_box_cells(&rows) == 0 && tsl_box_cells(box) == 0);
}

/* Bytes of the packed box, and of the packed rows, which the staged ones are too. */
static void settle_bytes(const tsl_poisson_problem *problem, int64_t bytes[2])
{
    const tsl_box rows = tsl_poisson_box_of(problem, problem->share.rank);
    const int64_t in = tsl_box_cells(&problem->source);
    const int64_t out = tsl_box_cells(&problem->potential);
    bytes[0] = bytes[1] = 0;
    if (!is_direct(problem, &problem->source) || !is_direct(problem, &problem->potential)) {
        const int64_t cell = (int64_t)problem->grid.precision;
        bytes[0] = (in > out ? in : out) * cell + 64;
        bytes[1] = tsl_box_cells(&rows) * cell + 64;
    }
}

int64_t tsl_poisson_reshape_bytes(const tsl_poisson_problem *problem)
{
    int64_t bytes[2];
    settle_bytes(problem, bytes);
    return bytes[0] + 2 * bytes[1];
}

static tsl_box intersection(const tsl_box *a, const tsl_box *b)
{
    tsl_box common;
    for (int axis = 0; axis < 3; axis++) {
        common.begin[axis] = a->begin[axis] > b->begin[axis] ? a->begin[axis] : b->begin[axis];
        common.end[axis] = a->end[axis] < b->end[axis] ? a->end[axis] : b->end[axis];
    }
    return common;
}

static void settle_side(side *s, const tsl_poisson_reshape *reshape, int number)
{
    const size_t first = (size_t)number * (size_t)reshape->size;
    s->parts = reshape->parts + first;
    s->bytes = reshape->numbers + 2 * first;
    s->offsets = s->bytes + reshape->size;
    memset(s->bytes, 0, 2 * (size_t)reshape->size * sizeof *s->bytes);
}

/* Rank q's part of box `kind` among `boxes` and of the rows. */
static void settle_way(way *w, tsl_poisson_reshape *reshape, const tsl_poisson_problem *problem,
                       const tsl_box *boxes, int kind)
{
    const int rank = problem->share.rank;
    side *const sides[] = {&w->box, &w->rows};
    settle_side(&w->box, reshape, 2 * kind);
    settle_side(&w->rows, reshape, 2 * kind + 1);
    w->box.box = boxes[2 * rank + kind];
    w->rows.box = tsl_poisson_box_of(problem, rank);
    w->direct = is_direct(problem, &w->box.box);
    for (int q = 0; q < reshape->size; q++) {
        const tsl_box rows = tsl_poisson_box_of(problem, q);
        w->box.parts[q] = intersection(&w->box.box, &rows);
        w->rows.parts[q] = intersection(&w->rows.box, &boxes[2 * q + kind]);
        for (int i = 0; i < 2 && !w->direct; i++) {
            side *s = sides[i];
            s->bytes[q] = tsl_box_cells(&s->parts[q]) * reshape->precision;
            s->offsets[q] = q > 0 ? s->offsets[q - 1] + s->bytes[q - 1] : 0;
        }
    }
}

static tsl_status take_memory(tsl_poisson_reshape *reshape, const int64_t bytes[2])
{
    const int64_t each[] = {bytes[0], bytes[1], bytes[1]};
    void *memory[3] = {NULL};
    tsl_status status = TSL_OK;
    for (int i = 0; i < 3 && status == TSL_OK; i++) {
        status = tsl_device_allocate(&memory[i], reshape->context, each[i],
                                     "cells between ranks' boxes");
    }
    reshape->packed_box = memory[0];
    reshape->packed_rows = memory[1];
    reshape->staged = memory[2];
    return status;
}

/* Does any rank's box differ from its rows? */
static bool has_boxes(const tsl_poisson_problem *problem, const tsl_box *boxes)
{
    for (int q = 0; q < problem->share.size; q++) {
        const tsl_box rows = tsl_poisson_box_of(problem, q);
        for (int kind = 0; kind < 2; kind++) {
            if (memcmp(&rows, &boxes[2 * q + kind], sizeof rows) != 0) {
                return true;
            }
        }
    }
    return false;
}

tsl_status tsl_poisson_reshape_create(tsl_poisson_reshape **out, tsl_context *context,
                                      const tsl_poisson_problem *problem, const tsl_box *boxes)
{
    const size_t size = (size_t)problem->share.size;
    int64_t bytes[2];
    *out = NULL;
    if (!has_boxes(problem, boxes)) {
        return TSL_OK;
    }
    tsl_poisson_reshape *reshape = tsl_allocate_zeroed(1, sizeof *reshape);
    if (reshape == NULL) {
        return tsl_fail_memory(context, sizeof *reshape, "a Poisson plan");
    }
    settle_bytes(problem, bytes);
    reshape->context = context;
    reshape->size = problem->share.size;
    reshape->precision = (int64_t)problem->grid.precision;
    reshape->parts = tsl_allocate(4 * size * sizeof *reshape->parts);
    reshape->numbers = tsl_allocate(8 * size * sizeof *reshape->numbers);
    tsl_status status = TSL_OK;
    if (reshape->parts == NULL || reshape->numbers == NULL) {
        status = tsl_fail_memory(context, 8 * (int64_t)(size * sizeof *reshape->parts),
                                 "a Poisson plan");
    }
    if (bytes[0] > 0 && status == TSL_OK) {
        status = take_memory(reshape, bytes);
    }
    if (status != TSL_OK) {
        tsl_poisson_reshape_destroy(reshape);
        return status;
    }
    settle_way(&reshape->in, reshape, problem, boxes, 0);
    settle_way(&reshape->out, reshape, problem, boxes, 1);
    *out = reshape;
    return TSL_OK;
}

void tsl_poisson_reshape_destroy(tsl_poisson_reshape *reshape)
{
    if (reshape != NULL) {
        tsl_release(reshape->parts);
        tsl_release(reshape->numbers);
        tsl_device_release(reshape->context, reshape->packed_box);
        tsl_device_release(reshape->context, reshape->packed_rows);
        tsl_device_release(reshape->context, reshape->staged);
        tsl_release(reshape);
    }
}

/* What tsl_poisson_kernels' move() does, on the host. */
static void move_here(const tsl_poisson_reshape *reshape, const tsl_poisson_move *what)
{
    const int64_t real = reshape->precision;
#pragma omp parallel for num_threads(                                                              \
    tsl_threads_for(reshape->context, (int64_t)what->n[0] * what->n[1] * what->n[2]))
    for (int x = 0; x < what->n[0]; x++) {
        for (int y = 0; y < what->n[1]; y++) {
            memcpy((char *)what->to.at + (x * what->to.x + y * what->to.y) * what->to.strip * real,
                   (const char *)what->from.at +
                       (x * what->from.x + y * what->from.y) * what->from.strip * real,
                   (size_t)(what->n[2] * real));
        }
    }
}

/* Part q of an array, and where it lies packed. */
static tsl_poisson_move move_of(const tsl_poisson_reshape *reshape, const side *s, int q,
                                char *array, char *packed)
{
    const tsl_box *part = &s->parts[q];
    const int64_t ny = s->box.end[1] - s->box.begin[1];
    const int64_t nz = s->box.end[2] - s->box.begin[2];
    const int64_t first =
        ((part->begin[0] - s->box.begin[0]) * ny + part->begin[1] - s->box.begin[1]) * nz +
        part->begin[2] - s->box.begin[2];
    tsl_poisson_move what = {.precision = (tsl_precision)reshape->precision};
    for (int axis = 0; axis < 3; axis++) {
        what.n[axis] = (int)(part->end[axis] - part->begin[axis]);
    }
    what.to = what.from = (tsl_poisson_strips){.at = packed + s->offsets[q],
                                               .x = what.n[1],
                                               .y = 1,
                                               .strip = what.n[2],
                                               .ny = what.n[1],
                                               .nz = what.n[2]};
    what.from.at = array + first * reshape->precision;
    what.from.x = ny;
    what.from.strip = nz;
    return what;
}

/* All parts of an array between it and where they lie packed. */
static tsl_status pack(const tsl_poisson_reshape *reshape, const side *s, char *array, char *packed,
                       bool there)
{
    tsl_context *context = reshape->context;
    const tsl_poisson_kernels *kernels = context->ops->poisson->kernels;
    tsl_status status = TSL_OK;
    for (int q = 0; q < reshape->size && status == TSL_OK; q++) {
        tsl_poisson_move what = move_of(reshape, s, q, array, packed);
        if (s->bytes[q] == 0) {
            continue;
        }
        if (!there) {
            const tsl_poisson_strips to = what.from;
            what.from = what.to;
            what.to = to;
        }
        if (kernels != NULL) {
            status = kernels->move(context, &what);
        } else {
            move_here(reshape, &what);
        }
    }
    return status == TSL_OK ? TSL_OK : tsl_comm_refuse(context, status);
}

static tsl_status exchange(tsl_poisson_reshape *reshape, const way *w, bool there)
{
    const double begun = tsl_seconds();
    const tsl_comm_parts box = {reshape->packed_box, w->box.bytes, w->box.offsets};
    const tsl_comm_parts rows = {reshape->packed_rows, w->rows.bytes, w->rows.offsets};
    const tsl_status status = tsl_comm_all_to_all(reshape->context->comm, reshape->context,
                                                  there ? &box : &rows, there ? &rows : &box);
    tsl_profile_add(reshape->context, "reshape", begun,
                    tsl_box_cells(&w->box.box) * reshape->precision, 0);
    return status;
}

/* `source` in this rank's box to its rows: *rows is `source` itself, or memory of the reshape's
 * that may be written. Collective. */
static tsl_status bring_in(tsl_poisson_reshape *reshape, const void **rows, const void *source)
{
    const way *w = &reshape->in;
    tsl_status status = TSL_OK;
    if (!w->direct) {
        status = pack(reshape, &w->box, (char *)(uintptr_t)source, reshape->packed_box, true);
    }
    if (status == TSL_OK) {
        status = exchange(reshape, w, true);
    }
    if (!w->direct && status == TSL_OK) {
        status = pack(reshape, &w->rows, reshape->staged, reshape->packed_rows, false);
    }
    *rows = w->direct ? source : reshape->staged;
    return status;
}

/* Where the rows of the potential go, to be handed out to its box. */
static void *target_of(tsl_poisson_reshape *reshape, void *potential)
{
    return reshape->out.direct ? potential : reshape->staged;
}

/* From the rows of the potential, where target_of() has them, to this rank's box. Collective. */
static tsl_status hand_out(tsl_poisson_reshape *reshape, void *potential)
{
    const way *w = &reshape->out;
    tsl_status status = TSL_OK;
    if (!w->direct) {
        status = pack(reshape, &w->rows, reshape->staged, reshape->packed_rows, true);
    }
    if (status == TSL_OK) {
        status = exchange(reshape, w, false);
    }
    if (!w->direct && status == TSL_OK) {
        status = pack(reshape, &w->box, potential, reshape->packed_box, false);
    }
    return status;
}

tsl_status tsl_poisson_solve_boxes(tsl_context *context, tsl_poisson_solver *solver,
                                   tsl_poisson_reshape *reshape, void *result, const void *source,
                                   int axis)
{
    const tsl_poisson_ops *ops = tsl_poisson_ops_of(context);
    if (reshape == NULL) {
        return ops->solve(solver, result, source, axis);
    }
    const void *rows;
    tsl_status status = bring_in(reshape, &rows, source);
    if (status == TSL_OK) {
        status = ops->solve(solver, target_of(reshape, result), rows, axis);
    }
    return status == TSL_OK ? hand_out(reshape, result) : status;
}
