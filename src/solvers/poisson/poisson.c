/* Plans and their execution, the same on every device. */
#include "solvers/poisson/poisson.h"

#include <math.h>
#include <string.h>

#include "comm/comm.h"
#include "core/context.h"
#include "device/device.h"

struct tsl_poisson_plan {
    tsl_context *context;
    tsl_poisson_problem problem;
    tsl_poisson_summary summary;
    void *spectrum; /* device memory */
    tsl_poisson_solver *solver;
    tsl_poisson_reshape *reshape; /* NULL: each rank's box is its rows */
    bool same_boxes;              /* of source and potential, on all ranks */
    tsl_poisson_times *times;     /* NULL: none are wanted */
};

int64_t tsl_poisson_held_bytes(tsl_context *context, const tsl_poisson_problem *problem)
{
    return tsl_poisson_spectrum_bytes(problem) +
           tsl_poisson_ops_of(context)->bytes(context, &problem->grid, &problem->share) +
           tsl_poisson_reshape_bytes(problem);
}

/* Host memory that create() gives back. */
static int64_t creating_bytes(const tsl_context *context, const tsl_poisson_problem *problem)
{
    const tsl_poisson_ops *ops = tsl_poisson_ops_of(context);
    return ops->planning_bytes != NULL ? ops->planning_bytes(&problem->grid, &problem->share) : 0;
}

int64_t tsl_poisson_peak_bytes(tsl_context *context, const tsl_poisson_problem *problem)
{
    const int64_t held = tsl_poisson_held_bytes(context, problem);
    const int64_t creating = held + creating_bytes(context, problem);
    const int64_t building =
        tsl_poisson_spectrum_bytes(problem) + tsl_poisson_build_bytes(context, problem);
    return !tsl_poisson_ops_of(context)->memory_is_host ? held
           : building > creating                        ? building
                                                        : creating;
}

void tsl_poisson_summarise(tsl_poisson_summary *out, tsl_context *context,
                           const tsl_poisson_problem *problem)
{
    const bool staged = !tsl_poisson_ops_of(context)->memory_is_host;
    const int64_t building = tsl_poisson_build_bytes(context, problem) +
                             (staged ? tsl_poisson_spectrum_bytes(problem) : 0);
    const int64_t creating = creating_bytes(context, problem);
    *out = (tsl_poisson_summary){.bytes = tsl_poisson_held_bytes(context, problem),
                                 .planning_bytes = building > creating ? building : creating,
                                 .peak_bytes = tsl_poisson_peak_bytes(context, problem),
                                 .radius = problem->radius,
                                 .ranks = {problem->share.p, problem->share.q},
                                 .segments = problem->share.segments,
                                 .overlap = problem->share.overlap,
                                 .lines = problem->grid.lines,
                                 .strided = problem->grid.strided,
                                 .path = problem->share.path};
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
        tsl_poisson_summarise(out, context, &problem);
    }
    return status;
}

tsl_status tsl_poisson_box(tsl_box *out, tsl_context *context, const tsl_poisson_options *options)
{
    tsl_poisson_problem problem;
    tsl_poisson_options open = *options;
    memset(&open.source_box, 0, sizeof open.source_box);
    memset(&open.potential_box, 0, sizeof open.potential_box);
    const tsl_status status = tsl_poisson_settle(&problem, context, &open);
    if (status == TSL_OK) {
        *out = problem.source;
    }
    return status;
}

/* The most that is taken at one time. */
static int64_t peak_bytes(const tsl_poisson_plan *plan, const tsl_poisson_options *options)
{
    const int64_t measuring = tsl_poisson_measure_bytes(plan->context, &plan->problem, options);
    const int64_t peak = tsl_poisson_peak_bytes(plan->context, &plan->problem);
    return peak > measuring ? peak : measuring;
}

/* Say so where planning will take long. */
static void note_planning(tsl_context *context, const tsl_poisson_problem *problem)
{
    const double a_value = 1e-7, noteworthy = 10; /* seconds */
    const double values = tsl_poisson_build_values(problem);
    const int threads = context->threads * context->comm->size;
    const double seconds = a_value * values / threads;
    if (seconds > noteworthy && context->comm->rank == 0) {
        tsl_message(context, TSL_MESSAGE_NOTE,
                    "planning samples %.2g values of Green's function, some %.0f s of %d thread%s: "
                    "axes that are short beside the box's diagonal take long",
                    values, seconds, threads, threads == 1 ? "" : "s");
    }
}

/* The spectrum, on the device. */
static tsl_status build_spectrum(tsl_poisson_plan *plan)
{
    tsl_context *context = plan->context;
    note_planning(context, &plan->problem);
    const bool staged = !tsl_poisson_ops_of(context)->memory_is_host;
    const int64_t bytes = tsl_poisson_spectrum_bytes(&plan->problem);
    tsl_status status =
        tsl_device_allocate(&plan->spectrum, context, bytes, "the spectrum of Green's function");
    void *built = plan->spectrum;
    if (status == TSL_OK && staged) {
        built = tsl_allocate((size_t)bytes);
        status = built != NULL
                     ? TSL_OK
                     : tsl_fail_memory(context, bytes, "the spectrum of Green's function");
    }
    status = tsl_comm_agree(context, status);
    if (status == TSL_OK) {
        status = tsl_poisson_build(built, context, &plan->problem);
    }
    if (status == TSL_OK && staged) {
        status =
            tsl_comm_refuse(context, context->ops->upload(context, plan->spectrum, built, bytes));
    }
    if (staged) {
        tsl_release(built);
    }
    return status;
}

/* The options are settled on all ranks, which agree on them; measure what is to be. */
static tsl_status choose_way(tsl_poisson_plan *plan, const tsl_poisson_options *options,
                             tsl_box *boxes)
{
    tsl_context *context = plan->context;
    tsl_poisson_options o = *options;
    bool must_measure = false;
    tsl_status status = tsl_poisson_meet(boxes, context, &plan->problem, options);
    if (status == TSL_OK) {
        status = tsl_poisson_must_measure(&must_measure, context, &plan->problem, options);
    }
    o.measure = o.measure || must_measure;
    if (status == TSL_OK) {
        status = tsl_poisson_foresee(context, &plan->problem, &o, peak_bytes(plan, &o));
    }
    if (status == TSL_OK && plan->problem.share.size > 1 && o.measure) {
        status = tsl_poisson_measure(&plan->problem, context, &o, boxes);
        tsl_poisson_summarise(&plan->summary, context, &plan->problem);
    }
    return status;
}

/* What a plan needs, and takes. */
static tsl_status prepare(tsl_poisson_plan *plan, const tsl_poisson_options *options,
                          tsl_box *boxes)
{
    tsl_context *context = plan->context;
    const tsl_poisson_ops *ops = tsl_poisson_ops_of(context);
    const tsl_poisson_problem *problem = &plan->problem;
    tsl_status status = choose_way(plan, options, boxes);
    plan->same_boxes = true;
    for (int q = 0; q < problem->share.size && status == TSL_OK; q++) {
        plan->same_boxes =
            plan->same_boxes && memcmp(&boxes[2 * q], &boxes[2 * q + 1], sizeof *boxes) == 0;
    }
    if (status == TSL_OK) {
        status = build_spectrum(plan);
    }
    if (status == TSL_OK) {
        status =
            ops->create(&plan->solver, context, &problem->grid, &problem->share, plan->spectrum);
        if (status == TSL_OK) {
            status = tsl_poisson_reshape_create(&plan->reshape, context, problem, boxes);
        }
        status = tsl_comm_agree(context, status);
    }
    if (status == TSL_OK && problem->share.size > 1) {
        status = ops->divide(plan->solver);
    }
    return status;
}

tsl_status tsl_poisson_plan_create(tsl_poisson_plan **out, tsl_context *context,
                                   const tsl_poisson_options *options)
{
    const double begun = tsl_seconds();
    tsl_poisson_plan *plan = tsl_allocate_zeroed(1, sizeof *plan);
    tsl_box *boxes = tsl_allocate(2 * (size_t)context->comm->size * sizeof *boxes);
    tsl_status status = TSL_OK;
    if (plan == NULL || boxes == NULL) {
        status = tsl_fail_memory(context, sizeof *plan, "a Poisson plan");
    } else {
        plan->context = context;
        status = tsl_poisson_settle(&plan->problem, context, options);
    }
    status = tsl_comm_agree(context, status);
    if (status == TSL_OK) {
        tsl_poisson_summarise(&plan->summary, context, &plan->problem);
        status = prepare(plan, options, boxes);
    }
    tsl_release(boxes);
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
            tsl_poisson_ops_of(plan->context)->destroy(plan->solver);
        }
        if (plan->context != NULL) {
            tsl_device_release(plan->context, plan->spectrum);
        }
        tsl_poisson_reshape_destroy(plan->reshape);
        tsl_release(plan);
    }
}

void tsl_poisson_plan_summary(const tsl_poisson_plan *plan, tsl_poisson_summary *out)
{
    *out = plan->summary;
}

void tsl_poisson_plan_time(tsl_poisson_plan *plan, tsl_poisson_times *times)
{
    const tsl_poisson_ops *ops = tsl_poisson_ops_of(plan->context);
    plan->times = times;
    if (ops->time != NULL) {
        ops->time(plan->solver, times);
    }
}

/* What one rank alone finds wrong is its failure, since the others go on to exchange. */
static tsl_status check_address(const tsl_poisson_plan *plan, const void *address,
                                const tsl_box *box, const char *what)
{
    tsl_context *context = plan->context;
    const bool missing = address == NULL && tsl_box_cells(box) > 0;
    if (!missing && (uintptr_t)address % 64 == 0) {
        return TSL_OK;
    }
    tsl_fail(context, TSL_E_ARG, "the %s's address is %s: give device memory aligned to 64 bytes",
             what, missing ? "NULL" : "not aligned");
    return context->comm->size > 1 ? tsl_comm_fail(context->comm, TSL_E_ARG, context->error)
                                   : TSL_E_ARG;
}

/* Sums over the cells of all ranks. */
static tsl_status sum(const tsl_poisson_plan *plan, double sums[3], const void *a, const void *b,
                      const tsl_box *box)
{
    tsl_context *context = plan->context;
    const tsl_status status =
        tsl_poisson_ops_of(context)->sums(plan->solver, sums, a, b, tsl_box_cells(box));
    if (context->comm->size == 1) {
        return status;
    }
    if (status != TSL_OK) {
        return tsl_comm_fail(context->comm, status, context->error);
    }
    return tsl_comm_all_reduce(context->comm, NULL, sums, 3, TSL_COMM_DOUBLE, TSL_COMM_SUM);
}

static double cell_volume(const tsl_poisson_problem *problem)
{
    double volume = 1;
    for (int axis = 0; axis < 3; axis++) {
        volume *= problem->axis[axis].length / problem->grid.n[axis];
    }
    return volume;
}

/* Refuse a charge that a periodic box cannot hold. */
static tsl_status check_charge(tsl_poisson_plan *plan, const void *source, int64_t number)
{
    double sums[3];
    const tsl_status status = sum(plan, sums, source, source, &plan->problem.source);
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
    /* of least numbers the charge may be 0 though their sum is not */
    const double charge = sums[0] * cell_volume(&plan->problem);
    return tsl_fail(plan->context, TSL_E_ARG,
                    "right-hand side %lld has a %s of %.6g, which a periodic box cannot hold: "
                    "allow a neutralising background, or make an axis free",
                    (long long)number, charge != 0 ? "net charge" : "sum of samples",
                    charge != 0 ? charge : sums[0]);
}

/* All right-hand sides; `axis` as of tsl_poisson_ops. */
static tsl_status solve_all(tsl_poisson_plan *plan, void *result, const void *source, int axis)
{
    const tsl_poisson_problem *problem = &plan->problem;
    const int64_t precision = (int64_t)problem->grid.precision;
    const int64_t in = tsl_box_cells(&problem->source) * precision;
    const int64_t out = tsl_box_cells(&problem->potential) * precision;
    const double begun = tsl_seconds();
    if (plan->times != NULL) {
        plan->times->last = begun;
    }
    tsl_status status = check_address(plan, result, &problem->potential,
                                      axis == TSL_POISSON_POTENTIAL ? "potential" : "field");
    if (status == TSL_OK) {
        status = check_address(plan, source, &problem->source, "source");
    }
    for (int64_t i = 0; i < problem->count && problem->checks_charge && status == TSL_OK; i++) {
        status = check_charge(plan, (const char *)source + i * in, i);
    }
    for (int64_t i = 0; i < problem->count && status == TSL_OK; i++) {
        status =
            tsl_poisson_solve_boxes(plan->context, plan->solver, plan->reshape,
                                    (char *)result + i * out, (const char *)source + i * in, axis);
    }
    if (plan->times != NULL) {
        tsl_poisson_end_stage(plan->times, plan->context, TSL_TIMED_OTHER, 0);
        plan->times->total += tsl_seconds() - begun;
    }
    /* the customary count of the periodic problem: two complex transforms */
    const double cells =
        (double)problem->grid.n[0] * problem->grid.n[1] * (double)problem->grid.n[2];
    const double flops = 2 * 5 * (double)tsl_box_cells(&problem->source) * log2(cells);
    tsl_profile_add(plan->context, "solve", begun, problem->count * (in + out),
                    problem->count * (int64_t)flops);
    return status;
}

tsl_status tsl_poisson_execute(tsl_poisson_plan *plan, void *potential, const void *source)
{
    return solve_all(plan, potential, source, TSL_POISSON_POTENTIAL);
}

tsl_status tsl_poisson_field(tsl_poisson_plan *plan, int axis, void *field, const void *source)
{
    if (axis < 0 || axis > 2) {
        return tsl_fail(plan->context, TSL_E_ARG, "the field's axis is %d: give 0 to 2", axis);
    }
    return solve_all(plan, field, source, axis);
}

tsl_status tsl_poisson_energy(tsl_poisson_plan *plan, double *energies, const void *potential,
                              const void *source)
{
    const tsl_poisson_problem *problem = &plan->problem;
    const tsl_box *box = &problem->source;
    const int64_t bytes = tsl_box_cells(box) * (int64_t)problem->grid.precision;
    if (!plan->same_boxes) {
        return tsl_fail(plan->context, TSL_E_ARG,
                        "energies need the same boxes of source and potential on each rank");
    }
    tsl_status status = check_address(plan, potential, box, "potential");
    if (status == TSL_OK) {
        status = check_address(plan, source, box, "source");
    }
    if (status == TSL_OK && energies == NULL) {
        static const char wrong[] = "there is no room for energies: give host memory for one of "
                                    "each right-hand side";
        tsl_fail(plan->context, TSL_E_ARG, wrong);
        status = plan->context->comm->size > 1
                     ? tsl_comm_fail(plan->context->comm, TSL_E_ARG, wrong)
                     : TSL_E_ARG;
    }
    for (int64_t i = 0; i < problem->count && status == TSL_OK; i++) {
        double sums[3];
        status = sum(plan, sums, (const char *)source + i * bytes,
                     (const char *)potential + i * bytes, box);
        energies[i] = 0.5 * sums[2] * cell_volume(problem);
    }
    return status;
}
