/* Docking's arithmetic, the same on every device, compiler and instruction set.
 *
 * FTDock 2.0 computes in single precision, and which cells an atom fills hangs on each of its
 * roundings where the atom is on the rim of a cell. They are kept, each an explicit conversion:
 * coordinates are rounded after each of a rotation's three turns, the centres of cells once, the
 * square of a distance after each of its steps. A product is never fused with a sum: it is either
 * exact in double precision or rounded before it is added. On a GPU the functions that round to
 * the nearest are named, so that no compiler's flag can exchange them.
 */
#ifndef TSL_DOCK_POINT_H
#define TSL_DOCK_POINT_H

#include <math.h>
#include <stdint.h>

#include "core/point.h"

#define TSL_WEIGHT_BITS 20    /* of the place of a charge between two cells */
#define TSL_POTENTIAL_BITS 27 /* of the potential, e/angstrom, |phi| < 8 */
#define TSL_CHARGE_UNIT 1e-4  /* e */

/* Radius of every atom, angstrom, and the square with which the square s of a distance is compared:
 * FTDock 2.0 asks whether sqrt(s), rounded to single precision, is below 1.8f, and so it is exactly
 * for the s below 1.8f * 1.8f, which is rounded to single precision too. */
#define TSL_ATOM_RADIUS 1.8f
#define TSL_ATOM_SQUARE 0x1.9eb85p+1f

/* Products and sums that no compiler may fuse. */
#ifdef __CUDA_ARCH__
#define TSL_TURNED(a, b, c, d) __dadd_rn(__dmul_rn(a, b), __dmul_rn(c, d))
#else
#define TSL_TURNED(a, b, c, d) ((a) * (b) + (c) * (d))
#endif

/* Cosines and sines of twist, theta and phi. */
typedef struct tsl_dock_turns {
    double cosine[3];
    double sine[3];
} tsl_dock_turns;

/* p' = Rz(phi) Ry(theta) Rz(twist) p, angstrom. */
TSL_FN void tsl_dock_rotate(const tsl_dock_turns *t, const float p[3], float out[3])
{
    const float x1 = (float)TSL_TURNED(p[0], t->cosine[0], -p[1], t->sine[0]);
    const float y1 = (float)TSL_TURNED(p[0], t->sine[0], p[1], t->cosine[0]);
    const float x2 = (float)TSL_TURNED(p[2], t->sine[1], x1, t->cosine[1]);
    out[0] = (float)TSL_TURNED(x2, t->cosine[2], -y1, t->sine[2]);
    out[1] = (float)TSL_TURNED(x2, t->sine[2], y1, t->cosine[2]);
    out[2] = (float)TSL_TURNED(p[2], t->cosine[1], -x1, t->sine[1]);
}

/* Cell that holds coordinate p, angstrom, on a grid of `grid` cells of `spacing` around 0. Below
 * zero what lies on the edge between two cells belongs to the lower one. */
TSL_FN int tsl_dock_cell(float p, float spacing, int grid)
{
#ifdef __CUDA_ARCH__
    const float cells = __fdiv_rn(p, spacing);
#else
    const float cells = (float)(p / spacing);
#endif
    return (int)cells + grid / 2 - (p < 0);
}

/* Centre of cell i, angstrom, on a grid of N cells of `spacing` that spans `span`; `spacing` is
 * span / N rounded, so that centres are not quite symmetric. (i + 1/2) spacing - span / 2 has at
 * most 36 digits: it is exact in double precision, and in a fused product and sum. */
TSL_FN float tsl_dock_cell_centre(int i, float spacing, float span)
{
#ifdef __CUDA_ARCH__
    return __fmaf_rn((float)i + 0.5F, spacing, -0.5F * span);
#else
    return (float)((i + 0.5) * (double)spacing - 0.5 * (double)span);
#endif
}

/* Square of the distance of coordinate p from a cell's centre, along one axis. */
TSL_FN float tsl_dock_square(float p, float centre)
{
#ifdef __CUDA_ARCH__
    const float d = __fsub_rn(p, centre);
    return __fmul_rn(d, d);
#else
    const float d = (float)(p - centre);
    return (float)((double)d * (double)d);
#endif
}

/* Sum of two squares. It grows with each of them, so the cells that an atom fills in a row lie side
 * by side. */
TSL_FN float tsl_dock_sum(float a, float b)
{
#ifdef __CUDA_ARCH__
    return __fadd_rn(a, b);
#else
    return (float)(a + b);
#endif
}

/* Cells to either side of one in which those within `length` of a point in it are looked for. */
TSL_FN int tsl_dock_reach(float length, float spacing)
{
    return (int)((double)(float)(length / spacing) + 1.5);
}

/* Are two cells whose distance has `square`, in cells, nearer than `length`? */
TSL_FN int tsl_dock_is_near(int square, float spacing, float length)
{
    const float scaled = (float)((float)((float)square * spacing) * spacing);
    return scaled < (float)(length * length);
}

/* Where a charge sits between the centres of two neighbouring cells along one axis. */
typedef struct tsl_dock_corner {
    int low;        /* the lower of the two cells */
    int32_t offset; /* from the middle between them, less `slip` cells; TSL_WEIGHT_BITS */
} tsl_dock_corner;

/* FTDock 2.0 spreads a charge over the 8 nearest cells with the weights 1/2 - a (low) and 1/2 + a
 * (high) along each axis. a should be the offset f in [-1/2, 1/2] from the middle of the two
 * centres; the original takes the centre one whole span too far off, so that a = f - N. That
 * decides which poses its lists hold: slip = N keeps it, slip = 0 mends it. The cell and the
 * offset, in angstrom, are rounded as there. */
TSL_FN tsl_dock_corner tsl_dock_corner_of(float p, float spacing, float span, int grid, int slip)
{
    const double half = 0.5 * (double)spacing;
    const double middle = slip > 0 ? -0.5 * (double)span : 0.5 * (double)span;
    tsl_dock_corner corner;
    corner.low = tsl_dock_cell((float)((double)p - half), spacing, grid);
    const double from_centre = (double)p - (corner.low + 0.5) * (double)spacing + middle;
    const float offset = (float)(from_centre - half);
    const double cells = (double)offset / (double)spacing;
#ifdef __CUDA_ARCH__
    corner.offset = __double2int_rn(cells * (1 << TSL_WEIGHT_BITS));
#else
    corner.offset = (int32_t)lrint(cells * (1 << TSL_WEIGHT_BITS));
#endif
    return corner;
}

/* Digits by which a step of interpolation is scaled down beyond the weights' own, to stay in range:
 * the weights' sizes add up to at most 2 slip + 1. */
TSL_FN int tsl_dock_weight_bits(int slip)
{
    int bits = 0;
    while (slip > 0 && (1 << bits) < 2 * slip + 1) {
        bits++;
    }
    return bits;
}

/* One step: (1/2 - a) low + (1/2 + a) high, over 2^bits, rounded to the nearest. */
TSL_FN int32_t tsl_dock_interpolate(int32_t low, int32_t high, int32_t offset, int bits)
{
    const int64_t half = INT64_C(1) << (TSL_WEIGHT_BITS - 1);
    const int shift = TSL_WEIGHT_BITS + bits;
    const int64_t sum = (half - offset) * low + (half + offset) * high;
    return (int32_t)((sum + (INT64_C(1) << (shift - 1))) >> shift);
}

/* The cell `i` cells on, on a ring of `grid`; 0 <= i < 2 grid. */
TSL_FN int tsl_dock_wrap(int i, int grid)
{
    return i >= grid ? i - grid : i;
}

/* Potential at three-dimensional corner `c` shifted by (x, y, z), over 2^(3 bits). */
TSL_FN int32_t tsl_dock_potential_at(const int32_t *potential, int grid, const tsl_dock_corner c[3],
                                     const int shift[3], int bits)
{
    const int x0 = tsl_dock_wrap(c[0].low + shift[0], grid);
    const int y0 = tsl_dock_wrap(c[1].low + shift[1], grid);
    const int z0 = tsl_dock_wrap(c[2].low + shift[2], grid);
    const int64_t row = grid;
    const int64_t x[2] = {x0 * row * row, tsl_dock_wrap(x0 + 1, grid) * row * row};
    const int64_t y[2] = {y0 * row, tsl_dock_wrap(y0 + 1, grid) * row};
    const int z[2] = {z0, tsl_dock_wrap(z0 + 1, grid)};
    int32_t planes[2];
    for (int i = 0; i < 2; i++) {
        int32_t lines[2];
        for (int j = 0; j < 2; j++) {
            const int32_t *at = potential + x[i] + y[j];
            lines[j] = tsl_dock_interpolate(at[z[0]], at[z[1]], c[2].offset, bits);
        }
        planes[i] = tsl_dock_interpolate(lines[0], lines[1], c[1].offset, bits);
    }
    return tsl_dock_interpolate(planes[0], planes[1], c[0].offset, bits);
}

/* Distance-dependent dielectric constant times distance, angstrom: eps = 4 up to 6 angstrom,
 * 38 r - 224 up to 8, 80 beyond; r at least 2 (Gabb, Jackson & Sternberg 1997, eq. 6; after
 * Warwicker). */
TSL_FN double tsl_dock_screening(double r)
{
    r = r < 2.0 ? 2.0 : r;
    double epsilon = 38.0 * r - 224.0;
    epsilon = epsilon < 4.0 ? 4.0 : epsilon;
    epsilon = epsilon > 80.0 ? 80.0 : epsilon;
    return epsilon * r;
}

/* A potential in fixed point. */
TSL_FN int32_t tsl_dock_fixed_potential(double phi)
{
    phi = phi > 8.0 ? 8.0 : phi < -8.0 ? -8.0 : phi;
    return (int32_t)rint(phi * (INT64_C(1) << TSL_POTENTIAL_BITS));
}

/* Shift along an axis in (-N/2, N/2] from its place 0 … N - 1 in the correlation, and back. */
TSL_FN int tsl_dock_signed_shift(int place, int grid)
{
    return place > grid / 2 ? place - grid : place;
}

TSL_FN int tsl_dock_place_of_shift(int shift, int grid)
{
    return shift < 0 ? shift + grid : shift;
}

#endif
