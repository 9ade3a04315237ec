/* Neighbours: counted, then filled, by the device. */
#include <stdlib.h>

#include "core/core.h"
#include "device/device.h"
#include "solvers/pairs/search.h"

/* Rows from their lengths, which indptr [1 to n] holds. */
static tsl_status count(tsl_search *s, tsl_neighbors *out)
{
    const int64_t n = s->points->count;
    int64_t *indptr = out->indptr;
    void *counts = NULL;
    tsl_status status = tsl_search_place(s, &counts, NULL, 8 * n, "counts of neighbours");
    s->task.counts = counts;
    if (status == TSL_OK) {
        status = s->context->ops->pairs->count_neighbors(s->context, &s->task);
    }
    if (status == TSL_OK) {
        status = s->context->ops->download(s->context, indptr + 1, s->task.counts, 8 * n);
    }
    indptr[0] = 0;
    for (int64_t i = 0; i < n && status == TSL_OK; i++) {
        s->task.longest = indptr[i + 1] > s->task.longest ? indptr[i + 1] : s->task.longest;
        indptr[i + 1] += indptr[i];
    }
    return status;
}

static tsl_status fill(tsl_search *s, tsl_neighbors *out)
{
    const int64_t found = out->indptr[out->count];
    const int64_t precision = s->points->precision;
    void *first = NULL, *indices = NULL, *distances = NULL;
    out->indices = tsl_allocate((size_t)(4 * found));
    const bool wanted = !s->options->indices_only;
    out->distances = wanted ? tsl_allocate((size_t)(precision * found)) : NULL;
    if (out->indices == NULL || (wanted && out->distances == NULL)) {
        return tsl_fail_memory(s->context, found * (4 + precision), "neighbours");
    }
    if (s->context->ops == &tsl_device_cpu) { /* its memory is the host's */
        s->task.first = out->indptr;
        s->task.indices = out->indices;
        s->task.distances = out->distances;
        return s->context->ops->pairs->fill_neighbors(s->context, &s->task);
    }
    tsl_status status =
        tsl_search_place(s, &first, out->indptr, 8 * out->count, "rows of neighbours");
    if (status == TSL_OK) {
        status = tsl_search_place(s, &indices, NULL, 4 * found, "neighbours");
    }
    if (status == TSL_OK && wanted) {
        status =
            tsl_search_place(s, &distances, NULL, precision * found, "distances of neighbours");
    }
    s->task.first = first;
    s->task.indices = indices;
    s->task.distances = distances;
    if (status == TSL_OK) {
        status = s->context->ops->pairs->fill_neighbors(s->context, &s->task);
    }
    if (status == TSL_OK) {
        status = s->context->ops->download(s->context, out->indices, indices, 4 * found);
    }
    if (status == TSL_OK && wanted) {
        status =
            s->context->ops->download(s->context, out->distances, distances, precision * found);
    }
    return status;
}

/* ---- rows in ascending order ---------------------------------------------------------------- */

typedef struct neighbor {
    int32_t index;
    double distance;
} neighbor;

static int compare(const void *a, const void *b)
{
    const neighbor *const left = a, *const right = b;
    return (left->index > right->index) - (left->index < right->index);
}

static tsl_status sort_rows(const tsl_search *s, tsl_neighbors *out)
{
    neighbor *row = tsl_allocate((size_t)s->task.longest * sizeof *row);
    if (row == NULL && s->task.longest > 0) {
        return tsl_fail_memory(s->context, s->task.longest * (int64_t)sizeof *row, "a row");
    }
    for (int64_t i = 0; i < out->count; i++) {
        const int64_t from = out->indptr[i], length = out->indptr[i + 1] - from;
        for (int64_t k = 0; k < length; k++) {
            row[k].index = out->indices[from + k];
            row[k].distance = out->distances == NULL ? 0
                              : s->points->precision == 4
                                  ? (double)((float *)out->distances)[from + k]
                                  : ((double *)out->distances)[from + k];
        }
        qsort(row, (size_t)length, sizeof *row, compare);
        for (int64_t k = 0; k < length; k++) {
            out->indices[from + k] = row[k].index;
            if (out->distances != NULL && s->points->precision == 4) {
                ((float *)out->distances)[from + k] = (float)row[k].distance;
            } else if (out->distances != NULL) {
                ((double *)out->distances)[from + k] = row[k].distance;
            }
        }
    }
    tsl_release(row);
    return TSL_OK;
}

/* --------------------------------------------------------------------------------------------- */

static tsl_status run(tsl_search *s, tsl_neighbors *out)
{
    double times[4] = {tsl_seconds()};
    out->indptr = tsl_allocate_zeroed((size_t)out->count + 1, sizeof *out->indptr);
    if (out->indptr == NULL) {
        return tsl_fail_memory(s->context, 8 * out->count, "rows of neighbours");
    }
    if (out->count == 0) {
        return TSL_OK;
    }
    tsl_status status = tsl_search_open(s);
    times[1] = tsl_seconds();
    if (status == TSL_OK) {
        status = count(s, out);
    }
    times[2] = tsl_seconds();
    if (status == TSL_OK) {
        status = fill(s, out);
    }
    times[3] = tsl_seconds();
    if (status == TSL_OK && s->options->sorted) {
        status = sort_rows(s, out);
    }
    for (int k = 0; k < 3; k++) {
        out->cells[k] = s->task.cells[k];
        out->seconds[k] = times[k + 1] - times[k];
    }
    return status;
}

tsl_status tsl_neighbors_find(tsl_neighbors *out, tsl_context *context,
                              const tsl_neighbor_options *options, const tsl_points *points)
{
    tsl_neighbors found = {.count = points->count, .cells = {1, 1, 1}};
    tsl_search search;
    tsl_status status = tsl_search_check(&search, context, options, points);
    if (status != TSL_OK) {
        return status;
    }
    status = run(&search, &found);
    tsl_search_close(&search);
    if (status != TSL_OK) {
        tsl_neighbors_release(&found);
        return status;
    }
    *out = found;
    return TSL_OK;
}

void tsl_neighbors_release(tsl_neighbors *neighbors)
{
    if (neighbors != NULL) {
        tsl_release(neighbors->indptr);
        tsl_release(neighbors->indices);
        tsl_release(neighbors->distances);
        *neighbors = (tsl_neighbors){.indptr = NULL};
    }
}
