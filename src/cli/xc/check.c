/* `tesela xc check`: properties that every functional has, and the device compared with the CPU. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/xc/command.h"
#include "core/context.h"
#include "device/device.h"

/* The properties that are checked of a functional and a kind of spin, each with a bound. */
typedef enum property {
    FINITE,      /* number of outputs that are not finite, for inputs from 0 to 1e5 */
    THIRD,       /* the same with third derivatives */
    SWAP,        /* largest difference when the spins are swapped */
    CLOSED,      /* closed shell against two equal spins, relative to the scale or the value */
    DIFFERENCES, /* derivatives against differences of what they are derivatives of */
    DEVICE,      /* difference between device and CPU, by order */
    PROPERTIES = DEVICE + 3
} property;

typedef struct property_row {
    const char *name;
    double bound;
    const char *title;
} property_row;

static const property_row properties[PROPERTIES] = {
    [FINITE] = {"finite", 0, "not finite"},
    [THIRD] = {"finite third", 0, "third"},
    [SWAP] = {"swap", 0, "swap"},
    [CLOSED] = {"closed", 1e-11, "closed"},
    [DIFFERENCES] = {"differences", 1e-6, "differences"},
    [DEVICE] = {"device exc", 2e-13, "device exc"},
    [DEVICE + 1] = {"device first", 2e-12, "first"},
    [DEVICE + 2] = {"device second", 2e-10, "second"},
};

typedef struct checked {
    const char *name;
    int spin, order; /* highest order that the device has */
    double value[PROPERTIES];
    bool asked[PROPERTIES];
} checked;

/* One functional on one context. */
typedef struct evaluator {
    tsl_context *context;
    tsl_xc_plan *plan;
    xc_memory memory;
    int spin, order;
} evaluator;

static void evaluator_close(evaluator *e)
{
    xc_memory_destroy(&e->memory);
    tsl_xc_plan_destroy(e->plan);
}

static tsl_status evaluator_open(evaluator *e, tsl_context *context, const char *name, int spin,
                                 int order, int64_t points, tsl_xc_description *about)
{
    tsl_xc_options options = TSL_XC_OPTIONS_INIT;
    memset(e, 0, sizeof *e);
    options.polarised = spin;
    options.order = order;
    e->context = context;
    e->spin = spin;
    e->order = order;
    about->size = sizeof *about;
    tsl_status status = tsl_xc_plan_create(&e->plan, context, name, &options);
    if (status == TSL_OK) {
        status = tsl_xc_plan_describe(e->plan, about);
    }
    return status != TSL_OK
               ? status
               : xc_memory_create(&e->memory, context, points, about->family, spin, order);
}

/* Evaluate inputs [inputs][points] into [outputs][points]. */
static tsl_status evaluate(double *out, evaluator *e, const double *in)
{
    const xc_memory *m = &e->memory;
    tsl_status status = e->context->ops->upload(e->context, m->data, in, 8 * m->points * m->inputs);
    if (status == TSL_OK) {
        status = tsl_xc_evaluate(e->plan, m->points, &m->arrays);
    }
    return status != TSL_OK
               ? status
               : e->context->ops->download(e->context, out, m->data + m->points * m->inputs,
                                           8 * m->points * m->outputs);
}

/* ---- scales --------------------------------------------------------------------------------- */

/* List the inputs by which each output is a derivative; -1: none. */
static void list_variables(int (*by)[2], tsl_xc_family family, int spin)
{
    static const int first[2][3] = {{0, 1, 2}, {0, 2, 5}};
    static const int count[2][3] = {{1, 1, 1}, {2, 3, 2}};
    int k = 0;
    by[k][0] = by[k][1] = -1;
    k++;
    for (int v = 0; v <= (int)family; v++) {
        for (int c = 0; c < count[spin][v]; c++, k++) {
            by[k][0] = first[spin][v] + c;
            by[k][1] = -1;
        }
    }
    for (int v = 0; v <= (int)family; v++) {
        for (int w = v; w <= (int)family; w++) {
            for (int c = 0; c < count[spin][v]; c++) {
                for (int d = v == w ? c : 0; d < count[spin][w]; d++, k++) {
                    by[k][0] = first[spin][v] + c;
                    by[k][1] = first[spin][w] + d;
                }
            }
        }
    }
}

/* The scale of an output at point i: |exc| of the uniform gas's exchange; of a derivative rho times
 * that over the variables. */
static double scale_of(const double *in, int64_t points, int64_t i, int spin, const int by[2])
{
    const double n = in[i] + (spin ? in[points + i] : 0);
    double scale = 0.75 * cbrt(3 * n / M_PI) * (by[0] >= 0 ? n : 1);
    for (int v = 0; v < 2; v++) {
        scale /= by[v] >= 0 ? fabs(in[by[v] * points + i]) : 1;
    }
    return scale;
}

static double larger(double a, double b)
{
    return b <= a || isnan(a) ? a : b; /* a not-a-number stays */
}

/* ---- properties ----------------------------------------------------------------------------- */

enum { MOST = 40 }; /* outputs, and inputs */

/* Arrays for inputs and outputs, and what the functional is. */
typedef struct work {
    int64_t points;
    double *in, *other_in, *out, *other;
    int by[MOST][2];
    tsl_xc_family family;
    double omega; /* of range separation */
} work;

static double next_uniform(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*state >> 11) * 0x1p-53;
}

static tsl_status check_finite(checked *c, work *w, evaluator *e, property p)
{
    const xc_memory *const m = &e->memory;
    uint64_t state = 3;
    int64_t wrong = 0;
    for (int64_t k = 0; k < m->points * m->inputs; k++) {
        const double power = 45 * next_uniform(&state) - 40;
        w->in[k] = next_uniform(&state) < 0.1 ? 0 : pow(10, power);
    }
    const tsl_status status = evaluate(w->out, e, w->in);
    for (int64_t k = 0; k < m->points * m->outputs && status == TSL_OK; k++) {
        wrong += !isfinite(w->out[k]);
    }
    c->value[p] = (double)wrong;
    c->asked[p] = true;
    return status;
}

/* Check third derivatives, where the device has them, at a share of the points: each takes as many
 * evaluations as there are inputs. */
static tsl_status check_third(checked *c, work *w, tsl_context *context)
{
    enum { SHARE = 100 };
    tsl_xc_description about;
    evaluator e;
    const int64_t points = (w->points + SHARE - 1) / SHARE;
    tsl_status status = evaluator_open(&e, context, c->name, c->spin, 3, points, &about);
    if (status == TSL_OK) {
        status = check_finite(c, w, &e, THIRD);
    }
    evaluator_close(&e);
    return status == TSL_E_UNSUPPORTED ? TSL_OK : status;
}

/* The place of a component when the spins are swapped. */
static int mirror_of(const work *w, int outputs, int k)
{
    static const int inputs[7] = {1, 0, 4, 3, 2, 6, 5};
    for (int l = 0; l < outputs; l++) {
        const int a = w->by[k][0] >= 0 ? inputs[w->by[k][0]] : -1;
        const int b = w->by[k][1] >= 0 ? inputs[w->by[k][1]] : -1;
        if ((w->by[l][0] == a && w->by[l][1] == b) || (w->by[l][0] == b && w->by[l][1] == a)) {
            return l;
        }
    }
    return k;
}

static tsl_status check_swap(checked *c, work *w, evaluator *e)
{
    static const int mirror[7] = {1, 0, 4, 3, 2, 6, 5};
    const int64_t n = w->points;
    for (int k = 0; k < e->memory.inputs; k++) {
        memcpy(w->other_in + mirror[k] * n, w->in + k * n, sizeof *w->in * (size_t)n);
    }
    tsl_status status = evaluate(w->out, e, w->in);
    if (status == TSL_OK) {
        status = evaluate(w->other, e, w->other_in);
    }
    for (int k = 0; k < e->memory.outputs && status == TSL_OK; k++) {
        const double *const swapped = w->other + mirror_of(w, e->memory.outputs, k) * n;
        for (int64_t i = 0; i < n; i++) {
            c->value[SWAP] = larger(c->value[SWAP], fabs(w->out[k * n + i] - swapped[i]));
        }
    }
    c->asked[SWAP] = true;
    return status;
}

/* Check that two equal spins give the closed shell's energy. */
static tsl_status check_closed(checked *c, work *w, evaluator *e)
{
    const int64_t n = w->points;
    tsl_xc_description about;
    evaluator closed;
    const int none[2] = {-1, -1};
    tsl_status status = evaluator_open(&closed, e->context, c->name, 0, 0, n, &about);
    xc_make_points(w->in, n, w->family, 0);
    if (status == TSL_OK) {
        status = evaluate(w->other, &closed, w->in);
    }
    for (int64_t i = 0; i < n; i++) {
        const double closed_in[3] = {w->in[i], w->family > 0 ? w->in[n + i] : 0,
                                     w->family > 1 ? w->in[2 * n + i] : 0};
        for (int k = 0; k < e->memory.inputs; k++) {
            w->other_in[k * n + i] = k < 2   ? closed_in[0] / 2
                                     : k < 5 ? closed_in[1] / 4
                                             : closed_in[2] / 2;
        }
    }
    if (status == TSL_OK) {
        status = evaluate(w->out, e, w->other_in);
    }
    for (int64_t i = 0; i < n && status == TSL_OK; i++) {
        const double scale = scale_of(w->other_in, n, i, 1, none);
        const double size = fmax(fabs(w->other[i]), scale);
        c->value[CLOSED] = larger(c->value[CLOSED], fabs(w->out[i] - w->other[i]) / size);
    }
    c->asked[CLOSED] = true;
    evaluator_close(&closed);
    return status;
}

/* The function that output k is the derivative of, at point i; for first derivatives the energy per
 * volume. */
static double lower_of(const work *w, const double *in, const double *out, int k, int spin,
                       int64_t i)
{
    const int64_t n = w->points;
    if (w->by[k][1] < 0) {
        return out[i] * (in[i] + (spin ? in[n + i] : 0));
    }
    return out[(1 + w->by[k][0]) * n + i];
}

/* Is the reduced gradient s of a closed shell near a seam of the hole of Heyd, Scuseria and
 * Ernzerhof: one of two changes of formula, or 15, where s is held from then on? */
static bool is_near_bend(double rho, double sigma)
{
    const double s = sqrt(sigma) / (6.1873 * pow(rho, 4.0 / 3));
    return fabs(s - 1) < 0.01 || fabs(s / 0.08 - 1) < 0.01 || fabs(s / 15 - 1) < 0.01;
}

/* Is omega / k_F of a closed shell near 14, from where on the hole's attenuation is a series? HSE03
 * has two omegas, 2^(5/6) apart, of which a plan tells the smaller. */
static bool is_near_series(double rho, double omega)
{
    const double w = omega / cbrt(3 * M_PI * M_PI * rho);
    return fabs(w / 14 - 1) < 0.01 || fabs(w * 1.7817974362806785 / 14 - 1) < 0.01;
}

/* Might a step pass a seam at a point: of Perdew and Zunger's gas at r_s = 1, of the hole, or the
 * clip of sigma by tau? */
static bool is_near_seam(const work *w, const double *in, int spin, int64_t i)
{
    const int64_t n = w->points;
    const double total = in[i] + (spin ? in[n + i] : 0);
    const double rs = cbrt(3 / (4 * M_PI * total));
    bool near = fabs(rs - 1) < 0.01;
    for (int s = 0; s <= spin && w->family > TSL_XC_LDA; s++) {
        const double rho = in[s * n + i];
        const double sigma = in[(spin ? 2 + 2 * s : 1) * n + i];
        near = near || is_near_bend(spin ? 2 * rho : rho, spin ? 4 * sigma : sigma) ||
               is_near_series(spin ? 2 * rho : rho, w->omega);
        if (w->family > TSL_XC_GGA) {
            near = near || sigma > 0.8 * 8 * rho * in[(spin ? 5 + s : 2) * n + i];
        }
    }
    return near;
}

/* Compare derivatives with central differences of fourth order by each variable; second derivatives
 * with those of first ones. */
static tsl_status check_differences(checked *c, work *w, evaluator *e, double *sums)
{
    static const double steps[4] = {-2, -1, 1, 2};
    static const double weights[4] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};
    static const double h = 1e-3; /* relative to a variable */
    const int64_t n = w->points;
    tsl_status status = evaluate(w->out, e, w->in);
    for (int v = 0; v < e->memory.inputs && status == TSL_OK; v++) {
        memset(sums, 0, sizeof *sums * (size_t)(n * e->memory.outputs));
        for (int s = 0; s < 4 && status == TSL_OK; s++) {
            memcpy(w->other_in, w->in, sizeof *w->in * (size_t)(n * e->memory.inputs));
            for (int64_t i = 0; i < n; i++) {
                w->other_in[v * n + i] *= 1 + h * steps[s];
            }
            status = evaluate(w->other, e, w->other_in);
            for (int k = 1; k < e->memory.outputs && status == TSL_OK; k++) {
                for (int64_t i = 0; i < n; i++) {
                    sums[k * n + i] +=
                        weights[s] * lower_of(w, w->other_in, w->other, k, e->spin, i);
                }
            }
        }
        for (int k = 1; k < e->memory.outputs && status == TSL_OK; k++) {
            if (v != (w->by[k][1] >= 0 ? w->by[k][1] : w->by[k][0])) {
                continue;
            }
            for (int64_t i = 0; i < n; i++) {
                if (is_near_seam(w, w->in, e->spin, i)) {
                    continue;
                }
                const double slope = sums[k * n + i] / (h * w->in[v * n + i]);
                const double size =
                    fmax(fabs(w->out[k * n + i]), scale_of(w->in, n, i, e->spin, w->by[k]));
                c->value[DIFFERENCES] =
                    larger(c->value[DIFFERENCES], fabs(slope - w->out[k * n + i]) / size);
            }
        }
    }
    c->asked[DIFFERENCES] = e->order > 0;
    return status;
}

static tsl_status check_device(checked *c, work *w, evaluator *e, tsl_context *cpu)
{
    tsl_xc_description about;
    evaluator reference;
    const int64_t n = w->points;
    tsl_status status = evaluator_open(&reference, cpu, c->name, e->spin, e->order, n, &about);
    if (status == TSL_OK) {
        status = evaluate(w->other, &reference, w->in);
    }
    if (status == TSL_OK) {
        status = evaluate(w->out, e, w->in);
    }
    for (int k = 0; k < e->memory.outputs && status == TSL_OK; k++) {
        const int order = w->by[k][0] < 0 ? 0 : w->by[k][1] < 0 ? 1 : 2;
        for (int64_t i = 0; i < n; i++) {
            const double wanted = w->other[k * n + i];
            const double size = fmax(fabs(wanted), scale_of(w->in, n, i, e->spin, w->by[k]));
            c->value[DEVICE + order] =
                larger(c->value[DEVICE + order], fabs(w->out[k * n + i] - wanted) / size);
        }
        c->asked[DEVICE + order] = true;
    }
    evaluator_close(&reference);
    return status;
}

/* Check all properties of one functional and kind of spin. `cpu` is NULL where the device is the
 * CPU. */
static tsl_status check_one(checked *c, tsl_context *context, tsl_context *cpu, int64_t points)
{
    tsl_xc_description about;
    evaluator e;
    work w = {.points = points};
    double *numbers = NULL;
    tsl_status status = evaluator_open(&e, context, c->name, c->spin, c->order, points, &about);
    if (status == TSL_OK) {
        numbers = tsl_allocate(sizeof *numbers * (size_t)(points * 5 * MOST));
        status =
            numbers != NULL ? TSL_OK : tsl_fail_memory(context, 8 * points * 5 * MOST, "points");
    }
    if (status == TSL_OK) {
        w.family = about.family;
        w.omega = about.cam_omega;
        w.in = numbers;
        w.other_in = numbers + points * MOST;
        w.out = numbers + 2 * points * MOST;
        w.other = numbers + 3 * points * MOST;
        list_variables(w.by, w.family, c->spin);
        status = check_finite(c, &w, &e, FINITE);
    }
    if (status == TSL_OK) {
        /* Outputs, at most 120 a point, may reach into w.other and what is behind it. */
        status = check_third(c, &w, context);
    }
    if (status == TSL_OK) {
        xc_make_points(w.in, points, w.family, c->spin);
        status = check_differences(c, &w, &e, numbers + 4 * points * MOST);
    }
    if (status == TSL_OK && cpu != NULL) {
        status = check_device(c, &w, &e, cpu);
    }
    if (status == TSL_OK && c->spin) {
        status = check_swap(c, &w, &e);
    }
    if (status == TSL_OK && c->spin) {
        status = check_closed(c, &w, &e);
    }
    tsl_release(numbers);
    evaluator_close(&e);
    return status;
}

/* ---- the table ------------------------------------------------------------------------------ */

typedef struct table {
    const xc_options *options;
    tsl_context *context;
    checked *rows;
    int count, failed;
    double begun;
} table;

static bool holds(const checked *c, int p)
{
    return !c->asked[p] || c->value[p] <= properties[p].bound;
}

static void print_table(FILE *stream, const table *t)
{
    fprintf(stream, "%-24s %-6s %5s", "functional", "spins", "order");
    for (int p = 0; p < PROPERTIES; p++) {
        fprintf(stream, " %11s", properties[p].title);
    }
    fputc('\n', stream);
    for (int i = 0; i < t->count; i++) {
        const checked *c = &t->rows[i];
        fprintf(stream, "%-24s %-6s %5d", c->name, c->spin ? "two" : "closed", c->order);
        for (int p = 0; p < PROPERTIES; p++) {
            if (c->asked[p]) {
                fprintf(stream, " %10.1e%c", c->value[p], holds(c, p) ? ' ' : '!');
            } else {
                fprintf(stream, " %10s ", "-");
            }
        }
        fputc('\n', stream);
    }
    fprintf(stream, "%d of %d rows hold\n", t->count - t->failed, t->count);
}

static void write_body(tsl_json *json, const void *user)
{
    const table *t = user;
    tsl_json_open_object(json, "parameters");
    tsl_json_string(json, "functional", t->options->functional);
    tsl_json_integer(json, "points", t->options->points);
    tsl_json_close_object(json);
    tsl_json_open_object(json, "results");
    tsl_json_open_array(json, "cases");
    for (int i = 0; i < t->count; i++) {
        for (int p = 0; p < PROPERTIES; p++) {
            const checked *c = &t->rows[i];
            char name[128];
            snprintf(name, sizeof name, "%s, %s, order %d: %s", c->name,
                     c->spin ? "two spins" : "closed shell", c->order, properties[p].name);
            if (c->asked[p]) {
                cli_report_case(json, name, c->value[p], properties[p].bound, holds(c, p));
            }
        }
    }
    tsl_json_close_array(json);
    tsl_json_close_object(json);
}

/* The highest order of a functional on the device; -1 if it is not there, and the context says
 * why. */
static int highest_order(tsl_context *context, const char *name, int spin, int most)
{
    for (int order = most; order >= 0; order--) {
        tsl_xc_options options = TSL_XC_OPTIONS_INIT;
        tsl_xc_plan *plan = NULL;
        options.polarised = spin;
        options.order = order;
        const tsl_status status = tsl_xc_plan_create(&plan, context, name, &options);
        tsl_xc_plan_destroy(plan);
        if (status == TSL_OK) {
            return order;
        }
        if (status != TSL_E_UNSUPPORTED) {
            return -1;
        }
    }
    return -1;
}

static tsl_status check_all(table *t, tsl_context *cpu)
{
    const char *const only = t->options->functional;
    const char *name = only;
    for (int f = 0; only != NULL ? f < 1 : (name = tsl_xc_name(f, NULL)) != NULL; f++) {
        for (int spin = 0; spin < 2; spin++) {
            checked *c = &t->rows[t->count];
            *c = (checked){.name = name, .spin = spin};
            c->order = highest_order(t->context, name, spin, 2);
            if (c->order < 0) {
                return TSL_E_ARG;
            }
            const tsl_status status = check_one(c, t->context, cpu, t->options->points);
            if (status != TSL_OK) {
                return status;
            }
            bool all = true;
            for (int p = 0; p < PROPERTIES; p++) {
                all = all && holds(c, p);
            }
            t->failed += !all;
            t->count++;
        }
    }
    return TSL_OK;
}

int xc_check(const xc_options *options, tsl_context *context)
{
    xc_options own = *options;
    table t = {.options = &own, .context = context, .begun = tsl_seconds()};
    tsl_context *cpu = NULL;
    tsl_status status = TSL_OK;
    int names = 0;
    own.points = options->points > 0 ? options->points : XC_CHECK_POINTS;
    while (tsl_xc_name(names, NULL) != NULL) {
        names++;
    }
    t.rows = tsl_allocate_zeroed((size_t)(2 * names + 2), sizeof *t.rows);
    if (t.rows == NULL) {
        status = tsl_fail_memory(context, 2 * names * (int64_t)sizeof *t.rows, "a table");
    }
    if (status == TSL_OK && strcmp(tsl_context_device(context), "cpu") != 0) {
        tsl_context_options cpu_options = TSL_CONTEXT_OPTIONS_INIT;
        cpu_options.device = "cpu";
        cpu_options.threads = options->common.threads;
        status = tsl_context_create(&cpu, &cpu_options);
    }
    if (status == TSL_OK) {
        status = check_all(&t, cpu);
    }
    if (status == TSL_OK && !cli_is_quiet()) {
        print_table(cli_summary_stream(&options->common), &t);
    }
    if (status == TSL_OK && options->common.json != NULL) {
        const double total = tsl_seconds() - t.begun;
        const cli_report report = {.command = "xc check",
                                   .device = tsl_context_device(context),
                                   .verified = t.failed == 0,
                                   .total = total,
                                   .compute = total};
        status = cli_report_write(context, options->common.json, &report, write_body, &t);
    }
    if (status != TSL_OK) {
        cli_error("%s", tsl_last_error(context));
    } else if (t.failed > 0) {
        cli_error("%d of %d rows do not hold: see the values marked '!'", t.failed, t.count);
    }
    tsl_context_destroy(cpu);
    tsl_release(t.rows);
    return status == TSL_OK && t.failed > 0 ? CLI_CHECK_FAILED
                                            : cli_exit_status(context, status, false);
}
