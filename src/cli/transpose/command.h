/* What the files of `tesela transpose` share. */
#ifndef TSL_CLI_TRANSPOSE_COMMAND_H
#define TSL_CLI_TRANSPOSE_COMMAND_H

#include "blocks/transpose/measure.h"
#include "blocks/transpose/transpose.h"
#include "cli/shared/cli.h"

typedef struct transpose_options {
    cli_common common;
    tsl_transpose_options transpose; /* shape[0] = 0: not given; element 0: not given */
    bool study;
    const char *input, *output; /* NULL: none */
} transpose_options;

/* A transposition that was measured or done. */
typedef struct transpose_row {
    tsl_permutation permutation;
    int tile, per_thread; /* of a study */
    tsl_transpose_result result;
} transpose_row;

enum { TRANSPOSE_ROWS = 128 };

typedef struct transpose_work {
    transpose_options *options;
    tsl_context *context;
    double begun, setup, compute;
    int64_t bytes;       /* of the array */
    double copy_seconds; /* of a copy of it; 0: not measured */
    transpose_row rows[TRANSPOSE_ROWS];
    int count;
} transpose_work;

int transpose_command(const cli_command *self, int argc, char **argv);

/* Transpose a file (file.c). */
tsl_status transpose_file(transpose_work *work);

/* 1: all rows that were checked are right; 0: one is not; -1: none was checked. */
int transpose_verified(const transpose_work *work);

void transpose_print(FILE *stream, const transpose_work *work);
tsl_status transpose_write_report(const transpose_work *work, const char *path);

#endif
