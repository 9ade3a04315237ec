"""Exchange of the regularised gradient expansion RGE2: PBE's with a term in s^4 in the denominator.

A. Ruzsinszky, G. I. Csonka, G. E. Scuseria, J. Chem. Theory Comput. 5, 763 (2009).
"""

from point import LDA_X, THIRD

FAMILY = "gga"
KIND = "exchange"
DENSITY = "1e-15"
PARAMETERS = ["kappa", "mu"]
SETS = {"gga_x_rge2": (142, ["0.8040", "10/81"])}


def terms(point, p):
    def energy(c):
        x = p.mu * c.s2
        x = x * (1 + x / p.kappa)
        return LDA_X * c.n(THIRD) * (1 + p.kappa * x / (p.kappa + x))
    return point.exchange(energy)


def literature(m, lib, p, point):
    def energy(n, sigma, _):
        s = lib.reduced(n, sigma)
        return n * lib.uniform_exchange(n) * (1 + p.kappa - p.kappa / (1 + p.mu * s ** 2 / p.kappa
                                                                     + (p.mu * s ** 2 / p.kappa) ** 2))
    return lib.exchange(energy, point)
