"""Correlation of Perdew and Wang, 1991.

J. P. Perdew, J. A. Chevary, S. H. Vosko, K. A. Jackson, M. R. Pederson, D. J. Singh, C. Fiolhais, Phys. Rev. B 46, 6671
(1992), eqs. 11 to 16. The uniform gas and H0 are one logarithm, as in PBE's correlation, with gamma = beta^2 / (2 alpha).
`cubic` is the coefficient of r_s^3 in the denominator of Rasolt and Geldart's C_xc, which Libxc 5.2.3 has not.
"""

from fractions import Fraction

from functionals import gga_c_pbe, lda_c_pw
from graph import PI, root

FAMILY = "gga"
KIND = "correlation"
DENSITY = "1e-12"
PARAMETERS = ["cubic"]
SETS = {"gga_c_pw91": (134, ["0.07389"])}
ALPHA = Fraction("0.09")
CC0, CX = Fraction("0.004235"), Fraction("-0.001667")
NU = 16 / PI * root(3 * PI * PI, 3)
GAS = lda_c_pw.SETS["lda_c_pw"][1]


class Uniform:
    def __init__(self, make):
        for name, value in zip(lda_c_pw.PARAMETERS, GAS):
            setattr(self, name, make(value))


class Pbe:
    def __init__(self, g):
        beta = NU * CC0
        self.beta, self.gamma, self.b = g.const(beta), g.const(beta * beta / (2 * ALPHA)), g.const(1)


def rasolt_geldart(g, rs, cubic):
    """C_xc(r_s)"""
    top = Fraction("2.568") + rs * (Fraction("23.266") + Fraction("0.007389") * rs)
    below = 1 + rs * (Fraction("8.723") + rs * (Fraction("0.472") + cubic * rs))
    return Fraction(1, 1000) * (top * g.rcp(below))


def terms(point, p):
    g = point.graph
    uniform = lda_c_pw.energy(point, Uniform(lambda v: g.const(Fraction(v))))
    whole = gga_c_pbe.energy(point, Pbe(g), uniform=uniform)
    phi = point.phi()
    t2 = gga_c_pbe.T2 * (point.sigma * point.n(Fraction(-7, 3)))  # times phi^2
    slope = NU * (rasolt_geldart(g, point.rs, p.cubic) - (CX + CC0 + Fraction(3, 7) * CX))
    # (k_s / k_F)^2 = 4 / (pi k_F)
    ratio = 4 / (PI * root(3 * PI * PI, 3)) * point.n(Fraction(-1, 3))
    phi2 = phi * phi
    h1 = slope * phi * (t2 * g.exp(-100 * (phi2 * (ratio * t2))))
    return point.correlation(whole + h1)


def literature(m, lib, p, point):
    alpha, cc0, cx = m.mpf("0.09"), m.mpf("0.004235"), m.mpf("-0.001667")
    nu = 16 / m.pi * m.cbrt(3 * m.pi ** 2)
    beta = nu * cc0
    v = [m.mpf(t) for t in GAS]
    rs, phi = point.rs, lib.phi(point.zeta)
    ec = lib.perdew_wang(rs, point.zeta, v[1:4], v[4:7], [v[7:11], v[11:15], v[15:19]], v[0])
    kf = m.cbrt(3 * m.pi ** 2 * point.n)
    ks = m.sqrt(4 * kf / m.pi)
    t = m.sqrt(point.gradient) / (2 * phi * ks * point.n)
    a = 2 * alpha / beta / (m.exp(-2 * alpha * ec / (phi ** 3 * beta ** 2)) - 1)
    h0 = (phi ** 3 * beta ** 2 / (2 * alpha)
          * m.log(1 + 2 * alpha / beta * (t ** 2 + a * t ** 4) / (1 + a * t ** 2 + a ** 2 * t ** 4)))
    cxc = ((m.mpf("2.568") + m.mpf("23.266") * rs + m.mpf("0.007389") * rs ** 2)
           / (1 + m.mpf("8.723") * rs + m.mpf("0.472") * rs ** 2 + p.cubic * rs ** 3) / 1000)
    h1 = nu * (cxc - cx - cc0 - 3 * cx / 7) * phi ** 3 * t ** 2 * m.exp(-100 * phi ** 4 * (ks / kf) ** 2 * t ** 2)
    return point.n * (ec + h0 + h1)
