/* Combining arrays of values is combining each pair of them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "comm/comm.h"

enum { MOST = 1100 };

static uint64_t next(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 11;
}

/* Small integers, so that many are equal; extremes; zeros of both signs, infinities and what is no
 * number among the others. */
#define FILL(name, type, special)                                                                  \
    static void fill_##name(void *out, uint64_t *state)                                            \
    {                                                                                              \
        typedef type name##_value;                                                                 \
        name##_value *values = out;                                                                \
        const type specials[] = special;                                                           \
        const size_t count = sizeof specials / sizeof *specials;                                   \
        for (int i = 0; i < MOST; i++) {                                                           \
            const uint64_t pick = next(state) % 16;                                                \
            values[i] = pick < count ? specials[pick] : (type)((int)(next(state) % 9) - 4);        \
        }                                                                                          \
    }

#define EXTREMES32                                                                                 \
    {                                                                                              \
        INT32_MIN, INT32_MAX                                                                       \
    }
#define EXTREMES64                                                                                 \
    {                                                                                              \
        INT64_MIN, INT64_MAX                                                                       \
    }
#define STRANGE                                                                                    \
    {                                                                                              \
        NAN, -NAN, INFINITY, -INFINITY, 0.0f, -0.0f                                                \
    }

FILL(int32, int32_t, EXTREMES32)
FILL(int64, int64_t, EXTREMES64)
FILL(float, float, STRANGE)
FILL(double, double, STRANGE)

static void (*const fill[])(void *out, uint64_t *state) = {[TSL_COMM_INT32] = fill_int32,
                                                           [TSL_COMM_INT64] = fill_int64,
                                                           [TSL_COMM_FLOAT] = fill_float,
                                                           [TSL_COMM_DOUBLE] = fill_double};

/* The results must have the same bits; for a not-a-number it is enough to be one. */
#define CHECK_PAIR(name, type, is_none)                                                            \
    static void check_##name(const void *before, const void *from, const void *after, int i,       \
                             tsl_comm_operation operation)                                         \
    {                                                                                              \
        const type want = tsl_comm_combine_##name(((const type *)before)[i],                       \
                                                  ((const type *)from)[i], operation);             \
        const type got = ((const type *)after)[i];                                                 \
        if (is_none(want)) {                                                                       \
            assert_true(is_none(got));                                                             \
        } else {                                                                                   \
            assert_memory_equal(&got, &want, sizeof want);                                         \
        }                                                                                          \
    }

#define NEVER(value) ((void)(value), 0)

CHECK_PAIR(int32, int32_t, NEVER)
CHECK_PAIR(int64, int64_t, NEVER)
CHECK_PAIR(float, float, isnan)
CHECK_PAIR(double, double, isnan)

static void (*const check[])(const void *before, const void *from, const void *after, int i,
                             tsl_comm_operation operation) = {[TSL_COMM_INT32] = check_int32,
                                                              [TSL_COMM_INT64] = check_int64,
                                                              [TSL_COMM_FLOAT] = check_float,
                                                              [TSL_COMM_DOUBLE] = check_double};

static void arrays_are_combined_pair_by_pair(void **state)
{
    (void)state;
    static double before[MOST], from[MOST], after[MOST];
    uint64_t seed = 7;
    for (int t = 0; t < TSL_COMM_TYPES; t++) {
        const int width = tsl_comm_width((tsl_comm_type)t);
        for (int o = 0; o < TSL_COMM_OPERATIONS; o++) {
            for (int count = 0; count <= MOST; count += count < 40 ? 1 : 265) {
                fill[t](before, &seed);
                fill[t](from, &seed);
                memcpy(after, before, sizeof after);
                tsl_comm_combine(after, from, count, (tsl_comm_type)t, (tsl_comm_operation)o);
                for (int i = 0; i < count; i++) {
                    check[t](before, from, after, i, (tsl_comm_operation)o);
                }
                const size_t end = (size_t)(count * width), rest = (size_t)(MOST * width) - end;
                assert_memory_equal((char *)after + end, (char *)before + end, rest);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(arrays_are_combined_pair_by_pair)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
