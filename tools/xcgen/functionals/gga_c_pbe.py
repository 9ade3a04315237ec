"""Correlation of Perdew, Burke and Ernzerhof.

J. P. Perdew, K. Burke, M. Ernzerhof, Phys. Rev. Lett. 77, 3865 (1996), eqs. 7 and 8. The sum of the uniform gas
and H is one logarithm, which does not cancel where gradients are large: with w = exp(-ec / (gamma phi^3)) - 1
and u = A t^2 = (beta / gamma) t^2 / w,

    ec + H = gamma phi^3 log(1 - w / ((1 + w) (1 + u + B u^2))).

B = 0 is sPBE: M. Swart, M. Sola, F. M. Bickelhaupt, J. Chem. Phys. 131, 094103 (2009).
"""

from fractions import Fraction

from functionals import lda_c_pw
from point import RS
from graph import root

FAMILY = "gga"
KIND = "correlation"
DENSITY = "1e-12"
PARAMETERS = ["beta", "gamma", "b"]
GAMMA = "0.031090690869654895034"
SETS = {
    "gga_c_pbe": (130, ["0.06672455060314922", GAMMA, "1"]),
    "gga_c_pbe_sol": (133, ["0.046", GAMMA, "1"]),
    "gga_c_xpbe": (136, ["0.089809", "0.02043355766025040154", "1"]),
    "gga_c_pbe_jrgx": (138, ["0.037526364314979061530", GAMMA, "1"]),
    "gga_c_rge2": (143, ["0.053", GAMMA, "1"]),
    "gga_c_apbe": (186, ["0.079030523241023461723", GAMMA, "1"]),
    "gga_c_spbe": (89, ["0.06672455060314922", GAMMA, "0"]),
    "gga_c_pbeint": (62, ["0.052", GAMMA, "1"]),
    "gga_c_pbefe": (258, ["0.043", GAMMA, "1"]),
    "gga_c_pbe_mol": (272, ["0.08384", GAMMA, "1"]),
    "gga_c_tm_pbe": (560, ["-0.052728", "-0.0156", "1"]),
}
# t^2 = T2 sigma n^(-7/3) / phi^2
T2 = 1 / (16 * root(2, 3) ** 2 * RS)


class Uniform:
    """The constants of Perdew and Wang's formula with more digits."""

    def __init__(self, graph):
        for name, value in zip(lda_c_pw.PARAMETERS, lda_c_pw.MOD):
            setattr(self, name, graph.const(Fraction(value)))


def energy(point, p, beta=None, uniform=None):
    g = point.graph
    beta = p.beta if beta is None else beta
    uniform = lda_c_pw.energy(point, Uniform(g)) if uniform is None else uniform
    phi = point.phi()
    phi3 = phi ** 3
    scale = p.gamma * phi3
    t2 = T2 * (point.sigma * point.n(Fraction(-7, 3)))
    if point.polarised:
        t2 = t2 * g.rcp(phi * phi)
    w = g.expm1(-(uniform * g.rcp(scale)))
    u = (beta * (1 / p.gamma)) * (t2 * g.rcp(w))
    q = (1 + w) * (1 + u * (1 + p.b * u))
    rest = q - w
    inverse = g.rcp(q * rest)
    log = g.state(g.log1p(-(w * (inverse * rest))), [(w, -(q * inverse)), (q, w * inverse)])
    return scale * log


def terms(point, p):
    return point.correlation(energy(point, p))


def uniform_gas(m, lib, point):
    """Perdew and Wang's, with more digits, as published."""
    v = [m.mpf(text) for text in lda_c_pw.MOD]
    return lib.perdew_wang(point.rs, point.zeta, v[1:4], v[4:7], [v[7:11], v[11:15], v[15:19]], v[0])


def pbe(m, lib, point, beta, gamma, b, uniform):
    """Eqs. 3, 7 and 8, per electron."""
    phi3 = lib.phi(point.zeta) ** 3
    k_s = m.sqrt(4 * m.cbrt(3 * m.pi ** 2 * point.n) / m.pi)
    t = m.sqrt(point.gradient) / (2 * lib.phi(point.zeta) * k_s * point.n)
    a = beta / gamma / (m.exp(-uniform / (gamma * phi3)) - 1)
    h = gamma * phi3 * m.log(1 + beta / gamma * t ** 2 * (1 + b * a * t ** 2) / (1 + a * t ** 2 + b * a ** 2 * t ** 4))
    return uniform + h


def literature(m, lib, p, point):
    return point.n * pbe(m, lib, point, p.beta, p.gamma, p.b, uniform_gas(m, lib, point))
