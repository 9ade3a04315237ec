#include "blocks/vector/layout.h"

#include <string.h>

#include "blocks/vector/fused_kernels.h"
#include "device/device.h"

void tsl_layout_free(tsl_layout *layout)
{
    tsl_release(layout->rank_piece);
    tsl_release(layout->thread_piece);
    tsl_release(layout->staging);
    tsl_release(layout->part_bytes);
    tsl_release(layout->part_offset);
    tsl_release(layout->pairs);
    *layout = (tsl_layout){0};
}

int64_t tsl_layout_piece_row(const tsl_layout *layout, int piece)
{
    return layout->on_gpu            ? tsl_fused_row(layout->rows, 1, piece)
           : piece < TSL_SPARSE_SUMS ? tsl_piece_of(layout->rows, piece).from
                                     : layout->rows;
}

/* What the rows before a piece cost: entries, and two more each for what is done with vectors. */
static int64_t cost_before(const tsl_layout *layout, const int64_t *row_start, int piece)
{
    const int64_t row = tsl_layout_piece_row(layout, piece);
    return 2 * row + (row_start != NULL ? row_start[row] : 0);
}

/* Cut the pieces `from` to `to` - 1 into `shares` of about equal cost: first[shares + 1]. */
static void cut(int *first, int shares, const tsl_layout *layout, const int64_t *row_start,
                int from, int to)
{
    const int64_t begin = cost_before(layout, row_start, from);
    const int64_t cost = cost_before(layout, row_start, to) - begin;
    int piece = from;
    first[0] = from;
    for (int share = 1; share < shares; share++) {
        const int64_t wanted = begin + cost / shares * share;
        while (piece < to && cost_before(layout, row_start, piece + 1) <= wanted) {
            piece++;
        }
        first[share] = piece;
    }
    first[shares] = to;
}

tsl_status tsl_layout_make(tsl_layout *out, tsl_context *context, int64_t rows,
                           const int64_t *row_start, bool whole)
{
    const int ranks = whole ? 1 : tsl_comm_size(context->comm);
    const bool on_gpu = context->ops->fused != NULL;
    *out = (tsl_layout){.rows = rows,
                        .on_gpu = on_gpu,
                        .ranks = ranks,
                        .rank = whole ? 0 : tsl_comm_rank(context->comm)};
    out->rank_piece = tsl_allocate((size_t)(ranks + 1) * sizeof *out->rank_piece);
    out->thread_piece = tsl_allocate((size_t)(context->threads + 1) * sizeof *out->thread_piece);
    out->part_bytes = tsl_allocate((size_t)ranks * sizeof *out->part_bytes);
    out->part_offset = tsl_allocate((size_t)ranks * sizeof *out->part_offset);
    bool enough = out->rank_piece != NULL && out->thread_piece != NULL && out->part_bytes != NULL &&
                  out->part_offset != NULL;
    if (enough) {
        cut(out->rank_piece, ranks, out, row_start, 0, TSL_SPARSE_SUMS);
        const int from = out->rank_piece[out->rank];
        const int to = out->rank_piece[out->rank + 1];
        cut(out->thread_piece, context->threads, out, row_start, from, to);
        out->from = tsl_layout_piece_row(out, from);
        out->to = tsl_layout_piece_row(out, to);
    }
    if (enough && on_gpu) {
        out->pairs = tsl_allocate((size_t)ranks * sizeof *out->pairs);
        enough = out->pairs != NULL;
    } else if (enough && ranks > 1) {
        const int64_t sums = (int64_t)TSL_SPARSE_SUMS * TSL_MOST_SUMS;
        const int64_t own = out->to - out->from;
        out->staging = tsl_allocate((size_t)(own > sums ? own : sums) * 8);
        enough = out->staging != NULL;
    }
    if (!enough) {
        tsl_layout_free(out);
        return tsl_fail_memory(context, 8 * rows, "dealing out the rows of a matrix");
    }
    return TSL_OK;
}

tsl_part_range tsl_layout_parts(const tsl_layout *layout)
{
    const int each = tsl_fused_each(layout->rows);
    const int all = tsl_fused_parts(layout->rows);
    const int from = layout->rank_piece[layout->rank] * each;
    const int to = layout->rank_piece[layout->rank + 1] * each;
    const int first = from < all ? from : all;
    return (tsl_part_range){.first = first, .count = (to < all ? to : all) - first};
}

/* Each sends its part to all others, straight from where it is. */
static tsl_status exchange_parts(const tsl_layout *layout, char *data)
{
    const tsl_exchange_stream *exchange = layout->exchange;
    int count = 0;
    for (int q = 0; q < layout->ranks; q++) {
        if (q != layout->rank) {
            layout->pairs[count++] =
                (tsl_comm_pair){.peer = q,
                                .send = data + layout->part_offset[layout->rank],
                                .send_bytes = layout->part_bytes[layout->rank],
                                .receive = data + layout->part_offset[q],
                                .receive_bytes = layout->part_bytes[q]};
        }
    }
    tsl_status status = tsl_exchange_stream_enter(exchange);
    if (status == TSL_OK) {
        status = tsl_comm_exchange(exchange->comm, exchange->beside, count, layout->pairs);
    }
    return tsl_exchange_stream_leave(exchange, status);
}

/* Gather the parts first[q] … first[q + 1] - 1 of elements of `bytes` bytes. */
static tsl_status gather(const tsl_layout *layout, tsl_context *context, void *data, int64_t bytes,
                         bool pieces)
{
    for (int q = 0; q < layout->ranks; q++) {
        const int from = layout->rank_piece[q];
        const int to = layout->rank_piece[q + 1];
        const int64_t first = pieces ? from : tsl_layout_piece_row(layout, from);
        const int64_t end = pieces ? to : tsl_layout_piece_row(layout, to);
        layout->part_offset[q] = first * bytes;
        layout->part_bytes[q] = (end - first) * bytes;
    }
    if (layout->exchange != NULL) {
        return exchange_parts(layout, data);
    }
    const int64_t own = layout->part_bytes[layout->rank];
    if (own > 0) {
        memcpy(layout->staging, (const char *)data + layout->part_offset[layout->rank],
               (size_t)own);
    }
    const tsl_comm_parts parts = {data, layout->part_bytes, layout->part_offset};
    return tsl_comm_gather(context->comm, NULL, layout->staging, own, &parts, TSL_COMM_ALL);
}

tsl_status tsl_layout_gather(const tsl_layout *layout, tsl_context *context, void *vector,
                             int bytes)
{
    return layout->ranks > 1 ? gather(layout, context, vector, bytes, false) : TSL_OK;
}

tsl_status tsl_layout_gather_sums(const tsl_layout *layout, tsl_context *context, double *sums,
                                  int width)
{
    return layout->ranks > 1 ? gather(layout, context, sums, 8 * (int64_t)width, true) : TSL_OK;
}
