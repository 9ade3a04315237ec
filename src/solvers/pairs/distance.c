/* Distances of all pairs: what is the same on every device. */
#include <math.h>
#include <string.h>

#include "comm/comm.h"
#include "core/core.h"
#include "device/device.h"
#include "solvers/pairs/pairs.h"
#include "solvers/pairs/ranges.h"

/* How a metric is computed. */
typedef struct metric {
    const char *name;
    tsl_pair_sum sum;
    bool root;
    bool unit, centred; /* of points first brought to length 1 */
} metric;

static const metric metrics[TSL_METRICS] = {
    [TSL_METRIC_EUCLIDEAN] = {"euclidean", TSL_PAIR_SQUARES, true, false, false},
    [TSL_METRIC_SQEUCLIDEAN] = {"sqeuclidean", TSL_PAIR_SQUARES, false, false, false},
    [TSL_METRIC_SEUCLIDEAN] = {"seuclidean", TSL_PAIR_WEIGHTED, true, false, false},
    [TSL_METRIC_CITYBLOCK] = {"cityblock", TSL_PAIR_ABSOLUTE, false, false, false},
    [TSL_METRIC_CHEBYSHEV] = {"chebyshev", TSL_PAIR_LARGEST, false, false, false},
    [TSL_METRIC_MINKOWSKI] = {"minkowski", TSL_PAIR_POWERS, false, false, false},
    [TSL_METRIC_COSINE] = {"cosine", TSL_PAIR_PRODUCTS, false, true, false},
    [TSL_METRIC_CORRELATION] = {"correlation", TSL_PAIR_PRODUCTS, false, true, true},
    [TSL_METRIC_MAHALANOBIS] = {"mahalanobis", TSL_PAIR_FORM, true, false, false},
    [TSL_METRIC_CANBERRA] = {"canberra", TSL_PAIR_CANBERRA, false, false, false},
    [TSL_METRIC_BRAYCURTIS] = {"braycurtis", TSL_PAIR_BRAYCURTIS, false, false, false},
    [TSL_METRIC_HAMMING] = {"hamming", TSL_PAIR_DIFFERENT, false, false, false},
    [TSL_METRIC_JACCARD] = {"jaccard", TSL_PAIR_JACCARD, false, false, false}};

/* A piece of a stream that nobody sizes, and coordinates from which on products are the faster way
 * to squares: on GPUs, and on the CPU. */
enum { STREAM_BYTES = TSL_DISTANCE_STREAM_MIB << 20, MANY = 32, MANY_ON_CPU = 64 };

struct tsl_distance_plan {
    tsl_context *context;
    tsl_distance_task task; /* but its range and target */
    int64_t count;
    void *row, *column, *weights; /* device memory; `row` may be NULL where there are no points */
    void *centred[2], *norms[2]; /* device memory: rows and columns less their mean, for products */
};

tsl_status tsl_metric_parse(tsl_metric *out, const char *text)
{
    for (int i = 0; text != NULL && i < TSL_METRICS; i++) {
        if (strcmp(text, metrics[i].name) == 0) {
            *out = (tsl_metric)i;
            return TSL_OK;
        }
    }
    return TSL_E_ARG;
}

const char *tsl_metric_name(tsl_metric which)
{
    return (int)which >= 0 && (int)which < TSL_METRICS ? metrics[which].name : NULL;
}

/* ---- what is asked for ---------------------------------------------------------------------- */

static tsl_status check_points(tsl_context *context, const tsl_points *points, const char *set)
{
    if (points->count < 0 || points->count > UINT32_MAX || points->dimensions < 1 ||
        (points->precision != 4 && points->precision != 8) ||
        points->count > INT64_MAX / 64 / points->dimensions ||
        (points->values == NULL && points->count > 0)) {
        return tsl_fail(context, TSL_E_ARG,
                        "%s: %lld points of %d coordinates of %d bytes: give 0 to 4294967295 "
                        "points, 1 or more coordinates, 4 or 8 bytes",
                        set, (long long)points->count, points->dimensions, points->precision);
    }
    return tsl_pairs_check_points(context, points, set);
}

static tsl_status check(tsl_context *context, const tsl_distance_options *options,
                        const tsl_points *a, const tsl_points *b)
{
    tsl_status status =
        tsl_pairs_check_size(context, options->size, sizeof *options, "TSL_DISTANCE_OPTIONS_INIT");
    if (status != TSL_OK) {
        return status;
    }
    if (tsl_metric_name(options->metric) == NULL || (int)options->layout < 0 ||
        options->layout > TSL_LAYOUT_PACKED) {
        return tsl_fail(context, TSL_E_ARG, "metric %d, layout %d: there is no such",
                        (int)options->metric, (int)options->layout);
    }
    if (options->metric == TSL_METRIC_MINKOWSKI && !(options->p > 0)) {
        return tsl_fail(context, TSL_E_ARG, "minkowski: p is %g: give more than 0", options->p);
    }
    if (b != NULL && (b->dimensions != a->dimensions || b->precision != a->precision)) {
        return tsl_fail(context, TSL_E_ARG,
                        "points of %d coordinates of %d bytes, and of %d of %d: give two alike",
                        a->dimensions, a->precision, b->dimensions, b->precision);
    }
    status = check_points(context, a, a->name != NULL ? a->name : "a");
    if (status == TSL_OK && b != NULL) {
        status = check_points(context, b, b->name != NULL ? b->name : "b");
    }
    return status;
}

/* Elements of the result; false: more than can be numbered. */
static bool count_of(int64_t *out, int layout, int64_t rows, int64_t columns)
{
    if (rows == 0 || columns == 0) {
        *out = 0;
    } else if (layout == TSL_LAYOUT_CONDENSED) {
        *out = tsl_triangle_count(rows - 1);
    } else if (layout == TSL_LAYOUT_PACKED) {
        *out = tsl_triangle_count(rows);
    } else if (rows > INT64_MAX / 16 / columns) {
        return false;
    } else {
        *out = rows * columns;
    }
    return *out <= INT64_MAX / 16;
}

/* ---- to the device -------------------------------------------------------------------------- */

static tsl_status send(void **out, tsl_context *context, const void *data, int64_t bytes,
                       const char *what)
{
    tsl_status status = tsl_device_allocate(out, context, bytes, what);
    if (status == TSL_OK) {
        status = context->ops->upload(context, *out, data, bytes);
    }
    return status;
}

static tsl_status send_points(tsl_distance_plan *plan, const metric *how, const tsl_points *a,
                              const tsl_points *b)
{
    tsl_context *context = plan->context;
    const int d = a->dimensions;
    const int64_t row_bytes = a->count * d * a->precision;
    const tsl_points *const right = b != NULL ? b : a;
    const int64_t right_bytes = right->count * d * a->precision;
    const int64_t block_bytes = tsl_pairs_block_bytes(right->count, d, a->precision);
    tsl_status status = TSL_OK;
    char *rows = tsl_allocate((size_t)(row_bytes > right_bytes ? row_bytes : right_bytes));
    char *blocks = tsl_allocate((size_t)block_bytes);
    if (rows == NULL || blocks == NULL) {
        status = tsl_fail_memory(context, row_bytes + block_bytes, "points");
        goto done;
    }
    tsl_pairs_copy_rows(rows, right, how->unit, how->centred);
    tsl_pairs_copy_blocks(blocks, rows, right->count, d, a->precision);
    status = send(&plan->column, context, blocks, block_bytes, "points as columns");
    if (status != TSL_OK) {
        goto done;
    }
    if (b != NULL) {
        tsl_pairs_copy_rows(rows, a, how->unit, how->centred);
    }
    status = send(&plan->row, context, rows, row_bytes, "points as rows");
done:
    tsl_release(rows);
    tsl_release(blocks);
    return status;
}

/* Points less the mean of all, for products. */
static tsl_status send_centred(tsl_distance_plan *plan, const tsl_points *a, const tsl_points *b)
{
    tsl_context *const context = plan->context;
    const int d = a->dimensions;
    const tsl_points *const sets[2] = {a, b};
    tsl_status status = TSL_OK;
    double *mean = tsl_allocate((size_t)d * sizeof *mean);
    void *blocks = NULL, *norms = NULL;
    for (int s = 0; s < 2 && sets[s] != NULL; s++) {
        const int64_t bytes = tsl_pairs_block_bytes(sets[s]->count, d, a->precision);
        const int64_t norm_bytes = bytes / d;
        tsl_release(blocks);
        tsl_release(norms);
        blocks = tsl_allocate((size_t)bytes);
        norms = tsl_allocate((size_t)norm_bytes);
        if (mean == NULL || blocks == NULL || norms == NULL) {
            status = tsl_fail_memory(context, bytes + norm_bytes, "points less their mean");
            goto done;
        }
        tsl_pairs_mean(mean, a, b);
        tsl_pairs_copy_centred(blocks, norms, sets[s], mean);
        TSL_TRY(send(&plan->centred[s], context, blocks, bytes, "points less their mean"));
        TSL_TRY(send(&plan->norms[s], context, norms, norm_bytes, "lengths of points"));
    }
    plan->task.centred_row = plan->centred[0];
    plan->task.row_norms = plan->norms[0];
    plan->task.centred_column = plan->centred[b != NULL];
    plan->task.column_norms = plan->norms[b != NULL];
done:
    tsl_release(mean);
    tsl_release(blocks);
    tsl_release(norms);
    return status;
}

/* Weights that the caller gave, or those of the points: 1 / variances in the points' precision, or
 * an inverse covariance in double. */
static tsl_status send_weights(tsl_distance_plan *plan, const tsl_distance_options *options,
                               const tsl_points *a, const tsl_points *b)
{
    tsl_context *context = plan->context;
    const bool form = plan->task.sum == TSL_PAIR_FORM;
    const int64_t d = a->dimensions;
    const int64_t count = form ? d * d : d;
    const double *given = form ? options->inverse_covariance : options->variances;
    tsl_status status = TSL_OK;
    if (!form && plan->task.sum != TSL_PAIR_WEIGHTED) {
        return TSL_OK;
    }
    double *values = tsl_allocate((size_t)count * sizeof *values);
    if (values == NULL) {
        return tsl_fail_memory(context, count * 8, "weights of coordinates");
    }
    if (given != NULL) {
        memcpy(values, given, (size_t)count * sizeof *values);
    } else {
        status = form ? tsl_pairs_inverse_covariance(values, context, a, b)
                      : tsl_pairs_variances(values, context, a, b);
    }
    for (int64_t k = 0; k < count && status == TSL_OK; k++) {
        if (!isfinite(values[k]) || (!form && !(values[k] > 0))) {
            status = tsl_fail(context, TSL_E_ARG, "%s %lld is %g: give finite ones%s",
                              form ? "element of the inverse covariance" : "variance",
                              (long long)(k + 1), values[k], form ? "" : " above 0");
        } else if (!form && a->precision == 4) {
            const double weight = 1 / values[k];
            ((float *)values)[k] = (float)weight; /* behind what is still to be read */
        } else if (!form) {
            values[k] = 1 / values[k];
        }
    }
    if (status == TSL_OK) {
        status = send(&plan->weights, context, values, count * (form ? 8 : a->precision),
                      "weights of coordinates");
    }
    tsl_release(values);
    return status;
}

/* Coordinates from which on squares are by products. */
static int products_from(const tsl_context *context, const tsl_distance_options *options)
{
    return options->differences                  ? INT32_MAX
           : context->ops != &tsl_device_cpu     ? MANY
           : tsl_product_functions_now() != NULL ? MANY_ON_CPU
                                                 : INT32_MAX;
}

static tsl_status make_ready(tsl_distance_plan *plan, const tsl_distance_options *options,
                             const tsl_points *a, const tsl_points *b)
{
    tsl_distance_task *task = &plan->task;
    metric how = metrics[options->metric];
    if (options->metric == TSL_METRIC_MINKOWSKI) {
        how = options->p == 1          ? metrics[TSL_METRIC_CITYBLOCK]
              : options->p == 2        ? metrics[TSL_METRIC_EUCLIDEAN]
              : isinf(options->p) != 0 ? metrics[TSL_METRIC_CHEBYSHEV]
                                       : how;
    }
    *task = (tsl_distance_task){.precision = a->precision,
                                .sum = (int)how.sum,
                                .root = how.root,
                                .layout = b != NULL ? TSL_LAYOUT_RECTANGLE : (int)options->layout,
                                .dimensions = a->dimensions,
                                .p = options->p,
                                .rows = a->count,
                                .columns = b != NULL ? b->count : a->count};
    if (!count_of(&plan->count, task->layout, task->rows, task->columns)) {
        return tsl_fail(plan->context, TSL_E_ARG,
                        "%lld x %lld distances: more than can be numbered", (long long)task->rows,
                        (long long)task->columns);
    }
    tsl_status status = TSL_OK;
    if (plan->count > 0) {
        status = send_weights(plan, options, a, b);
        if (status == TSL_OK) {
            status = send_points(plan, &how, a, b);
        }
        if (status == TSL_OK && task->sum == TSL_PAIR_SQUARES &&
            a->dimensions >= products_from(plan->context, options)) {
            status = send_centred(plan, a, b);
        }
    }
    task->row = plan->row;
    task->column = plan->column;
    task->weights = plan->weights;
    return status;
}

tsl_status tsl_distance_plan_create(tsl_distance_plan **out, tsl_context *context,
                                    const tsl_distance_options *options, const tsl_points *a,
                                    const tsl_points *b)
{
    const tsl_distance_options defaults = TSL_DISTANCE_OPTIONS_INIT;
    options = options != NULL ? options : &defaults;
    tsl_status status = check(context, options, a, b);
    if (status != TSL_OK) {
        return status;
    }
    tsl_distance_plan *plan = tsl_allocate_zeroed(1, sizeof *plan);
    if (plan == NULL) {
        return tsl_fail_memory(context, (int64_t)sizeof *plan, "a plan of distances");
    }
    plan->context = context;
    status = make_ready(plan, options, a, b);
    if (status != TSL_OK) {
        tsl_distance_plan_destroy(plan);
        return status;
    }
    *out = plan;
    return TSL_OK;
}

void tsl_distance_plan_destroy(tsl_distance_plan *plan)
{
    if (plan != NULL) {
        tsl_device_release(plan->context, plan->row);
        tsl_device_release(plan->context, plan->column);
        tsl_device_release(plan->context, plan->weights);
        for (int s = 0; s < 2; s++) {
            tsl_device_release(plan->context, plan->centred[s]);
            tsl_device_release(plan->context, plan->norms[s]);
        }
        tsl_release(plan);
    }
}

/* ---- results -------------------------------------------------------------------------------- */

int64_t tsl_distance_plan_count(const tsl_distance_plan *plan)
{
    return plan->count;
}

tsl_status tsl_distance_plan_row(const tsl_distance_plan *plan, int64_t i, int64_t *first,
                                 int64_t *count)
{
    if (i < 0 || i >= plan->task.rows) {
        return tsl_fail(plan->context, TSL_E_ARG, "row %lld of %lld: there is no such",
                        (long long)i, (long long)plan->task.rows);
    }
    const tsl_pair_row row = tsl_pair_row_of(plan->task.layout, plan->task.columns, i);
    *first = row.base + row.lo;
    *count = row.hi - row.lo;
    return TSL_OK;
}

/* Elements into memory of the device. */
static tsl_status compute(tsl_distance_plan *plan, void *out, int64_t first, int64_t count)
{
    tsl_context *context = plan->context;
    tsl_distance_task task = plan->task;
    task.first = first;
    task.count = count;
    task.out = out;
    task.row_first = tsl_pair_row_at(task.layout, task.columns, first);
    task.row_last = tsl_pair_row_at(task.layout, task.columns, first + count - 1);
    return context->ops->pairs->distances(context, &task);
}

tsl_status tsl_distance_execute(tsl_distance_plan *plan, tsl_buffer *out, int64_t first,
                                int64_t count)
{
    tsl_context *context = plan->context;
    if (first < 0 || count < 0 || first > plan->count || count > plan->count - first) {
        return tsl_fail(context, TSL_E_ARG, "elements %lld to %lld: the result has %lld",
                        (long long)first, (long long)(first + count - 1), (long long)plan->count);
    }
    if (count == 0) {
        return TSL_OK;
    }
    if (tsl_buffer_bytes(out) / plan->task.precision < count) {
        return tsl_fail(context, TSL_E_ARG, "a buffer of %lld bytes: %lld distances need %lld",
                        (long long)tsl_buffer_bytes(out), (long long)count,
                        (long long)(count * plan->task.precision));
    }
    if ((uintptr_t)tsl_buffer_data(out) % (uintptr_t)plan->task.precision != 0) {
        return tsl_fail(context, TSL_E_ARG,
                        "a buffer at an address that is not a multiple of %d bytes: align it",
                        plan->task.precision);
    }
    return compute(plan, tsl_buffer_data(out), first, count);
}

/* ---- streams -------------------------------------------------------------------------------- */

/* A stream's memory: of the host, a piece on rank 0 and this rank's part of it on others. */
typedef struct stream {
    tsl_distance_plan *plan;
    int64_t piece; /* elements */
    void *device, *host;
    int64_t *bytes, *offsets; /* of the ranks' parts */
} stream;

static tsl_status open_stream(stream *s)
{
    tsl_context *const context = s->plan->context;
    const tsl_comm *const comm = context->comm;
    const int64_t part = tsl_comm_slice(s->piece, 1, comm->size) * s->plan->task.precision;
    const int64_t held = comm->rank == 0 ? s->piece * s->plan->task.precision : part;
    s->host = tsl_allocate((size_t)held);
    s->bytes = tsl_allocate(2 * (size_t)comm->size * sizeof *s->bytes);
    if (s->host == NULL || s->bytes == NULL) {
        return tsl_fail_memory(context, held, "distances");
    }
    s->offsets = s->bytes + comm->size;
    return tsl_device_allocate(&s->device, context, part, "distances");
}

/* This rank's part of `count` elements from `first` on into host memory, and all parts to rank 0.
 */
static tsl_status make_piece(stream *s, int64_t first, int64_t count)
{
    tsl_context *const context = s->plan->context;
    const tsl_comm *const comm = context->comm;
    const int64_t precision = s->plan->task.precision;
    const int64_t from = tsl_comm_slice(count, comm->rank, comm->size);
    const int64_t own = tsl_comm_slice(count, comm->rank + 1, comm->size) - from;
    const tsl_comm_parts all = {.data = s->host, .bytes = s->bytes, .offsets = s->offsets};
    tsl_status status = TSL_OK;
    if (own > 0) {
        status = compute(s->plan, s->device, first + from, own);
    }
    if (own > 0 && status == TSL_OK) {
        status = context->ops->download(context, s->host, s->device, own * precision);
    }
    if (comm->size == 1) {
        return status;
    }
    TSL_TRY(tsl_comm_agree(context, status));
    for (int q = 0; q < comm->size; q++) {
        s->offsets[q] = tsl_comm_slice(count, q, comm->size) * precision;
        s->bytes[q] = tsl_comm_slice(count, q + 1, comm->size) * precision - s->offsets[q];
    }
    if (comm->rank == 0) { /* its own part is where it belongs */
        s->bytes[0] = 0;
    }
    status = tsl_comm_gather(context->comm, NULL, s->host, comm->rank == 0 ? 0 : own * precision,
                             comm->rank == 0 ? &all : NULL, 0);
done:
    return status;
}

tsl_status tsl_distance_stream(tsl_distance_plan *plan, int64_t bytes, tsl_distance_take *take,
                               void *user)
{
    tsl_context *context = plan->context;
    const int64_t precision = plan->task.precision;
    stream s = {.plan = plan};
    tsl_status status = TSL_OK;
    if (bytes < 0) {
        return tsl_fail(context, TSL_E_ARG, "pieces of %lld bytes: give 0 or more",
                        (long long)bytes);
    }
    const int64_t asked = (bytes == 0 ? STREAM_BYTES : bytes) / precision / 64 * 64;
    const int64_t most = asked < 64 ? 64 : asked;
    s.piece = most < plan->count ? most : plan->count;
    if (s.piece == 0) {
        return TSL_OK;
    }
    TSL_TRY(tsl_pairs_compare_ranks(context));
    TSL_TRY(tsl_comm_agree(context, open_stream(&s)));
    for (int64_t first = 0; first < plan->count; first += s.piece) {
        const int64_t left = plan->count - first;
        const int64_t count = s.piece < left ? s.piece : left;
        const double begun = tsl_seconds();
        TSL_TRY(make_piece(&s, first, count));
        tsl_profile_add(context, "distances", begun, count * precision, 0);
        if (context->comm->rank == 0) {
            status = take(user, first, count, s.host);
        }
        TSL_TRY(tsl_comm_agree(context, status));
    }
done:
    tsl_device_release(context, s.device);
    tsl_release(s.host);
    tsl_release(s.bytes);
    return status;
}
