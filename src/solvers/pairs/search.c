/* Points sorted into cells. */
#include "solvers/pairs/search.h"

#include <math.h>
#include <string.h>

#include "core/core.h"
#include "device/device.h"

/* Cells at most: a few a point; cells along z that are a cut-off; and what rounding may put beside
 * its cell, of a cut-off. */
enum { CELLS_A_POINT = 2, MOST_CELLS = 1 << 30, THIN = 4 };
static const double slack = 1e-3;

static double coordinate(const tsl_points *points, int64_t i, int axis)
{
    if (axis >= points->dimensions) {
        return 0;
    }
    const int64_t e = i * points->dimensions + axis;
    return points->precision == 4 ? (double)((const float *)points->values)[e]
                                  : ((const double *)points->values)[e];
}

static double radius(const tsl_search *s, int64_t i)
{
    return s->points->precision == 4 ? (double)((const float *)s->options->radii)[i]
                                     : ((const double *)s->options->radii)[i];
}

/* ---- what is asked for ---------------------------------------------------------------------- */

static tsl_status check_box(tsl_search *s)
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

static tsl_status check_all(tsl_search *s)
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
static tsl_status check_extent(tsl_search *s)
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

static void choose_cells(tsl_search *s)
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
        const double most =
            s->cutoff > 0 ? s->width[k] / (s->cutoff * (1 + slack)) * (k == 2 ? THIN : 1) : 1;
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
    task->reach = 0;
    for (int k = 0; k < 3; k++) {
        const int reach = task->cells[k] == 1
                              ? 0
                              : (int)ceil(s->cutoff * (1 + slack) * task->cells[k] / s->width[k]);
        if (periodic && task->cells[k] < 2 * reach + 1) {
            task->cells[k] = 1; /* a cell would be a neighbour on both sides */
        }
        task->reach = k == 2 ? reach : 0;
    }
    s->cells = (int64_t)task->cells[0] * task->cells[1] * task->cells[2];
}

static int cell_along(double share, int cells)
{
    const int at = (int)(share * cells);
    return at < 0 ? 0 : at >= cells ? cells - 1 : at;
}

static int cell_of(const tsl_search *s, int64_t i)
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
static tsl_status sort_points(tsl_search *s)
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

tsl_status tsl_search_place(tsl_search *s, void **out, const void *data, int64_t bytes,
                            const char *what)
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

static tsl_status send(tsl_search *s)
{
    tsl_neighbor_task *task = &s->task;
    const int64_t n = s->points->count;
    const int64_t bytes = n * s->points->precision;
    void *at = NULL;
    tsl_status status = TSL_OK;
    for (int k = 0; k < 3 && status == TSL_OK; k++) {
        status = tsl_search_place(s, &at, s->host[k], bytes, "sorted points");
        task->at[k] = at;
    }
    if (status == TSL_OK && s->radii != NULL) {
        status = tsl_search_place(s, &at, s->radii, bytes, "radii");
        task->radii = at;
    }
    if (status == TSL_OK) {
        status = tsl_search_place(s, &at, s->order, 4 * n, "an order of points");
        task->order = at;
    }
    if (status == TSL_OK) {
        status = tsl_search_place(s, &at, s->cell, 4 * n, "cells of points");
        task->cell = at;
    }
    if (status == TSL_OK) {
        status = tsl_search_place(s, &at, s->start, 4 * (s->cells + 1), "cells");
        task->start = at;
    }
    return status;
}

/* --------------------------------------------------------------------------------------------- */

tsl_status tsl_search_check(tsl_search *search, tsl_context *context,
                            const tsl_neighbor_options *options, const tsl_points *points)
{
    *search = (tsl_search){.context = context, .options = options, .points = points};
    const tsl_status status = check_all(search);
    return status == TSL_OK ? check_extent(search) : status;
}

tsl_status tsl_search_open(tsl_search *search)
{
    const double *b = search->options->box;
    search->task = (tsl_neighbor_task){.precision = search->points->precision,
                                       .periodic = b == NULL                             ? 0
                                                   : b[3] == 0 && b[4] == 0 && b[5] == 0 ? 1
                                                                                         : 2,
                                       .half = search->options->half,
                                       .n = search->points->count,
                                       .box = {1, 1, 1, 0, 0, 0},
                                       .cutoff = search->options->cutoff};
    if (b != NULL) {
        memcpy(search->task.box, b, sizeof search->task.box);
    }
    choose_cells(search);
    const tsl_status status = sort_points(search);
    return status == TSL_OK ? send(search) : status;
}

void tsl_search_close(tsl_search *search)
{
    for (int k = 0; k < search->devices; k++) {
        tsl_device_release(search->context, search->device[k]);
    }
    for (int k = 0; k < 3; k++) {
        tsl_release(search->host[k]);
    }
    tsl_release(search->radii);
    tsl_release(search->order);
    tsl_release(search->cell);
    tsl_release(search->start);
}
