/* Aggregates of strongly connected rows (Vanek, Mandel & Brezina). */
#include <math.h>

#include "sparse/multigrid.h"

enum { UNSEEN = -2, SHORT_ROW = 10 /* entries */ };

/* Is row i free, and are its strong neighbours? *alone: it has none. */
static bool is_free(const int32_t *aggregate, const tsl_graph *g, int64_t i, bool *alone)
{
    const tsl_csr *m = g->matrix;
    bool all = aggregate[i] == UNSEEN;
    *alone = true;
    for (int64_t k = m->row_start[i]; k < m->row_start[i + 1] && all; k++) {
        if (tsl_is_strong(g, i, k)) {
            *alone = false;
            all = aggregate[m->column[k]] < 0;
        }
    }
    return all;
}

/* The free strong neighbours of row i join its aggregate. */
static void take_neighbours(int32_t *aggregate, const tsl_graph *g, int64_t i, int32_t number)
{
    const tsl_csr *m = g->matrix;
    for (int64_t k = m->row_start[i]; k < m->row_start[i + 1]; k++) {
        if (tsl_is_strong(g, i, k) && aggregate[m->column[k]] == UNSEEN) {
            aggregate[m->column[k]] = number;
        }
    }
}

/* Around each row that is free with all its strong neighbours, one of it and them; where rows are
 * short, of their neighbours too, for else the next level's would be many and long. */
static int64_t found_aggregates(int32_t *aggregate, const tsl_graph *g)
{
    const tsl_csr *m = g->matrix;
    const bool twice = tsl_csr_nonzeros(m) <= SHORT_ROW * m->rows;
    int64_t count = 0;
    for (int64_t i = 0; i < m->rows; i++) {
        bool alone;
        if (!is_free(aggregate, g, i, &alone)) {
            continue;
        }
        if (alone) {
            aggregate[i] = TSL_NO_AGGREGATE;
            continue;
        }
        aggregate[i] = (int32_t)count;
        take_neighbours(aggregate, g, i, (int32_t)count);
        for (int64_t k = m->row_start[i]; k < m->row_start[i + 1] && twice; k++) {
            if (tsl_is_strong(g, i, k)) {
                take_neighbours(aggregate, g, m->column[k], (int32_t)count);
            }
        }
        count++;
    }
    return count;
}

/* Rows left over join the aggregate of their strongest neighbour in one. What joins is marked by
 * its complement, so that nothing follows it. */
static void join_neighbours(int32_t *aggregate, const tsl_graph *g)
{
    const tsl_csr *m = g->matrix;
    enum { JOINED = -3 }; /* aggregate number n is JOINED - n */
    for (int64_t i = 0; i < m->rows; i++) {
        double strongest = 0;
        int32_t best = UNSEEN;
        for (int64_t k = m->row_start[i]; k < m->row_start[i + 1] && aggregate[i] == UNSEEN; k++) {
            const int64_t j = m->column[k];
            const double size = fabs(m->value[k]) * sqrt(g->inverse[j]);
            if (aggregate[j] >= 0 && tsl_is_strong(g, i, k) && size > strongest) {
                strongest = size;
                best = JOINED - aggregate[j];
            }
        }
        aggregate[i] = aggregate[i] == UNSEEN ? best : aggregate[i];
    }
    for (int64_t i = 0; i < m->rows; i++) {
        aggregate[i] = aggregate[i] <= JOINED ? JOINED - aggregate[i] : aggregate[i];
    }
}

int64_t tsl_aggregate(int32_t *aggregate, const tsl_graph *g)
{
    const tsl_csr *m = g->matrix;
    for (int64_t i = 0; i < m->rows; i++) {
        aggregate[i] = UNSEEN;
    }
    int64_t count = found_aggregates(aggregate, g);
    join_neighbours(aggregate, g);
    for (int64_t i = 0; i < m->rows; i++) { /* what is left has only such neighbours */
        if (aggregate[i] != UNSEEN) {
            continue;
        }
        aggregate[i] = (int32_t)count;
        take_neighbours(aggregate, g, i, (int32_t)count);
        count++;
    }
    return count;
}

void tsl_aggregate_norms(double *out, const double *near_null, const int32_t *aggregate,
                         int64_t rows, int64_t count)
{
    for (int64_t a = 0; a < count; a++) {
        out[a] = 0;
    }
    for (int64_t i = 0; i < rows; i++) {
        if (aggregate[i] >= 0) {
            out[aggregate[i]] += near_null != NULL ? near_null[i] * near_null[i] : 1;
        }
    }
    for (int64_t a = 0; a < count; a++) {
        out[a] = sqrt(out[a]);
    }
}
