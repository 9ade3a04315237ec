/* Work handed out while ranks compute, so that devices of different speed finish together.
 *
 * Items 0 … count - 1 are handed out in chunks, each once. Every rank learns from its chunks how
 * fast it is, r items a second, and what a chunk costs besides, o seconds, and lets the others know
 * r. With R = what is left / the sum of all r, the time that is left, and T = R + the time so far,
 * a rank takes what it does in
 *
 *     t = R / 2, at most max(T / 50, 60 o), at least max(T / 200, 10 o), at most the time so far,
 *
 * rounded to its own batches. Large chunks cost little; towards the end they shrink, and all finish
 * within the last of them. Where o is at most T / 1000 and spent as a chunk begins, and a batch
 * takes no device more than T / 100, the makespan of up to 16 devices is within 5 % of items / (sum
 * of all r). For devices of speeds 1, 2, 7 and 50 it is too where one slows down half-way to half
 * of its speed, with batches of at most T / 200 (of T / 100: within 6 %), or, with o at most T /
 * 10000, to a tenth.
 *
 * A rank too slow for its least chunk to be done before the others have done all that is left gives
 * way to them: it waits, and r is not in the sum. One chunk that was held up is no proof of that:
 * the best rate of the last three decides. Who waits looks again, at least every tenth of a second,
 * until all is handed out, and comes back if the others wait too, turn out to be slower than they
 * had said, or are late: what they have lost since, beyond T / 50, they may lose once more.
 *
 * Guided self-scheduling: C. D. Polychronopoulos and D. J. Kuck, IEEE Trans. Comput. C-36 (1987)
 * 1425; by learned rates: S. Flynn Hummel et al., SPAA 1996, 318. */
#ifndef TSL_QUEUE_H
#define TSL_QUEUE_H

#include "comm/comm.h"

/* ---- one rank's end ----------------------------------------------------------------------- */

typedef struct tsl_queue tsl_queue;

/* What a rank has had of a queue. */
typedef struct tsl_queue_share {
    int64_t items;
    int64_t chunks;
    double seconds; /* in which those were done that are known to be */
    double rate;    /* items a second, as learned; 0: nothing yet */
} tsl_queue_share;

/* Collective; `items` is the same on all ranks, >= 0; `batch` may differ: what a rank's device does
 * at a time, >= 1. */
tsl_status tsl_queue_create(tsl_queue **out, tsl_comm *comm, int64_t items, int64_t batch);

/* Learn nothing and hand out one chunk to each rank: contiguous parts of all items, in the order of
 * ranks, in proportion to weights[ranks], >= 0 and not all 0, the same on all of them. Where shares
 * are known, or to compare with. Comes before the first chunk. Not collective. */
void tsl_queue_split(tsl_queue *queue, const double *weights);
/* Where the part of `rank` begins; that of rank `ranks` is the end. */
int64_t tsl_queue_part(int64_t items, const double *weights, int ranks, int rank);

/* Release this rank's end; NULL is fine. Not collective. */
void tsl_queue_destroy(tsl_queue *queue);

/* The next chunk for this rank, `count` items from number `first` on; 0: there is none any more.
 * The rank has done the chunk before by now: the time between is what it learns from. Waits while
 * the others are better off alone. Not collective. */
tsl_status tsl_queue_next(tsl_queue *queue, int64_t *first, int64_t *count);

/* The next chunk for this rank, without waiting, for a device that has its next work before it
 * ends: `undone` items of those taken, at most a batch, are still being done. Where
 * tsl_queue_next() would wait, or nothing is known of this rank before those are done, count = 0,
 * and it is time to ask again in *wait > 0 seconds or, if there are any, when those are done; else
 * *wait = 0. Not collective. */
tsl_status tsl_queue_ask(tsl_queue *queue, int64_t undone, int64_t *first, int64_t *count,
                         double *wait);

/* Hand out nothing more, to any rank. Not collective. */
tsl_status tsl_queue_stop(tsl_queue *queue);

/* To be asked while a chunk is being done: has any rank stopped the queue? The others are asked
 * every tenth of a second at most. Not collective. */
tsl_status tsl_queue_is_stopped(tsl_queue *queue, bool *stopped);

/* Do `count` items of a chunk from number `first` on, done or queued on the context's stream. */
typedef tsl_status (*tsl_queue_work)(void *user, int64_t first, int64_t count);

/* Do this rank's chunks in pieces: of a batch at first, then of up to a tenth of a second. Between
 * them it hears of ranks that have failed, and ends early if the queue is stopped. A GPU is given
 * its next piece while it does one, the next chunk's during the last batch of each. The work is
 * done on return with TSL_OK. Not collective; a failure of `work` is not published. */
tsl_status tsl_queue_do(tsl_queue *queue, tsl_context *context, tsl_queue_work work, void *user);

/* To be asked by a rank that is not ready yet: is there anything left to hand out? Asks the others.
 * Not collective. */
tsl_status tsl_queue_has_more(tsl_queue *queue, bool *more);

void tsl_queue_share_of(const tsl_queue *queue, tsl_queue_share *out);

/* For tests: time as `clock` tells it. */
typedef double (*tsl_queue_clock)(void);
void tsl_queue_set_clock(tsl_queue *queue, tsl_queue_clock clock);

/* ---- how it decides ----------------------------------------------------------------------- */

/* The counters that ranks share. */
enum {
    TSL_QUEUE_NEXT = 0,   /* the first item not handed out; may pass the end */
    TSL_QUEUE_RATE = 1,   /* sum of the rates of those that do not wait, in
                             1 / TSL_QUEUE_RATE_ONE items a second */
    TSL_QUEUE_STOPPED = 2 /* tsl_queue_stop() calls */
};
#define TSL_QUEUE_RATE_ONE 16777216.0

enum { TSL_QUEUE_BEFORE = 2 };

/* What a rank knows of itself. */
typedef struct tsl_queue_worker {
    int64_t items, batch;
    int64_t in_hand;                 /* items taken and not known to be done */
    double rate;                     /* r, by the last chunk; 0: not known */
    double before[TSL_QUEUE_BEFORE]; /* by those before that, the last first */
    double overhead;                 /* o, 0 until known */
    bool knows_overhead;
    double shortest;   /* time of any chunk */
    int64_t published; /* its part of TSL_QUEUE_RATE */
    double last;       /* items of the chunk before, and its time; 0: there was none */
    double last_seconds;
    double others_end; /* since then: when the others would have been done, at the earliest; 0: not
                          looked at */
} tsl_queue_worker;

/* A chunk of `count` items, on average of two, has taken `seconds`. Returns what TSL_QUEUE_RATE has
 * to grow by. */
int64_t tsl_queue_learn(tsl_queue_worker *worker, double count, double seconds);

/* Items to take of those that are left, > 0, given the rates of the others and the time since the
 * queue was made; 0: this rank gives way. */
int64_t tsl_queue_choose(tsl_queue_worker *worker, int64_t left, int64_t others, double elapsed);

#endif
