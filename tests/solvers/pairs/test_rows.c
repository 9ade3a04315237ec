/* Rows of distances of few coordinates, and the square roots that they are made of, against sqrt()
 * to the bit. */
#include "support/devices.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solvers/pairs/pairs.h"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC push_options
#pragma GCC target("avx512f")
#include "solvers/pairs/roots_avx512.h"

static bool have_avx512(void)
{
    return __builtin_cpu_supports("avx512f");
}

/* How many of 16 numbers have another root than sqrtf()'s. Numbers are called odd wherever they are
 * 0, not finite or beyond 2^-70 to 2^126, and nowhere else. */
static int wrong_single(const float *x)
{
    float root[16];
    int wrong = 0;
    const int odd = tsl_are_odd_single(_mm512_loadu_ps(x));
    _mm512_storeu_ps(root, tsl_step_roots_single(_mm512_loadu_ps(x)));
    for (int i = 0; i < 16; i++) {
        const float expected = sqrtf(x[i]);
        const bool is_odd = !(x[i] >= 0x1p-70F && x[i] <= 0x1p126F);
        wrong += (odd >> i & 1) != is_odd;
        wrong += !is_odd && memcmp(&expected, &root[i], sizeof expected) != 0;
    }
    return wrong;
}

/* Of 8 numbers; odd beyond 2^-900 to 2^1020. */
static int wrong_double(const double *x)
{
    double root[8];
    int wrong = 0;
    const int odd = tsl_are_odd_double(_mm512_loadu_pd(x));
    _mm512_storeu_pd(root, tsl_step_roots_double(_mm512_loadu_pd(x)));
    for (int i = 0; i < 8; i++) {
        const double expected = sqrt(x[i]);
        const bool is_odd = !(x[i] >= 0x1p-900 && x[i] <= 0x1p1020);
        wrong += (odd >> i & 1) != is_odd;
        wrong += !is_odd && memcmp(&expected, &root[i], sizeof expected) != 0;
    }
    return wrong;
}
#pragma GCC pop_options
#else
static bool have_avx512(void)
{
    return false;
}

static int wrong_single(const float *x)
{
    (void)x;
    return 1;
}

static int wrong_double(const double *x)
{
    (void)x;
    return 1;
}
#endif

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* All numbers in single precision from 1 to 4: others are these times a power of 4. And for each
 * exponent, with either sign, a hundred. */
static void roots_in_single_precision(void **state)
{
    (void)state;
    if (!have_avx512()) {
        skip();
    }
    int wrong = 0;
    float x[16];
    for (uint32_t bits = 0x3f800000; bits <= 0x40800000; bits += 16) {
        for (uint32_t i = 0; i < 16; i++) {
            const uint32_t own = bits + i;
            memcpy(&x[i], &own, sizeof own);
        }
        wrong += wrong_single(x);
    }
    uint32_t mixed = 1;
    for (uint32_t exponent = 0; exponent < 512; exponent++) {
        for (uint32_t i = 0; i < 112; i++) {
            mixed = mixed * 1664525 + 1013904223;
            const uint32_t own = exponent << 23 | (i < 2 ? i * 0x7fffff : mixed >> 9);
            memcpy(&x[i % 16], &own, sizeof own);
            wrong += i % 16 == 15 ? wrong_single(x) : 0;
        }
    }
    assert_int_equal(wrong, 0);
}

/* For each exponent and either sign numbers of all kinds. */
static void roots_in_double_precision(void **state)
{
    (void)state;
    if (!have_avx512()) {
        skip();
    }
    int wrong = 0;
    uint64_t seed = 1;
    double x[8];
    for (uint64_t exponent = 0; exponent < 4096; exponent++) {
        for (uint64_t i = 0; i < 4096; i++) {
            const uint64_t part = i < 8    ? i
                                  : i < 16 ? 0xfffffffffffff - (i - 8)
                                           : bits_of(1 + test_uniform(&seed));
            const uint64_t own = exponent << 52 | (part & 0xfffffffffffff);
            memcpy(&x[i % 8], &own, sizeof own);
            wrong += i % 8 == 7 ? wrong_double(x) : 0;
        }
    }
    assert_int_equal(wrong, 0);
}

__extension__ typedef unsigned __int128 wide;

/* y with y^2 = c mod 2^bits, c = 1 mod 8. */
static uint64_t root_of_residue(uint64_t c, int bits)
{
    uint64_t y = 1;
    for (int b = 3; b < bits; b++) {
        if (((y * y - c) >> b & 1) != 0) {
            y += 1ULL << (b - 1);
        }
    }
    return y;
}

/* The roots of what the vector has, at several powers of 4. */
static int check_middles(const double *x)
{
    static const int powers[] = {0, -500, 400, -2, -100};
    int wrong = 0;
    for (size_t p = 0; p < sizeof powers / sizeof *powers; p++) {
        double scaled[8];
        for (int i = 0; i < 8; i++) {
            scaled[i] = ldexp(x[i], 2 * powers[p]);
        }
        wrong += wrong_double(scaled);
    }
    return wrong;
}

/* With roots between 2^52 and 2^53, so that their unit is 1, a number x is a whole multiple of
 * 2^52, below 2^105, or of 2^53. Its root is next to the middle k + 1/2 of two numbers where
 * x - (k + 1/2)^2 = r - 1/4 is small, r whole: k^2 + k + r = 0 modulo that power, or
 * (2 k + 1)^2 = 1 - 4 r modulo four times that power. All such x with |r| <= 1000. */
static void roots_next_to_a_middle(void **state)
{
    (void)state;
    if (!have_avx512()) {
        skip();
    }
    double x[8];
    int wrong = 0, found = 0;
    for (int power = 52; power <= 53; power++) {
        const int bits = power + 2;
        for (int r = -1000; r <= 1000; r += 2) {
            const uint64_t y = root_of_residue((uint64_t)(1 - 4 * (int64_t)r), bits);
            for (int which = 0; which < 4; which++) {
                const uint64_t root =
                    ((which & 1) != 0 ? -y : y) + ((uint64_t)(which >> 1) << (bits - 1));
                const uint64_t k = (root & ((1ULL << bits) - 1)) >> 1;
                const wide square = (wide)k * k + k + (wide)(int64_t)r;
                const wide parts = square >> power;
                if (k >> 52 == 1 && parts << power == square && parts >> 52 == 1) {
                    x[found++ % 8] = ldexp((double)(uint64_t)parts, power);
                    wrong += found % 8 == 0 ? check_middles(x) : 0;
                }
            }
        }
    }
    wrong += check_middles(x); /* those that are left */
    assert_int_equal(found, 1421);
    assert_int_equal(wrong, 0);
}

/* ---- rows ----------------------------------------------------------------------------------- */

enum { POINTS = 150, AROUND = 64 };

static void put(void *values, int precision, int64_t e, double x)
{
    if (precision == 4) {
        ((float *)values)[e] = (float)x;
    } else {
        ((double *)values)[e] = x;
    }
}

/* Points in blocks, some of which are the row's own, far away or next to it. */
static void make_columns(void *columns, void *rows, int precision, int d)
{
    const int64_t block = tsl_point_block(precision);
    uint64_t seed = 5;
    memset(columns, 0, 16 * TSL_POINT_BYTES * TSL_SHORT);
    for (int64_t j = 0; j < POINTS; j++) {
        for (int k = 0; k < d; k++) {
            const double u = test_uniform(&seed);
            const double x = j % 31 == 7    ? 0.5
                             : j % 31 == 9  ? 1e17 * u
                             : j % 31 == 11 ? 0.5 + 1e-7 * u
                                            : u;
            put(columns, precision, j / block * block * d + k * block + j % block, x);
            put(rows, precision, j * d + k, x);
        }
    }
}

static double plain(const void *rows, int precision, int d, int64_t j)
{
    float narrow = 0;
    double sum = 0;
    for (int k = 0; k < d; k++) {
        if (precision == 4) {
            const float by = 0.5F - ((const float *)rows)[j * d + k];
            narrow = by * by + narrow;
        } else {
            const double by = 0.5 - ((const double *)rows)[j * d + k];
            sum = by * by + sum;
        }
    }
    return precision == 4 ? (double)sqrtf(narrow) : sqrt(sum);
}

typedef struct row_range {
    int64_t first, end, offset; /* offset: of the result from a line of memory */
} row_range;

static void check_row(const void *columns, const void *rows, int precision, int d, row_range r,
                      bool past_caches)
{
    static _Alignas(64) char out[8 * (POINTS + 3 * AROUND)];
    float point_single[TSL_SHORT] = {0.5F, 0.5F, 0.5F, 0.5F};
    double point_double[TSL_SHORT] = {0.5, 0.5, 0.5, 0.5};
    const int64_t begin = AROUND + r.offset, count = r.end - r.first;
    for (int64_t e = 0; e < POINTS + 3 * AROUND; e++) {
        put(out, precision, e, -1);
    }
    if (precision == 4) {
        tsl_row_functions_now()->write_single((float *)(void *)out + begin, point_single, columns,
                                              d, r.first, r.end, past_caches);
    } else {
        tsl_row_functions_now()->write_double((double *)(void *)out + begin, point_double, columns,
                                              d, r.first, r.end, past_caches);
    }
    for (int64_t e = 0; e < POINTS + 3 * AROUND; e++) {
        const int64_t j = r.first + e - begin;
        const double expected = e < begin || e >= begin + count ? -1 : plain(rows, precision, d, j);
        const double found =
            precision == 4 ? (double)((float *)(void *)out)[e] : ((double *)(void *)out)[e];
        if (bits_of(found) != bits_of(expected)) {
            fail_msg("precision %d, d = %d, columns %d to %d, offset %d: %g instead of %g",
                     precision, d, (int)r.first, (int)r.end, (int)r.offset, found, expected);
        }
    }
}

static void rows_are_those_of_a_plain_loop(void **state)
{
    (void)state;
    static _Alignas(64) char columns[16 * TSL_POINT_BYTES * TSL_SHORT],
        rows[8 * POINTS * TSL_SHORT];
    if (tsl_row_functions_now() == NULL) {
        skip();
    }
    for (int kind = 0; kind < 2 * TSL_SHORT; kind++) {
        const int precision = kind % 2 == 0 ? 4 : 8, d = 1 + kind / 2;
        make_columns(columns, rows, precision, d);
        for (int64_t first = 0; first < 40; first += 3) {
            for (int64_t end = first + 1; end <= POINTS; end += end < first + 20 ? 1 : 13) {
                for (int64_t offset = 0; offset < 64 / precision; offset++) {
                    check_row(columns, rows, precision, d, (row_range){first, end, offset},
                              (first + end) % 2 == 0);
                }
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(roots_in_single_precision), cmocka_unit_test(roots_in_double_precision),
        cmocka_unit_test(roots_next_to_a_middle), cmocka_unit_test(rows_are_those_of_a_plain_loop)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
