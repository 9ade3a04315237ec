"""Correlation of Armiento and Mattsson: Perdew and Wang's uniform gas, scaled where gradients are large.

R. Armiento, A. E. Mattsson, Phys. Rev. B 72, 085108 (2005), eq. 13; of spins: Phys. Rev. B 79, 155101 (2009).
"""

from fractions import Fraction

from functionals import gga_c_pbe, lda_c_pw
from graph import root
from point import S2

FAMILY = "gga"
KIND = "correlation"
DENSITY = "1e-14"
PARAMETERS = ["alpha", "gamma"]
SETS = {"gga_c_am05": (135, ["2.804", "0.8098"])}


def terms(point, p):
    g = point.graph
    uniform = lda_c_pw.energy(point, gga_c_pbe.Uniform(g))

    def factor(s2):
        return p.gamma + (1 - p.gamma) * g.rcp(1 + p.alpha * s2)
    if not point.polarised:
        return point.correlation(uniform * factor(S2 * (point.sigma * point.n(Fraction(-8, 3)))))
    scale = 4 / root(2, 3) ** 8 * S2
    total = g.const(0)
    for density, sigma, share in zip(point.spin, point.sigmas, (point.opz, point.omz)):
        total = total + Fraction(1, 2) * (share * factor(scale * (sigma * density ** Fraction(-8, 3))))
    return point.correlation(uniform * total)


def literature(m, lib, p, point):
    total = 0
    for n, sigma in ((point.a, point.aa), (point.b, point.bb)):
        s2 = lib.reduced(2 * n, 4 * sigma) ** 2
        x = 1 - p.alpha * s2 / (1 + p.alpha * s2)
        total += n * (x + (1 - x) * p.gamma)
    return total * gga_c_pbe.uniform_gas(m, lib, point)
