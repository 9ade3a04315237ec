/* Transactions of half-warps on capability 1.0 and 1.2: the patterns of the CUDA C Programming
 * Guide 2.3, section 5.1.2.1 and its figures, and their kin. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "lab/run/run.h"

enum { ALL = 0xffff, EVEN = 0x5555 };

typedef enum shape { STRAIGHT, REVERSED, SWAPPED } shape;

/* Lane i asks for `size` bytes at start + stride·i, in the order that `order` says. */
typedef struct pattern {
    const char *name;
    unsigned size;
    unsigned start;
    unsigned stride;
    shape order;
    uint32_t lanes;
    unsigned count;
    unsigned bytes[16]; /* of 1.2's transactions */
} pattern;

static void addresses_of(uintptr_t out[16], const pattern *p)
{
    for (unsigned i = 0; i < 16; i++) {
        const unsigned k = p->order == REVERSED ? 15 - i : p->order == SWAPPED ? (i ^ 1) : i;
        out[i] = 0x10000 + p->start + (uintptr_t)p->stride * k;
    }
}

/* 1.0 and 1.1: one transaction, two of 16-byte words, or one a thread. */
static const pattern strict[] = {
    {"words in order", 4, 0, 4, STRAIGHT, ALL, 1, {1}},
    {"words in order, half of the threads idle", 4, 0, 4, STRAIGHT, EVEN, 1, {1}},
    {"words in order from the second segment", 4, 64, 4, STRAIGHT, ALL, 1, {1}},
    {"one thread in its place", 4, 0, 4, STRAIGHT, 1 << 3, 1, {1}},
    {"threads 8 to 15 in their places", 4, 0, 4, STRAIGHT, 0xff00, 1, {1}},
    {"a word too far", 4, 4, 4, STRAIGHT, ALL, 16, {0}},
    {"half a segment too far", 4, 32, 4, STRAIGHT, ALL, 16, {0}},
    {"four threads a word too far", 4, 4, 4, STRAIGHT, 0x00f0, 4, {0}},
    {"neighbours swapped", 4, 0, 4, SWAPPED, ALL, 16, {0}},
    {"words in reverse", 4, 0, 4, REVERSED, ALL, 16, {0}},
    {"every other word", 4, 0, 8, STRAIGHT, ALL, 16, {0}},
    {"every third word, as of float3", 4, 0, 12, STRAIGHT, ALL, 16, {0}},
    {"one word for all", 4, 0, 0, STRAIGHT, ALL, 16, {0}},
    {"8 bytes in order", 8, 0, 8, STRAIGHT, ALL, 1, {1}},
    {"8 bytes in order, half of the threads idle", 8, 128, 8, STRAIGHT, EVEN, 1, {1}},
    {"8 bytes half a segment too far", 8, 64, 8, STRAIGHT, ALL, 16, {0}},
    {"16 bytes in order", 16, 0, 16, STRAIGHT, ALL, 2, {1}},
    {"16 bytes half a segment too far", 16, 128, 16, STRAIGHT, ALL, 16, {0}},
    {"bytes in order", 1, 0, 1, STRAIGHT, ALL, 16, {0}},
    {"2 bytes in order", 2, 0, 2, STRAIGHT, ALL, 16, {0}},
};

/* 1.2 and 1.3: segments of 32, 64 or 128 bytes, each shrunk to the half that is used. */
static const pattern segments[] = {
    {"words in order", 4, 0, 4, STRAIGHT, ALL, 1, {64}},
    {"words in reverse", 4, 0, 4, REVERSED, ALL, 1, {64}},
    {"words in order from the second half", 4, 64, 4, STRAIGHT, ALL, 1, {64}},
    {"a word too far", 4, 4, 4, STRAIGHT, ALL, 1, {128}},
    {"across two segments, evenly", 4, 96, 4, STRAIGHT, ALL, 2, {32, 32}},
    {"across two segments, unevenly", 4, 100, 4, STRAIGHT, ALL, 2, {32, 64}},
    {"every other word", 4, 0, 8, STRAIGHT, ALL, 1, {128}},
    {"every third word", 4, 0, 12, STRAIGHT, ALL, 2, {128, 64}},
    {"every fourth word", 4, 0, 16, STRAIGHT, ALL, 2, {128, 128}},
    {"every 16th word", 4, 0, 64, STRAIGHT, ALL, 8, {128, 128, 128, 128, 128, 128, 128, 128}},
    {"every 32nd word",
     4,
     0,
     128,
     STRAIGHT,
     ALL,
     16,
     {32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32}},
    {"one word for all", 4, 0, 0, STRAIGHT, ALL, 1, {32}},
    {"one thread", 4, 0, 4, STRAIGHT, 1 << 5, 1, {32}},
    {"threads 0 to 7", 4, 0, 4, STRAIGHT, 0x00ff, 1, {32}},
    {"threads 8 to 15", 4, 0, 4, STRAIGHT, 0xff00, 1, {32}},
    {"threads 4 to 11", 4, 0, 4, STRAIGHT, 0x0ff0, 1, {64}},
    {"bytes in order", 1, 0, 1, STRAIGHT, ALL, 1, {32}},
    {"bytes across two segments", 1, 24, 1, STRAIGHT, ALL, 2, {32, 32}},
    {"every other byte", 1, 0, 2, STRAIGHT, ALL, 1, {32}},
    {"every fourth byte", 1, 0, 4, STRAIGHT, ALL, 2, {32, 32}},
    {"2 bytes in order", 2, 0, 2, STRAIGHT, ALL, 1, {32}},
    {"2 bytes in the middle of a segment", 2, 16, 2, STRAIGHT, ALL, 1, {64}},
    {"2 bytes across two segments", 2, 48, 2, STRAIGHT, ALL, 2, {32, 32}},
    {"every other pair of bytes", 2, 0, 4, STRAIGHT, ALL, 1, {64}},
    {"8 bytes in order", 8, 0, 8, STRAIGHT, ALL, 1, {128}},
    {"8 bytes half a segment too far", 8, 64, 8, STRAIGHT, ALL, 2, {64, 64}},
    {"8 bytes, one too far", 8, 8, 8, STRAIGHT, ALL, 2, {128, 32}},
    {"16 bytes in order", 16, 0, 16, STRAIGHT, ALL, 2, {128, 128}},
    {"16 bytes, one too far", 16, 16, 16, STRAIGHT, ALL, 3, {128, 128, 32}},
    {"16 bytes in reverse", 16, 0, 16, REVERSED, ALL, 2, {128, 128}},
};

static void test_strict(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof strict / sizeof *strict; i++) {
        uintptr_t address[16];
        addresses_of(address, &strict[i]);
        const tsl_half found = tsl_half_strict(address, strict[i].lanes, strict[i].size);
        if (found.transactions != strict[i].count || found.coalesced != (strict[i].bytes[0] != 0)) {
            fail_msg("%s: %u transactions, not %u", strict[i].name, found.transactions,
                     strict[i].count);
        }
    }
}

static void test_segments(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof segments / sizeof *segments; i++) {
        const pattern *p = &segments[i];
        uintptr_t address[16];
        unsigned bytes[16];
        addresses_of(address, p);
        const unsigned count = tsl_half_segments(address, p->lanes, p->size, bytes);
        if (count != p->count) {
            fail_msg("%s: %u transactions, not %u", p->name, count, p->count);
        }
        for (unsigned k = 0; k < count; k++) {
            if (bytes[k] != p->bytes[k]) {
                fail_msg("%s: transaction %u of %u bytes, not %u", p->name, k, bytes[k],
                         p->bytes[k]);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_strict),
                                       cmocka_unit_test(test_segments)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
