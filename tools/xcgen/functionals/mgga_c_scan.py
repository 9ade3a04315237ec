"""Correlation of SCAN.

J. Sun, A. Ruzsinszky, J. P. Perdew, Phys. Rev. Lett. 115, 036402 (2015), with its supplement. Both limits are a logarithm
of 1 + w (1 - g) on top of -log(1 + w): one log1p of -w g / (1 + w).
"""

from fractions import Fraction

from functionals import gga_c_pbe, lda_c_pw, mgga_x_scan
from graph import root
from point import S2, TF

FAMILY = "mgga"
KIND = "correlation"
DENSITY = "1e-15"
PARAMETERS = []
SETS = {"mgga_c_scan": (267, [])}
C1, C2, D = Fraction("0.64"), Fraction("1.5"), Fraction("0.7")
B1C, B2C, B3C = Fraction("0.0285764"), Fraction("0.0889"), Fraction("0.125541")
CHI = Fraction("0.12802585262625815")
GAMMA = Fraction("0.031090690869654895034")


def beta(point):
    """Of Hu and Langreth, per gamma."""
    rs = point.rs
    return (Fraction("0.066724550603149220") / GAMMA) * ((1 + Fraction("0.1") * rs)
                                                         * point.graph.rcp(1 + Fraction("0.1778") * rs))


def below(g, scale, w, damp):
    """scale (log(1 + w (1 - damp)) - log(1 + w))"""
    inverse = g.rcp(1 + w)
    rest = g.rcp(1 + w * (1 - damp))
    log = g.state(g.log1p(-(w * damp * inverse)), [(w, -(damp * (inverse * rest))), (damp, -(w * rest))])
    return scale * log


def uniform_zero(point):
    """The single-orbital limit of the uniform gas, closed shell, per electron."""
    return -B1C * point.graph.rcp(1 + B2C * point.sqrt_rs + B3C * point.rs)


def spin_zero(point):
    """G_c of the single-orbital limit."""
    if not point.polarised:
        return point.graph.const(1)
    z2 = point.zeta * point.zeta
    z4 = z2 * z2
    twelfth = (point.opz * point.omz) * ((1 + z2) * (1 + z4 + z4 * z4))
    return (1 - Fraction("2.363") * (root(2, 3) - 1) * point.f_zeta) * twelfth


def fourth_root(g, x):
    return g.rcp(g.sqrt(g.sqrt(x)))


def limit_zero(point, s2):
    """alpha = 0"""
    g = point.graph
    w = g.expm1(Fraction(-1) / B1C * uniform_zero(point))
    return below(g, B1C, w, fourth_root(g, 1 + (4 * CHI) * s2)) * spin_zero(point)


def alpha_scale(point):
    """8 n tau of the uniform gas"""
    scale = (8 * TF) * point.n(Fraction(8, 3))
    return scale * point.phi(Fraction(5, 3)) if point.polarised else scale


def limits(point):
    """The energies per electron at alpha = 1 and at alpha = 0."""
    g = point.graph
    s2 = S2 * (point.sigma * point.n(Fraction(-8, 3)))
    phi = point.phi()
    phi3 = phi ** 3
    uniform = lda_c_pw.energy(point, gga_c_pbe.Uniform(g))
    t2 = gga_c_pbe.T2 * (point.sigma * point.n(Fraction(-7, 3)))
    if point.polarised:
        t2 = t2 * g.rcp(phi * phi)
    w = g.expm1(-(1 / GAMMA) * (uniform * g.rcp(phi3)))
    damp = fourth_root(g, 1 + 4 * (beta(point) * (t2 * g.rcp(w))))
    one = below(g, GAMMA * phi3, w, damp)
    return one, limit_zero(point, s2)


def terms(point, p):
    g = point.graph
    one, zero = limits(point)
    alpha = point.excess * point.n(Fraction(-8, 3)) / (8 * TF)
    if point.polarised:
        alpha = alpha * g.rcp(point.phi(Fraction(5, 3)))
    left, right = [g.const(v) for v in CUTS]
    f = mgga_x_scan.interpolation(g, alpha, C1, C2, D, left, right)
    return point.correlation(one + f * (zero - one))


LOG_D = Fraction("-0.35667494393873237891263871124118447796401675904691")  # log 0.7
CUTS = mgga_x_scan.cutoffs(C1, C2, LOG_D)


# ---- as published

def published_limits(m, lib, point, damp_one):
    """The energies per electron at alpha = 1, whose g is damp_one(y), and at alpha = 0."""
    gamma = m.mpf("0.031090690869654895034")
    uniform = gga_c_pbe.uniform_gas(m, lib, point)
    phi = lib.phi(point.zeta)
    w1 = m.exp(-uniform / (gamma * phi ** 3)) - 1
    hu = m.mpf("0.066724550603149220") * (1 + m.mpf("0.1") * point.rs) / (1 + m.mpf("0.1778") * point.rs)
    s = lib.reduced(point.n, point.gradient)
    t = lib.power(3 * m.pi ** 2 / 16, 1, 3) * s / (phi * m.sqrt(point.rs))
    y = hu / (gamma * w1) * t ** 2
    one = uniform + gamma * phi ** 3 * m.log(1 + w1 * (1 - damp_one(y, w1, s)))
    b1c, b2c, b3c = m.mpf("0.0285764"), m.mpf("0.0889"), m.mpf("0.125541")
    lda0 = -b1c / (1 + b2c * m.sqrt(point.rs) + b3c * point.rs)
    w0 = m.exp(-lda0 / b1c) - 1
    g_infinity = (1 + 4 * m.mpf("0.12802585262625815") * s ** 2) ** (-m.mpf(1) / 4)
    h0 = b1c * m.log(1 + w0 * (1 - g_infinity))
    gc = (1 - m.mpf("2.363") * (m.cbrt(2) - 1) * lib.f_zeta(point.zeta)) * (1 - point.zeta ** 12)
    return one, (lda0 + h0) * gc


def spin_sum(m, lib, z):
    return (lib.power(1 + z, 5, 3) + lib.power(1 - z, 5, 3)) / 2


def literature(m, lib, p, point):
    one, zero = published_limits(m, lib, point, lambda y, w, s: (1 + 4 * y) ** (-m.mpf(1) / 4))
    alpha = ((point.tau - point.gradient / (8 * point.n))
             / (lib.uniform_tau(point.n) * spin_sum(m, lib, point.zeta)))
    f = mgga_x_scan.published_interpolation(m, alpha, m.mpf("0.64"), m.mpf("1.5"), m.mpf("0.7"))
    return point.n * (one + f * (zero - one))
