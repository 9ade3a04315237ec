/* The search: batch after batch of rotations, from atoms to the poses kept. */
#include "dock/plan.h"

#include <string.h>

double tsl_dock_energy(const tsl_dock_geometry *geometry, int64_t energy)
{
    const int bits = 3 * tsl_dock_weight_bits(geometry->slip);
    return (double)energy * (double)(INT64_C(1) << bits) * TSL_CHARGE_UNIT /
           (double)(INT64_C(1) << TSL_POTENTIAL_BITS);
}

/* Atoms to correlations: the two stages whose cost grows with the grid. */
static tsl_status correlate(tsl_dock_plan *plan, const tsl_rotation *rotations, int count)
{
    tsl_context *context = plan->context;
    const tsl_dock_geometry *g = &plan->geometry;
    for (int i = 0; i < count; i++) {
        plan->turns[i] = tsl_dock_turns_of(&rotations[i]);
    }
    const int64_t box_bytes = (int64_t)g->box * g->box * g->box;
    double begun = tsl_seconds();
    tsl_status status =
        context->ops->dock->place(context, g, &plan->ligand, plan->turns, count, plan->boxes);
    tsl_profile_add(context, "place", begun, count * box_bytes, 0);
    if (status != TSL_OK) {
        return status;
    }
    begun = tsl_seconds();
    status = context->ops->convolve->execute(plan->convolve, count, plan->boxes, plan->grids);
    tsl_profile_add(context, "correlate", begun, 5 * count * plan->layout.member_bytes,
                    count * tsl_convolve_flops(&plan->correlation));
    return status;
}

/* Look at the next candidates of members first … first + count - 1. */
static tsl_status look(tsl_dock_plan *plan, int first, int count, int k)
{
    tsl_context *context = plan->context;
    const tsl_dock_geometry *g = &plan->geometry;
    const int keep = plan->options.keep;
    const char *grids = (const char *)plan->grids + first * plan->layout.member_bytes;
    double error = 0;
    double begun = tsl_seconds();
    tsl_status status =
        context->ops->reduce->top(context, &plan->layout, grids, count, k, plan->after + first,
                                  plan->candidates, plan->found + first, &error);
    tsl_profile_add(context, "candidates", begun, count * plan->layout.member_bytes, 0);
    if (error > plan->summary.transform_error) {
        plan->summary.transform_error = error;
    }
    if (status != TSL_OK || plan->summary.transform_error >= TSL_TRANSFORM_ERROR_LIMIT) {
        return status;
    }
    begun = tsl_seconds();
    status = context->ops->dock->settle(
        context, g, &plan->receptor, &plan->ligand, plan->turns + first, count, plan->candidates, k,
        plan->found + first, keep, plan->kept + first, plan->winners + (int64_t)first * keep,
        plan->energies + (int64_t)first * keep);
    tsl_profile_add(context, "settle", begun, 0, 0);
    for (int i = 0; i < count; i++) {
        if (plan->found[first + i] > 0) {
            const int64_t last = (int64_t)i * k + plan->found[first + i] - 1;
            plan->after[first + i] = plan->candidates[last];
        }
    }
    return status;
}

/* Winners of each member; on return with TSL_OK and a transform error at the limit there are none.
 */
static tsl_status select_winners(tsl_dock_plan *plan, int count)
{
    for (int i = 0; i < count; i++) {
        plan->kept[i] = 0;
        plan->after[i] = INT64_MAX;
    }
    tsl_status status = look(plan, 0, count, TSL_CANDIDATES);
    for (int i = 0; i < count && status == TSL_OK; i++) {
        /* Few rotations have less than `keep` good ones among the first candidates. */
        int asked = TSL_CANDIDATES;
        while (status == TSL_OK && plan->summary.transform_error < TSL_TRANSFORM_ERROR_LIMIT &&
               plan->kept[i] < plan->options.keep && plan->found[i] == asked) {
            asked = TSL_CANDIDATES_MORE;
            status = look(plan, i, 1, asked);
        }
    }
    return status;
}

static void write_poses(const tsl_dock_plan *plan, const tsl_rotation *rotations, int count,
                        tsl_pose *poses)
{
    const int keep = plan->options.keep;
    const int64_t n = plan->geometry.grid;
    for (int i = 0; i < count; i++) {
        for (int j = 0; j < keep; j++) {
            tsl_pose *pose = &poses[(int64_t)i * keep + j];
            memset(pose, 0, sizeof *pose); /* padding too: poses are written to files */
            pose->rotation = rotations[i];
            if (j < plan->kept[i]) {
                const int64_t key = plan->winners[(int64_t)i * keep + j];
                const int64_t cell = tsl_top_cell(key);
                const int64_t place[3] = {cell / (n * n), cell / n % n, cell % n};
                for (int axis = 0; axis < 3; axis++) {
                    pose->shift[axis] = tsl_dock_signed_shift((int)place[axis], (int)n);
                }
                pose->score = tsl_top_score(key);
                pose->energy =
                    tsl_dock_energy(&plan->geometry, plan->energies[(int64_t)i * keep + j]);
            }
        }
    }
}

static tsl_status check_rotations(tsl_context *context, const tsl_rotation *rotations,
                                  int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        const tsl_rotation *r = &rotations[i];
        if (r->twist < 0 || r->twist >= 360000000 || r->theta < 0 || r->theta > 180000000 ||
            r->phi < 0 || r->phi >= 360000000) {
            return tsl_fail(context, TSL_E_ARG,
                            "rotation %lld (twist %g, theta %g, phi %g degrees) is out of range",
                            (long long)i, r->twist * 1e-6, r->theta * 1e-6, r->phi * 1e-6);
        }
    }
    return TSL_OK;
}

static tsl_status check_ready(const tsl_dock_plan *plan, int64_t count)
{
    if (plan->ligand_molecule == NULL) {
        return tsl_fail(plan->context, TSL_E_ARG, "the plan has no pair: its last update failed");
    }
    if (count < 0) {
        return tsl_fail(plan->context, TSL_E_ARG, "a count of %lld", (long long)count);
    }
    return TSL_OK;
}

tsl_status tsl_dock_search(tsl_dock_plan *plan, tsl_pose *poses, const tsl_rotation *rotations,
                           int64_t count, tsl_dock_progress progress, void *user)
{
    tsl_status status = check_ready(plan, count);
    if (status == TSL_OK) {
        status = check_rotations(plan->context, rotations, count);
    }
    for (int64_t first = 0; first < count && status == TSL_OK;) {
        const int64_t left = count - first;
        const int batch = left < plan->correlation.batch ? (int)left : plan->correlation.batch;
        status = correlate(plan, rotations + first, batch);
        if (status == TSL_OK) {
            status = select_winners(plan, batch);
        }
        if (status == TSL_OK && plan->summary.transform_error >= TSL_TRANSFORM_ERROR_LIMIT) {
            if (plan->correlation.precision == TSL_DOUBLE) {
                return tsl_fail(plan->context, TSL_E_INTERNAL,
                                "a transform in double precision is off by %g",
                                plan->summary.transform_error);
            }
            status = tsl_dock_use_double(plan);
            continue;
        }
        if (status == TSL_OK) {
            tsl_pose *found = poses + first * plan->options.keep;
            write_poses(plan, rotations + first, batch, found);
            if (progress != NULL && progress(user, first, batch, found) != 0) {
                return tsl_fail(plan->context, TSL_E_CANCELLED, "the search was stopped");
            }
            first += batch;
        }
    }
    return status;
}

/* Poses first … first + count - 1 of a rescoring. */
static tsl_status measure_batch(tsl_dock_plan *plan, tsl_pose *poses, int count)
{
    tsl_context *context = plan->context;
    const tsl_dock_geometry *g = &plan->geometry;
    int32_t *shifts = (int32_t *)(void *)plan->candidates; /* as large as three shifts and more */
    int64_t *scores = plan->after;
    for (int i = 0; i < count; i++) {
        plan->turns[i] = tsl_dock_turns_of(&poses[i].rotation);
        for (int axis = 0; axis < 3; axis++) {
            shifts[3 * i + axis] = tsl_dock_place_of_shift(poses[i].shift[axis], g->grid);
        }
    }
    tsl_status status =
        context->ops->dock->place(context, g, &plan->ligand, plan->turns, count, plan->boxes);
    if (status == TSL_OK) {
        status =
            context->ops->dock->measure(context, g, &plan->receptor, &plan->ligand, plan->turns,
                                        count, plan->boxes, shifts, scores, plan->energies);
    }
    for (int i = 0; i < count && status == TSL_OK; i++) {
        poses[i].score = (int32_t)scores[i];
        poses[i].energy = tsl_dock_energy(g, plan->energies[i]);
    }
    return status;
}

tsl_status tsl_dock_rescore(tsl_dock_plan *plan, tsl_pose *poses, int64_t count)
{
    tsl_status status = check_ready(plan, count);
    const int half = plan->geometry.grid / 2;
    for (int64_t i = 0; i < count && status == TSL_OK; i++) {
        for (int axis = 0; axis < 3; axis++) {
            const int shift = poses[i].shift[axis];
            if (shift <= -half || shift > half) {
                return tsl_fail(plan->context, TSL_E_ARG,
                                "pose %lld is shifted by %d cells, beyond a grid of %d",
                                (long long)i, shift, plan->geometry.grid);
            }
        }
        status = check_rotations(plan->context, &poses[i].rotation, 1);
    }
    for (int64_t first = 0; first < count && status == TSL_OK; first += plan->correlation.batch) {
        const int64_t left = count - first;
        const int batch = left < plan->correlation.batch ? (int)left : plan->correlation.batch;
        status = measure_batch(plan, poses + first, batch);
    }
    return status;
}
