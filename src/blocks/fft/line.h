/* Transforms of lines whose length has no prime factor above 7, by the threads of a block, for use
 * inside of phases (core/block.h):
 *
 *     X[k] = sum_x v[x] exp(-2 pi i x k / n)
 *
 * A line is cut into n = r_0 r_1 … by its radices. Forward passes, 0 first, take the points in order
 * and leave X in the order of reversed digits; mirrored passes, 0 last, take that order and give X
 * in order. Between the two nothing is ever sorted: a product with a spectrum that a forward
 * transform made finds each number in its place. Both transforms have the same sign, so the two
 * after each other are n times the mirrored line, v[-x].
 *
 * Each pass works in place: a thread takes the r points of one butterfly and puts them back (Gentleman
 * and Sande 1966; Cooley and Tukey 1965). Tile: TSL_LINE_COLUMNS lines side by side, a column each.
 * Error: within a small multiple of log2(n) 2^-24 of the line's norm. */
#ifndef TSL_LINE_H
#define TSL_LINE_H

#include <stdint.h>

#include "blocks/fft/dft_point.h"

enum {
    TSL_LINE_COLUMNS = 16, /* lines of a tile: a quarter of a warp's bytes at a time */
    TSL_LINE_PITCH = 17,   /* numbers from point to point of a tile: neither way two in one bank */
    TSL_LINE_PASSES = 5,   /* at most */
    TSL_LINE_LONGEST = 1024
};

/* How a line is transformed. */
typedef struct tsl_line {
    int n;
    int passes;                 /* at least 2; 0: a length that cannot be had */
    int radix[TSL_LINE_PASSES]; /* r_p */
    int part[TSL_LINE_PASSES];  /* n / (r_0 … r_p): points from one of a butterfly's to the next */
    const tsl_complex *roots;   /* [n]: exp(-2 pi i k / n) */
} tsl_line;

/* Where a tile's points lie: number `column` of point `i` at at[i * step + column]. */
typedef struct tsl_line_place {
    tsl_complex *at;
    int64_t step;
    int points;  /* beyond them all is zero and nothing is stored */
    int columns; /* ditto */
} tsl_line_place;

/* The fewest passes, and among those the smallest largest radix. Without roots. */
tsl_line tsl_line_of(int n);

TSL_FN tsl_complex tsl_line_load(const tsl_line_place *from, int point, int column)
{
    return point < from->points && column < from->columns ? from->at[point * from->step + column]
                                                          : tsl_complex_of(0, 0);
}

TSL_FN void tsl_line_store(const tsl_line_place *to, int point, int column, tsl_complex value)
{
    if (point < to->points && column < to->columns) {
        to->at[point * to->step + column] = value;
    }
}

/* One butterfly of R points: where it begins, and the root its turns are powers of. */
typedef struct tsl_butterfly {
    int column;
    int first; /* point */
    int root;
} tsl_butterfly;

TSL_FN tsl_butterfly tsl_butterfly_of(const tsl_line *line, int radix, int part, int number)
{
    const int position = number / TSL_LINE_COLUMNS;
    const int before = position / part;
    const int within = position - before * part;
    tsl_butterfly b;
    b.column = number % TSL_LINE_COLUMNS;
    b.first = before * part * radix + within;
    b.root = within * (line->n / (part * radix));
    return b;
}

/* Butterflies thread, thread + threads, … of a pass: load, transform, turn, store. */
#define TSL_LINE_FORWARD(R)                                                                        \
    TSL_FN void tsl_line_forward_##R(const tsl_line *line, int part, int thread, int threads,      \
                                     const tsl_line_place *from, const tsl_line_place *to)         \
    {                                                                                              \
        for (int i = thread; i < line->n / R * TSL_LINE_COLUMNS; i += threads) {                   \
            const tsl_butterfly b = tsl_butterfly_of(line, R, part, i);                            \
            tsl_complex v[R];                                                                      \
            TSL_UNROLL                                                                             \
            for (int m = 0; m < R; m++) {                                                          \
                v[m] = tsl_line_load(from, b.first + m * part, b.column);                          \
            }                                                                                      \
            tsl_dft_##R(v);                                                                        \
            TSL_UNROLL                                                                             \
            for (int m = 0; m < R; m++) {                                                          \
                tsl_line_store(to, b.first + m * part, b.column,                                   \
                               part == 1 || m == 0 ? v[m]                                          \
                                                   : tsl_times(v[m], line->roots[b.root * m]));    \
            }                                                                                      \
        }                                                                                          \
    }

/* Load, turn, transform, store. */
#define TSL_LINE_MIRRORED(R)                                                                       \
    TSL_FN void tsl_line_mirrored_##R(const tsl_line *line, int part, int thread, int threads,     \
                                      const tsl_line_place *from, const tsl_line_place *to)        \
    {                                                                                              \
        for (int i = thread; i < line->n / R * TSL_LINE_COLUMNS; i += threads) {                   \
            const tsl_butterfly b = tsl_butterfly_of(line, R, part, i);                            \
            tsl_complex v[R];                                                                      \
            TSL_UNROLL                                                                             \
            for (int m = 0; m < R; m++) {                                                          \
                const tsl_complex at = tsl_line_load(from, b.first + m * part, b.column);          \
                v[m] = part == 1 || m == 0 ? at : tsl_times(at, line->roots[b.root * m]);          \
            }                                                                                      \
            tsl_dft_##R(v);                                                                        \
            TSL_UNROLL                                                                             \
            for (int m = 0; m < R; m++) {                                                          \
                tsl_line_store(to, b.first + m * part, b.column, v[m]);                            \
            }                                                                                      \
        }                                                                                          \
    }

/* The last forward pass, a product with `factor`, and the first mirrored one, in place. */
#define TSL_LINE_PRODUCT(R)                                                                        \
    TSL_FN void tsl_line_product_##R(const tsl_line *line, int thread, int threads,                \
                                     const tsl_line_place *factor, const tsl_line_place *tile)     \
    {                                                                                              \
        for (int i = thread; i < line->n / R * TSL_LINE_COLUMNS; i += threads) {                   \
            const tsl_butterfly b = tsl_butterfly_of(line, R, 1, i);                               \
            tsl_complex v[R], w[R];                                                                \
            TSL_UNROLL                                                                             \
            for (int m = 0; m < R; m++) {                                                          \
                w[m] = tsl_line_load(factor, b.first + m, b.column);                               \
                v[m] = tsl_line_load(tile, b.first + m, b.column);                                 \
            }                                                                                      \
            tsl_dft_##R(v);                                                                        \
            TSL_UNROLL                                                                             \
            for (int m = 0; m < R; m++) {                                                          \
                v[m] = tsl_times(v[m], w[m]);                                                      \
            }                                                                                      \
            tsl_dft_##R(v);                                                                        \
            TSL_UNROLL                                                                             \
            for (int m = 0; m < R; m++) {                                                          \
                tsl_line_store(tile, b.first + m, b.column, v[m]);                                 \
            }                                                                                      \
        }                                                                                          \
    }

TSL_RADICES(TSL_LINE_FORWARD)
TSL_RADICES(TSL_LINE_MIRRORED)
TSL_RADICES(TSL_LINE_PRODUCT)

/* Pass number `pass` of a forward transform. All passes but the first and the last read what others
 * of their block have written, so each stands in a phase of its own. */
TSL_FN void tsl_line_forward(const tsl_line *line, int pass, int thread, int threads,
                             const tsl_line_place *from, const tsl_line_place *to)
{
#define TSL_LINE_CASE(R)                                                                           \
    case R:                                                                                        \
        tsl_line_forward_##R(line, line->part[pass], thread, threads, from, to);                   \
        break;
    switch (line->radix[pass]) {
        TSL_RADICES(TSL_LINE_CASE)
    }
#undef TSL_LINE_CASE
}

/* Pass number `pass` of a mirrored transform, which begins with the last. */
TSL_FN void tsl_line_mirrored(const tsl_line *line, int pass, int thread, int threads,
                              const tsl_line_place *from, const tsl_line_place *to)
{
#define TSL_LINE_CASE(R)                                                                           \
    case R:                                                                                        \
        tsl_line_mirrored_##R(line, line->part[pass], thread, threads, from, to);                  \
        break;
    switch (line->radix[pass]) {
        TSL_RADICES(TSL_LINE_CASE)
    }
#undef TSL_LINE_CASE
}

/* The last pass forward, the product, the last pass mirrored. */
TSL_FN void tsl_line_product(const tsl_line *line, int thread, int threads,
                             const tsl_line_place *factor, const tsl_line_place *tile)
{
#define TSL_LINE_CASE(R)                                                                           \
    case R:                                                                                        \
        tsl_line_product_##R(line, thread, threads, factor, tile);                                 \
        break;
    switch (line->radix[line->passes - 1]) {
        TSL_RADICES(TSL_LINE_CASE)
    }
#undef TSL_LINE_CASE
}

#endif
