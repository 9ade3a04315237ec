/* What the commands of `tesela npb` share. */
#ifndef TSL_CLI_NPB_COMMAND_H
#define TSL_CLI_NPB_COMMAND_H

#include "cli/shared/cli.h"
#include "cli/shared/ranks.h"
#include "tesela/npb.h"

typedef union npb_result {
    tsl_npb_ep ep;
    tsl_npb_cg cg;
} npb_result;

/* The numbers of the closing block and of the report's head. */
typedef struct npb_outcome {
    double size;           /* as NPB counts it */
    int iterations;        /* 0 for EP, as in NPB */
    double seconds;        /* by the benchmark's own clock */
    double mops;           /* 10^6 operations a second, in NPB's count */
    const char *operation; /* "Random numbers generated" */
    bool verified;
} npb_outcome;

/* A benchmark for the command. */
typedef struct npb_benchmark {
    const char *name;    /* "EP" */
    const char *command; /* "npb ep" */
    const char *classes; /* "SWABCDEF" */
    /* Runs it; fills `result` and `outcome`. */
    tsl_status (*run)(npb_result *result, npb_outcome *outcome, tsl_context *context,
                      char size_class);
    /* Prints its results, which stand before the closing block. */
    void (*print)(FILE *stream, const npb_result *result);
    /* Writes the members of "results" beside class, mops and seconds. */
    void (*write)(tsl_json *json, const npb_result *result);
} npb_benchmark;

extern const npb_benchmark npb_ep;
extern const npb_benchmark npb_cg;

/* The descriptions for --help. */
extern const char npb_ep_doc[], npb_cg_doc[];
#define NPB_EP_SUMMARY "pairs of Gaussian deviates: arithmetic alone"
#define NPB_CG_SUMMARY "conjugate gradients with a random sparse matrix: memory alone"

typedef enum npb_timing { NPB_COMPUTE, NPB_THESIS } npb_timing;

typedef struct npb_options {
    cli_common common;
    const npb_benchmark *benchmark;
    char classes[16];     /* "S"; of the ladder a letter for each class */
    bool whole;           /* the whole ladder: `tesela npb ladder` */
    bool ladder;          /* versions of the ladder, in a table */
    const char *variants; /* "V1,V2": the versions of the table; NULL: all */
    int repeat;           /* runs of each version */
    int timing;           /* npb_timing: the clock the table goes by */
} npb_options;

/* The ranks of this process at work. */
typedef struct npb_job {
    const npb_options *options;
    double begun;
    int exit_status;
} npb_job;

/* ---- the ladder (ladder.c, table.c) -------------------------------------------------------- */

enum { NPB_VERSIONS = 16, NPB_CLASSES = 8 };

/* Times of the repeated runs of a version. */
typedef struct npb_clock {
    double mean, spread, least; /* seconds; spread: standard deviation, 0 of a single run */
} npb_clock;

/* A row of the table. */
typedef struct npb_row {
    bool asked, ran;
    npb_clock clocks[2]; /* of each npb_timing */
    double error;        /* the largest of all runs */
    bool verified;       /* all runs were right */
} npb_row;

typedef struct npb_table {
    char size_class;
    npb_row rows[NPB_VERSIONS];
} npb_table;

/* Runs the ladder on all ranks. Returns the exit status. */
int npb_ladder_run(const cli_rank_group *group, const npb_job *job);
/* Choose the versions that --variant names; false if there is no such version, and a message has
 * been printed. */
bool npb_ladder_choose(bool asked[NPB_VERSIONS], const npb_options *options);

/* Print the tables of all classes; write their members of the report. */
void npb_table_print(FILE *stream, const npb_options *options, const cli_rank_group *group,
                     const npb_table *tables, int cores);
void npb_table_write(tsl_json *json, const npb_options *options, const npb_table *tables,
                     int cores);

#endif
