/* Who has what of a solve over ranks: pure functions of the grid, the number of ranks and the way
 * they share, so that each rank knows all others' parts.
 *
 * Rank a q + b of p q ranks has, one after the other, and ranks beyond these nothing,
 *
 *   rows     of the a-th of p parts of x, these cut into q along x (or, where there are too few
 *            planes, along y): all z, then all columns kz
 *   columns  the a-th part of x, all y, the b-th of q parts of kz
 *   lines    all x, the a-th of p parts of ky, the same columns
 *
 * A part of ky is a range of wavenumbers with their negatives, so that a rank needs the octant's
 * numbers of that range alone. Columns are exchanged a segment of `span` at a time. */
#ifndef TSL_POISSON_SHARE_H
#define TSL_POISSON_SHARE_H

#include "solvers/poisson/poisson_point.h"
#include "tesela/poisson.h"

typedef struct tsl_poisson_range {
    int begin, count;
} tsl_poisson_range;

typedef struct tsl_poisson_share {
    int size, rank; /* of the communicator */
    int p, q;       /* p q <= size */
    bool along_y;   /* rows are cut along y */
    int span;       /* columns of a segment */
    int segments;   /* the same on all ranks: some have nothing in the last */
    bool overlap;
    tsl_poisson_path path; /* of exchanges */
} tsl_poisson_share;

/* Rows of a plane: x and y. */
typedef struct tsl_poisson_rows {
    tsl_poisson_range x, y;
} tsl_poisson_rows;

/* Lines of a part of ky: two runs, wavenumbers and their negatives, in the order of ky. */
typedef struct tsl_poisson_lines {
    tsl_poisson_range run[2];
    int count;
} tsl_poisson_lines;

/* Part `part` of `parts` nearly equal ones of `count` things. */
tsl_poisson_range tsl_poisson_cut(int count, int parts, int part);

/* Has this rank a part in the work? */
static inline bool tsl_poisson_takes_part(const tsl_poisson_share *share)
{
    return share->rank < share->p * share->q;
}

/* Choose p and q, of `size` and `rank`, where they are 0, and how rows are cut: pencils of so many
 * ranks. False: those asked for are more than there are. */
bool tsl_poisson_choose(tsl_poisson_share *share, const tsl_poisson_grid *grid, int ranks);
/* Choose span and segments, at most as many as asked for, when the grid's width is settled: of
 * columns or, by lines, of planes. */
void tsl_poisson_choose_segments(tsl_poisson_share *share, const tsl_poisson_grid *grid,
                                 int segments);

tsl_poisson_rows tsl_poisson_rows_of(const tsl_poisson_share *share, const tsl_poisson_grid *grid,
                                     int rank);
/* The a-th part of x. */
tsl_poisson_range tsl_poisson_planes_of(const tsl_poisson_share *share,
                                        const tsl_poisson_grid *grid, int a);
/* The b-th part of kz, and what of it is in a segment. */
tsl_poisson_range tsl_poisson_columns_of(const tsl_poisson_share *share,
                                         const tsl_poisson_grid *grid, int b);
tsl_poisson_range tsl_poisson_segment_of(const tsl_poisson_share *share,
                                         const tsl_poisson_grid *grid, int b, int segment);
/* The a-th part of ky: the range of the octant, and its lines. */
tsl_poisson_range tsl_poisson_octant_of(const tsl_poisson_share *share,
                                        const tsl_poisson_grid *grid, int a);
tsl_poisson_lines tsl_poisson_lines_of(const tsl_poisson_share *share, const tsl_poisson_grid *grid,
                                       int a);

/* ky of a rank's line. */
TSL_FN int tsl_poisson_line(const tsl_poisson_lines *lines, int line)
{
    const int first = lines->run[0].count;
    return line < first ? lines->run[0].begin + line : lines->run[1].begin + line - first;
}

#endif
