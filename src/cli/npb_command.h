/* What `tesela npb ep` and `tesela npb cg` share. */
#ifndef TSL_CLI_NPB_COMMAND_H
#define TSL_CLI_NPB_COMMAND_H

#include "cli/cli.h"
#include "tesela/npb.h"

typedef union npb_result {
    tsl_npb_ep ep;
    tsl_npb_cg cg;
} npb_result;

/* The closing block, and the head of the report. */
typedef struct npb_outcome {
    double size;           /* as NPB counts it */
    int iterations;        /* 0 for EP, as NPB has it */
    double seconds;        /* of the benchmark's own clock */
    double mops;           /* 10^6 operations a second, in NPB's count */
    const char *operation; /* "Random numbers generated" */
    bool verified;
} npb_outcome;

/* A benchmark as the command sees it. */
typedef struct npb_benchmark {
    const char *name;    /* "EP" */
    const char *command; /* "npb ep" */
    const char *classes; /* "SWABCDEF" */
    const char *doc;     /* of --help */
    /* Run it; fills `result` and `outcome`. */
    tsl_status (*run)(npb_result *result, npb_outcome *outcome, tsl_context *context,
                      char size_class);
    /* Its results before the closing block. */
    void (*print)(FILE *stream, const npb_result *result);
    /* Members of "results" beside class, mops and seconds. */
    void (*write)(tsl_json *json, const npb_result *result);
} npb_benchmark;

extern const npb_benchmark npb_ep;
extern const npb_benchmark npb_cg;

#endif
