#include "comm/cases.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "blocks/queue/queue.h"
#include "support/devices.h"

tsl_status comm_check_failed(tsl_comm *comm, const char *file, int line, const char *condition)
{
    char reason[256];
    snprintf(reason, sizeof reason, "%s:%d: not so: %s", file, line, condition);
    return tsl_comm_fail(comm, TSL_E_INTERNAL, reason);
}

/* Memory until the case is over. */
static void *take(comm_memory *memory, size_t bytes)
{
    void *piece = malloc(bytes);
    if (piece == NULL || memory->count == COMM_PIECES) {
        abort();
    }
    memory->pieces[memory->count++] = piece;
    return piece;
}

/* ---- what ranks send ---------------------------------------------------------------------- */

/* A number that all ranks agree on. */
static uint64_t agreed(uint64_t seed, uint64_t a, uint64_t b)
{
    uint64_t z = seed ^ (a * UINT64_C(0x9e3779b97f4a7c15)) ^ (b * UINT64_C(0xc2b2ae3d27d4eb4f));
    return test_random(&z);
}

static unsigned char byte_of(uint64_t seed, int from, int to, int64_t i)
{
    return (unsigned char)(agreed(seed, (uint64_t)from * 1000 + (uint64_t)to, (uint64_t)i / 8) >>
                           (i % 8 * 8));
}

static void write_bytes(unsigned char *out, uint64_t seed, int from, int to, int64_t bytes)
{
    for (int64_t i = 0; i < bytes; i++) {
        out[i] = byte_of(seed, from, to, i);
    }
}

static bool are_bytes(const unsigned char *in, uint64_t seed, int from, int to, int64_t bytes)
{
    for (int64_t i = 0; i < bytes; i++) {
        if (in[i] != byte_of(seed, from, to, i)) {
            return false;
        }
    }
    return true;
}

/* Bytes from one rank to another: often none, seldom many. */
static int64_t bytes_between(uint64_t seed, int from, int to)
{
    const uint64_t r = agreed(seed, 7000 + (uint64_t)from, (uint64_t)to);
    const int64_t most[] = {0, 1, 40, 3000, 20000};
    const int64_t limit = most[r % 5];
    return limit == 0 ? 0 : (int64_t)(r / 5 % (uint64_t)limit);
}

/* ---- barrier, broadcast ------------------------------------------------------------------- */

/* Nobody is through before all have come. */
static tsl_status barrier_waits(tsl_comm *comm, comm_memory *memory, uint64_t seed)
{
    (void)memory;
    (void)seed;
    tsl_counters *counters = NULL;
    CHECK(comm, tsl_counters_create(&counters, comm) == TSL_OK);
    for (int round = 1; round <= 20; round++) {
        const int64_t one[TSL_COUNTERS] = {1}, none[TSL_COUNTERS] = {0};
        int64_t before[TSL_COUNTERS];
        CHECK(comm, tsl_counters_add(counters, one, before) == TSL_OK);
        CHECK(comm, tsl_comm_barrier(comm) == TSL_OK);
        CHECK(comm, tsl_counters_add(counters, none, before) == TSL_OK);
        CHECK(comm, before[0] == (int64_t)round * comm->size);
        CHECK(comm, tsl_comm_barrier(comm) == TSL_OK);
    }
    tsl_counters_destroy(counters);
    return TSL_OK;
}

static tsl_status broadcast_copies(tsl_comm *comm, comm_memory *memory, uint64_t seed)
{
    static const int64_t sizes[] = {0, 1, 8, 1000, 65536, 200001};
    unsigned char *data = take(memory, 200001);
    for (int i = 0; i < 6; i++) {
        const int root = (int)(agreed(seed, 1, (uint64_t)i) % (uint64_t)comm->size);
        memset(data, 0, (size_t)sizes[i]);
        if (comm->rank == root) {
            write_bytes(data, seed, root, i, sizes[i]);
        }
        CHECK(comm, tsl_comm_broadcast(comm, NULL, data, sizes[i], root) == TSL_OK);
        CHECK(comm, are_bytes(data, seed, root, i, sizes[i]));
    }
    return TSL_OK;
}

/* ---- all-reduce --------------------------------------------------------------------------- */

/* Value i of a rank: integers of both signs, also near the ends; reals of all sizes. */
static int64_t integer_of(uint64_t seed, int rank, int64_t i)
{
    return (int64_t)agreed(seed, 100 + (uint64_t)rank, (uint64_t)i) >> (i % 40);
}

static double real_of(uint64_t seed, int rank, int64_t i)
{
    const uint64_t r = agreed(seed, 200 + (uint64_t)rank, (uint64_t)i);
    return ldexp((double)(int64_t)r, (int)(i % 30) - 70);
}

/* The oracle: one value of each rank, combined in their order. */
#define ORACLE(name, type, unsigned_type, of)                                                      \
    static type name(uint64_t seed, int size, int64_t i, int operation)                            \
    {                                                                                              \
        type result = (type)of(seed, 0, i);                                                        \
        for (int q = 1; q < size; q++) {                                                           \
            const type value = (type)of(seed, q, i);                                               \
            if (operation == TSL_COMM_SUM) {                                                       \
                result = (type)((unsigned_type)result + (unsigned_type)value);                     \
            } else if (operation == TSL_COMM_MIN ? value < result : value > result) {              \
                result = value;                                                                    \
            }                                                                                      \
        }                                                                                          \
        return result;                                                                             \
    }

ORACLE(oracle_int32, int32_t, uint32_t, integer_of)
ORACLE(oracle_int64, int64_t, uint64_t, integer_of)
ORACLE(oracle_float, float, float, real_of)
ORACLE(oracle_double, double, double, real_of)

#define REDUCE(name, type, tsl_type, of, oracle)                                                   \
    typedef type name##_value;                                                                     \
    static tsl_status name(tsl_comm *comm, comm_memory *memory, uint64_t seed, int64_t count,      \
                           int operation)                                                          \
    {                                                                                              \
        name##_value *values = take(memory, (size_t)(count + 1) * sizeof *values);                 \
        for (int64_t i = 0; i < count; i++) {                                                      \
            values[i] = (type)of(seed, comm->rank, i);                                             \
        }                                                                                          \
        values[count] = (type)77;                                                                  \
        CHECK(comm, tsl_comm_all_reduce(comm, NULL, values, count, tsl_type,                       \
                                        (tsl_comm_operation)operation) == TSL_OK);                 \
        for (int64_t i = 0; i < count; i++) {                                                      \
            const type expected = oracle(seed, comm->size, i, operation);                          \
            CHECK(comm, memcmp(&values[i], &expected, sizeof expected) == 0);                      \
        }                                                                                          \
        CHECK(comm, values[count] == (type)77);                                                    \
        return TSL_OK;                                                                             \
    }

REDUCE(reduce_int32, int32_t, TSL_COMM_INT32, integer_of, oracle_int32)
REDUCE(reduce_int64, int64_t, TSL_COMM_INT64, integer_of, oracle_int64)
REDUCE(reduce_float, float, TSL_COMM_FLOAT, real_of, oracle_float)
REDUCE(reduce_double, double, TSL_COMM_DOUBLE, real_of, oracle_double)

static tsl_status all_reduce_combines_in_rank_order(tsl_comm *comm, comm_memory *memory,
                                                    uint64_t seed)
{
    static const int64_t counts[] = {0, 1, 2, 5, 100, 4099};
    tsl_status status = TSL_OK;
    for (int i = 0; i < 6; i++) {
        for (int operation = 0; operation < TSL_COMM_OPERATIONS && status == TSL_OK; operation++) {
            status = reduce_int32(comm, memory, seed, counts[i], operation);
            status =
                status == TSL_OK ? reduce_int64(comm, memory, seed, counts[i], operation) : status;
            status =
                status == TSL_OK ? reduce_float(comm, memory, seed, counts[i], operation) : status;
            status =
                status == TSL_OK ? reduce_double(comm, memory, seed, counts[i], operation) : status;
        }
    }
    return status;
}

/* Whichever rank has it. */
static tsl_status not_a_number_wins(tsl_comm *comm, comm_memory *memory, uint64_t seed)
{
    (void)memory;
    (void)seed;
    for (int operation = 0; operation < TSL_COMM_OPERATIONS; operation++) {
        for (int who = 0; who < comm->size; who++) {
            double values[2] = {comm->rank == who ? (double)NAN : comm->rank, comm->rank};
            float singles[1] = {comm->rank == who ? NAN : (float)comm->rank};
            CHECK(comm, tsl_comm_all_reduce(comm, NULL, values, 2, TSL_COMM_DOUBLE,
                                            (tsl_comm_operation)operation) == TSL_OK);
            CHECK(comm, tsl_comm_all_reduce(comm, NULL, singles, 1, TSL_COMM_FLOAT,
                                            (tsl_comm_operation)operation) == TSL_OK);
            CHECK(comm, isnan(values[0]) && !isnan(values[1]) && isnan(singles[0]));
        }
    }
    return TSL_OK;
}

/* ---- all-to-all, gather ------------------------------------------------------------------- */

/* Room for a part from or to each rank, gaps between them filled with 0xEE. */
typedef struct parts {
    tsl_comm_parts p;
    int64_t *bytes, *offsets;
    int64_t total;
} parts;

static parts make_parts(comm_memory *memory, int size,
                        int64_t (*bytes)(uint64_t seed, int from, int to), uint64_t seed, int rank,
                        bool receive)
{
    parts made = {.bytes = take(memory, (size_t)size * 8),
                  .offsets = take(memory, (size_t)size * 8)};
    for (int i = 0; i < size; i++) {
        const int q = receive ? size - 1 - i : i; /* not in the order of the ranks */
        made.bytes[q] = receive ? bytes(seed, q, rank) : bytes(seed, rank, q);
        made.offsets[q] = made.total + 3;
        made.total += made.bytes[q] + 5;
    }
    made.p.data = take(memory, (size_t)made.total + 1);
    memset(made.p.data, 0xEE, (size_t)made.total + 1);
    made.p.bytes = made.bytes;
    made.p.offsets = made.offsets;
    return made;
}

static unsigned char *part(const parts *of, int q)
{
    return (unsigned char *)of->p.data + of->offsets[q];
}

/* The gaps are as they were. */
static bool gaps_stand(const parts *of, int size)
{
    bool stand = true;
    for (int q = 0; q < size; q++) {
        for (int i = 1; i <= 3; i++) {
            stand = stand && part(of, q)[-i] == 0xEE;
        }
        stand = stand && part(of, q)[of->bytes[q]] == 0xEE;
    }
    return stand;
}

static tsl_status all_to_all_transposes(tsl_comm *comm, comm_memory *memory, uint64_t seed)
{
    for (int round = 0; round < 4; round++) {
        const uint64_t s = seed + (uint64_t)round;
        parts send = make_parts(memory, comm->size, bytes_between, s, comm->rank, false);
        parts receive = make_parts(memory, comm->size, bytes_between, s, comm->rank, true);
        for (int q = 0; q < comm->size; q++) {
            write_bytes(part(&send, q), s, comm->rank, q, send.bytes[q]);
        }
        CHECK(comm, tsl_comm_all_to_all(comm, NULL, &send.p, &receive.p) == TSL_OK);
        for (int q = 0; q < comm->size; q++) {
            CHECK(comm, are_bytes(part(&receive, q), s, q, comm->rank, receive.bytes[q]));
        }
        CHECK(comm, gaps_stand(&receive, comm->size));
    }
    return TSL_OK;
}

/* Columns of a matrix go to the ranks, where there is such an operation. */
static tsl_status rows_transpose(tsl_comm *comm, comm_memory *memory, uint64_t seed)
{
    enum { ROWS = 5, WIDE = 12 };
    const int64_t row = comm->size * WIDE;
    unsigned char *send = take(memory, (size_t)(ROWS * row));
    unsigned char *receive = take(memory, (size_t)(ROWS * row));
    for (int q = 0; q < comm->size; q++) {
        for (int64_t i = 0; i < ROWS; i++) {
            write_bytes(send + i * row + q * WIDE, seed + (uint64_t)i, comm->rank, q, WIDE);
        }
    }
    if (!tsl_comm_has_rows(comm, NULL)) {
        return TSL_OK;
    }
    CHECK(comm, tsl_comm_all_to_all_rows(comm, send, receive, ROWS, WIDE) == TSL_OK);
    for (int q = 0; q < comm->size; q++) {
        for (int64_t i = 0; i < ROWS; i++) {
            CHECK(comm,
                  are_bytes(receive + i * row + q * WIDE, seed + (uint64_t)i, q, comm->rank, WIDE));
        }
    }
    return TSL_OK;
}

static int64_t bytes_of(uint64_t seed, int from, int to)
{
    (void)to;
    return bytes_between(seed, from, 0);
}

static tsl_status gather_collects(tsl_comm *comm, comm_memory *memory, uint64_t seed)
{
    for (int root = TSL_COMM_ALL; root < comm->size; root++) {
        const uint64_t s = seed + (uint64_t)(root + 1);
        const bool receives = root == TSL_COMM_ALL || root == comm->rank;
        const int64_t bytes = bytes_of(s, comm->rank, 0);
        parts receive = make_parts(memory, comm->size, bytes_of, s, comm->rank, true);
        unsigned char *send = take(memory, (size_t)bytes + 1);
        write_bytes(send, s, comm->rank, 0, bytes);
        CHECK(comm, tsl_comm_gather(comm, NULL, send, bytes, receives ? &receive.p : NULL, root) ==
                        TSL_OK);
        for (int q = 0; q < comm->size && receives; q++) {
            CHECK(comm, are_bytes(part(&receive, q), s, q, 0, receive.bytes[q]));
        }
        CHECK(comm, gaps_stand(&receive, comm->size));
    }
    return TSL_OK;
}

/* ---- neighbours --------------------------------------------------------------------------- */

enum { MOST_PAIRS = 64 };

/* Ranks that differ by d = 0, 1, 2 are neighbours, d + 1 times over, unless the seed says not. */
static int list_neighbours(int *peers, const tsl_comm *comm, uint64_t seed)
{
    int count = 0;
    for (int q = 0; q < comm->size; q++) {
        const int d = abs(q - comm->rank);
        const uint64_t a = (uint64_t)(q < comm->rank ? q : comm->rank);
        const bool are = d <= 2 && agreed(seed, 3 * a + (uint64_t)d, 5) % 4 != 0;
        for (int i = 0; i <= d && are; i++) {
            peers[count++] = q;
        }
    }
    return count;
}

static tsl_status neighbours_exchange(tsl_comm *comm, comm_memory *memory, uint64_t seed)
{
    for (int round = 0; round < 4; round++) {
        const uint64_t s = seed + 31 * (uint64_t)round;
        int peers[MOST_PAIRS];
        int turn[MOST_PAIRS];
        unsigned char *room[MOST_PAIRS][2];
        tsl_comm_pair pairs[MOST_PAIRS];
        const int count = list_neighbours(peers, comm, s);
        for (int k = 0; k < count; k++) {
            turn[k] = k > 0 && peers[k - 1] == peers[k] ? turn[k - 1] + 100 : 0;
            pairs[k] =
                (tsl_comm_pair){.peer = peers[k],
                                .send_bytes = bytes_between(s, comm->rank, peers[k] + turn[k]),
                                .receive_bytes = bytes_between(s, peers[k], comm->rank + turn[k])};
            room[k][0] = take(memory, (size_t)pairs[k].send_bytes + 1);
            room[k][1] = take(memory, (size_t)pairs[k].receive_bytes + 1);
            write_bytes(room[k][0], s, comm->rank, peers[k] + turn[k], pairs[k].send_bytes);
            pairs[k].send = room[k][0];
            pairs[k].receive = room[k][1];
        }
        CHECK(comm, tsl_comm_exchange(comm, NULL, count, pairs) == TSL_OK);
        for (int k = 0; k < count; k++) {
            CHECK(comm,
                  are_bytes(room[k][1], s, peers[k], comm->rank + turn[k], pairs[k].receive_bytes));
        }
    }
    return TSL_OK;
}

/* ---- sub-communicators -------------------------------------------------------------------- */

/* The sum of the members' numbers in the parent. */
static tsl_status sum_of_ranks(int64_t *sum, tsl_comm *part_of, const tsl_comm *comm)
{
    *sum = comm->rank;
    return tsl_comm_all_reduce(part_of, NULL, sum, 1, TSL_COMM_INT64, TSL_COMM_SUM);
}

static tsl_status split_divides(tsl_comm *comm, comm_memory *memory, uint64_t seed)
{
    (void)memory;
    (void)seed;
    tsl_comm *thirds = NULL, *reversed = NULL, *pair = NULL;
    const int colour = comm->rank % 3 == 2 ? -1 : comm->rank % 3;
    int64_t sum, expected = 0;
    CHECK(comm, tsl_comm_split(&thirds, comm, colour, 0) == TSL_OK);
    CHECK(comm, (thirds == NULL) == (colour < 0));
    if (thirds != NULL) {
        for (int q = colour; q < comm->size; q += 3) {
            expected += q;
        }
        CHECK(comm, tsl_comm_rank(thirds) == comm->rank / 3);
        CHECK(comm, tsl_comm_size(thirds) == (comm->size - colour + 2) / 3);
        CHECK(comm, sum_of_ranks(&sum, thirds, comm) == TSL_OK && sum == expected);
    }
    CHECK(comm, tsl_comm_split(&reversed, comm, 5, -comm->rank) == TSL_OK);
    CHECK(comm, tsl_comm_rank(reversed) == comm->size - 1 - comm->rank);
    CHECK(comm, tsl_comm_size(reversed) == comm->size);
    /* a part of a part, with its own traffic between that of the whole */
    CHECK(comm, tsl_comm_split(&pair, reversed, reversed->rank / 2, 0) == TSL_OK);
    const int other = comm->size - 1 - (reversed->rank ^ 1);
    for (int i = 0; i < 10; i++) {
        CHECK(comm, sum_of_ranks(&sum, pair, comm) == TSL_OK);
        CHECK(comm, sum == comm->rank + (other >= 0 && pair->size == 2 ? other : 0));
        CHECK(comm, sum_of_ranks(&sum, reversed, comm) == TSL_OK);
        CHECK(comm, sum == (int64_t)comm->size * (comm->size - 1) / 2);
    }
    tsl_comm_destroy(pair);
    tsl_comm_destroy(reversed);
    tsl_comm_destroy(thirds);
    tsl_comm_destroy(NULL);
    return TSL_OK;
}

/* ---- counters ----------------------------------------------------------------------------- */

enum { ITEMS = 500 };

/* Every item is handed out once; two sets of counters do not touch each other. */
static tsl_status counters_hand_out(tsl_comm *comm, comm_memory *memory, uint64_t seed)
{
    (void)memory;
    tsl_counters *counters = NULL, *others = NULL;
    CHECK(comm, tsl_counters_create(&counters, comm) == TSL_OK);
    CHECK(comm, tsl_counters_create(&others, comm) == TSL_OK);
    int64_t taken[ITEMS] = {0};
    uint64_t random = seed + (uint64_t)comm->rank;
    int64_t before[TSL_COUNTERS] = {0};
    int64_t mine = 0;
    while (before[0] < ITEMS) {
        const int64_t add[TSL_COUNTERS] = {1 + (int64_t)(test_random(&random) % 7), 0, -3, 1};
        CHECK(comm, tsl_counters_add(counters, add, before) == TSL_OK);
        for (int64_t i = before[0]; i < before[0] + add[0] && i < ITEMS; i++) {
            taken[i]++;
        }
        CHECK(comm, before[1] == 0 && before[2] == -3 * before[3]);
        mine++;
    }
    CHECK(comm,
          tsl_comm_all_reduce(comm, NULL, taken, ITEMS, TSL_COMM_INT64, TSL_COMM_SUM) == TSL_OK);
    CHECK(comm, tsl_comm_all_reduce(comm, NULL, &mine, 1, TSL_COMM_INT64, TSL_COMM_SUM) == TSL_OK);
    for (int i = 0; i < ITEMS; i++) {
        CHECK(comm, taken[i] == 1);
    }
    const int64_t none[TSL_COUNTERS] = {0};
    CHECK(comm, tsl_counters_add(counters, none, before) == TSL_OK && before[3] == mine);
    CHECK(comm, tsl_counters_add(others, none, before) == TSL_OK && before[3] == 0);
    tsl_counters_destroy(counters);
    tsl_counters_destroy(others);
    return TSL_OK;
}

/* Every item is handed out once by a queue, which is made of counters. */
static tsl_status a_queue_hands_out(tsl_comm *comm, comm_memory *memory, uint64_t seed)
{
    (void)memory;
    tsl_queue *queue = NULL;
    int64_t taken[ITEMS] = {0}, first, count = 1;
    CHECK(comm, tsl_queue_create(&queue, comm, ITEMS, 1 + (int64_t)(seed % 3)) == TSL_OK);
    while (count > 0) {
        CHECK(comm, tsl_queue_next(queue, &first, &count) == TSL_OK);
        for (int64_t i = first; i < first + count; i++) {
            taken[i]++;
        }
    }
    CHECK(comm,
          tsl_comm_all_reduce(comm, NULL, taken, ITEMS, TSL_COMM_INT64, TSL_COMM_SUM) == TSL_OK);
    for (int i = 0; i < ITEMS; i++) {
        CHECK(comm, taken[i] == 1);
    }
    tsl_queue_destroy(queue);
    return TSL_OK;
}

const comm_case comm_cases[] = {
    {"a barrier waits for all", barrier_waits},
    {"a broadcast copies", broadcast_copies},
    {"an all-reduce combines in the order of the ranks", all_reduce_combines_in_rank_order},
    {"a not-a-number wins", not_a_number_wins},
    {"an all-to-all transposes", all_to_all_transposes},
    {"an all-to-all of rows transposes", rows_transpose},
    {"a gather collects", gather_collects},
    {"neighbours exchange", neighbours_exchange},
    {"a split divides", split_divides},
    {"counters hand out each item once", counters_hand_out},
    {"a queue hands out each item once", a_queue_hands_out}};
const int comm_case_count = sizeof comm_cases / sizeof *comm_cases;

tsl_status comm_run_cases(tsl_comm *comm, uint64_t seed)
{
    for (int i = 0; i < comm_case_count; i++) {
        comm_memory memory = {.count = 0};
        const tsl_status status = comm_cases[i].run(comm, &memory, seed + (uint64_t)i);
        for (int j = 0; j < memory.count; j++) {
            free(memory.pieces[j]);
        }
        if (status != TSL_OK) {
            return status;
        }
    }
    return TSL_OK;
}
