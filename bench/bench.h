/* What benchmarks share: medians, and a report that names machine, build and day. */
#ifndef TSL_BENCH_H
#define TSL_BENCH_H

#include "core/core.h"
#include "io/json.h"
#include "io/output.h"

enum { BENCH_REPEATS = 101 }; /* at most */

/* A time in ms, one number a repeat. */
typedef struct bench_times {
    const char *name;
    double ms[BENCH_REPEATS];
} bench_times;

double bench_median(const bench_times *times, int count);

/* A report under way. */
typedef struct bench_report {
    tsl_output *output;
    tsl_json json;
} bench_report;

/* Begin the report at `path` with what it is about; the object stays open for results.
 * `commit` may be NULL. */
tsl_status bench_report_open(bench_report *report, tsl_context *context, const char *path,
                             const char *benchmark, const char *commit);
tsl_status bench_report_close(bench_report *report);

#endif
