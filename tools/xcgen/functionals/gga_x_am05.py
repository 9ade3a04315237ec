"""Exchange of Armiento and Mattsson: between the uniform gas and an electron gas at a surface.

R. Armiento, A. E. Mattsson, Phys. Rev. B 72, 085108 (2005), eqs. 6 to 12.
"""

from fractions import Fraction

from graph import PI, root
from point import LDA_X, THIRD

FAMILY = "gga"
KIND = "exchange"
DENSITY = "1e-15"
PARAMETERS = ["alpha", "c"]
SETS = {"gga_x_am05": (120, ["2.804", "0.7168"])}
D4 = root(Fraction(4, 3), 3) ** 4 * (2 * PI / 3) ** 4


def surface(g, s2):
    """s / F_b, from Lambert's W"""
    s = g.sqrt(s2)
    w = g.lambertw((1 / (2 * root(6, 2))) * (s * g.sqrt(s)))
    xi = root(Fraction(3, 2), 3) ** 2 * w ** Fraction(2, 3)
    return (3 / PI) * (xi * g.sqrt(g.sqrt(D4 + xi * xi)))


def terms(point, p):
    g = point.graph

    def energy(channel):
        s2 = channel.s2
        x = g.rcp(1 + p.alpha * s2)
        inside = (p.c * s2 + 1) * g.rcp(p.c * (g.sqrt(s2) * surface(g, s2)) + 1)
        return LDA_X * channel.n(THIRD) * (x + (1 - x) * inside)
    return point.exchange(energy)


def literature(m, lib, p, point):
    def energy(n, sigma, _):
        s = lib.reduced(n, sigma)
        x = 1 - p.alpha * s ** 2 / (1 + p.alpha * s ** 2)
        xi = lib.power(m.mpf(3) / 2 * m.lambertw(lib.power(s, 3, 2) / (2 * m.sqrt(6))).real, 2, 3)
        d = m.cbrt(m.mpf(4) / 3) * 2 * m.pi / 3
        fb = m.pi / 3 * s / (xi * lib.power(d ** 4 + xi ** 2, 1, 4))
        return n * lib.uniform_exchange(n) * (x + (1 - x) * (p.c * s ** 2 + 1) / (p.c * s ** 2 / fb + 1))
    return lib.exchange(energy, point)
