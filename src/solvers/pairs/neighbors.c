/* Neighbours: counted, then filled, by the device. */
#include <stdlib.h>

#include "core/core.h"
#include "device/device.h"
#include "solvers/pairs/search.h"

/* Rows, and memory for what will be in them. */
static tsl_status count(tsl_search *s, tsl_neighbors *out)
{
    const int64_t precision = s->task.precision;
    int64_t found;
    tsl_status status = TSL_OK;
    TSL_TRY(tsl_search_count(s));
    TSL_TRY(
        s->context->ops->download(s->context, out->indptr, s->task.first, 8 * (out->count + 1)));
    found = out->indptr[out->count];
    out->indices = tsl_allocate((size_t)(4 * found));
    out->distances = s->options.indices_only ? NULL : tsl_allocate((size_t)(precision * found));
    if (out->indices == NULL || (!s->options.indices_only && out->distances == NULL)) {
        return tsl_fail_memory(s->context, found * (4 + precision), "neighbours");
    }
done:
    return status;
}

static tsl_status fill(tsl_search *s, tsl_neighbors *out)
{
    const int64_t found = out->indptr[out->count];
    const int64_t precision = s->task.precision;
    const tsl_device_ops *const ops = s->context->ops;
    const bool wanted = out->distances != NULL;
    tsl_status status = TSL_OK;
    if (ops == &tsl_device_cpu) { /* its memory is the host's */
        s->task.indices = out->indices;
        s->task.distances = out->distances;
        return ops->pairs->fill_neighbors(s->context, &s->task);
    }
    TSL_TRY(tsl_search_reserve(s, TSL_ROOM_INDICES, 4 * found, "neighbours"));
    if (wanted) {
        TSL_TRY(tsl_search_reserve(s, TSL_ROOM_DISTANCES, precision * found,
                                   "distances of neighbours"));
    }
    s->task.indices = s->room[TSL_ROOM_INDICES];
    s->task.distances = s->room[TSL_ROOM_DISTANCES];
    TSL_TRY(ops->pairs->fill_neighbors(s->context, &s->task));
    TSL_TRY(ops->download(s->context, out->indices, s->task.indices, 4 * found));
    if (wanted) {
        TSL_TRY(ops->download(s->context, out->distances, s->task.distances, precision * found));
    }
done:
    return status;
}

static tsl_status read_order(tsl_search *s, tsl_neighbors *out)
{
    const int64_t bytes = 4 * out->count;
    out->order = tsl_allocate((size_t)bytes);
    return out->order == NULL
               ? tsl_fail_memory(s->context, bytes, "an order of points")
               : s->context->ops->download(s->context, out->order, s->task.order, bytes);
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
    int64_t longest = 1;
    for (int64_t i = 0; i < out->count; i++) {
        const int64_t length = out->indptr[i + 1] - out->indptr[i];
        longest = length > longest ? length : longest;
    }
    neighbor *row = tsl_allocate((size_t)longest * sizeof *row);
    if (row == NULL) {
        return tsl_fail_memory(s->context, longest * (int64_t)sizeof *row, "a row");
    }
    for (int64_t i = 0; i < out->count; i++) {
        const int64_t from = out->indptr[i], length = out->indptr[i + 1] - from;
        for (int64_t k = 0; k < length; k++) {
            row[k].index = out->indices[from + k];
            row[k].distance = out->distances == NULL   ? 0
                              : s->task.precision == 4 ? (double)((float *)out->distances)[from + k]
                                                       : ((double *)out->distances)[from + k];
        }
        qsort(row, (size_t)length, sizeof *row, compare);
        for (int64_t k = 0; k < length; k++) {
            out->indices[from + k] = row[k].index;
            if (out->distances != NULL && s->task.precision == 4) {
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

static tsl_status run(tsl_search *s, tsl_neighbors *out, const tsl_points *points)
{
    double times[4] = {tsl_seconds()};
    tsl_status status = TSL_OK;
    out->indptr = tsl_allocate_zeroed((size_t)out->count + 1, sizeof *out->indptr);
    if (out->indptr == NULL) {
        return tsl_fail_memory(s->context, 8 * out->count, "rows of neighbours");
    }
    if (out->count == 0) {
        return TSL_OK;
    }
    TSL_TRY(tsl_search_open(s, points));
    tsl_profile_add(s->context, "sort into cells", times[0], 0, 0);
    times[1] = tsl_seconds();
    TSL_TRY(count(s, out));
    tsl_profile_add(s->context, "count neighbours", times[1], 0, 0);
    times[2] = tsl_seconds();
    TSL_TRY(fill(s, out));
    tsl_profile_add(s->context, "list neighbours", times[2], 0, 0);
    times[3] = tsl_seconds();
    if (s->options.in_cells) {
        TSL_TRY(read_order(s, out));
    }
    if (s->options.sorted) {
        TSL_TRY(sort_rows(s, out));
    }
    for (int k = 0; k < 3; k++) {
        out->cells[k] = s->task.cells[k];
        out->seconds[k] = times[k + 1] - times[k];
    }
done:
    return status;
}

tsl_status tsl_neighbors_find(tsl_neighbors *out, tsl_context *context,
                              const tsl_neighbor_options *options, const tsl_points *points)
{
    tsl_neighbors found = {.count = points->count, .cells = {1, 1, 1}};
    tsl_search search;
    tsl_status status = tsl_search_check(&search, context, options, points);
    if (status == TSL_OK) {
        status = run(&search, &found, points);
    }
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
        tsl_release(neighbors->order);
        *neighbors = (tsl_neighbors){.indptr = NULL};
    }
}

/* ---- neighbours that stay on the device ----------------------------------------------------- */

struct tsl_neighbor_plan {
    tsl_search search;
};

tsl_status tsl_neighbor_plan_create(tsl_neighbor_plan **out, tsl_context *context,
                                    const tsl_neighbor_options *options, int64_t count,
                                    int dimensions, int precision)
{
    const tsl_points points = {.count = count, .dimensions = dimensions, .precision = precision};
    tsl_status status = TSL_OK;
    *out = NULL;
    if (options->sorted) {
        return tsl_fail(context, TSL_E_ARG,
                        "neighbours that stay on the device are not sorted within a row: leave "
                        "that out");
    }
    tsl_neighbor_plan *plan = tsl_allocate_zeroed(1, sizeof *plan);
    if (plan == NULL) {
        return tsl_fail_memory(context, (int64_t)sizeof *plan, "a search");
    }
    plan->search.context = context;
    TSL_TRY(tsl_search_check(&plan->search, context, options, &points));
    TSL_TRY(
        tsl_search_reserve(&plan->search, TSL_ROOM_FIRST, 8 * (count + 1), "rows of neighbours"));
    *out = plan;
    return TSL_OK;
done:
    tsl_neighbor_plan_destroy(plan);
    return status;
}

void tsl_neighbor_plan_destroy(tsl_neighbor_plan *plan)
{
    if (plan != NULL) {
        tsl_search_close(&plan->search);
        tsl_release(plan);
    }
}

static tsl_status execute(tsl_neighbor_arrays *out, tsl_search *s, const void *points)
{
    tsl_neighbor_task *const task = &s->task;
    tsl_status status = TSL_OK;
    TSL_TRY(tsl_search_sort(s, points));
    TSL_TRY(tsl_search_count(s));
    TSL_TRY(s->context->ops->download(s->context, &out->entries, task->first + task->n, 8));
    TSL_TRY(tsl_search_reserve(s, TSL_ROOM_INDICES, 4 * out->entries, "neighbours"));
    if (!s->options.indices_only) {
        TSL_TRY(tsl_search_reserve(s, TSL_ROOM_DISTANCES, task->precision * out->entries,
                                   "distances of neighbours"));
    }
    task->indices = s->room[TSL_ROOM_INDICES];
    task->distances = s->room[TSL_ROOM_DISTANCES];
    TSL_TRY(s->context->ops->pairs->fill_neighbors(s->context, task));
done:
    return status;
}

tsl_status tsl_neighbor_plan_execute(tsl_neighbor_arrays *out, tsl_neighbor_plan *plan,
                                     const tsl_buffer *points)
{
    tsl_search *const s = &plan->search;
    const tsl_neighbor_task *const task = &s->task;
    const int64_t bytes = task->n * task->dimensions * task->precision;
    tsl_neighbor_arrays made = {.entries = 0};
    tsl_status status = TSL_OK;
    if (task->n == 0) {
        status = s->context->ops->fill(s->context, s->room[TSL_ROOM_FIRST], 0, 8);
    } else if (tsl_buffer_bytes(points) < bytes) {
        return tsl_fail(s->context, TSL_E_ARG,
                        "a buffer of %lld bytes for %lld points: give %lld bytes",
                        (long long)tsl_buffer_bytes(points), (long long)task->n, (long long)bytes);
    } else {
        status = execute(&made, s, tsl_buffer_data(points));
    }
    if (status == TSL_OK) {
        made.order = task->order;
        made.indptr = s->room[TSL_ROOM_FIRST];
        made.indices = task->indices;
        made.distances = task->distances;
        for (int k = 0; k < 3; k++) {
            made.cells[k] = task->cells[k];
        }
        *out = made;
    }
    return status;
}
