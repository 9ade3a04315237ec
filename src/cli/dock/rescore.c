/* New scores for the poses of a list. */
#include <math.h>
#include <string.h>

#include "cli/dock/command.h"
#include "io/file/output.h"
#include "solvers/dock/plan.h"

/* FTDock prints the edge of a cell with three decimals, which is not enough to place poses by.
 * If it is the edge that this pair would get, rounded, the exact edge is taken; else the printed
 * one. */
static double spacing_of_list(const dock_pair *pair, const tsl_pose_list_head *head)
{
    const double spacing =
        dock_list_spacing(head, pair->receptor->molecule, pair->ligand->molecule);
    return spacing != head->spacing && pair->used.score == head->score ? 0 : spacing;
}

double dock_list_spacing(const tsl_pose_list_head *head, const tsl_molecule *receptor,
                         const tsl_molecule *ligand)
{
    const double own = (double)tsl_dock_span_of(head->score, receptor, ligand) / head->grid;
    return fabs(own - head->spacing) < 6e-4 ? own : head->spacing;
}

/* Take options that the command line leaves open from the list's head. */
static tsl_status take_options(dock_work *work, dock_pair *pair, const tsl_pose_list_head *head)
{
    const dock_options *options = work->options;
    tsl_dock_options *used = &pair->used;
    if (head->grid == 0) { /* the list has rows and no head */
        return cli_given(&options->common, &options->dock.grid)
                   ? TSL_OK
                   : tsl_fail(work->context, TSL_E_ARG,
                              "%s: has no head that names its grid: give --grid N",
                              options->rescore);
    }
    if (!cli_given(&options->common, &options->dock.grid)) {
        used->grid = head->grid;
    }
    if (!cli_given(&options->common, &options->dock.spacing)) {
        const bool same = used->grid == head->grid;
        used->spacing = same ? spacing_of_list(pair, head) : head->spacing;
    }
    if (!cli_given(&options->common, &options->dock.surface)) {
        used->surface = head->surface;
    }
    if (!cli_given(&options->common, &options->dock.core)) {
        used->core = head->core;
    }
    if (!cli_given(&options->common, &options->dock.electrostatics)) {
        used->electrostatics = head->electrostatics;
    }
    return TSL_OK;
}

/* ---- lists in ZDOCK's form ----------------------------------------------------------------- */

/* Move poses to the grid of cells of `spacing` around the receptor's middle. *off is the largest
 * distance, in angstrom, that a pose was moved by. */
static void settle_on_grid(const dock_pair *pair, const tsl_zdock_list *from, double spacing,
                           tsl_pose *poses, double *off)
{
    double receptor[3], ligand[3];
    tsl_dock_centre(pair->receptor->molecule, receptor);
    tsl_dock_centre(pair->ligand->molecule, ligand);
    *off = 0;
    for (int64_t i = 0; i < from->count; i++) {
        double square = 0;
        poses[i].rotation = from->rotations[i];
        for (int axis = 0; axis < 3; axis++) {
            const double *m = from->motions[i][axis];
            const double place = m[0] * ligand[0] + m[1] * ligand[1] + m[2] * ligand[2] + m[3];
            const double cells = (place - receptor[axis]) / spacing;
            const double nearest = fmax(fmin(rint(cells), 1e6), -1e6);
            poses[i].shift[axis] = (int32_t)nearest;
            square += (cells - nearest) * (cells - nearest);
        }
        *off = fmax(*off, sqrt(square) * spacing);
    }
}

/* Choose the grid: the list's own where it holds this pair, as that of a list written by tesela
 * does; else one that does, with cells as wide. */
static void take_grid(const dock_options *options, tsl_dock_options *used, const dock_pair *pair,
                      const tsl_zdock_list *from)
{
    double centre[3];
    const double span = 1 + 2 * (tsl_dock_centre(pair->receptor->molecule, centre) +
                                 tsl_dock_centre(pair->ligand->molecule, centre));
    const bool fits = from->grid % 2 == 0 && from->grid >= 8 && from->grid <= 1024 &&
                      from->grid * from->spacing >= span * (1 - 1e-6);
    if (!cli_given(&options->common, &options->dock.grid)) {
        used->grid = fits ? from->grid : TSL_GRID_SMOOTH;
    }
    if (!cli_given(&options->common, &options->dock.spacing)) {
        used->spacing = from->spacing;
    }
}

static tsl_status read_zdock(dock_work *work, dock_pair *pair, tsl_input *input,
                             tsl_pose_list *list)
{
    const dock_options *options = work->options;
    tsl_zdock_list from;
    double off = 0;
    tsl_status status = tsl_zdock_take(input, &from);
    if (status != TSL_OK) {
        return status;
    }
    if (from.wide > 0) {
        cli_note("%s: %lld row%s more than seven columns, in line %lld first: what comes after the "
                 "score is left out",
                 options->rescore, (long long)from.wide, from.wide == 1 ? " has" : "s have",
                 (long long)from.first_wide);
    }
    take_grid(options, &pair->used, pair, &from);
    list->poses = tsl_allocate_zeroed((size_t)from.count, sizeof *list->poses);
    if (list->poses == NULL) {
        status = tsl_fail_memory(work->context, from.count * (int64_t)sizeof *list->poses,
                                 "the poses of a list");
    } else {
        list->count = from.count;
        settle_on_grid(pair, &from, pair->used.spacing, list->poses, &off);
        tsl_plain_name(list->head.rotations_from, sizeof list->head.rotations_from,
                       options->rescore, false);
        if (pair->used.score == TSL_SCORE_FTDOCK) { /* the other score has none of these options */
            cli_note("%s: ZDOCK's form names no surface, core and electrostatics: scored with "
                     "%.2f, %d and %s",
                     options->rescore, pair->used.surface, pair->used.core,
                     dock_electrostatics_name(pair->used.electrostatics));
        }
        if (off > 1e-3 * pair->used.spacing) {
            cli_note(
                "%s: its poses are not on this pair's grid of %.3f angstrom: each was moved to "
                "the nearest place there, by at most %.2f angstrom",
                options->rescore, pair->used.spacing, off);
        }
    }
    tsl_zdock_free(&from);
    return status;
}

static tsl_status read_ftdock(dock_work *work, dock_pair *pair, tsl_input *input,
                              tsl_pose_list *list)
{
    tsl_status status = tsl_ftdock_take(input, list);
    if (status == TSL_OK && list->count == 0) {
        status = tsl_fail(work->context, TSL_E_FORMAT,
                          "%s: holds no poses: give a list in FTDock's or ZDOCK's form",
                          work->options->rescore);
    }
    return status == TSL_OK ? take_options(work, pair, &list->head) : status;
}

tsl_status dock_rescore_read(dock_work *work, dock_pair *pair)
{
    const tsl_pose_list_head names = pair->list.head; /* names of this run */
    tsl_pose_list list = {0};
    bool is_zdock = false;
    tsl_input *input = NULL;
    tsl_status status = TSL_OK;
    TSL_TRY(tsl_spool_input(&input, work->context, &pair->rescored));
    TSL_TRY(tsl_zdock_recognise(input, &is_zdock));
    TSL_TRY(is_zdock ? read_zdock(work, pair, input, &list)
                     : read_ftdock(work, pair, input, &list));
done:
    tsl_input_close(input);
    if (status != TSL_OK) {
        tsl_pose_list_free(&list);
        return status;
    }
    tsl_pose_list_head *head = &list.head;
    memcpy(head->receptor, names.receptor, sizeof head->receptor);
    memcpy(head->ligand, names.ligand, sizeof head->ligand);
    head->surface = pair->used.surface;
    head->core = pair->used.core;
    head->electrostatics = pair->used.electrostatics;
    head->grid_given |= names.grid_given;
    head->surface_given |= names.surface_given;
    head->core_given |= names.core_given;
    head->electrostatics_given |= names.electrostatics_given;
    pair->list = list;
    return TSL_OK;
}

/* Sort the list, and note each pose's place before. Poses are sorted without regard to their
 * energy, whose member holds that place meanwhile. */
static void sort_with_ranks(tsl_pose_list *list, double *energies)
{
    for (int64_t i = 0; i < list->count; i++) {
        energies[i] = list->poses[i].energy;
        list->poses[i].energy = (double)i;
    }
    tsl_poses_sort(list->poses, list->count);
    for (int64_t i = 0; i < list->count; i++) {
        const int64_t before = (int64_t)list->poses[i].energy;
        list->previous[i] = before + 1;
        list->poses[i].energy = energies[before];
    }
}

tsl_status dock_rescore(dock_work *work, dock_pair *pair)
{
    tsl_pose_list *list = &pair->list;
    tsl_status status = tsl_dock_rescore(work->plan, list->poses, list->count);
    if (status != TSL_OK) {
        tsl_error_prefix(work->context, work->options->rescore);
        return status;
    }
    const size_t bytes = (size_t)list->count * sizeof(double);
    double *energies = tsl_allocate(bytes);
    tsl_release(list->previous);
    list->previous = tsl_allocate(bytes);
    if (energies == NULL || list->previous == NULL) {
        tsl_release(energies);
        return tsl_fail_memory(work->context, 2 * (int64_t)bytes, "sorting the poses");
    }
    sort_with_ranks(list, energies);
    tsl_release(energies);
    pair->lowest_energy = 0;
    for (int64_t i = 0; i < list->count; i++) {
        pair->lowest_energy = fmin(pair->lowest_energy, list->poses[i].energy);
    }
    status = dock_rerank(work, pair);
    if (status != TSL_OK) {
        return status;
    }
    const bool cut = cli_given(&work->options->common, &work->options->top);
    return dock_cluster(work, pair, cut ? work->options->top : list->count);
}
