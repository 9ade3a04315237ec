"""Exchange of Cooper, made for van der Waals functionals: F = 1 + mu s^2 exp(-alpha s^2) + kappa (1 - exp(-alpha s^2 / 2)).

V. R. Cooper, Phys. Rev. B 81, 161104 (2010).
"""

from fractions import Fraction

from point import LDA_X, THIRD

FAMILY = "gga"
KIND = "exchange"
DENSITY = "1e-15"
PARAMETERS = ["kappa", "mu", "alpha"]
SETS = {"gga_x_c09x": (158, ["1.245", "0.0617", "0.0483"])}


def terms(point, p):
    g = point.graph

    def energy(channel):
        x = p.alpha * channel.s2
        half = g.expm1(-(Fraction(1, 2) * x))
        return LDA_X * channel.n(THIRD) * (1 + p.mu * (channel.s2 * g.exp(-x)) - p.kappa * half)
    return point.exchange(energy)


def literature(m, lib, p, point):
    def energy(n, sigma, _):
        s2 = lib.reduced(n, sigma) ** 2
        factor = 1 + p.mu * s2 * m.exp(-p.alpha * s2) + p.kappa * (1 - m.exp(-p.alpha * s2 / 2))
        return n * lib.uniform_exchange(n) * factor
    return lib.exchange(energy, point)
