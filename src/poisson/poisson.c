/* Plans and their execution, the same on every device. */
#include "poisson/poisson.h"

#include <math.h>
#include <string.h>

#include "device/device.h"

struct tsl_poisson_plan {
    tsl_context *context;
    tsl_poisson_problem problem;
    tsl_poisson_summary summary;
    void *spectrum; /* device memory */
    tsl_poisson_solver *solver;
};

/* Device memory the plan holds. */
static int64_t held_bytes(const tsl_context *context, const tsl_poisson_problem *problem)
{
    return tsl_poisson_spectrum_bytes(problem) +
           context->ops->poisson->bytes(context, &problem->grid);
}

static void summarise(tsl_poisson_summary *out, const tsl_context *context,
                      const tsl_poisson_problem *problem)
{
    const bool staged = !context->ops->poisson->memory_is_host;
    *out =
        (tsl_poisson_summary){.bytes = held_bytes(context, problem),
                              .planning_bytes = tsl_poisson_build_bytes(context, problem) +
                                                (staged ? tsl_poisson_spectrum_bytes(problem) : 0),
                              .radius = problem->radius};
    for (int axis = 0; axis < 3; axis++) {
        out->transform[axis] = problem->grid.m[axis];
        out->padded[axis] = problem->axis[axis].padded;
    }
}

tsl_status tsl_poisson_predict(tsl_poisson_summary *out, tsl_context *context,
                               const tsl_poisson_options *options)
{
    tsl_poisson_problem problem;
    const tsl_status status = tsl_poisson_settle(&problem, context, options);
    if (status == TSL_OK) {
        summarise(out, context, &problem);
    }
    return status;
}

/* Refuse what does not fit, before anything is taken. */
static tsl_status check_memory(const tsl_poisson_plan *plan, int64_t bound)
{
    tsl_context *context = plan->context;
    const tsl_poisson_grid *grid = &plan->problem.grid;
    tsl_device_properties properties;
    char needed[16], there[16];
    int64_t peak = plan->summary.bytes;
    if (context->ops->poisson->memory_is_host) {
        const int64_t building =
            tsl_poisson_spectrum_bytes(&plan->problem) + plan->summary.planning_bytes;
        peak = building > peak ? building : peak;
    }
    const tsl_status status = context->ops->properties(context->device, &properties);
    if (status != TSL_OK) {
        return status;
    }
    const bool bounded = bound > 0 && bound < properties.memory_free;
    if (peak <= (bounded ? bound : properties.memory_free)) {
        return TSL_OK;
    }
    return tsl_fail(context, TSL_E_NOMEM,
                    "%sa Poisson plan of %d x %d x %d needs %s, %s %s: take fewer cells%s",
                    bounded ? "" : "out of memory: ", grid->n[0], grid->n[1], grid->n[2],
                    tsl_format_bytes(needed, peak),
                    tsl_format_bytes(there, bounded ? bound : properties.memory_free),
                    bounded ? "are allowed" : "are free", bounded ? " or allow more" : "");
}

/* The spectrum, on the device. */
static tsl_status build_spectrum(tsl_poisson_plan *plan)
{
    tsl_context *context = plan->context;
    const int64_t bytes = tsl_poisson_spectrum_bytes(&plan->problem);
    tsl_status status =
        tsl_device_allocate(&plan->spectrum, context, bytes, "the spectrum of Green's function");
    if (status != TSL_OK || context->ops->poisson->memory_is_host) {
        return status != TSL_OK ? status
                                : tsl_poisson_build(plan->spectrum, context, &plan->problem);
    }
    void *staged = tsl_allocate((size_t)bytes);
    if (staged == NULL) {
        return tsl_fail_memory(context, bytes, "the spectrum of Green's function");
    }
    status = tsl_poisson_build(staged, context, &plan->problem);
    if (status == TSL_OK) {
        status = context->ops->upload(context, plan->spectrum, staged, bytes);
    }
    tsl_release(staged);
    return status;
}

tsl_status tsl_poisson_plan_create(tsl_poisson_plan **out, tsl_context *context,
                                   const tsl_poisson_options *options)
{
    const double begun = tsl_seconds();
    tsl_poisson_plan *plan = tsl_allocate_zeroed(1, sizeof *plan);
    if (plan == NULL) {
        return tsl_fail_memory(context, sizeof *plan, "a Poisson plan");
    }
    plan->context = context;
    tsl_status status = tsl_poisson_settle(&plan->problem, context, options);
    if (status == TSL_OK) {
        summarise(&plan->summary, context, &plan->problem);
        status = check_memory(plan, options->memory);
    }
    if (status == TSL_OK) {
        status = build_spectrum(plan);
    }
    if (status == TSL_OK) {
        status = context->ops->poisson->create(&plan->solver, context, &plan->problem.grid,
                                               plan->spectrum);
    }
    if (status != TSL_OK) {
        tsl_poisson_plan_destroy(plan);
        return status;
    }
    tsl_profile_add(context, "plan", begun, plan->summary.bytes, 0);
    *out = plan;
    return TSL_OK;
}

void tsl_poisson_plan_destroy(tsl_poisson_plan *plan)
{
    if (plan != NULL) {
        if (plan->solver != NULL) { /* else there may be no table */
            plan->context->ops->poisson->destroy(plan->solver);
        }
        tsl_device_release(plan->context, plan->spectrum);
        tsl_release(plan);
    }
}

void tsl_poisson_plan_summary(const tsl_poisson_plan *plan, tsl_poisson_summary *out)
{
    *out = plan->summary;
}

static int64_t cells_of(const tsl_poisson_grid *grid)
{
    return (int64_t)grid->n[0] * grid->n[1] * grid->n[2];
}

static tsl_status check_address(const tsl_poisson_plan *plan, const void *address, const char *what)
{
    if (address == NULL || (uintptr_t)address % 64 != 0) {
        return tsl_fail(plan->context, TSL_E_ARG,
                        "the %s's address is %s: give device memory aligned to 64 bytes", what,
                        address == NULL ? "NULL" : "not aligned");
    }
    return TSL_OK;
}

/* Refuse a charge that a periodic box cannot hold. */
static tsl_status check_charge(tsl_poisson_plan *plan, const void *source, int64_t number)
{
    double sums[3];
    const tsl_status status = plan->context->ops->poisson->sums(plan->solver, sums, source, source);
    if (status != TSL_OK) {
        return status;
    }
    const double tolerance = plan->problem.grid.precision == TSL_DOUBLE ? 1e-9 : 1e-5;
    if (fabs(sums[0]) <= tolerance * sums[1]) {
        return TSL_OK;
    }
    if (!isfinite(sums[0])) {
        return tsl_fail(plan->context, TSL_E_ARG,
                        "right-hand side %lld has values that are not finite numbers",
                        (long long)number);
    }
    const tsl_poisson_problem *problem = &plan->problem;
    double volume = 1;
    for (int axis = 0; axis < 3; axis++) {
        volume *= problem->axis[axis].length / problem->grid.n[axis];
    }
    return tsl_fail(plan->context, TSL_E_ARG,
                    "right-hand side %lld has a net charge of %.6g, which a periodic box cannot "
                    "hold: allow a neutralising background, or make an axis free",
                    (long long)number, sums[0] * volume);
}

tsl_status tsl_poisson_execute(tsl_poisson_plan *plan, void *potential, const void *source)
{
    tsl_context *context = plan->context;
    const tsl_poisson_problem *problem = &plan->problem;
    const int64_t cells = cells_of(&problem->grid);
    const int64_t bytes = cells * (int64_t)problem->grid.precision;
    const double begun = tsl_seconds();
    tsl_status status = check_address(plan, potential, "potential");
    if (status == TSL_OK) {
        status = check_address(plan, source, "source");
    }
    for (int64_t i = 0; i < problem->count && problem->checks_charge && status == TSL_OK; i++) {
        status = check_charge(plan, (const char *)source + i * bytes, i);
    }
    for (int64_t i = 0; i < problem->count && status == TSL_OK; i++) {
        status = context->ops->poisson->solve(plan->solver, (char *)potential + i * bytes,
                                              (const char *)source + i * bytes);
    }
    /* the customary count of the periodic problem: two complex transforms */
    const double flops = 2 * 5 * (double)cells * log2((double)cells);
    tsl_profile_add(context, "solve", begun, 2 * problem->count * bytes,
                    problem->count * (int64_t)flops);
    return status;
}

tsl_status tsl_poisson_energy(tsl_poisson_plan *plan, double *energies, const void *potential,
                              const void *source)
{
    const tsl_poisson_problem *problem = &plan->problem;
    const int64_t bytes = cells_of(&problem->grid) * (int64_t)problem->grid.precision;
    double volume = 1;
    for (int axis = 0; axis < 3; axis++) {
        volume *= problem->axis[axis].length / problem->grid.n[axis];
    }
    tsl_status status = check_address(plan, potential, "potential");
    if (status == TSL_OK) {
        status = check_address(plan, source, "source");
    }
    for (int64_t i = 0; i < problem->count && status == TSL_OK; i++) {
        double sums[3];
        status =
            plan->context->ops->poisson->sums(plan->solver, sums, (const char *)source + i * bytes,
                                              (const char *)potential + i * bytes);
        energies[i] = 0.5 * sums[2] * volume;
    }
    return status;
}
