/* `tesela poisson verify`: problems with answers that are known in closed form or by direct
 * sums. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/poisson/command.h"

/* A function of a position. */
typedef double (*field_function)(const double at[3], const void *user);

/* A problem and its answer. */
typedef struct problem {
    tsl_poisson_options options;
    field_function source, potential;
    const void *user;
} problem;

static int64_t cells_of(const tsl_poisson_options *o)
{
    return o->n[0] * o->n[1] * o->n[2];
}

static tsl_status sample(double **out, tsl_context *context, const tsl_poisson_options *o,
                         field_function function, const void *user)
{
    double *values = tsl_allocate((size_t)cells_of(o) * sizeof *values);
    if (values == NULL) {
        return tsl_fail_memory(context, cells_of(o) * 8, "a field");
    }
    int64_t i = 0;
    for (int64_t x = 0; x < o->n[0]; x++) {
        for (int64_t y = 0; y < o->n[1]; y++) {
            for (int64_t z = 0; z < o->n[2]; z++) {
                const double at[3] = {(double)x * o->lengths[0] / (double)o->n[0],
                                      (double)y * o->lengths[1] / (double)o->n[1],
                                      (double)z * o->lengths[2] / (double)o->n[2]};
                values[i++] = function(at, user);
            }
        }
    }
    *out = values;
    return TSL_OK;
}

/* Solve in place: `field`, doubles, becomes the potential. */
static tsl_status solve(tsl_context *context, const tsl_poisson_options *o, double *field)
{
    const int64_t count = cells_of(o);
    poisson_arrays arrays;
    float *narrow = (float *)field; /* a float is written only over a double that has been read */
    for (int64_t i = 0; i < count && o->precision == 4; i++) {
        const float value = (float)field[i];
        memcpy(&narrow[i], &value, sizeof value);
    }
    tsl_status status = TSL_OK;
    TSL_TRY(poisson_arrays_create(&arrays, context, o, false));
    TSL_TRY(tsl_buffer_write(arrays.source, 0, field, count * o->precision));
    TSL_TRY(poisson_arrays_solve(&arrays, POISSON_NO_AXIS));
    TSL_TRY(tsl_buffer_read(arrays.result, 0, field, count * o->precision));
done:
    for (int64_t i = count - 1; i >= 0 && o->precision == 4; i--) {
        float value;
        memcpy(&value, &narrow[i], sizeof value);
        field[i] = (double)value;
    }
    poisson_arrays_release(&arrays);
    return status;
}

/* A problem's options, with what the command line says of plan and memory. Where a problem cannot
 * take the form that is asked for, the form is left open, with a note. */
static tsl_poisson_options settled(poisson_work *work, const problem *p)
{
    const tsl_poisson_options *asked = &work->options->poisson;
    tsl_poisson_summary plan;
    tsl_poisson_options o = p->options;
    memcpy(o.ranks, asked->ranks, sizeof o.ranks);
    o.segments = asked->segments;
    o.overlap = asked->overlap;
    o.measure = asked->measure;
    o.path = asked->path;
    o.memory = asked->memory;
    if (asked->plain == 0 || tsl_poisson_predict(&plan, work->context, &o) != TSL_OK) {
        return o; /* the error comes when the plan is made */
    }
    o.plain = asked->plain;
    if (tsl_poisson_predict(&plan, work->context, &o) == TSL_OK) {
        work->formed++;
    } else {
        cli_note("%lld x %lld x %lld cells: the form is left open: %s", (long long)o.n[0],
                 (long long)o.n[1], (long long)o.n[2], tsl_last_error(work->context));
        o.plain = 0;
    }
    return o;
}

/* Measure relative errors in the 2-norm and in the largest norm. */
static tsl_status measure(poisson_work *work, const problem *p, double *l2, double *linf)
{
    const tsl_poisson_options o = settled(work, p);
    const int64_t fields = 2 * cells_of(&o) * (int64_t)sizeof(double);
    const poisson_host host = {.name = "verify, source and answer",
                               .remedy = "take fewer cells where --n says them",
                               .loading = fields,
                               .planning = fields,
                               .solving = fields};
    double *found = NULL;
    double *wanted = NULL;
    tsl_status status = poisson_arrays_foresee(work->context, &o, false, &host);
    if (status == TSL_OK) {
        status = sample(&found, work->context, &p->options, p->source, p->user);
    }
    if (status == TSL_OK) {
        status = sample(&wanted, work->context, &p->options, p->potential, p->user);
    }
    if (status == TSL_OK) {
        status = solve(work->context, &o, found);
    }
    double sum = 0, scale = 0, worst = 0, largest = 0;
    for (int64_t i = 0; i < cells_of(&p->options) && status == TSL_OK; i++) {
        const double error = fabs(found[i] - wanted[i]);
        sum += error * error;
        scale += wanted[i] * wanted[i];
        worst = error > worst || isnan(error) ? error : worst;
        largest = fmax(largest, fabs(wanted[i]));
    }
    *l2 = sqrt(sum / scale);
    *linf = isnan(sum) ? NAN : worst / largest;
    tsl_release(found);
    tsl_release(wanted);
    return status;
}

static void add_case(poisson_work *work, const char *name, double value, double bound)
{
    if (work->cases < POISSON_CASES) {
        poisson_case *c = &work->of_case[work->cases++];
        *c = (poisson_case){.value = value, .bound = bound};
        snprintf(c->name, sizeof c->name, "%s", name);
    }
}

static tsl_poisson_options box(const int n[3], const double lengths[3], const char *boundary)
{
    tsl_poisson_options o = TSL_POISSON_OPTIONS_INIT;
    for (int axis = 0; axis < 3; axis++) {
        o.n[axis] = n[axis];
        o.lengths[axis] = lengths[axis];
        o.boundary[axis] = boundary[axis] == 'f' ? TSL_BOUNDARY_FREE : TSL_BOUNDARY_PERIODIC;
    }
    return o;
}

/* ---- plane waves ---------------------------------------------------------------------------- */

typedef struct waves {
    double lengths[3];
    int m[3][3];
} waves;

static double wave_sum(const double at[3], const waves *w, bool potential)
{
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        double angle = 0.7 * i;
        double k2 = 0;
        for (int axis = 0; axis < 3; axis++) {
            const double k = 2 * M_PI * w->m[i][axis] / w->lengths[axis];
            angle += k * at[axis];
            k2 += k * k;
        }
        sum += (1 + i) * cos(angle) * (potential ? 4 * M_PI / k2 : 1);
    }
    return sum;
}

static double wave_source(const double at[3], const void *user)
{
    return wave_sum(at, user, false);
}

static double wave_potential(const double at[3], const void *user)
{
    return wave_sum(at, user, true);
}

/* Add plane waves on this grid. */
static tsl_status add_waves(poisson_work *work, const int n[3], int precision)
{
    const waves w = {{1, 2, 1.5}, {{3, -2, 1}, {0, 5, -7}, {-11, 4, 9}}};
    problem p = {box(n, w.lengths, "ppp"), wave_source, wave_potential, &w};
    char name[64];
    double l2, linf;
    p.options.precision = precision;
    const tsl_status status = measure(work, &p, &l2, &linf);
    snprintf(name, sizeof name, "periodic waves %dx%dx%d, %s, L2", n[0], n[1], n[2],
             precision == 4 ? "single" : "double");
    add_case(work, name, l2, precision == 4 ? 1e-6 : 1e-13);
    return status;
}

static tsl_status verify_waves(poisson_work *work)
{
    const int64_t *asked = work->options->poisson.n;
    const int own[3] = {(int)asked[0], (int)asked[1], (int)asked[2]};
    const struct {
        const int *n;
        int precision;
    } rows[] = {{own, 8},
                {own, 4},
                {(int[]){64, 64, 64}, 8},
                {(int[]){64, 64, 64}, 4},
                {(int[]){61, 48, 67}, 8},
                {(int[]){128, 128, 128}, 8}};
    tsl_status status = TSL_OK;
    for (size_t i = 0; i < sizeof rows / sizeof *rows && status == TSL_OK; i++) {
        if (rows[i].n[0] > 0) {
            status = add_waves(work, rows[i].n, rows[i].precision);
        }
    }
    return status;
}

/* ---- a Gaussian charge in free space -------------------------------------------------------- */

static double distance(const double at[3], const double centre[3])
{
    return sqrt((at[0] - centre[0]) * (at[0] - centre[0]) +
                (at[1] - centre[1]) * (at[1] - centre[1]) +
                (at[2] - centre[2]) * (at[2] - centre[2]));
}

static const double sigma = 0.06;

static double gaussian_source(const double at[3], const void *centre)
{
    const double r = distance(at, centre) / sigma;
    return exp(-0.5 * r * r) / pow(2 * M_PI * sigma * sigma, 1.5);
}

static double gaussian_potential(const double at[3], const void *centre)
{
    const double r = distance(at, centre);
    return r < 1e-9 ? sqrt(2 / M_PI) / sigma : erf(r / (sqrt(2) * sigma)) / r;
}

static tsl_status verify_gaussians(poisson_work *work)
{
    static const struct {
        const char *name;
        int n[3];
        double lengths[3];
        double bound;
    } rows[] = {
        {"free Gaussian 16x16x16, largest", {16, 16, 16}, {1, 1, 1}, 3e-4},
        {"free Gaussian 32x32x32, largest", {32, 32, 32}, {1, 1, 1}, 2e-11},
        {"free Gaussian 64x64x64, largest", {64, 64, 64}, {1, 1, 1}, 1e-14},
        {"free Gaussian, box 1x1x4, 32x32x128, largest", {32, 32, 128}, {1, 1, 4}, 2e-11},
        {"free Gaussian, box 1x1x8, 32x32x256, largest", {32, 32, 256}, {1, 1, 8}, 2e-11},
        {"free Gaussian, box 1x1x8, 64x64x512, largest", {64, 64, 512}, {1, 1, 8}, 1e-14},
    };
    tsl_status status = TSL_OK;
    for (size_t i = 0; i < sizeof rows / sizeof *rows && status == TSL_OK; i++) {
        double l2, linf;
        const double centre[3] = {0.5, 0.5, rows[i].lengths[2] - 0.5};
        const problem p = {box(rows[i].n, rows[i].lengths, "fff"), gaussian_source,
                           gaussian_potential, centre};
        status = measure(work, &p, &l2, &linf);
        add_case(work, rows[i].name, linf, rows[i].bound);
    }
    double before = 0;
    for (int n = 32; n <= 64 && status == TSL_OK; n *= 2) {
        double l2, linf;
        const double centre[3] = {0.5, 0.5, 0.5};
        problem p = {box((int[]){n, n, n}, (double[]){1, 1, 1}, "fff"), gaussian_source,
                     gaussian_potential, centre};
        p.options.kernel = TSL_POISSON_INTEGRATED;
        status = measure(work, &p, &l2, &linf);
        if (n == 64) {
            add_case(work, "integrated kernel: |order - 2|, 32 to 64", fabs(log2(before / l2) - 2),
                     0.2);
        }
        before = l2;
    }
    return status;
}

/* ---- slabs and wires ------------------------------------------------------------------------ */

/* A layer or a line with a Gaussian profile, its density 1 + cos(2 pi x / L) along axis 0. */
typedef struct modulated {
    double period;
} modulated;

static double wave_along(const double at[3], const modulated *m)
{
    return cos(2 * M_PI * at[0] / m->period);
}

static double layer_source(const double at[3], const void *user)
{
    const double z = (at[2] - 0.5) / sigma;
    return (1 + wave_along(at, user)) * exp(-0.5 * z * z) / (sqrt(2 * M_PI) * sigma);
}

static double layer_potential(const double at[3], const void *user)
{
    const modulated *m = user;
    const double z = at[2] - 0.5;
    const double w = sqrt(2) * sigma;
    const double k = 2 * M_PI / m->period;
    const double shift = k * sigma * sigma;
    const double flat =
        -2 * M_PI * (z * erf(z / w) + sigma * sqrt(2 / M_PI) * exp(-z * z / (w * w)));
    const double wave = M_PI / k * exp(0.5 * k * shift) *
                        (exp(k * z) * erfc((shift + z) / w) + exp(-k * z) * erfc((shift - z) / w));
    return flat + wave_along(at, m) * wave;
}

/* A line's potential at distance r, of wavenumber k along it: the integral over t > 0 of exp(-r^2 /
 * (4 t + 2 sigma^2) - k^2 t) / (t + sigma^2 / 2). That diverges for k = 0, where the result is its
 * difference from the potential at distance 1. */
static double line_mode(double r, double k)
{
    const double half = 0.5 * sigma * sigma;
    const double step = 1.0 / 16;
    double sum = 0;
    for (int i = -800; i <= 640; i++) {
        const double t = exp(step * i);
        const double far = k == 0 ? exp(-1 / (4 * (t + half))) : 0;
        sum += (exp(-r * r / (4 * (t + half))) - far) * exp(-k * k * t) * t / (t + half);
    }
    return step * sum;
}

static double line_source(const double at[3], const void *user)
{
    const double r = hypot(at[1] - 0.5, at[2] - 0.5) / sigma;
    return (1 + wave_along(at, user)) * exp(-0.5 * r * r) / (2 * M_PI * sigma * sigma);
}

static double line_potential(const double at[3], const void *user)
{
    const modulated *m = user;
    const double r = hypot(at[1] - 0.5, at[2] - 0.5);
    return line_mode(r, 0) + wave_along(at, m) * line_mode(r, 2 * M_PI / m->period);
}

static tsl_status verify_mixed(poisson_work *work)
{
    double l2, linf;
    const modulated m = {.period = 0.8};
    const problem slab = {box((int[]){8, 4, 64}, (double[]){0.8, 1, 1}, "ppf"), layer_source,
                          layer_potential, &m};
    const problem wire = {box((int[]){4, 48, 48}, (double[]){0.8, 1, 1}, "pff"), line_source,
                          line_potential, &m};
    tsl_status status = measure(work, &slab, &l2, &linf);
    add_case(work, "slab, charged and modulated layer, largest", linf, 1e-10);
    if (status == TSL_OK) {
        status = measure(work, &wire, &l2, &linf);
        add_case(work, "wire, charged and modulated line, largest", linf, 1e-10);
    }
    return status;
}

/* ---- a direct sum --------------------------------------------------------------------------- */

enum { SUM_N = 12 };

static double point_source(const double at[3], const void *user)
{
    (void)user;
    return sin(40 * at[0] + 3) + cos(31 * at[1] * at[2]) + at[2];
}

/* Sum of charge / distance over all cells. For the cell itself 1 / distance is its mean over the
 * cell, which is 2.38 / h. */
static double point_potential(const double at[3], const void *user)
{
    const double h = 1.0 / SUM_N;
    const double own = 6 * asinh(sqrt(0.5)) - 0.5 * M_PI; /* the integral of 1 / r over a cube */
    double sum = 0;
    for (int i = 0; i < SUM_N * SUM_N * SUM_N; i++) {
        const double cell[3] = {h * (i / (SUM_N * SUM_N)), h * (i / SUM_N % SUM_N),
                                h * (i % SUM_N)};
        const double r = distance(at, cell);
        sum += point_source(cell, user) * h * h * (r < 0.5 * h ? own : h / r);
    }
    return sum;
}

static tsl_status verify_sum(poisson_work *work)
{
    double l2, linf;
    problem p = {box((int[]){SUM_N, SUM_N, SUM_N}, (double[]){1, 1, 1}, "fff"), point_source,
                 point_potential, NULL};
    p.options.kernel = TSL_POISSON_POINT;
    const tsl_status status = measure(work, &p, &l2, &linf);
    add_case(work, "point kernel against a direct sum, largest", linf, 1e-10);
    return status;
}

tsl_status poisson_verify(poisson_work *work)
{
    static tsl_status (*const parts[])(poisson_work *) = {verify_waves, verify_gaussians,
                                                          verify_mixed, verify_sum};
    tsl_status status = TSL_OK;
    work->setup = tsl_seconds() - work->begun;
    for (size_t i = 0; i < sizeof parts / sizeof *parts && status == TSL_OK; i++) {
        status = parts[i](work);
    }
    work->compute = tsl_seconds() - work->begun - work->setup;
    if (status == TSL_OK && work->options->poisson.plain != 0 && work->formed == 0) {
        status =
            tsl_fail(work->context, TSL_E_ARG,
                     "%s: no problem of the suite takes the form that --plan asks for: leave it "
                     "out",
                     tsl_context_device(work->context));
    }
    return status;
}
