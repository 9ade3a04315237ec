/* Energies of triples of points. */
#include <math.h>

#include "comm/comm.h"
#include "core/core.h"
#include "device/device.h"
#include "solvers/pairs/pairs.h"
#include "solvers/pairs/triplets/triplets_point.h"

enum { MOST_POINTS = 65536 };

/* Part t adds the triples whose last point is t, or t plus a multiple of TSL_TRIPLET_PARTS. */
tsl_status tsl_triplets_cpu(tsl_context *context, const tsl_triplet_task *task)
{
    const double *const points = task->points;
#pragma omp parallel for num_threads(context->threads) schedule(dynamic)
    for (int t = task->first; t < TSL_TRIPLET_PARTS; t += task->step) {
        double sum = 0;
        for (int64_t i = t; i < task->n; i += TSL_TRIPLET_PARTS) {
            for (int64_t j = 0; j < i; j++) {
                double row = 0;
                for (int64_t k = 0; k < j; k++) {
                    row += tsl_triplet_energy(points + 3 * i, points + 3 * j, points + 3 * k);
                }
                sum += row;
            }
        }
        task->partial[t] = sum;
    }
    return TSL_OK;
}

/* This rank's parts; 0 for those of others. */
static tsl_status add_parts(double partial[TSL_TRIPLET_PARTS], tsl_context *context,
                            tsl_triplet_map map, const tsl_points *points, void *device[2])
{
    enum { BYTES = TSL_TRIPLET_PARTS * sizeof(double) };
    const int64_t numbers = 3 * points->count;
    double *copy = tsl_allocate((size_t)(8 * numbers));
    tsl_triplet_task task;
    tsl_status status = TSL_OK;
    if (copy == NULL) {
        return tsl_fail_memory(context, 8 * numbers, "points");
    }
    for (int64_t e = 0; e < numbers; e++) {
        copy[e] = points->precision == 4 ? (double)((const float *)points->values)[e]
                                         : ((const double *)points->values)[e];
    }
    TSL_TRY(tsl_device_allocate(&device[0], context, 8 * numbers, "points"));
    TSL_TRY(tsl_device_allocate(&device[1], context, BYTES, "sums of triples"));
    TSL_TRY(context->ops->upload(context, device[0], copy, 8 * numbers));
    TSL_TRY(context->ops->fill(context, device[1], 0, BYTES));
    task = (tsl_triplet_task){.n = points->count,
                              .points = device[0],
                              .map = (int)map,
                              .first = context->comm->rank,
                              .step = context->comm->size,
                              .partial = device[1]};
    if (task.first < TSL_TRIPLET_PARTS) {
        TSL_TRY(context->ops->pairs->triplets(context, &task));
    }
    TSL_TRY(context->ops->download(context, partial, device[1], BYTES));
done:
    tsl_release(copy);
    return status;
}

static tsl_status add_up(double *energy, tsl_context *context, tsl_triplet_map map,
                         const tsl_points *points)
{
    double partial[TSL_TRIPLET_PARTS], sum = 0;
    void *device[2] = {NULL, NULL};
    tsl_status status = TSL_OK;
    TSL_TRY(tsl_pairs_compare_ranks(context));
    TSL_TRY(tsl_comm_agree(context, add_parts(partial, context, map, points, device)));
    TSL_TRY(tsl_comm_all_reduce(context->comm, NULL, partial, TSL_TRIPLET_PARTS, TSL_COMM_DOUBLE,
                                TSL_COMM_SUM));
    for (int t = 0; t < TSL_TRIPLET_PARTS; t++) {
        sum += partial[t];
    }
    *energy = sum;
done:
    for (int k = 0; k < 2; k++) {
        tsl_device_release(context, device[k]);
    }
    return status;
}

tsl_status tsl_triplets_energy(double *energy, tsl_context *context, double nu, tsl_triplet_map map,
                               const tsl_points *points)
{
    double sum = 0;
    if (!isfinite(nu)) {
        return tsl_fail(context, TSL_E_ARG, "nu is %g: give a finite number", nu);
    }
    if (points->count < 0 || points->count > MOST_POINTS || points->dimensions != 3 ||
        (points->precision != 4 && points->precision != 8)) {
        return tsl_fail(context, TSL_E_ARG,
                        "%lld points of %d coordinates: triples are of at most %d points of three",
                        (long long)points->count, points->dimensions, MOST_POINTS);
    }
    tsl_status status =
        tsl_pairs_check_points(context, points, points->name != NULL ? points->name : "a");
    if (status == TSL_OK && points->count > 0) {
        const double begun = tsl_seconds();
        status = add_up(&sum, context, map, points);
        tsl_profile_add(context, "triples", begun, 0, 0);
    }
    if (status == TSL_OK) {
        *energy = nu * sum;
    }
    return status;
}
