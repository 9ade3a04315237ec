/* Transforms of lines against sums in double precision, for each length there is. */
#include "support/devices.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "blocks/fft/line.h"

enum { THREADS = 7 };

typedef struct sums {
    double re, im;
} sums;

static tsl_line make_line(int n, tsl_complex *roots)
{
    tsl_line line = tsl_line_of(n, TSL_RADIX_LARGEST);
    for (int k = 0; k < n; k++) {
        roots[k] = tsl_root(k, n);
    }
    line.roots = roots;
    return line;
}

static sums direct(const tsl_complex *tile, int n, int column, int k)
{
    sums s = {0, 0};
    for (int x = 0; x < n; x++) {
        const tsl_complex v = tile[x * TSL_LINE_PITCH + column];
        const double angle = -2 * 3.14159265358979323846 * (double)((int64_t)x * k % n) / n;
        s.re += (double)v.re * cos(angle) - (double)v.im * sin(angle);
        s.im += (double)v.re * sin(angle) + (double)v.im * cos(angle);
    }
    return s;
}

/* Where a forward transform leaves frequency k. */
static int place_of(const tsl_line *line, int k)
{
    int place = 0;
    for (int p = 0; p < line->passes; p++) {
        place += k % line->radix[p] * line->part[p];
        k /= line->radix[p];
    }
    return place;
}

static void forward(const tsl_line *line, const tsl_line_place *tile)
{
    for (int pass = 0; pass < line->passes; pass++) {
        for (int thread = 0; thread < THREADS; thread++) {
            tsl_line_forward(line, pass, thread, THREADS, tile, tile);
        }
    }
}

static void mirrored(const tsl_line *line, const tsl_line_place *tile)
{
    for (int pass = line->passes - 1; pass >= 0; pass--) {
        for (int thread = 0; thread < THREADS; thread++) {
            tsl_line_mirrored(line, pass, thread, THREADS, tile, tile);
        }
    }
}

/* Largest error of both transforms, in units of 2^-24 log2(n) times the norm of the line. */
static double check_length(int n, tsl_complex *tile, tsl_complex *first, tsl_complex *roots)
{
    const tsl_line line = make_line(n, roots);
    const tsl_line_place place = {
        .at = tile, .step = TSL_LINE_PITCH, .across = 1, .whole = 1, .shift = TSL_LINE_SHIFT};
    const int column = n % TSL_LINE_COLUMNS;
    uint64_t seed = (uint64_t)n;
    double norm = 0;
    for (int i = 0; i < n * TSL_LINE_PITCH; i++) {
        tile[i] = tsl_complex_of((float)test_uniform(&seed), (float)test_uniform(&seed));
    }
    memcpy(first, tile, (size_t)(n * TSL_LINE_PITCH) * sizeof *tile);
    for (int x = 0; x < n; x++) {
        const tsl_complex v = first[x * TSL_LINE_PITCH + column];
        norm += (double)v.re * (double)v.re + (double)v.im * (double)v.im;
    }
    norm = sqrt(norm);
    forward(&line, &place);
    double error = 0;
    for (int k = 0; k < n; k++) {
        const sums s = direct(first, n, column, k);
        const tsl_complex v = tile[place_of(&line, k) * TSL_LINE_PITCH + column];
        error = fmax(error, hypot((double)v.re - s.re, (double)v.im - s.im) / norm);
    }
    mirrored(&line, &place);
    for (int x = 0; x < n; x++) {
        const tsl_complex v = tile[(n - x) % n * TSL_LINE_PITCH + column];
        const tsl_complex w = first[x * TSL_LINE_PITCH + column];
        const double off = hypot((double)v.re / n - (double)w.re, (double)v.im / n - (double)w.im);
        error = fmax(error, off / norm);
    }
    return error / (ldexp(1, -24) * fmax(1, log2(n)));
}

static bool is_smooth(int n)
{
    static const int primes[] = {2, 3, 5, 7};
    for (int i = 0; i < 4; i++) {
        while (n % primes[i] == 0) {
            n /= primes[i];
        }
    }
    return n == 1;
}

static void every_length_there_should_be(void **state)
{
    (void)state;
    for (int i = 0; i < 2 * (TSL_LINE_LONGEST + 1); i++) {
        const int n = 1 + i / 2;
        const int most = i % 2 == 0 ? 8 : TSL_RADIX_LARGEST;
        const tsl_line line = tsl_line_of(n, most);
        int product = 1;
        for (int p = 0; p < line.passes; p++) {
            assert_true(line.radix[p] <= most);
            product *= line.radix[p];
            assert_int_equal(line.part[p] * product, n);
        }
        assert_int_equal(line.passes > 0, is_smooth(n) && n <= TSL_LINE_LONGEST);
        assert_true(line.passes == 0 || (line.passes >= 2 && product == n));
    }
}

static void transforms_are_the_sums(void **state)
{
    (void)state;
    const size_t numbers = (size_t)TSL_LINE_LONGEST * TSL_LINE_PITCH;
    tsl_complex *tile = malloc(numbers * sizeof *tile);
    tsl_complex *first = malloc(numbers * sizeof *first);
    tsl_complex *roots = malloc(TSL_LINE_LONGEST * sizeof *roots);
    double largest = 0;
    for (int n = 1; n <= TSL_LINE_LONGEST; n++) {
        if (is_smooth(n)) {
            const double error = check_length(n, tile, first, roots);
            if (!(error < 1)) {
                fail_msg("%d points: error %.2f", n, error);
            }
            largest = fmax(largest, error);
        }
    }
    print_message("largest error: %.2f log2(n) 2^-24 of the line's norm\n", largest);
    free(roots);
    free(first);
    free(tile);
}

/* Points and columns that are not there count as zero, and nothing is stored in their place. */
static void parts_of_tiles(void **state)
{
    (void)state;
    enum { N = 48, POINTS = 19, COLUMNS = 5 };
    tsl_complex from[N * TSL_LINE_COLUMNS], tile[N * TSL_LINE_PITCH], roots[N],
        zeros[N * TSL_LINE_PITCH];
    const tsl_line line = make_line(N, roots);
    const tsl_line_place whole = {
        .at = tile, .step = TSL_LINE_PITCH, .across = 1, .whole = 1, .shift = TSL_LINE_SHIFT};
    const tsl_line_place part = {.at = from,
                                 .step = TSL_LINE_COLUMNS,
                                 .across = 1,
                                 .points = POINTS,
                                 .columns = COLUMNS,
                                 .shift = TSL_LINE_SHIFT};
    const tsl_line_place back = {.at = from,
                                 .step = TSL_LINE_COLUMNS,
                                 .across = 1,
                                 .points = N,
                                 .columns = COLUMNS,
                                 .shift = TSL_LINE_SHIFT};
    uint64_t seed = 5;
    for (int i = 0; i < N * TSL_LINE_COLUMNS; i++) {
        from[i] = tsl_complex_of((float)test_uniform(&seed), 1);
    }
    memset(zeros, 0, sizeof zeros);
    for (int i = 0; i < POINTS; i++) {
        memcpy(zeros + i * TSL_LINE_PITCH, from + i * TSL_LINE_COLUMNS, COLUMNS * sizeof *zeros);
    }
    const tsl_complex beyond = from[COLUMNS];
    for (int thread = 0; thread < THREADS; thread++) {
        tsl_line_forward(&line, 0, thread, THREADS, &part, &whole);
    }
    for (int thread = 0; thread < THREADS; thread++) {
        tsl_line_forward(&line, 1, thread, THREADS, &whole, &back);
    }
    for (int k = 0; k < N; k++) {
        const sums s = direct(zeros, N, COLUMNS - 1, k);
        const tsl_complex v = from[place_of(&line, k) * TSL_LINE_COLUMNS + COLUMNS - 1];
        assert_true(hypot((double)v.re - s.re, (double)v.im - s.im) < 1e-5);
    }
    assert_memory_equal(&from[COLUMNS], &beyond, sizeof beyond);
}

/* ---- double precision, from rows and back --------------------------------------------------- */

typedef struct rows_of_lines {
    int n, shift;
    tsl_complex_double *rows, *first, *tile, *roots; /* [columns][n], its copy, [n << shift], [n] */
} rows_of_lines;

/* All passes there, or all back: with the complex conjugate between, the latter is the inverse. */
static void transform_rows(const rows_of_lines *l, const tsl_line *line, bool back)
{
    const tsl_line_place_double tile = {
        .at = l->tile, .whole = 1, .shift = l->shift, .turned = 1, .mirrored = 0};
    const tsl_line_place_double rows = {.at = l->rows,
                                        .step = 1,
                                        .across = l->n,
                                        .points = l->n,
                                        .columns = (1 << l->shift) - 1,
                                        .skip = 1,
                                        .shift = l->shift,
                                        .along = 1,
                                        .mirrored = 1};
    for (int i = 0; i < line->passes; i++) {
        const int pass = back ? line->passes - 1 - i : i;
        for (int thread = 0; thread < THREADS; thread++) {
            if (back) {
                tsl_line_mirrored_double(line, pass, thread, THREADS, &tile,
                                         pass == 0 ? &rows : &tile);
            } else {
                tsl_line_forward_double(line, pass, thread, THREADS, pass == 0 ? &rows : &tile,
                                        &tile);
            }
        }
    }
}

static double sum_error(const rows_of_lines *l, const tsl_line *line, int k)
{
    const tsl_complex_double *row = l->first + l->n;
    long double re = 0, im = 0;
    double norm = 0;
    for (int64_t x = 0; x < l->n; x++) {
        const tsl_complex_double root = l->roots[x * k % l->n];
        re += (long double)row[x].re * root.re - (long double)row[x].im * root.im;
        im += (long double)row[x].re * root.im + (long double)row[x].im * root.re;
        norm += row[x].re * row[x].re + row[x].im * row[x].im;
    }
    const int at = tsl_line_slot_double((place_of(line, k) << l->shift) + 1);
    return hypot((double)(l->tile[at].re - re), (double)(l->tile[at].im - im)) / sqrt(norm);
}

/* In units of 2^-53 log2(n) times the norm of the line. */
static double check_rows(rows_of_lines *l)
{
    const int numbers = l->n << l->shift;
    tsl_line line = tsl_line_of(l->n, TSL_RADIX_LARGEST);
    uint64_t seed = (uint64_t)l->n;
    double error = 0;
    for (int k = 0; k < l->n; k++) {
        l->roots[k] = tsl_root_double(k, l->n);
        const long double turn = 2 * 3.14159265358979323846264L * k / l->n;
        assert_true(fabsl((long double)l->roots[k].re - cosl(turn)) < 4e-16L);
        assert_true(fabsl((long double)l->roots[k].im + sinl(turn)) < 4e-16L);
    }
    line.roots = l->roots;
    for (int i = 0; i < numbers; i++) {
        l->rows[i] = tsl_complex_of_double(test_uniform(&seed), test_uniform(&seed));
    }
    memcpy(l->first, l->rows, (size_t)numbers * sizeof *l->rows);
    transform_rows(l, &line, false);
    for (int i = 0; i < 24; i++) {
        error = fmax(error, sum_error(l, &line, (int)(test_random(&seed) % (uint64_t)l->n)));
    }
    for (int i = 0; i < numbers; i++) {
        l->tile[i].im = -l->tile[i].im;
    }
    transform_rows(l, &line, true);
    for (int i = 0; i < numbers; i++) {
        const bool there = i >= l->n && i < ((1 << l->shift) - 1) * l->n;
        const double scale = there ? l->n : 1;
        const double off =
            hypot(l->rows[i].re / scale - l->first[i].re, l->rows[i].im / scale - l->first[i].im);
        error = fmax(error, there || off == 0 ? off / sqrt(0.67 * l->n) : HUGE_VAL);
    }
    return error / (ldexp(1, -53) * fmax(1, log2(l->n)));
}

static void rows_in_double_precision_and_back(void **state)
{
    (void)state;
    enum { NUMBERS = TSL_LINE_LONGEST * 8 };
    tsl_complex_double *memory = malloc((3 * NUMBERS + TSL_LINE_LONGEST) * sizeof *memory);
    double largest = 0;
    assert_non_null(memory);
    for (int n = 1; n <= TSL_LINE_LONGEST; n++) {
        if (is_smooth(n)) {
            rows_of_lines l = {
                n, 2 + n % 2, memory, memory + NUMBERS, memory + 2 * NUMBERS, memory + 3 * NUMBERS};
            const double error = check_rows(&l);
            if (!(error < 2)) {
                fail_msg("%d points: error %.2f", n, error);
            }
            largest = fmax(largest, error);
        }
    }
    print_message("largest error: %.2f log2(n) 2^-53 of the line's norm\n", largest);
    free(memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_length_there_should_be), cmocka_unit_test(transforms_are_the_sums),
        cmocka_unit_test(parts_of_tiles), cmocka_unit_test(rows_in_double_precision_and_back)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
