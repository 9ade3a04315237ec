#include "sparse/condense.h"

#include <string.h>

#include "blocks/sparse/tiles.h"
#include "core/context.h"
#include "device/device.h"

enum {
    LEAST_LONG = 64,    /* entries of a long row */
    PIECE_ENTRIES = 16, /* of a piece in a block of columns, in the mean, at most */
    LINE = 4            /* numbers of x that come together, in 32 bytes */
};

void tsl_condensed_free(tsl_condensed *condensed)
{
    tsl_csr_free(&condensed->piece);
    tsl_csr_free(&condensed->rest);
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
        lines += m->column[k] / LINE != m->column[k - 1] / LINE;
    }
    return lines;
}

/* What a line costs on its way through the second cache, two entries cost as they stream, and a sum
 * is such a line again. A processor loads its part of x at the cost of a third as many lines. */
tsl_condensed tsl_condense_look(tsl_context *context, const tsl_csr *matrix,
                                const struct tsl_device_properties *device)
{
    tsl_condensed out = {.width = tsl_tiles_even_columns(matrix->columns, device)};
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

static tsl_status take(tsl_csr *out, tsl_context *context, int64_t rows, int64_t columns,
                       int64_t entries)
{
    *out = (tsl_csr){.rows = rows,
                     .columns = columns,
                     .row_start = tsl_allocate((size_t)(rows + 1) * sizeof *out->row_start),
                     .column = tsl_allocate((size_t)(entries + 1) * sizeof *out->column),
                     .value = tsl_allocate((size_t)(entries + 1) * sizeof *out->value)};
    return out->row_start != NULL && out->column != NULL && out->value != NULL
               ? TSL_OK
               : tsl_fail_memory(context, 8 * rows + 12 * entries, "the long rows of a matrix");
}

/* Deal the entries from … to - 1 out to `pieces` of them, behind the `done` that there are. */
static void deal_out(const tsl_csr *out, const tsl_csr *m, int64_t from, int64_t to, int64_t pieces,
                     int64_t done)
{
    for (int64_t p = 0; p < pieces; p++) {
        int64_t at = out->row_start[done + p];
        for (int64_t k = from + p; k < to; k += pieces, at++) {
            out->column[at] = m->column[k];
            out->value[at] = m->value[k];
        }
        out->row_start[done + p + 1] = at;
    }
}

/* Pieces of a rank's long rows, and entries. */
typedef struct tally {
    int64_t pieces, entries;
} tally;

static tally count(const tsl_csr *m, const tsl_layout *layout, int blocks)
{
    tally t = {0, 0};
    for (int64_t i = layout->from; i < layout->to; i++) {
        const int64_t own = pieces_of(length_of(m, i), blocks);
        t.pieces += own;
        t.entries += own > 0 ? length_of(m, i) : 0;
    }
    return t;
}

tsl_status tsl_condense_pieces(tsl_condensed *condensed, tsl_context *context,
                               const tsl_csr *matrix, const tsl_layout *layout)
{
    const tally t = count(matrix, layout, condensed->blocks);
    const tsl_status status =
        take(&condensed->piece, context, t.pieces, matrix->columns, t.entries);
    if (status != TSL_OK) {
        return status;
    }
    int64_t done = 0;
    condensed->piece.row_start[0] = 0;
    for (int64_t i = layout->from; i < layout->to; i++) {
        const int64_t own = pieces_of(length_of(matrix, i), condensed->blocks);
        deal_out(&condensed->piece, matrix, matrix->row_start[i], matrix->row_start[i + 1], own,
                 done);
        done += own;
    }
    return TSL_OK;
}

/* Entries for the sums of `pieces` pieces from number `first` on; returns the place behind them. */
static int64_t refer(const tsl_csr *rest, int64_t at, int64_t pieces, int64_t first,
                     const tsl_tiles *tiles)
{
    for (int block = 0; block < tiles->blocks; block++) {
        for (int64_t p = first; p < first + pieces; p++) {
            rest->column[at] = (int32_t)~tsl_tiles_slot(tiles, p, block);
            rest->value[at++] = 1;
        }
    }
    return at;
}

tsl_status tsl_condense_rest(tsl_condensed *condensed, tsl_context *context, const tsl_csr *matrix,
                             const tsl_layout *layout, const tsl_tiles *tiles)
{
    tsl_csr *rest = &condensed->rest;
    const tally t = count(matrix, layout, tiles->blocks);
    const int64_t all = matrix->row_start[layout->to] - matrix->row_start[layout->from];
    const tsl_status status = take(rest, context, layout->to - layout->from, matrix->columns,
                                   all - t.entries + t.pieces * tiles->blocks);
    if (status != TSL_OK) {
        return status;
    }
    int64_t done = 0;
    int64_t at = 0;
    for (int64_t i = layout->from; i < layout->to; i++) {
        const int64_t from = matrix->row_start[i];
        const int64_t length = length_of(matrix, i);
        const int64_t own = pieces_of(length, tiles->blocks);
        rest->row_start[i - layout->from] = at;
        if (own > 0) {
            at = refer(rest, at, own, done, tiles);
            done += own;
            continue;
        }
        memcpy(rest->column + at, matrix->column + from, (size_t)length * sizeof *rest->column);
        memcpy(rest->value + at, matrix->value + from, (size_t)length * sizeof *rest->value);
        at += length;
    }
    rest->row_start[rest->rows] = at;
    return TSL_OK;
}
