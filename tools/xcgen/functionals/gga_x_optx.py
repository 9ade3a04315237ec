"""Exchange of Handy and Cohen (OPTX): F = a + (b / C) (gamma x^2 / (1 + gamma x^2))^2, x = |grad rho_s| / rho_s^(4/3).

N. C. Handy, A. J. Cohen, Mol. Phys. 99, 403 (2001).
"""

from fractions import Fraction

from functionals import gga_x_b88
from graph import root
from point import LDA_X, THIRD

FAMILY = "gga"
KIND = "exchange"
DENSITY = "1e-15"
PARAMETERS = ["a", "b", "gamma"]
SETS = {"gga_x_optx": (110, ["1.05151", "1.43169", "0.006"])}


def terms(point, p):
    def energy(c):
        x = p.gamma * (root(2, 3) ** 2 * (c.sigma * c.n(Fraction(-8, 3))))
        u = x / (1 + x)
        return LDA_X * c.n(THIRD) * (p.a + (p.b * (1 / gga_x_b88.C)) * (u * u))
    return point.exchange(energy)


def literature(m, lib, p, point):
    def energy(n, sigma, _):
        x = m.sqrt(sigma) / 2 / lib.power(n / 2, 4, 3)
        u = p.gamma * x ** 2 / (1 + p.gamma * x ** 2)
        c = m.mpf(3) / 8 * m.cbrt(3 / m.pi) * lib.power(m.mpf(4), 2, 3)
        return n * lib.uniform_exchange(n) * (p.a + p.b / c * u ** 2)
    return lib.exchange(energy, point)
