/* Energies of poses by potentials of pairs of atoms, and the order that they give a list. */
#include <math.h>
#include <string.h>

#include "core/profile.h"
#include "io/molecule/molecule.h"
#include "solvers/dock/plan.h"

/* Poses that a device sums together. */
enum { POSES = 4096, TYPES = TSL_CONTACT_TYPE_COUNT };

/* What energies are summed with: the host's arrays, and the device's as the task has them. */
typedef struct pair_work {
    tsl_context *context;
    tsl_pair_task task;
    tsl_pair_atom *receptor;
    int64_t receptor_count;
    int32_t *starts;
    int64_t cells;
    float *ligand;
    int32_t *types;
    int32_t values[TSL_PAIR_BINS * TSL_PAIR_TABLE];
    tsl_dock_turns *turns; /* [POSES] */
    int32_t *offsets;      /* [POSES][3] */
    void *device[7];
} pair_work;

/* ---- potentials ---------------------------------------------------------------------------- */

static tsl_status check_values(tsl_context *context, const tsl_pair_potentials *p)
{
    for (int i = 0; i < p->bins * TSL_PAIR_TABLE; i++) {
        const int bin = i / TSL_PAIR_TABLE, row = i / TYPES % TYPES, column = i % TYPES;
        const double value = p->values[i];
        const double other = p->values[bin * TSL_PAIR_TABLE + column * TYPES + row];
        if (!(fabs(value) <= 100)) {
            return tsl_fail(context, TSL_E_ARG,
                            "bin %d of the pair potentials has %g for types %d and %d: give -100 "
                            "to 100",
                            bin, value, row, column);
        }
        if (!(fabs(value - other) <= 1e-9)) {
            return tsl_fail(context, TSL_E_ARG,
                            "bin %d of the pair potentials has %g for types %d and %d, but %g the "
                            "other way round: give a symmetric table",
                            bin, value, row, column, other);
        }
    }
    return TSL_OK;
}

static tsl_status check_potentials(tsl_context *context, const tsl_pair_potentials *p)
{
    if (p->size != sizeof *p || p->bins < 1 || p->bins > TSL_PAIR_BINS || p->edges == NULL) {
        return tsl_fail(context, TSL_E_ARG, "pair potentials of %d bins: give 1 to %d, with edges",
                        p->bins, TSL_PAIR_BINS);
    }
    for (int bin = 0; bin < p->bins; bin++) {
        const double least = bin > 0 ? p->edges[bin - 1] : 2;
        if (!(p->edges[bin] >= least) || (bin > 0 && p->edges[bin] == least) ||
            p->edges[bin] > TSL_PAIR_LONGEST) {
            return tsl_fail(context, TSL_E_ARG,
                            "bin %d of the pair potentials ends at %g angstrom: give ascending "
                            "edges from 2 to %d",
                            bin, p->edges[bin], TSL_PAIR_LONGEST);
        }
    }
    return check_values(context, p);
}

static void take_potentials(pair_work *w, const tsl_pair_potentials *p)
{
    const double unit = 1 << TSL_PAIR_BITS;
    tsl_pair_task *t = &w->task;
    t->bins = p->bins;
    for (int bin = 0; bin < p->bins; bin++) {
        t->squares[bin] = (int32_t)floor(p->edges[bin] * p->edges[bin] * unit * unit);
    }
    for (int i = 0; i < p->bins * TSL_PAIR_TABLE; i++) {
        w->values[i] = (int32_t)lrint(ldexp(p->values[i], TSL_SCORE_BITS));
    }
    t->edge = (int32_t)ceil(p->edges[p->bins - 1] * unit / TSL_PAIR_REACH);
}

/* ---- atoms --------------------------------------------------------------------------------- */

/* An atom's type; -1: it has no pairs. */
static int type_of(const tsl_dock_plan *plan, const tsl_molecule *molecule, int role, int64_t i)
{
    const uint8_t *blocked = plan->options.complementarity.blocked[role];
    return molecule->atoms == NULL || (blocked != NULL && blocked[i])
               ? -1
               : tsl_score_type_of(&molecule->atoms[i]);
}

static float from_middle(const tsl_molecule *molecule, const double centre[3], int64_t i, int axis)
{
    return (float)((float)molecule->positions[3 * i + axis] - (float)centre[axis]);
}

/* The ligand's atoms that have a type. */
static tsl_status take_ligand(pair_work *w, const tsl_dock_plan *plan)
{
    const tsl_molecule *ligand = plan->ligand_molecule;
    int32_t count = 0;
    w->ligand = tsl_allocate((size_t)ligand->count * 3 * sizeof *w->ligand);
    w->types = tsl_allocate((size_t)ligand->count * sizeof *w->types);
    if (w->ligand == NULL || w->types == NULL) {
        return tsl_fail_memory(w->context, 16 * ligand->count, "the ligand's atoms");
    }
    for (int64_t i = 0; i < ligand->count; i++) {
        const int type = type_of(plan, ligand, 1, i);
        for (int axis = 0; axis < 3 && type >= 0; axis++) {
            w->ligand[3 * count + axis] = from_middle(ligand, plan->summary.ligand_centre, i, axis);
        }
        if (type >= 0) {
            w->types[count++] = type;
        }
    }
    w->task.ligand_count = count;
    return TSL_OK;
}

/* The cells that hold the receptor's atoms, with empty ones around them. */
static void lay_cells(pair_work *w, const tsl_pair_atom *atoms)
{
    tsl_pair_task *t = &w->task;
    w->cells = 1;
    for (int axis = 0; axis < 3; axis++) {
        int32_t low = INT32_MAX, high = INT32_MIN;
        for (int64_t i = 0; i < w->receptor_count; i++) {
            low = atoms[i].at[axis] < low ? atoms[i].at[axis] : low;
            high = atoms[i].at[axis] > high ? atoms[i].at[axis] : high;
        }
        low = w->receptor_count > 0 ? low : 0;
        high = w->receptor_count > 0 ? high : 0;
        t->low[axis] = low - TSL_PAIR_REACH * t->edge;
        t->cells[axis] = (high - low) / t->edge + 1 + 2 * TSL_PAIR_REACH;
        w->cells *= t->cells[axis];
    }
}

static int64_t cell_of(const tsl_pair_task *t, const tsl_pair_atom *atom)
{
    int64_t cell = 0;
    for (int axis = 0; axis < 3; axis++) {
        cell = cell * t->cells[axis] + (atom->at[axis] - t->low[axis]) / t->edge;
    }
    return cell;
}

/* Sort atoms into w->receptor, by cells. */
static void sort_atoms(pair_work *w, const tsl_pair_atom *atoms)
{
    for (int64_t i = 0; i < w->receptor_count; i++) {
        w->starts[cell_of(&w->task, &atoms[i]) + 1]++;
    }
    for (int64_t cell = 0; cell < w->cells; cell++) {
        w->starts[cell + 1] += w->starts[cell];
    }
    for (int64_t i = w->receptor_count - 1; i >= 0; i--) { /* each start moves to its place */
        w->receptor[--w->starts[cell_of(&w->task, &atoms[i]) + 1]] = atoms[i];
    }
    memmove(w->starts, w->starts + 1, (size_t)w->cells * sizeof *w->starts);
    w->starts[w->cells] = (int32_t)w->receptor_count;
}

static tsl_status take_receptor(pair_work *w, const tsl_dock_plan *plan)
{
    const tsl_molecule *receptor = plan->receptor_molecule;
    tsl_pair_atom *atoms = tsl_allocate((size_t)receptor->count * sizeof *atoms);
    w->receptor = tsl_allocate((size_t)receptor->count * sizeof *atoms);
    if (atoms == NULL || w->receptor == NULL) {
        tsl_release(atoms);
        return tsl_fail_memory(w->context, 2 * receptor->count * (int64_t)sizeof *atoms,
                               "the receptor's atoms");
    }
    for (int64_t i = 0; i < receptor->count; i++) {
        tsl_pair_atom atom = {.type = type_of(plan, receptor, 0, i)};
        for (int axis = 0; axis < 3; axis++) {
            atom.at[axis] =
                tsl_pair_fixed(from_middle(receptor, plan->summary.receptor_centre, i, axis));
        }
        if (atom.type >= 0) {
            atoms[w->receptor_count++] = atom;
        }
    }
    lay_cells(w, atoms);
    w->starts = tsl_allocate_zeroed((size_t)w->cells + 1, sizeof *w->starts);
    if (w->starts != NULL) {
        sort_atoms(w, atoms);
    }
    tsl_release(atoms);
    return w->starts != NULL ? TSL_OK
                             : tsl_fail_memory(w->context, 4 * w->cells, "the receptor's cells");
}

/* ---- the device ---------------------------------------------------------------------------- */

/* Take memory on the device, and send there what stays the same. */
static tsl_status send(pair_work *w, int64_t poses)
{
    tsl_pair_task *t = &w->task;
    const struct {
        const void **array;
        const void *from; /* NULL: it comes later */
        int64_t bytes;
    } parts[] = {{(const void **)&t->receptor, w->receptor,
                  w->receptor_count * (int64_t)sizeof *w->receptor},
                 {(const void **)&t->starts, w->starts, (w->cells + 1) * 4},
                 {(const void **)&t->ligand, w->ligand, 12 * (int64_t)t->ligand_count},
                 {(const void **)&t->types, w->types, 4 * (int64_t)t->ligand_count},
                 {(const void **)&t->values, w->values, t->bins * (int64_t)TSL_PAIR_TABLE * 4},
                 {(const void **)&t->turns, NULL,
                  poses * (int64_t)(sizeof *w->turns + 3 * sizeof *w->offsets)},
                 {(const void **)&t->energies, NULL, 8 * poses}};
    tsl_status status = TSL_OK;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        TSL_TRY(tsl_device_allocate(&w->device[i], w->context,
                                    parts[i].bytes > 0 ? parts[i].bytes : 4, "pairs of atoms"));
        if (parts[i].from != NULL && parts[i].bytes > 0) {
            TSL_TRY(
                w->context->ops->upload(w->context, w->device[i], parts[i].from, parts[i].bytes));
        }
        *parts[i].array = w->device[i];
    }
done:
    return status;
}

static tsl_status sum_batch(pair_work *w, const tsl_dock_plan *plan, const tsl_pose *poses,
                            int count, int64_t *energies)
{
    tsl_context *context = w->context;
    tsl_pair_task *t = &w->task;
    const int64_t bytes = count * (int64_t)sizeof *w->turns;
    char *const turns = w->device[5];
    tsl_status status = TSL_OK;
    for (int i = 0; i < count; i++) {
        w->turns[i] = tsl_dock_turns_of(&poses[i].rotation);
        for (int axis = 0; axis < 3; axis++) {
            w->offsets[3 * i + axis] =
                (int32_t)lrint(poses[i].shift[axis] * plan->summary.spacing * (1 << TSL_PAIR_BITS));
        }
    }
    t->offsets = (const int32_t *)(const void *)(turns + bytes);
    TSL_TRY(context->ops->upload(context, turns, w->turns, bytes));
    TSL_TRY(context->ops->upload(context, turns + bytes, w->offsets, 12 * (int64_t)count));
    TSL_TRY(context->ops->dock->score->pairs(context, t, count));
    TSL_TRY(context->ops->download(context, energies, t->energies, 8 * (int64_t)count));
done:
    return status;
}

static tsl_status prepare(pair_work *w, const tsl_dock_plan *plan, int64_t poses,
                          const tsl_pair_potentials *potentials)
{
    double values[TSL_PAIR_BINS * TSL_PAIR_TABLE];
    tsl_pair_potentials own = TSL_PAIR_POTENTIALS_INIT;
    tsl_status status = TSL_OK;
    if (potentials == NULL || potentials->values == NULL) {
        tsl_pair_potentials_own(&own, values);
        potentials = &own;
    }
    TSL_TRY(check_potentials(w->context, potentials));
    take_potentials(w, potentials);
    TSL_TRY(take_ligand(w, plan));
    TSL_TRY(take_receptor(w, plan));
    w->turns = tsl_allocate((size_t)poses * sizeof *w->turns);
    w->offsets = tsl_allocate((size_t)poses * 3 * sizeof *w->offsets);
    if (w->turns == NULL || w->offsets == NULL) {
        status = tsl_fail_memory(w->context, 60 * poses, "poses whose pairs are summed");
        goto done;
    }
    TSL_TRY(send(w, poses));
done:
    return status;
}

static void free_work(pair_work *w)
{
    for (size_t i = 0; i < sizeof w->device / sizeof *w->device; i++) {
        tsl_device_release(w->context, w->device[i]);
    }
    tsl_release(w->receptor);
    tsl_release(w->starts);
    tsl_release(w->ligand);
    tsl_release(w->types);
    tsl_release(w->turns);
    tsl_release(w->offsets);
}

tsl_status tsl_dock_pair_energies(tsl_dock_plan *plan, const tsl_pose *poses, int64_t count,
                                  const tsl_pair_potentials *potentials, int64_t *energies)
{
    pair_work w = {.context = plan->context};
    const double begun = tsl_seconds();
    tsl_status status = tsl_dock_check_poses(plan, poses, count);
    if (status != TSL_OK || count == 0) {
        return status;
    }
    status = prepare(&w, plan, count < POSES ? count : POSES, potentials);
    for (int64_t done = 0; done < count && status == TSL_OK; done += POSES) {
        const int batch = count - done < POSES ? (int)(count - done) : POSES;
        status = sum_batch(&w, plan, poses + done, batch, energies + done);
    }
    free_work(&w);
    tsl_profile_add(plan->context, "sum pairs", begun, 0, 0);
    return status;
}

/* ---- the order ----------------------------------------------------------------------------- */

/* 32 (S - V), rounded, of 32 S and 2^8 V. */
static int32_t score_less(int32_t score, int64_t energy)
{
    const int64_t sum = score + tsl_score_of_sum(-energy);
    return sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : (int32_t)sum;
}

/* Sort poses, and note where each was. The order takes no account of the energy, which lends its
 * place to the number. */
static void sort_from(tsl_pose *poses, int64_t count, double *energies, int64_t *from)
{
    for (int64_t i = 0; i < count; i++) {
        energies[i] = poses[i].energy;
        poses[i].energy = (double)i;
    }
    tsl_poses_sort(poses, count);
    for (int64_t i = 0; i < count; i++) {
        from[i] = (int64_t)poses[i].energy;
        poses[i].energy = energies[from[i]];
    }
}

tsl_status tsl_dock_rerank(tsl_dock_plan *plan, tsl_pose *poses, int64_t count,
                           const tsl_pair_potentials *potentials, int64_t *from)
{
    if (!tsl_dock_has_terms(plan)) {
        return tsl_fail(plan->context, TSL_E_ARG,
                        "pair potentials come to the score of complementarity, and the plan has "
                        "FTDock's: choose the other score");
    }
    const int64_t bytes = 8 * (count > 0 ? count : 1);
    int64_t *sums = tsl_allocate((size_t)bytes);
    double *energies = tsl_allocate((size_t)bytes);
    tsl_status status = TSL_OK;
    if (sums == NULL || energies == NULL) {
        status = tsl_fail_memory(plan->context, 2 * bytes, "energies of poses");
    } else {
        status = tsl_dock_pair_energies(plan, poses, count, potentials, sums);
    }
    for (int64_t i = 0; i < count && status == TSL_OK; i++) {
        poses[i].score = score_less(poses[i].score, sums[i]);
    }
    if (status == TSL_OK) {
        sort_from(poses, count, energies, from);
    }
    tsl_release(sums);
    tsl_release(energies);
    return status;
}
