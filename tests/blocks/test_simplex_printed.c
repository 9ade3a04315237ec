/* Maps of triangles as their source prints them, which are none: how many cells each gets wrong. */
#include "support/devices.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "blocks/simplex/simplex.h"

enum { PRINTED = 128 };

/* Cells of a lower triangle of n that were hit, and hits beyond one each, and outside. */
typedef struct printed {
    int64_t n;
    int times[PRINTED][PRINTED];
    int64_t outside;
} printed;

static void print_at(printed *p, int64_t i, int64_t j)
{
    if (i < 0 || j < 0 || i >= p->n || j > i) {
        p->outside++;
    } else {
        p->times[i][j]++;
    }
}

static void check_printed(const printed *p, int64_t covered, int64_t repeated, int64_t outside)
{
    int64_t once = 0, more = 0;
    for (int64_t i = 0; i < p->n; i++) {
        for (int64_t j = 0; j <= i; j++) {
            once += p->times[i][j] > 0;
            more += p->times[i][j] > 1 ? p->times[i][j] - 1 : 0;
        }
    }
    assert_int_equal(once, covered);
    assert_int_equal(more, repeated);
    assert_int_equal(p->outside, outside);
}

/* Algorithm 8 folds where j > i and leaves out the row below: 120 of 136 cells. */
static void the_printed_rectangle_misses_16_of_136(void **state)
{
    (void)state;
    printed *p = calloc(1, sizeof *p);
    p->n = 16;
    for (int64_t i = 0; i < 16; i++) {
        for (int64_t j = 0; j < 8; j++) {
            print_at(p, j > i ? 16 - i - 1 : i - 1, j > i ? 16 - j - 1 : j);
        }
    }
    check_printed(p, 120, 0, 8);
    free(p);
}

/* Equation 4.3 takes i from the strict triangle and j from the other one: no block is right. */
static void the_printed_root_places_0_of_136_blocks(void **state)
{
    (void)state;
    int64_t right = 0;
    for (int64_t k = 0; k < 136; k++) {
        const int64_t i = (int64_t)(sqrt(0.25 + 2.0 * (double)k) + 0.5);
        const int64_t j = k - i * (i + 1) / 2;
        right += i == tsl_lower_row(k) && j == k - tsl_triangle_count(i);
    }
    assert_int_equal(right, 0);
}

/* Algorithm 12 shifts the second diagonal tile down and not right: 1936 of 2080 cells. */
static void the_printed_flat_diagonal_covers_1936_of_2080(void **state)
{
    (void)state;
    enum { N = 64, B = 8, TILES = N / B };
    printed *p = calloc(1, sizeof *p);
    p->n = N;
    for (int64_t y = 0; y < TILES; y++) {
        for (int64_t x = 0; x < TILES / 2; x++) {
            for (int64_t t = 0; t < (int64_t)B * B; t++) {
                const int64_t row = t / B, column = t % B;
                if (y == 0 && row >= column) {
                    print_at(p, x * B + row, x * B + column);
                    print_at(p, x * B + row + N / 2, x * B + column);
                } else if (y > 0) {
                    const int64_t b = tsl_power_to(y), q = x / b;
                    print_at(p, (y + 2 * q * b) * B + row, (x + q * b) * B + column);
                }
            }
        }
    }
    check_printed(p, 1936, 144, 0);
    free(p);
}

static void print_square(printed *p, int64_t n, int64_t x, int64_t y)
{
    for (int64_t e = 0; e < n * n; e++) {
        print_at(p, y + e / n, x + e % n);
    }
}

static void print_triangle(printed *p, int64_t n, int64_t x, int64_t y)
{
    for (int64_t e = 0; e < n * n; e++) {
        if (e % n <= e / n) {
            print_at(p, y + e / n, x + e % n);
        }
    }
}

/* Squares of n at column x and row y, and those of half the size above and to the right. */
static void print_nested(printed *p, int64_t n, int64_t x, int64_t y, int64_t leaf,
                         bool as_equation_5_15)
{
    const int64_t half = n / 2;
    print_square(p, n, x, y);
    if (n <= leaf) {
        print_triangle(p, n, x, y - (as_equation_5_15 ? half : n));
        print_triangle(p, n, x + n, y);
    } else {
        print_nested(p, half, x, y - half, leaf, as_equation_5_15);
        print_nested(p, half, x + n, y + half, leaf, as_equation_5_15);
    }
}

/* Equation 5.15 puts the left leaf half a side too low: 7856 of 8256 cells. */
static void the_printed_nested_leaf_covers_7856_of_8256(void **state)
{
    (void)state;
    printed *p = calloc(1, sizeof *p);
    p->n = 128;
    print_nested(p, 64, 0, 64, 16, true);
    int64_t covered = 0;
    for (int64_t i = 0; i < 128; i++) {
        for (int64_t j = 0; j <= i; j++) {
            covered += p->times[i][j] > 0;
        }
    }
    assert_int_equal(covered, 7856);
    memset(p, 0, sizeof *p);
    p->n = 128;
    print_nested(p, 64, 0, 64, 16, false);
    check_printed(p, 8256, 0, 0);
    free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_printed_rectangle_misses_16_of_136),
        cmocka_unit_test(the_printed_root_places_0_of_136_blocks),
        cmocka_unit_test(the_printed_flat_diagonal_covers_1936_of_2080),
        cmocka_unit_test(the_printed_nested_leaf_covers_7856_of_8256)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
