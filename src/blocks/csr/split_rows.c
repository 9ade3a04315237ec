#include "blocks/csr/split_rows.h"

#include <string.h>

/* A rank's rows of a matrix on their way. */
typedef struct work {
    const tsl_csr *m;
    int64_t from, to, longest;
} work;

void tsl_split_rows_free(tsl_split_rows *split)
{
    tsl_release(split->long_row);
    tsl_release(split->long_start);
    tsl_release(split->mask);
    tsl_release(split->piece);
    tsl_release(split->column);
    tsl_release(split->value);
    *split = (tsl_split_rows){0};
}

static int64_t length_of(const tsl_csr *m, int64_t row)
{
    return m->row_start[row + 1] - m->row_start[row];
}

int64_t tsl_split_rows_count(const tsl_csr *matrix, int64_t longest)
{
    int64_t count = 0;
    for (int64_t i = 0; i < matrix->rows; i++) {
        count += length_of(matrix, i) > longest;
    }
    return count;
}

/* What a piece's first entry is a multiple of, so that its sum is made alike wherever it is. */
static int64_t alignment_of(int64_t length)
{
    return length >= TSL_LARGE_ROW ? TSL_LARGE_GROUP : length > 2 * TSL_GROUP ? TSL_GROUP : 1;
}

/* Long rows, their pieces and entries; gaps before pieces at most. */
typedef struct tally {
    int64_t rows, pieces, entries, gaps;
} tally;

static tally count_pieces(const work *w)
{
    tally t = {0, 0, 0, 0};
    for (int64_t i = w->from; i < w->to; i++) {
        const int64_t length = length_of(w->m, i);
        const int64_t pieces = (length + TSL_CHUNK_ENTRIES - 1) / TSL_CHUNK_ENTRIES;
        if (length > w->longest) {
            t.rows++;
            t.pieces += pieces;
            t.entries += length;
            t.gaps += pieces * (TSL_LARGE_GROUP - 1);
        }
    }
    return t;
}

/* A piece: entries k … end - 1. */
static void append(tsl_split_rows *out, const tsl_csr *m, int64_t k, int64_t end)
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
    out->piece[out->pieces++] = (tsl_row_piece){.entry = at, .length = length};
    out->entries = at + length;
}

static void cut_rows(tsl_split_rows *out, const work *w)
{
    for (int64_t i = w->from; i < w->to; i++) {
        if (length_of(w->m, i) <= w->longest) {
            continue;
        }
        const int64_t row = i - w->from;
        const int64_t end = w->m->row_start[i + 1];
        out->mask[row / TSL_SLICE_LANES] |= UINT32_C(1) << (unsigned)(row % TSL_SLICE_LANES);
        out->long_row[out->long_rows] = (int32_t)row;
        out->long_start[out->long_rows++] = out->pieces;
        for (int64_t k = w->m->row_start[i]; k < end; k += TSL_CHUNK_ENTRIES) {
            append(out, w->m, k, end - k < TSL_CHUNK_ENTRIES ? end : k + TSL_CHUNK_ENTRIES);
        }
    }
    out->long_start[out->long_rows] = out->pieces;
}

static tsl_status make_pieces(tsl_split_rows *out, tsl_context *context, const work *w)
{
    const tally all = count_pieces(w);
    const size_t rows = (size_t)all.rows + 1;
    const size_t entries = (size_t)(all.entries + all.gaps) + 1;
    out->long_row = tsl_allocate(rows * sizeof *out->long_row);
    out->long_start = tsl_allocate(rows * sizeof *out->long_start);
    out->mask =
        tsl_allocate_zeroed((size_t)((w->to - w->from) / TSL_SLICE_LANES + 1), sizeof *out->mask);
    out->piece = tsl_allocate((size_t)(all.pieces + 1) * sizeof *out->piece);
    out->column = tsl_allocate(entries * sizeof *out->column);
    out->value = tsl_allocate(entries * sizeof *out->value);
    if (out->long_row == NULL || out->long_start == NULL || out->mask == NULL ||
        out->piece == NULL || out->column == NULL || out->value == NULL) {
        return tsl_fail_memory(context, 16 * all.pieces + 12 * (int64_t)entries,
                               "the long rows of a matrix");
    }
    cut_rows(out, w);
    return TSL_OK;
}

/* The rows that are not long. */
static tsl_status make_rest(tsl_csr *rest, tsl_context *context, const work *w)
{
    const int64_t *start = w->m->row_start;
    const int64_t rows = w->to - w->from;
    const int64_t entries = start[w->to] - start[w->from] - count_pieces(w).entries;
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

tsl_status tsl_split_rows_make(tsl_split_rows *out, tsl_csr *rest, tsl_context *context,
                               const tsl_csr *matrix, const tsl_layout *layout, int64_t longest)
{
    const work w = {.m = matrix, .from = layout->from, .to = layout->to, .longest = longest};
    *out = (tsl_split_rows){0};
    *rest = (tsl_csr){0};
    tsl_status status = make_pieces(out, context, &w);
    if (status == TSL_OK) {
        status = make_rest(rest, context, &w);
    }
    if (status != TSL_OK) {
        tsl_split_rows_free(out);
        tsl_csr_free(rest);
    }
    return status;
}
