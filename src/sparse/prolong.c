/* From a level to the next: T, and P, which is T smoothed. */
#include "core/context.h"
#include "sparse/matrix.h"
#include "sparse/multigrid.h"

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

tsl_status tsl_tentative(tsl_csr *out, tsl_context *context, const tsl_prolongation *from)
{
    const int64_t rows = from->g->matrix->rows;
    int64_t first[TSL_SPARSE_SUMS + 1] = {0}; /* entry of a piece */
#pragma omp parallel for num_threads(context->threads) schedule(static)
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
#pragma omp parallel for num_threads(context->threads) schedule(static)
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
