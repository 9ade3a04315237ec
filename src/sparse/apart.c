#include "sparse/apart.h"

#include <stdlib.h>
#include <string.h>

enum {
    BLOCK_COLUMNS = 4096, /* of x: they fit in a first-level cache */
    LEAST_ENTRIES = 4     /* of a piece in the mean; else blocks are wider */
};

/* A matrix on its way. */
typedef struct work {
    const tsl_csr *m;
    int64_t from, to, longest;
    int width; /* columns of a block */
} work;

void tsl_apart_free(tsl_apart *apart)
{
    tsl_release(apart->long_row);
    tsl_release(apart->long_start);
    tsl_release(apart->mask);
    tsl_release(apart->piece);
    tsl_release(apart->column);
    tsl_release(apart->value);
    *apart = (tsl_apart){0};
}

static int64_t length_of(const tsl_csr *m, int64_t row)
{
    return m->row_start[row + 1] - m->row_start[row];
}

int64_t tsl_apart_count(const tsl_csr *matrix, int64_t longest)
{
    int64_t count = 0;
    for (int64_t i = 0; i < matrix->rows; i++) {
        count += length_of(matrix, i) > longest;
    }
    return count;
}

/* The end of the piece that begins with entry k of a row that ends before `end`. */
static int64_t end_of_piece(const work *w, int64_t k, int64_t end)
{
    const int32_t *column = w->m->column;
    const int32_t block = column[k] / w->width;
    const int64_t most = end - k < TSL_CHUNK_ENTRIES ? end : k + TSL_CHUNK_ENTRIES;
    while (++k < most && column[k] / w->width == block) {
    }
    return k;
}

/* What a piece's first entry is a multiple of, so that its sum is made alike wherever it is. */
static int64_t alignment_of(int64_t length)
{
    return length >= TSL_LARGE_ROW ? TSL_LARGE_GROUP : length > 2 * TSL_GROUP ? TSL_GROUP : 1;
}

typedef struct tally {
    int64_t pieces, entries, gaps; /* the last at most */
} tally;

static tally count_row(const work *w, int64_t row)
{
    tally t = {0, length_of(w->m, row), 0};
    const int64_t end = w->m->row_start[row + 1];
    for (int64_t k = w->m->row_start[row]; k < end; t.pieces++) {
        const int64_t behind = end_of_piece(w, k, end);
        t.gaps += alignment_of(behind - k) - 1;
        k = behind;
    }
    return t;
}

/* Of the long rows from … to - 1. */
static tally count_pieces(const work *w, int64_t from, int64_t to)
{
    tally all = {0, 0, 0};
    for (int64_t i = from; i < to; i++) {
        if (length_of(w->m, i) > w->longest) {
            const tally row = count_row(w, i);
            all.pieces += row.pieces;
            all.entries += row.entries;
            all.gaps += row.gaps;
        }
    }
    return all;
}

/* Wide enough that pieces are not too short: the same for all ranks. */
static int choose_width(work *w)
{
    const int64_t columns = w->m->columns;
    w->width = getenv("PIECE") ? atoi(getenv("PIECE")) : BLOCK_COLUMNS;
    for (;;) {
        const tally all = count_pieces(w, 0, w->m->rows);
        if (all.pieces * LEAST_ENTRIES <= all.entries || w->width >= columns) {
            return w->width;
        }
        w->width = w->width < INT32_MAX / 2 ? 2 * w->width : INT32_MAX;
    }
}

static void list_long_rows(tsl_apart *out, const work *w)
{
    int64_t found = 0;
    out->long_start[0] = 0;
    for (int64_t i = w->from; i < w->to; i++) {
        if (length_of(w->m, i) > w->longest) {
            const int64_t row = i - w->from;
            out->mask[row / TSL_PACK_LANES] |= UINT32_C(1) << (unsigned)(row % TSL_PACK_LANES);
            out->long_start[found + 1] = out->long_start[found] + count_row(w, i).pieces;
            out->long_row[found++] = (int32_t)row;
        }
    }
}

/* A piece: entries k … end - 1 of a row; its sum goes to `place`. */
static void append(tsl_apart *out, const tsl_csr *m, int64_t k, int64_t end, int64_t place)
{
    const int64_t length = end - k;
    const int64_t alignment = alignment_of(length);
    int64_t at = out->entries;
    for (; at % alignment != 0; at++) { /* of no row */
        out->column[at] = m->column[k];
        out->value[at] = 0;
    }
    memcpy(out->column + at, m->column + k, (size_t)length * sizeof *out->column);
    memcpy(out->value + at, m->value + k, (size_t)length * sizeof *out->value);
    out->piece[out->pieces++] =
        (tsl_row_piece){.entry = at, .length = (int32_t)length, .place = (int32_t)place};
    out->entries = at + length;
}

/* Pieces block of columns by block; next[2][long_rows]: each row's next entry, and its place. */
static void order_pieces(tsl_apart *out, const work *w, int64_t pieces, int64_t *next)
{
    int64_t *place = next + out->long_rows;
    for (int64_t r = 0; r < out->long_rows; r++) {
        next[r] = w->m->row_start[w->from + out->long_row[r]];
        place[r] = out->long_start[r];
    }
    for (int64_t block = 0; out->pieces < pieces; block++) {
        for (int64_t r = 0; r < out->long_rows; r++) {
            const int64_t end = w->m->row_start[w->from + out->long_row[r] + 1];
            while (next[r] < end && w->m->column[next[r]] / w->width == block) {
                const int64_t behind = end_of_piece(w, next[r], end);
                append(out, w->m, next[r], behind, place[r]++);
                next[r] = behind;
            }
        }
    }
}

static tsl_status make_pieces(tsl_apart *out, tsl_context *context, const work *w)
{
    const int64_t rows = w->to - w->from;
    const tally all = count_pieces(w, w->from, w->to);
    const int64_t entries = all.entries + all.gaps;
    for (int64_t i = w->from; i < w->to; i++) {
        out->long_rows += length_of(w->m, i) > w->longest;
    }
    out->long_row = tsl_allocate((size_t)(out->long_rows + 1) * sizeof *out->long_row);
    out->long_start = tsl_allocate((size_t)(out->long_rows + 1) * sizeof *out->long_start);
    out->mask = tsl_allocate_zeroed((size_t)(rows / TSL_PACK_LANES + 1), sizeof *out->mask);
    out->piece = tsl_allocate((size_t)(all.pieces + 1) * sizeof *out->piece);
    out->column = tsl_allocate((size_t)(entries + 1) * sizeof *out->column);
    out->value = tsl_allocate((size_t)(entries + 1) * sizeof *out->value);
    int64_t *next = tsl_allocate((size_t)(out->long_rows + 1) * 2 * sizeof *next);
    tsl_status status = TSL_OK;
    if (out->long_row == NULL || out->long_start == NULL || out->mask == NULL ||
        out->piece == NULL || out->column == NULL || out->value == NULL || next == NULL) {
        status =
            tsl_fail_memory(context, 16 * all.pieces + 12 * entries, "the long rows of a matrix");
    } else {
        list_long_rows(out, w);
        order_pieces(out, w, all.pieces, next);
    }
    tsl_release(next);
    return status;
}

/* The rows that are not long. */
static tsl_status make_rest(tsl_csr *rest, tsl_context *context, const work *w)
{
    const int64_t *start = w->m->row_start;
    const int64_t rows = w->to - w->from;
    const int64_t entries = start[w->to] - start[w->from] - count_pieces(w, w->from, w->to).entries;
    *rest = (tsl_csr){.rows = rows,
                      .columns = w->m->columns,
                      .row_start = tsl_allocate((size_t)(rows + 1) * sizeof *rest->row_start),
                      .column = tsl_allocate((size_t)(entries + 1) * sizeof *rest->column),
                      .value = tsl_allocate((size_t)(entries + 1) * sizeof *rest->value)};
    if (rest->row_start == NULL || rest->column == NULL || rest->value == NULL) {
        return tsl_fail_memory(context, 8 * rows + 12 * entries, "the rows of a matrix");
    }
    int64_t at = 0;
    for (int64_t i = w->from; i < w->to; i++) {
        const int64_t length = length_of(w->m, i) > w->longest ? 0 : length_of(w->m, i);
        rest->row_start[i - w->from] = at;
        memcpy(rest->column + at, w->m->column + start[i], (size_t)length * sizeof *rest->column);
        memcpy(rest->value + at, w->m->value + start[i], (size_t)length * sizeof *rest->value);
        at += length;
    }
    rest->row_start[rows] = at;
    return TSL_OK;
}

tsl_status tsl_apart_make(tsl_apart *out, tsl_csr *rest, tsl_context *context,
                          const tsl_csr *matrix, const tsl_layout *layout, int64_t longest)
{
    work w = {.m = matrix, .from = layout->from, .to = layout->to, .longest = longest};
    w.width = choose_width(&w);
    *out = (tsl_apart){0};
    *rest = (tsl_csr){0};
    tsl_status status = make_pieces(out, context, &w);
    if (status == TSL_OK) {
        status = make_rest(rest, context, &w);
    }
    if (status != TSL_OK) {
        tsl_apart_free(out);
        tsl_csr_free(rest);
    }
    return status;
}
