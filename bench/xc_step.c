/* Exchange and correlation on a grid: a run, its stages, and what was planned, on any device; on
 * another than the CPU, compared with it.
 *
 *     xc_step DEVICE MOLECULE.xyz [BASIS [FUNCTIONAL [GRID [SPINS]]]]
 *     xc_step cuda:0 carotene.xyz def2-svp pbe medium
 *
 * The density matrix is made up: diagonal, which costs what any other does. A run's time is the
 * median of five that end when the sums are on the host. Stages are of other runs, which wait for
 * the device after each. Of DGauss's sets functions are Cartesian. TF/s: of the two products of
 * matrices, over the whole run. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "core/context.h"
#include "device/device.h"
#include "solvers/scf/basis/set.h"
#include "solvers/scf/xc_step/xc_step.h"
#include "tesela/scf.h"

typedef struct setup {
    const char *molecule, *basis, *functional, *grid;
    int spins;
} setup;

/* All of one device. */
typedef struct bench {
    tsl_context *context;
    tsl_scf_molecule *molecule;
    tsl_scf_atoms atoms;
    tsl_scf_set set;
    tsl_scf_basis basis;
    tsl_scf_grid grid;
    tsl_xc_step *step;
    void *density, *potential;
    double *host; /* the potential's matrix */
    int64_t bytes;
    tsl_xc_step_sums sums;
} bench;

static tsl_status run_once(void *user)
{
    bench *b = user;
    return tsl_xc_step_run(b->step, b->density, b->potential, &b->sums);
}

static tsl_status open_molecule(bench *b, const setup *s)
{
    const tsl_scf_set *sets[TSL_ELEMENTS + 1] = {NULL};
    tsl_status status = TSL_OK;
    int count = 0;
    TSL_TRY(tsl_scf_molecule_read(&b->molecule, b->context, s->molecule, 1 / TSL_SCF_BOHR));
    count = (int)tsl_scf_molecule_count(b->molecule);
    b->atoms = (tsl_scf_atoms){.count = count,
                               .element = (int *)tsl_scf_molecule_elements(b->molecule),
                               .charge = calloc((size_t)count, sizeof(double)),
                               .position = (double *)tsl_scf_molecule_positions(b->molecule)};
    TSL_TRY(tsl_scf_set_load(&b->set, b->context, s->basis));
    for (int i = 0; i < count; i++) {
        sets[b->atoms.element[i]] = &b->set;
    }
    TSL_TRY(tsl_scf_basis_create(&b->basis, b->context, &b->atoms, sets,
                                 strncmp(s->basis, "dgauss", 6) == 0, 4));
done:
    return status;
}

static tsl_status make_density(bench *b, const setup *s)
{
    const int64_t n = b->basis.functions;
    tsl_status status = TSL_OK;
    b->bytes = 8 * s->spins * n * n;
    b->host = calloc((size_t)(s->spins * n * n), sizeof *b->host);
    if (b->host == NULL) {
        return tsl_fail_memory(b->context, b->bytes, "a matrix");
    }
    for (int64_t i = 0; i < s->spins * n; i++) {
        b->host[i * n + i % n] = (0.3 + 0.2 * (double)(i % 3)) / s->spins;
    }
    TSL_TRY(tsl_device_allocate(&b->density, b->context, b->bytes, "a matrix"));
    TSL_TRY(tsl_device_allocate(&b->potential, b->context, b->bytes, "a matrix"));
    TSL_TRY(b->context->ops->upload(b->context, b->density, b->host, b->bytes));
done:
    return status;
}

static tsl_status open_bench(bench *b, const char *device, const setup *s)
{
    tsl_context_options context = TSL_CONTEXT_OPTIONS_INIT;
    tsl_scf_grid_options grid;
    tsl_xc_step_options options = TSL_XC_STEP_OPTIONS_INIT;
    tsl_xc_step_description d;
    double begun, made, planned;
    tsl_status status = TSL_OK;
    context.device = device;
    *b = (bench){.context = NULL};
    options.functional = s->functional;
    options.spins = s->spins;
    TSL_TRY(tsl_context_create(&b->context, &context));
    TSL_TRY(open_molecule(b, s));
    TSL_TRY(tsl_scf_grid_parse(&grid, b->context, s->grid));
    begun = tsl_seconds();
    TSL_TRY(tsl_scf_grid_create(&b->grid, b->context, &b->atoms, &grid));
    made = tsl_seconds();
    TSL_TRY(tsl_xc_step_create(&b->step, b->context, &b->basis, &b->grid, &options));
    planned = tsl_seconds();
    TSL_TRY(make_density(b, s));
    tsl_xc_step_describe(b->step, &d);
    printf("%s, %s, %s: %d functions, %lld points (%lld left out), %lld groups of %.1f functions "
           "(%d at most), %lld batches, %.2f GiB\n",
           b->context->name, s->basis, s->functional, b->basis.functions, (long long)d.points,
           (long long)d.points_left_out, (long long)d.groups, d.functions, d.most_functions,
           (long long)d.batches, (double)d.bytes * 0x1p-30);
    printf("  %-22s %9.2f ms\n  %-22s %9.2f ms\n", "grid", 1e3 * (made - begun), "plan",
           1e3 * (planned - made));
done:
    return status;
}

static tsl_status measure(bench *b)
{
    enum { RUNS = 5 };
    const tsl_profile_stage *stages;
    tsl_xc_step_description d;
    double before[TSL_PROFILE_STAGES] = {0};
    double seconds = 0;
    int count = 0;
    tsl_status status = TSL_OK;
    tsl_xc_step_describe(b->step, &d);
    TSL_TRY(run_once(b));
    TSL_TRY(tsl_device_time(&seconds, b->context, run_once, b, 0.2));
    printf("  %-22s %9.2f ms %8.2f TF/s\n", "run", 1e3 * seconds, 1e-12 * d.flops / seconds);
    tsl_profile_enable(b->context);
    count = tsl_profile_stages(b->context, &stages);
    for (int i = 0; i < count; i++) {
        before[i] = stages[i].seconds;
    }
    for (int r = 0; r < RUNS; r++) {
        TSL_TRY(run_once(b));
    }
    count = tsl_profile_stages(b->context, &stages);
    for (int i = 0; i < count; i++) {
        if (stages[i].seconds > before[i]) {
            printf("  %-22s %9.2f ms\n", stages[i].stage,
                   1e3 * (stages[i].seconds - before[i]) / RUNS);
        }
    }
    printf("  energy %.12f hartree, electrons %.12f\n", b->sums.energy,
           b->sums.electrons[0] + b->sums.electrons[1]);
    TSL_TRY(b->context->ops->download(b->context, b->host, b->potential, b->bytes));
done:
    return status;
}

static void close_bench(bench *b)
{
    tsl_xc_step_destroy(b->step);
    if (b->context != NULL) {
        tsl_device_release(b->context, b->density);
        tsl_device_release(b->context, b->potential);
    }
    tsl_scf_grid_release(&b->grid);
    tsl_scf_basis_release(&b->basis);
    tsl_scf_set_release(&b->set);
    tsl_scf_molecule_destroy(b->molecule);
    free(b->atoms.charge);
    free(b->host);
    tsl_context_destroy(b->context);
}

static void compare(const bench *a, const bench *b)
{
    double most = 0;
    for (int64_t i = 0; i < a->bytes / 8; i++) {
        most = fmax(most, fabs(a->host[i] - b->host[i]));
    }
    printf("differ by %.1e hartree, %.1e electrons, %.1e in an element of the matrix\n",
           fabs(a->sums.energy - b->sums.energy), fabs(a->sums.electrons[0] - b->sums.electrons[0]),
           most);
}

int main(int argc, char **argv)
{
    if (argc < 3 || argc > 7) {
        fprintf(stderr, "xc_step DEVICE MOLECULE.xyz [BASIS [FUNCTIONAL [GRID [SPINS]]]]; without "
                        "arguments nothing is measured\n");
        return argc == 1 ? 0 : 2;
    }
    const setup s = {.molecule = argv[2],
                     .basis = argc > 3 ? argv[3] : "def2-svp",
                     .functional = argc > 4 ? argv[4] : "pbe",
                     .grid = argc > 5 ? argv[5] : "medium",
                     .spins = argc > 6 ? atoi(argv[6]) : 1};
    const bool is_cpu = strcmp(argv[1], "cpu") == 0;
    bench own = {.context = NULL}, cpu = {.context = NULL};
    tsl_status status = TSL_OK;
    TSL_TRY(open_bench(&own, argv[1], &s));
    TSL_TRY(measure(&own));
    if (!is_cpu) {
        TSL_TRY(open_bench(&cpu, "cpu", &s));
        TSL_TRY(measure(&cpu));
        compare(&own, &cpu);
    }
done:
    if (status != TSL_OK) {
        fprintf(stderr, "xc_step: %s\n",
                tsl_last_error(cpu.context != NULL ? cpu.context : own.context));
    }
    close_bench(&cpu);
    close_bench(&own);
    return status == TSL_OK ? 0 : 3;
}
