"""Exchange of the M06 family: PBE's by a series of the kinetic energy, and the uniform gas's by the form of Van Voorhis and
Scuseria.

Y. Zhao, D. G. Truhlar, J. Chem. Phys. 125, 194101 (2006), eqs. 4 to 9; Theor. Chem. Acc. 120, 215 (2008).
"""

from fractions import Fraction

import shared
from functionals import gga_x_pbe
from graph import root
from point import LDA_X, THIRD

FAMILY = "mgga"
KIND = "exchange"
DENSITY = "1e-15"
PARAMETERS = [f"a{i}" for i in range(12)] + [f"d{i}" for i in range(6)]
SETS = {
    "mgga_x_m06_l": (203, ["0.3987756", "0.2548219", "0.3923994", "-2.103655", "-6.302147", "10.97615", "30.97273",
                           "-23.18489", "-56.73480", "21.60364", "34.21814", "-9.049762",
                           "0.6012244", "0.004748822", "-0.008635108", "-0.000009308062", "0.00004482811", "0"]),
    "hyb_mgga_x_m06_2x": (450, ["0.46", "-0.2206052", "-0.09431788", "2.164494", "-2.556466", "-14.22133", "15.55044",
                                "35.98078", "-27.22754", "-39.24093", "15.22808", "15.22227",
                                "0", "0", "0", "0", "0", "0"], {"exchange": ("0.54", "0", "0")}),
}
ALPHA = Fraction("0.00186726")


class Pbe:
    def __init__(self, g):
        self.kappa, self.mu = g.const(Fraction("0.8040")), g.const(Fraction(gga_x_pbe.MU))


def slow(g, z, uniform):
    """(t - 1) / (t + 1), t = tau of the uniform gas / tau; z = tau / rho^(5/3)"""
    return (uniform - z) * g.rcp(uniform + z)


def vs98(g, d, alpha, x2, z):
    """d0 / y + (d1 x^2 + d2 z) / y^2 + (d3 x^4 + d4 x^2 z + d5 z^2) / y^3, y = 1 + alpha (x^2 + z)"""
    inverse = g.rcp(1 + alpha * (x2 + z))
    x, k = x2 * inverse, z * inverse
    return inverse * (d[0] + d[1] * x + d[2] * k + d[3] * (x * x) + d[4] * (x * k) + d[5] * (k * k))


def terms(point, p):
    g = point.graph
    pbe = Pbe(g)

    def energy(channel):
        z = root(2, 3) ** 2 * (channel.tau * channel.n(Fraction(-5, 3)))  # of the spin
        x2 = root(2, 3) ** 2 * (channel.sigma * channel.n(Fraction(-8, 3)))
        w = slow(g, z, shared.UNIFORM_SPIN)
        f = shared.series([getattr(p, f"a{i}") for i in range(12)], w)
        h = vs98(g, [getattr(p, f"d{i}") for i in range(6)], ALPHA, x2, 2 * z - 2 * shared.UNIFORM_SPIN)
        return LDA_X * channel.n(THIRD) * (gga_x_pbe.enhancement(channel, pbe) * f + h)
    return point.exchange(energy)


def published_vs98(m, d, alpha, x2, z):
    y = 1 + alpha * (x2 + z)
    return d[0] / y + (d[1] * x2 + d[2] * z) / y ** 2 + (d[3] * x2 ** 2 + d[4] * x2 * z + d[5] * z ** 2) / y ** 3


def published_z(m, lib, spin):
    """2 tau / rho^(5/3) - C_F"""
    return 2 * spin.tau / lib.power(spin.n, 5, 3) - m.mpf(3) / 5 * lib.power(6 * m.pi ** 2, 2, 3)


def literature(m, lib, p, point):
    total = 0
    for s in range(2):
        spin = lib.OfSpin(point, s)
        uniform = 2 * spin.n * lib.uniform_exchange(2 * spin.n) / 2
        s2 = lib.reduced(2 * spin.n, 4 * spin.sigma) ** 2
        kappa, mu = m.mpf("0.804"), m.mpf(gga_x_pbe.MU)
        pbe = 1 + kappa - kappa / (1 + mu * s2 / kappa)
        f = sum(getattr(p, f"a{i}") * spin.w ** i for i in range(12))
        h = published_vs98(m, [getattr(p, f"d{i}") for i in range(6)], m.mpf("0.00186726"), spin.x2,
                           published_z(m, lib, spin))
        total += uniform * (pbe * f + h)
    return total
