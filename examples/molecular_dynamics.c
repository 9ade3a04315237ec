/* A Lennard-Jones fluid whose energy stays what it is: velocity Verlet steps of 0.001 with the
 * force-shifted potential cut off at 2.5, density 0.844, temperature 0.7, in reduced units. Half as
 * many steps again come first, in which the temperature is set. Prints how far the energy drifts
 * from the first tenth of the steps to the last, of its size; fails above 1e-5.
 *
 *     cc molecular_dynamics.c $(pkg-config --cflags --libs tesela) -lm -o molecular_dynamics
 *     ./molecular_dynamics [DEVICE [CELLS [STEPS]]]
 *
 * CELLS: of a face-centred cubic lattice along each axis, at least 4, four particles each: 10.
 * STEPS: 10000. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <tesela/tesela.h>

static const double density = 0.844, temperature = 0.7, dt = 0.001, limit = 1e-5;

typedef struct fluid {
    tsl_energy_plan *plan;
    tsl_buffer *points, *out;
    int64_t n, lists; /* particles; lists of neighbours made */
    double *x, *v, *f, potential, kinetic;
} fluid;

static double uniform(void)
{
    static uint64_t state = 1;
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(state >> 11) * 0x1p-53;
}

/* A lattice, and velocities whose sum is 0. */
static void begin(fluid *s, int cells, double edge)
{
    static const double corner[4][3] = {{0, 0, 0}, {0, .5, .5}, {.5, 0, .5}, {.5, .5, 0}};
    double sum[3] = {0, 0, 0};
    for (int64_t e = 0; e < 3 * s->n; e++) {
        const int64_t cell = e / 12,
                      place[3] = {cell / cells / cells, cell / cells % cells, cell % cells};
        s->x[e] = ((double)place[e % 3] + corner[e / 3 % 4][e % 3]) * edge / cells;
        for (int k = 0; k < 12; k++)
            s->v[e] += (uniform() - 0.5) * sqrt(temperature);
        sum[e % 3] += s->v[e] / (double)s->n;
    }
    for (int64_t e = 0; e < 3 * s->n; e++)
        s->v[e] -= sum[e % 3];
}

static tsl_status find_forces(fluid *s)
{
    tsl_energy found;
    tsl_status status = tsl_buffer_write(s->points, 0, s->x, 24 * s->n);
    if (status == TSL_OK)
        status = tsl_energy_execute(&found, s->plan, s->out, s->points);
    if (status == TSL_OK)
        status = tsl_buffer_read(s->out, 0, s->f, 24 * s->n);
    if (status == TSL_OK) {
        s->potential = found.energy;
        s->lists += found.rebuilt;
    }
    return status;
}

static double half_step(fluid *s)
{
    double kinetic = 0;
    for (int64_t e = 0; e < 3 * s->n; e++) {
        s->v[e] += 0.5 * dt * s->f[e];
        kinetic += 0.5 * s->v[e] * s->v[e];
    }
    return kinetic;
}

static tsl_status step(fluid *s, int heat)
{
    half_step(s);
    for (int64_t e = 0; e < 3 * s->n; e++)
        s->x[e] += dt * s->v[e];
    const tsl_status status = find_forces(s);
    s->kinetic = half_step(s);
    const double scale = sqrt(1.5 * temperature * (double)s->n / s->kinetic);
    for (int64_t e = 0; e < 3 * s->n && heat; e++)
        s->v[e] *= scale;
    return status;
}

/* Mean energies of the first and the last tenth, and what lies between. */
static tsl_status run(fluid *s, int64_t steps, double mean[2])
{
    const int64_t tenth = steps < 10 ? 1 : steps / 10;
    tsl_status status = find_forces(s);
    for (int64_t k = -steps / 2; k < steps && status == TSL_OK; k++) {
        status = step(s, k < 0 && k % 20 == 0);
        const double energy = (s->potential + s->kinetic) / (double)tenth;
        mean[0] += k >= 0 && k < tenth ? energy : 0;
        mean[1] += k >= steps - tenth ? energy : 0;
    }
    return status;
}

int main(int argc, char **argv)
{
    const int cells = argc > 2 ? atoi(argv[2]) : 10;
    const int64_t steps = argc > 3 ? atoll(argv[3]) : 10000;
    fluid s = {.n = 4 * (int64_t)cells * cells * cells};
    const double edge = cbrt((double)s.n / density), box[6] = {edge, edge, edge, 0, 0, 0};
    double mean[2] = {0, 0};
    tsl_context *context = NULL;
    tsl_context_options of_context = TSL_CONTEXT_OPTIONS_INIT;
    tsl_energy_options options = TSL_ENERGY_OPTIONS_INIT;
    of_context.device = argc > 1 ? argv[1] : "auto";
    options.cutoff = 2.5;
    options.shift = TSL_SHIFT_FORCE;
    options.skin = 0.3;
    options.box = box;
    s.x = malloc(24 * (size_t)s.n);
    s.v = calloc(3 * (size_t)s.n, 8);
    s.f = malloc(24 * (size_t)s.n);
    if (cells < 4 || !s.x || !s.v || !s.f) {
        fprintf(stderr, "fewer than 4 cells, or out of memory\n");
        free(s.x);
        free(s.v);
        free(s.f);
        return 1;
    }
    begin(&s, cells, edge);
    tsl_status status = tsl_context_create(&context, &of_context);
    if (status == TSL_OK)
        status = tsl_energy_plan_create(&s.plan, context, &options, s.n, 8);
    if (status == TSL_OK)
        status = tsl_buffer_create(&s.points, context, 24 * s.n);
    if (status == TSL_OK)
        status = tsl_buffer_create(&s.out, context, 24 * s.n);
    if (status == TSL_OK)
        status = run(&s, steps, mean);
    if (status != TSL_OK)
        fprintf(stderr, "%s: %s\n", tsl_status_name(status), tsl_last_error(context));
    const double drift = fabs(mean[1] - mean[0]) / fabs(mean[0]);
    if (status == TSL_OK)
        printf("%lld particles, %lld steps, %lld lists of neighbours: energy %.9g, then %.9g: "
               "drift %.1e\n",
               (long long)s.n, (long long)steps, (long long)s.lists, mean[0], mean[1], drift);
    tsl_buffer_destroy(s.points);
    tsl_buffer_destroy(s.out);
    tsl_energy_plan_destroy(s.plan);
    tsl_context_destroy(context);
    free(s.x);
    free(s.v);
    free(s.f);
    return status == TSL_OK && drift <= limit ? 0 : 1;
}
