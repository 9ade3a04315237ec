"""Exchange of Gill: F = 1 + (c / C) x^(3/2), x = |grad rho_s| / rho_s^(4/3).

P. M. W. Gill, Mol. Phys. 89, 433 (1996).
"""

from fractions import Fraction

from functionals.gga_x_b88 import C
from graph import root
from point import LDA_X, THIRD

FAMILY = "gga"
KIND = "exchange"
DENSITY = "1e-15"
PARAMETERS = ["c"]
SETS = {"gga_x_g96": (107, ["1/137"])}


def terms(point, p):
    g = point.graph

    def energy(channel):
        x = g.sqrt(root(2, 3) ** 2 * (channel.sigma * channel.n(Fraction(-8, 3))))
        return LDA_X * channel.n(THIRD) * (1 + (p.c * (1 / C)) * (x * g.sqrt(x)))
    return point.exchange(energy)


def literature(m, lib, p, point):
    def energy(n, sigma, _):
        x = m.sqrt(sigma) / 2 / lib.power(n / 2, 4, 3)
        c = m.mpf(3) / 8 * m.cbrt(3 / m.pi) * lib.power(m.mpf(4), 2, 3)
        return n * lib.uniform_exchange(n) * (1 + p.c / c * lib.power(x, 3, 2))
    return lib.exchange(energy, point)
