/* Matrices in host memory that are made row by row, by all threads. Each row is made by one of
 * them, so that its sums have one order. */
#ifndef TSL_SPARSE_ROWS_H
#define TSL_SPARSE_ROWS_H

#include "blocks/sparse/sparse.h"
#include "core/core.h"

enum { TSL_ROW_PADS = 16 };

/* A row in the making: a sum for each column, and those that were added to, in the order in which
 * they came. */
typedef struct tsl_row {
    int64_t columns;
    double *sum; /* [columns + TSL_ROW_PADS]: 0 where nothing was added; behind the columns, what is
                    added for padding: zeros */
    bool *has;   /* likewise; of padding true */
    int64_t count, room;
    int32_t *column; /* [room] */
} tsl_row;

/* An empty row of so many columns. False: no memory. */
bool tsl_row_begin(tsl_row *row, int64_t columns);
void tsl_row_free(tsl_row *row);
/* Room for so many columns more. */
bool tsl_row_widen(tsl_row *row, int64_t more);
/* Put the columns in ascending order. */
void tsl_row_sort(tsl_row *row);

/* There is room. No branches: whether a column is new cannot be foreseen. */
static inline void tsl_row_add(tsl_row *row, int32_t column, double value)
{
    row->column[row->count] = column;
    row->count += !row->has[column];
    row->has[column] = true;
    row->sum[column] += value;
}

/* Rows that follow each other. */
typedef struct tsl_rows {
    int64_t first;          /* row of start[0] */
    int64_t rows, row_room; /* those there are; and room for so many */
    int64_t *start;         /* [rows + 1] */
    int32_t *column;        /* [entries] */
    double *value;
    int64_t room; /* for entries */
} tsl_rows;

/* None yet, from row `first` on; memory is kept. */
bool tsl_rows_begin(tsl_rows *rows, int64_t first, int64_t count);
/* `count` rows from row `first` on are next: of those there are, what comes before is dropped. */
bool tsl_rows_advance(tsl_rows *rows, int64_t first, int64_t count);
/* Room for so many entries. */
bool tsl_rows_widen(tsl_rows *rows, int64_t entries);
/* Behind the last; `row` is empty then. */
bool tsl_rows_append(tsl_rows *rows, tsl_row *row);
/* Fill up the last row, of so many columns, to whole groups, so that loops over its entries have
 * lengths that hardly change. Of padding there is more than one column, for each sum waits for the
 * one before. */
enum { TSL_ROWS_GROUP = 4 };
bool tsl_rows_pad(tsl_rows *rows, int64_t columns);
void tsl_rows_free(tsl_rows *rows);

/* What makes the rows of a matrix. */
typedef struct tsl_row_maker {
    const void *self;
    int64_t state_bytes; /* of a thread: zeroed */
    /* Rows from … to - 1 are next, most often behind those before; NULL: nothing to do. False: no
     * memory. */
    bool (*begin)(void *state, const void *self, int64_t from, int64_t to);
    bool (*make)(void *state, const void *self, tsl_row *out, int64_t i); /* out is empty */
    void (*end)(void *state);                                             /* NULL likewise */
    int64_t bands;   /* of rows, at most; 0: no limit */
    int64_t entries; /* as many as there may be, in all: room for more is taken when it is needed */
    const char *what;
} tsl_row_maker;

/* Make a matrix; columns ascend. */
tsl_status tsl_rows_make(tsl_csr *out, tsl_context *context, int64_t rows, int64_t columns,
                         const tsl_row_maker *maker);

/* The transposed matrix; columns ascend. */
tsl_status tsl_csr_transpose(tsl_csr *out, tsl_context *context, const tsl_csr *m);

#endif
