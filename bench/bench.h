/* What benchmarks share: medians, and a report that names machine, build and day. */
#ifndef TSL_BENCH_H
#define TSL_BENCH_H

#include "core/core.h"
#include "io/file/output.h"
#include "io/report/json.h"

enum { BENCH_REPEATS = 101 }; /* at most */

/* A time in ms, one number a repeat. */
typedef struct bench_times {
    const char *name;
    double ms[BENCH_REPEATS];
} bench_times;

double bench_median(const bench_times *times, int count);

enum { BENCH_TRIAD = 1 << 24 };

/* Three vectors of BENCH_TRIAD ones, touched first by the threads that use them; tsl_release(). */
tsl_status bench_triad_memory(double **out, tsl_context *context);
/* GB/s of a = b + 3 c in them, counting 24 bytes an element. */
double bench_triad(int threads, double *memory);

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
