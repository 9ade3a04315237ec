/* The search: batch after batch of rotations, from atoms to the poses kept. */
#include "solvers/dock/share.h"

#include <math.h>
#include <string.h>

/* An energy of the kernels in e^2/angstrom. */
static double energy_of(const tsl_dock_plan *plan, int64_t energy)
{
    const tsl_dock_geometry *geometry = &plan->geometry;
    if (tsl_dock_has_terms(plan)) {
        const double weight = plan->terms.weights.electrostatics;
        return weight == 0 ? 0 : -ldexp((double)energy, -TSL_SCORE_BITS) / (weight * TSL_COULOMB);
    }
    const int bits = 3 * tsl_dock_weight_bits(geometry->slip);
    return (double)energy * (double)(INT64_C(1) << bits) * TSL_CHARGE_UNIT /
           (double)(INT64_C(1) << TSL_POTENTIAL_BITS);
}

/* Send a batch to the device, and put its turned atoms and charges into place. */
static tsl_status place_batch(tsl_dock_plan *plan, int count)
{
    tsl_context *context = plan->context;
    const tsl_dock_ops *dock = context->ops->dock;
    const tsl_dock_batch *device = &plan->device;
    tsl_status status = TSL_OK;
    TSL_TRY(context->ops->upload(context, device->memory, plan->host.memory, device->sent));
    TSL_TRY(
        dock->place(context, &plan->geometry, &plan->ligand, device->turns, count, plan->boxes));
    TSL_TRY(dock->place_charges(context, &plan->geometry, &plan->ligand, device->turns, count,
                                device->corners));
done:
    return status;
}

/* Atoms to correlations: the two stages whose cost grows with the grid. */
static tsl_status correlate(tsl_dock_plan *plan, const tsl_rotation *rotations, int count)
{
    tsl_context *context = plan->context;
    const tsl_dock_geometry *g = &plan->geometry;
    for (int i = 0; i < count; i++) {
        plan->host.turns[i] = tsl_dock_turns_of(&rotations[i]);
        plan->host.after[i] = INT64_MAX;
        plan->host.kept[i] = 0;
    }
    *plan->host.error = 0;
    const int64_t box_bytes = (int64_t)g->box * g->box * g->box;
    double begun = tsl_seconds();
    const bool terms = tsl_dock_has_terms(plan);
    const int64_t transforms = terms ? TSL_TERMS + 1 : 2;
    tsl_status status = terms ? tsl_dock_place_terms(plan, count) : place_batch(plan, count);
    tsl_profile_add(context, "place", begun,
                    count * (terms ? plan->terms.device.given * 4 : 1) * box_bytes, 0);
    if (status != TSL_OK) {
        return status;
    }
    begun = tsl_seconds();
    status = terms
                 ? tsl_dock_correlate_terms(plan, count)
                 : context->ops->convolve->execute(plan->convolve, count, plan->boxes, plan->grids);
    tsl_profile_add(context, "correlate", begun, 5 * count * plan->layout.member_bytes,
                    count * transforms * tsl_convolve_flops(&plan->correlation) / 2);
    return status == TSL_OK && terms ? tsl_dock_restrain(plan, count) : status;
}

/* Look at the next `k` candidates of `count` members from number `first` on, and learn the outcome.
 */
static tsl_status look(tsl_dock_plan *plan, int first, int count, int k)
{
    tsl_context *context = plan->context;
    const tsl_dock_batch *device = &plan->device;
    const int keep = plan->options.keep;
    double begun = tsl_seconds();
    tsl_status status = context->ops->convolve->top(plan->convolve, plan->grids, first, count, k,
                                                    device->after + first, device->candidates,
                                                    device->found + first, device->error);
    tsl_profile_add(context, "candidates", begun, count * plan->layout.member_bytes, 0);
    begun = tsl_seconds();
    if (status == TSL_OK) {
        status = context->ops->dock->settle(
            context, &plan->geometry, &plan->receptor, &plan->ligand,
            device->corners + first * 3 * plan->ligand.charged, count, device->candidates, k,
            device->found + first, keep, device->kept + first,
            device->winners + (int64_t)first * keep, device->energies + (int64_t)first * keep);
    }
    if (status == TSL_OK) {
        status = context->ops->download(context, plan->host.kept, device->kept, device->received);
    }
    tsl_profile_add(context, "settle", begun, 0, 0);
    if (status == TSL_OK && (double)*plan->host.error > plan->summary.transform_error) {
        plan->summary.transform_error = (double)*plan->host.error;
    }
    return status;
}

static bool transform_is_exact(const tsl_dock_plan *plan)
{
    return plan->summary.transform_error <= plan->summary.transform_bound &&
           (tsl_dock_has_terms(plan) || plan->summary.transform_error < TSL_TRANSFORM_ERROR_LIMIT);
}

/* Winners of each member; they are void if the transform then turns out not to be exact. */
static tsl_status select_winners(tsl_dock_plan *plan, const tsl_rotation *rotations, int count)
{
    if (tsl_dock_has_terms(plan)) {
        return tsl_dock_select_terms(plan, rotations, count);
    }
    tsl_status status = look(plan, 0, count, TSL_CANDIDATES);
    for (int i = 0; i < count && status == TSL_OK && transform_is_exact(plan); i++) {
        /* Few rotations have less than `keep` good ones among the first candidates. */
        int asked = TSL_CANDIDATES;
        while (status == TSL_OK && plan->host.kept[i] < plan->options.keep &&
               plan->host.found[i] == asked) {
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
            if (j < plan->host.kept[i]) {
                const int64_t key = plan->host.winners[(int64_t)i * keep + j];
                const int64_t cell = tsl_top_cell(key);
                const int64_t place[3] = {cell / (n * n), cell / n % n, cell % n};
                for (int axis = 0; axis < 3; axis++) {
                    pose->shift[axis] = tsl_dock_signed_shift((int)place[axis], (int)n);
                }
                pose->score = tsl_top_score(key);
                pose->energy = energy_of(plan, plan->host.energies[(int64_t)i * keep + j]);
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

static int batch_size(const tsl_dock_plan *plan, int64_t left)
{
    return left < plan->correlation.batch ? (int)left : plan->correlation.batch;
}

static tsl_status go_on_in_double(tsl_dock_plan *plan)
{
    return plan->correlation.precision == TSL_DOUBLE
               ? tsl_fail(plan->context, TSL_E_INTERNAL,
                          "a transform in double precision is off by %g",
                          plan->summary.transform_error)
               : tsl_dock_use_double(plan);
}

/* What a search was asked for. */
typedef struct search {
    const tsl_rotation *rotations;
    tsl_dock_progress progress;
    void *user;
} search;

/* Poses of a batch are there: tell, and ask whether to go on. */
static tsl_status report_batch(tsl_dock_share *share, int64_t first, int count)
{
    const search *asked = share->user;
    const tsl_pose *poses = (const tsl_pose *)(const void *)(share->outcome + first * share->bytes);
    return asked->progress != NULL && asked->progress(asked->user, first, count, poses) != 0
               ? tsl_fail(share->plan->context, TSL_E_CANCELLED, "the search was stopped")
               : tsl_dock_share_goes_on(share);
}

static tsl_status search_range(tsl_dock_share *share, int64_t begin, int64_t count, int64_t *done)
{
    tsl_dock_plan *plan = share->plan;
    const search *asked = share->user;
    tsl_status status = TSL_OK;
    int batch = 0; /* whose correlations are under way */
    for (*done = 0; *done < count && status == TSL_OK;) {
        const int64_t first = begin + *done;
        if (batch == 0) {
            batch = batch_size(plan, count - *done);
            status = correlate(plan, asked->rotations + first, batch);
        }
        if (status == TSL_OK) {
            status = select_winners(plan, asked->rotations + first, batch);
        }
        if (status == TSL_OK && !transform_is_exact(plan)) {
            status = go_on_in_double(plan);
            batch = 0;
            continue;
        }
        if (status == TSL_OK) {
            const int found = batch;
            write_poses(plan, asked->rotations + first, found,
                        (tsl_pose *)(void *)(share->outcome + first * share->bytes));
            *done += found;
            batch = batch_size(plan, count - *done);
            if (batch > 0) { /* the device goes on while the caller has its turn */
                status = correlate(plan, asked->rotations + first + found, batch);
            }
            const tsl_status told = report_batch(share, first, found);
            status = told != TSL_OK ? told : status;
        }
    }
    return status;
}

tsl_status tsl_dock_search(tsl_dock_plan *plan, tsl_pose *poses, const tsl_rotation *rotations,
                           int64_t count, tsl_dock_progress progress, void *user)
{
    tsl_status status = check_ready(plan, count);
    if (status == TSL_OK) {
        status = check_rotations(plan->context, rotations, count);
    }
    if (status != TSL_OK) {
        return tsl_comm_refuse(plan->context, status);
    }
    search asked = {.rotations = rotations, .progress = progress, .user = user};
    tsl_dock_share share = {.plan = plan,
                            .run = search_range,
                            .get_ready = tsl_dock_get_ready,
                            .outcome = (char *)poses,
                            .bytes = plan->options.keep * (int64_t)sizeof *poses,
                            .is_for_first = plan->is_for_first,
                            .user = &asked};
    return tsl_dock_share_out(&share, count);
}

/* A batch of poses of a rescoring. */
static tsl_status measure_batch(tsl_dock_plan *plan, tsl_pose *poses, int count)
{
    tsl_context *context = plan->context;
    const tsl_dock_geometry *g = &plan->geometry;
    const tsl_dock_batch *device = &plan->device;
    for (int i = 0; i < count; i++) {
        plan->host.turns[i] = tsl_dock_turns_of(&poses[i].rotation);
        for (int axis = 0; axis < 3; axis++) {
            plan->host.shifts[3 * i + axis] =
                tsl_dock_place_of_shift(poses[i].shift[axis], g->grid);
        }
    }
    const bool terms = tsl_dock_has_terms(plan);
    tsl_status status = terms ? tsl_dock_place_terms(plan, count) : place_batch(plan, count);
    if (status == TSL_OK && terms) {
        status = tsl_dock_measure_terms(plan, count);
    } else if (status == TSL_OK) {
        status = context->ops->dock->measure(context, g, &plan->receptor, &plan->ligand,
                                             device->corners, count, plan->boxes, device->shifts,
                                             device->scores, device->energies);
    }
    if (status == TSL_OK && !terms) {
        status = context->ops->download(context, plan->host.kept, device->kept, device->received);
    }
    for (int i = 0; i < count && status == TSL_OK; i++) {
        poses[i].score = (int32_t)plan->host.scores[i];
        poses[i].energy = energy_of(plan, plan->host.energies[i]);
    }
    return status;
}

static tsl_status measure_range(tsl_dock_share *share, int64_t begin, int64_t count, int64_t *done)
{
    tsl_status status = TSL_OK;
    for (*done = 0; *done < count && status == TSL_OK;) {
        const int batch = batch_size(share->plan, count - *done);
        status = measure_batch(
            share->plan, (tsl_pose *)(void *)(share->outcome + (begin + *done) * share->bytes),
            batch);
        *done += status == TSL_OK ? batch : 0;
        if (status == TSL_OK) {
            status = tsl_dock_share_goes_on(share);
        }
    }
    return status;
}

tsl_status tsl_dock_check_poses(const tsl_dock_plan *plan, const tsl_pose *poses, int64_t count)
{
    const int half = plan->geometry.grid / 2;
    tsl_status status = check_ready(plan, count);
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
    return status;
}

tsl_status tsl_dock_rescore(tsl_dock_plan *plan, tsl_pose *poses, int64_t count)
{
    const tsl_status status = tsl_dock_check_poses(plan, poses, count);
    if (status != TSL_OK) {
        return tsl_comm_refuse(plan->context, status);
    }
    tsl_dock_share share = {
        .plan = plan, .run = measure_range, .outcome = (char *)poses, .bytes = sizeof *poses};
    return tsl_dock_share_out(&share, count);
}
