/* A restraint: two atoms, one of some of the receptor's and one of some of the ligand's, have to be
 * near each other. Correlations keep the cells where they may be (restrain_point.h), and each pose
 * found there is checked. */
#include <string.h>

#include "core/profile.h"
#include "io/molecule/molecule.h"
#include "solvers/dock/plan.h"

/* Rows of cells that are marked for a rotation at most, some 40 ms of a CPU's core. Restraints
 * whose balls have more are loose ones, which most good poses fulfil: each pose found is checked,
 * and nothing else is done. */
enum { ROWS_MARKED = 1 << 22 };

/* By what the balls are larger than the restraint, so that rounding leaves none out, angstrom. */
#define MARGIN 0.02F

static float radius_of(const tsl_dock_plan *plan)
{
    return (float)plan->options.complementarity.within + MARGIN;
}

/* Planes of cells that a ball meets at most. */
static int slices_of(const tsl_dock_plan *plan, const tsl_dock_geometry *g)
{
    const int slices = (int)(2 * radius_of(plan) / g->spacing) + 2;
    return slices < g->grid ? slices : g->grid;
}

static bool is_masked(const tsl_dock_plan *plan, const tsl_dock_geometry *g)
{
    const int64_t *count = plan->terms.restraint.count;
    const int64_t slices = slices_of(plan, g);
    return count[0] > 0 && count[0] * count[1] <= ROWS_MARKED / (slices * slices);
}

tsl_status tsl_dock_count_restrained(tsl_dock_plan *plan, const tsl_molecule *receptor,
                                     const tsl_molecule *ligand)
{
    const tsl_molecule *const molecules[2] = {receptor, ligand};
    for (int role = 0; role < 2; role++) {
        const uint8_t *marks = plan->options.complementarity.restrained[role];
        int64_t *count = &plan->terms.restraint.count[role];
        *count = 0;
        for (int64_t i = 0; i < molecules[role]->count && marks != NULL; i++) {
            *count += marks[i] != 0;
        }
        if (marks != NULL && *count == 0) {
            return tsl_fail(plan->context, TSL_E_ARG, "the restraint names no atom of the %s",
                            role == 0 ? "receptor" : "ligand");
        }
    }
    return TSL_OK;
}

static int64_t mask_bytes(int grid, int batch)
{
    return (int64_t)batch * grid * grid * tsl_restraint_row_words(grid) * (int64_t)sizeof(uint32_t);
}

int64_t tsl_dock_restraint_bytes(const tsl_dock_plan *plan, const tsl_dock_geometry *g, int batch)
{
    const int64_t *count = plan->terms.restraint.count;
    const int64_t positions = (count[0] + count[1]) * 3 * (int64_t)sizeof(double);
    const int64_t many = (int64_t)batch * TSL_CANDIDATES;
    const int64_t keys = many > TSL_CANDIDATES_MORE ? many : TSL_CANDIDATES_MORE;
    /* the reduction's: of each thread of a CPU, or of each slab of a GPU */
    const int64_t lists = plan->context->threads + (int64_t)g->grid * g->grid * g->grid / 32768 + 1;
    return is_masked(plan, g) ? 2 * positions + mask_bytes(g->grid, batch) +
                                    lists * keys * (int64_t)sizeof(int64_t)
                              : positions;
}

void tsl_dock_free_restraint(tsl_dock_plan *plan)
{
    tsl_dock_restraint *r = &plan->terms.restraint;
    tsl_release(r->positions[0]);
    tsl_release(r->positions[1]);
    tsl_device_release(plan->context, r->atoms);
    tsl_device_release(plan->context, r->mask);
    plan->context->ops->reduce->destroy(r->reduce);
    r->positions[0] = r->positions[1] = NULL;
    r->atoms = r->mask = NULL;
    r->reduce = NULL;
}

/* Positions of a molecule's marked atoms. */
static tsl_status take_positions(tsl_dock_plan *plan, int role, const tsl_molecule *molecule)
{
    const uint8_t *marks = plan->options.complementarity.restrained[role];
    tsl_dock_restraint *r = &plan->terms.restraint;
    const int64_t bytes = r->count[role] * 3 * (int64_t)sizeof(double);
    double *to = tsl_allocate((size_t)bytes);
    r->positions[role] = to;
    if (to == NULL) {
        return tsl_fail_memory(plan->context, bytes, "the restraint's atoms");
    }
    for (int64_t i = 0; i < molecule->count; i++) {
        if (marks[i] != 0) {
            memcpy(to, molecule->positions + 3 * i, 3 * sizeof *to);
            to += 3;
        }
    }
    return TSL_OK;
}

/* The atoms of both on the device, from their molecules' middles. */
static tsl_status send_atoms(tsl_dock_plan *plan)
{
    tsl_dock_restraint *r = &plan->terms.restraint;
    const double *const middles[2] = {plan->summary.receptor_centre, plan->summary.ligand_centre};
    const int64_t bytes = (r->count[0] + r->count[1]) * 3 * (int64_t)sizeof(float);
    float *from = tsl_allocate((size_t)bytes);
    if (from == NULL) {
        return tsl_fail_memory(plan->context, bytes, "the restraint's atoms");
    }
    float *at = from;
    for (int role = 0; role < 2; role++) {
        for (int64_t i = 0; i < 3 * r->count[role]; i++) {
            *at++ = (float)(r->positions[role][i] - middles[role][i % 3]);
        }
    }
    tsl_status status =
        tsl_device_allocate(&r->atoms, plan->context, bytes, "the restraint's atoms");
    if (status == TSL_OK) {
        status = plan->context->ops->upload(plan->context, r->atoms, from, bytes);
    }
    tsl_release(from);
    return status;
}

static tsl_restraint_task task_of(const tsl_dock_plan *plan)
{
    const tsl_dock_restraint *r = &plan->terms.restraint;
    return (tsl_restraint_task){.grid = plan->geometry.grid,
                                .spacing = plan->geometry.spacing,
                                .radius = radius_of(plan),
                                .slices = slices_of(plan, &plan->geometry),
                                .count = {(int)r->count[0], (int)r->count[1]},
                                .positions = {r->atoms, (float *)r->atoms + 3 * r->count[0]},
                                .turns = plan->device.turns,
                                .mask = r->mask,
                                .layout = plan->layout,
                                .grids = plan->grids};
}

tsl_status tsl_dock_take_restraint(tsl_dock_plan *plan, const tsl_molecule *receptor,
                                   const tsl_molecule *ligand)
{
    tsl_context *context = plan->context;
    tsl_dock_restraint *r = &plan->terms.restraint;
    const int batch = plan->correlation.batch;
    tsl_status status = TSL_OK;
    tsl_dock_free_restraint(plan);
    if (r->count[0] == 0) {
        return TSL_OK;
    }
    TSL_TRY(take_positions(plan, 0, receptor));
    TSL_TRY(take_positions(plan, 1, ligand));
    if (!is_masked(plan, &plan->geometry)) {
        return TSL_OK;
    }
    TSL_TRY(send_atoms(plan));
    TSL_TRY(tsl_device_allocate(&r->mask, context, mask_bytes(plan->geometry.grid, batch),
                                "the restraint's mask"));
    TSL_TRY(context->ops->reduce->create(&r->reduce, context, &plan->layout, batch, TSL_CANDIDATES,
                                         TSL_CANDIDATES_MORE));
    r->task = task_of(plan);
done:
    return status;
}

tsl_status tsl_dock_restrain(tsl_dock_plan *plan, int count)
{
    tsl_context *context = plan->context;
    const double begun = tsl_seconds();
    if (plan->terms.restraint.mask == NULL) {
        return TSL_OK;
    }
    tsl_status status = context->ops->convolve->store(plan->convolve, count, plan->grids);
    if (status == TSL_OK) {
        status = context->ops->dock->score->restrain(context, &plan->terms.restraint.task, count);
    }
    tsl_profile_add(context, "restrain", begun, 2 * count * plan->layout.member_bytes, 0);
    return status;
}

tsl_status tsl_dock_top_terms(tsl_dock_plan *plan, int first, int count, int k)
{
    tsl_context *context = plan->context;
    const tsl_dock_batch *device = &plan->device;
    const int64_t row = tsl_grid_row(&plan->layout, first, 0);
    return plan->terms.restraint.mask != NULL
               ? context->ops->reduce->top(plan->terms.restraint.reduce,
                                           (const char *)plan->grids +
                                               row * (int64_t)plan->layout.precision,
                                           count, k, device->after + first, device->candidates,
                                           device->found + first, device->error)
               : context->ops->convolve->top(plan->convolve, plan->grids, first, count, k,
                                             device->after + first, device->candidates,
                                             device->found + first, device->error);
}

bool tsl_dock_fulfils(const tsl_dock_plan *plan, const double motion[3][4])
{
    const tsl_dock_restraint *r = &plan->terms.restraint;
    const double within = plan->options.complementarity.within;
    for (int64_t j = 0; j < r->count[1]; j++) {
        const double *from = r->positions[1] + 3 * j;
        double at[3];
        for (int axis = 0; axis < 3; axis++) {
            at[axis] = motion[axis][0] * from[0] + motion[axis][1] * from[1] +
                       motion[axis][2] * from[2] + motion[axis][3];
        }
        for (int64_t i = 0; i < r->count[0]; i++) {
            const double *to = r->positions[0] + 3 * i;
            const double x = at[0] - to[0], y = at[1] - to[1], z = at[2] - to[2];
            if (x * x + y * y + z * z <= within * within) {
                return true;
            }
        }
    }
    return r->count[0] == 0;
}
