/* Transforms of lines whose length has no prime factor above 7, by the threads of a block, for use
 * inside of phases (core/block.h):
 *
 *     X[k] = sum_x v[x] exp(-2 pi i x k / n)
 *
 * A line is cut into n = r_0 r_1 … by its radices. Forward passes, 0 first, take the points in
 * order and leave X in the order of reversed digits; mirrored passes, 0 last, take that order and
 * give X in order. Between the two nothing is ever sorted: a product with a spectrum that a forward
 * transform made finds each number in its place. Both transforms have the same sign, so the two
 * after each other are n times the mirrored line, v[-x].
 *
 * Each pass works in place: a thread takes the r points of one butterfly and puts them back
 * (Gentleman and Sande 1966; Cooley and Tukey 1965). Tile: TSL_LINE_COLUMNS lines side by side, a
 * column each. Error: below log2(n) 2^-24 of the line's norm. */
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
    int part[TSL_LINE_PASSES]; /* n / (r_0 … r_p): points from one of a butterfly's to the next */
    const tsl_complex *roots;  /* [n]: exp(-2 pi i k / n) */
} tsl_line;

/* Where a tile's points lie: number `column` of point `i` at at[i * step + column]. */
typedef struct tsl_line_place {
    tsl_complex *at;
    int step;
    int whole;   /* all points and columns are there; else: */
    int points;  /* beyond them all is zero and nothing is stored */
    int columns; /* ditto */
} tsl_line_place;

/* The fewest passes, and among those the smallest largest radix. Without roots. */
tsl_line tsl_line_of(int n);

/* A butterfly: its points first, first + part, … of a column, and the root its turns are powers of.
 */
typedef struct tsl_butterfly {
    int column, first, part;
    int root;
} tsl_butterfly;

TSL_FN tsl_butterfly tsl_butterfly_of(const tsl_line *line, int radix, int part, int number)
{
    tsl_butterfly b;
    const int position = number / TSL_LINE_COLUMNS;
    /* The first pass and the last, which are all that most lines have, need no division. */
    const int before = part == 1 ? position : part * radix == line->n ? 0 : position / part;
    b.column = number % TSL_LINE_COLUMNS;
    b.part = part;
    b.first = before * part * (radix - 1) + position;
    b.root = part == 1 ? 0 : (position - before * part) * (line->n / (part * radix));
    return b;
}

TSL_FN int tsl_line_has(const tsl_line_place *place, const tsl_butterfly *b, int m)
{
    const int points = b->column < place->columns ? place->points : 0;
    return place->whole || b->first + m * b->part < points;
}

TSL_FN tsl_complex *tsl_line_at(const tsl_line_place *place, const tsl_butterfly *b, int m)
{
    return place->at + (b->first * place->step + b->column + m * (b->part * place->step));
}

TSL_FN tsl_complex tsl_line_load(const tsl_line_place *from, const tsl_butterfly *b, int m)
{
    return tsl_line_has(from, b, m) ? *tsl_line_at(from, b, m) : tsl_complex_of(0, 0);
}

TSL_FN void tsl_line_store(const tsl_line_place *to, const tsl_butterfly *b, int m,
                           tsl_complex value)
{
    if (tsl_line_has(to, b, m)) {
        *tsl_line_at(to, b, m) = value;
    }
}

/* Point m of a butterfly turned. */
TSL_FN tsl_complex tsl_line_turn(const tsl_line *line, const tsl_butterfly *b, int m, tsl_complex v)
{
    return b->part == 1 || m == 0 ? v : tsl_times(v, line->roots[b->root * m]);
}

/* Butterflies thread, thread + threads, … of a pass: load, transform, turn, store. */
#define TSL_LINE_FORWARD(R)                                                                        \
    TSL_FN void tsl_line_forward_##R(const tsl_line *line, int part, int thread, int threads,      \
                                     const tsl_line_place *from, const tsl_line_place *to)         \
    {                                                                                              \
        enum { RADIX = (R) };                                                                      \
        for (int i = thread; i < line->n / RADIX * TSL_LINE_COLUMNS; i += threads) {               \
            const tsl_butterfly b = tsl_butterfly_of(line, RADIX, part, i);                        \
            tsl_complex v[RADIX];                                                                  \
            TSL_UNROLL                                                                             \
            for (int m = 0; m < RADIX; m++) {                                                      \
                v[m] = tsl_line_load(from, &b, m);                                                 \
            }                                                                                      \
            tsl_dft_##R(v);                                                                        \
            TSL_UNROLL                                                                             \
            for (int m = 0; m < RADIX; m++) {                                                      \
                tsl_line_store(to, &b, m, tsl_line_turn(line, &b, m, v[m]));                       \
            }                                                                                      \
        }                                                                                          \
    }

/* Load, turn, transform, store. */
#define TSL_LINE_MIRRORED(R)                                                                       \
    TSL_FN void tsl_line_mirrored_##R(const tsl_line *line, int part, int thread, int threads,     \
                                      const tsl_line_place *from, const tsl_line_place *to)        \
    {                                                                                              \
        enum { RADIX = (R) };                                                                      \
        for (int i = thread; i < line->n / RADIX * TSL_LINE_COLUMNS; i += threads) {               \
            const tsl_butterfly b = tsl_butterfly_of(line, RADIX, part, i);                        \
            tsl_complex v[RADIX];                                                                  \
            TSL_UNROLL                                                                             \
            for (int m = 0; m < RADIX; m++) {                                                      \
                v[m] = tsl_line_turn(line, &b, m, tsl_line_load(from, &b, m));                     \
            }                                                                                      \
            tsl_dft_##R(v);                                                                        \
            TSL_UNROLL                                                                             \
            for (int m = 0; m < RADIX; m++) {                                                      \
                tsl_line_store(to, &b, m, v[m]);                                                   \
            }                                                                                      \
        }                                                                                          \
    }

/* The last forward pass, a product with `factor`, and the first mirrored one, in place. */
#define TSL_LINE_PRODUCT(R)                                                                        \
    TSL_FN void tsl_line_product_##R(const tsl_line *line, int thread, int threads,                \
                                     const tsl_line_place *factor, const tsl_line_place *tile)     \
    {                                                                                              \
        enum { RADIX = (R) };                                                                      \
        for (int i = thread; i < line->n / RADIX * TSL_LINE_COLUMNS; i += threads) {               \
            const tsl_butterfly b = tsl_butterfly_of(line, RADIX, 1, i);                           \
            tsl_complex v[RADIX], w[RADIX];                                                        \
            TSL_UNROLL                                                                             \
            for (int m = 0; m < RADIX; m++) {                                                      \
                w[m] = tsl_line_load(factor, &b, m);                                               \
                v[m] = tsl_line_load(tile, &b, m);                                                 \
            }                                                                                      \
            tsl_dft_##R(v);                                                                        \
            TSL_UNROLL                                                                             \
            for (int m = 0; m < RADIX; m++) {                                                      \
                v[m] = tsl_times(v[m], w[m]);                                                      \
            }                                                                                      \
            tsl_dft_##R(v);                                                                        \
            TSL_UNROLL                                                                             \
            for (int m = 0; m < RADIX; m++) {                                                      \
                tsl_line_store(tile, &b, m, v[m]);                                                 \
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
