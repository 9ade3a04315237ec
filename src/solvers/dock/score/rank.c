/* A plan's part of the score of complementarity: memory, fields, and the winners of a batch. */
#include <math.h>
#include <string.h>

#include "core/profile.h"
#include "io/molecule/molecule.h"
#include "solvers/dock/receptor.h"

bool tsl_dock_has_terms(const tsl_dock_plan *plan)
{
    return plan->options.score == TSL_SCORE_COMPLEMENTARITY;
}

static int64_t cube(int64_t n)
{
    return n * n * n;
}

static int64_t aligned(int64_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

/* ---- memory ------------------------------------------------------------------------------- */

/* Candidates that are looked at together. */
static int64_t candidates_of(int count)
{
    const int64_t many = (int64_t)count * TSL_CANDIDATES;
    return many > TSL_CANDIDATES_MORE ? many : TSL_CANDIDATES_MORE;
}

/* Whether a correlation takes the atoms' terms as points. */
static bool takes_points(const tsl_context *context, const tsl_convolve_description *what)
{
    const tsl_convolve_ops *ops = context->ops->convolve;
    return ops->takes_points != NULL && ops->takes_points(what) != 0;
}

/* Lay out a batch of `count` rotations; `memory` may be NULL to learn its size. */
static void lay_out(tsl_score_batch *batch, char *memory, const tsl_dock_geometry *g, int count,
                    int64_t atoms, bool points)
{
    const int64_t candidates = candidates_of(count);
    batch->given = points ? 1 : TSL_TERMS;
    const struct {
        void **array;
        int64_t bytes;
    } parts[] = {{(void **)&batch->boxes, count * batch->given * cube(g->box) * 4},
                 {(void **)&batch->heads, points ? (int64_t)count * g->box * g->box * 4 : 0},
                 {(void **)&batch->next, points ? count * atoms * 4 : 0},
                 {(void **)&batch->places, count * atoms * 4},
                 {(void **)&batch->clashes, count * cube(g->box) * 4},
                 {(void **)&batch->clash_counts, count * 4},
                 {(void **)&batch->squares, count * 8},
                 {(void **)&batch->scores, candidates * 8},
                 {(void **)&batch->energies, candidates * 8}};
    batch->memory = memory;
    batch->bytes = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        *parts[i].array = memory != NULL && parts[i].bytes > 0 ? memory + batch->bytes : NULL;
        batch->bytes += aligned(parts[i].bytes);
    }
}

static int64_t host_bytes(int count)
{
    return 3 * 8 * candidates_of(count) + 8 * (int64_t)count;
}

int64_t tsl_dock_terms_bytes(const tsl_context *context, const tsl_dock_geometry *g,
                             const tsl_convolve_description *what, int count, int64_t atoms)
{
    tsl_score_batch batch;
    lay_out(&batch, NULL, g, count, atoms, takes_points(context, what));
    return batch.bytes + host_bytes(count) +
           atoms * (int64_t)(3 * sizeof(float) + sizeof(float) + sizeof(tsl_terms));
}

static void free_ligand(tsl_context *context, tsl_score_ligand *ligand)
{
    tsl_device_release(context, ligand->positions);
    tsl_device_release(context, ligand->squares);
    tsl_device_release(context, ligand->values);
    *ligand = (tsl_score_ligand){0};
}

void tsl_dock_free_terms(tsl_dock_plan *plan)
{
    tsl_dock_terms *t = &plan->terms;
    free_ligand(plan->context, &t->ligand);
    tsl_device_release(plan->context, t->device.memory);
    tsl_release(t->host);
    t->device = (tsl_score_batch){0};
    t->host = NULL;
}

void tsl_dock_free_fields(tsl_dock_plan *plan)
{
    tsl_device_release(plan->context, plan->terms.fields);
    plan->terms.fields = NULL;
}

static tsl_status take_batch(tsl_dock_plan *plan)
{
    tsl_dock_terms *t = &plan->terms;
    const int batch = plan->correlation.batch;
    const int64_t candidates = candidates_of(batch);
    const bool points = takes_points(plan->context, &plan->correlation);
    tsl_score_batch size;
    void *device = NULL;
    lay_out(&size, NULL, &plan->geometry, batch, plan->atoms, points);
    tsl_device_release(plan->context, t->device.memory);
    tsl_release(t->host);
    t->device = (tsl_score_batch){0};
    t->host = tsl_allocate((size_t)host_bytes(batch));
    if (t->host == NULL) {
        return tsl_fail_memory(plan->context, host_bytes(batch), "a batch's candidates");
    }
    t->candidates = t->host;
    t->scores = t->candidates + candidates;
    t->energies = t->scores + candidates;
    t->squares = t->energies + candidates;
    const tsl_status status =
        tsl_device_allocate(&device, plan->context, size.bytes, "the ligand's terms");
    if (status == TSL_OK) {
        lay_out(&t->device, device, &plan->geometry, batch, plan->atoms, points);
    }
    return status;
}

/* An array of the host to a new one on the device. */
static tsl_status send(void **out, tsl_context *context, const void *from, int64_t bytes)
{
    const tsl_status status = tsl_device_allocate(out, context, bytes, "a molecule's atoms");
    return status == TSL_OK ? context->ops->upload(context, *out, from, bytes) : status;
}

static tsl_status send_ligand(tsl_dock_plan *plan, const tsl_score_atom *atoms, int64_t count)
{
    tsl_context *context = plan->context;
    tsl_score_ligand *ligand = &plan->terms.ligand;
    tsl_terms *values = tsl_allocate((size_t)count * sizeof *values);
    float *positions = tsl_allocate((size_t)count * 4 * sizeof *positions);
    tsl_status status = TSL_OK;
    if (values == NULL || positions == NULL) {
        status = tsl_fail_memory(context, count * 32, "a molecule's atoms");
        goto done;
    }
    for (int64_t i = 0; i < count; i++) {
        memcpy(positions + 3 * i, atoms[i].position, sizeof atoms[i].position);
        positions[3 * count + i] = atoms[i].clash_square;
    }
    tsl_score_values(atoms, count, &plan->terms.weights, values);
    tsl_score_value_norms(atoms, count, values, plan->geometry.spacing, ligand->norms);
    ligand->count = count;
    ligand->reach = tsl_dock_reach((float)TSL_CLASH_LARGEST, plan->geometry.spacing);
    TSL_TRY(send((void **)&ligand->positions, context, positions, 12 * count));
    TSL_TRY(send((void **)&ligand->squares, context, positions + 3 * count, 4 * count));
    TSL_TRY(send((void **)&ligand->values, context, values, count * (int64_t)sizeof *values));
done:
    tsl_release(values);
    tsl_release(positions);
    return status;
}

tsl_status tsl_dock_take_terms(tsl_dock_plan *plan, const tsl_molecule *molecule)
{
    tsl_score_atom *atoms = NULL;
    free_ligand(plan->context, &plan->terms.ligand);
    tsl_status status = TSL_OK;
    TSL_TRY(take_batch(plan));
    TSL_TRY(
        tsl_score_atoms(&atoms, plan->context, molecule, plan->options.complementarity.blocked[1]));
    TSL_TRY(send_ligand(plan, atoms, molecule->count));
done:
    tsl_release(atoms);
    return status;
}

/* ---- fields ------------------------------------------------------------------------------- */

tsl_status tsl_dock_take_fields(tsl_dock_plan *plan)
{
    void *fields = NULL;
    tsl_dock_free_receptor(plan);
    const tsl_status status = tsl_device_allocate(
        &fields, plan->context, cube(plan->geometry.grid) * (int64_t)sizeof(tsl_terms),
        "the receptor's fields");
    plan->terms.fields = fields;
    return status;
}

tsl_status tsl_dock_make_fields(tsl_dock_plan *plan, const tsl_molecule *receptor)
{
    tsl_context *context = plan->context;
    tsl_dock_terms *t = &plan->terms;
    const double begun = tsl_seconds();
    const int grid = plan->geometry.grid;
    const int64_t bytes = cube(grid) * (int64_t)sizeof(tsl_terms);
    int64_t cells[2] = {0, 0};
    tsl_score_atom *atoms = NULL;
    tsl_terms *fields = tsl_allocate((size_t)bytes);
    tsl_status status = fields == NULL ? tsl_fail_memory(context, bytes, "the receptor's fields")
                                       : tsl_score_atoms(&atoms, context, receptor,
                                                         plan->options.complementarity.blocked[0]);
    if (status == TSL_OK) {
        status = tsl_score_fields(context, grid, plan->geometry.spacing, atoms, receptor->count,
                                  &t->weights, fields, t->norms, cells);
    }
    if (status == TSL_OK) {
        status = context->ops->upload(context, t->fields, fields, bytes);
    }
    plan->summary.surface_cells = cells[0];
    plan->summary.core_cells = cells[1];
    tsl_release(atoms);
    tsl_release(fields);
    tsl_profile_add(context, "receptor fields", begun, bytes, 0);
    return status;
}

tsl_status tsl_dock_load_fields(tsl_dock_plan *plan)
{
    tsl_context *context = plan->context;
    const double begun = tsl_seconds();
    tsl_status status = TSL_OK;
    for (int term = 0; term < TSL_TERMS && status == TSL_OK; term++) {
        status = context->ops->dock->score->load(context, &plan->geometry, &plan->layout,
                                                 plan->terms.fields, term, plan->grids);
        if (status == TSL_OK) {
            status = context->ops->convolve->set_term(plan->convolve, term, plan->grids);
        }
    }
    tsl_profile_add(context, "receptor spectrum", begun, TSL_TERMS * 3 * plan->layout.member_bytes,
                    TSL_TERMS * tsl_convolve_flops(&plan->correlation) / 2);
    return status;
}

/* ---- a batch ------------------------------------------------------------------------------ */

tsl_status tsl_dock_place_terms(tsl_dock_plan *plan, int count)
{
    tsl_context *context = plan->context;
    const tsl_dock_batch *device = &plan->device;
    tsl_status status =
        context->ops->upload(context, device->memory, plan->host.memory, device->sent);
    return status == TSL_OK
               ? context->ops->dock->score->place(context, &plan->geometry, &plan->terms.ligand,
                                                  device->turns, count, &plan->terms.device)
               : status;
}

tsl_status tsl_dock_correlate_terms(tsl_dock_plan *plan, int count)
{
    const tsl_dock_terms *t = &plan->terms;
    const tsl_convolve_points points = {.count = t->ligand.count,
                                        .heads = t->device.heads,
                                        .next = t->device.next,
                                        .cells = t->device.places,
                                        .values = t->ligand.values->of};
    return plan->context->ops->convolve->execute_terms(plan->convolve, count, t->device.boxes,
                                                       &points, plan->grids);
}

/* What the transform's values of a member are off by at most, in scores. */
static double bound_of(const tsl_dock_plan *plan, int member)
{
    const tsl_dock_terms *t = &plan->terms;
    double products = t->norms[TSL_TERM_CLASH] * sqrt((double)t->squares[member]);
    for (int term = 0; term < TSL_TERM_CLASH; term++) {
        products += t->norms[term] * t->ligand.norms[term];
    }
    return tsl_convolve_error(&plan->correlation) * products / (1 << TSL_SCORE_SHIFT);
}

/* Find the next `k` candidates of `count` members from member `first` on, and their exact scores.
 */
static tsl_status look(tsl_dock_plan *plan, int first, int count, int k)
{
    tsl_context *context = plan->context;
    tsl_dock_terms *t = &plan->terms;
    const tsl_dock_batch *device = &plan->device;
    const int64_t bytes = (int64_t)count * k * (int64_t)sizeof(int64_t);
    tsl_status status = TSL_OK;
    double begun = tsl_seconds();
    TSL_TRY(tsl_dock_top_terms(plan, first, count, k));
    tsl_profile_add(context, "candidates", begun, count * plan->layout.member_bytes, 0);
    begun = tsl_seconds();
    TSL_TRY(context->ops->dock->score->sum(context, &plan->geometry, t->fields, &t->ligand,
                                           &t->device, first, count, device->candidates, k,
                                           device->found + first));
    TSL_TRY(context->ops->download(context, t->candidates, device->candidates, bytes));
    TSL_TRY(context->ops->download(context, t->scores, t->device.scores, bytes));
    TSL_TRY(context->ops->download(context, t->energies, t->device.energies, bytes));
    TSL_TRY(context->ops->download(context, t->squares, t->device.squares,
                                   plan->correlation.batch * (int64_t)sizeof *t->squares));
    TSL_TRY(context->ops->download(context, plan->host.found, device->found,
                                   plan->correlation.batch * (int64_t)sizeof *plan->host.found));
done:
    tsl_profile_add(context, "sum candidates", begun, 0, 0);
    return status;
}

/* Do the restraint and the caller's filter let a pose stand? */
static bool may_stand(const tsl_dock_plan *plan, const tsl_rotation *rotation, int64_t cell)
{
    const tsl_complementarity *c = &plan->options.complementarity;
    const int64_t n = plan->geometry.grid;
    double motion[3][4];
    if (c->filter == NULL && c->restrained[0] == NULL) {
        return true;
    }
    const int64_t place[3] = {cell / (n * n), cell / n % n, cell % n};
    tsl_pose pose = {.rotation = *rotation};
    for (int axis = 0; axis < 3; axis++) {
        pose.shift[axis] = tsl_dock_signed_shift((int)place[axis], (int)n);
    }
    tsl_pose_motion(plan, &pose, motion);
    return tsl_dock_fulfils(plan, (const double(*)[4])motion) &&
           (c->filter == NULL || c->filter(c->filter_user, (const double(*)[4])motion) != 0);
}

/* Put a pose among the member's winners, best first, if it is one. */
static void keep_pose(tsl_dock_plan *plan, int member, const tsl_rotation *rotation, int64_t key,
                      int64_t energy)
{
    const int keep = plan->options.keep;
    int64_t *winners = plan->host.winners + (int64_t)member * keep;
    int64_t *energies = plan->host.energies + (int64_t)member * keep;
    int *kept = &plan->host.kept[member];
    int at = *kept;
    if ((at == keep && key < winners[keep - 1]) || !may_stand(plan, rotation, tsl_top_cell(key))) {
        return;
    }
    *kept = at < keep ? at + 1 : keep;
    for (at = *kept - 1; at > 0 && winners[at - 1] < key; at--) {
        winners[at] = winners[at - 1];
        energies[at] = energies[at - 1];
    }
    winners[at] = key;
    energies[at] = energy;
}

/* Take a member's candidates in; `at` is where they begin. Is nothing left to look at? */
static bool take_candidates(tsl_dock_plan *plan, int member, const tsl_rotation *rotation,
                            int64_t at, int k)
{
    tsl_dock_terms *t = &plan->terms;
    const int keep = plan->options.keep;
    const int found = plan->host.found[member];
    /* both the transform's value and the exact sum are rounded */
    const double bound = bound_of(plan, member) + 1;
    double off = 0;
    for (int i = 0; i < found; i++) {
        const int64_t score = t->scores[at + i];
        off = fmax(off, fabs((double)(score - tsl_top_score(t->candidates[at + i]))));
        if (score >= TSL_SCORE_LEAST && score <= INT32_MAX) {
            keep_pose(plan, member, rotation,
                      tsl_top_key((int32_t)score, tsl_top_cell(t->candidates[at + i])),
                      t->energies[at + i]);
        }
    }
    plan->summary.transform_error = fmax(plan->summary.transform_error, off);
    plan->summary.transform_bound = fmax(plan->summary.transform_bound, bound);
    if (off > bound || bound >= TSL_SCORE_LEAST) { /* to go on in double precision */
        plan->summary.transform_error = INFINITY;
        return true;
    }
    if (found < k) {
        return true;
    }
    const double rest = tsl_top_score(t->candidates[at + k - 1]) + bound;
    const bool full = plan->host.kept[member] == keep;
    const int64_t last = full ? plan->host.winners[(int64_t)member * keep + keep - 1] : 0;
    return rest < TSL_SCORE_LEAST || (full && rest < tsl_top_score(last));
}

tsl_status tsl_dock_select_terms(tsl_dock_plan *plan, const tsl_rotation *rotations, int count)
{
    bool *more = tsl_allocate((size_t)count * sizeof *more);
    if (more == NULL) {
        return tsl_fail_memory(plan->context, count, "a batch's candidates");
    }
    tsl_status status = look(plan, 0, count, TSL_CANDIDATES);
    for (int i = 0; i < count && status == TSL_OK; i++) {
        plan->host.kept[i] = 0;
        more[i] =
            !take_candidates(plan, i, &rotations[i], (int64_t)i * TSL_CANDIDATES, TSL_CANDIDATES);
    }
    for (int i = 0; i < count && status == TSL_OK; i++) {
        while (status == TSL_OK && more[i]) {
            status = look(plan, i, 1, TSL_CANDIDATES_MORE);
            more[i] = status == TSL_OK &&
                      !take_candidates(plan, i, &rotations[i], 0, TSL_CANDIDATES_MORE);
        }
    }
    tsl_release(more);
    return status;
}

tsl_status tsl_dock_measure_terms(tsl_dock_plan *plan, int count)
{
    tsl_context *context = plan->context;
    tsl_dock_terms *t = &plan->terms;
    const int64_t n = plan->geometry.grid;
    tsl_status status = TSL_OK;
    for (int i = 0; i < count; i++) {
        const int32_t *shift = plan->host.shifts + 3 * (int64_t)i;
        t->candidates[i] = tsl_top_key(1, (shift[0] * n + shift[1]) * n + shift[2]);
        plan->host.found[i] = 1;
    }
    TSL_TRY(context->ops->upload(context, plan->device.candidates, t->candidates, 8 * count));
    TSL_TRY(context->ops->upload(context, plan->device.found, plan->host.found, 4 * count));
    TSL_TRY(context->ops->dock->score->sum(context, &plan->geometry, t->fields, &t->ligand,
                                           &t->device, 0, count, plan->device.candidates, 1,
                                           plan->device.found));
    TSL_TRY(context->ops->download(context, plan->host.scores, t->device.scores, 8 * count));
    TSL_TRY(context->ops->download(context, plan->host.energies, t->device.energies, 8 * count));
done:
    return status;
}
