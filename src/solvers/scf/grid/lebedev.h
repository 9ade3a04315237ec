/* Lebedev's rules: points on the unit sphere and weights that integrate spherical harmonics
 * exactly, of 6 to 5 810 points and degrees 3 to 131, with octahedral symmetry.
 *
 * The rules are worked out by tools/lebedev, which solves their equations with 70 digits. Weights
 * sum to 1: the mean of f over the sphere is sum_i weight_i f(point_i). Those of 74, 230 and 266
 * points have negative weights. Source: V. I. Lebedev, D. N. Laikov, Doklady Mathematics 59, 477
 * (1999). */
#ifndef TSL_SCF_LEBEDEV_H
#define TSL_SCF_LEBEDEV_H

#include "core/core.h"

typedef struct tsl_lebedev_rule {
    int points, degree;
    int first, orbits; /* rows of the table of orbits */
} tsl_lebedev_rule;

enum { TSL_LEBEDEV_RULES = 32, TSL_LEBEDEV_MOST_POINTS = 5810 };

/* In the order of their points. */
extern const tsl_lebedev_rule tsl_lebedev_rules[TSL_LEBEDEV_RULES];

/* The rule of so many points; NULL: there is none. */
const tsl_lebedev_rule *tsl_lebedev_find(int points);

/* Write a rule's points [points][3] and weights [points], orbit by orbit. Exact harmonics: 1e-15.
 */
void tsl_lebedev_expand(const tsl_lebedev_rule *rule, double *points, double *weights);

#endif
