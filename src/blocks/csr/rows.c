#include "blocks/csr/rows.h"

#include <string.h>

#include "blocks/vector/pieces.h"
#include "core/context.h"

/* ---- a row in the making -------------------------------------------------------------------- */

bool tsl_row_begin(tsl_row *row, int64_t columns)
{
    row->place = tsl_allocate_zeroed((size_t)columns, sizeof *row->place);
    row->column = tsl_allocate((size_t)(columns + 1) * sizeof *row->column);
    row->number = 1;
    return row->place != NULL && row->column != NULL;
}

void tsl_row_free(tsl_row *row)
{
    tsl_release(row->place);
    tsl_release(row->column);
    *row = (tsl_row){0};
}

/* ---- order ---------------------------------------------------------------------------------- */

/* Shell's sort with Ciura's gaps, for most rows are short. */
void tsl_sort_columns(uint32_t *column, int64_t count)
{
    static const int gaps[] = {1750, 701, 301, 132, 57, 23, 10, 4, 1};
    enum { GAPS = sizeof gaps / sizeof *gaps };
    for (int g = count > 10 ? 0 : GAPS - 1; g < GAPS; g++) {
        const int64_t gap = gaps[g];
        for (int64_t k = gap; k < count; k++) {
            const uint32_t c = column[k];
            int64_t to = k;
            for (; to >= gap && column[to - gap] > c; to -= gap) {
                column[to] = column[to - gap];
            }
            column[to] = c;
        }
    }
}

/* ---- transposition -------------------------------------------------------------------------- */

/* Lengths in row_start[1 …] become starts. */
static void add_up_lengths(int64_t *row_start, int64_t rows)
{
    row_start[0] = 0;
    for (int64_t i = 0; i < rows; i++) {
        row_start[i + 1] += row_start[i];
    }
}

/* A matrix cut into parts of rows, and where the next entry of each goes in each column of it. */
typedef struct scatter {
    const tsl_csr *m;
    int64_t parts;
    int64_t *next; /* [parts][columns] */
} scatter;

static tsl_piece rows_of_part(const scatter *s, int64_t part)
{
    return (tsl_piece){s->m->rows * part / s->parts, s->m->rows * (part + 1) / s->parts};
}

/* Lengths of the columns, then where each begins, and each part in it. */
static void count_columns(const scatter *s, int64_t *row_start, int threads)
{
    const tsl_csr *m = s->m;
#pragma omp parallel num_threads(threads)
    {
#pragma omp for schedule(static)
        for (int64_t part = 0; part < s->parts; part++) {
            int64_t *count = s->next + part * m->columns;
            const tsl_piece rows = rows_of_part(s, part);
            memset(count, 0, (size_t)m->columns * sizeof *count);
            for (int64_t k = m->row_start[rows.from]; k < m->row_start[rows.to]; k++) {
                count[m->column[k]]++;
            }
        }
#pragma omp for schedule(static)
        for (int64_t j = 0; j < m->columns; j++) {
            int64_t before = 0;
            for (int64_t part = 0; part < s->parts; part++) {
                const int64_t count = s->next[part * m->columns + j];
                s->next[part * m->columns + j] = before;
                before += count;
            }
            row_start[j + 1] = before;
        }
    }
    add_up_lengths(row_start, m->columns);
}

static void scatter_rows(tsl_csr *out, const scatter *s, int threads)
{
    const tsl_csr *m = s->m;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t part = 0; part < s->parts; part++) {
        int64_t *next = s->next + part * m->columns;
        const tsl_piece rows = rows_of_part(s, part);
        for (int64_t i = rows.from; i < rows.to; i++) {
            for (int64_t k = m->row_start[i]; k < m->row_start[i + 1]; k++) {
                const int64_t to = out->row_start[m->column[k]] + next[m->column[k]]++;
                out->column[to] = (int32_t)i;
                out->value[to] = m->value[k];
            }
        }
    }
}

tsl_status tsl_csr_transpose(tsl_csr *out, tsl_context *context, const tsl_csr *m)
{
    const int64_t nonzeros = tsl_csr_nonzeros(m);
    tsl_status status = tsl_csr_allocate(out, context, m->columns, m->rows, nonzeros);
    if (status != TSL_OK) {
        return status;
    }
    /* no more parts than counts that take less memory than the entries */
    const int64_t most = nonzeros / m->columns > 1 ? nonzeros / m->columns : 1;
    const int threads = tsl_threads_for(context, tsl_csr_nonzeros(m));
    scatter s = {.m = m, .parts = threads < most ? threads : most};
    s.next = tsl_allocate((size_t)(s.parts * m->columns) * sizeof *s.next);
    if (s.next == NULL) {
        tsl_csr_free(out);
        return tsl_fail_memory(context, 8 * s.parts * m->columns, "transposing a matrix");
    }
    count_columns(&s, out->row_start, threads);
    scatter_rows(out, &s, threads);
    tsl_release(s.next);
    return TSL_OK;
}
