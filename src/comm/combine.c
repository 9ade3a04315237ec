/* Ranks' values, combined as comm_point.h has it: a loop for each type and operation, so that
 * neither is asked about value by value. */
#include "comm/comm.h"
#include "core/clones.h"

#define UNORDERED(a, b) (((a) != (a)) | ((b) != (b)))
#define NEVER(a, b) 0

/* All three loops of a type. What is not taken is worked out too: so there is no branch. */
#define LOOP(name, type, value)                                                                    \
    TSL_CLONES static void name(void *restrict into, const void *restrict from, int64_t count)     \
    {                                                                                              \
        for (int64_t i = 0; i < count; i++) {                                                      \
            const type a = ((const type *)into)[i], b = ((const type *)from)[i];                   \
            ((type *)into)[i] = value;                                                             \
        }                                                                                          \
    }
#define PICK(a, b, sum, unordered, other) (unordered(a, b) ? sum(a, b) : (other))
#define COMBINE(name, type, sum, unordered)                                                        \
    LOOP(sum_##name, type, sum(a, b))                                                              \
    LOOP(least_##name, type, PICK(a, b, sum, unordered, b < a ? b : a))                            \
    LOOP(greatest_##name, type, PICK(a, b, sum, unordered, b > a ? b : a))

#define ADD(a, b) ((a) + (b))
#define ADD32(a, b) ((int32_t)((uint32_t)(a) + (uint32_t)(b)))
#define ADD64(a, b) ((int64_t)((uint64_t)(a) + (uint64_t)(b)))

COMBINE(int32, int32_t, ADD32, NEVER)
COMBINE(int64, int64_t, ADD64, NEVER)
COMBINE(float, float, ADD, UNORDERED)
COMBINE(double, double, ADD, UNORDERED)

typedef void combine_function(void *into, const void *from, int64_t count);

#define ROW(name)                                                                                  \
    {                                                                                              \
        [TSL_COMM_SUM] = sum_##name, [TSL_COMM_MIN] = least_##name,                                \
        [TSL_COMM_MAX] = greatest_##name                                                           \
    }

static combine_function *const functions[TSL_COMM_TYPES][TSL_COMM_OPERATIONS] = {
    [TSL_COMM_INT32] = ROW(int32),
    [TSL_COMM_INT64] = ROW(int64),
    [TSL_COMM_FLOAT] = ROW(float),
    [TSL_COMM_DOUBLE] = ROW(double)};

void tsl_comm_combine(void *into, const void *from, int64_t count, tsl_comm_type type,
                      tsl_comm_operation operation)
{
    functions[type][operation](into, from, count);
}
