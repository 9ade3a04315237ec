/* Points sorted into cells. */
#include "solvers/pairs/search.h"

#include <math.h>
#include <string.h>

#include "comm/comm.h"
#include "core/core.h"
#include "device/device.h"
#include "solvers/linsolve/multigrid/gpu/coarsen.h"
#include "solvers/pairs/neighbors_point.h"

/* Cells at most: a few a point; cells along z that are a cut-off; and what rounding may put beside
 * its cell, of a cut-off. */
enum { CELLS_A_POINT = 2, MOST_CELLS = 1 << 30, THIN = 4 };
static const double slack = 1e-3;

static double radius(const tsl_search *s, int64_t i)
{
    return s->task.precision == 4 ? (double)((const float *)s->options.radii)[i]
                                  : ((const double *)s->options.radii)[i];
}

/* ---- what is asked for ---------------------------------------------------------------------- */

static tsl_status check_box(tsl_search *s)
{
    const double *b = s->options.box;
    if (b == NULL) {
        return TSL_OK;
    }
    if (s->task.dimensions != 3) {
        return tsl_fail(s->context, TSL_E_ARG,
                        "a periodic cell of points of %d coordinates: give three",
                        s->task.dimensions);
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
                            "point would have two images of another within it: give a smaller "
                            "cut-off, or a cell of several copies",
                            s->cutoff, "xyz"[k], s -> width[k]);
        }
    }
    return TSL_OK;
}

static tsl_status check_all(tsl_search *s, const tsl_points *p)
{
    if (p->count < 0 || p->count > INT32_MAX || p->dimensions < 1 || p->dimensions > 3 ||
        (p->precision != 4 && p->precision != 8)) {
        return tsl_fail(s->context, TSL_E_ARG,
                        "%lld points of %d coordinates of %d bytes: neighbours are for at most "
                        "2147483647 points of 1 to 3 coordinates of 4 or 8 bytes",
                        (long long)p->count, p->dimensions, p->precision);
    }
    s->cutoff = s->options.cutoff;
    if (s->options.radii != NULL) {
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
    return check_box(s);
}

/* Squares must not overflow, and rounding must not put a point further from its cell than `slack`
 * cut-offs. */
static double farthest(const tsl_search *s)
{
    const double squares = s->task.precision == 4 ? 1e18 : 1e150;
    const double cells = s->cutoff * (s->task.precision == 4 ? 1e4 : 1e6);
    return s->cutoff > 0 && cells < squares ? cells : squares;
}

/* Say what is wrong with number e of the points, which lie on the device. */
static tsl_status fail_coordinate(tsl_search *s, int64_t e)
{
    const int d = s->task.dimensions;
    float single = 0;
    double x = 0;
    void *const target = s->task.precision == 4 ? (void *)&single : (void *)&x;
    const tsl_status status = s->context->ops->download(
        s->context, target, (const char *)s->task.points + e * s->task.precision,
        s->task.precision);
    if (status != TSL_OK) {
        return status;
    }
    x = s->task.precision == 4 ? (double)single : x;
    if (!(fabs(x) <= (s->task.precision == 4 ? 1e18 : 1e150))) {
        return tsl_pairs_fail_coordinate(s->context, s->name, e, d, s->task.precision, x);
    }
    return tsl_fail(s->context, TSL_E_ARG,
                    "%s: row %lld, column %d is %g: more than %g from the origin, where a "
                    "cut-off of %g drowns in rounding: shift the points%s",
                    s->name, (long long)(e / d + 1), (int)(e % d + 1), x, farthest(s), s->cutoff,
                    s->task.precision == 4 ? ", or give them in double precision" : "");
}

/* ---- cells ---------------------------------------------------------------------------------- */

static void choose_cells(tsl_search *s, const tsl_survey *survey)
{
    tsl_neighbor_task *task = &s->task;
    const bool periodic = s->options.box != NULL;
    for (int k = 0; k < 3; k++) {
        if (!periodic) {
            s->low[k] = survey->low[k];
            s->width[k] = survey->high[k] - survey->low[k];
        }
        const double most =
            s->cutoff > 0 ? s->width[k] / (s->cutoff * (1 + slack)) * (k == 2 ? THIN : 1) : 1;
        task->cells[k] = most < 1 || s->options.direct ? 1 : most > 1e6 ? 1000000 : (int)most;
    }
    /* fewer, larger ones where points are few */
    for (int64_t allowed = task->n * CELLS_A_POINT + 27;;) {
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

/* Are all points within the periodic cell, and is that divided along each axis? */
static bool are_wrapped(const tsl_search *s, const tsl_survey *survey)
{
    for (int k = 0; k < 3; k++) {
        if (s->task.cells[k] == 1 || !(survey->low[k] >= 0 && survey->high[k] / s->box[k] < 1)) {
            return false;
        }
    }
    return true;
}

/* ---- on the device -------------------------------------------------------------------------- */

tsl_status tsl_search_reserve(tsl_search *s, tsl_search_room room, int64_t bytes, const char *what)
{
    const int64_t wanted = bytes > 0 ? bytes : 1;
    if (s->bytes[room] >= wanted) {
        return TSL_OK;
    }
    tsl_device_release(s->context, s->room[room]);
    s->room[room] = NULL;
    s->bytes[room] = 0;
    const tsl_status status = tsl_device_allocate(&s->room[room], s->context, wanted, what);
    if (status == TSL_OK) {
        s->bytes[room] = wanted;
    }
    return status;
}

/* Memory for points in the order of their cells. */
static tsl_status reserve_order(tsl_search *s)
{
    tsl_neighbor_task *const task = &s->task;
    const int64_t n = task->n;
    const int64_t longer = n > s->cells ? n : s->cells;
    tsl_status status = TSL_OK;
    TSL_TRY(tsl_search_reserve(s, TSL_ROOM_SORTED, 4 * n * task->precision, "sorted points"));
    TSL_TRY(tsl_search_reserve(s, TSL_ROOM_ORDER, 4 * n, "an order of points"));
    TSL_TRY(tsl_search_reserve(s, TSL_ROOM_CELL, 4 * n, "cells of points"));
    TSL_TRY(tsl_search_reserve(s, TSL_ROOM_OWN, 4 * n, "cells of points"));
    TSL_TRY(tsl_search_reserve(s, TSL_ROOM_LOOSE, 4 * n, "points of cells"));
    TSL_TRY(tsl_search_reserve(s, TSL_ROOM_START, 8 * (s->cells + 1), "cells"));
    TSL_TRY(tsl_search_reserve(s, TSL_ROOM_CELL_COUNTS, 4 * s->cells, "counts of cells"));
    TSL_TRY(
        tsl_search_reserve(s, TSL_ROOM_TILES, 8 * (longer / TSL_RUNNING_TILE + 1), "running sums"));
    task->sorted = s->room[TSL_ROOM_SORTED];
    task->order = s->room[TSL_ROOM_ORDER];
    task->cell = s->room[TSL_ROOM_CELL];
    task->own = s->room[TSL_ROOM_OWN];
    task->loose = s->room[TSL_ROOM_LOOSE];
    task->start = s->room[TSL_ROOM_START];
    task->cell_counts = s->room[TSL_ROOM_CELL_COUNTS];
    task->tiles = s->room[TSL_ROOM_TILES];
done:
    return status;
}

tsl_status tsl_search_sort(tsl_search *s, const void *points)
{
    tsl_neighbor_task *const task = &s->task;
    tsl_survey survey = {.beyond = INT64_MAX};
    tsl_status status = TSL_OK;
    task->points = points;
    TSL_TRY(s->context->ops->pairs->survey(&survey, s->context, task, farthest(s)));
    if (survey.beyond != INT64_MAX) {
        return fail_coordinate(s, survey.beyond);
    }
    choose_cells(s, &survey);
    task->space = s->options.box == NULL                               ? TSL_SPACE_OPEN
                  : s->box[3] != 0 || s->box[4] != 0 || s->box[5] != 0 ? TSL_SPACE_TILTED
                  : are_wrapped(s, &survey)                            ? TSL_SPACE_WRAPPED
                                                                       : TSL_SPACE_PERIODIC;
    memcpy(task->low, s->low, sizeof task->low);
    memcpy(task->width, s->width, sizeof task->width);
    TSL_TRY(reserve_order(s));
    TSL_TRY(s->context->ops->pairs->sort(s->context, task));
done:
    return status;
}

tsl_status tsl_search_count(tsl_search *s)
{
    tsl_neighbor_task *const task = &s->task;
    tsl_status status = TSL_OK;
    TSL_TRY(tsl_search_reserve(s, TSL_ROOM_COUNTS, 4 * task->n, "counts of neighbours"));
    TSL_TRY(tsl_search_reserve(s, TSL_ROOM_FIRST, 8 * (task->n + 1), "rows of neighbours"));
    task->counts = s->room[TSL_ROOM_COUNTS];
    task->first = s->room[TSL_ROOM_FIRST];
    if (task->end - task->begin < task->n) { /* rows of others are empty */
        TSL_TRY(s->context->ops->fill(s->context, task->counts, 0, 4 * task->n));
    }
    if (task->begin < task->end) {
        TSL_TRY(s->context->ops->pairs->count_neighbors(s->context, task));
    }
    TSL_TRY(s->context->ops->pairs->place_rows(s->context, task));
done:
    return status;
}

/* --------------------------------------------------------------------------------------------- */

tsl_status tsl_search_check(tsl_search *search, tsl_context *context,
                            const tsl_neighbor_options *options, const tsl_points *points)
{
    tsl_status status =
        tsl_pairs_check_size(context, options->size, sizeof *options, "TSL_NEIGHBOR_OPTIONS_INIT");
    if (status != TSL_OK) {
        *search = (tsl_search){.context = context};
        return status;
    }
    *search = (tsl_search){.context = context,
                           .options = *options,
                           .name = points->name != NULL ? points->name : "a",
                           .task = {.precision = points->precision,
                                    .dimensions = points->dimensions,
                                    .half = options->half,
                                    .in_cells = options->in_cells,
                                    .radii = options->radii != NULL,
                                    .n = points->count,
                                    .end = points->count,
                                    .cells = {1, 1, 1},
                                    .box = {1, 1, 1, 0, 0, 0},
                                    .cutoff = options->cutoff}};
    if (options->box != NULL) {
        memcpy(search->box, options->box, sizeof search->box);
        memcpy(search->task.box, options->box, sizeof search->task.box);
        search->options.box = search->box;
    }
    status = check_all(search, points);
    if (status == TSL_OK && options->radii != NULL) {
        const int64_t bytes = points->count * points->precision;
        status = tsl_search_reserve(search, TSL_ROOM_RADII, bytes, "radii");
        search->task.points_radii = search->room[TSL_ROOM_RADII];
        if (status == TSL_OK && bytes > 0) {
            status =
                context->ops->upload(context, search->room[TSL_ROOM_RADII], options->radii, bytes);
        }
    }
    return status;
}

tsl_status tsl_search_open(tsl_search *search, const tsl_points *points)
{
    tsl_context *const context = search->context;
    const int64_t bytes = points->count * points->dimensions * points->precision;
    tsl_status status = TSL_OK;
    if (context->ops == &tsl_device_cpu) { /* its memory is the host's */
        return tsl_search_sort(search, points->values);
    }
    TSL_TRY(tsl_search_reserve(search, TSL_ROOM_POINTS, bytes, "points"));
    TSL_TRY(context->ops->upload(context, search->room[TSL_ROOM_POINTS], points->values, bytes));
    TSL_TRY(tsl_search_sort(search, search->room[TSL_ROOM_POINTS]));
done:
    return status;
}

void tsl_search_take_part(tsl_search *search)
{
    const tsl_comm *const comm = search->context->comm;
    search->task.begin = tsl_comm_slice(search->task.n, comm->rank, comm->size);
    search->task.end = tsl_comm_slice(search->task.n, comm->rank + 1, comm->size);
}

void tsl_search_close(tsl_search *search)
{
    for (int k = 0; k < TSL_ROOMS; k++) {
        tsl_device_release(search->context, search->room[k]);
        search->room[k] = NULL;
        search->bytes[k] = 0;
    }
}
