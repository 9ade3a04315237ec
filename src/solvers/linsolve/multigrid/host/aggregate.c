/* Aggregates of strongly connected rows (Vanek, Mandel & Brezina), by blocks of rows that do not
 * depend on the number of threads. */
#include <math.h>

#include "core/context.h"
#include "solvers/linsolve/multigrid/multigrid.h"

enum {
    BLOCKS = 16,      /* at most, */
    BLOCK_ROWS = 4096 /* and of so many rows at least */
};

/* ---- founding ------------------------------------------------------------------------------- */

/* Is row i free, and are its strong neighbours? *alone: it has none. */
static bool is_free(const int32_t *root, const tsl_graph *g, int64_t i, bool *alone)
{
    const tsl_csr *m = g->matrix;
    bool all = root[i] == TSL_UNSEEN;
    *alone = true;
    for (int64_t k = m->row_start[i]; k < m->row_start[i + 1] && all; k++) {
        if (tsl_is_strong(g, i, k)) {
            *alone = false;
            all = root[m->column[k]] < 0;
        }
    }
    return all;
}

/* The free strong neighbours of row i join the aggregate of row `root`. */
static void take_neighbours(int32_t *root, const tsl_graph *g, int64_t i, int64_t root_row)
{
    const tsl_csr *m = g->matrix;
    for (int64_t k = m->row_start[i]; k < m->row_start[i + 1]; k++) {
        if (root[m->column[k]] == TSL_UNSEEN && tsl_is_strong(g, i, k)) {
            root[m->column[k]] = (int32_t)root_row;
        }
    }
}

/* Around each of the rows `from` to `to` - 1 that is free with all its strong neighbours, an
 * aggregate of it and them; if `twice` of their neighbours too. */
static void found(int32_t *root, const tsl_graph *g, int64_t from, int64_t to, bool twice)
{
    const tsl_csr *m = g->matrix;
    for (int64_t i = from; i < to; i++) {
        bool alone;
        if (!is_free(root, g, i, &alone)) {
            continue;
        }
        if (alone) {
            root[i] = TSL_NO_AGGREGATE;
            continue;
        }
        root[i] = (int32_t)i;
        take_neighbours(root, g, i, i);
        for (int64_t k = m->row_start[i]; k < m->row_start[i + 1] && twice; k++) {
            if (tsl_is_strong(g, i, k)) {
                take_neighbours(root, g, m->column[k], i);
            }
        }
    }
}

/* Blocks of equal length, first those of even number, then the others. A root reaches two
 * neighbours far, so blocks of four bandwidths keep those that are worked on at once apart, and
 * what comes out is the same in any order. Where rows are short aggregates reach twice as far, for
 * else the next level's rows would be many and long. */
static void found_by_blocks(int32_t *root, const tsl_graph *g, int threads)
{
    const tsl_csr *m = g->matrix;
    const bool twice = tsl_csr_nonzeros(m) <= TSL_SHORT_ROW * m->rows;
    const int64_t reach = 4 * g->bandwidth + 1;
    const int64_t most = m->rows / (reach > BLOCK_ROWS ? reach : BLOCK_ROWS);
    const int64_t blocks = most < 1 ? 1 : most < BLOCKS ? most : BLOCKS;
    for (int64_t first = 0; first < 2; first++) {
#pragma omp parallel for num_threads(threads) schedule(dynamic)
        for (int64_t block = first; block < blocks; block += 2) {
            found(root, g, m->rows * block / blocks, m->rows * (block + 1) / blocks, twice);
        }
    }
}

/* ---- rows left over ------------------------------------------------------------------------- */

/* The root of row i's strongest neighbour in an aggregate; TSL_UNSEEN: none is. */
static int32_t strongest_root(const int32_t *root, const tsl_graph *g, int64_t i)
{
    const tsl_csr *m = g->matrix;
    double strongest = 0;
    int32_t best = TSL_UNSEEN;
    for (int64_t k = m->row_start[i]; k < m->row_start[i + 1]; k++) {
        const int64_t j = m->column[k];
        const double size = fabs(m->value[k]) * sqrt(g->inverse[j]);
        if (root[j] >= 0 && tsl_is_strong(g, i, k) && size > strongest) {
            strongest = size;
            best = root[j];
        }
    }
    return best;
}

/* out: root, and rows left over join their strongest neighbour's aggregate; nothing follows what
 * joins. Those that have only such neighbours found their own. */
static void join(int32_t *out, const int32_t *root, const tsl_graph *g, int threads)
{
    const int64_t rows = g->matrix->rows;
    int64_t left = 0;
#pragma omp parallel for num_threads(threads) schedule(static) reduction(+ : left)
    for (int64_t i = 0; i < rows; i++) {
        out[i] = root[i] != TSL_UNSEEN ? root[i] : strongest_root(root, g, i);
        left += out[i] == TSL_UNSEEN;
    }
    for (int64_t i = 0; i < rows && left > 0; i++) {
        if (out[i] == TSL_UNSEEN) {
            out[i] = (int32_t)i;
            take_neighbours(out, g, i, i);
        }
    }
}

/* ---- numbers -------------------------------------------------------------------------------- */

/* Founders' rows become numbers, in their order; `number` [rows] is space. Returns how many there
 * are. */
static int64_t number_aggregates(int32_t *aggregate, int32_t *number, int64_t rows, int threads)
{
    int64_t first[TSL_SPARSE_SUMS + 1] = {0};
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int piece = 0; piece < TSL_SPARSE_SUMS; piece++) {
        const tsl_piece own = tsl_piece_of(rows, piece);
        for (int64_t i = own.from; i < own.to; i++) {
            first[piece + 1] += aggregate[i] == i;
        }
    }
    for (int piece = 0; piece < TSL_SPARSE_SUMS; piece++) {
        first[piece + 1] += first[piece];
    }
#pragma omp parallel num_threads(threads)
    {
#pragma omp for schedule(static)
        for (int piece = 0; piece < TSL_SPARSE_SUMS; piece++) {
            const tsl_piece own = tsl_piece_of(rows, piece);
            int64_t next = first[piece];
            for (int64_t i = own.from; i < own.to; i++) {
                if (aggregate[i] == i) {
                    number[i] = (int32_t)next++;
                }
            }
        }
#pragma omp for schedule(static)
        for (int64_t i = 0; i < rows; i++) {
            aggregate[i] = aggregate[i] >= 0 ? number[aggregate[i]] : TSL_NO_AGGREGATE;
        }
    }
    return first[TSL_SPARSE_SUMS];
}

tsl_status tsl_aggregate(int32_t *aggregate, int64_t *count, tsl_context *context,
                         const tsl_graph *g)
{
    const int64_t rows = g->matrix->rows;
    int32_t *root = tsl_allocate((size_t)rows * sizeof *root);
    if (root == NULL) {
        return tsl_fail_memory(context, 4 * rows, "making multigrid's levels");
    }
    const int threads = tsl_threads_for(context, tsl_csr_nonzeros(g->matrix));
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t i = 0; i < rows; i++) {
        root[i] = TSL_UNSEEN; /* no row, so never a root */
    }
    found_by_blocks(root, g, threads);
    join(aggregate, root, g, threads);
    *count = number_aggregates(aggregate, root, rows, threads);
    tsl_release(root);
    return TSL_OK;
}

void tsl_aggregate_norms(double *out, const double *near_null, const int32_t *aggregate,
                         int64_t rows, int64_t count)
{
    for (int64_t a = 0; a < count; a++) {
        out[a] = 0;
    }
    for (int64_t i = 0; i < rows; i++) {
        if (aggregate[i] >= 0) {
            out[aggregate[i]] += near_null[i] * near_null[i];
        }
    }
    for (int64_t a = 0; a < count; a++) {
        out[a] = sqrt(out[a]);
    }
}
