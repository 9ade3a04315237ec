"""Correlation of the M06 family: Stoll's pairs of spins by Becke's series of 1997 and the form of Van Voorhis and Scuseria.

Y. Zhao, D. G. Truhlar, J. Chem. Phys. 125, 194101 (2006), eqs. 10 to 19; Theor. Chem. Acc. 120, 215 (2008).
"""

from fractions import Fraction

import shared
from functionals import mgga_x_m06

FAMILY = "mgga"
KIND = "correlation"
DENSITY = "1e-12"
PARAMETERS = ([f"css{i}" for i in range(5)] + [f"cab{i}" for i in range(5)] + [f"dss{i}" for i in range(6)]
              + [f"dab{i}" for i in range(6)])
SETS = {
    "mgga_c_m06_l": (233, ["0.5349466", "0.5396620", "-31.61217", "51.49592", "-29.19613",
                           "0.6042374", "177.6783", "-251.3252", "76.35173", "-12.55699",
                           "0.4650534", "0.1617589", "0.1833657", "0.00046921", "-0.004990573", "0",
                           "0.3957626", "-0.5614546", "0.01403963", "0.0009831442", "-0.003577176", "0"]),
    "mgga_c_m06_2x": (236, ["0.3097855", "-5.528642", "13.47420", "-32.13623", "28.46742",
                            "0.8833596", "33.57972", "-70.43548", "49.78271", "-18.52891",
                            "0.6902145", "0.09847204", "0.2214797", "-0.001968264", "-0.006775479", "0",
                            "0.1166404", "-0.09120847", "-0.06726189", "0.0000672058", "0.0008448011", "0"]),
}
GAMMA_SAME, GAMMA_OPPOSITE = Fraction("0.06"), Fraction("0.0031")
ALPHA_SAME, ALPHA_OPPOSITE = Fraction("0.00515088"), Fraction("0.00304966")


def named(p, prefix, count):
    return [getattr(p, f"{prefix}{i}") for i in range(count)]


def terms(point, p):
    g = point.graph
    pairs = shared.SpinPairs(point)
    z = [2 * z - 2 * shared.UNIFORM_SPIN for z in pairs.z]
    same = []
    for x2, own, free in zip(pairs.x2, z, pairs.free):
        u = shared.bounded(g, GAMMA_SAME, x2)
        same.append(free * (shared.series(named(p, "css", 5), u)
                            + mgga_x_m06.vs98(g, named(p, "dss", 6), ALPHA_SAME, x2, own)))
    x2 = pairs.both(pairs.x2)
    opposite = (shared.series(named(p, "cab", 5), shared.bounded(g, GAMMA_OPPOSITE, x2))
                + mgga_x_m06.vs98(g, named(p, "dab", 6), ALPHA_OPPOSITE, x2, pairs.both(z)))
    return pairs.terms(same, opposite)


def literature(m, lib, p, point):
    from functionals import gga_c_pbe
    spins = [lib.OfSpin(point, s) for s in range(2)]
    z = [mgga_x_m06.published_z(m, lib, spin) for spin in spins]

    def g(c, gamma, x2):
        return sum(v * (m.mpf(gamma) * x2 / (1 + m.mpf(gamma) * x2)) ** i for i, v in enumerate(c))

    def same(s):
        x2 = spins[s].x2
        h = mgga_x_m06.published_vs98(m, named(p, "dss", 6), m.mpf("0.00515088"), x2, z[s])
        d = 1 - x2 / (4 * (z[s] + m.mpf(3) / 5 * lib.power(6 * m.pi ** 2, 2, 3)))
        return (g(named(p, "css", 5), "0.06", x2) + h) * d
    x2 = spins[0].x2 + spins[1].x2
    opposite = (g(named(p, "cab", 5), "0.0031", x2)
                + mgga_x_m06.published_vs98(m, named(p, "dab", 6), m.mpf("0.00304966"), x2, z[0] + z[1]))
    return lib.by_pairs(point, gga_c_pbe.uniform_gas(m, lib, point), same, opposite)
