#include "blocks/exchange/measure.h"

#include <stdlib.h>
#include <string.h>

#include "device/device.h"

enum { MOST_REPEATS = 101, ROWS = 64 };

/* A repeat does an operation often enough for the clock. */
static const double SHORTEST = 200e-6;

static const struct {
    const char *name;
    bool has_bytes;
} operations[] = {[TSL_MEASURED_BARRIER] = {"barrier", false},
                  [TSL_MEASURED_BROADCAST] = {"broadcast", true},
                  [TSL_MEASURED_ALL_REDUCE] = {"all-reduce", true},
                  [TSL_MEASURED_REDUCER] = {"2-value all-reduce", false},
                  [TSL_MEASURED_GATHER] = {"gather to all", true},
                  [TSL_MEASURED_ALL_TO_ALL] = {"all-to-all", true},
                  [TSL_MEASURED_ROWS] = {"all-to-all of rows", true},
                  [TSL_MEASURED_EXCHANGE] = {"ring exchange", true},
                  [TSL_MEASURED_LINK] = {"one way", true},
                  [TSL_MEASURED_COUNTERS] = {"counters", false}};

const char *tsl_measured_name(tsl_measured operation)
{
    return operations[operation].name;
}

bool tsl_measured_has_bytes(tsl_measured operation)
{
    return operations[operation].has_bytes;
}

/* One measurement under way. */
typedef struct trial {
    tsl_comm *comm;
    tsl_context *context;
    tsl_measured operation;
    int64_t bytes;
    char *work;
    tsl_counters *counters;
    tsl_reducer *reducer;
    int64_t *sizes, *offsets; /* [size] */
} trial;

int64_t tsl_comm_measure_bytes(const tsl_comm *comm, int64_t bytes)
{
    const int64_t part = (bytes + 255) / 256 * 256 + ROWS * 16;
    return 2 * comm->size * part;
}

/* ---- one operation ------------------------------------------------------------------------ */

static tsl_status do_exchange(const trial *t, char *receive)
{
    tsl_comm *comm = t->comm;
    const int size = comm->size, rank = comm->rank;
    const bool one_way = t->operation == TSL_MEASURED_LINK;
    const bool sends = !one_way || rank == 0, receives = !one_way || rank == 1 % size;
    tsl_comm_pair pairs[2] = {
        {.peer = one_way ? 1 % size : (rank + 1) % size, .send = t->work, .send_bytes = t->bytes},
        {.peer = one_way ? 0 : (rank + size - 1) % size,
         .receive = receive,
         .receive_bytes = t->bytes}};
    if (pairs[0].peer == pairs[1].peer && sends && receives) { /* two ranks, or one */
        pairs[0].receive = receive;
        pairs[0].receive_bytes = t->bytes;
        return tsl_comm_exchange(comm, t->context, 1, pairs);
    }
    return tsl_comm_exchange(comm, t->context, sends + receives, sends ? pairs : pairs + 1);
}

static tsl_status do_once(const trial *t)
{
    tsl_comm *comm = t->comm;
    char *receive_at = t->work + tsl_comm_measure_bytes(comm, t->bytes) / 2;
    const tsl_comm_parts send = {.data = t->work, .bytes = t->sizes, .offsets = t->offsets};
    const tsl_comm_parts receive = {.data = receive_at, .bytes = t->sizes, .offsets = t->offsets};
    const int64_t add[TSL_COUNTERS] = {1};
    int64_t before[TSL_COUNTERS];
    switch (t->operation) {
    case TSL_MEASURED_BARRIER:
        return tsl_comm_barrier(comm);
    case TSL_MEASURED_BROADCAST:
        return tsl_comm_broadcast(comm, t->context, t->work, t->bytes, 0);
    case TSL_MEASURED_ALL_REDUCE:
        return tsl_comm_all_reduce(comm, t->context, t->work, t->bytes / 8, TSL_COMM_DOUBLE,
                                   TSL_COMM_MAX);
    case TSL_MEASURED_REDUCER:
        return tsl_reducer_execute(t->reducer, t->work, 2);
    case TSL_MEASURED_GATHER:
        return tsl_comm_gather(comm, t->context, t->work, t->bytes, &receive, TSL_COMM_ALL);
    case TSL_MEASURED_ALL_TO_ALL:
        return tsl_comm_all_to_all(comm, t->context, &send, &receive);
    case TSL_MEASURED_ROWS:
        return tsl_comm_all_to_all_rows(comm, t->work, receive_at, ROWS,
                                        (t->bytes + ROWS - 1) / ROWS);
    case TSL_MEASURED_COUNTERS:
        return tsl_counters_add(t->counters, add, before);
    default:
        return do_exchange(t, receive_at);
    }
}

/* Bytes that the busiest rank sends or receives. */
static int64_t sent_bytes(const trial *t)
{
    const int64_t others = t->comm->size - 1;
    switch (t->operation) {
    case TSL_MEASURED_BARRIER:
    case TSL_MEASURED_REDUCER:
    case TSL_MEASURED_COUNTERS:
        return 0;
    case TSL_MEASURED_GATHER:
    case TSL_MEASURED_ALL_TO_ALL:
        return others * t->bytes;
    case TSL_MEASURED_ROWS:
        return others * ((t->bytes + ROWS - 1) / ROWS * ROWS);
    default:
        return others > 0 ? t->bytes : 0;
    }
}

/* ---- time --------------------------------------------------------------------------------- */

/* The slowest rank's time for `count` times the operation. */
static tsl_status time_operation(double *seconds, const trial *t, int count)
{
    tsl_status status = tsl_comm_barrier(t->comm);
    const double begun = tsl_seconds();
    for (int i = 0; i < count && status == TSL_OK; i++) {
        status = do_once(t);
    }
    if (status == TSL_OK && t->context != NULL) {
        status = tsl_context_synchronize(t->context);
        if (status != TSL_OK) {
            tsl_comm_fail(t->comm, status, tsl_last_error(t->context));
        }
    }
    *seconds = tsl_seconds() - begun;
    return status != TSL_OK
               ? status
               : tsl_comm_all_reduce(t->comm, NULL, seconds, 1, TSL_COMM_DOUBLE, TSL_COMM_MAX);
}

static int ascending(const void *left, const void *right)
{
    const double a = *(const double *)left;
    const double b = *(const double *)right;
    return (a > b) - (a < b);
}

static tsl_status run_trial(tsl_comm_measurement *out, const trial *t, int repeats)
{
    double seconds[MOST_REPEATS];
    int count = 1;
    tsl_status status = time_operation(&seconds[0], t, 1); /* to warm up */
    if (status == TSL_OK) {
        status = time_operation(&seconds[0], t, 1);
    }
    while (status == TSL_OK && seconds[0] < SHORTEST && count < 1000) {
        count *= seconds[0] < SHORTEST / 10 ? 10 : 2;
        status = time_operation(&seconds[0], t, count);
    }
    for (int i = 0; i < repeats && status == TSL_OK; i++) {
        status = time_operation(&seconds[i], t, count);
    }
    if (status != TSL_OK) {
        return status;
    }
    qsort(seconds, (size_t)repeats, sizeof *seconds, ascending);
    *out = (tsl_comm_measurement){
        .operation = t->operation,
        .bytes = t->bytes,
        .sent = sent_bytes(t),
        .seconds = 0.5 * (seconds[(repeats - 1) / 2] + seconds[repeats / 2]) / count};
    out->bandwidth = (double)out->sent / out->seconds;
    return TSL_OK;
}

tsl_status tsl_comm_measure(tsl_comm_measurement *out, tsl_comm *comm, tsl_context *context,
                            tsl_measured operation, int64_t bytes, int repeats, void *work)
{
    const size_t size = (size_t)comm->size;
    trial t = {.comm = comm,
               .context = context,
               .operation = operation,
               .bytes = operation == TSL_MEASURED_ALL_REDUCE ? bytes / 8 * 8 : bytes,
               .work = work,
               .sizes = tsl_allocate_zeroed(2 * size, sizeof *t.sizes)};
    if (operation == TSL_MEASURED_ROWS && !tsl_comm_has_rows(comm, context)) {
        tsl_release(t.sizes);
        return tsl_fail(context, TSL_E_UNSUPPORTED, "%s: not by %s", tsl_measured_name(operation),
                        tsl_comm_path(comm));
    }
    if (t.sizes == NULL) {
        tsl_comm_fail(comm, TSL_E_NOMEM, "out of memory: cannot measure communication");
        return tsl_fail_memory(context, 2 * (int64_t)size * 8, "measuring");
    }
    t.offsets = t.sizes + size;
    for (size_t q = 0; q < size; q++) {
        t.sizes[q] = t.bytes;
        t.offsets[q] = (int64_t)q * ((t.bytes + 255) / 256 * 256);
    }
    tsl_status status = TSL_OK;
    if (operation == TSL_MEASURED_COUNTERS) {
        status = tsl_counters_create(&t.counters, comm);
    } else if (operation == TSL_MEASURED_REDUCER) {
        status = tsl_reducer_create(&t.reducer, comm, context, 2, TSL_COMM_DOUBLE, TSL_COMM_SUM);
    }
    if (status == TSL_OK) {
        status = run_trial(out, &t, repeats < MOST_REPEATS ? repeats : MOST_REPEATS);
    }
    tsl_counters_destroy(t.counters);
    tsl_reducer_destroy(t.reducer);
    tsl_release(t.sizes);
    return status;
}
