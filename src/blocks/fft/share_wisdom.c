#include "blocks/fft/share_wisdom.h"

#include <string.h>

/* What a rank tells: first where it is, then what it has for the others of its host. */
typedef struct place {
    char host[TSL_COMM_HOST];
    int32_t plans;
} place;

typedef struct knowledge {
    int64_t bytes; /* of text */
    int settled;
} knowledge;

typedef struct sharing {
    tsl_context *context;
    const tsl_fft_planning *planning;
    place *places;      /* [ranks] */
    knowledge *learned; /* [ranks] */
    tsl_comm_pair *pairs;
    int64_t *sizes; /* [2][ranks] */
    int first;      /* the rank of this host that plans before the others; -1: none of them plans */
    bool any;       /* rank does, on any host */
    char *text;     /* of the first */
} sharing;

static tsl_status plan(const sharing *s, int *out, const int *settled)
{
    return s->planning->plans ? s->planning->plan(s->planning->user, out, settled) : TSL_OK;
}

/* Gather records of all ranks. This takes no memory, since all have agreed beforehand that there is
 * enough. */
static tsl_status gather(const sharing *s, void *all, const void *mine, int64_t bytes)
{
    tsl_comm *comm = s->context->comm;
    int64_t *offsets = s->sizes + comm->size;
    for (int q = 0; q < comm->size; q++) {
        s->sizes[q] = bytes;
        offsets[q] = q * bytes;
    }
    const tsl_comm_parts parts = {.data = all, .bytes = s->sizes, .offsets = offsets};
    return tsl_comm_gather(comm, NULL, mine, bytes, &parts, TSL_COMM_ALL);
}

static int first_of_host(const place *places, int ranks, int rank)
{
    for (int q = 0; q < ranks; q++) {
        if (places[q].plans != 0 && strcmp(places[q].host, places[rank].host) == 0) {
            return q;
        }
    }
    return -1;
}

static tsl_status meet(sharing *s)
{
    tsl_comm *comm = s->context->comm;
    const size_t ranks = (size_t)comm->size;
    place mine = {.plans = s->planning->plans};
    tsl_comm_host(mine.host);
    s->places = tsl_allocate(ranks * sizeof *s->places);
    s->learned = tsl_allocate(ranks * sizeof *s->learned);
    s->pairs = tsl_allocate(ranks * sizeof *s->pairs);
    s->sizes = tsl_allocate(2 * ranks * sizeof *s->sizes);
    tsl_status status =
        s->places == NULL || s->learned == NULL || s->pairs == NULL || s->sizes == NULL
            ? tsl_fail_memory(s->context, (int64_t)(ranks * sizeof mine),
                              "what ranks learn from each other")
            : TSL_OK;
    status = tsl_comm_agree(s->context, status);
    if (status == TSL_OK) {
        status = gather(s, s->places, &mine, sizeof mine);
    }
    s->first = status == TSL_OK ? first_of_host(s->places, comm->size, comm->rank) : -1;
    for (int q = 0; q < comm->size && status == TSL_OK; q++) {
        s->any = s->any || s->places[q].plans != 0;
    }
    return status;
}

/* The first of each host plans, and all hear how much it has learned. */
static tsl_status lead(sharing *s)
{
    tsl_context *context = s->context;
    knowledge mine = {.bytes = 0};
    tsl_status status = TSL_OK;
    if (s->first == context->comm->rank) {
        status = plan(s, &mine.settled, NULL);
        if (status == TSL_OK) {
            status = tsl_fft_export(&s->text, &mine.bytes, context, s->planning->precision);
        }
    }
    status = tsl_comm_agree(context, status);
    return status == TSL_OK ? gather(s, s->learned, &mine, sizeof mine) : status;
}

/* Does rank q learn from the first of its host? */
static bool follows(const sharing *s, int q)
{
    return s->places[q].plans != 0 && q != s->first &&
           strcmp(s->places[q].host, s->places[s->first].host) == 0;
}

static tsl_status pass_on(sharing *s)
{
    tsl_comm *comm = s->context->comm;
    const bool learns = s->first >= 0 && follows(s, comm->rank);
    tsl_status status = TSL_OK;
    int count = 0;
    if (learns) {
        const int64_t bytes = s->learned[s->first].bytes;
        s->text = tsl_allocate((size_t)bytes);
        s->pairs[count++] =
            (tsl_comm_pair){.peer = s->first, .receive = s->text, .receive_bytes = bytes};
        status = s->text != NULL ? TSL_OK
                                 : tsl_fail_memory(s->context, bytes, "what another rank learned");
    }
    for (int q = 0; q < comm->size && s->first == comm->rank; q++) {
        if (follows(s, q)) {
            s->pairs[count++] = (tsl_comm_pair){
                .peer = q, .send = s->text, .send_bytes = s->learned[s->first].bytes};
        }
    }
    status = tsl_comm_agree(s->context, status);
    return status == TSL_OK ? tsl_comm_exchange(comm, NULL, count, s->pairs) : status;
}

static tsl_status follow(sharing *s)
{
    tsl_status status = TSL_OK;
    if (s->first >= 0 && follows(s, s->context->comm->rank)) {
        int same;
        tsl_fft_import(s->text, s->planning->precision);
        status = plan(s, &same, &s->learned[s->first].settled);
    }
    return tsl_comm_agree(s->context, status);
}

tsl_status tsl_fft_share_wisdom(tsl_context *context, const tsl_fft_planning *planning)
{
    sharing s = {.context = context, .planning = planning};
    int own;
    if (context->comm->size == 1 || context->comm->ops->one_process) {
        return tsl_comm_agree(context, plan(&s, &own, NULL));
    }
    tsl_status status = meet(&s);
    if (status == TSL_OK && s.any) {
        status = lead(&s);
        status = status == TSL_OK ? pass_on(&s) : status;
        status = status == TSL_OK ? follow(&s) : status;
    }
    tsl_release(s.text);
    tsl_release(s.sizes);
    tsl_release(s.pairs);
    tsl_release(s.learned);
    tsl_release(s.places);
    return status;
}
