"""Exchange of Hammer, Hansen and Norskov: F = 1 + kappa (1 - exp(-mu s^2 / kappa)).

B. Hammer, L. B. Hansen, J. K. Norskov, Phys. Rev. B 59, 7413 (1999).
"""

from point import LDA_X, THIRD

FAMILY = "gga"
KIND = "exchange"
DENSITY = "1e-15"
PARAMETERS = ["kappa", "mu"]
SETS = {"gga_x_rpbe": (117, ["0.8040", "0.2195149727645171"])}


def terms(point, p):
    g = point.graph
    return point.exchange(lambda c: LDA_X * c.n(THIRD) * (1 - p.kappa * g.expm1(-(p.mu / p.kappa * c.s2))))


def literature(m, lib, p, point):
    def energy(n, sigma, _):
        s = lib.reduced(n, sigma)
        return n * lib.uniform_exchange(n) * (1 + p.kappa * (1 - m.exp(-p.mu * s ** 2 / p.kappa)))
    return lib.exchange(energy, point)
