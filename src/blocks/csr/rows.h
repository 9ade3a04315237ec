/* Matrices in host memory that are made row by row, by all threads. Each row is made by one of
 * them, so that its sums have one order. */
#ifndef TSL_SPARSE_ROWS_H
#define TSL_SPARSE_ROWS_H

#include "blocks/csr/sparse.h"
#include "core/core.h"

/* ---- a row in the making ------------------------------------------------------------------------
 */

/* Entries that are added up by their columns. In a loop, a copy of it stays in registers. */
typedef struct tsl_row_place {
    double sum;    /* 0 where the row has no entry */
    uint64_t last; /* `number` of the last row that had one */
} tsl_row_place;

typedef struct tsl_row {
    tsl_row_place *place; /* [columns] */
    uint64_t number;      /* of this row, from 1 on */
    int64_t count;        /* of distinct columns */
    uint32_t *column;     /* [columns + 1]: in the order in which they came */
} tsl_row;

/* Make a zeroed struct an empty row. False: there is no memory. */
bool tsl_row_begin(tsl_row *row, int64_t columns);
void tsl_row_free(tsl_row *row);

/* Add an entry. Whether a column is new is as good as random, so that a branch on it
 * would be foretold wrongly: each is written behind the others, which only counts if it is. */
static inline void tsl_row_add(tsl_row *row, uint32_t column, double value)
{
    tsl_row_place *place = &row->place[column];
    place->sum += value;
    row->column[row->count] = column;
    row->count += place->last < row->number;
    place->last = row->number;
}

/* Add `scale` times so many entries. */
static inline void tsl_row_add_up(tsl_row *row, double scale, const uint32_t *column,
                                  const double *value, int64_t entries)
{
    for (int64_t k = 0; k < entries; k++) {
        tsl_row_add(row, column[k], scale * value[k]);
    }
}

/* A row that has been made: its values, and behind them its columns. */
typedef struct tsl_made_row {
    const char *entries;
    int64_t count;
} tsl_made_row;

static inline const double *tsl_made_values(const tsl_made_row *made)
{
    return (const double *)(const void *)made->entries;
}
static inline const uint32_t *tsl_made_columns(const tsl_made_row *made)
{
    return (const uint32_t *)(const void *)(made->entries + 8 * made->count);
}
static inline int64_t tsl_made_bytes(int64_t count)
{
    return (12 * count + 7) / 8 * 8;
}

/* Add `scale` times such a row. */
static inline void tsl_row_add_made(tsl_row *row, double scale, const tsl_made_row *made)
{
    tsl_row_add_up(row, scale, tsl_made_columns(made), tsl_made_values(made), made->count);
}

/* Take the row's entries, of which there are row->count; it is empty then. */
static inline void tsl_row_take(tsl_row *row, uint32_t *restrict column, double *restrict value)
{
    for (int64_t k = 0; k < row->count; k++) {
        const uint32_t c = row->column[k];
        column[k] = c;
        value[k] = row->place[c].sum;
        row->place[c].sum = 0;
    }
    row->number++;
    row->count = 0;
}

/* ---- matrices -----------------------------------------------------------------------------------
 */

/* Put columns in ascending order. */
void tsl_sort_columns(uint32_t *column, int64_t count);

/* The transposed matrix; columns ascend. */
tsl_status tsl_csr_transpose(tsl_csr *out, tsl_context *context, const tsl_csr *m);

#endif
