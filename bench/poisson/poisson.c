/* A solve in a periodic box on the CPU beside FFTW's own two transforms of the same field, real to
 * complex and back, in place, in the same run: one of each in turn.
 *
 *     poisson N [THREADS [REPEATS [P Q]]]
 *     mpirun -n 2 poisson N …
 *
 * Of several ranks the time is the slowest one's; FFTW-MPI's transforms leave the spectrum
 * transposed, which saves it two of four exchanges. P Q: pencils. The customary count of operations
 * is 2 * 15 N^3 log2 N; bytes are those of source and potential. Where FFTW's threads
 * (libfftw3_omp) or FFTW-MPI (libfftw3_mpi) were not found when this was built, there is no
 * comparison.
 */
#include <fftw3.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef TSL_HAVE_FFTW_MPI
#include <fftw3-mpi.h>
#endif

#include "bench.h"
#include "comm/comm.h"
#include "tesela/buffer.h"
#include "tesela/poisson.h"

typedef struct bench {
    int n, threads, repeats;
    int ranks[2];
    bool compared;
    tsl_comm *comm;
    tsl_context *context;
    tsl_poisson_plan *plan;
    tsl_poisson_summary summary;
    tsl_buffer *source, *potential;
    fftw_plan forward, backward;
    double *field; /* [n][n][2 (n / 2 + 1)] */
} bench;

static tsl_status prepare(bench *b)
{
    tsl_context_options of_context = TSL_CONTEXT_OPTIONS_INIT;
    tsl_poisson_options options = TSL_POISSON_OPTIONS_INIT;
    tsl_box box = {{0, 0, 0}, {0, 0, 0}};
    of_context.device = "cpu";
    of_context.threads = b->threads;
    of_context.comm = b->comm;
    options.background = 1;
    for (int axis = 0; axis < 3; axis++) {
        options.n[axis] = b->n;
        options.lengths[axis] = 1;
    }
    options.ranks[0] = b->ranks[0];
    options.ranks[1] = b->ranks[1];
    tsl_status status = tsl_context_create(&b->context, &of_context);
    if (status == TSL_OK) {
        status = tsl_poisson_box(&box, b->context, &options);
    }
    if (status == TSL_OK) {
        status = tsl_poisson_plan_create(&b->plan, b->context, &options);
    }
    const int64_t cells = (box.end[0] - box.begin[0]) * (box.end[1] - box.begin[1]) * b->n;
    if (status == TSL_OK) {
        tsl_poisson_plan_summary(b->plan, &b->summary);
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
    int64_t numbers = (int64_t)b->n * b->n * 2 * (b->n / 2 + 1);
#ifdef TSL_HAVE_FFTW_THREADS
    fftw_init_threads();
#endif
#ifdef TSL_HAVE_FFTW_MPI
    ptrdiff_t planes, first;
    if (b->comm->size > 1) {
        fftw_mpi_init();
        numbers =
            2 * fftw_mpi_local_size_3d(b->n, b->n, b->n / 2 + 1, MPI_COMM_WORLD, &planes, &first);
    }
#endif
#ifdef TSL_HAVE_FFTW_THREADS
    fftw_plan_with_nthreads(b->threads);
#endif
    b->field = fftw_malloc((size_t)numbers * sizeof *b->field);
    if (b->field == NULL) {
        return false;
    }
    fftw_complex *waves = (fftw_complex *)b->field;
    if (b->comm->size == 1) {
        b->forward = fftw_plan_dft_r2c_3d(b->n, b->n, b->n, b->field, waves, FFTW_MEASURE);
        b->backward = fftw_plan_dft_c2r_3d(b->n, b->n, b->n, waves, b->field, FFTW_MEASURE);
    }
#ifdef TSL_HAVE_FFTW_MPI
    if (b->comm->size > 1) {
        b->forward = fftw_mpi_plan_dft_r2c_3d(b->n, b->n, b->n, b->field, waves, MPI_COMM_WORLD,
                                              (unsigned)FFTW_MEASURE | FFTW_MPI_TRANSPOSED_OUT);
        b->backward = fftw_mpi_plan_dft_c2r_3d(b->n, b->n, b->n, waves, b->field, MPI_COMM_WORLD,
                                               (unsigned)FFTW_MEASURE | FFTW_MPI_TRANSPOSED_IN);
    }
#endif
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
    if (reference > 0) {
        printf("   %.3f of FFTW's time", 1e3 * seconds / reference);
    }
    printf("\n");
}

/* Milliseconds since `begun`, on the slowest rank. */
static tsl_status measure_to(const bench *b, double *ms, double begun)
{
    *ms = 1e3 * (tsl_seconds() - begun);
    return tsl_comm_all_reduce(b->comm, NULL, ms, 1, TSL_COMM_DOUBLE, TSL_COMM_MAX);
}

static tsl_status measure(bench *b, bench_times *solves, bench_times *transforms)
{
    tsl_status status = TSL_OK;
    for (int i = -1; i < b->repeats && status == TSL_OK; i++) { /* one to warm up */
        const int to = i > 0 ? i : 0;
        double begun = tsl_seconds();
        status =
            tsl_poisson_execute(b->plan, tsl_buffer_data(b->potential), tsl_buffer_data(b->source));
        if (status == TSL_OK) {
            status = measure_to(b, &solves->ms[to], begun);
        }
        begun = tsl_seconds();
        if (b->compared && status == TSL_OK) {
            fftw_execute(b->forward);
            fftw_execute(b->backward);
            status = measure_to(b, &transforms->ms[to], begun);
        }
    }
    return status;
}

static bool parse(bench *b, int argc, char **argv)
{
    *b = (bench){.n = argc > 1 ? atoi(argv[1]) : 0,
                 .threads = argc > 2 ? atoi(argv[2]) : 1,
                 .repeats = argc > 3 ? atoi(argv[3]) : 11,
                 .ranks = {argc > 5 ? atoi(argv[4]) : 0, argc > 5 ? atoi(argv[5]) : 0},
                 .compared = true};
    return b->n >= 2 && b->n <= 1024 && b->threads >= 1 && b->repeats >= 1 &&
           b->repeats <= BENCH_REPEATS;
}

static tsl_status run(bench *b)
{
    static bench_times solves = {.name = "solve"}, transforms = {.name = "FFTW, there, back"};
#ifndef TSL_HAVE_FFTW_THREADS
    b->compared = b->compared && b->threads == 1;
#endif
#ifndef TSL_HAVE_FFTW_MPI
    b->compared = b->compared && b->comm->size == 1;
#endif
    tsl_status status = prepare(b);
    if (status == TSL_OK && b->compared && !prepare_fftw(b)) {
        return tsl_fail(b->context, TSL_E_NOMEM, "FFTW has no plan or no memory");
    }
    if (status == TSL_OK) {
        status = measure(b, &solves, &transforms);
    }
    if (status == TSL_OK && b->comm->rank == 0) {
        printf("%d^3, double precision, periodic, %d x %d ranks of %d threads, segments %d%s, "
               "median of %d\n",
               b->n, b->summary.ranks[0], b->summary.ranks[1], b->threads, b->summary.segments,
               b->summary.overlap ? " overlapped" : "", b->repeats);
        print(b, &solves, b->compared ? bench_median(&transforms, b->repeats) : 0);
        if (b->compared) {
            print(b, &transforms, 0);
        }
    }
    return status;
}

int main(int argc, char **argv)
{
    bench b;
    if (!parse(&b, argc, argv)) {
        fprintf(stderr, "usage: poisson N [THREADS [REPEATS [P Q]]]\n");
        return 2;
    }
    if (tsl_comm_create(&b.comm) != TSL_OK) {
        fprintf(stderr, "poisson: %s\n", tsl_last_error(NULL));
        return 3;
    }
    const tsl_status status = run(&b);
    if (status != TSL_OK) {
        fprintf(stderr, "poisson: %s\n", tsl_last_error(b.context));
        tsl_comm_fail(b.comm, status, tsl_last_error(b.context));
    }
    fftw_destroy_plan(b.forward);
    fftw_destroy_plan(b.backward);
    fftw_free(b.field);
    tsl_poisson_plan_destroy(b.plan);
    tsl_buffer_destroy(b.source);
    tsl_buffer_destroy(b.potential);
    tsl_context_destroy(b.context);
    tsl_comm_destroy(b.comm);
    return status == TSL_OK ? 0 : 3;
}
