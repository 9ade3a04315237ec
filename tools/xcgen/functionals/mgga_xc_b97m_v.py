"""The semilocal part of B97M-V: double series in the gradient's and the kinetic energy's variables.

N. Mardirossian, M. Head-Gordon, J. Chem. Phys. 142, 074111 (2015), eqs. 5 to 13. The nonlocal correlation VV10 is left to
the caller.
"""

from fractions import Fraction

import shared
from functionals import mgga_x_m06
from graph import root
from point import LDA_X, THIRD

FAMILY = "mgga"
KIND = "exchange and correlation"
DENSITY = "1e-15"
# The coefficient of w^i u^j: exchange, equal spins, opposite spins.
POWERS = {"x": [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1)], "ss": [(0, 0), (0, 2), (1, 0), (3, 2), (4, 2)],
          "os": [(0, 0), (0, 1), (0, 3), (1, 0), (3, 2)]}
PARAMETERS = [f"c{part}{i}{j}" for part in POWERS for i, j in POWERS[part]]
SETS = {"mgga_xc_b97m_v": (254, ["1", "1.308", "1.901", "0.416", "3.070",
                                 "1", "-1.855", "-5.668", "-20.497", "-20.364",
                                 "1", "1.573", "-6.298", "2.535", "-6.427"], {"vv10": ("6", "0.01")})}
GAMMA_X, GAMMA_SAME, GAMMA_OPPOSITE = Fraction("0.004"), Fraction("0.2"), Fraction("0.006")


def double_series(p, part, w, u):
    out = 0
    for i, j in POWERS[part]:
        term = getattr(p, f"c{part}{i}{j}")
        out = out + term * (w ** i * u ** j if i and j else w ** i if i else u ** j if j else 1)
    return out


def terms(point, p):
    g = point.graph

    def energy(channel):
        z = root(2, 3) ** 2 * (channel.tau * channel.n(Fraction(-5, 3)))
        x2 = root(2, 3) ** 2 * (channel.sigma * channel.n(Fraction(-8, 3)))
        w = mgga_x_m06.slow(g, z, shared.UNIFORM_SPIN)
        return LDA_X * channel.n(THIRD) * double_series(p, "x", w, shared.bounded(g, GAMMA_X, x2))
    pairs = shared.SpinPairs(point)
    same = [double_series(p, "ss", mgga_x_m06.slow(g, z, shared.UNIFORM_SPIN), shared.bounded(g, GAMMA_SAME, x2))
            for z, x2 in zip(pairs.z, pairs.x2)]
    # t is the mean over spins of C / z: (t - 1) / (t + 1) without the quotients
    z = pairs.z if point.polarised else [pairs.z[0], pairs.z[0]]
    top, bottom = shared.UNIFORM_SPIN * (z[0] + z[1]), 2 * (z[0] * z[1])
    w = (top - bottom) * g.rcp(top + bottom) if point.polarised else mgga_x_m06.slow(g, z[0], shared.UNIFORM_SPIN)
    u = shared.bounded(g, GAMMA_OPPOSITE, Fraction(1, 2) * pairs.both(pairs.x2))
    return point.exchange(energy) + pairs.terms(same, double_series(p, "os", w, u))


def literature(m, lib, p, point):
    from functionals import gga_c_pbe
    spins = [lib.OfSpin(point, s) for s in range(2)]

    def g(part, gamma, w, x2):
        u = m.mpf(gamma) * x2 / (1 + m.mpf(gamma) * x2)
        return sum(getattr(p, f"c{part}{i}{j}") * w ** i * u ** j for i, j in POWERS[part])
    exchange = sum(s.n * lib.uniform_exchange(2 * s.n) * g("x", "0.004", s.w, s.x2) for s in spins)
    t = (spins[0].t + spins[1].t) / 2
    opposite = g("os", "0.006", (t - 1) / (t + 1), (spins[0].x2 + spins[1].x2) / 2)
    return exchange + lib.by_pairs(point, gga_c_pbe.uniform_gas(m, lib, point),
                                   lambda s: g("ss", "0.2", spins[s].w, spins[s].x2), opposite)
