/* Ranks that are threads whose contexts end: what was kept for one is not taken for the next. */
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "comm/cases.h"
#include "comm/gpu/peer.h"
#include "device/sim.h"
#include "support/devices.h"

enum { PATIENCE = 120, TABLES = 2, ROUNDS = 6, COUNT = 100, MOST_RANKS = 5 };

/* Two tables of sim's, which contexts take in turn, and what has been done by each. */
typedef struct tables {
    tsl_peer_ops peer[TABLES];
    tsl_device_ops ops[TABLES];
    bool renew; /* contexts end; else communicators are told so, and the context stays */
} tables;

static atomic_int recorded[TABLES], events;

#define COUNTED(k)                                                                                 \
    static tsl_status create_##k(tsl_event **out, tsl_context *context)                            \
    {                                                                                              \
        events++;                                                                                  \
        return tsl_device_sim.peer->create(out, context);                                          \
    }                                                                                              \
    static void destroy_##k(tsl_event *event)                                                      \
    {                                                                                              \
        events--;                                                                                  \
        tsl_device_sim.peer->destroy(event);                                                       \
    }                                                                                              \
    static tsl_status record_##k(tsl_context *context, tsl_event *event)                           \
    {                                                                                              \
        recorded[k]++;                                                                             \
        return tsl_device_sim.peer->record(context, event);                                        \
    }

COUNTED(0)
COUNTED(1)

/* A rank and its context of the round. */
typedef struct desk {
    tables *t;
    tsl_context *context;
    const tsl_device_ops *own_ops;
    int32_t *values; /* on the device */
} desk;

static void leave_desk(desk *d)
{
    if (d->context != NULL) {
        d->context->ops = d->own_ops;
        tsl_device_release(d->context, d->values);
        tsl_context_destroy(d->context);
        d->context = NULL;
    }
}

/* Another context than in the round before, by the other table. */
static tsl_status take_desk(desk *d, tsl_comm *comm, int round)
{
    if (d->context != NULL && !d->t->renew) {
        d->context->ops->synchronize(d->context);
        tsl_comm_forget(d->context);
    } else {
        void *memory = NULL;
        leave_desk(d);
        CHECK(comm, test_rank_context(&d->context, comm, "sim") == TSL_OK);
        d->own_ops = d->context->ops;
        CHECK(comm, tsl_device_allocate(&memory, d->context, COUNT * 4, "a test") == TSL_OK);
        d->values = memory;
    }
    d->context->ops = &d->t->ops[round % TABLES];
    return TSL_OK;
}

static tsl_status add_up(const desk *d, tsl_comm *comm, int round)
{
    int32_t values[COUNT];
    int32_t sum = 0;
    for (int i = 0; i < COUNT; i++) {
        values[i] = (comm->rank + 1) * (round + i);
    }
    CHECK(comm, d->own_ops->upload(d->context, d->values, values, sizeof values) == TSL_OK);
    CHECK(comm, tsl_comm_all_reduce(comm, d->context, d->values, COUNT, TSL_COMM_INT32,
                                    TSL_COMM_SUM) == TSL_OK);
    CHECK(comm, d->own_ops->download(d->context, values, d->values, sizeof values) == TSL_OK);
    for (int q = 0; q < comm->size; q++) {
        sum += q + 1;
    }
    for (int i = 0; i < COUNT; i++) {
        CHECK(comm, values[i] == sum * (round + i));
    }
    return TSL_OK;
}

/* All ranks are in the same round between its barriers. */
static tsl_status run_round(desk *d, tsl_comm *comm, tsl_comm *half, int round)
{
    const int now = round % TABLES;
    CHECK(comm, take_desk(d, comm, round) == TSL_OK);
    CHECK(comm, tsl_comm_barrier(comm) == TSL_OK);
    const int before[TABLES] = {recorded[0], recorded[1]};
    CHECK(comm, tsl_comm_barrier(comm) == TSL_OK);
    CHECK(comm, add_up(d, comm, round) == TSL_OK);
    CHECK(comm, add_up(d, half, round) == TSL_OK);
    CHECK(comm, tsl_comm_barrier(comm) == TSL_OK);
    CHECK(comm, recorded[1 - now] == before[1 - now]);
    CHECK(comm, recorded[now] == before[now] + 2 * 2 * comm->size);
    CHECK(comm, events == 2 * 2 * comm->size); /* none is left of contexts before */
    return tsl_comm_barrier(comm);
}

static tsl_status run_rounds(tsl_comm *comm, void *user)
{
    desk d = {.t = user};
    tsl_comm *half = NULL;
    tsl_status status = tsl_comm_split(&half, comm, comm->rank % 2, 0);
    for (int round = 0; round < ROUNDS && status == TSL_OK; round++) {
        status = run_round(&d, comm, half, round);
    }
    leave_desk(&d);
    tsl_comm_destroy(half);
    return status;
}

static void contexts_end(bool renew)
{
    tables t = {.renew = renew};
    for (int k = 0; k < TABLES; k++) {
        t.peer[k] = *tsl_device_sim.peer;
        t.peer[k].create = k == 0 ? create_0 : create_1;
        t.peer[k].destroy = k == 0 ? destroy_0 : destroy_1;
        t.peer[k].record = k == 0 ? record_0 : record_1;
        t.ops[k] = tsl_device_sim;
        t.ops[k].peer = &t.peer[k];
    }
    for (int ranks = 1; ranks <= MOST_RANKS; ranks++) {
        alarm(PATIENCE);
        if (tsl_comm_run(ranks, run_rounds, &t) != TSL_OK) {
            fail_msg("%s", tsl_last_error(NULL));
        }
        alarm(0);
        assert_int_equal(events, 0);
    }
}

static void a_context_ends_and_another_begins(void **state)
{
    (void)state;
    contexts_end(true);
}

/* What happens when a context is made at the address of an earlier one. */
static void a_context_of_the_same_address_is_another(void **state)
{
    (void)state;
    contexts_end(false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_context_ends_and_another_begins),
                                       cmocka_unit_test(a_context_of_the_same_address_is_another)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
