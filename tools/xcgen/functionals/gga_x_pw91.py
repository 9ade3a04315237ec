"""Exchange of Perdew and Wang, 1991.

J. P. Perdew, J. A. Chevary, S. H. Vosko, K. A. Jackson, M. R. Pederson, D. J. Singh, C. Fiolhais, Phys. Rev. B 46, 6671
(1992), eq. 8: F = (1 + a s asinh(b s) + (c + d exp(-alpha s^2)) s^2) / (1 + a s asinh(b s) + f s^4).
"""

from functionals.gga_x_b88 import asinh
from point import LDA_X, THIRD

FAMILY = "gga"
KIND = "exchange"
DENSITY = "1e-15"
PARAMETERS = ["a", "b", "c", "d", "f", "alpha"]
SETS = {"gga_x_pw91": (109, ["0.19645", "7.7956", "0.2743", "-0.1508", "0.004", "100"])}


def terms(point, p):
    g = point.graph

    def energy(channel):
        s2 = channel.s2
        s = g.sqrt(s2)
        bend = p.a * (s * asinh(g, p.b * s))
        rise = s2 * (p.c + p.d * g.exp(-(p.alpha * s2)) - p.f * s2)
        return LDA_X * channel.n(THIRD) * (1 + rise * g.rcp(1 + bend + p.f * (s2 * s2)))
    return point.exchange(energy)


def literature(m, lib, p, point):
    def energy(n, sigma, _):
        s = lib.reduced(n, sigma)
        bend = 1 + p.a * s * m.asinh(p.b * s)
        return (n * lib.uniform_exchange(n) * (bend + (p.c + p.d * m.exp(-p.alpha * s ** 2)) * s ** 2)
                / (bend + p.f * s ** 4))
    return lib.exchange(energy, point)
