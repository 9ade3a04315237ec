"""Kinetic energy of Thomas and Fermi. L. H. Thomas, Proc. Camb. Phil. Soc. 23, 542 (1927); E. Fermi, Rend. Accad. Naz. Lincei
6, 602 (1927)."""

from fractions import Fraction

from point import TF

FAMILY = "lda"
KIND = "kinetic"
DENSITY = "1e-15"
PARAMETERS = []
SETS = {"lda_k_tf": (50, [])}


def terms(point, p):
    return point.correlation(TF * point.n(Fraction(2, 3)) * point.phi(Fraction(5, 3)))


def literature(m, lib, p, point):
    return lib.exchange(lambda n, sigma, tau: lib.uniform_tau(n), point)
