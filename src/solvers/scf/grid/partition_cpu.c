/* Shares of space on the CPU: eight points at a time, in the lanes of a vector. */
#include <math.h>
#include <omp.h>

#include "core/clones.h"
#include "core/context.h"
#include "solvers/scf/grid/grid.h"
#include "solvers/scf/grid/partition_point.h"

enum { LANES = 8 };

/* Distances of eight points from all atoms. */
TSL_CLONES
static void measure(const tsl_scf_partition_task *t, double (*const at)[LANES],
                    double (*distance)[LANES])
{
    for (int i = 0; i < t->atoms; i++) {
        const double *c = t->center + i;
        for (int k = 0; k < LANES; k++) {
            const double x = at[0][k] - c[0];
            const double y = at[1][k] - c[t->atoms];
            const double z = at[2][k] - c[2 * (int64_t)t->atoms];
            distance[i][k] = sqrt(x * x + y * y + z * z);
        }
    }
}

/* Atom `atom` as eight points see it. */
typedef struct cell {
    const tsl_scf_partition_task *t;
    int atom, nearest;
    double (*distance)[LANES];
    const double *least; /* [LANES]: a product below is taken for 0 */
} cell;

/* The products of an atom's factors, those of atoms near `nearest` first, until all are below
 * `least`, which is looked at every few factors. The scheme is known to the compiler. */
static inline void multiply_factors(double product[LANES], const cell *c, const bool stratmann)
{
    enum { FACTORS = 4 };
    const int64_t atoms = c->t->atoms;
    const int32_t *near = c->t->near + c->nearest * atoms;
    const double *inverse = c->t->inverse + c->atom * atoms;
    const double *adjust = c->t->adjust + c->atom * atoms;
    double own[LANES], value[LANES], least[LANES];
    for (int k = 0; k < LANES; k++) {
        own[k] = c->distance[c->atom][k];
        least[k] = c->least[k];
        value[k] = 1;
    }
    for (int n = 0; n < atoms; n++) {
        const int other = near[n];
        const double *far = c->distance[other];
        const double scale = inverse[other], a = adjust[other];
        if (other == c->atom) {
            continue;
        }
        for (int k = 0; k < LANES; k++) {
            const double mu = (own[k] - far[k]) * scale;
            value[k] *= stratmann ? tsl_scf_stratmann_factor(mu) : tsl_scf_becke_factor(mu, a);
        }
        if (n % FACTORS == FACTORS - 1) {
            int above = 0;
            for (int k = 0; k < LANES; k++) {
                above += value[k] > least[k];
            }
            if (above == 0) {
                break;
            }
        }
    }
    for (int k = 0; k < LANES; k++) {
        product[k] = value[k] > least[k] ? value[k] : 0;
    }
}

TSL_CLONES
static void find_becke(double product[LANES], const cell *c)
{
    multiply_factors(product, c, false);
}

TSL_CLONES
static void find_stratmann(double product[LANES], const cell *c)
{
    multiply_factors(product, c, true);
}

static void cell_functions(double product[LANES], const cell *c)
{
    if (c->t->scheme == TSL_SCF_STRATMANN) {
        find_stratmann(product, c);
    } else {
        find_becke(product, c);
    }
}

static void share_points(const tsl_scf_partition_task *t, int64_t first, int count,
                         double (*distance)[LANES])
{
    double at[3][LANES];
    double none[LANES] = {0};
    double least[LANES];
    double of_nearest[LANES];
    double sum[LANES] = {0};
    double share[LANES] = {0};
    int nearest = 0;
    for (int axis = 0; axis < 3; axis++) {
        for (int k = 0; k < LANES; k++) {
            at[axis][k] = t->position[axis * t->points + first + (k < count ? k : count - 1)];
        }
    }
    measure(t, at, distance);
    for (int i = 1; i < t->atoms; i++) {
        nearest = distance[i][0] < distance[nearest][0] ? i : nearest;
    }
    cell_functions(of_nearest, &(cell){t, nearest, nearest, distance, none});
    for (int k = 0; k < LANES; k++) {
        least[k] = of_nearest[k] * TSL_SCF_PARTITION_NOTHING;
    }
    for (int i = 0; i < t->atoms; i++) {
        double product[LANES];
        cell_functions(product, &(cell){t, i, nearest, distance, i == nearest ? none : least});
        for (int k = 0; k < count; k++) {
            sum[k] += product[k];
            share[k] = t->atom[first + k] == i ? product[k] : share[k];
        }
    }
    for (int k = 0; k < count; k++) {
        t->weight[first + k] *= share[k] / sum[k];
    }
}

static tsl_status cpu_partition(tsl_context *context, const tsl_scf_partition_task *task)
{
    const int threads = context->threads;
    const int64_t each = task->atoms * (int64_t)LANES;
    const int64_t groups = (task->points + LANES - 1) / LANES;
    double *distances = tsl_allocate((size_t)(threads * each) * sizeof *distances);
    if (distances == NULL) {
        return tsl_fail_memory(context, 8 * threads * each, "distances of points from atoms");
    }
#pragma omp parallel num_threads(threads)
    {
        double *own = distances + omp_get_thread_num() * each;
#pragma omp for schedule(dynamic, 64)
        for (int64_t g = 0; g < groups; g++) {
            const int64_t left = task->points - g * LANES;
            share_points(task, g * LANES, left < LANES ? (int)left : LANES,
                         (double(*)[LANES])(void *)own);
        }
    }
    tsl_release(distances);
    return TSL_OK;
}

const tsl_scf_grid_ops tsl_scf_grid_cpu = {.partition = cpu_partition};
