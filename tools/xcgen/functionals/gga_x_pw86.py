"""Exchange of Perdew and Wang, 1986: F = (1 + a s^2 + b s^4 + c s^6)^(1/15).

J. P. Perdew, Y. Wang, Phys. Rev. B 33, 8800 (1986); E. D. Murray, K. Lee, D. C. Langreth, J. Chem. Theory Comput. 5, 2754
(2009).
"""

from fractions import Fraction

from point import LDA_X, THIRD

FAMILY = "gga"
KIND = "exchange"
DENSITY = "1e-15"
PARAMETERS = ["a", "b", "c"]
SETS = {"gga_x_pw86": (108, ["1.296", "14", "0.2"]), "gga_x_rpw86": (144, ["1.851", "17.33", "0.163"])}


def terms(point, p):
    g = point.graph

    def energy(channel):
        s2 = channel.s2
        rise = s2 * (p.a + s2 * (p.b + p.c * s2))
        return LDA_X * channel.n(THIRD) * g.exp(Fraction(1, 15) * g.log1p(rise))
    return point.exchange(energy)


def literature(m, lib, p, point):
    def energy(n, sigma, _):
        s = lib.reduced(n, sigma)
        return n * lib.uniform_exchange(n) * lib.power(1 + p.a * s ** 2 + p.b * s ** 4 + p.c * s ** 6, 1, 15)
    return lib.exchange(energy, point)
