/* What the two files of Matrix Market's reader share; matrix.h has the format. */
#ifndef TSL_IO_MTX_H
#define TSL_IO_MTX_H

#include "io/matrix/matrix.h"

typedef enum tsl_mtx_field {
    TSL_MTX_REAL,
    TSL_MTX_INTEGER,
    TSL_MTX_COMPLEX,
    TSL_MTX_PATTERN
} tsl_mtx_field;

typedef enum tsl_mtx_symmetry {
    TSL_MTX_GENERAL,
    TSL_MTX_SYMMETRIC,
    TSL_MTX_SKEW,
    TSL_MTX_HERMITIAN
} tsl_mtx_symmetry;

typedef struct tsl_mtx_header {
    bool vector;
    bool array;
    tsl_mtx_field field;
    tsl_mtx_symmetry symmetry;
    int64_t rows, columns; /* 0 to 2^31 - 1 */
    int64_t entries;       /* that follow */
    int base;              /* number of the first row and column: 1, or 0 where %%AMGX says so */
    int64_t size_line;     /* its line number */
    int64_t begin;         /* byte after the size line */
} tsl_mtx_header;

/* Read banner, comments and size. */
tsl_status tsl_mtx_read_header(tsl_mtx_header *out, tsl_context *context, const tsl_source *source);

/* The next field of a line that ends at `end`: its length, 0 at the end; *at goes to its start. */
static inline size_t tsl_mtx_next_field(const char **at, const char *end)
{
    const char *p = *at;
    while (p < end && (*p == ' ' || *p == '\t' || *p == '\r')) {
        p++;
    }
    *at = p;
    while (p < end && *p != ' ' && *p != '\t' && *p != '\r') {
        p++;
    }
    return (size_t)(p - *at);
}

/* Larger numbers are read as this one. */
#define TSL_MTX_MOST INT64_C(100000000000000000)

/* Read a number that has only digits, and go past it. */
static inline bool tsl_mtx_take_number(const char **at, const char *end, int64_t *out)
{
    const char *p = *at;
    while (p < end && (*p == ' ' || *p == '\t')) {
        p++;
    }
    const char *first = p;
    int64_t value = 0;
    for (; p < end && *p >= '0' && *p <= '9'; p++) {
        value = value < TSL_MTX_MOST / 10 ? 10 * value + (*p - '0') : TSL_MTX_MOST;
    }
    *at = p;
    *out = value;
    return p > first && (p == end || *p == ' ' || *p == '\t' || *p == '\r');
}

#endif
