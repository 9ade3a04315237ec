/* Exchange and correlation on a grid: what is planned, and the order of work. */
#include "solvers/scf/xc_step/xc_step.h"

#include <math.h>
#include <string.h>

#include "device/device.h"
#include "solvers/scf/xc_step/draft.h"
#include "solvers/scf/xc_step/step.h"

/* Arrays on the device, each in a piece of memory of its own. */
enum {
    SHELLS,
    EXPONENTS,
    COEFFICIENTS,
    TABLES,
    POSITIONS,
    WEIGHTS,
    GROUPS,
    ENTRIES,
    FUNCTIONS,
    PLACES,
    VALUES,
    WEIGHTED,
    SQUARES,
    BY_POINT,
    FACTORS,
    HALF,
    PARTS,
    ENERGIES,
    SUMS,
    SCRATCH,
    PIECES
};

typedef struct batch {
    int32_t first, last; /* groups */
} batch;

struct tsl_xc_step {
    tsl_context *context;
    tsl_xc_plan *functional;
    tsl_xc_step_description description;
    tsl_xc_step_task task;
    tsl_xc_arrays arrays;
    int batches;
    batch *batch;
    int32_t *order; /* [points of all groups]: a point's number in the grid; -1: none */
    /* host copies that batches are planned with */
    tsl_xc_group *group;
    void *piece[PIECES];
};

/* ---- memory -------------------------------------------------------------------------------- */

/* Arrays by point of a batch: rho, gradient, sigma, tau; exc, vrho, vsigma, vtau. */
static int arrays_by_point(const tsl_xc_step_task *t)
{
    const int sigmas = t->spins == 1 ? 1 : 3;
    const int gga = t->family != TSL_XC_LDA, mgga = t->family == TSL_XC_MGGA;
    return t->spins + gga * (3 * t->spins + sigmas) + mgga * t->spins + 1 + t->spins +
           gga * sigmas + mgga * t->spins;
}

static int factors_of(const tsl_xc_step_task *t)
{
    return t->family == TSL_XC_LDA ? 1 : t->family == TSL_XC_GGA ? 4 : 5;
}

/* Weighted values: one, and with tau each component of the gradient by itself. */
static int weighted_of(const tsl_xc_step_task *t)
{
    return t->family == TSL_XC_MGGA ? 4 : 1;
}

/* Bytes that a batch of groups needs of the device. */
static int64_t batch_bytes(const tsl_xc_step *step, int groups, int64_t rows, int64_t squares)
{
    const tsl_xc_step_task *t = &step->task;
    const bool is_gpu = !step->context->ops->xc_step->has_batch_squares_only;
    const int64_t points = groups * (int64_t)TSL_XC_STEP_POINTS;
    const int64_t arrays = t->components + (is_gpu ? weighted_of(t) : 0);
    return 8 * (rows * TSL_XC_STEP_PITCH * arrays + squares +
                points * (arrays_by_point(t) + (is_gpu ? factors_of(t) : 0)));
}

/* Groups of a batch for each thread of a CPU, at least, and the bytes that they may fill in its
 * caches where that allows more groups. */
enum { LEAST_GROUPS = 16, CACHED = 8 << 20 };
static const int64_t USUAL_BATCH = INT64_C(2) << 30;

int64_t tsl_xc_step_bytes(tsl_context *context, const tsl_scf_basis *basis, int64_t points,
                          int spins, int64_t memory)
{
    const bool is_cpu = context->ops->xc_step->has_batch_squares_only;
    const int64_t n = basis->functions, rows = (n + 7) / 8 * 8, shells = basis->shells;
    const int64_t groups = points / TSL_XC_STEP_POINTS + 1;
    const int64_t bound = memory > 0 ? memory : USUAL_BATCH;
    const tsl_xc_step most = {.context = context,
                              .task = {.spins = spins,
                                       .family = TSL_XC_MGGA,
                                       .components = 4,
                                       .functions = basis->functions,
                                       .shells = basis->shells,
                                       .most_rows = (int)rows}};
    const int64_t one = batch_bytes(&most, 1, rows, rows * rows);
    int64_t bytes = groups * one;
    if (is_cpu) {
        const int64_t least = LEAST_GROUPS * context->threads * one;
        const int64_t cached = (int64_t)CACHED * context->threads + one;
        const int64_t together = least > cached ? least : cached;
        bytes = bytes < together ? bytes : together;
    }
    bytes = bytes < bound ? bytes : bound;
    bytes = bytes > one ? bytes : one;
    const int64_t point = 2 * 32 + 4;
    const int64_t group = 2 * ((int64_t)sizeof(tsl_xc_group) + 4 * rows + (is_cpu ? 0 : 2 * n) +
                               shells * (int64_t)sizeof(tsl_xc_entry)) +
                          shells + (int64_t)sizeof(batch) + 24;
    return bytes + groups * (group + point * TSL_XC_STEP_POINTS) + 8 * spins * n * n +
           context->threads * context->ops->xc_step->scratch(&most.task) +
           2 * shells * (int64_t)sizeof(tsl_xc_shell) + 16 * (int64_t)basis->primitives;
}

/* Divide the groups into batches; finds the largest of each size. A CPU's batch is to stay in its
 * caches, and to be so long that threads seldom wait for each other. */
static tsl_status plan_batches(tsl_xc_step *step, int groups, int64_t memory, int64_t *most_rows,
                               int64_t *most_squares)
{
    tsl_context *context = step->context;
    const bool is_cpu = context->ops->xc_step->has_batch_squares_only;
    const int least = is_cpu ? LEAST_GROUPS * context->threads : groups;
    const int64_t cached = is_cpu ? (int64_t)CACHED * context->threads : 0;
    const int64_t bound = memory > 0 ? memory : USUAL_BATCH;
    tsl_status status = TSL_OK;
    TSL_TRY(tsl_xc_step_take(context, &step->batch, groups, sizeof *step->batch));
    for (int g = 0; g < groups;) {
        batch *b = &step->batch[step->batches++];
        int64_t rows = 0, squares = 0;
        b->first = g;
        while (g < groups) {
            const tsl_xc_group *group = &step->group[g];
            const int64_t square = (int64_t)group->rows * group->rows;
            const int64_t bytes =
                batch_bytes(step, g + 1 - b->first, rows + group->rows, squares + square);
            if (g > b->first && (bytes > bound || (g - b->first >= least && bytes > cached))) {
                break;
            }
            rows += group->rows;
            squares += square;
            g++;
        }
        b->last = g;
        const int64_t points = (g - b->first) * (int64_t)TSL_XC_STEP_POINTS;
        step->task.batch_points =
            points > step->task.batch_points ? points : step->task.batch_points;
        *most_rows = rows > *most_rows ? rows : *most_rows;
        *most_squares = squares > *most_squares ? squares : *most_squares;
    }
done:
    return status;
}

static tsl_status place(tsl_xc_step *step, int piece, int64_t bytes, const void *from)
{
    tsl_context *context = step->context;
    tsl_status status = tsl_device_allocate(&step->piece[piece], context, bytes > 0 ? bytes : 8,
                                            "exchange and correlation on a grid");
    if (status == TSL_OK) {
        step->description.bytes += bytes;
    }
    if (status == TSL_OK && from != NULL && bytes > 0) {
        status = context->ops->upload(context, step->piece[piece], from, bytes);
    }
    return status;
}

/* Split the piece of arrays by point. */
static void split_by_point(tsl_xc_step *step)
{
    tsl_xc_step_task *t = &step->task;
    tsl_xc_arrays *a = &step->arrays;
    const int64_t n = t->batch_points;
    const int sigmas = t->spins == 1 ? 1 : 3;
    double *at = step->piece[BY_POINT];
    *a = (tsl_xc_arrays)TSL_XC_ARRAYS_INIT;
    a->pitch = n;
    t->rho = at;
    a->exc = t->rho + t->spins * n;
    a->vrho = a->exc + n;
    at = a->vrho + t->spins * n;
    if (t->family != TSL_XC_LDA) {
        t->gradient = at;
        t->sigma = t->gradient + 3 * t->spins * n;
        a->vsigma = t->sigma + sigmas * n;
        at = a->vsigma + sigmas * n;
    }
    if (t->family == TSL_XC_MGGA) {
        t->tau = at;
        a->vtau = t->tau + t->spins * n;
    }
    a->rho = t->rho;
    a->sigma = t->sigma;
    a->tau = t->tau;
    t->vrho = a->vrho;
    t->vsigma = a->vsigma;
    t->vtau = a->vtau;
}

static void point_at_pieces(tsl_xc_step *step)
{
    tsl_xc_step_task *t = &step->task;
    t->shell = step->piece[SHELLS];
    t->exponent = step->piece[EXPONENTS];
    t->coefficient = step->piece[COEFFICIENTS];
    t->table = step->piece[TABLES];
    t->position = step->piece[POSITIONS];
    t->weight = step->piece[WEIGHTS];
    t->group = step->piece[GROUPS];
    t->entry = step->piece[ENTRIES];
    t->function = step->piece[FUNCTIONS];
    t->place = step->piece[PLACES];
    t->values = step->piece[VALUES];
    t->weighted = step->piece[WEIGHTED];
    t->squares = step->piece[SQUARES];
    t->factor = step->piece[FACTORS];
    t->half = step->piece[HALF];
    t->parts = step->piece[PARTS];
    t->sums = step->piece[SUMS];
    t->scratch = step->piece[SCRATCH];
}

/* Take all memory and send what the draft has. */
static tsl_status place_all(tsl_xc_step *step, const tsl_xc_step_draft *d,
                            const tsl_scf_basis *basis, int64_t rows, int64_t squares)
{
    tsl_xc_step_task *t = &step->task;
    tsl_context *context = step->context;
    const tsl_xc_step_ops *ops = context->ops->xc_step;
    const bool is_gpu = !ops->has_batch_squares_only;
    const int64_t n = basis->functions;
    const int64_t values = rows * TSL_XC_STEP_PITCH;
    tsl_device_need need = {.what = "exchange and correlation on a grid needs",
                            .remedy =
                                "give a coarser grid, a smaller basis or batches of less memory"};
    tsl_status status = TSL_OK;
    t->scratch_bytes = ops->scratch(t);
    const struct {
        int64_t bytes;
        const void *from;
    } pieces[PIECES] = {
        [SHELLS] = {basis->shells * (int64_t)sizeof *d->shell, d->shell},
        [EXPONENTS] = {8 * (int64_t)basis->primitives, basis->exponent},
        [COEFFICIENTS] = {8 * (int64_t)basis->primitives, basis->coefficient},
        [TABLES] = {8 * (int64_t)d->tables, d->table},
        [POSITIONS] = {24 * d->points, d->position},
        [WEIGHTS] = {8 * d->points, d->weight},
        [GROUPS] = {d->groups * (int64_t)sizeof *step->group, step->group},
        [ENTRIES] = {d->entries * (int64_t)sizeof *d->entry, d->entry},
        [FUNCTIONS] = {4 * d->rows, d->function},
        [PLACES] = {is_gpu ? 2 * d->groups * n : 0, d->place},
        [VALUES] = {8 * t->components * values, NULL},
        [WEIGHTED] = {is_gpu ? 8 * weighted_of(t) * values : 0, NULL},
        [SQUARES] = {8 * squares, NULL},
        [BY_POINT] = {8 * arrays_by_point(t) * t->batch_points, NULL},
        [FACTORS] = {is_gpu ? 8 * factors_of(t) * t->batch_points : 0, NULL},
        [HALF] = {8 * t->spins * n * n, NULL},
        [PARTS] = {16 * (int64_t)d->groups, NULL},
        [ENERGIES] = {8 * (int64_t)d->groups, NULL},
        [SUMS] = {24, NULL},
        [SCRATCH] = {t->scratch_bytes * context->threads, NULL},
    };
    for (int i = 0; i < PIECES; i++) {
        need.device = tsl_add_bytes(need.device, pieces[i].bytes);
    }
    TSL_TRY(tsl_device_foresee(context, &need));
    for (int i = 0; i < PIECES; i++) {
        TSL_TRY(place(step, i, pieces[i].bytes, pieces[i].from));
    }
    t->batch_values = values;
    point_at_pieces(step);
    split_by_point(step);
    step->arrays.group_energy = step->piece[ENERGIES];
done:
    return status;
}

/* ---- plans --------------------------------------------------------------------------------- */

static tsl_status check(tsl_context *context, const tsl_scf_basis *basis,
                        const tsl_xc_step_options *o)
{
    if (context->ops->xc_step == NULL) {
        return tsl_fail(context, TSL_E_UNSUPPORTED,
                        "there is no exchange and correlation on a grid on %s", context->name);
    }
    if (basis->max_l > TSL_XC_STEP_MAX_L) {
        return tsl_fail(context, TSL_E_UNSUPPORTED,
                        "a basis with functions of l = %d: on a grid there are those up to l = %d",
                        basis->max_l, TSL_XC_STEP_MAX_L);
    }
    if (basis->functions > INT16_MAX) {
        return tsl_fail(context, TSL_E_UNSUPPORTED, "%d functions: at most %d are possible",
                        basis->functions, INT16_MAX);
    }
    if (o->spins != 1 && o->spins != 2) {
        return tsl_fail(context, TSL_E_ARG, "%d spins: there are 1 and 2", o->spins);
    }
    if (!(o->cutoff > 0 && o->cutoff <= 1e-3)) {
        return tsl_fail(context, TSL_E_ARG, "a cut-off of %g: give more than 0, up to 1e-3",
                        o->cutoff);
    }
    return TSL_OK;
}

static tsl_status make_functional(tsl_xc_step *step, const tsl_xc_step_options *o)
{
    tsl_xc_options options = TSL_XC_OPTIONS_INIT;
    options.polarised = o->spins == 2;
    tsl_status status =
        tsl_xc_plan_create(&step->functional, step->context, o->functional, &options);
    if (status == TSL_OK) {
        step->description.functional.size = sizeof step->description.functional;
        status = tsl_xc_plan_describe(step->functional, &step->description.functional);
    }
    return status;
}

tsl_status tsl_xc_step_create(tsl_xc_step **out, tsl_context *context, const tsl_scf_basis *basis,
                              const tsl_scf_grid *grid, const tsl_xc_step_options *options)
{
    tsl_xc_step_draft d = {.groups = 0};
    tsl_xc_step *step = NULL;
    int64_t rows = 0, squares = 0;
    const double begun = tsl_seconds();
    tsl_status status = check(context, basis, options);
    if (status != TSL_OK) {
        return status;
    }
    step = tsl_allocate_zeroed(1, sizeof *step);
    if (step == NULL) {
        return tsl_fail_memory(context, sizeof *step, "exchange and correlation on a grid");
    }
    step->context = context;
    TSL_TRY(make_functional(step, options));
    step->task.spins = options->spins;
    step->task.family = (int)step->description.functional.family;
    step->task.components = step->task.family == TSL_XC_LDA ? 1 : 4;
    step->task.functions = basis->functions;
    step->task.shells = basis->shells;
    TSL_TRY(tsl_xc_step_make_draft(&d, context, basis, grid, options->cutoff,
                                   !context->ops->xc_step->has_batch_squares_only));
    step->group = d.group;
    step->order = d.order;
    d.group = NULL;
    d.order = NULL;
    step->task.most_rows = d.most_rows;
    step->task.points = d.points;
    step->description.points = grid->points;
    step->description.points_left_out = grid->points - d.kept;
    TSL_TRY(plan_batches(step, d.groups, options->memory, &rows, &squares));
    TSL_TRY(place_all(step, &d, basis, rows, squares));
    step->description.groups = d.groups;
    step->description.batches = step->batches;
    for (int g = 0; g < d.groups; g++) {
        const double functions = step->group[g].functions;
        step->description.functions += functions / d.groups;
        step->description.flops += 4.0 * TSL_XC_STEP_POINTS * functions * functions *
                                   options->spins * weighted_of(&step->task);
    }
    step->description.most_functions = step->task.most_rows;
    tsl_profile_add(context, "groups of points", begun, 0, 0);
    *out = step;
    step = NULL;
done:
    tsl_xc_step_release_draft(&d);
    tsl_xc_step_destroy(step);
    return status;
}

void tsl_xc_step_destroy(tsl_xc_step *step)
{
    if (step == NULL) {
        return;
    }
    for (int i = 0; i < PIECES; i++) {
        tsl_device_release(step->context, step->piece[i]);
    }
    tsl_xc_plan_destroy(step->functional);
    tsl_release(step->batch);
    tsl_release(step->order);
    tsl_release(step->group);
    tsl_release(step);
}

void tsl_xc_step_describe(const tsl_xc_step *step, tsl_xc_step_description *out)
{
    *out = step->description;
}

/* ---- runs ---------------------------------------------------------------------------------- */

/* The task of one batch. */
static void choose_batch(tsl_xc_step *step, int index)
{
    tsl_xc_step_task *t = &step->task;
    const tsl_xc_group *last;
    t->first = step->batch[index].first;
    t->last = step->batch[index].last;
    last = &step->group[t->last - 1];
    t->entries_first = step->group[t->first].entry;
    t->entries_last = last->entry + last->entries;
    t->row_first = step->group[t->first].row;
    t->rows = last->row + last->rows - t->row_first;
    t->square_first = step->group[t->first].square;
}

static int64_t batch_size(const tsl_xc_step *step)
{
    return (step->task.last - step->task.first) * (int64_t)TSL_XC_STEP_POINTS;
}

/* The functional and the energies of the batch's groups; after the last batch's, their sum. */
static tsl_status evaluate_batch(tsl_xc_step *step, bool is_last)
{
    const tsl_xc_step_task *t = &step->task;
    tsl_xc_arrays *a = &step->arrays;
    a->weight = t->weight + t->first * (int64_t)TSL_XC_STEP_POINTS;
    a->first_group = t->first;
    a->energy = is_last ? t->sums : NULL;
    return tsl_xc_evaluate(step->functional, batch_size(step), a);
}

tsl_status tsl_xc_step_run(tsl_xc_step *step, const double *density, double *potential,
                           tsl_xc_step_sums *sums)
{
    tsl_context *context = step->context;
    tsl_xc_step_task *t = &step->task;
    const tsl_xc_step_ops *ops = context->ops->xc_step;
    const int64_t bytes = 8 * t->spins * (int64_t)t->functions * t->functions;
    double found[3];
    tsl_status status = TSL_OK;
    t->density = density;
    t->potential = potential;
    TSL_TRY(context->ops->fill(context, t->half, 0, bytes));
    if (step->batches == 0) { /* a grid whose points have no weight */
        TSL_TRY(context->ops->fill(context, t->sums, 0, sizeof found));
    }
    for (int b = 0; b < step->batches; b++) {
        choose_batch(step, b);
        double begun = tsl_seconds();
        TSL_TRY(ops->density(context, t));
        tsl_profile_add(context, "density on points", begun, 0, 0);
        TSL_TRY(evaluate_batch(step, b == step->batches - 1));
        begun = tsl_seconds();
        TSL_TRY(ops->potential(context, t));
        tsl_profile_add(context, "potential matrix", begun, 0, 0);
    }
    t->kept = step->batches == 1;
    TSL_TRY(ops->finish(context, t));
    TSL_TRY(context->ops->download(context, found, t->sums, sizeof found));
    sums->energy = found[0];
    sums->electrons[0] = found[1];
    sums->electrons[1] = found[2];
done:
    return status;
}

/* Send some arrays of a batch to where their points stand in the grid. */
static tsl_status collect(tsl_xc_step *step, double *out, const double *from, int arrays,
                          double *room)
{
    tsl_context *context = step->context;
    const tsl_xc_step_task *t = &step->task;
    tsl_status status = TSL_OK;
    for (int k = 0; k < arrays && out != NULL && from != NULL; k++) {
        const int64_t points = batch_size(step);
        const int32_t *order = step->order + t->first * (int64_t)TSL_XC_STEP_POINTS;
        TSL_TRY(context->ops->download(context, room, from + k * t->batch_points, 8 * points));
        for (int64_t p = 0; p < points; p++) {
            if (order[p] >= 0) {
                out[k * step->description.points + order[p]] = room[p];
            }
        }
    }
done:
    return status;
}

tsl_status tsl_xc_step_density(tsl_xc_step *step, const double *density, double *rho,
                               double *gradient, double *tau)
{
    tsl_context *context = step->context;
    tsl_xc_step_task *t = &step->task;
    double *room = NULL;
    tsl_status status = TSL_OK;
    TSL_TRY(tsl_xc_step_take(context, &room, t->batch_points, sizeof *room));
    t->density = density;
    for (int b = 0; b < step->batches; b++) {
        choose_batch(step, b);
        TSL_TRY(context->ops->xc_step->density(context, t));
        TSL_TRY(collect(step, rho, t->rho, t->spins, room));
        TSL_TRY(collect(step, gradient, t->gradient, 3 * t->spins, room));
        TSL_TRY(collect(step, tau, t->tau, t->spins, room));
    }
    t->kept = step->batches == 1;
done:
    tsl_release(room);
    return status;
}
