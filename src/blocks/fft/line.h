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
 * (Gentleman and Sande 1966; Cooley and Tukey 1965). A tile is 2^shift lines side by side, a
 * column each. Error: below log2(n) 2^-24, in double precision
 * 2 log2(n) 2^-53, of the line's norm. */
#ifndef TSL_LINE_H
#define TSL_LINE_H

#include <stddef.h>
#include <stdint.h>

#include "blocks/fft/dft_point.h"

enum {
    TSL_LINE_COLUMNS =
        16,              /* lines of a correlation's tile: a quarter of a warp's bytes at a time */
    TSL_LINE_SHIFT = 4,  /* log2 of these */
    TSL_LINE_PITCH = 17, /* numbers from point to point of a tile: neither way two in one bank */
    TSL_LINE_PASSES = 6, /* at most */
    TSL_LINE_LONGEST = 2048
};

/* How a line is transformed. */
typedef struct tsl_line {
    int n;
    int passes;                 /* at least 2; 0: a length that cannot be had */
    int radix[TSL_LINE_PASSES]; /* r_p */
    int part[TSL_LINE_PASSES]; /* n / (r_0 … r_p): points from one of a butterfly's to the next */
    const void *roots;         /* [n]: exp(-2 pi i k / n) */
} tsl_line;

/* The fewest passes of radices up to `most`, among those the smallest largest radix, and then none
 * below 4, whose threads would have few loads under way, if that can be. 0 passes if there are
 * none. Without roots. */
tsl_line tsl_line_of(int n, int most);

/* A butterfly: its points first, first + part, … of a column, and the root its turns are powers of.
 */
typedef struct tsl_butterfly {
    int column, first, part;
    int root;
} tsl_butterfly;

TSL_FN tsl_butterfly tsl_butterfly_of(const tsl_line *line, int radix, int part, int shift,
                                      int along, int number)
{
    tsl_butterfly b;
    const int column = along ? number / (line->n / radix) : number & ((1 << shift) - 1);
    const int position = along ? number - column * (line->n / radix) : number >> shift;
    /* The first pass and the last, which are all that most lines have, need no division. */
    const int before = part == 1 ? position : part * radix == line->n ? 0 : position / part;
    b.column = column;
    b.part = part;
    b.first = before * part * (radix - 1) + position;
    b.root = part == 1 ? 0 : (position - before * part) * (line->n / (part * radix));
    return b;
}

/* Single precision: tsl_line_place, tsl_line_forward(), …; double: tsl_line_place_double, … */
#define TSL_TEMPLATE "blocks/fft/line.inc"
#include "blocks/fft/both_lines.inc"

/* The last forward pass, a product, and the first mirrored pass, in place: NAME(line, thread,
 * threads, with, tile) for radix R, `with` a TYPE. Of a butterfly FETCH(with, &butterfly, R,
 * factors) loads the NUMBERs that those of places first, first + 1, … are multiplied by, before
 * anything waits for a load; MULTIPLY(with, &butterfly, R, factors, numbers) multiplies.
 * TEMPLATE(name) is the precision's name, as TSL_LINE_SINGLE(). */
#define TSL_LINE_SINGLE(name) name
#define TSL_LINE_BETWEEN(R, NAME, TEMPLATE, TYPE, NUMBER, FETCH, MULTIPLY)                         \
    TSL_FN void NAME(const tsl_line *line, int thread, int threads, const TYPE *with,              \
                     const TEMPLATE(tsl_line_place) * tile)                                        \
    {                                                                                              \
        enum { RADIX = (R) };                                                                      \
        for (int i = thread; i < (line->n / RADIX) << tile->shift; i += threads) {                 \
            const tsl_butterfly b = tsl_butterfly_of(line, RADIX, 1, tile->shift, 0, i);           \
            TEMPLATE(tsl_complex) v[RADIX];                                                        \
            NUMBER factors[RADIX];                                                                 \
            FETCH(with, &b, RADIX, factors);                                                       \
            TEMPLATE(tsl_line_load)(NULL, tile, &b, RADIX, v);                                     \
            TEMPLATE(tsl_dft_##R)(v);                                                              \
            MULTIPLY(with, &b, RADIX, factors, v);                                                 \
            TEMPLATE(tsl_dft_##R)(v);                                                              \
            TEMPLATE(tsl_line_store)(NULL, tile, &b, RADIX, v);                                    \
        }                                                                                          \
    }

/* The last forward pass, whose number of place first + m goes to *AT(with, &butterfly, m), NULL:
 * nowhere. All addresses are found before a number is moved, since the compiler orders what may be
 * the same memory. */
#define TSL_LINE_LAST_TO(R, NAME, TEMPLATE, TYPE, AT)                                              \
    TSL_FN void NAME(const tsl_line *line, int thread, int threads, const TYPE *with,              \
                     const TEMPLATE(tsl_line_place) * tile)                                        \
    {                                                                                              \
        enum { RADIX = (R) };                                                                      \
        for (int i = thread; i < (line->n / RADIX) << tile->shift; i += threads) {                 \
            const tsl_butterfly b = tsl_butterfly_of(line, RADIX, 1, tile->shift, 0, i);           \
            TEMPLATE(tsl_complex) v[RADIX], *at[RADIX];                                            \
            TSL_UNROLL                                                                             \
            for (int m = 0; m < RADIX; m++) {                                                      \
                at[m] = AT(with, &b, m);                                                           \
            }                                                                                      \
            TEMPLATE(tsl_line_load)(NULL, tile, &b, RADIX, v);                                     \
            TEMPLATE(tsl_dft_##R)(v);                                                              \
            TSL_UNROLL                                                                             \
            for (int m = 0; m < RADIX; m++) {                                                      \
                if (at[m] != NULL) {                                                               \
                    *at[m] = v[m];                                                                 \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
    }

/* The first mirrored pass, whose numbers come from there. */
#define TSL_LINE_LAST_FROM(R, NAME, TEMPLATE, TYPE, AT)                                            \
    TSL_FN void NAME(const tsl_line *line, int thread, int threads, const TYPE *with,              \
                     const TEMPLATE(tsl_line_place) * tile)                                        \
    {                                                                                              \
        enum { RADIX = (R) };                                                                      \
        for (int i = thread; i < (line->n / RADIX) << tile->shift; i += threads) {                 \
            const tsl_butterfly b = tsl_butterfly_of(line, RADIX, 1, tile->shift, 0, i);           \
            TEMPLATE(tsl_complex) v[RADIX], *at[RADIX];                                            \
            TSL_UNROLL                                                                             \
            for (int m = 0; m < RADIX; m++) {                                                      \
                at[m] = AT(with, &b, m);                                                           \
            }                                                                                      \
            TSL_UNROLL                                                                             \
            for (int m = 0; m < RADIX; m++) {                                                      \
                v[m] = at[m] != NULL ? *at[m] : TEMPLATE(tsl_complex_of)(0, 0);                    \
            }                                                                                      \
            TEMPLATE(tsl_dft_##R)(v);                                                              \
            TEMPLATE(tsl_line_store)(NULL, tile, &b, RADIX, v);                                    \
        }                                                                                          \
    }

/* A product with the numbers of a place. */
TSL_FN void tsl_line_fetch(const tsl_line_place *factor, const tsl_butterfly *b, int radix,
                           tsl_complex *factors)
{
    tsl_line_load(NULL, factor, b, radix, factors);
}

TSL_FN void tsl_line_multiply(const tsl_line_place *factor, const tsl_butterfly *b, int radix,
                              const tsl_complex *factors, tsl_complex *v)
{
    (void)factor;
    (void)b;
    TSL_UNROLL
    for (int m = 0; m < radix; m++) {
        v[m] = tsl_times(v[m], factors[m]);
    }
}

#define TSL_LINE_PRODUCT(R)                                                                        \
    TSL_LINE_BETWEEN(R, tsl_line_product_##R, TSL_LINE_SINGLE, tsl_line_place, tsl_complex,        \
                     tsl_line_fetch, tsl_line_multiply)
TSL_RADICES(TSL_LINE_PRODUCT)

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
