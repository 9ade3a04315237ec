/* The mathematics of Poisson's equation, the same on every device: where a spectrum's numbers
 * stand, and Green's functions of laplacian - q^2 for a unit point charge, -4 pi delta. */
#ifndef TSL_POISSON_POINT_H
#define TSL_POISSON_POINT_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "blocks/fft/fft.h"
#include "core/point.h"

/* The arrays of a solve. */
typedef struct tsl_poisson_grid {
    int n[3];                /* samples */
    int m[3];                /* lengths of the transforms: n, or at least 2 n - 1 of a free axis */
    int half;                /* m[2] / 2 + 1 columns */
    int row;                 /* complex numbers from one row to the next */
    int width, blocks;       /* columns of a block; blocks * width >= z_count */
    int y_begin, y_count;    /* ky of this rank's part of the octant */
    int z_begin, z_count;    /* kz of that part, its columns */
    tsl_precision precision; /* of all but the symbols, which are double */
    bool lines;              /* a GPU transforms lines itself; else its library does */
    bool strided;      /* the library transforms planes, then the first axis where it stands */
    bool tabulated;    /* the spectrum is an octant of numbers; else it follows from symbols */
    bool estimate;     /* the CPU's transforms are planned without measuring */
    double screening2; /* with symbols: spectrum = scale / (symbols + screening2) */
    double scale;
    double wave[3]; /* wavenumber of the transform's first wave along each axis */
} tsl_poisson_grid;

/* Index of a wavenumber's entry in an octant, of i = 0 … m - 1. */
TSL_FN int tsl_poisson_fold(int i, int m)
{
    return i <= m / 2 ? i : m - i;
}

/* Wavenumber along an axis of i = 0 … m - 1 as a derivative has it: that of the Nyquist wave, which
 * has two signs, is 0. */
TSL_FN double tsl_poisson_slope(const tsl_poisson_grid *grid, int axis, int i)
{
    const int m = grid->m[axis];
    return 2 * i == m ? 0 : grid->wave[axis] * (2 * i < m ? i : i - m);
}

/* Where the spectrum of (kx, ky, kz), within this rank's part of the octant, stands:
 * [block][ky][kx][width]. */
TSL_FN int64_t tsl_poisson_entry(const tsl_poisson_grid *grid, int kx, int ky, int kz)
{
    const int column = kz - grid->z_begin;
    const int64_t line = (int64_t)(column / grid->width) * grid->y_count + ky - grid->y_begin;
    return (line * (grid->m[0] / 2 + 1) + kx) * grid->width + column % grid->width;
}

/* Numbers of a tabulated spectrum, or of the symbols. */
TSL_FN int64_t tsl_poisson_entries(const tsl_poisson_grid *grid)
{
    const int64_t h0 = grid->m[0] / 2 + 1;
    const int64_t h1 = grid->m[1] / 2 + 1;
    return grid->tabulated ? grid->blocks * grid->y_count * h0 * grid->width : h0 + h1 + grid->half;
}

/* A symbol's spectrum; where the operator is zero, the mean of a periodic box, the answer's is 0.
 */
TSL_FN double tsl_poisson_inverse(double symbols, double screening2, double scale)
{
    const double sum = symbols + screening2;
    return sum > 0 ? scale / sum : 0;
}

/* ---- truncated kernels: transforms of G(r) for r < radius, 0 beyond ------------------------- */

enum { TSL_POISSON_NODES = 16 };

/* Gauss and Legendre's rule on [0, 1]. */
TSL_FN void tsl_poisson_node(int i, double *x, double *weight)
{
    const double nodes[TSL_POISSON_NODES / 2] = {
        0.0950125098376374402, 0.2816035507792589132, 0.4580167776572273863, 0.6178762444026437484,
        0.7554044083550030339, 0.8656312023878317439, 0.9445750230732325761, 0.9894009349916499326};
    const double weights[TSL_POISSON_NODES / 2] = {
        0.1894506104550684963, 0.1826034150449235889, 0.1691565193950025382, 0.1495959888165767321,
        0.1246289712555338720, 0.0951585116824927848, 0.0622535239386478929, 0.0271524594117540949};
    const int j = i % (TSL_POISSON_NODES / 2);
    *x = 0.5 + (i < TSL_POISSON_NODES / 2 ? 0.5 : -0.5) * nodes[j];
    *weight = 0.5 * weights[j];
}

/* G = exp(-q r) / r in three dimensions, at wavenumber s. */
TSL_FN double tsl_green_free(double s, double q, double radius)
{
    const double a = q * radius;
    const double b = s * radius;
    if (a * a + b * b < 1) { /* where the closed form cancels */
        double sum = 0;
        for (int i = 0; i < TSL_POISSON_NODES; i++) {
            double t, weight;
            tsl_poisson_node(i, &t, &weight);
            const double angle = b * t;
            sum += weight * t * exp(-a * t) * (angle > 0 ? sin(angle) / angle : 1);
        }
        return 4 * M_PI * radius * radius * sum;
    }
    if (q == 0) {
        const double wave = sin(0.5 * b) / s;
        return 8 * M_PI * wave * wave;
    }
    const double ratio = b > 0 ? sin(b) / b : 1;
    return 4 * M_PI / (s * s + q * q) * (1 - exp(-a) * (cos(b) + a * ratio));
}

/* G = 2 pi exp(-q |z|) / q, or -2 pi |z| for q = 0, in one dimension. */
TSL_FN double tsl_green_slab(double s, double q, double radius)
{
    const double a = q * radius;
    const double b = s * radius;
    if (q == 0) {
        return b == 0 ? -2 * M_PI * radius * radius
                      : 4 * M_PI * (1 - cos(b) - b * sin(b)) / (s * s);
    }
    if (b == 0) {
        return -4 * M_PI * expm1(-a) / (q * q);
    }
    return 4 * M_PI / (s * s + q * q) * (1 - exp(-a) * (cos(b) - s / q * sin(b)));
}

/* The modified Bessel functions K0(x) and K1(x) of x > 0, relative error 1e-14: the trapezoidal
 * rule on the integral of exp(-x cosh t) cosh(nu t), which converges exponentially. */
TSL_FN void tsl_bessel_k(double x, double *k0, double *k1)
{
    const double step = 0.125;
    double zeroth = 0.5;
    double first = 0.5;
    for (int i = 1; i < 1024; i++) {
        const double c = cosh(step * i);
        const double term = exp(-x * (c - 1));
        if (!(term * c > 0)) {
            break;
        }
        zeroth += term;
        first += term * c;
    }
    *k0 = step * exp(-x) * zeroth;
    *k1 = step * exp(-x) * first;
}

/* A wave along the wire: q and, for q > 0, K0 and K1 of q * radius. */
typedef struct tsl_green_wave {
    double q, k0, k1;
} tsl_green_wave;

TSL_FN tsl_green_wave tsl_green_wave_of(double q, double radius)
{
    tsl_green_wave wave = {q, 0, 0};
    if (q > 0) {
        tsl_bessel_k(q * radius, &wave.k0, &wave.k1);
    }
    return wave;
}

/* G = 2 K0(q r), or -2 ln r for q = 0, in two dimensions. */
TSL_FN double tsl_green_wire(double s, const tsl_green_wave *wave, double radius)
{
    const double a = wave->q * radius;
    const double b = s * radius;
    if (wave->q == 0) {
        return b == 0 ? M_PI * radius * radius * (1 - 2 * log(radius))
                      : 4 * M_PI / (s * s) * (1 - j0(b) - b * log(radius) * j1(b));
    }
    if (a * a + b * b < 1) {
        double sum = 0; /* r = radius u^4, which takes the logarithm's edge off */
        for (int i = 0; i < TSL_POISSON_NODES; i++) {
            double u, weight, k0, k1;
            tsl_poisson_node(i, &u, &weight);
            const double t = u * u * u * u;
            tsl_bessel_k(a * t, &k0, &k1);
            sum += weight * 4 * t * t / u * k0 * j0(b * t);
        }
        return 4 * M_PI * radius * radius * sum;
    }
    return 4 * M_PI / (s * s + wave->q * wave->q) *
           (1 + b * j1(b) * wave->k0 - a * j0(b) * wave->k1);
}

/* ---- kernels in space ----------------------------------------------------------------------- */

/* A third of the antiderivative of 1 / r that differentiates to it once along each axis; the others
 * are its cyclic permutations. */
TSL_FN double tsl_green_corner(double x, double y, double z)
{
    const double r = sqrt(x * x + y * y + z * z);
    const double across = sqrt(x * x + y * y);
    const double log_term = x * y == 0 ? 0 : x * y * asinh(z / across);
    return log_term - (z == 0 ? 0 : 0.5 * z * z * atan(x * y / (z * r)));
}

/* Mean of 1 / r over the cell of edges h around d. */
TSL_FN double tsl_green_integrated(const double d[3], const double h[3])
{
    const double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    const double widest = h[0] > h[1] ? (h[0] > h[2] ? h[0] : h[2]) : (h[1] > h[2] ? h[1] : h[2]);
    double sum = 0;
    if (r2 > 100 * widest * widest) { /* where the corners cancel; Gauss's rule is off by 1e-13 */
        const double x[4] = {-0.43056815579702629, -0.16999052179242813, 0.16999052179242813,
                             0.43056815579702629};
        const double w[4] = {0.17392742256872693, 0.32607257743127307, 0.32607257743127307,
                             0.17392742256872693};
        for (int i = 0; i < 64; i++) {
            const int j[3] = {i / 16, i / 4 % 4, i % 4};
            double square = 0;
            for (int axis = 0; axis < 3; axis++) {
                const double at = d[axis] + x[j[axis]] * h[axis];
                square += at * at;
            }
            sum += w[j[0]] * w[j[1]] * w[j[2]] / sqrt(square);
        }
        return sum;
    }
    for (int corner = 0; corner < 8; corner++) {
        const double x = d[0] + (corner & 1 ? 0.5 : -0.5) * h[0];
        const double y = d[1] + (corner & 2 ? 0.5 : -0.5) * h[1];
        const double z = d[2] + (corner & 4 ? 0.5 : -0.5) * h[2];
        const double value =
            tsl_green_corner(x, y, z) + tsl_green_corner(y, z, x) + tsl_green_corner(z, x, y);
        const int minus = 3 - (corner & 1) - (corner >> 1 & 1) - (corner >> 2 & 1);
        sum += minus % 2 ? -value : value;
    }
    return sum / (h[0] * h[1] * h[2]);
}

/* 1 / r, and in the charge's own cell the mean. */
TSL_FN double tsl_green_point(const double d[3], const double h[3])
{
    const double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    return r2 == 0 ? tsl_green_integrated(d, h) : 1 / sqrt(r2);
}

#endif
