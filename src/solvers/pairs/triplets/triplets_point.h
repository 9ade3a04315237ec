/* The energy of three points. */
#ifndef TSL_TRIPLETS_POINT_H
#define TSL_TRIPLETS_POINT_H

#include <math.h>

#include "core/point.h"
#include "tesela/tetrahedron.h"

/* Axilrod and Teller's, nu = 1. With a = r_ij^2, b = r_jk^2, c = r_ki^2 the product of the cosines
 * is (a + c - b) (a + b - c) (b + c - a) / (8 a b c). */
TSL_FN double tsl_triplet_energy(const double p[3], const double q[3], const double r[3])
{
    double a = 0, b = 0, c = 0;
    for (int k = 0; k < 3; k++) {
        const double x = p[k] - q[k], y = q[k] - r[k], z = r[k] - p[k];
        a += x * x;
        b += y * y;
        c += z * z;
    }
    const double product = a * b * c;
    const double cosines = (a + c - b) * (a + b - c) * (b + c - a) / (8 * product);
    return (1 + 3 * cosines) / (product * sqrt(product));
}

#endif
