/* The figure of bandwidth over message size. */
#include "cli/comm/command.h"
#include "io/report/plot.h"

tsl_status comm_figure(tsl_context *context, const char *path, const char *title,
                       const tsl_comm_measurement *measurements, int count)
{
    tsl_plot_curve curves[TSL_MEASURED];
    int colours[TSL_MEASURED];
    tsl_plot plot = {.title = title,
                     .x = {"message, bytes", TSL_PLOT_PREFIXES},
                     .y = {"bytes a second", TSL_PLOT_PREFIXES},
                     .curve = curves,
                     .colours = colours,
                     .marks = true};
    int colour = 0; /* each operation has a colour of its own, whatever others are drawn */
    double *points = tsl_allocate(((size_t)count + 1) * 2 * sizeof *points);
    if (points == NULL) {
        return tsl_fail_memory(context, count * (int64_t)(2 * sizeof *points), "a figure");
    }
    double *bytes = points;
    double *rates = points + count;
    for (int operation = 0; operation < TSL_MEASURED; operation++) {
        int found = 0;
        for (int i = 0; i < count; i++) {
            const tsl_comm_measurement *m = &measurements[i];
            if ((int)m->operation == operation && m->sent > 0) {
                bytes[found] = (double)m->bytes;
                rates[found++] = m->bandwidth;
            }
        }
        if (found > 0) {
            colours[plot.curves] = colour;
            curves[plot.curves++] =
                (tsl_plot_curve){tsl_measured_name((tsl_measured)operation), found, bytes, rates};
        }
        colour += tsl_measured_has_bytes((tsl_measured)operation);
        bytes += found;
        rates += found;
    }
    const tsl_status status = tsl_plot_write(context, path, &plot);
    tsl_release(points);
    return status;
}
