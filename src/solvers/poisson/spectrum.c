/* The spectrum of a Green's function, built once a plan, in double precision.
 *
 * A truncated kernel is known by its transform on a grid of `padded` points along each free axis.
 * What a solve needs is that grid's inverse transform at the differences of samples, transformed
 * again with length m. All is even in all axes, so one octant stands for the whole; and both
 * transforms act on one axis at a time, so the padded octant never exists: two axes are finished
 * plane by plane, the third, the one that is padded least, last. Kernels in space begin at the
 * second transform, and along periodic axes nothing happens.
 *
 * Of several ranks each does its share of planes, hands all others what they keep of them, and
 * finishes its own part; kz being shared, the third axis is then the first or the second. */
#include <omp.h>
#include <string.h>

#include "comm/comm.h"
#include "core/context.h"
#include "solvers/poisson/poisson.h"

enum {
    LANES = 8,  /* lines transformed together: the numbers of a cache line */
    PLANES = 16 /* of a rank between two exchanges */
};

/* The part of a plane of the octant that a rank keeps: ranges of the second and the first axis. */
typedef struct cut {
    tsl_poisson_range second, first;
} cut;

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
    cut mine;
    double *held;     /* [have[order[0]]][mine.second][mine.first] */
    double *sent;     /* of several ranks: [rank][PLANES][its second][its first] */
    int64_t *numbers; /* and bytes, offsets sent, and received: [4][rank] */
    double *planes;   /* a thread's [have[order[1]]][keep[order[2]]] */
    double *lines;    /* a thread's [LANES][row] */
} builder;

static int64_t plane_numbers(const builder *b)
{
    return (int64_t)b->have[b->order[1]] * b->keep[b->order[2]];
}

/* Wavenumbers of an axis that a rank keeps. */
static tsl_poisson_range kept(const builder *b, int rank, int axis)
{
    const tsl_poisson_share *share = &b->problem->share;
    const tsl_poisson_grid *grid = &b->problem->grid;
    return axis == 0   ? (tsl_poisson_range){0, b->keep[0]}
           : axis == 1 ? tsl_poisson_octant_of(share, grid, rank / share->q)
                       : tsl_poisson_columns_of(share, grid, rank % share->q);
}

static cut cut_of(const builder *b, int rank)
{
    return (cut){kept(b, rank, b->order[1]), kept(b, rank, b->order[2])};
}

static int64_t cut_numbers(const cut *c)
{
    return (int64_t)c->second.count * c->first.count;
}

static int64_t held_numbers(const builder *b)
{
    return b->have[b->order[0]] * cut_numbers(&b->mine);
}

/* Planes go through a buffer where there is more than one rank. */
static int64_t sent_numbers(const builder *b)
{
    const int size = b->problem->share.size;
    int64_t numbers = 0;
    for (int q = 0; q < size && size > 1; q++) {
        const cut theirs = cut_of(b, q);
        numbers += PLANES * cut_numbers(&theirs);
    }
    return numbers;
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
        if ((axis < 2 || p->share.size == 1) && (double)b.have[axis] / b.keep[axis] < least) {
            least = (double)b.have[axis] / b.keep[axis];
            held = axis;
        }
    }
    b.order[0] = held;
    b.order[1] = held == 0 ? 1 : 0;
    b.order[2] = held == 2 ? 1 : 2;
    b.row = (2 * (longest / 2 + 1) + LANES - 1) / LANES * LANES;
    b.mine = cut_of(&b, p->share.rank);
    return b;
}

int64_t tsl_poisson_spectrum_bytes(const tsl_poisson_problem *problem)
{
    const int64_t bytes =
        tsl_poisson_entries(&problem->grid) *
        (problem->grid.tabulated ? (int64_t)problem->grid.precision : (int64_t)sizeof(double));
    return bytes > 0 ? bytes : (int64_t)sizeof(double); /* a rank without lines */
}

int64_t tsl_poisson_build_bytes(const tsl_context *context, const tsl_poisson_problem *problem)
{
    if (!problem->grid.tabulated) {
        return 0;
    }
    const builder b = builder_of(NULL, problem);
    const int64_t a_thread = plane_numbers(&b) + LANES * (int64_t)b.row;
    const int64_t waves = is_wire(problem) ? b.keep[periodic_axis(problem)] : 0;
    return (held_numbers(&b) + sent_numbers(&b) + context->threads * a_thread) *
               (int64_t)sizeof(double) +
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

/* Finished lines of the second axis, from column `begin` on, to the ranks that keep them: those of
 * a plane numbered `held`, or `slot` among what is sent. */
static void hand_out(const builder *b, int held, int slot, int begin, int count,
                     const double *lines)
{
    const int size = b->problem->share.size;
    double *part = b->sent;
    for (int q = 0; q < size; q++) {
        const cut theirs = cut_of(b, q);
        double *to =
            size == 1 ? b->held + held * cut_numbers(&theirs) : part + slot * cut_numbers(&theirs);
        for (int i = 0; i < theirs.second.count; i++) {
            for (int lane = 0; lane < count; lane++) {
                const int column = begin + lane - theirs.first.begin;
                if (column >= 0 && column < theirs.first.count) {
                    to[(int64_t)i * theirs.first.count + column] =
                        lines[(int64_t)lane * b->row + theirs.second.begin + i];
                }
            }
        }
        part += PLANES * cut_numbers(&theirs);
    }
}

/* One plane of the held axis: the first and the second axis. */
static void build_plane(const builder *b, int held, int slot, double *plane, double *lines)
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
    for (int begin = 0; begin < keep; begin += LANES) {
        const int left = keep - begin;
        const int count = left < LANES ? left : LANES;
        for (int i = 0; i < b->have[second]; i++) {
            for (int lane = 0; lane < count; lane++) {
                lines[(int64_t)lane * b->row + i] = plane[(int64_t)i * keep + begin + lane];
            }
        }
        finish_lines(b, second, lines);
        hand_out(b, held, slot, begin, count, lines);
    }
}

/* The held axis of columns begin … begin + count - 1, into the spectrum. */
static void build_columns(const builder *b, void *spectrum, int64_t begin, int count, double *lines)
{
    const tsl_poisson_grid *grid = &b->problem->grid;
    const int held = b->order[0];
    const int64_t columns = cut_numbers(&b->mine);
    const tsl_poisson_range mine = kept(b, b->problem->share.rank, held);
    for (int i = 0; i < b->have[held]; i++) {
        for (int lane = 0; lane < count; lane++) {
            lines[(int64_t)lane * b->row + i] = b->held[i * columns + begin + lane];
        }
    }
    finish_lines(b, held, lines);
    for (int lane = 0; lane < count; lane++) {
        int at[3];
        at[b->order[1]] = b->mine.second.begin + (int)((begin + lane) / b->mine.first.count);
        at[b->order[2]] = b->mine.first.begin + (int)((begin + lane) % b->mine.first.count);
        for (int i = mine.begin; i < mine.begin + mine.count; i++) {
            const double value = grid->scale * lines[(int64_t)lane * b->row + i];
            at[held] = i;
            const int64_t entry = tsl_poisson_entry(grid, at[0], at[1], at[2]);
            if (grid->precision == TSL_SINGLE) {
                ((float *)spectrum)[entry] = (float)value;
            } else {
                ((double *)spectrum)[entry] = value;
            }
        }
    }
}

/* `count` planes of the held axis from number `first` on. */
static void build_planes(const builder *b, int first, int count)
{
#pragma omp parallel num_threads(b->context->threads)
    {
        const int thread = omp_get_thread_num();
        double *plane = b->planes + thread * plane_numbers(b);
        double *lines = b->lines + (int64_t)thread * LANES * b->row;
        memset(lines, 0, (size_t)b->row * LANES * sizeof(double));
#pragma omp for schedule(dynamic)
        for (int slot = 0; slot < count; slot++) {
            build_plane(b, first + slot, slot, plane, lines);
        }
    }
}

/* Planes that rank q does in a round. */
static tsl_poisson_range planes_of(const builder *b, int round, int q)
{
    const int have = b->have[b->order[0]];
    const int64_t begin = ((int64_t)round * b->problem->share.size + q) * PLANES;
    const int64_t left = have - begin;
    return (tsl_poisson_range){begin < have ? (int)begin : have, left < 0        ? 0
                                                                 : left < PLANES ? (int)left
                                                                                 : PLANES};
}

/* All planes of all ranks in turn; what this rank keeps of them comes in their order. */
static tsl_status exchange_planes(const builder *b)
{
    const int size = b->problem->share.size;
    const int rank = b->problem->share.rank;
    const int64_t a_plane = cut_numbers(&b->mine) * (int64_t)sizeof(double);
    int64_t *numbers[4];
    tsl_status status = TSL_OK;
    for (int i = 0; i < 4; i++) {
        numbers[i] = b->numbers + (int64_t)i * size;
    }
    const tsl_comm_parts send = {b->sent, numbers[0], numbers[1]};
    const tsl_comm_parts receive = {b->held, numbers[2], numbers[3]};
    for (int round = 0; status == TSL_OK && planes_of(b, round, 0).count > 0; round++) {
        const tsl_poisson_range mine = planes_of(b, round, rank);
        int64_t offset = 0;
        for (int q = 0; q < size; q++) {
            const cut theirs = cut_of(b, q);
            const tsl_poisson_range planes = planes_of(b, round, q);
            numbers[0][q] = mine.count * cut_numbers(&theirs) * (int64_t)sizeof(double);
            numbers[1][q] = offset;
            numbers[2][q] = planes.count * a_plane;
            numbers[3][q] = planes.begin * a_plane;
            offset += PLANES * cut_numbers(&theirs) * (int64_t)sizeof(double);
        }
        build_planes(b, mine.begin, mine.count);
        status = tsl_comm_all_to_all(b->context->comm, NULL, &send, &receive);
    }
    return status;
}

static tsl_status build_octant(const builder *b, void *spectrum)
{
    const int64_t columns = cut_numbers(&b->mine);
    tsl_status status = TSL_OK;
    if (b->problem->share.size == 1) {
        build_planes(b, 0, b->have[b->order[0]]);
    } else {
        status = exchange_planes(b);
    }
#pragma omp parallel for num_threads(tsl_threads_for(b->context, columns * b->row)) schedule(static)
    for (int64_t begin = 0; begin < columns; begin += LANES) {
        const int64_t left = columns - begin;
        double *lines = b->lines + (int64_t)omp_get_thread_num() * LANES * b->row;
        build_columns(b, spectrum, begin, left < LANES ? (int)left : LANES, lines);
    }
    return status;
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
                                      .in_place = true,
                                      .estimate = b->problem->grid.estimate};
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
    b->sent = tsl_allocate((size_t)sent_numbers(b) * sizeof(double));
    b->numbers = tsl_allocate(4 * (size_t)p->share.size * sizeof *b->numbers);
    if (b->held == NULL || b->planes == NULL || b->lines == NULL || b->sent == NULL ||
        b->numbers == NULL) {
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
    tsl_status status = tsl_comm_agree(context, prepare(&b));
    if (status == TSL_OK) {
        status = build_octant(&b, spectrum);
    }
    for (int axis = 0; axis < 3; axis++) {
        tsl_fft_cpu.destroy(b.inverse[axis]);
        tsl_fft_cpu.destroy(b.forward[axis]);
    }
    tsl_release(b.held);
    tsl_release(b.planes);
    tsl_release(b.lines);
    tsl_release(b.sent);
    tsl_release(b.numbers);
    tsl_release(b.waves);
    return status;
}
