/* A solve on a device beside its library's plain transforms, in the same run.
 *
 *     poisson_device DEVICE N[xNxN] [BOUNDARY [BYTES [alone]]]
 *     poisson_device cuda:0 512 fff
 *
 * BOUNDARY: p or f for each axis (ppp). BYTES of a number: 8 or 4. `alone`: in place, compared with
 * nothing. What a solve is compared with otherwise is a plain solve (transform, product, transform
 * back, all in memory) of the periodic box that a free one is padded to, and, of periodic boxes,
 * the two transforms alone. Bytes are those of the plan, in fields; passes are the time in copies
 * of the field by the device, in the same run. What plan and arrays take of the device's memory is
 * what it has less free than before; memory that is kept for passing loans counts as free.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "blocks/fft/fft.h"
#include "comm/gpu/peer.h"
#include "core/context.h"
#include "device/device.h"
#include "tesela/poisson.h"

enum { COMPARED_CELLS = 1 << 28 }; /* of results that come to the host, at most */

typedef struct bench {
    tsl_context *context;
    tsl_poisson_options options;
    const char *boundary;
    int64_t unused; /* bytes of the device's memory, before anything was taken */
    double copy;    /* seconds of a copy of the field */
    double seconds; /* of the solve that others are compared with */
} bench;

typedef struct solve {
    tsl_poisson_plan *plan;
    tsl_poisson_summary summary;
    void *source, *potential; /* potential: NULL to solve in place */
} solve;

static int64_t bytes_of(const tsl_poisson_options *o)
{
    return o->n[0] * o->n[1] * o->n[2] * o->precision;
}

static tsl_status solve_once(void *user)
{
    const solve *s = user;
    return tsl_poisson_execute(s->plan, s->potential != NULL ? s->potential : s->source, s->source);
}

static double in_fields(const tsl_poisson_options *o, int64_t bytes)
{
    return (double)bytes / (double)bytes_of(o);
}

static tsl_status find_unused(int64_t *out, const bench *b)
{
    tsl_device_properties properties = {.memory_free = 0};
    const tsl_status status = tsl_device_read_properties(b->context, &properties);
    *out = properties.memory_free;
    return status;
}

/* After a solve, all of whose memory is taken still. */
static tsl_status print_memory(const bench *b, bool in_place)
{
    const int64_t arrays = (in_place ? 1 : 2) * bytes_of(&b->options);
    tsl_poisson_summary foreseen;
    int64_t unused = 0;
    tsl_status status = tsl_poisson_predict(&foreseen, b->context, &b->options);
    if (status == TSL_OK) {
        status = find_unused(&unused, b);
    }
    if (status == TSL_OK) {
        const double predicted = in_fields(&b->options, foreseen.bytes + arrays);
        const double taken = in_fields(&b->options, b->unused - unused);
        printf("  memory of plan and %-15s %9.4f fields, predicted %.4f, %+.2f %%\n",
               in_place ? "field" : "two fields", taken, predicted, 100 * (predicted / taken - 1));
    }
    return status;
}

static void print(const bench *b, const char *what, double seconds, const char *more)
{
    printf("  %-34s %9.4f ms %6.2f passes", what, 1e3 * seconds, seconds / b->copy);
    if (b->seconds > 0) {
        printf("   share %.3f", b->seconds / seconds);
    }
    printf("  %s\n", more);
    fflush(stdout);
}

typedef struct halves {
    tsl_context *context;
    tsl_peer_copy copy;
} halves;

static tsl_status copy_once(void *user)
{
    const halves *h = user;
    return h->context->ops->peer->copy(h->context, &h->copy, 1);
}

/* The field's first half over its second. */
static tsl_status measure_copy(bench *b, void *field)
{
    const int64_t bytes = bytes_of(&b->options) / 32 * 16;
    halves h = {
        b->context,
        {.to = b->context, .source = field, .target = (char *)field + bytes, .bytes = bytes}};
    tsl_status status = copy_once(&h);
    if (status == TSL_OK) {
        status = tsl_device_time(&b->copy, b->context, copy_once, &h, 0.1);
    }
    if (status == TSL_OK) {
        const double rate = 2 * (double)bytes / b->copy;
        b->copy *= (double)bytes_of(&b->options) / (double)bytes;
        printf("  %-34s %9.4f ms %6.2f TB/s\n", "a copy of the field", 1e3 * b->copy, 1e-12 * rate);
    }
    return status;
}

/* Noise, repeated every 2 MiB; the mean is a background's. */
static tsl_status fill_source(const bench *b, void *source, int64_t bytes)
{
    enum { PIECE = 1 << 21 };
    char *piece = malloc(PIECE);
    uint64_t seed = 1;
    tsl_status status = piece != NULL ? TSL_OK : TSL_E_NOMEM;
    for (int64_t i = 0; i < PIECE / b->options.precision && status == TSL_OK; i++) {
        seed = seed * 6364136223846793005U + 1442695040888963407U;
        const double value = (double)(seed >> 11) * 0x1p-53 - 0.5;
        if (b->options.precision == 4) {
            ((float *)(void *)piece)[i] = (float)value;
        } else {
            ((double *)(void *)piece)[i] = value;
        }
    }
    for (int64_t at = 0; at < bytes && status == TSL_OK; at += PIECE) {
        status = b->context->ops->upload(b->context, (char *)source + at, piece,
                                         bytes - at < PIECE ? bytes - at : PIECE);
    }
    free(piece);
    return status;
}

static tsl_status open_solve(solve *s, bench *b, const tsl_poisson_options *options, bool in_place)
{
    const int64_t bytes = bytes_of(options);
    *s = (solve){.plan = NULL};
    tsl_status status = tsl_poisson_plan_create(&s->plan, b->context, options);
    if (status == TSL_OK) {
        tsl_poisson_plan_summary(s->plan, &s->summary);
        status = tsl_device_allocate(&s->source, b->context, bytes, "a source");
    }
    if (status == TSL_OK && !in_place) {
        status = tsl_device_allocate(&s->potential, b->context, bytes, "a potential");
    }
    return status == TSL_OK ? fill_source(b, s->source, bytes) : status;
}

static void close_solve(solve *s, const bench *b)
{
    tsl_poisson_plan_destroy(s->plan);
    tsl_device_release(b->context, s->source);
    tsl_device_release(b->context, s->potential);
}

static tsl_status time_solve(double *seconds, bench *b, solve *s)
{
    const tsl_status status = solve_once(s);
    return status == TSL_OK ? tsl_device_time(seconds, b->context, solve_once, s, 0.1) : status;
}

typedef struct pair {
    const tsl_fft_ops *ops;
    tsl_fft *there, *back;
    void *field, *waves;
} pair;

static tsl_status transform_once(void *user)
{
    const pair *p = user;
    const tsl_status status = p->ops->execute(p->there, p->field, p->waves);
    return status == TSL_OK ? p->ops->execute(p->back, p->waves, p->field) : status;
}

/* The library's transform of the field to an array of its own, and back. */
static tsl_status measure_transforms(bench *b)
{
    const tsl_poisson_options *o = &b->options;
    const int n[3] = {(int)o->n[0], (int)o->n[1], (int)o->n[2]};
    const int half = n[2] / 2 + 1;
    const int64_t waves = o->n[0] * o->n[1] * half * 2 * o->precision;
    tsl_fft_description what = {.kind = TSL_FFT_REAL_FORWARD,
                                .precision = (tsl_precision)o->precision,
                                .rank = 3,
                                .n = {n[0], n[1], n[2]},
                                .count = 1,
                                .in = {{n[0], n[1], n[2]}, 1, 1},
                                .out = {{n[0], n[1], half}, 1, 1}};
    pair p = {.ops = b->context->ops->fft};
    double seconds = 0;
    tsl_status status = tsl_device_allocate(&p.field, b->context, bytes_of(o), "a field");
    if (status == TSL_OK) {
        status = tsl_device_allocate(&p.waves, b->context, waves, "waves");
    }
    if (status == TSL_OK) {
        status = p.ops->create(&p.there, b->context, &what);
    }
    const tsl_fft_layout field = what.in;
    what.kind = TSL_FFT_REAL_BACKWARD;
    what.in = what.out;
    what.out = field;
    if (status == TSL_OK) {
        status = p.ops->create(&p.back, b->context, &what);
    }
    if (status == TSL_OK) {
        status = b->context->ops->fill(b->context, p.field, 0, bytes_of(o));
    }
    if (status == TSL_OK) {
        status = transform_once(&p);
    }
    if (status == TSL_OK) {
        status = tsl_device_time(&seconds, b->context, transform_once, &p, 0.1);
    }
    if (status == TSL_OK) {
        print(b, "library's transforms, there, back", seconds, "");
    }
    p.ops->destroy(p.there);
    p.ops->destroy(p.back);
    tsl_device_release(b->context, p.field);
    tsl_device_release(b->context, p.waves);
    return status;
}

/* Largest difference of two results, by the largest of the second. */
static tsl_status difference(double *out, const bench *b, const void *one, const void *two)
{
    const int64_t bytes = bytes_of(&b->options);
    const int64_t count = bytes / b->options.precision;
    void *host[2] = {malloc((size_t)bytes), malloc((size_t)bytes)};
    tsl_status status = host[0] != NULL && host[1] != NULL ? TSL_OK : TSL_E_NOMEM;
    double worst = 0, largest = 0;
    for (int i = 0; i < 2 && status == TSL_OK; i++) {
        status = b->context->ops->download(b->context, host[i], i == 0 ? one : two, bytes);
    }
    for (int64_t i = 0; i < count && status == TSL_OK; i++) {
        const bool single = b->options.precision == 4;
        const double u = single ? (double)((float *)host[0])[i] : ((double *)host[0])[i];
        const double v = single ? (double)((float *)host[1])[i] : ((double *)host[1])[i];
        if (!isfinite(u) || !isfinite(v)) {
            worst = INFINITY;
            break;
        }
        worst = fmax(worst, fabs(u - v));
        largest = fmax(largest, fabs(v));
    }
    *out = worst / largest;
    free(host[0]);
    free(host[1]);
    return status;
}

/* Measure the plain form on the box that was solved by lines, and compare the two results. */
static tsl_status measure_plain(bench *b, const solve *lines)
{
    tsl_poisson_options o = b->options;
    solve plain;
    char more[96] = "";
    double seconds = 0, off = 0;
    o.plain = 1;
    tsl_status status = open_solve(&plain, b, &o, false);
    if (status == TSL_OK) {
        status = time_solve(&seconds, b, &plain);
    }
    if (status == TSL_OK && bytes_of(&o) / o.precision <= COMPARED_CELLS) {
        status = difference(&off, b, lines->potential, plain.potential);
        snprintf(more, sizeof more, "%.2f fields, differs by %.1e",
                 in_fields(&o, plain.summary.bytes), off);
        if (!(off <= (o.precision == 4 ? 1e-4 : 1e-12))) {
            status = tsl_fail(b->context, TSL_E_INTERNAL, "both forms differ by %g", off);
        }
    }
    if (status == TSL_OK) {
        print(b, "the same, plain", seconds, more);
    }
    close_solve(&plain, b);
    return status;
}

/* A plain solve of the padded box. */
static tsl_status measure_padded(bench *b)
{
    tsl_poisson_options o = b->options;
    solve padded;
    char what[64];
    double seconds = 0;
    o.plain = 1;
    o.background = 1;
    for (int axis = 0; axis < 3; axis++) {
        o.n[axis] *= o.boundary[axis] == TSL_BOUNDARY_FREE ? 2 : 1;
        o.boundary[axis] = TSL_BOUNDARY_PERIODIC;
    }
    tsl_status status = open_solve(&padded, b, &o, false);
    if (status == TSL_OK) {
        status = time_solve(&seconds, b, &padded);
    }
    if (status == TSL_OK) {
        snprintf(what, sizeof what, "padded, plain: %lld x %lld x %lld", (long long)o.n[0],
                 (long long)o.n[1], (long long)o.n[2]);
        print(b, what, seconds, "");
    }
    close_solve(&padded, b);
    return status;
}

static tsl_status run(bench *b, bool alone)
{
    const bool periodic = strcmp(b->boundary, "ppp") == 0;
    solve lines = {.plan = NULL};
    char more[64];
    double seconds = 0;
    tsl_status status = find_unused(&b->unused, b);
    if (status == TSL_OK) {
        status = open_solve(&lines, b, &b->options, alone);
    }
    if (status == TSL_OK) {
        status = measure_copy(b, alone ? lines.source : lines.potential);
    }
    if (status == TSL_OK) {
        status = time_solve(&seconds, b, &lines);
    }
    if (status == TSL_OK) {
        snprintf(more, sizeof more, "%.3f fields", in_fields(&b->options, lines.summary.bytes));
        print(b, "solve, by lines", seconds, more);
        b->seconds = seconds;
    }
    if (status == TSL_OK) {
        status = print_memory(b, alone);
    }
    if (status == TSL_OK && !alone) {
        status = measure_plain(b, &lines);
    }
    close_solve(&lines, b);
    if (status == TSL_OK && !alone) {
        status = periodic ? measure_transforms(b) : measure_padded(b);
    }
    return status;
}

static bool parse(bench *b, int argc, char **argv)
{
    const tsl_poisson_options start = TSL_POISSON_OPTIONS_INIT;
    long long n[3] = {0, 0, 0};
    b->options = start;
    b->options.plain = -1;
    b->boundary = argc > 3 ? argv[3] : "ppp";
    b->options.precision = argc > 4 ? atoi(argv[4]) : 8;
    const int numbers = argc > 2 ? sscanf(argv[2], "%lldx%lldx%lld", &n[0], &n[1], &n[2]) : 0;
    for (int axis = 0; axis < 3; axis++) {
        b->options.n[axis] = n[numbers == 3 ? axis : 0];
        b->options.lengths[axis] = (double)b->options.n[axis];
        b->options.boundary[axis] =
            b->boundary[axis] == 'f' ? TSL_BOUNDARY_FREE : TSL_BOUNDARY_PERIODIC;
    }
    b->options.background = strcmp(b->boundary, "ppp") == 0;
    return strlen(b->boundary) == 3 && (numbers == 1 || numbers == 3);
}

int main(int argc, char **argv)
{
    bench b = {.context = NULL};
    tsl_context_options of_context = TSL_CONTEXT_OPTIONS_INIT;
    if (argc < 3 || argc > 6 || !parse(&b, argc, argv)) {
        fprintf(stderr, "usage: poisson_device DEVICE N[xNxN] [BOUNDARY [BYTES [alone]]]\n");
        return 2;
    }
    of_context.device = argv[1];
    if (tsl_context_create(&b.context, &of_context) != TSL_OK) {
        fprintf(stderr, "poisson_device: %s\n", tsl_last_error(NULL));
        return 3;
    }
    printf("%s, %s, %d bytes a number, %s\n", argv[2], b.boundary, b.options.precision,
           tsl_context_device(b.context));
    const tsl_status status = run(&b, argc > 5);
    if (status != TSL_OK) {
        fprintf(stderr, "poisson_device: %s\n", tsl_last_error(b.context));
    }
    tsl_context_destroy(b.context);
    return status == TSL_OK ? 0 : 3;
}
