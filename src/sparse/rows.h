/* Matrices in host memory that are made row by row, by all threads. Each row is made by one of
 * them, so that its sums have one order. */
#ifndef TSL_SPARSE_ROWS_H
#define TSL_SPARSE_ROWS_H

#include "blocks/sparse/sparse.h"
#include "core/core.h"

enum { TSL_NO_ENTRY = -1 };

/* A row in the making: its entries in the order in which their columns came. */
typedef struct tsl_row {
    int64_t first;  /* column of place[0] */
    int64_t places; /* columns there are places for */
    int32_t *place; /* [places]: number of a column's entry, TSL_NO_ENTRY: none */
    int32_t count, room;
    int32_t *column; /* [room] */
    double *value;   /* [room] */
} tsl_row;

/* An empty row with columns from `first` on, so many. False: no memory. */
bool tsl_row_begin(tsl_row *row, int64_t first, int64_t columns);
void tsl_row_clear(tsl_row *row);
void tsl_row_free(tsl_row *row);
/* Room for so many entries more. */
bool tsl_row_widen(tsl_row *row, int64_t more);

/* There is room. */
static inline void tsl_row_add(tsl_row *row, int32_t column, double value)
{
    const int32_t k = row->place[column - row->first];
    if (k != TSL_NO_ENTRY) {
        row->value[k] += value;
        return;
    }
    row->place[column - row->first] = row->count;
    row->column[row->count] = column;
    row->value[row->count++] = value;
}

/* Rows that follow each other; columns ascend. */
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
/* Room for so many entries. */
bool tsl_rows_widen(tsl_rows *rows, int64_t entries);
/* Behind the last. */
bool tsl_rows_append(tsl_rows *rows, const tsl_row *row);
void tsl_rows_free(tsl_rows *rows);

/* What makes the rows of a matrix. */
typedef struct tsl_row_maker {
    const void *self;
    int64_t state_bytes; /* of a thread: zeroed */
    /* Rows from … to - 1 are next; NULL: nothing to do. False: no memory. */
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
