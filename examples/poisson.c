/* Solves Poisson's equation, laplacian phi = -4 pi rho, in a periodic box for two charge densities
 * at once, in the device's memory, and prints how far the potentials are from those known in closed
 * form.
 *
 *     cc poisson.c $(pkg-config --cflags --libs tesela) -lm -o poisson
 *     ./poisson [DEVICE]
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <tesela/tesela.h>

enum { COUNT = 2, NX = 48, NY = 40, NZ = 36, CELLS = NX * NY * NZ };

static const double lengths[3] = {12, 10, 9};
static const int waves[COUNT][3] = {{1, 2, 0}, {3, -1, 4}};

/* rho = cos(k r) at every sample, the last axis fastest; its potential is 4 pi / k^2 times that. */
static double fill(double *density, const int wave[3])
{
    const double two_pi = 6.283185307179586;
    double k[3], k2 = 0;
    for (int axis = 0; axis < 3; axis++) {
        k[axis] = two_pi * wave[axis] / lengths[axis];
        k2 += k[axis] * k[axis];
    }
    for (int i = 0; i < CELLS; i++) {
        const int x = i / (NY * NZ), y = i / NZ % NY, z = i % NZ;
        density[i] = cos(k[0] * x * lengths[0] / NX + k[1] * y * lengths[1] / NY +
                         k[2] * z * lengths[2] / NZ);
    }
    return 2 * two_pi / k2;
}

/* The largest error of each, relative to the largest value. */
static int compare(const double *density, const double *potential, const double factor[COUNT])
{
    int good = 1;
    for (int number = 0; number < COUNT; number++) {
        double worst = 0;
        for (int i = number * CELLS; i < (number + 1) * CELLS; i++) {
            const double error = fabs(potential[i] / factor[number] - density[i]);
            worst = error > worst || isnan(error) ? error : worst;
        }
        printf("density %d: largest error %.1e of the largest potential\n", number + 1, worst);
        good = good && worst < 1e-12;
    }
    return good;
}

int main(int argc, char **argv)
{
    const int64_t bytes = COUNT * CELLS * (int64_t)sizeof(double);
    double *density = malloc((size_t)bytes);
    double *potential = malloc((size_t)bytes);
    double factor[COUNT];
    int good = 0;
    tsl_context *context = NULL;
    tsl_poisson_plan *plan = NULL;
    tsl_buffer *cells = NULL; /* densities, then potentials in their place */
    tsl_context_options of_context = TSL_CONTEXT_OPTIONS_INIT;
    tsl_poisson_options options = TSL_POISSON_OPTIONS_INIT;
    const int64_t n[3] = {NX, NY, NZ};
    for (int axis = 0; axis < 3; axis++) {
        options.n[axis] = n[axis];
        options.lengths[axis] = lengths[axis];
    }
    options.count = COUNT;
    of_context.device = argc > 1 ? argv[1] : "auto";
    if (!density || !potential) {
        fprintf(stderr, "out of memory\n");
        return 1;
    }
    for (int number = 0; number < COUNT; number++)
        factor[number] = fill(density + number * CELLS, waves[number]);

    tsl_status status = tsl_context_create(&context, &of_context);
    if (status == TSL_OK)
        status = tsl_poisson_plan_create(&plan, context, &options);
    if (status == TSL_OK)
        status = tsl_buffer_create(&cells, context, bytes);
    if (status == TSL_OK)
        status = tsl_buffer_write(cells, 0, density, bytes);
    if (status == TSL_OK) /* in place; queued, and the read below waits for it */
        status = tsl_poisson_execute(plan, tsl_buffer_data(cells), tsl_buffer_data(cells));
    if (status == TSL_OK)
        status = tsl_buffer_read(cells, 0, potential, bytes);
    if (status == TSL_OK)
        good = compare(density, potential, factor);
    else
        fprintf(stderr, "%s: %s\n", tsl_status_name(status), tsl_last_error(context));

    tsl_buffer_destroy(cells);
    tsl_poisson_plan_destroy(plan);
    tsl_context_destroy(context);
    free(density);
    free(potential);
    return good ? 0 : 1;
}
