/* The mathematics of contacts, the same on every device. */
#ifndef TSL_CONTACTS_POINT_H
#define TSL_CONTACTS_POINT_H

#include "core/point.h"

/* Is the square of the distance of p and q less than `square`? */
TSL_FN int tsl_contacts_touch(const double p[3], const double q[3], double square)
{
    double sum = 0;
    for (int axis = 0; axis < 3; axis++) {
        const double d = p[axis] - q[axis];
        sum += d * d;
    }
    return sum < square;
}

#endif
