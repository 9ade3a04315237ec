/* From a level to the next: T, and P, which is T smoothed. */
#include <string.h>

#include "blocks/vector/pieces.h"
#include "core/context.h"
#include "solvers/linsolve/matrix/matrix.h"
#include "solvers/linsolve/multigrid/multigrid.h"

/* T's entry in row i, which is in an aggregate. */
static inline double tentative(const tsl_prolongation *p, int64_t i)
{
    return p->near_null != NULL ? p->near_null[i] / p->norm[p->aggregate[i]] : 1;
}

void tsl_prolongator_row(tsl_row *out, const tsl_prolongation *p, int64_t i)
{
    const tsl_csr *m = p->g->matrix;
    const double own = p->g->inverse[i];
    const double factor = -p->omega * own;
    double lumped = 0; /* diagonal and weak entries */
    tsl_row row = *out;
    for (int64_t k = m->row_start[i]; k < m->row_start[i + 1]; k++) {
        const int64_t j = m->column[k];
        const int32_t a = p->aggregate[j];
        if (!tsl_is_strong(p->g, i, k)) {
            lumped += m->value[k];
        } else if (a >= 0) {
            tsl_row_add(&row, (uint32_t)a, factor * m->value[k] * tentative(p, j));
        }
    }
    const int32_t a = p->aggregate[i];
    if (a >= 0) {
        tsl_row_add(&row, (uint32_t)a, (1 + factor * lumped) * tentative(p, i));
    }
    *out = row;
}

/* Rows cut into as many parts as there are threads, and where the next row of each goes in each
 * aggregate. */
typedef struct distribution {
    const int32_t *aggregate;
    int64_t rows, count;
    int parts;
    int32_t *next; /* [parts][count] */
} distribution;

static tsl_piece rows_of_part(const distribution *d, int64_t part)
{
    return (tsl_piece){d->rows * part / d->parts, d->rows * (part + 1) / d->parts};
}

static void count_members(const distribution *d, int64_t *start)
{
#pragma omp parallel num_threads(d->parts)
    {
#pragma omp for schedule(static)
        for (int part = 0; part < d->parts; part++) {
            int32_t *next = d->next + part * d->count;
            memset(next, 0, (size_t)d->count * sizeof *next);
            const tsl_piece own = rows_of_part(d, part);
            for (int64_t i = own.from; i < own.to; i++) {
                if (d->aggregate[i] >= 0) {
                    next[d->aggregate[i]]++;
                }
            }
        }
#pragma omp for schedule(static)
        for (int64_t a = 0; a < d->count; a++) {
            int32_t before = 0;
            for (int part = 0; part < d->parts; part++) {
                const int32_t own = d->next[part * d->count + a];
                d->next[part * d->count + a] = before;
                before += own;
            }
            start[a + 1] = before;
        }
    }
    start[0] = 0;
    for (int64_t a = 0; a < d->count; a++) {
        start[a + 1] += start[a];
    }
}

static void distribute(const distribution *d, const tsl_csr *out)
{
#pragma omp parallel for num_threads(d->parts) schedule(static)
    for (int part = 0; part < d->parts; part++) {
        int32_t *next = d->next + part * d->count;
        const tsl_piece own = rows_of_part(d, part);
        for (int64_t i = own.from; i < own.to; i++) {
            const int32_t a = d->aggregate[i];
            if (a >= 0) {
                out->column[out->row_start[a] + next[a]++] = (int32_t)i;
            }
        }
    }
}

tsl_status tsl_members_make(tsl_csr *out, tsl_context *context, const int32_t *aggregate,
                            int64_t rows, int64_t count)
{
    /* no more parts than counts that take less memory than the rows */
    const int64_t most = rows / count > 1 ? rows / count : 1;
    const int threads = tsl_threads_for(context, rows);
    distribution d = {.aggregate = aggregate,
                      .rows = rows,
                      .count = count,
                      .parts = threads < most ? threads : (int)most};
    d.next = tsl_allocate((size_t)(d.parts * count) * sizeof *d.next);
    *out = (tsl_csr){.rows = count,
                     .columns = rows,
                     .row_start = tsl_allocate((size_t)(count + 1) * sizeof *out->row_start),
                     .column = tsl_allocate((size_t)rows * sizeof *out->column)};
    const bool enough = d.next != NULL && out->row_start != NULL && out->column != NULL;
    if (enough) {
        count_members(&d, out->row_start);
        distribute(&d, out);
    } else {
        tsl_csr_free(out);
    }
    tsl_release(d.next);
    return enough ? TSL_OK : tsl_fail_memory(context, 4 * rows + 8 * count, "aggregates");
}

tsl_status tsl_tentative_weight(void **out, tsl_context *context, const tsl_prolongation *from,
                                int bytes)
{
    const int64_t rows = from->g->matrix->rows;
    *out = NULL;
    if (from->near_null == NULL) {
        return TSL_OK;
    }
    void *weight = tsl_allocate((size_t)(rows * bytes));
    if (weight == NULL) {
        return tsl_fail_memory(context, rows * bytes, "the way between levels");
    }
#pragma omp parallel for num_threads(tsl_threads_for(context, rows)) schedule(static)
    for (int64_t i = 0; i < rows; i++) {
        const double own = from->aggregate[i] >= 0 ? tentative(from, i) : 0;
        if (bytes == 8) {
            ((double *)weight)[i] = own;
        } else {
            ((float *)weight)[i] = (float)own;
        }
    }
    *out = weight;
    return TSL_OK;
}

tsl_status tsl_tentative(tsl_csr *out, tsl_context *context, const tsl_prolongation *from)
{
    const int64_t rows = from->g->matrix->rows;
    int64_t first[TSL_SPARSE_SUMS + 1] = {0}; /* entry of a piece */
#pragma omp parallel for num_threads(tsl_threads_for(context, rows)) schedule(static)
    for (int piece = 0; piece < TSL_SPARSE_SUMS; piece++) {
        const tsl_piece own = tsl_piece_of(rows, piece);
        for (int64_t i = own.from; i < own.to; i++) {
            first[piece + 1] += from->aggregate[i] >= 0;
        }
    }
    for (int piece = 0; piece < TSL_SPARSE_SUMS; piece++) {
        first[piece + 1] += first[piece];
    }
    const tsl_status status =
        tsl_csr_allocate(out, context, rows, from->count, first[TSL_SPARSE_SUMS]);
    if (status != TSL_OK) {
        return status;
    }
#pragma omp parallel for num_threads(tsl_threads_for(context, rows)) schedule(static)
    for (int piece = 0; piece < TSL_SPARSE_SUMS; piece++) {
        const tsl_piece own = tsl_piece_of(rows, piece);
        int64_t k = first[piece];
        for (int64_t i = own.from; i < own.to; i++) {
            if (from->aggregate[i] >= 0) {
                out->column[k] = from->aggregate[i];
                out->value[k++] = tentative(from, i);
            }
            out->row_start[i + 1] = k;
        }
    }
    return TSL_OK;
}
