"""Correlation of Perdew, 1986. J. P. Perdew, Phys. Rev. B 33, 8822 (1986), on top of Perdew and Zunger's uniform gas."""

from fractions import Fraction

from functionals import lda_c_pz
from graph import root

FAMILY = "gga"
KIND = "correlation"
DENSITY = "1e-15"
PARAMETERS = ["alpha", "beta", "gamma", "delta", "aa", "bb", "ftilde"]
CONSTANTS = ["0.023266", "7.389e-6", "8.723", "0.472", "0.001667", "0.002568"]
SETS = {"gga_c_p86": (132, CONSTANTS + ["0.19195"]), "gga_c_p86_ft": (217, CONSTANTS + ["0.191995661673763637679"])}


class Uniform:
    def __init__(self, make):
        for name, value in zip(lda_c_pz.PARAMETERS, lda_c_pz.SETS["lda_c_pz"][1]):
            setattr(self, name, make(value))


def terms(point, p):
    g = point.graph
    rs = point.rs
    rs2 = rs * rs
    c = p.aa + (p.bb + p.alpha * rs + p.beta * rs2) * g.rcp(1 + p.gamma * rs + p.delta * rs2 + (10000 * p.beta) * (rs2 * rs))
    x2 = point.sigma * point.n(Fraction(-7, 3))
    phi = (p.ftilde * (p.aa + p.bb)) * (g.sqrt(x2) * g.rcp(c))
    gradient = x2 * c * g.exp(-phi)
    if point.polarised:
        gradient = gradient * (g.rcp(g.sqrt(point.phi(Fraction(5, 3)))))
    return point.correlation(lda_c_pz.energy(point, Uniform(lambda v: g.const(Fraction(v)))) + gradient)


def literature(m, lib, p, point):
    rs = point.rs
    c = p.aa + (p.bb + p.alpha * rs + p.beta * rs ** 2) / (1 + p.gamma * rs + p.delta * rs ** 2 + 10 ** 4 * p.beta * rs ** 3)
    gradient = m.sqrt(point.gradient)
    phi = p.ftilde * (p.aa + p.bb) / c * gradient / lib.power(point.n, 7, 6)
    z = point.zeta
    d = m.cbrt(2) * m.sqrt(lib.power((1 + z) / 2, 5, 3) + lib.power((1 - z) / 2, 5, 3))
    uniform = lda_c_pz.published(m, lib, Uniform(m.mpf), point)
    return point.n * uniform + m.exp(-phi) * c * gradient ** 2 / (d * lib.power(point.n, 4, 3))
