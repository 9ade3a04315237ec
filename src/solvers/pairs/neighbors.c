/* Neighbours: points sorted into cells, then counted and filled by the device. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/core.h"
#include "device/device.h"
#include "solvers/pairs/pairs.h"

/* Cells at most: a few a point; and what rounding may put beside its cell, of a cut-off. */
enum { CELLS_A_POINT = 2, MOST_CELLS = 1 << 30 };
static const double slack = 1e-3;

/* What is being made. */
typedef struct search {
    tsl_context *context;
    const tsl_neighbor_options *options;
    const tsl_points *points;
    double cutoff;           /* or twice the largest radius */
    double low[3], width[3]; /* of open space; of a periodic cell its perpendicular widths */
    tsl_neighbor_task task;
    int64_t cells;
    void *host[3], *radii;         /* sorted, on the host */
    int32_t *order, *cell, *start; /* likewise */
    void *device[11];              /* all that is on the device */
    int devices;
    tsl_neighbors *out;
} search;

static double coordinate(const tsl_points *points, int64_t i, int axis)
{
    if (axis >= points->dimensions) {
        return 0;
    }
    const int64_t e = i * points->dimensions + axis;
    return points->precision == 4 ? (double)((const float *)points->values)[e]
                                  : ((const double *)points->values)[e];
}

static double radius(const search *s, int64_t i)
{
    return s->points->precision == 4 ? (double)((const float *)s->options->radii)[i]
                                     : ((const double *)s->options->radii)[i];
}

/* ---- what is asked for ---------------------------------------------------------------------- */

static tsl_status check_box(search *s)
{
    const double *b = s->options->box;
    if (b == NULL) {
        return TSL_OK;
    }
    if (s->points->dimensions != 3) {
        return tsl_fail(s->context, TSL_E_ARG,
                        "a periodic cell of points of %d coordinates: give three",
                        s->points->dimensions);
    }
    for (int k = 0; k < 6; k++) {
        if (!isfinite(b[k]) || (k < 3 && !(b[k] > 0))) {
            return tsl_fail(s->context, TSL_E_ARG,
                            "number %d of the cell is %g: give lengths above 0 and finite tilts",
                            k + 1, b[k]);
        }
    }
    /* a width is the volume over the area of the face that the other two edges span */
    const double volume = b[0] * b[1] * b[2];
    const double yz[3] = {b[1] * b[2], b[3] * b[2], b[3] * b[5] - b[4] * b[1]};
    s->width[0] = volume / sqrt(yz[0] * yz[0] + yz[1] * yz[1] + yz[2] * yz[2]);
    s->width[1] = volume / (b[0] * sqrt(b[2] * b[2] + b[5] * b[5]));
    s->width[2] = b[2];
    for (int k = 0; k < 3; k++) {
        if (s->cutoff > s->width[k] / 2) {
            return tsl_fail(s->context, TSL_E_ARG,
                            "a cut-off of %g is more than half of the cell's width along %c, %g: a "
                            "point would have two images of another within it",
                            s->cutoff, "xyz"[k], s -> width[k]);
        }
    }
    return TSL_OK;
}

static tsl_status check(search *s)
{
    const tsl_points *p = s->points;
    if (p->count < 0 || p->count > INT32_MAX || p->dimensions < 1 || p->dimensions > 3 ||
        (p->precision != 4 && p->precision != 8)) {
        return tsl_fail(s->context, TSL_E_ARG,
                        "%lld points of %d coordinates of %d bytes: neighbours are for at most "
                        "2147483647 points of 1 to 3 coordinates of 4 or 8 bytes",
                        (long long)p->count, p->dimensions, p->precision);
    }
    s->cutoff = s->options->cutoff;
    if (s->options->radii != NULL) {
        s->cutoff = 0;
        for (int64_t i = 0; i < p->count; i++) {
            if (!(radius(s, i) >= 0 && isfinite(radius(s, i)))) {
                return tsl_fail(s->context, TSL_E_ARG, "radius %lld is %g: give 0 or more",
                                (long long)(i + 1), radius(s, i));
            }
            s->cutoff = fmax(s->cutoff, 2 * radius(s, i));
        }
    } else if (!(s->cutoff > 0 && isfinite(s->cutoff))) {
        return tsl_fail(s->context, TSL_E_ARG, "a cut-off of %g: give more than 0", s->cutoff);
    }
    const tsl_status status = check_box(s);
    return status == TSL_OK ? tsl_pairs_check_points(s->context, p, p->name != NULL ? p->name : "a")
                            : status;
}

/* Rounding must not put a point further from its cell than `slack` cut-offs. */
static tsl_status check_extent(search *s)
{
    const double most = s->cutoff * (s->points->precision == 4 ? 1e4 : 1e6);
    for (int64_t i = 0; i < s->points->count && s->cutoff > 0; i++) {
        for (int k = 0; k < s->points->dimensions; k++) {
            if (fabs(coordinate(s->points, i, k)) > most) {
                return tsl_fail(
                    s->context, TSL_E_ARG,
                    "%s: row %lld, column %d is %g: more than %g from the origin, where a "
                    "cut-off of %g drowns in rounding: shift the points, or give them in "
                    "double precision",
                    s->points->name != NULL ? s->points->name : "a", (long long)(i + 1), k + 1,
                    coordinate(s->points, i, k), most, s->cutoff);
            }
        }
    }
    return TSL_OK;
}

/* ---- cells ---------------------------------------------------------------------------------- */

static void choose_cells(search *s)
{
    tsl_neighbor_task *task = &s->task;
    const bool periodic = s->options->box != NULL;
    const int64_t n = s->points->count;
    for (int k = 0; k < 3; k++) {
        double low = INFINITY, high = -INFINITY;
        for (int64_t i = 0; i < n && !periodic; i++) {
            low = fmin(low, coordinate(s->points, i, k));
            high = fmax(high, coordinate(s->points, i, k));
        }
        if (!periodic) {
            s->low[k] = low;
            s->width[k] = high - low;
        }
        const double most = s->cutoff > 0 ? s->width[k] / (s->cutoff * (1 + slack)) : 1;
        task->cells[k] = most < 1 || s->options->direct ? 1 : most > 1e6 ? 1000000 : (int)most;
    }
    /* fewer, larger ones where points are few */
    for (int64_t allowed = n * CELLS_A_POINT + 27;;) {
        const double all = (double)task->cells[0] * task->cells[1] * task->cells[2];
        int widest = 0;
        for (int k = 1; k < 3; k++) {
            widest = task->cells[k] > task->cells[widest] ? k : widest;
        }
        if (all <= (double)allowed && all <= MOST_CELLS) {
            break;
        }
        task->cells[widest] = (task->cells[widest] + 1) / 2;
    }
    for (int k = 0; k < 3; k++) {
        if (periodic && task->cells[k] < 3) {
            task->cells[k] = 1; /* a cell would be its own neighbour on both sides */
        }
    }
    s->cells = (int64_t)task->cells[0] * task->cells[1] * task->cells[2];
}

static int cell_along(double share, int cells)
{
    const int at = (int)(share * cells);
    return at < 0 ? 0 : at >= cells ? cells - 1 : at;
}

static int cell_of(const search *s, int64_t i)
{
    const int *cells = s->task.cells;
    const double *b = s->options->box;
    double at[3], share[3];
    for (int k = 0; k < 3; k++) {
        at[k] = coordinate(s->points, i, k);
        share[k] = s->width[k] > 0 ? (at[k] - s->low[k]) / s->width[k] : 0;
    }
    if (b != NULL) {
        share[2] = at[2] / b[2];
        share[1] = (at[1] - share[2] * b[5]) / b[1];
        share[0] = (at[0] - share[1] * b[3] - share[2] * b[4]) / b[0];
        for (int k = 0; k < 3; k++) {
            share[k] -= floor(share[k]);
        }
    }
    return (cell_along(share[0], cells[0]) * cells[1] + cell_along(share[1], cells[1])) * cells[2] +
           cell_along(share[2], cells[2]);
}

/* Points in the order of their cells, those of a cell in their own. */
static tsl_status sort_points(search *s)
{
    const int64_t n = s->points->count;
    const int precision = s->points->precision;
    int32_t *own = tsl_allocate((size_t)n * sizeof *own);
    s->order = tsl_allocate((size_t)n * sizeof *s->order);
    s->cell = tsl_allocate((size_t)n * sizeof *s->cell);
    s->start = tsl_allocate_zeroed((size_t)s->cells + 2, sizeof *s->start);
    bool room = own != NULL && s->order != NULL && s->cell != NULL && s->start != NULL;
    for (int k = 0; k < 3; k++) {
        s->host[k] = tsl_allocate((size_t)(n * precision));
        room &= s->host[k] != NULL;
    }
    if (s->options->radii != NULL) {
        s->radii = tsl_allocate((size_t)(n * precision));
        room &= s->radii != NULL;
    }
    if (!room) {
        tsl_release(own);
        return tsl_fail_memory(s->context, n * (12 + 3 * precision) + s->cells * 4, "cells");
    }
    for (int64_t i = 0; i < n; i++) {
        own[i] = cell_of(s, i);
        s->start[own[i] + 2]++;
    }
    for (int64_t c = 2; c < s->cells + 2; c++) {
        s->start[c] += s->start[c - 1];
    }
    for (int64_t i = 0; i < n; i++) {
        const int32_t to = s->start[own[i] + 1]++;
        s->order[to] = (int32_t)i;
        s->cell[to] = own[i];
        for (int k = 0; k < 3; k++) {
            if (precision == 4) {
                ((float *)s->host[k])[to] = (float)coordinate(s->points, i, k);
            } else {
                ((double *)s->host[k])[to] = coordinate(s->points, i, k);
            }
        }
        if (s->radii != NULL) {
            memcpy((char *)s->radii + (int64_t)to * precision,
                   (const char *)s->options->radii + i * precision, (size_t)precision);
        }
    }
    tsl_release(own);
    return TSL_OK;
}

/* ---- on the device -------------------------------------------------------------------------- */

/* Memory there, with a copy of `data` unless that is NULL. */
static tsl_status place(search *s, void **out, const void *data, int64_t bytes, const char *what)
{
    tsl_status status = tsl_device_allocate(out, s->context, bytes > 0 ? bytes : 1, what);
    if (status == TSL_OK) {
        s->device[s->devices++] = *out;
    }
    if (status == TSL_OK && data != NULL) {
        status = s->context->ops->upload(s->context, *out, data, bytes);
    }
    return status;
}

static tsl_status send(search *s)
{
    tsl_neighbor_task *task = &s->task;
    const int64_t n = s->points->count;
    const int64_t bytes = n * s->points->precision;
    void *at = NULL;
    tsl_status status = TSL_OK;
    for (int k = 0; k < 3 && status == TSL_OK; k++) {
        status = place(s, &at, s->host[k], bytes, "sorted points");
        task->at[k] = at;
    }
    if (status == TSL_OK && s->radii != NULL) {
        status = place(s, &at, s->radii, bytes, "radii");
        task->radii = at;
    }
    if (status == TSL_OK) {
        status = place(s, &at, s->order, 4 * n, "an order of points");
        task->order = at;
    }
    if (status == TSL_OK) {
        status = place(s, &at, s->cell, 4 * n, "cells of points");
        task->cell = at;
    }
    if (status == TSL_OK) {
        status = place(s, &at, s->start, 4 * (s->cells + 1), "cells");
        task->start = at;
    }
    if (status == TSL_OK) {
        status = place(s, &at, NULL, 8 * n, "counts of neighbours");
        task->counts = at;
    }
    return status;
}

/* Rows from their lengths, which indptr [1 to n] holds. */
static tsl_status count(search *s)
{
    const int64_t n = s->points->count;
    int64_t *indptr = s->out->indptr;
    tsl_status status = s->context->ops->pairs->count_neighbors(s->context, &s->task);
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

static tsl_status fill(search *s)
{
    tsl_neighbors *out = s->out;
    const int64_t found = out->indptr[out->count];
    const int64_t precision = s->points->precision;
    void *first = NULL, *indices = NULL, *distances = NULL;
    out->indices = tsl_allocate((size_t)(4 * found));
    out->distances = tsl_allocate((size_t)(precision * found));
    if (out->indices == NULL || out->distances == NULL) {
        return tsl_fail_memory(s->context, found * (4 + precision), "neighbours");
    }
    tsl_status status = place(s, &first, out->indptr, 8 * out->count, "rows of neighbours");
    if (status == TSL_OK) {
        status = place(s, &indices, NULL, 4 * found, "neighbours");
    }
    if (status == TSL_OK) {
        status = place(s, &distances, NULL, precision * found, "distances of neighbours");
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
    if (status == TSL_OK) {
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

static tsl_status sort_rows(search *s)
{
    tsl_neighbors *out = s->out;
    neighbor *row = tsl_allocate((size_t)s->task.longest * sizeof *row);
    if (row == NULL && s->task.longest > 0) {
        return tsl_fail_memory(s->context, s->task.longest * (int64_t)sizeof *row, "a row");
    }
    for (int64_t i = 0; i < out->count; i++) {
        const int64_t from = out->indptr[i], length = out->indptr[i + 1] - from;
        for (int64_t k = 0; k < length; k++) {
            row[k].index = out->indices[from + k];
            row[k].distance = s->points->precision == 4
                                  ? (double)((float *)out->distances)[from + k]
                                  : ((double *)out->distances)[from + k];
        }
        qsort(row, (size_t)length, sizeof *row, compare);
        for (int64_t k = 0; k < length; k++) {
            out->indices[from + k] = row[k].index;
            if (s->points->precision == 4) {
                ((float *)out->distances)[from + k] = (float)row[k].distance;
            } else {
                ((double *)out->distances)[from + k] = row[k].distance;
            }
        }
    }
    tsl_release(row);
    return TSL_OK;
}

/* --------------------------------------------------------------------------------------------- */

static tsl_status run(search *s)
{
    tsl_neighbors *out = s->out;
    double times[4] = {tsl_seconds()};
    out->indptr = tsl_allocate_zeroed((size_t)s->points->count + 1, sizeof *out->indptr);
    if (out->indptr == NULL) {
        return tsl_fail_memory(s->context, 8 * s->points->count, "rows of neighbours");
    }
    if (s->points->count == 0) {
        return TSL_OK;
    }
    choose_cells(s);
    memcpy(out->cells, s->task.cells, sizeof out->cells);
    tsl_status status = sort_points(s);
    if (status == TSL_OK) {
        status = send(s);
    }
    times[1] = tsl_seconds();
    if (status == TSL_OK) {
        status = count(s);
    }
    times[2] = tsl_seconds();
    if (status == TSL_OK) {
        status = fill(s);
    }
    times[3] = tsl_seconds();
    if (status == TSL_OK && s->options->sorted) {
        status = sort_rows(s);
    }
    for (int k = 0; k < 3; k++) {
        out->seconds[k] = times[k + 1] - times[k];
    }
    return status;
}

tsl_status tsl_neighbors_find(tsl_neighbors *out, tsl_context *context,
                              const tsl_neighbor_options *options, const tsl_points *points)
{
    tsl_neighbors found = {.count = points->count, .cells = {1, 1, 1}};
    search s = {.context = context, .options = options, .points = points, .out = &found};
    tsl_status status = check(&s);
    if (status == TSL_OK) {
        status = check_extent(&s);
    }
    if (status != TSL_OK) {
        return status;
    }
    const double *b = options->box;
    s.task = (tsl_neighbor_task){.precision = points->precision,
                                 .periodic = b == NULL                             ? 0
                                             : b[3] == 0 && b[4] == 0 && b[5] == 0 ? 1
                                                                                   : 2,
                                 .half = options->half,
                                 .n = points->count,
                                 .box = {1, 1, 1, 0, 0, 0},
                                 .cutoff = options->cutoff};
    if (b != NULL) {
        memcpy(s.task.box, b, sizeof s.task.box);
    }
    status = run(&s);
    for (int k = 0; k < s.devices; k++) {
        tsl_device_release(context, s.device[k]);
    }
    for (int k = 0; k < 3; k++) {
        tsl_release(s.host[k]);
    }
    tsl_release(s.radii);
    tsl_release(s.order);
    tsl_release(s.cell);
    tsl_release(s.start);
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
