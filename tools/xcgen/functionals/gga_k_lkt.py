"""Kinetic energy of Luo, Karasiev and Trickey: F = 1 / cosh(a s) + 5 s^2 / 3.

K. Luo, V. V. Karasiev, S. B. Trickey, Phys. Rev. B 98, 041111 (2018). The hyperbolic cosine, which would overflow, is
written in exp(-a s).
"""

from fractions import Fraction

from point import TF

FAMILY = "gga"
KIND = "kinetic"
DENSITY = "1e-15"
PARAMETERS = ["a"]
SETS = {"gga_k_lkt": (613, ["1.3"])}


def terms(point, p):
    g = point.graph

    def energy(channel):
        e = g.exp(-(p.a * g.sqrt(channel.s2)))
        bell = 2 * e * g.rcp(1 + e * e)
        return TF * channel.n(Fraction(2, 3)) * (bell + Fraction(5, 3) * channel.s2)
    return point.exchange(energy)


def literature(m, lib, p, point):
    def energy(n, sigma, _):
        s = lib.reduced(n, sigma)
        return lib.uniform_tau(n) * (1 / m.cosh(p.a * s) + m.mpf(5) / 3 * s ** 2)
    return lib.exchange(energy, point)
