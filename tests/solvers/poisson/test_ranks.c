/* Poisson's equation over ranks: every way of sharing gives the answer of one rank, and plane waves
 * come out. tests/mpi/test_poisson.sh runs the same on processes. */
/* ctest: cost 60, full with sanitizers */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comm/comm.h"
#include "device/plugin.h"
#include "solvers/poisson/box.h"

#include <math.h>

#ifdef __SANITIZE_THREAD__
enum { MOST_THREADS = 1 }; /* it does not know how OpenMP's threads wait */
#else
enum { MOST_THREADS = 2 };
#endif
enum { MOST_RANKS = 7 };

/* How ranks share; 0: chosen. */
typedef struct way {
    int ranks[2], segments, overlap;
    int boxes;  /* 0: shares; 1: bricks of its own each; 2: all on the last rank; 3: in and out
                 * apart; 4: shares, and the way measured; 5: shares of the fastest way */
    int form;   /* -1: by the device's own lines where it can; 2: strided, of periodic boxes */
    bool fewer; /* other ranks have no part */
    tsl_poisson_path path;
} way;

typedef struct problem {
    int n[3], precision;
    const char *boundary;
    double lengths[3];
    double bound; /* of the largest difference from one rank's answer, relative */
} problem;

/* Uneven shares, fewer planes than ranks, primes, all mixes of boundaries. */
static const problem problems[] = {
    {{12, 10, 14}, 8, "ppp", {1, 2, 3}, 1e-13}, {{5, 7, 11}, 8, "ppp", {1, 1, 2}, 1e-13},
    {{2, 1024, 2}, 8, "ppp", {1, 1, 1}, 1e-13}, {{16, 12, 40}, 4, "ppp", {1, 1, 2}, 1e-6},
    {{5, 9, 38}, 8, "ppf", {1, 1, 2}, 1e-13},   {{9, 5, 12}, 8, "pfp", {1, 1, 2}, 1e-13},
    {{6, 12, 9}, 8, "fpp", {1, 1, 1}, 1e-13},   {{8, 7, 20}, 8, "pff", {1, 1, 2}, 1e-13},
    {{7, 12, 16}, 8, "fpf", {1, 2, 1}, 1e-13},  {{10, 4, 9}, 8, "ffp", {2, 1, 1}, 1e-13},
    {{9, 10, 11}, 8, "fff", {1, 1, 1}, 1e-13},  {{12, 5, 30}, 4, "fff", {2, 1, 4}, 1e-6},
    {{3, 2, 70}, 8, "fff", {1, 1, 9}, 1e-13},   {{1, 1, 6}, 8, "ppp", {1, 1, 1}, 1e-13},
    {{12, 10, 24}, 8, "ppp", {1, 1, 1}, 1e-13}, {{13, 17, 19}, 8, "ppp", {1, 1, 1}, 1e-13},
};

static tsl_poisson_options options_of(const problem *p)
{
    tsl_poisson_options options = box_options(p->n, p->lengths, p->boundary);
    options.precision = p->precision;
    options.background = strcmp(p->boundary, "ppp") == 0;
    options.count = 2;
    return options;
}

static int64_t edge(const tsl_box *box, int axis)
{
    return box->end[axis] - box->begin[axis];
}

static int64_t cells_in(const tsl_box *box)
{
    return edge(box, 0) * edge(box, 1) * edge(box, 2);
}

/* Slices of an axis, the last rank first, the first rank nothing where there are three or more. */
static tsl_box slice_of(const int n[3], int axis, int rank, int size)
{
    const int turned = size - 1 - rank;
    const int parts = size > 2 ? size - 1 : size;
    tsl_box box = {{0, 0, 0}, {n[0], n[1], n[2]}};
    box.begin[axis] = turned < parts ? (int64_t)n[axis] * turned / parts : n[axis];
    box.end[axis] = turned < parts ? (int64_t)n[axis] * (turned + 1) / parts : n[axis];
    return box;
}

static void set_boxes(tsl_poisson_options *o, const problem *p, int kind, int rank, int size)
{
    static const tsl_box none = {{0, 0, 1}, {0, 0, 1}};
    if (kind == 1 || kind == 3) {
        o->source_box = slice_of(p->n, 2, rank, size);
        o->potential_box = slice_of(p->n, kind == 1 ? 2 : 1, rank, size);
    } else if (kind == 2) {
        o->source_box = none;
        if (rank == size - 1) {
            o->source_box = (tsl_box){{0, 0, 0}, {p->n[0], p->n[1], p->n[2]}};
        }
        o->potential_box = o->source_box;
    }
}

/* Between a whole grid of doubles and a box of it in the plan's precision. */
static void copy_box(const problem *p, const tsl_box *box, double *grid, void *array, bool there)
{
    int64_t i = 0;
    for (int64_t x = box->begin[0]; x < box->end[0]; x++) {
        for (int64_t y = box->begin[1]; y < box->end[1]; y++) {
            for (int64_t z = box->begin[2]; z < box->end[2]; z++, i++) {
                double *cell = grid + (x * p->n[1] + y) * p->n[2] + z;
                if (p->precision == 8) {
                    double *number = (double *)array + i;
                    *(there ? number : cell) = there ? *cell : *number;
                } else if (there) {
                    ((float *)array)[i] = (float)*cell;
                } else {
                    *cell = (double)((float *)array)[i];
                }
            }
        }
    }
}

/* ---- a rank --------------------------------------------------------------------------------- */

static const way all_ways[] = {
    {{0, 0}, 0, 0, 0, 0, false, TSL_POISSON_DIRECT},
    {{0, 0}, 1, -1, 1, 0, false, TSL_POISSON_DIRECT},
    {{0, 0}, 2, 1, 2, 0, false, TSL_POISSON_DIRECT},
    {{0, 0}, 0, 1, 3, 0, false, TSL_POISSON_DIRECT},
    {{0, 0}, 0, 0, 4, 0, false, TSL_POISSON_DIRECT},
    {{0, 0}, 0, 0, 5, 0, false, TSL_POISSON_DIRECT},
    {{1, 1}, 3, 1, 1, 0, false, TSL_POISSON_DIRECT},
    {{1, 2}, 3, -1, 0, 0, false, TSL_POISSON_DIRECT},
    {{2, 1}, 3, 1, 0, 0, false, TSL_POISSON_DIRECT},
    {{1, 3}, 3, 1, 1, 0, false, TSL_POISSON_DIRECT},
    {{3, 1}, 0, -1, 0, 0, false, TSL_POISSON_DIRECT},
    {{1, 4}, 2, 1, 0, 0, false, TSL_POISSON_DIRECT},
    {{2, 2}, 3, 1, 0, 0, false, TSL_POISSON_DIRECT},
    {{2, 2}, 0, -1, 3, 0, false, TSL_POISSON_DIRECT},
    {{4, 1}, 3, 1, 0, 0, false, TSL_POISSON_DIRECT},
    {{1, 7}, 2, 1, 0, 0, false, TSL_POISSON_DIRECT},
    {{7, 1}, 2, -1, 0, 0, false, TSL_POISSON_DIRECT},
    {{0, 0}, 3, 1, 0, -1, false, TSL_POISSON_DIRECT},
    {{0, 0}, 2, -1, 3, -1, false, TSL_POISSON_DIRECT},
    {{0, 0}, 0, 0, 0, 2, false, TSL_POISSON_DIRECT},
    {{2, 2}, 2, -1, 1, 2, false, TSL_POISSON_DIRECT},
    {{1, 1}, 0, 0, 0, 0, true, TSL_POISSON_DIRECT},
    {{2, 1}, 2, 1, 1, -1, true, TSL_POISSON_DIRECT},
    {{1, 2}, 0, 0, 3, 0, true, TSL_POISSON_DIRECT},
    {{2, 2}, 3, 1, 0, 0, true, TSL_POISSON_DIRECT},
    {{0, 0}, 3, 1, 0, 0, false, TSL_POISSON_STAGED},
    {{0, 0}, 2, -1, 3, -1, false, TSL_POISSON_STAGED},
    {{1, 3}, 3, 1, 1, 0, false, TSL_POISSON_STAGED},
    {{2, 2}, 3, 1, 0, 0, false, TSL_POISSON_STAGED},
    {{2, 1}, 2, 1, 0, -1, true, TSL_POISSON_STAGED},
    {{0, 0}, 3, 1, 0, 0, false, TSL_POISSON_DATATYPES},
    {{0, 0}, 0, -1, 3, 0, false, TSL_POISSON_DATATYPES},
    {{1, 3}, 3, 1, 1, 0, false, TSL_POISSON_DATATYPES},
    {{2, 2}, 3, 1, 0, 0, false, TSL_POISSON_DATATYPES},
    {{1, 2}, 2, -1, 0, 0, true, TSL_POISSON_DATATYPES},
};
enum { PROBLEMS = sizeof problems / sizeof *problems, WAYS = sizeof all_ways / sizeof *all_ways };

/* What ranks are to find: sources and the answers of one rank, [count][cells] of each problem. */
typedef struct known {
    double *source[PROBLEMS];
    double *potential[PROBLEMS];
    double *field[PROBLEMS]; /* [3] of these: along each axis */
    double energy[PROBLEMS][2];
} known;

typedef struct trial {
    const known *answers;
    const char *device;
    int threads;
    int step; /* every so manyth problem */
} trial;

static tsl_status wrong(tsl_comm *comm, const problem *p, const way *w, const char *what,
                        double value)
{
    char line[256];
    snprintf(line, sizeof line,
             "%d x %d x %d %s, ranks %d x %d, segments %d, overlap %d, boxes %d, path %d: %s %g",
             p->n[0], p->n[1], p->n[2], p->boundary, w->ranks[0], w->ranks[1], w->segments,
             w->overlap, w->boxes, (int)w->path, what, value);
    return tsl_comm_fail(comm, TSL_E_INTERNAL, line);
}

/* Compare this rank's two boxes with one rank's answer. */
static tsl_status near(tsl_comm *comm, const problem *p, const way *w, const char *what,
                       const double *wanted, const tsl_box *box, char *boxes)
{
    const int64_t cells = (int64_t)p->n[0] * p->n[1] * p->n[2];
    double *found = tsl_allocate(sizeof *found * (size_t)cells);
    double scale = 0, worst = 0;
    for (int i = 0; i < 2; i++) {
        memcpy(found, wanted + i * cells, sizeof *found * (size_t)cells);
        copy_box(p, box, found, boxes + i * cells_in(box) * p->precision, false);
        for (int64_t j = 0; j < cells; j++) {
            const double error = fabs(found[j] - wanted[i * cells + j]);
            worst = error <= worst ? worst : isnan(error) ? HUGE_VAL : error;
            scale = fmax(scale, fabs(wanted[i * cells + j]));
        }
    }
    tsl_release(found);
    return worst <= p->bound * scale ? TSL_OK : wrong(comm, p, w, what, worst / scale);
}

/* Two right-hand sides of a rank, on the host and on its device. */
typedef struct arrays {
    int64_t in, out; /* bytes of one */
    char *host;
    void *source, *potential;
} arrays;

static void release(tsl_context *context, arrays *a)
{
    tsl_release(a->host);
    tsl_device_release(context, a->source);
    tsl_device_release(context, a->potential);
}

static tsl_status send_source(tsl_context *context, const arrays *a, const trial *t, int number,
                              const tsl_box *box)
{
    const problem *p = &problems[number];
    const int64_t cells = (int64_t)p->n[0] * p->n[1] * p->n[2];
    for (int i = 0; i < 2; i++) {
        copy_box(p, box, t->answers->source[number] + i * cells, a->host + i * a->in, true);
    }
    return context->ops->upload(context, a->source, a->host, 2 * a->in);
}

static tsl_status make_arrays(arrays *a, tsl_context *context, const trial *t, int number,
                              const tsl_box boxes[2])
{
    const int precision = problems[number].precision;
    *a = (arrays){.in = cells_in(&boxes[0]) * precision, .out = cells_in(&boxes[1]) * precision};
    a->host = tsl_allocate((size_t)(2 * (a->in + a->out) + 1));
    tsl_status status = tsl_device_allocate(&a->source, context, 2 * a->in + 64, "a test");
    if (status == TSL_OK) {
        status = tsl_device_allocate(&a->potential, context, 2 * a->out + 64, "a test");
    }
    return status == TSL_OK ? send_source(context, a, t, number, &boxes[0]) : status;
}

/* Compare `found`, on the device, with one rank's answer. */
static tsl_status check(tsl_context *context, const arrays *a, const problem *p, const way *w,
                        const char *what, const double *wanted, const tsl_box *box,
                        const void *found)
{
    const tsl_status status = context->ops->download(context, a->host, found, 2 * a->out);
    return status == TSL_OK ? near(context->comm, p, w, what, wanted, box, a->host) : status;
}

/* Twice; the second time in place where that is allowed. */
static tsl_status check_potential(tsl_context *context, const arrays *a, const trial *t, int number,
                                  const way *w, tsl_poisson_plan *plan, const tsl_box boxes[2])
{
    const problem *p = &problems[number];
    void *second = w->boxes == 3 ? a->potential : a->source;
    tsl_status status = tsl_poisson_execute(plan, a->potential, a->source);
    const int64_t allocated = context->memory.asked;
    if (status == TSL_OK) {
        status = check(context, a, p, w, "differs by", t->answers->potential[number], &boxes[1],
                       a->potential);
    }
    if (status == TSL_OK) {
        status = tsl_poisson_execute(plan, second, a->source);
    }
    if (status == TSL_OK && context->memory.asked != allocated) {
        status = wrong(context->comm, p, w, "device allocations", 1);
    }
    return status == TSL_OK ? check(context, a, p, w, "in place differs by",
                                    t->answers->potential[number], &boxes[1], second)
                            : status;
}

static tsl_status check_energy(tsl_context *context, const arrays *a, const trial *t, int number,
                               const way *w, tsl_poisson_plan *plan)
{
    const problem *p = &problems[number];
    double energies[2] = {0};
    tsl_status status = tsl_poisson_energy(plan, energies, a->potential, a->source);
    if (w->boxes == 3 && context->comm->size > 1) {
        return status == TSL_E_ARG ? TSL_OK
                                   : wrong(context->comm, p, w, "energy of different boxes", 0);
    }
    for (int i = 0; i < 2 && status == TSL_OK; i++) {
        const double wanted = t->answers->energy[number][i];
        if (!(fabs(energies[i] - wanted) <= 10 * p->bound * fabs(wanted))) {
            status = wrong(context->comm, p, w, "energy", energies[i] / wanted);
        }
    }
    return status;
}

/* Solve, and compare this rank's box with one rank's answer. */
static tsl_status compare(tsl_context *context, const trial *t, int number, const way *w,
                          tsl_poisson_plan *plan, const tsl_box boxes[2])
{
    const problem *p = &problems[number];
    const int axis = number % 3;
    const int64_t cells = (int64_t)p->n[0] * p->n[1] * p->n[2];
    arrays a;
    tsl_status status = make_arrays(&a, context, t, number, boxes);
    if (status == TSL_OK) {
        status = check_potential(context, &a, t, number, w, plan, boxes);
    }
    if (status == TSL_OK) { /* it may have become the potential */
        status = send_source(context, &a, t, number, &boxes[0]);
    }
    if (status == TSL_OK) {
        status = check_energy(context, &a, t, number, w, plan);
    }
    if (status == TSL_OK) {
        status = tsl_poisson_field(plan, axis, a.potential, a.source);
    }
    if (status == TSL_OK) {
        status =
            check(context, &a, p, w, "field differs by",
                  t->answers->field[number] + (int64_t)axis * 2 * cells, &boxes[1], a.potential);
    }
    release(context, &a);
    return status;
}

static tsl_status solve(tsl_context *context, const trial *t, int number, const way *w)
{
    tsl_comm *comm = context->comm;
    const problem *p = &problems[number];
    tsl_poisson_options options = options_of(p);
    tsl_poisson_plan *plan = NULL;
    tsl_poisson_summary predicted, taken;
    memcpy(options.ranks, w->ranks, sizeof options.ranks);
    options.segments = w->segments;
    options.overlap = w->overlap;
    options.plain = w->form;
    options.measure = w->boxes >= 4;
    options.path = w->path;
    if (w->form == -1 && tsl_poisson_predict(&predicted, context, &options) == TSL_E_ARG) {
        options.plain = 0;
    }
    set_boxes(&options, p, w->boxes, comm->rank, comm->size);
    tsl_box boxes[2] = {options.source_box, options.potential_box};
    tsl_status status = w->boxes == 5 ? tsl_poisson_tune(&options, context) : TSL_OK;
    if (status == TSL_OK && (w->boxes == 0 || w->boxes >= 4)) {
        status = tsl_poisson_box(&boxes[0], context, &options);
        boxes[1] = boxes[0];
    }
    if (status == TSL_OK) {
        status = tsl_poisson_predict(&predicted, context, &options);
    }
    if (status == TSL_OK) {
        status = tsl_poisson_plan_create(&plan, context, &options);
    }
    if (status == TSL_OK) {
        tsl_poisson_plan_summary(plan, &taken);
        if ((w->boxes != 4 && memcmp(&predicted, &taken, sizeof taken) != 0) ||
            taken.ranks[0] * taken.ranks[1] > comm->size) {
            status = wrong(comm, p, w, "predicted otherwise", (double)taken.bytes);
        }
    }
    if (status == TSL_OK) {
        status = compare(context, t, number, w, plan, boxes);
    }
    tsl_poisson_plan_destroy(plan);
    return status;
}

/* Ranks take the GPUs in turn. */
static const char *device_of(char *text, size_t bytes, const char *device, int rank)
{
    char reason[512];
    int gpus = 0;
    if (strncmp(device, "cuda", 4) != 0 || tsl_plugin_cuda(&gpus, reason, sizeof reason) == NULL) {
        return device;
    }
    snprintf(text, bytes, "cuda:%d", rank % gpus);
    return text;
}

/* Can ranks on the device share a problem so? */
static bool can(const tsl_context *context, const problem *p, const way *w)
{
    const int ranks = w->ranks[0] * w->ranks[1];
    const int size = context->comm->size;
    const bool goes =
        w->path == TSL_POISSON_DIRECT ||
        (size > 1 && (w->path == TSL_POISSON_STAGED) == (context->ops->peer != NULL) &&
         (w->path == TSL_POISSON_STAGED || tsl_comm_has_strided(context->comm)));
    if (w->form == 2 && strcmp(p->boundary, "ppp") != 0) {
        return false;
    }
    return goes && (ranks == size || ranks == 0 || (ranks < size && w->fewer));
}

/* All ways in which so many ranks can share all problems. */
static tsl_status try_ways(tsl_comm *comm, void *user)
{
    const trial *t = user;
    tsl_context_options options = TSL_CONTEXT_OPTIONS_INIT;
    tsl_context *context = NULL;
    char device[32];
    options.device = device_of(device, sizeof device, t->device, comm->rank);
    options.threads = t->threads;
    options.comm = comm;
    tsl_status status = tsl_context_create(&context, &options);
    for (int number = t->step - 1; number < PROBLEMS; number += t->step) {
        for (int i = 0; i < WAYS && status == TSL_OK; i++) {
            if (can(context, &problems[number], &all_ways[i])) {
                status = solve(context, t, number, &all_ways[i]);
            }
        }
    }
    if (status != TSL_OK && status != TSL_E_COMM) {
        tsl_comm_fail(comm, status, tsl_last_error(context));
    }
    tsl_context_destroy(context);
    return status;
}

/* ---- one rank's answers --------------------------------------------------------------------- */

static void solve_alone(known *answers, int number)
{
    const problem *p = &problems[number];
    tsl_poisson_options options = options_of(p);
    tsl_context *context = test_context("cpu", 1);
    const int64_t count = 2 * box_cells(&options);
    double *source = malloc((size_t)count * sizeof *source);
    uint64_t seed = 5;
    for (int64_t i = 0; i < count; i++) {
        source[i] = (double)(float)(1 + test_uniform(&seed));
    }
    answers->source[number] = source;
    answers->potential[number] = box_solve(context, &options, source);
    answers->field[number] = box_field(context, &options, source);
    for (int i = 0; i < 2; i++) {
        double sum = 0;
        double volume = 0.5;
        for (int axis = 0; axis < 3; axis++) {
            volume *= p->lengths[axis] / p->n[axis];
        }
        for (int64_t j = i * count / 2; j < (i + 1) * count / 2; j++) {
            sum += source[j] * answers->potential[number][j];
        }
        answers->energy[number][i] = volume * sum;
    }
    tsl_context_destroy(context);
}

static void find_answers(known *answers, int step)
{
    memset(answers, 0, sizeof *answers);
    for (int number = step - 1; number < PROBLEMS; number += step) {
        solve_alone(answers, number);
    }
}

static void release_answers(known *answers)
{
    for (int number = 0; number < PROBLEMS; number++) {
        free(answers->source[number]);
        free(answers->potential[number]);
        free(answers->field[number]);
    }
}

static void ranks_give_the_answer_of_one(void **state)
{
    (void)state;
    static const int sizes[] = {1, 2, 3, 4, 7};
    known answers;
    const int devices = test_device_count();
    find_answers(&answers, 1);
    for (int d = 0; d < devices; d++) {
        const char *device = test_devices[d];
        for (int i = d > 0; i < 5 && !test_is_another_order(device); i++) {
            const int most = d == 0 && sizes[i] < 3 ? MOST_THREADS : 1;
            for (int threads = 1; threads <= most; threads++) {
                trial t = {&answers, device, threads, d == 0 ? 1 : 3};
                if (tsl_comm_run(sizes[i], try_ways, &t) != TSL_OK) {
                    fail_msg("%d ranks on %s, %d threads: %s", sizes[i], device, threads,
                             tsl_last_error(NULL));
                }
            }
        }
    }
    release_answers(&answers);
}

/* ---- waves ---------------------------------------------------------------------------------- */

/* A plane wave of a periodic box, on ranks alone: no other solve is asked. */
static tsl_status try_wave(tsl_comm *comm, void *user)
{
    static const double lengths[3] = {2, 3, 5};
    static const int n[3] = {20, 18, 15};
    (void)user;
    tsl_context_options options = TSL_CONTEXT_OPTIONS_INIT;
    tsl_context *context = NULL;
    tsl_poisson_plan *plan = NULL;
    tsl_poisson_options o = box_options(n, lengths, "ppp");
    tsl_box box;
    o.equation = TSL_POISSON_PLAIN;
    options.device = "cpu";
    options.threads = 1;
    options.comm = comm;
    double *cells = tsl_allocate(sizeof *cells * 20 * 18 * 15);
    double worst = 0, k2 = 0;
    static const int m[3] = {3, -5, 2};
    for (int axis = 0; axis < 3; axis++) {
        k2 += pow(2 * M_PI * m[axis] / lengths[axis], 2);
    }
    tsl_status status = tsl_context_create(&context, &options);
    if (status == TSL_OK) {
        status = tsl_poisson_box(&box, context, &o);
    }
    if (status == TSL_OK) {
        status = tsl_poisson_plan_create(&plan, context, &o);
    }
    for (int pass = 0; pass < 2 && status == TSL_OK; pass++) {
        int64_t i = 0;
        for (int64_t x = box.begin[0]; x < box.end[0]; x++) {
            for (int64_t y = box.begin[1]; y < box.end[1]; y++) {
                for (int64_t z = box.begin[2]; z < box.end[2]; z++, i++) {
                    const double wave =
                        cos(0.3 + 2 * M_PI *
                                      ((double)(m[0] * x) / n[0] + (double)(m[1] * y) / n[1] +
                                       (double)(m[2] * z) / n[2]));
                    if (pass == 0) {
                        cells[i] = wave;
                    } else {
                        worst = fmax(worst, fabs(cells[i] * k2 + wave));
                    }
                }
            }
        }
        if (pass == 0) {
            status = tsl_poisson_execute(plan, cells, cells);
        }
    }
    tsl_poisson_plan_destroy(plan);
    tsl_context_destroy(context);
    tsl_release(cells);
    return status != TSL_OK || worst < 1e-13 ? status : TSL_E_INTERNAL;
}

static void plane_waves_come_out_of_ranks(void **state)
{
    (void)state;
    for (int ranks = 1; ranks <= MOST_RANKS; ranks++) {
        assert_int_equal(tsl_comm_run(ranks, try_wave, NULL), TSL_OK);
    }
}

/* ---- processes ------------------------------------------------------------------------------ */

/* Run every `step`-th problem as a rank of tests/mpi/test_poisson.sh. */
static int launched(const char *device, int step)
{
    known answers;
    tsl_comm *comm = NULL;
    find_answers(&answers, step);
    trial t = {&answers, device, 1, step};
    if (tsl_comm_create(&comm) != TSL_OK || strcmp(tsl_comm_path(comm), "mpi") != 0) {
        fprintf(stderr, "no launch: %s\n", tsl_last_error(NULL));
        return 3;
    }
    tsl_status status = try_ways(comm, &t);
    if (status == TSL_OK) {
        status = try_wave(comm, NULL);
    }
    int rank = 0;
    const char *reason = tsl_comm_failure(comm, &rank, &status);
    if (reason != NULL) {
        fprintf(stderr, "rank %d: %s\n", rank, reason);
    }
    tsl_comm_destroy(comm);
    release_answers(&answers);
    return status == TSL_OK ? 0 : 1;
}

int main(int argc, char **argv)
{
    if (argc > 1) { /* launched [DEVICE] */
        return launched(argc > 2 ? argv[2] : "cpu", argc > 2 ? PROBLEMS : 3);
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(ranks_give_the_answer_of_one),
                                       cmocka_unit_test(plane_waves_come_out_of_ranks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
