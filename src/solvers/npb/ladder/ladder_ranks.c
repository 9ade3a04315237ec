/* What CG's ladder takes of the host: padded rows, and V9's ranks. */
#include <string.h>

#include "comm/comm.h"
#include "device/device.h"
#include "solvers/npb/ladder/ladder.h"

/* A copy of a matrix with its rows filled up. Release with tsl_csr_free(). */
static tsl_status pad(tsl_csr *out, tsl_context *context, const tsl_csr *matrix)
{
    tsl_csr padded = {.rows = matrix->rows, .columns = matrix->columns};
    const size_t rows = (size_t)matrix->rows;
    padded.row_start = tsl_allocate((rows + 1) * sizeof *padded.row_start);
    if (padded.row_start == NULL) {
        return tsl_fail_memory(context, (int64_t)rows * 8, "the padded matrix");
    }
    padded.row_start[0] = 0;
    for (int64_t row = 0; row < matrix->rows; row++) {
        const int64_t length = matrix->row_start[row + 1] - matrix->row_start[row];
        padded.row_start[row + 1] =
            padded.row_start[row] + (length + TSL_LADDER_PAD - 1) / TSL_LADDER_PAD * TSL_LADDER_PAD;
    }
    const size_t entries = (size_t)tsl_csr_nonzeros(&padded);
    padded.column = tsl_allocate_zeroed(entries, sizeof *padded.column);
    padded.value = tsl_allocate_zeroed(entries, sizeof *padded.value);
    if (padded.column == NULL || padded.value == NULL) {
        tsl_csr_free(&padded);
        return tsl_fail_memory(context, (int64_t)entries * 12, "the padded matrix");
    }
    for (int64_t row = 0; row < matrix->rows; row++) {
        const int64_t from = matrix->row_start[row];
        const size_t length = (size_t)(matrix->row_start[row + 1] - from);
        memcpy(padded.column + padded.row_start[row], matrix->column + from,
               length * sizeof *padded.column);
        memcpy(padded.value + padded.row_start[row], matrix->value + from,
               length * sizeof *padded.value);
    }
    *out = padded;
    return TSL_OK;
}

static tsl_status broadcast(const tsl_ladder_ranks *ranks, void *data, int64_t bytes)
{
    return tsl_comm_broadcast(ranks->context->comm, NULL, data, bytes, 0);
}

static tsl_status gather(const tsl_ladder_ranks *ranks, double *whole, const double *own)
{
    const tsl_comm_parts all = {.data = whole, .bytes = ranks->bytes, .offsets = ranks->offsets};
    return tsl_comm_gather(ranks->context->comm, NULL, own, ranks->bytes[ranks->rank],
                           ranks->rank == 0 ? &all : NULL, 0);
}

/* Run a version on this rank's rows. */
static tsl_status run_rows(double *zeta, tsl_ladder_times *times, tsl_context *context, int version,
                           const tsl_cg_class *what, const tsl_csr *rows,
                           const tsl_ladder_ranks *ranks)
{
    const tsl_ladder_cg *cg = &context->ops->ladder->cg[version];
    tsl_csr padded = {0};
    tsl_status status = cg->pads ? pad(&padded, context, rows) : TSL_OK;
    if (status == TSL_OK && ranks != NULL) { /* clocks start together */
        status = tsl_comm_barrier(context->comm);
    }
    if (status == TSL_OK) {
        status = cg->run(zeta, times, context, what, cg->pads ? &padded : rows, ranks);
    }
    tsl_csr_free(&padded);
    return status;
}

/* V9. Rank 0's rows are the first of the whole matrix; the other ranks make theirs. */
static tsl_status run_shared(double *zeta, tsl_ladder_times *times, tsl_context *context,
                             const tsl_cg_class *what, const tsl_csr *matrix, int64_t *parts)
{
    const tsl_comm *comm = context->comm;
    const tsl_cg_rows mine = tsl_cg_rows_of(what->rows, comm->rank, comm->size);
    const tsl_ladder_ranks ranks = {.rank = comm->rank,
                                    .broadcast = broadcast,
                                    .gather = gather,
                                    .context = context,
                                    .bytes = parts,
                                    .offsets = parts + comm->size};
    tsl_csr rows = {0};
    tsl_status status = TSL_OK;
    if (comm->rank == 0) {
        rows = *matrix;
        rows.rows = mine.count;
    } else {
        status = tsl_cg_matrix(&rows, context, what, mine.first, mine.count);
    }
    if (status == TSL_OK) {
        status = run_rows(zeta, times, context, TSL_LADDER_CG - 1, what, &rows, &ranks);
    }
    if (comm->rank > 0) {
        tsl_csr_free(&rows);
    }
    return status;
}

tsl_status tsl_ladder_cg_run(double *zeta, tsl_ladder_times *times, tsl_context *context,
                             int version, const tsl_cg_class *what, const tsl_csr *matrix)
{
    if (version < TSL_LADDER_CG - 1) {
        return run_rows(zeta, times, context, version, what, matrix, NULL);
    }
    int64_t *parts;
    tsl_status status = tsl_cg_rows_in_bytes(&parts, context, what->rows);
    if (status == TSL_OK) {
        status = run_shared(zeta, times, context, what, matrix, parts);
        tsl_release(parts);
    }
    return tsl_comm_refuse(context, status);
}
