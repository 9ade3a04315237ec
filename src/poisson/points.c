#include "poisson/points.h"

#include <math.h>

#include "poisson/poisson_point.h"

/* exp(-REACH^2) is 2e-16: how far Gaussians go in space and among wavenumbers. */
static const double reach = 6;

/* Along an axis, samples first … last, of a periodic box beyond its faces, are near a charge. */
typedef struct range {
    int64_t first, last;
} range;

/* What is the same for all samples. */
typedef struct sum {
    const tsl_points *points;
    tsl_points_quantity quantity;
    double alpha; /* of Gaussians exp(-alpha^2 r^2); 0 in a free box */
    double cut;   /* distance from which terms are 0; of a periodic box */
} sum;

/* The narrowest Gaussian that the samples resolve. */
static double resolved_alpha(const tsl_points *points)
{
    const double *h = points->step;
    return M_PI / (2 * reach * fmax(h[0], fmax(h[1], h[2])));
}

static range range_of(const sum *s, int axis, double at)
{
    const tsl_points *p = s->points;
    if (!p->periodic) {
        return (range){0, p->n[axis] - 1};
    }
    return (range){(int64_t)ceil((at - s->cut) / p->step[axis]),
                   (int64_t)floor((at + s->cut) / p->step[axis])};
}

/* ---- one charge at one sample --------------------------------------------------------------- */

static bool is_own_cell(const double d[3], const double h[3])
{
    return fabs(d[0]) <= 0.5 * h[0] && fabs(d[1]) <= 0.5 * h[1] && fabs(d[2]) <= 0.5 * h[2];
}

/* 1 / r differentiates to this along y and z, up to functions of less than all three. */
static double field_corner(double x, double y, double z)
{
    const double r = sqrt(x * x + y * y + z * z);
    const double second = y == 0 ? 0 : y * asinh(z / sqrt(x * x + y * y));
    const double third = z == 0 ? 0 : z * asinh(y / sqrt(x * x + z * z));
    return second + third - (x == 0 ? 0 : x * atan(y * z / (x * r)));
}

/* Mean of x / r^3 over the cell of edges h around d, x along `axis`. */
static double mean_field(const double d[3], const double h[3], int axis)
{
    double total = 0;
    for (int corner = 0; corner < 8; corner++) {
        double at[3];
        int minus = 3;
        for (int i = 0; i < 3; i++) {
            const int upper = corner >> i & 1;
            at[i] = d[i] + (upper - 0.5) * h[i];
            minus -= upper;
        }
        const double value = field_corner(at[axis], at[(axis + 1) % 3], at[(axis + 2) % 3]);
        total += minus % 2 == 0 ? -value : value;
    }
    return total / (h[0] * h[1] * h[2]);
}

/* erf(alpha r) / r, and minus its derivative by r over r. */
static double smooth_potential(double alpha, double r)
{
    return r > 0 ? erf(alpha * r) / r : 2 * alpha / sqrt(M_PI);
}

static double smooth_field(double alpha, double r)
{
    const double b = alpha * r;
    if (b < 0.1) { /* where the closed form cancels */
        const double b2 = b * b;
        const double series =
            2.0 / 3 -
            b2 * (2.0 / 5 - b2 * (1.0 / 7 - b2 * (1.0 / 27 - b2 * (1.0 / 132 - b2 / 780))));
        return 2 * alpha * alpha * alpha / sqrt(M_PI) * series;
    }
    return (erf(b) / r - 2 * alpha / sqrt(M_PI) * exp(-b * b)) / (r * r);
}

static double potential_term(const sum *s, const double d[3], double r)
{
    const double *h = s->points->step;
    if (is_own_cell(d, h)) {
        return tsl_green_integrated(d, h) - (s->alpha > 0 ? smooth_potential(s->alpha, r) : 0);
    }
    return s->alpha > 0 ? erfc(s->alpha * r) / r : 1 / r;
}

static double field_term(const sum *s, const double d[3], double r, int axis)
{
    const double *h = s->points->step;
    const double alpha = s->alpha;
    if (is_own_cell(d, h)) {
        return mean_field(d, h, axis) - (alpha > 0 ? d[axis] * smooth_field(alpha, r) : 0);
    }
    const double b = alpha * r;
    const double near = alpha > 0 ? erfc(b) + 2 * b / sqrt(M_PI) * exp(-b * b) : 1;
    return d[axis] * near / (r * r * r);
}

static double term(const sum *s, const double d[3])
{
    const double r = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    switch (s->quantity) {
    case TSL_POINTS_POTENTIAL:
        return potential_term(s, d, r);
    case TSL_POINTS_GAUSSIANS:
        return pow(s->alpha / sqrt(M_PI), 3) * exp(-s->alpha * s->alpha * r * r);
    default:
        return field_term(s, d, r, (int)(s->quantity - TSL_POINTS_FIELD_X));
    }
}

/* ---- all charges at all samples ------------------------------------------------------------- */

static void add_to(void *values, int precision, int64_t i, double value)
{
    if (precision == 4) {
        ((float *)values)[i] = (float)(((float *)values)[i] + value);
    } else {
        ((double *)values)[i] += value;
    }
}

static int64_t wrap(int64_t i, int64_t n)
{
    const int64_t rest = i % n;
    return rest < 0 ? rest + n : rest;
}

/* A charge's rows at sample `jx`, of a periodic box possibly an image's, in plane x. */
static void add_plane(void *values, int precision, const sum *s, const tsl_point_charge *charge,
                      int64_t jx)
{
    const tsl_points *p = s->points;
    const range ys = range_of(s, 1, charge->at[1]);
    const range zs = range_of(s, 2, charge->at[2]);
    const int64_t plane = wrap(jx, p->n[0]) * p->n[1];
    double d[3] = {(double)jx * p->step[0] - charge->at[0], 0, 0};
    for (int64_t jy = ys.first; jy <= ys.last; jy++) {
        const int64_t row = (plane + wrap(jy, p->n[1])) * p->n[2];
        d[1] = (double)jy * p->step[1] - charge->at[1];
        for (int64_t jz = zs.first; jz <= zs.last; jz++) {
            d[2] = (double)jz * p->step[2] - charge->at[2];
            add_to(values, precision, row + wrap(jz, p->n[2]), charge->charge * term(s, d));
        }
    }
}

/* What makes the mean of erfc(alpha r) / r zero. */
static double shift_of(const sum *s)
{
    const tsl_points *p = s->points;
    if (s->alpha == 0 || s->quantity != TSL_POINTS_POTENTIAL) {
        return 0;
    }
    double charge = 0, volume = 1;
    for (int64_t i = 0; i < p->count; i++) {
        charge += p->charge[i].charge;
    }
    for (int axis = 0; axis < 3; axis++) {
        volume *= (double)p->n[axis] * p->step[axis];
    }
    return -M_PI * charge / (volume * s->alpha * s->alpha);
}

void tsl_points_add(void *values, int precision, const tsl_points *points,
                    tsl_points_quantity quantity, int threads)
{
    sum s = {.points = points, .quantity = quantity};
    if (points->periodic) {
        s.alpha = resolved_alpha(points);
        s.cut = reach / s.alpha;
    }
    const double shift = shift_of(&s);
    const int64_t plane = points->n[1] * points->n[2];
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (int64_t x = 0; x < points->n[0]; x++) {
        for (int64_t i = x * plane; i < (x + 1) * plane && shift != 0; i++) {
            add_to(values, precision, i, shift);
        }
        for (int64_t i = 0; i < points->count; i++) {
            const tsl_point_charge *charge = &points->charge[i];
            const range xs = range_of(&s, 0, charge->at[0]);
            for (int64_t jx = xs.first + wrap(x - xs.first, points->n[0]); jx <= xs.last;
                 jx += points->n[0]) {
                add_plane(values, precision, &s, charge, jx);
            }
        }
    }
}

/* ---- energy --------------------------------------------------------------------------------- */

/* Of a free box. */
static double pairs(const tsl_points *p)
{
    double energy = 0;
    for (int64_t i = 0; i < p->count; i++) {
        for (int64_t j = 0; j < i; j++) {
            const double *a = p->charge[i].at;
            const double *b = p->charge[j].at;
            const double r = sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                                  (a[2] - b[2]) * (a[2] - b[2]));
            energy += p->charge[i].charge * p->charge[j].charge / r;
        }
    }
    return energy;
}

/* The sum in space, each pair and each charge with its images. */
static double near_energy(const tsl_points *p, const double length[3], double alpha)
{
    const double cut = reach / alpha;
    double energy = 0;
    for (int64_t i = 0; i < p->count * p->count; i++) {
        const tsl_point_charge *a = &p->charge[i / p->count];
        const tsl_point_charge *b = &p->charge[i % p->count];
        int64_t first[3], last[3];
        for (int axis = 0; axis < 3; axis++) {
            const double d = a->at[axis] - b->at[axis];
            first[axis] = (int64_t)ceil((-cut - d) / length[axis]);
            last[axis] = (int64_t)floor((cut - d) / length[axis]);
        }
        for (int64_t x = first[0]; x <= last[0]; x++) {
            for (int64_t y = first[1]; y <= last[1]; y++) {
                for (int64_t z = first[2]; z <= last[2]; z++) {
                    const double dx = a->at[0] - b->at[0] + (double)x * length[0];
                    const double dy = a->at[1] - b->at[1] + (double)y * length[1];
                    const double dz = a->at[2] - b->at[2] + (double)z * length[2];
                    const double r = sqrt(dx * dx + dy * dy + dz * dz);
                    const bool itself = a == b && x == 0 && y == 0 && z == 0;
                    energy += itself ? 0 : 0.5 * a->charge * b->charge * erfc(alpha * r) / r;
                }
            }
        }
    }
    return energy;
}

/* |sum of q exp(i k r)|^2 exp(-k^2 / 4 alpha^2) / k^2 */
static double wave_energy(const tsl_points *p, const double k[3], double alpha)
{
    const double k2 = k[0] * k[0] + k[1] * k[1] + k[2] * k[2];
    double real = 0, imaginary = 0;
    if (k2 == 0 || k2 > 4 * alpha * alpha * reach * reach) {
        return 0;
    }
    for (int64_t i = 0; i < p->count; i++) {
        const double *at = p->charge[i].at;
        const double angle = k[0] * at[0] + k[1] * at[1] + k[2] * at[2];
        real += p->charge[i].charge * cos(angle);
        imaginary += p->charge[i].charge * sin(angle);
    }
    return (real * real + imaginary * imaginary) * exp(-k2 / (4 * alpha * alpha)) / k2;
}

/* The sum over wavenumbers. */
static double far_energy(const tsl_points *p, const double length[3], double alpha)
{
    int64_t most[3];
    double energy = 0;
    for (int axis = 0; axis < 3; axis++) {
        most[axis] = (int64_t)(2 * alpha * reach * length[axis] / (2 * M_PI));
    }
    for (int64_t x = -most[0]; x <= most[0]; x++) {
        for (int64_t y = -most[1]; y <= most[1]; y++) {
            for (int64_t z = -most[2]; z <= most[2]; z++) {
                const double k[3] = {2 * M_PI * (double)x / length[0],
                                     2 * M_PI * (double)y / length[1],
                                     2 * M_PI * (double)z / length[2]};
                energy += wave_energy(p, k, alpha);
            }
        }
    }
    return 2 * M_PI / (length[0] * length[1] * length[2]) * energy;
}

double tsl_points_energy(const tsl_points *points)
{
    if (!points->periodic || points->count == 0) {
        return pairs(points);
    }
    double length[3], volume = 1, charge = 0, squares = 0;
    for (int axis = 0; axis < 3; axis++) {
        length[axis] = (double)points->n[axis] * points->step[axis];
        volume *= length[axis];
    }
    for (int64_t i = 0; i < points->count; i++) {
        charge += points->charge[i].charge;
        squares += points->charge[i].charge * points->charge[i].charge;
    }
    /* As many terms in space as among wavenumbers, for a box of any number of charges. */
    const double alpha = sqrt(M_PI) * pow((double)points->count / (volume * volume), 1.0 / 6);
    return near_energy(points, length, alpha) + far_energy(points, length, alpha) -
           alpha / sqrt(M_PI) * squares - M_PI * charge * charge / (2 * volume * alpha * alpha);
}
