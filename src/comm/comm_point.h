/* How two ranks' values become one. */
#ifndef TSL_COMM_POINT_H
#define TSL_COMM_POINT_H

#include <stdint.h>

#include "core/point.h"

typedef enum tsl_comm_type {
    TSL_COMM_INT32,
    TSL_COMM_INT64,
    TSL_COMM_FLOAT,
    TSL_COMM_DOUBLE,
    TSL_COMM_TYPES
} tsl_comm_type;

typedef enum tsl_comm_operation {
    TSL_COMM_SUM, /* of integers: modulo 2^32 or 2^64 */
    TSL_COMM_MIN,
    TSL_COMM_MAX,
    TSL_COMM_OPERATIONS
} tsl_comm_operation;

/* Bytes of a value. */
TSL_FN int tsl_comm_width(tsl_comm_type type)
{
    return type == TSL_COMM_INT32 || type == TSL_COMM_FLOAT ? 4 : 8;
}

/* `unordered`: is one of them a not-a-number? Their sum is one then. */
#define TSL_COMM_COMBINE(name, type, sum, unordered)                                               \
    TSL_FN type name(type a, type b, tsl_comm_operation operation)                                 \
    {                                                                                              \
        if (operation == TSL_COMM_SUM || (unordered)) {                                            \
            return sum;                                                                            \
        }                                                                                          \
        return (operation == TSL_COMM_MIN) == (b < a) && a != b ? b : a;                           \
    }

TSL_COMM_COMBINE(tsl_comm_combine_int32, int32_t, (int32_t)((uint32_t)a + (uint32_t)b), 0)
TSL_COMM_COMBINE(tsl_comm_combine_int64, int64_t, (int64_t)((uint64_t)a + (uint64_t)b), 0)
TSL_COMM_COMBINE(tsl_comm_combine_float, float, a + b, a != a || b != b)
TSL_COMM_COMBINE(tsl_comm_combine_double, double, a + b, a != a || b != b)

#undef TSL_COMM_COMBINE

#endif
