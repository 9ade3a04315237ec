/* One pair, from its input files to its folder of results. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/dock/command.h"
#include "comm/comm.h"
#include "core/profile.h"
#include "io/file/output.h"
#include "io/file/sha256.h"
#include "io/file/spool.h"
#include "solvers/dock/dock.h"
#include "solvers/dock/share.h"

/* ---- input -------------------------------------------------------------------------------- */

/* Check that no two input files of a run are the same pipe: the second would wait for ever, or be
 * empty. */
static tsl_status check_pipes(const dock_work *work, const dock_pair *pair)
{
    const dock_options *options = work->options;
    const char *const paths[] = {
        pair->receptor->path, pair->ligand->path, options->rescore,
        options->rescore == NULL && options->spiral == 0 ? options->rotations_from : NULL};
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < i && paths[i] != NULL; k++) {
            if (paths[k] != NULL && strcmp(paths[i], paths[k]) == 0 &&
                tsl_spool_is_needed(paths[i])) {
                return tsl_fail(work->context, TSL_E_ARG,
                                "%s: is given for two files, and can be read only once: save it to "
                                "a file first",
                                strcmp(paths[i], "-") == 0 ? "standard input" : paths[i]);
            }
        }
    }
    return TSL_OK;
}

static tsl_status read_digests(const dock_work *work, dock_pair *pair)
{
    tsl_status status = TSL_OK;
    TSL_TRY(check_pipes(work, pair));
    TSL_TRY(dock_input_digest(pair->receptor, work->context));
    TSL_TRY(dock_input_digest(pair->ligand, work->context));
    if (work->options->rescore != NULL) {
        TSL_TRY(dock_refuse_shared_pipe(work->context, work->options->rescore));
        TSL_TRY(tsl_spool_open(&pair->rescored, work->context, work->options->rescore));
        TSL_TRY(tsl_spool_digest(&pair->rescored, work->context, pair->list_digest));
    }
done:
    return status;
}

dock_pair dock_pair_of(const dock_options *options, dock_input *receptor, dock_input *ligand)
{
    *receptor = dock_input_of(options, 0, options->receptor);
    *ligand = dock_input_of(options, 1, options->ligand);
    return (dock_pair){.folder = options->folder, .receptor = receptor, .ligand = ligand};
}

/* ---- digests ------------------------------------------------------------------------------ */

static void add_text(tsl_sha256 *hash, const char *text)
{
    tsl_sha256_add(hash, text != NULL ? text : "", text != NULL ? strlen(text) + 1 : 0);
    tsl_sha256_add(hash, "\n", 1);
}

static void add_values(tsl_sha256 *hash, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void add_values(tsl_sha256 *hash, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    add_text(hash, text);
}

/* Name the search by everything that its answer depends on. The answer does not depend on device,
 * threads, batch or memory, nor on what is written of it. */
static void name_search(const dock_work *work, dock_pair *pair)
{
    const dock_options *options = work->options;
    const tsl_dock_options *dock = &options->dock;
    const dock_rotations *rotations = &work->rotations;
    tsl_sha256 hash;
    tsl_sha256_begin(&hash);
    add_values(&hash, "tesela %s dock, arithmetic %d", tsl_version(), TSL_DOCK_ARITHMETIC);
    add_text(&hash, pair->receptor->digest);
    add_text(&hash, pair->receptor->chains);
    add_text(&hash, pair->ligand->digest);
    add_text(&hash, pair->ligand->chains);
    add_text(&hash, pair->list_digest);
    add_values(&hash, "%d %d", pair->receptor->model, pair->ligand->model);
    add_values(&hash, "%d %d %.17g %.17g %d %d %d", (int)options->hetero, dock->grid, dock->spacing,
               dock->surface, dock->core, (int)dock->electrostatics, dock->keep);
    add_values(&hash, "%d %.17g %.17g %.17g", (int)dock->score, dock->complementarity.clash,
               dock->complementarity.electrostatics, dock->complementarity.contacts);
    tsl_sha256_add(&hash, options->table, sizeof options->table);
    add_text(&hash, options->block);
    add_text(&hash, options->restrain);
    add_values(&hash, "%lld", (long long)rotations->count);
    for (int64_t i = 0; i < rotations->count; i++) {
        const tsl_rotation *r = &rotations->at[i];
        add_values(&hash, "%d %d %d", (int)r->twist, (int)r->theta, (int)r->phi);
    }
    tsl_sha256_end(&hash, pair->search_digest);
}

static void name_output(const dock_work *work, dock_pair *pair)
{
    const dock_options *options = work->options;
    const tsl_pose_list_head *head = &pair->list.head;
    tsl_sha256 hash;
    tsl_sha256_begin(&hash);
    add_text(&hash, pair->search_digest);
    add_text(&hash, head->receptor);
    add_text(&hash, head->ligand);
    add_text(&hash, head->rotations_from);
    add_values(&hash, "%d %d %.17g %d", options->top, options->poses, options->cluster,
               options->rerank);
    if (options->potentials != NULL) {
        const int bins = options->pairs.bins;
        tsl_sha256_add(&hash, options->pair_edges, (size_t)bins * sizeof *options->pair_edges);
        tsl_sha256_add(&hash, options->pair_values, (size_t)bins * sizeof *options->pair_values);
    }
    add_values(&hash, "%d %d %d %d %d %d %d", head->angle_step, head->grid_given,
               head->angle_step_given, head->surface_given, head->core_given,
               head->electrostatics_given, head->keep_given);
    tsl_sha256_end(&hash, pair->output_digest);
}

/* Is this rank's search the same as rank 0's? */
static tsl_status compare_search(const dock_work *work, const dock_pair *pair)
{
    bool same;
    const tsl_status status = cli_compare(work->comm, pair->search_digest, &same);
    return status == TSL_OK && !same
               ? tsl_fail(work->context, TSL_E_ARG,
                          "%s, %s or the options are not what rank 0 has: give all ranks the same",
                          pair->receptor->path, pair->ligand->path)
               : status;
}

/* Fill what the list's head says before there is a plan. */
static void fill_head(const dock_work *work, dock_pair *pair)
{
    const dock_options *options = work->options;
    tsl_pose_list_head *head = &pair->list.head;
    *head = (tsl_pose_list_head){
        .grid_given = options->dock.grid > 0,
        .angle_step = options->angle_step,
        .angle_step_given = cli_given(&options->common, &options->angle_step),
        .surface = options->dock.surface,
        .surface_given = cli_given(&options->common, &options->dock.surface),
        .core = options->dock.core,
        .core_given = cli_given(&options->common, &options->dock.core),
        .electrostatics = options->dock.electrostatics,
        .electrostatics_given = cli_given(&options->common, &options->dock.electrostatics),
        .keep = options->dock.keep,
        .keep_given = cli_given(&options->common, &options->dock.keep),
        .rotations = work->rotations.count,
    };
    if (options->rotations_from != NULL) {
        tsl_plain_name(head->rotations_from, sizeof head->rotations_from, options->rotations_from,
                       false);
    }
    tsl_plain_name(head->receptor, sizeof head->receptor, pair->receptor->path, true);
    tsl_plain_name(head->ligand, sizeof head->ligand, pair->ligand->path, true);
}

/* ---- the run ------------------------------------------------------------------------------ */

bool dock_is_wanted(void *user)
{
    const dock_work *work = user;
    if (work->manner.hear != NULL) {
        work->manner.hear(work->manner.user);
    }
    return cli_signal() == 0;
}

/* A large receptor's potential takes a CPU seconds to minutes. */
static void show_summed(void *user, int64_t rows, int64_t of)
{
    dock_work *work = user;
    cli_progress *progress = &work->summing;
    if (progress->done == progress->total) { /* no receptor was summed yet, or an earlier one was */
        cli_progress_begin(progress, "rows of the receptor's potential", of, 0);
    }
    cli_progress_add(progress, rows);
    if (progress->done == progress->total) {
        cli_progress_end(progress);
    }
}

static tsl_status make_plan(dock_work *work, dock_pair *pair)
{
    const tsl_molecule *receptor = pair->receptor->molecule;
    const tsl_molecule *ligand = pair->ligand->molecule;
    tsl_status status;
    work->summing = (cli_progress){0};
    if (work->plan == NULL) {
        work->watcher = (tsl_dock_watcher){.patience = {.is_wanted = dock_is_wanted, .user = work},
                                           .summed = show_summed,
                                           .user = work};
        status = tsl_dock_plan_create_while(&work->plan, work->context, receptor, ligand,
                                            &pair->used, &work->watcher);
    } else {
        status = tsl_dock_plan_update(work->plan, receptor, ligand);
        if (status != TSL_OK) { /* no plan may outlive a molecule that it remembers */
            tsl_dock_plan_destroy(work->plan);
            work->plan = NULL;
        }
    }
    work->held[0] = work->plan != NULL ? pair->receptor : NULL;
    work->held[1] = work->plan != NULL ? pair->ligand : NULL;
    if (status != TSL_OK) {
        return status;
    }
    tsl_dock_share_in_parts(work->plan, work->manner.parts);
    tsl_dock_plan_summary(work->plan, &pair->summary);
    pair->list.head.grid = pair->summary.grid;
    pair->list.head.span = pair->summary.span;
    pair->list.head.spacing = pair->summary.spacing;
    pair->list.head.score = pair->used.score;
    const int64_t items = work->options->rescore != NULL ? pair->list.count : work->rotations.count;
    cli_note("%s (%lld atoms) and %s (%lld atoms): a grid of %d cells of %.3f angstrom, "
             "%lld %s%s",
             pair->list.head.receptor, (long long)tsl_molecule_count(receptor),
             pair->list.head.ligand, (long long)tsl_molecule_count(ligand), pair->summary.grid,
             pair->summary.spacing, (long long)items,
             work->options->rescore != NULL ? "pose" : "rotation", items == 1 ? "" : "s");
    return TSL_OK;
}

/* Check before the search that PDB files can hold the complexes. A ligand with a score touches the
 * receptor, which bounds where it can be. */
static tsl_status check_complexes(const dock_work *work, const dock_pair *pair)
{
    const char *const names[2] = {pair->receptor->path, pair->ligand->path};
    const tsl_molecule *receptor = pair->receptor->molecule;
    const tsl_molecule *ligand = pair->ligand->molecule;
    double centre[3], ligand_centre[3];
    const double radius = tsl_dock_centre(receptor, centre);
    const double ligand_radius = tsl_dock_centre(ligand, ligand_centre);
    return work->options->poses == 0
               ? TSL_OK
               : tsl_complex_check(work->context, names, receptor, ligand, centre,
                                   radius + 2 * ligand_radius + 2 * TSL_ATOM_RADIUS);
}

/* Find the residues that the command line names. */
static tsl_status find_residues(dock_work *work, dock_pair *pair)
{
    const dock_options *options = work->options;
    tsl_complementarity *c = &pair->used.complementarity;
    tsl_status status = TSL_OK;
    if (options->block != NULL) {
        const int role = options->block[0] == 'r' ? 0 : 1;
        status = dock_residues_mark(&pair->blocked, work->context, "--block",
                                    strchr(options->block, ':') + 1,
                                    role == 0 ? pair->receptor : pair->ligand);
        c->blocked[role] = pair->blocked;
    }
    if (status == TSL_OK && options->restrain != NULL &&
        dock_restraint_parse(&pair->restraint, options->restrain)) {
        status = dock_restraint_aim(&pair->restraint, work->context, pair->receptor, pair->ligand);
        c->restrained[0] = pair->restraint.marks[0];
        c->restrained[1] = pair->restraint.marks[1];
        c->within = pair->restraint.distance;
    }
    return status;
}

/* Read everything and make the plan, which all ranks do together: nothing is written yet. */
static tsl_status prepare(dock_work *work, dock_pair *pair)
{
    const dock_options *options = work->options;
    const double begun = tsl_seconds();
    tsl_status status = TSL_OK;
    TSL_TRY(dock_input_read(pair->receptor, work->context, options->hetero));
    TSL_TRY(dock_input_read(pair->ligand, work->context, options->hetero));
    TSL_TRY(find_residues(work, pair));
    TSL_TRY(check_complexes(work, pair));
    if (options->rescore != NULL) {
        TSL_TRY(dock_rescore_read(work, pair));
    }
done:
    tsl_profile_add(work->context, "read molecules", begun, 0, 0);
    status = cli_agree(work->context, status);
    return status == TSL_OK ? make_plan(work, pair) : status;
}

/* Write everything. run.json comes last: it marks the run as complete. */
static tsl_status write_results(dock_work *work, dock_pair *pair, bool kept)
{
    char path[DOCK_PATH];
    tsl_status status = dock_files_write(work, pair);
    tsl_profile_add(work->context, "write results", pair->computed, 0, 0);
    if (status == TSL_OK) {
        pair->ended = tsl_seconds();
        status = dock_report_write(work, pair, dock_path(path, pair->folder, "run.json"));
    }
    if (status != TSL_OK && status != TSL_E_CANCELLED && kept) {
        cli_note("the search itself is finished and kept: once that is mended, --resume writes "
                 "its results");
    }
    return status;
}

static tsl_status compute_and_write(dock_work *work, dock_pair *pair)
{
    tsl_checkpoint *checkpoint = NULL;
    tsl_status status = work->options->rescore != NULL
                            ? cli_agree(work->context, dock_rescore(work, pair))
                            : dock_search(work, pair, &checkpoint);
    if (status != TSL_OK) {
        return status;
    }
    pair->computed = tsl_seconds();
    tsl_dock_plan_summary(work->plan, &pair->summary); /* the transform's error is known now */
    if (work->rank == 0) {
        status = write_results(work, pair, checkpoint != NULL);
    }
    status = cli_agree(work->context, status);
    tsl_checkpoint_close(checkpoint, status == TSL_OK);
    return status;
}

/* Is there nothing left to do? Rank 0 looks. */
static tsl_status look_for_results(dock_work *work, dock_pair *pair)
{
    char complete = 0;
    if (work->rank == 0 && work->options->resume && dock_files_complete(work, pair)) {
        dock_search_tidy(work, pair);
        complete = 1;
    }
    const tsl_status status = tsl_comm_broadcast(work->comm, NULL, &complete, sizeof complete, 0);
    pair->was_complete = complete != 0;
    return status;
}

/* Name the pair, and see whether it is done already. */
static tsl_status identify(dock_work *work, dock_pair *pair)
{
    pair->begun = tsl_seconds();
    pair->profile_before = cli_profile_now(work->context);
    pair->used = work->options->dock;
    fill_head(work, pair);
    tsl_status status = cli_agree(work->context, read_digests(work, pair));
    if (status == TSL_OK) {
        name_search(work, pair);
        name_output(work, pair);
        status = cli_agree(work->context, compare_search(work, pair));
    }
    return status == TSL_OK ? look_for_results(work, pair) : status;
}

tsl_status dock_pair_run(dock_work *work, dock_pair *pair)
{
    tsl_status status = identify(work, pair);
    if (status != TSL_OK || pair->was_complete) {
        return status;
    }
    status = cli_agree(work->context, prepare(work, pair));
    if (status != TSL_OK) {
        return status;
    }
    pair->ready = tsl_seconds();
    struct stat about;
    const bool is_new = work->rank == 0 && stat(pair->folder, &about) != 0;
    cli_defer_signals(true);
    if (work->rank == 0) {
        status = tsl_make_folder(work->context, pair->folder);
    }
    status = cli_agree(work->context, status);
    if (status == TSL_OK) {
        status = compute_and_write(work, pair);
    }
    if (status != TSL_OK && is_new) {
        rmdir(pair->folder); /* fails, as it should, if anything is in it */
    }
    cli_defer_signals(false);
    return status;
}

void dock_pair_free(dock_pair *pair)
{
    tsl_spool_close(&pair->rescored);
    tsl_pose_list_free(&pair->list);
    tsl_release(pair->blocked);
    dock_restraint_free(&pair->restraint);
    tsl_release(pair->shares);
    pair->shares = NULL;
}

int dock_pair_verified(const dock_pair *pair)
{
    return pair->rotations_done > 0 ? pair->summary.transform_error <= pair->summary.transform_bound
                                    : -1;
}
