/* From options to a checked problem. */
#include "solvers/poisson/poisson.h"

#include <math.h>
#include <string.h>

#include "comm/comm.h"
#include "core/context.h"
#include "device/device.h"
#include "solvers/poisson/ranks/ranges.h"
#include "solvers/poisson/ranks/segments.h"

/* Values of a Green's function that are sampled while planning, at most: MOST_VALUES by a thread,
 * which takes it an hour, and MOST_A_CELL for a cell. */
static const double MOST_VALUES = 34359738368; /* 2^35 */

enum { MOST_A_CELL = 32 };

enum { LONGEST_PADDED = 1 << 22, MOST_COUNT = 65536 };

/* The smallest even length of factors 2, 3, 5 and 7 that is not below `least`. */
static int smooth_even(double least)
{
    int length = 2 * (int)ceil(least / 2);
    for (;; length += 2) {
        int rest = length;
        for (int factor = 2; factor <= 7; factor++) {
            while (rest % factor == 0) {
                rest /= factor;
            }
        }
        if (rest == 1) {
            return length;
        }
    }
}

/* Lengths of which squares of wavenumbers and volumes are far from what a number can hold; the
 * spectrum has them in the precision of the solve. */
static double longest_length(const tsl_poisson_options *o)
{
    return o->precision == TSL_SINGLE ? 1e12 : 1e100;
}

static tsl_status check_shape(tsl_context *context, const tsl_poisson_options *o)
{
    for (int axis = 0; axis < 3; axis++) {
        if (o->n[axis] < 1 || o->n[axis] > TSL_POISSON_LONGEST_AXIS) {
            return tsl_fail(context, TSL_E_ARG,
                            "axis %d of the grid has %lld samples: give 1 to %d", axis,
                            (long long)o->n[axis], TSL_POISSON_LONGEST_AXIS);
        }
        const double longest = longest_length(o);
        if (!(o->lengths[axis] > 0 && o->lengths[axis] <= longest &&
              o->lengths[axis] / (double)o->n[axis] >= 1 / longest)) {
            return tsl_fail(
                context, TSL_E_ARG,
                "axis %d of the box has length %g: give more than 0, up to %g, and cells "
                "of %g at least: another unit may serve",
                axis, o->lengths[axis], longest, 1 / longest);
        }
        if (o->boundary[axis] != TSL_BOUNDARY_PERIODIC && o->boundary[axis] != TSL_BOUNDARY_FREE) {
            return tsl_fail(context, TSL_E_ARG,
                            "the boundary of axis %d is %d: give TSL_BOUNDARY_PERIODIC or _FREE",
                            axis, (int)o->boundary[axis]);
        }
    }
    return TSL_OK;
}

static tsl_status check_method(tsl_context *context, const tsl_poisson_options *o, int free_axes)
{
    const char *wrong = NULL;
    if (o->equation != TSL_POISSON_ELECTROSTATIC && o->equation != TSL_POISSON_PLAIN) {
        wrong = "the equation is unknown: give TSL_POISSON_ELECTROSTATIC or _PLAIN";
    } else if (o->symbol != TSL_POISSON_SPECTRAL && o->symbol != TSL_POISSON_SECOND_ORDER) {
        wrong = "the symbol is unknown: give TSL_POISSON_SPECTRAL or _SECOND_ORDER";
    } else if (o->kernel != TSL_POISSON_TRUNCATED && o->kernel != TSL_POISSON_INTEGRATED &&
               o->kernel != TSL_POISSON_POINT) {
        wrong = "the kernel is unknown: give TSL_POISSON_TRUNCATED, _INTEGRATED or _POINT";
    } else if (o->symbol != TSL_POISSON_SPECTRAL && free_axes > 0) {
        wrong = "the second-order symbol needs three periodic axes: take the spectral one";
    } else if (o->kernel != TSL_POISSON_TRUNCATED && free_axes < 3) {
        wrong = "integrated and point kernels need three free axes: take the truncated one";
    } else if (!(o->screening == 0 ||
                 (o->screening >= 1 / longest_length(o) && o->screening <= longest_length(o)))) {
        wrong =
            "the screening must be 0 or a number from 1e-100 to 1e100, in single precision from "
            "1e-12 to 1e12";
    } else if (o->kernel != TSL_POISSON_TRUNCATED && o->screening > 0) {
        wrong = "integrated and point kernels have no screening: take the truncated one";
    } else if (o->precision != TSL_SINGLE && o->precision != TSL_DOUBLE) {
        wrong = "the precision is the bytes of a number: give 4 or 8";
    } else if (o->count < 1 || o->count > MOST_COUNT) {
        wrong = "the count of right-hand sides must be from 1 to 65536";
    } else if (o->memory < 0) {
        wrong = "the bound on memory is negative: give bytes, or 0 for none";
    } else if ((o->background != 0 && o->background != 1) ||
               (o->background == 1 && (free_axes > 0 || o->screening > 0))) {
        wrong = "the background is 0 or 1, and 1 only for periodic boxes without screening, where "
                "a net charge needs it";
    }
    return wrong == NULL ? TSL_OK : tsl_fail(context, TSL_E_ARG, "Poisson options: %s", wrong);
}

/* Lengths of the transforms, and of those that sample the truncated kernel. */
static tsl_status settle_lengths(tsl_poisson_problem *p, tsl_context *context,
                                 const tsl_poisson_options *o)
{
    double square = 0;
    for (int axis = 0; axis < 3; axis++) {
        square += p->axis[axis].free ? o->lengths[axis] * o->lengths[axis] : 0;
    }
    const bool truncated = p->kernel == TSL_POISSON_TRUNCATED && square > 0;
    p->radius = truncated ? sqrt(square) : 0;
    for (int axis = 0; axis < 3; axis++) {
        tsl_poisson_axis *at = &p->axis[axis];
        const int n = p->grid.n[axis];
        p->grid.m[axis] = at->free ? smooth_even(2.0 * n - 1) : n;
        if (!truncated || !at->free) {
            continue;
        }
        const double least = n * (1 + p->radius / at->length) * (1 - 1e-14);
        if (!(least < LONGEST_PADDED / 2.0)) {
            return tsl_fail(context, TSL_E_ARG,
                            "axis %d, of length %g, is too thin beside the box's diagonal of %g: "
                            "give it fewer samples or more length",
                            axis, at->length, p->radius);
        }
        at->padded = smooth_even(fmax(least, p->grid.m[axis]));
    }
    return TSL_OK;
}

double tsl_poisson_build_values(const tsl_poisson_problem *problem)
{
    double values = problem->grid.tabulated ? 1 : 0;
    for (int axis = 0; axis < 3; axis++) {
        const int padded = problem->axis[axis].padded;
        values *= (padded > 0 ? padded : problem->grid.m[axis]) / 2 + 1;
    }
    return values;
}

/* Planning must end some day; large boxes may take their time. All ranks sample as many values:
 * this one's by its own threads, and whoever has too few of these refuses for all. */
static tsl_status check_planning(const tsl_poisson_problem *p, tsl_context *context)
{
    const double values = tsl_poisson_build_values(p);
    const int threads = context->threads * context->comm->size;
    const double cells = (double)p->grid.n[0] * p->grid.n[1] * p->grid.n[2];
    if (values <= MOST_VALUES * threads || values <= MOST_A_CELL * cells) {
        return TSL_OK;
    }
    return tsl_fail(
        context, TSL_E_ARG,
        "planning samples %.2g values of Green's function, more than %.2g a thread and %d a "
        "cell: give axes that are short beside the box's diagonal of %g fewer samples%s",
        values, MOST_VALUES, MOST_A_CELL, p->radius,
        p->axis[0].free && p->axis[1].free && p->axis[2].free ? ", or take the integrated kernel"
                                                              : "");
}

/* Can exchanges go as asked for? */
static tsl_status check_path(tsl_context *context, const tsl_poisson_options *o,
                             const tsl_poisson_problem *p)
{
    const bool on_host = tsl_poisson_ops_of(context)->memory_is_host;
    const tsl_poisson_share *share = &p->share;
    const char *wrong = NULL;
    if ((int)o->path < 0 || o->path > TSL_POISSON_DATATYPES) {
        wrong = "the path of exchanges is unknown: give TSL_POISSON_DIRECT, _STAGED or _DATATYPES";
    } else if (o->path != TSL_POISSON_DIRECT && share->size == 1) {
        wrong = "one rank exchanges nothing: take several, or exchange directly";
    } else if (o->path == TSL_POISSON_STAGED && on_host) {
        wrong = "the CPU's memory is the host's, so nothing goes by way of it: exchange directly";
    } else if (o->path == TSL_POISSON_DATATYPES &&
               !(on_host && tsl_comm_has_strided(context->comm))) {
        wrong = "derived datatypes are MPI's, of the CPU's memory: start it with mpirun and "
                "--device cpu, or exchange directly";
    } else if (o->path == TSL_POISSON_DATATYPES && share->q == 1 && share->p > 1 &&
               !tsl_poisson_has_planes(&p->grid, share)) {
        wrong = "p x 1 ranks pack while they transform a free second axis: take 1 x q for derived "
                "datatypes, or exchange directly";
    }
    return wrong == NULL ? TSL_OK : tsl_fail(context, TSL_E_ARG, "Poisson options: %s", wrong);
}

/* Does a device go the way that is asked for? */
static tsl_status check_form(tsl_context *context, const tsl_poisson_options *o,
                             const tsl_poisson_problem *p)
{
    const bool on_host = tsl_poisson_ops_of(context)->memory_is_host;
    const int *n = p->grid.n;
    const int *m = p->grid.m;
    if ((o->plain == 1 || o->plain == -1) && on_host) {
        return tsl_fail(
            context, TSL_E_ARG,
            "%s: forms lines and plain are a GPU's: leave the form open, or take strided "
            "transforms",
            context->name);
    }
    if (o->plain != -1 || p->grid.lines) {
        return TSL_OK;
    }
    if (n[2] % 2 != 0) {
        return tsl_fail(context, TSL_E_ARG,
                        "form lines takes pairs of samples along the last axis, which has %d: give "
                        "an even number, or leave the form open",
                        n[2]);
    }
    if (p->share.p * p->share.q > 1 && !tsl_poisson_has_planes(&p->grid, &p->share)) {
        return tsl_fail(
            context, TSL_E_ARG,
            "form lines needs whole planes, which %d x %d ranks of this box have not: take one "
            "rank, or p x 1 and a periodic second axis, or leave the ranks or the form open",
            p->share.p, p->share.q);
    }
    return tsl_fail(
        context, TSL_E_ARG,
        "form lines has transforms of lengths that are products of 2, 3, 5 and 7 up to "
        "2048, and this box needs %d, %d and %d (half of %d): take others, or leave the "
        "form open",
        m[0], m[1], m[2] / 2, m[2]);
}

/* How many ranks take part, and which pencils. */
static tsl_status choose_ranks(tsl_poisson_problem *p, tsl_context *context,
                               const tsl_poisson_options *o)
{
    const tsl_comm *comm = context->comm;
    const tsl_poisson_ops *ops = tsl_poisson_ops_of(context);
    const bool open = o->ranks[0] == 0 && o->ranks[1] == 0;
    p->share = (tsl_poisson_share){.size = comm->size,
                                   .rank = comm->rank,
                                   .p = o->ranks[0],
                                   .q = o->ranks[1],
                                   .path = o->path};
    const int ranks = ops->ranks != NULL ? ops->ranks(context, &p->grid, comm->size) : comm->size;
    bool chosen = tsl_poisson_choose(&p->share, &p->grid, ranks);
    if (o->plain == -1 && open && !tsl_poisson_has_planes(&p->grid, &p->share)) {
        p->share.p = p->share.q = 0; /* what is open follows what is asked for */
        chosen = tsl_poisson_choose(&p->share, &p->grid, 1);
    }
    if (chosen) {
        return TSL_OK;
    }
    if (o->ranks[0] < 1 || o->ranks[1] < 1) {
        return tsl_fail(context, TSL_E_ARG,
                        "pencils of %d x %d ranks: give two numbers from 1 up, or none",
                        o->ranks[0], o->ranks[1]);
    }
    return tsl_fail(context, TSL_E_ARG,
                    "pencils of %d x %d ranks are of more than there are, %d: take fewer, or leave "
                    "them open",
                    o->ranks[0], o->ranks[1], comm->size);
}

/* Who has what. */
static tsl_status settle_share(tsl_poisson_problem *p, tsl_context *context,
                               const tsl_poisson_options *o)
{
    const tsl_comm *comm = context->comm;
    const tsl_poisson_ops *ops = tsl_poisson_ops_of(context);
    const char *wrong = NULL;
    if (comm->size > 1 && ops->divide == NULL) {
        return tsl_fail(context, TSL_E_UNSUPPORTED,
                        "%s: Poisson's equation is not solved by several ranks on this device yet: "
                        "take --device cpu, or one rank",
                        context->name);
    }
    const tsl_status status = choose_ranks(p, context, o);
    if (status != TSL_OK) {
        return status;
    }
    if (o->segments < 0 || o->segments > TSL_POISSON_LONGEST_AXIS) {
        wrong = "segments must be from 1 to 16384, or 0: chosen";
    } else if (o->measure < 0 || o->measure > 1) {
        wrong = "measure is 0 or 1";
    } else if (o->plain < -1 || o->plain > 2) {
        wrong = "plain is 1: the library's transforms, 2: these, strided, -1: tesela's own or 0: "
                "chosen";
    } else if (o->plain == 2 && p->grid.tabulated) {
        wrong =
            "lines of a free axis are padded where they are copied to: take three periodic axes "
            "for strided transforms, or another form";
    } else if (o->overlap < -1 || o->overlap > 1) {
        wrong = "overlap is 1: on, -1: off or 0: chosen";
    } else if (o->overlap == 1 && o->segments == 1) {
        wrong = "one segment leaves nothing to overlap with: take two or more, or no overlap";
    }
    if (wrong != NULL) {
        return tsl_fail(context, TSL_E_ARG, "Poisson options: %s", wrong);
    }
    const tsl_poisson_range ky =
        tsl_poisson_octant_of(&p->share, &p->grid, comm->rank / p->share.q);
    const tsl_poisson_range kz =
        tsl_poisson_columns_of(&p->share, &p->grid, comm->rank % p->share.q);
    p->grid.y_begin = ky.begin;
    p->grid.y_count = ky.count;
    p->grid.z_begin = kz.begin;
    p->grid.z_count = kz.count;
    ops->layout(context, &p->grid, &p->share);
    tsl_poisson_choose_segments(&p->share, &p->grid,
                                o->segments > 0 ? o->segments : ops->segments(&p->grid, &p->share));
    p->share.overlap = p->share.p * p->share.q > 1 && p->share.segments > 1 && o->overlap >= 0;
    return TSL_OK;
}

/* This rank's box: what is asked for, or its rows. */
static tsl_status settle_box(tsl_box *out, tsl_context *context, const tsl_poisson_problem *p,
                             const tsl_box *asked, const char *what)
{
    static const tsl_box open = {{0}, {0}};
    *out = tsl_poisson_box_of(p, p->share.rank);
    if (memcmp(asked, &open, sizeof open) == 0) {
        return TSL_OK;
    }
    for (int axis = 0; axis < 3; axis++) {
        if (asked->begin[axis] < 0 || asked->begin[axis] > asked->end[axis] ||
            asked->end[axis] > p->grid.n[axis]) {
            return tsl_fail(context, TSL_E_ARG,
                            "the %s's box has cells %lld to %lld of axis %d: give begin and end "
                            "within 0 and %d",
                            what, (long long)asked->begin[axis], (long long)asked->end[axis], axis,
                            p->grid.n[axis]);
        }
    }
    *out = *asked;
    return TSL_OK;
}

tsl_box tsl_poisson_box_of(const tsl_poisson_problem *problem, int rank)
{
    const tsl_poisson_rows rows = tsl_poisson_rows_of(&problem->share, &problem->grid, rank);
    return (tsl_box){
        {rows.x.begin, rows.y.begin, 0},
        {rows.x.begin + rows.x.count, rows.y.begin + rows.y.count, problem->grid.n[2]}};
}

/* Whether a GPU that can should transform lines itself. Chosen as measured on an H200
 * (docs/performance/poisson.md): with a free axis that is faster, with an axis that the library is
 * slow at, in double precision from 256 cells on, and where all lengths are powers of two already
 * from 128, in single precision from 256; of the largest boxes it is all that leaves room for the
 * field. */
static bool goes_by_lines(const tsl_poisson_options *options, const tsl_poisson_grid *grid)
{
    enum { LEAST_DOUBLE = 256, LEAST_ODD = 513, LEAST_TWOS_DOUBLE = 128, LEAST_TWOS_SINGLE = 256 };
    const int64_t large = INT64_C(1) << 31; /* cells */
    const int least = grid->precision == TSL_DOUBLE ? LEAST_TWOS_DOUBLE : LEAST_TWOS_SINGLE;
    bool faster = options->n[0] * options->n[1] * options->n[2] > large;
    bool twos = true;
    for (int axis = 0; axis < 3; axis++) {
        const int n = grid->n[axis];
        faster = faster || (n >= LEAST_ODD && (n & (n - 1)) != 0) ||
                 (n >= LEAST_DOUBLE && grid->precision == TSL_DOUBLE);
        twos = twos && n >= least && (n & (n - 1)) == 0;
    }
    faster = faster || twos || grid->tabulated;
    return options->plain < 0 || (options->plain == 0 && faster);
}

/* How it is solved, and where source and potential lie. */
static tsl_status settle_plan(tsl_poisson_problem *p, tsl_context *context,
                              const tsl_poisson_options *options)
{
    tsl_status status = check_planning(p, context);
    if (status == TSL_OK) {
        status = settle_share(p, context, options);
    }
    if (status == TSL_OK) {
        status = check_form(context, options, p);
    }
    if (status == TSL_OK) {
        status = check_path(context, options, p);
    }
    if (status == TSL_OK) {
        status = settle_box(&p->source, context, p, &options->source_box, "source");
    }
    if (status == TSL_OK) {
        status = settle_box(&p->potential, context, p, &options->potential_box, "potential");
    }
    return status;
}

tsl_status tsl_poisson_settle(tsl_poisson_problem *out, tsl_context *context,
                              const tsl_poisson_options *options)
{
    if (context->ops->poisson == NULL) {
        return tsl_fail(context, TSL_E_UNSUPPORTED,
                        "%s: Poisson's equation is not solved on this device yet: take the CPU "
                        "(--device cpu)",
                        context->name);
    }
    if (options->size != sizeof *options) {
        return tsl_fail(context, TSL_E_ARG,
                        "Poisson options: size is %zu, not %zu: initialise them with "
                        "TSL_POISSON_OPTIONS_INIT",
                        options->size, sizeof *options);
    }
    tsl_poisson_problem p = {.kernel = options->kernel,
                             .symbol = options->symbol,
                             .screening = options->screening,
                             .count = options->count};
    tsl_status status = check_shape(context, options);
    int free_axes = 0;
    double cells = 1;
    for (int axis = 0; axis < 3 && status == TSL_OK; axis++) {
        p.grid.n[axis] = (int)options->n[axis];
        p.axis[axis] = (tsl_poisson_axis){.free = options->boundary[axis] == TSL_BOUNDARY_FREE,
                                          .length = options->lengths[axis]};
        free_axes += p.axis[axis].free;
    }
    if (status == TSL_OK) {
        status = check_method(context, options, free_axes);
    }
    if (status == TSL_OK) {
        status = settle_lengths(&p, context, options);
    }
    if (status != TSL_OK) {
        return status;
    }
    for (int axis = 0; axis < 3; axis++) {
        cells *= p.grid.m[axis];
        p.grid.wave[axis] = 2 * M_PI * p.grid.n[axis] / (p.grid.m[axis] * p.axis[axis].length);
    }
    p.factor = options->equation == TSL_POISSON_ELECTROSTATIC ? 1 : -1 / (4 * M_PI);
    p.checks_charge = free_axes == 0 && options->screening == 0 && !options->background;
    p.grid.half = p.grid.m[2] / 2 + 1;
    p.grid.precision = (tsl_precision)options->precision;
    p.grid.tabulated = free_axes > 0;
    p.grid.lines = goes_by_lines(options, &p.grid);
    p.grid.strided = options->plain == 2;
    p.grid.estimate = options->estimate != 0;
    p.grid.screening2 = options->screening * options->screening;
    p.grid.scale = (free_axes > 0 ? 1 : 4 * M_PI) * p.factor / cells;
    status = settle_plan(&p, context, options);
    *out = p;
    return status;
}
