/* A stand-in for NCCL on sim. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comm/cases.h"
#include "comm/gpu/nccl.h"
#include "device/device.h"

struct tsl_nccl {
    tsl_context *context;
    tsl_comm *comm; /* through which it goes */
    bool looked_at; /* since the last call */
};

static tsl_comm *whole;
static int left; /* operations until one fails */
static int messages;

void comm_begin_fake_nccl(tsl_comm *by, int broken)
{
    whole = by;
    left = broken;
    messages = 0;
}

int comm_fake_nccl_messages(void)
{
    return messages;
}

static bool fake_library(char *text, size_t bytes)
{
    snprintf(text, bytes, "NCCL 0.0.0");
    return true;
}

static tsl_status fake_identify(tsl_context *context, unsigned char gpu[TSL_NCCL_GPU])
{
    memset(gpu, context->comm->root->rank, TSL_NCCL_GPU);
    return TSL_OK;
}

static tsl_status breaks(tsl_context *context)
{
    return context->comm->root->rank == 0 && left-- == 0
               ? tsl_fail(context, TSL_E_DEVICE, COMM_REASON)
               : TSL_OK;
}

static tsl_status fake_make_id(tsl_context *context, char id[TSL_NCCL_ID])
{
    for (int i = 0; i < TSL_NCCL_ID; i++) {
        id[i] = (char)(3 * i);
    }
    return breaks(context);
}

static tsl_status fake_open(tsl_nccl **out, tsl_context *context, const char id[TSL_NCCL_ID],
                            int rank, int size)
{
    tsl_nccl *nccl = calloc(1, sizeof *nccl);
    tsl_status status = nccl != NULL ? breaks(context) : TSL_E_NOMEM;
    for (int i = 0; i < TSL_NCCL_ID && status == TSL_OK; i++) {
        status = id[i] == (char)(3 * i) ? TSL_OK : TSL_E_INTERNAL;
    }
    if (status == TSL_OK) {
        nccl->context = context;
        status = tsl_comm_split(&nccl->comm, whole, 0, rank);
    }
    if (status != TSL_OK || nccl->comm->size != size) {
        free(nccl);
        return status != TSL_OK ? status : TSL_E_INTERNAL;
    }
    *out = nccl;
    return TSL_OK;
}

static void fake_abort(tsl_nccl *nccl)
{
    tsl_comm_destroy(nccl->comm);
    free(nccl);
}

static tsl_status fake_exchange(tsl_nccl *nccl, tsl_comm_pair *pairs, int count)
{
    tsl_context *context = nccl->context;
    tsl_status status = breaks(context);
    for (int i = 0; i < count && status == TSL_OK; i++) {
        tsl_comm_pair *p = &pairs[i];
        char *sent = malloc((size_t)p->send_bytes + 1);
        status = p->send_bytes > 0 ? context->ops->download(context, sent, p->send, p->send_bytes)
                                   : TSL_OK;
        p->send = sent;
    }
    void **targets = calloc((size_t)count + 1, sizeof *targets);
    for (int i = 0; i < count && status == TSL_OK; i++) {
        targets[i] = pairs[i].receive;
        pairs[i].receive = malloc((size_t)pairs[i].receive_bytes + 1);
    }
    if (status == TSL_OK) {
        status = tsl_comm_exchange(nccl->comm, NULL, count, pairs);
        for (int i = 0; i < count; i++) {
            const tsl_comm_pair *p = &pairs[i];
            if (status == TSL_OK && p->receive_bytes > 0) {
                status = context->ops->upload(context, targets[i], p->receive, p->receive_bytes);
            }
            free((void *)(uintptr_t)p->send);
            free(p->receive);
        }
    }
    free(targets);
    messages++;
    nccl->looked_at = false;
    return status;
}

static tsl_status fake_move(tsl_nccl *nccl, const tsl_comm_pair *pairs, int count)
{
    tsl_comm_pair mine[16];
    int others = 0;
    for (int i = 0; i < count; i++) {
        if (pairs[i].peer != nccl->comm->rank) {
            mine[others++] = pairs[i];
        }
    }
    return fake_exchange(nccl, mine, others);
}

static tsl_status fake_broadcast(tsl_nccl *nccl, void *data, int64_t bytes, int root)
{
    tsl_comm_pair pairs[16];
    const int rank = nccl->comm->rank, size = nccl->comm->size;
    int count = 0;
    for (int q = 0; q < size; q++) {
        if (q != rank && (rank == root || q == root)) {
            pairs[count++] = (tsl_comm_pair){.peer = q,
                                             .send = data,
                                             .send_bytes = rank == root ? bytes : 0,
                                             .receive = data,
                                             .receive_bytes = rank == root ? 0 : bytes};
        }
    }
    return fake_exchange(nccl, pairs, count);
}

/* Done at the second look. */
static tsl_status fake_look(tsl_nccl *nccl, bool *done)
{
    *done = nccl->looked_at;
    nccl->looked_at = true;
    return TSL_OK;
}

const tsl_nccl_ops comm_fake_nccl = {.library = fake_library,
                                     .identify = fake_identify,
                                     .make_id = fake_make_id,
                                     .open = fake_open,
                                     .close = fake_abort,
                                     .abort = fake_abort,
                                     .move = fake_move,
                                     .broadcast = fake_broadcast,
                                     .look = fake_look};
