/* How much of a point belongs to an atom. */
#ifndef TSL_SCF_PARTITION_POINT_H
#define TSL_SCF_PARTITION_POINT_H

#include "core/point.h"

/* A cell function's product that is less than this part of the nearest atom's is taken for 0. */
#define TSL_SCF_PARTITION_NOTHING 1e-22

/* The factor that atom i's cell function has from atom j, mu = (r_i - r_j) / R_ij with Treutler's
 * adjustment a: 1 at atom i, 0 at atom j. */
TSL_FN double tsl_scf_becke_factor(double mu, double a)
{
    double x = mu + a * (1 - mu * mu);
    x = (3 - x * x) * x * 0.5;
    x = (3 - x * x) * x * 0.5;
    x = (3 - x * x) * x * 0.5;
    return 0.5 * (1 - x);
}

/* The factor that atom i's cell function has from atom j by Stratmann, Scuseria and Frisch, Chem.
 * Phys. Lett. 257, 213 (1996): 1 at atom i, 0 at atom j. */
TSL_FN double tsl_scf_stratmann_factor(double mu)
{
    const double m = mu / 0.64;
    const double m2 = m * m;
    const double z = m * (35 + m2 * (-35 + m2 * (21 - 5 * m2))) * (1.0 / 16);
    const double held = m <= -1 ? -1 : m >= 1 ? 1 : z;
    return 0.5 * (1 - held);
}

TSL_FN double tsl_scf_partition_factor(int stratmann, double mu, double a)
{
    return stratmann ? tsl_scf_stratmann_factor(mu) : tsl_scf_becke_factor(mu, a);
}

#endif
