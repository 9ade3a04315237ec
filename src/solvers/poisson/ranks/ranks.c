/* What ranks must agree on before a plan is made. */
#include <stdio.h>
#include <string.h>

#include "comm/comm.h"
#include "core/context.h"
#include "device/device.h"
#include "solvers/poisson/poisson.h"

typedef struct record {
    tsl_poisson_options options; /* but for boxes and memory */
    tsl_box boxes[2];
    char device[16]; /* its kind */
    int ranks[2];    /* p and q, as settled */
} record;

static bool overlap(const tsl_box *a, const tsl_box *b)
{
    for (int axis = 0; axis < 3; axis++) {
        if (a->begin[axis] >= b->end[axis] || b->begin[axis] >= a->end[axis]) {
            return false;
        }
    }
    return tsl_box_cells(a) > 0 && tsl_box_cells(b) > 0;
}

/* Boxes of one kind, [size]: once all cells. */
static tsl_status check_cover(tsl_context *context, const tsl_poisson_problem *problem,
                              const record *all, int kind)
{
    static const char *const names[] = {"sources", "potentials"};
    const int size = problem->share.size;
    const int *n = problem->grid.n;
    int64_t cells = 0;
    for (int i = 0; i < size; i++) {
        cells += tsl_box_cells(&all[i].boxes[kind]);
        for (int j = 0; j < i; j++) {
            if (overlap(&all[i].boxes[kind], &all[j].boxes[kind])) {
                return tsl_fail(context, TSL_E_ARG,
                                "the %s' boxes of ranks %d and %d overlap: give each cell to one",
                                names[kind], j, i);
            }
        }
    }
    if (cells != (int64_t)n[0] * n[1] * n[2]) {
        return tsl_fail(context, TSL_E_ARG,
                        "the %s' boxes have %lld cells of %d x %d x %d: give each cell to a rank",
                        names[kind], (long long)cells, n[0], n[1], n[2]);
    }
    return TSL_OK;
}

tsl_status tsl_poisson_foresee(tsl_context *context, const tsl_poisson_problem *problem,
                               const tsl_poisson_options *options, int64_t peak)
{
    const int *n = problem->grid.n;
    char what[80];
    snprintf(what, sizeof what, "a Poisson plan of %d x %d x %d needs", n[0], n[1], n[2]);
    const tsl_device_need need = {
        .what = what, .remedy = "take fewer cells", .device = peak, .bound = options->memory};
    return tsl_comm_foresee(context, &need);
}

/* The options that all ranks have in common. */
static tsl_poisson_options common_options(const tsl_poisson_options *options)
{
    static const tsl_box none = {{0}, {0}};
    tsl_poisson_options o;
    memset(&o, 0, sizeof o); /* padding is compared too */
    o.size = options->size;
    memcpy(o.n, options->n, sizeof o.n);
    memcpy(o.lengths, options->lengths, sizeof o.lengths);
    memcpy(o.boundary, options->boundary, sizeof o.boundary);
    o.equation = options->equation;
    o.symbol = options->symbol;
    o.kernel = options->kernel;
    o.screening = options->screening;
    o.background = options->background;
    o.precision = options->precision;
    o.count = options->count;
    o.source_box = o.potential_box = none;
    memcpy(o.ranks, options->ranks, sizeof o.ranks);
    o.segments = options->segments;
    o.overlap = options->overlap;
    o.measure = options->measure;
    o.plain = options->plain;
    o.path = options->path;
    return o;
}

/* `mine` is zeroed: padding is compared too. */
static void fill_record(record *mine, const tsl_context *context,
                        const tsl_poisson_problem *problem, const tsl_poisson_options *options)
{
    mine->options = common_options(options);
    mine->boxes[0] = problem->source;
    mine->boxes[1] = problem->potential;
    strncpy(mine->device, context->ops->name, sizeof mine->device - 1);
    mine->ranks[0] = problem->share.p;
    mine->ranks[1] = problem->share.q;
}

tsl_status tsl_poisson_meet(tsl_box *boxes, tsl_context *context,
                            const tsl_poisson_problem *problem, const tsl_poisson_options *options)
{
    const int size = problem->share.size;
    record *mine = tsl_allocate_zeroed((size_t)size + 1, sizeof *mine);
    tsl_status status = mine != NULL ? TSL_OK
                                     : tsl_fail_memory(context, (size + 1) * (int64_t)sizeof *mine,
                                                       "a Poisson plan");
    status = tsl_comm_agree(context, status);
    if (status != TSL_OK) {
        tsl_release(mine);
        return status;
    }
    record *all = mine + 1;
    fill_record(mine, context, problem, options);
    status = tsl_comm_gather_records(context->comm, all, mine, sizeof *mine);
    for (int q = 1; q < size && status == TSL_OK; q++) {
        if (memcmp(&all[q].options, &all[0].options, sizeof all[0].options) != 0) {
            status = tsl_fail(context, TSL_E_ARG,
                              "ranks 0 and %d have different options for a Poisson plan: give the "
                              "same but for boxes and memory",
                              q);
        } else if (strcmp(all[q].device, all[0].device) != 0) {
            status = tsl_fail(context, TSL_E_UNSUPPORTED,
                              "ranks 0 and %d are on %s and %s: Poisson's equation takes devices "
                              "of one kind",
                              q, all[0].device, all[q].device);
        } else if (memcmp(all[q].ranks, all[0].ranks, sizeof all[0].ranks) != 0) {
            status =
                tsl_fail(context, TSL_E_UNSUPPORTED,
                         "ranks 0 and %d would share the work as %d x %d and %d x %d: start "
                         "the same build of tesela on all",
                         q, all[0].ranks[0], all[0].ranks[1], all[q].ranks[0], all[q].ranks[1]);
        }
    }
    for (int kind = 0; kind < 2 && status == TSL_OK; kind++) {
        status = check_cover(context, problem, all, kind);
    }
    for (int q = 0; q < size; q++) {
        memcpy(boxes + 2 * q, all[q].boxes, sizeof all[q].boxes);
    }
    tsl_release(mine);
    return tsl_comm_agree(context, status);
}
