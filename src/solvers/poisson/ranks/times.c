#include "solvers/poisson/ranks/times.h"

#include "device/device.h"

const char *tsl_poisson_timed_name(tsl_poisson_timed stage)
{
    static const char *const names[TSL_TIMED] = {
        [TSL_TIMED_EXCHANGE] = "exchange",
        [TSL_TIMED_TO_HOST] = "copies to the host",
        [TSL_TIMED_FROM_HOST] = "copies from the host",
        [TSL_TIMED_ROWS] = "transforms: rows",
        [TSL_TIMED_PLANES] = "transforms: planes",
        [TSL_TIMED_SECOND] = "transforms: second axis",
        [TSL_TIMED_FIRST] = "transforms: first axis",
        [TSL_TIMED_FIRST_FUSED] = "first axis, spectrum",
        [TSL_TIMED_SPECTRUM] = "spectrum",
        [TSL_TIMED_PACKING] = "packing",
        [TSL_TIMED_WAITING] = "waiting for ranks",
        [TSL_TIMED_OTHER] = "other",
    };
    return names[stage];
}

void tsl_poisson_end_stage(tsl_poisson_times *times, tsl_context *where, tsl_poisson_timed stage,
                           int64_t bytes)
{
    if (times == NULL) {
        return;
    }
    where->ops->synchronize(where);
    const double now = tsl_seconds();
    times->seconds[stage] += now - times->last;
    times->bytes[stage] += bytes;
    times->calls[stage]++;
    times->last = now;
}
