"""Kinetic energy with the enhancement factor of PBEint. S. Laricchia, E. Fabiano, L. A. Constantin, F. Della Sala, J. Chem.
Theory Comput. 7, 2439 (2011)."""

from fractions import Fraction

from functionals import gga_x_pbeint
from point import TF

FAMILY = "gga"
KIND = "kinetic"
DENSITY = "1e-15"
PARAMETERS = gga_x_pbeint.PARAMETERS
SETS = {
    "gga_k_apbeint": (54, ["0.8040", "5/3", "0.23899", "5/27"]),
    "gga_k_revapbeint": (53, ["1.245", "5/3", "0.23899", "5/27"]),
}


def terms(point, p):
    return point.exchange(lambda c: TF * c.n(Fraction(2, 3)) * gga_x_pbeint.enhancement(point.graph, c, p))


def literature(m, lib, p, point):
    def energy(n, sigma, _):
        return lib.uniform_tau(n) * gga_x_pbeint.published(m, lib, p, n, sigma)
    return lib.exchange(energy, point)
