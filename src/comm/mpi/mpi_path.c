/* Which way device memory goes: NCCL where all ranks have it and each a GPU of its own, with pinned
 * host memory for what is little; else MPI itself if it says that it takes device memory; else
 * pinned host memory. All ranks see the same offers and come to the same end, whose reason is kept
 * for reports. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comm/gpu/nccl.h"
#include "comm/mpi/mpi.h"
#include "comm/plugin.h"
#include "device/device.h"

static const struct {
    const tsl_mpi_way *way;
    const char *text; /* for reports; NULL: the library's own */
} ways[TSL_COMM_WAYS] = {[TSL_COMM_NCCL] = {&tsl_mpi_by_nccl, NULL},
                         [TSL_COMM_AWARE] = {&tsl_mpi_by_aware, "MPI, CUDA-aware"},
                         [TSL_COMM_STAGED] = {&tsl_mpi_by_staging, "pinned host memory and MPI"}};

/* What a rank has and asks for. */
typedef struct offer {
    int32_t asked;
    int32_t nccl;  /* its version; 0: none */
    int32_t aware; /* may MPI be given device memory? */
    unsigned char gpu[TSL_NCCL_GPU];
    char text[48]; /* NCCL's name and version, or why it is not there */
} offer;

_Static_assert(sizeof(offer) <= TSL_MPI_PAYLOAD, "an offer goes with a meeting");

static tsl_comm_way asked_for(void)
{
    const char *text = getenv(TSL_COMM_PATH_VARIABLE);
    return text == NULL || text[0] == '\0' ? TSL_COMM_AUTO : tsl_comm_way_of(text);
}

static tsl_status make_offer(offer *out, tsl_context *context)
{
    const tsl_nccl_ops *nccl = context->ops->nccl;
    *out = (offer){.asked = (int32_t)asked_for(), .aware = tsl_mpi_is_aware()};
    if (nccl == NULL) {
        snprintf(out->text, sizeof out->text, "this build has no NCCL");
        return TSL_OK;
    }
    out->nccl = nccl->library(out->text, sizeof out->text);
    return out->nccl ? nccl->identify(context, out->gpu) : TSL_OK;
}

static offer offer_of(const tsl_mpi_comm *c, int rank)
{
    offer found;
    memcpy(&found, tsl_mpi_record_of(c, rank)->payload, sizeof found);
    return found;
}

/* Why NCCL cannot be had; "": it can. */
static void no_nccl(char *why, size_t bytes, const tsl_mpi_comm *c)
{
    why[0] = '\0';
    for (int q = 0; q < c->comm.size; q++) {
        const offer mine = offer_of(c, q), first = offer_of(c, 0);
        if (!mine.nccl) {
            snprintf(why, bytes, "rank %d: %s", q, mine.text);
            return;
        }
        if (strcmp(mine.text, first.text) != 0) {
            snprintf(why, bytes, "rank 0 has %s, rank %d %s", first.text, q, mine.text);
            return;
        }
        for (int other = 0; other < q; other++) {
            if (memcmp(mine.gpu, offer_of(c, other).gpu, sizeof mine.gpu) == 0) {
                snprintf(why, bytes, "ranks %d and %d share a GPU, which NCCL does not allow",
                         other, q);
                return;
            }
        }
    }
}

static bool all_aware(const tsl_mpi_comm *c)
{
    for (int q = 0; q < c->comm.size; q++) {
        if (!offer_of(c, q).aware) {
            return false;
        }
    }
    return true;
}

static tsl_status refuse(tsl_mpi_comm *c, const char *reason)
{
    tsl_mpi_publish(&c->comm, TSL_E_COMM, reason);
    return tsl_comm_report(&c->comm, TSL_E_COMM, "%s", reason);
}

/* The way, and the text of reports. */
static tsl_status choose(tsl_mpi_comm *c)
{
    tsl_mpi_device *d = &c->device;
    char why[128], reason[256];
    int way = offer_of(c, 0).asked;
    for (int q = 0; q < c->comm.size; q++) {
        if (offer_of(c, q).asked == TSL_COMM_WAYS) {
            return refuse(c, TSL_COMM_PATH_VARIABLE ": give " TSL_COMM_WAY_LIST
                                                    ", the same to all ranks");
        }
        if (offer_of(c, q).asked != way) {
            return refuse(c, TSL_COMM_PATH_VARIABLE " is not the same on all ranks");
        }
    }
    no_nccl(why, sizeof why, c);
    const bool aware = all_aware(c), nccl = why[0] == '\0';
    if ((way == TSL_COMM_NCCL && !nccl) || (way == TSL_COMM_AWARE && !aware)) {
        snprintf(reason, sizeof reason, "messages between devices cannot go by %s: %s",
                 tsl_comm_way_name((tsl_comm_way)way),
                 way == TSL_COMM_NCCL ? why
                                      : "the MPI library does not say that it takes device memory");
        return refuse(c, reason);
    }
    const bool left = way == TSL_COMM_AUTO; /* to us */
    way = !left ? way : nccl ? TSL_COMM_NCCL : aware ? TSL_COMM_AWARE : TSL_COMM_STAGED;
    d->way = ways[way].way;
    d->little = left && nccl ? ways[TSL_COMM_STAGED].way : NULL;
    if (d->little != NULL) {
        snprintf(d->text, sizeof d->text, "%s, up to %d KiB by %s", offer_of(c, 0).text,
                 TSL_MPI_LITTLE / 1024, ways[TSL_COMM_STAGED].text);
    } else if (nccl && way == TSL_COMM_NCCL) {
        snprintf(d->text, sizeof d->text, "%s (as asked for)", offer_of(c, 0).text);
    } else {
        snprintf(d->text, sizeof d->text, "%s (%s%s)", ways[way].text, left ? "not NCCL: " : "",
                 left ? why : "as asked for");
    }
    return TSL_OK;
}

/* One rank says it, once. */
static void tell(tsl_mpi_comm *c, tsl_context *context)
{
    if (!c->job->told && c->comm.root->rank == 0) {
        tsl_message(context, TSL_MESSAGE_NOTE, "messages between devices go by %s", c->device.text);
    }
    c->job->told = true;
}

tsl_status tsl_mpi_open_device(tsl_mpi_comm *c, tsl_context *context)
{
    tsl_mpi_record mine = {.kind = TSL_MPI_OPEN, .device = 1};
    offer offered;
    tsl_mpi_close_device(c);
    tsl_status status = make_offer(&offered, context);
    if (status != TSL_OK) {
        return tsl_mpi_device_failed(c, context, status);
    }
    memcpy(mine.payload, &offered, sizeof offered);
    status = tsl_mpi_meet(c, &mine);
    if (status == TSL_OK) {
        status = choose(c);
    }
    if (status != TSL_OK) {
        return status;
    }
    c->device.context = context;
    status = c->device.way->open(c, context);
    if (status == TSL_OK && c->device.little != NULL) {
        status = c->device.little->open(c, context);
    }
    if (status == TSL_OK) {
        tell(c, context);
    }
    return status;
}

void tsl_mpi_close_device(tsl_mpi_comm *c)
{
    tsl_mpi_device *d = &c->device;
    if (d->context != NULL) {
        d->way->close(c);
        if (d->little != NULL) {
            d->little->close(c);
        }
        tsl_device_release(d->context, d->scratch);
        d->scratch = NULL;
        d->scratch_bytes = 0;
        d->context = NULL;
    }
}

const char *tsl_mpi_path(const tsl_comm *comm, const tsl_context *context)
{
    const tsl_mpi_device *d = &((const tsl_mpi_comm *)(const void *)comm)->device;
    return context != NULL && d->context == context ? d->text : NULL;
}

tsl_status tsl_mpi_reaches(bool *reaches, tsl_comm *comm, tsl_context *context)
{
    tsl_mpi_comm *c = tsl_mpi_of(comm);
    const tsl_status status = tsl_mpi_device_settle(c, context);
    *reaches = status == TSL_OK && c->device.way == ways[TSL_COMM_NCCL].way;
    return status;
}

void tsl_mpi_forget(tsl_comm *comm, const tsl_context *context)
{
    for (tsl_mpi_comm *c = tsl_mpi_of(comm)->job->first; c != NULL; c = c->next) {
        if (c->device.context == context) {
            tsl_mpi_close_device(c);
        }
    }
}
