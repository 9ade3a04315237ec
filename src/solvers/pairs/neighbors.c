/* Neighbours: counted, then filled, by the device. */
#include <stdlib.h>
#include <string.h>

#include "comm/comm.h"
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
        return found > 0 ? ops->pairs->fill_neighbors(s->context, &s->task) : TSL_OK;
    }
    TSL_TRY(tsl_search_reserve(s, TSL_ROOM_INDICES, 4 * found, "neighbours"));
    if (wanted) {
        TSL_TRY(tsl_search_reserve(s, TSL_ROOM_DISTANCES, precision * found,
                                   "distances of neighbours"));
    }
    s->task.indices = s->room[TSL_ROOM_INDICES];
    s->task.distances = s->room[TSL_ROOM_DISTANCES];
    if (found > 0) {
        TSL_TRY(ops->pairs->fill_neighbors(s->context, &s->task));
    }
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

/* ---- ranks ---------------------------------------------------------------------------------- */

/* Rows of all ranks on their way to rank 0. */
typedef struct gathered {
    int32_t *own;                     /* [count]: lengths of this rank's rows */
    int64_t *found, *bytes, *offsets; /* [ranks]: entries of each, and what is gathered */
    int32_t *lengths, *indices;       /* of rank 0: [ranks][count], and entries rank by rank */
    char *distances;                  /* of rank 0: rank by rank; NULL: not wanted */
} gathered;

static tsl_status open_own(gathered *g, tsl_context *context, const tsl_neighbors *out)
{
    const int64_t ranks = context->comm->size;
    g->own = tsl_allocate((size_t)(4 * out->count));
    g->found = tsl_allocate(3 * (size_t)ranks * sizeof *g->found);
    if (g->own == NULL || g->found == NULL) {
        return tsl_fail_memory(context, 4 * out->count + 24 * ranks, "lengths of rows");
    }
    g->bytes = g->found + ranks;
    g->offsets = g->bytes + ranks;
    for (int64_t i = 0; i < out->count; i++) {
        g->own[i] = (int32_t)(out->indptr[i + 1] - out->indptr[i]);
    }
    return TSL_OK;
}

/* What rank 0 receives into; `item` bytes a distance, or 0. */
static tsl_status open_all(gathered *g, tsl_context *context, int64_t count, int64_t item)
{
    const int64_t ranks = context->comm->size;
    int64_t found = 0;
    for (int q = 0; q < ranks; q++) {
        found += g->found[q];
    }
    if (context->comm->rank > 0) {
        return TSL_OK;
    }
    g->lengths = tsl_allocate((size_t)(4 * count * ranks));
    g->indices = tsl_allocate((size_t)(4 * found));
    g->distances = item > 0 ? tsl_allocate((size_t)(item * found)) : NULL;
    return g->lengths == NULL || g->indices == NULL || (item > 0 && g->distances == NULL)
               ? tsl_fail_memory(context, 4 * count * ranks + (4 + item) * found, "neighbours")
               : TSL_OK;
}

/* This rank's array to rank 0: of each rank `items`, or what it found if that is negative. */
static tsl_status gather(const gathered *g, tsl_context *context, void *all, const void *own,
                         int64_t items, int64_t item)
{
    const tsl_comm *const comm = context->comm;
    const tsl_comm_parts parts = {.data = all, .bytes = g->bytes, .offsets = g->offsets};
    int64_t place = 0;
    for (int q = 0; q < comm->size; q++) {
        g->bytes[q] = (items >= 0 ? items : g->found[q]) * item;
        g->offsets[q] = place;
        place += g->bytes[q];
    }
    return tsl_comm_gather(context->comm, NULL, own, g->bytes[comm->rank],
                           comm->rank == 0 ? &parts : NULL, 0);
}

/* Rows of all ranks, of which one alone has entries in each, into one list. */
static void merge(tsl_neighbors *out, const gathered *g, int ranks, int64_t item)
{
    const int64_t n = out->count;
    int64_t from = 0;
    for (int64_t i = 0; i < n; i++) {
        out->indptr[i + 1] = out->indptr[i];
        for (int q = 0; q < ranks; q++) {
            out->indptr[i + 1] += g->lengths[q * n + i];
        }
    }
    for (int q = 0; q < ranks; q++) {
        for (int64_t i = 0; i < n; i++) {
            const int64_t length = g->lengths[q * n + i];
            if (length == 0) {
                continue;
            }
            memcpy(out->indices + out->indptr[i], g->indices + from, (size_t)(4 * length));
            if (item > 0) {
                memcpy((char *)out->distances + item * out->indptr[i], g->distances + item * from,
                       (size_t)(item * length));
            }
            from += length;
        }
    }
}

/* Rank 0's arrays anew, for all entries. */
static tsl_status merge_all(tsl_neighbors *out, tsl_context *context, const gathered *g,
                            int64_t item)
{
    const int ranks = context->comm->size;
    int64_t found = 0;
    for (int q = 0; q < ranks; q++) {
        found += g->found[q];
    }
    tsl_release(out->indices);
    tsl_release(out->distances);
    out->indices = tsl_allocate((size_t)(4 * found));
    out->distances = item > 0 ? tsl_allocate((size_t)(item * found)) : NULL;
    if (out->indices == NULL || (item > 0 && out->distances == NULL)) {
        return tsl_fail_memory(context, (4 + item) * found, "neighbours");
    }
    merge(out, g, ranks, item);
    return TSL_OK;
}

/* Each rank's rows to rank 0; the others keep none. Collective. */
static tsl_status gather_rows(tsl_neighbors *out, tsl_context *context, int64_t item)
{
    tsl_comm *const comm = context->comm;
    gathered g = {.own = NULL};
    tsl_status status = TSL_OK;
    if (comm->size == 1 || out->count == 0) {
        return TSL_OK;
    }
    TSL_TRY(tsl_comm_agree(context, open_own(&g, context, out)));
    TSL_TRY(tsl_comm_gather_records(comm, g.found, &out->indptr[out->count], 8));
    TSL_TRY(tsl_comm_agree(context, open_all(&g, context, out->count, item)));
    TSL_TRY(gather(&g, context, g.lengths, g.own, out->count, 4));
    TSL_TRY(gather(&g, context, g.indices, out->indices, -1, 4));
    if (item > 0) {
        TSL_TRY(gather(&g, context, g.distances, out->distances, -1, item));
    }
    TSL_TRY(tsl_comm_agree(context, comm->rank == 0 ? merge_all(out, context, &g, item) : TSL_OK));
done:
    tsl_release(g.own);
    tsl_release(g.found);
    tsl_release(g.lengths);
    tsl_release(g.indices);
    tsl_release(g.distances);
    return status;
}

/* --------------------------------------------------------------------------------------------- */

/* This rank's rows. */
static tsl_status find_part(tsl_search *s, tsl_neighbors *out, tsl_context *context,
                            const tsl_neighbor_options *options, const tsl_points *points)
{
    double times[4] = {tsl_seconds()};
    tsl_status status = TSL_OK;
    TSL_TRY(tsl_search_check(s, context, options, points));
    out->indptr = tsl_allocate_zeroed((size_t)out->count + 1, sizeof *out->indptr);
    if (out->indptr == NULL) {
        return tsl_fail_memory(s->context, 8 * out->count, "rows of neighbours");
    }
    if (out->count == 0) {
        return TSL_OK;
    }
    TSL_TRY(tsl_search_open(s, points));
    tsl_search_take_part(s);
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
    const int64_t item = options->indices_only ? 0 : points->precision;
    tsl_neighbors found = {.count = points->count, .cells = {1, 1, 1}};
    tsl_search search = {.context = context};
    tsl_status status = TSL_OK;
    TSL_TRY(tsl_pairs_compare_ranks(context));
    TSL_TRY(tsl_comm_agree(context, find_part(&search, &found, context, options, points)));
    TSL_TRY(gather_rows(&found, context, item));
    if (options->sorted && context->comm->rank == 0 && found.count > 0) {
        status = sort_rows(&search, &found);
    }
    TSL_TRY(tsl_comm_agree(context, status));
done:
    tsl_search_close(&search);
    if (status == TSL_OK && context->comm->rank > 0) { /* rank 0 has them all */
        tsl_neighbors_release(&found);
        found.cells[0] = found.cells[1] = found.cells[2] = 1;
    }
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
