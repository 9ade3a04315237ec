/* A solve in a periodic box on the CPU beside FFTW's own two transforms of the same field, real to
 * complex and back, in place, in the same run: one of each in turn.
 *
 *     poisson N [THREADS [REPEATS]]
 *
 * The customary count of operations is 2 * 15 N^3 log2 N; bytes are those of source and potential.
 * Without FFTW's threads (libfftw3_omp) it is compared on one thread only.
 */
#include <fftw3.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "tesela/buffer.h"
#include "tesela/poisson.h"

typedef struct bench {
    int n, threads, repeats;
    tsl_context *context;
    tsl_poisson_plan *plan;
    tsl_buffer *source, *potential;
    fftw_plan forward, backward;
    double *field; /* [n][n][2 (n / 2 + 1)] */
} bench;

static tsl_status prepare(bench *b)
{
    tsl_context_options of_context = TSL_CONTEXT_OPTIONS_INIT;
    tsl_poisson_options options = TSL_POISSON_OPTIONS_INIT;
    const int64_t cells = (int64_t)b->n * b->n * b->n;
    of_context.device = "cpu";
    of_context.threads = b->threads;
    options.background = 1;
    for (int axis = 0; axis < 3; axis++) {
        options.n[axis] = b->n;
        options.lengths[axis] = 1;
    }
    tsl_status status = tsl_context_create(&b->context, &of_context);
    if (status == TSL_OK) {
        status = tsl_poisson_plan_create(&b->plan, b->context, &options);
    }
    if (status == TSL_OK) {
        status = tsl_buffer_create(&b->source, b->context, 8 * cells);
    }
    if (status == TSL_OK) {
        status = tsl_buffer_create(&b->potential, b->context, 8 * cells);
    }
    double *values = status == TSL_OK ? tsl_buffer_data(b->source) : NULL;
    for (int64_t i = 0; i < cells && status == TSL_OK; i++) {
        values[i] = sin(0.001 * (double)i);
    }
    return status;
}

/* FFTW's threads are OpenMP's, as the solver's. */
static bool prepare_fftw(bench *b)
{
    const int64_t numbers = (int64_t)b->n * b->n * 2 * (b->n / 2 + 1);
#ifdef TSL_HAVE_FFTW_THREADS
    fftw_init_threads();
    fftw_plan_with_nthreads(b->threads);
#endif
    b->field = fftw_malloc((size_t)numbers * sizeof *b->field);
    if (b->field == NULL) {
        return false;
    }
    fftw_complex *waves = (fftw_complex *)b->field;
    b->forward = fftw_plan_dft_r2c_3d(b->n, b->n, b->n, b->field, waves, FFTW_MEASURE);
    b->backward = fftw_plan_dft_c2r_3d(b->n, b->n, b->n, waves, b->field, FFTW_MEASURE);
    for (int64_t i = 0; i < numbers; i++) {
        b->field[i] = 0;
    }
    return b->forward != NULL && b->backward != NULL;
}

static void print(const bench *b, const bench_times *times, double reference)
{
    const double cells = pow(b->n, 3);
    const double seconds = 1e-3 * bench_median(times, b->repeats);
    printf("%-18s %9.2f ms %7.2f Gflop/s %6.2f GB/s", times->name, 1e3 * seconds,
           1e-9 * 2 * 15 * cells * log2(b->n) / seconds, 1e-9 * 2 * 8 * cells / seconds);
    printf(reference > 0 ? "   %.3f of FFTW's time\n" : "\n", 1e3 * seconds / reference);
}

static tsl_status measure(bench *b, bench_times *solves, bench_times *transforms, bool compared)
{
    tsl_status status = TSL_OK;
    for (int i = -1; i < b->repeats && status == TSL_OK; i++) { /* one to warm up */
        const double begun = tsl_seconds();
        status =
            tsl_poisson_execute(b->plan, tsl_buffer_data(b->potential), tsl_buffer_data(b->source));
        const double between = tsl_seconds();
        if (compared) {
            fftw_execute(b->forward);
            fftw_execute(b->backward);
        }
        if (i >= 0) {
            solves->ms[i] = 1e3 * (between - begun);
            transforms->ms[i] = 1e3 * (tsl_seconds() - between);
        }
    }
    return status;
}

int main(int argc, char **argv)
{
    static bench_times solves = {.name = "solve"}, transforms = {.name = "FFTW, there, back"};
    bench b = {.n = argc > 1 ? atoi(argv[1]) : 0,
               .threads = argc > 2 ? atoi(argv[2]) : 1,
               .repeats = argc > 3 ? atoi(argv[3]) : 11};
    bool compared = true;
    if (b.n < 2 || b.n > 1024 || b.threads < 1 || b.repeats < 1 || b.repeats > BENCH_REPEATS) {
        fprintf(stderr, "usage: poisson N [THREADS [REPEATS]]\n");
        return 2;
    }
#ifndef TSL_HAVE_FFTW_THREADS
    compared = b.threads == 1;
#endif
    tsl_status status = prepare(&b);
    if (status == TSL_OK && compared && !prepare_fftw(&b)) {
        fprintf(stderr, "poisson: FFTW has no plan or no memory\n");
        return 3;
    }
    if (status == TSL_OK) {
        status = measure(&b, &solves, &transforms, compared);
    }
    if (status != TSL_OK) {
        fprintf(stderr, "poisson: %s\n", tsl_last_error(b.context));
        return 3;
    }
    printf("%d^3, double precision, periodic, %d threads, median of %d\n", b.n, b.threads,
           b.repeats);
    print(&b, &solves, compared ? bench_median(&transforms, b.repeats) : 0);
    if (compared) {
        print(&b, &transforms, 0);
    }
    fftw_destroy_plan(b.forward);
    fftw_destroy_plan(b.backward);
    fftw_free(b.field);
    tsl_poisson_plan_destroy(b.plan);
    tsl_buffer_destroy(b.source);
    tsl_buffer_destroy(b.potential);
    tsl_context_destroy(b.context);
    return 0;
}
