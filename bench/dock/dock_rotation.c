/* Times a rotation of docking (trypsin + BPTI), stage by stage, on one core and on all, and in the
 * same run what the usual way cannot go below: two complex transforms of N^3 (shape and charge
 * packed as one complex grid), one forward and one backward, by FFTW in single precision.
 *
 *     dock_rotation [--grid N] [--rotations N] [--repeats N] [--commit ID] [--json FILE]
 */
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "blocks/fft/fft.h"
#include "core/context.h"
#include "tesela/tesela.h"

enum { KEEP = 3 };

typedef struct settings {
    int grid, rotations, repeats;
    const char *commit, *json; /* NULL: none */
} settings;

/* What one number of threads gave. */
typedef struct result {
    int threads, stages;
    bench_times rotation;     /* in all */
    bench_times transform[2]; /* the pair of transforms: out of place, in place */
    bench_times stage[TSL_PROFILE_STAGES];
} result;

/* The faster of both ways. */
static double median_transforms(const result *r, int repeats)
{
    return fmin(bench_median(&r->transform[0], repeats), bench_median(&r->transform[1], repeats));
}

/* ---- measuring ---------------------------------------------------------------------------- */

/* A pair of transforms, each thread on grids of its own: that gives more than sharing one. */
static tsl_status time_transforms(tsl_context *context, const settings *s, bool in_place,
                                  bench_times *out)
{
    const int n = s->grid;
    const int threads = tsl_context_threads(context);
    const int pairs = s->rotations / (4 * threads) + 1;
    const size_t cells = (size_t)n * (size_t)n * (size_t)n;
    const tsl_fft_layout cube = {{n, n, n}, 1, 0};
    tsl_fft_description what = {.kind = TSL_FFT_FORWARD,
                                .precision = TSL_SINGLE,
                                .rank = 3,
                                .n = {n, n, n},
                                .count = 1,
                                .in = cube,
                                .out = cube,
                                .in_place = in_place};
    tsl_fft *forward = NULL, *backward = NULL;
    tsl_status status = tsl_fft_cpu.create(&forward, context, &what);
    what.kind = TSL_FFT_BACKWARD;
    if (status == TSL_OK) {
        status = tsl_fft_cpu.create(&backward, context, &what);
    }
    float *from = tsl_allocate_zeroed(cells * (size_t)threads, 8);
    float *to = in_place ? from : tsl_allocate_zeroed(cells * (size_t)threads, 8);
    if (status == TSL_OK && (from == NULL || to == NULL)) {
        status = tsl_fail_memory(context, (int64_t)cells * threads * 8, "packed grids");
    }
    for (int k = -1; k < s->repeats && status == TSL_OK; k++) { /* the first is to warm up */
        const double begun = tsl_seconds();
#pragma omp parallel num_threads(threads)
        {
            const size_t own = 2 * cells * (size_t)omp_get_thread_num();
            for (int i = 0; i < pairs; i++) {
                tsl_fft_cpu.execute(forward, from + own, to + own);
                tsl_fft_cpu.execute(backward, to + own, from + own);
            }
        }
        out->ms[k < 0 ? 0 : k] = 1e3 * (tsl_seconds() - begun) / ((double)pairs * threads);
    }
    tsl_release(in_place ? NULL : to);
    tsl_release(from);
    tsl_fft_cpu.destroy(backward);
    tsl_fft_cpu.destroy(forward);
    return status;
}

/* Searches of all rotations: the whole time, and the stages the profile tells of. */
static tsl_status time_search(tsl_context *context, tsl_dock_plan *plan, const settings *s,
                              result *r)
{
    tsl_status status = TSL_OK;
    tsl_rotation *rotations = calloc((size_t)s->rotations, sizeof *rotations);
    tsl_pose *poses = calloc((size_t)s->rotations * KEEP, sizeof *poses);
    if (rotations == NULL || poses == NULL) {
        status = tsl_fail_memory(context, s->rotations, "rotations");
    } else {
        tsl_rotations_spiral(rotations, s->rotations);
    }
    for (int k = -1; k < s->repeats && status == TSL_OK; k++) {
        const tsl_profile before = context->profile;
        const double begun = tsl_seconds();
        status = tsl_dock_search(plan, poses, rotations, s->rotations, NULL, NULL);
        r->rotation.ms[k < 0 ? 0 : k] = 1e3 * (tsl_seconds() - begun) / s->rotations;
        r->stages = 0;
        for (int i = 0; i < context->profile.count; i++) {
            const tsl_profile_stage *now = &context->profile.stages[i];
            if (now->calls > before.stages[i].calls) {
                bench_times *stage = &r->stage[r->stages++];
                stage->name = now->stage;
                stage->ms[k < 0 ? 0 : k] =
                    1e3 * (now->seconds - before.stages[i].seconds) / s->rotations;
            }
        }
    }
    free(rotations);
    free(poses);
    return status;
}

static tsl_status measure(tsl_context *context, const settings *s, result *r)
{
    tsl_molecule *receptor = NULL, *ligand = NULL;
    tsl_dock_plan *plan = NULL;
    tsl_dock_options options = TSL_DOCK_OPTIONS_FTDOCK;
    options.grid = s->grid;
    options.keep = KEEP;
    r->threads = tsl_context_threads(context);
    tsl_status status =
        tsl_molecule_read(&receptor, context, TSL_SOURCE_DIR "/data/trypsin.pdb", NULL);
    if (status == TSL_OK) {
        status = tsl_molecule_read(&ligand, context, TSL_SOURCE_DIR "/data/bpti.pdb", NULL);
    }
    if (status == TSL_OK) {
        status = tsl_dock_plan_create(&plan, context, receptor, ligand, &options);
    }
    status = status == TSL_OK ? time_search(context, plan, s, r) : status;
    tsl_dock_plan_destroy(plan);
    tsl_molecule_destroy(ligand);
    tsl_molecule_destroy(receptor);
    for (int i = 0; i < 2 && status == TSL_OK; i++) {
        status = time_transforms(context, s, i == 1, &r->transform[i]);
    }
    return status;
}

/* ---- telling ------------------------------------------------------------------------------ */

static void print(const result *r, int repeats)
{
    const double rotation = bench_median(&r->rotation, repeats);
    const double transforms = median_transforms(r, repeats);
    printf("%d thread%s, median of %d\n", r->threads, r->threads == 1 ? "" : "s", repeats);
    for (int i = 0; i < r->stages; i++) {
        printf("  %-22s %8.3f ms\n", r->stage[i].name, bench_median(&r->stage[i], repeats));
    }
    printf("  %-22s %8.3f ms\n  %-22s %8.3f ms\n  %-22s %8.2f\n", "a rotation in all", rotation,
           "two packed transforms", transforms, "share", rotation / transforms);
}

static tsl_status write_report(tsl_context *context, const settings *s, const result *r, int count)
{
    bench_report report;
    const tsl_status status =
        bench_report_open(&report, context, s->json, "dock_rotation", s->commit);
    if (status != TSL_OK) {
        return status;
    }
    tsl_json *json = &report.json;
    tsl_json_integer(json, "grid", s->grid);
    tsl_json_integer(json, "rotations", s->rotations);
    tsl_json_integer(json, "repeats", s->repeats);
    tsl_json_open_array(json, "results");
    for (int i = 0; i < count; i++) {
        const double rotation = bench_median(&r[i].rotation, s->repeats);
        const double transforms = median_transforms(&r[i], s->repeats);
        tsl_json_open_object(json, NULL);
        tsl_json_integer(json, "threads", r[i].threads);
        tsl_json_open_object(json, "stages_ms");
        for (int j = 0; j < r[i].stages; j++) {
            tsl_json_number(json, r[i].stage[j].name, bench_median(&r[i].stage[j], s->repeats));
        }
        tsl_json_close_object(json);
        tsl_json_number(json, "rotation_ms", rotation);
        tsl_json_number(json, "two_packed_transforms_ms", transforms);
        tsl_json_number(json, "share", rotation / transforms);
        tsl_json_close_object(json);
    }
    tsl_json_close_array(json);
    return bench_report_close(&report);
}

static bool parse(settings *s, int argc, char **argv)
{
    const struct {
        const char *name;
        int *number;
        const char **text;
    } known[] = {{"--grid", &s->grid, NULL},
                 {"--rotations", &s->rotations, NULL},
                 {"--repeats", &s->repeats, NULL},
                 {"--commit", NULL, &s->commit},
                 {"--json", NULL, &s->json}};
    enum { KNOWN = sizeof known / sizeof *known };
    for (int i = 1; i < argc; i += 2) {
        int k = 0;
        while (k < KNOWN && strcmp(argv[i], known[k].name) != 0) {
            k++;
        }
        if (k == KNOWN || i + 1 == argc) {
            return false;
        }
        if (known[k].text != NULL) {
            *known[k].text = argv[i + 1];
        } else {
            *known[k].number = atoi(argv[i + 1]);
        }
    }
    return s->grid > 0 && s->rotations > 0 && s->repeats > 0 && s->repeats <= BENCH_REPEATS;
}

int main(int argc, char **argv)
{
    static result results[2];
    settings s = {.grid = 96, .rotations = 240, .repeats = 9};
    if (!parse(&s, argc, argv)) {
        fputs("usage: dock_rotation [--grid N] [--rotations N] [--repeats N] [--commit ID] "
              "[--json FILE]\n",
              stderr);
        return 2;
    }
    const int all = omp_get_max_threads();
    tsl_status status = TSL_OK;
    for (int i = 0; i < (all > 1 ? 2 : 1) && status == TSL_OK; i++) {
        tsl_context *context = NULL;
        tsl_context_options options = TSL_CONTEXT_OPTIONS_INIT;
        options.device = "cpu";
        options.threads = i == 0 ? 1 : all;
        status = tsl_context_create(&context, &options);
        if (status == TSL_OK) {
            status = measure(context, &s, &results[i]);
        }
        if (status == TSL_OK) {
            print(&results[i], s.repeats);
        }
        if (status == TSL_OK && s.json != NULL && (i == 1 || all == 1)) {
            status = write_report(context, &s, results, i + 1);
        }
        if (status != TSL_OK) {
            fprintf(stderr, "dock_rotation: %s\n", tsl_last_error(context));
        }
        tsl_context_destroy(context);
    }
    return status == TSL_OK ? 0 : 1;
}
