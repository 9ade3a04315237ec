#include "bench.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "blocks/fft/fft.h"
#include "core/config.h"
#include "device/device.h"

static int ascending(const void *left, const void *right)
{
    const double a = *(const double *)left;
    const double b = *(const double *)right;
    return (a > b) - (a < b);
}

double bench_median(const bench_times *times, int count)
{
    double sorted[BENCH_REPEATS];
    memcpy(sorted, times->ms, (size_t)count * sizeof *sorted);
    qsort(sorted, (size_t)count, sizeof *sorted, ascending);
    return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
}

tsl_status bench_triad_memory(double **out, tsl_context *context)
{
    const int64_t length = 3 * (int64_t)BENCH_TRIAD;
    double *memory = tsl_allocate((size_t)length * sizeof *memory);
    if (memory == NULL) {
        return tsl_fail_memory(context, 8 * length, "the triad");
    }
#pragma omp parallel for num_threads(context->threads) schedule(static)
    for (int64_t i = 0; i < length; i++) {
        memory[i] = 1;
    }
    *out = memory;
    return TSL_OK;
}

double bench_triad(int threads, double *memory)
{
    double *const a = memory;
    const double *const b = memory + BENCH_TRIAD;
    const double *const c = memory + 2 * (int64_t)BENCH_TRIAD;
    const double begun = tsl_seconds();
#pragma omp parallel for simd num_threads(threads) schedule(static)
    for (int64_t i = 0; i < BENCH_TRIAD; i++) {
        a[i] = b[i] + 3 * c[i];
    }
    return 24e-9 * BENCH_TRIAD / (tsl_seconds() - begun);
}

tsl_status bench_report_open(bench_report *report, tsl_context *context, const char *path,
                             const char *benchmark, const char *commit)
{
    tsl_device_properties device;
    tsl_status status = context->ops->properties(context->device, &device);
    if (status == TSL_OK) {
        status = tsl_output_open(&report->output, context, path);
    }
    if (status != TSL_OK) {
        return status;
    }
    char date[16];
    const time_t now = time(NULL);
    struct tm day;
    strftime(date, sizeof date, "%Y-%m-%d", gmtime_r(&now, &day));
    const char *const facts[][2] = {{"benchmark", benchmark},   {"version", tsl_version()},
                                    {"commit", commit},         {"date", date},
                                    {"device", context->name},  {"model", device.model},
                                    {"compiler", TSL_COMPILER}, {"flags", TSL_FLAGS},
                                    {"fft", tsl_fft_library()}};
    tsl_json *json = &report->json;
    tsl_json_begin(json, tsl_output_stream(report->output));
    tsl_json_open_object(json, NULL);
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        tsl_json_string(json, facts[i][0], facts[i][1]);
    }
    tsl_json_integer(json, "hardware_threads", device.threads);
    return TSL_OK;
}

tsl_status bench_report_close(bench_report *report)
{
    tsl_json_close_object(&report->json);
    tsl_json_end(&report->json);
    return tsl_output_commit(report->output);
}
