"""Kinetic energy with the enhancement factor of Perdew, Burke and Ernzerhof: F = 1 + kappa - kappa / (1 + mu s^2 / kappa).

F. Tran, T. A. Wesolowski, Int. J. Quantum Chem. 89, 441 (2002); L. A. Constantin, E. Fabiano, S. Laricchia, F. Della Sala,
Phys. Rev. Lett. 106, 186406 (2011).
"""

from fractions import Fraction

from functionals.gga_x_pbe import enhancement
from point import TF

FAMILY = "gga"
KIND = "kinetic"
DENSITY = "1e-15"
PARAMETERS = ["kappa", "mu"]
SETS = {
    "gga_k_apbe": (185, ["0.8040", "0.23889"]),
    "gga_k_revapbe": (55, ["1.245", "0.23889"]),
    "gga_k_tw1": (187, ["0.8209", "0.2335"]),
    "gga_k_tw2": (188, ["0.6774", "0.2371"]),
    "gga_k_tw3": (189, ["0.8438", "0.2319"]),
    "gga_k_tw4": (190, ["0.8589", "0.2309"]),
}


def terms(point, p):
    return point.exchange(lambda c: TF * c.n(Fraction(2, 3)) * enhancement(c, p))


def literature(m, lib, p, point):
    def energy(n, sigma, _):
        s = lib.reduced(n, sigma)
        return lib.uniform_tau(n) * (1 + p.kappa - p.kappa / (1 + p.mu * s ** 2 / p.kappa))
    return lib.exchange(energy, point)
