"""Kinetic energy of von Weizsaecker, and with a part of Thomas and Fermi's: lambda |grad n|^2 / (8 n) + gamma C n^(5/3).

C. F. von Weizsaecker, Z. Phys. 96, 431 (1935).
"""

from fractions import Fraction

from point import TF

FAMILY = "gga"
KIND = "kinetic"
DENSITY = "1e-15"
PARAMETERS = ["lambda_", "gamma"]
SETS = {"gga_k_vw": (500, ["1", "0"]), "gga_k_tfvw": (52, ["1", "1"])}


def terms(point, p):
    def energy(c):
        return Fraction(1, 8) * p.lambda_ * (c.sigma * c.n(-2)) + TF * p.gamma * c.n(Fraction(2, 3))
    return point.exchange(energy)


def literature(m, lib, p, point):
    return lib.exchange(lambda n, sigma, tau: p.lambda_ * sigma / (8 * n) + p.gamma * lib.uniform_tau(n), point)
