"""Exchange of Becke: F = 1 + (beta / C) x^2 / (1 + gamma beta x asinh x), x = |grad rho_s| / rho_s^(4/3).

A. D. Becke, Phys. Rev. A 38, 3098 (1988).
"""

from fractions import Fraction

from graph import PI, root
from point import LDA_X, THIRD

FAMILY = "gga"
KIND = "exchange"
DENSITY = "1e-15"
PARAMETERS = ["beta", "gamma"]
SETS = {
    "gga_x_b88": (106, ["0.0042", "6.0"]),
    "gga_x_optb88_vdw": (139, ["0.00336865923905927", "6.98131700797731"]),
    "gga_x_mb88": (149, ["0.0011", "6.0"]),
    "gga_x_eb88": (271, ["0.0039685026299204986870", "6.0"]),
    "gga_x_b88m": (570, ["0.0045", "6.0"]),
    "gga_x_b88_6311g": (179, ["0.0051", "6.0"]),
}
C = Fraction(3, 8) * root(3 / PI, 3) * root(4, 3) ** 2


def asinh(g, x):
    """x >= 0"""
    r = g.sqrt(x * x + 1)
    return g.state(g.log1p(x + x * x * g.rcp(r + 1)), [(x, g.rcp(r))])


def enhancement(g, c, p):
    x2 = root(2, 3) ** 2 * (c.sigma * c.n(Fraction(-8, 3)))
    x = g.sqrt(x2)
    bend = 1 + (p.gamma * p.beta) * (x * asinh(g, x))
    return 1 + (p.beta * (1 / C)) * (x2 * g.rcp(bend))


def terms(point, p):
    return point.exchange(lambda c: LDA_X * c.n(THIRD) * enhancement(point.graph, c, p))


def literature(m, lib, p, point):
    def energy(n, sigma, _):
        x = m.sqrt(sigma) / 2 / lib.power(n / 2, 4, 3)
        c = m.mpf(3) / 8 * m.cbrt(3 / m.pi) * lib.power(m.mpf(4), 2, 3)
        return n * lib.uniform_exchange(n) * (1 + p.beta / c * x ** 2 / (1 + p.gamma * p.beta * x * m.asinh(x)))
    return lib.exchange(energy, point)
