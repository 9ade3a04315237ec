/* The reports of a run: run.json, and the summary on standard output. */
#include <stdio.h>

#include "cli/dock/command.h"

enum { POSES_SHOWN = 10 };

static double dock_share_rate(const dock_share *share)
{
    return share->seconds > 0 ? (double)share->rotations / share->seconds : 0;
}

double dock_es_ratio(const dock_pair *pair, const tsl_pose *pose)
{
    return pair->lowest_energy < 0 ? 100 * pose->energy / pair->lowest_energy : 0;
}

static int64_t poses_shown(const dock_pair *pair)
{
    return pair->list.count < POSES_SHOWN ? pair->list.count : POSES_SHOWN;
}

/* ---- parameters --------------------------------------------------------------------------- */

static void write_grid(tsl_json *json, const tsl_dock_options *dock)
{
    tsl_json_string(json, "grid_rule",
                    dock->grid > 0                  ? "given"
                    : dock->grid == TSL_GRID_FTDOCK ? "ftdock"
                                                    : "smooth");
    tsl_json_known_integer(json, "grid", dock->grid, dock->grid > 0);
    tsl_json_known_number(json, "spacing", dock->spacing, dock->spacing > 0);
}

static void write_rotations(tsl_json *json, const dock_options *options)
{
    const bool search = options->rescore == NULL;
    tsl_json_known_integer(json, "angle_step", options->angle_step,
                           search && options->angle_step > 0);
    tsl_json_string(json, "rotations", options->rotations_from);
    tsl_json_known_integer(json, "keep", options->dock.keep, search);
}

void dock_report_parameters(tsl_json *json, const dock_work *work, const dock_pair *pair)
{
    const dock_options *options = work->options;
    const tsl_dock_options *dock = pair != NULL ? &pair->used : &options->dock;
    dock_options settled = *options;
    settled.dock = *dock;
    tsl_json_open_object(json, "parameters");
    if (pair != NULL) {
        dock_input_report(json, "receptor", pair->receptor);
        dock_input_report(json, "ligand", pair->ligand);
    }
    tsl_json_string(json, "output", pair != NULL ? pair->folder : options->folder);
    cli_echo_options(json, &cli_dock, &settled);
    write_grid(json, dock);
    write_rotations(json, options);
    tsl_json_number(json, "surface", dock->surface);
    tsl_json_integer(json, "core", dock->core);
    tsl_json_string(json, "electrostatics", dock_electrostatics_name(dock->electrostatics));
    tsl_json_known_integer(json, "top", options->top,
                           options->rescore == NULL || cli_given(&options->common, &options->top));
    tsl_json_integer(json, "threads", tsl_context_threads(work->context));
    tsl_json_close_object(json);
}

/* ---- results ------------------------------------------------------------------------------ */

static void write_vector(tsl_json *json, const char *name, const double v[3])
{
    tsl_json_open_array(json, name);
    for (int i = 0; i < 3; i++) {
        tsl_json_number(json, NULL, v[i]);
    }
    tsl_json_close_array(json);
}

static void write_plan(tsl_json *json, const tsl_dock_summary *s)
{
    tsl_json_open_object(json, "plan");
    tsl_json_integer(json, "grid", s->grid);
    tsl_json_number(json, "spacing", s->spacing);
    tsl_json_number(json, "span", s->span);
    tsl_json_integer(json, "batch", s->batch);
    tsl_json_integer(json, "bytes", s->bytes);
    tsl_json_string(json, "precision", s->double_precision ? "double" : "single");
    tsl_json_bool(json, "first_axis_transposed", (s->transposed & 1) != 0);
    tsl_json_bool(json, "second_axis_transposed", (s->transposed & 2) != 0);
    tsl_json_integer(json, "surface_cells", s->surface_cells);
    tsl_json_integer(json, "core_cells", s->core_cells);
    write_vector(json, "receptor_centre", s->receptor_centre);
    write_vector(json, "ligand_centre", s->ligand_centre);
    tsl_json_close_object(json);
}

/* Write the share of the search that each rank did. */
static void write_ranks(tsl_json *json, const dock_work *work, const dock_pair *pair)
{
    tsl_json_open_array(json, "ranks");
    for (int q = 0; q < work->ranks; q++) {
        const cli_placement *placement = &work->placements[q];
        const dock_share share = pair->shares != NULL ? pair->shares[q] : (dock_share){0};
        tsl_json_open_object(json, NULL);
        tsl_json_string(json, "host", placement->host);
        tsl_json_string(json, "device", placement->device);
        tsl_json_string(json, "model", placement->model);
        tsl_json_integer(json, "threads", placement->threads);
        tsl_json_integer(json, "rotations", share.rotations);
        tsl_json_number(json, "begun", share.begun);
        tsl_json_number(json, "seconds", share.seconds);
        tsl_json_number(json, "rate", dock_share_rate(&share));
        tsl_json_close_object(json);
    }
    tsl_json_close_array(json);
}

static void write_cases(tsl_json *json, const dock_pair *pair)
{
    tsl_json_open_array(json, "cases");
    if (pair->rotations_done > 0) {
        cli_report_case(json, "transform_error", pair->summary.transform_error,
                        pair->summary.transform_bound, dock_pair_verified(pair) == 1);
    }
    tsl_json_close_array(json);
}

static void write_pose(tsl_json *json, const dock_pair *pair, int64_t i)
{
    const tsl_pose *pose = &pair->list.poses[i];
    tsl_json_open_object(json, NULL);
    tsl_json_integer(json, "rank", i + 1);
    tsl_json_integer(json, "score", pose->score);
    tsl_json_number(json, "energy", pose->energy);
    tsl_json_number(json, "es_ratio", dock_es_ratio(pair, pose));
    tsl_json_open_array(json, "shift");
    for (int axis = 0; axis < 3; axis++) {
        tsl_json_integer(json, NULL, pose->shift[axis]);
    }
    tsl_json_close_array(json);
    tsl_json_number(json, "twist", pose->rotation.twist / 1e6);
    tsl_json_number(json, "theta", pose->rotation.theta / 1e6);
    tsl_json_number(json, "phi", pose->rotation.phi / 1e6);
    if (pair->list.sizes != NULL) {
        tsl_json_integer(json, "cluster", pair->list.sizes[i]);
    }
    tsl_json_close_object(json);
}

static void write_results(tsl_json *json, const dock_work *work, const dock_pair *pair)
{
    const double searching = pair->computed - pair->ready;
    tsl_json_open_object(json, "results");
    tsl_json_string(json, "search_digest", pair->search_digest);
    tsl_json_string(json, "output_digest", pair->output_digest);
    write_plan(json, &pair->summary);
    tsl_json_integer(json, "rotations", pair->list.head.rotations);
    tsl_json_integer(json, "rotations_searched", pair->rotations_done);
    tsl_json_number(json, "milliseconds_per_rotation",
                    pair->rotations_done > 0 ? 1e3 * searching / (double)pair->rotations_done
                                             : 0.0);
    write_ranks(json, work, pair);
    tsl_json_integer(json, "poses", pair->list.count);
    tsl_json_integer(json, "complexes", pair->complexes);
    tsl_json_bool(json, "figure", pair->figure);
    tsl_json_number(json, "lowest_energy", pair->lowest_energy);
    write_cases(json, pair);
    tsl_json_open_array(json, "top");
    for (int64_t i = 0; i < poses_shown(pair); i++) {
        write_pose(json, pair, i);
    }
    tsl_json_close_array(json);
    tsl_json_close_object(json);
}

/* What the report is about. */
typedef struct report_work {
    const dock_work *work;
    const dock_pair *pair;
} report_work;

static void write_body(tsl_json *json, const void *work)
{
    const report_work *w = work;
    dock_report_parameters(json, w->work, w->pair);
    write_results(json, w->work, w->pair);
}

tsl_status dock_report_write(const dock_work *work, const dock_pair *pair, const char *path)
{
    const cli_report report = {.command = "dock",
                               .device = work->devices,
                               .ranks = work->ranks,
                               .verified = dock_pair_verified(pair),
                               .total = pair->ended - pair->begun,
                               .setup = pair->ready - pair->begun,
                               .compute = pair->computed - pair->ready,
                               .before = &pair->profile_before};
    const report_work body = {work, pair};
    return cli_report_write(work->context, path, &report, write_body, &body);
}

/* ---- summary ------------------------------------------------------------------------------ */

static void print_poses(FILE *stream, const dock_pair *pair)
{
    const bool energies = pair->list.head.electrostatics != TSL_ELECTROSTATICS_OFF;
    const bool clusters = pair->list.sizes != NULL;
    fprintf(stream, "\n  rank   score  ES ratio    x    y    z     twist     theta       phi%s\n",
            clusters ? "  poses" : "");
    for (int64_t i = 0; i < poses_shown(pair); i++) {
        const tsl_pose *pose = &pair->list.poses[i];
        char ratio[32] = "-";
        if (energies) {
            snprintf(ratio, sizeof ratio, "%.3f", dock_es_ratio(pair, pose));
        }
        fprintf(stream, "%6lld %7d  %8s %4d %4d %4d  %8.7g  %8.7g  %8.7g", (long long)i + 1,
                (int)pose->score, ratio, (int)pose->shift[0], (int)pose->shift[1],
                (int)pose->shift[2], pose->rotation.twist / 1e6, pose->rotation.theta / 1e6,
                pose->rotation.phi / 1e6);
        if (clusters) {
            fprintf(stream, " %6lld", (long long)pair->list.sizes[i]);
        }
        fputc('\n', stream);
    }
}

/* Print what each rank did, if there are several, but not too many to read. */
static void print_ranks(FILE *stream, const dock_work *work, const dock_pair *pair)
{
    enum { SHOWN = 16 };
    if (work->ranks == 1 || work->ranks > SHOWN || pair->shares == NULL) {
        return;
    }
    fprintf(stream, "\n%6s  %-12s %10s %9s %10s\n", "rank", "device", "rotations", "seconds",
            "a second");
    for (int q = 0; q < work->ranks; q++) {
        const dock_share *share = &pair->shares[q];
        fprintf(stream, "%6d  %-12s %10lld %9.2f %10.1f\n", q, work->placements[q].device,
                (long long)share->rotations, share->seconds, dock_share_rate(share));
    }
}

static void print_times(FILE *stream, const dock_work *work, const dock_pair *pair)
{
    static const char *const axes[] = {"", ", the first axis transposed",
                                       ", the second axis transposed",
                                       ", both slower axes transposed"};
    const double searching = pair->computed - pair->ready;
    const int threads = tsl_context_threads(work->context);
    fprintf(stream, "\n%.1f s on ", pair->ended - pair->begun);
    if (work->ranks > 1) {
        fprintf(stream, "%d ranks", work->ranks);
    } else {
        fprintf(stream, "%s with %d thread%s%s", tsl_context_device(work->context), threads,
                threads == 1 ? "" : "s", axes[pair->summary.transposed]);
    }
    fprintf(stream, ": setup %.1f s, %s %.1f s", pair->ready - pair->begun,
            work->options->rescore != NULL ? "scoring" : "search", searching);
    if (pair->rotations_done > 0) {
        fprintf(stream, " (%.2f ms a rotation)", 1e3 * searching / (double)pair->rotations_done);
    }
    fputs("\n", stream);
}

void dock_report_print(FILE *stream, const dock_work *work, const dock_pair *pair)
{
    fprintf(stream, "%s + %s: %lld poses%s\n", pair->list.head.receptor, pair->list.head.ligand,
            (long long)pair->list.count, pair->list.count > POSES_SHOWN ? "; the best:" : "");
    print_poses(stream, pair);
    print_ranks(stream, work, pair);
    print_times(stream, work, pair);
    fprintf(stream, "%s: ftdock_global.dat, zdock.out, ", pair->folder);
    if (pair->complexes > 0) {
        fprintf(stream, "poses (%lld complexes), ", (long long)pair->complexes);
    }
    fprintf(stream, "%srun.json\n", pair->figure ? "figure.svg, " : "");
}
