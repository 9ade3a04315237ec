"""Short-range exchange of Becke's functional, attenuated as Iikura, Tsuneda, Yanai and Hirao do.

H. Iikura, T. Tsuneda, T. Yanai, K. Hirao, J. Chem. Phys. 115, 3540 (2001), eqs. 8 to 10, with erfc(omega r) / r. The
momentum of a spin is k = (9 pi / K)^(1/2) rho_s^(1/3), K that of exchange, -1/2 K rho_s^(4/3): the uniform gas's over the
root of the enhancement factor.
"""

from fractions import Fraction

import shared
from functionals import gga_x_b88
from graph import PI, root
from point import LDA_X, THIRD

FAMILY = "gga"
KIND = "exchange"
DENSITY = "1e-14"
PARAMETERS = ["omega", "beta", "gamma"]
SETS = {"gga_x_ityh": (529, ["0.2", "0.0042", "6.0"])}


def terms(point, p):
    g = point.graph
    momentum = root(3 * PI * PI, 3) / p.omega

    def energy(c):
        enhancement = gga_x_b88.enhancement(g, c, p)
        y = momentum * (c.n(THIRD) * g.rcp(g.sqrt(enhancement)))
        return LDA_X * c.n(THIRD) * (enhancement * shared.attenuation(g, y))
    return point.exchange(energy)


def literature(m, lib, p, point):
    def energy(n, sigma, _):
        rho = n / 2  # of each spin
        x = m.sqrt(sigma) / 2 / lib.power(rho, 4, 3)
        k = 3 * m.cbrt(3 / (4 * m.pi)) + 2 * p.beta * x ** 2 / (1 + p.gamma * p.beta * x * m.asinh(x))
        a = p.omega * m.sqrt(k) / (6 * m.sqrt(m.pi) * m.cbrt(rho))
        return -k * lib.power(rho, 4, 3) * lib.attenuation(a)
    return lib.exchange(energy, point)
