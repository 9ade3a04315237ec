/* What the files of `tesela fft` share. */
#ifndef TSL_CLI_FFT_COMMAND_H
#define TSL_CLI_FFT_COMMAND_H

#include "blocks/fft/study.h"
#include "cli/shared/cli.h"

enum { FFT_LIST = 64 };

/* A list of whole numbers, or of places in a table of names. */
typedef struct fft_list {
    int count; /* 0: not given */
    int value[FFT_LIST];
} fft_list;

/* Strides that depend on the length n. Other numbers are strides as they are. */
enum { FFT_STRIDE_N = -1, FFT_STRIDE_N2 = -2 };

typedef struct fft_options {
    cli_common common;
    bool asked; /* the word "study" */
    fft_list dimensions, sizes, kinds, precisions, batches, strides;
    int64_t most;
    const char *figure; /* NULL: none */
} fft_options;

typedef struct fft_work {
    const fft_options *options;
    tsl_context *context;
    double begun, setup, compute;
    tsl_fft_case *cases;
    tsl_fft_measurement *rows; /* a measurement for each case */
    int count;
    tsl_fft_study study;
} fft_work;

extern const char *const fft_kind_names[];      /* ended by NULL */
extern const char *const fft_precision_names[]; /* ended by NULL */

int fft_command(const cli_command *self, int argc, char **argv);

/* Lists the cases that the options ask for, one series after the other, into `out` unless that is
 * NULL. Returns their number. *left_out counts further cases that were asked for, but whose arrays
 * pass --most or whose batch is no number of whole groups. */
int fft_cases(tsl_fft_case *out, int *left_out, const fft_options *options);

/* Number of rows whose transforms are wrong. */
int fft_wrong(const fft_work *work);

void fft_print(FILE *stream, const fft_work *work);
tsl_status fft_write_csv(const fft_work *work);
tsl_status fft_write_report(const fft_work *work);

/* Draws the rate of each series over its data, and how often transposing is faster. Kinds of files
 * and errors are those of tsl_figure_write(). */
tsl_status fft_figure(tsl_context *context, const char *path, const char *title,
                      const tsl_fft_study *study);

#endif
