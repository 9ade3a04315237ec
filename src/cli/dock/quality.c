/* `tesela dock quality`: how near the poses of a list are to a known complex. */
#include <stdio.h>
#include <string.h>

#include "cli/dock/command.h"
#include "solvers/dock/quality.h"

static const char *const classes[] = {"incorrect", "acceptable", "medium", "high"};

/* A list of poses whose quality is judged. */
typedef struct judging {
    dock_work *work;
    dock_input docked[2], bound[2]; /* receptor and ligand */
    tsl_pose_list list;
    tsl_quality *qualities; /* [list.count] */
    double begun, ready;
} judging;

static tsl_status read_input(judging *j, dock_input *input)
{
    tsl_status status = dock_input_digest(input, j->work->context);
    if (status == TSL_OK) {
        status = dock_input_read(input, j->work->context, j->work->options->hetero);
    }
    return status;
}

static tsl_status read_all(judging *j)
{
    const dock_options *options = j->work->options;
    j->docked[0] = dock_input_of(options, 0, options->receptor);
    j->docked[1] = dock_input_of(options, 1, options->ligand);
    for (int role = 0; role < 2; role++) {
        j->bound[role] = dock_input_of(options, role, options->native);
        j->bound[role].model = TSL_MODEL_FIRST;
        j->bound[role].chains = options->native_chains[role];
        j->bound[role].option = role == 0 ? "--native-receptor-chains" : "--native-ligand-chains";
    }
    tsl_status status = TSL_OK;
    TSL_TRY(read_input(j, &j->docked[0]));
    TSL_TRY(read_input(j, &j->docked[1]));
    TSL_TRY(read_input(j, &j->bound[0]));
    TSL_TRY(read_input(j, &j->bound[1]));
    TSL_TRY(tsl_ftdock_read(j->work->context, options->judged, &j->list));
    if (j->list.count == 0 || j->list.head.grid == 0) {
        status = tsl_fail(j->work->context, TSL_E_FORMAT,
                          "%s: holds no %s: give a list in FTDock's form, with its head",
                          options->judged, j->list.count == 0 ? "poses" : "grid");
    }
done:
    return status;
}

static tsl_status judge_all(judging *j)
{
    tsl_context *context = j->work->context;
    const tsl_molecule *const docked[2] = {j->docked[0].molecule, j->docked[1].molecule};
    const tsl_molecule *const bound[2] = {j->bound[0].molecule, j->bound[1].molecule};
    const double spacing = dock_list_spacing(&j->list.head, docked[0], docked[1]);
    double centres[2][3];
    tsl_native *native = NULL;
    j->qualities = tsl_allocate((size_t)j->list.count * sizeof *j->qualities);
    if (j->qualities == NULL) {
        return tsl_fail_memory(context, j->list.count * (int64_t)sizeof *j->qualities,
                               "the qualities of poses");
    }
    const tsl_status status = tsl_native_create(&native, context, docked, bound);
    if (status != TSL_OK) {
        tsl_error_prefix(context, j->work->options->native);
        return status;
    }
    tsl_dock_centre(docked[0], centres[0]);
    tsl_dock_centre(docked[1], centres[1]);
#pragma omp parallel for num_threads(tsl_context_threads(context)) schedule(dynamic, 16)
    for (int64_t i = 0; i < j->list.count; i++) {
        const tsl_pose *pose = &j->list.poses[i];
        double rotation[3][3], motion[3][4];
        tsl_dock_matrix(&pose->rotation, rotation);
        for (int row = 0; row < 3; row++) {
            motion[row][3] = centres[0][row] + pose->shift[row] * spacing;
            for (int column = 0; column < 3; column++) {
                motion[row][column] = rotation[row][column];
                motion[row][3] -= rotation[row][column] * centres[1][column];
            }
        }
        j->qualities[i] = tsl_native_judge(native, (const double(*)[4])motion);
    }
    tsl_native_destroy(native);
    return TSL_OK;
}

/* ---- results ------------------------------------------------------------------------------ */

/* Rank of the first pose of a quality class or a better one; 0: there is none. */
static int64_t first_of(const judging *j, int class)
{
    for (int64_t i = 0; i < j->list.count; i++) {
        if (tsl_quality_class(&j->qualities[i]) >= class) {
            return i + 1;
        }
    }
    return 0;
}

static int64_t best_of(const judging *j)
{
    int64_t best = 0;
    for (int64_t i = 1; i < j->list.count; i++) {
        best = j->qualities[i].dockq > j->qualities[best].dockq ? i : best;
    }
    return best;
}

static void print_row(FILE *stream, const judging *j, int64_t i)
{
    const tsl_quality *q = &j->qualities[i];
    fprintf(stream, "%6lld %7d  %8.3f  %8.3f  %6.3f  %6.3f  %s\n", (long long)i + 1,
            (int)j->list.poses[i].score, q->ligand_rmsd, q->interface_rmsd, q->fnat, q->dockq,
            classes[tsl_quality_class(q)]);
}

static void print_summary(FILE *stream, const judging *j)
{
    const int64_t rows = j->list.count < 10 ? j->list.count : 10;
    fprintf(stream, "\n  rank   score    L-RMSD    I-RMSD    fnat   DockQ\n");
    for (int64_t i = 0; i < rows; i++) {
        print_row(stream, j, i);
    }
    const int64_t best = best_of(j);
    if (best >= rows) {
        fprintf(stream, "   ...\n");
        print_row(stream, j, best);
    }
    fprintf(stream, "\nfirst of %lld poses:", (long long)j->list.count);
    for (int class = 1; class <= 3; class ++) {
        const int64_t first = first_of(j, class);
        fprintf(stream, " %s %s", class > 1 ? "or better," : "", classes[class]);
        if (first > 0) {
            fprintf(stream, " %lld", (long long)first);
        } else {
            fprintf(stream, " none");
        }
    }
    fputc('\n', stream);
}

static void write_csv_rows(FILE *stream, const void *work)
{
    const judging *j = work;
    fprintf(stream, "rank,score,ligand_rmsd,interface_rmsd,fnat,dockq,class\n");
    for (int64_t i = 0; i < j->list.count; i++) {
        const tsl_quality *q = &j->qualities[i];
        fprintf(stream, "%lld,%d,%.4f,%.4f,%.6f,%.6f,%s\n", (long long)i + 1,
                (int)j->list.poses[i].score, q->ligand_rmsd, q->interface_rmsd, q->fnat, q->dockq,
                classes[tsl_quality_class(q)]);
    }
}

static void write_body(tsl_json *json, const void *work)
{
    const judging *j = work;
    const int64_t best = best_of(j);
    tsl_json_open_object(json, "parameters");
    tsl_json_string(json, "list", j->work->options->judged);
    tsl_json_string(json, "receptor", j->docked[0].path);
    tsl_json_string(json, "ligand", j->docked[1].path);
    tsl_json_string(json, "native", j->work->options->native);
    tsl_json_string(json, "native_receptor_chains", j->bound[0].chains);
    tsl_json_string(json, "native_ligand_chains", j->bound[1].chains);
    tsl_json_close_object(json);
    tsl_json_open_object(json, "results");
    tsl_json_integer(json, "poses", j->list.count);
    for (int class = 1; class <= 3; class ++) {
        char name[32];
        const int64_t first = first_of(j, class);
        snprintf(name, sizeof name, "first_%s", classes[class]);
        tsl_json_known_integer(json, name, first, first > 0);
    }
    tsl_json_integer(json, "best", best + 1);
    tsl_json_number(json, "best_dockq", j->qualities[best].dockq);
    tsl_json_close_object(json);
}

static tsl_status tell(const judging *j)
{
    const dock_work *work = j->work;
    const cli_common *common = &work->options->common;
    const double total = tsl_seconds() - j->begun;
    const cli_report report = {.command = "dock quality",
                               .device = work->devices,
                               .ranks = work->ranks,
                               .verified = -1,
                               .total = total,
                               .setup = j->ready - j->begun,
                               .compute = total - (j->ready - j->begun)};
    if (!cli_is_quiet()) {
        print_summary(cli_summary_stream(common), j);
        cli_flush(stdout);
    }
    tsl_status status =
        common->csv != NULL ? cli_csv_write(work->context, common->csv, write_csv_rows, j) : TSL_OK;
    return status == TSL_OK && common->json != NULL
               ? cli_report_write(work->context, common->json, &report, write_body, j)
               : status;
}

int dock_quality_run(dock_work *work)
{
    judging j = {.work = work, .begun = tsl_seconds()};
    tsl_status status = TSL_OK;
    if (work->rank == 0) {
        status = read_all(&j);
        j.ready = tsl_seconds();
        if (status == TSL_OK) {
            status = judge_all(&j);
        }
        if (status == TSL_OK) {
            status = tell(&j);
        }
    }
    status = cli_agree(work->context, status);
    for (int role = 0; role < 2; role++) {
        dock_input_free(&j.docked[role]);
        dock_input_free(&j.bound[role]);
    }
    tsl_pose_list_free(&j.list);
    tsl_release(j.qualities);
    return dock_end(work, status);
}
