#include "solvers/poisson/ranks/share.h"

tsl_poisson_range tsl_poisson_cut(int count, int parts, int part)
{
    const int begin = (int)((int64_t)count * part / parts);
    return (tsl_poisson_range){begin, (int)((int64_t)count * (part + 1) / parts) - begin};
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* Choose p x q for so many ranks. Planes stay whole (p x 1) where the second axis is periodic; else
 * columns are exchanged before they are padded (1 x q). Where that would leave ranks without work,
 * of all pairs the one is taken that leaves the fewest, and of these the one with the largest p or
 * q. */
static void choose_pair(tsl_poisson_share *share, const tsl_poisson_grid *grid, int ranks)
{
    const int most_p = least(grid->n[0], grid->m[1] / 2 + 1);
    const int most_q = least(grid->half, grid->n[0] * grid->n[1]);
    const bool planes = grid->m[1] == grid->n[1];
    int best = 0;
    for (int i = 1; i <= ranks; i++) {
        const int p = planes ? ranks / i : i;
        const int q = ranks / p;
        if (p * q == ranks && least(p, most_p) * least(q, most_q) > best) {
            best = least(p, most_p) * least(q, most_q);
            share->p = p;
            share->q = q;
        }
    }
}

bool tsl_poisson_choose(tsl_poisson_share *share, const tsl_poisson_grid *grid, int ranks)
{
    if (share->p == 0 && share->q == 0) {
        choose_pair(share, grid, ranks);
    }
    if (share->p < 1 || share->q < 1 || (int64_t)share->p * share->q > share->size) {
        return false;
    }
    share->along_y =
        share->q > 1 && grid->n[0] < share->p * share->q && grid->n[1] > grid->n[0] / share->p;
    return true;
}

void tsl_poisson_choose_segments(tsl_poisson_share *share, const tsl_poisson_grid *grid,
                                 int segments)
{
    if (grid->lines) {
        share->span = grid->half;
        share->segments = least(segments, (grid->n[0] + share->p - 1) / share->p);
        return;
    }
    const int most = (grid->half + share->q - 1) / share->q; /* columns of a rank */
    const int each = (most + segments - 1) / segments;
    share->span = (each + grid->width - 1) / grid->width * grid->width;
    share->segments = (most + share->span - 1) / share->span;
}

tsl_poisson_range tsl_poisson_planes_of(const tsl_poisson_share *share,
                                        const tsl_poisson_grid *grid, int a)
{
    return a < share->p ? tsl_poisson_cut(grid->n[0], share->p, a)
                        : (tsl_poisson_range){grid->n[0], 0};
}

tsl_poisson_rows tsl_poisson_rows_of(const tsl_poisson_share *share, const tsl_poisson_grid *grid,
                                     int rank)
{
    const int b = rank % share->q;
    tsl_poisson_rows rows = {tsl_poisson_planes_of(share, grid, rank / share->q), {0, grid->n[1]}};
    if (share->along_y) {
        rows.y = tsl_poisson_cut(grid->n[1], share->q, b);
    } else {
        const tsl_poisson_range part = tsl_poisson_cut(rows.x.count, share->q, b);
        rows.x = (tsl_poisson_range){rows.x.begin + part.begin, part.count};
    }
    return rows;
}

tsl_poisson_range tsl_poisson_columns_of(const tsl_poisson_share *share,
                                         const tsl_poisson_grid *grid, int b)
{
    return tsl_poisson_cut(grid->half, share->q, b);
}

tsl_poisson_range tsl_poisson_segment_of(const tsl_poisson_share *share,
                                         const tsl_poisson_grid *grid, int b, int segment)
{
    const tsl_poisson_range all = tsl_poisson_columns_of(share, grid, b);
    const int begin = least(segment * share->span, all.count);
    return (tsl_poisson_range){all.begin + begin, least(share->span, all.count - begin)};
}

tsl_poisson_range tsl_poisson_octant_of(const tsl_poisson_share *share,
                                        const tsl_poisson_grid *grid, int a)
{
    const int all = grid->m[1] / 2 + 1;
    return a < share->p ? tsl_poisson_cut(all, share->p, a) : (tsl_poisson_range){all, 0};
}

/* 0 and, of an even length, its half are their own negatives. */
tsl_poisson_lines tsl_poisson_lines_of(const tsl_poisson_share *share, const tsl_poisson_grid *grid,
                                       int a)
{
    const int m = grid->m[1];
    const tsl_poisson_range octant = tsl_poisson_octant_of(share, grid, a);
    const int first = octant.begin > 0 ? octant.begin : 1;
    const int last = least(octant.begin + octant.count, (m + 1) / 2) - 1;
    const int negatives = last >= first ? last - first + 1 : 0;
    return (tsl_poisson_lines){{octant, {m - last, negatives}}, octant.count + negatives};
}
