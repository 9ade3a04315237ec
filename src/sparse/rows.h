/* Matrices in host memory that are made row by row, by all threads. Each row is made by one of
 * them, so that its sums have one order. */
#ifndef TSL_SPARSE_ROWS_H
#define TSL_SPARSE_ROWS_H

#include <string.h>

#include "blocks/sparse/sparse.h"
#include "core/core.h"

/* ---- a row in the making ------------------------------------------------------------------------
 */

typedef struct tsl_row_sum {
    double value; /* 0 where the row has no entry */
    int64_t row;  /* `number` of the last that had one */
} tsl_row_sum;

enum { TSL_ROW_WAITING = 256, TSL_ROW_SHORT = 8 };

/* Entries that are added up by their columns. They wait in a list, so that one loop adds them, in
 * their order. */
typedef struct tsl_row {
    tsl_row_sum *sum; /* [columns] */
    int64_t number;   /* of this row, from 1 on */
    int64_t count;    /* of distinct columns, … */
    int32_t *column;  /* [columns + 1]: in the order in which they came */
    int64_t waiting;
    int32_t waiting_column[TSL_ROW_WAITING + TSL_ROW_SHORT];
    double waiting_value[TSL_ROW_WAITING + TSL_ROW_SHORT];
} tsl_row;

/* Of a zeroed one: an empty row. False: no memory. */
bool tsl_row_begin(tsl_row *row, int64_t columns);
void tsl_row_free(tsl_row *row);

/* Whether a column is new is as good as random, so that a branch on it would be foretold wrongly:
 * each is written behind the others, which only counts if it is. */
static inline int64_t tsl_row_add_up(tsl_row *row, double scale, const int32_t *column,
                                     const double *value, int64_t entries)
{
    tsl_row_sum *sum = row->sum;
    int32_t *columns = row->column;
    const int64_t number = row->number;
    int64_t count = row->count;
    for (int64_t k = 0; k < entries; k++) {
        const int32_t c = column[k];
        const bool is_new = sum[c].row != number;
        sum[c].value += scale * value[k];
        sum[c].row = number;
        columns[count] = c;
        count += is_new;
    }
    row->count = count;
    return count;
}

/* Add those that wait: then `column`, `count` and `sum` are current. */
static inline void tsl_row_settle(tsl_row *row)
{
    tsl_row_add_up(row, 1, row->waiting_column, row->waiting_value, row->waiting);
    row->waiting = 0;
}

/* Add an entry, if `there`. */
static inline void tsl_row_add(tsl_row *row, int32_t column, double value, bool there)
{
    if (row->waiting == TSL_ROW_WAITING) {
        tsl_row_settle(row);
    }
    row->waiting_column[row->waiting] = column;
    row->waiting_value[row->waiting] = value;
    row->waiting += there;
}

/* Add `scale` times the entries of a run; there are TSL_ROW_SHORT - 1 places behind it. Short ones
 * are copied whatever their length, and wait. */
static inline void tsl_row_add_run(tsl_row *row, double scale, const int32_t *column,
                                   const double *value, int64_t count)
{
    if (count > TSL_ROW_SHORT || row->waiting + count > TSL_ROW_WAITING) {
        tsl_row_settle(row);
        tsl_row_add_up(row, scale, column, value, count);
        return;
    }
    double scaled[TSL_ROW_SHORT];
    for (int k = 0; k < TSL_ROW_SHORT; k++) {
        scaled[k] = scale * value[k];
    }
    memcpy(row->waiting_value + row->waiting, scaled, sizeof scaled);
    memcpy(row->waiting_column + row->waiting, column, TSL_ROW_SHORT * sizeof *column);
    row->waiting += count;
}

/* ---- rows that follow each other ----------------------------------------------------------------
 */

typedef struct tsl_rows {
    int64_t *start;  /* [rows + 1] */
    int32_t *column; /* [entries], and TSL_ROW_SHORT - 1 places more */
    double *value;
    int64_t room;           /* for entries */
    int64_t rows, row_room; /* those there are; and room for so many */
    void *owned[3];         /* start, column and value, but those that were lent */
} tsl_rows;

/* Memory from elsewhere, for so many rows and entries. */
void tsl_rows_lend(tsl_rows *rows, int64_t *start, int64_t count, int32_t *column, double *value,
                   int64_t entries);
/* None yet, but room for so many; memory is kept. */
bool tsl_rows_begin(tsl_rows *rows, int64_t count);
/* Room for so many entries. */
bool tsl_rows_widen(tsl_rows *rows, int64_t entries);
void tsl_rows_free(tsl_rows *rows);

/* Behind the last; `row`, which is settled, is empty then. */
static inline bool tsl_rows_append(tsl_rows *rows, tsl_row *row)
{
    const int64_t from = rows->start[rows->rows];
    const int64_t count = row->count;
    if (from + count > rows->room && !tsl_rows_widen(rows, 2 * (from + count))) {
        return false;
    }
    int32_t *restrict column = rows->column + from;
    double *restrict value = rows->value + from;
    for (int64_t k = 0; k < count; k++) {
        const int32_t c = row->column[k];
        column[k] = c;
        value[k] = row->sum[c].value;
        row->sum[c].value = 0;
    }
    rows->start[++rows->rows] = from + count;
    row->number++;
    row->count = 0;
    return true;
}

/* ---- matrices -----------------------------------------------------------------------------------
 */

/* Put columns in ascending order. */
void tsl_sort_columns(int32_t *column, int64_t count);

/* The transposed matrix; columns ascend. */
tsl_status tsl_csr_transpose(tsl_csr *out, tsl_context *context, const tsl_csr *m);

#endif
