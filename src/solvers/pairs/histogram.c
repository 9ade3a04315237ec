/* Histograms of distances. */
#include <math.h>

#include "comm/comm.h"
#include "core/core.h"
#include "device/device.h"
#include "solvers/pairs/ranges.h"
#include "solvers/pairs/search.h"

/* Counts of pairs, each once, to those of both its orders; edges; and the distribution. */
static void normalise(tsl_histogram *out, const tsl_histogram_options *options, int64_t points)
{
    const double others = (double)points - (options->finite != 0);
    for (int b = 0; b <= out->bins; b++) {
        out->edges[b] = options->to * b / out->bins;
    }
    for (int b = 0; b < out->bins; b++) {
        const double low = out->edges[b], high = out->edges[b + 1];
        const double shell = 4 * M_PI / 3 * (high * high * high - low * low * low);
        out->counts[b] *= 2;
        if (out->g != NULL) {
            const double even = (double)points * others / out->volume * shell;
            out->g[b] = even > 0 ? (double)out->counts[b] / even : 0;
        }
    }
}

static tsl_status run(tsl_search *s, tsl_histogram *out, double scale, const tsl_points *points)
{
    tsl_context *context = s->context;
    const int64_t bytes = 8 * (int64_t)out->bins;
    int64_t *counts;
    tsl_status status = TSL_OK;
    TSL_TRY(tsl_search_open(s, points));
    tsl_search_take_part(s);
    TSL_TRY(tsl_search_reserve(s, TSL_ROOM_RESULT, bytes, "counts of pairs"));
    counts = s->room[TSL_ROOM_RESULT];
    TSL_TRY(context->ops->fill(context, counts, 0, bytes));
    if (s->task.begin < s->task.end) {
        TSL_TRY(context->ops->pairs->histogram(context, &s->task, out->bins, scale, counts));
    }
    TSL_TRY(context->ops->download(context, out->counts, counts, bytes));
done:
    return status;
}

static tsl_status make_bins(tsl_histogram *out, tsl_context *context, const double *box)
{
    out->volume = box != NULL ? box[0] * box[1] * box[2] : 0;
    out->edges = tsl_allocate(((size_t)out->bins + 1) * sizeof *out->edges);
    out->counts = tsl_allocate_zeroed((size_t)out->bins, sizeof *out->counts);
    out->g = box != NULL ? tsl_allocate((size_t)out->bins * sizeof *out->g) : NULL;
    return out->edges == NULL || out->counts == NULL || (box != NULL && out->g == NULL)
               ? tsl_fail_memory(context, 24 * (int64_t)out->bins, "bins")
               : TSL_OK;
}

/* What this rank can do alone. */
static tsl_status count_part(tsl_histogram *out, tsl_context *context,
                             const tsl_histogram_options *options, const tsl_points *points)
{
    tsl_neighbor_options find = TSL_NEIGHBOR_OPTIONS_INIT;
    tsl_search search;
    tsl_status status = TSL_OK;
    find.cutoff = options->to;
    find.box = options->box;
    find.direct = options->direct;
    TSL_TRY(tsl_search_check(&search, context, &find, points));
    TSL_TRY(make_bins(out, context, options->box));
    if (points->count > 0) {
        const double begun = tsl_seconds();
        TSL_TRY(run(&search, out, (double)options->bins / options->to, points));
        tsl_profile_add(context, "sort and count", begun, 0, 0);
    }
done:
    tsl_search_close(&search);
    return status;
}

tsl_status tsl_histogram_count(tsl_histogram *out, tsl_context *context,
                               const tsl_histogram_options *options, const tsl_points *points)
{
    tsl_histogram made = {.bins = options->bins};
    tsl_status status =
        tsl_pairs_check_size(context, options->size, sizeof *options, "TSL_HISTOGRAM_OPTIONS_INIT");
    if (status != TSL_OK) {
        return status;
    }
    if (options->bins < 1 || options->bins > TSL_HISTOGRAM_MOST_BINS) {
        return tsl_fail(context, TSL_E_ARG, "%d bins: give 1 to %d", options->bins,
                        TSL_HISTOGRAM_MOST_BINS);
    }
    TSL_TRY(tsl_pairs_compare_ranks(context));
    TSL_TRY(tsl_comm_agree(context, count_part(&made, context, options, points)));
    TSL_TRY(tsl_comm_all_reduce(context->comm, NULL, made.counts, made.bins, TSL_COMM_INT64,
                                TSL_COMM_SUM));
    normalise(&made, options, points->count);
    *out = made;
    return TSL_OK;
done:
    tsl_histogram_release(&made);
    return status;
}

void tsl_histogram_release(tsl_histogram *histogram)
{
    if (histogram != NULL) {
        tsl_release(histogram->edges);
        tsl_release(histogram->counts);
        tsl_release(histogram->g);
        *histogram = (tsl_histogram){.bins = 0};
    }
}
