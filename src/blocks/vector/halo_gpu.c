/* What ranks on GPUs need of each other's vectors for a product. */
#include "blocks/vector/fused_kernels.h"
#include "blocks/vector/layout.h"
#include "comm/comm.h"
#include "device/device.h"

enum { SCATTERED = -1 };

void tsl_halo_leave_gpu(tsl_halo *halo)
{
    tsl_device_halo *d = &halo->device;
    if (d->context == NULL) {
        return;
    }
    tsl_release(d->send_first);
    tsl_release(d->receive_first);
    void *const all[] = {d->send_row, d->receive_row, d->send, d->receive, d->part};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        tsl_device_release(d->context, all[i]);
    }
}

/* ---- making --------------------------------------------------------------------------------- */

/* Device memory of so many bytes, a copy of `host` unless that is NULL. */
static tsl_status bring(void **out, tsl_context *context, const void *host, int64_t bytes)
{
    tsl_status status =
        bytes > 0 ? tsl_device_allocate(out, context, bytes, "what ranks send") : TSL_OK;
    if (status == TSL_OK && bytes > 0 && host != NULL) {
        status = context->ops->upload(context, *out, host, bytes);
    }
    return status;
}

/* Where each peer's rows begin if they are consecutive; true if all are. */
static bool find_runs(int64_t *first, const int32_t *row, const int64_t *counts, int peers)
{
    bool all = true;
    for (int p = 0; p < peers; p++) {
        bool consecutive = true;
        for (int64_t k = 1; k < counts[p] && consecutive; k++) {
            consecutive = row[k] == row[k - 1] + 1;
        }
        first[p] = counts[p] == 0 ? 0 : consecutive ? row[0] : SCATTERED;
        all = all && consecutive;
        row += counts[p];
    }
    return all;
}

static tsl_status bring_rows(tsl_halo *h, tsl_context *context)
{
    tsl_device_halo *d = &h->device;
    const size_t peers = (size_t)h->peers;
    d->send_first = tsl_allocate(peers * sizeof *d->send_first);
    d->receive_first = tsl_allocate(peers * sizeof *d->receive_first);
    if (d->send_first == NULL || d->receive_first == NULL) {
        return tsl_fail_memory(context, 16 * h->peers, "what ranks send each other");
    }
    const bool plain_send = find_runs(d->send_first, h->send_row, h->send_counts, h->peers);
    const bool plain_receive =
        find_runs(d->receive_first, h->receive_row, h->receive_counts, h->peers);
    const int64_t sent = plain_send ? 0 : h->send_count;
    const int64_t received = plain_receive ? 0 : h->receive_count;
    void *memory[4] = {NULL};
    const struct {
        const void *host;
        int64_t bytes;
    } all[] = {{h->send_row, 4 * sent},
               {h->receive_row, 4 * received},
               {NULL, 8 * sent},
               {NULL, 8 * received}};
    tsl_status status = TSL_OK;
    for (int i = 0; i < 4 && status == TSL_OK; i++) {
        status = bring(&memory[i], context, all[i].host, all[i].bytes);
    }
    d->send_row = memory[0];
    d->receive_row = memory[1];
    d->send = memory[2];
    d->receive = memory[3];
    return status;
}

/* Has a row of these an entry in another rank's column? */
static bool needs_others(const tsl_csr *m, int64_t from, int64_t to, const tsl_layout *columns)
{
    for (int64_t k = m->row_start[from]; k < m->row_start[to]; k++) {
        if (m->column[k] < columns->from || m->column[k] >= columns->to) {
            return true;
        }
    }
    return false;
}

/* Parts of this rank's rows, the outer ones from the end. */
static tsl_status bring_parts(tsl_device_halo *d, tsl_context *context, const tsl_csr *m,
                              const tsl_layout *rows, const tsl_layout *columns)
{
    const int each = tsl_fused_each(rows->rows);
    const tsl_part_range own = tsl_layout_parts(rows);
    int32_t *part = tsl_allocate((size_t)own.count * sizeof *part);
    if (part == NULL) {
        return tsl_fail_memory(context, 4 * own.count, "what ranks send each other");
    }
    for (int i = 0; i < own.count; i++) {
        const int64_t from = tsl_fused_row(rows->rows, each, own.first + i);
        const int64_t to = tsl_fused_row(rows->rows, each, own.first + i + 1);
        const bool outer = needs_others(m, from, to, columns);
        part[outer ? own.count - ++d->outer : d->inner++] = own.first + i;
    }
    void *memory = NULL;
    const tsl_status status = bring(&memory, context, part, 4 * (int64_t)own.count);
    d->part = memory;
    tsl_release(part);
    return status;
}

tsl_status tsl_halo_to_gpu(tsl_halo *halo, tsl_context *context, const tsl_csr *matrix,
                           const tsl_layout *rows, const tsl_layout *columns)
{
    halo->device.context = context;
    halo->device.exchange = columns->exchange;
    const tsl_status status = bring_rows(halo, context);
    return status == TSL_OK ? bring_parts(&halo->device, context, matrix, rows, columns) : status;
}

/* ---- an exchange ---------------------------------------------------------------------------- */

/* Set the pairs; what does not stand together is packed. */
static tsl_status pack(const tsl_halo *h, char *x, int bytes)
{
    const tsl_device_halo *d = &h->device;
    tsl_context *beside = d->exchange->beside;
    int64_t sent = 0;
    int64_t received = 0;
    tsl_status status = TSL_OK;
    for (int p = 0; p < h->peers && status == TSL_OK; p++) {
        tsl_comm_pair *pair = &h->pairs[p];
        pair->send_bytes = h->send_counts[p] * bytes;
        pair->receive_bytes = h->receive_counts[p] * bytes;
        pair->send =
            d->send_first[p] >= 0 ? x + d->send_first[p] * bytes : (char *)d->send + 8 * sent;
        pair->receive = d->receive_first[p] >= 0 ? x + d->receive_first[p] * bytes
                                                 : (char *)d->receive + 8 * received;
        if (d->send_first[p] == SCATTERED) {
            status = beside->ops->fused->collect(beside, (char *)d->send + 8 * sent, x,
                                                 d->send_row + sent, h->send_counts[p], bytes);
        }
        sent += h->send_counts[p];
        received += h->receive_counts[p];
    }
    return status;
}

static tsl_status unpack(const tsl_halo *h, char *x, int bytes)
{
    const tsl_device_halo *d = &h->device;
    tsl_context *beside = d->exchange->beside;
    int64_t received = 0;
    tsl_status status = TSL_OK;
    for (int p = 0; p < h->peers && status == TSL_OK; p++) {
        if (d->receive_first[p] == SCATTERED) {
            status =
                beside->ops->fused->spread(beside, x, (char *)d->receive + 8 * received,
                                           d->receive_row + received, h->receive_counts[p], bytes);
        }
        received += h->receive_counts[p];
    }
    return status;
}

tsl_status tsl_halo_exchange_on_gpu(const tsl_halo *halo, void *x, int bytes)
{
    const tsl_exchange_stream *exchange = halo->device.exchange;
    tsl_status status = pack(halo, x, bytes);
    if (status == TSL_OK) {
        status = tsl_comm_exchange(exchange->comm, exchange->beside, halo->peers, halo->pairs);
    }
    return status == TSL_OK ? unpack(halo, x, bytes) : status;
}
