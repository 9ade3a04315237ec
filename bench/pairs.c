/* Pairwise work on a device: condensed distances beside a fill of the same bytes, neighbours of a
 * fluid, Lennard-Jones forces of all pairs, nearest points, and triplets by two maps.
 *
 *     pairs [DEVICE [POINTS [PARTICLES [ATOMS [VECTORS [TRIPLETS]]]]]]
 *
 * DEVICE: cpu. POINTS: at most, of distances: 65536. PARTICLES: of the fluid: 1000000. ATOMS: of
 * forces: 262144. VECTORS: of 128 coordinates, whose nearest are looked for: 65536. TRIPLETS:
 * points whose triples are added up: 2000. 0 leaves one out. Samples of each result are compared
 * with double precision; the exit status is 1 if one is wrong. Beside the time of distances stands
 * that of the same by differences of coordinates, which are not compared. On a GPU, and where the
 * build has cuBLAS, those of its products of all pairs and of PyTorch's steps by it follow. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "core/core.h"
#include "core/profile.h"
#include "device/device.h"
#include "pairs_cublas.h"
#include "solvers/pairs/pairs.h"
#include "tesela/pairs.h"
#include "tesela/simplex.h"

enum { SAMPLES = 500, FEW_POINTS = 1024 };

typedef struct job {
    tsl_distance_plan *plan;
    tsl_buffer *out;
    int64_t count;
} job;

static tsl_status compute(void *user)
{
    const job *j = user;
    return tsl_distance_execute(j->plan, j->out, 0, j->count);
}

static tsl_status fill(void *user)
{
    const job *j = user;
    return tsl_buffer_fill(j->out, 1);
}

static double uniform(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*seed >> 11) * 0x1p-53;
}

static void *random_values(int64_t count, int precision, double scale)
{
    uint64_t seed = 1;
    void *values = malloc((size_t)(count * precision));
    for (int64_t e = 0; values != NULL && e < count; e++) {
        const double x = scale * uniform(&seed);
        if (precision == 4) {
            ((float *)values)[e] = (float)x;
        } else {
            ((double *)values)[e] = x;
        }
    }
    return values;
}

static double get(const void *values, int precision, int64_t e)
{
    return precision == 4 ? (double)((const float *)values)[e] : ((const double *)values)[e];
}

/* The largest relative error of some elements. */
static tsl_status largest_error(double *out, const job *j, const tsl_points *points)
{
    uint64_t seed = 2;
    const int d = points->dimensions;
    *out = 0;
    for (int s = 0; s < SAMPLES; s++) {
        const int64_t k = (int64_t)(uniform(&seed) * (double)j->count);
        const int64_t i = tsl_condensed_row(points->count, k);
        const int64_t column = k - tsl_condensed_base(points->count, i);
        double value = 0, sum = 0;
        char bytes[8];
        const tsl_status status =
            tsl_buffer_read(j->out, k * points->precision, bytes, points->precision);
        if (status != TSL_OK) {
            return status;
        }
        value = get(bytes, points->precision, 0);
        for (int c = 0; c < d; c++) {
            const double from = get(points->values, points->precision, i * d + c) -
                                get(points->values, points->precision, column * d + c);
            sum += from * from;
        }
        *out = fmax(*out, fabs(value - sqrt(sum)) / sqrt(sum));
    }
    return TSL_OK;
}

static bool has_cublas(const tsl_context *context)
{
#ifdef TSL_HAVE_CUBLAS
    return strncmp(tsl_context_device(context), "cuda:", 5) == 0;
#else
    (void)context;
    return false;
#endif
}

/* The columns of pairs_cublas(). */
static void print_cublas(const void *values, int64_t n, int d, int precision)
{
#ifdef TSL_HAVE_CUBLAS
    double seconds[2];
    const char *error = pairs_cublas(seconds, values, n, d, precision);
    if (error == NULL) {
        printf(" %9.3f %10.3f", 1e3 * seconds[0], 1e3 * seconds[1]);
    } else {
        printf(" cuBLAS: %s", error);
    }
#else
    (void)values, (void)n, (void)d, (void)precision;
#endif
}

/* Time the same distances by differences of coordinates. */
static tsl_status time_differences(double *seconds, tsl_context *context, const tsl_points *points,
                                   const job *by_default)
{
    tsl_distance_options options = TSL_DISTANCE_OPTIONS_INIT;
    job j = *by_default;
    options.differences = 1;
    tsl_status status = tsl_distance_plan_create(&j.plan, context, &options, points, NULL);
    if (status == TSL_OK) {
        status = compute(&j);
    }
    if (status == TSL_OK) {
        status = tsl_device_time(seconds, context, compute, &j, 0.05);
    }
    tsl_distance_plan_destroy(j.plan);
    return status;
}

static tsl_status measure(tsl_context *context, int64_t n, int d, int precision, bool *right)
{
    job j = {NULL, NULL, 0};
    double seconds = 0, filled = 0, error = 0, differences = 0;
    void *values = random_values(n * d, precision, 1);
    const tsl_points points = {values, n, d, precision, NULL};
    tsl_status status = values != NULL
                            ? tsl_distance_plan_create(&j.plan, context, NULL, &points, NULL)
                            : tsl_fail_memory(context, n * d * precision, "points");
    if (status == TSL_OK) {
        j.count = tsl_distance_plan_count(j.plan);
        status = tsl_buffer_create(&j.out, context, j.count * precision);
    }
    if (status == TSL_OK) {
        status = compute(&j);
    }
    if (status == TSL_OK) {
        status = tsl_device_time(&seconds, context, compute, &j, 0.05);
    }
    if (status == TSL_OK) {
        status = largest_error(&error, &j, &points);
    }
    if (status == TSL_OK) {
        status = tsl_device_time(&filled, context, fill, &j, 0.05);
    }
    if (status == TSL_OK) {
        status = time_differences(&differences, context, &points, &j);
    }
    if (status == TSL_OK) {
        const bool ok = error <= (precision == 8 ? 1e-13 : d >= 128 ? 3e-6 : 1e-6);
        printf("%8lld %5d %-7s %10.3f %9.4f %8.3f %9.3f %8.2e %s %10.3f", (long long)n, d,
               precision == 4 ? "single" : "double", 1e3 * seconds, 1e9 * seconds / (double)j.count,
               (double)j.count * precision / seconds * 1e-12, filled / seconds, error,
               ok ? "right" : "wrong", 1e3 * differences);
        *right &= ok;
    }
    tsl_buffer_destroy(j.out);
    tsl_distance_plan_destroy(j.plan);
    if (status == TSL_OK) {
        if (has_cublas(context)) {
            print_cublas(values, n, d, precision);
        }
        printf("\n");
        fflush(stdout);
    }
    free(values);
    return status;
}

/* A fluid of reduced density 0.844, cut off at 2.8 diameters: 78 neighbours a particle. */
static tsl_status measure_neighbors(tsl_context *context, int64_t n, bool *right)
{
    const double edge = cbrt((double)n / 0.844);
    const double box[6] = {edge, edge, edge, 0, 0, 0};
    tsl_neighbors found;
    tsl_neighbor_options options = TSL_NEIGHBOR_OPTIONS_INIT;
    void *values = random_values(3 * n, 4, edge);
    const tsl_points points = {values, n, 3, 4, NULL};
    options.cutoff = 2.8;
    options.box = box;
    if (values == NULL) {
        return tsl_fail_memory(context, 12 * n, "points");
    }
    tsl_status status = TSL_OK;
    for (int half = 0; half < 2 && status == TSL_OK; half++) {
        double least[3] = {INFINITY, INFINITY, INFINITY};
        int64_t entries = 0;
        options.half = half;
        for (int run = 0; run < 3 && status == TSL_OK; run++) {
            status = tsl_neighbors_find(&found, context, &options, &points);
            for (int k = 0; k < 3 && status == TSL_OK; k++) {
                least[k] = fmin(least[k], found.seconds[k]);
            }
            if (status == TSL_OK) {
                entries = found.indptr[n];
                tsl_neighbors_release(&found);
            }
        }
        const double expected = 0.844 * 4 / 3 * M_PI * 2.8 * 2.8 * 2.8 * (half ? 0.5 : 1);
        const double each = (double)entries / (double)n;
        *right &= status != TSL_OK || fabs(each - expected) < 0.02 * expected + 1;
        printf(
            "%lld particles, %s: %.2f neighbours each (%.2f expected), ms: sort %.2f, count %.2f, "
            "fill %.2f\n",
            (long long)n, half ? "half" : "full", each, expected, 1e3 * least[0], 1e3 * least[1],
            1e3 * least[2]);
    }
    free(values);
    return status;
}

typedef struct search_job {
    tsl_context *context;
    tsl_neighbor_plan *plan;
    tsl_buffer *points;
    tsl_neighbor_arrays found;
} search_job;

static tsl_status search(void *user)
{
    search_job *j = user;
    return tsl_neighbor_plan_execute(&j->found, j->plan, j->points);
}

/* The fluid of measure_neighbors() with points and lists on the device: full lists in the order of
 * cells, first without distances, then with them. */
static tsl_status measure_plan(tsl_context *context, int64_t n, bool *right)
{
    const double edge = cbrt((double)n / 0.844);
    const double box[6] = {edge, edge, edge, 0, 0, 0};
    tsl_neighbor_options options = TSL_NEIGHBOR_OPTIONS_INIT;
    tsl_neighbors host = {.count = 0};
    search_job j = {.context = context};
    double seconds = 0;
    tsl_status status = TSL_OK;
    void *values = random_values(3 * n, 4, edge);
    const tsl_points points = {values, n, 3, 4, NULL};
    options.cutoff = 2.8;
    options.box = box;
    options.in_cells = 1;
    options.indices_only = 1;
    if (values == NULL) {
        return tsl_fail_memory(context, 12 * n, "points");
    }
    TSL_TRY(tsl_neighbors_find(&host, context, &options, &points));
    TSL_TRY(tsl_buffer_create(&j.points, context, 12 * n));
    TSL_TRY(tsl_buffer_write(j.points, 0, values, 12 * n));
    for (int distances = 0; distances < 2; distances++) {
        options.indices_only = !distances;
        TSL_TRY(tsl_neighbor_plan_create(&j.plan, context, &options, n, 3, 4));
        TSL_TRY(search(&j));
        TSL_TRY(tsl_device_time(&seconds, context, search, &j, 0.05));
        *right &= j.found.entries == host.indptr[n];
        printf("%lld particles, on the device, cell order, %s distances: %lld entries, %.3f ms\n",
               (long long)n, distances ? "with" : "without", (long long)j.found.entries,
               1e3 * seconds);
        fflush(stdout);
        tsl_neighbor_plan_destroy(j.plan);
        j.plan = NULL;
    }
done:
    tsl_neighbor_plan_destroy(j.plan);
    tsl_buffer_destroy(j.points);
    tsl_neighbors_release(&host);
    free(values);
    return status;
}

/* ---- energies ------------------------------------------------------------------------------- */

typedef struct energy_job {
    tsl_energy_plan *plan;
    tsl_buffer *points, *forces;
    tsl_energy found;
} energy_job;

static tsl_status sum_up(void *user)
{
    energy_job *j = user;
    return tsl_energy_execute(&j->found, j->plan, j->forces, j->points);
}

/* The largest error of a few forces, divided by the largest of these forces. */
static double force_error(const float *at, const float *forces, int64_t n)
{
    double worst = 0, largest = 0;
    uint64_t seed = 3;
    for (int s = 0; s < 20; s++) {
        const int64_t i = (int64_t)(uniform(&seed) * (double)n);
        double sum[3] = {0, 0, 0};
        for (int64_t j = 0; j < n; j++) {
            double d[3], square = 0;
            for (int c = 0; c < 3; c++) {
                d[c] = (double)at[3 * i + c] - (double)at[3 * j + c];
                square += d[c] * d[c];
            }
            const double sixth = 1 / (square * square * square);
            for (int c = 0; c < 3 && j != i; c++) {
                sum[c] += 24 * (2 * sixth * sixth - sixth) / square * d[c];
            }
        }
        for (int c = 0; c < 3; c++) {
            worst = fmax(worst, fabs(sum[c] - (double)forces[3 * i + c]));
            largest = fmax(largest, fabs(sum[c]));
        }
    }
    return worst / largest;
}

/* Atoms on a lattice, shaken. */
static tsl_status measure_energy(tsl_context *context, int64_t n, bool *right)
{
    energy_job j = {.plan = NULL};
    uint64_t seed = 1;
    double seconds = 0, error;
    float *at = malloc((size_t)(12 * n)), *forces = malloc((size_t)(12 * n));
    const int64_t side = (int64_t)ceil(cbrt((double)n) - 1e-9);
    tsl_status status = TSL_OK;
    if (at == NULL || forces == NULL) {
        status = tsl_fail_memory(context, 24 * n, "atoms");
        goto done;
    }
    for (int64_t e = 0; e < 3 * n; e++) {
        const int64_t i = e / 3, place[3] = {i / side / side, i / side % side, i % side};
        at[e] = (float)(1.06 * (double)place[e % 3] + 0.04 * (uniform(&seed) - 0.5));
    }
    TSL_TRY(tsl_energy_plan_create(&j.plan, context, NULL, n, 4));
    TSL_TRY(tsl_buffer_create(&j.points, context, 12 * n));
    TSL_TRY(tsl_buffer_create(&j.forces, context, 12 * n));
    TSL_TRY(tsl_buffer_write(j.points, 0, at, 12 * n));
    TSL_TRY(sum_up(&j));
    TSL_TRY(tsl_device_time(&seconds, context, sum_up, &j, 0.05));
    TSL_TRY(tsl_buffer_read(j.forces, 0, forces, 12 * n));
    error = force_error(at, forces, n);
    *right &= error < 1e-5;
    printf("%lld atoms, Lennard-Jones, all pairs, single: %.3f ms, %.4g pairs/s, error of forces "
           "%.1e\n",
           (long long)n, 1e3 * seconds, (double)j.found.pairs / seconds, error);
    fflush(stdout);
done:
    tsl_buffer_destroy(j.points);
    tsl_buffer_destroy(j.forces);
    tsl_energy_plan_destroy(j.plan);
    free(at);
    free(forces);
    return status;
}

/* ---- nearest points ------------------------------------------------------------------------- */

/* Is the last of the nearest found of some points as far as the k-th of all? */
static bool are_nearest(const float *at, int d, int64_t n, int k, const float *distances)
{
    uint64_t seed = 5;
    for (int s = 0; s < 10; s++) {
        const int64_t i = (int64_t)(uniform(&seed) * (double)n);
        const double last = (double)distances[i * k + k - 1];
        int64_t closer = 0, as_far = 0;
        for (int64_t j = 0; j < n; j++) {
            double square = 0;
            for (int c = 0; c < d; c++) {
                const double x = (double)at[i * d + c] - (double)at[j * d + c];
                square += x * x;
            }
            closer += j != i && sqrt(square) < last * (1 - 1e-6);
            as_far += j != i && sqrt(square) < last * (1 + 1e-6);
        }
        if (closer >= k || as_far < k) {
            return false;
        }
    }
    return true;
}

/* What a stage has taken so far. */
static double stage_seconds(const tsl_context *context, const char *name)
{
    const tsl_profile_stage *stages;
    const int count = tsl_profile_stages(context, &stages);
    for (int s = 0; s < count; s++) {
        if (strcmp(stages[s].stage, name) == 0) {
            return stages[s].seconds;
        }
    }
    return 0;
}

static tsl_status measure_nearest(tsl_context *context, int64_t n, int d, bool *right)
{
    enum { K = 16 };
    double best = INFINITY, inner = INFINITY;
    bool ok;
    float *at = random_values(n * d, 4, 1), *distances = malloc((size_t)(4 * n * K));
    int32_t *indices = malloc((size_t)(4 * n * K));
    const tsl_points points = {at, n, d, 4, NULL};
    tsl_status status = TSL_OK;
    if (at == NULL || distances == NULL || indices == NULL) {
        status = tsl_fail_memory(context, n * (4 * d + 8 * K), "vectors");
        goto done;
    }
    for (int run = 0; run < 4; run++) {
        const double begun = tsl_seconds();
        const double before = stage_seconds(context, "nearest points");
        TSL_TRY(tsl_nearest_find(indices, distances, context, K, &points));
        best = fmin(best, tsl_seconds() - begun);
        inner = fmin(inner, stage_seconds(context, "nearest points") - before);
    }
    ok = are_nearest(at, d, n, K, distances);
    *right &= ok;
    printf("%lld points of %d coordinates, %d nearest, single: on the device %.3f ms, with copies "
           "and checks %.3f ms, %s\n",
           (long long)n, d, K, 1e3 * inner, 1e3 * best, ok ? "right" : "wrong");
    fflush(stdout);
done:
    free(at);
    free(distances);
    free(indices);
    return status;
}

/* ---- triplets ------------------------------------------------------------------------------- */

typedef struct triplet_job {
    tsl_context *context;
    tsl_triplet_task task;
    void *device[2]; /* points and sums */
} triplet_job;

static tsl_status add_triplets(void *user)
{
    const triplet_job *j = user;
    return j->context->ops->pairs->triplets(j->context, &j->task);
}

/* Points and sums on the device. */
static tsl_status open_triplets(triplet_job *j, const tsl_points *points)
{
    const int64_t bytes = 24 * points->count, sums = TSL_TRIPLET_PARTS * 8;
    tsl_status status = TSL_OK;
    TSL_TRY(tsl_device_allocate(&j->device[0], j->context, bytes, "points"));
    TSL_TRY(tsl_device_allocate(&j->device[1], j->context, sums, "sums of triples"));
    TSL_TRY(j->context->ops->upload(j->context, j->device[0], points->values, bytes));
    TSL_TRY(j->context->ops->fill(j->context, j->device[1], 0, sums));
    j->task = (tsl_triplet_task){
        .n = points->count, .points = j->device[0], .step = 1, .partial = j->device[1]};
done:
    return status;
}

/* Seconds of the kernel by each map, and of the cube's idle tiles alone. */
static tsl_status time_triplets(double seconds[3], tsl_context *context, const tsl_points *points)
{
    triplet_job j = {.context = context};
    tsl_status status = TSL_OK;
    TSL_TRY(open_triplets(&j, points));
    for (j.task.map = 0; j.task.map <= TSL_TRIPLETS_IDLE; j.task.map++) {
        TSL_TRY(add_triplets(&j));
        TSL_TRY(tsl_device_time(&seconds[j.task.map], context, add_triplets, &j, 0.1));
    }
done:
    for (int k = 0; k < 2; k++) {
        tsl_device_release(context, j.device[k]);
    }
    return status;
}

/* Compare what the tetrahedron gains over the cube, by leaving out tiles without triples, with what
 * it should gain: 1 + 5 t_idle / t_live, where t_idle and t_live are the times of a tile without
 * and with triples, as five sixths of a large cube are idle. */
static tsl_status measure_triplets(tsl_context *context, int64_t n, bool *right)
{
    double energy[2], seconds[3], possible;
    double *at = random_values(3 * n, 8, cbrt((double)n));
    const tsl_points points = {at, n, 3, 8, NULL};
    tsl_status status = TSL_OK;
    if (at == NULL) {
        return tsl_fail_memory(context, 24 * n, "points");
    }
    for (int map = 0; map < 2; map++) {
        TSL_TRY(tsl_triplets_energy(&energy[map], context, 1, (tsl_triplet_map)map, &points));
    }
    *right &= fabs(energy[0] - energy[1]) <= 1e-9 * fabs(energy[0]);
    TSL_TRY(time_triplets(seconds, context, &points));
    if (context->ops == &tsl_device_cpu) { /* which has no maps */
        printf("%lld points, all triples: %.3f ms\n", (long long)n, 1e3 * seconds[0]);
        goto done;
    }
    possible = 1 + 5.0 / 6 * seconds[TSL_TRIPLETS_IDLE] / seconds[0];
    printf("%lld points, all triples: tetrahedron %.3f ms, cube %.3f ms, the cube's tiles idle "
           "%.3f ms: %.3f times as fast as the cube, %.3f of 1 + 5 t_idle / t_live = %.3f\n",
           (long long)n, 1e3 * seconds[0], 1e3 * seconds[1], 1e3 * seconds[TSL_TRIPLETS_IDLE],
           seconds[1] / seconds[0], seconds[1] / seconds[0] / possible, possible);
done:
    free(at);
    return status;
}

/* Distances of n points of 3 coordinates and, if `many`, of more. */
static tsl_status measure_dimensions(tsl_context *context, int64_t n, bool many, bool *right)
{
    static const int dimensions[] = {3, 16, 32, 64, 128, 512};
    const int count = many ? (int)(sizeof dimensions / sizeof *dimensions) : 1;
    tsl_status status = TSL_OK;
    for (int k = 0; k < count && status == TSL_OK; k++) {
        for (int precision = 4; precision <= 8 && status == TSL_OK; precision += 4) {
            status = measure(context, n, dimensions[k], precision, right);
        }
    }
    return status;
}

int main(int argc, char **argv)
{
    tsl_context *context = NULL;
    tsl_context_options options = TSL_CONTEXT_OPTIONS_INIT;
    options.device = argc > 1 ? argv[1] : "cpu";
    const int64_t most = argc > 2 ? atoll(argv[2]) : 65536;
    const int64_t particles = argc > 3 ? atoll(argv[3]) : 1000000;
    const int64_t atoms = argc > 4 ? atoll(argv[4]) : 262144;
    const int64_t vectors = argc > 5 ? atoll(argv[5]) : 65536;
    const int64_t triplets = argc > 6 ? atoll(argv[6]) : 2000;
    bool right = true;
    tsl_status status = tsl_context_create(&context, &options);
    if (status != TSL_OK) {
        fprintf(stderr, "pairs: %s\n", tsl_last_error(NULL));
        return 3;
    }
    tsl_profile_enable(context);
    printf("condensed Euclidean distances on %s, %d CPU threads\n", tsl_context_device(context),
           tsl_context_threads(context));
    printf("%8s %5s %-7s %10s %9s %8s %9s %8s %16s%s\n", "points", "d", "", "ms", "ns/pair", "TB/s",
           "of a fill", "error", "differences, ms",
           has_cublas(context) ? "  syrk, ms  cdist, ms" : "");
    if (most / 4 > FEW_POINTS) {
        status = measure_dimensions(context, FEW_POINTS, true, &right);
    }
    for (int64_t n = most / 4; n <= most && n > 1 && status == TSL_OK; n *= 2) {
        status = measure_dimensions(context, n, n <= most / 2, &right);
    }
    if (status == TSL_OK && particles > 0) {
        status = measure_neighbors(context, particles, &right);
    }
    if (status == TSL_OK && particles > 0) {
        status = measure_plan(context, particles, &right);
    }
    if (status == TSL_OK && atoms > 0) {
        status = measure_energy(context, atoms, &right);
    }
    if (status == TSL_OK && vectors > 0) {
        status = measure_nearest(context, vectors, 128, &right);
    }
    if (status == TSL_OK && particles > 0) {
        status =
            measure_nearest(context, particles < 100000 ? particles / 10 : particles, 3, &right);
    }
    if (status == TSL_OK && triplets > 0) {
        status = measure_triplets(context, triplets, &right);
    }
    if (status != TSL_OK) {
        fprintf(stderr, "pairs: %s\n", tsl_last_error(context));
    }
    tsl_context_destroy(context);
    return status != TSL_OK ? 3 : right ? 0 : 1;
}
