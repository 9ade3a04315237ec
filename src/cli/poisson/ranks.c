/* `tesela poisson` over ranks: rank 0 does what the command is asked for, and tells the others each
 * call of the solver, which all of them make. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "cli/poisson/command.h"
#include "cli/shared/ranks.h"
#include "comm/comm.h"
#include "core/context.h"
#include "device/device.h"
#include "solvers/poisson/poisson.h"

/* ---- how they share the work ---------------------------------------------------------------- */

const char *const poisson_path_names[] = {[TSL_POISSON_DIRECT] = "direct",
                                          [TSL_POISSON_STAGED] = "staged",
                                          [TSL_POISSON_DATATYPES] = "datatypes",
                                          NULL};

/* Names of the forms, by `plain` of the options, from -1 on. */
static const char *const forms[] = {"lines", "", "plain", "strided", NULL};

enum { OPEN = 1 /* place of the form without a name */ };

/* The text behind `key`, which is "KEY="; NULL if it is another key's. */
static const char *value_of(const char *text, const char *key)
{
    const size_t length = strlen(key);
    return strncmp(text, key, length) == 0 ? text + length : NULL;
}

static bool set_count(int *out, const char *value)
{
    return cli_parse_integer(value, out) && *out > 0;
}

static bool set_ranks(int ranks[2], const char *value)
{
    char first[16];
    const size_t length = strcspn(value, "x");
    snprintf(first, sizeof first, "%.*s", (int)length, value);
    return length < sizeof first && value[length] == 'x' && set_count(&ranks[0], first) &&
           set_count(&ranks[1], value + length + 1);
}

/* Read one KEY=VALUE. */
static bool set_one(tsl_poisson_options *options, const char *text)
{
    static const char *const switches[] = {"off", "on", NULL};
    int place = 0;
    const char *value = value_of(text, "ranks=");
    if (value != NULL) {
        return set_ranks(options->ranks, value);
    }
    if ((value = value_of(text, "segments=")) != NULL) {
        return set_count(&options->segments, value);
    }
    if ((value = value_of(text, "overlap=")) != NULL && cli_find(value, switches, &place)) {
        options->overlap = place == 1 ? 1 : -1;
        return true;
    }
    if ((value = value_of(text, "measure=")) != NULL && cli_find(value, switches, &place)) {
        options->measure = place;
        return true;
    }
    if ((value = value_of(text, "form=")) != NULL && cli_find(value, forms, &place)) {
        options->plain = place - 1;
        return place != OPEN;
    }
    if ((value = value_of(text, "exchange=")) != NULL &&
        cli_find(value, poisson_path_names, &place)) {
        options->path = (tsl_poisson_path)place;
        return true;
    }
    return false;
}

const char *poisson_plan_text(char text[POISSON_PLAN_TEXT], const tsl_poisson_options *o)
{
    int used = 0;
    if (o->ranks[0] > 0) {
        used += sprintf(text + used, ",ranks=%dx%d", o->ranks[0], o->ranks[1]);
    }
    if (o->segments > 0) {
        used += sprintf(text + used, ",segments=%d", o->segments);
    }
    if (o->overlap != 0) {
        used += sprintf(text + used, ",overlap=%s", o->overlap > 0 ? "on" : "off");
    }
    if (o->measure) {
        used += sprintf(text + used, ",measure=on");
    }
    if (o->plain != 0) {
        used += sprintf(text + used, ",form=%s", forms[o->plain + 1]);
    }
    if (o->path != TSL_POISSON_DIRECT) {
        used += sprintf(text + used, ",exchange=%s", poisson_path_names[o->path]);
    }
    return used > 0 ? text + 1 : NULL;
}

/* Does the key at `at` also stand before it? */
static bool is_repeated(const char *text, const char *at)
{
    const size_t length = strcspn(at, "=,");
    for (const char *before = text; before < at; before += strcspn(before, ",") + 1) {
        if (strcspn(before, "=,") == length && strncmp(before, at, length) == 0) {
            return true;
        }
    }
    return false;
}

error_t poisson_set_plan(const cli_option *row, const char *text, void *parsed)
{
    tsl_poisson_options *options = &((poisson_options *)parsed)->poisson;
    for (const char *at = text;; at++) {
        char one[64];
        const size_t length = strcspn(at, ",");
        const bool fits = length < sizeof one;
        snprintf(one, sizeof one, "%.*s", (int)(fits ? length : 0), at);
        if (!set_one(options, one)) {
            return cli_refuse_value(
                row, text,
                "give ranks=PxQ, segments=COUNT, overlap=on or off, measure=on or off, form=lines, "
                "plain or strided and exchange=direct, staged or datatypes, with commas between, "
                "e.g. ranks=1x4,overlap=off");
        }
        if (is_repeated(text, at)) {
            return cli_refuse_value(row, text, "%.*s is given twice: leave one out",
                                    (int)strcspn(at, "="), at);
        }
        at += length;
        if (*at == '\0') {
            return 0;
        }
    }
}

/* ---- what they do --------------------------------------------------------------------------- */

typedef enum call {
    CALL_FORESEE,
    CALL_PLAN,
    CALL_SOLVE,
    CALL_ENERGY,
    CALL_TIME,
    CALL_TIMES,
    CALL_RELEASE,
    CALL_END
} call;

typedef struct order {
    call call;
    int value; /* SOLVE: axis of the field, POISSON_NO_AXIS: the potential; END: the exit status */
    bool shared;
    tsl_poisson_options options;
} order;

static tsl_status tell(const tsl_context *context, order *o)
{
    return context->comm->size > 1 ? tsl_comm_broadcast(context->comm, NULL, o, sizeof *o, 0)
                                   : TSL_OK;
}

/* Give rank 0 all cells, where ranks don't share them. */
static void set_boxes(tsl_poisson_options *options, const tsl_comm *comm, bool shared)
{
    if (comm->size > 1 && !shared) {
        tsl_box box;
        for (int axis = 0; axis < 3; axis++) {
            box.begin[axis] = comm->rank == 0 ? 0 : options->n[axis];
            box.end[axis] = options->n[axis];
        }
        options->source_box = options->potential_box = box;
    }
}

/* Bytes of this rank's box. */
static tsl_status measure_box(int64_t *bytes, tsl_context *context,
                              const tsl_poisson_options *options)
{
    tsl_box box = options->source_box;
    tsl_status status = TSL_OK;
    *bytes = options->precision;
    if (box.end[2] == 0) {
        status = tsl_poisson_box(&box, context, options);
    }
    for (int axis = 0; axis < 3; axis++) {
        *bytes *= box.end[axis] - box.begin[axis];
    }
    return status;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Refuse what does not fit before anything is taken: the plan while it is made, and then the plan
 * and two boxes, each beside what the host holds at that time. Ranks agree. */
static tsl_status check_memory(tsl_context *context, const tsl_poisson_options *options,
                               int64_t box, const poisson_host *host)
{
    const int64_t *n = options->n;
    tsl_poisson_summary plan;
    char what[PATH_MAX + 120];
    const tsl_status status = cli_agree(context, tsl_poisson_predict(&plan, context, options));
    if (status != TSL_OK) {
        return status;
    }
    snprintf(what, sizeof what,
             host->name != NULL ? "%s: %lld x %lld x %lld cells need"
                                : "%s of %lld x %lld x %lld, a source and a potential need",
             host->name != NULL ? host->name : "a Poisson plan", (long long)n[0], (long long)n[1],
             (long long)n[2]);
    const int64_t solving = plan.bytes + 2 * box;
    const int64_t device = larger(solving, plan.peak_bytes);
    const int64_t all =
        larger(host->loading, larger(solving + host->solving, plan.peak_bytes + host->planning));
    const int64_t beside =
        larger(host->loading, larger(host->solving, plan.planning_bytes + host->planning));
    const tsl_device_need need = {.what = what,
                                  .remedy = host->remedy,
                                  .device = device,
                                  .host = context->ops->peer == NULL ? all - device : beside,
                                  .bound = options->memory};
    return tsl_comm_foresee(context, &need);
}

static const poisson_host nothing = {.name = NULL, .remedy = "take fewer cells"};

/* Settle the boxes, and check that all fits; *box becomes the bytes of this rank's. Every rank
 * calls it. */
static tsl_status foresee(int64_t *box, tsl_context *context, tsl_poisson_options *options,
                          bool shared, const poisson_host *host)
{
    set_boxes(options, context->comm, shared);
    const tsl_status status = cli_agree(context, measure_box(box, context, options));
    return status == TSL_OK ? check_memory(context, options, *box, host) : status;
}

tsl_status poisson_arrays_foresee(tsl_context *context, const tsl_poisson_options *options,
                                  bool shared, const poisson_host *host)
{
    order o = {.call = CALL_FORESEE, .shared = shared, .options = *options};
    int64_t box;
    const tsl_status status = tell(context, &o);
    return status == TSL_OK
               ? foresee(&box, context, &o.options, shared, host != NULL ? host : &nothing)
               : status;
}

static tsl_status take_box(tsl_buffer **out, tsl_context *context, int64_t bytes)
{
    *out = NULL;
    return bytes > 0 ? tsl_buffer_create(out, context, bytes) : TSL_OK;
}

tsl_status poisson_arrays_create(poisson_arrays *arrays, tsl_context *context,
                                 const tsl_poisson_options *options, bool shared)
{
    order o = {.call = CALL_PLAN, .shared = shared, .options = *options};
    int64_t bytes = 0;
    tsl_status status = context->comm->rank == 0 ? tell(context, &o) : TSL_OK;
    *arrays = (poisson_arrays){.context = context};
    if (status == TSL_OK && shared) {
        status = tsl_poisson_tune(&o.options, context);
    }
    if (status == TSL_OK) {
        status = foresee(&bytes, context, &o.options, shared, &nothing);
    }
    if (status == TSL_OK) {
        status = tsl_poisson_plan_create(&arrays->plan, context, &o.options);
        arrays->options = o.options;
    }
    if (status != TSL_OK) {
        return status;
    }
    status = take_box(&arrays->source, context, bytes);
    if (status == TSL_OK) {
        status = take_box(&arrays->result, context, bytes);
    }
    if (status == TSL_OK && arrays->source != NULL) {
        status = tsl_buffer_fill(arrays->source, 0);
    }
    return cli_agree(context, status);
}

static void *data(const tsl_buffer *buffer)
{
    return buffer != NULL ? tsl_buffer_data(buffer) : NULL;
}

static tsl_status solve(const poisson_arrays *arrays, int axis)
{
    return axis == POISSON_NO_AXIS
               ? tsl_poisson_execute(arrays->plan, data(arrays->result), data(arrays->source))
               : tsl_poisson_field(arrays->plan, axis, data(arrays->result), data(arrays->source));
}

tsl_status poisson_arrays_solve(poisson_arrays *arrays, int axis)
{
    const tsl_status status = tell(arrays->context, &(order){.call = CALL_SOLVE, .value = axis});
    arrays->told = tsl_seconds();
    return status == TSL_OK ? solve(arrays, axis) : status;
}

tsl_status poisson_arrays_energy(const poisson_arrays *arrays, double *energy)
{
    const tsl_status status = tell(arrays->context, &(order){.call = CALL_ENERGY});
    return status == TSL_OK ? tsl_poisson_energy(arrays->plan, energy, data(arrays->result),
                                                 data(arrays->source))
                            : status;
}

static void begin_times(poisson_arrays *arrays)
{
    arrays->times = (tsl_poisson_times){.last = 0};
    tsl_poisson_plan_time(arrays->plan, &arrays->times);
}

tsl_status poisson_arrays_time(poisson_arrays *arrays)
{
    const tsl_status status = tell(arrays->context, &(order){.call = CALL_TIME});
    if (status == TSL_OK) {
        begin_times(arrays);
    }
    return status;
}

tsl_status poisson_arrays_times(const poisson_arrays *arrays, tsl_poisson_times *all)
{
    const tsl_status status = tell(arrays->context, &(order){.call = CALL_TIMES});
    return status == TSL_OK ? cli_gather(arrays->context->comm, all, &arrays->times, sizeof *all)
                            : status;
}

/* Give this rank's times to poisson_arrays_times() of rank 0. */
static tsl_status give_times(const poisson_arrays *arrays)
{
    tsl_comm *comm = arrays->context->comm;
    tsl_poisson_times *all = tsl_allocate((size_t)comm->size * sizeof *all);
    tsl_status status = TSL_E_COMM;
    if (all == NULL) {
        tsl_comm_fail(comm, TSL_E_NOMEM, "out of memory: cannot hear all ranks");
    } else {
        status = cli_gather(comm, all, &arrays->times, sizeof *all);
    }
    tsl_release(all);
    return status;
}

static void release(poisson_arrays *arrays)
{
    tsl_poisson_plan_destroy(arrays->plan);
    tsl_buffer_destroy(arrays->source);
    tsl_buffer_destroy(arrays->result);
    *arrays = (poisson_arrays){.plan = NULL};
}

void poisson_arrays_release(poisson_arrays *arrays)
{
    if (arrays->context != NULL) {
        tell(arrays->context, &(order){.call = CALL_RELEASE});
    }
    release(arrays);
}

tsl_status poisson_end(tsl_context *context, int exit_status)
{
    return tell(context, &(order){.call = CALL_END, .value = exit_status});
}

/* All ranks are refused what one of them is refused, so rank 0 tells of errors. */
tsl_status poisson_follow(tsl_context *context, int64_t memory, int *exit_status)
{
    poisson_arrays arrays = {.plan = NULL};
    order o = {.call = CALL_PLAN};
    tsl_status status = tell(context, &o);
    while (status != TSL_E_COMM && o.call != CALL_END) {
        double energy;
        int64_t box;
        o.options.memory = memory;
        switch (o.call) {
        case CALL_FORESEE:
            status = foresee(&box, context, &o.options, o.shared, &nothing);
            break;
        case CALL_PLAN:
            status = poisson_arrays_create(&arrays, context, &o.options, o.shared);
            break;
        case CALL_SOLVE:
            status = solve(&arrays, o.value);
            break;
        case CALL_TIME:
            begin_times(&arrays);
            break;
        case CALL_TIMES:
            status = give_times(&arrays);
            break;
        case CALL_ENERGY:
            status =
                tsl_poisson_energy(arrays.plan, &energy, data(arrays.result), data(arrays.source));
            break;
        default:
            release(&arrays);
        }
        if (status != TSL_E_COMM) {
            status = tell(context, &o);
        }
    }
    release(&arrays);
    *exit_status = o.value;
    return status;
}
