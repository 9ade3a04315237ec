#include "blocks/csr/column_blocks.h"

#include <string.h>

#include "blocks/csr/tiles.h"
#include "core/context.h"
#include "core/csr.h"
#include "device/device.h"

enum {
    LEAST_LONG = 64,   /* entries of a long row */
    PIECE_ENTRIES = 32 /* of a piece in a block of columns, in the mean, at most */
};

void tsl_column_blocks_free(tsl_column_blocks *blocked)
{
    tsl_release(blocked->first);
    tsl_csr_free(&blocked->piece);
    tsl_csr_free(&blocked->rest);
    *blocked = (tsl_column_blocks){0};
}

static int64_t length_of(const tsl_csr *m, int64_t row)
{
    return m->row_start[row + 1] - m->row_start[row];
}

/* Pieces of a row of so many entries; 0: it stays as it is. */
static int64_t pieces_of(int64_t length, int blocks)
{
    const int64_t most = (int64_t)PIECE_ENTRIES * blocks;
    return length > LEAST_LONG && tsl_tiles_suit_row(length, blocks) ? (length + most - 1) / most
                                                                     : 0;
}

/* Lines of x that a row reads; its columns ascend. */
static int64_t count_lines(const tsl_csr *m, int64_t row)
{
    int64_t lines = length_of(m, row) > 0;
    for (int64_t k = m->row_start[row] + 1; k < m->row_start[row + 1]; k++) {
        lines += m->column[k] / TSL_LINE != m->column[k - 1] / TSL_LINE;
    }
    return lines;
}

/* What a line costs on its way through the second cache, two entries cost as they stream, and a sum
 * is such a line again. A processor loads its part of x at the cost of a third as many lines. */
tsl_column_blocks tsl_column_blocks_choose(tsl_context *context, const tsl_csr *matrix,
                                           const struct tsl_device_properties *device)
{
    tsl_column_blocks out = {.width = tsl_tiles_even_columns(matrix->columns, device)};
    out.blocks = out.width > 0 ? tsl_tiles_blocks(matrix->columns, out.width) : 0;
    if (out.blocks < 2) {
        return out;
    }
    const int blocks = out.blocks;
    int64_t pieces = 0;
    int64_t entries = 0;
    int64_t lines = 0;
#pragma omp parallel for num_threads(context->threads) schedule(dynamic, 4096)                     \
    reduction(+ : pieces, entries, lines)
    for (int64_t i = 0; i < matrix->rows; i++) {
        const int64_t own = pieces_of(length_of(matrix, i), blocks);
        pieces += own;
        entries += own > 0 ? length_of(matrix, i) : 0;
        lines += own > 0 ? count_lines(matrix, i) : 0;
    }
    const int64_t sums = pieces * blocks;
    const bool pays = lines - entries / 2 - sums > (int64_t)device->threads * out.width / 3;
    out.pieces = pays && sums <= INT32_MAX - blocks * TSL_TILE_LANES ? pieces : 0;
    return out;
}

/* Entries of piece p of n. */
static int64_t length_of_piece(int64_t length, int64_t p, int64_t n)
{
    return (length - p + n - 1) / n;
}

/* Each row's first piece, and where pieces begin; returns the entries of all. */
static int64_t count_pieces(tsl_column_blocks *out, const tsl_csr *m, const tsl_layout *layout)
{
    int64_t entries = 0;
    out->first[0] = 0;
    for (int64_t i = layout->from; i < layout->to; i++) {
        int64_t *first = out->first + (i - layout->from);
        const int64_t own = pieces_of(length_of(m, i), out->blocks);
        first[1] = first[0] + own;
        entries += own > 0 ? length_of(m, i) : 0;
    }
    return entries;
}

/* Piece p of a row has its entries p, p + n, … */
static void deal_out(const tsl_csr *out, const tsl_csr *m, int64_t row, const int64_t *first)
{
    const int64_t pieces = first[1] - first[0];
    for (int64_t p = 0; p < pieces; p++) {
        int64_t at = out->row_start[first[0] + p];
        for (int64_t k = m->row_start[row] + p; k < m->row_start[row + 1]; k += pieces, at++) {
            out->column[at] = m->column[k];
            out->value[at] = m->value[k];
        }
    }
}

tsl_status tsl_column_blocks_pieces(tsl_column_blocks *blocked, tsl_context *context,
                                    const tsl_csr *matrix, const tsl_layout *layout)
{
    const int64_t rows = layout->to - layout->from;
    blocked->first = tsl_allocate((size_t)(rows + 1) * sizeof *blocked->first);
    if (blocked->first == NULL) {
        return tsl_fail_memory(context, 8 * rows, "the long rows of a matrix");
    }
    const int64_t entries = count_pieces(blocked, matrix, layout);
    tsl_csr *piece = &blocked->piece;
    const int64_t *first = blocked->first;
    const tsl_status status =
        tsl_csr_allocate(piece, context, first[rows], matrix->columns, entries);
    if (status != TSL_OK) {
        return status;
    }
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t p = first[i]; p < first[i + 1]; p++) {
            piece->row_start[p + 1] =
                piece->row_start[p] + length_of_piece(length_of(matrix, layout->from + i),
                                                      p - first[i], first[i + 1] - first[i]);
        }
    }
#pragma omp parallel for num_threads(context->threads) schedule(dynamic, 64)
    for (int64_t i = 0; i < rows; i++) {
        deal_out(piece, matrix, layout->from + i, first + i);
    }
    return TSL_OK;
}

/* A row's entries: those it had, or the sums of its pieces. */
static void fill_row(const tsl_csr *rest, int64_t i, const tsl_csr *m, int64_t row,
                     const int64_t *first, const tsl_tiles *tiles)
{
    int64_t at = rest->row_start[i];
    if (first[0] == first[1]) {
        const size_t length = (size_t)length_of(m, row);
        memcpy(rest->column + at, m->column + m->row_start[row], length * sizeof *rest->column);
        memcpy(rest->value + at, m->value + m->row_start[row], length * sizeof *rest->value);
        return;
    }
    for (int block = 0; block < tiles->blocks; block++) {
        for (int64_t p = first[0]; p < first[1]; p++, at++) {
            rest->column[at] = (int32_t)~tsl_tiles_slot(tiles, p, block);
            rest->value[at] = 1;
        }
    }
}

tsl_status tsl_column_blocks_rest(tsl_column_blocks *blocked, tsl_context *context,
                                  const tsl_csr *matrix, const tsl_layout *layout,
                                  const tsl_tiles *tiles)
{
    tsl_csr *rest = &blocked->rest;
    const int64_t *first = blocked->first;
    const int64_t rows = layout->to - layout->from;
    const int64_t all = matrix->row_start[layout->to] - matrix->row_start[layout->from];
    const int64_t entries = all - tsl_csr_nonzeros(&blocked->piece) + first[rows] * tiles->blocks;
    tsl_csr_free(&blocked->piece); /* the device has it */
    const tsl_status status = tsl_csr_allocate(rest, context, rows, matrix->columns, entries);
    if (status != TSL_OK) {
        return status;
    }
    for (int64_t i = 0; i < rows; i++) {
        const int64_t sums = (first[i + 1] - first[i]) * tiles->blocks;
        rest->row_start[i + 1] =
            rest->row_start[i] + (sums > 0 ? sums : length_of(matrix, layout->from + i));
    }
#pragma omp parallel for num_threads(context->threads) schedule(dynamic, 1024)
    for (int64_t i = 0; i < rows; i++) {
        fill_row(rest, i, matrix, layout->from + i, first + i, tiles);
    }
    return TSL_OK;
}
