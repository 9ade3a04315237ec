/* What ranks need of each other's vectors for a product. */
#include <string.h>

#include "blocks/vector/layout.h"
#include "device/device.h"

void tsl_halo_free(tsl_halo *halo)
{
    tsl_release(halo->pairs);
    tsl_release(halo->send_counts);
    tsl_release(halo->receive_counts);
    tsl_release(halo->send_row);
    tsl_release(halo->receive_row);
    tsl_release(halo->send);
    tsl_release(halo->receive);
    tsl_halo_leave_gpu(halo);
    *halo = (tsl_halo){0};
}

/* A rank's rows of a vector. */
static tsl_piece rows_of(const tsl_layout *layout, int rank)
{
    return (tsl_piece){tsl_layout_piece_row(layout, layout->rank_piece[rank]),
                       tsl_layout_piece_row(layout, layout->rank_piece[rank + 1])};
}

/* Mark the columns of `wanted` in the rows of `rows`; returns how many were marked. */
static int64_t mark(unsigned char *marked, const tsl_csr *m, tsl_piece rows, tsl_piece wanted)
{
    int64_t count = 0;
    for (int64_t k = m->row_start[rows.from]; k < m->row_start[rows.to]; k++) {
        const int64_t column = m->column[k];
        if (column >= wanted.from && column < wanted.to && !marked[column]) {
            marked[column] = 1;
            count++;
        }
    }
    return count;
}

/* Take the marks off, and write their places to `row`, unless that is NULL. */
static void collect(int32_t *row, unsigned char *marked, tsl_piece wanted)
{
    for (int64_t column = wanted.from, k = 0; column < wanted.to; column++) {
        if (marked[column]) {
            marked[column] = 0;
            if (row != NULL) {
                row[k++] = (int32_t)column;
            }
        }
    }
}

/* Columns of a product's input that rank `from` owns and rank `to` needs; `row` as collect(). */
static int64_t needed(int32_t *row, unsigned char *marked, const tsl_csr *m, const tsl_layout *rows,
                      const tsl_layout *columns, int from, int to)
{
    const tsl_piece wanted = rows_of(columns, from);
    const tsl_piece taker = rows->ranks > 1 ? rows_of(rows, to) : rows_of(rows, 0);
    const int64_t count = mark(marked, m, taker, wanted);
    collect(row, marked, wanted);
    return count;
}

static void find_outer(tsl_halo *h, const tsl_csr *m, const tsl_layout *rows,
                       const tsl_layout *columns)
{
    for (int piece = 0; piece < TSL_SPARSE_SUMS; piece++) {
        const tsl_piece own = tsl_piece_of(rows->rows, piece);
        const bool mine = own.from >= rows->from && own.to <= rows->to;
        for (int64_t k = m->row_start[own.from]; mine && k < m->row_start[own.to]; k++) {
            h->outer[piece] |= m->column[k] < columns->from || m->column[k] >= columns->to;
        }
    }
}

static tsl_status take_memory(tsl_halo *h, tsl_context *context, bool on_gpu)
{
    h->pairs = tsl_allocate((size_t)h->peers * sizeof *h->pairs);
    h->send_counts = tsl_allocate((size_t)h->peers * sizeof *h->send_counts);
    h->receive_counts = tsl_allocate((size_t)h->peers * sizeof *h->receive_counts);
    h->send_row = tsl_allocate((size_t)h->send_count * sizeof *h->send_row);
    h->receive_row = tsl_allocate((size_t)h->receive_count * sizeof *h->receive_row);
    h->send = tsl_allocate(on_gpu ? 0 : (size_t)h->send_count * 8);
    h->receive = tsl_allocate(on_gpu ? 0 : (size_t)h->receive_count * 8);
    return h->pairs != NULL && h->send_counts != NULL && h->receive_counts != NULL &&
                   h->send_row != NULL && h->receive_row != NULL && h->send != NULL &&
                   h->receive != NULL
               ? TSL_OK
               : tsl_fail_memory(context, 12 * (h->send_count + h->receive_count),
                                 "what ranks send each other");
}

static tsl_status make(tsl_halo *h, tsl_context *context, const tsl_csr *m, const tsl_layout *rows,
                       const tsl_layout *columns, unsigned char *marked)
{
    const int rank = columns->rank;
    for (int q = 0; q < columns->ranks; q++) {
        if (q != rank) {
            const int64_t send = needed(NULL, marked, m, rows, columns, rank, q);
            const int64_t receive = needed(NULL, marked, m, rows, columns, q, rank);
            h->send_count += send;
            h->receive_count += receive;
            h->peers += send > 0 || receive > 0;
        }
    }
    const bool on_gpu = context->ops->fused != NULL;
    const tsl_status status = take_memory(h, context, on_gpu);
    if (status != TSL_OK) {
        return status;
    }
    int64_t sent = 0;
    int64_t received = 0;
    int peer = 0;
    for (int q = 0; q < columns->ranks; q++) {
        if (q == rank) {
            continue;
        }
        const int64_t send = needed(h->send_row + sent, marked, m, rows, columns, rank, q);
        const int64_t receive =
            needed(h->receive_row + received, marked, m, rows, columns, q, rank);
        if (send > 0 || receive > 0) {
            h->send_counts[peer] = send;
            h->receive_counts[peer] = receive;
            h->pairs[peer++] = (tsl_comm_pair){.peer = q,
                                               .send = (char *)h->send + 8 * sent,
                                               .receive = (char *)h->receive + 8 * received};
        }
        sent += send;
        received += receive;
    }
    if (on_gpu) {
        return tsl_halo_to_gpu(h, context, m, rows, columns);
    }
    find_outer(h, m, rows, columns);
    return TSL_OK;
}

tsl_status tsl_halo_make(tsl_halo *out, tsl_context *context, const tsl_csr *matrix,
                         const tsl_layout *rows, const tsl_layout *columns)
{
    *out = (tsl_halo){.collective = columns->ranks > 1};
    if (columns->ranks == 1) {
        return TSL_OK;
    }
    unsigned char *marked = tsl_allocate_zeroed((size_t)matrix->columns, 1);
    if (marked == NULL) {
        return tsl_fail_memory(context, matrix->columns, "what ranks send each other");
    }
    const tsl_status status = make(out, context, matrix, rows, columns, marked);
    tsl_release(marked);
    if (status != TSL_OK) {
        tsl_halo_free(out);
    }
    return status;
}

/* Each peer's numbers lie together, from 8 bytes times the count of those before. */
tsl_status tsl_halo_exchange(const tsl_halo *halo, tsl_context *context, void *x, int bytes)
{
    const int32_t *row = halo->send_row;
    for (int p = 0; p < halo->peers; p++) {
        tsl_comm_pair *pair = &halo->pairs[p];
        pair->send_bytes = halo->send_counts[p] * bytes;
        pair->receive_bytes = halo->receive_counts[p] * bytes;
        char *to = (char *)halo->send + 8 * (row - halo->send_row);
        for (int64_t k = 0; k < halo->send_counts[p]; k++) {
            memcpy(to + k * bytes, (const char *)x + (int64_t)bytes * row[k], (size_t)bytes);
        }
        row += halo->send_counts[p];
    }
    const tsl_status status = tsl_comm_exchange(context->comm, NULL, halo->peers, halo->pairs);
    if (status != TSL_OK) {
        return status;
    }
    row = halo->receive_row;
    for (int p = 0; p < halo->peers; p++) {
        const char *from = halo->pairs[p].receive;
        for (int64_t k = 0; k < halo->receive_counts[p]; k++) {
            memcpy((char *)x + (int64_t)bytes * row[k], from + k * bytes, (size_t)bytes);
        }
        row += halo->receive_counts[p];
    }
    return TSL_OK;
}
