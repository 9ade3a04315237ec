/* How long work on a device takes. */
#include <stdlib.h>

#include "device/device.h"

enum { REPEATS = 5, MOST_RUNS = 200 };

/* Seconds of one of `runs` runs in a row. */
static tsl_status time_runs(double *seconds, tsl_context *context, tsl_work work, void *arguments,
                            int runs)
{
    const double begun = tsl_seconds();
    tsl_status status = TSL_OK;
    for (int i = 0; i < runs && status == TSL_OK; i++) {
        status = work(arguments);
    }
    if (status == TSL_OK) {
        status = context->ops->synchronize(context);
    }
    *seconds = (tsl_seconds() - begun) / runs;
    return status;
}

static int ascending(const void *left, const void *right)
{
    const double a = *(const double *)left;
    const double b = *(const double *)right;
    return (a > b) - (a < b);
}

/* So many runs follow each other that the clock can tell their time, and that the work of one hides
 * the start of the next. */
tsl_status tsl_device_time(double *seconds, tsl_context *context, tsl_work work, void *arguments,
                           double shortest)
{
    double times[REPEATS];
    tsl_status status = time_runs(&times[0], context, work, arguments, 1);
    const double wanted = shortest / (times[0] + 1e-9);
    const int runs = wanted < 1 ? 1 : wanted > MOST_RUNS ? MOST_RUNS : (int)wanted;
    for (int i = 0; i < REPEATS && status == TSL_OK; i++) {
        status = time_runs(&times[i], context, work, arguments, runs);
    }
    if (status == TSL_OK) {
        qsort(times, REPEATS, sizeof *times, ascending);
        *seconds = times[REPEATS / 2];
    }
    return status;
}
