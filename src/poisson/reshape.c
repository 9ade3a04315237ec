/* Cells between the boxes that ranks have and the rows they transform: what a rank has of another's
 * rows is packed, exchanged and put in its place. */
#include <string.h>

#include "comm/comm.h"
#include "core/context.h"
#include "poisson/poisson.h"

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

tsl_status tsl_poisson_reshape_create(tsl_poisson_reshape **out, tsl_context *context,
                                      const tsl_poisson_problem *problem, const tsl_box *boxes)
{
    const size_t size = (size_t)problem->share.size;
    int64_t bytes[2];
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
    bool good = reshape->parts != NULL && reshape->numbers != NULL;
    if (bytes[0] > 0 && good) {
        reshape->packed_box = tsl_allocate((size_t)bytes[0]);
        reshape->packed_rows = tsl_allocate((size_t)bytes[1]);
        reshape->staged = tsl_allocate((size_t)bytes[1]);
        good =
            reshape->packed_box != NULL && reshape->packed_rows != NULL && reshape->staged != NULL;
    }
    if (!good) {
        tsl_poisson_reshape_destroy(reshape);
        return tsl_fail_memory(context, tsl_poisson_reshape_bytes(problem),
                               "cells between ranks' boxes");
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
        tsl_release(reshape->packed_box);
        tsl_release(reshape->packed_rows);
        tsl_release(reshape->staged);
        tsl_release(reshape);
    }
}

/* All parts of an array between it and where they lie packed. */
static void pack(const tsl_poisson_reshape *reshape, const side *s, char *array, char *packed,
                 bool there)
{
    const int64_t cell = reshape->precision;
    const int64_t ny = s->box.end[1] - s->box.begin[1];
    const int64_t nz = s->box.end[2] - s->box.begin[2];
    for (int q = 0; q < reshape->size; q++) {
        const tsl_box *part = &s->parts[q];
        const int64_t py = part->end[1] - part->begin[1];
        const int64_t pz = part->end[2] - part->begin[2];
        char *from = packed + s->offsets[q];
        if (s->bytes[q] == 0) {
            continue;
        }
#pragma omp parallel for num_threads(reshape->context->threads)
        for (int64_t x = part->begin[0]; x < part->end[0]; x++) {
            for (int64_t y = part->begin[1]; y < part->end[1]; y++) {
                char *row = array + (((x - s->box.begin[0]) * ny + y - s->box.begin[1]) * nz +
                                     part->begin[2] - s->box.begin[2]) *
                                        cell;
                char *dense = from + ((x - part->begin[0]) * py + y - part->begin[1]) * pz * cell;
                memcpy(there ? dense : row, there ? row : dense, (size_t)(pz * cell));
            }
        }
    }
}

static tsl_status exchange(tsl_poisson_reshape *reshape, const way *w, bool there)
{
    const double begun = tsl_seconds();
    const tsl_comm_parts box = {reshape->packed_box, w->box.bytes, w->box.offsets};
    const tsl_comm_parts rows = {reshape->packed_rows, w->rows.bytes, w->rows.offsets};
    const tsl_status status = tsl_comm_all_to_all(reshape->context->comm, NULL,
                                                  there ? &box : &rows, there ? &rows : &box);
    tsl_profile_add(reshape->context, "reshape", begun,
                    tsl_box_cells(&w->box.box) * reshape->precision, 0);
    return status;
}

tsl_status tsl_poisson_reshape_in(tsl_poisson_reshape *reshape, const void **rows,
                                  const void *source)
{
    const way *w = &reshape->in;
    if (!w->direct) {
        pack(reshape, &w->box, (char *)(uintptr_t)source, reshape->packed_box, true);
    }
    const tsl_status status = exchange(reshape, w, true);
    if (!w->direct && status == TSL_OK) {
        pack(reshape, &w->rows, reshape->staged, reshape->packed_rows, false);
    }
    *rows = w->direct ? source : reshape->staged;
    return status;
}

void *tsl_poisson_reshape_target(tsl_poisson_reshape *reshape, void *potential)
{
    return reshape->out.direct ? potential : reshape->staged;
}

tsl_status tsl_poisson_reshape_out(tsl_poisson_reshape *reshape, void *potential)
{
    const way *w = &reshape->out;
    if (!w->direct) {
        pack(reshape, &w->rows, reshape->staged, reshape->packed_rows, true);
    }
    const tsl_status status = exchange(reshape, w, false);
    if (!w->direct && status == TSL_OK) {
        pack(reshape, &w->box, potential, reshape->packed_box, false);
    }
    return status;
}
