#include "solvers/poisson/point_charges.h"

#include <math.h>

#include "solvers/poisson/poisson_point.h"

/* exp(-REACH^2) is 2e-16: how far Gaussians go in space and among wavenumbers. */
static const double reach = 6;

/* erfc(INSIDE) / 2 is 7.7e-13: what a Gaussian so far inside of a face has beyond it. */
static const double inside = 5;

enum { NODES = TSL_POISSON_NODES };

/* Along an axis, samples first … last, of a periodic axis beyond its ends, are near a charge. */
typedef struct range {
    int64_t first, last;
} range;

/* What is the same for all samples. */
typedef struct sum {
    const tsl_points *points;
    tsl_points_quantity quantity;
    double alpha; /* of Gaussians exp(-alpha^2 r^2); 0 in a free box */
    double cut;   /* distance from which terms are 0; with a periodic axis */
} sum;

/* The narrowest Gaussian that the samples resolve. */
static double resolved_alpha(const tsl_points *points)
{
    const double *h = points->step;
    return M_PI / (2 * reach * fmax(h[0], fmax(h[1], h[2])));
}

static int free_axes(const tsl_points *points)
{
    return !points->periodic[0] + !points->periodic[1] + !points->periodic[2];
}

double tsl_points_margin(const tsl_points *points)
{
    return free_axes(points) < 3 ? inside / resolved_alpha(points) : 0;
}

static range range_of(const sum *s, int axis, double at)
{
    const tsl_points *p = s->points;
    range near = {0, p->n[axis] - 1};
    if (s->alpha > 0) {
        const double first = ceil((at - s->cut) / p->step[axis]);
        const double last = floor((at + s->cut) / p->step[axis]);
        near.first = p->periodic[axis] || first > 0 ? (int64_t)first : 0;
        near.last = p->periodic[axis] || last < (double)near.last ? (int64_t)last : near.last;
    }
    return near;
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

/* A charge's rows at sample `jx`, of a periodic axis possibly an image's, in plane x. */
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

/* What makes the mean of erfc(alpha r) / r zero, without a free axis. */
static double shift_of(const sum *s)
{
    const tsl_points *p = s->points;
    if (free_axes(p) > 0 || s->quantity != TSL_POINTS_POTENTIAL) {
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
    if (free_axes(points) < 3) {
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

/* Energy of the charges in a free box: the sum over pairs. */
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

/* Images of a pair `d` apart within the cut, along an axis. */
static range images_of(const tsl_points *p, int axis, double d, double length, double cut)
{
    return p->periodic[axis]
               ? (range){(int64_t)ceil((-cut - d) / length), (int64_t)floor((cut - d) / length)}
               : (range){0, 0};
}

/* The sum in space, each pair and each charge with its images. */
static double near_energy(const tsl_points *p, const double length[3], double alpha)
{
    const double cut = reach / alpha;
    double energy = 0;
    for (int64_t i = 0; i < p->count * p->count; i++) {
        const tsl_point_charge *a = &p->charge[i / p->count];
        const tsl_point_charge *b = &p->charge[i % p->count];
        range images[3];
        for (int axis = 0; axis < 3; axis++) {
            images[axis] = images_of(p, axis, a->at[axis] - b->at[axis], length[axis], cut);
        }
        for (int64_t x = images[0].first; x <= images[0].last; x++) {
            for (int64_t y = images[1].first; y <= images[1].last; y++) {
                for (int64_t z = images[2].first; z <= images[2].last; z++) {
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

/* ---- energy, of slabs and wires ------------------------------------------------------------- */

/* What is the same for all pairs. */
typedef struct strip {
    const tsl_points *points;
    double length[3];
    double alpha;
    double face; /* of the periodic axes: area, or length */
    int free;    /* axes, 1 or 2 */
} strip;

/* The integral of (1 - exp(-s)) / s from 0 to x. */
static double entire_integral(double x)
{
    const int panels = 1 + (int)(x / 2);
    const double width = x / panels;
    double total = 0;
    for (int i = 0; i < panels * NODES && x > 0; i++) {
        double at, weight;
        tsl_poisson_node(i % NODES, &at, &weight);
        const double t = width * (i / NODES + at);
        total -= weight * width * expm1(-t) / t;
    }
    return total;
}

/* Potential of a Gaussian's mean along the periodic axes, at distance d along the free ones. */
static double mean_of_gaussian(const strip *s, double d)
{
    const double b = s->alpha * d;
    const double euler = 0.57721566490153286061;
    if (s->free == 1) {
        return -2 * M_PI / s->face * (d * erf(b) + exp(-b * b) / (s->alpha * sqrt(M_PI)));
    }
    /* -ln d^2 less the exponential integral E1(b^2) */
    return (b * b > 40 ? -2 * log(d) : euler + 2 * log(s->alpha) - entire_integral(b * b)) /
           s->face;
}

/* Potential of a Gaussian's wave k along the periodic axes: 4 pi / face times the integral over t >
 * 1 / 4 alpha^2 of exp(-k^2 t - d^2 / 4 t) / (4 pi t)^(free / 2), over the logarithm of t. */
static double wave_of_gaussian(const strip *s, double k, double d)
{
    const double least = 1 / (4 * s->alpha * s->alpha);
    const double most = reach * reach / (k * k); /* exp(-36) from there on */
    if (most <= least) {
        return 0;
    }
    const double whole = log(most / least);
    const int panels = 1 + (int)(2 * whole);
    const double width = whole / panels;
    double total = 0;
    for (int i = 0; i < panels * NODES; i++) {
        double at, weight;
        tsl_poisson_node(i % NODES, &at, &weight);
        const double t = least * exp(width * (i / NODES + at));
        total += weight * width * exp(-k * k * t - d * d / (4 * t)) *
                 (s->free == 1 ? sqrt(t / (4 * M_PI)) : 1 / (4 * M_PI));
    }
    return 4 * M_PI / s->face * total;
}

/* Potential of a unit charge's Gaussian and all its images, `d` from it. */
static double potential_of_gaussian(const strip *s, const double d[3])
{
    const tsl_points *p = s->points;
    double across = 0, total = 0;
    int64_t most[3];
    for (int axis = 0; axis < 3; axis++) {
        across += p->periodic[axis] ? 0 : d[axis] * d[axis];
        most[axis] = p->periodic[axis] ? (int64_t)(s->alpha * reach * s->length[axis] / M_PI) : 0;
    }
    across = sqrt(across);
    for (int64_t x = 0; x <= most[0]; x++) {
        for (int64_t y = 0; y <= most[1]; y++) {
            for (int64_t z = 0; z <= most[2]; z++) {
                const int64_t wave[3] = {x, y, z};
                double k2 = 0, phase = 1; /* of the wave with all signs */
                for (int axis = 0; axis < 3; axis++) {
                    const double k = 2 * M_PI * (double)wave[axis] / s->length[axis];
                    k2 += k * k;
                    phase *= wave[axis] > 0 ? 2 * cos(k * d[axis]) : 1;
                }
                total += k2 == 0 ? mean_of_gaussian(s, across)
                                 : phase * wave_of_gaussian(s, sqrt(k2), across);
            }
        }
    }
    return total;
}

static double strip_energy(const tsl_points *p, const double length[3])
{
    strip s = {.points = p, .face = 1, .free = free_axes(p)};
    for (int axis = 0; axis < 3; axis++) {
        s.length[axis] = length[axis];
        s.face *= p->periodic[axis] ? length[axis] : 1;
    }
    s.alpha = sqrt(M_PI) / (s.free == 1 ? sqrt(s.face) : s.face);
    double energy = near_energy(p, length, s.alpha);
    for (int64_t i = 0; i < p->count; i++) {
        const tsl_point_charge *a = &p->charge[i];
        for (int64_t j = 0; j <= i; j++) {
            const tsl_point_charge *b = &p->charge[j];
            const double d[3] = {a->at[0] - b->at[0], a->at[1] - b->at[1], a->at[2] - b->at[2]};
            energy += (i == j ? 0.5 : 1) * a->charge * b->charge * potential_of_gaussian(&s, d);
        }
        energy -= s.alpha / sqrt(M_PI) * a->charge * a->charge;
    }
    return energy;
}

double tsl_points_energy(const tsl_points *points)
{
    const int free = free_axes(points);
    if (free == 3 || points->count == 0) {
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
    if (free > 0) {
        return strip_energy(points, length);
    }
    /* With this alpha there are as many terms in space as among wavenumbers, for any number of
     * charges. */
    const double alpha = sqrt(M_PI) * pow((double)points->count / (volume * volume), 1.0 / 6);
    return near_energy(points, length, alpha) + far_energy(points, length, alpha) -
           alpha / sqrt(M_PI) * squares - M_PI * charge * charge / (2 * volume * alpha * alpha);
}
