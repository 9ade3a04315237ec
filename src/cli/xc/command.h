/* What the files of `tesela xc` share. */
#ifndef TSL_CLI_XC_COMMAND_H
#define TSL_CLI_XC_COMMAND_H

#include "cli/shared/cli.h"
#include "solvers/xc/xc.h"

/* Points unless --points says how many. */
#define XC_CHECK_POINTS 10000
#define XC_BENCH_POINTS 1000000
#define XC_STUDY_POINTS 10000000
#define XC_STUDY_REPEATS 100

typedef enum xc_task { XC_LIST, XC_EVAL, XC_CHECK, XC_BENCH, XC_STUDY, XC_TASKS } xc_task;

typedef struct xc_options {
    cli_common common;
    xc_task task;
    const char *functional;
    const char *input, *output; /* NULL: none */
    bool spin, allow_libxc;
    int order;
    int points;  /* of check, for each case; of bench and study the largest number */
    int repeats; /* times that a study measures each kernel */
    tsl_xc_options plan;
} xc_options;

/* Writes the name of a component into `text`: "rho_a", "vsigma_ab", "v2rhosigma_a_bb". */
void xc_component_name(char *text, size_t bytes, const tsl_xc_row *row, int polarised,
                       int component);

/* Device memory for all inputs and outputs of `points` points, each component's points together. */
typedef struct xc_memory {
    tsl_context *context;
    double *data;
    int64_t points;
    int inputs, outputs;
    tsl_xc_arrays arrays;
} xc_memory;

tsl_status xc_memory_create(xc_memory *out, tsl_context *context, int64_t points,
                            tsl_xc_family family, int polarised, int order);
void xc_memory_destroy(xc_memory *memory);

/* Upload inputs as of xc_make_points(). */
tsl_status xc_memory_fill(const xc_memory *memory, tsl_xc_family family, int polarised);

/* Inputs component by component, [inputs][points], of a made-up density: that of a molecule of
 * water built of exponentials, at points around its atoms; polarised with three of five electrons
 * up. */
void xc_make_points(double *in, int64_t points, tsl_xc_family family, int polarised);

/* The tasks. Each returns its exit status. */
int xc_list(const xc_options *options);
int xc_eval(const xc_options *options, tsl_context *context);
int xc_check(const xc_options *options, tsl_context *context);
int xc_bench(const xc_options *options, tsl_context *context);
int xc_study(const xc_options *options, tsl_context *context);

#endif
