/* Cycles of the permutation that transposes a matrix of cells, cut into segments that can be
 * followed at the same time. */
#include "blocks/transpose/transpose.h"

/* Segments in flight that keep any device busy. */
enum { SEGMENTS_WANTED = 4096 };

/* Parts of a cell are no shorter than this many bytes, if the cell is not. */
enum { SHORTEST_PART = 512 };

static tsl_status add_segment(tsl_transpose_steps *steps, tsl_transpose_segment segment)
{
    if (steps->segment_count == steps->segment_capacity) {
        const int64_t capacity = steps->segment_capacity > 0 ? 2 * steps->segment_capacity : 64;
        const size_t each = sizeof *steps->segments;
        tsl_transpose_segment *grown = tsl_reallocate(
            steps->segments, (size_t)steps->segment_count * each, (size_t)capacity * each);
        if (grown == NULL) {
            return tsl_fail_memory(steps->context, capacity * (int64_t)each, "cycles");
        }
        steps->segments = grown;
        steps->segment_capacity = capacity;
    }
    steps->segments[steps->segment_count++] = segment;
    return TSL_OK;
}

/* A batch of cycles under way: its step, and the most segments it may have. */
typedef struct batch {
    tsl_transpose_step step;
    int64_t room;
} batch;

/* Add the batch's steps: one for each part of the cells. */
static tsl_status flush(tsl_transpose_steps *steps, batch *b)
{
    const int64_t part = b->step.cycles.cell;
    const int64_t pitch = b->step.cycles.pitch;
    tsl_status status = TSL_OK;
    b->step.cycles.count = (int)(steps->segment_count - b->step.segment);
    for (int64_t at = 0; at < pitch && b->step.cycles.count > 0 && status == TSL_OK; at += part) {
        tsl_transpose_step step = b->step;
        step.out.offset += at;
        step.cycles.cell = part < pitch - at ? part : pitch - at;
        status = tsl_transpose_add(steps, &step);
    }
    const int64_t end = b->step.in.offset + b->step.cycles.count * part;
    steps->used = end > steps->used ? end : steps->used;
    b->step.segment = steps->segment_count;
    return status;
}

static void mark(uint64_t *seen, int64_t place)
{
    seen[place / 64] |= UINT64_C(1) << place % 64;
}

static bool is_marked(const uint64_t *seen, int64_t place)
{
    return (seen[place / 64] >> place % 64 & 1) != 0;
}

/* Add the cycle through `start`, of `length` places, in segments of up to `longest`; a cycle stays
 * in one batch. */
static tsl_status add_cycle(tsl_transpose_steps *steps, batch *b, int64_t start, int64_t length,
                            int64_t longest)
{
    int64_t pieces = (length + longest - 1) / longest;
    pieces = pieces < b->room ? pieces : b->room;
    tsl_status status = TSL_OK;
    if (steps->segment_count - b->step.segment + pieces > b->room) {
        status = flush(steps, b);
    }
    const int64_t first = steps->segment_count - b->step.segment;
    int64_t place = start;
    for (int64_t i = 0; i < pieces && status == TSL_OK; i++) {
        const int64_t count = length * (i + 1) / pieces - length * i / pieces;
        const int64_t next = first + (i + 1) % pieces;
        status = add_segment(steps,
                             (tsl_transpose_segment){.start = place, .count = count, .next = next});
        for (int64_t k = 0; k < count; k++) {
            place = tsl_transpose_source(b->step.cycles.rows, b->step.cycles.columns, place);
        }
    }
    return status;
}

/* Segments in flight, and bytes of a cell that move at a time: whole cells if enough of them fit.
 */
static void choose_parts(batch *b, int64_t cells, int64_t room)
{
    tsl_transpose_cycles *c = &b->step.cycles;
    const int64_t wanted = cells < SEGMENTS_WANTED ? cells : SEGMENTS_WANTED;
    const int64_t share = room / wanted / 16 * 16;
    const int64_t part = share > SHORTEST_PART ? share : SHORTEST_PART;
    c->cell = part < c->pitch ? part : c->pitch;
    b->room = room / c->cell < wanted ? room / c->cell : wanted;
}

tsl_status tsl_transpose_add_cycles(tsl_transpose_steps *steps, tsl_transpose_place data,
                                    const tsl_transpose_cycles *matrix, tsl_transpose_place first,
                                    int64_t room)
{
    const int64_t cells = matrix->rows * matrix->columns;
    batch b = {.step = {.action = TSL_TRANSPOSE_FOLLOW,
                        .out = data,
                        .in = first,
                        .cycles = *matrix,
                        .segment = steps->segment_count}};
    choose_parts(&b, cells, room);
    if (b.room < 1) {
        return tsl_fail(steps->context, TSL_E_NOMEM,
                        "in place this shape needs %lld bytes of auxiliary memory, more than the "
                        "%lld allowed",
                        (long long)b.step.cycles.cell, (long long)room);
    }
    const size_t words = (size_t)((cells + 63) / 64);
    uint64_t *seen = tsl_allocate_zeroed(words, sizeof *seen);
    if (seen == NULL) {
        return tsl_fail_memory(steps->context, (int64_t)(words * sizeof *seen), "cycles");
    }
    const int64_t longest = (cells + b.room - 1) / b.room;
    tsl_status status = TSL_OK;
    for (int64_t start = 1; start < cells - 1 && status == TSL_OK; start++) {
        int64_t length = 0; /* the first and the last cell stay */
        for (int64_t at = start; !is_marked(seen, at); length++) {
            mark(seen, at);
            at = tsl_transpose_source(matrix->rows, matrix->columns, at);
        }
        if (length > 1) {
            status = add_cycle(steps, &b, start, length, longest);
        }
    }
    tsl_release(seen);
    return status == TSL_OK ? flush(steps, &b) : status;
}
