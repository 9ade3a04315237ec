/* The spectrum of a Green's function, built once a plan, in double precision.
 *
 * A truncated kernel is known by its transform on a grid of `padded` points along each free axis.
 * What a solve needs is that grid's inverse transform at the differences of samples, transformed
 * again with length m. All is even in all axes, so one octant stands for the whole; and both
 * transforms act on one axis at a time, so the padded octant never exists: two axes are finished
 * plane by plane, the third, the one that is padded least, last. Kernels in space begin at the
 * second transform, and along periodic axes nothing happens. */
#include <omp.h>
#include <string.h>

#include "core/context.h"
#include "poisson/poisson.h"

enum { LANES = 8 }; /* lines transformed together: the numbers of a cache line */

typedef struct builder {
    tsl_context *context;
    const tsl_poisson_problem *problem;
    int order[3];                     /* axes: held to the end, second, first */
    int have[3];                      /* of each axis: points of a half line before */
    int keep[3];                      /* and after: m / 2 + 1 */
    double cell[3];                   /* edges */
    double wave[3];                   /* distance of two wavenumbers */
    tsl_green_wave *waves;            /* of a wire, [keep] of its periodic axis */
    tsl_fft *inverse[3], *forward[3]; /* of lines of LANES; NULL: not done */
    int row;                          /* reals from one line to the next */
    double *held;                     /* [have[order[0]]][keep[order[1]]][keep[order[2]]] */
    double *planes;                   /* a thread's [have[order[1]]][keep[order[2]]] */
    double *lines;                    /* a thread's [LANES][row] */
} builder;

static int64_t plane_numbers(const builder *b)
{
    return (int64_t)b->have[b->order[1]] * b->keep[b->order[2]];
}

static int64_t held_numbers(const builder *b)
{
    return (int64_t)b->have[b->order[0]] * b->keep[b->order[1]] * b->keep[b->order[2]];
}

static bool is_wire(const tsl_poisson_problem *p)
{
    return p->axis[0].free + p->axis[1].free + p->axis[2].free == 2;
}

static int periodic_axis(const tsl_poisson_problem *p)
{
    return !p->axis[0].free ? 0 : !p->axis[1].free ? 1 : 2;
}

static builder builder_of(tsl_context *context, const tsl_poisson_problem *p)
{
    builder b = {.context = context, .problem = p};
    int held = 0;
    int longest = 0;
    double least = HUGE_VAL;
    for (int axis = 0; axis < 3; axis++) {
        const int m = p->grid.m[axis];
        const int whole = p->axis[axis].padded > 0 ? p->axis[axis].padded : m;
        b.keep[axis] = m / 2 + 1;
        b.have[axis] = whole / 2 + 1;
        b.cell[axis] = p->axis[axis].length / p->grid.n[axis];
        b.wave[axis] = 2 * M_PI / (whole * b.cell[axis]);
        longest = whole > longest ? whole : longest;
        if ((double)b.have[axis] / b.keep[axis] < least) {
            least = (double)b.have[axis] / b.keep[axis];
            held = axis;
        }
    }
    b.order[0] = held;
    b.order[1] = held == 0 ? 1 : 0;
    b.order[2] = held == 2 ? 1 : 2;
    b.row = (2 * (longest / 2 + 1) + LANES - 1) / LANES * LANES;
    return b;
}

int64_t tsl_poisson_spectrum_bytes(const tsl_poisson_problem *problem)
{
    return tsl_poisson_entries(&problem->grid) *
           (problem->grid.tabulated ? (int64_t)problem->grid.precision : (int64_t)sizeof(double));
}

int64_t tsl_poisson_build_bytes(const tsl_context *context, const tsl_poisson_problem *problem)
{
    if (!problem->grid.tabulated) {
        return 0;
    }
    const builder b = builder_of(NULL, problem);
    const int64_t a_thread = plane_numbers(&b) + LANES * (int64_t)b.row;
    const int64_t waves = is_wire(problem) ? b.keep[periodic_axis(problem)] : 0;
    return (held_numbers(&b) + context->threads * a_thread) * (int64_t)sizeof(double) +
           waves * (int64_t)sizeof(tsl_green_wave);
}

/* ---- boxes without a free axis -------------------------------------------------------------- */

static void build_symbols(double *symbols, const tsl_poisson_problem *p)
{
    for (int axis = 0; axis < 3; axis++) {
        const double h = p->axis[axis].length / p->grid.n[axis];
        for (int i = 0; i <= p->grid.m[axis] / 2; i++) {
            const double k = 2 * M_PI * i / p->axis[axis].length;
            const double wave =
                p->symbol == TSL_POISSON_SPECTRAL ? k : 2 * sin(M_PI * i / p->grid.n[axis]) / h;
            *symbols++ = wave * wave;
        }
    }
}

/* ---- Green's function ----------------------------------------------------------------------- */

/* Its value, or its transform's, at one point of the octant. */
static double green_at(const builder *b, const int at[3])
{
    const tsl_poisson_problem *p = b->problem;
    double free2 = 0;
    double periodic2 = p->screening * p->screening;
    int free_axes = 0;
    if (p->kernel != TSL_POISSON_TRUNCATED) {
        const double d[3] = {at[0] * b->cell[0], at[1] * b->cell[1], at[2] * b->cell[2]};
        return b->cell[0] * b->cell[1] * b->cell[2] *
               (p->kernel == TSL_POISSON_POINT ? tsl_green_point(d, b->cell)
                                               : tsl_green_integrated(d, b->cell));
    }
    for (int axis = 0; axis < 3; axis++) {
        const double k = at[axis] * b->wave[axis];
        free_axes += p->axis[axis].free;
        *(p->axis[axis].free ? &free2 : &periodic2) += k * k;
    }
    switch (free_axes) {
    case 1:
        return tsl_green_slab(sqrt(free2), sqrt(periodic2), p->radius);
    case 2:
        return tsl_green_wire(sqrt(free2), &b->waves[at[periodic_axis(p)]], p->radius);
    default:
        return tsl_green_free(sqrt(free2), p->screening, p->radius);
    }
}

/* Half of each even line to half of its transform. */
static void transform_even(const builder *b, const tsl_fft *fft, double *lines, int length)
{
    for (int lane = 0; lane < LANES; lane++) {
        double *line = lines + (int64_t)lane * b->row;
        for (int i = length / 2 + 1; i < length; i++) {
            line[i] = line[length - i];
        }
    }
    tsl_fft_cpu.execute(fft, lines, lines);
    for (int lane = 0; lane < LANES; lane++) {
        double *line = lines + (int64_t)lane * b->row;
        for (int i = 1; i <= length / 2; i++) {
            line[i] = line[2 * i];
        }
    }
}

/* Lines of an axis: have[axis] points become keep[axis]. */
static void finish_lines(const builder *b, int axis, double *lines)
{
    if (b->inverse[axis] != NULL) {
        const int padded = b->problem->axis[axis].padded;
        transform_even(b, b->inverse[axis], lines, padded);
        for (int lane = 0; lane < LANES; lane++) {
            for (int i = 0; i < b->keep[axis]; i++) {
                lines[(int64_t)lane * b->row + i] /= padded;
            }
        }
    }
    if (b->forward[axis] != NULL) {
        transform_even(b, b->forward[axis], lines, b->problem->grid.m[axis]);
    }
}

/* One plane of the held axis: the first and the second axis. */
static void build_plane(const builder *b, int held, double *plane, double *lines)
{
    const int second = b->order[1];
    const int first = b->order[2];
    const int keep = b->keep[first];
    int at[3];
    at[b->order[0]] = held;
    for (int begin = 0; begin < b->have[second]; begin += LANES) {
        const int left = b->have[second] - begin;
        const int count = left < LANES ? left : LANES;
        for (int lane = 0; lane < count; lane++) {
            at[second] = begin + lane;
            for (at[first] = 0; at[first] < b->have[first]; at[first]++) {
                lines[(int64_t)lane * b->row + at[first]] = green_at(b, at);
            }
        }
        finish_lines(b, first, lines);
        for (int lane = 0; lane < count; lane++) {
            memcpy(plane + (int64_t)(begin + lane) * keep, lines + (int64_t)lane * b->row,
                   (size_t)keep * sizeof(double));
        }
    }
    double *to = b->held + (int64_t)held * b->keep[second] * keep;
    for (int begin = 0; begin < keep; begin += LANES) {
        const int left = keep - begin;
        const int count = left < LANES ? left : LANES;
        for (int i = 0; i < b->have[second]; i++) {
            for (int lane = 0; lane < count; lane++) {
                lines[(int64_t)lane * b->row + i] = plane[(int64_t)i * keep + begin + lane];
            }
        }
        finish_lines(b, second, lines);
        for (int i = 0; i < b->keep[second]; i++) {
            for (int lane = 0; lane < count; lane++) {
                to[(int64_t)i * keep + begin + lane] = lines[(int64_t)lane * b->row + i];
            }
        }
    }
}

/* The held axis of columns begin … begin + count - 1, into the spectrum. */
static void build_columns(const builder *b, void *spectrum, int64_t begin, int count, double *lines)
{
    const tsl_poisson_grid *grid = &b->problem->grid;
    const int held = b->order[0];
    const int keep = b->keep[b->order[2]];
    const int64_t columns = (int64_t)b->keep[b->order[1]] * keep;
    for (int i = 0; i < b->have[held]; i++) {
        for (int lane = 0; lane < count; lane++) {
            lines[(int64_t)lane * b->row + i] = b->held[i * columns + begin + lane];
        }
    }
    finish_lines(b, held, lines);
    for (int lane = 0; lane < count; lane++) {
        int at[3];
        at[b->order[1]] = (int)((begin + lane) / keep);
        at[b->order[2]] = (int)((begin + lane) % keep);
        for (at[held] = 0; at[held] < b->keep[held]; at[held]++) {
            const double value = grid->scale * lines[(int64_t)lane * b->row + at[held]];
            const int64_t entry = tsl_poisson_entry(grid, at[0], at[1], at[2]);
            if (grid->precision == TSL_SINGLE) {
                ((float *)spectrum)[entry] = (float)value;
            } else {
                ((double *)spectrum)[entry] = value;
            }
        }
    }
}

static void build_octant(const builder *b, void *spectrum)
{
    const int64_t columns = (int64_t)b->keep[b->order[1]] * b->keep[b->order[2]];
#pragma omp parallel num_threads(b->context->threads)
    {
        const int thread = omp_get_thread_num();
        double *plane = b->planes + thread * plane_numbers(b);
        double *lines = b->lines + (int64_t)thread * LANES * b->row;
        memset(lines, 0, (size_t)b->row * LANES * sizeof(double));
#pragma omp for schedule(dynamic)
        for (int held = 0; held < b->have[b->order[0]]; held++) {
            build_plane(b, held, plane, lines);
        }
#pragma omp for schedule(static)
        for (int64_t begin = 0; begin < columns; begin += LANES) {
            const int64_t left = columns - begin;
            build_columns(b, spectrum, begin, left < LANES ? (int)left : LANES, lines);
        }
    }
}

/* ---- memory and transforms ------------------------------------------------------------------ */

static tsl_status plan_line(tsl_fft **out, const builder *b, int length)
{
    const tsl_fft_description what = {.kind = TSL_FFT_REAL_FORWARD,
                                      .precision = TSL_DOUBLE,
                                      .rank = 1,
                                      .n = {length},
                                      .count = LANES,
                                      .in = {{length}, 1, b->row},
                                      .out = {{length / 2 + 1}, 1, b->row / 2},
                                      .in_place = true};
    return tsl_fft_cpu.create(out, b->context, &what);
}

static tsl_status prepare(builder *b)
{
    const tsl_poisson_problem *p = b->problem;
    const int threads = b->context->threads;
    tsl_status status = TSL_OK;
    b->held = tsl_allocate((size_t)held_numbers(b) * sizeof(double));
    b->planes = tsl_allocate((size_t)(threads * plane_numbers(b)) * sizeof(double));
    b->lines = tsl_allocate((size_t)threads * LANES * (size_t)b->row * sizeof(double));
    if (b->held == NULL || b->planes == NULL || b->lines == NULL) {
        return tsl_fail_memory(b->context, tsl_poisson_build_bytes(b->context, p),
                               "building Green's function");
    }
    if (is_wire(p)) {
        const int axis = periodic_axis(p);
        b->waves = tsl_allocate((size_t)b->keep[axis] * sizeof *b->waves);
        if (b->waves == NULL) {
            return tsl_fail_memory(b->context, b->keep[axis] * (int64_t)sizeof *b->waves,
                                   "the waves along a wire");
        }
        for (int i = 0; i < b->keep[axis]; i++) {
            b->waves[i] = tsl_green_wave_of(hypot(i * b->wave[axis], p->screening), p->radius);
        }
    }
    for (int axis = 0; axis < 3 && status == TSL_OK; axis++) {
        if (p->axis[axis].padded > 0) {
            status = plan_line(&b->inverse[axis], b, p->axis[axis].padded);
        }
        if (status == TSL_OK && p->axis[axis].free) {
            status = plan_line(&b->forward[axis], b, p->grid.m[axis]);
        }
    }
    return status;
}

tsl_status tsl_poisson_build(void *spectrum, tsl_context *context,
                             const tsl_poisson_problem *problem)
{
    if (!problem->grid.tabulated) {
        build_symbols(spectrum, problem);
        return TSL_OK;
    }
    builder b = builder_of(context, problem);
    memset(spectrum, 0, (size_t)tsl_poisson_spectrum_bytes(problem)); /* the last block's rest */
    const tsl_status status = prepare(&b);
    if (status == TSL_OK) {
        build_octant(&b, spectrum);
    }
    for (int axis = 0; axis < 3; axis++) {
        tsl_fft_cpu.destroy(b.inverse[axis]);
        tsl_fft_cpu.destroy(b.forward[axis]);
    }
    tsl_release(b.held);
    tsl_release(b.planes);
    tsl_release(b.lines);
    tsl_release(b.waves);
    return status;
}
