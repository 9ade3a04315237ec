/* What memory a plan and its solution are going to take. */
#include <stdio.h>

#include "device/device.h"
#include "solvers/scf/gpu/gpu.h"
#include "solvers/scf/scf.h"

/* Bytes of basis sets, tables and what else does not grow with the molecule. */
static const int64_t AROUND = INT64_C(2) << 20;
static const int64_t MOST_BATCH = INT64_C(2) << 30; /* bytes of a batch of grid points */
enum {
    CHARGE = 200, /* bytes for each point charge */
    LEAST_BATCH = 64 << 10,
    EIGEN = 4 /* matrices that a GPU's library needs to work in, at most */
};

typedef struct parts {
    int64_t matrices, points, grid, guess;
    tsl_scf_coulomb_need coulomb;
} parts;

/* Bytes of matrices: those of the plan, of the iteration and of what is done with its results. */
static int64_t matrices_of(const tsl_scf_plan *p)
{
    const int64_t square = 8 * p->n * p->n, spins = p->spins;
    const int64_t plan = 12 + (p->charges.count > 0) + 6 * spins;
    const int64_t iteration =
        spins + 3 * TSL_SCF_DIIS * spins + (tsl_scf_seeks_lowest(p) ? 2 * spins : 0);
    const int64_t later = 3; /* of eigenvectors, or of populations */
    return (plan + iteration + later) * square;
}

static tsl_status measure(parts *out, const tsl_scf_plan *p)
{
    tsl_scf_grid_options grid;
    tsl_status status = tsl_scf_grid_parse(&grid, p->context, p->grid_text);
    if (status != TSL_OK) {
        return status;
    }
    out->points = tsl_scf_grid_count(&p->atoms, &grid);
    out->matrices = matrices_of(p);
    out->grid = tsl_scf_grid_bytes(out->points, p->atoms.count) +
                tsl_xc_step_bytes(p->context, &p->basis, out->points, p->spins, p->step_memory);
    tsl_scf_coulomb_foresee(&out->coulomb, p->context, &p->basis,
                            p->options.fit == TSL_SCF_FIT_DENSITY ? &p->auxiliary : NULL,
                            p->options.screen);
    return tsl_scf_guess_foresee(&out->guess, p);
}

static void tell(const tsl_scf_plan *p, const parts *of)
{
    char all[16], matrices[16], fit[16], grid[16], rest[16], kept[16], integrals[16];
    const bool is_whole = p->integrals_bytes >= of->coulomb.integrals;
    const int64_t stored = is_whole ? of->coulomb.integrals : p->integrals_bytes;
    const int64_t said = of->matrices + of->coulomb.fixed + of->grid;
    tsl_message(
        p->context, TSL_MESSAGE_NOTE,
        "memory: up to %s: %s of matrices, %s for %s, %s for the grid, %s for the guess and "
        "tables, %s of %s of integrals kept%s",
        tsl_format_bytes(all, p->fixed_bytes + stored), tsl_format_bytes(matrices, of->matrices),
        tsl_format_bytes(fit, of->coulomb.fixed),
        p->options.fit == TSL_SCF_FIT_DENSITY ? "the fit" : "integrals of four functions",
        tsl_format_bytes(grid, of->grid), tsl_format_bytes(rest, p->fixed_bytes - said),
        tsl_format_bytes(kept, stored), tsl_format_bytes(integrals, of->coulomb.integrals),
        is_whole ? "" : ", the others worked out in each iteration");
}

/* Bytes that may be taken. */
static tsl_status find_budget(int64_t *budget, const tsl_scf_plan *p)
{
    const int64_t bound = p->options.memory;
    tsl_device_properties about;
    const tsl_status status = tsl_device_read_properties(p->device, &about);
    if (status == TSL_OK) {
        *budget = bound == 0                  ? about.memory_free / 4 * 3
                  : bound < about.memory_free ? bound
                                              : about.memory_free;
    }
    return status;
}

/* What all but integrals takes if a batch of points may take so much. */
static tsl_status measure_with(parts *out, tsl_scf_plan *p, int64_t batch)
{
    p->step_memory = batch;
    const tsl_status status = measure(out, p);
    if (status == TSL_OK) {
        const int64_t around = AROUND + CHARGE * p->charges.count;
        const int64_t later = out->coulomb.fixed + out->grid + out->guess + around;
        const int64_t made = out->coulomb.made + around;
        p->fixed_bytes = out->matrices + (later > made ? later : made);
    }
    return status;
}

static tsl_status foresee_on_cpu(tsl_scf_plan *p)
{
    enum { PART = 8 }; /* of the budget */
    tsl_device_need need = {.remedy = "give a smaller basis set, a coarser grid or fewer threads"};
    char what[128];
    int64_t budget = 0;
    parts of;
    tsl_status status = TSL_OK;
    TSL_TRY(find_budget(&budget, p));
    TSL_TRY(measure_with(&of, p, budget / PART < MOST_BATCH ? budget / PART : MOST_BATCH));
    if (p->fixed_bytes > budget) {
        TSL_TRY(measure_with(&of, p, LEAST_BATCH));
    }
    snprintf(what, sizeof what,
             "%lld basis functions, %d auxiliary ones and %lld points of the grid need",
             (long long)p->n, p->auxiliary.functions, (long long)of.points);
    need.what = what;
    need.device = p->fixed_bytes;
    need.bound = p->options.memory;
    TSL_TRY(tsl_device_foresee(p->context, &need));
    p->integrals_bytes = budget > p->fixed_bytes ? budget - p->fixed_bytes : 0;
    tell(p, &of);
done:
    return status;
}

/* ---- on a GPU -------------------------------------------------------------------------------- */

typedef struct gpu_parts {
    int64_t matrices, coulomb, grid;
} gpu_parts;

/* Share a GPU's memory out for a grid of so many points; a batch of points takes what the rest
 * leaves of the budget. */
static void share_gpu(gpu_parts *of, tsl_scf_plan *p, int64_t points, int64_t budget)
{
    const int64_t grid = tsl_scf_grid_bytes(points, p->atoms.count);
    const int64_t least = tsl_xc_step_bytes(p->device, &p->basis, points, p->spins, LEAST_BATCH);
    const int64_t left = budget - of->matrices - of->coulomb - grid - least;
    p->step_memory = left > MOST_BATCH ? MOST_BATCH : left > LEAST_BATCH ? left : LEAST_BATCH;
    of->grid = grid + tsl_xc_step_bytes(p->device, &p->basis, points, p->spins, p->step_memory);
    p->fixed_bytes = of->matrices + of->coulomb + of->grid;
}

static void tell_gpu(const tsl_scf_plan *p, const gpu_parts *of)
{
    char all[16], matrices[16], coulomb[16], grid[16];
    tsl_message(p->context, TSL_MESSAGE_NOTE,
                "memory of %s: up to %s: %s of matrices, %s for the Coulomb matrix, %s for the "
                "grid; what the driver and its libraries take comes to that",
                p->device->name, tsl_format_bytes(all, p->fixed_bytes),
                tsl_format_bytes(matrices, of->matrices), tsl_format_bytes(coulomb, of->coulomb),
                tsl_format_bytes(grid, of->grid));
}

static tsl_status foresee_on_gpu(tsl_scf_plan *p)
{
    tsl_scf_grid_options grid;
    tsl_device_need need = {.remedy = "give a smaller basis set or a coarser grid"};
    gpu_parts of = {0};
    char what[128];
    int64_t budget = 0, points;
    tsl_status status = TSL_OK;
    TSL_TRY(tsl_scf_grid_parse(&grid, p->context, p->grid_text));
    TSL_TRY(find_budget(&budget, p));
    TSL_TRY(tsl_scf_gpu_begin(p, &of.matrices, &of.coulomb));
    of.matrices += 8 * EIGEN * p->n * p->n + AROUND;
    of.coulomb += CHARGE * p->charges.count;
    points = tsl_scf_grid_count(&p->atoms, &grid);
    share_gpu(&of, p, points, budget);
    snprintf(what, sizeof what,
             "%lld basis functions, %d auxiliary ones and %lld points of the grid need",
             (long long)p->n, p->auxiliary.functions, (long long)points);
    need.what = what;
    need.device = p->fixed_bytes;
    need.bound = p->options.memory;
    TSL_TRY(tsl_device_foresee(p->device, &need));
    tell_gpu(p, &of);
done:
    return status;
}

tsl_status tsl_scf_foresee(tsl_scf_plan *p)
{
    return p->device == p->context ? foresee_on_cpu(p) : foresee_on_gpu(p);
}
