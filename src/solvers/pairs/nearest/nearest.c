/* Nearest points: cells or none, and memory. */
#include <math.h>
#include <string.h>

#include "comm/comm.h"
#include "core/core.h"
#include "core/profile.h"
#include "device/device.h"
#include "solvers/pairs/search.h"

/* Points of a cell, as a share of the candidates of a point; and the number of points from which on
 * cells are worth it. */
static const double share = 0.25;
enum { FEW_POINTS = 64 };

/* Cells of such a size that a box of 3^3 of them has the candidates of most points. */
static double cell_size(const tsl_survey *extent, const tsl_points *points, int keep)
{
    double volume = 1, largest = 0, farthest = 0;
    int axes = 0;
    for (int c = 0; c < points->dimensions; c++) {
        largest = fmax(largest, extent->high[c] - extent->low[c]);
        farthest = fmax(farthest, fmax(fabs(extent->low[c]), fabs(extent->high[c])));
    }
    for (int c = 0; c < points->dimensions; c++) {
        if (extent->high[c] - extent->low[c] > 1e-3 * largest) {
            volume *= extent->high[c] - extent->low[c];
            axes++;
        }
    }
    const double size =
        axes == 0 ? 0 : pow(volume * share * keep / (double)points->count, 1.0 / axes);
    return fmax(size, fmax(1e-3 * farthest, 1e-300)); /* what cells are precise enough for */
}

/* Points as rows in the device's memory. */
static tsl_status send_rows(const void **rows, tsl_search *s, const tsl_points *points)
{
    tsl_context *const context = s->context;
    const int64_t bytes = points->count * points->dimensions * points->precision;
    tsl_status status = TSL_OK;
    if (context->ops == &tsl_device_cpu) {
        *rows = points->values;
        return TSL_OK;
    }
    TSL_TRY(tsl_search_reserve(s, TSL_ROOM_POINTS, bytes, "points"));
    TSL_TRY(context->ops->upload(context, s->room[TSL_ROOM_POINTS], points->values, bytes));
    *rows = s->room[TSL_ROOM_POINTS];
done:
    return status;
}

/* Sort into cells, of which *cells then tells; NULL where all are to be looked at. */
static tsl_status sort(tsl_search *s, const tsl_neighbor_task **cells, tsl_context *context,
                       const tsl_points *points, int keep)
{
    tsl_neighbor_options options = TSL_NEIGHBOR_OPTIONS_INIT;
    tsl_survey extent;
    tsl_status status = TSL_OK;
    *cells = NULL;
    if (points->dimensions > 3 || points->count < FEW_POINTS) {
        return TSL_OK;
    }
    options.cutoff = 1; /* until their extent is known */
    TSL_TRY(tsl_search_check(s, context, &options, points));
    TSL_TRY(send_rows(&s->task.points, s, points));
    TSL_TRY(context->ops->pairs->survey(&extent, context, &s->task, INFINITY));
    s->cutoff = cell_size(&extent, points, keep);
    s->options.cutoff = s->cutoff;
    s->task.cutoff = s->cutoff;
    TSL_TRY(tsl_search_sort(s, s->task.points));
    if (s->cells > 1) {
        *cells = &s->task;
    }
done:
    return status;
}

/* Bytes of points in blocks, or of numbers in two parts. */
static int64_t block_bytes(const tsl_context *context, const tsl_points *points)
{
    const int64_t d = points->dimensions, tile = TSL_NEAREST_TILE, depth = TSL_NEAREST_DEPTH;
    const int64_t blocks = tsl_pairs_block_bytes(points->count, (int)d, points->precision);
    const int64_t parts =
        (points->count + tile - 1) / tile * tile * ((d + depth - 1) / depth * depth) * 4;
    return context->ops == &tsl_device_cpu || points->precision == 8 || blocks > parts ? blocks
                                                                                       : parts;
}

/* Points as rows, and room for blocks, which the CPU's are copied to. */
static tsl_status send(tsl_search *s, tsl_nearest_task *task, const tsl_points *points)
{
    tsl_status status = TSL_OK;
    TSL_TRY(send_rows(&task->rows, s, points));
    TSL_TRY(tsl_search_reserve(s, TSL_ROOM_SORTED, block_bytes(s->context, points),
                               "points in blocks"));
    task->blocks = s->room[TSL_ROOM_SORTED];
    if (s->context->ops == &tsl_device_cpu) {
        tsl_pairs_copy_blocks(task->blocks, points->values, points->count, points->dimensions,
                              points->precision);
        return TSL_OK;
    }
    TSL_TRY(tsl_search_reserve(s, TSL_ROOM_OWN, points->dimensions * 4, "a centre"));
    task->centre = s->room[TSL_ROOM_OWN];
done:
    return status;
}

/* What GPUs need besides, in rooms that sorting into cells does not use. */
static tsl_status reserve(tsl_search *s, tsl_nearest_task *task)
{
    const int64_t n = task->n, tile = TSL_NEAREST_TILE;
    tsl_status status = TSL_OK;
    TSL_TRY(tsl_search_reserve(s, TSL_ROOM_RADII, (n + tile - 1) / tile * tile * task->precision,
                               "lengths of points"));
    TSL_TRY(tsl_search_reserve(s, TSL_ROOM_MORE, n * task->precision, "squares"));
    TSL_TRY(tsl_search_reserve(s, TSL_ROOM_RESULT, 8, "a length"));
    TSL_TRY(tsl_search_reserve(s, TSL_ROOM_COUNTS, 4 * n * task->keep, "candidates"));
    TSL_TRY(tsl_search_reserve(s, TSL_ROOM_FIRST, 4 * (n + 1), "doubtful points"));
    TSL_TRY(tsl_search_reserve(s, TSL_ROOM_INDICES, 4 * n * task->k, "nearest points"));
    TSL_TRY(tsl_search_reserve(s, TSL_ROOM_DISTANCES, n * task->k * task->precision,
                               "distances of nearest points"));
    task->norms = s->room[TSL_ROOM_RADII];
    task->worst = s->room[TSL_ROOM_MORE];
    task->longest = s->room[TSL_ROOM_RESULT];
    task->candidates = s->room[TSL_ROOM_COUNTS];
    task->doubtful = s->room[TSL_ROOM_FIRST];
    task->indices = s->room[TSL_ROOM_INDICES];
    task->distances = s->room[TSL_ROOM_DISTANCES];
done:
    return status;
}

/* Where a rank's share of the places begins; that of as many ranks as there are is the end. */
static int64_t share_of(int64_t n, int rank, int ranks)
{
    const int64_t tile = TSL_NEAREST_TILE;
    const int64_t begin = tile * tsl_comm_slice((n + tile - 1) / tile, rank, ranks);
    return begin < n ? begin : n;
}

/* Take this rank's share, and how many candidates a point has. All numbers have been checked. */
static void take_share(tsl_nearest_task *task, const tsl_comm *comm)
{
    task->keep = task->k + TSL_NEAREST_SPARE;
    task->begin = share_of(task->n, comm->rank, comm->size);
    task->end = share_of(task->n, comm->rank + 1, comm->size);
    task->first_tile = (int)(task->begin / TSL_NEAREST_TILE);
}

/* Where results go: on the CPU to the caller's arrays. */
static tsl_status choose_results(tsl_search *s, tsl_nearest_task *task, int32_t *indices,
                                 void *distances)
{
    tsl_status status = TSL_OK;
    if (s->context->ops != &tsl_device_cpu) {
        return reserve(s, task);
    }
    task->indices = indices;
    task->distances = distances;
    if (distances == NULL) {
        TSL_TRY(tsl_search_reserve(s, TSL_ROOM_DISTANCES, task->n * task->k * task->precision,
                                   "distances of nearest points"));
        task->distances = s->room[TSL_ROOM_DISTANCES];
    }
done:
    return status;
}

/* This rank's share. */
static tsl_status run(tsl_search *s, tsl_nearest_task *task, int32_t *indices, void *distances,
                      const tsl_points *points)
{
    tsl_context *const context = s->context;
    const int64_t n = points->count, some = task->end - task->begin;
    const tsl_neighbor_task *cells;
    double begun = tsl_seconds();
    tsl_status status = TSL_OK;
    TSL_TRY(sort(s, &cells, context, points, task->keep));
    if (cells == NULL) {
        TSL_TRY(send(s, task, points));
    } else {
        task->rows = cells->points;
        task->order = cells->order;
    }
    TSL_TRY(choose_results(s, task, indices, distances));
    if (cells == NULL) { /* sorting into cells is part of it */
        begun = tsl_seconds();
    }
    TSL_TRY(some > 0 ? context->ops->pairs->nearest->find(context, task, cells) : TSL_OK);
    tsl_profile_add(context, "nearest points", begun, n * points->dimensions * points->precision,
                    cells != NULL ? 0 : 2 * n * some * points->dimensions);
    if (context->ops != &tsl_device_cpu) {
        TSL_TRY(context->ops->download(context, indices, task->indices, 4 * n * task->k));
        if (distances != NULL) {
            TSL_TRY(context->ops->download(context, distances, task->distances,
                                           n * task->k * points->precision));
        }
    }
done:
    return status;
}

static tsl_status find_part(tsl_search *s, tsl_nearest_task *task, int32_t *indices,
                            void *distances, tsl_context *context, const tsl_points *points)
{
    if (task->k < 1 || task->k > TSL_NEAREST_MOST) {
        return tsl_fail(context, TSL_E_ARG, "%d nearest points: give 1 to %d", task->k,
                        TSL_NEAREST_MOST);
    }
    if (points->count < 0 || points->count > INT32_MAX || points->dimensions < 1 ||
        (points->precision != 4 && points->precision != 8)) {
        return tsl_fail(context, TSL_E_ARG,
                        "%lld points of %d coordinates of %d bytes: give at most 2147483647 of 4 "
                        "or 8",
                        (long long)points->count, points->dimensions, points->precision);
    }
    take_share(task, context->comm);
    const tsl_status status =
        tsl_pairs_check_points(context, points, points->name != NULL ? points->name : "a");
    return status == TSL_OK && points->count > 0 ? run(s, task, indices, distances, points)
                                                 : status;
}

/* ---- ranks ---------------------------------------------------------------------------------- */

/* Rows of all ranks on their way to rank 0. */
typedef struct gathered {
    int32_t *order;           /* [n]; NULL: every point is in its own place */
    char *own;                /* this rank's rows, place by place */
    char *all;                /* of rank 0: everybody's */
    int64_t *bytes, *offsets; /* [ranks] */
} gathered;

/* Room for rows of `bytes` bytes. */
static tsl_status open_gathered(gathered *g, tsl_context *context, const tsl_nearest_task *task,
                                int64_t bytes)
{
    const int ranks = context->comm->size;
    const int64_t own = (task->end - task->begin) * bytes;
    const int64_t all = context->comm->rank == 0 ? task->n * bytes : 0;
    g->own = tsl_allocate((size_t)own);
    g->all = tsl_allocate((size_t)all);
    g->bytes = tsl_allocate(2 * (size_t)ranks * sizeof *g->bytes);
    g->order = task->order != NULL ? tsl_allocate((size_t)(4 * task->n)) : NULL;
    if (g->own == NULL || g->all == NULL || g->bytes == NULL ||
        (task->order != NULL && g->order == NULL)) {
        return tsl_fail_memory(context, own + all + 4 * task->n, "nearest points of ranks");
    }
    g->offsets = g->bytes + ranks;
    return task->order != NULL ? context->ops->download(context, g->order, task->order, 4 * task->n)
                               : TSL_OK;
}

/* Rows, of `bytes` bytes each, of all ranks into rank 0's. Collective. */
static tsl_status gather(const gathered *g, tsl_context *context, char *rows, int64_t bytes,
                         const tsl_nearest_task *task)
{
    tsl_comm *const comm = context->comm;
    const tsl_comm_parts parts = {g->all, g->bytes, g->offsets};
    tsl_status status = TSL_OK;
    for (int64_t p = task->begin; p < task->end; p++) {
        const int64_t i = g->order != NULL ? g->order[p] : p;
        memcpy(g->own + (p - task->begin) * bytes, rows + i * bytes, (size_t)bytes);
    }
    for (int q = 0; q < comm->size; q++) {
        g->offsets[q] = share_of(task->n, q, comm->size) * bytes;
        g->bytes[q] = share_of(task->n, q + 1, comm->size) * bytes - g->offsets[q];
    }
    TSL_TRY(tsl_comm_gather(comm, NULL, g->own, g->bytes[comm->rank],
                            comm->rank == 0 ? &parts : NULL, 0));
    for (int64_t p = 0; p < task->n && comm->rank == 0; p++) {
        const int64_t i = g->order != NULL ? g->order[p] : p;
        memcpy(rows + i * bytes, g->all + p * bytes, (size_t)bytes);
    }
done:
    return status;
}

static tsl_status gather_rows(int32_t *indices, void *distances, tsl_context *context,
                              const tsl_nearest_task *task)
{
    const int64_t wide = task->precision > 4 && distances != NULL ? task->precision : 4;
    gathered g = {.own = NULL};
    tsl_status status = TSL_OK;
    TSL_TRY(tsl_comm_agree(context, open_gathered(&g, context, task, wide * task->k)));
    TSL_TRY(gather(&g, context, (char *)indices, 4 * (int64_t)task->k, task));
    if (distances != NULL) {
        TSL_TRY(gather(&g, context, distances, (int64_t)task->precision * task->k, task));
    }
done:
    tsl_release(g.order);
    tsl_release(g.own);
    tsl_release(g.all);
    tsl_release(g.bytes);
    return status;
}

/* --------------------------------------------------------------------------------------------- */

tsl_status tsl_nearest_find(int32_t *indices, void *distances, tsl_context *context, int k,
                            const tsl_points *points)
{
    tsl_search search = {.context = context};
    tsl_nearest_task task = {.precision = points->precision,
                             .dimensions = points->dimensions,
                             .k = k,
                             .n = points->count};
    tsl_status status = TSL_OK;
    TSL_TRY(tsl_pairs_compare_ranks(context));
    TSL_TRY(
        tsl_comm_agree(context, find_part(&search, &task, indices, distances, context, points)));
    if (context->comm->size > 1 && points->count > 0) {
        TSL_TRY(gather_rows(indices, distances, context, &task));
    }
done:
    tsl_search_close(&search);
    return status;
}
