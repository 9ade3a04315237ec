#include "blocks/queue/queue.h"

#include <math.h>
#include <sched.h>
#include <string.h>
#include <time.h>

#include "comm/gpu/peer.h"
#include "device/device.h"

/* How often a rank at work asks whether it should stop, and at least one that waits, seconds. */
static const double patience = 0.1;
/* A piece of a chunk grows until it takes this, seconds. */
static const double long_enough = 0.05;
/* Looks at an event before others may have the processor between them. */
enum { LOOKS = 1000 };

struct tsl_queue {
    tsl_counters *counters;
    tsl_queue_worker worker;
    tsl_queue_share share;
    tsl_queue_clock clock;
    double made;    /* when the queue was */
    double taken;   /* since when the items in hand are being done */
    int64_t chunk;  /* items of the last chunk */
    int beginnings; /* of chunks, since then */
    double asked;   /* when the counters were looked at last */
    bool waits;     /* its rate is not in TSL_QUEUE_RATE */
    bool stopped;
    bool is_split;       /* this rank gets its part, and nothing more */
    int64_t first, part; /* which is these items */
};

/* ---- decisions ---------------------------------------------------------------------------- */

/* Two chunks of different size tell what each costs besides its items: the line t = o + c / r
 * through both. Where the larger took no longer the smaller was held up, and they tell nothing.
 * Smoothed: a device that slows down between the two looks like one with costs. */
static void learn_overhead(tsl_queue_worker *w, double count, double seconds)
{
    const double less = fmin(count, w->last);
    if (less <= 0 || fmax(count, w->last) < 1.5 * less) {
        return;
    }
    const double slope = (seconds - w->last_seconds) / (count - w->last);
    if (slope <= 0) {
        return;
    }
    const double found = fmin(fmax(seconds - slope * count, 0), w->shortest);
    w->overhead = w->knows_overhead ? 0.5 * (w->overhead + found) : found;
    w->knows_overhead = true;
}

int64_t tsl_queue_learn(tsl_queue_worker *w, double count, double seconds)
{
    const double time = fmax(seconds, 1e-9); /* a clock may stand still for that long */
    w->shortest = w->last > 0 ? fmin(w->shortest, time) : time;
    learn_overhead(w, count, time);
    w->overhead = fmin(w->overhead, 0.95 * w->shortest);
    memmove(w->before + 1, w->before, (TSL_QUEUE_BEFORE - 1) * sizeof *w->before);
    w->before[0] = w->rate;
    w->rate = count / (time - w->overhead);
    w->last = count;
    w->last_seconds = time;
    w->others_end = 0;
    const int64_t rate = (int64_t)fmin(fmax(w->rate * TSL_QUEUE_RATE_ONE, 1), 1e16);
    const int64_t growth = rate - w->published;
    w->published = rate;
    return growth;
}

int64_t tsl_queue_choose(tsl_queue_worker *w, int64_t left_items, int64_t others_rate,
                         double elapsed)
{
    const double left = (double)left_items;
    const double others = (double)others_rate / TSL_QUEUE_RATE_ONE;
    const double remaining = left / fmax(others + w->rate, 1e-9);
    const double total = elapsed + remaining;
    /* what the others would need alone; they may be as late again as they are already */
    double alone = INFINITY;
    if (others > 0) {
        const double end = elapsed + left / others;
        w->others_end = w->others_end > 0 ? fmin(w->others_end, end) : end;
        alone = left / others + fmax(end - w->others_end - total / 50, 0);
    }
    double time = remaining / 2;
    time = fmin(time, fmax(total / 50, 60 * w->overhead));
    time = fmax(time, fmax(total / 200, 10 * w->overhead));
    time = fmin(time, elapsed); /* at first nobody knows much */
    const double batches = round((time - w->overhead) * w->rate / (double)w->batch);
    const double count = fmin(fmax(batches, 1) * (double)w->batch, left);
    double hoped = w->rate;
    for (int i = 0; i < TSL_QUEUE_BEFORE; i++) {
        hoped = fmax(hoped, w->before[i]);
    }
    /* who knows nothing takes a batch to learn from, but not so late that all would wait for it */
    const double own = w->overhead + ((double)w->in_hand + count) / hoped;
    const bool gives_way = w->rate > 0 ? own > alone + total / 200 : alone < elapsed / 20;
    return gives_way ? 0 : (int64_t)count;
}

/* ---- one rank's end ----------------------------------------------------------------------- */

tsl_status tsl_queue_create(tsl_queue **out, tsl_comm *comm, int64_t items, int64_t batch)
{
    if (items < 0 || batch < 1) {
        tsl_fail(comm->root->context, TSL_E_INTERNAL, "a queue of %lld items in batches of %lld",
                 (long long)items, (long long)batch);
        return tsl_comm_fail(comm, TSL_E_INTERNAL, tsl_last_error(comm->root->context));
    }
    tsl_queue *queue = tsl_allocate_zeroed(1, sizeof *queue);
    if (queue == NULL) {
        tsl_fail_memory(comm->root->context, sizeof *queue, "a queue");
        return tsl_comm_fail(comm, TSL_E_NOMEM, tsl_last_error(comm->root->context));
    }
    queue->worker.items = items;
    queue->worker.batch = batch;
    const tsl_status status = tsl_counters_create(&queue->counters, comm);
    if (status != TSL_OK) {
        tsl_queue_destroy(queue);
        return status;
    }
    tsl_queue_set_clock(queue, tsl_seconds);
    *out = queue;
    return TSL_OK;
}

void tsl_queue_destroy(tsl_queue *queue)
{
    if (queue != NULL) {
        tsl_counters_destroy(queue->counters);
        tsl_release(queue);
    }
}

int64_t tsl_queue_part(int64_t items, const double *weights, int ranks, int rank)
{
    double all = 0, before = 0;
    for (int q = 0; q < ranks; q++) {
        before = q == rank ? all : before;
        all += weights[q];
    }
    return rank == ranks ? items : llround((double)items * (before / all));
}

void tsl_queue_split(tsl_queue *queue, const double *weights)
{
    const tsl_comm *comm = queue->counters->comm;
    const int64_t items = queue->worker.items;
    queue->is_split = true;
    queue->first = tsl_queue_part(items, weights, comm->size, comm->rank);
    queue->part = tsl_queue_part(items, weights, comm->size, comm->rank + 1) - queue->first;
}

static tsl_status look(tsl_queue *queue, const int64_t add[TSL_COUNTERS],
                       int64_t seen[TSL_COUNTERS])
{
    const tsl_status status = tsl_counters_add(queue->counters, add, seen);
    queue->asked = tsl_seconds();
    queue->stopped |= status == TSL_OK && seen[TSL_QUEUE_STOPPED] > 0;
    return status;
}

tsl_status tsl_queue_stop(tsl_queue *queue)
{
    const int64_t add[TSL_COUNTERS] = {[TSL_QUEUE_STOPPED] = 1};
    int64_t seen[TSL_COUNTERS];
    queue->stopped = true;
    return look(queue, add, seen);
}

tsl_status tsl_queue_is_stopped(tsl_queue *queue, bool *stopped)
{
    const int64_t nothing[TSL_COUNTERS] = {0};
    int64_t seen[TSL_COUNTERS];
    tsl_status status = TSL_OK;
    if (!queue->stopped && tsl_seconds() - queue->asked >= patience) {
        status = look(queue, nothing, seen);
    }
    *stopped = queue->stopped;
    return status;
}

tsl_status tsl_queue_has_more(tsl_queue *queue, bool *more)
{
    const int64_t nothing[TSL_COUNTERS] = {0};
    int64_t seen[TSL_COUNTERS];
    const tsl_status status = look(queue, nothing, seen);
    *more = status == TSL_OK && !queue->stopped &&
            (queue->is_split ? queue->part > 0 : seen[TSL_QUEUE_NEXT] < queue->worker.items);
    return status;
}

static void hand_over(tsl_queue *queue, int64_t count)
{
    if (queue->worker.in_hand == 0) {
        queue->taken = queue->clock();
    }
    queue->worker.in_hand += count;
    queue->chunk = count;
    queue->beginnings += count > 0;
    queue->share.items += count;
    queue->share.chunks += count > 0;
}

/* Learn from what is done of the items in hand, all but `undone`: what TSL_QUEUE_RATE has to grow
 * by. What a chunk costs besides its items is in its beginning, of which that time may hold none,
 * one or two. */
static int64_t learn(tsl_queue *queue, int64_t undone, double now)
{
    tsl_queue_worker *w = &queue->worker;
    const double done = (double)(w->in_hand - undone), seconds = now - queue->taken;
    const int to_begin = undone > 0 && undone == queue->chunk ? 1 : 0;
    const int begun = queue->beginnings - to_begin;
    if (done <= 0) {
        return 0;
    }
    const int64_t growth = begun > 0 ? tsl_queue_learn(w, done / begun, seconds / begun) : 0;
    queue->share.seconds += seconds;
    queue->share.rate = w->rate;
    queue->beginnings = to_begin;
    queue->taken = now;
    w->in_hand = undone;
    return queue->waits ? 0 : growth;
}

/* How many items to take, given what the counters are; 0: none now. Others count on this rank while
 * it takes part. Who leaves looks once more: if nobody is left it stays. */
static tsl_status decide(tsl_queue *queue, int64_t seen[TSL_COUNTERS], double elapsed,
                         int64_t *chunk)
{
    tsl_queue_worker *w = &queue->worker;
    tsl_status status = TSL_OK;
    for (bool once_more = true; once_more && status == TSL_OK;) {
        const int64_t others = seen[TSL_QUEUE_RATE] - (queue->waits ? 0 : w->published);
        const int64_t left = w->items - seen[TSL_QUEUE_NEXT];
        *chunk = left > 0 ? tsl_queue_choose(w, left, others, elapsed) : 0;
        const bool waits = left > 0 && *chunk == 0;
        once_more = waits && !queue->waits;
        if (waits != queue->waits) {
            const int64_t add[TSL_COUNTERS] = {[TSL_QUEUE_RATE] =
                                                   waits ? -w->published : w->published};
            status = look(queue, add, seen);
            seen[TSL_QUEUE_RATE] += add[TSL_QUEUE_RATE];
            queue->waits = waits;
        }
    }
    return status;
}

tsl_status tsl_queue_ask(tsl_queue *queue, int64_t undone, int64_t *first, int64_t *count,
                         double *wait)
{
    const double now = queue->clock();
    const int64_t add[TSL_COUNTERS] = {[TSL_QUEUE_RATE] = learn(queue, undone, now)};
    int64_t seen[TSL_COUNTERS], chunk = 0;
    *first = *count = 0;
    *wait = 0;
    tsl_status status = look(queue, add, seen);
    if (status != TSL_OK || queue->stopped || seen[TSL_QUEUE_NEXT] >= queue->worker.items) {
        return status;
    }
    if (queue->is_split) {
        *first = queue->first;
        *count = queue->part;
        queue->part = 0;
        hand_over(queue, *count);
        return TSL_OK;
    }
    const bool knows = undone == 0 || queue->worker.rate > 0;
    seen[TSL_QUEUE_RATE] += add[TSL_QUEUE_RATE];
    status = knows ? decide(queue, seen, now - queue->made, &chunk) : TSL_OK;
    if (status != TSL_OK || queue->stopped) {
        return status;
    }
    if (queue->waits || !knows) {
        *wait = fmin(fmax((now - queue->made) / 200, 1e-3), patience);
    }
    if (chunk == 0) {
        return TSL_OK;
    }
    const int64_t take[TSL_COUNTERS] = {[TSL_QUEUE_NEXT] = chunk};
    status = tsl_counters_add(queue->counters, take, seen);
    const int64_t left = queue->worker.items - seen[TSL_QUEUE_NEXT];
    if (status != TSL_OK || left <= 0) {
        return status;
    }
    *first = seen[TSL_QUEUE_NEXT];
    *count = chunk < left ? chunk : left;
    hand_over(queue, *count);
    return TSL_OK;
}

static void rest(double seconds)
{
    nanosleep(&(struct timespec){.tv_nsec = (long)(1e9 * seconds)}, NULL);
}

tsl_status tsl_queue_next(tsl_queue *queue, int64_t *first, int64_t *count)
{
    for (;;) {
        double wait = 0;
        const tsl_status status = tsl_queue_ask(queue, 0, first, count, &wait);
        if (status != TSL_OK || wait <= 0) {
            return status;
        }
        rest(wait);
    }
}

/* ---- doing chunks ------------------------------------------------------------------------- */

/* A device that has events is given a piece of a chunk while it does the one before, and need not
 * wait for the host between them. */
typedef struct doing {
    tsl_queue *queue;
    tsl_context *context;
    tsl_queue_work work;
    void *user;
    tsl_event *ends[2]; /* of the last two pieces, by turns; NULL: each is done on return */
    int64_t pieces;     /* so far */
    int64_t undone;     /* items of the last, if it is being done */
    int64_t most;       /* items of the next */
} doing;

static tsl_status wait_for(tsl_context *context, tsl_event *event)
{
    bool past = false;
    tsl_status status = context->ops->peer->look(context, event, &past);
    for (int looks = 1; status == TSL_OK && !past; looks++) {
        if (looks > LOOKS) {
            sched_yield();
        }
        status = context->ops->peer->look(context, event, &past);
    }
    return status;
}

static tsl_status finish(doing *d)
{
    d->undone = 0;
    return d->context->ops->synchronize(d->context);
}

/* Do a piece, or queue it and see the one before it done. */
static tsl_status do_piece(doing *d, int64_t first, int64_t count)
{
    tsl_status status = d->work(d->user, first, count);
    if (status != TSL_OK || d->ends[0] == NULL) {
        return status == TSL_OK ? finish(d) : status;
    }
    d->undone = count;
    status = d->context->ops->peer->record(d->context, d->ends[d->pieces % 2]);
    d->pieces++;
    return status == TSL_OK && d->pieces > 1 ? wait_for(d->context, d->ends[d->pieces % 2])
                                             : status;
}

/* In pieces that grow until they take long enough; a device that has events does a batch at last,
 * beside which the next chunk is asked for. */
static tsl_status do_chunk(doing *d, int64_t first, int64_t count)
{
    const bool has_events = d->ends[0] != NULL;
    const int64_t batch = d->queue->worker.batch;
    bool stopped = false;
    for (int64_t done = 0; done < count && !stopped;) {
        const int64_t left = count - done;
        const int64_t before = has_events && left > batch ? left - batch : left;
        const int64_t now = before < d->most ? before : d->most;
        const int64_t waited_for = has_events ? d->undone : now;
        const double begun = tsl_seconds();
        tsl_status status = do_piece(d, first + done, now);
        if (status == TSL_OK) {
            status = tsl_queue_is_stopped(d->queue, &stopped);
        }
        if (status != TSL_OK) {
            return status;
        }
        done += now;
        if (now == d->most && 2 * waited_for >= now && tsl_seconds() - begun < long_enough) {
            d->most *= 2;
        }
    }
    return TSL_OK;
}

static tsl_status do_chunks(doing *d)
{
    for (;;) {
        int64_t first, count;
        double wait;
        tsl_status status = tsl_queue_ask(d->queue, d->undone, &first, &count, &wait);
        if (status == TSL_OK && count > 0) {
            status = do_chunk(d, first, count);
        } else if (status == TSL_OK && d->undone > 0) {
            status = finish(d);
        } else if (status == TSL_OK && wait > 0) {
            rest(wait);
        } else {
            return status;
        }
        if (status != TSL_OK) {
            return status;
        }
    }
}

tsl_status tsl_queue_do(tsl_queue *queue, tsl_context *context, tsl_queue_work work, void *user)
{
    const tsl_peer_ops *peer = context->ops->peer;
    doing d = {.queue = queue,
               .context = context,
               .work = work,
               .user = user,
               .most = queue->worker.batch};
    tsl_status status = TSL_OK;
    for (int i = 0; peer != NULL && i < 2 && status == TSL_OK; i++) {
        status = peer->create(&d.ends[i], context);
    }
    if (status == TSL_OK) {
        status = do_chunks(&d);
    }
    for (int i = 0; peer != NULL && i < 2; i++) {
        peer->destroy(d.ends[i]);
    }
    return status;
}

void tsl_queue_set_clock(tsl_queue *queue, tsl_queue_clock clock)
{
    queue->clock = clock;
    queue->made = clock();
}

void tsl_queue_share_of(const tsl_queue *queue, tsl_queue_share *out)
{
    *out = queue->share;
}
