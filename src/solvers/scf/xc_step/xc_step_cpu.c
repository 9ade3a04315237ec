/* Exchange and correlation on a grid, on the CPU: threads take groups, whose points are the lanes
 * of vectors. */
#include <math.h>
#include <omp.h>
#include <string.h>

#include "core/clones.h"
#include "core/context.h"
#include "solvers/scf/xc_step/functions_point.h"
#include "solvers/scf/xc_step/products_cpu.h"
#include "solvers/scf/xc_step/step.h"

enum { POINTS = TSL_XC_STEP_POINTS, PITCH = TSL_XC_STEP_PITCH };

typedef const tsl_xc_step_task task_of;

/* ---- functions ----------------------------------------------------------------------------- */

/* Points as a shell's centre sees them. */
typedef struct seen {
    double x[3][POINTS];
    double square[POINTS];
    double radial[POINTS], slope[POINTS]; /* R, and R' / r */
} seen;

TSL_FUSED_CLONES
static void look(seen *s, task_of *t, int64_t first, const tsl_xc_shell *shell)
{
    double least = INFINITY;
    for (int axis = 0; axis < 3; axis++) {
        const double *from = t->position + axis * t->points + first;
        for (int p = 0; p < POINTS; p++) {
            s->x[axis][p] = from[p] - shell->center[axis];
        }
    }
    for (int p = 0; p < POINTS; p++) {
        s->square[p] =
            fma(s->x[0][p], s->x[0][p], fma(s->x[1][p], s->x[1][p], s->x[2][p] * s->x[2][p]));
        s->radial[p] = 0;
        s->slope[p] = 0;
    }
    for (int p = 0; p < POINTS; p++) {
        least = s->square[p] < least ? s->square[p] : least;
    }
    for (int k = shell->first; k < shell->first + shell->primitives; k++) {
        const double exponent = t->exponent[k];
        const double coefficient = t->coefficient[k];
        if (exponent * least > TSL_XC_STEP_NOTHING) {
            continue;
        }
        for (int p = 0; p < POINTS; p++) {
            const double e = coefficient * tsl_xc_step_exp(-exponent * s->square[p]);
            s->radial[p] += e;
            s->slope[p] = fma(-2 * exponent, e, s->slope[p]);
        }
    }
}

/* Monomials x^a y^b z^c of degree l, a descending, then b, from those of degree l - 1. */
TSL_CLONES
static void raise_degree(double (*out)[POINTS], double (*const below)[POINTS], const seen *s, int l)
{
    const int count = l * (l + 1) / 2;
    for (int c = 0; c < count; c++) {
        for (int p = 0; p < POINTS; p++) {
            out[c][p] = s->x[0][p] * below[c][p];
        }
    }
    for (int c = 0; c < l; c++) {
        for (int p = 0; p < POINTS; p++) {
            out[count + c][p] = s->x[1][p] * below[count - l + c][p];
        }
    }
    for (int p = 0; p < POINTS; p++) {
        out[count + l][p] = s->x[2][p] * below[count - 1][p];
    }
}

/* sum_c table[c] monomial c; most coefficients are zero. */
static inline void combine(double *out, const double *table, int count,
                           double (*const monomial)[POINTS])
{
    bool begun = false;
    for (int c = 0; c < count; c++) {
        const double factor = table[c];
        if (factor == 0) {
            continue;
        }
        if (!begun) {
            for (int p = 0; p < POINTS; p++) {
                out[p] = factor * monomial[c][p];
            }
        } else {
            for (int p = 0; p < POINTS; p++) {
                out[p] = fma(factor, monomial[c][p], out[p]);
            }
        }
        begun = true;
    }
    for (int p = 0; p < POINTS && !begun; p++) {
        out[p] = 0;
    }
}

/* A shell's functions, and their gradients if there are four components. */
TSL_FUSED_CLONES
static void write_shell(double *out, task_of *t, const tsl_xc_shell *shell, const seen *s,
                        double (*const monomial)[POINTS], double (*const below)[POINTS])
{
    const int l = shell->l;
    const int cartesian = (l + 1) * (l + 2) / 2;
    const int derived = l * (l + 1) / 2;
    const double *table = t->table + shell->table;
    const double *derivatives = table + shell->functions * cartesian;
    double sum[POINTS];
    for (int f = 0; f < shell->functions; f++) {
        double *to = out + (int64_t)f * PITCH;
        combine(sum, table + f * cartesian, cartesian, monomial);
        for (int p = 0; p < POINTS; p++) {
            to[p] = sum[p] * s->radial[p];
        }
        for (int axis = 0; axis < t->components - 1; axis++) {
            double slope[POINTS];
            double *along = to + (axis + 1) * t->batch_values;
            combine(slope, derivatives + (axis * shell->functions + f) * derived, derived, below);
            for (int p = 0; p < POINTS; p++) {
                along[p] = fma(slope[p], s->radial[p], sum[p] * s->x[axis][p] * s->slope[p]);
            }
        }
    }
}

/* Where the values of a group's first function begin, in the batch's. */
static double *values_of(task_of *t, int g)
{
    return t->values + (t->group[g].row - t->row_first) * PITCH;
}

static void write_functions(task_of *t, int g, char *scratch)
{
    const tsl_xc_group *group = &t->group[g];
    seen *s = (seen *)(void *)scratch;
    double(*const monomials)[POINTS] = (double(*)[POINTS])(void *)(s + 1);
    double *values = values_of(t, g);
    for (int p = 0; p < POINTS; p++) {
        monomials[0][p] = 1;
    }
    for (int e = group->entry; e < group->entry + group->entries; e++) {
        const tsl_xc_entry *entry = &t->entry[e];
        const tsl_xc_shell *shell = &t->shell[entry->shell];
        look(s, t, (int64_t)g * POINTS, shell);
        int begin = 0, below = 0;
        for (int l = 1; l <= shell->l; l++) {
            below = begin;
            begin += l * (l + 1) / 2;
            raise_degree(monomials + begin, monomials + below, s, l);
        }
        write_shell(values + (int64_t)entry->row * PITCH, t, shell, s, monomials + begin,
                    monomials + below);
    }
    for (int c = 0; c < t->components; c++) {
        memset(values + c * t->batch_values + (int64_t)group->functions * PITCH, 0,
               (size_t)(group->rows - group->functions) * PITCH * sizeof *values);
    }
}

/* ---- density ------------------------------------------------------------------------------- */

/* The group's part of a density matrix, in panels. */
static void gather(double *out, task_of *t, const tsl_xc_group *group, const double *density)
{
    const int32_t *function = t->function + group->row;
    for (int first = 0; first < group->rows; first += TSL_XC_STEP_PANEL) {
        const int height = tsl_xc_step_panel(first, group->rows);
        double *panel = out + (int64_t)first * group->rows;
        for (int i = 0; i < height; i++) {
            const int32_t row = function[first + i];
            const double *from = density + (int64_t)(row < 0 ? 0 : row) * t->functions;
            for (int k = 0; k < group->rows; k++) {
                const int32_t column = function[k];
                panel[k * height + i] = row < 0 || column < 0 ? 0 : from[column];
            }
        }
    }
}

/* out[p] (+)= scale sum_f a[f][p] b[f][p] */
TSL_FUSED_CLONES
static void dot(double *out, double scale, bool add, const double *a, const double *b, int rows)
{
    double sum[POINTS] = {0};
    for (int f = 0; f < rows; f++) {
        for (int p = 0; p < POINTS; p++) {
            sum[p] = fma(a[(int64_t)f * PITCH + p], b[(int64_t)f * PITCH + p], sum[p]);
        }
    }
    for (int p = 0; p < POINTS; p++) {
        out[p] = scale * sum[p] + (add ? out[p] : 0);
    }
}

static void find_density(task_of *t, int g, char *scratch)
{
    const tsl_xc_group *group = &t->group[g];
    const int rows = group->rows;
    const int64_t at = (int64_t)(g - t->first) * POINTS;
    const double *values = values_of(t, g);
    double *packed = (double *)(void *)scratch;
    double *product = packed + (int64_t)t->most_rows * t->most_rows;
    for (int spin = 0; spin < t->spins; spin++) {
        gather(packed, t, group, t->density + (int64_t)spin * t->functions * t->functions);
        tsl_xc_step_expand(product, packed, values, rows, rows);
        dot(t->rho + spin * t->batch_points + at, 1, false, values, product, rows);
        for (int axis = 0; axis < t->components - 1; axis++) {
            dot(t->gradient + (3 * spin + axis) * t->batch_points + at, 2, false,
                values + (axis + 1) * t->batch_values, product, rows);
        }
        for (int axis = 0; axis < 3 && t->family == TSL_XC_MGGA; axis++) {
            const double *along = values + (axis + 1) * t->batch_values;
            tsl_xc_step_expand(product, packed, along, rows, rows);
            dot(t->tau + spin * t->batch_points + at, 0.5, axis > 0, along, product, rows);
        }
    }
}

/* sigma of spins a and b. */
TSL_FUSED_CLONES
static void find_sigma(task_of *t, int64_t at, int a, int b, double *out)
{
    const double *x = t->gradient + 3 * a * t->batch_points + at;
    const double *y = t->gradient + 3 * b * t->batch_points + at;
    const int64_t pitch = t->batch_points;
    for (int p = 0; p < POINTS; p++) {
        out[p] =
            fma(x[p], y[p], fma(x[pitch + p], y[pitch + p], x[2 * pitch + p] * y[2 * pitch + p]));
    }
}

static tsl_status cpu_density(tsl_context *context, const tsl_xc_step_task *t)
{
#pragma omp parallel for num_threads(context->threads) schedule(dynamic)
    for (int g = t->first; g < t->last; g++) {
        char *scratch = t->scratch + omp_get_thread_num() * t->scratch_bytes;
        const int64_t at = (int64_t)(g - t->first) * POINTS;
        if (!t->kept) {
            write_functions(t, g, scratch);
        }
        find_density(t, g, scratch);
        for (int a = 0, k = 0; a < t->spins && t->components > 1; a++) {
            for (int b = a; b < t->spins; b++, k++) {
                find_sigma(t, at, a, b, t->sigma + k * t->batch_points + at);
            }
        }
    }
    return TSL_OK;
}

/* ---- potential ----------------------------------------------------------------------------- */

/* What a group's values are multiplied by on its points: the value, the gradient, and for tau each
 * component of the gradient by itself. */
typedef struct factors {
    double value[POINTS], along[3][POINTS], tau[POINTS];
} factors;

TSL_FUSED_CLONES
static void find_factors(factors *out, task_of *t, int g, int spin)
{
    const int64_t at = (int64_t)(g - t->first) * POINTS;
    const int64_t pitch = t->batch_points;
    const double *w = t->weight + (int64_t)g * POINTS;
    const double *vrho = t->vrho + spin * pitch + at;
    for (int p = 0; p < POINTS; p++) {
        out->value[p] = 0.5 * w[p] * vrho[p];
    }
    if (t->components == 1) {
        return;
    }
    const double *same = t->vsigma + (spin == 0 ? 0 : 2) * pitch + at;
    const double *mixed = t->vsigma + pitch + at;
    for (int axis = 0; axis < 3; axis++) {
        const double *own = t->gradient + (3 * spin + axis) * pitch + at;
        const double *other = t->gradient + (3 * (1 - spin) + axis) * pitch + at;
        for (int p = 0; p < POINTS && t->spins == 1; p++) {
            out->along[axis][p] = 2 * w[p] * same[p] * own[p];
        }
        for (int p = 0; p < POINTS && t->spins == 2; p++) {
            out->along[axis][p] = w[p] * fma(2 * same[p], own[p], mixed[p] * other[p]);
        }
    }
    for (int p = 0; p < POINTS && t->family == TSL_XC_MGGA; p++) {
        out->tau[p] = 0.25 * w[p] * t->vtau[spin * pitch + at + p];
    }
}

/* Eight rows of values times factors, point by point: a block of eight by eight is turned over in
 * registers or the first cache. `out` [POINTS][pitch]. */
TSL_FUSED_CLONES
static void turn(double *out, int64_t pitch, const double *const from[4], const double *factor,
                 const double (*along)[POINTS], int components)
{
    for (int p = 0; p < POINTS; p += 8) {
        double block[8][8];
        for (int f = 0; f < 8; f++) {
            const int64_t at = (int64_t)f * PITCH + p;
            for (int k = 0; k < 8; k++) {
                block[f][k] = factor[p + k] * from[0][at + k];
            }
            for (int axis = 0; axis < components - 1; axis++) {
                for (int k = 0; k < 8; k++) {
                    block[f][k] = fma(along[axis][p + k], from[axis + 1][at + k], block[f][k]);
                }
            }
        }
        for (int k = 0; k < 8; k++) {
            for (int f = 0; f < 8; f++) {
                out[(p + k) * pitch + f] = block[f][k];
            }
        }
    }
}

/* The group's part of half the matrix. */
static void find_square(task_of *t, int g, int spin, char *scratch)
{
    const tsl_xc_group *group = &t->group[g];
    const int rows = group->rows;
    const int pitch = tsl_xc_step_pitch(rows);
    const double *values = values_of(t, g);
    factors *factor = (factors *)(void *)scratch;
    double *turned = (double *)(void *)(factor + 1);
    double *square = t->squares + (group->square - t->square_first);
    find_factors(factor, t, g, spin);
    for (int k = -1; k < (t->family == TSL_XC_MGGA ? 3 : 0); k++) {
        for (int f = 0; f < rows; f += 8) {
            const double *from[4];
            for (int c = 0; c < (k < 0 ? t->components : 1); c++) {
                from[c] = values + (k < 0 ? c : k + 1) * t->batch_values + (int64_t)f * PITCH;
            }
            turn(turned + f, pitch, from, k < 0 ? factor->value : factor->tau,
                 (const double(*)[POINTS])factor->along, k < 0 ? t->components : 1);
        }
        tsl_xc_step_contract(square, values + (k + 1) * t->batch_values, turned, rows, k >= 0);
    }
}

/* A group's parts of the numbers of electrons, points in order. */
static void find_parts(task_of *t, int g)
{
    const double *w = t->weight + (int64_t)g * POINTS;
    double *parts = t->parts + 2 * (int64_t)g;
    parts[0] = parts[1] = 0;
    for (int spin = 0; spin < t->spins; spin++) {
        const double *rho = t->rho + spin * t->batch_points + (int64_t)(g - t->first) * POINTS;
        for (int p = 0; p < POINTS; p++) {
            parts[spin] += w[p] * rho[p];
        }
    }
}

/* The first of ascending numbers that is not below `least`. */
static int find_first(const int32_t *numbers, int count, int least)
{
    int low = 0;
    while (count > 0) {
        const int half = count / 2;
        if (numbers[low + half] < least) {
            low += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return low;
}

/* Add the batch's squares to rows `low` to `high` - 1 of half the matrix, group by group. */
static void scatter(task_of *t, int spin, int low, int high)
{
    double *half = t->half + (int64_t)spin * t->functions * t->functions;
    for (int g = t->first; g < t->last; g++) {
        const tsl_xc_group *group = &t->group[g];
        const int32_t *function = t->function + group->row;
        const double *square = t->squares + (group->square - t->square_first);
        const int first = find_first(function, group->functions, low);
        for (int i = first; i < group->functions && function[i] < high; i++) {
            double *to = half + (int64_t)function[i] * t->functions;
            const double *from = square + (int64_t)i * group->rows;
            for (int j = 0; j < group->functions; j++) {
                to[function[j]] += from[j];
            }
        }
    }
}

static tsl_status cpu_potential(tsl_context *context, const tsl_xc_step_task *t)
{
    enum { STRIPE = 16 };
    const int stripes = (t->functions + STRIPE - 1) / STRIPE;
    for (int spin = 0; spin < t->spins; spin++) {
#pragma omp parallel num_threads(context->threads)
        {
            char *scratch = t->scratch + omp_get_thread_num() * t->scratch_bytes;
#pragma omp for schedule(dynamic)
            for (int g = t->first; g < t->last; g++) {
                find_square(t, g, spin, scratch);
                if (spin == 0) {
                    find_parts(t, g);
                }
            }
#pragma omp for schedule(dynamic)
            for (int s = 0; s < stripes; s++) {
                scatter(t, spin, s * STRIPE, (s + 1) * STRIPE);
            }
        }
    }
    return TSL_OK;
}

/* ---- all of it ----------------------------------------------------------------------------- */

/* The sum by halves. */
static double add_up(const double *values, int64_t step, int64_t count)
{
    if (count <= 8) {
        double sum = 0;
        for (int64_t i = 0; i < count; i++) {
            sum += values[i * step];
        }
        return sum;
    }
    const int64_t half = count / 2;
    return add_up(values, step, half) + add_up(values + half * step, step, count - half);
}

static tsl_status cpu_finish(tsl_context *context, const tsl_xc_step_task *t)
{
    const int64_t n = t->functions;
#pragma omp parallel for num_threads(context->threads) schedule(dynamic, 8)
    for (int64_t row = 0; row < t->spins * n; row++) {
        const int64_t spin = row / n, i = row % n;
        const double *half = t->half + spin * n * n;
        double *out = t->potential + spin * n * n + i * n;
        for (int64_t j = 0; j < n; j++) {
            out[j] = half[i * n + j] + half[j * n + i];
        }
    }
    for (int k = 0; k < 2; k++) {
        t->sums[1 + k] = add_up(t->parts + k, 2, t->points / POINTS);
    }
    return TSL_OK;
}

static int64_t cpu_scratch(const tsl_xc_step_task *t)
{
    const int64_t rows = t->most_rows;
    const int64_t functions = (int64_t)sizeof(seen) + 8 * (1 + 3 + 6 + 10 + 15) * (int64_t)POINTS;
    const int64_t density = 8 * (rows * rows + rows * PITCH);
    const int64_t potential = (int64_t)sizeof(factors) + 8 * (int64_t)POINTS * (rows + 8);
    const int64_t most = functions > density ? functions : density;
    return ((most > potential ? most : potential) + 4159) / 64 * 64;
}

const tsl_xc_step_ops tsl_xc_step_cpu = {.scratch = cpu_scratch,
                                         .has_batch_squares_only = true,
                                         .density = cpu_density,
                                         .potential = cpu_potential,
                                         .finish = cpu_finish};
