/* `tesela pairs ladder`: what is measured, and what is told of it. */
#ifndef TSL_CLI_PAIRS_LADDER_H
#define TSL_CLI_PAIRS_LADDER_H

#include "blocks/simplex/simplex.h"
#include "cli/pairs/command.h"

enum {
    LADDER_SIZES = 11, /* 128 to 131072 */
    LADDER_FORMS = 4,
    LADDER_PERSISTENT = TSL_MAPS, /* kinds beside the maps of one grid */
    LADDER_NESTED = TSL_MAPS + 1,
    LADDER_PACKED = TSL_MAPS + 2,
    LADDER_KINDS = TSL_MAPS + 3,
    LADDER_MOST = 32768,
    LADDER_CHECKED = 2048, /* cells a side up to which every one is looked at */
    LADDER_LEAVES = 6,     /* leaves of nested grids that are tried: 256 to 8192 cells */
    LADDER_TRIALS = LADDER_LEAVES + TSL_NESTED_WAYS
};

typedef struct ladder_options {
    cli_common common;
    int most; /* 0: LADDER_MOST or, on NVIDIA GPUs, the largest */
    int repeats, leaf;
    double seconds;
    const char *output, *figure; /* NULL: none */
} ladder_options;

/* Seconds of a run: the median, the fifth and the ninety-fifth of a hundred. */
typedef struct ladder_times {
    int runs;
    double median, low, high;
} ladder_times;

typedef struct ladder_row {
    int64_t n;
    int form, kind;
    double fill; /* seconds of a fill of as many bytes */
    ladder_times times;
} ladder_row;

/* A way to run nested grids, in blocks of 16 x 16. */
typedef struct ladder_trial {
    int64_t n;
    int leaf; /* cells */
    tsl_nested_way way;
    int64_t grids;
    ladder_times times;
} ladder_trial;

typedef struct ladder_work {
    const ladder_options *options;
    tsl_context *context;
    int64_t most;        /* cells a side that are asked for */
    int64_t memory_free; /* bytes of the device before anything is measured */
    double begun, compute;
    FILE *stream; /* where rows are told as they come; NULL: nowhere */
    tsl_buffer *cells, *grids;
    int rows, trials, left_out;
    bool right;
    ladder_row row[LADDER_SIZES * LADDER_FORMS * LADDER_KINDS];
    ladder_trial trial[LADDER_TRIALS];
} ladder_work;

/* Print the head of the table, a row of it as it comes, and a way to run nested grids. */
void ladder_print_head(const ladder_work *work);
void ladder_print_row(const ladder_work *work, const ladder_row *row);
void ladder_print_trial(const ladder_work *work, const ladder_trial *trial);

/* Tell all that was asked for, files included. */
tsl_status ladder_tell(const ladder_work *work);

bool ladder_is_cpu(const ladder_work *work);

#endif
