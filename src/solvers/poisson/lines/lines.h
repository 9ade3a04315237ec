/* Poisson's equation on a GPU by lines: what the kernels (lines_block.inc) are launched with. They
 * are compiled for each precision, in files of their own. */
#ifndef TSL_POISSON_LINES_H
#define TSL_POISSON_LINES_H

#include "blocks/fft/line.h"
#include "solvers/poisson/poisson.h"

/* Threads of a block; the largest radix of a line, and blocks that fit a multiprocessor, by
 * precision. In double larger radices take the registers that a third block needs, which is worth
 * more than what one kernel then spills; but of columns of 1024 points, which they take through
 * shared memory in three passes for four. */
enum {
    LINES_TILE = 65536,      /* bytes of a tile of columns: three to a multiprocessor */
    LINES_ROWS_TILE = 32768, /* of rows */
    LINES_THREADS = 256,
    LINES_LARGEST_DOUBLE = 8,
    LINES_LARGEST_SINGLE = TSL_RADIX_LARGEST,
    LINES_RESIDENT_DOUBLE = 3,
    LINES_RESIDENT_SINGLE = 2,
    LINES_RESIDENT_WIDE = 2, /* of those columns */
    LINES_BANKS = 128,       /* bytes that shared memory has at a time */
    LINES_LANES = 2          /* streams that take chunks of columns */
};

/* Lengths that have kernels of their own, for each of which lines_block.inc includes
 * lines_form_block.inc. */
#define LINES_LENGTHS(X) X(128) X(256) X(512) X(1024) X(2048)

/* An array as lines. */
typedef struct poisson_side {
    void *at;
    int64_t step;   /* complex numbers from one point of a line to the next */
    int64_t across; /* from one row to the next; columns are neighbours */
    int64_t group;  /* from one group of columns, or of rows, to the next */
    int points;     /* of a line; the others are zero */
} poisson_side;

/* A kernel's arguments. */
typedef struct poisson_lines {
    tsl_poisson_grid grid;
    tsl_line line;
    poisson_side from, to;
    int columns; /* of a group, or its rows */
    int tiles;   /* that they make */
    int shift;   /* log2 of a tile's columns */
    int edges;   /* tiles of kz = 0 and m2 / 2, two columns of each ky */
    int first;   /* kz of column 0 */
    int axis;    /* of a derivative, or TSL_POISSON_POTENTIAL */
    const void *spectrum;
    const void *turns;               /* [h / 2 + 1]: -i exp(-2 pi i k / m2) */
    const int *order[2];             /* frequency at each place of the first two axes */
    const int *place[3];             /* and place of each frequency */
    const tsl_poisson_strip *strips; /* [][m1], of the second axis' places, for each chunk */
    int chunk;                       /* columns of one, whole tiles */
    int plane;                       /* of group 0, among the strips' */
} poisson_lines;

/* Three facts of a line of one of these lengths: its log2; the largest radix, where `largest` is
 * that of its precision and `along` says that lines are rows; the number of passes of radices up to
 * `most`. All are constants where the arguments are. */
TSL_FN int poisson_lines_bits(int n)
{
    return n >= 2048 ? 11 : n >= 1024 ? 10 : n >= 512 ? 9 : n >= 256 ? 8 : 7;
}

TSL_FN int poisson_lines_most(int n, int largest, int along)
{
    return n == 1024 && !along ? (int)TSL_RADIX_LARGEST : largest;
}

TSL_FN int poisson_lines_passes(int n, int most)
{
    const int each = most < 16 ? 3 : 4; /* bits of a radix at most */
    return (poisson_lines_bits(n) + each - 1) / each;
}

/* Radices as even as they can be, the largest first. */
TSL_FN tsl_line poisson_lines_of_two(int n, int most, const void *roots)
{
    tsl_line line;
    line.n = n;
    line.passes = poisson_lines_passes(n, most);
    line.roots = roots;
    int left = poisson_lines_bits(n);
    TSL_UNROLL
    for (int p = 0; p < TSL_LINE_PASSES; p++) {
        const int passes = line.passes - p;
        const int here = passes < 1 ? 0 : (left + passes - 1) / passes;
        left -= here;
        line.radix[p] = 1 << here;
        line.part[p] = 1 << left;
    }
    return line;
}

/* Threads of a block whose lines have radices up to `largest`. */
TSL_FN int poisson_lines_team(int n, int largest, int shift)
{
    const int wanted = (n / largest) << shift;
    return wanted < 64 ? 64 : wanted > LINES_THREADS ? (int)LINES_THREADS : (wanted + 31) / 32 * 32;
}

/* log2 of a tile's columns: whole lines of a cache at most, two at least. `number`: bytes of one.
 */
TSL_FN int poisson_lines_shift(int n, int number, int most)
{
    enum { LARGEST_SHIFT = 4, CACHE_LINE = 128 };
    int shift = 1;
    TSL_UNROLL
    for (int s = 2; s <= LARGEST_SHIFT; s++) {
        shift = n * number << s <= most && number << s <= CACHE_LINE ? s : shift;
    }
    return shift;
}

/* The spectrum of a column. */
typedef struct poisson_factor {
    const poisson_lines *lines;
    int ky, kz;
    int n;            /* points of the column */
    int step;         /* of kx between a butterfly's numbers, in their order */
    const void *line; /* tabulated: that of kx = 0; the others follow, grid.width entries apart;
                         else the first axis' symbols */
    double ys, zs;    /* and the other two's */
} poisson_factor;

/* Do rows have a number for their last wave, m2 / 2? */
TSL_FN int poisson_lines_apart(const tsl_poisson_grid *grid)
{
    return grid->row >= grid->half;
}

/* The factor of column (ky, kz), in the order of frequencies. Any kz beyond the last is taken for
 * the last. */
TSL_FN poisson_factor poisson_lines_factor(const poisson_lines *a, const tsl_line *line, int ky,
                                           int kz)
{
    const tsl_poisson_grid *g = &a->grid;
    const int y = tsl_poisson_fold(ky, g->m[1]);
    const int z = kz < g->half ? kz : g->half - 1;
    poisson_factor with;
    with.lines = a;
    with.ky = ky;
    with.kz = kz;
    with.n = line->n;
    with.step = line->n / line->radix[line->passes - 1];
    with.line = a->spectrum;
    with.ys = with.zs = 0;
    if (g->tabulated) {
        const int bytes = g->precision == TSL_SINGLE ? 4 : 8;
        with.line = (const char *)a->spectrum + tsl_poisson_entry(g, 0, y, z) * bytes;
    } else {
        const double *second = (const double *)a->spectrum + g->m[0] / 2 + 1;
        with.ys = second[y];
        with.zs = second[g->m[1] / 2 + 1 + z];
    }
    return with;
}

static inline int poisson_lines_largest(const tsl_line *line)
{
    int largest = 1;
    for (int p = 0; p < line->passes; p++) {
        largest = line->radix[p] > largest ? line->radix[p] : largest;
    }
    return largest;
}

static inline int poisson_lines_threads(const poisson_lines *a)
{
    return poisson_lines_team(a->line.n, poisson_lines_largest(&a->line), a->shift);
}

static inline int poisson_lines_radix(tsl_precision precision)
{
    return precision == TSL_SINGLE ? (int)LINES_LARGEST_SINGLE : (int)LINES_LARGEST_DOUBLE;
}

/* Tiles of `columns` columns: each is a block of threads, and there may be millions. */
static inline int poisson_lines_tiles(int columns, int shift)
{
    return (int)(((int64_t)columns + (1 << shift) - 1) >> shift);
}

enum {
    LINES_ROWS_FORWARD,
    LINES_COLUMNS_FORWARD,
    LINES_COLUMNS_PRODUCT,
    LINES_COLUMNS_MIRRORED,
    LINES_ROWS_MIRRORED,
    LINES_COLUMNS_SPREAD,
    LINES_COLUMNS_GATHERED
};

/* Queue a kernel, of `blocks` tiles. */
typedef tsl_status (*poisson_lines_launch)(tsl_context *context, int kernel, const poisson_lines *a,
                                           int blocks);

tsl_status tsl_poisson_lines_double_sim(tsl_context *context, int kernel, const poisson_lines *a,
                                        int blocks);
tsl_status tsl_poisson_lines_single_sim(tsl_context *context, int kernel, const poisson_lines *a,
                                        int blocks);
tsl_status tsl_poisson_lines_double_cuda(tsl_context *context, int kernel, const poisson_lines *a,
                                         int blocks);
tsl_status tsl_poisson_lines_single_cuda(tsl_context *context, int kernel, const poisson_lines *a,
                                         int blocks);

#endif
